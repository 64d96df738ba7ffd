"""LLVM text: what it means by the reference of mlir-translate, and how modules are split."""

from __future__ import annotations

import math
import os
import re
import struct
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from ml_dtypes import bfloat16
from xdsl.dialects.builtin import ModuleOp, bf16, f16, f32, f64

from lamina.backend.codegen import compile_object, to_assembly
from lamina.backend.emit_llvm import emit_functions, emit_module
from lamina.backend.emit_llvm_values import float_text, symbol_text
from lamina.errors import LoweringError
from lamina.ir_text import parse_module
from lamina.registry import make_context
from lamina.target import Target
from lamina.testing.lit import mlir_tool

LIT = Path(__file__).parents[1] / "lit" / "backend" / "emit_llvm.mlir"
SOURCES = Path(__file__).parents[2] / "src"
CHUNKS = re.split(r"(?m)^// -----.*$", LIT.read_text())


def read(text: str) -> ModuleOp:
    module = parse_module(make_context(), text)
    module.verify()
    return module


def assembly(text: str) -> list[str]:
    """The instructions, without directives that carry names or unwinding.

    The light pipeline makes the order of blocks and bridges between them alike.
    """
    lines = [line.strip() for line in to_assembly(text, Target(), "light").splitlines()]
    return [line for line in lines if not line.startswith((".cfi", ".file", ".type", ".size"))]


@pytest.mark.parametrize("chunk", CHUNKS, ids=[str(n) for n in range(len(CHUNKS))])
def test_same_machine_code_as_mlir_translate(chunk: str) -> None:
    found = mlir_tool("mlir-translate")
    if found is None:
        pytest.skip("mlir-translate is not installed")
    tool, libraries = found
    run = subprocess.run(
        [tool, "--mlir-to-llvmir"],
        input=chunk,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "LD_LIBRARY_PATH": str(libraries)},
    )
    assert run.returncode == 0, run.stderr
    assert assembly(emit_module(read(chunk))) == assembly(run.stdout)


@pytest.mark.parametrize("value", [0.0, -0.0, 1.0, 0.1, -1e-40, 65504.0, 1e39, math.inf, -math.inf])
def test_float_constants_are_the_rounded_bits(value: float) -> None:
    with np.errstate(over="ignore", under="ignore"):
        as_f32 = struct.unpack("<Q", struct.pack("<d", float(np.float32(value))))[0]
        as_f16 = np.float16(value).view(np.uint16)
        as_bf16 = np.float32(value).astype(bfloat16).view(np.uint16)
    as_f64 = struct.unpack("<Q", struct.pack("<d", value))[0]
    assert float_text(value, f64) == f"0x{as_f64:016X}"
    assert float_text(value, f32) == f"0x{as_f32:016X}"
    assert float_text(value, f16) == f"0xH{as_f16:04X}"
    assert float_text(value, bf16) == f"0xR{as_bf16:04X}"


@pytest.mark.parametrize("bits", [0x7FF8 << 48, (1 << 64) - 1, (0x7FF << 52) + 1])
def test_nan_constants_stay_nan(bits: int) -> None:
    nan = struct.unpack("<d", struct.pack("<Q", bits))[0]
    for kind, digits in ((f16, "0xH"), (bf16, "0xR"), (f32, "0x"), (f64, "0x")):
        text = float_text(nan, kind).removeprefix(digits)
        found = int(text, 16)
        fraction = {4: 10 if kind == f16 else 7, 16: 52}[len(text)]
        exponent = (1 << (4 * len(text) - 1 - fraction)) - 1
        assert found >> fraction & exponent == exponent
        assert found & ((1 << fraction) - 1)


PROGRAM = """
llvm.mlir.global internal constant @table(dense<[1.0, 2.0]> : tensor<2xf32>) : !llvm.array<2 x f32>
llvm.mlir.global external constant @lamina_scratch_bytes(64 : i64) : i64
llvm.func @lamina_parallel(!llvm.ptr, !llvm.ptr, !llvm.ptr, i64) -> i32
llvm.func internal @{body}(%data: !llvm.ptr, %task: i64, %thread: i64) -> i32 {{
  %table = llvm.mlir.addressof @table : !llvm.ptr
  %status = llvm.load %table : !llvm.ptr -> i32
  llvm.return %status : i32
}}
llvm.func internal @{kernel}(%ctx: !llvm.ptr) -> i32 {{
  %body = llvm.mlir.addressof @{body} : !llvm.ptr
  %tasks = llvm.mlir.constant({tasks} : i64) : i64
  %0 = llvm.call @lamina_parallel(%ctx, %body, %ctx, %tasks)
       : (!llvm.ptr, !llvm.ptr, !llvm.ptr, i64) -> i32
  llvm.return %0 : i32
}}
llvm.func @main(%ctx: !llvm.ptr) -> i32 {{
  %0 = llvm.call @{kernel}(%ctx) : (!llvm.ptr) -> i32
  llvm.return %0 : i32
}}
"""


def program(kernel: str = "k0", body: str = "k0_body0", tasks: int = 7) -> dict[str, str]:
    return emit_functions(read(PROGRAM.format(kernel=kernel, body=body, tasks=tasks)))


def test_each_text_compiles_on_its_own() -> None:
    texts = program()
    assert len(texts) == 2
    for text in texts.values():
        compile_object(text, Target())


def test_kernel_text_holds_what_it_needs() -> None:
    texts = program()
    kernel = next(name for name in texts if name != "main")
    assert re.fullmatch("k_[0-9a-f]{32}", kernel)
    text = texts[kernel]
    assert f"define hidden i32 @{kernel}(ptr" in text
    assert text.count("define internal") == 1
    assert "internal constant [2 x float]" in text
    assert "declare i32 @lamina_parallel" in text
    assert "main" not in text and "lamina_scratch_bytes" not in text
    assert f"call i32 @{kernel}(" in texts["main"]
    assert f"declare i32 @{kernel}(ptr) #0" in texts["main"]
    assert "@lamina_scratch_bytes = constant i64 64" in texts["main"]
    assert "table" not in texts["main"]


def test_equal_kernels_of_different_programs_are_one() -> None:
    assert program() == program(kernel="other", body="another_body")
    assert program().keys() != program(tasks=8).keys()


def test_text_depends_on_the_module_only() -> None:
    """Two processes with different hash seeds write the same text."""
    text = PROGRAM.format(kernel="k", body="b", tasks=1)
    code = (
        "from lamina.backend.emit_llvm import emit_functions, emit_module\n"
        "from lamina.ir_text import parse_module\n"
        "from lamina.registry import make_context\n"
        f"module = parse_module(make_context(), {text!r})\n"
        "print(emit_module(module), emit_functions(module))\n"
    )
    texts = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONPATH": str(SOURCES), "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(texts) == 1 and b"define" in texts.pop()


def test_unknown_symbol_is_named() -> None:
    module = parse_module(
        make_context(),
        "llvm.func @f() {\n  llvm.call @nowhere() : () -> ()\n  llvm.return\n}",
    )
    with pytest.raises(LoweringError, match="expected a declaration of @nowhere, found none"):
        emit_module(module)


def test_error_has_the_place_of_the_operation() -> None:
    module = read(
        "llvm.func @f(%a: i32) {\n"
        '  llvm.inline_asm "nop", "" : () -> () loc("user.py":7:3)\n'
        "  llvm.return\n}"
    )
    with pytest.raises(LoweringError, match=r"llvm.inline_asm: .*user.py:7:3"):
        emit_module(module)


@pytest.mark.parametrize("name", ["plain", "with space", 'quo"te', "ünï", "1digit", "a\\b"])
def test_symbols_are_quoted_as_llvm_wants(name: str) -> None:
    text = f"define void {symbol_text(name)}() {{\n  ret void\n}}\n"
    compile_object(text, Target())


def test_emission_is_fast() -> None:
    adds = "\n".join(f"  %x{i + 1} = llvm.fadd %x{i}, %x{i} : f32" for i in range(3000))
    module = read(f"llvm.func @f(%x0: f32) -> f32 {{\n{adds}\n  llvm.return %x3000 : f32\n}}")
    best = min(_seconds(module) for _ in range(5))
    assert best / 3000 < 100e-6, (
        f"{best / 3000 * 1e6:.1f} us an operation, 5 when the machine rests"
    )


def _seconds(module: ModuleOp) -> float:
    start = time.process_time()
    emit_module(module)
    return time.process_time() - start
