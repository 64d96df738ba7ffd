"""`jit(shapes=...)`: one compilation for all sizes; sizes without annotation; `mode="auto"`."""

# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportPrivateUsage=false

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import lamina as lm

N, M = lm.Dim("n", min=0), lm.Dim("m", min=1, max=4096)
SIZES = (0, 1, 2, 7, 64, 1000)
RNG = np.random.default_rng(0)


def compiled(f: Any) -> int:
    """How many versions `explain` tells of."""
    return len(re.findall(r"version \d+: compiled (?:since|at|as) ", f.explain()))


def bits(result: Any) -> list[tuple[Any, ...]]:
    leaves = [np.asarray(leaf) for leaf in lm.tree.flatten(result)[0]]
    leaves = [np.where(np.isnan(leaf), np.nan, leaf).astype(leaf.dtype) for leaf in leaves]
    return [(leaf.dtype, leaf.shape, leaf.tobytes()) for leaf in leaves]


def test_one_compilation_for_all_sizes() -> None:
    def f(x: Any, y: Any) -> Any:
        return {"sum": x + y, "scaled": x * x.shape[0], "exp": lm.exp(x), "mean": lm.mean(x)}

    static, one = lm.jit(f), lm.jit(f, shapes=((N,), (N,)))
    for size in SIZES:
        x, y = (RNG.random(size, np.float32) for _ in range(2))
        assert bits(one(x, y)) == bits(static(x, y))
    assert compiled(one) == 1
    one = lm.jit(lambda x: lm.softmax(x) * 2 + lm.sum(x), shapes=((M,),))
    assert [one(np.ones(size)).shape for size in SIZES[1:]] == [(size,) for size in SIZES[1:]]
    assert compiled(one) == 1


def test_relations() -> None:
    f = lm.jit(lambda x, y: (lm.sum(x) * y, y[: x.shape[0]] + x), shapes=((N,), (2 * N + 1,)))
    for size in (1, 3, 8):
        x, y = np.ones(size), np.arange(2 * size + 1.0)
        found = f(x, y)
        np.testing.assert_array_equal(np.asarray(found[0]), size * y)
        np.testing.assert_array_equal(np.asarray(found[1]), y[:size] + 1)
    assert compiled(f) == 1
    half = lm.jit(lambda x, y: x[: y.shape[0]] * y, shapes=((M,), (M // 2,)))
    for size in (1, 2, 5, 9):
        found = half(np.arange(float(size)), np.ones(size // 2))
        np.testing.assert_array_equal(np.asarray(found), np.arange(float(size // 2)))
    assert compiled(half) == 1


def test_trees() -> None:
    shapes = ({"w": (M, N), "b": (N,)}, (None, M))
    f = lm.jit(lambda p, x: x @ p["w"] + p["b"], shapes=shapes)
    for m, n in ((2, 3), (5, 3), (2, 1), (7, 9)):
        p = {"w": RNG.random((m, n)), "b": RNG.random(n)}
        x = RNG.random((4, m))
        expected = x @ p["w"] + p["b"]
        np.testing.assert_allclose(np.asarray(f(p, x)), expected, rtol=1e-14)
    assert compiled(f) == 1


BROKEN: list[tuple[Any, tuple[Any, ...], str]] = [
    (((M,),), (np.ones(5000),), "expected m from 1 to 4096, found 5000 on axis 0 of x"),
    (((M,),), (np.ones(0),), "expected m from 1 to 4096, found 0 on axis 0 of x"),
    (((M, 3),), (np.ones((2, 4)),), "expected size 3 on axis 1 of x, found 4"),
    (((M,),), (np.ones((2, 4)),), "expected 1 axes, (m,), for x, found shape (2, 4)"),
    (((M,),), (2.0,), "expected an array of shape (m,) for x, found a float"),
    (
        ((M, 2 * M),),
        (np.ones((3, 5)),),
        "expected size 2*m = 6 (m = 3 on axis 0 of x) on axis 1 of x, found 5",
    ),
    (((2 * M,),), (np.ones(5),), "expected size 2*m = 4 on axis 0 of x, found 5"),
    (
        ((M + 1, M),),
        (np.ones((3, 3)),),
        "expected size m + 1 = 4 (m = 3 on axis 1 of x) on axis 0 of x, found 3",
    ),
    (({"w": (M,)},), (np.ones(3),), "expected"),
    (({"w": (M,)},), ({"v": np.ones(3)},), "expected x of the structure that shapes= has"),
]


@pytest.mark.parametrize(("shapes", "arguments", "message"), BROKEN)
def test_broken_shapes(shapes: Any, arguments: tuple[Any, ...], message: str) -> None:
    f = lm.jit(lambda x: x, shapes=shapes)
    for _ in range(2):
        with pytest.raises(lm.ShapeError) as caught:
            f(*arguments)
        assert message in str(caught.value)
        assert "test_jit_shapes.py" in str(caught.value)


def test_a_broken_relation_after_a_call_that_fits() -> None:
    """The native entry sees it too."""
    f = lm.jit(lambda x, y: x + lm.sum(y), shapes=((M,), (2 * M,)))
    f(np.ones(3), np.ones(6))
    for x, y in ((3, 5), (4, 6), (4097, 8194)):
        with pytest.raises(lm.ShapeError):
            f(np.ones(x), np.ones(y))
    assert f(np.ones(4096), np.ones(8192)).shape == (4096,)


WRONG: list[tuple[Any, str]] = [
    (3, "expected shapes= to be a tuple, an entry an argument, found 3"),
    (
        ((N,), (N,)),
        "expected at most 1 entries in shapes=, the positional parameters of f, found 2",
    ),
    ((("n",),), "tuples of int, None, Dim or expressions"),
    (((N // 2,),), "expected n as the size of an axis, alone or as 2*n or n + 1"),
    (((N, lm.Dim("n", min=3)),), "expected one Dim of the name n, found two"),
    ((4,), "tuples of int, None, Dim or expressions of Dims, found 4"),
]


@pytest.mark.parametrize(("shapes", "message"), WRONG)
def test_wrong_shapes(shapes: Any, message: str) -> None:
    def f(x: Any) -> Any:
        return x

    with pytest.raises(lm.OptionError) as caught:
        lm.jit(f, shapes=shapes)
    assert message in str(caught.value)


def test_code_that_needs_a_number() -> None:
    for f in (
        lambda x: [x for _ in range(x.shape[0])],
        lambda x: x + np.zeros(x.shape[0]),
        lambda x: lm.random.normal(lm.random.key(0), x.shape) + x,
        lambda x: list(x),
        lambda x: x * int(x.shape[0]),
    ):
        with pytest.raises(lm.TraceError, match="known while tracing, found") as caught:
            lm.jit(f, shapes=((M,),))(np.ones(3))
        assert "test_jit_shapes.py" in str(caught.value)


def test_conditions_on_sizes() -> None:
    f = lm.jit(lambda x: x * 2 if x.shape[0] > 4 else x * 3, shapes=((M,),))
    for size in (3, 5, 4, 9, 1, 4096):
        np.testing.assert_array_equal(np.asarray(f(np.ones(size))), 2.0 if size > 4 else 3.0)
    assert compiled(f) == 2
    assert "holds where m <= 4" in f.explain() and "holds where m > 4" in f.explain()
    f = lm.jit(lambda x: x * 2 if x.shape[0] > 0 else x * 3, shapes=((M,),))
    f(np.ones(3))
    assert "holds where" not in f.explain()  # the bounds of m say so


def test_a_view_that_needs_a_factor() -> None:
    """R94: compiled with sizes that are multiples of 4, then called with others."""

    def f(x: Any, y: Any) -> Any:
        return lm.reshape(x, (-1, 4)) * lm.reshape(y, (-1, 4))

    one = lm.jit(f, shapes=((M,), (M,)))
    for size in (4, 8, 12):
        x = np.arange(float(size))
        np.testing.assert_array_equal(np.asarray(one(x, x)), (x * x).reshape(-1, 4))
    assert compiled(one) == 1
    with pytest.raises(lm.ShapeError, match="reshape: expected a size that makes"):
        one(np.ones(6), np.ones(6))
    plain = lm.jit(f)
    for size in (4, 8, 4, 12):
        assert plain(np.ones(size), np.ones(size)).shape == (size // 4, 4)
    with pytest.raises(lm.ShapeError, match="expected shapes that broadcast"):
        plain(np.ones(8), np.ones(12))
    assert plain(np.ones(4), np.ones(8)).shape == (2, 4)  # one row broadcasts


def test_the_second_size_is_the_last_compilation() -> None:
    f = lm.jit(lambda x, w: lm.tanh(x @ w).sum(axis=0))
    w = np.ones((3, 2))
    for size in (3, 4, 5, 100, 3):
        np.testing.assert_allclose(
            np.asarray(f(np.ones((size, 3)), w)), size * np.tanh(3.0), rtol=1e-12
        )
    assert compiled(f) == 2
    assert "x.shape[0] is known at run time, 2 or more" in f.explain()
    assert "since it was called with x: float64 of shape (4, 3)" in f.explain()
    for size in (1, 0, 1):
        f(np.ones((size, 3)), w)
    assert compiled(f) == 4  # 0 and 1 are sizes of their own


def test_two_axes_vary() -> None:
    f = lm.jit(lambda x: x * 2)
    for shape in ((3, 4), (5, 4), (5, 6), (7, 8), (9, 4)):
        assert f(np.ones(shape)).shape == shape
    assert compiled(f) == 3


def test_sizes_that_cannot_vary() -> None:
    f = lm.jit(lambda x: x + np.arange(x.shape[0]))
    for size in (3, 4, 5, 4):
        np.testing.assert_array_equal(np.asarray(f(np.zeros(size))), np.arange(size))
    assert compiled(f) == 3
    assert "for these sizes alone, since run-time sizes failed" in f.explain()
    with pytest.raises(lm.ShapeError, match=r"expected shapes that broadcast, found \(3,\)"):
        lm.jit(lambda x, y: x + y)(np.ones(3), np.ones(4))


def test_errors_do_not_change() -> None:
    f = lm.jit(lambda x, y: x + y)
    f(np.ones(3), np.ones(3))
    with pytest.raises(lm.ShapeError, match=r"found \(3,\) and \(4,\)"):
        f(np.ones(3), np.ones(4))
    f(np.ones(4), np.ones(4))
    f(np.ones(5), np.ones(5))
    assert compiled(f) == 2
    with pytest.raises(lm.ShapeError, match=r"found \(6,\) and \(7,\)"):
        f(np.ones(6), np.ones(7))


def test_written_arguments_vary() -> None:
    def f(x: Any) -> None:
        x[1:] = x[:-1] * 2

    one = lm.jit(f)
    for size in (3, 4, 6, 9):
        x, expected = np.ones(size), np.ones(size)
        f(expected)
        one(x)
        np.testing.assert_array_equal(x, expected)
    assert compiled(one) == 2


def test_gradients_of_all_sizes() -> None:
    def loss(x: Any, w: Any) -> Any:
        return lm.mean(lm.tanh(x @ w) ** 2)

    both = lm.jit(lm.grad(loss, wrt=(0, 1)), shapes=((N, 3), (3, M)))
    outside = lm.jit(loss, shapes=((N, 3), (3, M)))
    for n, m in ((2, 2), (5, 1), (1, 4), (9, 9)):
        x, w = RNG.random((n, 3)), RNG.random((3, m))
        expected = lm.grad(loss, wrt=(0, 1))(lm.asarray(x), lm.asarray(w))
        for found in (both(x, w), lm.grad(outside, wrt=(0, 1))(lm.asarray(x), lm.asarray(w))):
            for a, b in zip(found, expected, strict=True):
                np.testing.assert_allclose(np.asarray(a), np.asarray(b), rtol=1e-12)
    assert compiled(both) == 1 and len(outside._versions) == 1


def test_gradients_of_sizes_that_vary() -> None:
    def loss(x: Any, w: Any) -> Any:
        return lm.mean(lm.tanh(x @ w) ** 2) + lm.sum(x[1:] * x[:-1])

    jitted = lm.jit(loss)
    for n in (2, 5, 9, 3, 1, 4):
        x, w = RNG.random((n, 3)), RNG.random((3, 2))
        found = lm.grad(jitted, wrt=(0, 1))(lm.asarray(x), lm.asarray(w))
        expected = lm.grad(loss, wrt=(0, 1))(lm.asarray(x), lm.asarray(w))
        for a, b in zip(found, expected, strict=True):
            np.testing.assert_allclose(np.asarray(a), np.asarray(b), rtol=1e-12)


def test_auto_stays_eager() -> None:
    f = lm.jit(lambda x: x * 2, mode="auto")
    for size in range(50):
        found = f(np.ones(size))
        assert isinstance(found, lm.Array) and found.shape == (size,)
    assert compiled(f) == 0
    assert f.explain() == (
        "50 calls ran eagerly: the types and shapes of the arguments came the first time"
    )


def test_auto_compiles_what_repeats() -> None:
    one = lm.jit(lambda x: x * 2, mode="auto")
    for count in (0, 1, 1):
        one(np.ones(3))
        assert compiled(one) == count
    first, second = one.explain().splitlines()
    assert first.startswith("1 call ran eagerly: the types and shapes of the arguments came")
    assert second.startswith("version 1: compiled as its types and shapes came again")
    one(np.ones(3, np.float32))
    one(np.ones(3, np.float32))
    assert compiled(one) == 2


def test_auto_is_as_compiled() -> None:
    def f(x: Any, k: Any) -> Any:
        x[0] = 5.0
        return x, x[1:], k + 1, (x * k,), None

    one = lm.jit(f, mode="auto")
    results: list[Any] = []
    for _ in range(3):
        x = np.ones(3)
        results.append(one(x, 2))
        assert x[0] == 5.0
        assert all(not np.may_share_memory(x, np.asarray(r)) for r in results[-1][:2])
        assert results[-1][2] == 3 and type(results[-1][2]) is int
    assert [bits(r) for r in results] == [bits(results[0])] * 3
    x = lm.asarray([1.0, 2.0], requires_grad=True)
    g = lm.jit(lambda x: lm.sum(x * x), mode="auto")
    for times in (1, 2, 3):
        g(x).backward()
        assert x.grad is not None
        np.testing.assert_array_equal(np.asarray(x.grad), times * np.asarray([2.0, 4.0]))


def test_executables_of_all_sizes() -> None:
    exe = lm.jit(lambda x: x + 1, shapes=((M,),)).lower(np.ones(3)).compile()
    assert exe(np.ones(5)).shape == (5,)
    assert exe.run({"x": np.ones(7)})[0].shape == (7,)
    for call in (lambda: exe(np.ones(5000)), lambda: exe.run({"x": np.ones(0)})):
        with pytest.raises(lm.ArgumentError, match="m = "):
            call()


def test_derivatives_that_need_sizes() -> None:
    for f in (
        lambda x: lm.sum(lm.cumprod(x)),
        lambda x: lm.prod(x),
        lambda x: lm.sum(x[::2] ** 2),
    ):
        with pytest.raises(lm.LoweringError, match="expected known sizes for the derivative") as e:
            lm.jit(lm.grad(f), shapes=((M,),))(np.ones(4))
        assert "test_jit_shapes.py" in str(e.value)
        one = lm.jit(lm.grad(f))
        for size in (3, 4, 5):
            expected = lm.grad(f)(lm.ones(size))
            np.testing.assert_array_equal(np.asarray(one(np.ones(size))), np.asarray(expected))
