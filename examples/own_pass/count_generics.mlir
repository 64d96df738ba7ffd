// RUN: %opt %s --load-pass count_generics:CountGenericsPass -p nd-to-linalg,count-generics --split-input-file | %check

// CHECK-LABEL: func.func @counts_both
// CHECK-SAME: generics = 2 : i64
func.func @counts_both(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = nd.exp %x : tensor<4xf32>
  %z = nd.add %y, %x : tensor<4xf32>
  func.return %z : tensor<4xf32>
}

// -----

// a function without generics stays as it is
// CHECK-LABEL: func.func @leaves_empty_functions
// CHECK-NOT: generics
// CHECK: func.return
func.func @leaves_empty_functions(%x: tensor<4xf32>) -> tensor<4xf32> {
  func.return %x : tensor<4xf32>
}
