"""`nd-to-linalg`: ops with index tensors.

%r = nd.gather %x[%i] axes [0] dims [1] index_dims [0]
// a generic over the space; its body computes the place and reads %x there
%r = linalg.generic ... ins(%i) { index_cast, clamp, linalg.index 1, tensor.extract %x[...] }
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import tensor
from xdsl.dialects.builtin import IntegerAttr, i64
from xdsl.ir import Attribute, Operation, SSAValue

from lamina.dialects import arith, linalg, scf
from lamina.dialects.nd import indexing as nd
from lamina.dialects.nd.base import element_of, ints, is_unsigned
from lamina.lowering.builder import INDEX, Builder, region
from lamina.lowering.linalg_builder import LinalgBuilder, Rule, Size, Sizes, dims_map

Operands = Sequence[SSAValue]


def space_sizes(b: LinalgBuilder, op: nd.IndexedOp, operands: Operands) -> Sizes:
    """The sizes of the space of an index op."""
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


def clamped(b: Builder, value: SSAValue, element: Attribute, size: Size) -> SSAValue:
    """An index tensor's element as an index from 0 to `size` - 1; negative ones count from the
    end first."""
    unsigned = is_unsigned(element)
    index = to_index(b, value, unsigned)
    if isinstance(size, int):
        size, last = b.index(size), b.index(size - 1)
    else:
        last = b.int_op("sub", size, b.index(1))
    if unsigned:
        return b.int_op("minu", index, last)
    zero = b.index(0)
    from_end = b.int_op("add", index, size)
    index = b.select(b.cmpi("slt", index, zero), from_end, index)
    return b.int_op("maxs", b.int_op("mins", index, last), zero)


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


RULES: dict[type[Operation], Rule] = {nd.GatherOp: lower_gather}
