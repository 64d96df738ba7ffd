"""Pass `scalarize-loops`: in loops, tensors of one element become scalars.

    %r = scf.for ... iter_args(%s = %start) -> (tensor<f64>) {
      %w = tensor.extract_slice %a[%i] [1] [1] : tensor<9xf64> to tensor<1xf64>
      %n = linalg.generic {one point} ins(%s, %w) ... { arith.addf }
      scf.yield %n : tensor<f64>
    // ->
    %r = scf.for ... iter_args(%s = %first) -> (f64) {
      %w = tensor.extract %a[%i] : tensor<9xf64>
      %n = arith.addf %s, %w : f64
      scf.yield %n : f64

What a loop computes an element at a time would else be a kernel an op and buffers between them.
Pre-condition: level `linalg`, before fusion. Post-condition: in the loops of public functions, and
what is nested in them, no generic has a single point, and no tensor of one element is carried or
yielded; elements are read by `tensor.extract` and written by `tensor.insert`. What an op needs as a
tensor is made of its element (`tensor.from_elements`) where the element is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, cast

from typing_extensions import TypeIs
from xdsl.context import Context
from xdsl.dialects import func, tensor
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    IntegerAttr,
    LocationAttr,
    ModuleOp,
    TensorType,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass

from lamina.dialects import arith, linalg, scf
from lamina.dialects.generics import body_of, maps_of, scalar_constant, space_of
from lamina.dialects.kernels import is_kernel

LOOPS = (scf.ForOp, scf.WhileOp)
UNREAD = (
    arith.ConstantOp, tensor.EmptyOp, tensor.ExtractOp, tensor.FromElementsOp, linalg.FillOp,
    tensor.ExtractSliceOp, tensor.CollapseShapeOp, tensor.ExpandShapeOp,
)  # fmt: skip
"""Ops that go when nobody reads their result."""


# predicates


def is_one(type: Attribute) -> TypeIs[TensorType[Attribute]]:
    """Whether a type is that of tensors of one element, known to be one."""
    return isinstance(type, TensorType) and all(
        size == 1 for size in cast("TensorType[Attribute]", type).get_shape()
    )


def is_point(op: Operation) -> TypeIs[linalg.GenericOp]:
    """Whether `op` is a generic of a single point that gives single elements."""
    return (
        isinstance(op, linalg.GenericOp)
        and bool(op.results)
        and all(is_one(result.type) for result in op.results)
        and all(size == 1 for size in space_of(op))
    )


def is_element(op: Operation) -> bool:
    """Whether `op` reads one element of a tensor as a tensor."""
    return (
        isinstance(op, tensor.ExtractSliceOp) and is_one(op.result.type) and _ones(op.static_sizes)
    )


def is_element_write(op: Operation) -> bool:
    """Whether `op` puts a tensor of one element into another."""
    return (
        isinstance(op, tensor.InsertSliceOp) and is_one(op.source.type) and _ones(op.static_sizes)
    )


def _ones(sizes: DenseArrayBase[Any]) -> bool:
    return all(size == 1 for size in sizes.get_values())


def outermost_loops(function: func.FuncOp) -> list[Operation]:
    """The loops of a function that are in no other loop."""
    found: list[Operation] = []

    def visit(block: Block) -> None:
        for op in block.ops:
            if isinstance(op, LOOPS):
                found.append(op)
            elif isinstance(op, scf.IfOp):
                for region in op.regions:
                    for inner in region.blocks:
                        visit(inner)

    visit(function.body.block)
    return found


# rebuilding


class _Scope:
    """A block that is made: its ops, and what the old values are there. `elements` holds the
    scalars of tensors of one element, `values` all that is as it was."""

    def __init__(self, parent: _Scope | None) -> None:
        self.parent = parent
        self.ops: list[Operation] = []
        self.elements: dict[SSAValue, SSAValue] = {}
        self.values: dict[SSAValue, SSAValue] = {}


class _Scalarizer:
    """Rebuilds one loop. `scope` is the block that ops go to now, `outer` is before the loop."""

    def __init__(self, location: LocationAttr) -> None:
        self.outer = self.scope = _Scope(None)
        self.location = location  # of the op that asks for a value

    def home(self, old: SSAValue) -> _Scope:
        """The block in which `old` is made; a conversion there is made once, for all inside."""
        scope = self.scope
        while old not in scope.values and old not in scope.elements:
            if scope.parent is None:
                scope.values[old] = old
                return scope
            scope = scope.parent
        return scope

    def value(self, old: SSAValue) -> SSAValue:
        """What `old` is now: a tensor, or the scalar that it always was."""
        home = self.home(old)
        found = home.values.get(old)
        if found is None:
            element = home.elements[old]
            op = tensor.FromElementsOp.create(operands=[element], result_types=[old.type])
            found = home.values[old] = self._add(op, home)
        return found

    def element(self, old: SSAValue) -> SSAValue:
        """The element of a tensor of one, as a scalar."""
        home = self.home(old)
        found = home.elements.get(old)
        if found is None:
            found = home.elements[old] = self._read(old, home)
        return found

    def _read(self, old: SSAValue, home: _Scope) -> SSAValue:
        type = cast("TensorType[Attribute]", old.type)
        number = scalar_constant(old)
        if number is not None:
            constant = arith.ConstantOp.create(
                properties={"value": number}, result_types=[type.element_type]
            )
            return self._add(constant, home)
        zeros = [
            self._add(arith.ConstantOp(IntegerAttr.from_index_int_value(0)), home)
            for _ in type.get_shape()
        ]
        op = tensor.ExtractOp.create(
            operands=[home.values[old], *zeros], result_types=[type.element_type]
        )
        return self._add(op, home)

    def _add(self, op: Operation, scope: _Scope) -> SSAValue:
        """Append an op to a block; its result."""
        op.location = self.location
        scope.ops.append(op)
        return op.results[0]

    # -- ops ------------------------------------------------------------------------------------

    def op(self, op: Operation) -> None:
        """Append what becomes of `op`."""
        self.location = op.location
        handler = _HANDLERS.get(type(op))
        if handler is None or not handler(self, op):
            self.keep(op)

    def keep(self, op: Operation) -> None:
        """`op` itself, on the new values."""
        read = {value for inner in op.walk() for value in inner.operands}
        inside = {result for inner in op.walk() if inner is not op for result in inner.results}
        inside |= {
            a for inner in op.walk() for r in inner.regions for b in r.blocks for a in b.args
        }
        clone = op.clone({value: self.value(value) for value in read - inside})
        self.scope.ops.append(clone)
        self.scope.values.update(zip(op.results, clone.results, strict=True))

    def inlined(self, op: linalg.GenericOp) -> None:
        """The body of a generic of one point, on scalars."""
        values: dict[SSAValue, SSAValue] = {}
        body = body_of(op)
        for argument, operand, map_ in zip(body.args, op.operands, maps_of(op), strict=True):
            if not argument.uses:
                continue
            if is_one(operand.type):
                values[argument] = self.element(operand)
                continue
            places = [self.index(op, at) for at in map_.eval([0] * map_.num_dims, [])]
            read = tensor.ExtractOp.create(
                operands=[self.value(operand), *places], result_types=[argument.type]
            )
            read.location = op.location
            self.scope.ops.append(read)
            values[argument] = read.result
        self.scope.values.update(values)
        last = body.last_op
        assert last is not None
        for inner in body.ops:
            if inner is last:
                break
            if isinstance(inner, linalg.IndexOp):
                self.scope.values[inner.result] = self.index(inner, 0)
            else:
                self.keep(inner)
        for result, yielded in zip(op.results, last.operands, strict=True):
            self.scope.elements[result] = self.value(yielded)

    def index(self, op: Operation, number: int) -> SSAValue:
        """An index constant, for `op`."""
        constant = arith.ConstantOp(IntegerAttr.from_index_int_value(number))
        constant.location = op.location
        self.scope.ops.append(constant)
        return constant.result

    # -- regions --------------------------------------------------------------------------------

    def lowered(self, olds: Sequence[SSAValue]) -> list[SSAValue]:
        """Values that are handed on: elements, where there is one."""
        return [self.element(v) if is_one(v.type) else self.value(v) for v in olds]

    def bind(self, olds: Sequence[SSAValue], news: Sequence[SSAValue]) -> None:
        """`news` are what is handed on for `olds`."""
        for old, new in zip(olds, news, strict=True):
            (self.scope.elements if is_one(old.type) else self.scope.values)[old] = new
            new.name_hint = old.name_hint

    def block(self, old: Block) -> Block:
        """A region's block rebuilt."""
        new = Block(arg_types=[handed_type(arg.type) for arg in old.args])
        for before, after in zip(old.args, new.args, strict=True):
            after.location = before.location
        self.scope = _Scope(self.scope)
        self.bind(old.args, new.args)
        last = old.last_op
        assert last is not None
        for op in old.ops:
            if op is not last:
                self.op(op)
        self.location = last.location
        ended = type(last).create(operands=self.lowered(last.operands), location=last.location)
        new.add_ops([*self.scope.ops, ended])
        assert self.scope.parent is not None
        self.scope = self.scope.parent
        return new

    def region_op(self, op: Operation) -> Operation:
        """A loop or a branch: what it takes and gives are elements, where there is one."""
        operands = self.lowered(op.operands)
        regions = [Region([self.block(b) for b in region.blocks]) for region in op.regions]
        new = type(op).create(
            operands=operands,
            result_types=[handed_type(result.type) for result in op.results],
            properties=op.properties,
            attributes=op.attributes,
            regions=regions,
            location=op.location,
        )
        self.scope.ops.append(new)
        self.bind(op.results, new.results)
        return new


def handed_type(type: Attribute) -> Attribute:
    """The type of what is carried or yielded for a value of `type`."""
    return type.element_type if is_one(type) else type


# one function an op: True when it was replaced


def _generic(s: _Scalarizer, op: Operation) -> bool:
    if not is_point(op):
        return False
    s.inlined(op)
    return True


def _fill(s: _Scalarizer, op: Operation) -> bool:
    """A reduction starts from the tensor, a point from the element."""
    assert isinstance(op, linalg.FillOp)
    s.keep(op)
    if is_one(op.results[0].type):
        s.scope.elements[op.results[0]] = s.value(op.inputs[0])
    return True


def _extract(s: _Scalarizer, op: Operation) -> bool:
    assert isinstance(op, tensor.ExtractOp)
    if not is_one(op.tensor.type):
        return False
    s.scope.values[op.result] = s.element(op.tensor)
    return True


def _from_elements(s: _Scalarizer, op: Operation) -> bool:
    assert isinstance(op, tensor.FromElementsOp)
    if not is_one(op.result.type):
        return False
    s.scope.elements[op.result] = s.value(op.operands[0])
    return True


def _extract_slice(s: _Scalarizer, op: Operation) -> bool:
    assert isinstance(op, tensor.ExtractSliceOp)
    if not is_element(op):
        return False
    if is_one(op.source.type):
        s.scope.elements[op.result] = s.element(op.source)
        return True
    places = _places(s, op, op.static_offsets, op.offsets)
    read = tensor.ExtractOp.create(
        operands=[s.value(op.source), *places],
        result_types=[handed_type(op.result.type)],
        location=op.location,
    )
    s.scope.ops.append(read)
    s.scope.elements[op.result] = read.result
    return True


def _insert_slice(s: _Scalarizer, op: Operation) -> bool:
    assert isinstance(op, tensor.InsertSliceOp)
    if not is_element_write(op):
        return False
    element = s.element(op.source)
    if is_one(op.dest.type):
        s.scope.elements[op.result] = element
        return True
    places = _places(s, op, op.static_offsets, op.offsets)
    write = tensor.InsertOp.create(
        operands=[element, s.value(op.dest), *places],
        result_types=[op.result.type],
        location=op.location,
    )
    s.scope.ops.append(write)
    s.scope.values[op.result] = write.result
    return True


def _places(
    s: _Scalarizer, op: Operation, static: DenseArrayBase[Any], dynamic: Sequence[SSAValue]
) -> list[SSAValue]:
    """The offsets of a slice as index values."""
    rest = iter(dynamic)
    return [
        s.value(next(rest)) if offset == DYNAMIC_INDEX else s.index(op, offset)
        for offset in static.get_values()
    ]


def _reshape(s: _Scalarizer, op: Operation) -> bool:
    if not is_one(op.results[0].type) or not is_one(op.operands[0].type):
        return False
    s.scope.elements[op.results[0]] = s.element(op.operands[0])
    return True


def _constant(s: _Scalarizer, op: Operation) -> bool:
    assert isinstance(op, arith.ConstantOp)
    if not is_one(op.result.type) or not isinstance(op.value, DenseIntOrFPElementsAttr):
        return False
    s.keep(op)
    s.scope.elements[op.result] = s._read(op.result, s.scope)  # pyright: ignore[reportPrivateUsage]
    return True


def _region_op(s: _Scalarizer, op: Operation) -> bool:
    s.region_op(op)
    return True


_HANDLERS: dict[type[Operation], Callable[[_Scalarizer, Operation], bool]] = {
    linalg.GenericOp: _generic,
    linalg.FillOp: _fill,
    tensor.ExtractOp: _extract,
    tensor.FromElementsOp: _from_elements,
    tensor.ExtractSliceOp: _extract_slice,
    tensor.InsertSliceOp: _insert_slice,
    tensor.CollapseShapeOp: _reshape,
    tensor.ExpandShapeOp: _reshape,
    arith.ConstantOp: _constant,
    scf.ForOp: _region_op,
    scf.WhileOp: _region_op,
    scf.IfOp: _region_op,
}


def scalarize(loop: Operation) -> None:
    """Replace an outermost loop by one on elements."""
    block = loop.parent
    assert block is not None
    s = _Scalarizer(loop.location)
    s.region_op(loop)
    for result in loop.results:
        s.value(result)
    ops = s.outer.ops
    block.insert_ops_before(ops, loop)
    for result in loop.results:
        result.replace_all_uses_with(s.outer.values[result])
    loop.detach()
    loop.erase()
    for op in reversed(ops):
        _drop_unread(op)


def _drop_unread(op: Operation) -> None:
    """Erase `op`, or ops inside it, when nobody reads them."""
    if isinstance(op, UNREAD) and not any(result.uses for result in op.results):
        op.detach()
        op.erase()
        return
    if not isinstance(op, (*LOOPS, scf.IfOp)):
        return
    for region in op.regions:
        for block in region.blocks:
            for inner in reversed(list(block.ops)):
                _drop_unread(inner)


class ScalarizeLoopsPass(ModulePass):
    """Make scalars of the tensors of one element in loops."""

    name = "scalarize-loops"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in op.ops:
            if not isinstance(function, func.FuncOp) or function.is_declaration:
                continue
            if not is_kernel(function) and len(function.body.blocks) == 1:
                for loop in outermost_loops(function):
                    scalarize(loop)
