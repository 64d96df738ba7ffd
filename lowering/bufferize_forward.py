"""`bufferize`: a kernel writes a window of a larger buffer itself, where its result only goes in.

    %r = func.call @map_0(%x, %e)                       func.call @map_0(%x, %w)    // %w: subview
    %n = tensor.insert_slice %r into %d[1] [8] [1]  ->

The window belongs to the kernel from its call on: nobody reads the larger tensor between the call
and the write, and the call reads nothing of it. Kernels of elementwise ops only.
"""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.dialects import func, tensor
from xdsl.ir import Operation, SSAValue

from lamina.dialects import linalg
from lamina.dialects.generics import is_identity, is_parallel, maps_of
from lamina.dialects.type_tests import is_tensor


def is_map(kernel: Operation | None) -> bool:
    """Whether a kernel computes elements one by one, each written at its own place."""
    if not isinstance(kernel, func.FuncOp) or kernel.is_declaration:
        return False
    *ops, _ = kernel.body.block.ops
    return bool(ops) and all(
        isinstance(op, linalg.GenericOp)
        and is_parallel(op)
        and all(is_identity(m) for m in maps_of(op)[len(op.inputs) :])
        for op in ops
    )


def window_of(result: SSAValue, call: func.CallOp) -> tensor.InsertSliceOp | None:
    """The write of all of a result into a larger tensor, if that is all that becomes of it."""
    uses = list(result.uses)
    if len(uses) != 1 or uses[0].index != 0:
        return None
    write = uses[0].operation
    if not isinstance(write, tensor.InsertSliceOp) or write.parent is not call.parent:
        return None
    return write if all(step == 1 for step in write.static_strides.get_values()) else None


def known_early(value: SSAValue, known: Mapping[SSAValue, SSAValue], at: Operation) -> bool:
    """Whether a number is there at `at`, or may be computed there: from such numbers, by ops that
    do nothing else."""
    if value in known:
        return True
    op = value.owner
    if not isinstance(op, Operation) or op.parent is not at.parent or op.regions:
        return False
    if not op.name.startswith("arith.") or any(is_tensor(r.type) for r in op.results):
        return False
    return all(known_early(operand, known, at) for operand in op.operands)


def read_between(
    value: SSAValue, order: Mapping[Operation, int], call: Operation, write: Operation, around: bool
) -> bool:
    """Whether an op from `call` on reads `value`, other than `write`.

    around: whether reads outside of the block count.
    """
    for use in value.uses:
        op: Operation | None = use.operation
        while op is not None and op.parent is not call.parent:
            op = op.parent_op()
        if op is None:
            if around:
                return True
        elif order[op] >= order[call] and op is not write:
            return True
    return False
