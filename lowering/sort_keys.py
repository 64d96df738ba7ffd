"""Unsigned integers that have the order of elements: what sorting and searching compare.

    float    its bits, with the sign bit flipped for positive and all bits for negative numbers; NaN
             is the largest; -0.0 is +0.0 where `merge_zeros`
    signed   its bits, with the sign bit flipped
    others   its bits

In descending order all bits are flipped, except NaN's: it is last in both.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.builtin import BFloat16Type, Float16Type, Float32Type, Float64Type, IntegerType
from xdsl.ir import Attribute, SSAValue

from lamina.dialects import arith
from lamina.dialects.nd.base import is_bool, is_float, is_unsigned
from lamina.dialects.sizes import byte_size
from lamina.lowering.builder import Builder
from lamina.lowering.linalg_builder import memory_element

INFINITY: dict[type[Attribute], int] = {
    Float16Type: 0x7C00,
    BFloat16Type: 0x7F80,
    Float32Type: 0x7F800000,
    Float64Type: 0x7FF0000000000000,
}
"""The bits of infinity; with the sign left out those of NaN are larger."""


@dataclass(frozen=True)
class Keys:
    """The keys of elements of an `nd` type."""

    element: Attribute
    descending: bool = False
    merge_zeros: bool = True

    @property
    def width(self) -> int:
        """The bits of a key."""
        return 8 * byte_size(memory_element(self.element))

    @property
    def type(self) -> IntegerType:
        """The type of a key."""
        return IntegerType(self.width)

    @property
    def is_float(self) -> bool:
        """Whether there are NaN and two zeros."""
        return is_float(self.element)

    @property
    def is_unsigned(self) -> bool:
        """Whether the bits are the key."""
        return is_bool(self.element) or is_unsigned(self.element)

    @property
    def sign(self) -> int:
        """The sign bit."""
        return 1 << (self.width - 1)

    def bits(self, b: Builder, value: SSAValue) -> SSAValue:
        """The bits of an element in memory, which may be these bits already."""
        return value if value.type == self.type else b.cast(arith.BitcastOp, value, self.type)

    def magnitude(self, b: Builder, bits: SSAValue) -> SSAValue:
        """The bits of a float without its sign."""
        return b.int_op("and", bits, b.number(self.sign - 1, self.type))

    def of(self, b: Builder, value: SSAValue) -> SSAValue:
        """The key of an element."""
        bits = self.bits(b, value)
        sign, ones = b.number(self.sign, self.type), b.number(-1, self.type)
        if not self.is_float:
            key = bits if self.is_unsigned else b.int_op("xor", bits, sign)
            return b.int_op("xor", key, ones) if self.descending else key
        infinity = b.number(INFINITY[type(self.element)], self.type)
        nan = b.cmpi("ugt", self.magnitude(b, bits), infinity)
        if self.merge_zeros:
            bits = b.select(b.cmpi("eq", bits, sign), b.number(0, self.type), bits)
        key = b.int_op("xor", bits, b.int_op("or", self.spread(b, bits), sign))
        key = b.int_op("xor", key, ones) if self.descending else key
        return b.select(nan, ones, key)

    def spread(self, b: Builder, bits: SSAValue) -> SSAValue:
        """All bits equal to the first."""
        return b.int_op("shrs", bits, b.number(self.width - 1, self.type))

    def back(self, b: Builder, key: SSAValue, type: Attribute) -> SSAValue:
        """The element of a key (of `merge_zeros` False) in memory of `type`; NaN is some NaN."""
        sign, ones = b.number(self.sign, self.type), b.number(-1, self.type)
        if self.descending:
            key = b.int_op("xor", key, ones)
        if not self.is_float:
            return key if self.is_unsigned else b.int_op("xor", key, sign)
        flipped = b.int_op("xor", self.spread(b, key), ones)
        bits = b.int_op("xor", key, b.int_op("or", flipped, sign))
        return bits if type == self.type else b.cast(arith.BitcastOp, bits, type)
