"""Own operations of the llvm dialect that compute values: comparisons, select, casts, constants."""

from __future__ import annotations

import abc
from typing import ClassVar

from xdsl.dialects.builtin import (
    I1,
    I64,
    AnyFloatConstr,
    IntegerAttr,
    SignlessIntegerConstraint,
    UnitAttr,
    VectorType,
    i1,
    i64,
)
from xdsl.dialects.llvm import (
    ALL_FCMP_FLAGS,
    ALL_ICMP_FLAGS,
    FastMathAttr,
    GenericCastOp,
    LLVMPointerType,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    AnyAttr,
    IRDLOperation,
    VarConstraint,
    base,
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
from xdsl.utils.type import have_compatible_shape

from lamina.dialects.arith import with_element_type

integer_like = SignlessIntegerConstraint | VectorType.constr(SignlessIntegerConstraint)
float_like = AnyFloatConstr | VectorType.constr(AnyFloatConstr)
NO_FASTMATH = FastMathAttr(None)


def _take_fastmath(attributes: dict[str, Attribute], parser: Parser) -> FastMathAttr:
    flags = attributes.pop("fastmathFlags", NO_FASTMATH)
    if not isinstance(flags, FastMathAttr):
        parser.raise_error(f"fastmathFlags: expected #llvm.fastmath<...>, found {flags}")
    return flags


def _print_attributes(
    op: IRDLOperation, printer: Printer, fastmath: FastMathAttr = NO_FASTMATH
) -> None:
    attributes = dict(op.attributes)
    if fastmath != NO_FASTMATH:
        attributes["fastmathFlags"] = fastmath
    printer.print_op_attributes(attributes)


class _CompareOp(IRDLOperation, abc.ABC):
    """Elementwise comparison; the result is i1, or a vector of i1 of the same length."""

    PREDICATES: ClassVar[list[str]]
    """Names by predicate number."""

    res = result_def(I1 | VectorType[I1])
    predicate = prop_def(IntegerAttr[I64])

    traits = traits_def(Pure())

    @property
    def predicate_name(self) -> str:
        """The predicate as in the text, for example `olt`."""
        return self.PREDICATES[self.predicate.value.data]

    @classmethod
    def predicate_attr(cls, predicate: int | str | IntegerAttr) -> IntegerAttr:
        """The predicate of a name or number."""
        if isinstance(predicate, IntegerAttr):
            return predicate
        if isinstance(predicate, str):
            if predicate not in cls.PREDICATES:
                raise VerifyException(
                    f"{cls.name}: expected a predicate of {', '.join(cls.PREDICATES)}, "
                    f"found {predicate}"
                )
            predicate = cls.PREDICATES.index(predicate)
        return IntegerAttr(predicate, i64)

    def verify_(self) -> None:
        expected = with_element_type(self.operands[0].type, i1)
        if self.res.type != expected:
            raise VerifyException(
                f"{self.name}: expected result type {expected}, found {self.res.type}"
            )
        if not 0 <= self.predicate.value.data < len(self.PREDICATES):
            raise VerifyException(
                f"{self.name}: expected a predicate below {len(self.PREDICATES)}, "
                f"found {self.predicate.value.data}"
            )

    @classmethod
    def parse(cls, parser: Parser) -> _CompareOp:
        start = parser.pos
        predicate = parser.parse_str_literal()
        if predicate not in cls.PREDICATES:
            parser.raise_error(
                f"{cls.name}: expected a predicate of {', '.join(cls.PREDICATES)}, "
                f"found {predicate}",
                start,
            )
        lhs = parser.parse_unresolved_operand()
        parser.parse_punctuation(",")
        rhs = parser.parse_unresolved_operand()
        attributes = parser.parse_optional_attr_dict()
        properties: dict[str, Attribute] = {"predicate": cls.predicate_attr(predicate)}
        if "fastmathFlags" in cls.get_irdl_definition().properties:
            properties["fastmathFlags"] = _take_fastmath(attributes, parser)
        parser.parse_punctuation(":")
        type = parser.parse_type()
        return cls.create(
            operands=parser.resolve_operands([lhs, rhs], [type, type], start),
            result_types=[with_element_type(type, i1)],
            properties=properties,
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(f' "{self.predicate_name}" ')
        printer.print_list(self.operands, printer.print_operand)
        fastmath = self.properties.get("fastmathFlags", NO_FASTMATH)
        assert isinstance(fastmath, FastMathAttr)
        _print_attributes(self, printer, fastmath)
        printer.print_string(" : ")
        printer.print_attribute(self.operands[0].type)


@irdl_op_definition
class ICmpOp(_CompareOp):
    """Compare integers or pointers: `eq ne`, signed `s..`, unsigned `u..`."""

    name = "llvm.icmp"
    PREDICATES: ClassVar = [str(flag) for flag in ALL_ICMP_FLAGS]

    T: ClassVar = VarConstraint("T", integer_like | base(LLVMPointerType))
    lhs = operand_def(T)
    rhs = operand_def(T)

    def __init__(
        self,
        lhs: SSAValue | Operation,
        rhs: SSAValue | Operation,
        predicate: int | str | IntegerAttr,
    ) -> None:
        super().__init__(
            operands=[lhs, rhs],
            result_types=[with_element_type(SSAValue.get(lhs).type, i1)],
            properties={"predicate": self.predicate_attr(predicate)},
        )


@irdl_op_definition
class FCmpOp(_CompareOp):
    """Compare floats: `o..` is false for a NaN, `u..` is true; `ord`, `uno`, `_true`, `_false`."""

    name = "llvm.fcmp"
    PREDICATES: ClassVar = [str(flag) for flag in ALL_FCMP_FLAGS]

    T: ClassVar = VarConstraint("T", float_like)
    lhs = operand_def(T)
    rhs = operand_def(T)
    fastmathFlags = prop_def(FastMathAttr, default_value=NO_FASTMATH)

    def __init__(
        self,
        lhs: SSAValue | Operation,
        rhs: SSAValue | Operation,
        predicate: int | str | IntegerAttr,
        fast_math: FastMathAttr = NO_FASTMATH,
    ) -> None:
        super().__init__(
            operands=[lhs, rhs],
            result_types=[with_element_type(SSAValue.get(lhs).type, i1)],
            properties={
                "predicate": self.predicate_attr(predicate),
                "fastmathFlags": fast_math,
            },
        )


@irdl_op_definition
class SelectOp(IRDLOperation):
    """`lhs` where `cond`, else `rhs`. A scalar condition chooses whole values."""

    name = "llvm.select"

    T: ClassVar = VarConstraint("T", AnyAttr())

    cond = operand_def(I1 | VectorType[I1])
    lhs = operand_def(T)
    rhs = operand_def(T)
    res = result_def(T)
    fastmathFlags = prop_def(FastMathAttr, default_value=NO_FASTMATH)

    traits = traits_def(Pure())

    def __init__(
        self,
        cond: Operation | SSAValue,
        lhs: Operation | SSAValue,
        rhs: Operation | SSAValue,
        fast_math: FastMathAttr = NO_FASTMATH,
    ) -> None:
        super().__init__(
            operands=[cond, lhs, rhs],
            result_types=[SSAValue.get(lhs).type],
            properties={"fastmathFlags": fast_math},
        )

    def verify_(self) -> None:
        cond = self.cond.type
        if cond != i1 and with_element_type(self.res.type, i1) != cond:
            raise VerifyException(
                f"{self.name}: expected a condition of i1 or of the shape of {self.res.type}, "
                f"found {cond}"
            )

    @classmethod
    def parse(cls, parser: Parser) -> SelectOp:
        start = parser.pos
        operands = parser.parse_comma_separated_list(
            parser.Delimiter.NONE, parser.parse_unresolved_operand
        )
        attributes = parser.parse_optional_attr_dict()
        fastmath = _take_fastmath(attributes, parser)
        parser.parse_punctuation(":")
        cond = parser.parse_type()
        parser.parse_punctuation(",")
        type = parser.parse_type()
        return cls.create(
            operands=parser.resolve_operands(operands, [cond, type, type], start),
            result_types=[type],
            properties={"fastmathFlags": fastmath},
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_list(self.operands, printer.print_operand)
        _print_attributes(self, printer, self.fastmathFlags)
        printer.print_string(" : ")
        printer.print_list((self.cond.type, self.res.type), printer.print_attribute)


class _CastOp(GenericCastOp, abc.ABC):
    """An elementwise conversion between types of one shape."""

    def verify_(self) -> None:
        source, target = self.operands[0].type, self.results[0].type
        if not have_compatible_shape(source, target):
            raise VerifyException(
                f"{self.name}: expected types of one shape, found {source}, {target}"
            )


@irdl_op_definition
class FPToSIOp(_CastOp):
    """Floats to signed integers, rounding towards zero; poison out of range."""

    name = "llvm.fptosi"
    arg = operand_def(float_like)
    result = result_def(integer_like)


@irdl_op_definition
class FPToUIOp(_CastOp):
    """Floats to unsigned integers, rounding towards zero; poison out of range."""

    name = "llvm.fptoui"
    arg = operand_def(float_like)
    result = result_def(integer_like)


@irdl_op_definition
class UIToFPOp(_CastOp):
    """Unsigned integers to floats, rounding to nearest even; `nneg`: poison if negative."""

    name = "llvm.uitofp"
    arg = operand_def(integer_like)
    result = result_def(float_like)
    non_neg = opt_prop_def(UnitAttr, prop_name="nonNeg")

    assembly_format = "(`nneg` $nonNeg^)? $arg attr-dict `:` type($arg) `to` type($result)"


@irdl_op_definition
class ExtractElementOp(IRDLOperation):
    """One element of a vector."""

    name = "llvm.extractelement"

    T: ClassVar = VarConstraint("T", AnyAttr())

    vector = operand_def(VectorType.constr(T))
    position = operand_def(SignlessIntegerConstraint)
    res = result_def(T)

    traits = traits_def(Pure())

    assembly_format = "$vector `[` $position `:` type($position) `]` attr-dict `:` type($vector)"

    def __init__(self, vector: Operation | SSAValue, position: Operation | SSAValue) -> None:
        type = SSAValue.get(vector).type
        if not isa(type, VectorType):
            raise VerifyException(f"{self.name}: expected a vector, found {type}")
        super().__init__(operands=[vector, position], result_types=[type.element_type])


class _ValueOp(IRDLOperation, abc.ABC):
    """A constant of a type."""

    res = result_def()

    traits = traits_def(Pure())

    assembly_format = "attr-dict `:` type($res)"

    def __init__(self, result_type: Attribute) -> None:
        super().__init__(result_types=[result_type])


@irdl_op_definition
class PoisonOp(_ValueOp):
    """A value that no defined result may depend on."""

    name = "llvm.mlir.poison"


@irdl_op_definition
class ZeroOp(_ValueOp):
    """All bits zero: null pointers, zero numbers, vectors, arrays, structs."""

    name = "llvm.mlir.zero"
