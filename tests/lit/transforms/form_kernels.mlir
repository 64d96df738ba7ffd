// RUN: %opt -p form-kernels --split-input-file %s | %check
// RUN: %opt -p form-kernels,form-kernels --split-input-file %s | %check

// The rows' maximum and what is made of it: one kernel, a row at a time.
// CHECK-LABEL: func.func @rows(
// CHECK: linalg.generic {{.*}} attrs = {lamina.kernel = [[K:[0-9]+]] : i64}
// CHECK: arith.maximumf
// CHECK: linalg.generic {{.*}} attrs = {lamina.kernel = [[K]] : i64}
// CHECK: arith.subf
#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
func.func @rows(%x: tensor<4x8xf32>, %init: tensor<4xf32>) -> tensor<4x8xf32> {
  %m = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<4x8xf32>) outs(%init : tensor<4xf32>) {
  ^bb0(%v: f32, %o: f32):
    %s = arith.maximumf %o, %v : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  %e = tensor.empty() : tensor<4x8xf32>
  %r = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %m : tensor<4x8xf32>, tensor<4xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%v: f32, %w: f32, %o: f32):
    %s = arith.subf %v, %w : f32
    linalg.yield %s : f32
  } -> tensor<4x8xf32>
  func.return %r : tensor<4x8xf32>
}

// -----

// The epilogue of a contraction: computed while the tile is in registers.
// CHECK-LABEL: func.func @contraction_and_bias(
// CHECK: linalg.generic {{.*}}"reduction"]{{.*}} attrs = {lamina.kernel = [[K:[0-9]+]] : i64}
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %b {{.*}} attrs = {lamina.kernel = [[K]] : i64}
#lhs = affine_map<(d0, d1, d2) -> (d0, d2)>
#rhs = affine_map<(d0, d1, d2) -> (d2, d1)>
#out = affine_map<(d0, d1, d2) -> (d0, d1)>
#id = affine_map<(d0, d1) -> (d0, d1)>
#column = affine_map<(d0, d1) -> (d1)>
func.func @contraction_and_bias(%x: tensor<?x3xf32>, %w: tensor<3x2xf32>, %b: tensor<2xf32>, %init: tensor<?x2xf32>, %n: index) -> tensor<?x2xf32> {
  %p = linalg.generic {indexing_maps = [#lhs, #rhs, #out], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<?x3xf32>, tensor<3x2xf32>) outs(%init : tensor<?x2xf32>) {
  ^bb0(%v: f32, %u: f32, %o: f32):
    %q = arith.mulf %v, %u : f32
    %s = arith.addf %o, %q : f32
    linalg.yield %s : f32
  } -> tensor<?x2xf32>
  %e = tensor.empty(%n) : tensor<?x2xf32>
  %r = linalg.generic {indexing_maps = [#id, #column, #id], iterator_types = ["parallel", "parallel"]} ins(%p, %b : tensor<?x2xf32>, tensor<2xf32>) outs(%e : tensor<?x2xf32>) {
  ^bb0(%v: f32, %u: f32, %o: f32):
    %s = arith.addf %v, %u : f32
    linalg.yield %s : f32
  } -> tensor<?x2xf32>
  func.return %r : tensor<?x2xf32>
}

// -----

// The reason: the kernel's contraction already has its epilogue.
// CHECK-LABEL: func.func @one_epilogue(
// CHECK: linalg.generic {{.*}}"reduction"]{{.*}} attrs = {lamina.kernel = 0 : i64}
// CHECK: attrs = {lamina.kernel = 0 : i64}
// CHECK: math.exp
// CHECK: attrs = {lamina.kernel = 1 : i64}
// CHECK: arith.negf
#lhs = affine_map<(d0, d1, d2) -> (d0, d2)>
#rhs = affine_map<(d0, d1, d2) -> (d2, d1)>
#out = affine_map<(d0, d1, d2) -> (d0, d1)>
#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @one_epilogue(%x: tensor<4x3xf32>, %w: tensor<3x2xf32>, %init: tensor<4x2xf32>) -> tensor<4x2xf32> {
  %p = linalg.generic {indexing_maps = [#lhs, #rhs, #out], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<4x3xf32>, tensor<3x2xf32>) outs(%init : tensor<4x2xf32>) {
  ^bb0(%v: f32, %u: f32, %o: f32):
    %q = arith.mulf %v, %u : f32
    %s = arith.addf %o, %q : f32
    linalg.yield %s : f32
  } -> tensor<4x2xf32>
  %e = tensor.empty() : tensor<4x2xf32>
  %a = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%p : tensor<4x2xf32>) outs(%e : tensor<4x2xf32>) {
  ^bb0(%v: f32, %o: f32):
    %s = math.exp %v : f32
    linalg.yield %s : f32
  } -> tensor<4x2xf32>
  %b = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<4x2xf32>) outs(%e : tensor<4x2xf32>) {
  ^bb0(%v: f32, %o: f32):
    %s = arith.negf %v : f32
    linalg.yield %s : f32
  } -> tensor<4x2xf32>
  func.return %b : tensor<4x2xf32>
}

// -----

// The reason: a contraction starts a kernel.
// CHECK-LABEL: func.func @two_contractions(
// CHECK: attrs = {lamina.kernel = 0 : i64}
// CHECK: attrs = {lamina.kernel = 1 : i64}
#lhs = affine_map<(d0, d1, d2) -> (d0, d2)>
#rhs = affine_map<(d0, d1, d2) -> (d2, d1)>
#out = affine_map<(d0, d1, d2) -> (d0, d1)>
func.func @two_contractions(%x: tensor<4x4xf32>, %w: tensor<4x4xf32>, %init: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %p = linalg.generic {indexing_maps = [#lhs, #rhs, #out], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<4x4xf32>, tensor<4x4xf32>) outs(%init : tensor<4x4xf32>) {
  ^bb0(%v: f32, %u: f32, %o: f32):
    %q = arith.mulf %v, %u : f32
    %s = arith.addf %o, %q : f32
    linalg.yield %s : f32
  } -> tensor<4x4xf32>
  %r = linalg.generic {indexing_maps = [#lhs, #rhs, #out], iterator_types = ["parallel", "parallel", "reduction"]} ins(%p, %w : tensor<4x4xf32>, tensor<4x4xf32>) outs(%init : tensor<4x4xf32>) {
  ^bb0(%v: f32, %u: f32, %o: f32):
    %q = arith.mulf %v, %u : f32
    %s = arith.addf %o, %q : f32
    linalg.yield %s : f32
  } -> tensor<4x4xf32>
  func.return %r : tensor<4x4xf32>
}

// -----

// The reason: the reader of a contraction is not elementwise.
// CHECK-LABEL: func.func @sum_of_a_contraction(
// CHECK: attrs = {lamina.kernel = 0 : i64}
// CHECK: attrs = {lamina.kernel = 1 : i64}
#lhs = affine_map<(d0, d1, d2) -> (d0, d2)>
#rhs = affine_map<(d0, d1, d2) -> (d2, d1)>
#out = affine_map<(d0, d1, d2) -> (d0, d1)>
#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
func.func @sum_of_a_contraction(%x: tensor<4x3xf32>, %w: tensor<3x2xf32>, %init: tensor<4x2xf32>, %zero: tensor<4xf32>) -> tensor<4xf32> {
  %p = linalg.generic {indexing_maps = [#lhs, #rhs, #out], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<4x3xf32>, tensor<3x2xf32>) outs(%init : tensor<4x2xf32>) {
  ^bb0(%v: f32, %u: f32, %o: f32):
    %q = arith.mulf %v, %u : f32
    %s = arith.addf %o, %q : f32
    linalg.yield %s : f32
  } -> tensor<4x2xf32>
  %r = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%p : tensor<4x2xf32>) outs(%zero : tensor<4xf32>) {
  ^bb0(%v: f32, %o: f32):
    %s = arith.addf %o, %v : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  func.return %r : tensor<4xf32>
}

// -----

// The reason: the contraction has other readers.
// CHECK-LABEL: func.func @shared_contraction(
// CHECK: attrs = {lamina.kernel = 0 : i64}
// CHECK: attrs = {lamina.kernel = 1 : i64}
#lhs = affine_map<(d0, d1, d2) -> (d0, d2)>
#rhs = affine_map<(d0, d1, d2) -> (d2, d1)>
#out = affine_map<(d0, d1, d2) -> (d0, d1)>
#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @shared_contraction(%x: tensor<4x3xf32>, %w: tensor<3x2xf32>, %init: tensor<4x2xf32>) -> (tensor<4x2xf32>, tensor<4x2xf32>) {
  %p = linalg.generic {indexing_maps = [#lhs, #rhs, #out], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<4x3xf32>, tensor<3x2xf32>) outs(%init : tensor<4x2xf32>) {
  ^bb0(%v: f32, %u: f32, %o: f32):
    %q = arith.mulf %v, %u : f32
    %s = arith.addf %o, %q : f32
    linalg.yield %s : f32
  } -> tensor<4x2xf32>
  %e = tensor.empty() : tensor<4x2xf32>
  %a = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%p : tensor<4x2xf32>) outs(%e : tensor<4x2xf32>) {
  ^bb0(%v: f32, %o: f32):
    %s = math.exp %v : f32
    linalg.yield %s : f32
  } -> tensor<4x2xf32>
  func.return %p, %a : tensor<4x2xf32>, tensor<4x2xf32>
}

// -----

// The reason: the contraction is read at another place.
// CHECK-LABEL: func.func @transposed_epilogue(
// CHECK: attrs = {lamina.kernel = 0 : i64}
// CHECK: attrs = {lamina.kernel = 1 : i64}
#lhs = affine_map<(d0, d1, d2) -> (d0, d2)>
#rhs = affine_map<(d0, d1, d2) -> (d2, d1)>
#out = affine_map<(d0, d1, d2) -> (d0, d1)>
#id = affine_map<(d0, d1) -> (d0, d1)>
#t = affine_map<(d0, d1) -> (d1, d0)>
func.func @transposed_epilogue(%x: tensor<4x3xf32>, %w: tensor<3x2xf32>, %init: tensor<4x2xf32>) -> tensor<2x4xf32> {
  %p = linalg.generic {indexing_maps = [#lhs, #rhs, #out], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<4x3xf32>, tensor<3x2xf32>) outs(%init : tensor<4x2xf32>) {
  ^bb0(%v: f32, %u: f32, %o: f32):
    %q = arith.mulf %v, %u : f32
    %s = arith.addf %o, %q : f32
    linalg.yield %s : f32
  } -> tensor<4x2xf32>
  %e = tensor.empty() : tensor<2x4xf32>
  %a = linalg.generic {indexing_maps = [#t, #id], iterator_types = ["parallel", "parallel"]} ins(%p : tensor<4x2xf32>) outs(%e : tensor<2x4xf32>) {
  ^bb0(%v: f32, %o: f32):
    %s = math.exp %v : f32
    linalg.yield %s : f32
  } -> tensor<2x4xf32>
  func.return %a : tensor<2x4xf32>
}

// -----

// The reason: there is no common outer space (a large sum of everything, and what follows it).
// CHECK-LABEL: func.func @large_sum_of_everything(
// CHECK: attrs = {lamina.kernel = 0 : i64}
// CHECK: attrs = {lamina.kernel = 1 : i64}
#id = affine_map<(d0) -> (d0)>
#zero = affine_map<(d0) -> ()>
func.func @large_sum_of_everything(%x: tensor<65537xf32>, %init: tensor<f32>) -> tensor<65537xf32> {
  %s = linalg.generic {indexing_maps = [#id, #zero], iterator_types = ["reduction"]} ins(%x : tensor<65537xf32>) outs(%init : tensor<f32>) {
  ^bb0(%v: f32, %o: f32):
    %s = arith.addf %o, %v : f32
    linalg.yield %s : f32
  } -> tensor<f32>
  %e = tensor.empty() : tensor<65537xf32>
  %a = linalg.generic {indexing_maps = [#id, #zero, #id], iterator_types = ["parallel"]} ins(%x, %s : tensor<65537xf32>, tensor<f32>) outs(%e : tensor<65537xf32>) {
  ^bb0(%v: f32, %w: f32, %o: f32):
    %d = arith.divf %v, %w : f32
    linalg.yield %d : f32
  } -> tensor<65537xf32>
  func.return %a : tensor<65537xf32>
}

// -----

// The same on few elements is one kernel, on one thread; with `?` it may be many: two.
// CHECK-LABEL: func.func @small_sum_of_everything(
// CHECK: attrs = {lamina.kernel = 0 : i64}
// CHECK: attrs = {lamina.kernel = 0 : i64}
// CHECK: func.func @unknown_sum_of_everything(
// CHECK: attrs = {lamina.kernel = 1 : i64}
// CHECK: attrs = {lamina.kernel = 2 : i64}
#id = affine_map<(d0) -> (d0)>
#zero = affine_map<(d0) -> ()>
func.func @small_sum_of_everything(%x: tensor<8xf32>, %init: tensor<f32>) -> tensor<8xf32> {
  %s = linalg.generic {indexing_maps = [#id, #zero], iterator_types = ["reduction"]} ins(%x : tensor<8xf32>) outs(%init : tensor<f32>) {
  ^bb0(%v: f32, %o: f32):
    %s = arith.addf %o, %v : f32
    linalg.yield %s : f32
  } -> tensor<f32>
  %e = tensor.empty() : tensor<8xf32>
  %a = linalg.generic {indexing_maps = [#id, #zero, #id], iterator_types = ["parallel"]} ins(%x, %s : tensor<8xf32>, tensor<f32>) outs(%e : tensor<8xf32>) {
  ^bb0(%v: f32, %w: f32, %o: f32):
    %d = arith.divf %v, %w : f32
    linalg.yield %d : f32
  } -> tensor<8xf32>
  func.return %a : tensor<8xf32>
}
func.func @unknown_sum_of_everything(%x: tensor<?xf32>, %n: index, %init: tensor<f32>) -> tensor<?xf32> {
  %s = linalg.generic {indexing_maps = [#id, #zero], iterator_types = ["reduction"]} ins(%x : tensor<?xf32>) outs(%init : tensor<f32>) {
  ^bb0(%v: f32, %o: f32):
    %s = arith.addf %o, %v : f32
    linalg.yield %s : f32
  } -> tensor<f32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %a = linalg.generic {indexing_maps = [#id, #zero, #id], iterator_types = ["parallel"]} ins(%x, %s : tensor<?xf32>, tensor<f32>) outs(%e : tensor<?xf32>) {
  ^bb0(%v: f32, %w: f32, %o: f32):
    %d = arith.divf %v, %w : f32
    linalg.yield %d : f32
  } -> tensor<?xf32>
  func.return %a : tensor<?xf32>
}

// -----

// Two rows' sums join the kernel of their common reader.
// CHECK-LABEL: func.func @merges_two_producers(
// CHECK: attrs = {lamina.kernel = [[K:[0-9]+]] : i64}
// CHECK: attrs = {lamina.kernel = [[K]] : i64}
// CHECK: attrs = {lamina.kernel = [[K]] : i64}
#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
func.func @merges_two_producers(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>, %init: tensor<4xf32>) -> tensor<4x8xf32> {
  %a = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<4x8xf32>) outs(%init : tensor<4xf32>) {
  ^bb0(%v: f32, %o: f32):
    %s = arith.addf %o, %v : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  %b = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%y : tensor<4x8xf32>) outs(%init : tensor<4xf32>) {
  ^bb0(%v: f32, %o: f32):
    %s = arith.addf %o, %v : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  %e = tensor.empty() : tensor<4x8xf32>
  %r = linalg.generic {indexing_maps = [#row, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%a, %b : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%v: f32, %w: f32, %o: f32):
    %s = arith.subf %v, %w : f32
    linalg.yield %s : f32
  } -> tensor<4x8xf32>
  func.return %r : tensor<4x8xf32>
}

// -----

// A sum by rows and one of everything have no common rows: their reader is a third kernel.
// CHECK-LABEL: func.func @keeps_apart_two_producers(
// CHECK: attrs = {lamina.kernel = 0 : i64}
// CHECK: attrs = {lamina.kernel = 1 : i64}
// CHECK: attrs = {lamina.kernel = 2 : i64}
#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#zero = affine_map<(d0, d1) -> ()>
func.func @keeps_apart_two_producers(%x: tensor<4x8xf32>, %i: tensor<4xf32>, %j: tensor<f32>) -> tensor<4x8xf32> {
  %a = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<4x8xf32>) outs(%i : tensor<4xf32>) {
  ^bb0(%v: f32, %o: f32):
    %s = arith.addf %o, %v : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  %b = linalg.generic {indexing_maps = [#id, #zero], iterator_types = ["reduction", "reduction"]} ins(%x : tensor<4x8xf32>) outs(%j : tensor<f32>) {
  ^bb0(%v: f32, %o: f32):
    %s = arith.addf %o, %v : f32
    linalg.yield %s : f32
  } -> tensor<f32>
  %e = tensor.empty() : tensor<4x8xf32>
  %r = linalg.generic {indexing_maps = [#row, #zero, #id], iterator_types = ["parallel", "parallel"]} ins(%a, %b : tensor<4xf32>, tensor<f32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%v: f32, %w: f32, %o: f32):
    %s = arith.subf %v, %w : f32
    linalg.yield %s : f32
  } -> tensor<4x8xf32>
  func.return %r : tensor<4x8xf32>
}

// -----

// A view stands between: the second op needs the first one's whole result.
// CHECK-LABEL: func.func @keeps_apart_around_a_view(
// CHECK: attrs = {lamina.kernel = 0 : i64}
// CHECK: tensor.extract_slice
// CHECK: attrs = {lamina.kernel = 1 : i64}
#id = affine_map<(d0) -> (d0)>
func.func @keeps_apart_around_a_view(%x: tensor<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %a = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%v: f32, %o: f32):
    %s = math.exp %v : f32
    linalg.yield %s : f32
  } -> tensor<8xf32>
  %c = tensor.extract_slice %a[0] [8] [1] : tensor<8xf32> to tensor<8xf32>
  %b = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]} ins(%a, %c : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%v: f32, %w: f32, %o: f32):
    %s = arith.addf %v, %w : f32
    linalg.yield %s : f32
  } -> tensor<8xf32>
  func.return %b : tensor<8xf32>
}

// -----

// Rank 0 and sizes 0 and 1, in a loop's body.
// CHECK-LABEL: func.func @small_shapes(
// CHECK: scf.for
// CHECK: iterator_types = []{{.*}} attrs = {lamina.kernel = [[K:[0-9]+]] : i64}
// CHECK: iterator_types = []{{.*}} attrs = {lamina.kernel = [[K]] : i64}
// CHECK: tensor<1x0xf32>{{.*}} attrs = {lamina.kernel = [[L:[0-9]+]] : i64}
// CHECK: tensor<1x0xf32>{{.*}} attrs = {lamina.kernel = [[L]] : i64}
#s = affine_map<() -> ()>
#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
func.func @small_shapes(%x: tensor<f32>, %y: tensor<1x0xf32>, %i: tensor<1xf32>, %n: index) -> (tensor<f32>, tensor<1x0xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:2 = scf.for %k = %c0 to %n step %c1 iter_args(%c = %x, %d = %y) -> (tensor<f32>, tensor<1x0xf32>) {
    %e = tensor.empty() : tensor<f32>
    %a = linalg.generic {indexing_maps = [#s, #s], iterator_types = []} ins(%c : tensor<f32>) outs(%e : tensor<f32>) {
    ^bb0(%v: f32, %o: f32):
      %p = math.exp %v : f32
      linalg.yield %p : f32
    } -> tensor<f32>
    %b = linalg.generic {indexing_maps = [#s, #s, #s], iterator_types = []} ins(%a, %a : tensor<f32>, tensor<f32>) outs(%e : tensor<f32>) {
    ^bb0(%v: f32, %w: f32, %o: f32):
      %p = arith.addf %v, %w : f32
      linalg.yield %p : f32
    } -> tensor<f32>
    %m = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%d : tensor<1x0xf32>) outs(%i : tensor<1xf32>) {
    ^bb0(%v: f32, %o: f32):
      %s = arith.addf %o, %v : f32
      linalg.yield %s : f32
    } -> tensor<1xf32>
    %f = tensor.empty() : tensor<1x0xf32>
    %q = linalg.generic {indexing_maps = [#row, #id], iterator_types = ["parallel", "parallel"]} ins(%m : tensor<1xf32>) outs(%f : tensor<1x0xf32>) {
    ^bb0(%v: f32, %o: f32):
      linalg.yield %v : f32
    } -> tensor<1x0xf32>
    scf.yield %b, %q : tensor<f32>, tensor<1x0xf32>
  }
  func.return %r#0, %r#1 : tensor<f32>, tensor<1x0xf32>
}

// -----

// A call of loops over elements stands between: what is made of its result is another kernel.
// CHECK-LABEL: func.func @around_a_call(
// CHECK: linalg.generic {{.*}} attrs = {lamina.kernel = 0 : i64}
// CHECK: func.call @scan_0(
// CHECK: linalg.generic {{.*}} attrs = {lamina.kernel = 1 : i64}
#id = affine_map<(d0) -> (d0)>
func.func @around_a_call(%x: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %a = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%v: f32, %o: f32):
    %n = arith.negf %v : f32
    linalg.yield %n : f32
  } -> tensor<4xf32>
  %f = tensor.empty() : tensor<4xf32>
  %s = func.call @scan_0(%a, %f) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %g = tensor.empty() : tensor<4xf32>
  %r = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]} ins(%a, %s : tensor<4xf32>, tensor<4xf32>) outs(%g : tensor<4xf32>) {
  ^bb0(%v: f32, %w: f32, %o: f32):
    %n = arith.addf %v, %w : f32
    linalg.yield %n : f32
  } -> tensor<4xf32>
  func.return %r : tensor<4xf32>
}
func.func private @scan_0(%x: tensor<4xf32>, %out: tensor<4xf32>) -> tensor<4xf32> {
  func.return %out : tensor<4xf32>
}

// -----

// The reason: the loop's check comes after one that reads %y, so %z comes after %y's kernel.
// CHECK-LABEL: func.func @checks_stay_in_order(
// CHECK: [[Y:%[a-z0-9_]+]] = linalg.generic {{.*}} attrs = {lamina.kernel = 0 : i64}
// CHECK: linalg.generic {{.*}} ins([[Y]], %{{.*}}) {{.*}} attrs = {lamina.kernel = 1 : i64}
func.func private @lamina_check(i1, i64, i64, i64) -> ()
#id = affine_map<(d0) -> (d0)>
func.func @checks_stay_in_order(%w: tensor<9xf32>, %x: tensor<8xf32>, %b: i1, %n: index, %f: f32) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = arith.constant 0 : i64
  %e = tensor.empty() : tensor<8xf32>
  %r = tensor.extract_slice %w[1] [8] [1] : tensor<9xf32> to tensor<8xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%r : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%i: f32, %o: f32):
    %v = arith.negf %i : f32
    linalg.yield %v : f32
  } -> tensor<8xf32>
  %g = tensor.extract %y[%c0] : tensor<8xf32>
  %a = arith.cmpf olt, %g, %f : f32
  func.call @lamina_check(%a, %0, %0, %0) : (i1, i64, i64, i64) -> ()
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%c = %x) -> (tensor<8xf32>) {
    func.call @lamina_check(%b, %0, %0, %0) : (i1, i64, i64, i64) -> ()
    scf.yield %c : tensor<8xf32>
  }
  %z = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]} ins(%y, %s : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %v = arith.addf %i, %j : f32
    linalg.yield %v : f32
  } -> tensor<8xf32>
  func.return %z : tensor<8xf32>
}

// -----

// A tensor that is read at computed places is made by a kernel before...
// CHECK-LABEL: func.func @lookup_of_100000(
// CHECK: attrs = {lamina.kernel = [[K:[0-9]+]] : i64}
// CHECK: arith.negf
// CHECK-NOT: attrs = {lamina.kernel = [[K]] : i64}
// CHECK: tensor.extract
#id = affine_map<(d0) -> (d0)>
func.func @lookup_of_100000(%x: tensor<100000xf32>, %i: tensor<100000xi64>) -> tensor<100000xf32> {
  %e = tensor.empty() : tensor<100000xf32>
  %t = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<100000xf32>) outs(%e : tensor<100000xf32>) {
  ^bb0(%v: f32, %o: f32):
    %p = arith.negf %v : f32
    linalg.yield %p : f32
  } -> tensor<100000xf32>
  %g = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%i : tensor<100000xi64>) outs(%e : tensor<100000xf32>) {
  ^bb0(%v: i64, %o: f32):
    %p = arith.index_cast %v : i64 to index
    %q = tensor.extract %t[%p] : tensor<100000xf32>
    linalg.yield %q : f32
  } -> tensor<100000xf32>
  func.return %g : tensor<100000xf32>
}

// -----

// ... but for a small one, which one thread makes first.
// CHECK-LABEL: func.func @lookup_of_8(
// CHECK: linalg.generic {{.*}} attrs = {lamina.kernel = [[K:[0-9]+]] : i64}
// CHECK: linalg.generic {{.*}} attrs = {lamina.kernel = [[K]] : i64}
// CHECK: tensor.extract
#id = affine_map<(d0) -> (d0)>
func.func @lookup_of_8(%x: tensor<8xf32>, %i: tensor<8xi64>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %t = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%v: f32, %o: f32):
    %p = arith.negf %v : f32
    linalg.yield %p : f32
  } -> tensor<8xf32>
  %g = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%i : tensor<8xi64>) outs(%e : tensor<8xf32>) {
  ^bb0(%v: i64, %o: f32):
    %p = arith.index_cast %v : i64 to index
    %q = tensor.extract %t[%p] : tensor<8xf32>
    linalg.yield %q : f32
  } -> tensor<8xf32>
  func.return %g : tensor<8xf32>
}
