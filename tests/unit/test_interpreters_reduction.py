"""Contractions and reductions against sums of fractions, within the contract's bounds."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import references
from op_row import FLOATS, NUMERIC, Row, layouts, values
from op_table import REDUCTIONS, ROWS, SHAPES, cases, error_bound, rng_for
from references import assert_same, elements, fractions

from lamina.errors import ShapeError
from lamina.interpreters import call
from lamina.interpreters.types import (
    BOOL,
    F32,
    F64,
    INT64,
    Array,
    DType,
    is_float,
)


def assert_within(row: Row, operands: Any, params: Any, found: Array, exact: Array) -> None:
    """Within the contract's bound of `exact`, an object array of ints or fractions."""
    dtype = operands[0].dtype
    assert found.dtype == dtype
    assert found.shape == exact.shape
    if not is_float(dtype):
        assert_same(found, [references.wrap(int(e), dtype) for e in exact.flat], dtype)
        return
    nearest = np.array([float(e) for e in exact.flat], F64).reshape(exact.shape)
    bound = error_bound(row, operands, params, nearest)
    for f, e, b in zip(elements(found), exact.flat, np.ravel(bound).tolist(), strict=True):
        assert abs(Fraction(f) - e) <= Fraction(b), (
            f"{params}: expected {float(e)} +- {b}, found {f}"
        )


@pytest.mark.parametrize(("row", "dtype"), cases([ROWS["dot_general"], ROWS["conv"]]))
def test_contraction(row: Row, dtype: DType) -> None:
    drew = 0
    for shape in (*SHAPES, (2, 2, 5), (1, 4, 6), (2, 3, 4, 5), (1, 2, 3, 3, 2), (3, 40)):
        rng = rng_for(row.name, dtype, shape)
        drawn = row.draw(rng, shape, dtype, special=0 if is_float(dtype) else 0.3)
        if drawn is None:
            continue
        drew += 1
        operands, params = drawn
        reference = references.dot if row.name == "dot_general" else references.conv
        exact = reference(fractions(operands[0]), fractions(operands[1]), params)
        assert_within(row, operands, params, call(row.name, *operands, **params), exact)
    assert drew > 4


@pytest.mark.parametrize("kind", REDUCTIONS)
def test_reduce(kind: str) -> None:
    row = REDUCTIONS[kind]
    for dtype in row.dtypes:
        for shape in (*SHAPES, (13,), (9, 3), (200,), (3, 70, 2), (600, 2)):
            rng = rng_for(kind, dtype, shape)
            exact_kind = kind in ("max", "min", "and", "or") or not is_float(dtype)
            drawn = row.draw(rng, shape, dtype, special=0.3 if exact_kind else 0)
            if drawn is None:
                continue
            operands, params = drawn
            found = call("reduce", *operands, **params)
            shape_left, rows = references.groups(operands[0], params["axes"])
            assert found.shape == shape_left
            if kind in ("sum", "prod"):
                exact = np.array([folded(kind, r, dtype) for r in rows], object)
                assert_within(row, operands, params, found, exact.reshape(shape_left))
            else:
                assert_same(found, [folded(kind, r, dtype) for r in rows], dtype, kind)


def folded(kind: str, row: list[Any], dtype: DType) -> Any:
    """The exact reduction of one row."""
    if kind in ("and", "or"):
        return all(row) if kind == "and" else any(row)
    if kind in ("sum", "prod"):
        exact = [Fraction(x) if is_float(dtype) else x for x in row]
        return sum(exact) if kind == "sum" else math.prod(exact)
    result = row[0]
    for x in row[1:]:
        result = references.EXACT[f"{kind}imum"](result, x, dtype)
    return result


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_max_and_min_order_zeros(dtype: DType) -> None:
    x = np.array([[0.0, -0.0], [-0.0, 0.0], [-0.0, -0.0], [0.0, 0.0], [-0.0, -1.0]]).astype(dtype)
    assert_same(call("reduce", x, kind="max", axes=(1,)), [0.0, 0.0, -0.0, 0.0, -0.0], dtype)
    assert_same(call("reduce", x[:4], kind="min", axes=(1,)), [-0.0, -0.0, -0.0, 0.0], dtype)


@pytest.mark.parametrize("dtype", NUMERIC, ids=str)
@pytest.mark.parametrize("name", ("argmax", "argmin"))
def test_arg(name: str, dtype: DType) -> None:
    for shape in ((1,), (30,), (3, 40), (5, 1, 7)):
        for axis in range(len(shape)):
            x = values(rng_for(name, dtype, shape, axis), dtype, shape, special=0.3)
            found = call(name, x, axis=axis)
            rows = references.groups(x, (axis,))[1]
            assert_same(found, [first_extreme(name, row) for row in rows], INT64, name)


def first_extreme(name: str, row: list[Any]) -> int:
    nans = [i for i, x in enumerate(row) if isinstance(x, float) and math.isnan(x)]
    return nans[0] if nans else row.index(max(row) if name == "argmax" else min(row))


def test_empty_reductions() -> None:
    x = np.zeros((2, 0), F32)
    assert_same(call("reduce", x, kind="sum", axes=(1,)), [0.0, 0.0], F32)
    assert_same(call("reduce", x, kind="prod", axes=(1,)), [1.0, 1.0], F32)
    assert_same(call("reduce", x != 0, kind="and", axes=(1,)), [True, True], BOOL)
    assert_same(call("reduce", x != 0, kind="or", axes=(1,)), [False, False], BOOL)
    assert_same(call("reduce", x.astype(F64), kind="sum", axes=(0, 1)), [0.0], F64)
    for kind in ("max", "min"):
        with pytest.raises(ShapeError, match="of 1 or more on axis 1, found 0"):
            call("reduce", x, kind=kind, axes=(0, 1))
    for name in ("argmax", "argmin"):
        with pytest.raises(ShapeError, match=f"{name}: expected a size of 1 or more on axis 1"):
            call(name, x, axis=1)


def sum_error(x: Array, axes: tuple[int, ...], exact: float) -> tuple[float, float]:
    """How far off the sum is at worst, and the contract's bound, for elements of one sign."""
    found = np.asarray(call("reduce", x, kind="sum", axes=axes), F64)
    n = math.prod(x.shape[axis] for axis in axes)
    unit = 2.0**-24 if x.dtype == F32 else 2.0**-53
    return float(np.max(np.abs(found - exact))), (8 + math.log2(n)) * unit * exact


@pytest.mark.parametrize("dtype", (F32, F64), ids=str)
@pytest.mark.parametrize(
    ("shape", "axes"),
    [((2**18,), (0,)), ((2**18, 2), (0,)), ((2, 2**18), (1,)), ((512, 3, 512), (0, 2)),
     ((64, 64, 64), (0, 1, 2)), ((1000, 7), (0,)), ((7, 1001), (1,))],
)  # fmt: skip
def test_sum_of_a_constant_is_accurate_along_every_axis(
    dtype: DType, shape: tuple[int, ...], axes: tuple[int, ...]
) -> None:
    """0.1 rounds in the same direction at each addition: plain lanes miss the bound."""
    x = np.full(shape, 0.1, dtype)
    n = math.prod(shape[axis] for axis in axes)
    error, bound = sum_error(x, axes, float(Fraction(float(x.flat[0])) * n))
    assert error <= bound


@pytest.mark.slow
@pytest.mark.parametrize("dtype", (F32, F64), ids=str)
@pytest.mark.parametrize("shape", ((2**25,), (2**25, 1), (2**24, 2)))
def test_sum_of_a_long_constant(dtype: DType, shape: tuple[int, ...]) -> None:
    x = np.full(shape, 0.1, dtype)
    error, bound = sum_error(x, (0,), float(Fraction(float(x.flat[0])) * shape[0]))
    assert error <= bound


@pytest.mark.parametrize("dtype", (F32, F64), ids=str)
def test_products_do_not_depend_on_strides(dtype: DType) -> None:
    """BLAS sums in another order when an operand is transposed."""
    rng = rng_for("strides", dtype)
    sides = {"lhs_batch": (), "rhs_batch": (), "lhs_contract": (1,), "rhs_contract": (0,)}
    for _ in range(60):
        m, k, n = rng.integers(1, 70, 3).tolist()
        x, y = values(rng, dtype, (m, k)), values(rng, dtype, (k, n))
        expected = call("dot_general", x, y, **sides)
        for (_, first), (_, second) in zip(layouts(x), layouts(y), strict=False):
            assert call("dot_general", first, second, **sides).tobytes() == expected.tobytes()
