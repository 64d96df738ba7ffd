// RUN: %opt -p convert-to-llvm --split-input-file --verify-diagnostics %s | %check

// A kernel takes the context, a pointer a memref, and the `?` sizes; it returns a status.
// CHECK: llvm.mlir.global external constant @lamina_scratch_bytes(0 : i64)
// CHECK: llvm.mlir.global external constant @lamina_arena_bytes(0 : i64)
// CHECK-LABEL: llvm.func @signature(
// CHECK-SAME: %context: !llvm.ptr, %x: !llvm.ptr, %s: i64, %y: !llvm.ptr {llvm.noalias}, [[N:%[a-z0-9]+]]: i64, [[M:%[a-z0-9]+]]: i64) -> i32
// CHECK: [[OK:%[a-z0-9]+]] = llvm.mlir.constant(0 : i32) : i32
// CHECK: [[P:%[a-z0-9]+]] = llvm.getelementptr inbounds %x{{\[}}[[N]]] : (!llvm.ptr, i64) -> !llvm.ptr, f32
// CHECK: [[V:%[a-z0-9]+]] = llvm.load [[P]] {alignment = 4 : i64} : !llvm.ptr -> f32
// CHECK: [[AT:%[a-z0-9]+]] = llvm.mul %s, [[M]] : i64
// CHECK: [[Q:%[a-z0-9]+]] = llvm.getelementptr inbounds %y{{\[}}[[AT]]]
// CHECK: llvm.store [[V]], [[Q]]
// CHECK: llvm.return [[OK]] : i32
func.func @signature(%x: memref<?xf32>, %s: index, %y: memref<4x?xf32> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  %v = memref.load %x[%n] : memref<?xf32>
  memref.store %v, %y[%s, %c0] : memref<4x?xf32>
  func.return
}

// -----

// Rows of a stride known at run time only: it follows the sizes.
// CHECK-LABEL: llvm.func @strided_rows(
// CHECK-SAME: %context: !llvm.ptr, %x: !llvm.ptr, %v: f32, [[ROWS:%[a-z0-9]+]]: i64, [[STRIDE:%[a-z0-9]+]]: i64) -> i32
// CHECK: [[LAST:%[a-z0-9]+]] = llvm.sub [[ROWS]], %{{.*}} : i64
// CHECK: [[AT:%[a-z0-9]+]] = llvm.mul [[LAST]], [[STRIDE]] : i64
// CHECK: llvm.getelementptr inbounds %x{{\[}}[[AT]]]
func.func @strided_rows(%x: memref<?x4xf32, strided<[?, 1], offset: ?>>, %v: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rows = memref.dim %x, %c0 : memref<?x4xf32, strided<[?, 1], offset: ?>>
  %last = arith.subi %rows, %c1 : index
  memref.store %v, %x[%last, %c0] : memref<?x4xf32, strided<[?, 1], offset: ?>>
  func.return
}

// -----

// Fast-math flags are kept.
// CHECK-LABEL: llvm.func @fast_math(
// CHECK: llvm.call_intrinsic "llvm.vector.reduce.fadd.v4f32"(%{{.*}}, %{{.*}}) {fastmathFlags = #llvm.fastmath<reassoc>}
// CHECK: llvm.fadd %{{.*}}, %{{.*}} {fastmathFlags = #llvm.fastmath<contract>} : f32
func.func @fast_math(%x: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %v = vector.load %x[%c0] : memref<4xf32>, vector<4xf32>
  %s = vector.reduction <add>, %v fastmath<reassoc> : vector<4xf32> into f32
  %t = arith.addf %s, %s fastmath<contract> : f32
  memref.store %t, %x[%c0] : memref<4xf32>
  func.return
}

// -----

// Index arithmetic on constants leaves nothing behind, and constants stand in the entry block.
// CHECK-LABEL: llvm.func @folds_addresses(
// CHECK-NEXT: llvm.mlir.constant(0 : i32)
// CHECK-NEXT: [[P:%[a-z0-9]+]] = llvm.getelementptr inbounds %x[13] : (!llvm.ptr) -> !llvm.ptr, f64
// CHECK-NEXT: llvm.store %v, [[P]] {alignment = 8 : i64}
// CHECK-NEXT: llvm.return
func.func @folds_addresses(%x: memref<4x5xf64>, %v: f64) {
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %two = arith.addi %c1, %c1 : index
  memref.store %v, %x[%two, %c3] : memref<4x5xf64>
  func.return
}

// -----

// Rank 0 and size 0 are no special cases.
// CHECK-LABEL: llvm.func @rank_zero(
// CHECK: [[V:%[a-z0-9]+]] = llvm.load %x {alignment = 2 : i64} : !llvm.ptr -> i16
// CHECK: llvm.store [[V]], %y {alignment = 2 : i64} : i16, !llvm.ptr
func.func @rank_zero(%x: memref<bf16>, %y: memref<bf16>, %z: memref<0x3xbf16>) {
  %v = memref.load %x[] : memref<bf16>
  memref.store %v, %y[] : memref<bf16>
  memref.copy %z, %z : memref<0x3xbf16> to memref<0x3xbf16>
  func.return
}

// -----

// The test stands at the end of the loop; a guard is needed only where the first iteration is
// not certain.
// CHECK-LABEL: llvm.func @known_loop(
// CHECK: llvm.br ^bb1(
// CHECK: ^bb1([[I:%[a-z0-9]+]]: i64, [[S:%[a-z0-9]+]]: i64):
// CHECK: [[NEXT:%[a-z0-9]+]] = llvm.add [[I]], %{{.*}} overflow<nsw> : i64
// CHECK: [[GO:%[a-z0-9]+]] = llvm.icmp "slt" [[NEXT]], %{{.*}} : i64
// CHECK: llvm.cond_br [[GO]], ^bb1([[NEXT]], %{{.*}} : i64, i64), ^bb2(%{{.*}} : i64)
// CHECK: ^bb2([[R:%[a-z0-9]+]]: i64):
func.func @known_loop(%y: memref<1xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %z = arith.constant 0 : i64
  %r = scf.for %i = %c0 to %c9 step %c1 iter_args(%s = %z) -> (i64) {
    %j = arith.index_cast %i : index to i64
    %t = arith.addi %s, %j : i64
    scf.yield %t : i64
  }
  memref.store %r, %y[%c0] : memref<1xi64>
  func.return
}

// -----

// CHECK-LABEL: llvm.func @unknown_loop(
// CHECK: [[ENTER:%[a-z0-9]+]] = llvm.icmp "slt" %{{.*}}, %n : i64
// CHECK: llvm.cond_br [[ENTER]], ^bb1(
func.func @unknown_loop(%y: memref<1xi64>, %n: index, %v: i64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    memref.store %v, %y[%c0] : memref<1xi64>
  }
  func.return
}

// -----

// A loop of one iteration, and one of none, are no loops.
// CHECK-LABEL: llvm.func @short_loops(
// CHECK-NOT: llvm.br
// CHECK-COUNT-1: llvm.store
// CHECK-NOT: llvm.store
// CHECK: llvm.return
func.func @short_loops(%y: memref<1xi64>, %v: i64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  scf.for %i = %c0 to %c1 step %c9 {
    memref.store %v, %y[%i] : memref<1xi64>
  }
  scf.for %i = %c1 to %c0 step %c1 {
    memref.store %v, %y[%i] : memref<1xi64>
  }
  func.return
}

// -----

// Buffers of static size lie in scratch, those of main in the arena; a region gives back its own.
// CHECK: @lamina_scratch_bytes(192 : i64)
// CHECK: @lamina_arena_bytes(64 : i64)
// CHECK-LABEL: llvm.func @kernel(
// CHECK: [[F:%[a-z0-9]+]] = llvm.getelementptr inbounds %context[0, 1]
// CHECK: [[SCRATCH:%[a-z0-9]+]] = llvm.load [[F]] {{.*}} -> !llvm.ptr
// CHECK-COUNT-2: llvm.getelementptr [[SCRATCH]][128] : (!llvm.ptr) -> !llvm.ptr, i8
// CHECK-LABEL: llvm.func @main(
// CHECK: llvm.getelementptr inbounds %{{[a-z0-9_]+}}[0, 0]
func.func private @kernel(%x: memref<25xf32>, %n: index, %v: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloc() : memref<25xf32>
  memref.copy %a, %x : memref<25xf32> to memref<25xf32>
  scf.for %i = %c0 to %n step %c1 {
    %b = memref.alloc() : memref<5xf32>
    memref.store %v, %b[%c0] : memref<5xf32>
  }
  %d = memref.alloc() : memref<4xf32>
  memref.store %v, %d[%c0] : memref<4xf32>
  func.return
}
func.func @main(%x: memref<25xf32>, %n: index, %v: f32) {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<7xf32>
  memref.store %v, %a[%c0] : memref<7xf32>
  func.call @kernel(%x, %n, %v) : (memref<25xf32>, index, f32) -> ()
  func.return
}

// -----

// Sizes known at run time only lie on the heap; no memory is status 12.
// CHECK: llvm.func @aligned_alloc(i64, i64) -> !llvm.ptr
// CHECK: llvm.func @free(!llvm.ptr)
// CHECK-LABEL: llvm.func @on_the_heap(
// CHECK: [[NONE:%[a-z0-9]+]] = llvm.mlir.constant(12 : i32) : i32
// CHECK: [[P:%[a-z0-9]+]] = llvm.call @aligned_alloc(
// CHECK: [[FAILED:%[a-z0-9]+]] = llvm.icmp "eq" [[P]], %{{.*}} : !llvm.ptr
// CHECK: llvm.cond_br [[FAILED]], ^[[EXIT:bb[0-9]+]]([[NONE]] : i32)
// CHECK: llvm.call @free([[P]])
// CHECK: ^[[EXIT]]([[STATUS:%[a-z0-9]+]]: i32):
// CHECK: llvm.return [[STATUS]]
func.func @on_the_heap(%n: index, %v: f32) {
  %c0 = arith.constant 0 : index
  %a = memref.alloc(%n) : memref<?xf32>
  memref.store %v, %a[%c0] : memref<?xf32>
  func.return
}

// -----

// A status other than 0 ends the caller.
// CHECK-LABEL: llvm.func @calls(
// CHECK: [[STATUS:%[a-z0-9]+]] = llvm.call @callee(%context, %x, %n, [[SIZE:%[a-z0-9]+]]) : (!llvm.ptr, !llvm.ptr, i64, i64) -> i32
// CHECK: [[BAD:%[a-z0-9]+]] = llvm.icmp "ne" [[STATUS]]
// CHECK: llvm.cond_br [[BAD]], ^[[EXIT:bb[0-9]+]]([[STATUS]] : i32), ^[[ON:bb[0-9]+]]
func.func @calls(%x: memref<?xf32>, %n: index) {
  func.call @callee(%x, %n) : (memref<?xf32>, index) -> ()
  func.return
}
func.func private @callee(%x: memref<?xf32>, %n: index) {
  func.return
}

// -----

// A check that fails fills the error record; what it says goes along.
// CHECK-LABEL: llvm.func @checks(
// CHECK: llvm.cond_br %ok, ^[[ON:bb[0-9]+]], ^[[BAD:bb[0-9]+]]
// CHECK: ^[[BAD]]:
// CHECK: [[ID:%[a-z0-9]+]] = llvm.getelementptr inbounds %context[0, 4]
// CHECK: llvm.store %{{.*}}, [[ID]] {lamina.check = {error = "DomainError", message = "found {} and {}"}, alignment = 8 : i64}
// CHECK: [[AT:%[a-z0-9]+]] = llvm.getelementptr inbounds %context[0, 5]
// CHECK: llvm.store %at, [[AT]]
// CHECK: [[VALUE:%[a-z0-9]+]] = llvm.getelementptr inbounds %context[0, 6]
// CHECK: llvm.store %v, [[VALUE]]
func.func private @lamina_check(i1, i64, i64, i64)
func.func @checks(%ok: i1, %at: i64, %v: i64) {
  %id = arith.constant 4 : i64
  func.call @lamina_check(%ok, %id, %at, %v) {lamina.check = {error = "DomainError", message = "found {} and {}"}} : (i1, i64, i64, i64) -> ()
  func.return
}

// -----

// A poll hands the context on; the clock is looked at in a function of its own.
// CHECK-LABEL: llvm.func internal @lamina_poll(
// CHECK: llvm.call @clock_gettime(
// CHECK: llvm.call %{{.*}}(%{{.*}}) : !llvm.ptr, (!llvm.ptr) -> i32
// CHECK-LABEL: llvm.func @polls(
// CHECK: [[STATE:%[a-z0-9]+]] = llvm.alloca
// CHECK: llvm.call @lamina_poll(%context, [[STATE]], %{{.*}}) : (!llvm.ptr, !llvm.ptr, i64) -> i32
func.func private @lamina_poll(i64)
func.func @polls() {
  %one = arith.constant 1 : i64
  func.call @lamina_poll(%one) : (i64) -> ()
  func.return
}

// -----

// An outlined body gets what it reads from a struct that its caller fills.
// CHECK-LABEL: llvm.func internal @k_body0(
// CHECK-SAME: %data: !llvm.ptr, %task: i64, %thread: i64) -> i32
// CHECK: llvm.getelementptr inbounds %data[0, 0] {{.*}}!llvm.struct<(!llvm.ptr, !llvm.ptr, i64, i64, f32)>
// CHECK-LABEL: llvm.func @k(
// CHECK: [[DATA:%[a-z0-9]+]] = llvm.alloca
// CHECK: [[BODY:%[a-z0-9]+]] = llvm.mlir.addressof @k_body0
// CHECK: llvm.store %context
// CHECK: llvm.call @lamina_parallel(%context, [[BODY]], [[DATA]], %n) : (!llvm.ptr, !llvm.ptr, !llvm.ptr, i64) -> i32
func.func private @k_body0(%i: index, %x: memref<?xf32, strided<[?], offset: ?>>, %v: f32)
    attributes {parallel_body} {
  memref.store %v, %x[%i] : memref<?xf32, strided<[?], offset: ?>>
  func.return
}
func.func private @k(%x: memref<?xf32>, %n: index, %s: index, %v: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %part = memref.subview %x[%s] [%n] [%s]
    : memref<?xf32> to memref<?xf32, strided<[?], offset: ?>>
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    func.call @k_body0(%i, %part, %v) : (index, memref<?xf32, strided<[?], offset: ?>>, f32) -> ()
  }
  func.return
}

// -----

// Affine expressions round towards minus infinity.
// CHECK-LABEL: llvm.func @affine(
// CHECK: [[R:%[a-z0-9]+]] = llvm.srem %n
// CHECK: [[NEG:%[a-z0-9]+]] = llvm.icmp "slt" [[R]]
// CHECK: [[Q:%[a-z0-9]+]] = llvm.sdiv %n
// CHECK: [[Q1:%[a-z0-9]+]] = llvm.add [[Q]]
// CHECK: [[S:%[a-z0-9]+]] = llvm.select [[NEG]], [[Q1]], [[Q]]
// CHECK: llvm.call_intrinsic "llvm.smin.i64"([[S]], %{{.*}})
func.func @affine(%n: index, %x: memref<?xf32>, %v: f32) {
  %a = affine.min affine_map<(d0) -> (d0 floordiv 4, 7)>(%n)
  %b = affine.apply affine_map<(d0)[s0] -> (d0 * 2 + s0)>(%a)[%n]
  memref.store %v, %x[%b] : memref<?xf32>
  func.return
}

// -----

// Constants of the module keep their data; a declaration is data that the loader provides.
// CHECK: llvm.mlir.global internal constant @w(dense<{{\[\[}}1.000000e+00, 2.000000e+00]]> : tensor<1x2xf32>) {addr_space = 0 : i32, alignment = 64 : i64} : !llvm.array<1 x !llvm.array<2 x f32>>
// CHECK: llvm.mlir.global external @given() {addr_space = 0 : i32, alignment = 64 : i64} : !llvm.array<3 x i8>
// CHECK: llvm.mlir.global internal constant @scalar(-7 : i64) {{.*}} : i64
memref.global "private" constant @w : memref<1x2xf32> = dense<[[1.0, 2.0]]>
memref.global "private" @given : memref<3xi8>
memref.global "private" constant @scalar : memref<i64> = dense<-7>
func.func @reads_globals(%y: memref<1x2xf32>) {
  %w = memref.get_global @w : memref<1x2xf32>
  memref.copy %w, %y : memref<1x2xf32> to memref<1x2xf32>
  func.return
}

// -----

// A run of contiguous elements is copied by memcpy, here row by row.
// CHECK-LABEL: llvm.func @copies_rows(
// CHECK: [[BYTES:%[a-z0-9]+]] = llvm.mlir.constant(16) : i64
// CHECK: llvm.call_intrinsic "llvm.memcpy.p0.p0.i64"(%{{.*}}, %{{.*}}, [[BYTES]], %{{.*}})
// CHECK: llvm.cond_br
func.func @copies_rows(%x: memref<6x8xf32>, %y: memref<6x4xf32>) {
  %a = memref.subview %x[0, 2] [6, 4] [1, 1]
    : memref<6x8xf32> to memref<6x4xf32, strided<[8, 1], offset: 2>>
  memref.copy %a, %y : memref<6x4xf32, strided<[8, 1], offset: 2>> to memref<6x4xf32>
  func.return
}

// -----

// What is not of the loop level, or cannot be carried, is named with its place.
func.func @transcendental(%x: f32) -> f32 {
  // expected-error {{math.exp: expected an operation of the loop level that has a lowering}}
  %y = math.exp %x : f32
  func.return %y : f32
}

// -----

func.func @half_arithmetic(%x: bf16) -> bf16 {
  // expected-error {{arith.addf: expected f32 or f64 arithmetic, found bf16}}
  %y = arith.addf %x, %x : bf16
  func.return %y : bf16
}

// -----

func.func @half_cast(%x: f32) -> bf16 {
  // expected-error {{arith.truncf: expected expand-float-casts to have run, found f32 to bf16}}
  %y = arith.truncf %x : f32 to bf16
  func.return %y : bf16
}

// -----

func.func @bits_in_memory(%x: memref<4xi1>) {
  %c0 = arith.constant 0 : index
  // expected-error {{memref.load: expected elements of whole bytes (bool is i8 in memory), found i1}}
  %v = memref.load %x[%c0] : memref<4xi1>
  func.return
}

// -----

func.func @strided_vector(%x: memref<4xf32, strided<[2]>>) {
  %c0 = arith.constant 0 : index
  // expected-error {{vector.load: expected a memref with unit stride}}
  %v = vector.load %x[%c0] : memref<4xf32, strided<[2]>>, vector<2xf32>
  func.return
}

// -----

func.func @two_dimensions(%x: memref<4x4xf32>) {
  %c0 = arith.constant 0 : index
  // expected-error {{vector.load: expected a 1-d vector, found vector<2x4xf32>}}
  %v = vector.load %x[%c0, %c0] : memref<4x4xf32>, vector<2x4xf32>
  func.return
}

// -----

func.func private @buffer_result(%x: memref<4xf32>) -> memref<4xf32> {
  // expected-error@-1 {{expected buffers to be returned through arguments}}
  func.return %x : memref<4xf32>
}

// -----

func.func private @not_outlined(%x: memref<4xf32>, %v: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  // expected-error {{scf.parallel: expected outline-parallel to have run}}
  scf.parallel (%i) = (%c0) to (%c4) step (%c1) {
    memref.store %v, %x[%i] : memref<4xf32>
  }
  func.return
}

// -----

func.func private @escapes(%n: index, %c: i1, %x: memref<4xf32>) {
  %y = scf.if %c -> (memref<4xf32>) {
    %t = memref.alloc() : memref<4xf32>
    // expected-error {{scf.yield: expected a buffer from outside the region, found one made in it}}
    scf.yield %t : memref<4xf32>
  } else {
    scf.yield %x : memref<4xf32>
  }
  func.return
}

// -----

// expected-error {{expected functions without recursion, found @recursive}}
func.func private @recursive() {
  func.call @recursive() : () -> ()
  func.return
}

// -----

func.func private @dynamic_stack(%n: index) {
  // expected-error {{memref.alloca: expected static sizes and the identity layout}}
  %x = memref.alloca(%n) : memref<?xf32>
  func.return
}

// -----

// expected-error {{memref.global: expected an initial value or a declaration, found uninitialized}}
memref.global "private" @nothing : memref<4xf32> = uninitialized

// -----

func.func private @unknown_dimension(%x: memref<?xf32>, %k: index, %y: memref<1xi64>) {
  %c0 = arith.constant 0 : index
  // expected-error {{memref.dim: expected a constant dimension below 1, found None}}
  %n = memref.dim %x, %k : memref<?xf32>
  %i = arith.index_cast %n : index to i64
  memref.store %i, %y[%c0] : memref<1xi64>
  func.return
}

// -----

// expected-error {{arith.constant: expected functions and globals at the top of the module}}
%c0 = arith.constant 0 : index

// -----

func.func @selects_a_buffer(%c: i1, %x: memref<4xf32>, %y: memref<4xf32>) {
  // expected-error {{arith.select: expected scalars or vectors, found memrefs}}
  %z = arith.select %c, %x, %y : memref<4xf32>
  func.return
}

// -----

func.func private @body(%i: index) attributes {parallel_body} {
  func.return
}
func.func @calls_a_body(%i: index) {
  // expected-error {{func.call: expected @body to be called by scf.parallel only}}
  func.call @body(%i) : (index) -> ()
  func.return
}

// -----

func.func private @plain(%i: index) {
  func.return
}
func.func @parallel_over_a_plain_function(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error {{scf.parallel: expected a call of an outlined body, found @plain}}
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    func.call @plain(%i) : (index) -> ()
  }
  func.return
}

// -----

func.func private @body(%i: index) attributes {parallel_body} {
  func.return
}
func.func @parallel_from_one(%n: index) {
  %c1 = arith.constant 1 : index
  // expected-error {{scf.parallel: expected the range to begin at 0 with step 1}}
  scf.parallel (%i) = (%c1) to (%n) step (%c1) {
    func.call @body(%i) : (index) -> ()
  }
  func.return
}

// -----

func.func @unranked_view(%x: memref<4xf32>) {
  // expected-error {{expected a ranked memref, found memref<*xf32>}}
  %y = memref.cast %x : memref<4xf32> to memref<*xf32>
  func.return
}

// -----

func.func @view_from_outside(%x: memref<4xf32, strided<[1], offset: ?>>) {
  // expected-error {{memref.reinterpret_cast: expected a source whose allocation is known, found a view from outside}}
  %y = memref.reinterpret_cast %x to offset: [0], sizes: [2], strides: [1] : memref<4xf32, strided<[1], offset: ?>> to memref<2xf32>
  func.return
}

// -----

func.func @pointer_of_a_view_from_outside(%x: memref<4xf32, strided<[1], offset: ?>>) {
  // expected-error {{memref.extract_aligned_pointer_as_index: expected a source whose allocation is known, found a view from outside}}
  %y = memref.extract_aligned_pointer_as_index %x : memref<4xf32, strided<[1], offset: ?>> -> index
  func.return
}

// -----

func.func @shuffle_of_two_lengths(%x: vector<4xf32>, %y: vector<2xf32>) {
  // expected-error {{vector.shuffle: expected vectors of one length, found vector<4xf32>, vector<2xf32>}}
  %z = vector.shuffle %x, %y [0, 4] : vector<4xf32>, vector<2xf32>
  func.return
}

// -----

func.func private @with_scratch() {
  %s = memref.alloc() : memref<64xf32>
  %c0 = arith.constant 0 : index
  %v = arith.constant 1.0 : f32
  memref.store %v, %s[%c0] : memref<64xf32>
  func.return
}
// expected-error {{expected a body whose callees use no scratch}}
func.func private @body(%i: index) attributes {parallel_body} {
  func.call @with_scratch() : () -> ()
  func.return
}
func.func @main(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    func.call @body(%i) : (index) -> ()
  }
  func.return
}

// -----

func.func @view_of_another_shape(%x: memref<4x4xf32>) {
  // expected-error {{memref.subview: expected the result to keep or drop unit dimensions, found memref<3xf32, strided<[1]>>}}
  %y = memref.subview %x[0, 0] [2, 2] [1, 1] : memref<4x4xf32> to memref<3xf32, strided<[1]>>
  func.return
}

// -----

// expected-error@+1 {{convert-to-llvm: func.func: expected buffers and scalars, found tensor<4xf32>; run bufferize first}}
func.func @tensors(%x: tensor<4xf32>) {
  func.return
}

// -----

// CHECK-LABEL: llvm.func @prefetches(
// CHECK: [[A:%[a-z0-9_]+]] = llvm.getelementptr inbounds
// CHECK: llvm.call_intrinsic "llvm.prefetch.p0"([[A]], [[R:%[a-z0-9_]+]], [[L:%[a-z0-9_]+]], [[D:%[a-z0-9_]+]])
func.func @prefetches(%x: memref<8x16xf32>, %n: index) {
  memref.prefetch %x[%n, %n], read, locality<3>, data : memref<8x16xf32>
  func.return
}

// -----

// A text is the call of the host's function with the call's number, addresses and open sizes.
// CHECK: llvm.func @lamina_print(!llvm.ptr, !llvm.ptr) -> i32
// CHECK-LABEL: llvm.func @prints(
// CHECK: [[WORDS:%[a-z0-9]+]] = llvm.alloca %{{.*}} x i64
// CHECK: llvm.store %{{.*}}, [[WORDS]] {lamina.text = {format = "{} {}", types = [tensor<?xf32>, tensor<2xf64>]}, alignment = 8 : i64}
// CHECK: [[AT:%[a-z0-9]+]] = llvm.getelementptr [[WORDS]][1]
// CHECK: llvm.store %x, [[AT]]
// CHECK: [[SIZE:%[a-z0-9]+]] = llvm.getelementptr [[WORDS]][2]
// CHECK: llvm.store %{{.*}}, [[SIZE]] {alignment = 8 : i64} : i64
// CHECK: llvm.store %y, %{{.*}} {alignment = 8 : i64} : !llvm.ptr
// CHECK: [[STATUS:%[a-z0-9]+]] = llvm.call @lamina_print(%context, [[WORDS]])
// CHECK: llvm.icmp "ne" [[STATUS]]
func.func private @lamina_print_0(i64, memref<?xf32>, memref<2xf64>) attributes {lamina.text}
func.func @prints(%x: memref<?xf32>, %y: memref<2xf64>) {
  %id = arith.constant 4 : i64
  func.call @lamina_print_0(%id, %x, %y) {lamina.text = {format = "{} {}", types = [tensor<?xf32>, tensor<2xf64>]}} : (i64, memref<?xf32>, memref<2xf64>) -> ()
  func.return
}

// -----

// A C function is called by the address in its cell, with all sizes (pairs are one number); a
// status is the failure of a check.
// CHECK: llvm.mlir.global external @lamina_custom_call_f() {addr_space = 0 : i32} : !llvm.ptr
// CHECK-LABEL: llvm.func @calls(
// CHECK: [[CELL:%[a-z0-9]+]] = llvm.mlir.addressof @lamina_custom_call_f
// CHECK: [[F:%[a-z0-9]+]] = llvm.load [[CELL]]
// CHECK: [[STATUS:%[a-z0-9]+]] = llvm.call [[F]](%x, %y, [[SIZES:%[a-z0-9]+]]) : !llvm.ptr, (!llvm.ptr, !llvm.ptr, !llvm.ptr) -> i32
// CHECK: [[WIDE:%[a-z0-9]+]] = llvm.sext [[STATUS]]
// CHECK: llvm.store %{{.*}} {lamina.check = {error = "LaminaError", message = "{}"}, alignment = 8 : i64}
// CHECK: llvm.store [[WIDE]]
func.func private @lamina_custom_call_0(i64, memref<4x2xf32>, memref<3xi8>) attributes {lamina.custom_call}
func.func @calls(%x: memref<4x2xf32>, %y: memref<3xi8>) {
  %id = arith.constant 0 : i64
  func.call @lamina_custom_call_0(%id, %x, %y) {lamina.check = {error = "LaminaError", message = "{}"}, lamina.custom_call = {symbol = "f", interleaved = array<i64: 0>}} : (i64, memref<4x2xf32>, memref<3xi8>) -> ()
  func.return
}

// -----

func.func private @lamina_custom_call_0(i64, memref<4xf32>) attributes {lamina.custom_call}
func.func @no_symbol(%x: memref<4xf32>) {
  %id = arith.constant 0 : i64
  // expected-error@+1 {{convert-to-llvm: func.call: expected lamina.custom_call = {symbol = "name"}}}
  func.call @lamina_custom_call_0(%id, %x) {lamina.custom_call} : (i64, memref<4xf32>) -> ()
  func.return
}

// -----

func.func private @lamina_print_0(memref<4xf32>) attributes {lamina.text}
func.func @no_number(%x: memref<4xf32>) {
  // expected-error@+1 {{convert-to-llvm: func.call: expected a number as i64, then buffers}}
  func.call @lamina_print_0(%x) {lamina.text} : (memref<4xf32>) -> ()
  func.return
}

// -----

// Stores past the caches are in order for others after a fence.
// CHECK-LABEL: llvm.func @streams(
// CHECK: llvm.store %{{.*}}, %{{.*}} {alignment = 16 : i64, nontemporal} : vector<8xf32>, !llvm.ptr
// CHECK-NEXT: llvm.fence seq_cst
// CHECK: llvm.return
// CHECK-LABEL: llvm.func @does_not_stream(
// CHECK-NOT: llvm.fence
func.func @streams(%x: memref<16xf32>, %v: f32, %n: index) {
  %0 = vector.broadcast %v : f32 to vector<8xf32>
  vector.store %0, %x[%n] {alignment = 16 : i64, nontemporal = true} : memref<16xf32>, vector<8xf32>
  func.return
}
func.func @does_not_stream(%x: memref<16xf32>, %v: f32, %n: index) {
  %0 = vector.broadcast %v : f32 to vector<8xf32>
  vector.store %0, %x[%n] {nontemporal = false} : memref<16xf32>, vector<8xf32>
  func.return
}
