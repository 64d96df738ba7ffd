"""Loops over elements that are marked: independent ones become parallel, lanes become vectors.

scf.for %i = %c0 to %c64 step %c1 { ... } {lamina.parallel = 4096 : i64}
// ->
scf.parallel (%t) = (%c0) to (%c64) step (%c8) {
  scf.for %i = %t to min(%t + 8, 64) step %c1 { ... }

scf.for %l = %c0 to %c16 step %c1 { %v = memref.load %x[%i, %l]  ... } {lamina.vector}
// ->
%v = vector.load %x[%i, %c0] : memref<4x16xf32>, vector<16xf32>  ...
"""

from __future__ import annotations

from typing import Any, cast

from xdsl.dialects import func
from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from lamina.dialects import arith, memref, scf, vector
from lamina.dialects.kernels import PARALLEL, VECTOR
from lamina.dialects.locations import place_of
from lamina.errors import LoweringError
from lamina.lowering.builder import INDEX, vector_of
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


def trips_per_task(loop: scf.ForOp, work: Attribute) -> int | None:
    """How many iterations one task takes, None where the loop is not worth several threads, or
    carries something."""
    if loop.results or constant(loop.step) is None or _inside_parallel(loop):
        return None
    cost = work.value.data if isinstance(work, IntegerAttr) else 1
    cost, count = max(1, cost), trips(loop)
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


def to_vectors(loop: scf.ForOp) -> None:
    """Replace a loop over lanes, which carries nothing, by its body on vectors."""
    around, lanes, lane = loop.parent, trips(loop), loop.body.block.args[0]
    if not lanes or constant(loop.lb) != 0 or constant(loop.step) != 1 or loop.results:
        raise LoweringError(
            "kernels-to-loops: expected a loop over lanes from 0 by 1 to a constant that carries "
            "nothing, found another",
            place=place_of(loop.location),
        )
    assert around is not None
    b = LoopBuilder(loop.location)
    values: dict[SSAValue, SSAValue] = {}

    def spread(value: SSAValue) -> SSAValue:
        if value in values:
            return values[value]
        return b.value(vector.BroadcastOp, (value,), vector_of(value.type, lanes))

    for op in list(loop.body.block.ops)[:-1]:
        b.location = op.location
        if isinstance(op, memref.LoadOp | memref.StoreOp):
            *places, last = op.indices
            if last is not lane or any(place in values for place in places):
                raise _no_lane(op)
            at = (*places, loop.lb)
            if isinstance(op, memref.StoreOp):
                b.add(vector.StoreOp, (spread(op.value), op.memref, *at))
            else:
                type = vector_of(op.res.type, lanes)
                values[op.res] = b.value(vector.LoadOp, (op.memref, *at), type)
            continue
        if op.regions or lane in op.operands or len(op.results) != 1:
            raise _no_lane(op)
        type = vector_of(op.results[0].type, lanes)
        operands = [spread(operand) for operand in op.operands]
        values[op.results[0]] = b.value(op.__class__, operands, type, op.properties)
    around.insert_ops_before(b.ops, loop)
    loop.detach()
    loop.erase()


def _no_lane(op: Operation) -> LoweringError:
    return LoweringError(
        "kernels-to-loops: expected an elementwise op, or an access whose last index is the lane, "
        f"in a loop over lanes, found {op.name}",
        place=place_of(op.location),
    )


def lower_marked(kernel: func.FuncOp, parallel: bool) -> None:
    """Make the outermost marked loops of a kernel parallel where that pays, and loops over lanes
    vectors; no marks stay."""
    for op in list(kernel.walk()):
        if isinstance(op, scf.ForOp) and op.attributes.pop(VECTOR, None) is not None:
            to_vectors(op)
    marked: dict[Operation, Attribute] = {}
    for op in kernel.walk():
        if isinstance(op, scf.ForOp) and PARALLEL in op.attributes:
            marked[op] = op.attributes.pop(PARALLEL)
    for loop, cost in marked.items():
        assert isinstance(loop, scf.ForOp)
        per_task = trips_per_task(loop, cost) if parallel else None
        if per_task is not None:
            to_parallel(loop, per_task)


def _inside_parallel(op: Operation) -> bool:
    parent = op.parent_op()
    while parent is not None and not isinstance(parent, scf.ParallelOp):
        parent = parent.parent_op()
    return parent is not None
