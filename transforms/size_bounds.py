"""The largest number that an index value may be, as far as the ops that make it tell.

%0 = arith.minsi %n, %c9 : index        // at most 9
%1 = arith.maxsi %0, %c0 : index        // from 0 to 9
%2 = memref.dim %window, %c0            // the size that the subview was given
"""

from __future__ import annotations

from typing import Any, cast

from xdsl.dialects.builtin import DYNAMIC_INDEX, ArrayAttr, IntegerAttr, MemRefType
from xdsl.ir import Attribute, BlockArgument, OpResult, SSAValue

from lamina.dialects import arith, memref, scf

DEPTH = 12
"""Ops between a value and what bounds it, at most."""


def constant_of(value: SSAValue) -> int | None:
    """The number of an integer constant."""
    owner = value.owner
    if isinstance(owner, arith.ConstantOp) and isinstance(owner.value, IntegerAttr):
        return cast("IntegerAttr[Any]", owner.value).value.data
    return None


def largest(value: SSAValue, depth: int = DEPTH) -> int | None:
    """An upper bound of a signed index; None where none is known."""
    if (number := constant_of(value)) is not None:
        return number
    if depth == 0:
        return None
    if isinstance(value, BlockArgument):
        loop = value.block.parent_op()
        if isinstance(loop, scf.ForOp) and value.index == 0:
            end = largest(loop.ub, depth - 1)
            return None if end is None else end - 1
        return None
    assert isinstance(value, OpResult)
    op = value.op
    match op:
        case arith.MinSIOp():
            known = [n for v in op.operands if (n := largest(v, depth - 1)) is not None]
            return min(known, default=None)
        case arith.MaxSIOp() | arith.SelectOp():
            both = [largest(v, depth - 1) for v in op.operands[-2:]]
            return None if None in both else max(cast("list[int]", both))
        case memref.DimOp():
            axis = constant_of(op.index)
            return None if axis is None else _size(op.source, axis, depth - 1)
        case _:
            return None


def _size(buffer: SSAValue, axis: int, depth: int) -> int | None:
    """An upper bound of a size of a buffer."""
    shape = cast("MemRefType[Attribute]", buffer.type).get_shape()
    if shape[axis] != DYNAMIC_INDEX:
        return shape[axis]
    if depth == 0 or not isinstance(buffer, OpResult):
        return None
    place, op = shape[:axis].count(DYNAMIC_INDEX), buffer.op
    match op:
        case memref.SubviewOp():
            return largest(op.sizes[place], depth - 1)
        case memref.AllocOp():
            return largest(op.dynamic_sizes[place], depth - 1)
        case memref.ViewOp():
            return largest(op.sizes[place], depth - 1)
        case memref.CastOp():
            return _size(op.source, axis, depth - 1)
        case memref.CollapseShapeOp():
            groups = cast("ArrayAttr[ArrayAttr[IntegerAttr[Any]]]", op.reassociation).data
            total = 1
            for dim in groups[axis]:
                part = _size(op.src, dim.value.data, depth - 1)
                if part is None:
                    return None
                total *= part
            return total
        case memref.ExpandShapeOp():
            return largest(op.output_shape[place], depth - 1)
        case _:
            return None
