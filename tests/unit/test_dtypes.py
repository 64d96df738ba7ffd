"""Promotion: the Array API's table, NumPy 2 for mixed kinds, weak Python scalars."""

# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportPrivateUsage=false

from __future__ import annotations

from itertools import product
from typing import Any

import array_api_strict as strict
import numpy as np
import pytest

import lamina as lm
from lamina.frontend import dtypes

NUMPY = [d for d in dtypes.KIND_OF if d != dtypes.bfloat16]


@pytest.mark.parametrize(("a", "b"), list(product(NUMPY, NUMPY)))
def test_promotion_is_numpys(a: Any, b: Any) -> None:
    assert dtypes.promote(a, b) == np.promote_types(a, b)


def test_promotion_is_the_standards_where_it_says() -> None:
    names = [
        "int8",
        "int16",
        "int32",
        "int64",
        "uint8",
        "uint16",
        "uint32",
        "uint64",
        "float32",
        "float64",
        "complex64",
    ]
    checked = 0
    for a, b in product(names, names):
        try:
            expected = strict.result_type(getattr(strict, a), getattr(strict, b))
        except TypeError:
            continue
        assert str(expected).endswith(str(dtypes.promote(np.dtype(a), np.dtype(b))))
        checked += 1
    assert checked > 50


@pytest.mark.parametrize("dtype", NUMPY)
@pytest.mark.parametrize("scalar", [True, 3, 2.5, 1j])
def test_python_scalars_are_numpys(dtype: Any, scalar: Any) -> None:
    assert dtypes.promote_weak(dtype, type(scalar)) == np.result_type(dtype, scalar)


def test_bfloat16() -> None:
    bf16 = dtypes.bfloat16
    assert dtypes.promote(bf16, np.dtype("float16")) == "float32"
    assert dtypes.promote(bf16, np.dtype("float32")) == "float32"
    assert dtypes.promote(np.dtype("uint8"), bf16) == bf16
    assert dtypes.promote(np.dtype("int16"), bf16) == "float32"
    assert dtypes.promote(np.dtype("int32"), bf16) == "float64"
    assert dtypes.promote(np.dtype("bool"), bf16) == bf16
    assert dtypes.promote_weak(bf16, float) == bf16
    assert dtypes.promote_weak(bf16, complex) == "complex64"
    assert dtypes.normalize("bfloat16") == bf16


def test_normalize() -> None:
    assert dtypes.normalize(float) == "float64"
    assert dtypes.normalize(np.int8) == "int8"
    assert dtypes.normalize(">f4") == np.dtype("float32")
    for bad in ("U3", object, "no such", 3.5):
        with pytest.raises(lm.DTypeError):
            dtypes.normalize(bad)


def test_scalars_out_of_range() -> None:
    assert dtypes.scalar_array(255, np.dtype("uint8")) == 255
    for value in (-1, 256):
        with pytest.raises(lm.DTypeError, match="from 0 to 255"):
            dtypes.scalar_array(value, np.dtype("uint8"))
    assert dtypes.scalar_array(1e300, np.dtype("float32")) == np.inf
    assert dtypes.scalar_array(10**400, np.dtype("float64")) == np.inf
    assert dtypes.scalar_array(-(10**400), np.dtype("float32")) == -np.inf
    assert dtypes.scalar_array(1, dtypes.bool_) == np.True_


def test_regression_r16_uint64_plus_a_python_int() -> None:
    x = lm.asarray([2**64 - 1], dtype=lm.uint64) + 1
    assert x.dtype == lm.uint64
    assert x.tolist() == [0]


def test_regression_r1_r3_integers_wrap() -> None:
    x = lm.asarray([2147483647], dtype=lm.int32)
    assert lm.astype(x + x, lm.int64).tolist() == [-2]
    y = lm.asarray([200], dtype=lm.uint8) + lm.asarray([100], dtype=lm.uint8)
    assert lm.astype(y, lm.int32).tolist() == [44]
