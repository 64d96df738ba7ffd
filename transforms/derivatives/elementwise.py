"""Derivatives of elementwise ops: the cotangent times the partial derivative."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from lamina.transforms.derivatives.emitter import Emitter, Node, Rule

Part = Callable[[Emitter[Any], Node[Any], Any], Any]
"""(emitter, node, cotangent) -> the cotangent of one operand."""


def parts(*found: Part | None) -> Rule:
    """A rule with one function an operand; None where the derivative is zero."""

    def rule(e: Emitter[Any], n: Node[Any], g: Any, operand: int) -> Any:
        part = found[operand]
        return None if part is None else part(e, n, g)

    return rule


ZERO = parts(None, None)
"""Piecewise constant: zero wherever a derivative exists."""


def _pow_base(e: Emitter[Any], n: Node[Any], g: Any) -> Any:
    """g * y * x**(y - 1); 0 for y = 0, where x**-1 may be infinite."""
    power = e.bind("pow", n.x, e.add(n.y, -1.0))
    return e.select(e.equal(n.y, 0.0), 0.0, e.mul(g, e.mul(n.y, power)), n.x)


def _pow_exponent(e: Emitter[Any], n: Node[Any], g: Any) -> Any:
    """g * out * log(x); 0 for x = 0."""
    none = e.equal(n.x, 0.0)
    log = e.bind("log", e.select(none, 1.0, n.x, n.x))
    return e.select(none, 0.0, e.mul(g, e.mul(n.out, log)), n.x)


def _square_sum(e: Emitter[Any], n: Node[Any]) -> Any:
    return e.add(e.mul(n.x, n.x), e.mul(n.y, n.y))


def _hypot(side: int) -> Part:
    """g * x / hypot; 0 at the origin."""

    def part(e: Emitter[Any], n: Node[Any], g: Any) -> Any:
        origin = e.equal(n.out, 0.0)
        ratio = e.div(n.operands[side], e.select(origin, 1.0, n.out, n.out))
        return e.mul(g, ratio)

    return part


def _extreme(side: int) -> Part:
    """A tie splits equally; where the result is NaN, the NaN operands share."""

    def chosen(e: Emitter[Any], n: Node[Any], x: Any) -> Any:
        same = e.bind("bitwise_or", e.equal(x, n.out), e.bind("not_equal", x, x))
        return e.select(same, 1.0, 0.0, x)

    def part(e: Emitter[Any], n: Node[Any], g: Any) -> Any:
        mine, other = (chosen(e, n, x) for x in (n.operands[side], n.operands[1 - side]))
        return e.mul(g, e.div(mine, e.add(mine, other)))

    return part


def _copysign(e: Emitter[Any], n: Node[Any], g: Any) -> Any:
    return e.select(e.equal(n.out, n.x), g, e.neg(g), g)


def _inverse_root(e: Emitter[Any], n: Node[Any], g: Any) -> Any:
    """g / sqrt((1 - x) * (1 + x)), the derivative of asin."""
    return e.div(g, e.bind("sqrt", e.mul(e.sub(1.0, n.x), e.add(n.x, 1.0))))


def _gauss(e: Emitter[Any], n: Node[Any], g: Any) -> Any:
    """g * 2 / sqrt(pi) * exp(-x * x), the derivative of erf."""
    bell = e.bind("exp", e.neg(e.mul(n.x, n.x)))
    return e.mul(g, e.mul(bell, 2 / math.sqrt(math.pi)))


def _unary(name: str) -> Part:
    return lambda e, n, g: e.mul(g, e.bind(name, n.x))


def _negated(part: Part) -> Part:
    return lambda e, n, g: e.neg(part(e, n, g))


def _select(place: int) -> Part:
    def part(e: Emitter[Any], n: Node[Any], g: Any) -> Any:
        return e.select(n.x, g, 0.0, g) if place == 1 else e.select(n.x, 0.0, g, g)

    return part


def _cast(e: Emitter[Any], n: Node[Any], g: Any) -> Any:
    if e.is_complex(g) and not e.is_complex(n.x):
        g = e.bind("real", g)
    return e.cast(g, n.x)


RULES: dict[str, Rule] = {
    "add": parts(lambda e, n, g: g, lambda e, n, g: g),
    "subtract": parts(lambda e, n, g: g, lambda e, n, g: e.neg(g)),
    "multiply": parts(lambda e, n, g: e.mul(g, n.y), lambda e, n, g: e.mul(g, n.x)),
    "divide": parts(
        lambda e, n, g: e.div(g, n.y), lambda e, n, g: e.neg(e.div(e.mul(g, n.out), n.y))
    ),
    "floor_divide": ZERO,
    "remainder": parts(
        lambda e, n, g: g, lambda e, n, g: e.neg(e.mul(g, e.bind("floor_divide", n.x, n.y)))
    ),
    "pow": parts(_pow_base, _pow_exponent),
    "atan2": parts(
        lambda e, n, g: e.mul(g, e.div(n.y, _square_sum(e, n))),
        lambda e, n, g: e.neg(e.mul(g, e.div(n.x, _square_sum(e, n)))),
    ),
    "hypot": parts(_hypot(0), _hypot(1)),
    "copysign": parts(_copysign, None),
    "maximum": parts(_extreme(0), _extreme(1)),
    "minimum": parts(_extreme(0), _extreme(1)),
    "negative": parts(lambda e, n, g: e.neg(g)),
    "abs": parts(_unary("sign")),
    "sign": ZERO, "floor": ZERO, "ceil": ZERO, "trunc": ZERO, "round": ZERO,
    "sqrt": parts(lambda e, n, g: e.div(g, e.mul(n.out, 2.0))),
    "exp": parts(lambda e, n, g: e.mul(g, n.out)),
    "exp2": parts(lambda e, n, g: e.mul(g, e.mul(n.out, math.log(2)))),
    "expm1": parts(lambda e, n, g: e.mul(g, e.add(n.out, 1.0))),
    "log": parts(lambda e, n, g: e.div(g, n.x)),
    "log1p": parts(lambda e, n, g: e.div(g, e.add(n.x, 1.0))),
    "log2": parts(lambda e, n, g: e.div(g, e.mul(n.x, math.log(2)))),
    "log10": parts(lambda e, n, g: e.div(g, e.mul(n.x, math.log(10)))),
    "sin": parts(_unary("cos")),
    "cos": parts(_negated(_unary("sin"))),
    "tan": parts(lambda e, n, g: e.mul(g, e.add(e.mul(n.out, n.out), 1.0))),
    "sinh": parts(_unary("cosh")),
    "cosh": parts(_unary("sinh")),
    "tanh": parts(lambda e, n, g: e.mul(g, e.sub(1.0, e.mul(n.out, n.out)))),
    "asin": parts(_inverse_root),
    "acos": parts(_negated(_inverse_root)),
    "atan": parts(lambda e, n, g: e.div(g, e.add(e.mul(n.x, n.x), 1.0))),
    "asinh": parts(lambda e, n, g: e.div(g, e.bind("hypot", n.x, e.full(1.0, n.x)))),
    "acosh": parts(
        lambda e, n, g: e.div(g, e.bind("sqrt", e.mul(e.add(n.x, -1.0), e.add(n.x, 1.0))))
    ),
    "atanh": parts(lambda e, n, g: e.div(g, e.mul(e.sub(1.0, n.x), e.add(n.x, 1.0)))),
    "erf": parts(_gauss),
    "erfc": parts(_negated(_gauss)),
    "select": parts(None, _select(1), _select(2)),
    "cast": parts(_cast),
}  # fmt: skip
