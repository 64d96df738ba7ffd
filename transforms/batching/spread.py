"""Which values differ between the examples of a batch: what is computed from one that does."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from xdsl.ir import Operation, Region, SSAValue

from lamina.dialects import scf
from lamina.dialects.nd.gradients import CustomVjpOp
from lamina.dialects.nd.shape import DimOp


def spread(ops: Iterable[Operation], batched: set[SSAValue]) -> None:
    """Add to `batched` all that `ops` compute from it."""
    for op in ops:
        match op:
            case scf.IfOp():
                _through_if(op, batched)
            case scf.ForOp():
                _through_for(op, batched)
            case scf.WhileOp():
                _through_while(op, batched)
            case CustomVjpOp():
                _through_custom(op, batched)
            case DimOp():
                pass
            case _:
                if batched.intersection(op.operands):
                    batched.update(op.results)


def terminator(region: Region) -> Operation:
    """The last op of a region of one block."""
    last = region.block.last_op
    assert last is not None
    return last


def _through_custom(op: CustomVjpOp, batched: set[SSAValue]) -> None:
    """All or none: a value, or what its way back reads."""
    if any(value in batched for inner in op.walk() for value in inner.operands):
        batched.update((*op.results, *op.backward.block.args))
        spread(op.backward.block.ops, batched)


def _through_if(op: scf.IfOp, batched: set[SSAValue]) -> None:
    """Where examples take different branches, all results differ."""
    for region in (op.true_region, op.false_region):
        if region.blocks:
            spread(region.block.ops, batched)
            _same(op.results, terminator(region).operands, batched)
    if op.cond in batched:
        batched.update(op.results)


def _through_for(op: scf.ForOp, batched: set[SSAValue]) -> None:
    """Where examples make different numbers of trips, all that is carried differs."""
    number, *carried = op.body.block.args
    if batched.intersection((op.lb, op.ub, op.step)):
        batched.update((number, *carried))
    _same(carried, op.iter_args, batched)
    known = -1
    while known != len(batched):
        known = len(batched)
        spread(op.body.block.ops, batched)
        _same(carried, terminator(op.body).operands, batched)
    _same(op.results, carried, batched)


def _through_while(op: scf.WhileOp, batched: set[SSAValue]) -> None:
    """Where examples end at different trips, all that is carried differs."""
    before, after = op.before_region.block, op.after_region.block
    _same(before.args, op.arguments, batched)
    known = -1
    while known != len(batched):
        known = len(batched)
        spread(before.ops, batched)
        flag, *handed = terminator(op.before_region).operands
        if flag in batched:
            batched.update((*before.args, *handed_args(op)))
        _same(after.args, handed, batched)
        spread(after.ops, batched)
        _same(before.args, terminator(op.after_region).operands, batched)
    _same(op.results, after.args, batched)


def handed_args(op: scf.WhileOp) -> Sequence[SSAValue]:
    """What the body of a loop gets from its condition."""
    return op.after_region.block.args


def _same(targets: Sequence[SSAValue], sources: Sequence[SSAValue], batched: set[SSAValue]) -> None:
    """Each target differs where its source does."""
    for target, source in zip(targets, sources, strict=True):
        if source in batched:
            batched.add(target)
