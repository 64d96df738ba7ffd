// RUN: %opt %s --split-input-file --verify-diagnostics

func.func @too_few_indices(%m: memref<8x8xf32>, %i: index) {
  // expected-error {{memref.load: expected 2 indices, found 1}}
  %0 = memref.load %m[%i] : memref<8x8xf32>
  return
}

// -----

// expected-error {{memref.global: expected a power of two as alignment, found 48}}
memref.global @g : memref<2xf32> = uninitialized {alignment = 48 : i64}

// -----

// expected-error {{memref.global: expected a memref type, found f32}}
memref.global @g : f32

// -----

func.func @prefetch_elsewhere(%m: memref<8x8xf32>, %i: index) {
  // expected-error {{memref.prefetch: expected 2 indices, found 1}}
  memref.prefetch %m[%i], read, locality<3>, data : memref<8x8xf32>
  return
}

// -----

func.func @prefetch_locality(%m: memref<8xf32>, %i: index) {
  // expected-error {{memref.prefetch: expected a locality from 0 to 3, found 4}}
  memref.prefetch %m[%i], read, locality<4>, data : memref<8xf32>
  return
}
