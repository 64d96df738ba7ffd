"""Convolution, transposed convolution, pooling and resizing against ONNX's reference evaluator.

LAMINA_TEST_ONNX=300 draws as many configurations of each op and spatial rank; CI draws 25. Every
configuration runs eager; every fifth is compiled too.
"""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportMissingTypeStubs=false

from __future__ import annotations

import os
from collections.abc import Callable
from math import prod
from typing import Any, cast

import numpy as np
import pytest
from numpy.random import Generator
from onnx import TensorProto, helper
from onnx.reference import ReferenceEvaluator

import lamina as lm

COUNT = int(os.environ.get("LAMINA_TEST_ONNX", "25"))
Array = np.ndarray[Any, Any]
UNIT = 2.0**-24


def reference(op: str, inputs: list[Array | None], **attributes: Any) -> Array:
    """What ONNX's reference evaluator makes of one node (in float64 where the inputs are)."""
    names = ["" if x is None else f"x{i}" for i, x in enumerate(inputs)]
    node = helper.make_node(op, names, ["y"], **attributes)
    kinds = {
        "float32": TensorProto.FLOAT,
        "float64": TensorProto.DOUBLE,
        "int64": TensorProto.INT64,
    }
    given = {n: x for n, x in zip(names, inputs, strict=True) if x is not None}
    values = [
        helper.make_tensor_value_info(n, kinds[str(x.dtype)], x.shape) for n, x in given.items()
    ]
    out = helper.make_tensor_value_info("y", kinds[str(next(iter(given.values())).dtype)], None)
    graph = helper.make_graph([node], "one", values, [out])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 22)])
    (found,) = cast(Any, ReferenceEvaluator(model)).run(None, given)
    return np.asarray(found)


def results(
    function: Callable[..., Any], number: int, arrays: list[Array], *rest: Any, **given: Any
) -> list[Array]:
    """Eager, and compiled for some."""

    def call(*arrays: Any) -> Any:
        return function(*arrays, *rest, **given)

    found = [np.asarray(call(*map(lm.asarray, arrays)))]
    if number % 5 == 0:
        found.append(np.asarray(lm.jit(call)(*arrays)))
    return found


def by_groups(op: str, groups: int, x: Array, w: Array, **given: Any) -> Array:
    """The evaluator group by group (of a transposed convolution, it splits the kernel wrongly)."""
    parts = zip(np.split(x, groups, 1), np.split(w, groups), strict=True)
    done = [
        reference(op, [p.astype(np.float64), q.astype(np.float64)], group=1, **given)
        for p, q in parts
    ]
    return np.concatenate(done, axis=1)


def ints(rng: Generator, low: int, high: int, count: int) -> list[int]:
    return [int(x) for x in rng.integers(low, high, count, endpoint=True)]


def normal(rng: Generator, *shape: int) -> Array:
    return rng.normal(size=shape).astype(np.float32)


def flat(pairs: list[tuple[int, int]]) -> list[int]:
    """Padding in ONNX's order: the low edges, then the high ones."""
    return [low for low, _ in pairs] + [high for _, high in pairs]


RANKS = pytest.mark.parametrize("rank", (1, 2, 3))
LIMIT = {1: 14, 2: 9, 3: 6}


def drawn(what: str, rank: int, number: int) -> Generator:
    return np.random.default_rng([*what.encode(), rank, number])


def windows(
    rng: Generator, rank: int
) -> tuple[list[int], list[int], list[int], list[tuple[int, int]]]:
    """Windows, strides, dilations and padding."""
    window, strides, dilation = ints(rng, 1, 4, rank), ints(rng, 1, 3, rank), ints(rng, 1, 3, rank)
    pads = [
        (low, high) for low, high in zip(ints(rng, 0, 2, rank), ints(rng, 0, 2, rank), strict=True)
    ]
    return window, strides, dilation, pads


def fitting(rng: Generator, window: list[int], dilation: list[int], pads: list[Any]) -> list[int]:
    """Sizes of axes that the windows fit into."""
    least = [d * (k - 1) + 1 - sum(p) for d, k, p in zip(dilation, window, pads, strict=True)]
    return [max(1, size) + int(rng.integers(0, LIMIT[len(window)])) for size in least]


@RANKS
def test_conv(rank: int) -> None:
    for number in range(COUNT):
        rng = drawn("conv", rank, number)
        window, strides, dilation, pads = windows(rng, rank)
        sizes = fitting(rng, window, dilation, pads)
        groups, per_in, per_out = ints(rng, 1, 3, 3)
        x = normal(rng, int(rng.integers(1, 3)), groups * per_in, *sizes)
        w = normal(rng, groups * per_out, per_in, *window)

        given = {"strides": strides, "dilations": dilation, "pads": flat(pads)}
        expected = by_groups("Conv", groups, x, w, **given)
        total = by_groups("Conv", groups, np.abs(x), np.abs(w), **given)
        ours = {"strides": strides, "padding": pads, "dilation": dilation, "groups": groups}
        for found in results(lm.conv, number, [x, w], **ours):
            assert found.shape == expected.shape
            bound = (prod(w.shape[1:]) + 2) * UNIT * total
            assert np.all(np.abs(found - expected) <= bound), number


@RANKS
def test_conv_transpose(rank: int) -> None:
    for number in range(COUNT):
        rng = drawn("conv_transpose", rank, number)
        window, strides, dilation, pads = windows(rng, rank)
        more = [int(rng.integers(0, step)) for step in strides]
        sizes = ints(rng, 1, LIMIT[rank], rank)
        numbers = zip(sizes, window, strides, dilation, more, strict=True)
        full = [s * (n - 1) + d * (k - 1) + 1 + m for n, k, s, d, m in numbers]
        pads = [p if sum(p) < size else (0, 0) for p, size in zip(pads, full, strict=True)]
        groups, per_in, per_out = ints(rng, 1, 3, 3)
        x = normal(rng, int(rng.integers(1, 3)), groups * per_in, *sizes)
        w = normal(rng, groups * per_in, per_out, *window)

        given = {
            "strides": strides, "dilations": dilation, "pads": flat(pads), "output_padding": more,
        }  # fmt: skip
        expected = by_groups("ConvTranspose", groups, x, w, **given)
        total = by_groups("ConvTranspose", groups, np.abs(x), np.abs(w), **given)
        ours = {
            "strides": strides, "padding": pads, "output_padding": more, "dilation": dilation,
            "groups": groups,
        }  # fmt: skip
        for found in results(lm.conv_transpose, number, [x, w], **ours):
            assert found.shape == expected.shape
            bound = (per_in * prod(window) + 2) * UNIT * total
            assert np.all(np.abs(found - expected) <= bound), number


def pooling(rng: Generator, rank: int) -> tuple[dict[str, Any], dict[str, Any], Array]:
    """Arguments of ours and of ONNX, and an array."""
    window, strides, dilation, pads = windows(rng, rank)
    # a window of padding alone: ONNX leaves it open
    pads = [p if max(p) < k and d == 1 else (0, 0)
            for p, k, d in zip(pads, window, dilation, strict=True)]  # fmt: skip
    sizes = fitting(rng, window, dilation, pads)
    x = normal(rng, *ints(rng, 1, 3, 2), *sizes)
    ceil = bool(rng.integers(0, 2))
    ours = {"strides": strides, "padding": pads, "dilation": dilation, "ceil_mode": ceil}
    theirs = {
        "kernel_shape": window, "strides": strides, "dilations": dilation, "pads": flat(pads),
        "ceil_mode": int(ceil),
    }  # fmt: skip
    return {"window": window, **ours}, theirs, x


@RANKS
def test_max_pool(rank: int) -> None:
    for number in range(COUNT):
        ours, theirs, x = pooling(drawn("max_pool", rank, number), rank)
        window, padded = ours.pop("window"), x
        if max(*ours["strides"], *ours["dilation"]) == 1:
            # without strides the evaluator goes another way, and mistakes the padding
            edges = [(0, 0), (0, 0), *ours["padding"]]
            padded = np.pad(x, edges, constant_values=-np.inf)
            theirs["pads"] = [0] * (2 * rank)
        expected = reference("MaxPool", [padded], **theirs)
        for found in results(lm.max_pool, number, [x], window, **ours):
            assert np.array_equal(found, expected), number


def overhang(ours: dict[str, Any], window: list[int], sizes: tuple[int, ...]) -> int:
    """How far the last windows reach beyond the padding, at most, if they are rounded up."""
    names = ours["strides"], ours["padding"], ours["dilation"]
    return max(
        -(size + sum(pads) - spread * (k - 1) - 1) % stride
        for size, k, stride, pads, spread in zip(sizes, window, *names, strict=True)
    )


@RANKS
def test_avg_pool(rank: int) -> None:
    for number in range(COUNT):
        rng = drawn("avg_pool", rank, number)
        ours, theirs, x = pooling(rng, rank)
        window, include = ours.pop("window"), bool(rng.integers(0, 2))
        theirs["count_include_pad"] = int(include)
        if overhang(ours, window, x.shape[2:]) > 1:
            # the evaluator moves half of what is added to the low end: unlike its MaxPool
            ours["ceil_mode"], theirs["ceil_mode"] = False, 0
        expected = reference("AveragePool", [x.astype(np.float64)], **theirs)
        total = reference("AveragePool", [np.abs(x.astype(np.float64))], **theirs)
        bound = (9 + np.log2(prod(window))) * UNIT * total

        given = {**ours, "count_include_pad": include}
        for found in results(lm.avg_pool, number, [x], window, **given):
            assert found.shape == expected.shape, number
            assert np.all(np.abs(found - expected) <= bound), number


def resized(rng: Generator, rank: int) -> tuple[dict[str, Any], dict[str, Any], list[Array | None]]:
    """Arguments of ours and of ONNX, and its inputs: the array, no region, scales, sizes."""
    mode = str(rng.choice(["nearest", "linear", "cubic"]))
    coordinates = str(rng.choice(COORDINATES))
    x = normal(rng, *ints(rng, 1, 2, 2), *ints(rng, 1, LIMIT[rank], rank))
    sizes = ints(rng, 1, 2 * LIMIT[rank], rank)
    scales = [float(np.float32(n / s)) for n, s in zip(sizes, x.shape[2:], strict=True)]
    scales = [s if int(s * n) > 0 else 1.0 for s, n in zip(scales, x.shape[2:], strict=True)]
    scaled = rng.random() < 0.5
    news = [int(s * n) for s, n in zip(scales, x.shape[2:], strict=True)] if scaled else sizes
    if 1 in news and coordinates == "pytorch_half_pixel":
        coordinates = "half_pixel"  # of a new size of 1 the evaluator takes place -0.5, not 0
    ours: dict[str, Any] = {
        "axes": tuple(range(2, rank + 2)),
        "mode": mode,
        "coordinates": coordinates,
    }
    theirs: dict[str, Any] = {"mode": mode, "coordinate_transformation_mode": coordinates}
    if mode == "nearest":
        theirs["nearest_mode"] = ours["rounding"] = str(rng.choice(ROUNDING))
    if mode == "cubic":
        theirs["cubic_coeff_a"] = ours["cubic_coefficient"] = float(rng.choice([-0.75, -0.5]))
    if mode != "nearest" and coordinates != "asymmetric":  # far outside, weights have a sum near 0
        outside = bool(rng.integers(0, 2))
        theirs["exclude_outside"], ours["exclude_outside"] = int(outside), outside
    if scaled:
        ours["scales"] = scales
        return ours, theirs, [x, None, np.array([1, 1, *scales], np.float32)]
    ours["shape"] = tuple(sizes)
    return ours, theirs, [x, None, None, np.array([*x.shape[:2], *sizes])]


COORDINATES = ("half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric")
ROUNDING = ("round_prefer_floor", "round_prefer_ceil", "floor", "ceil")


@RANKS
def test_resize(rank: int) -> None:
    for number in range(COUNT):
        ours, theirs, inputs = resized(drawn("resize", rank, number), rank)
        x = inputs[0]
        assert x is not None
        expected = reference("Resize", [x.astype(np.float64), *inputs[1:]], **theirs)
        rest = [ours.pop("shape")] if "shape" in ours else []
        taps = {"nearest": 0, "linear": 2, "cubic": 4}[ours["mode"]]
        bound = rank * (2 * taps + 2) * UNIT * 2.0**rank * np.max(np.abs(x)) if taps else 0.0
        for found in results(lm.resize, number, [x], *rest, **ours):
            assert found.shape == expected.shape, (number, ours)
            assert np.all(np.abs(found - expected) <= bound), (number, ours, rest)
