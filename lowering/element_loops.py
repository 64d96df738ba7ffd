"""Loops over elements: the private functions of ops that have no linalg form.

    %r = func.call @scan_0(%x, %e) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
    func.func private @scan_0(%x: tensor<4x8xf32>, %out: tensor<4x8xf32>) -> tensor<4x8xf32> {
      %r = scf.for ... iter_args(%o = %out) {
        %v = tensor.extract %x[%i, %k]
        %n = tensor.insert %s into %o[%i, %k]
        scf.yield %n
      } {lamina.parallel = 8}

A function takes what it reads, then one destination for each result. Its tensors are used up: what
is carried, inserted into or yielded is not read again, so that each lives in one buffer
(`bufferize_loops`). `lamina.parallel` on a loop says that its iterations are independent, and how
much work one is (in additions); `lamina.vector` that they are lanes; `lamina.poll` that it may run
for long (`insert_polls`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects import func, tensor
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    FunctionType,
    IntegerAttr,
    StringAttr,
    SymbolRefAttr,
    TensorType,
    UnitAttr,
    i64,
)
from xdsl.ir import Attribute, Block, Region, SSAValue

from lamina.dialects import scf
from lamina.dialects.kernels import LONG, PARALLEL, VECTOR
from lamina.dialects.nd.base import element_of
from lamina.lowering.linalg_builder import LinalgBuilder
from lamina.lowering.loops.nest import Body, LoopBuilder, Size

POLL_TRIPS = 1 << 16
"""Elements between two looks at the outside world, in a loop that may run for long."""

Values = Sequence[SSAValue]
Emitter = Callable[[LoopBuilder, Values, Values], Values]
"""(builder, inputs, destinations) -> the results, made from the destinations."""


def get(b: LoopBuilder, source: SSAValue, *at: Size) -> SSAValue:
    """The element of `source` at `at`."""
    places = map(b.size, at)
    return b.value(tensor.ExtractOp, (source, *places), element_of(source))


def put(b: LoopBuilder, value: SSAValue, target: SSAValue, *at: Size) -> SSAValue:
    """`target` with `value` at `at`; `target` is used up."""
    places = map(b.size, at)
    return b.value(tensor.InsertOp, (value, target, *places), target.type)


def scratch(b: LoopBuilder, element: Attribute, *sizes: Size) -> SSAValue:
    """A tensor of unknown elements: memory of this thread until the block ends."""
    dynamic = [size for size in sizes if not isinstance(size, int)]
    shape = [size if isinstance(size, int) else DYNAMIC_INDEX for size in sizes]
    return b.value(tensor.EmptyOp, dynamic, TensorType(element, shape))


def split(b: LoopBuilder, number: Size, sizes: Sequence[Size]) -> list[Size]:
    """The row-major place `number` of a space of `sizes`."""
    place: list[Size] = []
    for size in reversed(sizes[1:]):
        place.insert(0, b.calc("remu", number, size))
        number = b.calc("divu", number, size)
    return [number, *place] if sizes else []


def product(b: LoopBuilder, sizes: Sequence[Size]) -> Size:
    """The number of places of a space."""
    total: Size = 1
    for size in sizes:
        total = b.calc("mul", total, size)
    return total


def independent(
    b: LoopBuilder, upper: Size, step: int, cost: int, inits: Values, body: Body
) -> Values:
    """A loop from 0 whose iterations write elements of their own and read no other's.

    cost: the work of one iteration, in additions.
    """
    return b.for_(0, upper, step, inits, body, {PARALLEL: IntegerAttr(max(cost, 1), i64)})


def lanes_for(b: LoopBuilder, lanes: int, inits: Values, body: Body) -> Values:
    """A loop over `lanes` independent lanes: the last index of what it reads and writes. Its body
    is elementwise, and becomes vectors; all that it reads is read before it writes."""
    return b.for_(0, lanes, 1, inits, body, {VECTOR: UnitAttr()})


def long_for(b: LoopBuilder, lower: Size, upper: Size, inits: Values, body: Body) -> Values:
    """A loop by 1 that can be interrupted, in blocks of `POLL_TRIPS`."""
    length = b.calc("sub", upper, lower)
    if isinstance(length, int) and length <= POLL_TRIPS:
        return b.for_(lower, upper, 1, inits, body)

    def block(inner: LoopBuilder, start: SSAValue, carried: Values) -> Values:
        end = inner.calc("minu", inner.calc("add", start, POLL_TRIPS), upper)
        return inner.for_(start, end, 1, carried, body)

    return b.for_(lower, upper, POLL_TRIPS, inits, block, {LONG: UnitAttr()})


def while_(
    b: LoopBuilder,
    inits: Values,
    test: Callable[[LoopBuilder, Values], SSAValue],
    body: Callable[[LoopBuilder, Values], Values],
) -> Values:
    """`scf.while` that hands on all that it carries."""
    types = [value.type for value in inits]
    before, after = Block(arg_types=types), Block(arg_types=types)
    first, second = b.nested(), b.nested()
    first.add(scf.ConditionOp, (test(first, before.args), *before.args))
    before.add_ops(first.ops)
    second.add(scf.YieldOp, tuple(body(second, after.args)))
    after.add_ops(second.ops)
    regions = (Region(before), Region(after))
    return b.add(scf.WhileOp, tuple(inits), types, regions=regions).results


def call_loops(
    b: LinalgBuilder,
    label: str,
    params: tuple[object, ...],
    inputs: Values,
    destinations: Values,
    emit: Emitter,
) -> Values:
    """Call the private function that `emit` writes; the results, one for each destination.

    label: what its name begins with. params: what `emit` depends on besides the types of inputs
    and destinations; calls that agree in all of these share one function.
    """
    types = [value.type for value in inputs]
    results = [value.type for value in destinations]
    key = (label, params, tuple(types), tuple(results))
    function = b.functions.made.get(key)
    if function is None:
        function = _function(b, b.functions.name(label), types, results, emit)
        b.functions.made[key] = function
    callee = {"callee": SymbolRefAttr(function.sym_name)}
    call = b.add(func.CallOp, (*inputs, *destinations), results, callee)
    for result, destination in zip(call.results, destinations, strict=True):
        b.known(result, b.sizes_of(destination))
    return call.results


def _function(
    b: LinalgBuilder, name: str, types: list[Attribute], results: list[Attribute], emit: Emitter
) -> func.FuncOp:
    block = Block(arg_types=[*types, *results])
    loops = LoopBuilder(b.location)
    count = len(types)
    loops.add(func.ReturnOp, tuple(emit(loops, block.args[:count], block.args[count:])))
    block.add_ops(loops.ops)
    return func.FuncOp.create(
        properties={
            "sym_name": StringAttr(name),
            "function_type": FunctionType.from_lists([*types, *results], results),
            "sym_visibility": StringAttr("private"),
        },
        regions=[Region(block)],
        location=b.location,
    )
