"""Sorts and searches against Python's own stable sort and a count."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from op_row import Row, values
from op_rows_loops import ORDERS, SIDES, rows
from op_table import SHAPES, cases, rng_for
from references import assert_same, elements

from lamina.interpreters import call
from lamina.interpreters.types import DTYPES, INT64, DType

SORTS = [row for row in rows() if row.name in ("sort", "argsort")]


def is_nan(x: Any) -> bool:
    """Whether an element is NaN."""
    return isinstance(x, float) and math.isnan(x)


def sorted_indices(row: list[Any], order: str) -> list[int]:
    """NaN last, equal elements (-0.0 and +0.0 are) as they come; Python's sort is stable."""
    sign = -1 if order == "descending" else 1
    return sorted(range(len(row)), key=lambda i: (1, 0) if is_nan(row[i]) else (0, sign * row[i]))


@pytest.mark.parametrize(("row", "dtype"), cases(SORTS))
def test_sort(row: Row, dtype: DType) -> None:
    for shape in (*SHAPES, (40,), (3, 33)):
        for order in ORDERS:
            drawn = row.draw(rng_for(row.name, dtype, shape), shape, dtype, special=0.5)
            if drawn is None:
                continue
            (x,), params = drawn
            params["order"] = order
            found = call(row.name, x, **params)
            assert found.shape == shape
            turned = np.moveaxis(x, params["axis"], -1)
            expected: list[Any] = []
            for at in np.ndindex(*turned.shape[:-1]):
                line = elements(turned[at])
                places = sorted_indices(line, order)
                expected += places if row.name == "argsort" else [line[i] for i in places]
            flat = np.moveaxis(found, params["axis"], -1)
            assert_same(flat, expected, INT64 if row.name == "argsort" else dtype, params)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_searchsorted(dtype: DType) -> None:
    for size in (0, 1, 2, 7, 64):
        rng = rng_for("searchsorted", dtype, size)
        line = call("sort", values(rng, dtype, (size,), special=0.3), axis=0, order="ascending")
        x = values(rng, dtype, (5, 4), special=0.3)
        for side in SIDES:
            found = call("searchsorted", line, x, side=side)
            assert found.shape == x.shape
            expected = [place(elements(line), value, side) for value in elements(x)]
            assert_same(found, expected, INT64, side)


def place(line: list[Any], value: Any, side: str) -> int:
    """How many elements are less than the value, or not greater. NaN is the greatest."""

    def key(x: Any) -> tuple[int, Any]:
        return (1, 0) if is_nan(x) else (0, x)

    if side == "left":
        return sum(key(x) < key(value) for x in line)
    return sum(key(x) <= key(value) for x in line)
