"""How each `nd` op is differentiated: one rule an op, shared by the tape and `differentiate`."""

from lamina.transforms.derivatives import elementwise, folding, shape
from lamina.transforms.derivatives.emitter import Emitter, Node, Rule

RULES: dict[str, Rule] = {**elementwise.RULES, **shape.RULES, **folding.RULES}
"""Name of an `nd` op without "nd." -> its rule."""

__all__ = ["RULES", "Emitter", "Node", "Rule"]
