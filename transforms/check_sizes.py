"""Pass `check-sizes`: what only a run knows of sizes is checked there.

    %r = nd.add %x, %y : tensor<?xf32>
    // ->
    %a = nd.dim %x axis 0 ...; %b = nd.dim %y axis 0 ...
    nd.check (%a == %b), "ShapeError", "nd.add: expected sizes that are equal, found {} and {}"
    %r = nd.add %x, %y : tensor<?xf32>

No compiled op reads or writes beside a buffer because two `?` were not what its text says. Sizes
that are equal for certain (of one value, or checked before) are not compared again. Pre-condition:
level `nd`. Post-condition: the same, and each relation between run-time sizes that an op relies on
is known or checked. Private functions are left alone: they hold no `nd.check`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import (
    IndexType,
    IntegerAttr,
    ModuleOp,
    StringAttr,
    TensorType,
    i64,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.passes import ModulePass

from lamina.dialects import nd
from lamina.dialects.kernels import is_kernel
from lamina.dialects.nd.base import DYNAMIC_INDEX, ints, shape_of
from lamina.dialects.type_tests import is_tensor
from lamina.transforms.ir_emitter import IrEmitter

Size: TypeAlias = "int | SSAValue | tuple[SSAValue, int]"
"""A known size, a value of type index, or an axis of a tensor."""
Relation: TypeAlias = "tuple[str, Sequence[Size], Sequence[Size]]"
"""equal or less_equal, of two products of sizes."""


def size_of(value: SSAValue, axis: int) -> Size:
    """A size of a tensor: its number where the type says it."""
    size = shape_of(value)[axis]
    return (value, axis) if size == DYNAMIC_INDEX else size


def sizes_of(value: SSAValue) -> list[Size]:
    """All sizes of a tensor."""
    return [size_of(value, axis) for axis in range(len(shape_of(value)))]


def _result_sizes(op: Operation, given: Sequence[SSAValue]) -> list[Size]:
    """The sizes that the result of `op` shall have: `given` says those that are `?`."""
    rest = iter(given)
    return [next(rest) if size == DYNAMIC_INDEX else size for size in shape_of(op.results[0])]


def _equal(pairs: Iterator[tuple[Size, Size]] | Sequence[tuple[Size, Size]]) -> Iterator[Relation]:
    for a, b in pairs:
        yield "equal", [a], [b]


def same_shape(op: Operation) -> Iterator[Relation]:
    """Operands of one shape."""
    first, *others = [value for value in op.operands if is_tensor(value.type)] or [None]
    for other in others:
        assert first is not None and other is not None
        if shape_of(first):
            yield from _equal(zip(sizes_of(first), sizes_of(other), strict=True))


def _dot(op: Operation) -> Iterator[Relation]:
    x, y = op.operands
    p = {name: ints(value) for name, value in op.properties.items()}
    for kind in ("batch", "contract"):
        axes = zip(p[f"lhs_{kind}"], p[f"rhs_{kind}"], strict=True)
        yield from _equal([(size_of(x, a), size_of(y, b)) for a, b in axes])


def _concat(op: Operation) -> Iterator[Relation]:
    assert isinstance(op, nd.shape.ConcatOp)
    first, *others = op.operands
    for other in others:
        for axis in range(len(shape_of(first))):
            if axis != op.axis.value.data:
                yield "equal", [size_of(first, axis)], [size_of(other, axis)]


def _reshape(op: Operation) -> Iterator[Relation]:
    x, *given = op.operands
    yield "equal", sizes_of(x), _result_sizes(op, given)


def _broadcast(op: Operation) -> Iterator[Relation]:
    assert isinstance(op, nd.shape.BroadcastOp)
    x, *given = op.operands
    wanted = _result_sizes(op, given)
    for axis, dim in enumerate(ints(op.dims)):
        if shape_of(x)[axis] != 1:
            yield "equal", [size_of(x, axis)], [wanted[dim]]


def _slice(op: Operation) -> Iterator[Relation]:
    assert isinstance(op, nd.shape.SliceOp)
    bounds = zip(ints(op.starts), ints(op.limits), sizes_of(op.operand), strict=True)
    for start, limit, size in bounds:
        yield "less_equal", [start if limit == -1 else limit], [size]  # -1: to the end


def _dynamic_slice(op: Operation) -> Iterator[Relation]:
    assert isinstance(op, nd.shape.DynamicSliceOp)
    for window, size in zip(ints(op.sizes), sizes_of(op.operand), strict=True):
        if window != -1:  # a run-time one is clamped
            yield "less_equal", [window], [size]


def _update(op: Operation) -> Iterator[Relation]:
    assert isinstance(op, nd.shape.DynamicUpdateSliceOp)
    for window, size in zip(sizes_of(op.update), sizes_of(op.operand), strict=True):
        yield "less_equal", [window], [size]


def _kept(op: Operation, axes: Sequence[int]) -> Iterator[Relation]:
    """The sizes of a result that are those of `axes` of the operand, and stated."""
    x, result = op.operands[0], op.results[0]
    for place, axis in enumerate(axes):
        if shape_of(result)[place] != DYNAMIC_INDEX:
            yield "equal", [size_of(x, axis)], [size_of(result, place)]


def _transpose(op: Operation) -> Iterator[Relation]:
    assert isinstance(op, nd.shape.TransposeOp)
    yield from _kept(op, ints(op.permutation))


def _reduce(op: Operation) -> Iterator[Relation]:
    yield from _kept(op, kept_axes(op))


def kept_axes(op: Operation) -> list[int]:
    """The axes that a reduction leaves."""
    axes = ints(op.properties["axes"])
    return [axis for axis in range(len(shape_of(op.operands[0]))) if axis not in axes]


def _conv(op: Operation) -> Iterator[Relation]:
    assert isinstance(op, nd.contraction.ConvOp)
    groups = op.groups.value.data
    yield "equal", [size_of(op.input, 1)], [size_of(op.kernel, 1), groups]


def _indexed(op: Operation) -> Iterator[Relation]:
    """Index tensors of one shape; each dim of the space of one size, wherever it stands."""
    p = {name: ints(op.properties[name]) for name in ("axes", "dims", "index_dims")}
    scatter = isinstance(op, nd.indexing.ScatterOp)
    operand, *rest = op.operands
    space = rest.pop(0) if scatter else op.results[0]
    for index in rest[1:]:
        yield from _equal(zip(sizes_of(rest[0]), sizes_of(index), strict=True))
    walked = [axis for axis in range(len(shape_of(operand))) if axis not in p["axes"]]
    places = [(operand, axis, dim) for axis, dim in zip(walked, p["dims"], strict=True)]
    places += [(rest[0], axis, dim) for axis, dim in enumerate(p["index_dims"])]
    first: dict[int, Size] = {}
    if scatter:
        first = dict(enumerate(sizes_of(space)))
    for value, axis, dim in places:
        size = size_of(value, axis)
        yield "equal", [first.setdefault(dim, size)], [size]


RULES: dict[str, Callable[[Operation], Iterator[Relation]]] = {
    "dot_general": _dot, "concat": _concat, "reshape": _reshape, "broadcast": _broadcast,
    "slice": _slice, "dynamic_slice": _dynamic_slice, "dynamic_update_slice": _update,
    "transpose": _transpose, "reduce": _reduce, "conv": _conv, "gather": _indexed,
    "scatter": _indexed,
}  # fmt: skip
"""Ops that rely on more than operands of one shape."""
ALONE = (
    "constant", "iota", "dim", "from_index", "to_index", "pad", "check", "print", "fail",
    "custom_call", "random_bits", "searchsorted", "reduce_window",
)  # fmt: skip
"""Ops whose operands and results say nothing of each other's sizes here."""


class _Checker:
    """Goes through a block; `parents` is a forest of sizes that are equal for certain."""

    def __init__(self) -> None:
        self.parents: dict[object, object] = {}

    def root(self, size: object) -> object:
        """What stands for all sizes that are equal to `size`."""
        while (parent := self.parents.get(size)) is not None:
            size = parent
        return size

    def name(self, size: Size) -> object:
        """A size as the forest knows it: the axis that an `nd.dim` reads."""
        if isinstance(size, SSAValue) and isinstance(size.owner, nd.shape.DimOp):
            return self.root((size.owner.operand, size.owner.axis.value.data))
        return self.root(size)

    def join(self, a: Size, b: Size) -> None:
        """From here on the two are equal for certain."""
        x, y = self.name(a), self.name(b)
        if x != y:
            self.parents[x] = y

    def relations(self, op: Operation) -> list[Relation]:
        """What an op relies on and nobody knows yet."""
        name = op.name.removeprefix("nd.")
        rule = RULES.get(name, same_shape)
        found: list[Relation] = []
        for kind, left, right in rule(op) if name not in ALONE else ():
            numbers = [size for size in (*left, *right) if isinstance(size, int)]
            if len(numbers) == len(left) + len(right):
                continue  # the verifier has compared them
            if Counter(map(self.name, left)) != Counter(map(self.name, right)):
                found.append((kind, left, right))
        return found

    def learn(self, op: Operation, relations: Sequence[Relation]) -> None:
        """What is certain behind an op."""
        for kind, left, right in relations:
            if kind == "equal" and len(left) == len(right) == 1:
                self.join(left[0], right[0])
        if not op.results or not is_tensor(op.results[0].type):
            return
        result = op.results[0]
        name = op.name.removeprefix("nd.")
        x = op.operands[0] if op.operands else None
        if isinstance(op, nd.shape.BroadcastOp):
            sizes = _result_sizes(op, op.operands[1:])
        elif isinstance(op, nd.shape.TransposeOp) and x is not None:
            sizes = [size_of(x, axis) for axis in ints(op.permutation)]
        elif name == "reduce" and x is not None:
            sizes = [size_of(x, axis) for axis in kept_axes(op)]
        elif isinstance(op, nd.shape.DynamicSliceOp):
            self.window(op)
            return
        elif name not in RULES and name not in ALONE and x is not None and is_tensor(x.type):
            sizes = sizes_of(x) if len(shape_of(x)) == len(shape_of(result)) else []
        else:
            return
        for axis, size in enumerate(sizes):
            if shape_of(result)[axis] == DYNAMIC_INDEX:
                self.join((result, axis), size)

    def window(self, op: nd.shape.DynamicSliceOp) -> None:
        """A run-time size of a window is what its operand says, or all of the axis: so two are
        equal when both are."""
        extents = iter(op.extents)
        for axis, (size, dim) in enumerate(zip(ints(op.sizes), sizes_of(op.operand), strict=True)):
            if size == -1:
                self.parents[(op.result, axis)] = (self.name(next(extents)), self.name(dim))

    def op(self, op: Operation) -> None:
        """Check what `op` relies on, before it."""
        if not isinstance(op, nd.NdOp) or not is_dynamic(op):
            return
        relations = self.relations(op)
        for relation in relations:
            insert_check(op, relation)
        self.learn(op, relations)


def is_dynamic(op: Operation) -> bool:
    """Whether an operand or result has a size that only a run knows."""
    return any(
        is_tensor(value.type) and DYNAMIC_INDEX in value.type.get_shape()
        for value in (*op.operands, *op.results)
    )


def _size(e: IrEmitter, size: Size) -> SSAValue:
    """A size as a 0-d tensor of i64."""
    if isinstance(size, int):
        return e.constant(size, i64)
    if isinstance(size, tuple):
        axis: dict[str, Attribute] = {"axis": IntegerAttr(size[1], i64)}
        size = e.make("dim", (size[0],), IndexType(), axis)
    return e.make("from_index", (size,), TensorType(i64, []))


def _product(e: IrEmitter, sizes: Sequence[Size]) -> SSAValue:
    """The product of sizes."""
    first, *others = [_size(e, size) for size in sizes or [1]]
    for other in others:
        first = e.bind("multiply", first, other)
    return first


def insert_check(op: Operation, relation: Relation) -> None:
    """Check a relation before `op`."""
    kind, left, right = relation
    block = op.parent
    assert block is not None

    def insert(new: Operation) -> None:
        block.insert_ops_before([new], op)

    e = IrEmitter(insert, op.location)
    x, y = _product(e, left), _product(e, right)
    wanted = "sizes that are equal" if kind == "equal" else "a size of at least {}"
    message = f"{op.name}: expected {wanted}, found {{}}" + (" and {}" if kind == "equal" else "")
    check = nd.effects.CheckOp.create(
        operands=[e.bind(kind, x, y), x, y],
        properties={"error": StringAttr("ShapeError"), "message": StringAttr(message)},
        location=op.location,
    )
    insert(check)


class CheckSizesPass(ModulePass):
    """Insert the checks."""

    name = "check-sizes"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        functions = [f for f in op.ops if isinstance(f, func.FuncOp)]
        for function in functions:
            if not is_kernel(function):
                checker = _Checker()
                inside: list[Operation] = list(function.walk())
                for inner in inside:
                    checker.op(inner)
