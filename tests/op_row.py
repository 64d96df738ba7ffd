"""One row of the table of ops: what a draw of an op needs. `op_table.py` has the rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import prod
from typing import Any, Literal

import numpy as np
from numpy.random import Generator

from lamina.interpreters.complexes import complex_
from lamina.interpreters.types import (
    BF16,
    BOOL,
    COMPLEX,
    DTYPES,
    F16,
    F32,
    F64,
    INT64,
    Array,
    DType,
)

Shape = tuple[int, ...]
Params = dict[str, Any]

FLOATS = (F16, BF16, F32, F64)
INTEGERS = tuple(dtype for dtype in DTYPES if dtype.kind in "iu")
NUMERIC = INTEGERS + FLOATS
BITS = (BOOL, *INTEGERS)

UNIT = {F16: 2.0**-11, BF16: 2.0**-8, F32: 2.0**-24, F64: 2.0**-53}
"""Half a unit in the last place of 1.0: the largest relative error of one rounding."""
SMALLEST = {F16: 2.0**-24, BF16: 2.0**-133, F32: 2.0**-149, F64: 2.0**-1074}
LARGEST = {F16: 65504.0, BF16: 2.0**127 * (2 - 2.0**-7), F32: 2.0**127 * (2 - 2.0**-23),
           F64: 2.0**1023 * (2 - 2.0**-52)}  # fmt: skip
SMALLEST_NORMAL = {F16: 2.0**-14, BF16: 2.0**-126, F32: 2.0**-126, F64: 2.0**-1022}


def special_values(dtype: DType) -> Array:
    """The values at which ops of this type go wrong first."""
    if dtype == BOOL:
        return np.array([False, True])
    if dtype in COMPLEX:
        parts = special_values(np.dtype(f"f{dtype.itemsize // 2}"))
        return complex_(np.repeat(parts, parts.size), np.tile(parts, parts.size))
    if dtype.kind in "iu":
        info, width = np.iinfo(dtype), 8 * dtype.itemsize
        numbers = [0, 1, 2, 3, width - 1, width, info.max, info.max - 1, info.max // 2 + 1]
        signed = [-1, -2, -width, info.min, info.min + 1] if dtype.kind == "i" else []
        return np.array(numbers + signed, dtype)
    largest, smallest, normal = LARGEST[dtype], SMALLEST[dtype], SMALLEST_NORMAL[dtype]
    positive = [0.0, 1.0, 0.5, 1.5, 2.5, 2.0, 3.0, smallest, normal, normal - smallest, largest,
                float("inf"), 1 + 2 * UNIT[dtype], 1 - UNIT[dtype], 1 / UNIT[dtype]]  # fmt: skip
    return np.array([*positive, *(-x for x in positive), float("nan")], np.float64).astype(dtype)


def values(
    rng: Generator, dtype: DType, shape: Shape, low: float = -8, high: float = 8, special: float = 0
) -> Array:
    """Random elements: from low to high, and a share `special` of special values."""
    if dtype == BOOL:
        return rng.integers(0, 2, shape).astype(BOOL)
    if dtype in COMPLEX:
        part = np.dtype(f"f{dtype.itemsize // 2}")
        return complex_(*(values(rng, part, shape, low, high, special) for _ in range(2)))
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        lowest, highest = max(info.min, int(low)), min(info.max, int(high))
        ordinary = np.asarray(rng.integers(lowest, highest, shape, INT64, True)).astype(dtype)
    else:
        ordinary = np.asarray(rng.uniform(low, high, shape)).astype(dtype)
    chosen = rng.choice(special_values(dtype).astype(dtype), shape)
    return np.where(rng.random(shape) < special, chosen, ordinary).astype(dtype)


def layouts(x: Array) -> Iterator[tuple[str, Array]]:
    """The same elements in memory in several ways; a name for each."""
    yield "contiguous", np.ascontiguousarray(x).reshape(x.shape)
    yield "fortran", np.array(x, order="F")
    yield "reversed", np.flip(np.array(np.flip(x)))
    if x.ndim:
        wide = np.zeros((*x.shape[:-1], 2 * x.shape[-1] + 1), x.dtype)
        view = wide[..., 1::2]
        view[...] = x
        yield "strided", view
    if x.size and (x == x.flat[0]).all():
        yield "broadcast", np.broadcast_to(x.reshape(-1)[0], x.shape)


def no_params(_: Generator, __: tuple[Shape, ...], ___: DType) -> Params:
    return {}


Error = Literal["exact", "ulp", "sum", "prod", "scan", "contraction"]


@dataclass(frozen=True)
class Row:
    """One op. `shapes` gives the operands' shapes for a wanted first shape, or None when that
    cannot be; `params` the meaning's parameters for those shapes and the dtype."""

    name: str
    dtypes: tuple[DType, ...]
    shapes: Callable[[Generator, Shape], tuple[Shape, ...] | None]
    params: Callable[[Generator, tuple[Shape, ...], DType], Params] = no_params
    error: Error = "exact"
    discontinuous: bool = False
    low: float = -8
    high: float = 8
    adapt: Callable[[tuple[Any, ...]], tuple[Any, ...]] = lambda operands: operands

    def draw(
        self, rng: Generator, shape: Shape, dtype: DType, special: float = 0
    ) -> tuple[tuple[Any, ...], Params] | None:
        """Operands and parameters; None when no operand of that shape is taken."""
        shapes = self.shapes(rng, shape)
        if shapes is None:
            return None
        params = self.params(rng, shapes, dtype)
        operands = (values(rng, dtype, s, self.low, self.high, special) for s in shapes)
        adapted = self.adapt(tuple(operands))
        return tuple(x if isinstance(x, int) else np.asarray(x) for x in adapted), params


# Shapes of the operands, from that of the first.


def one(_: Generator, shape: Shape) -> tuple[Shape, ...]:
    return (shape,)


def two(_: Generator, shape: Shape) -> tuple[Shape, ...]:
    return shape, shape


def non_empty(_: Generator, shape: Shape) -> tuple[Shape, ...] | None:
    return (shape,) if prod(shape) else None


def with_axis(_: Generator, shape: Shape) -> tuple[Shape, ...] | None:
    return (shape,) if shape else None


def with_elements_and_axis(_: Generator, shape: Shape) -> tuple[Shape, ...] | None:
    return (shape,) if shape and prod(shape) else None
