"""An emitter of `nd` ops on SSA values, for derivative rules and checks.

Result types follow from operands. A `?` of a result takes its size from a value of the same shape
(`nd.dim`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

from xdsl.dialects.builtin import (
    AnyFloat,
    ComplexType,
    DenseArrayBase,
    IndexType,
    IntegerAttr,
    StringAttr,
    TensorType,
    i1,
    i64,
)
from xdsl.ir import Attribute, Operation, SSAValue

from lamina.dialects import arith, nd
from lamina.dialects.nd.base import (
    DYNAMIC_INDEX,
    element_of,
    is_complex,
    is_float,
    is_unsigned,
    part_type,
    shape_of,
    tensor_type,
)
from lamina.dialects.sizes import byte_size
from lamina.interpreters.types import scalar_dense
from lamina.transforms.derivatives import Emitter

OPS = {op.name.removeprefix("nd."): op for op in nd.OPS}
COMPARISONS = ("equal", "not_equal", "less", "less_equal", "greater", "greater_equal")

Shape = tuple[int, ...]


def _kept(shape: Shape, axes: Sequence[int]) -> Shape:
    return tuple(size for axis, size in enumerate(shape) if axis not in axes)


def _permuted(shape: Shape, permutation: Shape) -> Shape:
    return tuple(shape[axis] for axis in permutation)


def _concat(shapes: Sequence[Shape], axis: int) -> Shape:
    first = shapes[0]
    sizes = [shape[axis] for shape in shapes]
    total = DYNAMIC_INDEX if DYNAMIC_INDEX in sizes else sum(sizes)
    return (*first[:axis], total, *first[axis + 1 :])


def _pad(shape: Shape, low: Sequence[int], high: Sequence[int]) -> Shape:
    return tuple(
        size if size == DYNAMIC_INDEX else size + a + b
        for size, a, b in zip(shape, low, high, strict=True)
    )


def _dot(x: Shape, y: Shape, p: dict[str, Any]) -> Shape:
    lhs_batch: Shape = p["lhs_batch"]
    batch = tuple(x[axis] for axis in lhs_batch)
    return (
        *batch,
        *_kept(x, (*p["lhs_batch"], *p["lhs_contract"])),
        *_kept(y, (*p["rhs_batch"], *p["rhs_contract"])),
    )


def _conv(x: Shape, w: Shape, p: dict[str, Any]) -> Shape:
    return (x[0], w[0], *(
        (x[2 + i] + p["padding"][2 * i] + p["padding"][2 * i + 1]
         - p["dilation"][i] * (w[2 + i] - 1) - 1) // p["strides"][i] + 1
        for i in range(len(x) - 2)
    ))  # fmt: skip


def _window(x: Shape, p: dict[str, Any]) -> Shape:
    found: list[int] = []
    for axis, size in enumerate(x):
        reach = p["dilation"][axis] * (p["window"][axis] - 1) + 1
        padded = size + p["padding"][2 * axis] + p["padding"][2 * axis + 1]
        found.append((padded - reach) // p["strides"][axis] + 1)
    return tuple(found)


def _gathered(x: Shape, index: Shape, p: dict[str, Any]) -> Shape:
    walked = [size for axis, size in enumerate(x) if axis not in p["axes"]]
    sizes = dict(zip(p["dims"], walked, strict=True)) | dict(
        zip(p["index_dims"], index, strict=True)
    )
    return tuple(sizes[dim] for dim in sorted(sizes))


SHAPES: dict[str, Callable[[list[Shape], dict[str, Any]], Shape]] = {
    "reduce": lambda s, p: _kept(s[0], p["axes"]),
    "transpose": lambda s, p: _permuted(s[0], p["permutation"]),
    "concat": lambda s, p: _concat(s, p["axis"]),
    "pad": lambda s, p: _pad(s[0], p["low"], p["high"]),
    "slice": lambda s, p: tuple(
        -(-(b - a) // step)
        for a, b, step in zip(p["starts"], p["limits"], p["strides"], strict=True)
    ),
    "dot_general": lambda s, p: _dot(s[0], s[1], p),
    "conv": lambda s, p: _conv(s[0], s[1], p),
    "reduce_window": lambda s, p: _window(s[0], p),
    "gather": lambda s, p: _gathered(s[0], s[1], p),
}
"""Ops whose result has another shape than their first operand."""


class IrEmitter(Emitter[SSAValue]):
    """Gives each op it makes to `insert`, at the location `location`."""

    def __init__(self, insert: Callable[[Operation], object], location: Attribute) -> None:
        self.insert = insert
        self.location: Any = location  # xDSL types the location of an operation as any attribute

    def make(
        self,
        name: str,
        operands: Sequence[SSAValue],
        result: Attribute,
        properties: dict[str, Attribute] | None = None,
    ) -> SSAValue:
        """The op `name` with one result of type `result`."""
        op = OPS[name].create(
            operands=operands, result_types=[result], properties=properties or {},
            location=self.location,
        )  # fmt: skip
        self.insert(op)
        return op.results[0]

    def bind(self, name: str, *operands: SSAValue, **params: Any) -> SSAValue:
        shapes = [shape_of(value) for value in operands]
        shape = SHAPES[name](shapes, params) if name in SHAPES else shapes[0]
        element = element_of(operands[1 if name == "select" else 0])
        if name in COMPARISONS:
            element = i1
        elif name == "argsort":
            element = i64
        elif name in ("real", "imag"):
            element = part_type(element)
        elif name == "complex":
            element = ComplexType(cast(AnyFloat, element))
        properties = {key: attribute_of(value) for key, value in params.items()}
        return self.make(name, operands, TensorType(element, shape), properties)

    def shape(self, value: SSAValue) -> Shape:
        return shape_of(value)

    def is_float(self, value: SSAValue) -> bool:
        return isinstance(value.type, TensorType) and is_float(element_of(value))

    def is_complex(self, value: SSAValue) -> bool:
        return isinstance(value.type, TensorType) and is_complex(element_of(value))

    def bounds(self, value: SSAValue) -> tuple[int, int]:
        element = element_of(value)
        width = int(byte_size(element) * 8)
        if is_unsigned(element):
            return 0, (1 << width) - 1
        return -(1 << (width - 1)), (1 << (width - 1)) - 1

    def scalar(self, number: float, like: SSAValue) -> SSAValue:
        return self.constant(number, element_of(like))

    def constant(self, number: float, element: Attribute) -> SSAValue:
        """A 0-d constant; a complex one is put together, as in what a trace makes."""
        if is_complex(element):
            re, im = (self.constant(part, part_type(element)) for part in (number, 0.0))
            return self.bind("complex", re, im)
        value = scalar_dense(number, element)
        return self.make("constant", (), TensorType(element, ()), {"value": value})

    def splat(self, number: float, type: TensorType[Attribute]) -> SSAValue:
        """`number` everywhere, in a type of static shape."""
        dims: dict[str, Attribute] = {"dims": DenseArrayBase.from_list(i64, list[int]())}
        return self.make("broadcast", (self.constant(number, type.element_type),), type, dims)

    def full(self, number: float, like: SSAValue) -> SSAValue:
        return self.broadcast(self.scalar(number, like), (), like)

    def broadcast(self, value: SSAValue, dims: Sequence[int], like: SSAValue) -> SSAValue:
        type = TensorType(element_of(value), shape_of(like))
        properties: dict[str, Attribute] = {"dims": DenseArrayBase.from_list(i64, list(dims))}
        return self.make("broadcast", (value, *self.sizes(like)), type, properties)

    def sizes(self, like: SSAValue) -> list[SSAValue]:
        """The run-time sizes of `like`."""
        return [
            self.make("dim", (like,), IndexType(), {"axis": IntegerAttr(axis, i64)})
            for axis, size in enumerate(shape_of(like))
            if size == DYNAMIC_INDEX
        ]

    def reshape(self, value: SSAValue, shape: Sequence[int]) -> SSAValue:
        if shape_of(value) == tuple(shape):
            return value
        return self.make("reshape", (value,), TensorType(element_of(value), shape))

    def reshape_like(self, value: SSAValue, like: SSAValue) -> SSAValue:
        if value.type == like.type:
            return value
        type = TensorType(element_of(value), shape_of(like))
        return self.make("reshape", (value, *self.sizes(like)), type)

    def cast(self, value: SSAValue, like: SSAValue) -> SSAValue:
        type = TensorType(element_of(like), shape_of(value))
        return value if value.type == type else self.make("cast", (value,), type)

    def dynamic_slice(
        self, value: SSAValue, starts: Sequence[SSAValue], like: SSAValue
    ) -> SSAValue:
        type = TensorType(element_of(value), shape_of(like))
        window = [-1 if size == DYNAMIC_INDEX else size for size in shape_of(like)]
        sizes: dict[str, Attribute] = {"sizes": DenseArrayBase.from_list(i64, window)}
        return self.make("dynamic_slice", (value, *starts, *self.sizes(like)), type, sizes)

    def dynamic_update_slice(
        self, value: SSAValue, update: SSAValue, starts: Sequence[SSAValue]
    ) -> SSAValue:
        return self.make("dynamic_update_slice", (value, update, *starts), tensor_type(value))

    def start(self, before: Sequence[SSAValue], axis: int, number: int = 0) -> SSAValue:
        known = [shape_of(value)[axis] for value in before]
        number += sum(size for size in known if size != DYNAMIC_INDEX)
        total = self._index(arith.ConstantOp, (), {"value": IntegerAttr(number, IndexType())})
        for value, size in zip(before, known, strict=True):
            if size == DYNAMIC_INDEX:
                dim = self.make("dim", (value,), IndexType(), {"axis": IntegerAttr(axis, i64)})
                flags: dict[str, Attribute] = {"overflowFlags": arith.NO_OVERFLOW}
                total = self._index(arith.AddiOp, (total, dim), flags)
        return total

    def _index(
        self,
        kind: type[Operation],
        operands: Sequence[SSAValue],
        properties: Mapping[str, Attribute],
    ) -> SSAValue:
        op = kind.create(
            operands=operands,
            result_types=[IndexType()],
            properties=properties,
            location=self.location,
        )
        self.insert(op)
        return op.results[0]


def attribute_of(value: Any) -> Attribute:
    """A property as `NdOp.params` gives it, as an attribute."""
    if isinstance(value, int):
        return IntegerAttr(value, i64)
    if isinstance(value, str):
        return StringAttr(value)
    return DenseArrayBase.from_list(i64, list(value))
