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

// -----

func.func @texts(%x: tensor<4xf32>, %c: tensor<?xcomplex<f32>>, %p: tensor<3x2xf64>) {
  nd.print "start {{}}"
  nd.print "{} and {:.3f}" [%x, %c] : tensor<4xf32>, tensor<?xcomplex<f32>>
  nd.print "{}" [%p] : tensor<3x2xf64> interleaved [0] {note}
  nd.fail "CheckError", "no"
  nd.fail "DomainError", "found {}" [%x] : tensor<4xf32>
  return
}
// CHECK-LABEL: @texts
// CHECK-SAME: %[[X:\w+]]: tensor<4xf32>, %[[C:\w+]]: tensor<?xcomplex<f32>>, %[[P:\w+]]: tensor<3x2xf64>
// CHECK: nd.print "start {{[{]}}{}}"
// CHECK: nd.print "{} and {:.3f}"[%[[X]], %[[C]]] : tensor<4xf32>, tensor<?xcomplex<f32>>
// CHECK: nd.print "{}"[%[[P]]] : tensor<3x2xf64> interleaved [0] {note}
// CHECK: nd.fail "CheckError", "no"
// CHECK: nd.fail "DomainError", "found {}"[%[[X]]] : tensor<4xf32>

// -----

func.func @custom_calls(%x: tensor<4xf32>, %p: tensor<3x2xf64>) -> tensor<4xf32> {
  nd.custom_call "tick"() : () -> ()
  %0, %1 = nd.custom_call "f"(%x, %p) interleaved [1, 3] : (tensor<4xf32>, tensor<3x2xf64>) -> (tensor<4xf32>, tensor<2xf64>)
  %2 = nd.custom_call "g"(%0) pure {note} : (tensor<4xf32>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}
// CHECK-LABEL: @custom_calls
// CHECK-SAME: %[[X:\w+]]: tensor<4xf32>, %[[P:\w+]]: tensor<3x2xf64>
// CHECK: nd.custom_call "tick"() : () -> ()
// CHECK: %[[A:\w+]], %{{.*}} = nd.custom_call "f"(%[[X]], %[[P]]) interleaved [1, 3] : (tensor<4xf32>, tensor<3x2xf64>) -> (tensor<4xf32>, tensor<2xf64>)
// CHECK: %{{.*}} = nd.custom_call "g"(%[[A]]) pure {note} : (tensor<4xf32>) -> tensor<4xf32>
