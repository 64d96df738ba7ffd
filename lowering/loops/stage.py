"""A kernel as a list of stages: each a generic (or a fill) with its accesses to buffers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineMap

from lamina.dialects import linalg
from lamina.dialects.generics import (
    body_of,
    cost_of,
    iterators_of,
    leading_parallel,
    maps_of,
    prefix,
)
from lamina.dialects.locations import place_of
from lamina.dialects.sizes import byte_size
from lamina.errors import LoweringError
from lamina.lowering.loops.access import Access, collapse, merge_groups, merged_axes
from lamina.lowering.loops.body import can_vectorize, index_of
from lamina.lowering.loops.nest import LoopBuilder, Size
from lamina.lowering.loops.padding import Framed, Padding, framed

VECTOR_BYTES = 64
"""Bytes of the widest value in a vector: fixed, so that the order of a sum is the same for every
target (LLVM splits vectors where registers are narrower)."""
MAX_LANES = 16


@dataclass(eq=False)
class Stage:
    """One generic or fill of a kernel. `inits`: what the reduction of an output starts from, where
    it was filled. `paddings`: inputs that are not in memory, but a source inside a frame."""

    op: linalg.GenericOp | linalg.FillOp
    maps: list[AffineMap]
    iterators: str
    inits: dict[int, SSAValue] = field(default_factory=dict[int, SSAValue])
    paddings: dict[int, Padding] = field(default_factory=dict[int, Padding])

    @property
    def inputs(self) -> int:
        """The number of input operands (a fill has none: its scalar is a captured value)."""
        return len(self.op.inputs) if isinstance(self.op, linalg.GenericOp) else 0

    @property
    def operands(self) -> Sequence[SSAValue]:
        """The buffers, inputs first."""
        if isinstance(self.op, linalg.GenericOp):
            return self.op.operands
        return self.op.outputs

    @property
    def is_reduction(self) -> bool:
        """Whether some dim is folded."""
        return "r" in self.iterators

    @property
    def cost(self) -> int:
        """Cost of one point of the space, in additions; at least 1."""
        return max(1, cost_of(self.op)) if isinstance(self.op, linalg.GenericOp) else 1

    def parallel_prefix(self) -> int:
        """How many leading dims are parallel."""
        return leading_parallel(self.iterators)


def stage_of(op: linalg.GenericOp | linalg.FillOp) -> Stage:
    """The stage of an op on buffers."""
    if isinstance(op, linalg.GenericOp):
        stage = Stage(op, maps_of(op), iterators_of(op))
        for inner in body_of(op).walk():
            if isinstance(inner, linalg.IndexOp) and not 0 <= index_of(inner) < len(
                stage.iterators
            ):
                raise LoweringError(
                    f"kernels-to-loops: expected linalg.index of a dim from 0 to "
                    f"{len(stage.iterators) - 1}, found {index_of(inner)}",
                    place=place_of(inner.location),
                )
        return stage
    rank = len(op.outputs[0].type.get_shape())  # type: ignore
    return Stage(op, [AffineMap.identity(rank)], "p" * rank)


def outer_rank(stages: Sequence[Stage], temps: set[SSAValue]) -> int:
    """How many leading dims all stages walk together.

    Buffers that one stage writes and another reads must have these dims first in both maps; so
    must every output.
    """
    rank = min(stage.parallel_prefix() for stage in stages)
    written = {v for stage in stages for v in stage.operands[stage.inputs :]} | temps
    for stage in stages:
        for value, affine_map in zip(stage.operands, stage.maps, strict=True):
            if value in written:
                rank = min(rank, prefix(affine_map))
    return rank


@dataclass(eq=False)
class Walk:
    """A stage with merged dims: accesses, sizes and iterators of the dims that are left."""

    stage: Stage
    accesses: list[Access]
    sizes: list[Size]
    iterators: str
    groups: list[list[int]]

    @property
    def inputs(self) -> list[Access]:
        """What is read."""
        return self.accesses[: self.stage.inputs]

    @property
    def outputs(self) -> list[Access]:
        """What is written."""
        return self.accesses[self.stage.inputs :]

    def original_dims(self, dims: Sequence[Size]) -> dict[int, Size]:
        """The place in the stage's own space (dims that `linalg.index` reads are not merged)."""
        return {group[0]: dims[i] for i, group in enumerate(self.groups) if len(group) == 1}


def barriers_of(stage: Stage, outer: int) -> set[int]:
    """Dims that may not be merged with the one before: where outer and inner, parallel and
    reduced dims meet, and around dims whose index is read."""
    barriers = set(range(outer + 1))
    for d in range(1, len(stage.iterators)):
        if stage.iterators[d] != stage.iterators[d - 1]:
            barriers.add(d)
    if isinstance(stage.op, linalg.GenericOp):
        for op in body_of(stage.op).walk():
            if isinstance(op, linalg.IndexOp):
                barriers |= {index_of(op), index_of(op) + 1}
    for place, padding in stage.paddings.items():
        for axis, expr in enumerate(stage.maps[place].results):
            if padding.is_framed(axis):
                barriers |= expr.used_dims() | {d + 1 for d in expr.used_dims()}
    return barriers


def walk_of(
    b: LoopBuilder,
    stage: Stage,
    buffers: Sequence[tuple[SSAValue, int]],
    outer: int,
) -> Walk:
    """Merge the dims of a stage. `buffers`: for each operand its buffer, and how many leading
    results of its map are left out (outer dims of a temporary)."""
    maps = [
        AffineMap(m.num_dims, 0, m.results[dropped:])
        for m, (_, dropped) in zip(stage.maps, buffers, strict=True)
    ]
    rank = len(stage.iterators)
    values = [buffer for buffer, _ in buffers]
    groups = merge_groups(maps, values, rank, barriers_of(stage, outer))
    accesses = [
        collapse(b, value, affine_map, groups)
        for value, affine_map in zip(values, maps, strict=True)
    ]
    for place, padding in stage.paddings.items():
        axes = merged_axes(maps[place], groups)
        accesses[place] = framed(accesses[place], padding, axes)
    iterators = "".join(stage.iterators[group[0]] for group in groups)
    return Walk(stage, accesses, sizes_of(b, accesses, len(groups)), iterators, groups)


def sizes_of(b: LoopBuilder, accesses: Sequence[Access], rank: int) -> list[Size]:
    """The size of each dim, from an access in which it stands alone (0 is a dim that no access
    shows: an outer one of temporaries only)."""
    sizes: list[Size] = [0] * rank
    for access in reversed(accesses):
        if isinstance(access, Framed):
            continue
        for axis, expr in enumerate(access.exprs):
            if isinstance(expr, AffineDimExpr):
                sizes[expr.position] = b.dim(access.buffer, axis)
    return sizes


def lanes_of(walk: Walk) -> int:
    """The lanes of an elementwise stage: as many as fit for its widest value."""
    types = [access.element for access in walk.accesses]
    if isinstance(walk.stage.op, linalg.GenericOp):
        types += [r.type for op in body_of(walk.stage.op).ops for r in op.results]
    widest = max(map(byte_size, types))
    return min(MAX_LANES, VECTOR_BYTES // widest)


def vectorizable(walk: Walk, dim: int) -> bool:
    """Whether lanes can lie along `dim`: results are of unit stride along it, inputs too or
    they do not change, and the body reads no memory."""
    if not all(access.unit_along(dim) for access in walk.outputs):
        return False
    if not all(a.stride_along(dim) or not a.depends_on(dim) for a in walk.inputs):
        return False
    return not isinstance(walk.stage.op, linalg.GenericOp) or can_vectorize(walk.stage.op)
