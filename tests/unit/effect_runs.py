"""What functions with effects do, eager and compiled: what they print, give and raise."""

# pyright: reportUnknownArgumentType=false
from __future__ import annotations

import inspect
from collections.abc import Callable
from contextlib import redirect_stdout
from io import StringIO
from typing import Any

import numpy as np

import lamina as lm
from lamina.errors import LaminaError


def line_of(function: Any, text: str) -> str:
    """`file:line` of `text` in `function`."""
    lines, first = inspect.getsourcelines(inspect.unwrap(function))
    number = first + next(n for n, line in enumerate(lines) if text in line)
    return f"{inspect.getsourcefile(function)}:{number}"


def outcome(function: Callable[..., Any], *args: Any) -> tuple[str, Any]:
    """What a call prints, and the bytes of its results, or its error."""
    with redirect_stdout(StringIO()) as printed:
        try:
            leaves = lm.tree.flatten(function(*args))[0]
        except LaminaError as error:
            return printed.getvalue(), (type(error), str(error))
    return printed.getvalue(), [np.asarray(leaf).tobytes() for leaf in leaves]


def same(function: Callable[..., Any], *args: Any) -> str:
    """What `function` prints; eager, compiled and called again, its outcomes are equal."""

    def fresh() -> list[Any]:
        return [x.copy() if isinstance(x, np.ndarray) else x for x in args]

    eager = outcome(function, *(lm.asarray(x) if isinstance(x, np.ndarray) else x for x in fresh()))
    fast = lm.jit(function)
    assert outcome(fast, *fresh()) == eager
    assert outcome(fast, *fresh()) == eager
    return eager[0]
