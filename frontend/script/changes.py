"""Changes of Python objects: a branch or loop that a run decides cannot make those of outside."""

# pyright: reportPrivateUsage=false
from __future__ import annotations

from typing import Any

from lamina.frontend.array import Array
from lamina.frontend.dispatch import CURRENT
from lamina.frontend.location import fail
from lamina.frontend.runtime_scalar import NeedsValueError

CHANGING = {
    list: "append extend insert pop remove clear sort reverse __setitem__ __delitem__",
    dict: "update pop popitem clear setdefault __setitem__ __delitem__",
    set: "add update discard remove pop clear",
}
"""Container -> the methods that change it."""

METHODS = {kind: frozenset(names.split()) for kind, names in CHANGING.items()}


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
