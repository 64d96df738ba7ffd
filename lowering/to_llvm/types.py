"""Types of the llvm level: sizes, names, constants."""

from __future__ import annotations

import struct
from collections.abc import Sequence

from xdsl.dialects.builtin import (
    BFloat16Type,
    DenseIntOrFPElementsAttr,
    Float16Type,
    Float32Type,
    Float64Type,
    IndexType,
    IntegerType,
    VectorType,
    i16,
    i64,
)
from xdsl.ir import Attribute
from xdsl.utils.hints import isa

from lamina.dialects import llvm
from lamina.dialects.type_tests import is_integer, is_vector

PTR = llvm.LLVMPointerType()
I1 = IntegerType(1)
I8 = IntegerType(8)

_SCALAR_BITS: dict[type[Attribute], int] = {
    BFloat16Type: 16,
    Float16Type: 16,
    Float32Type: 32,
    Float64Type: 64,
    IndexType: 64,
    llvm.LLVMPointerType: 64,
}
_FLOAT_NAMES: dict[type[Attribute], str] = {
    BFloat16Type: "bf16",
    Float16Type: "f16",
    Float32Type: "f32",
    Float64Type: "f64",
}


def bit_width(type: Attribute) -> int:
    """The width of a scalar type in bits; `index` and pointers have 64."""
    return type.width.data if is_integer(type) else _SCALAR_BITS[type.__class__]


def byte_size(type: Attribute) -> int:
    """The bytes that a scalar of this type takes in memory."""
    return (bit_width(type) + 7) // 8


def element_of(type: Attribute) -> Attribute:
    """The element type of a vector, or the type itself."""
    return type.element_type if is_vector(type) else type


def convert_type(type: Attribute) -> Attribute:
    """The llvm type of a scalar or 1-d vector: `index` becomes i64, bf16 i16, the rest stays.

    Nothing computes in bf16, and LLVM's x86 code for moving a `bfloat` may call a conversion that
    no library has: its bits move as an integer.
    """
    if type.__class__ is IndexType:
        return i64
    if type.__class__ is BFloat16Type:
        return i16
    if is_vector(type) and type.element_type.__class__ in (IndexType, BFloat16Type):
        return VectorType(convert_type(type.element_type), type.shape)
    return type


def bfloat_bits(number: float) -> int:
    """The bits of a number that bf16 holds exactly, as a signed i16."""
    return int.from_bytes(struct.pack(">f", number)[:2], "big", signed=True)


def mangle(type: Attribute) -> str:
    """The suffix of a type in the name of an overloaded intrinsic, for example `v16f32`."""
    if is_vector(type):
        return f"v{type.shape.data[0].data}{mangle(type.element_type)}"
    return _FLOAT_NAMES.get(type.__class__) or f"i{bit_width(type)}"


def struct_type(fields: Sequence[Attribute]) -> llvm.LLVMStructType:
    """An unnamed llvm struct."""
    return llvm.LLVMStructType.from_type_list(fields)


def dense(type: Attribute, values: Sequence[int] | Sequence[float]) -> DenseIntOrFPElementsAttr:
    """A vector constant; one value is a splat."""
    if isa(type, VectorType[IntegerType]):
        return DenseIntOrFPElementsAttr.from_list(type, [int(value) for value in values])
    assert isa(type, VectorType[Float32Type | Float64Type | Float16Type | BFloat16Type])
    return DenseIntOrFPElementsAttr.from_list(type, [float(value) for value in values])
