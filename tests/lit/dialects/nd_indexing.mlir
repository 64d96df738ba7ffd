// RUN: %opt %s --split-input-file | %opt --split-input-file | %check
// RUN: %opt %s --split-input-file --print-op-generic | %opt --split-input-file | %check

func.func @gather(%x: tensor<4x?x3xf32>, %i: tensor<5x1xi8>, %j: tensor<5x1xui64>, %k: tensor<i64>, %e: tensor<0x3xi1>, %n: tensor<0xi32>) {
  %0 = nd.gather %x[%i, %j] axes [2, 0] dims [1] index_dims [0, 2] : tensor<4x?x3xf32>, tensor<5x1xi8>, tensor<5x1xui64> -> tensor<5x?x1xf32>
  %1 = nd.gather %x[%k] axes [1] dims [0, 1] index_dims [] : tensor<4x?x3xf32>, tensor<i64> -> tensor<4x3xf32>
  %2 = nd.gather %x[%i] axes [0] dims [0, 1] index_dims [0, 2] : tensor<4x?x3xf32>, tensor<5x1xi8> -> tensor<5x3x1xf32>
  %3 = nd.gather %e[%n] axes [0] dims [1] index_dims [0] : tensor<0x3xi1>, tensor<0xi32> -> tensor<0x3xi1>
  return
}
// CHECK-LABEL: @gather
// CHECK-SAME: %[[X:\w+]]: tensor<4x?x3xf32>, %[[I:\w+]]: tensor<5x1xi8>, %[[J:\w+]]: tensor<5x1xui64>, %[[K:\w+]]: tensor<i64>, %[[E:\w+]]: tensor<0x3xi1>, %[[N:\w+]]: tensor<0xi32>
// CHECK: nd.gather %[[X]][%[[I]], %[[J]]] axes [2, 0] dims [1] index_dims [0, 2] : tensor<4x?x3xf32>, tensor<5x1xi8>, tensor<5x1xui64> -> tensor<5x?x1xf32>
// CHECK: nd.gather %[[X]][%[[K]]] axes [1] dims [0, 1] index_dims [] : tensor<4x?x3xf32>, tensor<i64> -> tensor<4x3xf32>
// CHECK: nd.gather %[[X]][%[[I]]] axes [0] dims [0, 1] index_dims [0, 2] : tensor<4x?x3xf32>, tensor<5x1xi8> -> tensor<5x3x1xf32>
// CHECK: nd.gather %[[E]][%[[N]]] axes [0] dims [1] index_dims [0] : tensor<0x3xi1>, tensor<0xi32> -> tensor<0x3xi1>

// -----

func.func @scatter(%x: tensor<4x?x3xf32>, %u: tensor<5x?x1xf32>, %i: tensor<5x1xi8>, %j: tensor<5x1xui64>, %s: tensor<4xi1>, %v: tensor<i1>, %k: tensor<i64>) {
  %0 = nd.scatter "add" %x, %u[%i, %j] axes [2, 0] dims [1] index_dims [0, 2] : tensor<4x?x3xf32>, tensor<5x?x1xf32>, tensor<5x1xi8>, tensor<5x1xui64> -> tensor<4x?x3xf32>
  %1 = nd.scatter "set" %s, %v[%k] axes [0] dims [] index_dims [] : tensor<4xi1>, tensor<i1>, tensor<i64> -> tensor<4xi1>
  return
}
// CHECK-LABEL: @scatter
// CHECK-SAME: %[[X:\w+]]: tensor<4x?x3xf32>, %[[U:\w+]]: tensor<5x?x1xf32>, %[[I:\w+]]: tensor<5x1xi8>, %[[J:\w+]]: tensor<5x1xui64>, %[[S:\w+]]: tensor<4xi1>, %[[V:\w+]]: tensor<i1>, %[[K:\w+]]: tensor<i64>
// CHECK: nd.scatter "add" %[[X]], %[[U]][%[[I]], %[[J]]] axes [2, 0] dims [1] index_dims [0, 2] : tensor<4x?x3xf32>, tensor<5x?x1xf32>, tensor<5x1xi8>, tensor<5x1xui64> -> tensor<4x?x3xf32>
// CHECK: nd.scatter "set" %[[S]], %[[V]][%[[K]]] axes [0] dims [] index_dims [] : tensor<4xi1>, tensor<i1>, tensor<i64> -> tensor<4xi1>
