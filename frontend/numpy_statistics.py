"""NumPy's statistics on our arrays, by functions of ours: `np.cov`, `np.median`, `np.nansum`.

Reductions take NumPy's `where=`, `initial=` and `dtype=`. Complex where it is said.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from lamina.errors import ArgumentError, DomainError, ShapeError
from lamina.frontend import dtypes, shapes
from lamina.frontend.array import Array, ArrayLike
from lamina.frontend.bind import as_array, broadcast, cast, check_dtype, full, is_weak
from lamina.frontend.checks import check
from lamina.frontend.contraction import matmul
from lamina.frontend.dispatch import FUNCTIONS
from lamina.frontend.elementwise import add, clip, conj, divide, multiply, real, subtract
from lamina.frontend.linalg import diagonal
from lamina.frontend.location import fail, shown
from lamina.frontend.logic import greater_equal, isnan, less_equal, logical_and, logical_not
from lamina.frontend.manipulation import concat, moveaxis, reshape, squeeze
from lamina.frontend.reductions import all as every
from lamina.frontend.reductions import any as some
from lamina.frontend.reductions import max as largest
from lamina.frontend.reductions import mean
from lamina.frontend.reductions import min as smallest
from lamina.frontend.reductions import sum as total
from lamina.frontend.searching import where as choose
from lamina.frontend.sorting import sort
from lamina.frontend.taking import take
from lamina.frontend.transcendental import sqrt


def _reduction(ufunc: np.ufunc) -> Callable[..., Any]:
    """`np.sum` and its like: the method `reduce` of a ufunc, of all axes unless told otherwise."""

    def reduced(a: ArrayLike, axis: Any = None, **options: Any) -> Any:
        return FUNCTIONS["from_ufunc"](ufunc, "reduce", (a,), {"axis": axis, **options})

    return reduced


def _counted(
    name: str, a: ArrayLike, axis: Any, where: Any, dtype: Any
) -> tuple[Array, Array | None]:
    """`a` of the dtype to compute with, and how many elements along the axes `where` selects."""
    array = as_array(name, a)
    wanted = array.dtype if dtype is None else dtypes.normalize(dtype)
    array = cast(array, dtypes.float64 if wanted in dtypes.BITS else wanted)
    if where is True:
        return array, None
    mask = as_array(name, where)
    check_dtype(name, mask.dtype, dtypes.BOOL)
    shapes.check_broadcast(name, mask.shape, array.shape)
    mask = broadcast(mask, array.shape)
    return array, total(cast(mask, dtypes.float64), axis=axis, keepdims=True)


def _mean(
    a: ArrayLike, axis: Any = None, dtype: Any = None, keepdims: Any = False, where: Any = True
) -> Array:
    """`lm.mean`, of the elements where `where` holds."""
    array, count = _counted("np.mean", a, axis, where, dtype)
    if count is None:
        return mean(array, axis=axis, keepdims=keepdims)
    found = _mean_where(array, axis, where, count)
    return _shaped(found, axis, array.ndim, keepdims)


def _mean_where(array: Array, axis: Any, where: Any, count: Array) -> Array:
    summed = total(choose(where, array, 0), axis=axis, keepdims=True)
    return cast(divide(summed, cast(count, _part(array.dtype))), array.dtype)


def _part(dtype: dtypes.DType) -> dtypes.DType:
    return dtypes.PART_OF.get(dtype, dtype)


def _shaped(found: Array, axis: Any, rank: int, keepdims: Any) -> Array:
    """Without the reduced axes of size 1, unless they are kept."""
    if shapes.flag("keepdims", keepdims, "keepdims"):
        return found
    return squeeze(found, axis=shapes.axis_indices("axis", axis, rank))


def _var(
    a: ArrayLike,
    axis: Any = None,
    dtype: Any = None,
    ddof: Any = 0,
    keepdims: Any = False,
    where: Any = True,
    correction: Any = None,
) -> Array:
    """`lm.var`, of the elements where `where` holds; of complex ones, of abs(x - mean)."""
    array, count = _counted("np.var", a, axis, where, dtype)
    freedom = ddof if correction is None else correction
    if count is None and array.dtype not in dtypes.COMPLEX:
        return FUNCTIONS["var"](array, axis=axis, correction=freedom, keepdims=keepdims)
    if count is None:
        axes = shapes.axis_indices("np.var", axis, array.ndim)
        size = math.prod(array.shape[k] for k in axes)
        middle = mean(array, axis=axis, keepdims=True)
        count = full(float(size), middle.shape, dtypes.float64)
    else:
        middle = _mean_where(array, axis, where, count)
    off = subtract(array, middle)
    squares = real(multiply(off, conj(off)))
    summed = total(
        choose(where, squares, 0) if where is not True else squares, axis=axis, keepdims=True
    )
    number = cast(FUNCTIONS["maximum"](subtract(count, freedom), 0), squares.dtype)
    return _shaped(divide(summed, number), axis, array.ndim, keepdims)


def _std(a: ArrayLike, axis: Any = None, **options: Any) -> Array:
    """sqrt(np.var(...))."""
    return sqrt(_var(a, axis, **options))


def cov(
    m: ArrayLike,
    y: ArrayLike | None = None,
    rowvar: Any = True,
    bias: Any = False,
    ddof: Any = None,
    fweights: ArrayLike | None = None,
    aweights: ArrayLike | None = None,
    *,
    dtype: Any = None,
) -> Array:
    """The covariance of variables, one a row (rowvar) or a column of m, and of y.

    X conj(X)^T / (n - ddof) of the deviations X from the mean; weights of observations multiply.
    Numeric; float64 at least.
    """
    rows = [_variables("np.cov", x, rowvar) for x in (m, y) if x is not None]
    wanted = dtypes.common([dtypes.float64, *(row.dtype for row in rows)], [])
    x = concat([cast(row, wanted if dtype is None else dtypes.normalize(dtype)) for row in rows])
    spare = (0 if bias else 1) if ddof is None else ddof
    weights = _weights(x, fweights, aweights)
    if weights is None:
        x = subtract(x, mean(x, axis=1, keepdims=True))
        count: Any = float(x.shape[1]) - spare
        right, factor = x, 1 / count if count > 0 else math.inf
    else:
        summed = total(weights)
        x = subtract(x, divide(total(multiply(x, weights), axis=1, keepdims=True), summed))
        less = spare
        if aweights is not None and spare:
            less = spare * total(multiply(weights, as_array("np.cov", aweights))) / summed
        right, factor = multiply(x, weights), divide(1.0, FUNCTIONS["maximum"](summed - less, 0.0))
    found = multiply(matmul(x, conj(right.T)), factor)
    return found.squeeze()


def _variables(name: str, x: ArrayLike, rowvar: Any) -> Array:
    array = as_array(name, x)
    if array.ndim > 2:
        fail(ShapeError, f"{name}: expected at most 2 axes, found shape {array.shape}")
    if array.ndim < 2:
        return reshape(array, (1, -1))
    return array if shapes.flag(name, rowvar, "rowvar") else array.T


def _weights(x: Array, counts: ArrayLike | None, importance: ArrayLike | None) -> Array | None:
    given = [as_array("np.cov", w) for w in (counts, importance) if w is not None]
    for weight in given:
        if weight.shape != (x.shape[1],):
            fail(
                ShapeError,
                f"np.cov: expected weights of shape {(x.shape[1],)}, found {weight.shape}",
            )
    if not given:
        return None
    weight = given[0] if len(given) == 1 else multiply(*given)
    return cast(weight, dtypes.float64)


def corrcoef(
    x: ArrayLike, y: ArrayLike | None = None, rowvar: Any = True, *, dtype: Any = None
) -> Array:
    """cov[i, j] / sqrt(cov[i, i] cov[j, j]), its parts from -1 to 1."""
    found = cov(x, y, rowvar, dtype=dtype)
    if not found.ndim:
        return divide(found, found)
    spread = sqrt(real(diagonal(found)))
    found = divide(divide(found, spread[:, None]), spread[None, :])
    return found if found.dtype in dtypes.COMPLEX else clip(found, -1, 1)


def average(
    a: ArrayLike, axis: Any = None, weights: ArrayLike | None = None, returned: Any = False,
    *, keepdims: Any = False,
) -> Any:  # fmt: skip
    """sum(a * weights) / sum(weights), and the sum of the weights where it is `returned`.

    weights: of the shape of a, or of one axis.
    """
    name, array = "np.average", as_array("np.average", a)
    array = cast(array, dtypes.float64) if array.dtype in dtypes.BITS else array
    if weights is None:
        weight = full(1, array.shape, _part(array.dtype))
    else:
        weight = as_array(name, weights)
        if weight.shape != array.shape:
            if axis is None or weight.ndim != 1:
                fail(
                    ShapeError,
                    f"{name}: expected weights of shape {array.shape}, or of one axis, found "
                    f"{weight.shape}",
                )
            along = shapes.axis_index(name, axis, array.ndim)
            line = tuple(-1 if k == along else 1 for k in range(array.ndim))
            weight = reshape(weight, line)
            shapes.check_broadcast(name, weight.shape, array.shape)
        weight = broadcast(weight, array.shape)
    summed = total(weight, axis=axis, keepdims=keepdims)
    found = divide(total(multiply(array, weight), axis=axis, keepdims=keepdims), summed)
    return (found, cast(summed, found.dtype)) if shapes.flag(name, returned, "returned") else found


def _in_order(name: str, a: ArrayLike, axis: Any) -> tuple[Array, tuple[int, ...]]:
    """The elements along axes as the last axis, in order; and what the other axes are with them."""
    array = as_array(name, a)
    array = cast(array, dtypes.float64) if array.dtype in dtypes.BITS else array
    check_dtype(name, array.dtype, dtypes.FLOATS)
    axes = shapes.axis_indices(name, axis, array.ndim)
    kept = shapes.kept(array.shape, axes)
    size = math.prod(array.shape[k] for k in axes)
    if not size:
        fail(ShapeError, f"{name}: expected 1 element or more, found shape {array.shape}")
    others = shapes.reduced(array.shape, axes)
    moved = moveaxis(array, axes, tuple(range(-len(axes), 0))) if axes else array[..., None]
    return sort(reshape(moved, (*others, size))), kept


def _quantile(
    name: str, a: ArrayLike, q: Any, axis: Any, keepdims: Any, method: Any, scale: float
) -> Array:
    if method != "linear":
        fail(ArgumentError, f'{name}: expected method "linear", found {shown(method)}')
    line, kept = _in_order(name, a, axis)
    share = as_array(name, q) if is_weak(q) or hasattr(q, "dtype") else FUNCTIONS["asarray"](q)
    share = divide(cast(share, dtypes.float64), scale)
    fine = every(logical_and(greater_equal(share, 0), less_equal(share, 1)))
    check(fine, DomainError, f"{name}: expected q from 0 to {scale:.0f}, found others")
    last = line.shape[-1] - 1
    place = multiply(reshape(share, -1), float(last))
    below = cast(FUNCTIONS["floor"](place), dtypes.int64)
    rest = cast(subtract(place, cast(below, dtypes.float64)), line.dtype)
    low = take(line, below, axis=-1, mode="clip")
    high = take(line, add(below, 1), axis=-1, mode="clip")
    gap = subtract(high, low)
    near = subtract(high, multiply(gap, subtract(1, rest)))
    found = choose(FUNCTIONS["less"](rest, 0.5), add(low, multiply(gap, rest)), near)
    found = choose(isnan(line[..., -1:]), math.nan, found)
    found = moveaxis(found, -1, 0)
    shape = kept if shapes.flag(name, keepdims, "keepdims") else found.shape[1:]
    return reshape(found, (*share.shape, *shape))


def quantile(
    a: Any, q: Any, axis: Any = None, keepdims: Any = False, method: Any = "linear"
) -> Array:
    """The values below which shares q (0 to 1) of the elements lie, between neighbours on a line.

    Real; NaN where an element is. The axes of q come first. `DomainError` for other q.
    """
    return _quantile("np.quantile", a, q, axis, keepdims, method, 1.0)


def percentile(
    a: Any, q: Any, axis: Any = None, keepdims: Any = False, method: Any = "linear"
) -> Array:
    """`quantile` of q / 100."""
    return _quantile("np.percentile", a, q, axis, keepdims, method, 100.0)


def median(a: ArrayLike, axis: Any = None, keepdims: Any = False) -> Array:
    """The middle element, or the mean of the two in the middle; NaN where an element is. Real."""
    line, kept = _in_order("np.median", a, axis)
    size = line.shape[-1]
    found = mean(line[..., (size - 1) // 2 : size // 2 + 1], axis=-1)
    found = choose(isnan(line[..., -1]), math.nan, found)
    return reshape(found, kept) if shapes.flag("np.median", keepdims, "keepdims") else found


def ptp(a: ArrayLike, axis: Any = None, keepdims: Any = False) -> Array:
    """The largest element less the smallest."""
    return subtract(
        largest(a, axis=axis, keepdims=keepdims), smallest(a, axis=axis, keepdims=keepdims)
    )


def _without_nan(name: str, neutral: float) -> Callable[..., Any]:
    """A reduction of what is no NaN: `neutral` stands for NaN; of NaN alone, NaN or that."""

    def reduced(a: ArrayLike, axis: Any = None, keepdims: Any = False) -> Any:
        array = as_array(f"np.nan{name}", a)
        if array.dtype not in dtypes.FLOATS_OR_COMPLEX:
            return FUNCTIONS[name](array, axis=axis, keepdims=keepdims)
        found = FUNCTIONS[name](choose(isnan(array), neutral, array), axis=axis, keepdims=keepdims)
        if not math.isinf(neutral):
            return found
        holds = some(logical_not(isnan(array)), axis=axis, keepdims=keepdims)
        return choose(holds, found, math.nan)

    return reduced


def _statistic_without_nan(function: Callable[..., Array]) -> Callable[..., Array]:
    """A statistic of what is no NaN; of NaN alone, NaN."""

    def reduced(a: ArrayLike, axis: Any = None, **options: Any) -> Array:
        array = as_array("np.nanmean", a)
        if array.dtype not in dtypes.FLOATS_OR_COMPLEX:
            return function(array, axis, **options)
        return function(array, axis, where=logical_not(isnan(array)), **options)

    return reduced


NAMES: dict[str, Callable[..., Any]] = {
    "all": _reduction(np.logical_and),
    "any": _reduction(np.logical_or),
    "amax": _reduction(np.maximum),
    "amin": _reduction(np.minimum),
    "average": average,
    "corrcoef": corrcoef,
    "cov": cov,
    "max": _reduction(np.maximum),
    "mean": _mean,
    "median": median,
    "min": _reduction(np.minimum),
    "nanmax": _without_nan("max", -math.inf),
    "nanmean": _statistic_without_nan(_mean),
    "nanmin": _without_nan("min", math.inf),
    "nanprod": _without_nan("prod", 1),
    "nanstd": _statistic_without_nan(_std),
    "nansum": _without_nan("sum", 0),
    "nanvar": _statistic_without_nan(_var),
    "percentile": percentile,
    "prod": _reduction(np.multiply),
    "ptp": ptp,
    "quantile": quantile,
    "std": _std,
    "sum": _reduction(np.add),
    "var": _var,
}
"""NumPy's name -> the function."""
