"""Each thing that compiled code read and that then changes gives the new answer, and `explain`
names it, with what it was, what it is, and the line that reads it."""

# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportPrivateUsage=false

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import lamina as lm

X = np.ones(3)
MODULE = sys.modules[__name__]

SCALE = 2.0
SETTINGS: dict[str, Any] = {"bias": 1.0, "gone": 1.0}
ITEMS = [1.0, 2.0]
WEIGHT = np.ones(3)


def helper(x: Any) -> Any:
    return x * 2


class Model:
    def __init__(self) -> None:
        self.rate = 2.0

    def call(self, x: Any) -> Any:
        return x * self.rate


def of_cell() -> tuple[Callable[..., Any], Callable[[], None]]:
    factor = 2.0

    def f(x: Any) -> Any:
        return x * factor

    def change() -> None:
        nonlocal factor
        factor = 3.0

    return f, change


def of_default() -> tuple[Callable[..., Any], Callable[[], None]]:
    def f(x: Any, k: float = 2.0) -> Any:
        return x * k

    return f, lambda: setattr(f, "__defaults__", (3.0,))


def of_attribute() -> tuple[Callable[..., Any], Callable[[], None]]:
    model = Model()
    return model.call, lambda: setattr(model, "rate", 3.0)


def uses_global(x: Any) -> Any:
    return x * SCALE


def uses_entry(x: Any) -> Any:
    return x + SETTINGS["bias"]


def uses_length(x: Any) -> Any:
    return x * len(ITEMS)


def calls(x: Any) -> Any:
    return helper(x) + 1


def captures(x: Any) -> Any:
    return x + WEIGHT


def changed_body(x: Any) -> Any:
    return x * 5


CASES: dict[str, tuple[Any, str | None]] = {
    "closure cell": (of_cell, "closure variable `factor` was 2.0, is 3.0"),
    "global": (
        lambda: (uses_global, lambda: setattr(MODULE, "SCALE", 3.0)),
        "global `SCALE` was 2.0, is 3.0",
    ),
    "self.attr": (of_attribute, "`self.rate` was 2.0, is 3.0"),
    "dict entry": (
        lambda: (uses_entry, lambda: SETTINGS.update(bias=3.0)),
        "`SETTINGS['bias']` was 1.0, is 3.0",
    ),
    "dict keys": (
        lambda: (uses_entry, lambda: SETTINGS.pop("gone")),
        "global `SETTINGS` had the keys ['bias', 'gone'], has ['bias']",
    ),
    "list length": (
        lambda: (uses_length, lambda: ITEMS.append(3.0)),
        "global `ITEMS` had 2 elements, has 3",
    ),
    "default argument": (of_default, ".__defaults__` was (2.0,), is (3.0,)"),
    "body of a called function": (
        lambda: (calls, lambda: setattr(helper, "__code__", changed_body.__code__)),
        "global `helper` was a function of other code",
    ),
    "called function replaced": (
        lambda: (calls, lambda: setattr(MODULE, "helper", changed_body)),
        "global `helper` was a function of other code",
    ),
    "captured array in place": (
        lambda: (captures, lambda: WEIGHT.__setitem__(0, 9.0)),
        None,
    ),
    "captured array of another shape": (
        lambda: (captures, lambda: setattr(MODULE, "WEIGHT", np.ones((2, 3)))),
        "global `WEIGHT` was float64 of shape (3,), is float64 of shape (2, 3)",
    ),
}


@pytest.fixture(autouse=True)
def _restored(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each case begins with what this file says."""
    code = (lambda x: x * 2).__code__
    for name, value in (("SCALE", 2.0), ("WEIGHT", np.ones(3)), ("ITEMS", [1.0, 2.0])):
        monkeypatch.setattr(MODULE, name, value)
    monkeypatch.setattr(MODULE, "SETTINGS", {"bias": 1.0, "gone": 1.0})
    monkeypatch.setattr(helper, "__code__", code)
    monkeypatch.setattr(MODULE, "helper", helper)


@pytest.mark.parametrize("name", CASES)
def test_the_new_answer_and_why(name: str) -> None:
    make, text = CASES[name]
    function, change = make()
    compiled = lm.jit(function)
    for _ in range(2):
        np.testing.assert_array_equal(np.asarray(compiled(X)), np.asarray(function(X)))
    before, old = compiled.explain(), np.asarray(compiled(X))
    change()
    for _ in range(2):
        np.testing.assert_array_equal(np.asarray(compiled(X)), np.asarray(function(X)))
    if name != "dict keys":
        assert not np.array_equal(np.asarray(compiled(X)), old)
    new = compiled.explain().removeprefix(before)
    if text is None:  # it is an input, read at each call
        assert new == ""
        return
    assert "version 2: compiled since " in new and text in new
    file = inspect.getsourcefile(test_the_new_answer_and_why)
    assert f"({file}:" in new and "version 3" not in new


def test_the_line_that_reads_it() -> None:
    compiled = lm.jit(uses_global)
    compiled(X)
    setattr(MODULE, "SCALE", 4.0)  # noqa: B010 (through the module, as users do)
    compiled(X)
    line = inspect.getsourcelines(uses_global)[1] + 1
    assert f"global `SCALE` was 2.0, is 4.0 ({__file__}:{line})" in compiled.explain()


def test_arguments_are_named() -> None:
    compiled = lm.jit(lambda x, k: x * k)
    compiled(X, 2)
    compiled(X, 2.5)
    compiled(X.astype(np.float32), 2)
    notes = compiled.explain()
    assert "compiled since it was called with k of type float, not int" in notes
    assert "compiled since it was called with x: float32 of shape (3,)" in notes
