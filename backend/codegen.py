"""LLVM IR text to object code.

llvmlite serialises all its calls behind one lock, so two threads compile no faster than one. This
file opens llvmlite's library a second time (`library`), without that lock; each compilation has its
own LLVM context, each thread its own target machines: two threads compile 1.9 times as much.

Pre-condition: text that `emit_llvm` writes, or a person; it may be malformed (`CompileError`).
Post-condition: a position independent object (small code model) that serves the JIT, the cache and
export alike. The same text, target and pipeline give the same bytes.
"""

from __future__ import annotations

import ctypes
import importlib.util
import re
import threading
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from ctypes import POINTER, byref, c_bool, c_char_p, c_int, c_size_t, c_void_p
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Literal, NamedTuple

from lamina.errors import CompileError, OptionError
from lamina.target import Target

Pipeline = Literal["auto", "none", "light", "O2"]

# The "light" pipeline. Loops over explicit vectors come in their final shape; they want inlining
# and dead code removed. Code generation shares equal subexpressions and reduces the strength of
# addresses. No NewGVN: LLVM 22's takes selects for equal that are not (windows in a frame of
# padding: tests/unit/test_programs_found.py).
_LIGHT = (
    "AlwaysInlinerPass",
    "SROAPass",
    "InstCombinePass",
    "SimplifyCFGPass",
)
# "O2" vectorizes scalar loops. Unrolling them further than the vectorizer's interleaving doubles
# the compile time and gains nothing (an int32 loop: 12.2 ms and 13.8 us without, 26.7 and 17.4
# with); straight-line vectorization finds nothing in loops.
_TUNING = {
    "LoopVectorization": True,
    "LoopInterleaving": True,
    "LoopUnrolling": False,
    "SLPVectorization": False,
}
_STRING = POINTER(c_char_p)
# name -> (result, arguments) of every function that this room calls
_SIGNATURES: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "ContextCreate": (c_void_p, ()),
    "ContextDispose": (None, (c_void_p,)),
    "ParseAssembly": (c_void_p, (c_void_p, c_char_p, _STRING)),
    "VerifyModule": (c_int, (c_void_p, _STRING)),
    "DisposeModule": (None, (c_void_p,)),
    "SetTarget": (None, (c_void_p, c_char_p)),
    "SetDataLayout": (None, (c_void_p, c_char_p)),
    "PrintModuleToString": (None, (c_void_p, _STRING)),
    "DisposeString": (None, (c_void_p,)),
    "GetTargetFromTriple": (c_void_p, (c_char_p, _STRING)),
    "CreateTargetMachine": (
        c_void_p,
        (c_void_p, c_char_p, c_char_p, c_char_p, c_int, c_char_p, c_char_p, c_int, c_int, c_char_p),
    ),
    "DisposeTargetMachine": (None, (c_void_p,)),
    "CreateTargetMachineData": (c_void_p, (c_void_p,)),
    "CopyStringRepOfTargetData": (None, (c_void_p, _STRING)),
    "DisposeTargetData": (None, (c_void_p,)),
    "TargetMachineEmitToMemory": (c_void_p, (c_void_p, c_void_p, c_int, _STRING)),
    "GetBufferStart": (c_void_p, (c_void_p,)),
    "GetBufferSize": (c_size_t, (c_void_p,)),
    "DisposeMemoryBuffer": (None, (c_void_p,)),
    "CreatePipelineTuningOptions": (c_void_p, (c_int,)),
    "DisposePipelineTuningOptions": (None, (c_void_p,)),
    **{f"PTOSet{option}": (None, (c_void_p, c_bool)) for option in _TUNING},
    "CreatePassBuilder": (c_void_p, (c_void_p, c_void_p)),
    "DisposePassBuilder": (None, (c_void_p,)),
    "CreateNewModulePassManager": (c_void_p, ()),
    "buildPerModuleDefaultPipeline": (c_void_p, (c_void_p, c_int)),
    "RunNewModulePassManager": (None, (c_void_p, c_void_p, c_void_p)),
    "DisposeNewModulePassManger": (None, (c_void_p,)),
    **{f"module_Add{name}": (None, (c_void_p,)) for name in _LIGHT},
    "GetHostCPUName": (None, (_STRING,)),
    "GetHostCPUFeatures": (c_int, (_STRING,)),
    "GetProcessTriple": (None, (_STRING,)),
    "CreateMCJITCompiler": (c_void_p, (c_void_p, c_void_p, c_bool, _STRING)),
    "DisposeExecutionEngine": (None, (c_void_p,)),
    "CreateObjectFile": (c_void_p, (c_char_p, c_size_t)),
    "DisposeObjectFile": (None, (c_void_p,)),
    "MCJITAddObjectFile": (None, (c_void_p, c_void_p)),
    "FinalizeObject": (None, (c_void_p,)),
    "GetGlobalValueAddress": (ctypes.c_uint64, (c_void_p, c_char_p)),
    "AddSymbol": (None, (c_char_p, c_void_p)),
    "SearchAddressOfSymbol": (c_void_p, (c_char_p,)),
}


@cache
def library() -> Any:
    """llvmlite's library through a handle of our own: calls release the GIL and take no lock.

    Its functions are LLVM's C interface, named `LLVMPY_*`; here they go without that prefix.
    """
    spec = importlib.util.find_spec("llvmlite")
    folders = [Path(p) / "binding" for p in (spec.submodule_search_locations or ())] if spec else []
    found = [f for folder in folders for f in folder.glob("*llvmlite.*") if f.suffix != ".py"]
    if not found:
        raise CompileError("codegen: expected llvmlite's shared library, found none")
    handle = ctypes.CDLL(str(found[0]))
    functions: dict[str, Any] = {}
    for name, (result, arguments) in _SIGNATURES.items():
        function = functions[name] = handle[f"LLVMPY_{name}"]
        function.restype, function.argtypes = result, arguments
    for kind in ("TargetInfos", "Targets", "TargetMCs", "AsmPrinters"):
        handle[f"LLVMPY_InitializeAll{kind}"]()
    return SimpleNamespace(**functions)


class Text:
    """A string that LLVM allocates: pass `byref` of it, then read `value`."""

    def __init__(self) -> None:
        self._pointer = c_char_p()

    def ref(self) -> Any:
        """The argument for an LLVM function that writes a string."""
        return byref(self._pointer)

    def take(self) -> str:
        """The text, "" when LLVM wrote none; LLVM's memory is freed."""
        data = self._pointer.value
        if data is None:
            return ""
        library().DisposeString(self._pointer)
        self._pointer = c_char_p()
        return data.decode(errors="replace").strip()


def machine_features(target: Target) -> str:
    """The feature string that LLVM's target machine takes.

    `+fma` and `+f16c` are x86 names; Lamina gives them to other targets too, in their meaning.
    """
    foreign = () if target.triple.startswith("x86_64") else ("+fma", "+f16c")
    return ",".join(f for f in target.features if f not in foreign)


class Machine:
    """An LLVM target machine and its data layout. Used by one thread at a time."""

    def __init__(self, target: Target) -> None:
        lib = library()
        error = Text()
        kind = lib.GetTargetFromTriple(target.triple.encode(), error.ref())
        if not kind:
            raise OptionError(f"target {target.triple}: {error.take()}")
        names = (target.triple, target.cpu, machine_features(target))
        relocation, model, abi = b"pic", b"default", b""
        self.pointer: int = lib.CreateTargetMachine(
            kind, *(n.encode() for n in names), 2, relocation, model, 0, 0, abi
        )
        if not self.pointer:
            raise OptionError(f"target {target.cpu}: LLVM has no machine for {target.triple}")
        data = lib.CreateTargetMachineData(self.pointer)
        layout = Text()
        lib.CopyStringRepOfTargetData(data, layout.ref())
        lib.DisposeTargetData(data)
        self.triple = target.triple.encode()
        self.layout = layout.take().encode()

    def release(self) -> int:
        """Hand LLVM's machine over: the caller's engine frees it."""
        pointer, self.pointer = self.pointer, 0
        return pointer

    def __del__(self) -> None:
        if getattr(self, "pointer", 0):
            library().DisposeTargetMachine(self.pointer)


class _Machines(threading.local):
    """The target machines of a thread."""

    def __init__(self) -> None:
        self.made: dict[Target, Machine] = {}

    def get(self, target: Target) -> Machine:
        machine = self.made.get(target)
        if machine is None:
            machine = self.made[target] = Machine(target)
        return machine


_MACHINES = _Machines()


@contextmanager
def parsed(text: str, machine: Machine) -> Generator[int]:
    """The module of `text`, verified, in a context of its own; freed on leaving."""
    if "\0" in text:
        raise CompileError("codegen: expected LLVM text, found a zero byte in it")
    lib = library()
    context = lib.ContextCreate()
    module = None
    try:
        error = Text()
        module = lib.ParseAssembly(context, text.encode(), error.ref())
        if message := error.take():
            raise CompileError(f"codegen: expected valid LLVM text, found {message}")
        lib.SetTarget(module, machine.triple)
        lib.SetDataLayout(module, machine.layout)
        if lib.VerifyModule(module, error.ref()):
            raise CompileError(f"codegen: expected valid LLVM text, found {error.take()}")
        error.take()
        yield module
    finally:
        if module:
            lib.DisposeModule(module)
        lib.ContextDispose(context)


def _optimize(module: int, machine: Machine, pipeline: Pipeline) -> None:
    """Run a pipeline on a module. A pass manager runs once: a second run aborts the process."""
    if pipeline == "none":
        return
    lib = library()
    tuning = lib.CreatePipelineTuningOptions(2)
    for option, on in _TUNING.items():
        getattr(lib, f"PTOSet{option}")(tuning, on)
    builder = lib.CreatePassBuilder(machine.pointer, tuning)
    if pipeline == "O2":
        manager = lib.buildPerModuleDefaultPipeline(builder, 2)
    else:
        manager = lib.CreateNewModulePassManager()
        for name in _LIGHT:
            getattr(lib, f"module_Add{name}")(manager)
    lib.RunNewModulePassManager(manager, module, builder)
    lib.DisposeNewModulePassManger(manager)
    lib.DisposePassBuilder(builder)
    lib.DisposePipelineTuningOptions(tuning)


_VECTOR = re.compile(r"<\d+ x (?!ptr)")
_LABEL = re.compile(r"label %([\w.$-]+)")
_CHOICE = re.compile(r'"lamina-pipeline"="(none|light|O2)"')


def choose_pipeline(text: str) -> Pipeline:
    """The pipeline for a text: what a function attribute "lamina-pipeline" says, else "light" for
    explicit vectors and for code without loops, "O2" for scalar loops (LLVM vectorizes them).
    """
    if found := _CHOICE.search(text):
        return found[1]  # pyright: ignore[reportReturnType]
    return "light" if _VECTOR.search(text) or not _has_loop(text) else "O2"


def _has_loop(text: str) -> bool:
    """Whether some branch goes back, to a block that is written before it."""
    above: set[str] = set()
    for line in text.splitlines():
        if line.startswith("define"):
            above.clear()
        elif line.endswith(":"):
            above.add(line[:-1])
        elif "label %" in line and not above.isdisjoint(_LABEL.findall(line)):
            return True
    return False


def _emit(text: str, target: Target, pipeline: Pipeline, *, as_object: bool) -> bytes:
    lib = library()
    machine = _MACHINES.get(target)
    with parsed(text, machine) as module:
        _optimize(module, machine, choose_pipeline(text) if pipeline == "auto" else pipeline)
        error = Text()
        buffer = lib.TargetMachineEmitToMemory(machine.pointer, module, int(as_object), error.ref())
        if not buffer:
            raise CompileError(f"codegen: LLVM made no code: {error.take()}")
        try:
            return ctypes.string_at(lib.GetBufferStart(buffer), lib.GetBufferSize(buffer))
        finally:
            lib.DisposeMemoryBuffer(buffer)


def compile_object(text: str, target: Target, pipeline: Pipeline = "auto") -> bytes:
    """The object file of an LLVM text.

    pipeline: "none" (code generation only), "light", "O2", or "auto" (`choose_pipeline`).
    Raises CompileError for text that LLVM does not accept.
    """
    return _emit(text, target, pipeline, as_object=True)


def to_assembly(text: str, target: Target, pipeline: Pipeline = "auto") -> str:
    """The assembly of an LLVM text, as `compile_object` would encode it."""
    return _emit(text, target, pipeline, as_object=False).decode()


def optimized(text: str, target: Target, pipeline: Pipeline = "auto") -> str:
    """The LLVM text after the pipeline, for people to read."""
    machine = _MACHINES.get(target)
    with parsed(text, machine) as module:
        _optimize(module, machine, choose_pipeline(text) if pipeline == "auto" else pipeline)
        result = Text()
        library().PrintModuleToString(module, result.ref())
        return result.take()


class Job(NamedTuple):
    """One text to compile (arguments of `compile_object`)."""

    text: str
    target: Target
    pipeline: Pipeline = "auto"


WORTH_THREADS = 1 << 13
"""Characters of text (some 10 ms of work) from which on new threads, each with a target machine of
its own (1 ms), save time."""


def compile_many(jobs: Sequence[Job], threads: int) -> list[bytes]:
    """The objects of `jobs`, in order, compiled on up to `threads` threads."""
    if threads <= 1 or sum(len(job.text) for job in jobs) < WORTH_THREADS or len(jobs) <= 1:
        return [compile_object(*job) for job in jobs]
    from concurrent.futures import ThreadPoolExecutor  # 10 ms that a cached program never pays

    # the longest first, so that no thread is left alone with a long one at the end
    order = sorted(range(len(jobs)), key=lambda i: -len(jobs[i].text))
    with ThreadPoolExecutor(min(threads, len(jobs)), "lamina-compile") as pool:
        futures = {i: pool.submit(compile_object, *jobs[i]) for i in order}
        return [futures[i].result() for i in range(len(jobs))]
