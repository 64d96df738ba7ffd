"""Branches and loops of a trace: `scf.if`, `scf.for` and `scf.while` from Python functions."""

# pyright: reportPrivateUsage=false
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, cast

from xdsl.dialects import tensor
from xdsl.dialects.builtin import IntegerAttr, i1
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from lamina.dialects import arith, scf
from lamina.frontend import ir
from lamina.frontend.dims import AnySize, is_size
from lamina.frontend.dtypes import int64
from lamina.frontend.scope import Scope, written_in
from lamina.frontend.traced import Storage, TracedArray

if TYPE_CHECKING:
    from lamina.frontend.recorder import Recorder

Arrays: TypeAlias = "list[TracedArray]"
G = TypeVar("G", "list[TracedArray]", "list[TracedArray] | None")


def branches(
    recorder: Recorder, predicate: TracedArray, runs: Sequence[Callable[[], Arrays]]
) -> Arrays:
    """`scf.if` on a 0-d bool: what the two functions give, whose types are equal."""
    scopes: list[Scope] = []
    results: list[Arrays] = []
    flag = _flag(recorder, predicate)
    for run in runs:
        with recorder.region(Block(), loop=False) as scope:
            results.append(run())
        scopes.append(scope)
    return _joined(recorder, flag, scopes, results)


def merged(
    recorder: Recorder,
    predicate: TracedArray,
    runs: Sequence[Callable[[], Any]],
    settle: Callable[[list[Any]], list[Callable[[], Arrays]]],
) -> Arrays:
    """As `branches`, where what both functions gave decides of what type the results are.

    settle: gets the two values, and gives for each branch a function that makes its results there.
    """
    scopes: list[Scope] = []
    found: list[Any] = []
    flag = _flag(recorder, predicate)
    for run in runs:
        with recorder.region(Block(), loop=False) as scope:
            found.append(run())
        scopes.append(scope)
    results: list[Arrays] = []
    for scope, last in zip(scopes, settle(found), strict=True):
        with recorder.resumed(scope):
            results.append(last())
    return _joined(recorder, flag, scopes, results)


def _joined(
    recorder: Recorder, flag: SSAValue, scopes: Sequence[Scope], results: Sequence[Arrays]
) -> Arrays:
    """The `scf.if` of two branches that are recorded."""
    location = recorder._here()[1]
    yielded: list[list[SSAValue]] = []
    for scope, arrays in zip(scopes, results, strict=True):
        with recorder.resumed(scope):
            yielded.append([recorder.read(array) for array in arrays])
    written = written_in(scopes)
    for scope, values in zip(scopes, yielded, strict=True):
        for storage in written:
            entry = scope.entered.get(storage)
            values.append(storage.value if entry is None else entry.last)
        scope.block.add_op(scf.YieldOp.create(operands=values, location=location))
    op = scf.IfOp.create(
        operands=[flag],
        result_types=[value.type for value in yielded[0]],
        regions=[Region(scope.block) for scope in scopes],
        location=location,
    )
    return _results(recorder, op, results[0], written)


def counted(
    recorder: Recorder,
    bounds: tuple[int | TracedArray, int | TracedArray],
    init: Sequence[TracedArray],
    body: Callable[[TracedArray, Arrays], G],
) -> G:
    """`scf.for` over int64 from the first bound up to the second, by 1.

    None, and nothing is recorded, where the body gives None.
    """
    position, location = recorder._here()
    operands = [_index(recorder, bound) for bound in (*bounds, 1)]
    low, high = (_size(recorder, bound) for bound in bounds)
    starts = [recorder.read(array) for array in init]
    block = Block(arg_types=[ir.INDEX, *(start.type for start in starts)])
    with recorder.region(block, loop=True) as scope:
        recorder.sizes.loop_index(block.args[0], low, high)
        convert = ir.OPS["from_index"].create(
            operands=[block.args[0]], result_types=[ir.tensor_type((), int64)], location=location
        )
        block.add_op(convert)
        number = recorder.fresh(convert.results[0], (), int64, position)
        carried = _arguments(recorder, block.args[1 : 1 + len(init)], init)
        given = body(number, carried)
        values = [recorder.read(array) for array in given or ()]
    if given is None:
        scope.drop()
        return given
    if not convert.results[0].uses and convert.results[0] not in values:
        convert.detach()
        convert.erase()
    written = written_in([scope])
    values = scope.settle(written, values)
    block.add_op(scf.YieldOp.create(operands=values, location=location))
    starts += [storage.value for storage in written]
    op = scf.ForOp.create(
        operands=[*operands, *starts],
        result_types=[start.type for start in starts],
        regions=[Region(block)],
        location=location,
    )
    return cast(Any, _results(recorder, op, init, written))


def imagined_index(
    recorder: Recorder, bounds: tuple[int | TracedArray, int | TracedArray]
) -> TracedArray:
    """What stands for the index of a loop while its body is only looked at."""
    block = recorder.block
    value = block.insert_arg(ir.INDEX, len(block.args))
    low, high = (_size(recorder, bound) for bound in bounds)
    recorder.sizes.loop_index(value, low, high)
    kind = ir.tensor_type((), int64)
    convert = ir.OPS["from_index"].create(operands=[value], result_types=[kind])
    return recorder.fresh(recorder.insert(convert), (), int64, recorder._here()[0])


def repeated(
    recorder: Recorder,
    init: Sequence[TracedArray],
    test: Callable[[Arrays], TracedArray],
    body: Callable[[Arrays], G],
) -> G:
    """`scf.while`: the body's work as long as the test, a 0-d bool, holds.

    None, and nothing is recorded, where the body gives None.
    """
    location = recorder._here()[1]
    starts = [recorder.read(array) for array in init]
    types = [start.type for start in starts]
    before, after = Block(arg_types=types), Block(arg_types=types)
    with recorder.region(before, loop=True) as first:
        carried = _arguments(recorder, before.args, init)
        flag = _flag(recorder, test(carried))
        handed = [recorder.read(array) for array in carried]
    with recorder.region(after, loop=True) as second:
        carried = _arguments(recorder, after.args, init)
        given = body(carried)
        values = [recorder.read(array) for array in given or ()]
    if given is None:
        first.drop()
        second.drop()
        return given
    written = written_in([first, second])
    handed = first.settle(written, handed)
    before.add_op(scf.ConditionOp.create(operands=[flag, *handed], location=location))
    values = second.settle(written, values)
    after.add_op(scf.YieldOp.create(operands=values, location=location))
    starts += [storage.value for storage in written]
    op = scf.WhileOp.create(
        operands=starts,
        result_types=[start.type for start in starts],
        regions=[Region(before), Region(after)],
        location=location,
    )
    return cast(Any, _results(recorder, op, init, written))


def _flag(recorder: Recorder, array: TracedArray) -> SSAValue:
    """A 0-d bool as an i1."""
    return recorder.insert(
        tensor.ExtractOp.create(operands=[recorder.read(array)], result_types=[i1])
    )


def _size(recorder: Recorder, bound: Any) -> AnySize:
    """A bound of a loop as a size."""
    known = isinstance(bound, int) or is_size(bound)
    array: Any = bound
    return bound if known else recorder.sizes.number(array)


def _index(recorder: Recorder, bound: int | TracedArray) -> SSAValue:
    if is_size(bound):
        return recorder.sizes.index_of(bound)
    if isinstance(bound, int):
        value: dict[str, Attribute] = {"value": IntegerAttr(bound, ir.INDEX)}
        return recorder.insert(arith.ConstantOp.create(result_types=[ir.INDEX], properties=value))
    return recorder.insert(
        ir.OPS["to_index"].create(operands=[recorder.read(bound)], result_types=[ir.INDEX])
    )


def _arguments(recorder: Recorder, args: Sequence[SSAValue], like: Sequence[TracedArray]) -> Arrays:
    """Arguments of a block as arrays: memory of the loop's own."""
    return [
        recorder.fresh(arg, array.shape, array.dtype, array._position)
        for arg, array in zip(args, like, strict=True)
    ]


def _results(
    recorder: Recorder, op: Operation, like: Sequence[TracedArray], written: Sequence[Storage]
) -> Arrays:
    """Append `op`; its first results as arrays, the others are the written storages'."""
    position = recorder._here()[0]
    recorder.block.add_op(op)
    for storage, value in zip(written, op.results[len(like) :], strict=True):
        storage.value = value
        storage.version += 1
    return [
        recorder.fresh(value, array.shape, array.dtype, position)
        for value, array in zip(op.results, like, strict=False)
    ]
