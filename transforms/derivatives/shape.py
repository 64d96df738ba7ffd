"""Derivatives of ops that move elements: the cotangent is moved back."""

from __future__ import annotations

from typing import Any

from lamina.transforms.derivatives.emitter import Emitter, Node, Rule


def is_dynamic(e: Emitter[Any], *values: Any) -> bool:
    """Whether a value has a size that only a run knows."""
    return any(size < 0 for value in values for size in e.shape(value))


def broadcast(e: Emitter[Any], n: Node[Any], g: Any, _: int) -> Any:
    """Sum over the axes that are new, and over those that were stretched from a size of 1."""
    dims, source, target = n.params["dims"], e.shape(n.x), e.shape(n.out)
    kept = [d for axis, d in enumerate(dims) if source[axis] == target[d]]
    summed = e.total(g, [axis for axis in range(len(target)) if axis not in kept])
    order = sorted(kept)
    return e.reshape_like(e.transpose(summed, [order.index(d) for d in kept]), n.x)


def reshape(e: Emitter[Any], n: Node[Any], g: Any, _: int) -> Any:
    """The same elements in the operand's shape."""
    return e.reshape_like(g, n.x)


def transpose(e: Emitter[Any], n: Node[Any], g: Any, _: int) -> Any:
    """The inverse permutation."""
    order = n.params["permutation"]
    return e.transpose(g, [order.index(axis) for axis in range(len(order))])


def reverse(e: Emitter[Any], n: Node[Any], g: Any, _: int) -> Any:
    """Reversed again."""
    return e.bind("reverse", g, axes=n.params["axes"])


def concat(e: Emitter[Any], n: Node[Any], g: Any, operand: int) -> Any:
    """The operand's part."""
    axis: int = n.params["axis"]
    limits = list(e.shape(g))
    if is_dynamic(e, *n.operands):
        before = n.operands[:operand]
        starts = [e.start(before if a == axis else (), a) for a in range(len(limits))]
        return e.dynamic_slice(g, starts, n.operands[operand])
    starts = [0] * len(limits)
    starts[axis] = sum(e.shape(other)[axis] for other in n.operands[:operand])
    limits[axis] = starts[axis] + e.shape(n.operands[operand])[axis]
    return e.slice(g, starts, limits)


def pad(e: Emitter[Any], n: Node[Any], g: Any, operand: int) -> Any:
    """The part inside; for the value what is left."""
    low, shape = n.params["low"], e.shape(n.x)
    if is_dynamic(e, n.x):
        inside = e.dynamic_slice(g, [e.start((), a, edge) for a, edge in enumerate(low)], n.x)
    else:
        inside = e.slice(g, low, [a + size for a, size in zip(low, shape, strict=True)])
    if operand == 0:
        return inside
    everything = range(len(shape))
    return e.sub(e.total(g, everything), e.total(inside, everything))


def slice(e: Emitter[Any], n: Node[Any], g: Any, _: int) -> Any:
    """Put back where it came from, zeros elsewhere."""
    starts, strides, shape = n.params["starts"], n.params["strides"], e.shape(n.x)
    if is_dynamic(e, n.x, g):
        places = [e.start((), axis, start) for axis, start in enumerate(starts)]
        return e.dynamic_update_slice(e.full(0.0, n.x), g, places)
    wide = e.spread(g, strides)
    sizes = e.shape(wide)
    high = [size - s - w for size, s, w in zip(shape, starts, sizes, strict=True)]
    return e.pad(wide, starts, high)


def dynamic_slice(e: Emitter[Any], n: Node[Any], g: Any, _: int) -> Any:
    """Put back into zeros; starts (without the run-time sizes) are clamped in the same way."""
    return e.dynamic_update_slice(e.full(0.0, n.x), g, n.starts[: len(e.shape(n.x))])


def dynamic_slice_into(e: Emitter[Any], n: Node[Any], g: Any, known: Any) -> Any:
    """The cotangent of the operand, added to what is `known` of it."""
    here = e.dynamic_slice(known, n.starts, n.out)
    return e.dynamic_update_slice(known, e.add(here, g), n.starts)


def dynamic_update_slice(e: Emitter[Any], n: Node[Any], g: Any, operand: int) -> Any:
    """The window goes to the update, the rest to the operand."""
    if operand == 1:
        return e.dynamic_slice(g, n.starts, n.y)
    return e.dynamic_update_slice(g, e.full(0.0, n.y), n.starts)


def optimization_barrier(_: Emitter[Any], __: Node[Any], g: Any, ___: int) -> Any:
    """The same elements."""
    return g


RULES: dict[str, Rule] = {
    "optimization_barrier": optimization_barrier,
    "broadcast": broadcast,
    "reshape": reshape,
    "transpose": transpose,
    "reverse": reverse,
    "concat": concat,
    "pad": pad,
    "slice": slice,
    "dynamic_slice": dynamic_slice,
    "dynamic_update_slice": dynamic_update_slice,
}
