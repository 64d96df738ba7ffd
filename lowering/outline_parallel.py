"""Outline the bodies of parallel loops into functions.

    scf.parallel (%i, %j) = (%c0, %c0) to (%m, %n) step (%c4, %c1) { use(%i, %j, %x, %y) }
becomes
    scf.parallel (%task) = (%c0) to (%tasks) step (%c1) {
      func.call @k_body0(%task, %n, %x, %y)
    }
    func.func private @k_body0(%task: index, %n: index, %x: ..., %y: ...)
        attributes {parallel_body} { %i = ..., %j = ..., use(%i, %j, %x, %y) }

Before: loop level. After: every `scf.parallel` runs from 0 by 1 and holds one call of a function
with the unit attribute `parallel_body`. Its first argument is the number of the task; constants
are made anew inside, everything else that the body reads is an argument. A parallel loop inside
another, and one of a single iteration, becomes plain loops.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith, func, memref, scf
from xdsl.dialects.builtin import IndexType, IntegerAttr, LocationAttr, ModuleOp, UnitAttr
from xdsl.ir import Block, BlockArgument, Operation, OpResult, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from lamina.dialects.locations import place_of
from lamina.dialects.scf import ParallelOp
from lamina.errors import LoweringError

INDEX = IndexType()


# predicates


def constant(value: SSAValue) -> int | None:
    """The number that an index is, if it is a constant."""
    owner = value.owner
    if isinstance(owner, arith.ConstantOp) and isinstance(owner.value, IntegerAttr):
        return owner.value.value.data
    return None


def is_outlined(loop: ParallelOp) -> bool:
    """Whether the loop already has the shape that this pass gives."""
    block = loop.body.block
    call = block.first_op
    return (
        isinstance(call, func.CallOp)
        and call.next_op is block.last_op
        and len(loop.lowerBound) == 1
        and (constant(loop.lowerBound[0]), constant(loop.step[0])) == (0, 1)
        and call.operands[:1] == block.args[:1]
    )


def is_inner(loop: ParallelOp) -> bool:
    """Whether the loop runs inside another parallel loop."""
    op = loop.parent_op()
    while op is not None and not isinstance(op, func.FuncOp | ParallelOp):
        op = op.parent_op()
    return isinstance(op, ParallelOp) or (op is not None and "parallel_body" in op.attributes)


def trips(loop: ParallelOp) -> list[int | None]:
    """The number of iterations of each dimension, None where it is not constant."""
    result: list[int | None] = []
    for bounds in zip(loop.lowerBound, loop.upperBound, loop.step, strict=True):
        lower, upper, step = (constant(value) for value in bounds)
        if lower is None or upper is None or step is None:
            result.append(None)
        else:
            result.append(max(0, -(-(upper - lower) // step)))
    return result


def captures(body: Region) -> list[SSAValue]:
    """The values from outside that a region reads, in the order of their first use."""
    inside: set[SSAValue] = set()
    read: dict[SSAValue, None] = {}
    for op in body.walk():
        read.update(dict.fromkeys(op.operands))
        inside.update(op.results)
        for region in op.regions:
            for block in region.blocks:
                inside.update(block.args)
    inside.update(body.block.args)
    return [value for value in read if value not in inside]


# making code


class _Emitter:
    """Index arithmetic at a point; numbers become constants there."""

    def __init__(self, point: InsertPoint, location: LocationAttr) -> None:
        self.point = point
        self.location = location

    def insert(self, op: Operation) -> Operation:
        """Insert an operation."""
        op.location = self.location
        Rewriter.insert_op(op, self.point)
        return op

    def value(self, number: int | SSAValue) -> SSAValue:
        """A number as a value."""
        if isinstance(number, int):
            return self.insert(arith.ConstantOp(IntegerAttr(number, INDEX))).results[0]
        return number

    def binary(self, cls: type[Operation], a: int | SSAValue, b: int | SSAValue) -> SSAValue:
        """An operation on two indices."""
        operands = (self.value(a), self.value(b))
        return self.insert(cls.create(operands=operands, result_types=(INDEX,))).results[0]

    def trip_count(self, lower: SSAValue, upper: SSAValue, step: SSAValue) -> SSAValue:
        """max(0, ceil((upper - lower) / step)) for a positive step."""
        span = upper if constant(lower) == 0 else self.binary(arith.SubiOp, upper, lower)
        if constant(step) != 1:
            span = self.binary(arith.CeilDivSIOp, span, step)
        return self.binary(arith.MaxSIOp, span, 0)

    def iteration(self, index: SSAValue, lower: SSAValue, step: SSAValue) -> SSAValue:
        """lower + index * step."""
        if constant(step) != 1:
            index = self.binary(arith.MuliOp, index, step)
        return index if constant(lower) == 0 else self.binary(arith.AddiOp, index, lower)


def to_plain_loops(loop: ParallelOp) -> None:
    """Replace a parallel loop by a nest of `scf.for`."""
    source = loop.body.block
    assert source.last_op is not None
    Rewriter.erase_op(source.last_op)
    blocks: list[Block] = []
    bounds = zip(loop.lowerBound, loop.upperBound, loop.step, strict=True)
    for variable, (lower, upper, step) in zip(tuple(source.args), bounds, strict=True):
        block = Block(arg_types=[INDEX])
        block.args[0].location = variable.location
        plain = scf.ForOp(lower, upper, step, [], Region(block))
        plain.location = loop.location
        if blocks:
            blocks[-1].add_op(plain)
        else:
            Rewriter.insert_op(plain, InsertPoint.before(loop))
        variable.replace_all_uses_with(block.args[0])
        blocks.append(block)
    for op in list(source.ops):
        op.detach()
        blocks[-1].add_op(op)
    for block in blocks:
        last = scf.YieldOp()
        last.location = loop.location
        block.add_op(last)
    Rewriter.erase_op(loop)


def _bring_in(
    block: Block, values: Sequence[SSAValue]
) -> tuple[dict[SSAValue, SSAValue], list[SSAValue]]:
    """Make outside values available in a new function's block.

    Returns what each has become, and those that have become arguments.
    """
    inside: dict[SSAValue, SSAValue] = {}
    passed: list[SSAValue] = []
    for value in values:
        owner = value.owner
        if isinstance(owner, arith.ConstantOp | memref.GetGlobalOp):
            copy = owner.clone()
            block.add_op(copy)
            inside[value] = copy.results[0]
        else:
            inside[value] = block.insert_arg(value.type, len(block.args), value_location(value))
            passed.append(value)
    return inside, passed


def value_location(value: SSAValue) -> LocationAttr:
    """The location of what makes a value."""
    if isinstance(value, BlockArgument):
        return value.location
    assert isinstance(value, OpResult)
    return value.op.location


def outline(loop: ParallelOp, name: str) -> func.FuncOp:
    """Move the body of a loop into a new function @name and leave a call; the function."""
    before = _Emitter(InsertPoint.before(loop), loop.location)
    bounds = list(zip(loop.lowerBound, loop.upperBound, loop.step, strict=True))
    counts: list[int | SSAValue] = [
        before.trip_count(*bounds[k]) if count is None else count
        for k, count in enumerate(trips(loop))
    ]
    needed = dict.fromkeys(captures(loop.body))
    for lower, _, step in bounds:
        needed.update({lower: None, step: None})
    needed.update(dict.fromkeys(n for n in counts[1:] if isinstance(n, SSAValue)))

    block = Block(arg_types=[INDEX])
    block.args[0].location = loop.location
    inside, passed = _bring_in(block, list(needed))
    inner = _Emitter(InsertPoint.at_end(block), loop.location)
    source = loop.body.block
    rest: SSAValue = block.args[0]
    for k in range(len(counts) - 1, -1, -1):
        lower, _, step = (inside.get(value, value) for value in bounds[k])
        index, count = rest, counts[k]
        if k:
            size = inner.value(count if isinstance(count, int) else inside[count])
            index = inner.binary(arith.RemUIOp, rest, size)
            rest = inner.binary(arith.DivUIOp, rest, size)
        source.args[k].replace_all_uses_with(inner.iteration(index, lower, step))
    assert source.last_op is not None
    Rewriter.erase_op(source.last_op)
    for op in list(source.ops):
        op.detach()
        block.add_op(op)
    inner.insert(func.ReturnOp())
    for op in block.walk():
        op.operands = [inside.get(operand, operand) for operand in op.operands]

    body = func.FuncOp(name, (list(block.arg_types), ()), Region(block), "private")
    body.attributes["parallel_body"] = UnitAttr()
    body.location = loop.location
    total: int | SSAValue = 1
    for count in counts:
        if isinstance(total, int) and isinstance(count, int):
            total *= count
        else:
            total = count if total == 1 else before.binary(arith.MuliOp, total, count)
    _call(before, name, total, passed)
    Rewriter.erase_op(loop)
    return body


def _call(before: _Emitter, name: str, total: int | SSAValue, passed: Sequence[SSAValue]) -> None:
    """The loop over the tasks."""
    block = Block(arg_types=[INDEX])
    block.args[0].location = before.location
    inner = _Emitter(InsertPoint.at_end(block), before.location)
    inner.insert(func.CallOp(name, [block.args[0], *passed], []))
    inner.insert(scf.ReduceOp())
    bounds = [before.value(number) for number in (0, total, 1)]
    before.insert(ParallelOp(bounds[:1], bounds[1:2], bounds[2:], Region(block)))


@dataclass(frozen=True)
class OutlineParallelPass(ModulePass):
    """Outline the bodies of parallel loops into functions."""

    name = "outline-parallel"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        functions = [f for f in op.ops if isinstance(f, func.FuncOp)]
        names = {f.sym_name.data for f in functions}
        for function in functions:
            loops = [loop for loop in function.walk() if isinstance(loop, ParallelOp)]
            number = 0
            for loop in reversed(loops):  # inner loops before the ones around them
                if loop.initVals:
                    raise LoweringError(
                        "outline-parallel: scf.parallel: expected a loop without reductions, "
                        f"found {len(loop.initVals)}",
                        place=place_of(loop.location),
                    )
                if is_inner(loop) or math.prod(n if n is not None else 2 for n in trips(loop)) == 1:
                    to_plain_loops(loop)
            for loop in loops:
                if loop.parent is None or is_outlined(loop):
                    continue
                while (name := f"{function.sym_name.data}_body{number}") in names:
                    number += 1
                names.add(name)
                body = outline(loop, name)
                if (passthrough := function.attributes.get("passthrough")) is not None:
                    body.attributes["passthrough"] = passthrough
                op.body.block.insert_op_before(body, function)
