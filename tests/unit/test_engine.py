"""Linking objects into this process."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from lamina.backend.codegen import compile_object
from lamina.backend.engine import Engine, object_symbols, system_address
from lamina.backend.host import target_for
from lamina.errors import CompileError

UNARY = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_int32)
HERE = target_for("host")


def built(text: str) -> bytes:
    return compile_object(text, HERE)


CALLER = built(
    "declare i32 @k(i32)\n"
    "@answer = constant i64 42\n"
    "define i32 @main(i32 %x) {\n  %r = call i32 @k(i32 %x)\n  ret i32 %r\n}\n"
)
KERNEL = built(
    "declare i32 @outside(i32)\n"
    "define hidden i32 @k(i32 %x) nounwind {\n"
    "  %r = call i32 @outside(i32 %x)\n  ret i32 %r\n}\n"
)


@UNARY
def tenfold(x: int) -> int:
    return 10 * x


OUTSIDE = {"outside": ctypes.cast(tenfold, ctypes.c_void_p).value or 0}


def test_objects_call_each_other_and_the_outside() -> None:
    with Engine([CALLER, KERNEL], OUTSIDE) as engine:
        assert UNARY(engine.address("main"))(4) == 40
        assert UNARY(engine.address("k"))(5) == 50  # hidden symbols have addresses too
        assert ctypes.c_int64.from_address(engine.address("answer")).value == 42


def test_each_engine_has_its_own_outside() -> None:
    def double(x: int) -> int:
        return 2 * x

    twice = UNARY(double)
    first = Engine([CALLER, KERNEL], OUTSIDE)
    second = Engine([CALLER, KERNEL], {"outside": ctypes.cast(twice, ctypes.c_void_p).value or 0})
    assert UNARY(first.address("main"))(4) == 40
    assert UNARY(second.address("main"))(4) == 8


def test_unresolved_symbols_are_all_named() -> None:
    with pytest.raises(CompileError, match="expected an address for k, found none"):
        Engine([CALLER])
    text = "declare void @b()\ndeclare void @a()\ndefine void @f() {\n  call void @b()\n"
    with pytest.raises(CompileError, match="expected an address for a, b, found none"):
        Engine([built(text + "  call void @a()\n  ret void\n}")])


def test_half_conversions_without_instructions_are_refused() -> None:
    """LLVM calls a function of its own run time for them, which no process has."""
    text = (
        "define float @f(float %x) {\n  %a = fptrunc float %x to bfloat\n"
        "  %b = fpext bfloat %a to float\n  ret float %b\n}"
    )
    data = compile_object(text, target_for("x86-64"))
    if not HERE.triple.startswith("x86_64"):
        pytest.skip("an x86 object")
    with pytest.raises(CompileError, match="__truncsfbf2"):
        Engine([data])


def test_a_symbol_may_be_defined_once() -> None:
    with pytest.raises(CompileError, match="expected unique symbols, found answer, main twice"):
        Engine([CALLER, CALLER, KERNEL], OUTSIDE)


def test_the_math_and_c_libraries_are_found() -> None:
    text = "".join(
        f"declare double @llvm.{name}.f64(double)\n"
        f"define double @f_{name}(double %x) {{\n"
        f"  %r = call double @llvm.{name}.f64(double %x)\n  ret double %r\n}}\n"
        for name in ("exp", "sin", "cos", "log", "floor", "tan", "atan")
    )
    text += (
        "declare ptr @malloc(i64)\ndeclare void @free(ptr)\n"
        "define i64 @memory() {\n  %p = call ptr @malloc(i64 80)\n"
        "  call void @llvm.memset.p0.i64(ptr %p, i8 1, i64 80, i1 false)\n"
        "  %r = load i64, ptr %p\n  call void @free(ptr %p)\n  ret i64 %r\n}\n"
        "define { double, double } @both(double %x) {\n"
        "  %s = call double @llvm.sin.f64(double %x)\n  %c = call double @llvm.cos.f64(double %x)\n"
        "  %a = insertvalue { double, double } undef, double %s, 0\n"
        "  %b = insertvalue { double, double } %a, double %c, 1\n  ret { double, double } %b\n}\n"
    )
    with Engine([built(text)]) as engine:
        for name in ("exp", "sin", "cos", "log", "floor", "tan"):
            call = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_double)(engine.address(f"f_{name}"))
            assert abs(call(1.25) - getattr(np, name)(1.25)) <= 1e-15 * 4
        memory = ctypes.CFUNCTYPE(ctypes.c_int64)(engine.address("memory"))
        assert memory() == 0x0101010101010101
    assert system_address("no_such_function_anywhere") == 0


def test_unknown_names_and_closed_engines() -> None:
    engine = Engine([CALLER, KERNEL], OUTSIDE)
    with pytest.raises(CompileError, match="expected a symbol of the objects, found 'nothing'"):
        engine.address("nothing")
    engine.close()
    engine.close()
    with pytest.raises(CompileError, match="found a closed one"):
        engine.address("main")


@pytest.mark.parametrize("length", [0, 3, 20, 63, 100, len(KERNEL) // 2, len(KERNEL) - 70])
def test_truncated_objects_are_refused(length: int) -> None:
    with pytest.raises(CompileError, match="engine: expected"):
        Engine([KERNEL[:length]], OUTSIDE)


def test_objects_of_other_machines_are_refused() -> None:
    other = "neoverse-n1" if HERE.triple.startswith("x86_64") else "x86-64"
    data = compile_object("define void @f() {\n  ret void\n}", target_for(other))
    with pytest.raises(CompileError, match="expected an object for this machine"):
        Engine([data])
    library = Path(sys.executable).resolve()
    with pytest.raises(CompileError):
        object_symbols(library.read_bytes())


def test_closing_frees_the_code() -> None:
    def pages() -> int:
        return int(Path("/proc/self/statm").read_text().split()[1])

    for _ in range(50):
        Engine([CALLER, KERNEL], OUTSIDE).close()
    before = pages()
    for _ in range(500):
        Engine([CALLER, KERNEL], OUTSIDE).close()
    assert pages() - before < 500, "an engine kept open holds 5 pages or more"


def test_engines_in_threads() -> None:
    code = (
        "import threading, ctypes\n"
        "from lamina.backend.codegen import compile_object\n"
        "from lamina.backend.engine import Engine\n"
        "from lamina.backend.host import target_for\n"
        "text = 'define i32 @f(i32 %x) {\\n  ret i32 %x\\n}'\n"
        "def work():\n"
        "    for i in range(30):\n"
        "        with Engine([compile_object(text, target_for('host'))]) as engine:\n"
        "            kind = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int)\n"
        "            assert kind(engine.address('f'))(i) == i\n"
        "threads = [threading.Thread(target=work) for _ in range(4)]\n"
        "[t.start() for t in threads]; [t.join() for t in threads]; print('done')\n"
    )
    sources = Path(__file__).parents[2] / "src"
    run = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": str(sources)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (run.returncode, run.stdout) == (0, "done\n"), run.stderr
