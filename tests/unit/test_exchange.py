"""Arrays go to other libraries and come back: DLPack, `__array__`, Python numbers; and what is
refused, with one located error, eager and traced alike where both can be."""

# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import lamina as lm
from lamina.frontend.trace import trace

X = np.arange(6.0).reshape(2, 3)
READ_ONLY = lm.broadcast_to(lm.asarray(X[0]), (4, 3))


def address(x: Any) -> int:
    return np.asarray(x).__array_interface__["data"][0]


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint64", "float16", "float32", "complex64"])
def test_dlpack_both_ways_shares_memory(dtype: str) -> None:
    x = lm.asarray(X, dtype=dtype)
    there = np.from_dlpack(x)
    assert there.dtype == x.dtype and address(there) == address(x)
    back = lm.from_dlpack(there)
    assert address(back) == address(x)
    back[0, 0] = 1
    assert x[0, 0] == 1


def test_dlpack_copies_on_demand() -> None:
    x = lm.asarray(X)
    assert address(np.from_dlpack(x, copy=True)) != address(x)
    assert address(lm.from_dlpack(X, copy=True)) != address(X)
    assert address(lm.from_dlpack(X, copy=False, device="cpu")) == address(X)
    assert lm.from_dlpack(x) is x
    capsule = x.__dlpack__(max_version=(1, 0), dl_device=(1, 0), copy=True)
    assert "dltensor_versioned" in repr(capsule)
    assert "versioned" not in repr(x.__dlpack__())
    assert x.__dlpack_device__() == (1, 0)


def test_a_read_only_view_stays_read_only() -> None:
    there = np.from_dlpack(READ_ONLY)
    assert not there.flags.writeable
    with pytest.raises(lm.MutationError):
        lm.from_dlpack(there)[0, 0] = 1


REFUSED: dict[str, tuple[Callable[[Any], Any], type[Exception], str]] = {
    "stream": (lambda x: x.__dlpack__(stream=1), lm.ExchangeError, "__dlpack__: "),
    "device": (lambda x: x.__dlpack__(dl_device=(2, 0)), lm.ExchangeError, "unsupported device"),
    "version": (lambda x: x.__dlpack__(max_version=3), lm.ExchangeError, "max_version"),
    "read-only": (lambda x: READ_ONLY.__dlpack__(), lm.ExchangeError, "readonly"),
    "bfloat16": (lambda x: x.astype(lm.bfloat16).__dlpack__(), lm.ExchangeError, "dtypes"),
    "strings": (lambda x: lm.from_dlpack(np.asarray("a")), lm.ExchangeError, "from_dlpack: "),
    "no array": (lambda x: lm.from_dlpack("a"), lm.ArgumentError, "object with __dlpack__"),
    "gpu": (lambda x: lm.from_dlpack(X, device="gpu"), lm.ArgumentError, 'device "cpu", found'),
    "array copy": (lambda x: x.__array__(np.int8, copy=False), lm.DTypeError, "copy=False"),
    "to_device": (lambda x: x.to_device("gpu"), lm.ArgumentError, 'device "cpu", found'),
    "to_device stream": (lambda x: x.to_device("cpu", stream=1), lm.ArgumentError, "no stream"),
    "namespace": (lambda x: x.__array_namespace__(api_version="1"), lm.ArgumentError, "2024.12"),
    "index float": (lambda x: operator.index(x[0, 0]), lm.ArgumentError, "0-d integer array"),
    "int NaN": (lambda x: int(x[0, 0] * np.nan), lm.DomainError, "finite number, found nan"),
    "int inf": (lambda x: int(x[0, 1] * np.inf), lm.DomainError, "finite number, found inf"),
    "float complex": (lambda x: float(x[0, 0].astype("complex64")), lm.DTypeError, "real dtype"),
    "int many": (lambda x: int(x), lm.ShapeError, "one element, found shape (2, 3)"),
    "bool none": (lambda x: bool(x[:0]), lm.ShapeError, "one element, found shape (0, 3)"),
    "plus string": (lambda x: x + "a", lm.ArgumentError, "add: expected an array or a number"),
    "string plus": (lambda x: "a" + x, lm.ArgumentError, "add: expected an array or a number"),
    "plus list": (lambda x: x + [1], lm.ArgumentError, "add: expected an array or a number"),
    "none minus": (lambda x: None - x, lm.ArgumentError, "subtract: expected an array or"),
    "in place": (lambda x: operator.imul(x, "a"), lm.ArgumentError, "multiply: expected an array"),
    "less": (lambda x: x < "a", lm.ArgumentError, "less: expected an array or a number"),
    "contains": (lambda x: "a" in x, lm.ArgumentError, "equal: expected an array or a number"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str) -> None:
    function, kind, text = REFUSED[name]
    with pytest.raises(kind) as found:
        function(lm.asarray(X))
    assert text in str(found.value)
    assert str(found.value).endswith(f"({__file__}:{function.__code__.co_firstlineno})")
    with pytest.raises(lm.LaminaError) as traced:
        trace(function, (X,))
    if not isinstance(traced.value, lm.TraceError):  # values are there in a run only
        assert type(traced.value) is kind
        assert str(traced.value) == str(found.value)


def test_equal_to_anything() -> None:
    x = lm.asarray(X)
    assert (x == "a") is False
    assert (x != None) is True  # noqa: E711


def test_python_numbers() -> None:
    assert [10, 20, 30][lm.asarray(2)] == 20 + 10
    assert int(lm.asarray([2.7])) == 2
    assert float(lm.asarray(1, dtype=lm.int8)) == 1.0
    assert complex(lm.asarray(2)) == 2 + 0j
    assert bool(lm.asarray([0.0])) is False


def test_the_namespace_says_what_it_has() -> None:
    info = lm.asarray(X).__array_namespace__(api_version="2024.12").__array_namespace_info__()
    assert info.capabilities()["data-dependent shapes"] is True
    assert info.devices() == ["cpu"]
    assert set(info.dtypes(kind="complex floating")) == {"complex64", "complex128"}
    for method in (info.dtypes, info.default_dtypes):
        with pytest.raises(lm.ArgumentError, match="expected device"):
            method(device="gpu")
