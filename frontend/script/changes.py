"""Changes of Python objects: a branch or loop that a run decides cannot make those of outside."""

# pyright: reportPrivateUsage=false
from __future__ import annotations

import types
from typing import Any, cast

import numpy as np

from lamina.frontend.array import Array
from lamina.frontend.dispatch import CURRENT
from lamina.frontend.location import fail
from lamina.frontend.runtime_scalar import NeedsValueError

_READING = {
    list: "copy count index",
    dict: "copy get items keys values",
    set: "copy difference intersection isdisjoint issubset issuperset union",
}
_FIXED = (str, bytes, tuple, int, float, complex, frozenset, range, slice, type, type(None),
          np.generic, np.dtype, np.ufunc, types.ModuleType)  # fmt: skip


def check_method(owner: Any, name: str) -> None:
    """As `check_change`, for a call of a method that is not Python: of containers the methods that
    only read are known, and objects that never change; any other may change its object (an
    iterator, a generator of random numbers)."""
    reading = _READING.get(cast(Any, type(owner)), "").split()
    if name not in reading and not isinstance(owner, _FIXED):
        check_change(owner, f".{name}()")


def made(container: Any) -> Any:
    """A container that code has just made: the branch or loop it is in may change it."""
    recorder = CURRENT.get()
    if recorder is not None and recorder.scope.parent is not None:
        recorder.scope.made.append(container)
    return container


def check_change(owner: Any, what: str) -> None:
    """Raise `TraceError` where a branch or loop would change an object of outside."""
    recorder = CURRENT.get()
    if recorder is None or recorder.scope.parent is None or isinstance(owner, Array):
        return
    if isinstance(owner, (str, int, float, tuple, type(None))):
        return
    if any(owner is x for x in recorder.scope.made):
        return
    fail(
        NeedsValueError,
        f"expected no change of a {type(owner).__name__} of outside in a branch or loop that a run "
        f"decides, found {what}; use an array, or return the value and change it after",
    )


def outer_write(what: str) -> None:
    """Refuse a write to a variable outside of the function, there."""
    recorder = CURRENT.get()
    if recorder is not None and recorder.scope.parent is not None:
        fail(
            NeedsValueError,
            f"expected no write to a variable of outside in a branch or loop that a run decides, "
            f"found {what}; return the value and assign it after",
        )
