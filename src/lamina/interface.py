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
    IntegerAttr,
    MemRefType,
    ModuleOp,
    NoneAttr,
    StringAttr,
    TensorType,
    i64,
)
from xdsl.ir import Attribute, Operation

from lamina.dialects.donors import donors_noted
from lamina.dialects.locations import place_of
from lamina.errors import IRError, LaminaError
from lamina.interpreters.types import dtype_of
from lamina.program import SIZE_OPS, Interface, Port, SizeExpr


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
            tuple(map(port_of, arguments)),
            tuple(map(port_of, results)),
            _sizes(function),
            donors_noted(function, arguments, results),
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


def _sizes(function: Operation) -> tuple[SizeExpr, ...]:
    """The run-time sizes of the results, as expressions of sizes of arguments."""
    noted = function.attributes.get("lamina.result_sizes")
    if noted is None:
        return ()
    return tuple(map(_size, _items(noted) or (noted,)))


def _items(attribute: Attribute) -> Sequence[Attribute]:
    """The items of an array, none of another attribute."""
    if not isinstance(attribute, ArrayAttr):
        return ()
    return cast("ArrayAttr[Attribute]", attribute).data


def _size(part: Attribute) -> SizeExpr:
    """One size, from its attribute (lowering/result_sizes.py says how it is written)."""
    items = _items(part)
    if isinstance(part, IntegerAttr):
        return cast("IntegerAttr[Any]", part).value.data
    if isinstance(part, DenseArrayBase):
        pair = cast("Sequence[int]", cast(Any, part).get_values())
        if len(pair) == 2:
            return int(pair[0]), int(pair[1])
    if len(items) == 3 and isinstance(items[0], StringAttr) and items[0].data in SIZE_OPS:
        name, left, right = items[0].data, _size(items[1]), _size(items[2])
        if name not in ("floordiv", "mod") or (isinstance(right, int) and right > 0):
            return name, left, right
    raise IRError(
        "lamina.result_sizes: expected sizes such as array<i64: 0, 1> (argument, axis), 7 : i64 or "
        f'["add", ..., ...], found {part}'
    )


def _places(size: SizeExpr) -> list[tuple[int, int]]:
    """The arguments and axes that a size depends on."""
    match size:
        case int():
            return []
        case (str(), left, right):
            return [*_places(left), *_places(right)]
        case (int(argument), int(axis)):
            return [(argument, axis)]
    raise AssertionError(size)


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
        0 <= argument < len(interface.arguments)
        and 0 <= axis < len(interface.arguments[argument].shape)
        for size in interface.sizes
        for argument, axis in _places(size)
    ]
    if len(interface.sizes) > in_results or not all(known):
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
