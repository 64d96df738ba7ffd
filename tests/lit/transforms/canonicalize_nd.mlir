// RUN: %opt -p canonicalize-nd --split-input-file %s | %check
// RUN: %opt -p canonicalize-nd,canonicalize-nd --split-input-file %s | %check

// -0.0 is neutral in a sum, on either side.
// CHECK-LABEL: func.func @adds_negative_zero(
// CHECK-NEXT: func.return %x : tensor<3xf32>
func.func @adds_negative_zero(%x: tensor<3xf32>) -> tensor<3xf32> {
  %c = nd.constant dense<-0.0> : tensor<3xf32>
  %s = nd.add %x, %c : tensor<3xf32>
  %r = nd.add %c, %s : tensor<3xf32>
  func.return %r : tensor<3xf32>
}

// -----

// -0.0 + 0.0 is 0.0: not an identity.
// CHECK-LABEL: func.func @keeps_sum_with_zero(
// CHECK: [[R:%[a-z0-9_]+]] = nd.add %x,
// CHECK-NEXT: func.return [[R]]
func.func @keeps_sum_with_zero(%x: tensor<3xf32>) -> tensor<3xf32> {
  %c = nd.constant dense<0.0> : tensor<3xf32>
  %r = nd.add %x, %c : tensor<3xf32>
  func.return %r : tensor<3xf32>
}

// -----

// 0.0 is neutral in a difference, on the right.
// CHECK-LABEL: func.func @subtracts_zero(
// CHECK-NEXT: func.return %x : tensor<3xf32>
func.func @subtracts_zero(%x: tensor<3xf32>) -> tensor<3xf32> {
  %c = nd.constant dense<0.0> : tensor<3xf32>
  %r = nd.subtract %x, %c : tensor<3xf32>
  func.return %r : tensor<3xf32>
}

// -----

// -0.0 - -0.0 is 0.0, 0.0 - x is not -x: neither is an identity.
// CHECK-LABEL: func.func @keeps_differences(
// CHECK-COUNT-3: nd.subtract
// CHECK: func.return
func.func @keeps_differences(%x: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) {
  %n = nd.constant dense<-0.0> : tensor<3xf32>
  %z = nd.constant dense<0.0> : tensor<3xf32>
  %r = nd.subtract %x, %n : tensor<3xf32>
  %s = nd.subtract %z, %x : tensor<3xf32>
  %t = nd.subtract %x, %x : tensor<3xf32>
  func.return %r, %s, %t : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
}

// -----

// x + 0 and x - 0 on integers.
// CHECK-LABEL: func.func @adds_integer_zero(
// CHECK-NEXT: func.return %x : tensor<3xi32>
func.func @adds_integer_zero(%x: tensor<3xi32>) -> tensor<3xi32> {
  %c = nd.constant dense<0> : tensor<3xi32>
  %s = nd.add %x, %c : tensor<3xi32>
  %t = nd.add %c, %s : tensor<3xi32>
  %r = nd.subtract %t, %c : tensor<3xi32>
  func.return %r : tensor<3xi32>
}

// -----

// x - x is 0 on integers.
// CHECK-LABEL: func.func @subtracts_itself(
// CHECK-NEXT: [[Z:%[a-z0-9_]+]] = nd.constant dense<0> : tensor<i32>
// CHECK-NEXT: [[R:%[a-z0-9_]+]] = nd.broadcast [[Z]] dims [] : tensor<i32> -> tensor<3xi32>
// CHECK-NEXT: func.return [[R]]
func.func @subtracts_itself(%x: tensor<3xi32>) -> tensor<3xi32> {
  %r = nd.subtract %x, %x : tensor<3xi32>
  func.return %r : tensor<3xi32>
}

// -----

// Of a tensor of unknown size no zero can be made.
// CHECK-LABEL: func.func @keeps_difference_of_unknown_size(
// CHECK-NEXT: nd.subtract %x, %x
func.func @keeps_difference_of_unknown_size(%x: tensor<?xi32>) -> tensor<?xi32> {
  %r = nd.subtract %x, %x : tensor<?xi32>
  func.return %r : tensor<?xi32>
}

// -----

// x * 1, also when the ones are a broadcast of unknown size.
// CHECK-LABEL: func.func @multiplies_by_one(
// CHECK-NEXT: func.return %x : tensor<?xf16>
func.func @multiplies_by_one(%x: tensor<?xf16>, %n: index) -> tensor<?xf16> {
  %c = nd.constant dense<1.0> : tensor<f16>
  %w = nd.broadcast %c [%n] dims [] : tensor<f16> -> tensor<?xf16>
  %s = nd.multiply %x, %w : tensor<?xf16>
  %r = nd.multiply %w, %s : tensor<?xf16>
  func.return %r : tensor<?xf16>
}

// -----

// x * 0 is 0 on integers; on floats it can be -0.0 or NaN.
// CHECK-LABEL: func.func @multiplies_by_zero(
// CHECK-NEXT: [[I:%[a-z0-9_]+]] = nd.constant dense<0> : tensor<3xi32>
// CHECK: [[S:%[a-z0-9_]+]] = nd.multiply %y
// CHECK-NEXT: func.return [[I]], [[S]]
func.func @multiplies_by_zero(%x: tensor<3xi32>, %y: tensor<3xf32>) -> (tensor<3xi32>, tensor<3xf32>) {
  %i = nd.constant dense<0> : tensor<3xi32>
  %f = nd.constant dense<0.0> : tensor<3xf32>
  %r = nd.multiply %x, %i : tensor<3xi32>
  %s = nd.multiply %y, %f : tensor<3xf32>
  func.return %r, %s : tensor<3xi32>, tensor<3xf32>
}

// -----

// x / 1, x // 1 and x ** 1 on integers.
// CHECK-LABEL: func.func @divides_by_one(
// CHECK-NEXT: func.return %x : tensor<3xi32>
func.func @divides_by_one(%x: tensor<3xi32>) -> tensor<3xi32> {
  %c = nd.constant dense<1> : tensor<3xi32>
  %s = nd.floor_divide %x, %c : tensor<3xi32>
  %r = nd.pow %s, %c : tensor<3xi32>
  func.return %r : tensor<3xi32>
}

// -----

// x / 1.0.
// CHECK-LABEL: func.func @divides_by_one_float(
// CHECK-NEXT: func.return %x : tensor<3xf32>
func.func @divides_by_one_float(%x: tensor<3xf32>) -> tensor<3xf32> {
  %c = nd.constant dense<1.0> : tensor<3xf32>
  %r = nd.divide %x, %c : tensor<3xf32>
  func.return %r : tensor<3xf32>
}

// -----

// inf // 1.0 is inf, but 2.5 // 1.0 is 2.0.
// CHECK-LABEL: func.func @keeps_floor_division(
// CHECK: nd.floor_divide
func.func @keeps_floor_division(%x: tensor<3xf32>) -> tensor<3xf32> {
  %c = nd.constant dense<1.0> : tensor<3xf32>
  %r = nd.floor_divide %x, %c : tensor<3xf32>
  func.return %r : tensor<3xf32>
}

// -----

// 1 / 8 is exact: a product costs less than a quotient.
// CHECK-LABEL: func.func @divides_by_power_of_two(
// CHECK: [[C:%[a-z0-9_]+]] = nd.constant dense<-1.250000e-01>
// CHECK: [[W:%[a-z0-9_]+]] = nd.broadcast [[C]]
// CHECK: nd.multiply %x, [[W]]
func.func @divides_by_power_of_two(%x: tensor<3xf32>) -> tensor<3xf32> {
  %c = nd.constant dense<-8.0> : tensor<3xf32>
  %r = nd.divide %x, %c : tensor<3xf32>
  func.return %r : tensor<3xf32>
}

// -----

// 1 / 3 is not exact, 2 ** -149 has no reciprocal, and 1 / 0.0 is no product.
// CHECK-LABEL: func.func @keeps_quotients(
// CHECK-COUNT-3: nd.divide
// CHECK: func.return
func.func @keeps_quotients(%x: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) {
  %a = nd.constant dense<3.0> : tensor<3xf32>
  %b = nd.constant dense<0x00000001> : tensor<3xf32>
  %z = nd.constant dense<0.0> : tensor<3xf32>
  %r = nd.divide %x, %a : tensor<3xf32>
  %s = nd.divide %x, %b : tensor<3xf32>
  %t = nd.divide %x, %z : tensor<3xf32>
  func.return %r, %s, %t : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
}

// -----

// x + (-y), (-y) + x, x - (-y).
// CHECK-LABEL: func.func @absorbs_negatives(
// CHECK-NEXT: nd.subtract %x, %y
// CHECK-NEXT: nd.subtract %x, %y
// CHECK-NEXT: nd.add %x, %y
// CHECK-NEXT: func.return
func.func @absorbs_negatives(%x: tensor<3xf32>, %y: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) {
  %n = nd.negative %y : tensor<3xf32>
  %r = nd.add %x, %n : tensor<3xf32>
  %s = nd.add %n, %x : tensor<3xf32>
  %t = nd.subtract %x, %n : tensor<3xf32>
  func.return %r, %s, %t : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
}

// -----

// max with the smallest, min with the largest element; max and min of x and x.
// CHECK-LABEL: func.func @keeps_bounds(
// CHECK-NEXT: func.return %x : tensor<3xf32>
func.func @keeps_bounds(%x: tensor<3xf32>) -> tensor<3xf32> {
  %l = nd.constant dense<0xFF800000> : tensor<3xf32>
  %h = nd.constant dense<0x7F800000> : tensor<3xf32>
  %a = nd.maximum %x, %l : tensor<3xf32>
  %b = nd.minimum %h, %a : tensor<3xf32>
  %d = nd.maximum %b, %b : tensor<3xf32>
  %r = nd.minimum %d, %d : tensor<3xf32>
  func.return %r : tensor<3xf32>
}

// -----

// max with the largest integer is it; NaN is larger than inf.
// CHECK-LABEL: func.func @reaches_bounds(
// CHECK: [[C:%[a-z0-9_]+]] = nd.constant dense<255>
// CHECK: [[S:%[a-z0-9_]+]] = nd.maximum %y
// CHECK-NEXT: func.return [[C]], [[S]]
func.func @reaches_bounds(%x: tensor<3xui8>, %y: tensor<3xf32>) -> (tensor<3xui8>, tensor<3xf32>) {
  %c = nd.constant dense<255> : tensor<3xui8>
  %h = nd.constant dense<0x7F800000> : tensor<3xf32>
  %r = nd.maximum %x, %c : tensor<3xui8>
  %s = nd.maximum %y, %h : tensor<3xf32>
  func.return %r, %s : tensor<3xui8>, tensor<3xf32>
}

// -----

// x & ones, x | 0, x ^ 0, x & x, x | x.
// CHECK-LABEL: func.func @bits_that_say_nothing(
// CHECK-NEXT: func.return %x : tensor<3xi32>
func.func @bits_that_say_nothing(%x: tensor<3xi32>) -> tensor<3xi32> {
  %o = nd.constant dense<-1> : tensor<3xi32>
  %z = nd.constant dense<0> : tensor<3xi32>
  %a = nd.bitwise_and %x, %o : tensor<3xi32>
  %b = nd.bitwise_or %z, %a : tensor<3xi32>
  %d = nd.bitwise_xor %b, %z : tensor<3xi32>
  %e = nd.bitwise_and %d, %d : tensor<3xi32>
  %r = nd.bitwise_or %e, %e : tensor<3xi32>
  func.return %r : tensor<3xi32>
}

// -----

// x & 0 and x ^ x are 0, x | ones is ones.
// CHECK-LABEL: func.func @bits_that_say_all(
// CHECK: [[T:%[a-z0-9_]+]] = nd.constant dense<true>
// CHECK: [[F:%[a-z0-9_]+]] = nd.constant dense<false>
// CHECK: [[X:%[a-z0-9_]+]] = nd.broadcast
// CHECK-NEXT: func.return [[F]], [[T]], [[X]]
func.func @bits_that_say_all(%p: tensor<3xi1>) -> (tensor<3xi1>, tensor<3xi1>, tensor<3xi1>) {
  %t = nd.constant dense<true> : tensor<3xi1>
  %f = nd.constant dense<false> : tensor<3xi1>
  %r = nd.bitwise_and %p, %f : tensor<3xi1>
  %s = nd.bitwise_or %p, %t : tensor<3xi1>
  %u = nd.bitwise_xor %p, %p : tensor<3xi1>
  func.return %r, %s, %u : tensor<3xi1>, tensor<3xi1>, tensor<3xi1>
}

// -----

// Shifts by 0.
// CHECK-LABEL: func.func @shifts_by_zero(
// CHECK-NEXT: func.return %x : tensor<3xi32>
func.func @shifts_by_zero(%x: tensor<3xi32>) -> tensor<3xi32> {
  %z = nd.constant dense<0> : tensor<3xi32>
  %a = nd.left_shift %x, %z : tensor<3xi32>
  %r = nd.right_shift %a, %z : tensor<3xi32>
  func.return %r : tensor<3xi32>
}

// -----

// Twice negative, twice inverted.
// CHECK-LABEL: func.func @undoes_itself(
// CHECK-NEXT: func.return %x : tensor<3xi32>
func.func @undoes_itself(%x: tensor<3xi32>) -> tensor<3xi32> {
  %a = nd.negative %x : tensor<3xi32>
  %b = nd.negative %a : tensor<3xi32>
  %d = nd.bitwise_invert %b : tensor<3xi32>
  %r = nd.bitwise_invert %d : tensor<3xi32>
  func.return %r : tensor<3xi32>
}

// -----

// abs, sign and rounding are done once; abs(-x) is abs(x).
// CHECK-LABEL: func.func @does_once(
// CHECK-NEXT: [[A:%[a-z0-9_]+]] = nd.abs %x
// CHECK-NEXT: [[S:%[a-z0-9_]+]] = nd.sign %x
// CHECK-NEXT: [[F:%[a-z0-9_]+]] = nd.floor %x
// CHECK-NEXT: func.return [[A]], [[S]], [[F]]
func.func @does_once(%x: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) {
  %n = nd.negative %x : tensor<3xf32>
  %a = nd.abs %n : tensor<3xf32>
  %r = nd.abs %a : tensor<3xf32>
  %b = nd.sign %x : tensor<3xf32>
  %s = nd.sign %b : tensor<3xf32>
  %d = nd.floor %x : tensor<3xf32>
  %t = nd.round %d : tensor<3xf32>
  func.return %r, %s, %t : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
}

// -----

// abs of unsigned elements is nothing, also after a negation, which wraps.
// CHECK-LABEL: func.func @abs_of_unsigned(
// CHECK-NEXT: [[N:%[a-z0-9_]+]] = nd.negative %x
// CHECK-NEXT: func.return [[N]]
func.func @abs_of_unsigned(%x: tensor<ui8>) -> tensor<ui8> {
  %n = nd.negative %x : tensor<ui8>
  %r = nd.abs %n : tensor<ui8>
  func.return %r : tensor<ui8>
}

// -----

// Comparisons of integers with themselves; NaN is not equal to itself, and not less.
// CHECK-LABEL: func.func @compares_itself(
// CHECK: nd.constant dense<true> : tensor<i1>
// CHECK: nd.constant dense<false> : tensor<i1>
// CHECK: nd.equal %y, %y
// CHECK-NEXT: func.return
func.func @compares_itself(%x: tensor<3xi32>, %y: tensor<3xf32>) -> (tensor<3xi1>, tensor<3xi1>, tensor<3xi1>) {
  %r = nd.equal %x, %x : tensor<3xi32> -> tensor<3xi1>
  %s = nd.less %y, %y : tensor<3xf32> -> tensor<3xi1>
  %t = nd.equal %y, %y : tensor<3xf32> -> tensor<3xi1>
  func.return %r, %s, %t : tensor<3xi1>, tensor<3xi1>, tensor<3xi1>
}

// -----

// p == true, p != false.
// CHECK-LABEL: func.func @compares_bool(
// CHECK-NEXT: func.return %x : tensor<3xi1>
func.func @compares_bool(%x: tensor<3xi1>) -> tensor<3xi1> {
  %t = nd.constant dense<true> : tensor<3xi1>
  %f = nd.constant dense<false> : tensor<3xi1>
  %a = nd.equal %x, %t : tensor<3xi1> -> tensor<3xi1>
  %r = nd.not_equal %f, %a : tensor<3xi1> -> tensor<3xi1>
  func.return %r : tensor<3xi1>
}

// -----

// not (x < y) on integers, not (x == y) on floats; not (x < y) on floats is true for NaN.
// CHECK-LABEL: func.func @inverts_comparisons(
// CHECK: nd.greater %x,
// CHECK: nd.not_equal %y, %y
// CHECK: [[E:%[a-z0-9_]+]] = nd.greater %y
// CHECK-NEXT: nd.bitwise_invert [[E]]
func.func @inverts_comparisons(%x: tensor<3xi32>, %y: tensor<3xf32>) -> (tensor<3xi1>, tensor<3xi1>, tensor<3xi1>) {
  %c1 = nd.constant dense<[1, 2, 3]> : tensor<3xi32>
  %f1 = nd.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %b = nd.less_equal %x, %c1 : tensor<3xi32> -> tensor<3xi1>
  %r = nd.bitwise_invert %b : tensor<3xi1>
  %d = nd.equal %y, %y : tensor<3xf32> -> tensor<3xi1>
  %s = nd.bitwise_invert %d : tensor<3xi1>
  %e = nd.greater %y, %f1 : tensor<3xf32> -> tensor<3xi1>
  %t = nd.bitwise_invert %e : tensor<3xi1>
  func.return %r, %s, %t : tensor<3xi1>, tensor<3xi1>, tensor<3xi1>
}

// -----

// Known predicates, equal branches, an inverted predicate, a choice between true and false.
// CHECK-LABEL: func.func @selects_known(
// CHECK-NOT: nd.bitwise_invert
// CHECK: [[U:%[a-z0-9_]+]] = nd.select %p, %y, %x
// CHECK-NEXT: func.return %y, %x, [[U]], %p
func.func @selects_known(%x: tensor<3xf32>, %y: tensor<3xf32>, %p: tensor<3xi1>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xi1>) {
  %t = nd.constant dense<true> : tensor<3xi1>
  %f = nd.constant dense<false> : tensor<3xi1>
  %r = nd.select %f, %x, %y : tensor<3xi1>, tensor<3xf32>
  %s = nd.select %p, %x, %x : tensor<3xi1>, tensor<3xf32>
  %n = nd.bitwise_invert %p : tensor<3xi1>
  %u = nd.select %n, %x, %y : tensor<3xi1>, tensor<3xf32>
  %v = nd.select %p, %t, %f : tensor<3xi1>, tensor<3xi1>
  func.return %r, %s, %u, %v : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xi1>
}

// -----

// Casts that lose nothing, there and back.
// CHECK-LABEL: func.func @casts_back(
// CHECK-NEXT: func.return %x : tensor<2xf16>
func.func @casts_back(%x: tensor<2xf16>) -> tensor<2xf16> {
  %a = nd.cast %x : tensor<2xf16> -> tensor<2xf32>
  %b = nd.cast %a : tensor<2xf32> -> tensor<2xf64>
  %r = nd.cast %b : tensor<2xf64> -> tensor<2xf16>
  func.return %r : tensor<2xf16>
}

// -----

// f32 -> f16 -> f32 rounds.
// CHECK-LABEL: func.func @keeps_rounding(
// CHECK-NEXT: [[A:%[a-z0-9_]+]] = nd.cast %x
// CHECK-NEXT: nd.cast [[A]]
func.func @keeps_rounding(%x: tensor<3xf32>) -> tensor<3xf32> {
  %a = nd.cast %x : tensor<3xf32> -> tensor<3xf16>
  %r = nd.cast %a : tensor<3xf16> -> tensor<3xf32>
  func.return %r : tensor<3xf32>
}

// -----

// One cast does what two do: nothing is lost first, or what is lost is cut again.
// CHECK-LABEL: func.func @casts_once(
// CHECK-NEXT: nd.cast %x : tensor<3xi32> -> tensor<3xf32>
// CHECK-NEXT: nd.cast %y : tensor<3xi64> -> tensor<3xi8>
// CHECK-NEXT: func.return
func.func @casts_once(%x: tensor<3xi32>, %y: tensor<3xi64>) -> (tensor<3xf32>, tensor<3xi8>) {
  %a = nd.cast %x : tensor<3xi32> -> tensor<3xi64>
  %r = nd.cast %a : tensor<3xi64> -> tensor<3xf32>
  %b = nd.cast %y : tensor<3xi64> -> tensor<3xi32>
  %s = nd.cast %b : tensor<3xi32> -> tensor<3xi8>
  func.return %r, %s : tensor<3xf32>, tensor<3xi8>
}

// -----

// An integer saturates on its way through a float, and wraps without it.
// CHECK-LABEL: func.func @keeps_saturation(
// CHECK-COUNT-2: nd.cast
// CHECK-NEXT: func.return
func.func @keeps_saturation(%x: tensor<3xi32>) -> tensor<3xi8> {
  %a = nd.cast %x : tensor<3xi32> -> tensor<3xf64>
  %r = nd.cast %a : tensor<3xf64> -> tensor<3xi8>
  func.return %r : tensor<3xi8>
}

// -----

// What is computed of each element is computed before a broadcast.
// CHECK-LABEL: func.func @computes_before_broadcast(
// CHECK-NEXT: [[E:%[a-z0-9_]+]] = nd.exp %x : tensor<?xf32>
// CHECK-NEXT: [[I:%[a-z0-9_]+]] = nd.cast [[E]] : tensor<?xf32> -> tensor<?xi32>
// CHECK-NEXT: nd.broadcast [[I]][%n] dims [1] : tensor<?xi32> -> tensor<4x?xi32>
func.func @computes_before_broadcast(%x: tensor<?xf32>, %n: index) -> tensor<4x?xi32> {
  %w = nd.broadcast %x [%n] dims [1] : tensor<?xf32> -> tensor<4x?xf32>
  %e = nd.exp %w : tensor<4x?xf32>
  %r = nd.cast %e : tensor<4x?xf32> -> tensor<4x?xi32>
  func.return %r : tensor<4x?xi32>
}

// -----

// A transpose that keeps all axes; two that undo each other.
// CHECK-LABEL: func.func @transposes_back(
// CHECK-NEXT: func.return %x : tensor<2x3x?xf32>
func.func @transposes_back(%x: tensor<2x3x?xf32>) -> tensor<2x3x?xf32> {
  %a = nd.transpose %x permutation [0, 1, 2] : tensor<2x3x?xf32> -> tensor<2x3x?xf32>
  %b = nd.transpose %a permutation [1, 2, 0] : tensor<2x3x?xf32> -> tensor<3x?x2xf32>
  %r = nd.transpose %b permutation [2, 0, 1] : tensor<3x?x2xf32> -> tensor<2x3x?xf32>
  func.return %r : tensor<2x3x?xf32>
}

// -----

// One transpose does what two do.
// CHECK-LABEL: func.func @transposes_once(
// CHECK-NEXT: nd.transpose %x permutation [1, 0, 2]
// CHECK-NEXT: func.return
func.func @transposes_once(%x: tensor<2x3x0xf32>) -> tensor<3x2x0xf32> {
  %a = nd.transpose %x permutation [2, 1, 0] : tensor<2x3x0xf32> -> tensor<0x3x2xf32>
  %r = nd.transpose %a permutation [1, 2, 0] : tensor<0x3x2xf32> -> tensor<3x2x0xf32>
  func.return %r : tensor<3x2x0xf32>
}

// -----

// A broadcast names the axes of what was transposed; sizes follow their axes.
// CHECK-LABEL: func.func @transposes_broadcast(
// CHECK-NEXT: nd.broadcast %x[%m, %n] dims [0]
// CHECK-NEXT: func.return
func.func @transposes_broadcast(%x: tensor<?xf32>, %n: index, %m: index) -> tensor<?x2x?xf32> {
  %w = nd.broadcast %x [%n, %m] dims [2] : tensor<?xf32> -> tensor<2x?x?xf32>
  %r = nd.transpose %w permutation [2, 0, 1] : tensor<2x?x?xf32> -> tensor<?x2x?xf32>
  func.return %r : tensor<?x2x?xf32>
}

// -----

// Reshapes there and back, and to the same shape.
// CHECK-LABEL: func.func @reshapes_back(
// CHECK-NEXT: func.return %x : tensor<2x6xf32>
func.func @reshapes_back(%x: tensor<2x6xf32>) -> tensor<2x6xf32> {
  %a = nd.reshape %x : tensor<2x6xf32> -> tensor<3x4xf32>
  %b = nd.reshape %a : tensor<3x4xf32> -> tensor<2x6xf32>
  %r = nd.reshape %b : tensor<2x6xf32> -> tensor<2x6xf32>
  func.return %r : tensor<2x6xf32>
}

// -----

// One reshape does what two do.
// CHECK-LABEL: func.func @reshapes_once(
// CHECK-NEXT: nd.reshape %x[%m]
// CHECK-NEXT: func.return
func.func @reshapes_once(%x: tensor<2x?xf32>, %n: index, %m: index) -> tensor<1x?xf32> {
  %a = nd.reshape %x [%n] : tensor<2x?xf32> -> tensor<?xf32>
  %r = nd.reshape %a [%m] : tensor<?xf32> -> tensor<1x?xf32>
  func.return %r : tensor<1x?xf32>
}

// -----

// Two unknown sizes may have changed places.
// CHECK-LABEL: func.func @keeps_reshape_of_unknown_sizes(
// CHECK-NEXT: nd.reshape %x
func.func @keeps_reshape_of_unknown_sizes(%x: tensor<?x?xf32>, %n: index, %m: index) -> tensor<?x?xf32> {
  %r = nd.reshape %x [%n, %m] : tensor<?x?xf32> -> tensor<?x?xf32>
  func.return %r : tensor<?x?xf32>
}

// -----

// A reshape of one broadcast element is a broadcast of it.
// CHECK-LABEL: func.func @reshapes_splat(
// CHECK-NEXT: [[S:%[a-z0-9_]+]] = nd.reshape %x : tensor<1xf32> -> tensor<f32>
// CHECK-NEXT: nd.broadcast [[S]] dims [] : tensor<f32> -> tensor<2x3xf32>
func.func @reshapes_splat(%x: tensor<1xf32>) -> tensor<2x3xf32> {
  %w = nd.broadcast %x dims [0] : tensor<1xf32> -> tensor<6xf32>
  %r = nd.reshape %w : tensor<6xf32> -> tensor<2x3xf32>
  func.return %r : tensor<2x3xf32>
}

// -----

// A broadcast that changes nothing.
// CHECK-LABEL: func.func @broadcasts_nothing(
// CHECK-NEXT: func.return %x : tensor<2x?xf32>
func.func @broadcasts_nothing(%x: tensor<2x?xf32>, %n: index) -> tensor<2x?xf32> {
  %r = nd.broadcast %x [%n] dims [0, 1] : tensor<2x?xf32> -> tensor<2x?xf32>
  func.return %r : tensor<2x?xf32>
}

// -----

// A broadcast that only permutes is not one that changes nothing.
// CHECK-LABEL: func.func @keeps_permuting_broadcast(
// CHECK-NEXT: nd.broadcast %x dims [1, 0]
func.func @keeps_permuting_broadcast(%x: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %r = nd.broadcast %x dims [1, 0] : tensor<2x2xf32> -> tensor<2x2xf32>
  func.return %r : tensor<2x2xf32>
}

// -----

// One broadcast does what two do.
// CHECK-LABEL: func.func @broadcasts_once(
// CHECK-NEXT: nd.broadcast %x[%n] dims [1, 2] : tensor<1x3xf32> -> tensor<5x?x3xf32>
// CHECK-NEXT: func.return
func.func @broadcasts_once(%x: tensor<1x3xf32>, %n: index) -> tensor<5x?x3xf32> {
  %a = nd.broadcast %x [%n] dims [0, 1] : tensor<1x3xf32> -> tensor<?x3xf32>
  %r = nd.broadcast %a [%n] dims [1, 2] : tensor<?x3xf32> -> tensor<5x?x3xf32>
  func.return %r : tensor<5x?x3xf32>
}

// -----

// x[:, None] broadcast along the new axis.
// CHECK-LABEL: func.func @broadcasts_units(
// CHECK-NEXT: nd.broadcast %x[%n] dims [0] : tensor<?xf32> -> tensor<?x4xf32>
func.func @broadcasts_units(%x: tensor<?xf32>, %n: index) -> tensor<?x4xf32> {
  %a = nd.reshape %x [%n] : tensor<?xf32> -> tensor<?x1xf32>
  %r = nd.broadcast %a [%n] dims [0, 1] : tensor<?x1xf32> -> tensor<?x4xf32>
  func.return %r : tensor<?x4xf32>
}

// -----

// A reshape that moves elements between axes is not one that adds axes.
// CHECK-LABEL: func.func @keeps_reshape_before_broadcast(
// CHECK-NEXT: nd.reshape %x
// CHECK-NEXT: nd.broadcast
func.func @keeps_reshape_before_broadcast(%x: tensor<6xf32>) -> tensor<2x3x4xf32> {
  %a = nd.reshape %x : tensor<6xf32> -> tensor<2x3x1xf32>
  %r = nd.broadcast %a dims [0, 1, 2] : tensor<2x3x1xf32> -> tensor<2x3x4xf32>
  func.return %r : tensor<2x3x4xf32>
}

// -----

// Axes of size 1 have no order; two reverses of one axis.
// CHECK-LABEL: func.func @reverses_back(
// CHECK-NEXT: func.return %x : tensor<1x3xf32>
func.func @reverses_back(%x: tensor<1x3xf32>) -> tensor<1x3xf32> {
  %a = nd.reverse %x axes [0] : tensor<1x3xf32>
  %b = nd.reverse %a axes [0, 1] : tensor<1x3xf32>
  %r = nd.reverse %b axes [1] : tensor<1x3xf32>
  func.return %r : tensor<1x3xf32>
}

// -----

// Reverses of other axes become one.
// CHECK-LABEL: func.func @reverses_once(
// CHECK-NEXT: nd.reverse %x axes [0, 1]
// CHECK-NEXT: func.return
func.func @reverses_once(%x: tensor<2x?xf32>) -> tensor<2x?xf32> {
  %a = nd.reverse %x axes [0] : tensor<2x?xf32>
  %r = nd.reverse %a axes [1] : tensor<2x?xf32>
  func.return %r : tensor<2x?xf32>
}

// -----

// A join of one, with a part of size 0.
// CHECK-LABEL: func.func @concats_one(
// CHECK-NEXT: func.return %x : tensor<3xf32>
func.func @concats_one(%x: tensor<3xf32>, %e: tensor<0xf32>) -> tensor<3xf32> {
  %a = nd.concat %x, %e axis 0 : tensor<3xf32>, tensor<0xf32> -> tensor<3xf32>
  %r = nd.concat %a axis 0 : tensor<3xf32> -> tensor<3xf32>
  func.return %r : tensor<3xf32>
}

// -----

// A join of joins along one axis is one join; another axis, or another reader, is kept.
// CHECK-LABEL: func.func @concats_flat(
// CHECK-NEXT: nd.concat %x, %y, %x axis 0
// CHECK-NEXT: [[B:%[a-z0-9_]+]] = nd.concat %y, %x axis 0
// CHECK-NEXT: nd.concat [[B]], [[B]] axis 1
func.func @concats_flat(%x: tensor<1x2xf32>, %y: tensor<1x2xf32>) -> (tensor<3x2xf32>, tensor<2x4xf32>) {
  %a = nd.concat %x, %y axis 0 : tensor<1x2xf32>, tensor<1x2xf32> -> tensor<2x2xf32>
  %r = nd.concat %a, %x axis 0 : tensor<2x2xf32>, tensor<1x2xf32> -> tensor<3x2xf32>
  %b = nd.concat %y, %x axis 0 : tensor<1x2xf32>, tensor<1x2xf32> -> tensor<2x2xf32>
  %s = nd.concat %b, %b axis 1 : tensor<2x2xf32>, tensor<2x2xf32> -> tensor<2x4xf32>
  func.return %r, %s : tensor<3x2xf32>, tensor<2x4xf32>
}

// -----

// Pads by nothing are gone, pads with one value become one, with two they stay.
// CHECK-LABEL: func.func @pads_once(
// CHECK-NEXT: [[R:%[a-z0-9_]+]] = nd.pad %x, %v low [4] high [2]
// CHECK-NEXT: nd.pad [[R]], %w low [1] high [1]
func.func @pads_once(%x: tensor<?xf32>, %v: tensor<f32>, %w: tensor<f32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %a = nd.pad %x, %v low [0] high [0] : tensor<?xf32>, tensor<f32> -> tensor<?xf32>
  %b = nd.pad %a, %v low [1] high [2] : tensor<?xf32>, tensor<f32> -> tensor<?xf32>
  %r = nd.pad %b, %v low [3] high [0] : tensor<?xf32>, tensor<f32> -> tensor<?xf32>
  %s = nd.pad %r, %w low [1] high [1] : tensor<?xf32>, tensor<f32> -> tensor<?xf32>
  func.return %r, %s : tensor<?xf32>, tensor<?xf32>
}

// -----

// A reduction over no axis, or over axes of size 1; a float sum makes 0.0 of -0.0.
// CHECK-LABEL: func.func @reduces_nothing(
// CHECK-NEXT: [[S:%[a-z0-9_]+]] = nd.reshape %x
// CHECK-NEXT: [[T:%[a-z0-9_]+]] = nd.reduce "sum" %x
// CHECK-NEXT: func.return %x, [[S]], [[T]]
func.func @reduces_nothing(%x: tensor<1x3xf32>) -> (tensor<1x3xf32>, tensor<3xf32>, tensor<3xf32>) {
  %r = nd.reduce "max" %x axes [] : tensor<1x3xf32> -> tensor<1x3xf32>
  %s = nd.reduce "min" %x axes [0] : tensor<1x3xf32> -> tensor<3xf32>
  %t = nd.reduce "sum" %x axes [0] : tensor<1x3xf32> -> tensor<3xf32>
  func.return %r, %s, %t : tensor<1x3xf32>, tensor<3xf32>, tensor<3xf32>
}

// -----

// x @ eye and eye @ x on integers; inf * 0 is NaN, so not on floats.
// CHECK-LABEL: func.func @multiplies_by_identity(
// CHECK: [[U:%[a-z0-9_]+]] = nd.dot_general %y
// CHECK-NEXT: func.return %x, %x, [[U]]
func.func @multiplies_by_identity(%x: tensor<3x2xi32>, %y: tensor<3x2xf32>) -> (tensor<3x2xi32>, tensor<3x2xi32>, tensor<3x2xf32>) {
  %e = nd.constant dense<[[1, 0], [0, 1]]> : tensor<2x2xi32>
  %t = nd.constant dense<[[1, 0, 0], [0, 1, 0], [0, 0, 1]]> : tensor<3x3xi32>
  %f = nd.constant dense<[[1.0, 0.0], [0.0, 1.0]]> : tensor<2x2xf32>
  %r = nd.dot_general %x, %e batch [] [] contract [1] [0] : tensor<3x2xi32>, tensor<2x2xi32> -> tensor<3x2xi32>
  %s = nd.dot_general %t, %x batch [] [] contract [1] [0] : tensor<3x3xi32>, tensor<3x2xi32> -> tensor<3x2xi32>
  %u = nd.dot_general %y, %f batch [] [] contract [1] [0] : tensor<3x2xf32>, tensor<2x2xf32> -> tensor<3x2xf32>
  func.return %r, %s, %u : tensor<3x2xi32>, tensor<3x2xi32>, tensor<3x2xf32>
}

// -----

// A matrix that is not square, or not ones on the diagonal, or the other axis of x.
// CHECK-LABEL: func.func @keeps_products(
// CHECK-COUNT-2: nd.dot_general %x
func.func @keeps_products(%x: tensor<2x2xi32>) -> (tensor<2x2xi32>, tensor<2x2xi32>) {
  %e = nd.constant dense<[[1, 0], [0, 1]]> : tensor<2x2xi32>
  %g = nd.constant dense<[[0, 1], [1, 0]]> : tensor<2x2xi32>
  %r = nd.dot_general %x, %e batch [] [] contract [0] [0] : tensor<2x2xi32>, tensor<2x2xi32> -> tensor<2x2xi32>
  %s = nd.dot_general %x, %g batch [] [] contract [1] [0] : tensor<2x2xi32>, tensor<2x2xi32> -> tensor<2x2xi32>
  func.return %r, %s : tensor<2x2xi32>, tensor<2x2xi32>
}

// -----

// Sizes that are not unknown, and indices there and back.
// CHECK-LABEL: func.func @knows_sizes(
// CHECK-NEXT: [[C:%[a-z0-9_]+]] = arith.constant 3 : index
// CHECK-NEXT: [[R:%[a-z0-9_]+]] = nd.from_index [[C]]
// CHECK-NEXT: func.return [[R]], %i
func.func @knows_sizes(%x: tensor<3x?xf32>, %i: tensor<i64>) -> (tensor<i64>, tensor<i64>) {
  %d = nd.dim %x axis 0 : tensor<3x?xf32>
  %r = nd.from_index %d : tensor<i64>
  %j = nd.to_index %i : tensor<i64>
  %s = nd.from_index %j : tensor<i64>
  func.return %r, %s : tensor<i64>, tensor<i64>
}

// -----

// A slice of everything.
// CHECK-LABEL: func.func @slices_whole(
// CHECK-NEXT: func.return %x : tensor<4x?xf32>
func.func @slices_whole(%x: tensor<4x?xf32>) -> tensor<4x?xf32> {
  %r = nd.slice %x starts [0, 0] limits [4, -1] strides [1, 1] : tensor<4x?xf32> -> tensor<4x?xf32>
  func.return %r : tensor<4x?xf32>
}

// -----

// One slice does what two do: x[1:9:2][1:4:2] is x[3:8:4].
// CHECK-LABEL: func.func @slices_once(
// CHECK-NEXT: nd.slice %x starts [3, 0] limits [8, -1] strides [4, 1]
// CHECK-NEXT: func.return
func.func @slices_once(%x: tensor<10x?xf32>) -> tensor<2x?xf32> {
  %a = nd.slice %x starts [1, 0] limits [9, -1] strides [2, 1] : tensor<10x?xf32> -> tensor<4x?xf32>
  %r = nd.slice %a starts [1, 0] limits [4, -1] strides [2, 1] : tensor<4x?xf32> -> tensor<2x?xf32>
  func.return %r : tensor<2x?xf32>
}

// -----

// Of an axis of unknown size one of the two slices must take all.
// CHECK-LABEL: func.func @keeps_slices_of_unknown_size(
// CHECK-COUNT-2: nd.slice
func.func @keeps_slices_of_unknown_size(%x: tensor<?xf32>) -> tensor<?xf32> {
  %a = nd.slice %x starts [1] limits [-1] strides [1] : tensor<?xf32> -> tensor<?xf32>
  %r = nd.slice %a starts [1] limits [-1] strides [1] : tensor<?xf32> -> tensor<?xf32>
  func.return %r : tensor<?xf32>
}

// -----

// A slice of a join reads the parts that it takes something of.
// CHECK-LABEL: func.func @slices_concat(
// CHECK-NEXT: nd.slice %y starts [1] limits [3] strides [1]
// CHECK-NEXT: [[J:%[a-z0-9_]+]] = nd.concat %y, %z axis 0
// CHECK-NEXT: nd.slice [[J]] starts [1] limits [6] strides [2]
func.func @slices_concat(%x: tensor<3xf32>, %y: tensor<4xf32>, %z: tensor<5xf32>) -> (tensor<2xf32>, tensor<3xf32>) {
  %a = nd.concat %x, %y, %z axis 0 : tensor<3xf32>, tensor<4xf32>, tensor<5xf32> -> tensor<12xf32>
  %r = nd.slice %a starts [4] limits [6] strides [1] : tensor<12xf32> -> tensor<2xf32>
  %s = nd.slice %a starts [4] limits [10] strides [2] : tensor<12xf32> -> tensor<3xf32>
  func.return %r, %s : tensor<2xf32>, tensor<3xf32>
}

// -----

// A slice of a pad: inside, in the edge, and across.
// CHECK-LABEL: func.func @slices_pad(
// CHECK-NEXT: [[P:%[a-z0-9_]+]] = nd.pad %x
// CHECK-NEXT: nd.slice %x starts [1] limits [3] strides [1]
// CHECK-NEXT: nd.broadcast %v dims [] : tensor<f32> -> tensor<2xf32>
// CHECK-NEXT: nd.slice [[P]] starts [1] limits [4] strides [1]
func.func @slices_pad(%x: tensor<4xf32>, %v: tensor<f32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<3xf32>) {
  %a = nd.pad %x, %v low [2] high [3] : tensor<4xf32>, tensor<f32> -> tensor<9xf32>
  %r = nd.slice %a starts [3] limits [5] strides [1] : tensor<9xf32> -> tensor<2xf32>
  %s = nd.slice %a starts [6] limits [9] strides [2] : tensor<9xf32> -> tensor<2xf32>
  %t = nd.slice %a starts [1] limits [4] strides [1] : tensor<9xf32> -> tensor<3xf32>
  func.return %r, %s, %t : tensor<2xf32>, tensor<2xf32>, tensor<3xf32>
}

// -----

// A slice of a broadcast is a smaller one; an axis of the operand is cut before.
// CHECK-LABEL: func.func @slices_broadcast(
// CHECK-NEXT: [[S:%[a-z0-9_]+]] = nd.slice %x starts [1, 0] limits [4, -1] strides [2, 1] : tensor<6x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: nd.broadcast [[S]][%n] dims [1, 2] : tensor<2x1xf32> -> tensor<?x2x3xf32>
func.func @slices_broadcast(%x: tensor<6x1xf32>, %n: index) -> tensor<?x2x3xf32> {
  %a = nd.broadcast %x [%n] dims [1, 2] : tensor<6x1xf32> -> tensor<?x6x8xf32>
  %r = nd.slice %a starts [0, 1, 2] limits [-1, 4, 5] strides [1, 2, 1] : tensor<?x6x8xf32> -> tensor<?x2x3xf32>
  func.return %r : tensor<?x2x3xf32>
}

// -----

// A window at known places is a slice, clamped as the window would be.
// CHECK-LABEL: func.func @slices_at_known_places(
// CHECK: [[S:%[a-z0-9_]+]] = nd.slice %x starts [5] limits [8] strides [1]
// CHECK-NEXT: func.return %x, [[S]]
func.func @slices_at_known_places(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<3xf32>) {
  %i = arith.constant 7 : index
  %r = nd.dynamic_slice %x [%i] sizes [8] : tensor<8xf32> -> tensor<8xf32>
  %s = nd.dynamic_slice %x [%i] sizes [3] : tensor<8xf32> -> tensor<3xf32>
  func.return %r, %s : tensor<8xf32>, tensor<3xf32>
}

// -----

// An update of all is the update, one of nothing leaves the operand.
// CHECK-LABEL: func.func @updates_all(
// CHECK-NEXT: func.return %y, %x
func.func @updates_all(%x: tensor<8xf32>, %y: tensor<8xf32>, %e: tensor<0xf32>, %i: index) -> (tensor<8xf32>, tensor<8xf32>) {
  %r = nd.dynamic_update_slice %x, %y [%i] : tensor<8xf32> -> tensor<8xf32>
  %s = nd.dynamic_update_slice %x, %e [%i] : tensor<0xf32> -> tensor<8xf32>
  func.return %r, %s : tensor<8xf32>, tensor<8xf32>
}

// -----

// A branch that is known is the program; what it holds is simplified too.
// CHECK-LABEL: func.func @takes_known_branch(
// CHECK-NOT: scf.if
// CHECK: func.return %y
func.func @takes_known_branch(%x: tensor<3xf32>, %y: tensor<3xf32>) -> tensor<3xf32> {
  %t = arith.constant false
  %r = scf.if %t -> (tensor<3xf32>) {
    scf.yield %x : tensor<3xf32>
  } else {
    %a = nd.negative %y : tensor<3xf32>
    %b = nd.negative %a : tensor<3xf32>
    scf.yield %b : tensor<3xf32>
  }
  func.return %r : tensor<3xf32>
}

// -----

// The case of a switch that is known, or the default.
// CHECK-LABEL: func.func @takes_known_case(
// CHECK-NOT: scf.index_switch
// CHECK: func.return %x, %y
func.func @takes_known_case(%x: tensor<3xf32>, %y: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
  %i = arith.constant 2 : index
  %j = arith.constant 5 : index
  %r = scf.index_switch %i -> tensor<3xf32>
  case 2 {
    scf.yield %x : tensor<3xf32>
  }
  default {
    scf.yield %y : tensor<3xf32>
  }
  %s = scf.index_switch %j -> tensor<3xf32>
  case 2 {
    scf.yield %x : tensor<3xf32>
  }
  default {
    scf.yield %y : tensor<3xf32>
  }
  func.return %r, %s : tensor<3xf32>, tensor<3xf32>
}

// -----

// A loop of no trip, of one trip, and of two.
// CHECK-LABEL: func.func @unrolls_known_loop(
// CHECK: [[E:%[a-z0-9_]+]] = nd.exp %x
// CHECK: [[R:%[a-z0-9_]+]] = scf.for
// CHECK: func.return %x, [[E]], [[R]]
func.func @unrolls_known_loop(%x: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) {
  %z = arith.constant 0 : index
  %o = arith.constant 1 : index
  %t = arith.constant 2 : index
  %p = scf.for %ip = %z to %z step %o iter_args(%cp = %x) -> (tensor<3xf32>) {
    %pe = nd.exp %cp : tensor<3xf32>
    scf.yield %pe : tensor<3xf32>
  }
  %q = scf.for %iq = %z to %o step %o iter_args(%cq = %x) -> (tensor<3xf32>) {
    %qe = nd.exp %cq : tensor<3xf32>
    scf.yield %qe : tensor<3xf32>
  }
  %r = scf.for %ir = %z to %t step %o iter_args(%cr = %x) -> (tensor<3xf32>) {
    %re = nd.exp %cr : tensor<3xf32>
    scf.yield %re : tensor<3xf32>
  }
  func.return %p, %q, %r : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
}

// -----

// What nobody reads is not looked at, and goes.
// CHECK-LABEL: func.func @erases_dead(
// CHECK-NOT: nd.negative
// CHECK: func.return %x
func.func @erases_dead(%x: tensor<3xf32>) -> tensor<3xf32> {
  %a = nd.exp %x : tensor<3xf32>
  %b = nd.negative %a : tensor<3xf32>
  func.return %x : tensor<3xf32>
}

// -----

// A check that is known to hold goes. Others stay, also equal ones, one that never holds, and one in
// a loop whose result nobody reads.
// CHECK-LABEL: func.func @checks(
// CHECK-NOT: "always"
// CHECK: nd.check %ok, "DomainError", "twice"
// CHECK-NEXT: nd.check %ok, "DomainError", "twice"
// CHECK-NEXT: nd.check %never, "DomainError", "never"
// CHECK: scf.for
// CHECK: nd.check %ok, "ShapeError", "in a loop"
// CHECK: func.return %x
func.func @checks(%x: tensor<3xf32>, %ok: tensor<i1>, %n: index) -> tensor<3xf32> {
  %z = arith.constant 0 : index
  %o = arith.constant 1 : index
  %always = nd.constant dense<true> : tensor<i1>
  %never = nd.constant dense<false> : tensor<i1>
  nd.check %always, "DomainError", "always"
  nd.check %ok, "DomainError", "twice"
  nd.check %ok, "DomainError", "twice"
  nd.check %never, "DomainError", "never"
  %p = scf.for %i = %z to %n step %o iter_args(%c = %x) -> (tensor<3xf32>) {
    nd.check %ok, "ShapeError", "in a loop"
    %e = nd.exp %c : tensor<3xf32>
    scf.yield %e : tensor<3xf32>
  }
  func.return %x : tensor<3xf32>
}
