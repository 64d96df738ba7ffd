"""Arguments that overlap in memory while the function writes one of them.

They are traced as views of one storage, the memory that owns them all (`root_of`), which is then
the program's input in their place.
"""

# pyright: reportPrivateUsage=false
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lamina.frontend.array import Array, NDArray, is_array
from lamina.frontend.dtypes import DType
from lamina.frontend.guards import Guard
from lamina.frontend.shapes import Shape
from lamina.frontend.traced import TracedArray
from lamina.frontend.views import Step, view_steps


@dataclass(frozen=True)
class Member:
    """An argument (`leaf`) or captured array (`guard`) that is a view of a shared memory.

    offset and strides are in bytes, from the start of the root.
    """

    name: str
    leaf: int
    guard: Guard | None
    offset: int
    shape: Shape
    strides: Shape
    dtype: DType

    def read(self, leaves: Sequence[Any]) -> Any:
        """The array at a call with these leaves."""
        return leaves[self.leaf] if self.guard is None else self.guard.read()


@dataclass(frozen=True)
class Alias:
    """Arrays that share memory: the program's input number `input` is the root of them all."""

    input: int
    members: tuple[Member, ...]

    def why_not(self, leaves: Sequence[Any]) -> str | None:
        """Why the arrays of a call do not lie in one memory as traced, or None."""
        root: NDArray | None = None
        for member in self.members:
            array = member.read(leaves)
            if not is_array(array):
                return f"{member.name} of type {type(array).__name__}, not an array"
            data = memory_of(array)
            root = root_of(array) if root is None else root
            found = offset_in(root, data), data.shape, data.strides, data.dtype
            if found != (
                member.offset,
                member.shape,
                member.strides,
                member.dtype,
            ):
                return f"{member.name} elsewhere in the memory that it shares"
        return None


def memory_of(array: Array | NDArray) -> NDArray:
    """The NumPy array of an eager array."""
    return array._data if isinstance(array, Array) else array


def root_of(array: Array | NDArray) -> NDArray:
    """The NumPy array that owns the memory of `array`."""
    data = memory_of(array)
    while isinstance(data.base, np.ndarray):
        data = data.base
    return data


def offset_in(root: NDArray, data: NDArray) -> int:
    """Bytes from the start of `root` to the first element of `data`."""
    start: int = root.__array_interface__["data"][0]
    return data.__array_interface__["data"][0] - start


def find_shared(
    arrays: Sequence[Any], written: Sequence[bool]
) -> dict[int, tuple[NDArray, list[Step]]]:
    """id of each array that overlaps a written one, or is written and overlapped -> its root and
    the view steps from there. Arrays that no slices of the root make are left out."""
    shared: dict[int, tuple[NDArray, list[Step]]] = {}
    for position, array in enumerate(arrays):
        if not is_array(array) or isinstance(array, TracedArray):
            continue
        for other_position, other in enumerate(arrays):
            if (
                position != other_position
                and (written[position] or written[other_position])
                and is_array(other)
                and not isinstance(other, TracedArray)
                and np.may_share_memory(memory_of(array), memory_of(other))
            ):
                root = root_of(array)
                steps = view_steps(root, memory_of(array))
                if steps is not None:
                    shared[id(array)] = root, steps
                break
    return shared
