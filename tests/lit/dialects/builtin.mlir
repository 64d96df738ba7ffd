// RUN: %opt %s --split-input-file | %opt --split-input-file | %check

// the start value of a maximum: xDSL would read 4286578688.0 here
func.func @minus_infinity() -> vector<4xf32> {
  %0 = arith.constant dense<0xFF800000> : vector<4xf32>
  return %0 : vector<4xf32>
}
// CHECK-LABEL: @minus_infinity
// CHECK: dense<0xFF800000> : vector<4xf32>

// -----

func.func @infinities_and_nans_among_numbers() {
  %0 = arith.constant dense<[[1.5, 0x7C00], [0xFC00, 0x7E2A]]> : tensor<2x2xf16>
  %1 = arith.constant dense<[0x7F80, 0xFFFF]> : vector<2xbf16>
  %2 = arith.constant dense<[0x7FF8000012345678, -0.0]> : vector<2xf64>
  return
}
// CHECK-LABEL: @infinities_and_nans_among_numbers
// CHECK-NEXT: dense<{{\[\[}}1.500000e+00, 0x7C00], [0xFC00, 0x7E2A]]> : tensor<2x2xf16>
// CHECK-NEXT: dense<[0x7F80, 0xFFFF]> : vector<2xbf16>
// CHECK-NEXT: dense<[0x7FF8000012345678, -0.000000e+00]> : vector<2xf64>

// -----

// 0.0 == -0.0, but they are two numbers
func.func @zeros_are_no_splat() -> vector<2xf32> {
  %0 = arith.constant dense<[0.0, -0.0]> : vector<2xf32>
  return %0 : vector<2xf32>
}
// CHECK-LABEL: @zeros_are_no_splat
// CHECK: dense<[0.000000e+00, -0.000000e+00]> : vector<2xf32>

// -----

// some finite numbers are printed as bits, too
func.func @large_integral_number() -> vector<2xf32> {
  %0 = arith.constant dense<123456792.0> : vector<2xf32>
  return %0 : vector<2xf32>
}
// CHECK-LABEL: @large_integral_number
// CHECK: dense<0x4CEB79A3> : vector<2xf32>
