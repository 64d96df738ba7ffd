"""Rows of the op table for random bits."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.random import Generator
from op_row import DType, Params, Row, Shape

WORD, WIDE = np.dtype(np.uint32), np.dtype(np.uint64)


def _shapes(rng: Generator, _: Shape) -> tuple[Shape, ...]:
    """Keys and counters, whatever was wanted."""
    batch = tuple(int(size) for size in rng.integers(0, 4, rng.integers(0, 3)))
    return (*batch, 2), (*batch, 4)


def _params(rng: Generator, shapes: tuple[Shape, ...], __: DType) -> Params:
    rest = tuple(int(size) for size in rng.integers(0, 7, rng.integers(0, 4)))
    shape = (*shapes[0][:-1], *rest)
    return {"shape": shape, "dtype": (WORD, WIDE)[rng.integers(2)]}


def rows() -> Iterator[Row]:
    """The rows of the family."""
    yield Row("random_bits", (WORD,), _shapes, _params, low=0, high=2**32)
