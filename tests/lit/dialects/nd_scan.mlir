// RUN: %opt %s --split-input-file | %opt --split-input-file | %check
// RUN: %opt %s --split-input-file --print-op-generic | %opt --split-input-file | %check

func.func @scan(%x: tensor<4x0x?xf32>, %u: tensor<8xui8>) {
  %0 = nd.scan "sum" %x axis 1 direction "forward" : tensor<4x0x?xf32>
  %1 = nd.scan "prod" %x axis 2 direction "reverse" : tensor<4x0x?xf32>
  %2 = nd.scan "max" %u axis 0 direction "forward" : tensor<8xui8>
  %3 = nd.scan "min" %u axis 0 direction "reverse" : tensor<8xui8>
  return
}
// CHECK-LABEL: @scan
// CHECK-SAME: %[[X:\w+]]: tensor<4x0x?xf32>, %[[U:\w+]]: tensor<8xui8>
// CHECK: nd.scan "sum" %[[X]] axis 1 direction "forward" : tensor<4x0x?xf32>
// CHECK: nd.scan "prod" %[[X]] axis 2 direction "reverse" : tensor<4x0x?xf32>
// CHECK: nd.scan "max" %[[U]] axis 0 direction "forward" : tensor<8xui8>
// CHECK: nd.scan "min" %[[U]] axis 0 direction "reverse" : tensor<8xui8>

// -----

func.func @complex_scan(%x: tensor<4xcomplex<f32>>) {
  %0 = nd.scan "sum" %x axis 0 direction "forward" : tensor<4xcomplex<f32>>
  return
}
// CHECK-LABEL: @complex_scan
// CHECK: nd.scan "sum" %{{.*}} axis 0 direction "forward" : tensor<4xcomplex<f32>>
