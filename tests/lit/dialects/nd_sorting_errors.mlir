// RUN: %opt %s --split-input-file --verify-diagnostics

func.func @order(%x: tensor<4xf32>) {
  // expected-error {{nd.sort: expected an order of ascending, descending, found up}}
  %0 = nd.sort %x axis 0 order "up" : tensor<4xf32>
  return
}

// -----

func.func @order_of_indices(%x: tensor<4xf32>) {
  // expected-error {{nd.argsort: expected an order of ascending, descending, found up}}
  %0 = nd.argsort %x axis 0 order "up" : tensor<4xf32> -> tensor<4xi64>
  return
}

// -----

func.func @axis(%x: tensor<f32>) {
  // expected-error {{nd.sort: expected a rank of 1 or more, found axis 0 of rank 0}}
  %0 = nd.sort %x axis 0 order "ascending" : tensor<f32>
  return
}

// -----

func.func @elements(%x: tensor<4xi128>) {
  // expected-error {{nd.sort: expected an nd element type, found i128}}
  %0 = nd.sort %x axis 0 order "ascending" : tensor<4xi128>
  return
}

// -----

func.func @indices(%x: tensor<4xf32>) {
  // expected-error {{nd.argsort: expected element type i64, found i32}}
  %0 = nd.argsort %x axis 0 order "ascending" : tensor<4xf32> -> tensor<4xi32>
  return
}

// -----

func.func @shape_of_indices(%x: tensor<4xf32>) {
  // expected-error {{nd.argsort: expected shape 4, found 5}}
  %0 = nd.argsort %x axis 0 order "ascending" : tensor<4xf32> -> tensor<5xi64>
  return
}

// -----

func.func @rank(%x: tensor<2x4xf32>, %v: tensor<3xf32>) {
  // expected-error {{nd.searchsorted: expected a sorted tensor of rank 1, found 2x4}}
  %0 = nd.searchsorted %x, %v side "left" : tensor<2x4xf32>, tensor<3xf32> -> tensor<3xi64>
  return
}

// -----

func.func @side(%x: tensor<4xf32>, %v: tensor<3xf32>) {
  // expected-error {{nd.searchsorted: expected a side of left, right, found up}}
  %0 = nd.searchsorted %x, %v side "up" : tensor<4xf32>, tensor<3xf32> -> tensor<3xi64>
  return
}

// -----

func.func @one_type(%x: tensor<4xf32>, %v: tensor<3xf64>) {
  // expected-error {{nd.searchsorted: expected element type f32, found f64}}
  %0 = nd.searchsorted %x, %v side "left" : tensor<4xf32>, tensor<3xf64> -> tensor<3xi64>
  return
}
