"""Functions that become loops over elements, against NumPy: eager, traced and compiled."""

# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false

from __future__ import annotations

from collections.abc import Callable
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
S = np.asarray([3.0, -0.0, np.nan, 0.0, 3.0, -np.inf, 1.0, np.nan], np.float32)
L = np.asarray([-2, 0, 0, 3, 7])

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
    ("sort", lambda x: lm.sort(x), np.sort, (A,)),
    ("sort axis 0", lambda x: lm.sort(x, axis=0), lambda x: np.sort(x, 0), (N,)),
    ("sort middle", lambda x: lm.sort(x, axis=1), lambda x: np.sort(x, 1), (C,)),
    ("sort specials", lambda x: lm.sort(x), np.sort, (S,)),
    ("sort bool", lambda x: lm.sort(x, axis=0), lambda x: np.sort(x, 0), (P,)),
    ("sort descending", lambda x: lm.sort(x, descending=True), lambda x: -np.sort(-x), (N,)),
    ("sort empty", lambda x: lm.sort(x), np.sort, (E,)),
    ("argsort", lambda x: lm.argsort(x), lambda x: np.argsort(x, kind="stable"), (N,)),
    ("argsort specials", lambda x: lm.argsort(x), lambda x: np.argsort(x, kind="stable"), (S,)),
    ("argsort descending", lambda x: lm.argsort(x, axis=0, descending=True, stable=False),
     lambda x: np.argsort(-x, 0, kind="stable"), (N,)),
    ("np.sort", lambda x: np.sort(x, axis=None), lambda x: np.sort(x, None), (N,)),
    ("np.argsort", lambda x: np.argsort(x, 0, kind="stable"),
     lambda x: np.argsort(x, 0, kind="stable"), (N,)),
    ("method argsort", lambda x: x.argsort(axis=0), lambda x: np.argsort(x, 0, "stable"), (N,)),
    ("method cumsum", lambda x: x.cumsum(), np.cumsum, (N,)),
    ("method cumprod", lambda x: x.cumprod(0), lambda x: np.cumprod(x, 0), (A,)),
    ("top_k", lambda x: lm.top_k(x, 2).values, lambda x: -np.sort(-x)[:, :2], (N,)),
    ("top_k indices", lambda x: lm.top_k(x, 2, axis=0).indices,
     lambda x: np.argsort(-x, 0, kind="stable")[:2], (N,)),
    ("top_k smallest", lambda x: lm.top_k(x, 3, largest=False).values,
     lambda x: np.sort(x)[:, :3], (N,)),
    ("top_k of none", lambda x: lm.top_k(x, 0).values, lambda x: x[:, :0], (N,)),
    ("searchsorted", lambda x, y: lm.searchsorted(x, y), np.searchsorted, (L, N)),
    ("searchsorted right", lambda x, y: lm.searchsorted(x, y, side="right"),
     lambda x, y: np.searchsorted(x, y, "right"), (L, A)),
    ("searchsorted sorter", lambda x, y: lm.searchsorted(x[::-1], y, sorter=lm.argsort(x[::-1])),
     np.searchsorted, (L, N)),
    ("top_k of nothing", lambda x: lm.top_k(x, 0).values, lambda x: x, (E,)),
    ("top_k bool", lambda x: lm.top_k(x, 2).values, lambda x: np.sort(x)[:, :1:-1], (P,)),
    ("searchsorted scalar", lambda x: lm.searchsorted(x, 3), lambda x: np.searchsorted(x, 3), (L,)),
    ("np.searchsorted", lambda x, y: np.searchsorted(x, y, side="right"),
     lambda x, y: np.searchsorted(x, y, "right"), (L, N)),
    ("isin", lambda x, y: lm.isin(x, y), np.isin, (N, L)),
    ("isin nan", lambda x, y: lm.isin(x, y), np.isin, (S, S[:3])),
    ("isin invert", lambda x, y: lm.isin(x, y, invert=True),
     lambda x, y: np.isin(x, y, invert=True), (N, L)),
    ("isin of none", lambda x, y: lm.isin(x, y), np.isin, (N, L[:0])),
    ("isin promotes", lambda x, y: lm.isin(x, y), np.isin, (U, N)),
    ("np.diff", lambda x: np.diff(x, 2, axis=0), lambda x: np.diff(x, 2, 0), (A,)),
]  # fmt: skip


def wrong(value: object) -> Any:
    """An argument that the type checker would refuse."""
    return value


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
        (lambda x: lm.cumulative_sum(x, axis=0, include_initial=wrong(3.5)), lm.ArgumentError,
         "cumulative_sum: expected include_initial to be True or False"),
        (lambda x: lm.diff(x, n=-1), lm.ArgumentError, "diff: expected an n of 0 or more"),
        (lambda x: lm.diff(x, n=wrong(1.5)), lm.ArgumentError, "diff: expected an integer n"),
        (lambda x: lm.diff(lm.sum(x)), lm.ShapeError, "diff: expected a rank of 1 or more"),
        (lambda x: lm.diff(x, prepend=lm.zeros(3)), lm.ShapeError, "diff: expected equal"),
        (lambda x: lm.sort(x, axis=2), lm.AxisError, "sort: expected an axis from -2 to 1"),
        (lambda x: lm.sort(lm.sum(x)), lm.AxisError, "sort: expected no axis for a 0-d array"),
        (lambda x: lm.argsort(x, descending=wrong("yes")), lm.ArgumentError,
         "argsort: expected descending to be True or False"),
        (lambda x: np.sort(x, kind=wrong("bogo")), lm.ArgumentError,
         "np.sort: expected the name of"),
        (lambda x: lm.top_k(x, 5), lm.ShapeError, "top_k: expected a k from 0 to 4 on axis 1"),
        (lambda x: lm.top_k(x, -1), lm.ShapeError, "top_k: expected a k from 0 to 4 on axis 1"),
        (lambda x: lm.top_k(x, wrong(1.5)), lm.ArgumentError, "top_k: expected an integer k"),
        (lambda x: lm.searchsorted(x, x), lm.ShapeError, "searchsorted: expected a sorted array"),
        (lambda x: lm.searchsorted(x[0], x, side=wrong("up")), lm.ArgumentError,
         'searchsorted: expected a side "left" or "right", found'),
        (lambda x: lm.searchsorted(x[0], x, sorter=lm.asarray([0, 1, 2, 4])), lm.IndexRangeError,
         "take: expected"),
        (lambda x: lm.isin(x, wrong("a")), lm.ArgumentError, "isin: expected an array or a"),
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


REFERENCE: dict[str, Callable[..., Any]] = {
    "unique_values": lambda x: np.unique(x, equal_nan=False),  # NumPy's own gives them unsorted
}
EAGER: list[Case] = [
    (f"{name} {kind}", getattr(lm, name), REFERENCE.get(name) or getattr(np, name), (x,))
    for name in ("unique_all", "unique_counts", "unique_inverse", "unique_values", "nonzero")
    for kind, x in (("ints", N), ("floats", S), ("bool", P), ("bytes", U), ("none", E))
]


@pytest.mark.parametrize("case", EAGER, ids=[case[0] for case in EAGER])
def test_data_dependent_shapes_are_eager(case: Case) -> None:
    _, function, reference, args = case
    found, expected = function(*args), reference(*args)
    if not isinstance(expected, tuple):
        found, expected = (found,), (expected,)
    for a, b in zip(found, expected, strict=True):
        assert_near(a, b)
    with pytest.raises(lm.TraceError, match="expected eager code, since the shape") as error:
        lm.jit(lambda x: function(x))(*args)
    assert f"({__file__}:" in str(error.value)


def test_sort_in_place() -> None:
    x = lm.asarray(N.copy())
    x.sort(axis=0)
    assert_array_equal(np.asarray(x), np.sort(N, 0))


def test_half_types() -> None:
    """bfloat16 is none of NumPy's own types."""
    x = lm.asarray([3.0, 1.0, float("nan"), 1.0], dtype=lm.bfloat16)
    assert str(lm.sort(x)) == str(lm.jit(lm.sort)(x))
    assert lm.argsort(x).tolist() == [1, 3, 0, 2]
    assert lm.unique_counts(x).counts.tolist() == [2, 1, 1]
    assert lm.cumulative_sum(x).dtype == lm.bfloat16


def test_nonzero_of_rank_0() -> None:
    with pytest.raises(lm.ShapeError, match="nonzero: expected a rank of 1 or more"):
        lm.nonzero(lm.asarray(1))
