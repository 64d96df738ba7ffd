"""LLVM text to objects: pipelines, errors, threads."""

from __future__ import annotations

import ctypes
import os
import random
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from lamina.backend import codegen
from lamina.backend.codegen import (
    Job,
    Pipeline,
    choose_pipeline,
    compile_many,
    compile_object,
    optimized,
    to_assembly,
)
from lamina.backend.engine import Engine, object_symbols
from lamina.backend.host import target_for
from lamina.errors import CompileError, OptionError
from lamina.target import Target

SOURCES = Path(__file__).parents[2] / "src"
HERE = target_for("host")
PIPELINES: tuple[Pipeline, ...] = ("none", "light", "O2")

SCALAR_LOOP = """
define i32 @f(ptr noalias %x, ptr noalias %y, i64 %n) nounwind {
bb0:
  br label %bb1
bb1:
  %i = phi i64 [ 0, %bb0 ], [ %j, %bb1 ]
  %p = getelementptr inbounds i32, ptr %x, i64 %i
  %a = load i32, ptr %p, align 4
  %b = mul i32 %a, 3
  %q = getelementptr inbounds i32, ptr %y, i64 %i
  store i32 %b, ptr %q, align 4
  %j = add nsw i64 %i, 1
  %c = icmp slt i64 %j, %n
  br i1 %c, label %bb1, label %bb2
bb2:
  ret i32 0
}
"""
VECTOR_LOOP = """
define internal <8 x float> @square(<8 x float> %v) nounwind alwaysinline {
  %r = fmul <8 x float> %v, %v
  ret <8 x float> %r
}
define i32 @f(ptr noalias %x, ptr noalias %y, i64 %n) nounwind {
bb0:
  br label %bb1
bb1:
  %i = phi i64 [ 0, %bb0 ], [ %j, %bb1 ]
  %p = getelementptr inbounds float, ptr %x, i64 %i
  %a = load <8 x float>, ptr %p, align 4
  %b = call <8 x float> @square(<8 x float> %a)
  %q = getelementptr inbounds float, ptr %y, i64 %i
  store <8 x float> %b, ptr %q, align 4
  %j = add nsw i64 %i, 8
  %c = icmp slt i64 %j, %n
  br i1 %c, label %bb1, label %bb2
bb2:
  ret i32 0
}
"""


def run(data: bytes, x: NDArray[np.generic]) -> NDArray[np.generic]:
    """`f(x, y, n)` of an object; y."""
    y = np.zeros_like(x)
    with Engine([data]) as engine:
        kind = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64)
        assert kind(engine.address("f"))(x.ctypes.data, y.ctypes.data, x.size) == 0
    return y


@pytest.mark.parametrize("pipeline", PIPELINES)
def test_every_pipeline_computes_the_same(pipeline: Pipeline) -> None:
    x = np.arange(1000, dtype=np.int32)
    assert (run(compile_object(SCALAR_LOOP, HERE, pipeline), x) == 3 * x).all()
    v = np.linspace(-5, 5, 1000, dtype=np.float32)
    assert (run(compile_object(VECTOR_LOOP, HERE, pipeline), v) == v * v).all()


def test_scalar_loops_are_vectorized_and_calls_inlined() -> None:
    assert choose_pipeline(SCALAR_LOOP) == "O2"
    assert "%ymm" in to_assembly(SCALAR_LOOP, Target())
    assert "%ymm" not in to_assembly(SCALAR_LOOP, Target(), "light")
    assert choose_pipeline(VECTOR_LOOP) == "light"
    assert "call" not in to_assembly(VECTOR_LOOP, Target())
    assert "call" in to_assembly(VECTOR_LOOP, Target(), "none")
    assert "@square" not in optimized(VECTOR_LOOP, Target())


def test_the_text_may_choose_its_pipeline() -> None:
    for pipeline in PIPELINES:
        line = f'define void @f() "lamina-pipeline"="{pipeline}" {{\n  ret void\n}}\n'
        assert choose_pipeline(line + SCALAR_LOOP) == pipeline
    straight = SCALAR_LOOP.replace("label %bb1, label %bb2", "label %bb2, label %bb2")
    assert choose_pipeline(straight) == "light"
    assert choose_pipeline(straight + SCALAR_LOOP) == "O2"


def test_objects_are_position_independent() -> None:
    text = (
        "@table = internal constant [4 x i32] [i32 1, i32 2, i32 3, i32 4]\n"
        "declare void @outside(ptr)\n"
        "define void @f() nounwind {\n  call void @outside(ptr @table)\n  ret void\n}\n"
    )
    code = to_assembly(text, Target())
    assert "table(%rip)" in code.lower()
    assert "outside@PLT" in code
    assert object_symbols(compile_object(text, HERE)).undefined == {"outside"}


def test_no_unwind_tables_for_nounwind_code() -> None:
    assert b".eh_frame" not in compile_object(VECTOR_LOOP, Target())


def test_same_bytes_every_time_and_on_every_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(codegen, "WORTH_THREADS", 0)
    jobs = [Job(text, HERE, p) for p in PIPELINES for text in (SCALAR_LOOP, VECTOR_LOOP)] * 4
    alone = compile_many(jobs, 1)
    together = compile_many(jobs, 4)
    assert alone == together
    assert alone[:6] == alone[6:12]


def test_threads_keep_their_errors_and_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(codegen, "WORTH_THREADS", 0)
    jobs = [Job(VECTOR_LOOP, HERE), Job("nonsense", HERE), Job(SCALAR_LOOP, HERE)]
    with pytest.raises(CompileError, match="codegen: expected valid LLVM text"):
        compile_many(jobs, 2)
    assert compile_many([], 4) == []


MALFORMED = [
    "nonsense",
    "define",
    "define i32 @f() {\n  ret float 0.0\n}",
    "define i32 @f() {\n  ret i32 %x\n}",
    "define void @f() {\n  call void @llvm.unheard.of(i32 1)\n  ret void\n}",
    "define i32 @f(i32 %a) {\n  %x = add i32 %y, %a\n  %y = add i32 %x, 1\n  ret i32 %y\n}",
    '@x = global [4 x i8] c"abc"',
    "define void @f() {\n}",
    "define void @f() {\n  br label %nowhere\n}",
    "define void @f() {\n  br label %a\na:\n  %x = phi i32 [ 0, %a ]\n  br label %a\n}",
    "define void @f() {\n  ret void\n}\0",
    "define float @f() {\n  ret float 0x3FB999999999999A\n}",  # not a float's double
    "define void @f(ptr %p) {\n  %x = load <0 x i32>, ptr %p\n  ret void\n}",
    "define i32 @f() {\n  %x = call i32 @llvm.fma(i32 1, i32 2, i32 3)\n  ret i32 %x\n}",
    "define void @f() {\n  %x = alloca void\n  ret void\n}",
    "\ufeffdefine void @f() {\n  ret void\n}",
]


@pytest.mark.parametrize("text", MALFORMED, ids=[str(i) for i in range(len(MALFORMED))])
def test_malformed_text_is_an_error(text: str) -> None:
    with pytest.raises(CompileError, match=r"codegen: expected .*LLVM text, found"):
        compile_object(text, HERE)


def test_unknown_triples_are_an_error() -> None:
    with pytest.raises(OptionError, match="target nosuch-machine"):
        compile_object("", Target(triple="nosuch-machine"))


def mutations(text: str, count: int, seed: int) -> list[str]:
    """`text` with one to three words removed, doubled or put in the place of others."""
    source = random.Random(seed)
    found: list[str] = []
    for _ in range(count):
        words = text.split(" ")
        for _ in range(source.randint(1, 3)):
            at = source.randrange(len(words))
            words[at : at + 1] = source.choice(
                [[], [words[at]] * 2, [words[source.randrange(len(words))]]]
            )
        found.append(" ".join(words))
    return found


@pytest.mark.slow
def test_mutated_text_never_ends_the_process() -> None:
    """300 mutants in a process of its own: each compiles or is a CompileError."""
    code = (
        "import sys\n"
        "sys.path.insert(0, sys.argv[1])\n"
        "from test_codegen import SCALAR_LOOP, VECTOR_LOOP, mutations, survive\n"
        "for seed, text in enumerate((SCALAR_LOOP, VECTOR_LOOP)):\n"
        "    survive(mutations(text, 150, seed))\n"
        "print('alive')\n"
    )
    child = subprocess.run(
        [sys.executable, "-c", code, str(Path(__file__).parent)],
        env={**os.environ, "PYTHONPATH": str(SOURCES)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert child.stdout == "alive\n", child.stderr


def survive(texts: list[str]) -> None:
    """Compile each text; only CompileError may come out."""
    refused = 0
    for text in texts:
        try:
            compile_object(text, HERE)
        except CompileError:
            refused += 1
    assert 0 < refused < len(texts)


def test_compiling_leaks_little() -> None:
    def pages() -> int:
        return int(Path("/proc/self/statm").read_text().split()[1])

    for _ in range(50):
        compile_object(VECTOR_LOOP, HERE, "none")
    before = pages()
    for _ in range(200):
        compile_object(VECTOR_LOOP, HERE, "none")
    assert (pages() - before) * 4 < 200 * 20, "KB; a kept context would be 100 a compilation"


def test_threads_compile_at_once() -> None:
    """A second thread is inside LLVM while the first one is (no lock, no GIL)."""
    big = SCALAR_LOOP + "".join(SCALAR_LOOP.replace("@f", f"@f{number}") for number in range(20))
    done = threading.Event()
    ticks = 0

    def work() -> None:
        compile_object(big, HERE, "O2")
        done.set()

    thread = threading.Thread(target=work)
    thread.start()
    while not done.is_set():
        compile_object("define void @g() {\n  ret void\n}", HERE, "none")
        ticks += 1
    thread.join()
    assert ticks > 3
