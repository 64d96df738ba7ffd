"""Derivatives of scans and sorts."""

from __future__ import annotations

import math
from typing import Any

from lamina.transforms.derivatives.elementwise import RULES as ELEMENTWISE
from lamina.transforms.derivatives.emitter import Emitter, Node, Rule

COMBINED = {"prod": ("multiply", 1.0), "max": ("maximum", -math.inf), "min": ("minimum", math.inf)}
"""Kind of a scan -> the op that combines two elements, and what changes nothing."""


def scan(e: Emitter[Any], n: Node[Any], g: Any, _: int) -> Any:
    """sum: the sum of what comes later. Others: a scan by doubling steps (Hillis and Steele, 1986)
    is walked back, which is exact at zeros and ties, and differentiable again there."""
    kind, direction = n.params["kind"], n.params["direction"]
    axis: int = n.params["axis"]
    if kind == "sum":
        other = "reverse" if direction == "forward" else "forward"
        return e.bind("scan", g, kind="sum", axis=axis, direction=other)
    name, neutral = COMBINED[kind]
    size = e.shape(n.x)[axis]
    sign = 1 if direction == "forward" else -1
    value, steps = n.x, list[tuple[int, Node[Any]]]()
    distance = 1
    while distance < size:
        moved = _shifted(e, value, axis, sign * distance, neutral)
        result = e.bind(name, value, moved)
        steps.append((sign * distance, Node(name, (value, moved), (result,), {})))
        value, distance = result, 2 * distance
    for step, node in reversed(steps):
        stays, moved = (ELEMENTWISE[name](e, node, g, operand) for operand in (0, 1))
        g = e.add(stays, _shifted(e, moved, axis, -step, 0.0))
    return g


def _shifted(e: Emitter[Any], value: Any, axis: int, distance: int, fill: float) -> Any:
    """Element i of the result is element i - distance along `axis`; `fill` where there is none."""
    rank = len(e.shape(value))
    low = [distance if a == axis else 0 for a in range(rank)]
    return e.pad(value, low, [-edge for edge in low], fill)


def sort(e: Emitter[Any], n: Node[Any], g: Any, _: int) -> Any:
    """Each cotangent goes to where its element came from: the place of i among the sorted."""
    axis, rank = n.params["axis"], len(e.shape(n.x))
    places = e.bind("argsort", n.x, axis=axis, order=n.params["order"])
    ranks = e.bind("argsort", places, axis=axis, order="ascending")
    others = tuple(a for a in range(rank) if a != axis)
    everything = tuple(range(rank))
    return e.bind("gather", g, ranks, axes=(axis,), dims=others, index_dims=everything)


RULES: dict[str, Rule] = {"scan": scan, "sort": sort}
