// RUN: %opt -p insert-polls --split-input-file %s | %check

// Nobody knows how long a while runs; with a call in it, the clock is read each time.
// CHECK-LABEL: func.func private @lamina_poll(i64)
// CHECK-LABEL: func.func @main
// CHECK: scf.while
// CHECK: scf.condition
// CHECK: arith.constant 1024 : i64
// CHECK-NEXT: func.call @lamina_poll(
// CHECK-NEXT: func.call @work(
func.func private @work(%x: memref<1xi64>) {
  func.return
}
func.func @main(%x: memref<1xi64>, %most: i64) {
  %c0 = arith.constant 0 : index
  scf.while () : () -> () {
    %v = memref.load %x[%c0] : memref<1xi64>
    %go = arith.cmpi slt, %v, %most : i64
    scf.condition(%go)
  } do {
    func.call @work(%x) : (memref<1xi64>) -> ()
    scf.yield
  }
  func.return
}

// -----

// A body of a few instructions must not pay for the clock every time.
// CHECK-LABEL: func.func @main
// CHECK: scf.for
// CHECK-NEXT: arith.constant 1 : i64
// CHECK-NEXT: func.call @lamina_poll(
func.func @main(%x: memref<1xi64>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 7 : i64
  scf.for %i = %c0 to %n step %c1 {
    memref.store %one, %x[%c0] : memref<1xi64>
  }
  func.return
}

// -----

// A known, small number of cheap iterations is soon over; a million and one may not be.
// CHECK-LABEL: func.func @main
// CHECK: scf.for
// CHECK-NEXT: memref.store
// CHECK: scf.for
// CHECK-NEXT: arith.constant
// CHECK-NEXT: func.call @lamina_poll(
func.func @main(%x: memref<1xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %few = arith.constant 1000000 : index
  %many = arith.constant 1000001 : index
  %one = arith.constant 7 : i64
  scf.for %i = %c0 to %few step %c1 {
    memref.store %one, %x[%c0] : memref<1xi64>
  }
  scf.for %i = %c0 to %many step %c1 {
    memref.store %one, %x[%c0] : memref<1xi64>
  }
  func.return
}

// -----

// Ten calls of a kernel may take an hour.
// CHECK-LABEL: func.func @main
// CHECK: scf.for
// CHECK-NEXT: arith.constant 1024 : i64
// CHECK-NEXT: func.call @lamina_poll(
func.func private @work(%x: memref<1xi64>) {
  func.return
}
func.func @main(%x: memref<1xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c10 = arith.constant 10 : index
  scf.for %i = %c0 to %c10 step %c1 {
    func.call @work(%x) : (memref<1xi64>) -> ()
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
// CHECK-COUNT-1: func.call @lamina_poll(
// CHECK-NOT: lamina_poll
func.func private @lamina_poll(i64)
func.func @main(%x: memref<1xi64>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i64
  scf.for %i = %c0 to %n step %c1 {
    func.call @lamina_poll(%one) : (i64) -> ()
    memref.store %one, %x[%c0] : memref<1xi64>
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
