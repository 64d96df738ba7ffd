"""Conditions that are checked where they are known: at once, when tracing, or at run time."""

# pyright: reportPrivateUsage=false
from __future__ import annotations

import numpy as np

from lamina.errors import LaminaError, filled
from lamina.frontend.array import Array
from lamina.frontend.bind import bind, cast, constant, values
from lamina.frontend.dispatch import CURRENT
from lamina.frontend.dtypes import int64
from lamina.frontend.location import fail


def check(condition: Array, error: type[LaminaError], message: str, *shown: Array | int) -> None:
    """Raise `error` with the user's line unless every element of `condition` (bool) holds.

    message: with a `{}` for each of `shown`, at most two 0-d integer arrays or ints; with a `{u}`
    for one of uint64. While a
    trace runs and the condition depends on an argument, the program checks it at run time
    (`nd.check`): of several checks the first that fails raises, no result is given, and no
    argument is written.
    """
    recorder = CURRENT.get()
    if recorder is None:
        if not values(condition).all():
            fail(
                error, filled(message, (int(x if isinstance(x, int) else values(x)) for x in shown))
            )
        return
    if condition.ndim:
        axes = tuple(range(condition.ndim))
        condition = bind("reduce", condition, kind="and", axes=axes)
    arrays = [constant(np.asarray(x, np.int64)) if isinstance(x, int) else x for x in shown]
    operands = [condition, *(cast(x, int64) for x in arrays)]
    known = recorder.known(operands)
    if known is None:
        recorder.effect("check", operands, {"error": error.__name__, "message": message})
    elif not known[0]:
        fail(error, filled(message, map(int, known[1:])))
