// RUN: %opt -p fuse-reductions --split-input-file %s | %check
// RUN: %opt -p fuse-reductions,fuse-reductions --split-input-file %s | %check

// The sum computes the product that it adds; a chain of producers goes in whole.
// CHECK-LABEL: func.func @computes_its_input(
// CHECK: [[R:%[a-z0-9_]+]] = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%x, %y : tensor<4x8xf32>, tensor<8xf32>) outs(%init
// CHECK-NEXT: ^bb0([[X:%[a-z0-9_]+]]: f32, [[Y:%[a-z0-9_]+]]: f32, [[ACC:%[a-z0-9_]+]]: f32):
// CHECK-NEXT: [[E:%[a-z0-9_]+]] = math.exp [[X]]
// CHECK-NEXT: [[P:%[a-z0-9_]+]] = arith.mulf [[E]], [[Y]]
// CHECK-NEXT: [[S:%[a-z0-9_]+]] = arith.addf [[ACC]], [[P]]
// CHECK-NEXT: linalg.yield [[S]]
// CHECK-NOT: linalg.generic
// CHECK: func.return [[R]]
#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#column = affine_map<(d0, d1) -> (d1)>
func.func @computes_its_input(%x: tensor<4x8xf32>, %y: tensor<8xf32>, %init: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %a = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%v: f32, %o: f32):
    %p = math.exp %v : f32
    linalg.yield %p : f32
  } -> tensor<4x8xf32>
  %b = linalg.generic {indexing_maps = [#id, #column, #id], iterator_types = ["parallel", "parallel"]} ins(%a, %y : tensor<4x8xf32>, tensor<8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%v: f32, %w: f32, %o: f32):
    %p = arith.mulf %v, %w : f32
    linalg.yield %p : f32
  } -> tensor<4x8xf32>
  %r = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%b : tensor<4x8xf32>) outs(%init : tensor<4xf32>) {
  ^bb0(%v: f32, %o: f32):
    %s = arith.addf %o, %v : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  func.return %r : tensor<4xf32>
}

// -----

// Two sums of a difference: two subtractions cost less than storing it. Then it is gone.
// CHECK-LABEL: func.func @computes_a_cheap_input_twice(
// CHECK-NOT: "parallel"
// CHECK: linalg.generic {{.*}}"reduction"]} ins(%x, %y
// CHECK: arith.subf
// CHECK: linalg.generic {{.*}}"reduction"]} ins(%x, %y
// CHECK: arith.subf
// CHECK-NOT: linalg.generic
#id = affine_map<(d0) -> (d0)>
#zero = affine_map<(d0) -> ()>
func.func @computes_a_cheap_input_twice(%x: tensor<8xf32>, %y: tensor<8xf32>, %init: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %e = tensor.empty() : tensor<8xf32>
  %a = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]} ins(%x, %y : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%v: f32, %w: f32, %o: f32):
    %p = arith.subf %v, %w : f32
    linalg.yield %p : f32
  } -> tensor<8xf32>
  %r = linalg.generic {indexing_maps = [#id, #zero], iterator_types = ["reduction"]} ins(%a : tensor<8xf32>) outs(%init : tensor<f32>) {
  ^bb0(%v: f32, %o: f32):
    %s = arith.addf %o, %v : f32
    linalg.yield %s : f32
  } -> tensor<f32>
  %q = linalg.generic {indexing_maps = [#id, #zero], iterator_types = ["reduction"]} ins(%a : tensor<8xf32>) outs(%init : tensor<f32>) {
  ^bb0(%v: f32, %o: f32):
    %s = arith.maximumf %o, %v : f32
    linalg.yield %s : f32
  } -> tensor<f32>
  func.return %r, %q : tensor<f32>, tensor<f32>
}

// -----

// The reason: the producer has other readers and is not cheap.
// CHECK-LABEL: func.func @keeps_an_expensive_shared_input(
// CHECK: [[A:%[a-z0-9_]+]] = linalg.generic {{.*}}"parallel"]} ins(%x
// CHECK: linalg.generic {{.*}}"reduction"]} ins([[A]]
// CHECK: linalg.generic {{.*}}"reduction"]} ins([[A]]
#id = affine_map<(d0) -> (d0)>
#zero = affine_map<(d0) -> ()>
func.func @keeps_an_expensive_shared_input(%x: tensor<8xf32>, %init: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %e = tensor.empty() : tensor<8xf32>
  %a = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%v: f32, %o: f32):
    %p = math.exp %v : f32
    linalg.yield %p : f32
  } -> tensor<8xf32>
  %r = linalg.generic {indexing_maps = [#id, #zero], iterator_types = ["reduction"]} ins(%a : tensor<8xf32>) outs(%init : tensor<f32>) {
  ^bb0(%v: f32, %o: f32):
    %s = arith.addf %o, %v : f32
    linalg.yield %s : f32
  } -> tensor<f32>
  %q = linalg.generic {indexing_maps = [#id, #zero], iterator_types = ["reduction"]} ins(%a : tensor<8xf32>) outs(%init : tensor<f32>) {
  ^bb0(%v: f32, %o: f32):
    %s = arith.maximumf %o, %v : f32
    linalg.yield %s : f32
  } -> tensor<f32>
  func.return %r, %q : tensor<f32>, tensor<f32>
}

// -----

// The reason: the producer is not elementwise.
// CHECK-LABEL: func.func @keeps_a_sum_of_sums(
// CHECK: [[A:%[a-z0-9_]+]] = linalg.generic {{.*}}"reduction"]} ins(%x
// CHECK: linalg.generic {{.*}}"reduction"]} ins([[A]]
#id2 = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#id = affine_map<(d0) -> (d0)>
#zero = affine_map<(d0) -> ()>
func.func @keeps_a_sum_of_sums(%x: tensor<4x8xf32>, %i: tensor<4xf32>, %j: tensor<f32>) -> tensor<f32> {
  %a = linalg.generic {indexing_maps = [#id2, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<4x8xf32>) outs(%i : tensor<4xf32>) {
  ^bb0(%v: f32, %o: f32):
    %s = arith.addf %o, %v : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  %b = linalg.generic {indexing_maps = [#id, #zero], iterator_types = ["reduction"]} ins(%a : tensor<4xf32>) outs(%j : tensor<f32>) {
  ^bb0(%v: f32, %o: f32):
    %s = arith.addf %o, %v : f32
    linalg.yield %s : f32
  } -> tensor<f32>
  func.return %b : tensor<f32>
}

// -----

// The reason: the producer has several results, and the one that is summed is not cheap.
// CHECK-LABEL: func.func @keeps_a_producer_of_two(
// CHECK: [[A:%[a-z0-9_]+]], %{{.*}} = linalg.generic {{.*}} ins(%x
// CHECK: linalg.generic {{.*}}"reduction"]} ins([[A]]
#id = affine_map<(d0) -> (d0)>
#zero = affine_map<(d0) -> ()>
func.func @keeps_a_producer_of_two(%x: tensor<8xf32>, %init: tensor<f32>) -> (tensor<8xf32>, tensor<f32>) {
  %e = tensor.empty() : tensor<8xf32>
  %f = tensor.empty() : tensor<8xf32>
  %a:2 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]} ins(%x : tensor<8xf32>) outs(%e, %f : tensor<8xf32>, tensor<8xf32>) {
  ^bb0(%v: f32, %o: f32, %q: f32):
    %p = math.exp %v : f32
    linalg.yield %p, %v : f32, f32
  } -> (tensor<8xf32>, tensor<8xf32>)
  %r = linalg.generic {indexing_maps = [#id, #zero], iterator_types = ["reduction"]} ins(%a#0 : tensor<8xf32>) outs(%init : tensor<f32>) {
  ^bb0(%v: f32, %o: f32):
    %s = arith.addf %o, %v : f32
    linalg.yield %s : f32
  } -> tensor<f32>
  func.return %a#1, %r : tensor<8xf32>, tensor<f32>
}

// -----

// The reason: the producer is read at another place.
// CHECK-LABEL: func.func @keeps_a_transposed_read(
// CHECK: [[A:%[a-z0-9_]+]] = linalg.generic {{.*}} ins(%x
// CHECK: linalg.generic {{.*}}"reduction"]} ins([[A]]
#id = affine_map<(d0, d1) -> (d0, d1)>
#t = affine_map<(d0, d1) -> (d1, d0)>
#row = affine_map<(d0, d1) -> (d0)>
func.func @keeps_a_transposed_read(%x: tensor<8x4xf32>, %init: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<8x4xf32>
  %a = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<8x4xf32>) outs(%e : tensor<8x4xf32>) {
  ^bb0(%v: f32, %o: f32):
    %p = arith.negf %v : f32
    linalg.yield %p : f32
  } -> tensor<8x4xf32>
  %r = linalg.generic {indexing_maps = [#t, #row], iterator_types = ["parallel", "reduction"]} ins(%a : tensor<8x4xf32>) outs(%init : tensor<4xf32>) {
  ^bb0(%v: f32, %o: f32):
    %s = arith.addf %o, %v : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  func.return %r : tensor<4xf32>
}

// -----

// The reason: the reduced axes would not be one flat axis, whose order fixes the sum's bits.
// CHECK-LABEL: func.func @keeps_the_order_of_a_flat_sum(
// CHECK: [[A:%[a-z0-9_]+]] = linalg.generic {{.*}} ins(%x
// CHECK: linalg.generic {{.*}}"reduction", "reduction"]} ins([[A]]
#id = affine_map<(d0, d1) -> (d0, d1)>
#t = affine_map<(d0, d1) -> (d1, d0)>
#zero = affine_map<(d0, d1) -> ()>
func.func @keeps_the_order_of_a_flat_sum(%x: tensor<8x4xf32>, %init: tensor<f32>) -> tensor<f32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %a = linalg.generic {indexing_maps = [#t, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<8x4xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%v: f32, %o: f32):
    %p = arith.negf %v : f32
    linalg.yield %p : f32
  } -> tensor<4x8xf32>
  %r = linalg.generic {indexing_maps = [#id, #zero], iterator_types = ["reduction", "reduction"]} ins(%a : tensor<4x8xf32>) outs(%init : tensor<f32>) {
  ^bb0(%v: f32, %o: f32):
    %s = arith.addf %o, %v : f32
    linalg.yield %s : f32
  } -> tensor<f32>
  func.return %r : tensor<f32>
}

// -----

// The same reason: the index of one of the axes is read; a part of an array is not flat.
// CHECK-LABEL: func.func @keeps_the_order_of_parts(
// CHECK: [[A:%[a-z0-9_]+]] = linalg.generic {{.*}} ins(%x
// CHECK: linalg.generic {{.*}}"reduction", "reduction"]} ins([[A]]
// CHECK: [[V:%[a-z0-9_]+]] = tensor.extract_slice
// CHECK: [[B:%[a-z0-9_]+]] = linalg.generic {{.*}} ins([[V]]
// CHECK: linalg.generic {{.*}}"reduction", "reduction"]} ins([[B]]
#id = affine_map<(d0, d1) -> (d0, d1)>
#zero = affine_map<(d0, d1) -> ()>
func.func @keeps_the_order_of_parts(%x: tensor<4x8xi64>, %init: tensor<i64>) -> (tensor<i64>, tensor<i64>) {
  %e = tensor.empty() : tensor<4x8xi64>
  %a = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<4x8xi64>) outs(%e : tensor<4x8xi64>) {
  ^bb0(%v: i64, %o: i64):
    %i = linalg.index 1 : index
    %n = arith.index_cast %i : index to i64
    %p = arith.muli %v, %n : i64
    linalg.yield %p : i64
  } -> tensor<4x8xi64>
  %r = linalg.generic {indexing_maps = [#id, #zero], iterator_types = ["reduction", "reduction"]} ins(%a : tensor<4x8xi64>) outs(%init : tensor<i64>) {
  ^bb0(%v: i64, %o: i64):
    %s = arith.addi %v, %o : i64
    linalg.yield %s : i64
  } -> tensor<i64>
  %c = tensor.extract_slice %x[0, 0] [4, 3] [1, 1] : tensor<4x8xi64> to tensor<4x3xi64>
  %f = tensor.empty() : tensor<4x3xi64>
  %b = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%c : tensor<4x3xi64>) outs(%f : tensor<4x3xi64>) {
  ^bb0(%v: i64, %o: i64):
    %p = arith.addi %v, %v : i64
    linalg.yield %p : i64
  } -> tensor<4x3xi64>
  %q = linalg.generic {indexing_maps = [#id, #zero], iterator_types = ["reduction", "reduction"]} ins(%b : tensor<4x3xi64>) outs(%init : tensor<i64>) {
  ^bb0(%v: i64, %o: i64):
    %s = arith.addi %v, %o : i64
    linalg.yield %s : i64
  } -> tensor<i64>
  func.return %r, %q : tensor<i64>, tensor<i64>
}

// -----

// The reason: the producer reads a computed place, which is not done in lanes.
// CHECK-LABEL: func.func @keeps_a_lookup(
// CHECK: [[A:%[a-z0-9_]+]] = linalg.generic {{.*}} ins(%x
// CHECK: tensor.extract %t
// CHECK: linalg.generic {{.*}}"reduction"]} ins([[A]]
#id = affine_map<(d0) -> (d0)>
#zero = affine_map<(d0) -> ()>
func.func @keeps_a_lookup(%x: tensor<8xindex>, %t: tensor<9xf32>, %init: tensor<f32>) -> tensor<f32> {
  %e = tensor.empty() : tensor<8xf32>
  %a = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<8xindex>) outs(%e : tensor<8xf32>) {
  ^bb0(%v: index, %o: f32):
    %p = tensor.extract %t[%v] : tensor<9xf32>
    linalg.yield %p : f32
  } -> tensor<8xf32>
  %r = linalg.generic {indexing_maps = [#id, #zero], iterator_types = ["reduction"]} ins(%a : tensor<8xf32>) outs(%init : tensor<f32>) {
  ^bb0(%v: f32, %o: f32):
    %s = arith.addf %v, %o : f32
    linalg.yield %s : f32
  } -> tensor<f32>
  func.return %r : tensor<f32>
}

// -----

// A contraction is no reduction: what it reads is packed, not computed in its innermost loop.
// CHECK-LABEL: func.func @keeps_the_operand_of_a_contraction(
// CHECK: [[A:%[a-z0-9_]+]] = linalg.generic {{.*}} ins(%x :
// CHECK: linalg.generic {{.*}}"reduction"]} ins([[A]], %y
#id = affine_map<(d0) -> (d0)>
#zero = affine_map<(d0) -> ()>
func.func @keeps_the_operand_of_a_contraction(%x: tensor<8xf32>, %y: tensor<8xf32>, %init: tensor<f32>) -> tensor<f32> {
  %e = tensor.empty() : tensor<8xf32>
  %a = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%v: f32, %o: f32):
    %p = arith.negf %v : f32
    linalg.yield %p : f32
  } -> tensor<8xf32>
  %r = linalg.generic {indexing_maps = [#id, #id, #zero], iterator_types = ["reduction"]} ins(%a, %y : tensor<8xf32>, tensor<8xf32>) outs(%init : tensor<f32>) {
  ^bb0(%v: f32, %w: f32, %o: f32):
    %p = arith.mulf %v, %w : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<f32>
  func.return %r : tensor<f32>
}

// -----

// An argmax takes its input in too; sizes 0 and 1, and `?`.
// CHECK-LABEL: func.func @two_results_of_odd_sizes(
// CHECK-NOT: "parallel"]} ins
// CHECK: linalg.generic {{.*}}"reduction"]} ins(%x : tensor<0x1x?xf32>) outs(%i, %j : tensor<0x1xf32>, tensor<0x1xi64>)
// CHECK: arith.negf
// CHECK-NOT: linalg.generic
#id = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#row = affine_map<(d0, d1, d2) -> (d0, d1)>
func.func @two_results_of_odd_sizes(%x: tensor<0x1x?xf32>, %n: index, %i: tensor<0x1xf32>, %j: tensor<0x1xi64>) -> tensor<0x1xi64> {
  %e = tensor.empty(%n) : tensor<0x1x?xf32>
  %a = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x : tensor<0x1x?xf32>) outs(%e : tensor<0x1x?xf32>) {
  ^bb0(%v: f32, %o: f32):
    %p = arith.negf %v : f32
    linalg.yield %p : f32
  } -> tensor<0x1x?xf32>
  %r:2 = linalg.generic {indexing_maps = [#id, #row, #row], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a : tensor<0x1x?xf32>) outs(%i, %j : tensor<0x1xf32>, tensor<0x1xi64>) {
  ^bb0(%v: f32, %best: f32, %at: i64):
    %k = linalg.index 2 : index
    %number = arith.index_cast %k : index to i64
    %better = arith.cmpf ogt, %v, %best : f32
    %new = arith.select %better, %v, %best : f32
    %place = arith.select %better, %number, %at : i64
    linalg.yield %new, %place : f32, i64
  } -> (tensor<0x1xf32>, tensor<0x1xi64>)
  func.return %r#1 : tensor<0x1xi64>
}

// -----

// Of two results one is read by a sum only: it is computed there, and the other is all that is stored.
// CHECK-LABEL: func.func @splits_off_a_result(
// CHECK: [[D:%[a-z0-9_]+]] = linalg.generic {{.*}}"parallel", "parallel"]} ins(%x
// CHECK-NEXT: ^bb0
// CHECK-NEXT: arith.negf
// CHECK-NEXT: linalg.yield
// CHECK: [[R:%[a-z0-9_]+]] = linalg.generic {{.*}}"reduction"]} ins(%x
// CHECK: arith.negf
// CHECK: arith.mulf
// CHECK: func.return [[D]], [[R]]
#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
func.func @splits_off_a_result(%x: tensor<4x8xf32>, %init: tensor<4xf32>) -> (tensor<4x8xf32>, tensor<4xf32>) {
  %e = tensor.empty() : tensor<4x8xf32>
  %a:2 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<4x8xf32>) outs(%e, %e : tensor<4x8xf32>, tensor<4x8xf32>) {
  ^bb0(%v: f32, %o: f32, %q: f32):
    %n = arith.negf %v : f32
    %p = arith.mulf %n, %n : f32
    linalg.yield %n, %p : f32, f32
  } -> (tensor<4x8xf32>, tensor<4x8xf32>)
  %r = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%a#1 : tensor<4x8xf32>) outs(%init : tensor<4xf32>) {
  ^bb0(%v: f32, %o: f32):
    %s = arith.addf %o, %v : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  func.return %a#0, %r : tensor<4x8xf32>, tensor<4xf32>
}

// -----

// Rank 0 has no dim to reduce: nothing happens.
// CHECK-LABEL: func.func @rank_zero(
// CHECK: [[A:%[a-z0-9_]+]] = linalg.generic {{.*}} ins(%x
// CHECK: linalg.generic {{.*}} ins([[A]]
#id = affine_map<() -> ()>
func.func @rank_zero(%x: tensor<f32>, %init: tensor<f32>) -> tensor<f32> {
  %e = tensor.empty() : tensor<f32>
  %a = linalg.generic {indexing_maps = [#id, #id], iterator_types = []} ins(%x : tensor<f32>) outs(%e : tensor<f32>) {
  ^bb0(%v: f32, %o: f32):
    %p = arith.negf %v : f32
    linalg.yield %p : f32
  } -> tensor<f32>
  %b = linalg.generic {indexing_maps = [#id, #id], iterator_types = []} ins(%a : tensor<f32>) outs(%init : tensor<f32>) {
  ^bb0(%v: f32, %o: f32):
    %p = arith.addf %o, %v : f32
    linalg.yield %p : f32
  } -> tensor<f32>
  func.return %b : tensor<f32>
}
