// RUN: %opt %s --split-input-file | %opt --split-input-file | %check
// RUN: %opt %s --split-input-file --print-op-generic | %opt --split-input-file | %check

func.func @reduce(%x: tensor<4x0x?xf32>, %p: tensor<4x8xi1>, %s: tensor<ui8>) {
  %0 = nd.reduce "sum" %x axes [1] : tensor<4x0x?xf32> -> tensor<4x?xf32>
  %1 = nd.reduce "prod" %x axes [2, 0] : tensor<4x0x?xf32> -> tensor<0xf32>
  %2 = nd.reduce "max" %x axes [0] : tensor<4x0x?xf32> -> tensor<0x?xf32>
  %3 = nd.reduce "min" %s axes [] : tensor<ui8> -> tensor<ui8>
  %4 = nd.reduce "and" %p axes [0, 1] : tensor<4x8xi1> -> tensor<i1>
  %5 = nd.reduce "or" %p axes [1] : tensor<4x8xi1> -> tensor<4xi1>
  return
}
// CHECK-LABEL: @reduce
// CHECK-SAME: %[[X:\w+]]: tensor<4x0x?xf32>, %[[P:\w+]]: tensor<4x8xi1>, %[[S:\w+]]: tensor<ui8>
// CHECK: nd.reduce "sum" %[[X]] axes [1] : tensor<4x0x?xf32> -> tensor<4x?xf32>
// CHECK: nd.reduce "prod" %[[X]] axes [2, 0] : tensor<4x0x?xf32> -> tensor<0xf32>
// CHECK: nd.reduce "max" %[[X]] axes [0] : tensor<4x0x?xf32> -> tensor<0x?xf32>
// CHECK: nd.reduce "min" %[[S]] axes [] : tensor<ui8> -> tensor<ui8>
// CHECK: nd.reduce "and" %[[P]] axes [0, 1] : tensor<4x8xi1> -> tensor<i1>
// CHECK: nd.reduce "or" %[[P]] axes [1] : tensor<4x8xi1> -> tensor<4xi1>

// -----

func.func @arg(%x: tensor<4x?xf16>) {
  %0 = nd.argmax %x axis 1 : tensor<4x?xf16> -> tensor<4xi64>
  %1 = nd.argmin %x axis 0 : tensor<4x?xf16> -> tensor<?xi64>
  return
}
// CHECK-LABEL: @arg
// CHECK-SAME: %[[X:\w+]]: tensor<4x?xf16>
// CHECK: nd.argmax %[[X]] axis 1 : tensor<4x?xf16> -> tensor<4xi64>
// CHECK: nd.argmin %[[X]] axis 0 : tensor<4x?xf16> -> tensor<?xi64>
