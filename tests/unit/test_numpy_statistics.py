"""NumPy's statistics and histograms on our arrays, eager and compiled, against NumPy's own."""

# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false

# ruff: noqa: E501

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import lamina as lm

RNG = np.random.default_rng(3)
X = RNG.standard_normal((5, 8))
Y = np.where(RNG.random((5, 8)) < 0.25, np.nan, X)
I = RNG.integers(0, 9, (40,))
W = RNG.random((5, 8))
B = W > 0.5
Z = X + 1j * W
ANY: Any = np
Call = Callable[[Any], Any]
CALLS: dict[str, tuple[Any, Call]] = {
    "histogram": (X, lambda x: np.histogram(x, 7)), "histogram default": (X, lambda x: np.histogram(x)),
    "histogram range": (X, lambda x: np.histogram(x, 5, range=(-1, 0.5))), "histogram weights": (X, lambda x: np.histogram(x, 6, weights=W)),
    "histogram density": (X, lambda x: np.histogram(x, 6, density=True)), "histogram edges": (X, lambda x: np.histogram(x, [-1, 0, 0.25, 2])),
    "histogram edges NaN": (Y, lambda x: np.histogram(x, np.asarray([-2.0, 0, 2.0]))), "histogram range NaN": (Y, lambda x: np.histogram(x, 4, (-1, 1))),
    "histogram ints": (I, lambda x: np.histogram(x, 4)), "histogram same": (np.ones(3), lambda x: np.histogram(x, 4)),
    "histogram complex weights": (X, lambda x: np.histogram(x, 3, weights=Z)), "histogram int weights": (X[0], lambda x: np.histogram(x, 3, weights=I[:8])),
    "histogram empty": (X[:0], lambda x: np.histogram(x, 3)), "histogram bool": (B, lambda x: np.histogram(x.astype("int8"), 2)),
    "histogram on edges": (np.arange(21) / 10, lambda x: np.histogram(x, 20)), "bincount minlength": (I, lambda x: np.bincount(x, minlength=12)),
    "bincount weights": (I, lambda x: np.bincount(x, I / 7, minlength=9)), "digitize": (X, lambda x: np.digitize(x, [-1.0, 0, 1])),
    "digitize right": (I, lambda x: np.digitize(x, [0, 3, 3, 8], right=True)), "cov": (X, lambda x: np.cov(x)), "cov y": (X, lambda x: np.cov(x, W)),
    "cov columns": (X, lambda x: np.cov(x, rowvar=False, bias=True)), "cov line": (X[0], lambda x: np.cov(x)), "cov ddof": (X, lambda x: np.cov(x, ddof=2)),
    "cov complex": (Z, lambda x: np.cov(x)), "cov weights": (X, lambda x: np.cov(x, aweights=W[0])), "cov counts": (X, lambda x: np.cov(x, fweights=I[:8] + 1)),
    "cov both": (X, lambda x: np.cov(x, fweights=I[:8] + 1, aweights=W[0])), "cov ints": (I.reshape(4, 10), lambda x: np.cov(x)),
    "cov float32": (X.astype("f4"), lambda x: np.cov(x, dtype=np.float32)), "corrcoef": (X, lambda x: np.corrcoef(x)), "corrcoef complex": (Z, lambda x: np.corrcoef(x)),
    "corrcoef one": (X[0], lambda x: np.corrcoef(x)), "average": (X, lambda x: np.average(x)), "average weights": (X, lambda x: np.average(x, weights=W)),
    "average axis": (X, lambda x: np.average(x, axis=1, weights=W[0])), "average returned": (X, lambda x: np.average(x, axis=0, weights=W, returned=True)),
    "average ints": (I, lambda x: np.average(x, keepdims=True)), "median": (X, lambda x: np.median(x)), "median odd": (X, lambda x: np.median(x, axis=0)),
    "median axes": (X[None], lambda x: np.median(x, axis=(0, 2), keepdims=True)), "median NaN": (Y, lambda x: np.median(x, axis=1)), "median ints": (I, lambda x: np.median(x)),
    "quantile": (X, lambda x: np.quantile(x, 0.3)), "quantile many": (X, lambda x: np.quantile(x, [[0.0, 0.5], [0.9, 1.0]], axis=1)), "quantile NaN": (Y, lambda x: np.quantile(x, 0.5, axis=0)),
    "percentile": (X, lambda x: np.percentile(x, 75, axis=0, keepdims=True)), "percentile ints": (I, lambda x: np.percentile(x, [10, 60])), "ptp": (X, lambda x: np.ptp(x, axis=0)),
    "nansum": (Y, lambda x: np.nansum(x, axis=1)), "nanmean": (Y, lambda x: np.nanmean(x)), "nanmax": (Y, lambda x: np.nanmax(x, axis=0)), "nanmin": (Y, lambda x: np.nanmin(x)),
    "nanstd": (Y, lambda x: np.nanstd(x, axis=1)), "nanvar": (Y, lambda x: np.nanvar(x, ddof=1)), "nanprod": (Y, lambda x: np.nanprod(x)), "nansum ints": (I, lambda x: np.nansum(x)),
    "sum where": (X, lambda x: np.sum(x, axis=0, where=B)), "sum initial": (X, lambda x: np.sum(x, initial=3.0)), "prod initial": (X[0], lambda x: np.prod(x, initial=2.0)),
    "max initial": (X, lambda x: np.max(x, axis=1, initial=0.5)), "min where": (X, lambda x: np.min(x, where=B, initial=9.0)), "any where": (B, lambda x: np.any(x, axis=0, where=~B)),
    "all floats": (X, lambda x: np.all(x)), "mean where": (X, lambda x: np.mean(x, axis=1, where=B)), "var where": (X, lambda x: np.var(x, axis=0, where=B[:, :1])),
    "std where": (X, lambda x: np.std(x, where=B, ddof=1, keepdims=True)), "mean dtype": (I, lambda x: np.mean(x, dtype=np.float32)), "sum dtype": (I, lambda x: np.sum(x, dtype=np.int16)),
    "var complex": (Z, lambda x: np.var(x, axis=0)), "std correction": (X, lambda x: ANY.std(x, axis=0, correction=1)), "max out": (X, lambda x: np.max(x, axis=0, out=x[0])),
}  # fmt: skip


def parts(value: Any) -> list[Any]:
    return [*value] if isinstance(value, tuple) else [value]


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_as_numpy(name: str) -> None:
    data, call = CALLS[name]
    expected = parts(call(data.copy()))
    tolerance = 1e-5 if "32" in name else 1e-12
    for found in (call(lm.asarray(data)), lm.jit(call)(data.copy())):
        for ours, theirs in zip(parts(found), expected, strict=True):
            assert isinstance(ours, lm.Array)
            assert ours.dtype == np.asarray(theirs).dtype
            np.testing.assert_allclose(np.asarray(ours), theirs, rtol=tolerance, atol=1e-13)


def test_bincount_eager_is_as_long_as_it_needs() -> None:
    np.testing.assert_array_equal(np.asarray(np.bincount(lm.asarray(I))), np.bincount(I))


REFUSED: dict[str, tuple[Any, Call, type[lm.LaminaError], str]] = {
    "no bins": (X, lambda x: np.histogram(x, 0), lm.ArgumentError, "np.histogram: expected 1 bin or more, found 0"),
    "bins by name": (X, lambda x: np.histogram(x, "auto"), lm.ArgumentError, "expected a number of bins or edges"),
    "one edge": (X, lambda x: np.histogram(x, [1.0]), lm.ArgumentError, "expected 2 edges or more"),
    "descending": (X, lambda x: np.histogram(x, [1.0, 0.0]), lm.DomainError, "expected ascending edges"),
    "not finite": (Y, lambda x: np.histogram(x, 3), lm.DomainError, "expected finite elements, or a range"),
    "range": (X, lambda x: np.histogram(x, 3, (1, 0)), lm.DomainError, "expected an ascending range"),
    "range not finite": (X, lambda x: np.histogram(x, 3, (0, np.inf)), lm.DomainError, "expected a finite range"),
    "range of arrays": (X, lambda x: np.histogram(x, 3, ANY.array([[0], [1]])), lm.ArgumentError, "expected two numbers as range"),
    "weights": (X, lambda x: np.histogram(x, 3, weights=W[0]), lm.ShapeError, r"expected weights of shape \(5, 8\), found \(8,\)"),
    "complex": (Z, lambda x: np.histogram(x, 3), lm.DTypeError, "expected a real or bool dtype"),
    "bincount axes": (I.reshape(4, 10), lambda x: np.bincount(x), lm.ShapeError, "expected 1 axis"),
    "bincount negative": (I - 3, lambda x: np.bincount(x, minlength=9), lm.IndexRangeError, "expected elements of 0 or more, found -3"),
    "bincount floats": (X[0], lambda x: np.bincount(x), lm.DTypeError, "expected indices of an integer dtype"),
    "bincount weights": (I, lambda x: np.bincount(x, [1.0], 9), lm.LaminaError, ""), "bincount minlength": (I, lambda x: np.bincount(x, minlength=-1), lm.ArgumentError, "minlength of 0 or more"),
    "digitize": (X, lambda x: np.digitize(x, [1.0, 0.0]), lm.DomainError, "expected ascending bins"), "digitize axes": (X, lambda x: np.digitize(x, np.ones((2, 2))), lm.ShapeError, "expected 1 axis of bins"),
    "cov axes": (X[None], lambda x: np.cov(x), lm.ShapeError, "expected at most 2 axes"), "cov weights": (X, lambda x: np.cov(x, aweights=W), lm.ShapeError, "expected weights of shape"),
    "average weights": (X, lambda x: np.average(x, weights=W[:, 0]), lm.ShapeError, "expected weights of shape"), "median empty": (X[:0], lambda x: np.median(x), lm.ShapeError, "expected 1 element or more"),
    "quantile": (X, lambda x: np.quantile(x, 1.5), lm.DomainError, "expected q from 0 to 1"), "percentile": (X, lambda x: np.percentile(x, -1), lm.DomainError, "expected q from 0 to 100"),
    "quantile method": (X, lambda x: np.quantile(x, 0.5, method="lower"), lm.ArgumentError, 'expected method "linear"'), "quantile complex": (Z, lambda x: np.quantile(x, 0.5), lm.DTypeError, "expected a floating-point dtype"),
    "mean where": (X, lambda x: ANY.mean(x, where=I[:8]), lm.DTypeError, "expected a bool dtype"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str) -> None:
    data, call, error, text = REFUSED[name]
    for run in (lambda: call(lm.asarray(data)), lambda: lm.jit(call)(data.copy())):
        with pytest.raises(error, match=text or "np") as found:
            run()
        assert f"{__file__}:" in str(found.value)


def test_bincount_in_traced_code_needs_its_length() -> None:
    f = lm.jit(lambda x: np.bincount(x, minlength=3))
    np.testing.assert_array_equal(np.asarray(f(np.asarray([0, 2, 2]))), [1, 0, 2])
    with pytest.raises(
        lm.IndexRangeError, match="expected elements below 3, the minlength, found 3"
    ):
        f(np.asarray([0, 3, 2]))


def test_a_range_that_the_run_knows() -> None:
    lo: Any = lm.asarray(-1)
    np.testing.assert_allclose(
        np.asarray(lm.jit(lambda a, b: lm.linspace(a, b, 5))(lo, lm.asarray(2.0))),
        np.linspace(-1, 2, 5),
    )
