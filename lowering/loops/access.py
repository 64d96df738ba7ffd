"""Where an operand of a generic is in memory: indices from maps, scalar and vector access."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    ArrayAttr,
    BoolAttr,
    DenseArrayBase,
    IntegerAttr,
    MemRefType,
    i64,
)
from xdsl.ir import Attribute, SSAValue
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
    AffineMap,
)

from lamina.dialects import memref, vector
from lamina.dialects.type_tests import is_vector
from lamina.lowering.buffer_types import is_contiguous, memref_type, strides_of
from lamina.lowering.builder import vector_of
from lamina.lowering.loops.nest import LoopBuilder, Size


def coefficient(expr: AffineExpr, dim: int) -> int | None:
    """How much `expr` grows with dim `dim`; None where it is not linear in it."""
    if isinstance(expr, AffineDimExpr):
        return int(expr.position == dim)
    if isinstance(expr, AffineConstantExpr):
        return 0
    assert isinstance(expr, AffineBinaryOpExpr)
    left, right = coefficient(expr.lhs, dim), coefficient(expr.rhs, dim)
    if left is None or right is None:
        return None
    if expr.kind is AffineBinaryOpKind.Add:
        return left + right
    if expr.kind is AffineBinaryOpKind.Mul:
        if isinstance(expr.rhs, AffineConstantExpr):
            return left * expr.rhs.value
        if isinstance(expr.lhs, AffineConstantExpr):
            return right * expr.lhs.value
    return 0 if left == right == 0 else None


def place_in(b: LoopBuilder, expr: AffineExpr, dims: Sequence[Size]) -> Size:
    """The value of `expr` at `dims`."""
    if isinstance(expr, AffineDimExpr):
        return dims[expr.position]
    if isinstance(expr, AffineConstantExpr):
        return expr.value
    assert isinstance(expr, AffineBinaryOpExpr)
    left, right = place_in(b, expr.lhs, dims), place_in(b, expr.rhs, dims)
    names = {
        AffineBinaryOpKind.Add: "add",
        AffineBinaryOpKind.Mul: "mul",
        AffineBinaryOpKind.FloorDiv: "divu",
        AffineBinaryOpKind.Mod: "remu",
    }
    return b.calc(names[expr.kind], left, right)


STREAM_BYTES = 16
"""The alignment of stores past the caches: that of every result that NumPy allocates."""
PAST_CACHES = {"nontemporal": BoolAttr.from_bool(True)}

MOST_STRIDE = 4
"""Elements further apart are not worth a load of all that lie between."""


@dataclass(frozen=True)
class Access:
    """A buffer, and the affine indices at which a generic reads or writes it."""

    buffer: SSAValue
    exprs: tuple[AffineExpr, ...]

    @property
    def element(self) -> Attribute:
        """The element type."""
        return memref_type(self.buffer).element_type

    def indices(self, b: LoopBuilder, dims: Sequence[Size]) -> list[SSAValue]:
        """The indices at a place of the space."""
        return [b.size(place_in(b, expr, dims)) for expr in self.exprs]

    def load(self, b: LoopBuilder, dims: Sequence[Size]) -> SSAValue:
        """One element."""
        return b.value(memref.LoadOp, (self.buffer, *self.indices(b, dims)), self.element)

    def store(self, b: LoopBuilder, value: SSAValue, dims: Sequence[Size]) -> None:
        """Write one element."""
        b.add(memref.StoreOp, (value, self.buffer, *self.indices(b, dims)))

    def depends_on(self, dim: int) -> bool:
        """Whether the place changes along `dim`."""
        return any(coefficient(expr, dim) != 0 for expr in self.exprs)

    def unit_along(self, dim: int) -> bool:
        """Whether neighbours along `dim` are neighbours in memory."""
        return self.stride_along(dim) == 1

    def stride_along(self, dim: int) -> int:
        """How far apart neighbours along `dim` are on the last axis, when they differ on no other
        one: 1 to `MOST_STRIDE`, else 0."""
        if not self.exprs or any(coefficient(e, dim) != 0 for e in self.exprs[:-1]):
            return 0
        stride = coefficient(self.exprs[-1], dim)
        if stride is None or not 1 <= stride <= MOST_STRIDE:
            return 0
        return stride if strides_of(memref_type(self.buffer))[-1] == 1 else 0

    def load_vector(self, b: LoopBuilder, dims: Sequence[Size], dim: int, lanes: int) -> SSAValue:
        """`lanes` elements along `dim`: a vector load, one element for all, or lane by lane."""
        type = vector_of(self.element, lanes)
        if not self.depends_on(dim):
            return b.value(vector.BroadcastOp, (self.load(b, dims),), type)
        stride = self.stride_along(dim)
        if stride:
            places = [place_in(b, expr, dims) for expr in self.exprs]
            return strided_load(b, self.buffer, places, stride, lanes)
        result = b.number(0, type)
        for lane in range(lanes):
            moved = [*dims]
            moved[dim] = b.calc("add", dims[dim], lane)
            result = insert_lane(b, self.load(b, moved), result, lane)
        return result

    def store_vector(
        self, b: LoopBuilder, value: SSAValue, dims: Sequence[Size], streams: bool = False
    ) -> None:
        """Write a vector; the access is of unit stride along its dim. `streams`: past the caches,
        to a place that is aligned for it."""
        operands = (value, self.buffer, *self.indices(b, dims))
        if streams:
            alignment = {"alignment": IntegerAttr(STREAM_BYTES, i64)}
            b.add(vector.StoreOp, operands, (), PAST_CACHES, attributes=alignment)
        else:
            b.add(vector.StoreOp, operands)


def strided_load(
    b: LoopBuilder, buffer: SSAValue, places: Sequence[Size], stride: int, lanes: int
) -> SSAValue:
    """Elements `stride` apart on the last axis, from `places` on: whole vectors that end where the
    last element does, and shuffles."""
    span = (lanes - 1) * stride + 1
    type = vector_of(memref_type(buffer).element_type, lanes)
    found: SSAValue | None = None
    for number in range(-(-span // lanes)):
        start = min(number * lanes, span - lanes)
        at = [b.size(place) for place in (*places[:-1], b.calc("add", places[-1], start))]
        part = b.value(vector.LoadOp, (buffer, *at), type)
        if found is None:
            found = part
            continue
        # lanes that are known already, those of this part, and those that come later
        mask = [
            (place if number == 1 else lane)
            if place < number * lanes
            else (lanes + place - start if place - start < lanes else 0)
            for lane, place in enumerate(range(0, span, stride))
        ]
        found = shuffle(b, found, part, mask)
    assert found is not None
    return found


def shuffle(b: LoopBuilder, left: SSAValue, right: SSAValue, lanes: Sequence[int]) -> SSAValue:
    """The lanes of two vectors of one length, those of `right` counted behind `left`'s."""
    assert is_vector(left.type)
    type = vector_of(left.type.element_type, len(lanes))
    mask = DenseArrayBase.from_list(i64, list(lanes))
    return b.value(vector.ShuffleOp, (left, right), type, {"mask": mask})


def insert_lane(b: LoopBuilder, value: SSAValue, into: SSAValue, lane: int) -> SSAValue:
    """`into` with one lane replaced."""
    op = vector.InsertOp(value, into, [lane])
    op.location = b.location
    b.ops.append(op)
    return op.result


def extract_lane(b: LoopBuilder, value: SSAValue, lane: int) -> SSAValue:
    """One lane of a vector."""
    op = vector.ExtractOp(value, [lane], value.type.element_type)  # type: ignore
    op.location = b.location
    b.ops.append(op)
    return op.result


def mergeable(maps: Sequence[AffineMap], buffers: Sequence[SSAValue], dim: int) -> bool:
    """Whether dims `dim` and `dim + 1` can be walked as one in every operand."""
    for affine_map, buffer in zip(maps, buffers, strict=True):
        places = [i for i, e in enumerate(affine_map.results) if e.used_dims() & {dim, dim + 1}]
        if not places:
            continue
        results = [affine_map.results[i] for i in places]
        plain = [e.position if isinstance(e, AffineDimExpr) else -1 for e in results]
        if plain != [dim, dim + 1] or places[1] != places[0] + 1:
            return False
        if not is_contiguous(buffer.type):
            return False
    return True


def merge_groups(
    maps: Sequence[AffineMap], buffers: Sequence[SSAValue], rank: int, barriers: set[int]
) -> list[list[int]]:
    """Dims 0 .. rank - 1 in groups that can each be walked as one dim; a group never contains
    both `d - 1` and `d` for a `d` of `barriers`."""
    groups = [[d] for d in range(rank)]
    for d in range(rank - 1, 0, -1):
        if d not in barriers and mergeable(maps, buffers, d - 1):
            groups[d - 1] += groups.pop(d)
    return groups


def merged_axes(affine_map: AffineMap, groups: Sequence[Sequence[int]]) -> list[list[int]]:
    """The axes of an operand that become one when the dims of each group do."""
    merged: list[list[int]] = []
    for place, expr in enumerate(affine_map.results):
        follows = isinstance(expr, AffineDimExpr) and any(expr.position in g[1:] for g in groups)
        if follows:
            merged[-1].append(place)
        else:
            merged.append([place])
    return merged


def collapse(
    b: LoopBuilder, buffer: SSAValue, affine_map: AffineMap, groups: Sequence[Sequence[int]]
) -> Access:
    """The access after the dims of each group became one (group `i` is dim `i`)."""
    to_group = {d: i for i, group in enumerate(groups) for d in group}
    renamed = [AffineExpr.dimension(to_group[d]) for d in range(affine_map.num_dims)]
    merged = merged_axes(affine_map, groups)
    exprs = tuple(
        affine_map.results[axes[0]].replace_dims_and_symbols(renamed, []) for axes in merged
    )
    if all(len(places) == 1 for places in merged):
        return Access(buffer, exprs)
    return Access(collapse_shape(b, buffer, merged), exprs)


def collapse_shape(b: LoopBuilder, buffer: SSAValue, merged: Sequence[Sequence[int]]) -> SSAValue:
    """`memref.collapse_shape` of a contiguous buffer."""
    type = memref_type(buffer)
    shape = type.get_shape()
    sizes: list[int] = []
    for places in merged:
        size = 1
        for place in places:
            dynamic = DYNAMIC_INDEX in (size, shape[place])
            size = DYNAMIC_INDEX if dynamic else size * shape[place]
        sizes.append(size)
    reassociation = ArrayAttr([ArrayAttr([IntegerAttr(p, i64) for p in ps]) for ps in merged])
    return b.value(
        memref.CollapseShapeOp,
        (buffer,),
        MemRefType(type.element_type, sizes),
        {"reassociation": reassociation},
    )
