"""Which ops form one kernel, and what memory kernels and calls use."""

# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import lamina as lm

RNG = np.random.default_rng(0)


def array(*shape: int) -> np.ndarray[Any, Any]:
    return RNG.standard_normal(shape).astype(np.float32)


def mlp(weights: list[Any], biases: list[Any], x: Any) -> Any:
    for w, b in zip(weights[:-1], biases[:-1], strict=True):
        x = lm.relu(x @ w + b)
    return x @ weights[-1] + biases[-1]


def hand_softmax(x: Any) -> Any:
    e = lm.exp(x - x.max(axis=-1, keepdims=True))
    return e / lm.sum(e, axis=-1, keepdims=True)


def hand_layer_norm(x: Any, gamma: Any, beta: Any) -> Any:
    centred = x - lm.mean(x, axis=-1, keepdims=True)
    variance = lm.mean(centred * centred, axis=-1, keepdims=True)
    return centred / lm.sqrt(variance + 1e-5) * gamma + beta


def chain(x: Any, y: Any) -> Any:
    for _ in range(14):
        x = x * y + 0.5
    z = lm.tanh(x)
    return z, z - y


def conv_relu(x: Any, w: Any, b: Any) -> Any:
    return lm.relu(lm.conv(x, w, padding=1) + b[:, None, None])


LAYERS = ([array(64, 32), array(32, 32), array(32, 10)], [array(32), array(32), array(10)])

COUNTS: dict[str, tuple[Any, tuple[Any, ...], int]] = {
    "softmax": (lambda x: lm.softmax(x, axis=-1), (array(40, 70),), 1),
    "softmax by hand": (hand_softmax, (array(40, 70),), 1),
    "layer norm": (lm.layer_norm, (array(40, 70),), 1),
    "layer norm by hand": (hand_layer_norm, (array(40, 70), array(70), array(70)), 1),
    "relu(x @ w + b)": (
        lambda x, w, b: lm.relu(x @ w + b), (array(20, 30), array(30, 40), array(40)), 1,
    ),
    "MLP of 3 layers": (mlp, (*LAYERS, array(50, 64)), 3),
    "conv + bias + relu": (conv_relu, (array(2, 3, 8, 8), array(4, 3, 3, 3), array(4)), 1),
    "chain of 30 ops with two outputs": (chain, (array(40, 70), array(40, 70)), 1),
    "copy of a slice": (lambda x: x[1:3], (array(5, 6),), 1),
    "constant fill": (lambda x: lm.zeros((3, 4)), (array(2),), 1),
    "0-d": (lambda x: x + 1, (array(),), 1),
}  # fmt: skip


@pytest.mark.parametrize("name", COUNTS)
def test_kernel_count(name: str) -> None:
    function, args, count = COUNTS[name]
    executable = lm.jit(function).lower(*args).compile()
    assert len(executable.kernels()) == count, executable.lowered.graph()


def test_equal_layers_share_a_symbol() -> None:
    def two(w1: Any, w2: Any, x: Any) -> Any:
        return lm.relu(lm.relu(x @ w1) @ w2)

    kernels = lm.jit(two).lower(array(32, 32), array(32, 32), array(50, 32)).compile().kernels()
    assert len(kernels) == 2
    assert len({kernel.symbol for kernel in kernels}) == 1


def kernels_text(text: str) -> list[str]:
    """The private functions of a module's text."""
    return [part for part in text.split("func.func private")[1:] if "{" in part]


@pytest.mark.parametrize(
    "name", ["softmax", "softmax by hand", "layer norm by hand", "MLP of 3 layers"]
)
def test_no_kernel_has_a_temporary_of_full_size(name: str) -> None:
    function, args, _ = COUNTS[name]
    text = lm.jit(function).lower(*args).ir("loop")
    sizes = [a.size for a in args if isinstance(a, np.ndarray)]
    for kernel in kernels_text(text):
        for shape in re.findall(r"memref\.alloca?\(\)[^:]*: memref<([\dx]+)xf32>", kernel):
            elements = np.prod([int(n) for n in shape.split("x")])
            # packing buffers of a contraction are bounded by its blocks, not by an operand
            assert elements < max(sizes) or "vector.fma" in kernel, shape


def test_epilogue_is_in_the_tile() -> None:
    function, args, _ = COUNTS["relu(x @ w + b)"]
    (kernel,) = kernels_text(lm.jit(function).lower(*args).ir("loop"))
    fma, bias = kernel.index("vector.fma"), kernel.index("arith.cmpf")
    # the loop over the depth ends, and the epilogue follows before any other loop begins
    between = kernel[fma:bias]
    assert between.count("scf.for") == 0


def test_arena_of_ten_layers() -> None:
    weights = [np.zeros((1024, 1024), np.float32) for _ in range(10)]
    biases = [np.zeros(1024, np.float32) for _ in range(10)]
    memory = lm.jit(mlp).lower(weights, biases, array(64, 1024)).compile().memory()
    activation = 64 * 1024 * 4
    assert memory.arena <= 2.05 * activation
    assert memory.arena_without_reuse >= 9 * activation
    assert memory.outputs == activation
