"""Our `linalg` text through upstream's own lowering, run by `mlir-runner`: the same numbers.

Both sides start from the same text, so this is a check of everything below it: fusion, buffers,
loops, vectors, our LLVM emission. Exact functions agree bit for bit; sums and transcendentals
within the sum of both sides' bounds (`semantics.md`; upstream adds in order and calls libm).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from level_programs import IN_PLACE, NDArray, Program, conv_relu, floats, traced
from upstream import MLIR_RUNNER, run_linalg

import lamina as lm
from lamina.compiler import Lowering
from lamina.ir_text import parse_module
from lamina.registry import make_context

pytestmark = pytest.mark.skipif(MLIR_RUNNER is None, reason="upstream's tools are not installed")

UNIT = {"float32": 2.0**-24, "float16": 2.0**-11}
# each long enough for whole vectors and a rest
INTS = np.tile(np.array([[7, -7, 7, -7], [-(2**31), 5, 0, 2**31 - 1]], np.int32), 5)
DIVISORS = np.tile(np.array([[2, 2, -2, 0], [-1, 0, 3, -2]], np.int32), 5)
SPECIAL = np.tile(
    np.array([1.5, -2.5, np.nan, np.inf, -np.inf, 0.0, -0.0, 300.0, -129.0, 1e-40], "f4"), 5
)


def both(given: Program) -> tuple[list[NDArray], list[NDArray]]:
    """(our results, upstream's); upstream has bool and unsigned as signless integers."""
    lowering = Lowering(parse_module(make_context(), given.text, f"{given.name}.mlir"), "nd")
    lowering.to("linalg")
    theirs = run_linalg(lowering.module, given.arrays)
    return given.call(), theirs


def halves(x: Any, y: Any) -> Any:
    """Arithmetic that rounds after every op."""
    return (x * y + x) / (y - 3)


def windows(x: Any) -> Any:
    """Padded, dense and long windows: the tree in which one is summed is written in the IR."""
    return (
        lm.max_pool(x, 3, strides=2, padding=1), lm.avg_pool(x, 3, strides=1, padding="same"),
        lm.avg_pool(x, (2, 19), strides=(1, 2)), lm.max_pool(x.astype("float16"), 2),
    )  # fmt: skip


def moves(x: Any, y: Any) -> Any:
    """Moves of all kinds around one addition."""
    joined = lm.concat([x.T, lm.flip(y, axis=1)], axis=1)
    return lm.permute_dims(joined[1:, ::2] + joined[:-1, 1::2], (1, 0))


F16 = [floats((4, 40), seed, np.float16) for seed in (0, 1)]
BF16 = [floats((4, 40), seed, ml_dtypes.bfloat16) for seed in (0, 1)]

EXACT: dict[str, Callable[[], Program]] = {
    "chain": lambda: traced("chain", lambda x, y: x * y + 1 - x / y, SPECIAL, SPECIAL[::-1]),
    "int_division": lambda: traced(
        "int_division", lambda x, y: (x // y, x % y), INTS, DIVISORS
    ),
    "int_wrap": lambda: traced("int_wrap", lambda x, y: (x * y - x, x @ y.T), INTS, DIVISORS),
    "f16": lambda: traced("f16", halves, *F16),
    "bf16": lambda: traced("bf16", halves, *BF16),
    "argmax": lambda: traced("argmax", lambda x: lm.argmax(x, axis=1), floats((6, 40))),
    "argmax_nan": lambda: traced("argmax_nan", lambda x: lm.argmax(x, axis=0), SPECIAL),
    "scan": lambda: traced(
        "scan", lambda x: (lm.cumulative_sum(x, axis=1), lm.cumulative_prod(x, axis=0)),
        floats((6, 40)),
    ),
    "sort": lambda: traced("sort", lambda x: (lm.sort(x), lm.argsort(x)), SPECIAL),
    "sort_rows": lambda: traced(
        "sort_rows", lambda x: (lm.sort(x), lm.argsort(x, descending=True)), floats((2, 200))
    ),
    "searchsorted": lambda: traced(
        "searchsorted", lambda x, y: lm.searchsorted(lm.sort(x), y), SPECIAL, SPECIAL[::-1]
    ),
    "max": lambda: traced("max", lambda x: lm.max(x, axis=0), SPECIAL.reshape(2, 25)),
    "negative_stride": lambda: traced(
        "negative_stride", lambda x: lm.flip(x, axis=0) * 2 - x, floats((9, 70))[::-1, ::-2]
    ),
    "windows": lambda: traced("windows", windows, floats((1, 2, 6, 40))),
    "moves": lambda: traced("moves", moves, floats((33, 40)), floats((40, 33), 1)),
    "compare": lambda: traced(
        "compare", lambda x, y: (x < y, lm.where(x >= y, x, y)), SPECIAL, SPECIAL[::-1]
    ),
    "casts": lambda: traced(
        "casts", lambda x: (x.astype("int8"), x.astype("uint8"), x.astype("bool")), SPECIAL
    ),
    "unsigned": lambda: traced(
        "unsigned", lambda x: (x // 3, x >> 2, lm.maximum(x, 100)),
        np.arange(52, dtype=np.uint8).reshape(4, 13) * 5,
    ),
    "shifts": lambda: traced(
        "shifts", lambda x, y: (x << y, x >> y), INTS, np.abs(DIVISORS) * 20
    ),
    "in_place_loop": lambda: Program("in_place_loop", IN_PLACE, [floats((16,)), floats((1,), 1)]),
}  # fmt: skip


@pytest.mark.parametrize("name", EXACT)
def test_bit_for_bit(name: str) -> None:
    ours, theirs = both(EXACT[name]())
    assert len(ours) == len(theirs)
    for mine, other in zip(ours, theirs, strict=True):
        assert mine.shape == other.shape
        nan = np.isnan(mine) if mine.dtype.kind not in "biu" else np.zeros(mine.shape, bool)
        if nan.any():
            assert np.array_equal(nan, np.isnan(other))
        words = f"u{mine.dtype.itemsize}"
        found, wanted = (np.ascontiguousarray(a).view(words)[~nan] for a in (mine, other))
        assert np.array_equal(found, wanted)


Bound = (
    Callable[[NDArray], NDArray]
    | Callable[[NDArray, NDArray], NDArray]
    | Callable[[NDArray, NDArray, NDArray], NDArray]
)
"""(arguments in float64) -> how far ours and upstream's results may be apart, by element."""


def product_bound(x: NDArray, y: NDArray, depth: int) -> NDArray:
    """Both sides within (K + 2) u sum |a b|."""
    return 2 * (depth + 2) * UNIT["float32"] * (np.abs(x) @ np.abs(y)) + 1e-45


def conv_bound(x: NDArray, w: NDArray, b: NDArray) -> NDArray:
    """The same for windows of a padded image; the bias rounds once more."""
    padded = np.pad(np.abs(x), ((0, 0), (0, 0), (1, 1), (1, 1)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, w.shape[2:], axis=(2, 3))
    total = np.einsum("nchwij,ocij->nohw", windows, np.abs(w)) + np.abs(b)[:, None, None]
    return 2 * (w[0].size + 3) * UNIT["float32"] * total


def sum_bound(x: NDArray) -> NDArray:
    """Ours within (8 + log2 n) u sum |x|, upstream's (in order) within n u sum |x|."""
    n = x.shape[1]
    return (8 + np.log2(n) + n) * UNIT["float32"] * np.abs(x).sum(1)


def softmax_bound(x: NDArray) -> NDArray:
    """exp within 2 ulp (4 u) here and there, above and below the line; both sums; a reciprocal
    and a product on each side."""
    n = x.shape[1]
    power = np.exp(x - x.max(1, keepdims=True))
    relative = (4 * 4 + 8 + np.log2(n) + n + 2 * 2) * UNIT["float32"]
    return relative * power / power.sum(1, keepdims=True)


def ulp_bound(function: Callable[[NDArray], NDArray]) -> Bound:
    """Both sides within 2 ulp of the exact value."""

    def bound(x: NDArray) -> NDArray:
        return 4 * np.spacing(np.abs(function(x)).astype(np.float32)).astype(np.float64)

    return bound


WITHIN: dict[str, tuple[Callable[[], Program], Bound]] = {
    "matmul": (
        lambda: traced("matmul", lambda x, y: x @ y, floats((13, 37)), floats((37, 21), 1)),
        lambda x, y: product_bound(x, y, 37),
    ),
    "conv": (
        lambda: traced(
            "conv", conv_relu, floats((2, 3, 9, 9)), floats((4, 3, 3, 3), 1), floats((4,), 2)
        ),
        conv_bound,
    ),
    "sum": (lambda: traced("sum", lambda x: lm.sum(x, axis=1), floats((5, 300))), sum_bound),
    "softmax": (lambda: traced("softmax", lambda x: lm.softmax(x), floats((7, 40))), softmax_bound),
    "exp": (lambda: traced("exp", lambda x: lm.exp(x), floats((5, 33))), ulp_bound(np.exp)),
    "tanh": (lambda: traced("tanh", lambda x: lm.tanh(x), floats((5, 33))), ulp_bound(np.tanh)),
}


@pytest.mark.parametrize("name", WITHIN)
def test_within_the_bounds(name: str) -> None:
    make, bound = WITHIN[name]
    limit: Callable[..., NDArray] = bound
    given = make()
    ours, theirs = both(given)
    allowed = limit(*(a.astype(np.float64) for a in given.arrays))
    apart = np.abs(ours[0].astype(np.float64) - theirs[0].astype(np.float64))
    assert apart.shape == allowed.shape
    assert (apart <= allowed).all(), (apart / allowed).max()
