"""What a call entry must know of a compiled program: the tree of its arguments, what it was
traced for, and how its results are put together. Plain data; entry_py.py is its meaning in
Python, entry_code.py turns it into the program of the native entry.

Leaves are numbered in order: those of the positional arguments, then those of `hidden`. `main`
takes `(ctx, one pointer a leaf, one pointer a result, one i64 a `?` dim)`, dims in the same
order (leaves, then results).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from lamina.errors import OptionError


@dataclass(frozen=True)
class ArrayLeaf:
    """A contiguous, aligned, native ndarray (or array object) of this type and shape; -1 is `?`.

    written: `main` writes it, so it must be writable and share no byte with another leaf.
    donated: it is an array object, the only one that refers to its memory, and what
    `ArrayClass.donated` says afterwards.
    """

    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    written: bool = False
    donated: bool = False


@dataclass(frozen=True)
class ScalarLeaf:
    """A Python number, passed as a 0-d buffer: "int" (exactly int, within i64), "float" (f64),
    "bool" (one byte)."""

    kind: Literal["int", "float", "bool"]


@dataclass(frozen=True, eq=False)
class ConstantLeaf:
    """A pointer that never changes; nothing is checked. `owner` keeps the memory alive."""

    address: int
    owner: object


@dataclass(frozen=True, eq=False)
class StaticLeaf:
    """A value the code was made for; no argument of `main`.

    by: "value" compares type and content for int, str, bytes, float and complex (floats by
    bits) and identity for everything else; "equality" asks for the same type and `==`.
    """

    value: object
    by: Literal["value", "equality"] = "value"


@dataclass(frozen=True)
class AbsentLeaf:
    """As the tree of a `GlobalName`: the dict has no such key (the builtin is meant)."""


@dataclass(frozen=True, eq=False)
class SequenceNode:
    """Exactly a `type` (list, tuple, or a subclass of tuple) of exactly these items."""

    type: type[Any]
    items: tuple[Tree, ...]


@dataclass(frozen=True, eq=False)
class DictNode:
    """Exactly a dict with exactly these keys, in any order."""

    items: tuple[tuple[Any, Tree], ...]


@dataclass(frozen=True, eq=False)
class ObjectNode:
    """Exactly a `type`, with at least these attributes."""

    type: type[Any]
    attributes: tuple[tuple[str, Tree], ...]


Tree = (
    ArrayLeaf | ScalarLeaf | ConstantLeaf | StaticLeaf | AbsentLeaf
    | SequenceNode | DictNode | ObjectNode
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class Fixed:
    """A hidden input: this object."""

    object: object


@dataclass(frozen=True, eq=False)
class Cell:
    """A hidden input: what a closure cell holds at the call."""

    cell: Any


@dataclass(frozen=True, eq=False)
class GlobalName:
    """A hidden input: what a namespace holds under a name at the call."""

    namespace: dict[str, Any]
    name: str


Source = Fixed | Cell | GlobalName


@dataclass(frozen=True)
class DimArg:
    """The size of the `index`-th `?` dim, counted over all leaves."""

    index: int


DimName = Literal["add", "sub", "mul", "floordiv", "mod", "max", "min", "eq", "le", "lt"]


@dataclass(frozen=True)
class DimOp:
    """An operation on sizes (i64). A divisor must be a positive int."""

    name: DimName
    lhs: DimExpr
    rhs: DimExpr

    def __post_init__(self) -> None:
        if self.name in ("floordiv", "mod") and not (type(self.rhs) is int and self.rhs > 0):
            raise OptionError(f"{self.name}: expected a positive divisor, found {self.rhs!r}")


DimExpr = int | DimArg | DimOp


@dataclass(frozen=True)
class Result:
    """An array that `main` fills. A dim that is not an int is a `?` of `main`.

    donor: the number of an ArrayLeaf whose memory the result takes over. writes: the number of one
    (`written`, of this type and shape) that holds the values when the call returns.
    """

    dtype: np.dtype[Any]
    shape: tuple[DimExpr, ...]
    donor: int | None = None
    writes: int | None = None


@dataclass(frozen=True)
class ResultLeaf:
    """The `index`-th result, as an array object."""

    index: int


@dataclass(frozen=True, eq=False)
class ResultConstant:
    """An object that is part of the result as it is (None, a string, ...)."""

    value: object


@dataclass(frozen=True, eq=False)
class ResultSequence:
    """A tuple or a list."""

    type: type[tuple[Any, ...]] | type[list[Any]]
    items: tuple[ResultTree, ...]


@dataclass(frozen=True, eq=False)
class ResultDict:
    """A dict."""

    items: tuple[tuple[Any, ResultTree], ...]


@dataclass(frozen=True, eq=False)
class ResultCall:
    """What `function` returns for the items (a dataclass, a registered class)."""

    function: Callable[..., Any]
    items: tuple[ResultTree, ...]


ResultTree = ResultLeaf | ResultConstant | ResultSequence | ResultDict | ResultCall


@dataclass(frozen=True, eq=False)
class Signature:
    """One compiled program and what must hold for it to be used.

    main: address of `i32 main(ctx, ...)`.
    hidden: captured arrays, and guards (trees of StaticLeaf), read again at every call.
    requires: expressions that must not be 0.
    arena_bytes, scratch_bytes: memory of the call, and of each thread.
    release_gil: let other Python threads run meanwhile (costs some 30 ns).
    threads: threads it may use; None follows `set_num_threads`.
    owner: kept alive (the engine that holds the code).
    """

    main: int
    args: tuple[Tree, ...]
    results: tuple[Result, ...]
    tree: ResultTree
    hidden: tuple[tuple[Source, Tree], ...] = ()
    requires: tuple[DimOp, ...] = ()
    arena_bytes: int = 0
    scratch_bytes: int = 0
    release_gil: bool = False
    threads: int | None = None
    owner: object = None

    def leaves(self) -> tuple[ArrayLeaf | ScalarLeaf | ConstantLeaf, ...]:
        """What `main` gets a pointer for, in order."""
        trees = (*self.args, *(tree for _, tree in self.hidden))
        return tuple(leaf for tree in trees for leaf in tree_leaves(tree))


def tree_leaves(tree: Tree) -> Iterator[ArrayLeaf | ScalarLeaf | ConstantLeaf]:
    """The leaves of `tree` that `main` gets a pointer for, in order."""
    match tree:
        case ArrayLeaf() | ScalarLeaf() | ConstantLeaf():
            yield tree
        case SequenceNode(items=items):
            for item in items:
                yield from tree_leaves(item)
        case DictNode(items=pairs) | ObjectNode(attributes=pairs):
            for _, item in pairs:
                yield from tree_leaves(item)
        case StaticLeaf() | AbsentLeaf():
            pass


def static_tree(value: object) -> Tree:
    """The tree that holds exactly for values like `value`: lists, tuples and dicts by contents,
    the rest as StaticLeaf."""
    if type(value) in (list, tuple):
        items: tuple[object, ...] = tuple(value)  # type: ignore[arg-type]
        return SequenceNode(type(value), tuple(map(static_tree, items)))
    if type(value) is dict:
        pairs: dict[object, object] = value  # type: ignore[assignment]
        return DictNode(tuple((key, static_tree(item)) for key, item in pairs.items()))
    return StaticLeaf(value)


@dataclass(frozen=True)
class ArrayClass:
    """The class of array objects, a class with `__slots__`.

    data: the slot that holds the ndarray.
    fields: what every other slot is set to in a result.
    guards: slots that must hold their value of `fields` in an argument (`requires_grad`).
    donated: the class that a donated argument is of after the call, of the same layout; its slot
    `data` then holds the place of the call, (code object or file, line) or None.
    """

    type: type[Any]
    data: str
    fields: tuple[tuple[str, object], ...] = ()
    guards: tuple[str, ...] = ()
    donated: type[Any] | None = None
