"""Pass `fuse-elementwise`: elementwise generics over one space become one generic.

    %a = linalg.generic ... ins(%x, %y) { mulf }
    %b = linalg.generic ... ins(%a) { addf 1.0 }
    // ->
    %b = linalg.generic ... ins(%x, %y) { mulf addf }

A value that is also read elsewhere becomes one more result: nothing is computed twice. One walk
over a block, linear in its ops. Pre-condition: `simplify-generics` has run (else moves stand in
the way). Post-condition: no elementwise generic reads another one of the same space by the
identity map, unless a third op stands between the two.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects.builtin import AffineMapAttr, ArrayAttr, DenseArrayBase, ModuleOp, i32
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineMap
from xdsl.passes import ModulePass

from lamina.dialects import arith, linalg
from lamina.dialects.checks import has_effect
from lamina.dialects.generics import (
    Size,
    body_of,
    captured,
    is_elementwise,
    is_identity,
    maps_of,
    space_of,
)
from lamina.dialects.locations import fuse_locations
from lamina.dialects.nd.base import element_of
from lamina.transforms.blocks import read_values, sort_block


@dataclass(eq=False)
class Cluster:
    """Generics that become one. What depends on it has a higher level."""

    space: tuple[Size, ...]
    level: int
    members: list[linalg.GenericOp] = field(default_factory=list["linalg.GenericOp"])
    merged_into: Cluster | None = None

    def root(self) -> Cluster:
        """The cluster that this one was merged into, or itself."""
        cluster = self
        while cluster.merged_into is not None:
            cluster = cluster.merged_into
        return cluster


class _Clusters:
    """The clusters of one block, found in one walk."""

    def __init__(self, block: Block) -> None:
        self.of: dict[Operation, Cluster] = {}
        self.levels: dict[Operation, int] = {}
        effects = 0  # the level of the last op with an effect: the next one depends on it
        for op in block.ops:
            if is_elementwise(op):
                assert isinstance(op, linalg.GenericOp)
                self.place(op)
            else:
                self.levels[op] = 1 + max(map(self.level, read_values(op)), default=0)
                if has_effect(op):
                    effects = self.levels[op] = max(self.levels[op], effects + 1)

    def level(self, value: SSAValue) -> int:
        """The dependence level of the op (or cluster) that makes `value`."""
        owner = value.owner
        if not isinstance(owner, Operation):
            return 0
        cluster = self.of.get(owner)
        return cluster.root().level if cluster is not None else self.levels.get(owner, 0)

    def place(self, op: linalg.GenericOp) -> None:
        """Put `op` into the clusters of its producers if it can, else into a new one."""
        space = space_of(op)
        top = max(map(self.level, read_values(op)), default=0)
        joinable: list[Cluster] = []
        if top and any(self.level(value) == top for value in captured(op)):
            top += 1  # all of the captured tensor must be there before
        for value, affine_map in zip(op.inputs, maps_of(op), strict=False):
            owner = value.owner
            cluster = self.of.get(owner) if isinstance(owner, Operation) else None
            if cluster is None or self.level(value) != top:
                if self.level(value) == top and top:
                    joinable = []
                    break
                continue
            if why_apart(cluster.root(), space, affine_map) is not None:
                joinable = []
                break
            joinable.append(cluster.root())
        target = joinable[0] if joinable else Cluster(space, top + 1)
        for other in joinable[1:]:
            if other is not target:
                target.members += other.members
                other.members, other.merged_into = [], target
        target.members.append(op)
        self.of[op] = target


def why_apart(producer: Cluster, space: tuple[Size, ...], affine_map: AffineMap) -> str | None:
    """Why a generic over `space` that reads `producer` by `affine_map` cannot join it."""
    if not is_identity(affine_map):
        return "it reads its producer at another place than its own"
    if producer.space != space:
        return "its space has another size"
    return None


def _outside_uses(result: SSAValue, members: set[Operation]) -> bool:
    return any(use.operation not in members for use in result.uses)


def merge(members: list[linalg.GenericOp]) -> linalg.GenericOp:
    """One generic that computes what `members` (in order of definition) do; their bodies move."""
    inside: set[Operation] = set(members)
    rank = maps_of(members[0])[-1].num_dims
    identity = AffineMap.identity(rank)
    exported = [r for op in members for r in op.results if _outside_uses(r, inside)]
    body = Block()
    places: dict[tuple[SSAValue, AffineMap], SSAValue] = {}
    inside_values: dict[SSAValue, SSAValue] = {}
    constants: dict[Attribute, SSAValue] = {}
    for op in members:
        old = body_of(op)
        for value, affine_map, arg in zip(op.operands, maps_of(op), old.args, strict=True):
            if not arg.uses:
                continue
            known = inside_values.get(value)
            if known is None:
                key = (value, affine_map)
                if key not in places:
                    places[key] = body.insert_arg(arg.type, len(body.args))
                known = places[key]
            arg.replace_all_uses_with(known)
        yielded = _move_ops(old, body, constants)
        inside_values.update(zip(op.results, yielded, strict=True))
    outs: list[SSAValue] = []
    for op in members:
        for result, out in zip(op.results, op.outputs, strict=True):
            if result in exported:
                outs.append(out)
                body.insert_arg(element_of(out), len(body.args))
    location = fuse_locations([op.location for op in members])
    last = linalg.YieldOp(*(inside_values[r] for r in exported))
    last.location = location
    body.add_op(last)
    maps = [*(m for _, m in places), *([identity] * len(outs))]
    fused = linalg.GenericOp.create(
        operands=[*(value for value, _ in places), *outs],
        result_types=[r.type for r in exported],
        properties={
            "indexing_maps": ArrayAttr([AffineMapAttr(m) for m in maps]),
            "iterator_types": members[0].properties["iterator_types"],
            "operandSegmentSizes": DenseArrayBase.from_list(i32, [len(places), len(outs)]),
        },
        regions=[Region(body)],
        location=location,
    )
    for old, new in zip(exported, fused.results, strict=True):
        new.name_hint = old.name_hint
        old.replace_all_uses_with(new)
    return fused


def _move_ops(
    old: Block, body: Block, constants: dict[Attribute, SSAValue]
) -> tuple[SSAValue, ...]:
    """Move the ops of `old` to the end of `body`; constants once. What was yielded."""
    for op in list(old.ops):
        if isinstance(op, linalg.YieldOp):
            return tuple(op.operands)
        if isinstance(op, arith.ConstantOp):
            known = constants.get(op.value)
            if known is not None:
                op.result.replace_all_uses_with(known)
                continue
            constants[op.value] = op.result
        op.detach()
        body.add_op(op)
    raise AssertionError("a generic's body ends in linalg.yield")


def fuse_block(block: Block) -> None:
    """Fuse the clusters of one block, and sort it."""
    clusters = _Clusters(block).of
    places = {op: i for i, op in enumerate(block.ops)}
    merged: dict[Cluster, linalg.GenericOp] = {}
    dead: list[Operation] = []
    ops: list[Operation] = []
    for op in block.ops:
        cluster = clusters.get(op)
        root = cluster.root() if cluster is not None else None
        if root is None or len(root.members) == 1:
            ops.append(op)
            continue
        if root not in merged:
            members = sorted(root.members, key=places.__getitem__)
            merged[root] = merge(members)
            ops.append(merged[root])
        dead.append(op)
    if not merged:
        return
    for op in reversed(dead):
        op.detach()
        op.drop_all_references()
    sort_block(block, ops)


class FuseElementwisePass(ModulePass):
    """Merge elementwise generics that read one another at the same place."""

    name = "fuse-elementwise"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        blocks = {
            inner.parent: None
            for inner in op.walk()
            if isinstance(inner, linalg.GenericOp) and inner.parent is not None
        }
        for block in blocks:
            fuse_block(block)
