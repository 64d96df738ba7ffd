// RUN: %opt %s --split-input-file --verify-diagnostics

func.func @class_of_python(%ok: tensor<i1>) {
  // expected-error {{nd.check: expected an error class such as "DomainError", found "OSError"}}
  nd.check %ok, "OSError", "no"
  return
}

// -----

func.func @many_values(%ok: tensor<i1>, %a: tensor<i64>) {
  // expected-error {{nd.check: expected at most 2 values, found 3}}
  nd.check %ok, "DomainError", "{} {} {}" [%a, %a, %a]
  return
}

// -----

func.func @places(%ok: tensor<i1>, %a: tensor<i64>) {
  // expected-error {{nd.check: expected 2 values, one for each {}, found 1}}
  nd.check %ok, "DomainError", "{} {}" [%a]
  return
}

// -----

func.func @several_conditions(%ok: tensor<2xi1>) {
  // expected-error {{nd.check: operand 'condition' at position 0 does not verify: Expected attribute tensor<i1> but got tensor<2xi1>}}
  "nd.check"(%ok) <{error = "DomainError", message = "no"}> : (tensor<2xi1>) -> ()
  return
}

// -----

func.func @value_of_another_type(%ok: tensor<i1>, %a: tensor<f32>) {
  // expected-error {{nd.check: operand 'values' at position 1 does not verify: Expected attribute tensor<i64> but got tensor<f32>}}
  "nd.check"(%ok, %a) <{error = "DomainError", message = "{}"}> : (tensor<i1>, tensor<f32>) -> ()
  return
}

// -----

func.func @element_of_no_dtype(%x: tensor<4xi3>) {
  // expected-error {{nd.print: expected an nd element type, found i3}}
  nd.print "{}" [%x] : tensor<4xi3>
  return
}

// -----

func.func @named_place(%x: tensor<4xf32>) {
  // expected-error {{nd.print: format: expected places such as {} or {:.3f}, found one in '{x}'}}
  nd.print "{x}" [%x] : tensor<4xf32>
  return
}

// -----

func.func @open_brace() {
  // expected-error {{nd.print: format: Single '}' encountered in format string}}
  nd.print "}"
  return
}

// -----

func.func @place_without_value(%x: tensor<4xf32>) {
  // expected-error {{nd.print: expected 2 values, one for each place, found 1}}
  nd.print "{} {:d}" [%x] : tensor<4xf32>
  return
}

// -----

func.func @pairs_of_three(%x: tensor<4x3xf32>) {
  // expected-error {{nd.print: expected interleaved to name values with a last axis of 2, found 0}}
  nd.print "{}" [%x] : tensor<4x3xf32> interleaved [0]
  return
}

// -----

func.func @pairs_of_nothing(%x: tensor<4x2xf32>) {
  // expected-error {{nd.custom_call: expected interleaved to name values with a last axis of 2, found 2}}
  %0 = nd.custom_call "f"(%x) interleaved [2] : (tensor<4x2xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @pairs_of_integers(%x: tensor<4x2xi64>) {
  // expected-error {{nd.print: expected interleaved values of f32 or f64, found i64}}
  nd.print "{}" [%x] : tensor<4x2xi64> interleaved [0]
  return
}

// -----

func.func @fails_as_python() {
  // expected-error {{nd.fail: expected an error class such as "DomainError", found "OSError"}}
  nd.fail "OSError", "no"
  return
}

// -----

func.func @name_with_a_space() {
  // expected-error {{nd.custom_call: expected the name of a C function, found "a b"}}
  nd.custom_call "a b"() : () -> ()
  return
}

// -----

func.func @pure_for_nothing() {
  // expected-error {{nd.custom_call: expected a result of a pure call, found none}}
  nd.custom_call "f"() pure : () -> ()
  return
}

// -----

func.func @unknown_size(%x: tensor<?xf32>) {
  // expected-error {{nd.custom_call: expected results of static shapes, found a `?`}}
  %0 = nd.custom_call "f"(%x) : (tensor<?xf32>) -> tensor<?xf32>
  return
}
