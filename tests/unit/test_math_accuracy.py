"""Expanded math functions against longer arithmetic: at most 2 ulp on every input."""

from __future__ import annotations

import functools
import importlib
import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from math_native import BINARY, FLOATS, Array, Function, ulp_errors

from lamina.lowering.expand_math import EXPANSIONS

mpmath: Any = importlib.import_module("mpmath")
LONG = np.longdouble
LIMIT = 2.0
ALL = [name.removeprefix("math.") for name in EXPANSIONS]
UNARY = [name for name in ALL if name not in BINARY]


def inverse_root(x: Array) -> Array:
    return 1 / np.sqrt(x)


NUMPY: dict[str, Callable[..., Any]] = {
    "acos": np.arccos,
    "acosh": np.arccosh,
    "asin": np.arcsin,
    "asinh": np.arcsinh,
    "atan": np.arctan,
    "atan2": np.arctan2,
    "atanh": np.arctanh,
    "cos": np.cos,
    "cosh": np.cosh,
    "erf": np.vectorize(math.erf, otypes=[float]),
    "erfc": np.vectorize(math.erfc, otypes=[float]),
    "exp": np.exp,
    "exp2": np.exp2,
    "expm1": np.expm1,
    "log": np.log,
    "log10": np.log10,
    "log1p": np.log1p,
    "log2": np.log2,
    "powf": np.power,
    "rsqrt": inverse_root,
    "sin": np.sin,
    "sinh": np.sinh,
    "tan": np.tan,
    "tanh": np.tanh,
}
INF, NAN = math.inf, math.nan


Compiled = Callable[[str, int, int | None, bool], Function]
# the slow half of each test: targets without FMA
FMA = [True, pytest.param(False, marks=pytest.mark.slow)]


@pytest.fixture(scope="module")
def compiled() -> Iterator[Compiled]:
    """(name, bits, lanes, fma) -> the function, compiled once."""

    @functools.cache
    def function(name: str, bits: int, lanes: int | None, fma: bool) -> Function:
        return Function(name, bits, lanes, fma=fma)

    yield function
    function.cache_clear()


def edges(dtype: np.dtype[Any]) -> Array:
    """Zeros, infinities, NaN, and the neighbours of the numbers where a formula changes."""
    info = np.finfo(dtype)
    points = [0, 1, 2, 3, 0.25, 0.5, 0.5625, 0.75, 0.83, 0.995, 4, 6, 9.1, 10.05, 19.1, 27.2]
    points += [2 / 3, 4 / 3, 2.5, 2**0.5, 0.5**0.5, math.pi, math.pi / 2, math.pi / 4]
    points += [87.3, 88.7, 89.4, 103.9, 104, 127, 128, 149, 150, 131072, 2.0**28, 2.0**30, 2.0**53]
    points += [708.3, 709.78, 710.4, 745.1, 746, 1022, 1024, 1074, 1075, 2.0**-25, 2.0**-54, 1e-20]
    points += [float(info.max), float(info.tiny), float(info.smallest_subnormal)]
    x = np.array(points).astype(dtype)
    with np.errstate(over="ignore"):
        x = np.concatenate([x, np.nextafter(x, dtype.type(0)), np.nextafter(x, dtype.type(INF))])
    return np.concatenate([x, -x, np.array([INF, -INF, NAN], dtype)])


def check(name: str, found: Array, exact: Array, *inputs: Array) -> None:
    errors = ulp_errors(found, exact)
    worst = int(np.argmax(errors))
    at = tuple(x[worst] for x in inputs)
    assert errors[worst] <= LIMIT, f"{name}{at}: {found[worst]}, exactly {exact[worst]}"


def exactly(name: str, *inputs: Array) -> Array:
    """NumPy in the next longer format: f64 for f32, 80-bit for f64 (libm's own, not ours)."""
    longer = np.float64 if inputs[0].dtype == np.float32 else LONG
    with np.errstate(all="ignore"):
        return NUMPY[name](*(x.astype(longer) for x in inputs))


@pytest.mark.parametrize("fma", FMA)
@pytest.mark.parametrize("name", UNARY)
def test_f32_over_all_patterns(compiled: Compiled, name: str, fma: bool) -> None:
    stride = 65537 if name in ("erf", "erfc") else 4099
    patterns = np.arange(0, 2**32, stride, dtype=np.uint64).astype(np.uint32)
    x = np.concatenate([patterns.view(np.float32), edges(FLOATS[32])])
    check(name, compiled(name, 32, 8, fma)(x), exactly(name, x), x)


@pytest.mark.parametrize("name", ["sin", "cos", "tan"])
def test_f32_near_multiples_of_half_pi(compiled: Compiled, name: str) -> None:
    # the nearest floats to k pi / 2, where nearly all bits cancel, up to the largest float
    mpmath.mp.prec = 300
    rng = np.random.default_rng(0)
    exponents = rng.uniform(0, 127, 4000)
    multiples = [int(mpmath.mpf(2) ** e / (mpmath.pi / 2)) for e in exponents]
    x = np.array([float(k * mpmath.pi / 2) for k in multiples]).astype(np.float32)
    x = np.concatenate([x, np.array([16367173.0 * 2.0**72, 2.0**17], np.float32)])
    check(name, compiled(name, 32, 8, True)(x), exactly(name, x), x)


def f64_points() -> Array:
    rng = np.random.default_rng(1)
    parts: list[Array] = [rng.integers(0, 2**64, 30000, dtype=np.uint64).view(np.float64)]
    for low, high in ((-1, 1), (-8, 8), (-40, 40), (-760, 760), (0.6, 1.5), (-(2.0**31), 2.0**31)):
        parts.append(rng.uniform(low, high, 12000))
    parts.append(np.ldexp(rng.uniform(0.5, 1, 8000), rng.integers(-60, 4, 8000)))
    parts.append(np.arange(1, 8000) * (np.pi / 2))
    return np.concatenate([*parts, edges(FLOATS[64])])


@pytest.mark.skipif(np.finfo(LONG).nmant < 63, reason="needs an 80-bit long double")
@pytest.mark.parametrize("fma", FMA)
@pytest.mark.parametrize("name", [name for name in UNARY if name not in ("erf", "erfc")])
def test_f64(compiled: Compiled, name: str, fma: bool) -> None:
    x = f64_points()
    check(name, compiled(name, 64, 8, fma)(x), exactly(name, x), x)


@pytest.mark.slow
@pytest.mark.skipif(np.finfo(LONG).nmant < 63, reason="needs an 80-bit long double")
@pytest.mark.parametrize("fma", [True, False])
@pytest.mark.parametrize("name", ["erf", "erfc"])
def test_f64_erf(compiled: Compiled, name: str, fma: bool) -> None:
    mpmath.mp.prec = 120
    x = np.concatenate([np.random.default_rng(2).uniform(-6.5, 27.5, 3000), edges(FLOATS[64])])
    x = x[(np.abs(x) < 100) & (x != 0)]
    exact: list[Any] = []
    for value in x.tolist():
        y = getattr(mpmath, name)(mpmath.mpf(value))
        head = float(y)
        exact.append(LONG(head) + LONG(float(y - mpmath.mpf(head))))
    check(name, compiled(name, 64, 8, fma)(x), np.array(exact), x)


def pairs(bits: int) -> tuple[Array, Array]:
    """Pairs of edges, random patterns, powers in range, powers of numbers near 1, ratios near 1."""
    dtype, rng, n = FLOATS[bits], np.random.default_rng(3), 30000
    few = edges(dtype)[::3]
    few = np.concatenate([few, np.array([0.0, -0.0, 1, -1, 3, -3, 4, 0.5, INF, -INF, NAN], dtype)])
    xs, ys = [np.repeat(few, few.size)], [np.tile(few, few.size)]
    unsigned = np.uint32 if bits == 32 else np.uint64
    xs.append(rng.integers(0, 2**bits, n, dtype=unsigned).view(dtype))
    ys.append(rng.integers(0, 2**bits, n, dtype=unsigned).view(dtype))
    scale = 1 if bits == 32 else 8
    for base in (np.exp(rng.uniform(-80, 80, n)) ** scale, 1 + rng.normal(0, 1e-4, n)):
        xs.append(base.astype(dtype))
        ys.append((scale * rng.uniform(-150, 128, n) / np.log2(base)).astype(dtype))
    xs.append(rng.normal(0, 10, n).astype(dtype))
    ys.append(rng.integers(-20, 20, n).astype(dtype))
    size = np.exp(rng.uniform(-80, 80, n))
    xs.append((size * rng.uniform(0.3, 3, n)).astype(dtype))
    ys.append(size.astype(dtype))
    return np.concatenate(xs), np.concatenate(ys)


@pytest.mark.parametrize("fma", FMA)
@pytest.mark.parametrize("bits", [32, 64])
@pytest.mark.parametrize("name", BINARY)
def test_pairs(compiled: Compiled, name: str, bits: int, fma: bool) -> None:
    x, y = pairs(bits)
    check(name, compiled(name, bits, 8, fma)(x, y), exactly(name, x, y), x, y)


SPECIAL: dict[str, list[tuple[float, float]]] = {
    "acos": [(1, 0.0), (2, NAN), (-INF, NAN)],
    "acosh": [(1, 0.0), (0.5, NAN), (-2, NAN), (INF, INF)],
    "asin": [(-0.0, -0.0), (2, NAN)],
    "asinh": [(-0.0, -0.0), (-INF, -INF)],
    "atan": [(-0.0, -0.0)],
    "atanh": [(-0.0, -0.0), (1, INF), (-1, -INF), (2, NAN)],
    "cos": [(0.0, 1), (INF, NAN)],
    "cosh": [(-0.0, 1), (-INF, INF)],
    "erf": [(-0.0, -0.0), (INF, 1), (-INF, -1)],
    "erfc": [(INF, 0.0), (-INF, 2)],
    "exp": [(-INF, 0.0), (INF, INF), (0.0, 1)],
    "exp2": [(-INF, 0.0), (INF, INF), (5, 32)],
    "expm1": [(-0.0, -0.0), (-INF, -1), (INF, INF)],
    "log": [(0.0, -INF), (-0.0, -INF), (-1, NAN), (INF, INF), (1, 0.0)],
    "log10": [(0.0, -INF), (-1, NAN), (1000, 3)],
    "log1p": [(-0.0, -0.0), (-1, -INF), (-2, NAN), (INF, INF)],
    "log2": [(0.0, -INF), (-INF, NAN), (2.0**-100, -100)],
    "rsqrt": [(0.0, INF), (-0.0, -INF), (INF, 0.0), (-1, NAN)],
    "sin": [(-0.0, -0.0), (-INF, NAN)],
    "sinh": [(-0.0, -0.0), (-INF, -INF)],
    "tan": [(-0.0, -0.0), (INF, NAN)],
    "tanh": [(-0.0, -0.0), (-INF, -1), (INF, 1)],
}


@pytest.mark.parametrize("bits", [32, 64])
@pytest.mark.parametrize("name", UNARY)
def test_special_values(compiled: Compiled, name: str, bits: int) -> None:
    x, expected = np.array([*SPECIAL[name], (NAN, NAN)], FLOATS[bits]).T
    found = compiled(name, bits, 8, True)(x)
    np.testing.assert_array_equal(found, expected)
    known = ~np.isnan(found)
    np.testing.assert_array_equal(np.signbit(found)[known], np.signbit(expected)[known])


@pytest.mark.parametrize("fma", FMA)
@pytest.mark.parametrize("bits", [32, 64])
@pytest.mark.parametrize("name", ALL)
def test_scalars_and_vectors_have_equal_bits(
    compiled: Compiled, name: str, bits: int, fma: bool
) -> None:
    x, y = pairs(bits)
    inputs = (x[::37], y[::37])[: 2 if name in BINARY else 1]
    vectors = compiled(name, bits, 8, fma)(*inputs)
    np.testing.assert_array_equal(compiled(name, bits, None, fma)(*inputs), vectors)
