// RUN: %opt %s --split-input-file --verify-diagnostics

func.func @kind(%x: tensor<4xf32>) {
  // expected-error {{nd.reduce: expected a kind of sum, prod, max, min, and, or, found mean}}
  %0 = nd.reduce "mean" %x axes [0] : tensor<4xf32> -> tensor<f32>
  return
}

// -----

// a count is a sum of i64: cast first
func.func @sum_of_i1(%x: tensor<4xi1>) {
  // expected-error {{nd.reduce: expected an element type that sum takes, found i1}}
  %0 = nd.reduce "sum" %x axes [0] : tensor<4xi1> -> tensor<i1>
  return
}

// -----

func.func @and_of_integers(%x: tensor<4xi32>) {
  // expected-error {{nd.reduce: expected an element type that and takes, found i32}}
  %0 = nd.reduce "and" %x axes [0] : tensor<4xi32> -> tensor<i32>
  return
}

// -----

func.func @reduce_type(%x: tensor<4xi32>) {
  // expected-error {{nd.reduce: expected element type i32, found i64}}
  %0 = nd.reduce "sum" %x axes [0] : tensor<4xi32> -> tensor<i64>
  return
}

// -----

func.func @reduce_axes(%x: tensor<4x4xf32>) {
  // expected-error {{nd.reduce: expected distinct axes from 0 to 1, found [1, 1]}}
  %0 = nd.reduce "sum" %x axes [1, 1] : tensor<4x4xf32> -> tensor<4xf32>
  return
}

// -----

func.func @max_of_nothing(%x: tensor<4x0xf32>) {
  // expected-error {{nd.reduce: expected a size of 1 or more on axis 1 to take the max of, found 0}}
  %0 = nd.reduce "max" %x axes [1] : tensor<4x0xf32> -> tensor<4xf32>
  return
}

// -----

func.func @min_of_nothing(%x: tensor<0x4xf32>) {
  // expected-error {{nd.reduce: expected a size of 1 or more on axis 0 to take the min of, found 0}}
  %0 = nd.reduce "min" %x axes [0, 1] : tensor<0x4xf32> -> tensor<f32>
  return
}

// -----

// the axis is removed; keeping it is a reshape
func.func @reduce_shape(%x: tensor<2x3xf32>) {
  // expected-error {{nd.reduce: expected shape 2, found 2x1}}
  %0 = nd.reduce "sum" %x axes [1] : tensor<2x3xf32> -> tensor<2x1xf32>
  return
}

// -----

func.func @arg_of_i1(%x: tensor<4xi1>) {
  // expected-error {{nd.argmax: expected a numeric element type, found i1}}
  %0 = nd.argmax %x axis 0 : tensor<4xi1> -> tensor<i64>
  return
}

// -----

func.func @arg_type(%x: tensor<4xf32>) {
  // expected-error {{nd.argmin: expected element type i64, found i32}}
  %0 = nd.argmin %x axis 0 : tensor<4xf32> -> tensor<i32>
  return
}

// -----

func.func @arg_axis(%x: tensor<f32>) {
  // expected-error {{nd.argmax: expected a rank of 1 or more, found axis 0 of rank 0}}
  %0 = nd.argmax %x axis 0 : tensor<f32> -> tensor<i64>
  return
}

// -----

func.func @arg_of_nothing(%x: tensor<4x0xf32>) {
  // expected-error {{nd.argmax: expected a size of 1 or more on axis 1 to search, found 0}}
  %0 = nd.argmax %x axis 1 : tensor<4x0xf32> -> tensor<4xi64>
  return
}

// -----

func.func @arg_shape(%x: tensor<2x3xf32>) {
  // expected-error {{nd.argmin: expected shape 3, found 2}}
  %0 = nd.argmin %x axis 0 : tensor<2x3xf32> -> tensor<2xi64>
  return
}
