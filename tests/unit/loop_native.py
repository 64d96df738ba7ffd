"""Loop-level text, lowered by our passes or by upstream's, compiled and called from tests."""

from __future__ import annotations

import ctypes
import os
import subprocess
from collections.abc import Callable, Sequence
from typing import Any

import ml_dtypes
import numpy as np
import numpy.typing as npt
from xdsl.passes import ModulePass

from lamina.backend.codegen import compile_object
from lamina.backend.emit_llvm import emit_module
from lamina.backend.engine import Engine
from lamina.backend.host import target_for
from lamina.ir_text import parse_module, print_module
from lamina.lowering.convert_to_llvm import ConvertToLLVMPass
from lamina.lowering.expand_float_casts import ExpandFloatCastsPass
from lamina.lowering.insert_polls import InsertPollsPass
from lamina.lowering.outline_parallel import OutlineParallelPass
from lamina.registry import make_context
from lamina.testing.lit import mlir_tool
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


def lowered(text: str, *, f16c: bool = True, round_trip: bool = False) -> str:
    """LLVM text of loop-level text; the module is verified after every pass.

    round_trip: the llvm level must also read what it prints (slow).
    """
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
    if round_trip:
        again = parse_module(context, print_module(module))
        assert print_module(again) == print_module(module)
    return emit_module(module)


class Program:
    """A compiled module: `program("main", arrays or scalars...)` returns the status."""

    def __init__(self, text: str, *, f16c: bool = True, cpu: str = "host") -> None:
        code = compile_object(lowered(text, f16c=f16c), target_for(cpu))
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
        values = [ctypes.c_void_p(a.ctypes.data) if isinstance(a, np.ndarray) else a for a in args]
        function = ctypes.CFUNCTYPE(ctypes.c_int32)(self.engine.address(name))
        function.argtypes = None  # type: ignore[assignment]
        return function(
            ctypes.c_void_p(self.context.ctypes.data),
            *values,
            *(ctypes.c_int64(size) for size in sizes),
        )

    @property
    def error(self) -> tuple[int, int, int]:
        """(id, index, value) of the error record."""
        return tuple(int(field) for field in self.context[4:7])  # type: ignore[return-value]


def aligned(size: int) -> Array:
    """At least `size` bytes of garbage, aligned to 64."""
    memory = np.full(size + 128, 0xA5, np.uint8)
    start = -memory.ctypes.data % 64
    return memory[start : start + size + 64]


UPSTREAM = (
    "--convert-vector-to-llvm",
    "--expand-strided-metadata",
    "--lower-affine",
    "--convert-scf-to-cf",
    "--convert-math-to-llvm",
    "--arith-expand",
    "--finalize-memref-to-llvm",
    "--convert-arith-to-llvm",
    "--convert-index-to-llvm",
    "--convert-func-to-llvm=use-bare-ptr-memref-call-conv=1",
    "--convert-cf-to-llvm",
    "--reconcile-unrealized-casts",
)


def upstream(text: str) -> Engine:
    """`text` lowered by upstream's own passes; functions take bare pointers of static memrefs."""
    for tool, words in (("mlir-opt", UPSTREAM), ("mlir-translate", ("--mlir-to-llvmir",))):
        found = mlir_tool(tool)
        assert found is not None
        program, libraries = found
        done = subprocess.run(
            [program, *words],
            input=text,
            capture_output=True,
            text=True,
            env={**os.environ, "LD_LIBRARY_PATH": str(libraries)},
            check=False,
        )
        assert done.returncode == 0, done.stderr
        text = done.stdout
    return Engine([compile_object(text, target_for("host"), "light")])


def call_upstream(engine: Engine, name: str, *args: Any) -> None:
    """Call a function of `upstream`."""
    function = ctypes.CFUNCTYPE(None)(engine.address(name))
    function.argtypes = None  # type: ignore[assignment]
    function(*(ctypes.c_void_p(a.ctypes.data) if isinstance(a, np.ndarray) else a for a in args))
