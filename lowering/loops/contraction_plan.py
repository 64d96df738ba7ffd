"""A contraction kernel as a matrix product: which dims are rows, columns, depth, and outer loops.

The columns are the last dims of the result, so that vectors are stored whole; the operand that has
them is packed. Rows are the dims of the other operand that stand next to them. Depth dims are the
reduced ones. All that is left (batches, and dims that cannot be walked as one) are outer loops.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import cast

from xdsl.dialects import func
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineMap

from lamina.dialects import linalg, memref
from lamina.dialects.generics import (
    ends_in,
    is_contraction,
    is_identity,
    is_parallel,
    is_thin,
    maps_of,
    owner_of,
    reduced_dims,
)
from lamina.dialects.locations import place_of
from lamina.errors import LoweringError
from lamina.lowering.buffer_types import memref_type, strides_of
from lamina.lowering.loops.access import mergeable
from lamina.lowering.loops.padding import Padding, padding_of_copy


@dataclass
class Plan:
    """What `contraction.py` emits. Dims are those of the contraction's own space."""

    generic: linalg.GenericOp
    epilogue: linalg.GenericOp | None
    padding: Padding | None
    init: SSAValue | None
    rows: list[int]
    columns: list[int]
    depth: list[int]
    outer: list[int]
    left: int
    """Which operand (0 or 1) has the rows; the other one has the columns."""
    scalars: list[Operation] = field(default_factory=list[Operation])

    @property
    def out_dims(self) -> list[int]:
        """The dims of the result, in its order."""
        return [cast(AffineDimExpr, e).position for e in maps_of(self.generic)[2].results]

    @property
    def accumulator(self) -> Attribute:
        """The element type in which products are summed."""
        return memref_type(self.generic.outputs[0]).element_type


def trailing(
    dims: list[int],
    generic: linalg.GenericOp,
    owner: int,
    out_like: Sequence[tuple[AffineMap, SSAValue]],
) -> list[int]:
    """The longest end of `dims` (places in the result) that belongs to `owner` and can be walked
    as one dim in all that is shaped like the result."""
    found: list[int] = []
    for place in range(len(dims) - 1, -1, -1):
        if owner_of(generic, dims[place]) != owner:
            break
        if found:
            maps, buffers = [m for m, _ in out_like], [v for _, v in out_like]
            if not mergeable(maps, buffers, place):
                break
        found.insert(0, dims[place])
    return found


def plan_of(kernel: func.FuncOp) -> Plan:
    """Analyse a kernel with one contraction. Raises LoweringError for a form that
    `form-kernels` does not make."""
    ops = list(kernel.body.block.ops)
    generic = next(op for op in ops if is_contraction(op))
    assert isinstance(generic, linalg.GenericOp)
    others = [op for op in ops if isinstance(op, linalg.GenericOp) and op is not generic]
    if len(others) > 1 or not all(is_parallel(op) for op in others):
        raise LoweringError(
            "kernels-to-loops: expected a contraction with at most one elementwise reader",
            place=place_of(generic.location),
        )
    epilogue = others[0] if others else None
    out_like = _out_like(generic, epilogue)
    rank = len(maps_of(generic)[2].results)
    dims = [cast(AffineDimExpr, e).position for e in maps_of(generic)[2].results]
    column_owner = owner_of(generic, dims[-1]) if dims else 1
    columns = trailing(dims, generic, column_owner, out_like) if column_owner is not None else []
    left = 1 - column_owner if column_owner is not None else 0
    before = dims[: rank - len(columns)]
    rows = trailing(before, generic, left, out_like)
    depth = reduced_dims(generic)
    outer = [d for d in dims if d not in rows and d not in columns]
    fills = {op.outputs[0]: op for op in ops if isinstance(op, linalg.FillOp)}
    start = fills.get(generic.outputs[0])
    plan = Plan(
        generic, epilogue, _padding(ops, generic, fills), start.inputs[0] if start else None,
        rows, columns, depth, outer, left,
    )  # fmt: skip
    skipped = (linalg.GenericOp, linalg.FillOp, memref.AllocOp, memref.CopyOp, memref.SubviewOp,
               func.ReturnOp)  # fmt: skip
    plan.scalars = [op for op in ops if not isinstance(op, skipped)]
    return plan


def _out_like(
    generic: linalg.GenericOp, epilogue: linalg.GenericOp | None
) -> list[tuple[AffineMap, SSAValue]]:
    """Maps and buffers over the result's space: the results, and what the epilogue reads."""
    if epilogue is None:
        rank = len(maps_of(generic)[2].results)
        return [(AffineMap.identity(rank), generic.outputs[0])]
    return [
        (m, v)
        for m, v in zip(maps_of(epilogue), epilogue.operands, strict=True)
        if v is not generic.outputs[0] or not is_identity(m)
    ]


def _padding(
    ops: Sequence[Operation], generic: linalg.GenericOp, fills: dict[SSAValue, linalg.FillOp]
) -> Padding | None:
    """The copy into a filled frame that an input reads, if there is one."""
    for op in ops:
        padding = padding_of_copy(op, fills) if isinstance(op, memref.CopyOp) else None
        if padding is not None and padding.padded in generic.inputs:
            return padding
    return None


def lanes_along_depth(plan: Plan) -> bool:
    """Whether the product is better summed along the depth in lanes: it has (almost) no rows, or
    no columns, and neighbours along the depth are neighbours in memory."""
    if plan.padding is not None or len(plan.depth) != 1:
        return False
    operands = zip(plan.generic.inputs, maps_of(plan.generic), strict=False)
    return is_thin(plan.generic) and all(
        ends_in(affine_map, plan.depth[0]) and strides_of(memref_type(value))[-1] == 1
        for value, affine_map in operands
    )
