// RUN: %opt %s --split-input-file | %opt --split-input-file | %check
// RUN: %opt %s --split-input-file --print-op-generic | %opt --split-input-file | %check

func.func @reduce_window(%x: tensor<2x?x9xf32>, %e: tensor<0x4xi8>, %s: tensor<ui8>) {
  %0 = nd.reduce_window "max" %x window [1, 2, 3] strides [1, 1, 2] padding [0, 0, 1, 0, 0, 2] dilation [1, 1, 3] : tensor<2x?x9xf32> -> tensor<2x?x3xf32>
  %1 = nd.reduce_window "sum" %e window [1, 4] strides [2, 1] padding [0, 0, 0, 0] dilation [1, 1] : tensor<0x4xi8> -> tensor<0x1xi8>
  %2 = nd.reduce_window "min" %s window [] strides [] padding [] dilation [] : tensor<ui8> -> tensor<ui8>
  return
}
// CHECK-LABEL: @reduce_window
// CHECK-SAME: %[[X:\w+]]: tensor<2x?x9xf32>, %[[E:\w+]]: tensor<0x4xi8>, %[[S:\w+]]: tensor<ui8>
// CHECK: nd.reduce_window "max" %[[X]] window [1, 2, 3] strides [1, 1, 2] padding [0, 0, 1, 0, 0, 2] dilation [1, 1, 3] : tensor<2x?x9xf32> -> tensor<2x?x3xf32>
// CHECK: nd.reduce_window "sum" %[[E]] window [1, 4] strides [2, 1] padding [0, 0, 0, 0] dilation [1, 1] : tensor<0x4xi8> -> tensor<0x1xi8>
// CHECK: nd.reduce_window "min" %[[S]] window [] strides [] padding [] dilation [] : tensor<ui8> -> tensor<ui8>
