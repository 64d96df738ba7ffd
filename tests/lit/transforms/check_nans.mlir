// RUN: %opt -p check-nans --split-input-file %s | %check

// A NaN of the result is an error where no operand has one. What is known of a value is used again.
// CHECK-LABEL: func.func @chain(
// CHECK: [[Y:%[a-z0-9_]+]] = nd.log %x
// CHECK-NEXT: [[A:%[a-z0-9_]+]] = nd.not_equal [[Y]], [[Y]] : tensor<4xf32> -> tensor<4xi1>
// CHECK-NEXT: [[YN:%[a-z0-9_]+]] = nd.reduce "or" [[A]] axes [0] : tensor<4xi1> -> tensor<i1>
// CHECK-NEXT: [[NOT:%[a-z0-9_]+]] = nd.bitwise_invert [[YN]]
// CHECK-NEXT: [[B:%[a-z0-9_]+]] = nd.not_equal %x, %x
// CHECK-NEXT: [[XN:%[a-z0-9_]+]] = nd.reduce "or" [[B]]
// CHECK-NEXT: [[OK:%[a-z0-9_]+]] = nd.bitwise_or [[NOT]], [[XN]]
// CHECK-NEXT: nd.check [[OK]], "NanError", "nans: expected no NaN, found one that log made of operands without"
// CHECK-NEXT: [[Z:%[a-z0-9_]+]] = nd.add [[Y]], %x
// CHECK-NEXT: nd.not_equal [[Z]], [[Z]]
// CHECK-NEXT: nd.reduce
// CHECK-NEXT: nd.bitwise_invert
// CHECK-NEXT: nd.bitwise_or %{{.*}}, [[YN]]
// CHECK-NEXT: nd.bitwise_or %{{.*}}, [[XN]]
// CHECK-NEXT: nd.check {{.*}} that add made
func.func @chain(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = nd.log %x : tensor<4xf32>
  %z = nd.add %y, %x : tensor<4xf32>
  func.return %z : tensor<4xf32>
}

// -----

// Ops that move, choose or never make one, and integers, are not looked at.
// CHECK-LABEL: func.func @never(
// CHECK-NOT: nd.check
func.func @never(%x: tensor<1xf32>, %i: tensor<1xi32>, %p: tensor<1xi1>) -> (tensor<1xf32>, tensor<1xi32>) {
  %0 = nd.constant dense<0x7FC00000> : tensor<1xf32>
  %1 = nd.select %p, %x, %0 : tensor<1xi1>, tensor<1xf32>
  %2 = nd.exp %1 : tensor<1xf32>
  %3 = nd.add %i, %i : tensor<1xi32>
  func.return %2, %3 : tensor<1xf32>, tensor<1xi32>
}

// -----

// In a region a value from outside is looked at inside. Rank 0, `?`, size 0, no operand of floats.
// CHECK-LABEL: func.func @regions(
// CHECK: scf.for
// CHECK: [[S:%[a-z0-9_]+]] = nd.sqrt %{{.*}} : tensor<f64>
// CHECK-NEXT: [[N:%[a-z0-9_]+]] = nd.not_equal [[S]], [[S]] : tensor<f64> -> tensor<i1>
// CHECK-NEXT: nd.bitwise_invert [[N]]
// CHECK: nd.check {{.*}} that sqrt made
// CHECK: scf.yield
// CHECK: nd.reduce "or" %{{.*}} axes [0, 1] : tensor<?x0xi1> -> tensor<i1>
// CHECK: nd.check {{.*}} that sin made
// CHECK: nd.custom_call
// CHECK: [[M:%[a-z0-9_]+]] = nd.bitwise_invert
// CHECK-NEXT: nd.check [[M]], {{.*}} that custom_call made
func.func @regions(%x: tensor<f64>, %y: tensor<?x0xf16>, %n: index) -> (tensor<f64>, tensor<?x0xf16>, tensor<2xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%c = %x) -> (tensor<f64>) {
    %s = nd.sqrt %c : tensor<f64>
    scf.yield %s : tensor<f64>
  }
  %t = nd.sin %y : tensor<?x0xf16>
  %u = nd.custom_call "f"() : () -> tensor<2xf32>
  func.return %r, %t, %u : tensor<f64>, tensor<?x0xf16>, tensor<2xf32>
}

// -----

// Complex numbers. Private functions hold no checks.
// CHECK-LABEL: func.func @complex(
// CHECK: nd.not_equal %{{.*}} : tensor<2xcomplex<f32>> -> tensor<2xi1>
// CHECK: nd.check {{.*}} that add made
// CHECK-LABEL: func.func private @kernel(
// CHECK-NOT: nd.check
func.func @complex(%z: tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>> {
  %0 = nd.add %z, %z : tensor<2xcomplex<f32>>
  func.return %0 : tensor<2xcomplex<f32>>
}
func.func private @kernel(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = nd.log %x : tensor<4xf32>
  func.return %0 : tensor<4xf32>
}
