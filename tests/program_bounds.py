"""How far a compiled program may be from the interpreter, op by op (`tests/programs.py`).

A value of a drawn program is exact (bound None: equal bits) or carries a float64 array: what the
two sides may differ by at each element, infinity where nothing can be said (they are compared
there between compiled variants only). The rules, with b the operands' bounds:

    moves, select            the bounds move along
    + - * / sqrt max min ... sensitivity times b, and 1 ulp where b is not 0 (two roundings)
    transcendentals          the change of the function over [x - b, x + b], and 4 ulp (2 a side)
    sum prod contraction     the sum over the elements' b, and twice the contract's bound; a sum
                             of 0 may have either sign
    all others               exact operands only: `takes_inexact` is False

A NaN that comes from an exact NaN operand is certain; other infinities and NaN that lie behind an
inexact value, and values that may have overflowed, are unknown. So is a copysign to a NaN, whose
sign is not said.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import log2, prod
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
from op_row import LARGEST, SMALLEST, SMALLEST_NORMAL, UNIT, Params, Row, Shape
from op_table import ulp

from lamina.interpreters import MEANING
from lamina.interpreters.types import F32, F64, HALVES, Array, DType, is_float

Bound: TypeAlias = npt.NDArray[np.float64]

MOVES = (
    "broadcast", "reshape", "transpose", "reverse", "concat", "pad", "slice", "dynamic_slice",
    "dynamic_update_slice", "gather",
)  # fmt: skip
MONOTONE = (
    "exp", "exp2", "expm1", "sinh", "tanh", "asinh", "acosh", "atan", "erf", "erfc", "log", "log2",
    "log10", "log1p", "sqrt",
)  # fmt: skip
PLAIN = ("add", "subtract", "multiply", "divide", "maximum", "minimum", "negative", "abs")
FOLDS = ("dot_general", "conv", "reduce", "reduce_window")
LOWEST = {"log": 0.0, "log2": 0.0, "log10": 0.0, "log1p": -1.0, "sqrt": 0.0, "acosh": 1.0}
"""Where a function is not defined from there down."""


def takes_inexact(row: Row) -> bool:
    """Whether an operand of the op may be inexact. Of `select` the predicate must be exact."""
    return row.name in (*MOVES, *MONOTONE, *PLAIN, *FOLDS, "sin", "cos", "select", "cast")


def bound_of(
    row: Row,
    operands: Sequence[Array],
    bounds: Sequence[Bound | None],
    params: Params,
    result: Array,
) -> Bound | None:
    """The bound of the op's result; None when it is exact."""
    dtype = result.dtype
    if row.name == "copysign" and np.any(np.isnan(operands[1])):
        return np.where(np.isnan(operands[1]), np.inf, 0.0)
    exact = all(b is None for b in bounds)
    if not is_float(dtype) or (exact and (row.error == "exact" or not operands)):
        return None
    filled = [np.zeros(x.shape) if b is None else b for x, b in zip(operands, bounds, strict=True)]
    with np.errstate(all="ignore"):
        found = np.asarray(_rule(row)(row, operands, filled, params, result), F64)
        found = np.where(np.isnan(found), np.inf, found)
        if row.name not in (*MOVES, "select"):
            size = np.abs(result.astype(F64)) + found
            found = np.where((found > 0) & ~(size <= LARGEST[dtype]), np.inf, found)
    return found if np.any(found) else None


Rule: TypeAlias = Callable[[Row, Sequence[Array], list[Bound], Params, Array], Bound]


def _rule(row: Row) -> Rule:
    if row.name in MOVES:
        return _move
    if row.name == "select":
        return lambda _, operands, bounds, __, ___: np.where(operands[0], bounds[1], bounds[2])
    if row.name == "reduce":
        return _reduce
    if row.name == "scan":
        return _scan
    if row.name == "reduce_window":
        return _windows
    if row.name in FOLDS:
        return _contraction
    return _elementwise


def _move(
    row: Row, operands: Sequence[Array], bounds: list[Bound], params: Params, result: Array
) -> Bound:
    if row.name == "gather":
        return MEANING[row.name](bounds[0], *operands[1:], **params)
    given = {"shape": result.shape} if row.name in ("broadcast", "reshape") else {}
    return MEANING[row.name](*bounds, **{**params, **given})


def _elementwise(
    row: Row, operands: Sequence[Array], bounds: list[Bound], params: Params, result: Array
) -> Bound:
    dtype = result.dtype
    wide = [x.astype(F64) for x in operands]
    r = result.astype(F64)
    change = np.asarray(_change(row.name, wide, bounds), F64)
    size = np.where(np.isfinite(r), np.abs(r), 0.0) + change
    steps = _steps(row, dtype)
    total = change + np.where(
        np.isfinite(size), ulp(np.minimum(size, LARGEST[dtype]), dtype), 0.0
    ) * (np.where(change > 0, max(steps, 1.0), steps))
    if row.name == "cast" and UNIT[operands[0].dtype] >= UNIT[dtype]:
        total = change
    known = np.zeros(r.shape, np.bool_)  # NaN and infinities that follow from exact operands
    for x, b in zip(wide, bounds, strict=True):
        known |= np.isnan(x) & (b == 0)
    if row.error == "ulp":
        poles = np.isnan(r) | np.isinf(wide[0]) | (wide[0] == LOWEST.get(row.name, np.nan))
    else:
        poles = np.ones(r.shape, np.bool_)
    exact = np.logical_and.reduce([b == 0 for b in bounds])
    known |= exact & poles
    return np.where(np.isfinite(r), total, np.where(known, 0.0, np.inf))


def _steps(row: Row, dtype: DType) -> float:
    """Ulps between two right results for equal operands."""
    if row.error == "exact":
        return 0.0
    return 1.1 if dtype in HALVES else 4.0


def _change(name: str, x: list[Array], b: list[Bound]) -> Array:
    """How much the exact function can change when its operands change by `b`."""
    if not any(np.any(bound) for bound in b):
        return np.zeros(x[0].shape)
    match name:
        case "add" | "subtract":
            return b[0] + b[1]
        case "multiply":
            return np.abs(x[0]) * b[1] + np.abs(x[1]) * b[0] + b[0] * b[1]
        case "divide":
            room = np.abs(x[1]) - b[1]
            change = (b[0] + np.abs(x[0] / x[1]) * b[1]) / room
            return np.where((b[0] == 0) & (b[1] == 0), 0.0, np.where(room > 0, change, np.inf))
        case "maximum" | "minimum":
            return np.maximum(b[0], b[1])
        case "negative" | "abs" | "cast":
            return b[0]
        case "sin" | "cos":
            return np.minimum(b[0], 2.0)
        case _:
            return _range(name, x[0], b[0])


def _range(name: str, x: Array, b: Bound) -> Array:
    function = MEANING[name]
    low, middle, high = (function(v) for v in (x - b, x, x + b))
    change = np.maximum(np.abs(high - middle), np.abs(middle - low)) * (1 + 1e-9)
    change = change + np.where(
        b > 0, ulp(np.where(np.isfinite(middle), middle, 0.0), np.dtype(F64)) * 4, 0.0
    )
    inside = x - b > LOWEST.get(name, -np.inf)
    return np.where(b == 0, 0.0, np.where(inside, change, np.inf))


def _working(dtype: DType) -> DType:
    return F32 if dtype in HALVES else dtype


def _reduce(
    row: Row, operands: Sequence[Array], bounds: list[Bound], params: Params, result: Array
) -> Bound:
    axes: Shape = params["axes"]
    kind, dtype = params["kind"], result.dtype
    whole: Bound
    error: Bound
    overflow: Array
    x, b, r = operands[0].astype(F64), bounds[0], result.astype(F64)
    n = max(prod(x.shape[axis] for axis in axes), 1)
    certain = np.any(np.isnan(x) & (b == 0), axes)
    unit = UNIT[_working(dtype)]
    if kind in ("max", "min"):
        total = np.max(b, axes, initial=0.0)
        total = np.where(np.isfinite(r), total, np.where(total == 0, 0.0, np.inf))
        return np.where(certain, 0.0, total)
    size = np.abs(x) + b
    if kind == "sum":
        whole = np.sum(size, axes)
        error = np.sum(b, axes) + 2 * (8 + log2(n)) * unit * whole
        overflow = whole > LARGEST[_working(dtype)] / 2
    else:
        whole = np.prod(size, axes)
        error = (whole - np.prod(np.abs(x), axes)) + 2 * n * unit * whole
        most: Bound = np.prod(np.maximum(size, 1.0), axes)
        least: Bound = np.prod(np.minimum(np.maximum(np.abs(x) - b, 0.0), 1.0), axes)
        tiny = SMALLEST_NORMAL[_working(dtype)] / unit
        overflow = ~(most < LARGEST[_working(dtype)] / 2) | ~(least > tiny)
    if dtype in HALVES:
        error = error + 1.1 * ulp(np.minimum(whole, LARGEST[dtype]), dtype)
    if n == 1:
        error = np.sum(b, axes)
    if kind == "sum":  # the sign of a sum that is 0 is not said
        error = np.where(r == 0, np.maximum(error, SMALLEST[dtype]), error)
    total = np.where(np.isfinite(r) & ~overflow, error, np.inf)
    return np.where(certain & np.isnan(r), 0.0, total)


def _scan(
    row: Row, operands: Sequence[Array], bounds: list[Bound], params: Params, result: Array
) -> Bound:
    """Of an exact operand. Each place as a reduction of what is behind it in the scan's order."""
    kind, axis, dtype = params["kind"], params["axis"], result.dtype
    if kind in ("max", "min"):
        return np.zeros(result.shape)
    x, r = np.abs(operands[0].astype(F64)), result.astype(F64)
    x = np.flip(x, axis) if params["direction"] == "reverse" else x
    n, working = x.shape[axis], _working(dtype)
    whole: Bound
    error: Bound
    if kind == "sum":
        whole = np.add.accumulate(x, axis)
        unknown = whole > LARGEST[working] / 2
    else:
        whole = np.multiply.accumulate(x, axis)
        most = np.multiply.accumulate(np.maximum(x, 1.0), axis)
        least = np.multiply.accumulate(np.minimum(x, 1.0), axis)
        tiny = SMALLEST_NORMAL[working] / UNIT[working]
        unknown = ~(most < LARGEST[working] / 2) | ~(least > tiny)
    if params["direction"] == "reverse":
        whole, unknown = np.flip(whole, axis), np.flip(unknown, axis)
    error = 2 * n * UNIT[working] * whole
    if dtype in HALVES:
        error = error + 1.1 * ulp(np.minimum(whole, LARGEST[dtype]), dtype)
    error = np.where(r == 0, np.maximum(error, SMALLEST[dtype]), error)
    return np.where(np.isfinite(r) & ~unknown, error, np.inf)


def _windows(
    row: Row, operands: Sequence[Array], bounds: list[Bound], params: Params, result: Array
) -> Bound:
    """As `_reduce`, window by window."""
    window: Callable[..., Bound] = MEANING[row.name]
    x, b, r = operands[0].astype(F64), bounds[0], result.astype(F64)
    dtype = result.dtype
    certain = window((np.isnan(x) & (b == 0)).astype(F64), **{**params, "kind": "max"}) > 0
    if params["kind"] != "sum":
        total = np.maximum(window(b, **{**params, "kind": "max"}), 0.0)
        total = np.where(np.isfinite(r), total, np.where(total == 0, 0.0, np.inf))
        return np.where(certain, 0.0, total)
    whole = window(np.abs(x) + b, **params)
    n = prod(params["window"])
    error = window(b, **params)
    if n > 1:
        error = error + 2 * (8 + log2(n)) * UNIT[_working(dtype)] * whole
    if dtype in HALVES and n > 1:
        error = error + 1.1 * ulp(np.minimum(whole, LARGEST[dtype]), dtype)
    error = np.where(r == 0, np.maximum(error, SMALLEST[dtype]), error)
    overflow = whole > LARGEST[_working(dtype)] / 2
    total = np.where(np.isfinite(r) & ~overflow, error, np.inf)
    return np.where(certain & np.isnan(r), 0.0, total)


def _contraction(
    row: Row, operands: Sequence[Array], bounds: list[Bound], params: Params, result: Array
) -> Bound:
    meaning: Callable[..., Bound] = MEANING[row.name]
    dtype = result.dtype
    x, y = (np.abs(v.astype(F64)) for v in operands)
    bx, by = bounds
    nan = meaning((np.isnan(x) & (bx == 0)).astype(F64), np.ones(y.shape), **params)
    nan = nan + meaning(np.ones(x.shape), (np.isnan(y) & (by == 0)).astype(F64), **params)
    depth = (
        prod(operands[1].shape[1:])
        if row.name == "conv"
        else prod(operands[0].shape[axis] for axis in params["lhs_contract"])
    )
    working = _working(dtype)
    whole = meaning(x + bx, y + by, **params)
    spread: Bound = whole - meaning(x, y, **params)
    spread = (
        np.maximum(spread, 1e-12 * whole) if np.any(bx) or np.any(by) else np.zeros(whole.shape)
    )
    error = spread + 2 * (depth + 2) * UNIT[working] * whole + 2 * depth * SMALLEST[working]
    if dtype in HALVES:
        error = error + 1.1 * ulp(np.minimum(whole, LARGEST[dtype]), dtype)
    r = result.astype(F64)
    total = np.where(np.isfinite(r) & (whole < LARGEST[working] / 2), error, np.inf)
    return np.where((nan > 0) & np.isnan(r), 0.0, total)
