// RUN: %opt %s --split-input-file | %opt --split-input-file | %check
// RUN: %opt %s --split-input-file --print-op-generic | %opt --split-input-file | %check

func.func @constant() {
  %0 = nd.constant dense<[[1.0, -0.0], [0x7FC00000, 0xFF800000]]> : tensor<2x2xf32>
  %1 = nd.constant dense<7> : tensor<3xui8>
  %2 = nd.constant dense<[true, false]> : tensor<2xi1>
  %3 = nd.constant dense<-1> : tensor<i64>
  %4 = nd.constant dense<> : tensor<0xf16>
  %5 = nd.constant dense_resource<weights> : tensor<1024xbf16>
  return
}
// CHECK-LABEL: @constant
// CHECK: nd.constant dense<{{\[\[}}1.000000e+00, -0.000000e+00], [0x7FC00000, 0xFF800000]]> : tensor<2x2xf32>
// CHECK: nd.constant dense<7> : tensor<3xui8>
// CHECK: nd.constant dense<[true, false]> : tensor<2xi1>
// CHECK: nd.constant dense<-1> : tensor<i64>
// CHECK: nd.constant dense<> : tensor<0xf16>
// CHECK: nd.constant dense_resource<weights> : tensor<1024xbf16>

// -----

// one size operand for each ? of the result
func.func @iota(%n: index, %m: index) {
  %0 = nd.iota axis 0 : tensor<4xi64>
  %1 = nd.iota axis 1 : tensor<2x0xf32>
  %2 = nd.iota [%n] axis 1 : tensor<?x3xui8>
  %3 = nd.iota [%n, %m] axis 0 : tensor<?x2x?xbf16>
  return
}
// CHECK-LABEL: @iota
// CHECK-SAME: %[[N:\w+]]: index, %[[M:\w+]]: index
// CHECK: nd.iota axis 0 : tensor<4xi64>
// CHECK: nd.iota axis 1 : tensor<2x0xf32>
// CHECK: nd.iota[%[[N]]] axis 1 : tensor<?x3xui8>
// CHECK: nd.iota[%[[N]], %[[M]]] axis 0 : tensor<?x2x?xbf16>

// -----

func.func @indices(%x: tensor<?x8xf32>, %i: tensor<i64>) {
  %0 = nd.dim %x axis 0 : tensor<?x8xf32>
  %1 = nd.from_index %0 : tensor<i64>
  %2 = nd.to_index %i : tensor<i64>
  return
}
// CHECK-LABEL: @indices
// CHECK-SAME: %[[X:\w+]]: tensor<?x8xf32>, %[[I:\w+]]: tensor<i64>
// CHECK: %[[D:\w+]] = nd.dim %[[X]] axis 0 : tensor<?x8xf32>
// CHECK: nd.from_index %[[D]] : tensor<i64>
// CHECK: nd.to_index %[[I]] : tensor<i64>

// -----

// dims may be in any order; sizes of 1 are stretched
func.func @broadcast(%s: tensor<f32>, %x: tensor<1x3xi1>, %y: tensor<?xf64>, %n: index) {
  %0 = nd.broadcast %s dims [] : tensor<f32> -> tensor<2x0xf32>
  %1 = nd.broadcast %x dims [2, 0] : tensor<1x3xi1> -> tensor<3x4x5xi1>
  %2 = nd.broadcast %y [%n] dims [1] : tensor<?xf64> -> tensor<2x?xf64>
  return
}
// CHECK-LABEL: @broadcast
// CHECK-SAME: %[[S:\w+]]: tensor<f32>, %[[X:\w+]]: tensor<1x3xi1>, %[[Y:\w+]]: tensor<?xf64>, %[[N:\w+]]: index
// CHECK: nd.broadcast %[[S]] dims [] : tensor<f32> -> tensor<2x0xf32>
// CHECK: nd.broadcast %[[X]] dims [2, 0] : tensor<1x3xi1> -> tensor<3x4x5xi1>
// CHECK: nd.broadcast %[[Y]][%[[N]]] dims [1] : tensor<?xf64> -> tensor<2x?xf64>

// -----

func.func @reshape(%x: tensor<2x6xi16>, %y: tensor<?x3xf32>, %z: tensor<0x4xf32>, %n: index) {
  %0 = nd.reshape %x : tensor<2x6xi16> -> tensor<3x1x4xi16>
  %1 = nd.reshape %y [%n] : tensor<?x3xf32> -> tensor<?xf32>
  %2 = nd.reshape %z : tensor<0x4xf32> -> tensor<0xf32>
  return
}
// CHECK-LABEL: @reshape
// CHECK-SAME: %[[X:\w+]]: tensor<2x6xi16>, %[[Y:\w+]]: tensor<?x3xf32>, %[[Z:\w+]]: tensor<0x4xf32>, %[[N:\w+]]: index
// CHECK: nd.reshape %[[X]] : tensor<2x6xi16> -> tensor<3x1x4xi16>
// CHECK: nd.reshape %[[Y]][%[[N]]] : tensor<?x3xf32> -> tensor<?xf32>
// CHECK: nd.reshape %[[Z]] : tensor<0x4xf32> -> tensor<0xf32>

// -----

func.func @axes(%x: tensor<2x3x?xui32>, %s: tensor<f16>) {
  %0 = nd.transpose %x permutation [2, 0, 1] : tensor<2x3x?xui32> -> tensor<?x2x3xui32>
  %1 = nd.transpose %s permutation [] : tensor<f16> -> tensor<f16>
  %2 = nd.reverse %x axes [0, 2] : tensor<2x3x?xui32>
  return
}
// CHECK-LABEL: @axes
// CHECK-SAME: %[[X:\w+]]: tensor<2x3x?xui32>, %[[S:\w+]]: tensor<f16>
// CHECK: nd.transpose %[[X]] permutation [2, 0, 1] : tensor<2x3x?xui32> -> tensor<?x2x3xui32>
// CHECK: nd.transpose %[[S]] permutation [] : tensor<f16> -> tensor<f16>
// CHECK: nd.reverse %[[X]] axes [0, 2] : tensor<2x3x?xui32>

// -----

func.func @concat(%x: tensor<2x3xf32>, %y: tensor<2x0xf32>, %z: tensor<2x?xf32>) {
  %0 = nd.concat %x axis 0 : tensor<2x3xf32> -> tensor<2x3xf32>
  %1 = nd.concat %x, %y, %x axis 1 : tensor<2x3xf32>, tensor<2x0xf32>, tensor<2x3xf32> -> tensor<2x6xf32>
  %2 = nd.concat %x, %z axis 1 : tensor<2x3xf32>, tensor<2x?xf32> -> tensor<2x?xf32>
  return
}
// CHECK-LABEL: @concat
// CHECK-SAME: %[[X:\w+]]: tensor<2x3xf32>, %[[Y:\w+]]: tensor<2x0xf32>, %[[Z:\w+]]: tensor<2x?xf32>
// CHECK: nd.concat %[[X]] axis 0 : tensor<2x3xf32> -> tensor<2x3xf32>
// CHECK: nd.concat %[[X]], %[[Y]], %[[X]] axis 1 : tensor<2x3xf32>, tensor<2x0xf32>, tensor<2x3xf32> -> tensor<2x6xf32>
// CHECK: nd.concat %[[X]], %[[Z]] axis 1 : tensor<2x3xf32>, tensor<2x?xf32> -> tensor<2x?xf32>

// -----

func.func @pad(%x: tensor<?x3xi8>, %v: tensor<i8>) {
  %0 = nd.pad %x, %v low [1, 0] high [0, 2] : tensor<?x3xi8>, tensor<i8> -> tensor<?x5xi8>
  %1 = nd.pad %v, %v low [] high [] : tensor<i8>, tensor<i8> -> tensor<i8>
  return
}
// CHECK-LABEL: @pad
// CHECK-SAME: %[[X:\w+]]: tensor<?x3xi8>, %[[V:\w+]]: tensor<i8>
// CHECK: nd.pad %[[X]], %[[V]] low [1, 0] high [0, 2] : tensor<?x3xi8>, tensor<i8> -> tensor<?x5xi8>
// CHECK: nd.pad %[[V]], %[[V]] low [] high [] : tensor<i8>, tensor<i8> -> tensor<i8>

// -----

// a limit of -1 is the end, also of a ? axis
func.func @slice(%x: tensor<4x8xf32>, %y: tensor<?x8xf32>) {
  %0 = nd.slice %x starts [0, 1] limits [4, 8] strides [2, 3] : tensor<4x8xf32> -> tensor<2x3xf32>
  %1 = nd.slice %x starts [4, 0] limits [-1, 0] strides [1, 1] : tensor<4x8xf32> -> tensor<0x0xf32>
  %2 = nd.slice %y starts [1, 0] limits [-1, -1] strides [2, 1] : tensor<?x8xf32> -> tensor<?x8xf32>
  %3 = nd.slice %y starts [1, 0] limits [5, 8] strides [1, 1] : tensor<?x8xf32> -> tensor<4x8xf32>
  return
}
// CHECK-LABEL: @slice
// CHECK-SAME: %[[X:\w+]]: tensor<4x8xf32>, %[[Y:\w+]]: tensor<?x8xf32>
// CHECK: nd.slice %[[X]] starts [0, 1] limits [4, 8] strides [2, 3] : tensor<4x8xf32> -> tensor<2x3xf32>
// CHECK: nd.slice %[[X]] starts [4, 0] limits [-1, 0] strides [1, 1] : tensor<4x8xf32> -> tensor<0x0xf32>
// CHECK: nd.slice %[[Y]] starts [1, 0] limits [-1, -1] strides [2, 1] : tensor<?x8xf32> -> tensor<?x8xf32>
// CHECK: nd.slice %[[Y]] starts [1, 0] limits [5, 8] strides [1, 1] : tensor<?x8xf32> -> tensor<4x8xf32>

// -----

func.func @windows(%x: tensor<4x?xi1>, %u: tensor<2x1xi1>, %s: tensor<f32>, %i: index, %j: index) {
  %0 = nd.dynamic_slice %x [%i, %j] sizes [2, 3] : tensor<4x?xi1> -> tensor<2x3xi1>
  %1 = nd.dynamic_slice %s [] sizes [] : tensor<f32> -> tensor<f32>
  %2 = nd.dynamic_update_slice %x, %u [%i, %j] : tensor<2x1xi1> -> tensor<4x?xi1>
  return
}
// CHECK-LABEL: @windows
// CHECK-SAME: %[[X:\w+]]: tensor<4x?xi1>, %[[U:\w+]]: tensor<2x1xi1>, %[[S:\w+]]: tensor<f32>, %[[I:\w+]]: index, %[[J:\w+]]: index
// CHECK: nd.dynamic_slice %[[X]][%[[I]], %[[J]]] sizes [2, 3] : tensor<4x?xi1> -> tensor<2x3xi1>
// CHECK: nd.dynamic_slice %[[S]][] sizes [] : tensor<f32> -> tensor<f32>
// CHECK: nd.dynamic_update_slice %[[X]], %[[U]][%[[I]], %[[J]]] : tensor<2x1xi1> -> tensor<4x?xi1>

// -----

// a size of -1 is an operand behind the starts
func.func @run_time_windows(%x: tensor<4x?xf32>, %i: index, %n: index) {
  %0 = nd.dynamic_slice %x [%i, %i, %n] sizes [2, -1] : tensor<4x?xf32> -> tensor<2x?xf32>
  %1 = nd.dynamic_slice %x [%i, %i, %n, %i] sizes [-1, -1] : tensor<4x?xf32> -> tensor<?x?xf32>
  %2 = nd.dynamic_update_slice %x, %0 [%i, %i] : tensor<2x?xf32> -> tensor<4x?xf32>
  return
}
// CHECK-LABEL: @run_time_windows
// CHECK-SAME: %[[X:\w+]]: tensor<4x?xf32>, %[[I:\w+]]: index, %[[N:\w+]]: index
// CHECK: %[[W:\w+]] = nd.dynamic_slice %[[X]][%[[I]], %[[I]], %[[N]]] sizes [2, -1] : tensor<4x?xf32> -> tensor<2x?xf32>
// CHECK: nd.dynamic_slice %[[X]][%[[I]], %[[I]], %[[N]], %[[I]]] sizes [-1, -1] : tensor<4x?xf32> -> tensor<?x?xf32>
// CHECK: nd.dynamic_update_slice %[[X]], %[[W]][%[[I]], %[[I]]] : tensor<2x?xf32> -> tensor<4x?xf32>
