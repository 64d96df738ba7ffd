// RUN: %opt %s --split-input-file --verify-diagnostics

func.func @signed_words(%key: tensor<2xui32>, %counter: tensor<4xui32>) {
  // expected-error {{nd.random_bits: expected element type ui32 or ui64, found i32}}
  %0 = nd.random_bits %key, %counter : tensor<4xi32>
  return
}

// -----

func.func @run_time_size(%key: tensor<2xui32>, %counter: tensor<4xui32>) {
  // expected-error {{nd.random_bits: expected a static shape, found 2x?}}
  %0 = nd.random_bits %key, %counter : tensor<2x?xui64>
  return
}

// -----

func.func @key_of_another_shape(%key: tensor<4xui32>) {
  // expected-error {{nd.random_bits: operand 'key' at position 0 does not verify: Expected attribute tensor<2xui32> but got tensor<4xui32>}}
  %0 = "nd.random_bits"(%key, %key) : (tensor<4xui32>, tensor<4xui32>) -> tensor<ui32>
  return
}

// -----

func.func @counter_of_another_type(%key: tensor<2xui32>, %counter: tensor<4xi32>) {
  // expected-error {{nd.random_bits: operand 'counter' at position 1 does not verify: Expected attribute tensor<4xui32> but got tensor<4xi32>}}
  %0 = "nd.random_bits"(%key, %counter) : (tensor<2xui32>, tensor<4xi32>) -> tensor<ui32>
  return
}
