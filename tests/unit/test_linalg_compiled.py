"""`lm.linalg` in compiled code: solving, inverses, determinants, Cholesky, against LAPACK."""

# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import lamina as lm
from lamina.frontend.cholesky_blocks import BLOCK

RNG = np.random.default_rng(5)
REAL = RNG.standard_normal((5, 5))
COMPLEX = REAL + 1j * RNG.standard_normal((5, 5))
STACK = RNG.standard_normal((2, 3, 4, 4))
RIGHT = RNG.standard_normal((5, 3))
EXCHANGE = np.eye(4)[[2, 0, 3, 1]]
Call = Callable[[Any], Any]

FUNCTIONS: dict[str, Call] = {
    "solve": lambda x: lm.linalg.solve(x, RIGHT[: x.shape[-1]]),
    "solve a vector": lambda x: lm.linalg.solve(x, RIGHT[: x.shape[-1], 0]),
    "inv": lambda x: lm.linalg.inv(x),
    "det": lambda x: lm.linalg.det(x),
    "slogdet": lambda x: lm.linalg.slogdet(x),
    "power": lambda x: lm.linalg.matrix_power(x, 5),
    "power 0": lambda x: lm.linalg.matrix_power(x, 0),
    "power -3": lambda x: lm.linalg.matrix_power(x, -3),
}
MATRICES: dict[str, Any] = {
    "float64": REAL,
    "complex128": COMPLEX,
    "stack": STACK,
    "float32": REAL.astype("f4") + 3 * np.eye(5, dtype="f4"),
    "exchange": EXCHANGE,
    "one": REAL[:1, :1],
    "none": REAL[:0, :0],
    "float16": (REAL / 4 + np.eye(5)).astype("f2"),
}
FEW = ("float64", "stack", "complex128")
PAIRS = [(f, m) for f in FUNCTIONS for m in MATRICES if m in FEW or f in ("det", "inv")]


def positive(size: int, dtype: str = "d") -> Any:
    """A positive definite matrix."""
    a = RNG.standard_normal((size, size)) + (1j * RNG.standard_normal((size, size)))
    a = a if np.dtype(dtype).kind == "c" else a.real
    return (a @ a.conj().T + size * np.eye(size)).astype(dtype)


def parts(value: Any) -> list[Any]:
    return [*value] if isinstance(value, tuple) else [value]


@pytest.mark.parametrize(("function", "matrix"), PAIRS)
def test_as_lapack(function: str, matrix: str) -> None:
    call, x = FUNCTIONS[function], MATRICES[matrix]
    tolerance = {"float32": 1e-4, "float16": 0.05}.get(matrix, 1e-9)
    expected = parts(call(lm.asarray(x)))  # eager: LAPACK
    for found, other in zip(parts(lm.jit(call)(x)), expected, strict=True):
        assert (found.dtype, found.shape) == (other.dtype, other.shape)
        np.testing.assert_allclose(np.asarray(found), np.asarray(other), tolerance, tolerance)


def test_stacks_broadcast() -> None:
    b = RNG.standard_normal((3, 4, 2))
    found = lm.jit(lambda a, b: lm.linalg.solve(a, b))(STACK, b)
    np.testing.assert_allclose(np.asarray(found), np.linalg.solve(STACK, b), rtol=1e-9)


def test_a_larger_system_is_solved_as_well_as_by_lapack() -> None:
    a, x = RNG.standard_normal((120, 120)), RNG.standard_normal((120, 2))
    found = np.asarray(lm.jit(lambda a, b: lm.linalg.solve(a, b))(a, a @ x))
    error, theirs = abs(found - x).max(), abs(np.linalg.solve(a, a @ x) - x).max()
    assert error < 20 * theirs


@pytest.mark.parametrize("upper", [False, True])
@pytest.mark.parametrize(
    ("size", "dtype"), [(0, "d"), (1, "d"), (5, "d"), (5, "D"), (5, "f"), (BLOCK, "d")]
)
def test_cholesky(size: int, dtype: str, upper: bool) -> None:
    x = positive(size, dtype)
    half = np.triu(x) if upper else np.tril(x)  # the other triangle is not read
    found = lm.jit(lambda x: lm.linalg.cholesky(x, upper=upper))(half)
    expected = np.linalg.cholesky(x, upper=upper)
    assert found.dtype == expected.dtype
    tolerance = 1e-4 if dtype == "f" else 1e-10
    np.testing.assert_allclose(np.asarray(found), expected, tolerance, tolerance)


def test_cholesky_in_two_loops_and_of_stacks() -> None:
    for x in (positive(2 * BLOCK - 5), np.stack([positive(6), positive(6)])):
        found = lm.jit(lambda x: lm.linalg.cholesky(x))(x)
        np.testing.assert_allclose(np.asarray(found), np.linalg.cholesky(x), 1e-10, 1e-10)


SINGULAR = "expected matrices with an inverse, found other ones: Singular matrix"
INDEFINITE = "expected positive definite matrices, found other ones"
ERRORS: list[tuple[str, Call, Any, str]] = [
    ("inv", lambda x: lm.linalg.inv(x), np.ones((3, 3)), SINGULAR),
    ("solve", lambda x: lm.linalg.solve(x, np.ones(3)), np.ones((3, 3)), SINGULAR),
    ("power", lambda x: lm.linalg.matrix_power(x, -1), np.zeros((2, 2)), SINGULAR),
    ("stack", lambda x: lm.linalg.inv(x), np.stack([np.eye(2), np.ones((2, 2))]), SINGULAR),
    ("complex", lambda x: lm.linalg.inv(x), np.ones((2, 2), "D"), SINGULAR),
    ("cholesky", lambda x: lm.linalg.cholesky(x), -np.eye(3), INDEFINITE),
    ("cholesky 2", lambda x: lm.linalg.cholesky(x), np.diag([1.0, 2, -1]), INDEFINITE),
    ("blocks", lambda x: lm.linalg.cholesky(x), np.diag(69.0 - np.arange(70)), INDEFINITE),
]  # fmt: skip


@pytest.mark.parametrize(("name", "call", "x", "text"), ERRORS)
def test_no_result(name: str, call: Call, x: Any, text: str) -> None:
    for run in (lambda: call(lm.asarray(x)), lambda: lm.jit(call)(x)):
        with pytest.raises(lm.DomainError, match=text) as found:
            run()
        assert f"{__file__}:" in str(found.value)


def test_singular_matrices_have_a_determinant() -> None:
    x = np.asarray([[1.0, 2, 3], [2, 4, 6], [1, 0, 1]])
    assert float(lm.jit(lambda x: lm.linalg.det(x))(x)) == 0
    sign, size = lm.jit(lambda x: lm.linalg.slogdet(x))(x)
    assert (float(sign), float(size)) == (0, -np.inf)


@pytest.mark.parametrize("name", ["det", "inv", "solve", "cholesky"])
def test_gradients(name: str) -> None:
    functions: dict[str, Call] = {
        "det": lambda a: lm.linalg.det(a),
        "inv": lambda a: lm.sum(lm.linalg.inv(a) ** 2),
        "solve": lambda a: lm.sum(lm.linalg.solve(a, a[0]) ** 2),
        "cholesky": lambda a: lm.sum(lm.linalg.cholesky((a + a.T) / 2)),
    }
    f, x, h = functions[name], positive(3), 1e-6
    found = np.asarray(lm.jit(lm.grad(f))(x))
    for place in np.ndindex(3, 3):
        step = np.zeros((3, 3))
        step[place] = h
        difference = float(f(lm.asarray(x + step)) - f(lm.asarray(x - step))) / (2 * h)
        assert found[place] == pytest.approx(difference, rel=1e-5, abs=1e-6)
