"""Memory of the loop level, run natively."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest
from loop_native import BF16, RNG, Program, call_upstream, lowered, upstream

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
    text = lowered(HEAP, round_trip=True)
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
