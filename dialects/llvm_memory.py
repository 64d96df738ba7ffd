"""Own operations of the llvm dialect on pointers and memory: address arithmetic, fences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Self

from xdsl.dialects.builtin import (
    I32,
    I64,
    DenseArrayBase,
    IntegerAttr,
    IntegerType,
    i32,
    i64,
)
from xdsl.dialects.llvm import (
    GEP_USE_SSA_VAL,
    LLVMArrayType,
    LLVMPointerType,
    LLVMStructType,
)
from xdsl.dialects.utils import (
    parse_dynamic_index_list_without_types,
    print_dynamic_index_list,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import NoMemoryEffect
from xdsl.utils.exceptions import VerifyException


@irdl_op_definition
class GEPOp(IRDLOperation):
    """`ptr` moved by indices into `elem_type`; no memory is read.

    An index of `GEP_USE_SSA_VAL` in `rawConstantIndices` stands for the next of `ssa_indices`.
    """

    name = "llvm.getelementptr"

    ptr = operand_def(LLVMPointerType)
    ssa_indices = var_operand_def(IntegerType)
    elem_type = prop_def()
    no_wrap_flags = prop_def(
        IntegerAttr[I32], default_value=IntegerAttr(0, i32), prop_name="noWrapFlags"
    )
    rawConstantIndices = prop_def(DenseArrayBase.constr(i32))
    result = result_def(LLVMPointerType)

    traits = traits_def(NoMemoryEffect())

    FLAGS: ClassVar = {"inbounds": 3, "nusw": 2, "nuw": 4}
    """Bits of `noWrapFlags` by keyword; `inbounds` implies `nusw`."""

    def __init__(
        self,
        ptr: SSAValue | Operation,
        indices: Sequence[int],
        pointee_type: Attribute,
        ssa_indices: Sequence[SSAValue | Operation] = (),
        *,
        result_type: LLVMPointerType = LLVMPointerType(),  # noqa: B008  (immutable)
        inbounds: bool = False,
    ) -> None:
        super().__init__(
            operands=[ptr, ssa_indices],
            result_types=[result_type],
            properties={
                "rawConstantIndices": DenseArrayBase.from_list(i32, indices),
                "elem_type": pointee_type,
                "noWrapFlags": IntegerAttr(self.FLAGS["inbounds"] if inbounds else 0, i32),
            },
        )

    @classmethod
    def from_mixed_indices(
        cls,
        ptr: SSAValue | Operation,
        indices: Sequence[int | SSAValue | Operation],
        pointee_type: Attribute,
        inbounds: bool = False,
    ) -> Self:
        """A GEP whose indices are numbers or values."""
        return cls(
            ptr,
            [index if isinstance(index, int) else GEP_USE_SSA_VAL for index in indices],
            pointee_type,
            [index for index in indices if not isinstance(index, int)],
            inbounds=inbounds,
        )

    @property
    def inbounds(self) -> bool:
        """Whether all indices stay inside the allocated object."""
        return self.no_wrap_flags.value.data & 3 == 3

    def verify_(self) -> None:
        indices = self.rawConstantIndices.get_values()
        if indices.count(GEP_USE_SSA_VAL) != len(self.ssa_indices):
            raise VerifyException(
                f"{self.name}: expected {indices.count(GEP_USE_SSA_VAL)} index operands, "
                f"found {len(self.ssa_indices)}"
            )
        type = self.elem_type
        for index in indices[1:]:
            if isinstance(type, LLVMArrayType):
                type = type.type
            elif isinstance(type, LLVMStructType) and 0 <= index < len(type.types):
                type = type.types.data[index]
            else:
                raise VerifyException(
                    f"{self.name}: expected a constant index into a struct or an index into "
                    f"an array, found {index} into {type}"
                )

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        flags = 0
        while (flag := parser.parse_optional_keyword_in(cls.FLAGS)) is not None:
            flags |= cls.FLAGS[flag]
            if parser.parse_optional_punctuation("|") is None:
                break
        start = parser.pos
        operands = [parser.parse_unresolved_operand()]
        dynamic, constant = parse_dynamic_index_list_without_types(parser, GEP_USE_SSA_VAL)
        operands += dynamic
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        type = parser.parse_function_type()
        parser.parse_punctuation(",")
        return cls.create(
            operands=parser.resolve_operands(operands, type.inputs.data, start),
            result_types=type.outputs.data,
            properties={
                "rawConstantIndices": DenseArrayBase.from_list(i32, constant),
                "elem_type": parser.parse_type(),
                "noWrapFlags": IntegerAttr(flags, i32),
            },
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        flags = self.no_wrap_flags.value.data
        words = [word for word, bits in self.FLAGS.items() if flags & bits == bits]
        if self.inbounds:
            words.remove("nusw")
        printer.print_string(f" {'|'.join(words)} " if words else " ")
        printer.print_operand(self.ptr)
        print_dynamic_index_list(
            printer, GEP_USE_SSA_VAL, self.ssa_indices, self.rawConstantIndices.get_values()
        )
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_function_type(self.operand_types, self.result_types)
        printer.print_string(", ")
        printer.print_attribute(self.elem_type)


@irdl_op_definition
class FenceOp(IRDLOperation):
    """Other threads see what was written before the fence if they see what is written after it.

    ordering: LLVM's number of it, 7 for `seq_cst`.
    """

    name = "llvm.fence"

    ordering = prop_def(IntegerAttr[I64])

    ORDERINGS: ClassVar[dict[str, int]] = {"acquire": 4, "release": 5, "acq_rel": 6, "seq_cst": 7}

    def verify_(self) -> None:
        if self.ordering.value.data not in self.ORDERINGS.values():
            raise VerifyException(
                f"{self.name}: expected an ordering from 4 to 7, found {self.ordering.value.data}"
            )

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        start = parser.pos
        name = parser.parse_identifier()
        if name not in cls.ORDERINGS:
            listed = ", ".join(cls.ORDERINGS)
            parser.raise_error(f"{cls.name}: expected an ordering of {listed}, found {name}", start)
        properties = {"ordering": IntegerAttr(cls.ORDERINGS[name], i64)}
        return cls.create(properties=properties, attributes=parser.parse_optional_attr_dict())

    def print(self, printer: Printer) -> None:
        names = {number: name for name, number in self.ORDERINGS.items()}
        printer.print_string(f" {names[self.ordering.value.data]}")
        printer.print_op_attributes(self.attributes)
