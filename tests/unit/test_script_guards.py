"""Guards on what a script-mode function depends on, which are those of the plain function."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import lamina as lm
from lamina.frontend.guards import Watch
from lamina.frontend.location import CONVERTED

X = np.array([1.5, -2.0, 0.25])


class State:
    """What the program reads: attributes, a dict, a list, an array, functions."""

    def __init__(self) -> None:
        self.scale = 2.0
        self.table = {"a": 1.0}
        self.items = [1.0, 2.0]
        self.array = np.array([1.0, 2.0, 3.0])


STATE = State()
factor = 1.0


def helper(x: Any, offset: float = 10.0) -> Any:
    if x[0] > 0:
        return x + offset
    return x - offset


def other(x: Any, offset: float = 10.0) -> Any:
    if x[0] > 0:
        return x * offset
    return x


def make() -> tuple[Callable[..., Any], Callable[[float], None]]:
    cell = 5.0

    def program(x: Any) -> Any:
        for value in STATE.items:
            x = x + value
        if x[0] > 0:
            x = helper(x) * factor
        for i in range(3):
            x[i] += STATE.array[i] * cell
        return x * STATE.scale + STATE.table["a"]

    def change(value: float) -> None:
        nonlocal cell
        cell = value

    return program, change


def change_global() -> None:
    global factor  # noqa: PLW0603
    factor += 1


def change_function() -> None:
    global helper  # noqa: PLW0603
    helper = other  # type: ignore[assignment]


CHANGES: dict[str, tuple[Callable[[], Any], str | None]] = {
    "global": (change_global, "`factor` was 1.0, is 2.0"),
    "attribute": (lambda: setattr(STATE, "scale", 3.0), "`STATE.scale` was 2.0, is 3.0"),
    "dict": (lambda: STATE.table.update(a=9.0), "`STATE.table['a']` was 1.0, is 9.0"),
    "list length": (lambda: STATE.items.append(7.0), "STATE.items"),
    "list entry": (lambda: STATE.items.__setitem__(0, 8.0), "STATE.items[0]"),
    "array in place": (lambda: STATE.array.__setitem__(0, 50.0), None),
    "array": (lambda: setattr(STATE, "array", np.array([7.0, 8.0, 9.0])), None),
    "default": (lambda: setattr(helper, "__defaults__", (20.0,)), "helper.__defaults__"),
    "body": (lambda: setattr(helper, "__code__", other.__code__), "helper"),
    "function": (change_function, "helper"),
}


def test_changes_give_the_new_answer() -> None:
    program, change_cell = make()
    compiled = lm.jit(program, mode="script")

    def agree() -> None:
        for x in (X, -10 * X):
            found, expected = compiled(x.copy()), program(x.copy())
            np.testing.assert_allclose(np.asarray(found), expected, rtol=1e-12)

    agree()
    changes = {
        **CHANGES,
        "cell": (lambda: change_cell(6.0), "closure variable `cell` was 5.0, is 6.0"),
    }
    for name, (change, text) in changes.items():
        before = compiled.explain()
        change()
        agree()
        new = compiled.explain().removeprefix(before)
        if text is None:
            assert new == "", name
        else:
            assert text in new and new.count("compiled since") == 1, name
    assert "fallback" not in compiled.explain() and "not guarded" not in compiled.explain()


@pytest.mark.parametrize("mode", ["trace", "script"])
def test_functions_of_one_body_with_other_cells(mode: str) -> None:
    def adder(n: float) -> Callable[[Any], Any]:
        return lambda x: x + n

    used = {"f": adder(1.0)}

    @lm.jit(mode=mode)
    def program(x: Any) -> Any:
        return used["f"](x)

    assert program(X).tolist() == (X + 1).tolist()
    used["f"] = adder(2.0)
    assert program(X).tolist() == (X + 2).tolist()


@pytest.mark.parametrize("mode", ["trace", "script"])
def test_defaults_are_replaced(mode: str) -> None:
    def inner(x: Any, n: float = 1.0, *, k: float = 1.0) -> Any:
        return x + n * k

    @lm.jit(mode=mode)
    def program(x: Any) -> Any:
        return inner(x)

    assert program(X).tolist() == (X + 1).tolist()
    inner.__defaults__ = (2.0,)
    assert program(X).tolist() == (X + 2).tolist()
    inner.__kwdefaults__ = {"k": 3.0}
    assert program(X).tolist() == (X + 6).tolist()


def test_the_watch_sees_the_users_code() -> None:
    program, _ = make()
    compiled = lm.jit(program, mode="script")
    with Watch() as watch:
        compiled.lower(X)
    assert program.__code__ in watch.globals
    assert helper.__code__ in watch.globals
    assert not any(id(code) in CONVERTED for code in watch.globals)


def test_what_no_guard_covers_is_noted() -> None:
    import time

    @lm.jit(mode="script")
    def program(x: Any) -> Any:
        for _ in range(2):
            x = x + time.time() * 0
        return x

    program(X)
    line = program.__wrapped__.__code__.co_firstlineno + 3
    assert f"test_script_guards.py:{line}: what time.time gave is part" in program.explain()
