// RUN: %opt -p outline-parallel --split-input-file --verify-diagnostics %s | %check

// The body becomes a function of the task; what it reads becomes arguments, but for constants.
// CHECK-LABEL: func.func private @moves_the_body_body0(
// CHECK-SAME: [[TASK:%[a-z0-9]+]]: index, [[X:%[a-z0-9]+]]: memref<8xf32>, [[Y:%[a-z0-9]+]]: memref<8xf32>
// CHECK-SAME: attributes {parallel_body}
// CHECK: [[TWO:%[a-z0-9]+]] = arith.constant 2.000000e+00 : f32
// CHECK: [[V:%[a-z0-9]+]] = memref.load [[X]]{{\[}}[[TASK]]]
// CHECK: [[W:%[a-z0-9]+]] = arith.mulf [[V]], [[TWO]]
// CHECK: memref.store [[W]], [[Y]]{{\[}}[[TASK]]]
// CHECK: func.return
// CHECK-LABEL: func.func private @moves_the_body(
// CHECK-SAME: [[A:%[a-z0-9]+]]: memref<8xf32>, [[B:%[a-z0-9]+]]: memref<8xf32>
// CHECK: scf.parallel ([[I:%[a-z0-9]+]]) =
// CHECK-NEXT: func.call @moves_the_body_body0([[I]], [[A]], [[B]])
// CHECK-NEXT: scf.reduce
func.func private @moves_the_body(%x: memref<8xf32>, %y: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %two = arith.constant 2.0 : f32
  scf.parallel (%i) = (%c0) to (%c8) step (%c1) {
    %v = memref.load %x[%i] : memref<8xf32>
    %w = arith.mulf %v, %two : f32
    memref.store %w, %y[%i] : memref<8xf32>
  }
  func.return
}

// -----

// Two dimensions make one range of tasks; 2 * 3 of them here.
// CHECK-LABEL: func.func private @numbers_the_tasks_body0(
// CHECK-SAME: [[TASK:%[a-z0-9]+]]: index
// CHECK-DAG: [[FIVE:%[a-z0-9]+]] = arith.constant 5 : index
// CHECK-DAG: [[FOUR:%[a-z0-9]+]] = arith.constant 4 : index
// CHECK-DAG: [[THREE:%[a-z0-9]+]] = arith.constant 3 : index
// CHECK: [[J:%[a-z0-9]+]] = arith.remui [[TASK]], [[THREE]]
// CHECK: [[I:%[a-z0-9]+]] = arith.divui [[TASK]], [[THREE]]
// CHECK: [[I4:%[a-z0-9]+]] = arith.muli [[I]], [[FOUR]]
// CHECK: [[I5:%[a-z0-9]+]] = arith.addi [[I4]], [[FIVE]]
// CHECK: memref.store %{{.*}}, %{{.*}}{{\[}}[[I5]], [[J]]]
// CHECK-LABEL: func.func private @numbers_the_tasks(
// CHECK: [[TOTAL:%[a-z0-9]+]] = arith.constant 6 : index
// CHECK: scf.parallel ({{.*}}) to ([[TOTAL]])
func.func private @numbers_the_tasks(%y: memref<16x3xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  %c12 = arith.constant 12 : index
  %v = arith.constant 1.0 : f32
  scf.parallel (%i, %j) = (%c5, %c0) to (%c12, %c3) step (%c4, %c1) {
    memref.store %v, %y[%i, %j] : memref<16x3xf32>
  }
  func.return
}

// -----

// The number of tasks of a run-time range is computed, never below 0.
// CHECK-LABEL: func.func private @counts_at_run_time(
// CHECK: [[SPAN:%[a-z0-9]+]] = arith.subi
// CHECK: [[STEPS:%[a-z0-9]+]] = arith.ceildivsi [[SPAN]]
// CHECK: [[COUNT:%[a-z0-9]+]] = arith.maxsi [[STEPS]]
// CHECK: scf.parallel ({{.*}}) to ([[COUNT]])
func.func private @counts_at_run_time(%y: memref<?xf32>, %lo: index, %hi: index, %step: index) {
  %v = arith.constant 1.0 : f32
  scf.parallel (%i) = (%lo) to (%hi) step (%step) {
    memref.store %v, %y[%i] : memref<?xf32>
  }
  func.return
}

// -----

// Inside another parallel loop a plain loop does: the outer one has the threads.
// CHECK-LABEL: func.func private @nested_becomes_plain_body0(
// CHECK: scf.for
// CHECK: scf.for
// CHECK-LABEL: func.func private @nested_becomes_plain(
// CHECK: scf.parallel
// CHECK-NOT: scf.parallel
// CHECK-NOT: scf.for
func.func private @nested_becomes_plain(%y: memref<4x4x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %v = arith.constant 1.0 : f32
  scf.parallel (%i) = (%c0) to (%c4) step (%c1) {
    scf.parallel (%j, %k) = (%c0, %c0) to (%c4, %c4) step (%c1, %c1) {
      memref.store %v, %y[%i, %j, %k] : memref<4x4x4xf32>
    }
  }
  func.return
}

// -----

// One iteration is not worth a call of the thread pool.
// CHECK-LABEL: func.func private @one_iteration_stays(
// CHECK-NOT: scf.parallel
// CHECK: scf.for
func.func private @one_iteration_stays(%y: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %v = arith.constant 1.0 : f32
  scf.parallel (%i) = (%c0) to (%c4) step (%c4) {
    memref.store %v, %y[%i] : memref<4xf32>
  }
  func.return
}

// -----

// An empty range is an empty range of tasks.
// CHECK-LABEL: func.func private @empty_range(
// CHECK: %c4 = arith.constant 4 : index
// CHECK: [[ZERO:%[a-z0-9]+]] = arith.constant 0 : index
// CHECK-NEXT: [[TOTAL:%[a-z0-9]+]] = arith.constant 0 : index
// CHECK: scf.parallel ({{.*}}) = ([[ZERO]]) to ([[TOTAL]])
func.func private @empty_range(%y: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %v = arith.constant 1.0 : f32
  scf.parallel (%i, %j) = (%c0, %c4) to (%c4, %c4) step (%c1, %c1) {
    memref.store %v, %y[%j] : memref<4xf32>
  }
  func.return
}

// -----

// What the pass has made it leaves alone; a new name does not meet an old one.
// CHECK-LABEL: func.func private @done_body0(
// CHECK: func.func private @done_body1(
// CHECK-LABEL: func.func private @done(
// CHECK: func.call @done_body0(
// CHECK: func.call @done_body1(
// CHECK-NOT: body2
func.func private @done_body0(%i: index, %y: memref<4xf32>) attributes {parallel_body} {
  func.return
}
func.func private @done(%y: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %v = arith.constant 1.0 : f32
  scf.parallel (%i) = (%c0) to (%c4) step (%c1) {
    func.call @done_body0(%i, %y) : (index, memref<4xf32>) -> ()
  }
  scf.parallel (%i) = (%c0) to (%c4) step (%c1) {
    memref.store %v, %y[%i] : memref<4xf32>
  }
  func.return
}

// -----

// The LLVM attributes of a kernel hold for its bodies.
// CHECK-LABEL: func.func private @passes_attributes_on_body0(
// CHECK-SAME: passthrough = ["cold"]
func.func private @passes_attributes_on(%y: memref<4xf32>) attributes {passthrough = ["cold"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %v = arith.constant 1.0 : f32
  scf.parallel (%i) = (%c0) to (%c4) step (%c1) {
    memref.store %v, %y[%i] : memref<4xf32>
  }
  func.return
}

// -----

func.func private @reductions_are_refused(%y: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0.0 : f32
  // expected-error {{scf.parallel: expected a loop without reductions, found 1}}
  %s = scf.parallel (%i) = (%c0) to (%c4) step (%c1) init (%zero) -> f32 {
    %v = memref.load %y[%i] : memref<4xf32>
    scf.reduce(%v : f32) {
    ^bb0(%a: f32, %b: f32):
      %t = arith.addf %a, %b : f32
      scf.reduce.return %t : f32
    }
  }
  memref.store %s, %y[%c0] : memref<4xf32>
  func.return
}
