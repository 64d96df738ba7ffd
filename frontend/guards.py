"""What a trace depended on besides its arguments, found by reading bytecode.

A `Watch` notes which user code runs during a trace. `find_guards` then resolves the global names,
closure cells, defaults and attribute chains that this code reads. Each becomes a `Guard` that
holds the object it was read from, so that guards are checked one by one, in any order.
"""

# pyright: reportPrivateUsage=false
from __future__ import annotations

import dataclasses
import dis
import enum
import gc
import inspect
import sys
import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Literal, TypeAlias, cast

import numpy as np

from lamina.frontend.array import Array, is_array, is_ndarray
from lamina.frontend.location import is_user_code, source_code
from lamina.frontend.side_effects import SideEffects
from lamina.frontend.traced import TracedArray

Place: TypeAlias = Literal["item", "attribute", "cell"]
Test: TypeAlias = Literal["is", "equal", "code", "keys", "array", "values", "same"]

SMALL = 64
"""Containers of more elements are guarded by identity and length only."""
DEEP = 8
"""Containers in containers are followed so far; deeper ones are guarded by identity only."""
COMPARED = 1 << 20
"""Arrays of at most so many bytes are compared by value where their values were used."""
_MISSING = object()
_IMPORTS = "<frozen importlib._bootstrap>"
_DESCRIPTIONS = ("shape", "dtype", "ndim", "size", "nbytes", "itemsize")

_SCALARS = (bool, int, float, complex, str, bytes, type(None), np.generic, np.dtype, enum.Enum,
            type(Ellipsis), slice, range)  # fmt: skip
_IDENTITIES = (type, types.ModuleType, types.BuiltinFunctionType, np.ufunc)


@dataclass(frozen=True, eq=False)
class Guard:
    """One fact: the value at `place` and `key` of `holder` passes `test` against `expected`.

    place: "item" (holder[key]), "attribute" (getattr), "cell" (cell_contents).
    test: "is"; "equal" (type and value); "code" (`__code__` is); "keys" (tuple of dict keys, or
    the length of a sequence); "array" (an array of the shape and dtype `expected`); "values" (an
    array of the same bytes); "same" (is what the guard `expected` reads).
    path: how messages name it, "model.w". line: `file:line` of the code that reads it.
    """

    test: Test
    place: Place
    holder: Any = field(repr=False)
    key: Any
    expected: Any = field(repr=False)
    path: str
    line: str = ""

    def read(self) -> Any:
        """The value now; a private object where there is none any more."""
        try:
            if self.place == "item":
                return self.holder[self.key]
            if self.place == "cell":
                return self.holder.cell_contents
            return _static(self.holder, self.key)
        except (AttributeError, IndexError, KeyError, ValueError, TypeError):
            return _MISSING

    def holds(self) -> bool:
        """Whether the fact is still true."""
        return _TESTS[self.test](self.read(), self.expected)

    def explain(self) -> str:
        """Why it does not hold: "global `scale` was 2, is 3 (file:line)"."""
        bare = self.path.isidentifier()
        what = {"cell": "closure variable ", "item": "global "}.get(self.place, "") if bare else ""
        where = f" ({self.line})" if self.line else ""
        return f"{what}`{self.path}` {self._change(self.read())}{where}"

    def _change(self, found: Any) -> str:
        """What it was and is."""
        if found is _MISSING:
            return "is gone"
        if self.test == "array" and is_array(found):
            shape, dtype = self.expected
            return f"was {dtype} of shape {shape}, is {found.dtype} of shape {found.shape}"
        if self.test == "equal" or type(found) is type(self.expected) is tuple:
            return f"was {self.expected!r}, is {found!r}"
        if self.test == "keys" and type(found) is self.expected[0]:
            keys = self.expected[1]
            if type(keys) is tuple:
                return f"had the keys {[*keys]}, has {[*found]}"
            return f"had {keys} elements, has {len(found)}"
        if self.test == "code":
            return "was a function of other code"
        if self.test == "values":
            return "had other values, which the trace used"
        return f"is another {type(found).__name__}"


def _static(owner: Any, name: str) -> Any:
    """An attribute's value, without running a property; `_MISSING` without one."""
    value = inspect.getattr_static(owner, name, _MISSING)
    if isinstance(value, (types.MemberDescriptorType, types.GetSetDescriptorType)):  # a slot
        try:
            return value.__get__(owner)
        except AttributeError:
            return _MISSING
    return value


def _equal(found: Any, expected: Any) -> bool:
    if type(found) is not type(expected):
        return False
    return bool(found == expected) or repr(found) == repr(expected) == "nan"


def _keys(found: Any, expected: Any) -> bool:
    kind, keys = expected
    return type(found) is kind and (tuple(found) if type(keys) is tuple else len(found)) == keys


def _array(found: Any, expected: Any) -> bool:
    return is_array(found) and (found.shape, found.dtype) == expected


def _values(found: Any, expected: Any) -> bool:
    kind, shape, dtype, raw = expected
    return (
        type(found) is kind
        and (found.shape, found.dtype) == (shape, dtype)
        and (_bytes(found) == raw)
    )


def _bytes(array: Any) -> bytes:
    return (array._data if isinstance(array, Array) else array).tobytes()


_TESTS: dict[Test, Callable[[Any, Any], bool]] = {
    "is": lambda found, expected: found is expected,
    "equal": _equal,
    "code": lambda found, expected: getattr(found, "__code__", None) is expected,
    "keys": _keys,
    "array": _array,
    "values": _values,
    "same": lambda found, expected: found is expected.read(),
}


class Watch:
    """Notes, by a profile hook, the user code that runs; a hook that was there is called too."""

    def __init__(self, effects: SideEffects | None = None) -> None:
        self.globals: dict[types.CodeType, dict[str, Any]] = {}
        self.receivers: dict[types.CodeType, dict[tuple[str, int], Any]] = {}
        self.notes: dict[str, None] = {}
        self.methods: dict[int, Any] = {}
        self.lifting: set[types.CodeType] = set()  # what script mode ran: it reads no NumPy array
        self.effects = effects
        self._earlier: Any = sys.getprofile()
        self._collects = False
        self.hook = self._make_hook()

    def __enter__(self) -> Watch:
        # a collection would run callbacks (`gc.callbacks`) that are nobody's code here
        self._collects = gc.isenabled()
        gc.disable()
        sys.setprofile(self.hook)
        return self

    def __exit__(self, *_: object) -> None:
        if self._collects:
            gc.enable()
        if callable(self._earlier) or self._earlier is None:
            sys.setprofile(self._earlier)
        else:  # cProfile's, which cannot be called for each event
            sys.setprofile(None)
            self._earlier.enable()

    def _make_hook(self) -> Callable[[types.FrameType, str, Any], None]:
        """The hook. It is called some hundred times for each op: everything in it is cheap."""
        earlier = self._earlier if callable(self._earlier) else None
        known: dict[int, types.CodeType] = {}  # Lamina's own code, kept alive
        named: dict[int, Any] = {}  # C functions that matter to nobody

        def hook(frame: types.FrameType, event: str, argument: Any) -> None:
            if earlier is not None:
                earlier(frame, event, argument)
            if event == "call":
                code = frame.f_code
                if id(code) in known:
                    return
                if is_user_code(code):
                    self.ran(code, frame)
                else:
                    known[id(code)] = code
            elif (
                event == "c_call"
                and id(frame.f_code) not in known
                and id(argument) not in named
                and not self._called(frame, argument)
            ):
                named[id(argument)] = argument

        return hook

    def _called(self, frame: types.FrameType, function: Any) -> bool:
        """Note a call of a C function by user code; whether it is worth noting again."""
        if not is_user_code(frame.f_code):
            return True
        if function is print and self.effects is not None:
            self.effects.prints[frame.f_code.co_filename, frame.f_lineno] = None
            return True
        owner = getattr(function, "__self__", None)
        if is_ndarray(owner):
            self.methods[id(owner)] = owner
            return True
        name = _unguarded(function)
        if name is not None:
            self.notes[
                f"{frame.f_code.co_filename}:{frame.f_lineno}: what {name} gave is part of the "
                "compiled program, not guarded"
            ] = None
        return name is not None

    def ran(self, code: types.CodeType, frame: types.FrameType) -> None:
        """Note that `code` ran in `frame`; not so if a module was imported meanwhile, which is done
        once, and by whatever hooks there are."""
        source = source_code(code)
        if source is None or (source not in self.globals and _is_importing(frame)):
            return
        namespace, local = frame.f_globals, frame.f_locals
        if source is not code:
            self.lifting.add(source)
        code = source
        if self.effects is not None and code not in self.globals:
            self.effects.ran(code, namespace)
        self.globals[code] = namespace
        receivers = self.receivers.setdefault(code, {})
        for name in code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]:
            value = local.get(name)
            if _is_opaque(value):
                receivers[name, id(value)] = value


def _is_importing(frame: types.FrameType | None) -> bool:
    """Whether the import system called what runs."""
    while frame is not None:
        if frame.f_code.co_filename == _IMPORTS:
            return True
        frame = frame.f_back
    return False


def _unguarded(function: Any) -> str | None:
    """The name of a C function whose result no guard covers."""
    name = getattr(function, "__name__", "")
    if function in (getattr, vars, globals, input, open):
        return name
    owner = getattr(function, "__self__", None)
    module = owner.__name__ if isinstance(owner, types.ModuleType) else type(owner).__module__
    if module.split(".")[0] in ("time", "random", "os", "posix", "secrets") or module.startswith(
        "numpy.random"
    ):
        return f"{module}.{name}"
    return None


def _is_opaque(value: Any) -> bool:
    """An object that is read by its attributes only."""
    return not isinstance(
        value,
        (Array, np.ndarray, *_SCALARS, *_IDENTITIES, types.FunctionType, types.MethodType, dict,
         list, tuple, set, frozenset),
    )  # fmt: skip


_Root: TypeAlias = tuple[Literal["global", "free", "local"], str]
Chain: TypeAlias = tuple[_Root, tuple[str, ...], str]


@cache
def chains(code: types.CodeType) -> tuple[Chain, ...]:
    """The names that `code` reads, each with the attributes read from it, `a.b.c`, and the first
    line that does.

    The last attribute is "[]" where the value is indexed or iterated over.
    """
    found: dict[tuple[_Root, tuple[str, ...]], str] = {}
    instructions = [
        i
        for i in dis.get_instructions(code)
        if i.opname not in ("CACHE", "PRECALL", "EXTENDED_ARG")
    ]
    for index, instruction in enumerate(instructions):
        kind = _ROOTS.get(instruction.opname)
        if kind is None:
            continue
        attributes: list[str] = []
        end = index + 1
        while end < len(instructions) and instructions[end].opname in ("LOAD_ATTR", "LOAD_METHOD"):
            attributes.append(instructions[end].argval)
            end += 1
        if _is_taken_apart(instructions[end:]):
            attributes.append("[]")
        number = instruction.positions.lineno if instruction.positions else None
        line = f"{code.co_filename}:{number or code.co_firstlineno}"
        found.setdefault(((kind, instruction.argval), tuple(attributes)), line)
    return tuple((root, attributes, line) for (root, attributes), line in found.items())


def _is_taken_apart(instructions: list[dis.Instruction]) -> bool:
    """Whether the value on top of the stack is indexed or iterated over."""
    above = 0  # values on the stack above it
    for instruction in instructions:
        if instruction.opname == "BINARY_SUBSCR" and above == 1:
            return True
        if instruction.opname == "GET_ITER" and above == 0:
            return True
        effect = dis.stack_effect(instruction.opcode, instruction.arg, jump=False)
        above += effect
        if above < 0 or (above == 0 and effect < 0) or instruction.opcode in dis.hasjrel:
            return False
    return False


_ROOTS: dict[str, Literal["global", "free", "local"]] = {
    "LOAD_GLOBAL": "global",
    "LOAD_NAME": "global",
    "LOAD_DEREF": "free",
    "LOAD_CLASSDEREF": "free",
    "LOAD_FAST": "local",
}


@dataclass
class Found:
    """The guards, and where the arrays among them are: id -> guards that read that array.

    used: ids of the arrays of which the code reads more than shape and dtype.
    apart: ids of the arrays that it indexes or iterates over, or calls a method of.
    """

    guards: list[Guard] = field(default_factory=list[Guard])
    arrays: dict[int, list[Guard]] = field(default_factory=dict[int, list[Guard]])
    used: set[int] = field(default_factory=set[int])
    apart: set[int] = field(default_factory=set[int])


def find_guards(function: Callable[..., Any], watch: Watch) -> Found:
    """The guards of a trace of `function` in which the code in `watch` ran."""
    finder = _Finder(watch)
    finder.function(function, getattr(function, "__qualname__", "function"))
    for code, namespace in watch.globals.items():
        finder.code(code, namespace)
    finder.found.apart.update(watch.methods)
    return finder.found


class _Finder:
    def __init__(self, watch: Watch) -> None:
        self.watch = watch
        self.found = Found()
        self.seen: set[tuple[int, Place, Any]] = set()
        self.functions: set[int] = set()
        self.depth = 0
        self.line = ""  # of the code that reads what is visited
        self.lifting = False

    def code(self, code: types.CodeType, namespace: dict[str, Any]) -> None:
        """What `code` reads from its globals, and from the objects it was called with."""
        self.lifting = code in self.watch.lifting
        for (kind, name), attributes, line in chains(code):
            self.line = line
            if kind == "global" and name in namespace:
                value = self.visit("item", namespace, name, name)
                self.chain(value, attributes, name)
            elif kind == "local":
                for (argument, _), value in self.watch.receivers[code].items():
                    if argument == name and not _is_stand_in(value):
                        self.chain(value, attributes, name)

    def function(self, function: Any, path: str) -> None:
        """A function's cells, defaults, and the function that it wraps."""
        if isinstance(function, types.MethodType):
            function = function.__func__
        if not isinstance(function, types.FunctionType) or id(function) in self.functions:
            return
        self.functions.add(id(function))
        code = function.__code__
        around, self.lifting = self.lifting, code in self.watch.lifting
        cells = dict(zip(code.co_freevars, function.__closure__ or (), strict=False))
        for (kind, name), attributes, line in self._free_chains(code):
            self.line = line
            if kind == "free" and name in cells:
                value = self.visit("cell", cells[name], None, name)
                self.chain(value, attributes, name)
        self.line = f"{code.co_filename}:{code.co_firstlineno}"
        for name in ("__defaults__", "__kwdefaults__"):
            if getattr(function, name):
                self._replaceable(function, name, path)
        for index, _ in enumerate(function.__defaults__ or ()):
            self.visit("item", function.__defaults__, index, f"{path}.__defaults__[{index}]")
        for name in function.__kwdefaults__ or {}:
            self.visit("item", function.__kwdefaults__, name, f"{path}.{name}")
        self.lifting = around

    def _replaceable(self, function: Any, name: str, path: str) -> None:
        """Guard an attribute of a function, whose contents have guards of their own."""
        found = getattr(function, name)
        whole = f"{path}.{name}"
        self.found.guards.append(Guard("is", "attribute", function, name, found, whole, self.line))

    def _free_chains(self, code: types.CodeType) -> Iterator[Chain]:
        """The chains of `code` and of the functions defined in it, which share its cells."""
        yield from chains(code)
        for constant in code.co_consts:
            if isinstance(constant, types.CodeType):
                yield from self._free_chains(constant)

    def chain(self, value: Any, attributes: tuple[str, ...], path: str) -> None:
        """The attributes read one from another, starting at `value`."""
        for name in (*attributes, ""):
            if is_array(value):
                if name not in _DESCRIPTIONS and not self.lifting:
                    self.found.used.add(id(value))
                if name == "[]" and not self.lifting:
                    self.found.apart.add(id(value))
                return
            if name in ("", "[]") or value is _MISSING or isinstance(value, _SCALARS):
                return
            if isinstance(value, types.ModuleType) and not _is_user_module(value):
                return
            path = f"{path}.{name}"
            value = self.attribute(value, name, path)

    def attribute(self, owner: Any, name: str, path: str) -> Any:
        """Guard one attribute, whether it is the object's or its class's; its value."""
        namespace = getattr(owner, "__dict__", None)
        if type(namespace) is dict and name in namespace:
            return self.visit("item", namespace, name, path)
        held = inspect.getattr_static(owner, name, _MISSING)
        if isinstance(held, property):
            self.function(held.fget, path)
            return _MISSING
        if isinstance(held, (staticmethod, classmethod)):
            self.function(cast(Any, held).__func__, path)
            return _MISSING
        return self.visit("attribute", owner, name, path)

    def visit(self, place: Place, holder: Any, key: Any, path: str) -> Any:
        """Guard what is at this place; its value."""
        value = Guard("is", place, holder, key, None, path).read()
        mark = (id(holder), place, key if isinstance(key, (str, int)) else id(key))
        if mark not in self.seen:
            self.seen.add(mark)
            self._values(place, holder, key, value, path)
        return value

    def _values(self, place: Place, holder: Any, key: Any, value: Any, path: str) -> None:
        def guard(test: Test, expected: Any) -> None:
            made = Guard(test, place, holder, key, expected, path, self.line)
            self.found.guards.append(made)

        if value is _MISSING or isinstance(value, TracedArray):
            return
        if is_array(value):
            known = value.shape, value.dtype
            made = Guard("array", place, holder, key, known, path, self.line)
            self.found.arrays.setdefault(id(value), []).append(made)
        elif isinstance(value, _SCALARS):
            guard("equal", value)
        elif isinstance(value, types.FunctionType) and is_user_code(value.__code__):
            guard("code", value.__code__)
            if value.__closure__ or value.__defaults__ or value.__kwdefaults__:
                guard("is", value)  # another one of this code may have others
            self.function(value, path)
        elif isinstance(value, types.FunctionType):
            guard("is", value)
        else:
            guard("is", value)
            if self.depth < DEEP:
                self.depth += 1
                self._inside(value, guard, path)
                self.depth -= 1

    def _inside(self, value: Any, guard: Callable[[Test, Any], None], path: str) -> None:
        """What is known of an object beyond its identity: elements, fields, a method's function."""
        kind = cast(type[Any], type(value))
        if kind in (dict, list, tuple, set, frozenset):
            small = len(value) <= SMALL
            guard("keys", (kind, tuple(value) if small and kind is dict else len(value)))
            if not small or kind in (set, frozenset):
                return
            for key in value if kind is dict else range(len(value)):
                self.visit("item", value, key, f"{path}[{key!r}]")
        elif isinstance(value, types.MethodType):
            self.function(value, path)
        elif dataclasses.is_dataclass(value) and not isinstance(value, type):
            for name in (f.name for f in dataclasses.fields(value)):
                self.attribute(value, name, f"{path}.{name}")


def _is_stand_in(value: Any) -> bool:
    """Whether an object was made during the trace: it holds traced arrays."""
    held: dict[str, Any] = getattr(value, "__dict__", {})
    return any(isinstance(x, TracedArray) for x in held.values())


def _is_user_module(module: types.ModuleType) -> bool:
    file = getattr(module, "__file__", None)
    if file is None:
        return module.__name__ == "__main__"
    return is_user_code(_code_of_file(file))


@cache
def _code_of_file(file: str) -> types.CodeType:
    """Any code object of this file."""
    return compile("", file, "exec")
