"""Expanded math functions against longer arithmetic: at most 2 ulp on every input."""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from exhaustive_math import largest_error
from math_native import BINARY, FLOATS, Array, Function, ulp_errors
from math_points import INF, LIMIT, NAN, NUMPY, UNARY, edges, f64_points, pairs

from lamina.lowering.expand_math import EXPANSIONS

mpmath: Any = importlib.import_module("mpmath")
LONG = np.longdouble
ALL = [name.removeprefix("math.") for name in EXPANSIONS]

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


@pytest.mark.slow
@pytest.mark.parametrize("fma", [True, False])
@pytest.mark.parametrize("name", ["exp", "log", "tanh", "sin", "erf"])
def test_f32_on_2_to_24_patterns(name: str, fma: bool) -> None:
    worst, place = largest_error(name, fma, 256)
    assert worst <= LIMIT, place


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
