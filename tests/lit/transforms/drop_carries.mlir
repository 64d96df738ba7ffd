// RUN: %opt -p drop-carries --split-input-file %s | %check

// A result that nobody uses, and a carry that only it needed; an index stays one.
// CHECK-LABEL: func.func @counted(
// CHECK: [[R:%[a-z0-9_]+]] = scf.for %i = %l to %u step %s iter_args(%a = %x) -> (tensor<2xf32>) {
// CHECK-NEXT: [[S:%[a-z0-9_]+]] = nd.sin %a
// CHECK-NEXT: scf.yield [[S]] : tensor<2xf32>
// CHECK: func.return [[R]]
func.func @counted(%x: tensor<2xf32>, %y: tensor<2xf32>) -> tensor<2xf32> {
  %l = arith.constant 0 : index
  %u = arith.constant 9 : index
  %s = arith.constant 1 : index
  %r, %q, %p = scf.for %i = %l to %u step %s iter_args(%a = %x, %b = %y, %c = %y)
      -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
    %d = nd.sin %a : tensor<2xf32>
    %e = nd.multiply %b, %c : tensor<2xf32>
    %f = nd.exp %c : tensor<2xf32>
    scf.yield %d, %e, %f : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
  }
  func.return %r : tensor<2xf32>
}

// -----

// Every result is used, or needed by one that is: all stays.
// CHECK-LABEL: func.func @all_needed(
// CHECK: iter_args(%a = %x, %b = %y)
// CHECK: scf.yield %{{.*}}, %{{.*}} : tensor<f32>, tensor<f32>
func.func @all_needed(%x: tensor<f32>, %y: tensor<f32>, %u: index) -> tensor<f32> {
  %l = arith.constant 0 : index
  %s = arith.constant 1 : index
  %r, %q = scf.for %i = %l to %u step %s iter_args(%a = %x, %b = %y)
      -> (tensor<f32>, tensor<f32>) {
    %d = nd.add %a, %b : tensor<f32>
    %e = nd.exp %b : tensor<f32>
    scf.yield %d, %e : tensor<f32>, tensor<f32>
  }
  func.return %r : tensor<f32>
}

// -----

// The test of a loop decides what it needs: here the number of trips is wanted, and %b is not.
// CHECK-LABEL: func.func @tested(
// CHECK: scf.while (%a = %x, %n = %z) : (tensor<?xf32>, index) -> (tensor<?xf32>, index) {
// CHECK: scf.condition(%{{.*}}) %a, %n : tensor<?xf32>, index
// CHECK: ^{{.*}}(%c: tensor<?xf32>, %m: index):
// CHECK-NOT: nd.exp
func.func @tested(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<i64> {
  %z = arith.constant 0 : index
  %r, %q, %t = scf.while (%a = %x, %b = %y, %n = %z)
      : (tensor<?xf32>, tensor<?xf32>, index) -> (tensor<?xf32>, tensor<?xf32>, index) {
    %s = nd.reduce "sum" %a axes [0] : tensor<?xf32> -> tensor<f32>
    %h = nd.constant dense<1.0> : tensor<f32>
    %p = nd.less %s, %h : tensor<f32> -> tensor<i1>
    %f = tensor.extract %p[] : tensor<i1>
    scf.condition(%f) %a, %b, %n : tensor<?xf32>, tensor<?xf32>, index
  } do {
  ^after(%c: tensor<?xf32>, %d: tensor<?xf32>, %m: index):
    %one = arith.constant 1 : index
    %k = arith.addi %m, %one : index
    %e = nd.exp %d : tensor<?xf32>
    %w = nd.add %c, %c : tensor<?xf32>
    scf.yield %w, %e, %k : tensor<?xf32>, tensor<?xf32>, index
  }
  %o = nd.from_index %t : tensor<i64>
  func.return %o : tensor<i64>
}

// -----

// A check needs what it reads, a loop in a loop what it yields. Sizes 0 and 1.
// CHECK-LABEL: func.func @effects(
// CHECK: scf.for %i = %l to %u step %s iter_args(%a = %x) -> (tensor<1xi1>)
// CHECK: nd.check
// CHECK: scf.for %j = %l to %u step %s iter_args(%k = %y) -> (tensor<0xf32>)
// CHECK: scf.for %{{.*}} = %l to %u step %s iter_args(%o = %k) -> (tensor<0xf32>)
func.func @effects(%x: tensor<1xi1>, %y: tensor<0xf32>, %u: index) -> tensor<0xf32> {
  %l = arith.constant 0 : index
  %s = arith.constant 1 : index
  %r, %q = scf.for %i = %l to %u step %s iter_args(%a = %x, %b = %y)
      -> (tensor<1xi1>, tensor<0xf32>) {
    %c = nd.reshape %a : tensor<1xi1> -> tensor<i1>
    nd.check %c, "ArgumentError", "no"
    %d = nd.bitwise_xor %a, %a : tensor<1xi1>
    scf.yield %d, %b : tensor<1xi1>, tensor<0xf32>
  }
  %v, %w = scf.for %j = %l to %u step %s iter_args(%k = %y, %m = %y)
      -> (tensor<0xf32>, tensor<0xf32>) {
    %g, %h = scf.for %n = %l to %u step %s iter_args(%o = %k, %p = %m)
        -> (tensor<0xf32>, tensor<0xf32>) {
      scf.yield %o, %p : tensor<0xf32>, tensor<0xf32>
    }
    scf.yield %g, %m : tensor<0xf32>, tensor<0xf32>
  }
  func.return %v : tensor<0xf32>
}
