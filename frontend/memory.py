"""Memory that a gradient depends on: how often it was written."""

from __future__ import annotations

from typing import Any, TypeAlias
from weakref import WeakValueDictionary

import numpy as np

NDArray: TypeAlias = np.ndarray[Any, Any]


class Memory:
    """Memory that a gradient depends on: `version` counts the writes to it."""

    __slots__ = ("__weakref__", "root", "version")

    def __init__(self, root: Any) -> None:
        self.root = root
        self.version = 0


MEMORIES: WeakValueDictionary[int, Memory] = WeakValueDictionary()
"""id of the root of a memory -> it, while a tape needs it."""


def memory_root(data: NDArray) -> NDArray:
    """The array at the end of the chain of views."""
    while isinstance(data.base, np.ndarray):
        data = data.base
    return data


def count_write(data: NDArray) -> None:
    """The memory of `data` is about to be written."""
    if MEMORIES and (memory := MEMORIES.get(id(memory_root(data)))) is not None:
        memory.version += 1
