"""What a loop that is recorded carries: the live variables that its body binds."""

# pyright: reportPrivateUsage=false
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from lamina.errors import ArgumentError, DTypeError, MutationError, ShapeError
from lamina.frontend import dtypes, tree
from lamina.frontend.array import Array
from lamina.frontend.bind import is_weak, weak_kind
from lamina.frontend.carry import place
from lamina.frontend.location import fail
from lamina.frontend.maybe_shared import came_from, link, link_results
from lamina.frontend.script.joins import (
    Slot,
    called,
    is_outer,
    kind_of,
    same_static,
    shown,
    slot_of,
)
from lamina.frontend.script.jumps import RESULT
from lamina.frontend.script.values import Partial, Undefined, is_number_or_array, owned
from lamina.frontend.traced import TracedArray

_RANK = {bool: 0, int: 1, float: 2}


@dataclass
class Variable:
    """A variable of a loop.

    start: its value before. late: it has none there, or perhaps none; the body may give it one.
    leaves: those of the start, or of what the body gave. slots: of each leaf its type, or None for
    a value that stays. unknown: a late one whose type the body has not given yet.
    """

    name: str
    start: Any
    late: bool
    tree: tree.Tree
    leaves: list[Any]
    slots: list[Slot | None]
    unknown: bool = False

    @property
    def carried(self) -> list[tuple[int, Slot]]:
        """The leaves that the loop carries."""
        return [(k, slot) for k, slot in enumerate(self.slots) if slot is not None]

    def starts(self) -> list[Array]:
        """Their values at the start; zeros where there are none."""
        missing = self.late and not isinstance(self.start, Partial)
        return [slot.array(None if missing else self.leaves[k]) for k, slot in self.carried]

    def value(self, arrays: Sequence[TracedArray]) -> Any:
        """The variable with these carried leaves."""
        given = iter(arrays)
        pairs = zip(self.leaves, self.slots, strict=True)
        leaves = [x if slot is None else slot.value(next(given)) for x, slot in pairs]
        return tree.unflatten(self.tree, leaves)


def variable(name: str, start: Any, known: Any) -> Variable:
    """A variable before a loop. known: its slots, and its structure, as an earlier trace of the
    same loop found them."""
    if isinstance(start, Undefined):
        if isinstance(start, Partial):
            leaves, structure = tree.flatten(start.value)
            return Variable(name, start, True, structure, leaves, _slots(leaves, known))
        if known is None:
            return Variable(name, start, True, tree.LEAF, [], [], unknown=True)
        slots, structure, leaves = known
        return Variable(name, start, True, structure, list(leaves), list(slots))
    leaves, structure = tree.flatten(start)
    return Variable(name, start, False, structure, leaves, _slots(leaves, known))


def unchanged(name: str, array: Array) -> Variable:
    """A variable that names the same array after each trip: what the body writes is the array."""
    return Variable(name, array, False, tree.LEAF, [array], [None])


def _slots(leaves: Sequence[Any], known: Any) -> list[Slot | None]:
    found = [slot_of(x) if is_number_or_array(x) else None for x in leaves]
    if known is None or len(known[0]) != len(found):
        return found
    pairs = zip(leaves, found, known[0], strict=True)
    return [_better(leaf, slot, hint) for leaf, slot, hint in pairs]


def _better(leaf: Any, slot: Slot | None, hint: Slot | None) -> Slot | None:
    """What is known of a leaf, if it fits: Python numbers take the type that the body gives."""
    if slot is None or hint is None or not slot.weak or hint.shape:
        return slot
    promoted = dtypes.promote_weak(hint.dtype, weak_kind(leaf))
    return hint if promoted == hint.dtype else slot


class Carries:
    """The variables of one loop, while its body is recorded once or more."""

    def __init__(
        self,
        what: str,
        names: Sequence[str],
        start: Sequence[Any],
        memo: dict[Any, Any],
        same: Sequence[str] = (),
    ) -> None:
        self.what = what
        self.memo = memo
        self.variables = [
            unchanged(name, x)
            if name in same and isinstance(x, Array) and x.ndim
            else variable(name, x, memo.get(name))
            for name, x in zip(names, start, strict=False)
        ]

    def starts(self, recorder: Any) -> list[TracedArray]:
        """The arrays to begin with."""
        self.begun = owned(recorder, [x for v in self.variables for x in v.starts()])
        return self.begun

    def values(self, arrays: Sequence[TracedArray]) -> list[Any]:
        """The variables in the body, for these arguments of it."""
        found: list[Any] = []
        for v, given in self._split(arrays):
            if not v.late:
                found.append(v.value(given))
            elif isinstance(v.start, Partial):
                found.append(v.start)
            else:
                found.append(
                    Undefined(v.name, f"has no value in the first trip of the {self.what}")
                )
        return found

    def results(self, arrays: Sequence[TracedArray], certain: bool) -> list[Any]:
        """The variables after the loop. certain: the body ran at least once."""
        found: list[Any] = []
        why = f"has a value only where the {self.what} makes a trip"
        for v, given in self._split(arrays):
            if v.unknown:
                found.append(v.start)
            elif v.late and not (certain and v.name in self.defined):
                found.append(Partial(v.name, v.value(given), why))
            else:
                found.append(v.value(given))
        return found

    def _split(self, arrays: Sequence[TracedArray]) -> list[tuple[Variable, Sequence[TracedArray]]]:
        found: list[tuple[Variable, Sequence[TracedArray]]] = []
        first = 0
        for v in self.variables:
            count = len(v.carried)
            found.append((v, arrays[first : first + count]))
            first += count
        return found

    def taken(self, recorder: Any, after: Sequence[Any], given: Sequence[TracedArray]) -> Any:
        """The arrays that the body gives for the next trip; None where the types were not yet
        right: they are now."""
        before = [list(v.slots) for v in self.variables]
        unknown = [v.unknown for v in self.variables]
        self.defined = {
            v.name
            for v, x in zip(self.variables, after, strict=False)
            if not isinstance(x, Undefined)
        }
        found = [self._leaves(v, x) for v, x in zip(self.variables, after, strict=False)]
        if before != [v.slots for v in self.variables] or unknown != [
            v.unknown for v in self.variables
        ]:
            for v in (v for v in self.variables if not v.unknown):
                static = [None if slot else x for x, slot in zip(v.leaves, v.slots, strict=True)]
                self.memo[v.name] = list(v.slots), v.tree, static
            return None
        arrays: list[TracedArray] = []
        for v, leaves in zip(self.variables, found, strict=True):
            arrays += owned(recorder, [slot.array(leaves[k]) for k, slot in v.carried])
        self._check_memory(recorder, arrays, given)
        return arrays

    def _leaves(self, v: Variable, value: Any) -> list[Any]:
        """The leaves of a variable after a trip."""
        if isinstance(value, Undefined):
            if not v.late:
                value.refuse()
            if not isinstance(value, Partial):
                return [None] * len(v.slots)
            value = value.value
        leaves, structure = tree.flatten(value)
        if v.unknown:
            v.unknown, v.tree, v.leaves = False, structure, leaves
            v.slots = [slot_of(x) if is_number_or_array(x) else None for x in leaves]
            return leaves
        if structure != v.tree:
            fail(
                ArgumentError,
                f"{self.what}: expected {called(v.name)} of one structure in each trip, found "
                f"{kind_of(v.start)} before and {kind_of(value)} after the body",
            )
        for k, path in enumerate(tree.paths(structure)):
            v.slots[k] = self._slot(v, k, path, leaves[k])
        return leaves

    def _slot(self, v: Variable, k: int, path: str, leaf: Any) -> Slot | None:
        slot = v.slots[k]
        if slot is None or not is_number_or_array(leaf):
            if slot is None and same_static(v.leaves[k], leaf):
                return None
            fail(
                ArgumentError,
                f"{self.what}: expected {called(v.name)}{place(path)} to be an array or a number, "
                f"or to stay equal, found {kind_of(v.leaves[k])} before and {kind_of(leaf)} after "
                "the body",
            )
        if is_weak(leaf) and weak_kind(leaf) is not complex:
            kind = weak_kind(leaf)
            if slot.weak:
                old = {"b": bool, "i": int, "f": float}[slot.dtype.kind]
                wide = max(old, kind, key=lambda x: _RANK[x])
                return Slot((), dtypes.default_of(wide), True)
            if slot.shape == () and dtypes.promote_weak(slot.dtype, kind) == slot.dtype:
                return slot
        found = slot_of(leaf)
        if slot.weak and not found.shape:
            start = weak_kind(v.leaves[k]) if is_weak(v.leaves[k]) else None
            wide = found.dtype if start is None else dtypes.promote_weak(found.dtype, start)
            return Slot((), wide, False)
        if found != slot:
            self._differ(v, path, slot, found)
        return slot

    def _differ(self, v: Variable, path: str, slot: Slot, found: Slot) -> None:
        error = ShapeError if found.shape != slot.shape else DTypeError
        fail(
            error,
            f"{self.what}: expected {called(v.name)}{place(path)} of one type in each trip, found "
            f"{shown(slot)} before and {shown(found)} after the body; start with that type, or "
            "convert it in the body",
        )

    def _check_memory(
        self, recorder: Any, arrays: Sequence[TracedArray], given: Sequence[TracedArray]
    ) -> None:
        """Refuse what only shared memory would give: a carried array that the body writes, while
        two variables, or one and something outside, name it."""
        mine = {id(x._storage) for x in given}
        large = [arrays[k] for k in self._linked(arrays)]
        outer = [x for x in large if id(x._storage) not in mine and is_outer(recorder, x)]
        self.given = arrays
        self.outer = [x._storage for x in outer]
        self.kept = [id(x._storage) in mine for x in arrays]
        shared = len({id(x._storage) for x in large}) < len(large)
        if (shared or outer) and any(x._storage.version for x in given):
            self._refuse_memory()

    def link_starts(self, arrays: Sequence[TracedArray]) -> None:
        """Before the body: what its arguments may be the memory of."""
        for k in self._linked(arrays):
            link(self.begun[k]._storage, arrays[k]._storage)

    def link(self, results: Sequence[TracedArray], certain: bool) -> None:
        """After the loop: what its results may be the memory of."""
        linked = self._linked(results)
        link_results([results[k] for k in linked], [[self.given[k] for k in linked]])
        for k in linked:
            for other in self.outer:
                link(results[k]._storage, other)
            if not certain or self.kept[k]:
                for start in (self.begun[i] for i in linked):
                    link(results[k]._storage, start._storage)
        for k in set(range(len(results))) - set(linked):
            came_from(results[k]._storage, [self.given[k]._storage, self.begun[k]._storage])

    def _linked(self, arrays: Sequence[TracedArray]) -> list[int]:
        """The numbers of the arrays that are memory of variables, not of the function's result."""
        found: list[int] = []
        first = 0
        for v in self.variables:
            count = len(v.carried)
            if v.name != RESULT:
                found += [k for k in range(first, first + count) if arrays[k].ndim]
            first += count
        return found

    def _refuse_memory(self) -> None:
        fail(
            MutationError,
            f"{self.what}: expected a variable that the body binds anew to be the only name of "
            "the array that the body writes, found another; copy the array before",
        )
