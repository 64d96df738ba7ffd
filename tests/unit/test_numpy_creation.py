"""`numpy_creation`: calls of NumPy without array arguments, as script mode makes them."""

# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false

# ruff: noqa: E501

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import lamina as lm
from lamina.frontend.numpy_creation import REPLACEMENTS, replacement


class Ours:
    """NumPy as script mode sees it."""

    def __getattr__(self, name: str) -> Any:
        return replacement(getattr(np, name))


OURS: Any = Ours()
V = np.asarray([1.5, 2.5])
Call = Callable[[Any], Any]
CALLS: dict[str, Call] = {
    "zeros": lambda n: n.zeros(3), "zeros dtype": lambda n: n.zeros((2, 1), np.int32),
    "ones": lambda n: n.ones([2, 0], dtype="uint8"), "full": lambda n: n.full((2,), 7),
    "full broadcast": lambda n: n.full((2, 2), [1, 2], dtype=np.float32),
    "eye": lambda n: n.eye(2, 3, 1), "eye dtype": lambda n: n.eye(2, dtype=np.int8),
    "identity": lambda n: n.identity(3, np.float32), "tri": lambda n: n.tri(2, 3, -1, dtype=int),
    "arange": lambda n: n.arange(4), "arange step": lambda n: n.arange(5, 0, -2, np.int16),
    "arange float": lambda n: n.arange(0.0, 1.0, step=0.25),
    "linspace": lambda n: n.linspace(-1, 1, 5), "linspace open": lambda n: n.linspace(0, 1, 4, False),
    "linspace step": lambda n: n.linspace(0, 1, 3, retstep=True)[0],
    "linspace num": lambda n: n.linspace(2, 3), "array": lambda n: n.array([[1, 2], [3, 4]]),
    "array dtype": lambda n: n.array([1, 2], np.float32), "array ndmin": lambda n: n.array(2.0, ndmin=2),
    "array copy": lambda n: n.array(V), "asarray": lambda n: n.asarray(V, np.float32),
    "ascontiguousarray": lambda n: n.ascontiguousarray(V), "asanyarray": lambda n: n.asanyarray([1, 2]),
    "mgrid": lambda n: n.mgrid[0:2, 1:4], "mgrid one": lambda n: n.mgrid[1:7:2],
    "mgrid mixed": lambda n: n.mgrid[0:2, 0.0:1.0:0.5], "mgrid count": lambda n: n.mgrid[0:1:3j],
    "ogrid": lambda n: n.ogrid[0:2, 0:3][1], "ogrid one": lambda n: n.ogrid[0:3],
    "indices": lambda n: n.indices((2, 3)), "indices sparse": lambda n: n.indices((2, 3), sparse=True)[0],
    "zeros_like": lambda n: n.zeros_like(V), "full_like": lambda n: n.full_like(V, 3, dtype=np.int64),
    "ones_like": lambda n: n.ones_like(V, np.float32), "empty_like": lambda n: n.empty_like(V) * 0,
    "empty": lambda n: n.empty((2, 2)) * 0, "ndarray": lambda n: n.ndarray((2, 2), dtype=np.float32) * 0,
    "ndarray int": lambda n: n.ndarray(3) * 0,
}  # fmt: skip


@pytest.mark.parametrize("name", CALLS)
def test_as_numpy(name: str) -> None:
    call = CALLS[name]
    expected: Any = call(np)
    for found in (call(OURS), lm.jit(lambda: call(OURS))()):
        assert isinstance(found, lm.Array)
        assert (found.shape, found.dtype) == (expected.shape, expected.dtype)
        np.testing.assert_array_equal(np.asarray(found), expected)


@pytest.mark.parametrize("kind", ["bool_", "int8", "uint16", "int32", "float32", "complex128"])
def test_scalar_types_cast_arrays(kind: str) -> None:
    x = np.asarray([0.0, 1.75, -2.0])
    found = lm.jit(lambda x: getattr(OURS, kind)(x))(x if "u" not in kind else abs(x))
    np.testing.assert_array_equal(
        np.asarray(found), getattr(np, kind)(abs(x) if "u" in kind else x)
    )
    assert found.dtype == np.dtype(kind)
    scalar = getattr(OURS, kind)(1)
    assert type(scalar) is getattr(np, kind)


def test_new_arrays_are_writable_and_nothing_is_baked_in() -> None:
    @lm.jit
    def f(x: Any, n: int) -> Any:
        rows = OURS.zeros((n, 2))
        rows[0] = x
        copied = OURS.array(x)
        copied[0] = 9
        return rows, copied, OURS.array([x[0], x[1] * 2])

    for x in (V, V + 1):
        rows, copied, listed = f(x, 2)
        np.testing.assert_array_equal(np.asarray(rows), [x, [0, 0]])
        np.testing.assert_array_equal(np.asarray(copied), [9, x[1]])
        np.testing.assert_array_equal(np.asarray(listed), [x[0], 2 * x[1]])


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda n: n.mgrid[0:], lm.ArgumentError, "np.mgrid: expected slices with a stop"),
        (lambda n: n.mgrid[3], lm.ArgumentError, "np.mgrid: expected slices with a stop"),
        (lambda n: n.ndarray((2,), buffer=b"12"), lm.ArgumentError, "np.ndarray: expected no buffer"),
        (lambda n: n.zeros(-1), lm.ShapeError, "expected sizes of 0 or more"),
        (lambda n: n.indices(()), lm.ShapeError, "np.indices: expected one axis or more"),
        (lambda n: n.full((2,), [1, 2, 3]), lm.ShapeError, "expected a shape that broadcasts"),
        (lambda n: n.zeros(2, "no"), lm.DTypeError, "expected the name of a dtype"),
    ],
)  # fmt: skip
def test_refused(call: Call, error: type[lm.LaminaError], text: str) -> None:
    for run in (lambda: call(OURS), lambda: lm.jit(lambda: call(OURS))()):
        with pytest.raises(error, match=text):
            run()


def test_others_are_themselves() -> None:
    assert replacement(np.sin) is np.sin
    assert replacement(3) == 3
    assert len(REPLACEMENTS) > 30
