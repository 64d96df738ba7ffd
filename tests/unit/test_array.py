"""`Array`: properties, protocols, conversion, operators with foreign objects, import cost."""

# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportPrivateUsage=false

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import lamina as lm
from lamina.frontend.array import Array

X = np.arange(6.0).reshape(2, 3)


def test_properties() -> None:
    x = lm.asarray(X)
    assert (x.shape, x.ndim, x.size, x.itemsize, x.nbytes) == ((2, 3), 2, 6, 8, 48)
    assert x.dtype == lm.float64
    assert x.device == "cpu"
    assert x.to_device("cpu") is x
    assert x.T.shape == (3, 2)
    assert len(x) == 2
    assert x.mT.tolist() == X.T.tolist()
    assert x.__array_namespace__() is lm


def test_the_class_is_not_called() -> None:
    with pytest.raises(lm.ArgumentError, match=r"lm\.asarray"):
        Array()


def test_layout_for_the_native_entry() -> None:
    assert Array.__slots__[0] == "_data"
    x = lm.asarray(X)
    assert type(x._data) is np.ndarray  # pyright: ignore[reportPrivateUsage]
    assert x._tape is None  # pyright: ignore[reportPrivateUsage]


def test_conversion_is_a_read_only_view() -> None:
    x = lm.asarray(X)
    view = np.asarray(x)
    assert not view.flags.writeable
    x[0, 0] = 9
    assert view[0, 0] == 9
    assert np.asarray(x, dtype=np.float32).dtype == np.float32
    mine = np.array(x)
    mine[0, 0] = 1
    assert x[0, 0].item() == 9


def test_asarray_copies_unless_told() -> None:
    source = X.copy()
    copied, shared = lm.asarray(source), lm.asarray(source, copy=False)
    source[0, 0] = 100
    assert copied[0, 0].item() == 0
    assert shared[0, 0].item() == 100
    x = lm.asarray(copied)
    assert x is copied
    assert lm.asarray(copied, copy=True) is not copied
    assert np.asarray(lm.asarray(X.T)).flags.c_contiguous
    with pytest.raises(lm.ArgumentError, match="copy=False"):
        lm.asarray(source, dtype=lm.int8, copy=False)


@pytest.mark.parametrize(
    ("values", "error"),
    [
        ("text", lm.ArgumentError),
        (["a", "b"], lm.DTypeError),
        ([object()], lm.DTypeError),
        ([[1, 2], [3]], lm.ShapeError),
        ({1, 2}, lm.ArgumentError),
        (np.asarray(["a"]), lm.DTypeError),
        (2**70, lm.DTypeError),
    ],
)
def test_asarray_refuses(values: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        lm.asarray(values)


def test_asarray_checks_ints() -> None:
    with pytest.raises(lm.DTypeError, match="from 0 to 255 for uint8, found 300"):
        lm.asarray([1, 300], dtype=lm.uint8)
    with pytest.raises(lm.DTypeError, match="from -128 to 127 for int8, found 300"):
        lm.asarray(300, dtype=lm.int8)


def test_asarray_of_sequences_of_arrays() -> None:
    x = lm.asarray([lm.asarray(1), lm.asarray(2)])
    assert x.tolist() == [1, 2]
    assert lm.asarray([]).dtype == lm.float64
    assert lm.asarray([True, False]).dtype == lm.bool


def test_scalars() -> None:
    assert int(lm.asarray(3)) == 3
    assert float(lm.asarray([2.5])) == 2.5
    assert complex(lm.asarray(1j)) == 1j
    assert bool(lm.asarray([[True]]))
    assert [10, 20][lm.asarray(1)] == 20
    assert lm.asarray(7).item() == 7
    assert f"{lm.asarray(2.5):.2f}" == "2.50"
    assert 2.0 in lm.asarray(X)
    with pytest.raises(lm.ShapeError, match=r"lm\.any or lm\.all"):
        bool(lm.asarray([1, 2]))
    with pytest.raises(lm.ArgumentError, match="0-d integer"):
        [1, 2][lm.asarray(1.0)]  # type: ignore[call-overload]
    with pytest.raises(TypeError):
        len(lm.asarray(1))
    with pytest.raises(TypeError, match="unhashable"):
        hash(lm.asarray(1))


def test_iteration() -> None:
    assert [row.tolist() for row in lm.asarray(X)] == X.tolist()
    with pytest.raises(lm.ArgumentError, match="iteration"):
        iter(lm.asarray(1.0))


def test_copies() -> None:
    x = lm.asarray(X)
    for y in (x.copy(), copy.copy(x), copy.deepcopy(x), pickle.loads(pickle.dumps(x))):
        y[0, 0] = 5
        assert x[0, 0].item() == 0
        assert y.shape == x.shape


def test_dlpack_both_ways() -> None:
    x = lm.asarray(X)
    assert np.from_dlpack(x).tolist() == X.tolist()
    assert lm.from_dlpack(X).tolist() == X.tolist()


def test_operators_leave_foreign_objects_to_themselves() -> None:
    class Money:
        def __radd__(self, other: Any) -> str:
            return "radd"

        def __rmatmul__(self, other: Any) -> str:
            return "rmatmul"

    x = lm.asarray(X)
    assert x + Money() == "radd"
    assert x @ Money() == "rmatmul"
    with pytest.raises(TypeError, match="add: expected an array or a number, found str"):
        _ = x + "text"
    with pytest.raises(TypeError, match="add: expected an array or a number, found list"):
        _ = [1, 2] + x


def test_numpy_arrays_meet_ours() -> None:
    x = lm.asarray(X)
    for found in (X + x, x + X, np.add(X, x), np.float64(1) * x, X @ x.T):
        assert isinstance(found, Array)
    out = np.zeros((2, 3))
    assert np.add(x, x, out=out) is out
    assert out.tolist() == (X + X).tolist()
    target = X.copy()
    target += x
    assert target.tolist() == (X + X).tolist()
    with pytest.raises(TypeError, match=r"np\.frexp"):
        np.frexp(x)
    with pytest.raises(TypeError, match=r"np\.interp"):
        np.interp(x[0], x[0], x[0])


@pytest.mark.parametrize(
    "call",
    [
        lambda x: np.amax(x, 0), lambda x: np.amin(x, 1), lambda x: np.max(x), lambda x: np.min(x),
        lambda x: np.argmax(x, 1), lambda x: np.argmin(x), lambda x: np.sum(x, axis=1),
        lambda x: np.prod(x, 0), lambda x: np.mean(x, 0, keepdims=True), lambda x: np.var(x, 1),
        lambda x: np.any(x > 2, axis=0), lambda x: np.all(x > 2), lambda x: np.dot(x, x.T),
        lambda x: np.concatenate((x, x), 1), lambda x: np.stack([x, x], axis=-1),
        lambda x: np.vstack([x, x[0]]), lambda x: np.hstack([x, x]), lambda x: np.ravel(x),
        lambda x: np.transpose(x), lambda x: np.moveaxis(x, 0, 1), lambda x: np.flip(x, 1),
        lambda x: np.swapaxes(x, 0, 1), lambda x: np.tile(x, 2), lambda x: np.repeat(x, 2, 1),
        lambda x: np.roll(x, 1, axis=0), lambda x: np.split(x, 3, axis=1)[1],
        lambda x: np.zeros_like(x), lambda x: np.full_like(x, 7), lambda x: np.tril(x),
        lambda x: np.einsum("ij,ij->i", x, x), lambda x: np.broadcast_to(x, (2, 2, 3)),
        lambda x: np.clip(x, a_min=1, a_max=3), lambda x: np.around(x / 3),
        lambda x: np.outer(x[0], x[1]), lambda x: np.tensordot(x, x, axes=([0, 1], [0, 1])),
        lambda x: np.shape(x), lambda x: np.ndim(x), lambda x: np.size(x),
        lambda x: np.count_nonzero(x, axis=0), lambda x: np.meshgrid(x[0], x[1])[0],
        lambda x: np.minimum.reduce(x, axis=1), lambda x: np.multiply.reduce(x),
        lambda x: np.where(x > 2, x, -x), lambda x: np.astype(x, np.int32),
    ],
)  # fmt: skip
def test_numpy_functions_are_ours(call: Any) -> None:
    found = call(lm.asarray(X))
    np.testing.assert_allclose(np.asarray(found), call(X), rtol=1e-14)
    assert isinstance(found, (Array, tuple, int))


def test_text() -> None:
    assert repr(lm.asarray([1.0, 2.0])) == "Array([1., 2.])"
    assert repr(lm.asarray([1, 2], dtype=lm.int8)) == "Array([1, 2], dtype=int8)"
    assert repr(lm.zeros((0, 2))) == "Array([], dtype=float64)"
    assert str(lm.asarray([1, 2])) == "[1 2]"


def test_results_are_row_major_and_own_their_memory() -> None:
    x = lm.asarray(X)
    y = x.T + 1
    assert np.asarray(y).flags.c_contiguous
    y[0] = 7
    assert x.tolist() == X.tolist()
    same = lm.astype(x, lm.float64)
    same[0] = 7
    assert x.tolist() == X.tolist()
    assert lm.astype(x, lm.float64, copy=False) is x


def test_boolean_and_integer_keys_work_eagerly() -> None:
    x = lm.asarray(X)
    assert x[x > 2].tolist() == [3.0, 4.0, 5.0]
    assert x[[1, 0], lm.asarray([2, 1])].tolist() == [5.0, 1.0]
    x[[0, 1], 0] = [8.0, 9.0] if False else lm.asarray([8.0, 9.0])
    assert x[:, 0].tolist() == [8.0, 9.0]
    with pytest.raises(lm.IndexRangeError):
        x[[5]]
    x[x > 7] = 0
    assert x[:, 0].tolist() == [0.0, 0.0]


@pytest.mark.slow
def test_import_loads_neither_xdsl_nor_llvmlite() -> None:
    code = (
        "import sys, lamina as lm; x = lm.asarray([1.0]); y = lm.softmax(x * 2 + x[0]);"
        "print([m for m in sys.modules if m.split('.')[0] in ('xdsl', 'llvmlite')])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"
