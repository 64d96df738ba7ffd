"""Derivatives of ops with index tensors. Indices themselves have none."""

from __future__ import annotations

from math import prod
from typing import Any

from lamina.errors import LoweringError
from lamina.transforms.derivatives.emitter import Emitter, Node, Rule


def _space(n: Node[Any]) -> dict[str, Any]:
    return {key: n.params[key] for key in ("axes", "dims", "index_dims")}


def gather(e: Emitter[Any], n: Node[Any], g: Any, _: int) -> Any:
    """Each cotangent is added to the element that was read, in the order of the result."""
    return gather_into(e, n, g, e.full(0.0, n.x))


def gather_into(e: Emitter[Any], n: Node[Any], g: Any, known: Any) -> Any:
    """The cotangent of a gather's operand, added to what is `known` of it."""
    shape: tuple[int, ...] = e.shape(n.x)
    axes: tuple[int, ...] = n.params["axes"]
    indices = [
        _clamped(e, index, shape[axis]) for index, axis in zip(n.operands[1:], axes, strict=True)
    ]
    return e.bind("scatter", known, g, *indices, kind="add", **_space(n))


def _clamped(e: Emitter[Any], index: Any, size: int) -> Any:
    """The index of the element that a gather reads, from -size to size - 1; an axis of run-time
    size is indexed inside."""
    least, most = e.bounds(index)
    if size < 0:
        return index
    if least < -size:
        index = e.bind("maximum", index, e.full(-size, index))
    if most > size - 1:
        index = e.bind("minimum", index, e.full(size - 1, index))
    return index


def scatter(e: Emitter[Any], n: Node[Any], g: Any, operand: int) -> Any:
    """What an update replaced has no part in the result, nor has one that was replaced."""
    kind, (updates, *indices) = n.params["kind"], n.operands[1:]
    if kind not in ("set", "add"):
        raise LoweringError(
            f"nd.scatter: expected kind set or add, which have a derivative, found {kind}",
            place=None,  # whoever applies the rule knows it
        )
    if operand == 0:
        if kind == "add":
            return g
        return e.bind("scatter", g, e.full(0.0, updates), *indices, kind="set", **_space(n))
    found = e.bind("gather", g, *indices, **_space(n))
    stays = _lasting(e, n) if kind == "set" else _inside(e, n)
    return found if stays is None else e.select(stays, found, 0.0, found)


def _inside(e: Emitter[Any], n: Node[Any]) -> Any:
    """Which updates are in range; None where all must be."""
    shape: tuple[int, ...] = e.shape(n.x)
    axes: tuple[int, ...] = n.params["axes"]
    found: Any = None
    for index, axis in zip(n.operands[2:], axes, strict=True):
        size, (least, most) = shape[axis], e.bounds(index)
        if size < 0:
            continue
        flags: list[Any] = []
        if least < -size:
            flags.append(e.bind("greater_equal", index, e.full(-size, index)))
        if most > size - 1:
            flags.append(e.bind("less_equal", index, e.full(size - 1, index)))
        for flag in flags:
            found = flag if found is None else e.bind("bitwise_and", found, flag)
    return None if found is None else e.broadcast(found, n.params["index_dims"], n.y)


def _lasting(e: Emitter[Any], n: Node[Any]) -> Any:
    """Which updates are the last for their element: they find their own number there."""
    shape, indices = e.shape(n.y), n.operands[2:]
    if min((0, *shape, *e.shape(n.x))) < 0:
        raise LoweringError(
            "nd.scatter: expected static shapes for its derivative, found a ?", place=None
        )
    flat = e.reshape(e.broadcast(e.scalar(0, indices[0]), (), n.y), (prod(shape),))
    # a stable sort of equal numbers counts
    numbers = e.reshape(e.bind("argsort", flat, axis=0, order="ascending"), shape)
    nobody = e.broadcast(e.scalar(-1, numbers), (), n.x)
    last = e.bind("scatter", nobody, numbers, *indices, kind="set", **_space(n))
    return e.bind("equal", e.bind("gather", last, *indices, **_space(n)), numbers)


RULES: dict[str, Rule] = {"gather": gather, "scatter": scatter}
