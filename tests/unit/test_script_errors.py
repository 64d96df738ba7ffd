"""What script mode does not do is one located error, which says what to do."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from script_errors import TABLE
from script_table import X

import lamina as lm


@pytest.mark.parametrize(
    ("function", "arguments", "error", "text", "line"),
    TABLE,
    ids=[row[0].__name__ for row in TABLE],
)
def test_error(
    function: Callable[..., Any],
    arguments: tuple[Any, ...],
    error: type[Exception],
    text: str,
    line: int,
) -> None:
    with pytest.raises(error, match=text) as found:
        lm.jit(function, mode="script")(*arguments)
    if isinstance(found.value, lm.LaminaError):
        rows, first = inspect.getsourcelines(function)
        expected = first + [row.startswith("def ") for row in rows].index(True) + line
        places = re.findall(r"script_errors\.py:(\d+)", str(found.value))
        assert places and int(places[-1]) == expected


def made() -> Callable[..., Any]:
    """A function without source."""
    namespace: dict[str, Any] = {}
    exec("def no_source(x):\n    return x", namespace)
    return namespace["no_source"]


@pytest.mark.parametrize(
    ("function", "text"),
    [
        (print, "expected a Python function, found print"),
        (np.sin, "expected a Python function, found sin"),
        (made(), "expected a function with source, found no_source, .*; write it to a file"),
    ],
)
def test_functions_without_source(function: Callable[..., Any], text: str) -> None:
    with pytest.raises(lm.TraceError, match=text):
        lm.jit(function, mode="script")(X)


def test_a_called_function_without_source_is_called_as_it_is() -> None:
    inner = made()

    @lm.jit(mode="script")
    def f(x: Any) -> Any:
        return inner(x) * 2 if x[0] > 0 else x

    np.testing.assert_array_equal(np.asarray(f(X)), X * 2)


def test_trace_mode_offers_script_mode() -> None:
    @lm.jit
    def f(x: Any) -> Any:
        if x[0] > 0:
            return x
        return x + 1

    line = f.__wrapped__.__code__.co_firstlineno + 2
    with pytest.raises(lm.TraceError) as found:
        f(X)
    text = str(found.value)
    assert 'mode="script"' in text and "lm.cond" in text
    assert text.endswith(f"test_script_errors.py:{line})")


def test_an_unknown_mode() -> None:
    with pytest.raises(
        lm.OptionError, match='expected mode "trace", "script" or "auto", found .eager.'
    ):
        lm.jit(made(), mode="eager")


def test_an_error_leaves_nothing_behind() -> None:
    compiled = lm.jit(TABLE[0][0], mode="script")
    for _ in range(2):
        with pytest.raises(lm.TraceError, match="found try"):
            compiled(X)


def test_an_assertion_shows_the_values_that_the_run_finds() -> None:
    def f(x: Any, name: str = "x") -> Any:
        for i in range(20):
            assert x[i % 3] < 5, f"{{{name}}}[{i % 3}] is {x[i % 3]:.1f} of {lm.sum(x)!s}"
            assert x[0] < 4, f"{x[0]:{9}}"  # a format of values: as it is
        return x

    compiled = lm.jit(f, mode="script")
    compiled(np.asarray([1.0, 2.0, 3.0]))
    texts: list[str] = []
    for call in (f, compiled):
        with pytest.raises(AssertionError) as found:
            call(lm.asarray([1.0, 7.25, 3.0]))
        texts.append(str(found.value).split("\n")[0].split(" (")[0])  # pytest adds lines
    assert texts[0] == texts[1] == "{x}[1] is 7.2 of 11.25"
