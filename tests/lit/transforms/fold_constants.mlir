// RUN: %opt -p fold-constants,dce --split-input-file %s | %check
// RUN: %opt -p fold-constants,fold-constants,dce --split-input-file %s | %check

// Arithmetic wraps, as at run time.
// CHECK-LABEL: func.func @folds_integers(
// CHECK-NEXT: [[R:%[a-z0-9_]+]] = nd.constant dense<[-128, 3]> : tensor<2xi8>
// CHECK-NEXT: func.return [[R]]
func.func @folds_integers() -> tensor<2xi8> {
  %a = nd.constant dense<[127, 2]> : tensor<2xi8>
  %b = nd.constant dense<1> : tensor<2xi8>
  %r = nd.add %a, %b : tensor<2xi8>
  func.return %r : tensor<2xi8>
}

// -----

// Half types round after every op: 2049 is no f16.
// CHECK-LABEL: func.func @folds_halves(
// CHECK-NEXT: [[R:%[a-z0-9_]+]] = nd.constant dense<2.048000e+03> : tensor<f16>
// CHECK-NEXT: func.return [[R]]
func.func @folds_halves() -> tensor<f16> {
  %a = nd.constant dense<2048.0> : tensor<f16>
  %b = nd.constant dense<1.0> : tensor<f16>
  %r = nd.add %a, %b : tensor<f16>
  func.return %r : tensor<f16>
}

// -----

// A chain of moves and casts, of sizes 0, 1 and 2.
// CHECK-LABEL: func.func @folds_moves(
// CHECK-NEXT: [[R:%[a-z0-9_]+]] = nd.constant dense<{{\[\[}}1.000000e+00], [0.000000e+00]]> : tensor<2x1xf32>
// CHECK-NEXT: func.return [[R]]
func.func @folds_moves() -> tensor<2x1xf32> {
  %i = nd.iota axis 0 : tensor<2xi64>
  %e = nd.constant dense<> : tensor<0xi64>
  %c = nd.concat %i, %e axis 0 : tensor<2xi64>, tensor<0xi64> -> tensor<2xi64>
  %v = nd.reverse %c axes [0] : tensor<2xi64>
  %w = nd.reshape %v : tensor<2xi64> -> tensor<2x1xi64>
  %r = nd.cast %w : tensor<2x1xi64> -> tensor<2x1xf32>
  func.return %r : tensor<2x1xf32>
}

// -----

// One number in all elements is folded at any size.
// CHECK-LABEL: func.func @folds_splats(
// CHECK-NEXT: [[C:%[a-z0-9_]+]] = nd.constant dense<true> : tensor<i1>
// CHECK-NEXT: [[R:%[a-z0-9_]+]] = nd.broadcast [[C]] dims [] : tensor<i1> -> tensor<1000x1000xi1>
// CHECK-NEXT: func.return [[R]]
func.func @folds_splats() -> tensor<1000x1000xi1> {
  %a = nd.constant dense<2.0> : tensor<1xf32>
  %b = nd.constant dense<3.0> : tensor<f32>
  %v = nd.broadcast %a dims [0] : tensor<1xf32> -> tensor<1000x1000xf32>
  %w = nd.broadcast %b dims [] : tensor<f32> -> tensor<1000x1000xf32>
  %m = nd.multiply %v, %w : tensor<1000x1000xf32>
  %r = nd.less %w, %m : tensor<1000x1000xf32> -> tensor<1000x1000xi1>
  func.return %r : tensor<1000x1000xi1>
}

// -----

// Broadcasts and iotas cost no memory: they stay, but what reads them is folded.
// CHECK-LABEL: func.func @keeps_iota(
// CHECK-NEXT: [[I:%[a-z0-9_]+]] = nd.iota axis 0 : tensor<2x2xi64>
// CHECK-NEXT: [[E:%[a-z0-9_]+]] = nd.constant dense<{{\[\[}}true, false], [false, true]]> : tensor<2x2xi1>
// CHECK-NEXT: func.return [[I]], [[E]]
func.func @keeps_iota() -> (tensor<2x2xi64>, tensor<2x2xi1>) {
  %i = nd.iota axis 0 : tensor<2x2xi64>
  %j = nd.iota axis 1 : tensor<2x2xi64>
  %e = nd.equal %i, %j : tensor<2x2xi64> -> tensor<2x2xi1>
  func.return %i, %e : tensor<2x2xi64>, tensor<2x2xi1>
}

// -----

// 1 KiB is folded, more is not.
// CHECK-LABEL: func.func @keeps_large(
// CHECK: nd.constant dense<"0x{{.*}}"> : tensor<256xi32>
// CHECK: [[L:%[a-z0-9_]+]] = nd.negative {{.*}} : tensor<257xi32>
// CHECK-NEXT: func.return
func.func @keeps_large() -> (tensor<256xi32>, tensor<257xi32>) {
  %i = nd.iota axis 0 : tensor<256xi32>
  %r = nd.negative %i : tensor<256xi32>
  %j = nd.iota axis 0 : tensor<257xi32>
  %s = nd.negative %j : tensor<257xi32>
  func.return %r, %s : tensor<256xi32>, tensor<257xi32>
}

// -----

// Sums of floats and transcendentals have bits of their own at run time; sums of integers and
// extremes have not.
// CHECK-LABEL: func.func @keeps_inexact(
// CHECK: nd.exp
// CHECK: nd.reduce "sum" {{.*}} tensor<2xf32>
// CHECK: nd.constant dense<2.000000e+00> : tensor<f32>
// CHECK: nd.constant dense<3> : tensor<i32>
// CHECK-NEXT: func.return
func.func @keeps_inexact() -> (tensor<2xf32>, tensor<f32>, tensor<f32>, tensor<i32>) {
  %a = nd.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %e = nd.exp %a : tensor<2xf32>
  %s = nd.reduce "sum" %a axes [0] : tensor<2xf32> -> tensor<f32>
  %m = nd.reduce "max" %a axes [0] : tensor<2xf32> -> tensor<f32>
  %b = nd.constant dense<[1, 2]> : tensor<2xi32>
  %t = nd.reduce "sum" %b axes [0] : tensor<2xi32> -> tensor<i32>
  func.return %e, %s, %m, %t : tensor<2xf32>, tensor<f32>, tensor<f32>, tensor<i32>
}

// -----

// What is an error at run time is not an error of the compiler.
// CHECK-LABEL: func.func @keeps_errors(
// CHECK: arith.divsi
func.func @keeps_errors() -> index {
  %z = arith.constant 0 : index
  %q = arith.divsi %z, %z : index
  func.return %q : index
}

// -----

// Indices: sizes that are not `?`, elements of constants, arithmetic.
// CHECK-LABEL: func.func @folds_indices(
// CHECK-NEXT: [[N:%[a-z0-9_]+]] = arith.constant 7 : index
// CHECK-NEXT: [[P:%[a-z0-9_]+]] = arith.constant true
// CHECK-NEXT: [[D:%[a-z0-9_]+]] = nd.dim %x axis 1
// CHECK-NEXT: func.return [[N]], [[P]], [[D]]
func.func @folds_indices(%x: tensor<4x?xf32>) -> (index, i1, index) {
  %c = nd.constant dense<3> : tensor<i64>
  %i = nd.to_index %c : tensor<i64>
  %d = nd.dim %x axis 0 : tensor<4x?xf32>
  %n = arith.addi %i, %d : index
  %b = nd.constant dense<[false, true]> : tensor<2xi1>
  %o = arith.constant 1 : index
  %p = tensor.extract %b[%o] : tensor<2xi1>
  %e = nd.dim %x axis 1 : tensor<4x?xf32>
  func.return %n, %p, %e : index, i1, index
}

// -----

// A large constant is a resource that the pass does not read.
// CHECK-LABEL: func.func @keeps_resources(
// CHECK: nd.negative
func.func @keeps_resources() -> tensor<4xf32> {
  %w = nd.constant dense_resource<w> : tensor<4xf32>
  %r = nd.negative %w : tensor<4xf32>
  func.return %r : tensor<4xf32>
}

// -----

// Keys that stem from a seed in the program are known; many random bits are left to the run.
// CHECK-LABEL: func.func @random_bits(
// CHECK: [[K:%[a-z0-9_]+]] = nd.constant dense<[1713891541, 3781805453]> : tensor<2xui32>
// CHECK: [[R:%[a-z0-9_]+]] = nd.random_bits [[K]], %{{.*}} : tensor<2xui32>, tensor<4xui32> -> tensor<1000xui32>
// CHECK: func.return [[R]]
func.func @random_bits() -> tensor<1000xui32> {
  %key = nd.constant dense<0> : tensor<2xui32>
  %counter = nd.constant dense<0> : tensor<4xui32>
  %k = nd.random_bits %key, %counter : tensor<2xui32>, tensor<4xui32> -> tensor<2xui32>
  %r = nd.random_bits %k, %counter : tensor<2xui32>, tensor<4xui32> -> tensor<1000xui32>
  func.return %r : tensor<1000xui32>
}
