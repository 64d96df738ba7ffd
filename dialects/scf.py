"""The scf dialect: xDSL's operations, with upstream's custom syntax of `scf.parallel`.

scf.parallel (%i, %j) = (%c0, %c0) to (%m, %n) step (%c1, %c1) {
  ...
  scf.reduce
}
%sum = scf.parallel (%i) = (%c0) to (%n) step (%c1) init (%zero) -> f32 {
  scf.reduce(%x : f32) {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    scf.reduce.return %s : f32
  }
}
"""

from __future__ import annotations

from typing import Self

from xdsl.dialects.builtin import IndexType
from xdsl.dialects.scf import (
    ConditionOp,
    ExecuteRegionOp,
    ForOp,
    IfOp,
    IndexSwitchOp,
    ReduceOp,
    ReduceReturnOp,
    WhileOp,
    YieldOp,
)
from xdsl.dialects.scf import ParallelOp as XdslParallelOp
from xdsl.dialects.scf import Scf as XdslScf
from xdsl.ir import Attribute, SSAValue
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import SingleBlockImplicitTerminator, ensure_terminator

from lamina.dialects.builtin import corrected


def _parse_indices(parser: Parser) -> list[SSAValue]:
    return parser.parse_comma_separated_list(
        parser.Delimiter.PAREN, lambda: parser.parse_operand(IndexType())
    )


class ParallelOp(XdslParallelOp):
    """Iterations in any order, at the same time or not; `scf.reduce` combines what they yield."""

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        variables = parser.parse_comma_separated_list(
            parser.Delimiter.PAREN, lambda: parser.parse_argument(expect_type=False)
        )
        parser.parse_punctuation("=")
        lower = _parse_indices(parser)
        parser.parse_keyword("to")
        upper = _parse_indices(parser)
        parser.parse_keyword("step")
        step = _parse_indices(parser)
        start = parser.pos
        initial = []
        if parser.parse_optional_keyword("init"):
            initial = parser.parse_comma_separated_list(
                parser.Delimiter.PAREN, parser.parse_unresolved_operand
            )
        types: list[Attribute] = []
        if parser.parse_optional_punctuation("->"):
            several = parser.parse_optional_comma_separated_list(
                parser.Delimiter.PAREN, parser.parse_type
            )
            types = [parser.parse_type()] if several is None else [*several]
        body = parser.parse_region([variable.resolve(IndexType()) for variable in variables])
        op = cls(lower, upper, step, body, parser.resolve_operands(initial, types, start))
        op.attributes |= parser.parse_optional_attr_dict()
        for trait in op.get_traits_of_type(SingleBlockImplicitTerminator):
            ensure_terminator(op, trait)
        return op

    def print(self, printer: Printer) -> None:
        groups = (self.body.block.args, self.lowerBound, self.upperBound, self.step)
        for text, values in zip((" ", " = ", " to ", " step "), groups, strict=True):
            printer.print_string(text)
            with printer.in_parens():
                printer.print_list(values, printer.print_ssa_value)
        if self.initVals:
            printer.print_string(" init ")
            with printer.in_parens():
                printer.print_list(self.initVals, printer.print_ssa_value)
            printer.print_string(" -> ")
            if len(self.res) == 1:
                printer.print_attribute(self.res[0].type)
            else:
                with printer.in_parens():
                    printer.print_list(self.res.types, printer.print_attribute)
        printer.print_string(" ")
        printer.print_region(self.body, print_entry_block_args=False)
        printer.print_op_attributes(self.attributes)


Scf = corrected(XdslScf, [ParallelOp])

__all__ = [
    "ConditionOp",
    "ExecuteRegionOp",
    "ForOp",
    "IfOp",
    "IndexSwitchOp",
    "ParallelOp",
    "ReduceOp",
    "ReduceReturnOp",
    "Scf",
    "WhileOp",
    "YieldOp",
]
