"""Windows: the meaning against a sum over each window, pooling and the errors of its arguments."""

# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any, cast

import numpy as np
import pytest
import references
from op_row import Params, Row
from op_rows_windows import WINDOWS
from op_table import SHAPES, error_bound, rng_for
from references import assert_same, elements

import lamina as lm
from lamina.interpreters import call
from lamina.interpreters.types import F32, F64, Array, DType, is_float


def windows(x: Array, params: Params) -> tuple[tuple[int, ...], list[list[Any]]]:
    """The shape of the result, and the elements of each window, padding left out."""
    names = ("window", "strides", "dilation")
    axes = list(zip(*(params[name] for name in names), params["padding"][::2], strict=True))
    high = params["padding"][1::2]
    shape = tuple(
        max(0, (size + low + after - spread * (window - 1) - 1) // stride + 1)
        for size, after, (window, stride, spread, low) in zip(x.shape, high, axes, strict=True)
    )
    found: list[list[Any]] = []
    for place in product(*map(range, shape)):
        along = [
            [at for k in range(window) if 0 <= (at := p * stride + k * spread - low) < size]
            for p, size, (window, stride, spread, low) in zip(place, x.shape, axes, strict=True)
        ]
        found.append([elements(x[at])[0] for at in product(*along)])
    return shape, found


def least(kind: str, dtype: DType) -> Any:
    """The max or min of nothing."""
    if is_float(dtype):
        return float("-inf") if kind == "max" else float("inf")
    info = np.iinfo(dtype)
    return int(info.min) if kind == "max" else int(info.max)


def folded(kind: str, window: list[Any], dtype: DType) -> Any:
    """The exact result for one window."""
    if kind == "sum":
        return sum((Fraction(x) if is_float(dtype) else x for x in window), Fraction(0))
    result = least(kind, dtype)
    for x in window:
        result = references.EXACT[f"{kind}imum"](result, x, dtype)
    return result


@pytest.mark.parametrize("name", WINDOWS)
def test_reduce_window(name: str) -> None:
    row: Row = WINDOWS[name]
    kind = name.removeprefix("window_")
    for dtype in row.dtypes:
        for shape in (*SHAPES, (40,), (5, 9)):
            special = 0.0 if is_float(dtype) and kind == "sum" else 0.3
            drawn = row.draw(rng_for(name, dtype, shape), shape, dtype, special)
            if drawn is None:
                continue
            (x,), params = drawn
            found = call("reduce_window", x, **params)
            shape_left, groups = windows(x, params)
            exact = [folded(kind, window, dtype) for window in groups]
            assert found.shape == shape_left
            if kind != "sum":
                assert_same(found, exact, dtype, params)
                continue
            if not is_float(dtype):
                assert_same(found, [references.wrap(int(e), dtype) for e in exact], dtype, params)
                continue
            nearest = np.array([float(e) for e in exact], F64).reshape(shape_left)
            bound = np.ravel(error_bound(row, (x,), params, nearest))
            for f, e, b in zip(elements(found), exact, bound.tolist(), strict=True):
                assert abs(Fraction(f) - e) <= Fraction(b), params


@pytest.mark.parametrize("dtype", (F32, F64), ids=str)
@pytest.mark.parametrize("compiled", (False, True))
def test_sums_of_long_windows_are_accurate(dtype: DType, compiled: bool) -> None:
    """0.1 rounds in the same direction at each addition."""
    for size, window, strides in ((1000, 600, 1), (999, 333, 333), (64, 64, 1), (130, 65, 7)):
        x = np.full((1, 1, size), 0.1, dtype)

        def pool(x: Any, window: int = window, strides: int = strides) -> Any:
            return lm.avg_pool(x, window, strides=strides)

        result = np.asarray((lm.jit(pool) if compiled else pool)(lm.asarray(x)), F64)
        unit = 2.0**-24 if dtype == F32 else 2.0**-53
        assert np.max(np.abs(result - float(x[0, 0, 0]))) <= (9 + np.log2(window)) * unit * 0.1


def test_nan_and_zeros() -> None:
    x = np.array([[[np.nan, 1.0, -0.0, 0.0, -0.0, -0.0]]], np.float32)
    for pool in (lm.max_pool, lm.jit(lambda x, w: lm.max_pool(x, w))):
        assert_same(np.asarray(pool(lm.asarray(x), 2)), [float("nan"), 0.0, -0.0], F32)


def test_counts() -> None:
    """What padding, and what only `ceil_mode` adds, counts."""
    x = lm.ones((1, 1, 4))
    for include, expected in ((False, [1.0, 1.0, 1.0]), (True, [0.5, 1.0, 1.0])):
        found = lm.avg_pool(
            x, 2, strides=2, padding=[(1, 0)], ceil_mode=True, count_include_pad=include
        )
        assert np.asarray(found).tolist() == [[expected]]
    nothing = lm.avg_pool(x, 1, strides=5, padding=1)
    assert np.isnan(np.asarray(nothing)).tolist() == [[[True, True]]]


def test_ceil_mode_needs_a_start_inside() -> None:
    x = lm.arange(5, dtype=lm.float32)[None, None]
    assert lm.max_pool(x, 2, strides=2, ceil_mode=True).shape == (1, 1, 3)
    assert lm.max_pool(x, 1, strides=5, ceil_mode=True).shape == (1, 1, 1)
    assert lm.max_pool(x, 2, strides=6, padding=1, ceil_mode=True).shape == (1, 1, 1)


ERRORS: list[tuple[Any, type[Exception], str]] = [
    (lambda x: lm.max_pool(x[0], 2), lm.ShapeError, "max_pool: expected x .N, C, .S. of rank 3"),
    (lambda x: lm.max_pool(x, 6), lm.ShapeError, "max_pool: expected a window of at most 5"),
    (lambda x: lm.avg_pool(x, (2, 2)), lm.ShapeError, "avg_pool: expected window of 1 to"),
    (lambda x: lm.avg_pool(x, 2, strides=0), lm.ShapeError, "avg_pool: expected strides of 1"),
    (lambda x: lm.avg_pool(x, 2, padding="full"), lm.ArgumentError, 'expected padding "same"'),
    (
        lambda x: lm.avg_pool(x, 2, ceil_mode=cast(Any, "no")),
        lm.ArgumentError,
        "ceil_mode to be True or",
    ),
    (lambda x: lm.max_pool(x > 0, 2), lm.DTypeError, "max_pool: expected a"),
    (lambda x: lm.avg_pool(lm.astype(x, lm.int32), 2), lm.DTypeError, "avg_pool: expected a"),
]


@pytest.mark.parametrize(("function", "error", "text"), ERRORS)
@pytest.mark.parametrize("compiled", (False, True))
def test_errors(function: Any, error: type[Exception], text: str, compiled: bool) -> None:
    x = np.ones((1, 2, 5), np.float32)
    with pytest.raises(error, match=text):
        (lm.jit(function) if compiled else function)(lm.asarray(x))


@pytest.mark.parametrize("threads", (1, 2))
def test_pooling_bits_do_not_depend_on_threads(threads: int) -> None:
    x = np.random.default_rng(0).normal(size=(1, 16, 60, 61)).astype(np.float32)

    def pool(x: Any) -> Any:
        relu = lm.relu(x)
        return (
            lm.max_pool(relu, 3, strides=2, padding=1),
            lm.avg_pool(relu, 3, strides=1, padding="same"),
            lm.avg_pool(x, 15, strides=4),
        )

    reference = [np.asarray(a) for a in lm.jit(pool, threads=1)(x)]
    for found, expected in zip(lm.jit(pool, threads=threads)(x), reference, strict=True):
        assert_same(np.asarray(found), elements(expected), F32)


def test_windows_of_every_length() -> None:
    """Taps, blocks of taps, blocks of blocks: largest elements against NumPy's."""
    x = np.random.default_rng(1).normal(size=(1, 1, 120)).astype(np.float32)
    for window in (2, 7, 8, 9, 15, 16, 17, 40, 73):
        expected = np.lib.stride_tricks.sliding_window_view(x, window, 2).max(3)

        def pools(x: Any, window: int = window) -> Any:
            return [lm.max_pool(x, window, strides=strides) for strides in (1, 2, 5, window)]

        for found, strides in zip(lm.jit(pools)(x), (1, 2, 5, window), strict=True):
            assert np.array_equal(np.asarray(found), expected[:, :, ::strides]), (window, strides)


CONV_ERRORS: list[tuple[Any, str]] = [
    (lambda x, w: lm.conv(x, lm.ones((1, 2, 6))), "conv: expected a window of at most 5, found 6"),
    (lambda x, w: lm.conv(x, lm.ones((1, 2, 0))), "conv: expected a window of 1 or more"),
    (lambda x, w: lm.conv_transpose(x[0], w), "conv_transpose: expected x .N, C, .S. and w"),
    (lambda x, w: lm.conv_transpose(x, w[:1]), "as many input channels in x as in w"),
    (lambda x, w: lm.conv_transpose(x, w, groups=3), "in 3 groups of equal size, found 2 and 2"),
    (lambda x, w: lm.conv_transpose(x, w, strides=2, output_padding=2), "output_padding below"),
    (lambda x, w: lm.conv_transpose(x, w, padding=9), "padding that leaves some of the result"),
    (lambda x, w: lm.conv_transpose(x, w, strides=4, padding="same"), "at least the stride 4"),
    (lambda x, w: lm.conv_transpose(x, w, dilation=0), "conv_transpose: expected dilation of 1"),
]


@pytest.mark.parametrize(("function", "text"), CONV_ERRORS)
@pytest.mark.parametrize("compiled", (False, True))
def test_errors_of_convolutions(function: Any, text: str, compiled: bool) -> None:
    x, w = np.ones((1, 2, 5), np.float32), np.ones((2, 3, 3), np.float32)
    with pytest.raises(lm.ShapeError, match=text):
        (lm.jit(function) if compiled else function)(lm.asarray(x), lm.asarray(w))


def test_transposed_convolution_is_the_gradient_of_a_convolution() -> None:
    """<conv(x, w), y> = <x, conv_transpose(y, w)> for integers, in every way to pad."""
    rng = np.random.default_rng(0)
    x, w = rng.integers(-9, 9, (2, 3, 12)), rng.integers(-9, 9, (4, 3, 3))
    for padding in ("valid", "same", [(2, 1)]):
        y = lm.conv(lm.asarray(x), lm.asarray(w), strides=3, padding=padding)
        z = rng.integers(-9, 9, y.shape)
        left = (
            12
            - lm.conv_transpose(lm.asarray(z), lm.asarray(w), strides=3, padding=padding).shape[2]
        )
        back = lm.conv_transpose(
            lm.asarray(z), lm.asarray(w), strides=3, padding=padding, output_padding=left
        )
        assert int(lm.sum(y * lm.asarray(z))) == int(lm.sum(back * lm.asarray(x)))


RESIZE_ERRORS: list[tuple[Any, type[Exception], str]] = [
    (lambda x: lm.resize(x), lm.ArgumentError, "a shape or scales, found both or neither"),
    (lambda x: lm.resize(x, (1, 2, 3), scales=1.0), lm.ArgumentError, "found both or neither"),
    (lambda x: lm.resize(x, 3), lm.ShapeError, "a number for each of axes .0, 1, 2., found .3,."),
    (lambda x: lm.resize(x, 3, axes=3), lm.AxisError, "resize: expected an axis from -3 to 2"),
    (lambda x: lm.resize(x, 3, axes=2, mode="area"), lm.ArgumentError, 'mode of "nearest"'),
    (lambda x: lm.resize(x, 3, axes=2, coordinates="tf_crop_and_resize"), lm.ArgumentError,
     'coordinates of "half_pixel", '),
    (lambda x: lm.resize(x, 3, axes=2, rounding="up"), lm.ArgumentError, "expected rounding of"),
    (lambda x: lm.resize(x, 3, axes=2, antialias=True), lm.ArgumentError, "antialias=False"),
    (lambda x: lm.resize(x, scales=-1.0, axes=2), lm.ArgumentError, "scales above 0, found -1.0"),
    (lambda x: lm.resize(x, scales="2", axes=2), lm.ArgumentError, "a number as each of"),
    (lambda x: lm.resize(x, scales=float("inf"), axes=2), lm.ArgumentError, "a finite number"),
    (lambda x: lm.resize(x[..., :0], 3, axes=2), lm.ShapeError, "of 1 or more on axis 2"),
    (lambda x: lm.resize(lm.astype(x, lm.int8), 3, axes=2, mode="linear"), lm.DTypeError,
     "resize: expected a floating-point dtype, found int8"),
]  # fmt: skip


@pytest.mark.parametrize(("function", "error", "text"), RESIZE_ERRORS)
@pytest.mark.parametrize("compiled", (False, True))
def test_errors_of_resizing(
    function: Any, error: type[Exception], text: str, compiled: bool
) -> None:
    x = np.ones((1, 2, 5), np.float32)
    with pytest.raises(error, match=text):
        (lm.jit(function) if compiled else function)(lm.asarray(x))


@pytest.mark.parametrize("dtype", ("bool", "int8", "uint64", "float16", "bfloat16", "float64"))
def test_nearest_moves_every_type(dtype: str) -> None:
    x = lm.astype(lm.asarray(np.arange(12).reshape(3, 4) % 5), getattr(lm, dtype))

    def resize(x: Any) -> Any:
        return lm.resize(x, (7, 2))

    expected = np.asarray(x)[np.ix_([0, 0, 1, 1, 1, 2, 2], [0, 2])]
    for found in (resize(x), lm.jit(resize)(x)):
        assert np.array_equal(np.asarray(found), expected)
        assert found.dtype == x.dtype
    assert lm.resize(x, (0, 4)).shape == (0, 4)
    assert lm.resize(x, scales=(0.4, 1.0)).shape == (1, 4)


def test_half_types_are_resized_in_float32() -> None:
    x = np.random.default_rng(0).normal(size=(5, 7)).astype(np.float16)
    for mode in ("linear", "cubic"):
        wide = np.asarray(lm.resize(lm.asarray(x.astype(np.float32)), (8, 3), mode=mode))
        assert np.array_equal(
            np.asarray(lm.resize(lm.asarray(x), (8, 3), mode=mode)), wide.astype(np.float16)
        )


def test_a_scale_is_a_number_that_the_code_is_made_for() -> None:
    resize = lm.jit(lambda x, scale: lm.resize(x, scales=scale, axes=0))
    x = np.arange(4.0)
    assert resize(x, 2.0).shape == (8,)
    assert resize(x, 0.5).shape == (2,)


FRAMED: dict[str, tuple[Any, tuple[int, ...]]] = {
    "long rows": (lambda x: lm.relu(lm.pad(x, ((0, 0), (1, 2), (3, 0)), value=0.5)), (2, 3, 70)),
    "high edges": (lambda x: lm.pad(x, ((0, 1), (0, 70))) * 2.0, (3, 5)),
    "nothing inside": (lambda x: lm.negative(lm.pad(x, ((1, 0), (33, 33)), value=2.0)), (4, 0)),
    "two frames": (lambda x: lm.pad(x, (40, 30)) - lm.pad(x, (30, 40), value=1.0), (9,)),
    "transposed": (lambda x: lm.permute_dims(lm.pad(x, (2, 70)), (1, 0)) + 1.0, (5, 7)),
    "reversed": (lambda x: lm.flip(lm.pad(x, (2, 70)), axis=1) + 1.0, (5, 7)),
    "convolved": (
        lambda x: lm.conv(lm.pad(x, ((0, 0), (0, 0), (1, 1)), value=3.0), x[:, :, :3]), (1, 2, 9)
    ),
    "pooled": (lambda x: lm.max_pool(lm.pad(x, (5, 9), value=3.0), 4), (1, 2, 80)),
    "kept too": (lambda x: [y := lm.pad(x, (1, 70)), y * 2.0], (4,)),
}  # fmt: skip


@pytest.mark.parametrize("name", FRAMED)
def test_frames_are_read_through(name: str) -> None:
    function, shape = FRAMED[name]
    x = np.random.default_rng(0).integers(-5, 5, shape).astype(np.float32)
    pairs = zip(leaves(lm.jit(function)(x)), leaves(function(lm.asarray(x))), strict=True)
    for found, expected in pairs:
        assert_same(np.asarray(found), elements(np.asarray(expected)), F32)


def leaves(value: Any) -> list[Any]:
    """The arrays of a result."""
    found: list[Any] = list(value) if isinstance(value, list) else [value]  # pyright: ignore
    return found
