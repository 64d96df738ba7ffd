"""How each `nd` op is differentiated: one rule an op, shared by the tape and `differentiate`."""

from collections.abc import Callable
from typing import Any

from lamina.transforms.derivatives import (
    complexes,
    elementwise,
    folding,
    indexing,
    sequence,
    shape,
    window,
)
from lamina.transforms.derivatives.emitter import Emitter, Node, Rule

RULES: dict[str, Rule] = {
    **elementwise.RULES, **shape.RULES, **folding.RULES, **sequence.RULES, **window.RULES,
    **indexing.RULES, **complexes.RULES,
}  # fmt: skip
"""Name of an `nd` op without "nd." -> its rule."""

INTO: dict[str, Callable[[Emitter[Any], Node[Any], Any, Any], Any]] = {
    "gather": indexing.gather_into,
    "dynamic_slice": shape.dynamic_slice_into,
}
"""Ops that read a part of their operand -> (emitter, node, cotangent of the result, known
cotangent of the operand) -> their sum, for which only that part changes: a loop that reads a
tensor part by part would else add the whole of it in each trip."""

_SHAPES_ONLY = frozenset({
    "add", "subtract", "negative", "cast", "floor_divide", "sign", "floor", "ceil", "trunc",
    "round", *shape.RULES, *complexes.RULES,
})  # fmt: skip
_RESULT = frozenset({
    "divide", "pow", "hypot", "copysign", "maximum", "minimum", "sqrt", "exp", "exp2", "expm1",
    "tan", "tanh", "reduce", "reduce_window",
})  # fmt: skip


_INDICES_ONLY = {"gather": 1, "scatter": 2}
"""Ops of whose operands only the index tensors are read, and where these begin."""


def first_read(name: str) -> int:
    """The first operand whose values the rule of an op may read."""
    return _INDICES_ONLY.get(name, 0)


def reads_operands(name: str, params: dict[str, Any]) -> bool:
    """Whether the rule of an op reads values of its operands, not their shapes only."""
    return name not in _SHAPES_ONLY and params.get("kind") != "sum"


def reads_result(name: str, params: dict[str, Any]) -> bool:
    """Whether the rule of an op reads the values of its result."""
    return name in _RESULT and params.get("kind") != "sum"


def needs_sizes(name: str, params: dict[str, Any]) -> bool:
    """Whether the rule of an op computes with the sizes of its operands, which must be known."""
    if name == "slice":
        return any(stride != 1 for stride in params["strides"])
    if name == "scan":
        return params["kind"] != "sum"
    return name in ("conv", "reduce_window") or (name, params.get("kind")) == ("reduce", "prod")


__all__ = [
    "INTO",
    "RULES",
    "Emitter",
    "Node",
    "Rule",
    "first_read",
    "needs_sizes",
    "reads_operands",
    "reads_result",
]
