// RUN: %opt %s --split-input-file | %opt --split-input-file | %check
// RUN: %opt %s --split-input-file --print-op-generic | %opt --split-input-file | %check

func.func @check(%ok: tensor<i1>, %a: tensor<i64>, %b: tensor<i64>) {
  nd.check %ok, "DomainError", "no value"
  nd.check %ok, "IndexRangeError", "expected {} or more, found {}" [%a, %b]
  nd.check %ok, "LaminaError", "{u}" [%a] {note}
  return
}
// CHECK-LABEL: @check
// CHECK-SAME: %[[OK:\w+]]: tensor<i1>, %[[A:\w+]]: tensor<i64>, %[[B:\w+]]: tensor<i64>
// CHECK: nd.check %[[OK]], "DomainError", "no value"
// CHECK: nd.check %[[OK]], "IndexRangeError", "expected {} or more, found {}"[%[[A]], %[[B]]]
// CHECK: nd.check %[[OK]], "LaminaError", "{u}"[%[[A]]] {note}
