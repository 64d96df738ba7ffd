"""Element types of the IR and NumPy dtypes; dense attributes and arrays, both ways."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any, cast

import numpy as np
from xdsl.dialects.builtin import (
    BFloat16Type,
    BytesAttr,
    ComplexType,
    DenseIntOrFPElementsAttr,
    DenseResourceAttr,
    Float16Type,
    Float32Type,
    Float64Type,
    IntegerType,
    Signedness,
    TensorType,
)
from xdsl.ir import Attribute

from lamina.errors import DTypeError, IRError
from lamina.interpreters.dtypes import (
    BF16,
    BOOL,
    C64,
    C128,
    F16,
    F32,
    F64,
    HALVES,
    INT64,
    Array,
    DType,
    is_float,
)

_ELEMENTS: dict[DType, Attribute] = {
    BOOL: IntegerType(1),
    **{np.dtype(f"int{width}"): IntegerType(width) for width in (8, 16, 32, 64)},
    **{
        np.dtype(f"uint{width}"): IntegerType(width, Signedness.UNSIGNED)
        for width in (8, 16, 32, 64)
    },
    F16: Float16Type(),
    BF16: BFloat16Type(),
    F32: Float32Type(),
    F64: Float64Type(),
    C64: ComplexType(Float32Type()),
    C128: ComplexType(Float64Type()),
}
_DTYPES: dict[Attribute, DType] = {element: dtype for dtype, element in _ELEMENTS.items()}

COMPLEX = (C64, C128)
DTYPES: tuple[DType, ...] = tuple(dtype for dtype in _ELEMENTS if dtype not in COMPLEX)
"""The real dtypes of `nd` tensors: bool, int8..int64, uint8..uint64, float16, bfloat16, 32, 64."""


def dtype_of(element: Attribute) -> DType:
    """The dtype of an element type; DTypeError for one that an `nd` tensor cannot hold."""
    try:
        return _DTYPES[element]
    except KeyError:
        raise DTypeError(f"expected an nd element type, found {element}") from None


def element_type_of(dtype: DType) -> Attribute:
    """The element type of a dtype; DTypeError for one that an `nd` tensor cannot hold."""
    try:
        return _ELEMENTS[dtype]
    except KeyError:
        raise DTypeError(
            f"expected a dtype of {', '.join(map(str, _ELEMENTS))}, found {dtype}"
        ) from None


def tensor_type_of(array: Array) -> TensorType[Attribute]:
    """The static tensor type of an array."""
    return TensorType(element_type_of(array.dtype), array.shape)


def to_dense(array: Array) -> DenseIntOrFPElementsAttr:
    """The array as a `dense<...>` attribute of its static tensor type; bits are kept."""
    stored = _stored(array.dtype)
    values = array if stored == array.dtype else -array.astype(stored)  # true of an i1 is -1
    data = values.astype(stored.newbyteorder("<"), copy=False).tobytes()
    return DenseIntOrFPElementsAttr(cast(Any, tensor_type_of(array)), BytesAttr(data))


def scalar_dense(number: float, element: Attribute) -> DenseIntOrFPElementsAttr:
    """A number as a `dense<...>` attribute of rank 0."""
    return to_dense(np.array(number, dtype_of(element)))


def from_dense(attribute: Attribute, resources: Mapping[str, Array] | None = None) -> Array:
    """The array of a `dense` or `dense_resource` attribute; resources by handle.

    The result is read-only. IRError when the resource is not given or does not fit its type.
    """
    if isinstance(attribute, DenseResourceAttr):
        return _from_resource(attribute, resources or {})
    if not isinstance(attribute, DenseIntOrFPElementsAttr):
        raise IRError(f"expected a dense or dense_resource attribute, found {attribute}")
    dense = cast(DenseIntOrFPElementsAttr[Any], attribute)
    dtype = dtype_of(dense.get_element_type())
    stored = _stored(dtype)
    array = np.frombuffer(dense.data.data, stored.newbyteorder("<")).astype(stored, copy=False)
    if stored != dtype:
        array = array != 0
    return array.reshape(dense.get_shape())


def _from_resource(attribute: DenseResourceAttr, resources: Mapping[str, Array]) -> Array:
    name, type = attribute.resource_handle.data, cast(TensorType[Attribute], attribute.type)
    if name not in resources:
        raise IRError(f"dense_resource: expected the bytes of {name}, found no such resource")
    array = resources[name].view()
    dtype = dtype_of(type.element_type)
    if array.dtype != dtype or array.shape != type.get_shape():
        raise IRError(
            f"dense_resource {name}: expected {type}, found {array.dtype} of shape {array.shape}"
        )
    array.flags.writeable = False
    return array


def _stored(dtype: DType) -> DType:
    """How a dense attribute holds the dtype: an i1 as one signed byte, 0 or -1."""
    return np.dtype(np.int8) if dtype == BOOL else dtype


assert sys.byteorder == "little", "bfloat16 has no byte order of its own"

__all__ = [
    "BF16", "BOOL", "C64", "C128", "COMPLEX", "DTYPES", "F16", "F32", "F64", "HALVES", "INT64",
    "Array", "DType", "dtype_of", "element_type_of", "from_dense", "is_float", "scalar_dense",
    "tensor_type_of", "to_dense",
]  # fmt: skip
