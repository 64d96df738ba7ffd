// RUN: %opt -p reuse-donated --split-input-file --verify-diagnostics %s | %check

// The result of a generic that reads the donor at each place is written there.
// CHECK-LABEL: func.func @writes_over_what_it_reads(
// CHECK-NOT: tensor.empty
// CHECK: [[R:%[a-z0-9_]+]] = linalg.generic {{.*}} ins(%g : tensor<4xf32>) outs(%p : tensor<4xf32>)
// CHECK-NEXT: ^bb0([[G:%[a-z0-9_]+]]: f32, [[P:%[a-z0-9_]+]]: f32):
// CHECK-NEXT: arith.subf [[P]], [[G]] : f32
// CHECK: func.return [[R]] : tensor<4xf32>
func.func @writes_over_what_it_reads(%p: tensor<4xf32>, %g: tensor<4xf32>) -> tensor<4xf32> attributes {lamina.donors = array<i64: 0>} {
  %e = tensor.empty() : tensor<4xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%p, %g : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %s = arith.subf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  func.return %r : tensor<4xf32>
}

// -----

// Of two results each goes over its own donor; rank 0 and sizes 0, 1 and ? are as others.
// CHECK-LABEL: func.func @two_results(
// CHECK: linalg.generic {{.*}} outs(%q, %p : tensor<f32>, tensor<f32>)
// CHECK: linalg.generic {{.*}} outs(%x : tensor<?x0x1xf32>)
func.func @two_results(%p: tensor<f32>, %q: tensor<f32>, %x: tensor<?x0x1xf32>, %n: index) -> (tensor<f32>, tensor<f32>, tensor<?x0x1xf32>) attributes {lamina.donors = array<i64: 1, 0, 2>} {
  %e = tensor.empty() : tensor<f32>
  %f = tensor.empty() : tensor<f32>
  %r, %s = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []} ins(%p, %q : tensor<f32>, tensor<f32>) outs(%e, %f : tensor<f32>, tensor<f32>) {
  ^bb0(%a: f32, %b: f32, %o: f32, %u: f32):
    %c = arith.addf %a, %b : f32
    %d = arith.mulf %a, %b : f32
    linalg.yield %c, %d : f32, f32
  } -> (tensor<f32>, tensor<f32>)
  %g = tensor.empty(%n) : tensor<?x0x1xf32>
  %t = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x : tensor<?x0x1xf32>) outs(%g : tensor<?x0x1xf32>) {
  ^bb0(%a: f32, %o: f32):
    %c = arith.negf %a : f32
    linalg.yield %c : f32
  } -> tensor<?x0x1xf32>
  func.return %r, %s, %t : tensor<f32>, tensor<f32>, tensor<?x0x1xf32>
}

// -----

// Parts of the result that are replaced later do not matter.
// CHECK-LABEL: func.func @updated_later(
// CHECK: linalg.generic {{.*}} outs(%p : tensor<4xf32>)
func.func @updated_later(%p: tensor<4xf32>, %u: tensor<1xf32>) -> tensor<4xf32> attributes {lamina.donors = array<i64: 0>} {
  %e = tensor.empty() : tensor<4xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%p : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.negf %a : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  %t = tensor.insert_slice %u into %r[2] [1] [1] : tensor<1xf32> into tensor<4xf32>
  func.return %t : tensor<4xf32>
}

// -----

// Without a donor nothing is written over.
// CHECK-LABEL: func.func @no_donor(
// CHECK: linalg.generic {{.*}} ins(%p : tensor<4xf32>)
func.func @no_donor(%p: tensor<4xf32>) -> tensor<4xf32> attributes {lamina.donors = array<i64: -1>} {
  %e = tensor.empty() : tensor<4xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%p : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.negf %a : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  func.return %r : tensor<4xf32>
}

// -----

// A later reader needs the old elements.
// CHECK-LABEL: func.func @read_later(
// CHECK: linalg.generic {{.*}} ins(%p : tensor<4xf32>)
func.func @read_later(%p: tensor<4xf32>) -> (tensor<4xf32>, tensor<2xf32>) attributes {lamina.donors = array<i64: 0, -1>} {
  %e = tensor.empty() : tensor<4xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%p : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.negf %a : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  %v = tensor.extract_slice %p[0] [2] [1] : tensor<4xf32> to tensor<2xf32>
  func.return %r, %v : tensor<4xf32>, tensor<2xf32>
}

// -----

// What is read at another place than it is written may be overwritten by then: by another map, in a
// view, or in the body.
// CHECK-LABEL: func.func @read_elsewhere(
// CHECK: linalg.generic {{.*}} ins(%p, %p : tensor<4x4xf32>, tensor<4x4xf32>)
// CHECK: linalg.generic {{.*}} ins(%q, %{{.*}} : tensor<4x4xf32>, tensor<1x4xf32>)
// CHECK: linalg.generic {{.*}} ins(%w : tensor<4x4xf32>)
func.func @read_elsewhere(%p: tensor<4x4xf32>, %q: tensor<4x4xf32>, %w: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) attributes {lamina.donors = array<i64: 0, 1, 2>} {
  %e = tensor.empty() : tensor<4x4xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%p, %p : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<4x4xf32>
  %v = tensor.extract_slice %q[0, 0] [1, 4] [1, 1] : tensor<4x4xf32> to tensor<1x4xf32>
  %f = tensor.empty() : tensor<4x4xf32>
  %t = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%q, %v : tensor<4x4xf32>, tensor<1x4xf32>) outs(%f : tensor<4x4xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<4x4xf32>
  %g = tensor.empty() : tensor<4x4xf32>
  %u = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%w : tensor<4x4xf32>) outs(%g : tensor<4x4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %i = linalg.index 1 : index
    %j = linalg.index 0 : index
    %x = tensor.extract %w[%i, %j] : tensor<4x4xf32>
    %s = arith.addf %a, %x : f32
    linalg.yield %s : f32
  } -> tensor<4x4xf32>
  func.return %r, %t, %u : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
}

// -----

// A generic that does not read the donor has a destination of its own (bufferize finds the donor), as
// has one that folds, and one that is a kernel with others.
// CHECK-LABEL: func.func @other_generics(
// CHECK: linalg.generic {{.*}} ins(%g : tensor<4xf32>) outs(%{{[0-9e]+}} : tensor<4xf32>)
// CHECK: linalg.generic {{.*}} ins(%m : tensor<4x4xf32>) outs(%{{[0-9z]+}} : tensor<4xf32>)
// CHECK: linalg.generic {{.*}} ins(%w : tensor<4xf32>)
func.func @other_generics(%p: tensor<4xf32>, %g: tensor<4xf32>, %q: tensor<4xf32>, %m: tensor<4x4xf32>, %w: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) attributes {lamina.donors = array<i64: 0, 2, 4, -1>} {
  %e = tensor.empty() : tensor<4xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%g : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.negf %a : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  %z = tensor.empty() : tensor<4xf32>
  %t = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%m : tensor<4x4xf32>) outs(%z : tensor<4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %a, %o : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  %f = tensor.empty() : tensor<4xf32>
  %u = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%w : tensor<4xf32>) outs(%f : tensor<4xf32>) attrs = {lamina.kernel = 0 : i64} {
  ^bb0(%a: f32, %o: f32):
    %s = arith.negf %a : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  %h = tensor.empty() : tensor<4xf32>
  %v = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%u : tensor<4xf32>) outs(%h : tensor<4xf32>) attrs = {lamina.kernel = 0 : i64} {
  ^bb0(%a: f32, %o: f32):
    %s = math.exp %a : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  func.return %r, %t, %u, %v : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// A destination whose elements are read is no room for others; a permuted one is not walked in order.
// CHECK-LABEL: func.func @other_destinations(
// CHECK: linalg.generic {{.*}} ins(%p : tensor<4x4xf32>) outs(%g : tensor<4x4xf32>)
// CHECK: linalg.generic {{.*}} ins(%q : tensor<4x4xf32>) outs(%{{[0-9e]+}} : tensor<4x4xf32>)
func.func @other_destinations(%p: tensor<4x4xf32>, %g: tensor<4x4xf32>, %q: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) attributes {lamina.donors = array<i64: 0, 2>} {
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%p : tensor<4x4xf32>) outs(%g : tensor<4x4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %a, %o : f32
    linalg.yield %s : f32
  } -> tensor<4x4xf32>
  %e = tensor.empty() : tensor<4x4xf32>
  %t = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1, d0)>], iterator_types = ["parallel", "parallel"]} ins(%q : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<4x4xf32>
  func.return %r, %t : tensor<4x4xf32>, tensor<4x4xf32>
}

// -----

// expected-error {{lamina.donors: expected an argument of the type of each result, or -1, and none twice, found [1]}}
func.func @another_type(%p: tensor<4xf32>, %q: tensor<5xf32>) -> tensor<4xf32> attributes {lamina.donors = array<i64: 1>} {
  func.return %p : tensor<4xf32>
}
