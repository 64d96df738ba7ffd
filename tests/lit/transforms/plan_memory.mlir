// RUN: %opt -p plan-memory --split-input-file %s | %check
// RUN: %opt -p plan-memory,plan-memory --split-input-file %s | %check

// Of three buffers in a row the third takes the place of the first; 100 bytes take 128.
// CHECK-LABEL: func.func @chain(
// CHECK-SAME: attributes {lamina.memory = {arena = 256 : i64, arena_without_reuse = 384 : i64}}
// CHECK-NEXT: [[ARENA:%[a-z0-9_]+]] = memref.alloc() {alignment = 64 : i64} : memref<256xi8>
// CHECK: [[O:%[a-z0-9_]+]] = arith.constant 0 : index
// CHECK: [[A:%[a-z0-9_]+]] = memref.view [[ARENA]]{{\[}}[[O]]][] : memref<256xi8> to memref<25xf32>
// CHECK: func.call @k(%x, [[A]])
// CHECK: [[P:%[a-z0-9_]+]] = arith.constant 128 : index
// CHECK: [[B:%[a-z0-9_]+]] = memref.view [[ARENA]]{{\[}}[[P]]][]
// CHECK: func.call @k([[A]], [[B]])
// CHECK: [[Q:%[a-z0-9_]+]] = arith.constant 0 : index
// CHECK: [[C:%[a-z0-9_]+]] = memref.view [[ARENA]]{{\[}}[[Q]]][]
// CHECK: func.call @k([[B]], [[C]])
// CHECK: func.call @k([[C]], %y)
// CHECK-NOT: memref.alloc
func.func private @k(memref<25xf32>, memref<25xf32>)
func.func @chain(%x: memref<25xf32>, %y: memref<25xf32>) {
  %a = memref.alloc() : memref<25xf32>
  func.call @k(%x, %a) : (memref<25xf32>, memref<25xf32>) -> ()
  %b = memref.alloc() : memref<25xf32>
  func.call @k(%a, %b) : (memref<25xf32>, memref<25xf32>) -> ()
  %c = memref.alloc() : memref<25xf32>
  func.call @k(%b, %c) : (memref<25xf32>, memref<25xf32>) -> ()
  func.call @k(%c, %y) : (memref<25xf32>, memref<25xf32>) -> ()
  func.return
}

// -----

// A buffer that lives throughout shares with nobody.
// CHECK-LABEL: func.func @overlapping(
// CHECK-SAME: attributes {lamina.memory = {arena = 192 : i64, arena_without_reuse = 192 : i64}}
// CHECK: memref.alloc() {alignment = 64 : i64} : memref<192xi8>
// CHECK: arith.constant 0 : index
// CHECK: arith.constant 64 : index
// CHECK: arith.constant 128 : index
// CHECK-NOT: memref.alloc
func.func private @k(memref<16xf32>, memref<16xf32>)
func.func @overlapping(%x: memref<16xf32>, %y: memref<16xf32>) {
  %a = memref.alloc() : memref<16xf32>
  func.call @k(%x, %a) : (memref<16xf32>, memref<16xf32>) -> ()
  %b = memref.alloc() : memref<16xf32>
  func.call @k(%a, %b) : (memref<16xf32>, memref<16xf32>) -> ()
  %c = memref.alloc() : memref<16xf32>
  func.call @k(%b, %c) : (memref<16xf32>, memref<16xf32>) -> ()
  func.call @k(%c, %a) : (memref<16xf32>, memref<16xf32>) -> ()
  func.return
}

// -----

// A buffer lives as long as a view of a view of it is read.
// CHECK-LABEL: func.func @views(
// CHECK: memref.alloc() {alignment = 64 : i64} : memref<128xi8>
// CHECK: arith.constant 0 : index
// CHECK: arith.constant 64 : index
func.func private @k(memref<16xf32>)
func.func private @v(memref<8xf32, strided<[1], offset: ?>>)
func.func @views() {
  %a = memref.alloc() : memref<16xf32>
  func.call @k(%a) : (memref<16xf32>) -> ()
  %s = memref.subview %a[4] [8] [1] : memref<16xf32> to memref<8xf32, strided<[1], offset: 4>>
  %c = memref.cast %s : memref<8xf32, strided<[1], offset: 4>> to memref<8xf32, strided<[1], offset: ?>>
  %b = memref.alloc() : memref<16xf32>
  func.call @k(%b) : (memref<16xf32>) -> ()
  func.call @v(%c) : (memref<8xf32, strided<[1], offset: ?>>) -> ()
  func.return
}

// -----

// What is touched in a loop lives throughout it, also what is allocated inside.
// CHECK-LABEL: func.func @loop(
// CHECK: [[ARENA:%[a-z0-9_]+]] = memref.alloc() {alignment = 64 : i64} : memref<192xi8>
// CHECK: arith.constant 0 : index
// CHECK: memref.view [[ARENA]]
// CHECK: scf.for
// CHECK: arith.constant 64 : index
// CHECK: memref.view [[ARENA]]
// CHECK: arith.constant 128 : index
// CHECK: memref.view [[ARENA]]
// CHECK: arith.constant 0 : index
// CHECK: memref.view [[ARENA]]
func.func private @k(memref<16xf32>)
func.func @loop(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloc() : memref<16xf32>
  func.call @k(%a) : (memref<16xf32>) -> ()
  scf.for %i = %c0 to %n step %c1 {
    %b = memref.alloc() : memref<16xf32>
    func.call @k(%b) : (memref<16xf32>) -> ()
    %c = memref.alloc() : memref<16xf32>
    func.call @k(%c) : (memref<16xf32>) -> ()
    func.call @k(%a) : (memref<16xf32>) -> ()
  }
  %d = memref.alloc() : memref<16xf32>
  func.call @k(%d) : (memref<16xf32>) -> ()
  func.return
}

// -----

// Buffers of run-time size are given back once, at the end of their block.
// CHECK-LABEL: func.func @run_time_sizes(
// CHECK-NOT: lamina.memory
// CHECK: [[A:%[a-z0-9_]+]] = memref.alloc(%n) : memref<?xf32>
// CHECK: scf.for
// CHECK: [[B:%[a-z0-9_]+]] = memref.alloc(%n) : memref<?xf32>
// CHECK: func.call @k([[B]])
// CHECK-NEXT: memref.dealloc [[B]]
// CHECK-NEXT: }
// CHECK-NEXT: memref.dealloc [[A]]
// CHECK-NEXT: func.return
func.func private @k(memref<?xf32>)
func.func @run_time_sizes(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloc(%n) : memref<?xf32>
  scf.for %i = %c0 to %n step %c1 {
    func.call @k(%a) : (memref<?xf32>) -> ()
    %b = memref.alloc(%n) : memref<?xf32>
    func.call @k(%b) : (memref<?xf32>) -> ()
    memref.dealloc %b : memref<?xf32>
  }
  func.return
}

// -----

// Rank 0 and size 1 take a line of the cache each; size 0 takes nothing.
// CHECK-LABEL: func.func @small(
// CHECK-SAME: attributes {lamina.memory = {arena = 128 : i64, arena_without_reuse = 128 : i64}}
// CHECK: [[ARENA:%[a-z0-9_]+]] = memref.alloc() {alignment = 64 : i64} : memref<128xi8>
// CHECK: memref.view [[ARENA]]{{.*}} to memref<i64>
// CHECK: memref.view [[ARENA]]{{.*}} to memref<1xi8>
// CHECK: memref.view [[ARENA]]{{.*}} to memref<0x4xf32>
func.func private @k(memref<i64>, memref<1xi8>, memref<0x4xf32>)
func.func @small() {
  %a = memref.alloc() : memref<i64>
  %b = memref.alloc() : memref<1xi8>
  %c = memref.alloc() : memref<0x4xf32>
  func.call @k(%a, %b, %c) : (memref<i64>, memref<1xi8>, memref<0x4xf32>) -> ()
  func.return
}

// -----

// A kernel's temporaries are scratch, not the caller's arena; a function without buffers is left.
// CHECK-LABEL: func.func private @kernel(
// CHECK-NEXT: [[A:%[a-z0-9_]+]] = memref.alloc() : memref<4xf32>
// CHECK-NEXT: memref.copy [[A]]
// CHECK-LABEL: func.func @nothing() {
// CHECK-NEXT: func.return
func.func private @kernel(%x: memref<4xf32>) {
  %a = memref.alloc() : memref<4xf32>
  "memref.copy"(%a, %x) : (memref<4xf32>, memref<4xf32>) -> ()
  func.return
}
func.func @nothing() {
  func.return
}

// -----

// A buffer of dynamic size has a place when its size is bounded: by a clamp, a loop, or the window
// that it is as large as. Others stay allocations.
// CHECK-LABEL: func.func @bounded(
// CHECK-SAME: %[[X:.*]]: memref<9xf64>, %[[N:.*]]: index
// CHECK: %arena = memref.alloc() {alignment = 64 : i64} : memref<512xi8>
// CHECK: scf.for %[[I:.*]] =
// CHECK: %[[S:.*]] = arith.maxsi
// CHECK-NOT: memref.alloc
// CHECK: memref.view %arena[%{{.*}}][%[[S]]] : memref<512xi8> to memref<?xf64>
// CHECK: %[[D:.*]] = memref.dim
// CHECK: memref.view %arena[%{{.*}}][%[[D]]] : memref<512xi8> to memref<?xf64>
// CHECK: memref.view %arena[%{{.*}}][%[[I]]] : memref<512xi8> to memref<2x?xf64>
// CHECK: %[[G:.*]] = memref.dim
// CHECK: memref.view %arena[%{{.*}}][%[[G]]] : memref<512xi8> to memref<?xf64>
// CHECK: memref.alloc(%[[N]]) : memref<?xf64>
// CHECK: memref.dealloc
func.func private @k(memref<?xf64>, memref<?xf64>, memref<2x?xf64>, memref<?xf64>)
func.func private @v(memref<?xf64>)
func.func @bounded(%x: memref<9xf64>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c9 = arith.constant 9 : index
  scf.for %i = %c0 to %c8 step %c1 {
    %m = arith.minsi %n, %c9 : index
    %s = arith.maxsi %m, %c0 : index
    %a = memref.alloc(%s) : memref<?xf64>
    %w = memref.subview %x[0] [%s] [1] : memref<9xf64> to memref<?xf64, strided<[1]>>
    %d = memref.dim %w, %c0 : memref<?xf64, strided<[1]>>
    %b = memref.alloc(%d) : memref<?xf64>
    %c = memref.alloc(%i) : memref<2x?xf64>
    %f = memref.collapse_shape %c [[0, 1]] : memref<2x?xf64> into memref<?xf64>
    %g = memref.dim %f, %c0 : memref<?xf64>
    %h = memref.alloc(%g) : memref<?xf64>
    func.call @v(%h) : (memref<?xf64>) -> ()
    %e = memref.alloc(%n) : memref<?xf64>
    func.call @k(%a, %b, %c, %e) : (memref<?xf64>, memref<?xf64>, memref<2x?xf64>, memref<?xf64>) -> ()
  }
  func.return
}
