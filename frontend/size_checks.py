"""What functions ask of sizes that are expressions: decided now, or checked at run time."""

from __future__ import annotations

from typing import Any, NoReturn

from lamina.errors import TraceError
from lamina.frontend.dims import AnySize, Size, decide, minus, provable, same
from lamina.frontend.dispatch import CURRENT
from lamina.frontend.location import fail


def refuse(name: str, found: str) -> NoReturn:
    """Raise: a function takes sizes only that are known while tracing."""
    fail(
        TraceError,
        f"{name}: expected sizes that are known while tracing, found {found}; give the axis a "
        "number in shapes=, or call the function with arrays of one size",
    )


def equal(name: str, x: AnySize, y: AnySize) -> bool:
    """Whether two sizes that must be equal are. Of sizes that change in a loop the program checks
    it at run time (`ShapeError`); the function `name` then goes on as if they were."""
    if not isinstance(x, Size) and not isinstance(y, Size):
        return x == y
    difference = minus(x, y)
    known = provable("eq", difference)
    if known is not None:
        return known
    recorder: Any = CURRENT.get()
    if recorder is None:
        return False
    if recorder.sizes.undecided(difference):
        recorder.sizes.check_equal(name, x, y)
        return True
    return decide("eq", x, y)


def one_of_call(size: AnySize, wanted: AnySize) -> bool:
    """Whether a size is an expression that is 1 in the call that is traced, and `wanted` is not."""
    if not isinstance(size, Size) or same(size, wanted):
        return False
    recorder: Any = CURRENT.get()
    found = recorder.sizes.values(minus(size, wanted), size, wanted)
    return found is not None and found[0] == 1 != found[1] and decide("eq", size, 1)


def filled(name: str, size: AnySize, axis: int) -> bool:
    """Whether a size is 1 or more; of one that changes in a loop the program checks it."""
    known = provable("gt", size)
    recorder: Any = CURRENT.get()
    if known is None and recorder is not None and recorder.sizes.undecided(size):
        recorder.sizes.check_filled(name, size, axis)
        return True
    return bool(size) if known is None else known
