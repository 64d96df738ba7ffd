"""Derives the coefficients of `lowering/math_*.py`: `python tests/fit_polynomials.py [name ...]`.

Each table is a minimax fit (Remez exchange, mpmath at 60 digits) of a weighted error. The
coefficients are rounded to the format from the lowest up; on one side of 0 the rest is fitted
again after each rounding, so that a rounded leading coefficient costs nothing. The printed `err`
is log2 of the largest weighted error of the unrounded fit. Deterministic; nothing here runs when
Lamina does.
"""

from __future__ import annotations

import struct
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import mpmath as mp

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


def remez(f: Function, low: Real, high: Real, weight: Function, first: int, count: int):
    """The minimax c of weight(x) * (f(x) - sum c[i] x^(first+i)); returns (c, largest error)."""
    middle, half = (low + high) / 2, (high - low) / 2
    nodes = [
        middle - half * mp.cos(mp.pi * (2 * i + 1) / (2 * (count + 1))) for i in range(count + 1)
    ]
    size = 60 * (count + 1)
    grid = [middle - half * mp.cos(mp.pi * (i + mp.mpf(0.5)) / size) for i in range(size)]
    values = [(f(x), weight(x)) for x in grid]
    for _ in range(25):
        matrix, right = mp.matrix(count + 1, count + 1), mp.matrix(count + 1, 1)
        for i, x in enumerate(nodes):
            for j in range(count):
                matrix[i, j] = x ** (first + j)
            matrix[i, count] = (-1) ** i / weight(x)
            right[i] = f(x)
        solution = mp.lu_solve(matrix, right)
        c = [solution[j] for j in range(count)]
        errors = [
            w * (y - x**first * mp.polyval(c[::-1], x))
            for x, (y, w) in zip(grid, values, strict=True)
        ]
        peaks, best = [], 0
        for i in range(1, size):
            if (errors[i] > 0) != (errors[i - 1] > 0):
                peaks.append(best)
                best = i
            elif abs(errors[i]) > abs(errors[best]):
                best = i
        peaks.append(best)
        while len(peaks) > count + 1:
            peaks.pop(0 if abs(errors[peaks[0]]) < abs(errors[peaks[-1]]) else -1)
        largest = max(abs(e) for e in errors)
        if len(peaks) <= count or largest < 1.02 * min(abs(errors[i]) for i in peaks):
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

    def coefficients(self) -> tuple[list[float], Real]:
        """The rounded coefficients and the error of the unrounded fit."""
        low, high = mp.mpf(self.low), mp.mpf(self.high)
        done: list[float] = []
        error = None
        while len(done) < self.count:
            known = list(done)

            def rest(x: Real, known: list[float] = known) -> Real:
                return self.f(x) - (mp.polyval(known[::-1], x) if known else 0)

            c, largest = remez(rest, low, high, self.weight, len(done), self.count - len(done))
            error = largest if error is None else error
            # across 0 the remaining powers of x are no Chebyshev system: no second fit there,
            # and none in f64 once the roundings are far below the error
            last = low < 0 < high or (self.bits == 64 and len(done) > 3)
            done += [rounded(x, self.bits) for x in (c if last else c[:1])]
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
    shade = mp.mpf(0.15) * mp.mpf(2) ** -24 if bits == 32 else mp.mpf(0.25) * mp.mpf(2) ** -53

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
        print(f"{name}  # err 2^{float(mp.log(error, 2)):.1f}")
        for value in values:
            print(f"    {spelled(value, fit.bits)},")


if __name__ == "__main__":
    main(sys.argv[1:])
