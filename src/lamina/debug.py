"""Seeing into programs that run, eager and compiled."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING
from weakref import WeakSet

from lamina.frontend.debug import check, print
from lamina.interpreters.nans import ENABLED, OPEN

if TYPE_CHECKING:
    from lamina.api import Jitted

LIVE: WeakSet[Jitted] = WeakSet()
"""The jitted functions that are there."""


@contextmanager
def nans() -> Generator[None]:
    """Raise NanError at the first operation that makes a NaN of operands without one.

    For a `with` statement, or as a decorator: eager operations of this thread are looked at, and
    jitted functions that it calls are compiled again to look, also in loops, branches and inside
    fused kernels. The error names the operation and the user's line. A NaN that is given, written
    down, or filled in (`where`, `take`) is no error. `lm.jit(f, nans=True)` always looks.

    >>> import lamina as lm
    >>> @lm.jit
    ... def f(x):
    ...     return lm.sum(lm.log(x) + 1)
    >>> try:
    ...     with lm.debug.nans():
    ...         f(lm.asarray([1.0, -1.0]))
    ... except lm.NanError as error:
    ...     print(error.message)
    nans: expected no NaN, found one that log made of operands without
    """
    token = ENABLED.set(True)
    OPEN.append(None)
    _route()
    try:
        yield
    finally:
        OPEN.pop()
        ENABLED.reset(token)
        _route()


def _route() -> None:
    """Let jitted functions look at whether NaN is looked for, while somebody does."""
    for jitted in list(LIVE):
        jitted.route()


__all__ = ["check", "nans", "print"]
