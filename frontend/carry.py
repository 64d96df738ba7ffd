"""What a loop carries from trip to trip: the structure of the carry and the types of its leaves."""

# pyright: reportPrivateUsage=false
from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from typing import Any, TypeAlias

from lamina.errors import ArgumentError, DTypeError, ShapeError, TraceError
from lamina.frontend import dtypes, tree
from lamina.frontend.array import AUTOGRAD, Array
from lamina.frontend.bind import as_array, duplicate, is_weak, weak_kind
from lamina.frontend.dims import is_size
from lamina.frontend.dispatch import CURRENT
from lamina.frontend.dtypes import DType
from lamina.frontend.location import fail
from lamina.frontend.shapes import Shape

Type: TypeAlias = "tuple[Shape, DType]"


def type_of(array: Array) -> Type:
    """Shape and dtype."""
    return array.shape, array.dtype


def check_type(name: str, what: str, found: Type, expected: Type, hint: str) -> None:
    """Raise `ShapeError` or `DTypeError` unless two types are equal."""
    if found != expected:
        error = ShapeError if found[0] != expected[0] else DTypeError
        fail(
            error,
            f"{name}: expected {what} of {expected[1]} and shape {expected[0]}, "
            f"found {found[1]} and shape {found[0]}; {hint}",
        )


def leaves_of(name: str, what: str, value: Any, expected: tree.Tree) -> list[Any]:
    """The leaves of `value` in the order of `expected`: dicts may have their keys in any order.

    Raises `ArgumentError` for another structure.
    """
    leaves, found = tree.flatten(value)
    if found == expected:
        return leaves
    order: list[int] = []
    if not _aligned(found, expected, 0, order):
        wanted = f"expected {what} of one structure, {_shown(expected)}"
        fail(ArgumentError, f"{name}: {wanted}, found {_shown(found)}")
    return [leaves[number] for number in order]


def _aligned(found: tree.Tree, expected: tree.Tree, first: int, order: list[int]) -> bool:
    """Whether two structures are equal but for the order of keys of dicts; adds to `order` the
    number of the found leaf for each expected one. first: the number of the first found one."""
    if found.kind is None:
        order.append(first)
    starts: dict[Any, tuple[tree.Tree, int]] = {}
    for key, child in zip(found.keys, found.children, strict=True):
        starts[key] = child, first
        first += child.leaves
    same = (found.kind, found.extra) == (expected.kind, expected.extra)
    keys = set(found.keys) == set(expected.keys)
    if not same or not (keys if found.kind is dict else found.keys == expected.keys):
        return False
    pairs = zip(expected.keys, expected.children, strict=True)
    return all(_aligned(starts[key][0], child, starts[key][1], order) for key, child in pairs)


class Results:
    """What functions give one time after another: of the structure and the types of the first."""

    def __init__(self, name: str, what: str, hint: str) -> None:
        self.name = name
        self.what = what
        self.hint = hint
        self.tree = tree.LEAF
        self.types: list[Type] | None = None

    def arrays(self, value: Any) -> list[Array]:
        """The leaves of `value` as arrays. Raises where it differs from the first one."""
        if self.types is None:
            self.tree = tree.flatten(value)[1]
        leaves = leaves_of(self.name, self.what, value, self.tree)
        arrays = [as_array(self.name, leaf) for leaf in leaves]
        if self.types is None:
            self.types = [type_of(array) for array in arrays]
        for path, array, expected in zip(tree.paths(self.tree), arrays, self.types, strict=True):
            what = f"{self.what}{place(path)}"
            check_type(self.name, what, type_of(array), expected, self.hint)
        return arrays

    def value(self, leaves: Sequence[Array]) -> Any:
        """The structure with these leaves."""
        return tree.unflatten(self.tree, leaves)


def _shown(structure: tree.Tree) -> str:
    if structure.kind is None:
        return "a leaf"
    children = zip(structure.keys, structure.children, strict=True)
    listed = ", ".join(f"{key}: {_shown(child)}" for key, child in children)
    return f"{structure.kind.__name__}({listed})"


def place(path: str) -> str:
    """A path in a message."""
    return f" at {path}" if path else ""


@contextmanager
def foreseen() -> Generator[None]:
    """User code inside is traced for the types that it gives; nothing of it runs or stays."""
    recorder = CURRENT.get()
    if recorder is not None:
        with recorder.scratch():
            yield
        return
    from lamina.frontend.recorder import Recorder

    recorder = Recorder()
    token = CURRENT.set(recorder)  # pyright: ignore[reportArgumentType]
    try:
        with AUTOGRAD["set_enabled"](False):
            yield
    finally:
        CURRENT.reset(token)
        recorder.alive = False


class Carry:
    """The carry of one loop.

    start: the leaves to begin with. types: of each leaf; None for a Python number until the body
    has given it one.
    """

    def __init__(self, name: str, init: Any) -> None:
        self.name = name
        leaves, self.tree = tree.flatten(init)
        self.paths = tree.paths(self.tree)
        self.start: list[Any] = [leaf if is_weak(leaf) else self._own(leaf) for leaf in leaves]
        self.types = [None if is_weak(leaf) else type_of(leaf) for leaf in self.start]

    def _own(self, leaf: Any) -> Array:
        """A leaf in memory of the loop's own; traced, the body's arguments are."""
        array = as_array(self.name, leaf)
        recorder = CURRENT.get()
        if recorder is None:
            return duplicate(array)
        if any(is_size(size) and recorder.sizes.undecided(size) for size in array.shape):
            fail(
                TraceError,
                f"{self.name}: expected a carry of known sizes, found {array.shape}, of sizes that "
                "change in a loop; carry the array that it is part of",
            )
        return array

    def value(self, leaves: Sequence[Any]) -> Any:
        """The carry with these leaves, as the body gets it."""
        return tree.unflatten(self.tree, leaves)

    def foresee(self, body: Callable[[Any], Any]) -> None:
        """Let the body give types to the Python numbers of the carry, before it runs.

        Eager code may need values there: then they keep their default types.
        """
        if None not in self.types:
            return
        eager = CURRENT.get() is None
        try:
            with foreseen():
                self.taken(body(self.value(self.start)), self.start)
        except TraceError:
            if not eager:
                raise

    def taken(self, result: Any, given: Sequence[Any]) -> list[Array]:
        """The leaves of what the body gave for the leaves `given`, of the carry's types."""
        taken: list[Array] = []
        for number, leaf in enumerate(leaves_of(self.name, "a carry", result, self.tree)):
            if leaf is given[number] and self.types[number] is not None:
                taken.append(leaf)  # perhaps written in place
            else:
                taken.append(self._own(self._typed(number, leaf)))
        return taken

    def _typed(self, number: int, leaf: Any) -> Array:
        expected = self.types[number]
        if expected is None:
            expected = self.types[number] = self._given(number, leaf)
        shape, dtype = expected
        fits = is_weak(leaf) and dtypes.promote_weak(dtype, weak_kind(leaf)) == dtype
        array = as_array(self.name, leaf, dtype if fits else None)
        what = f"a carry{place(self.paths[number])}"
        hint = "convert it in the body, or start with that type"
        check_type(self.name, what, type_of(array), (shape, dtype), hint)
        return array

    def _given(self, number: int, leaf: Any) -> Type:
        """The type that the body gives to a Python number of the carry."""
        start = self.start[number]
        kind = weak_kind(start)
        if is_weak(leaf):
            dtype = dtypes.common([], [kind, weak_kind(leaf)])
        else:
            array = as_array(self.name, leaf)
            dtype = dtypes.promote_weak(array.dtype, kind)
            what = f"a carry{place(self.paths[number])} that began as a Python {kind.__name__}"
            hint = "start with an array of that type"
            check_type(self.name, what, type_of(array), ((), dtype), hint)
        as_array(self.name, start, dtype)  # an int may be outside of it
        return (), dtype

    def begun(self) -> list[Array]:
        """The start values as arrays of the carry's types."""
        return [
            as_array(self.name, leaf, None if type is None else type[1])
            for leaf, type in zip(self.start, self.types, strict=True)
        ]

    def result(self, leaves: Sequence[Any]) -> Any:
        """The carry after the loop: arrays."""
        return self.value([as_array(self.name, leaf) for leaf in leaves])
