"""A kernel as a list of stages: each a generic (or a fill) with its accesses to buffers."""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass, field

from xdsl.dialects.builtin import DYNAMIC_INDEX
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineMap

from lamina.dialects import arith, linalg, memref
from lamina.dialects.generics import (
    body_of,
    captured,
    cost_of,
    index_dims,
    iterators_of,
    leading_parallel,
    maps_of,
    prefix,
)
from lamina.dialects.locations import place_of
from lamina.dialects.sizes import byte_size
from lamina.errors import LoweringError
from lamina.lowering.buffer_types import is_contiguous, memref_type
from lamina.lowering.loops.access import (
    Access,
    collapse,
    collapse_shape,
    merge_groups,
    merged_axes,
)
from lamina.lowering.loops.body import index_of
from lamina.lowering.loops.nest import LoopBuilder, Size
from lamina.lowering.loops.padding import Framed, Padding, framed

VECTOR_BYTES = 64
"""Bytes of the widest value in a vector: fixed, so that the order of a sum is the same for every
target (LLVM splits vectors where registers are narrower)."""
MAX_LANES = 16


@dataclass(eq=False)
class Stage:
    """One generic or fill of a kernel. `inits`: what the reduction of an output starts from, where
    it was filled. `paddings`: inputs that are not in memory, but a source inside a frame.
    `captured`: the buffers that the body reads at computed places."""

    op: linalg.GenericOp | linalg.FillOp
    maps: list[AffineMap]
    iterators: str
    inits: dict[int, SSAValue] = field(default_factory=dict[int, SSAValue])
    paddings: dict[int, Padding] = field(default_factory=dict[int, Padding])
    captured: list[SSAValue] = field(default_factory=list[SSAValue])

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
        stage = Stage(op, maps_of(op), iterators_of(op), captured=captured(op))
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
    must every output. A buffer that a body reads at computed places must be whole.
    """
    rank = min(stage.parallel_prefix() for stage in stages)
    written = {v for stage in stages for v in stage.operands[stage.inputs :]} | temps
    for stage in stages:
        for value, affine_map in zip(stage.operands, stage.maps, strict=True):
            if value in written:
                rank = min(rank, prefix(affine_map))
        if any(value in written for value in stage.captured):
            return 0
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
        """The place in the stage's own space; merged dims are the first of them (`linalg.index`
        reads merged dims only where `merge_loads` made that right)."""
        return {group[0]: dims[i] for i, group in enumerate(self.groups)}


def barriers_of(stage: Stage, outer: int) -> set[int]:
    """Dims that may not be merged with the one before: where outer and inner, parallel and
    reduced dims meet, and around dims whose index is read."""
    barriers = set(range(outer + 1))
    for d in range(1, len(stage.iterators)):
        if stage.iterators[d] != stage.iterators[d - 1]:
            barriers.add(d)
    if isinstance(stage.op, linalg.GenericOp):
        for dim in index_dims(stage.op):
            barriers |= {d for d in (dim, dim + 1) if not read_as_one(stage, d)}
    for place, padding in stage.paddings.items():
        for axis, expr in enumerate(stage.maps[place].results):
            if padding.is_framed(axis):
                barriers |= expr.used_dims() | {d + 1 for d in expr.used_dims()}
    return barriers


def read_as_one(stage: Stage, dim: int) -> bool:
    """Whether the body uses the indices of dims `dim - 1` and `dim` only side by side, in loads
    from contiguous buffers that have there the sizes of the space."""
    pairs: list[tuple[memref.LoadOp, int]] = []
    for inner in body_of(stage.op).walk():
        if not isinstance(inner, linalg.IndexOp) or index_of(inner) not in (dim - 1, dim):
            continue
        first = index_of(inner) == dim - 1
        for use in inner.results[0].uses:
            if not isinstance(use.operation, memref.LoadOp):
                return False
            pairs.append((use.operation, use.index - 1 if first else use.index - 2))
    size = space_size(stage, dim)
    return bool(pairs) and all(
        _reads_pair(load, place, dim) and size == memref_type(load.memref).get_shape()[place + 1]
        for load, place in pairs
    )


def _reads_pair(load: memref.LoadOp, place: int, dim: int) -> bool:
    """Whether indices `place` and `place + 1` of a load are those of dims `dim - 1` and `dim`."""
    if not 0 <= place < len(load.indices) - 1 or not is_contiguous(load.memref.type):
        return False
    owners = [index.owner for index in load.indices]
    at = [
        p
        for p, o in enumerate(owners)
        if isinstance(o, linalg.IndexOp) and index_of(o) in (dim - 1, dim)
    ]
    found = [index_of(o) for o in owners[place : place + 2] if isinstance(o, linalg.IndexOp)]
    return at == [place, place + 1] and found == [dim - 1, dim]


def space_size(stage: Stage, dim: int) -> int | None:
    """The size of a dim, where an operand shows it and it is static."""
    for value, affine_map in zip(stage.operands, stage.maps, strict=True):
        for axis, expr in enumerate(affine_map.results):
            if isinstance(expr, AffineDimExpr) and expr.position == dim:
                size = memref_type(value).get_shape()[axis]
                return None if size == DYNAMIC_INDEX else size
    return None


def merge_loads(b: LoopBuilder, stage: Stage, groups: Sequence[Sequence[int]]) -> None:
    """Let the body's loads read merged dims by the index of the first."""
    later = {d for group in groups for d in group[1:]}
    if not isinstance(stage.op, linalg.GenericOp) or not later & index_dims(stage.op):
        return
    for load in [o for o in body_of(stage.op).walk() if isinstance(o, memref.LoadOp)]:
        merged: list[list[int]] = []
        kept: list[SSAValue] = []
        for place, index in enumerate(load.indices):
            if isinstance(index.owner, linalg.IndexOp) and index_of(index.owner) in later:
                merged[-1].append(place)
            else:
                merged.append([place])
                kept.append(index)
        if len(kept) < len(load.indices):
            load.operands = [collapse_shape(b, load.memref, merged), *kept]
    for op in [o for o in body_of(stage.op).ops if isinstance(o, linalg.IndexOp)]:
        if index_of(op) in later:
            op.detach()
            op.erase()


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
    merge_loads(b, stage, groups)
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


def lanes_of(walk: Walk, skipped: Container[SSAValue]) -> int:
    """The lanes of an elementwise stage: as many as fit for its widest value, but for values of
    the body that are never vectors."""
    types = [access.element for access in walk.outputs]
    if isinstance(walk.stage.op, linalg.GenericOp):
        body = body_of(walk.stage.op)
        given = zip(body.args, walk.inputs, strict=False)
        types += [access.element for arg, access in given if arg not in skipped]
        made = (op for op in body.ops if not isinstance(op, arith.ConstantOp))
        types += [r.type for op in made for r in op.results if r not in skipped]
    widest = max(map(byte_size, types))
    return min(MAX_LANES, VECTOR_BYTES // widest)


def vectorizable(walk: Walk, dim: int) -> bool:
    """Whether lanes can lie along `dim`: results are of unit stride along it, inputs too or
    they do not change."""
    if not all(access.unit_along(dim) for access in walk.outputs):
        return False
    return all(a.stride_along(dim) or not a.depends_on(dim) for a in walk.inputs)
