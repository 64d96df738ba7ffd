"""What is known while one function is lowered.

A memref never becomes an llvm value: it is a `Buffer`, a pointer and a list of sizes and strides,
each a Python number where it is known. A scalar integer constant is a Python number until some
operation needs it as a value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NoReturn

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    MemRefType,
    NoneAttr,
    StridedLayoutAttr,
    i32,
    i64,
)
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, Operation, SSAValue

from lamina.dialects import llvm
from lamina.dialects.locations import place_of
from lamina.dialects.type_tests import is_memref
from lamina.errors import LoweringError
from lamina.lowering.to_llvm.builder import Builder
from lamina.lowering.to_llvm.types import PTR, convert_type, struct_type

Number = int | SSAValue

# the context that every function receives; each field has 8 bytes
ARENA, SCRATCH, SCRATCH_BYTES, POLL, ERROR_ID, ERROR_INDEX, ERROR_VALUE, MAX_THREADS = range(8)
CONTEXT = struct_type([PTR, PTR, i64, PTR, i64, i64, i64, i64])

STATUS_CHECK = 1
STATUS_NO_MEMORY = 12


@dataclass(slots=True)
class Buffer:
    """A memref: the address of its first element, and its sizes and strides in elements.

    base: what the offset of a `reinterpret_cast` counts from; None when it was not passed along.
    heap: the result of the allocation when the buffer lies in memory that must be freed.
    depth: how many regions deep it was allocated; 0 for arguments.
    """

    base: SSAValue | None
    pointer: SSAValue
    element: Attribute
    sizes: Sequence[Number]
    strides: Sequence[Number]
    heap: SSAValue | None = None
    depth: int = 0


def fail(op: Operation, message: str) -> NoReturn:
    """Raise the error that an operation cannot be lowered, with its place."""
    raise LoweringError(f"convert-to-llvm: {op.name}: {message}", place=place_of(op.location))


def dynamic_strides(type: MemRefType) -> Sequence[int | None]:
    """The strides of a strided layout (None: known at run time only), () for the identity."""
    if isinstance(type.layout, StridedLayoutAttr):
        return type.layout.get_strides()
    return ()


def component_types(type: Attribute) -> list[Attribute]:
    """The llvm types that stand for a value: a memref is a pointer, its `?` sizes and `?` strides.

    The offset is part of the pointer.
    """
    if not is_memref(type):
        return [convert_type(type)]
    unknown = sum(dim.data == DYNAMIC_INDEX for dim in type.shape.data)
    unknown += sum(stride is None for stride in dynamic_strides(type))
    return [PTR, *([i64] * unknown)]


class FunctionLowering:
    """The state of one function: `b` appends, the maps say what each source value has become."""

    def __init__(
        self,
        builder: Builder,
        handlers: Mapping[str, Handler],
        signatures: Mapping[str, FuncOp],
        offsets: Mapping[Operation, int],
    ) -> None:
        self.b = builder
        self.handlers = handlers
        self.signatures = signatures
        self.offsets = offsets
        self.values: dict[SSAValue, SSAValue] = {}
        self.numbers: dict[SSAValue, int] = {}
        self.buffers: dict[SSAValue, Buffer] = {}
        self.live: list[SSAValue] = []
        self.needs: set[str] = set()
        self.cells: dict[str, Operation] = {}
        self.streams = False
        self.depth = 0
        self.context: SSAValue
        self.memory: Callable[[], SSAValue]
        self.poll_state: SSAValue | None = None
        self._exit: Block | None = None
        self._exits: dict[tuple[SSAValue, ...], Block] = {}

    # values

    def get(self, value: SSAValue) -> SSAValue:
        """What a scalar or vector has become."""
        if (result := self.values.get(value)) is None:
            result = self.b.integer(self.numbers[value], convert_type(value.type))
            self.values[value] = result
        return result

    def number(self, value: SSAValue) -> Number:
        """An integer, as a Python number when it is known."""
        result = self.numbers.get(value)
        return self.values[value] if result is None else result

    def components(self, values: Sequence[SSAValue]) -> list[SSAValue]:
        """The llvm values that stand for `values`, in the order of `component_types`."""
        result: list[SSAValue] = []
        for value in values:
            if (buffer := self.buffers.get(value)) is None:
                result.append(self.get(value))
                continue
            type = value.type
            assert is_memref(type)
            result.append(buffer.pointer)
            for dim, size in zip(type.shape.data, buffer.sizes, strict=True):
                if dim.data == DYNAMIC_INDEX:
                    result.append(self.b.value(size))
            for known, stride in zip(dynamic_strides(type), buffer.strides, strict=False):
                if known is None:
                    result.append(self.b.value(stride))
        return result

    def bind(self, values: Sequence[SSAValue], components: Iterator[SSAValue]) -> None:
        """Let `values` stand for the next components."""
        for value in values:
            if not is_memref(type := value.type):
                self.values[value] = next(components)
                continue
            pointer = next(components)
            sizes = [
                next(components) if dim.data == DYNAMIC_INDEX else dim.data
                for dim in type.shape.data
            ]
            if isinstance(type.layout, NoneAttr):
                strides, base = self.row_major(sizes), pointer
            else:
                strides, base = (
                    [
                        next(components) if stride is None else stride
                        for stride in dynamic_strides(type)
                    ],
                    None,
                )
            self.buffers[value] = Buffer(
                base, pointer, convert_type(type.element_type), sizes, strides
            )

    def row_major(self, sizes: Sequence[Number]) -> list[Number]:
        """The strides of a contiguous buffer."""
        strides: list[Number] = []
        stride: Number = 1
        for size in reversed(sizes):
            strides.append(stride)
            if len(strides) < len(sizes):
                stride = self.b.mul(stride, size)
        strides.reverse()
        return strides

    # walking

    def lower_block(self, block: Block) -> Operation:
        """Lower all operations but the terminator, which is returned."""
        handlers, builder = self.handlers, self.b
        op = block.first_op
        assert op is not None
        while (following := op.next_op) is not None:
            if (handler := handlers.get(op.name)) is None:
                fail(op, "expected an operation of the loop level that has a lowering")
            builder.loc = op.location
            handler(self, op)
            op = following
        builder.loc = op.location
        return op

    def lower_region(self, block: Block, forwarded: slice = slice(None)) -> list[SSAValue]:
        """Lower the block of a region; the components of what its terminator passes on.

        forwarded: which operands of the terminator are passed on. What was allocated inside is
        freed.
        """
        mark = len(self.live)
        self.depth += 1
        terminator = self.lower_block(block)
        operands = terminator.operands[forwarded]
        for operand in operands:
            buffer = self.buffers.get(operand)
            if buffer is not None and buffer.depth == self.depth:
                fail(terminator, "expected a buffer from outside the region, found one made in it")
        components = self.components(operands)
        self.free_down_to(mark)
        self.depth -= 1
        return components

    # leaving early

    def free_down_to(self, mark: int) -> None:
        """Free what was allocated since `live` had `mark` entries."""
        for pointer in reversed(self.live[mark:]):
            self.call_external("free", pointer)
        del self.live[mark:]

    def call_external(self, name: str, *operands: SSAValue) -> None:
        """Call a function without a result that the module must declare."""
        self.needs.add(name)
        self.b.call_void(name, operands)

    def exit_block(self) -> Block:
        """The block that frees what lives now and returns its argument as status."""
        if self._exit is None:
            self._exit = self.b.new_block(i32)
        if not self.live:
            return self._exit
        key = tuple(self.live)
        if (block := self._exits.get(key)) is None:
            block = self._exits[key] = self.b.new_block(i32)
        return block

    def return_unless_zero(self, status: SSAValue) -> None:
        """Go on in a new block when `status` is 0, else return it."""
        self.return_if(self.b.compare("ne", status, self.b.integer(0, i32)), status)

    def return_if(self, condition: SSAValue, status: SSAValue) -> None:
        """Return `status` when the condition holds; else go on in a new block."""
        following = self.b.new_block()
        self.b.branch_if(condition, self.exit_block(), (status,), following, ())
        self.b.start(following)

    def finish(self) -> list[Block]:
        """Write the exit blocks; all blocks of the function."""
        for pointers, block in self._exits.items():
            self.b.start(block)
            for pointer in reversed(pointers):
                self.call_external("free", pointer)
            assert self._exit is not None
            self.b.branch(self._exit, block.args)
        if self._exit is not None:
            self.b.start(self._exit)
            self.b.effect(llvm.ReturnOp, self._exit.args)
        return self.b.finish()

    # the context

    def context_field(self, index: int) -> SSAValue:
        """The address of a field of the context."""
        return self.b.field(self.context, index, CONTEXT)


Handler = Callable[[FunctionLowering, Operation], None]
