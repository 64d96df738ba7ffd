"""Derives the coefficients of `lowering/math_*.py`: `python tests/fit_polynomials.py [name ...]`.

Each table is a minimax fit (Remez exchange, mpmath at 60 digits) of a weighted error. The
coefficients are rounded to the format from the lowest up; after each rounding the higher ones take
over what it lost, as far as they can (least squares). Printed: log2 of the largest weighted error
before and after rounding. Deterministic; nothing here runs when Lamina does.
"""

from __future__ import annotations

import struct
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import mpmath as mp
import numpy as np

mp.mp.dps = 60

Real = Any  # mpmath has no types
Function = Callable[[Real], Real]


def rounded(value: Real, bits: int) -> float:
    """`value` in f32 or f64, as a Python float."""
    if bits == 64:
        return float(value)
    return struct.unpack("<f", struct.pack("<f", float(value)))[0]


def spelled(value: float, bits: int) -> str:
    """The shortest decimal that reads back as the same f32 or f64."""
    digits = next(n for n in range(1, 18) if rounded(float(f"{value:.{n}g}"), bits) == value)
    return repr(float(f"{value:.{digits}g}"))


def polynomial(c: Sequence[Real], x: Real) -> Real:
    """c[0] + c[1] x + c[2] x^2 + ..."""
    result = mp.mpf(0)
    for coefficient in reversed(c):
        result = result * x + coefficient
    return result


def remez(f: Function, low: Real, high: Real, weight: Function, count: int):
    """The minimax c of weight(x) * (f(x) - sum c[i] x^i); returns (c, largest error)."""
    middle, half = (low + high) / 2, (high - low) / 2
    ends = count + 1
    nodes = [middle - half * mp.cos(mp.pi * (2 * i + 1) / (2 * ends)) for i in range(ends)]
    size = 60 * ends
    grid = [middle - half * mp.cos(mp.pi * (i + mp.mpf(0.5)) / size) for i in range(size)]
    values = [(f(x), weight(x)) for x in grid]
    for _ in range(25):
        matrix, right = mp.matrix(ends, ends), mp.matrix(ends, 1)
        for i, x in enumerate(nodes):
            for j in range(count):
                matrix[i, j] = x**j
            matrix[i, count] = (-1) ** i / weight(x)
            right[i] = f(x)
        solution = mp.lu_solve(matrix, right)
        c = [solution[j] for j in range(count)]
        errors = [w * (y - polynomial(c, x)) for x, (y, w) in zip(grid, values, strict=True)]
        peaks, best = [], 0
        for i in range(1, size):
            if (errors[i] > 0) != (errors[i - 1] > 0):
                peaks.append(best)
                best = i
            elif abs(errors[i]) > abs(errors[best]):
                best = i
        peaks.append(best)
        while len(peaks) > ends:
            peaks.pop(0 if abs(errors[peaks[0]]) < abs(errors[peaks[-1]]) else -1)
        largest = max(abs(e) for e in errors)
        if len(peaks) < ends or largest < 1.02 * min(abs(errors[i]) for i in peaks):
            break
        nodes = [grid[i] for i in peaks]
    return c, largest


@dataclass(frozen=True)
class Fit:
    """One table: `f` on [low, high] as a polynomial of `count` coefficients."""

    f: Function
    low: Any
    high: Any
    weight: Function
    count: int
    bits: int

    def error_of(self, c: list[float]) -> Real:
        """The largest weighted error of the polynomial `c`."""
        low, high = mp.mpf(self.low), mp.mpf(self.high)
        points = (low + (high - low) * (i + mp.mpf(0.5)) / 500 for i in range(500))
        return max(abs(self.weight(x) * (self.f(x) - polynomial(c, x))) for x in points)

    def coefficients(self) -> tuple[list[float], Real]:
        """The rounded coefficients and the error of the unrounded fit."""
        low, high = mp.mpf(self.low), mp.mpf(self.high)
        exact, error = remez(self.f, low, high, self.weight, self.count)
        nodes = [
            (low + high) / 2 - (high - low) / 2 * mp.cos(mp.pi * (i + 0.5) / 200)
            for i in range(200)
        ]
        weights = np.array([float(self.weight(x)) for x in nodes])
        powers = np.array([[float(x**j) for j in range(self.count)] for x in nodes])
        powers *= weights[:, None]
        done: list[float] = []
        for k in range(self.count):
            done.append(rounded(exact[k], self.bits))
            lost = float(exact[k] - mp.mpf(done[k]))
            if k + 1 < self.count:
                shift = np.linalg.lstsq(powers[:, k + 1 :], lost * powers[:, k], rcond=None)[0]
                for j, d in enumerate(shift, k + 1):
                    exact[j] += mp.mpf(float(d))
        return done, error


def root(f: Function) -> Function:
    """x -> f(sqrt(x))"""
    return lambda z: f(mp.sqrt(z))


TINY = mp.mpf(10) ** -20
HALF_LN2 = mp.log(2) / 2 * mp.mpf("1.001")


def _exp(count: int, bits: int) -> Fit:
    return Fit(
        lambda r: (mp.expm1(r) - r) / r**2,
        -HALF_LN2,
        HALF_LN2 * mp.mpf("1.002"),
        lambda r: r * r / mp.exp(r),
        count,
        bits,
    )


def _log_of_f(count: int) -> Fit:
    return Fit(
        lambda f: (mp.log1p(f) - f + f * f / 2) / f**3,
        "-0.33335",
        "0.3341",
        lambda f: f**3 / mp.log1p(f),
        count,
        32,
    )


def _sin(count: int, bits: int) -> Fit:
    # a shade less than the sine near pi/2: a result just above 1 would be two ulp off
    shade = mp.mpf(0.15) * mp.mpf(2) ** -24 if bits == 32 else mp.mpf(0.2) * mp.mpf(2) ** -53

    def sine(r: Real) -> Real:
        return mp.sin(r) * (1 - shade * (2 * r / mp.pi) ** 6)

    return Fit(
        root(lambda r: (sine(r) / r - 1) / r**2),
        TINY,
        "2.5" if bits == 32 else "2.469",
        root(lambda r: r**3 / mp.sin(r)),
        count,
        bits,
    )


def _odd(f: Function, high: Any, count: int, bits: int) -> Fit:
    """P in f(x) = x + x^3 P(x^2) on [0, high], by relative error."""
    return Fit(
        root(lambda x: (f(x) / x - 1) / x**2),
        TINY,
        mp.mpf(high) ** 2,
        root(lambda x: x**3 / f(x)),
        count,
        bits,
    )


def _exp2(count: int, bits: int) -> Fit:
    return Fit(lambda r: (2**r - 1) / r, "-0.5005", "0.501", lambda r: r / 2**r, count, bits)


def _cos(count: int, bits: int) -> Fit:
    """P in cos(r) = 1 - r^2/2 + r^4 P(r^2) on [0, pi/4]."""
    return Fit(
        root(lambda r: (mp.cos(r) - 1 + r * r / 2) / r**4),
        TINY,
        mp.mpf("0.786") ** 2,
        root(lambda r: r**4 / mp.cos(r)),
        count,
        bits,
    )


def _log2_series(count: int) -> Fit:
    """P in log2(1 + f) = s P(s^2), s = f / (2 + f)."""
    return Fit(
        root(lambda s: 2 * mp.atanh(s) / s / mp.log(2)),
        TINY,
        mp.mpf("0.1716") ** 2,
        root(lambda s: s * mp.log(2) / (2 * mp.atanh(s))),
        count,
        64,
    )


def _log_series(count: int) -> Fit:
    """P in log(1 + f) = 2 s + 2/3 s^3 + s^5 P(s^2)."""
    return Fit(
        root(lambda s: (2 * mp.atanh(s) - 2 * s - 2 * s**3 / 3) / s**5),
        TINY,
        mp.mpf("0.1716") ** 2,
        root(lambda s: s**5 / (2 * mp.atanh(s))),
        count,
        64,
    )


def _erfc(count: int, high: float, part: float) -> Fit:
    """P in erfc(x) = exp(-x^2) (part + P(q)) / (x + 3), q = (x - 3) / (x + 3)."""
    c = mp.mpf(3)

    def f(q: Real) -> Real:
        x = c * (1 + q) / (1 - q)
        return mp.erfc(x) * mp.exp(x * x) * (x + c)

    low = (mp.mpf("0.499") - c) / (mp.mpf("0.499") + c)
    return Fit(lambda q: f(q) - part, low, (high - c) / (high + c), lambda q: 1 / f(q), count, 64)


def _erf_small(count: int, high: str, bits: int) -> Fit:
    return Fit(
        root(lambda x: mp.erf(x) / x - 1),
        TINY,
        mp.mpf(high) ** 2,
        root(lambda x: x / mp.erf(x)),
        count,
        bits,
    )


def _erf_large(count: int, low: str, high: str, bits: int) -> Fit:
    return Fit(
        lambda x: -mp.log(mp.erfc(x)) / x,
        low,
        high,
        lambda x: x * mp.erfc(x) / mp.erf(x),
        count,
        bits,
    )


def _tanh(count: int, bits: int) -> Fit:
    return Fit(
        root(lambda x: (mp.tanh(x) / x - 1) / x**2),
        TINY,
        mp.mpf("0.5625") ** 2,
        root(lambda x: x**3 / mp.tanh(x)),
        count,
        bits,
    )


FITS: dict[str, Fit] = {
    "exp32": _exp(5, 32),
    "exp64": _exp(10, 64),
    "log32": _log_of_f(8),
    "log64": Fit(
        root(lambda s: (2 * mp.atanh(s) - 2 * s) / s**3),
        TINY,
        mp.mpf("0.1716") ** 2,
        root(lambda s: s**3 / mp.atanh(s)),
        7,
        64,
    ),
    "sin32": _sin(4, 32),
    "sin64": _sin(8, 64),
    "tanh32": _tanh(5, 32),
    "tanh64": _tanh(11, 64),
    "exp2_32": _exp2(6, 32),
    "exp2_64": _exp2(12, 64),
    "quarter_sin64": _odd(mp.sin, "0.786", 6, 64),
    "quarter_cos64": _cos(6, 64),
    "quarter_sin32": _odd(mp.sin, "0.786", 3, 64),
    "quarter_cos32": _cos(3, 64),
    "atan32": _odd(mp.atan, "0.5", 5, 32),
    "atan64": _odd(mp.atan, "0.5", 12, 64),
    "asin32": _odd(mp.asin, "0.5", 5, 64),
    "asin64": _odd(mp.asin, "0.5", 13, 64),
    "sinh32": _odd(mp.sinh, "1.0", 4, 32),
    "sinh64": _odd(mp.sinh, "1.0", 7, 64),
    "atanh64": _odd(mp.atanh, "0.5", 13, 64),
    "pow32": _log2_series(5),
    "pow64": _log_series(8),
    "erfc32": _erfc(10, 10.5, 0.0),
    "erfc64": _erfc(22, 28.0, 1.0625),
    "erf_small32": _erf_small(6, "0.85", 32),
    "erf_small64": _erf_small(12, "1.0", 64),
    "erf_large32": _erf_large(7, "0.8", "4.0", 32),
    "erf_large64": _erf_large(18, "0.99", "6.0", 64),
}


def main(names: list[str]) -> None:
    """Print the tables named, or all."""
    for name in names or FITS:
        fit = FITS[name]
        values, error = fit.coefficients()
        errors = [mp.nstr(mp.log(e, 2), 4) for e in (error, fit.error_of(values))]
        print(f"{name}  # 2^{errors[0]}, rounded 2^{errors[1]}")
        for value in values:
            print(f"    {spelled(value, fit.bits)},")


if __name__ == "__main__":
    main(sys.argv[1:])
