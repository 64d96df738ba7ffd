"""One compiled version of a function: what a call must look like, and the call, in Python."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from lamina import call_sizes
from lamina.donation import check_leaves, take
from lamina.errors import MutationError, TraceError
from lamina.frontend import dtypes, tree
from lamina.frontend.aliases import root_of
from lamina.frontend.array import Array, observe, wrap
from lamina.frontend.location import fail
from lamina.frontend.memory import count_write
from lamina.frontend.tree import Tree
from lamina.tape import is_grad_enabled

if TYPE_CHECKING:
    from lamina.backend.entry_spec import Signature
    from lamina.executable import Executable
    from lamina.frontend.guards import Guard
    from lamina.frontend.trace import Input


class Changed(str):
    """A reason that lies in what the function reads, not in the call."""

    __slots__ = ()


class Version:
    """One compiled version of a function, checked and called in Python: the readable reference
    of the native entry, and the path of all that the native entry cannot check."""

    signature: Signature | None = None

    def __init__(self, exe: Executable, leaves: Sequence[Any]) -> None:
        self.exe = exe
        self.trace = exe.trace
        self.pinned = {i.leaf: leaves[i.leaf] for i in exe.trace.inputs if i.pinned is not None}

    def why_not(self, leaves: Sequence[Any], structure: Tree) -> str | None:
        """Why this version does not fit a call, or None."""
        if structure != self.trace.arguments:
            return "arguments of another structure"
        for given in self.trace.inputs:
            if given.is_root:  # its views are checked below
                continue
            reason = (
                self.why_not_captured(given)
                if given.leaf < 0
                else why_not_input(given, leaves[given.leaf], self.pinned)
            )
            if reason is not None:
                return reason
        if self.trace.axes and (reason := call_sizes.why_not(self.trace, self.sized(leaves))):
            return reason
        for alias in self.trace.aliases:
            if (reason := alias.why_not(leaves)) is not None:
                return reason
        for position, value in self.trace.static:
            if not _same(leaves[position], value):
                return f"the value {leaves[position]!r}, not {value!r}"
        for guard in self.trace.guards:
            if not guard.holds():
                return Changed(guard.explain())
        overlap = self.overlap(self.arrays(leaves))
        return None if overlap is None else f"{overlap[0]} in memory that {overlap[1]} shares"

    def sized(self, leaves: Sequence[Any]) -> list[Any]:
        """What has the shapes of the inputs."""
        return [
            leaves[given.leaf] if given.leaf >= 0 and given.weak is None else given
            for given in self.trace.inputs
        ]

    @staticmethod
    def why_not_captured(given: Input) -> str | None:
        """Why a captured array does not fit, or None."""
        if given.guard is None:
            return f"an array of an outer trace ({given.name})"
        return None if given.guard.holds() else Changed(given.guard.explain())

    def run(self, leaves: Sequence[Any]) -> Any:
        """Call `main`, write back what it wrote, and build the result."""
        trace_ = self.trace
        check_leaves(trace_, leaves)
        arrays = self.arrays(leaves)
        self.check_written(arrays)
        take(trace_, leaves, arrays)
        results = self.exe.call(arrays)
        first = len(results) - len(trace_.written)
        for source, value in zip(trace_.written, results[first:], strict=True):
            count_write(arrays[source])
            if value is not arrays[source]:
                np.copyto(arrays[source], value)
        found: list[Any] = []
        for leaf in trace_.results:
            if leaf.index is None:
                found.append(leaf.value)
            elif leaf.weak is not None:
                found.append(results[leaf.index].item())
            else:
                found.append(wrap(results[leaf.index]))
        return tree.unflatten(trace_.result_tree, found)

    def arrays(self, leaves: Sequence[Any]) -> list[Any]:
        """The arguments of `main`: leaves of the call, and captured arrays read again."""
        arrays: list[Any] = []
        for given in self.trace.inputs:
            value = leaves[given.leaf] if given.guard is None else read_captured(given.guard)
            if given.is_root:
                arrays.append(root_of(value))
                continue
            data = observe(value) if isinstance(value, Array) else value
            arrays.append(np.asarray(data, given.dtype) if given.weak else np.asarray(data))
        return arrays

    def overlap(self, arrays: Sequence[Any]) -> tuple[str, str] | None:
        """The names of a written array and of another that shares memory with it, or None."""
        inputs = self.trace.inputs
        for source in self.trace.written:
            for other, array in enumerate(arrays):
                if other != source and np.may_share_memory(array, arrays[source]):
                    return inputs[source].name, inputs[other].name
        return None

    def check_written(self, arrays: Sequence[Any]) -> None:
        """Refuse arguments that cannot be written, or that others share memory with."""
        for source in self.trace.written:
            name, array = self.trace.inputs[source].name, arrays[source]
            if not array.flags.writeable:
                fail(
                    MutationError,
                    f"{name}: expected a writable array, since the function writes it, "
                    "found a read-only one; pass a copy",
                )
        if (overlap := self.overlap(arrays)) is not None:
            fail(
                MutationError,
                f"{overlap[0]}: expected an array of its own memory, since the function writes "
                f"it, found one that overlaps {overlap[1]}; pass a copy of one of the two",
            )


def read_captured(guard: Guard) -> Any:
    """A captured array as it is now. Raises `TraceError` for one that has a gradient by now."""
    value = guard.read()
    if isinstance(value, Array) and value.requires_grad and is_grad_enabled():
        fail(
            TraceError,
            f"jit: expected an array with a gradient as an argument, found the captured "
            f"{guard.path}; pass it, or use detach() for its values alone",
        )
    return value


def why_not_input(given: Input, leaf: Any, pinned: Mapping[int, Any]) -> str | None:
    """Why a leaf of a call does not fit an input, or None."""
    if given.weak is not None:
        if type(leaf).__name__ != given.weak:
            return f"{given.name} of type {type(leaf).__name__}, not {given.weak}"
        if given.leaf in pinned and leaf != pinned[given.leaf]:
            return f"{given.name} = {leaf!r}, not {pinned[given.leaf]!r} ({given.pinned})"
        if given.low is not None and leaf < given.low:
            return f"{given.name} = {leaf!r}, below {given.low}"
        if given.high is not None and leaf > given.high:
            return f"{given.name} = {leaf!r}, above {given.high}"
        return None
    arrays: Any = Array | np.ndarray | np.generic  # keeps `leaf` of any type
    if not isinstance(leaf, arrays):
        return f"{given.name} of type {type(leaf).__name__}, not an array"
    if not call_sizes.fits(leaf.shape, given.shape) or dtypes.normalize(leaf.dtype) != given.dtype:
        return f"{given.name}: {leaf.dtype} of shape {leaf.shape}"
    return None


def _same(found: Any, expected: Any) -> bool:
    if found is expected:
        return True
    return type(found) is type(expected) and bool(found == expected)
