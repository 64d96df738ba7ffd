"""Each op of the table, compiled, against its meaning: equal bits, or both within the bound.

This is consistency; that the meanings are true is the matter of `test_interpreters*.py`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from one_op import joined, one_op_module
from op_row import Params, Row
from op_rows_indexing import SCATTERS
from op_rows_windows import WINDOWS
from op_table import COMPLEX_ROWS, REDUCTIONS, ROWS, SHAPES, error_bound, rng_for, ulp
from references import assert_same, elements

from lamina.executable import execute_module
from lamina.interpreters import call
from lamina.interpreters.types import BF16, BOOL, C64, F32, INT64, Array, DType, is_float
from lamina.options import CompileOptions

OPTIONS = CompileOptions(cache=False)
BY_KIND = {**REDUCTIONS, **WINDOWS, **SCATTERS}
ALL_ROWS = {**{n: r for n, r in ROWS.items() if n not in ("reduce", "reduce_window")}, **BY_KIND}
SOME_DTYPES = (BOOL, np.dtype(np.uint8), INT64, BF16, F32, C64)


def assert_agree(
    row: Row, operands: tuple[Any, ...], params: Params, found: Array, expected: Array
) -> None:
    """Two results that the contract allows side by side."""
    assert found.shape == expected.shape
    if row.error == "exact" or not is_float(expected.dtype):
        assert_same(found, elements(expected), expected.dtype, (row.name, params))
        return
    assert found.dtype == expected.dtype
    wide = expected.astype(np.float64)
    with np.errstate(all="ignore"):
        bound = 2 * error_bound(row, operands, params, wide) + ulp(wide, expected.dtype)
    for a, b, limit in zip(elements(found), elements(expected), np.ravel(bound), strict=True):
        same = a == b or (math.isnan(a) and math.isnan(b))
        assert same or abs(a - b) <= limit, f"{row.name} {params}: expected {b!r}, found {a!r}"


Draw = tuple[tuple[Any, ...], Params]


def draw(row: Row, dtype: DType, shape: tuple[int, ...]) -> Draw | None:
    """Operands; special values where no sum of them would be undefined."""
    special = 0.25 if row.error in ("exact", "ulp") or not is_float(dtype) else 0
    return row.draw(rng_for("compiled", row.name, dtype, shape), shape, dtype, special)


def compare(row: Row, dtype: DType, shapes: Sequence[tuple[int, ...]]) -> int:
    """How many of the shapes there are draws of; they are compiled together, as one program that
    applies the op to arguments of each."""
    draws = [drawn for shape in shapes if (drawn := draw(row, dtype, shape)) is not None]
    if not draws:
        return 0
    module, inputs = joined([one_op_module(row, *drawn) for drawn in draws])
    results = execute_module(module, "main", inputs, OPTIONS)
    for (operands, params), found in zip(draws, results, strict=True):
        assert_agree(row, operands, params, found, call(row.name, *operands, **params))
    return len(draws)


@pytest.mark.parametrize(
    ("row", "dtype"),
    [
        pytest.param(row, dtype, id=f"{name}-{dtype}")
        for table in (ALL_ROWS, COMPLEX_ROWS)
        for name, row in table.items()
        for dtype in row.dtypes
        if dtype in SOME_DTYPES
    ],
)
def test_compiled(row: Row, dtype: DType) -> None:
    assert compare(row, dtype, [(2, 3, 5), (7,), ()])


@pytest.mark.slow
@pytest.mark.parametrize("name", ALL_ROWS)
def test_compiled_in_every_type_and_shape(name: str) -> None:
    row = ALL_ROWS[name]
    more = {"conv": ((1, 4, 6), (1, 2, 7, 6))}
    more |= dict.fromkeys(WINDOWS, ((70,), (2, 33), (1, 2, 20, 37)))
    shapes = (*SHAPES, *more.get(name, ()))
    assert sum(compare(row, dtype, shapes) for dtype in row.dtypes)
