"""Transposed reads: the network of shuffles, and what the loops around it give."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import lamina as lm
from lamina.lowering.loops.tiles import transpose_steps

SQUARES = [(16, 4), (16, 8), (16, 16), (8, 2), (8, 8), (4, 4), (2, 2)]
"""(lanes, lanes of 16 bytes): f32, f16, i8, f64, and smaller ones."""


@pytest.mark.parametrize(("lanes", "per_part"), SQUARES)
def test_shuffles_transpose_a_square(lanes: int, per_part: int) -> None:
    rows = [[(row, lane) for lane in range(lanes)] for row in range(lanes)]
    stages = transpose_steps(lanes, per_part)
    for stage in stages:
        rows = [[(rows[a] + rows[b])[place] for place in mask] for a, b, mask in stage]
    assert rows == [[(row, lane) for row in range(lanes)] for lane in range(lanes)]
    assert 2 ** len(stages) == lanes


SHAPES = [(16, 16), (17, 33), (300, 40), (15, 100), (3, 40, 50), (64, 2, 70), (2, 5, 33, 31)]


def _permuted(order: tuple[int, ...]) -> Any:
    def permuted(x: Any) -> Any:
        return lm.permute_dims(x, order)

    return permuted


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.float16, np.int8, np.uint16, bool])
def test_transposes(dtype: Any) -> None:
    rng = np.random.default_rng(0)
    for shape in SHAPES:
        x = (rng.standard_normal(shape) * 8).astype(dtype)
        order = tuple(range(len(shape)))[::-1]
        jitted = lm.jit(_permuted(order))
        np.testing.assert_array_equal(np.asarray(jitted(x)), x.T)


def short(x: Any, y: Any) -> Any:
    """Written out for each row of a tile."""
    return x.T * 2 + y * x.T


def long(x: Any, y: Any) -> Any:
    """A loop over the rows of a tile."""
    z = x.T
    return (z * 2 + y) * (z - y) * (y + 1) / (z * z + 3) - (z - 1) * (y - 2)


@pytest.mark.parametrize("function", [short, long])
@pytest.mark.parametrize("threads", [1, 2])
def test_fused_bodies_on_tiles(function: Any, threads: int) -> None:
    rng = np.random.default_rng(0)
    for shape in [(16, 16), (33, 50), (700, 1000), (15, 16)]:
        x = rng.standard_normal(shape).astype(np.float32)
        y = rng.standard_normal(shape[::-1]).astype(np.float32)
        found = lm.jit(function, threads=threads)(x, y)
        np.testing.assert_array_equal(np.asarray(found), function(x, y))
