"""Bugs that users of other compilers met, where gradients go wrong: each eager and compiled."""

# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import lamina as lm


def both(f: Callable[..., Any]) -> tuple[Any, Any]:
    """A gradient, op by op and compiled."""
    return lm.grad(f), lm.jit(lm.grad(f))


def test_r25_empty_axes() -> None:
    """mlx#4442: sort and scan over an empty axis divided by its size."""
    for x in (np.zeros((3, 0)), np.zeros((0, 3))):
        for axis in (0, 1):
            for f in (lm.sort, lm.cumulative_sum):
                assert f(x, axis=axis).shape == x.shape
                assert lm.jit(lambda x, f=f, axis=axis: f(x, axis=axis))(x).shape == x.shape


def test_r82_impossible_output_of_a_transposed_convolution() -> None:
    """pytorch#144013: an output size below 0 was taken as empty."""
    x, w = np.ones((1, 1, 2)), np.ones((1, 1, 3))
    for call in (lambda: lm.conv_transpose(x, w, padding=4),
                 lambda: lm.jit(lambda x: lm.conv_transpose(x, w, padding=4))(x)):  # fmt: skip
        with pytest.raises(lm.ShapeError, match="conv_transpose"):
            call()


def test_r84_cond_inside_scan() -> None:
    """jax#5900: x^4 by four guarded steps; d/dx at 3 is 108."""

    def f(x: Any) -> Any:
        def step(c: Any, i: Any) -> tuple[Any, Any]:
            c = lm.cond(i < 10, lambda c: c * x, lambda c: c, c)
            return c, c

        return lm.scan(step, lm.ones_like(x), np.arange(4))[0]

    for gradient in both(f):
        assert float(gradient(np.array(3.0))) == 108


def test_r87_maximum_of_a_value_that_is_computed_again() -> None:
    """jax#13600: the gradient of max compared bits of values that fusion had computed twice."""
    x = np.random.default_rng(0).normal(size=1000).astype(np.float32)
    for gradient in both(lambda x: lm.max(lm.tanh(x * 1.7) * lm.sin(x) + lm.exp(-x))):
        found = np.asarray(gradient(x))
        assert np.isfinite(found).all() and np.count_nonzero(found) == 1


def test_r88_ties_with_zero() -> None:
    """jax#37821: d max(x, 0) at 0 is 0.5, d relu(x) at 0 is 0."""
    for gradient in both(lambda x: lm.sum(lm.maximum(x, 0.0))):
        assert gradient(np.array([0.0, 1.0, -1.0])).tolist() == [0.5, 1, 0]
    for gradient in both(lambda x: lm.sum(lm.relu(x))):
        assert gradient(np.array([0.0, 1.0, -1.0])).tolist() == [0, 1, 0]


def test_r89_a_window_that_is_overwritten() -> None:
    """pytorch#180164: of what is overwritten the gradient is 0, of the rest 1, of the update 1."""

    def f(x: Any, y: Any) -> Any:
        z = lm.asarray(x, copy=True)
        z[1:4] = y
        return lm.sum(z)

    x, y = np.arange(6.0), np.ones(3)
    dx, dy = lm.jit(lm.grad(f, wrt=(0, 1)))(x, y)
    assert dx.tolist() == [1, 0, 0, 0, 1, 1] and dy.tolist() == [1, 1, 1]


def test_r91_a_jitted_step_called_again() -> None:
    """tinygrad#16571: the replay of two backward calls was wrong from the second step on."""
    rng = np.random.default_rng(0)
    w, x = rng.normal(size=(4, 3)), rng.normal(size=(5, 4))

    @lm.jit
    def step(w: Any, x: Any) -> Any:
        first = lm.grad(lambda w: lm.sum(lm.tanh(x @ w)))(w)
        second = lm.grad(lambda w: lm.sum((x @ w) ** 2))(w)
        return first, second

    expected = [np.array(g) for g in step(w, x)]
    for _ in range(3):
        for found, wanted in zip(step(w, x), expected, strict=True):
            np.testing.assert_array_equal(np.asarray(found), wanted)


def test_r92_the_gradient_of_max_shows_nan() -> None:
    """tensorflow#118673: of max over [1, nan, 2] it is [0, 1, 0]."""
    for gradient in both(lambda x: lm.max(x)):
        assert gradient(np.array([1.0, np.nan, 2.0])).tolist() == [0, 1, 0]
