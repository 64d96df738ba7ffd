"""Frames of padding that are never in memory: reading through a copy into a filled buffer.

linalg.fill ins(%zero) outs(%p)                        // not made
memref.copy %x, subview of %p at [0, 1]                // not made
linalg.generic ins(%p) ...                             // reads %x[i, j - 1], or %zero outside
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import DYNAMIC_INDEX
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineDimExpr, AffineExpr

from lamina.dialects import linalg, memref, vector
from lamina.lowering.buffer_types import memref_type
from lamina.lowering.builder import vector_of
from lamina.lowering.loops.access import Access, coefficient, place_in, strided_load
from lamina.lowering.loops.nest import LoopBuilder, Size


@dataclass(frozen=True)
class Padding:
    """`padded` is `source` inside a frame of `value`: element i is source[i - low]."""

    padded: SSAValue
    source: SSAValue
    value: SSAValue
    low: tuple[int, ...]

    def is_framed(self, axis: int) -> bool:
        """Whether there may be padding along an axis."""
        inner, outer = (memref_type(v).get_shape()[axis] for v in (self.source, self.padded))
        return bool(self.low[axis]) or inner != outer or inner == DYNAMIC_INDEX


def padding_of_copy(op: memref.CopyOp, fills: Mapping[SSAValue, linalg.FillOp]) -> Padding | None:
    """The frame that `op` copies into, when that is a filled buffer."""
    view = op.destination.owner
    if not isinstance(view, memref.SubviewOp) or view.source not in fills:
        return None
    low = tuple(view.static_offsets.get_values())
    return Padding(view.source, op.source, fills[view.source].inputs[0], low)


@dataclass(frozen=True)
class Framed(Access):
    """An access to a padded buffer; `buffer` is the source. The places on the axes of `checked` may
    be outside it, and then the element is `frame`."""

    low: tuple[int, ...]
    checked: tuple[bool, ...]
    frame: SSAValue

    def inner_places(
        self, b: LoopBuilder, dims: Sequence[Size], free: int | None = None
    ) -> tuple[list[Size], SSAValue | None]:
        """Places in the source, 0 for those that are outside it on some axis, and whether none is
        (None: always). Places that move along the dim `free` are known to be inside."""
        places: list[Size] = []
        inside: SSAValue | None = None
        for axis, (expr, low) in enumerate(zip(self.exprs, self.low, strict=True)):
            place = b.calc("sub", place_in(b, expr, dims), low)
            if self.checked[axis] and (free is None or coefficient(expr, free) == 0):
                # unsigned: what is before the start is beyond every size
                index = b.size(place)
                here = b.cmpi("ult", index, b.size(b.dim(self.buffer, axis)))
                inside = here if inside is None else b.int_op("and", inside, here)
                place = b.select(here, index, b.index(0))
            places.append(place)
        return places, inside

    def load(self, b: LoopBuilder, dims: Sequence[Size]) -> SSAValue:
        if 0 in memref_type(self.buffer).get_shape():
            return self.frame
        places, inside = self.inner_places(b, dims)
        indices = [b.size(place) for place in places]
        found = b.value(memref.LoadOp, (self.buffer, *indices), self.element)
        return found if inside is None else b.select(inside, found, self.frame)

    def load_vector(self, b: LoopBuilder, dims: Sequence[Size], dim: int, lanes: int) -> SSAValue:
        """As that of `Access`; the lanes along `dim` are inside (see `interior`)."""
        type = vector_of(self.element, lanes)
        if not self.depends_on(dim):
            return b.value(vector.BroadcastOp, (self.load(b, dims),), type)
        frame = b.value(vector.BroadcastOp, (self.frame,), type)
        shape = memref_type(self.buffer).get_shape()
        if 0 in shape:
            return frame
        places, inside = self.inner_places(b, dims, dim)
        stride = self.stride_along(dim)

        def load(inner: LoopBuilder) -> SSAValue:
            return strided_load(inner, self.buffer, places, stride, lanes)

        if inside is None:
            return load(b)
        if DYNAMIC_INDEX not in shape:
            return b.select(inside, load(b), frame)
        # place 0 is one of memory only where no axis is empty
        return b.if_(inside, [type], lambda then: (load(then),), lambda _: (frame,))[0]

    def stride_along(self, dim: int) -> int:
        """As that of `Access`; 0 where the dims that stay inside cannot be told."""
        last = self.exprs[-1] if self.exprs else AffineExpr.constant(0)
        return super().stride_along(dim) if last.used_dims() == {dim} else 0

    def interior(self, b: LoopBuilder, dim: int) -> tuple[int, Size] | None:
        """From where to where along `dim` the last axis is inside the source; None: everywhere."""
        if not self.depends_on(dim) or not self.checked[-1]:
            return None
        stride, last = self.stride_along(dim), len(self.exprs) - 1
        offset = self.low[last] - constant_of(self.exprs[last])
        end = b.calc("maxs", b.calc("add", b.dim(self.buffer, last), offset), 0)
        return max(0, -(-offset // stride)), b.calc("divu", b.calc("add", end, stride - 1), stride)


def constant_of(expr: AffineExpr) -> int:
    """The value of a linear expression where all dims are 0."""
    if isinstance(expr, AffineDimExpr):
        return 0
    if isinstance(expr, AffineConstantExpr):
        return expr.value
    zeros: list[AffineExpr] = [AffineExpr.constant(0)] * (max(expr.used_dims(), default=0) + 1)
    found = expr.replace_dims_and_symbols(zeros, []).simplify(0, 0)
    assert isinstance(found, AffineConstantExpr)
    return found.value


def framed(access: Access, padding: Padding, axes: Sequence[Sequence[int]]) -> Framed:
    """`access` to the source of `padding` as one to the padded buffer. `axes`: those that each
    axis of the access is made of."""
    low = tuple(padding.low[group[0]] for group in axes)
    checked = tuple(any(padding.is_framed(axis) for axis in group) for group in axes)
    return Framed(access.buffer, access.exprs, low, checked, padding.value)
