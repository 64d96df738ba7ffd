"""Every elementwise row of the op table against exact arithmetic, and the contract's tables.

All dtypes and special values. NumPy is nobody's reference here.
"""

from __future__ import annotations

import math
from fractions import Fraction
from math import inf, nan
from typing import Any

import numpy as np
import pytest
import references
from op_row import FLOATS, INTEGERS, LARGEST, SMALLEST, Row, layouts, special_values, values
from op_table import ROWS, SHAPES, cases, rng_for
from references import assert_same, elements, mpmath, round_fraction, ulp_error

from lamina.dialects.nd import OPS
from lamina.dialects.nd.effects import OPS as EFFECTS
from lamina.errors import CompileError
from lamina.interpreters import MEANING, call, forbid
from lamina.interpreters.types import (
    BF16,
    BOOL,
    DTYPES,
    F16,
    F32,
    F64,
    HALVES,
    INT64,
    Array,
    DType,
    from_dense,
    is_float,
    to_dense,
)


def test_the_table_the_meanings_and_the_dialect_have_the_same_ops() -> None:
    # what ops with effects mean is known to `evaluate`, and drawn programs have them
    effects = {op.name for op in EFFECTS}
    names = {op.name.removeprefix("nd.") for op in OPS if op.name not in effects}
    assert set(ROWS) == names
    assert set(MEANING) == names


# Elementwise.

EXACT_ROWS = [ROWS[name] for name in references.EXACT]


@pytest.mark.parametrize(("row", "dtype"), cases(EXACT_ROWS))
def test_exact_elementwise(row: Row, dtype: DType) -> None:
    special = special_values(dtype)
    operands: tuple[Array, ...] = (special,)
    if row.name in references.EXACT_BINARY:
        operands = tuple(np.ravel(x) for x in np.meshgrid(special, special))
    rng = rng_for(row.name, dtype)
    drawn = row.draw(rng, (200,), dtype)
    assert drawn is not None
    operands = tuple(np.concatenate(pair) for pair in zip(operands, drawn[0], strict=True))
    found = call(row.name, *operands)
    expected = [
        references.EXACT[row.name](*xs, dtype) for xs in zip(*map(elements, operands), strict=True)
    ]
    result = BOOL if isinstance(expected[0], bool) else dtype
    if row.name == "floor_divide" and is_float(dtype):
        assert_near_quotients(found, expected, dtype)
    else:
        assert_same(found, expected, result, row.name)


def assert_near_quotients(found: Array, expected: list[float], dtype: DType) -> None:
    """Quotients that are beyond the working precision, and so not exact, may be 1 ulp off."""
    working = F32 if dtype in HALVES else dtype
    precision = references.FORMATS[working][0]
    for a, b in zip(elements(found), expected, strict=True):
        if abs(b) < 2.0 ** (precision - 1) or not math.isfinite(b):
            assert_same(np.array([a]), [b], F64)
        elif math.isinf(a):
            assert abs(b) == LARGEST[dtype]
        else:
            assert ulp_error(a, mpmath.mpf(b), dtype) <= 1


def test_every_float16_is_rounded_as_it_should_be() -> None:
    x = np.arange(2**16, dtype=np.uint16).view(F16)
    for name in ("floor", "ceil", "trunc", "round", "sqrt", "negative", "abs", "sign"):
        expected = [references.EXACT[name](a, F16) for a in elements(x)]
        assert_same(call(name, x), expected, F16, name)


@pytest.mark.parametrize("target", DTYPES, ids=str)
@pytest.mark.parametrize("source", DTYPES, ids=str)
def test_cast(source: DType, target: DType) -> None:
    parts = [special_values(source), values(rng_for(source, target), source, (50,), -400, 400)]
    if is_float(source):
        for dtype in FLOATS:  # ties between neighbours of each type, and what is next to them
            ties = np.array([1 + 2.0**-k for k in range(6, 27)])
            near = np.concatenate([ties, np.nextafter(ties, 2), np.nextafter(ties, 0)])
            parts += [near.astype(source), (near * SMALLEST[dtype]).astype(source)]
        for dtype in INTEGERS:
            edge = float(np.iinfo(dtype).max) + 1
            edges = np.array([edge, edge - 1, -edge, -edge - 1, edge / 2 + 0.5])
            parts.append(call("cast", edges, dtype=source))
    elif source.itemsize >= 4:
        bits = 8 * source.itemsize - 2
        tie = (1 << bits) + (1 << (bits - 8))
        parts.append(np.array([tie, tie + 1, tie - 1, 3 * tie // 2, 16777217], source))
        if source.kind == "i":
            parts.append(-parts[-1])
    with np.errstate(all="ignore"):
        x = np.concatenate(parts)
    expected = [references.cast_element(a, source, target) for a in elements(x)]
    assert_same(call("cast", x, dtype=target), expected, target, x)


def test_a_cast_to_bfloat16_rounds_once() -> None:
    """Through float32 the first of these becomes a tie, and then even."""
    x = np.array([1 + 2.0**-8 + 2.0**-40, 1 + 2.0**-8, 1 + 2.0**-8 - 2.0**-40])
    assert elements(call("cast", x, dtype=BF16)) == [1 + 2.0**-7, 1.0, 1.0]
    assert elements(call("cast", np.array(2**62 + 2**54 + 1), dtype=BF16)) == [2.0**62 + 2.0**55]


ULP_ROWS = [ROWS[name] for name in references.TRANSCENDENTAL]
ULP_LIMIT = {F16: 0.5001, BF16: 0.5001, F32: 0.5001, F64: 2.0}
"""Half types and float32 are computed in float64 and rounded once; float64 has the contract's."""


def transcendental_operands(row: Row, dtype: DType) -> tuple[Array, ...]:
    """Ordinary values, small and large ones of all magnitudes, and finite special ones."""
    rng = rng_for(row.name, dtype)
    drawn = row.draw(rng, (150,), dtype)
    assert drawn is not None
    special = special_values(dtype)
    finite = special[np.isfinite(special.astype(F64))]
    low, high = math.log2(SMALLEST[dtype]), math.log2(LARGEST[dtype])
    operands: list[Array] = []
    for ordinary in drawn[0]:
        wide = np.exp2(rng.uniform(low, high, 100)) * rng.choice([-1, 1], 100)
        near = 1 + rng.normal(0, 0.01, 50)
        parts = [ordinary, wide.astype(dtype), near.astype(dtype), rng.permutation(finite)]
        operands.append(np.concatenate(parts))
    return tuple(operands)


@pytest.mark.parametrize(("row", "dtype"), [c for c in cases(ULP_ROWS) if is_float(c.values[1])])
def test_transcendental(row: Row, dtype: DType) -> None:
    operands = transcendental_operands(row, dtype)
    found = call(row.name, *operands)
    assert found.dtype == dtype
    worst = 0.0
    for result, *point in zip(elements(found), *map(elements, operands), strict=True):
        exact = exact_value(row.name, point)
        if exact is None:
            continue
        error = ulp_error(result, exact, dtype)
        assert error <= ULP_LIMIT[dtype], f"{point}: {error} ulp off, found {result!r}"
        worst = max(worst, error)
    assert worst > 0.1, "expected errors of rounding, found none: is anything tested?"


DOMAIN = {"asin": (-1, 1), "acos": (-1, 1), "acosh": (1, inf), "atanh": (-1 + 1e-18, 1 - 1e-18)}
CANCELLING = ("log1p", "expm1", "erf", "sinh", "tanh", "asinh", "atanh")
"""Near 0 the function is as small as its argument."""


def exact_value(name: str, point: list[float]) -> Any:
    """The function at a point in many digits; None where the tables of special values say it."""
    if name == "pow" and (point[0] <= 0 or abs(point[1]) > 1e9):
        return None
    if name.startswith("log") and point[0] <= (-1 if name == "log1p" else 0):
        return None
    if name in ("exp", "exp2", "expm1") and abs(point[0]) > 1e5:
        return mpmath.mpf(0 if name != "expm1" else -1) if point[0] < 0 else mpmath.mpf(inf)
    if not DOMAIN.get(name, (-inf, inf))[0] <= point[0] <= DOMAIN.get(name, (-inf, inf))[1]:
        return None
    if name in ("sinh", "cosh") and abs(point[0]) > 1e5:
        return mpmath.mpf(inf if point[0] > 0 or name == "cosh" else -inf)
    if name == "erfc" and abs(point[0]) > 100:
        return mpmath.mpf(0 if point[0] > 0 else 2)
    if name in ("tanh", "erf") and abs(point[0]) > 100:
        return mpmath.mpf(math.copysign(1, point[0]))
    if name == "atan2" and point[0] == 0:
        return None
    digits = 1300 if name in ("sin", "cos", "tan") else 300
    with mpmath.workprec(digits + (1100 if name in CANCELLING else 0)):
        return references.TRANSCENDENTAL[name](*(mpmath.mpf(x) for x in point))


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_select(dtype: DType) -> None:
    x, y = special_values(dtype), special_values(dtype)[::-1]
    p = np.arange(len(x)) % 3 == 0
    chosen = [a if c else b for c, a, b in zip(p, elements(x), elements(y), strict=True)]
    assert_same(call("select", p, x, y), chosen, dtype)


@pytest.mark.parametrize(
    "row", [row for row in ROWS.values() if row.name in MEANING], ids=lambda row: row.name
)
def test_layout_and_shape_do_not_change_the_result(row: Row) -> None:
    """Each operand in each layout gives the bits of contiguous operands, at every rank."""
    dtype = F32 if F32 in row.dtypes else row.dtypes[-1]
    drew = 0
    for shape in SHAPES:
        drawn = row.draw(rng_for(row.name, shape), shape, dtype, special=0.2)
        if drawn is None or not all(isinstance(x, np.ndarray) for x in drawn[0]):
            continue
        drew += 1
        operands, params = drawn
        whole = call(row.name, *operands, **params)
        before = [x.copy() for x in operands]
        for position, operand in enumerate(operands):
            for name, other in layouts(operand):
                changed = [*operands[:position], other, *operands[position + 1 :]]
                found = call(row.name, *changed, **params)
                assert found.shape == whole.shape
                if row.error in ("exact", "ulp"):
                    assert_same(found, elements(whole), whole.dtype, (row.name, shape, name))
        for x, copy in zip(operands, before, strict=True):
            assert_same(x, elements(copy), copy.dtype, "an operand was written")
    assert drew or row.name == "from_index"


def test_integer_power_wraps() -> None:
    for dtype in INTEGERS:
        x = special_values(dtype)
        y = np.arange(len(x)).astype(dtype)
        expected = [
            references.wrap(a**b, dtype) for a, b in zip(elements(x), elements(y), strict=True)
        ]
        assert_same(call("pow", x, y), expected, dtype)


# The contract's tables, case by case.

I8, I32, U8 = np.dtype(np.int8), np.dtype(np.int32), np.dtype(np.uint8)
BIG = float(2**40)
CONTRACT: list[tuple[str, DType, tuple[Any, ...], Any]] = [
    ("add", I8, (127, 1), -128),
    ("subtract", U8, (0, 1), 255),
    ("multiply", I32, (65536, 65536), 0),
    ("multiply", INT64, (2**62, 4), 0),
    ("negative", I8, (-128,), -128),
    ("abs", I8, (-128,), -128),
    ("floor_divide", I32, (7, 0), 0),
    ("remainder", I32, (7, 0), 0),
    ("floor_divide", I8, (-128, -1), -128),
    ("remainder", I8, (-128, -1), 0),
    ("floor_divide", INT64, (-(2**63), -1), -(2**63)),
    ("floor_divide", I32, (-7, 2), -4),
    ("remainder", I32, (-7, 2), 1),
    ("remainder", I32, (7, -2), -1),
    ("left_shift", I8, (1, 8), 0),
    ("left_shift", I8, (1, -1), 0),
    ("right_shift", U8, (255, 8), 0),
    ("right_shift", I8, (-3, 100), -1),
    ("right_shift", I8, (-3, -1), -1),
    ("right_shift", I8, (3, -1), 0),
    ("pow", I8, (3, 5), -13),
    ("pow", I8, (3, -1), -85),  # 3 ** 255 modulo 256: 3 has an inverse, (3 * -85) % 256 == 1
    ("maximum", F32, (nan, 1.0), nan),
    ("minimum", F32, (1.0, nan), nan),
    ("maximum", F32, (-0.0, 0.0), 0.0),
    ("maximum", F32, (0.0, -0.0), 0.0),
    ("minimum", F32, (-0.0, 0.0), -0.0),
    ("minimum", F32, (0.0, -0.0), -0.0),
    ("round", F64, (2.5,), 2.0),
    ("round", F64, (-0.5,), -0.0),
    ("floor_divide", F64, (inf, 2.0), inf),
    ("floor_divide", F32, (-inf, 2.0), -inf),
    ("floor_divide", F32, (1.0, 0.0), inf),
    ("floor_divide", F32, (0.0, 0.0), nan),
    ("floor_divide", F16, (-1.0, inf), -0.0),
    ("floor_divide", F64, (1.0, -inf), -0.0),
    ("floor_divide", F32, (-1.0, -inf), 0.0),
    ("floor_divide", F32, (inf, -inf), nan),
    ("nextafter", F16, (0.0, -1.0), -(2.0**-24)),
    ("nextafter", BF16, (-0.0, 0.0), 0.0),
    ("nextafter", F32, (inf, 0.0), LARGEST[F32]),
    ("copysign", F16, (-3.0, 0.0), 3.0),
    ("remainder", F64, (1.0, 0.0), nan),
    ("remainder", F32, (-1.0, inf), inf),
    ("remainder", BF16, (-0.0, 3.0), 0.0),
    ("add", F16, (2048.0, 1.0), 2048.0),
    ("add", BF16, (256.0, 1.0), 256.0),
    ("multiply", F16, (6e-8, 0.5), 0.0),
    ("sign", F32, (-0.0,), 0.0),
]


@pytest.mark.parametrize(("name", "dtype", "operands", "expected"), CONTRACT)
def test_the_contract(name: str, dtype: DType, operands: tuple[Any, ...], expected: Any) -> None:
    arrays = [np.array([x] * 5, F64 if is_float(dtype) else dtype).astype(dtype) for x in operands]
    assert_same(call(name, *arrays), [expected] * 5, dtype)
    assert_same(call(name, *(x[0].reshape(()) for x in arrays)), [expected], dtype)


@pytest.mark.parametrize(
    ("x", "target", "expected"),
    [(300.0, U8, 255), (-1.0, U8, 0), (nan, I32, 0), (inf, I32, 2**31 - 1), (-inf, I8, -128),
     (2.0**63, INT64, 2**63 - 1), (-BIG, I32, -(2**31)), (2.0**64, np.dtype(np.uint64), 2**64 - 1),
     (nan, BOOL, True), (-0.0, BOOL, False), (0.5, BOOL, True), (-0.9, I8, 0)],
)  # fmt: skip
def test_casts_saturate(x: float, target: DType, expected: Any) -> None:
    assert_same(call("cast", np.array([x] * 9), dtype=target), [expected] * 9, target)


def test_integers_wrap_when_narrowed_and_half_sums_are_accumulated_wide() -> None:
    assert_same(call("cast", np.array([300, -129]), dtype=I8), [44, 127], I8)
    ones = np.ones(4096, F16)
    assert_same(call("reduce", ones, kind="sum", axes=(0,)), [4096.0], F16)
    x = np.ones((1, 3000), BF16)
    params = {"lhs_batch": (), "rhs_batch": (), "lhs_contract": (1,), "rhs_contract": (1,)}
    assert_same(call("dot_general", x, x, **params), [round_fraction(Fraction(3000), BF16)], BF16)


def test_no_warnings_and_arrays_of_rank_0() -> None:
    """`call` raises no NumPy warning (the suite makes them errors), and keeps 0-d arrays arrays."""
    x = np.array(1e30, F32)
    for result in (call("multiply", x, x), call("divide", x, np.array(0, F32)), call("log", -x)):
        assert isinstance(result, np.ndarray)
        assert result.shape == ()


def test_forbid(monkeypatch: pytest.MonkeyPatch) -> None:
    x = np.ones(2)
    with forbid():
        call("add", x, x)
    monkeypatch.setenv("LAMINA_FORBID_INTERPRETER", "1")
    with forbid():
        with forbid(), pytest.raises(CompileError, match=r"nd.add: expected compiled code"):
            call("add", x, x)
        with pytest.raises(CompileError):
            call("exp", x)
    assert_same(call("add", x, x), [2.0, 2.0], F64)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_dense_attributes_keep_the_bits(dtype: DType) -> None:
    for x in (
        special_values(dtype),
        special_values(dtype)[:1].reshape(()),
        np.zeros((2, 0), dtype),
    ):
        back = from_dense(to_dense(x))
        assert back.dtype == dtype
        assert back.shape == x.shape
        assert back.tobytes() == x.tobytes()


@pytest.mark.parametrize("name", ["exp", "asinh", "sin", "pow", "log", "tanh"])
def test_functions_do_not_depend_on_strides(name: str) -> None:
    """NumPy's float64 loops for strided memory round in another way."""
    x = np.abs(values(rng_for(name), F64, (500,))) + 0.1
    pair = np.stack([x, x], axis=1)
    count = 2 if name == "pow" else 1
    expected = call(name, *[x] * count)
    for view in (pair[:, 0], np.flip(np.flip(x).copy()), pair[::-1, 1][::-1]):
        assert call(name, *[view] * count).tobytes() == expected.tobytes()
