"""What a traced function does besides its result, that compiled code will not do again.

Before the code runs, what it can reach is looked at once and remembered shallowly: the cells,
defaults and arguments of the function, and the globals of each function that runs. What is another
one afterwards, and is written by a line of code that ran, is a warning with that line. Objects that
the trace made are nobody's business: they cannot be reached before.
"""

from __future__ import annotations

import collections
import dis
import inspect
import operator
import sys
import types
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any, cast

from lamina.errors import LaminaWarning

MANY, DEEP, LONG = 2000, 6, 1000
"""Objects that are remembered, how deep they may lie, and elements up to which they are compared
one by one."""

CHANGING = frozenset(
    (
        "append", "extend", "insert", "pop", "remove", "clear", "sort", "reverse", "update", "add",
        "discard", "setdefault", "popitem", "appendleft", "popleft", "extendleft", "rotate",
    )
)  # fmt: skip
"""Methods that change a list, dict, set or deque."""
ITEMS = frozenset(("STORE_SUBSCR", "DELETE_SUBSCR", "STORE_SLICE"))
NAMES = {
    "STORE_GLOBAL": "global",
    "DELETE_GLOBAL": "global",
    "STORE_DEREF": "cell",
    "STORE_ATTR": "attribute",
    "DELETE_ATTR": "attribute",
}
OURS = frozenset(("lamina", "numpy", "ml_dtypes", "xdsl", "llvmlite"))
ONLY = "while tracing only, not when the compiled code runs"

_CONTAINERS = (
    list, dict, set, bytearray, collections.deque, collections.OrderedDict,
    collections.defaultdict, collections.Counter,
)  # fmt: skip
_WARNED: set[tuple[str, int, str]] = set()
_ABSENT = object()


@dataclass(frozen=True)
class Writes:
    """Lines of a code object that write: a name, an attribute, or into a container."""

    names: tuple[tuple[str, str, int], ...]  # what kind of name, name, line
    changes: tuple[tuple[int, frozenset[str]], ...]  # line, names that stand on it


@cache
def writes_of(code: types.CodeType) -> Writes:
    """What the instructions of `code` say."""
    names: list[tuple[str, str, int]] = []
    changing: set[int] = set()
    on_line: dict[int, set[str]] = {}
    line = code.co_firstlineno
    for found in dis.get_instructions(code):
        position = found.positions
        line = (position.lineno if position is not None else None) or line
        if isinstance(found.argval, str):
            on_line.setdefault(line, set()).add(found.argval)
        if found.opname in NAMES:
            names.append((NAMES[found.opname], found.argval, line))
        elif found.opname in ITEMS or found.argval in CHANGING or _is_in_place(found):
            changing.add(line)
    changes = ((number, frozenset(on_line.get(number, ()))) for number in sorted(changing))
    return Writes(tuple(names), tuple(changes))


def _is_in_place(found: dis.Instruction) -> bool:
    return found.opname == "BINARY_OP" and found.argrepr.endswith("=")


class SideEffects:
    """One trace: what was there before, and what is written."""

    def __init__(self, function: Callable[..., Any], arguments: Iterable[tuple[str, Any]]) -> None:
        self.codes: dict[types.CodeType, dict[str, Any]] = {}
        self.globals: dict[tuple[int, str], tuple[dict[str, Any], Any]] = {}
        self.objects: dict[int, tuple[Any, str, Any]] = {}
        self.prints: dict[tuple[str, int], None] = {}
        code = getattr(function, "__code__", None)
        cells: Any = getattr(function, "__closure__", None) or ()
        names: tuple[str, ...] = code.co_freevars if code is not None else ()
        self.cells = [
            (name, cell, _content(cell)) for name, cell in zip(names, cells, strict=False)
        ]
        for name, _, value in self.cells:
            self.remember(value, name, 0)
        for name, value in arguments:
            self.remember(value, name, 0)
        for value in getattr(function, "__defaults__", None) or ():
            self.remember(value, "", 0)

    def ran(self, code: types.CodeType, namespace: dict[str, Any]) -> None:
        """Look at what `code` can reach, the first time that it is about to run."""
        if code in self.codes:
            return
        self.codes[code] = namespace
        for kind, name, _ in writes_of(code).names:
            if kind == "global":
                self.globals.setdefault(
                    (id(namespace), name), (namespace, namespace.get(name, _ABSENT))
                )
        for name in code.co_names:
            if name in namespace:
                self.remember(namespace[name], name, 0)

    def remember(self, value: Any, name: str, depth: int) -> None:
        """Note what an object holds now, and what it leads to."""
        if depth > DEEP or len(self.objects) >= MANY or id(value) in self.objects:
            return
        inner = _contents(value)
        if inner is None:
            return
        self.objects[id(value)] = value, name, inner
        for key, part in _named(inner):
            self.remember(part, key or name, depth + 1)

    def found(self) -> Iterator[tuple[str, int, str]]:
        """File, line and text of each effect."""
        for file, line in self.prints:
            yield file, line, f"jit: print prints {ONLY}; use lm.debug.print"
        for (_, name), (namespace, before) in self.globals.items():
            if namespace.get(name, _ABSENT) is not before:
                what = f"jit: the global {name!r} is written {ONLY}; return the value"
                yield from self._lines("global", name, what)
        for name, cell, before in self.cells:
            if _content(cell) is not before:
                what = f"jit: the variable {name!r} of an outer function is written {ONLY}; "
                yield from self._lines("cell", name, what + "return the value")
        for value, name, before in self.objects.values():
            yield from self._changed(value, name, before)

    def _changed(self, value: Any, name: str, before: Any) -> Iterator[tuple[str, int, str]]:
        if isinstance(value, tuple) or _same(before, now := _contents(value)):
            return
        if type(value) not in _CONTAINERS:
            kind = type(value).__name__
            for key in {**before, **cast("dict[str, Any]", now)}:
                if before.get(key, _ABSENT) is not now.get(key, _ABSENT):
                    what = (
                        f"jit: the attribute {key!r} of {kind} is written {ONLY}; return the value"
                    )
                    yield from self._lines("attribute", key, what)
            return
        kind = type(value).__name__
        what = f"jit: the {kind} {name!r} from outside is changed {ONLY}; return the value"
        place = self._change(name)
        if place is not None:
            yield *place, what

    def _lines(self, kind: str, name: str, what: str) -> Iterator[tuple[str, int, str]]:
        """The first line of code that ran and writes `name`."""
        for code in self.codes:
            for found, written, line in writes_of(code).names:
                if (found, written) == (kind, name):
                    yield code.co_filename, line, what
                    return

    def _change(self, name: str) -> tuple[str, int] | None:
        """The line that changes a container of this name; else that which changes any, or, of
        several, where the first function with one begins."""
        others: list[tuple[types.CodeType, int]] = []
        for code in self.codes:
            for line, names in writes_of(code).changes:
                if name in names:
                    return code.co_filename, line
                others.append((code, line))
        if not others:
            return None
        code, line = others[0]
        return code.co_filename, line if len(others) == 1 else code.co_firstlineno

    def warn(self) -> list[str]:
        """Warn of each effect once a place; what `explain` says of them."""
        notes: list[str] = []
        for file, line, text in dict.fromkeys(self.found()):
            notes.append(f"{file}:{line}: {text.removeprefix('jit: ')}")
            if (file, line, text) not in _WARNED:
                _WARNED.add((file, line, text))
                warnings.warn_explicit(f"{text} ({file}:{line})", LaminaWarning, file, line)
        return notes


def _content(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:
        return _ABSENT


@lru_cache(maxsize=1024)
def _way(kind: type[object]) -> str:
    """How objects of a type are looked into: a dict, list, tuple or object; "" for not at all."""
    if kind in _CONTAINERS:
        return "dict" if issubclass(kind, dict) else "list"
    if issubclass(kind, tuple):
        return "tuple"
    top = str(kind.__module__).partition(".")[0]
    if top in OURS or (top in sys.stdlib_module_names and kind is not types.SimpleNamespace):
        return ""
    return "" if issubclass(kind, type | types.FunctionType | types.ModuleType) else "object"


def _is_looked_into(value: Any) -> bool:
    return bool(_way(cast("type[object]", type(value))))


def _contents(value: Any) -> Any:
    """What an object holds: elements or attributes; their number where they are many; None for one
    that is not looked into."""
    match _way(cast("type[object]", type(value))):
        case "dict":
            return dict(value) if len(value) <= LONG else len(value)
        case "list" | "tuple":
            return list(value) if len(value) <= LONG else len(value)
        case "object" if inspect.getattr_static(value, "__dict__", None) is not None:
            held = cast("dict[str, Any]", vars(value))
            return dict(held) if type(held) is dict else None  # it may say that it is another
        case _:
            return None


def _leads_on(parts: Iterable[Any]) -> bool:
    """Whether one of the parts is looked into: most are numbers or arrays, of one type."""
    kinds: set[Any] = set(map(type, parts))
    return any(map(_way, kinds))


def _named(inner: Any) -> Iterable[tuple[str, Any]]:
    """The parts of what an object holds that are looked into, with their names."""
    if isinstance(inner, dict):
        held = cast("dict[Any, Any]", inner)
        if _leads_on(held.values()):
            return [
                (key if isinstance(key, str) else "", part)
                for key, part in held.items()
                if _is_looked_into(part)
            ]
    elif isinstance(inner, list):
        elements = cast("list[Any]", inner)
        if _leads_on(elements):
            return [("", part) for part in elements if _is_looked_into(part)]
    return ()


def _same(before: Any, now: Any) -> bool:
    """Whether an object holds the same as before: no `==` of the user's runs."""
    if type(before) is not type(now):
        return False
    if isinstance(before, int):
        return before == now
    first, second = cast("list[Any]", before), cast("list[Any]", now)
    if len(first) != len(second) or not all(map(operator.is_, first, second)):
        return False
    if not isinstance(before, dict):
        return True
    values = cast("dict[Any, Any]", before).values(), cast("dict[Any, Any]", now).values()
    return all(map(operator.is_, *values))
