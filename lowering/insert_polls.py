"""Give long loops of `main` a chance to be interrupted.

    scf.while ... do { ... }    becomes    scf.while ... do {
                                             %w = arith.constant 1024 : i64
                                             func.call @lamina_poll(%w) : (i64) -> ()
                                             ...

Before: loop level. After: every loop of `main` that may run for long calls `@lamina_poll` now and
then; so do the marked loops (`lamina.poll`) of other functions, each iteration, but not those that
a parallel loop runs on several threads. `convert-to-llvm` makes of it a call of the context's poll
function every 10 ms or so; a status other than 0 ends `main`.

The weight of a block is its work, as far as types tell it, in units of some ops; at 1024 and more
the clock is read each time. A `scf.for` of at most a million such units runs to its end. A longer
one polls each iteration when those are heavy or of unknown work, else it becomes two loops: the
outer one polls, the inner one (`lamina.chunk`) is as fast as without. A `scf.while` counts its
iterations.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import NamedTuple, cast

from xdsl.context import Context
from xdsl.dialects import func, scf
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    IndexType,
    IntegerAttr,
    ModuleOp,
    UnitAttr,
    i1,
    i64,
)
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass

from lamina.dialects import arith
from lamina.dialects.checks import is_check
from lamina.dialects.kernels import CHUNK, LONG
from lamina.dialects.type_tests import is_memref
from lamina.lowering.builder import INDEX, Builder

POLL = "lamina_poll"
MAIN = "main"
OPS = 16
"""Scalar ops of one unit of work."""
MUCH = 1_000_000
"""Units after which a loop may have run for long."""
HEAVY = 1024
"""Units after which the clock is read."""
BETWEEN = 1 << 16
"""Units between two polls of a loop that is split in two."""
UNKNOWN = 64
"""Units of a loop that nobody knows the trips of: if it is long, it polls itself."""


# predicates


class Work(NamedTuple):
    """What a block does once: units, and whether all of it is scalar ops in known numbers."""

    units: int
    plain: bool


def _constant(value: SSAValue) -> int | None:
    owner = value.owner
    if isinstance(owner, arith.ConstantOp) and isinstance(owner.value, IntegerAttr):
        return cast("IntegerAttr[IndexType]", owner.value).value.data
    return None


def trips_of(op: scf.ForOp) -> int | None:
    """How often a loop runs, where that is known."""
    lower, upper, step = (_constant(value) for value in (op.lb, op.ub, op.step))
    if lower is None or upper is None or step is None:
        return None
    return max(0, -(-(upper - lower) // step))


def is_poll(op: Operation) -> bool:
    """Whether this is the call that the pass inserts."""
    return isinstance(op, func.CallOp) and op.callee.root_reference.data == POLL


def elements_of(values: Sequence[SSAValue]) -> int | None:
    """The elements of all buffers among `values`, where that is known."""
    total = 0
    for value in values:
        if is_memref(value.type):
            shape = value.type.get_shape()
            if DYNAMIC_INDEX in shape:
                return None
            total += prod(shape)
    return total


def _of_op(op: Operation) -> Work:
    """The work of one op, in ops (not units)."""
    if isinstance(op, scf.ForOp):
        trips, (units, plain) = trips_of(op), work_of([op.body.block])
        if trips is None:
            return Work(OPS * UNKNOWN, False)
        return Work(OPS * trips * units, plain)
    if isinstance(op, scf.WhileOp | scf.ParallelOp):
        return Work(OPS * UNKNOWN, False)
    if op.regions:
        return work_of([block for region in op.regions for block in region.blocks], ops=True)
    if is_check(op) or is_poll(op):
        return Work(1, True)
    if isinstance(op, func.CallOp) or op.name == "memref.copy":
        elements = elements_of(op.operands)
        return Work(OPS * HEAVY if elements is None else OPS * 16 + elements, False)
    return Work(1, True)


def work_of(blocks: Sequence[Block], ops: bool = False) -> Work:
    """The work of some blocks, run once each; in units, or in ops."""
    found = [_of_op(op) for block in blocks for op in block.ops]
    total = sum(work.units for work in found)
    return Work(total if ops else max(1, total // OPS), all(work.plain for work in found))


def take_marks(function: func.FuncOp) -> list[scf.ForOp]:
    """The marked loops of a function that one thread runs; no marks stay."""
    found = [
        op
        for op in function.walk()
        if isinstance(op, scf.ForOp) and op.attributes.pop(LONG, None) is not None
    ]
    return [] if "parallel_body" in function.attributes else found


def is_done(op: Operation) -> bool:
    """Whether a loop polls, or is between two polls of the loop around it."""
    blocks = [region.block for region in op.regions]
    polls = (inner for block in blocks for outer in block.ops for inner in _shallow(outer))
    return CHUNK in op.attributes or any(map(is_poll, polls))


def _shallow(op: Operation) -> list[Operation]:
    """An op, and what it holds if it is a branch."""
    inside = [o for region in op.regions for block in region.blocks for o in block.ops]
    return [op, *inside] if isinstance(op, scf.IfOp) else [op]


# rewriting


def poll_each_time(block: Block, units: int, source: Operation) -> None:
    """Poll at the begin of a block."""
    b = Builder(source.location)
    _poll(b, units)
    first = block.first_op
    assert first is not None
    block.insert_ops_before(b.ops, first)


def _poll(b: Builder, units: int) -> None:
    weight = b.number(min(units, HEAVY), i64)
    call = func.CallOp(POLL, [weight], [])
    call.location = b.location
    b.ops.append(call)


def split(op: scf.ForOp, trips: int) -> None:
    """Make two loops of one: the outer one polls, the inner one runs `trips` times.

    for %i = %l to %u step %s   ->   for %k = %l to %u step %s * trips {
                                       poll; for %i = %k to %k + min(%u - %k, %s * trips) step %s
    """
    parent = op.parent
    assert parent is not None
    before, inner = Builder(op.location), Builder(op.location)
    stride = before.int_op("mul", op.step, before.index(trips))
    outer = Block(arg_types=[INDEX, *(v.type for v in op.iter_args)])
    start, *carried = outer.args
    _poll(inner, HEAVY)
    left = inner.int_op("sub", op.ub, start)
    end = inner.int_op("add", start, inner.int_op("mins", left, stride))
    body = op.detach_region(op.body)
    types = [result.type for result in op.results]
    operands = (start, end, op.step, *carried)
    attributes = {CHUNK: UnitAttr()}
    chunk = inner.add(scf.ForOp, operands, types, regions=(body,), attributes=attributes)
    inner.add(scf.YieldOp, chunk.results)
    outer.add_ops(inner.ops)
    operands = (op.lb, op.ub, stride, *op.iter_args)
    whole = before.add(
        scf.ForOp, operands, types, regions=(Region(outer),), attributes=op.attributes
    )
    parent.insert_ops_before(before.ops, op)
    for old, new in zip(op.results, whole.results, strict=True):
        new.name_hint = old.name_hint
        old.replace_all_uses_with(new)
    op.detach()
    op.erase()


def count(op: scf.WhileOp, trips: int) -> None:
    """Carry the number of the iteration through a loop, and poll each time it is a multiple of
    `trips`, a power of 2."""
    parent = op.parent
    assert parent is not None
    before, after = op.before_region.block, op.after_region.block
    handed = before.insert_arg(i64, len(before.args))
    number = after.insert_arg(i64, len(after.args))
    condition, last = before.last_op, after.last_op
    assert isinstance(condition, scf.ConditionOp) and isinstance(last, scf.YieldOp)
    condition.operands = [*condition.operands, handed]
    b, inner = Builder(op.location), Builder(op.location)
    following = b.int_op("add", number, b.number(1, i64))
    rest = b.int_op("and", following, b.number(trips - 1, i64))
    now = b.value(arith.CmpiOp, (rest, b.number(0, i64)), i1, _EQUAL)
    _poll(inner, HEAVY)
    inner.add(scf.YieldOp)
    then = Block()
    then.add_ops(inner.ops)
    b.add(scf.IfOp, (now,), regions=(Region(then), Region()))
    first = after.first_op
    assert first is not None
    after.insert_ops_before(b.ops, first)
    last.operands = [*last.operands, following]
    start = Builder(op.location)
    operands = [*op.operands, start.number(0, i64)]
    regions = [op.detach_region(region) for region in list(op.regions)]
    types = [*(result.type for result in op.results), i64]
    new = start.add(scf.WhileOp, operands, types, regions=regions, attributes=op.attributes)
    parent.insert_ops_before(start.ops, op)
    for old, result in zip(op.results, new.results, strict=False):
        result.name_hint = old.name_hint
        old.replace_all_uses_with(result)
    op.detach()
    op.erase()


_EQUAL = {"predicate": IntegerAttr(0, i64)}


def poll_in(op: scf.ForOp | scf.WhileOp) -> bool:
    """Let a loop poll, if it may run for long and does not yet; whether it does now."""
    if is_done(op):
        return False
    if isinstance(op, scf.WhileOp):
        before, after = op.before_region.block, op.after_region.block
        units, plain = work_of([before, after])
        trips = 1 << (BETWEEN // units).bit_length() >> 1
        if plain and trips > 1:
            count(op, trips)
        else:
            poll_each_time(after, units, op)
        return True
    block, known = op.body.block, trips_of(op)
    units, plain = work_of([block])
    if plain and known is not None and known * units <= MUCH:
        return False
    if plain and BETWEEN // units > 1 and op.body.block.args[0].type == INDEX:
        split(op, BETWEEN // units)
    else:
        poll_each_time(block, units, op)
    return True


@dataclass(frozen=True)
class InsertPollsPass(ModulePass):
    """Give long loops of `main` a chance to be interrupted."""

    name = "insert-polls"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        functions = {f.sym_name.data: f for f in op.ops if isinstance(f, func.FuncOp)}
        if (main := functions.get(MAIN)) is None:
            return
        marked = [loop for function in functions.values() for loop in take_marks(function)]
        for loop in marked:
            poll_each_time(loop.body.block, HEAVY, loop)
        loops = [inner for inner in main.walk() if isinstance(inner, scf.ForOp | scf.WhileOp)]
        # the innermost come last: what is around them is weighed before they change
        found = [poll_in(loop) for loop in loops]
        if (marked or any(found)) and POLL not in functions:
            declaration = func.FuncOp.external(POLL, [i64], [])
            declaration.location = main.location
            op.body.block.insert_op_before(declaration, main)
