"""Programs that were drawn once and went wrong, made small: each holds a fault that was mended."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from op_row import values
from op_table import rng_for
from program_runs import compiled, context, difference, from_text
from xdsl.dialects import func

from lamina.compiler import interface_of
from lamina.errors import LoweringError
from lamina.interpreters.evaluate import evaluate
from lamina.ir_text import parse_module
from lamina.options import CompileOptions
from lamina.pipeline import LEVELS

FOUND = {
    "product without a sum": """
func.func @main(%0: tensor<i8>) -> tensor<i8> {
  %1 = nd.dot_general %0, %0 batch [] [] contract [] [] : tensor<i8>, tensor<i8> -> tensor<i8>
  func.return %1 : tensor<i8>
}""",
    "true constants that are stored": """
func.func @main(%0: tensor<?x3xi1>) -> tensor<?x3xi1> {
  %1 = nd.constant dense<[[true, false, true]]> : tensor<1x3xi1>
  %2 = arith.constant 1 : index
  %3 = nd.dynamic_update_slice %0, %1[%2, %2] : tensor<1x3xi1> -> tensor<?x3xi1>
  func.return %3 : tensor<?x3xi1>
}""",
    "a fold of a constant": """
func.func @main() -> tensor<ui64> {
  %0 = nd.constant dense<7> : tensor<8xui64>
  %1 = nd.reduce "min" %0 axes [0] : tensor<8xui64> -> tensor<ui64>
  func.return %1 : tensor<ui64>
}""",
    "a fold of what is stretched": """
func.func @main(%0: tensor<2xf32>) -> tensor<2xi64> {
  %1 = nd.broadcast %0 dims [1] : tensor<2xf32> -> tensor<5x2xf32>
  %2 = nd.multiply %1, %1 : tensor<5x2xf32>
  %3 = nd.argmin %2 axis 0 : tensor<5x2xf32> -> tensor<2xi64>
  func.return %3 : tensor<2xi64>
}""",
    "windows in a frame, folded (LLVM's NewGVN)": """
func.func @main(%0: tensor<24x5xf64>, %1: tensor<24x5xi64>) -> (tensor<24xf64>, tensor<i64>) {
  %2 = nd.reduce_window "max" %0 window [2, 3] strides [1, 1] padding [1, 0, 1, 1]
    dilation [1, 1] : tensor<24x5xf64> -> tensor<24x5xf64>
  %3 = nd.reduce "min" %2 axes [1] : tensor<24x5xf64> -> tensor<24xf64>
  %4 = nd.reduce_window "max" %1 window [2, 3] strides [1, 1] padding [1, 0, 1, 1]
    dilation [1, 1] : tensor<24x5xi64> -> tensor<24x5xi64>
  %5 = nd.reduce "sum" %4 axes [0, 1] : tensor<24x5xi64> -> tensor<i64>
  func.return %3, %5 : tensor<24xf64>, tensor<i64>
}""",
    "equal kernels": """
func.func @main(%0: tensor<0x3xi1>, %1: tensor<0xi8>) -> (tensor<0x3xi1>, tensor<0xi1>) {
  %2 = nd.bitwise_xor %0, %0 : tensor<0x3xi1>
  %3 = nd.equal %1, %1 : tensor<0xi8> -> tensor<0xi1>
  func.return %2, %3 : tensor<0x3xi1>, tensor<0xi1>
}""",
    "signs of two half roundings": """
func.func @main(%0: tensor<?x37xf16>, %1: tensor<?x37xf16>) -> tensor<?x37xf16> {
  %2 = nd.atan2 %0, %1 : tensor<?x37xf16>
  %3 = nd.erf %2 : tensor<?x37xf16>
  func.return %3 : tensor<?x37xf16>
}""",
    "a bf16 constant that a loop carries": """
func.func @main(%0: tensor<bf16>) -> tensor<bf16> {
  %1 = arith.constant 0 : index
  %2 = arith.constant 1 : index
  %3 = arith.constant 4 : index
  %4 = nd.constant dense<2.5> : tensor<bf16>
  %5 = nd.constant dense<4.5> : tensor<bf16>
  %6 = scf.for %i = %1 to %3 step %2 iter_args(%a = %0) -> (tensor<bf16>) {
    %7 = arith.cmpi eq, %i, %2 : index
    %8 = scf.if %7 -> (tensor<bf16>) {
      scf.yield %4 : tensor<bf16>
    } else {
      scf.yield %5 : tensor<bf16>
    }
    scf.yield %8 : tensor<bf16>
  }
  func.return %6 : tensor<bf16>
}""",
    "sizes that one branch asks for": """
func.func @main(%0: tensor<?x4xf32>, %1: tensor<?x4xf32>, %2: tensor<i64>) -> tensor<?x4xf32> {
  %3 = nd.to_index %2 : tensor<i64>
  %4 = arith.constant 1 : index
  %5 = arith.cmpi slt, %3, %4 : index
  %6 = scf.if %5 -> (tensor<?x4xf32>) {
    %7 = nd.add %0, %1 : tensor<?x4xf32>
    scf.yield %7 : tensor<?x4xf32>
  } else {
    scf.yield %1 : tensor<?x4xf32>
  }
  %8 = nd.multiply %6, %0 : tensor<?x4xf32>
  func.return %8 : tensor<?x4xf32>
}""",
}


@pytest.mark.parametrize("name", FOUND)
def test_found_program(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LAMINA_FORBID_INTERPRETER", "1")
    module = parse_module(context(), FOUND[name])
    main = module.body.block.first_op
    assert isinstance(main, func.FuncOp)
    rng = rng_for(name)
    inputs: list[Any] = [
        values(rng, port.dtype, tuple(5 if n < 0 else n for n in port.shape))
        for port in interface_of(main).arguments
    ]
    want = evaluate(module, "main", inputs)
    inexact = "erf" in FOUND[name]
    texts: dict[str, str] = {}
    runs = [compiled(module.clone(), CompileOptions(fusion=fusion), texts) for fusion in (0, 2)]
    for run in [*runs, *(from_text(texts[level]) for level in LEVELS)]:
        for a, b in zip(want, run(inputs), strict=True):
            bound = np.full(a.shape, 2e-3) if inexact else None
            assert not difference(a, b, bound)


def test_carried_tensor_that_grows_is_refused() -> None:
    module = parse_module(context(), """
func.func @main(%0: tensor<?xf32>) -> tensor<?xf32> {
  %1 = arith.constant 0 : index
  %2 = arith.constant 1 : index
  %3 = arith.constant 3 : index
  %4 = scf.for %i = %1 to %3 step %2 iter_args(%a = %0) -> (tensor<?xf32>) {
    %5 = nd.concat %a, %a axis 0 : tensor<?xf32>, tensor<?xf32> -> tensor<?xf32>
    scf.yield %5 : tensor<?xf32>
  }
  func.return %4 : tensor<?xf32>
}""")  # fmt: skip
    with pytest.raises(LoweringError, match=r"expected scf\.for to carry tensors of one size"):
        compiled(module, CompileOptions(fusion=2))
