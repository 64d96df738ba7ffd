"""Pass `reuse-donated`: elementwise kernels write a result over the donated argument they read.

    func.func @main(%p: ..., %g: ...) -> ... attributes {lamina.donors = array<i64: 0>} {
      %e = tensor.empty() : tensor<4xf32>
      %r = linalg.generic ... ins(%p, %g) outs(%e) { ^bb0(%a, %b, %o): ... }
      func.return %r
    // ->
      %r = linalg.generic ... ins(%g) outs(%p) { ^bb0(%b, %a): ... }

Each element is read and written at one place, so that no other memory is needed. Pre-condition:
kernels have their numbers (`form-kernels`). Post-condition: level linalg. What is left is the
matter of `bufferize`, which copies where it must.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from xdsl.context import Context
from xdsl.dialects import func, tensor
from xdsl.dialects.builtin import AffineMapAttr, ArrayAttr, DenseArrayBase, ModuleOp, i32
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass

from lamina.dialects import linalg
from lamina.dialects.donors import donors_of
from lamina.dialects.generics import body_of, captured, is_identity, is_parallel, maps_of
from lamina.transforms.form_kernels import KERNEL

VIEWS = (tensor.ExtractSliceOp, tensor.CollapseShapeOp, tensor.ExpandShapeOp)


def readers(value: SSAValue, block: Block) -> Iterable[Operation]:
    """The ops of `block` that read `value` or a view of it, themselves or inside them."""
    for use in value.uses:
        op: Operation | None = use.operation
        if isinstance(op, VIEWS):
            yield from readers(op.results[0], block)
        while op is not None and op.parent is not block:
            op = op.parent_op()
        if op is not None:
            yield op


def updated(value: SSAValue) -> SSAValue:
    """What `value` was before parts of it were replaced."""
    while isinstance(value.owner, tensor.InsertSliceOp | tensor.InsertOp):
        value = value.owner.dest
    return value


def why_not(
    op: linalg.GenericOp, result: SSAValue, argument: SSAValue, shared: Mapping[object, int]
) -> str | None:
    """Why `result` of `op` is not written over `argument`, or None."""
    block = op.parent
    if not is_parallel(op) or block is None:
        return "expected an elementwise generic"
    place = len(op.inputs) + op.results.index(result)
    empty = isinstance(op.operands[place].owner, tensor.EmptyOp)
    unread = empty and not body_of(op).args[place].uses
    if not is_identity(maps_of(op)[place]) or not unread:
        return "expected a generic that writes new elements, in order"
    if shared.get(op.attributes.get(KERNEL, op), 0) > 1:
        return "expected a kernel of its own"
    maps = maps_of(op)
    if argument not in op.inputs:
        return "expected a generic that reads the argument"
    if argument in captured(op) or not all(
        is_identity(m) for value, m in zip(op.inputs, maps, strict=False) if value is argument
    ):
        return "expected it to read the argument where it writes"
    order = {other: place for place, other in enumerate(block.ops)}
    own = [use.operation for use in argument.uses].count(op)
    if sum(1 for other in readers(argument, block) if other is op) != own:
        return "expected it to read no view of the argument"
    if any(order[other] > order[op] for other in readers(argument, block)):
        return "expected nobody to read the argument later"
    return None


def write_over(op: linalg.GenericOp, number: int, argument: SSAValue) -> None:
    """Let result `number` of `op` be written over `argument`, which is no input any more."""
    body, maps = body_of(op), maps_of(op)
    inputs, outputs = list(op.inputs), list(op.outputs)
    target = body.args[len(inputs) + number]
    empty = outputs[number].owner
    assert isinstance(empty, tensor.EmptyOp)
    outputs[number] = argument
    for place in reversed(range(len(inputs))):
        if inputs[place] is argument:
            body.args[place].replace_all_uses_with(target)
            body.erase_arg(body.args[place])
            del inputs[place], maps[place]
    new = linalg.GenericOp.create(
        operands=[*inputs, *outputs],
        result_types=[result.type for result in op.results],
        properties={
            "indexing_maps": ArrayAttr([AffineMapAttr(m) for m in maps]),
            "iterator_types": op.properties["iterator_types"],
            "operandSegmentSizes": DenseArrayBase.from_list(i32, [len(inputs), len(outputs)]),
        },
        attributes=op.attributes,
        regions=[op.detach_region(op.regions[0])],
        location=op.location,
    )
    block = op.parent
    assert block is not None
    block.insert_ops_before([new], op)
    for old, result in zip(op.results, new.results, strict=True):
        result.name_hint = old.name_hint
        old.replace_all_uses_with(result)
    op.detach()
    op.erase()
    if not empty.tensor.uses:
        empty.detach()
        empty.erase()


class ReuseDonatedPass(ModulePass):
    """Write over donated arguments where that needs no copy."""

    name = "reuse-donated"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in op.ops:
            if isinstance(function, func.FuncOp) and (donors := donors_of(function)):
                _reuse(function.body.block, donors)


def kernel_sizes(block: Block) -> dict[object, int]:
    """How many generics each kernel has, by its number."""
    shared: dict[object, int] = {}
    for op in block.ops:
        if isinstance(op, linalg.GenericOp):
            key = op.attributes.get(KERNEL, op)
            shared[key] = shared.get(key, 0) + 1
    return shared


def _reuse(block: Block, donors: Mapping[int, int]) -> None:
    shared = kernel_sizes(block)
    end = block.last_op
    assert isinstance(end, func.ReturnOp)
    for number, source in donors.items():
        result, argument = updated(end.arguments[number]), block.args[source]
        made = result.owner
        if isinstance(made, linalg.GenericOp) and why_not(made, result, argument, shared) is None:
            write_over(made, made.results.index(result), argument)
