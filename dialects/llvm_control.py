"""Own operations of the llvm dialect with symbols and blocks: functions, globals, calls, switch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

from xdsl.dialects.builtin import (
    DenseArrayBase,
    DenseIntElementsAttr,
    IntegerAttr,
    IntegerType,
    SignlessIntegerConstraint,
    StringAttr,
    UnitAttr,
    VectorType,
    i32,
    i64,
)
from xdsl.dialects.llvm import (
    CallingConventionAttr,
    FastMathAttr,
    LinkageAttr,
    LLVMArrayType,
    TailCallKind,
    TailCallKindAttr,
)
from xdsl.dialects.llvm import CallOp as XdslCallOp
from xdsl.dialects.llvm import FuncOp as XdslFuncOp
from xdsl.dialects.llvm import GlobalOp as XdslGlobalOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue, TypedAttribute
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    ParsePropInAttrDict,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    opt_result_def,
    prop_def,
    successor_def,
    traits_def,
    var_operand_def,
    var_successor_def,
)
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer
from xdsl.traits import IsTerminator, Pure
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.hints import isa

NO_FASTMATH = FastMathAttr(None)


@irdl_op_definition
class SwitchOp(IRDLOperation):
    """Go to the block whose case equals `value`, else to the default block."""

    name = "llvm.switch"

    value = operand_def(SignlessIntegerConstraint)
    default_operands = var_operand_def()
    case_operands = var_operand_def()
    case_values = opt_prop_def(DenseIntElementsAttr)
    case_operand_segments = prop_def(DenseArrayBase.constr(i32))
    default_block = successor_def()
    case_blocks = var_successor_def()

    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    traits = traits_def(IsTerminator(), Pure())

    def __init__(
        self,
        value: Operation | SSAValue,
        default_block: Block,
        default_operands: Sequence[Operation | SSAValue] = (),
        cases: Sequence[tuple[int, Block, Sequence[Operation | SSAValue]]] = (),
    ) -> None:
        type = SSAValue.get(value).type
        if not isa(type, IntegerType):
            raise VerifyException(f"{self.name}: expected an integer, found {type}")
        super().__init__(
            operands=[value, default_operands, [x for _, _, given in cases for x in given]],
            properties={
                "case_values": DenseIntElementsAttr.from_list(
                    VectorType(type, [len(cases)]), [number for number, _, _ in cases]
                )
                if cases
                else None,
                "case_operand_segments": DenseArrayBase.from_list(
                    i32, [len(given) for _, _, given in cases]
                ),
            },
            successors=[default_block, [block for _, block, _ in cases]],
        )

    def cases(self) -> list[tuple[int, Block, Sequence[SSAValue]]]:
        """(number, block, operands) of each case."""
        numbers = () if self.case_values is None else self.case_values.get_values()
        result: list[tuple[int, Block, Sequence[SSAValue]]] = []
        start = 0
        for number, block, size in zip(
            numbers, self.case_blocks, self.case_operand_segments.get_values(), strict=True
        ):
            result.append((number, block, self.case_operands[start : start + size]))
            start += size
        return result

    def verify_(self) -> None:
        numbers = 0 if self.case_values is None else len(self.case_values)
        sizes = self.case_operand_segments.get_values()
        if not numbers == len(self.case_blocks) == len(sizes):
            raise VerifyException(
                f"{self.name}: expected as many case values and operand counts as blocks, "
                f"found {numbers}, {len(sizes)} and {len(self.case_blocks)}"
            )
        if sum(sizes) != len(self.case_operands):
            raise VerifyException(
                f"{self.name}: expected {sum(sizes)} case operands, found {len(self.case_operands)}"
            )

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        value = parser.parse_unresolved_operand()
        parser.parse_punctuation(":")
        flag = parser.resolve_operand(value, parser.parse_type())
        parser.parse_punctuation(",")
        default_block, default_operands = _parse_target(parser)

        def parse_case() -> tuple[int, Block, Sequence[SSAValue]]:
            number = parser.parse_integer()
            parser.parse_punctuation(":")
            return (number, *_parse_target(parser))

        parser.parse_punctuation("[")
        cases: list[tuple[int, Block, Sequence[SSAValue]]] = []
        if parser.parse_optional_punctuation("]") is None:
            cases = parser.parse_comma_separated_list(parser.Delimiter.NONE, parse_case)
            parser.parse_punctuation("]")
        op = cls(flag, default_block, default_operands, cases)
        op.attributes |= parser.parse_optional_attr_dict()
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_operand(self.value)
        printer.print_string(" : ")
        printer.print_attribute(self.value.type)
        printer.print_string(", ")
        _print_target(printer, self.default_block, self.default_operands)
        printer.print_string(" [")
        with printer.indented():
            for k, (number, block, operands) in enumerate(self.cases()):
                printer.print_string(f"{',' if k else ''}\n{number}: ")
                _print_target(printer, block, operands)
        printer.print_string("\n]")
        printer.print_op_attributes(self.attributes)


def _parse_target(parser: Parser) -> tuple[Block, Sequence[SSAValue]]:
    """`^bb`, or `^bb(%a, %b : type, type)`."""
    block = parser.parse_successor()
    start = parser.pos
    if parser.parse_optional_punctuation("(") is None:
        return block, ()
    operands: list[UnresolvedOperand] = parser.parse_comma_separated_list(
        parser.Delimiter.NONE, parser.parse_unresolved_operand
    )
    parser.parse_punctuation(":")
    types = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
    parser.parse_punctuation(")")
    return block, parser.resolve_operands(operands, types, start)


def _print_target(printer: Printer, block: Block, operands: Sequence[SSAValue]) -> None:
    printer.print_block_name(block)
    if operands:
        with printer.in_parens():
            printer.print_list(operands, printer.print_operand)
            printer.print_string(" : ")
            printer.print_list([x.type for x in operands], printer.print_attribute)


class CallOp(XdslCallOp):
    """Call a function by name, or through a pointer (then the first of `args`)."""

    @classmethod
    def indirect(
        cls,
        callee: SSAValue,
        args: Sequence[SSAValue],
        result_type: Attribute | None = None,
    ) -> Self:
        """A call of the function at `callee`; no result type means void."""
        return cls.create(
            operands=[callee, *args],
            result_types=[] if result_type is None else [result_type],
            properties={
                "fastmathFlags": NO_FASTMATH,
                "CConv": CallingConventionAttr("ccc"),
                "TailCallKind": TailCallKindAttr(TailCallKind.NONE),
                "op_bundle_sizes": DenseArrayBase.from_list(i32, ()),
                "operandSegmentSizes": DenseArrayBase.from_list(i32, [1 + len(args), 0]),
            },
        )


@irdl_op_definition
class CallIntrinsicOp(IRDLOperation):
    """Call an intrinsic by its full name, for example `llvm.fma.v16f32`."""

    name = "llvm.call_intrinsic"

    intrin = prop_def(StringAttr)
    args = var_operand_def()
    op_bundle_operands = var_operand_def()
    ress = opt_result_def()
    fastmathFlags = prop_def(FastMathAttr, default_value=NO_FASTMATH)
    op_bundle_sizes = prop_def(
        DenseArrayBase.constr(i32), default_value=DenseArrayBase.from_list(i32, ())
    )

    irdl_options = (AttrSizedOperandSegments(as_property=True), ParsePropInAttrDict())

    assembly_format = (
        "$intrin `(` $args `)` (`[` $op_bundle_operands^ `:` type($op_bundle_operands) `]`)? "
        "attr-dict `:` functional-type($args, results)"
    )

    def __init__(
        self,
        intrin: str,
        args: Sequence[SSAValue | Operation],
        result_types: Sequence[Attribute],
        fast_math: FastMathAttr = NO_FASTMATH,
    ) -> None:
        super().__init__(
            operands=[args, ()],
            result_types=[result_types],
            properties={
                "intrin": StringAttr(intrin),
                "fastmathFlags": fast_math,
                "op_bundle_sizes": DenseArrayBase.from_list(i32, ()),
            },
        )

    def verify_(self) -> None:
        if not self.intrin.data.startswith("llvm."):
            raise VerifyException(
                f"{self.name}: expected a name that starts with llvm., found {self.intrin.data}"
            )


def _as_properties(
    op: type[IRDLOperation], attributes: dict[str, Attribute]
) -> tuple[dict[str, Attribute], dict[str, Attribute]]:
    """Split `attributes` into those that `op` defines as properties and the rest."""
    defined = op.get_irdl_definition().properties
    return (
        {name: value for name, value in attributes.items() if name in defined},
        {name: value for name, value in attributes.items() if name not in defined},
    )


class FuncOp(XdslFuncOp):
    """A function. A list `passthrough` holds LLVM attributes: names, or [name, value]."""

    @classmethod
    def parse(cls, parser: Parser) -> FuncOp:
        parsed = super().parse(parser)
        properties, attributes = _as_properties(cls, parsed.attributes)
        return cls.create(
            properties=parsed.properties | properties,
            attributes=attributes,
            regions=[parsed.detach_region(parsed.body)],
        )


_LINKAGES = (
    *("private", "internal", "available_externally", "linkonce", "weak", "common"),
    *("appending", "extern_weak", "linkonce_odr", "weak_odr", "external"),
)
_VISIBILITIES = {"hidden": 1, "protected": 2}
_UNNAMED_ADDRESSES = {"local_unnamed_addr": 1, "unnamed_addr": 2}


class GlobalOp(XdslGlobalOp):
    """A global variable or constant; the value is an attribute, or a region returns it.

    `visibility_` and `unnamed_addr` are numbers, and keywords in the text; 0 is the default.
    """

    @classmethod
    def parse(cls, parser: Parser) -> GlobalOp:
        linkage = parser.parse_optional_keyword_in(_LINKAGES) or "external"
        properties: dict[str, Attribute] = {"linkage": LinkageAttr(linkage)}
        if visibility := parser.parse_optional_keyword_in(_VISIBILITIES):
            properties["visibility_"] = IntegerAttr(_VISIBILITIES[visibility], i64)
        if parser.parse_optional_keyword("thread_local"):
            properties["thread_local_"] = UnitAttr()
        if address := parser.parse_optional_keyword_in(_UNNAMED_ADDRESSES):
            properties["unnamed_addr"] = IntegerAttr(_UNNAMED_ADDRESSES[address], i64)
        if parser.parse_optional_keyword("constant"):
            properties["constant"] = UnitAttr()
        properties["sym_name"] = parser.parse_symbol_name()
        parser.parse_punctuation("(")
        value = parser.parse_optional_attribute()
        if value is not None:
            properties["value"] = value
        parser.parse_punctuation(")")
        given, attributes = _as_properties(cls, parser.parse_optional_attr_dict())
        properties["addr_space"] = IntegerAttr(0, i32)
        if parser.parse_optional_punctuation(":"):
            properties["global_type"] = parser.parse_type()
        elif isinstance(value, StringAttr):
            properties["global_type"] = LLVMArrayType(len(value.data), IntegerType(8))
        elif isinstance(value, TypedAttribute):
            properties["global_type"] = value.get_type()
        else:
            parser.raise_error("llvm.mlir.global: expected `:` and a type after no value")
        return cls.create(
            properties=properties | given,
            attributes=attributes,
            regions=[parser.parse_optional_region() or Region()],
        )

    def print(self, printer: Printer) -> None:
        words = [
            self.linkage.linkage.data,
            _keyword(_VISIBILITIES, self.visibility_),
            "thread_local" if self.thread_local_ is not None else "",
            _keyword(_UNNAMED_ADDRESSES, self.unnamed_addr),
            "constant" if self.constant is not None else "",
        ]
        printer.print_string("".join(f" {word}" for word in words if word) + " ")
        printer.print_symbol_name(self.sym_name.data)
        with printer.in_parens():
            if self.value is not None:
                printer.print_attribute(self.value)
        printer.print_op_attributes(
            self.properties | self.attributes,
            reserved_attr_names=(
                *("global_type", "sym_name", "linkage", "constant", "thread_local_"),
                *("unnamed_addr", "visibility_", "value"),
            ),
        )
        printer.print_string(" : ")
        printer.print_attribute(self.global_type)
        if self.body.blocks:
            printer.print_string(" ")
            printer.print_region(self.body)


def _keyword(words: dict[str, int], number: IntegerAttr | None) -> str:
    value = 0 if number is None else number.value.data
    return next((word for word, code in words.items() if code == value), "")
