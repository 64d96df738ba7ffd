"""The sizes of a call against those of a compiled version, in Python and for the native entry.

The sizes of arguments tell symbols; bounds, relations and conditions of the trace must hold.
"""

# pyright: reportPrivateUsage=false
from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from lamina.backend import entry_spec as spec
from lamina.frontend import dims
from lamina.frontend.dims import Size, Symbol

if TYPE_CHECKING:
    from lamina.frontend.trace import Input, Trace


def fits(shape: Sequence[int], wanted: Sequence[int]) -> bool:
    """Whether a shape has the rank and the known sizes of `wanted`."""
    return len(shape) == len(wanted) and all(
        dims.is_size(size) or size == found for size, found in zip(wanted, shape, strict=True)
    )


def values_of(trace: Trace, arrays: Sequence[Any]) -> dict[Symbol, int]:
    """The symbols' values, for arrays by input number."""
    return {
        symbol: axis.value(arrays[axis.number].shape[axis.axis])
        for symbol, axis in trace.axes.items()
    }


def why_not(trace: Trace, arrays: Sequence[Any]) -> str | None:
    """Why a version does not fit the sizes of arrays of the right ranks, or None."""
    if not trace.axes:
        return None
    values = values_of(trace, arrays)
    for symbol, value in values.items():
        if value < cast("int", symbol.low):
            return f"{symbol} = {value}, below {symbol.low}"
        if symbol.high is not None and value > cast("int", symbol.high):
            return f"{symbol} = {value}, above {symbol.high}"
    for given, array in zip(trace.inputs, arrays, strict=True):
        for axis, size in enumerate(given.shape):
            if dims.is_size(size) and dims.evaluate(size, values) != array.shape[axis]:
                return f"{given.name}: size {array.shape[axis]} on axis {axis}, not {size}"
    for condition in trace.requires:
        if not condition.holds(values):
            told = ", ".join(f"{s} = {values[s]}" for s in dims.symbols_of(condition.size))
            return f"{told}, not {condition.text} ({condition.place})"
    return None


def requirements(trace: Trace) -> tuple[spec.DimOp, ...]:
    """`why_not` as data: what must not be 0."""
    if not trace.axes:
        return ()
    places = run_time_sizes(trace.inputs)
    symbols: dict[Symbol, spec.DimExpr] = {}
    for symbol, axis in trace.axes.items():
        found: spec.DimExpr = spec.DimArg(places[axis.number, axis.axis])
        if axis.offset:
            found = spec.DimOp("sub", found, axis.offset)
        symbols[symbol] = spec.DimOp("floordiv", found, axis.scale) if axis.scale > 1 else found
    required: list[spec.DimOp] = []
    for symbol, found in symbols.items():
        required.append(spec.DimOp("le", cast("int", symbol.low), found))
        if symbol.high is not None:
            required.append(spec.DimOp("le", found, cast("int", symbol.high)))
    for (number, axis), place in places.items():
        wanted = expression(cast(Any, trace.inputs[number].shape[axis]), symbols)
        if wanted != spec.DimArg(place):
            required.append(spec.DimOp("eq", wanted, spec.DimArg(place)))
    for condition in trace.requires:
        required.append(_condition(condition.kind, expression(condition.size, symbols)))
    return tuple(required)


def run_time_sizes(inputs: Sequence[Input]) -> dict[tuple[int, int], int]:
    """(input, axis) of each size that only a call has -> its number."""
    places = [
        (number, axis)
        for number, given in enumerate(inputs)
        for axis, size in enumerate(given.shape)
        if dims.is_size(size)
    ]
    return {place: number for number, place in enumerate(places)}


def expression(size: int | Size, symbols: Mapping[Symbol, spec.DimExpr]) -> spec.DimExpr:
    """A size for the entry."""
    if not isinstance(size, Size):
        return size
    total: spec.DimExpr | None = None
    for product, number in size._terms.items():
        part: spec.DimExpr | None = None if number == 1 and product else number
        for atom in product:
            value = (
                symbols[atom]
                if isinstance(atom, Symbol)
                else spec.DimOp("floordiv", expression(atom.size, symbols), atom.divisor)
            )
            part = value if part is None else spec.DimOp("mul", part, value)
        assert part is not None
        total = part if total is None else spec.DimOp("add", total, part)
    assert total is not None
    return total


def _condition(kind: str, found: spec.DimExpr) -> spec.DimOp:
    match kind:
        case "eq" | "le" | "lt":
            return spec.DimOp(kind, found, 0)
        case "ge":
            return spec.DimOp("le", 0, found)
        case "gt":
            return spec.DimOp("lt", 0, found)
        case _:
            return spec.DimOp("eq", spec.DimOp("eq", found, 0), 0)
