"""Compiled loops that never end are interrupted from the keyboard, whatever their bodies are."""

# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false

from __future__ import annotations

import signal
from collections.abc import Callable
from time import perf_counter
from typing import Any

import numpy as np
import pytest

import lamina as lm

FOREVER = 1 << 60


def scalars(x: Any) -> Any:
    return lm.fori_loop(0, FOREVER, lambda i, c: c ^ i, x)


def unknown(x: Any) -> Any:
    return lm.fori_loop(0, x * 0 + FOREVER, lambda i, c: c ^ i, x)


def condition(x: Any) -> Any:
    return lm.while_loop(lambda c: c >= 0, lambda c: (c + 1) & 7, x)


def short_loops_inside(x: Any) -> Any:
    inner = lambda i, c: lm.fori_loop(0, 5, lambda j, d: d ^ (i * j), c)  # noqa: E731
    return lm.fori_loop(0, FOREVER, inner, x)


def unknown_loops_inside(x: Any) -> Any:
    def body(i: Any, c: Any) -> Any:
        return lm.while_loop(lambda d: d[0] < 3, lambda d: (d[0] + 1, d[1] ^ i), (x * 0, c))[1]

    return lm.fori_loop(0, FOREVER, body, x)


def rows(x: Any) -> Any:
    a = lm.zeros((4, 4))

    def body(i: Any, c: Any) -> Any:
        a[i % 4] = a[(i + 1) % 4] + 1
        return c

    return lm.fori_loop(0, FOREVER, body, x)


@pytest.mark.parametrize(
    "function",
    [scalars, unknown, condition, short_loops_inside, unknown_loops_inside, rows],
    ids=lambda f: f.__name__,
)
def test_a_loop_without_end(function: Callable[[Any], Any]) -> None:
    def interrupt(*_: Any) -> None:
        raise KeyboardInterrupt

    lm.jit(lambda x: x + 1)(np.int64(3))  # what it imports is no part of the trace below
    compiled = lm.jit(function).lower(np.int64(3)).compile()
    before = signal.signal(signal.SIGALRM, interrupt)
    start = perf_counter()
    signal.setitimer(signal.ITIMER_REAL, 0.05)
    try:
        with pytest.raises(KeyboardInterrupt):
            compiled(np.int64(3))
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert perf_counter() - start < 1
