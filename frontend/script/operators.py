"""The operators that converted code calls, by the names that the transformation uses."""

# pyright: reportPrivateUsage=false
from __future__ import annotations

import operator
import sys
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, cast

from lamina.errors import CheckError, TraceError
from lamina.frontend import debug
from lamina.frontend.array import Array
from lamina.frontend.bind import is_weak
from lamina.frontend.checks import check
from lamina.frontend.dispatch import CURRENT, FUNCTIONS
from lamina.frontend.location import fail
from lamina.frontend.script.branches import and_, choice, if_, not_, or_
from lamina.frontend.script.calls import function
from lamina.frontend.script.changes import check_change, made, outer_write
from lamina.frontend.script.iteration import iterated
from lamina.frontend.script.loops import for_, while_
from lamina.frontend.script.source import CELL, converted
from lamina.frontend.script.values import Undefined, is_traced, load, returned, truth
from lamina.frontend.traced import TracedArray

_NAMES = {
    "Add": "add", "Sub": "sub", "Mult": "mul", "MatMult": "matmul", "Div": "truediv",
    "FloorDiv": "floordiv", "Mod": "mod", "Pow": "pow", "LShift": "lshift", "RShift": "rshift",
    "BitAnd": "and", "BitOr": "or", "BitXor": "xor",
}  # fmt: skip
_BINARY: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
    node: (getattr(operator, f"__{name}__"), getattr(operator, f"__i{name}__"))
    for node, name in _NAMES.items()
}
"""Class of the node -> the operator, and the one in place."""
_COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    "eq": operator.eq,
    "ne": operator.ne,
    "lt": operator.lt,
    "le": operator.le,
    "gt": operator.gt,
    "ge": operator.ge,
    "is_": operator.is_,
    "is_not": operator.is_not,
    "in": lambda item, container: contains(container, item),
    "not in": lambda item, container: not_(contains(container, item)),
}


def compare(left: Any, *parts: Any) -> Any:
    """`left < a < b ...`: names of comparisons and what gives the next operand, in turn."""
    name, late, *rest = parts
    right = late()
    found = _COMPARISONS[name](left, right)
    return and_(found, lambda: compare(right, *rest)) if rest else found


def contains(container: Any, item: Any) -> Any:
    """`item in container`."""
    if isinstance(container, TracedArray):
        return FUNCTIONS["any"](FUNCTIONS["equal"](container, item))
    kind = cast(Any, type(container))
    if kind in (list, tuple, range):
        parts: list[Any] = list(container)
        if any(map(is_traced, (item, *parts))):
            return or_(False, *[partial(operator.eq, item, x) for x in parts])
    return item in container


def augmented(op: str, old: Any, value: Any) -> Any:
    """`old += value` and its like of a variable: a 0-d array is a number and gets a new one."""
    plain, in_place = _BINARY[op]
    if not isinstance(old, TracedArray) or is_weak(old) or old.ndim or _is_argument(old):
        if not isinstance(old, Array):
            check_change(old, f"{op} in place")
        return in_place(old, value)
    result = plain(old, value)
    if isinstance(result, Array) and (result.shape, result.dtype) != ((), old.dtype):
        return in_place(old, value)  # raises what it raises for arrays
    return result


def _is_argument(array: TracedArray) -> bool:
    return array._storage.input >= 0 and not array._steps


def augmented_item(op: str, owner: Any, key: Any, value: Any) -> None:
    """`owner[key] += value` and its like."""
    old = load(owner[key])
    new = _BINARY[op][1](old, value)
    if isinstance(owner, Array) or new is not old:
        set_item(owner, key, new)


def augmented_attribute(op: str, owner: Any, name: str, value: Any) -> None:
    """`owner.name += value` and its like."""
    set_attribute(owner, name, augmented(op, load(getattr(owner, name)), value))


def set_item(owner: Any, key: Any, value: Any) -> None:
    """`owner[key] = value`."""
    check_change(owner, "an assignment to an element")
    owner[key] = value


def delete_item(owner: Any, key: Any) -> None:
    """`del owner[key]`."""
    check_change(owner, "del")
    del owner[key]


def set_attribute(owner: Any, name: str, value: Any) -> None:
    """`owner.name = value`."""
    if not isinstance(owner, Array):
        check_change(owner, f"an assignment to the attribute {name}")
    setattr(owner, name, value)


def unpacked(value: Any) -> Sequence[Any]:
    """The parts of a value for an assignment to several targets."""
    return [load(part) for part in value]


def assert_(test: Any, message: Callable[[], Any] | None = None) -> None:
    """`assert test, message`; where a run decides, it is checked in the run."""
    flag = truth(test)
    if isinstance(flag, bool):
        if not flag:
            raise AssertionError(*(() if message is None else (message(),)))
        return
    text = "assert: expected a condition that holds"
    if message is not None:
        text = str(message()).replace("{", "(").replace("}", ")")
    check(flag, CheckError, text)


def assert_format(test: Any, format: str, values: Callable[[], tuple[Any, ...]]) -> None:
    """`assert test, f"..."`: the message shows the values that a run finds."""
    flag = truth(test)
    if isinstance(flag, bool):
        if not flag:
            raise AssertionError(format.format(*values()))
        return
    debug.check(flag, format, *values())


def raising() -> None:
    """Refuse a `raise` in a branch or loop that is kept in the program."""
    recorder = CURRENT.get()
    if recorder is not None and recorder.scope.parent is not None:
        fail(
            TraceError,
            "raise: expected a branch that is chosen when the code is compiled, found one that a "
            "run chooses; use assert, or check before the call",
        )


CELL.cell_contents = sys.modules[__name__]

__all__ = [
    "Undefined",
    "and_",
    "choice",
    "converted",
    "for_",
    "function",
    "if_",
    "iterated",
    "load",
    "made",
    "not_",
    "or_",
    "outer_write",
    "returned",
    "while_",
]
