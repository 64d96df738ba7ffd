// RUN: %opt %s --split-input-file --verify-diagnostics

func.func @part_of_a_real_number(%x: tensor<4xf32>) {
  // expected-error {{nd.real: expected a complex element type, found f32}}
  %0 = nd.real %x : tensor<4xf32> -> tensor<4xf32>
  return
}

// -----

func.func @part_of_another_width(%z: tensor<4xcomplex<f32>>) {
  // expected-error {{nd.imag: expected element type f32, found f64}}
  %0 = nd.imag %z : tensor<4xcomplex<f32>> -> tensor<4xf64>
  return
}

// -----

func.func @complex_halves(%x: tensor<4xf16>) {
  // expected-error {{nd.complex: expected an f32 or f64 element type, found f16}}
  %0 = nd.complex %x, %x : tensor<4xf16> -> tensor<4xcomplex<f16>>
  return
}

// -----

func.func @complex_of_another_shape(%x: tensor<4xf32>) {
  // expected-error {{nd.complex: expected shape 4, found 5}}
  %0 = nd.complex %x, %x : tensor<4xf32> -> tensor<5xcomplex<f32>>
  return
}

// -----

// a product is a formula on parts
func.func @product(%z: tensor<4xcomplex<f32>>) {
  // expected-error {{nd.multiply: expected a numeric element type, found complex<f32>}}
  %0 = nd.multiply %z, %z : tensor<4xcomplex<f32>>
  return
}

// -----

func.func @complex_as_real(%z: tensor<4xcomplex<f32>>) {
  // expected-error {{nd.cast: expected a complex or i1 result type for complex<f32>, found f32}}
  %0 = nd.cast %z : tensor<4xcomplex<f32>> -> tensor<4xf32>
  return
}

// -----

func.func @complex_bytes(%z: tensor<4xcomplex<i8>>) {
  // expected-error {{nd.add: expected a numeric or complex element type, found complex<i8>}}
  %0 = nd.add %z, %z : tensor<4xcomplex<i8>>
  return
}

// -----

func.func @largest(%z: tensor<4xcomplex<f32>>) {
  // expected-error {{nd.reduce: expected an element type that max takes, found complex<f32>}}
  %0 = nd.reduce "max" %z axes [0] : tensor<4xcomplex<f32>> -> tensor<complex<f32>>
  return
}
