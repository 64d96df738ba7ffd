"""Sizes without annotation: a size that has had two values is a run-time size from then on.

The first call of a function is compiled for its sizes. At a call that differs in the size of an
axis, both from 2 on, the version that is compiled then takes the axis as it comes; 0 and 1 stay
sizes of their own, since they broadcast. Where the function cannot be compiled so, its axes are
numbers again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from lamina.declared import Spec
from lamina.frontend.array import is_array
from lamina.frontend.dims import Symbol, is_size, of_symbol
from lamina.frontend.tree import Tree, paths

Key: TypeAlias = "tuple[Tree, int, int]"
"""The structure of the arguments, and the number and rank of a leaf."""


class Varying:
    """What calls have shown of the sizes of one function.

    seen: the shapes that were compiled for. fixed: axes that stay numbers.
    """

    def __init__(self) -> None:
        self.seen: dict[Key, set[tuple[int, ...]]] = {}
        self.fixed: set[tuple[Key, int]] = set()

    def note(self, leaves: Sequence[Any], structure: Tree) -> None:
        """A version is compiled for this call."""
        for number, leaf in enumerate(leaves):
            if is_array(leaf):
                self.seen.setdefault((structure, number, leaf.ndim), set()).add(leaf.shape)

    def varies(self, key: Key, axis: int, size: int) -> bool:
        """Whether an axis has had another size than this one; 0 and 1 do not count."""
        others = {shape[axis] for shape in self.seen.get(key, ())}
        return size > 1 and (key, axis) not in self.fixed and bool(others - {0, 1, size})

    def alike(self, key: Key, axis: int, other: int) -> bool:
        """Whether two axes have always had one size, as those of square matrices."""
        return all(shape[axis] == shape[other] for shape in self.seen.get(key, ()))

    def fix(self, axes: Iterable[tuple[Key, int]]) -> None:
        """These axes are numbers from now on."""
        self.fixed.update(axes)


@dataclass(frozen=True)
class Call:
    """A call of a function. specs: what `shapes=` declares of leaves, by number."""

    args: Sequence[Any]
    kwargs: dict[str, Any]
    leaves: Sequence[Any]
    structure: Tree
    specs: Mapping[int, Spec] = field(default_factory=dict[int, Spec])

    def shapes(self, varying: Varying) -> dict[int, tuple[Any, ...]]:
        """The shapes to compile for, of the leaves that have a size that is an expression."""
        found: dict[int, tuple[Any, ...]] = {}
        names = paths(self.structure)
        for number, leaf in enumerate(self.leaves):
            if not is_array(leaf):
                continue
            key = self.structure, number, leaf.ndim
            shape: list[Any] = list(leaf.shape)
            for axis, size in enumerate(leaf.shape):
                known = self.specs[number][axis] if number in self.specs else None
                if known is not None:
                    shape[axis] = known
                elif varying.varies(key, axis, size):
                    equal = (
                        shape[other]
                        for other in range(axis)
                        if is_size(shape[other])
                        and leaf.shape[other] == size
                        and varying.alike(key, axis, other)
                    )
                    own = of_symbol(Symbol(f"{names[number]}.shape[{axis}]", 2))
                    shape[axis] = next(equal, own)
            if any(map(is_size, shape)):
                found[number] = tuple(shape)
        return found

    def automatic(self, shapes: Mapping[int, Sequence[Any]]) -> list[tuple[Key, int]]:
        """The axes that are expressions in `shapes` and not declared so."""
        return [
            ((self.structure, number, len(shape)), axis)
            for number, shape in shapes.items()
            for axis, size in enumerate(shape)
            if is_size(size) and (number not in self.specs or self.specs[number][axis] is None)
        ]


def bounds(symbol: Symbol) -> str:
    """The values that a symbol may have, for a message."""
    if symbol.high is None:
        return f"{symbol.low} or more"
    return f"from {symbol.low} to {symbol.high}"
