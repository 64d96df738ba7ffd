"""Pass `absorb-transposes`: a product names the axes of what was transposed.

    %t = nd.transpose %w permutation [1, 0] : tensor<5x4xf32> -> tensor<4x5xf32>
    %r = nd.dot_general %x, %t batch [] [] contract [1] [0]
    // ->
    %r = nd.dot_general %x, %w batch [] [] contract [1] [1]

It does so whatever is fused later: how a product with few rows is summed depends on the layout of
its operands. Pre-condition: level `nd`. Post-condition: no operand of a product is a transpose,
unless its free axes would change their order; transposes that nobody else reads are gone.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.context import Context
from xdsl.dialects.builtin import DenseArrayBase, ModuleOp, i64
from xdsl.passes import ModulePass

from lamina.dialects.nd.base import ints
from lamina.dialects.nd.contraction import DotGeneralOp
from lamina.dialects.nd.shape import TransposeOp


def why_apart(permutation: Sequence[int], bound: Sequence[int]) -> str | None:
    """Why a product cannot read the source of a transpose; `bound`: its batch and contracted axes
    of the transposed operand."""
    free = [source for axis, source in enumerate(permutation) if axis not in bound]
    return None if free == sorted(free) else "its free axes would change their order"


def absorb(op: DotGeneralOp, side: str, place: int) -> None:
    """Let `op` read through the transposes that make its operand `place`."""
    names = (f"{side}_batch", f"{side}_contract")
    while isinstance(transpose := op.operands[place].owner, TransposeOp):
        permutation = ints(transpose.permutation)
        axes = {name: ints(op.properties[name]) for name in names}
        if why_apart(permutation, [axis for found in axes.values() for axis in found]):
            return
        for name, found in axes.items():
            op.properties[name] = DenseArrayBase.from_list(i64, [permutation[a] for a in found])
        op.operands[place] = transpose.operand
        if not transpose.result.uses:
            transpose.detach()
            transpose.erase()


class AbsorbTransposesPass(ModulePass):
    """Read through transposes into products."""

    name = "absorb-transposes"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for inner in [inner for inner in op.walk() if isinstance(inner, DotGeneralOp)]:
            absorb(inner, "lhs", 0)
            absorb(inner, "rhs", 1)
