"""`lm.random`: the generator against its authors' vectors, the transforms against exact numbers."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import lamina as lm
from lamina.executable import execute_module
from lamina.interpreters import call
from lamina.ir_text import parse_module
from lamina.registry import make_context

R = lm.random
NDArray = np.ndarray[Any, Any]
KEY = np.array([0x12345678, 0x9ABCDEF0], np.uint32)
SHAPES: list[tuple[int, ...]] = [(), (1,), (0, 3), (7,), (5, 1, 3), (2, 3, 4, 5), (3, 67)]
FLOATS = (lm.float16, lm.bfloat16, lm.float32, lm.float64)
PRECISION = {lm.float16: 11, lm.bfloat16: 8, lm.float32: 24, lm.float64: 53}
U32, U64 = np.dtype(np.uint32), np.dtype(np.uint64)

# Random123's kat_vectors: counter, key, block
KNOWN = [
    ("00000000 00000000 00000000 00000000", "00000000 00000000",
     "6627e8d5 e169c58d bc57ac4c 9b00dbd8"),
    ("ffffffff ffffffff ffffffff ffffffff", "ffffffff ffffffff",
     "408f276d 41c83b0e a20bc7c6 6d5451fd"),
    ("243f6a88 85a308d3 13198a2e 03707344", "a4093822 299f31d0",
     "d16cfe09 94fdcceb 5001e420 24126ea1"),
]  # fmt: skip


def both(function: Callable[[Any], Any]) -> list[Any]:
    """What a function of a key gives, eager and compiled."""
    return [function(KEY), lm.jit(function)(KEY)]


def words(text: str) -> NDArray:
    """uint32 of hexadecimal words."""
    return np.array([int(word, 16) for word in text.split()], np.uint32)


def block(counter: list[int], key: list[int]) -> list[int]:
    """Philox4x32-10 in Python's integers."""
    (a, b, c, d), (k, m) = counter, key
    for _ in range(10):
        p, q = 0xD2511F53 * a, 0xCD9E8D57 * c
        a, b, c, d = q >> 32 ^ b ^ k, q % 2**32, p >> 32 ^ d ^ m, p % 2**32
        k, m = (k + 0x9E3779B9) % 2**32, (m + 0xBB67AE85) % 2**32
    return [a, b, c, d]


def stream(key: NDArray, counter: NDArray, count: int) -> NDArray:
    """So many words, block after block."""
    low, found = int(counter[0]) + (int(counter[1]) << 32), list[int]()
    rest, keys = [int(word) for word in counter[2:]], [int(word) for word in key]
    while len(found) < count:
        found += block([low % 2**32, low >> 32, *rest], keys)
        low = (low + 1) % 2**64
    return np.array(found[:count], np.uint32)


def random_bits(key: NDArray, counter: NDArray, shape: tuple[int, ...], type: str) -> NDArray:
    """The op, compiled."""
    dims = "".join(f"{size}x" for size in shape)
    text = f"""func.func @main(%k: tensor<2xui32>, %c: tensor<4xui32>) -> tensor<{dims}{type}> {{
      %r = nd.random_bits %k, %c : tensor<2xui32>, tensor<4xui32> -> tensor<{dims}{type}>
      return %r : tensor<{dims}{type}>
    }}"""
    return execute_module(parse_module(make_context(), text), "main", [key, counter])[0]


@pytest.mark.parametrize(("counter", "key", "expected"), KNOWN)
def test_known_answers(counter: str, key: str, expected: str) -> None:
    k, c, e = words(key), words(counter), words(expected)
    np.testing.assert_array_equal(stream(k, c, 4), e)
    np.testing.assert_array_equal(call("random_bits", k, c, shape=(4,), dtype=U32), e)
    np.testing.assert_array_equal(random_bits(k, c, (4,), "ui32"), e)
    pair = e.astype(np.uint64)
    wide = np.array([pair[0] | pair[1] << np.uint64(32), pair[2] | pair[3] << np.uint64(32)])
    np.testing.assert_array_equal(random_bits(k, c, (2,), "ui64"), wide)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("start", [0, 2**32 - 3, 2**64 - 2])
def test_the_layout_of_the_stream(shape: tuple[int, ...], start: int) -> None:
    counter = np.array([start % 2**32, start >> 32, 5, 2**32 - 1], np.uint32)
    size = math.prod(shape)
    found = stream(KEY, counter, 2 * size)
    np.testing.assert_array_equal(
        random_bits(KEY, counter, shape, "ui32"), found[:size].reshape(shape)
    )
    wide = found.astype("<u4").view("<u8").reshape(shape)
    np.testing.assert_array_equal(random_bits(KEY, counter, shape, "ui64"), wide)
    for dtype, expected in ((U32, found[:size].reshape(shape)), (U64, wide)):
        got = call("random_bits", KEY, counter, shape=shape, dtype=dtype)
        assert got.dtype == dtype
        np.testing.assert_array_equal(got, expected)


# every function, eager and compiled

LOGITS = np.linspace(-2, 2, 12).reshape(3, 4)
CASES: dict[str, Callable[[Any, tuple[int, ...]], Any]] = {
    "bits": lambda k, s: R.bits(k, s),
    "bits8": lambda k, s: R.bits(k, s, lm.uint8),
    "bits16": lambda k, s: R.bits(k, s, lm.uint16),
    "bits64": lambda k, s: R.bits(k, s, lm.uint64),
    "split": lambda k, s: R.split(k, math.prod(s)),
    "fold_in": lambda k, s: R.fold_in(k, math.prod(s)),
    "uniform": lambda k, s: R.uniform(k, s, low=-3, high=2.5),
    "uniform of arrays": lambda k, s: R.uniform(
        k, (*s, 3), lm.float64, np.array([0.0, 1, 2]), np.array([[4.0]])[0]
    ),
    "integers": lambda k, s: R.integers(k, -5, 2**40, s),
    "integers8": lambda k, s: R.integers(k, -128, 128, s, lm.int8),
    "all integers": lambda k, s: R.integers(k, 0, 2**64, s, lm.uint64),
    "bernoulli": lambda k, s: R.bernoulli(k, 0.3, s),
    "bernoulli of an array": lambda k, s: R.bernoulli(k, np.array([0.0, 0.5, 1.0], np.float32)),
    "categorical": lambda k, s: R.categorical(k, LOGITS, shape=(*s, 3)),
    "permutation": lambda k, s: R.permutation(k, math.prod(s)),
    "permutation of rows": lambda k, s: R.permutation(k, np.arange(18).reshape(6, 3).astype("i2")),
    "permutation along 1": lambda k, s: R.permutation(k, np.arange(40.0).reshape(2, 20), axis=-1),
    "categorical along 0": lambda k, s: R.categorical(k, LOGITS.astype(np.float32), 0),
}  # fmt: skip


def threads(function: Any) -> list[Any]:
    """The function jitted for 1 and 2 threads."""
    return [lm.jit(function, threads=count) for count in (1, 2)]


@pytest.mark.parametrize("name", CASES)
def test_bits_are_equal_in_every_mode(name: str) -> None:
    for shape in [(), (0, 3), (5, 1, 3), (300,)]:

        def draw(k: Any, shape: Any = shape) -> Any:
            return CASES[name](k, shape)

        expected = np.asarray(draw(KEY))
        for fast in threads(draw):
            found = np.asarray(fast(KEY))
            assert found.dtype == expected.dtype
            np.testing.assert_array_equal(found, expected)
            assert (np.asarray(fast(np.zeros(2, np.uint32))) != expected).any() or expected.size < 9


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_uniform_numbers_are_the_high_bits(dtype: Any) -> None:
    n, p = 5000, PRECISION[dtype]
    word = U64 if dtype == lm.float64 else U32
    bits = np.asarray(R.bits(KEY, (n,), word))
    expected = (bits >> np.uint64(8 * word.itemsize - p)).astype(np.float64) * 2.0**-p
    for found in both(lambda k: R.uniform(k, (n,), dtype)):
        assert found.dtype == dtype
        np.testing.assert_array_equal(np.asarray(found).astype(np.float64), expected)
    assert expected.min() >= 0 and expected.max() < 1


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@pytest.mark.parametrize(("low", "high"), [(1.0, 1.5), (-1, 0), (-3e4, 3e4), (5, 5.0625)])
def test_uniform_numbers_stay_below_the_high_end(dtype: Any, low: float, high: float) -> None:
    n, p = 20000, PRECISION[dtype]
    unit = np.asarray(R.uniform(KEY, (n,), dtype))

    def draw(k: Any, a: Any, b: Any) -> Any:
        return R.uniform(k, (n,), dtype, a, b)

    for found in (draw(KEY, low, high), lm.jit(draw)(KEY, low, high)):
        x = np.asarray(found).astype(np.float64)
        assert found.dtype == dtype and x.min() >= low and x.max() < high
        exact = low + unit.astype(np.float64) * (high - low)
        exact = np.where((x == low) & (exact > high - 2.0**-p * abs(high)), low, exact)
        assert np.abs(x - exact).max() <= 2.0**-p * 3 * max(abs(low), abs(high))


def test_gradients_flow_to_the_ends() -> None:
    def total(low: Any, high: Any) -> Any:
        return lm.sum(R.uniform(KEY, (50,), lm.float64, low, high))

    unit = float(lm.sum(R.uniform(KEY, (50,), lm.float64)))
    for function in (lm.grad(total, (0, 1)), lm.jit(lm.grad(total, (0, 1)))):
        found = [float(x) for x in function(np.array(2.0), np.array(3.5))]
        np.testing.assert_allclose(found, [50 - unit, unit], rtol=1e-12)


def exact_normals(n: int, wide: bool) -> NDArray:
    """The formula in 64 bits of precision."""
    long = np.longdouble
    first = np.asarray(R.bits(KEY, (n,), lm.uint64))
    places = 52 if wide else 32
    second = first & np.uint64(0xFFFFFFFF)
    if wide:
        counter = np.array([0, 0, 0, 4], np.uint32)
        second = call("random_bits", KEY, counter, shape=(n,), dtype=U64) >> np.uint64(12)
    first = first >> np.uint64(64 - places)
    u, t = ((part.astype(long) + long(0.5)) * long(2) ** -places for part in (first, second))
    pi = long("3.14159265358979323846264338327950288")
    return np.sqrt(-2 * np.log(u)) * np.sin(pi * (t - long(0.5)))


@pytest.mark.skipif(np.finfo(np.longdouble).nmant < 63, reason="no longer floats here")
@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_normal_numbers_are_near_the_exact_ones(dtype: Any) -> None:
    n = 100_000
    exact, p = exact_normals(n, dtype == lm.float64), PRECISION[dtype]
    low = -13 if dtype == lm.float16 else -1021  # below it float16 has fewer places
    unit = np.ldexp(np.longdouble(1), np.maximum(np.frexp(exact)[1], low) - p)
    for found in both(lambda k: R.normal(k, (n,), dtype)):
        assert found.dtype == dtype
        error = np.abs(np.asarray(found).astype(np.longdouble) - exact) / unit
        assert error.max() <= (2 if dtype == lm.float64 else 1)


@pytest.mark.parametrize(
    ("low", "high", "dtype"),
    [(0, 6, lm.int64), (-128, 128, lm.int8), (7, 8, lm.uint16), (-(2**63), 2**63, lm.int64),
     (0, 2**64, lm.uint64), (5, 2**64 - 9, lm.uint64), (-3, 2**32 - 3, lm.int64),
     (0, 3 << 62, lm.uint64), (-(2**62), 2**62 + 1, lm.int64)],
)  # fmt: skip
def test_integers_are_the_high_half_of_a_product(low: int, high: int, dtype: Any) -> None:
    n = 300
    drawn: list[int] = np.asarray(R.bits(KEY, (n,), lm.uint64)).tolist()
    expected = [low + (word * (high - low) >> 64) for word in drawn]
    for found in both(lambda k: R.integers(k, low, high, (n,), dtype)):
        assert found.dtype == dtype and np.asarray(found).tolist() == expected


def test_keys() -> None:
    assert np.asarray(R.key(2**40 + 5)).tolist() == [5, 256]
    assert np.asarray(R.key(-1)).tolist() == [2**32 - 1, 2**32 - 1]
    assert np.asarray(R.key(np.int8(-1))).tolist() == [2**32 - 1, 2**32 - 1]
    fast = lm.jit(R.key)
    for seed in (0, 7, -1, 2**40 + 5, -(2**63)):
        np.testing.assert_array_equal(fast(seed), R.key(seed))
        folded = lm.jit(R.fold_in)(KEY, seed)
        np.testing.assert_array_equal(folded, R.fold_in(KEY, seed))
        counters = [np.array([0, 0, w, i + 2], np.uint32) for i, w in enumerate(R.key(seed))]
        once = stream(KEY, counters[0], 2)
        np.testing.assert_array_equal(folded, stream(once, counters[1], 2))

    @lm.jit
    def step(k: Any, i: Any) -> Any:
        return R.normal(R.fold_in(k, i), (3,))

    found = {tuple(np.asarray(step(KEY, np.array(i))).tolist()) for i in range(5)}
    assert len(found) == 5


def test_keys_of_one_key_are_different() -> None:
    folded = [np.asarray(R.fold_in(KEY, i)) for i in range(1000)]
    drawn = (np.asarray(x) for x in (R.split(KEY, 1000), R.bits(KEY, (1000, 2)), [KEY], folded))
    keys = np.concatenate(list(drawn))
    assert len(np.unique(keys, axis=0)) == 3001
    np.testing.assert_array_equal(R.split(KEY, 3), R.split(KEY, 9)[:3])


# what distributions look like: bounds of 5 standard deviations, or one chance in a million

N = 200_000


def distance(x: NDArray, cdf: Callable[[NDArray], NDArray]) -> float:
    """Kolmogorov and Smirnov's distance to a distribution, times sqrt(n)."""
    p, n = cdf(np.sort(x)), len(x)
    above = np.arange(1, n + 1) / n - p
    return float(max(above.max(), (1 / n - above).max())) * math.sqrt(n)


@pytest.mark.parametrize("seed", [0, 1, 2**50])
def test_distributions(seed: int) -> None:
    keys = R.split(R.key(seed), 6)
    uniform = np.asarray(R.uniform(keys[0], (N,), lm.float64))
    assert distance(uniform, lambda x: x) < 2.7
    assert abs(uniform.mean() - 0.5) < 5 / math.sqrt(12 * N)
    erf = np.vectorize(math.erf)
    for dtype, key in ((lm.float32, keys[1]), (lm.float64, keys[2])):
        normal = np.asarray(R.normal(key, (N,), dtype)).astype(np.float64)
        assert distance(normal, lambda x: (1 + erf(x / math.sqrt(2))) / 2) < 2.7
        assert abs(normal.mean()) < 5 / math.sqrt(N)
        assert abs(normal.var() - 1) < 5 * math.sqrt(2 / N)
        assert abs(np.corrcoef(normal[:-1], normal[1:])[0, 1]) < 5 / math.sqrt(N)
    bits = np.asarray(R.bits(keys[3], (N,)))
    ones = [int((bits >> np.uint32(place) & 1).sum()) for place in range(32)]
    assert max(abs(count - N / 2) for count in ones) < 5 * math.sqrt(N / 4)
    dice = np.bincount(np.asarray(R.integers(keys[4], 0, 6, (N,))), minlength=6)
    assert len(dice) == 6 and np.abs(dice - N / 6).max() < 5 * math.sqrt(N * 5 / 36)
    coin = int(np.asarray(R.bernoulli(keys[5], 0.1, (N,))).sum())
    assert abs(coin - N / 10) < 5 * math.sqrt(N * 0.09)


def test_categories_have_their_share() -> None:
    p = np.array([0.1, 0.2, 0.0, 0.7])
    with np.errstate(divide="ignore"):
        logits = np.log(p) + 3
    found = np.asarray(R.categorical(R.key(3), logits, shape=(N,)))
    assert found.dtype == np.int64 and found.shape == (N,)
    counts = np.bincount(found, minlength=4)
    assert counts[2] == 0 and np.abs(counts - N * p).max() < 5 * math.sqrt(N / 4)
    for dtype in (lm.float16, lm.bfloat16, lm.float32):
        drawn = R.categorical(R.key(3), lm.asarray(logits, dtype=dtype), shape=(2000,))
        assert (np.asarray(drawn) == found[:2000]).mean() > 0.98


def test_permutations() -> None:
    for n in (0, 1, 2, 1000):
        order = np.asarray(R.permutation(KEY, n))
        assert order.dtype == np.int64
        np.testing.assert_array_equal(np.sort(order), np.arange(n))
        bits = np.asarray(R.bits(KEY, (n,), lm.uint64))
        np.testing.assert_array_equal(order, np.argsort(bits, kind="stable"))
        x = np.random.default_rng(n).random((3, n, 2))
        np.testing.assert_array_equal(R.permutation(KEY, x, axis=1), x[:, order])
    trials = np.stack([np.asarray(R.permutation(k, 3)) for k in R.split(KEY, 3000)])
    counts = np.unique(trials, axis=0, return_counts=True)[1]
    assert len(counts) == 6 and np.abs(counts - 500).max() < 5 * math.sqrt(500 * 5 / 6)


def test_certain_outcomes() -> None:
    assert not np.asarray(R.bernoulli(KEY, 0, (500,))).any()
    assert np.asarray(R.bernoulli(KEY, 1, (500,))).all()
    least = float(Fraction(1, 2**53))
    assert np.asarray(R.bernoulli(KEY, least, (500,))).sum() == 0


# errors: the same class and text, eager and compiled

HALVES: Any = 2.5
BAD: list[tuple[str, Callable[[Any], Any], type[Exception], str]] = [
    ("a number as key", lambda k: R.bits(3), lm.DTypeError, "bits: expected a key, uint32"),
    ("a key of int64", lambda k: R.normal(lm.astype(k, lm.int64), (2,)), lm.DTypeError,
     "normal: expected a key, uint32 of shape \\(2,\\), found int64"),
    ("two keys", lambda k: R.split(lm.stack([k, k])), lm.ShapeError,
     "split: expected a key of shape \\(2,\\), found shape \\(2, 2\\)"),
    ("a negative size", lambda k: R.bits(k, (2, -1)), lm.ShapeError, "bits: expected sizes of 0"),
    ("a float size", lambda k: R.bits(k, 2.5), lm.ArgumentError, "bits: expected an integer size"),
    ("no integer of keys", lambda k: R.split(k, HALVES), lm.ArgumentError, "expected an integer"),
    ("signed bits", lambda k: R.bits(k, (), lm.int32), lm.DTypeError, "an unsigned dtype"),
    ("integer normals", lambda k: R.normal(k, (), int), lm.DTypeError, "a floating-point dtype"),
    ("a float seed", lambda k: R.key(1.5), lm.DTypeError, "key: expected an integer dtype"),
    ("a large seed", lambda k: R.key(2**64), lm.DTypeError, "expected an int from -2\\*\\*63"),
    ("several seeds", lambda k: R.fold_in(k, k), lm.ShapeError, "fold_in: expected a 0-d integer"),
    ("an empty range", lambda k: R.integers(k, 3, 3), lm.DomainError, "low < high, found 3 and 3"),
    ("outside the dtype", lambda k: R.integers(k, 0, 300, (), lm.uint8), lm.DTypeError,
     "integers: expected a range from 0 to 255 for uint8, found 0 to 299"),
    ("floats as range", lambda k: R.integers(k, 0, HALVES), lm.ArgumentError, "an integer bound"),
    ("low above high", lambda k: R.uniform(k, (2,), low=2), lm.DomainError, "low < high"),
    ("an infinite end", lambda k: R.uniform(k, (), high=math.inf), lm.DomainError, "low < high"),
    ("too wide", lambda k: R.uniform(k, (), lm.float16, -6e4, 6e4), lm.DomainError, "finite"),
    ("no end", lambda k: R.uniform(k, (), low=math.nan), lm.DomainError, "low < high"),
    ("ends of 3", lambda k: R.uniform(k, (2,), high=np.ones(3)), lm.ShapeError, "broadcasts to"),
    ("a chance of 2", lambda k: R.bernoulli(k, 2), lm.DomainError, "probabilities from 0 to 1"),
    ("chances of 2", lambda k: R.bernoulli(k, lm.astype(k, lm.float32)), lm.DomainError, "0 to 1"),
    ("no chance", lambda k: R.bernoulli(k, math.nan), lm.DomainError, "from 0 to 1"),
    ("another shape", lambda k: R.bernoulli(k, np.ones(3), (2,)), lm.ShapeError, "broadcasts to"),
    ("integer logits", lambda k: R.categorical(k, np.arange(3)), lm.DTypeError, "floating-point"),
    ("fewer than 0 parts", lambda k: R.permutation(k, -1), lm.ShapeError, "permutation: expected"),
    ("half a part", lambda k: R.permutation(k, 2.5), lm.ArgumentError, "an integer number of part"),
    ("a part of a number", lambda k: R.permutation(k, k[0]), lm.AxisError, "no axis for a 0-d"),
    ("an axis of 2", lambda k: R.categorical(k, LOGITS, 2), lm.AxisError, "an axis from -2 to 1"),
    ("batches of 5", lambda k: R.categorical(k, LOGITS, shape=(5,)), lm.ShapeError,
     "categorical: expected a shape that ends in \\(3,\\), found \\(5,\\)"),
    ("no category", lambda k: R.categorical(k, np.ones((2, 0))), lm.ShapeError, "size of 1 or mo"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("function", "error", "message"), [b[1:] for b in BAD], ids=[b[0] for b in BAD]
)
def test_errors(function: Callable[[Any], Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message) as eager:
        function(lm.asarray(KEY))
    with pytest.raises(error, match=message) as traced:
        lm.jit(function)(KEY)
    assert str(eager.value) == str(traced.value)
    assert f"({__file__}:" in str(traced.value)
