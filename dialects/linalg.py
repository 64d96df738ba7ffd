"""The linalg dialect: xDSL's operations; `generic` also reads the result list that it prints.

%0:2 = linalg.generic {indexing_maps = [...], iterator_types = ["parallel"]}
    ins(%x : tensor<8xf32>) outs(%a, %b : tensor<8xf32>, tensor<8xf32>) {...}
    -> (tensor<8xf32>, tensor<8xf32>)      // xDSL 0.75 stops at this parenthesis
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

from xdsl.dialects.builtin import AffineMapAttr, ArrayAttr, StringAttr
from xdsl.dialects.linalg import Linalg as XdslLinalg
from xdsl.dialects.linalg.abstract_ops import LinalgStructuredOperation
from xdsl.dialects.linalg.attrs import IteratorType, IteratorTypeAttr
from xdsl.dialects.linalg.ops import (
    AddOp,
    BroadcastOp,
    Conv2DNchwFchwOp,
    Conv2DNhwc_HwcfOp,
    CopyOp,
    ExpOp,
    FillOp,
    IndexOp,
    LogOp,
    MatmulOp,
    MaxOp,
    MinOp,
    MulOp,
    ReduceOp,
    SelectOp,
    SqrtOp,
    SubOp,
    TransposeOp,
    YieldOp,
)
from xdsl.dialects.linalg.ops import GenericOp as XdslGenericOp
from xdsl.ir import Attribute, SSAValue
from xdsl.parser import Parser
from xdsl.utils.hints import isa

from lamina.dialects.builtin import corrected


def _parse_operands(parser: Parser, keyword: str) -> Sequence[SSAValue]:
    """`keyword(%a, %b : type, type)`, or nothing."""
    start = parser.pos
    if parser.parse_optional_keyword(keyword) is None:
        return ()
    parser.parse_punctuation("(")
    operands = parser.parse_comma_separated_list(
        parser.Delimiter.NONE, parser.parse_unresolved_operand
    )
    parser.parse_punctuation(":")
    types = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
    parser.parse_punctuation(")")
    return parser.resolve_operands(operands, types, start)


def _parse_results(parser: Parser) -> Sequence[Attribute]:
    """`-> type`, `-> (type, type)`, `-> type, type` (what xDSL reads), or nothing."""
    if parser.parse_optional_punctuation("->") is None:
        return ()
    types = parser.parse_optional_comma_separated_list(parser.Delimiter.PAREN, parser.parse_type)
    if types is None:
        types = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
    return types


class GenericOp(XdslGenericOp):
    """A loop nest over `iterator_types`; maps say which element of each operand a point uses."""

    # xDSL decodes operandSegmentSizes at each access (90 us); the yield tells the same
    @property
    def inputs(self) -> tuple[SSAValue, ...]:  # pyright: ignore
        """The operands that are only read."""
        return self._operands[: len(self._operands) - self._yielded()]

    @property
    def outputs(self) -> tuple[SSAValue, ...]:  # pyright: ignore
        """The operands that the results start from, or that are written."""
        return self._operands[len(self._operands) - self._yielded() :]

    def _yielded(self) -> int:
        block = self.regions[0].first_block
        last = block.last_op if block is not None else None
        return len(last._operands) if last is not None else 0

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        start = parser.pos
        attributes = parser.parse_optional_attr_dict()
        maps = attributes.pop("indexing_maps", None)
        kinds = attributes.pop("iterator_types", None)
        doc = attributes.pop("doc", None)
        library_call = attributes.pop("library_call", None)
        if (
            not isa(maps, ArrayAttr[AffineMapAttr])
            or not isa(kinds, ArrayAttr[StringAttr] | ArrayAttr[IteratorTypeAttr])
            or not isa(doc, StringAttr | None)
            or not isa(library_call, StringAttr | None)
        ):
            parser.raise_error(
                "linalg.generic: expected indexing_maps (a list of affine maps), iterator_types "
                "(a list of kinds), and strings for doc and library_call",
                start,
            )
        if attributes:
            parser.raise_error(
                f"linalg.generic: expected other attributes after attrs =, found {[*attributes]}",
                start,
            )
        inputs = _parse_operands(parser, "ins")
        outputs = _parse_operands(parser, "outs")
        if parser.parse_optional_keyword("attrs"):
            parser.parse_punctuation("=")
            attributes = parser.parse_optional_attr_dict()
        body = parser.parse_region()
        generic = cls(
            inputs,
            outputs,
            body,
            maps,
            [
                kind if isinstance(kind, IteratorTypeAttr) else _iterator_type(kind, parser, start)
                for kind in kinds
            ],
            _parse_results(parser),
            doc,
            library_call,
        )
        generic.attributes |= attributes
        return generic


def _iterator_type(kind: StringAttr, parser: Parser, start: int) -> IteratorTypeAttr:
    if kind.data not in list(IteratorType):
        parser.raise_error(
            f"linalg.generic: expected an iterator type of {', '.join(IteratorType)}, "
            f"found {kind.data}",
            start,
        )
    return IteratorTypeAttr(IteratorType(kind.data))


Linalg = corrected(XdslLinalg, [GenericOp])

__all__ = [
    "AddOp",
    "BroadcastOp",
    "Conv2DNchwFchwOp",
    "Conv2DNhwc_HwcfOp",
    "CopyOp",
    "ExpOp",
    "FillOp",
    "GenericOp",
    "IndexOp",
    "IteratorType",
    "IteratorTypeAttr",
    "Linalg",
    "LinalgStructuredOperation",
    "LogOp",
    "MatmulOp",
    "MaxOp",
    "MinOp",
    "MulOp",
    "ReduceOp",
    "SelectOp",
    "SqrtOp",
    "SubOp",
    "TransposeOp",
    "YieldOp",
]
