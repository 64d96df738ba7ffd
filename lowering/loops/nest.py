"""Loops: a builder that makes `scf.for` and `scf.parallel` from Python functions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from xdsl.dialects import tensor
from xdsl.dialects.builtin import DYNAMIC_INDEX
from xdsl.ir import Attribute, Block, Region, SSAValue

from lamina.dialects import memref, scf
from lamina.dialects.type_tests import is_tensor
from lamina.lowering.buffer_types import memref_type
from lamina.lowering.builder import INDEX, NO_PROPERTIES, Builder, segments

Size = int | SSAValue
"""A loop bound or dim: static, or an index value."""

Body = Callable[["LoopBuilder", SSAValue, Sequence[SSAValue]], Sequence[SSAValue]]
"""(inner builder, induction variable, carried values) -> the carried values of the next trip."""


class LoopBuilder(Builder):
    """A builder of loop-level code."""

    __slots__ = ()

    def nested(self) -> LoopBuilder:
        return LoopBuilder(self.location, self)

    def size(self, size: Size) -> SSAValue:
        """A size as an index value."""
        return self.index(size) if isinstance(size, int) else size

    def calc(self, name: str, lhs: Size, rhs: Size) -> Size:
        """An index op (`add`, `sub`, `mul`, `divu`, `remu`, `minu`), folded when it can be."""
        if isinstance(lhs, int) and isinstance(rhs, int):
            return _FOLD[name](lhs, rhs)
        if name in ("add", "sub") and rhs == 0:
            return lhs
        if name == "add" and lhs == 0:
            return rhs
        if name in ("mul", "divu") and rhs == 1:
            return lhs
        if name == "mul" and lhs == 1:
            return rhs
        if name == "mul" and 0 in (lhs, rhs):
            return 0
        return self.int_op(name, self.size(lhs), self.size(rhs))

    def whole_vectors(self, lower: Size, upper: Size, lanes: int) -> tuple[Size, int]:
        """Where the last whole vector of a range ends, and the lanes: 0 where none fits."""
        length = self.calc("sub", upper, lower)
        if not lanes or (isinstance(length, int) and length < lanes):
            return lower, 0
        whole = self.calc("mul", self.calc("divu", length, lanes), lanes)
        return self.calc("add", lower, whole), lanes

    def dim(self, buffer: SSAValue, axis: int) -> Size:
        """The size of an axis of a buffer, or of a tensor."""
        kind = tensor.DimOp if is_tensor(buffer.type) else memref.DimOp
        size = memref_type(buffer).get_shape()[axis]
        if size != DYNAMIC_INDEX:
            return size
        return self.value(kind, (buffer, self.index(axis)), INDEX)

    def for_(
        self,
        lower: Size,
        upper: Size,
        step: int,
        inits: Sequence[SSAValue],
        body: Body,
        attributes: Mapping[str, Attribute] = NO_PROPERTIES,
    ) -> Sequence[SSAValue]:
        """`scf.for` that carries `inits`; a loop of one static trip is written out."""
        if isinstance(lower, int) and isinstance(upper, int):
            if lower >= upper:
                return inits
            if lower + step >= upper:
                return body(self, self.index(lower), inits)
        types = [value.type for value in inits]
        block = Block(arg_types=[INDEX, *types])
        inner = self.nested()
        carried = body(inner, block.args[0], block.args[1:])
        inner.add(scf.YieldOp, tuple(carried))
        block.add_ops(inner.ops)
        bounds = (self.size(lower), self.size(upper), self.index(step))
        regions = (Region(block),)
        loop = self.add(scf.ForOp, (*bounds, *inits), types, regions=regions, attributes=attributes)
        return loop.results

    def parallel(
        self,
        uppers: Sequence[Size],
        steps: Sequence[int],
        body: Callable[[LoopBuilder, Sequence[SSAValue]], None],
    ) -> None:
        """`scf.parallel` from 0."""
        block = Block(arg_types=[INDEX] * len(uppers))
        inner = self.nested()
        body(inner, block.args)
        inner.add(scf.ReduceOp)
        block.add_ops(inner.ops)
        count = len(uppers)
        operands = (
            *([self.index(0)] * count),
            *(self.size(upper) for upper in uppers),
            *(self.index(step) for step in steps),
        )
        properties = {"operandSegmentSizes": segments(count, count, count, 0)}
        self.add(scf.ParallelOp, operands, (), properties, (Region(block),))

    def nest(
        self,
        sizes: Sequence[Size],
        body: Callable[[LoopBuilder, list[SSAValue]], None],
    ) -> None:
        """Nested `scf.for` over `sizes`, from 0 by 1."""

        def level(b: LoopBuilder, places: list[SSAValue]) -> None:
            if len(places) == len(sizes):
                body(b, places)
                return

            def trip(
                inner: LoopBuilder, place: SSAValue, _: Sequence[SSAValue]
            ) -> Sequence[SSAValue]:
                level(inner, [*places, place])
                return ()

            b.for_(0, sizes[len(places)], 1, (), trip)

        level(self, [])

    def if_(
        self,
        condition: SSAValue,
        types: Sequence[Attribute],
        then: Callable[[LoopBuilder], Sequence[SSAValue]],
        otherwise: Callable[[LoopBuilder], Sequence[SSAValue]] | None = None,
    ) -> Sequence[SSAValue]:
        """`scf.if`."""
        regions: list[Region] = []
        for branch in (then, otherwise):
            if branch is None:
                regions.append(Region())
                continue
            inner = self.nested()
            inner.add(scf.YieldOp, tuple(branch(inner)))
            block = Block()
            block.add_ops(inner.ops)
            regions.append(Region(block))
        return self.add(scf.IfOp, (condition,), types, regions=regions).results


_FOLD: dict[str, Callable[[int, int], int]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    # a dim of size 0 is never walked: any number will do
    "divu": lambda a, b: a // b if b else 0,
    "remu": lambda a, b: a % b if b else 0,
    "minu": min,
    "maxs": max,
}
