"""Upstream MLIR's tools as functions: what they say about a text, and what it computes."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Sequence
from typing import Any, cast

import numpy as np
from xdsl.dialects import func
from xdsl.dialects.builtin import AnyFloat, IntegerType, ModuleOp, TensorType
from xdsl.ir import Attribute

from lamina.interpreters.types import dtype_of
from lamina.ir_text import print_module
from lamina.testing.lit import mlir_tool

NDArray = np.ndarray[Any, Any]
Tensor = TensorType[Attribute]

MLIR_OPT = mlir_tool("mlir-opt")
MLIR_RUNNER = mlir_tool("mlir-runner")


def _run(tool: str, args: list[str], text: str) -> subprocess.CompletedProcess[str]:
    found = {"mlir-opt": MLIR_OPT, "mlir-runner": MLIR_RUNNER}[tool]
    assert found is not None, f"{tool} is not installed"
    path, libraries = found
    return subprocess.run(
        [str(path), *args],
        input=text,
        capture_output=True,
        text=True,
        env={**os.environ, "LD_LIBRARY_PATH": str(libraries)},
        check=False,
    )


def complaints(text: str) -> str:
    """What `mlir-opt` has to say against `text`; "" when it accepts everything."""
    done = _run("mlir-opt", ["--split-input-file", "-o", os.devnull], text)
    return done.stderr or ("" if done.returncode == 0 else f"exit status {done.returncode}")


LOWERING = ",".join(
    (
        "func.func(convert-elementwise-to-linalg)",
        "one-shot-bufferize{bufferize-function-boundaries=1 "
        "function-boundary-type-conversion=identity-layout-map}",
        "func.func(convert-linalg-to-loops,lower-affine)",
        "expand-strided-metadata,lower-affine,convert-scf-to-cf",
        "convert-math-to-libm,convert-math-to-llvm",
        "arith-expand{include-bf16=1},convert-arith-to-llvm",
        "finalize-memref-to-llvm,convert-func-to-llvm,convert-cf-to-llvm",
        "reconcile-unrealized-casts",
    )
)
"""Upstream's own way from `linalg` on tensors to its `llvm` dialect."""


def _dense(array: NDArray, type: Tensor) -> str:
    data = np.ascontiguousarray(array).tobytes().hex()
    return f'dense<"0x{data}"> : {type}' if data else f"dense<> : {type}"


def _printed(name: str, type: Tensor) -> list[str]:
    """Lines that print the bits of a result as 64-bit integers."""
    element, shape = type.element_type, "x".join(map(str, (*type.get_shape(), "")))
    assert isinstance(element, AnyFloat | IntegerType)
    bits = f"tensor<{shape}i{element.bitwidth}>"
    wide = f"{shape}i64"
    lines: list[str] = []
    if isinstance(element, AnyFloat):
        lines.append(f"{name}b = arith.bitcast {name} : {type} to {bits}")
        name += "b"
    if element.bitwidth < 64:
        lines.append(f"{name}w = arith.extui {name} : {bits} to tensor<{wide}>")
        name += "w"
    return [
        *lines,
        f"{name}m = bufferization.to_buffer {name} : tensor<{wide}> to memref<{wide}>",
        f"{name}u = memref.cast {name}m : memref<{wide}> to memref<*xi64>",
        f"func.call @printMemrefI64({name}u) : (memref<*xi64>) -> ()",
    ]


def run_linalg(module: ModuleOp, arrays: Sequence[NDArray]) -> list[NDArray]:
    """What upstream computes for `@main` of a module of level `linalg`, in its element types."""
    main = next(f for f in module.ops if isinstance(f, func.FuncOp) and f.sym_name.data == "main")
    inputs = cast("Sequence[Tensor]", main.function_type.inputs.data)
    outputs = cast("Sequence[Tensor]", main.function_type.outputs.data)
    names = [f"%a{i}" for i in range(len(inputs))]
    lines = [
        f"{name} = arith.constant {_dense(array, type)}"
        for name, array, type in zip(names, arrays, inputs, strict=True)
    ]
    count = f":{len(outputs)}" if len(outputs) > 1 else ""
    lines.append(
        f"%r{count} = func.call @main({', '.join(names)}) : ({', '.join(map(str, inputs))}) "
        f"-> ({', '.join(map(str, outputs))})"
    )
    for i, type in enumerate(outputs):
        if count:
            lines.append(f"%r{i} = tensor.cast %r#{i} : {type} to {type}")
        lines += _printed(f"%r{i}" if count else "%r", type)
    entry = "\n".join(("func.func @entry() {", *lines, "func.return", "}"))
    declared = "func.func private @printMemrefI64(memref<*xi64>)"
    body = print_module(module).strip().removeprefix("builtin.module {").removesuffix("}")
    return _numbers(_run_text(f"{declared}\n{entry}\n{body}"), outputs)


def _run_text(text: str) -> str:
    """What `@entry` prints after upstream's lowering."""
    lowered = _run("mlir-opt", [f"--pass-pipeline=builtin.module({LOWERING})"], text)
    assert lowered.returncode == 0, lowered.stderr
    assert MLIR_RUNNER is not None
    libraries = MLIR_RUNNER[0].parents[1] / "lib"
    shared = [str(libraries / f"libmlir_{name}.so") for name in ("runner_utils", "c_runner_utils")]
    flags = ["-e", "entry", "--entry-point-result=void", f"-shared-libs={','.join(shared)}"]
    done = _run("mlir-runner", flags, lowered.stdout)
    assert done.returncode == 0, done.stderr
    return done.stdout


def _numbers(text: str, types: Sequence[Tensor]) -> list[NDArray]:
    """The printed integers of each result, as bits of its element type."""
    parts = text.split("Unranked Memref")[1:]
    found: list[NDArray] = []
    for part, type in zip(parts, types, strict=True):
        element = type.element_type
        assert isinstance(element, AnyFloat | IntegerType)
        values = [int(v) for v in re.findall(r"-?\d+", part.partition("data =")[2])]
        unsigned = np.dtype(f"u{element.bitwidth // 8}")
        words = np.array(values, np.int64).astype(unsigned)
        found.append(words.view(dtype_of(cast(Attribute, element))).reshape(type.get_shape()))
    return found
