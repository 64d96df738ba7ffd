// RUN: %opt -p insert-polls --split-input-file %s | %check

// Nobody knows how long a while runs, nor a call on buffers of unknown size: the clock is read each
// time.
// CHECK-LABEL: func.func private @lamina_poll(i64)
// CHECK-LABEL: func.func @main
// CHECK: scf.while
// CHECK: scf.condition
// CHECK: arith.constant 1024 : i64
// CHECK-NEXT: func.call @lamina_poll(
// CHECK-NEXT: func.call @work(
func.func private @work(%x: memref<?xi64>) {
  func.return
}
func.func @main(%x: memref<?xi64>, %most: i64) {
  %c0 = arith.constant 0 : index
  scf.while () : () -> () {
    %v = memref.load %x[%c0] : memref<?xi64>
    %go = arith.cmpi slt, %v, %most : i64
    scf.condition(%go)
  } do {
    func.call @work(%x) : (memref<?xi64>) -> ()
    scf.yield
  }
  func.return
}

// -----

// Scalars only: the loop counts, and polls once in many iterations.
// CHECK-LABEL: func.func @main
// CHECK: %{{.*}}, %{{.*}} = scf.while ([[X:%[a-z0-9_]+]] = %x, [[K:%[a-z0-9_]+]] = %{{.*}}) : (i64, i64) -> (i64, i64) {
// CHECK: scf.condition(%{{.*}}) [[X]], [[K]] : i64, i64
// CHECK: ^{{.*}}([[Y:%[a-z0-9_]+]]: i64, [[N:%[a-z0-9_]+]]: i64):
// CHECK: [[F:%[a-z0-9_]+]] = arith.addi [[N]], %{{.*}} : i64
// CHECK: [[R:%[a-z0-9_]+]] = arith.andi [[F]], %{{.*}} : i64
// CHECK: [[NOW:%[a-z0-9_]+]] = arith.cmpi eq, [[R]], %{{.*}} : i64
// CHECK: scf.if [[NOW]] {
// CHECK: func.call @lamina_poll(
// CHECK: }
// CHECK: [[Z:%[a-z0-9_]+]] = arith.muli [[Y]], [[Y]]
// CHECK: scf.yield [[Z]], [[F]] : i64, i64
func.func @main(%x: i64, %most: i64) -> i64 {
  %r = scf.while (%v = %x) : (i64) -> i64 {
    %go = arith.cmpi slt, %v, %most : i64
    scf.condition(%go) %v : i64
  } do {
  ^bb0(%v: i64):
    %w = arith.muli %v, %v : i64
    scf.yield %w : i64
  }
  func.return %r : i64
}

// -----

// A body of a few instructions must not pay for the clock, nor for a call: two loops.
// CHECK-LABEL: func.func @main
// CHECK: [[S:%[a-z0-9_]+]] = arith.muli %c1, %{{.*}} : index
// CHECK: scf.for [[K:%[a-z0-9_]+]] = %c0 to %n step [[S]] iter_args([[C:%[a-z0-9_]+]] = %one) -> (i64) {
// CHECK-NEXT: arith.constant 1024 : i64
// CHECK-NEXT: func.call @lamina_poll(
// CHECK-NEXT: [[LEFT:%[a-z0-9_]+]] = arith.subi %n, [[K]] : index
// CHECK-NEXT: [[LESS:%[a-z0-9_]+]] = arith.minsi [[LEFT]], [[S]] : index
// CHECK-NEXT: [[END:%[a-z0-9_]+]] = arith.addi [[K]], [[LESS]] : index
// CHECK-NEXT: [[V:%[a-z0-9_]+]] = scf.for %{{.*}} = [[K]] to [[END]] step %c1 iter_args(%{{.*}} = [[C]]) -> (i64) {
// CHECK-NOT: lamina_poll
// CHECK: } {lamina.chunk}
// CHECK-NEXT: scf.yield [[V]] : i64
func.func @main(%x: memref<1xi64>, %n: index) -> i64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 7 : i64
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%v = %one) -> (i64) {
    memref.store %one, %x[%c0] : memref<1xi64>
    %w = arith.addi %v, %v : i64
    scf.yield %w : i64
  }
  func.return %r : i64
}

// -----

// A known, small number of cheap iterations is soon over; a million and one may not be, nor some
// thousands of loops of a thousand. What is around loops of unknown length polls too.
// CHECK-LABEL: func.func @main
// CHECK: scf.for
// CHECK-NEXT: memref.store
// CHECK: scf.for
// CHECK-NEXT: arith.constant
// CHECK-NEXT: func.call @lamina_poll(
// CHECK: scf.for
// CHECK-NEXT: memref.store
// CHECK: lamina.chunk
// CHECK: scf.for
// CHECK-NEXT: arith.constant 1024 : i64
// CHECK-NEXT: func.call @lamina_poll(
// CHECK: scf.for
// CHECK-NEXT: scf.for
// CHECK-NEXT: memref.store
// CHECK-NOT: lamina_poll
// CHECK: scf.for
// CHECK-NEXT: arith.constant 64 : i64
// CHECK-NEXT: func.call @lamina_poll(
// CHECK: scf.for
// CHECK: arith.constant 1024 : i64
// CHECK-NEXT: func.call @lamina_poll(
func.func @main(%x: memref<1xi64>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c1000 = arith.constant 1000 : index
  %c5000 = arith.constant 5000 : index
  %few = arith.constant 1000000 : index
  %many = arith.constant 1000001 : index
  %one = arith.constant 7 : i64
  scf.for %i = %c0 to %few step %c1 {
    memref.store %one, %x[%c0] : memref<1xi64>
  }
  scf.for %i = %c0 to %many step %c1 {
    memref.store %one, %x[%c0] : memref<1xi64>
  }
  scf.for %i = %c0 to %c5000 step %c1 {
    scf.for %j = %c0 to %c1000 step %c1 {
      memref.store %one, %x[%c0] : memref<1xi64>
    }
  }
  scf.for %i = %c0 to %c1000 step %c1 {
    scf.for %j = %c0 to %n step %c1 {
      memref.store %one, %x[%c0] : memref<1xi64>
    }
  }
  func.return
}

// -----

// Calls weigh as much as they touch, at least.
// CHECK-LABEL: func.func @main
// CHECK: scf.for
// CHECK-NEXT: arith.constant 16 : i64
// CHECK-NEXT: func.call @lamina_poll(
// CHECK: scf.for
// CHECK-NEXT: arith.constant 1024 : i64
// CHECK-NEXT: func.call @lamina_poll(
func.func private @work(%x: memref<1xi64>) {
  func.return
}
func.func private @much(%x: memref<300x300xi64>) {
  func.return
}
func.func @main(%x: memref<1xi64>, %y: memref<300x300xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c10 = arith.constant 10 : index
  scf.for %i = %c0 to %c10 step %c1 {
    func.call @work(%x) : (memref<1xi64>) -> ()
  }
  scf.for %i = %c0 to %c10 step %c1 {
    func.call @much(%y) : (memref<300x300xi64>) -> ()
  }
  func.return
}

// -----

// Other loops of kernels run to their end.
// CHECK-LABEL: func.func private @kernel
// CHECK-NOT: lamina_poll
func.func private @kernel(%x: memref<1xi64>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 7 : i64
  scf.for %i = %c0 to %n step %c1 {
    memref.store %one, %x[%c0] : memref<1xi64>
  }
  func.return
}

// -----

// Once is enough.
// CHECK-LABEL: func.func private @lamina_poll(i64)
// CHECK-LABEL: func.func @main
// CHECK-COUNT-2: func.call @lamina_poll(
// CHECK-NOT: lamina_poll
func.func private @lamina_poll(i64)
func.func @main(%x: memref<1xi64>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i64
  scf.for %i = %c0 to %n step %c1 {
    func.call @lamina_poll(%one) : (i64) -> ()
    scf.for %j = %i to %n step %c1 {
      memref.store %one, %x[%c0] : memref<1xi64>
    } {lamina.chunk}
  }
  scf.while () : () -> () {
    %v = memref.load %x[%c0] : memref<1xi64>
    %go = arith.cmpi slt, %v, %one : i64
    scf.condition(%go)
  } do {
    %v = memref.load %x[%c0] : memref<1xi64>
    %now = arith.cmpi eq, %v, %one : i64
    scf.if %now {
      func.call @lamina_poll(%one) : (i64) -> ()
    }
    scf.yield
  }
  func.return
}

// -----

// A marked loop of a kernel polls every time, unless it is a parallel body.
// CHECK-LABEL: func.func private @marked
// CHECK: scf.for
// CHECK-NEXT: [[W:%[a-z0-9_]+]] = arith.constant 1024 : i64
// CHECK-NEXT: func.call @lamina_poll([[W]])
// CHECK-NOT: lamina.poll
// CHECK-LABEL: func.func private @task
// CHECK: scf.for
// CHECK-NOT: func.call @lamina_poll
// CHECK-NOT: lamina.poll
// CHECK-LABEL: func.func @main
func.func private @marked(%x: memref<1xi64>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 7 : i64
  scf.for %i = %c0 to %n step %c1 {
    scf.for %j = %c0 to %n step %c1 {
      memref.store %one, %x[%c0] : memref<1xi64>
    }
  } {lamina.poll}
  func.return
}
func.func private @task(%t: index, %x: memref<1xi64>, %n: index) attributes {parallel_body} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    scf.for %j = %c0 to %n step %c1 {
    }
  } {lamina.poll}
  func.return
}
func.func @main(%x: memref<1xi64>, %n: index) {
  func.call @marked(%x, %n) : (memref<1xi64>, index) -> ()
  func.return
}
