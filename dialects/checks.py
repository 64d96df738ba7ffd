"""Run-time checks below `nd`: calls of a function that the last lowering expands.

    func.call @lamina_check(%ok, %id, %a, %b) {lamina.check = {error = "DomainError",
      message = "expected 1, found {}"}} : (i1, i64, i64, i64) -> ()

id: a constant, the check's number in the module; `%a` and `%b`: what the message shows.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from xdsl.dialects import func
from xdsl.dialects.builtin import DictionaryAttr, StringAttr
from xdsl.ir import Attribute, Operation

from lamina import errors
from lamina.dialects.foreign import is_impure

FUNCTION = "lamina_check"
NOTE = "lamina.check"
"""The attribute with the class and the text of the error."""

MOST_VALUES = 2
"""Values in a message: those that the error record of a call holds."""

ERRORS: tuple[str, ...] = tuple(
    name
    for name, kind in vars(errors).items()
    if isinstance(kind, type) and issubclass(kind, errors.LaminaError)
)
"""The names of the error classes."""


def note(error: str, message: str) -> DictionaryAttr:
    """The attribute `lamina.check`."""
    return DictionaryAttr({"error": StringAttr(error), "message": StringAttr(message)})


def read_note(attribute: Attribute) -> tuple[str, str] | None:
    """The error class and the message of `lamina.check`; None when it is malformed."""
    if not isinstance(attribute, DictionaryAttr):
        return None
    data = cast("Mapping[str, Attribute]", attribute.data)
    error, message = data.get("error"), data.get("message")
    if not isinstance(error, StringAttr) or not isinstance(message, StringAttr):
        return None
    if error.data not in ERRORS or errors.places(message.data) > MOST_VALUES:
        return None
    return error.data, message.data


def is_check(op: Operation) -> bool:
    """Whether `op` is the call of a check."""
    return isinstance(op, func.CallOp) and op.callee.root_reference.data == FUNCTION


def has_effect(op: Operation) -> bool:
    """Whether `op`, or an op inside it, must stay, and stay in order."""
    if isinstance(op, func.CallOp):
        return not op.results or is_impure(op)
    if not op.regions or op.name.startswith("linalg."):
        return False
    return any(isinstance(inner, func.CallOp) and has_effect(inner) for inner in op.walk())
