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
