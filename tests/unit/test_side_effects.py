"""What a traced function does besides its result: one warning with the line."""

# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false
# pyright: reportUnknownVariableType=false
from __future__ import annotations

import types
import warnings
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from effect_runs import line_of

import lamina as lm

X = np.ones(3)
total = 0
TABLE: dict[str, Any] = {}


def warned(function: Callable[..., Any], *args: Any) -> list[str]:
    """The warnings of a call, each with its line."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        function(*args)
    for warning in found:
        assert warning.category is lm.LaminaWarning
        assert str(warning.message).endswith(f"({warning.filename}:{warning.lineno})")
    return [str(warning.message) for warning in found]


def expected(function: Any, *whats: str) -> list[str]:
    """The warnings for lines that are marked with `# 0`, `# 1`, ..."""
    rest = "while tracing only, not when the compiled code runs; "
    return [
        f"jit: {what} {rest}{'use lm.debug.print' if what[:5] == 'print' else 'return the value'} "
        f"({line_of(function, f'# {number}')})"
        for number, what in enumerate(whats)
    ]


def test_print() -> None:
    def f(x: Any) -> Any:
        print("traced")  # 0
        return x + 1

    fast = lm.jit(f)
    assert warned(fast, X) == expected(f, "print prints")
    assert warned(fast, X) == warned(fast, X.astype(np.float32)) == []  # once a place
    assert f"{line_of(f, '# 0')}: print prints" in fast.explain()
    assert warned(f, lm.asarray(X)) == []  # eager


def test_globals() -> None:
    def f(x: Any) -> Any:
        global total  # noqa: PLW0603
        total = total + 1  # 0
        TABLE["x"] = total  # 1
        return x + 1

    assert warned(lm.jit(f), X) == expected(
        f, "the global 'total' is written", "the dict 'TABLE' from outside is changed"
    )


CONTAINERS: dict[str, tuple[Any, Callable[[Any], Any]]] = {
    "list": ([], lambda c: c.append(1)),
    "dict": ({}, lambda c: c.update(a=1)),
    "set": (set(), lambda c: c.add(1)),
    "deque": (deque([1]), lambda c: c.appendleft(1)),
    "defaultdict": (defaultdict(int), lambda c: c.setdefault("a", 1)),
    "OrderedDict": (OrderedDict(a=1), lambda c: c.pop("a")),
    "Counter": (Counter(), lambda c: c.update("abc")),
    "bytearray": (bytearray(2), lambda c: c.extend(b"1")),
}


@pytest.mark.parametrize("name", CONTAINERS)
def test_containers(name: str) -> None:
    held, change = CONTAINERS[name]

    def f(x: Any) -> Any:
        change(held)
        return x + 1

    (text,) = warned(lm.jit(f), X)
    assert text.startswith(f"jit: the {name} 'held' from outside is changed while tracing only")
    assert __file__ in text


def test_variables_of_outer_functions() -> None:
    count, names = 0, ["a"]

    def f(x: Any) -> Any:
        nonlocal count
        count += 1  # 0
        names[0] = "b"  # 1
        return x + count

    assert warned(lm.jit(f), X) == expected(
        f, "the variable 'count' of an outer function is written",
        "the list 'names' from outside is changed",
    )  # fmt: skip


class Model:
    """A model that counts its calls."""

    def __init__(self) -> None:
        self.count = 0
        self.history: list[Any] = []

    def __call__(self, x: Any) -> Any:
        self.count += 1  # 0
        self.history.append(x)  # 1
        return x * 2


def test_attributes() -> None:
    whats = (
        "the attribute 'count' of Model is written",
        "the list 'history' from outside is changed",
    )
    model = Model()

    def f(x: Any) -> Any:
        return model(x)

    assert warned(lm.jit(f), X) == expected(Model.__call__, *whats)
    config = types.SimpleNamespace(n=1)

    def g(x: Any) -> Any:
        config.n = 2  # 0
        return x

    assert warned(lm.jit(g), X) == expected(g, "the attribute 'n' of SimpleNamespace is written")


@lm.tree.register
@dataclass
class State:
    """A tree of arrays."""

    w: Any
    names: list[str] = field(default_factory=list[str])


def test_containers_of_arguments() -> None:
    def f(params: Any) -> Any:
        params["w"] = params["w"] + 1  # 0
        return params

    what = "the dict 'params' from outside is changed"
    assert warned(lm.jit(f), {"w": X}) == expected(f, what)


def test_what_the_trace_makes_is_its_own() -> None:
    def f(x: Any, y: Any, state: Any) -> Any:
        found: list[Any] = []
        found.append(x)
        table = {"a": x}
        table["b"] = y
        count = 0

        def add() -> None:
            nonlocal count
            count += 1

        add()
        model = Model()
        model(x)
        x[0] = 5
        x += 1
        state = State(state.w * 2)
        state.w = state.w + 1
        return found, table, model.count + count, state

    assert warned(lm.jit(f), X.copy(), X, State(X)) == []


def test_reads_and_what_is_put_back_are_nothing() -> None:
    held = [1, 2]

    def f(x: Any) -> Any:
        held.append(3)
        held.pop()
        return x + len(held) + total

    assert warned(lm.jit(f), X) == []


def test_large_and_deep_objects_are_bounded() -> None:
    large: list[Any] = list(range(100_000))
    deep: list[Any] = []
    for _ in range(100):
        deep = [deep, deep]
    many = [[number] for number in range(5000)]

    def f(x: Any) -> Any:
        large.append(1)  # 0
        return x + len(deep) + len(many)

    assert warned(lm.jit(f), X) == expected(f, "the list 'large' from outside is changed")


def test_odd_objects_are_left_alone() -> None:
    class Odd:
        """Says that it is something else, and raises where it is looked at."""

        def __getattr__(self, name: str) -> Any:
            raise RuntimeError(name)

        def __eq__(self, other: object) -> bool:
            raise RuntimeError("compared")

        __hash__ = None  # type: ignore[assignment]

    held = {"odd": Odd(), "list": [Odd()]}

    def f(x: Any) -> Any:
        held["new"] = Odd()  # 0
        return x

    assert warned(lm.jit(f), X) == expected(f, "the dict 'held' from outside is changed")


def test_the_warning_can_be_an_error() -> None:
    def f(x: Any) -> Any:
        print("no")
        return x

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(lm.LaminaWarning, match=r"use lm\.debug\.print"):
            lm.jit(f)(X)
