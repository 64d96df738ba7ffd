"""Elementwise ops: operands and result have one shape; there is no implicit broadcast.

    op                                  meaning                          example
    add subtract multiply divide        arithmetic                       nd.add %x, %y : tensor<4xf32>
    floor_divide remainder              floor division and its rest
    pow                                 an integer exponent is 0 or more
    copysign nextafter                  float only
    maximum minimum                     NaN wins, -0.0 < +0.0
    equal not_equal less ...            comparisons, result i1           nd.less %x, %y : tensor<4xf32>
    bitwise_and bitwise_or bitwise_xor  also logical, on i1
    left_shift right_shift              shift by >= width gives 0 (or the sign)
    negative abs sign sqrt floor ...    one operand, same type           nd.abs %x : tensor<4xf32>
    select                              %p ? %x : %y                     nd.select %p, %x, %y : tensor<4xf32>
    cast                                another element type             nd.cast %x : tensor<4xf32> -> tensor<4xi32>

The numeric meaning of each (overflow, division by zero, NaN) is the numeric contract's.
"""

from __future__ import annotations

import abc
from typing import ClassVar

from xdsl.dialects.builtin import i1
from xdsl.irdl import irdl_op_definition, operand_def, result_def

from lamina.dialects.nd.base import (
    SAME,
    TENSOR,
    NdOp,
    element_of,
    is_bool,
    is_complex,
    shape_of,
)


class UnaryOp(NdOp, abc.ABC):
    """`result[i] = f(operand[i])`, all of one type."""

    operand = operand_def(SAME)
    result = result_def(SAME)
    assembly_format = "$operand attr-dict `:` type($result)"

    def verify_(self) -> None:
        self.check_family(self.operand)


class FloatUnaryOp(UnaryOp, abc.ABC):
    """A unary op on floating-point elements."""

    FAMILY: ClassVar[str] = "a floating-point"


class BinaryOp(NdOp, abc.ABC):
    """`result[i] = f(lhs[i], rhs[i])`, all of one type."""

    lhs = operand_def(SAME)
    rhs = operand_def(SAME)
    result = result_def(SAME)
    assembly_format = "$lhs `,` $rhs attr-dict `:` type($result)"

    def verify_(self) -> None:
        self.check_family(self.lhs)


class AdditiveOp(BinaryOp, abc.ABC):
    """A binary op on integer, floating-point or complex elements."""

    FAMILY: ClassVar[str] = "a numeric or complex"


class NumericBinaryOp(BinaryOp, abc.ABC):
    """A binary op on integer or floating-point elements."""

    FAMILY: ClassVar[str] = "a numeric"


class FloatBinaryOp(BinaryOp, abc.ABC):
    """A binary op on floating-point elements."""

    FAMILY: ClassVar[str] = "a floating-point"


class CompareOp(NdOp, abc.ABC):
    """`result[i] = lhs[i] ? rhs[i]`: i1 elements."""

    lhs = operand_def(SAME)
    rhs = operand_def(SAME)
    result = result_def(TENSOR)
    assembly_format = "$lhs `,` $rhs attr-dict `:` type($lhs) `->` type($result)"

    def verify_(self) -> None:
        self.check_family(self.lhs)
        self.check_element(self.result, i1)
        self.check_shape(self.result, shape_of(self.lhs))


@irdl_op_definition
class AddOp(AdditiveOp):
    """Sum; integers wrap."""

    name = "nd.add"


@irdl_op_definition
class SubtractOp(AdditiveOp):
    """Difference; integers wrap."""

    name = "nd.subtract"


@irdl_op_definition
class MultiplyOp(NumericBinaryOp):
    """Product; integers wrap."""

    name = "nd.multiply"


@irdl_op_definition
class DivideOp(FloatBinaryOp):
    """IEEE quotient."""

    name = "nd.divide"


@irdl_op_definition
class FloorDivideOp(NumericBinaryOp):
    """Floor of the quotient; an integer divided by 0 gives 0, MIN by -1 gives MIN."""

    name = "nd.floor_divide"


@irdl_op_definition
class RemainderOp(NumericBinaryOp):
    """Rest of the floor division, with the divisor's sign; an integer by 0 gives 0."""

    name = "nd.remainder"


@irdl_op_definition
class PowOp(NumericBinaryOp):
    """Power. The bits of an integer exponent are taken as unsigned: the frontend refuses
    negative ones by `nd.check`."""

    name = "nd.pow"


@irdl_op_definition
class CopysignOp(FloatBinaryOp):
    """The magnitude of lhs with the sign bit of rhs."""

    name = "nd.copysign"


@irdl_op_definition
class NextafterOp(FloatBinaryOp):
    """The neighbour of lhs in the direction of rhs; rhs where they are equal."""

    name = "nd.nextafter"


@irdl_op_definition
class MaximumOp(NumericBinaryOp):
    """The larger; NaN wins, -0.0 < +0.0 (IEEE 754-2019 maximum)."""

    name = "nd.maximum"


@irdl_op_definition
class MinimumOp(NumericBinaryOp):
    """The smaller; NaN wins, -0.0 < +0.0 (IEEE 754-2019 minimum)."""

    name = "nd.minimum"


class BitwiseOp(BinaryOp, abc.ABC):
    """A binary op on bits; on i1 it is the logical op."""

    FAMILY: ClassVar[str] = "an integer or i1"


@irdl_op_definition
class BitwiseAndOp(BitwiseOp):
    """Bits set in both."""

    name = "nd.bitwise_and"


@irdl_op_definition
class BitwiseOrOp(BitwiseOp):
    """Bits set in either."""

    name = "nd.bitwise_or"


@irdl_op_definition
class BitwiseXorOp(BitwiseOp):
    """Bits set in one of the two."""

    name = "nd.bitwise_xor"


class ShiftOp(BinaryOp, abc.ABC):
    """A shift of integers by any amount, of the same type."""

    FAMILY: ClassVar[str] = "an integer"


@irdl_op_definition
class LeftShiftOp(ShiftOp):
    """Left shift; by a negative amount or the width and more: 0."""

    name = "nd.left_shift"


@irdl_op_definition
class RightShiftOp(ShiftOp):
    """Right shift, arithmetic on signed types; by too much: the sign, or 0 when unsigned."""

    name = "nd.right_shift"


@irdl_op_definition
class EqualOp(CompareOp):
    """Equal; NaN equals nothing."""

    name = "nd.equal"


@irdl_op_definition
class NotEqualOp(CompareOp):
    """Not equal; true where either is NaN."""

    name = "nd.not_equal"


class OrderOp(CompareOp, abc.ABC):
    """An order comparison; false where either is NaN."""

    FAMILY: ClassVar[str] = "a numeric"


@irdl_op_definition
class LessOp(OrderOp):
    """Less than."""

    name = "nd.less"


@irdl_op_definition
class LessEqualOp(OrderOp):
    """Less than or equal."""

    name = "nd.less_equal"


@irdl_op_definition
class GreaterOp(OrderOp):
    """Greater than."""

    name = "nd.greater"


@irdl_op_definition
class GreaterEqualOp(OrderOp):
    """Greater than or equal."""

    name = "nd.greater_equal"


class NumericUnaryOp(UnaryOp, abc.ABC):
    """A unary op on integer or floating-point elements."""

    FAMILY: ClassVar[str] = "a numeric"


@irdl_op_definition
class NegativeOp(UnaryOp):
    """Negation; the smallest integer stays itself."""

    name = "nd.negative"
    FAMILY: ClassVar[str] = "a numeric or complex"


@irdl_op_definition
class AbsOp(NumericUnaryOp):
    """Absolute value; the smallest integer stays itself."""

    name = "nd.abs"


@irdl_op_definition
class SignOp(NumericUnaryOp):
    """-1, 0 or 1; NaN stays NaN, and a zero stays that zero."""

    name = "nd.sign"


@irdl_op_definition
class BitwiseInvertOp(UnaryOp):
    """Every bit inverted; on i1 the logical not."""

    name = "nd.bitwise_invert"
    FAMILY: ClassVar[str] = "an integer or i1"


@irdl_op_definition
class SqrtOp(FloatUnaryOp):
    """Square root, correctly rounded."""

    name = "nd.sqrt"


@irdl_op_definition
class FloorOp(FloatUnaryOp):
    """Rounded down."""

    name = "nd.floor"


@irdl_op_definition
class CeilOp(FloatUnaryOp):
    """Rounded up."""

    name = "nd.ceil"


@irdl_op_definition
class TruncOp(FloatUnaryOp):
    """Rounded towards zero."""

    name = "nd.trunc"


@irdl_op_definition
class RoundOp(FloatUnaryOp):
    """Rounded to the nearest integer, half to even."""

    name = "nd.round"


@irdl_op_definition
class SelectOp(NdOp):
    """`lhs[i]` where `predicate[i]`, else `rhs[i]`."""

    name = "nd.select"
    predicate = operand_def(TENSOR)
    lhs = operand_def(SAME)
    rhs = operand_def(SAME)
    result = result_def(SAME)
    assembly_format = (
        "$predicate `,` $lhs `,` $rhs attr-dict `:` type($predicate) `,` type($result)"
    )

    def verify_(self) -> None:
        self.check_family(self.lhs)
        self.check_element(self.predicate, i1)
        self.check_shape(self.predicate, shape_of(self.lhs))


@irdl_op_definition
class CastOp(NdOp):
    """Another element type: floats round to nearest even, out-of-range floats saturate to
    integers (NaN to 0), integers wrap, anything to i1 is `x != 0`."""

    name = "nd.cast"
    operand = operand_def(TENSOR)
    result = result_def(TENSOR)
    assembly_format = "$operand attr-dict `:` type($operand) `->` type($result)"

    def verify_(self) -> None:
        self.check_family(self.operand)
        self.check_family(self.result)
        source, target = element_of(self.operand), element_of(self.result)
        if is_complex(source) and not (is_complex(target) or is_bool(target)):
            raise self.fail(f"expected a complex or i1 result type for {source}, found {target}")
        self.check_shape(self.result, shape_of(self.operand))


UNARY_OPS: tuple[type[UnaryOp], ...] = (
    NegativeOp, AbsOp, SignOp, BitwiseInvertOp, SqrtOp, FloorOp, CeilOp, TruncOp, RoundOp,
)  # fmt: skip

BINARY_OPS: tuple[type[BinaryOp], ...] = (
    AddOp, SubtractOp, MultiplyOp, DivideOp, FloorDivideOp, RemainderOp, PowOp,
    CopysignOp, NextafterOp, MaximumOp, MinimumOp, BitwiseAndOp, BitwiseOrOp, BitwiseXorOp, LeftShiftOp, RightShiftOp,
)  # fmt: skip

COMPARE_OPS: tuple[type[CompareOp], ...] = (
    EqualOp, NotEqualOp, LessOp, LessEqualOp, GreaterOp, GreaterEqualOp,
)  # fmt: skip

OPS: tuple[type[NdOp], ...] = (*UNARY_OPS, *BINARY_OPS, *COMPARE_OPS, SelectOp, CastOp)
