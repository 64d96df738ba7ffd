"""What the two ways of a branch give a variable, as one value."""

# pyright: reportPrivateUsage=false
from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

from lamina.errors import ArgumentError, DTypeError, ShapeError
from lamina.frontend import dtypes, tree
from lamina.frontend.array import Array
from lamina.frontend.bind import as_array, full, is_weak, weak_kind
from lamina.frontend.carry import place, type_of
from lamina.frontend.dispatch import CURRENT
from lamina.frontend.dtypes import DType
from lamina.frontend.location import fail
from lamina.frontend.maybe_shared import came_from, link, link_results
from lamina.frontend.runtime_scalar import weak
from lamina.frontend.script.jumps import RESULT
from lamina.frontend.script.values import Partial, Undefined, is_number_or_array, owned
from lamina.frontend.shapes import Shape
from lamina.frontend.traced import Storage, TracedArray

_RANK = {bool: 0, int: 1, float: 2}


@dataclass(frozen=True)
class Slot:
    """The type of a leaf that a region gives. weak: it stands for a Python number."""

    shape: Shape
    dtype: DType
    weak: bool

    def array(self, leaf: Any) -> Array:
        """A leaf as an array of this type; zeros where there is none."""
        if leaf is None:
            return full(0, self.shape, self.dtype)
        return as_array("script", leaf, self.dtype)

    def value(self, array: TracedArray) -> Any:
        """The array as user code gets it."""
        return weak(array) if self.weak else array


def slot_of(leaf: Any) -> Slot:
    """The slot of a number or an array."""
    if is_weak(leaf):
        kind = weak_kind(leaf)
        return Slot((), dtypes.default_of(kind), kind is not complex)
    array = as_array("script", leaf)
    return Slot(*type_of(array), False)


def same_static(x: Any, y: Any) -> bool:
    """Whether two values that are no arrays are one for user code."""
    if x is y:
        return True
    if is_number_or_array(x) and not isinstance(x, (bool, int, float, complex)):
        return False
    if type(x) is not type(y) or is_array_like(x):
        return False
    return bool(x == y) and repr(x) == repr(y)  # 0.0 is not -0.0


def is_array_like(value: Any) -> bool:
    """Whether equality of the value is no Python bool."""
    return isinstance(value, Array) or hasattr(value, "__array__")


def called(name: str) -> str:
    """A variable in a message."""
    return "the result" if name == RESULT else repr(name)


def joined(name: str, path: str, x: Any, y: Any) -> Slot:
    """The slot for two leaves. Raises `ShapeError` or `DTypeError` where they have none."""
    a, b = slot_of(x), slot_of(y)
    if a.weak and b.weak:
        kind = max(weak_kind(x), weak_kind(y), key=lambda kind: _RANK[kind])
        return Slot((), dtypes.default_of(kind), True)
    if a.weak or b.weak:
        number, strong = (x, b) if a.weak else (y, a)
        if strong.shape == () and (
            dtypes.promote_weak(strong.dtype, weak_kind(number)) == strong.dtype
        ):
            return strong
    elif a == b:
        return a
    _differ(name, path, a, b)


def _differ(name: str, path: str, a: Slot, b: Slot) -> NoReturn:
    error = ShapeError if a.shape != b.shape else DTypeError
    fail(
        error,
        f"if: expected {called(name)}{place(path)} of one type in both branches, found "
        f"{shown(a)} and {shown(b)}; convert one of them",
    )


def shown(slot: Slot) -> str:
    """A slot in a message."""
    if slot.weak:
        return f"a Python {slot.dtype.name.rstrip('0123456789_')}"
    return f"{slot.dtype} of shape {slot.shape}"


class _Variable:
    """One variable after a branch.

    leaves: what the result has at each leaf: a `Slot`, or the static value itself (in `static`).
    """

    def __init__(self, name: str, found: Sequence[Any], where: str) -> None:
        self.name = name
        self.partial = next((x for x in found if isinstance(x, Undefined)), None) is not None
        values = [x.value if isinstance(x, Partial) else x for x in found]
        self.missing = [isinstance(x, Undefined) for x in values]
        self.kept: Any = None
        self.is_kept = values[0] is values[1] or all(self.missing)
        self.slots: list[Slot | None] = []
        self.static: list[Any] = []
        self.given: list[list[Any]] = [[], []]
        self.why = f"has a value on one way only of the if at {where}"
        if self.is_kept:
            self.kept = found[0] if found[0] is found[1] else self._wrapped(values[0])
            return
        present = [x for x, absent in zip(values, self.missing, strict=True) if not absent]
        flat = [tree.flatten(x) for x in present]
        self.tree = flat[0][1]
        if len(flat) == 2 and flat[0][1] != flat[1][1]:
            fail(
                ArgumentError,
                f"if: expected {called(name)} of one structure in both branches, found "
                f"{kind_of(present[0])} and {kind_of(present[1])}; "
                + ("return" if name == RESULT else "make")
                + " values of one structure on every way",
            )
        leaves = [x for x, _ in flat] * (3 - len(flat))
        for path, x, y in zip(tree.paths(self.tree), *leaves, strict=True):
            self._leaf(path, x, y)

    def _leaf(self, path: str, x: Any, y: Any) -> None:
        alone = any(self.missing) and isinstance(x, TracedArray)
        if same_static(x, y) and not alone:
            self.slots.append(None)
            self.static.append(x)
            return
        if not (is_number_or_array(x) and is_number_or_array(y)):
            fail(
                ArgumentError,
                f"if: expected {called(self.name)}{place(path)} to be an array or a number, or "
                f"equal in both branches, found {kind_of(x)} and {kind_of(y)}",
            )
        self.slots.append(joined(self.name, path, x, y))
        for side, (leaf, absent) in enumerate(zip((x, y), self.missing, strict=True)):
            self.given[side].append(None if absent else leaf)

    def arrays(self, side: int) -> list[Array]:
        """The leaves that the branch of this number gives."""
        slots = [slot for slot in self.slots if slot is not None]
        return [slot.array(leaf) for slot, leaf in zip(slots, self.given[side], strict=False)]

    def value(self, results: Sequence[TracedArray]) -> Any:
        """The variable, with these results of the branch."""
        if self.is_kept:
            return self.kept
        arrays, static = iter(results), iter(self.static)
        leaves = [next(static) if slot is None else slot.value(next(arrays)) for slot in self.slots]
        return self._wrapped(tree.unflatten(self.tree, leaves))

    @property
    def count(self) -> int:
        """How many results of the branch are this variable's."""
        return sum(slot is not None for slot in self.slots)

    def _wrapped(self, value: Any) -> Any:
        if not self.partial or isinstance(value, Undefined):
            return value
        return Partial(self.name, value, self.why)


def kind_of(value: Any) -> str:
    """A value in a message."""
    if value is None:
        return "None"
    if is_number_or_array(value):
        return "a number" if is_weak(value) else "an array"
    return f"a {type(value).__name__}"


class Join:
    """The live variables after two branches."""

    def __init__(self, names: Sequence[str], where: str) -> None:
        self.names = names
        self.where = where
        self.variables: list[_Variable] = []
        self.given: list[list[TracedArray]] = []
        self.outer: list[tuple[int, Storage]] = []

    def settle(self, found: list[Any]) -> list[Callable[[], list[TracedArray]]]:
        """For each branch, what makes its results; as `regions.merged` wants it."""
        pairs = zip(self.names, *found, strict=False)
        self.variables = [_Variable(name, (x, y), self.where) for name, x, y in pairs]
        return [lambda: self._arrays(0), lambda: self._arrays(1)]

    def _arrays(self, side: int) -> list[TracedArray]:
        recorder = CURRENT.get()
        assert recorder is not None
        made = owned(recorder, [x for v in self.variables for x in v.arrays(side)])
        self.given.append(made)
        self.outer += [(k, x._storage) for k, x in enumerate(made) if is_outer(recorder, x)]
        return made

    def values(self, results: Sequence[TracedArray]) -> list[Any]:
        """The values of the variables."""
        values: list[Any] = []
        kept: list[int] = []
        first = 0
        for variable in self.variables:
            numbers = range(first, first + variable.count)
            first += variable.count
            values.append(variable.value([results[k] for k in numbers]))
            if variable.name != RESULT:
                kept += numbers
                continue
            for k in numbers:
                came_from(results[k]._storage, [arrays[k]._storage for arrays in self.given])
        link_results([results[k] for k in kept], [[x[k] for k in kept] for x in self.given])
        for number, storage in self.outer:
            if number in kept:
                link(results[number]._storage, storage)
        return values


def is_outer(recorder: Any, array: TracedArray) -> bool:
    """Whether the memory of an array was there before the region that is recorded."""
    storage = array._storage
    return storage in recorder.scope.entered or storage.scope is not recorder.scope
