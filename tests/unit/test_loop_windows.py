"""Slices whose bounds change in a loop: `A[i, :i]`, read and written, with Python's meaning."""

# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import lamina as lm

RNG = np.random.default_rng(0)
A, X = RNG.random((6, 6)), RNG.random(6)


def summed(part: Callable[..., Any], low: int = 0, high: Any = 6) -> Callable[..., Any]:
    """y[i] = sum(part(i, ...)) for all i."""

    def f(*args: Any) -> Any:
        def body(i: Any, y: Any) -> Any:
            y[i] = lm.sum(part(i, *args))
            return y

        return lm.fori_loop(low, high, body, lm.zeros(6))

    return f


READS: dict[str, Callable[..., Any]] = {
    "prefix": lambda i, x: x[:i],
    "suffix": lambda i, x: x[i + 1 :] * x[i + 1 :],
    "negative start": lambda i, x: x[i - 3 :],
    "beyond the end": lambda i, x: x[: 2 * i],
    "from the end": lambda i, x: x[-i:],
    "both": lambda i, x: x[i - 1 : i + 2],
    "crossed": lambda i, x: x[i : 5 - i],
    "step": lambda i, x: x[i::2],
    "step and stop": lambda i, x: x[1 : i + 1 : 3],
    "reversed": lambda i, x: x[:i] * x[:i][::-1],
    "of a slice": lambda i, x: x[:i][1:],
    "last of a slice": lambda i, x: x[: i + 1][-1],
    "size": lambda i, x: x[:i] * x[:i].shape[0],
}


@pytest.mark.parametrize("name", READS)
def test_reads(name: str) -> None:
    part = READS[name]
    found = np.asarray(lm.jit(summed(part))(X))
    expected = [np.sum(part(i, X)) for i in range(6)]
    np.testing.assert_allclose(found, expected, rtol=1e-14)


MATRIX: dict[str, Callable[..., Any]] = {
    "dot": lambda i, a: a[i, :i] @ a[:i, i],
    "block": lambda i, a: a[:i, :i] @ a[:i, i:],
    "rows": lambda i, a: a[i:].T,
    "triangle": lambda i, a: a[i:, : i + 1] * 2.0 + 1.0,
    "other axis": lambda i, a: a[:, i:][0],
    "row": lambda i, a: a[i, 1 : i + 1],
}


@pytest.mark.parametrize("name", MATRIX)
def test_windows_of_matrices(name: str) -> None:
    part = MATRIX[name]
    found = np.asarray(lm.jit(summed(part))(A))
    np.testing.assert_allclose(found, [np.sum(part(i, A)) for i in range(6)], rtol=1e-13)


def written(a: Any, i: Any) -> Any:
    """Writes that depend on each other."""
    a[i, i + 1 :] = a[i, :i].sum()
    a[:i, i] = 2.0 * a[:i, i]
    a[i, :i] -= 1.0
    a[i:, 0] = a[0, i:] + a[i:, 0]
    return a


def test_writes() -> None:
    def f(a: Any) -> Any:
        return lm.fori_loop(0, 6, lambda i, b: written(b, i), lm.copy(a))

    expected = A.copy()
    for i in range(6):
        written(expected, i)
    np.testing.assert_allclose(np.asarray(lm.jit(f)(A)), expected, rtol=1e-14)


def test_nested_loops() -> None:
    """LU decomposition in place, as NPBench has it."""

    def lu(a: Any) -> Any:
        def below(i: Any, a: Any) -> Any:
            def one(j: Any, a: Any) -> Any:
                a[i, j] = (a[i, j] - a[i, :j] @ a[:j, j]) / a[j, j]
                return a

            return lm.fori_loop(0, i, one, a)

        def above(i: Any, a: Any) -> Any:
            def one(j: Any, a: Any) -> Any:
                a[i, j] -= a[i, :i] @ a[:i, j]
                return a

            return lm.fori_loop(i, a.shape[0], one, a)

        return lm.fori_loop(0, a.shape[0], lambda i, a: above(i, below(i, a)), lm.copy(a))

    a = A + 6 * np.eye(6)
    found = np.asarray(lm.jit(lu)(a))
    lower, upper = np.tril(found, -1) + np.eye(6), np.triu(found)
    np.testing.assert_allclose(lower @ upper, a, rtol=1e-12)


def test_a_number_as_bound() -> None:
    """A Python int that bounds a window in a loop is not a condition of the compiled code."""
    f = lm.jit(lambda x, n: lm.fori_loop(0, n, lambda i, c: c + lm.sum(x[i:n]), 0.0))
    for n in (6, 4, 0, 5):
        expected = sum(X[i:n].sum() for i in range(n))
        np.testing.assert_allclose(float(f(X, n)), expected, rtol=1e-14)
    assert f.explain().count("compiled") == 1


def test_sizes_that_differ() -> None:
    f = lm.jit(lambda x: lm.fori_loop(1, 6, lambda i, c: c + lm.sum(x[:i] * x[i:]), 0.0))
    with pytest.raises(lm.ShapeError, match="expected sizes that are equal, found 1 and 5") as e:
        f(X)
    assert "test_loop_windows.py" in str(e.value)


def test_written_sizes_that_differ() -> None:
    def f(x: Any) -> Any:
        def body(i: Any, y: Any) -> Any:
            y[:i] = x[i:]
            return y

        return lm.fori_loop(1, 6, body, lm.zeros(6))

    with pytest.raises(lm.ShapeError, match="set_item: expected sizes that are equal, found"):
        lm.jit(f)(X)


def test_not_carried() -> None:
    f = lm.jit(lambda x: lm.fori_loop(1, 6, lambda i, c: x[:i], x))
    with pytest.raises(lm.ShapeError, match=r"expected a carry of float64 and shape \(6,\)"):
        f(X)
    with pytest.raises(lm.TraceError, match="change in a loop"):
        lm.jit(
            lambda x: lm.fori_loop(
                1,
                6,
                lambda i, c: c + lm.sum(lm.fori_loop(0, 2, lambda j, d: d + 1.0, x[:i])),
                0.0,
            )
        )(X)


def test_compared_sizes() -> None:
    f = lm.jit(
        lambda x: lm.fori_loop(0, 6, lambda i, c: c + (1.0 if x[:i].shape[0] > 3 else 2.0), 0.0)
    )
    with pytest.raises(lm.TraceError, match="sizes that change in a loop"):
        f(X)


STENCILS: dict[str, Callable[..., Any]] = {
    "pair": lambda i, x: x[i : i + 2],
    "nothing": lambda i, x: x[i + 1 : i + 1],
    "backwards": lambda i, x: x[5 - i : 6 - i],
    "strided": lambda i, x: x[i : i + 3 : 2],
}


@pytest.mark.parametrize("name", STENCILS)
@pytest.mark.parametrize("shapes", [None, ((lm.Dim("n"),),)])
def test_windows_of_one_size(name: str, shapes: Any) -> None:
    """The bounds change and the size does not."""
    part = STENCILS[name]
    f = lm.jit(summed(part, 0, 3), shapes=shapes)
    np.testing.assert_allclose(
        np.asarray(f(X))[:3], [np.sum(part(i, X)) for i in range(3)], rtol=1e-14
    )
    g = lm.jit(lambda x: lm.fori_loop(0, 4, lambda i, c: c + x[i : i + 2], x[:2]), shapes=shapes)
    expected = X[:2] + sum(X[i : i + 2] for i in range(4))
    np.testing.assert_allclose(np.asarray(g(X)), expected, rtol=1e-14)
