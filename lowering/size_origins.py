"""Where the dynamic size of a tensor comes from: an argument of the function and its axis.

%e = tensor.empty(%d) : tensor<?xf32>      // %d = tensor.dim %x, 0     -> (argument %x, axis 0)
                                           // %d = any other number     -> %d
"""

from __future__ import annotations

from typing import Any, cast

from xdsl.dialects import func, tensor
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    ArrayAttr,
    IntegerAttr,
    TensorType,
)
from xdsl.ir import Attribute, Block, BlockArgument, OpResult, SSAValue

from lamina.dialects import arith, scf

Origin = tuple[int, int]
"""The number of an argument, and an axis of it."""


def dynamic_axes(type: Attribute) -> list[int]:
    """The axes of a tensor type whose size is not static."""
    shape = cast("TensorType[Attribute]", type).get_shape()
    return [axis for axis, size in enumerate(shape) if size == DYNAMIC_INDEX]


def origin(entry: Block, value: SSAValue, axis: int) -> Origin | None:
    """The argument of `entry` and the axis whose size the size of `value` along `axis` is.

    None when the size is computed. What a loop carries has the size of its start value: the
    caller checks that the body keeps it (`keeps_sizes`).
    """
    found = size_source(entry, value, axis)
    return found if isinstance(found, tuple) else None


def size_source(entry: Block, value: SSAValue, axis: int) -> Origin | SSAValue | None:
    """As `origin`; for a computed size the number that computes it, None where there is none."""
    while True:
        if isinstance(value, BlockArgument):
            if value.block is entry:
                return value.index, axis
            start = _start_of(value)
            if start is None:
                return None
            value = start
            continue
        found = _step(value, axis)
        if not isinstance(found, tuple):
            return found
        value, axis = found


def keeps_sizes(entry: Block, start: SSAValue, yielded: SSAValue) -> bool:
    """Whether each dynamic size of a carried tensor is the same on every trip: one argument's, or
    one number's, which is then computed before the loop."""
    for axis in dynamic_axes(start.type):
        before, after = size_source(entry, start, axis), size_source(entry, yielded, axis)
        if before is None or before != after:
            return False
    return True


def _start_of(argument: BlockArgument) -> SSAValue | None:
    """The start value of an argument of a loop's region."""
    parent = argument.block.parent_op()
    if isinstance(parent, scf.ForOp):
        return parent.iter_args[argument.index - 1] if argument.index else None
    if isinstance(parent, scf.WhileOp):
        if argument.block is parent.before_region.block:
            return parent.arguments[argument.index]
        condition = parent.before_region.block.last_op
        assert isinstance(condition, scf.ConditionOp)
        return condition.args[argument.index]
    return None


def _step(value: SSAValue, axis: int) -> tuple[SSAValue, int] | SSAValue | None:
    """A value and axis of the same size, one op nearer to the arguments; or the size itself."""
    assert isinstance(value, OpResult)
    op, number = value.op, value.index
    match op:
        case tensor.EmptyOp():
            return _dim(op.dynamic_sizes[_place(value.type, axis)])
        case tensor.ExpandShapeOp():
            return _dim(op.dynamic_output_shape[_place(value.type, axis)])
        case tensor.ExtractSliceOp():
            return _dim(op.sizes[_place(value.type, axis)])  # dims of size 1 may be missing
        case tensor.CollapseShapeOp():
            groups = cast("ArrayAttr[ArrayAttr[IntegerAttr[Any]]]", op.reassociation).data
            inner = [d.value.data for d in groups[axis]]
            return (op.src, inner[0]) if len(inner) == 1 else None
        case tensor.InsertSliceOp() | tensor.InsertOp():
            return op.dest, axis
        case func.CallOp():
            return op.operands[len(op.operands) - len(op.results) + number], axis
        case scf.ForOp():
            return op.iter_args[number], axis
        case scf.IfOp():
            then, other = (region.block.last_op for region in op.regions)
            assert isinstance(then, scf.YieldOp) and isinstance(other, scf.YieldOp)
            return then.operands[number], axis
        case scf.WhileOp():
            condition = op.before_region.block.last_op
            assert isinstance(condition, scf.ConditionOp)
            return condition.args[number], axis
        case _:
            return None


def _place(type: Attribute, axis: int) -> int:
    """Which of the dynamic sizes is that of `axis`."""
    return dynamic_axes(type).index(axis)


def _dim(size: SSAValue) -> tuple[SSAValue, int] | SSAValue:
    """The tensor and axis that `tensor.dim` reads a size from, or the size."""
    if not isinstance(size.owner, tensor.DimOp):
        return size
    index = size.owner.index.owner
    if not isinstance(index, arith.ConstantOp):
        return size
    return size.owner.source, cast("IntegerAttr[Any]", index.value).value.data
