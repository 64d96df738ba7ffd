"""What the rules of `nd-to-linalg` share: types, sizes, `linalg.generic` ops."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from xdsl.dialects import func, tensor
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    AffineMapAttr,
    ArrayAttr,
    BFloat16Type,
    DenseArrayBase,
    Float16Type,
    IntegerType,
    TensorType,
    f32,
    i8,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap

from lamina.dialects import arith, linalg
from lamina.dialects.nd.base import element_of, is_bool, shape_of
from lamina.dialects.type_tests import is_integer, is_tensor
from lamina.lowering.builder import INDEX, Builder, segments

Size = int | SSAValue
"""A dim: static, or an index value."""
Sizes = tuple[Size, ...]

PARALLEL = linalg.IteratorTypeAttr(linalg.IteratorType.PARALLEL)
REDUCTION = linalg.IteratorTypeAttr(linalg.IteratorType.REDUCTION)


@lru_cache(maxsize=256)
def memory_element(element: Attribute) -> Attribute:
    """The element type in memory: i8 for bool, signless for unsigned."""
    if is_bool(element):
        return i8
    return IntegerType(element.width.data) if is_integer(element) else element


@lru_cache(maxsize=256)
def compute_element(element: Attribute) -> Attribute:
    """The element type in registers: f32 for half types, signless integers, i1 for bool."""
    if isinstance(element, Float16Type | BFloat16Type):
        return f32
    return element if is_bool(element) else memory_element(element)


@lru_cache(maxsize=1024)
def lower_type(type: Attribute) -> Attribute:
    """An `nd` type below `nd`: the tensor's element as in memory; other types stay."""
    if is_tensor(type):
        return TensorType(memory_element(type.element_type), type.get_shape())
    return type


@lru_cache(maxsize=1024)
def map_attr(affine_map: AffineMap) -> AffineMapAttr:
    """The attribute of an affine map."""
    return AffineMapAttr(affine_map)


def affine_map(rank: int, results: Sequence[AffineExpr | int]) -> AffineMap:
    """The map from `rank` dims to `results`; an int is a constant."""
    return AffineMap(
        rank, 0, tuple(AffineExpr.constant(r) if isinstance(r, int) else r for r in results)
    )


def dims_map(rank: int, dims: Sequence[int]) -> AffineMap:
    """The map from `rank` dims to the named ones."""
    return AffineMap(rank, 0, tuple(AffineExpr.dimension(d) for d in dims))


def dense_i64(values: Sequence[int]) -> DenseArrayBase[IntegerType]:
    """An `array<i64: ...>`."""
    return _dense_i64(tuple(values))


@lru_cache(maxsize=1024)
def _dense_i64(values: tuple[int, ...]) -> DenseArrayBase[IntegerType]:
    return DenseArrayBase.from_list(i64, values)


@lru_cache(maxsize=1024)
def _structure(maps: tuple[AffineMap, ...], iterators: str) -> dict[str, Attribute]:
    """The properties that say how a generic walks its operands."""
    return {
        "indexing_maps": ArrayAttr([map_attr(m) for m in maps]),
        "iterator_types": ArrayAttr([PARALLEL if c == "p" else REDUCTION for c in iterators]),
    }


@dataclass
class Functions:
    """The private functions that the rules of one module asked for (`element_loops`).

    taken: names of functions. made: the functions, by what tells them apart. checks: how many
    checks the module has so far.
    """

    taken: set[str] = field(default_factory=set[str])
    made: dict[tuple[object, ...], func.FuncOp] = field(
        default_factory=dict[tuple[object, ...], func.FuncOp]
    )
    checks: int = 0

    def name(self, label: str) -> str:
        """A new name that begins with `label`."""
        number = 0
        while f"{label}_{number}" in self.taken:
            number += 1
        self.taken.add(f"{label}_{number}")
        return f"{label}_{number}"


class LinalgBuilder(Builder):
    """A builder on tensors that knows the size of every dim of the values it made.

    functions: those of the module; all builders of a module share the table.
    """

    __slots__ = ("functions", "outer", "sizes")

    def __init__(
        self, parent: LinalgBuilder | None = None, functions: Functions | None = None
    ) -> None:
        super().__init__(parent=parent)
        self.functions = Functions() if functions is None else functions
        if parent is not None:
            self.location = parent.location
            self.functions = parent.functions
        self.outer = parent
        self.sizes: dict[SSAValue, Sizes] = {}

    def nested(self) -> LinalgBuilder:
        return LinalgBuilder(self)

    def sizes_of(self, value: SSAValue) -> Sizes:
        """The sizes of a tensor: ints, or index values for its dynamic dims."""
        known, builder = None, self
        while known is None and builder is not None:  # what an inner region computed stays there
            known, builder = builder.sizes.get(value), builder.outer
        if known is None:
            known = tuple(
                self.dim(value, axis) if size == DYNAMIC_INDEX else size
                for axis, size in enumerate(shape_of(value))
            )
            self.sizes[value] = known
        return known

    def dim(self, value: SSAValue, axis: int) -> SSAValue:
        """`tensor.dim`; block arguments only, all other sizes are known."""
        return self.value(tensor.DimOp, (value, self.index(axis)), INDEX)

    def size_value(self, size: Size) -> SSAValue:
        """A size as an index value."""
        return self.index(size) if isinstance(size, int) else size

    def arith(self, name: str, lhs: Size, rhs: Size) -> Size:
        """An index op (`add`, `sub`, `mul`, `divu`), folded when both are static or it changes
        nothing: a size that stays the same is seen to do so."""
        if rhs == (1 if name in ("mul", "divu") else 0):
            return lhs
        if (name, lhs) in (("add", 0), ("mul", 1)):
            return rhs
        if isinstance(lhs, int) and isinstance(rhs, int):
            return {"add": lhs + rhs, "sub": lhs - rhs, "mul": lhs * rhs}.get(
                name, lhs // rhs if rhs else 0
            )
        return self.int_op(name, self.size_value(lhs), self.size_value(rhs))

    def typed(self, sizes: Sizes, element: Attribute) -> TensorType[Attribute]:
        """The tensor type with these sizes."""
        return TensorType(element, [s if isinstance(s, int) else DYNAMIC_INDEX for s in sizes])

    def known(self, value: SSAValue, sizes: Sizes) -> SSAValue:
        """Note the sizes of `value`; `value`."""
        self.sizes[value] = sizes
        return value

    def empty(self, sizes: Sizes, element: Attribute) -> SSAValue:
        """`tensor.empty`."""
        dynamic = tuple(s for s in sizes if not isinstance(s, int))
        value = self.value(tensor.EmptyOp, dynamic, self.typed(sizes, element))
        return self.known(value, sizes)

    def fill(self, sizes: Sizes, number: SSAValue) -> SSAValue:
        """A tensor with every element `number` (`linalg.fill`)."""
        empty = self.empty(sizes, number.type)
        op = linalg.FillOp([number], [empty], [empty.type])
        for inner in op.walk():
            inner.location = self.location
        self.ops.append(op)
        return self.known(op.results[0], sizes)

    def generic(
        self,
        inputs: Sequence[tuple[SSAValue, AffineMap]],
        outputs: Sequence[tuple[SSAValue, AffineMap]],
        iterators: str,
        body: Callable[[Builder, Sequence[SSAValue]], Sequence[SSAValue]],
    ) -> Sequence[SSAValue]:
        """`linalg.generic`; `iterators` has a letter a dim: p(arallel) or r(eduction)."""
        operands = (*inputs, *outputs)
        region = Region()
        from_block = _body_block(operands, region)
        inner = Builder(self.location)
        results = body(inner, from_block)
        inner.add(linalg.YieldOp, tuple(results))
        region.block.add_ops(inner.ops)
        op = self.add(
            linalg.GenericOp,
            tuple(value for value, _ in operands),
            tuple(value.type for value, _ in outputs),
            {
                **_structure(tuple(m for _, m in operands), iterators),
                "operandSegmentSizes": segments(len(inputs), len(outputs)),
            },
            (region,),
        )
        for result, (value, _) in zip(op.results, outputs, strict=True):
            self.known(result, self.sizes_of(value))
        return op.results

    def map(
        self,
        inputs: Sequence[tuple[SSAValue, AffineMap]],
        sizes: Sizes,
        element: Attribute,
        body: Callable[[Builder, Sequence[SSAValue]], SSAValue],
    ) -> SSAValue:
        """A generic with parallel dims only, into a new tensor."""
        out = self.empty(sizes, element)
        identity = AffineMap.identity(len(sizes))
        return self.generic(
            inputs, [(out, identity)], "p" * len(sizes), lambda b, args: (body(b, args[:-1]),)
        )[0]


def _body_block(
    operands: Sequence[tuple[SSAValue, AffineMap]], region: Region
) -> Sequence[SSAValue]:
    block = Block(arg_types=[element_of(value) for value, _ in operands])
    region.add_block(block)
    return block.args


def to_register(b: Builder, value: SSAValue, element: Attribute) -> SSAValue:
    """A loaded element (of the `nd` type `element`) in register form."""
    if is_bool(element):
        return b.cmpi("ne", value, b.number(0, i8))
    if isinstance(element, Float16Type | BFloat16Type):
        return b.cast(arith.ExtFOp, value, f32)
    return value


def to_memory(b: Builder, value: SSAValue, element: Attribute) -> SSAValue:
    """A register value as the element (of the `nd` type `element`) that is stored."""
    if is_bool(element):
        return b.cast(arith.ExtUIOp, value, i8)
    if isinstance(element, Float16Type | BFloat16Type):
        return b.cast(arith.TruncFOp, value, element)
    return value


Rule = Callable[[LinalgBuilder, Operation, Sequence[SSAValue]], SSAValue | Sequence[SSAValue]]
"""A rule of `nd-to-linalg`: (builder, the nd op, its lowered operands) -> the lowered result, or
as many as the op has."""
