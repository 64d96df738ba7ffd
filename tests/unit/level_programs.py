"""Whole programs with their arguments: what the tests of levels, locations and upstream run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

import lamina as lm
from lamina.executable import Lowered, execute_module
from lamina.ir_text import parse_module
from lamina.registry import make_context

NDArray = np.ndarray[Any, Any]
Function = (
    Callable[[Any], Any]
    | Callable[[Any, Any], Any]
    | Callable[[Any, Any, Any], Any]
    | Callable[[Any, Any, Any, Any, Any], Any]
)
"""What is traced. By arity, so that the type checker knows the parameters of a lambda."""


@dataclass(frozen=True)
class Program:
    """Text of level `nd` with its arguments. `lowered` where it was traced from `function`."""

    name: str
    text: str
    arrays: list[NDArray]
    lowered: Lowered | None = None
    function: Callable[..., Any] | None = None  # jitted

    def call(self) -> list[NDArray]:
        """The results of a call: of the traced function itself, else of the text."""
        if self.function is None:
            module = parse_module(make_context(), self.text, f"{self.name}.mlir")
            return execute_module(module, "main", self.arrays)
        found: Any = self.function(*self.arrays)
        several = isinstance(found, tuple)
        results = cast("tuple[Any, ...]", found) if several else (found,)
        return [np.asarray(result) for result in results]


def traced(name: str, function: Function, *arrays: NDArray) -> Program:
    """A program from a Python function."""
    jitted = lm.jit(function)
    lowered = jitted.lower(*arrays)
    return Program(name, lowered.ir("nd"), list(arrays), lowered, jitted)


def floats(shape: Sequence[int], seed: int = 0, dtype: Any = np.float32) -> NDArray:
    """Standard normal numbers."""
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


def mlp(x: Any, w1: Any, b1: Any, w2: Any, b2: Any) -> Any:
    """Two layers."""
    return lm.relu(x @ w1 + b1) @ w2 + b2


def conv_relu(x: Any, w: Any, b: Any) -> Any:
    """A convolution with padding, a bias and an activation."""
    return lm.relu(lm.conv(x, w, padding=1) + b[None, :, None, None])


def on_complex(x: Any, y: Any) -> Any:
    """Arithmetic, a product of matrices and a sum of complex numbers."""
    return lm.sum(lm.exp(x * (0.5 + 1j)) @ y / (y[0] + 2), axis=0), lm.abs(lm.conj(x))


def element_loops(x: Any) -> Any:
    """Ops without a linalg form, whose neighbours are kernels of their own."""
    order = lm.argsort(x[:, :20], axis=0)
    return lm.exp(lm.cumulative_sum(lm.sort(x * 2), axis=1) / 100), order + 1


def running(x: Any, limit: Any) -> Any:
    """A scan that branches, with a state in a tuple and one that its body writes from outside."""
    largest = lm.zeros(3, dtype=lm.float32)

    def step(carry: Any, row: Any) -> Any:
        total, count = carry
        largest[...] = lm.maximum(largest, row)
        total = lm.cond(lm.sum(row) > limit, lambda: total + row, lambda: total * 0.5)
        return (total, count + 1), lm.max(total)

    (total, count), ys = lm.scan(step, (lm.zeros(3, dtype=lm.float32), 0), x)
    return total, count, ys, largest


def settled(x: Any, count: Any) -> Any:
    """A loop of a traced number of trips around one that ends by what it computes."""

    def trip(i: Any, c: Any) -> Any:
        return lm.while_loop(lambda c: lm.max(c) > 0.5, lambda c: c * 0.5, c) + lm.abs(x)

    return lm.fori_loop(0, count, trip, x)


IN_PLACE = """
func.func @main(%x: tensor<16xf32>, %y: tensor<1xf32>) -> tensor<16xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %r = scf.for %i = %c0 to %c16 step %c1 iter_args(%c = %x) -> (tensor<16xf32>) {
    %v = nd.dynamic_slice %c [%i] sizes [1] : tensor<16xf32> -> tensor<1xf32>
    %s = nd.multiply %v, %y : tensor<1xf32>
    %d = nd.dynamic_update_slice %c, %s [%i] : tensor<1xf32> -> tensor<16xf32>
    scf.yield %d : tensor<16xf32>
  }
  func.return %r : tensor<16xf32>
}
"""

RUN_TIME_SIZES = """
func.func @main(%x: tensor<?x8xf32>, %y: tensor<8xf32>) -> (tensor<?x8xf32>, tensor<?xf32>) {
  %n = nd.dim %x axis 0 : tensor<?x8xf32>
  %b = nd.broadcast %y [%n] dims [1] : tensor<8xf32> -> tensor<?x8xf32>
  %s = nd.add %x, %b : tensor<?x8xf32>
  %t = nd.tanh %s : tensor<?x8xf32>
  %r = nd.reduce "sum" %t axes [1] : tensor<?x8xf32> -> tensor<?xf32>
  func.return %t, %r : tensor<?x8xf32>, tensor<?xf32>
}
"""

NAMES = (
    "mlp", "softmax", "layer_norm", "conv_relu", "argmax", "in_place_loop", "run_time_sizes",
    "complex",
    "element_loops", "running", "settled",
)  # fmt: skip


def program(name: str) -> Program:
    """The program of that name."""
    makers: dict[str, Callable[[], Program]] = {
        "mlp": lambda: traced(
            name, mlp, floats((5, 24)), floats((24, 33), 1), floats((33,), 2),
            floats((33, 10), 3), floats((10,), 4),
        ),
        "softmax": lambda: traced(name, lambda x: lm.softmax(x), floats((7, 40))),
        "layer_norm": lambda: traced(
            name, lambda x, g, b: lm.layer_norm(x) * g + b,
            floats((6, 48)), floats((48,), 1), floats((48,), 2),
        ),
        "conv_relu": lambda: traced(
            name, conv_relu, floats((2, 3, 9, 9)), floats((4, 3, 3, 3), 1), floats((4,), 2)
        ),
        "argmax": lambda: traced(name, lambda x: lm.argmax(x, axis=1), floats((6, 40))),
        "element_loops": lambda: traced(name, element_loops, floats((6, 300))),
        "in_place_loop": lambda: Program(name, IN_PLACE, [floats((16,)), floats((1,), 1)]),
        "run_time_sizes": lambda: Program(
            name, RUN_TIME_SIZES, [floats((5, 8)), floats((8,), 1)]
        ),
        "complex": lambda: traced(
            name, on_complex, floats((5, 24)) + 1j * floats((5, 24), 1),
            floats((24, 7), 2, np.complex64),
        ),
        "running": lambda: traced(name, running, floats((8, 3)), floats((), 1)),
        "settled": lambda: traced(name, settled, floats((9,)), np.array(5)),
    }  # fmt: skip
    return makers[name]()
