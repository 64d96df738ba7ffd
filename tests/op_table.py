"""The table of `nd` ops that tests draw from: one row an op, with all that a draw needs.

    row = ROWS["dot_general"]
    operands, params = row.draw(rng, shape=(2, 3), dtype=F32)
    result = call(row.name, *operands, **params)
    bound = error_bound(row, operands, params, result)

`params` are what the meaning in `interpreters/` takes. A row in which `error` is "exact" gives
equal bits everywhere (NaN equals NaN); `error_bound` is 0 for it. A row that is `discontinuous`
turns a small change of an operand into a large one of the result: programs that compare with a
tolerance put exact values into it only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from math import log2, prod
from typing import Any

import numpy as np
import op_rows_complexes
import op_rows_indexing
import op_rows_loops
import op_rows_random
import op_rows_transcendental
import pytest
from numpy.random import Generator
from op_row import (
    BITS,
    FLOATS,
    INTEGERS,
    NUMERIC,
    SMALLEST_NORMAL,
    UNIT,
    Params,
    Row,
    Shape,
    non_empty,
    one,
    two,
    values,
    with_axis,
    with_elements_and_axis,
)
from op_rows_windows import WINDOW

from lamina.interpreters.types import (
    BOOL,
    DTYPES,
    F32,
    F64,
    HALVES,
    INT64,
    Array,
    DType,
    is_float,
)


def _concat_shapes(rng: Generator, shape: Shape) -> tuple[Shape, ...] | None:
    """The inputs differ in size along the last axis only (`_concat_params` takes that one)."""
    if not shape:
        return None
    return shape, *((*shape[:-1], int(size)) for size in rng.integers(0, 4, rng.integers(0, 3)))


def _update_shapes(rng: Generator, shape: Shape) -> tuple[Shape, ...]:
    return shape, tuple(int(rng.integers(0, size + 1)) for size in shape)


def _dot_shapes(rng: Generator, shape: Shape) -> tuple[Shape, ...]:
    """All axes but the last are batch axes at random; the last is contracted, if there is one."""
    free = tuple(int(size) for size in rng.integers(1, 5, rng.integers(0, 2)))
    return shape, (*shape, *free)


def _conv_shapes(rng: Generator, shape: Shape) -> tuple[Shape, ...] | None:
    """`shape` is the input's (N, C, *S); the kernel has 1 or C groups and windows of 1 to 3."""
    if len(shape) < 3 or not prod(shape):
        return None
    groups = int(rng.choice([1, shape[1]]))
    window = tuple(int(rng.integers(1, min(size, 3) + 1)) for size in shape[2:])
    return shape, (groups * int(rng.integers(1, 4)), shape[1] // groups, *window)


# Parameters.


def _some_axes(rng: Generator, rank: int) -> Shape:
    return tuple(int(a) for a in np.flatnonzero(rng.integers(0, 2, rank)))


def _axes(rng: Generator, shapes: tuple[Shape, ...], _: DType) -> Params:
    return {"axes": _some_axes(rng, len(shapes[0]))}


def _axis(rng: Generator, shapes: tuple[Shape, ...], _: DType) -> Params:
    return {"axis": int(rng.integers(0, len(shapes[0])))}


def _concat_params(_: Generator, shapes: tuple[Shape, ...], __: DType) -> Params:
    return {"axis": len(shapes[0]) - 1}


def _reduce(kind: str) -> Callable[[Generator, tuple[Shape, ...], DType], Params]:
    return lambda rng, shapes, dtype: {"kind": kind, **_axes(rng, shapes, dtype)}


def _cast_params(rng: Generator, _: tuple[Shape, ...], __: DType) -> Params:
    return {"dtype": DTYPES[rng.integers(0, len(DTYPES))]}


def _iota_params(rng: Generator, shapes: tuple[Shape, ...], dtype: DType) -> Params:
    return {"shape": shapes[0], "dtype": dtype, **_axis(rng, shapes, dtype)}


def _broadcast_params(rng: Generator, shapes: tuple[Shape, ...], _: DType) -> Params:
    """Each size of 1 is stretched at random, and up to two axes are new."""
    (shape,) = shapes
    rank = len(shape) + int(rng.integers(0, 3))
    dims = tuple(int(d) for d in rng.permutation(rank)[: len(shape)])
    sizes = [int(size) for size in rng.integers(0, 4, rank)]
    for size, d in zip(shape, dims, strict=True):
        sizes[d] = size if size != 1 else sizes[d]
    return {"dims": dims, "shape": tuple(sizes)}


def _reshape_params(rng: Generator, shapes: tuple[Shape, ...], _: DType) -> Params:
    """The sizes split into factors and put together again at random."""
    size = prod(shapes[0])
    sizes: list[int] = []
    while size > 1:
        divisors = [d for d in range(2, min(size, 64) + 1) if size % d == 0] or [size]
        sizes.append(int(rng.choice(divisors)))
        size //= sizes[-1]
    sizes += [size] if size == 0 else [1] * int(rng.integers(0, 2))
    return {"shape": tuple(int(s) for s in rng.permutation(sizes))}


def _transpose_params(rng: Generator, shapes: tuple[Shape, ...], _: DType) -> Params:
    return {"permutation": tuple(int(axis) for axis in rng.permutation(len(shapes[0])))}


def _pad_params(rng: Generator, shapes: tuple[Shape, ...], _: DType) -> Params:
    low, high = rng.integers(0, 3, (2, len(shapes[0]))).tolist()
    return {"low": tuple(low), "high": tuple(high)}


def _slice_params(rng: Generator, shapes: tuple[Shape, ...], _: DType) -> Params:
    starts = [int(rng.integers(0, size + 1)) for size in shapes[0]]
    limits = [int(rng.integers(s, size + 1)) for s, size in zip(starts, shapes[0], strict=True)]
    limits = [-1 if rng.random() < 0.25 else limit for limit in limits]
    strides = [int(stride) for stride in rng.integers(1, 4, len(starts))]
    return {"starts": tuple(starts), "limits": tuple(limits), "strides": tuple(strides)}


def _dynamic_params(rng: Generator, shapes: tuple[Shape, ...], _: DType) -> Params:
    return {"starts": tuple(int(rng.integers(-2, size + 3)) for size in shapes[0])}


def _dynamic_slice_params(rng: Generator, shapes: tuple[Shape, ...], dtype: DType) -> Params:
    sizes = tuple(int(rng.integers(0, size + 1)) for size in shapes[0])
    return {"sizes": sizes, **_dynamic_params(rng, shapes, dtype)}


def _dot_params(rng: Generator, shapes: tuple[Shape, ...], _: DType) -> Params:
    rank = len(shapes[0])
    contracted = [axis for axis in range(rank) if axis == rank - 1 or rng.random() < 0.5]
    batch = tuple(axis for axis in range(rank) if axis not in contracted)
    order = tuple(int(axis) for axis in rng.permutation(contracted))
    return {"lhs_batch": batch, "rhs_batch": batch, "lhs_contract": order, "rhs_contract": order}


def _conv_params(rng: Generator, shapes: tuple[Shape, ...], _: DType) -> Params:
    x, kernel = shapes
    rank = len(x) - 2
    padding = tuple(int(p) for p in rng.integers(0, 3, 2 * rank))
    strides = tuple(int(s) for s in rng.integers(1, 4, rank))
    dilation = tuple(
        int(
            rng.integers(1, max((size + padding[2 * i] + padding[2 * i + 1] - 1) // (w - 1), 1) + 1)
        )
        if w > 1
        else 1
        for i, (size, w) in enumerate(zip(x[2:], kernel[2:], strict=True))
    )
    return {
        "strides": strides,
        "padding": padding,
        "dilation": dilation,
        "groups": x[1] // kernel[1],
    }


# Rows.


def _small_exponents(operands: tuple[Any, ...]) -> tuple[Any, ...]:
    x, y = operands
    return (x, y if is_float(x.dtype) else np.abs(y) % np.array(8, y.dtype))


def _as_predicate(operands: tuple[Any, ...]) -> tuple[Any, ...]:
    x, y, z = operands
    return (x > y if x.dtype != BOOL else x, y, z)


def _index(operands: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(int(x) for x in operands)


def _elementwise() -> Iterator[Row]:
    for name in ("add", "subtract", "multiply", "maximum", "minimum"):
        yield Row(name, NUMERIC, two)
    for name in ("floor_divide", "remainder"):
        yield Row(name, NUMERIC, two, discontinuous=True)
    yield Row("divide", FLOATS, two)
    yield Row("pow", NUMERIC, two, error="ulp", low=0, high=16, adapt=_small_exponents)
    yield Row("copysign", FLOATS, two, discontinuous=True)
    yield Row("nextafter", FLOATS, two, discontinuous=True)
    for name in ("bitwise_and", "bitwise_or", "bitwise_xor"):
        yield Row(name, BITS, two)
    for name in ("left_shift", "right_shift"):
        yield Row(name, INTEGERS, two)
    for name in ("equal", "not_equal"):
        yield Row(name, DTYPES, two, discontinuous=True)
    for name in ("less", "less_equal", "greater", "greater_equal"):
        yield Row(name, NUMERIC, two, discontinuous=True)
    yield Row("negative", NUMERIC, one)
    yield Row("abs", NUMERIC, one)
    yield Row("sign", NUMERIC, one, discontinuous=True)
    yield Row("optimization_barrier", DTYPES, one)
    yield Row("bitwise_invert", BITS, one)
    yield Row("sqrt", FLOATS, one, low=0, high=100)
    for name in ("floor", "ceil", "trunc", "round"):
        yield Row(name, FLOATS, one, discontinuous=True)
    yield Row("select", DTYPES, lambda _, s: (s, s, s), discontinuous=True, adapt=_as_predicate)
    yield Row("cast", DTYPES, one, _cast_params, discontinuous=True, low=-300, high=300)


def _shape_rows() -> Iterator[Row]:
    yield Row("constant", DTYPES, one, lambda r, s, d: {"value": values(r, d, s[0], special=0.3)},
              adapt=lambda operands: ())  # fmt: skip
    yield Row("iota", NUMERIC, with_axis, _iota_params, adapt=lambda operands: ())
    yield Row("dim", DTYPES, with_axis, _axis)
    yield Row("from_index", (INT64,), lambda _, s: ((),) if s == () else None, adapt=_index)
    yield Row("to_index", (INT64,), lambda _, s: ((),) if s == () else None)
    yield Row("broadcast", DTYPES, one, _broadcast_params)
    yield Row("reshape", DTYPES, one, _reshape_params)
    yield Row("transpose", DTYPES, one, _transpose_params)
    yield Row("reverse", DTYPES, one, _axes)
    yield Row("concat", DTYPES, _concat_shapes, _concat_params)
    yield Row("pad", DTYPES, lambda _, s: (s, ()), _pad_params)
    yield Row("slice", DTYPES, one, _slice_params)
    yield Row("dynamic_slice", DTYPES, one, _dynamic_slice_params)
    yield Row("dynamic_update_slice", DTYPES, _update_shapes, _dynamic_params)


def _folding_rows() -> Iterator[Row]:
    yield Row("dot_general", NUMERIC, _dot_shapes, _dot_params, error="contraction")
    yield Row("conv", NUMERIC, _conv_shapes, _conv_params, error="contraction")
    yield Row("reduce", NUMERIC, one, _reduce("sum"), error="sum")
    for name in ("argmax", "argmin"):
        yield Row(name, NUMERIC, with_elements_and_axis, _axis, discontinuous=True)


ROWS: dict[str, Row] = {
    row.name: row
    for row in (
        *_elementwise(),
        *op_rows_transcendental.rows(),
        *op_rows_complexes.rows(),
        *_shape_rows(),
        *_folding_rows(),
        *op_rows_loops.rows(),
        WINDOW,
        *op_rows_indexing.rows(),
        *op_rows_random.rows(),
    )
}
"""Name of the op -> its row. `reduce` is the sum; `REDUCTIONS` has one row a kind."""

COMPLEX_ROWS: dict[str, Row] = op_rows_complexes.complex_rows({**ROWS, **op_rows_indexing.SCATTERS})
"""Name of the op -> its row on complex operands, for ops that take real ones too."""

REDUCTIONS: dict[str, Row] = {
    "sum": ROWS["reduce"],
    "prod": Row("reduce", NUMERIC, one, _reduce("prod"), error="prod", low=0.9, high=1.1),
    "max": Row("reduce", NUMERIC, non_empty, _reduce("max")),
    "min": Row("reduce", NUMERIC, non_empty, _reduce("min")),
    "and": Row("reduce", (BOOL,), one, _reduce("and")),
    "or": Row("reduce", (BOOL,), one, _reduce("or")),
}


SHAPES: tuple[Shape, ...] = (
    (),
    (0,),
    (1,),
    (7,),
    (3, 4),
    (2, 0, 3),
    (1, 5, 1),
    (2, 3, 4),
    (2, 1, 3, 2),
)
"""Shapes that tests go through: ranks 0 to 4, sizes 0 and 1."""


def rng_for(*key: object) -> np.random.Generator:
    """A generator that depends on the test case only."""
    return np.random.default_rng(list(repr(key).encode()))


def cases(rows: Iterable[Row]) -> list[Any]:
    """Parameters of a test: row and dtype, for each dtype that a row takes."""
    return [
        pytest.param(row, dtype, id=f"{row.name}-{dtype}") for row in rows for dtype in row.dtypes
    ]


# The numeric contract's bounds.


def ulp(x: Array, dtype: DType) -> Array:
    """The distance between neighbours of `dtype` at each of the float64 magnitudes `x`."""
    size = np.maximum(np.abs(x), SMALLEST_NORMAL[dtype])
    return np.exp2(np.floor(np.log2(size))) * 2 * UNIT[dtype]


def error_bound(row: Row, operands: tuple[Any, ...], params: Params, exact: Array) -> Array:
    """How far from `exact` (float64) the contract lets a result be, for exact operands.

    0 for an exact row and for integers. Not meant for results that overflow.
    """
    dtype: DType = operands[0].dtype if operands else F64
    if row.error == "exact" or not is_float(dtype):
        return np.zeros(np.shape(exact))
    working = UNIT[F32] if dtype in HALVES else UNIT[dtype]
    rounding = ulp(exact, dtype) * (0.51 if dtype in HALVES else 0.0)
    wide = [np.abs(x.astype(np.longdouble)) for x in operands]
    match row.error:
        case "ulp":
            return np.maximum(rounding, 0.0 if dtype in HALVES else 2 * ulp(exact, dtype))
        case "sum":
            n, total = _summed(row, wide[0], params)
            return rounding + np.asarray((8 + log2(n)) * working * total, F64)
        case "prod":
            n = prod(operands[0].shape[axis] for axis in params["axes"])
            return rounding + n * working * np.abs(exact)
        case "scan":
            return rounding + _scan_bound(wide[0], params, exact) * working
        case "contraction":
            from lamina.interpreters.contraction import MEANING

            total = MEANING[row.name](*wide, **params)
            k = _contracted(row, operands, params)
            return rounding + np.asarray((k + 2) * working * total, F64)


def _scan_bound(size: Array, params: Params, exact: Array) -> Array:
    """n * (running sum of abs(x)), or n * abs(running product); the extremes are exact."""
    kind, axis = params["kind"], params["axis"]
    if kind in ("max", "min") or not size.size:
        return np.zeros(np.shape(exact))
    total = np.abs(exact)
    if kind == "sum":
        flipped = params["direction"] == "reverse"
        ordered = np.flip(size, axis) if flipped else size
        total = np.add.accumulate(ordered, axis)
        total = np.flip(total, axis) if flipped else total
    return np.asarray(size.shape[axis] * total, F64)


def _summed(row: Row, x: Any, params: Params) -> tuple[int, Any]:
    """How many elements each sum has, and the sums."""
    if row.name == "reduce_window":
        from lamina.interpreters.window import reduce_window

        if params["kind"] != "sum":
            return 1, 0.0
        return prod(params["window"]), reduce_window(x, **params)
    return max(prod(x.shape[a] for a in params["axes"]), 1), np.add.reduce(x, params["axes"])


def _contracted(row: Row, operands: tuple[Any, ...], params: Params) -> int:
    """The number of products in each sum."""
    if row.name == "conv":
        return prod(operands[1].shape[1:])
    return prod(operands[0].shape[axis] for axis in params["lhs_contract"])
