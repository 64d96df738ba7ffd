"""Functions that become loops over elements, against NumPy: eager, traced and compiled."""

from __future__ import annotations

import doctest
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import lamina as lm
from lamina.errors import LaminaError
from lamina.frontend.trace import trace

Case = tuple[str, Callable[..., Any], Callable[..., Any], tuple[Any, ...]]

RNG = np.random.default_rng(0)
A = RNG.normal(size=(3, 4)).astype(np.float32)
C = RNG.normal(size=(2, 3, 40))
N = RNG.integers(-9, 9, (3, 4))
U = RNG.integers(0, 255, (3, 4)).astype(np.uint8)
P = N > 0
E = np.zeros((3, 0), np.float32)
V = np.arange(7.0)

CASES: list[Case] = [
    ("cumulative_sum", lambda x: lm.cumulative_sum(x, axis=1), lambda x: x.cumsum(1), (A,)),
    ("axis 0", lambda x: lm.cumulative_sum(x, axis=0), lambda x: x.cumsum(0), (C,)),
    ("middle", lambda x: lm.cumulative_sum(x, axis=-2), lambda x: x.cumsum(1), (C,)),
    ("rank 1", lambda x: lm.cumulative_sum(x), np.cumsum, (V,)),
    ("initial", lambda x: lm.cumulative_sum(x, axis=1, include_initial=True),
     lambda x: np.cumulative_sum(x, axis=1, include_initial=True), (N,)),
    ("initial of nothing", lambda x: lm.cumulative_sum(x, axis=1, include_initial=True),
     lambda x: np.cumulative_sum(x, axis=1, include_initial=True), (E,)),
    ("empty", lambda x: lm.cumulative_sum(x, axis=1), lambda x: x.cumsum(1), (E,)),
    ("other empty", lambda x: lm.cumulative_sum(x, axis=0), lambda x: x.cumsum(0), (E,)),
    ("unsigned", lambda x: lm.cumulative_sum(x, axis=1), lambda x: x.cumsum(1), (U,)),
    ("bool", lambda x: lm.cumulative_sum(x, axis=1), lambda x: x.cumsum(1), (P,)),
    ("dtype", lambda x: lm.cumulative_sum(x, axis=1, dtype=lm.float32),
     lambda x: x.cumsum(1, dtype=np.float32), (U,)),
    ("narrow dtype", lambda x: lm.cumulative_sum(x, axis=1, dtype=lm.uint8),
     lambda x: x.cumsum(1, dtype=np.uint8), (U,)),
    ("cumulative_prod", lambda x: lm.cumulative_prod(x, axis=1), lambda x: x.cumprod(1), (A,)),
    ("prod wraps", lambda x: lm.cumulative_prod(x, axis=0, dtype=lm.int8),
     lambda x: x.cumprod(0, dtype=np.int8), (N,)),
    ("prod initial", lambda x: lm.cumulative_prod(x, axis=0, include_initial=True),
     lambda x: np.cumulative_prod(x, axis=0, include_initial=True), (A,)),
    ("cumsum", lambda x: lm.cumsum(x), np.cumsum, (A,)),
    ("cumsum axis", lambda x: lm.cumsum(x, 0), lambda x: x.cumsum(0), (N,)),
    ("cumprod", lambda x: lm.cumprod(x, axis=1), lambda x: x.cumprod(1), (A,)),
    ("np.cumsum", lambda x: np.cumsum(x), np.cumsum, (A,)),
    ("np.cumprod", lambda x: np.cumprod(x, 1), lambda x: x.cumprod(1), (A,)),
    ("np.cumulative_sum", lambda x: np.cumulative_sum(x, axis=1), lambda x: x.cumsum(1), (A,)),
    ("np.add.accumulate", lambda x: np.add.accumulate(x, axis=1), lambda x: x.cumsum(1), (U,)),
    ("np.multiply.accumulate", lambda x: np.multiply.accumulate(x), lambda x: x.cumprod(0), (A,)),
    ("diff", lambda x: lm.diff(x), np.diff, (A,)),
    ("diff axis", lambda x: lm.diff(x, axis=0, n=2), lambda x: np.diff(x, 2, 0), (C[0],)),
    ("diff bool", lambda x: lm.diff(x), np.diff, (P,)),
    ("diff unsigned", lambda x: lm.diff(x), np.diff, (U,)),
    ("diff more than there are", lambda x: lm.diff(x, n=9), lambda x: np.diff(x, 9), (A,)),
    ("diff of nothing", lambda x: lm.diff(x), np.diff, (E,)),
    ("diff n 0", lambda x: lm.diff(x, n=0), lambda x: x, (A,)),
    ("diff edges", lambda x, y: lm.diff(x, prepend=y, append=5),
     lambda x, y: np.diff(x, prepend=y, append=np.float32(5)), (A, A[:, :2])),
    ("np.diff", lambda x: np.diff(x, 2, axis=0), lambda x: np.diff(x, 2, 0), (A,)),
]  # fmt: skip


def assert_near(found: Any, expected: Any) -> None:
    """Equal type and shape, integers and bool equal, floats within the contract's bounds."""
    found, expected = np.asarray(found), np.asarray(expected)
    assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
    if expected.dtype.kind == "f":
        tolerance = 64 * np.finfo(expected.dtype).eps
        assert_allclose(found, expected, rtol=tolerance, atol=tolerance)
    else:
        assert_array_equal(found, expected)


@pytest.mark.parametrize("case", CASES, ids=[case[0] for case in CASES])
def test_function(case: Case) -> None:
    _, function, reference, args = case
    expected = reference(*args)
    assert_near(function(*map(lm.asarray, args)), expected)
    assert_near(lm.jit(function)(*args), expected)


@pytest.mark.parametrize(
    ("function", "error", "text"),
    [
        (lambda x: lm.cumulative_sum(x), lm.AxisError,
         "cumulative_sum: expected an axis for an array of rank 2, found None"),
        (lambda x: lm.cumulative_sum(x, axis=2), lm.AxisError, "expected an axis from -2 to 1"),
        (lambda x: lm.cumulative_prod(lm.sum(x)), lm.ShapeError,
         "cumulative_prod: expected a rank of 1 or more, found a 0-d array"),
        (lambda x: lm.cumulative_sum(x, axis=0, dtype=lm.bool), lm.DTypeError,
         "cumulative_sum: expected a numeric dtype, found bool"),
        (lambda x: lm.cumulative_sum(x, axis=0, include_initial=3.5), lm.ArgumentError,
         "cumulative_sum: expected include_initial to be True or False"),
        (lambda x: lm.diff(x, n=-1), lm.ArgumentError, "diff: expected an n of 0 or more"),
        (lambda x: lm.diff(x, n=1.5), lm.ArgumentError, "diff: expected an integer n"),
        (lambda x: lm.diff(lm.sum(x)), lm.ShapeError, "diff: expected a rank of 1 or more"),
        (lambda x: lm.diff(x, prepend=lm.zeros(3)), lm.ShapeError, "diff: expected equal"),
        (lambda x: np.maximum.accumulate(x), lm.ArgumentError, "np.maximum.accumulate"),
    ],
)  # fmt: skip
def test_errors_are_equal_eager_and_traced(
    function: Callable[..., Any], error: type[LaminaError], text: str
) -> None:
    with pytest.raises(error) as eager:
        function(lm.asarray(A))
    with pytest.raises(error) as static:
        trace(function, (A,))
    assert text in str(eager.value)
    assert str(eager.value) == str(static.value)
    assert f"({__file__}:" in str(eager.value)


@pytest.mark.parametrize("module", ["scans"])
def test_examples_in_docstrings(module: str) -> None:
    extra = {"lm": lm, "np": np}
    found = doctest.testmod(import_module(f"lamina.frontend.{module}"), extraglobs=extra)
    assert found.attempted > 0
    assert found.failed == 0
