// RUN: %opt %s --split-input-file | %opt --split-input-file | %check

func.func @without_results(%m: memref<?x?xf32>, %n: index, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%i, %j) = (%c0, %c0) to (%n, %n) step (%c1, %c1) {
    memref.store %x, %m[%i, %j] : memref<?x?xf32>
    scf.reduce
  } {note}
  return
}
// CHECK-LABEL: @without_results
// CHECK: scf.parallel (%[[I:\w+]], %[[J:\w+]]) = (%c0, %c0) to (%n, %n) step (%c1, %c1) {
// CHECK-NEXT: memref.store %{{.*}}, %{{.*}}[%[[I]], %[[J]]]
// CHECK-NEXT: scf.reduce
// CHECK-NEXT: } {note}

// -----

// the terminator may be left out
func.func @implicit_terminator(%n: index) {
  scf.parallel (%i) = (%n) to (%n) step (%n) {
  }
  return
}
// CHECK-LABEL: @implicit_terminator
// CHECK: scf.parallel
// CHECK-NEXT: scf.reduce

// -----

func.func @sum(%m: memref<?xf32>, %n: index, %zero: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.parallel (%i) = (%c0) to (%n) step (%c1) init (%zero) -> f32 {
    %x = memref.load %m[%i] : memref<?xf32>
    scf.reduce(%x : f32) {
    ^bb0(%a: f32, %b: f32):
      %s = arith.addf %a, %b : f32
      scf.reduce.return %s : f32
    }
  }
  return %r : f32
}
// CHECK-LABEL: @sum
// CHECK: scf.parallel (%{{.*}}) = (%c0) to (%n) step (%c1) init (%zero) -> f32 {
// CHECK: scf.reduce(%{{.*}} : f32)
// CHECK: scf.reduce.return %{{.*}} : f32
