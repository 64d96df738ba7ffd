// RUN: %opt -p 'differentiate{function=f}' --split-input-file --verify-diagnostics %s | %check

// The backward function of each op: the forward ops again, then the cotangents.

// add. x + y.
// CHECK-LABEL: func.func @f_vjp(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<4xf32>, [[V1:%[a-z0-9_]+]]: tensor<4xf32>, [[V2:%[a-z0-9_]+]]: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
// CHECK-NEXT: [[V3:%[a-z0-9_]+]] = nd.add [[V0]], [[V1]] : tensor<4xf32>
// CHECK-NEXT: func.return [[V2]], [[V2]] : tensor<4xf32>, tensor<4xf32>
func.func @f(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %r = nd.add %x, %y : tensor<4xf32>
  func.return %r : tensor<4xf32>
}

// -----

// subtract. x - y.
// CHECK-LABEL: func.func @f_vjp(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<4xf32>, [[V1:%[a-z0-9_]+]]: tensor<4xf32>, [[V2:%[a-z0-9_]+]]: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
// CHECK-NEXT: [[V3:%[a-z0-9_]+]] = nd.subtract [[V0]], [[V1]] : tensor<4xf32>
// CHECK-NEXT: [[V4:%[a-z0-9_]+]] = nd.negative [[V2]] : tensor<4xf32>
// CHECK-NEXT: func.return [[V2]], [[V4]] : tensor<4xf32>, tensor<4xf32>
func.func @f(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %r = nd.subtract %x, %y : tensor<4xf32>
  func.return %r : tensor<4xf32>
}

// -----

// multiply. x * y.
// CHECK-LABEL: func.func @f_vjp(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<4xf32>, [[V1:%[a-z0-9_]+]]: tensor<4xf32>, [[V2:%[a-z0-9_]+]]: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
// CHECK-NEXT: [[V3:%[a-z0-9_]+]] = nd.multiply [[V0]], [[V1]] : tensor<4xf32>
// CHECK-NEXT: [[V4:%[a-z0-9_]+]] = nd.multiply [[V2]], [[V1]] : tensor<4xf32>
// CHECK-NEXT: [[V5:%[a-z0-9_]+]] = nd.multiply [[V2]], [[V0]] : tensor<4xf32>
// CHECK-NEXT: func.return [[V4]], [[V5]] : tensor<4xf32>, tensor<4xf32>
func.func @f(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %r = nd.multiply %x, %y : tensor<4xf32>
  func.return %r : tensor<4xf32>
}

// -----

// divide. -g * (x / y) / y: the quotient is used again.
// CHECK-LABEL: func.func @f_vjp(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<4xf32>, [[V1:%[a-z0-9_]+]]: tensor<4xf32>, [[V2:%[a-z0-9_]+]]: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
// CHECK-NEXT: [[V3:%[a-z0-9_]+]] = nd.divide [[V0]], [[V1]] : tensor<4xf32>
// CHECK-NEXT: [[V4:%[a-z0-9_]+]] = nd.divide [[V2]], [[V1]] : tensor<4xf32>
// CHECK-NEXT: [[V5:%[a-z0-9_]+]] = nd.multiply [[V2]], [[V3]] : tensor<4xf32>
// CHECK-NEXT: [[V6:%[a-z0-9_]+]] = nd.divide [[V5]], [[V1]] : tensor<4xf32>
// CHECK-NEXT: [[V7:%[a-z0-9_]+]] = nd.negative [[V6]] : tensor<4xf32>
// CHECK-NEXT: func.return [[V4]], [[V7]] : tensor<4xf32>, tensor<4xf32>
func.func @f(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %r = nd.divide %x, %y : tensor<4xf32>
  func.return %r : tensor<4xf32>
}

// -----

// remainder. The rest moves with x; with y against the floor of x / y.
// CHECK-LABEL: func.func @f_vjp(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<4xf32>, [[V1:%[a-z0-9_]+]]: tensor<4xf32>, [[V2:%[a-z0-9_]+]]: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
// CHECK-NEXT: [[V3:%[a-z0-9_]+]] = nd.remainder [[V0]], [[V1]] : tensor<4xf32>
// CHECK-NEXT: [[V4:%[a-z0-9_]+]] = nd.floor_divide [[V0]], [[V1]] : tensor<4xf32>
// CHECK-NEXT: [[V5:%[a-z0-9_]+]] = nd.multiply [[V2]], [[V4]] : tensor<4xf32>
// CHECK-NEXT: [[V6:%[a-z0-9_]+]] = nd.negative [[V5]] : tensor<4xf32>
// CHECK-NEXT: func.return [[V2]], [[V6]] : tensor<4xf32>, tensor<4xf32>
func.func @f(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %r = nd.remainder %x, %y : tensor<4xf32>
  func.return %r : tensor<4xf32>
}

// -----

// floor_divide. Piecewise constant: zeros.
// CHECK-LABEL: func.func @f_vjp(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<4xf32>, [[V1:%[a-z0-9_]+]]: tensor<4xf32>, [[V2:%[a-z0-9_]+]]: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
// CHECK-NEXT: [[V3:%[a-z0-9_]+]] = nd.floor_divide [[V0]], [[V1]] : tensor<4xf32>
// CHECK-NEXT: [[V4:%[a-z0-9_]+]] = nd.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: [[V5:%[a-z0-9_]+]] = nd.broadcast [[V4]] dims [] : tensor<f32> -> tensor<4xf32>
// CHECK-NEXT: [[V6:%[a-z0-9_]+]] = nd.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: [[V7:%[a-z0-9_]+]] = nd.broadcast [[V6]] dims [] : tensor<f32> -> tensor<4xf32>
// CHECK-NEXT: func.return [[V5]], [[V7]] : tensor<4xf32>, tensor<4xf32>
func.func @f(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %r = nd.floor_divide %x, %y : tensor<4xf32>
  func.return %r : tensor<4xf32>
}

// -----

// pow. y * x**(y - 1), 0 where y = 0; x**y * log(x), 0 where x = 0.
// CHECK-LABEL: func.func @f_vjp(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<4xf32>, [[V1:%[a-z0-9_]+]]: tensor<4xf32>, [[V2:%[a-z0-9_]+]]: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
// CHECK-NEXT: [[V3:%[a-z0-9_]+]] = nd.pow [[V0]], [[V1]] : tensor<4xf32>
// CHECK-NEXT: [[V4:%[a-z0-9_]+]] = nd.constant dense<-1.000000e+00> : tensor<f32>
// CHECK-NEXT: [[V5:%[a-z0-9_]+]] = nd.broadcast [[V4]] dims [] : tensor<f32> -> tensor<4xf32>
// CHECK-NEXT: [[V6:%[a-z0-9_]+]] = nd.add [[V1]], [[V5]] : tensor<4xf32>
// CHECK-NEXT: [[V7:%[a-z0-9_]+]] = nd.pow [[V0]], [[V6]] : tensor<4xf32>
// CHECK-NEXT: [[V8:%[a-z0-9_]+]] = nd.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: [[V9:%[a-z0-9_]+]] = nd.broadcast [[V8]] dims [] : tensor<f32> -> tensor<4xf32>
// CHECK-NEXT: [[V10:%[a-z0-9_]+]] = nd.equal [[V1]], [[V9]] : tensor<4xf32> -> tensor<4xi1>
// CHECK-NEXT: [[V11:%[a-z0-9_]+]] = nd.multiply [[V1]], [[V7]] : tensor<4xf32>
// CHECK-NEXT: [[V12:%[a-z0-9_]+]] = nd.multiply [[V2]], [[V11]] : tensor<4xf32>
// CHECK-NEXT: [[V13:%[a-z0-9_]+]] = nd.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: [[V14:%[a-z0-9_]+]] = nd.broadcast [[V13]] dims [] : tensor<f32> -> tensor<4xf32>
// CHECK-NEXT: [[V15:%[a-z0-9_]+]] = nd.select [[V10]], [[V14]], [[V12]] : tensor<4xi1>, tensor<4xf32>
// CHECK-NEXT: [[V16:%[a-z0-9_]+]] = nd.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: [[V17:%[a-z0-9_]+]] = nd.broadcast [[V16]] dims [] : tensor<f32> -> tensor<4xf32>
// CHECK-NEXT: [[V18:%[a-z0-9_]+]] = nd.equal [[V0]], [[V17]] : tensor<4xf32> -> tensor<4xi1>
// CHECK-NEXT: [[V19:%[a-z0-9_]+]] = nd.constant dense<1.000000e+00> : tensor<f32>
// CHECK-NEXT: [[V20:%[a-z0-9_]+]] = nd.broadcast [[V19]] dims [] : tensor<f32> -> tensor<4xf32>
// CHECK-NEXT: [[V21:%[a-z0-9_]+]] = nd.select [[V18]], [[V20]], [[V0]] : tensor<4xi1>, tensor<4xf32>
// CHECK-NEXT: [[V22:%[a-z0-9_]+]] = nd.log [[V21]] : tensor<4xf32>
// CHECK-NEXT: [[V23:%[a-z0-9_]+]] = nd.multiply [[V3]], [[V22]] : tensor<4xf32>
// CHECK-NEXT: [[V24:%[a-z0-9_]+]] = nd.multiply [[V2]], [[V23]] : tensor<4xf32>
// CHECK-NEXT: [[V25:%[a-z0-9_]+]] = nd.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: [[V26:%[a-z0-9_]+]] = nd.broadcast [[V25]] dims [] : tensor<f32> -> tensor<4xf32>
// CHECK-NEXT: [[V27:%[a-z0-9_]+]] = nd.select [[V18]], [[V26]], [[V24]] : tensor<4xi1>, tensor<4xf32>
// CHECK-NEXT: func.return [[V15]], [[V27]] : tensor<4xf32>, tensor<4xf32>
func.func @f(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %r = nd.pow %x, %y : tensor<4xf32>
  func.return %r : tensor<4xf32>
}

// -----

// atan2. y / (x * x + y * y) and -x / (x * x + y * y).
// CHECK-LABEL: func.func @f_vjp(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<4xf32>, [[V1:%[a-z0-9_]+]]: tensor<4xf32>, [[V2:%[a-z0-9_]+]]: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
// CHECK-NEXT: [[V3:%[a-z0-9_]+]] = nd.atan2 [[V0]], [[V1]] : tensor<4xf32>
// CHECK-NEXT: [[V4:%[a-z0-9_]+]] = nd.multiply [[V0]], [[V0]] : tensor<4xf32>
// CHECK-NEXT: [[V5:%[a-z0-9_]+]] = nd.multiply [[V1]], [[V1]] : tensor<4xf32>
// CHECK-NEXT: [[V6:%[a-z0-9_]+]] = nd.add [[V4]], [[V5]] : tensor<4xf32>
// CHECK-NEXT: [[V7:%[a-z0-9_]+]] = nd.divide [[V1]], [[V6]] : tensor<4xf32>
// CHECK-NEXT: [[V8:%[a-z0-9_]+]] = nd.multiply [[V2]], [[V7]] : tensor<4xf32>
// CHECK-NEXT: [[V9:%[a-z0-9_]+]] = nd.multiply [[V0]], [[V0]] : tensor<4xf32>
// CHECK-NEXT: [[V10:%[a-z0-9_]+]] = nd.multiply [[V1]], [[V1]] : tensor<4xf32>
// CHECK-NEXT: [[V11:%[a-z0-9_]+]] = nd.add [[V9]], [[V10]] : tensor<4xf32>
// CHECK-NEXT: [[V12:%[a-z0-9_]+]] = nd.divide [[V0]], [[V11]] : tensor<4xf32>
// CHECK-NEXT: [[V13:%[a-z0-9_]+]] = nd.multiply [[V2]], [[V12]] : tensor<4xf32>
// CHECK-NEXT: [[V14:%[a-z0-9_]+]] = nd.negative [[V13]] : tensor<4xf32>
// CHECK-NEXT: func.return [[V8]], [[V14]] : tensor<4xf32>, tensor<4xf32>
func.func @f(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %r = nd.atan2 %x, %y : tensor<4xf32>
  func.return %r : tensor<4xf32>
}

// -----

// hypot. x / hypot, 0 at the origin.
// CHECK-LABEL: func.func @f_vjp(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<4xf32>, [[V1:%[a-z0-9_]+]]: tensor<4xf32>, [[V2:%[a-z0-9_]+]]: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
// CHECK-NEXT: [[V3:%[a-z0-9_]+]] = nd.hypot [[V0]], [[V1]] : tensor<4xf32>
// CHECK-NEXT: [[V4:%[a-z0-9_]+]] = nd.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: [[V5:%[a-z0-9_]+]] = nd.broadcast [[V4]] dims [] : tensor<f32> -> tensor<4xf32>
// CHECK-NEXT: [[V6:%[a-z0-9_]+]] = nd.equal [[V3]], [[V5]] : tensor<4xf32> -> tensor<4xi1>
// CHECK-NEXT: [[V7:%[a-z0-9_]+]] = nd.constant dense<1.000000e+00> : tensor<f32>
// CHECK-NEXT: [[V8:%[a-z0-9_]+]] = nd.broadcast [[V7]] dims [] : tensor<f32> -> tensor<4xf32>
// CHECK-NEXT: [[V9:%[a-z0-9_]+]] = nd.select [[V6]], [[V8]], [[V3]] : tensor<4xi1>, tensor<4xf32>
// CHECK-NEXT: [[V10:%[a-z0-9_]+]] = nd.divide [[V0]], [[V9]] : tensor<4xf32>
// CHECK-NEXT: [[V11:%[a-z0-9_]+]] = nd.multiply [[V2]], [[V10]] : tensor<4xf32>
// CHECK-NEXT: [[V12:%[a-z0-9_]+]] = nd.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: [[V13:%[a-z0-9_]+]] = nd.broadcast [[V12]] dims [] : tensor<f32> -> tensor<4xf32>
// CHECK-NEXT: [[V14:%[a-z0-9_]+]] = nd.equal [[V3]], [[V13]] : tensor<4xf32> -> tensor<4xi1>
// CHECK-NEXT: [[V15:%[a-z0-9_]+]] = nd.constant dense<1.000000e+00> : tensor<f32>
// CHECK-NEXT: [[V16:%[a-z0-9_]+]] = nd.broadcast [[V15]] dims [] : tensor<f32> -> tensor<4xf32>
// CHECK-NEXT: [[V17:%[a-z0-9_]+]] = nd.select [[V14]], [[V16]], [[V3]] : tensor<4xi1>, tensor<4xf32>
// CHECK-NEXT: [[V18:%[a-z0-9_]+]] = nd.divide [[V1]], [[V17]] : tensor<4xf32>
// CHECK-NEXT: [[V19:%[a-z0-9_]+]] = nd.multiply [[V2]], [[V18]] : tensor<4xf32>
// CHECK-NEXT: func.return [[V11]], [[V19]] : tensor<4xf32>, tensor<4xf32>
func.func @f(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %r = nd.hypot %x, %y : tensor<4xf32>
  func.return %r : tensor<4xf32>
}

// -----

// copysign. The sign that was given.
// CHECK-LABEL: func.func @f_vjp(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<4xf32>, [[V1:%[a-z0-9_]+]]: tensor<4xf32>, [[V2:%[a-z0-9_]+]]: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
// CHECK-NEXT: [[V3:%[a-z0-9_]+]] = nd.copysign [[V0]], [[V1]] : tensor<4xf32>
// CHECK-NEXT: [[V4:%[a-z0-9_]+]] = nd.equal [[V3]], [[V0]] : tensor<4xf32> -> tensor<4xi1>
// CHECK-NEXT: [[V5:%[a-z0-9_]+]] = nd.negative [[V2]] : tensor<4xf32>
// CHECK-NEXT: [[V6:%[a-z0-9_]+]] = nd.select [[V4]], [[V2]], [[V5]] : tensor<4xi1>, tensor<4xf32>
// CHECK-NEXT: [[V7:%[a-z0-9_]+]] = nd.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: [[V8:%[a-z0-9_]+]] = nd.broadcast [[V7]] dims [] : tensor<f32> -> tensor<4xf32>
// CHECK-NEXT: func.return [[V6]], [[V8]] : tensor<4xf32>, tensor<4xf32>
func.func @f(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %r = nd.copysign %x, %y : tensor<4xf32>
  func.return %r : tensor<4xf32>
}

// -----

// maximum. A tie splits equally; NaN operands share.
// CHECK-LABEL: func.func @f_vjp(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<4xf32>, [[V1:%[a-z0-9_]+]]: tensor<4xf32>, [[V2:%[a-z0-9_]+]]: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
// CHECK-NEXT: [[V3:%[a-z0-9_]+]] = nd.maximum [[V0]], [[V1]] : tensor<4xf32>
// CHECK-NEXT: [[V4:%[a-z0-9_]+]] = nd.equal [[V0]], [[V3]] : tensor<4xf32> -> tensor<4xi1>
// CHECK-NEXT: [[V5:%[a-z0-9_]+]] = nd.not_equal [[V0]], [[V0]] : tensor<4xf32> -> tensor<4xi1>
// CHECK-NEXT: [[V6:%[a-z0-9_]+]] = nd.bitwise_or [[V4]], [[V5]] : tensor<4xi1>
// CHECK-NEXT: [[V7:%[a-z0-9_]+]] = nd.constant dense<1.000000e+00> : tensor<f32>
// CHECK-NEXT: [[V8:%[a-z0-9_]+]] = nd.broadcast [[V7]] dims [] : tensor<f32> -> tensor<4xf32>
// CHECK-NEXT: [[V9:%[a-z0-9_]+]] = nd.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: [[V10:%[a-z0-9_]+]] = nd.broadcast [[V9]] dims [] : tensor<f32> -> tensor<4xf32>
// CHECK-NEXT: [[V11:%[a-z0-9_]+]] = nd.select [[V6]], [[V8]], [[V10]] : tensor<4xi1>, tensor<4xf32>
// CHECK-NEXT: [[V12:%[a-z0-9_]+]] = nd.equal [[V1]], [[V3]] : tensor<4xf32> -> tensor<4xi1>
// CHECK-NEXT: [[V13:%[a-z0-9_]+]] = nd.not_equal [[V1]], [[V1]] : tensor<4xf32> -> tensor<4xi1>
// CHECK-NEXT: [[V14:%[a-z0-9_]+]] = nd.bitwise_or [[V12]], [[V13]] : tensor<4xi1>
// CHECK-NEXT: [[V15:%[a-z0-9_]+]] = nd.constant dense<1.000000e+00> : tensor<f32>
// CHECK-NEXT: [[V16:%[a-z0-9_]+]] = nd.broadcast [[V15]] dims [] : tensor<f32> -> tensor<4xf32>
// CHECK-NEXT: [[V17:%[a-z0-9_]+]] = nd.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: [[V18:%[a-z0-9_]+]] = nd.broadcast [[V17]] dims [] : tensor<f32> -> tensor<4xf32>
// CHECK-NEXT: [[V19:%[a-z0-9_]+]] = nd.select [[V14]], [[V16]], [[V18]] : tensor<4xi1>, tensor<4xf32>
// CHECK-NEXT: [[V20:%[a-z0-9_]+]] = nd.add [[V11]], [[V19]] : tensor<4xf32>
// CHECK-NEXT: [[V21:%[a-z0-9_]+]] = nd.divide [[V11]], [[V20]] : tensor<4xf32>
// CHECK-NEXT: [[V22:%[a-z0-9_]+]] = nd.multiply [[V2]], [[V21]] : tensor<4xf32>
// CHECK-NEXT: [[V23:%[a-z0-9_]+]] = nd.equal [[V1]], [[V3]] : tensor<4xf32> -> tensor<4xi1>
// CHECK-NEXT: [[V24:%[a-z0-9_]+]] = nd.not_equal [[V1]], [[V1]] : tensor<4xf32> -> tensor<4xi1>
// CHECK-NEXT: [[V25:%[a-z0-9_]+]] = nd.bitwise_or [[V23]], [[V24]] : tensor<4xi1>
// CHECK-NEXT: [[V26:%[a-z0-9_]+]] = nd.constant dense<1.000000e+00> : tensor<f32>
// CHECK-NEXT: [[V27:%[a-z0-9_]+]] = nd.broadcast [[V26]] dims [] : tensor<f32> -> tensor<4xf32>
// CHECK-NEXT: [[V28:%[a-z0-9_]+]] = nd.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: [[V29:%[a-z0-9_]+]] = nd.broadcast [[V28]] dims [] : tensor<f32> -> tensor<4xf32>
// CHECK-NEXT: [[V30:%[a-z0-9_]+]] = nd.select [[V25]], [[V27]], [[V29]] : tensor<4xi1>, tensor<4xf32>
// CHECK-NEXT: [[V31:%[a-z0-9_]+]] = nd.equal [[V0]], [[V3]] : tensor<4xf32> -> tensor<4xi1>
// CHECK-NEXT: [[V32:%[a-z0-9_]+]] = nd.not_equal [[V0]], [[V0]] : tensor<4xf32> -> tensor<4xi1>
// CHECK-NEXT: [[V33:%[a-z0-9_]+]] = nd.bitwise_or [[V31]], [[V32]] : tensor<4xi1>
// CHECK-NEXT: [[V34:%[a-z0-9_]+]] = nd.constant dense<1.000000e+00> : tensor<f32>
// CHECK-NEXT: [[V35:%[a-z0-9_]+]] = nd.broadcast [[V34]] dims [] : tensor<f32> -> tensor<4xf32>
// CHECK-NEXT: [[V36:%[a-z0-9_]+]] = nd.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: [[V37:%[a-z0-9_]+]] = nd.broadcast [[V36]] dims [] : tensor<f32> -> tensor<4xf32>
// CHECK-NEXT: [[V38:%[a-z0-9_]+]] = nd.select [[V33]], [[V35]], [[V37]] : tensor<4xi1>, tensor<4xf32>
// CHECK-NEXT: [[V39:%[a-z0-9_]+]] = nd.add [[V30]], [[V38]] : tensor<4xf32>
// CHECK-NEXT: [[V40:%[a-z0-9_]+]] = nd.divide [[V30]], [[V39]] : tensor<4xf32>
// CHECK-NEXT: [[V41:%[a-z0-9_]+]] = nd.multiply [[V2]], [[V40]] : tensor<4xf32>
// CHECK-NEXT: func.return [[V22]], [[V41]] : tensor<4xf32>, tensor<4xf32>
func.func @f(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %r = nd.maximum %x, %y : tensor<4xf32>
  func.return %r : tensor<4xf32>
}

// -----

// minimum. As maximum.
// CHECK-LABEL: func.func @f_vjp(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<4xf32>, [[V1:%[a-z0-9_]+]]: tensor<4xf32>, [[V2:%[a-z0-9_]+]]: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
// CHECK-NEXT: [[V3:%[a-z0-9_]+]] = nd.minimum [[V0]], [[V1]] : tensor<4xf32>
// CHECK-NEXT: [[V4:%[a-z0-9_]+]] = nd.equal [[V0]], [[V3]] : tensor<4xf32> -> tensor<4xi1>
// CHECK-NEXT: [[V5:%[a-z0-9_]+]] = nd.not_equal [[V0]], [[V0]] : tensor<4xf32> -> tensor<4xi1>
// CHECK-NEXT: [[V6:%[a-z0-9_]+]] = nd.bitwise_or [[V4]], [[V5]] : tensor<4xi1>
// CHECK-NEXT: [[V7:%[a-z0-9_]+]] = nd.constant dense<1.000000e+00> : tensor<f32>
// CHECK-NEXT: [[V8:%[a-z0-9_]+]] = nd.broadcast [[V7]] dims [] : tensor<f32> -> tensor<4xf32>
// CHECK-NEXT: [[V9:%[a-z0-9_]+]] = nd.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: [[V10:%[a-z0-9_]+]] = nd.broadcast [[V9]] dims [] : tensor<f32> -> tensor<4xf32>
// CHECK-NEXT: [[V11:%[a-z0-9_]+]] = nd.select [[V6]], [[V8]], [[V10]] : tensor<4xi1>, tensor<4xf32>
// CHECK-NEXT: [[V12:%[a-z0-9_]+]] = nd.equal [[V1]], [[V3]] : tensor<4xf32> -> tensor<4xi1>
// CHECK-NEXT: [[V13:%[a-z0-9_]+]] = nd.not_equal [[V1]], [[V1]] : tensor<4xf32> -> tensor<4xi1>
// CHECK-NEXT: [[V14:%[a-z0-9_]+]] = nd.bitwise_or [[V12]], [[V13]] : tensor<4xi1>
// CHECK-NEXT: [[V15:%[a-z0-9_]+]] = nd.constant dense<1.000000e+00> : tensor<f32>
// CHECK-NEXT: [[V16:%[a-z0-9_]+]] = nd.broadcast [[V15]] dims [] : tensor<f32> -> tensor<4xf32>
// CHECK-NEXT: [[V17:%[a-z0-9_]+]] = nd.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: [[V18:%[a-z0-9_]+]] = nd.broadcast [[V17]] dims [] : tensor<f32> -> tensor<4xf32>
// CHECK-NEXT: [[V19:%[a-z0-9_]+]] = nd.select [[V14]], [[V16]], [[V18]] : tensor<4xi1>, tensor<4xf32>
// CHECK-NEXT: [[V20:%[a-z0-9_]+]] = nd.add [[V11]], [[V19]] : tensor<4xf32>
// CHECK-NEXT: [[V21:%[a-z0-9_]+]] = nd.divide [[V11]], [[V20]] : tensor<4xf32>
// CHECK-NEXT: [[V22:%[a-z0-9_]+]] = nd.multiply [[V2]], [[V21]] : tensor<4xf32>
// CHECK-NEXT: [[V23:%[a-z0-9_]+]] = nd.equal [[V1]], [[V3]] : tensor<4xf32> -> tensor<4xi1>
// CHECK-NEXT: [[V24:%[a-z0-9_]+]] = nd.not_equal [[V1]], [[V1]] : tensor<4xf32> -> tensor<4xi1>
// CHECK-NEXT: [[V25:%[a-z0-9_]+]] = nd.bitwise_or [[V23]], [[V24]] : tensor<4xi1>
// CHECK-NEXT: [[V26:%[a-z0-9_]+]] = nd.constant dense<1.000000e+00> : tensor<f32>
// CHECK-NEXT: [[V27:%[a-z0-9_]+]] = nd.broadcast [[V26]] dims [] : tensor<f32> -> tensor<4xf32>
// CHECK-NEXT: [[V28:%[a-z0-9_]+]] = nd.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: [[V29:%[a-z0-9_]+]] = nd.broadcast [[V28]] dims [] : tensor<f32> -> tensor<4xf32>
// CHECK-NEXT: [[V30:%[a-z0-9_]+]] = nd.select [[V25]], [[V27]], [[V29]] : tensor<4xi1>, tensor<4xf32>
// CHECK-NEXT: [[V31:%[a-z0-9_]+]] = nd.equal [[V0]], [[V3]] : tensor<4xf32> -> tensor<4xi1>
// CHECK-NEXT: [[V32:%[a-z0-9_]+]] = nd.not_equal [[V0]], [[V0]] : tensor<4xf32> -> tensor<4xi1>
// CHECK-NEXT: [[V33:%[a-z0-9_]+]] = nd.bitwise_or [[V31]], [[V32]] : tensor<4xi1>
// CHECK-NEXT: [[V34:%[a-z0-9_]+]] = nd.constant dense<1.000000e+00> : tensor<f32>
// CHECK-NEXT: [[V35:%[a-z0-9_]+]] = nd.broadcast [[V34]] dims [] : tensor<f32> -> tensor<4xf32>
// CHECK-NEXT: [[V36:%[a-z0-9_]+]] = nd.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: [[V37:%[a-z0-9_]+]] = nd.broadcast [[V36]] dims [] : tensor<f32> -> tensor<4xf32>
// CHECK-NEXT: [[V38:%[a-z0-9_]+]] = nd.select [[V33]], [[V35]], [[V37]] : tensor<4xi1>, tensor<4xf32>
// CHECK-NEXT: [[V39:%[a-z0-9_]+]] = nd.add [[V30]], [[V38]] : tensor<4xf32>
// CHECK-NEXT: [[V40:%[a-z0-9_]+]] = nd.divide [[V30]], [[V39]] : tensor<4xf32>
// CHECK-NEXT: [[V41:%[a-z0-9_]+]] = nd.multiply [[V2]], [[V40]] : tensor<4xf32>
// CHECK-NEXT: func.return [[V22]], [[V41]] : tensor<4xf32>, tensor<4xf32>
func.func @f(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %r = nd.minimum %x, %y : tensor<4xf32>
  func.return %r : tensor<4xf32>
}

// -----

// negative. -g.
// CHECK-LABEL: func.func @f_vjp(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<4xf32>, [[V1:%[a-z0-9_]+]]: tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: [[V2:%[a-z0-9_]+]] = nd.negative [[V0]] : tensor<4xf32>
// CHECK-NEXT: [[V3:%[a-z0-9_]+]] = nd.negative [[V1]] : tensor<4xf32>
// CHECK-NEXT: func.return [[V3]] : tensor<4xf32>
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = nd.negative %x : tensor<4xf32>
  func.return %r : tensor<4xf32>
}

// -----

// abs. sign(x): 0 at 0.
// CHECK-LABEL: func.func @f_vjp(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<4xf32>, [[V1:%[a-z0-9_]+]]: tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: [[V2:%[a-z0-9_]+]] = nd.abs [[V0]] : tensor<4xf32>
// CHECK-NEXT: [[V3:%[a-z0-9_]+]] = nd.sign [[V0]] : tensor<4xf32>
// CHECK-NEXT: [[V4:%[a-z0-9_]+]] = nd.multiply [[V1]], [[V3]] : tensor<4xf32>
// CHECK-NEXT: func.return [[V4]] : tensor<4xf32>
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = nd.abs %x : tensor<4xf32>
  func.return %r : tensor<4xf32>
}

// -----

// sign. Zeros.
// CHECK-LABEL: func.func @f_vjp(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<4xf32>, [[V1:%[a-z0-9_]+]]: tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: [[V2:%[a-z0-9_]+]] = nd.sign [[V0]] : tensor<4xf32>
// CHECK-NEXT: [[V3:%[a-z0-9_]+]] = nd.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: [[V4:%[a-z0-9_]+]] = nd.broadcast [[V3]] dims [] : tensor<f32> -> tensor<4xf32>
// CHECK-NEXT: func.return [[V4]] : tensor<4xf32>
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = nd.sign %x : tensor<4xf32>
  func.return %r : tensor<4xf32>
}

// -----

// floor. Zeros.
// CHECK-LABEL: func.func @f_vjp(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<4xf32>, [[V1:%[a-z0-9_]+]]: tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: [[V2:%[a-z0-9_]+]] = nd.floor [[V0]] : tensor<4xf32>
// CHECK-NEXT: [[V3:%[a-z0-9_]+]] = nd.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: [[V4:%[a-z0-9_]+]] = nd.broadcast [[V3]] dims [] : tensor<f32> -> tensor<4xf32>
// CHECK-NEXT: func.return [[V4]] : tensor<4xf32>
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = nd.floor %x : tensor<4xf32>
  func.return %r : tensor<4xf32>
}

// -----

// ceil. Zeros.
// CHECK-LABEL: func.func @f_vjp(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<4xf32>, [[V1:%[a-z0-9_]+]]: tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: [[V2:%[a-z0-9_]+]] = nd.ceil [[V0]] : tensor<4xf32>
// CHECK-NEXT: [[V3:%[a-z0-9_]+]] = nd.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: [[V4:%[a-z0-9_]+]] = nd.broadcast [[V3]] dims [] : tensor<f32> -> tensor<4xf32>
// CHECK-NEXT: func.return [[V4]] : tensor<4xf32>
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = nd.ceil %x : tensor<4xf32>
  func.return %r : tensor<4xf32>
}

// -----

// trunc. Zeros.
// CHECK-LABEL: func.func @f_vjp(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<4xf32>, [[V1:%[a-z0-9_]+]]: tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: [[V2:%[a-z0-9_]+]] = nd.trunc [[V0]] : tensor<4xf32>
// CHECK-NEXT: [[V3:%[a-z0-9_]+]] = nd.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: [[V4:%[a-z0-9_]+]] = nd.broadcast [[V3]] dims [] : tensor<f32> -> tensor<4xf32>
// CHECK-NEXT: func.return [[V4]] : tensor<4xf32>
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = nd.trunc %x : tensor<4xf32>
  func.return %r : tensor<4xf32>
}

// -----

// round. Zeros.
// CHECK-LABEL: func.func @f_vjp(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<4xf32>, [[V1:%[a-z0-9_]+]]: tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: [[V2:%[a-z0-9_]+]] = nd.round [[V0]] : tensor<4xf32>
// CHECK-NEXT: [[V3:%[a-z0-9_]+]] = nd.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: [[V4:%[a-z0-9_]+]] = nd.broadcast [[V3]] dims [] : tensor<f32> -> tensor<4xf32>
// CHECK-NEXT: func.return [[V4]] : tensor<4xf32>
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = nd.round %x : tensor<4xf32>
  func.return %r : tensor<4xf32>
}

// -----

// sqrt. g / (2 sqrt(x)).
// CHECK-LABEL: func.func @f_vjp(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<4xf32>, [[V1:%[a-z0-9_]+]]: tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: [[V2:%[a-z0-9_]+]] = nd.sqrt [[V0]] : tensor<4xf32>
// CHECK-NEXT: [[V3:%[a-z0-9_]+]] = nd.constant dense<2.000000e+00> : tensor<f32>
// CHECK-NEXT: [[V4:%[a-z0-9_]+]] = nd.broadcast [[V3]] dims [] : tensor<f32> -> tensor<4xf32>
// CHECK-NEXT: [[V5:%[a-z0-9_]+]] = nd.multiply [[V2]], [[V4]] : tensor<4xf32>
// CHECK-NEXT: [[V6:%[a-z0-9_]+]] = nd.divide [[V1]], [[V5]] : tensor<4xf32>
// CHECK-NEXT: func.return [[V6]] : tensor<4xf32>
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = nd.sqrt %x : tensor<4xf32>
  func.return %r : tensor<4xf32>
}

// -----

// exp. The result again.
// CHECK-LABEL: func.func @f_vjp(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<4xf32>, [[V1:%[a-z0-9_]+]]: tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: [[V2:%[a-z0-9_]+]] = nd.exp [[V0]] : tensor<4xf32>
// CHECK-NEXT: [[V3:%[a-z0-9_]+]] = nd.multiply [[V1]], [[V2]] : tensor<4xf32>
// CHECK-NEXT: func.return [[V3]] : tensor<4xf32>
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = nd.exp %x : tensor<4xf32>
  func.return %r : tensor<4xf32>
}

// -----

// exp2. The result times log(2).
// CHECK-LABEL: func.func @f_vjp(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<4xf32>, [[V1:%[a-z0-9_]+]]: tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: [[V2:%[a-z0-9_]+]] = nd.exp2 [[V0]] : tensor<4xf32>
// CHECK-NEXT: [[V3:%[a-z0-9_]+]] = nd.constant dense<0.693147182> : tensor<f32>
// CHECK-NEXT: [[V4:%[a-z0-9_]+]] = nd.broadcast [[V3]] dims [] : tensor<f32> -> tensor<4xf32>
// CHECK-NEXT: [[V5:%[a-z0-9_]+]] = nd.multiply [[V2]], [[V4]] : tensor<4xf32>
// CHECK-NEXT: [[V6:%[a-z0-9_]+]] = nd.multiply [[V1]], [[V5]] : tensor<4xf32>
// CHECK-NEXT: func.return [[V6]] : tensor<4xf32>
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = nd.exp2 %x : tensor<4xf32>
  func.return %r : tensor<4xf32>
}

// -----

// expm1. The result plus 1.
// CHECK-LABEL: func.func @f_vjp(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<4xf32>, [[V1:%[a-z0-9_]+]]: tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: [[V2:%[a-z0-9_]+]] = nd.expm1 [[V0]] : tensor<4xf32>
// CHECK-NEXT: [[V3:%[a-z0-9_]+]] = nd.constant dense<1.000000e+00> : tensor<f32>
// CHECK-NEXT: [[V4:%[a-z0-9_]+]] = nd.broadcast [[V3]] dims [] : tensor<f32> -> tensor<4xf32>
// CHECK-NEXT: [[V5:%[a-z0-9_]+]] = nd.add [[V2]], [[V4]] : tensor<4xf32>
// CHECK-NEXT: [[V6:%[a-z0-9_]+]] = nd.multiply [[V1]], [[V5]] : tensor<4xf32>
// CHECK-NEXT: func.return [[V6]] : tensor<4xf32>
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = nd.expm1 %x : tensor<4xf32>
  func.return %r : tensor<4xf32>
}

// -----

// log. 1 / x.
// CHECK-LABEL: func.func @f_vjp(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<4xf32>, [[V1:%[a-z0-9_]+]]: tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: [[V2:%[a-z0-9_]+]] = nd.log [[V0]] : tensor<4xf32>
// CHECK-NEXT: [[V3:%[a-z0-9_]+]] = nd.divide [[V1]], [[V0]] : tensor<4xf32>
// CHECK-NEXT: func.return [[V3]] : tensor<4xf32>
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = nd.log %x : tensor<4xf32>
  func.return %r : tensor<4xf32>
}

// -----

// log1p. 1 / (x + 1).
// CHECK-LABEL: func.func @f_vjp(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<4xf32>, [[V1:%[a-z0-9_]+]]: tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: [[V2:%[a-z0-9_]+]] = nd.log1p [[V0]] : tensor<4xf32>
// CHECK-NEXT: [[V3:%[a-z0-9_]+]] = nd.constant dense<1.000000e+00> : tensor<f32>
// CHECK-NEXT: [[V4:%[a-z0-9_]+]] = nd.broadcast [[V3]] dims [] : tensor<f32> -> tensor<4xf32>
// CHECK-NEXT: [[V5:%[a-z0-9_]+]] = nd.add [[V0]], [[V4]] : tensor<4xf32>
// CHECK-NEXT: [[V6:%[a-z0-9_]+]] = nd.divide [[V1]], [[V5]] : tensor<4xf32>
// CHECK-NEXT: func.return [[V6]] : tensor<4xf32>
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = nd.log1p %x : tensor<4xf32>
  func.return %r : tensor<4xf32>
}

// -----

// log2. 1 / (x log(2)).
// CHECK-LABEL: func.func @f_vjp(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<4xf32>, [[V1:%[a-z0-9_]+]]: tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: [[V2:%[a-z0-9_]+]] = nd.log2 [[V0]] : tensor<4xf32>
// CHECK-NEXT: [[V3:%[a-z0-9_]+]] = nd.constant dense<0.693147182> : tensor<f32>
// CHECK-NEXT: [[V4:%[a-z0-9_]+]] = nd.broadcast [[V3]] dims [] : tensor<f32> -> tensor<4xf32>
// CHECK-NEXT: [[V5:%[a-z0-9_]+]] = nd.multiply [[V0]], [[V4]] : tensor<4xf32>
// CHECK-NEXT: [[V6:%[a-z0-9_]+]] = nd.divide [[V1]], [[V5]] : tensor<4xf32>
// CHECK-NEXT: func.return [[V6]] : tensor<4xf32>
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = nd.log2 %x : tensor<4xf32>
  func.return %r : tensor<4xf32>
}

// -----

// log10. 1 / (x log(10)).
// CHECK-LABEL: func.func @f_vjp(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<4xf32>, [[V1:%[a-z0-9_]+]]: tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: [[V2:%[a-z0-9_]+]] = nd.log10 [[V0]] : tensor<4xf32>
// CHECK-NEXT: [[V3:%[a-z0-9_]+]] = nd.constant dense<2.30258512> : tensor<f32>
// CHECK-NEXT: [[V4:%[a-z0-9_]+]] = nd.broadcast [[V3]] dims [] : tensor<f32> -> tensor<4xf32>
// CHECK-NEXT: [[V5:%[a-z0-9_]+]] = nd.multiply [[V0]], [[V4]] : tensor<4xf32>
// CHECK-NEXT: [[V6:%[a-z0-9_]+]] = nd.divide [[V1]], [[V5]] : tensor<4xf32>
// CHECK-NEXT: func.return [[V6]] : tensor<4xf32>
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = nd.log10 %x : tensor<4xf32>
  func.return %r : tensor<4xf32>
}

// -----

// sin. cos.
// CHECK-LABEL: func.func @f_vjp(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<4xf32>, [[V1:%[a-z0-9_]+]]: tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: [[V2:%[a-z0-9_]+]] = nd.sin [[V0]] : tensor<4xf32>
// CHECK-NEXT: [[V3:%[a-z0-9_]+]] = nd.cos [[V0]] : tensor<4xf32>
// CHECK-NEXT: [[V4:%[a-z0-9_]+]] = nd.multiply [[V1]], [[V3]] : tensor<4xf32>
// CHECK-NEXT: func.return [[V4]] : tensor<4xf32>
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = nd.sin %x : tensor<4xf32>
  func.return %r : tensor<4xf32>
}

// -----

// cos. -sin.
// CHECK-LABEL: func.func @f_vjp(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<4xf32>, [[V1:%[a-z0-9_]+]]: tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: [[V2:%[a-z0-9_]+]] = nd.cos [[V0]] : tensor<4xf32>
// CHECK-NEXT: [[V3:%[a-z0-9_]+]] = nd.sin [[V0]] : tensor<4xf32>
// CHECK-NEXT: [[V4:%[a-z0-9_]+]] = nd.multiply [[V1]], [[V3]] : tensor<4xf32>
// CHECK-NEXT: [[V5:%[a-z0-9_]+]] = nd.negative [[V4]] : tensor<4xf32>
// CHECK-NEXT: func.return [[V5]] : tensor<4xf32>
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = nd.cos %x : tensor<4xf32>
  func.return %r : tensor<4xf32>
}

// -----

// tan. 1 + tan(x)^2.
// CHECK-LABEL: func.func @f_vjp(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<4xf32>, [[V1:%[a-z0-9_]+]]: tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: [[V2:%[a-z0-9_]+]] = nd.tan [[V0]] : tensor<4xf32>
// CHECK-NEXT: [[V3:%[a-z0-9_]+]] = nd.multiply [[V2]], [[V2]] : tensor<4xf32>
// CHECK-NEXT: [[V4:%[a-z0-9_]+]] = nd.constant dense<1.000000e+00> : tensor<f32>
// CHECK-NEXT: [[V5:%[a-z0-9_]+]] = nd.broadcast [[V4]] dims [] : tensor<f32> -> tensor<4xf32>
// CHECK-NEXT: [[V6:%[a-z0-9_]+]] = nd.add [[V3]], [[V5]] : tensor<4xf32>
// CHECK-NEXT: [[V7:%[a-z0-9_]+]] = nd.multiply [[V1]], [[V6]] : tensor<4xf32>
// CHECK-NEXT: func.return [[V7]] : tensor<4xf32>
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = nd.tan %x : tensor<4xf32>
  func.return %r : tensor<4xf32>
}

// -----

// sinh. cosh.
// CHECK-LABEL: func.func @f_vjp(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<4xf32>, [[V1:%[a-z0-9_]+]]: tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: [[V2:%[a-z0-9_]+]] = nd.sinh [[V0]] : tensor<4xf32>
// CHECK-NEXT: [[V3:%[a-z0-9_]+]] = nd.cosh [[V0]] : tensor<4xf32>
// CHECK-NEXT: [[V4:%[a-z0-9_]+]] = nd.multiply [[V1]], [[V3]] : tensor<4xf32>
// CHECK-NEXT: func.return [[V4]] : tensor<4xf32>
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = nd.sinh %x : tensor<4xf32>
  func.return %r : tensor<4xf32>
}

// -----

// cosh. sinh.
// CHECK-LABEL: func.func @f_vjp(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<4xf32>, [[V1:%[a-z0-9_]+]]: tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: [[V2:%[a-z0-9_]+]] = nd.cosh [[V0]] : tensor<4xf32>
// CHECK-NEXT: [[V3:%[a-z0-9_]+]] = nd.sinh [[V0]] : tensor<4xf32>
// CHECK-NEXT: [[V4:%[a-z0-9_]+]] = nd.multiply [[V1]], [[V3]] : tensor<4xf32>
// CHECK-NEXT: func.return [[V4]] : tensor<4xf32>
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = nd.cosh %x : tensor<4xf32>
  func.return %r : tensor<4xf32>
}

// -----

// tanh. 1 - tanh(x)^2.
// CHECK-LABEL: func.func @f_vjp(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<4xf32>, [[V1:%[a-z0-9_]+]]: tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: [[V2:%[a-z0-9_]+]] = nd.tanh [[V0]] : tensor<4xf32>
// CHECK-NEXT: [[V3:%[a-z0-9_]+]] = nd.multiply [[V2]], [[V2]] : tensor<4xf32>
// CHECK-NEXT: [[V4:%[a-z0-9_]+]] = nd.constant dense<1.000000e+00> : tensor<f32>
// CHECK-NEXT: [[V5:%[a-z0-9_]+]] = nd.broadcast [[V4]] dims [] : tensor<f32> -> tensor<4xf32>
// CHECK-NEXT: [[V6:%[a-z0-9_]+]] = nd.subtract [[V5]], [[V3]] : tensor<4xf32>
// CHECK-NEXT: [[V7:%[a-z0-9_]+]] = nd.multiply [[V1]], [[V6]] : tensor<4xf32>
// CHECK-NEXT: func.return [[V7]] : tensor<4xf32>
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = nd.tanh %x : tensor<4xf32>
  func.return %r : tensor<4xf32>
}

// -----

// asin. 1 / sqrt((1 - x) (1 + x)).
// CHECK-LABEL: func.func @f_vjp(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<4xf32>, [[V1:%[a-z0-9_]+]]: tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: [[V2:%[a-z0-9_]+]] = nd.asin [[V0]] : tensor<4xf32>
// CHECK-NEXT: [[V3:%[a-z0-9_]+]] = nd.constant dense<1.000000e+00> : tensor<f32>
// CHECK-NEXT: [[V4:%[a-z0-9_]+]] = nd.broadcast [[V3]] dims [] : tensor<f32> -> tensor<4xf32>
// CHECK-NEXT: [[V5:%[a-z0-9_]+]] = nd.subtract [[V4]], [[V0]] : tensor<4xf32>
// CHECK-NEXT: [[V6:%[a-z0-9_]+]] = nd.constant dense<1.000000e+00> : tensor<f32>
// CHECK-NEXT: [[V7:%[a-z0-9_]+]] = nd.broadcast [[V6]] dims [] : tensor<f32> -> tensor<4xf32>
// CHECK-NEXT: [[V8:%[a-z0-9_]+]] = nd.add [[V0]], [[V7]] : tensor<4xf32>
// CHECK-NEXT: [[V9:%[a-z0-9_]+]] = nd.multiply [[V5]], [[V8]] : tensor<4xf32>
// CHECK-NEXT: [[V10:%[a-z0-9_]+]] = nd.sqrt [[V9]] : tensor<4xf32>
// CHECK-NEXT: [[V11:%[a-z0-9_]+]] = nd.divide [[V1]], [[V10]] : tensor<4xf32>
// CHECK-NEXT: func.return [[V11]] : tensor<4xf32>
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = nd.asin %x : tensor<4xf32>
  func.return %r : tensor<4xf32>
}

// -----

// acos. As asin, negative.
// CHECK-LABEL: func.func @f_vjp(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<4xf32>, [[V1:%[a-z0-9_]+]]: tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: [[V2:%[a-z0-9_]+]] = nd.acos [[V0]] : tensor<4xf32>
// CHECK-NEXT: [[V3:%[a-z0-9_]+]] = nd.constant dense<1.000000e+00> : tensor<f32>
// CHECK-NEXT: [[V4:%[a-z0-9_]+]] = nd.broadcast [[V3]] dims [] : tensor<f32> -> tensor<4xf32>
// CHECK-NEXT: [[V5:%[a-z0-9_]+]] = nd.subtract [[V4]], [[V0]] : tensor<4xf32>
// CHECK-NEXT: [[V6:%[a-z0-9_]+]] = nd.constant dense<1.000000e+00> : tensor<f32>
// CHECK-NEXT: [[V7:%[a-z0-9_]+]] = nd.broadcast [[V6]] dims [] : tensor<f32> -> tensor<4xf32>
// CHECK-NEXT: [[V8:%[a-z0-9_]+]] = nd.add [[V0]], [[V7]] : tensor<4xf32>
// CHECK-NEXT: [[V9:%[a-z0-9_]+]] = nd.multiply [[V5]], [[V8]] : tensor<4xf32>
// CHECK-NEXT: [[V10:%[a-z0-9_]+]] = nd.sqrt [[V9]] : tensor<4xf32>
// CHECK-NEXT: [[V11:%[a-z0-9_]+]] = nd.divide [[V1]], [[V10]] : tensor<4xf32>
// CHECK-NEXT: [[V12:%[a-z0-9_]+]] = nd.negative [[V11]] : tensor<4xf32>
// CHECK-NEXT: func.return [[V12]] : tensor<4xf32>
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = nd.acos %x : tensor<4xf32>
  func.return %r : tensor<4xf32>
}

// -----

// atan. 1 / (1 + x^2).
// CHECK-LABEL: func.func @f_vjp(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<4xf32>, [[V1:%[a-z0-9_]+]]: tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: [[V2:%[a-z0-9_]+]] = nd.atan [[V0]] : tensor<4xf32>
// CHECK-NEXT: [[V3:%[a-z0-9_]+]] = nd.multiply [[V0]], [[V0]] : tensor<4xf32>
// CHECK-NEXT: [[V4:%[a-z0-9_]+]] = nd.constant dense<1.000000e+00> : tensor<f32>
// CHECK-NEXT: [[V5:%[a-z0-9_]+]] = nd.broadcast [[V4]] dims [] : tensor<f32> -> tensor<4xf32>
// CHECK-NEXT: [[V6:%[a-z0-9_]+]] = nd.add [[V3]], [[V5]] : tensor<4xf32>
// CHECK-NEXT: [[V7:%[a-z0-9_]+]] = nd.divide [[V1]], [[V6]] : tensor<4xf32>
// CHECK-NEXT: func.return [[V7]] : tensor<4xf32>
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = nd.atan %x : tensor<4xf32>
  func.return %r : tensor<4xf32>
}

// -----

// asinh. 1 / hypot(x, 1), which does not overflow.
// CHECK-LABEL: func.func @f_vjp(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<4xf32>, [[V1:%[a-z0-9_]+]]: tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: [[V2:%[a-z0-9_]+]] = nd.asinh [[V0]] : tensor<4xf32>
// CHECK-NEXT: [[V3:%[a-z0-9_]+]] = nd.constant dense<1.000000e+00> : tensor<f32>
// CHECK-NEXT: [[V4:%[a-z0-9_]+]] = nd.broadcast [[V3]] dims [] : tensor<f32> -> tensor<4xf32>
// CHECK-NEXT: [[V5:%[a-z0-9_]+]] = nd.hypot [[V0]], [[V4]] : tensor<4xf32>
// CHECK-NEXT: [[V6:%[a-z0-9_]+]] = nd.divide [[V1]], [[V5]] : tensor<4xf32>
// CHECK-NEXT: func.return [[V6]] : tensor<4xf32>
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = nd.asinh %x : tensor<4xf32>
  func.return %r : tensor<4xf32>
}

// -----

// acosh. 1 / sqrt((x - 1) (x + 1)).
// CHECK-LABEL: func.func @f_vjp(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<4xf32>, [[V1:%[a-z0-9_]+]]: tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: [[V2:%[a-z0-9_]+]] = nd.acosh [[V0]] : tensor<4xf32>
// CHECK-NEXT: [[V3:%[a-z0-9_]+]] = nd.constant dense<-1.000000e+00> : tensor<f32>
// CHECK-NEXT: [[V4:%[a-z0-9_]+]] = nd.broadcast [[V3]] dims [] : tensor<f32> -> tensor<4xf32>
// CHECK-NEXT: [[V5:%[a-z0-9_]+]] = nd.add [[V0]], [[V4]] : tensor<4xf32>
// CHECK-NEXT: [[V6:%[a-z0-9_]+]] = nd.constant dense<1.000000e+00> : tensor<f32>
// CHECK-NEXT: [[V7:%[a-z0-9_]+]] = nd.broadcast [[V6]] dims [] : tensor<f32> -> tensor<4xf32>
// CHECK-NEXT: [[V8:%[a-z0-9_]+]] = nd.add [[V0]], [[V7]] : tensor<4xf32>
// CHECK-NEXT: [[V9:%[a-z0-9_]+]] = nd.multiply [[V5]], [[V8]] : tensor<4xf32>
// CHECK-NEXT: [[V10:%[a-z0-9_]+]] = nd.sqrt [[V9]] : tensor<4xf32>
// CHECK-NEXT: [[V11:%[a-z0-9_]+]] = nd.divide [[V1]], [[V10]] : tensor<4xf32>
// CHECK-NEXT: func.return [[V11]] : tensor<4xf32>
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = nd.acosh %x : tensor<4xf32>
  func.return %r : tensor<4xf32>
}

// -----

// atanh. 1 / ((1 - x) (1 + x)).
// CHECK-LABEL: func.func @f_vjp(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<4xf32>, [[V1:%[a-z0-9_]+]]: tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: [[V2:%[a-z0-9_]+]] = nd.atanh [[V0]] : tensor<4xf32>
// CHECK-NEXT: [[V3:%[a-z0-9_]+]] = nd.constant dense<1.000000e+00> : tensor<f32>
// CHECK-NEXT: [[V4:%[a-z0-9_]+]] = nd.broadcast [[V3]] dims [] : tensor<f32> -> tensor<4xf32>
// CHECK-NEXT: [[V5:%[a-z0-9_]+]] = nd.subtract [[V4]], [[V0]] : tensor<4xf32>
// CHECK-NEXT: [[V6:%[a-z0-9_]+]] = nd.constant dense<1.000000e+00> : tensor<f32>
// CHECK-NEXT: [[V7:%[a-z0-9_]+]] = nd.broadcast [[V6]] dims [] : tensor<f32> -> tensor<4xf32>
// CHECK-NEXT: [[V8:%[a-z0-9_]+]] = nd.add [[V0]], [[V7]] : tensor<4xf32>
// CHECK-NEXT: [[V9:%[a-z0-9_]+]] = nd.multiply [[V5]], [[V8]] : tensor<4xf32>
// CHECK-NEXT: [[V10:%[a-z0-9_]+]] = nd.divide [[V1]], [[V9]] : tensor<4xf32>
// CHECK-NEXT: func.return [[V10]] : tensor<4xf32>
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = nd.atanh %x : tensor<4xf32>
  func.return %r : tensor<4xf32>
}

// -----

// erf. 2 / sqrt(pi) exp(-x^2).
// CHECK-LABEL: func.func @f_vjp(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<4xf32>, [[V1:%[a-z0-9_]+]]: tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: [[V2:%[a-z0-9_]+]] = nd.erf [[V0]] : tensor<4xf32>
// CHECK-NEXT: [[V3:%[a-z0-9_]+]] = nd.multiply [[V0]], [[V0]] : tensor<4xf32>
// CHECK-NEXT: [[V4:%[a-z0-9_]+]] = nd.negative [[V3]] : tensor<4xf32>
// CHECK-NEXT: [[V5:%[a-z0-9_]+]] = nd.exp [[V4]] : tensor<4xf32>
// CHECK-NEXT: [[V6:%[a-z0-9_]+]] = nd.constant dense<1.12837923> : tensor<f32>
// CHECK-NEXT: [[V7:%[a-z0-9_]+]] = nd.broadcast [[V6]] dims [] : tensor<f32> -> tensor<4xf32>
// CHECK-NEXT: [[V8:%[a-z0-9_]+]] = nd.multiply [[V5]], [[V7]] : tensor<4xf32>
// CHECK-NEXT: [[V9:%[a-z0-9_]+]] = nd.multiply [[V1]], [[V8]] : tensor<4xf32>
// CHECK-NEXT: func.return [[V9]] : tensor<4xf32>
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = nd.erf %x : tensor<4xf32>
  func.return %r : tensor<4xf32>
}

// -----

// erfc. As erf, negative.
// CHECK-LABEL: func.func @f_vjp(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<4xf32>, [[V1:%[a-z0-9_]+]]: tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: [[V2:%[a-z0-9_]+]] = nd.erfc [[V0]] : tensor<4xf32>
// CHECK-NEXT: [[V3:%[a-z0-9_]+]] = nd.multiply [[V0]], [[V0]] : tensor<4xf32>
// CHECK-NEXT: [[V4:%[a-z0-9_]+]] = nd.negative [[V3]] : tensor<4xf32>
// CHECK-NEXT: [[V5:%[a-z0-9_]+]] = nd.exp [[V4]] : tensor<4xf32>
// CHECK-NEXT: [[V6:%[a-z0-9_]+]] = nd.constant dense<1.12837923> : tensor<f32>
// CHECK-NEXT: [[V7:%[a-z0-9_]+]] = nd.broadcast [[V6]] dims [] : tensor<f32> -> tensor<4xf32>
// CHECK-NEXT: [[V8:%[a-z0-9_]+]] = nd.multiply [[V5]], [[V7]] : tensor<4xf32>
// CHECK-NEXT: [[V9:%[a-z0-9_]+]] = nd.multiply [[V1]], [[V8]] : tensor<4xf32>
// CHECK-NEXT: [[V10:%[a-z0-9_]+]] = nd.negative [[V9]] : tensor<4xf32>
// CHECK-NEXT: func.return [[V10]] : tensor<4xf32>
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = nd.erfc %x : tensor<4xf32>
  func.return %r : tensor<4xf32>
}

// -----

// select. Zeros to the side not chosen.
// CHECK-LABEL: func.func @f_vjp(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<4xi1>, [[V1:%[a-z0-9_]+]]: tensor<4xf32>, [[V2:%[a-z0-9_]+]]: tensor<4xf32>, [[V3:%[a-z0-9_]+]]: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
// CHECK-NEXT: [[V4:%[a-z0-9_]+]] = nd.select [[V0]], [[V1]], [[V2]] : tensor<4xi1>, tensor<4xf32>
// CHECK-NEXT: [[V5:%[a-z0-9_]+]] = nd.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: [[V6:%[a-z0-9_]+]] = nd.broadcast [[V5]] dims [] : tensor<f32> -> tensor<4xf32>
// CHECK-NEXT: [[V7:%[a-z0-9_]+]] = nd.select [[V0]], [[V3]], [[V6]] : tensor<4xi1>, tensor<4xf32>
// CHECK-NEXT: [[V8:%[a-z0-9_]+]] = nd.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: [[V9:%[a-z0-9_]+]] = nd.broadcast [[V8]] dims [] : tensor<f32> -> tensor<4xf32>
// CHECK-NEXT: [[V10:%[a-z0-9_]+]] = nd.select [[V0]], [[V9]], [[V3]] : tensor<4xi1>, tensor<4xf32>
// CHECK-NEXT: func.return [[V7]], [[V10]] : tensor<4xf32>, tensor<4xf32>
func.func @f(%p: tensor<4xi1>, %x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %r = nd.select %p, %x, %y : tensor<4xi1>, tensor<4xf32>
  func.return %r : tensor<4xf32>
}

// -----

// cast. The cotangent in the operand's type.
// CHECK-LABEL: func.func @f_vjp(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<4xf32>, [[V1:%[a-z0-9_]+]]: tensor<4xf16>) -> tensor<4xf32>
// CHECK-NEXT: [[V2:%[a-z0-9_]+]] = nd.cast [[V0]] : tensor<4xf32> -> tensor<4xf16>
// CHECK-NEXT: [[V3:%[a-z0-9_]+]] = nd.cast [[V1]] : tensor<4xf16> -> tensor<4xf32>
// CHECK-NEXT: func.return [[V3]] : tensor<4xf32>
func.func @f(%x: tensor<4xf32>) -> tensor<4xf16> {
  %r = nd.cast %x : tensor<4xf32> -> tensor<4xf16>
  func.return %r : tensor<4xf16>
}

// -----

// cast_to_int. No gradient goes through an integer.
// CHECK-LABEL: func.func @f_vjp(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<4xf32>, [[V1:%[a-z0-9_]+]]: tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: [[V2:%[a-z0-9_]+]] = nd.cast [[V0]] : tensor<4xf32> -> tensor<4xi32>
// CHECK-NEXT: [[V3:%[a-z0-9_]+]] = nd.cast [[V2]] : tensor<4xi32> -> tensor<4xf32>
// CHECK-NEXT: [[V4:%[a-z0-9_]+]] = nd.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: [[V5:%[a-z0-9_]+]] = nd.broadcast [[V4]] dims [] : tensor<f32> -> tensor<4xf32>
// CHECK-NEXT: func.return [[V5]] : tensor<4xf32>
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %i = nd.cast %x : tensor<4xf32> -> tensor<4xi32>
  %r = nd.cast %i : tensor<4xi32> -> tensor<4xf32>
  func.return %r : tensor<4xf32>
}

// -----

// broadcast. New axes and stretched ones are summed; what is left is put in order.
// CHECK-LABEL: func.func @f_vjp(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<4x1x3xf32>, [[V1:%[a-z0-9_]+]]: tensor<3x5x4xf32>) -> tensor<4x1x3xf32>
// CHECK-NEXT: [[V2:%[a-z0-9_]+]] = nd.broadcast [[V0]] dims [2, 1, 0] : tensor<4x1x3xf32> -> tensor<3x5x4xf32>
// CHECK-NEXT: [[V3:%[a-z0-9_]+]] = nd.reduce "sum" [[V1]] axes [1] : tensor<3x5x4xf32> -> tensor<3x4xf32>
// CHECK-NEXT: [[V4:%[a-z0-9_]+]] = nd.transpose [[V3]] permutation [1, 0] : tensor<3x4xf32> -> tensor<4x3xf32>
// CHECK-NEXT: [[V5:%[a-z0-9_]+]] = nd.reshape [[V4]] : tensor<4x3xf32> -> tensor<4x1x3xf32>
// CHECK-NEXT: func.return [[V5]] : tensor<4x1x3xf32>
func.func @f(%x: tensor<4x1x3xf32>) -> tensor<3x5x4xf32> {
  %r = nd.broadcast %x dims [2, 1, 0] : tensor<4x1x3xf32> -> tensor<3x5x4xf32>
  func.return %r : tensor<3x5x4xf32>
}

// -----

// reshape. Back.
// CHECK-LABEL: func.func @f_vjp(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<4xf32>, [[V1:%[a-z0-9_]+]]: tensor<2x2xf32>) -> tensor<4xf32>
// CHECK-NEXT: [[V2:%[a-z0-9_]+]] = nd.reshape [[V0]] : tensor<4xf32> -> tensor<2x2xf32>
// CHECK-NEXT: [[V3:%[a-z0-9_]+]] = nd.reshape [[V1]] : tensor<2x2xf32> -> tensor<4xf32>
// CHECK-NEXT: func.return [[V3]] : tensor<4xf32>
func.func @f(%x: tensor<4xf32>) -> tensor<2x2xf32> {
  %r = nd.reshape %x : tensor<4xf32> -> tensor<2x2xf32>
  func.return %r : tensor<2x2xf32>
}

// -----

// transpose. The inverse permutation.
// CHECK-LABEL: func.func @f_vjp(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<2x3x4xf32>, [[V1:%[a-z0-9_]+]]: tensor<3x4x2xf32>) -> tensor<2x3x4xf32>
// CHECK-NEXT: [[V2:%[a-z0-9_]+]] = nd.transpose [[V0]] permutation [1, 2, 0] : tensor<2x3x4xf32> -> tensor<3x4x2xf32>
// CHECK-NEXT: [[V3:%[a-z0-9_]+]] = nd.transpose [[V1]] permutation [2, 0, 1] : tensor<3x4x2xf32> -> tensor<2x3x4xf32>
// CHECK-NEXT: func.return [[V3]] : tensor<2x3x4xf32>
func.func @f(%x: tensor<2x3x4xf32>) -> tensor<3x4x2xf32> {
  %r = nd.transpose %x permutation [1, 2, 0] : tensor<2x3x4xf32> -> tensor<3x4x2xf32>
  func.return %r : tensor<3x4x2xf32>
}

// -----

// reverse. Reversed again.
// CHECK-LABEL: func.func @f_vjp(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<4xf32>, [[V1:%[a-z0-9_]+]]: tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: [[V2:%[a-z0-9_]+]] = nd.reverse [[V0]] axes [0] : tensor<4xf32>
// CHECK-NEXT: [[V3:%[a-z0-9_]+]] = nd.reverse [[V1]] axes [0] : tensor<4xf32>
// CHECK-NEXT: func.return [[V3]] : tensor<4xf32>
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = nd.reverse %x axes [0] : tensor<4xf32>
  func.return %r : tensor<4xf32>
}

// -----

// concat. Each operand's part.
// CHECK-LABEL: func.func @f_vjp(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<2xf32>, [[V1:%[a-z0-9_]+]]: tensor<3xf32>, [[V2:%[a-z0-9_]+]]: tensor<5xf32>) -> (tensor<2xf32>, tensor<3xf32>)
// CHECK-NEXT: [[V3:%[a-z0-9_]+]] = nd.concat [[V0]], [[V1]] axis 0 : tensor<2xf32>, tensor<3xf32> -> tensor<5xf32>
// CHECK-NEXT: [[V4:%[a-z0-9_]+]] = nd.slice [[V2]] starts [0] limits [2] strides [1] : tensor<5xf32> -> tensor<2xf32>
// CHECK-NEXT: [[V5:%[a-z0-9_]+]] = nd.slice [[V2]] starts [2] limits [5] strides [1] : tensor<5xf32> -> tensor<3xf32>
// CHECK-NEXT: func.return [[V4]], [[V5]] : tensor<2xf32>, tensor<3xf32>
func.func @f(%x: tensor<2xf32>, %y: tensor<3xf32>) -> tensor<5xf32> {
  %r = nd.concat %x, %y axis 0 : tensor<2xf32>, tensor<3xf32> -> tensor<5xf32>
  func.return %r : tensor<5xf32>
}

// -----

// pad. The part inside; the value gets the rest.
// CHECK-LABEL: func.func @f_vjp(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<4xf32>, [[V1:%[a-z0-9_]+]]: tensor<f32>, [[V2:%[a-z0-9_]+]]: tensor<7xf32>) -> (tensor<4xf32>, tensor<f32>)
// CHECK-NEXT: [[V3:%[a-z0-9_]+]] = nd.pad [[V0]], [[V1]] low [1] high [2] : tensor<4xf32>, tensor<f32> -> tensor<7xf32>
// CHECK-NEXT: [[V4:%[a-z0-9_]+]] = nd.slice [[V2]] starts [1] limits [5] strides [1] : tensor<7xf32> -> tensor<4xf32>
// CHECK-NEXT: [[V5:%[a-z0-9_]+]] = nd.slice [[V2]] starts [1] limits [5] strides [1] : tensor<7xf32> -> tensor<4xf32>
// CHECK-NEXT: [[V6:%[a-z0-9_]+]] = nd.reduce "sum" [[V2]] axes [0] : tensor<7xf32> -> tensor<f32>
// CHECK-NEXT: [[V7:%[a-z0-9_]+]] = nd.reduce "sum" [[V5]] axes [0] : tensor<4xf32> -> tensor<f32>
// CHECK-NEXT: [[V8:%[a-z0-9_]+]] = nd.subtract [[V6]], [[V7]] : tensor<f32>
// CHECK-NEXT: func.return [[V4]], [[V8]] : tensor<4xf32>, tensor<f32>
func.func @f(%x: tensor<4xf32>, %v: tensor<f32>) -> tensor<7xf32> {
  %r = nd.pad %x, %v low [1] high [2] : tensor<4xf32>, tensor<f32> -> tensor<7xf32>
  func.return %r : tensor<7xf32>
}

// -----

// slice. With strides: zeros between, then around.
// CHECK-LABEL: func.func @f_vjp(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<9xf32>, [[V1:%[a-z0-9_]+]]: tensor<3xf32>) -> tensor<9xf32>
// CHECK-NEXT: [[V2:%[a-z0-9_]+]] = nd.slice [[V0]] starts [1] limits [8] strides [3] : tensor<9xf32> -> tensor<3xf32>
// CHECK-NEXT: [[V3:%[a-z0-9_]+]] = nd.reshape [[V1]] : tensor<3xf32> -> tensor<3x1xf32>
// CHECK-NEXT: [[V4:%[a-z0-9_]+]] = nd.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: [[V5:%[a-z0-9_]+]] = nd.pad [[V3]], [[V4]] low [0, 0] high [0, 2] : tensor<3x1xf32>, tensor<f32> -> tensor<3x3xf32>
// CHECK-NEXT: [[V6:%[a-z0-9_]+]] = nd.reshape [[V5]] : tensor<3x3xf32> -> tensor<9xf32>
// CHECK-NEXT: [[V7:%[a-z0-9_]+]] = nd.slice [[V6]] starts [0] limits [8] strides [1] : tensor<9xf32> -> tensor<8xf32>
// CHECK-NEXT: [[V8:%[a-z0-9_]+]] = nd.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: [[V9:%[a-z0-9_]+]] = nd.pad [[V7]], [[V8]] low [1] high [0] : tensor<8xf32>, tensor<f32> -> tensor<9xf32>
// CHECK-NEXT: func.return [[V9]] : tensor<9xf32>
func.func @f(%x: tensor<9xf32>) -> tensor<3xf32> {
  %r = nd.slice %x starts [1] limits [8] strides [3] : tensor<9xf32> -> tensor<3xf32>
  func.return %r : tensor<3xf32>
}

// -----

// dynamic_slice. Put into zeros at the same start.
// CHECK-LABEL: func.func @f_vjp(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<9xf32>, [[V1:%[a-z0-9_]+]]: index, [[V2:%[a-z0-9_]+]]: tensor<3xf32>) -> tensor<9xf32>
// CHECK-NEXT: [[V3:%[a-z0-9_]+]] = nd.dynamic_slice [[V0]][[[V1]]] sizes [3] : tensor<9xf32> -> tensor<3xf32>
// CHECK-NEXT: [[V4:%[a-z0-9_]+]] = nd.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: [[V5:%[a-z0-9_]+]] = nd.broadcast [[V4]] dims [] : tensor<f32> -> tensor<9xf32>
// CHECK-NEXT: [[V6:%[a-z0-9_]+]] = nd.dynamic_update_slice [[V5]], [[V2]][[[V1]]] : tensor<3xf32> -> tensor<9xf32>
// CHECK-NEXT: func.return [[V6]] : tensor<9xf32>
func.func @f(%x: tensor<9xf32>, %i: index) -> tensor<3xf32> {
  %r = nd.dynamic_slice %x[%i] sizes [3] : tensor<9xf32> -> tensor<3xf32>
  func.return %r : tensor<3xf32>
}

// -----

// dynamic_slice of a run-time size: the update is as large.
// CHECK-LABEL: func.func @f_vjp(
// CHECK-SAME: %{{.*}}: tensor<9xf32>, [[I:%[a-z0-9_]+]]: index, %{{.*}}: index, [[G:%[a-z0-9_]+]]: tensor<?xf32>) -> tensor<9xf32>
// CHECK: nd.dynamic_update_slice %{{.*}}, [[G]][[[I]]] : tensor<?xf32> -> tensor<9xf32>
func.func @f(%x: tensor<9xf32>, %i: index, %n: index) -> tensor<?xf32> {
  %r = nd.dynamic_slice %x[%i, %n] sizes [-1] : tensor<9xf32> -> tensor<?xf32>
  func.return %r : tensor<?xf32>
}

// -----

// dynamic_update_slice. The window goes to the update.
// CHECK-LABEL: func.func @f_vjp(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<9xf32>, [[V1:%[a-z0-9_]+]]: tensor<3xf32>, [[V2:%[a-z0-9_]+]]: index, [[V3:%[a-z0-9_]+]]: tensor<9xf32>) -> (tensor<9xf32>, tensor<3xf32>)
// CHECK-NEXT: [[V4:%[a-z0-9_]+]] = nd.dynamic_update_slice [[V0]], [[V1]][[[V2]]] : tensor<3xf32> -> tensor<9xf32>
// CHECK-NEXT: [[V5:%[a-z0-9_]+]] = nd.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: [[V6:%[a-z0-9_]+]] = nd.broadcast [[V5]] dims [] : tensor<f32> -> tensor<3xf32>
// CHECK-NEXT: [[V7:%[a-z0-9_]+]] = nd.dynamic_update_slice [[V3]], [[V6]][[[V2]]] : tensor<3xf32> -> tensor<9xf32>
// CHECK-NEXT: [[V8:%[a-z0-9_]+]] = nd.dynamic_slice [[V3]][[[V2]]] sizes [3] : tensor<9xf32> -> tensor<3xf32>
// CHECK-NEXT: func.return [[V7]], [[V8]] : tensor<9xf32>, tensor<3xf32>
func.func @f(%x: tensor<9xf32>, %u: tensor<3xf32>, %i: index) -> tensor<9xf32> {
  %r = nd.dynamic_update_slice %x, %u [%i] : tensor<3xf32> -> tensor<9xf32>
  func.return %r : tensor<9xf32>
}

// -----

// reduce_sum. Spread out.
// CHECK-LABEL: func.func @f_vjp(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<3x4xf32>, [[V1:%[a-z0-9_]+]]: tensor<4xf32>) -> tensor<3x4xf32>
// CHECK-NEXT: [[V2:%[a-z0-9_]+]] = nd.reduce "sum" [[V0]] axes [0] : tensor<3x4xf32> -> tensor<4xf32>
// CHECK-NEXT: [[V3:%[a-z0-9_]+]] = nd.broadcast [[V1]] dims [1] : tensor<4xf32> -> tensor<3x4xf32>
// CHECK-NEXT: func.return [[V3]] : tensor<3x4xf32>
func.func @f(%x: tensor<3x4xf32>) -> tensor<4xf32> {
  %r = nd.reduce "sum" %x axes [0] : tensor<3x4xf32> -> tensor<4xf32>
  func.return %r : tensor<4xf32>
}

// -----

// reduce_max. Shared by the largest.
// CHECK-LABEL: func.func @f_vjp(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<3x4xf32>, [[V1:%[a-z0-9_]+]]: tensor<3xf32>) -> tensor<3x4xf32>
// CHECK-NEXT: [[V2:%[a-z0-9_]+]] = nd.reduce "max" [[V0]] axes [1] : tensor<3x4xf32> -> tensor<3xf32>
// CHECK-NEXT: [[V3:%[a-z0-9_]+]] = nd.broadcast [[V2]] dims [0] : tensor<3xf32> -> tensor<3x4xf32>
// CHECK-NEXT: [[V4:%[a-z0-9_]+]] = nd.not_equal [[V0]], [[V0]] : tensor<3x4xf32> -> tensor<3x4xi1>
// CHECK-NEXT: [[V5:%[a-z0-9_]+]] = nd.not_equal [[V3]], [[V3]] : tensor<3x4xf32> -> tensor<3x4xi1>
// CHECK-NEXT: [[V6:%[a-z0-9_]+]] = nd.bitwise_and [[V4]], [[V5]] : tensor<3x4xi1>
// CHECK-NEXT: [[V7:%[a-z0-9_]+]] = nd.equal [[V0]], [[V3]] : tensor<3x4xf32> -> tensor<3x4xi1>
// CHECK-NEXT: [[V8:%[a-z0-9_]+]] = nd.bitwise_or [[V7]], [[V6]] : tensor<3x4xi1>
// CHECK-NEXT: [[V9:%[a-z0-9_]+]] = nd.constant dense<1.000000e+00> : tensor<f32>
// CHECK-NEXT: [[V10:%[a-z0-9_]+]] = nd.broadcast [[V9]] dims [] : tensor<f32> -> tensor<3x4xf32>
// CHECK-NEXT: [[V11:%[a-z0-9_]+]] = nd.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: [[V12:%[a-z0-9_]+]] = nd.broadcast [[V11]] dims [] : tensor<f32> -> tensor<3x4xf32>
// CHECK-NEXT: [[V13:%[a-z0-9_]+]] = nd.select [[V8]], [[V10]], [[V12]] : tensor<3x4xi1>, tensor<3x4xf32>
// CHECK-NEXT: [[V14:%[a-z0-9_]+]] = nd.reduce "sum" [[V13]] axes [1] : tensor<3x4xf32> -> tensor<3xf32>
// CHECK-NEXT: [[V15:%[a-z0-9_]+]] = nd.divide [[V1]], [[V14]] : tensor<3xf32>
// CHECK-NEXT: [[V16:%[a-z0-9_]+]] = nd.broadcast [[V15]] dims [0] : tensor<3xf32> -> tensor<3x4xf32>
// CHECK-NEXT: [[V17:%[a-z0-9_]+]] = nd.multiply [[V13]], [[V16]] : tensor<3x4xf32>
// CHECK-NEXT: func.return [[V17]] : tensor<3x4xf32>
func.func @f(%x: tensor<3x4xf32>) -> tensor<3xf32> {
  %r = nd.reduce "max" %x axes [1] : tensor<3x4xf32> -> tensor<3xf32>
  func.return %r : tensor<3xf32>
}

// -----

// reduce_prod. A tree of products, walked back.
// CHECK-LABEL: func.func @f_vjp(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<3xf32>, [[V1:%[a-z0-9_]+]]: tensor<f32>) -> tensor<3xf32>
// CHECK-NEXT: [[V2:%[a-z0-9_]+]] = nd.reduce "prod" [[V0]] axes [0] : tensor<3xf32> -> tensor<f32>
// CHECK-NEXT: [[V3:%[a-z0-9_]+]] = nd.reshape [[V0]] : tensor<3xf32> -> tensor<1x3xf32>
// CHECK-NEXT: [[V4:%[a-z0-9_]+]] = nd.constant dense<1.000000e+00> : tensor<f32>
// CHECK-NEXT: [[V5:%[a-z0-9_]+]] = nd.pad [[V3]], [[V4]] low [0, 0] high [0, 1] : tensor<1x3xf32>, tensor<f32> -> tensor<1x4xf32>
// CHECK-NEXT: [[V6:%[a-z0-9_]+]] = nd.slice [[V5]] starts [0, 0] limits [1, 2] strides [1, 1] : tensor<1x4xf32> -> tensor<1x2xf32>
// CHECK-NEXT: [[V7:%[a-z0-9_]+]] = nd.slice [[V5]] starts [0, 2] limits [1, 4] strides [1, 1] : tensor<1x4xf32> -> tensor<1x2xf32>
// CHECK-NEXT: [[V8:%[a-z0-9_]+]] = nd.multiply [[V6]], [[V7]] : tensor<1x2xf32>
// CHECK-NEXT: [[V9:%[a-z0-9_]+]] = nd.slice [[V8]] starts [0, 0] limits [1, 1] strides [1, 1] : tensor<1x2xf32> -> tensor<1x1xf32>
// CHECK-NEXT: [[V10:%[a-z0-9_]+]] = nd.slice [[V8]] starts [0, 1] limits [1, 2] strides [1, 1] : tensor<1x2xf32> -> tensor<1x1xf32>
// CHECK-NEXT: [[V11:%[a-z0-9_]+]] = nd.multiply [[V9]], [[V10]] : tensor<1x1xf32>
// CHECK-NEXT: [[V12:%[a-z0-9_]+]] = nd.reshape [[V1]] : tensor<f32> -> tensor<1x1xf32>
// CHECK-NEXT: [[V13:%[a-z0-9_]+]] = nd.slice [[V8]] starts [0, 0] limits [1, 1] strides [1, 1] : tensor<1x2xf32> -> tensor<1x1xf32>
// CHECK-NEXT: [[V14:%[a-z0-9_]+]] = nd.slice [[V8]] starts [0, 1] limits [1, 2] strides [1, 1] : tensor<1x2xf32> -> tensor<1x1xf32>
// CHECK-NEXT: [[V15:%[a-z0-9_]+]] = nd.multiply [[V12]], [[V14]] : tensor<1x1xf32>
// CHECK-NEXT: [[V16:%[a-z0-9_]+]] = nd.multiply [[V12]], [[V13]] : tensor<1x1xf32>
// CHECK-NEXT: [[V17:%[a-z0-9_]+]] = nd.concat [[V15]], [[V16]] axis 1 : tensor<1x1xf32>, tensor<1x1xf32> -> tensor<1x2xf32>
// CHECK-NEXT: [[V18:%[a-z0-9_]+]] = nd.slice [[V5]] starts [0, 0] limits [1, 2] strides [1, 1] : tensor<1x4xf32> -> tensor<1x2xf32>
// CHECK-NEXT: [[V19:%[a-z0-9_]+]] = nd.slice [[V5]] starts [0, 2] limits [1, 4] strides [1, 1] : tensor<1x4xf32> -> tensor<1x2xf32>
// CHECK-NEXT: [[V20:%[a-z0-9_]+]] = nd.multiply [[V17]], [[V19]] : tensor<1x2xf32>
// CHECK-NEXT: [[V21:%[a-z0-9_]+]] = nd.multiply [[V17]], [[V18]] : tensor<1x2xf32>
// CHECK-NEXT: [[V22:%[a-z0-9_]+]] = nd.concat [[V20]], [[V21]] axis 1 : tensor<1x2xf32>, tensor<1x2xf32> -> tensor<1x4xf32>
// CHECK-NEXT: [[V23:%[a-z0-9_]+]] = nd.slice [[V22]] starts [0, 0] limits [1, 3] strides [1, 1] : tensor<1x4xf32> -> tensor<1x3xf32>
// CHECK-NEXT: [[V24:%[a-z0-9_]+]] = nd.reshape [[V23]] : tensor<1x3xf32> -> tensor<3xf32>
// CHECK-NEXT: func.return [[V24]] : tensor<3xf32>
func.func @f(%x: tensor<3xf32>) -> tensor<f32> {
  %r = nd.reduce "prod" %x axes [0] : tensor<3xf32> -> tensor<f32>
  func.return %r : tensor<f32>
}

// -----

// dot_general. The cotangent times the other operand.
// CHECK-LABEL: func.func @f_vjp(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<2x3x4xf32>, [[V1:%[a-z0-9_]+]]: tensor<2x4x5xf32>, [[V2:%[a-z0-9_]+]]: tensor<2x3x5xf32>) -> (tensor<2x3x4xf32>, tensor<2x4x5xf32>)
// CHECK-NEXT: [[V3:%[a-z0-9_]+]] = nd.dot_general [[V0]], [[V1]] batch [0] [0] contract [2] [1] : tensor<2x3x4xf32>, tensor<2x4x5xf32> -> tensor<2x3x5xf32>
// CHECK-NEXT: [[V4:%[a-z0-9_]+]] = nd.dot_general [[V2]], [[V1]] batch [0] [0] contract [2] [2] : tensor<2x3x5xf32>, tensor<2x4x5xf32> -> tensor<2x3x4xf32>
// CHECK-NEXT: [[V5:%[a-z0-9_]+]] = nd.dot_general [[V0]], [[V2]] batch [0] [0] contract [1] [1] : tensor<2x3x4xf32>, tensor<2x3x5xf32> -> tensor<2x4x5xf32>
// CHECK-NEXT: func.return [[V4]], [[V5]] : tensor<2x3x4xf32>, tensor<2x4x5xf32>
func.func @f(%x: tensor<2x3x4xf32>, %y: tensor<2x4x5xf32>) -> tensor<2x3x5xf32> {
  %r = nd.dot_general %x, %y batch [0] [0] contract [2] [1] : tensor<2x3x4xf32>, tensor<2x4x5xf32> -> tensor<2x3x5xf32>
  func.return %r : tensor<2x3x5xf32>
}

// -----

// dot_general. Where neither order of the two gives the operand's axes in theirs, they are moved.
// CHECK-LABEL: func.func @f_vjp(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<4x3xf32>, [[V1:%[a-z0-9_]+]]: tensor<5x4x6xf32>, [[V2:%[a-z0-9_]+]]: tensor<3x5x6xf32>) -> (tensor<4x3xf32>, tensor<5x4x6xf32>)
// CHECK-NEXT: nd.dot_general [[V0]], [[V1]]
// CHECK-NEXT: [[V4:%[a-z0-9_]+]] = nd.dot_general [[V1]], [[V2]] batch [] [] contract [0, 2] [1, 2] : tensor<5x4x6xf32>, tensor<3x5x6xf32> -> tensor<4x3xf32>
// CHECK-NEXT: [[V5:%[a-z0-9_]+]] = nd.dot_general [[V2]], [[V0]] batch [] [] contract [0] [1] : tensor<3x5x6xf32>, tensor<4x3xf32> -> tensor<5x6x4xf32>
// CHECK-NEXT: [[V6:%[a-z0-9_]+]] = nd.transpose [[V5]] permutation [0, 2, 1] : tensor<5x6x4xf32> -> tensor<5x4x6xf32>
// CHECK-NEXT: func.return [[V4]], [[V6]] : tensor<4x3xf32>, tensor<5x4x6xf32>
func.func @f(%x: tensor<4x3xf32>, %y: tensor<5x4x6xf32>) -> tensor<3x5x6xf32> {
  %r = nd.dot_general %x, %y batch [] [] contract [0] [1] : tensor<4x3xf32>, tensor<5x4x6xf32> -> tensor<3x5x6xf32>
  func.return %r : tensor<3x5x6xf32>
}

// -----

// conv. Convolutions of the cotangent with the mirrored kernel, and of the input with the cotangent.
// CHECK-LABEL: func.func @f_vjp(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<1x2x5xf32>, [[V1:%[a-z0-9_]+]]: tensor<3x2x2xf32>, [[V2:%[a-z0-9_]+]]: tensor<1x3x3xf32>) -> (tensor<1x2x5xf32>, tensor<3x2x2xf32>)
// CHECK-NEXT: [[V3:%[a-z0-9_]+]] = nd.conv [[V0]], [[V1]] strides [2] padding [1, 0] dilation [1] groups 1 : tensor<1x2x5xf32>, tensor<3x2x2xf32> -> tensor<1x3x3xf32>
// CHECK-NEXT: [[V4:%[a-z0-9_]+]] = nd.reshape [[V1]] : tensor<3x2x2xf32> -> tensor<1x3x2x2xf32>
// CHECK-NEXT: [[V5:%[a-z0-9_]+]] = nd.transpose [[V4]] permutation [0, 2, 1, 3] : tensor<1x3x2x2xf32> -> tensor<1x2x3x2xf32>
// CHECK-NEXT: [[V6:%[a-z0-9_]+]] = nd.reshape [[V5]] : tensor<1x2x3x2xf32> -> tensor<2x3x2xf32>
// CHECK-NEXT: [[V7:%[a-z0-9_]+]] = nd.reverse [[V6]] axes [2] : tensor<2x3x2xf32>
// CHECK-NEXT: [[V8:%[a-z0-9_]+]] = nd.reshape [[V2]] : tensor<1x3x3xf32> -> tensor<1x3x3x1xf32>
// CHECK-NEXT: [[V9:%[a-z0-9_]+]] = nd.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: [[V10:%[a-z0-9_]+]] = nd.pad [[V8]], [[V9]] low [0, 0, 0, 0] high [0, 0, 0, 1] : tensor<1x3x3x1xf32>, tensor<f32> -> tensor<1x3x3x2xf32>
// CHECK-NEXT: [[V11:%[a-z0-9_]+]] = nd.reshape [[V10]] : tensor<1x3x3x2xf32> -> tensor<1x3x6xf32>
// CHECK-NEXT: [[V12:%[a-z0-9_]+]] = nd.conv [[V11]], [[V7]] strides [1] padding [0, 0] dilation [1] groups 1 : tensor<1x3x6xf32>, tensor<2x3x2xf32> -> tensor<1x2x5xf32>
// CHECK-NEXT: [[V13:%[a-z0-9_]+]] = nd.reshape [[V0]] : tensor<1x2x5xf32> -> tensor<1x1x2x5xf32>
// CHECK-NEXT: [[V14:%[a-z0-9_]+]] = nd.transpose [[V13]] permutation [2, 1, 0, 3] : tensor<1x1x2x5xf32> -> tensor<2x1x1x5xf32>
// CHECK-NEXT: [[V15:%[a-z0-9_]+]] = nd.reshape [[V14]] : tensor<2x1x1x5xf32> -> tensor<2x1x5xf32>
// CHECK-NEXT: [[V16:%[a-z0-9_]+]] = nd.transpose [[V2]] permutation [1, 0, 2] : tensor<1x3x3xf32> -> tensor<3x1x3xf32>
// CHECK-NEXT: [[V17:%[a-z0-9_]+]] = nd.conv [[V15]], [[V16]] strides [1] padding [1, 0] dilation [2] groups 1 : tensor<2x1x5xf32>, tensor<3x1x3xf32> -> tensor<2x3x2xf32>
// CHECK-NEXT: [[V18:%[a-z0-9_]+]] = nd.slice [[V17]] starts [0, 0, 0] limits [2, 3, 2] strides [1, 1, 1] : tensor<2x3x2xf32> -> tensor<2x3x2xf32>
// CHECK-NEXT: [[V19:%[a-z0-9_]+]] = nd.transpose [[V18]] permutation [1, 0, 2] : tensor<2x3x2xf32> -> tensor<3x2x2xf32>
// CHECK-NEXT: func.return [[V12]], [[V19]] : tensor<1x2x5xf32>, tensor<3x2x2xf32>
func.func @f(%x: tensor<1x2x5xf32>, %w: tensor<3x2x2xf32>) -> tensor<1x3x3xf32> {
  %r = nd.conv %x, %w strides [2] padding [1, 0] dilation [1] groups 1 : tensor<1x2x5xf32>, tensor<3x2x2xf32> -> tensor<1x3x3xf32>
  func.return %r : tensor<1x3x3xf32>
}

// -----

// scan_sum. The sum of what comes later.
// CHECK-LABEL: func.func @f_vjp(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<4xf32>, [[V1:%[a-z0-9_]+]]: tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: [[V2:%[a-z0-9_]+]] = nd.scan "sum" [[V0]] axis 0 direction "forward" : tensor<4xf32>
// CHECK-NEXT: [[V3:%[a-z0-9_]+]] = nd.scan "sum" [[V1]] axis 0 direction "reverse" : tensor<4xf32>
// CHECK-NEXT: func.return [[V3]] : tensor<4xf32>
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = nd.scan "sum" %x axis 0 direction "forward" : tensor<4xf32>
  func.return %r : tensor<4xf32>
}

// -----

// scan_prod. Doubling steps, walked back.
// CHECK-LABEL: func.func @f_vjp(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<3xf32>, [[V1:%[a-z0-9_]+]]: tensor<3xf32>) -> tensor<3xf32>
// CHECK-NEXT: [[V2:%[a-z0-9_]+]] = nd.scan "prod" [[V0]] axis 0 direction "reverse" : tensor<3xf32>
// CHECK-NEXT: [[V3:%[a-z0-9_]+]] = nd.slice [[V0]] starts [1] limits [3] strides [1] : tensor<3xf32> -> tensor<2xf32>
// CHECK-NEXT: [[V4:%[a-z0-9_]+]] = nd.constant dense<1.000000e+00> : tensor<f32>
// CHECK-NEXT: [[V5:%[a-z0-9_]+]] = nd.pad [[V3]], [[V4]] low [0] high [1] : tensor<2xf32>, tensor<f32> -> tensor<3xf32>
// CHECK-NEXT: [[V6:%[a-z0-9_]+]] = nd.multiply [[V0]], [[V5]] : tensor<3xf32>
// CHECK-NEXT: [[V7:%[a-z0-9_]+]] = nd.slice [[V6]] starts [2] limits [3] strides [1] : tensor<3xf32> -> tensor<1xf32>
// CHECK-NEXT: [[V8:%[a-z0-9_]+]] = nd.constant dense<1.000000e+00> : tensor<f32>
// CHECK-NEXT: [[V9:%[a-z0-9_]+]] = nd.pad [[V7]], [[V8]] low [0] high [2] : tensor<1xf32>, tensor<f32> -> tensor<3xf32>
// CHECK-NEXT: [[V10:%[a-z0-9_]+]] = nd.multiply [[V6]], [[V9]] : tensor<3xf32>
// CHECK-NEXT: [[V11:%[a-z0-9_]+]] = nd.multiply [[V1]], [[V9]] : tensor<3xf32>
// CHECK-NEXT: [[V12:%[a-z0-9_]+]] = nd.multiply [[V1]], [[V6]] : tensor<3xf32>
// CHECK-NEXT: [[V13:%[a-z0-9_]+]] = nd.slice [[V12]] starts [0] limits [1] strides [1] : tensor<3xf32> -> tensor<1xf32>
// CHECK-NEXT: [[V14:%[a-z0-9_]+]] = nd.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: [[V15:%[a-z0-9_]+]] = nd.pad [[V13]], [[V14]] low [2] high [0] : tensor<1xf32>, tensor<f32> -> tensor<3xf32>
// CHECK-NEXT: [[V16:%[a-z0-9_]+]] = nd.add [[V11]], [[V15]] : tensor<3xf32>
// CHECK-NEXT: [[V17:%[a-z0-9_]+]] = nd.multiply [[V16]], [[V5]] : tensor<3xf32>
// CHECK-NEXT: [[V18:%[a-z0-9_]+]] = nd.multiply [[V16]], [[V0]] : tensor<3xf32>
// CHECK-NEXT: [[V19:%[a-z0-9_]+]] = nd.slice [[V18]] starts [0] limits [2] strides [1] : tensor<3xf32> -> tensor<2xf32>
// CHECK-NEXT: [[V20:%[a-z0-9_]+]] = nd.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: [[V21:%[a-z0-9_]+]] = nd.pad [[V19]], [[V20]] low [1] high [0] : tensor<2xf32>, tensor<f32> -> tensor<3xf32>
// CHECK-NEXT: [[V22:%[a-z0-9_]+]] = nd.add [[V17]], [[V21]] : tensor<3xf32>
// CHECK-NEXT: func.return [[V22]] : tensor<3xf32>
func.func @f(%x: tensor<3xf32>) -> tensor<3xf32> {
  %r = nd.scan "prod" %x axis 0 direction "reverse" : tensor<3xf32>
  func.return %r : tensor<3xf32>
}

// -----

// sort. The place among the sorted tells where a cotangent goes.
// CHECK-LABEL: func.func @f_vjp(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<4xf32>, [[V1:%[a-z0-9_]+]]: tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: [[V2:%[a-z0-9_]+]] = nd.sort [[V0]] axis 0 order "descending" : tensor<4xf32>
// CHECK-NEXT: [[V3:%[a-z0-9_]+]] = nd.argsort [[V0]] axis 0 order "descending" : tensor<4xf32> -> tensor<4xi64>
// CHECK-NEXT: [[V4:%[a-z0-9_]+]] = nd.argsort [[V3]] axis 0 order "ascending" : tensor<4xi64> -> tensor<4xi64>
// CHECK-NEXT: [[V5:%[a-z0-9_]+]] = nd.gather [[V1]][[[V4]]] axes [0] dims [] index_dims [0] : tensor<4xf32>, tensor<4xi64> -> tensor<4xf32>
// CHECK-NEXT: func.return [[V5]] : tensor<4xf32>
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = nd.sort %x axis 0 order "descending" : tensor<4xf32>
  func.return %r : tensor<4xf32>
}

// -----

// reduce_window_sum. The sum over the windows that hold an element.
// CHECK-LABEL: func.func @f_vjp(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<7xf32>, [[V1:%[a-z0-9_]+]]: tensor<3xf32>) -> tensor<7xf32>
// CHECK-NEXT: [[V2:%[a-z0-9_]+]] = nd.reduce_window "sum" [[V0]] window [3] strides [2] padding [1, 0] dilation [1] : tensor<7xf32> -> tensor<3xf32>
// CHECK-NEXT: [[V3:%[a-z0-9_]+]] = nd.reshape [[V1]] : tensor<3xf32> -> tensor<3x1xf32>
// CHECK-NEXT: [[V4:%[a-z0-9_]+]] = nd.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: [[V5:%[a-z0-9_]+]] = nd.pad [[V3]], [[V4]] low [0, 0] high [0, 1] : tensor<3x1xf32>, tensor<f32> -> tensor<3x2xf32>
// CHECK-NEXT: [[V6:%[a-z0-9_]+]] = nd.reshape [[V5]] : tensor<3x2xf32> -> tensor<6xf32>
// CHECK-NEXT: [[V7:%[a-z0-9_]+]] = nd.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: [[V8:%[a-z0-9_]+]] = nd.pad [[V6]], [[V7]] low [1] high [2] : tensor<6xf32>, tensor<f32> -> tensor<9xf32>
// CHECK-NEXT: [[V9:%[a-z0-9_]+]] = nd.reduce_window "sum" [[V8]] window [3] strides [1] padding [0, 0] dilation [1] : tensor<9xf32> -> tensor<7xf32>
// CHECK-NEXT: func.return [[V9]] : tensor<7xf32>
func.func @f(%x: tensor<7xf32>) -> tensor<3xf32> {
  %r = nd.reduce_window "sum" %x window [3] strides [2] padding [1, 0] dilation [1] : tensor<7xf32> -> tensor<3xf32>
  func.return %r : tensor<3xf32>
}

// -----

// reduce_window_max. Shared by the largest of each window.
// CHECK-LABEL: func.func @f_vjp(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<4xf32>, [[V1:%[a-z0-9_]+]]: tensor<2xf32>) -> tensor<4xf32>
// CHECK-NEXT: [[V2:%[a-z0-9_]+]] = nd.reduce_window "max" [[V0]] window [2] strides [2] padding [0, 0] dilation [1] : tensor<4xf32> -> tensor<2xf32>
// CHECK-NEXT: [[V3:%[a-z0-9_]+]] = nd.slice [[V0]] starts [0] limits [4] strides [1] : tensor<4xf32> -> tensor<4xf32>
// CHECK-NEXT: [[V4:%[a-z0-9_]+]] = nd.reshape [[V3]] : tensor<4xf32> -> tensor<2x2xf32>
// CHECK-NEXT: [[V5:%[a-z0-9_]+]] = nd.broadcast [[V2]] dims [0] : tensor<2xf32> -> tensor<2x2xf32>
// CHECK-NEXT: [[V6:%[a-z0-9_]+]] = nd.not_equal [[V4]], [[V4]] : tensor<2x2xf32> -> tensor<2x2xi1>
// CHECK-NEXT: [[V7:%[a-z0-9_]+]] = nd.not_equal [[V5]], [[V5]] : tensor<2x2xf32> -> tensor<2x2xi1>
// CHECK-NEXT: [[V8:%[a-z0-9_]+]] = nd.bitwise_and [[V6]], [[V7]] : tensor<2x2xi1>
// CHECK-NEXT: [[V9:%[a-z0-9_]+]] = nd.equal [[V4]], [[V5]] : tensor<2x2xf32> -> tensor<2x2xi1>
// CHECK-NEXT: [[V10:%[a-z0-9_]+]] = nd.bitwise_or [[V9]], [[V8]] : tensor<2x2xi1>
// CHECK-NEXT: [[V11:%[a-z0-9_]+]] = nd.constant dense<1.000000e+00> : tensor<f32>
// CHECK-NEXT: [[V12:%[a-z0-9_]+]] = nd.broadcast [[V11]] dims [] : tensor<f32> -> tensor<2x2xf32>
// CHECK-NEXT: [[V13:%[a-z0-9_]+]] = nd.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: [[V14:%[a-z0-9_]+]] = nd.broadcast [[V13]] dims [] : tensor<f32> -> tensor<2x2xf32>
// CHECK-NEXT: [[V15:%[a-z0-9_]+]] = nd.select [[V10]], [[V12]], [[V14]] : tensor<2x2xi1>, tensor<2x2xf32>
// CHECK-NEXT: [[V16:%[a-z0-9_]+]] = nd.reduce "sum" [[V15]] axes [1] : tensor<2x2xf32> -> tensor<2xf32>
// CHECK-NEXT: [[V17:%[a-z0-9_]+]] = nd.divide [[V1]], [[V16]] : tensor<2xf32>
// CHECK-NEXT: [[V18:%[a-z0-9_]+]] = nd.broadcast [[V17]] dims [0] : tensor<2xf32> -> tensor<2x2xf32>
// CHECK-NEXT: [[V19:%[a-z0-9_]+]] = nd.multiply [[V15]], [[V18]] : tensor<2x2xf32>
// CHECK-NEXT: [[V20:%[a-z0-9_]+]] = nd.reshape [[V19]] : tensor<2x2xf32> -> tensor<4xf32>
// CHECK-NEXT: func.return [[V20]] : tensor<4xf32>
func.func @f(%x: tensor<4xf32>) -> tensor<2xf32> {
  %r = nd.reduce_window "max" %x window [2] strides [2] padding [0, 0] dilation [1] : tensor<4xf32> -> tensor<2xf32>
  func.return %r : tensor<2xf32>
}

// -----

// branch. The branch taken, again, and back.
// CHECK-LABEL: func.func @f_vjp(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: i1, [[V1:%[a-z0-9_]+]]: tensor<4xf32>, [[V2:%[a-z0-9_]+]]: tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: [[V3:%[a-z0-9_]+]] = scf.if [[V0]] -> (tensor<4xf32>) {
// CHECK-NEXT: [[V4:%[a-z0-9_]+]] = nd.sin [[V1]] : tensor<4xf32>
// CHECK-NEXT: scf.yield [[V4]] : tensor<4xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: scf.yield [[V1]] : tensor<4xf32>
// CHECK-NEXT: }
// CHECK-NEXT: [[V5:%[a-z0-9_]+]] = scf.if [[V0]] -> (tensor<4xf32>) {
// CHECK-NEXT: [[V6:%[a-z0-9_]+]] = nd.sin [[V1]] : tensor<4xf32>
// CHECK-NEXT: [[V7:%[a-z0-9_]+]] = nd.cos [[V1]] : tensor<4xf32>
// CHECK-NEXT: [[V8:%[a-z0-9_]+]] = nd.multiply [[V2]], [[V7]] : tensor<4xf32>
// CHECK-NEXT: scf.yield [[V8]] : tensor<4xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: scf.yield [[V2]] : tensor<4xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.return [[V5]] : tensor<4xf32>
func.func @f(%p: i1, %x: tensor<4xf32>) -> tensor<4xf32> {
  %r = scf.if %p -> (tensor<4xf32>) {
    %a = nd.sin %x : tensor<4xf32>
    scf.yield %a : tensor<4xf32>
  } else {
    scf.yield %x : tensor<4xf32>
  }
  func.return %r : tensor<4xf32>
}

// -----

// loop. The loop stores what it carries; another walks back.
// CHECK-LABEL: func.func @f_vjp(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<4xf32>, [[V1:%[a-z0-9_]+]]: tensor<4xf32>, [[V2:%[a-z0-9_]+]]: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
// CHECK-NEXT: [[V3:%[a-z0-9_]+]] = arith.constant 0 : index
// CHECK-NEXT: [[V4:%[a-z0-9_]+]] = arith.constant 3 : index
// CHECK-NEXT: [[V5:%[a-z0-9_]+]] = arith.constant 1 : index
// CHECK-NEXT: [[V6:%[a-z0-9_]+]] = nd.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: [[V7:%[a-z0-9_]+]] = nd.broadcast [[V6]] dims [] : tensor<f32> -> tensor<3x4xf32>
// CHECK-NEXT: [[V8:%[a-z0-9_]+]], [[V9:%[a-z0-9_]+]] = scf.for [[V10:%[a-z0-9_]+]] = [[V3]] to [[V4]] step [[V5]] iter_args([[V11:%[a-z0-9_]+]] = [[V0]], [[V12:%[a-z0-9_]+]] = [[V7]]) -> (tensor<4xf32>, tensor<3x4xf32>) {
// CHECK-NEXT: [[V13:%[a-z0-9_]+]] = nd.reshape [[V11]] : tensor<4xf32> -> tensor<1x4xf32>
// CHECK-NEXT: [[V14:%[a-z0-9_]+]] = arith.constant 0 : index
// CHECK-NEXT: [[V15:%[a-z0-9_]+]] = nd.dynamic_update_slice [[V12]], [[V13]][[[V10]], [[V14]]] : tensor<1x4xf32> -> tensor<3x4xf32>
// CHECK-NEXT: [[V16:%[a-z0-9_]+]] = nd.multiply [[V11]], [[V1]] : tensor<4xf32>
// CHECK-NEXT: scf.yield [[V16]], [[V15]] : tensor<4xf32>, tensor<3x4xf32>
// CHECK-NEXT: }
// CHECK-NEXT: [[V17:%[a-z0-9_]+]] = nd.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: [[V18:%[a-z0-9_]+]] = nd.broadcast [[V17]] dims [] : tensor<f32> -> tensor<4xf32>
// CHECK-NEXT: [[V19:%[a-z0-9_]+]] = arith.constant 0 : index
// CHECK-NEXT: [[V20:%[a-z0-9_]+]] = arith.constant 3 : index
// CHECK-NEXT: [[V21:%[a-z0-9_]+]] = arith.constant 1 : index
// CHECK-NEXT: [[V22:%[a-z0-9_]+]], [[V23:%[a-z0-9_]+]] = scf.for [[V24:%[a-z0-9_]+]] = [[V19]] to [[V20]] step [[V21]] iter_args([[V25:%[a-z0-9_]+]] = [[V2]], [[V26:%[a-z0-9_]+]] = [[V18]]) -> (tensor<4xf32>, tensor<4xf32>) {
// CHECK-NEXT: [[V27:%[a-z0-9_]+]] = arith.constant 1 : index
// CHECK-NEXT: [[V28:%[a-z0-9_]+]] = arith.subi [[V20]], [[V27]] : index
// CHECK-NEXT: [[V29:%[a-z0-9_]+]] = arith.subi [[V28]], [[V24]] : index
// CHECK-NEXT: [[V30:%[a-z0-9_]+]] = arith.constant 0 : index
// CHECK-NEXT: [[V31:%[a-z0-9_]+]] = nd.dynamic_slice [[V9]][[[V29]], [[V30]]] sizes [1, 4] : tensor<3x4xf32> -> tensor<1x4xf32>
// CHECK-NEXT: [[V32:%[a-z0-9_]+]] = nd.reshape [[V31]] : tensor<1x4xf32> -> tensor<4xf32>
// CHECK-NEXT: [[V33:%[a-z0-9_]+]] = nd.multiply [[V25]], [[V1]] : tensor<4xf32>
// CHECK-NEXT: [[V34:%[a-z0-9_]+]] = nd.multiply [[V25]], [[V32]] : tensor<4xf32>
// CHECK-NEXT: [[V35:%[a-z0-9_]+]] = nd.add [[V26]], [[V34]] : tensor<4xf32>
// CHECK-NEXT: scf.yield [[V33]], [[V35]] : tensor<4xf32>, tensor<4xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.return [[V22]], [[V23]] : tensor<4xf32>, tensor<4xf32>
func.func @f(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %l = arith.constant 0 : index
  %u = arith.constant 3 : index
  %s = arith.constant 1 : index
  %r = scf.for %i = %l to %u step %s iter_args(%c = %x) -> (tensor<4xf32>) {
    %a = nd.multiply %c, %y : tensor<4xf32>
    scf.yield %a : tensor<4xf32>
  }
  func.return %r : tensor<4xf32>
}

// -----

// linear loop. What the way back does not read is not stored.
// CHECK-LABEL: func.func @f_vjp(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<4xf32>, [[V1:%[a-z0-9_]+]]: tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: [[V2:%[a-z0-9_]+]] = arith.constant 0 : index
// CHECK-NEXT: [[V3:%[a-z0-9_]+]] = arith.constant 3 : index
// CHECK-NEXT: [[V4:%[a-z0-9_]+]] = arith.constant 1 : index
// CHECK-NEXT: [[V5:%[a-z0-9_]+]] = scf.for [[V6:%[a-z0-9_]+]] = [[V2]] to [[V3]] step [[V4]] iter_args([[V7:%[a-z0-9_]+]] = [[V0]]) -> (tensor<4xf32>) {
// CHECK-NEXT: [[V8:%[a-z0-9_]+]] = nd.negative [[V7]] : tensor<4xf32>
// CHECK-NEXT: scf.yield [[V8]] : tensor<4xf32>
// CHECK-NEXT: }
// CHECK-NEXT: [[V9:%[a-z0-9_]+]] = arith.constant 0 : index
// CHECK-NEXT: [[V10:%[a-z0-9_]+]] = arith.constant 3 : index
// CHECK-NEXT: [[V11:%[a-z0-9_]+]] = arith.constant 1 : index
// CHECK-NEXT: [[V12:%[a-z0-9_]+]] = scf.for [[V13:%[a-z0-9_]+]] = [[V9]] to [[V10]] step [[V11]] iter_args([[V14:%[a-z0-9_]+]] = [[V1]]) -> (tensor<4xf32>) {
// CHECK-NEXT: [[V15:%[a-z0-9_]+]] = nd.negative [[V14]] : tensor<4xf32>
// CHECK-NEXT: scf.yield [[V15]] : tensor<4xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.return [[V12]] : tensor<4xf32>
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %l = arith.constant 0 : index
  %u = arith.constant 3 : index
  %s = arith.constant 1 : index
  %r = scf.for %i = %l to %u step %s iter_args(%c = %x) -> (tensor<4xf32>) {
    %a = nd.negative %c : tensor<4xf32>
    scf.yield %a : tensor<4xf32>
  }
  func.return %r : tensor<4xf32>
}

// -----

// loop of run-time trips. The stack has as many rows; a step that is not 1.
// CHECK-LABEL: func.func @f_vjp(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<f32>, [[V1:%[a-z0-9_]+]]: index, [[V2:%[a-z0-9_]+]]: index, [[V3:%[a-z0-9_]+]]: tensor<f32>) -> tensor<f32>
// CHECK-NEXT: [[V4:%[a-z0-9_]+]] = arith.constant 2 : index
// CHECK-NEXT: [[V5:%[a-z0-9_]+]] = arith.subi [[V2]], [[V1]] : index
// CHECK-NEXT: [[V6:%[a-z0-9_]+]] = arith.constant 0 : index
// CHECK-NEXT: [[V7:%[a-z0-9_]+]] = arith.maxsi [[V5]], [[V6]] : index
// CHECK-NEXT: [[V8:%[a-z0-9_]+]] = arith.ceildivsi [[V7]], [[V4]] : index
// CHECK-NEXT: [[V9:%[a-z0-9_]+]] = nd.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: [[V10:%[a-z0-9_]+]] = nd.broadcast [[V9]][[[V8]]] dims [] : tensor<f32> -> tensor<?xf32>
// CHECK-NEXT: [[V11:%[a-z0-9_]+]], [[V12:%[a-z0-9_]+]] = scf.for [[V13:%[a-z0-9_]+]] = [[V1]] to [[V2]] step [[V4]] iter_args([[V14:%[a-z0-9_]+]] = [[V0]], [[V15:%[a-z0-9_]+]] = [[V10]]) -> (tensor<f32>, tensor<?xf32>) {
// CHECK-NEXT: [[V16:%[a-z0-9_]+]] = arith.subi [[V13]], [[V1]] : index
// CHECK-NEXT: [[V17:%[a-z0-9_]+]] = arith.divsi [[V16]], [[V4]] : index
// CHECK-NEXT: [[V18:%[a-z0-9_]+]] = nd.reshape [[V14]] : tensor<f32> -> tensor<1xf32>
// CHECK-NEXT: [[V19:%[a-z0-9_]+]] = nd.dynamic_update_slice [[V15]], [[V18]][[[V17]]] : tensor<1xf32> -> tensor<?xf32>
// CHECK-NEXT: [[V20:%[a-z0-9_]+]] = nd.sin [[V14]] : tensor<f32>
// CHECK-NEXT: scf.yield [[V20]], [[V19]] : tensor<f32>, tensor<?xf32>
// CHECK-NEXT: }
// CHECK-NEXT: [[V21:%[a-z0-9_]+]] = arith.constant 0 : index
// CHECK-NEXT: [[V22:%[a-z0-9_]+]] = arith.subi [[V2]], [[V1]] : index
// CHECK-NEXT: [[V23:%[a-z0-9_]+]] = arith.constant 0 : index
// CHECK-NEXT: [[V24:%[a-z0-9_]+]] = arith.maxsi [[V22]], [[V23]] : index
// CHECK-NEXT: [[V25:%[a-z0-9_]+]] = arith.ceildivsi [[V24]], [[V4]] : index
// CHECK-NEXT: [[V26:%[a-z0-9_]+]] = arith.constant 1 : index
// CHECK-NEXT: [[V27:%[a-z0-9_]+]] = scf.for [[V28:%[a-z0-9_]+]] = [[V21]] to [[V25]] step [[V26]] iter_args([[V29:%[a-z0-9_]+]] = [[V3]]) -> (tensor<f32>) {
// CHECK-NEXT: [[V30:%[a-z0-9_]+]] = arith.constant 1 : index
// CHECK-NEXT: [[V31:%[a-z0-9_]+]] = arith.subi [[V25]], [[V30]] : index
// CHECK-NEXT: [[V32:%[a-z0-9_]+]] = arith.subi [[V31]], [[V28]] : index
// CHECK-NEXT: [[V33:%[a-z0-9_]+]] = nd.dynamic_slice [[V12]][[[V32]]] sizes [1] : tensor<?xf32> -> tensor<1xf32>
// CHECK-NEXT: [[V34:%[a-z0-9_]+]] = nd.reshape [[V33]] : tensor<1xf32> -> tensor<f32>
// CHECK-NEXT: [[V35:%[a-z0-9_]+]] = nd.cos [[V34]] : tensor<f32>
// CHECK-NEXT: [[V36:%[a-z0-9_]+]] = nd.multiply [[V29]], [[V35]] : tensor<f32>
// CHECK-NEXT: scf.yield [[V36]] : tensor<f32>
// CHECK-NEXT: }
// CHECK-NEXT: func.return [[V27]] : tensor<f32>
func.func @f(%x: tensor<f32>, %l: index, %u: index) -> tensor<f32> {
  %s = arith.constant 2 : index
  %r = scf.for %i = %l to %u step %s iter_args(%c = %x) -> (tensor<f32>) {
    %a = nd.sin %c : tensor<f32>
    scf.yield %a : tensor<f32>
  }
  func.return %r : tensor<f32>
}

// -----

// while. It counts its trips, and checks; a counted loop behind it does its work again.
// CHECK-LABEL: func.func @f_vjp(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<f32>, [[V1:%[a-z0-9_]+]]: tensor<f32>) -> tensor<f32>
// CHECK-NEXT: [[V2:%[a-z0-9_]+]] = nd.constant dense<9.000000e+00> : tensor<f32>
// CHECK-NEXT: [[V3:%[a-z0-9_]+]] = arith.constant 0 : index
// CHECK-NEXT: [[V4:%[a-z0-9_]+]], [[V5:%[a-z0-9_]+]] = scf.while ([[V6:%[a-z0-9_]+]] = [[V0]], [[V7:%[a-z0-9_]+]] = [[V3]]) : (tensor<f32>, index) -> (tensor<f32>, index) {
// CHECK-NEXT: [[V8:%[a-z0-9_]+]] = nd.less [[V6]], [[V2]] : tensor<f32> -> tensor<i1>
// CHECK-NEXT: [[V9:%[a-z0-9_]+]] = tensor.extract [[V8]][] : tensor<i1>
// CHECK-NEXT: scf.condition([[V9]]) [[V6]], [[V7]] : tensor<f32>, index
// CHECK-NEXT: } do {
// CHECK-NEXT: ^{{.*}}([[V10:%[a-z0-9_]+]]: tensor<f32>, [[V11:%[a-z0-9_]+]]: index):
// CHECK-NEXT: [[V12:%[a-z0-9_]+]] = nd.equal [[V10]], [[V10]] : tensor<f32> -> tensor<i1>
// CHECK-NEXT: nd.check [[V12]], "ArgumentError", "no NaN"
// CHECK-NEXT: [[V13:%[a-z0-9_]+]] = nd.exp [[V10]] : tensor<f32>
// CHECK-NEXT: [[V14:%[a-z0-9_]+]] = arith.constant 1 : index
// CHECK-NEXT: [[V15:%[a-z0-9_]+]] = arith.addi [[V11]], [[V14]] : index
// CHECK-NEXT: scf.yield [[V13]], [[V15]] : tensor<f32>, index
// CHECK-NEXT: }
// CHECK-NEXT: [[V16:%[a-z0-9_]+]] = arith.constant 0 : index
// CHECK-NEXT: [[V17:%[a-z0-9_]+]] = arith.constant 1 : index
// CHECK-NEXT: [[V18:%[a-z0-9_]+]] = arith.constant 0 : index
// CHECK-NEXT: [[V19:%[a-z0-9_]+]] = arith.maxsi [[V5]], [[V18]] : index
// CHECK-NEXT: [[V20:%[a-z0-9_]+]] = nd.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: [[V21:%[a-z0-9_]+]] = nd.broadcast [[V20]][[[V19]]] dims [] : tensor<f32> -> tensor<?xf32>
// CHECK-NEXT: [[V22:%[a-z0-9_]+]], [[V23:%[a-z0-9_]+]] = scf.for [[V24:%[a-z0-9_]+]] = [[V16]] to [[V5]] step [[V17]] iter_args([[V25:%[a-z0-9_]+]] = [[V0]], [[V26:%[a-z0-9_]+]] = [[V21]]) -> (tensor<f32>, tensor<?xf32>) {
// CHECK-NEXT: [[V27:%[a-z0-9_]+]] = nd.reshape [[V25]] : tensor<f32> -> tensor<1xf32>
// CHECK-NEXT: [[V28:%[a-z0-9_]+]] = nd.dynamic_update_slice [[V26]], [[V27]][[[V24]]] : tensor<1xf32> -> tensor<?xf32>
// CHECK-NEXT: [[V29:%[a-z0-9_]+]] = nd.exp [[V25]] : tensor<f32>
// CHECK-NEXT: scf.yield [[V29]], [[V28]] : tensor<f32>, tensor<?xf32>
// CHECK-NEXT: }
// CHECK-NEXT: [[V30:%[a-z0-9_]+]] = arith.constant 0 : index
// CHECK-NEXT: [[V31:%[a-z0-9_]+]] = arith.constant 0 : index
// CHECK-NEXT: [[V32:%[a-z0-9_]+]] = arith.maxsi [[V5]], [[V31]] : index
// CHECK-NEXT: [[V33:%[a-z0-9_]+]] = arith.constant 1 : index
// CHECK-NEXT: [[V34:%[a-z0-9_]+]] = scf.for [[V35:%[a-z0-9_]+]] = [[V30]] to [[V32]] step [[V33]] iter_args([[V36:%[a-z0-9_]+]] = [[V1]]) -> (tensor<f32>) {
// CHECK-NEXT: [[V37:%[a-z0-9_]+]] = arith.constant 1 : index
// CHECK-NEXT: [[V38:%[a-z0-9_]+]] = arith.subi [[V32]], [[V37]] : index
// CHECK-NEXT: [[V39:%[a-z0-9_]+]] = arith.subi [[V38]], [[V35]] : index
// CHECK-NEXT: [[V40:%[a-z0-9_]+]] = nd.dynamic_slice [[V23]][[[V39]]] sizes [1] : tensor<?xf32> -> tensor<1xf32>
// CHECK-NEXT: [[V41:%[a-z0-9_]+]] = nd.reshape [[V40]] : tensor<1xf32> -> tensor<f32>
// CHECK-NEXT: [[V42:%[a-z0-9_]+]] = nd.exp [[V41]] : tensor<f32>
// CHECK-NEXT: [[V43:%[a-z0-9_]+]] = nd.multiply [[V36]], [[V42]] : tensor<f32>
// CHECK-NEXT: scf.yield [[V43]] : tensor<f32>
// CHECK-NEXT: }
// CHECK-NEXT: func.return [[V34]] : tensor<f32>
func.func @f(%x: tensor<f32>) -> tensor<f32> {
  %h = nd.constant dense<9.0> : tensor<f32>
  %r = scf.while (%c = %x) : (tensor<f32>) -> tensor<f32> {
    %p = nd.less %c, %h : tensor<f32> -> tensor<i1>
    %b = tensor.extract %p[] : tensor<i1>
    scf.condition(%b) %c : tensor<f32>
  } do {
  ^after(%d: tensor<f32>):
    %q = nd.equal %d, %d : tensor<f32> -> tensor<i1>
    nd.check %q, "ArgumentError", "no NaN"
    %a = nd.exp %d : tensor<f32>
    scf.yield %a : tensor<f32>
  }
  func.return %r : tensor<f32>
}

// -----

// part. A loop adds to the part of a cotangent that it read.
// CHECK-LABEL: func.func @f_vjp(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<5x2xf32>, [[V1:%[a-z0-9_]+]]: tensor<2xf32>) -> tensor<5x2xf32>
// CHECK-NEXT: [[V2:%[a-z0-9_]+]] = arith.constant 0 : index
// CHECK-NEXT: [[V3:%[a-z0-9_]+]] = arith.constant 5 : index
// CHECK-NEXT: [[V4:%[a-z0-9_]+]] = arith.constant 1 : index
// CHECK-NEXT: [[V5:%[a-z0-9_]+]] = nd.constant dense<0.000000e+00> : tensor<2xf32>
// CHECK-NEXT: [[V6:%[a-z0-9_]+]] = scf.for [[V7:%[a-z0-9_]+]] = [[V2]] to [[V3]] step [[V4]] iter_args([[V8:%[a-z0-9_]+]] = [[V5]]) -> (tensor<2xf32>) {
// CHECK-NEXT: [[V9:%[a-z0-9_]+]] = nd.dynamic_slice [[V0]][[[V7]], [[V2]]] sizes [1, 2] : tensor<5x2xf32> -> tensor<1x2xf32>
// CHECK-NEXT: [[V10:%[a-z0-9_]+]] = nd.reshape [[V9]] : tensor<1x2xf32> -> tensor<2xf32>
// CHECK-NEXT: [[V11:%[a-z0-9_]+]] = nd.add [[V8]], [[V10]] : tensor<2xf32>
// CHECK-NEXT: scf.yield [[V11]] : tensor<2xf32>
// CHECK-NEXT: }
// CHECK-NEXT: [[V12:%[a-z0-9_]+]] = nd.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: [[V13:%[a-z0-9_]+]] = nd.broadcast [[V12]] dims [] : tensor<f32> -> tensor<5x2xf32>
// CHECK-NEXT: [[V14:%[a-z0-9_]+]] = arith.constant 0 : index
// CHECK-NEXT: [[V15:%[a-z0-9_]+]] = arith.constant 5 : index
// CHECK-NEXT: [[V16:%[a-z0-9_]+]] = arith.constant 1 : index
// CHECK-NEXT: [[V17:%[a-z0-9_]+]], [[V18:%[a-z0-9_]+]] = scf.for [[V19:%[a-z0-9_]+]] = [[V14]] to [[V15]] step [[V16]] iter_args([[V20:%[a-z0-9_]+]] = [[V1]], [[V21:%[a-z0-9_]+]] = [[V13]]) -> (tensor<2xf32>, tensor<5x2xf32>) {
// CHECK-NEXT: [[V22:%[a-z0-9_]+]] = arith.constant 1 : index
// CHECK-NEXT: [[V23:%[a-z0-9_]+]] = arith.subi [[V15]], [[V22]] : index
// CHECK-NEXT: [[V24:%[a-z0-9_]+]] = arith.subi [[V23]], [[V19]] : index
// CHECK-NEXT: [[V25:%[a-z0-9_]+]] = nd.reshape [[V20]] : tensor<2xf32> -> tensor<1x2xf32>
// CHECK-NEXT: [[V26:%[a-z0-9_]+]] = nd.dynamic_slice [[V21]][[[V24]], [[V2]]] sizes [1, 2] : tensor<5x2xf32> -> tensor<1x2xf32>
// CHECK-NEXT: [[V27:%[a-z0-9_]+]] = nd.add [[V26]], [[V25]] : tensor<1x2xf32>
// CHECK-NEXT: [[V28:%[a-z0-9_]+]] = nd.dynamic_update_slice [[V21]], [[V27]][[[V24]], [[V2]]] : tensor<1x2xf32> -> tensor<5x2xf32>
// CHECK-NEXT: scf.yield [[V20]], [[V28]] : tensor<2xf32>, tensor<5x2xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.return [[V18]] : tensor<5x2xf32>
func.func @f(%x: tensor<5x2xf32>) -> tensor<2xf32> {
  %l = arith.constant 0 : index
  %u = arith.constant 5 : index
  %s = arith.constant 1 : index
  %z = nd.constant dense<0.0> : tensor<2xf32>
  %r = scf.for %i = %l to %u step %s iter_args(%c = %z) -> (tensor<2xf32>) {
    %w = nd.dynamic_slice %x[%i, %l] sizes [1, 2] : tensor<5x2xf32> -> tensor<1x2xf32>
    %v = nd.reshape %w : tensor<1x2xf32> -> tensor<2xf32>
    %a = nd.add %c, %v : tensor<2xf32>
    scf.yield %a : tensor<2xf32>
  }
  func.return %r : tensor<2xf32>
}

// -----

// custom. The way back is the op's own.
// CHECK-LABEL: func.func @f_vjp(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<4xf32>, [[V1:%[a-z0-9_]+]]: tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: [[V2:%[a-z0-9_]+]] = nd.exp [[V0]] : tensor<4xf32>
// CHECK-NEXT: [[V3:%[a-z0-9_]+]] = nd.custom_vjp [[V2]] for [[V0]] : tensor<4xf32> -> tensor<4xf32> for tensor<4xf32> backward {
// CHECK-NEXT: ^{{.*}}([[V4:%[a-z0-9_]+]]: tensor<4xf32>):
// CHECK-NEXT: [[V5:%[a-z0-9_]+]] = nd.add [[V4]], [[V2]] : tensor<4xf32>
// CHECK-NEXT: nd.yield [[V5]] : tensor<4xf32>
// CHECK-NEXT: }
// CHECK-NEXT: [[V6:%[a-z0-9_]+]] = nd.add [[V1]], [[V2]] : tensor<4xf32>
// CHECK-NEXT: func.return [[V6]] : tensor<4xf32>
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %v = nd.exp %x : tensor<4xf32>
  %y = nd.custom_vjp %v for %x : tensor<4xf32> -> tensor<4xf32> for tensor<4xf32> backward {
  ^back(%g: tensor<4xf32>):
    %a = nd.add %g, %v : tensor<4xf32>
    nd.yield %a : tensor<4xf32>
  }
  func.return %y : tensor<4xf32>
}

// -----

// checkpoint. A group is computed again behind barriers, a group in it again in its turn; checks are not.
// CHECK-LABEL: func.func @f_vjp(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<4xf32>, [[V1:%[a-z0-9_]+]]: tensor<4xf32>, [[V2:%[a-z0-9_]+]]: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
// CHECK-NEXT: [[V3:%[a-z0-9_]+]] = nd.equal [[V0]], [[V0]] {lamina.checkpoint = array<i64: 2>} : tensor<4xf32> -> tensor<4xi1>
// CHECK-NEXT: [[V4:%[a-z0-9_]+]] = nd.reduce "and" [[V3]] axes [0] {lamina.checkpoint = array<i64: 2>} : tensor<4xi1> -> tensor<i1>
// CHECK-NEXT: nd.check [[V4]], "DomainError", "no NaN" {lamina.checkpoint = array<i64: 2>}
// CHECK-NEXT: [[V5:%[a-z0-9_]+]] = nd.sin [[V0]] {lamina.checkpoint = array<i64: 2, 1>} : tensor<4xf32>
// CHECK-NEXT: [[V6:%[a-z0-9_]+]] = nd.exp [[V5]] {lamina.checkpoint = array<i64: 2>} : tensor<4xf32>
// CHECK-NEXT: [[V7:%[a-z0-9_]+]] = nd.multiply [[V6]], [[V1]] {lamina.checkpoint = array<i64: 3>} : tensor<4xf32>
// CHECK-NEXT: [[V8:%[a-z0-9_]+]] = nd.optimization_barrier [[V6]] : tensor<4xf32>
// CHECK-NEXT: [[V9:%[a-z0-9_]+]] = nd.optimization_barrier [[V1]] : tensor<4xf32>
// CHECK-NEXT: [[V10:%[a-z0-9_]+]] = nd.multiply [[V8]], [[V9]] : tensor<4xf32>
// CHECK-NEXT: [[V11:%[a-z0-9_]+]] = nd.multiply [[V2]], [[V9]] : tensor<4xf32>
// CHECK-NEXT: [[V12:%[a-z0-9_]+]] = nd.multiply [[V2]], [[V8]] : tensor<4xf32>
// CHECK-NEXT: [[V13:%[a-z0-9_]+]] = nd.optimization_barrier [[V0]] : tensor<4xf32>
// CHECK-NEXT: [[V14:%[a-z0-9_]+]] = nd.equal [[V13]], [[V13]] : tensor<4xf32> -> tensor<4xi1>
// CHECK-NEXT: [[V15:%[a-z0-9_]+]] = nd.reduce "and" [[V14]] axes [0] : tensor<4xi1> -> tensor<i1>
// CHECK-NEXT: [[V16:%[a-z0-9_]+]] = nd.sin [[V13]] {lamina.checkpoint = array<i64: 1>} : tensor<4xf32>
// CHECK-NEXT: [[V17:%[a-z0-9_]+]] = nd.exp [[V16]] : tensor<4xf32>
// CHECK-NEXT: [[V18:%[a-z0-9_]+]] = nd.multiply [[V11]], [[V17]] : tensor<4xf32>
// CHECK-NEXT: [[V19:%[a-z0-9_]+]] = nd.optimization_barrier [[V13]] : tensor<4xf32>
// CHECK-NEXT: [[V20:%[a-z0-9_]+]] = nd.sin [[V19]] : tensor<4xf32>
// CHECK-NEXT: [[V21:%[a-z0-9_]+]] = nd.cos [[V19]] : tensor<4xf32>
// CHECK-NEXT: [[V22:%[a-z0-9_]+]] = nd.multiply [[V18]], [[V21]] : tensor<4xf32>
// CHECK-NEXT: func.return [[V22]], [[V12]] : tensor<4xf32>, tensor<4xf32>
func.func @f(%x: tensor<4xf32>, %w: tensor<4xf32>) -> tensor<4xf32> {
  %p = nd.equal %x, %x {lamina.checkpoint = array<i64: 2>} : tensor<4xf32> -> tensor<4xi1>
  %q = nd.reduce "and" %p axes [0] {lamina.checkpoint = array<i64: 2>} : tensor<4xi1> -> tensor<i1>
  nd.check %q, "DomainError", "no NaN" {lamina.checkpoint = array<i64: 2>}
  %a = nd.sin %x {lamina.checkpoint = array<i64: 2, 1>} : tensor<4xf32>
  %b = nd.exp %a {lamina.checkpoint = array<i64: 2>} : tensor<4xf32>
  %c = nd.multiply %b, %w {lamina.checkpoint = array<i64: 3>} : tensor<4xf32>
  func.return %c : tensor<4xf32>
}

// -----

// every. A loop over parts stores what it carries at the beginning of each; a part does so again.
// CHECK-LABEL: func.func @f_vjp(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<4xf32>, [[V1:%[a-z0-9_]+]]: tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: [[V2:%[a-z0-9_]+]] = arith.constant 0 : index
// CHECK-NEXT: [[V3:%[a-z0-9_]+]] = arith.constant 10 : index
// CHECK-NEXT: [[V4:%[a-z0-9_]+]] = arith.constant 1 : index
// CHECK-NEXT: [[V5:%[a-z0-9_]+]] = scf.for [[V6:%[a-z0-9_]+]] = [[V2]] to [[V3]] step [[V4]] iter_args([[V7:%[a-z0-9_]+]] = [[V0]]) -> (tensor<4xf32>) {
// CHECK-NEXT: [[V8:%[a-z0-9_]+]] = nd.sin [[V7]] : tensor<4xf32>
// CHECK-NEXT: scf.yield [[V8]] : tensor<4xf32>
// CHECK-NEXT: } {lamina.checkpoint_every = 4 : i64}
// CHECK-NEXT: [[V9:%[a-z0-9_]+]] = arith.constant 10 : index
// CHECK-NEXT: [[V10:%[a-z0-9_]+]] = arith.constant 4 : index
// CHECK-NEXT: [[V11:%[a-z0-9_]+]] = arith.constant 0 : index
// CHECK-NEXT: [[V12:%[a-z0-9_]+]] = arith.constant 1 : index
// CHECK-NEXT: [[V13:%[a-z0-9_]+]] = arith.constant 3 : index
// CHECK-NEXT: [[V14:%[a-z0-9_]+]] = nd.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: [[V15:%[a-z0-9_]+]] = nd.broadcast [[V14]] dims [] : tensor<f32> -> tensor<3x4xf32>
// CHECK-NEXT: [[V16:%[a-z0-9_]+]], [[V17:%[a-z0-9_]+]] = scf.for [[V18:%[a-z0-9_]+]] = [[V11]] to [[V13]] step [[V12]] iter_args([[V19:%[a-z0-9_]+]] = [[V0]], [[V20:%[a-z0-9_]+]] = [[V15]]) -> (tensor<4xf32>, tensor<3x4xf32>) {
// CHECK-NEXT: [[V21:%[a-z0-9_]+]] = nd.reshape [[V19]] : tensor<4xf32> -> tensor<1x4xf32>
// CHECK-NEXT: [[V22:%[a-z0-9_]+]] = arith.constant 0 : index
// CHECK-NEXT: [[V23:%[a-z0-9_]+]] = nd.dynamic_update_slice [[V20]], [[V21]][[[V18]], [[V22]]] : tensor<1x4xf32> -> tensor<3x4xf32>
// CHECK-NEXT: [[V24:%[a-z0-9_]+]] = arith.muli [[V18]], [[V10]] : index
// CHECK-NEXT: [[V25:%[a-z0-9_]+]] = arith.subi [[V9]], [[V24]] : index
// CHECK-NEXT: [[V26:%[a-z0-9_]+]] = arith.minsi [[V10]], [[V25]] : index
// CHECK-NEXT: [[V27:%[a-z0-9_]+]] = scf.for [[V28:%[a-z0-9_]+]] = [[V11]] to [[V26]] step [[V12]] iter_args([[V29:%[a-z0-9_]+]] = [[V19]]) -> (tensor<4xf32>) {
// CHECK-NEXT: [[V30:%[a-z0-9_]+]] = arith.addi [[V24]], [[V28]] : index
// CHECK-NEXT: [[V31:%[a-z0-9_]+]] = nd.sin [[V29]] : tensor<4xf32>
// CHECK-NEXT: scf.yield [[V31]] : tensor<4xf32>
// CHECK-NEXT: }
// CHECK-NEXT: scf.yield [[V27]], [[V23]] : tensor<4xf32>, tensor<3x4xf32>
// CHECK-NEXT: }
// CHECK-NEXT: [[V32:%[a-z0-9_]+]] = arith.constant 0 : index
// CHECK-NEXT: [[V33:%[a-z0-9_]+]] = arith.constant 3 : index
// CHECK-NEXT: [[V34:%[a-z0-9_]+]] = arith.constant 1 : index
// CHECK-NEXT: [[V35:%[a-z0-9_]+]] = scf.for [[V36:%[a-z0-9_]+]] = [[V32]] to [[V33]] step [[V34]] iter_args([[V37:%[a-z0-9_]+]] = [[V1]]) -> (tensor<4xf32>) {
// CHECK-NEXT: [[V38:%[a-z0-9_]+]] = arith.constant 1 : index
// CHECK-NEXT: [[V39:%[a-z0-9_]+]] = arith.subi [[V33]], [[V38]] : index
// CHECK-NEXT: [[V40:%[a-z0-9_]+]] = arith.subi [[V39]], [[V36]] : index
// CHECK-NEXT: [[V41:%[a-z0-9_]+]] = arith.constant 0 : index
// CHECK-NEXT: [[V42:%[a-z0-9_]+]] = nd.dynamic_slice [[V17]][[[V40]], [[V41]]] sizes [1, 4] : tensor<3x4xf32> -> tensor<1x4xf32>
// CHECK-NEXT: [[V43:%[a-z0-9_]+]] = nd.reshape [[V42]] : tensor<1x4xf32> -> tensor<4xf32>
// CHECK-NEXT: [[V44:%[a-z0-9_]+]] = arith.muli [[V40]], [[V10]] : index
// CHECK-NEXT: [[V45:%[a-z0-9_]+]] = arith.subi [[V9]], [[V44]] : index
// CHECK-NEXT: [[V46:%[a-z0-9_]+]] = arith.minsi [[V10]], [[V45]] : index
// CHECK-NEXT: [[V47:%[a-z0-9_]+]] = arith.constant 0 : index
// CHECK-NEXT: [[V48:%[a-z0-9_]+]] = arith.maxsi [[V46]], [[V47]] : index
// CHECK-NEXT: [[V49:%[a-z0-9_]+]] = nd.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: [[V50:%[a-z0-9_]+]] = nd.broadcast [[V49]][[[V48]]] dims [] : tensor<f32> -> tensor<?x4xf32>
// CHECK-NEXT: [[V51:%[a-z0-9_]+]], [[V52:%[a-z0-9_]+]] = scf.for [[V53:%[a-z0-9_]+]] = [[V11]] to [[V46]] step [[V12]] iter_args([[V54:%[a-z0-9_]+]] = [[V43]], [[V55:%[a-z0-9_]+]] = [[V50]]) -> (tensor<4xf32>, tensor<?x4xf32>) {
// CHECK-NEXT: [[V56:%[a-z0-9_]+]] = nd.reshape [[V54]] : tensor<4xf32> -> tensor<1x4xf32>
// CHECK-NEXT: [[V57:%[a-z0-9_]+]] = arith.constant 0 : index
// CHECK-NEXT: [[V58:%[a-z0-9_]+]] = nd.dynamic_update_slice [[V55]], [[V56]][[[V53]], [[V57]]] : tensor<1x4xf32> -> tensor<?x4xf32>
// CHECK-NEXT: [[V59:%[a-z0-9_]+]] = arith.addi [[V44]], [[V53]] : index
// CHECK-NEXT: [[V60:%[a-z0-9_]+]] = nd.sin [[V54]] : tensor<4xf32>
// CHECK-NEXT: scf.yield [[V60]], [[V58]] : tensor<4xf32>, tensor<?x4xf32>
// CHECK-NEXT: }
// CHECK-NEXT: [[V61:%[a-z0-9_]+]] = arith.constant 0 : index
// CHECK-NEXT: [[V62:%[a-z0-9_]+]] = arith.constant 0 : index
// CHECK-NEXT: [[V63:%[a-z0-9_]+]] = arith.maxsi [[V46]], [[V62]] : index
// CHECK-NEXT: [[V64:%[a-z0-9_]+]] = arith.constant 1 : index
// CHECK-NEXT: [[V65:%[a-z0-9_]+]] = scf.for [[V66:%[a-z0-9_]+]] = [[V61]] to [[V63]] step [[V64]] iter_args([[V67:%[a-z0-9_]+]] = [[V37]]) -> (tensor<4xf32>) {
// CHECK-NEXT: [[V68:%[a-z0-9_]+]] = arith.constant 1 : index
// CHECK-NEXT: [[V69:%[a-z0-9_]+]] = arith.subi [[V63]], [[V68]] : index
// CHECK-NEXT: [[V70:%[a-z0-9_]+]] = arith.subi [[V69]], [[V66]] : index
// CHECK-NEXT: [[V71:%[a-z0-9_]+]] = arith.constant 0 : index
// CHECK-NEXT: [[V72:%[a-z0-9_]+]] = nd.dynamic_slice [[V52]][[[V70]], [[V71]]] sizes [1, 4] : tensor<?x4xf32> -> tensor<1x4xf32>
// CHECK-NEXT: [[V73:%[a-z0-9_]+]] = nd.reshape [[V72]] : tensor<1x4xf32> -> tensor<4xf32>
// CHECK-NEXT: [[V74:%[a-z0-9_]+]] = nd.cos [[V73]] : tensor<4xf32>
// CHECK-NEXT: [[V75:%[a-z0-9_]+]] = nd.multiply [[V67]], [[V74]] : tensor<4xf32>
// CHECK-NEXT: scf.yield [[V75]] : tensor<4xf32>
// CHECK-NEXT: }
// CHECK-NEXT: scf.yield [[V65]] : tensor<4xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.return [[V35]] : tensor<4xf32>
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %l = arith.constant 0 : index
  %u = arith.constant 10 : index
  %s = arith.constant 1 : index
  %r = scf.for %i = %l to %u step %s iter_args(%c = %x) -> (tensor<4xf32>) {
    %a = nd.sin %c : tensor<4xf32>
    scf.yield %a : tensor<4xf32>
  } {lamina.checkpoint_every = 4 : i64}
  func.return %r : tensor<4xf32>
}

// -----

// run_time_sizes. `?` takes its size from the operand; rank 0; a value used twice.
// CHECK-LABEL: func.func @f_vjp(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<?xf32>, [[V1:%[a-z0-9_]+]]: tensor<f32>) -> tensor<?xf32>
// CHECK-NEXT: [[V2:%[a-z0-9_]+]] = nd.multiply [[V0]], [[V0]] : tensor<?xf32>
// CHECK-NEXT: [[V3:%[a-z0-9_]+]] = nd.reduce "sum" [[V2]] axes [0] : tensor<?xf32> -> tensor<f32>
// CHECK-NEXT: [[V4:%[a-z0-9_]+]] = nd.dim [[V2]] axis 0 : tensor<?xf32>
// CHECK-NEXT: [[V5:%[a-z0-9_]+]] = nd.broadcast [[V1]][[[V4]]] dims [] : tensor<f32> -> tensor<?xf32>
// CHECK-NEXT: [[V6:%[a-z0-9_]+]] = nd.multiply [[V5]], [[V0]] : tensor<?xf32>
// CHECK-NEXT: [[V7:%[a-z0-9_]+]] = nd.multiply [[V5]], [[V0]] : tensor<?xf32>
// CHECK-NEXT: [[V8:%[a-z0-9_]+]] = nd.add [[V6]], [[V7]] : tensor<?xf32>
// CHECK-NEXT: func.return [[V8]] : tensor<?xf32>
func.func @f(%x: tensor<?xf32>) -> tensor<f32> {
  %p = nd.multiply %x, %x : tensor<?xf32>
  %r = nd.reduce "sum" %p axes [0] : tensor<?xf32> -> tensor<f32>
  func.return %r : tensor<f32>
}

// -----

// small. Sizes 0 and 1.
// CHECK-LABEL: func.func @f_vjp(
// CHECK-SAME: [[V0:%[a-z0-9_]+]]: tensor<0x1xf32>, [[V1:%[a-z0-9_]+]]: tensor<1xf32>) -> tensor<0x1xf32>
// CHECK-NEXT: [[V2:%[a-z0-9_]+]] = nd.reduce "sum" [[V0]] axes [0] : tensor<0x1xf32> -> tensor<1xf32>
// CHECK-NEXT: [[V3:%[a-z0-9_]+]] = nd.broadcast [[V1]] dims [1] : tensor<1xf32> -> tensor<0x1xf32>
// CHECK-NEXT: func.return [[V3]] : tensor<0x1xf32>
func.func @f(%x: tensor<0x1xf32>) -> tensor<1xf32> {
  %r = nd.reduce "sum" %x axes [0] : tensor<0x1xf32> -> tensor<1xf32>
  func.return %r : tensor<1xf32>
}

// -----

// The reason: expected an op that has a derivative.
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{differentiate: expected an op that has a derivative, found nd.nextafter}}
  %r = nd.nextafter %x, %x : tensor<4xf32>
  func.return %r : tensor<4xf32>
}

// -----

// The reason: expected a loop that carries tensors of static shapes.
func.func @f(%x: tensor<?xf32>, %n: index) -> tensor<?xf32> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  // expected-error@+1 {{differentiate: expected a loop that carries tensors of static shapes, on the way of a gradient, found tensor<?xf32>}}
  %r = scf.for %i = %zero to %n step %one iter_args(%c = %x) -> (tensor<?xf32>) {
    %s = nd.sin %c : tensor<?xf32>
    scf.yield %s : tensor<?xf32>
  }
  func.return %r : tensor<?xf32>
}

// -----

// What the function printed is not printed again, what a branch checked not checked on its way back.
// Pure calls are repeated.
// CHECK-LABEL: func.func @f_vjp(
// CHECK-NOT: nd.print
// CHECK: nd.check
// CHECK: nd.custom_call "g"
// CHECK-NOT: nd.print
// CHECK: nd.fail
// CHECK-NOT: nd.fail
// CHECK: func.return
func.func @f(%x: tensor<f32>, %ok: tensor<i1>) -> tensor<f32> {
  nd.print "x = {}" [%x] : tensor<f32>
  nd.check %ok, "DomainError", "no"
  %c = nd.custom_call "g"(%ok) pure : (tensor<i1>) -> tensor<f32>
  %p = tensor.extract %ok[] : tensor<i1>
  %r = scf.if %p -> (tensor<f32>) {
    nd.print "then"
    %s = nd.multiply %x, %c : tensor<f32>
    scf.yield %s : tensor<f32>
  } else {
    nd.fail "CheckError", "no"
    scf.yield %x : tensor<f32>
  }
  func.return %r : tensor<f32>
}

// -----

// A call with effects must not happen twice.
func.func @f(%x: tensor<f32>) -> tensor<f32> {
  // expected-error@+1 {{differentiate: expected a pure custom_call where values are computed again for a gradient, found "g" with effects}}
  nd.custom_call "g"() : () -> ()
  func.return %x : tensor<f32>
}

// -----

// The cotangent of a complex number is a complex number.
// CHECK-LABEL: func.func @f_vjp(
// CHECK-SAME: %[[X:\w+]]: tensor<3xf32>, %[[Y:\w+]]: tensor<3xf32>, %[[G:\w+]]: tensor<3xf32>, %[[H:\w+]]: tensor<3xf32>)
// CHECK-DAG: nd.complex %[[G]], %{{.*}} : tensor<3xf32> -> tensor<3xcomplex<f32>>
// CHECK-DAG: nd.complex %{{.*}}, %[[H]] : tensor<3xf32> -> tensor<3xcomplex<f32>>
// CHECK: %[[SUM:\w+]] = nd.add %{{.*}}, %{{.*}} : tensor<3xcomplex<f32>>
// CHECK: nd.real %[[SUM]] : tensor<3xcomplex<f32>> -> tensor<3xf32>
// CHECK: nd.imag %[[SUM]] : tensor<3xcomplex<f32>> -> tensor<3xf32>
func.func @f(%x: tensor<3xf32>, %y: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
  %z = nd.complex %x, %y : tensor<3xf32> -> tensor<3xcomplex<f32>>
  %re = nd.real %z : tensor<3xcomplex<f32>> -> tensor<3xf32>
  %im = nd.imag %z : tensor<3xcomplex<f32>> -> tensor<3xf32>
  func.return %re, %im : tensor<3xf32>, tensor<3xf32>
}

// -----

func.func @f(%x: tensor<3xf32>, %c: i1) -> tensor<3xf32> {
  %z = nd.complex %x, %x : tensor<3xf32> -> tensor<3xcomplex<f32>>
  // expected-error@+1 {{differentiate: expected real numbers to go into and out of a branch or a loop, found scf.if}}
  %w = scf.if %c -> (tensor<3xcomplex<f32>>) {
    %n = nd.negative %z : tensor<3xcomplex<f32>>
    scf.yield %n : tensor<3xcomplex<f32>>
  } else {
    scf.yield %z : tensor<3xcomplex<f32>>
  }
  %re = nd.real %w : tensor<3xcomplex<f32>> -> tensor<3xf32>
  func.return %re : tensor<3xf32>
}

// -----

// The reason: expected known sizes for the derivative of nd.
func.func @f(%x: tensor<?x3xf64>) -> tensor<f64> {
  // expected-error@+1 {{differentiate: expected known sizes for the derivative of nd.reduce, found a ?}}
  %0 = nd.reduce "prod" %x axes [0, 1] : tensor<?x3xf64> -> tensor<f64>
  func.return %0 : tensor<f64>
}

// -----

// The reason: expected scf.if, scf.for or scf.while.
func.func @f(%x: tensor<f64>) -> tensor<f64> {
  // expected-error@+1 {{differentiate: expected scf.if, scf.for or scf.while, found scf.execute_region}}
  %0 = scf.execute_region -> (tensor<f64>) {
    %1 = nd.exp %x : tensor<f64>
    scf.yield %1 : tensor<f64>
  }
  func.return %0 : tensor<f64>
}
