// RUN: %opt %s --split-input-file | %opt --split-input-file | %check
// RUN: %opt %s --split-input-file --print-op-generic | %opt --split-input-file | %check

func.func @one_operand(%x: tensor<4xf32>) {
  %0 = nd.exp %x : tensor<4xf32>
  %1 = nd.exp2 %x : tensor<4xf32>
  %2 = nd.expm1 %x : tensor<4xf32>
  %3 = nd.log %x : tensor<4xf32>
  %4 = nd.log1p %x : tensor<4xf32>
  %5 = nd.log2 %x : tensor<4xf32>
  %6 = nd.log10 %x : tensor<4xf32>
  %7 = nd.sin %x : tensor<4xf32>
  %8 = nd.cos %x : tensor<4xf32>
  %9 = nd.tan %x : tensor<4xf32>
  %10 = nd.asin %x : tensor<4xf32>
  %11 = nd.acos %x : tensor<4xf32>
  %12 = nd.atan %x : tensor<4xf32>
  %13 = nd.sinh %x : tensor<4xf32>
  %14 = nd.cosh %x : tensor<4xf32>
  %15 = nd.tanh %x : tensor<4xf32>
  %16 = nd.asinh %x : tensor<4xf32>
  %17 = nd.acosh %x : tensor<4xf32>
  %18 = nd.atanh %x : tensor<4xf32>
  %19 = nd.erf %x : tensor<4xf32>
  %20 = nd.erfc %x : tensor<4xf32>
  return
}
// CHECK-LABEL: @one_operand
// CHECK-SAME: %[[X:\w+]]: tensor<4xf32>
// CHECK: nd.exp %[[X]] : tensor<4xf32>
// CHECK: nd.exp2 %[[X]] : tensor<4xf32>
// CHECK: nd.expm1 %[[X]] : tensor<4xf32>
// CHECK: nd.log %[[X]] : tensor<4xf32>
// CHECK: nd.log1p %[[X]] : tensor<4xf32>
// CHECK: nd.log2 %[[X]] : tensor<4xf32>
// CHECK: nd.log10 %[[X]] : tensor<4xf32>
// CHECK: nd.sin %[[X]] : tensor<4xf32>
// CHECK: nd.cos %[[X]] : tensor<4xf32>
// CHECK: nd.tan %[[X]] : tensor<4xf32>
// CHECK: nd.asin %[[X]] : tensor<4xf32>
// CHECK: nd.acos %[[X]] : tensor<4xf32>
// CHECK: nd.atan %[[X]] : tensor<4xf32>
// CHECK: nd.sinh %[[X]] : tensor<4xf32>
// CHECK: nd.cosh %[[X]] : tensor<4xf32>
// CHECK: nd.tanh %[[X]] : tensor<4xf32>
// CHECK: nd.asinh %[[X]] : tensor<4xf32>
// CHECK: nd.acosh %[[X]] : tensor<4xf32>
// CHECK: nd.atanh %[[X]] : tensor<4xf32>
// CHECK: nd.erf %[[X]] : tensor<4xf32>
// CHECK: nd.erfc %[[X]] : tensor<4xf32>

// -----

func.func @two_operands(%x: tensor<?x2xf64>, %y: tensor<?x2xf64>) {
  %0 = nd.atan2 %x, %y : tensor<?x2xf64>
  %1 = nd.hypot %x, %y : tensor<?x2xf64>
  return
}
// CHECK-LABEL: @two_operands
// CHECK-SAME: %[[X:\w+]]: tensor<?x2xf64>, %[[Y:\w+]]: tensor<?x2xf64>
// CHECK: nd.atan2 %[[X]], %[[Y]] : tensor<?x2xf64>
// CHECK: nd.hypot %[[X]], %[[Y]] : tensor<?x2xf64>

// -----

// rank 0, size 0, half types
func.func @boundaries(%x: tensor<f16>, %y: tensor<0x1xbf16>) {
  %0 = nd.erfc %x : tensor<f16>
  %1 = nd.hypot %y, %y : tensor<0x1xbf16>
  return
}
// CHECK-LABEL: @boundaries
// CHECK: nd.erfc %{{.*}} : tensor<f16>
// CHECK: nd.hypot %{{.*}}, %{{.*}} : tensor<0x1xbf16>
