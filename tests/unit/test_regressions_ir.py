"""Bugs that users of other compilers met (numbers as in the project's list): IR text, messages, the
cache, compile time. Those of what programs compute are in test_regressions.py."""
# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false

from __future__ import annotations

import ast
import builtins
import re
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from level_programs import program
from xdsl.dialects.builtin import ModuleOp

import lamina as lm
from lamina import compiler, executable
from lamina.backend import cache as disk_cache
from lamina.backend.host import target_for
from lamina.compiler import Lowering
from lamina.dialects.locations import place_of
from lamina.errors import LoweringError
from lamina.executable import compile_module
from lamina.ir_text import parse_module, print_module
from lamina.lowering import convert_to_llvm, nd_to_linalg
from lamina.pipeline import LEVELS
from lamina.registry import PASSES, make_context
from lamina.tools.diagnostics import diagnose
from lamina.tools.passes import parse_passes

Array = np.ndarray[Any, Any]
ROOT = Path(__file__).parents[2]
F32 = np.float32


def parse(text: str) -> ModuleOp:
    return parse_module(make_context(), text, "t.mlir")


def apply(passes: str, module: ModuleOp) -> ModuleOp:
    """The module after passes, as `lamina-opt -p` runs them."""
    for step in parse_passes(passes):
        step.module_pass.apply(make_context(), module)
    return module


def run(module: ModuleOp, *arrays: Array) -> Array:
    """The only result of `main`."""
    (found,) = compile_module(module, "main")(arrays)
    return found


def generic(body: str, element: str, n: int, before: str = "", out: str = "%e") -> str:
    """A program of one elementwise op on `%x`: its body from `%i` (and `%o`, what was there)."""
    tensor, row = f"tensor<{n}x{element}>", "affine_map<(d0) -> (d0)>"
    return f"""
func.func @main(%x: {tensor}) -> {tensor} {{
  %e = tensor.empty() : {tensor}
  {before}
  %r = linalg.generic {{indexing_maps = [{row}, {row}], iterator_types = ["parallel"]}}
      ins(%x : {tensor}) outs({out} : {tensor}) {{
  ^bb0(%i: {element}, %o: {element}):
    {body}
  }} -> {tensor}
  func.return %r : {tensor}
}}
"""


@pytest.mark.parametrize("before", ["", "canonicalize,", "cse,"])
def test_regression_R29(before: str) -> None:
    """No sum of the program overflows; that of its two constants does, in i2 and in i8."""
    two = generic(
        "%n = arith.trunci %i : i8 to i2\n"
        "    %a = arith.constant -2 : i2\n    %b = arith.constant -1 : i2\n"
        "    %s = arith.addi %n, %a overflow<nsw> : i2\n"
        "    %t = arith.addi %s, %b overflow<nsw> : i2\n"
        "    %w = arith.extsi %t : i2 to i8\n    linalg.yield %w : i8",
        "i8", 67,
    )  # fmt: skip
    eight = generic(
        "%a = arith.constant -100 : i8\n    %s = arith.addi %i, %a overflow<nsw> : i8\n"
        "    %t = arith.addi %s, %a overflow<nsw> : i8\n    linalg.yield %t : i8",
        "i8", 67,
    )  # fmt: skip
    for text, given, expected in ((two, 1, -2), (eight, 100, -100)):
        module = apply(f"{before}fuse-kernels", parse(text))
        found = run(module, np.full(67, given, np.int8))
        np.testing.assert_array_equal(found, np.full(67, expected))


@pytest.mark.parametrize("passes", ["outline-kernels", "fuse-kernels"])
@pytest.mark.parametrize("n", [1, 67])
def test_regression_R67(passes: str, n: int) -> None:
    """The body gives what its output held before."""
    fill = (
        "%c = arith.constant 11 : i32\n"
        f"  %f = linalg.fill ins(%c : i32) outs(%e : tensor<{n}xi32>) -> tensor<{n}xi32>"
    )
    for before, out, expected in ((fill, "%f", 11), ("", "%x", 5)):
        module = apply(passes, parse(generic("linalg.yield %o : i32", "i32", n, before, out)))
        given = np.full(n, 5, np.int32)
        np.testing.assert_array_equal(run(module, given), np.full(n, expected))
        np.testing.assert_array_equal(given, np.full(n, 5))


REBUILT = """
func.func @main(%x: tensor<9xf32>) -> tensor<9xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 9 : index
  %zero = nd.constant dense<0.0> : tensor<9xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> (tensor<9xf32>) {
    INSIDE
    %v = nd.dynamic_slice %x [%i] sizes [1] : tensor<9xf32> -> tensor<1xf32>
    %w = nd.dynamic_update_slice %z, %v [%i] : tensor<1xf32> -> tensor<9xf32>
    %s = nd.add %sum, %w : tensor<9xf32>
    scf.yield %s : tensor<9xf32>
  }
  func.return %r : tensor<9xf32>
}
"""


@pytest.mark.parametrize("inside", ["%z = nd.constant dense<0.0> : tensor<9xf32>", ""])
def test_regression_R68(inside: str) -> None:
    """Each iteration begins with zeros, made inside the loop or before it."""
    text = REBUILT.replace("INSIDE", inside)
    x = np.arange(1, 10, dtype=F32)
    np.testing.assert_array_equal(
        run(parse(text if inside else text.replace("%z,", "%zero,")), x), x
    )


@pytest.mark.parametrize(
    "literal",
    [
        *("-0.0 : f16", "-0.0 : bf16", "-0.0 : f32", "-0.0 : f64", "1.0e+39 : f32"),
        *("1.0E+309 : f64", "65520.0 : f16", "3.5e+38 : bf16", "1.0E-400 : f64", "1.0E-320 : f64"),
        *("1.0e-45 : f32", "16777217.0 : f32", "0.1 : f16", "0.1 : bf16", "0.1 : f32", "0.1 : f64"),
        *("0x7C00 : f16", "0xFC00 : f16", "0x7E2A : f16", "0xFFFF : f16", "0x0001 : f16"),
        *("0x7F80 : bf16", "0xFF80 : bf16", "0x7FC7 : bf16", "0xFFC1 : bf16", "0x0001 : bf16"),
        *("0x7F800000 : f32", "0x7FC01234 : f32", "0x80000000 : f32", "0xFFFFFFFF : f32"),
        *("0x7FF0000000000000 : f64", "0xFFF8000012345678 : f64", "0x7FEFFFFFFFFFFFFF : f64"),
    ],
)  # fmt: skip
def test_regression_RU2(literal: str) -> None:
    """Printing what was read gives a text that reads as the same, with the same bits."""
    value, _, type = literal.partition(" : ")
    once = print_module(parse(f"%a = arith.constant {literal}"))
    assert print_module(parse(once)) == once
    (written,) = re.findall(r"constant (\S+) : ", once)
    if value == "-0.0":
        assert float(written) == 0 and np.signbit(float(written))
    elif value.startswith("0x"):
        assert bits(written, type) == bits(value, type)


def bits(literal: str, type: str) -> int | str:
    """The bits of a literal; those of a NaN are not promised."""
    dtype = {"f16": np.float16, "bf16": lm.bfloat16, "f32": np.float32, "f64": np.float64}[type]
    word = np.dtype(f"u{np.dtype(dtype).itemsize}")
    value = np.array(int(literal, 16), word) if "0x" in literal else np.array(float(literal), dtype)
    return "NaN" if np.isnan(value.view(dtype).astype(float)) else int(value.view(word))


@pytest.mark.parametrize("literal", ["0x1FFFFFFFF : f32", "0x10000 : bf16", "0x17C00 : f16"])
def test_regression_RU2_too_wide(literal: str) -> None:
    with pytest.raises(lm.LaminaError, match="out of range") as caught:
        parse(f"\n%a = arith.constant {literal}")
    assert caught.value.place is not None and caught.value.place.startswith("t.mlir:2:")


FUSED = 'loc(fused["a", "b":1:2])'


def test_regression_RU4() -> None:
    text = f"func.func private @f() {FUSED}\n"
    once = print_module(parse(text), locations=True)
    assert FUSED in once
    assert print_module(parse(once), locations=True) == once
    # each stage that can refuse an op names the place
    value = "%y = nd.exp %x : tensor<4xf32>"
    cast = '%y = "builtin.unrealized_conversion_cast"(%x) : (tensor<4xf32>) -> tensor<4xf32>'
    for op, passes in ((value, "bufferize"), (cast, "native"), (value, "expand-float-casts")):
        module = parse(
            "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n"
            f"  {op} {FUSED}\n  func.return %y : tensor<4xf32>\n}}"
        )
        try:
            apply(passes, module)
        except LoweringError as error:
            assert error.place == "b:1:2"
            assert str(diagnose(error, pass_name=None, file="")).startswith("b:1:2: error: ")
        else:
            assert passes == "expand-float-casts"
            assert FUSED in print_module(module, locations=True)


def test_regression_RU4_names() -> None:
    """A place in a file is better than a name; a name is better than nothing."""

    def place(text: str) -> str | None:
        (op,) = parse(f"func.func private @f() loc({text})").ops
        return place_of(op.location)

    assert place('fused["a", "n"("f":3:4)]') == "f:3:4"
    assert place('callsite("a" at "f":3:4)') == "f:3:4"
    assert place('fused[unknown, "layer1/conv"]') == "layer1/conv"


def here(line_of: str) -> str:
    """`file:line` of the line of this file that holds a text and no quotes around it."""
    lines = Path(__file__).read_text().splitlines()
    (number,) = [i for i, line in enumerate(lines, 1) if f"{line_of}  # here" in line]
    return f"{__file__}:{number}"


def test_regression_RU5() -> None:
    """An op that cannot be lowered: its line, its name, and which dim is dynamic."""
    text = (
        "func.func @main(%x: tensor<4x9xf32>, %n: tensor<i64>) -> tensor<4x?xf32> {\n"
        "  %0 = arith.constant 0 : index  %k = nd.to_index %n : tensor<i64>\n"
        "  %y = nd.dynamic_slice %x[%0, %0, %k] sizes [4, -1] "
        ": tensor<4x9xf32> -> tensor<4x?xf32>\n"
        "  func.return %y : tensor<4x?xf32>\n}\n"
    )
    with pytest.raises(LoweringError) as caught:
        Lowering(parse(text), "nd").to("llvm")
    assert "found another on axis 1 of tensor.extract_slice" in caught.value.message
    assert caught.value.place is not None and caught.value.place.startswith("t.mlir:3:")


def user_function(x: Any) -> Any:
    """A program of three lines."""
    y = x * 2
    z = lm.tanh(y)  # here
    return z - 1


@contextmanager
def without(table: dict[Any, Any], key: Any) -> Generator[None]:
    """The table without an entry."""
    kept = table.pop(key)
    try:
        yield
    finally:
        table[key] = kept


@pytest.mark.parametrize(
    ("table", "key", "said"),
    [
        (nd_to_linalg.RULES, "nd.tanh", "nd-to-linalg: expected an op with a rule, found nd.tanh"),
        (convert_to_llvm.HANDLERS, "arith.divf", "convert-to-llvm: arith.divf"),
    ],
)
def test_regression_RU6(table: dict[Any, Any], key: str, said: str) -> None:
    """Whichever pass refuses an op, the user's line is named."""
    found = next(k for k in table if getattr(k, "name", k) == key)
    with without(table, found), pytest.raises(LoweringError) as caught:
        lm.jit(user_function, cache=False)(np.ones(40, F32))
    assert said in str(caught.value)
    assert here("z = lm.tanh(y)") in str(caught.value)


def test_regression_RU6_every_error_of_a_pass_has_a_place() -> None:
    sources = [p for room in ("lowering", "transforms") for p in (ROOT / room).rglob("*.py")]
    raised = 0
    for path in sources:
        calls = (n for n in ast.walk(ast.parse(path.read_text())) if isinstance(n, ast.Call))
        for call in calls:
            name = call.func.id if isinstance(call.func, ast.Name) else ""
            if name.endswith("Error") and name not in dir(builtins):
                raised += 1
                named = [keyword.arg for keyword in call.keywords]
                assert "place" in named, f"{path.name}:{call.lineno}"
    assert raised >= 10


@pytest.mark.slow
@pytest.mark.parametrize("name", ["argmax", "in_place_loop", "run_time_sizes"])
def test_regression_RU6_passes_on_other_levels(name: str) -> None:
    """A pass that meets a level it is not for refuses it with a place, or leaves it alone."""
    given = program(name)
    module = given.lowered.trace.module.clone() if given.lowered else parse(given.text)
    lowering = Lowering(module, "nd")
    refused = 0
    for level in LEVELS:
        lowering.to(level)
        for pass_name in PASSES:
            try:
                apply(pass_name, lowering.module.clone())
            except LoweringError as error:
                assert diagnose(error, pass_name=pass_name, file="").line is not None, error
                refused += 1
    assert refused > 0


def test_regression_RU11(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One CPU name, other instructions: what one machine cached, the other does not load."""
    monkeypatch.setenv("LAMINA_CACHE_DIR", str(tmp_path))
    machines = [replace(target_for(name), cpu="x86-64") for name in ("x86-64-v3", "x86-64-v2")]
    x = np.arange(40, dtype=F32)
    objects: list[dict[str, bytes]] = []
    for machine in machines:
        for module in (executable, compiler):
            monkeypatch.setattr(module, "target_for", lambda _, machine=machine: machine)
        exe = lm.jit(lambda x, y: x @ y).lower(x, x).compile()
        np.testing.assert_array_equal(exe(x, x), x @ x)
        objects.append(exe.code.objects)
    assert len(list((tmp_path / "program").glob("*/*"))) == len(machines)
    assert objects[0] != objects[1]


def test_regression_RU11_versions(monkeypatch: pytest.MonkeyPatch) -> None:
    options, target = lm.CompileOptions(), target_for("host")
    before = disk_cache.program_key("text", options, target), disk_cache.kernel_key("t", target)
    versions = disk_cache._environment()  # pyright: ignore[reportPrivateUsage]
    assert any(v.startswith("llvmlite-") for v in versions)
    assert any(v.startswith("xdsl-") for v in versions)
    newer = tuple(v.replace("llvmlite-0", "llvmlite-1") for v in versions)
    monkeypatch.setattr(disk_cache, "_environment", lambda: newer)
    after = disk_cache.program_key("text", options, target), disk_cache.kernel_key("t", target)
    assert set(before) & set(after) == set()


@pytest.mark.slow
def test_regression_RU12() -> None:
    """Work of a compilation is in proportion to the length of a chain. Python calls are counted,
    which no other load of the machine disturbs; LLVM's part is in the (roughly bounded) time."""

    def chain(n: int) -> lm.Lowered:
        def function(x: Any) -> Any:
            for _ in range(n // 2):
                x = lm.maximum(x * 0.5, 1.0)
            return x

        return lm.jit(function, cache=False).lower(np.ones(64, F32))

    def calls(n: int) -> int:
        count = 0

        def note(*_: Any) -> None:
            nonlocal count
            count += 1

        lowered, before = chain(n), sys.getprofile()
        sys.setprofile(note)
        try:
            lowered.lowering("llvm")
        finally:
            sys.setprofile(before)
        return count

    def seconds(n: int) -> float:
        lowered, start = chain(n), time.process_time()
        lowered.compile()
        return time.process_time() - start

    seconds(10)
    few, some, many = (calls(n) for n in (10, 50, 250))
    assert many - few <= 6.3 * (some - few)  # 6 times the ops
    assert seconds(500) <= 30 * seconds(50)
