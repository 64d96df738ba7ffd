// RUN: %opt %s --split-input-file --verify-diagnostics

func.func @kind(%x: tensor<4xf32>) {
  // expected-error {{nd.reduce_window: expected a kind of sum, max, min, found prod}}
  %0 = nd.reduce_window "prod" %x window [2] strides [2] padding [0, 0] dilation [1] : tensor<4xf32> -> tensor<2xf32>
  return
}

// -----

func.func @bool(%x: tensor<4xi1>) {
  // expected-error {{nd.reduce_window: expected a numeric element type, found i1}}
  %0 = nd.reduce_window "max" %x window [2] strides [2] padding [0, 0] dilation [1] : tensor<4xi1> -> tensor<2xi1>
  return
}

// -----

func.func @element(%x: tensor<4xf32>) {
  // expected-error {{nd.reduce_window: expected element type f32, found f64}}
  %0 = nd.reduce_window "max" %x window [2] strides [2] padding [0, 0] dilation [1] : tensor<4xf32> -> tensor<2xf64>
  return
}

// -----

func.func @counts(%x: tensor<4xf32>) {
  // expected-error {{nd.reduce_window: expected 1 windows, strides and dilations and 2 paddings, found 1, 2, 1 and 2}}
  %0 = nd.reduce_window "max" %x window [2] strides [2, 1] padding [0, 0] dilation [1] : tensor<4xf32> -> tensor<2xf32>
  return
}

// -----

func.func @strides(%x: tensor<4xf32>) {
  // expected-error {{nd.reduce_window: expected windows, strides and dilations of 1 or more}}
  %0 = nd.reduce_window "max" %x window [2] strides [0] padding [0, 0] dilation [1] : tensor<4xf32> -> tensor<2xf32>
  return
}

// -----

func.func @paddings(%x: tensor<4xf32>) {
  // expected-error {{nd.reduce_window: expected paddings of 0 or more}}
  %0 = nd.reduce_window "max" %x window [2] strides [2] padding [0, -1] dilation [1] : tensor<4xf32> -> tensor<2xf32>
  return
}

// -----

func.func @window(%x: tensor<4x4xf32>) {
  // expected-error {{nd.reduce_window: expected a window from 1 to 5 on axis 1, found 7}}
  %0 = nd.reduce_window "max" %x window [1, 3] strides [1, 1] padding [0, 0, 1, 0] dilation [1, 3] : tensor<4x4xf32> -> tensor<4x1xf32>
  return
}

// -----

func.func @shape(%x: tensor<4xf32>) {
  // expected-error {{nd.reduce_window: expected shape 2, found 3}}
  %0 = nd.reduce_window "max" %x window [2] strides [2] padding [0, 0] dilation [1] : tensor<4xf32> -> tensor<3xf32>
  return
}
