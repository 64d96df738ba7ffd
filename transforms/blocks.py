"""Order within a block: dependence levels, and sorting after ops were merged."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from xdsl.ir import Block, Operation, SSAValue

from lamina.dialects.checks import has_effect
from lamina.dialects.locations import place_of
from lamina.errors import LoweringError


def read_values(op: Operation) -> Iterator[SSAValue]:
    """The values that `op` or an op inside it reads."""
    if not op.regions:
        yield from op.operands
        return
    for inner in op.walk():
        yield from inner.operands


def sort_block(block: Block, ops: Iterable[Operation]) -> None:
    """Put `ops` (all that the block shall hold) in an order in which definitions come first.

    Where the given order allows, it is kept; ops with an effect (checks) keep theirs. Raises
    LoweringError where ops wait for each other: a pass merged what must not be one.
    """
    ops = list(ops)
    effects = [op for op in ops if has_effect(op)]
    before = dict(zip(effects[1:], effects, strict=False))
    for op in ops:
        if op.parent is not None:
            op.detach()
    inside = set(ops)
    done: set[Operation] = set()
    waiting: set[Operation] = set()
    order: list[Operation] = []
    for op in ops:
        stack = [op]
        while stack:
            top = stack[-1]
            if top in done:
                stack.pop()
                continue
            missing = [
                owner
                for value in read_values(top)
                if isinstance(owner := value.owner, Operation)
                and owner in inside
                and owner not in done
            ]
            if (previous := before.get(top)) is not None and previous not in done:
                missing.append(previous)
            if missing:
                if top in waiting:
                    raise LoweringError(
                        f"{top.name}: expected ops that can be put in order, found a cycle",
                        place=place_of(top.location),
                    )
                waiting.add(top)
                stack.extend(missing)
                continue
            done.add(top)
            order.append(top)
            stack.pop()
    block.add_ops(order)
