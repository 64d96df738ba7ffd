"""Patterns of `canonicalize-nd` on slices: each reads what its operand was made of, if it can."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from xdsl.dialects.builtin import DYNAMIC_INDEX, TensorType
from xdsl.ir import Attribute, Operation, SSAValue

from lamina.dialects.nd import shape as nd
from lamina.dialects.nd.base import element_of, ints, shape_of
from lamina.transforms.nd_patterns.matching import (
    NdRewriter,
    Pattern,
    axis_of,
    index_constant,
    int_list,
    is_static,
    producer,
)


@dataclass(frozen=True)
class Range:
    """`count` places from `start`, `stride` apart; `whole`: all places of the axis, in order."""

    start: int
    stride: int
    count: int
    whole: bool

    @property
    def last(self) -> int:
        """The last place (before `start` when there is none)."""
        return self.start + (self.count - 1) * self.stride


def ranges_of(op: nd.SliceOp) -> list[Range]:
    """What a slice takes of each axis; of a `?` axis only `whole` says something."""
    bounds = zip(
        shape_of(op.operand), ints(op.starts), ints(op.limits), ints(op.strides), strict=True
    )
    found: list[Range] = []
    for size, start, limit, stride in bounds:
        end = size if limit == -1 else limit
        count = -(-(end - start) // stride)
        whole = start == 0 and stride == 1 and end == size
        found.append(Range(start, stride, count, whole))
    return found


def bounds_of(ranges: list[Range]) -> dict[str, Attribute]:
    """The properties of a slice that takes `ranges`."""
    ends = [-1 if r.whole else r.last + 1 if r.count else r.start for r in ranges]
    return {
        "starts": int_list([r.start for r in ranges]),
        "limits": int_list(ends),
        "strides": int_list([r.stride for r in ranges]),
    }


def _slice(
    b: NdRewriter, op: nd.SliceOp, operand: SSAValue, ranges: list[Range], through: Operation
) -> SSAValue:
    """A slice of `operand` with the result of `op`."""
    return b.make(nd.SliceOp, (operand,), op.result.type, bounds_of(ranges), [through])


def slice_whole(op: nd.SliceOp, _: NdRewriter) -> SSAValue | None:
    """A slice that takes everything."""
    same = op.operand.type == op.result.type
    return op.operand if same and all(r.whole for r in ranges_of(op)) else None


def slice_of_slice(op: nd.SliceOp, b: NdRewriter) -> SSAValue | None:
    """One slice; `?` axes only where one of the two takes all."""
    inner = producer(op.operand, nd.SliceOp)
    if not inner:
        return None
    sizes = shape_of(inner.operand)
    joined: list[Range] = []
    for size, first, second in zip(sizes, ranges_of(inner), ranges_of(op), strict=True):
        if first.whole or second.whole:
            joined.append(second if first.whole else first)
        elif size == DYNAMIC_INDEX:
            return None
        else:
            start = first.start + second.start * first.stride if second.count else first.start
            joined.append(Range(start, first.stride * second.stride, second.count, False))
    if any(size == DYNAMIC_INDEX and not r.whole for size, r in zip(sizes, joined, strict=True)):
        return None
    return _slice(b, op, inner.operand, joined, inner)


def slice_of_concat(op: nd.SliceOp, b: NdRewriter) -> SSAValue | None:
    """Only the inputs that the slice takes something of."""
    inner = producer(op.operand, nd.ConcatOp)
    if not inner or not is_static(op.operand):
        return None
    axis, ranges = axis_of(inner), ranges_of(op)
    taken = ranges[axis]
    if not taken.count:
        return None
    at, offset = 0, 0
    kept: list[SSAValue] = []
    for value in inner.inputs:
        size = shape_of(value)[axis]
        if size and at <= taken.last and at + size > taken.start:
            offset = offset if kept else at
            kept.append(value)
        at += size
    if len(kept) == len(inner.inputs):
        return None
    ranges[axis] = Range(taken.start - offset, taken.stride, taken.count, False)
    if len(kept) == 1:
        return _slice(b, op, kept[0], ranges, inner)
    shape = [*shape_of(inner.result)]
    shape[axis] = sum(shape_of(value)[axis] for value in kept)
    kind = TensorType(element_of(op.result), shape)
    joined = b.make(nd.ConcatOp, kept, kind, inner.properties, [inner])
    return _slice(b, op, joined, ranges, inner)


def slice_of_pad(op: nd.SliceOp, b: NdRewriter) -> SSAValue | None:
    """A slice inside of what was padded, or of the edge only."""
    inner = producer(op.operand, nd.PadOp)
    if not inner or not is_static(op.operand):
        return None
    moved: list[Range] = []
    edge = False
    shape, low = shape_of(inner.operand), ints(inner.low)
    for size, before, r in zip(shape, low, ranges_of(op), strict=True):
        if not r.count:
            return None
        edge = edge or r.last < before or r.start >= before + size
        moved.append(Range(r.start - before, r.stride, r.count, False))
    if edge:
        properties = {"dims": int_list(())}
        return b.make(nd.BroadcastOp, (inner.value,), op.result.type, properties, [inner])
    if any(r.start < 0 or r.last >= size for r, size in zip(moved, shape, strict=True)):
        return None
    return _slice(b, op, inner.operand, moved, inner)


def slice_of_broadcast(op: nd.SliceOp, b: NdRewriter) -> SSAValue | None:
    """A smaller broadcast, of a slice where an axis of the operand is cut."""
    inner = producer(op.operand, nd.BroadcastOp)
    if not inner:
        return None
    ranges, wide = ranges_of(op), shape_of(inner.result)
    if any(size == DYNAMIC_INDEX and not r.whole for size, r in zip(wide, ranges, strict=True)):
        return None
    shape, result = shape_of(inner.operand), shape_of(op.result)
    if result.count(DYNAMIC_INDEX) != len(inner.sizes):
        return None
    everything = Range(0, 1, 0, True)
    own = [
        everything if size == 1 else ranges[dim]
        for size, dim in zip(shape, ints(inner.dims), strict=True)
    ]
    operand = inner.operand
    if not all(r.whole for r in own):
        sizes = [size if r.whole else r.count for size, r in zip(shape, own, strict=True)]
        kind = TensorType(element_of(operand), sizes)
        operand = b.make(nd.SliceOp, (operand,), kind, bounds_of(own))
    operands = (operand, *inner.sizes)
    return b.make(nd.BroadcastOp, operands, op.result.type, inner.properties, [inner])


def dynamic_slice_known(op: nd.DynamicSliceOp, b: NdRewriter) -> SSAValue | None:
    """A window at known places is a slice; one of the whole size is the operand."""
    shape, sizes = shape_of(op.operand), ints(op.sizes)
    if op.operand.type == op.result.type and is_static(op.result):
        return op.operand
    starts = [index_constant(start) for start in op.starts]
    if not is_static(op.operand) or op.extents or None in starts:
        return None
    clamped = [
        max(0, min(start, size - window))
        for start, size, window in zip(cast("list[int]", starts), shape, sizes, strict=True)
    ]
    properties = {
        "starts": int_list(clamped),
        "limits": int_list([s + size for s, size in zip(clamped, sizes, strict=True)]),
        "strides": int_list([1] * len(sizes)),
    }
    return b.make(nd.SliceOp, (op.operand,), op.result.type, properties)


def update_all(op: nd.DynamicUpdateSliceOp, _: NdRewriter) -> SSAValue | None:
    """An update of the whole is the update; one of nothing leaves the operand."""
    if op.update.type == op.result.type and is_static(op.result):
        return op.update
    return op.operand if 0 in shape_of(op.update) else None


PATTERNS: dict[type[Operation], tuple[Pattern, ...]] = {
    nd.SliceOp: (slice_whole, slice_of_slice, slice_of_concat, slice_of_pad, slice_of_broadcast),
    nd.DynamicSliceOp: (dynamic_slice_known,),
    nd.DynamicUpdateSliceOp: (update_all,),
}
