"""Ops that move elements: the axes that they name are one further back."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import TensorType, i1, i64
from xdsl.ir import SSAValue

from lamina.dialects.nd import NdOp
from lamina.dialects.nd.base import element_of, shape_of
from lamina.transforms.batching.batcher import Batcher, Rule, moved


def batch_broadcast(b: Batcher, op: NdOp) -> SSAValue:
    operand, *sizes = op.operands
    if any(map(b.has, sizes)):
        b.fail(op, "expected sizes that are equal in all examples")
    dims = (0, *moved(op.params()["dims"]))
    return b.like(op, [b.full(operand), *map(b.get, sizes)], dims=dims)


def batch_reshape(b: Batcher, op: NdOp) -> SSAValue:
    operand, *sizes = op.operands
    if any(map(b.has, sizes)):
        b.fail(op, "expected sizes that are equal in all examples")
    return b.like(op, [b.full(operand), *map(b.get, sizes)])


def batch_transpose(b: Batcher, op: NdOp) -> SSAValue:
    permutation = (0, *moved(op.params()["permutation"]))
    return b.like(op, [b.full(op.operands[0])], permutation=permutation)


def batch_reverse(b: Batcher, op: NdOp) -> SSAValue:
    return b.like(op, [b.full(op.operands[0])], axes=moved(op.params()["axes"]))


def batch_concat(b: Batcher, op: NdOp) -> SSAValue:
    return b.like(op, [b.full(x) for x in op.operands], axis=op.params()["axis"] + 1)


def batch_pad(b: Batcher, op: NdOp) -> SSAValue:
    """A value that differs between examples is put where the padding of a mask is."""
    operand, value = op.operands
    p = op.params()
    low, high = (0, *p["low"]), (0, *p["high"])
    if not b.has(value):
        return b.like(op, [b.full(operand), b.get(value)], low=low, high=high)
    zero = b.zero(element_of(value))
    padded = b.like(op, [b.full(operand), zero], low=low, high=high)
    yes = b.stretched(b.e.constant(1, i1), (), like=b.full(operand))
    inside = b.e.make(
        "pad", (yes, b.e.constant(0, i1)), TensorType(i1, shape_of(padded)),
        b.properties(low=low, high=high),
    )  # fmt: skip
    return b.e.bind("select", inside, padded, b.stretched(b.full(value), (0,), like=padded))


def batch_slice(b: Batcher, op: NdOp) -> SSAValue:
    p = op.params()
    starts, limits, strides = (0, *p["starts"]), (b.size, *p["limits"]), (1, *p["strides"])
    operand = b.full(op.operands[0])
    return b.like(op, [operand], starts=starts, limits=limits, strides=strides)


def batch_dynamic_slice(b: Batcher, op: NdOp) -> SSAValue:
    """Starts that differ between examples make it a gather."""
    operand, *starts = op.operands
    sizes: tuple[int, ...] = op.params()["sizes"]
    if not any(map(b.has, starts)):
        places = [b.index(0), *map(b.get, starts)]
        return b.like(op, [b.full(operand), *places], sizes=(b.size, *sizes))
    if -1 in sizes:
        b.fail(op, "expected a window of a static size, since its place differs between examples")
    axes = _cut(operand, sizes)
    if not axes:
        return b.full(operand)
    rest = [axis for axis in range(len(sizes)) if axis not in axes]
    many = b.has(operand)
    return b.e.make(
        "gather",
        (b.get(operand), *_places(b, operand, starts, sizes, axes)),
        b.type(op.results[0]),
        b.properties(
            axes=moved(axes) if many else axes,
            dims=(0, *moved(rest)) if many else moved(rest),
            index_dims=(0, *moved(axes)),
        ),
    )


def batch_dynamic_update_slice(b: Batcher, op: NdOp) -> SSAValue:
    """Starts that differ between examples make it a scatter."""
    operand, update, *starts = op.operands
    if not any(map(b.has, starts)):
        places = [b.index(0), *map(b.get, starts)]
        return b.like(op, [b.full(operand), b.full(update), *places])
    sizes = shape_of(update)
    axes = _cut(operand, sizes)
    if not axes:
        return b.full(update)
    rest = [axis for axis in range(len(sizes)) if axis not in axes]
    return b.e.make(
        "scatter",
        (b.full(operand), b.full(update), *_places(b, operand, starts, sizes, axes)),
        b.type(op.results[0]),
        b.properties(
            kind="set",
            axes=moved(axes),
            dims=(0, *moved(rest)),
            index_dims=(0, *moved(axes)),
        ),
    )


def _cut(operand: SSAValue, sizes: Sequence[int]) -> list[int]:
    """The axes of which a window is a part: on others each start is clamped to 0."""
    shape = shape_of(operand)
    return [axis for axis, size in enumerate(sizes) if size != shape[axis]]


def _places(
    b: Batcher, operand: SSAValue, starts: Sequence[SSAValue], sizes: Sequence[int],
    axes: Sequence[int],
) -> list[SSAValue]:  # fmt: skip
    """Tensors (batch, *sizes of axes) of where the elements of a window are on each of `axes`."""
    shape = (b.size, *(sizes[axis] for axis in axes))
    type = TensorType(i64, shape)
    found: list[SSAValue] = []
    for number, axis in enumerate(axes):
        start = b.full(starts[axis])
        size = b.extent(b.get(operand), axis + b.has(operand), start)
        last = b.e.bind("subtract", size, b.number(sizes[axis], start))
        start = b.e.bind("maximum", b.e.bind("minimum", start, last), b.number(0, start))
        start = b.e.make("broadcast", (start,), type, b.properties(dims=(0,)))
        if sizes[axis] != 1:
            step = b.e.make("iota", (), type, b.properties(axis=1 + number))
            start = b.e.bind("add", start, step)
        found.append(start)
    return found


def batch_from_index(b: Batcher, op: NdOp) -> SSAValue:
    """A number that differs between examples is a tensor already; so for `to_index`."""
    return b.get(op.operands[0])


def batch_dim(b: Batcher, op: NdOp) -> SSAValue:
    """The size is equal in all examples."""
    return b.e.make(
        "dim",
        (b.get(op.operands[0]),),
        op.results[0].type,
        b.properties(axis=op.params()["axis"] + 1),
    )


RULES: dict[str, Rule] = {
    "broadcast": batch_broadcast,
    "reshape": batch_reshape,
    "transpose": batch_transpose,
    "reverse": batch_reverse,
    "concat": batch_concat,
    "pad": batch_pad,
    "slice": batch_slice,
    "dynamic_slice": batch_dynamic_slice,
    "dynamic_update_slice": batch_dynamic_update_slice,
    "from_index": batch_from_index,
    "to_index": batch_from_index,
    "dim": batch_dim,
}
