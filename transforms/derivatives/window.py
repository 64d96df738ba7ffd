"""Derivatives of reductions over windows."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any

from lamina.transforms.derivatives.emitter import Emitter, Node, Rule


def reduce_window(e: Emitter[Any], n: Node[Any], g: Any, _: int) -> Any:
    """sum: the sum over the windows that hold an element. max, min: each window's cotangent is
    shared equally by the elements that equal its result (the NaN elements, where that is NaN)."""
    if _are_blocks(n.params):
        return _blocks(e, n, g)
    return _sum(e, n, g) if n.params["kind"] == "sum" else _extreme(e, n, g)


def _are_blocks(p: dict[str, Any]) -> bool:
    """Whether no windows overlap, and each is whole and dense."""
    dense = all(d == 1 or w == 1 for d, w in zip(p["dilation"], p["window"], strict=True))
    return dense and p["strides"] == p["window"] and not any(p["padding"])


def _blocks(e: Emitter[Any], n: Node[Any], g: Any) -> Any:
    """The input with an axis for the windows and one inside, for each of its axes: what is outside
    of all windows is cut off, and gets zeros."""
    window, sizes, out = n.params["window"], e.shape(n.x), e.shape(n.out)
    rank = len(sizes)
    covered = [o * w for o, w in zip(out, window, strict=True)]
    split = [size for pair in zip(out, window, strict=True) for size in pair]
    x = e.reshape(e.slice(n.x, [0] * rank, covered), split)
    outer, inner = range(0, 2 * rank, 2), range(1, 2 * rank, 2)
    if n.params["kind"] == "sum":
        found = e.broadcast(g, outer, x)
    else:
        share = _ties(e, x, e.broadcast(n.out, outer, x))
        each = e.div(g, e.total(share, inner))
        found = e.mul(share, e.broadcast(each, outer, x))
    high = [size - c for size, c in zip(sizes, covered, strict=True)]
    return e.pad(e.reshape(found, covered), [0] * rank, high)


def _sum(e: Emitter[Any], n: Node[Any], g: Any) -> Any:
    p, sizes = n.params, e.shape(n.x)
    wide = e.spread(g, p["strides"])
    reach = [d * (w - 1) for d, w in zip(p["dilation"], p["window"], strict=True)]
    low = [r - before for r, before in zip(reach, p["padding"][::2], strict=True)]
    high = [
        size + r - a - w for size, r, a, w in zip(sizes, reach, low, e.shape(wide), strict=True)
    ]
    rank = len(sizes)
    return e.bind(
        "reduce_window", e.pad(wide, low, high), kind="sum", window=p["window"],
        strides=(1,) * rank, padding=(0,) * (2 * rank), dilation=p["dilation"],
    )  # fmt: skip


def _extreme(e: Emitter[Any], n: Node[Any], g: Any) -> Any:
    """One shifted copy of the input for each place in the window."""
    p, sizes, out = n.params, e.shape(n.x), e.shape(n.out)
    low, high = p["padding"][::2], p["padding"][1::2]
    least = -math.inf if p["kind"] == "max" else math.inf
    padded = e.pad(n.x, low, high, least)
    total = e.shape(padded)
    shares: list[tuple[list[int], Any]] = []
    count: Any = None
    for place in itertools.product(*map(range, p["window"])):
        start = [k * d for k, d in zip(place, p["dilation"], strict=True)]
        limits = [a + (o - 1) * s + 1 for a, o, s in zip(start, out, p["strides"], strict=True)]
        share = _ties(e, e.slice(padded, start, limits, p["strides"]), n.out)
        count = share if count is None else e.add(count, share)
        shares.append((start, share))
    each, found = e.div(g, count), None
    for start, share in shares:
        wide = e.spread(e.mul(share, each), p["strides"])
        part = e.pad(wide, start, _left(total, start, e.shape(wide)))
        found = part if found is None else e.add(found, part)
    return e.slice(found, low, [a + size for a, size in zip(low, sizes, strict=True)])


def _left(total: Sequence[int], start: Sequence[int], size: Sequence[int]) -> list[int]:
    return [t - a - w for t, a, w in zip(total, start, size, strict=True)]


def _ties(e: Emitter[Any], x: Any, best: Any) -> Any:
    """1 where x is what the window gave, else 0."""
    nan = e.bind("bitwise_and", e.bind("not_equal", x, x), e.bind("not_equal", best, best))
    return e.select(e.bind("bitwise_or", e.equal(x, best), nan), 1.0, 0.0, x)


RULES: dict[str, Rule] = {"reduce_window": reduce_window}
