"""The order of complex numbers (sort, argsort, searchsorted), and their running sums and products,
eager and compiled, against NumPy; scans that are exclusive, or go backwards."""

# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from op_table import rng_for

import lamina as lm

Array = np.ndarray[Any, Any]
RUNS = pytest.mark.parametrize("run", [lambda f: f, lm.jit], ids=["eager", "compiled"])


def few_compiled(run: Any, shapes: tuple[Any, ...]) -> tuple[Any, ...]:
    """All shapes eagerly; compiled those that are first."""
    return shapes[:2] if run is lm.jit else shapes


COMPLEX = pytest.mark.parametrize("dtype", [np.complex64, np.complex128], ids=["c64", "c128"])
SIDES: tuple[Any, ...] = ("left", "right")
PARTS = np.array([np.nan, -np.inf, -1.5, -0.0, 0.0, 2.0, np.inf])


def specials(dtype: Any, *key: object) -> Array:
    """Every pair of special parts, three times, in some order."""
    pairs = np.empty((PARTS.size, PARTS.size), np.complex128)
    pairs.real, pairs.imag = PARTS[:, None], PARTS
    return rng_for(*key).permutation(np.tile(pairs.ravel(), 3)).astype(dtype)


def same_bits(found: Any, expected: Array) -> bool:
    """Equal with the signs of zeros; a NaN is any NaN, part by part."""
    array = np.asarray(found)
    if array.dtype != expected.dtype or array.shape != expected.shape:
        return False
    return all(
        np.array_equal(np.where(np.isnan(a), 0, a), np.where(np.isnan(b), 0, b))
        and np.array_equal(np.isnan(a), np.isnan(b))
        and np.array_equal(np.signbit(a) | np.isnan(a), np.signbit(b) | np.isnan(b))
        for part in (np.real, np.imag)
        for a, b in [(np.asarray(part(array)), np.asarray(part(expected)))]
    )


def downwards(x: Array) -> list[int]:
    """The stable descending order: numbers, then those with a NaN, the later the more of them."""

    def key(i: int) -> tuple[bool, bool, float, bool, float]:
        re, im = float(x[i].real), float(x[i].imag)
        no_re, no_im = np.isnan(re), np.isnan(im)
        return no_re or no_im, no_re, 0 if no_re else -re, no_im, 0 if no_im else -im

    return sorted(range(x.size), key=key)


@RUNS
@COMPLEX
def test_special_values(run: Any, dtype: Any) -> None:
    x = specials(dtype, "order")
    up = run(lambda x: (lm.sort(x), lm.argsort(x)))(x)
    order = np.argsort(x, kind="stable")
    assert same_bits(up[0], x[order])
    assert np.asarray(up[1]).tolist() == order.tolist()
    down = run(lambda x: (lm.sort(x, descending=True), lm.argsort(x, descending=True)))(x)
    assert np.asarray(down[1]).tolist() == downwards(x)
    assert same_bits(down[0], x[downwards(x)])
    line = x[order]
    for side in SIDES:
        found = run(lambda a, v, side=side: lm.searchsorted(a, v, side=side))(line, x)
        assert np.asarray(found).tolist() == np.searchsorted(line, x, side).tolist()


@RUNS
@COMPLEX
def test_shapes(run: Any, dtype: Any) -> None:
    rng = rng_for("shapes", dtype)
    for shape in few_compiled(run, ((0,), (4, 5), (1,), (200,), (3, 0), (2, 3, 4))):
        parts = rng.integers(-2, 3, (2, *shape))
        x = (parts[0] + 1j * parts[1]).astype(dtype)
        for axis in range(len(shape)):
            found = run(lambda x, axis=axis: (lm.sort(x, axis=axis), lm.argsort(x, axis=axis)))(x)
            order = np.argsort(x, axis, kind="stable")
            assert np.asarray(found[1]).tolist() == order.tolist()
            assert same_bits(found[0], np.take_along_axis(x, order, axis))
        line = np.sort(x.ravel())
        for wanted in (x, x.ravel()[:1].reshape(()) if x.size else x):
            for side in SIDES:
                found = run(lambda a, v, side=side: lm.searchsorted(a, v, side=side))(line, wanted)
                assert np.array_equal(np.asarray(found), np.searchsorted(line, wanted, side))


@RUNS
def test_what_is_made_of_sorts(run: Any) -> None:
    x = np.array([3 + 1j, 1 - 2j, 3 - 1j, 1 - 2j])
    values, places = run(lambda x: lm.top_k(x, 3))(x)
    assert np.asarray(values).tolist() == [3 + 1j, 3 - 1j, 1 - 2j]
    assert np.asarray(places).tolist() == [0, 2, 1]
    found = run(lambda x, y: lm.isin(x, y))(x, np.array([1 - 2j, 3 + 1j]))
    assert np.asarray(found).tolist() == [True, True, False, True]


def test_run_time_sizes_of_a_search() -> None:
    from lamina.executable import compile_module
    from lamina.ir_text import parse_module
    from lamina.registry import make_context

    a, v, r = "tensor<?xcomplex<f32>>", "tensor<3xcomplex<f32>>", "tensor<3xi64>"
    text = f"""
    func.func @main(%a: {a}, %v: {v}) -> {r} {{
      %0 = nd.searchsorted %a, %v side "left" : {a}, {v} -> {r}
      func.return %0 : {r}
    }}"""
    with pytest.raises(lm.LoweringError, match="expected static sizes of the complex operands"):
        compile_module(parse_module(make_context(), text, "search.mlir"), "main")


# scans


def reference(kind: str, x: Array, axis: int, reverse: bool, exclusive: bool) -> Array:
    """NumPy's accumulate, turned round and moved by one."""
    turned = np.flip(x, axis) if reverse else x
    found = (np.add if kind == "sum" else np.multiply).accumulate(turned, axis)
    if exclusive:
        first = np.full_like(np.take(x, [0], axis), kind == "prod") if x.shape[axis] else found
        found = np.concatenate([first, found], axis).take(range(x.shape[axis]), axis)
    return np.flip(found, axis) if reverse else found


@RUNS
@pytest.mark.parametrize("dtype", [np.int64, np.float32, np.complex64, np.complex128], ids=str)
@pytest.mark.parametrize("kind", ["sum", "prod"])
def test_scans(run: Any, kind: str, dtype: Any) -> None:
    rng = rng_for("scans", kind, dtype)
    scan = lm.cumulative_sum if kind == "sum" else lm.cumulative_prod
    for shape in few_compiled(run, ((0,), (3, 4), (1,), (5,), (2, 0))):
        x = rng.integers(-2, 3, shape).astype(dtype)
        x = x + 1j * rng.integers(-2, 3, shape).astype(x.real.dtype) if x.dtype.kind == "c" else x
        x = x.astype(dtype)
        for axis in range(len(shape)):
            for reverse in (False, True):
                found = run(
                    lambda x, axis=axis, reverse=reverse: (
                        scan(x, axis=axis, reverse=reverse),
                        scan(x, axis=axis, reverse=reverse, exclusive=True),
                        scan(x, axis=axis, reverse=reverse, include_initial=True),
                    )
                )(x)
                expected = [reference(kind, x, axis, reverse, e) for e in (False, True)]
                for ours, theirs in zip(found, expected, strict=False):
                    assert np.asarray(ours).dtype == theirs.dtype
                    assert np.array_equal(np.asarray(ours), theirs)
                kept = np.asarray(found[2])
                n = shape[axis]
                assert kept.shape[axis] == n + 1
                inner = kept.take(range(n) if reverse else range(1, n + 1), axis)
                assert np.array_equal(inner, expected[0])
                ends = kept.take([n if reverse else 0], axis)
                assert (ends == (kind == "prod")).all()


@RUNS
def test_scan_errors(run: Any) -> None:
    with pytest.raises(lm.ArgumentError, match="expected one of include_initial and exclusive"):
        run(lambda x: lm.cumulative_sum(x, include_initial=True, exclusive=True))(lm.arange(3))
    with pytest.raises(lm.ArgumentError, match="expected reverse to be True or False"):
        no: Any = "no"
        run(lambda x: lm.cumulative_prod(x, reverse=no))(lm.arange(3))


def test_gradients_of_scans() -> None:
    x = lm.asarray(np.array([1.5, -0.5, 2.0, 0.7]))
    for scan in (lm.cumulative_sum, lm.cumulative_prod):
        for options in (
            {"exclusive": True},
            {"reverse": True},
            {"exclusive": True, "reverse": True},
        ):
            assert lm.gradcheck(lambda x, s=scan, o=options: s(x, **o) ** 2, [x])
