"""Rows of the table of ops: windows that move over the operand."""

from __future__ import annotations

from collections.abc import Callable
from math import prod

from numpy.random import Generator
from op_row import NUMERIC, DType, Params, Row, Shape, one

KINDS = ("sum", "max", "min")


def _params(kind: str | None) -> Callable[[Generator, tuple[Shape, ...], DType], Params]:
    """Windows of up to 12 elements an axis, padding too; `kind` None: any."""

    def draw(rng: Generator, shapes: tuple[Shape, ...], _: DType) -> Params:
        (shape,) = shapes
        padding = [int(p) for p in rng.integers(0, 3, 2 * len(shape))]
        padding = [p if rng.random() < 0.5 else 0 for p in padding]
        window: list[int] = []
        dilation: list[int] = []
        for axis, size in enumerate(shape):
            room = max(1, size + padding[2 * axis] + padding[2 * axis + 1])
            spread = int(rng.integers(1, 4)) if rng.random() < 0.3 else 1
            most = min((room - 1) // spread + 1, 12)
            dilation.append(spread)
            window.append(int(rng.integers(1, most + 1)) if rng.random() < 0.7 else 1)
        return {
            "kind": kind or str(rng.choice(KINDS)),
            "window": tuple(window),
            "strides": tuple(int(s) for s in rng.integers(1, 6, len(shape))),
            "padding": tuple(padding),
            "dilation": tuple(dilation),
        }

    return draw


def _shapes(rng: Generator, shape: Shape) -> tuple[Shape, ...] | None:
    return one(rng, shape) if prod(shape) or shape == () else None


WINDOW = Row("reduce_window", NUMERIC, _shapes, _params(None), error="sum")
WINDOWS: dict[str, Row] = {
    f"window_{kind}": Row(
        "reduce_window", NUMERIC, _shapes, _params(kind), error="sum" if kind == "sum" else "exact"
    )
    for kind in KINDS
}
"""One row a kind."""
