"""`x[mask]` in traced code: elementwise, reduced, and written back, as NumPy."""

# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownParameterType=false, reportMissingParameterType=false
# pyright: reportUnusedExpression=false

# ruff: noqa: E501

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import lamina as lm

X = np.linspace(-2, 3, 12).reshape(3, 4)
I = (np.arange(12).reshape(3, 4) * 7) % 5 + 1
Z = X + 1j * X.T.reshape(3, 4)
Call = Callable[[Any, Any, Any], Any]


def writes(body: Call) -> Call:
    """The first argument after `body` wrote it."""

    def call(x: Any, i: Any, z: Any) -> Any:
        y = x.copy()
        body(y, i, z)
        return y

    return call


def power(y: Any, i: Any, z: Any) -> None:
    y[y > 0] = y[y > 0] ** -1.5


def two_selections(y: Any, i: Any, z: Any) -> None:
    m = y > 0
    y[m] = 1 / y[m] + z[m].real


def in_place(y: Any, i: Any, z: Any) -> None:
    y[y < 0] += 2


def rows(y: Any, i: Any, z: Any) -> None:
    y[i[:, 0] > 2] *= np.arange(4.0)


def part_of_a_row(y: Any, i: Any, z: Any) -> None:
    y[1, i[1] > 2] = -y[1, i[1] > 2]


def columns(y: Any, i: Any, z: Any) -> None:
    y[:, i[1] > 2] -= 1


def mask_changed(y: Any, i: Any, z: Any) -> None:
    m = i > 2
    values = y[m]
    m[0] = False
    y[i > 2] = np.sqrt(np.abs(values))


def other_dtype(y: Any, i: Any, z: Any) -> None:
    y[i > 2] = i[i > 2] * 2


CALLS: dict[str, Call] = {
    "sum": lambda x, i, z: x[x > 0].sum(), "mean": lambda x, i, z: np.mean(x[i > 2]), "std": lambda x, i, z: x[i > 2].std(),
    "var ddof": lambda x, i, z: np.var(x[i > 2], ddof=1), "max": lambda x, i, z: x[i > 2].max(), "min": lambda x, i, z: np.amin(i[x > 0]),
    "any": lambda x, i, z: (x[i > 2] > 2).any(), "all": lambda x, i, z: np.all(x[i > 2] < 9), "rows sum": lambda x, i, z: x[i[:, 0] > 2].sum(axis=0),
    "rows within": lambda x, i, z: x[i[:, 0] > 2].sum(axis=1).max(), "keepdims": lambda x, i, z: x[i[:, 0] > 2].mean(axis=0, keepdims=True),
    "columns sum": lambda x, i, z: x[:, i[1] > 2].sum(axis=1), "size": lambda x, i, z: x[x > 0].size * 1, "complex abs": lambda x, i, z: abs(z[x > 0]).sum(),
    "complex mean": lambda x, i, z: z[x > 0].mean(), "real parts": lambda x, i, z: z[x > 0].real.var(), "prod": lambda x, i, z: i[x > 0].prod(),
    "integer sum": lambda x, i, z: i[x > 0].sum(), "add.reduce": lambda x, i, z: np.add.reduce(i[x > 0]), "count": lambda x, i, z: np.count_nonzero(i[x > 0] > 2),
    "empty mean": lambda x, i, z: x[x > 99].mean(), "empty sum": lambda x, i, z: x[x > 99].sum(), "sum keepdims": lambda x, i, z: x[x > 0].sum(keepdims=True),
    "where": lambda x, i, z: np.where(x[x > 0] > 1, x[x > 0], 0).sum(), "astype": lambda x, i, z: x[x > 0].astype("float32").sum(),
    "integer mean": lambda x, i, z: i[x > 0].mean(), "integer power": lambda x, i, z: (i[x > 0] ** i[x > 0]).sum(),
    "times a row": lambda x, i, z: (x[i[:, 0] > 2] * np.arange(4.0)).sum(), "array on the left": lambda x, i, z: (x[0] * x[i[:, 0] > 2]).sum(),
    "ufunc with an array": lambda x, i, z: np.add(x[0], x[i[:, 0] > 2]).sum(), "no check elsewhere": lambda x, i, z: (i[x > 0] ** (2 - i[x > 99])).sum() if False else (2 ** i[x > 0]).sum(),
    **{body.__name__: writes(body) for body in (power, two_selections, in_place, rows, part_of_a_row, columns, mask_changed, other_dtype)},
}  # fmt: skip


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_as_numpy(name: str) -> None:
    call = CALLS[name]
    expected = np.asarray(call(X.copy(), I.copy(), Z.copy()))
    for found in (
        call(lm.asarray(X), lm.asarray(I), lm.asarray(Z)),
        lm.jit(call)(X.copy(), I.copy(), Z.copy()),
    ):
        data = np.asarray(found)
        assert (data.dtype, data.shape) == (expected.dtype, expected.shape)
        np.testing.assert_allclose(data, expected, rtol=1e-12)


def test_elements_outside_raise_nothing_and_leak_nothing() -> None:
    def negative_power(i: Any, e: Any) -> Any:
        return (i[e >= 0] ** e[e >= 0]).sum()

    e = np.asarray([2, -1, 3])
    assert int(lm.jit(negative_power)(np.asarray([2, 3, 4]), e)) == 4 + 64

    def f(x: Any) -> Any:
        y = x * 1
        y[y > 0] = np.sqrt(y[y > 0])
        return y.sum()

    grad = lm.jit(lm.grad(f))(np.asarray([4.0, 0.0, -1.0]))
    np.testing.assert_allclose(np.asarray(grad), [0.25, 1, 1])


def _other_mask(x: Any, i: Any, z: Any) -> None:
    x[i > 2] = x[i > 1]


def _changed_between(x: Any, i: Any, z: Any) -> None:
    values = x[x > 0]
    x[0] = 5
    x[x > 0] = values


def _all_of_it(x: Any, i: Any, z: Any) -> None:
    x[:] = x[x > 0]


REFUSED: dict[str, tuple[Call, type[lm.LaminaError], str]] = {
    "returned": (lambda x, i, z: x[x > 0], lm.TraceError, "return: expected an array whose shape"),
    "shape": (lambda x, i, z: x[x > 0].shape, lm.TraceError, "shape: expected an array whose shape does not depend on values"),
    "len": (lambda x, i, z: len(x[x > 0]), lm.TraceError, "len: expected"), "bool": (lambda x, i, z: bool(x[x > 0]), lm.TraceError, "bool: expected"),
    "iteration": (lambda x, i, z: [*x[x > 0]], lm.TraceError, "iteration: expected"), "index": (lambda x, i, z: x[x > 0][0], lm.TraceError, "index: expected"),
    "asarray": (lambda x, i, z: np.asarray(x[x > 0]), lm.TraceError, "np.asarray: expected"), "method": (lambda x, i, z: x[x > 0].sort(), lm.TraceError, "sort: expected"),
    "ufunc method": (lambda x, i, z: np.add.outer(x[x > 0], 1), lm.TraceError, "np.add.outer: expected"), "function": (lambda x, i, z: np.sort(x[x > 0]), lm.TraceError, "np.sort: expected"),
    "out": (lambda x, i, z: np.add(x[x > 0], 1, out=x), lm.TraceError, "np.add: expected"), "two masks": (lambda x, i, z: x[x > 0] + x[x > 1], lm.TraceError, "the elements of one mask"),
    "other mask": (_other_mask, lm.TraceError, "the elements of one mask"), "changed": (_changed_between, lm.TraceError, "the elements of one mask"),
    "all of it": (_all_of_it, lm.TraceError, "set_item: expected"), "vector": (lambda x, i, z: x[x > 0] + x[0], lm.ShapeError, "expected a number beside x\\[mask\\]"),
    "argument": (lambda x, i, z: x[x > 0].sum(where=x), lm.ArgumentError, "sum: expected no where"), "max of none": (lambda x, i, z: x[x > 99].max(), lm.ShapeError, "max: expected 1 element or more"),
    "our function": (lambda x, i, z: lm.exp(x[x > 0]), lm.TraceError, "exp: expected an array whose shape"),
    "mask and array": (lambda x, i, z: x[i[:, 0] > 2, i[0, :1]], lm.TraceError, "found bool arrays and others"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str) -> None:
    call, error, text = REFUSED[name]
    with pytest.raises(error, match=text) as found:
        lm.jit(call)(X.copy(), I.copy(), Z.copy())
    assert f"{__file__}:" in str(found.value)


def test_a_mask_known_while_tracing_is_an_index() -> None:
    mask = np.asarray([True, False, True])
    f = lm.jit(lambda x: x[lm.constant(mask)].shape[0] + x[lm.constant(mask)])
    np.testing.assert_array_equal(np.asarray(f(X[:, 0])), 2 + X[mask, 0])
