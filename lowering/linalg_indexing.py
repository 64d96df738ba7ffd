"""`nd-to-linalg`: ops with index tensors.

%r = nd.gather %x[%i] axes [0] dims [1] index_dims [0]
// a generic over the space; its body computes the place and reads %x there
%r = linalg.generic ... ins(%i) { index_cast, clamp, linalg.index 1, tensor.extract %x[...] }
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from xdsl.dialects import tensor
from xdsl.dialects.builtin import IntegerAttr, i64
from xdsl.ir import Attribute, Operation, SSAValue

from lamina.dialects import arith, linalg, scf
from lamina.dialects.nd import indexing as nd
from lamina.dialects.nd.base import element_of, ints, is_unsigned, shape_of
from lamina.lowering.builder import INDEX, Builder, region
from lamina.lowering.element_loops import call_loops, get, independent, long_for, put
from lamina.lowering.linalg_builder import (
    LinalgBuilder,
    Rule,
    Size,
    Sizes,
    dims_map,
    to_memory,
    to_register,
)
from lamina.lowering.linalg_reductions import combine
from lamina.lowering.loops.nest import LoopBuilder

Operands = Sequence[SSAValue]


def space_sizes(b: LinalgBuilder, op: nd.GatherOp, operands: Operands) -> Sizes:
    """The sizes of the space of a gather."""
    axes, dims, index_dims = ints(op.axes), ints(op.dims), ints(op.index_dims)
    walked = (size for axis, size in enumerate(b.sizes_of(operands[0])) if axis not in axes)
    sizes: dict[int, Size] = dict(zip(dims, walked, strict=True))
    for dim, size in zip(index_dims, b.sizes_of(operands[1]), strict=True):
        if isinstance(size, int) or dim not in sizes:  # a static size is sure
            sizes[dim] = size
    return tuple(sizes[dim] for dim in range(len(sizes)))


def to_index(b: Builder, value: SSAValue, unsigned: bool) -> SSAValue:
    """An integer as an index; an unsigned one of 2^63 or more becomes negative."""
    return b.cast(arith.IndexCastUIOp if unsigned else arith.IndexCastOp, value, INDEX)


def from_end(b: Builder, value: SSAValue, element: Attribute, size: SSAValue) -> SSAValue:
    """An index tensor's element as an index; negative ones count from the end."""
    index = to_index(b, value, is_unsigned(element))
    if is_unsigned(element):
        return index
    total = b.int_op("add", index, size)
    return b.select(b.cmpi("slt", index, b.index(0)), total, index)


def clamped(b: Builder, value: SSAValue, element: Attribute, size: Size) -> SSAValue:
    """An index tensor's element as an index from 0 to `size` - 1; negative ones count from the
    end first."""
    if isinstance(size, int):
        size, last = b.index(size), b.index(size - 1)
    else:
        last = b.int_op("sub", size, b.index(1))
    index = from_end(b, value, element, size)
    if is_unsigned(element):
        return b.int_op("minu", index, last)
    return b.int_op("maxs", b.int_op("mins", index, last), b.index(0))


def _gather(b: LinalgBuilder, op: nd.GatherOp, operands: Operands, space: Sizes) -> SSAValue:
    """The generic of a gather."""
    axes, dims = ints(op.axes), ints(op.dims)
    source, indices = operands[0], operands[1:]
    elements = [element_of(index) for index in op.indices]
    sizes = b.sizes_of(source)

    def body(inner: Builder, args: Operands) -> SSAValue:
        given = dict(zip(axes, zip(args, elements, strict=True), strict=True))
        left = iter(dims)
        places: list[SSAValue] = []
        for axis, size in enumerate(sizes):
            if axis in given:
                places.append(clamped(inner, *given[axis], size))
            else:
                dim = IntegerAttr(next(left), i64)
                places.append(inner.value(linalg.IndexOp, (), INDEX, {"dim": dim}))
        return inner.value(tensor.ExtractOp, (source, *places), element_of(source))

    index_map = dims_map(len(space), ints(op.index_dims))
    return b.map([(index, index_map) for index in indices], space, element_of(source), body)


def lower_gather(b: LinalgBuilder, op: Operation, operands: Operands) -> SSAValue:
    """A generic over the space that reads the operand at a computed place.

    An axis of run-time size may be empty: then nothing is read.
    """
    assert isinstance(op, nd.GatherOp)
    space = space_sizes(b, op, operands)
    sizes = b.sizes_of(operands[0])
    unknown = [sizes[axis] for axis in ints(op.axes) if not isinstance(sizes[axis], int)]
    if not unknown:
        return _gather(b, op, operands, space)
    flags = [b.cmpi("ne", b.size_value(size), b.index(0)) for size in unknown]
    flag = flags[0]
    for other in flags[1:]:
        flag = b.int_op("and", flag, other)
    element = element_of(operands[0])
    full, empty = b.nested(), b.nested()
    full.add(scf.YieldOp, (_gather(full, op, operands, space),))
    empty.add(scf.YieldOp, (empty.fill(space, empty.number(0, element)),))
    regions = (region(full.ops), region(empty.ops))
    return b.known(
        b.add(scf.IfOp, (flag,), (b.typed(space, element),), regions=regions).results[0], space
    )


@dataclass(frozen=True)
class _Scatter:
    """What one function of a scatter does."""

    kind: str
    axes: tuple[int, ...]
    dims: tuple[int, ...]
    index_dims: tuple[int, ...]
    element: Attribute
    index_elements: tuple[Attribute, ...]

    def emit(self, b: LoopBuilder, inputs: Operands, outs: Operands) -> Operands:
        """The loops over the space, in row-major order: dims that are axes of the operand alone
        come first, since there each place writes elements of its own."""
        updates = inputs[0]
        sizes = [b.dim(updates, d) for d in range(len(shape_of(updates)))]
        known = 1 + max(self.index_dims, default=-1)
        return self.loops(b, inputs, outs, sizes, [], known)

    def loops(
        self, b: LoopBuilder, inputs: Operands, outs: Operands, sizes: list[Size],
        at: list[Size], known: int,
    ) -> Operands:  # fmt: skip
        """The loops over the dims after `at`; with `known` of them the indices are known."""
        depth = len(at)
        if depth == known:
            return self.where_inside(b, inputs, outs, sizes, at)
        cost = self.cost(sizes[depth + 1 :])

        def trip(inner: LoopBuilder, i: SSAValue, carried: Operands) -> Operands:
            return self.loops(inner, inputs, carried, sizes, [*at, i], known)

        if depth in self.dims:
            return independent(b, sizes[depth], 1, cost, outs, trip)
        return long_for(b, 0, sizes[depth], outs, trip)

    @staticmethod
    def cost(sizes: Sequence[Size]) -> int:
        """The work at one place of the dims before `sizes`."""
        return 4 * prod(size if isinstance(size, int) else 64 for size in sizes)

    def where_inside(
        self, b: LoopBuilder, inputs: Operands, outs: Operands, sizes: list[Size], at: list[Size]
    ) -> Operands:
        """The inner loops, at a place whose indices are known and in range."""
        index_at = [at[d] for d in self.index_dims]
        places: dict[int, SSAValue] = {}
        inside: SSAValue | None = None
        for axis, index, element in zip(self.axes, inputs[1:], self.index_elements, strict=True):
            size = b.size(b.dim(outs[0], axis))
            place = from_end(b, get(b, index, *index_at), element, size)
            # unsigned: what is before the start is beyond every size
            here = b.cmpi("ult", place, size)
            inside = here if inside is None else b.int_op("and", inside, here)
            places[axis] = place
        assert inside is not None

        def update(inner: LoopBuilder) -> Operands:
            return self.inner(inner, inputs[0], outs, sizes, at, places)

        return b.if_(inside, [outs[0].type], update, lambda _: outs)

    def inner(
        self, b: LoopBuilder, updates: SSAValue, outs: Operands, sizes: list[Size],
        at: list[Size], places: dict[int, SSAValue],
    ) -> Operands:  # fmt: skip
        """The loops over the dims after `at`, and the update of one element."""
        if len(at) < len(sizes):
            return b.for_(
                0, sizes[len(at)], 1, outs,
                lambda i, d, carried: self.inner(i, updates, carried, sizes, [*at, d], places),
            )  # fmt: skip
        left = iter(self.dims)
        rank = len(shape_of(outs[0]))
        place = [places[axis] if axis in places else at[next(left)] for axis in range(rank)]
        value = get(b, updates, *at)
        if self.kind != "set":
            value = self.combined(b, get(b, outs[0], *place), value)
        return (put(b, value, outs[0], *place),)

    def combined(self, b: LoopBuilder, old: SSAValue, value: SSAValue) -> SSAValue:
        """`old` with one update, rounded once."""
        kind = {"add": "sum", "mul": "prod"}.get(self.kind, self.kind)
        wide = [to_register(b, v, self.element) for v in (old, value)]
        total = combine(b, kind, wide[1], wide[0], is_unsigned(self.element))
        return to_memory(b, total, self.element)


def lower_scatter(b: LinalgBuilder, op: Operation, operands: Operands) -> SSAValue:
    """Loops over the updates that change the operand, in place where nobody reads it later."""
    assert isinstance(op, nd.ScatterOp)
    x, *inputs = operands
    plan = _Scatter(
        op.kind.data,
        ints(op.axes),
        ints(op.dims),
        ints(op.index_dims),
        element_of(op.operand),
        tuple(element_of(index) for index in op.indices),
    )
    return call_loops(b, "scatter", (plan,), inputs, [x], plan.emit)[0]


RULES: dict[type[Operation], Rule] = {nd.GatherOp: lower_gather, nd.ScatterOp: lower_scatter}
