"""Trees: nested dicts, lists, tuples, named tuples, dataclasses and registered classes.

Everything else is a leaf, except None, which has no leaves. A leaf's path joins keys and field
names with "/", as in "params/w1".
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias, cast

from lamina.errors import ArgumentError
from lamina.frontend.location import fail

Flatten: TypeAlias = "Callable[[Any], tuple[dict[str, Any], Any]]"
Unflatten: TypeAlias = "Callable[[Any, dict[str, Any]], Any]"

_REGISTERED: dict[type[Any], tuple[Flatten, Unflatten]] = {}


@dataclass(frozen=True)
class Tree:
    """The structure of a value without its leaves. Equal structures compare equal.

    kind: the class of the node, or None for a leaf. keys: dict keys, field names or positions.
    extra: what a registered class needs besides its children.
    """

    kind: type[Any] | None
    keys: tuple[Any, ...] = ()
    children: tuple[Tree, ...] = ()
    extra: Any = None

    @property
    def leaves(self) -> int:
        """The number of leaves."""
        return 1 if self.kind is None else sum(child.leaves for child in self.children)


LEAF = Tree(None)


def register(
    kind: type[Any] | None = None,
    *,
    flatten: Flatten | None = None,
    unflatten: Unflatten | None = None,
) -> Any:
    """Make a class a tree; usable as a decorator.

    flatten(value) gives (children by name, extra), where extra is hashable; unflatten(extra,
    children) is its inverse. Without them the children are the instance's attributes.

    >>> import lamina as lm
    >>> @lm.tree.register
    ... class Layer:
    ...     def __init__(self, w): self.w = w
    >>> lm.tree.flatten(Layer(3))[0]
    [3]
    """
    if kind is None:
        return partial(register, flatten=flatten, unflatten=unflatten)
    if (flatten is None) != (unflatten is None):
        fail(ArgumentError, "register: expected flatten and unflatten together, found one")
    if flatten is None or unflatten is None:
        _REGISTERED[kind] = _attributes, _restorer(kind)
    else:
        _REGISTERED[kind] = flatten, unflatten
    return kind


def _attributes(value: Any) -> tuple[dict[str, Any], None]:
    return dict(cast(dict[str, Any], vars(value))), None


def _restorer(kind: type[Any]) -> Unflatten:
    def unflatten(extra: Any, children: dict[str, Any]) -> Any:
        value = object.__new__(kind)
        for name, child in children.items():
            object.__setattr__(value, name, child)
        return value

    return unflatten


def node_of(value: Any) -> tuple[tuple[Any, ...], Iterable[Any], Any] | None:
    """Keys, children and extra of a node; None for a leaf."""
    kind = cast(type[Any], type(value))
    if kind is dict:
        # insertion order is kept: it is the order of outputs
        return tuple(value), value.values(), None
    if kind is list or kind is tuple:
        return tuple(range(len(value))), value, None
    if value is None:
        return (), (), None
    if kind in _REGISTERED:
        children, extra = _REGISTERED[kind][0](value)
        return tuple(children), children.values(), extra
    names = _field_names(kind)
    return None if names is None else (names, [getattr(value, name) for name in names], None)


def _field_names(kind: Any) -> tuple[str, ...] | None:
    """The fields of a named tuple or dataclass; None for other classes."""
    if dataclasses.is_dataclass(kind):
        return tuple(field.name for field in dataclasses.fields(kind))
    fields = getattr(kind, "_fields", None)
    return None if fields is None or tuple not in kind.__mro__ else tuple(fields)


def flatten(value: Any) -> tuple[list[Any], Tree]:
    """The leaves in order, and the structure.

    >>> import lamina as lm
    >>> lm.tree.flatten({"a": [1, 2], "b": None})[0]
    [1, 2]
    """
    leaves: list[Any] = []
    return leaves, _flatten(value, leaves)


def _flatten(value: Any, leaves: list[Any]) -> Tree:
    node = node_of(value)
    if node is None:
        leaves.append(value)
        return LEAF
    keys, children, extra = node
    return Tree(
        cast(type[Any], type(value)),
        keys,
        tuple(_flatten(child, leaves) for child in children),
        extra,
    )


def children(value: Any) -> dict[Any, Any]:
    """The children of the top node by key, name or position; none for a leaf."""
    node = node_of(value)
    return {} if node is None else dict(zip(node[0], node[1], strict=True))


def unflatten(tree: Tree, leaves: Iterable[Any]) -> Any:
    """The value with this structure and these leaves.

    >>> import lamina as lm
    >>> leaves, tree = lm.tree.flatten((1, [2]))
    >>> lm.tree.unflatten(tree, [x * 10 for x in leaves])
    (10, [20])
    """
    remaining = iter(leaves)
    value = _unflatten(tree, remaining)
    end = object()
    if next(remaining, end) is not end:
        fail(ArgumentError, f"unflatten: expected {tree.leaves} leaves, found more")
    return value


def _unflatten(tree: Tree, leaves: Any) -> Any:
    kind = tree.kind
    if kind is None:
        try:
            return next(leaves)
        except StopIteration:
            fail(ArgumentError, "unflatten: expected more leaves, found too few")
    children = [_unflatten(child, leaves) for child in tree.children]
    if kind is dict:
        return dict(zip(tree.keys, children, strict=True))
    if kind is list:
        return children
    if kind is tuple:
        return tuple(children)
    if kind is type(None):
        return None
    named = dict(zip(tree.keys, children, strict=True))
    if kind in _REGISTERED:
        return _REGISTERED[kind][1](tree.extra, named)
    if issubclass(kind, tuple):
        return cast(Any, kind)(*children)
    return _restorer(kind)(None, named)


def paths(tree: Tree) -> list[str]:
    """The path of each leaf: keys and field names joined with "/"; "" for a lone leaf.

    >>> import lamina as lm
    >>> lm.tree.paths(lm.tree.flatten({"w": [1, 2]})[1])
    ['w/0', 'w/1']
    """
    if tree.kind is None:
        return [""]
    return [
        f"{key}/{rest}" if rest else str(key)
        for key, child in zip(tree.keys, tree.children, strict=True)
        for rest in paths(child)
    ]


def map_leaves(function: Callable[..., Any], value: Any, *others: Any) -> Any:
    """`function` of each leaf of `value` (and of the leaves of `others`, of equal structure).

    >>> import lamina as lm
    >>> lm.tree.map_leaves(lambda x, y: x + y, {"a": 1}, {"a": 2})
    {'a': 3}
    """
    leaves, tree = flatten(value)
    columns = [leaves]
    for other in others:
        found, structure = flatten(other)
        if structure != tree:
            fail(ArgumentError, "map_leaves: expected trees of equal structure")
        columns.append(found)
    return unflatten(tree, [function(*row) for row in zip(*columns, strict=True)])
