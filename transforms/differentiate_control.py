"""`differentiate`, the part for control flow: branches, and what they share with loops.

`scf.if`: a second `scf.if` on the same condition, whose branches compute again what they need and
give the cotangents of what the branch reads from outside. Checks and other effects are those of the
first one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias

from xdsl.ir import Block, Operation, Region, SSAValue

from lamina.dialects import scf
from lamina.dialects.nd.gradients import CustomVjpOp
from lamina.transforms.ir_emitter import IrEmitter
from lamina.transforms.repeated import drop_effects

PullBack: TypeAlias = Callable[
    ["list[Operation]", dict[SSAValue, SSAValue], Sequence[SSAValue], IrEmitter],
    "list[SSAValue | None]",
]
Parts: TypeAlias = "list[tuple[SSAValue, SSAValue]]"
"""Values from outside of an op's regions, and their cotangents."""


def captured_by(op: Operation, active: set[SSAValue]) -> list[SSAValue]:
    """The active values from outside that the regions of `op` read, in order."""
    found: dict[SSAValue, None] = {}
    for inner in op.walk():
        if inner is op:
            continue
        for value in inner.operands:
            if value in active and not _is_inside(value, op):
                found[value] = None
    return list(found)


def _is_inside(value: SSAValue, op: Operation) -> bool:
    owner = value.owner
    while owner is not None:
        if owner is op:
            return True
        owner = owner.parent if isinstance(owner, Operation) else owner.parent_op()
    return False


def cloned(
    block: Block, mapping: dict[SSAValue, SSAValue], target: Block
) -> tuple[list[Operation], list[SSAValue]]:
    """The ops of `block` but its terminator in `target`, to compute their values again, without
    effects; and what the terminator gives there."""
    ops: list[Operation] = []
    last = block.last_op
    assert last is not None
    for op in block.ops:
        if op is not last:
            ops.append(op.clone(mapping))
            target.add_op(ops[-1])
    return drop_effects(ops), [mapping.get(value, value) for value in last.operands]


def filled(
    found: Iterable[SSAValue | None], like: Iterable[SSAValue], e: IrEmitter
) -> list[SSAValue]:
    """Zeros, in the types of `like`, for what has no cotangent."""
    return [e.full(0.0, value) if g is None else g for g, value in zip(found, like, strict=True)]


def _known(
    values: Sequence[SSAValue], given: Sequence[SSAValue | None], e: IrEmitter
) -> dict[SSAValue, SSAValue]:
    """The cotangents of values, summed where one stands twice."""
    known: dict[SSAValue, SSAValue] = {}
    for value, g in zip(values, given, strict=True):
        if g is not None:
            known[value] = e.add(known[value], g) if value in known else g
    return known


def yield_values(block: Block, values: Sequence[SSAValue], e: IrEmitter) -> None:
    """End a block."""
    op = scf.YieldOp(*values)
    op.location = e.location
    block.add_op(op)


def pull_if(
    op: scf.IfOp, given: Sequence[SSAValue | None], active: set[SSAValue], e: IrEmitter,
    pull: PullBack,
) -> Parts:  # fmt: skip
    """The cotangents of what the branches read, given those of the results."""
    captured = captured_by(op, active)
    regions: list[Region] = []
    for region in (op.true_region, op.false_region):
        block = Block()
        inner = IrEmitter(block.add_op, e.location)
        ops, yielded = cloned(region.block, {}, block)
        found = pull(ops, _known(yielded, given, inner), captured, inner)
        yield_values(block, filled(found, captured, inner), inner)
        regions.append(Region(block))
    new = scf.IfOp(op.cond, [value.type for value in captured], regions[0], regions[1])
    new.location = e.location
    e.insert(new)
    return list(zip(captured, new.results, strict=True))


def pull_custom(op: CustomVjpOp, given: Sequence[SSAValue | None], e: IrEmitter) -> Parts:
    """The cotangents of the inputs, by the way back that the op has."""
    mapping: dict[SSAValue, SSAValue] = {}
    source = op.backward.block
    mapping.update(zip(source.args, filled(given, op.outputs, e), strict=True))
    held = Block()
    ops, yielded = cloned(source, mapping, held)
    for inner in ops:
        inner.detach()
        e.insert(inner)
    return list(zip(op.inputs, yielded, strict=True))
