"""Pass `nd-to-linalg`: tensor programs become index spaces.

    %r = nd.add %x, %y : tensor<4xf32>
    // ->
    %e = tensor.empty() : tensor<4xf32>
    %r = linalg.generic {maps = [(d0) -> (d0), ...], iterator_types = ["parallel"]}
           ins(%x, %y) outs(%e) { ^(%a, %b, %o): %s = arith.addf %a, %b  linalg.yield %s }

Pre-condition: ops of the `nd` level. Post-condition: ops of the `linalg` level; bool is i8 in
tensors and i1 in bodies, unsigned is signless, half types are computed in f32 and rounded after
every `nd` op; each dim of a result is computed from the arguments' dims; public functions note
their `nd` types. It rebuilds, since almost every type may change.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.context import Context
from xdsl.dialects import func, tensor
from xdsl.dialects.builtin import DYNAMIC_INDEX, FunctionType, ModuleOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass

from lamina.dialects import linalg
from lamina.dialects.locations import place_of
from lamina.dialects.nd import NdOp
from lamina.dialects.type_tests import is_tensor
from lamina.errors import LoweringError
from lamina.lowering import (
    linalg_control,
    linalg_effects,
    linalg_elementwise,
    linalg_indexing,
    linalg_movement,
    linalg_random,
    linalg_reductions,
    linalg_scan,
    linalg_searching,
    linalg_sorting,
    linalg_windows,
)
from lamina.lowering.linalg_builder import Functions, LinalgBuilder, Rule, lower_type
from lamina.lowering.linalg_movement import extract_slice

RULES: dict[type[Operation], Rule] = {
    **linalg_elementwise.RULES,
    **linalg_movement.RULES,
    **linalg_reductions.RULES,
    **linalg_scan.RULES,
    **linalg_sorting.RULES,
    **linalg_searching.RULES,
    **linalg_control.RULES,
    **linalg_effects.RULES,
    **linalg_windows.RULES,
    **linalg_indexing.RULES,
    **linalg_random.RULES,
}


def as_stated(b: LinalgBuilder, value: SSAValue, stated: Attribute) -> SSAValue:
    """`value` with the static sizes that an `nd` op states for it: `check-sizes` compares them."""
    if not is_tensor(stated) or not is_tensor(value.type):
        return value
    pairs = list(zip(stated.get_shape(), value.type.get_shape(), strict=True))
    if all(size == DYNAMIC_INDEX or known != DYNAMIC_INDEX for size, known in pairs):
        return value
    sizes = tuple(
        known if size == DYNAMIC_INDEX else size
        for size, known in zip(stated.get_shape(), b.sizes_of(value), strict=True)
    )
    rank = len(sizes)
    return extract_slice(b, value, (0,) * rank, sizes, (1,) * rank)


ARGUMENTS, RESULTS = "lamina.arguments", "lamina.results"
"""Attributes of a public function: its types in `nd`, which tell bool and unsigned apart."""


UNREAD = (linalg.GenericOp, tensor.ExtractSliceOp, tensor.EmptyOp)


def drop_unread(ops: Sequence[Operation]) -> list[Operation]:
    """The ops without those that a rule made, and that a later rule looked through."""
    kept: list[Operation] = []
    for op in reversed(ops):
        if isinstance(op, UNREAD) and not any(result.uses for result in op.results):
            op.drop_all_references()
        else:
            kept.append(op)
    return kept[::-1]


class _Converter:
    """Rebuilds the blocks of one function; `values` maps old values to new ones."""

    def __init__(self) -> None:
        self.values: dict[SSAValue, SSAValue] = {}

    def block(self, old: Block, b: LinalgBuilder) -> Block:
        """`old` rebuilt; `b` collects its ops."""
        new = Block(arg_types=[lower_type(arg.type) for arg in old.args])
        for before, after in zip(old.args, new.args, strict=True):
            after.name_hint, after.location = before.name_hint, before.location
            self.values[before] = after
        for op in old.ops:
            b.location = op.location
            self.op(op, b)
        new.add_ops(drop_unread(b.ops))
        return new

    def op(self, op: Operation, b: LinalgBuilder) -> None:
        """One op, by its rule; ops of other dialects keep their kind."""
        operands = [self.values[operand] for operand in op.operands]
        rule = RULES.get(type(op))
        if rule is not None:
            lowered = rule(b, op, operands)
            results = (lowered,) if isinstance(lowered, SSAValue) else lowered
            for before, found in zip(op.results, results, strict=True):
                after = as_stated(b, found, before.type)
                self.values[before] = after
                if after.name_hint is None:
                    after.name_hint = before.name_hint
            return
        if isinstance(op, NdOp):
            raise LoweringError(
                f"nd-to-linalg: expected an op with a rule, found {op.name}",
                place=place_of(op.location),
            )
        self.keep(op, operands, b)

    def keep(self, op: Operation, operands: Sequence[SSAValue], b: LinalgBuilder) -> None:
        """An `scf`, `arith` or `func` op with lowered types and regions."""
        regions: list[Region] = []
        for region in op.regions:
            blocks = [self.block(block, b.nested()) for block in region.blocks]
            regions.append(Region(blocks))
        new = type(op).create(
            operands=operands,
            result_types=[lower_type(result.type) for result in op.results],
            properties=op.properties,
            attributes=op.attributes,
            location=op.location,
            regions=regions,
        )
        b.ops.append(new)
        for before, after in zip(op.results, new.results, strict=True):
            after.name_hint = before.name_hint
            self.values[before] = after


class NdToLinalgPass(ModulePass):
    """Lower every function of the module from `nd` to `linalg`."""

    name = "nd-to-linalg"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        functions = Functions({f.sym_name.data for f in op.ops if isinstance(f, func.FuncOp)})
        for function in list(op.ops):
            if not isinstance(function, func.FuncOp):
                continue
            types = function.function_type
            inputs = [lower_type(t) for t in types.inputs]
            outputs = [lower_type(t) for t in types.outputs]
            if function.sym_visibility is None and ARGUMENTS not in function.attributes:
                function.attributes[ARGUMENTS] = types.inputs
                function.attributes[RESULTS] = types.outputs
            function.properties["function_type"] = FunctionType.from_lists(inputs, outputs)
            if function.is_declaration:
                continue
            new = _Converter().block(function.body.block, LinalgBuilder(functions=functions))
            function.detach_region(function.body)
            function.add_region(Region(new))
        op.body.block.add_ops(functions.made.values())
