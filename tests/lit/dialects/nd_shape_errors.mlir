// RUN: %opt %s --split-input-file --verify-diagnostics

func.func @constant_of_other_types() {
  // expected-error {{nd.constant: expected an nd element type, found i4}}
  %0 = nd.constant dense<1> : tensor<2xi4>
  return
}

// -----

func.func @constant_of_unknown_size() {
  // expected-error {{nd.constant: expected a static shape, found 4x?}}
  %0 = nd.constant dense_resource<w> : tensor<4x?xf32>
  return
}

// -----

func.func @iota_of_i1() {
  // expected-error {{nd.iota: expected a numeric element type, found i1}}
  %0 = nd.iota axis 0 : tensor<4xi1>
  return
}

// -----

func.func @iota_axis() {
  // expected-error {{nd.iota: expected an axis from 0 to 1, found 2}}
  %0 = nd.iota axis 2 : tensor<4x4xi64>
  return
}

// -----

func.func @iota_of_rank_0() {
  // expected-error {{nd.iota: expected a rank of 1 or more, found axis 0 of rank 0}}
  %0 = nd.iota axis 0 : tensor<i64>
  return
}

// -----

func.func @too_few_sizes(%n: index) {
  // expected-error {{nd.iota: expected 2 sizes, one for each ?, found 1}}
  %0 = nd.iota [%n] axis 0 : tensor<?x?xi64>
  return
}

// -----

func.func @sizes_of_a_static_shape(%x: tensor<1xf32>, %n: index) {
  // expected-error {{nd.broadcast: expected 0 sizes, one for each ?, found 1}}
  %0 = nd.broadcast %x [%n] dims [0] : tensor<1xf32> -> tensor<4xf32>
  return
}

// -----

func.func @dim_axis(%x: tensor<4xf32>) {
  // expected-error {{nd.dim: expected an axis from 0 to 0, found -1}}
  %0 = nd.dim %x axis -1 : tensor<4xf32>
  return
}

// -----

func.func @dim_of_other_types(%x: tensor<4xi4>) {
  // expected-error {{nd.dim: expected an nd element type, found i4}}
  %0 = nd.dim %x axis 0 : tensor<4xi4>
  return
}

// -----

func.func @from_index_type(%i: index) {
  // expected-error {{nd.from_index: expected element type i64, found i32}}
  %0 = nd.from_index %i : tensor<i32>
  return
}

// -----

func.func @from_index_shape(%i: index) {
  // expected-error {{nd.from_index: expected shape (), found 1}}
  %0 = nd.from_index %i : tensor<1xi64>
  return
}

// -----

func.func @to_index_type(%x: tensor<ui64>) {
  // expected-error {{nd.to_index: expected element type i64, found ui64}}
  %0 = nd.to_index %x : tensor<ui64>
  return
}

// -----

func.func @to_index_shape(%x: tensor<1xi64>) {
  // expected-error {{nd.to_index: expected shape (), found 1}}
  %0 = nd.to_index %x : tensor<1xi64>
  return
}

// -----

func.func @broadcast_of_other_types(%x: tensor<i4>) {
  // expected-error {{nd.broadcast: expected an nd element type, found i4}}
  %0 = nd.broadcast %x dims [] : tensor<i4> -> tensor<2xi4>
  return
}

// -----

func.func @broadcast_type(%x: tensor<f32>) {
  // expected-error {{nd.broadcast: expected element type f32, found f64}}
  %0 = nd.broadcast %x dims [] : tensor<f32> -> tensor<2xf64>
  return
}

// -----

func.func @broadcast_dims(%x: tensor<2x3xf32>) {
  // expected-error {{nd.broadcast: expected 2 dims, one for each axis, found 1}}
  %0 = nd.broadcast %x dims [0] : tensor<2x3xf32> -> tensor<2x3xf32>
  return
}

// -----

func.func @broadcast_dims_twice(%x: tensor<2x2xf32>) {
  // expected-error {{nd.broadcast: expected distinct dims from 0 to 1, found [1, 1]}}
  %0 = nd.broadcast %x dims [1, 1] : tensor<2x2xf32> -> tensor<2x2xf32>
  return
}

// -----

func.func @broadcast_size(%x: tensor<3xf32>) {
  // expected-error {{nd.broadcast: expected size 1 or 6, found 3}}
  %0 = nd.broadcast %x dims [1] : tensor<3xf32> -> tensor<3x6xf32>
  return
}

// -----

func.func @reshape_of_other_types(%x: tensor<4xi2>) {
  // expected-error {{nd.reshape: expected an nd element type, found i2}}
  %0 = nd.reshape %x : tensor<4xi2> -> tensor<2x2xi2>
  return
}

// -----

func.func @reshape_type(%x: tensor<4xf32>) {
  // expected-error {{nd.reshape: expected element type f32, found i32}}
  %0 = nd.reshape %x : tensor<4xf32> -> tensor<4xi32>
  return
}

// -----

func.func @reshape_size(%x: tensor<2x6xf32>) {
  // expected-error {{nd.reshape: expected 12 elements, found 5x2 with 10}}
  %0 = nd.reshape %x : tensor<2x6xf32> -> tensor<5x2xf32>
  return
}

// -----

func.func @reshape_sizes(%x: tensor<?xf32>) {
  // expected-error {{nd.reshape: expected 1 sizes, one for each ?, found 0}}
  %0 = nd.reshape %x : tensor<?xf32> -> tensor<?xf32>
  return
}

// -----

func.func @permutation(%x: tensor<2x3xf32>) {
  // expected-error {{nd.transpose: expected a permutation of 2 axes, found [1, 1]}}
  %0 = nd.transpose %x permutation [1, 1] : tensor<2x3xf32> -> tensor<3x3xf32>
  return
}

// -----

func.func @transpose_shape(%x: tensor<2x3xf32>) {
  // expected-error {{nd.transpose: expected shape 3x2, found 2x3}}
  %0 = nd.transpose %x permutation [1, 0] : tensor<2x3xf32> -> tensor<2x3xf32>
  return
}

// -----

func.func @transpose_type(%x: tensor<2x3xf32>) {
  // expected-error {{nd.transpose: expected element type f32, found f16}}
  %0 = nd.transpose %x permutation [1, 0] : tensor<2x3xf32> -> tensor<3x2xf16>
  return
}

// -----

func.func @reverse_axes(%x: tensor<2x3xf32>) {
  // expected-error {{nd.reverse: expected distinct axes from 0 to 1, found [0, 2]}}
  %0 = nd.reverse %x axes [0, 2] : tensor<2x3xf32>
  return
}

// -----

func.func @reverse_of_rank_0(%x: tensor<f32>) {
  // expected-error {{nd.reverse: expected no axes for rank 0, found [0]}}
  %0 = nd.reverse %x axes [0] : tensor<f32>
  return
}

// -----

func.func @concat_of_nothing() {
  // expected-error {{nd.concat: expected at least one operand, found none}}
  %0 = "nd.concat"() <{axis = 0 : i64}> : () -> tensor<2xf32>
  return
}

// -----

func.func @concat_axis(%x: tensor<2xf32>) {
  // expected-error {{nd.concat: expected an axis from 0 to 0, found 1}}
  %0 = nd.concat %x axis 1 : tensor<2xf32> -> tensor<2xf32>
  return
}

// -----

func.func @concat_types(%x: tensor<2xf32>, %y: tensor<2xf64>) {
  // expected-error {{nd.concat: expected element type f32, found f64}}
  %0 = nd.concat %x, %y axis 0 : tensor<2xf32>, tensor<2xf64> -> tensor<4xf32>
  return
}

// -----

func.func @concat_ranks(%x: tensor<2xf32>, %y: tensor<f32>) {
  // expected-error {{nd.concat: expected rank 1, found ()}}
  %0 = nd.concat %x, %y axis 0 : tensor<2xf32>, tensor<f32> -> tensor<3xf32>
  return
}

// -----

func.func @concat_other_sizes(%x: tensor<2x3xf32>, %y: tensor<2x4xf32>) {
  // expected-error {{nd.concat: expected shape 2x3, found 2x4}}
  %0 = nd.concat %x, %y axis 0 : tensor<2x3xf32>, tensor<2x4xf32> -> tensor<4x3xf32>
  return
}

// -----

func.func @concat_size(%x: tensor<2xf32>, %y: tensor<3xf32>) {
  // expected-error {{nd.concat: expected size 5 on axis 0, found 6}}
  %0 = nd.concat %x, %y axis 0 : tensor<2xf32>, tensor<3xf32> -> tensor<6xf32>
  return
}

// -----

func.func @pad_edges(%x: tensor<2x3xf32>, %v: tensor<f32>) {
  // expected-error {{nd.pad: expected 2 edges of 0 or more, found [1] and [0, 0]}}
  %0 = nd.pad %x, %v low [1] high [0, 0] : tensor<2x3xf32>, tensor<f32> -> tensor<3x3xf32>
  return
}

// -----

// a negative edge would be a slice
func.func @negative_edge(%x: tensor<2xf32>, %v: tensor<f32>) {
  // expected-error {{nd.pad: expected 1 edges of 0 or more, found [-1] and [0]}}
  %0 = nd.pad %x, %v low [-1] high [0] : tensor<2xf32>, tensor<f32> -> tensor<1xf32>
  return
}

// -----

func.func @pad_value_type(%x: tensor<2xf32>, %v: tensor<f64>) {
  // expected-error {{nd.pad: expected element type f32, found f64}}
  %0 = nd.pad %x, %v low [1] high [0] : tensor<2xf32>, tensor<f64> -> tensor<3xf32>
  return
}

// -----

func.func @pad_value_shape(%x: tensor<2xf32>, %v: tensor<1xf32>) {
  // expected-error {{nd.pad: expected shape (), found 1}}
  %0 = nd.pad %x, %v low [1] high [0] : tensor<2xf32>, tensor<1xf32> -> tensor<3xf32>
  return
}

// -----

func.func @pad_shape(%x: tensor<2x?xf32>, %v: tensor<f32>) {
  // expected-error {{nd.pad: expected shape 4x?, found 5x?}}
  %0 = nd.pad %x, %v low [1, 1] high [1, 0] : tensor<2x?xf32>, tensor<f32> -> tensor<5x?xf32>
  return
}

// -----

func.func @slice_bounds(%x: tensor<2x3xf32>) {
  // expected-error {{nd.slice: expected 2 starts, limits and strides, found 1, 1, 1}}
  %0 = nd.slice %x starts [0] limits [2] strides [1] : tensor<2x3xf32> -> tensor<2x3xf32>
  return
}

// -----

func.func @slice_limit(%x: tensor<4xf32>) {
  // expected-error {{nd.slice: expected 0 <= start <= limit <= 4 and stride >= 1, found 0:5:1}}
  %0 = nd.slice %x starts [0] limits [5] strides [1] : tensor<4xf32> -> tensor<5xf32>
  return
}

// -----

func.func @slice_stride(%x: tensor<4xf32>) {
  // expected-error {{nd.slice: expected 0 <= start <= limit <= 4 and stride >= 1, found 0:4:0}}
  %0 = nd.slice %x starts [0] limits [4] strides [0] : tensor<4xf32> -> tensor<4xf32>
  return
}

// -----

func.func @slice_start(%x: tensor<?xf32>) {
  // expected-error {{nd.slice: expected 0 <= start <= limit <= ? and stride >= 1, found 3:2:1}}
  %0 = nd.slice %x starts [3] limits [2] strides [1] : tensor<?xf32> -> tensor<0xf32>
  return
}

// -----

func.func @slice_shape(%x: tensor<9xf32>) {
  // expected-error {{nd.slice: expected shape 5, found 4}}
  %0 = nd.slice %x starts [0] limits [-1] strides [2] : tensor<9xf32> -> tensor<4xf32>
  return
}

// -----

func.func @dynamic_slice_starts(%x: tensor<4x4xf32>, %i: index) {
  // expected-error {{nd.dynamic_slice: expected 2 starts and sizes, found 1 and 2}}
  %0 = nd.dynamic_slice %x [%i] sizes [2, 2] : tensor<4x4xf32> -> tensor<2x2xf32>
  return
}

// -----

func.func @dynamic_slice_sizes(%x: tensor<4xf32>, %i: index) {
  // expected-error {{nd.dynamic_slice: expected a size from 0 to 4, or -1 for a run-time one, found 5}}
  %0 = nd.dynamic_slice %x [%i] sizes [5] : tensor<4xf32> -> tensor<5xf32>
  return
}

// -----

func.func @dynamic_slice_negative_size(%x: tensor<?xf32>, %i: index) {
  // expected-error {{nd.dynamic_slice: expected a size from 0 to ?, or -1 for a run-time one, found -2}}
  %0 = nd.dynamic_slice %x [%i] sizes [-2] : tensor<?xf32> -> tensor<1xf32>
  return
}

// -----

func.func @dynamic_slice_extents(%x: tensor<?xf32>, %i: index) {
  // expected-error {{nd.dynamic_slice: expected 1 run-time sizes, one for each -1, found 0}}
  %0 = nd.dynamic_slice %x [%i] sizes [-1] : tensor<?xf32> -> tensor<?xf32>
  return
}

// -----

func.func @dynamic_slice_result(%x: tensor<?xf32>, %i: index, %n: index) {
  // expected-error {{nd.dynamic_slice: expected a ? for each size of -1 in [-1], found 1}}
  %0 = nd.dynamic_slice %x [%i, %n] sizes [-1] : tensor<?xf32> -> tensor<1xf32>
  return
}

// -----

func.func @dynamic_slice_shape(%x: tensor<4xf32>, %i: index) {
  // expected-error {{nd.dynamic_slice: expected shape 2, found 3}}
  %0 = nd.dynamic_slice %x [%i] sizes [2] : tensor<4xf32> -> tensor<3xf32>
  return
}

// -----

func.func @update_type(%x: tensor<4xf32>, %u: tensor<2xf16>, %i: index) {
  // expected-error {{nd.dynamic_update_slice: expected element type f32, found f16}}
  %0 = nd.dynamic_update_slice %x, %u [%i] : tensor<2xf16> -> tensor<4xf32>
  return
}

// -----

func.func @update_starts(%x: tensor<4x4xf32>, %u: tensor<2x2xf32>, %i: index) {
  // expected-error {{nd.dynamic_update_slice: expected 2 starts and an update of that rank, found 1 and 2x2}}
  %0 = nd.dynamic_update_slice %x, %u [%i] : tensor<2x2xf32> -> tensor<4x4xf32>
  return
}

// -----

func.func @update_size(%x: tensor<4x?xf32>, %u: tensor<5x9xf32>, %i: index) {
  // expected-error {{nd.dynamic_update_slice: expected an update inside 4x?, found 5x9}}
  %0 = nd.dynamic_update_slice %x, %u [%i, %i] : tensor<5x9xf32> -> tensor<4x?xf32>
  return
}
