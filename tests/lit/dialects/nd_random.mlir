// RUN: %opt %s --split-input-file | %opt --split-input-file | %check
// RUN: %opt %s --split-input-file --print-op-generic | %opt --split-input-file | %check

func.func @random_bits(%key: tensor<2xui32>, %counter: tensor<4xui32>) {
  %0 = nd.random_bits %key, %counter : tensor<2xui32>, tensor<4xui32> -> tensor<ui32>
  %1 = nd.random_bits %key, %counter : tensor<2xui32>, tensor<4xui32> -> tensor<5x0x3xui64>
  return
}
// CHECK-LABEL: @random_bits
// CHECK-SAME: %[[K:\w+]]: tensor<2xui32>, %[[C:\w+]]: tensor<4xui32>
// CHECK: nd.random_bits %[[K]], %[[C]] : tensor<2xui32>, tensor<4xui32> -> tensor<ui32>
// CHECK: nd.random_bits %[[K]], %[[C]] : tensor<2xui32>, tensor<4xui32> -> tensor<5x0x3xui64>

// Keys with axes in front give as many streams.
func.func @streams(%key: tensor<3x2xui32>, %counter: tensor<3x4xui32>) {
  %0 = nd.random_bits %key, %counter : tensor<3x2xui32>, tensor<3x4xui32> -> tensor<3x5xui32>
  return
}
// CHECK-LABEL: @streams
// CHECK: nd.random_bits %{{.*}}, %{{.*}} : tensor<3x2xui32>, tensor<3x4xui32> -> tensor<3x5xui32>
