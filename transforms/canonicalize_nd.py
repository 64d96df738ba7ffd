"""Pass `canonicalize-nd`: each op says what it means in the shortest way.

    %a = nd.transpose %x permutation [1, 0] : tensor<2x3xf32> -> tensor<3x2xf32>
    %b = nd.transpose %a permutation [1, 0] : tensor<3x2xf32> -> tensor<2x3xf32>
    %r = nd.multiply %b, %one : tensor<2x3xf32>           // %one: all elements 1
    // ->
    uses of %r read %x

The patterns are tables op -> functions in `transforms/nd_patterns/`; `docs/dialects/nd.md` lists
them. All keep every bit, but for the sign and payload of a NaN. One walk forward, in which an op
meets operands that are in their final form; what nobody reads any more is erased on the way.
Pre-condition: level `nd`. Post-condition: no pattern applies; a second run changes nothing.
"""

from __future__ import annotations

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.transforms.dead_code_elimination import is_trivially_dead
from xdsl.utils.exceptions import PassFailedException

from lamina.transforms.nd_patterns import control, elementwise, movement, slices
from lamina.transforms.nd_patterns.matching import NdRewriter, Pattern

PATTERNS: dict[type[Operation], tuple[Pattern, ...]] = {
    **elementwise.PATTERNS,
    **movement.PATTERNS,
    **slices.PATTERNS,
}
REWRITES = 16
"""Rewrites for each op of the program after which patterns are taken to undo each other."""


def replacement(op: Operation, b: NdRewriter) -> list[SSAValue] | None:
    """What stands for the results of `op`, by the first pattern that applies."""
    for pattern in PATTERNS.get(type(op), ()):
        value = pattern(op, b)
        if value is not None:
            return [value]
    known_way = control.PATTERNS.get(type(op))
    return None if known_way is None else known_way(op, b)


def erase(op: Operation) -> None:
    """Erase an op, and what only it read."""
    stack = [op]
    while stack:
        dead = stack.pop()
        read = {v.owner: None for inner in dead.walk() for v in inner.operands}
        dead.detach()
        dead.erase(safe_erase=False)
        for owner in read:
            if isinstance(owner, Operation) and owner.parent and is_trivially_dead(owner):
                stack.append(owner)


class _Canonicalizer:
    def __init__(self, limit: int) -> None:
        self.left = limit

    def block(self, block: Block) -> None:
        """All ops of a block and of the regions in it, in order."""
        op = block.first_op
        while op is not None:
            following = op.next_op
            self.visit(op)
            op = following

    def visit(self, op: Operation) -> None:
        """Rewrite `op`, then the ops that stand for it, until no pattern applies."""
        pending = [op]
        while pending:
            op = pending.pop()
            if op.parent is None:
                continue
            if is_trivially_dead(op):
                erase(op)
                continue
            rewriter = NdRewriter(op)
            values = replacement(op, rewriter)
            if values is None:
                for region in op.regions:
                    for block in region.blocks:
                        self.block(block)
                continue
            self.left -= 1
            if self.left < 0:
                raise PassFailedException(
                    f"expected patterns that come to an end, found {op.name} rewritten again "
                    "and again"
                )
            for result, value in zip(op.results, values, strict=True):
                result.replace_all_uses_with(value)
            pending += reversed(rewriter.made)
            erase(op)


class CanonicalizeNdPass(ModulePass):
    """Simplify `nd` ops by patterns."""

    name = "canonicalize-nd"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        canonicalizer = _Canonicalizer(REWRITES * (1 + sum(1 for _ in op.walk())))
        for block in op.body.blocks:
            canonicalizer.block(block)
