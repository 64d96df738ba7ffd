"""Pass `count-generics`: note on each function how many `linalg.generic` ops it holds.

    func.func @f(...) { linalg.generic ...  linalg.generic ... }
    // ->
    func.func @f(...) attributes {generics = 2 : i64} { ... }

A pass of one's own: it lives in any folder, and is offered to `lamina-opt` by
`--load-pass count_generics:CountGenericsPass`.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i64
from xdsl.passes import ModulePass

from lamina.dialects import linalg


def generics_of(function: func.FuncOp) -> int:
    """The number of generics in a function, nested ones included."""
    return sum(isinstance(op, linalg.GenericOp) for op in function.walk())


@dataclass(frozen=True)
class CountGenericsPass(ModulePass):
    """Count the generics of each function.

    least: functions with fewer are left as they are.
    """

    name = "count-generics"
    least: int = 1

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in op.ops:
            if isinstance(function, func.FuncOp) and (n := generics_of(function)) >= self.least:
                function.attributes["generics"] = IntegerAttr(n, i64)
