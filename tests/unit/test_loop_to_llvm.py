"""Loop-level text through outline-parallel, expand-float-casts and convert-to-llvm, run natively."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from typing import Any

import ml_dtypes
import numpy as np
import numpy.typing as npt
import pytest
from xdsl.passes import ModulePass

from lamina.backend.codegen import compile_object
from lamina.backend.emit_llvm import emit_module
from lamina.backend.engine import Engine
from lamina.backend.host import target_for
from lamina.errors import LoweringError
from lamina.ir_text import parse_module, print_module
from lamina.lowering.convert_to_llvm import ConvertToLLVMPass
from lamina.lowering.expand_float_casts import ExpandFloatCastsPass
from lamina.lowering.insert_polls import InsertPollsPass
from lamina.lowering.outline_parallel import OutlineParallelPass
from lamina.registry import make_context
from lamina.verify import verify_module

Array = npt.NDArray[Any]
BF16 = np.dtype(ml_dtypes.bfloat16)
PARALLEL = ctypes.CFUNCTYPE(
    ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64
)
BODY = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64)
POLL = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p)
THREADS = 3
RNG = np.random.default_rng(0)


@PARALLEL
def serial_parallel(context: int, body: int, data: int, tasks: int) -> int:
    """A thread pool that runs the tasks one after the other, as threads 0, 1, 2 in turn."""
    run = BODY(body)
    for task in range(tasks):
        if status := run(data, task, task % THREADS):
            return status
    return 0


def lowered(text: str, *, f16c: bool = True) -> str:
    """LLVM text of loop-level text; the module is verified after every pass."""
    context = make_context()
    module = parse_module(context, text)
    passes: list[ModulePass] = [
        OutlineParallelPass(),
        InsertPollsPass(),
        ExpandFloatCastsPass(f16c=f16c),
        ConvertToLLVMPass(),
    ]
    for step in passes:
        step.apply(context, module)
        verify_module(module)
    again = parse_module(context, print_module(module))
    assert print_module(again) == print_module(module)
    return emit_module(module)


class Program:
    """A compiled module: `program("main", arrays or scalars...)` returns the status."""

    def __init__(self, text: str, *, f16c: bool = True, pipeline: Any = "auto") -> None:
        code = compile_object(lowered(text, f16c=f16c), target_for("host"), pipeline)
        pool = ctypes.cast(serial_parallel, ctypes.c_void_p).value
        assert pool is not None
        self.engine = Engine([code], {"lamina_parallel": pool})
        self.scratch_bytes = self._constant("lamina_scratch_bytes")
        self.arena_bytes = self._constant("lamina_arena_bytes")
        self.poll: Callable[[int], int] | None = None
        self.context = np.zeros(8, np.int64)

    def _constant(self, name: str) -> int:
        return ctypes.c_int64.from_address(self.engine.address(name)).value

    def __call__(self, name: str, *args: Any, sizes: Sequence[int] = ()) -> int:
        """Call a function: arrays as pointers, ctypes scalars as they are, then `?` sizes."""
        arena = aligned(self.arena_bytes)
        scratch = aligned(self.scratch_bytes * THREADS)
        poll = POLL(self.poll) if self.poll is not None else None
        self.context[:] = 0
        self.context[:3] = arena.ctypes.data, scratch.ctypes.data, self.scratch_bytes
        self.context[3] = ctypes.cast(poll, ctypes.c_void_p).value or 0 if poll else 0
        values = [
            ctypes.c_void_p(a.ctypes.data) if isinstance(a, np.ndarray) else a for a in args
        ]
        function = ctypes.CFUNCTYPE(ctypes.c_int32)(self.engine.address(name))
        function.argtypes = None  # type: ignore[assignment]
        return function(
            ctypes.c_void_p(self.context.ctypes.data),
            *values,
            *(ctypes.c_int64(size) for size in sizes),
        )


def aligned(size: int) -> Array:
    """At least `size` bytes of garbage, aligned to 64."""
    memory = np.full(size + 128, 0xA5, np.uint8)
    start = -memory.ctypes.data % 64
    return memory[start : start + size + 64]


AXPY = """
func.func private @axpy(%x: memref<?xf32>, %y: memref<?xf32>, %out: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  %a = arith.constant 2.0 : f32
  %va = vector.broadcast %a : f32 to vector<16xf32>
  %z = arith.constant dense<0.0> : vector<16xf32>
  %rest = arith.remui %n, %c16 : index
  %full = arith.subi %n, %rest : index
  scf.for %i = %c0 to %full step %c16 {
    %vx = vector.load %x[%i] : memref<?xf32>, vector<16xf32>
    %vy = vector.load %y[%i] : memref<?xf32>, vector<16xf32>
    %r = vector.fma %vx, %va, %vy : vector<16xf32>
    vector.store %r, %out[%i] : memref<?xf32>, vector<16xf32>
  }
  %m = vector.create_mask %rest : vector<16xi1>
  %vx = vector.maskedload %x[%full], %m, %z
    : memref<?xf32>, vector<16xi1>, vector<16xf32> into vector<16xf32>
  %vy = vector.maskedload %y[%full], %m, %z
    : memref<?xf32>, vector<16xi1>, vector<16xf32> into vector<16xf32>
  %r = vector.fma %vx, %va, %vy : vector<16xf32>
  vector.maskedstore %out[%full], %m, %r : memref<?xf32>, vector<16xi1>, vector<16xf32>
  func.return
}
func.func @main(%x: memref<?xf32>, %y: memref<?xf32>, %out: memref<?xf32>) {
  func.call @axpy(%x, %y, %out) : (memref<?xf32>, memref<?xf32>, memref<?xf32>) -> ()
  func.return
}
"""


def test_masked_tail() -> None:
    program = Program(AXPY)
    for n in (0, 1, 15, 16, 17, 100):
        x, y = RNG.random((2, n), np.float32)
        guarded = np.full(n + 16, 7, np.float32)
        assert program("main", x, y, guarded, sizes=(n, n, n)) == 0
        np.testing.assert_array_equal(guarded[:n], (x * 2.0 + y).astype(np.float32))
        assert (guarded[n:] == 7).all()
