"""Element types: NumPy dtype objects, and how two of them promote.

The table is the Array API's; mixed kinds follow NumPy 2 (`int64 + float32 -> float64`). A Python
scalar is weak: it takes the array's type, unless its kind is higher.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any, Literal, TypeAlias

import ml_dtypes
import numpy as np

from lamina.errors import DTypeError
from lamina.frontend.location import fail, shown
from lamina.interpreters.elementwise import cast

DType: TypeAlias = "np.dtype[Any]"
Scalar: TypeAlias = "bool | int | float | complex"
Kind: TypeAlias = Literal["bool", "signed", "unsigned", "float", "complex"]

bool_ = np.dtype(np.bool_)
int8 = np.dtype(np.int8)
int16 = np.dtype(np.int16)
int32 = np.dtype(np.int32)
int64 = np.dtype(np.int64)
uint8 = np.dtype(np.uint8)
uint16 = np.dtype(np.uint16)
uint32 = np.dtype(np.uint32)
uint64 = np.dtype(np.uint64)
float16 = np.dtype(np.float16)
bfloat16 = np.dtype(ml_dtypes.bfloat16)
float32 = np.dtype(np.float32)
float64 = np.dtype(np.float64)
complex64 = np.dtype(np.complex64)
complex128 = np.dtype(np.complex128)

KINDS: dict[Kind, tuple[DType, ...]] = {
    "bool": (bool_,),
    "signed": (int8, int16, int32, int64),
    "unsigned": (uint8, uint16, uint32, uint64),
    "float": (float16, bfloat16, float32, float64),
    "complex": (complex64, complex128),
}
KIND_OF: dict[DType, Kind] = {dtype: kind for kind, group in KINDS.items() for dtype in group}

INTEGERS = frozenset(KINDS["signed"] + KINDS["unsigned"])
FLOATS = frozenset(KINDS["float"])
COMPLEX = frozenset(KINDS["complex"])
NUMERIC = INTEGERS | FLOATS | COMPLEX
REAL = INTEGERS | FLOATS
BITS = INTEGERS | {bool_}
BOOL = frozenset({bool_})
FLOATS_OR_COMPLEX = FLOATS | COMPLEX
ORDERED = REAL | BOOL
ALL = NUMERIC | BOOL

COMPLEX_OF = {float32: complex64, float64: complex128}
"""dtype of the parts -> dtype of the complex numbers."""
PART_OF = {dtype: part for part, dtype in COMPLEX_OF.items()}

RANGES = {dtype: (int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)) for dtype in INTEGERS}
"""Integer dtype -> its smallest and largest value."""

FAMILIES = {
    FLOATS: "a floating-point",
    FLOATS_OR_COMPLEX: "a floating-point or complex",
    COMPLEX: "a complex",
    INTEGERS: "an integer",
    BITS: "an integer or bool",
    REAL: "a real",
    ORDERED: "a real or bool",
    NUMERIC: "a numeric",
    BOOL: "a bool",
    ALL: "a supported",
}
"""A set of dtypes -> how messages name it."""

_WEAK: dict[type, tuple[DType, int]] = {
    bool: (bool_, 0),
    int: (int64, 1),
    float: (float64, 2),
    complex: (complex128, 3),
}
_RANK: dict[Kind, int] = {"bool": 0, "signed": 1, "unsigned": 1, "float": 2, "complex": 3}


_NAMES = {str(dtype): dtype for dtype in KIND_OF}
_CODE = re.compile(r"[<>=|]?[?biufc]\d*")  # NumPy's: f4, <i8


def normalize(dtype: Any) -> DType:
    """`dtype` (a dtype, scalar type, Python type or name) as one of the supported dtypes.

    Raises `DTypeError` for anything else, such as strings and objects.
    """
    if isinstance(dtype, str):
        if dtype in _NAMES:
            return _NAMES[dtype]
        if not _CODE.fullmatch(dtype):
            fail(DTypeError, f"expected the name of a dtype, found {shown(dtype)}")
    try:
        found = np.dtype(dtype).newbyteorder("=")
    except (TypeError, ValueError, SyntaxError):
        fail(DTypeError, f"expected a dtype, found {shown(dtype)}")
    if found not in KIND_OF:
        fail(DTypeError, f"expected bool, an integer, float or complex dtype, found {found}")
    return found


def wide(dtype: DType) -> DType:
    """The dtype that composites compute in: float32 for half types, else `dtype`."""
    return float32 if dtype in (float16, bfloat16) else dtype


def default_of(kind: type) -> DType:
    """The dtype of a Python scalar of this type on its own: int64, float64, ..."""
    return _WEAK[kind][0]


@cache
def promote(a: DType, b: DType) -> DType:
    """The common type of two arrays' dtypes."""
    if a == b:
        return a
    if bfloat16 in (a, b):
        other = b if a == bfloat16 else a
        if other == float16:
            return float32
        if KIND_OF[other] in ("signed", "unsigned"):  # as NumPy promotes float16
            return {1: bfloat16, 2: float32}.get(other.itemsize, float64)
    return np.promote_types(a, b)


@cache
def promote_weak(dtype: DType, kind: type) -> DType:
    """The common type of an array's dtype and a Python scalar of type `kind`."""
    default, rank = _WEAK[kind]
    if rank <= _RANK[KIND_OF[dtype]]:
        return dtype
    if kind is complex and dtype in (float16, bfloat16, float32):
        return complex64
    return default


def common(dtypes: list[DType], weak: list[type]) -> DType:
    """The common type of arrays and Python scalars; of scalars alone, their default type."""
    if dtypes:
        result = dtypes[0]
        for dtype in dtypes[1:]:
            result = promote(result, dtype)
        for kind in weak:
            result = promote_weak(result, kind)
        return result
    return default_of(max(weak, key=lambda kind: _WEAK[kind][1]))


def check_scalar(value: Scalar, dtype: DType) -> None:
    """Raise `DTypeError` where a Python int is outside the range of an integer `dtype`."""
    if type(value) is int and dtype in INTEGERS:
        low, high = RANGES[dtype]
        if not low <= value <= high:
            fail(
                DTypeError,
                f"expected a Python int from {low} to {high} for {dtype}, found {value}",
            )


def scalar_array(value: Scalar, dtype: DType) -> np.ndarray[Any, DType]:
    """A Python scalar as a 0-d array. Raises `DTypeError` for an int outside `dtype`."""
    check_scalar(value, dtype)
    if dtype == bfloat16 and not isinstance(value, complex):
        return cast(np.asarray(_real(value), float64), dtype=dtype)
    if dtype in FLOATS and not isinstance(value, complex):
        number = _real(value)
        if dtype != float64 and abs(number) > 65000:  # may overflow, to an infinity
            with np.errstate(all="ignore"):
                return np.asarray(number).astype(dtype)
        return np.asarray(number, dtype)
    if type(value) is float or dtype == bool_:
        return np.asarray(cast(np.asarray(value), dtype=dtype))
    if isinstance(value, complex) and dtype not in COMPLEX:
        fail(DTypeError, f"expected a real number for {dtype}, found {value}")
    return np.asarray(value, dtype)


def _real(value: float) -> float:
    try:
        return float(value)
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")
