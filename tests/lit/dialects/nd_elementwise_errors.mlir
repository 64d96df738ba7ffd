// RUN: %opt %s --split-input-file --verify-diagnostics

// the frontend casts to a float type first
func.func @true_division_of_integers(%x: tensor<4xui8>) {
  // expected-error {{nd.divide: expected a floating-point element type, found ui8}}
  %0 = nd.divide %x, %x : tensor<4xui8>
  return
}

// -----

func.func @numeric_op_of_i1(%x: tensor<4xi1>) {
  // expected-error {{nd.add: expected a numeric or complex element type, found i1}}
  %0 = nd.add %x, %x : tensor<4xi1>
  return
}

// -----

func.func @negation_of_i1(%x: tensor<i1>) {
  // expected-error {{nd.negative: expected a numeric or complex element type, found i1}}
  %0 = nd.negative %x : tensor<i1>
  return
}

// -----

func.func @bits_of_floats(%x: tensor<4xf32>) {
  // expected-error {{nd.bitwise_and: expected an integer or i1 element type, found f32}}
  %0 = nd.bitwise_and %x, %x : tensor<4xf32>
  return
}

// -----

func.func @not_of_floats(%x: tensor<4xbf16>) {
  // expected-error {{nd.bitwise_invert: expected an integer or i1 element type, found bf16}}
  %0 = nd.bitwise_invert %x : tensor<4xbf16>
  return
}

// -----

func.func @shift_of_i1(%x: tensor<4xi1>) {
  // expected-error {{nd.left_shift: expected an integer element type, found i1}}
  %0 = nd.left_shift %x, %x : tensor<4xi1>
  return
}

// -----

func.func @order_of_i1(%x: tensor<4xi1>) {
  // expected-error {{nd.less: expected a numeric element type, found i1}}
  %0 = nd.less %x, %x : tensor<4xi1> -> tensor<4xi1>
  return
}

// -----

func.func @equality_of_other_types(%x: tensor<4xi4>) {
  // expected-error {{nd.equal: expected an nd element type, found i4}}
  %0 = nd.equal %x, %x : tensor<4xi4> -> tensor<4xi1>
  return
}

// -----

// integers are signless (signed) or ui: si32 is not an element type
func.func @signed_type(%x: tensor<4xsi32>) {
  // expected-error {{nd.abs: expected a numeric element type, found si32}}
  %0 = nd.abs %x : tensor<4xsi32>
  return
}

// -----

func.func @comparison_result_type(%x: tensor<4xf32>) {
  // expected-error {{nd.less: expected element type i1, found i8}}
  %0 = nd.less %x, %x : tensor<4xf32> -> tensor<4xi8>
  return
}

// -----

func.func @comparison_result_shape(%x: tensor<4xf32>) {
  // expected-error {{nd.greater: expected shape 4, found 5}}
  %0 = nd.greater %x, %x : tensor<4xf32> -> tensor<5xi1>
  return
}

// -----

func.func @comparison_result_rank(%x: tensor<?x4xf32>) {
  // expected-error {{nd.equal: expected shape ?x4, found 4}}
  %0 = nd.equal %x, %x : tensor<?x4xf32> -> tensor<4xi1>
  return
}

// -----

func.func @select_of_other_types(%p: tensor<4xi1>, %x: tensor<4xf80>) {
  // expected-error {{nd.select: expected an nd element type, found f80}}
  %0 = nd.select %p, %x, %x : tensor<4xi1>, tensor<4xf80>
  return
}

// -----

func.func @predicate_type(%p: tensor<4xi8>, %x: tensor<4xf32>) {
  // expected-error {{nd.select: expected element type i1, found i8}}
  %0 = nd.select %p, %x, %x : tensor<4xi8>, tensor<4xf32>
  return
}

// -----

// there is no implicit broadcast
func.func @predicate_shape(%p: tensor<i1>, %x: tensor<4xf32>) {
  // expected-error {{nd.select: expected shape 4, found ()}}
  %0 = nd.select %p, %x, %x : tensor<i1>, tensor<4xf32>
  return
}

// -----

func.func @cast_from_other_types(%x: tensor<4xindex>) {
  // expected-error {{nd.cast: expected an nd element type, found index}}
  %0 = nd.cast %x : tensor<4xindex> -> tensor<4xi64>
  return
}

// -----

func.func @cast_to_other_types(%x: tensor<4xf32>) {
  // expected-error {{nd.cast: expected an nd element type, found i128}}
  %0 = nd.cast %x : tensor<4xf32> -> tensor<4xi128>
  return
}

// -----

func.func @cast_shape(%x: tensor<4xf32>) {
  // expected-error {{nd.cast: expected shape 4, found 4x1}}
  %0 = nd.cast %x : tensor<4xf32> -> tensor<4x1xi32>
  return
}

// -----

// the types of operands and result are one type
func.func @operands_of_two_types(%x: tensor<4xf32>, %y: tensor<4xf64>) {
  // expected-error {{tensor<4xf64>}}
  %0 = "nd.add"(%x, %y) : (tensor<4xf32>, tensor<4xf64>) -> tensor<4xf32>
  return
}

// -----

func.func @no_tensor(%x: f32) {
  // expected-error {{f32}}
  %0 = "nd.exp"(%x) : (f32) -> f32
  return
}
