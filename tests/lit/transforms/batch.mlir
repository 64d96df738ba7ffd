// RUN: %opt -p 'batch{function=f size=3}' --split-input-file --verify-diagnostics %s | %check

// The function of three examples, of each op: a rule an op in batching/.

// negative.
// CHECK-LABEL: func.func @f_batched(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<3x4xf32>) -> tensor<3x4xf32>
// CHECK-NEXT: [[V1:%[a-z0-9_]+]] = nd.negative [[V0]] : tensor<3x4xf32>
// CHECK-NEXT: func.return [[V1]] : tensor<3x4xf32>
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = nd.negative %x : tensor<4xf32>
  func.return %r : tensor<4xf32>
}

// -----

// abs.
// CHECK-LABEL: func.func @f_batched(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<3x4xf32>) -> tensor<3x4xf32>
// CHECK-NEXT: [[V1:%[a-z0-9_]+]] = nd.abs [[V0]] : tensor<3x4xf32>
// CHECK-NEXT: func.return [[V1]] : tensor<3x4xf32>
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = nd.abs %x : tensor<4xf32>
  func.return %r : tensor<4xf32>
}

// -----

// sign.
// CHECK-LABEL: func.func @f_batched(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<3x4xf32>) -> tensor<3x4xf32>
// CHECK-NEXT: [[V1:%[a-z0-9_]+]] = nd.sign [[V0]] : tensor<3x4xf32>
// CHECK-NEXT: func.return [[V1]] : tensor<3x4xf32>
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = nd.sign %x : tensor<4xf32>
  func.return %r : tensor<4xf32>
}

// -----

// bitwise_invert.
// CHECK-LABEL: func.func @f_batched(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<3x4xi32>) -> tensor<3x4xi32>
// CHECK-NEXT: [[V1:%[a-z0-9_]+]] = nd.bitwise_invert [[V0]] : tensor<3x4xi32>
// CHECK-NEXT: func.return [[V1]] : tensor<3x4xi32>
func.func @f(%x: tensor<4xi32>) -> tensor<4xi32> {
  %r = nd.bitwise_invert %x : tensor<4xi32>
  func.return %r : tensor<4xi32>
}

// -----

// sqrt.
// CHECK-LABEL: func.func @f_batched(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<3x4xf32>) -> tensor<3x4xf32>
// CHECK-NEXT: [[V1:%[a-z0-9_]+]] = nd.sqrt [[V0]] : tensor<3x4xf32>
// CHECK-NEXT: func.return [[V1]] : tensor<3x4xf32>
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = nd.sqrt %x : tensor<4xf32>
  func.return %r : tensor<4xf32>
}

// -----

// floor.
// CHECK-LABEL: func.func @f_batched(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<3x4xf32>) -> tensor<3x4xf32>
// CHECK-NEXT: [[V1:%[a-z0-9_]+]] = nd.floor [[V0]] : tensor<3x4xf32>
// CHECK-NEXT: func.return [[V1]] : tensor<3x4xf32>
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = nd.floor %x : tensor<4xf32>
  func.return %r : tensor<4xf32>
}

// -----

// ceil.
// CHECK-LABEL: func.func @f_batched(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<3x4xf32>) -> tensor<3x4xf32>
// CHECK-NEXT: [[V1:%[a-z0-9_]+]] = nd.ceil [[V0]] : tensor<3x4xf32>
// CHECK-NEXT: func.return [[V1]] : tensor<3x4xf32>
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = nd.ceil %x : tensor<4xf32>
  func.return %r : tensor<4xf32>
}

// -----

// trunc.
// CHECK-LABEL: func.func @f_batched(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<3x4xf32>) -> tensor<3x4xf32>
// CHECK-NEXT: [[V1:%[a-z0-9_]+]] = nd.trunc [[V0]] : tensor<3x4xf32>
// CHECK-NEXT: func.return [[V1]] : tensor<3x4xf32>
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = nd.trunc %x : tensor<4xf32>
  func.return %r : tensor<4xf32>
}

// -----

// round.
// CHECK-LABEL: func.func @f_batched(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<3x4xf32>) -> tensor<3x4xf32>
// CHECK-NEXT: [[V1:%[a-z0-9_]+]] = nd.round [[V0]] : tensor<3x4xf32>
// CHECK-NEXT: func.return [[V1]] : tensor<3x4xf32>
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = nd.round %x : tensor<4xf32>
  func.return %r : tensor<4xf32>
}

// -----

// exp.
// CHECK-LABEL: func.func @f_batched(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<3x4xf32>) -> tensor<3x4xf32>
// CHECK-NEXT: [[V1:%[a-z0-9_]+]] = nd.exp [[V0]] : tensor<3x4xf32>
// CHECK-NEXT: func.return [[V1]] : tensor<3x4xf32>
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = nd.exp %x : tensor<4xf32>
  func.return %r : tensor<4xf32>
}

// -----

// exp2.
// CHECK-LABEL: func.func @f_batched(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<3x4xf32>) -> tensor<3x4xf32>
// CHECK-NEXT: [[V1:%[a-z0-9_]+]] = nd.exp2 [[V0]] : tensor<3x4xf32>
// CHECK-NEXT: func.return [[V1]] : tensor<3x4xf32>
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = nd.exp2 %x : tensor<4xf32>
  func.return %r : tensor<4xf32>
}

// -----

// expm1.
// CHECK-LABEL: func.func @f_batched(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<3x4xf32>) -> tensor<3x4xf32>
// CHECK-NEXT: [[V1:%[a-z0-9_]+]] = nd.expm1 [[V0]] : tensor<3x4xf32>
// CHECK-NEXT: func.return [[V1]] : tensor<3x4xf32>
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = nd.expm1 %x : tensor<4xf32>
  func.return %r : tensor<4xf32>
}

// -----

// log.
// CHECK-LABEL: func.func @f_batched(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<3x4xf32>) -> tensor<3x4xf32>
// CHECK-NEXT: [[V1:%[a-z0-9_]+]] = nd.log [[V0]] : tensor<3x4xf32>
// CHECK-NEXT: func.return [[V1]] : tensor<3x4xf32>
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = nd.log %x : tensor<4xf32>
  func.return %r : tensor<4xf32>
}

// -----

// log1p.
// CHECK-LABEL: func.func @f_batched(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<3x4xf32>) -> tensor<3x4xf32>
// CHECK-NEXT: [[V1:%[a-z0-9_]+]] = nd.log1p [[V0]] : tensor<3x4xf32>
// CHECK-NEXT: func.return [[V1]] : tensor<3x4xf32>
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = nd.log1p %x : tensor<4xf32>
  func.return %r : tensor<4xf32>
}

// -----

// log2.
// CHECK-LABEL: func.func @f_batched(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<3x4xf32>) -> tensor<3x4xf32>
// CHECK-NEXT: [[V1:%[a-z0-9_]+]] = nd.log2 [[V0]] : tensor<3x4xf32>
// CHECK-NEXT: func.return [[V1]] : tensor<3x4xf32>
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = nd.log2 %x : tensor<4xf32>
  func.return %r : tensor<4xf32>
}

// -----

// log10.
// CHECK-LABEL: func.func @f_batched(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<3x4xf32>) -> tensor<3x4xf32>
// CHECK-NEXT: [[V1:%[a-z0-9_]+]] = nd.log10 [[V0]] : tensor<3x4xf32>
// CHECK-NEXT: func.return [[V1]] : tensor<3x4xf32>
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = nd.log10 %x : tensor<4xf32>
  func.return %r : tensor<4xf32>
}

// -----

// sin.
// CHECK-LABEL: func.func @f_batched(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<3x4xf32>) -> tensor<3x4xf32>
// CHECK-NEXT: [[V1:%[a-z0-9_]+]] = nd.sin [[V0]] : tensor<3x4xf32>
// CHECK-NEXT: func.return [[V1]] : tensor<3x4xf32>
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = nd.sin %x : tensor<4xf32>
  func.return %r : tensor<4xf32>
}

// -----

// cos.
// CHECK-LABEL: func.func @f_batched(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<3x4xf32>) -> tensor<3x4xf32>
// CHECK-NEXT: [[V1:%[a-z0-9_]+]] = nd.cos [[V0]] : tensor<3x4xf32>
// CHECK-NEXT: func.return [[V1]] : tensor<3x4xf32>
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = nd.cos %x : tensor<4xf32>
  func.return %r : tensor<4xf32>
}

// -----

// tan.
// CHECK-LABEL: func.func @f_batched(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<3x4xf32>) -> tensor<3x4xf32>
// CHECK-NEXT: [[V1:%[a-z0-9_]+]] = nd.tan [[V0]] : tensor<3x4xf32>
// CHECK-NEXT: func.return [[V1]] : tensor<3x4xf32>
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = nd.tan %x : tensor<4xf32>
  func.return %r : tensor<4xf32>
}

// -----

// asin.
// CHECK-LABEL: func.func @f_batched(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<3x4xf32>) -> tensor<3x4xf32>
// CHECK-NEXT: [[V1:%[a-z0-9_]+]] = nd.asin [[V0]] : tensor<3x4xf32>
// CHECK-NEXT: func.return [[V1]] : tensor<3x4xf32>
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = nd.asin %x : tensor<4xf32>
  func.return %r : tensor<4xf32>
}

// -----

// acos.
// CHECK-LABEL: func.func @f_batched(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<3x4xf32>) -> tensor<3x4xf32>
// CHECK-NEXT: [[V1:%[a-z0-9_]+]] = nd.acos [[V0]] : tensor<3x4xf32>
// CHECK-NEXT: func.return [[V1]] : tensor<3x4xf32>
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = nd.acos %x : tensor<4xf32>
  func.return %r : tensor<4xf32>
}

// -----

// atan.
// CHECK-LABEL: func.func @f_batched(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<3x4xf32>) -> tensor<3x4xf32>
// CHECK-NEXT: [[V1:%[a-z0-9_]+]] = nd.atan [[V0]] : tensor<3x4xf32>
// CHECK-NEXT: func.return [[V1]] : tensor<3x4xf32>
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = nd.atan %x : tensor<4xf32>
  func.return %r : tensor<4xf32>
}

// -----

// sinh.
// CHECK-LABEL: func.func @f_batched(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<3x4xf32>) -> tensor<3x4xf32>
// CHECK-NEXT: [[V1:%[a-z0-9_]+]] = nd.sinh [[V0]] : tensor<3x4xf32>
// CHECK-NEXT: func.return [[V1]] : tensor<3x4xf32>
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = nd.sinh %x : tensor<4xf32>
  func.return %r : tensor<4xf32>
}

// -----

// cosh.
// CHECK-LABEL: func.func @f_batched(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<3x4xf32>) -> tensor<3x4xf32>
// CHECK-NEXT: [[V1:%[a-z0-9_]+]] = nd.cosh [[V0]] : tensor<3x4xf32>
// CHECK-NEXT: func.return [[V1]] : tensor<3x4xf32>
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = nd.cosh %x : tensor<4xf32>
  func.return %r : tensor<4xf32>
}

// -----

// tanh.
// CHECK-LABEL: func.func @f_batched(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<3x4xf32>) -> tensor<3x4xf32>
// CHECK-NEXT: [[V1:%[a-z0-9_]+]] = nd.tanh [[V0]] : tensor<3x4xf32>
// CHECK-NEXT: func.return [[V1]] : tensor<3x4xf32>
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = nd.tanh %x : tensor<4xf32>
  func.return %r : tensor<4xf32>
}

// -----

// asinh.
// CHECK-LABEL: func.func @f_batched(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<3x4xf32>) -> tensor<3x4xf32>
// CHECK-NEXT: [[V1:%[a-z0-9_]+]] = nd.asinh [[V0]] : tensor<3x4xf32>
// CHECK-NEXT: func.return [[V1]] : tensor<3x4xf32>
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = nd.asinh %x : tensor<4xf32>
  func.return %r : tensor<4xf32>
}

// -----

// acosh.
// CHECK-LABEL: func.func @f_batched(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<3x4xf32>) -> tensor<3x4xf32>
// CHECK-NEXT: [[V1:%[a-z0-9_]+]] = nd.acosh [[V0]] : tensor<3x4xf32>
// CHECK-NEXT: func.return [[V1]] : tensor<3x4xf32>
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = nd.acosh %x : tensor<4xf32>
  func.return %r : tensor<4xf32>
}

// -----

// atanh.
// CHECK-LABEL: func.func @f_batched(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<3x4xf32>) -> tensor<3x4xf32>
// CHECK-NEXT: [[V1:%[a-z0-9_]+]] = nd.atanh [[V0]] : tensor<3x4xf32>
// CHECK-NEXT: func.return [[V1]] : tensor<3x4xf32>
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = nd.atanh %x : tensor<4xf32>
  func.return %r : tensor<4xf32>
}

// -----

// erf.
// CHECK-LABEL: func.func @f_batched(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<3x4xf32>) -> tensor<3x4xf32>
// CHECK-NEXT: [[V1:%[a-z0-9_]+]] = nd.erf [[V0]] : tensor<3x4xf32>
// CHECK-NEXT: func.return [[V1]] : tensor<3x4xf32>
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = nd.erf %x : tensor<4xf32>
  func.return %r : tensor<4xf32>
}

// -----

// erfc.
// CHECK-LABEL: func.func @f_batched(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<3x4xf32>) -> tensor<3x4xf32>
// CHECK-NEXT: [[V1:%[a-z0-9_]+]] = nd.erfc [[V0]] : tensor<3x4xf32>
// CHECK-NEXT: func.return [[V1]] : tensor<3x4xf32>
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = nd.erfc %x : tensor<4xf32>
  func.return %r : tensor<4xf32>
}

// -----

// add.
// CHECK-LABEL: func.func @f_batched(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<3x4xf32>, [[V1:%[a-z0-9_]+]]: tensor<3x4xf32>) -> tensor<3x4xf32>
// CHECK-NEXT: [[V2:%[a-z0-9_]+]] = nd.add [[V0]], [[V1]] : tensor<3x4xf32>
// CHECK-NEXT: func.return [[V2]] : tensor<3x4xf32>
func.func @f(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %r = nd.add %x, %y : tensor<4xf32>
  func.return %r : tensor<4xf32>
}

// -----

// subtract.
// CHECK-LABEL: func.func @f_batched(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<3x4xf32>, [[V1:%[a-z0-9_]+]]: tensor<3x4xf32>) -> tensor<3x4xf32>
// CHECK-NEXT: [[V2:%[a-z0-9_]+]] = nd.subtract [[V0]], [[V1]] : tensor<3x4xf32>
// CHECK-NEXT: func.return [[V2]] : tensor<3x4xf32>
func.func @f(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %r = nd.subtract %x, %y : tensor<4xf32>
  func.return %r : tensor<4xf32>
}

// -----

// multiply.
// CHECK-LABEL: func.func @f_batched(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<3x4xf32>, [[V1:%[a-z0-9_]+]]: tensor<3x4xf32>) -> tensor<3x4xf32>
// CHECK-NEXT: [[V2:%[a-z0-9_]+]] = nd.multiply [[V0]], [[V1]] : tensor<3x4xf32>
// CHECK-NEXT: func.return [[V2]] : tensor<3x4xf32>
func.func @f(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %r = nd.multiply %x, %y : tensor<4xf32>
  func.return %r : tensor<4xf32>
}

// -----

// divide.
// CHECK-LABEL: func.func @f_batched(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<3x4xf32>, [[V1:%[a-z0-9_]+]]: tensor<3x4xf32>) -> tensor<3x4xf32>
// CHECK-NEXT: [[V2:%[a-z0-9_]+]] = nd.divide [[V0]], [[V1]] : tensor<3x4xf32>
// CHECK-NEXT: func.return [[V2]] : tensor<3x4xf32>
func.func @f(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %r = nd.divide %x, %y : tensor<4xf32>
  func.return %r : tensor<4xf32>
}

// -----

// floor_divide.
// CHECK-LABEL: func.func @f_batched(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<3x4xf32>, [[V1:%[a-z0-9_]+]]: tensor<3x4xf32>) -> tensor<3x4xf32>
// CHECK-NEXT: [[V2:%[a-z0-9_]+]] = nd.floor_divide [[V0]], [[V1]] : tensor<3x4xf32>
// CHECK-NEXT: func.return [[V2]] : tensor<3x4xf32>
func.func @f(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %r = nd.floor_divide %x, %y : tensor<4xf32>
  func.return %r : tensor<4xf32>
}

// -----

// remainder.
// CHECK-LABEL: func.func @f_batched(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<3x4xf32>, [[V1:%[a-z0-9_]+]]: tensor<3x4xf32>) -> tensor<3x4xf32>
// CHECK-NEXT: [[V2:%[a-z0-9_]+]] = nd.remainder [[V0]], [[V1]] : tensor<3x4xf32>
// CHECK-NEXT: func.return [[V2]] : tensor<3x4xf32>
func.func @f(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %r = nd.remainder %x, %y : tensor<4xf32>
  func.return %r : tensor<4xf32>
}

// -----

// pow.
// CHECK-LABEL: func.func @f_batched(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<3x4xf32>, [[V1:%[a-z0-9_]+]]: tensor<3x4xf32>) -> tensor<3x4xf32>
// CHECK-NEXT: [[V2:%[a-z0-9_]+]] = nd.pow [[V0]], [[V1]] : tensor<3x4xf32>
// CHECK-NEXT: func.return [[V2]] : tensor<3x4xf32>
func.func @f(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %r = nd.pow %x, %y : tensor<4xf32>
  func.return %r : tensor<4xf32>
}

// -----

// copysign.
// CHECK-LABEL: func.func @f_batched(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<3x4xf32>, [[V1:%[a-z0-9_]+]]: tensor<3x4xf32>) -> tensor<3x4xf32>
// CHECK-NEXT: [[V2:%[a-z0-9_]+]] = nd.copysign [[V0]], [[V1]] : tensor<3x4xf32>
// CHECK-NEXT: func.return [[V2]] : tensor<3x4xf32>
func.func @f(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %r = nd.copysign %x, %y : tensor<4xf32>
  func.return %r : tensor<4xf32>
}

// -----

// nextafter.
// CHECK-LABEL: func.func @f_batched(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<3x4xf32>, [[V1:%[a-z0-9_]+]]: tensor<3x4xf32>) -> tensor<3x4xf32>
// CHECK-NEXT: [[V2:%[a-z0-9_]+]] = nd.nextafter [[V0]], [[V1]] : tensor<3x4xf32>
// CHECK-NEXT: func.return [[V2]] : tensor<3x4xf32>
func.func @f(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %r = nd.nextafter %x, %y : tensor<4xf32>
  func.return %r : tensor<4xf32>
}

// -----

// maximum.
// CHECK-LABEL: func.func @f_batched(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<3x4xf32>, [[V1:%[a-z0-9_]+]]: tensor<3x4xf32>) -> tensor<3x4xf32>
// CHECK-NEXT: [[V2:%[a-z0-9_]+]] = nd.maximum [[V0]], [[V1]] : tensor<3x4xf32>
// CHECK-NEXT: func.return [[V2]] : tensor<3x4xf32>
func.func @f(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %r = nd.maximum %x, %y : tensor<4xf32>
  func.return %r : tensor<4xf32>
}

// -----

// minimum.
// CHECK-LABEL: func.func @f_batched(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<3x4xf32>, [[V1:%[a-z0-9_]+]]: tensor<3x4xf32>) -> tensor<3x4xf32>
// CHECK-NEXT: [[V2:%[a-z0-9_]+]] = nd.minimum [[V0]], [[V1]] : tensor<3x4xf32>
// CHECK-NEXT: func.return [[V2]] : tensor<3x4xf32>
func.func @f(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %r = nd.minimum %x, %y : tensor<4xf32>
  func.return %r : tensor<4xf32>
}

// -----

// bitwise_and.
// CHECK-LABEL: func.func @f_batched(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<3x4xi32>, [[V1:%[a-z0-9_]+]]: tensor<3x4xi32>) -> tensor<3x4xi32>
// CHECK-NEXT: [[V2:%[a-z0-9_]+]] = nd.bitwise_and [[V0]], [[V1]] : tensor<3x4xi32>
// CHECK-NEXT: func.return [[V2]] : tensor<3x4xi32>
func.func @f(%x: tensor<4xi32>, %y: tensor<4xi32>) -> tensor<4xi32> {
  %r = nd.bitwise_and %x, %y : tensor<4xi32>
  func.return %r : tensor<4xi32>
}

// -----

// bitwise_or.
// CHECK-LABEL: func.func @f_batched(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<3x4xi32>, [[V1:%[a-z0-9_]+]]: tensor<3x4xi32>) -> tensor<3x4xi32>
// CHECK-NEXT: [[V2:%[a-z0-9_]+]] = nd.bitwise_or [[V0]], [[V1]] : tensor<3x4xi32>
// CHECK-NEXT: func.return [[V2]] : tensor<3x4xi32>
func.func @f(%x: tensor<4xi32>, %y: tensor<4xi32>) -> tensor<4xi32> {
  %r = nd.bitwise_or %x, %y : tensor<4xi32>
  func.return %r : tensor<4xi32>
}

// -----

// bitwise_xor.
// CHECK-LABEL: func.func @f_batched(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<3x4xi32>, [[V1:%[a-z0-9_]+]]: tensor<3x4xi32>) -> tensor<3x4xi32>
// CHECK-NEXT: [[V2:%[a-z0-9_]+]] = nd.bitwise_xor [[V0]], [[V1]] : tensor<3x4xi32>
// CHECK-NEXT: func.return [[V2]] : tensor<3x4xi32>
func.func @f(%x: tensor<4xi32>, %y: tensor<4xi32>) -> tensor<4xi32> {
  %r = nd.bitwise_xor %x, %y : tensor<4xi32>
  func.return %r : tensor<4xi32>
}

// -----

// left_shift.
// CHECK-LABEL: func.func @f_batched(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<3x4xi32>, [[V1:%[a-z0-9_]+]]: tensor<3x4xi32>) -> tensor<3x4xi32>
// CHECK-NEXT: [[V2:%[a-z0-9_]+]] = nd.left_shift [[V0]], [[V1]] : tensor<3x4xi32>
// CHECK-NEXT: func.return [[V2]] : tensor<3x4xi32>
func.func @f(%x: tensor<4xi32>, %y: tensor<4xi32>) -> tensor<4xi32> {
  %r = nd.left_shift %x, %y : tensor<4xi32>
  func.return %r : tensor<4xi32>
}

// -----

// right_shift.
// CHECK-LABEL: func.func @f_batched(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<3x4xi32>, [[V1:%[a-z0-9_]+]]: tensor<3x4xi32>) -> tensor<3x4xi32>
// CHECK-NEXT: [[V2:%[a-z0-9_]+]] = nd.right_shift [[V0]], [[V1]] : tensor<3x4xi32>
// CHECK-NEXT: func.return [[V2]] : tensor<3x4xi32>
func.func @f(%x: tensor<4xi32>, %y: tensor<4xi32>) -> tensor<4xi32> {
  %r = nd.right_shift %x, %y : tensor<4xi32>
  func.return %r : tensor<4xi32>
}

// -----

// equal.
// CHECK-LABEL: func.func @f_batched(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<3x4xf32>, [[V1:%[a-z0-9_]+]]: tensor<3x4xf32>) -> tensor<3x4xi1>
// CHECK-NEXT: [[V2:%[a-z0-9_]+]] = nd.equal [[V0]], [[V1]] : tensor<3x4xf32> -> tensor<3x4xi1>
// CHECK-NEXT: func.return [[V2]] : tensor<3x4xi1>
func.func @f(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xi1> {
  %r = nd.equal %x, %y : tensor<4xf32> -> tensor<4xi1>
  func.return %r : tensor<4xi1>
}

// -----

// not_equal.
// CHECK-LABEL: func.func @f_batched(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<3x4xf32>, [[V1:%[a-z0-9_]+]]: tensor<3x4xf32>) -> tensor<3x4xi1>
// CHECK-NEXT: [[V2:%[a-z0-9_]+]] = nd.not_equal [[V0]], [[V1]] : tensor<3x4xf32> -> tensor<3x4xi1>
// CHECK-NEXT: func.return [[V2]] : tensor<3x4xi1>
func.func @f(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xi1> {
  %r = nd.not_equal %x, %y : tensor<4xf32> -> tensor<4xi1>
  func.return %r : tensor<4xi1>
}

// -----

// less.
// CHECK-LABEL: func.func @f_batched(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<3x4xf32>, [[V1:%[a-z0-9_]+]]: tensor<3x4xf32>) -> tensor<3x4xi1>
// CHECK-NEXT: [[V2:%[a-z0-9_]+]] = nd.less [[V0]], [[V1]] : tensor<3x4xf32> -> tensor<3x4xi1>
// CHECK-NEXT: func.return [[V2]] : tensor<3x4xi1>
func.func @f(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xi1> {
  %r = nd.less %x, %y : tensor<4xf32> -> tensor<4xi1>
  func.return %r : tensor<4xi1>
}

// -----

// less_equal.
// CHECK-LABEL: func.func @f_batched(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<3x4xf32>, [[V1:%[a-z0-9_]+]]: tensor<3x4xf32>) -> tensor<3x4xi1>
// CHECK-NEXT: [[V2:%[a-z0-9_]+]] = nd.less_equal [[V0]], [[V1]] : tensor<3x4xf32> -> tensor<3x4xi1>
// CHECK-NEXT: func.return [[V2]] : tensor<3x4xi1>
func.func @f(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xi1> {
  %r = nd.less_equal %x, %y : tensor<4xf32> -> tensor<4xi1>
  func.return %r : tensor<4xi1>
}

// -----

// greater.
// CHECK-LABEL: func.func @f_batched(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<3x4xf32>, [[V1:%[a-z0-9_]+]]: tensor<3x4xf32>) -> tensor<3x4xi1>
// CHECK-NEXT: [[V2:%[a-z0-9_]+]] = nd.greater [[V0]], [[V1]] : tensor<3x4xf32> -> tensor<3x4xi1>
// CHECK-NEXT: func.return [[V2]] : tensor<3x4xi1>
func.func @f(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xi1> {
  %r = nd.greater %x, %y : tensor<4xf32> -> tensor<4xi1>
  func.return %r : tensor<4xi1>
}

// -----

// greater_equal.
// CHECK-LABEL: func.func @f_batched(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<3x4xf32>, [[V1:%[a-z0-9_]+]]: tensor<3x4xf32>) -> tensor<3x4xi1>
// CHECK-NEXT: [[V2:%[a-z0-9_]+]] = nd.greater_equal [[V0]], [[V1]] : tensor<3x4xf32> -> tensor<3x4xi1>
// CHECK-NEXT: func.return [[V2]] : tensor<3x4xi1>
func.func @f(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xi1> {
  %r = nd.greater_equal %x, %y : tensor<4xf32> -> tensor<4xi1>
  func.return %r : tensor<4xi1>
}

// -----

// atan2.
// CHECK-LABEL: func.func @f_batched(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<3x4xf32>, [[V1:%[a-z0-9_]+]]: tensor<3x4xf32>) -> tensor<3x4xf32>
// CHECK-NEXT: [[V2:%[a-z0-9_]+]] = nd.atan2 [[V0]], [[V1]] : tensor<3x4xf32>
// CHECK-NEXT: func.return [[V2]] : tensor<3x4xf32>
func.func @f(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %r = nd.atan2 %x, %y : tensor<4xf32>
  func.return %r : tensor<4xf32>
}

// -----

// hypot.
// CHECK-LABEL: func.func @f_batched(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<3x4xf32>, [[V1:%[a-z0-9_]+]]: tensor<3x4xf32>) -> tensor<3x4xf32>
// CHECK-NEXT: [[V2:%[a-z0-9_]+]] = nd.hypot [[V0]], [[V1]] : tensor<3x4xf32>
// CHECK-NEXT: func.return [[V2]] : tensor<3x4xf32>
func.func @f(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %r = nd.hypot %x, %y : tensor<4xf32>
  func.return %r : tensor<4xf32>
}

// -----

// select. An operand that is equal in all examples is stretched.
// CHECK-LABEL: func.func @f_batched(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<3x4xi1>, [[V1:%[a-z0-9_]+]]: tensor<3x4xf32>) -> tensor<3x4xf32>
// CHECK-NEXT: [[V2:%[a-z0-9_]+]] = nd.constant dense<1.000000e+00> : tensor<4xf32>
// CHECK-NEXT: [[V3:%[a-z0-9_]+]] = nd.broadcast [[V2]] dims [1] : tensor<4xf32> -> tensor<3x4xf32>
// CHECK-NEXT: [[V4:%[a-z0-9_]+]] = nd.select [[V0]], [[V1]], [[V3]] : tensor<3x4xi1>, tensor<3x4xf32>
// CHECK-NEXT: func.return [[V4]] : tensor<3x4xf32>
func.func @f(%p: tensor<4xi1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %y = nd.constant dense<1.0> : tensor<4xf32>
  %r = nd.select %p, %x, %y : tensor<4xi1>, tensor<4xf32>
  func.return %r : tensor<4xf32>
}

// -----

// cast.
// CHECK-LABEL: func.func @f_batched(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<3x4xf32>) -> tensor<3x4xi32>
// CHECK-NEXT: [[V1:%[a-z0-9_]+]] = nd.cast [[V0]] : tensor<3x4xf32> -> tensor<3x4xi32>
// CHECK-NEXT: func.return [[V1]] : tensor<3x4xi32>
func.func @f(%x: tensor<4xf32>) -> tensor<4xi32> {
  %r = nd.cast %x : tensor<4xf32> -> tensor<4xi32>
  func.return %r : tensor<4xi32>
}

// -----

// real.
// CHECK-LABEL: func.func @f_batched(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<3x4xcomplex<f32>>) -> tensor<3x4xf32>
// CHECK-NEXT: [[V1:%[a-z0-9_]+]] = nd.real [[V0]] : tensor<3x4xcomplex<f32>> -> tensor<3x4xf32>
// CHECK-NEXT: func.return [[V1]] : tensor<3x4xf32>
func.func @f(%x: tensor<4xcomplex<f32>>) -> tensor<4xf32> {
  %r = nd.real %x : tensor<4xcomplex<f32>> -> tensor<4xf32>
  func.return %r : tensor<4xf32>
}

// -----

// imag.
// CHECK-LABEL: func.func @f_batched(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<3x4xcomplex<f32>>) -> tensor<3x4xf32>
// CHECK-NEXT: [[V1:%[a-z0-9_]+]] = nd.imag [[V0]] : tensor<3x4xcomplex<f32>> -> tensor<3x4xf32>
// CHECK-NEXT: func.return [[V1]] : tensor<3x4xf32>
func.func @f(%x: tensor<4xcomplex<f32>>) -> tensor<4xf32> {
  %r = nd.imag %x : tensor<4xcomplex<f32>> -> tensor<4xf32>
  func.return %r : tensor<4xf32>
}

// -----

// complex. A 0-d operand is stretched too.
// CHECK-LABEL: func.func @f_batched(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<3xf32>) -> tensor<3xcomplex<f32>>
// CHECK-NEXT: [[V1:%[a-z0-9_]+]] = nd.constant dense<1.000000e+00> : tensor<f32>
// CHECK-NEXT: [[V2:%[a-z0-9_]+]] = nd.broadcast [[V1]] dims [] : tensor<f32> -> tensor<3xf32>
// CHECK-NEXT: [[V3:%[a-z0-9_]+]] = nd.complex [[V0]], [[V2]] : tensor<3xf32> -> tensor<3xcomplex<f32>>
// CHECK-NEXT: func.return [[V3]] : tensor<3xcomplex<f32>>
func.func @f(%x: tensor<f32>) -> tensor<complex<f32>> {
  %y = nd.constant dense<1.0> : tensor<f32>
  %r = nd.complex %x, %y : tensor<f32> -> tensor<complex<f32>>
  func.return %r : tensor<complex<f32>>
}

// -----

// constant. What depends on no argument stays; a result gets the batch.
// CHECK-LABEL: func.func @f_batched(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<3x4xf32>) -> tensor<3x2xf32>
// CHECK-NEXT: [[V1:%[a-z0-9_]+]] = nd.constant dense<1.000000e+00> : tensor<2xf32>
// CHECK-NEXT: [[V2:%[a-z0-9_]+]] = nd.negative [[V1]] : tensor<2xf32>
// CHECK-NEXT: [[V3:%[a-z0-9_]+]] = nd.broadcast [[V2]] dims [1] : tensor<2xf32> -> tensor<3x2xf32>
// CHECK-NEXT: func.return [[V3]] : tensor<3x2xf32>
func.func @f(%x: tensor<4xf32>) -> tensor<2xf32> {
  %r = nd.constant dense<1.0> : tensor<2xf32>
  %s = nd.negative %r : tensor<2xf32>
  func.return %s : tensor<2xf32>
}

// -----

// iota. The same.
// CHECK-LABEL: func.func @f_batched(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<3x4xf32>) -> tensor<3x2xi64>
// CHECK-NEXT: [[V1:%[a-z0-9_]+]] = nd.iota axis 0 : tensor<2xi64>
// CHECK-NEXT: [[V2:%[a-z0-9_]+]] = nd.broadcast [[V1]] dims [1] : tensor<2xi64> -> tensor<3x2xi64>
// CHECK-NEXT: func.return [[V2]] : tensor<3x2xi64>
func.func @f(%x: tensor<4xf32>) -> tensor<2xi64> {
  %r = nd.iota axis 0 : tensor<2xi64>
  func.return %r : tensor<2xi64>
}

// -----

// dim. A size is equal in all examples, and its axis one further back; so are run-time sizes.
// CHECK-LABEL: func.func @f_batched(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<3x?xf32>) -> tensor<3x?xf32>
// CHECK-NEXT: [[V1:%[a-z0-9_]+]] = nd.dim [[V0]] axis 1 : tensor<3x?xf32>
// CHECK-NEXT: [[V2:%[a-z0-9_]+]] = nd.constant dense<1.000000e+00> : tensor<f32>
// CHECK-NEXT: [[V3:%[a-z0-9_]+]] = nd.broadcast [[V2]]{{\[}}[[V1]]] dims [] : tensor<f32> -> tensor<?xf32>
// CHECK-NEXT: [[V4:%[a-z0-9_]+]] = nd.dim [[V3]] axis 0 : tensor<?xf32>
// CHECK-NEXT: [[V5:%[a-z0-9_]+]] = nd.broadcast [[V3]]{{\[}}[[V4]]] dims [1] : tensor<?xf32> -> tensor<3x?xf32>
// CHECK-NEXT: [[V6:%[a-z0-9_]+]] = nd.add [[V0]], [[V5]] : tensor<3x?xf32>
// CHECK-NEXT: func.return [[V6]] : tensor<3x?xf32>
func.func @f(%x: tensor<?xf32>) -> tensor<?xf32> {
  %n = nd.dim %x axis 0 : tensor<?xf32>
  %c = nd.constant dense<1.0> : tensor<f32>
  %o = nd.broadcast %c [%n] dims [] : tensor<f32> -> tensor<?xf32>
  %r = nd.add %x, %o : tensor<?xf32>
  func.return %r : tensor<?xf32>
}

// -----

// from_index, to_index. A number that differs between examples is a tensor of them all.
// CHECK-LABEL: func.func @f_batched(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<3xi64>) -> tensor<3xi64>
// CHECK-NEXT: [[V1:%[a-z0-9_]+]] = nd.add [[V0]], [[V0]] : tensor<3xi64>
// CHECK-NEXT: [[V2:%[a-z0-9_]+]] = nd.multiply [[V1]], [[V0]] : tensor<3xi64>
// CHECK-NEXT: [[V3:%[a-z0-9_]+]] = nd.subtract [[V2]], [[V0]] : tensor<3xi64>
// CHECK-NEXT: func.return [[V3]] : tensor<3xi64>
func.func @f(%i: tensor<i64>) -> tensor<i64> {
  %n = nd.to_index %i : tensor<i64>
  %m = arith.addi %n, %n : index
  %k = arith.muli %m, %n : index
  %l = arith.subi %k, %n : index
  %r = nd.from_index %l : tensor<i64>
  func.return %r : tensor<i64>
}

// -----

// cmpi. So is a comparison, which branches read.
// CHECK-LABEL: func.func @f_batched(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<3xi64>) -> tensor<3xi64>
// CHECK-NEXT: [[V1:%[a-z0-9_]+]] = arith.constant 3 : index
// CHECK-NEXT: [[V2:%[a-z0-9_]+]] = nd.from_index [[V1]] : tensor<i64>
// CHECK-NEXT: [[V3:%[a-z0-9_]+]] = nd.broadcast [[V2]] dims [] : tensor<i64> -> tensor<3xi64>
// CHECK-NEXT: [[V4:%[a-z0-9_]+]] = nd.less [[V0]], [[V3]] : tensor<3xi64> -> tensor<3xi1>
// CHECK-NEXT: [[V5:%[a-z0-9_]+]] = nd.from_index [[V1]] : tensor<i64>
// CHECK-NEXT: [[V6:%[a-z0-9_]+]] = nd.broadcast [[V5]] dims [] : tensor<i64> -> tensor<3xi64>
// CHECK-NEXT: [[V7:%[a-z0-9_]+]] = nd.minimum [[V0]], [[V6]] : tensor<3xi64>
// CHECK-NEXT: [[V8:%[a-z0-9_]+]] = nd.bitwise_invert [[V4]] : tensor<3xi1>
// CHECK-NEXT: [[V9:%[a-z0-9_]+]] = nd.select [[V4]], [[V0]], [[V7]] : tensor<3xi1>, tensor<3xi64>
// CHECK-NEXT: func.return [[V9]] : tensor<3xi64>
func.func @f(%i: tensor<i64>) -> tensor<i64> {
  %n = nd.to_index %i : tensor<i64>
  %z = arith.constant 3 : index
  %c = arith.cmpi slt, %n, %z : index
  %m = arith.minsi %n, %z : index
  %j = nd.from_index %m : tensor<i64>
  %r = scf.if %c -> (tensor<i64>) {
    scf.yield %i : tensor<i64>
  } else {
    scf.yield %j : tensor<i64>
  }
  func.return %r : tensor<i64>
}

// -----

// broadcast.
// CHECK-LABEL: func.func @f_batched(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<3x4xf32>) -> tensor<3x2x4xf32>
// CHECK-NEXT: [[V1:%[a-z0-9_]+]] = nd.broadcast [[V0]] dims [0, 2] : tensor<3x4xf32> -> tensor<3x2x4xf32>
// CHECK-NEXT: func.return [[V1]] : tensor<3x2x4xf32>
func.func @f(%x: tensor<4xf32>) -> tensor<2x4xf32> {
  %r = nd.broadcast %x dims [1] : tensor<4xf32> -> tensor<2x4xf32>
  func.return %r : tensor<2x4xf32>
}

// -----

// reshape.
// CHECK-LABEL: func.func @f_batched(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<3x4xf32>) -> tensor<3x2x2xf32>
// CHECK-NEXT: [[V1:%[a-z0-9_]+]] = nd.reshape [[V0]] : tensor<3x4xf32> -> tensor<3x2x2xf32>
// CHECK-NEXT: func.return [[V1]] : tensor<3x2x2xf32>
func.func @f(%x: tensor<4xf32>) -> tensor<2x2xf32> {
  %r = nd.reshape %x : tensor<4xf32> -> tensor<2x2xf32>
  func.return %r : tensor<2x2xf32>
}

// -----

// transpose.
// CHECK-LABEL: func.func @f_batched(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<3x4x2xf32>) -> tensor<3x2x4xf32>
// CHECK-NEXT: [[V1:%[a-z0-9_]+]] = nd.transpose [[V0]] permutation [0, 2, 1] : tensor<3x4x2xf32> -> tensor<3x2x4xf32>
// CHECK-NEXT: func.return [[V1]] : tensor<3x2x4xf32>
func.func @f(%x: tensor<4x2xf32>) -> tensor<2x4xf32> {
  %r = nd.transpose %x permutation [1, 0] : tensor<4x2xf32> -> tensor<2x4xf32>
  func.return %r : tensor<2x4xf32>
}

// -----

// reverse.
// CHECK-LABEL: func.func @f_batched(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<3x4xf32>) -> tensor<3x4xf32>
// CHECK-NEXT: [[V1:%[a-z0-9_]+]] = nd.reverse [[V0]] axes [1] : tensor<3x4xf32>
// CHECK-NEXT: func.return [[V1]] : tensor<3x4xf32>
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = nd.reverse %x axes [0] : tensor<4xf32>
  func.return %r : tensor<4xf32>
}

// -----

// concat.
// CHECK-LABEL: func.func @f_batched(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<3x4xf32>, [[V1:%[a-z0-9_]+]]: tensor<3x2xf32>) -> tensor<3x6xf32>
// CHECK-NEXT: [[V2:%[a-z0-9_]+]] = nd.concat [[V0]], [[V1]] axis 1 : tensor<3x4xf32>, tensor<3x2xf32> -> tensor<3x6xf32>
// CHECK-NEXT: func.return [[V2]] : tensor<3x6xf32>
func.func @f(%x: tensor<4xf32>, %y: tensor<2xf32>) -> tensor<6xf32> {
  %r = nd.concat %x, %y axis 0 : tensor<4xf32>, tensor<2xf32> -> tensor<6xf32>
  func.return %r : tensor<6xf32>
}

// -----

// pad. With one value for all examples.
// CHECK-LABEL: func.func @f_batched(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<3x4xf32>) -> tensor<3x6xf32>
// CHECK-NEXT: [[V1:%[a-z0-9_]+]] = nd.constant dense<1.000000e+00> : tensor<f32>
// CHECK-NEXT: [[V2:%[a-z0-9_]+]] = nd.pad [[V0]], [[V1]] low [0, 1] high [0, 1] : tensor<3x4xf32>, tensor<f32> -> tensor<3x6xf32>
// CHECK-NEXT: func.return [[V2]] : tensor<3x6xf32>
func.func @f(%x: tensor<4xf32>) -> tensor<6xf32> {
  %v = nd.constant dense<1.0> : tensor<f32>
  %r = nd.pad %x, %v low [1] high [1] : tensor<4xf32>, tensor<f32> -> tensor<6xf32>
  func.return %r : tensor<6xf32>
}

// -----

// pad. With a value for each: what is padded is chosen by a padded mask.
// CHECK-LABEL: func.func @f_batched(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<3x4xf32>, [[V1:%[a-z0-9_]+]]: tensor<3xf32>) -> tensor<3x6xf32>
// CHECK-NEXT: [[V2:%[a-z0-9_]+]] = nd.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: [[V3:%[a-z0-9_]+]] = nd.pad [[V0]], [[V2]] low [0, 1] high [0, 1] : tensor<3x4xf32>, tensor<f32> -> tensor<3x6xf32>
// CHECK-NEXT: [[V4:%[a-z0-9_]+]] = nd.constant dense<true> : tensor<i1>
// CHECK-NEXT: [[V5:%[a-z0-9_]+]] = nd.broadcast [[V4]] dims [] : tensor<i1> -> tensor<3x4xi1>
// CHECK-NEXT: [[V6:%[a-z0-9_]+]] = nd.constant dense<false> : tensor<i1>
// CHECK-NEXT: [[V7:%[a-z0-9_]+]] = nd.pad [[V5]], [[V6]] low [0, 1] high [0, 1] : tensor<3x4xi1>, tensor<i1> -> tensor<3x6xi1>
// CHECK-NEXT: [[V8:%[a-z0-9_]+]] = nd.broadcast [[V1]] dims [0] : tensor<3xf32> -> tensor<3x6xf32>
// CHECK-NEXT: [[V9:%[a-z0-9_]+]] = nd.select [[V7]], [[V3]], [[V8]] : tensor<3x6xi1>, tensor<3x6xf32>
// CHECK-NEXT: func.return [[V9]] : tensor<3x6xf32>
func.func @f(%x: tensor<4xf32>, %v: tensor<f32>) -> tensor<6xf32> {
  %r = nd.pad %x, %v low [1] high [1] : tensor<4xf32>, tensor<f32> -> tensor<6xf32>
  func.return %r : tensor<6xf32>
}

// -----

// slice.
// CHECK-LABEL: func.func @f_batched(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<3x4xf32>) -> tensor<3x2xf32>
// CHECK-NEXT: [[V1:%[a-z0-9_]+]] = nd.slice [[V0]] starts [0, 0] limits [3, 4] strides [1, 2] : tensor<3x4xf32> -> tensor<3x2xf32>
// CHECK-NEXT: func.return [[V1]] : tensor<3x2xf32>
func.func @f(%x: tensor<4xf32>) -> tensor<2xf32> {
  %r = nd.slice %x starts [0] limits [4] strides [2] : tensor<4xf32> -> tensor<2xf32>
  func.return %r : tensor<2xf32>
}

// -----

// dynamic_slice. One start for all examples.
// CHECK-LABEL: func.func @f_batched(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<3x4x5xf32>) -> tensor<3x2x5xf32>
// CHECK-NEXT: [[V1:%[a-z0-9_]+]] = arith.constant 1 : index
// CHECK-NEXT: [[V2:%[a-z0-9_]+]] = arith.constant 0 : index
// CHECK-NEXT: [[V3:%[a-z0-9_]+]] = nd.dynamic_slice [[V0]]{{\[}}[[V2]], [[V1]], [[V1]]] sizes [3, 2, 5] : tensor<3x4x5xf32> -> tensor<3x2x5xf32>
// CHECK-NEXT: func.return [[V3]] : tensor<3x2x5xf32>
func.func @f(%x: tensor<4x5xf32>) -> tensor<2x5xf32> {
  %i = arith.constant 1 : index
  %r = nd.dynamic_slice %x[%i, %i] sizes [2, 5] : tensor<4x5xf32> -> tensor<2x5xf32>
  func.return %r : tensor<2x5xf32>
}

// -----

// dynamic_slice. A start for each: a gather along the axes that are cut.
// CHECK-LABEL: func.func @f_batched(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<3x4x5xf32>, [[V1:%[a-z0-9_]+]]: tensor<3xi64>) -> tensor<3x2x5xf32>
// CHECK-NEXT: [[V2:%[a-z0-9_]+]] = nd.constant dense<4> : tensor<i64>
// CHECK-NEXT: [[V3:%[a-z0-9_]+]] = nd.broadcast [[V2]] dims [] : tensor<i64> -> tensor<3xi64>
// CHECK-NEXT: [[V4:%[a-z0-9_]+]] = nd.constant dense<2> : tensor<i64>
// CHECK-NEXT: [[V5:%[a-z0-9_]+]] = nd.broadcast [[V4]] dims [] : tensor<i64> -> tensor<3xi64>
// CHECK-NEXT: [[V6:%[a-z0-9_]+]] = nd.subtract [[V3]], [[V5]] : tensor<3xi64>
// CHECK-NEXT: [[V7:%[a-z0-9_]+]] = nd.minimum [[V1]], [[V6]] : tensor<3xi64>
// CHECK-NEXT: [[V8:%[a-z0-9_]+]] = nd.constant dense<0> : tensor<i64>
// CHECK-NEXT: [[V9:%[a-z0-9_]+]] = nd.broadcast [[V8]] dims [] : tensor<i64> -> tensor<3xi64>
// CHECK-NEXT: [[V10:%[a-z0-9_]+]] = nd.maximum [[V7]], [[V9]] : tensor<3xi64>
// CHECK-NEXT: [[V11:%[a-z0-9_]+]] = nd.broadcast [[V10]] dims [0] : tensor<3xi64> -> tensor<3x2xi64>
// CHECK-NEXT: [[V12:%[a-z0-9_]+]] = nd.iota axis 1 : tensor<3x2xi64>
// CHECK-NEXT: [[V13:%[a-z0-9_]+]] = nd.add [[V11]], [[V12]] : tensor<3x2xi64>
// CHECK-NEXT: [[V14:%[a-z0-9_]+]] = nd.gather [[V0]]{{\[}}[[V13]]] axes [1] dims [0, 2] index_dims [0, 1] : tensor<3x4x5xf32>, tensor<3x2xi64> -> tensor<3x2x5xf32>
// CHECK-NEXT: func.return [[V14]] : tensor<3x2x5xf32>
func.func @f(%x: tensor<4x5xf32>, %i: tensor<i64>) -> tensor<2x5xf32> {
  %n = nd.to_index %i : tensor<i64>
  %r = nd.dynamic_slice %x[%n, %n] sizes [2, 5] : tensor<4x5xf32> -> tensor<2x5xf32>
  func.return %r : tensor<2x5xf32>
}

// -----

// dynamic_slice. A start for each into what is equal for all.
// CHECK-LABEL: func.func @f_batched(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<3xi64>) -> tensor<3x1xi64>
// CHECK-NEXT: [[V1:%[a-z0-9_]+]] = nd.iota axis 0 : tensor<4xi64>
// CHECK-NEXT: [[V2:%[a-z0-9_]+]] = nd.constant dense<4> : tensor<i64>
// CHECK-NEXT: [[V3:%[a-z0-9_]+]] = nd.broadcast [[V2]] dims [] : tensor<i64> -> tensor<3xi64>
// CHECK-NEXT: [[V4:%[a-z0-9_]+]] = nd.constant dense<1> : tensor<i64>
// CHECK-NEXT: [[V5:%[a-z0-9_]+]] = nd.broadcast [[V4]] dims [] : tensor<i64> -> tensor<3xi64>
// CHECK-NEXT: [[V6:%[a-z0-9_]+]] = nd.subtract [[V3]], [[V5]] : tensor<3xi64>
// CHECK-NEXT: [[V7:%[a-z0-9_]+]] = nd.minimum [[V0]], [[V6]] : tensor<3xi64>
// CHECK-NEXT: [[V8:%[a-z0-9_]+]] = nd.constant dense<0> : tensor<i64>
// CHECK-NEXT: [[V9:%[a-z0-9_]+]] = nd.broadcast [[V8]] dims [] : tensor<i64> -> tensor<3xi64>
// CHECK-NEXT: [[V10:%[a-z0-9_]+]] = nd.maximum [[V7]], [[V9]] : tensor<3xi64>
// CHECK-NEXT: [[V11:%[a-z0-9_]+]] = nd.broadcast [[V10]] dims [0] : tensor<3xi64> -> tensor<3x1xi64>
// CHECK-NEXT: [[V12:%[a-z0-9_]+]] = nd.gather [[V1]]{{\[}}[[V11]]] axes [0] dims [] index_dims [0, 1] : tensor<4xi64>, tensor<3x1xi64> -> tensor<3x1xi64>
// CHECK-NEXT: func.return [[V12]] : tensor<3x1xi64>
func.func @f(%i: tensor<i64>) -> tensor<1xi64> {
  %x = nd.iota axis 0 : tensor<4xi64>
  %n = nd.to_index %i : tensor<i64>
  %r = nd.dynamic_slice %x[%n] sizes [1] : tensor<4xi64> -> tensor<1xi64>
  func.return %r : tensor<1xi64>
}

// -----

// dynamic_slice. A window as large as the operand begins at 0.
// CHECK-LABEL: func.func @f_batched(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<3x4xf32>, [[V1:%[a-z0-9_]+]]: tensor<3xi64>) -> tensor<3x4xf32>
// CHECK-NEXT: func.return [[V0]] : tensor<3x4xf32>
func.func @f(%x: tensor<4xf32>, %i: tensor<i64>) -> tensor<4xf32> {
  %n = nd.to_index %i : tensor<i64>
  %r = nd.dynamic_slice %x[%n] sizes [4] : tensor<4xf32> -> tensor<4xf32>
  func.return %r : tensor<4xf32>
}

// -----

// dynamic_update_slice. One start for all examples.
// CHECK-LABEL: func.func @f_batched(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<3x2xf32>) -> tensor<3x4xf32>
// CHECK-NEXT: [[V1:%[a-z0-9_]+]] = nd.constant dense<0.000000e+00> : tensor<4xf32>
// CHECK-NEXT: [[V2:%[a-z0-9_]+]] = arith.constant 1 : index
// CHECK-NEXT: [[V3:%[a-z0-9_]+]] = arith.constant 0 : index
// CHECK-NEXT: [[V4:%[a-z0-9_]+]] = nd.broadcast [[V1]] dims [1] : tensor<4xf32> -> tensor<3x4xf32>
// CHECK-NEXT: [[V5:%[a-z0-9_]+]] = nd.dynamic_update_slice [[V4]], [[V0]]{{\[}}[[V3]], [[V2]]] : tensor<3x2xf32> -> tensor<3x4xf32>
// CHECK-NEXT: func.return [[V5]] : tensor<3x4xf32>
func.func @f(%u: tensor<2xf32>) -> tensor<4xf32> {
  %x = nd.constant dense<0.0> : tensor<4xf32>
  %i = arith.constant 1 : index
  %r = nd.dynamic_update_slice %x, %u[%i] : tensor<2xf32> -> tensor<4xf32>
  func.return %r : tensor<4xf32>
}

// -----

// dynamic_update_slice. A start for each: a scatter.
// CHECK-LABEL: func.func @f_batched(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<3x4xf32>, [[V1:%[a-z0-9_]+]]: tensor<3x2xf32>, [[V2:%[a-z0-9_]+]]: tensor<3xi64>) -> tensor<3x4xf32>
// CHECK-NEXT: [[V3:%[a-z0-9_]+]] = nd.constant dense<4> : tensor<i64>
// CHECK-NEXT: [[V4:%[a-z0-9_]+]] = nd.broadcast [[V3]] dims [] : tensor<i64> -> tensor<3xi64>
// CHECK-NEXT: [[V5:%[a-z0-9_]+]] = nd.constant dense<2> : tensor<i64>
// CHECK-NEXT: [[V6:%[a-z0-9_]+]] = nd.broadcast [[V5]] dims [] : tensor<i64> -> tensor<3xi64>
// CHECK-NEXT: [[V7:%[a-z0-9_]+]] = nd.subtract [[V4]], [[V6]] : tensor<3xi64>
// CHECK-NEXT: [[V8:%[a-z0-9_]+]] = nd.minimum [[V2]], [[V7]] : tensor<3xi64>
// CHECK-NEXT: [[V9:%[a-z0-9_]+]] = nd.constant dense<0> : tensor<i64>
// CHECK-NEXT: [[V10:%[a-z0-9_]+]] = nd.broadcast [[V9]] dims [] : tensor<i64> -> tensor<3xi64>
// CHECK-NEXT: [[V11:%[a-z0-9_]+]] = nd.maximum [[V8]], [[V10]] : tensor<3xi64>
// CHECK-NEXT: [[V12:%[a-z0-9_]+]] = nd.broadcast [[V11]] dims [0] : tensor<3xi64> -> tensor<3x2xi64>
// CHECK-NEXT: [[V13:%[a-z0-9_]+]] = nd.iota axis 1 : tensor<3x2xi64>
// CHECK-NEXT: [[V14:%[a-z0-9_]+]] = nd.add [[V12]], [[V13]] : tensor<3x2xi64>
// CHECK-NEXT: [[V15:%[a-z0-9_]+]] = nd.scatter "set" [[V0]], [[V1]]{{\[}}[[V14]]] axes [1] dims [0] index_dims [0, 1] : tensor<3x4xf32>, tensor<3x2xf32>, tensor<3x2xi64> -> tensor<3x4xf32>
// CHECK-NEXT: func.return [[V15]] : tensor<3x4xf32>
func.func @f(%x: tensor<4xf32>, %u: tensor<2xf32>, %i: tensor<i64>) -> tensor<4xf32> {
  %n = nd.to_index %i : tensor<i64>
  %r = nd.dynamic_update_slice %x, %u[%n] : tensor<2xf32> -> tensor<4xf32>
  func.return %r : tensor<4xf32>
}

// -----

// dot_general. Of two operands that differ the batch is a batch dim.
// CHECK-LABEL: func.func @f_batched(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<3x4x2xf32>, [[V1:%[a-z0-9_]+]]: tensor<3x2x5xf32>) -> tensor<3x4x5xf32>
// CHECK-NEXT: [[V2:%[a-z0-9_]+]] = nd.dot_general [[V0]], [[V1]] batch [0] [0] contract [2] [1] : tensor<3x4x2xf32>, tensor<3x2x5xf32> -> tensor<3x4x5xf32>
// CHECK-NEXT: func.return [[V2]] : tensor<3x4x5xf32>
func.func @f(%x: tensor<4x2xf32>, %y: tensor<2x5xf32>) -> tensor<4x5xf32> {
  %r = nd.dot_general %x, %y batch [] [] contract [1] [0] : tensor<4x2xf32>, tensor<2x5xf32> -> tensor<4x5xf32>
  func.return %r : tensor<4x5xf32>
}

// -----

// dot_general. A batch of the left side is a free dim.
// CHECK-LABEL: func.func @f_batched(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<3x4x2xf32>) -> tensor<3x4x5xf32>
// CHECK-NEXT: [[V1:%[a-z0-9_]+]] = nd.constant dense<1.000000e+00> : tensor<2x5xf32>
// CHECK-NEXT: [[V2:%[a-z0-9_]+]] = nd.dot_general [[V0]], [[V1]] batch [] [] contract [2] [0] : tensor<3x4x2xf32>, tensor<2x5xf32> -> tensor<3x4x5xf32>
// CHECK-NEXT: func.return [[V2]] : tensor<3x4x5xf32>
func.func @f(%x: tensor<4x2xf32>) -> tensor<4x5xf32> {
  %y = nd.constant dense<1.0> : tensor<2x5xf32>
  %r = nd.dot_general %x, %y batch [] [] contract [1] [0] : tensor<4x2xf32>, tensor<2x5xf32> -> tensor<4x5xf32>
  func.return %r : tensor<4x5xf32>
}

// -----

// dot_general. A batch of the right side is one that is moved to the front.
// CHECK-LABEL: func.func @f_batched(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<3x2x5xf32>) -> tensor<3x4x5xf32>
// CHECK-NEXT: [[V1:%[a-z0-9_]+]] = nd.constant dense<1.000000e+00> : tensor<4x2xf32>
// CHECK-NEXT: [[V2:%[a-z0-9_]+]] = nd.dot_general [[V1]], [[V0]] batch [] [] contract [1] [1] : tensor<4x2xf32>, tensor<3x2x5xf32> -> tensor<4x3x5xf32>
// CHECK-NEXT: [[V3:%[a-z0-9_]+]] = nd.transpose [[V2]] permutation [1, 0, 2] : tensor<4x3x5xf32> -> tensor<3x4x5xf32>
// CHECK-NEXT: func.return [[V3]] : tensor<3x4x5xf32>
func.func @f(%y: tensor<2x5xf32>) -> tensor<4x5xf32> {
  %x = nd.constant dense<1.0> : tensor<4x2xf32>
  %r = nd.dot_general %x, %y batch [] [] contract [1] [0] : tensor<4x2xf32>, tensor<2x5xf32> -> tensor<4x5xf32>
  func.return %r : tensor<4x5xf32>
}

// -----

// dot_general. Behind a batch dim of its own.
// CHECK-LABEL: func.func @f_batched(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<3x6x4x2xf32>) -> tensor<3x6x4xf32>
// CHECK-NEXT: [[V1:%[a-z0-9_]+]] = nd.constant dense<1.000000e+00> : tensor<6x2xf32>
// CHECK-NEXT: [[V2:%[a-z0-9_]+]] = nd.dot_general [[V0]], [[V1]] batch [1] [0] contract [3] [1] : tensor<3x6x4x2xf32>, tensor<6x2xf32> -> tensor<6x3x4xf32>
// CHECK-NEXT: [[V3:%[a-z0-9_]+]] = nd.transpose [[V2]] permutation [1, 0, 2] : tensor<6x3x4xf32> -> tensor<3x6x4xf32>
// CHECK-NEXT: func.return [[V3]] : tensor<3x6x4xf32>
func.func @f(%x: tensor<6x4x2xf32>) -> tensor<6x4xf32> {
  %y = nd.constant dense<1.0> : tensor<6x2xf32>
  %r = nd.dot_general %x, %y batch [0] [0] contract [2] [1] : tensor<6x4x2xf32>, tensor<6x2xf32> -> tensor<6x4xf32>
  func.return %r : tensor<6x4xf32>
}

// -----

// conv. A batch of the input is more images.
// CHECK-LABEL: func.func @f_batched(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<3x2x4x6xf32>) -> tensor<3x2x4x4xf32>
// CHECK-NEXT: [[V1:%[a-z0-9_]+]] = nd.constant dense<1.000000e+00> : tensor<4x4x3xf32>
// CHECK-NEXT: [[V2:%[a-z0-9_]+]] = nd.reshape [[V0]] : tensor<3x2x4x6xf32> -> tensor<6x4x6xf32>
// CHECK-NEXT: [[V3:%[a-z0-9_]+]] = nd.conv [[V2]], [[V1]] strides [1] padding [0, 0] dilation [1] groups 1 : tensor<6x4x6xf32>, tensor<4x4x3xf32> -> tensor<6x4x4xf32>
// CHECK-NEXT: [[V4:%[a-z0-9_]+]] = nd.reshape [[V3]] : tensor<6x4x4xf32> -> tensor<3x2x4x4xf32>
// CHECK-NEXT: func.return [[V4]] : tensor<3x2x4x4xf32>
func.func @f(%x: tensor<2x4x6xf32>) -> tensor<2x4x4xf32> {
  %w = nd.constant dense<1.0> : tensor<4x4x3xf32>
  %r = nd.conv %x, %w strides [1] padding [0, 0] dilation [1] groups 1 : tensor<2x4x6xf32>, tensor<4x4x3xf32> -> tensor<2x4x4xf32>
  func.return %r : tensor<2x4x4xf32>
}

// -----

// conv. A batch of the kernel is more channels of each group.
// CHECK-LABEL: func.func @f_batched(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<3x4x2x3xf32>) -> tensor<3x2x4x4xf32>
// CHECK-NEXT: [[V1:%[a-z0-9_]+]] = nd.constant dense<1.000000e+00> : tensor<2x4x6xf32>
// CHECK-NEXT: [[V2:%[a-z0-9_]+]] = nd.reshape [[V0]] : tensor<3x4x2x3xf32> -> tensor<3x2x2x2x3xf32>
// CHECK-NEXT: [[V3:%[a-z0-9_]+]] = nd.transpose [[V2]] permutation [1, 0, 2, 3, 4] : tensor<3x2x2x2x3xf32> -> tensor<2x3x2x2x3xf32>
// CHECK-NEXT: [[V4:%[a-z0-9_]+]] = nd.reshape [[V3]] : tensor<2x3x2x2x3xf32> -> tensor<12x2x3xf32>
// CHECK-NEXT: [[V5:%[a-z0-9_]+]] = nd.conv [[V1]], [[V4]] strides [1] padding [0, 0] dilation [1] groups 2 : tensor<2x4x6xf32>, tensor<12x2x3xf32> -> tensor<2x12x4xf32>
// CHECK-NEXT: [[V6:%[a-z0-9_]+]] = nd.reshape [[V5]] : tensor<2x12x4xf32> -> tensor<2x2x3x2x4xf32>
// CHECK-NEXT: [[V7:%[a-z0-9_]+]] = nd.transpose [[V6]] permutation [2, 0, 1, 3, 4] : tensor<2x2x3x2x4xf32> -> tensor<3x2x2x2x4xf32>
// CHECK-NEXT: [[V8:%[a-z0-9_]+]] = nd.reshape [[V7]] : tensor<3x2x2x2x4xf32> -> tensor<3x2x4x4xf32>
// CHECK-NEXT: func.return [[V8]] : tensor<3x2x4x4xf32>
func.func @f(%w: tensor<4x2x3xf32>) -> tensor<2x4x4xf32> {
  %x = nd.constant dense<1.0> : tensor<2x4x6xf32>
  %r = nd.conv %x, %w strides [1] padding [0, 0] dilation [1] groups 2 : tensor<2x4x6xf32>, tensor<4x2x3xf32> -> tensor<2x4x4xf32>
  func.return %r : tensor<2x4x4xf32>
}

// -----

// conv. A batch of both is more groups.
// CHECK-LABEL: func.func @f_batched(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<3x2x4x6xf32>, [[V1:%[a-z0-9_]+]]: tensor<3x4x2x3xf32>) -> tensor<3x2x4x4xf32>
// CHECK-NEXT: [[V2:%[a-z0-9_]+]] = nd.transpose [[V0]] permutation [1, 0, 2, 3] : tensor<3x2x4x6xf32> -> tensor<2x3x4x6xf32>
// CHECK-NEXT: [[V3:%[a-z0-9_]+]] = nd.reshape [[V2]] : tensor<2x3x4x6xf32> -> tensor<2x12x6xf32>
// CHECK-NEXT: [[V4:%[a-z0-9_]+]] = nd.reshape [[V1]] : tensor<3x4x2x3xf32> -> tensor<12x2x3xf32>
// CHECK-NEXT: [[V5:%[a-z0-9_]+]] = nd.conv [[V3]], [[V4]] strides [1] padding [0, 0] dilation [1] groups 6 : tensor<2x12x6xf32>, tensor<12x2x3xf32> -> tensor<2x12x4xf32>
// CHECK-NEXT: [[V6:%[a-z0-9_]+]] = nd.reshape [[V5]] : tensor<2x12x4xf32> -> tensor<2x3x4x4xf32>
// CHECK-NEXT: [[V7:%[a-z0-9_]+]] = nd.transpose [[V6]] permutation [1, 0, 2, 3] : tensor<2x3x4x4xf32> -> tensor<3x2x4x4xf32>
// CHECK-NEXT: func.return [[V7]] : tensor<3x2x4x4xf32>
func.func @f(%x: tensor<2x4x6xf32>, %w: tensor<4x2x3xf32>) -> tensor<2x4x4xf32> {
  %r = nd.conv %x, %w strides [1] padding [0, 0] dilation [1] groups 2 : tensor<2x4x6xf32>, tensor<4x2x3xf32> -> tensor<2x4x4xf32>
  func.return %r : tensor<2x4x4xf32>
}

// -----

// reduce.
// CHECK-LABEL: func.func @f_batched(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<3x4x5xf32>) -> tensor<3x4xf32>
// CHECK-NEXT: [[V1:%[a-z0-9_]+]] = nd.reduce "sum" [[V0]] axes [2] : tensor<3x4x5xf32> -> tensor<3x4xf32>
// CHECK-NEXT: func.return [[V1]] : tensor<3x4xf32>
func.func @f(%x: tensor<4x5xf32>) -> tensor<4xf32> {
  %r = nd.reduce "sum" %x axes [1] : tensor<4x5xf32> -> tensor<4xf32>
  func.return %r : tensor<4xf32>
}

// -----

// argmax.
// CHECK-LABEL: func.func @f_batched(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<3x4xf32>) -> tensor<3xi64>
// CHECK-NEXT: [[V1:%[a-z0-9_]+]] = nd.argmax [[V0]] axis 1 : tensor<3x4xf32> -> tensor<3xi64>
// CHECK-NEXT: func.return [[V1]] : tensor<3xi64>
func.func @f(%x: tensor<4xf32>) -> tensor<i64> {
  %r = nd.argmax %x axis 0 : tensor<4xf32> -> tensor<i64>
  func.return %r : tensor<i64>
}

// -----

// argmin.
// CHECK-LABEL: func.func @f_batched(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<3x4xf32>) -> tensor<3xi64>
// CHECK-NEXT: [[V1:%[a-z0-9_]+]] = nd.argmin [[V0]] axis 1 : tensor<3x4xf32> -> tensor<3xi64>
// CHECK-NEXT: func.return [[V1]] : tensor<3xi64>
func.func @f(%x: tensor<4xf32>) -> tensor<i64> {
  %r = nd.argmin %x axis 0 : tensor<4xf32> -> tensor<i64>
  func.return %r : tensor<i64>
}

// -----

// scan.
// CHECK-LABEL: func.func @f_batched(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<3x4xf32>) -> tensor<3x4xf32>
// CHECK-NEXT: [[V1:%[a-z0-9_]+]] = nd.scan "sum" [[V0]] axis 1 direction "forward" : tensor<3x4xf32>
// CHECK-NEXT: func.return [[V1]] : tensor<3x4xf32>
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = nd.scan "sum" %x axis 0 direction "forward" : tensor<4xf32>
  func.return %r : tensor<4xf32>
}

// -----

// sort.
// CHECK-LABEL: func.func @f_batched(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<3x4xf32>) -> tensor<3x4xf32>
// CHECK-NEXT: [[V1:%[a-z0-9_]+]] = nd.sort [[V0]] axis 1 order "ascending" : tensor<3x4xf32>
// CHECK-NEXT: func.return [[V1]] : tensor<3x4xf32>
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = nd.sort %x axis 0 order "ascending" : tensor<4xf32>
  func.return %r : tensor<4xf32>
}

// -----

// argsort.
// CHECK-LABEL: func.func @f_batched(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<3x4xf32>) -> tensor<3x4xi64>
// CHECK-NEXT: [[V1:%[a-z0-9_]+]] = nd.argsort [[V0]] axis 1 order "ascending" : tensor<3x4xf32> -> tensor<3x4xi64>
// CHECK-NEXT: func.return [[V1]] : tensor<3x4xi64>
func.func @f(%x: tensor<4xf32>) -> tensor<4xi64> {
  %r = nd.argsort %x axis 0 order "ascending" : tensor<4xf32> -> tensor<4xi64>
  func.return %r : tensor<4xi64>
}

// -----

// searchsorted. One sorted vector for all examples.
// CHECK-LABEL: func.func @f_batched(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<3x5xi64>) -> tensor<3x5xi64>
// CHECK-NEXT: [[V1:%[a-z0-9_]+]] = nd.iota axis 0 : tensor<4xi64>
// CHECK-NEXT: [[V2:%[a-z0-9_]+]] = nd.searchsorted [[V1]], [[V0]] side "left" : tensor<4xi64>, tensor<3x5xi64> -> tensor<3x5xi64>
// CHECK-NEXT: func.return [[V2]] : tensor<3x5xi64>
func.func @f(%v: tensor<5xi64>) -> tensor<5xi64> {
  %s = nd.iota axis 0 : tensor<4xi64>
  %r = nd.searchsorted %s, %v side "left" : tensor<4xi64>, tensor<5xi64> -> tensor<5xi64>
  func.return %r : tensor<5xi64>
}

// -----

// searchsorted. A vector for each: the op takes one, so that a loop walks the examples.
// CHECK-LABEL: func.func @f_batched(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<3x4xf32>, [[V1:%[a-z0-9_]+]]: tensor<3x5xf32>) -> tensor<3x5xi64>
// CHECK-NEXT: [[V2:%[a-z0-9_]+]] = nd.constant dense<0> : tensor<i64>
// CHECK-NEXT: [[V3:%[a-z0-9_]+]] = nd.broadcast [[V2]] dims [] : tensor<i64> -> tensor<3x5xi64>
// CHECK-NEXT: [[V4:%[a-z0-9_]+]] = arith.constant 0 : index
// CHECK-NEXT: [[V5:%[a-z0-9_]+]] = arith.constant 3 : index
// CHECK-NEXT: [[V6:%[a-z0-9_]+]] = arith.constant 1 : index
// CHECK-NEXT: [[V7:%[a-z0-9_]+]] = scf.for [[V8:%[a-z0-9_]+]] = [[V4]] to [[V5]] step [[V6]] iter_args([[V9:%[a-z0-9_]+]] = [[V3]]) -> (tensor<3x5xi64>) {
// CHECK-NEXT: [[V10:%[a-z0-9_]+]] = arith.constant 0 : index
// CHECK-NEXT: [[V11:%[a-z0-9_]+]] = nd.dynamic_slice [[V0]]{{\[}}[[V8]], [[V10]]] sizes [1, 4] : tensor<3x4xf32> -> tensor<1x4xf32>
// CHECK-NEXT: [[V12:%[a-z0-9_]+]] = nd.reshape [[V11]] : tensor<1x4xf32> -> tensor<4xf32>
// CHECK-NEXT: [[V13:%[a-z0-9_]+]] = arith.constant 0 : index
// CHECK-NEXT: [[V14:%[a-z0-9_]+]] = nd.dynamic_slice [[V1]]{{\[}}[[V8]], [[V13]]] sizes [1, 5] : tensor<3x5xf32> -> tensor<1x5xf32>
// CHECK-NEXT: [[V15:%[a-z0-9_]+]] = nd.reshape [[V14]] : tensor<1x5xf32> -> tensor<5xf32>
// CHECK-NEXT: [[V16:%[a-z0-9_]+]] = nd.searchsorted [[V12]], [[V15]] side "left" : tensor<4xf32>, tensor<5xf32> -> tensor<5xi64>
// CHECK-NEXT: [[V17:%[a-z0-9_]+]] = arith.constant 0 : index
// CHECK-NEXT: [[V18:%[a-z0-9_]+]] = nd.reshape [[V16]] : tensor<5xi64> -> tensor<1x5xi64>
// CHECK-NEXT: [[V19:%[a-z0-9_]+]] = nd.dynamic_update_slice [[V9]], [[V18]]{{\[}}[[V8]], [[V17]]] : tensor<1x5xi64> -> tensor<3x5xi64>
// CHECK-NEXT: scf.yield [[V19]] : tensor<3x5xi64>
// CHECK-NEXT: }
// CHECK-NEXT: func.return [[V7]] : tensor<3x5xi64>
func.func @f(%s: tensor<4xf32>, %v: tensor<5xf32>) -> tensor<5xi64> {
  %r = nd.searchsorted %s, %v side "left" : tensor<4xf32>, tensor<5xf32> -> tensor<5xi64>
  func.return %r : tensor<5xi64>
}

// -----

// reduce_window.
// CHECK-LABEL: func.func @f_batched(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<3x4xf32>) -> tensor<3x2xf32>
// CHECK-NEXT: [[V1:%[a-z0-9_]+]] = nd.reduce_window "max" [[V0]] window [1, 2] strides [1, 2] padding [0, 0, 0, 0] dilation [1, 1] : tensor<3x4xf32> -> tensor<3x2xf32>
// CHECK-NEXT: func.return [[V1]] : tensor<3x2xf32>
func.func @f(%x: tensor<4xf32>) -> tensor<2xf32> {
  %r = nd.reduce_window "max" %x window [2] strides [2] padding [0, 0] dilation [1] : tensor<4xf32> -> tensor<2xf32>
  func.return %r : tensor<2xf32>
}

// -----

// gather. A batch of the operand is walked.
// CHECK-LABEL: func.func @f_batched(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<3x4x2xf32>) -> tensor<3x5x2xf32>
// CHECK-NEXT: [[V1:%[a-z0-9_]+]] = nd.iota axis 0 : tensor<5xi64>
// CHECK-NEXT: [[V2:%[a-z0-9_]+]] = nd.gather [[V0]]{{\[}}[[V1]]] axes [1] dims [0, 2] index_dims [1] : tensor<3x4x2xf32>, tensor<5xi64> -> tensor<3x5x2xf32>
// CHECK-NEXT: func.return [[V2]] : tensor<3x5x2xf32>
func.func @f(%x: tensor<4x2xf32>) -> tensor<5x2xf32> {
  %i = nd.iota axis 0 : tensor<5xi64>
  %r = nd.gather %x[%i] axes [0] dims [1] index_dims [0] : tensor<4x2xf32>, tensor<5xi64> -> tensor<5x2xf32>
  func.return %r : tensor<5x2xf32>
}

// -----

// gather. A batch of the indices is a dim of theirs.
// CHECK-LABEL: func.func @f_batched(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<3x5xi64>) -> tensor<3x5x2xf32>
// CHECK-NEXT: [[V1:%[a-z0-9_]+]] = nd.constant dense<1.000000e+00> : tensor<4x2xf32>
// CHECK-NEXT: [[V2:%[a-z0-9_]+]] = nd.gather [[V1]]{{\[}}[[V0]]] axes [0] dims [2] index_dims [0, 1] : tensor<4x2xf32>, tensor<3x5xi64> -> tensor<3x5x2xf32>
// CHECK-NEXT: func.return [[V2]] : tensor<3x5x2xf32>
func.func @f(%i: tensor<5xi64>) -> tensor<5x2xf32> {
  %x = nd.constant dense<1.0> : tensor<4x2xf32>
  %r = nd.gather %x[%i] axes [0] dims [1] index_dims [0] : tensor<4x2xf32>, tensor<5xi64> -> tensor<5x2xf32>
  func.return %r : tensor<5x2xf32>
}

// -----

// gather. A batch of both is a dim that they share.
// CHECK-LABEL: func.func @f_batched(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<3x4x2xf32>, [[V1:%[a-z0-9_]+]]: tensor<3x5xi64>) -> tensor<3x5x2xf32>
// CHECK-NEXT: [[V2:%[a-z0-9_]+]] = nd.gather [[V0]]{{\[}}[[V1]]] axes [1] dims [0, 2] index_dims [0, 1] : tensor<3x4x2xf32>, tensor<3x5xi64> -> tensor<3x5x2xf32>
// CHECK-NEXT: func.return [[V2]] : tensor<3x5x2xf32>
func.func @f(%x: tensor<4x2xf32>, %i: tensor<5xi64>) -> tensor<5x2xf32> {
  %r = nd.gather %x[%i] axes [0] dims [1] index_dims [0] : tensor<4x2xf32>, tensor<5xi64> -> tensor<5x2xf32>
  func.return %r : tensor<5x2xf32>
}

// -----

// scatter. Each example writes to a copy of its own.
// CHECK-LABEL: func.func @f_batched(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<3x5xf32>) -> tensor<3x4xf32>
// CHECK-NEXT: [[V1:%[a-z0-9_]+]] = nd.constant dense<0.000000e+00> : tensor<4xf32>
// CHECK-NEXT: [[V2:%[a-z0-9_]+]] = nd.iota axis 0 : tensor<5xi64>
// CHECK-NEXT: [[V3:%[a-z0-9_]+]] = nd.broadcast [[V1]] dims [1] : tensor<4xf32> -> tensor<3x4xf32>
// CHECK-NEXT: [[V4:%[a-z0-9_]+]] = nd.scatter "add" [[V3]], [[V0]]{{\[}}[[V2]]] axes [1] dims [0] index_dims [1] : tensor<3x4xf32>, tensor<3x5xf32>, tensor<5xi64> -> tensor<3x4xf32>
// CHECK-NEXT: func.return [[V4]] : tensor<3x4xf32>
func.func @f(%u: tensor<5xf32>) -> tensor<4xf32> {
  %x = nd.constant dense<0.0> : tensor<4xf32>
  %i = nd.iota axis 0 : tensor<5xi64>
  %r = nd.scatter "add" %x, %u[%i] axes [0] dims [] index_dims [0] : tensor<4xf32>, tensor<5xf32>, tensor<5xi64> -> tensor<4xf32>
  func.return %r : tensor<4xf32>
}

// -----

// scatter. With indices of each example.
// CHECK-LABEL: func.func @f_batched(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<3x4xf32>, [[V1:%[a-z0-9_]+]]: tensor<3x5xf32>, [[V2:%[a-z0-9_]+]]: tensor<3x5xi64>) -> tensor<3x4xf32>
// CHECK-NEXT: [[V3:%[a-z0-9_]+]] = nd.scatter "set" [[V0]], [[V1]]{{\[}}[[V2]]] axes [1] dims [0] index_dims [0, 1] : tensor<3x4xf32>, tensor<3x5xf32>, tensor<3x5xi64> -> tensor<3x4xf32>
// CHECK-NEXT: func.return [[V3]] : tensor<3x4xf32>
func.func @f(%x: tensor<4xf32>, %u: tensor<5xf32>, %i: tensor<5xi64>) -> tensor<4xf32> {
  %r = nd.scatter "set" %x, %u[%i] axes [0] dims [] index_dims [0] : tensor<4xf32>, tensor<5xf32>, tensor<5xi64> -> tensor<4xf32>
  func.return %r : tensor<4xf32>
}

// -----

// random_bits. A stream for each key.
// CHECK-LABEL: func.func @f_batched(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<3x2xui32>) -> tensor<3x5xui32>
// CHECK-NEXT: [[V1:%[a-z0-9_]+]] = nd.constant dense<0> : tensor<4xui32>
// CHECK-NEXT: [[V2:%[a-z0-9_]+]] = nd.broadcast [[V1]] dims [1] : tensor<4xui32> -> tensor<3x4xui32>
// CHECK-NEXT: [[V3:%[a-z0-9_]+]] = nd.random_bits [[V0]], [[V2]] : tensor<3x2xui32>, tensor<3x4xui32> -> tensor<3x5xui32>
// CHECK-NEXT: func.return [[V3]] : tensor<3x5xui32>
func.func @f(%k: tensor<2xui32>) -> tensor<5xui32> {
  %c = nd.constant dense<0> : tensor<4xui32>
  %r = nd.random_bits %k, %c : tensor<2xui32>, tensor<4xui32> -> tensor<5xui32>
  func.return %r : tensor<5xui32>
}

// -----

// check. It holds when it holds for all examples; it shows the values of the first for which it does not.
// CHECK-LABEL: func.func @f_batched(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<3xi1>, [[V1:%[a-z0-9_]+]]: tensor<3xi64>) -> tensor<3xi64>
// CHECK-NEXT: [[V2:%[a-z0-9_]+]] = nd.cast [[V0]] : tensor<3xi1> -> tensor<3xi64>
// CHECK-NEXT: [[V3:%[a-z0-9_]+]] = nd.argmin [[V2]] axis 0 : tensor<3xi64> -> tensor<i64>
// CHECK-NEXT: [[V4:%[a-z0-9_]+]] = nd.gather [[V1]]{{\[}}[[V3]]] axes [0] dims [] index_dims [] : tensor<3xi64>, tensor<i64> -> tensor<i64>
// CHECK-NEXT: [[V5:%[a-z0-9_]+]] = nd.reduce "and" [[V0]] axes [0] : tensor<3xi1> -> tensor<i1>
// CHECK-NEXT: nd.check [[V5]], "DomainError", "expected 1, found {}"{{\[}}[[V4]]]
// CHECK-NEXT: func.return [[V1]] : tensor<3xi64>
func.func @f(%p: tensor<i1>, %n: tensor<i64>) -> tensor<i64> {
  nd.check %p, "DomainError", "expected 1, found {}" [%n]
  func.return %n : tensor<i64>
}

// -----

// check. In a branch that some examples take it is about these only.
// CHECK-LABEL: func.func @f_batched(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<3xi1>, [[V1:%[a-z0-9_]+]]: tensor<3xi1>, [[V2:%[a-z0-9_]+]]: tensor<3xi64>) -> tensor<3xi64>
// CHECK-NEXT: [[V3:%[a-z0-9_]+]] = nd.bitwise_invert [[V0]] : tensor<3xi1>
// CHECK-NEXT: [[V4:%[a-z0-9_]+]] = nd.bitwise_invert [[V0]] : tensor<3xi1>
// CHECK-NEXT: [[V5:%[a-z0-9_]+]] = nd.bitwise_or [[V1]], [[V4]] : tensor<3xi1>
// CHECK-NEXT: [[V6:%[a-z0-9_]+]] = nd.reduce "and" [[V5]] axes [0] : tensor<3xi1> -> tensor<i1>
// CHECK-NEXT: nd.check [[V6]], "DomainError", "expected 1"
// CHECK-NEXT: func.return [[V2]] : tensor<3xi64>
func.func @f(%p: tensor<i1>, %q: tensor<i1>, %n: tensor<i64>) -> tensor<i64> {
  %f = tensor.extract %p[] : tensor<i1>
  %r = scf.if %f -> (tensor<i64>) {
    nd.check %q, "DomainError", "expected 1"
    scf.yield %n : tensor<i64>
  } else {
    scf.yield %n : tensor<i64>
  }
  func.return %r : tensor<i64>
}

// -----

// print. A line for each example, in order; one if they are equal.
// CHECK-LABEL: func.func @f_batched(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<3x2xf32>) -> tensor<3x2xf32>
// CHECK-NEXT: nd.print "begin"
// CHECK-NEXT: [[V1:%[a-z0-9_]+]] = arith.constant 0 : index
// CHECK-NEXT: [[V2:%[a-z0-9_]+]] = arith.constant 3 : index
// CHECK-NEXT: [[V3:%[a-z0-9_]+]] = arith.constant 1 : index
// CHECK-NEXT: scf.for [[V4:%[a-z0-9_]+]] = [[V1]] to [[V2]] step [[V3]] {
// CHECK-NEXT: [[V5:%[a-z0-9_]+]] = arith.constant 0 : index
// CHECK-NEXT: [[V6:%[a-z0-9_]+]] = nd.dynamic_slice [[V0]]{{\[}}[[V4]], [[V5]]] sizes [1, 2] : tensor<3x2xf32> -> tensor<1x2xf32>
// CHECK-NEXT: [[V7:%[a-z0-9_]+]] = nd.reshape [[V6]] : tensor<1x2xf32> -> tensor<2xf32>
// CHECK-NEXT: nd.print "x = {}"{{\[}}[[V7]]] : tensor<2xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.return [[V0]] : tensor<3x2xf32>
func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {
  nd.print "begin"
  nd.print "x = {}" [%x] : tensor<2xf32>
  func.return %x : tensor<2xf32>
}

// -----

// fail. Of the examples that reach it, in order.
// CHECK-LABEL: func.func @f_batched(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<3xi1>, [[V1:%[a-z0-9_]+]]: tensor<3x2xf32>) -> tensor<3x2xf32>
// CHECK-NEXT: [[V2:%[a-z0-9_]+]] = nd.bitwise_invert [[V0]] : tensor<3xi1>
// CHECK-NEXT: [[V3:%[a-z0-9_]+]] = nd.reshape [[V1]] {lamina.stop_gradient} : tensor<3x2xf32> -> tensor<3x2xf32>
// CHECK-NEXT: [[V4:%[a-z0-9_]+]] = nd.broadcast [[V0]] dims [0] : tensor<3xi1> -> tensor<3x2xi1>
// CHECK-NEXT: [[V5:%[a-z0-9_]+]] = nd.select [[V4]], [[V1]], [[V3]] : tensor<3x2xi1>, tensor<3x2xf32>
// CHECK-NEXT: [[V6:%[a-z0-9_]+]] = arith.constant 0 : index
// CHECK-NEXT: [[V7:%[a-z0-9_]+]] = arith.constant 3 : index
// CHECK-NEXT: [[V8:%[a-z0-9_]+]] = arith.constant 1 : index
// CHECK-NEXT: scf.for [[V9:%[a-z0-9_]+]] = [[V6]] to [[V7]] step [[V8]] {
// CHECK-NEXT: [[V10:%[a-z0-9_]+]] = nd.dynamic_slice [[V0]]{{\[}}[[V9]]] sizes [1] : tensor<3xi1> -> tensor<1xi1>
// CHECK-NEXT: [[V11:%[a-z0-9_]+]] = nd.reshape [[V10]] : tensor<1xi1> -> tensor<i1>
// CHECK-NEXT: [[V12:%[a-z0-9_]+]] = tensor.extract [[V11]][] : tensor<i1>
// CHECK-NEXT: scf.if [[V12]] {
// CHECK-NEXT: [[V13:%[a-z0-9_]+]] = arith.constant 0 : index
// CHECK-NEXT: [[V14:%[a-z0-9_]+]] = nd.dynamic_slice [[V5]]{{\[}}[[V9]], [[V13]]] sizes [1, 2] : tensor<3x2xf32> -> tensor<1x2xf32>
// CHECK-NEXT: [[V15:%[a-z0-9_]+]] = nd.reshape [[V14]] : tensor<1x2xf32> -> tensor<2xf32>
// CHECK-NEXT: nd.fail "CheckError", "found {}"{{\[}}[[V15]]] : tensor<2xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: func.return [[V1]] : tensor<3x2xf32>
func.func @f(%p: tensor<i1>, %x: tensor<2xf32>) -> tensor<2xf32> {
  %f = tensor.extract %p[] : tensor<i1>
  scf.if %f {
    nd.fail "CheckError", "found {}" [%x] : tensor<2xf32>
  }
  func.return %x : tensor<2xf32>
}

// -----

// custom_call. A C function of one example is called for each.
// CHECK-LABEL: func.func @f_batched(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<3x2xcomplex<f32>>) -> tensor<3x2xcomplex<f32>>
// CHECK-NEXT: [[V1:%[a-z0-9_]+]] = nd.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: [[V2:%[a-z0-9_]+]] = nd.complex [[V1]], [[V1]] : tensor<f32> -> tensor<complex<f32>>
// CHECK-NEXT: [[V3:%[a-z0-9_]+]] = nd.broadcast [[V2]] dims [] : tensor<complex<f32>> -> tensor<3x2xcomplex<f32>>
// CHECK-NEXT: [[V4:%[a-z0-9_]+]] = nd.constant dense<0> : tensor<i64>
// CHECK-NEXT: [[V5:%[a-z0-9_]+]] = nd.broadcast [[V4]] dims [] : tensor<i64> -> tensor<3xi64>
// CHECK-NEXT: [[V6:%[a-z0-9_]+]] = arith.constant 0 : index
// CHECK-NEXT: [[V7:%[a-z0-9_]+]] = arith.constant 3 : index
// CHECK-NEXT: [[V8:%[a-z0-9_]+]] = arith.constant 1 : index
// CHECK-NEXT: [[V9:%[a-z0-9_]+]], [[V10:%[a-z0-9_]+]] = scf.for [[V11:%[a-z0-9_]+]] = [[V6]] to [[V7]] step [[V8]] iter_args([[V12:%[a-z0-9_]+]] = [[V3]], [[V13:%[a-z0-9_]+]] = [[V5]]) -> (tensor<3x2xcomplex<f32>>, tensor<3xi64>) {
// CHECK-NEXT: [[V14:%[a-z0-9_]+]] = arith.constant 0 : index
// CHECK-NEXT: [[V15:%[a-z0-9_]+]] = nd.dynamic_slice [[V0]]{{\[}}[[V11]], [[V14]]] sizes [1, 2] : tensor<3x2xcomplex<f32>> -> tensor<1x2xcomplex<f32>>
// CHECK-NEXT: [[V16:%[a-z0-9_]+]] = nd.reshape [[V15]] : tensor<1x2xcomplex<f32>> -> tensor<2xcomplex<f32>>
// CHECK-NEXT: [[V17:%[a-z0-9_]+]], [[V18:%[a-z0-9_]+]] = nd.custom_call "f"([[V16]]) pure : (tensor<2xcomplex<f32>>) -> (tensor<2xcomplex<f32>>, tensor<i64>)
// CHECK-NEXT: [[V19:%[a-z0-9_]+]] = arith.constant 0 : index
// CHECK-NEXT: [[V20:%[a-z0-9_]+]] = nd.reshape [[V17]] : tensor<2xcomplex<f32>> -> tensor<1x2xcomplex<f32>>
// CHECK-NEXT: [[V21:%[a-z0-9_]+]] = nd.dynamic_update_slice [[V12]], [[V20]]{{\[}}[[V11]], [[V19]]] : tensor<1x2xcomplex<f32>> -> tensor<3x2xcomplex<f32>>
// CHECK-NEXT: [[V22:%[a-z0-9_]+]] = nd.reshape [[V18]] : tensor<i64> -> tensor<1xi64>
// CHECK-NEXT: [[V23:%[a-z0-9_]+]] = nd.dynamic_update_slice [[V13]], [[V22]]{{\[}}[[V11]]] : tensor<1xi64> -> tensor<3xi64>
// CHECK-NEXT: scf.yield [[V21]], [[V23]] : tensor<3x2xcomplex<f32>>, tensor<3xi64>
// CHECK-NEXT: }
// CHECK-NEXT: func.return [[V9]] : tensor<3x2xcomplex<f32>>
func.func @f(%x: tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>> {
  %y, %z = nd.custom_call "f"(%x) pure : (tensor<2xcomplex<f32>>) -> (tensor<2xcomplex<f32>>, tensor<i64>)
  func.return %y : tensor<2xcomplex<f32>>
}

// -----

// scf.if. Where examples differ both branches are computed, and each example takes its own.
// CHECK-LABEL: func.func @f_batched(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<3xi1>, [[V1:%[a-z0-9_]+]]: tensor<3x4xf32>) -> tensor<3x4xf32>
// CHECK-NEXT: [[V2:%[a-z0-9_]+]] = nd.bitwise_invert [[V0]] : tensor<3xi1>
// CHECK-NEXT: [[V3:%[a-z0-9_]+]] = nd.reshape [[V1]] {lamina.stop_gradient} : tensor<3x4xf32> -> tensor<3x4xf32>
// CHECK-NEXT: [[V4:%[a-z0-9_]+]] = nd.broadcast [[V0]] dims [0] : tensor<3xi1> -> tensor<3x4xi1>
// CHECK-NEXT: [[V5:%[a-z0-9_]+]] = nd.select [[V4]], [[V1]], [[V3]] : tensor<3x4xi1>, tensor<3x4xf32>
// CHECK-NEXT: [[V6:%[a-z0-9_]+]] = nd.exp [[V5]] : tensor<3x4xf32>
// CHECK-NEXT: [[V7:%[a-z0-9_]+]] = nd.reshape [[V1]] {lamina.stop_gradient} : tensor<3x4xf32> -> tensor<3x4xf32>
// CHECK-NEXT: [[V8:%[a-z0-9_]+]] = nd.broadcast [[V2]] dims [0] : tensor<3xi1> -> tensor<3x4xi1>
// CHECK-NEXT: [[V9:%[a-z0-9_]+]] = nd.select [[V8]], [[V1]], [[V7]] : tensor<3x4xi1>, tensor<3x4xf32>
// CHECK-NEXT: [[V10:%[a-z0-9_]+]] = nd.broadcast [[V0]] dims [0] : tensor<3xi1> -> tensor<3x4xi1>
// CHECK-NEXT: [[V11:%[a-z0-9_]+]] = nd.select [[V10]], [[V6]], [[V9]] : tensor<3x4xi1>, tensor<3x4xf32>
// CHECK-NEXT: func.return [[V11]] : tensor<3x4xf32>
func.func @f(%p: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %f = tensor.extract %p[] : tensor<i1>
  %r = scf.if %f -> (tensor<4xf32>) {
    %a = nd.exp %x : tensor<4xf32>
    scf.yield %a : tensor<4xf32>
  } else {
    scf.yield %x : tensor<4xf32>
  }
  func.return %r : tensor<4xf32>
}

// -----

// scf.if. Where they do not it stays; a result that differs in one branch gets the batch in both.
// CHECK-LABEL: func.func @f_batched(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<3xf32>) -> tensor<3xf32>
// CHECK-NEXT: [[V1:%[a-z0-9_]+]] = arith.constant true
// CHECK-NEXT: [[V2:%[a-z0-9_]+]] = scf.if [[V1]] -> (tensor<3xf32>) {
// CHECK-NEXT: scf.yield [[V0]] : tensor<3xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: [[V3:%[a-z0-9_]+]] = nd.constant dense<1.000000e+00> : tensor<f32>
// CHECK-NEXT: [[V4:%[a-z0-9_]+]] = nd.broadcast [[V3]] dims [] : tensor<f32> -> tensor<3xf32>
// CHECK-NEXT: scf.yield [[V4]] : tensor<3xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.return [[V2]] : tensor<3xf32>
func.func @f(%x: tensor<f32>) -> tensor<f32> {
  %f = arith.constant true
  %r = scf.if %f -> (tensor<f32>) {
    scf.yield %x : tensor<f32>
  } else {
    %a = nd.constant dense<1.0> : tensor<f32>
    scf.yield %a : tensor<f32>
  }
  func.return %r : tensor<f32>
}

// -----

// scf.for. With the same trips for all; what it carries gets a batch from the body.
// CHECK-LABEL: func.func @f_batched(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<3xf32>) -> tensor<3xf32>
// CHECK-NEXT: [[V1:%[a-z0-9_]+]] = arith.constant 0 : index
// CHECK-NEXT: [[V2:%[a-z0-9_]+]] = arith.constant 5 : index
// CHECK-NEXT: [[V3:%[a-z0-9_]+]] = arith.constant 1 : index
// CHECK-NEXT: [[V4:%[a-z0-9_]+]] = nd.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: [[V5:%[a-z0-9_]+]] = nd.broadcast [[V4]] dims [] : tensor<f32> -> tensor<3xf32>
// CHECK-NEXT: [[V6:%[a-z0-9_]+]], [[V7:%[a-z0-9_]+]] = scf.for [[V8:%[a-z0-9_]+]] = [[V1]] to [[V2]] step [[V3]] iter_args([[V9:%[a-z0-9_]+]] = [[V5]], [[V10:%[a-z0-9_]+]] = [[V4]]) -> (tensor<3xf32>, tensor<f32>) {
// CHECK-NEXT: [[V11:%[a-z0-9_]+]] = nd.add [[V9]], [[V0]] : tensor<3xf32>
// CHECK-NEXT: [[V12:%[a-z0-9_]+]] = nd.negative [[V10]] : tensor<f32>
// CHECK-NEXT: scf.yield [[V11]], [[V12]] : tensor<3xf32>, tensor<f32>
// CHECK-NEXT: }
// CHECK-NEXT: func.return [[V6]] : tensor<3xf32>
func.func @f(%x: tensor<f32>) -> tensor<f32> {
  %l = arith.constant 0 : index
  %h = arith.constant 5 : index
  %s = arith.constant 1 : index
  %z = nd.constant dense<0.0> : tensor<f32>
  %r, %t = scf.for %i = %l to %h step %s iter_args(%c = %z, %d = %z) -> (tensor<f32>, tensor<f32>) {
    %n = nd.add %c, %x : tensor<f32>
    %m = nd.negative %d : tensor<f32>
    scf.yield %n, %m : tensor<f32>, tensor<f32>
  }
  func.return %r : tensor<f32>
}

// -----

// scf.for. With trips of each example's own: as many as the most, and no change for who is done.
// CHECK-LABEL: func.func @f_batched(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<3xi64>, [[V1:%[a-z0-9_]+]]: tensor<3xf32>) -> tensor<3xf32>
// CHECK-NEXT: [[V2:%[a-z0-9_]+]] = arith.constant 0 : index
// CHECK-NEXT: [[V3:%[a-z0-9_]+]] = arith.constant 1 : index
// CHECK-NEXT: [[V4:%[a-z0-9_]+]] = nd.from_index [[V2]] : tensor<i64>
// CHECK-NEXT: [[V5:%[a-z0-9_]+]] = nd.broadcast [[V4]] dims [] : tensor<i64> -> tensor<3xi64>
// CHECK-NEXT: [[V6:%[a-z0-9_]+]] = nd.from_index [[V3]] : tensor<i64>
// CHECK-NEXT: [[V7:%[a-z0-9_]+]] = nd.broadcast [[V6]] dims [] : tensor<i64> -> tensor<3xi64>
// CHECK-NEXT: [[V8:%[a-z0-9_]+]] = nd.subtract [[V0]], [[V5]] : tensor<3xi64>
// CHECK-NEXT: [[V9:%[a-z0-9_]+]] = nd.add [[V8]], [[V7]] : tensor<3xi64>
// CHECK-NEXT: [[V10:%[a-z0-9_]+]] = nd.constant dense<1> : tensor<i64>
// CHECK-NEXT: [[V11:%[a-z0-9_]+]] = nd.broadcast [[V10]] dims [] : tensor<i64> -> tensor<3xi64>
// CHECK-NEXT: [[V12:%[a-z0-9_]+]] = nd.subtract [[V9]], [[V11]] : tensor<3xi64>
// CHECK-NEXT: [[V13:%[a-z0-9_]+]] = nd.floor_divide [[V12]], [[V7]] : tensor<3xi64>
// CHECK-NEXT: [[V14:%[a-z0-9_]+]] = nd.reduce "max" [[V13]] axes [0] : tensor<3xi64> -> tensor<i64>
// CHECK-NEXT: [[V15:%[a-z0-9_]+]] = nd.to_index [[V14]] : tensor<i64>
// CHECK-NEXT: [[V16:%[a-z0-9_]+]] = arith.constant 0 : index
// CHECK-NEXT: [[V17:%[a-z0-9_]+]] = arith.constant 1 : index
// CHECK-NEXT: [[V18:%[a-z0-9_]+]] = scf.for [[V19:%[a-z0-9_]+]] = [[V16]] to [[V15]] step [[V17]] iter_args([[V20:%[a-z0-9_]+]] = [[V1]]) -> (tensor<3xf32>) {
// CHECK-NEXT: [[V21:%[a-z0-9_]+]] = nd.from_index [[V19]] : tensor<i64>
// CHECK-NEXT: [[V22:%[a-z0-9_]+]] = nd.broadcast [[V21]] dims [] : tensor<i64> -> tensor<3xi64>
// CHECK-NEXT: [[V23:%[a-z0-9_]+]] = nd.less [[V22]], [[V13]] : tensor<3xi64> -> tensor<3xi1>
// CHECK-NEXT: [[V24:%[a-z0-9_]+]] = nd.multiply [[V22]], [[V7]] : tensor<3xi64>
// CHECK-NEXT: [[V25:%[a-z0-9_]+]] = nd.add [[V5]], [[V24]] : tensor<3xi64>
// CHECK-NEXT: [[V26:%[a-z0-9_]+]] = nd.reshape [[V20]] {lamina.stop_gradient} : tensor<3xf32> -> tensor<3xf32>
// CHECK-NEXT: [[V27:%[a-z0-9_]+]] = nd.select [[V23]], [[V20]], [[V26]] : tensor<3xi1>, tensor<3xf32>
// CHECK-NEXT: [[V28:%[a-z0-9_]+]] = nd.reshape [[V1]] {lamina.stop_gradient} : tensor<3xf32> -> tensor<3xf32>
// CHECK-NEXT: [[V29:%[a-z0-9_]+]] = nd.select [[V23]], [[V1]], [[V28]] : tensor<3xi1>, tensor<3xf32>
// CHECK-NEXT: [[V30:%[a-z0-9_]+]] = nd.add [[V27]], [[V29]] : tensor<3xf32>
// CHECK-NEXT: [[V31:%[a-z0-9_]+]] = nd.select [[V23]], [[V30]], [[V20]] : tensor<3xi1>, tensor<3xf32>
// CHECK-NEXT: scf.yield [[V31]] : tensor<3xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.return [[V18]] : tensor<3xf32>
func.func @f(%b: tensor<i64>, %x: tensor<f32>) -> tensor<f32> {
  %l = arith.constant 0 : index
  %h = nd.to_index %b : tensor<i64>
  %s = arith.constant 1 : index
  %r = scf.for %i = %l to %h step %s iter_args(%c = %x) -> (tensor<f32>) {
    %n = nd.add %c, %x : tensor<f32>
    scf.yield %n : tensor<f32>
  }
  func.return %r : tensor<f32>
}

// -----

// scf.while. It runs until the last example is done; who is done keeps what it carries.
// CHECK-LABEL: func.func @f_batched(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<3xf32>) -> tensor<3xf32>
// CHECK-NEXT: [[V1:%[a-z0-9_]+]] = nd.constant dense<9.000000e+00> : tensor<f32>
// CHECK-NEXT: [[V2:%[a-z0-9_]+]], [[V3:%[a-z0-9_]+]] = scf.while ([[V4:%[a-z0-9_]+]] = [[V0]]) : (tensor<3xf32>) -> (tensor<3xf32>, tensor<3xi1>) {
// CHECK-NEXT: [[V5:%[a-z0-9_]+]] = nd.broadcast [[V1]] dims [] : tensor<f32> -> tensor<3xf32>
// CHECK-NEXT: [[V6:%[a-z0-9_]+]] = nd.less [[V4]], [[V5]] : tensor<3xf32> -> tensor<3xi1>
// CHECK-NEXT: [[V7:%[a-z0-9_]+]] = nd.reduce "or" [[V6]] axes [0] : tensor<3xi1> -> tensor<i1>
// CHECK-NEXT: [[V8:%[a-z0-9_]+]] = tensor.extract [[V7]][] : tensor<i1>
// CHECK-NEXT: scf.condition([[V8]]) [[V4]], [[V6]] : tensor<3xf32>, tensor<3xi1>
// CHECK-NEXT: } do {
// CHECK-NEXT: ^bb0([[V9:%[a-z0-9_]+]]: tensor<3xf32>, [[V10:%[a-z0-9_]+]]: tensor<3xi1>):
// CHECK-NEXT: [[V11:%[a-z0-9_]+]] = nd.reshape [[V9]] {lamina.stop_gradient} : tensor<3xf32> -> tensor<3xf32>
// CHECK-NEXT: [[V12:%[a-z0-9_]+]] = nd.select [[V10]], [[V9]], [[V11]] : tensor<3xi1>, tensor<3xf32>
// CHECK-NEXT: [[V13:%[a-z0-9_]+]] = nd.reshape [[V0]] {lamina.stop_gradient} : tensor<3xf32> -> tensor<3xf32>
// CHECK-NEXT: [[V14:%[a-z0-9_]+]] = nd.select [[V10]], [[V0]], [[V13]] : tensor<3xi1>, tensor<3xf32>
// CHECK-NEXT: [[V15:%[a-z0-9_]+]] = nd.add [[V12]], [[V14]] : tensor<3xf32>
// CHECK-NEXT: [[V16:%[a-z0-9_]+]] = nd.select [[V10]], [[V15]], [[V9]] : tensor<3xi1>, tensor<3xf32>
// CHECK-NEXT: scf.yield [[V16]] : tensor<3xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.return [[V2]] : tensor<3xf32>
func.func @f(%x: tensor<f32>) -> tensor<f32> {
  %z = nd.constant dense<9.0> : tensor<f32>
  %r = scf.while (%c = %x) : (tensor<f32>) -> tensor<f32> {
    %p = nd.less %c, %z : tensor<f32> -> tensor<i1>
    %f = tensor.extract %p[] : tensor<i1>
    scf.condition(%f) %c : tensor<f32>
  } do {
  ^bb0(%d: tensor<f32>):
    %n = nd.add %d, %x : tensor<f32>
    scf.yield %n : tensor<f32>
  }
  func.return %r : tensor<f32>
}

// -----

// scf.while. A condition that is equal in all examples stays as it is.
// CHECK-LABEL: func.func @f_batched(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<3xf32>) -> tensor<3xf32>
// CHECK-NEXT: [[V1:%[a-z0-9_]+]] = nd.constant dense<9.000000e+00> : tensor<f32>
// CHECK-NEXT: [[V2:%[a-z0-9_]+]] = scf.while ([[V3:%[a-z0-9_]+]] = [[V0]]) : (tensor<3xf32>) -> tensor<3xf32> {
// CHECK-NEXT: [[V4:%[a-z0-9_]+]] = nd.less [[V1]], [[V1]] : tensor<f32> -> tensor<i1>
// CHECK-NEXT: [[V5:%[a-z0-9_]+]] = tensor.extract [[V4]][] : tensor<i1>
// CHECK-NEXT: scf.condition([[V5]]) [[V3]] : tensor<3xf32>
// CHECK-NEXT: } do {
// CHECK-NEXT: ^bb0([[V6:%[a-z0-9_]+]]: tensor<3xf32>):
// CHECK-NEXT: [[V7:%[a-z0-9_]+]] = nd.add [[V6]], [[V0]] : tensor<3xf32>
// CHECK-NEXT: scf.yield [[V7]] : tensor<3xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.return [[V2]] : tensor<3xf32>
func.func @f(%x: tensor<f32>) -> tensor<f32> {
  %z = nd.constant dense<9.0> : tensor<f32>
  %r = scf.while (%c = %x) : (tensor<f32>) -> tensor<f32> {
    %p = nd.less %z, %z : tensor<f32> -> tensor<i1>
    %f = tensor.extract %p[] : tensor<i1>
    scf.condition(%f) %c : tensor<f32>
  } do {
  ^bb0(%d: tensor<f32>):
    %n = nd.add %d, %x : tensor<f32>
    scf.yield %n : tensor<f32>
  }
  func.return %r : tensor<f32>
}

// -----

// Examples without elements, and of one.
// CHECK-LABEL: func.func @f_batched(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<3x0xf32>, [[V1:%[a-z0-9_]+]]: tensor<3x1xf32>) -> tensor<3x1xf32>
// CHECK-NEXT: [[V2:%[a-z0-9_]+]] = nd.concat [[V0]], [[V1]] axis 1 : tensor<3x0xf32>, tensor<3x1xf32> -> tensor<3x1xf32>
// CHECK-NEXT: func.return [[V2]] : tensor<3x1xf32>
func.func @f(%x: tensor<0xf32>, %y: tensor<1xf32>) -> tensor<1xf32> {
  %r = nd.concat %x, %y axis 0 : tensor<0xf32>, tensor<1xf32> -> tensor<1xf32>
  func.return %r : tensor<1xf32>
}

// -----

// A size that differs between examples is no size of a tensor.
func.func @f(%i: tensor<i64>) -> tensor<?xf32> {
  %n = nd.to_index %i : tensor<i64>
  %v = nd.constant dense<0.0> : tensor<f32>
  // expected-error {{batch: expected sizes that are equal in all examples, found nd.broadcast}}
  %r = nd.broadcast %v [%n] dims [] : tensor<f32> -> tensor<?xf32>
  func.return %r : tensor<?xf32>
}

// -----

// Neither of one that is reshaped.
func.func @f(%i: tensor<i64>, %x: tensor<4xf32>) -> tensor<?xf32> {
  %n = nd.to_index %i : tensor<i64>
  // expected-error {{batch: expected sizes that are equal in all examples, found nd.reshape}}
  %r = nd.reshape %x [%n] : tensor<4xf32> -> tensor<?xf32>
  func.return %r : tensor<?xf32>
}

// -----

// A window has one size, known at compile time where its place differs.
func.func @f(%x: tensor<4xf32>, %i: tensor<i64>, %m: tensor<i64>) -> tensor<?xf32> {
  %n = nd.to_index %i : tensor<i64>
  %k = nd.to_index %m : tensor<i64>
  // expected-error {{batch: expected a window of a static size, since its place differs between examples, found nd.dynamic_slice}}
  %r = nd.dynamic_slice %x[%n, %k] sizes [-1] : tensor<4xf32> -> tensor<?xf32>
  func.return %r : tensor<?xf32>
}

// -----

// dynamic_slice. A run-time size, equal in all examples.
// CHECK-LABEL: func.func @f_batched(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<3x4xf32>) -> tensor<3x?xf32>
// CHECK-NEXT: [[V1:%[a-z0-9_]+]] = arith.constant 1 : index
// CHECK-NEXT: [[V2:%[a-z0-9_]+]] = arith.constant 0 : index
// CHECK-NEXT: [[V3:%[a-z0-9_]+]] = nd.dynamic_slice [[V0]]{{\[}}[[V2]], [[V1]], [[V1]]] sizes [3, -1] : tensor<3x4xf32> -> tensor<3x?xf32>
// CHECK-NEXT: func.return [[V3]] : tensor<3x?xf32>
func.func @f(%x: tensor<4xf32>) -> tensor<?xf32> {
  %n = arith.constant 1 : index
  %r = nd.dynamic_slice %x[%n, %n] sizes [-1] : tensor<4xf32> -> tensor<?xf32>
  func.return %r : tensor<?xf32>
}

// -----

// What is done for each example alone gives results of static shapes; it may read others.
func.func @f(%s: tensor<4xf32>, %v: tensor<?xf32>) -> tensor<?xi64> {
  // expected-error {{batch: expected results of static shapes, since there is no form with a batch, found nd.searchsorted}}
  %r = nd.searchsorted %s, %v side "left" : tensor<4xf32>, tensor<?xf32> -> tensor<?xi64>
  func.return %r : tensor<?xi64>
}

// -----

// print. Of a run-time size.
// CHECK-LABEL: func.func @f_batched(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<3x?xf32>) -> tensor<3x?xf32>
// CHECK-NEXT: [[V1:%[a-z0-9_]+]] = arith.constant 0 : index
// CHECK-NEXT: [[V2:%[a-z0-9_]+]] = arith.constant 3 : index
// CHECK-NEXT: [[V3:%[a-z0-9_]+]] = arith.constant 1 : index
// CHECK-NEXT: scf.for [[V4:%[a-z0-9_]+]] = [[V1]] to [[V2]] step [[V3]] {
// CHECK-NEXT: [[V5:%[a-z0-9_]+]] = arith.constant 0 : index
// CHECK-NEXT: [[V6:%[a-z0-9_]+]] = nd.dim [[V0]] axis 1 : tensor<3x?xf32>
// CHECK-NEXT: [[V7:%[a-z0-9_]+]] = nd.dynamic_slice [[V0]]{{\[}}[[V4]], [[V5]], [[V6]]] sizes [1, -1] : tensor<3x?xf32> -> tensor<1x?xf32>
// CHECK-NEXT: [[V8:%[a-z0-9_]+]] = nd.reshape [[V7]]{{\[}}[[V6]]] : tensor<1x?xf32> -> tensor<?xf32>
// CHECK-NEXT: nd.print "{}"{{\[}}[[V8]]] : tensor<?xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.return [[V0]] : tensor<3x?xf32>
func.func @f(%x: tensor<?xf32>) -> tensor<?xf32> {
  nd.print "{}" [%x] : tensor<?xf32>
  func.return %x : tensor<?xf32>
}

// -----

// Channels and images of convolutions are counted.
func.func @f(%x: tensor<?x4x6xf32>) -> tensor<?x4x4xf32> {
  %w = nd.constant dense<1.0> : tensor<4x4x3xf32>
  // expected-error {{batch: expected operands of static shapes, found nd.conv}}
  %r = nd.conv %x, %w strides [1] padding [0, 0] dilation [1] groups 1 : tensor<?x4x6xf32>, tensor<4x4x3xf32> -> tensor<?x4x4xf32>
  func.return %r : tensor<?x4x4xf32>
}

// -----

// A condition that changes what is carried cannot be asked again.
func.func @f(%x: tensor<f32>) -> tensor<f32> {
  %z = nd.constant dense<9.0> : tensor<f32>
  // expected-error {{batch: expected a condition that changes nothing of what the loop carries, found scf.while}}
  %r = scf.while (%c = %x) : (tensor<f32>) -> tensor<f32> {
    %p = nd.less %c, %z : tensor<f32> -> tensor<i1>
    %f = tensor.extract %p[] : tensor<i1>
    %e = nd.add %c, %c : tensor<f32>
    scf.condition(%f) %e : tensor<f32>
  } do {
  ^bb0(%d: tensor<f32>):
    scf.yield %d : tensor<f32>
  }
  func.return %r : tensor<f32>
}

// -----

// An element at a place is not read.
func.func @f(%x: tensor<4xi1>, %y: tensor<f32>) -> tensor<f32> {
  %l = arith.constant 0 : index
  // expected-error {{batch: expected the element of a 0-d tensor, found tensor.extract}}
  %f = tensor.extract %x[%l] : tensor<4xi1>
  %r = scf.if %f -> (tensor<f32>) {
    scf.yield %y : tensor<f32>
  } else {
    scf.yield %y : tensor<f32>
  }
  func.return %r : tensor<f32>
}

// -----

// Of comparisons, signed ones have.
func.func @f(%i: tensor<i64>) -> tensor<i64> {
  %n = nd.to_index %i : tensor<i64>
  // expected-error {{batch: expected a signed comparison, found arith.cmpi}}
  %c = arith.cmpi ult, %n, %n : index
  %r = scf.if %c -> (tensor<i64>) {
    scf.yield %i : tensor<i64>
  } else {
    scf.yield %i : tensor<i64>
  }
  func.return %r : tensor<i64>
}

// -----

// Other ops have no form with a batch.
func.func @f(%i: tensor<i64>) -> tensor<i64> {
  %n = nd.to_index %i : tensor<i64>
  // expected-error {{batch: expected an op that has a form with a batch, found arith.divsi}}
  %m = arith.divsi %n, %n : index
  %r = nd.from_index %m : tensor<i64>
  func.return %r : tensor<i64>
}

// -----

// The function must be there.
// expected-error {{batch: expected a function @f with a body}}
func.func private @f(tensor<f32>) -> tensor<f32>
