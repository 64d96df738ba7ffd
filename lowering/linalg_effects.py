"""`nd-to-linalg`: a check becomes a call; `convert-to-llvm` expands it."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import func, tensor
from xdsl.dialects.builtin import SymbolRefAttr, i1, i8, i64
from xdsl.ir import Operation, SSAValue

from lamina.dialects import checks
from lamina.dialects.kernels import is_kernel
from lamina.dialects.locations import place_of
from lamina.dialects.nd.effects import CheckOp
from lamina.errors import LoweringError
from lamina.lowering.linalg_builder import Functions, LinalgBuilder, Rule


def in_kernel(op: Operation) -> bool:
    """Whether `op` is in a private function: no `main` could tell which of its calls failed."""
    parent = op.parent_op()
    while parent is not None and not isinstance(parent, func.FuncOp):
        parent = parent.parent_op()
    return is_kernel(parent)


def lower_check(
    b: LinalgBuilder, op: Operation, operands: Sequence[SSAValue]
) -> Sequence[SSAValue]:
    """The call of a check."""
    assert isinstance(op, CheckOp)
    if in_kernel(op):
        raise LoweringError(
            "nd-to-linalg: expected nd.check in a public function, found a private one",
            place=place_of(op.location),
        )
    condition, *values = operands
    flag = b.value(tensor.ExtractOp, (condition,), i8)
    holds = b.cmpi("ne", flag, b.number(0, i8))
    shown = [b.value(tensor.ExtractOp, (value,), i64) for value in values]
    shown += [b.number(0, i64)] * (checks.MOST_VALUES - len(shown))
    b.add(
        func.CallOp,
        (holds, b.number(_next_number(b.functions, op), i64), *shown),
        properties={"callee": SymbolRefAttr(checks.FUNCTION)},
        attributes={checks.NOTE: checks.note(op.error.data, op.message.data)},
    )
    return ()


def _next_number(functions: Functions, op: Operation) -> int:
    """The check's number in the module; the first one declares what it calls."""
    if checks.FUNCTION not in functions.taken:
        functions.taken.add(checks.FUNCTION)
        declared = func.FuncOp.external(checks.FUNCTION, [i1, i64, i64, i64], [])
        declared.location = op.location
        functions.made[(checks.FUNCTION,)] = declared
    functions.checks += 1
    return functions.checks - 1


RULES: dict[type[Operation], Rule] = {CheckOp: lower_check}
