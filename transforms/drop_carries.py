"""Pass `drop-carries`: loops carry only what somebody needs.

    %r, %q = scf.while (%a = %x, %b = %y) : ... {    // %q is not used, the test reads %a only
      ...
    // ->
    %r = scf.while (%a = %x) : ... {

A carry is needed when its result is used, when the test of the loop or an effect depends on it, or
a carry that is needed. What only other carries needed goes with them. It leaves of an `scf.while`
whose work a counted loop does again (`differentiate`) the part that finds the number of trips.
Pre- and post-condition: level `nd`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.transforms.dead_code_elimination import is_trivially_dead, would_be_trivially_dead

from lamina.dialects import scf


def _mark(live: set[SSAValue], values: Sequence[SSAValue], blocks: Sequence[Block]) -> None:
    """Add `values` to `live`, and all in `blocks` that they are computed from."""
    pending = list(values)
    while pending:
        value = pending.pop()
        if value in live:
            continue
        live.add(value)
        owner = value.owner
        if isinstance(owner, Operation) and owner.parent in blocks:
            pending += _reads(owner)


def _reads(op: Operation) -> list[SSAValue]:
    """What an op and the ops in it read."""
    return [value for inner in op.walk() for value in inner.operands]


def _roots(blocks: Sequence[Block]) -> list[SSAValue]:
    """What effects read."""
    return [
        value
        for block in blocks
        for op in block.ops
        if op is not block.last_op and not would_be_trivially_dead(op)
        for value in _reads(op)
    ]


@dataclass
class Slot:
    """What one place of a loop's terminator gives on each trip: block arguments, and a result."""

    values: list[SSAValue]
    source: SSAValue


def slots_of(op: scf.ForOp | scf.WhileOp) -> tuple[list[Slot], list[Slot]]:
    """The slots of a loop's start values, and those of the results where these are others."""
    if isinstance(op, scf.ForOp):
        block = op.body.block
        assert block.last_op is not None
        rows = zip(block.args[1:], op.results, block.last_op.operands, strict=True)
        return [Slot([arg, result], source) for arg, result, source in rows], []
    first, second = op.before_region.block, op.after_region.block
    assert first.last_op is not None and second.last_op is not None
    starts = zip(first.args, second.last_op.operands, strict=True)
    ends = zip(second.args, op.results, first.last_op.operands[1:], strict=True)
    return [Slot([arg], source) for arg, source in starts], [
        Slot([arg, result], source) for arg, result, source in ends
    ]


def needed(op: scf.ForOp | scf.WhileOp, slots: Sequence[Slot]) -> list[bool]:
    """Which slots are needed."""
    blocks = [region.block for region in op.regions]
    live: set[SSAValue] = set()
    _mark(live, _roots(blocks), blocks)
    if isinstance(op, scf.WhileOp):
        assert blocks[0].last_op is not None
        _mark(live, blocks[0].last_op.operands[:1], blocks)
    live.update(result for result in op.results if result.uses)
    while True:
        found = [slot for slot in slots if any(value in live for value in slot.values)]
        before = len(live)
        _mark(live, [slot.source for slot in found], blocks)
        live.update(value for slot in found for value in slot.values)
        if len(live) == before:
            return [any(value in live for value in slot.values) for slot in slots]


def drop(op: scf.ForOp | scf.WhileOp) -> Operation | None:
    """Rebuild a loop without the carries that are not needed; None if all are."""
    starts, ends = slots_of(op)
    kept = needed(op, [*starts, *ends])
    if all(kept):
        return None
    keep_starts, keep_ends = kept[: len(starts)], kept[len(starts) :]
    blocks = [region.block for region in op.regions]
    extra = 3 if isinstance(op, scf.ForOp) else 0  # the bounds
    operands = [*op.operands[:extra], *_kept(op.operands[extra:], keep_starts)]
    results = keep_ends if isinstance(op, scf.WhileOp) else keep_starts
    end = blocks[-1].last_op
    assert end is not None
    end.operands = _kept(end.operands, keep_starts)
    if isinstance(op, scf.WhileOp):
        test = blocks[0].last_op
        assert test is not None
        test.operands = [test.operands[0], *_kept(test.operands[1:], keep_ends)]
    for block in blocks:
        for inner in reversed(list(block.ops)):
            if inner is not block.last_op and is_trivially_dead(inner):
                inner.detach()
                inner.erase()
    arguments = [keep_starts, keep_ends] if isinstance(op, scf.WhileOp) else [[True, *keep_starts]]
    for block, keep in zip(blocks, arguments, strict=True):
        for arg in [arg for arg, stays in zip(block.args, keep, strict=True) if not stays]:
            block.erase_arg(arg)
    new = type(op).create(
        operands=operands,
        result_types=[result.type for result in _kept(op.results, results)],
        regions=[op.detach_region(region) for region in list(op.regions)],
        attributes=op.attributes,
        location=op.location,
    )
    assert op.parent is not None
    op.parent.insert_ops_before([new], op)
    for old, result in zip(_kept(op.results, results), new.results, strict=True):
        old.replace_all_uses_with(result)
        result.name_hint = old.name_hint
    op.detach()
    op.erase()
    return new


def _kept(values: Sequence[SSAValue], keep: Sequence[bool]) -> list[SSAValue]:
    return [value for value, stays in zip(values, keep, strict=True) if stays]


def drop_in(block: Block) -> None:
    """Rebuild the loops of a block: inner ones first, and again where an outer one was changed."""
    for op in list(block.ops):
        for region in op.regions:
            for inner in region.blocks:
                drop_in(inner)
        if isinstance(op, scf.ForOp | scf.WhileOp) and (new := drop(op)) is not None:
            for region in new.regions:
                drop_in(region.block)


class DropCarriesPass(ModulePass):
    """Rebuild each loop that carries what nobody needs."""

    name = "drop-carries"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        drop_in(op.body.block)
