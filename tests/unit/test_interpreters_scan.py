"""Scans against running sums and products of fractions, within the contract's bound."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import accumulate
from typing import Any

import numpy as np
import pytest
import references
from op_row import Row, values
from op_rows_loops import KINDS, rows
from op_table import SHAPES, cases, error_bound, rng_for
from references import assert_same, elements

from lamina.interpreters import call
from lamina.interpreters.types import F32, F64, Array, DType, is_float

SCAN = next(row for row in rows() if row.name == "scan")


def step_of(kind: str, dtype: DType) -> Callable[[Any, Any], Any]:
    """One step, exact; the extremes as `maximum` and `minimum` are."""
    if kind == "sum":
        return lambda a, b: a + b
    if kind == "prod":
        return lambda a, b: a * b
    return lambda a, b: references.EXACT[f"{kind}imum"](a, b, dtype)


def scanned(x: Array, kind: str, axis: int, direction: str) -> Array:
    """What a scan gives, elements of exact numbers."""
    turned = np.moveaxis(x, axis, -1)
    rows = np.empty(turned.shape, object)
    exactly = kind in ("sum", "prod") and is_float(x.dtype)
    for at in np.ndindex(*turned.shape[:-1]):
        row = [Fraction(e) if exactly else e for e in elements(turned[at])]
        found = list(
            accumulate(row[:: -1 if direction == "reverse" else 1], step_of(kind, x.dtype))
        )
        rows[at] = np.array(found[:: -1 if direction == "reverse" else 1] or None, object)
    return np.moveaxis(rows, -1, axis)


@pytest.mark.parametrize(("row", "dtype"), cases([SCAN]))
def test_scan(row: Row, dtype: DType) -> None:
    for shape in (*SHAPES, (40,), (3, 33)):
        for kind in KINDS:
            rng = rng_for("scan", dtype, shape, kind)
            exact_kind = kind in ("max", "min") or not is_float(dtype)
            drawn = row.draw(rng, shape, dtype, special=0.3 if exact_kind else 0)
            if drawn is None:
                continue
            operands, params = drawn
            params["kind"] = kind
            found, exact = call("scan", *operands, **params), scanned(operands[0], **params)
            assert found.shape == shape and found.dtype == dtype
            if exact_kind:
                wrapped = [e if is_float(dtype) else references.wrap(e, dtype) for e in exact.flat]
                assert_same(found, wrapped, dtype, params)
            else:
                nearest = exact.astype(F64)
                bound = error_bound(row, operands, params, nearest)
                wide = np.array([Fraction(f) for f in elements(found)], object).reshape(shape)
                assert np.all(np.abs(wide - exact) <= bound), params


@pytest.mark.parametrize("dtype", [F32, F64], ids=str)
def test_a_long_running_sum_is_within_its_bound(dtype: DType) -> None:
    x = values(rng_for("long"), dtype, (20000,), -1, 1)
    for direction in ("forward", "reverse"):
        params = {"kind": "sum", "axis": 0, "direction": direction}
        exact = np.flip(x) if direction == "reverse" else x
        exact = np.add.accumulate(exact.astype(np.longdouble))
        exact = np.flip(exact) if direction == "reverse" else exact
        bound = error_bound(SCAN, (x,), params, exact.astype(F64))
        assert np.all(np.abs(call("scan", x, **params) - exact) <= bound)
