"""Rows of the op table for random bits."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.random import Generator
from op_row import DType, Params, Row, Shape

WORD, WIDE = np.dtype(np.uint32), np.dtype(np.uint64)


def _shapes(_: Generator, __: Shape) -> tuple[Shape, ...]:
    """A key and a counter, whatever was wanted."""
    return (2,), (4,)


def _params(rng: Generator, _: tuple[Shape, ...], __: DType) -> Params:
    shape = tuple(int(size) for size in rng.integers(0, 7, rng.integers(0, 5)))
    return {"shape": shape, "dtype": (WORD, WIDE)[rng.integers(2)]}


def rows() -> Iterator[Row]:
    """The rows of the family."""
    yield Row("random_bits", (WORD,), _shapes, _params, low=0, high=2**32)
