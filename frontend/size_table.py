"""What one trace knows of its symbolic sizes: where their values come from, what the trace takes
for granted of them, and the `nd` ops that compute them.

A size of an argument has a value in the call that is traced. Where code asks what bounds do not
tell (`if n > 5`), that value answers, and the answer is a condition of the compiled version.
"""

# pyright: reportPrivateUsage=false
from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from xdsl.dialects.builtin import IntegerAttr, i64
from xdsl.ir import Block, Operation, SSAValue

from lamina.dialects import arith
from lamina.errors import TraceError
from lamina.frontend import dims, ir, size_checks
from lamina.frontend.dims import AnySize, Product, Quotient, Size, Symbol
from lamina.frontend.dtypes import int64
from lamina.frontend.location import fail, user_position
from lamina.frontend.shapes import Shape, result_shape
from lamina.frontend.traced import TracedArray, WeakScalar

if TYPE_CHECKING:
    from lamina.frontend.recorder import Recorder

OPPOSITE = {"eq": "ne", "ne": "eq", "lt": "ge", "ge": "lt", "le": "gt", "gt": "le"}
SIGNS = {"eq": "==", "ne": "!=", "lt": "<", "ge": ">=", "le": "<=", "gt": ">"}


@dataclass(frozen=True)
class Require:
    """A condition of a trace: `size` is `kind` (eq, ne, lt, ...) 0. text: as the user's code has
    it; place: the user's line."""

    kind: str
    size: Size
    text: str
    place: str

    def holds(self, values: Mapping[Symbol, int]) -> bool:
        """Whether it holds for these sizes."""
        return dims.COMPARE[self.kind](dims.evaluate(self.size, values), 0)


@dataclass(frozen=True)
class Axis:
    """symbol = (the size of an axis of an argument - offset) / scale. number: the argument's."""

    number: int
    axis: int
    scale: int = 1
    offset: int = 0

    def value(self, size: int) -> int:
        """The symbol's value for a size of the axis."""
        return (size - self.offset) // self.scale


def solved(size: Size) -> tuple[Symbol, int, int] | None:
    """(symbol, scale, offset) of a size that is `scale * symbol + offset`; None for others."""
    products = [product for product in size._terms if product]
    if len(products) != 1 or len(products[0]) != 1 or isinstance(products[0][0], Quotient):
        return None
    scale = size._terms[products[0]]
    return (products[0][0], scale, size._terms.get((), 0)) if scale > 0 else None


class SizeTable:
    """The symbolic sizes of one recorder.

    hints: the values of symbols in the call that is traced. requires: what the trace takes for
    granted. axes: the symbols that sizes of arguments tell. refused: the last error of code that
    needed a number.
    """

    def __init__(self, recorder: Recorder) -> None:
        self.recorder: Any = recorder
        self.hints: dict[Symbol, int] = {}
        self.requires: list[Require] = []
        self.axes: dict[Symbol, Axis] = {}
        self.refused: TraceError | None = None
        self._given: dict[Any, tuple[SSAValue, int]] = {}
        self._sources: dict[Symbol, SSAValue] = {}
        self._known: dict[SSAValue, AnySize] = {}
        self._made: dict[tuple[Any, Block], SSAValue] = {}
        self._computed: dict[Any, Size] = {}
        self._names = 0

    def take_hints(self, shapes: Mapping[int, Shape], leaves: Sequence[Any]) -> None:
        """The values of symbols for a call with these leaves, which fit `shapes`."""
        for leaf, shape in shapes.items():
            for size, found in zip(shape, leaves[leaf].shape, strict=True):
                parts = solved(size) if dims.is_size(size) else None
                if parts is not None:
                    self.hints[parts[0]] = (found - parts[2]) // parts[1]

    # what is asked while tracing

    def hinted(self, size: AnySize) -> bool:
        """Whether the call that is traced tells the size."""
        return all(symbol in self.hints for symbol in dims.symbols_of(size))

    def decide(self, kind: str, difference: Size, x: AnySize, y: AnySize) -> bool:
        """Whether `difference` is `kind` 0, as the call that is traced has it."""
        table = self._hinting(difference)
        if table is None:
            fail(
                TraceError,
                f"expected sizes of which {x} {SIGNS[kind]} {y} is known while tracing, found "
                "sizes that change in a loop; compare them as arrays, in lm.where or lm.cond",
            )
        answer = dims.COMPARE[kind](dims.evaluate(difference, table.hints), 0)
        table.require(kind if answer else OPPOSITE[kind], difference, x, y)
        return answer

    def _hinting(self, size: AnySize) -> SizeTable | None:
        """The table whose call tells the size: this one, or one of a trace around."""
        recorder = self.recorder
        while recorder is not None and not recorder.sizes.hinted(size):
            recorder = recorder.outer
        return None if recorder is None else recorder.sizes

    def undecided(self, size: AnySize) -> bool:
        """Whether no call tells the size: it changes in a loop."""
        return self._hinting(size) is None

    def values(self, known: AnySize, *sizes: AnySize) -> list[int] | None:
        """What sizes are in the call that is traced; None unless it tells `known`."""
        table = self._hinting(known)
        return None if table is None else [dims.evaluate(size, table.hints) for size in sizes]

    def check_equal(self, name: str, x: AnySize, y: AnySize) -> None:
        """Let the program check that two sizes are equal."""
        key = "equal", dims.key_of(x), dims.key_of(y)
        if (key, self.recorder.block) in self._made:
            return
        a, b = self.array(x), self.array(y)
        message = f"{name}: expected sizes that are equal, found {{}} and {{}}"
        self._check([self.recorder.emit("equal", [a, b], {}), a, b], message)
        self._made[key, self.recorder.block] = self.recorder.read(a)

    def check_filled(self, name: str, size: Size, axis: int) -> None:
        """Let the program check that a size is 1 or more."""
        array = self.array(size)
        one = self.recorder.constant(np.asarray(1))
        holds = self.recorder.emit("greater_equal", [array, one], {})
        message = f"{name}: expected a size of 1 or more on axis {axis}, found {{}}"
        self._check([holds, array], message)

    def _check(self, operands: Sequence[TracedArray], message: str) -> None:
        self.recorder.effect("check", operands, {"error": "ShapeError", "message": message})

    def require(self, kind: str, size: Size, x: AnySize, y: AnySize) -> None:
        """From here on the trace holds where `size` is `kind` 0."""
        file, line, _ = user_position()
        found = Require(kind, size, f"{x} {SIGNS[kind]} {y}", f"{file}:{line}")
        if not any(r.kind == kind and dims.same(r.size, size) for r in self.requires):
            self.requires.append(found)

    # where values come from

    def argument(self, value: SSAValue, number: int, shape: tuple[AnySize, ...]) -> None:
        """The block argument `value` is argument `number`, of this shape."""
        for axis, size in enumerate(shape):
            if dims.is_size(size):
                self._given.setdefault(size.key, (value, axis))
            parts = solved(size) if dims.is_size(size) else None
            if parts is None:
                continue
            symbol, scale, offset = parts
            known = self.axes.get(symbol)
            simpler = (scale, offset) == (1, 0) and known is not None and known.scale != 1
            if known is None or simpler:
                self.axes[symbol] = Axis(number, axis, scale, offset)
                self._sources[symbol] = value

    def loop_index(self, value: SSAValue, low: AnySize, high: AnySize) -> None:
        """The block argument `value`, of type index, goes from `low` to below `high`."""
        symbol = Symbol(self._name("i"), low, dims.minus(high, 1))
        self._sources[symbol] = value
        self._known[value] = dims.of_symbol(symbol)

    def _name(self, name: str) -> str:
        self._names += 1
        return name if self._names == 1 else f"{name}{self._names}"

    def number(self, array: TracedArray) -> AnySize:
        """A traced integer as a size: an expression of what it is computed from."""
        if array.dtype != int64:
            array = self.recorder.emit("cast", [array], {"dtype": int64})
        return self._expression(self._origin(array))

    def _origin(self, array: TracedArray) -> SSAValue:
        """The value of an array; of one from outside a loop, not the argument of the loop's body
        that stands for it until the body is known not to write it."""
        value = self.recorder.read(array)
        storage = array._storage
        if array._steps or storage.version:
            return value
        scope = self.recorder.scope
        while scope is not None:
            entry = scope.entered.get(storage)
            value = value if entry is None else entry.before
            scope = scope.parent
        return value

    def _expression(self, value: SSAValue) -> AnySize:
        if value in self._known:
            return self._known[value]
        owner = value.owner
        found: AnySize | None = None
        if isinstance(owner, Operation):
            found = self._computed_by(owner)
        if found is None:
            symbol = Symbol(self._name("k"), None, None)
            self._sources[symbol] = value
            found = dims.of_symbol(symbol)
        self._known[value] = found
        return found

    def _computed_by(self, op: Operation) -> AnySize | None:
        """What an op on 0-d integers makes, where that is an expression."""
        combine = {"nd.add": dims.plus, "nd.subtract": dims.minus, "nd.multiply": dims.times}
        if op.name in combine:
            return combine[op.name](*map(self._expression, op.operands))
        if op.name == "nd.negative":
            return dims.times(self._expression(op.operands[0]), -1)
        if op.name == "nd.from_index":
            return self._known.get(op.operands[0])
        if op.name == "nd.constant":
            value = ir.known_value(op.results[0], self.recorder.resources, {})
            return None if value is None else int(value)
        return None

    # the ops that compute sizes

    def index_of(self, size: AnySize) -> SSAValue:
        """The size as a value of type index, computed in the current block."""
        place = dims.key_of(size), self.recorder.block
        value = self._made.get(place)
        if value is None:
            if isinstance(size, Size):
                given = self._given.get(size.key)
                value = self._sum(size) if given is None else self._dim(*given)
            else:
                value = self._insert(arith.ConstantOp, (), {"value": IntegerAttr(size, ir.INDEX)})
            self._made[place] = value
            self._known[value] = size
        return value

    def _insert(
        self, kind: type[Operation], operands: Sequence[SSAValue], properties: Mapping[str, Any]
    ) -> SSAValue:
        op = kind.create(operands=operands, result_types=[ir.INDEX], properties=properties)
        return self.recorder.insert(op)

    def _op(self, kind: type[Operation], x: SSAValue, y: SSAValue) -> SSAValue:
        flagged = kind in (arith.AddiOp, arith.SubiOp, arith.MuliOp)
        return self._insert(kind, (x, y), {"overflowFlags": arith.NO_OVERFLOW} if flagged else {})

    def _dim(self, value: SSAValue, axis: int) -> SSAValue:
        return self._insert(ir.OPS["dim"], (value,), {"axis": IntegerAttr(axis, i64)})

    def _sum(self, size: Size) -> SSAValue:
        total: SSAValue | None = None
        ordered = sorted(size._terms.items(), key=lambda item: item[1] < 0)
        for product, number in ordered:
            part = self._product(product, abs(number) if total is not None else number)
            if total is None:
                total = part
            else:
                total = self._op(arith.SubiOp if number < 0 else arith.AddiOp, total, part)
        assert total is not None
        return total

    def _product(self, product: Product, number: int) -> SSAValue:
        factors = [self._atom(atom) for atom in product]
        if number != 1 or not factors:
            factors.append(self.index_of(number))
        total = factors[0]
        for factor in factors[1:]:
            total = self._op(arith.MuliOp, total, factor)
        return total

    def _atom(self, atom: Symbol | Quotient) -> SSAValue:
        if isinstance(atom, Quotient):
            return self._quotient(self.index_of(atom.size), atom)
        value = self._sources.get(atom)
        if value is None or not self.recorder._visible(value):
            fail(
                TraceError,
                f"expected sizes that exist here, found {atom}, which was made in a branch or a "
                "body of a loop, or in another trace",
            )
        axis = self.axes.get(atom)
        if axis is not None:
            found = self._dim(value, axis.axis)
            if axis.offset:
                found = self._op(arith.SubiOp, found, self.index_of(axis.offset))
            if axis.scale != 1:
                found = self._op(arith.DivUIOp, found, self.index_of(axis.scale))
            return found
        if value.type == ir.INDEX:
            return value
        return self._insert(ir.OPS["to_index"], (value,), {})

    def _quotient(self, value: SSAValue, atom: Quotient) -> SSAValue:
        """The floor; MLIR's division rounds to zero."""
        divisor = self.index_of(atom.divisor)
        low = dims.lower(atom.size)
        if low is not None and low >= 0:
            return self._op(arith.DivUIOp, value, divisor)
        quotient = self._op(arith.DivSIOp, value, divisor)
        rest = self._op(arith.RemSIOp, value, divisor)
        sign = self._op(arith.ShRSIOp, rest, self.index_of(63))
        return self._op(arith.AddiOp, quotient, sign)

    def bound(self, bound: AnySize, size: AnySize) -> AnySize:
        """A bound of a slice, counted from the end where it is negative, and in the axis."""
        if not self.undecided(dims.plus(bound, size)):
            found = dims.plus(bound, size) if bound < 0 else bound
            return self.clamped(found, size)
        known = dims.provable("ge", bound)
        if known is not None:
            return self.clamped(bound if known else dims.plus(bound, size), size)
        value = self.index_of(bound)
        sign = self._op(arith.ShRSIOp, value, self.index_of(63))
        room = self._op(arith.AndIOp, sign, self.index_of(size))
        key = "wrapped", dims.key_of(bound), dims.key_of(size)
        found = self._symbol(key, self._op(arith.AddiOp, value, room), None, None)
        return self.clamped(found, size)

    def clamped(self, size: AnySize, high: AnySize) -> AnySize:
        """The size, but from 0 to `high`: as the call that is traced has it, else a new symbol."""
        over = dims.minus(size, high)
        if not self.undecided(size) and not self.undecided(over):
            if dims.decide("lt", size, 0):
                return 0
            return high if dims.decide("gt", size, high) else size
        found = size
        if dims.provable("ge", found) is not True:
            found = self._limited(arith.MaxSIOp, found, 0, high)
        over = dims.minus(found, high)
        if dims.provable("le", over) is True:
            return found
        if dims.provable("ge", over) is True:
            return high
        return self._limited(arith.MinSIOp, found, high, high)

    def _limited(
        self, kind: type[Operation], size: AnySize, limit: AnySize, high: AnySize
    ) -> AnySize:
        key = kind.__name__, dims.key_of(size), dims.key_of(limit)
        value = self._op(kind, self.index_of(size), self.index_of(limit))
        # the smaller is tried first, so that the other is known to be 0 or more
        top = kind is arith.MinSIOp or dims.provable("le", dims.minus(size, high))
        return self._symbol(key, value, 0, high if top else None)

    def _symbol(self, key: Any, value: SSAValue, low: AnySize | None, high: AnySize | None) -> Size:
        """The symbol of a computed value; one for equal computations."""
        found = self._computed.get(key)
        if found is None:
            symbol = Symbol(self._name("k"), low, high)
            found = self._computed[key] = dims.of_symbol(symbol)
            self._sources[symbol] = value
            self._known[value] = found
        elif not self.recorder._visible(self._sources[dims.symbols_of(found)[0]]):
            self._sources[dims.symbols_of(found)[0]] = value
        return found

    # ops with such sizes

    def given(
        self, name: str, shape: Shape, values: list[SSAValue], params: dict[str, Any]
    ) -> dict[str, Any]:
        """The parameters of a primitive of which an operand or the result has such a size.

        `values` gets the sizes that the op takes as operands. Raises `TraceError` for an op that
        takes numbers only.
        """
        if name in ("broadcast", "reshape", "iota"):
            values += [self.index_of(size) for size in shape if dims.is_size(size)]
            return params
        held = ir.OPS[name].get_irdl_definition().properties
        for key, value in params.items():
            if key in held and not dims.is_static(value if isinstance(value, tuple) else (value,)):
                size_checks.refuse(name, f"{key} {value}")
        if name == "random_bits" and not dims.is_static(shape):
            size_checks.refuse(name, f"shape {shape}")
        return params

    def sliced(self, array: TracedArray, params: dict[str, Any]) -> TracedArray:
        """A slice of such an axis, or with such bounds."""
        starts, limits, strides = params["starts"], params["limits"], params["strides"]
        recorder, shape = self.recorder, array.shape
        ends = [dims.same(limit, size) for limit, size in zip(limits, shape, strict=True)]
        plain = all(end or not dims.is_size(limit) for end, limit in zip(ends, limits, strict=True))
        if plain and dims.is_static(starts):
            bounds = zip(ends, limits, strict=True)
            limits = tuple(-1 if end and dims.is_size(limit) else limit for end, limit in bounds)
            result = result_shape("slice", [shape], params)
            position, location = recorder._here()
            op = recorder._operation(
                "slice", [recorder.read(array)], result, array.dtype, params | {"limits": limits}
            )
            return recorder._result(op, location, result, array.dtype, position)
        window = tuple(limit - start for start, limit in zip(starts, limits, strict=True))
        found = recorder.at_index("dynamic_slice", [array], starts, window)
        if all(stride == 1 for stride in strides):
            return found
        zeros = (0,) * len(window)
        return recorder.emit(
            "slice", [found], {"starts": zeros, "limits": window, "strides": strides}
        )

    # sizes as numbers of the program

    def scalar(self, size: Size) -> WeakScalar:
        """The size as a Python int that a run computes: it takes the type of what it meets."""
        return dims.NUMBERS["weak"](self.array(size), dims.lower(size), dims.upper(size))

    def array(self, size: AnySize) -> TracedArray:
        """The size as a 0-d array of int64."""
        if not isinstance(size, Size):
            return self.recorder.constant(np.asarray(size, np.int64))
        position, location = self.recorder._here()
        op = ir.OPS["from_index"].create(
            operands=[self.index_of(size)], result_types=[ir.tensor_type((), int64)]
        )
        value = self.recorder.insert(op, location)
        self._known[value] = size
        return self.recorder.fresh(value, (), int64, position)

    # what `scratch` forgets

    def state(self) -> tuple[Any, ...]:
        """All that a trace of nothing must not change."""
        tables = (self._sources, self._known, self._made, self._computed)
        return (list(self.requires), *map(dict, tables), self._names)  # type: ignore[arg-type]

    def restore(self, state: tuple[Any, ...]) -> None:
        """Back to a `state`."""
        self.requires, self._sources, self._known, self._made, self._computed, self._names = state
