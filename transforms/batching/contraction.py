"""Contractions: an operand's batch is a batch dim, a free dim, or more images or channels."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue

from lamina.dialects.nd import NdOp
from lamina.dialects.nd.base import DYNAMIC_INDEX, shape_of
from lamina.transforms.batching.batcher import Batcher, Rule, moved


def batch_dot_general(b: Batcher, op: NdOp) -> SSAValue:
    """A batch of both is a batch dim; a batch of one is a free dim of it, moved to the front."""
    lhs, rhs = op.operands
    p: dict[str, tuple[int, ...]] = op.params()
    if b.has(lhs):
        p |= {key: moved(p[key]) for key in ("lhs_batch", "lhs_contract")}
    if b.has(rhs):
        p |= {key: moved(p[key]) for key in ("rhs_batch", "rhs_contract")}
    if b.has(lhs) and b.has(rhs):
        p |= {"lhs_batch": (0, *p["lhs_batch"]), "rhs_batch": (0, *p["rhs_batch"])}
        place = 0
    elif b.has(lhs):
        place = len(p["lhs_batch"])
    else:
        place = len(shape_of(lhs)) - len(p["lhs_contract"])
    return to_front(b, b.e.bind("dot_general", b.get(lhs), b.get(rhs), **p), place)


def to_front(b: Batcher, value: SSAValue, axis: int) -> SSAValue:
    """The axis moved to the front."""
    if not axis:
        return value
    rest = [other for other in range(len(shape_of(value))) if other != axis]
    return b.e.bind("transpose", value, permutation=(axis, *rest))


def batch_conv(b: Batcher, op: NdOp) -> SSAValue:
    """A batch of the input is more images; one of the kernel is more channels of each group; one
    of both is more groups."""
    x, w = op.operands
    p = op.params()
    if DYNAMIC_INDEX in (*shape_of(x), *shape_of(w)):
        b.fail(op, "expected operands of static shapes")
    (n, c, *space), (o, per_group, *window) = shape_of(x), shape_of(w)
    size, groups = b.size, p["groups"]
    if not b.has(w):
        images = b.e.reshape(b.get(x), (size * n, c, *space))
        found = b.e.bind("conv", images, b.get(w), **p)
        return b.e.reshape(found, shape_of_batched(b, op))
    inside = o // groups
    if b.has(x):
        channels = b.e.reshape(swapped(b, b.get(x), 0, 1), (n, size * c, *space))
        kernels = b.e.reshape(b.get(w), (size * o, per_group, *window))
        found = b.e.bind("conv", channels, kernels, **p | {"groups": size * groups})
        found = b.e.reshape(found, (n, size, *shape_of(op.results[0])[1:]))
        return swapped(b, found, 0, 1)
    kernels = b.e.reshape(b.get(w), (size, groups, inside, per_group, *window))
    kernels = b.e.reshape(swapped(b, kernels, 0, 1), (groups * size * inside, per_group, *window))
    found = b.e.bind("conv", b.get(x), kernels, **p)
    found = b.e.reshape(found, (n, groups, size, inside, *shape_of(op.results[0])[2:]))
    return b.e.reshape(to_front(b, found, 2), shape_of_batched(b, op))


def shape_of_batched(b: Batcher, op: NdOp) -> Sequence[int]:
    """The shape of the result with its batch."""
    return (b.size, *shape_of(op.results[0]))


def swapped(b: Batcher, value: SSAValue, i: int, j: int) -> SSAValue:
    """Two axes exchanged."""
    order = list(range(len(shape_of(value))))
    order[i], order[j] = j, i
    return b.e.bind("transpose", value, permutation=tuple(order))


RULES: dict[str, Rule] = {"dot_general": batch_dot_general, "conv": batch_conv}
