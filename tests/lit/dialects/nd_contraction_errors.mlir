// RUN: %opt %s --split-input-file --verify-diagnostics

func.func @dot_of_i1(%x: tensor<4xi1>, %y: tensor<4xi1>) {
  // expected-error {{nd.dot_general: expected a numeric element type, found i1}}
  %0 = nd.dot_general %x, %y batch [] [] contract [0] [0] : tensor<4xi1>, tensor<4xi1> -> tensor<i1>
  return
}

// -----

func.func @dot_types(%x: tensor<4xf32>, %y: tensor<4xf16>) {
  // expected-error {{nd.dot_general: expected element type f32, found f16}}
  %0 = nd.dot_general %x, %y batch [] [] contract [0] [0] : tensor<4xf32>, tensor<4xf16> -> tensor<f32>
  return
}

// -----

// integers wrap in their own type: a wider sum is a cast before
func.func @dot_result_type(%x: tensor<4xi8>, %y: tensor<4xi8>) {
  // expected-error {{nd.dot_general: expected element type i8, found i32}}
  %0 = nd.dot_general %x, %y batch [] [] contract [0] [0] : tensor<4xi8>, tensor<4xi8> -> tensor<i32>
  return
}

// -----

func.func @lhs_dims(%x: tensor<4xf32>, %y: tensor<4xf32>) {
  // expected-error {{nd.dot_general: expected distinct lhs dims from 0 to 0, found [1]}}
  %0 = nd.dot_general %x, %y batch [] [] contract [1] [0] : tensor<4xf32>, tensor<4xf32> -> tensor<f32>
  return
}

// -----

func.func @rhs_dims(%x: tensor<4x4xf32>, %y: tensor<4x4xf32>) {
  // expected-error {{nd.dot_general: expected distinct rhs dims from 0 to 1, found [1, 1]}}
  %0 = nd.dot_general %x, %y batch [0] [1] contract [1] [1] : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  return
}

// -----

func.func @unpaired_dims(%x: tensor<4x4xf32>, %y: tensor<4x4xf32>) {
  // expected-error {{nd.dot_general: expected as many lhs as rhs dims, found 1 and 0 batch dims, 1 and 1 contracting dims}}
  %0 = nd.dot_general %x, %y batch [0] [] contract [1] [0] : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  return
}

// -----

func.func @contracted_sizes(%x: tensor<2x3xf32>, %y: tensor<4x5xf32>) {
  // expected-error {{nd.dot_general: expected equal sizes of lhs dim 1 and rhs dim 0, found 2x3 and 4x5}}
  %0 = nd.dot_general %x, %y batch [] [] contract [1] [0] : tensor<2x3xf32>, tensor<4x5xf32> -> tensor<2x5xf32>
  return
}

// -----

func.func @dot_shape(%x: tensor<2x3xf32>, %y: tensor<3x5xf32>) {
  // expected-error {{nd.dot_general: expected shape 2x5, found 5x2}}
  %0 = nd.dot_general %x, %y batch [] [] contract [1] [0] : tensor<2x3xf32>, tensor<3x5xf32> -> tensor<5x2xf32>
  return
}

// -----

func.func @conv_types(%x: tensor<1x1x4xf32>, %w: tensor<1x1x2xf64>) {
  // expected-error {{nd.conv: expected element type f32, found f64}}
  %0 = nd.conv %x, %w strides [1] padding [0, 0] dilation [1] groups 1 : tensor<1x1x4xf32>, tensor<1x1x2xf64> -> tensor<1x1x3xf32>
  return
}

// -----

func.func @conv_of_i1(%x: tensor<1x1x4xi1>, %w: tensor<1x1x2xi1>) {
  // expected-error {{nd.conv: expected a numeric element type, found i1}}
  %0 = nd.conv %x, %w strides [1] padding [0, 0] dilation [1] groups 1 : tensor<1x1x4xi1>, tensor<1x1x2xi1> -> tensor<1x1x3xi1>
  return
}

// -----

func.func @conv_ranks(%x: tensor<1x1x4xf32>, %w: tensor<1x1x2x2xf32>) {
  // expected-error {{nd.conv: expected equal ranks of 3 or more, found 3 and 4}}
  %0 = nd.conv %x, %w strides [1] padding [0, 0] dilation [1] groups 1 : tensor<1x1x4xf32>, tensor<1x1x2x2xf32> -> tensor<1x1x3xf32>
  return
}

// -----

func.func @conv_without_space(%x: tensor<1x2xf32>, %w: tensor<3x2xf32>) {
  // expected-error {{nd.conv: expected equal ranks of 3 or more, found 2 and 2}}
  %0 = nd.conv %x, %w strides [] padding [] dilation [] groups 1 : tensor<1x2xf32>, tensor<3x2xf32> -> tensor<1x3xf32>
  return
}

// -----

func.func @conv_paddings(%x: tensor<1x1x4x4xf32>, %w: tensor<1x1x2x2xf32>) {
  // expected-error {{nd.conv: expected 2 strides, 2 dilations, 4 paddings, found 2, 2, 2}}
  %0 = nd.conv %x, %w strides [1, 1] padding [0, 0] dilation [1, 1] groups 1 : tensor<1x1x4x4xf32>, tensor<1x1x2x2xf32> -> tensor<1x1x3x3xf32>
  return
}

// -----

func.func @conv_stride_0(%x: tensor<1x1x4xf32>, %w: tensor<1x1x2xf32>) {
  // expected-error {{nd.conv: expected strides and dilation of 1 or more, padding of 0 or more}}
  %0 = nd.conv %x, %w strides [0] padding [0, 0] dilation [1] groups 1 : tensor<1x1x4xf32>, tensor<1x1x2xf32> -> tensor<1x1x3xf32>
  return
}

// -----

func.func @conv_negative_padding(%x: tensor<1x1x4xf32>, %w: tensor<1x1x2xf32>) {
  // expected-error {{nd.conv: expected strides and dilation of 1 or more, padding of 0 or more}}
  %0 = nd.conv %x, %w strides [1] padding [-1, 0] dilation [1] groups 1 : tensor<1x1x4xf32>, tensor<1x1x2xf32> -> tensor<1x1x2xf32>
  return
}

// -----

func.func @conv_output_channels(%x: tensor<1x4x4xf32>, %w: tensor<3x2x2xf32>) {
  // expected-error {{nd.conv: expected output channels in 2 groups of equal size, found 3}}
  %0 = nd.conv %x, %w strides [1] padding [0, 0] dilation [1] groups 2 : tensor<1x4x4xf32>, tensor<3x2x2xf32> -> tensor<1x3x3xf32>
  return
}

// -----

func.func @conv_no_groups(%x: tensor<1x4x4xf32>, %w: tensor<?x2x2xf32>) {
  // expected-error {{nd.conv: expected output channels in 0 groups of equal size, found ?}}
  %0 = nd.conv %x, %w strides [1] padding [0, 0] dilation [1] groups 0 : tensor<1x4x4xf32>, tensor<?x2x2xf32> -> tensor<1x3x3xf32>
  return
}

// -----

func.func @conv_input_channels(%x: tensor<1x5x4xf32>, %w: tensor<2x2x2xf32>) {
  // expected-error {{nd.conv: expected 2 x 2 input channels, found 5}}
  %0 = nd.conv %x, %w strides [1] padding [0, 0] dilation [1] groups 2 : tensor<1x5x4xf32>, tensor<2x2x2xf32> -> tensor<1x2x3xf32>
  return
}

// -----

func.func @conv_window(%x: tensor<1x1x4xf32>, %w: tensor<1x1x3xf32>) {
  // expected-error {{nd.conv: expected a window from 1 to 4 on spatial axis 0, found 5}}
  %0 = nd.conv %x, %w strides [1] padding [0, 0] dilation [2] groups 1 : tensor<1x1x4xf32>, tensor<1x1x3xf32> -> tensor<1x1x1xf32>
  return
}

// -----

func.func @conv_empty_window(%x: tensor<1x1x4x4xf32>, %w: tensor<1x1x1x0xf32>) {
  // expected-error {{nd.conv: expected a window from 1 to 4 on spatial axis 1, found 0}}
  %0 = nd.conv %x, %w strides [1, 1] padding [0, 0, 0, 0] dilation [1, 1] groups 1 : tensor<1x1x4x4xf32>, tensor<1x1x1x0xf32> -> tensor<1x1x4x5xf32>
  return
}

// -----

func.func @conv_shape(%x: tensor<1x1x4xf32>, %w: tensor<1x1x2xf32>) {
  // expected-error {{nd.conv: expected shape 1x1x5, found 1x1x4}}
  %0 = nd.conv %x, %w strides [1] padding [1, 1] dilation [1] groups 1 : tensor<1x1x4xf32>, tensor<1x1x2xf32> -> tensor<1x1x4xf32>
  return
}
