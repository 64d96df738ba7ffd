"""`take`, `put` and their like against NumPy: every integer dtype, modes, eager and compiled."""

# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from op_row import INTEGERS
from op_table import rng_for

import lamina as lm

Array = np.ndarray[Any, Any]
RUNS = (lambda f: f, lm.jit)


def same(found: Any, expected: Array) -> bool:
    array = np.asarray(found)
    return array.dtype == expected.dtype and np.array_equal(array, expected, equal_nan=True)


def indices(rng: np.random.Generator, dtype: Any, n: int, shape: Any, far: bool) -> Array:
    """Indices of an axis of size n; with `far` some are out of range."""
    info = np.iinfo(dtype)
    found = rng.integers(max(-n, info.min), min(n - 1, info.max), shape, endpoint=True)
    ends = np.array([info.min, info.max, -n - 1, n])
    ends = ends[(ends >= info.min) & (ends <= info.max)] if dtype != np.uint64 else np.array([n])
    chosen = rng.choice(ends, shape)
    return np.where(rng.random(shape) < (0.3 if far else 0), chosen, found).astype(dtype)


def inside(index: Array, n: int) -> tuple[Array, Array]:
    """Each index counted from the start and clamped, and whether it was in range."""
    whole = [int(i) + n * (int(i) < 0) for i in index.flat]
    clamped = np.array([min(max(i, 0), n - 1) for i in whole], np.int64)
    valid = np.array([0 <= i < n for i in whole], np.bool_)
    return clamped.reshape(index.shape), valid.reshape(index.shape)


@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
def test_take(dtype: Any) -> None:
    rng = rng_for("take", dtype)
    for shape, index_shape in (((4,), ()), ((2, 3), (5,)), ((3, 1, 4), (2, 2)), ((2, 130), (7,))):
        x = rng.normal(size=shape)
        for axis in (None, *range(-len(shape), len(shape))):
            n = x.size if axis is None else x.shape[axis]
            i = indices(rng, dtype, n, index_shape, far=False)
            j = indices(rng, dtype, n, index_shape, far=True)
            clamped, valid = inside(j, n)
            clipped = np.take(x, clamped, axis)
            dims = clipped.ndim if axis is None else axis % x.ndim + len(index_shape)
            mask = valid.reshape(valid.shape + (1,) * (clipped.ndim - dims))
            filled = np.where(mask, clipped, -1.5)
            y = lm.asarray(x)
            assert same(lm.take(y, lm.asarray(i), axis=axis), np.take(x, i.astype(np.int64), axis))
            for run in RUNS if axis in (None, 0) else RUNS[:1]:
                for mode, expected in (("clip", clipped), ("fill", filled)):

                    def take(x: Any, j: Any, axis: Any = axis, mode: str = mode) -> Any:
                        return lm.take(x, j, axis=axis, mode=mode, fill_value=-1.5)

                    assert same(run(take)(y, lm.asarray(j)), expected), (axis, mode, j)


@pytest.mark.parametrize("run", RUNS, ids=("eager", "compiled"))
def test_along_an_axis(run: Any) -> None:
    """The other axes broadcast, in both directions."""
    rng = rng_for("along")
    shapes: tuple[tuple[Any, Any, int], ...] = (
        ((5,), (3,), 0), ((3, 4), (3, 2), 1), ((3, 4), (1, 2), 1), ((1, 4), (3, 2), -1),
        ((2, 1, 3), (2, 5, 3), 1), ((2, 3, 4), (2, 0, 4), 1), ((4, 1), (2, 1), 0),
    )  # fmt: skip
    for shape, index_shape, axis in shapes:
        x = rng.integers(0, 99, shape)
        i = rng.integers(-shape[axis], shape[axis], index_shape)
        take = run(lambda x, i, axis=axis: lm.take_along_axis(x, i, axis=axis))
        expected = np.take_along_axis(x, i, axis)
        assert same(take(lm.asarray(x), lm.asarray(i)), expected)
        v = rng.integers(0, 99, expected.shape)
        y = lm.asarray(x)
        run(lambda x, i, v, axis=axis: lm.put_along_axis(x, i, v, axis=axis))(y, i, v)
        np.put_along_axis(x, i, v, axis)
        assert same(y, x), (shape, index_shape, axis)


@pytest.mark.parametrize("run", RUNS, ids=("eager", "compiled"))
def test_put(run: Any) -> None:
    rng = rng_for("put")
    for shape, count, given in (((4,), 3, 3), ((2, 3), 5, 2), ((2, 3), 0, 1), ((2, 2, 2), 4, 1)):
        x = rng.normal(size=shape)
        i, v = rng.integers(-x.size, x.size, count), rng.normal(size=given)
        y = lm.asarray(x)
        run(lambda x, i, v: lm.put(x, i, v))(y, lm.asarray(i), lm.asarray(v))
        np.put(x, i, v)
        assert same(y, x)
    x = np.arange(6.0).reshape(2, 3)
    y, view = lm.asarray(x), lm.asarray(x)
    run(lambda x, i: lm.put(x, i, 9.0, axis=1, mode="fill"))(y, lm.asarray([0, 3, -4]))
    assert y.tolist() == [[9, 1, 2], [9, 4, 5]]
    run(lambda x, i: lm.put(x, i, 9.0, mode="clip"))(y, lm.asarray([-99, 99]))
    assert y.tolist() == [[9, 1, 2], [9, 4, 9]]
    run(lambda x, i: lm.put(x.T, i, lm.arange(2.0)))(view, lm.asarray([1, -1]))  # no view is flat
    assert view.tolist() == [[0, 1, 2], [0, 4, 1]]


@pytest.mark.parametrize("run", RUNS, ids=("eager", "compiled"))
@pytest.mark.parametrize("dtype", (np.float32, np.int8, np.uint64), ids=str)
def test_scatter_add(run: Any, dtype: Any) -> None:
    """In index order: the bits are those of the additions one after the other."""
    rng = rng_for("scatter_add", dtype)
    for shape, index_shape, axis in (((7,), (90,), 0), ((5, 3), (40,), 0), ((3, 5), (40,), 1),
                                     ((3, 5), (3, 40), 1), ((2, 5, 3), (2, 9, 3), 1)):  # fmt: skip
        x = (rng.normal(size=shape) * 50).astype(dtype)
        i = rng.integers(-shape[axis], shape[axis], index_shape)
        whole = len(index_shape) == 1
        wide = (*shape[:axis], *index_shape, *shape[axis + 1 :]) if whole else index_shape
        v = (rng.normal(size=wide) * 50).astype(dtype)
        add = run(lambda x, i, v, axis=axis: lm.scatter_add(x, i, v, axis=axis))
        found = add(lm.asarray(x), lm.asarray(i), lm.asarray(v))
        if whole:
            key: Any = (*[slice(None)] * axis, i)
            np.add.at(x, key, v)
        else:
            places = np.meshgrid(*map(np.arange, index_shape), indexing="ij")
            np.add.at(x, (*places[:axis], i, *places[axis + 1 :]), v)
        assert same(found, x), (shape, index_shape, axis)


@pytest.mark.parametrize("run", RUNS, ids=("eager", "compiled"))
def test_scatter_add_modes(run: Any) -> None:
    far = lm.asarray([3, -4, 0])
    for mode, expected in (("fill", [1, 0, 0]), ("clip", [2, 0, 1])):
        add = run(lambda x, i, mode=mode: lm.scatter_add(x, i, 1, mode=mode))
        assert add(lm.asarray([0, 0, 0]), far).tolist() == expected
    with pytest.raises(lm.DTypeError, match="updates that promote to a numeric dtype of x"):
        run(lambda x, i: lm.scatter_add(x, i, 0.5))(lm.asarray([0, 0, 0]), far)
    with pytest.raises(lm.ShapeError, match="scatter_add: expected a shape that broadcasts to"):
        run(lambda x, i: lm.scatter_add(x, i, lm.zeros(2)))(lm.zeros(3), lm.asarray([0, 1, 2]))


@pytest.mark.parametrize("run", RUNS, ids=("eager", "compiled"))
def test_one_hot(run: Any) -> None:
    for dtype in (np.int8, np.uint64, np.int64):
        i = np.array([[0, 2], [3, 1]]).astype(dtype)
        expected = (i[..., None] == np.arange(3)).astype(np.float32)
        assert same(run(lambda i: lm.one_hot(i, 3))(lm.asarray(i)), expected)
        moved = run(lambda i: lm.one_hot(i, 3, axis=0, dtype=lm.int8))(lm.asarray(i))
        assert same(moved, np.moveaxis(expected, -1, 0).astype(np.int8))
    assert run(lambda i: lm.one_hot(i, 3))(lm.asarray([-1, -4])).tolist() == [[0, 0, 1], [0, 0, 0]]
    assert run(lambda i: lm.one_hot(i, 0))(lm.asarray([1])).shape == (1, 0)


@pytest.mark.parametrize("row", [(16,), (2, 40), (65,), (256,)], ids=str)
@pytest.mark.parametrize("count", [17, 130], ids=str)
def test_rows_of_a_large_array(row: tuple[int, ...], count: int) -> None:
    """Rows that compiled code asks for ahead, the last of them included; lines end inside rows."""
    rng = rng_for("rows", row)
    x = rng.normal(size=(1 + (1 << 18) // int(np.prod(row)), *row)).astype(np.float32)
    i = rng.integers(-len(x), len(x), count)
    i[-1] = len(x) - 1
    f = lm.jit(lambda x, i: lm.take(x, i, axis=0) + 1)
    assert "memref.prefetch" in f.lower(x, i).ir("loop")
    assert same(f(x, i), x[i] + np.float32(1))
    pairs = i[: count // 2 * 2].reshape(2, -1)
    assert same(f(x, pairs), x[pairs] + np.float32(1))
    with pytest.raises(lm.IndexRangeError):
        f(x, np.append(i, len(x)))


@pytest.mark.parametrize("offset", [0, 1], ids=["aligned", "unaligned"])
def test_results_larger_than_the_caches(offset: int) -> None:
    """Compiled code stores their rows past the caches, where memory is aligned for it."""
    rng = rng_for("past the caches")
    x = rng.normal(size=(1 << 14, 32)).astype(np.float32)
    i = rng.integers(-len(x), len(x), (1 << 19) + 3)
    out = np.zeros(i.size * 32 + 4, np.float32)
    skipped = (offset - out.ctypes.data // 4) % 4
    out = out[skipped : skipped + i.size * 32].reshape(-1, 32)

    def write(out: Any, x: Any, i: Any) -> Any:
        out[...] = lm.take(x, i, axis=0)
        return lm.take(x, i[::-1], axis=0)

    f = lm.jit(write, threads=2)
    assert "nontemporal" in f.lower(out, x, i).ir("loop")
    found = f(out, x, i)
    assert np.array_equal(out, x[i])
    assert np.array_equal(np.asarray(found), x[i[::-1]])
