"""Rows of the op table for ops that become loops over elements: scans, sorts, searches."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from numpy.random import Generator
from op_row import NUMERIC, Params, Row, Shape, with_axis

from lamina.interpreters import call
from lamina.interpreters.types import DTYPES, DType

KINDS = ("sum", "prod", "max", "min")
DIRECTIONS = ("forward", "reverse")
ORDERS = ("ascending", "descending")
SIDES = ("left", "right")


def scan_params(rng: Generator, shapes: tuple[Shape, ...], _: DType) -> Params:
    return {
        "kind": KINDS[rng.integers(len(KINDS))],
        "axis": int(rng.integers(len(shapes[0]))),
        "direction": DIRECTIONS[rng.integers(2)],
    }


def _sort_params(rng: Generator, shapes: tuple[Shape, ...], _: DType) -> Params:
    return {"axis": int(rng.integers(len(shapes[0]))), "order": ORDERS[rng.integers(2)]}


def _search_shapes(rng: Generator, shape: Shape) -> tuple[Shape, ...] | None:
    """A sorted tensor of rank 1, and values of any rank."""
    if len(shape) != 1:
        return None
    return shape, tuple(int(n) for n in rng.integers(0, 5, rng.integers(0, 4)))


def _search_params(rng: Generator, _: tuple[Shape, ...], __: DType) -> Params:
    return {"side": SIDES[rng.integers(2)]}


def _sorted_first(operands: tuple[Any, ...]) -> tuple[Any, ...]:
    return call("sort", operands[0], axis=0, order="ascending"), *operands[1:]


def rows() -> Iterator[Row]:
    """The rows of the family."""
    yield Row("scan", NUMERIC, with_axis, scan_params, error="scan", low=-2, high=2)
    yield Row("sort", DTYPES, with_axis, _sort_params)
    yield Row("argsort", DTYPES, with_axis, _sort_params, discontinuous=True)
    yield Row("searchsorted", DTYPES, _search_shapes, _search_params, discontinuous=True,
              adapt=_sorted_first)  # fmt: skip
