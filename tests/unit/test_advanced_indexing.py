"""Keys with arrays, eager and compiled, against NumPy: drawn keys, and errors."""

# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false
# pyright: reportUnknownVariableType=false
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from op_table import rng_for

import lamina as lm

Key = tuple[Any, ...]


def drawn_key(rng: np.random.Generator, shape: tuple[int, ...], masks: bool) -> Key:
    """Ints, slices, None, ... and arrays, some out of range."""
    common = tuple(int(n) for n in rng.integers(1, 4, rng.integers(0, 3)))
    keys: list[Any] = []
    axis, rank = 0, len(shape)
    stop = int(rng.integers(0, rank + 1))
    while axis < stop:
        size, kind = shape[axis], rng.random()
        if kind < 0.12:
            keys.append(None)
        elif kind < 0.2 and not any(k is Ellipsis for k in keys):
            keys.append(Ellipsis)
        elif masks and kind < 0.32:
            count = int(rng.integers(1, min(2, stop - axis) + 1))
            keys.append(rng.integers(0, 2, shape[axis : axis + count]).astype(bool))
            axis += count
        elif masks and kind < 0.35:
            keys.append(bool(rng.integers(2)))
        elif kind < 0.5 and size:
            keys.append(int(rng.integers(-size, size)))
            axis += 1
        elif kind < 0.7:
            start, end = (None if rng.random() < 0.4 else int(rng.integers(-5, 6)) for _ in "ab")
            keys.append(slice(start, end, int(rng.choice([-2, -1, 1, 1, 1, 2]))))
            axis += 1
        elif size:
            part = common[int(rng.integers(0, len(common) + 1)) :]
            part = tuple(1 if rng.random() < 0.2 else n for n in part)
            off = 1 if rng.random() < 0.04 else 0
            dtype = (np.int8, np.int32, np.int64)[rng.integers(3)]
            array = rng.integers(-size - off, size + off, part).astype(dtype)
            keys.append(array.tolist() if array.ndim and rng.random() < 0.2 else array)
            axis += 1
        else:
            keys.append(slice(None))
            axis += 1
    return tuple(keys)


def ours(key: Key) -> Key:
    """The key with arrays of ours."""
    return tuple(lm.asarray(k) if isinstance(k, np.ndarray) else k for k in key)


def outcome(run: Callable[[], Any]) -> Any:
    """The result as an array, or "error" for an IndexError."""
    try:
        return np.array(run())
    except IndexError:
        return "error"


def same(found: Any, expected: Any) -> bool:
    """Equal outcomes."""
    if isinstance(expected, str) or isinstance(found, str):
        return isinstance(expected, str) and isinstance(found, str)
    return found.shape == expected.shape and np.array_equal(found, expected)


def drawn_shape(rng: np.random.Generator) -> tuple[int, ...]:
    sizes = rng.choice([0, 1, 2, 3, 4, 5], rng.integers(0, 5), p=[0.05, 0.15, 0.2, 0.2, 0.2, 0.2])
    return tuple(int(n) for n in sizes)


def test_reads_agree_with_numpy() -> None:
    for turn in range(600):
        rng = rng_for("read", turn)
        x = rng.integers(0, 100, drawn_shape(rng))
        key = drawn_key(rng, x.shape, masks=True)
        y = lm.asarray(x)
        expected = outcome(lambda x=x, key=key: x[key])
        found = outcome(lambda y=y, key=key: y[ours(key)])
        assert same(found, expected), (x.shape, key, found, expected)


def test_writes_agree_with_numpy() -> None:
    for turn in range(600):
        rng = rng_for("write", turn)
        x = rng.integers(0, 100, drawn_shape(rng))
        key = drawn_key(rng, x.shape, masks=True)
        y = lm.asarray(x)
        try:
            shape = x[key].shape
        except IndexError:
            with pytest.raises(IndexError):
                y[ours(key)] = 0
            continue
        value = rng.integers(0, 100, shape[int(rng.integers(0, len(shape) + 1)) :])
        x[key] = value
        y[ours(key)] = lm.asarray(value)
        assert np.array_equal(np.asarray(y), x), (x.shape, key, value)


@pytest.mark.slow
@pytest.mark.parametrize("part", range(4))
def test_compiled_keys_agree_with_numpy(part: int) -> None:
    """Arrays in the key are arguments; a write through a mask has a value for all places."""
    for turn in range(part, 60, 4):
        rng = rng_for("compiled", turn)
        x = rng.integers(0, 100, drawn_shape(rng))
        key = drawn_key(rng, x.shape, masks=False)
        arrays = [k for k in key if isinstance(k, np.ndarray)]

        def read(x: Any, arrays: Any, key: Key = key) -> Any:
            left = iter(arrays)
            return x[tuple(next(left) if isinstance(k, np.ndarray) else k for k in key)]

        def write(x: Any, arrays: Any, value: Any, key: Key = key) -> Any:
            left = iter(arrays)
            x[tuple(next(left) if isinstance(k, np.ndarray) else k for k in key)] = value
            return x * 1

        y = lm.asarray(x)
        expected = outcome(lambda x=x, key=key: x[key])
        found = outcome(lambda y=y, arrays=arrays, read=read: lm.jit(read)(y, arrays))
        assert same(found, expected), (x.shape, key, found, expected)
        if isinstance(expected, str):
            continue
        value = rng.integers(0, 100, expected.shape)
        x[key] = value
        assert np.array_equal(np.asarray(lm.jit(write)(y, arrays, value)), x), (x.shape, key)


def test_masks_are_compiled_writes() -> None:
    x = np.arange(24.0).reshape(2, 3, 4)
    cases: list[tuple[Key, Any]] = [
        ((x > 5,), 7.0),
        ((np.array([True, False]),), np.arange(4.0)),
        ((slice(None), np.array([True, False, True])), np.arange(8.0).reshape(2, 1, 4)),
        ((0, np.array([False, True, True]), slice(None, None, 2)), -1.0),
        ((Ellipsis, np.array([True, False, True, False])), np.array([[9.0]])),
    ]
    for key, value in cases:
        place = next(i for i, k in enumerate(key) if isinstance(k, np.ndarray))

        def write(x: Any, mask: Any, value: Any, key: Key = key, place: int = place) -> None:
            x[(*key[:place], mask, *key[place + 1 :])] = value

        expected, found = x.copy(), lm.asarray(x)
        eager = lm.asarray(x)
        expected[key] = value
        lm.jit(write)(found, key[place], value)
        write(eager, lm.asarray(key[place]), value)
        assert np.array_equal(np.asarray(found), expected)
        assert np.array_equal(np.asarray(eager), expected)


def test_repeated_indices() -> None:
    """The last value stays, also where `x[i] += v` reads before it writes."""

    def write(x: Any, i: Any, v: Any) -> None:
        x[i] = v

    def add(x: Any, i: Any, v: Any) -> None:
        x[i] += v

    i, v = np.array([1, 1, -2, 1]), np.array([1.0, 2.0, 3.0, 4.0])
    for function in (write, add):
        expected = np.arange(3.0)
        function(expected, i, v)
        for run in (function, lm.jit(function)):
            found = lm.arange(3.0)
            run(found, lm.asarray(i), lm.asarray(v))
            assert np.array_equal(np.asarray(found), expected)


X = np.arange(6.0).reshape(2, 3)
ERRORS: list[tuple[Callable[..., Any], tuple[Any, ...], type[Exception], str]] = [
    (lambda x, i: x[i], (np.array([0, 2]),), lm.IndexRangeError,
     "index: expected an index from -2 to 1 on axis 0, found 2"),
    (lambda x, i: x[:, i], (np.array([0, -4], np.int8),), lm.IndexRangeError,
     "index: expected an index from -3 to 2 on axis 1, found -4"),
    (lambda x, i: x[0, i], (np.array(3),), lm.IndexRangeError,
     "index: expected an index from -3 to 2 on axis 1, found 3"),
    (lambda x, i: x.__setitem__((i, 0), 1), (np.array([5], np.uint64),), lm.IndexRangeError,
     "index: expected an index from -2 to 1 on axis 0, found 5"),
    (lambda x, i: x.__setitem__(i, 1), (np.array(-3),), lm.IndexRangeError,
     "index: expected an index from -2 to 1 on axis 0, found -3"),
    (lambda x, i: x[i, i, i], (np.array([0]),), lm.IndexRangeError,
     "index: expected at most 2 keys, found 3"),
    (lambda x, i: x[i, [0, 1, 2]], (np.array([0, 1]),), lm.IndexRangeError,
     "index: expected arrays that broadcast, found shapes (2,) and (3,)"),
    (lambda x, i: x[i], (np.array([0.5]),), lm.DTypeError,
     "index: expected arrays of an integer dtype or bool, found float64"),
    (lambda x, m: x.__setitem__(m, 0), (np.array([True]),), lm.IndexRangeError,
     "index: expected a bool array of shape (2,) on axis 0, found shape (1,)"),
    (lambda x, i: x.__setitem__(i, [1, 2]), (np.array([0, 1, 0]),), lm.ArgumentError,
     "set_item: expected an array or a number, found list"),
    (lambda x, i: x.__setitem__(i, x[0, :2]), (np.array([0, 1, 0]),), lm.ShapeError,
     "set_item: expected a shape that broadcasts to (3, 3), found (2,)"),
    (lambda x, i: lm.take(x, i), (np.array([6]),), lm.IndexRangeError,
     "take: expected an index from -6 to 5 on axis 0, found 6"),
    (lambda x, i: lm.take_along_axis(x, i, axis=1), (np.array([[3]]),), lm.IndexRangeError,
     "take_along_axis: expected an index from -3 to 2 on axis 1, found 3"),
    (lambda x, i: lm.scatter_add(x, i, 1.0, axis=1), (np.array([3]),), lm.IndexRangeError,
     "scatter_add: expected an index from -3 to 2 on axis 1, found 3"),
    (lambda x, i: lm.put(x, i, 1.0), (np.array([-7]),), lm.IndexRangeError,
     "put: expected an index from -6 to 5 on axis 0, found -7"),
    (lambda x, i: lm.take(x, i, mode="wrap"), (np.array([0]),), lm.ArgumentError,
     "take: expected a mode of 'raise', 'clip', 'fill', found 'wrap'"),
    (lambda x, i: lm.take(x[:, :0], i, axis=1), (np.array([0]),), lm.IndexRangeError,
     "take: expected no index on axis 1 (the size is 0), found indices of shape (1,)"),
]  # fmt: skip


@pytest.mark.parametrize("number", range(len(ERRORS)))
def test_errors_are_the_same_eager_and_compiled(number: int) -> None:
    function, arguments, kind, message = ERRORS[number]
    for run in (function, lm.jit(function)):
        with pytest.raises(kind) as caught:
            run(lm.asarray(X), *(lm.asarray(a) for a in arguments))
        assert caught.value.message == message  # type: ignore[attr-defined]
        assert str(caught.value.place).startswith(__file__)  # type: ignore[attr-defined]


def test_shapes_that_depend_on_values_are_refused() -> None:
    for function in (
        lambda x, m: x[m],
        lambda x, m: x.__setitem__(m, lm.arange(2.0)),
    ):
        with pytest.raises(lm.TraceError, match="does not depend on values"):
            lm.jit(function)(lm.asarray(X), lm.asarray(X > 3))
    assert np.array_equal(np.asarray(lm.jit(lambda x: x[[True, False]])(lm.asarray(X))), X[:1])


def test_static_indices_are_errors_of_the_trace() -> None:
    with pytest.raises(lm.IndexRangeError, match="found 2"):
        lm.jit(lambda x: x[[0, 2]]).lower(X)


def test_index_arrays_copy() -> None:
    for run in (lambda f: f, lm.jit):
        x = lm.arange(3.0)

        def write_to_part(x: Any, i: Any) -> None:
            y = x[i]
            y[...] = 9.0

        run(write_to_part)(x, lm.asarray([0, 1]))
        run(write_to_part)(x, lm.asarray(1))
        assert x.tolist() == [0.0, 1.0, 2.0]


def written(x: Any, i: Any, v: Any) -> Any:
    """A sum of squares of an array with elements replaced, the same one twice."""
    y = x * 1
    y[i] = v
    return (y * y).sum()


def test_gradients() -> None:
    """By hand: what a read picked, and what a write left, in index order."""
    x, v, i = np.arange(5.0), np.array([1.0, 2.0, 3.0]), np.array([1, 1, -2])
    for got in lm.grad(written, wrt=(0, 2))(x, i, v), lm.jit(lm.grad(written, wrt=(0, 2)))(x, i, v):
        assert [part.tolist() for part in got] == [[0, 0, 4, 0, 8], [0, 4, 6]]
    eager, value = lm.asarray(x), lm.asarray(v)
    eager.requires_grad = value.requires_grad = True
    written(eager, lm.asarray(i), value).backward()
    found = [np.asarray(x.grad).tolist() for x in (eager, value)]
    assert found == [[0, 0, 4, 0, 8], [0, 4, 6]]
    far = np.array([-9, 9, 1])
    for mode, expected in (("clip", [0, 2, 0, 0, 8]), ("fill", [0, 2, 0, 0, 0])):
        taken = lm.grad(lambda x, i, m=mode: (lm.take(x, i, mode=m) ** 2).sum())(x, far)
        assert taken.tolist() == expected
    added = lm.grad(lambda x, v: (lm.scatter_add(x, i, v) ** 2).sum(), wrt=(0, 1))(x, v)
    assert [part.tolist() for part in added] == [[0, 8, 4, 12, 8], [8, 8, 12]]


def test_windows_in_loops() -> None:
    """A write through a 0-d index and slices moves no more than its part."""

    def doubled(x: Any) -> Any:
        def row(i: Any, c: Any) -> Any:
            c[i, 1:3] = x[i, 1:3] * 2
            c[-1 - i, ::2] += 1
            return c

        return lm.fori_loop(0, 3, row, x * 1)

    x = np.ones((3, 4))
    for i in range(3):
        x[i, 1:3] = 2
        x[-1 - i, ::2] += 1
    for run in (lambda f: f, lm.jit):
        assert run(doubled)(lm.ones((3, 4))).tolist() == x.tolist()

    def inner(x: Any) -> Any:
        def row(i: Any, c: Any) -> Any:
            c[i, 1:3] = 2.0
            return c

        return lm.fori_loop(0, 3, row, x)

    assert "memref<3x2" not in lm.jit(inner).lower(np.ones((3, 4))).ir("buffer")
    with pytest.raises(lm.IndexRangeError, match="from -3 to 2 on axis 0, found 3"):
        lm.jit(lambda x: lm.fori_loop(0, 4, lambda i, c: c + x[i, 0], 0.0))(np.ones((3, 4)))
