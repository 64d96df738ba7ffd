"""The Array API standard on drawn arrays: array-api-strict says what is right.

Strategies of `hypothesis.extra.array_api` draw dtypes, shapes and elements. Each row of the table
draws the arguments of one function; eager code runs all rows, compiled code (`testing.jitted`) a
part. docs/array-api.md tells how to run the standard's own suite.
"""

# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false

# ruff: noqa: E501

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any, TypeAlias

import array_api_strict as strict
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra.array_api import make_strategies_namespace

import lamina as lm
from lamina.testing import jitted

XPS = make_strategies_namespace(lm, api_version="2024.12")
Draw: TypeAlias = "Callable[[st.SearchStrategy[Any]], Any]"
Arguments: TypeAlias = "tuple[tuple[Any, ...], dict[str, Any]]"
Row: TypeAlias = "Callable[[Draw], Arguments]"

FLOATS = ["float32", "float64"]
COMPLEX = ["complex64", "complex128"]
SIGNED = ["int8", "int16", "int32", "int64"]
INTEGERS = [*SIGNED, "uint8", "uint16", "uint32", "uint64"]
REAL = [*INTEGERS, *FLOATS]
NUMERIC = [*REAL, *COMPLEX]
ALL = ["bool", *NUMERIC]
BITS = ["bool", *INTEGERS]
BOOLEANS = st.booleans()
SHAPES = XPS.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4)
FILLED = XPS.array_shapes(min_dims=1, max_dims=3, min_side=1, max_side=4)


def elements(dtype: str, low: float | None, high: float | None) -> Any:
    if dtype in COMPLEX:
        width = 64 if dtype == "complex64" else 128
        return st.complex_numbers(max_magnitude=high or 1000, allow_nan=False, width=width)
    bounds: dict[str, Any] = {}
    for key, value in (("min_value", low), ("max_value", high)):
        if value is not None and dtype != "bool":
            bounds[key] = max(value, 0) if dtype.startswith("u") else value
            bounds[key] = int(bounds[key]) if dtype in INTEGERS else float(bounds[key])
    return bounds


def array(
    draw: Draw,
    dtype: str,
    shape: Any = SHAPES,
    low: float | None = None,
    high: float | None = None,
) -> np.ndarray[Any, Any]:
    found = draw(XPS.arrays(dtype, shape, elements=elements(dtype, low, high)))
    return np.array(found)


def pick(draw: Draw, choices: list[Any]) -> Any:
    return draw(st.sampled_from(choices))


def axis_of(draw: Draw, x: np.ndarray[Any, Any]) -> int:
    return draw(st.integers(-x.ndim, x.ndim - 1))


def unary(dtypes: list[str], low: float | None = None, high: float | None = None) -> Row:
    return lambda draw: ((array(draw, pick(draw, dtypes), low=low, high=high),), {})


def binary(dtypes: list[str], low: float | None = None, high: float | None = None) -> Row:
    def row(draw: Draw) -> Arguments:
        first, second = draw(
            XPS.mutually_broadcastable_shapes(2, max_dims=3, max_side=4)
        ).input_shapes
        dtype = pick(draw, dtypes)
        return (array(draw, dtype, first, low, high), array(draw, dtype, second, low, high)), {}

    return row


def reduction(dtypes: list[str], shape: Any = FILLED, **keywords: st.SearchStrategy[Any]) -> Row:
    def row(draw: Draw) -> Arguments:
        x = array(draw, pick(draw, dtypes), shape, -100, 100)
        axis = pick(draw, [None, axis_of(draw, x), tuple(range(x.ndim))])
        drawn = {key: draw(value) for key, value in keywords.items()}
        return (x,), {"axis": axis, "keepdims": draw(st.booleans()), **drawn}

    return row


def along(dtypes: list[str], low: float | None = -3, **keywords: st.SearchStrategy[Any]) -> Row:
    def row(draw: Draw) -> Arguments:
        x = array(draw, pick(draw, dtypes), FILLED, low, 3)
        drawn = {key: draw(value) for key, value in keywords.items()}
        return (x,), {"axis": axis_of(draw, x), **drawn}

    return row


def matmul(draw: Draw) -> Arguments:
    a, b, c = (draw(st.integers(0, 4)) for _ in range(3))
    dtype = pick(draw, NUMERIC)
    left, right = pick(
        draw, [((a, b), (b, c)), ((b,), (b, c)), ((2, a, b), (b,)), ((2, a, b), (2, b, c))]
    )
    return (array(draw, dtype, left, -9, 9), array(draw, dtype, right, -9, 9)), {}


def tensordot(draw: Draw) -> Arguments:
    dtype = pick(draw, NUMERIC)
    return (array(draw, dtype, (2, 3), -9, 9), array(draw, dtype, (3, 2), -9, 9)), {
        "axes": pick(draw, [0, 1, ((0,), (1,)), ((0, 1), (1, 0))])
    }


def vecdot(draw: Draw) -> Arguments:
    dtype = pick(draw, NUMERIC)
    return (
        array(draw, dtype, (2, 3), -9, 9),
        array(draw, dtype, pick(draw, [(3,), (2, 3)]), -9, 9),
    ), {}


def where(draw: Draw) -> Arguments:
    shapes = draw(XPS.mutually_broadcastable_shapes(3, max_dims=3, max_side=4)).input_shapes
    first = pick(draw, NUMERIC)
    second = pick(draw, [first, *(FLOATS if first in FLOATS else [])])
    return (
        array(draw, "bool", shapes[0]),
        array(draw, first, shapes[1]),
        array(draw, second, shapes[2]),
    ), {}


def clip(draw: Draw) -> Arguments:
    x = array(draw, pick(draw, REAL), low=-50, high=50)
    low, high = sorted(draw(st.tuples(st.integers(0, 50), st.integers(0, 50))))
    return (x, pick(draw, [None, low]), pick(draw, [None, high])), {}


def concat(draw: Draw) -> Arguments:
    x = array(draw, pick(draw, ALL), FILLED)
    axis = pick(draw, [None, axis_of(draw, x)])
    return ([x, x, array(draw, str(x.dtype), x.shape)],), {"axis": axis}


def stack(draw: Draw) -> Arguments:
    x = array(draw, pick(draw, ALL))
    return ([x, array(draw, str(x.dtype), x.shape)],), {
        "axis": draw(st.integers(-x.ndim - 1, x.ndim))
    }


def reshape(draw: Draw) -> Arguments:
    x = array(draw, pick(draw, ALL), (2, 6))
    return (x, pick(draw, [(-1,), (12,), (3, 4), (2, 1, -1), (4, -1)])), {}


def permute(draw: Draw) -> Arguments:
    x = array(draw, pick(draw, ALL))
    return (x, tuple(draw(st.permutations(range(x.ndim))))), {}


def moveaxis(draw: Draw) -> Arguments:
    x = array(draw, pick(draw, ALL), FILLED)
    return (x, axis_of(draw, x), axis_of(draw, x)), {}


def roll(draw: Draw) -> Arguments:
    x = array(draw, pick(draw, ALL), FILLED)
    return (x, draw(st.integers(-5, 5))), {"axis": pick(draw, [None, axis_of(draw, x)])}


def repeat(draw: Draw) -> Arguments:
    x = array(draw, pick(draw, ALL), FILLED)
    return (x, draw(st.integers(0, 3))), {"axis": pick(draw, [None, axis_of(draw, x)])}


def tile(draw: Draw) -> Arguments:
    x = array(draw, pick(draw, ALL))
    return (x, tuple(draw(st.lists(st.integers(0, 2), max_size=3)))), {}


def expand(draw: Draw) -> Arguments:
    x = array(draw, pick(draw, ALL))
    return (x,), {"axis": draw(st.integers(-x.ndim - 1, x.ndim))}


def triangle(draw: Draw) -> Arguments:
    return (array(draw, pick(draw, ALL), (3, 4)),), {"k": draw(st.integers(-5, 5))}


def take(draw: Draw) -> Arguments:
    x = array(draw, pick(draw, ALL), FILLED)
    axis = axis_of(draw, x)
    size = x.shape[axis]
    indices = draw(st.lists(st.integers(-size, size - 1), max_size=4))
    return (x, np.asarray(indices, np.int64)), {"axis": axis}


def take_along(draw: Draw) -> Arguments:
    x = array(draw, pick(draw, ALL), FILLED)
    axis = axis_of(draw, x)
    return (x, array(draw, "int64", x.shape, 0, x.shape[axis] - 1)), {"axis": axis}


def searchsorted(draw: Draw) -> Arguments:
    dtype = pick(draw, REAL)
    x = np.sort(array(draw, dtype, (5,), -9, 9))
    return (x, array(draw, dtype, (4,), -9, 9)), {"side": pick(draw, ["left", "right"])}


def isin(draw: Draw) -> Arguments:
    dtype = pick(draw, INTEGERS)
    return (array(draw, dtype, low=0, high=5), array(draw, dtype, low=0, high=5)), {}


def diff(draw: Draw) -> Arguments:
    x = array(draw, pick(draw, NUMERIC), FILLED, -9, 9)
    return (x,), {"axis": axis_of(draw, x), "n": draw(st.integers(0, 3))}


def arange(draw: Draw) -> Arguments:
    start, stop, step = (draw(st.integers(-20, 20)) for _ in range(3))
    scale = pick(draw, [1, 0.5])
    return (start * scale, stop * scale, (step or 1) * scale), {}


def linspace(draw: Draw) -> Arguments:
    low, high = (draw(st.integers(-50, 50)) / 4 for _ in range(2))
    return (low, high, draw(st.integers(0, 6))), {"endpoint": draw(st.booleans())}


def eye(draw: Draw) -> Arguments:
    return (draw(st.integers(0, 4)), draw(st.integers(0, 4))), {"k": draw(st.integers(-5, 5))}


def astype(draw: Draw) -> Arguments:
    return (array(draw, pick(draw, [*INTEGERS, *FLOATS]), low=0, high=100), pick(draw, NUMERIC)), {}


def meshgrid(draw: Draw) -> Arguments:
    dtype = pick(draw, NUMERIC)
    return (array(draw, dtype, (2,)), array(draw, dtype, (3,))), {
        "indexing": pick(draw, ["xy", "ij"])
    }


def broadcast(draw: Draw) -> Arguments:
    return (array(draw, pick(draw, ALL), pick(draw, [(), (3,), (2, 1), (2, 3)])), (4, 2, 3)), {}


TABLE: dict[str, Row] = {
    **dict.fromkeys(["add", "subtract"], binary(NUMERIC, -9, 9)),
    "multiply": binary(NUMERIC, -9, 9), "divide": binary([*FLOATS, *COMPLEX], 0.5, 9),
    "floor_divide": binary(REAL, 1, 100), "remainder": binary(REAL, 1, 100),
    "pow": binary(REAL, 0, 4), "atan2": binary(FLOATS), "hypot": binary(FLOATS, -1e9, 1e9),
    "logaddexp": binary(FLOATS, -50, 50), "copysign": binary(FLOATS), "nextafter": binary(FLOATS),
    **dict.fromkeys(["equal", "not_equal"], binary(ALL)),
    **dict.fromkeys(["less", "less_equal", "greater", "greater_equal"], binary(REAL)),
    **dict.fromkeys(["maximum", "minimum"], binary(REAL)),
    **dict.fromkeys(["logical_and", "logical_or", "logical_xor"], binary(["bool"])),
    **dict.fromkeys(["bitwise_and", "bitwise_or", "bitwise_xor"], binary(BITS)),
    **dict.fromkeys(["bitwise_left_shift", "bitwise_right_shift"], binary(INTEGERS, 0, 7)),
    "bitwise_invert": unary(BITS), "logical_not": unary(["bool"]),
    **dict.fromkeys(["abs", "negative", "positive"], unary(["int8", "int64", *FLOATS, *COMPLEX])),
    **dict.fromkeys(["floor", "ceil", "trunc", "round"], unary(REAL)),
    **dict.fromkeys(["isnan", "isinf", "isfinite"], unary(NUMERIC)),
    "sign": unary(NUMERIC), "square": unary(NUMERIC, -9, 9), "signbit": unary(FLOATS),
    "reciprocal": unary([*FLOATS, *COMPLEX], 0.5, 9), "real": unary(COMPLEX), "imag": unary(COMPLEX),
    "conj": unary(COMPLEX),
    **dict.fromkeys(
        ["acos", "acosh", "asin", "asinh", "atan", "atanh", "cos", "cosh", "exp", "expm1", "log",
         "log1p", "log2", "log10", "sin", "sinh", "sqrt", "tan", "tanh"],
        unary([*FLOATS, *COMPLEX], None, 50)),
    **dict.fromkeys(["sum", "prod"], reduction(NUMERIC, SHAPES.filter(len))),
    **dict.fromkeys(["max", "min"], reduction(REAL)), "mean": reduction(FLOATS),
    **dict.fromkeys(["any", "all", "count_nonzero"], reduction(ALL)),
    **dict.fromkeys(["var", "std"], reduction(FLOATS, correction=st.sampled_from([0, 0.5]))),
    **dict.fromkeys(["argmax", "argmin"], along(REAL, keepdims=BOOLEANS)),
    "sort": along(REAL, descending=BOOLEANS), "argsort": along(REAL, descending=BOOLEANS),
    **dict.fromkeys(["cumulative_sum", "cumulative_prod"], along(NUMERIC, include_initial=BOOLEANS)),
    "diff": diff, "searchsorted": searchsorted, "take": take, "take_along_axis": take_along,
    **dict.fromkeys(["unique_values", "unique_counts"], unary(INTEGERS)), "isin": isin,
    "nonzero": lambda draw: ((array(draw, pick(draw, ALL), FILLED),), {}),
    "where": where, "clip": clip, "matmul": matmul, "tensordot": tensordot, "vecdot": vecdot,
    "matrix_transpose": lambda draw: ((array(draw, pick(draw, ALL), (2, 3, 4)),), {}),
    "concat": concat, "stack": stack, "reshape": reshape, "permute_dims": permute,
    "moveaxis": moveaxis, "roll": roll, "repeat": repeat, "tile": tile, "expand_dims": expand,
    "flip": along(ALL), "unstack": along(ALL), "broadcast_to": broadcast,
    "squeeze": lambda draw: ((array(draw, pick(draw, ALL), (1, 3, 1)), pick(draw, [0, -1, (0, 2)])), {}),
    **dict.fromkeys(["tril", "triu"], triangle),
    "arange": arange, "linspace": linspace, "eye": eye, "meshgrid": meshgrid, "astype": astype,
    "full_like": lambda draw: ((array(draw, pick(draw, REAL)), 7), {}),
    "zeros_like": unary(ALL), "ones_like": unary(ALL),
}  # fmt: skip
"""Function -> what draws its arguments."""

COMPILED = [
    "add", "multiply", "divide", "floor_divide", "pow", "less", "bitwise_xor", "abs", "isfinite",
    "exp", "sqrt", "tanh", "sum", "max", "any", "var", "argmax", "sort", "cumulative_sum", "where",
    "clip", "matmul", "vecdot", "concat", "reshape", "roll", "repeat", "expand_dims", "tril", "take",
    "linspace", "astype", "broadcast_to", "take_along_axis", "searchsorted", "diff",
]  # fmt: skip


def test_the_table_has_every_function_of_the_namespace() -> None:
    outside = {
        "asarray", "from_dlpack", "empty", "empty_like", "zeros", "ones", "full", "can_cast",
        "finfo", "iinfo", "isdtype", "result_type", "broadcast_arrays", "unique_all",
        "unique_inverse", "broadcast_shapes", "__array_namespace_info__",
    }  # fmt: skip
    functions = {name for name in strict.__all__ if hasattr(getattr(strict, name), "__code__")}
    functions -= {name for name in functions if "flags" in name.lower()}
    assert functions - outside <= set(TABLE)


def given_to(xp: ModuleType | Any, value: Any) -> Any:
    """`value` with its NumPy arrays and names of dtypes as those of `xp`."""
    if isinstance(value, np.ndarray):
        return xp.asarray(np.array(value))
    if isinstance(value, list):
        return [given_to(xp, item) for item in value]
    return getattr(xp, value) if value in ALL and isinstance(value, str) else value


def parts(value: Any) -> list[np.ndarray[Any, Any]]:
    if isinstance(value, (tuple, list)):
        return [part for item in value for part in parts(item)]
    return [np.asarray(getattr(value, "_array", value))]


def check(name: str, xp: Any, arguments: Arguments) -> None:
    args, options = arguments
    with np.errstate(all="ignore"):
        expected = getattr(strict, name)(*(given_to(strict, x) for x in args), **options)
        found = getattr(xp, name)(*(given_to(xp, x) for x in args), **options)
    for ours, theirs in zip(parts(found), parts(expected), strict=True):
        assert ours.dtype == theirs.dtype
        assert ours.shape == theirs.shape
        if ours.dtype.kind in "fc":
            single = ours.dtype in (np.float32, np.complex64)
            rtol, atol = (2e-5, 1e-5) if single else (1e-12, 1e-12)
            np.testing.assert_allclose(ours, theirs, rtol=rtol, atol=atol)
        else:
            np.testing.assert_array_equal(ours, theirs)


def run(name: str, xp: Any, examples: int) -> None:
    @settings(
        max_examples=examples, derandomize=True, deadline=None, database=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
    )  # fmt: skip
    @given(st.data())
    def test(data: st.DataObject) -> None:
        check(name, xp, TABLE[name](data.draw))

    test()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", TABLE)
def test_eager(name: str) -> None:
    run(name, lm, 8)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", COMPILED)
def test_compiled(name: str) -> None:
    run(name, jitted, 2)
