"""The builtin dialect, with dense float attributes that survive a text round trip.

- `dense<0xFF800000> : vector<4xf32>` is -inf; xDSL 0.75 reads it as the number 4286578688.0.
- `dense<[0.0, -0.0]>` is printed element by element; xDSL takes it for the splat 0.0.
- A NaN is printed as its bits; xDSL prints it through a Python float, which may change them.

The text is upstream's: a hexadecimal number among the elements of a float type is a bit pattern.

Import `lamina.dialects.builtin` once and every xDSL parser and printer of the process is exact.
The three functions are installed on xDSL's classes, not put in subclasses, because `str(op)`,
xDSL's own tools and any `Parser(...)` written by habit would go on changing numbers in silence.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, ClassVar, cast

from xdsl.dialect_interfaces import DialectInterface
from xdsl.dialects.builtin import (
    AnyDenseElement,
    AnyFloat,
    Builtin,
    BytesAttr,
    DenseIntOrFPElementsAttr,
    RankedStructure,
)
from xdsl.ir import Attribute, Dialect, Operation
from xdsl.parser import AttrParser
from xdsl.printer import Printer

__all__ = ["Builtin", "corrected"]

_MAX_LISTED = 100
"""Longer lists are printed as one hexadecimal string, as xDSL does."""


def corrected(
    upstream: Dialect,
    operations: Sequence[type[Operation]],
    attributes: Sequence[type[Attribute]] = (),
) -> Dialect:
    """xDSL's dialect with `operations` in place of those of the same name, or added to them."""
    by_name: dict[str, type[Operation]] = {op.name: op for op in upstream.operations}
    by_name |= {op.name: op for op in operations}
    interface = upstream.get_interface(DialectInterface)  # none of those we correct has two
    return Dialect(
        upstream.name,
        list(by_name.values()),
        [*upstream.attributes, *attributes],
        [] if interface is None else [interface],
    )


class _DenseParser(AttrParser):
    """Holds the corrected method; never instantiated."""

    upstream: ClassVar[Any] = AttrParser.parse_dense_int_or_fp_elements_attr

    def parse_dense(
        self, type: RankedStructure[AnyDenseElement] | None
    ) -> DenseIntOrFPElementsAttr:
        """Parse what follows the keyword `dense`; hexadecimal elements of floats are bits."""
        start = self.pos
        content = self.lexer.input.content
        literal = content[start : content.find(">", start)]
        if "0x" not in literal or '"' in literal:
            return _DenseParser.upstream(self, type)
        self.parse_punctuation("<", " in dense attribute")
        elements, shape = self._parse_tensor_literal()
        self.parse_punctuation(">", " in dense attribute")
        if type is None:
            self.parse_punctuation(":", " in dense attribute")
            given = self._parse_dense_literal_type()
        else:
            given = type
        element_type = given.element_type
        if not isinstance(element_type, AnyFloat):
            self._resume_from(start)
            return _DenseParser.upstream(self, type)
        if shape and shape != list(given.get_shape()):
            self.raise_error(
                f"shape of dense literal: expected {list(given.get_shape())}, found {shape}"
            )
        data = b"".join(_element_bytes(self, element, element_type) for element in elements)
        copies = 1 if shape else math.prod(given.get_shape())
        return DenseIntOrFPElementsAttr(given, BytesAttr(data * copies))


def _element_bytes(
    parser: AttrParser,
    element: AttrParser._TensorLiteralElement,  # pyright: ignore[reportPrivateUsage]
    type: AnyFloat,
) -> bytes:
    text = element.span.text
    if "0x" not in text:
        return type.pack((element.to_float(parser),))
    if element.is_negative:
        parser.raise_error(f"hexadecimal float: expected no sign, found {text}", element.span)
    bits = element.to_int(parser)
    if bits.bit_length() > type.bitwidth:
        parser.raise_error(
            f"hexadecimal float: expected at most {type.bitwidth} bits, found {text}",
            element.span,
        )
    return bits.to_bytes(type.compile_time_size, "little")


def _is_splat(attr: DenseIntOrFPElementsAttr) -> bool:
    """Whether all elements have the same bits (0.0 and -0.0 differ, a NaN equals itself)."""
    data = attr.data.data
    size = attr.get_element_type().compile_time_size
    return bool(data) and data == data[:size] * (len(data) // size)


_print_upstream = DenseIntOrFPElementsAttr.print_without_type


def _print_dense(attr: DenseIntOrFPElementsAttr, printer: Printer) -> None:
    """Print `dense<...>`; float elements that are not finite, as their bits."""
    type = attr.get_element_type()
    data = attr.data.data
    if not isinstance(type, AnyFloat) or not data:
        _print_upstream(attr, printer)
        return
    printer.print_string("dense")
    with printer.in_angle_brackets():
        if attr.is_splat():
            _print_elements(data[: type.compile_time_size], (), type, printer)
        elif len(attr) > _MAX_LISTED:
            printer.print_string(f'"0x{data.hex().upper()}"')
        else:
            _print_elements(data, attr.get_shape(), type, printer)


def _print_elements(data: bytes, shape: Sequence[int], type: AnyFloat, printer: Printer) -> None:
    if shape:
        step = len(data) // shape[0]
        with printer.in_square_brackets():
            printer.print_list(
                range(0, len(data), step),
                lambda i: _print_elements(data[i : i + step], shape[1:], type, printer),
            )
        return
    (value,) = type.unpack(data, 1)
    if math.isfinite(value):
        printer.print_float(value, type)
    else:
        printer.print_string(f"0x{data[::-1].hex().upper()}")


def _install() -> None:
    parser, dense = cast(Any, AttrParser), cast(Any, DenseIntOrFPElementsAttr)
    parser.parse_dense_int_or_fp_elements_attr = _DenseParser.parse_dense
    dense.is_splat = _is_splat
    dense.print_without_type = _print_dense


_install()
