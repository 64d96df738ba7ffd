"""What an entry function takes and gives, read from its types and what passes noted on it.

`nd-to-linalg` and `bufferize` note `lamina.arguments`, `lamina.results` and `lamina.result_sizes`,
since below them bool is a byte, signs are gone, and level `llvm` has only pointers.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

import numpy as np
from xdsl.dialects import func, llvm
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    ArrayAttr,
    DenseArrayBase,
    DenseResourceAttr,
    MemRefType,
    ModuleOp,
    NoneAttr,
    StringAttr,
    TensorType,
    i64,
)
from xdsl.ir import Attribute, Operation

from lamina.dialects.locations import place_of
from lamina.errors import IRError, LaminaError
from lamina.interpreters.types import dtype_of
from lamina.program import Interface, Port


def entry_of(module: ModuleOp, name: str = "main") -> Operation:
    """The function `name`, on any level. Raises IRError when there is none."""
    for op in module.ops:
        symbol = op.properties.get("sym_name")
        if isinstance(symbol, StringAttr) and symbol.data == name and op.regions[0].blocks:
            return op
    raise IRError(f"expected a function @{name} with a body, found none")


def interface_of(function: Operation) -> Interface:
    """The interface of an entry function. Raises IRError, with the function's place, where
    nothing tells it or what is noted does not fit the function."""
    try:
        arguments, results = _types(function)
        interface = Interface(
            tuple(map(port_of, arguments)), tuple(map(port_of, results)), _sizes(function)
        )
        _check(function, interface)
        return interface
    except LaminaError as error:
        raise IRError(
            f"{function.name}: {error.message}", place=error.place or place_of(function.location)
        ) from error


def note_interface(function: Operation) -> None:
    """Write the interface of an entry function on it, where no pass has."""
    arguments, results = _types(function)
    function.attributes["lamina.arguments"] = ArrayAttr(arguments)
    function.attributes["lamina.results"] = ArrayAttr(results)


def _types(function: Operation) -> tuple[Sequence[Attribute], Sequence[Attribute]]:
    """The types of the arguments and of the results."""
    noted = [function.attributes.get(f"lamina.{name}") for name in ("arguments", "results")]
    if all(isinstance(part, ArrayAttr) for part in noted):
        arguments, results = (cast("ArrayAttr[Attribute]", part).data for part in noted)
        return arguments, results
    if not isinstance(function, func.FuncOp):
        raise IRError(
            "expected an entry function with attributes lamina.arguments and lamina.results, "
            "found none"
        )
    types = function.function_type
    if types.outputs:
        return types.inputs.data, types.outputs.data
    first = len(types.inputs) - _trailing_outs(function)
    return types.inputs.data[:first], types.inputs.data[first:]


def _trailing_outs(function: func.FuncOp) -> int:
    """How many of the last arguments of a bufferized function are results: those named `out`."""
    count = 0
    for arg in reversed(function.body.blocks[0].args):
        if not (arg.name_hint or "").startswith("out"):
            break
        count += 1
    return count


def _sizes(function: Operation) -> tuple[tuple[int, int], ...]:
    """For each run-time size of the results, the argument and axis that it equals."""
    noted = function.attributes.get("lamina.result_sizes")
    if noted is None:
        return ()
    found: list[tuple[int, int]] = []
    for part in cast("ArrayAttr[Attribute]", noted) if isinstance(noted, ArrayAttr) else (noted,):
        values = cast(Any, part).get_values() if isinstance(part, DenseArrayBase) else ()
        pair = cast("Sequence[int]", values)
        if len(pair) != 2:
            raise IRError(
                "lamina.result_sizes: expected pairs such as array<i64: 0, 1> (argument, axis), "
                f"found {part}"
            )
        found.append((int(pair[0]), int(pair[1])))
    return tuple(found)


def port_of(type: Attribute) -> Port:
    """Shape and dtype of a tensor or buffer. Raises IRError for other types."""
    if not isinstance(type, TensorType | MemRefType):
        raise IRError(f"expected an entry function of tensors or buffers, found {type}")
    if isinstance(type, MemRefType) and not isinstance(type.layout, NoneAttr):
        raise IRError(f"expected an entry function of contiguous buffers, found {type}")
    shaped = cast("TensorType[Attribute] | MemRefType[Attribute]", type)
    shape = tuple(-1 if size == DYNAMIC_INDEX else size for size in shaped.get_shape())
    return Port(dtype_of(shaped.element_type), shape)


def _in_memory(port: Port) -> tuple[tuple[int, ...], int]:
    """(shape, bytes of an element): a complex number is two real ones."""
    if port.dtype.kind == "c":
        return (*port.shape, 2), port.dtype.itemsize // 2
    return port.shape, port.dtype.itemsize


def _check(function: Operation, interface: Interface) -> None:
    """Refuse a noted interface that is not the function's: calls go by it alone."""
    ports = (*interface.arguments, *interface.results)
    unknown = sum(port.shape.count(-1) for port in ports)
    in_results = sum(port.shape.count(-1) for port in interface.results)
    known = [
        argument < len(interface.arguments) and axis < len(interface.arguments[argument].shape)
        for argument, axis in interface.sizes
        if argument >= 0 and axis >= 0
    ]
    if len(interface.sizes) > in_results or not all(known) or len(known) < len(interface.sizes):
        raise IRError("lamina.result_sizes: expected an argument and axis for each `?` of a result")
    if isinstance(function, func.FuncOp):
        types = function.function_type
        own = [port_of(type) for type in (*types.inputs, *types.outputs)]
        if list(map(_in_memory, own)) != list(map(_in_memory, ports)):
            raise IRError("lamina.arguments, lamina.results: expected the function's own types")
    elif isinstance(function, llvm.FuncOp):
        pointers = [llvm.LLVMPointerType()] * (1 + len(ports))
        if list(function.function_type.inputs) != [*pointers, *[i64] * unknown]:
            raise IRError(
                f"expected {len(pointers)} pointers (context, arguments, results) and {unknown} "
                f"sizes of i64 as parameters, found {function.function_type}"
            )


def check_resources(module: ModuleOp, resources: Mapping[str, np.ndarray[Any, Any]]) -> None:
    """Raise IRError where a large constant of the module has no array, or one of another size."""
    for op in module.walk():
        for name, size in _resources_of(op):
            found = resources.get(name)
            if found is None or found.nbytes != size:
                given = "none" if found is None else f"{found.nbytes}"
                raise IRError(
                    f"{op.name}: resource {name}: expected {size} bytes, found {given}",
                    place=place_of(op.location),
                )


def _resources_of(op: Operation) -> Iterator[tuple[str, int]]:
    """(name, bytes) of the large constants that an operation names."""
    for attribute in (*op.properties.values(), *op.attributes.values()):
        if isinstance(attribute, DenseResourceAttr):
            shaped = cast("TensorType[Attribute]", attribute.type)
            size = math.prod(shaped.get_shape()) * dtype_of(shaped.element_type).itemsize
            yield attribute.resource_handle.data, size
    if isinstance(op, llvm.GlobalOp) and op.value is None:
        array = op.global_type
        if isinstance(array, llvm.LLVMArrayType):
            yield op.sym_name.data, array.size.data * dtype_of(array.type).itemsize
