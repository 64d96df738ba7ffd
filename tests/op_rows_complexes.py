"""Rows of the table of ops: complex numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.random import Generator
from op_row import Params, Row, Shape, one, two
from op_rows_loops import scan_params

from lamina.interpreters.types import BOOL, C64, C128, COMPLEX, F32, F64, DType

ALSO_COMPLEX = (
    "add", "subtract", "negative", "equal", "not_equal", "broadcast", "reshape", "transpose",
    "reverse", "concat", "pad", "slice", "dynamic_slice", "dynamic_update_slice", "gather",
    "scatter", "scatter_add", "dim", "sort", "argsort", "searchsorted",
)  # fmt: skip
"""Ops that take complex tensors as they take real ones."""


def rows() -> Iterator[Row]:
    """The ops that exist for complex numbers only."""
    yield Row("real", COMPLEX, one)
    yield Row("imag", COMPLEX, one)
    yield Row("complex", (F32, F64), two)


def _cast_params(rng: Generator, _: tuple[Shape, ...], __: DType) -> Params:
    return {"dtype": (C64, C128, BOOL)[rng.integers(0, 3)]}


def _running_sum(rng: Generator, shapes: tuple[Shape, ...], dtype: DType) -> Params:
    return {**scan_params(rng, shapes, dtype), "kind": "sum"}


def _whole(operands: tuple[Any, ...]) -> tuple[Any, ...]:
    """Whole numbers, whose sums are exact in any order."""
    found: Any = map(np.round, operands)
    return tuple(found)


def complex_rows(table: Mapping[str, Row]) -> dict[str, Row]:
    """Rows of `table` on complex operands."""
    found = {name: replace(table[name], dtypes=COMPLEX) for name in ALSO_COMPLEX}
    found["scan"] = replace(table["scan"], dtypes=COMPLEX, params=_running_sum, adapt=_whole)
    found["cast"] = replace(table["cast"], dtypes=COMPLEX, params=_cast_params)
    return found
