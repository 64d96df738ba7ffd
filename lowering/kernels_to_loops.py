"""Pass `kernels-to-loops`: the generics of each kernel become loops and vectors.

    func.func private @map_0(%x: memref<4x8xf32>, %y: memref<4x8xf32>) {
      linalg.generic {(d0, d1) -> (d0, d1), ...} ins(%x) outs(%y) { ^(%a, %b): ... }
    // ->
      %f = memref.collapse_shape %x [[0, 1]] : ...
      scf.for %i = 0 to 32 step 16 {
        %v = vector.load %f[%i] : memref<32xf32>, vector<16xf32>
        ...

Pre-condition: bufferized kernels. Post-condition: no linalg op is left. All generics of a kernel
share its outer loops, so a temporary keeps its inner dims only; dims that are contiguous
everywhere are merged; the outermost loop is parallel when there is enough work. Contractions are
tiled and packed (`loops/contraction.py`). Loops over elements stay; where one is marked as
independent and long enough, it becomes parallel (`loops/marked.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import DYNAMIC_INDEX, MemRefType, ModuleOp
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass

from lamina.dialects import arith, linalg, memref
from lamina.dialects.generics import is_contraction
from lamina.dialects.kernels import is_kernel
from lamina.dialects.locations import place_of
from lamina.dialects.sizes import byte_size
from lamina.dialects.type_tests import is_tensor
from lamina.errors import LoweringError
from lamina.lowering.buffer_types import memref_type
from lamina.lowering.builder import segments
from lamina.lowering.loops.contraction import Contraction
from lamina.lowering.loops.contraction_operands import Tiling
from lamina.lowering.loops.contraction_plan import Plan, lanes_along_depth, plan_of
from lamina.lowering.loops.elementwise import emit_elementwise
from lamina.lowering.loops.marked import SERIAL_COST, TASK_COST, lower_marked
from lamina.lowering.loops.nest import LoopBuilder, Size
from lamina.lowering.loops.padding import Padding, padding_of_copy
from lamina.lowering.loops.reduction import Reducer
from lamina.lowering.loops.stage import Stage, Walk, outer_rank, stage_of, walk_of
from lamina.lowering.loops.tiles import ROWS, Tiles, tiled_dim

ALLOCA_BYTES = 4096
"""Temporaries up to this size live on the stack."""
MIN_TASKS = 8
"""Dims are walked in parallel, outermost first, until there are this many tasks."""


STAGES = (linalg.GenericOp, linalg.FillOp)
"""The ops that become loops."""

RowEmitter = Callable[[LoopBuilder, LoopBuilder, Sequence[SSAValue]], None]
"""(builder around the row loop, builder of its body, place in the outer space)."""


def refuse_tensors(kernel: func.FuncOp) -> None:
    """Loops are made over buffers."""
    for op in kernel.body.block.ops:
        for value in (*op.operands, *op.results):
            if is_tensor(value.type):
                raise LoweringError(
                    f"kernels-to-loops: expected buffers, found {op.name} on {value.type}; "
                    "run bufferize first",
                    place=place_of(op.location),
                )


class _Kernel:
    """Rebuilds one kernel that has no contraction."""

    def __init__(self, kernel: func.FuncOp, parallel: bool) -> None:
        self.kernel = kernel
        self.may_be_parallel = parallel
        self.b = LoopBuilder(kernel.location)
        self.buffers: dict[SSAValue, SSAValue] = {}
        self.temps: dict[SSAValue, list[Size]] = {}
        self.paddings: dict[SSAValue, Padding] = {}
        self.stages: list[Stage] = []
        self.dynamic: list[SSAValue] = []

    def run(self) -> None:
        """Replace the body."""
        old = self.kernel.body.block
        new = Block(arg_types=[arg.type for arg in old.args])
        self.buffers.update(zip(old.args, new.args, strict=True))
        fills: dict[SSAValue, linalg.FillOp] = {}
        for op in old.ops:
            self.b.location = op.location
            self.collect(op, fills)
        self.stages += [stage_of(fill) for fill in fills.values()]
        self.b.location = self.kernel.location
        if self.stages:
            self.emit()
        self.b.add(func.ReturnOp)
        new.add_ops(self.b.ops)
        self.kernel.detach_region(self.kernel.body)
        self.kernel.add_region(Region(new))

    def collect(self, op: Operation, fills: dict[SSAValue, linalg.FillOp]) -> None:
        """Note a stage or a temporary; scalar ops are kept."""
        if isinstance(op, linalg.FillOp):
            fills[op.outputs[0]] = op
        elif isinstance(op, linalg.GenericOp):
            stage = stage_of(op)
            stage.paddings = {
                i: self.paddings[value]
                for i, value in enumerate(op.operands)
                if value in self.paddings
            }
            for i, value in enumerate(op.operands):
                if value not in fills:
                    continue
                fill = fills.pop(value)
                if stage.is_reduction and i >= stage.inputs:
                    stage.inits[i - stage.inputs] = self.buffers[fill.inputs[0]]
                else:
                    self.stages.append(stage_of(fill))
            self.stages.append(stage)
        elif isinstance(op, memref.AllocOp):
            left = iter(op.dynamic_sizes)
            shape = memref_type(op.memref).get_shape()
            self.temps[op.memref] = [
                self.buffers[next(left)] if size == DYNAMIC_INDEX else size for size in shape
            ]
        elif isinstance(op, arith.ConstantOp):
            self.buffers[op.result] = self.b.constant(op.value, op.result.type)
        elif isinstance(op, memref.CopyOp) and (padding := padding_of_copy(op, fills)):
            source, value = self.buffers[padding.source], self.buffers[padding.value]
            self.paddings[padding.padded] = replace(padding, source=source, value=value)
            del fills[padding.padded], self.temps[padding.padded]
        elif isinstance(op, func.ReturnOp | memref.SubviewOp):
            pass
        elif op.regions or isinstance(op, memref.CopyOp):
            raise LoweringError(
                f"kernels-to-loops: expected a generic or a fill in a kernel, found {op.name}",
                place=place_of(op.location),
            )
        else:
            clone = op.clone(self.buffers)
            self.b.ops.append(clone)
            self.buffers.update(zip(op.results, clone.results, strict=True))

    # -- loops ----------------------------------------------------------------------------------

    def emit(self) -> None:
        """Outer loops around all stages."""
        for stage in self.stages:
            self.remap(stage, self.buffers)
        if len(self.stages) == 1 and not self.temps:
            self.emit_single(self.stages[0])
            return
        outer = outer_rank(self.stages, set(self.temps))
        if not outer:
            scope = self.b.nested()
            self.emit_stages(scope, scope, [], 0)
            self.close(self.b, scope)
            return
        sizes = self.outer_sizes(outer)
        self.rows(
            sizes,
            self.row_cost(outer),
            lambda scope, b, at: self.emit_stages(scope, b, at, outer),
        )

    def remap(self, stage: Stage, buffers: Mapping[SSAValue, SSAValue]) -> None:
        """Captured scalars and buffers of a body: the new ones."""
        for op in stage.op.walk():
            for i, operand in enumerate(op.operands):
                if operand in buffers and op is not stage.op:
                    op.operands[i] = buffers[operand]
        if isinstance(stage.op, linalg.FillOp):
            stage.op.operands[0] = buffers[stage.op.operands[0]]

    def emit_single(self, stage: Stage) -> None:
        """A kernel of one stage: all of its dims may be merged."""
        walk = walk_of(self.b, stage, self.placed(stage, {}, 0), 0)
        rank = len(walk.sizes)
        if (dim := tiled_dim(walk)) is not None:
            tiles = Tiles(walk, dim)
            cost = stage.cost * ROWS * known(walk.sizes[-1:])
            self.rows(tiles.outer_sizes(self.b), cost, tiles.emit)
            return
        columns = stage.is_reduction and walk.iterators[-1] == "p"
        outer = stage_prefix(walk)
        if not stage.is_reduction:
            outer = max(0, rank - 1)
        if outer:
            cost = stage.cost * known(walk.sizes[outer:])
            self.rows(
                walk.sizes[:outer], cost, lambda scope, b, at: self.emit_walk(scope, b, walk, at)
            )
        elif rank and (not stage.is_reduction or (columns and walk.iterators.count("p") == 1)):
            self.chunks(walk)
        else:
            scope = self.b.nested()
            self.emit_walk(scope, scope, walk, [])
            self.close(self.b, scope)

    def emit_walk(
        self,
        scope: LoopBuilder,
        b: LoopBuilder,
        walk: Walk,
        places: Sequence[SSAValue],
        last: tuple[Size, Size] | None = None,
    ) -> None:
        """The inner loops of one stage."""
        b.location = walk.stage.op.location
        if walk.stage.is_reduction:
            Reducer(walk, scope).emit(b, places, last)
        else:
            emit_elementwise(b, walk, places, last)

    def chunks(self, walk: Walk) -> None:
        """A single dim, or the columns of a reduction: parts of the last dim are tasks."""
        size = walk.sizes[-1]
        cost = walk.stage.cost * known(walk.sizes[:-1])
        step = max(1024, TASK_COST // max(1, cost) // 64 * 64)
        if not self.is_parallel(walk.sizes, walk.stage.cost) or (
            isinstance(size, int) and size <= step
        ):
            scope = self.b.nested()
            self.emit_walk(scope, scope, walk, [])
            self.close(self.b, scope)
            return

        def task(b: LoopBuilder, starts: Sequence[SSAValue]) -> None:
            end = b.calc("minu", b.calc("add", starts[0], step), size)
            scope = b.nested()
            self.emit_walk(scope, scope, walk, [], (starts[0], end))
            self.close(b, scope)

        self.b.parallel([size], [step], task)

    def rows(self, sizes: Sequence[Size], row_cost: int, emit: RowEmitter) -> None:
        """Loops over the outer dims; the first ones are parallel when there is enough work."""
        if not self.is_parallel(sizes, row_cost):
            scope = self.b.nested()
            scope.nest(sizes, lambda b, places: emit(scope, b, places))
            self.close(self.b, scope)
            return
        count = 1
        while count < len(sizes) and known(sizes[:count]) < MIN_TASKS:
            count += 1
        inner_cost = row_cost * known(sizes[count:])
        step = max(1, min(TASK_COST // max(1, inner_cost), -(-known(sizes[:1]) // 2)))
        steps = [step if count == 1 else 1, *([1] * (count - 1))]

        def task(b: LoopBuilder, starts: Sequence[SSAValue]) -> None:
            scope = b.nested()
            if count > 1 or step == 1:
                scope.nest(sizes[count:], lambda i, at: emit(scope, i, [*starts, *at]))
            else:
                end = b.calc("minu", b.calc("add", starts[0], step), sizes[0])

                def row(
                    inner: LoopBuilder, place: SSAValue, _: Sequence[SSAValue]
                ) -> Sequence[SSAValue]:
                    inner.nest(sizes[1:], lambda i, at: emit(scope, i, [place, *at]))
                    return ()

                scope.for_(starts[0], end, 1, (), row)
            self.close(b, scope)

        self.b.parallel(sizes[:count], steps, task)

    def is_parallel(self, sizes: Sequence[Size], cost: int) -> bool:
        """Whether the work is worth several threads; unknown sizes are taken to be large."""
        if not self.may_be_parallel:
            return False
        if any(not isinstance(size, int) for size in sizes):
            return True
        return known(sizes) * cost >= SERIAL_COST and known(sizes) > 1

    # -- stages that share outer loops ------------------------------------------------------------

    def outer_sizes(self, outer: int) -> list[Size]:
        """The sizes of the common outer dims."""
        sizes: list[Size | None] = [None] * outer
        for stage in self.stages:
            for value, affine_map in zip(stage.operands, stage.maps, strict=True):
                for axis, expr in enumerate(affine_map.results):
                    place = getattr(expr, "position", outer)
                    if place < outer and sizes[place] is None and value not in self.paddings:
                        known_sizes = self.temps.get(value)
                        sizes[place] = (
                            known_sizes[axis]
                            if known_sizes
                            else self.b.dim(self.buffers[value], axis)
                        )
        return [0 if size is None else size for size in sizes]

    def row_cost(self, outer: int) -> int:
        """The work at one place of the outer space."""
        total = 0
        for stage in self.stages:
            sizes = space_sizes(stage, outer)
            total += stage.cost * prod(size if size != DYNAMIC_INDEX else 64 for size in sizes)
        return total

    def placed(
        self, stage: Stage, temps: dict[SSAValue, SSAValue], outer: int
    ) -> list[tuple[SSAValue, int]]:
        """The buffer of each operand, and how many outer dims it lacks."""
        return [
            (stage.paddings[i].source, 0)
            if i in stage.paddings
            else (temps[value], outer)
            if value in temps
            else (self.buffers[value], 0)
            for i, value in enumerate(stage.operands)
        ]

    def emit_stages(
        self, scope: LoopBuilder, b: LoopBuilder, places: Sequence[SSAValue], outer: int
    ) -> None:
        """All stages at one place of the outer space; temporaries are made in `scope`."""
        temps = {
            value: self.temporary(scope, value, sizes[outer:])
            for value, sizes in self.temps.items()
        }
        for stage in self.stages:
            if any(value in temps for value in stage.captured):  # there is no outer loop then
                self.remap(stage, temps)
            walk = walk_of(scope, stage, self.placed(stage, temps, outer), outer)
            self.emit_walk(scope, b, walk, places)

    def temporary(self, scope: LoopBuilder, value: SSAValue, sizes: Sequence[Size]) -> SSAValue:
        """Memory for the inner dims of a temporary."""
        element = memref_type(value).element_type
        shape = [size if isinstance(size, int) else DYNAMIC_INDEX for size in sizes]
        type = MemRefType(element, shape)
        sizes_ = [size for size in sizes if not isinstance(size, int)]
        small = not sizes_ and prod(shape) * byte_size(element) <= ALLOCA_BYTES
        kind = memref.AllocaOp if small else memref.AllocOp
        properties = {"operandSegmentSizes": segments(len(sizes_), 0)}
        memory = scope.value(kind, sizes_, type, properties)
        if sizes_:
            self.dynamic.append(memory)
        return memory

    def close(self, b: LoopBuilder, scope: LoopBuilder) -> None:
        """End a scope: give back temporaries of dynamic size, behind the loops that use them."""
        for memory in self.dynamic:
            scope.add(memref.DeallocOp, (memory,))
        self.dynamic.clear()
        b.ops += scope.ops


def known(sizes: Sequence[Size]) -> int:
    """The product of sizes; a dynamic one counts as 64."""
    return prod(size if isinstance(size, int) else 64 for size in sizes)


def stage_prefix(walk: Walk) -> int:
    """How many leading dims of a merged space are parallel (none where all are)."""
    if "r" not in walk.iterators:
        return 0
    return walk.iterators.index("r")


def space_sizes(stage: Stage, outer: int) -> list[int]:
    """The sizes of a stage's inner dims; -1 when dynamic."""
    sizes = [1] * len(stage.iterators)
    for value, affine_map in zip(stage.operands, stage.maps, strict=True):
        shape = memref_type(value).get_shape()
        for axis, expr in enumerate(affine_map.results):
            place = getattr(expr, "position", None)
            if place is not None:
                sizes[place] = shape[axis]
    return sizes[outer:]


@dataclass(frozen=True)
class KernelsToLoopsPass(ModulePass):
    """Write out the loops of every kernel.

    parallel: use `scf.parallel` where there is enough work. tile-rows, tile-vectors: the register
    tile of contractions (vectors of 64 bytes). block-columns, block-depth, block-rows: what is
    packed at once. fma: use `vector.fma`.
    """

    name = "kernels-to-loops"
    parallel: bool = True
    tile_rows: int = 6
    tile_vectors: int = 1
    block_columns: int = 256
    block_depth: int = 512
    block_rows: int = 1024
    fma: bool = True

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for kernel in op.ops:
            if not is_kernel(kernel):
                continue
            if not any(isinstance(inner, STAGES) for inner in kernel.body.block.ops):
                lower_marked(kernel, self.parallel)  # loops over elements, or lowered already
                continue
            refuse_tensors(kernel)
            if any(is_contraction(inner) for inner in kernel.body.block.ops):
                plan = plan_of(kernel)
                if not lanes_along_depth(plan):
                    lower_contraction(kernel, plan, self.tiling(), self.parallel)
                    continue
            _Kernel(kernel, self.parallel).run()

    def tiling(self) -> Tiling:
        """The options as tile and block sizes."""
        return Tiling(
            self.tile_rows, self.tile_vectors, self.block_columns, self.block_depth,
            self.block_rows, self.fma,
        )  # fmt: skip


def lower_contraction(kernel: func.FuncOp, plan: Plan, tiling: Tiling, parallel: bool) -> None:
    """Replace the body of a kernel with a contraction by packed and tiled loops."""
    old = kernel.body.block
    new = Block(arg_types=[arg.type for arg in old.args])
    buffers: dict[SSAValue, SSAValue] = dict(zip(old.args, new.args, strict=True))
    b = LoopBuilder(plan.generic.location)
    for op in plan.scalars:
        clone = op.clone(buffers)
        b.ops.append(clone)
        buffers.update(zip(op.results, clone.results, strict=True))
    for op in (plan.generic, plan.epilogue):
        for inner in op.walk() if op is not None else ():
            for i, operand in enumerate(inner.operands):
                if inner is not op and operand in buffers:
                    inner.operands[i] = buffers[operand]
    Contraction(b, plan, tiling, buffers, parallel).emit()
    b.add(func.ReturnOp)
    new.add_ops(b.ops)
    kernel.detach_region(kernel.body)
    kernel.add_region(Region(new))
