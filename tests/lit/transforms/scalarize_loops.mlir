// RUN: %opt -p scalarize-loops --split-input-file %s | %check
// RUN: %opt -p scalarize-loops,scalarize-loops --split-input-file %s | %check

// Carried tensors of one element are scalars, elements are read and written one by one, generics of
// one point are arithmetic; a result that is read behind the loop is a tensor again.
// CHECK-LABEL: func.func @sums(
// CHECK-SAME: %[[A:.*]]: tensor<9xf64>, %[[S:.*]]: tensor<f64>
// CHECK: %[[FIRST:.*]] = tensor.extract %[[S]][] : tensor<f64>
// CHECK: %[[R:.*]], %[[M:.*]] = scf.for %[[I:.*]] = %{{.*}} iter_args(%[[X:.*]] = %[[FIRST]], %[[B:.*]] = %[[A]]) -> (f64, tensor<9xf64>) {
// CHECK-NEXT: %[[E:.*]] = tensor.extract %[[B]][%[[I]]] : tensor<9xf64>
// CHECK-NEXT: %[[Y:.*]] = arith.addf %[[X]], %[[E]] : f64
// CHECK-NEXT: %[[N:.*]] = tensor.insert %[[Y]] into %[[B]][%[[I]]] : tensor<9xf64>
// CHECK-NEXT: scf.yield %[[Y]], %[[N]] : f64, tensor<9xf64>
// CHECK: %[[T:.*]] = tensor.from_elements %[[R]] : tensor<f64>
// CHECK: func.return %[[T]], %[[M]]
func.func @sums(%a: tensor<9xf64>, %s: tensor<f64>) -> (tensor<f64>, tensor<9xf64>) {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %9 = arith.constant 9 : index
  %r:2 = scf.for %i = %0 to %9 step %1 iter_args(%x = %s, %b = %a) -> (tensor<f64>, tensor<9xf64>) {
    %w = tensor.extract_slice %b[%i] [1] [1] : tensor<9xf64> to tensor<1xf64>
    %c = tensor.collapse_shape %w [] : tensor<1xf64> into tensor<f64>
    %e = tensor.empty() : tensor<f64>
    %y = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []} ins(%x, %c : tensor<f64>, tensor<f64>) outs(%e : tensor<f64>) {
    ^bb0(%p: f64, %q: f64, %o: f64):
      %z = arith.addf %p, %q : f64
      linalg.yield %z : f64
    } -> tensor<f64>
    %e1 = tensor.empty() : tensor<1xf64>
    %v = linalg.generic {indexing_maps = [affine_map<(d0) -> ()>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%y : tensor<f64>) outs(%e1 : tensor<1xf64>) {
    ^bb0(%p: f64, %o: f64):
      linalg.yield %p : f64
    } -> tensor<1xf64>
    %n = tensor.insert_slice %v into %b[%i] [1] [1] : tensor<1xf64> into tensor<9xf64>
    scf.yield %y, %n : tensor<f64>, tensor<9xf64>
  }
  func.return %r#0, %r#1 : tensor<f64>, tensor<9xf64>
}

// -----

// Branches and while loops hand scalars on, too; the condition reads one.
// CHECK-LABEL: func.func @whiles(
// CHECK: scf.while (%[[X:.*]] = %{{.*}}) : (i64) -> i64 {
// CHECK-NEXT: %[[GO:.*]] = arith.cmpi slt, %[[X]], %{{.*}} : i64
// CHECK-NEXT: scf.condition(%[[GO]]) %[[X]] : i64
// CHECK: ^{{.*}}(%[[Y:.*]]: i64):
// CHECK: scf.if %{{.*}} -> (i64) {
// CHECK-NEXT: %[[N:.*]] = arith.addi %[[Y]], %[[Y]]
// CHECK-NEXT: scf.yield %[[N]] : i64
// CHECK-NEXT: } else {
// CHECK-NEXT: scf.yield %[[Y]] : i64
func.func @whiles(%s: tensor<i64>, %most: i64, %flag: i1) -> tensor<i64> {
  %r = scf.while (%x = %s) : (tensor<i64>) -> tensor<i64> {
    %v = tensor.extract %x[] : tensor<i64>
    %go = arith.cmpi slt, %v, %most : i64
    scf.condition(%go) %x : tensor<i64>
  } do {
  ^bb0(%y: tensor<i64>):
    %z = scf.if %flag -> (tensor<i64>) {
      %e = tensor.empty() : tensor<i64>
      %n = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []} ins(%y : tensor<i64>) outs(%e : tensor<i64>) {
      ^bb0(%p: i64, %o: i64):
        %q = arith.addi %p, %p : i64
        linalg.yield %q : i64
      } -> tensor<i64>
      scf.yield %n : tensor<i64>
    } else {
      scf.yield %y : tensor<i64>
    }
    scf.yield %z : tensor<i64>
  }
  func.return %r : tensor<i64>
}

// -----

// A generic of more points stays, and reads a tensor made of the element; what it folds begins with a
// fill, and its result is read as an element. One of unknown size may have no point at all.
// CHECK-LABEL: func.func @rows(
// CHECK: scf.for %{{.*}} iter_args(%[[X:.*]] = %{{.*}}) -> (f64) {
// CHECK: %[[F:.*]] = linalg.fill
// CHECK: %[[T:.*]] = tensor.from_elements %[[X]] : tensor<f64>
// CHECK: %[[G:.*]] = linalg.generic {{.*}} ins(%{{.*}}, %[[T]] : tensor<4xf64>, tensor<f64>) outs(%[[F]] : tensor<f64>)
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<?xf64>)
// CHECK: tensor.extract %[[G]][] : tensor<f64>
// CHECK: scf.yield %{{.*}} : f64
func.func @rows(%a: tensor<4xf64>, %s: tensor<f64>, %n: index) -> tensor<f64> {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %r = scf.for %i = %0 to %n step %1 iter_args(%x = %s) -> (tensor<f64>) {
    %e = tensor.empty() : tensor<f64>
    %f = linalg.fill ins(%zero : f64) outs(%e : tensor<f64>) -> tensor<f64>
    %y = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>, affine_map<(d0) -> ()>], iterator_types = ["reduction"]} ins(%a, %x : tensor<4xf64>, tensor<f64>) outs(%f : tensor<f64>) {
    ^bb0(%p: f64, %q: f64, %o: f64):
      %z = arith.mulf %p, %q : f64
      %t = arith.addf %o, %z : f64
      linalg.yield %t : f64
    } -> tensor<f64>
    %d = tensor.empty(%i) : tensor<?xf64>
    %u = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%d : tensor<?xf64>) {
    ^bb0(%o: f64):
      linalg.yield %zero : f64
    } -> tensor<?xf64>
    %v = tensor.extract %u[%0] : tensor<?xf64>
    %w = tensor.from_elements %v : tensor<f64>
    %e2 = tensor.empty() : tensor<f64>
    %l = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []} ins(%y, %w : tensor<f64>, tensor<f64>) outs(%e2 : tensor<f64>) {
    ^bb0(%p: f64, %q: f64, %o: f64):
      %z = arith.addf %p, %q : f64
      linalg.yield %z : f64
    } -> tensor<f64>
    scf.yield %l : tensor<f64>
  }
  func.return %r : tensor<f64>
}

// -----

// What is in no loop stays a kernel.
// CHECK-LABEL: func.func @straight(
// CHECK: linalg.generic
// CHECK-NOT: tensor.extract
func.func @straight(%x: tensor<f64>) -> tensor<f64> {
  %e = tensor.empty() : tensor<f64>
  %y = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []} ins(%x : tensor<f64>) outs(%e : tensor<f64>) {
  ^bb0(%p: f64, %o: f64):
    %z = arith.addf %p, %p : f64
    linalg.yield %z : f64
  } -> tensor<f64>
  func.return %y : tensor<f64>
}

// -----

// Places of a larger tensor that a map names, and the index of a point.
// CHECK-LABEL: func.func @places(
// CHECK: scf.for
// CHECK: %[[C:.*]] = arith.constant 2 : index
// CHECK: tensor.extract %{{.*}}[%[[C]]] : tensor<4xi64>
// CHECK: %[[Z:.*]] = arith.constant 0 : index
// CHECK: arith.index_cast %[[Z]] : index to i64
func.func @places(%a: tensor<4xi64>, %n: index) -> tensor<1xi64> {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %s = arith.constant dense<7> : tensor<1xi64>
  %r = scf.for %i = %0 to %n step %1 iter_args(%x = %s) -> (tensor<1xi64>) {
    %e = tensor.empty() : tensor<1xi64>
    %y = linalg.generic {indexing_maps = [affine_map<(d0) -> (2)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%a, %x : tensor<4xi64>, tensor<1xi64>) outs(%e : tensor<1xi64>) {
    ^bb0(%p: i64, %q: i64, %o: i64):
      %k = linalg.index 0 : index
      %l = arith.index_cast %k : index to i64
      %t = arith.addi %p, %l : i64
      %u = arith.addi %t, %q : i64
      linalg.yield %u : i64
    } -> tensor<1xi64>
    scf.yield %y : tensor<1xi64>
  }
  func.return %r : tensor<1xi64>
}

// -----

// A sum of no elements is no point: it stays what it is.
// CHECK-LABEL: func.func @nothing(
// CHECK: scf.for
// CHECK: linalg.generic {{.*}} ins(%{{.*}} : tensor<0xf64>)
func.func @nothing(%a: tensor<0xf64>, %s: tensor<f64>, %n: index) -> tensor<f64> {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %r = scf.for %i = %0 to %n step %1 iter_args(%x = %s) -> (tensor<f64>) {
    %y = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>], iterator_types = ["reduction"]} ins(%a : tensor<0xf64>) outs(%x : tensor<f64>) {
    ^bb0(%p: f64, %o: f64):
      %t = arith.addf %o, %p : f64
      linalg.yield %t : f64
    } -> tensor<f64>
    scf.yield %y : tensor<f64>
  }
  func.return %r : tensor<f64>
}
