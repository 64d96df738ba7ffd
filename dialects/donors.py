"""The note on an entry function of which results live in the memory of arguments.

    func.func @main(%p: tensor<4xf32>, %g: tensor<4xf32>) -> (tensor<4xf32>, tensor<f32>)
        attributes {lamina.donors = array<i64: 0, -1>}

One number a result: an argument of the same type, or -1.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation

from lamina.dialects.locations import place_of
from lamina.dialects.nd.base import ints
from lamina.errors import LoweringError

DONORS = "lamina.donors"


def donors_of(function: FuncOp) -> dict[int, int]:
    """Result -> argument. Raises LoweringError for a note that does not fit the function."""
    types = function.function_type
    return donors_noted(function, types.inputs.data, types.outputs.data)


def donors_noted(
    function: Operation, inputs: Sequence[Attribute], outputs: Sequence[Attribute]
) -> dict[int, int]:
    """`donors_of` a function of any level, given the types that its first level had."""
    note = function.attributes.get(DONORS)
    if note is None:
        return {}
    listed = ints(note)
    found = {result: argument for result, argument in enumerate(listed) if argument != -1}
    fits = len(listed) == len(outputs) and len(set(found.values())) == len(found)
    if not fits or any(
        not 0 <= argument < len(inputs) or inputs[argument] != outputs[result]
        for result, argument in found.items()
    ):
        raise LoweringError(
            f"{DONORS}: expected an argument of the type of each result, or -1, and none twice, "
            f"found {list(listed)}",
            place=place_of(function.location),
        )
    return found
