"""Pass `outline-kernels`: the ops of each kernel become a function in destination style.

    %e = tensor.empty() : tensor<4xf32>
    %r = linalg.generic ... ins(%x) outs(%e)        {lamina.kernel = 0}
    // ->
    %r = func.call @map_0(%x, %e) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    func.func private @map_0(%x: tensor<4xf32>, %out: tensor<4xf32>) -> tensor<4xf32> { ... }

A kernel's arguments are what it reads, then one destination for each result. Kernels with equal
bodies are one function. Generics without a number, and fills that are no kernel's start, become
kernels of their own. Post-condition: no linalg op is left outside kernels; the location of a check
names the lines of the kernels that it looks at, behind its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from typing import cast

from xdsl.context import Context
from xdsl.dialects import func, tensor
from xdsl.dialects.builtin import (
    FunctionType,
    IntegerAttr,
    ModuleOp,
    StringAttr,
    TensorType,
)
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass

from lamina.dialects import arith, linalg
from lamina.dialects.generics import is_contraction, is_parallel, maps_of
from lamina.dialects.kernels import is_kernel
from lamina.dialects.locations import fuse_locations
from lamina.transforms.blocks import read_values, sort_block
from lamina.transforms.form_kernels import KERNEL
from lamina.transforms.kernel_groups import destinations, padding_of
from lamina.transforms.kernel_lines import locate_checks

PURE = (linalg.GenericOp, linalg.FillOp, tensor.EmptyOp, tensor.InsertSliceOp, arith.ConstantOp)


def groups_of(block: Block) -> list[list[Operation]]:
    """The ops of each kernel, in the block's order: generics, and what they write into."""
    numbered: dict[object, list[Operation]] = {}
    for op in block.ops:
        if isinstance(op, linalg.GenericOp):
            number = op.attributes.get(KERNEL)
            key = number.value.data if isinstance(number, IntegerAttr) else op
            members = numbered.setdefault(key, [])
            members += [o for o in padding_of(op) if o not in members]
            members += [o for o in destinations(op) if o not in members]
            members.append(op)
        elif isinstance(op, linalg.FillOp) and not _starts_only(op):
            numbered[op] = [*destinations(op), op]
    return list(numbered.values())


def _starts_only(fill: linalg.FillOp) -> bool:
    """Whether every reader of `fill` is a generic that accumulates into it, or a padded copy
    inside a kernel (both take the fill along)."""
    for use in fill.results[0].uses:
        reader = use.operation
        if isinstance(reader, linalg.GenericOp) and use.index >= len(reader.inputs):
            continue
        if isinstance(reader, tensor.InsertSliceOp) and _pads_generic(reader):
            continue
        return False
    return bool(fill.results[0].uses)


def _pads_generic(op: tensor.InsertSliceOp) -> bool:
    readers = {use.operation for use in op.result.uses}
    return len(readers) == 1 and any(
        isinstance(reader, linalg.GenericOp) and op in padding_of(reader) for reader in readers
    )


def label_of(members: list[Operation]) -> str:
    """What a kernel is called: by its heaviest op."""
    generics = [op for op in members if isinstance(op, linalg.GenericOp)]
    for op in generics:
        if is_contraction(op):
            plain = all(m.is_projected_permutation() for m in maps_of(op))
            return "dot" if plain else "conv"
    if not generics:
        return "fill"
    return "map" if all(map(is_parallel, generics)) else "reduce"


def root_of(value: SSAValue) -> SSAValue:
    """The tensor that a destination chain starts from: through the fill."""
    owner = value.owner
    return owner.outputs[0] if isinstance(owner, linalg.FillOp) else value


class _Outliner:
    """Makes one kernel: finds its arguments and results, clones its ops."""

    def __init__(self, members: list[Operation]) -> None:
        self.members = members
        self.inside = set(members)
        self.results: list[SSAValue] = []
        self.roots: list[SSAValue] = []
        for op in members:
            if not isinstance(op, linalg.GenericOp | linalg.FillOp):
                continue
            for result, out in zip(op.results, op.outputs, strict=True):
                if any(_outer_reader(use.operation, self.inside) for use in result.uses):
                    self.results.append(result)
                    self.roots.append(root_of(out))
        self.inputs = self.find_inputs()
        self.location = fuse_locations(
            [op.location for op in members if isinstance(op, linalg.GenericOp | linalg.FillOp)]
        )

    def find_inputs(self) -> list[SSAValue]:
        """What the kernel reads from outside, in order of use; constants are taken along."""
        made: set[Operation] = set()
        for op in self.members:
            made.update(op.walk())
        found: dict[SSAValue, None] = {}
        for op in self.members:
            if isinstance(op, tensor.EmptyOp) and op.tensor in self.roots:
                continue
            for value in read_values(op):
                owner = value.owner
                inner = owner in made or (isinstance(owner, Block) and _within(owner, made))
                if not inner and value not in self.roots and not _is_scalar_constant(value):
                    found[value] = None
        return list(found)

    def function(self) -> func.FuncOp:
        """The kernel, without a name."""
        inputs = [value.type for value in self.inputs]
        types = [result.type for result in self.results]
        block = Block(arg_types=[*inputs, *types])
        values: dict[SSAValue, SSAValue] = dict(zip(self.inputs, block.args, strict=False))
        values.update(zip(self.roots, block.args[len(inputs) :], strict=True))
        for op in self.members:
            if isinstance(op, tensor.EmptyOp) and op.tensor in values:
                continue
            for value in self.constants_of(op):
                if value not in values:
                    self.clone(cast(Operation, value.owner), block, values)
            self.clone(op, block, values)
        returned = func.ReturnOp(*(values[result] for result in self.results))
        returned.location = self.location
        block.add_op(returned)
        kernel = func.FuncOp.create(
            properties={
                "sym_name": StringAttr("k"),
                "function_type": FunctionType.from_lists([*inputs, *types], types),
                "sym_visibility": StringAttr("private"),
            },
            regions=[Region(block)],
            location=self.location,
        )
        for value in _values_of(kernel):
            value.name_hint = None
        return kernel

    def constants_of(self, op: Operation) -> list[SSAValue]:
        """The scalar constants that `op` reads from outside itself."""
        inside = set(op.walk())
        return [v for v in read_values(op) if _is_scalar_constant(v) and v.owner not in inside]

    def clone(self, op: Operation, block: Block, values: dict[SSAValue, SSAValue]) -> None:
        """A clone of `op` at the end of the kernel, without the kernel's number."""
        clone = op.clone(values)
        clone.attributes.pop(KERNEL, None)
        block.add_op(clone)
        values.update(zip(op.results, clone.results, strict=True))

    def call(self, symbol: str) -> func.CallOp:
        """The call that replaces the members."""
        call = func.CallOp(symbol, [*self.inputs, *self.roots], [r.type for r in self.results])
        call.location = self.location
        for old, new in zip(self.results, call.results, strict=True):
            new.name_hint = old.name_hint
            old.replace_uses_with_if(new, lambda use: _outer_reader(use.operation, self.inside))
        return call


def _outer_reader(op: Operation, inside: set[Operation]) -> bool:
    """Whether `op` is not one of `inside`, nor within one."""
    current: Operation | None = op
    while current is not None:
        if current in inside:
            return False
        current = current.parent_op()
    return True


def _within(block: Block, made: set[Operation]) -> bool:
    owner = block.parent_op()
    return owner is not None and owner in made


def _is_scalar_constant(value: SSAValue) -> bool:
    return isinstance(value.owner, arith.ConstantOp) and not isinstance(value.type, TensorType)


def _values_of(op: Operation) -> Iterator[SSAValue]:
    for inner in op.walk():
        yield from inner.results
        for region in inner.regions:
            for block in region.blocks:
                yield from block.args


Calls = dict[Operation, func.CallOp]
"""Op that was outlined -> the call in its place."""


class _Outlining:
    """One run over a module: the kernels so far by their text, names that are taken, the calls."""

    def __init__(self, module: ModuleOp) -> None:
        self.kernels: dict[str, func.FuncOp] = {}
        self.taken = {f.sym_name.data for f in module.ops if isinstance(f, func.FuncOp)}
        self.calls: Calls = {}

    def block(self, block: Block) -> None:
        """Outline the kernels of one block."""
        replaced: dict[Operation, Operation] = {}
        for members in groups_of(block):
            outliner = _Outliner(members)
            kernel = outliner.function()
            text = str(kernel)
            if text not in self.kernels:
                label = label_of(members)
                name = next(n for i in count() if (n := f"{label}_{i}") not in self.taken)
                self.taken.add(name)
                kernel.properties["sym_name"] = StringAttr(name)
                self.kernels[text] = kernel
            call = outliner.call(self.kernels[text].sym_name.data)
            replaced[members[-1]] = call
            self.calls.update((op, call) for op in members)
        if not replaced:
            return
        ops = [replaced.get(op, op) for op in block.ops]
        for op in reversed(replaced):
            op.detach()
            op.drop_all_references()
        sort_block(block, ops)
        for op in reversed(list(block.ops)):
            if isinstance(op, PURE) and not any(result.uses for result in op.results):
                op.detach()
                op.erase()


def outline(module: ModuleOp) -> Calls:
    """Outline the kernels of a module."""
    outlining = _Outlining(module)
    for block in kernel_blocks(module):
        outlining.block(block)
    for kernel in outlining.kernels.values():
        module.body.block.add_op(kernel)
    return outlining.calls


def kernel_blocks(module: ModuleOp) -> list[Block]:
    """The blocks that hold ops of kernels, but for kernels that an earlier run outlined."""
    blocks = {
        inner.parent: None
        for inner in module.walk()
        if isinstance(inner, linalg.GenericOp | linalg.FillOp) and inner.parent is not None
    }
    return [block for block in blocks if not is_kernel(block.parent_op())]


class OutlineKernelsPass(ModulePass):
    """Move each kernel's ops to a private function, and call it."""

    name = "outline-kernels"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        outline(op)
        locate_checks(op)
