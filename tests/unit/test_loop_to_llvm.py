"""Memory, control flow, calls and errors of the loop level, run natively."""

from __future__ import annotations

import ctypes
from time import perf_counter

import numpy as np
import pytest
from loop_native import BF16, RNG, Program, call_upstream, lowered, upstream

from lamina.errors import LoweringError
from lamina.testing.lit import mlir_tool

AXPY = """
func.func private @axpy(%x: memref<?xf32>, %y: memref<?xf32>, %out: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  %a = arith.constant 2.0 : f32
  %va = vector.broadcast %a : f32 to vector<16xf32>
  %z = arith.constant dense<0.0> : vector<16xf32>
  %rest = arith.remui %n, %c16 : index
  %full = arith.subi %n, %rest : index
  scf.for %i = %c0 to %full step %c16 {
    %vx = vector.load %x[%i] : memref<?xf32>, vector<16xf32>
    %vy = vector.load %y[%i] : memref<?xf32>, vector<16xf32>
    %r = vector.fma %vx, %va, %vy : vector<16xf32>
    vector.store %r, %out[%i] : memref<?xf32>, vector<16xf32>
  }
  %m = vector.create_mask %rest : vector<16xi1>
  %vx = vector.maskedload %x[%full], %m, %z
    : memref<?xf32>, vector<16xi1>, vector<16xf32> into vector<16xf32>
  %vy = vector.maskedload %y[%full], %m, %z
    : memref<?xf32>, vector<16xi1>, vector<16xf32> into vector<16xf32>
  %r = vector.fma %vx, %va, %vy : vector<16xf32>
  vector.maskedstore %out[%full], %m, %r : memref<?xf32>, vector<16xi1>, vector<16xf32>
  func.return
}
func.func @main(%x: memref<?xf32>, %y: memref<?xf32>, %out: memref<?xf32>) {
  func.call @axpy(%x, %y, %out) : (memref<?xf32>, memref<?xf32>, memref<?xf32>) -> ()
  func.return
}
"""


def test_masked_tail() -> None:
    program = Program(AXPY)
    for n in (0, 1, 15, 16, 17, 100):
        x, y = RNG.random((2, n), np.float32)
        guarded = np.full(n + 16, 7, np.float32)
        assert program("main", x, y, guarded, sizes=(n, n, n)) == 0
        np.testing.assert_array_equal(guarded[:n], (x * 2.0 + y).astype(np.float32))
        assert (guarded[n:] == 7).all()


# memory


def test_rank_zero_and_empty() -> None:
    program = Program(
        """
func.func @k(%x: memref<f32>, %none: memref<0x4xf64>, %out: memref<f32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %v = memref.load %x[] : memref<f32>
  scf.for %i = %c0 to %c0 step %c1 {
    scf.for %j = %c0 to %c4 step %c1 {
      %w = memref.load %none[%i, %j] : memref<0x4xf64>
      memref.store %w, %none[%i, %j] : memref<0x4xf64>
    }
  }
  %copy = memref.alloc() : memref<0x4xf64>
  memref.copy %none, %copy : memref<0x4xf64> to memref<0x4xf64>
  memref.store %v, %out[] : memref<f32>
  func.return
}"""
    )
    out = np.zeros((), np.float32)
    assert program("k", np.array(3, np.float32), np.zeros((0, 4)), out) == 0
    assert out == 3


VIEWS = """
func.func @k(%x: memref<6x8x5xf32>, %out: memref<40xf32>, %o: index, %s: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  %c20 = arith.constant 20 : index
  // x[o, ::2, s:s+2] of shape 4x2, dropping the first dimension
  %a = memref.subview %x[%o, 0, %s] [1, 4, 2] [1, 2, 1]
    : memref<6x8x5xf32> to memref<4x2xf32, strided<[10, 1], offset: ?>>
  %b = memref.subview %a[1, 1] [3, 1] [1, 1]
    : memref<4x2xf32, strided<[10, 1], offset: ?>>
    to memref<3xf32, strided<[10], offset: ?>>
  %d = memref.dim %a, %c0 : memref<4x2xf32, strided<[10, 1], offset: ?>>
  scf.for %i = %c0 to %d step %c1 {
    scf.for %j = %c0 to %c2 step %c1 {
      %v = memref.load %a[%i, %j] : memref<4x2xf32, strided<[10, 1], offset: ?>>
      %r = arith.muli %i, %c2 : index
      %at = arith.addi %r, %j : index
      memref.store %v, %out[%at] : memref<40xf32>
    }
  }
  %v0 = memref.load %b[%c2] : memref<3xf32, strided<[10], offset: ?>>
  %c8 = arith.constant 8 : index
  memref.store %v0, %out[%c8] : memref<40xf32>
  // the first 4 planes as 32x5, then as 8x4x5
  %flat = memref.collapse_shape %x [[0, 1], [2]] : memref<6x8x5xf32> into memref<48x5xf32>
  %wide = memref.expand_shape %flat [[0, 1, 2], [3]] output_shape [3, 4, 4, 5]
    : memref<48x5xf32> into memref<3x4x4x5xf32>
  %v1 = memref.load %wide[%c2, %c1, %c2, %c4] : memref<3x4x4x5xf32>
  %c9 = arith.constant 9 : index
  memref.store %v1, %out[%c9] : memref<40xf32>
  // one row by its place in memory
  %row = memref.reinterpret_cast %x to offset: [%c20], sizes: [5], strides: [1]
    : memref<6x8x5xf32> to memref<5xf32, strided<[1], offset: ?>>
  %part = memref.subview %out[10] [5] [1]
    : memref<40xf32> to memref<5xf32, strided<[1], offset: 10>>
  memref.copy %row, %part
    : memref<5xf32, strided<[1], offset: ?>> to memref<5xf32, strided<[1], offset: 10>>
  // a strided copy: column 3 of plane 2
  %column = memref.subview %x[2, 0, 3] [1, 8, 1] [1, 1, 1]
    : memref<6x8x5xf32> to memref<8xf32, strided<[5], offset: 83>>
  %rest = memref.subview %out[16] [8] [2]
    : memref<40xf32> to memref<8xf32, strided<[2], offset: 16>>
  memref.copy %column, %rest
    : memref<8xf32, strided<[5], offset: 83>> to memref<8xf32, strided<[2], offset: 16>>
  func.return
}
"""


def views_expected(x: np.ndarray, o: int, s: int) -> np.ndarray:
    out = np.zeros(40, np.float32)
    a = x[o, ::2, s : s + 2]
    out[:8] = a.ravel()
    out[8] = a[1:, 1][2]
    out[9] = x.reshape(3, 4, 4, 5)[2, 1, 2, 4]
    out[10:15] = x.ravel()[20:25]
    out[16:32:2] = x[2, :, 3]
    return out


@pytest.mark.parametrize(("o", "s"), [(0, 0), (5, 3), (2, 1)])
def test_views_and_copies(o: int, s: int) -> None:
    x, out = RNG.random((6, 8, 5), np.float32), np.zeros(40, np.float32)
    assert Program(VIEWS)("k", x, out, ctypes.c_int64(o), ctypes.c_int64(s)) == 0
    np.testing.assert_array_equal(out, views_expected(x, o, s))


@pytest.mark.skipif(mlir_tool("mlir-opt") is None, reason="upstream's tools are not installed")
def test_views_equal_upstream() -> None:
    start, end = VIEWS.index("  // one row"), VIEWS.index("  func.return")
    text = VIEWS[:start] + VIEWS[end:]  # upstream needs its run-time library for strided copies
    x, ours, theirs = (
        RNG.random((6, 8, 5), np.float32),
        np.zeros(40, np.float32),
        np.zeros(40, "f4"),
    )
    o, s = ctypes.c_int64(4), ctypes.c_int64(2)
    assert Program(text)("k", x, ours, o, s) == 0
    call_upstream(upstream(text), "k", x, theirs, o, s)
    np.testing.assert_array_equal(ours, theirs)
    assert ours.any()


def test_dynamic_sizes_strides_and_casts() -> None:
    """Rank 3 with three `?`: strides come from sizes; a cast forgets and learns sizes."""
    program = Program(
        """
func.func private @last(%x: memref<?x?x?xi16>, %out: memref<1xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %a = memref.dim %x, %c0 : memref<?x?x?xi16>
  %b = memref.dim %x, %c1 : memref<?x?x?xi16>
  %c = memref.dim %x, %c2 : memref<?x?x?xi16>
  %i = arith.subi %a, %c1 : index
  %j = arith.subi %b, %c1 : index
  %k = arith.subi %c, %c1 : index
  %v = memref.load %x[%i, %j, %k] : memref<?x?x?xi16>
  %w = arith.extsi %v : i16 to i64
  memref.store %w, %out[%c0] : memref<1xi64>
  func.return
}
func.func @main(%x: memref<?x4x?xi16>, %out: memref<1xi64>) {
  %y = memref.cast %x : memref<?x4x?xi16> to memref<?x?x?xi16>
  func.call @last(%y, %out) : (memref<?x?x?xi16>, memref<1xi64>) -> ()
  func.return
}"""
    )
    x = RNG.integers(-99, 99, (3, 4, 7), np.int16)
    out = np.zeros(1, np.int64)
    assert program("main", x, out, sizes=(3, 7)) == 0
    assert out[0] == x[-1, -1, -1]


def test_strided_copy_between_dynamic_views() -> None:
    program = Program(
        """
func.func @k(%x: memref<?x?xf64>, %y: memref<?x?xf64>, %rows: index, %columns: index) {
  %a = memref.subview %x[1, 1] [%rows, %columns] [1, 1]
    : memref<?x?xf64> to memref<?x?xf64, strided<[?, 1], offset: ?>>
  %b = memref.subview %y[0, 2] [%rows, %columns] [2, 1]
    : memref<?x?xf64> to memref<?x?xf64, strided<[?, 1], offset: ?>>
  memref.copy %a, %b : memref<?x?xf64, strided<[?, 1], offset: ?>>
    to memref<?x?xf64, strided<[?, 1], offset: ?>>
  func.return
}"""
    )
    x, y = RNG.random((5, 6)), np.zeros((9, 7))
    for rows, columns in ((4, 5), (1, 1), (0, 3), (3, 0)):
        y[:] = -1
        sizes = (*x.shape, *y.shape)
        numbers = (ctypes.c_int64(rows), ctypes.c_int64(columns))
        assert program("k", x, y, *numbers, sizes=sizes) == 0
        expected = np.full((9, 7), -1.0)
        expected[: 2 * rows : 2, 2 : 2 + columns] = x[1 : 1 + rows, 1 : 1 + columns]
        np.testing.assert_array_equal(y, expected)


def test_globals() -> None:
    """Constants of several ranks and types, Inf and NaN among them."""
    program = Program(
        """
memref.global "private" constant @m : memref<2x3xf32> =
  dense<[[1.0, 0x7F800000, -0.0], [0xFF800000, 0x7FC00000, 5.0]]>
memref.global "private" constant @s : memref<i64> = dense<-7>
memref.global "private" constant @h : memref<2xbf16> = dense<[1.5, -2.0]>
memref.global "private" @table : memref<4xi8> = dense<[1, 2, 3, 4]> {alignment = 16}
func.func @k(%f: memref<2x3xf32>, %i: memref<i64>, %h: memref<2xbf16>, %b: memref<4xi8>) {
  %m = memref.get_global @m : memref<2x3xf32>
  %s = memref.get_global @s : memref<i64>
  %g = memref.get_global @h : memref<2xbf16>
  %t = memref.get_global @table : memref<4xi8>
  memref.copy %m, %f : memref<2x3xf32> to memref<2x3xf32>
  memref.copy %s, %i : memref<i64> to memref<i64>
  memref.copy %g, %h : memref<2xbf16> to memref<2xbf16>
  memref.copy %t, %b : memref<4xi8> to memref<4xi8>
  func.return
}"""
    )
    f, i = np.zeros((2, 3), np.float32), np.zeros((), np.int64)
    h, b = np.zeros(2, BF16), np.zeros(4, np.int8)
    assert program("k", f, i, h, b) == 0
    np.testing.assert_array_equal(f, [[1, np.inf, 0], [-np.inf, np.nan, 5]])
    assert np.signbit(f[0, 2])
    assert i == -7
    assert h.astype(float).tolist() == [1.5, -2]
    assert b.tolist() == [1, 2, 3, 4]


# scratch, arena, heap


def test_scratch_of_nested_regions_and_callees_does_not_overlap() -> None:
    """The caller's buffer, the loop's and the callee's are all live at once."""
    program = Program(
        """
func.func private @fill(%out: memref<20xi8>, %v: i8) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c20 = arith.constant 20 : index
  %t = memref.alloc() : memref<20xi8>
  scf.for %i = %c0 to %c20 step %c1 {
    memref.store %v, %t[%i] : memref<20xi8>
  }
  memref.copy %t, %out : memref<20xi8> to memref<20xi8>
  func.return
}
func.func @k(%out: memref<4x20xi8>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %one = arith.constant 1 : i8
  %two = arith.constant 2 : i8
  %three = arith.constant 3 : i8
  %a = memref.alloc() : memref<20xi8>
  func.call @fill(%a, %one) : (memref<20xi8>, i8) -> ()
  scf.for %i = %c0 to %c2 step %c1 {
    %b = memref.alloc() : memref<20xi8>
    func.call @fill(%b, %two) : (memref<20xi8>, i8) -> ()
    %row = memref.subview %out[%i, 0] [1, 20] [1, 1]
      : memref<4x20xi8> to memref<20xi8, strided<[1], offset: ?>>
    memref.copy %b, %row : memref<20xi8> to memref<20xi8, strided<[1], offset: ?>>
  }
  %c = memref.alloc() : memref<20xi8>
  func.call @fill(%c, %three) : (memref<20xi8>, i8) -> ()
  %r2 = memref.subview %out[2, 0] [1, 20] [1, 1]
    : memref<4x20xi8> to memref<20xi8, strided<[1], offset: 40>>
  %r3 = memref.subview %out[3, 0] [1, 20] [1, 1]
    : memref<4x20xi8> to memref<20xi8, strided<[1], offset: 60>>
  memref.copy %a, %r2 : memref<20xi8> to memref<20xi8, strided<[1], offset: 40>>
  memref.copy %c, %r3 : memref<20xi8> to memref<20xi8, strided<[1], offset: 60>>
  func.return
}"""
    )
    # a, then b or c in its place after the loop's end, then the callee's
    assert program.scratch_bytes == 3 * 64
    out = np.zeros((4, 20), np.int8)
    assert program("k", out) == 0
    np.testing.assert_array_equal(out, np.repeat([[2], [2], [1], [3]], 20, axis=1))


def test_arena_of_main() -> None:
    program = Program(
        """
func.func private @twice(%x: memref<8xf32>, %y: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %v = vector.load %x[%c0] : memref<8xf32>, vector<8xf32>
  %w = arith.addf %v, %v : vector<8xf32>
  vector.store %w, %y[%c0] : memref<8xf32>, vector<8xf32>
  func.return
}
func.func @main(%x: memref<8xf32>, %y: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %arena = memref.alloc() {alignment = 64 : i64} : memref<128xi8>
  %t = memref.view %arena[%c0][] : memref<128xi8> to memref<8xf32>
  %u = memref.view %arena[%c64][] : memref<128xi8> to memref<8xf32>
  func.call @twice(%x, %t) : (memref<8xf32>, memref<8xf32>) -> ()
  func.call @twice(%t, %u) : (memref<8xf32>, memref<8xf32>) -> ()
  func.call @twice(%u, %y) : (memref<8xf32>, memref<8xf32>) -> ()
  memref.dealloc %arena : memref<128xi8>
  func.return
}"""
    )
    assert (program.arena_bytes, program.scratch_bytes) == (128, 0)
    x, y = RNG.random(8, np.float32), np.zeros(8, np.float32)
    assert program("main", x, y) == 0
    np.testing.assert_array_equal(y, 8 * x)


HEAP = """
func.func private @lamina_check(i1, i64, i64, i64)
func.func @k(%n: index, %out: memref<1xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %zero = arith.constant 0 : i64
  %id = arith.constant 5 : i64
  %a = memref.alloc(%n) : memref<?x16xi64>
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> (i64) {
    %b = memref.alloc(%n) : memref<?xi64>
    %j = arith.index_cast %i : index to i64
    memref.store %j, %b[%i] : memref<?xi64>
    memref.store %j, %a[%i, %c3] : memref<?x16xi64>
    %v = memref.load %b[%i] : memref<?xi64>
    %w = memref.load %a[%i, %c3] : memref<?x16xi64>
    %t = arith.addi %v, %w : i64
    %next = arith.addi %sum, %t : i64
    %ok = arith.cmpi slt, %next, %id : i64
    %small = arith.cmpi ult, %n, %c3 : index
    %fine = arith.ori %ok, %small : i1
    func.call @lamina_check(%fine, %id, %j, %next) : (i1, i64, i64, i64) -> ()
    scf.yield %next : i64
  }
  memref.dealloc %a : memref<?x16xi64>
  memref.store %s, %out[%c0] : memref<1xi64>
  func.return
}
"""


def test_heap_is_freed_on_every_path() -> None:
    """Sizes known at run time only: freed at the region's end, by dealloc, and on an early exit."""
    text = lowered(HEAP)
    assert text.count("call ptr @aligned_alloc") == 2
    # normal: b at the end of an iteration, a by dealloc; a alone when b's allocation fails; both
    # when the check fails
    assert text.count("call void @free") == 5
    program = Program(HEAP)
    out = np.zeros(1, np.int64)
    assert program("k", ctypes.c_int64(2), out) == 0
    assert out[0] == 2
    assert program("k", ctypes.c_int64(9), out) == 1
    assert program.error == (5, 2, 6)
    assert program("k", ctypes.c_int64(0), out) == 0
    assert out[0] == 0


def test_no_memory_is_a_status() -> None:
    program = Program(HEAP)
    assert program("k", ctypes.c_int64(1 << 52), np.zeros(1, np.int64)) == 12


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
  scf.while : () -> () {
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
    program = Program(SPIN.replace("scf.while :", "scf.while () :").replace("BODY", body))
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
    assert (gaps > 1e-3).all()
    assert gaps.min() < 0.1
