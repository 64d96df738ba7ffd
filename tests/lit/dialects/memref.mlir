// RUN: %opt %s --split-input-file | %opt --split-input-file | %check

memref.global "private" constant @table : memref<2x2xf32> = dense<[[0.0, 0x7F800000], [1.0, 2.0]]> {alignment = 64 : i64}
memref.global @elsewhere : memref<4xi32>
memref.global "private" @scratch : memref<4xi32> = uninitialized
memref.global "private" constant @weights : memref<4xi32> = dense_resource<weights>
func.func @globals() -> memref<2x2xf32> {
  %0 = memref.get_global @table : memref<2x2xf32>
  return %0 : memref<2x2xf32>
}
// CHECK: memref.global "private" constant @table : memref<2x2xf32> = dense<{{\[\[}}0.000000e+00, 0x7F800000], [1.000000e+00, 2.000000e+00]]> {alignment = 64 : i64}
// CHECK-NEXT: memref.global @elsewhere : memref<4xi32>{{$}}
// CHECK-NEXT: memref.global "private" @scratch : memref<4xi32> = uninitialized
// CHECK-NEXT: memref.global "private" constant @weights : memref<4xi32> = dense_resource<weights>
// CHECK-LABEL: @globals
// CHECK: memref.get_global @table : memref<2x2xf32>

// -----

func.func @conversions(%a: memref<8xf32>, %b: memref<?xf32>) {
  %0 = memref.cast %a : memref<8xf32> to memref<?xf32>
  %1 = memref.memory_space_cast %a : memref<8xf32> to memref<8xf32, 1>
  %2 = memref.extract_aligned_pointer_as_index %a : memref<8xf32> -> index
  memref.copy %0, %b {note} : memref<?xf32> to memref<?xf32>
  return
}
// CHECK-LABEL: @conversions
// CHECK-NEXT: memref.cast %{{.*}} : memref<8xf32> to memref<?xf32>
// CHECK-NEXT: memref.memory_space_cast %{{.*}} : memref<8xf32> to memref<8xf32, 1
// CHECK-NEXT: memref.extract_aligned_pointer_as_index %{{.*}} : memref<8xf32> -> index
// CHECK-NEXT: memref.copy %{{.*}}, %{{.*}} {note} : memref<?xf32> to memref<?xf32>

// -----

func.func @storage(%bytes: memref<256xi8>, %n: index) {
  %0 = memref.alloc(%n) {alignment = 64 : i64} : memref<?xf32>
  %1 = memref.alloca() {alignment = 32 : i64} : memref<8xf32>
  %2 = memref.view %bytes[%n][] : memref<256xi8> to memref<8xf32>
  memref.dealloc %0 : memref<?xf32>
  return
}
// CHECK-LABEL: @storage
// CHECK-NEXT: memref.alloc(%{{.*}}) {alignment = 64 : i64} : memref<?xf32>
// CHECK-NEXT: memref.alloca() {alignment = 32 : i64} : memref<8xf32>
// CHECK-NEXT: memref.view %{{.*}}[%{{.*}}][] : memref<256xi8> to memref<8xf32>
// CHECK-NEXT: memref.dealloc %{{.*}} : memref<?xf32>

// -----

func.func @prefetches(%m: memref<8x8xf32>, %s: memref<f32>, %i: index) {
  memref.prefetch %m[%i, %i], read, locality<3>, data : memref<8x8xf32>
  memref.prefetch %s[], write, locality<0>, instr {note} : memref<f32>
  return
}
// CHECK-LABEL: @prefetches
// CHECK-NEXT: memref.prefetch %{{.*}}[%{{.*}}, %{{.*}}], read, locality<3>, data : memref<8x8xf32>
// CHECK-NEXT: memref.prefetch %{{.*}}[], write, locality<0>, instr {note} : memref<f32>
