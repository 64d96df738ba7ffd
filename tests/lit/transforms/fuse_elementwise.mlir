// RUN: %opt -p fuse-elementwise --split-input-file %s | %check
// RUN: %opt -p fuse-elementwise,fuse-elementwise --split-input-file %s | %check

// A chain is one generic; an operand that two of them read is read once, a constant stands once.
// CHECK-LABEL: func.func @fuses_a_chain(
// CHECK: [[R:%[a-z0-9_]+]] = linalg.generic {{.*}} ins(%x, %y : tensor<8xf32>, tensor<8xf32>) outs(%{{.*}} : tensor<8xf32>)
// CHECK-NEXT: ^bb0([[X:%[a-z0-9_]+]]: f32, [[Y:%[a-z0-9_]+]]: f32, %{{.*}}: f32):
// CHECK-NEXT: [[P:%[a-z0-9_]+]] = arith.mulf [[X]], [[Y]]
// CHECK-NEXT: [[ONE:%[a-z0-9_]+]] = arith.constant 1.0
// CHECK-NEXT: [[Q:%[a-z0-9_]+]] = arith.addf [[P]], [[ONE]]
// CHECK-NEXT: [[N:%[a-z0-9_]+]] = arith.subf [[Q]], [[X]]
// CHECK-NEXT: [[M:%[a-z0-9_]+]] = arith.addf [[N]], [[ONE]]
// CHECK-NEXT: linalg.yield [[M]]
// CHECK-NOT: linalg.generic
// CHECK: func.return [[R]]
#id = affine_map<(d0) -> (d0)>
func.func @fuses_a_chain(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %a = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]} ins(%x, %y : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%v: f32, %w: f32, %o: f32):
    %p = arith.mulf %v, %w : f32
    linalg.yield %p : f32
  } -> tensor<8xf32>
  %b = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%a : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%v: f32, %o: f32):
    %one = arith.constant 1.0 : f32
    %p = arith.addf %v, %one : f32
    linalg.yield %p : f32
  } -> tensor<8xf32>
  %c = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]} ins(%b, %x : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%v: f32, %w: f32, %o: f32):
    %one = arith.constant 1.0 : f32
    %p = arith.subf %v, %w : f32
    %q = arith.addf %p, %one : f32
    linalg.yield %q : f32
  } -> tensor<8xf32>
  func.return %c : tensor<8xf32>
}

// -----

// A value that is also read elsewhere becomes one more result; nothing is computed twice.
// CHECK-LABEL: func.func @exports_a_shared_value(
// CHECK: [[R:%[a-z0-9_]+]], [[Q:%[a-z0-9_]+]] = linalg.generic {{.*}} ins(%x : tensor<8xf32>) outs({{.*}} : tensor<8xf32>, tensor<8xf32>)
// CHECK: [[E:%[a-z0-9_]+]] = math.exp
// CHECK: [[N:%[a-z0-9_]+]] = arith.negf [[E]]
// CHECK: linalg.yield [[E]], [[N]]
// CHECK: func.return [[R]], [[Q]]
#id = affine_map<(d0) -> (d0)>
func.func @exports_a_shared_value(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %e = tensor.empty() : tensor<8xf32>
  %a = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%v: f32, %o: f32):
    %p = math.exp %v : f32
    linalg.yield %p : f32
  } -> tensor<8xf32>
  %b = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%a : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%v: f32, %o: f32):
    %p = arith.negf %v : f32
    linalg.yield %p : f32
  } -> tensor<8xf32>
  func.return %a, %b : tensor<8xf32>, tensor<8xf32>
}

// -----

// Two independent producers and their reader: one generic.
// CHECK-LABEL: func.func @joins_two_producers(
// CHECK: linalg.generic {{.*}} ins(%x, %y : tensor<8xf32>, tensor<8xf32>)
// CHECK: [[A:%[a-z0-9_]+]] = math.exp
// CHECK: [[B:%[a-z0-9_]+]] = arith.negf
// CHECK: arith.addf [[A]], [[B]]
// CHECK-NOT: linalg.generic
#id = affine_map<(d0) -> (d0)>
func.func @joins_two_producers(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %a = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%v: f32, %o: f32):
    %p = math.exp %v : f32
    linalg.yield %p : f32
  } -> tensor<8xf32>
  %b = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%y : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%v: f32, %o: f32):
    %p = arith.negf %v : f32
    linalg.yield %p : f32
  } -> tensor<8xf32>
  %c = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]} ins(%a, %b : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%v: f32, %w: f32, %o: f32):
    %p = arith.addf %v, %w : f32
    linalg.yield %p : f32
  } -> tensor<8xf32>
  func.return %c : tensor<8xf32>
}

// -----

// The reason: it reads its producer at another place than its own.
// CHECK-LABEL: func.func @keeps_a_transposed_reader(
// CHECK: [[A:%[a-z0-9_]+]] = linalg.generic {{.*}} ins(%x
// CHECK: linalg.generic {{.*}} ins([[A]]
#id = affine_map<(d0, d1) -> (d0, d1)>
#t = affine_map<(d0, d1) -> (d1, d0)>
func.func @keeps_a_transposed_reader(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %e = tensor.empty() : tensor<4x4xf32>
  %a = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) {
  ^bb0(%v: f32, %o: f32):
    %p = math.exp %v : f32
    linalg.yield %p : f32
  } -> tensor<4x4xf32>
  %b = linalg.generic {indexing_maps = [#t, #id], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) {
  ^bb0(%v: f32, %o: f32):
    %p = arith.negf %v : f32
    linalg.yield %p : f32
  } -> tensor<4x4xf32>
  func.return %b : tensor<4x4xf32>
}

// -----

// The reason: its space has another size, as far as one can see.
// CHECK-LABEL: func.func @keeps_another_run_time_size(
// CHECK: [[A:%[a-z0-9_]+]] = linalg.generic {{.*}} ins(%x
// CHECK: linalg.generic {{.*}} ins([[A]]
#id = affine_map<(d0) -> (d0)>
func.func @keeps_another_run_time_size(%x: tensor<?xf32>, %n: index, %m: index) -> tensor<?xf32> {
  %e = tensor.empty(%n) : tensor<?xf32>
  %a = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) {
  ^bb0(%v: f32, %o: f32):
    %p = math.exp %v : f32
    linalg.yield %p : f32
  } -> tensor<?xf32>
  %f = tensor.empty(%m) : tensor<?xf32>
  %b = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%a : tensor<?xf32>) outs(%f : tensor<?xf32>) {
  ^bb0(%v: f32, %o: f32):
    %p = arith.negf %v : f32
    linalg.yield %p : f32
  } -> tensor<?xf32>
  func.return %b : tensor<?xf32>
}

// -----

// Equal run-time sizes are one space.
// CHECK-LABEL: func.func @fuses_run_time_sizes(
// CHECK: linalg.generic {{.*}} ins(%x : tensor<?xf32>)
// CHECK-NOT: linalg.generic
#id = affine_map<(d0) -> (d0)>
func.func @fuses_run_time_sizes(%x: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %a = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) {
  ^bb0(%v: f32, %o: f32):
    %p = math.exp %v : f32
    linalg.yield %p : f32
  } -> tensor<?xf32>
  %b = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%a : tensor<?xf32>) outs(%e : tensor<?xf32>) {
  ^bb0(%v: f32, %o: f32):
    %p = arith.negf %v : f32
    linalg.yield %p : f32
  } -> tensor<?xf32>
  func.return %b : tensor<?xf32>
}

// -----

// A sum stands between the two: fused, the second would need its own result.
// CHECK-LABEL: func.func @keeps_apart_around_a_third_op(
// CHECK: [[A:%[a-z0-9_]+]] = linalg.generic {{.*}} ins(%x
// CHECK: [[S:%[a-z0-9_]+]] = linalg.generic {{.*}}"reduction"]} ins([[A]]
// CHECK: linalg.generic {{.*}} ins([[A]], [[S]]
#id = affine_map<(d0) -> (d0)>
#zero = affine_map<(d0) -> ()>
func.func @keeps_apart_around_a_third_op(%x: tensor<8xf32>, %init: tensor<f32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %a = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%v: f32, %o: f32):
    %p = math.exp %v : f32
    linalg.yield %p : f32
  } -> tensor<8xf32>
  %s = linalg.generic {indexing_maps = [#id, #zero], iterator_types = ["reduction"]} ins(%a : tensor<8xf32>) outs(%init : tensor<f32>) {
  ^bb0(%v: f32, %o: f32):
    %p = arith.addf %o, %v : f32
    linalg.yield %p : f32
  } -> tensor<f32>
  %b = linalg.generic {indexing_maps = [#id, #zero, #id], iterator_types = ["parallel"]} ins(%a, %s : tensor<8xf32>, tensor<f32>) outs(%e : tensor<8xf32>) {
  ^bb0(%v: f32, %w: f32, %o: f32):
    %p = arith.divf %v, %w : f32
    linalg.yield %p : f32
  } -> tensor<8xf32>
  func.return %b : tensor<8xf32>
}

// -----

// What adds to the elements of its destination is not elementwise.
// CHECK-LABEL: func.func @keeps_an_accumulation(
// CHECK: [[A:%[a-z0-9_]+]] = linalg.generic {{.*}} outs(%init
// CHECK: linalg.generic {{.*}} ins([[A]]
#id = affine_map<(d0) -> (d0)>
func.func @keeps_an_accumulation(%x: tensor<8xf32>, %init: tensor<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %a = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<8xf32>) outs(%init : tensor<8xf32>) {
  ^bb0(%v: f32, %o: f32):
    %p = arith.addf %o, %v : f32
    linalg.yield %p : f32
  } -> tensor<8xf32>
  %b = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%a : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%v: f32, %o: f32):
    %p = arith.negf %v : f32
    linalg.yield %p : f32
  } -> tensor<8xf32>
  func.return %b : tensor<8xf32>
}

// -----

// An op between the members that reads the first of them comes after the fused op.
// CHECK-LABEL: func.func @sorts_the_block(
// CHECK: [[R:%[a-z0-9_]+]], [[Q:%[a-z0-9_]+]] = linalg.generic
// CHECK: [[V:%[a-z0-9_]+]] = tensor.extract_slice [[R]]
// CHECK: func.return [[V]], [[Q]]
#id = affine_map<(d0) -> (d0)>
func.func @sorts_the_block(%x: tensor<8xf32>) -> (tensor<2xf32>, tensor<8xf32>) {
  %e = tensor.empty() : tensor<8xf32>
  %a = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%v: f32, %o: f32):
    %p = math.exp %v : f32
    linalg.yield %p : f32
  } -> tensor<8xf32>
  %s = tensor.extract_slice %a[0] [2] [1] : tensor<8xf32> to tensor<2xf32>
  %b = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%a : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%v: f32, %o: f32):
    %p = arith.negf %v : f32
    linalg.yield %p : f32
  } -> tensor<8xf32>
  func.return %s, %b : tensor<2xf32>, tensor<8xf32>
}

// -----

// Rank 0, and inside a loop.
// CHECK-LABEL: func.func @rank_zero_in_a_loop(
// CHECK: scf.for
// CHECK: linalg.generic {{.*}} iterator_types = []} ins(%{{.*}} : tensor<f32>)
// CHECK: math.exp
// CHECK: arith.negf
// CHECK-NOT: linalg.generic
// CHECK: scf.yield
#id = affine_map<() -> ()>
func.func @rank_zero_in_a_loop(%x: tensor<f32>, %n: index) -> tensor<f32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%c = %x) -> (tensor<f32>) {
    %e = tensor.empty() : tensor<f32>
    %a = linalg.generic {indexing_maps = [#id, #id], iterator_types = []} ins(%c : tensor<f32>) outs(%e : tensor<f32>) {
    ^bb0(%v: f32, %o: f32):
      %p = math.exp %v : f32
      linalg.yield %p : f32
    } -> tensor<f32>
    %b = linalg.generic {indexing_maps = [#id, #id], iterator_types = []} ins(%a : tensor<f32>) outs(%e : tensor<f32>) {
    ^bb0(%v: f32, %o: f32):
      %p = arith.negf %v : f32
      linalg.yield %p : f32
    } -> tensor<f32>
    scf.yield %b : tensor<f32>
  }
  func.return %r : tensor<f32>
}

// -----

// Sizes 0 and 1; an index is that of the common space.
// CHECK-LABEL: func.func @sizes_zero_and_one(
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<0x1xi64>)
// CHECK: [[I:%[a-z0-9_]+]] = linalg.index 1
// CHECK: [[N:%[a-z0-9_]+]] = arith.index_cast [[I]]
// CHECK: arith.addi [[N]], [[N]]
// CHECK-NOT: linalg.generic
#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @sizes_zero_and_one() -> tensor<0x1xi64> {
  %e = tensor.empty() : tensor<0x1xi64>
  %a = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<0x1xi64>) {
  ^bb0(%o: i64):
    %i = linalg.index 1 : index
    %p = arith.index_cast %i : index to i64
    linalg.yield %p : i64
  } -> tensor<0x1xi64>
  %b = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<0x1xi64>) outs(%e : tensor<0x1xi64>) {
  ^bb0(%v: i64, %o: i64):
    %p = arith.addi %v, %v : i64
    linalg.yield %p : i64
  } -> tensor<0x1xi64>
  func.return %b : tensor<0x1xi64>
}

// -----

// Checks keep their order: the loop with the second one must not come before the first one, which
// reads %y; fused, %y and %z would ask for that.
// CHECK-LABEL: func.func @keeps_checks_in_order(
// CHECK: %y = linalg.generic
// CHECK: tensor.extract %y
// CHECK: func.call @lamina_check
// CHECK: scf.for
// CHECK: func.call @lamina_check(%b
// CHECK: linalg.generic {{.*}} ins(%y, %{{.*}} : tensor<8xf32>, tensor<8xf32>)
func.func private @lamina_check(i1, i64, i64, i64) -> ()
func.func @keeps_checks_in_order(%x: tensor<8xf32>, %b: i1, %n: index, %f: f32) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = arith.constant 0 : i64
  %e = tensor.empty() : tensor<8xf32>
  %r = linalg.fill ins(%f : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%r : tensor<8xf32>) outs(%e : tensor<8xf32>) {
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
  %z = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%y, %s : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %v = arith.addf %i, %j : f32
    linalg.yield %v : f32
  } -> tensor<8xf32>
  func.return %z : tensor<8xf32>
}

// -----

// A tensor that is read at computed places is there as a whole before, also where it is made
// from the same indices; what is made of the elements is in their body.
// CHECK-LABEL: func.func @lookup(
// CHECK: [[J:%[a-z0-9_]+]], [[T:%[a-z0-9_]+]] = linalg.generic
// CHECK: linalg.generic {{.*}} ins([[J]] : tensor<8xi64>)
// CHECK: tensor.extract [[T]]
// CHECK: math.exp
// CHECK-NOT: linalg.generic
#id = affine_map<(d0) -> (d0)>
func.func @lookup(%i: tensor<8xi64>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %f = tensor.empty() : tensor<8xi64>
  %j = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%i : tensor<8xi64>) outs(%f : tensor<8xi64>) {
  ^bb0(%v: i64, %o: i64):
    %p = arith.addi %v, %v : i64
    linalg.yield %p : i64
  } -> tensor<8xi64>
  %t = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%j : tensor<8xi64>) outs(%e : tensor<8xf32>) {
  ^bb0(%v: i64, %o: f32):
    %p = arith.sitofp %v : i64 to f32
    linalg.yield %p : f32
  } -> tensor<8xf32>
  %g = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%j : tensor<8xi64>) outs(%e : tensor<8xf32>) {
  ^bb0(%v: i64, %o: f32):
    %p = arith.index_cast %v : i64 to index
    %q = tensor.extract %t[%p] : tensor<8xf32>
    linalg.yield %q : f32
  } -> tensor<8xf32>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%g : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%v: f32, %o: f32):
    %p = math.exp %v : f32
    linalg.yield %p : f32
  } -> tensor<8xf32>
  func.return %r : tensor<8xf32>
}

// -----

// A fused op that needs the loop pulls it forward, and with it the check before the loop.
// CHECK-LABEL: func.func @pulls_checks_in_order(
// CHECK: func.call @lamina_check(%a
// CHECK: scf.for
// CHECK: func.call @lamina_check(%b
// CHECK: linalg.generic
// CHECK-NOT: linalg.generic
// CHECK: func.return
func.func private @lamina_check(i1, i64, i64, i64) -> ()
func.func @pulls_checks_in_order(%x: tensor<8xf32>, %a: i1, %b: i1, %n: index, %f: f32) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = arith.constant 0 : i64
  %w = tensor.empty() : tensor<9xf32>
  %r = linalg.fill ins(%f : f32) outs(%w : tensor<9xf32>) -> tensor<9xf32>
  %t = tensor.extract_slice %r[1] [8] [1] : tensor<9xf32> to tensor<8xf32>
  %e = tensor.empty() : tensor<8xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%t : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%i: f32, %o: f32):
    %v = arith.negf %i : f32
    linalg.yield %v : f32
  } -> tensor<8xf32>
  func.call @lamina_check(%a, %0, %0, %0) : (i1, i64, i64, i64) -> ()
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%c = %x) -> (tensor<8xf32>) {
    func.call @lamina_check(%b, %0, %0, %0) : (i1, i64, i64, i64) -> ()
    scf.yield %c : tensor<8xf32>
  }
  %z = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%y, %s : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %v = arith.addf %i, %j : f32
    linalg.yield %v : f32
  } -> tensor<8xf32>
  func.return %z : tensor<8xf32>
}
