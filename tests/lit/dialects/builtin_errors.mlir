// RUN: %opt %s --split-input-file --verify-diagnostics

func.func @signed_bits() {
  // expected-error {{hexadecimal float: expected no sign, found -0x7FC00000}}
  %0 = arith.constant dense<[1.0, -0x7FC00000]> : tensor<2xf32>
  func.return
}

// -----

func.func @too_many_bits() {
  // expected-error {{hexadecimal float: expected at most 16 bits, found 0x7FC00000}}
  %0 = arith.constant dense<[1.0, 0x7FC00000]> : tensor<2xf16>
  func.return
}

// -----

func.func @bits_of_another_shape() {
  // expected-error {{shape of dense literal: expected [3], found [2]}}
  %0 = arith.constant dense<[1.0, 0x7FC00000]> : tensor<3xf32>
  func.return
}
