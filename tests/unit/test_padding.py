"""`pad` (more of it: test_padding_modes.py), `roll`, `repeat` against NumPy, ranks 1 to 4."""

# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

import lamina as lm

MODES = ("constant", "edge", "reflect", "symmetric", "wrap")
SHAPES = ((0,), (1,), (4,), (2, 3), (3, 0), (2, 1, 3), (2, 2, 2, 2))


def values(shape: tuple[int, ...]) -> np.ndarray[Any, Any]:
    return np.arange(1, 1 + np.prod(shape, dtype=int)).reshape(shape)


def same(found: Any, expected: Any) -> bool:
    array = np.asarray(found)
    return array.shape == expected.shape and np.array_equal(array, expected)


@pytest.mark.parametrize("mode", MODES)
def test_pad(mode: Any) -> None:
    for shape in ((1,), (2,), (5,), (2, 3), (1, 4), (2, 1, 3)):
        x = values(shape)
        for low, high in product((0, 1, 3, 7, 40), (0, 1, 9)):
            width = ((low, high),) * x.ndim
            assert same(lm.pad(lm.asarray(x), width, mode=mode), np.pad(x, width, mode=mode))
    x, width = values((3, 4)), ((0, 1), (5, 0))
    for run in (lambda x: lm.pad(x, width, mode=mode), lambda x: np.pad(x, width, mode=mode)):
        assert same(lm.jit(run)(lm.asarray(x)), np.pad(x, width, mode=mode))


def test_pad_errors() -> None:
    for run in (lambda f: f, lm.jit):
        for mode in MODES[1:]:
            with pytest.raises(lm.ShapeError, match="a size of 1 or more on axis 0 in mode"):
                run(lambda x, mode=mode: lm.pad(x, 1, mode=mode))(lm.zeros((0, 2)))


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_roll_and_repeat(shape: tuple[int, ...]) -> None:
    x = values(shape)
    y = lm.asarray(x)
    for axis in range(-x.ndim, x.ndim):
        counts = np.arange(x.shape[axis]) % 3
        assert same(lm.repeat(y, lm.asarray(counts), axis=axis), np.repeat(x, counts, axis))
        assert same(lm.repeat(y, counts.tolist(), axis=axis), np.repeat(x, counts, axis))
        assert same(lm.repeat(y, 2, axis=axis), np.repeat(x, 2, axis))
        for by in (0, 1, -1, 5, -7):
            expected = np.roll(x, by, axis)
            assert same(lm.roll(y, by, axis=axis), expected)
            assert same(lm.roll(y, lm.asarray(by), axis=axis), expected)
            assert same(lm.roll(y, np.array([by]), axis=(axis,)), expected)
    assert same(lm.roll(y, -3), np.roll(x, -3))
    assert same(
        lm.repeat(y, lm.asarray(np.arange(x.size) % 2)), np.repeat(x, np.arange(x.size) % 2)
    )


def test_run_time_shifts() -> None:
    x = values((2, 5))
    rolled = lm.jit(lambda x, by: lm.roll(x, by, axis=1))
    for by in (np.int8(-100), np.int64(3), np.uint64(2**63 + 1), np.uint8(200)):
        assert same(rolled(x, np.array(by)), np.roll(x, int(by), 1))
    both = lm.jit(lambda x, by: lm.roll(x, by, axis=(0, 1)))
    assert same(both(x, np.array([1, -2])), np.roll(x, (1, -2), (0, 1)))


def test_repeats_must_be_known() -> None:
    with pytest.raises(lm.TraceError, match="expected numbers of repeats that are known"):
        lm.jit(lambda x, n: lm.repeat(x, n))(np.arange(3), np.array([1, 2, 0]))
    assert lm.jit(lambda x: lm.repeat(x, [1, 0, 2]))(np.arange(3)).tolist() == [0, 2, 2]
    for run in (lambda f: f, lm.jit):
        with pytest.raises(lm.ShapeError, match="expected 0 repeats or more, found -1"):
            run(lambda x: lm.repeat(x, [1, -1]))(lm.arange(2))
        with pytest.raises(lm.ShapeError, match=r"expected 2 numbers of repeats, found \(3,\)"):
            run(lambda x: lm.repeat(x, [1, 1, 1]))(lm.arange(2))
