"""Writes to arrays with a gradient, and through views of them, on the tape.

The memory of an array that has views has a history: the newest node of all its elements, flat. A
write makes a new one (a scatter into the old); an array whose memory was written since gets, when
it is used, a node that reads the newest (a gather). So nodes are as if nothing was ever written.
"""

# pyright: reportPrivateUsage=false
from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lamina.errors import MutationError
from lamina.frontend import bind as primitives
from lamina.frontend import dtypes
from lamina.frontend.array import Array, NDArray, wrap
from lamina.frontend.dispatch import CURRENT
from lamina.frontend.location import fail
from lamina.frontend.memory import memory_root
from lamina.frontend.views import EAGER
from lamina.tape_nodes import GradNode, History, Tape, is_grad_enabled


class Before(NamedTuple):
    """What a write needs of the time before it: all elements of the memory, and the update."""

    flat: Array
    update: Array


def is_own(array: Array) -> bool:
    """Whether `array` covers all of its memory."""
    return memory_root(array._data).nbytes == array._data.nbytes


def is_stale(tape: Tape) -> bool:
    """Whether the memory was written since the array got its node."""
    return tape.node is not None and tape.memory.version != tape.version


def refresh(array: Array) -> bool:
    """Let the node of an array be that of its newest elements; whether it is known."""
    tape: Tape | None = array._tape
    if tape is None or not is_stale(tape):
        return True
    history = tape.history
    flat = None if history is None else _newest(array, history)
    if flat is None:
        return False
    if is_own(array) and array._data.flags.c_contiguous:
        node = GradNode("reshape", [flat], [array], {"shape": array.shape})
    else:
        space = {"axes": (0,), "dims": (), "index_dims": tuple(range(array.ndim))}
        index = wrap(_places(array._data))
        node = GradNode("gather", [flat, index], [array], space)
    array._tape = Tape(array, node)
    array._tape.history = history
    return True


def share_history(operand: Array, result: Array) -> None:
    """A view of an array that is no leaf has the same history."""
    tape: Tape = operand._tape
    if tape.node is None or result._tape.memory is not tape.memory:
        return
    if tape.history is None:
        if not is_own(operand):
            return  # of a leaf
        tape.history = History()
    result._tape.history = tape.history


def adopt(array: Array, value: Array) -> None:
    """Part of an array without a gradient is about to be written with one: its values so far are
    constants."""
    recorded = CURRENT.get() is None and is_grad_enabled() and value.requires_grad
    if recorded and is_own(array) and array.dtype in dtypes.FLOATS_OR_COMPLEX:
        array._tape = Tape(array, GradNode("constant", [], [array], {}, lambda _: []))


def before_write(target: Array, value: Array) -> Before | None:
    """Refuse a write of which no gradient could be kept; what it needs of the time before it, None
    where all of the target's memory is written and has no views."""
    if not is_grad_enabled():
        return None
    tape: Tape | None = target._tape
    if tape is None:
        if not is_own(target):
            fail(
                MutationError,
                "write: expected an array with a gradient, or all of one without, found a view of "
                "an array without one; write to the array itself, as x[key] = value",
            )
        return None
    if tape.node is None or (tape.history is None and not is_own(target)):
        what = "one with requires_grad" if tape.node is None else "a view of one with requires_grad"
        fail(
            MutationError,
            f"write: expected an array that is not a leaf of a gradient, found {what}; write under "
            "lm.no_grad(), or to a copy",
        )
    if tape.history is None:
        return None
    if not refresh(target):
        _refuse(target)
    newest = _newest(target, tape.history)
    flat = _first(target) if newest is None else newest
    return Before(flat, primitives.view("reshape", value, shape=(value.size,)))


def after_write(target: Array, value: Array, before: Before | None) -> None:
    """`value` was written to `target`."""
    if not is_grad_enabled():
        return
    if before is None:
        tape: Tape | None = value._tape
        target._tape = None if tape is None else Tape(target, tape.node, tape.output)
        return
    history: History = target._tape.history
    index = wrap(_places(target._data).reshape(-1))
    space = {"kind": "set", "axes": (0,), "dims": (), "index_dims": (0,)}
    history.node = GradNode("scatter", [before.flat, before.update, index], [before.flat], space)
    history.version = target._tape.memory.version
    refresh(target)


def _newest(array: Array, history: History) -> Array | None:
    """All elements of the memory, by the newest write; None if there was none, or another since."""
    if history.node is None or history.version != array._tape.memory.version:
        return None
    flat = wrap(_flat(memory_root(array._data), array))
    flat._tape = Tape(flat, history.node)
    return flat


def _first(array: Array) -> Array:
    """All elements of the memory, by the array that a view was made of."""
    while not is_own(array):
        node = array._tape.node
        if node.name not in EAGER:
            _refuse(array)
        array = node.operands[0]
    if is_stale(array._tape):
        _refuse(array)
    _flat(memory_root(array._data), array)
    if not array._data.flags.c_contiguous:
        order = tuple(reversed(range(array.ndim)))
        array = primitives.view("transpose", array, permutation=order)
    return primitives.view("reshape", array, shape=(array.size,))


def _flat(root: NDArray, array: Array) -> NDArray:
    """The memory of an array as one axis."""
    if root.dtype == array.dtype:
        if root.flags.c_contiguous:
            return root.reshape(-1)
        if root.flags.f_contiguous:
            return root.T.reshape(-1)
    fail(
        MutationError,
        "write: expected a view of contiguous memory of its own dtype, found one of which no "
        "gradient can be kept; write to a copy",
    )


def _places(data: NDArray) -> NDArray:
    """The number of each element in the memory."""
    root: Any = memory_root(data)
    size = data.dtype.itemsize
    start = (data.__array_interface__["data"][0] - root.__array_interface__["data"][0]) // size
    found = np.full(data.shape, start, np.int64)
    for axis, stride in enumerate(data.strides):
        steps = np.arange(data.shape[axis], dtype=np.int64) * (stride // size)
        found += steps.reshape(-1, *[1] * (data.ndim - 1 - axis))
    return found


def _refuse(array: Array) -> None:
    fail(
        MutationError,
        f"write: expected an array with a gradient as {array._tape.node!r} made it, found its "
        "memory written since in a way that no gradient follows; write to a copy",
    )
