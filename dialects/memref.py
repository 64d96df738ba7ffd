"""The memref dialect: xDSL's operations, with upstream's custom syntax where xDSL has none.

- `copy`, `cast`, `extract_aligned_pointer_as_index`, `memory_space_cast`: custom syntax.
- `global`: custom syntax; initial value and visibility may be absent, as upstream has it.
- `load`, `store`: a wrong number of indices is a verifier error (xDSL raises `Exception`).
- `prefetch`: xDSL has none.

    memref.copy %a, %b : memref<8xf32> to memref<8xf32>
    memref.global "private" constant @w : memref<2xf32> = dense<[1.0, 0x7F800000]> {alignment = 64}
"""

from __future__ import annotations

from typing import ClassVar, cast

from xdsl.dialects.builtin import (
    I32,
    I64,
    AnyDenseElement,
    BoolAttr,
    DenseIntOrFPElementsAttr,
    DenseResourceAttr,
    IndexType,
    IntegerAttr,
    MemRefType,
    StringAttr,
    SymbolNameConstraint,
    TensorType,
    UnitAttr,
    i32,
)
from xdsl.dialects.memref import (
    AllocaOp,
    AllocaScopeOp,
    AllocaScopeReturnOp,
    AllocOp,
    AssumeAlignmentOp,
    CollapseShapeOp,
    DeallocOp,
    DimOp,
    ExpandShapeOp,
    ExtractStridedMetaDataOp,
    GetGlobalOp,
    RankOp,
    ReinterpretCastOp,
    SubviewOp,
    ViewOp,
)
from xdsl.dialects.memref import CastOp as XdslCastOp
from xdsl.dialects.memref import CopyOp as XdslCopyOp
from xdsl.dialects.memref import (
    ExtractAlignedPointerAsIndexOp as XdslExtractAlignedPointerAsIndexOp,
)
from xdsl.dialects.memref import LoadOp as XdslLoadOp
from xdsl.dialects.memref import MemorySpaceCastOp as XdslMemorySpaceCastOp
from xdsl.dialects.memref import MemRef as XdslMemRef
from xdsl.dialects.memref import StoreOp as XdslStoreOp
from xdsl.ir import Attribute, Operation
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import SymbolOpInterface
from xdsl.utils.bitwise_casts import is_power_of_two
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.hints import isa

from lamina.dialects.builtin import corrected


class LoadOp(XdslLoadOp):
    """The element at `indices`."""

    def verify_(self) -> None:
        _verify_indices(self, self.memref.type, len(self.indices))


class StoreOp(XdslStoreOp):
    """Write `value` to the element at `indices`."""

    def verify_(self) -> None:
        _verify_indices(self, self.memref.type, len(self.indices))


@irdl_op_definition
class PrefetchOp(IRDLOperation):
    """Ask for the cache line of the element at `indices`; nothing is read or written.

    localityHint: from 0, not used again, to 3, kept in every cache.
    """

    name = "memref.prefetch"

    memref = operand_def(MemRefType)
    indices = var_operand_def(IndexType)
    isWrite = prop_def(BoolAttr)
    localityHint = prop_def(IntegerAttr[I32])
    isDataCache = prop_def(BoolAttr)

    def verify_(self) -> None:
        _verify_indices(self, self.memref.type, len(self.indices))
        if not 0 <= self.localityHint.value.data <= 3:
            raise VerifyException(
                f"{self.name}: expected a locality from 0 to 3, "
                f"found {self.localityHint.value.data}"
            )

    @classmethod
    def parse(cls, parser: Parser) -> PrefetchOp:
        start = parser.pos
        buffer = parser.parse_unresolved_operand()
        indices = parser.parse_comma_separated_list(
            parser.Delimiter.SQUARE, parser.parse_unresolved_operand
        )
        parser.parse_punctuation(",")
        write = _one_of(parser, "read", "write")
        parser.parse_punctuation(",")
        parser.parse_keyword("locality")
        with parser.in_angle_brackets():
            locality = parser.parse_integer()
        parser.parse_punctuation(",")
        data = _one_of(parser, "instr", "data")
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        types = [parser.parse_type(), *[IndexType()] * len(indices)]
        return cls.create(
            operands=parser.resolve_operands([buffer, *indices], types, start),
            properties={
                "isWrite": BoolAttr.from_bool(write),
                "localityHint": IntegerAttr(locality, i32),
                "isDataCache": BoolAttr.from_bool(data),
            },
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_operand(self.memref)
        with printer.in_square_brackets():
            printer.print_list(self.indices, printer.print_operand)
        use = "write" if self.isWrite.value.data else "read"
        cache = "data" if self.isDataCache.value.data else "instr"
        printer.print_string(f", {use}, locality<{self.localityHint.value.data}>, {cache}")
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.memref.type)


def _one_of(parser: Parser, no: str, yes: str) -> bool:
    """Whether the second of two keywords stands here."""
    if parser.parse_optional_keyword(no) is not None:
        return False
    parser.parse_keyword(yes)
    return True


def _verify_indices(op: Operation, type: Attribute, indices: int) -> None:
    assert isinstance(type, MemRefType)
    if len(type.shape) != indices:
        raise VerifyException(f"{op.name}: expected {len(type.shape)} indices, found {indices}")


class CopyOp(XdslCopyOp):
    """Copy all elements; the buffers have one shape and element type and do not overlap partly."""

    @classmethod
    def parse(cls, parser: Parser) -> CopyOp:
        start = parser.pos
        operands = [parser.parse_unresolved_operand()]
        parser.parse_punctuation(",")
        operands.append(parser.parse_unresolved_operand())
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        types = [parser.parse_type()]
        parser.parse_keyword("to")
        types.append(parser.parse_type())
        return cls.create(
            operands=parser.resolve_operands(operands, types, start), attributes=attributes
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_list(self.operands, printer.print_operand)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_list(self.operand_types, printer.print_attribute, " to ")


class _ConversionSyntax(IRDLOperation):
    """`%a : type to type`."""

    keyword: ClassVar[str] = "to"

    @classmethod
    def parse(cls, parser: Parser) -> Operation:
        source = parser.parse_unresolved_operand()
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        source_type = parser.parse_type()
        parser.parse_characters(cls.keyword)
        return cls.create(
            operands=[parser.resolve_operand(source, source_type)],
            result_types=[parser.parse_type()],
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_operand(self.operands[0])
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.operands[0].type)
        printer.print_string(f" {self.keyword} ")
        printer.print_attribute(self.results[0].type)


class CastOp(_ConversionSyntax, XdslCastOp):
    """Forget or assert static sizes, strides or the rank; no data moves."""


class MemorySpaceCastOp(_ConversionSyntax, XdslMemorySpaceCastOp):
    """The same buffer in another memory space."""


class ExtractAlignedPointerAsIndexOp(_ConversionSyntax, XdslExtractAlignedPointerAsIndexOp):
    """The address of the buffer's first byte before its offset, as an integer."""

    keyword = "->"


@irdl_op_definition
class GlobalOp(IRDLOperation):
    """A named buffer with static storage.

    `initial_value` is a dense attribute, a resource (its bytes are not in the text), a unit
    (uninitialized) or absent (defined elsewhere).
    """

    name = "memref.global"

    sym_name = prop_def(SymbolNameConstraint())
    sym_visibility = opt_prop_def(StringAttr)
    type = prop_def(MemRefType)
    initial_value = opt_prop_def(UnitAttr | DenseIntOrFPElementsAttr | DenseResourceAttr)
    constant = opt_prop_def(UnitAttr)
    alignment = opt_prop_def(IntegerAttr[I64])

    traits = traits_def(SymbolOpInterface())

    def __init__(
        self,
        sym_name: str,
        type: MemRefType,
        initial_value: DenseIntOrFPElementsAttr | DenseResourceAttr | UnitAttr | None,
        *,
        visibility: str | None = "private",
        constant: bool = False,
        alignment: int | None = None,
    ) -> None:
        super().__init__(
            properties={
                "sym_name": StringAttr(sym_name),
                "sym_visibility": None if visibility is None else StringAttr(visibility),
                "type": type,
                "initial_value": initial_value,
                "constant": UnitAttr() if constant else None,
                "alignment": None if alignment is None else IntegerAttr(alignment, 64),
            }
        )

    def verify_(self) -> None:
        if self.alignment is not None and not is_power_of_two(self.alignment.value.data):
            raise VerifyException(
                f"{self.name}: expected a power of two as alignment, "
                f"found {self.alignment.value.data}"
            )
        if isinstance(self.initial_value, DenseIntOrFPElementsAttr | DenseResourceAttr):
            value, expected = self.initial_value.type, _tensor_type(self.type)
            if value != expected:
                raise VerifyException(
                    f"{self.name}: expected an initial value of type {expected}, found {value}"
                )

    @classmethod
    def parse(cls, parser: Parser) -> GlobalOp:
        visibility = parser.parse_optional_str_literal()
        constant = parser.parse_optional_keyword("constant") is not None
        name = parser.parse_symbol_name()
        parser.parse_punctuation(":")
        start = parser.pos
        type = parser.parse_type()
        if not isa(type, MemRefType):
            parser.raise_error(f"memref.global: expected a memref type, found {type}", start)
        value: DenseIntOrFPElementsAttr | DenseResourceAttr | UnitAttr | None = None
        if parser.parse_optional_punctuation("="):
            if parser.parse_optional_keyword("uninitialized"):
                value = UnitAttr()
            elif parser.parse_optional_keyword("dense_resource"):
                with parser.in_angle_brackets():
                    value = DenseResourceAttr.from_params(
                        parser.parse_identifier(), _tensor_type(type)
                    )
            else:
                parser.parse_keyword("dense")
                value = parser.parse_dense_int_or_fp_elements_attr(
                    cast(TensorType[AnyDenseElement], _tensor_type(type))
                )
        attributes = parser.parse_optional_attr_dict()
        alignment = attributes.pop("alignment", None)
        op = cls(name.data, type, value, visibility=visibility, constant=constant)
        if alignment is not None:
            op.properties["alignment"] = alignment
        op.attributes |= attributes
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        if self.sym_visibility is not None:
            printer.print_attribute(self.sym_visibility)
            printer.print_string(" ")
        if self.constant is not None:
            printer.print_string("constant ")
        printer.print_symbol_name(self.sym_name.data)
        printer.print_string(" : ")
        printer.print_attribute(self.type)
        if isinstance(self.initial_value, DenseIntOrFPElementsAttr | DenseResourceAttr):
            printer.print_string(" = ")
            self.initial_value.print_without_type(printer)
        elif self.initial_value is not None:
            printer.print_string(" = uninitialized")
        attributes = dict(self.attributes)
        if self.alignment is not None:
            attributes["alignment"] = self.alignment
        printer.print_op_attributes(attributes)


def _tensor_type(type: MemRefType) -> TensorType:
    return TensorType(type.element_type, type.shape)


MemRef = corrected(
    XdslMemRef,
    [
        CastOp,
        CopyOp,
        ExtractAlignedPointerAsIndexOp,
        GlobalOp,
        LoadOp,
        MemorySpaceCastOp,
        PrefetchOp,
        StoreOp,
    ],
)

__all__ = [
    "AllocOp",
    "AllocaOp",
    "AllocaScopeOp",
    "AllocaScopeReturnOp",
    "AssumeAlignmentOp",
    "CastOp",
    "CollapseShapeOp",
    "CopyOp",
    "DeallocOp",
    "DimOp",
    "ExpandShapeOp",
    "ExtractAlignedPointerAsIndexOp",
    "ExtractStridedMetaDataOp",
    "GetGlobalOp",
    "GlobalOp",
    "LoadOp",
    "MemRef",
    "MemorySpaceCastOp",
    "PrefetchOp",
    "RankOp",
    "ReinterpretCastOp",
    "StoreOp",
    "SubviewOp",
    "ViewOp",
]
