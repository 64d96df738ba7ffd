// RUN: %opt %s --split-input-file --verify-diagnostics

func.func @integers(%x: tensor<4xi32>) {
  // expected-error {{nd.exp: expected a floating-point element type, found i32}}
  %0 = nd.exp %x : tensor<4xi32>
  return
}

// -----

func.func @pairs_of_integers(%x: tensor<4xui8>) {
  // expected-error {{nd.hypot: expected a floating-point element type, found ui8}}
  %0 = nd.hypot %x, %x : tensor<4xui8>
  return
}
