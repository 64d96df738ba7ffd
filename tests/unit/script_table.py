"""What the programs of script mode share: the table, and values to call them with."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

X = np.array([1.5, -2.0, 0.25, 4.0, -0.5])
F = np.array([1.5, -2.0, 0.25, 4.0, -0.5, 3.0, 7.0, -1.0, 2.0, 0.5], np.float32)
I = np.array([3, -1, 4, 1, -5, 9, 2, 6, 5, 3])
M = np.arange(12.0).reshape(3, 4) - 5
LONG = np.arange(20.0) - 7

PROGRAMS: list[tuple[Callable[..., Any], list[tuple[Any, ...]]]] = []


def program(*calls: tuple[Any, ...]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorator: list a program with the arguments of some calls."""

    def listed(function: Callable[..., Any]) -> Callable[..., Any]:
        PROGRAMS.append((function, list(calls)))
        return function

    return listed
