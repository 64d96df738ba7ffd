"""Control flow, calls, parallel loops and interruption of the loop level, run natively."""

from __future__ import annotations

import ctypes
from time import perf_counter

import numpy as np
import pytest
from loop_native import RNG, Program, lowered

# control flow


def test_loops_of_known_and_unknown_trips() -> None:
    program = Program(
        """
func.func @k(%lo: index, %hi: index, %step: index, %out: memref<6xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  %c7 = arith.constant 7 : index
  %one = arith.constant 1 : i64
  %zero = arith.constant 0 : i64
  %a, %b = scf.for %i = %lo to %hi step %step iter_args(%n = %zero, %s = %zero) -> (i64, i64) {
    %n1 = arith.addi %n, %one : i64
    %j = arith.index_cast %i : index to i64
    %s1 = arith.addi %s, %j : i64
    scf.yield %s1, %n1 : i64, i64
  }
  %c = scf.for %i = %c2 to %c7 step %c3 iter_args(%n = %zero) -> (i64) {
    %n1 = arith.addi %n, %one : i64
    scf.yield %n1 : i64
  }
  %d = scf.for %i = %c2 to %c3 step %c7 iter_args(%n = %zero) -> (i64) {
    %j = arith.index_cast %i : index to i64
    %n1 = arith.addi %n, %j : i64
    scf.yield %n1 : i64
  }
  %e = scf.for %i = %c3 to %c3 step %c1 iter_args(%n = %one) -> (i64) {
    scf.yield %zero : i64
  }
  memref.store %a, %out[%c0] : memref<6xi64>
  memref.store %b, %out[%c1] : memref<6xi64>
  memref.store %c, %out[%c2] : memref<6xi64>
  memref.store %d, %out[%c3] : memref<6xi64>
  memref.store %e, %out[%c4] : memref<6xi64>
  func.return
}"""
    )
    out = np.zeros(6, np.int64)
    for lo, hi, step in ((0, 10, 1), (0, 10, 3), (-5, 6, 5), (3, 3, 1), (4, 3, 1), (-1, 0, 9)):
        numbers = [ctypes.c_int64(number) for number in (lo, hi, step)]
        assert program("k", *numbers, out) == 0
        # the carried values swap places: count and sum mix as in Python
        a = b = 0
        for i in range(lo, hi, step):
            a, b = b + i, a + 1
        assert out[:5].tolist() == [a, b, 2, 2, 1]


def test_while_if_and_switch() -> None:
    """Collatz steps; a value chosen by if and by switch."""
    program = Program(
        """
func.func @k(%n: i64, %which: index, %out: memref<3xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %two = arith.constant 2 : i64
  %three = arith.constant 3 : i64
  %end, %steps = scf.while (%v = %n, %k = %zero) : (i64, i64) -> (i64, i64) {
    %go = arith.cmpi ne, %v, %one : i64
    scf.condition(%go) %v, %k : i64, i64
  } do {
  ^bb0(%v: i64, %k: i64):
    %odd = arith.remui %v, %two : i64
    %is_odd = arith.cmpi eq, %odd, %one : i64
    %next = scf.if %is_odd -> (i64) {
      %t = arith.muli %v, %three : i64
      %u = arith.addi %t, %one : i64
      scf.yield %u : i64
    } else {
      %h = arith.divui %v, %two : i64
      scf.yield %h : i64
    }
    %k1 = arith.addi %k, %one : i64
    scf.yield %next, %k1 : i64, i64
  }
  memref.store %steps, %out[%c0] : memref<3xi64>
  %long = arith.cmpi sgt, %steps, %three : i64
  scf.if %long {
    memref.store %end, %out[%c1] : memref<3xi64>
  }
  %r = scf.index_switch %which -> i64
  case 1 {
    scf.yield %two : i64
  }
  case 4 {
    scf.yield %three : i64
  }
  default {
    scf.yield %n : i64
  }
  memref.store %r, %out[%c2] : memref<3xi64>
  func.return
}"""
    )
    for n, steps in ((1, 0), (2, 1), (27, 111)):
        for which, chosen in ((1, 2), (4, 3), (0, n)):
            out = np.zeros(3, np.int64)
            assert program("k", ctypes.c_int64(n), ctypes.c_int64(which), out) == 0
            assert out.tolist() == [steps, 1 if steps > 3 else 0, chosen]


def test_memrefs_as_loop_carried_values() -> None:
    """Two buffers change places at each iteration; sizes travel with them."""
    program = Program(
        """
func.func @k(%a: memref<?xf32>, %b: memref<?xf32>, %n: index, %out: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  %x, %y = scf.for %i = %c0 to %n step %c1 iter_args(%p = %a, %q = %b)
      -> (memref<?xf32>, memref<?xf32>) {
    %size = memref.dim %p, %c0 : memref<?xf32>
    scf.for %j = %c0 to %size step %c1 {
      %v = memref.load %p[%j] : memref<?xf32>
      %w = arith.addf %v, %one : f32
      memref.store %w, %q[%j] : memref<?xf32>
    }
    scf.yield %q, %p : memref<?xf32>, memref<?xf32>
  }
  %even = arith.remui %n, %c1 : index
  %is = arith.cmpi eq, %even, %c0 : index
  %r = scf.if %is -> (memref<?xf32>) {
    scf.yield %x : memref<?xf32>
  } else {
    scf.yield %y : memref<?xf32>
  }
  memref.copy %r, %out : memref<?xf32> to memref<?xf32>
  func.return
}"""
    )
    for n in (0, 1, 5):
        a, b, out = RNG.random(6, np.float32), np.zeros(6, np.float32), np.zeros(6, np.float32)
        expected = a.copy()
        for _ in range(n):
            expected += np.float32(1)
        assert program("k", a, b, ctypes.c_int64(n), out, sizes=(6, 6, 6)) == 0
        np.testing.assert_array_equal(out, expected)


# calls


def test_scalar_results_and_c_functions() -> None:
    program = Program(
        """
func.func private @hypot(f64, f64) -> f64 attributes {c_abi}
func.func private @both(%x: f64, %m: memref<?xf64>) -> (f64, index) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %m, %c0 : memref<?xf64>
  %y = memref.load %m[%c0] : memref<?xf64>
  %h = func.call @hypot(%x, %y) : (f64, f64) -> f64
  func.return %h, %n : f64, index
}
func.func @main(%x: f64, %m: memref<?xf64>, %out: memref<2xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %h, %n = func.call @both(%x, %m) : (f64, memref<?xf64>) -> (f64, index)
  %i = arith.index_cast %n : index to i64
  %f = arith.sitofp %i : i64 to f64
  memref.store %h, %out[%c0] : memref<2xf64>
  memref.store %f, %out[%c1] : memref<2xf64>
  func.return
}"""
    )
    out = np.zeros(2)
    assert program("main", ctypes.c_double(3.0), np.array([4.0, 9.0]), out, sizes=(2,)) == 0
    assert out.tolist() == [5, 2]


def test_views_as_arguments() -> None:
    """A view's offset and strides reach the callee."""
    view = "memref<?x?xf32, strided<[?, 1], offset: ?>>"
    program = Program(
        f"""
func.func private @fill(%x: {view}, %v: f32) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %x, %c0 : {view}
  %n = memref.dim %x, %c1 : {view}
  scf.for %i = %c0 to %m step %c1 {{
    scf.for %j = %c0 to %n step %c1 {{
      memref.store %v, %x[%i, %j] : {view}
    }}
  }}
  func.return
}}
func.func @main(%x: memref<6x8xf32>, %i: index, %n: index, %v: f32) {{
  %part = memref.subview %x[%i, %n] [2, %n] [2, 1]
    : memref<6x8xf32> to memref<2x?xf32, strided<[16, 1], offset: ?>>
  %any = memref.cast %part : memref<2x?xf32, strided<[16, 1], offset: ?>> to {view}
  func.call @fill(%any, %v) : ({view}, f32) -> ()
  func.return
}}"""
    )
    x, expected = np.zeros((6, 8), np.float32), np.zeros((6, 8), np.float32)
    expected[[1, 3], 3:6] = 7
    numbers = (ctypes.c_int64(1), ctypes.c_int64(3), ctypes.c_float(7))
    assert program("main", x, *numbers) == 0
    np.testing.assert_array_equal(x, expected)


def test_a_callee_s_status_ends_its_callers() -> None:
    program = Program(
        """
func.func private @lamina_check(i1, i64, i64, i64)
func.func private @checked(%ok: i1, %out: memref<1xi64>) {
  %c0 = arith.constant 0 : index
  %id = arith.constant 3 : i64
  %index = arith.constant -1 : i64
  func.call @lamina_check(%ok, %id, %index, %id) : (i1, i64, i64, i64) -> ()
  memref.store %id, %out[%c0] : memref<1xi64>
  func.return
}
func.func @main(%ok: i1, %first: memref<1xi64>, %second: memref<1xi64>) {
  %true = arith.constant true
  func.call @checked(%true, %first) : (i1, memref<1xi64>) -> ()
  func.call @checked(%ok, %second) : (i1, memref<1xi64>) -> ()
  func.call @checked(%true, %second) : (i1, memref<1xi64>) -> ()
  func.return
}"""
    )
    for ok in (True, False):
        first, second = np.zeros(1, np.int64), np.zeros(1, np.int64)
        assert program("main", ctypes.c_bool(ok), first, second) == (0 if ok else 1)
        assert (first[0], second[0]) == (3, 3 if ok else 0)
        assert program.error == ((0, 0, 0) if ok else (3, -1, 3))


# parallel loops

PARALLEL = """
func.func private @lamina_check(i1, i64, i64, i64)
func.func @k(%x: memref<?x?xf32>, %y: memref<?x?xf32>, %lo: index, %bad: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %two = arith.constant 2.0 : f32
  %id = arith.constant 8 : i64
  %m = memref.dim %x, %c0 : memref<?x?xf32>
  %n = memref.dim %x, %c1 : memref<?x?xf32>
  %rows = arith.subi %m, %c1 : index
  %part = memref.subview %x[1, 0] [%rows, %n] [1, 1]
    : memref<?x?xf32> to memref<?x?xf32, strided<[?, 1], offset: ?>>
  %before = memref.alloc() : memref<4xf32>
  memref.store %two, %before[%c2] : memref<4xf32>
  scf.parallel (%i, %j) = (%lo, %c0) to (%rows, %n) step (%c2, %c1) {
    %t = memref.alloc() : memref<4xf32>
    scf.parallel (%k) = (%c0) to (%c4) step (%c1) {
      %v = memref.load %part[%i, %j] : memref<?x?xf32, strided<[?, 1], offset: ?>>
      memref.store %v, %t[%k] : memref<4xf32>
    }
    %a = memref.load %t[%c2] : memref<4xf32>
    %b = memref.load %before[%c2] : memref<4xf32>
    %r = arith.mulf %a, %b : f32
    %ok = arith.cmpi ne, %i, %bad : index
    %at = arith.index_cast %i : index to i64
    func.call @lamina_check(%ok, %id, %at, %id) : (i1, i64, i64, i64) -> ()
    memref.store %r, %y[%i, %j] : memref<?x?xf32>
  }
  func.return
}
"""


@pytest.mark.parametrize("shape", [(9, 5), (1, 4), (2, 1), (4, 0)])
@pytest.mark.parametrize("lo", [0, 1])
def test_parallel(shape: tuple[int, int], lo: int) -> None:
    """Two dimensions, steps, run-time bounds, captured views, scratch on threads 0, 1 and 2."""
    program = Program(PARALLEL)
    assert program.scratch_bytes == 128
    m, n = shape
    x, y = RNG.random(shape, np.float32), np.zeros(shape, np.float32)
    expected = y.copy()
    expected[lo : m - 1 : 2] = 2 * x[1:][lo : m - 1 : 2]
    numbers = (ctypes.c_int64(lo), ctypes.c_int64(-1))
    assert program("k", x, y, *numbers, sizes=(m, n, m, n)) == 0
    np.testing.assert_array_equal(y, expected)


def test_a_check_inside_a_parallel_body() -> None:
    program = Program(PARALLEL)
    x, y = RNG.random((9, 5), np.float32), np.zeros((9, 5), np.float32)
    numbers = (ctypes.c_int64(0), ctypes.c_int64(4))
    assert program("k", x, y, *numbers, sizes=(9, 5, 9, 5)) == 1
    assert program.error == (8, 4, 8)
    np.testing.assert_array_equal(y[2], 2 * x[3])
    assert not y[6].any()


# interruption

SPIN = """
func.func private @work(%x: memref<1xi64>) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : i64
  %v = memref.load %x[%c0] : memref<1xi64>
  %w = arith.addi %v, %one : i64
  memref.store %w, %x[%c0] : memref<1xi64>
  func.return
}
func.func @main(%x: memref<1xi64>, %most: i64) {
  %c0 = arith.constant 0 : index
  scf.while () : () -> () {
    %v = memref.load %x[%c0] : memref<1xi64>
    %go = arith.cmpi slt, %v, %most : i64
    scf.condition(%go)
  } do {
    BODY
    scf.yield
  }
  func.return
}
"""
CALL = "func.call @work(%x) : (memref<1xi64>) -> ()"
INLINE = """%one = arith.constant 1 : i64
    %v = memref.load %x[%c0] : memref<1xi64>
    %w = arith.addi %v, %one : i64
    memref.store %w, %x[%c0] : memref<1xi64>"""


@pytest.mark.parametrize("body", [CALL, INLINE])
def test_a_long_loop_can_be_interrupted(body: str) -> None:
    program = Program(SPIN.replace("BODY", body))
    x = np.zeros(1, np.int64)
    assert program("main", x, ctypes.c_int64(5000)) == 0  # no poll function
    assert x[0] == 5000
    calls: list[float] = []

    def poll(context: int) -> int:
        calls.append(perf_counter())
        return 77 if len(calls) == 4 else 0

    program.poll = poll
    x[0] = 0
    assert program("main", x, ctypes.c_int64(1 << 62)) == 77
    assert x[0] < 1 << 62
    gaps = np.diff(calls)
    assert (gaps > 9e-3).all()
    assert gaps.min() < 0.1


def test_the_llvm_level_reads_what_it_prints() -> None:
    lowered(PARALLEL, round_trip=True)
    lowered(SPIN.replace("BODY", CALL), round_trip=True)


def test_each_thread_has_its_own_scratch() -> None:
    """Task t runs as thread t % 3: the places of its buffer tell."""
    program = Program(
        """
func.func @k(%y: memref<6xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c6 = arith.constant 6 : index
  %before = memref.alloc() : memref<40xf32>
  scf.parallel (%i) = (%c0) to (%c6) step (%c1) {
    %t = memref.alloc() : memref<4xf32>
    %p = memref.extract_aligned_pointer_as_index %t : memref<4xf32> -> index
    %q = arith.index_cast %p : index to i64
    memref.store %q, %y[%i] : memref<6xi64>
  }
  %p = memref.extract_aligned_pointer_as_index %before : memref<40xf32> -> index
  %q = arith.index_cast %p : index to i64
  memref.store %q, %y[%c0] : memref<6xi64>
  func.return
}"""
    )
    assert program.scratch_bytes == 192 + 64
    y = np.zeros(6, np.int64)
    assert program("k", y) == 0
    scratch = y[0]
    assert scratch % 64 == 0
    assert (y[1:] - scratch).tolist() == [192 + 256 * (task % 3) for task in range(1, 6)]
