"""Every operation of the loop level that computes, run natively against NumPy."""

from __future__ import annotations

import ctypes
from bisect import bisect_left
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from loop_native import BF16, Array, Program, call_upstream, upstream

from lamina.testing.lit import mlir_tool

MLIR_OPT = mlir_tool("mlir-opt")

# one operation at a time, on vectors and on scalars, against NumPy

F32, F64, I8, I16, I32, I64 = (np.dtype(name) for name in ("f4", "f8", "i1", "i2", "i4", "i8"))
MLIR = {
    F32: "f32",
    F64: "f64",
    I8: "i8",
    I16: "i16",
    I32: "i32",
    I64: "i64",
    BF16: "bf16",
    np.dtype("f2"): "f16",
}
COUNT, LANES = 64, 8


def samples(dtype: np.dtype[Any], seed: int) -> Array:
    """COUNT values: special ones first, then random ones."""
    rng = np.random.default_rng(seed)
    if dtype.kind == "i":
        info = np.iinfo(dtype)
        special = [0, 1, -1, info.min, info.max, 2, -2, 7, -7]
        rest = rng.integers(info.min, info.max, COUNT - len(special), dtype, endpoint=True)
    else:
        special = [0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 0.5, -0.5, 1.5, 2.5, -2.5]
        rest = rng.normal(0, 100, COUNT - len(special))
    values = np.concatenate([np.array(special), rest]).astype(dtype)
    return values if seed == 0 else rng.permutation(values)


def loop_text(op: str, inputs: Sequence[str], output: str, lanes: int, count: int = COUNT) -> str:
    """A kernel @k that applies `op` to `count` elements; `op` names its types {t} and {v}."""

    def typed(element: str) -> str:
        return f"vector<{lanes}x{element}>" if lanes else element

    memrefs = [f"memref<{count}x{element}>" for element in (*inputs, output)]
    arguments = ", ".join(f"%m{k}: {memref}" for k, memref in enumerate(memrefs))
    lines: list[str] = []
    for k, (element, memref) in enumerate(zip(inputs, memrefs, strict=False)):
        load = f"vector.load %m{k}[%i] : {memref}, {typed(element)}"
        scalar = f"memref.load %m{k}[%i] : {memref}"
        lines.append(f"%{'abc'[k]} = {load if lanes else scalar}")
    names = {f"t{k}": typed(element) for k, element in enumerate((*inputs, output))}
    lines += [line.format(**names, i1=typed("i1"), index=typed("index")) for line in op.split(";")]
    store = f"%r, %m{len(inputs)}[%i] : {memrefs[-1]}"
    lines.append(f"vector.store {store}, {typed(output)}" if lanes else f"memref.store {store}")
    body = "\n    ".join(lines)
    return f"""
func.func @k({arguments}) {{
  %c0 = arith.constant 0 : index
  %step = arith.constant {lanes or 1} : index
  %n = arith.constant {count} : index
  scf.for %i = %c0 to %n step %step {{
    {body}
  }}
  func.return
}}"""


def trunc_div(a: Array, b: Array) -> Array:
    """Integer division towards zero."""
    quotient = np.abs(a.astype(object)) // np.abs(b.astype(object))
    return (quotient * np.sign(a).astype(object) * np.sign(b).astype(object)).astype(a.dtype)


def unsigned(a: Array) -> Array:
    """The same bits as unsigned integers."""
    return a.view(a.dtype.str.replace("i", "u"))


def divisor(a: Array) -> Array:
    """Values without 0 and -1 (whose quotients are not defined)."""
    return np.where((a == 0) | (a == -1), a.dtype.type(3), a)


BINARY = "%r = {} %a, %b : {{t0}}"
Case = tuple[str, Sequence[np.dtype[Any]], np.dtype[Any], Callable[..., Array]]
Unary = Callable[[Array], Any]
Binary = Callable[[Array, Array], Any]


def binary(name: str, dtype: np.dtype[Any], reference: Binary) -> Case:
    """A case of two operands and a result of one type."""
    return (BINARY.format(name), (dtype, dtype), dtype, reference)


def unary(name: str, dtype: np.dtype[Any], reference: Unary) -> Case:
    """A case of one operand and a result of its type."""
    return (f"%r = {name} %a : {{t0}}", (dtype,), dtype, reference)


def cast(
    name: str, source: np.dtype[Any], target: np.dtype[Any], reference: Unary | None = None
) -> Case:
    """A case of a conversion, by default NumPy's."""

    def plain(a: Array) -> Array:
        return a.astype(target)

    return (f"%r = arith.{name} %a : {{t0}} to {{t1}}", (source,), target, reference or plain)


def one(text: str, source: np.dtype[Any], target: np.dtype[Any], reference: Unary) -> Case:
    """A case of one operand, spelled out."""
    return (text, (source,), target, reference)


def two(text: str, source: np.dtype[Any], target: np.dtype[Any], reference: Binary) -> Case:
    """A case of two operands, spelled out."""
    return (text, (source, source), target, reference)


def compare(name: str, dtype: np.dtype[Any], reference: Binary) -> Case:
    """A case of a comparison, whose i1 is widened to i8."""
    text = f"%p = {name}, %a, %b : {{t0}};%r = arith.extui %p : {{i1}} to {{t2}}"
    return two(text, dtype, I8, reference)


def no_nan(reference: Binary) -> Binary:
    """maxnum, minnum: a NaN loses against a number."""

    def result(a: Array, b: Array) -> Array:
        return np.where(np.isnan(a), b, np.where(np.isnan(b), a, reference(a, b)))

    return result


def bits_of(count: Callable[[int, int], int]) -> Callable[[Array], Array]:
    """A function of the bits and the width of each integer."""
    return lambda a: np.array([count(int(x), 8 * a.itemsize) for x in unsigned(a)], a.dtype)


INTEGERS = (I8, I16, I32, I64)
CASES: list[Case] = []
for _t in INTEGERS:
    _width = 8 * _t.itemsize
    CASES.extend(
        [
            binary("arith.addi", _t, np.add),
            binary("arith.subi", _t, np.subtract),
            binary("arith.muli", _t, np.multiply),
            binary("arith.andi", _t, np.bitwise_and),
            binary("arith.ori", _t, np.bitwise_or),
            binary("arith.xori", _t, np.bitwise_xor),
            binary("arith.maxsi", _t, np.maximum),
            binary("arith.minsi", _t, np.minimum),
            binary("arith.maxui", _t, lambda a, b: np.maximum(unsigned(a), unsigned(b))),
            binary("arith.minui", _t, lambda a, b: np.minimum(unsigned(a), unsigned(b))),
            unary("math.absi", _t, np.abs),
            unary("math.ctpop", _t, bits_of(lambda x, _: x.bit_count())),
            unary("math.ctlz", _t, bits_of(lambda x, w: w - x.bit_length())),
            unary("math.cttz", _t, bits_of(lambda x, w: (x & -x).bit_length() - 1 if x else w)),
            compare("arith.cmpi slt", _t, np.less),
            compare("arith.cmpi eq", _t, np.equal),
            compare("arith.cmpi uge", _t, lambda a, b: unsigned(a) >= unsigned(b)),
        ]
    )
CASES.extend(
    [
        binary("arith.divsi", I32, trunc_div),
        binary("arith.remsi", I32, np.fmod),
        binary("arith.divui", I32, lambda a, b: unsigned(a) // unsigned(b)),
        binary("arith.remui", I32, lambda a, b: unsigned(a) % unsigned(b)),
        binary("arith.floordivsi", I32, np.floor_divide),
        binary("arith.ceildivsi", I32, lambda a, b: -(-a.astype(object) // b.astype(object))),
        binary(
            "arith.ceildivui",
            I32,
            lambda a, b: -(-unsigned(a).astype(object) // unsigned(b).astype(object)),
        ),
    ]
)
CASES.extend(
    [
        binary("arith.shli", I32, np.left_shift),
        binary("arith.shrsi", I32, np.right_shift),
        binary("arith.shrui", I32, lambda a, b: unsigned(a) >> unsigned(b)),
    ]
)
for _t in (F32, F64):
    CASES.extend(
        [
            binary("arith.addf", _t, np.add),
            binary("arith.subf", _t, np.subtract),
            binary("arith.mulf", _t, np.multiply),
            binary("arith.divf", _t, np.divide),
            binary("arith.remf", _t, np.fmod),
            binary("arith.maxnumf", _t, no_nan(np.maximum)),
            binary("arith.minnumf", _t, no_nan(np.minimum)),
            binary("arith.maximumf", _t, np.maximum),
            binary("arith.minimumf", _t, np.minimum),
            binary("math.copysign", _t, np.copysign),
            unary("arith.negf", _t, np.negative),
            unary("math.absf", _t, np.abs),
            unary("math.sqrt", _t, np.sqrt),
            unary("math.floor", _t, np.floor),
            unary("math.ceil", _t, np.ceil),
            unary("math.trunc", _t, np.trunc),
            unary("math.roundeven", _t, np.round),
            unary("math.round", _t, lambda a: np.copysign(np.floor(np.abs(a) + 0.5), a)),
            compare("arith.cmpf olt", _t, np.less),
            compare("arith.cmpf une", _t, np.not_equal),
            compare("arith.cmpf ueq", _t, lambda a, b: (a == b) | np.isnan(a) | np.isnan(b)),
            compare("arith.cmpf ord", _t, lambda a, b: ~(np.isnan(a) | np.isnan(b))),
        ]
    )
    for _name, _test in (("nan", np.isnan), ("inf", np.isinf), ("finite", np.isfinite)):
        _text = f"%p = math.is{_name} %a : {{t0}};%r = arith.extui %p : {{i1}} to {{t1}}"
        CASES.append(one(_text, _t, I8, _test))
CASES.extend(
    [
        cast("extsi", I8, I64),
        cast("extui", I8, I32, lambda a: unsigned(a).astype(np.int32)),
        cast("trunci", I64, I16),
        cast("sitofp", I32, F32),
        cast("sitofp", I64, F64),
        cast("uitofp", I16, F32, lambda a: unsigned(a).astype(np.float32)),
        cast("fptosi", F32, I32, lambda a: np.nan_to_num(a, posinf=0, neginf=0).astype(np.int32)),
        cast("extf", F32, F64),
        cast("truncf", F64, F32),
        cast("bitcast", F32, I32, lambda a: a.view(np.int32)),
        two(
            "%p = arith.cmpf olt, %a, %b : {t0};%r = arith.select %p, %a, %b : {i1}, {t0}",
            F32,
            F32,
            lambda a, b: np.where(a < b, a, b),
        ),
        one(
            "%p = arith.index_cast %a : {t0} to {index};%q = arith.muli %p, %p : {index};"
            "%r = arith.index_castui %q : {index} to {t1}",
            I32,
            I64,
            lambda a: a.astype(np.int64) ** 2,
        ),
        two(
            "%l, %r = arith.mului_extended %a, %b : {t0}",
            I32,
            I32,
            lambda a, b: unsigned(a).astype(np.uint64) * unsigned(b).astype(np.uint64) >> 32,
        ),
        two(
            "%l, %r = arith.mulsi_extended %a, %b : {t0}",
            I32,
            I32,
            lambda a, b: a.astype(np.int64) * b.astype(np.int64) >> 32,
        ),
        two(
            "%r, %p = arith.addui_extended %a, %b : {t0}, {i1}",
            I64,
            I64,
            np.add,
        ),
    ]
)


def operands(case: Case) -> list[Array]:
    """Sample operands on which the case is defined."""
    text, inputs, _, _ = case
    values = [samples(dtype, seed) for seed, dtype in enumerate(inputs)]
    if "div" in text or "arith.rem" in text:
        values[1] = divisor(values[1]) if inputs[1].kind == "i" else values[1]
    if ".sh" in text:
        values[1] &= 31
    if "fptosi" in text:
        values[0] = np.nan_to_num(values[0], posinf=0, neginf=0)
    return values


def same(found: Array, expected: Array) -> bool:
    """Equal bits, but that a NaN equals any NaN."""
    if found.dtype.kind in "iu":
        return bool((found == expected).all())
    kind = f"i{found.itemsize}"
    bits = found.view(kind) == np.asarray(expected, found.dtype).view(kind)
    return bool((bits | (np.isnan(found) & np.isnan(expected))).all())


@pytest.mark.parametrize(
    ("lanes", "cpu"), [(0, "host"), (LANES, "host"), (LANES, "x86-64"), (LANES, "x86-64-v3")]
)
def test_elementwise(lanes: int, cpu: str) -> None:
    texts: list[str] = []
    for number, (op, inputs, output, _) in enumerate(CASES):
        text = loop_text(op, [MLIR[t] for t in inputs], MLIR[output], lanes)
        if not lanes:
            text = text.replace("%b : i1, f32", "%b : f32")
        texts.append(text.replace("@k(", f"@k{number}("))
    program = Program("\n".join(texts), cpu=cpu)
    wrong: list[object] = []
    with np.errstate(all="ignore"):
        for number, case in enumerate(CASES):
            values = operands(case)
            expected = np.asarray(case[3](*values)).astype(case[2])
            result = np.zeros(COUNT, case[2])
            assert program(f"k{number}", *values, result) == 0
            if not same(result, expected):
                bad = np.flatnonzero(result != expected)[:4]
                wrong.append((case[0], result[bad], expected[bad]))
    assert not wrong


@pytest.mark.skipif(MLIR_OPT is None, reason="upstream's tools are not installed")
def test_elementwise_equals_upstream() -> None:
    """Upstream's own lowering of the same text gives the same bits (it has none for isinf)."""
    cases = [case for case in CASES if "math.isinf" not in case[0]]
    texts = [
        loop_text(op, [MLIR[t] for t in inputs], MLIR[output], LANES).replace("@k(", f"@k{n}(")
        for n, (op, inputs, output, _) in enumerate(cases)
    ]
    ours, theirs = Program("\n".join(texts)), upstream("\n".join(texts))
    for number, case in enumerate(cases):
        values, found, expected = operands(case), np.zeros(COUNT, case[2]), np.ones(COUNT, case[2])
        assert ours(f"k{number}", *values, found) == 0
        call_upstream(theirs, f"k{number}", *values, expected)
        assert same(found, expected), case[0]


# half types

HALVES = {BF16: "bf16", np.dtype("f2"): "f16"}


def all_f32() -> Array:
    """f32 values near every rounding boundary of both half types, and special ones."""
    high = np.arange(0, 1 << 16, 7, dtype=np.uint32) << 16
    near = np.array([0, 1, 0x7FFF, 0x8000, 0x8001, 0xFFF, 0x1000, 0x1001, 0x1FFF], np.uint32)
    f16_ties = np.arange(0x33000000, 0x47900000, 0x1000 * 37, dtype=np.uint32)
    bits = np.concatenate([(high[:, None] | near).ravel(), f16_ties, f16_ties | 0x80000000])
    return bits.view(np.float32)


def flat_cast(op: str, source: str, target: str, count: int, lanes: int) -> str:
    """A kernel @k that casts `count` elements."""
    line = f"%r = arith.{op} %a : {{t0}} to {{t1}}"
    return loop_text(line, [source], target, lanes, count)


@pytest.mark.parametrize(("f16c", "cpu"), [(True, "host"), (False, "host"), (False, "x86-64")])
@pytest.mark.parametrize("half", HALVES)
def test_half_casts(half: np.dtype[Any], f16c: bool, cpu: str) -> None:
    """f32 to half and back, all halves, scalars and vectors."""
    values = all_f32()
    values = values[: len(values) // LANES * LANES]
    every = np.arange(1 << 16, dtype=np.uint16).view(half)
    name = HALVES[half]
    for lanes in (0, LANES):
        narrow = Program(flat_cast("truncf", "f32", name, len(values), lanes), f16c=f16c, cpu=cpu)
        found = np.zeros(len(values), half)
        assert narrow("k", values, found) == 0
        with np.errstate(all="ignore"):
            expected = values.astype(half)
        assert same(found, expected)
        assert (np.signbit(found) == np.signbit(values)).all()
        wide = Program(flat_cast("extf", name, "f32", len(every), lanes), f16c=f16c, cpu=cpu)
        back = np.zeros(len(every), np.float32)
        assert wide("k", every, back) == 0
        assert same(back, every.astype(np.float32))


def nearest(value: Fraction, half: np.dtype[Any]) -> Any:
    """The half float nearest to a number, ties to even, by comparing with its neighbours."""
    grid = FINITE[half]
    numbers = EXACT[half]
    k = bisect_left(numbers, value)
    if k == 0 or k == len(numbers):
        return None  # beyond the finite range: not drawn here
    below, above = value - numbers[k - 1], numbers[k] - value
    if below == above:
        k -= int(grid[k].view(np.uint16)) & 1
        return grid[k]
    return grid[k - 1] if below < above else grid[k]


def _finite(half: np.dtype[Any]) -> Array:
    every = np.arange(1 << 16, dtype=np.uint16).view(half)
    kept = every[np.isfinite(every.astype(np.float32))]
    return np.unique(kept.astype(np.float64)).astype(half)


FINITE = {half: _finite(half) for half in HALVES}
EXACT = {half: [Fraction(float(x)) for x in grid.astype(float)] for half, grid in FINITE.items()}


@pytest.mark.parametrize("half", HALVES)
def test_f64_rounds_once(half: np.dtype[Any]) -> None:
    """Values just off a tie of the half type, which a step to nearest f32 would put on the tie."""
    grid = FINITE[half].astype(np.float64)
    ties = (grid[1:] + grid[:-1])[:: len(grid) // 500] / 2
    values = np.concatenate([ties, ties * (1 + 2.0**-45), ties * (1 - 2.0**-45), grid[::999]])
    values = values[(np.abs(values) < 60000)][: len(values) // LANES * LANES]
    values = values[: len(values) // LANES * LANES]
    for lanes in (0, LANES):
        program = Program(flat_cast("truncf", "f64", HALVES[half], len(values), lanes))
        found = np.zeros(len(values), half)
        assert program("k", values, found) == 0
        expected = np.array([nearest(Fraction(float(x)), half) for x in values], half)
        assert (found == expected).all()
        back = Program(flat_cast("extf", HALVES[half], "f64", len(values), lanes))
        wide = np.zeros(len(values))
        assert back("k", found, wide) == 0
        assert (wide == found.astype(np.float64)).all()


@pytest.mark.parametrize("half", HALVES)
@pytest.mark.parametrize("dtype", INTEGERS)
def test_integers_to_half_round_once(half: np.dtype[Any], dtype: np.dtype[Any]) -> None:
    """Also from i64, whose low bits an f64 cannot hold."""
    info = np.iinfo(dtype)
    rng = np.random.default_rng(3)
    shifts = rng.integers(0, 8 * dtype.itemsize - 1, 400)
    values = rng.integers(info.min, info.max, 400, np.dtype("i8"), endpoint=True) >> shifts
    ties = [
        s * (2**e + 2 ** (e - 8) + low) for e in range(50, 63) for low in (0, 1) for s in (1, -1)
    ]
    ties = [x for x in ties if info.min <= x <= info.max]
    values = np.concatenate([np.array(ties, np.int64), values])[:400].astype(dtype)
    if half != BF16:
        values = np.clip(values, -60000 if info.bits > 16 else info.min, min(60000, info.max))
    values = values.astype(dtype)
    for op in ("sitofp", "uitofp"):
        program = Program(flat_cast(op, MLIR[dtype], HALVES[half], len(values), LANES))
        found = np.zeros(len(values), half)
        assert program("k", values, found) == 0
        numbers = [int(x) % 2**info.bits if op == "uitofp" else int(x) for x in values]
        expected = [nearest(Fraction(number), half) for number in numbers]
        for x, got, want in zip(values, found, expected, strict=True):
            assert want is None or got == want, (op, x, got, want)


@pytest.mark.parametrize("half", HALVES)
def test_half_to_integer(half: np.dtype[Any]) -> None:
    values = np.linspace(-120, 120, 64).astype(half)
    program = Program(flat_cast("fptosi", HALVES[half], "i8", 64, LANES))
    found = np.zeros(64, np.int8)
    assert program("k", values, found) == 0
    assert (found == values.astype(np.float32).astype(np.int8)).all()


# vectors

REDUCTIONS: dict[str, tuple[np.dtype[Any], Unary]] = {
    "add": (F32, lambda a: np.add.accumulate(a)[-1]),
    "mul": (F32, lambda a: np.multiply.accumulate(a)[-1]),
    "maximumf": (F32, np.max),
    "minnumf": (F32, np.min),
    "minimumf": (F64, np.min),
    "maxsi": (I16, np.max),
    "minui": (I32, lambda a: unsigned(a).min()),
    "xor": (I8, np.bitwise_xor.reduce),
    "and": (I64, np.bitwise_and.reduce),
}


@pytest.mark.parametrize("kind", REDUCTIONS)
def test_reduction(kind: str) -> None:
    """With and without an accumulator; a float sum is strictly in order."""
    dtype, reference = REDUCTIONS[kind]
    t = MLIR[dtype]
    program = Program(
        f"""
func.func @k(%x: memref<16x{t}>, %out: memref<2x{t}>) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = vector.load %x[%c0] : memref<16x{t}>, vector<16x{t}>
  %acc = memref.load %out[%c0] : memref<2x{t}>
  %r = vector.reduction <{kind}>, %v : vector<16x{t}> into {t}
  %s = vector.reduction <{kind}>, %v, %acc : vector<16x{t}> into {t}
  memref.store %r, %out[%c0] : memref<2x{t}>
  memref.store %s, %out[%c1] : memref<2x{t}>
  func.return
}}"""
    )
    x = samples(dtype, 5)[:17] if dtype.kind == "i" else RANDOM.normal(size=17).astype(dtype)
    out = np.array([x[0], 0], dtype)
    assert program("k", x[1:].copy(), out) == 0
    alone, seeded = reference(x[1:]), reference(x)
    if kind in ("maxsi", "minui", "xor", "and"):
        assert out[1] == np.asarray(seeded).astype(dtype)
    assert out[0] == np.asarray(alone).astype(dtype)
    np.testing.assert_allclose(out[1], np.asarray(seeded).astype(dtype), rtol=1e-6)


RANDOM = np.random.default_rng(11)


def test_vector_elements() -> None:
    """extract, insert, shuffle, bitcast, step, broadcast, all at static and run-time positions."""
    program = Program(
        """
func.func @k(%x: memref<8xf32>, %out: memref<8xf32>, %bits: memref<4xi64>, %p: index) {
  %c0 = arith.constant 0 : index
  %v = vector.load %x[%c0] : memref<8xf32>, vector<8xf32>
  %a = vector.extract %v[3] : f32 from vector<8xf32>
  %b = vector.extract %v[%p] : f32 from vector<8xf32>
  %w = vector.insert %a, %v [0] : f32 into vector<8xf32>
  %y = vector.insert %b, %w [%p] : f32 into vector<8xf32>
  %z = vector.shuffle %y, %v [0, 8, 1, 9, 7, 15, 6, 14] : vector<8xf32>, vector<8xf32>
  vector.store %z, %out[%c0] : memref<8xf32>, vector<8xf32>
  %i = vector.bitcast %v : vector<8xf32> to vector<4xi64>
  %s = vector.step : vector<4xindex>
  %q = vector.broadcast %p : index to vector<4xindex>
  %t = arith.addi %s, %q : vector<4xindex>
  %u = arith.index_cast %t : vector<4xindex> to vector<4xi64>
  %r = arith.xori %i, %u : vector<4xi64>
  vector.store %r, %bits[%c0] : memref<4xi64>, vector<4xi64>
  func.return
}"""
    )
    x = RANDOM.normal(size=8).astype(np.float32)
    for p in range(8):
        out, bits = np.zeros(8, np.float32), np.zeros(4, np.int64)
        assert program("k", x, out, bits, ctypes.c_int64(p)) == 0
        y = x.copy()
        y[0], y[p] = x[3], x[p]
        np.testing.assert_array_equal(out, np.concatenate([y, x])[[0, 8, 1, 9, 7, 15, 6, 14]])
        np.testing.assert_array_equal(bits, x.view(np.int64) ^ (np.arange(4) + p))


def test_create_mask_clamps() -> None:
    program = Program(
        """
func.func @k(%n: index, %out: memref<16xi8>) {
  %c0 = arith.constant 0 : index
  %m = vector.create_mask %n : vector<16xi1>
  %b = arith.extui %m : vector<16xi1> to vector<16xi8>
  vector.store %b, %out[%c0] : memref<16xi8>, vector<16xi8>
  func.return
}"""
    )
    for n in (-(2**40) + 5, -1, 0, 1, 15, 16, 17, 2**32, 2**62):
        out = np.full(16, 9, np.int8)
        assert program("k", ctypes.c_int64(n), out) == 0
        assert out.tolist() == [int(lane < n) for lane in range(16)]


@pytest.mark.parametrize("cpu", ["host", "x86-64", "x86-64-v3"])
@pytest.mark.parametrize("dtype", [I8, BF16, np.dtype("f2"), F32, F64])
def test_masked_moves(dtype: np.dtype[Any], cpu: str) -> None:
    """Every element width, on targets with and without masked moves of it."""
    t = MLIR[dtype]
    program = Program(
        f"""
func.func @k(%x: memref<?x{t}>, %y: memref<?x{t}>, %n: index) {{
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %m = vector.create_mask %n : vector<16xi1>
  %p = vector.load %x[%c16] : memref<?x{t}>, vector<16x{t}>
  %v = vector.maskedload %x[%c0], %m, %p
    : memref<?x{t}>, vector<16xi1>, vector<16x{t}> into vector<16x{t}>
  vector.store %v, %y[%c16] : memref<?x{t}>, vector<16x{t}>
  vector.maskedstore %y[%c0], %m, %v : memref<?x{t}>, vector<16xi1>, vector<16x{t}>
  func.return
}}""",
        f16c=cpu != "x86-64",
        cpu=cpu,
    )
    x = np.arange(32).astype(dtype)
    for n in (0, 1, 7, 16):
        y = np.full(32, 99).astype(dtype)
        assert program("k", x, y, ctypes.c_int64(n), sizes=(32, 32)) == 0
        assert y.astype(int).tolist() == [
            *range(n),
            *[99] * (16 - n),
            *range(n),
            *range(16 + n, 32),
        ]
