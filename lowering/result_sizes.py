"""Sizes of results as expressions that a caller computes from the sizes of its arguments.

    array<i64: 0, 1>                        // the size of argument 0 along axis 1
    7 : i64
    ["add", array<i64: 0, 1>, 7 : i64]      // add, sub, mul, floordiv, mod, max, min

A caller makes the results before it calls, so their sizes depend on nothing but sizes. A divisor is
a positive number.
"""

from __future__ import annotations

from typing import cast

from xdsl.dialects import tensor
from xdsl.dialects.builtin import DYNAMIC_INDEX, ArrayAttr, IntegerAttr, StringAttr, i64
from xdsl.ir import Attribute, Block, BlockArgument, Operation, OpResult, SSAValue

from lamina.dialects import arith
from lamina.dialects.nd.base import shape_of
from lamina.dialects.type_tests import is_tensor
from lamina.lowering.linalg_builder import dense_i64
from lamina.lowering.size_origins import size_source

NAMES: dict[type[Operation], str] = {
    arith.AddiOp: "add", arith.SubiOp: "sub", arith.MuliOp: "mul",
    arith.DivUIOp: "floordiv", arith.FloorDivSIOp: "floordiv", arith.RemUIOp: "mod",
    arith.MaxSIOp: "max", arith.MaxUIOp: "max", arith.MinSIOp: "min", arith.MinUIOp: "min",
}  # fmt: skip
"""What an op on sizes is called. Sizes are not negative: unsigned and signed ops agree."""

MOST = 64
"""Operations in an expression, at most."""


class _Unknown(Exception):
    """A size that depends on more than sizes."""


class _Expressions:
    """Builds expressions; `left` operations may still be used."""

    def __init__(self, entry: Block) -> None:
        self.entry, self.left = entry, MOST

    def axis(self, value: SSAValue, axis: int) -> Attribute:
        """The size of a tensor along an axis."""
        if not is_tensor(value.type):
            raise _Unknown
        if (known := shape_of(value)[axis]) != DYNAMIC_INDEX:
            return IntegerAttr(known, i64)
        found = size_source(self.entry, value, axis)
        if isinstance(found, tuple):
            return dense_i64(found)
        if found is not None:
            return self.number(found)
        if isinstance(value, OpResult) and isinstance(value.op, tensor.CollapseShapeOp):
            return self.collapsed(value.op, axis)
        raise _Unknown

    def collapsed(self, op: tensor.CollapseShapeOp, axis: int) -> Attribute:
        """The product of the sizes that became one."""
        groups = op.reassociation.data
        first, *others = (self.axis(op.src, dim.value.data) for dim in groups[axis])
        for other in others:
            first = self.made("mul", first, other)
        return first

    def number(self, value: SSAValue) -> Attribute:
        """An index value."""
        if isinstance(value, BlockArgument):
            raise _Unknown
        op = cast(Operation, value.owner)
        if isinstance(op, arith.ConstantOp) and isinstance(op.value, IntegerAttr):
            return IntegerAttr(op.value.value.data, i64)
        if isinstance(op, arith.IndexCastOp):
            return self.number(op.operands[0])
        if isinstance(op, tensor.DimOp):
            axis = self.number(op.index)
            if not isinstance(axis, IntegerAttr):
                raise _Unknown
            return self.axis(op.source, axis.value.data)
        name = NAMES.get(type(op))
        if name is None:
            raise _Unknown
        left, right = (self.number(operand) for operand in op.operands)
        if name in ("floordiv", "mod") and not _is_positive(right):
            raise _Unknown
        return self.made(name, left, right)

    def made(self, name: str, left: Attribute, right: Attribute) -> Attribute:
        """An operation on two expressions."""
        self.left -= 1
        if self.left < 0:
            raise _Unknown
        return ArrayAttr([StringAttr(name), left, right])


def _is_positive(size: Attribute) -> bool:
    return isinstance(size, IntegerAttr) and cast("IntegerAttr", size).value.data > 0


def size_expression(entry: Block, value: SSAValue, axis: int) -> Attribute | None:
    """The size of `value` along `axis`, from the sizes of the arguments; None where more than
    those decides it."""
    try:
        return _Expressions(entry).axis(value, axis)
    except _Unknown:
        return None
