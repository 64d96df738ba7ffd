// RUN: %opt -p simplify-generics --split-input-file %s | %check
// RUN: %opt -p simplify-generics,simplify-generics --split-input-file %s | %check

// A broadcast is a map: its reader reads the source, and the broadcast is gone.
// CHECK-LABEL: func.func @reads_through_a_broadcast(
// CHECK-NEXT: [[E:%[a-z0-9_]+]] = tensor.empty
// CHECK-NEXT: [[R:%[a-z0-9_]+]] = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>]
// CHECK-SAME: ins(%x : tensor<8xf32>) outs([[E]]
// CHECK: math.exp
// CHECK: func.return [[R]]
func.func @reads_through_a_broadcast(%x: tensor<8xf32>) -> tensor<4x8xf32> {
  %e0 = tensor.empty() : tensor<4x8xf32>
  %b = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<8xf32>) outs(%e0 : tensor<4x8xf32>) {
  ^bb0(%v: f32, %o: f32):
    linalg.yield %v : f32
  } -> tensor<4x8xf32>
  %e1 = tensor.empty() : tensor<4x8xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%b : tensor<4x8xf32>) outs(%e1 : tensor<4x8xf32>) {
  ^bb0(%v: f32, %o: f32):
    %s = math.exp %v : f32
    linalg.yield %s : f32
  } -> tensor<4x8xf32>
  func.return %r : tensor<4x8xf32>
}

// -----

// The reverse of a transpose: one map, simplified; unit dims read place 0.
// CHECK-LABEL: func.func @composes_moves(
// CHECK: linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (((d1 * -1) + 7), d0)>, affine_map<(d0, d1) -> (d0, d1)>]
// CHECK-SAME: ins(%x : tensor<8x4xf32>)
// CHECK-NOT: linalg.generic
func.func @composes_moves(%x: tensor<8x4xf32>) -> tensor<4x8xf32> {
  %e0 = tensor.empty() : tensor<4x8xf32>
  %t = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<8x4xf32>) outs(%e0 : tensor<4x8xf32>) {
  ^bb0(%v: f32, %o: f32):
    linalg.yield %v : f32
  } -> tensor<4x8xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, -d1 + 7)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%t : tensor<4x8xf32>) outs(%e0 : tensor<4x8xf32>) {
  ^bb0(%v: f32, %o: f32):
    linalg.yield %v : f32
  } -> tensor<4x8xf32>
  %n = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%r : tensor<4x8xf32>) outs(%e0 : tensor<4x8xf32>) {
  ^bb0(%v: f32, %o: f32):
    %s = arith.negf %v : f32
    linalg.yield %s : f32
  } -> tensor<4x8xf32>
  func.return %n : tensor<4x8xf32>
}

// -----

// A splat and a filled tensor are scalars of the body; a constant of several values is read.
// CHECK-LABEL: func.func @takes_scalar_constants(
// CHECK: [[D:%[a-z0-9_]+]] = arith.constant dense<[1.0{{.*}}, 2.0{{.*}}]>
// CHECK-NOT: dense<3.0
// CHECK-NOT: linalg.fill
// CHECK: linalg.generic {{.*}} ins(%x, [[D]] : tensor<2xf32>, tensor<2xf32>)
// CHECK-NEXT: ^bb0([[X:%[a-z0-9_]+]]: f32, [[V:%[a-z0-9_]+]]: f32, %{{.*}}: f32):
// CHECK-DAG: [[THREE:%[a-z0-9_]+]] = arith.constant 3.0{{.*}} : f32
// CHECK-DAG: [[FOUR:%[a-z0-9_]+]] = arith.constant 4.0{{.*}} : f32
// CHECK: [[P:%[a-z0-9_]+]] = arith.mulf [[X]], [[THREE]]
// CHECK: [[Q:%[a-z0-9_]+]] = arith.addf [[P]], [[FOUR]]
// CHECK: arith.addf [[Q]], [[V]]
func.func @takes_scalar_constants(%x: tensor<2xf32>) -> tensor<2xf32> {
  %c = arith.constant dense<3.0> : tensor<2xf32>
  %d = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %four = arith.constant 4.0 : f32
  %e = tensor.empty() : tensor<2xf32>
  %f = linalg.fill ins(%four : f32) outs(%e : tensor<2xf32>) -> tensor<2xf32>
  %e1 = tensor.empty() : tensor<2xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%x, %c, %f, %d : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) outs(%e1 : tensor<2xf32>) {
  ^bb0(%v: f32, %k: f32, %l: f32, %m: f32, %o: f32):
    %p = arith.mulf %v, %k : f32
    %q = arith.addf %p, %l : f32
    %s = arith.addf %q, %m : f32
    linalg.yield %s : f32
  } -> tensor<2xf32>
  func.return %r : tensor<2xf32>
}

// -----

// A move that is also a result stays; its other reader reads the source all the same.
// CHECK-LABEL: func.func @keeps_a_move_that_others_read(
// CHECK: [[T:%[a-z0-9_]+]] = linalg.generic {{.*}} ins(%x : tensor<2x3xf32>)
// CHECK: [[R:%[a-z0-9_]+]] = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, {{.*}} ins(%x : tensor<2x3xf32>)
// CHECK: func.return [[T]], [[R]]
func.func @keeps_a_move_that_others_read(%x: tensor<2x3xf32>) -> (tensor<3x2xf32>, tensor<3x2xf32>) {
  %e = tensor.empty() : tensor<3x2xf32>
  %t = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<2x3xf32>) outs(%e : tensor<3x2xf32>) {
  ^bb0(%v: f32, %o: f32):
    linalg.yield %v : f32
  } -> tensor<3x2xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%t : tensor<3x2xf32>) outs(%e : tensor<3x2xf32>) {
  ^bb0(%v: f32, %o: f32):
    %s = arith.negf %v : f32
    linalg.yield %s : f32
  } -> tensor<3x2xf32>
  func.return %t, %r : tensor<3x2xf32>, tensor<3x2xf32>
}

// -----

// The sum over a stretched dim: without the broadcast no operand would tell its size.
// CHECK-LABEL: func.func @keeps_a_move_that_tells_a_size(
// CHECK: [[B:%[a-z0-9_]+]] = linalg.generic {{.*}} ins(%x : tensor<4xf32>)
// CHECK: linalg.generic {{.*}}"reduction"]} ins([[B]] : tensor<4x8xf32>)
func.func @keeps_a_move_that_tells_a_size(%x: tensor<4xf32>, %init: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %b = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<4xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%v: f32, %o: f32):
    linalg.yield %v : f32
  } -> tensor<4x8xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%b : tensor<4x8xf32>) outs(%init : tensor<4xf32>) {
  ^bb0(%v: f32, %o: f32):
    %s = arith.addf %o, %v : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  func.return %r : tensor<4xf32>
}

// -----

// A sum over two axes of a transpose: read through, it would not be one flat axis in its order.
// CHECK-LABEL: func.func @keeps_the_order_of_a_sum(
// CHECK: [[T:%[a-z0-9_]+]] = linalg.generic {{.*}} ins(%x : tensor<4x8xf32>)
// CHECK: linalg.generic {{.*}}"reduction", "reduction"]} ins([[T]] : tensor<8x4xf32>)
func.func @keeps_the_order_of_a_sum(%x: tensor<4x8xf32>, %init: tensor<f32>) -> tensor<f32> {
  %e = tensor.empty() : tensor<8x4xf32>
  %t = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<4x8xf32>) outs(%e : tensor<8x4xf32>) {
  ^bb0(%v: f32, %o: f32):
    linalg.yield %v : f32
  } -> tensor<8x4xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>], iterator_types = ["reduction", "reduction"]} ins(%t : tensor<8x4xf32>) outs(%init : tensor<f32>) {
  ^bb0(%v: f32, %o: f32):
    %s = arith.addf %v, %o : f32
    linalg.yield %s : f32
  } -> tensor<f32>
  func.return %r : tensor<f32>
}

// -----

// A product with one row is summed in lanes along the depth, where that is the last axis.
// CHECK-LABEL: func.func @keeps_the_order_of_a_thin_product(
// CHECK: [[T:%[a-z0-9_]+]] = linalg.generic {{.*}} ins(%w : tensor<2x3xf32>)
// CHECK: linalg.generic {{.*}}"reduction"]} ins(%x, [[T]] : tensor<1x3xf32>, tensor<3x2xf32>)
func.func @keeps_the_order_of_a_thin_product(%x: tensor<1x3xf32>, %w: tensor<2x3xf32>, %init: tensor<1x2xf32>) -> tensor<1x2xf32> {
  %e = tensor.empty() : tensor<3x2xf32>
  %t = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%w : tensor<2x3xf32>) outs(%e : tensor<3x2xf32>) {
  ^bb0(%v: f32, %o: f32):
    linalg.yield %v : f32
  } -> tensor<3x2xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %t : tensor<1x3xf32>, tensor<3x2xf32>) outs(%init : tensor<1x2xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<1x2xf32>
  func.return %r : tensor<1x2xf32>
}

// -----

// A product with a constant matrix keeps the rounding of a contraction: it stays one.
// CHECK-LABEL: func.func @keeps_the_constant_of_a_contraction(
// CHECK: [[C:%[a-z0-9_]+]] = arith.constant dense<5.0{{.*}}> : tensor<3x2xf32>
// CHECK: linalg.generic {{.*}} ins(%x, [[C]] : tensor<4x3xf32>, tensor<3x2xf32>)
// CHECK-NEXT: ^bb0([[A:%[a-z0-9_]+]]: f32, [[B:%[a-z0-9_]+]]: f32, %{{.*}}: f32):
// CHECK-NEXT: arith.mulf [[A]], [[B]]
func.func @keeps_the_constant_of_a_contraction(%x: tensor<4x3xf32>, %init: tensor<4x2xf32>) -> tensor<4x2xf32> {
  %c = arith.constant dense<5.0> : tensor<3x2xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %c : tensor<4x3xf32>, tensor<3x2xf32>) outs(%init : tensor<4x2xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<4x2xf32>
  func.return %r : tensor<4x2xf32>
}

// -----

// A transposed operand of a contraction is another map of the same contraction.
// CHECK-LABEL: func.func @reads_through_into_a_contraction(
// CHECK: linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>, {{.*}} ins(%x, %w : tensor<4x3xf32>, tensor<2x3xf32>)
// CHECK-NOT: linalg.generic
func.func @reads_through_into_a_contraction(%x: tensor<4x3xf32>, %w: tensor<2x3xf32>, %init: tensor<4x2xf32>) -> tensor<4x2xf32> {
  %e = tensor.empty() : tensor<3x2xf32>
  %t = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%w : tensor<2x3xf32>) outs(%e : tensor<3x2xf32>) {
  ^bb0(%v: f32, %o: f32):
    linalg.yield %v : f32
  } -> tensor<3x2xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %t : tensor<4x3xf32>, tensor<3x2xf32>) outs(%init : tensor<4x2xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<4x2xf32>
  func.return %r : tensor<4x2xf32>
}

// -----

// An op that computes, or that writes into a tensor with values, is no move.
// CHECK-LABEL: func.func @keeps_what_is_no_move(
// CHECK: [[A:%[a-z0-9_]+]] = linalg.generic {{.*}} ins(%x : tensor<2xf32>) outs(%init
// CHECK: [[B:%[a-z0-9_]+]] = linalg.generic {{.*}} ins([[A]]
// CHECK: linalg.generic {{.*}} ins([[B]]
func.func @keeps_what_is_no_move(%x: tensor<2xf32>, %init: tensor<2xf32>) -> tensor<2xf32> {
  %e = tensor.empty() : tensor<2xf32>
  %a = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%x : tensor<2xf32>) outs(%init : tensor<2xf32>) {
  ^bb0(%v: f32, %o: f32):
    linalg.yield %v : f32
  } -> tensor<2xf32>
  %b = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%a : tensor<2xf32>) outs(%e : tensor<2xf32>) {
  ^bb0(%v: f32, %o: f32):
    %n = arith.negf %v : f32
    linalg.yield %n : f32
  } -> tensor<2xf32>
  %c = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%b : tensor<2xf32>) outs(%e : tensor<2xf32>) {
  ^bb0(%v: f32, %o: f32):
    %n = math.exp %v : f32
    linalg.yield %n : f32
  } -> tensor<2xf32>
  func.return %c : tensor<2xf32>
}

// -----

// Rank 0, size 0 and size 1: a scalar read everywhere; place 0 of a unit dim.
// CHECK-LABEL: func.func @small_shapes(
// CHECK: linalg.generic {indexing_maps = [affine_map<(d0, d1) -> ()>, affine_map<(d0, d1) -> (d0, 0)>, affine_map<(d0, d1) -> (d0, d1)>]
// CHECK-SAME: ins(%s, %u : tensor<f32>, tensor<0x1xf32>)
// CHECK-NOT: linalg.generic
func.func @small_shapes(%s: tensor<f32>, %u: tensor<0x1xf32>) -> tensor<0x4xf32> {
  %e = tensor.empty() : tensor<0x4xf32>
  %b = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> ()>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%s : tensor<f32>) outs(%e : tensor<0x4xf32>) {
  ^bb0(%v: f32, %o: f32):
    linalg.yield %v : f32
  } -> tensor<0x4xf32>
  %c = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, 0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%u : tensor<0x1xf32>) outs(%e : tensor<0x4xf32>) {
  ^bb0(%v: f32, %o: f32):
    linalg.yield %v : f32
  } -> tensor<0x4xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%b, %c : tensor<0x4xf32>, tensor<0x4xf32>) outs(%e : tensor<0x4xf32>) {
  ^bb0(%v: f32, %w: f32, %o: f32):
    %n = arith.addf %v, %w : f32
    linalg.yield %n : f32
  } -> tensor<0x4xf32>
  func.return %r : tensor<0x4xf32>
}

// -----

// `?` dims change nothing: the output tells the sizes.
// CHECK-LABEL: func.func @run_time_sizes(
// CHECK: linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>]
// CHECK-SAME: ins(%x : tensor<?xf32>)
// CHECK-NOT: linalg.generic
func.func @run_time_sizes(%x: tensor<?xf32>, %n: index, %m: index) -> tensor<?x?xf32> {
  %e = tensor.empty(%n, %m) : tensor<?x?xf32>
  %b = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%v: f32, %o: f32):
    linalg.yield %v : f32
  } -> tensor<?x?xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%b : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%v: f32, %o: f32):
    %s = math.exp %v : f32
    linalg.yield %s : f32
  } -> tensor<?x?xf32>
  func.return %r : tensor<?x?xf32>
}
