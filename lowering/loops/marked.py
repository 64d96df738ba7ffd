"""Loops over elements that are marked as independent: parallel where there is enough work.

scf.for %i = %c0 to %c64 step %c1 { ... } {lamina.parallel = 4096 : i64}
// ->
scf.parallel (%t) = (%c0) to (%c64) step (%c8) {
  scf.for %i = %t to min(%t + 8, 64) step %c1 { ... }
"""

from __future__ import annotations

from typing import Any, cast

from xdsl.dialects import func
from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from lamina.dialects import arith, scf
from lamina.dialects.kernels import PARALLEL
from lamina.lowering.builder import INDEX
from lamina.lowering.loops.nest import LoopBuilder, Size

SERIAL_COST = 1 << 16
"""Work (in additions) under which a kernel is not worth several threads."""
TASK_COST = 1 << 15
"""Work of one task."""


def constant(value: SSAValue) -> int | None:
    """The number that an index is, if it is a constant."""
    owner = value.owner
    if isinstance(owner, arith.ConstantOp) and isinstance(owner.value, IntegerAttr):
        return cast("IntegerAttr[Any]", owner.value).value.data
    return None


def trips(loop: scf.ForOp) -> int | None:
    """The number of iterations, None where it is not constant."""
    lower, upper, step = (constant(value) for value in (loop.lb, loop.ub, loop.step))
    if lower is None or upper is None or step is None:
        return None
    return max(0, -(-(upper - lower) // step))


def trips_per_task(loop: scf.ForOp, cost: int) -> int | None:
    """How many iterations one task takes, None where the loop is not worth several threads."""
    count = trips(loop)
    if count is None:
        return max(1, TASK_COST // cost)
    if count < 2 or count * cost < SERIAL_COST:
        return None
    return max(1, min(TASK_COST // cost, -(-count // 2)))


def to_parallel(loop: scf.ForOp, per_task: int) -> None:
    """Replace `loop`, which carries nothing, by tasks of `per_task` iterations."""
    around = loop.parent
    step = constant(loop.step)
    assert around is not None and step is not None
    b = LoopBuilder(loop.location)
    lower, upper = (_size(value) for value in (loop.lb, loop.ub))

    def task(inner: LoopBuilder, starts: list[SSAValue]) -> None:
        start = inner.calc("add", starts[0], lower)
        end = inner.calc("minu", inner.calc("add", start, per_task * step), upper)
        bounds = (inner.size(start), inner.size(end), loop.step)
        inner.add(scf.ForOp, bounds, (), regions=(Region(_moved(loop)),))

    b.parallel([b.calc("sub", upper, lower)], [per_task * step], lambda i, s: task(i, list(s)))
    around.insert_ops_before(b.ops, loop)
    loop.detach()
    loop.erase()


def _moved(loop: scf.ForOp) -> Block:
    """The loop's body, in a block of its own."""
    old, new = loop.body.block, Block(arg_types=[INDEX])
    new.args[0].name_hint = old.args[0].name_hint
    old.args[0].replace_all_uses_with(new.args[0])
    for op in list(old.ops):
        op.detach()
        new.add_op(op)
    return new


def _size(value: SSAValue) -> Size:
    number = constant(value)
    return value if number is None else number


def lower_marked(kernel: func.FuncOp, parallel: bool) -> None:
    """Make the outermost marked loops of a kernel parallel where that pays; no marks stay."""
    marked: dict[Operation, Attribute] = {}
    for op in kernel.walk():
        if isinstance(op, scf.ForOp) and PARALLEL in op.attributes:
            marked[op] = op.attributes.pop(PARALLEL)
    for loop, cost in marked.items():
        assert isinstance(loop, scf.ForOp)
        per_task = trips_per_task(loop, cast("IntegerAttr[Any]", cost).value.data)
        if parallel and per_task is not None and not loop.results and not _inside_parallel(loop):
            to_parallel(loop, per_task)


def _inside_parallel(op: Operation) -> bool:
    parent = op.parent_op()
    while parent is not None and not isinstance(parent, scf.ParallelOp):
        parent = parent.parent_op()
    return parent is not None
