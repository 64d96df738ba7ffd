"""What `nd` ops give, by exact arithmetic: Python ints, fractions and mpmath, never NumPy's ufuncs.

Elements are Python bools, ints and floats. A float result is exact and then rounded once.
"""

from __future__ import annotations

import functools
import importlib
import itertools
import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from math import copysign, inf, isfinite, isinf, isnan, nan, prod
from typing import Any

import numpy as np

from lamina.interpreters.types import BF16, BOOL, F16, F32, F64, Array, DType, is_float

Element = Any
mpmath: Any = importlib.import_module("mpmath")
FORMATS = {F16: (11, -14, 15), BF16: (8, -126, 127), F32: (24, -126, 127), F64: (53, -1022, 1023)}
"""dtype -> (bits of precision, smallest and largest exponent of a normal number)."""


def round_fraction(exact: Fraction, dtype: DType) -> float:
    """The nearest number of `dtype`, ties to even, denormals kept; overflow gives an infinity."""
    if exact == 0:
        return 0.0
    precision, low, high = FORMATS[dtype]
    size = abs(exact)
    exponent = size.numerator.bit_length() - size.denominator.bit_length()
    exponent = max(exponent if size >= Fraction(2) ** exponent else exponent - 1, low)
    quantum = Fraction(2) ** (exponent - precision + 1)
    rounded = round(size / quantum) * quantum
    value = inf if rounded >= Fraction(2) ** (high + 1) else float(rounded)
    return value if exact > 0 else -value


def wrap(value: int, dtype: DType) -> int:
    """`value` modulo 2^width, in the range of an integer dtype."""
    width = 8 * dtype.itemsize
    value %= 1 << width
    return value - (1 << width) if dtype.kind == "i" and value >> (width - 1) else value


# Elementwise: name -> function of elements and their dtype.


def _exactly(approximate: float, exact: Fraction, dtype: DType) -> float:
    """A zero result keeps the sign that IEEE gives it, as in `approximate`."""
    return round_fraction(exact, dtype) if exact else copysign(0.0, approximate)


def _add(a: Element, b: Element, d: DType) -> Element:
    if not is_float(d):
        return wrap(a + b, d)
    if not (isfinite(a) and isfinite(b)):
        return a + b
    return _exactly(a + b, Fraction(a) + Fraction(b), d)


def _subtract(a: Element, b: Element, d: DType) -> Element:
    return _add(a, -b, d)


def _multiply(a: Element, b: Element, d: DType) -> Element:
    if not is_float(d):
        return wrap(a * b, d)
    if not (isfinite(a) and isfinite(b)):
        return a * b
    sign = copysign(1.0, a) * copysign(1.0, b)
    return _exactly(sign, Fraction(a) * Fraction(b), d)


def _divide(a: float, b: float, d: DType) -> float:
    if isnan(a) or isnan(b) or (isinf(a) and isinf(b)) or a == b == 0:
        return nan
    sign = copysign(1.0, a) * copysign(1.0, b)
    if isinf(a) or b == 0:
        return copysign(inf, sign)
    if isinf(b):
        return copysign(0.0, sign)
    return _exactly(sign, Fraction(a) / Fraction(b), d)


def _floor_divide(a: Element, b: Element, d: DType) -> Element:
    if not is_float(d):
        return wrap(a // b, d) if b else 0
    if isnan(a) or isnan(b) or isinf(a) or b == 0 or a == 0:
        return _divide(a, b, d)
    if isinf(b):
        return _divide(a, b, d)
    return round_fraction(Fraction(math.floor(Fraction(a) / Fraction(b))), d)


def _remainder(a: Element, b: Element, d: DType) -> Element:
    if not is_float(d):
        return a % b if b else 0
    if isnan(a) or isnan(b) or isinf(a) or b == 0:
        return nan
    if isinf(b):
        return copysign(0.0, b) if a == 0 else a if (a < 0) == (b < 0) else b
    quotient = math.floor(Fraction(a) / Fraction(b))
    return _exactly(b, Fraction(a) - quotient * Fraction(b), d)


def _maximum(a: Element, b: Element, d: DType) -> Element:
    if is_float(d) and (isnan(a) or isnan(b)):
        return nan
    if a == b == 0 and is_float(d):
        return max(a, b, key=lambda x: copysign(1.0, x))
    return max(a, b)


def _minimum(a: Element, b: Element, d: DType) -> Element:
    return -_maximum(-a, -b, d) if is_float(d) else min(a, b)


def _nextafter(a: float, b: float, d: DType) -> float:
    if isnan(a) or isnan(b):
        return nan
    if a == b:
        return b
    precision, low, high = FORMATS[d]
    if isinf(a):
        return copysign(float(2 - Fraction(2) ** (1 - precision)) * 2.0**high, a)
    exponent = max(math.frexp(a)[1] - 1, low) if a else low
    away = a == 0 or (b > a) == (a > 0)
    quantum = Fraction(2) ** (exponent - precision + 1)
    if not away and abs(a) == 2.0**exponent and exponent > low:
        quantum /= 2
    moved = Fraction(abs(a)) + (quantum if away else -quantum)
    return copysign(round_fraction(moved, d), a or b)


def _shift_left(a: int, b: int, d: DType) -> int:
    return wrap(a << b, d) if 0 <= b < 8 * d.itemsize else 0


def _shift_right(a: int, b: int, d: DType) -> int:
    return a >> b if 0 <= b < 8 * d.itemsize else -(a < 0)


def _sign(a: Element, d: DType) -> Element:
    return a if is_float(d) and isnan(a) else (a > 0) - (a < 0)


def _sqrt(a: float, d: DType) -> float:
    if isnan(a) or a <= 0 or isinf(a):
        return a if a in (0.0, inf) else nan
    shift = 1 << 12  # even, and far more bits than any format has
    scaled = Fraction(a) * (1 << shift)
    whole = scaled.numerator // scaled.denominator
    root = math.isqrt(whole)
    inexact = root * root != scaled
    return round_fraction(Fraction(2 * root + inexact, 2 << (shift // 2)), d)


def _rounding(function: Callable[[float], int]) -> Callable[[Element, DType], Element]:
    def rounded(a: float, _: DType) -> float:
        return copysign(float(function(a)), a) if isfinite(a) else a

    return rounded


def cast_element(a: Element, source: DType, target: DType) -> Element:
    """`nd.cast` of one element."""
    if target == BOOL:
        return a != 0
    if is_float(target):
        if is_float(source) and (not isfinite(a) or a == 0):
            return a
        return round_fraction(Fraction(a), target)
    if not is_float(source):
        return wrap(int(a), target)
    low, high = int(np.iinfo(target).min), int(np.iinfo(target).max)
    return 0 if isnan(a) else int(min(max(a, low), high)) if isfinite(a) else low if a < 0 else high


EXACT_UNARY: dict[str, Callable[[Element, DType], Element]] = {
    "negative": lambda a, d: -a if is_float(d) else wrap(-a, d),
    "abs": lambda a, d: abs(a) if is_float(d) else wrap(abs(a), d),
    "sign": _sign,
    "bitwise_invert": lambda a, d: not a if d == BOOL else wrap(~a, d),
    "sqrt": _sqrt,
    "floor": _rounding(math.floor),
    "ceil": _rounding(math.ceil),
    "trunc": _rounding(math.trunc),
    "round": _rounding(round),
}
EXACT_BINARY: dict[str, Callable[[Element, Element, DType], Element]] = {
    "add": _add,
    "subtract": _subtract,
    "multiply": _multiply,
    "divide": _divide,
    "floor_divide": _floor_divide,
    "remainder": _remainder,
    "copysign": lambda a, b, _: copysign(a, b),
    "nextafter": _nextafter,
    "maximum": _maximum,
    "minimum": _minimum,
    "bitwise_and": lambda a, b, _: a & b,
    "bitwise_or": lambda a, b, _: a | b,
    "bitwise_xor": lambda a, b, _: a ^ b,
    "left_shift": _shift_left,
    "right_shift": _shift_right,
    "equal": lambda a, b, _: a == b,
    "not_equal": lambda a, b, _: a != b,
    "less": lambda a, b, _: a < b,
    "less_equal": lambda a, b, _: a <= b,
    "greater": lambda a, b, _: a > b,
    "greater_equal": lambda a, b, _: a >= b,
}
EXACT: dict[str, Callable[..., Element]] = {**EXACT_UNARY, **EXACT_BINARY}

TRANSCENDENTAL: dict[str, Callable[..., Any]] = {
    "exp": mpmath.exp,
    "exp2": functools.partial(mpmath.power, 2),
    "expm1": mpmath.expm1,
    "log": mpmath.log,
    "log1p": mpmath.log1p,
    "log2": functools.partial(mpmath.log, b=2),
    "log10": mpmath.log10,
    "sin": mpmath.sin,
    "cos": mpmath.cos,
    "tan": mpmath.tan,
    "asin": mpmath.asin,
    "acos": mpmath.acos,
    "atan": mpmath.atan,
    "sinh": mpmath.sinh,
    "cosh": mpmath.cosh,
    "tanh": mpmath.tanh,
    "asinh": mpmath.asinh,
    "acosh": mpmath.acosh,
    "atanh": mpmath.atanh,
    "erf": mpmath.erf,
    "erfc": mpmath.erfc,
    "hypot": mpmath.hypot,
    "pow": mpmath.power,
    "atan2": mpmath.atan2,
}
"""Functions of mpmath numbers; call them within `mpmath.workprec(1200)` or so."""


def ulp_error(found: float, exact: Any, dtype: DType) -> float:
    """How many units in the last place of `dtype` (at `exact`, an mpmath number) it is off.

    An infinity for an exact value that rounds to one is not off.
    """
    precision, low, high = FORMATS[dtype]
    size = abs(exact)
    limit = mpmath.ldexp(1, high + 1) * (1 - mpmath.ldexp(1, -precision - 1))
    if isinf(found) or size >= limit:
        near = size >= mpmath.ldexp(1, high + 1) * (1 - mpmath.ldexp(1, 2 - precision))
        return 0.0 if near and (found > 0) == (exact > 0) else inf
    if isnan(found):
        return inf
    exponent = max(mpmath.frexp(size)[1] - 1, low) if size else low
    return float(abs(mpmath.mpf(found) - exact) / mpmath.ldexp(1, exponent - precision + 1))


# Whole arrays.


def elements(x: Array) -> list[Element]:
    """The elements in row-major order as Python values."""
    wide = x.astype(F64) if is_float(x.dtype) else x
    return np.ravel(wide).tolist()


def fractions(x: Array) -> Array:
    """An object array of exact elements: ints or fractions."""
    make = Fraction if is_float(x.dtype) else int
    result = np.empty(x.size, object)
    result[:] = [make(element) for element in elements(x)]
    return result.reshape(x.shape)


def groups(x: Array, axes: tuple[int, ...]) -> tuple[tuple[int, ...], list[list[Element]]]:
    """The shape without `axes`, and for each place of it the elements that are reduced."""
    kept = [axis for axis in range(x.ndim) if axis not in axes]
    shape = tuple(x.shape[axis] for axis in kept)
    rows = x.transpose(*kept, *axes).reshape(prod(shape), prod(x.shape[axis] for axis in axes))
    return shape, [elements(row) for row in rows]


def dot(x: Array, y: Array, params: dict[str, Any]) -> Array:
    """`nd.dot_general` of object arrays."""
    names = itertools.count()
    left = {axis: next(names) for axis in range(x.ndim)}
    right = {
        j: left[i]
        for i, j in zip(
            (*params["lhs_batch"], *params["lhs_contract"]),
            (*params["rhs_batch"], *params["rhs_contract"]),
            strict=True,
        )
    }
    right |= {axis: next(names) for axis in range(y.ndim) if axis not in right}
    free = [left[axis] for axis in range(x.ndim) if axis not in params["lhs_contract"]]
    batch = [left[axis] for axis in params["lhs_batch"]]
    out = batch + [name for name in free if name not in batch]
    out += [right[axis] for axis in range(y.ndim) if right[axis] not in left.values()]
    names_of_y = [right[axis] for axis in range(y.ndim)]
    result = np.einsum(x, list(left.values()), y, names_of_y, out)  # an empty sum is an int
    return np.asarray(np.frompyfunc(Fraction, 1, 1)(result), object)


def conv(x: Array, kernel: Array, params: dict[str, Any]) -> Array:
    """`nd.conv` of object arrays, one window at a time."""
    strides, dilation, padding = params["strides"], params["dilation"], params["padding"]
    pads = list(zip(padding[::2], padding[1::2], strict=True))
    out: list[int] = []
    for i, (size, window) in enumerate(zip(x.shape[2:], kernel.shape[2:], strict=True)):
        out.append((size + sum(pads[i]) - dilation[i] * (window - 1) - 1) // strides[i] + 1)
    result = np.zeros((x.shape[0], kernel.shape[0], *out), object)
    per_group = kernel.shape[0] // params["groups"]
    for n, o, *place in np.ndindex(*result.shape):
        for c, *tap in np.ndindex(*kernel.shape[1:]):
            at = [
                p * s + t * d - low
                for p, s, t, d, (low, _) in zip(place, strides, tap, dilation, pads, strict=True)
            ]
            if all(0 <= a < size for a, size in zip(at, x.shape[2:], strict=True)):
                channel = o // per_group * kernel.shape[1] + c
                result[(n, o, *place)] += x[(n, channel, *at)] * kernel[(o, c, *tap)]
    return result


def assert_same(found: Array, expected: Sequence[Any], dtype: DType, note: object = "") -> None:
    """Equal type and elements: zeros by sign, NaN equal to NaN; of complex numbers, each part."""
    assert found.dtype == dtype, f"{note}: expected {dtype}, found {found.dtype}"
    if dtype.kind == "c":
        part = np.dtype(f"f{dtype.itemsize // 2}")
        numbers: list[Any] = list(expected)
        assert_same(np.real(found), [x.real for x in numbers], part, note)
        assert_same(np.imag(found), [x.imag for x in numbers], part, note)
        return
    for index, (a, b) in enumerate(zip(elements(found), expected, strict=True)):
        both_nan = is_float(dtype) and math.isnan(a) and math.isnan(b)
        signs = not is_float(dtype) or math.copysign(1, a) == math.copysign(1, b)
        assert both_nan or (a == b and signs), f"{note} at {index}: expected {b!r}, found {a!r}"
