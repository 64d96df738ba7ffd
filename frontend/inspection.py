"""What the namespace has: dtypes, their limits, and how they promote."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

import ml_dtypes
import numpy as np

from lamina.errors import ArgumentError, DTypeError
from lamina.frontend import dtypes
from lamina.frontend import shapes as shape_rules
from lamina.frontend.array import is_array
from lamina.frontend.bind import is_weak
from lamina.frontend.creation import check_device
from lamina.frontend.dispatch import public
from lamina.frontend.dtypes import COMPLEX, FLOATS, INTEGERS, KIND_OF, KINDS, DType
from lamina.frontend.location import fail, shown


def _dtype_of(value: Any) -> DType:
    return dtypes.normalize(value.dtype if is_array(value) else value)


@public
def result_type(*operands: Any) -> DType:
    """The dtype that arrays, dtypes and Python numbers promote to.

    >>> lm.result_type(lm.int32, lm.float32)
    dtype('float64')
    """
    if not operands:
        fail(ArgumentError, "result_type: expected at least one operand, found none")
    found = [_dtype_of(x) for x in operands if not is_weak(x)]
    return dtypes.common(found, [type(x) for x in operands if is_weak(x)])


@public
def broadcast_shapes(*shapes: Any) -> tuple[int, ...]:
    """The shape that arrays of these shapes broadcast to. `ShapeError` where they do not.

    >>> lm.broadcast_shapes((2, 1), (3,), ())
    (2, 3)
    """
    found = [shape_rules.shape_tuple("broadcast_shapes", shape) for shape in shapes]
    return shape_rules.broadcast_shapes("broadcast_shapes", *found) if found else ()


@public
def can_cast(from_: Any, to: Any, /) -> bool:
    """Whether promotion leads from the dtype (of) `from_` to `to`.

    >>> lm.can_cast(lm.int32, lm.int64), lm.can_cast(lm.int64, lm.int32)
    (True, False)
    """
    source, target = _dtype_of(from_), dtypes.normalize(to)
    return dtypes.promote(source, target) == target


@public
def isdtype(dtype: Any, kind: Any) -> bool:
    """Whether `dtype` is a dtype, of a kind, or any of a tuple of these. Kinds: "bool",
    "signed integer", "unsigned integer", "integral", "real floating", "complex floating",
    "numeric".

    >>> lm.isdtype(lm.float32, ("integral", "real floating"))
    True
    """
    found = dtypes.normalize(dtype)
    if isinstance(kind, tuple):
        return any(isdtype(found, each) for each in cast(tuple[Any, ...], kind))
    if isinstance(kind, str):
        if kind not in _KIND_NAMES:
            expected = ", ".join(_KIND_NAMES)
            fail(ArgumentError, f"isdtype: expected a kind of {expected}, found {shown(kind)}")
        return found in _KIND_NAMES[kind]
    return found == dtypes.normalize(kind)


_KIND_NAMES: dict[str, frozenset[DType]] = {
    "bool": dtypes.BOOL,
    "signed integer": frozenset(KINDS["signed"]),
    "unsigned integer": frozenset(KINDS["unsigned"]),
    "integral": INTEGERS,
    "real floating": FLOATS,
    "complex floating": COMPLEX,
    "numeric": dtypes.NUMERIC,
}


@dataclass(frozen=True)
class FloatInfo:
    """Limits of a floating-point dtype; of a complex one, those of its parts."""

    bits: int
    eps: float
    max: float
    min: float
    smallest_normal: float
    dtype: DType


@dataclass(frozen=True)
class IntegerInfo:
    """Limits of an integer dtype."""

    bits: int
    max: int
    min: int
    dtype: DType


@public
def finfo(type: Any, /) -> FloatInfo:
    """Limits of a floating-point or complex dtype, or of an array's.

    >>> lm.finfo(lm.float32).bits
    32
    """
    dtype = _dtype_of(type)
    if dtype not in dtypes.FLOATS_OR_COMPLEX:
        fail(DTypeError, f"finfo: expected a floating-point or complex dtype, found {dtype}")
    find: Any = ml_dtypes.finfo if dtype == dtypes.bfloat16 else np.finfo
    info: Any = find(dtype)
    part = {dtypes.complex64: dtypes.float32, dtypes.complex128: dtypes.float64}.get(dtype, dtype)
    return FloatInfo(
        int(info.bits),
        float(info.eps),
        float(info.max),
        float(info.min),
        float(info.smallest_normal),
        part,
    )


@public
def iinfo(type: Any, /) -> IntegerInfo:
    """Limits of an integer dtype, or of an array's.

    >>> lm.iinfo(lm.int8).max
    127
    """
    dtype = _dtype_of(type)
    if dtype not in INTEGERS:
        fail(DTypeError, f"iinfo: expected an integer dtype, found {dtype}")
    low, high = dtypes.RANGES[dtype]
    return IntegerInfo(8 * dtype.itemsize, high, low, dtype)


class NamespaceInfo:
    """What `__array_namespace_info__` gives: one device, the defaults and the dtypes."""

    def capabilities(self) -> dict[str, Any]:
        """Boolean keys and results whose shape depends on values: in eager code."""
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 64}

    def default_device(self) -> str:
        """The only device."""
        return "cpu"

    def devices(self) -> list[str]:
        """All devices."""
        return ["cpu"]

    def default_dtypes(self, *, device: Any = None) -> dict[str, DType]:
        """The dtypes of Python numbers, and of indices."""
        check_device("default_dtypes", device)
        return {
            "real floating": dtypes.float64,
            "complex floating": dtypes.complex128,
            "integral": dtypes.int64,
            "indexing": dtypes.int64,
        }

    def dtypes(self, *, device: Any = None, kind: Any = None) -> dict[str, DType]:
        """The standard's dtypes by name, of a kind of `isdtype` if given."""
        check_device("dtypes", device)
        beyond = (dtypes.float16, dtypes.bfloat16)
        found = {str(dtype): dtype for dtype in KIND_OF if dtype not in beyond}
        return {
            name: dtype for name, dtype in found.items() if kind is None or isdtype(dtype, kind)
        }


@public
def __array_namespace_info__() -> NamespaceInfo:
    """The standard's inspection functions.

    >>> lm.__array_namespace_info__().default_device()
    'cpu'
    """
    return NamespaceInfo()
