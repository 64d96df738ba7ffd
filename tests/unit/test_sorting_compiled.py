"""Compiled sorts and searches in every type: short and long rows, few keys, patterns, threads."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from op_row import values
from op_rows_loops import ORDERS, SIDES
from op_table import rng_for
from references import assert_same, elements

from lamina.executable import Program, compile_module
from lamina.interpreters import call
from lamina.interpreters.types import (
    DTYPES,
    F16,
    F32,
    F64,
    INT64,
    Array,
    DType,
    element_type_of,
    is_float,
)
from lamina.ir_text import parse_module
from lamina.lowering.sort_rows import LONG_ROW, SHORT
from lamina.options import CompileOptions
from lamina.registry import make_context


def compiled(text: str, threads: int = 1, cpu: str = "host") -> Program:
    """A program of level nd."""
    module = parse_module(make_context(), text, "sort.mlir")
    return compile_module(module, "main", CompileOptions(cache=False, threads=threads, cpu=cpu))


def sort_text(dtype: DType, shape: tuple[int | str, ...], order: str) -> str:
    """A program that gives the sorted elements and their indices along the last axis."""
    dims = "x".join(map(str, shape))
    x, i = f"tensor<{dims}x{element_type_of(dtype)}>", f"tensor<{dims}xi64>"
    axis = len(shape) - 1
    return f"""
    func.func @main(%x: {x}) -> ({x}, {i}) {{
      %0 = nd.sort %x axis {axis} order "{order}" : {x}
      %1 = nd.argsort %x axis {axis} order "{order}" : {x} -> {i}
      func.return %0, %1 : {x}, {i}
    }}"""


def lines(dtype: DType, size: int) -> Iterator[Array]:
    """Rows of all kinds: special values, few distinct ones, ordered, reversed, constant."""
    rng = rng_for("lines", dtype, size)
    special = values(rng, dtype, (size,), -100, 100, 0.3)
    yield special
    yield (
        call("negative", special) if is_float(dtype) else special[::-1].copy()
    )  # NaN of both signs
    wide = values(rng, dtype, (size,), -1e4, 1e4)
    yield wide
    yield values(rng, dtype, (size,), -2, 2, 0.1).astype(dtype)
    yield call("sort", wide, axis=0, order="ascending")
    yield call("sort", wide, axis=0, order="descending")
    yield np.full(size, wide[0], dtype)
    zeros = np.where(rng.random(size) < 0.5, np.array(-0.0, F32), np.array(0.0, F32))
    yield call("cast", zeros, dtype=dtype)


def assert_equal_bits(found: Array, expected: Array) -> None:
    """Equal types and elements, zeros with their signs; NaN equals NaN."""
    assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
    if not is_float(found.dtype):
        np.testing.assert_array_equal(found, expected)
        return
    bits = f"u{found.dtype.itemsize}"
    nan = np.isnan(expected)
    np.testing.assert_array_equal(np.isnan(found), nan)
    np.testing.assert_array_equal(found.view(bits)[~nan], expected.view(bits)[~nan])


@pytest.mark.slow
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_one_row(dtype: DType) -> None:
    """By ranks, and by digits of 8 and 11 bits."""
    for size in (SHORT[8 * dtype.itemsize], SHORT[8 * dtype.itemsize] + 1, LONG_ROW + 3):
        rows = list(lines(dtype, size))
        for order in ORDERS:
            program = compiled(sort_text(dtype, (size,), order))
            for row in rows if size < LONG_ROW else rows[:2]:
                check(program([row]), row, order)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_rows_side_by_side(dtype: DType) -> None:
    """Through a network: less than one group of rows, and more; sizes around a power of 2."""
    for size, rows, order in ((2, 40, ORDERS[0]), (33, 5, ORDERS[1]), (64, 37, ORDERS[0])):
        table = np.stack([line for _ in range(6) for line in lines(dtype, size)])[:rows]
        check(compiled(sort_text(dtype, table.shape, order))([table]), table, order)


def check(found: list[Array], x: Array, order: str) -> None:
    """The results of `sort_text` against the meanings."""
    axis = x.ndim - 1
    assert_equal_bits(found[0], call("sort", x, axis=axis, order=order))
    assert_equal_bits(found[1], call("argsort", x, axis=axis, order=order))


@pytest.mark.parametrize("cpu", ["x86-64-v2", "x86-64-v3"])
def test_other_targets(cpu: str) -> None:
    """LLVM makes tests of f16 out of tests of its bits, and lacks them for old machines."""
    for dtype in (F16, F64):
        table = np.stack([line for _ in range(3) for line in lines(dtype, 33)])
        for x in (table, table[0], np.tile(table[0], 10)):
            check(compiled(sort_text(dtype, x.shape, "descending"), cpu=cpu)([x]), x, "descending")


def test_every_network_sorts() -> None:
    """By the 0-1 principle: a network that sorts all rows of zeros and ones sorts everything."""
    for size in range(2, 11):
        rows = (np.arange(1 << size)[:, None] >> np.arange(size)) & 1
        table = rows.astype(np.uint8)
        found, _ = compiled(sort_text(table.dtype, table.shape, "ascending"))([table])
        np.testing.assert_array_equal(found, np.sort(table, 1))


@pytest.mark.parametrize("shape", [(), (0,), (1,), (3, 0), (0, 3), (2, 1)], ids=str)
def test_sizes_of_0_and_1(shape: tuple[int, ...]) -> None:
    x = np.ones((2, *shape), F32)
    found, indices = compiled(sort_text(F32, x.shape, "ascending"))([x])
    np.testing.assert_array_equal(found, x)
    np.testing.assert_array_equal(indices, np.argsort(x, -1, kind="stable"))


@pytest.mark.parametrize("size", [0, 1, 2, 70, 3000])
def test_a_run_time_size(size: int) -> None:
    x = values(rng_for("dynamic", size), F64, (4, size), special=0.2)
    for order in ORDERS:
        found, indices = compiled(sort_text(F64, ("?", "?"), order))([x])
        assert_same(found, elements(call("sort", x, axis=1, order=order)), F64)
        assert_same(indices, elements(call("argsort", x, axis=1, order=order)), INT64)


def test_threads_do_not_change_a_bit() -> None:
    for shape in ((50, 4000), (300, 90)):
        x = values(rng_for("threads"), F32, shape, special=0.2)
        text = sort_text(F32, x.shape, "ascending")
        assert "scf.parallel" in loops(text)
        one, two = compiled(text)([x]), compiled(text, threads=2)([x])
        assert [a.tobytes() for a in one] == [a.tobytes() for a in two]


def loops(text: str) -> str:
    """The program on level loop."""
    from lamina.compiler import Lowering
    from lamina.ir_text import print_module

    lowering = Lowering(parse_module(make_context(), text, "sort.mlir"), "nd")
    lowering.to("loop")
    return print_module(lowering.module)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_searchsorted(dtype: DType) -> None:
    x = element_type_of(dtype)
    for size in (0, 1, 2, 3, 1000):
        rng = rng_for("search", dtype, size)
        line = call("sort", values(rng, dtype, (size,), special=0.2), axis=0, order="ascending")
        wanted = values(rng, dtype, (9, 40), special=0.3)
        for side in SIDES:
            text = f"""
            func.func @main(%l: tensor<?x{x}>, %v: tensor<9x40x{x}>) -> tensor<9x40xi64> {{
              %0 = nd.searchsorted %l, %v side "{side}"
                : tensor<?x{x}>, tensor<9x40x{x}> -> tensor<9x40xi64>
              func.return %0 : tensor<9x40xi64>
            }}"""
            if size != 1000:
                text = text.replace("?", str(size))
            (found,) = compiled(text)([line, wanted])
            expected = call("searchsorted", line, wanted, side=side)
            assert_same(found, elements(expected), INT64, (size, side))
