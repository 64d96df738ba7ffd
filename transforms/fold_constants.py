"""Pass `fold-constants`: what depends on no argument is computed now, where it is small.

    %a = nd.constant dense<[1, 2]> : tensor<2xi32>
    %b = nd.add %a, %a : tensor<2xi32>
    // ->
    %b = nd.constant dense<[2, 4]> : tensor<2xi32>

The numbers are the interpreter's. Only ops that give equal bits in every mode are folded, so a
result never depends on whether an operand was known. An elementwise op whose operands have one
number in all elements is folded at any size (a constant of rank 0, and a broadcast); broadcasts
and iotas are read through, but stay: they cost no memory. Pre-condition: level `nd`.
Post-condition: no op that is left could be folded.
"""

from __future__ import annotations

from math import prod
from typing import Any, cast

from xdsl.context import Context
from xdsl.dialects import tensor
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    DenseArrayBase,
    DenseResourceAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    ModuleOp,
    StringAttr,
    TensorType,
    i64,
)
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass

from lamina.dialects import arith
from lamina.dialects.nd import NdOp
from lamina.dialects.nd.base import element_of, is_float, shape_of, tensor_type
from lamina.dialects.nd.shape import BroadcastOp, ConstantOp, DimOp
from lamina.dialects.sizes import byte_size
from lamina.errors import LaminaError
from lamina.interpreters.evaluate import apply, quietly
from lamina.interpreters.scalar import SCALAR_OPS
from lamina.interpreters.types import to_dense

LIMIT = 1024
"""Bytes of a folded constant; larger ones would have to be resources."""

ELEMENTWISE = frozenset(
    f"nd.{name}"
    for name in (
        "add", "subtract", "multiply", "divide", "floor_divide", "remainder", "maximum", "minimum",
        "bitwise_and", "bitwise_or", "bitwise_xor", "left_shift", "right_shift", "equal",
        "not_equal", "less", "less_equal", "greater", "greater_equal", "negative", "abs", "sign",
        "bitwise_invert", "sqrt", "floor", "ceil", "trunc", "round", "select", "cast",
    )
)  # fmt: skip
"""Elementwise ops with equal bits in every mode."""

MOVES = frozenset(
    f"nd.{name}"
    for name in (
        "reshape", "transpose", "reverse", "concat", "pad", "slice", "dynamic_slice",
        "dynamic_update_slice", "argmax", "argmin", "from_index", "to_index",
    )
)  # fmt: skip
SOURCES = frozenset(("nd.constant", "nd.iota", "nd.broadcast"))
"""Known values that are not made constants: they are what folding reads."""

EXACT_ON_INTEGERS = frozenset(
    ("nd.reduce", "nd.dot_general", "nd.conv", "nd.pow", "nd.random_bits")
)


def is_foldable(op: Operation) -> bool:
    """Whether `op` gives the same bits now as at run time."""
    if op.name in ELEMENTWISE or op.name in MOVES:
        return True
    if op.name not in EXACT_ON_INTEGERS:
        return False
    kind = op.properties.get("kind")
    ordered = isinstance(kind, StringAttr) and kind.data not in ("sum", "prod")
    return ordered or not is_float(element_of(op.operands[0]))


def result_bytes(op: Operation) -> int | None:
    """The size of the result; None where a dim is `?`."""
    if not isinstance(op.results[0].type, TensorType):
        return 8
    shape = shape_of(op.results[0])
    if DYNAMIC_INDEX in shape:
        return None
    return prod(shape) * byte_size(element_of(op.results[0]))


class _Folder:
    """What is known so far.

    `values` holds arrays and ints; `sources` are small ops that could be evaluated, but whose
    value nobody has asked for; `wide` maps a tensor that is too large to hold, all of whose
    elements are one number, to a value that holds that number.
    """

    def __init__(self) -> None:
        self.values: dict[SSAValue, Any] = {}
        self.sources: dict[SSAValue, NdOp] = {}
        self.wide: dict[SSAValue, SSAValue] = {}

    def visit(self, op: Operation) -> None:
        """Note what `op` gives if that is known, and put a constant in its place."""
        if len(op.results) != 1 or op.regions:
            return
        result = op.results[0]
        if op.name in SCALAR_OPS or isinstance(op, tensor.ExtractOp | DimOp):
            number = self.scalar(op)
            if number is not None:
                self.replace(op, self.scalar_constant(op, number), number)
        elif isinstance(op, arith.ConstantOp):
            if isinstance(op.value, IntegerAttr) and not isinstance(result.type, TensorType):
                self.values[result] = cast("IntegerAttr[Any]", op.value).value.data
        elif isinstance(op, NdOp) and (op.name in SOURCES or is_foldable(op)):
            self.fold(op)

    def is_known(self, value: SSAValue) -> bool:
        """Whether `value_of` gives something."""
        return value in self.values or value in self.sources

    def value_of(self, value: SSAValue) -> Any:
        """What a known value is; None where evaluating it is an error (the run will say it)."""
        if value not in self.values:
            op = self.sources[value]
            self.values[value] = self.evaluate(op, [self.value_of(v) for v in op.operands])
        return self.values[value]

    def evaluate(self, op: NdOp, operands: list[Any]) -> Any:
        """What the interpreter makes of it; None for an error, or when an operand is one."""
        if any(operand is None for operand in operands):
            return None
        try:
            return apply(op, operands, {})
        except LaminaError:
            return None

    def fold(self, op: NdOp) -> None:
        """An `nd` op."""
        if isinstance(op, ConstantOp) and isinstance(op.properties["value"], DenseResourceAttr):
            return
        result = op.results[0]
        if not all(map(self.is_known, op.operands)):
            self.fold_splat(op)
            return
        size = result_bytes(op)
        if size is None or size > LIMIT:
            self.fold_splat(op)
            return
        if op.name in SOURCES:
            self.sources[result] = op
            return
        value = self.evaluate(op, [self.value_of(v) for v in op.operands])
        if value is None:
            return
        if isinstance(result.type, IndexType):
            self.replace(op, self.scalar_constant(op, value), value)
        else:
            self.replace(op, [_constant(op, value)], value)

    def splat(self, value: SSAValue) -> Any:
        """The element that all elements of `value` are, as a 0-d array; None if not known."""
        value = self.wide.get(value, value)
        known = self.value_of(value) if self.is_known(value) else None
        if known is None or isinstance(known, int) or not known.size:
            return None
        owner = value.owner
        one = known.size == 1
        if isinstance(owner, ConstantOp):
            one = one or cast(Any, owner.properties["value"]).is_splat()
        return known.reshape(-1)[:1].reshape(()) if one else None

    def fold_splat(self, op: NdOp) -> None:
        """A large tensor with one number in all elements."""
        result = op.results[0]
        if isinstance(op, BroadcastOp):
            source = self.wide.get(op.operand, op.operand)
            if self.is_known(source):
                self.wide[result] = source
            return
        if op.name not in ELEMENTWISE or DYNAMIC_INDEX in shape_of(result):
            return
        if not all(self.is_known(v) or v in self.wide for v in op.operands):
            return
        numbers = [self.splat(value) for value in op.operands]
        value = self.evaluate_splat(op, numbers)
        if value is None:
            return
        scalar = _constant(op, value)
        wide = BroadcastOp.create(
            operands=scalar.results,
            result_types=[result.type],
            properties={"dims": DenseArrayBase.from_list(i64, [])},
            location=op.location,
        )
        self.values[scalar.results[0]] = value
        self.wide[wide.results[0]] = scalar.results[0]
        self.replace(op, [scalar, wide], None)

    def evaluate_splat(self, op: NdOp, numbers: list[Any]) -> Any:
        """One element of an elementwise op."""
        kind = tensor_type(op.results[0])
        one = type(op).create(
            operands=op.operands,
            result_types=[TensorType(kind.element_type, ())],
            properties=op.properties,
        )
        value = self.evaluate(one, numbers)
        one.erase()
        return value

    def scalar(self, op: Operation) -> int | None:
        """An index or integer that is known."""
        if isinstance(op, DimOp):
            size = shape_of(op.operand)[op.axis.value.data]
            return None if size == DYNAMIC_INDEX else size
        if not all(map(self.is_known, op.operands)):
            return None
        operands = [self.value_of(value) for value in op.operands]
        if isinstance(op, tensor.ExtractOp):
            source, *indices = operands
            inside = all(0 <= i < n for i, n in zip(indices, source.shape, strict=True))
            integer = isinstance(op.result.type, IntegerType) and source.dtype.kind in "bi"
            return int(source[tuple(indices)]) if inside and integer else None
        try:
            return SCALAR_OPS[op.name](op, *operands)
        except LaminaError:
            return None

    def scalar_constant(self, op: Operation, number: int) -> list[Operation]:
        """`arith.constant` of the result's type."""
        kind = cast("IntegerType | IndexType", op.results[0].type)
        made = arith.ConstantOp(IntegerAttr(number, kind))
        made.location = cast(Any, op.location)
        return [made]

    def replace(self, op: Operation, new: list[Any], value: Any) -> None:
        """Put `new` in the place of `op`; the last one gives its result, known to be `value`."""
        block = op.parent
        assert block is not None
        block.insert_ops_before(new, op)
        result = new[-1].results[0]
        op.results[0].replace_all_uses_with(result)
        if value is not None:
            self.values[result] = value
        op.detach()
        op.erase()


def _constant(op: Operation, value: Any) -> Operation:
    """`nd.constant` at the place of `op`."""
    dense = to_dense(value)
    return ConstantOp.create(
        result_types=[dense.type], properties={"value": dense}, location=op.location
    )


class FoldConstantsPass(ModulePass):
    """Compute small values that depend on no argument."""

    name = "fold-constants"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        folder = _Folder()
        with quietly():
            for inner in list(op.walk()):
                folder.visit(inner)
