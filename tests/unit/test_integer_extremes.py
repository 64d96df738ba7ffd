"""Integers of every width at their extremes, through every integer op, against Python's ints.

Eager and compiled, arrays of 1, 7 and 67 elements: whole vectors and tails, ours and NumPy's.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

import numpy as np
import pytest
from op_row import FLOATS, INTEGERS, LARGEST, SMALLEST
from references import EXACT, assert_same, cast_element, elements, wrap

import lamina as lm
from lamina.interpreters.types import BOOL, DTYPES, INT64, Array, DType
from lamina.options import CompileOptions

LENGTHS = (1, 7, 67)
UNARY = ("negative", "positive", "abs", "sign", "square", "bitwise_invert")
BINARY = (
    "add", "subtract", "multiply", "floor_divide", "remainder", "maximum", "minimum",
    "bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_left_shift", "bitwise_right_shift",
    "equal", "not_equal", "less", "less_equal", "greater", "greater_equal",
)  # fmt: skip


def extremes(dtype: DType) -> list[int]:
    """The ends of the range, numbers around 0 and the width, and bit patterns."""
    low, high, width = int(np.iinfo(dtype).min), int(np.iinfo(dtype).max), 8 * dtype.itemsize
    near = {0, 1, 2, 3, 7, width - 1, width, width + 1, high // 2 + 1, high // 3, high - 1, high}
    negative = {-x for x in (1, 2, 3, width - 1, width)} | {low, low + 1, low // 2}
    return sorted(near | (negative if low else set[int]()))


def power(a: int, b: int, dtype: DType) -> int:
    return wrap(pow(a, b, 1 << 64), dtype)


def itself(a: int, dtype: DType) -> int:
    return a


def square(a: int, dtype: DType) -> int:
    return wrap(a * a, dtype)


REFERENCES: dict[str, Callable[..., Any]] = {
    **EXACT,
    "pow": power,
    "positive": itself,
    "square": square,
    "bitwise_left_shift": EXACT["left_shift"],
    "bitwise_right_shift": EXACT["right_shift"],
}
"""Function -> what it is of Python ints and their dtype."""


Functions = dict[str, Callable[..., Any]]
Expected = dict[str, tuple[list[Any], DType]]


def every(functions: Functions) -> Callable[..., dict[str, Any]]:
    """All the functions of the same operands, as one."""

    def call(*operands: Any) -> dict[str, Any]:
        return {name: function(*operands) for name, function in functions.items()}

    return call


def jitted(functions: Functions) -> Callable[..., dict[str, Any]]:
    """The same, compiled."""
    return lm.jit(every(functions), options=CompileOptions(cache=False))


def check(functions: Functions, operands: list[Array], expected: Expected) -> None:
    """The functions on arrays of each length, eager and compiled, until all operands were taken."""
    for length in LENGTHS:
        compiled = jitted(functions)
        for start in range(0, len(operands[0]), length):
            places = np.arange(start, start + length) % len(operands[0])
            given = [x[places] for x in operands]
            both = every(functions)(*map(lm.asarray, given)), compiled(*given)
            for (name, (values, dtype)), results in itertools.product(expected.items(), both):
                wanted = [values[i] for i in places.tolist()]
                assert_same(np.asarray(results[name]), wanted, dtype, (name, length, given))


def one_type(functions: Functions, operands: list[Array], dtype: DType) -> None:
    """Functions whose results have the operands' type, or bool."""
    expected: Expected = {}
    for name in functions:
        values = [REFERENCES[name](*xs, dtype) for xs in zip(*map(elements, operands), strict=True)]
        expected[name] = values, BOOL if isinstance(values[0], bool) else dtype
    check(functions, operands, expected)


def caster(target: DType) -> Callable[[Any], Any]:
    """The cast to a type."""
    return lambda x: lm.astype(x, target)


def check_casts(x: Array, targets: Iterable[DType]) -> None:
    """Casts to each of the types."""
    check(
        {str(target): caster(target) for target in targets},
        [x],
        {str(t): ([cast_element(a, x.dtype, t) for a in elements(x)], t) for t in targets},
    )


@cache
def pairs(dtype: DType) -> list[Array]:
    """Every pair of extremes."""
    columns = zip(*itertools.product(extremes(dtype), repeat=2), strict=True)
    return [np.array(column, dtype) for column in columns]


@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
def test_two_operands(dtype: DType) -> None:
    one_type({name: getattr(lm, name) for name in BINARY}, pairs(dtype), dtype)


@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
def test_one_operand(dtype: DType) -> None:
    one_type({name: getattr(lm, name) for name in UNARY}, [np.array(extremes(dtype), dtype)], dtype)


@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
def test_powers(dtype: DType) -> None:
    x, y = pairs(dtype)
    one_type({"pow": lm.pow}, [x[y >= 0], y[y >= 0]], dtype)


@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
def test_casts(dtype: DType) -> None:
    check_casts(np.array(extremes(dtype), dtype), DTYPES)


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_floats_saturate(dtype: DType) -> None:
    ends = [float(e) for t in INTEGERS for e in (np.iinfo(t).min, np.iinfo(t).max)]
    with np.errstate(all="ignore"):
        edges = np.array([*ends, 0.0, 0.5, 0.99, 1.5, 2.5, LARGEST[dtype], SMALLEST[dtype]])
        edges = edges.astype(dtype)
        near = [np.nextafter(edges, dtype.type(way)) for way in (-np.inf, np.inf)]
        special = np.array([np.inf, -np.inf, np.nan, -0.0]).astype(dtype)
        x = np.concatenate([edges, *near, -edges, special]).astype(dtype)
    check_casts(x, (*INTEGERS, BOOL))


def square_sum(x: Any) -> Any:
    """The product of a vector with itself."""
    return x @ x


@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
def test_folds(dtype: DType) -> None:
    """Sums and products wrap in 64 bits, products of matrices in their own type."""
    wide = INT64 if dtype.kind == "i" else np.dtype(np.uint64)
    functions: Functions = {
        "sum": lm.sum, "prod": lm.prod, "max": lm.max, "min": lm.min, "dot": square_sum,
    }  # fmt: skip
    for length in LENGTHS:
        x = np.resize(np.array(extremes(dtype)[::-1], dtype), length)
        numbers, product = elements(x), 1
        for number in numbers:
            product *= number
        expected = {
            "sum": wrap(sum(numbers), wide), "prod": wrap(product, wide),
            "max": max(numbers), "min": min(numbers),
            "dot": wrap(sum(a * a for a in numbers), dtype),
        }  # fmt: skip
        for results in (every(functions)(lm.asarray(x)), jitted(functions)(x)):
            for name, value in expected.items():
                result = wide if name in ("sum", "prod") else dtype
                assert_same(np.asarray(results[name]), [value], result, (name, length))
