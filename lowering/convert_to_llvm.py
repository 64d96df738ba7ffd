"""From the loop level to the llvm dialect.

    func.func private @scale(%x: memref<?xf32>, %y: memref<?xf32>) { ... }
becomes
    llvm.func @scale(%context: !llvm.ptr, %x: !llvm.ptr, %y: !llvm.ptr, %n: i64, %m: i64) -> i32

Before: `outline-parallel`, `insert-polls` and `expand-float-casts` have run; only operations with
a handler are left. After: only llvm operations. Each takes the location of its source.

The module is built anew, one handler a source operation (`to_llvm/`), rather than rewritten: six
times faster where operations are many. Besides the functions it holds the constants
`@lamina_scratch_bytes` (per thread) and `@lamina_arena_bytes`.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import (
    ArrayAttr,
    BFloat16Type,
    DenseIntOrFPElementsAttr,
    DenseResourceAttr,
    FloatAttr,
    IntegerAttr,
    MemRefType,
    ModuleOp,
    TensorType,
    UnitAttr,
    i16,
    i32,
    i64,
)
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass

from lamina.dialects import checks, llvm
from lamina.dialects.foreign import PRINT, is_foreign
from lamina.dialects.memref import GlobalOp
from lamina.lowering.to_llvm import affine, arith, control, foreign, memref, poll, vector
from lamina.lowering.to_llvm.abi import (
    argument_attributes,
    body_struct,
    is_parallel_body,
    llvm_signature,
    run_time_numbers,
)
from lamina.lowering.to_llvm.builder import Builder
from lamina.lowering.to_llvm.scratch import ALIGNMENT, MAIN, Plan, plan_scratch
from lamina.lowering.to_llvm.state import (
    ARENA,
    SCRATCH,
    SCRATCH_BYTES,
    FunctionLowering,
    Handler,
    fail,
)
from lamina.lowering.to_llvm.types import I8, PTR, bfloat_bits, convert_type

HANDLERS: dict[str, Handler] = {
    **affine.HANDLERS,
    **arith.HANDLERS,
    **control.HANDLERS,
    **memref.HANDLERS,
    **vector.HANDLERS,
}
INTERNAL_LINKAGE, EXTERNAL_LINKAGE = llvm.LinkageAttr("internal"), llvm.LinkageAttr("external")
EXTERNAL = {
    "aligned_alloc": llvm.LLVMFunctionType([i64, i64], PTR),
    "free": llvm.LLVMFunctionType([PTR]),
    PRINT: foreign.TEXT_TYPE,
    control.PARALLEL: llvm.LLVMFunctionType([PTR, PTR, PTR, i64], i32),
}
BUILT_IN = (checks.FUNCTION, poll.NAME)  # declarations that calls are expanded for


def _declaration(name: str, type: llvm.LLVMFunctionType, source: Operation) -> llvm.FuncOp:
    func = llvm.FuncOp(name, type, EXTERNAL_LINKAGE)
    func.location = source.location
    return func


# globals


def _array_type(type: MemRefType) -> Attribute:
    result = convert_type(type.element_type)
    for dim in reversed(type.shape.data):
        result = llvm.LLVMArrayType(dim.data, result)
    return result


def lower_global(op: GlobalOp) -> llvm.GlobalOp:
    """memref.global: constant data of the module, or memory that the loader provides."""
    type, value = op.type, op.initial_value
    if isinstance(value, UnitAttr):
        fail(op, "expected an initial value or a declaration, found uninitialized")
    if isinstance(value, DenseResourceAttr):
        value = None  # the loader has it, under the global's name; it never becomes text
    if isinstance(value, DenseIntOrFPElementsAttr) and not type.shape.data:
        (element,) = value.get_attrs()
        assert isinstance(element, IntegerAttr | FloatAttr)
        initial: Attribute | None = element
        if isinstance(type.element_type, BFloat16Type) and isinstance(element, FloatAttr):
            initial = IntegerAttr(bfloat_bits(element.value.data), i16)
    elif isinstance(value, DenseIntOrFPElementsAttr) and isinstance(
        type.element_type, BFloat16Type
    ):
        initial = DenseIntOrFPElementsAttr(TensorType(i16, type.get_shape()), value.data)
    else:
        initial = value
    alignment = op.alignment.value.data if op.alignment is not None else ALIGNMENT
    result = llvm.GlobalOp(
        _array_type(type),
        op.sym_name,
        "external" if value is None else "internal",
        constant=op.constant is not None,
        value=initial,
        alignment=alignment,
    )
    result.location = op.location
    return result


def _size_constant(name: str, size: int, source: Operation) -> llvm.GlobalOp:
    result = llvm.GlobalOp(i64, name, "external", constant=True, value=IntegerAttr(size, i64))
    result.location = source.location
    return result


def _cell(symbol: str, source: Operation) -> llvm.GlobalOp:
    """The address of a C function, which the loader knows."""
    result = llvm.GlobalOp(PTR, foreign.cell_of(symbol), "external")
    result.location = source.location
    return result


# functions


class _FunctionConverter:
    """One function: its entry block, its arguments, its body."""

    def __init__(self, func: FuncOp, signatures: dict[str, FuncOp], plan: Plan) -> None:
        self.func = func
        self.type = llvm_signature(func)
        self.entry = Block(arg_types=self.type.inputs.data)
        source = func.body.block
        for arg in self.entry.args:
            arg.location = func.location
        self.f = FunctionLowering(
            Builder(self.entry, func.location), HANDLERS, signatures, plan.offsets
        )
        self.f.memory = self._memory
        self._pointer: SSAValue | None = None
        if is_parallel_body(func):
            self._bind_body(source)
        else:
            self._bind_kernel(source)

    def _bind_kernel(self, source: Block) -> None:
        f, args = self.f, self.entry.args
        f.context = args[0]
        f.context.name_hint = "context"
        numbers = iter(args[1 + len(source.args) :])
        for value, given in zip(source.args, args[1:], strict=False):
            given.name_hint = value.name_hint
            more = (next(numbers) for _ in range(run_time_numbers(value.type)))
            f.bind([value], iter([given, *more]))

    def _bind_body(self, source: Block) -> None:
        f, b = self.f, self.f.b
        data, task, thread = self.entry.args
        data.name_hint, task.name_hint, thread.name_hint = "data", "task", "thread"
        struct = body_struct(self.func)
        with b.at_head():
            fields = [
                b.load(b.field(data, index, struct), type, 8)
                for index, type in enumerate(struct.types.data)
            ]
            f.context = fields[0]
            f.values[source.args[0]] = task
            f.bind(source.args[1:], iter(fields[1:]))

    def _memory(self) -> SSAValue:
        """The start of the memory that the plan's offsets count from, loaded once."""
        if self._pointer is not None:
            return self._pointer
        f, b = self.f, self.f.b
        with b.at_head():
            field = ARENA if self.func.sym_name.data == MAIN else SCRATCH
            pointer = b.load(f.context_field(field), PTR, 8)
            if is_parallel_body(self.func):
                size = b.load(f.context_field(SCRATCH_BYTES), i64, 8)
                offset = b.mul(self.entry.args[2], size)
                pointer = b.element(pointer, offset, I8)
        self._pointer = pointer
        return pointer

    def convert(self) -> llvm.FuncOp:
        """The llvm function."""
        f, outputs = self.f, self.func.function_type.outputs.data
        source = self.func.body.block
        result = source.last_op
        assert result is not None
        f.lower_block(source)
        f.free_down_to(0)
        slots = self.entry.args[len(self.entry.args) - len(outputs) :]
        for value, slot in zip(result.operands, slots, strict=True):
            f.b.store(f.get(value), slot, 8)
        if f.streams:  # the order of stores past the caches is nobody's, before a fence
            f.b.effect(llvm.FenceOp, (), {"ordering": IntegerAttr(7, i64)})
        f.b.effect(llvm.ReturnOp, (f.b.integer(0, i32),))
        blocks = f.finish()
        linkage = INTERNAL_LINKAGE if is_parallel_body(self.func) else EXTERNAL_LINKAGE
        lowered = llvm.FuncOp(self.func.sym_name, self.type, linkage, body=Region(blocks))
        if (passthrough := self.func.attributes.get("passthrough")) is not None:
            lowered.properties["passthrough"] = passthrough
        if attributes := argument_attributes(self.func, len(self.entry.args)):
            lowered.properties["arg_attrs"] = ArrayAttr(attributes)
        # what the levels above noted of the function's interface goes along
        notes = {k: v for k, v in self.func.attributes.items() if k.startswith("lamina.")}
        lowered.attributes.update(notes)
        lowered.location = self.func.location
        return lowered


@dataclass(frozen=True)
class ConvertToLLVMPass(ModulePass):
    """Convert a module of the loop level to the llvm dialect."""

    name = "convert-to-llvm"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        functions = {f.sym_name.data: f for f in op.ops if isinstance(f, FuncOp)}
        if not functions and any(isinstance(f, llvm.FuncOp) for f in op.ops):
            return  # converted already
        defined = [func for func in functions.values() if func.body.blocks]
        plan = plan_scratch(defined)
        lowered: list[Operation] = []
        needs: set[str] = set()
        cells: dict[str, Operation] = {}
        for source in list(op.ops):
            source.detach()
            if isinstance(source, GlobalOp):
                lowered.append(lower_global(source))
            elif isinstance(source, FuncOp):
                if source.body.blocks:
                    converter = _FunctionConverter(source, functions, plan)
                    lowered.append(converter.convert())
                    needs |= converter.f.needs
                    cells = converter.f.cells | cells
                elif (name := source.sym_name.data) not in BUILT_IN and not is_foreign(source):
                    lowered.append(_declaration(name, llvm_signature(source), source))
            elif isinstance(source, llvm.FuncOp | llvm.GlobalOp):
                lowered.append(source)
            else:
                fail(source, "expected functions and globals at the top of the module")
        lowered = [*self._support(op, plan, needs), *map(_cell, cells, cells.values()), *lowered]
        op.body.block.add_ops(lowered)

    @staticmethod
    def _support(module: ModuleOp, plan: Plan, needs: set[str]) -> list[Operation]:
        """What the functions rely on: sizes of memory, functions of the run time."""
        result: list[Operation] = [
            _size_constant("lamina_scratch_bytes", plan.scratch_bytes, module),
            _size_constant("lamina_arena_bytes", plan.arena_bytes, module),
        ]
        for name, type in EXTERNAL.items():
            if name in needs:
                result.append(_declaration(name, type, module))
        if poll.NAME in needs:
            result.append(_declaration(poll.CLOCK, poll.CLOCK_TYPE, module))
            result.append(poll.poll_function(module.location))
        return result
