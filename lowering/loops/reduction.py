"""Stages that fold dims.

A float sum keeps its error small by order: blocks of 8 vectors (or rows), block sums pushed on a
binary counter (pairwise summation: Higham, Accuracy and Stability of Numerical Algorithms, 4.2),
lanes added as a written-out tree, the tail after the last whole vector at the end. Folds that are
exact in any order keep several vectors side by side, products one. What has several results
(argmax) walks one element after the other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects.builtin import DenseArrayBase, MemRefType, i64
from xdsl.ir import Attribute, Block, Region, SSAValue

from lamina.dialects import linalg, memref, scf, vector
from lamina.dialects.generics import body_of
from lamina.dialects.sizes import byte_size
from lamina.dialects.type_tests import is_vector
from lamina.lowering.builder import INDEX, segments, vector_of
from lamina.lowering.loops.access import extract_lane
from lamina.lowering.loops.body import BodyCloner, plain_ops, reads_memory, yielded
from lamina.lowering.loops.fold import fold_of
from lamina.lowering.loops.nest import LoopBuilder, Size
from lamina.lowering.loops.panels import BLOCK, LEVELS, PanelFold
from lamina.lowering.loops.stage import MAX_LANES, VECTOR_BYTES, Walk

CHAINS = 4
"""Accumulators of a fold whose order does not matter: a step need not wait for the one before."""

Load = Callable[[LoopBuilder, SSAValue], SSAValue]
"""The value at a step of a fold."""


class Reducer:
    """Emits one reducing stage. `scope` is the builder of the block around the row loop, where
    stack memory is taken (once, not in each trip)."""

    def __init__(self, walk: Walk, scope: LoopBuilder) -> None:
        self.walk = walk
        self.scope = scope
        assert isinstance(walk.stage.op, linalg.GenericOp)
        self.op = walk.stage.op
        self.fold = fold_of(self.op)
        self.reduced = [d for d, c in enumerate(walk.iterators) if c == "r"]
        self.type = walk.outputs[0].element
        self.lanes = min(MAX_LANES, VECTOR_BYTES // byte_size(self.type))

    def emit(
        self, b: LoopBuilder, outer: Sequence[SSAValue], last: tuple[Size, Size] | None = None
    ) -> None:
        """The loops after `outer`; `last` bounds the last dim when that is parallel."""
        before = range(len(outer), self.reduced[0])

        def at(inner: LoopBuilder, places: list[SSAValue]) -> None:
            self.emit_at(inner, [*outer, *places], last)

        b.nest([self.walk.sizes[d] for d in before], at)

    def emit_at(
        self, b: LoopBuilder, places: Sequence[SSAValue], last: tuple[Size, Size] | None
    ) -> None:
        """All dims from the first reduced one on."""
        after = range(self.reduced[-1] + 1, len(self.walk.sizes))
        if not after:
            if self.fold is None or len(self.reduced) > 1:
                self.emit_serial(b, places, ())
            else:
                self.emit_along(b, places)
            return
        middle = [self.walk.sizes[d] for d in after[:-1]]
        bounds = last or (0, self.walk.sizes[-1])

        def columns(inner: LoopBuilder, inside: list[SSAValue]) -> None:
            self.emit_columns(inner, places, inside, bounds)

        b.nest(middle, columns)

    # -- one element after the other ------------------------------------------------------------

    def emit_serial(
        self, b: LoopBuilder, places: Sequence[SSAValue], after: Sequence[SSAValue]
    ) -> None:
        """Carry every accumulator through loops over the reduced dims."""
        start = [*places, *([0] * len(self.reduced)), *after]
        carried = [self.start(b, i, start) for i in range(len(self.walk.outputs))]

        def level(
            inner: LoopBuilder, reduced: list[SSAValue], values: Sequence[SSAValue]
        ) -> Sequence[SSAValue]:
            if len(reduced) == len(self.reduced):
                return self.body(inner, [*places, *reduced, *after], values, 0, None)
            return inner.for_(
                0,
                self.walk.sizes[self.reduced[len(reduced)]],
                1,
                values,
                lambda deeper, place, state: level(deeper, [*reduced, place], state),
            )

        results = level(b, [], carried)
        for access, value in zip(self.walk.outputs, results, strict=True):
            access.store(b, value, start)

    def body(
        self,
        b: LoopBuilder,
        dims: Sequence[Size],
        accumulators: Sequence[SSAValue],
        lanes: int,
        lane_dim: int | None,
    ) -> Sequence[SSAValue]:
        """The whole body; what it yields."""
        values = self.load(b, dims, lanes, lane_dim)
        args = body_of(self.op).args
        values.update(zip(args[len(self.walk.inputs) :], accumulators, strict=True))
        cloner = BodyCloner(b, values, lanes, self.walk.original_dims(dims), None)
        cloner.run(plain_ops(self.op))
        return [cloner.operand(b, v) for v in yielded(self.op)]

    def load(
        self, b: LoopBuilder, dims: Sequence[Size], lanes: int, lane_dim: int | None
    ) -> dict[SSAValue, SSAValue]:
        """The inputs of the body at a place."""
        values: dict[SSAValue, SSAValue] = {}
        for arg, access in zip(body_of(self.op).args, self.walk.inputs, strict=False):
            if not arg.uses:
                continue
            if lanes:
                assert lane_dim is not None
                values[arg] = access.load_vector(b, dims, lane_dim, lanes)
            else:
                values[arg] = access.load(b, dims)
        return values

    def value(
        self, b: LoopBuilder, dims: Sequence[Size], lanes: int, lane_dim: int | None
    ) -> SSAValue:
        """What the fold adds at a place: the body without its last op."""
        assert self.fold is not None
        values = self.load(b, dims, lanes, lane_dim)
        original = self.walk.groups[lane_dim][0] if lane_dim is not None else None
        cloner = BodyCloner(b, values, lanes, self.walk.original_dims(dims), original)
        cloner.run([op for op in plain_ops(self.op) if op is not self.fold.combiner])
        return cloner.operand(b, self.fold.value)

    def start(self, b: LoopBuilder, output: int, dims: Sequence[Size]) -> SSAValue:
        """What an accumulator starts from: the fill's value, or what is in memory."""
        init = self.walk.stage.inits.get(output)
        return init if init is not None else self.walk.outputs[output].load(b, dims)

    # -- along the last dim ---------------------------------------------------------------------

    def emit_along(self, b: LoopBuilder, places: Sequence[SSAValue]) -> None:
        """Lanes lie along the reduced dim, which is the last."""
        assert self.fold is not None
        fold, dim = self.fold, self.reduced[0]
        length, lanes = self.walk.sizes[dim], self.lanes
        steps = 0 if reads_memory(self.op) else b.calc("divu", length, lanes)
        whole = b.calc("mul", steps, lanes)
        result = self.start(b, 0, [*places, 0])
        if steps != 0:

            def load(inner: LoopBuilder, step: SSAValue) -> SSAValue:
                place = inner.calc("mul", step, lanes)
                return self.value(inner, [*places, place], lanes, dim)

            vectors = self.accumulate(b, steps, load, vector_of(self.type, lanes))
            result = fold.combine(b, result, self.across(b, vectors, lanes))

        def single(
            inner: LoopBuilder, place: SSAValue, state: Sequence[SSAValue]
        ) -> Sequence[SSAValue]:
            value = self.value(inner, [*places, place], 0, None)
            return (fold.combine(inner, state[0], value),)

        (rest,) = b.for_(whole, length, 1, (b.number(fold.identity, self.type),), single)
        self.walk.outputs[0].store(b, fold.combine(b, result, rest), [*places, 0])

    def across(self, b: LoopBuilder, value: SSAValue, lanes: int) -> SSAValue:
        """The lanes combined as a tree: halves, quarters, ..."""
        assert self.fold is not None
        while lanes > 1:
            lanes //= 2
            type = vector_of(self.type, lanes)
            low, high = (
                b.value(
                    vector.ShuffleOp, (value, value), type, {"mask": _mask(range(s, s + lanes))}
                )
                for s in (0, lanes)
            )
            value = self.fold.combine(b, low, high)
        return extract_lane(b, value, 0)

    # -- across rows ----------------------------------------------------------------------------

    def emit_columns(
        self,
        b: LoopBuilder,
        places: Sequence[SSAValue],
        inside: Sequence[SSAValue],
        bounds: tuple[Size, Size],
    ) -> None:
        """Lanes lie along the last dim, which stays; rows are folded."""
        lower, upper = bounds
        dim = len(self.walk.sizes) - 1
        units = all(a.unit_along(dim) for a in self.walk.outputs) and not reads_memory(self.op)
        lanes = self.lanes if units and self.fold is not None and len(self.reduced) == 1 else 0
        split, lanes = b.whole_vectors(lower, upper, lanes)
        rows = self.walk.sizes[self.reduced[0]]
        if lanes and not (isinstance(rows, int) and rows < 2 * BLOCK):
            self.panels(places, inside, lanes).emit(b, self.scope, lower, split)
        elif lanes:
            b.for_(lower, split, lanes, (), self.column(places, inside, lanes))
        b.for_(split, upper, 1, (), self.column(places, inside, 0))

    def column(self, places: Sequence[SSAValue], inside: Sequence[SSAValue], lanes: int):
        """The body of the loop over columns: folds `lanes` columns (0: one)."""
        dim = len(self.walk.sizes) - 1

        def body(b: LoopBuilder, column: SSAValue, _: Sequence[SSAValue]) -> Sequence[SSAValue]:
            if self.fold is None or len(self.reduced) > 1:
                self.emit_serial(b, places, [*inside, column])
                return ()
            out = [*places, 0, *inside, column]

            def load(inner: LoopBuilder, row: SSAValue) -> SSAValue:
                here = [*places, row, *inside, column]
                return self.value(inner, here, lanes, dim if lanes else None)

            rows = self.walk.sizes[self.reduced[0]]
            total = self.accumulate(b, rows, load, vector_of(self.type, lanes))
            self.finish(b, total, out, lanes)
            return ()

        return body

    def panels(
        self, places: Sequence[SSAValue], inside: Sequence[SSAValue], lanes: int
    ) -> PanelFold:
        """The fold of many rows, `lanes` columns at once."""
        assert self.fold is not None
        dim = len(self.walk.sizes) - 1

        def load(b: LoopBuilder, row: Size, column: Size) -> SSAValue:
            return self.value(b, [*places, row, *inside, column], lanes, dim)

        def finish(b: LoopBuilder, total: SSAValue, column: SSAValue) -> None:
            self.finish(b, total, [*places, 0, *inside, column], lanes)

        rows = self.walk.sizes[self.reduced[0]]
        return PanelFold(self.fold, rows, self.type, lanes, load, finish)

    def finish(self, b: LoopBuilder, total: SSAValue, out: Sequence[Size], lanes: int) -> None:
        """Add a total to what the output starts from, and store it."""
        assert self.fold is not None
        access = self.walk.outputs[0]
        if not lanes:
            access.store(b, self.fold.combine(b, self.start(b, 0, out), total), out)
            return
        start = self.walk.stage.inits.get(0)
        first = (
            b.value(vector.BroadcastOp, (start,), total.type)
            if start is not None
            else access.load_vector(b, out, len(self.walk.sizes) - 1, lanes)
        )
        access.store_vector(b, self.fold.combine(b, first, total), out)

    # -- accumulation ---------------------------------------------------------------------------

    def accumulate(self, b: LoopBuilder, steps: Size, load: Load, type: Attribute) -> SSAValue:
        """The fold of `load(0) ... load(steps - 1)`."""
        assert self.fold is not None
        if self.fold.is_float_sum and not (isinstance(steps, int) and steps <= BLOCK):
            return self.cascade(b, steps, load, type)
        start = b.number(self.fold.identity, type)
        if not self.fold.is_exact or (isinstance(steps, int) and steps < 2 * CHAINS):
            return self.run(b, 0, steps, load, start)
        whole = b.calc("mul", b.calc("divu", steps, CHAINS), CHAINS)
        return self.run(b, whole, steps, load, self.chains(b, whole, load, start))

    def chains(self, b: LoopBuilder, steps: Size, load: Load, start: SSAValue) -> SSAValue:
        """`CHAINS` folds side by side; `steps` is a multiple of their number."""
        assert self.fold is not None
        fold = self.fold

        def step(
            inner: LoopBuilder, place: SSAValue, state: Sequence[SSAValue]
        ) -> Sequence[SSAValue]:
            return [
                fold.combine(inner, total, load(inner, inner.size(inner.calc("add", place, chain))))
                for chain, total in enumerate(state)
            ]

        first, *others = b.for_(0, steps, CHAINS, (start,) * CHAINS, step)
        for total in others:
            first = fold.combine(b, first, total)
        return first

    def run(
        self, b: LoopBuilder, lower: Size, upper: Size, load: Load, start: SSAValue
    ) -> SSAValue:
        """One step after the other."""
        assert self.fold is not None
        fold = self.fold

        def step(
            inner: LoopBuilder, place: SSAValue, state: Sequence[SSAValue]
        ) -> Sequence[SSAValue]:
            return (fold.combine(inner, state[0], load(inner, place)),)

        return b.for_(lower, upper, 1, (start,), step)[0]

    def cascade(self, b: LoopBuilder, steps: Size, load: Load, type: Attribute) -> SSAValue:
        """Blocks of `BLOCK` steps, their sums on a binary counter."""
        assert self.fold is not None
        fold = self.fold
        blocks = b.calc("divu", steps, BLOCK)
        levels = blocks.bit_length() if isinstance(blocks, int) else LEVELS
        lanes = type.get_shape()[0] if is_vector(type) else 0
        stack = self.stack(levels * max(1, lanes))

        def block(
            inner: LoopBuilder, number: SSAValue, _: Sequence[SSAValue]
        ) -> Sequence[SSAValue]:
            first = inner.calc("mul", number, BLOCK)

            def offset(deeper: LoopBuilder, step: SSAValue) -> SSAValue:
                return load(deeper, deeper.size(deeper.calc("add", first, step)))

            total = self.run(inner, 0, BLOCK, offset, inner.number(fold.identity, type))
            self.push(inner, stack, number, total, lanes)
            return ()

        b.for_(0, blocks, 1, (), block)
        done = b.calc("mul", blocks, BLOCK)
        total = self.run(b, done, steps, load, b.number(fold.identity, type))
        return self.pop(b, stack, blocks, levels, total, lanes)

    def stack(self, elements: int) -> SSAValue:
        """Stack memory for the counter's levels."""
        type = MemRefType(self.type, [elements])
        properties = {"operandSegmentSizes": segments(0, 0)}
        return self.scope.value(memref.AllocaOp, (), type, properties)

    def level(self, b: LoopBuilder, stack: SSAValue, place: SSAValue, lanes: int) -> SSAValue:
        """What a level of the counter holds."""
        if not lanes:
            return b.value(memref.LoadOp, (stack, place), self.type)
        offset = b.size(b.calc("mul", place, lanes))
        return b.value(vector.LoadOp, (stack, offset), vector_of(self.type, lanes))

    def push(
        self, b: LoopBuilder, stack: SSAValue, number: SSAValue, value: SSAValue, lanes: int
    ) -> None:
        """Add a block sum to the counter: full levels are added up, as carries are."""
        assert self.fold is not None
        types = (INDEX, value.type)
        before, after = Block(arg_types=types), Block(arg_types=types)
        test = b.nested()
        bit = test.int_op("and", test.int_op("shru", number, before.args[0]), test.index(1))
        full = test.cmpi("ne", bit, test.index(0))
        test.add(scf.ConditionOp, (full, *before.args))
        before.add_ops(test.ops)
        carry = b.nested()
        older = self.level(carry, stack, after.args[0], lanes)
        total = self.fold.combine(carry, older, after.args[1])
        carry.add(scf.YieldOp, (carry.int_op("add", after.args[0], carry.index(1)), total))
        after.add_ops(carry.ops)
        loop = b.add(
            scf.WhileOp, (b.index(0), value), types, regions=(Region(before), Region(after))
        )
        place, total = loop.results
        if not lanes:
            b.add(memref.StoreOp, (total, stack, place))
            return
        b.add(vector.StoreOp, (total, stack, b.size(b.calc("mul", place, lanes))))

    def pop(
        self,
        b: LoopBuilder,
        stack: SSAValue,
        blocks: Size,
        levels: int,
        total: SSAValue,
        lanes: int,
    ) -> SSAValue:
        """The sum of all levels that hold something, the newest first."""
        assert self.fold is not None
        fold = self.fold
        if isinstance(blocks, int):
            for place in range(levels):
                if blocks >> place & 1:
                    older = self.level(b, stack, b.index(place), lanes)
                    total = fold.combine(b, older, total)
            return total

        def level(
            inner: LoopBuilder, place: SSAValue, state: Sequence[SSAValue]
        ) -> Sequence[SSAValue]:
            bit = inner.int_op("and", inner.int_op("shru", blocks, place), inner.index(1))
            full = inner.cmpi("ne", bit, inner.index(0))
            return inner.if_(
                full,
                [total.type],
                lambda then: (fold.combine(then, self.level(then, stack, place, lanes), state[0]),),
                lambda _: state,
            )

        return b.for_(0, levels, 1, (total,), level)[0]


def _mask(lanes: range) -> Attribute:
    return DenseArrayBase.from_list(i64, list(lanes))
