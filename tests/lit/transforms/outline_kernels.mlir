// RUN: %opt -p outline-kernels --split-input-file %s | %check
// RUN: %opt -p outline-kernels,outline-kernels --split-input-file %s | %check

// Ops of one number are one function: what it reads, then a destination for each result.
// The value between them gets a temporary of the kernel's own; the numbers are gone.
// CHECK-LABEL: func.func @one_kernel(
// CHECK: [[E:%[a-z0-9_]+]] = tensor.empty() : tensor<4x8xf32>
// CHECK: [[R:%[a-z0-9_]+]] = func.call @reduce_0(%x, %init, [[E]]) : (tensor<4x8xf32>, tensor<4xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
// CHECK-NEXT: func.return [[R]]
// CHECK: func.func private @reduce_0([[X:%[a-z0-9_]+]]: tensor<4x8xf32>, [[I:%[a-z0-9_]+]]: tensor<4xf32>, [[OUT:%[a-z0-9_]+]]: tensor<4x8xf32>) -> tensor<4x8xf32>
// CHECK-NEXT: [[M:%[a-z0-9_]+]] = linalg.generic {{.*}} ins([[X]] : tensor<4x8xf32>) outs([[I]] : tensor<4xf32>)
// CHECK: [[S:%[a-z0-9_]+]] = linalg.generic {{.*}} ins([[X]], [[M]] : tensor<4x8xf32>, tensor<4xf32>) outs([[OUT]] : tensor<4x8xf32>)
// CHECK-NOT: lamina.kernel
// CHECK: func.return [[S]]
#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
func.func @one_kernel(%x: tensor<4x8xf32>, %init: tensor<4xf32>) -> tensor<4x8xf32> {
  %m = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<4x8xf32>) outs(%init : tensor<4xf32>) attrs = {lamina.kernel = 0 : i64} {
  ^bb0(%v: f32, %o: f32):
    %s = arith.maximumf %o, %v : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  %e = tensor.empty() : tensor<4x8xf32>
  %r = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %m : tensor<4x8xf32>, tensor<4xf32>) outs(%e : tensor<4x8xf32>) attrs = {lamina.kernel = 0 : i64} {
  ^bb0(%v: f32, %w: f32, %o: f32):
    %s = arith.subf %v, %w : f32
    linalg.yield %s : f32
  } -> tensor<4x8xf32>
  func.return %r : tensor<4x8xf32>
}

// -----

// Equal bodies are one function, whatever names and constants' places were; another is not.
// CHECK-LABEL: func.func @shares_equal_kernels(
// CHECK: [[A:%[a-z0-9_]+]] = func.call @map_0(%x, %{{.*}})
// CHECK: [[B:%[a-z0-9_]+]] = func.call @map_0([[A]], %{{.*}})
// CHECK: [[C:%[a-z0-9_]+]] = func.call @map_1([[B]], %{{.*}})
// CHECK: func.return [[C]]
// CHECK: func.func private @map_0(
// CHECK: math.exp
// CHECK: func.func private @map_1(
// CHECK: arith.negf
// CHECK-NOT: func.func
#id = affine_map<(d0) -> (d0)>
func.func @shares_equal_kernels(%x: tensor<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %a = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) attrs = {lamina.kernel = 0 : i64} {
  ^bb0(%v: f32, %o: f32):
    %s = math.exp %v : f32
    linalg.yield %s : f32
  } -> tensor<8xf32>
  %another = tensor.empty() : tensor<8xf32>
  %b = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%a : tensor<8xf32>) outs(%another : tensor<8xf32>) attrs = {lamina.kernel = 1 : i64} {
  ^bb0(%element: f32, %o: f32):
    %t = math.exp %element : f32
    linalg.yield %t : f32
  } -> tensor<8xf32>
  %c = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%b : tensor<8xf32>) outs(%e : tensor<8xf32>) attrs = {lamina.kernel = 2 : i64} {
  ^bb0(%v: f32, %o: f32):
    %s = arith.negf %v : f32
    linalg.yield %s : f32
  } -> tensor<8xf32>
  func.return %c : tensor<8xf32>
}

// -----

// Without a number each generic is a kernel; what it accumulates into goes along.
// CHECK-LABEL: func.func @without_numbers(
// CHECK-NOT: linalg.fill
// CHECK: [[E:%[a-z0-9_]+]] = tensor.empty() : tensor<4xf32>
// CHECK: func.call @reduce_0(%x, [[E]]) : (tensor<4x8xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK: func.func private @reduce_0(%{{.*}}: tensor<4x8xf32>, [[OUT:%[a-z0-9_]+]]: tensor<4xf32>) -> tensor<4xf32>
// CHECK: [[ZERO:%[a-z0-9_]+]] = arith.constant 0.0
// CHECK: [[F:%[a-z0-9_]+]] = linalg.fill ins([[ZERO]] : f32) outs([[OUT]]
// CHECK: linalg.generic {{.*}} outs([[F]]
#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
func.func @without_numbers(%x: tensor<4x8xf32>) -> tensor<4xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %s = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<4x8xf32>) outs(%f : tensor<4xf32>) {
  ^bb0(%v: f32, %o: f32):
    %s = arith.addf %o, %v : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  func.return %s : tensor<4xf32>
}

// -----

// A fill that is read as values is a kernel of its own.
// CHECK-LABEL: func.func @fill_as_a_value(
// CHECK: [[F:%[a-z0-9_]+]] = func.call @fill_0(%{{.*}}) : (tensor<4xf32>) -> tensor<4xf32>
// CHECK: func.return [[F]]
// CHECK: func.func private @fill_0([[OUT:%[a-z0-9_]+]]: tensor<4xf32>)
// CHECK: linalg.fill ins(%{{.*}} : f32) outs([[OUT]]
func.func @fill_as_a_value() -> tensor<4xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  func.return %f : tensor<4xf32>
}

// -----

// A contraction: its name is dot. A scalar that is no constant is an argument.
// CHECK-LABEL: func.func @dot(
// CHECK: func.call @dot_0(%s, %x, %w, %{{.*}}) : (f32, tensor<4x3xf32>, tensor<3x2xf32>, tensor<4x2xf32>) -> tensor<4x2xf32>
// CHECK: func.func private @dot_0([[S:%[a-z0-9_]+]]: f32, {{.*}}, %{{.*}}: tensor<4x2xf32>)
// CHECK: linalg.fill ins([[S]] : f32)
#lhs = affine_map<(d0, d1, d2) -> (d0, d2)>
#rhs = affine_map<(d0, d1, d2) -> (d2, d1)>
#out = affine_map<(d0, d1, d2) -> (d0, d1)>
func.func @dot(%x: tensor<4x3xf32>, %w: tensor<3x2xf32>, %s: f32) -> tensor<4x2xf32> {
  %e = tensor.empty() : tensor<4x2xf32>
  %f = linalg.fill ins(%s : f32) outs(%e : tensor<4x2xf32>) -> tensor<4x2xf32>
  %p = linalg.generic {indexing_maps = [#lhs, #rhs, #out], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<4x3xf32>, tensor<3x2xf32>) outs(%f : tensor<4x2xf32>) {
  ^bb0(%v: f32, %u: f32, %o: f32):
    %q = arith.mulf %v, %u : f32
    %s1 = arith.addf %o, %q : f32
    linalg.yield %s1 : f32
  } -> tensor<4x2xf32>
  func.return %p : tensor<4x2xf32>
}

// -----

// Rows that are read at their own place: long ones through the frame, short ones are laid out, since
// they are one long row then.
// CHECK-LABEL: func.func @rows_of_a_frame(
// CHECK: func.call @map_0(%x, %{{.*}}) : (tensor<70xf32>, tensor<72xf32>)
// CHECK: [[F:%[a-z0-9_]+]] = func.call @fill_0(
// CHECK: [[P:%[a-z0-9_]+]] = tensor.insert_slice %y into [[F]]
// CHECK: func.call @map_1([[P]], %{{.*}})
func.func @rows_of_a_frame(%x: tensor<70xf32>, %y: tensor<4x6xf32>) -> (tensor<72xf32>, tensor<4x8xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<72xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<72xf32>) -> tensor<72xf32>
  %p = tensor.insert_slice %x into %f[1] [70] [1] : tensor<70xf32> into tensor<72xf32>
  %o = tensor.empty() : tensor<72xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%p : tensor<72xf32>) outs(%o : tensor<72xf32>) {
  ^bb0(%v: f32, %out: f32):
    %s = arith.negf %v : f32
    linalg.yield %s : f32
  } -> tensor<72xf32>
  %e2 = tensor.empty() : tensor<4x8xf32>
  %f2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<4x8xf32>) -> tensor<4x8xf32>
  %p2 = tensor.insert_slice %y into %f2[0, 1] [4, 6] [1, 1] : tensor<4x6xf32> into tensor<4x8xf32>
  %o2 = tensor.empty() : tensor<4x8xf32>
  %r2 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%p2 : tensor<4x8xf32>) outs(%o2 : tensor<4x8xf32>) {
  ^bb0(%v: f32, %out: f32):
    %s = arith.mulf %v, %v : f32
    linalg.yield %s : f32
  } -> tensor<4x8xf32>
  func.return %r, %r2 : tensor<72xf32>, tensor<4x8xf32>
}

// -----

// A convolution takes the padding of its input along.
// CHECK-LABEL: func.func @padded_convolution(
// CHECK-NOT: tensor.insert_slice
// CHECK: func.call @conv_0(%x, %w, %{{.*}}) : (tensor<6xf32>, tensor<3xf32>, tensor<6xf32>) -> tensor<6xf32>
// CHECK-NOT: tensor.insert_slice
// CHECK: func.func private @conv_0(
// CHECK: [[E:%[a-z0-9_]+]] = tensor.empty() : tensor<8xf32>
// CHECK: [[F:%[a-z0-9_]+]] = linalg.fill {{.*}} outs([[E]]
// CHECK: [[P:%[a-z0-9_]+]] = tensor.insert_slice %{{.*}} into [[F]][1] [6] [1]
// CHECK: linalg.generic {{.*}} ins([[P]]
#window = affine_map<(d0, d1) -> (d0 + d1)>
#k = affine_map<(d0, d1) -> (d1)>
#out = affine_map<(d0, d1) -> (d0)>
func.func @padded_convolution(%x: tensor<6xf32>, %w: tensor<3xf32>) -> tensor<6xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %p = tensor.insert_slice %x into %f[1] [6] [1] : tensor<6xf32> into tensor<8xf32>
  %o = tensor.empty() : tensor<6xf32>
  %z = linalg.fill ins(%zero : f32) outs(%o : tensor<6xf32>) -> tensor<6xf32>
  %r = linalg.generic {indexing_maps = [#window, #k, #out], iterator_types = ["parallel", "reduction"]} ins(%p, %w : tensor<8xf32>, tensor<3xf32>) outs(%z : tensor<6xf32>) {
  ^bb0(%v: f32, %u: f32, %acc: f32):
    %q = arith.mulf %v, %u : f32
    %s = arith.addf %acc, %q : f32
    linalg.yield %s : f32
  } -> tensor<6xf32>
  func.return %r : tensor<6xf32>
}

// -----

// Padding that others read stays outside; its fill is a kernel.
// CHECK-LABEL: func.func @shared_padding(
// CHECK: [[F:%[a-z0-9_]+]] = func.call @fill_0(
// CHECK: [[P:%[a-z0-9_]+]] = tensor.insert_slice %x into [[F]]
// CHECK: [[R:%[a-z0-9_]+]] = func.call @conv_0([[P]], %w, %{{.*}})
// CHECK: func.return [[P]], [[R]]
#window = affine_map<(d0, d1) -> (d0 + d1)>
#k = affine_map<(d0, d1) -> (d1)>
#out = affine_map<(d0, d1) -> (d0)>
func.func @shared_padding(%x: tensor<6xf32>, %w: tensor<3xf32>) -> (tensor<8xf32>, tensor<6xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %p = tensor.insert_slice %x into %f[1] [6] [1] : tensor<6xf32> into tensor<8xf32>
  %o = tensor.empty() : tensor<6xf32>
  %z = linalg.fill ins(%zero : f32) outs(%o : tensor<6xf32>) -> tensor<6xf32>
  %r = linalg.generic {indexing_maps = [#window, #k, #out], iterator_types = ["parallel", "reduction"]} ins(%p, %w : tensor<8xf32>, tensor<3xf32>) outs(%z : tensor<6xf32>) {
  ^bb0(%v: f32, %u: f32, %acc: f32):
    %q = arith.mulf %v, %u : f32
    %s = arith.addf %acc, %q : f32
    linalg.yield %s : f32
  } -> tensor<6xf32>
  func.return %p, %r : tensor<8xf32>, tensor<6xf32>
}

// -----

// A private function's body is a kernel already.
// CHECK-LABEL: func.func @calls_a_kernel(
// CHECK-NEXT: func.call @map_0(%x, %y)
// CHECK: func.func private @map_0(%{{.*}}: tensor<4xf32>, [[OUT:%[a-z0-9_]+]]: tensor<4xf32>)
// CHECK-NEXT: linalg.generic {{.*}} outs([[OUT]]
// CHECK-NOT: func.call
#id = affine_map<(d0) -> (d0)>
func.func @calls_a_kernel(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %r = func.call @map_0(%x, %y) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  func.return %r : tensor<4xf32>
}
func.func private @map_0(%x: tensor<4xf32>, %out: tensor<4xf32>) -> tensor<4xf32> {
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<4xf32>) outs(%out : tensor<4xf32>) {
  ^bb0(%v: f32, %o: f32):
    %s = arith.negf %v : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  func.return %r : tensor<4xf32>
}

// -----

// Two results; sizes 0, 1 and `?`; a body that reads a tensor and an index from outside.
// CHECK-LABEL: func.func @two_results_of_odd_sizes(
// CHECK: [[R:%[a-z0-9_]+]], [[Q:%[a-z0-9_]+]] = func.call @map_0(%x, %k, %{{.*}}, %{{.*}}) : (tensor<?xf32>, index, tensor<0x1x?xf32>, tensor<0x1x?xf32>) -> (tensor<0x1x?xf32>, tensor<0x1x?xf32>)
// CHECK: func.return [[R]], [[Q]]
// CHECK: func.func private @map_0([[X:%[a-z0-9_]+]]: tensor<?xf32>, [[K:%[a-z0-9_]+]]: index, {{.*}}) -> (tensor<0x1x?xf32>, tensor<0x1x?xf32>)
// CHECK: tensor.extract [[X]]{{\[}}[[K]]]
#id = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
func.func @two_results_of_odd_sizes(%x: tensor<?xf32>, %n: index, %k: index) -> (tensor<0x1x?xf32>, tensor<0x1x?xf32>) {
  %e = tensor.empty(%n) : tensor<0x1x?xf32>
  %f = tensor.empty(%n) : tensor<0x1x?xf32>
  %r:2 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]} outs(%e, %f : tensor<0x1x?xf32>, tensor<0x1x?xf32>) {
  ^bb0(%o: f32, %p: f32):
    %v = tensor.extract %x[%k] : tensor<?xf32>
    %w = arith.negf %v : f32
    linalg.yield %v, %w : f32, f32
  } -> (tensor<0x1x?xf32>, tensor<0x1x?xf32>)
  func.return %r#0, %r#1 : tensor<0x1x?xf32>, tensor<0x1x?xf32>
}

// -----

// Rank 0, in a loop's body.
// CHECK-LABEL: func.func @rank_zero_in_a_loop(
// CHECK: scf.for
// CHECK: [[R:%[a-z0-9_]+]] = func.call @map_0(%{{.*}}, %{{.*}}) : (tensor<f32>, tensor<f32>) -> tensor<f32>
// CHECK-NEXT: scf.yield [[R]]
#id = affine_map<() -> ()>
func.func @rank_zero_in_a_loop(%x: tensor<f32>, %n: index) -> tensor<f32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%c = %x) -> (tensor<f32>) {
    %e = tensor.empty() : tensor<f32>
    %a = linalg.generic {indexing_maps = [#id, #id], iterator_types = []} ins(%c : tensor<f32>) outs(%e : tensor<f32>) attrs = {lamina.kernel = 0 : i64} {
    ^bb0(%v: f32, %o: f32):
      %p = math.exp %v : f32
      linalg.yield %p : f32
    } -> tensor<f32>
    scf.yield %a : tensor<f32>
  }
  func.return %r : tensor<f32>
}

// -----

// A fill that a called function writes over is a kernel of its own; names that are taken are not
// given again; the function itself is left alone.
// CHECK-LABEL: func.func @calls_a_function(
// CHECK: [[F:%[a-z0-9_]+]] = func.call @fill_1(%{{.*}}) : (tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: [[R:%[a-z0-9_]+]] = func.call @fill_0([[F]])
// CHECK-NEXT: func.return [[R]]
// CHECK: func.func private @fill_0(
// CHECK-NEXT: arith.constant 0 : index
// CHECK: func.func private @fill_1(
func.func @calls_a_function() -> tensor<4xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %r = func.call @fill_0(%f) : (tensor<4xf32>) -> tensor<4xf32>
  func.return %r : tensor<4xf32>
}
func.func private @fill_0(%out: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : f32
  %r = tensor.insert %one into %out[%c0] : tensor<4xf32>
  func.return %r : tensor<4xf32>
}

// -----

// A kernel that needs the loop comes after it, and so after the check before the loop.
// CHECK-LABEL: func.func @checks_stay_in_order(
// CHECK: func.call @lamina_check(%a
// CHECK: scf.for
// CHECK: func.call @lamina_check(%b
// CHECK: func.call @map_0(
func.func private @lamina_check(i1, i64, i64, i64) -> ()
#id = affine_map<(d0) -> (d0)>
func.func @checks_stay_in_order(%x: tensor<8xf32>, %a: i1, %b: i1, %n: index) -> (tensor<8xf32>, tensor<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = arith.constant 0 : i64
  %e = tensor.empty() : tensor<8xf32>
  func.call @lamina_check(%a, %0, %0, %0) : (i1, i64, i64, i64) -> ()
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%c = %x) -> (tensor<8xf32>) {
    func.call @lamina_check(%b, %0, %0, %0) : (i1, i64, i64, i64) -> ()
    scf.yield %c : tensor<8xf32>
  }
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%s : tensor<8xf32>) outs(%e : tensor<8xf32>) attrs = {lamina.kernel = 0 : i64} {
  ^bb0(%i: f32, %o: f32):
    %v = arith.negf %i : f32
    linalg.yield %v : f32
  } -> tensor<8xf32>
  func.return %y, %s : tensor<8xf32>, tensor<8xf32>
}

// -----

// So do windows that read a padded operand at several places.
// CHECK-LABEL: func.func @padded_windows(
// CHECK-NOT: tensor.insert_slice
// CHECK: func.call @map_0(%x, %{{.*}}) : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
// CHECK: func.func private @map_0(
// CHECK: [[F:%[a-z0-9_]+]] = linalg.fill
// CHECK: [[P:%[a-z0-9_]+]] = tensor.insert_slice %{{.*}} into [[F]][1] [6] [1]
// CHECK: linalg.generic {{.*}} ins([[P]], [[P]]
func.func @padded_windows(%x: tensor<6xf32>) -> tensor<6xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %p = tensor.insert_slice %x into %f[1] [6] [1] : tensor<6xf32> into tensor<8xf32>
  %o = tensor.empty() : tensor<6xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0 + 1)>, affine_map<(d0) -> (d0 + 2)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%p, %p : tensor<8xf32>, tensor<8xf32>) outs(%o : tensor<6xf32>) {
  ^bb0(%v: f32, %u: f32, %out: f32):
    %s = arith.addf %v, %u : f32
    linalg.yield %s : f32
  } -> tensor<6xf32>
  func.return %r : tensor<6xf32>
}

// -----

// A place that is known at run time only is no frame: it is written before.
// CHECK-LABEL: func.func @placed_at_run_time(
// CHECK: [[P:%[a-z0-9_]+]] = tensor.insert_slice %x into
// CHECK: func.call @map_0([[P]], %{{.*}})
func.func @placed_at_run_time(%x: tensor<6xf32>, %at: index) -> tensor<8xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %p = tensor.insert_slice %x into %f[%at] [6] [1] : tensor<6xf32> into tensor<8xf32>
  %o = tensor.empty() : tensor<8xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%p : tensor<8xf32>) outs(%o : tensor<8xf32>) {
  ^bb0(%v: f32, %out: f32):
    %s = arith.negf %v : f32
    linalg.yield %s : f32
  } -> tensor<8xf32>
  func.return %r : tensor<8xf32>
}
