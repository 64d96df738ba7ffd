"""The math dialect: xDSL's operations, those that it lacks, and two constructors corrected.

- Missing in xDSL: `isnan isinf isfinite isnormal` (the result is i1, or i1 of the same shape),
  `clampf`, `erfc`, `sincos`.
- `fma`, `fpowi`: xDSL's constructors put the fast-math flags where they are not printed.
- There is no `math.rint`: `math.roundeven` is the same function in the default rounding mode.

    %n = math.isnan %x : vector<16xf32>                    // vector<16xi1>
    %y = math.clampf %x to [%low, %high] : f32
"""

from __future__ import annotations

import abc
from typing import ClassVar

from xdsl.dialects.arith import FastMathFlagsAttr
from xdsl.dialects.builtin import AnyFloat, container_of, i1
from xdsl.dialects.math import (
    AbsFOp,
    AbsIOp,
    AcoshOp,
    AcosOp,
    AsinhOp,
    AsinOp,
    Atan2Op,
    AtanhOp,
    AtanOp,
    CbrtOp,
    CeilOp,
    CopySignOp,
    CoshOp,
    CosOp,
    CountLeadingZerosOp,
    CountTrailingZerosOp,
    CtPopOp,
    ErfOp,
    Exp2Op,
    ExpM1Op,
    ExpOp,
    FloatingPointLikeUnaryMathOperation,
    FloorOp,
    IPowIOp,
    Log1pOp,
    Log2Op,
    Log10Op,
    LogOp,
    PowFOp,
    RoundEvenOp,
    RoundOp,
    RsqrtOp,
    SinhOp,
    SinOp,
    SqrtOp,
    TanhOp,
    TanOp,
    TruncOp,
)
from xdsl.dialects.math import FmaOp as XdslFmaOp
from xdsl.dialects.math import FPowIOp as XdslFPowIOp
from xdsl.dialects.math import Math as XdslMath
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    VarConstraint,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import Pure, SameOperandsAndResultType
from xdsl.utils.exceptions import VerifyException

from lamina.dialects.arith import with_element_type
from lamina.dialects.builtin import corrected

float_like = container_of(AnyFloat)
NO_FASTMATH = FastMathFlagsAttr("none")


class _ClassOp(IRDLOperation, abc.ABC):
    """A test of each float; the result is i1, or a vector or tensor of i1 of the same shape."""

    operand = operand_def(float_like)
    result = result_def(container_of(i1))
    fastmath = prop_def(FastMathFlagsAttr, default_value=NO_FASTMATH)

    traits = traits_def(Pure())

    def __init__(
        self, operand: Operation | SSAValue, fastmath: FastMathFlagsAttr = NO_FASTMATH
    ) -> None:
        super().__init__(
            operands=[operand],
            result_types=[with_element_type(SSAValue.get(operand).type, i1)],
            properties={"fastmath": fastmath},
        )

    def verify_(self) -> None:
        expected = with_element_type(self.operand.type, i1)
        if self.result.type != expected:
            raise VerifyException(
                f"{self.name}: expected result type {expected}, found {self.result.type}"
            )

    @classmethod
    def parse(cls, parser: Parser) -> _ClassOp:
        operand = parser.parse_unresolved_operand()
        fastmath = NO_FASTMATH
        if parser.parse_optional_keyword("fastmath"):
            fastmath = FastMathFlagsAttr(FastMathFlagsAttr.parse_parameter(parser))
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        op = cls(parser.resolve_operand(operand, parser.parse_type()), fastmath)
        op.attributes |= attributes
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_operand(self.operand)
        if self.fastmath != NO_FASTMATH:
            printer.print_string(" fastmath")
            self.fastmath.print_parameter(printer)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.operand.type)


@irdl_op_definition
class IsNaNOp(_ClassOp):
    """Whether each element is a NaN."""

    name = "math.isnan"


@irdl_op_definition
class IsInfOp(_ClassOp):
    """Whether each element is an infinity, of either sign."""

    name = "math.isinf"


@irdl_op_definition
class IsFiniteOp(_ClassOp):
    """Whether each element is neither a NaN nor an infinity."""

    name = "math.isfinite"


@irdl_op_definition
class IsNormalOp(_ClassOp):
    """Whether each element is neither zero, subnormal, infinite nor a NaN."""

    name = "math.isnormal"


@irdl_op_definition
class ClampFOp(IRDLOperation):
    """`value` limited to [min, max]; a NaN in any operand gives a NaN."""

    name = "math.clampf"

    T: ClassVar = VarConstraint("T", float_like)

    value = operand_def(T)
    min = operand_def(T)
    max = operand_def(T)
    result = result_def(T)
    fastmath = prop_def(FastMathFlagsAttr, default_value=NO_FASTMATH)

    traits = traits_def(Pure(), SameOperandsAndResultType())

    assembly_format = (
        "$value `to` `[` $min `,` $max `]` (`fastmath` `` $fastmath^)? attr-dict `:` type($result)"
    )

    def __init__(
        self,
        value: Operation | SSAValue,
        min: Operation | SSAValue,
        max: Operation | SSAValue,
        fastmath: FastMathFlagsAttr = NO_FASTMATH,
    ) -> None:
        super().__init__(
            operands=[value, min, max],
            result_types=[SSAValue.get(value).type],
            properties={"fastmath": fastmath},
        )


@irdl_op_definition
class ErfcOp(FloatingPointLikeUnaryMathOperation):
    """1 - erf(x), accurate where erf(x) is near 1."""

    name = "math.erfc"
    traits = traits_def(Pure(), SameOperandsAndResultType())


@irdl_op_definition
class SinCosOp(IRDLOperation):
    """The sine and the cosine of `operand`."""

    name = "math.sincos"

    T: ClassVar = VarConstraint("T", float_like)

    operand = operand_def(T)
    sin = result_def(T)
    cos = result_def(T)
    fastmath = prop_def(FastMathFlagsAttr, default_value=NO_FASTMATH)

    traits = traits_def(Pure(), SameOperandsAndResultType())

    assembly_format = "$operand (`fastmath` `` $fastmath^)? attr-dict `:` type($operand)"

    def __init__(
        self, operand: Operation | SSAValue, fastmath: FastMathFlagsAttr = NO_FASTMATH
    ) -> None:
        type = SSAValue.get(operand).type
        super().__init__(
            operands=[operand], result_types=[type, type], properties={"fastmath": fastmath}
        )


class FmaOp(XdslFmaOp):
    """a * b + c, rounded once."""

    def __init__(
        self,
        a: Operation | SSAValue,
        b: Operation | SSAValue,
        c: Operation | SSAValue,
        fastmath: FastMathFlagsAttr | None = None,
    ) -> None:
        _init_flagged(self, [a, b, c], fastmath)


class FPowIOp(XdslFPowIOp):
    """A float to an integer power."""

    def __init__(
        self,
        lhs: Operation | SSAValue,
        rhs: Operation | SSAValue,
        fastmath: FastMathFlagsAttr | None = None,
    ) -> None:
        _init_flagged(self, [lhs, rhs], fastmath)


def _init_flagged(
    op: IRDLOperation, operands: list[Operation | SSAValue], fastmath: FastMathFlagsAttr | None
) -> None:
    result_type: Attribute = SSAValue.get(operands[0]).type
    IRDLOperation.__init__(
        op, operands=operands, result_types=[result_type], properties={"fastmath": fastmath}
    )


Math = corrected(
    XdslMath,
    [
        ClampFOp,
        ErfcOp,
        FPowIOp,
        FmaOp,
        IsFiniteOp,
        IsInfOp,
        IsNaNOp,
        IsNormalOp,
        SinCosOp,
    ],
)

__all__ = [
    "AbsFOp",
    "AbsIOp",
    "AcosOp",
    "AcoshOp",
    "AsinOp",
    "AsinhOp",
    "Atan2Op",
    "AtanOp",
    "AtanhOp",
    "CbrtOp",
    "CeilOp",
    "ClampFOp",
    "CopySignOp",
    "CosOp",
    "CoshOp",
    "CountLeadingZerosOp",
    "CountTrailingZerosOp",
    "CtPopOp",
    "ErfOp",
    "ErfcOp",
    "Exp2Op",
    "ExpM1Op",
    "ExpOp",
    "FPowIOp",
    "FloorOp",
    "FmaOp",
    "IPowIOp",
    "IsFiniteOp",
    "IsInfOp",
    "IsNaNOp",
    "IsNormalOp",
    "Log1pOp",
    "Log2Op",
    "Log10Op",
    "LogOp",
    "Math",
    "PowFOp",
    "RoundEvenOp",
    "RoundOp",
    "RsqrtOp",
    "SinCosOp",
    "SinOp",
    "SinhOp",
    "SqrtOp",
    "TanOp",
    "TanhOp",
    "TruncOp",
]
