// RUN: %opt -p inline-producers --split-input-file %s | %check
// RUN: %opt -p inline-producers,inline-producers --split-input-file %s | %check

// A sum stands between a difference and its only other reader, which computes it.
// CHECK-LABEL: func.func @computes_what_stood_apart(
// CHECK: [[K:%[a-z0-9_]+]] = linalg.generic {{.*}}"reduction"]} ins(%x
// CHECK: linalg.generic {{.*}} ins(%x, %m, [[K]]
// CHECK-NEXT: ^bb0
// CHECK-NEXT: arith.subf
// CHECK-NEXT: arith.mulf
// CHECK-NOT: linalg.generic
#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
func.func @computes_what_stood_apart(%x: tensor<4x8xf32>, %m: tensor<4xf32>, %i: tensor<4xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %d = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %m : tensor<4x8xf32>, tensor<4xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%u: f32, %v: f32, %o: f32):
    %s = arith.subf %u, %v : f32
    linalg.yield %s : f32
  } -> tensor<4x8xf32>
  %k = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<4x8xf32>) outs(%i : tensor<4xf32>) {
  ^bb0(%u: f32, %o: f32):
    %s = arith.addf %o, %u : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  %r = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%d, %k : tensor<4x8xf32>, tensor<4xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%u: f32, %v: f32, %o: f32):
    %s = arith.mulf %u, %v : f32
    linalg.yield %s : f32
  } -> tensor<4x8xf32>
  func.return %r : tensor<4x8xf32>
}

// -----

// Two readers each compute what is cheap.
// CHECK-LABEL: func.func @computes_twice(
// CHECK-COUNT-2: arith.subf
// CHECK-NOT: arith.subf
#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
func.func @computes_twice(%x: tensor<4x8xf32>, %m: tensor<4xf32>, %i: tensor<4xf32>, %k: tensor<4xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %e = tensor.empty() : tensor<4x8xf32>
  %d = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %m : tensor<4x8xf32>, tensor<4xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%u: f32, %v: f32, %o: f32):
    %s = arith.subf %u, %v : f32
    linalg.yield %s : f32
  } -> tensor<4x8xf32>
  %r = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%d, %k : tensor<4x8xf32>, tensor<4xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%u: f32, %v: f32, %o: f32):
    %s = arith.mulf %u, %v : f32
    linalg.yield %s : f32
  } -> tensor<4x8xf32>
  %q = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%d, %i : tensor<4x8xf32>, tensor<4xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%u: f32, %v: f32, %o: f32):
    %s = arith.mulf %u, %v : f32
    linalg.yield %s : f32
  } -> tensor<4x8xf32>
  func.return %r, %q : tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

// Two exponentials cost more than storing one.
// CHECK-LABEL: func.func @keeps_an_expensive_shared_value(
// CHECK-COUNT-1: math.exp
// CHECK-NOT: math.exp
#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
func.func @keeps_an_expensive_shared_value(%x: tensor<4x8xf32>, %m: tensor<4xf32>, %i: tensor<4xf32>, %k: tensor<4xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %e = tensor.empty() : tensor<4x8xf32>
  %d = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%u: f32, %o: f32):
    %s = math.exp %u : f32
    linalg.yield %s : f32
  } -> tensor<4x8xf32>
  %r = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%d, %k : tensor<4x8xf32>, tensor<4xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%u: f32, %v: f32, %o: f32):
    %s = arith.mulf %u, %v : f32
    linalg.yield %s : f32
  } -> tensor<4x8xf32>
  %q = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%d, %i : tensor<4x8xf32>, tensor<4xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%u: f32, %v: f32, %o: f32):
    %s = arith.mulf %u, %v : f32
    linalg.yield %s : f32
  } -> tensor<4x8xf32>
  func.return %r, %q : tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

// A value that is returned is stored anyway.
// CHECK-LABEL: func.func @keeps_a_returned_value(
// CHECK: [[D:%[a-z0-9_]+]] = linalg.generic {{.*}} ins(%x, %m
// CHECK: linalg.generic {{.*}} ins([[D]]
#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
func.func @keeps_a_returned_value(%x: tensor<4x8xf32>, %m: tensor<4xf32>, %i: tensor<4xf32>, %k: tensor<4xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %e = tensor.empty() : tensor<4x8xf32>
  %d = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %m : tensor<4x8xf32>, tensor<4xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%u: f32, %v: f32, %o: f32):
    %s = arith.subf %u, %v : f32
    linalg.yield %s : f32
  } -> tensor<4x8xf32>
  %r = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%d, %k : tensor<4x8xf32>, tensor<4xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%u: f32, %v: f32, %o: f32):
    %s = arith.mulf %u, %v : f32
    linalg.yield %s : f32
  } -> tensor<4x8xf32>
  func.return %d, %r : tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

// A transposed read reads the operands transposed.
// CHECK-LABEL: func.func @computes_a_transposed_read(
// CHECK: linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>]
// CHECK-SAME: ins(%x, %m
// CHECK-NEXT: ^bb0
// CHECK-NEXT: arith.subf
// CHECK-NEXT: arith.negf
// CHECK-NOT: linalg.generic
#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#t = affine_map<(d0, d1) -> (d1, d0)>
func.func @computes_a_transposed_read(%x: tensor<4x8xf32>, %m: tensor<4xf32>, %i: tensor<4xf32>) -> tensor<8x4xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %d = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %m : tensor<4x8xf32>, tensor<4xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%u: f32, %v: f32, %o: f32):
    %s = arith.subf %u, %v : f32
    linalg.yield %s : f32
  } -> tensor<4x8xf32>
  %f = tensor.empty() : tensor<8x4xf32>
  %r = linalg.generic {indexing_maps = [#t, #id], iterator_types = ["parallel", "parallel"]} ins(%d : tensor<4x8xf32>) outs(%f : tensor<8x4xf32>) {
  ^bb0(%u: f32, %o: f32):
    %s = arith.negf %u : f32
    linalg.yield %s : f32
  } -> tensor<8x4xf32>
  func.return %r : tensor<8x4xf32>
}

// -----

// A value that is read many times at each place is computed once.
// CHECK-LABEL: func.func @keeps_a_broadcast_value(
// CHECK: [[D:%[a-z0-9_]+]] = linalg.generic {{.*}} ins(%m
// CHECK: linalg.generic {{.*}} ins([[D]]
#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#one = affine_map<(d0) -> (d0)>
func.func @keeps_a_broadcast_value(%x: tensor<4x8xf32>, %m: tensor<4xf32>, %i: tensor<4xf32>) -> tensor<4x8xf32> {
  %f = tensor.empty() : tensor<4xf32>
  %d = linalg.generic {indexing_maps = [#one, #one], iterator_types = ["parallel"]} ins(%m : tensor<4xf32>) outs(%f : tensor<4xf32>) {
  ^bb0(%u: f32, %o: f32):
    %s = arith.negf %u : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  %e = tensor.empty() : tensor<4x8xf32>
  %r = linalg.generic {indexing_maps = [#row, #id], iterator_types = ["parallel", "parallel"]} ins(%d : tensor<4xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%u: f32, %o: f32):
    %s = arith.negf %u : f32
    linalg.yield %s : f32
  } -> tensor<4x8xf32>
  func.return %r : tensor<4x8xf32>
}

// -----

// Two results are one generic's: it stays.
// CHECK-LABEL: func.func @keeps_a_producer_of_two(
// CHECK: [[D:%[a-z0-9_]+]]{{(:2)?}}{{.*}} = linalg.generic {{.*}} ins(%x
// CHECK: linalg.generic
#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
func.func @keeps_a_producer_of_two(%x: tensor<4x8xf32>, %m: tensor<4xf32>, %i: tensor<4xf32>, %k: tensor<4xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %e = tensor.empty() : tensor<4x8xf32>
  %d:2 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<4x8xf32>) outs(%e, %e : tensor<4x8xf32>, tensor<4x8xf32>) {
  ^bb0(%u: f32, %o: f32, %p: f32):
    %s = arith.negf %u : f32
    linalg.yield %s, %u : f32, f32
  } -> (tensor<4x8xf32>, tensor<4x8xf32>)
  %r = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%d#0, %k : tensor<4x8xf32>, tensor<4xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%u: f32, %v: f32, %o: f32):
    %s = arith.mulf %u, %v : f32
    linalg.yield %s : f32
  } -> tensor<4x8xf32>
  func.return %r, %d#1 : tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

// A transposed read of what counts its places would count others.
// CHECK-LABEL: func.func @keeps_numbered_places(
// CHECK: [[D:%[a-z0-9_]+]] = linalg.generic
// CHECK: linalg.index
// CHECK: linalg.generic {{.*}} ins([[D]]
#id = affine_map<(d0, d1) -> (d0, d1)>
#t = affine_map<(d0, d1) -> (d1, d0)>
func.func @keeps_numbered_places(%x: tensor<4x8xf32>) -> tensor<8x4xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %d = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%u: f32, %o: f32):
    %n = linalg.index 0 : index
    %n32 = arith.index_cast %n : index to i32
    %nf = arith.sitofp %n32 : i32 to f32
    %s = arith.addf %u, %nf : f32
    linalg.yield %s : f32
  } -> tensor<4x8xf32>
  %f = tensor.empty() : tensor<8x4xf32>
  %r = linalg.generic {indexing_maps = [#t, #id], iterator_types = ["parallel", "parallel"]} ins(%d : tensor<4x8xf32>) outs(%f : tensor<8x4xf32>) {
  ^bb0(%u: f32, %o: f32):
    %s = arith.negf %u : f32
    linalg.yield %s : f32
  } -> tensor<8x4xf32>
  func.return %r : tensor<8x4xf32>
}

// -----

// Sizes 0, 1 and `?`.
// CHECK-LABEL: func.func @computes_odd_sizes(
// CHECK-COUNT-2: arith.negf
// CHECK-NOT: linalg.generic
#id = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
func.func @computes_odd_sizes(%x: tensor<0x1x?xf32>, %n: index) -> tensor<0x1x?xf32> {
  %e = tensor.empty(%n) : tensor<0x1x?xf32>
  %d = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x : tensor<0x1x?xf32>) outs(%e : tensor<0x1x?xf32>) {
  ^bb0(%u: f32, %o: f32):
    %s = arith.negf %u : f32
    linalg.yield %s : f32
  } -> tensor<0x1x?xf32>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%d : tensor<0x1x?xf32>) outs(%e : tensor<0x1x?xf32>) {
  ^bb0(%u: f32, %o: f32):
    %s = arith.negf %u : f32
    linalg.yield %s : f32
  } -> tensor<0x1x?xf32>
  func.return %r : tensor<0x1x?xf32>
}

// -----

// Rank 0.
// CHECK-LABEL: func.func @computes_rank_zero(
// CHECK-COUNT-2: arith.negf
// CHECK-NOT: linalg.generic
#id = affine_map<() -> ()>
func.func @computes_rank_zero(%x: tensor<f32>) -> tensor<f32> {
  %e = tensor.empty() : tensor<f32>
  %d = linalg.generic {indexing_maps = [#id, #id], iterator_types = []} ins(%x : tensor<f32>) outs(%e : tensor<f32>) {
  ^bb0(%u: f32, %o: f32):
    %s = arith.negf %u : f32
    linalg.yield %s : f32
  } -> tensor<f32>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = []} ins(%d : tensor<f32>) outs(%e : tensor<f32>) {
  ^bb0(%u: f32, %o: f32):
    %s = arith.negf %u : f32
    linalg.yield %s : f32
  } -> tensor<f32>
  func.return %r : tensor<f32>
}

// -----

// A value from outside a loop is computed once, before it.
// CHECK-LABEL: func.func @keeps_a_value_from_outside(
// CHECK: [[D:%[a-z0-9_]+]] = linalg.generic {{.*}} ins(%x
// CHECK: scf.for
// CHECK: linalg.generic {{.*}} ins([[D]]
#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
func.func @keeps_a_value_from_outside(%x: tensor<4x8xf32>, %m: tensor<4xf32>, %i: tensor<4xf32>, %n: index) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %d = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %m : tensor<4x8xf32>, tensor<4xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%u: f32, %v: f32, %o: f32):
    %s = arith.subf %u, %v : f32
    linalg.yield %s : f32
  } -> tensor<4x8xf32>
  %z = arith.constant 0 : index
  %o1 = arith.constant 1 : index
  %l = scf.for %j = %z to %n step %o1 iter_args(%c = %x) -> (tensor<4x8xf32>) {
  %r = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%d, %i : tensor<4x8xf32>, tensor<4xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%u: f32, %v: f32, %o: f32):
    %s = arith.mulf %u, %v : f32
    linalg.yield %s : f32
  } -> tensor<4x8xf32>
  scf.yield %r : tensor<4x8xf32>
  }
  func.return %l : tensor<4x8xf32>
}
