"""How each `nd` op gets a batch in front: one rule an op, used by `batch`."""

from lamina.transforms.batching import (
    contraction,
    elementwise,
    folding,
    indexing,
    random,
    shape,
)
from lamina.transforms.batching.batcher import Batcher, Rule
from lamina.transforms.batching.effects import EFFECTS

RULES: dict[str, Rule] = {
    **elementwise.RULES, **shape.RULES, **contraction.RULES, **folding.RULES, **indexing.RULES,
    **random.RULES,
}  # fmt: skip
"""Name of an `nd` op without "nd." -> its rule."""

NEVER_BATCHED = frozenset({"constant", "iota"})
"""Ops without operands: their result is equal in all examples."""

__all__ = ["EFFECTS", "NEVER_BATCHED", "RULES", "Batcher", "Rule"]
