"""Tables that tie the modules of the frontend together without import cycles.

`FUNCTIONS` is filled by the function modules (`elementwise.py`, ...) and read by the operators
and methods of `Array` and by NumPy's protocols. `CURRENT` is the recorder of the innermost trace
that runs in this thread or task.
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from lamina.frontend.recorder import Recorder

F = TypeVar("F", bound=Callable[..., Any])

FUNCTIONS: dict[str, Callable[..., Any]] = {}
"""Public function name -> function."""

CURRENT: ContextVar[Recorder | None] = ContextVar("lamina_recorder", default=None)


def public(function: F) -> F:
    """Decorator: list `function` in `FUNCTIONS` under its name (less a closing underscore)."""
    FUNCTIONS[function.__name__.rstrip("_")] = function
    return function


def extension(module: str) -> Callable[[F], F]:
    """Decorator: list a function of an extension in `FUNCTIONS`, as "linalg.inv"."""

    def listed(function: F) -> F:
        FUNCTIONS[f"{module}.{function.__name__}"] = function
        return function

    return listed
