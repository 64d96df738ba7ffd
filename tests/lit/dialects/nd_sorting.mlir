// RUN: %opt %s --split-input-file | %opt --split-input-file | %check
// RUN: %opt %s --split-input-file --print-op-generic | %opt --split-input-file | %check

func.func @sorting(%x: tensor<4x0x?xf32>, %p: tensor<?xi1>, %v: tensor<2x?xi1>) {
  %0 = nd.sort %x axis 1 order "ascending" : tensor<4x0x?xf32>
  %1 = nd.sort %p axis 0 order "descending" : tensor<?xi1>
  %2 = nd.argsort %x axis 2 order "descending" : tensor<4x0x?xf32> -> tensor<4x0x?xi64>
  %3 = nd.searchsorted %p, %v side "left" : tensor<?xi1>, tensor<2x?xi1> -> tensor<2x?xi64>
  %4 = nd.searchsorted %p, %v side "right" : tensor<?xi1>, tensor<2x?xi1> -> tensor<2x?xi64>
  return
}
// CHECK-LABEL: @sorting
// CHECK-SAME: %[[X:\w+]]: tensor<4x0x?xf32>, %[[P:\w+]]: tensor<?xi1>, %[[V:\w+]]: tensor<2x?xi1>
// CHECK: nd.sort %[[X]] axis 1 order "ascending" : tensor<4x0x?xf32>
// CHECK: nd.sort %[[P]] axis 0 order "descending" : tensor<?xi1>
// CHECK: nd.argsort %[[X]] axis 2 order "descending" : tensor<4x0x?xf32> -> tensor<4x0x?xi64>
// CHECK: nd.searchsorted %[[P]], %[[V]] side "left" : tensor<?xi1>, tensor<2x?xi1> -> tensor<2x?xi64>
// CHECK: nd.searchsorted %[[P]], %[[V]] side "right" : tensor<?xi1>, tensor<2x?xi1> -> tensor<2x?xi64>

// -----

func.func @complex_order(%x: tensor<4xcomplex<f64>>) {
  %0 = nd.sort %x axis 0 order "ascending" : tensor<4xcomplex<f64>>
  %1 = nd.argsort %x axis 0 order "descending" : tensor<4xcomplex<f64>> -> tensor<4xi64>
  %2 = nd.searchsorted %0, %x side "left" : tensor<4xcomplex<f64>>, tensor<4xcomplex<f64>> -> tensor<4xi64>
  return
}
// CHECK-LABEL: @complex_order
// CHECK: nd.sort %{{.*}} axis 0 order "ascending" : tensor<4xcomplex<f64>>
// CHECK: nd.argsort %{{.*}} axis 0 order "descending" : tensor<4xcomplex<f64>> -> tensor<4xi64>
// CHECK: nd.searchsorted %{{.*}}, %{{.*}} side "left" : tensor<4xcomplex<f64>>, tensor<4xcomplex<f64>> -> tensor<4xi64>
