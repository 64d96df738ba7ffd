"""Pass `check-nans`: the first op that makes a NaN ends the program.

    %y = nd.log %x : tensor<4xf32>
    // ->
    %y = nd.log %x : tensor<4xf32>
    %a = nd.not_equal %y, %y : tensor<4xf32> -> tensor<4xi1>
    %b = nd.reduce "or" %a axes [0] : tensor<4xi1> -> tensor<i1>       // and for %x
    nd.check (not %b or that of %x), "NanError", "nans: expected no NaN, found one that log ..."

A NaN that an operand has already was made elsewhere, or given, and is no error. Ops that only move
or choose elements are not looked at. Checks are in program order, so the first op is the one that
is named, whatever kernels the ops are in later. Pre- and post-condition: level `nd`; private
functions are left alone, since they hold no `nd.check`.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp, StringAttr, TensorType
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass

from lamina.dialects.kernels import is_kernel
from lamina.dialects.nd import NdOp
from lamina.dialects.nd.base import element_of, is_complex, is_float, shape_of
from lamina.dialects.nd.effects import CheckOp
from lamina.interpreters.nans import MAKERS, message
from lamina.transforms.ir_emitter import IrEmitter


def may_be_nan(value: SSAValue) -> bool:
    """Whether `value` is a tensor of floats or complex numbers."""
    if not isinstance(value.type, TensorType):
        return False
    return is_float(element_of(value)) or is_complex(element_of(value))


def makes_nan(op: Operation) -> bool:
    """Whether a result of `op` may have a NaN that no operand has."""
    if not isinstance(op, NdOp) or not any(map(may_be_nan, op.results)):
        return False
    return op.name.removeprefix("nd.") in MAKERS


class _Checker:
    """One function. `flags`: values and blocks -> whether there is a NaN, as a 0-d i1."""

    def __init__(self) -> None:
        self.flags: dict[tuple[SSAValue, Block | None], SSAValue] = {}

    def flag(self, value: SSAValue, block: Block, e: IrEmitter) -> SSAValue:
        """Whether `value` has a NaN."""
        around: Block | None = block
        while around is not None:
            if (known := self.flags.get((value, around))) is not None:
                return known
            parent = around.parent_op()
            around = None if parent is None else parent.parent
        found = e.bind("not_equal", value, value)
        axes = tuple(range(len(shape_of(value))))
        if axes:
            found = e.bind("reduce", found, kind="or", axes=axes)
        self.flags[value, block] = found
        return found

    def check(self, op: Operation) -> None:
        """Look at the results of `op`."""
        block = op.parent
        assert block is not None
        made: list[Operation] = []
        e = IrEmitter(made.append, op.location)
        for result in filter(may_be_nan, op.results):
            holds = e.bind("bitwise_invert", self.flag(result, block, e))
            for operand in dict.fromkeys(filter(may_be_nan, op.operands)):
                holds = e.bind("bitwise_or", holds, self.flag(operand, block, e))
            made.append(_check_of(op, holds))
        block.insert_ops_after(made, op)


def _check_of(op: Operation, holds: SSAValue) -> Operation:
    text = message(op.name.removeprefix("nd."))
    return CheckOp.create(
        operands=[holds],
        properties={"error": StringAttr("NanError"), "message": StringAttr(text)},
        location=op.location,
    )


def makers(function: func.FuncOp) -> Sequence[Operation]:
    """The ops of a function that are looked at, in order."""
    return [op for op in function.walk() if makes_nan(op)]


class CheckNansPass(ModulePass):
    """Insert the checks."""

    name = "check-nans"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in op.ops:
            if isinstance(function, func.FuncOp) and not is_kernel(function):
                checker = _Checker()
                for maker in makers(function):
                    checker.check(maker)
