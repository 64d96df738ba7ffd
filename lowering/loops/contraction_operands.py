"""The operands of a contraction kernel: shapes, flat indices, accesses, and the store."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import FloatAttr, IntegerAttr, MemRefType
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineMap

from lamina.dialects import arith, memref, vector
from lamina.dialects.generics import body_of, maps_of
from lamina.dialects.nd.base import is_float
from lamina.dialects.sizes import byte_size
from lamina.lowering.buffer_types import is_contiguous, memref_type, strides_of
from lamina.lowering.builder import segments, vector_of
from lamina.lowering.loops.access import Access, collapse
from lamina.lowering.loops.body import BodyCloner, plain_ops, yielded
from lamina.lowering.loops.contraction_plan import Plan
from lamina.lowering.loops.nest import LoopBuilder, Size
from lamina.lowering.loops.padding import Framed

Place = Sequence[Size]


STREAMED_COLUMNS, STREAMED_DEPTH = 1024, 32
"""The block of columns that are read where they are: long pieces of a few rows, in the order of
memory."""


@dataclass(frozen=True)
class Tiling:
    """Sizes of tiles and blocks, in elements.

    rows, vectors: the register tile, `vectors` vectors of 64 bytes wide. columns, depth, height:
    the cache block (what is packed is depth x columns).
    """

    rows: int
    vectors: int
    columns: int
    depth: int
    height: int
    fma: bool


def fitting_vectors(most: int, needed: int) -> int:
    """How many vectors wide a tile is for rows of `needed` vectors: the width that loses the fewest
    lanes at the edge, the largest of those (a single vector would keep the units waiting)."""
    if needed <= most:
        return max(1, needed)
    return min(range(min(2, most), most + 1), key=lambda v: (-(-needed // v) * v, -v))


class Operands:
    """The operands and results of a contraction kernel. `buffers` maps the kernel's old values."""

    def __init__(
        self, b: LoopBuilder, plan: Plan, tiling: Tiling, buffers: dict[SSAValue, SSAValue],
        parallel: bool,
    ) -> None:  # fmt: skip
        self.b, self.plan, self.buffers = b, plan, buffers
        self.type = plan.accumulator
        self.lanes = max(1, 64 // max(4, byte_size(self.type)))
        self.vector = vector_of(self.type, self.lanes)
        self.may_be_parallel = parallel
        self.maps = maps_of(plan.generic)
        self.sizes = self.dim_sizes()
        self.row_count = self.flat([self.sizes[d] for d in plan.rows])
        self.column_count = self.flat([self.sizes[d] for d in plan.columns])
        self.depth_count = self.flat([self.sizes[d] for d in plan.depth])
        self.tiling = self.fitted(tiling)
        self.width = self.tiling.vectors * self.lanes
        self.left = self.depth_access(plan.left)
        if self.left is not None and self.left[0].element != self.type:
            self.left = None  # widened while it is packed
        self.right = self.depth_access(1 - plan.left)
        self.stores = self.store_accesses()

    # -- shapes ---------------------------------------------------------------------------------

    def dim_sizes(self) -> list[Size]:
        """The size of each dim of the space."""
        sizes: list[Size] = [0] * self.maps[0].num_dims
        for value, affine_map in zip(self.plan.generic.operands, self.maps, strict=True):
            if value not in self.buffers:
                continue
            for axis, expr in enumerate(affine_map.results):
                if isinstance(expr, AffineDimExpr):
                    sizes[expr.position] = self.b.dim(self.buffers[value], axis)
        epilogue = self.plan.epilogue
        if epilogue is not None and self.plan.generic.outputs[0] not in self.buffers:
            out_dims = self.plan.out_dims
            for value, affine_map in zip(epilogue.operands, maps_of(epilogue), strict=True):
                for axis, expr in enumerate(affine_map.results):
                    if isinstance(expr, AffineDimExpr) and value in self.buffers:
                        sizes[out_dims[expr.position]] = self.b.dim(self.buffers[value], axis)
        return sizes

    def flat(self, sizes: Sequence[Size]) -> Size:
        """The product of sizes."""
        total: Size = 1
        for size in sizes:
            total = self.b.calc("mul", total, size)
        return total

    def fitted(self, tiling: Tiling) -> Tiling:
        """The tile for this shape: few rows leave registers for more columns; blocks are no
        larger than the matrix, and small enough to be shared by threads."""
        rows, vectors = tiling.rows, tiling.vectors
        if isinstance(self.row_count, int) and self.row_count < rows:
            rows = max(1, self.row_count)
            vectors = max(vectors, min(4, tiling.rows * tiling.vectors // rows))
        if isinstance(self.column_count, int):
            vectors = fitting_vectors(vectors, -(-self.column_count // self.lanes))
        width = vectors * self.lanes
        columns = max(width, tiling.columns // width * width)
        depth = tiling.depth
        least = width
        if isinstance(self.row_count, int) and self.row_count <= rows and self.unit_columns():
            columns, depth = STREAMED_COLUMNS // width * width, STREAMED_DEPTH
            least = columns // 2
        if isinstance(self.column_count, int):
            quarter = -(-self.column_count // (4 * width)) * width
            columns = max(width, min(columns, max(quarter, least)))
        if isinstance(self.depth_count, int):
            depth = max(1, min(depth, self.depth_count))
        height = max(rows, tiling.height // rows * rows)
        if isinstance(self.row_count, int):
            height = min(height, -(-self.row_count // rows) * rows)
        return Tiling(rows, vectors, columns, depth, height, tiling.fma)

    def split(self, b: LoopBuilder, index: Size, dims: Sequence[int]) -> dict[int, Size]:
        """The places along `dims` of a flat index."""
        found: dict[int, Size] = {}
        for d in reversed(dims[1:]):
            found[d] = b.calc("remu", index, self.sizes[d])
            index = b.calc("divu", index, self.sizes[d])
        if dims:
            found[dims[0]] = index
        return found

    def scratch(self, scope: LoopBuilder, elements: int) -> SSAValue:
        """Scratch memory of a task."""
        type = MemRefType(self.type, [elements])
        return scope.value(memref.AllocOp, (), type, {"operandSegmentSizes": segments(0, 0)})

    # -- operands -------------------------------------------------------------------------------

    def place(self, b: LoopBuilder, outer: Place, **flat: Size) -> list[Size]:
        """A place of the whole space; `flat`: row, column and depth as flat indices."""
        dims: list[Size] = [0] * len(self.sizes)
        for d, value in zip(self.plan.outer, outer, strict=True):
            dims[d] = value
        groups = {"row": self.plan.rows, "column": self.plan.columns, "depth": self.plan.depth}
        for name, index in flat.items():
            for d, value in self.split(b, index, groups[name]).items():
                dims[d] = value
        return dims

    def depth_access(self, side: int) -> tuple[Access, list[list[int]]] | None:
        """An operand with the depth as one dim, when that is contiguous in memory."""
        plan = self.plan
        value, affine_map = plan.generic.operands[side], self.maps[side]
        rank = affine_map.num_dims
        if value not in self.buffers or not plan.depth:
            return None
        buffer = self.buffers[value]
        groups = [[d] for d in range(rank) if d not in plan.depth] + [list(plan.depth)]
        places = [i for i, e in enumerate(affine_map.results) if e.used_dims() & set(plan.depth)]
        found = [affine_map.results[i] for i in places]
        in_order = [e.position if isinstance(e, AffineDimExpr) else -1 for e in found]
        adjacent = places == list(range(places[0], places[0] + len(places))) if places else False
        ends = adjacent and places[-1] == len(affine_map.results) - 1
        whole = len(plan.depth) == 1 or is_contiguous(buffer.type)
        unit = strides_of(memref_type(buffer))[-1:] == (1,)
        if in_order != list(plan.depth) or not (ends and whole and unit):
            return None
        order = [d for group in groups for d in group]
        if len(plan.depth) > 1 and order != list(range(rank)):
            return None
        return collapse(self.b, buffer, affine_map, groups), groups

    def store_accesses(self) -> list[Access]:
        """What is read and written over the result's space, with rows and columns as one dim
        each: dims are (outer..., row, column) in the result's order."""
        plan = self.plan
        op = plan.epilogue or plan.generic
        maps = (
            maps_of(op) if plan.epilogue is not None else [AffineMap.identity(len(plan.out_dims))]
        )
        operands = op.operands if plan.epilogue is not None else op.outputs
        self.out_groups = self.groups()
        return [
            collapse(self.b, self.buffers[value], affine_map, self.out_groups)
            for value, affine_map in zip(operands, maps, strict=True)
            if value is not plan.generic.outputs[0] or plan.epilogue is None
        ]

    def groups(self) -> list[list[int]]:
        """The places of the result's dims: rows together, columns together."""
        plan, groups = self.plan, list[list[int]]()
        for place, dim in enumerate(plan.out_dims):
            together = (dim in plan.rows and dim != plan.rows[0]) or (
                dim in plan.columns and dim != plan.columns[0]
            )
            if together:
                groups[-1].append(place)
            else:
                groups.append([place])
        return groups

    def out_place(self, outer: Place, row: Size, column: Size) -> list[Size]:
        """A place of the result's space with merged dims."""
        plan, place = self.plan, list[Size]()
        left = dict(zip(plan.outer, outer, strict=True))
        for group in self.out_groups:
            dim = plan.out_dims[group[0]]
            if dim in left:
                place.append(left[dim])
            else:
                place.append(row if dim in plan.rows else column)
        return place

    def access(self, side: int) -> Access:
        """An operand as it is in memory; a frame of padding is not."""
        plan = self.plan
        value, exprs = plan.generic.operands[side], self.maps[side].results
        padding = plan.padding
        if padding is None or padding.padded is not value:
            return Access(self.buffers[value], exprs)
        checked = tuple(
            low != 0 or not isinstance(e, AffineDimExpr)
            for e, low in zip(exprs, padding.low, strict=True)
        )
        source, frame = self.buffers[padding.source], self.buffers[padding.value]
        return Framed(source, exprs, padding.low, checked, frame)

    def column_access(self) -> Access:
        """The operand that has the columns."""
        return self.access(1 - self.plan.left)

    def widen(self, b: LoopBuilder, value: SSAValue) -> SSAValue:
        """An element in the accumulator's type."""
        if value.type == self.type:
            return value
        return b.cast(arith.ExtFOp, value, self.type)

    def load_row(self, b: LoopBuilder, dims: Place) -> SSAValue:
        """One element of the rows' operand, widened."""
        return self.widen(b, self.access(self.plan.left).load(b, dims))

    def unit_columns(self) -> bool:
        """Whether neighbouring columns of the columns' operand are neighbours in memory."""
        columns, access = self.plan.columns, self.column_access()
        if len(columns) != 1 or isinstance(access, Framed):
            return False
        return access.unit_along(columns[0])

    def row_stride(self) -> int:
        """How far apart in memory neighbours along the last of the column dims are; 0 where they
        are not in a row, or too far."""
        columns = self.plan.columns
        access = self.column_access()
        return Access.stride_along(access, columns[-1]) if columns else 0

    def row_lanes(self) -> int:
        """The lanes of a vector along a row: fewer where it would hardly fit, with padding left
        out."""
        size, lanes = self.sizes[self.plan.columns[-1]], self.lanes
        slack = 2 if isinstance(self.column_access(), Framed) else 0
        while isinstance(size, int) and lanes > max(4, size - slack):
            lanes //= 2
        return lanes

    def multiply_add(
        self, b: LoopBuilder, lhs: SSAValue, rhs: SSAValue, total: SSAValue
    ) -> SSAValue:
        """`lhs * rhs + total` on vectors: fused where the target can."""
        if is_float(self.type):
            if self.tiling.fma:
                return b.value(vector.FMAOp, (lhs, rhs, total), self.vector)
            return b.float_op("add", total, b.float_op("mul", lhs, rhs))
        return b.int_op("add", total, b.int_op("mul", lhs, rhs))

    def vector_stores(self) -> bool:
        """Whether the result and all that the epilogue reads can be taken as vectors of columns."""
        if not self.plan.columns:
            return False
        dim = len(self.out_groups) - 1
        inputs = len(self.stores) - self.results()
        return all(
            a.unit_along(dim) or (i < inputs and not a.depends_on(dim))
            for i, a in enumerate(self.stores)
        )

    def results(self) -> int:
        """The number of results."""
        op = self.plan.epilogue or self.plan.generic
        return len(op.outputs)

    def store(self, b: LoopBuilder, place: Place, total: SSAValue, lanes: int) -> None:
        """Write the results for a sum (a vector along the columns, or one element)."""
        if self.plan.init is not None:
            init = self.buffers[self.plan.init]
        else:
            init = self.stores[-1].load(b, place)
        total = self.with_init(b, total, init, place, lanes)
        epilogue = self.plan.epilogue
        if epilogue is None:
            self.put(b, [total], place, lanes)
            return
        dim = len(self.out_groups) - 1
        values: dict[SSAValue, SSAValue] = {}
        accesses = iter(self.stores)
        for arg, operand in zip(body_of(epilogue).args, epilogue.inputs, strict=False):
            if operand is self.plan.generic.outputs[0]:
                values[arg] = total
                continue
            access = next(accesses)
            if arg.uses:
                values[arg] = (
                    access.load_vector(b, place, dim, lanes) if lanes else access.load(b, place)
                )
        dims = {group[0]: place[i] for i, group in enumerate(self.out_groups) if len(group) == 1}
        lane_dim = self.out_groups[dim][0] if self.out_groups else None
        cloner = BodyCloner(b, values, lanes, dims, lane_dim)
        cloner.run(plain_ops(epilogue))
        self.put(b, [cloner.operand(b, v) for v in yielded(epilogue)], place, lanes)

    def with_init(
        self, b: LoopBuilder, total: SSAValue, init: SSAValue, place: Place, lanes: int
    ) -> SSAValue:
        """The sum added to what the result starts from; 0 is left out."""
        if self.plan.init is not None and is_zero(self.plan.init):
            return total
        if lanes and self.plan.init is None:
            init = self.stores[-1].load_vector(b, place, len(self.out_groups) - 1, lanes)
        elif lanes:
            init = b.value(vector.BroadcastOp, (init,), self.vector)
        if is_float(self.type):
            return b.float_op("add", init, total)
        return b.int_op("add", init, total)

    def put(self, b: LoopBuilder, values: Sequence[SSAValue], place: Place, lanes: int) -> None:
        """Write one place of each result."""
        for access, value in zip(self.stores[-len(values) :], values, strict=True):
            if lanes:
                access.store_vector(b, value, place)
            else:
                access.store(b, value, place)


def is_zero(value: SSAValue) -> bool:
    """Whether `value` is a constant 0."""
    owner = value.owner
    if not isinstance(owner, arith.ConstantOp) or not isinstance(
        owner.value, FloatAttr | IntegerAttr
    ):
        return False
    return owner.value.value.data == 0
