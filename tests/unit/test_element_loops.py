"""Ops that become loops over elements: shared functions, threads, memory, interruption."""

from __future__ import annotations

import signal
import time

import numpy as np
import pytest
from op_row import values
from op_rows_loops import DIRECTIONS, KINDS
from op_table import rng_for

from lamina.compiler import Lowering
from lamina.executable import compile_module
from lamina.interpreters import call
from lamina.interpreters.types import F32, F64, INT64, Array, DType
from lamina.ir_text import parse_module, print_module
from lamina.options import CompileOptions
from lamina.registry import make_context

ELEMENT = {F32: "f32", F64: "f64", INT64: "i64"}


def scan_text(shape: tuple[int, ...], dtype: DType, kind: str, axis: int, direction: str) -> str:
    """A program of one scan."""
    type = f"tensor<{'x'.join(map(str, (*shape, ELEMENT[dtype])))}>"
    return (
        f"func.func @main(%x: {type}) -> {type} {{\n"
        f'  %0 = nd.scan "{kind}" %x axis {axis} direction "{direction}" : {type}\n'
        f"  func.return %0 : {type}\n}}\n"
    )


def run(text: str, x: Array, threads: int = 1, fusion: int = 2) -> Array:
    """The result of a program."""
    module = parse_module(make_context(), text, "scan.mlir")
    options = CompileOptions(cache=False, threads=threads, fusion=fusion)
    return compile_module(module, "main", options)([x])[0]


@pytest.mark.parametrize("shape", [(70, 9, 600), (600, 70), (9, 70), (3, 100000)], ids=str)
def test_threads_do_not_change_a_bit(shape: tuple[int, ...]) -> None:
    """Whole groups of rows and what is left of them, whole blocks of columns and what is left."""
    for axis in range(len(shape)):
        kind, direction = KINDS[axis % 4], DIRECTIONS[axis % 2]
        for dtype in (F32, INT64) if axis else (F64,):
            x = values(rng_for(shape, axis), dtype, shape, -2, 2)
            text = scan_text(shape, dtype, kind, axis, direction)
            one, two = run(text, x), run(text, x, threads=2)
            assert one.tobytes() == two.tobytes()
            expected = call("scan", x, kind=kind, axis=axis, direction=direction)
            np.testing.assert_allclose(one, expected, rtol=1e-2, atol=1e-2)


def test_enough_work_is_parallel() -> None:
    def loops(shape: tuple[int, ...], axis: int) -> str:
        module = parse_module(make_context(), scan_text(shape, F32, "sum", axis, "forward"), "s")
        lowering = Lowering(module, "nd")
        lowering.to("loop")
        return print_module(module)

    assert "scf.parallel" in loops((1024, 1024), 0)
    assert "scf.parallel" in loops((1024, 1024), 1)
    assert "scf.parallel" not in loops((16, 16), 1)
    assert "scf.parallel" not in loops((1 << 20,), 0)


def test_a_program_knows_its_loops_as_kernels() -> None:
    text = scan_text((8, 8), F32, "sum", 1, "forward")
    module = parse_module(make_context(), text, "scan.mlir")
    from lamina.executable import kernels_of

    lowering = Lowering(module, "nd")
    lowering.to("buffer")
    (kernel,) = kernels_of(lowering)
    assert (kernel.name, kernel.symbol) == ("scan", "scan_0")
    assert kernel.ops == ("memref.load", "memref.store", "arith.addf")


def test_equal_functions_are_made_once() -> None:
    text = """
    func.func @main(%x: tensor<4x6xf32>) -> (tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>) {
      %0 = nd.scan "sum" %x axis 1 direction "forward" : tensor<4x6xf32>
      %1 = nd.scan "sum" %0 axis 1 direction "forward" : tensor<4x6xf32>
      %2 = nd.scan "sum" %1 axis 0 direction "forward" : tensor<4x6xf32>
      func.return %0, %1, %2 : tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>
    }
    """
    module = parse_module(make_context(), text, "scan.mlir")
    lowering = Lowering(module, "nd")
    lowering.to("linalg")
    found = print_module(module)
    assert found.count("call @scan_0") == 2
    assert found.count("call @scan_1") == 1
    assert found.count("func.func private") == 2


def test_levels_say_what_they_are() -> None:
    """A buffer module of nothing but loops over elements is of level buffer: its marks say so."""
    from lamina.compiler import level_of

    module = parse_module(make_context(), scan_text((64, 64), F32, "sum", 1, "forward"), "s")
    lowering = Lowering(module, "nd")
    for level in ("linalg", "buffer", "loop"):
        lowering.to(level)
        assert level_of(module) == level


def test_a_long_sort_can_be_interrupted() -> None:
    """A signal's handler that raises ends the call long before its end."""
    x = np.random.default_rng(0).integers(-(1 << 63), 1 << 63, 1 << 22)
    type = f"tensor<{x.size}xi64>"
    text = f"""func.func @main(%x: {type}) -> {type} {{
      %0 = nd.sort %x axis 0 order "ascending" : {type}
      func.return %0 : {type}
    }}"""
    module = parse_module(make_context(), text, "s")
    program = compile_module(module, "main", CompileOptions(cache=False, threads=1))

    def handler(*_: object) -> None:
        raise InterruptedError("by the test")

    def seconds() -> float:
        start = time.process_time()
        program([x])
        return time.process_time() - start

    whole = min(seconds() for _ in range(3))
    before = signal.signal(signal.SIGALRM, handler)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.002)
        start = time.process_time()
        with pytest.raises(InterruptedError, match="by the test"):
            program([x])
        assert time.process_time() - start < whole / 2
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
