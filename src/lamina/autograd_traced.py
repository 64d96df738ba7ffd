"""Gradients while a trace runs: the ops that a function left in the program are pulled back."""

# pyright: reportPrivateUsage=false
from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any
from weakref import WeakKeyDictionary

from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, UnitAttr, i32, i64
from xdsl.ir import Block, Operation, Region, SSAValue

from lamina.dialects import scf
from lamina.dialects.nd.gradients import CustomVjpOp, YieldOp
from lamina.errors import MutationError
from lamina.frontend import bind as primitives
from lamina.frontend import tree
from lamina.frontend.array import Array
from lamina.frontend.dispatch import CURRENT
from lamina.frontend.dtypes import FLOATS_OR_COMPLEX
from lamina.frontend.location import fail
from lamina.frontend.recorder import Recorder, whole
from lamina.frontend.scope import written_in
from lamina.frontend.traced import Storage, TracedArray
from lamina.transforms.differentiate import STOP, pull_back
from lamina.transforms.differentiate_checkpoint import numbers_of, set_numbers
from lamina.transforms.differentiate_loops import EVERY, Memo
from lamina.transforms.ir_emitter import IrEmitter
from lamina.transforms.repeated import drop_effects

_PULLING: ContextVar[bool] = ContextVar("lamina_pulling", default=False)
_GROUPS: WeakKeyDictionary[Any, int] = WeakKeyDictionary()


def pulling() -> bool:
    """Whether a function is traced of which a gradient is taken, or may be."""
    recorder: Any = CURRENT.get()
    return _PULLING.get() or recorder.replayed


def pull(
    call: Callable[[list[Any]], Any], arrays: Sequence[Array]
) -> tuple[Any, list[Array], Callable[[Sequence[Array]], list[Array | None]]]:
    """As `autograd._pull`. The variables are values of their own: gradients do not reach what the
    function captures."""
    recorder: Any = CURRENT.get()
    variables = [primitives.bind("reshape", array, shape=array.shape) for array in arrays]
    inputs = [recorder.read(variable) for variable in variables]
    block, before = recorder.block, recorder.block.last_op
    token = _PULLING.set(True)
    try:
        result = call(list(variables))
    finally:
        _PULLING.reset(token)
    outputs = [recorder.own(x) for x in tree.flatten(result)[0] if isinstance(x, Array)]
    values = [recorder.read(x) for x in outputs]
    ops, memo = _after(block, before), Memo()

    def back(cotangents: Sequence[Array]) -> list[Array | None]:
        e = _emitter(recorder)
        known: dict[SSAValue, SSAValue] = {}
        for value, cotangent in zip(values, cotangents, strict=True):
            g = recorder.read(recorder.own(cotangent))
            known[value] = g if value not in known else e.add(known[value], g)
        found = pull_back(ops, known, inputs, e, memo)
        return [
            None if g is None else _array(recorder, g, variable)
            for g, variable in zip(found, variables, strict=True)
        ]

    return result, outputs, back


def pulled_apart(
    call: Callable[[list[Any]], Sequence[Any]], arrays: Sequence[Array], block: Block
) -> tuple[Sequence[Any], list[Operation], list[SSAValue | None], int]:
    """What `call` gives for variables as `arrays`, the ops of it, and the way back in `block`: its
    arguments are cotangents of the floats of the result; the values that are the variables'."""
    recorder: Any = CURRENT.get()
    variables = [primitives.bind("reshape", array, shape=array.shape) for array in arrays]
    inputs = [recorder.read(variable) for variable in variables]
    before = recorder.block.last_op
    token = _PULLING.set(True)
    try:
        result = call(list(variables))
    finally:
        _PULLING.reset(token)
    outputs = [
        recorder.own(x) for x in result if isinstance(x, Array) and x.dtype in FLOATS_OR_COMPLEX
    ]
    values = [recorder.read(x) for x in outputs]
    e = IrEmitter(block.add_op, recorder._here()[1])
    known: dict[SSAValue, SSAValue] = {}
    for value in values:
        seed = block.insert_arg(value.type, len(block.args))
        known[value] = e.add(known[value], seed) if value in known else seed
    found = pull_back(_after(recorder.block, before), known, inputs, e)
    return result, list(recorder.block.ops), found, len(values)


def as_array(recorder: Any, value: SSAValue, shape: Sequence[int], dtype: Any) -> TracedArray:
    """An SSA value as an array of the trace."""
    return recorder.fresh(value, tuple(shape), dtype, recorder._here()[0])


def _after(block: Any, before: Operation | None) -> list[Operation]:
    """The ops of `block` behind `before`."""
    op = block.first_op if before is None else before.next_op
    found: list[Operation] = []
    while op is not None:
        found.append(op)
        op = op.next_op
    return found


def _emitter(recorder: Any) -> IrEmitter:
    return IrEmitter(recorder.block.add_op, recorder._here()[1])


def _array(recorder: Recorder, value: SSAValue, like: Array) -> TracedArray:
    """An SSA value of the type of `like` as an array of the trace."""
    seen: Any = recorder
    return whole(Storage(seen, value, like.shape, like.dtype), seen._here()[0])


def stop(array: Any) -> TracedArray:
    """A traced array with a gradient of zero."""
    recorder: Any = CURRENT.get()
    result = primitives.bind("reshape", array, shape=array.shape)
    mark([recorder.read(result).owner])
    return _array(recorder, recorder.read(result), result)


def mark(ops: Sequence[Operation]) -> None:
    """Let no gradient go through `ops`."""
    for op in ops:
        op.attributes[STOP] = UnitAttr()


@contextmanager
def stopping() -> Generator[None]:
    """Ops that are recorded inside have a gradient of zero."""
    recorder: Any = CURRENT.get()
    block, before = recorder.block, recorder.block.last_op
    yield
    mark(_after(block, before))


@contextmanager
def silent() -> Generator[None]:
    """What is recorded inside runs a second time: it does not print and check again."""
    recorder: Any = CURRENT.get()
    block, before = recorder.block, recorder.block.last_op
    yield
    drop_effects(_after(block, before))


def checkpointed(call: Callable[[], Any], every: int | None) -> Any:
    """The result of `call`; what it records is computed again on the way back, or its loops store
    what `every` so many trips carry."""
    recorder: Any = CURRENT.get()
    block, before = recorder.block, recorder.block.last_op
    result = call()
    if every is not None:
        for op in _after(block, before):
            for inner in op.walk():
                if isinstance(inner, scf.ForOp | scf.WhileOp):
                    inner.attributes[EVERY] = IntegerAttr(every, i64)
        return result
    number = _GROUPS[recorder] = _GROUPS.get(recorder, 0) + 1
    for op in _after(block, before):
        for inner in op.walk():
            set_numbers(inner, (number, *numbers_of(inner)))
    return result


def with_vjp(
    name: str,
    outputs: Sequence[Array],
    inputs: Sequence[Array],
    back: Callable[[list[Array]], Sequence[Array | None]],
) -> list[TracedArray]:
    """`outputs` as values whose gradient goes to `inputs` through `back`: cotangents of the outputs
    -> those of the inputs, None for zero."""
    recorder: Any = CURRENT.get()
    position, location = recorder._here()
    values = [recorder.read(recorder.own(x)) for x in outputs]
    variables = [recorder.own(x) for x in inputs]
    read = [recorder.read(x) for x in variables]
    block = Block(arg_types=[value.type for value in values])
    with recorder.region(block, loop=False) as scope:
        gs = [
            recorder.fresh(arg, x.shape, x.dtype, position)
            for arg, x in zip(block.args, outputs, strict=True)
        ]
        found = [
            primitives.full(0, x.shape, x.dtype) if g is None else g
            for g, x in zip(back(gs), inputs, strict=True)
        ]
        yielded = [recorder.read(recorder.own(g)) for g in found]
    if written_in([scope]):
        fail(
            MutationError,
            f"custom_vjp: expected the backward of {name} to write no array from outside, found "
            "one that it writes",
        )
    end = YieldOp(*yielded)
    end.location = location
    block.add_op(end)
    segments = DenseArrayBase.from_list(i32, [len(values), len(read)])
    op = CustomVjpOp.create(
        operands=[*values, *read],
        result_types=[value.type for value in values],
        properties={"operandSegmentSizes": segments},
        regions=[Region(block)],
        location=location,
    )
    recorder.block.add_op(op)
    return [
        recorder.fresh(result, x.shape, x.dtype, position)
        for result, x in zip(op.results, outputs, strict=True)
    ]
