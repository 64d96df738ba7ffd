"""`pad` in every mode, with every option, against `np.pad`: drawn shapes, widths and dtypes."""

# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from op_table import rng_for

import lamina as lm

Array = np.ndarray[Any, Any]
Rng = np.random.Generator

DTYPES = [
    np.dtype(name)
    for name in (
        "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
        "float16", "float32", "float64", "complex64", "complex128",
    )
]  # fmt: skip
STATISTICS = ("maximum", "mean", "median", "minimum")
MODES = (
    "constant", "edge", "linear_ramp", *STATISTICS, "reflect", "symmetric", "wrap"
)  # fmt: skip
ULPS = {2: 4e-3, 4: 1e-6, 8: 1e-14}
"""Bytes of a float -> relative error of a mean, and of ramps that NumPy computes in that type."""


def values(rng: Rng, shape: tuple[int, ...], dtype: Any) -> Array:
    kind = dtype.kind
    x = rng.integers(0 if kind in "bu" else -60, 2 if kind == "b" else 60, shape).astype(dtype)
    if kind in "fc":
        x = (x * rng.random(shape)).astype(dtype)
    if kind == "c":
        x = (x + 1j * rng.normal(size=shape)).astype(dtype)
    if kind in "fc" and rng.random() < 0.15:
        x.flat[rng.integers(x.size)] = np.nan
    return x


def pairs(rng: Rng, rank: int, one: Callable[[], Any]) -> Any:
    """One for all, a pair, a pair for each axis, or one for each axis."""
    match int(rng.integers(4)):
        case 0:
            return one()
        case 1:
            return (one(), one())
        case 2:
            return tuple((one(), one()) for _ in range(rank))
        case _:
            return tuple((one(),) for _ in range(rank)) if rank > 1 else ((one(), one()),)


def options(rng: Rng, mode: str, rank: int, dtype: Any) -> dict[str, Any]:
    """Drawn options of a mode."""

    def value() -> Any:
        return values(rng, (), dtype).item()

    if mode == "constant":
        return {"constant_values": pairs(rng, rank, value)}
    if mode == "linear_ramp":
        return {"end_values": pairs(rng, rank, value)}
    if mode in STATISTICS:
        return {"stat_length": pairs(rng, rank, lambda: int(rng.integers(1, 7)))}
    if mode in ("reflect", "symmetric"):
        return {"reflect_type": ("even", "odd")[rng.integers(2)]}
    return {}


def draw(rng: Rng, mode: str, dtype: Any) -> tuple[Array, Any, dict[str, Any]]:
    """An array, widths and options."""
    rank = int(rng.integers(1, 4))
    x = values(rng, tuple(int(n) for n in rng.integers(1, 6, rank)), dtype)
    widest = (3, 12)[rng.integers(2)]
    width = pairs(rng, rank, lambda: int(rng.integers(widest)))
    return x, width, options(rng, mode, rank, dtype) if rng.random() < 0.75 else {}


def agree(found: Any, expected: Array, mode: str) -> bool:
    """Equal; means and ramps of floats within some ulps."""
    array = np.asarray(found)
    if array.dtype != expected.dtype or array.shape != expected.shape:
        return False
    if np.array_equal(array, expected, equal_nan=expected.dtype.kind in "fc"):
        return True
    if expected.dtype.kind not in "fc" or mode not in ("mean", "linear_ramp"):
        return False
    error = ULPS[expected.real.dtype.itemsize]
    return np.allclose(array, expected, rtol=error, atol=60 * error, equal_nan=True)


def numpy_pad(x: Any, width: Any, mode: str, given: dict[str, Any]) -> Any:
    with np.errstate(all="ignore"):
        return np.pad(x, width, mode=mode, **given)  # pyright: ignore


@pytest.mark.parametrize("mode", MODES)
def test_drawn(mode: str) -> None:
    rng = rng_for("pad", mode)
    for dtype in DTYPES * 3:
        x, width, given = draw(rng, mode, dtype)
        expected = numpy_pad(x, width, mode, given)
        found = numpy_pad(lm.asarray(x), width, mode, given)
        assert agree(found, expected, mode), (x, width, given, found, expected)


@pytest.mark.parametrize("mode", MODES)
def test_drawn_compiled(mode: str) -> None:
    rng = rng_for("pad compiled", mode)
    for dtype in (DTYPES[0], DTYPES[5], DTYPES[9], DTYPES[10], DTYPES[12]):
        x, width, given = draw(rng, mode, dtype)
        eager = np.asarray(numpy_pad(lm.asarray(x), width, mode, given))
        found = lm.jit(lambda x, w=width, g=given: numpy_pad(x, w, mode, g))(x)
        assert agree(found, eager, mode), (x, width, given, found, eager)


def test_a_step_too_small_for_a_float() -> None:
    x = np.array([[5e-324], [1.0], [3.0]])
    expected = np.pad(x, ((0, 0), (7, 7)), mode="linear_ramp")
    found = lm.pad(x, ((0, 0), (7, 7)), mode="linear_ramp")
    assert np.asarray(found).tolist() == expected.tolist()


def test_widths() -> None:
    x = np.arange(6).reshape(2, 3)
    for width in (1, (2,), (1, 2), ((1,), (2,)), ((1, 2), (0, 3)), {-1: (1, 2)}, {0: 1, 1: (0, 2)},
                  np.array([[1, 2], [0, 3]]), [1, 0]):  # fmt: skip
        expected = np.pad(x, width)  # pyright: ignore
        assert lm.pad(x, width).tolist() == expected.tolist(), width


def test_values_that_are_traced() -> None:
    x = np.arange(3.0)
    padded = lm.jit(lambda x, v: lm.pad(x, 1, value=(v, 2 * v)))
    assert padded(x, np.float64(4)).tolist() == [4, 0, 1, 2, 8]
    ramped = lm.jit(lambda x, v: lm.pad(x, 2, mode="linear_ramp", end_values=v))
    assert ramped(x, np.float64(4)).tolist() == [4, 2, 0, 1, 2, 3, 4]


@pytest.mark.parametrize("run", [lambda f: f, lm.jit], ids=["eager", "compiled"])
def test_errors(run: Any) -> None:
    x = lm.arange(3)
    calls: list[tuple[str, type[Exception], dict[str, Any]]] = [
        ("expected a mode of 'constant', 'empty'", lm.ArgumentError, {"mode": "nearest"}),
        ("expected a mode of 'constant'", lm.ArgumentError, {"mode": lambda *_: None}),
        ("expected stat_length in mode 'maximum', 'mean'", lm.ArgumentError, {"stat_length": 1}),
        ("expected value in mode 'constant' only", lm.ArgumentError, {"mode": "edge", "value": 1}),
        ("expected a stat_length of 1 or more on axis 0", lm.ArgumentError,
         {"mode": "mean", "stat_length": 0}),
        ("expected sizes of 0 or more", lm.ShapeError, {"mode": "mean", "stat_length": -1}),
        ('expected a reflect_type of "even" or "odd"', lm.ArgumentError,
         {"mode": "reflect", "reflect_type": "both"}),
        ("expected a 0-d value", lm.ShapeError, {"value": (x, 1)}),
        ("expected one value, a pair, or a pair for each of 1 axes", lm.ShapeError,
         {"value": (1, 2, 3)}),
    ]  # fmt: skip
    for text, error, call in calls:
        with pytest.raises(error, match=text):
            run(lambda x, call=call: lm.pad(x, 1, **call))(x)
    for mode in MODES[1:]:
        with pytest.raises(lm.ShapeError, match="a size of 1 or more on axis 0 in mode"):
            run(lambda x, mode=mode: lm.pad(x, 1, mode=mode))(lm.zeros((0, 2)))
        kept = run(lambda x, mode=mode: lm.pad(x, ((0, 0), (1, 2)), mode=mode))(lm.zeros((0, 2)))
        assert kept.shape == (0, 5)
    assert run(lambda x: lm.pad(x, 2, mode="empty"))(x).shape == (7,)
    with pytest.raises(lm.ShapeError, match="a pair for each of 1 axes"):
        run(lambda x: lm.pad(x, ((1, 1), (2, 2))))(x)
    with pytest.raises(lm.AxisError):
        run(lambda x: lm.pad(x, {1: 2}))(x)


GRADIENTS: dict[str, dict[str, Any]] = {
    "linear_ramp": {"end_values": 2.0}, "maximum": {"stat_length": 2}, "mean": {},
    "median": {"stat_length": 3}, "minimum": {}, "reflect": {"reflect_type": "odd"},
    "symmetric": {"reflect_type": "odd"}, "constant": {"value": ((1, 2), (3, 4))},
}  # fmt: skip


@pytest.mark.parametrize("mode", GRADIENTS)
def test_gradients(mode: str) -> None:
    x = rng_for("pad gradients", mode).normal(size=(2, 4))
    width = ((0, 1), (3, 2))

    def padded(x: Any) -> Any:
        return lm.pad(x, width, mode=mode, **GRADIENTS[mode]) ** 2

    assert lm.gradcheck(padded, [lm.asarray(x)])
    eager = lm.grad(lambda x: lm.sum(padded(x)))(x)
    compiled = lm.jit(lm.grad(lambda x: lm.sum(padded(x))))(x)
    np.testing.assert_allclose(compiled, eager, rtol=1e-12)
