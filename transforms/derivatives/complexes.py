"""Derivatives of taking complex numbers apart and putting them together.

The cotangent of re + im i is that of re plus that of im times i, so that what moves and adds
complex numbers has the rules of real ones; everything else is a formula on the parts.
"""

from __future__ import annotations

from lamina.transforms.derivatives.elementwise import parts
from lamina.transforms.derivatives.emitter import Rule

RULES: dict[str, Rule] = {
    "real": parts(lambda e, n, g: e.bind("complex", g, e.full(0.0, g))),
    "imag": parts(lambda e, n, g: e.bind("complex", e.full(0.0, g), g)),
    "complex": parts(lambda e, n, g: e.bind("real", g), lambda e, n, g: e.bind("imag", g)),
}
