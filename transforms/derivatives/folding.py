"""Derivatives of reductions and contractions."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

from lamina.transforms.derivatives.emitter import Emitter, Node, Rule


def reduce(e: Emitter[Any], n: Node[Any], g: Any, _: int) -> Any:
    """sum: spread out. max, min: shared equally by the elements that equal the result (the NaN
    elements, where that is NaN). prod: times the product of the others."""
    axes, kind = n.params["axes"], n.params["kind"]
    if kind == "sum":
        return e.expand(g, axes, n.x)
    if kind == "prod":
        return _prod(e, n, g, axes)
    best = e.expand(n.out, axes, n.x)
    both_nan = e.bind("bitwise_and", e.bind("not_equal", n.x, n.x), e.bind("not_equal", best, best))
    ties = e.bind("bitwise_or", e.equal(n.x, best), both_nan)
    share = e.select(ties, 1.0, 0.0, n.x)
    count = e.total(share, axes)
    return e.mul(share, e.expand(e.div(g, count), axes, n.x))


def _prod(e: Emitter[Any], n: Node[Any], g: Any, axes: Sequence[int]) -> Any:
    """A tree of products, walked back: exact at zeros, and differentiable again there."""
    shape = e.shape(n.x)
    kept = [axis for axis in range(len(shape)) if axis not in axes]
    order = [*kept, *axes]
    rows, count = prod(shape[a] for a in kept), prod(shape[a] for a in axes)
    value = e.reshape(e.transpose(n.x, order), [rows, count])
    levels: list[Any] = []
    sizes: list[int] = []
    while count > 1:
        sizes.append(count)
        if count % 2:
            value = e.pad(value, [0, 0], [0, 1], 1.0)
            count += 1
        levels.append(value)
        left, right = _halves(e, value, rows, count)
        value, count = e.mul(left, right), count // 2
    cotangent = e.reshape(g, [rows, 1])
    for value, size in zip(reversed(levels), reversed(sizes), strict=True):
        count = size + size % 2
        left, right = _halves(e, value, rows, count)
        cotangent = e.bind("concat", e.mul(cotangent, right), e.mul(cotangent, left), axis=1)
        if size % 2:
            cotangent = e.slice(cotangent, [0, 0], [rows, size])
    if count == 0:
        return None
    back = e.reshape(cotangent, [shape[axis] for axis in order])
    return e.transpose(back, [order.index(axis) for axis in range(len(order))])


def _halves(e: Emitter[Any], value: Any, rows: int, count: int) -> tuple[Any, Any]:
    half = count // 2
    return (
        e.slice(value, [0, 0], [rows, half]),
        e.slice(value, [0, half], [rows, count]),
    )


def dot_general(e: Emitter[Any], n: Node[Any], g: Any, operand: int) -> Any:
    """The cotangent times the other operand, over that one's free axes; in the order of the two
    that needs no transpose, if there is one."""
    sides = (
        (n.params["lhs_batch"], n.params["lhs_contract"], len(e.shape(n.x))),
        (n.params["rhs_batch"], n.params["rhs_contract"], len(e.shape(n.y))),
    )
    (batch, contract, rank), (other_batch, other_contract, other_rank) = (
        sides if operand == 0 else sides[::-1]
    )
    free = [a for a in range(rank) if a not in (*batch, *contract)]
    other_free = [a for a in range(other_rank) if a not in (*other_batch, *other_contract)]
    first = len(batch) + (len(free) if operand == 0 else 0)
    values = [g, n.operands[1 - operand]]
    batches = [tuple(range(len(batch))), tuple(other_batch)]
    contracted = [tuple(range(first, first + len(other_free))), tuple(other_free)]
    # the result's axes: batch, then free ones and the other's contracted axes in that one's order
    matching = sorted(range(len(contract)), key=lambda i: other_contract[i])
    parts = [free, [contract[i] for i in matching]]
    if [*batch, *parts[1], *parts[0]] == list(range(rank)):
        for pair in (values, batches, contracted, parts):
            pair.reverse()
    result = e.bind(
        "dot_general",
        *values,
        lhs_batch=batches[0],
        rhs_batch=batches[1],
        lhs_contract=contracted[0],
        rhs_contract=contracted[1],
    )
    axes = [*batch, *parts[0], *parts[1]]
    return e.transpose(result, [axes.index(axis) for axis in range(rank)])


def conv(e: Emitter[Any], n: Node[Any], g: Any, operand: int) -> Any:
    """Convolutions again: of the spread cotangent with the mirrored kernel, and of the input with
    the cotangent (Dumoulin and Visin, A guide to convolution arithmetic, 2016)."""
    return _conv_input(e, n, g) if operand == 0 else _conv_kernel(e, n, g)


def _conv_input(e: Emitter[Any], n: Node[Any], g: Any) -> Any:
    p, x, w = n.params, e.shape(n.x), e.shape(n.y)
    groups, rank = p["groups"], len(x) - 2
    per_group = w[0] // groups
    swapped = [0, 2, 1, *range(3, rank + 3)]
    kernel = e.reshape(n.y, [groups, per_group, *w[1:]])
    kernel = e.reshape(e.transpose(kernel, swapped), [x[1], per_group, *w[2:]])
    kernel = e.bind("reverse", kernel, axes=tuple(range(2, rank + 2)))
    wide = e.spread(g, [1, 1, *p["strides"]])
    low = [0, 0]
    high = [0, 0]
    for i in range(rank):
        reach = p["dilation"][i] * (w[2 + i] - 1)
        low.append(reach - p["padding"][2 * i])
        high.append(x[2 + i] + reach - low[-1] - e.shape(wide)[2 + i])
    return e.bind(
        "conv", e.pad(wide, low, high), kernel, strides=(1,) * rank, padding=(0,) * (2 * rank),
        dilation=p["dilation"], groups=groups,
    )  # fmt: skip


def _conv_kernel(e: Emitter[Any], n: Node[Any], g: Any) -> Any:
    """Batches are summed as channels are: an input channel of the result is a group's batch."""
    p, x, w = n.params, e.shape(n.x), e.shape(n.y)
    groups, rank = p["groups"], len(x) - 2
    space = range(3, rank + 3)
    image = e.reshape(n.x, [x[0], groups, w[1], *x[2:]])
    image = e.reshape(e.transpose(image, [2, 1, 0, *space]), [w[1], groups * x[0], *x[2:]])
    cotangent = e.transpose(g, [1, 0, *range(2, rank + 2)])
    found = e.bind(
        "conv", image, cotangent, strides=p["dilation"], padding=p["padding"],
        dilation=p["strides"], groups=groups,
    )  # fmt: skip
    found = e.slice(found, [0] * (rank + 2), [w[1], w[0], *w[2:]])
    return e.transpose(found, [1, 0, *range(2, rank + 2)])


RULES: dict[str, Rule] = {"reduce": reduce, "dot_general": dot_general, "conv": conv}
