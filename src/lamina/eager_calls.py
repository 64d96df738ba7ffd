"""`jit(mode="auto")`: calls run eagerly until their types and shapes come a second time."""

# pyright: reportPrivateUsage=false
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from lamina.frontend import bind as primitives
from lamina.frontend import tree
from lamina.frontend.array import Array, is_array, is_ndarray, is_numpy_scalar
from lamina.frontend.tree import Tree

MOST = 10_000
"""Signatures that are remembered; older ones are forgotten first."""


class EagerCalls:
    """The calls of one function that ran eagerly, by signature."""

    def __init__(self) -> None:
        self.seen: dict[Any, None] = {}
        self.calls = 0

    def repeated(self, leaves: Sequence[Any], structure: Tree) -> bool:
        """Whether a call of this signature came before; from now on it did."""
        key = structure, tuple(map(_kind, leaves))
        if key in self.seen:
            return True
        if len(self.seen) >= MOST:
            del self.seen[next(iter(self.seen))]
        self.seen[key] = None
        self.calls += 1
        return False

    def notes(self) -> list[str]:
        """What `explain` says of them."""
        if not self.calls:
            return []
        first = "1 call" if self.calls == 1 else f"{self.calls} calls"
        return [f"{first} ran eagerly: the types and shapes of the arguments came the first time"]


def _kind(leaf: Any) -> Any:
    """What of a leaf belongs to a signature."""
    if is_array(leaf) or is_numpy_scalar(leaf):
        return leaf.dtype, leaf.shape
    if isinstance(leaf, (bool, int, float)):
        return type(leaf)
    try:
        hash(leaf)
    except TypeError:
        return type(leaf), id(leaf)
    return type(leaf), leaf


def call_eagerly(function: Callable[..., Any], args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    """`function` as compiled code would do it: NumPy arrays are ours, on their memory; results are
    arrays of ours that share no memory with an argument."""
    given_args, given_kwargs = tree.map_leaves(_ours, (tuple(args), kwargs))
    arguments = [
        x._data for x in tree.flatten((given_args, given_kwargs))[0] if isinstance(x, Array)
    ]

    def fresh(leaf: Any) -> Any:
        if not is_array(leaf) and not is_numpy_scalar(leaf):
            return leaf
        array = primitives.as_array("jit", leaf)
        shared = any(np.may_share_memory(array._data, argument) for argument in arguments)
        return primitives.duplicate(array) if shared else array

    return tree.map_leaves(fresh, function(*given_args, **given_kwargs))


def _ours(leaf: Any) -> Any:
    numpy = is_ndarray(leaf) or is_numpy_scalar(leaf)
    return primitives.as_array("jit", leaf) if numpy else leaf
