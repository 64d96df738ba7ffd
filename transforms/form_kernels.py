"""Pass `form-kernels`: ops that shall be one kernel get the same number.

    %m = linalg.generic {... "reduction"} ins(%x) { maximumf }       {lamina.kernel = 0}
    %e = linalg.generic ... ins(%x, %m) { subf exp }                 {lamina.kernel = 0}

One walk over a block: an op joins the kernel of its producers when `kernel_groups.why_apart` has
no reason against it and nothing in between depends on that kernel. Post-condition: every generic
has a number; those with equal numbers can be outlined together.
"""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.context import Context
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i64
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass

from lamina.dialects import linalg
from lamina.dialects.checks import has_effect
from lamina.dialects.generics import captured, is_contraction
from lamina.transforms.blocks import read_values
from lamina.transforms.kernel_groups import (
    Group,
    common,
    destinations,
    is_small,
    outer_with,
    padding_of,
    start_of,
    why_apart,
)

KERNEL = "lamina.kernel"


class Grouping:
    """The groups of one block."""

    def __init__(self, block: Block) -> None:
        self.of: dict[Operation, Group] = {}
        self.levels: dict[Operation, int] = {}
        effects = 0  # the level of the last op with an effect: the next one depends on it
        for op in block.ops:
            if isinstance(op, linalg.GenericOp):
                self.place(op)
            elif op not in self.of:
                self.levels[op] = max(map(self.level, read_values(op)), default=0)
                if op.name not in ("tensor.empty", "linalg.fill", "arith.constant"):
                    self.levels[op] += 1
                if has_effect(op):
                    effects = self.levels[op] = max(self.levels[op], effects + 1)

    def level(self, value: SSAValue) -> int:
        """The dependence level of what makes `value`."""
        owner = value.owner
        if not isinstance(owner, Operation):
            return 0
        group = self.of.get(owner)
        return group.root().level if group is not None else self.levels.get(owner, 0)

    def candidates(self, op: linalg.GenericOp) -> list[Group]:
        """The groups that `op` may join: those of its producers on the highest level."""
        read = [*op.operands, *captured(op)]
        top = max(map(self.level, read_values(op)), default=0)
        found: list[Group] = []
        for value in read:
            if self.level(value) != top:
                continue
            owner = value.owner
            group = self.of.get(owner) if isinstance(owner, Operation) else None
            if group is not None and group.root() in found:
                continue
            if group is None or why_apart(op, group.root()) is not None:
                return []
            found.append(group.root())
        return found

    def place(self, op: linalg.GenericOp) -> None:
        """Put `op` into a group, with what it writes into."""
        groups = self.candidates(op)
        if len(groups) > 1 and not _mergeable(op, groups):
            groups = groups[-1:] if groups[-1].contraction is not None else []
        if not groups:
            top = max(map(self.level, read_values(op)), default=0)
            groups = [Group(top + 1, start_of(op))]
            if is_contraction(op):
                groups[0].contraction = op
        target = groups[0]
        for other in groups[1:]:
            target.outer = common(target.outer, other.outer)
            target.ops |= other.ops
            target.small = target.small and other.small
            other.merged_into = target
        if target.ops and target.contraction is not op:
            target.outer = outer_with(op, target)
            target.closed = target.contraction is not None
        self.take(target, [*padding_of(op), *destinations(op), op])

    def take(self, group: Group, ops: list[Operation]) -> None:
        """Add ops that are in no group yet."""
        for op in ops:
            if op not in self.of:
                self.of[op] = group
                group.ops[op] = None
                if isinstance(op, linalg.GenericOp):
                    group.small = group.small and is_small(op)


def reasons(block: Block) -> Iterator[tuple[Operation, Operation, str]]:
    """(reader, producer, why they are not one kernel) for values that go from one to another."""
    groups = Grouping(block).of
    for op, group in groups.items():
        if not isinstance(op, linalg.GenericOp):
            continue
        for value in dict.fromkeys(op.inputs):
            owner = value.owner
            other = groups.get(owner) if isinstance(owner, Operation) else None
            if other is not None and other.root() is not group.root():
                assert isinstance(owner, Operation)
                why = why_apart(op, other.root())
                yield op, owner, why or "what it reads besides is computed later"


def _mergeable(op: linalg.GenericOp, groups: list[Group]) -> bool:
    """Whether the producers' groups can become one with `op`."""
    if any(group.contraction is not None for group in groups):
        return False
    outer = groups[0].outer
    for group in groups:
        outer = common(outer, outer_with(op, group))
    return bool(outer)


class FormKernelsPass(ModulePass):
    """Number the ops of each kernel."""

    name = "form-kernels"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        numbers: dict[Group, int] = {}
        blocks = {
            inner.parent: None
            for inner in op.walk()
            if isinstance(inner, linalg.GenericOp) and inner.parent is not None
        }
        for block in blocks:
            grouping = Grouping(block)
            for inner, group in grouping.of.items():
                number = numbers.setdefault(group.root(), len(numbers))
                if isinstance(inner, linalg.GenericOp):
                    inner.attributes[KERNEL] = IntegerAttr(number, i64)
