"""Ops that run a second time, for a gradient: what they did besides their results is done already.

A value that a backward function needs is computed again; what the function printed, checked or
called on its way was printed, checked and called when the function itself ran.
"""

from __future__ import annotations

from collections.abc import Iterable

from xdsl.ir import Operation

from lamina.dialects.locations import place_of
from lamina.dialects.nd.effects import CheckOp, CustomCallOp, FailOp, PrintOp
from lamina.errors import LoweringError

PRINTS = (PrintOp,)
EFFECTS = (*PRINTS, CheckOp, FailOp)
"""Ops that are nothing but what they do. In a loop that counts its trips before it runs again for
a gradient they stay in the first run."""


def drop_effects(
    ops: Iterable[Operation], kinds: tuple[type[Operation], ...] = EFFECTS
) -> list[Operation]:
    """Erase the ops of `kinds` among `ops` and inside them; those that are left.

    Raises LoweringError, with its place, for a call that must not happen twice.
    """
    left: list[Operation] = []
    for op in ops:
        if isinstance(op, kinds):
            op.detach()
            op.erase()
            continue
        left.append(op)
        for inner in list(op.walk()):
            if isinstance(inner, CustomCallOp) and inner.pure is None:
                raise LoweringError(
                    f"differentiate: expected a pure custom_call where values are computed again "
                    f"for a gradient, found {inner.symbol} with effects",
                    place=place_of(inner.location),
                )
            if inner is not op and isinstance(inner, kinds):
                inner.detach()
                inner.erase()
    return left
