"""Ops of a program run at once on eager arrays, each recorded for `backward`."""

# pyright: reportPrivateUsage=false
from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from xdsl.ir import Operation, Region, SSAValue

from lamina.dialects.locations import place_of
from lamina.dialects.nd import NdOp
from lamina.dialects.nd.gradients import CustomVjpOp
from lamina.errors import LaminaError, LoweringError
from lamina.frontend import bind as primitives
from lamina.frontend.array import Array, NDArray, wrap
from lamina.interpreters import effects
from lamina.interpreters.evaluate import parameters, scalar_constant
from lamina.interpreters.scalar import SCALAR_OPS
from lamina.tape import attach, grad_enabled, is_grad_enabled
from lamina.transforms.differentiate import STOP


class Replay:
    """One run. `values`: arrays of tensors, Python numbers of scalars; the caller puts in those
    that the ops do not compute. Errors have the place of the op."""

    def __init__(self, resources: Mapping[str, NDArray]) -> None:
        self.resources = resources
        self.values: dict[SSAValue, Any] = {}

    def run(self, ops: Sequence[Operation]) -> None:
        """Run `ops` in order."""
        for op in ops:
            operands = [self.values[operand] for operand in op.operands]
            try:
                with grad_enabled(is_grad_enabled() and STOP not in op.attributes):
                    results = self._results(op, operands)
            except LaminaError as error:
                error.place = place_of(op.location) or error.place
                raise
            self.values.update(zip(op.results, results, strict=True))

    def _results(self, op: Operation, operands: list[Any]) -> Sequence[Any]:
        if isinstance(op, effects.OPS):
            found = effects.perform(op, [x._data for x in operands])
            name = op.name.removeprefix("nd.")
            return [primitives.record(name, operands, wrap(x), {}) for x in found]
        if isinstance(op, NdOp):
            return (self._apply(op, operands),)
        if op.name == "arith.constant":
            return (scalar_constant(op.properties["value"]),)
        if op.name in SCALAR_OPS:
            return (SCALAR_OPS[op.name](op, *operands),)
        if op.name in _HANDLERS:
            return _HANDLERS[op.name](self, op, operands)
        raise LoweringError(f"{op.name}: expected an op of the nd level")

    def _apply(self, op: NdOp, operands: list[Any]) -> Any:
        name = op.name.removeprefix("nd.")
        indices = tuple(x for x in operands if not isinstance(x, Array))
        arrays = [x for x in operands if isinstance(x, Array)]
        match name:
            case "from_index":
                return wrap(np.asarray(indices[0], np.int64))
            case "to_index":
                return int(arrays[0]._data)
            case "dim":
                axis: int = op.params()["axis"]
                return arrays[0].shape[axis]
            case _:
                return primitives.bind(name, *arrays, **parameters(op, indices, self.resources))

    def region(self, region: Region, arguments: Sequence[Any]) -> list[Any]:
        """Run a region; what its terminator gives."""
        *ops, last = region.block.ops
        self.values.update(zip(region.block.args, arguments, strict=True))
        self.run(ops)
        return [self.values[value] for value in last.operands]

    def fresh(self, value: SSAValue) -> Array:
        """A value, in memory of its own."""
        return primitives.duplicate(self.values[value])


def _if(replay: Replay, op: Operation, operands: list[Any]) -> Sequence[Any]:
    region = op.regions[0 if operands[0] else 1]
    return replay.region(region, ()) if region.blocks else ()


def _for(replay: Replay, op: Operation, operands: list[Any]) -> Sequence[Any]:
    low, high, step, *carried = operands
    for index in range(low, high, step):
        carried = replay.region(op.regions[0], [index, *carried])
    return carried


def _while(replay: Replay, op: Operation, operands: list[Any]) -> Sequence[Any]:
    carried = operands
    while True:
        go_on, *handed = replay.region(op.regions[0], carried)
        if not go_on:
            return handed
        carried = replay.region(op.regions[1], handed)


def _extract(replay: Replay, op: Operation, operands: list[Any]) -> Sequence[Any]:
    array, *places = operands
    return (array._data[tuple(places)].item(),)


def _from_elements(replay: Replay, op: Operation, operands: list[Any]) -> Sequence[Any]:
    return (wrap(np.array(operands[0], bool)),)


def _custom_vjp(replay: Replay, op: Operation, operands: list[Any]) -> Sequence[Any]:
    assert isinstance(op, CustomVjpOp)
    count = len(op.outputs)
    values, inputs = operands[:count], operands[count:]
    if not is_grad_enabled() or not any(x.requires_grad for x in inputs):
        return values
    made: list[Array] = [x.detach() for x in values]
    types = [(x.shape, x.dtype) for x in made]
    inner = {value for nested in op.walk() if nested is not op for value in nested.operands}
    known = [x for value in inner if isinstance(x := replay.values.get(value), Array)]

    def back(gs: Sequence[Array | None]) -> list[Any]:
        given = [
            primitives.full(0, *type) if g is None else g for g, type in zip(gs, types, strict=True)
        ]
        return replay.region(op.backward, given)

    attach("custom_vjp", inputs, made, back, known)
    return made


_HANDLERS: dict[str, Callable[[Replay, Operation, list[Any]], Sequence[Any]]] = {
    "scf.if": _if,
    "scf.for": _for,
    "scf.while": _while,
    "nd.custom_vjp": _custom_vjp,
    "tensor.extract": _extract,
    "tensor.from_elements": _from_elements,
}
