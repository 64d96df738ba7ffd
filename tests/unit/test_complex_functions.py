"""Complex functions, eager and compiled: against mpmath at drawn points of every magnitude, near
the branch points, and on the cuts; branch cuts against cmath. Special values: test_array_api."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportUnknownLambdaType=false

from __future__ import annotations

import cmath
import math
from typing import Any

import mpmath  # type: ignore[import-untyped]
import numpy as np
import pytest

import lamina as lm
from lamina.frontend.complex_functions import FUNCTIONS

BOUND = 6.0
"""Units of rounding of abs(result)."""
PERIODIC = {"sinh": "imag", "cosh": "imag", "tanh": "imag", "expm1": "imag",
            "sin": "real", "cos": "real", "tan": "real"}  # fmt: skip
"""Function -> the part in which it is periodic; it grows in the other."""


def points() -> np.ndarray[Any, Any]:
    rng, count = np.random.default_rng(7), 40

    def wide(low: float, high: float) -> Any:
        return rng.choice([-1.0, 1.0], count) * 10.0 ** rng.uniform(low, high, count)

    near = 1.0 + wide(-15, -1)
    found = [
        rng.normal(size=count) + 1j * rng.normal(size=count),
        wide(-300, 300) + 1j * wide(-300, 300),
        wide(-3, 3) + 1j * wide(-3, 3),
        rng.choice([-1.0, 1.0], count) * near + 1j * wide(-20, 0),
        1j * rng.choice([-1.0, 1.0], count) * near + wide(-20, 0),
    ]
    return np.concatenate(found)


def exact(name: str, z: complex) -> Any:
    special: dict[str, Any] = {
        "log2": lambda m: mpmath.log(m) / mpmath.log(2),
        "log1p": lambda m: mpmath.log(1 + m),
        "expm1": lambda m: mpmath.exp(m) - 1,
    }
    function: Any = special.get(name, getattr(mpmath, name, None))
    parts: tuple[Any, Any] = z.real, z.imag
    with mpmath.workprec(1300):
        return function(mpmath.mpc(*parts))


Z = points()
with np.errstate(over="ignore"):
    NARROW = Z.astype(np.complex64)


def apart(found: complex, value: Any) -> Any:
    """abs(found - value), exactly."""
    parts: tuple[Any, Any] = found.real, found.imag
    return abs(mpmath.mpc(*parts) - value)


def is_fair(name: str, z: complex) -> bool:
    """Whether the result is a number, and the period is known well enough."""
    if name not in PERIODIC:
        return True
    turning = z.imag if PERIODIC[name] == "imag" else z.real
    growing = z.real if PERIODIC[name] == "imag" else z.imag
    return abs(turning) < 1e9 and abs(growing) < 700


@pytest.mark.parametrize("name", FUNCTIONS)
def test_against_mpmath(name: str) -> None:
    function = getattr(lm, name)
    results = [np.asarray(f(lm.asarray(Z))) for f in (function, lm.jit(function))]
    single = np.asarray(function(lm.asarray(NARROW)))
    checked = 0
    for place, z in enumerate(Z):
        if not is_fair(name, z):
            continue
        value = exact(name, z)
        size = abs(value)
        if not 1e-300 < size < 1e300:
            continue
        checked += 1
        for found in (result[place] for result in results):
            assert apart(found, value) < BOUND * 2.0**-53 * size, z
        narrow = complex(NARROW[place])
        if 1e-30 < abs(narrow.real) < 1e30 and 1e-30 < abs(narrow.imag) < 1e30:
            value = exact(name, narrow)
            if 1e-30 < abs(value) < 1e30:
                error = apart(complex(single[place]), value)
                assert error < 2.0**-23 * abs(value), narrow
    assert checked >= 100


@pytest.mark.parametrize("name", ["sqrt", "log", "asin", "acos", "atan", "asinh", "acosh", "atanh"])
def test_branch_cuts(name: str) -> None:
    """On a cut the sign of the zero says which side."""
    cuts = [complex(x, y) for x in (-3.0, -0.5, 0.5, 3.0) for y in (0.0, -0.0)]
    cuts += [complex(y, x) for x in (-3.0, -0.5, 0.5, 3.0) for y in (0.0, -0.0)]
    found = np.asarray(getattr(lm, name)(lm.asarray(cuts)))
    expected = [getattr(cmath, name)(z) for z in cuts]
    np.testing.assert_allclose(found, expected, rtol=1e-14, atol=1e-14)


def test_powers() -> None:
    base, exponent = Z[:40], Z[80:120]
    fair = np.abs(exponent) < 30
    base, exponent = base[fair], exponent[fair]
    for power in (lm.pow, lm.jit(lm.pow)):
        found = np.asarray(power(lm.asarray(base), lm.asarray(exponent)))
        np.testing.assert_allclose(found, base**exponent, rtol=1e-12)
        whole = np.asarray(power(lm.asarray(base), 5))
        np.testing.assert_allclose(whole, base**5, rtol=1e-13)
    zero = lm.asarray([0j, 0j, 0j])
    found = np.asarray(lm.pow(zero, lm.asarray([0j, 2 + 1j, -1 + 0j])))
    assert found[0] == 1 and found[1] == 0 and math.isnan(found[2].real)
    x = lm.asarray([1j])
    assert (x**1) is not x and np.asarray(x**0)[0] == 1


@pytest.mark.parametrize("size", [0, 1, 2, 7])
def test_running_sums_and_products(size: int) -> None:
    x = Z[:size]
    for kind, reference in ((lm.cumulative_sum, np.cumsum), (lm.cumulative_prod, np.cumprod)):
        for function in (kind, lm.jit(kind)):
            np.testing.assert_allclose(
                np.asarray(function(lm.asarray(x))), reference(x), rtol=1e-13
            )


@pytest.mark.parametrize("endpoint", [True, False])
def test_linspace(endpoint: bool) -> None:
    for start, stop, count in ((0, 1j, 5), (1 - 2j, 3, 4), (1j, 1j, 1), (0j, 2, 0)):
        expected = np.linspace(start, stop, count, endpoint=endpoint)
        found = lm.linspace(start, stop, count, endpoint=endpoint)
        assert found.dtype == np.complex128
        np.testing.assert_allclose(np.asarray(found), expected, rtol=1e-15)
    with pytest.raises(lm.DTypeError, match="linspace: expected a complex dtype, found float32"):
        lm.linspace(0, 1j, 3, dtype=lm.float32)
    with pytest.raises(lm.ArgumentError, match="linspace: expected a number, found str"):
        lm.linspace("a", 1j, 3)
