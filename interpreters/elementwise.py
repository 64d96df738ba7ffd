"""Elementwise ops. NumPy's function where it keeps the numeric contract, else ours.

What NumPy does otherwise, and is mended here: `inf // 2` is NaN, `-1.0 // inf` is -1 (the Array
API has -0.0); maximum and minimum return either of two zeros; a half's nextafter loses the sign of
a zero; float to int out of range is undefined.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from lamina.interpreters.dtypes import BF16, BOOL, F32, F64, HALVES, Array, DType, is_float


def cast(x: Array, *, dtype: DType) -> Array:
    """`x` with another element type.

    Floats round once to nearest even, out-of-range floats saturate to integers (NaN to 0),
    integers wrap, anything to bool is `x != 0`.
    """
    source = x.dtype
    if source == dtype:
        return x
    if dtype == BOOL:
        return x != 0
    if dtype.kind in "iu" and is_float(source):
        return _saturate(x, dtype)
    if dtype == BF16 and source.kind in "iuf" and source.itemsize >= 4:
        return _to_bfloat16(x)
    return x.astype(dtype)


def _saturate(x: Array, dtype: DType) -> Array:
    """Floats to integers. The bounds are powers of two: exact in float32 and float64."""
    x = x.astype(F32) if x.dtype in HALVES else x
    info = np.iinfo(dtype)
    low, high = float(info.min), float(info.max + 1)
    inside = (x >= low) & (x < high)
    if inside.all():
        return x.astype(dtype)
    result = np.where(inside, x, x.dtype.type(0)).astype(dtype)
    result = np.where(x >= high, dtype.type(info.max), result)
    return np.where(x < low, dtype.type(info.min), result)


def _to_bfloat16(x: Array) -> Array:
    """float32, float64 and integers rounded once; ml_dtypes goes through float32 and rounds twice.

    The step to float32 rounds to odd: what is cut off stays visible in the last bit.
    """
    if x.dtype == F32:
        return x.astype(BF16)
    x = np.asarray(x)
    if x.dtype.kind in "iu" and x.dtype.itemsize == 8:
        # Beyond 2^53, 12 low bits cannot reach a bfloat16: keep whether they were 0.
        low = x & x.dtype.type(0xFFF)
        squeezed = (x - low) | ((low != 0).astype(x.dtype) << x.dtype.type(11))
        large = (x >= 2**53) if x.dtype.kind == "u" else (x >= 2**53) | (x <= -(2**53))
        x = np.where(large, squeezed, x)
    wide = x.astype(F64)
    narrow = np.asarray(wide.astype(F32))
    back = narrow.astype(F64)
    bits = narrow.view(np.uint32) - (np.abs(back) > np.abs(wide))
    return (bits | (back != wide)).view(F32).astype(BF16)


def _round_to(wide: Array, dtype: DType) -> Array:
    """A float64 result rounded once to `dtype`."""
    return _to_bfloat16(wide) if dtype == BF16 else wide.astype(dtype)


def through_float64(function: Callable[..., Array]) -> Callable[..., Array]:
    """`function` of float64 for every float type: computed in float64 and rounded once.

    Operands are made row-major: for others NumPy takes loops that round in another way.
    """

    def meaning(*operands: Array) -> Array:
        dtype = operands[0].dtype
        if dtype == F32 or dtype in HALVES:
            return _round_to(function(*(x.astype(F64) for x in operands)), dtype)
        return function(*(x if x.flags.c_contiguous else x.copy() for x in operands))

    return meaning


def _through_float32(function: Callable[..., Array]) -> Callable[..., Array]:
    """`function` with half types computed in float32 and rounded."""

    def meaning(*operands: Array) -> Array:
        dtype = operands[0].dtype
        if dtype in HALVES:
            return function(*(x.astype(F32) for x in operands)).astype(dtype)
        return function(*operands)

    return meaning


@_through_float32
def floor_divide(x: Array, y: Array) -> Array:
    """Floor of the quotient; an integer by 0 gives 0; with an infinity the plain quotient."""
    quotient = np.floor_divide(x, y)
    if x.dtype.kind in "iu":
        return quotient
    return np.where(np.isinf(x) | np.isinf(y), x / y, quotient)


def maximum(x: Array, y: Array) -> Array:
    """The larger; NaN wins, -0.0 < +0.0."""
    result = np.maximum(x, y)
    if result.dtype.kind in "iub" or not np.count_nonzero(result == 0):
        return result
    return np.where((x == y) & (x == 0), x + y, result)  # the sum is -0.0 only for two -0.0


def minimum(x: Array, y: Array) -> Array:
    """The smaller; NaN wins, -0.0 < +0.0."""
    result = np.minimum(x, y)
    if result.dtype.kind in "iub" or not np.count_nonzero(result == 0):
        return result
    return np.where((x == y) & (x == 0), -(-x - y), result)  # +0.0 only for two +0.0


def nextafter(x: Array, y: Array) -> Array:
    """The neighbour of x towards y; y where they are equal."""
    return np.where(x == y, y, np.nextafter(x, y))


def sign(x: Array) -> Array:
    """-1, +0 or 1; NaN stays NaN."""
    return np.sign(x) + x.dtype.type(0)  # of bfloat16, NumPy keeps -0.0


_float_pow = through_float64(np.power)


def pow(x: Array, y: Array) -> Array:
    """Power. Integers wrap, and the bits of an integer exponent are taken as unsigned."""
    if x.dtype.kind == "i":
        unsigned = np.dtype(f"u{x.dtype.itemsize}")
        return np.power(x.astype(unsigned), y.astype(unsigned)).astype(x.dtype)
    return np.power(x, y) if x.dtype.kind == "u" else _float_pow(x, y)


def select(predicate: Array, x: Array, y: Array) -> Array:
    """`x` where `predicate`, else `y`."""
    return np.where(predicate, x, y)


MEANING: dict[str, Callable[..., Any]] = {
    "add": np.add,
    "subtract": np.subtract,
    "multiply": np.multiply,
    "divide": np.divide,
    "floor_divide": floor_divide,
    "remainder": _through_float32(np.remainder),
    "pow": pow,
    "copysign": np.copysign,
    "nextafter": nextafter,
    "maximum": maximum,
    "minimum": minimum,
    "bitwise_and": np.bitwise_and,
    "bitwise_or": np.bitwise_or,
    "bitwise_xor": np.bitwise_xor,
    "left_shift": np.left_shift,
    "right_shift": np.right_shift,
    "equal": np.equal,
    "not_equal": np.not_equal,
    "less": np.less,
    "less_equal": np.less_equal,
    "greater": np.greater,
    "greater_equal": np.greater_equal,
    "negative": np.negative,
    "abs": np.abs,
    "sign": sign,
    "bitwise_invert": np.invert,
    "sqrt": np.sqrt,
    "floor": np.floor,
    "ceil": np.ceil,
    "trunc": np.trunc,
    "round": np.rint,
    "select": select,
    "cast": cast,
}
