"""Which ops make a NaN out of none, and looking for it after each eager op."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextvars import ContextVar

import numpy as np

from lamina.errors import NanError
from lamina.interpreters.dtypes import Array, is_float

MAKERS = frozenset(
    (
        "acos", "acosh", "add", "asin", "atanh", "conv", "cos", "custom_call", "divide",
        "dot_general", "floor_divide", "log", "log10", "log1p", "log2", "multiply", "pow", "reduce",
        "reduce_window", "remainder", "scan", "sin", "sqrt", "subtract", "tan",
    )
)  # fmt: skip
"""Ops whose result may have a NaN although no operand has one."""

ENABLED: ContextVar[bool] = ContextVar("lamina_nans", default=False)
"""Whether eager ops of this thread or task are looked at."""
OPEN: list[None] = []
"""An entry for each thread or task that has it enabled: what is empty costs nothing."""


def message(name: str) -> str:
    """What the error of an op says, eager and compiled."""
    return f"nans: expected no NaN, found one that {name} made of operands without"


def has_nan(array: Array) -> bool:
    """Whether an element is NaN, or has a part that is."""
    if array.dtype.kind != "c" and not is_float(array.dtype):
        return False
    with np.errstate(all="ignore"):
        return bool(np.isnan(array).any())


def look(name: str, operands: Sequence[Array], results: Iterable[Array]) -> None:
    """Raise NanError if an op made a NaN, where that is looked for."""
    if ENABLED.get() and any(map(has_nan, results)) and not any(map(has_nan, operands)):
        raise NanError(message(name))
