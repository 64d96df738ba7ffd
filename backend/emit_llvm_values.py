"""Types, constants and flags of the `llvm` dialect as LLVM text.

A type or a constant is written from its xDSL attribute alone; nothing here knows an operation's
neighbours. Float constants are hexadecimal bit patterns, so no digit of them is ever lost.
"""

from __future__ import annotations

import math
import re
import struct
from typing import cast

from xdsl.dialects.builtin import (
    BFloat16Type,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    Float16Type,
    Float32Type,
    Float64Type,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    Signedness,
    StringAttr,
    VectorType,
)
from xdsl.dialects.llvm import (
    FastMathAttr,
    LLVMArrayType,
    LLVMFunctionType,
    LLVMPointerType,
    LLVMStructType,
    LLVMVoidType,
    OverflowAttr,
)
from xdsl.ir import Attribute, Operation

from lamina.dialects.locations import place_of
from lamina.errors import LoweringError

_FLOAT_NAMES: dict[type[Attribute], str] = {
    Float16Type: "half",
    BFloat16Type: "bfloat",
    Float32Type: "float",
    Float64Type: "double",
}
_PLAIN_SYMBOL = re.compile(r"[A-Za-z$._-][A-Za-z$._0-9-]*")
_BYTE_TEXT = [f"\\{byte:02X}" for byte in range(256)]


def fail(op: Operation, found: str) -> LoweringError:
    """The error for an operation that has no LLVM text; `found` says what is wrong with it."""
    return LoweringError(f"{op.name}: {found}", place=place_of(op.location))


def symbol_text(name: str) -> str:
    """`@name`, quoted where LLVM needs it."""
    if _PLAIN_SYMBOL.fullmatch(name):
        return "@" + name
    return (
        '@"'
        + "".join(
            chr(b) if 32 <= b < 127 and b not in b'"\\@' else _BYTE_TEXT[b] for b in name.encode()
        )
        + '"'
    )


def int_width(kind: Attribute) -> int:
    """The bits of a signless integer type, 0 for any other type."""
    if not isinstance(kind, IntegerType):
        return 0
    integer = cast("IntegerType", kind)
    return integer.width.data if integer.signedness.data is Signedness.SIGNLESS else 0


def vector_parts(kind: Attribute) -> tuple[int, Attribute] | None:
    """(lanes, element type) of a fixed 1-d vector type, None for any other type."""
    if not isinstance(kind, VectorType):
        return None
    vector = cast("VectorType[Attribute]", kind)
    scalable = any(flag.value.data for flag in vector.scalable_dims.data)
    if len(vector.shape.data) != 1 or scalable:
        return None
    return vector.shape.data[0].data, vector.element_type


def type_text(attr: Attribute) -> str:
    """An LLVM type, or a LoweringError for a type of a higher level."""
    if width := int_width(attr):
        return f"i{width}"
    if parts := vector_parts(attr):
        return f"<{parts[0]} x {type_text(parts[1])}>"
    match attr:
        case Float16Type() | BFloat16Type() | Float32Type() | Float64Type():
            return _FLOAT_NAMES[type(attr)]
        case LLVMPointerType():
            space = getattr(attr.addr_space, "data", 0)
            return f"ptr addrspace({space})" if space else "ptr"
        case LLVMArrayType():
            return f"[{attr.size.data} x {type_text(attr.type)}]"
        case LLVMStructType():
            return "{ " + ", ".join(map(type_text, attr.types.data)) + " }"
        case LLVMVoidType():
            return "void"
        case LLVMFunctionType():
            inputs = [type_text(t) for t in attr.inputs.data]
            inputs += ["..."] if attr.is_variadic else []
            return f"{type_text(attr.output)} ({', '.join(inputs)})"
        case _:
            raise LoweringError(f"llvm: expected an LLVM type, found {attr}")


def float_text(value: float, kind: Attribute) -> str:
    """The bit pattern of `value` rounded to `kind`, in LLVM's notation for that type.

    LLVM writes float and double alike, as the 64 bits of the double of that value.
    """
    match kind:
        case Float64Type():
            return f"0x{struct.unpack('<Q', struct.pack('<d', value))[0]:016X}"
        case Float32Type():
            return f"0x{struct.unpack('<Q', struct.pack('<d', _round_to_f32(value)))[0]:016X}"
        case Float16Type():
            return f"0xH{_f16_bits(value):04X}"
        case BFloat16Type():
            return f"0xR{_bf16_bits(value):04X}"
        case _:
            raise LoweringError(f"llvm: expected f16, bf16, f32 or f64, found {kind}")


def _round_to_f32(value: float) -> float:
    try:
        return struct.unpack("<f", struct.pack("<f", value))[0]
    except OverflowError:
        return math.copysign(math.inf, value)


def _f16_bits(value: float) -> int:
    try:
        return struct.unpack("<H", struct.pack("<e", value))[0]
    except OverflowError:
        return 0xFC00 if value < 0 else 0x7C00


def _bf16_bits(value: float) -> int:
    bits = struct.unpack("<I", struct.pack("<f", _round_to_f32(value)))[0]
    if math.isnan(value):
        return (bits >> 16) | 0x40  # a payload in the low half must not turn a NaN into Inf
    return (bits + 0x7FFF + (bits >> 16 & 1)) >> 16


def int_text(value: int, kind: Attribute) -> str:
    """An integer constant of type `kind`, wrapped into its width (LLVM rejects what is wider)."""
    width = int_width(kind)
    value &= (1 << width) - 1
    if width == 1:
        return "true" if value else "false"
    return str(value - (1 << width) if value >> (width - 1) else value)


def zero_text(kind: Attribute) -> str:
    """The zero of any LLVM type."""
    if int_width(kind):
        return int_text(0, kind)
    if isinstance(kind, LLVMPointerType):
        return "null"
    return float_text(0.0, kind) if type(kind) in _FLOAT_NAMES else "zeroinitializer"


def constant_text(value: Attribute, kind: Attribute) -> str:
    """The initializer of a constant or global of type `kind` (without the type).

    Arrays of numbers are accepted as dense attributes and as strings of bytes.
    """
    match value:
        case IntegerAttr() if int_width(kind):
            return int_text(int_of(value), kind)
        case FloatAttr() if type(kind) in _FLOAT_NAMES:
            return float_text(value.value.data, kind)
        case StringAttr() if isinstance(kind, LLVMArrayType):
            return bytes_text(value.data.encode())
        case DenseIntOrFPElementsAttr():
            return _dense_text(value, kind)
        case _:
            raise LoweringError(f"llvm: expected a constant of {kind}, found {value}")


def bytes_text(data: bytes) -> str:
    """A byte array; every byte is escaped, so that no symbol can be misread in it."""
    return 'c"' + "".join([_BYTE_TEXT[byte] for byte in data]) + '"'


def _dense_text(value: DenseIntOrFPElementsAttr, kind: Attribute) -> str:
    """A dense attribute as a vector or as an array, nested when its LLVM type is."""
    shape, element = _shape_of(kind)
    numbers = value.get_values()
    if len(numbers) != math.prod(shape):
        raise LoweringError(f"llvm: expected {math.prod(shape)} values, found {len(numbers)}")
    if not any(value.data.data):
        return "zeroinitializer"
    if int_width(element):
        texts = [int_text(cast("int", number), element) for number in numbers]
    else:
        texts = [float_text(cast("float", number), element) for number in numbers]
    prefix = type_text(element) + " "
    if vector_parts(kind) and all(text == texts[0] for text in texts):
        return f"splat ({prefix}{texts[0]})"
    return _nest([prefix + text for text in texts], kind)


def _shape_of(kind: Attribute) -> tuple[list[int], Attribute]:
    """The sizes of nested arrays and of a vector in them, and the scalar type inside."""
    shape: list[int] = []
    while isinstance(kind, LLVMArrayType):
        shape.append(kind.size.data)
        kind = kind.type
    if parts := vector_parts(kind):
        shape.append(parts[0])
        kind = parts[1]
    return shape, kind


def _nest(texts: list[str], kind: Attribute) -> str:
    if not isinstance(kind, LLVMArrayType):
        return f"<{', '.join(texts)}>"
    inner = kind.type
    if isinstance(inner, LLVMArrayType) or vector_parts(inner):
        step = len(texts) // kind.size.data
        starts = range(0, len(texts), step)
        texts = [f"{type_text(inner)} {_nest(texts[i : i + step], inner)}" for i in starts]
    return f"[{', '.join(texts)}]"


_FAST_ORDER = ("reassoc", "nnan", "ninf", "nsz", "arcp", "contract", "afn")


def fastmath_text(op: Operation) -> str:
    """The fast-math flags of an operation, each followed by a space."""
    flags = op.properties.get("fastmathFlags")
    if flags is None:
        return ""
    assert isinstance(flags, FastMathAttr)
    if not flags.data:
        return ""
    if len(flags.data) == len(_FAST_ORDER):
        return "fast "
    names = {flag.value for flag in flags.data}
    return "".join(f"{name} " for name in _FAST_ORDER if name in names)


def overflow_text(op: Operation) -> str:
    """`nsw ` and `nuw ` of an integer operation."""
    flags = op.properties.get("overflowFlags")
    if flags is None:
        return ""
    if isinstance(flags, OverflowAttr):
        bits = flags.to_int()
    else:
        bits = int_of(flags)
    return ("nuw " if bits & 2 else "") + ("nsw " if bits & 1 else "")


def int_of(attr: Attribute) -> int:
    """The number in an integer attribute."""
    assert isinstance(attr, IntegerAttr)
    return cast("IntegerAttr", attr).value.data


def ints_of(attr: Attribute) -> tuple[int, ...]:
    """The numbers in an array or dense attribute of integers."""
    assert isinstance(attr, DenseArrayBase | DenseIntOrFPElementsAttr)
    return tuple(cast("DenseArrayBase[IntegerType]", attr).get_values())
