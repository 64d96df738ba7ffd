"""`arith` on index and integer scalars: Python ints that wrap in the result's width."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, cast

from xdsl.dialects.builtin import IntegerAttr, IntegerType
from xdsl.ir import Attribute, Operation

from lamina.errors import DomainError


def width_of(type: Attribute) -> int:
    """The bits of an integer type; an index has 64."""
    return cast(IntegerType, type).width.data if isinstance(type, IntegerType) else 64


def wrapped(value: int, type: Attribute) -> int:
    """`value` in the range of `type`: signed, but 0 or 1 for i1."""
    width = width_of(type)
    value &= (1 << width) - 1
    return value - (1 << width) if width > 1 and value >> (width - 1) else value


def _unsigned(value: int, type: Attribute) -> int:
    return value & ((1 << width_of(type)) - 1)


def _signed_quotient(a: int, b: int) -> int:
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


_SIGNED: dict[str, Callable[[int, int], int]] = {
    "addi": operator.add,
    "subi": operator.sub,
    "muli": operator.mul,
    "divsi": _signed_quotient,
    "remsi": lambda a, b: a - b * _signed_quotient(a, b),
    "floordivsi": lambda a, b: a // b,
    "ceildivsi": lambda a, b: -(-a // b),
    "minsi": min,
    "maxsi": max,
    "andi": lambda a, b: a & b,
    "ori": lambda a, b: a | b,
    "xori": lambda a, b: a ^ b,
}
_UNSIGNED: dict[str, Callable[[int, int], int]] = {
    "divui": lambda a, b: a // b,
    "remui": operator.mod,
    "ceildivui": lambda a, b: -(-a // b),
    "minui": min,
    "maxui": max,
}
_COMPARE: tuple[Callable[[int, int], bool], ...] = (
    operator.eq, operator.ne,
    operator.lt, operator.le, operator.gt, operator.ge,
    operator.lt, operator.le, operator.gt, operator.ge,
)  # fmt: skip
"""By predicate number: eq ne slt sle sgt sge ult ule ugt uge."""


def _binary(function: Callable[[int, int], int], unsigned: bool) -> Callable[..., Any]:
    def meaning(op: Operation, a: int, b: int) -> int:
        type = op.results[0].type
        if unsigned:
            a, b = _unsigned(a, type), _unsigned(b, type)
        try:
            return wrapped(function(a, b), type)
        except ZeroDivisionError:
            raise DomainError(f"{op.name}: expected a divisor other than 0, found 0") from None

    return meaning


def _compare(op: Operation, a: int, b: int) -> int:
    predicate = cast(IntegerAttr[IntegerType], op.properties["predicate"]).value.data
    if predicate >= 6:
        a, b = (_unsigned(value, op.operands[0].type) for value in (a, b))
    return int(_COMPARE[predicate](a, b))


def _select(op: Operation, condition: Any, a: Any, b: Any) -> Any:
    return a if condition else b


def _resize(op: Operation, a: int) -> int:
    return wrapped(a, op.results[0].type)


def _sign_extend(op: Operation, a: int) -> int:
    return wrapped(-a if op.operands[0].type == IntegerType(1) else a, op.results[0].type)


def _zero_extend(op: Operation, a: int) -> int:
    return wrapped(_unsigned(a, op.operands[0].type), op.results[0].type)


SCALAR_OPS: dict[str, Callable[..., Any]] = {
    **{f"arith.{name}": _binary(function, False) for name, function in _SIGNED.items()},
    **{f"arith.{name}": _binary(function, True) for name, function in _UNSIGNED.items()},
    "arith.cmpi": _compare,
    "arith.select": _select,
    "arith.index_cast": _sign_extend,
    "arith.index_castui": _zero_extend,
    "arith.extsi": _sign_extend,
    "arith.extui": _zero_extend,
    "arith.trunci": _resize,
}
"""Name of an `arith` op -> its result for the op and its operands."""
