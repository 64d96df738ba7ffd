"""Pass `split-complex`: a complex tensor becomes two real ones, its parts.

    %y = nd.add %x, %x : tensor<4xcomplex<f32>>
    // ->
    %re = nd.add %x_re, %x_re : tensor<4xf32>
    %im = nd.add %x_im, %x_im : tensor<4xf32>

At the boundary of a function a complex tensor is a real one with a last axis of 2, which is how
NumPy holds it in memory; public functions note their own types first. Branches and loops carry two
tensors for each complex one. Pre-condition: level `nd`. Post-condition: level `nd`, and no complex
type is left, so that whatever follows needs to know real numbers only.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import cast

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    DenseArrayBase,
    FunctionType,
    IndexType,
    IntegerAttr,
    ModuleOp,
    TensorType,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.passes import ModulePass

from lamina.dialects.locations import place_of
from lamina.dialects.nd import complexes
from lamina.dialects.nd.base import (
    NdOp,
    element_of,
    is_bool,
    is_complex,
    part_type,
    shape_of,
)
from lamina.dialects.nd.effects import CustomCallOp, FailOp, ForeignOp, PrintOp
from lamina.dialects.nd.elementwise import (
    BitwiseAndOp,
    BitwiseOrOp,
    CastOp,
    EqualOp,
    NotEqualOp,
)
from lamina.dialects.nd.shape import BroadcastOp, ConcatOp, ConstantOp, DimOp, ReshapeOp, SliceOp
from lamina.errors import LoweringError
from lamina.interpreters.types import scalar_dense
from lamina.transforms import split_complex_order

Parts = tuple[SSAValue, SSAValue]

PARTWISE = frozenset(
    f"nd.{name}"
    for name in (
        "add", "subtract", "negative", "select", "reduce", "broadcast", "reshape", "transpose",
        "reverse", "concat", "pad", "slice", "dynamic_slice", "dynamic_update_slice",
        "gather", "scatter", "scan",
    )
)  # fmt: skip
"""Ops that do to each part what they do to a real tensor; a reduction or a scan is a sum, a scatter
sets or adds."""

NOTES = "lamina.arguments", "lamina.results"
"""Attributes of a public function: the types that a caller sees."""


def is_complex_tensor(type: Attribute) -> bool:
    """Whether `type` is a tensor of complex numbers."""
    if not isinstance(type, TensorType):
        return False
    return is_complex(cast("TensorType[Attribute]", type).element_type)


def real_type(type: Attribute) -> Attribute:
    """The type of a part; other types stay."""
    if not is_complex_tensor(type):
        return type
    shaped = cast("TensorType[Attribute]", type)
    return TensorType(part_type(shaped.element_type), shaped.get_shape())


def memory_type(type: Attribute) -> Attribute:
    """The type at the boundary of a function: a last axis of 2; other types stay."""
    if not is_complex_tensor(type):
        return type
    shaped = cast("TensorType[Attribute]", type)
    return TensorType(part_type(shaped.element_type), (*shaped.get_shape(), 2))


def touches_complex(op: Operation) -> bool:
    """Whether an operand, a result, or an argument of a region is complex."""
    arguments = [arg for region in op.regions for block in region.blocks for arg in block.args]
    return any(is_complex_tensor(v.type) for v in (*op.operands, *op.results, *arguments))


class _Splitter:
    """Rewrites one function. `parts` has those of each complex value; `dead` what was replaced."""

    def __init__(self) -> None:
        self.parts: dict[SSAValue, Parts] = {}
        self.dead: list[Operation] = []
        self.anchor: Operation

    def make(
        self,
        kind: type[Operation],
        operands: Sequence[SSAValue],
        result: Attribute,
        properties: dict[str, Attribute] | None = None,
    ) -> SSAValue:
        """The result of a new op before the anchor, at the anchor's location."""
        op = kind.create(
            operands=operands,
            result_types=[result],
            properties=properties or {},
            location=self.anchor.location,
        )
        block = self.anchor.parent
        assert block is not None
        block.insert_ops_before([op], self.anchor)
        return op.results[0]

    # -- between a complex tensor in memory and its parts -------------------------------------

    def sizes(self, value: SSAValue) -> list[SSAValue]:
        """`nd.dim` of each `?` of a tensor."""
        return [
            self.make(DimOp, [value], IndexType(), {"axis": IntegerAttr(axis, i64)})
            for axis, size in enumerate(shape_of(value))
            if size == DYNAMIC_INDEX
        ]

    def taken_apart(self, memory: SSAValue) -> Parts:
        """The parts of a tensor with a last axis of 2."""
        shape, element = shape_of(memory)[:-1], element_of(memory)
        sizes = self.sizes(memory)

        def part(number: int) -> SSAValue:
            outer = len(shape)
            bounds = {
                "starts": [0] * outer + [number],
                "limits": [-1] * outer + [number + 1],
                "strides": [1] * (outer + 1),
            }
            properties: dict[str, Attribute] = {
                key: DenseArrayBase.from_list(i64, value) for key, value in bounds.items()
            }
            one = self.make(SliceOp, [memory], TensorType(element, (*shape, 1)), properties)
            return self.make(ReshapeOp, [one, *sizes], TensorType(element, shape))

        return part(0), part(1)

    def put_together(self, parts: Parts) -> SSAValue:
        """The tensor with a last axis of 2 that has these parts."""
        shape, element = shape_of(parts[0]), element_of(parts[0])
        sizes = self.sizes(parts[0])
        column = TensorType(element, (*shape, 1))
        columns = [self.make(ReshapeOp, [part, *sizes], column) for part in parts]
        axis = {"axis": IntegerAttr(len(shape), i64)}
        return self.make(ConcatOp, columns, TensorType(element, (*shape, 2)), {**axis})

    # -- ops ----------------------------------------------------------------------------------

    def block(self, block: Block) -> None:
        """Every op of a block; arguments that are complex have their parts already."""
        for op in list(block.ops):
            self.anchor = op
            if touches_complex(op):
                self.op(op)
            else:
                for region in op.regions:
                    for inner in region.blocks:
                        self.block(inner)

    def op(self, op: Operation) -> None:
        """An op with a complex operand or result."""
        rule = RULES.get(op.name)
        if isinstance(op, func.ReturnOp):
            self.leave(op)
        elif rule is not None:
            rule(self, op)
            self.dead.append(op)
        elif op.name in PARTWISE:
            self.parts[op.results[0]] = self.partwise(op, 0), self.partwise(op, 1)
            self.dead.append(op)
        elif isinstance(op, NdOp | func.CallOp):
            raise LoweringError(
                f"split-complex: expected an op that takes complex tensors, found {op.name}",
                place=place_of(op.location),
            )
        else:
            self.expand(op)

    def partwise(self, op: Operation, number: int) -> SSAValue:
        """`op` on one of the parts; operands that are not complex are shared."""
        operands = [self.parts[v][number] if v in self.parts else v for v in op.operands]
        return self.make(type(op), operands, real_type(op.results[0].type), dict(op.properties))

    def leave(self, op: func.ReturnOp) -> None:
        """The end of a function: complex results go to memory."""
        for index, value in enumerate(op.operands):
            if value in self.parts:
                op.operands[index] = self.put_together(self.parts[value])

    def expand(self, op: Operation) -> None:
        """A branch, a loop or the end of a region: two values for each complex one."""
        operands = [part for value in op.operands for part in self.parts.get(value, (value,))]
        types: list[Attribute] = []
        for result in op.results:
            twice = 2 if is_complex_tensor(result.type) else 1
            types += [real_type(result.type)] * twice
        new = type(op).create(
            operands=operands,
            result_types=types,
            properties=op.properties,
            attributes=op.attributes,
            location=op.location,
            regions=[op.detach_region(region) for region in list(op.regions)],
        )
        block = op.parent
        assert block is not None
        block.insert_ops_before([new], op)
        left = iter(new.results)
        for result in op.results:
            if is_complex_tensor(result.type):
                self.parts[result] = next(left), next(left)
            else:
                result.replace_all_uses_with(next(left))
        self.dead.append(op)
        for region in new.regions:
            for inner in region.blocks:
                self.arguments(inner)

    def arguments(self, block: Block) -> None:
        """A block of a region, and its arguments."""
        replaced = [arg for arg in block.args if is_complex_tensor(arg.type)]
        for arg in replaced:
            made = [block.insert_arg(real_type(arg.type), arg.index + 1 + i) for i in range(2)]
            for part in made:
                part.location = arg.location
            self.parts[arg] = made[0], made[1]
        around, self.dead = self.dead, []
        self.block(block)
        self.bury()
        self.dead = around
        for arg in replaced:
            block.erase_arg(arg)

    def function(self, function: func.FuncOp) -> None:
        """A function with its boundary."""
        types = function.function_type
        boundary = (*types.inputs, *types.outputs)
        if any(map(is_complex_tensor, boundary)):
            if function.sym_visibility is None:
                for note, kinds in zip(NOTES, (types.inputs, types.outputs), strict=True):
                    function.attributes.setdefault(note, kinds)
            inputs, outputs = (map(memory_type, kinds) for kinds in (types.inputs, types.outputs))
            function.properties["function_type"] = FunctionType.from_lists([*inputs], [*outputs])
        if function.is_declaration:
            return
        block = function.body.block
        replaced = [arg for arg in block.args if is_complex_tensor(arg.type)]
        assert block.first_op is not None
        self.anchor = block.first_op
        for arg in replaced:
            memory = block.insert_arg(memory_type(arg.type), arg.index + 1)
            memory.name_hint, memory.location = arg.name_hint, arg.location
            self.parts[arg] = self.taken_apart(memory)
        self.block(block)
        self.bury()
        for arg in replaced:
            block.erase_arg(arg)

    def bury(self) -> None:
        """Erase what was replaced: readers come after what they read."""
        for op in reversed(self.dead):
            op.detach()
            op.erase()
        self.dead.clear()


Rule = Callable[[_Splitter, Operation], None]


def _part(number: int) -> Rule:
    def rule(s: _Splitter, op: Operation) -> None:
        op.results[0].replace_all_uses_with(s.parts[op.operands[0]][number])

    return rule


def _complex(s: _Splitter, op: Operation) -> None:
    s.parts[op.results[0]] = op.operands[0], op.operands[1]


def _dim(s: _Splitter, op: Operation) -> None:
    part = s.parts[op.operands[0]][0]
    op.results[0].replace_all_uses_with(s.make(DimOp, [part], IndexType(), dict(op.properties)))


def _compare(kind: type[Operation], join: type[Operation]) -> Rule:
    """Both parts equal, or one of them not."""

    def rule(s: _Splitter, op: Operation) -> None:
        a, b = (s.parts[operand] for operand in op.operands)
        type = op.results[0].type
        flags = [s.make(kind, pair, type) for pair in zip(a, b, strict=True)]
        op.results[0].replace_all_uses_with(s.make(join, flags, type))

    return rule


def _cast(s: _Splitter, op: Operation) -> None:
    """To another complex type part by part; to i1 where a part is not 0; real numbers get 0 i."""
    result, operand = op.results[0], op.operands[0]
    target = real_type(result.type)
    if operand in s.parts and not is_bool(element_of(result)):
        re, im = (s.make(CastOp, [part], target) for part in s.parts[operand])
        s.parts[result] = re, im
    elif operand in s.parts:
        flags = [s.make(CastOp, [part], target) for part in s.parts[operand]]
        result.replace_all_uses_with(s.make(BitwiseOrOp, flags, target))
    else:
        element = part_type(element_of(result))
        zero = s.make(ConstantOp, [], TensorType(element, []), {"value": scalar_dense(0, element)})
        no_dims = {"dims": DenseArrayBase.from_list(i64, [])}
        zeros = s.make(BroadcastOp, [zero, *s.sizes(operand)], target, {**no_dims})
        s.parts[result] = s.make(CastOp, [operand], target), zeros


def _foreign(s: _Splitter, op: Operation) -> None:
    """Code that is not ours takes and gives complex numbers as they are in memory."""
    assert isinstance(op, ForeignOp)
    values = (*op.operands, *op.results)
    pairs = [number for number, value in enumerate(values) if is_complex_tensor(value.type)]
    new = type(op).create(
        operands=[s.put_together(s.parts[v]) if v in s.parts else v for v in op.operands],
        result_types=[memory_type(result.type) for result in op.results],
        properties=dict(op.properties) | {"interleaved": DenseArrayBase.from_list(i64, pairs)},
        attributes=op.attributes,
        location=op.location,
    )
    assert op.parent is not None
    op.parent.insert_op_before(new, op)
    for before, after in zip(op.results, new.results, strict=True):
        if is_complex_tensor(before.type):
            s.parts[before] = s.taken_apart(after)
        else:
            before.replace_all_uses_with(after)


RULES: dict[str, Rule] = {
    PrintOp.name: _foreign,
    FailOp.name: _foreign,
    CustomCallOp.name: _foreign,
    complexes.RealOp.name: _part(0),
    complexes.ImagOp.name: _part(1),
    complexes.ComplexOp.name: _complex,
    DimOp.name: _dim,
    EqualOp.name: _compare(EqualOp, BitwiseAndOp),
    NotEqualOp.name: _compare(NotEqualOp, BitwiseOrOp),
    CastOp.name: _cast,
    **split_complex_order.RULES,
}
"""Op name -> how it is written on parts."""


class SplitComplexPass(ModulePass):
    """Write every function of the module on real tensors."""

    name = "split-complex"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in list(op.ops):
            if isinstance(function, func.FuncOp):
                _Splitter().function(function)
