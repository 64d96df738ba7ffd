"""`if`, conditional expressions, `and`, `or` and `not`: Python's, or both branches recorded."""

# pyright: reportPrivateUsage=false
from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from xdsl.ir import Block

from lamina.frontend import regions
from lamina.frontend.bind import as_array, is_weak
from lamina.frontend.dispatch import CURRENT, FUNCTIONS
from lamina.frontend.dtypes import bool_
from lamina.frontend.location import user_place
from lamina.frontend.runtime_scalar import weak
from lamina.frontend.script.joins import Join
from lamina.frontend.script.values import truth
from lamina.frontend.traced import TracedArray

Part = Callable[[], Any]


def if_(
    test: Any,
    body: Part,
    orelse: Part,
    get: Part,
    set: Callable[[Any], None],
    names: Sequence[str],
    live: int,
) -> None:
    """`if test: body() else: orelse()`, which share the variables `names` by `get` and `set`; the
    first `live` of them are read later."""
    flag = truth(test)
    if isinstance(flag, bool):
        (body if flag else orelse)()
        return
    before = get()

    def run(part: Part) -> Any:
        set(before)
        part()
        return get()

    join = Join(names[:live], user_place() or "")
    values = _recorded(flag, [partial(run, body), partial(run, orelse)], join)
    set((*values, *before[live:]))


def choice(test: Any, body: Part, orelse: Part) -> Any:
    """`body() if test else orelse()`."""
    flag = truth(test)
    if isinstance(flag, bool):
        return (body if flag else orelse)()
    return _chosen(flag, body, orelse, "the conditional expression")


def and_(first: Any, *others: Part) -> Any:
    """`first and others[0]() and ...`, each evaluated only if it must be."""
    value = first
    for number, late in enumerate(others):
        flag = truth(value)
        if not isinstance(flag, bool):
            rest = partial(_rest, and_, others[number:])
            return _combined("logical_and", value, flag, rest)
        if not flag:
            return value
        value = late()
    return value


def or_(first: Any, *others: Part) -> Any:
    """`first or others[0]() or ...`, each evaluated only if it must be."""
    value = first
    for number, late in enumerate(others):
        flag = truth(value)
        if not isinstance(flag, bool):
            rest = partial(_rest, or_, others[number:])
            return _combined("logical_or", value, flag, rest)
        if flag:
            return value
        value = late()
    return value


def not_(value: Any) -> Any:
    """`not value`."""
    flag = truth(value)
    if isinstance(flag, bool):
        return not flag
    opposite = FUNCTIONS["logical_not"](flag)
    return weak(opposite)


def _rest(operator: Callable[..., Any], parts: Sequence[Part]) -> Any:
    return operator(parts[0](), *parts[1:])


def _combined(name: str, value: Any, flag: TracedArray, rest: Part) -> Any:
    """`value and rest()`, or `value or rest()`: a plain op where `rest` cannot fail."""
    recorder = CURRENT.get()
    assert recorder is not None
    with recorder.region(Block(), loop=False) as scope:
        other = rest()
        bools = _is_bool(value) and _is_bool(other)
        array = recorder.own(as_array("and", other)) if bools else None
        read = None if array is None else recorder.read(array)
    writes = any(entry.written for entry in scope.entered.values())
    if read is None or writes or not all(_is_total(op) for op in scope.block.ops):
        scope.drop()
        first, second = (rest, lambda: value) if name == "logical_and" else (lambda: value, rest)
        return _chosen(flag, first, second, "and" if name == "logical_and" else "or")
    for op in list(scope.block.ops):
        op.detach()
        recorder.block.add_op(op)
    moved = recorder.fresh(read, (), bool_, recorder._here()[0])
    result = FUNCTIONS[name](flag, moved)
    return weak(result) if is_weak(value) and is_weak(other) else result


def _is_bool(value: Any) -> bool:
    if isinstance(value, bool):
        return True
    return isinstance(value, TracedArray) and value.dtype == bool_ and not value.ndim


def _is_total(op: Any) -> bool:
    """Whether an op gives a result whatever its operands are, and costs little."""
    return op.name.startswith(("nd.", "tensor.", "arith.")) and op.name != "nd.check"


def _chosen(flag: TracedArray, body: Part, orelse: Part, name: str) -> Any:
    join = Join([name], user_place() or "")
    return _recorded(flag, [lambda: (body(),), lambda: (orelse(),)], join)[0]


def _recorded(flag: TracedArray, runs: Sequence[Part], join: Join) -> list[Any]:
    recorder = CURRENT.get()
    assert recorder is not None
    results = regions.merged(recorder, flag, runs, join.settle)
    return join.values(results)
