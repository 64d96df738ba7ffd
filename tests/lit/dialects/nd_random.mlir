// RUN: %opt %s --split-input-file | %opt --split-input-file | %check
// RUN: %opt %s --split-input-file --print-op-generic | %opt --split-input-file | %check

func.func @random_bits(%key: tensor<2xui32>, %counter: tensor<4xui32>) {
  %0 = nd.random_bits %key, %counter : tensor<ui32>
  %1 = nd.random_bits %key, %counter : tensor<5x0x3xui64>
  return
}
// CHECK-LABEL: @random_bits
// CHECK-SAME: %[[K:\w+]]: tensor<2xui32>, %[[C:\w+]]: tensor<4xui32>
// CHECK: nd.random_bits %[[K]], %[[C]] : tensor<ui32>
// CHECK: nd.random_bits %[[K]], %[[C]] : tensor<5x0x3xui64>
