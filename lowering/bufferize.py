"""Pass `bufferize`: tensors become buffers.

    %e = tensor.empty() : tensor<4xf32>
    %r = func.call @map_0(%x, %e) : (...) -> tensor<4xf32>
    func.return %r
    // ->
    func.call @map_0(%x, %out) : (memref<4xf32>, memref<4xf32>) -> ()      // %out: argument of main

Pre-condition: kernels are outlined. Post-condition: `main` and kernels take one buffer for each
result, after their arguments; a write goes in place when no later op reads what it overwrites
(`bufferize_main`), else into a copy; no result is an argument, a constant or another result.
Kernels are rewritten one to one, loops over elements in place. A kernel that is called with buffers
of several layouts becomes several functions. `main` notes where the sizes of dynamic results come
from.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import FunctionType, ModuleOp, StringAttr, SymbolRefAttr
from xdsl.ir import Attribute, Operation
from xdsl.passes import ModulePass

from lamina.dialects.foreign import is_foreign
from lamina.dialects.kernels import is_kernel
from lamina.dialects.locations import place_of
from lamina.dialects.type_tests import is_tensor
from lamina.errors import LoweringError
from lamina.lowering.buffer_types import buffer_type
from lamina.lowering.bufferize_control import CONTROL
from lamina.lowering.bufferize_kernel import bufferize_kernel
from lamina.lowering.bufferize_loops import bufferize_loops, is_element_loops
from lamina.lowering.bufferize_main import MainBufferizer


def holds_tensors(function: func.FuncOp) -> bool:
    """Whether a kernel is still to be bufferized."""
    results = (result.type for op in function.body.walk() for result in op.results)
    return any(is_tensor(type) for type in (*function.function_type.inputs, *results))


class BufferizePass(ModulePass):
    """Give every tensor a buffer."""

    name = "bufferize"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        functions = [f for f in op.ops if isinstance(f, func.FuncOp)]
        kernels = {f.sym_name.data: f for f in functions if is_kernel(f)}
        globals_: dict[Attribute, Operation] = {}
        calls: list[func.CallOp] = []
        for function in functions:
            if is_foreign(function):
                _declare(function)
            elif not function.is_declaration and not is_kernel(function):
                if len(function.body.blocks) > 1:
                    raise LoweringError(
                        f"bufferize: expected a function of one block, found @"
                        f"{function.sym_name.data} with branches; use scf.if or scf.while",
                        place=place_of(function.location),
                    )
                bufferizer = MainBufferizer(function, globals_, CONTROL)
                bufferizer.run()
                calls += bufferizer.calls
        first = op.body.block.first_op
        assert first is not None
        op.body.block.insert_ops_before(list(globals_.values()), first)
        self.kernels(op, kernels, calls)

    def kernels(
        self, op: ModuleOp, kernels: dict[str, func.FuncOp], calls: list[func.CallOp]
    ) -> None:
        """Bufferize each kernel once for each list of argument types."""
        made: dict[tuple[str, tuple[Attribute, ...]], str] = {}
        taken = set(kernels)
        pristine = {name: kernel.clone() for name, kernel in kernels.items()}
        for call in calls:
            name = call.callee.root_reference.data
            if name not in pristine:
                raise LoweringError(
                    f"bufferize: expected a call of a private function with a body, found @{name}",
                    place=place_of(call.location),
                )
            if not holds_tensors(pristine[name]):
                continue  # bufferized already
            key = (name, tuple(call.operand_types))
            if key not in made:
                symbol, kernel = name, kernels.pop(name, None)
                if kernel is None:
                    names = (f"{name}_v{i}" for i in range(len(calls)))
                    symbol = next(s for s in names if s not in taken)
                    kernel = pristine[name].clone()
                    kernel.properties["sym_name"] = StringAttr(symbol)
                    op.body.block.add_op(kernel)
                    taken.add(symbol)
                _bufferize(kernel, key[1])
                made[key] = symbol
            call.properties["callee"] = SymbolRefAttr(made[key])
        for kernel in kernels.values():  # never called
            if holds_tensors(kernel):
                _bufferize(kernel, [buffer_type(t) for t in kernel.function_type.inputs])


def _declare(function: func.FuncOp) -> None:
    """A declared function of code that is not ours: it takes contiguous buffers."""
    types = [buffer_type(type) for type in function.function_type.inputs]
    function.properties["function_type"] = FunctionType.from_lists(types, [])


def _bufferize(kernel: func.FuncOp, types: Sequence[Attribute]) -> None:
    """Rewrite a kernel in place; `types` are the argument types that its callers pass."""
    if is_element_loops(kernel):
        bufferize_loops(kernel, types)
    else:
        bufferize_kernel(kernel, types)
