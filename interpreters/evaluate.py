"""Run an nd-level module in NumPy: `lamina-run --interpret`, constant folding, the tape.

Tensors are arrays; index and integer scalars are Python ints, signed, i1 as 0 or 1.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, TypeAlias

import numpy as np
from xdsl.dialects.builtin import IndexType, IntegerType, ModuleOp, StringAttr, TensorType
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from lamina.dialects.locations import place_of
from lamina.dialects.nd import NdOp
from lamina.dialects.nd.base import DYNAMIC_INDEX, fits, shape_of, shape_text, tensor_type
from lamina.errors import (
    ArgumentError,
    DTypeError,
    IRError,
    LaminaError,
    LoweringError,
    ShapeError,
)
from lamina.interpreters import complexes, effects, elementwise, transcendental
from lamina.interpreters.meaning import MEANING
from lamina.interpreters.scalar import SCALAR_OPS
from lamina.interpreters.types import Array, dtype_of, from_dense

ELEMENTWISE = frozenset((*elementwise.MEANING, *transcendental.MEANING, *complexes.MEANING))
"""Ops whose operands have one shape."""

Value: TypeAlias = Any
"""An array or a Python int."""

MAX_CALLS = 100
"""Depth of calls; deeper ones are taken for endless recursion."""


def evaluate(
    module: ModuleOp,
    entry: str,
    inputs: Sequence[Array],
    resources: Mapping[str, Array] | None = None,
) -> list[Array]:
    """Call function `entry` of an nd-level module on arrays; its results as new arrays.

    resources: handle of a `dense_resource` -> its array. Errors: ArgumentError, DTypeError and
    ShapeError for inputs that do not fit the function, LoweringError for an op that has no
    meaning here, others as the ops raise them, all with the op's place.
    """
    with quietly():
        evaluator = _Evaluator(module, resources or {})
        function = evaluator.function(entry)
        _check_inputs(entry, function.regions[0].blocks[0].args, inputs)
        try:
            results = evaluator.call(function, inputs)
        except RecursionError:
            raise IRError(f"{entry}: expected fewer nested regions and calls") from None
        return [np.array(value, order="C") for value in results]


def quietly() -> AbstractContextManager[Any]:
    """Without floating-point warnings: around many calls of `apply`."""
    return np.errstate(all="ignore")


def apply(op: NdOp, operands: Sequence[Value], resources: Mapping[str, Array]) -> Value:
    """What one `nd` op gives for its operands: an array, or an int for `nd.dim`, `nd.to_index`.

    Call it within `quietly()`. ShapeError when sizes that the types leave open
    (`?`) do not fit.
    """
    name = op.name.removeprefix("nd.")
    tensors: list[Array] = [value for value in operands if isinstance(value, np.ndarray)]
    indices = tuple(value for value in operands if not isinstance(value, np.ndarray))
    if name == "from_index":
        return MEANING[name](*indices)
    if name in ELEMENTWISE and any(x.shape != tensors[0].shape for x in tensors):
        shapes = ", ".join(shape_text(tensor.shape) for tensor in tensors)
        raise ShapeError(f"{op.name}: expected operands of one shape, found {shapes}")
    params = parameters(op, indices, resources)
    try:
        result = MEANING[name](*tensors, **params)
    except LaminaError:
        raise
    except ValueError as error:  # NumPy on sizes that do not fit
        raise ShapeError(f"{op.name}: expected sizes that fit, found {error}") from error
    if not isinstance(op.results[0].type, TensorType):
        return result
    result, shape = np.asarray(result), shape_of(op.results[0])
    if result.shape != shape and (
        len(shape) != result.ndim or not all(map(fits, result.shape, shape))
    ):
        found = shape_text(result.shape)
        raise ShapeError(f"{op.name}: expected shape {shape_text(shape)}, found {found}")
    return result


def parameters(
    op: NdOp, indices: tuple[int, ...], resources: Mapping[str, Array]
) -> dict[str, Any]:
    """The parameters of the meaning of `op`: its properties, and what its types, its operands of
    type index and the resources say."""
    return op.params() | _from_types(op, indices, resources)


def _from_types(
    op: NdOp, indices: tuple[int, ...], resources: Mapping[str, Array]
) -> dict[str, Any]:
    match op.name.removeprefix("nd."):
        case "constant":
            return {"value": from_dense(op.properties["value"], resources)}
        case "broadcast" | "reshape":
            return {"shape": _filled(op, indices)}
        case "iota" | "random_bits":
            dtype = dtype_of(tensor_type(op.results[0]).element_type)
            return {"shape": _filled(op, indices), "dtype": dtype}
        case "cast":
            return {"dtype": dtype_of(tensor_type(op.results[0]).element_type)}
        case "dynamic_slice":
            rank = len(shape_of(op.operands[0]))
            return {"starts": indices[:rank], "extents": indices[rank:]}
        case "dynamic_update_slice":
            return {"starts": indices}
        case _:
            return {}


def _filled(op: NdOp, sizes: tuple[int, ...]) -> tuple[int, ...]:
    """The result's shape, each `?` replaced by the next of `sizes`."""
    rest = iter(sizes)
    return tuple(next(rest) if d == DYNAMIC_INDEX else d for d in shape_of(op.results[0]))


def _check_inputs(entry: str, arguments: Sequence[SSAValue], inputs: Sequence[Array]) -> None:
    if len(arguments) != len(inputs):
        raise ArgumentError(f"{entry}: expected {len(arguments)} inputs, found {len(inputs)}")
    for index, (argument, array) in enumerate(zip(arguments, inputs, strict=True)):
        if not isinstance(argument.type, TensorType):
            raise ArgumentError(
                f"{entry}: expected tensor arguments, found {argument.type} at {index}"
            )
        dtype, shape = dtype_of(tensor_type(argument).element_type), shape_of(argument)
        if array.dtype != dtype:
            raise DTypeError(f"{entry}: expected {dtype} for input {index}, found {array.dtype}")
        if array.ndim != len(shape) or not all(map(fits, array.shape, shape)):
            raise ShapeError(
                f"{entry}: expected shape {shape_text(shape)} for input {index}, "
                f"found {shape_text(array.shape)}"
            )


class _Evaluator:
    """One run of a module. A function call has one table of values, which its regions share."""

    def __init__(self, module: ModuleOp, resources: Mapping[str, Array]) -> None:
        self.resources = resources
        self.depth = 0
        self.functions = {
            name.data: op
            for op in module.ops
            if op.name == "func.func" and isinstance(name := op.properties["sym_name"], StringAttr)
        }
        self.handlers: dict[str, Callable[[Operation, list[Value], _Values], Sequence[Value]]] = {
            "func.call": self._call,
            "scf.for": self._for,
            "scf.if": self._if,
            "scf.while": self._while,
            "scf.index_switch": self._index_switch,
            "nd.custom_vjp": lambda op, operands, _: operands[: len(op.results)],
            "tensor.extract": _extract,
            "tensor.from_elements": _from_elements,
        }

    def function(self, name: str) -> Operation:
        """The function of that name; IRError if there is none with a body."""
        function = self.functions.get(name)
        if function is None or not function.regions[0].blocks:
            names = ", ".join(self.functions)
            raise IRError(f"expected a function with a body among {names}, found {name}")
        return function

    def call(self, function: Operation, arguments: Sequence[Value]) -> list[Value]:
        """The results of a function."""
        self.depth += 1
        if self.depth > MAX_CALLS:
            raise IRError(f"func.call: expected at most {MAX_CALLS} nested calls, found recursion")
        _, results = self._region(function.regions[0], arguments, {})
        self.depth -= 1
        return results

    def _region(
        self, region: Region, arguments: Sequence[Value], values: _Values
    ) -> tuple[Operation, list[Value]]:
        """Run a one-block region; its terminator and that one's operands."""
        if len(region.blocks) != 1:
            raise IRError(f"expected a region of one block, found {len(region.blocks)}")
        block: Block = region.blocks[0]
        values.update(zip(block.args, arguments, strict=True))
        terminator = block.last_op
        if terminator is None:
            raise IRError("expected a terminator, found an empty block")
        for op in block.ops:
            operands = [values[operand] for operand in op.operands]
            if op is terminator:
                return terminator, operands
            try:
                results = self._run(op, operands, values)
            except LaminaError as error:
                error.place = error.place or place_of(op.location)
                raise
            values.update(zip(op.results, results, strict=True))
        raise AssertionError("the last op of a block is its terminator")

    def _run(self, op: Operation, operands: list[Value], values: _Values) -> Sequence[Value]:
        if isinstance(op, effects.OPS):
            return effects.perform(op, operands)
        if isinstance(op, NdOp):
            return (apply(op, operands, self.resources),)
        if op.name == "arith.constant":
            return (scalar_constant(op.properties["value"]),)
        if op.name in SCALAR_OPS:
            return (SCALAR_OPS[op.name](op, *operands),)
        if op.name in self.handlers:
            return self.handlers[op.name](op, operands, values)
        raise LoweringError(f"{op.name}: expected an op of the nd level, found no meaning for it")

    def _call(self, op: Operation, operands: list[Value], _: _Values) -> Sequence[Value]:
        callee: Any = op.properties["callee"]
        return self.call(self.function(callee.root_reference.data), operands)

    def _for(self, op: Operation, operands: list[Value], values: _Values) -> Sequence[Value]:
        low, high, step, *carried = operands
        if step <= 0:
            raise IRError(f"scf.for: expected a step of 1 or more, found {step}")
        for index in range(low, high, step):
            _, carried = self._region(op.regions[0], [index, *carried], values)
        return carried

    def _if(self, op: Operation, operands: list[Value], values: _Values) -> Sequence[Value]:
        region = op.regions[0 if operands[0] else 1]
        return self._region(region, [], values)[1] if region.blocks else ()

    def _while(self, op: Operation, operands: list[Value], values: _Values) -> Sequence[Value]:
        carried = operands
        while True:
            _, (go_on, *forwarded) = self._region(op.regions[0], carried, values)
            if not go_on:
                return forwarded
            _, carried = self._region(op.regions[1], forwarded, values)

    def _index_switch(
        self, op: Operation, operands: list[Value], values: _Values
    ) -> Sequence[Value]:
        cases: Any = op.properties["cases"]
        labels = list(cases.get_values())
        chosen = labels.index(operands[0]) + 1 if operands[0] in labels else 0
        return self._region(op.regions[chosen], [], values)[1]


_Values: TypeAlias = dict[SSAValue, Value]


def scalar_constant(value: Attribute) -> Value:
    """The value of an `arith.constant`."""
    scalar: Any = value
    if isinstance(getattr(scalar, "type", None), IndexType | IntegerType):
        number: int = scalar.value.data
        return number & 1 if scalar.type == IntegerType(1) else number
    if isinstance(getattr(scalar, "type", None), TensorType):
        return from_dense(value)
    return dtype_of(scalar.type).type(scalar.value.data)


def _extract(op: Operation, operands: list[Value], _: _Values) -> Sequence[Value]:
    tensor, *indices = operands
    if not all(0 <= i < size for i, size in zip(indices, tensor.shape, strict=True)):
        raise IRError(
            f"tensor.extract: expected indices inside {shape_text(tensor.shape)}, found {indices}"
        )
    element = tensor[tuple(indices)]
    return (int(element) if element.dtype.kind in "iub" else element,)


def _from_elements(op: Operation, operands: list[Value], _: _Values) -> Sequence[Value]:
    dtype = dtype_of(tensor_type(op.results[0]).element_type)
    return (np.array(operands, dtype).reshape(shape_of(op.results[0])),)
