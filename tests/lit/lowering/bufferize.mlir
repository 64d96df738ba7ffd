// RUN: %opt -p bufferize --split-input-file --verify-diagnostics %s | %check

// A result's buffer is the caller's: the kernel writes straight into it.
// CHECK-LABEL: func.func @writes_into_the_result(
// CHECK-SAME: %x: memref<4xf32>, %out: memref<4xf32>)
// CHECK-NEXT: func.call @map_0(%x, %out) : (memref<4xf32>, memref<4xf32>) -> ()
// CHECK-NEXT: func.return
// CHECK: func.func private @map_0([[X:%[a-z0-9_]+]]: memref<4xf32>, [[OUT:%[a-z0-9_]+]]: memref<4xf32>) {
// CHECK-NEXT: linalg.generic {{.*}} ins([[X]] : memref<4xf32>) outs([[OUT]] : memref<4xf32>) {
// CHECK: func.return
#id = affine_map<(d0) -> (d0)>
func.func @writes_into_the_result(%x: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %r = func.call @map_0(%x, %e) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
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

// A kernel's own temporary, its fill, and what its body reads of a whole tensor.
// CHECK-LABEL: func.func private @temporaries(
// CHECK-SAME: [[X:%[a-z0-9_]+]]: memref<4xf32>, [[K:%[a-z0-9_]+]]: index, [[OUT:%[a-z0-9_]+]]: memref<4xf32>)
// CHECK: [[T:%[a-z0-9_]+]] = memref.alloc() : memref<4xf32>
// CHECK: linalg.fill ins(%{{.*}} : f32) outs([[T]] : memref<4xf32>)
// CHECK: linalg.generic {{.*}} ins([[T]] : memref<4xf32>) outs([[OUT]]
// CHECK: [[V:%[a-z0-9_]+]] = memref.load [[X]]{{\[}}[[K]]]
// CHECK: arith.addf %{{.*}}, [[V]]
#id = affine_map<(d0) -> (d0)>
func.func private @temporaries(%x: tensor<4xf32>, %k: index, %out: tensor<4xf32>) -> tensor<4xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%f : tensor<4xf32>) outs(%out : tensor<4xf32>) {
  ^bb0(%v: f32, %o: f32):
    %w = tensor.extract %x[%k] : tensor<4xf32>
    %s = arith.addf %v, %w : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  func.return %r : tensor<4xf32>
}

// -----

// A write goes in place when nobody reads what it overwrites: one buffer, no copy.
// CHECK-LABEL: func.func @in_place(
// CHECK-NEXT: func.call @k(%x, %out)
// CHECK-NEXT: func.call @k(%x, %out)
// CHECK-NEXT: func.return
func.func private @k(%x: tensor<4xf32>, %out: tensor<4xf32>) -> tensor<4xf32> {
  func.return %out : tensor<4xf32>
}
func.func @in_place(%x: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %a = func.call @k(%x, %e) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %b = func.call @k(%x, %a) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  func.return %b : tensor<4xf32>
}

// -----

// Reasons for a copy: the old value is read later; it is an argument; it is also an operand.
// CHECK-LABEL: func.func @copies_what_is_read_later(
// CHECK-SAME: %x: memref<4xf32>, %out0: memref<4xf32>, %out1: memref<4xf32>)
// CHECK-NEXT: func.call @k(%x, %out0)
// CHECK-NEXT: memref.copy %out0, %out1
// CHECK-NEXT: func.call @k(%x, %out1)
// CHECK-NEXT: func.return
// CHECK: func.func @copies_an_argument(%x: memref<4xf32>, %y: memref<4xf32>, %out: memref<4xf32>)
// CHECK-NEXT: memref.copy %y, %out
// CHECK-NEXT: func.call @k(%x, %out)
// CHECK: func.func @copies_an_operand(%x: memref<4xf32>, %out: memref<4xf32>)
// CHECK: [[A:%[a-z0-9_]+]] = memref.alloc() : memref<4xf32>
// CHECK: func.call @k(%x, [[A]])
// CHECK: memref.copy [[A]], %out
// CHECK: func.call @k([[A]], %out)
func.func private @k(%x: tensor<4xf32>, %out: tensor<4xf32>) -> tensor<4xf32> {
  func.return %out : tensor<4xf32>
}
func.func @copies_what_is_read_later(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %e = tensor.empty() : tensor<4xf32>
  %a = func.call @k(%x, %e) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %b = func.call @k(%x, %a) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  func.return %a, %b : tensor<4xf32>, tensor<4xf32>
}
func.func @copies_an_argument(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %b = func.call @k(%x, %y) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  func.return %b : tensor<4xf32>
}
func.func @copies_an_operand(%x: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %a = func.call @k(%x, %e) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %b = func.call @k(%a, %a) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  func.return %b : tensor<4xf32>
}

// -----

// No result is an argument, a constant or another result: such ones are copied.
// CHECK: memref.global "private" constant @constant_0 : memref<2xf32> = dense<[1.0{{.*}}, 2.0{{.*}}]>
// CHECK-LABEL: func.func @results_are_fresh(
// CHECK-SAME: %x: memref<2xf32>, %out0: memref<2xf32>, %out1: memref<2xf32>, %out2: memref<2xf32>, %out3: memref<2xf32>)
// CHECK: [[C:%[a-z0-9_]+]] = memref.get_global @constant_0
// CHECK: func.call @k(%x, %out2)
// CHECK-DAG: memref.copy %x, %out0
// CHECK-DAG: memref.copy [[C]], %out1
// CHECK-DAG: memref.copy %out2, %out3
func.func private @k(%x: tensor<2xf32>, %out: tensor<2xf32>) -> tensor<2xf32> {
  func.return %out : tensor<2xf32>
}
func.func @results_are_fresh(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
  %c = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %e = tensor.empty() : tensor<2xf32>
  %a = func.call @k(%x, %e) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  func.return %x, %c, %a, %a : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}

// -----

// A donor is written where nobody reads it any more: as a destination, as the buffer of a result
// that is first touched later, or not at all.
// CHECK-LABEL: func.func @donors(
// CHECK-NEXT: func.call @k(%x, %p)
// CHECK-NEXT: func.call @k(%q, %out3)
// CHECK-NEXT: func.call @k(%x, %q)
// CHECK-NEXT: func.return
func.func private @k(%x: tensor<2xf32>, %out: tensor<2xf32>) -> tensor<2xf32> {
  func.return %out : tensor<2xf32>
}
func.func @donors(%x: tensor<2xf32>, %p: tensor<2xf32>, %q: tensor<2xf32>, %r: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) attributes {lamina.donors = array<i64: 1, 2, 3, -1>} {
  %a = func.call @k(%x, %p) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %e = tensor.empty() : tensor<2xf32>
  %b = func.call @k(%q, %e) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %f = tensor.empty() : tensor<2xf32>
  %c = func.call @k(%x, %f) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  func.return %a, %c, %r, %b : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}

// -----

// One that is read by the op that writes the result, or is a result itself, gets a copy at the end.
// CHECK-LABEL: func.func @donors_that_are_read(
// CHECK: [[A:%[a-z0-9_]+]] = memref.alloc()
// CHECK: func.call @k(%p, [[A]])
// CHECK: memref.copy %p, %out1
// CHECK-NEXT: memref.copy [[A]], %p
// CHECK-NEXT: func.return
func.func private @k(%x: tensor<2xf32>, %out: tensor<2xf32>) -> tensor<2xf32> {
  func.return %out : tensor<2xf32>
}
func.func @donors_that_are_read(%p: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) attributes {lamina.donors = array<i64: 0, -1>} {
  %e = tensor.empty() : tensor<2xf32>
  %a = func.call @k(%p, %e) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  func.return %a, %p : tensor<2xf32>, tensor<2xf32>
}

// -----

// Donors that change places go through copies: none is read after it was written.
// CHECK-LABEL: func.func @donors_change_places(
// CHECK: memref.copy %q, [[Q:%[a-z0-9_]+]] :
// CHECK: memref.copy %p, [[P:%[a-z0-9_]+]] :
// CHECK-DAG: memref.copy [[Q]], %p :
// CHECK-DAG: memref.copy [[P]], %q :
func.func @donors_change_places(%p: tensor<2xf32>, %q: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) attributes {lamina.donors = array<i64: 0, 1>} {
  func.return %q, %p : tensor<2xf32>, tensor<2xf32>
}

// -----

// Equal constants are one global, also of several functions; a resource keeps its name.
// CHECK: memref.global "private" constant @constant_0 : memref<2xi8>
// CHECK-NEXT: memref.global "private" constant @weights : memref<3xf32> = dense_resource<weights>
// CHECK-NOT: memref.global
// CHECK-LABEL: func.func @constants(
// CHECK: memref.get_global @constant_0
// CHECK: memref.get_global @constant_0
// CHECK: memref.get_global @weights
// CHECK: func.func @others(
// CHECK: memref.get_global @constant_0
func.func @constants() -> (tensor<2xi8>, tensor<2xi8>, tensor<3xf32>) {
  %a = arith.constant dense<[1, 0]> : tensor<2xi8>
  %b = arith.constant dense<[1, 0]> : tensor<2xi8>
  %w = arith.constant dense_resource<weights> : tensor<3xf32>
  func.return %a, %b, %w : tensor<2xi8>, tensor<2xi8>, tensor<3xf32>
}
func.func @others() -> tensor<2xi8> {
  %a = arith.constant dense<[1, 0]> : tensor<2xi8>
  func.return %a : tensor<2xi8>
}

// -----

// A slice is a view; a kernel that gets one is a function of its own.
// CHECK-LABEL: func.func @slices(
// CHECK: [[S:%[a-z0-9_]+]] = memref.subview %x[2] [4] [2] : memref<16xf32> to memref<4xf32, strided<[2], offset: 2>>
// CHECK: [[A:%[a-z0-9_]+]] = memref.cast [[S]] : memref<4xf32, strided<[2], offset: 2>> to memref<4xf32, strided<[2], offset: ?>>
// CHECK: func.call @k_v0([[A]], %out1)
// CHECK: func.func private @k(%{{.*}}: memref<4xf32>, %{{.*}}: memref<4xf32>)
// CHECK: func.func private @k_v0(%{{.*}}: memref<4xf32, strided<[2], offset: ?>>, %{{.*}}: memref<4xf32>)
func.func @slices(%x: tensor<16xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %e = tensor.empty() : tensor<4xf32>
  %a = func.call @k(%y, %e) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %s = tensor.extract_slice %x[2] [4] [2] : tensor<16xf32> to tensor<4xf32>
  %b = func.call @k(%s, %e) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  func.return %a, %b : tensor<4xf32>, tensor<4xf32>
}
func.func private @k(%x: tensor<4xf32>, %out: tensor<4xf32>) -> tensor<4xf32> {
  func.return %out : tensor<4xf32>
}

// -----

// Reshapes are views of contiguous buffers; what is strided is copied first.
// CHECK-LABEL: func.func @reshapes(
// CHECK: [[F:%[a-z0-9_]+]] = memref.collapse_shape %x {{\[\[}}0 : i64, 1 : i64]] : memref<2x3xf32> into memref<6xf32>
// CHECK: [[S:%[a-z0-9_]+]] = memref.subview %x[0, 0] [2, 2] [1, 1]
// CHECK: [[C:%[a-z0-9_]+]] = memref.alloc() : memref<2x2xf32>
// CHECK: memref.copy [[S]], [[C]]
// CHECK: [[G:%[a-z0-9_]+]] = memref.collapse_shape [[C]]
// CHECK-DAG: memref.copy [[F]], %out0
// CHECK-DAG: memref.copy [[G]], %out1
func.func @reshapes(%x: tensor<2x3xf32>) -> (tensor<6xf32>, tensor<4xf32>) {
  %f = tensor.collapse_shape %x [[0, 1]] : tensor<2x3xf32> into tensor<6xf32>
  %s = tensor.extract_slice %x[0, 0] [2, 2] [1, 1] : tensor<2x3xf32> to tensor<2x2xf32>
  %g = tensor.collapse_shape %s [[0, 1]] : tensor<2x2xf32> into tensor<4xf32>
  func.return %f, %g : tensor<6xf32>, tensor<4xf32>
}

// -----

// A join writes each part into its place of the result.
// CHECK-LABEL: func.func @joins(
// CHECK: [[P:%[a-z0-9_]+]] = memref.subview %out[0] [2] [1]
// CHECK-NEXT: memref.copy %x, [[P]]
// CHECK: [[Q:%[a-z0-9_]+]] = memref.subview %out[2] [3] [1]
// CHECK-NEXT: memref.copy %y, [[Q]]
// CHECK-NEXT: func.return
func.func @joins(%x: tensor<2xf32>, %y: tensor<3xf32>) -> tensor<5xf32> {
  %e = tensor.empty() : tensor<5xf32>
  %a = tensor.insert_slice %x into %e[0] [2] [1] : tensor<2xf32> into tensor<5xf32>
  %b = tensor.insert_slice %y into %a[2] [3] [1] : tensor<3xf32> into tensor<5xf32>
  func.return %b : tensor<5xf32>
}

// -----

// An update of an array by a part of itself: the part is copied first, the two may overlap.
// CHECK-LABEL: func.func @overlapping_update(
// CHECK: func.call @k(%x, %out)
// CHECK: [[S:%[a-z0-9_]+]] = memref.subview %out[0] [3] [1]
// CHECK: [[C:%[a-z0-9_]+]] = memref.alloc() : memref<3xf32>
// CHECK: memref.copy [[S]], [[C]]
// CHECK: [[D:%[a-z0-9_]+]] = memref.subview %out[1] [3] [1]
// CHECK: memref.copy [[C]], [[D]]
func.func private @k(%x: tensor<4xf32>, %out: tensor<4xf32>) -> tensor<4xf32> {
  func.return %out : tensor<4xf32>
}
func.func @overlapping_update(%x: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %a = func.call @k(%x, %e) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %s = tensor.extract_slice %a[0] [3] [1] : tensor<4xf32> to tensor<3xf32>
  %b = tensor.insert_slice %s into %a[1] [3] [1] : tensor<3xf32> into tensor<4xf32>
  func.return %b : tensor<4xf32>
}

// -----

// A carried tensor is one buffer that the loop's body updates.
// CHECK-LABEL: func.func @loop_in_place(
// CHECK: memref.copy %x, %out
// CHECK: scf.for %{{.*}} = %{{.*}} to %n step %{{.*}} {
// CHECK-NEXT: func.call @k(%y, %out)
// CHECK-NOT: memref.copy
// CHECK: func.return
func.func private @k(%x: tensor<4xf32>, %out: tensor<4xf32>) -> tensor<4xf32> {
  func.return %out : tensor<4xf32>
}
func.func @loop_in_place(%x: tensor<4xf32>, %y: tensor<4xf32>, %n: index) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%c = %x) -> (tensor<4xf32>) {
    %a = func.call @k(%y, %c) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    scf.yield %a : tensor<4xf32>
  }
  func.return %r : tensor<4xf32>
}

// -----

// A body that reads the old value after the new one exists: one more buffer, one copy a trip.
// CHECK-LABEL: func.func @loop_with_a_copy(
// CHECK: memref.copy %x, [[C:%[a-z0-9_]+]]
// CHECK: scf.for
// CHECK: [[A:%[a-z0-9_]+]] = memref.alloc() : memref<4xf32>
// CHECK: func.call @k([[C]], [[A]])
// CHECK: memref.copy [[A]], [[C]]
// CHECK: func.return
func.func private @k(%x: tensor<4xf32>, %out: tensor<4xf32>) -> tensor<4xf32> {
  func.return %out : tensor<4xf32>
}
func.func @loop_with_a_copy(%x: tensor<4xf32>, %n: index) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%c = %x) -> (tensor<4xf32>) {
    %e = tensor.empty() : tensor<4xf32>
    %a = func.call @k(%c, %e) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    scf.yield %a : tensor<4xf32>
  }
  func.return %r : tensor<4xf32>
}

// -----

// Two carried values that change places: both copies read what was there before.
// CHECK-LABEL: func.func @loop_that_swaps(
// CHECK: scf.for
// CHECK-DAG: memref.copy [[A:%[a-z0-9_]+]], [[T:%[a-z0-9_]+]]
// CHECK-DAG: memref.copy [[B:%[a-z0-9_]+]], [[U:%[a-z0-9_]+]]
// CHECK-DAG: memref.copy [[T]], [[B]]
// CHECK-DAG: memref.copy [[U]], [[A]]
// CHECK: func.return
func.func @loop_that_swaps(%x: tensor<4xf32>, %y: tensor<4xf32>, %n: index) -> (tensor<4xf32>, tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%c = %x, %d = %y) -> (tensor<4xf32>, tensor<4xf32>) {
    scf.yield %d, %c : tensor<4xf32>, tensor<4xf32>
  }
  func.return %r#0, %r#1 : tensor<4xf32>, tensor<4xf32>
}

// -----

// Both branches write the result's buffer; scalars stay results.
// CHECK-LABEL: func.func @branches(
// CHECK: [[S:%[a-z0-9_]+]] = scf.if %flag -> (index) {
// CHECK: memref.copy %x, [[R:%[a-z0-9_]+]]
// CHECK: scf.yield %n : index
// CHECK: } else {
// CHECK: memref.copy %y, [[R]]
// CHECK: scf.yield %m : index
func.func @branches(%flag: i1, %x: tensor<4xf32>, %y: tensor<4xf32>, %n: index, %m: index) -> (tensor<4xf32>) {
  %r:2 = scf.if %flag -> (tensor<4xf32>, index) {
    scf.yield %x, %n : tensor<4xf32>, index
  } else {
    scf.yield %y, %m : tensor<4xf32>, index
  }
  %s = tensor.extract_slice %r#0[0] [4] [1] : tensor<4xf32> to tensor<4xf32>
  func.return %s : tensor<4xf32>
}

// -----

// Elements are read and written where they are; what is read before a write needs no copy.
// CHECK-LABEL: func.func @elements(
// CHECK: memref.copy %x, [[B:%[a-z0-9_]+]]
// CHECK: scf.for [[I:%[a-z0-9_]+]] =
// CHECK: [[V:%[a-z0-9_]+]] = memref.load [[B]][[[I]]]
// CHECK-NEXT: [[W:%[a-z0-9_]+]] = memref.load [[B]][[[Z:%[a-z0-9_]+]]]
// CHECK-NEXT: memref.store [[V]], [[B]][[[Z]]]
// CHECK-NEXT: memref.store [[W]], [[B]][[[I]]]
// CHECK-NEXT: }
func.func @elements(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%c = %x) -> (tensor<4xf32>) {
    %v = tensor.extract %c[%i] : tensor<4xf32>
    %w = tensor.extract %c[%c0] : tensor<4xf32>
    %d = tensor.insert %v into %c[%c0] : tensor<4xf32>
    %e = tensor.insert %w into %d[%i] : tensor<4xf32>
    scf.yield %e : tensor<4xf32>
  }
  func.return %r : tensor<4xf32>
}

// -----

// Windows that are read after the write are copied, not the whole; dims of size 1 may be missing.
// CHECK-LABEL: func.func @swapped_rows(
// CHECK: memref.copy %x, [[B:%[a-z0-9_]+]]
// CHECK: scf.for [[I:%[a-z0-9_]+]] =
// CHECK: [[P:%[a-z0-9_]+]] = memref.subview [[B]][[[I]], 0] [1, 3] [1, 1] : memref<4x3xf32> to memref<3xf32, strided<[1], offset: ?>>
// CHECK: [[Q:%[a-z0-9_]+]] = memref.subview [[B]][0, 0] [1, 3] [1, 1] : memref<4x3xf32> to memref<3xf32, strided<[1]>>
// CHECK: memref.copy [[Q]], [[S:%[a-z0-9_]+]]
// CHECK: [[R:%[a-z0-9_]+]] = memref.alloc() : memref<3xf32>
// CHECK-NEXT: memref.copy [[P]], [[R]]
// CHECK: memref.copy [[S]], %{{.*}} : memref<3xf32> to memref<3xf32, strided<[1], offset: ?>>
// CHECK: memref.copy [[R]], %{{.*}} : memref<3xf32> to memref<3xf32, strided<[1], offset: ?>>
func.func @swapped_rows(%x: tensor<4x3xf32>) -> tensor<4x3xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%c = %x) -> (tensor<4x3xf32>) {
    %p = tensor.extract_slice %c[%i, 0] [1, 3] [1, 1] : tensor<4x3xf32> to tensor<3xf32>
    %q = tensor.extract_slice %c[0, 0] [1, 3] [1, 1] : tensor<4x3xf32> to tensor<3xf32>
    %d = tensor.insert_slice %q into %c[%i, 0] [1, 3] [1, 1] : tensor<3xf32> into tensor<4x3xf32>
    %e = tensor.insert_slice %p into %d[%c0, 0] [1, 3] [1, 1] : tensor<3xf32> into tensor<4x3xf32>
    scf.yield %e : tensor<4x3xf32>
  }
  func.return %r : tensor<4x3xf32>
}

// -----

// A kernel writes its window of a larger buffer itself; not when it reads that buffer, or somebody
// does before the window is written. What tells the place is computed before.
// CHECK-LABEL: func.func @windows_of_kernels(
// CHECK: scf.for [[I:%[a-z0-9_]+]] =
// CHECK: [[P:%[a-z0-9_]+]] = arith.minsi [[I]]
// CHECK: [[W:%[a-z0-9_]+]] = memref.subview [[C:%[a-z0-9_]+]][[[P]]] [3] [1]
// CHECK-NEXT: func.call @double(%y, [[W]])
// CHECK-NOT: memref.copy
// CHECK: [[E:%[a-z0-9_]+]] = memref.alloc() : memref<3xf32>
// CHECK: func.call @double_v0(%{{.*}}, [[E]])
// CHECK: memref.copy [[E]]
// CHECK: [[F:%[a-z0-9_]+]] = memref.alloc() : memref<3xf32>
// CHECK: func.call @double_v1(%y, [[F]])
// CHECK: memref.load [[C]]
// CHECK: memref.copy [[F]]
func.func private @double(%x: tensor<3xf32>, %out: tensor<3xf32>) -> tensor<3xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%x : tensor<3xf32>) outs(%out : tensor<3xf32>) {
  ^bb0(%a: f32, %o: f32):
    %b = arith.addf %a, %a : f32
    linalg.yield %b : f32
  } -> tensor<3xf32>
  func.return %r : tensor<3xf32>
}
func.func @windows_of_kernels(%x: tensor<8xf32>, %y: tensor<3xf32>) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %zero = arith.constant 0.0 : f32
  %r, %t = scf.for %i = %c0 to %c5 step %c1 iter_args(%c = %x, %s = %zero) -> (tensor<8xf32>, f32) {
    %e = tensor.empty() : tensor<3xf32>
    %k = func.call @double(%y, %e) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    %p = arith.minsi %i, %c5 : index
    %d = tensor.insert_slice %k into %c[%p] [3] [1] : tensor<3xf32> into tensor<8xf32>
    %w = tensor.extract_slice %d[1] [3] [1] : tensor<8xf32> to tensor<3xf32>
    %e2 = tensor.empty() : tensor<3xf32>
    %k2 = func.call @double(%w, %e2) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    %d2 = tensor.insert_slice %k2 into %d[2] [3] [1] : tensor<3xf32> into tensor<8xf32>
    %e3 = tensor.empty() : tensor<3xf32>
    %k3 = func.call @double(%y, %e3) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    %v = tensor.extract %d2[%c0] : tensor<8xf32>
    %d3 = tensor.insert_slice %k3 into %d2[0] [3] [1] : tensor<3xf32> into tensor<8xf32>
    scf.yield %d3, %v : tensor<8xf32>, f32
  }
  func.return %r : tensor<8xf32>
}

// -----

// A branch writes a tensor from around it in place, when nobody reads that one afterwards: also from
// another branch inside it. The other way round it is copied.
// CHECK-LABEL: func.func @branch_in_place(
// CHECK: memref.copy %x, [[B:%[a-z0-9_]+]]
// CHECK: scf.for
// CHECK-NOT: memref.copy
// CHECK: scf.if %flag {
// CHECK-NEXT: memref.store %{{.*}}, [[B]]
// CHECK-NEXT: scf.if %other {
// CHECK-NEXT: } else {
// CHECK-NEXT: }
// CHECK-NEXT: scf.if %other {
// CHECK-NEXT: memref.store %{{.*}}, [[B]]
// CHECK-NEXT: } else {
// CHECK-NEXT: }
// CHECK-NEXT: } else {
// CHECK-NEXT: }
// CHECK-NEXT: }
func.func @branch_in_place(%x: tensor<4xf32>, %v: f32, %flag: i1, %other: i1) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%c = %x) -> (tensor<4xf32>) {
    %d = scf.if %flag -> (tensor<4xf32>) {
      %e = tensor.insert %v into %c[%i] : tensor<4xf32>
      %g = scf.if %other -> (tensor<4xf32>) {
        scf.yield %e : tensor<4xf32>
      } else {
        scf.yield %e : tensor<4xf32>
      }
      %h = scf.if %other -> (tensor<4xf32>) {
        %f = tensor.insert %v into %g[%c0] : tensor<4xf32>
        scf.yield %f : tensor<4xf32>
      } else {
        scf.yield %g : tensor<4xf32>
      }
      scf.yield %h : tensor<4xf32>
    } else {
      scf.yield %c : tensor<4xf32>
    }
    scf.yield %d : tensor<4xf32>
  }
  func.return %r : tensor<4xf32>
}

// -----

// CHECK-LABEL: func.func @branch_of_a_value_that_lives(
// CHECK: scf.for
// CHECK: scf.if %flag {
// CHECK: memref.copy
// CHECK-NEXT: memref.store
// CHECK: memref.load
func.func @branch_of_a_value_that_lives(%x: tensor<4xf32>, %v: f32, %flag: i1) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%c = %x) -> (tensor<4xf32>) {
    %d = scf.if %flag -> (tensor<4xf32>) {
      %e = tensor.insert %v into %c[%i] : tensor<4xf32>
      scf.yield %e : tensor<4xf32>
    } else {
      scf.yield %c : tensor<4xf32>
    }
    %w = tensor.extract %c[%c0] : tensor<4xf32>
    %f = tensor.insert %w into %d[%i] : tensor<4xf32>
    scf.yield %f : tensor<4xf32>
  }
  func.return %r : tensor<4xf32>
}

// -----

// A while loop: the condition reads the carried buffer, the body updates it.
// CHECK-LABEL: func.func @while_in_place(
// CHECK: memref.copy %x, [[C:%[a-z0-9_]+]]
// CHECK: scf.while
// CHECK: memref.load [[C]]
// CHECK: scf.condition
// CHECK: func.call @k(%y, [[C]])
// CHECK-NOT: memref.copy
// CHECK: scf.yield
func.func private @k(%x: tensor<4xf32>, %out: tensor<4xf32>) -> tensor<4xf32> {
  func.return %out : tensor<4xf32>
}
func.func @while_in_place(%x: tensor<4xf32>, %y: tensor<4xf32>, %limit: f32) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %r = scf.while (%c = %x) : (tensor<4xf32>) -> tensor<4xf32> {
    %v = tensor.extract %c[%c0] : tensor<4xf32>
    %go = arith.cmpf olt, %v, %limit : f32
    scf.condition(%go) %c : tensor<4xf32>
  } do {
  ^bb0(%c: tensor<4xf32>):
    %a = func.call @k(%y, %c) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    scf.yield %a : tensor<4xf32>
  }
  func.return %r : tensor<4xf32>
}

// -----

// Run-time sizes: a result notes the argument and axis whose size it has.
// CHECK-LABEL: func.func @run_time_sizes(
// CHECK-SAME: %x: memref<4x?xf32>, %out: memref<?xf32>)
// CHECK-SAME: lamina.result_sizes = [array<i64: 0, 1>]
// CHECK: func.call @k(%x, %out)
// CHECK: func.func private @k(%{{.*}}: memref<4x?xf32>, [[OUT:%[a-z0-9_]+]]: memref<?xf32>)
// CHECK: memref.dim [[OUT]]
func.func @run_time_sizes(%x: tensor<4x?xf32>) -> tensor<?xf32> {
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c1 : tensor<4x?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %r = func.call @k(%x, %e) : (tensor<4x?xf32>, tensor<?xf32>) -> tensor<?xf32>
  func.return %r : tensor<?xf32>
}
func.func private @k(%x: tensor<4x?xf32>, %out: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %out, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  func.return %out : tensor<?xf32>
}

// -----

// Rank 0 and sizes 0 and 1; a scalar becomes an array and back.
// CHECK-LABEL: func.func @small(
// CHECK-SAME: %x: memref<i64>, %y: memref<0x1xf32>, %out0: memref<i64>, %out1: memref<0x1xf32>)
// CHECK: [[V:%[a-z0-9_]+]] = memref.load %x[]
// CHECK: [[W:%[a-z0-9_]+]] = arith.addi [[V]], [[V]]
// CHECK: memref.store [[W]], %out0[]
// CHECK: func.call @k(%y, %out1)
func.func private @k(%x: tensor<0x1xf32>, %out: tensor<0x1xf32>) -> tensor<0x1xf32> {
  func.return %out : tensor<0x1xf32>
}
func.func @small(%x: tensor<i64>, %y: tensor<0x1xf32>) -> (tensor<i64>, tensor<0x1xf32>) {
  %v = tensor.extract %x[] : tensor<i64>
  %w = arith.addi %v, %v : i64
  %r = tensor.from_elements %w : tensor<i64>
  %e = tensor.empty() : tensor<0x1xf32>
  %a = func.call @k(%y, %e) : (tensor<0x1xf32>, tensor<0x1xf32>) -> tensor<0x1xf32>
  func.return %r, %a : tensor<i64>, tensor<0x1xf32>
}

// -----

func.func @no_rule(%x: tensor<4xf32>) -> tensor<?xf32> {
  // expected-error {{bufferize: expected an op with a rule for tensors, found tensor.cast}}
  %r = "tensor.cast"(%x) : (tensor<4xf32>) -> tensor<?xf32>
  func.return %r : tensor<?xf32>
}

// -----

func.func private @no_kernel_op(%x: tensor<4xf32>, %out: tensor<4xf32>, %n: index) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  // expected-error {{bufferize: expected an op of a kernel, found scf.for}}
  scf.for %i = %c0 to %n step %n {
  }
  %zero = arith.constant 0.0 : f32
  %r = linalg.fill ins(%zero : f32) outs(%out : tensor<4xf32>) -> tensor<4xf32>
  func.return %r : tensor<4xf32>
}

// -----

// A result's size may be computed from sizes of arguments; the caller computes it, too.
// CHECK-LABEL: func.func @computed_size(
// CHECK-SAME: %x: memref<?x3xf32>, [[OUT:%[a-z0-9_]+]]: memref<?xf32>, %{{.*}}: memref<?xf32>)
// CHECK-SAME: lamina.result_sizes = [
// CHECK-SAME: ["floordiv", ["add", array<i64: 0, 0>, 7 : i64], 2 : i64], ["mul", array<i64: 0, 0>, 3 : i64]]
// CHECK: func.call @filled([[OUT]])
func.func @computed_size(%x: tensor<?x3xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c7 = arith.constant 7 : index
  %n = tensor.dim %x, %c0 : tensor<?x3xf32>
  %m = arith.addi %n, %c7 : index
  %h = arith.divui %m, %c2 : index
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty(%h) : tensor<?xf32>
  %r = func.call @filled(%e) : (tensor<?xf32>) -> tensor<?xf32>
  %f = tensor.collapse_shape %x [[0, 1]] : tensor<?x3xf32> into tensor<?xf32>
  func.return %r, %f : tensor<?xf32>, tensor<?xf32>
}
func.func private @filled(%out: tensor<?xf32>) -> tensor<?xf32> {
  %zero = arith.constant 0.0 : f32
  %r = linalg.fill ins(%zero : f32) outs(%out : tensor<?xf32>) -> tensor<?xf32>
  func.return %r : tensor<?xf32>
}

// -----

// More than sizes: nobody knows it before the call.
func.func @unknown_size(%x: tensor<4xi64>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %v = tensor.extract %x[%c0] : tensor<4xi64>
  %m = arith.index_cast %v : i64 to index
  // expected-error {{bufferize: expected each dynamic size of a result to be computed from sizes of arguments, found another on axis 0 of tensor.empty; give the function static shapes}}
  %e = tensor.empty(%m) : tensor<?xf32>
  func.return %e : tensor<?xf32>
}

// -----

// expected-error@+1 {{bufferize: expected a function of one block, found @main with branches; use scf.if or scf.while}}
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  cf.br ^a
^a:
  func.return %x : tensor<4xf32>
}

// -----

func.func private @g(%x: tensor<4xf32>) -> tensor<4xf32>
func.func @calls_a_declaration(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{bufferize: expected a call of a private function with a body, found @g}}
  %y = func.call @g(%x) : (tensor<4xf32>) -> tensor<4xf32>
  func.return %y : tensor<4xf32>
}

// -----

func.func @main(%x: tensor<?xf32>, %n: index) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error@+1 {{bufferize: expected scf.for to carry tensors of one size, known before it, found a tensor<?xf32> of a size that may change}}
  %y = scf.for %i = %c0 to %n step %c1 iter_args(%t = %x) -> (tensor<?xf32>) {
    %e = tensor.empty(%i) : tensor<?xf32>
    scf.yield %e : tensor<?xf32>
  }
  func.return %y : tensor<?xf32>
}

// -----

// expected-error@+1 {{bufferize: expected a function that returns tensors, found a result f32}}
func.func @scalar_result(%x: f32) -> f32 {
  func.return %x : f32
}

// -----

// Text may leave out what the type of a slice needs.
func.func @slice_without_strides(%x: tensor<2xf32>) -> tensor<5xf32> {
  %e = tensor.empty() : tensor<5xf32>
  // expected-error {{bufferize: expected 1 offsets, sizes and strides, found 1, 1, 0}}
  %a = tensor.insert_slice %x into %e[0] [2] [] : tensor<2xf32> into tensor<5xf32>
  func.return %a : tensor<5xf32>
}

// -----

// Loops over elements: the carried tensor is the destination, everywhere; scalars are still carried.
// CHECK-LABEL: func.func private @running_sum(
// CHECK-SAME: [[X:%[a-z0-9_]+]]: memref<4xf32>, [[OUT:%[a-z0-9_]+]]: memref<4xf32>) {
// CHECK: scf.for [[I:%[a-z0-9_]+]] = {{.*}} iter_args([[T:%[a-z0-9_]+]] = %{{.*}}) -> (f32) {
// CHECK-NEXT: [[V:%[a-z0-9_]+]] = memref.load [[X]]{{\[}}[[I]]]
// CHECK-NEXT: [[S:%[a-z0-9_]+]] = arith.addf [[T]], [[V]]
// CHECK-NEXT: memref.store [[S]], [[OUT]]{{\[}}[[I]]]
// CHECK-NEXT: scf.yield [[S]] : f32
// CHECK-NEXT: } {lamina.parallel = 8 : i64}
// CHECK-NEXT: func.return
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %r = func.call @running_sum(%x, %e) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  func.return %r : tensor<4xf32>
}
func.func private @running_sum(%x: tensor<4xf32>, %out: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0.0 : f32
  %r, %total = scf.for %i = %c0 to %c4 step %c1 iter_args(%o = %out, %t = %zero) -> (tensor<4xf32>, f32) {
    %v = tensor.extract %x[%i] : tensor<4xf32>
    %s = arith.addf %t, %v : f32
    %n = tensor.insert %s into %o[%i] : tensor<4xf32>
    scf.yield %n, %s : tensor<4xf32>, f32
  } {lamina.parallel = 8 : i64}
  func.return %r : tensor<4xf32>
}

// -----

// Scratch is an allocation, given back at the end of its block where its size is not static; `if`
// and `while` update the place that they were given; an operand that is read later is copied.
// CHECK-LABEL: func.func @main(
// CHECK: memref.copy %x, [[C:%[a-z0-9_]+]]
// CHECK-NEXT: func.call @control(%n, [[C]]) : (index, memref<?xf32>) -> ()
// CHECK-LABEL: func.func private @control(
// CHECK-SAME: [[N:%[a-z0-9_]+]]: index, [[OUT:%[a-z0-9_]+]]: memref<?xf32>) {
// CHECK: [[S:%[a-z0-9_]+]] = memref.alloc([[N]]) : memref<?xf32>
// CHECK: memref.store %{{.*}}, [[S]]
// CHECK: scf.if %{{.*}} {
// CHECK-NEXT: memref.store %{{.*}}, [[OUT]]
// CHECK: scf.while (%{{.*}} = %{{.*}}) : (index) -> index {
// CHECK: scf.condition(%{{.*}}) %{{.*}} : index
// CHECK: memref.store %{{.*}}, [[OUT]]
// CHECK: scf.yield %{{.*}} : index
// CHECK: memref.dealloc [[S]]
// CHECK-NEXT: func.return
func.func @main(%x: tensor<?xf32>, %n: index) -> (tensor<?xf32>, tensor<?xf32>) {
  %r = func.call @control(%n, %x) : (index, tensor<?xf32>) -> tensor<?xf32>
  func.return %r, %x : tensor<?xf32>, tensor<?xf32>
}
func.func private @control(%n: index, %out: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = arith.constant 7.0 : f32
  %e = tensor.empty(%n) : tensor<?xf32>
  %f = tensor.insert %v into %e[%c0] : tensor<?xf32>
  %w = tensor.extract %f[%c0] : tensor<?xf32>
  %p = arith.cmpi slt, %c1, %n : index
  %a = scf.if %p -> (tensor<?xf32>) {
    %b = tensor.insert %w into %out[%c0] : tensor<?xf32>
    scf.yield %b : tensor<?xf32>
  } else {
    scf.yield %out : tensor<?xf32>
  }
  %last, %r = scf.while (%i = %c0, %o = %a) : (index, tensor<?xf32>) -> (index, tensor<?xf32>) {
    %q = arith.cmpi slt, %i, %n : index
    scf.condition(%q) %i, %o : index, tensor<?xf32>
  } do {
  ^bb0(%i: index, %o: tensor<?xf32>):
    %j = arith.addi %i, %c1 : index
    %u = tensor.insert %v into %o[%i] : tensor<?xf32>
    scf.yield %j, %u : index, tensor<?xf32>
  }
  func.return %r : tensor<?xf32>
}

// -----

// A tensor that was written into is not there any more.
func.func private @reads_what_it_wrote(%v: f32, %out: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %a = tensor.insert %v into %out[%c0] : tensor<4xf32>
  // expected-error {{bufferize: tensor.extract: expected a tensor that no op before has written into, found one}}
  %w = tensor.extract %out[%c0] : tensor<4xf32>
  %b = tensor.insert %w into %a[%c0] : tensor<4xf32>
  func.return %b : tensor<4xf32>
}

// -----

// Each iteration would begin with what the one before left.
func.func private @writes_from_outside(%v: f32, %out: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %e = tensor.empty() : tensor<4xf32>
  scf.for %i = %c0 to %c4 step %c1 {
    // expected-error {{bufferize: tensor.insert: expected to write a tensor that the loop carries, found another}}
    %n = tensor.insert %v into %e[%i] : tensor<4xf32>
  }
  func.return %out : tensor<4xf32>
}

// -----

func.func private @changes_places(%out: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  // expected-error {{bufferize: func.return: expected each tensor in the place it began in, found another}}
  func.return %e : tensor<4xf32>
}

// -----

func.func private @branches(%p: i1, %v: f32, %out: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  // expected-error {{bufferize: scf.if: expected both branches to yield each tensor in the same place}}
  %r = scf.if %p -> (tensor<4xf32>) {
    scf.yield %e : tensor<4xf32>
  } else {
    scf.yield %out : tensor<4xf32>
  }
  func.return %r : tensor<4xf32>
}

// -----

func.func private @hands_on_less(%n: index, %out: tensor<4xf32>) -> tensor<4xf32> {
  %c1 = arith.constant 1 : index
  // expected-error {{bufferize: scf.while: expected a loop that hands on what it carries, found other types}}
  %r = scf.while (%i = %n, %o = %out) : (index, tensor<4xf32>) -> (tensor<4xf32>) {
    %q = arith.cmpi slt, %i, %c1 : index
    scf.condition(%q) %o : tensor<4xf32>
  } do {
  ^bb0(%o: tensor<4xf32>):
    scf.yield %c1, %o : index, tensor<4xf32>
  }
  func.return %r : tensor<4xf32>
}

// -----

func.func private @op_on_whole_tensors(%out: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error {{bufferize: arith.addf: expected an op on elements or scalars}}
  %r = arith.addf %out, %out : tensor<4xf32>
  func.return %r : tensor<4xf32>
}

// -----

// A check takes scalars: it is no kernel, and has no destinations.
// CHECK-LABEL: func.func @checks(
// CHECK: [[FLAG:%[a-z0-9_]+]] = memref.load %ok[] : memref<i8>
// CHECK: func.call @lamina_check(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) {lamina.check = {error = "DomainError", message = "no"}} : (i1, i64, i64, i64) -> ()
func.func private @lamina_check(i1, i64, i64, i64) -> ()
func.func @checks(%ok: tensor<i8>) -> tensor<i8> {
  %flag = tensor.extract %ok[] : tensor<i8>
  %c0 = arith.constant 0 : i8
  %holds = arith.cmpi ne, %flag, %c0 : i8
  %0 = arith.constant 0 : i64
  func.call @lamina_check(%holds, %0, %0, %0) {lamina.check = {error = "DomainError", message = "no"}} : (i1, i64, i64, i64) -> ()
  func.return %ok : tensor<i8>
}

// -----

// What is bufferized stays as it is.
func.func private @done(%x: memref<4xf32>, %out: memref<4xf32>) {
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%x : memref<4xf32>) outs(%out : memref<4xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  }
  func.return
}
func.func @calls_what_is_done(%x: memref<4xf32>, %out: memref<4xf32>) {
  func.call @done(%x, %out) : (memref<4xf32>, memref<4xf32>) -> ()
  func.return
}
// CHECK: func.func private @done(%{{.*}}: memref<4xf32>, %{{.*}}: memref<4xf32>)
// CHECK: linalg.generic
// CHECK: func.call @done(%x, %out)

// -----

// Code that is not ours gets contiguous buffers: a view is copied.
// CHECK-LABEL: func.func @foreign(
// CHECK: func.call @lamina_print_0(%{{.*}}, %x) {lamina.text = {format = "{}", types = [tensor<4x3xf32>]}} : (i64, memref<4x3xf32>) -> ()
// CHECK: [[COPY:%[a-z0-9_]+]] = memref.alloc() {{.*}}: memref<4x1xf32>
// CHECK: memref.copy %{{.*}}, [[COPY]]
// CHECK: func.call @lamina_custom_call_0(%{{.*}}, [[COPY]], %out) {lamina.custom_call = {symbol = "f"}} : (i64, memref<4x1xf32>, memref<2xf32>) -> ()
// CHECK: func.func private @lamina_print_0(i64, memref<4x3xf32>) -> () attributes {lamina.text}
// CHECK: func.func private @lamina_custom_call_0(i64, memref<4x1xf32>, memref<2xf32>) -> () attributes {lamina.custom_call}
func.func @foreign(%x: tensor<4x3xf32>) -> tensor<2xf32> {
  %n = arith.constant 0 : i64
  func.call @lamina_print_0(%n, %x) {lamina.text = {format = "{}", types = [tensor<4x3xf32>]}} : (i64, tensor<4x3xf32>) -> ()
  %column = tensor.extract_slice %x[0, 1] [4, 1] [1, 1] : tensor<4x3xf32> to tensor<4x1xf32>
  %e = tensor.empty() : tensor<2xf32>
  %m = arith.constant 1 : i64
  %y = func.call @lamina_custom_call_0(%m, %column, %e) {lamina.custom_call = {symbol = "f"}} : (i64, tensor<4x1xf32>, tensor<2xf32>) -> tensor<2xf32>
  func.return %y : tensor<2xf32>
}
func.func private @lamina_print_0(i64, tensor<4x3xf32>) attributes {lamina.text}
func.func private @lamina_custom_call_0(i64, tensor<4x1xf32>, tensor<2xf32>) -> tensor<2xf32> attributes {lamina.custom_call}
