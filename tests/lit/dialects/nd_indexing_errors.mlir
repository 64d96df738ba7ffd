// RUN: %opt %s --split-input-file --verify-diagnostics

func.func @one_index_an_axis(%x: tensor<4x3xf32>, %i: tensor<5xi64>) {
  // expected-error {{nd.gather: expected an index tensor for each of axes [0, 1] and at least one, found 1}}
  %0 = nd.gather %x[%i] axes [0, 1] dims [] index_dims [0] : tensor<4x3xf32>, tensor<5xi64> -> tensor<5xf32>
  return
}

// -----

func.func @axes(%x: tensor<4x3xf32>, %i: tensor<5xi64>) {
  // expected-error {{nd.gather: expected distinct axes from 0 to 1, found [2]}}
  %0 = nd.gather %x[%i] axes [2] dims [1] index_dims [0] : tensor<4x3xf32>, tensor<5xi64> -> tensor<5x3xf32>
  return
}

// -----

func.func @index_type(%x: tensor<4x3xf32>, %i: tensor<5xf32>) {
  // expected-error {{nd.gather: expected indices of an integer type, found f32}}
  %0 = nd.gather %x[%i] axes [0] dims [1] index_dims [0] : tensor<4x3xf32>, tensor<5xf32> -> tensor<5x3xf32>
  return
}

// -----

func.func @index_shapes(%x: tensor<4x3xf32>, %i: tensor<5xi64>, %j: tensor<6xi64>) {
  // expected-error {{nd.gather: expected shape 5, found 6}}
  %0 = nd.gather %x[%i, %j] axes [0, 1] dims [] index_dims [0] : tensor<4x3xf32>, tensor<5xi64>, tensor<6xi64> -> tensor<5xf32>
  return
}

// -----

func.func @dims(%x: tensor<4x3xf32>, %i: tensor<5xi64>) {
  // expected-error {{nd.gather: expected 1 dims, found [1, 2]}}
  %0 = nd.gather %x[%i] axes [0] dims [1, 2] index_dims [0] : tensor<4x3xf32>, tensor<5xi64> -> tensor<5x3xf32>
  return
}

// -----

func.func @index_dims(%x: tensor<4x3xf32>, %i: tensor<5xi64>) {
  // expected-error {{nd.gather: expected 1 index dims, found []}}
  %0 = nd.gather %x[%i] axes [0] dims [1] index_dims [] : tensor<4x3xf32>, tensor<5xi64> -> tensor<5x3xf32>
  return
}

// -----

func.func @dims_range(%x: tensor<4x3xf32>, %i: tensor<5xi64>) {
  // expected-error {{nd.gather: expected distinct dims from 0 to 1, found [2]}}
  %0 = nd.gather %x[%i] axes [0] dims [2] index_dims [0] : tensor<4x3xf32>, tensor<5xi64> -> tensor<5x3xf32>
  return
}

// -----

func.func @index_dims_of_rank_0(%x: tensor<4x3xf32>, %i: tensor<5xi64>) {
  // expected-error {{nd.gather: expected no dims for rank 0, found [0]}}
  %0 = nd.gather %x[%i] axes [0] dims [0] index_dims [0] : tensor<4x3xf32>, tensor<5xi64> -> tensor<f32>
  return
}

// -----

func.func @cover(%x: tensor<4x3xf32>, %i: tensor<5xi64>) {
  // expected-error {{nd.gather: expected dims and index dims to cover 5x3x1, found [1] and [0]}}
  %0 = nd.gather %x[%i] axes [0] dims [1] index_dims [0] : tensor<4x3xf32>, tensor<5xi64> -> tensor<5x3x1xf32>
  return
}

// -----

func.func @operand_size(%x: tensor<4x3xf32>, %i: tensor<5xi64>) {
  // expected-error {{nd.gather: expected shape 5x3, found 5x4}}
  %0 = nd.gather %x[%i] axes [0] dims [1] index_dims [0] : tensor<4x3xf32>, tensor<5xi64> -> tensor<5x4xf32>
  return
}

// -----

func.func @index_size(%x: tensor<4x3xf32>, %i: tensor<5xi64>) {
  // expected-error {{nd.gather: expected shape 5x3, found 6x3}}
  %0 = nd.gather %x[%i] axes [0] dims [1] index_dims [0] : tensor<4x3xf32>, tensor<5xi64> -> tensor<6x3xf32>
  return
}

// -----

func.func @element(%x: tensor<4x3xf32>, %i: tensor<5xi64>) {
  // expected-error {{nd.gather: expected element type f32, found f64}}
  %0 = nd.gather %x[%i] axes [0] dims [1] index_dims [0] : tensor<4x3xf32>, tensor<5xi64> -> tensor<5x3xf64>
  return
}

// -----

func.func @family(%x: tensor<4x3xindex>, %i: tensor<5xi64>) {
  // expected-error {{nd.gather: expected an nd element type, found index}}
  %0 = nd.gather %x[%i] axes [0] dims [1] index_dims [0] : tensor<4x3xindex>, tensor<5xi64> -> tensor<5x3xindex>
  return
}

// -----

func.func @empty_axis(%x: tensor<4x0xf32>, %i: tensor<5xi64>) {
  // expected-error {{nd.gather: expected a size of 1 or more on axis 1, found 0}}
  %0 = nd.gather %x[%i] axes [1] dims [0] index_dims [1] : tensor<4x0xf32>, tensor<5xi64> -> tensor<4x5xf32>
  return
}

// -----

func.func @scatter_kind(%x: tensor<4x3xf32>, %u: tensor<5x3xf32>, %i: tensor<5xi64>) {
  // expected-error {{nd.scatter: expected a kind of set, add, mul, max, min, found mean}}
  %0 = nd.scatter "mean" %x, %u[%i] axes [0] dims [1] index_dims [0] : tensor<4x3xf32>, tensor<5x3xf32>, tensor<5xi64> -> tensor<4x3xf32>
  return
}

// -----

func.func @scatter_bool(%x: tensor<4xi1>, %u: tensor<5xi1>, %i: tensor<5xi64>) {
  // expected-error {{nd.scatter: expected an element type that add takes, found i1}}
  %0 = nd.scatter "add" %x, %u[%i] axes [0] dims [] index_dims [0] : tensor<4xi1>, tensor<5xi1>, tensor<5xi64> -> tensor<4xi1>
  return
}

// -----

func.func @scatter_updates(%x: tensor<4x3xf32>, %u: tensor<5x3xf64>, %i: tensor<5xi64>) {
  // expected-error {{nd.scatter: expected element type f32, found f64}}
  %0 = nd.scatter "set" %x, %u[%i] axes [0] dims [1] index_dims [0] : tensor<4x3xf32>, tensor<5x3xf64>, tensor<5xi64> -> tensor<4x3xf32>
  return
}

// -----

func.func @scatter_result(%x: tensor<4x3xf32>, %u: tensor<5x3xf32>, %i: tensor<5xi64>) {
  // expected-error {{nd.scatter: expected shape 4x3, found 5x3}}
  %0 = nd.scatter "set" %x, %u[%i] axes [0] dims [1] index_dims [0] : tensor<4x3xf32>, tensor<5x3xf32>, tensor<5xi64> -> tensor<5x3xf32>
  return
}

// -----

func.func @scatter_space(%x: tensor<4x3xf32>, %u: tensor<5x4xf32>, %i: tensor<5xi64>) {
  // expected-error {{nd.scatter: expected shape 5x3, found 5x4}}
  %0 = nd.scatter "set" %x, %u[%i] axes [0] dims [1] index_dims [0] : tensor<4x3xf32>, tensor<5x4xf32>, tensor<5xi64> -> tensor<4x3xf32>
  return
}
