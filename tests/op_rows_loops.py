"""Rows of the op table for ops that become loops over elements: scans."""

from __future__ import annotations

from collections.abc import Iterator

from numpy.random import Generator
from op_row import NUMERIC, DType, Params, Row, Shape, with_axis

KINDS = ("sum", "prod", "max", "min")
DIRECTIONS = ("forward", "reverse")


def _scan_params(rng: Generator, shapes: tuple[Shape, ...], _: DType) -> Params:
    return {
        "kind": KINDS[rng.integers(len(KINDS))],
        "axis": int(rng.integers(len(shapes[0]))),
        "direction": DIRECTIONS[rng.integers(2)],
    }


def rows() -> Iterator[Row]:
    """The rows of the family."""
    yield Row("scan", NUMERIC, with_axis, _scan_params, error="scan", low=-2, high=2)
