"""`vmap` while a trace runs: a region of ops on one example, which then get a batch.

Eager calls make a trace of their own for it, and run what it holds.
"""

# pyright: reportPrivateUsage=false
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from xdsl.ir import Block, SSAValue

from lamina.errors import ArgumentError, MutationError
from lamina.frontend import bind as primitives
from lamina.frontend import tree
from lamina.frontend.array import Array, is_array
from lamina.frontend.dispatch import CURRENT
from lamina.frontend.ir import tensor_type
from lamina.frontend.location import fail, shown
from lamina.frontend.manipulation import moveaxis
from lamina.frontend.recorder import Recorder
from lamina.frontend.scope import Scope, written_in
from lamina.frontend.shapes import axis_index
from lamina.frontend.traced import Storage, TracedArray
from lamina.replay import Replay
from lamina.transforms.batch import batched_block
from lamina.transforms.batching import Batcher
from lamina.vectorize import Call, axes_of


@dataclass(frozen=True)
class _Output:
    """A result of the function: for all examples, or (then `alone`) for any of them."""

    array: Array
    alone: bool


def within_trace(call: Call) -> Any:
    """The result of a call: its ops are part of the program that is traced."""
    structure, outputs = _outputs(call, call.leaves)
    return tree.unflatten(structure, _placed(call, structure, outputs))


def at_once(call: Call) -> Any:
    """The result of an eager call."""
    leaves = [
        leaf if axis is None else moveaxis(leaf, axis, 0)
        for leaf, axis in zip(call.leaves, call.axes, strict=True)
    ]
    recorder = Recorder(replayed=True)
    seen: Any = recorder
    token = CURRENT.set(seen)
    try:
        front = replace(call, axes=[axis if axis is None else 0 for axis in call.axes])
        structure, outputs = _outputs(front, leaves)
        values = [recorder.read(recorder.own(output.array)) for output in outputs]
    finally:
        CURRENT.reset(token)
    replay = Replay(recorder.resources)
    written: list[tuple[Array, Storage]] = []
    for found, storage, _ in recorder.lifted.values():
        array = primitives.as_array("vmap", found)
        replay.values[recorder.entry.args[storage.input]] = array
        if storage.version:
            written.append((array, storage))
    replay.run(list(recorder.entry.ops))
    for array, storage in written:
        primitives.store("vmap", array, replay.values[storage.value])
    arrays = [replay.fresh(value) for value in values]
    made = [_Output(x, output.alone) for x, output in zip(arrays, outputs, strict=True)]
    return tree.unflatten(structure, _placed(call, structure, made))


def _outputs(call: Call, leaves: Sequence[Any]) -> tuple[tree.Tree, list[_Output]]:
    """The results, with the examples along the first axis, in the trace that runs."""
    recorder: Any = CURRENT.get()
    cut = [(number, axis) for number, axis in enumerate(call.axes) if axis is not None]
    sources = [
        recorder.own(moveaxis(primitives.as_array("vmap", leaves[number]), axis, 0))
        for number, axis in cut
    ]
    starts = [recorder.read(source) for source in sources]
    block = Block(arg_types=[tensor_type(x.shape[1:], x.dtype) for x in sources])
    with recorder.region(block, loop=False) as scope:
        examples = [
            recorder.fresh(arg, x.shape[1:], x.dtype, x._position)
            for arg, x in zip(block.args, sources, strict=True)
        ]
        given = list(leaves)
        for (number, _), example in zip(cut, examples, strict=True):
            given[number] = example
        args, kwargs = tree.unflatten(call.structure, given)
        found, structure = tree.flatten(call.function(*args, **kwargs))
        results = [recorder.own(_array(leaf)) for leaf in found]
        values = [recorder.read(array) for array in results]
        finals = [recorder.read(example) for example in examples]
    batched: set[SSAValue] = set(block.args)
    known: dict[SSAValue, SSAValue] = dict(zip(block.args, starts, strict=True))
    b = batched_block(block, recorder.block, call.size, known, batched)
    b.at(recorder._here()[1], {})
    _write_outside(b, scope)
    for source, example, final in zip(sources, examples, finals, strict=True):
        if example._storage.version:
            primitives.store("vmap", source, _result(recorder, b, final, example, True).array)
    outputs = [
        _result(recorder, b, value, array, b.has(value))
        for value, array in zip(values, results, strict=True)
    ]
    scope.drop()
    return structure, outputs


def _array(leaf: Any) -> Array:
    """A leaf of a result as an array."""
    if not is_array(leaf) and not primitives.is_weak(leaf):
        fail(ArgumentError, f"vmap: expected results that are arrays, found {shown(leaf)}")
    return primitives.as_array("vmap", leaf)


def _result(recorder: Any, b: Batcher, value: SSAValue, like: TracedArray, full: bool) -> _Output:
    """A value of an example in the program around."""
    position = recorder._here()[0]
    if not full:
        return _Output(recorder.fresh(b.get(value), like.shape, like.dtype, position), True)
    return _Output(
        recorder.fresh(b.full(value), (b.size, *like.shape), like.dtype, position), False
    )


def _write_outside(b: Batcher, scope: Scope) -> None:
    """What the function wrote to arrays that are not its own. Raises `MutationError` where
    examples differ in it."""
    for storage in written_in([scope]):
        last = scope.entered[storage].last
        if b.has(last):
            fail(
                MutationError,
                "vmap: expected writes to an array that is not cut to be equal in all examples, "
                "found values that differ; return them",
            )
        storage.value = b.get(last)
        storage.version += 1


def _placed(call: Call, structure: tree.Tree, outputs: Sequence[_Output]) -> list[Array]:
    """The results with the axis of the examples where `out_axes` wants it."""
    numbers = tree.unflatten(structure, range(len(outputs)))
    axes = axes_of("out_axes", call.out_axes, numbers)
    placed: list[Array] = []
    for output, axis, name in zip(outputs, axes, tree.paths(structure), strict=True):
        array, which = output.array, f" {name}" if name else ""
        if axis is None and not output.alone:
            fail(
                ArgumentError,
                f"vmap: expected result{which} to be equal in all examples, since its out_axes is "
                "None, found one that depends on what is cut",
            )
        if axis is None:
            placed.append(array)
            continue
        rank = array.ndim + output.alone
        place = axis_index(f"vmap: result{which}", axis, rank)
        if output.alone:
            shape = (*array.shape[:place], call.size, *array.shape[place:])
            dims = tuple(dim for dim in range(rank) if dim != place)
            placed.append(primitives.bind("broadcast", array, dims=dims, shape=shape))
        else:
            placed.append(moveaxis(array, 0, place) if place else array)
    return placed
