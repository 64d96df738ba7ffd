"""`nd-to-linalg`: reductions and contractions become generics with reduction dims.

Half types accumulate in f32 and are rounded once, by a generic of its own. Adjacent axes are
reduced together; others one group after the other, so that each has one plain order.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import cast

from xdsl.dialects.builtin import (
    IntegerAttr,
    IntegerType,
    i1,
    i64,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineExpr, AffineMap

from lamina.dialects import arith, linalg
from lamina.dialects.nd import contraction, reduction
from lamina.dialects.nd.base import element_of, ints, is_float, is_unsigned, shape_of
from lamina.lowering.builder import INDEX, Builder
from lamina.lowering.linalg_builder import (
    LinalgBuilder,
    Rule,
    Size,
    compute_element,
    dims_map,
    memory_element,
    to_memory,
)
from lamina.lowering.linalg_movement import expand_dims, merge_dims, pad
from lamina.lowering.scalar_ops import resize_float

Operands = Sequence[SSAValue]


def identity_element(kind: str, element: Attribute) -> float:
    """The start of a reduction: combining it with x gives x. `element` is an `nd` type."""
    if kind in ("max", "min") and is_float(element):
        return float("-inf") if kind == "max" else float("inf")
    if kind in ("max", "min"):
        width = cast(IntegerType, element).width.data
        unsigned = is_unsigned(element)
        smallest = 0 if unsigned else -(1 << (width - 1))
        largest = (1 << width) - 1 if unsigned else (1 << (width - 1)) - 1
        return smallest if kind == "max" else largest
    return {"sum": 0, "prod": 1, "and": 1, "or": 0}[kind]


def combine(b: Builder, kind: str, lhs: SSAValue, rhs: SSAValue, unsigned: bool) -> SSAValue:
    """One step of a reduction on register or memory scalars."""
    name = {"sum": "add", "prod": "mul"}.get(kind, kind)
    if is_float(lhs.type):
        return b.float_op(name, lhs, rhs)
    if kind in ("max", "min"):
        name += "u" if unsigned else "s"
    return b.int_op(name, lhs, rhs)


def axis_groups(axes: Sequence[int]) -> list[list[int]]:
    """Runs of adjacent axes, the last run first (its removal keeps the others' numbers)."""
    groups: list[list[int]] = []
    for axis in sorted(axes):
        if groups and groups[-1][-1] == axis - 1:
            groups[-1].append(axis)
        else:
            groups.append([axis])
    return groups[::-1]


def accumulator(element: Attribute) -> Attribute:
    """The element type in which a reduction of an `nd` element accumulates."""
    return memory_element(element) if element == i1 else compute_element(element)


def widen(b: Builder, value: SSAValue, target: Attribute) -> SSAValue:
    """A half element as f32; others as they are."""
    return resize_float(b, value, target) if is_float(target) else value


def rounded(b: LinalgBuilder, value: SSAValue, element: Attribute) -> SSAValue:
    """An f32 accumulator as the half type `element`; others as they are."""
    if element_of(value) == memory_element(element):
        return value
    sizes = b.sizes_of(value)
    identity = AffineMap.identity(len(sizes))
    return b.map(
        [(value, identity)],
        sizes,
        memory_element(element),
        lambda inner, args: to_memory(inner, args[0], element),
    )


def _filled(b: LinalgBuilder, sizes: tuple[Size, ...], number: float, type: Attribute) -> SSAValue:
    return b.fill(sizes, b.number(number, type))


def lower_reduce(b: LinalgBuilder, op: Operation, operands: Operands) -> SSAValue:
    """One generic for each run of adjacent axes."""
    assert isinstance(op, reduction.ReduceOp)
    kind, element = op.kind.data, element_of(op.operand)
    type, value = accumulator(element), operands[0]
    unsigned = is_unsigned(element)
    for group in axis_groups(ints(op.axes)):
        sizes = b.sizes_of(value)
        rank = len(sizes)
        kept = [d for d in range(rank) if d not in group]
        start = identity_element(kind, element)
        init = _filled(b, tuple(sizes[d] for d in kept), start, type)

        def body(inner: Builder, args: Operands) -> Operands:
            # the value first: `acc + a * b` would be a contraction's sum, which may be fused
            return (combine(inner, kind, widen(inner, args[0], type), args[1], unsigned),)

        iterators = "".join("r" if d in group else "p" for d in range(rank))
        source = (value, AffineMap.identity(rank))
        (value,) = b.generic([source], [(init, dims_map(rank, kept))], iterators, body)
    return rounded(b, value, element)


def lower_arg(b: LinalgBuilder, op: Operation, operands: Operands) -> SSAValue:
    """A generic with two results: the extreme so far, and its index."""
    assert isinstance(op, reduction.ArgOp)
    element, axis = element_of(op.operand), op.axis.value.data
    largest = isinstance(op, reduction.ArgmaxOp)
    sizes, type, unsigned = b.sizes_of(operands[0]), accumulator(element), is_unsigned(element)
    kept = [d for d in range(len(sizes)) if d != axis]
    out_sizes = tuple(sizes[d] for d in kept)
    start = identity_element("max" if largest else "min", element)
    inits = (_filled(b, out_sizes, start, type), _filled(b, out_sizes, 0, i64))

    def body(inner: Builder, args: Operands) -> Operands:
        value, best = widen(inner, args[0], type), args[1]
        index = inner.value(linalg.IndexOp, (), INDEX, {"dim": IntegerAttr(axis, i64)})
        number = inner.cast(arith.IndexCastOp, index, i64)
        if is_float(type):
            better = inner.cmpf("ogt" if largest else "olt", value, best)
            new_nan = inner.cmpf("uno", value, value)
            fresh = inner.int_op("and", new_nan, inner.cmpf("ord", best, best))
            better = inner.int_op("or", better, fresh)
        else:
            sign = "u" if unsigned else "s"
            better = inner.cmpi(f"{sign}{'gt' if largest else 'lt'}", value, best)
        return (inner.select(better, value, best), inner.select(better, number, args[2]))

    rank = len(sizes)
    out = dims_map(rank, kept)
    iterators = "".join("r" if d == axis else "p" for d in range(rank))
    source = (operands[0], AffineMap.identity(rank))
    return b.generic([source], [(i, out) for i in inits], iterators, body)[1]


def _product(b: Builder, args: Operands, type: Attribute) -> SSAValue:
    lhs, rhs = widen(b, args[0], type), widen(b, args[1], type)
    return b.float_op("mul", lhs, rhs) if is_float(type) else b.int_op("mul", lhs, rhs)


def _multiply(type: Attribute, element: Attribute) -> Callable[[Builder, Operands], SSAValue]:
    """A product alone: with nothing to contract there is no sum."""

    def body(inner: Builder, args: Operands) -> SSAValue:
        product = _product(inner, args, type)
        return to_memory(inner, product, element) if is_float(type) else product

    return body


def _multiply_add(type: Attribute) -> Callable[[Builder, Operands], Operands]:
    def body(inner: Builder, args: Operands) -> Operands:
        product = _product(inner, args, type)
        add = inner.float_op if is_float(type) else inner.int_op
        return (add("add", args[2], product),)

    return body


def _dims(map: AffineMap) -> list[int]:
    """The dims of a map that permutes or drops some."""
    return [expr.position for expr in map.results if isinstance(expr, AffineDimExpr)]


def _matrix_times_vector(
    b: LinalgBuilder,
    inputs: Sequence[tuple[SSAValue, AffineMap]],
    matrix: int,
    depth: int,
    type: Attribute,
) -> SSAValue:
    """Products, and their sums along an axis: the matrix is read once, in the order of memory, and
    what computes it may be a part of the kernel. A contraction would store and pack it."""
    source, map = inputs[matrix]
    places, sizes = _dims(map), b.sizes_of(source)
    rank, axis = len(places), places.index(depth)
    order = {place: d for d, place in enumerate(places)}
    maps = [dims_map(rank, [order[d] for d in _dims(m)]) for _, m in inputs]
    products = b.map(
        [(value, m) for (value, _), m in zip(inputs, maps, strict=True)],
        sizes,
        type,
        lambda inner, args: _product(inner, args, type),
    )
    kept = [d for d in range(rank) if d != axis]
    init = _filled(b, tuple(sizes[d] for d in kept), 0, type)

    def body(inner: Builder, args: Operands) -> Operands:
        # the value first, as in `lower_reduce`
        return (inner.float_op("add", *args) if is_float(type) else inner.int_op("add", *args),)

    iterators = "".join("r" if d == axis else "p" for d in range(rank))
    outs = [(init, dims_map(rank, kept))]
    return b.generic([(products, AffineMap.identity(rank))], outs, iterators, body)[0]


def lower_dot_general(b: LinalgBuilder, op: Operation, operands: Operands) -> SSAValue:
    """A generic over batch, lhs free, rhs free and contracted dims, in this order."""
    assert isinstance(op, contraction.DotGeneralOp)
    element = element_of(op.lhs)
    lhs_batch, rhs_batch = ints(op.lhs_batch), ints(op.rhs_batch)
    lhs_contract, rhs_contract = ints(op.lhs_contract), ints(op.rhs_contract)
    left, right = b.sizes_of(operands[0]), b.sizes_of(operands[1])
    lhs_free = [i for i in range(len(left)) if i not in (*lhs_batch, *lhs_contract)]
    rhs_free = [i for i in range(len(right)) if i not in (*rhs_batch, *rhs_contract)]
    results = len(lhs_batch) + len(lhs_free) + len(rhs_free)
    rank = results + len(lhs_contract)
    places = {axis: d for d, axis in enumerate((*lhs_batch, *lhs_free))}
    places |= {axis: results + k for k, axis in enumerate(lhs_contract)}
    lhs_map = dims_map(rank, [places[i] for i in range(len(left))])
    places = {axis: d for d, axis in enumerate(rhs_batch)}
    places |= {axis: len(lhs_batch) + len(lhs_free) + j for j, axis in enumerate(rhs_free)}
    places |= {axis: results + k for k, axis in enumerate(rhs_contract)}
    rhs_map = dims_map(rank, [places[i] for i in range(len(right))])
    sizes = (
        *(left[i] for i in (*lhs_batch, *lhs_free)),
        *(right[j] for j in rhs_free),
    )
    type = accumulator(element)
    inputs = [(operands[0], lhs_map), (operands[1], rhs_map)]
    if not lhs_contract:
        return b.map(inputs, sizes, memory_element(element), _multiply(type, element))
    matrix = int(bool(rhs_free))
    if bool(lhs_free) != bool(rhs_free) and len(lhs_contract) == 1:
        dims = _dims(inputs[matrix][1])
        if [d for d in dims if d != results] == [*range(results)]:
            return rounded(b, _matrix_times_vector(b, inputs, matrix, results, type), element)
    init = _filled(b, sizes, 0, type)
    (value,) = b.generic(
        inputs,
        [(init, dims_map(rank, range(results)))],
        "p" * results + "r" * len(lhs_contract),
        _multiply_add(type),
    )
    return rounded(b, value, element)


def lower_conv(b: LinalgBuilder, op: Operation, operands: Operands) -> SSAValue:
    """A generic over (n, g, o, *out, c, *window); the input is padded before.

    With one group the dim g is left out; with more, channels are split by reshapes.
    """
    assert isinstance(op, contraction.ConvOp)
    element, type = element_of(op.input), accumulator(element_of(op.input))
    x, w = operands
    groups, spatial = op.groups.value.data, len(shape_of(x)) - 2
    padding = ints(op.padding)
    if any(padding):
        zero = b.number(0, memory_element(element))
        x = pad(b, x, zero, (0, 0, *padding[::2]), (0, 0, *padding[1::2]))
    out_sizes = _conv_sizes(b, op, x, w)
    if groups > 1:
        x = expand_dims(b, x, 1, groups)
        w = expand_dims(b, w, 0, groups)
    lead = 1 if groups > 1 else 0  # the group dim, after n
    rank = 3 + lead + 2 * spatial
    dim = AffineExpr.dimension
    channel, first_out = 2 + lead + spatial, 2 + lead
    windows = [
        dim(first_out + i) * ints(op.strides)[i] + dim(channel + 1 + i) * ints(op.dilation)[i]
        for i in range(spatial)
    ]
    group = [dim(1)] * lead
    x_map = AffineMap(rank, 0, (dim(0), *group, dim(channel), *windows))
    kernel_dims = [dim(channel + 1 + i) for i in range(spatial)]
    w_map = AffineMap(rank, 0, (*group, dim(1 + lead), dim(channel), *kernel_dims))
    results = 2 + lead + spatial
    sizes = out_sizes
    if groups > 1:
        per_group = b.arith("divu", out_sizes[1], groups)
        sizes = (out_sizes[0], groups, per_group, *out_sizes[2:])
    init = _filled(b, sizes, 0, type)
    (value,) = b.generic(
        [(x, x_map), (w, w_map)],
        [(init, dims_map(rank, range(results)))],
        "p" * results + "r" * (1 + spatial),
        _multiply_add(type),
    )
    if groups > 1:
        value = merge_dims(b, value, 1)
    return rounded(b, value, element)


def _conv_sizes(
    b: LinalgBuilder, op: contraction.ConvOp, x: SSAValue, w: SSAValue
) -> tuple[Size, ...]:
    """The result's sizes; `x` is already padded."""
    strides, dilation = ints(op.strides), ints(op.dilation)
    x_sizes, w_sizes = b.sizes_of(x), b.sizes_of(w)
    spatial: list[Size] = []
    for i in range(len(strides)):
        reach = b.arith("mul", b.arith("sub", w_sizes[2 + i], 1), dilation[i])
        room = b.arith("sub", b.arith("sub", x_sizes[2 + i], reach), 1)
        spatial.append(b.arith("add", b.arith("divu", room, strides[i]), 1))
    return (x_sizes[0], w_sizes[0], *spatial)


RULES: dict[type[Operation], Rule] = {
    reduction.ReduceOp: lower_reduce,
    reduction.ArgmaxOp: lower_arg,
    reduction.ArgminOp: lower_arg,
    contraction.DotGeneralOp: lower_dot_general,
    contraction.ConvOp: lower_conv,
}
