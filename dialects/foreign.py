"""Calls below `nd` of code that is not ours: declared functions that the last lowering expands.

    func.call @lamina_print_0(%id, %x) {lamina.text = {format = "x = {}",
      types = [tensor<4xf32>]}} : (i64, tensor<4xf32>) -> ()
    %y = func.call @lamina_custom_call_0(%id, %x, %out) {lamina.check = {...},
      lamina.custom_call = {symbol = "f"}} : (i64, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>

id: a constant, a number in the module that no other call and no check has. Operands, and the
destinations that follow them, are contiguous in memory. `types` are those of `nd`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, cast

from xdsl.dialects import func
from xdsl.dialects.builtin import (
    AnyFloat,
    ArrayAttr,
    ComplexType,
    DenseArrayBase,
    DictionaryAttr,
    StringAttr,
    UnitAttr,
)
from xdsl.ir import Attribute, Operation

from lamina import errors
from lamina.formats import count_places, is_symbol

PRINT, CUSTOM_CALL = "lamina_print", "lamina_custom_call"
"""How the names of the declared functions begin. `lamina_print` is also the function that the
host program provides, and `lamina_custom_call_` begins the name of each function's cell."""
TEXT, CUSTOM = "lamina.text", "lamina.custom_call"
"""Attributes of the calls. The declared functions have an empty one."""


class Text(NamedTuple):
    """What `lamina.text` says. error: the class to raise with the text, None to print it."""

    format: str
    types: Sequence[Attribute]
    error: str | None


def text_note(text: Text) -> DictionaryAttr:
    """The attribute `lamina.text`."""
    note: dict[str, Attribute] = {
        "format": StringAttr(text.format),
        "types": ArrayAttr(text.types),
    }
    return DictionaryAttr(note | ({} if text.error is None else {"error": StringAttr(text.error)}))


def read_text(attribute: Attribute) -> Text | None:
    """What a note says; None when it is malformed."""
    data = _entries(attribute)
    format, types, error = data.get("format"), data.get("types"), data.get("error")
    if not isinstance(format, StringAttr) or not isinstance(types, ArrayAttr):
        return None
    kinds = cast("ArrayAttr[Attribute]", types).data
    name = error.data if isinstance(error, StringAttr) else None
    if name is not None and not hasattr(errors, name):
        return None
    try:
        fits = count_places(format.data) == len(kinds)
    except ValueError:
        return None
    return Text(format.data, kinds, name) if fits else None


def custom_note(symbol: str, interleaved: Attribute | None, pure: bool) -> DictionaryAttr:
    """The attribute `lamina.custom_call`, with the properties of `nd.custom_call`."""
    note: dict[str, Attribute] = {"symbol": StringAttr(symbol)}
    note |= {} if interleaved is None else {"interleaved": interleaved}
    return DictionaryAttr(note | ({"pure": UnitAttr()} if pure else {}))


def symbol_of(op: Operation) -> str | None:
    """The C function that a call calls; None for other calls, and malformed notes."""
    symbol = _entries(op.attributes.get(CUSTOM)).get("symbol")
    return symbol.data if isinstance(symbol, StringAttr) and is_symbol(symbol.data) else None


def pairs_of(op: Operation) -> tuple[int, ...]:
    """The numbers of the complex values of a custom call."""
    found = _entries(op.attributes.get(CUSTOM)).get("interleaved")
    if not isinstance(found, DenseArrayBase):
        return ()
    return tuple(cast("DenseArrayBase[Any]", found).get_values())


def complex_of(part: Attribute) -> Attribute:
    """The complex type whose parts have the type `part`."""
    return ComplexType(cast(AnyFloat, part))


def is_foreign(op: Operation) -> bool:
    """Whether `op` is such a call, or declares what one calls."""
    return TEXT in op.attributes or CUSTOM in op.attributes


def is_impure(op: func.CallOp) -> bool:
    """Whether the call must stay although it has results."""
    return CUSTOM in op.attributes and "pure" not in _entries(op.attributes[CUSTOM])


def _entries(attribute: Attribute | None) -> Mapping[str, Attribute]:
    if not isinstance(attribute, DictionaryAttr):
        return {}
    return cast("Mapping[str, Attribute]", attribute.data)
