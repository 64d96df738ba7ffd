// RUN: %opt %s --split-input-file --verify-diagnostics

func.func @condition_of_another_length(%c: vector<8xi1>, %x: vector<4xf32>) {
  // expected-error {{arith.select: expected a condition of i1 or of the shape of vector<4xf32>, found vector<8xi1>}}
  %0 = arith.select %c, %x, %x : vector<8xi1>, vector<4xf32>
  return
}

// -----

func.func @integer_predicate_for_floats(%x: f32) {
  // expected-error {{arith.cmpf: expected a predicate of false, oeq}}
  %0 = arith.cmpf slt, %x, %x : f32
  return
}

// -----

func.func @widening_to_less(%i: vector<4xi32>) {
  // expected-error {{arith.extui: expected a wider result, found vector<4xi32> to vector<4xi8>}}
  %0 = arith.extui %i : vector<4xi32> to vector<4xi8>
  return
}

// -----

func.func @comparison_of_two_types(%x: vector<4xf32>, %y: vector<8xf32>) {
  // expected-error {{arith.cmpf: expected operands of one type, found vector<4xf32>, vector<8xf32>}}
  %0 = "arith.cmpf"(%x, %y) <{predicate = 1 : i64, fastmath = #arith.fastmath<none>}> : (vector<4xf32>, vector<8xf32>) -> vector<4xi1>
  func.return
}
