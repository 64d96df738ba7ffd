"""A module with one `nd` op, from a draw of the op table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from op_row import Params, Row
from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import (
    DenseArrayBase,
    IndexType,
    IntegerAttr,
    ModuleOp,
    StringAttr,
    TensorType,
    i64,
)
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from lamina.dialects.nd import OPS, NdOp
from lamina.interpreters import MEANING
from lamina.interpreters.types import Array, tensor_type_of, to_dense

BY_NAME: dict[str, type[NdOp]] = {op.name.removeprefix("nd."): op for op in OPS}
NOT_PROPERTIES = ("shape", "dtype", "starts", "value")


def one_op_module(
    row: Row, operands: tuple[Any, ...], params: Params
) -> tuple[ModuleOp, list[Array]]:
    """A verified module whose @main applies the op to its arguments, and those arguments.

    All sizes are static. An index result is made a tensor by `nd.from_index`.
    """
    with np.errstate(all="ignore"):
        result: Any = MEANING[row.name](*operands, **params)
    inputs: list[Array] = [operand for operand in operands if isinstance(operand, np.ndarray)]
    block = Block(arg_types=[tensor_type_of(array) for array in inputs])
    ops: list[Operation] = []
    indices = [operand for operand in operands if not isinstance(operand, np.ndarray)]
    for index in (*indices, *_index_operands(row, params)):
        ops.append(ConstantOp(IntegerAttr(index, IndexType())))
    values: list[SSAValue] = [*block.args, *(op.results[0] for op in ops)]
    is_index = isinstance(result, int)
    type = IndexType() if is_index else tensor_type_of(np.asarray(result))
    op_class = BY_NAME[row.name]
    ops.append(
        op_class.create(operands=values, result_types=[type], properties=_properties(params))
    )
    if is_index:
        tensor = TensorType(i64, ())
        ops.append(BY_NAME["from_index"].create(operands=ops[-1].results, result_types=[tensor]))
    block.add_ops([*ops, ReturnOp(ops[-1].results[0])])
    types = ([arg.type for arg in block.args], [ops[-1].results[0].type])
    module = ModuleOp([FuncOp("main", types, Region(block))])
    module.verify()
    return module, inputs


def joined(programs: Sequence[tuple[ModuleOp, list[Array]]]) -> tuple[ModuleOp, list[Array]]:
    """One program that does what several do, each with its own arguments and results."""
    block = Block()
    results: list[SSAValue] = []
    inputs: list[Array] = []
    for module, arrays in programs:
        (main,) = module.ops
        assert isinstance(main, FuncOp)
        for arg in main.body.block.args:
            arg.replace_all_uses_with(block.insert_arg(arg.type, len(block.args)))
        *ops, last = main.body.block.ops
        results += last.operands
        last.detach()
        last.drop_all_references()
        for op in ops:
            op.detach()
            block.add_op(op)
        inputs += arrays
    block.add_op(ReturnOp(*results))
    types = ([arg.type for arg in block.args], [result.type for result in results])
    return ModuleOp([FuncOp("main", types, Region(block))]), inputs


def _index_operands(row: Row, params: Params) -> tuple[int, ...]:
    return params["starts"] if row.name.startswith("dynamic") else ()


def _properties(params: Params) -> dict[str, Attribute]:
    """The op's properties; bounds of a static slice are properties, run-time ones operands."""
    static = "limits" in params
    names = [name for name in params if name not in NOT_PROPERTIES or (static and name == "starts")]
    found = {name: _attribute(params[name]) for name in names}
    return found | ({"value": to_dense(params["value"])} if "value" in params else {})


def _attribute(value: int | str | tuple[int, ...]) -> Attribute:
    match value:
        case int():
            return IntegerAttr(value, i64)
        case str():
            return StringAttr(value)
        case _:
            return DenseArrayBase.from_list(i64, value)
