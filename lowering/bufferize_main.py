"""`bufferize`, the part for `main`: where each tensor value lives, and which writes go in place.

A `Place` is one buffer; tensor values that share it are its members. An op may overwrite a place
when it was made here or donated (not another argument, not a constant), in the same block, and no
member is read afterwards, or by the same op in another operand.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from xdsl.dialects import func, tensor
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    ArrayAttr,
    DenseIntOrFPElementsAttr,
    DenseResourceAttr,
    FunctionType,
    StringAttr,
    SymbolRefAttr,
    TensorType,
    UnitAttr,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.traits import SymbolTable

from lamina.dialects import arith, memref, scf
from lamina.dialects.checks import is_check
from lamina.dialects.donors import donors_of
from lamina.dialects.foreign import is_foreign
from lamina.dialects.locations import place_of
from lamina.dialects.type_tests import is_memref, is_tensor
from lamina.errors import LoweringError
from lamina.lowering.buffer_types import (
    argument_type,
    buffer_type,
    is_contiguous,
    memref_type,
    strides_of,
)
from lamina.lowering.bufferize_forward import is_map, known_early, read_between, window_of
from lamina.lowering.bufferize_kernel import alloc, subview
from lamina.lowering.bufferize_results import give_results
from lamina.lowering.builder import INDEX, Builder
from lamina.lowering.result_sizes import size_expression
from lamina.lowering.size_origins import Origin, dynamic_axes, origin, size_source

RESULT_SIZES = "lamina.result_sizes"
"""Attribute of `main`: for each `?` of the results, its size as an expression (`result_sizes`)."""


Rule = Callable[["MainBufferizer", Operation, Builder], None]
"""(the function, the op, where to append)."""


@dataclass(eq=False)
class Place:
    """A buffer, the tensor values that live in it, and the block that may write it.

    lent: whether that block is a branch, while what is around it does not read the buffer again.
    """

    block: Block | None
    members: list[SSAValue] = field(default_factory=list[SSAValue])
    alloc: SSAValue | None = None
    lent: bool = False


class MainBufferizer:
    """Rebuilds one function on buffers."""

    def __init__(
        self,
        function: func.FuncOp,
        globals_: dict[Attribute, Operation],
        control: Mapping[type[Operation], Rule],
    ) -> None:
        self.function = function
        self.entry = function.body.block
        self.rules = {**_RULES, **control}
        self.globals = globals_
        self.values: dict[SSAValue, SSAValue] = {}
        self.places: dict[SSAValue, Place] = {}
        self.empties: dict[SSAValue, tensor.EmptyOp] = {}
        self.calls: list[func.CallOp] = []
        self.done: set[Operation] = set()  # ops that were lowered before their turn
        self.order: dict[Operation, int] = {op: i for i, op in enumerate(function.walk())}

    # -- driver ---------------------------------------------------------------------------------

    def run(self) -> None:
        """Replace the function's body and type."""
        function = self.function
        old = function.body.block
        inputs = [buffer_type(t) for t in function.function_type.inputs]
        for type in function.function_type.outputs:
            if not isinstance(type, TensorType):
                raise LoweringError(
                    f"bufferize: expected a function that returns tensors, found a result {type}",
                    place=place_of(function.location),
                )
        outputs = [buffer_type(t) for t in function.function_type.outputs]
        donors = donors_of(function)
        lent = set(donors.values())
        new = Block(arg_types=[*inputs, *outputs])
        for number, (before, after) in enumerate(zip(old.args, new.args, strict=False)):
            after.name_hint, after.location = before.name_hint, before.location
            self.bind(before, after, Place(old if number in lent else None))
        for number, out in enumerate(new.args[len(inputs) :]):
            out.name_hint = f"out{number}" if len(outputs) > 1 else "out"
        b = Builder(function.location)
        self.ops(old, b)
        last = old.last_op
        assert isinstance(last, func.ReturnOp)
        b.location = last.location
        main: Any = self  # through the link pyright sees another class
        give_results(main, last.arguments, new.args[len(inputs) :], donors, b)
        b.add(func.ReturnOp)
        new.add_ops([op for op in b.ops if op.parent is None])
        self.note_sizes(last.arguments)
        function.properties["function_type"] = FunctionType.from_lists([*inputs, *outputs], [])
        function.detach_region(function.body)
        function.add_region(Region(new))

    def ops(self, block: Block, b: Builder) -> None:
        """All ops of a block but its terminator."""
        for op in block.ops:
            if op in self.done:
                continue
            if op is block.last_op and isinstance(
                op, func.ReturnOp | scf.YieldOp | scf.ConditionOp
            ):
                return
            b.location = op.location
            rule = self.rules.get(type(op))
            if rule is None:
                self.keep(op, b)
            else:
                rule(self, op, b)

    def bind(self, value: SSAValue, buffer: SSAValue, place: Place) -> None:
        """`value` lives in `place`, seen as `buffer`."""
        self.values[value] = buffer
        self.places[value] = place
        place.members.append(value)
        if buffer.name_hint is None:
            buffer.name_hint = value.name_hint

    def keep(self, op: Operation, b: Builder) -> None:
        """An op on scalars."""
        tensors = [v for v in (*op.operands, *op.results) if isinstance(v.type, TensorType)]
        if tensors or op.regions:
            raise LoweringError(
                f"bufferize: expected an op with a rule for tensors, found {op.name}",
                place=place_of(op.location),
            )
        clone = op.clone(self.values)
        b.ops.append(clone)
        self.values.update(zip(op.results, clone.results, strict=True))

    def early(self, value: SSAValue, b: Builder) -> None:
        """Compute a number now that `known_early` allows."""
        if value in self.values:
            return
        op = cast(Operation, value.owner)
        for operand in op.operands:
            self.early(operand, b)
        b.location = op.location
        self.rules.get(type(op), MainBufferizer.keep_by_rule)(self, op, b)
        self.done.add(op)

    @staticmethod
    def keep_by_rule(main: MainBufferizer, op: Operation, b: Builder) -> None:
        """`keep`, as a rule."""
        main.keep(op, b)

    def callee(self, op: func.CallOp) -> Operation | None:
        """The function of a call."""
        module = self.function.parent_op()
        return SymbolTable.lookup_symbol(module, op.callee) if module is not None else None

    def lowered(self, value: SSAValue, b: Builder) -> SSAValue:
        """The buffer (or scalar) of `value`; an unwritten tensor gets a buffer now."""
        if value in self.empties:
            self.fresh(value, self.empties[value], b)
        return self.values[value]

    def fresh(self, value: SSAValue, empty: tensor.EmptyOp, b: Builder) -> SSAValue:
        """A new buffer of the size of `empty`, as the place of `value`."""
        sizes = [self.values[size] for size in empty.dynamic_sizes]
        return self.new(value, sizes, b)

    def new(self, value: SSAValue, sizes: Sequence[SSAValue], b: Builder) -> SSAValue:
        """A new buffer as the place of `value`."""
        buffer = alloc(b, buffer_type(value.type), sizes)
        self.bind(value, buffer, Place(self.block_of(value), alloc=buffer))
        return buffer

    @staticmethod
    def block_of(value: SSAValue) -> Block | None:
        """The block in which `value` is defined."""
        owner = value.owner
        return owner if isinstance(owner, Block) else owner.parent

    # -- in place or not ------------------------------------------------------------------------

    def last_read(self, value: SSAValue, block: Block, around: bool = True) -> int:
        """The number of the last op of `block` that reads `value`, itself or inside it.

        around: whether reads outside of the block count, as reads at the end.
        """
        last = -1
        for use in value.uses:
            op: Operation | None = use.operation
            while op is not None and op.parent is not block:
                op = op.parent_op()
            if op is not None or around:
                last = max(last, self.order[op] if op is not None else len(self.order))
        return last

    def may_overwrite(
        self, value: SSAValue, op: Operation, reads: Sequence[SSAValue] | None = None
    ) -> bool:
        """Whether `op` (which takes `value` as a destination) may write into its place.

        reads: the operands that are not copied before (default: all).
        """
        place = self.places.get(value)
        block = op.parent
        if place is None or block is None or place.block is not block:
            return False
        operands = op.operands if reads is None else reads
        if sum(1 for operand in operands if self.places.get(operand) is place) > 1:
            return False
        now = self.order[op]
        return all(
            self.last_read(member, block, not place.lent) <= now and not _read_inside(member, op)
            for member in place.members
        )

    def make_way(
        self, value: SSAValue, op: Operation, reads: Sequence[SSAValue] | None, b: Builder
    ) -> bool:
        """Copy the windows of a place that are read after `op` writes it, so that it may; False,
        and nothing is done, where more than windows of it is read."""
        place, block = self.places.get(value), op.parent
        if place is None or block is None or place.block is not block:
            return False
        now, around = self.order[op], not place.lent
        read = [m for m in place.members if self.last_read(m, block, around) > now]
        if value in read or not all(isinstance(m.owner, tensor.ExtractSliceOp) for m in read):
            return False
        members = place.members
        place.members = [m for m in members if m not in read]
        free = self.may_overwrite(value, op, reads)
        place.members = members if not free else place.members
        if free:
            for window in read:
                target = self.copied(window, b)
                self.bind(window, target, Place(self.block_of(window), alloc=target))
        return free

    def destination(
        self,
        value: SSAValue,
        op: Operation,
        result: SSAValue,
        b: Builder,
        reads: Sequence[SSAValue] | None = None,
    ) -> SSAValue:
        """The buffer into which `op` writes `result`, given its destination operand `value`.

        reads: the operands that are not copied before (default: all).
        """
        if value in self.empties:
            return self.fresh(result, self.empties[value], b)
        source = self.values[value]
        free = self.may_overwrite(value, op, reads) or self.make_way(value, op, reads, b)
        if free and is_contiguous(source.type):
            self.bind(result, source, self.places[value])
            return source
        target = self.new(result, self.sizes(source, b), b)
        b.add(memref.CopyOp, (source, target))
        return target

    def sizes(self, buffer: SSAValue, b: Builder) -> list[SSAValue]:
        """The values of the dynamic sizes of a buffer."""
        shape = memref_type(buffer).get_shape()
        return [
            b.value(memref.DimOp, (buffer, b.index(axis)), INDEX)
            for axis, size in enumerate(shape)
            if size == DYNAMIC_INDEX
        ]

    def copied(self, value: SSAValue, b: Builder) -> SSAValue:
        """A contiguous copy of the buffer of `value`, of no place."""
        source = self.lowered(value, b)
        target = alloc(b, buffer_type(value.type), self.sizes(source, b))
        b.add(memref.CopyOp, (source, target))
        return target

    def whole(self, value: SSAValue, b: Builder) -> SSAValue:
        """The buffer (or scalar) of `value`, contiguous: itself or a copy."""
        found = self.lowered(value, b)
        strided = is_memref(found.type) and not is_contiguous(found.type)
        return self.copied(value, b) if strided else found

    # -- sizes of results ---------------------------------------------------------------------

    def note_sizes(self, values: Sequence[SSAValue]) -> None:
        """Attach `lamina.result_sizes`."""
        noted: list[Attribute] = [
            self.result_size(value, axis) for value in values for axis in dynamic_axes(value.type)
        ]
        if noted:
            self.function.attributes[RESULT_SIZES] = ArrayAttr(noted)

    def result_size(self, value: SSAValue, axis: int) -> Attribute:
        """The size of a result, as an expression."""
        found = size_expression(self.entry, value, axis)
        if found is None:
            raise self.computed(value, axis)
        return found

    @staticmethod
    def computed(value: SSAValue, axis: int) -> LoweringError:
        """The error for a size that is not known before `main` runs; raise it."""
        owner = value.owner
        of = f" of {owner.name}" if isinstance(owner, Operation) else ""
        return LoweringError(
            "bufferize: expected each dynamic size of a result to be computed from sizes of "
            f"arguments, found another on axis {axis}{of}; give the function static shapes",
            place=place_of(owner.location) if isinstance(owner, Operation) else None,
        )

    def origin(self, value: SSAValue, axis: int) -> Origin:
        """The argument and axis whose size the size of `value` along `axis` is."""
        found = origin(self.entry, value, axis)
        if found is None:
            raise self.computed(value, axis)
        return found

    def sizes_before(self, value: SSAValue, b: Builder) -> list[SSAValue]:
        """The dynamic sizes of `value`, which is not there yet: arguments' or known numbers."""
        sizes: list[SSAValue] = []
        for axis in dynamic_axes(value.type):
            found = size_source(self.entry, value, axis)
            if isinstance(found, SSAValue) and found in self.values:
                sizes.append(self.values[found])
                continue
            number, of = self.origin(value, axis)
            buffer = self.values[self.entry.args[number]]
            sizes.append(b.value(memref.DimOp, (buffer, b.index(of)), INDEX))
        return sizes


def _read_inside(value: SSAValue, op: Operation) -> bool:
    """Whether an op in the regions of `op` reads `value`."""
    if not op.regions:
        return False
    return any(use.operation is not op and op.is_ancestor(use.operation) for use in value.uses)


def _constant(main: MainBufferizer, op: Operation, b: Builder) -> None:
    assert isinstance(op, arith.ConstantOp)
    if not is_tensor(op.result.type):
        main.values[op.result] = b.constant(op.value, op.result.type)
        return
    assert isinstance(op.value, DenseIntOrFPElementsAttr | DenseResourceAttr)
    type = buffer_type(op.result.type)
    known = main.globals.get(op.value)
    if known is None:
        known = memref.GlobalOp.create(
            properties={
                "sym_name": StringAttr(_global_name(main, op.value)),
                "sym_visibility": StringAttr("private"),
                "type": type,
                "initial_value": op.value,
                "constant": UnitAttr(),
            },
            location=op.location,
        )
        main.globals[op.value] = known
    name = cast(StringAttr, known.properties["sym_name"])
    buffer = b.value(memref.GetGlobalOp, (), type, {"name": SymbolRefAttr(name)})
    main.bind(op.result, buffer, Place(None))


def _global_name(main: MainBufferizer, value: Attribute) -> str:
    """A resource keeps its name: the loader knows the memory by it."""
    if isinstance(value, DenseResourceAttr):
        return value.resource_handle.data
    return f"constant_{len(main.globals)}"


def _empty(main: MainBufferizer, op: Operation, b: Builder) -> None:
    assert isinstance(op, tensor.EmptyOp)
    main.empties[op.tensor] = op


def _dim(main: MainBufferizer, op: Operation, b: Builder) -> None:
    assert isinstance(op, tensor.DimOp)
    source = main.lowered(op.source, b)
    main.values[op.result] = b.value(memref.DimOp, (source, main.values[op.index]), INDEX)


def _extract_slice(main: MainBufferizer, op: Operation, b: Builder) -> None:
    assert isinstance(op, tensor.ExtractSliceOp)
    source = main.lowered(op.source, b)
    main.bind(op.result, subview(op, source, b, main.values), main.places[op.source])


def _reshape(main: MainBufferizer, op: Operation, b: Builder) -> None:
    """`collapse_shape` and `expand_shape`: views of a contiguous buffer, else of a copy."""
    source = main.lowered(op.operands[0], b)
    place = main.places[op.operands[0]]
    if not is_contiguous(source.type):
        source = main.copied(op.operands[0], b)
        place = Place(op.parent)
    collapse = isinstance(op, tensor.CollapseShapeOp)
    buffer = b.value(
        memref.CollapseShapeOp if collapse else memref.ExpandShapeOp,
        (source, *(main.values[size] for size in op.operands[1:])),
        buffer_type(op.results[0].type),
        op.properties,
    )
    main.bind(op.results[0], buffer, place)


def _insert_slice(main: MainBufferizer, op: Operation, b: Builder) -> None:
    assert isinstance(op, tensor.InsertSliceOp)
    source, reads = main.lowered(op.source, b), op.operands
    if main.places.get(op.dest) is main.places[op.source]:
        source, reads = main.copied(op.source, b), [op.dest]  # the two may overlap
    target = main.destination(op.dest, op, op.result, b, reads)
    b.add(memref.CopyOp, (source, subview(op, target, b, main.values)))


def _insert(main: MainBufferizer, op: Operation, b: Builder) -> None:
    assert isinstance(op, tensor.InsertOp)
    target = main.destination(op.dest, op, op.result, b)
    indices = [main.values[index] for index in op.indices]
    b.add(memref.StoreOp, (main.values[op.scalar], target, *indices))


def _call(main: MainBufferizer, op: Operation, b: Builder) -> None:
    """A kernel's call: destinations are its last operands. A check's has scalars only; code that
    is not ours gets contiguous buffers."""
    assert isinstance(op, func.CallOp)
    if is_check(op):
        main.keep(op, b)
        return
    count = len(op.operands) - len(op.results)
    take = main.whole if is_foreign(op) else main.lowered
    operands = [take(value, b) for value in op.operands[:count]]
    for value, result in zip(op.operands[count:], op.results, strict=True):
        window = _forward(main, op, value, result, b)
        operands.append(main.destination(value, op, result, b) if window is None else window)
    operands = [_as_argument(b, operand) for operand in operands]
    call = func.CallOp(op.callee, operands, ())
    call.location = op.location
    b.ops.append(call)
    if is_foreign(op):
        call.attributes.update(op.attributes)
    else:
        main.calls.append(call)


def _forward(
    main: MainBufferizer, op: func.CallOp, value: SSAValue, result: SSAValue, b: Builder
) -> SSAValue | None:
    """The window that a kernel may write its result to at once (`bufferize_forward`)."""
    write = window_of(result, op)
    if write is None or value not in main.empties or not is_map(main.callee(op)):
        return None
    place = main.places.get(write.dest)
    if place is None or place.block is not op.parent or place in map(main.places.get, op.operands):
        return None
    target, numbers = main.values[write.dest], (*write.offsets, *write.sizes)
    free = is_contiguous(target.type) and not any(
        read_between(member, main.order, op, write, not place.lent) for member in place.members
    )
    if not free or not all(known_early(number, main.values, op) for number in numbers):
        return None
    for number in numbers:
        main.early(number, b)
    b.location = op.location
    window = subview(write, target, b, main.values)
    if (strides_of(memref_type(window)) or (1,))[-1] != 1:
        return None
    main.done.add(write)
    main.bind(result, window, Place(None))
    main.bind(write.result, target, place)
    return window


def _as_argument(b: Builder, operand: SSAValue) -> SSAValue:
    if not is_memref(operand.type):
        return operand
    target = argument_type(operand.type)
    return operand if target == operand.type else b.value(memref.CastOp, (operand,), target)


def _from_elements(main: MainBufferizer, op: Operation, b: Builder) -> None:
    assert isinstance(op, tensor.FromElementsOp)
    buffer = main.new(op.results[0], (), b)
    zeros = [b.index(0) for _ in memref_type(buffer).get_shape()]
    b.add(memref.StoreOp, (main.values[op.operands[0]], buffer, *zeros))


def _extract(main: MainBufferizer, op: Operation, b: Builder) -> None:
    assert isinstance(op, tensor.ExtractOp)
    buffer = main.lowered(op.tensor, b)
    indices = [main.values[index] for index in op.indices]
    main.values[op.result] = b.value(memref.LoadOp, (buffer, *indices), op.result.type)


_RULES: dict[type[Operation], Rule] = {
    arith.ConstantOp: _constant,
    tensor.EmptyOp: _empty,
    tensor.DimOp: _dim,
    tensor.ExtractSliceOp: _extract_slice,
    tensor.CollapseShapeOp: _reshape,
    tensor.ExpandShapeOp: _reshape,
    tensor.InsertSliceOp: _insert_slice,
    tensor.InsertOp: _insert,
    tensor.FromElementsOp: _from_elements,
    tensor.ExtractOp: _extract,
    func.CallOp: _call,
}
