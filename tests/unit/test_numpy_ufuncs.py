"""Every method of NumPy's ufuncs on our arrays, with out=, where=, dtype= and initial=."""

# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false

# ruff: noqa: E501

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import lamina as lm
from lamina.frontend.numpy_names import UFUNCS

X = np.arange(12.0).reshape(3, 4) - 5
I = (np.arange(12).reshape(3, 4) * 7) % 5 + 1
B = X > 0
Call = Callable[[Any, Any, Any], Any]


def at(name: str, *indices: Any, value: Any = None) -> Call:
    """ufunc.at on a copy of the first argument."""

    def call(x: Any, i: Any, b: Any) -> Any:
        key: Any = indices if len(indices) > 1 else [*indices][0]
        y, others = x.copy(), () if value is None else (value,)
        assert getattr(np, name).at(y, key, *others) is None
        return y

    return call


CALLS: dict[str, Call] = {
    "outer": lambda x, i, b: np.add.outer(x[0], x), "outer scalar": lambda x, i, b: np.subtract.outer(2, x),
    "outer compare": lambda x, i, b: np.less.outer(x[0], i[1]), "outer out": lambda x, i, b: np.add.outer(x[0], x[1], out=np.multiply.outer(x[0], x[0])),
    "outer scalar right": lambda x, i, b: np.subtract.outer(x, 2), "outer dtype": lambda x, i, b: np.multiply.outer(i[0], i[1], dtype=np.float32),
    "reduce axes": lambda x, i, b: np.maximum.reduce(x, axis=(0, 1)), "reduce xor": lambda x, i, b: np.bitwise_xor.reduce(i, axis=1),
    "reduce xor all": lambda x, i, b: np.bitwise_xor.reduce(i, axis=None, keepdims=True),
    "reduce and": lambda x, i, b: np.bitwise_and.reduce(i, axis=0), "reduce parity": lambda x, i, b: np.logical_xor.reduce(b, axis=1),
    "reduce subtract": lambda x, i, b: np.subtract.reduce(x, axis=1), "reduce divide": lambda x, i, b: np.divide.reduce(x + 9.5, axis=0),
    "reduce initial": lambda x, i, b: np.add.reduce(x, initial=5.0), "reduce where": lambda x, i, b: np.add.reduce(x, axis=1, where=b),
    "reduce where initial": lambda x, i, b: np.maximum.reduce(x, axis=1, where=b, initial=-1),
    "reduce nothing": lambda x, i, b: np.bitwise_or.reduce(i[:0]), "reduce nothing initial": lambda x, i, b: np.minimum.reduce(x[:0], initial=3.0),
    "reduce dtype": lambda x, i, b: np.add.reduce(i, dtype=np.float32), "reduce hypot": lambda x, i, b: np.hypot.reduce(x),
    "reduce logical": lambda x, i, b: np.logical_or.reduce(i), "reduce out": lambda x, i, b: np.add.reduce(x, out=x[0]),
    "accumulate max": lambda x, i, b: np.maximum.accumulate(x, axis=1), "accumulate min": lambda x, i, b: np.minimum.accumulate(i),
    "accumulate add": lambda x, i, b: np.add.accumulate(i.astype("int8")), "accumulate power": lambda x, i, b: np.power.accumulate(i, axis=0),
    "accumulate nothing": lambda x, i, b: np.maximum.accumulate(x[:0]), "accumulate or": lambda x, i, b: np.logical_or.accumulate(b, axis=1),
    "dtype": lambda x, i, b: np.add(i, i, dtype=np.float32), "out third": lambda x, i, b: np.multiply(x, x, x),
    "out wider": lambda x, i, b: np.add(x[0], i[0], out=x), "out where": lambda x, i, b: np.add(x, 1, out=x, where=b),
    "out cast": lambda x, i, b: np.add(i[0], 1, out=x[1]), "where row": lambda x, i, b: np.negative(x, out=x, where=b[1]),
    "at": at("add", [0, 2, 0], value=1.5), "at rows": at("subtract", np.array([1, 1]), value=np.arange(4.0)),
    "at multiply": at("multiply", [0, 0], value=3.0), "at unary": at("negative", [1, 1, 2]),
    "at pairs": at("add", [0, 0, 1], [1, 1, -1], value=np.array([1.0, 2, 3])), "at maximum": at("maximum", [0, 0], value=2.0),
    "at one": at("add", 1, value=2.0), "at minimum": at("minimum", [[0], [-1]], [1, 3], value=-7.0),
}  # fmt: skip


@pytest.mark.parametrize("name", CALLS)
def test_as_numpy(name: str) -> None:
    call = CALLS[name]
    theirs = X.copy()
    expected: Any = call(theirs, I.copy(), B.copy())
    ours, given = lm.asarray(X), X.copy()
    runs: list[Any] = [(call(ours, lm.asarray(I), lm.asarray(B)), ours)]
    runs.append((lm.jit(call)(given, I.copy(), B.copy()), given))
    for found, argument in runs:
        assert found.dtype == expected.dtype
        np.testing.assert_allclose(np.asarray(found), expected, rtol=1e-12)
        np.testing.assert_allclose(np.asarray(argument), theirs, rtol=1e-12)


@pytest.mark.parametrize("name", [n for n in UFUNCS if getattr(getattr(np, n), "nin", 0) == 2])
def test_outer_of_all(name: str) -> None:
    ufunc = getattr(np, name)
    if ufunc.signature is not None:
        return
    x = I if "shift" in name or "bitwise" in name else X[1:] + 2.5
    with np.errstate(all="ignore"):
        expected = ufunc.outer(x[0], x)
    found = ufunc.outer(lm.asarray(x)[0], lm.asarray(x))
    np.testing.assert_allclose(np.asarray(found), expected, rtol=1e-12)


ANY: Any = np  # for calls that NumPy's stubs refuse
REFUSED: dict[str, tuple[Call, type[lm.LaminaError], str]] = {
    "reduceat": (lambda x, i, b: ANY.add.reduceat(x, [0, 1]), lm.ArgumentError, "np.add.reduceat: expected a function"),
    "reduce compare": (lambda x, i, b: ANY.less.reduce(x), lm.DTypeError, "expected a result of the operands' dtype float64, found bool"),
    "reduce two axes": (lambda x, i, b: ANY.subtract.reduce(x, axis=(0, 1)), lm.ArgumentError, "expected one axis, found 2"),
    "reduce nothing": (lambda x, i, b: ANY.subtract.reduce(x[:0]), lm.ShapeError, "expected 1 row or more"),
    "reduce where": (lambda x, i, b: ANY.maximum.reduce(x, where=b), lm.ArgumentError, "expected initial with where"),
    "where not bool": (lambda x, i, b: ANY.add(x, 1, out=x, where=i), lm.DTypeError, "expected where to be of bool"),
    "out smaller": (lambda x, i, b: ANY.add(x, 1, out=x[0]), lm.ShapeError, r"expected a shape that broadcasts to \(4,\)"),
    "out of ints": (lambda x, i, b: ANY.add(x, 1, out=i), lm.DTypeError, "np.add: expected an out for float64, found int64"),
    "out of a list": (lambda x, i, b: ANY.sum(x, out=[1]), lm.ArgumentError, "np.sum: expected an array as out"),
    "dtype of comparison": (lambda x, i, b: ANY.less(x, 1, dtype=np.float32), lm.ArgumentError, "np.less: expected no dtype"),
    "casting": (lambda x, i, b: ANY.add(x, 1, casting="unsafe"), lm.ArgumentError, "np.add: expected no casting, found 'unsafe'"),
    "at a mask": (lambda x, i, b: ANY.add.at(x, b, 1), lm.ArgumentError, "np.add.at: expected integers as indices"),
    "at a slice": (lambda x, i, b: ANY.add.at(x, slice(2), 1), lm.ArgumentError, "np.add.at: expected integers as indices"),
    "at floats": (lambda x, i, b: ANY.add.at(x, [0.5], 1), lm.DTypeError, "expected indices of an integer dtype"),
    "at too many": (lambda x, i, b: ANY.add.at(x, (0, 0, 0), 1), lm.ShapeError, "expected at most 2 indices, found 3"),
    "at outside": (lambda x, i, b: ANY.add.at(x, [3], 1), lm.IndexRangeError, "expected an index from -3 to 2"),
    "at other kind": (lambda x, i, b: ANY.add.at(i, [0], 1.5), lm.DTypeError, "expected a result for int64, found float64"),
    "at shape": (lambda x, i, b: ANY.add.at(x, [0], np.ones(3)), lm.ShapeError, "expected a shape that broadcasts"),
    "accumulate axis": (lambda x, i, b: ANY.add.accumulate(x, axis=2), lm.AxisError, "expected an axis"),
    "accumulate no axis": (lambda x, i, b: ANY.maximum.accumulate(x, axis=None), lm.ArgumentError, "expected an axis, found None"),
    "accumulate a number": (lambda x, i, b: ANY.add.accumulate(x[0, 0]), lm.ShapeError, "expected a rank of 1 or more"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str) -> None:
    call, error, text = REFUSED[name]
    arrays = [lm.asarray(x) for x in (X, I, B)]
    for run in (lambda: call(*arrays), lambda: lm.jit(call)(X.copy(), I.copy(), B.copy())):
        with pytest.raises(error, match=text) as found:
            run()
        assert f"{__file__}:" in str(found.value)
