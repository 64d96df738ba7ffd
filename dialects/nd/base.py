"""What the `nd` ops share: the base class, element-type families and shape checks."""

from __future__ import annotations

import abc
from collections.abc import Callable
from typing import Any, ClassVar, cast

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    AnyFloat,
    BFloat16Type,
    ComplexType,
    DenseArrayBase,
    Float16Type,
    Float32Type,
    Float64Type,
    IntegerAttr,
    IntegerType,
    Signedness,
    StringAttr,
    TensorType,
    i1,
)
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import IRDLOperation, VarConstraint, base, traits_def
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

TENSOR = base(TensorType[Attribute])
SAME = VarConstraint("T", TENSOR)
"""One tensor type, the same wherever it stands in an op."""

FLOATS = (Float16Type, BFloat16Type, Float32Type, Float64Type)


def _width(element: Attribute) -> int:
    """The bits of a signless or unsigned integer type; 0 for other types."""
    if not isinstance(element, IntegerType):
        return 0
    integer = cast(IntegerType, element)
    return 0 if integer.signedness.data == Signedness.SIGNED else integer.width.data


def is_float(element: Attribute) -> bool:
    """Whether `element` is f16, bf16, f32 or f64."""
    return isinstance(element, FLOATS)


def is_complex(element: Attribute) -> bool:
    """Whether `element` is complex<f32> or complex<f64>."""
    return part_type(element) != element and isinstance(
        part_type(element), Float32Type | Float64Type
    )


def part_type(element: Attribute) -> Attribute:
    """The type of the real and imaginary parts of a complex type; other types stay."""
    if not isinstance(element, ComplexType):
        return element
    return cast("ComplexType[AnyFloat]", element).element_type


def is_bool(element: Attribute) -> bool:
    """Whether `element` is i1."""
    return element == i1


def is_integer(element: Attribute) -> bool:
    """Whether `element` is an integer type other than i1."""
    return _width(element) in (8, 16, 32, 64)


def is_unsigned(element: Attribute) -> bool:
    """Whether `element` is ui8, ui16, ui32 or ui64."""
    return is_integer(element) and (
        cast(IntegerType, element).signedness.data == Signedness.UNSIGNED
    )


def is_numeric(element: Attribute) -> bool:
    """Whether `element` is an integer or floating-point type (not bool)."""
    return is_float(element) or is_integer(element)


def is_element(element: Attribute) -> bool:
    """Whether `element` may be an element of an `nd` tensor."""
    return is_numeric(element) or is_bool(element) or is_complex(element)


FAMILIES: dict[str, Callable[[Attribute], bool]] = {
    "a floating-point": is_float,
    "an integer": is_integer,
    "a numeric": is_numeric,
    "a complex": is_complex,
    "a numeric or i1": lambda element: is_numeric(element) or is_bool(element),
    "a numeric or complex": lambda element: is_numeric(element) or is_complex(element),
    "an f32 or f64": lambda element: isinstance(element, Float32Type | Float64Type),
    "an i1": is_bool,
    "an integer or i1": lambda element: is_integer(element) or is_bool(element),
    "an nd": is_element,
}
"""How messages name a family of element types -> its predicate."""


def tensor_type(value: SSAValue) -> TensorType[Attribute]:
    """The type of `value`, known to be a ranked tensor."""
    return cast("TensorType[Attribute]", value.type)  # the subscript is not run: it is slow


def shape_of(value: SSAValue) -> tuple[int, ...]:
    """The shape of a tensor value; -1 for a dynamic dim."""
    return tensor_type(value).get_shape()


def element_of(value: SSAValue) -> Attribute:
    """The element type of a tensor value."""
    return tensor_type(value).element_type


def size_text(size: int) -> str:
    """A size as messages show it: a number, or `?`."""
    return "?" if size == DYNAMIC_INDEX else str(size)


def shape_text(shape: tuple[int, ...]) -> str:
    """A shape as messages show it: `4x?`, or `()` for rank 0."""
    return "x".join(map(size_text, shape)) or "()"


def ints(attribute: Attribute) -> tuple[int, ...]:
    """The integers of a dense array attribute."""
    return tuple(cast(DenseArrayBase[Any], attribute).get_values())


def fits(found: int, expected: int) -> bool:
    """Whether two dims can be equal (a dynamic one can be anything)."""
    return found == expected or DYNAMIC_INDEX in (found, expected)


class NdOp(IRDLOperation, abc.ABC):
    """Base of the `nd` ops.

    `FAMILY` names the element types that the op takes (a key of `FAMILIES`); `params()` gives
    the op's properties as the Python values that `interpreters/` takes as keyword arguments.
    An op that does more than give its results adds a memory effect to its traits.
    """

    FAMILY: ClassVar[str] = "an nd"
    traits = traits_def(Pure())

    def params(self) -> dict[str, Any]:
        """The properties as Python values: ints, strings, tuples of ints."""
        return {
            name: value
            for name, attribute in self.properties.items()
            if (value := _python_value(attribute)) is not None
        }

    def fail(self, message: str) -> VerifyException:
        """An error that starts with the op's name; raise it."""
        return VerifyException(f"{self.name}: {message}")

    def check_family(self, value: SSAValue) -> None:
        """Raise unless the element type of `value` is of the op's family."""
        element = element_of(value)
        if not FAMILIES[self.FAMILY](element):
            raise self.fail(f"expected {self.FAMILY} element type, found {element}")

    def check_element(self, value: SSAValue, expected: Attribute) -> None:
        """Raise unless `value` has the element type `expected`."""
        if element_of(value) != expected:
            raise self.fail(f"expected element type {expected}, found {element_of(value)}")

    def check_shape(self, value: SSAValue, expected: tuple[int, ...]) -> None:
        """Raise unless `value` can have the shape `expected`."""
        shape = shape_of(value)
        if len(shape) != len(expected) or not all(map(fits, shape, expected)):
            raise self.fail(f"expected shape {shape_text(expected)}, found {shape_text(shape)}")

    def check_axes(self, axes: tuple[int, ...], rank: int, what: str = "axes") -> None:
        """Raise unless `axes` are distinct and each is from 0 to `rank` - 1."""
        if len(set(axes)) != len(axes) or not all(0 <= axis < rank for axis in axes):
            raise self.fail(
                f"expected distinct {what} from 0 to {rank - 1}, found {list(axes)}"
                if rank
                else f"expected no {what} for rank 0, found {list(axes)}"
            )

    def check_axis(self, axis: int, rank: int) -> None:
        """Raise unless `axis` is from 0 to `rank` - 1."""
        if not 0 <= axis < rank:
            raise self.fail(
                f"expected an axis from 0 to {rank - 1}, found {axis}"
                if rank
                else f"expected a rank of 1 or more, found axis {axis} of rank 0"
            )

    def check_sizes(self, sizes: int, result: SSAValue) -> None:
        """Raise unless there is one size operand for each `?` of `result`."""
        dynamic = shape_of(result).count(DYNAMIC_INDEX)
        if sizes != dynamic:
            raise self.fail(f"expected {dynamic} sizes, one for each ?, found {sizes}")


def _python_value(attribute: Attribute) -> Any:
    if isinstance(attribute, IntegerAttr):
        return cast(IntegerAttr[IntegerType], attribute).value.data
    if isinstance(attribute, StringAttr):
        return attribute.data
    if isinstance(attribute, DenseArrayBase):
        return ints(cast(Attribute, attribute))
    return None


__all__ = [
    "DYNAMIC_INDEX",
    "FAMILIES",
    "FLOATS",
    "SAME",
    "TENSOR",
    "AnyFloat",
    "NdOp",
    "element_of",
    "fits",
    "ints",
    "is_bool",
    "is_complex",
    "is_element",
    "is_float",
    "is_integer",
    "is_numeric",
    "is_unsigned",
    "part_type",
    "shape_of",
    "shape_text",
    "size_text",
    "tensor_type",
]
