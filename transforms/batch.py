"""Pass `batch`: a function of one example as a function of many.

    func.func @f(%x: tensor<3xf32>, %y: tensor<3xf32>) -> tensor<f32> {
      %p = nd.multiply %x, %y : tensor<3xf32>
      %s = nd.reduce "sum" %p axes [0] : tensor<3xf32> -> tensor<f32>
      return %s : tensor<f32>
    }
    // -> beside it, with options function=f size=8 arguments=0
    func.func @f_batched(%x: tensor<8x3xf32>, %y: tensor<3xf32>) -> tensor<8xf32> {
      %b = nd.broadcast %y dims [1] : tensor<3xf32> -> tensor<8x3xf32>
      %p = nd.multiply %x, %b : tensor<8x3xf32>
      %s = nd.reduce "sum" %p axes [1] : tensor<8x3xf32> -> tensor<8xf32>
      return %s : tensor<8xf32>
    }

What depends on no argument with a batch stays as it is. Branches and loops: `batching/control.py`.
Pre-condition: level `nd`. Post-condition: level `nd`; `f` as it was; every result has the batch, in
front.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.traits import IsTerminator

from lamina.dialects.locations import place_of
from lamina.errors import LoweringError
from lamina.transforms.batching.batcher import Batcher
from lamina.transforms.batching.control import copy_ops
from lamina.transforms.batching.spread import spread


def batched_block(
    source: Block,
    target: Block,
    size: int,
    arguments: dict[SSAValue, SSAValue],
    batched: set[SSAValue],
) -> Batcher:
    """Copy the ops of `source`, all but a terminator, to the end of `target`.

    arguments: those of `source` -> values in the new program; `batched`, which of them have a
    batch of `size` in front, gets all other values that have one. The batcher knows where each
    value went. Raises LoweringError, with its place, for an op that has no batched form.
    """
    ops = [op for op in source.ops if not op.has_trait(IsTerminator)]
    spread(ops, batched)
    b = Batcher(target, size, arguments, batched)
    copy_ops(b, ops)
    return b


@dataclass(frozen=True)
class BatchPass(ModulePass):
    """function: which one. size: how many examples. arguments: numbers of those that have a batch;
    all if none is given."""

    name = "batch"
    function: str = "main"
    size: int = 1
    arguments: tuple[int, ...] = ()

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        found = [
            f for f in op.ops if isinstance(f, func.FuncOp) and f.sym_name.data == self.function
        ]
        if not found or found[0].is_declaration:
            raise LoweringError(
                f"batch: expected a function @{self.function} with a body",
                place=place_of(op.location),
            )
        source = found[0]
        count = len(source.function_type.inputs)
        numbers = self.arguments or tuple(range(count))
        if self.size < 0 or not all(0 <= number < count for number in numbers):
            raise LoweringError(
                f"batch: expected a size of 0 or more and arguments below {count}, "
                f"found {self.size} and {list(numbers)}",
                place=place_of(source.location),
            )
        assert source.parent is not None
        source.parent.insert_ops_after([function_of_many(source, self.size, numbers)], source)


def function_of_many(source: func.FuncOp, size: int, numbers: Sequence[int]) -> func.FuncOp:
    """`source` for a batch in the arguments `numbers`."""
    old, block = source.body.block, Block()
    batched: set[SSAValue] = {old.args[number] for number in numbers}
    b = Batcher(block, size, {}, batched)
    for argument in old.args:
        type = b.type(argument) if b.has(argument) else argument.type
        b.known[argument] = block.insert_arg(type, len(block.args))
        b.known[argument].name_hint = argument.name_hint
    b = batched_block(old, block, size, b.known, batched)
    b.at(source.location, {})
    end = old.last_op
    assert isinstance(end, func.ReturnOp)
    results = [b.full(value) for value in end.operands]
    returned = func.ReturnOp(*results)
    returned.location = end.location
    block.add_op(returned)
    types = ([arg.type for arg in block.args], [value.type for value in results])
    new = func.FuncOp(f"{source.sym_name.data}_batched", types, Region(block))
    new.location = source.location
    return new
