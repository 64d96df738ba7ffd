"""Pass `differentiate`: the backward function of a function, in `nd`.

    func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
      %y = nd.multiply %x, %x : tensor<4xf32>
      return %y
    }
    // -> beside it, with option function=f
    func.func @f_vjp(%x: tensor<4xf32>, %g: tensor<4xf32>) -> tensor<4xf32> {
      %y = nd.multiply %x, %x : tensor<4xf32>
      %a = nd.multiply %g, %x : tensor<4xf32>
      %b = nd.multiply %g, %x : tensor<4xf32>
      %c = nd.add %a, %b : tensor<4xf32>
      return %c
    }

The backward function takes f's arguments and a cotangent of each floating-point result, and gives
a cotangent of each argument in `wrt` (reverse mode: Griewank and Walther, Evaluating Derivatives,
2008, chapter 3). What it needs of the forward values it computes again, and checks, but does not
print. Pre- and post-condition: level `nd`; `f` as it was.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import IndexType, ModuleOp
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass

from lamina.dialects import scf
from lamina.dialects.locations import place_of
from lamina.dialects.nd import NdOp
from lamina.dialects.nd.base import DYNAMIC_INDEX, is_float
from lamina.dialects.nd.gradients import CustomVjpOp
from lamina.dialects.type_tests import is_tensor
from lamina.errors import LoweringError
from lamina.transforms.derivatives import INTO, RULES, Node, needs_sizes
from lamina.transforms.differentiate_checkpoint import CHECKPOINT, group_before, pull_again
from lamina.transforms.differentiate_control import pull_custom, pull_if
from lamina.transforms.differentiate_loops import Loop, Memo, counted, every_of, in_parts
from lamina.transforms.ir_emitter import IrEmitter
from lamina.transforms.repeated import PRINTS, drop_effects

CONTROL = (scf.IfOp, scf.ForOp, scf.WhileOp, CustomVjpOp)
STOP = "lamina.stop_gradient"
"""Attribute of ops that no gradient goes through."""


def active_values(ops: Iterable[Operation], wrt: Iterable[SSAValue], e: IrEmitter) -> set[SSAValue]:
    """The values that depend on `wrt` through floating-point or complex values."""
    active = {value for value in wrt if e.is_float(value)}
    for op in ops:
        if STOP in op.attributes:
            continue
        if any(operand in active for inner in op.walk() for operand in inner.operands):
            active.update(r for r in op.results if e.is_float(r) or e.is_complex(r))
    return active


def why_no_derivative(op: Operation) -> str | None:
    """Why an op that a gradient goes through cannot be differentiated, or None."""
    if op.regions:
        return None if isinstance(op, CONTROL) else "expected scf.if, scf.for or scf.while"
    if not isinstance(op, NdOp) or op.name.removeprefix("nd.") not in RULES:
        return "expected an op that has a derivative"
    return None


def why_no_region(op: Operation, active: set[SSAValue], e: IrEmitter) -> str | None:
    """Why no gradient goes through the regions of an op, or None."""
    if not op.regions:
        return None
    read = (value for inner in op.walk() for value in inner.operands)
    if any(value in active and e.is_complex(value) for value in (*op.results, *read)):
        return "expected real numbers to go into and out of a branch or a loop"
    return None


def node_of(op: Operation) -> Node[SSAValue]:
    """An op as derivative rules see it."""
    assert isinstance(op, NdOp)
    index = IndexType()
    return Node(
        op.name.removeprefix("nd."),
        [value for value in op.operands if value.type != index],
        list(op.results),
        op.params(),
        [value for value in op.operands if value.type == index],
    )


def check_sizes(node: Node[SSAValue], e: IrEmitter) -> None:
    """Refuse a rule that computes with sizes where these are not known."""
    values = [value for value in (*node.operands, *node.results) if is_tensor(value.type)]
    dynamic = any(DYNAMIC_INDEX in e.shape(value) for value in values)
    if dynamic and needs_sizes(node.name, node.params):
        raise LoweringError(
            f"differentiate: expected known sizes for the derivative of nd.{node.name}, found a ?",
            place=place_of(e.location),
        )


def _parts(
    op: Operation,
    given: Sequence[SSAValue | None],
    active: set[SSAValue],
    known: Mapping[SSAValue, SSAValue],
    e: IrEmitter,
) -> Iterator[tuple[SSAValue, SSAValue]]:
    """The active operands of an op, and their cotangents with what is `known` of them."""
    node = node_of(op)
    g = given[0] if len(given) == 1 else given
    for number, operand in enumerate(node.operands):
        if operand not in active:
            continue
        try:
            before = known.get(operand)
            if number == 0 and before is not None and node.name in INTO:
                yield operand, INTO[node.name](e, node, g, before)
                continue
            check_sizes(node, e)
            part = RULES[node.name](e, node, g, number)
        except LoweringError as error:
            error.place = error.place or place_of(op.location)
            raise
        if part is not None:
            yield operand, part if before is None else e.add(before, part)


def pull_back(
    ops: list[Operation],
    cotangents: dict[SSAValue, SSAValue],
    wrt: Sequence[SSAValue],
    e: IrEmitter,
    memo: Memo | None = None,
) -> list[SSAValue | None]:
    """The cotangents of `wrt`, given those of values that `ops` (in order) compute; None for zero.

    `cotangents` is updated, and `ops` where loops have to be counted first; a second walk back
    over the same ops gets the `memo` of the first. Raises LoweringError, with its place, for an op
    without a derivative.
    """
    memo = memo or Memo()
    active = active_values(ops, wrt, e)
    if _count_loops(ops, cotangents, active, memo):
        active = active_values(ops, wrt, e)
    end = len(ops)
    while end:
        end -= 1
        op = ops[end]
        if CHECKPOINT in op.attributes:
            start = group_before(ops, end)
            for value, part in pull_again(ops[start : end + 1], cotangents, active, e, pull_back):
                known = cotangents.get(value)
                cotangents[value] = part if known is None else e.add(known, part)
            end = start
            continue
        given = [cotangents.get(result) for result in op.results]
        if not any(result in active for result in op.results) or given == [None] * len(given):
            continue
        why = why_no_derivative(op) or why_no_region(op, active, e)
        if why is not None:
            raise LoweringError(
                f"differentiate: {why}, found {op.name}", place=place_of(op.location)
            )
        e.location = op.location
        if op.regions:
            for value, part in _pulled(op, given, active, e, memo):
                if value in active:
                    known = cotangents.get(value)
                    cotangents[value] = part if known is None else e.add(known, part)
        else:
            for value, total in _parts(op, given, active, cotangents, e):
                cotangents[value] = total
    return [cotangents.get(value) for value in wrt]


def _pulled(
    op: Operation, given: Sequence[SSAValue | None], active: set[SSAValue], e: IrEmitter, memo: Memo
) -> Iterable[tuple[SSAValue, SSAValue]]:
    """What the regions of an op read, and the cotangents of it."""
    if isinstance(op, scf.IfOp):
        return pull_if(op, given, active, e, pull_back)
    if isinstance(op, CustomVjpOp):
        return pull_custom(op, given, e)
    if isinstance(op, scf.ForOp) and op not in memo.handed:
        return Loop(op, e, memo).back(given, active, pull_back)
    # The work is done by a loop behind it.
    return [(x, g) for x, g in zip(memo.handed[op], given, strict=False) if g is not None]


def _count_loops(
    ops: list[Operation], cotangents: dict[SSAValue, SSAValue], active: set[SSAValue], memo: Memo
) -> bool:
    """Let loops of unknown trips that a gradient may go through count them, and divide those that
    store what every so many trips carry; whether there are any.

    The loops that do their work go before them in `ops`: on the way back their turn is later.
    """
    found = [
        op
        for op in ops
        if (isinstance(op, scf.WhileOp) or (isinstance(op, scf.ForOp) and every_of(op)))
        and CHECKPOINT not in op.attributes
        and op not in memo.handed
        and any(x in active and (x.uses or x in cotangents) for x in op.results)
    ]
    for op in found:
        if isinstance(op, scf.WhileOp):
            made, memo.handed[op] = counted(op)
        else:
            made, memo.handed[op] = in_parts(op)
        place = ops.index(op)
        ops[place:place] = made
    return bool(found)


@dataclass(frozen=True)
class DifferentiatePass(ModulePass):
    """function: which one. wrt: numbers of the arguments whose cotangents are wanted; all that are
    floating-point if none is given."""

    name = "differentiate"
    function: str = "main"
    wrt: tuple[int, ...] = ()

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        found = [
            f for f in op.ops if isinstance(f, func.FuncOp) and f.sym_name.data == self.function
        ]
        if not found or found[0].is_declaration:
            raise LoweringError(
                f"differentiate: expected a function @{self.function} with a body",
                place=place_of(op.location),
            )
        source = found[0]
        backward = backward_of(source, self.wrt or _floats(source))
        assert source.parent is not None
        source.parent.insert_ops_after([backward], source)


def _floats(source: func.FuncOp) -> list[int]:
    """The arguments that have a gradient."""
    types = source.function_type.inputs
    return [i for i, type in enumerate(types) if is_tensor(type) and is_float(type.element_type)]


def _check_wrt(source: func.FuncOp, wrt: Sequence[int]) -> None:
    types = list(source.function_type.inputs)
    floats = _floats(source)
    for number in wrt:
        if number not in floats:
            found = f"one of {types[number]}" if 0 <= number < len(types) else "no such argument"
            raise LoweringError(
                f"differentiate: expected argument {number} to be of floats, found {found}",
                place=place_of(source.location),
            )


def backward_of(source: func.FuncOp, wrt: Sequence[int]) -> func.FuncOp:
    """The backward function of `source`. Raises LoweringError for an argument that is not float."""
    _check_wrt(source, wrt)
    region = source.body.clone()
    block: Block = region.block
    end = block.last_op
    assert isinstance(end, func.ReturnOp)
    results = list(end.operands)
    end.detach()
    end.erase()
    ops = drop_effects(block.ops, PRINTS)
    e = IrEmitter(block.add_op, source.location)
    arguments = [block.args[number] for number in wrt]
    cotangents: dict[SSAValue, SSAValue] = {}
    for result in results:
        if not e.is_float(result) and not e.is_complex(result):
            continue
        seed = block.insert_arg(result.type, len(block.args))
        known = cotangents.get(result)
        cotangents[result] = seed if known is None else e.add(known, seed)
    found = pull_back(ops, cotangents, arguments, e)
    outputs = [
        e.full(0.0, argument) if value is None else value
        for argument, value in zip(arguments, found, strict=True)
    ]
    returned = func.ReturnOp(*outputs)
    returned.location = source.location
    block.add_op(returned)
    types = ([arg.type for arg in block.args], [value.type for value in outputs])
    new = func.FuncOp(f"{source.sym_name.data}_vjp", types, Region(region.detach_block(block)))
    new.location = source.location
    return new
