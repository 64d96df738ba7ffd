"""`lm.random`: random numbers as pure functions of a key and a shape.

A key is the key of Philox4x32-10 (Salmon, Moraes, Dror, Shaw: Parallel random numbers: as easy as
1, 2, 3. SC 2011), uint32 of shape (2,). Equal keys give equal bits: in eager and compiled code,
with any number of threads, on any machine. So use a key once, then `split` or `fold_in` it.

Words 0 and 1 of the counter say which block of 128 bits it is; words 2 and 3 keep apart what one
key is used for: 0, 0 for bits; 0, 1 for `split`; the low half of the data and 2, then the high half
and 3 for `fold_in`; 0, 4 for the second bits of `normal` in float64.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lamina.errors import DomainError, DTypeError, ShapeError
from lamina.frontend import dtypes, shapes
from lamina.frontend.array import Array, ArrayLike
from lamina.frontend.bind import (
    as_array,
    bind,
    broadcast,
    cast,
    check_dtype,
    constant,
    full,
    is_weak,
)
from lamina.frontend.checks import check
from lamina.frontend.dtypes import DType
from lamina.frontend.elementwise import abs, add, multiply, negative, reciprocal, subtract
from lamina.frontend.location import fail
from lamina.frontend.logic import (
    bitwise_and,
    bitwise_right_shift,
    copysign,
    greater,
    greater_equal,
    isfinite,
    less,
    less_equal,
    logical_and,
)
from lamina.frontend.manipulation import stack
from lamina.frontend.searching import argmax, where
from lamina.frontend.shapes import Shape
from lamina.frontend.sorting import argsort
from lamina.frontend.taking import take
from lamina.frontend.transcendental import log, sin, sqrt

WORD, WIDE = dtypes.uint32, dtypes.uint64
PRECISION: dict[DType, int] = {
    dtypes.float16: 11,
    dtypes.bfloat16: 8,
    dtypes.float32: 24,
    dtypes.float64: 53,
}
"""Bits of a uniform number: the significand's."""

BITS, SPLIT, FOLD_LOW, FOLD_HIGH, SECOND = range(5)
"""Word 3 of the counter."""


# keys


def key(seed: ArrayLike) -> Array:
    """The key of a seed: its low and its high 32 bits, uint32 (2,).

    seed: an integer from -2**63 to 2**64 - 1, or a 0-d array of integers; others are a `DTypeError`
    or `ShapeError`.

    >>> lm.random.key(7)
    Array([7, 0], dtype=uint32)
    """
    return stack(_words("key", seed))


def split(key: ArrayLike, n: int = 2) -> Array:
    """n new keys, uint32 (n, 2). They are independent of each other and of `bits(key, ...)`.

    >>> first, second = lm.random.split(lm.random.key(0))
    >>> first
    Array([768504805, 323543615], dtype=uint32)
    """
    count = shapes.integer("split", n, "number of keys")
    return _random("split", key, (count, 2), WORD, SPLIT)


def fold_in(key: ArrayLike, data: ArrayLike) -> Array:
    """A new key, uint32 (2,), of a key and an integer (as a seed of `key`): a step, a layer.

    >>> lm.random.fold_in(lm.random.key(0), 3)
    Array([ 276910969, 1978549985], dtype=uint32)
    """
    found = _key("fold_in", key)
    zero = constant(np.zeros((), np.uint32))
    for word, purpose in zip(_words("fold_in", data), (FOLD_LOW, FOLD_HIGH), strict=True):
        counter = stack([zero, zero, word, constant(np.array(purpose, np.uint32))])
        found = bind("random_bits", found, counter, shape=(2,), dtype=WORD)
    return found


def _words(name: str, number: ArrayLike) -> list[Array]:
    """The low and the high 32 bits of an integer."""
    if isinstance(number, int):
        if not -(2**63) <= number < 2**64:
            fail(DTypeError, f"{name}: expected an int from -2**63 to 2**64 - 1, found {number}")
        low_high = (number & 0xFFFFFFFF, number >> 32 & 0xFFFFFFFF)
        return [constant(np.array(word, np.uint32)) for word in low_high]
    array = as_array(name, number)
    check_dtype(name, array.dtype, dtypes.INTEGERS)
    if array.ndim:
        fail(ShapeError, f"{name}: expected a 0-d integer, found shape {array.shape}")
    wide = cast(array, WIDE)
    return [cast(wide, WORD), cast(bitwise_right_shift(wide, 32), WORD)]


def _key(name: str, value: ArrayLike) -> Array:
    array = None if is_weak(value) else as_array(name, value)
    if array is None or array.dtype != WORD:
        found = "a number" if array is None else array.dtype
        fail(DTypeError, f"{name}: expected a key, uint32 of shape (2,), found {found}")
    if array.shape != (2,):
        fail(ShapeError, f"{name}: expected a key of shape (2,), found shape {array.shape}")
    return array


def _random(name: str, key: ArrayLike, shape: Any, dtype: DType, purpose: int = BITS) -> Array:
    """Random uint32 or uint64."""
    counter = constant(np.array([0, 0, 0, purpose], np.uint32))
    wanted = shapes.shape_tuple(name, shape)
    return bind("random_bits", _key(name, key), counter, shape=wanted, dtype=dtype)


# numbers


def bits(key: ArrayLike, shape: Any = (), dtype: Any = dtypes.uint32) -> Array:
    """Random bits, of an unsigned dtype.

    Element i in row-major order of uint32 is word i of the Philox stream; of uint64 it has words
    2 i (the low half) and 2 i + 1; smaller ones are the low bits of uint32.

    >>> lm.random.bits(lm.random.key(0), (3,))
    Array([1713891541, 3781805453, 3159862348], dtype=uint32)
    """
    wanted = dtypes.normalize(dtype)
    if dtypes.KIND_OF[wanted] != "unsigned":
        fail(DTypeError, f"bits: expected an unsigned dtype, found {wanted}")
    return cast(_random("bits", key, shape, WIDE if wanted == WIDE else WORD), wanted)


def uniform(
    key: ArrayLike,
    shape: Any = (),
    dtype: Any = dtypes.float32,
    low: ArrayLike = 0.0,
    high: ArrayLike = 1.0,
) -> Array:
    """Uniform numbers from `low`, which may occur, to `high`, which does not. Floating-point.

    u is the highest p bits of the element's 32 (float64: 64) times 2**-p, where p is the precision
    of the dtype: 11 for float16, 8 for bfloat16, 24 for float32, 53 for float64. The result is
    low + u * (high - low), or `low` where that rounds to `high`. `low` and `high` broadcast to
    `shape`; `DomainError` unless low < high and high - low is finite.

    >>> lm.random.uniform(lm.random.key(0), (3,))
    Array([0.39904642, 0.88052016, 0.73571277], dtype=float32)
    """
    wanted, unit = _unit("uniform", key, shape, dtype)
    if is_number(low) and is_number(high) and (low, high) == (0, 1):
        return unit
    least, most = (_fitted("uniform", value, unit.shape, wanted) for value in (low, high))
    span = subtract(most, least)
    fine = logical_and(less(least, most), isfinite(span))
    check(fine, DomainError, f"uniform: expected low < high, and a finite high - low in {wanted}")
    result = add(least, multiply(unit, span))
    return where(less(result, most), result, least)


def _unit(name: str, key: ArrayLike, shape: Any, dtype: Any) -> tuple[DType, Array]:
    """The dtype, and uniform numbers from 0 to 1."""
    wanted = dtypes.normalize(dtype)
    check_dtype(name, wanted, dtypes.FLOATS)
    precision = PRECISION[wanted]
    word = WIDE if wanted == dtypes.float64 else WORD
    found = _random(name, key, shape, word)
    whole = cast(bitwise_right_shift(found, 8 * word.itemsize - precision), wanted)
    return wanted, multiply(whole, 2.0**-precision)


def is_number(value: Any) -> bool:
    """Whether `value` is a Python int or float that is known now."""
    return type(value) in (int, float)


def _fitted(name: str, value: ArrayLike, shape: Shape, dtype: DType) -> Array:
    """`value` as an array of this dtype and shape."""
    array = cast(as_array(name, value, dtype), dtype)
    shapes.check_broadcast(name, array.shape, shape)
    return broadcast(array, shape)


def normal(key: ArrayLike, shape: Any = (), dtype: Any = dtypes.float32) -> Array:
    """Numbers of the standard normal distribution. Floating-point.

    By Box and Muller (A note on the generation of random normal deviates, 1958), with the angle on
    half a circle: sqrt(-2 log u) sin(pi t), u = (a + 1/2) 2**-k, t = (b + 1/2) 2**-k - 1/2, all in
    float64. For float64 k is 52; a and b are the high bits of two words of 64. For other dtypes k
    is 32; a and b are the high and the low half of one word of 64, and the result is rounded once.
    Errors: 2 ulp in float64, 1 ulp else.

    >>> lm.random.normal(lm.random.key(0), (2,))
    Array([-0.15732473,  0.6758337 ], dtype=float32)
    """
    wanted = dtypes.normalize(dtype)
    check_dtype("normal", wanted, dtypes.FLOATS)
    word = _random("normal", key, shape, WIDE)
    if wanted == dtypes.float64:
        places = 52
        first = bitwise_right_shift(word, 12)
        second = bitwise_right_shift(_random("normal", key, shape, WIDE, SECOND), 12)
    else:
        places = 32
        first, second = bitwise_right_shift(word, 32), bitwise_and(word, 0xFFFFFFFF)
    u, t = (
        multiply(add(cast(part, dtypes.float64), 0.5), 2.0**-places) for part in (first, second)
    )
    square, turn = multiply(log(u), -2.0), subtract(t, 0.5)
    if wanted == dtypes.float64:
        return _precise_normal(square, turn)
    return cast(multiply(sqrt(square), sin(multiply(turn, np.pi))), wanted)


PI_REST = 1.2246467991473532e-16
"""Pi less its float64."""


def _precise_normal(square: Array, turn: Array) -> Array:
    """sqrt(square) sin(pi turn) with little more than the errors of log and sin and one rounding:
    what the square root, the angle and the product lose is computed and added (Dekker: A
    floating-point technique for extending the available precision, 1971)."""
    radius = sqrt(square)
    radius_rest = multiply(
        negative(_lost(radius, radius, square)), multiply(reciprocal(radius), 0.5)
    )
    sine, sine_rest = _sine(abs(turn))
    result = multiply(radius, sine)
    small = add(multiply(radius, sine_rest), multiply(radius_rest, sine))
    return copysign(add(result, add(_lost(radius, sine, result), small)), turn)


def _sine(turn: Array) -> tuple[Array, Array]:
    """sin(pi turn) in two terms, for turn from 0 to 1/2; from 1/4 on by 1 - 2 sin(pi part)**2,
    with half of what is missing to 1/2: sin itself is best near 0."""
    outer = greater(turn, 0.25)
    part = where(outer, multiply(subtract(0.5, turn), 0.5), turn)
    pi = full(np.pi, turn.shape, dtypes.float64)
    angle = multiply(part, pi)
    angle_rest = add(_lost(part, pi, angle), multiply(part, PI_REST))
    sine = sin(angle)
    square = multiply(sine, sine)
    slope = multiply(angle_rest, sqrt(subtract(1.0, square)))
    double = add(square, square)
    large = subtract(1.0, double)
    lost = subtract(subtract(subtract(1.0, large), double), multiply(multiply(sine, 4.0), slope))
    return where(outer, large, sine), where(outer, lost, slope)


def _lost(x: Array, y: Array, product: Array) -> Array:
    """x y - product, for a product that is near."""
    (x_high, x_low), (y_high, y_low) = _parts(x), _parts(y)
    rest = subtract(multiply(x_high, y_high), product)
    cross = add(add(rest, multiply(x_high, y_low)), multiply(x_low, y_high))
    return add(cross, multiply(x_low, y_low))


def _parts(x: Array) -> tuple[Array, Array]:
    """The upper 26 bits of a float64, and the rest (Veltkamp's way)."""
    wide = multiply(x, 2.0**27 + 1)
    high = subtract(wide, subtract(wide, x))
    return high, subtract(x, high)


def integers(
    key: ArrayLike, low: int, high: int, shape: Any = (), dtype: Any = dtypes.int64
) -> Array:
    """Integers from `low` to `high` - 1.

    low + the high half of word * (high - low), with words of 64 bits: the probability of each value
    is within 2**-64 of 1 / (high - low) (Lemire: Fast random integer generation in an interval,
    2019, without the rejection). `DomainError` for an empty range, `DTypeError` for one that is
    not of `dtype`.

    >>> lm.random.integers(lm.random.key(0), 1, 7, (5,))
    Array([6, 4, 3, 1, 2])
    """
    wanted = dtypes.normalize(dtype)
    check_dtype("integers", wanted, dtypes.INTEGERS)
    first, last = (shapes.integer("integers", x, "bound") for x in (low, high))
    least, most = dtypes.RANGES[wanted]
    if first >= last:
        fail(DomainError, f"integers: expected low < high, found {first} and {last}")
    if first < least or last > most + 1:
        fail(
            DTypeError,
            f"integers: expected a range from {least} to {most} for {wanted}, "
            f"found {first} to {last - 1}",
        )
    word = _random("integers", key, shape, WIDE)
    count = last - first
    found = word if count == 2**64 else _high_product(word, count)
    return cast(add(found, first % 2**64), wanted)


def _high_product(word: Array, count: int) -> Array:
    """The high 64 bits of the product of a word of 64 bits and a number below 2**64."""
    low, high = bitwise_and(word, 0xFFFFFFFF), bitwise_right_shift(word, 32)
    few, many = count & 0xFFFFFFFF, count >> 32
    middle = add(multiply(high, few), bitwise_right_shift(multiply(low, few), 32))
    if not many:
        return bitwise_right_shift(middle, 32)
    other = add(multiply(low, many), bitwise_and(middle, 0xFFFFFFFF))
    carried = add(bitwise_right_shift(middle, 32), bitwise_right_shift(other, 32))
    return add(multiply(high, many), carried)


def bernoulli(key: ArrayLike, p: ArrayLike = 0.5, shape: Any = None) -> Array:
    """True with probability p, bool: u < p, for u uniform in float64.

    shape: that of p when it is None; p broadcasts to it. `DomainError` unless 0 <= p <= 1.

    >>> lm.random.bernoulli(lm.random.key(0), 0.8, (4,))
    Array([False,  True,  True,  True])
    """
    chance = as_array("bernoulli", p, dtypes.float64)
    check_dtype("bernoulli", chance.dtype, dtypes.REAL)
    chance = cast(chance, dtypes.float64)
    inside = logical_and(greater_equal(chance, 0.0), less_equal(chance, 1.0))
    check(inside, DomainError, "bernoulli: expected probabilities from 0 to 1")
    wanted = chance.shape if shape is None else shapes.shape_tuple("bernoulli", shape)
    _, unit = _unit("bernoulli", key, wanted, dtypes.float64)
    return less(unit, _fitted("bernoulli", chance, wanted, dtypes.float64))


def permutation(key: ArrayLike, x: ArrayLike, axis: int = 0) -> Array:
    """x with its parts along `axis` in random order, or for an int the numbers from 0 to x - 1.

    The order is that of words of 64 bits, one a part, sorted: `argsort(bits(key, (n,), uint64))`.
    Of n parts two words are equal with a chance below n**2 / 2**65; those parts keep their order.

    >>> lm.random.permutation(lm.random.key(0), 5)
    Array([3, 4, 2, 1, 0])
    """
    if is_weak(x):
        number: Any = x
        count = shapes.integer("permutation", number, "number of parts")
        return argsort(_random("permutation", key, (count,), WIDE))
    array = as_array("permutation", x)
    along = shapes.axis_index("permutation", axis, array.ndim)
    order = argsort(_random("permutation", key, (array.shape[along],), WIDE))
    return take(array, order, axis=along, mode="clip")


def categorical(key: ArrayLike, logits: ArrayLike, axis: int = -1, shape: Any = None) -> Array:
    """Indices along `axis` with probabilities proportional to exp(logits), int64.

    argmax(logits - log(-log(u))), u = (w + 1/2) 2**-52 for w the high 52 bits of a word of 64, all
    in float64. shape: of the result; its last sizes are those of `logits` without `axis`, which is
    the default. Floating-point logits; -inf is never chosen where another one can be.

    >>> lm.random.categorical(lm.random.key(0), lm.asarray([0.0, 3.0, -1.0]), shape=(6,))
    Array([1, 1, 1, 0, 1, 1])
    """
    array = as_array("categorical", logits)
    check_dtype("categorical", array.dtype, dtypes.FLOATS)
    place = shapes.axis_index("categorical", axis, array.ndim)
    batch = shapes.reduced(array.shape, (place,))
    wanted = batch if shape is None else shapes.shape_tuple("categorical", shape)
    outer = len(wanted) - len(batch)
    if outer < 0 or wanted[outer:] != batch:
        fail(ShapeError, f"categorical: expected a shape that ends in {batch}, found {wanted}")
    whole = (*wanted[:outer], *array.shape)
    word = bitwise_right_shift(_random("categorical", key, whole, WIDE), 12)
    u = multiply(add(cast(word, dtypes.float64), 0.5), 2.0**-52)
    noise = negative(log(negative(log(u))))
    return argmax(add(cast(array, dtypes.float64), noise), axis=outer + place)
