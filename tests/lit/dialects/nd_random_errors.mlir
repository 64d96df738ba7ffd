// RUN: %opt %s --split-input-file --verify-diagnostics

func.func @signed_words(%key: tensor<2xui32>, %counter: tensor<4xui32>) {
  // expected-error {{nd.random_bits: expected element type ui32 or ui64, found i32}}
  %0 = nd.random_bits %key, %counter : tensor<2xui32>, tensor<4xui32> -> tensor<4xi32>
  return
}

// -----

func.func @run_time_size(%key: tensor<2xui32>, %counter: tensor<4xui32>) {
  // expected-error {{nd.random_bits: expected a static shape, found 2x?}}
  %0 = nd.random_bits %key, %counter : tensor<2xui32>, tensor<4xui32> -> tensor<2x?xui64>
  return
}

// -----

func.func @key_of_another_shape(%key: tensor<4xui32>) {
  // expected-error {{nd.random_bits: expected shape 2, found 4}}
  %0 = nd.random_bits %key, %key : tensor<4xui32>, tensor<4xui32> -> tensor<ui32>
  return
}

// -----

func.func @counter_of_another_type(%key: tensor<2xui32>, %counter: tensor<4xi32>) {
  // expected-error {{nd.random_bits: expected element type ui32, found i32}}
  %0 = nd.random_bits %key, %counter : tensor<2xui32>, tensor<4xi32> -> tensor<ui32>
  return
}

// -----

func.func @counter_of_other_streams(%key: tensor<3x2xui32>, %counter: tensor<4xui32>) {
  // expected-error {{nd.random_bits: expected shape 3x4, found 4}}
  %0 = nd.random_bits %key, %counter : tensor<3x2xui32>, tensor<4xui32> -> tensor<3xui32>
  return
}

// -----

func.func @result_of_other_streams(%key: tensor<3x2xui32>, %counter: tensor<3x4xui32>) {
  // expected-error {{nd.random_bits: expected shape 3x5, found 2x5}}
  %0 = nd.random_bits %key, %counter : tensor<3x2xui32>, tensor<3x4xui32> -> tensor<2x5xui32>
  return
}

// -----

func.func @key_of_no_axis(%key: tensor<ui32>, %counter: tensor<4xui32>) {
  // expected-error {{nd.random_bits: expected shape 2, found ()}}
  %0 = nd.random_bits %key, %counter : tensor<ui32>, tensor<4xui32> -> tensor<ui32>
  return
}
