"""The arith dialect: xDSL's operations, and our own where xDSL refuses vectors.

- `cmpi`, `cmpf`: the result of a vector comparison is a vector of i1 of the same shape.
- `select`: a vector condition chooses per element.
- `extsi extui trunci sitofp uitofp fptosi fptoui index_cast`: also on vectors and tensors.
- `extf`, `truncf`: fast-math flags; shapes and widths are verified.
- `remf`, `index_castui`: missing in xDSL.
- `negf`: xDSL's constructor puts the fast-math flags where they are not printed.

    %m = arith.cmpf olt, %a, %b : vector<16xf32>          // vector<16xi1>
    %s = arith.select %m, %a, %b : vector<16xi1>, vector<16xf32>
"""

from __future__ import annotations

import abc
from collections.abc import Mapping
from typing import ClassVar

from xdsl.dialects.arith import (
    CMPF_COMPARISON_OPERATIONS,
    CMPI_COMPARISON_OPERATIONS,
    AddfOp,
    AddiOp,
    AddUIExtendedOp,
    AndIOp,
    BitcastOp,
    CeilDivSIOp,
    CeilDivUIOp,
    ConstantOp,
    DivfOp,
    DivSIOp,
    DivUIOp,
    FastMathFlagsAttr,
    FloatingPointLikeBinaryOperation,
    FloorDivSIOp,
    IntegerOverflowAttr,
    IntegerOverflowFlag,
    MaximumfOp,
    MaxnumfOp,
    MaxSIOp,
    MaxUIOp,
    MinimumfOp,
    MinnumfOp,
    MinSIOp,
    MinUIOp,
    MulfOp,
    MuliOp,
    MulSIExtendedOp,
    MulUIExtendedOp,
    OrIOp,
    RemSIOp,
    RemUIOp,
    ShLIOp,
    ShRSIOp,
    ShRUIOp,
    SubfOp,
    SubiOp,
    XOrIOp,
)
from xdsl.dialects.arith import Arith as XdslArith
from xdsl.dialects.arith import NegfOp as XdslNegfOp
from xdsl.dialects.builtin import (
    AnyFloat,
    ContainerType,
    FixedBitwidthType,
    IndexType,
    IntegerAttr,
    IntegerType,
    TensorType,
    VectorType,
    container_of,
    i1,
)
from xdsl.dialects.utils import FastMathFlag
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    AnyAttr,
    AnyOf,
    IRDLOperation,
    VarConstraint,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.hints import isa
from xdsl.utils.type import get_element_type_or_self, have_compatible_shape

from lamina.dialects.builtin import corrected

integer_like = container_of(IntegerType)
index_like = container_of(AnyOf.get(IntegerType, IndexType))
float_like = container_of(AnyFloat)

NO_FASTMATH = FastMathFlagsAttr("none")
NO_OVERFLOW = IntegerOverflowAttr("none")


def with_element_type(type: Attribute, element_type: Attribute) -> Attribute:
    """`type` with its elements replaced: same shape for vectors and tensors, else the element."""
    if isa(type, VectorType):
        return VectorType(element_type, type.shape, type.scalable_dims)
    if isa(type, TensorType):
        return TensorType(element_type, type.shape, type.encoding)
    return element_type


def bit_width(type: Attribute) -> int:
    """Bits of one element of `type`; 0 for `index`, whose width is the target's."""
    element = get_element_type_or_self(type)
    return element.bitwidth if isinstance(element, FixedBitwidthType) else 0


class _CompareOp(IRDLOperation, abc.ABC):
    """Elementwise comparison; the result is i1, or a vector or tensor of i1 of the same shape."""

    PREDICATES: ClassVar[list[str]]
    """Names by predicate number."""

    predicate = prop_def(IntegerAttr)
    result = result_def(container_of(i1))

    traits = traits_def(Pure())

    @property
    def predicate_name(self) -> str:
        """The predicate as in the text, for example `olt`."""
        return self.PREDICATES[self.predicate.value.data]

    @classmethod
    def _number(cls, predicate: int | str) -> int:
        if isinstance(predicate, int):
            return predicate
        if predicate not in cls.PREDICATES:
            raise VerifyException(
                f"{cls.name}: expected a predicate of {', '.join(cls.PREDICATES)}, "
                f"found {predicate}"
            )
        return cls.PREDICATES.index(predicate)

    def verify_(self) -> None:
        lhs, rhs = (operand.type for operand in self.operands)
        if lhs != rhs:
            raise VerifyException(f"{self.name}: expected operands of one type, found {lhs}, {rhs}")
        expected = with_element_type(lhs, i1)
        if self.result.type != expected:
            raise VerifyException(
                f"{self.name}: expected result type {expected}, found {self.result.type}"
            )
        if not 0 <= self.predicate.value.data < len(self.PREDICATES):
            raise VerifyException(
                f"{self.name}: expected a predicate below {len(self.PREDICATES)}, "
                f"found {self.predicate.value.data}"
            )

    @classmethod
    def parse(cls, parser: Parser) -> _CompareOp:
        start = parser.pos
        name = parser.parse_identifier()
        if name not in cls.PREDICATES:
            parser.raise_error(
                f"{cls.name}: expected a predicate of {', '.join(cls.PREDICATES)}, found {name}",
                start,
                start + len(name),
            )
        parser.parse_punctuation(",")
        operands = [parser.parse_unresolved_operand()]
        parser.parse_punctuation(",")
        operands.append(parser.parse_unresolved_operand())
        properties: dict[str, Attribute] = {"predicate": IntegerAttr(cls._number(name), 64)}
        properties |= cls._parse_flags(parser)
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        type = parser.parse_type()
        return cls.create(
            operands=parser.resolve_operands(operands, [type, type], start),
            result_types=[with_element_type(type, i1)],
            properties=properties,
            attributes=attributes,
        )

    @classmethod
    def _parse_flags(cls, parser: Parser) -> Mapping[str, Attribute]:
        return {}

    def _print_flags(self, printer: Printer) -> None:
        pass

    def print(self, printer: Printer) -> None:
        printer.print_string(f" {self.predicate_name}, ")
        printer.print_list(self.operands, printer.print_operand)
        self._print_flags(printer)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.operands[0].type)


@irdl_op_definition
class CmpiOp(_CompareOp):
    """Compare integers: `eq ne`, signed `slt sle sgt sge`, unsigned `ult ule ugt uge`."""

    name = "arith.cmpi"
    PREDICATES: ClassVar = CMPI_COMPARISON_OPERATIONS

    lhs = operand_def(index_like)
    rhs = operand_def(index_like)

    def __init__(
        self, lhs: Operation | SSAValue, rhs: Operation | SSAValue, predicate: int | str
    ) -> None:
        super().__init__(
            operands=[lhs, rhs],
            result_types=[with_element_type(SSAValue.get(lhs).type, i1)],
            properties={"predicate": IntegerAttr(self._number(predicate), 64)},
        )


@irdl_op_definition
class CmpfOp(_CompareOp):
    """Compare floats: `o..` is false for a NaN, `u..` is true; `ord`, `uno`, `true`, `false`."""

    name = "arith.cmpf"
    PREDICATES: ClassVar = CMPF_COMPARISON_OPERATIONS

    lhs = operand_def(float_like)
    rhs = operand_def(float_like)
    fastmath = prop_def(FastMathFlagsAttr, default_value=NO_FASTMATH)

    def __init__(
        self,
        lhs: Operation | SSAValue,
        rhs: Operation | SSAValue,
        predicate: int | str,
        fastmath: FastMathFlagsAttr = NO_FASTMATH,
    ) -> None:
        super().__init__(
            operands=[lhs, rhs],
            result_types=[with_element_type(SSAValue.get(lhs).type, i1)],
            properties={
                "predicate": IntegerAttr(self._number(predicate), 64),
                "fastmath": fastmath,
            },
        )

    @classmethod
    def _parse_flags(cls, parser: Parser) -> Mapping[str, Attribute]:
        if parser.parse_optional_keyword("fastmath") is None:
            return {"fastmath": NO_FASTMATH}
        return {"fastmath": FastMathFlagsAttr(FastMathFlagsAttr.parse_parameter(parser))}

    def _print_flags(self, printer: Printer) -> None:
        if self.fastmath != NO_FASTMATH:
            printer.print_string(" fastmath")
            self.fastmath.print_parameter(printer)


@irdl_op_definition
class SelectOp(IRDLOperation):
    """`lhs` where `cond`, else `rhs`. A scalar condition chooses whole values."""

    name = "arith.select"

    T: ClassVar = VarConstraint("T", AnyAttr())

    cond = operand_def(container_of(i1))
    lhs = operand_def(T)
    rhs = operand_def(T)
    result = result_def(T)

    traits = traits_def(Pure())

    def __init__(
        self,
        cond: Operation | SSAValue,
        lhs: Operation | SSAValue,
        rhs: Operation | SSAValue,
    ) -> None:
        super().__init__(operands=[cond, lhs, rhs], result_types=[SSAValue.get(lhs).type])

    def verify_(self) -> None:
        cond = self.cond.type
        if cond != i1 and (
            not isinstance(self.result.type, ContainerType)
            or with_element_type(self.result.type, i1) != cond
        ):
            raise VerifyException(
                f"{self.name}: expected a condition of i1 or of the shape of "
                f"{self.result.type}, found {cond}"
            )

    @classmethod
    def parse(cls, parser: Parser) -> SelectOp:
        start = parser.pos
        operands = parser.parse_comma_separated_list(
            parser.Delimiter.NONE, parser.parse_unresolved_operand
        )
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        cond, type = i1, parser.parse_type()
        if parser.parse_optional_punctuation(","):
            cond, type = type, parser.parse_type()
        return cls.create(
            operands=parser.resolve_operands(operands, [cond, type, type], start),
            result_types=[type],
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_list(self.operands, printer.print_operand)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        if self.cond.type != i1:
            printer.print_attribute(self.cond.type)
            printer.print_string(", ")
        printer.print_attribute(self.result.type)


class CastOp(IRDLOperation, abc.ABC):
    """An elementwise conversion: `input` to the type of `result`, which has the same shape."""

    assembly_format = "$input attr-dict `:` type($input) `to` type($result)"

    traits = traits_def(Pure())

    def __init__(self, input: Operation | SSAValue, result_type: Attribute) -> None:
        super().__init__(operands=[input], result_types=[result_type])

    def verify_(self) -> None:
        source, target = self.operands[0].type, self.results[0].type
        if not have_compatible_shape(source, target):
            raise VerifyException(
                f"{self.name}: expected types of one shape, found {source}, {target}"
            )
        self.verify_widths(source, target)

    def verify_widths(self, source: Attribute, target: Attribute) -> None:
        """Raise if the element types do not suit this cast."""

    def _expect(self, condition: bool, what: str, source: Attribute, target: Attribute) -> None:
        if not condition:
            raise VerifyException(f"{self.name}: expected {what}, found {source} to {target}")


class _WideningOp(CastOp, abc.ABC):
    def verify_widths(self, source: Attribute, target: Attribute) -> None:
        self._expect(bit_width(source) < bit_width(target), "a wider result", source, target)


@irdl_op_definition
class ExtSIOp(_WideningOp):
    """Widen integers, keeping the signed value."""

    name = "arith.extsi"
    input = operand_def(integer_like)
    result = result_def(integer_like)


@irdl_op_definition
class ExtUIOp(_WideningOp):
    """Widen integers with zero bits; `i1` becomes 0 or 1."""

    name = "arith.extui"
    input = operand_def(integer_like)
    result = result_def(integer_like)


@irdl_op_definition
class TruncIOp(CastOp):
    """Keep the low bits of integers."""

    name = "arith.trunci"
    input = operand_def(integer_like)
    result = result_def(integer_like)
    overflow_flags = prop_def(
        IntegerOverflowAttr, default_value=NO_OVERFLOW, prop_name="overflowFlags"
    )

    assembly_format = (
        "$input (`overflow` `` $overflowFlags^)? attr-dict `:` type($input) `to` type($result)"
    )

    def verify_widths(self, source: Attribute, target: Attribute) -> None:
        self._expect(bit_width(source) > bit_width(target), "a narrower result", source, target)


@irdl_op_definition
class ExtFOp(_WideningOp):
    """Widen floats; exact."""

    name = "arith.extf"
    input = operand_def(float_like)
    result = result_def(float_like)
    fastmath = opt_prop_def(FastMathFlagsAttr)

    assembly_format = (
        "$input (`fastmath` `` $fastmath^)? attr-dict `:` type($input) `to` type($result)"
    )


@irdl_op_definition
class TruncFOp(CastOp):
    """Narrow floats, rounding to nearest even."""

    name = "arith.truncf"
    input = operand_def(float_like)
    result = result_def(float_like)
    fastmath = opt_prop_def(FastMathFlagsAttr)

    assembly_format = (
        "$input (`fastmath` `` $fastmath^)? attr-dict `:` type($input) `to` type($result)"
    )

    def verify_widths(self, source: Attribute, target: Attribute) -> None:
        self._expect(bit_width(source) > bit_width(target), "a narrower result", source, target)


@irdl_op_definition
class SIToFPOp(CastOp):
    """Signed integers to floats, rounding to nearest even."""

    name = "arith.sitofp"
    input = operand_def(integer_like)
    result = result_def(float_like)


@irdl_op_definition
class UIToFPOp(CastOp):
    """Unsigned integers to floats, rounding to nearest even."""

    name = "arith.uitofp"
    input = operand_def(integer_like)
    result = result_def(float_like)


@irdl_op_definition
class FPToSIOp(CastOp):
    """Floats to signed integers, rounding towards zero; poison out of range."""

    name = "arith.fptosi"
    input = operand_def(float_like)
    result = result_def(integer_like)


@irdl_op_definition
class FPToUIOp(CastOp):
    """Floats to unsigned integers, rounding towards zero; poison out of range."""

    name = "arith.fptoui"
    input = operand_def(float_like)
    result = result_def(integer_like)


class _IndexCastOp(CastOp, abc.ABC):
    def verify_widths(self, source: Attribute, target: Attribute) -> None:
        one_index = isinstance(get_element_type_or_self(source), IndexType) != isinstance(
            get_element_type_or_self(target), IndexType
        )
        self._expect(one_index, "exactly one side of index", source, target)


@irdl_op_definition
class IndexCastOp(_IndexCastOp):
    """Between index and integers, sign-extending or truncating."""

    name = "arith.index_cast"
    input = operand_def(index_like)
    result = result_def(index_like)


@irdl_op_definition
class IndexCastUIOp(_IndexCastOp):
    """Between index and integers, zero-extending or truncating."""

    name = "arith.index_castui"
    input = operand_def(index_like)
    result = result_def(index_like)


@irdl_op_definition
class RemfOp(FloatingPointLikeBinaryOperation):
    """The remainder of C's `fmod`: the sign of the dividend."""

    name = "arith.remf"
    traits = traits_def(Pure())


class NegfOp(XdslNegfOp):
    """Flip the sign bit."""

    def __init__(
        self, operand: Operation | SSAValue, fastmath: FastMathFlagsAttr | None = None
    ) -> None:
        IRDLOperation.__init__(
            self,
            operands=[operand],
            result_types=[SSAValue.get(operand).type],
            properties={"fastmath": fastmath},
        )


Arith = corrected(
    XdslArith,
    [
        CmpfOp,
        CmpiOp,
        ExtFOp,
        ExtSIOp,
        ExtUIOp,
        FPToSIOp,
        FPToUIOp,
        IndexCastOp,
        IndexCastUIOp,
        NegfOp,
        RemfOp,
        SIToFPOp,
        SelectOp,
        TruncFOp,
        TruncIOp,
        UIToFPOp,
    ],
)

__all__ = [
    "NO_FASTMATH",
    "NO_OVERFLOW",
    "AddUIExtendedOp",
    "AddfOp",
    "AddiOp",
    "AndIOp",
    "Arith",
    "BitcastOp",
    "CastOp",
    "CeilDivSIOp",
    "CeilDivUIOp",
    "CmpfOp",
    "CmpiOp",
    "ConstantOp",
    "DivSIOp",
    "DivUIOp",
    "DivfOp",
    "ExtFOp",
    "ExtSIOp",
    "ExtUIOp",
    "FPToSIOp",
    "FPToUIOp",
    "FastMathFlag",
    "FastMathFlagsAttr",
    "FloorDivSIOp",
    "IndexCastOp",
    "IndexCastUIOp",
    "IntegerOverflowAttr",
    "IntegerOverflowFlag",
    "MaxSIOp",
    "MaxUIOp",
    "MaximumfOp",
    "MaxnumfOp",
    "MinSIOp",
    "MinUIOp",
    "MinimumfOp",
    "MinnumfOp",
    "MulSIExtendedOp",
    "MulUIExtendedOp",
    "MulfOp",
    "MuliOp",
    "NegfOp",
    "OrIOp",
    "RemSIOp",
    "RemUIOp",
    "RemfOp",
    "SIToFPOp",
    "SelectOp",
    "ShLIOp",
    "ShRSIOp",
    "ShRUIOp",
    "SubfOp",
    "SubiOp",
    "TruncFOp",
    "TruncIOp",
    "UIToFPOp",
    "XOrIOp",
    "bit_width",
    "with_element_type",
]
