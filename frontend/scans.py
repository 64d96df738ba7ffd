"""Running sums and products, and differences of neighbours."""

from __future__ import annotations

from typing import Any, NamedTuple, SupportsIndex

from lamina.errors import ArgumentError, AxisError, ShapeError
from lamina.frontend import complexes, dtypes, shapes
from lamina.frontend.array import Array, ArrayLike
from lamina.frontend.bind import (
    as_array,
    bind,
    broadcast,
    cast,
    check_dtype,
    duplicate,
    full,
    result_dtype,
    view,
)
from lamina.frontend.dispatch import public
from lamina.frontend.dtypes import DType
from lamina.frontend.elementwise import subtract
from lamina.frontend.location import fail
from lamina.frontend.logic import not_equal
from lamina.frontend.manipulation import concat
from lamina.frontend.reductions import sum_dtype
from lamina.frontend.shapes import Shape


def _with_size(shape: Shape, axis: int, size: int) -> Shape:
    """`shape` with another size along `axis`."""
    return (*shape[:axis], size, *shape[axis + 1 :])


def _scan(kind: str, array: Array, axis: int, reverse: bool) -> Array:
    if kind == "prod" and complexes.is_complex(array):
        turned = view("reverse", array, axes=(axis,)) if reverse else array
        product = complexes.running_product(turned, axis)
        return duplicate(view("reverse", product, axes=(axis,))) if reverse else product
    return bind("scan", array, kind=kind, axis=axis, direction="reverse" if reverse else "forward")


class _Options(NamedTuple):
    """How a scan begins and where it goes."""

    include_initial: Any = False
    exclusive: Any = False
    reverse: Any = False

    def checked(self, name: str) -> tuple[bool, bool, bool]:
        """As bools; at most one of the first two."""
        found = [
            shapes.flag(name, value, what) for what, value in zip(self._fields, self, strict=True)
        ]
        initial, exclusive, reverse = found
        if initial and exclusive:
            fail(
                ArgumentError, f"{name}: expected one of include_initial and exclusive, found both"
            )
        return initial, exclusive, reverse


def _scanned(name: str, kind: str, x: ArrayLike, axis: Any, dtype: Any, options: _Options) -> Array:
    array = as_array(name, x)
    wanted = sum_dtype(array.dtype) if dtype is None else dtypes.normalize(dtype)
    check_dtype(name, wanted, dtypes.NUMERIC)
    if not array.ndim:
        fail(ShapeError, f"{name}: expected a rank of 1 or more, found a 0-d array")
    if axis is None and array.ndim > 1:
        fail(AxisError, f"{name}: expected an axis for an array of rank {array.ndim}, found None")
    along = shapes.axis_index(name, 0 if axis is None else axis, array.ndim)
    initial, exclusive, reverse = options.checked(name)
    result = _scan(kind, cast(array, wanted), along, reverse)
    size = array.shape[along]
    if not initial and not (exclusive and size):
        return result
    first = full({"sum": 0, "prod": 1}[kind], _with_size(array.shape, along, 1), wanted)
    if exclusive:
        result = _part(result, along, int(reverse), size - 1 + int(reverse))
    return concat([result, first] if reverse else [first, result], axis=along)


@public
def cumulative_sum(
    x: ArrayLike,
    /,
    *,
    axis: SupportsIndex | None = None,
    dtype: Any = None,
    include_initial: bool = False,
    exclusive: bool = False,
    reverse: bool = False,
) -> Array:
    """y[k] = x[0] + ... + x[k] along `axis`, which may be left out for rank 1 only.

    Numeric or bool, of rank 1 or more; signed integers and bool give int64, unsigned uint64, if
    `dtype` is None. include_initial: y begins with 0 and is longer by one. exclusive: y[k] = x[0] +
    ... + x[k - 1], and y[0] is 0. reverse: from the last element on, y[k] = x[k] + ... + x[n - 1],
    and y ends with what it would begin with. Half types accumulate in float32 and round once.
    `AxisError` for no axis or a wrong one, `ArgumentError` for both include_initial and exclusive.

    >>> lm.cumulative_sum(lm.asarray([1, 2, 3]))
    Array([1, 3, 6])
    >>> lm.cumulative_sum(lm.asarray([[1, 2], [3, 4]]), axis=1, include_initial=True)
    Array([[0, 1, 3],
           [0, 3, 7]])
    >>> lm.cumulative_sum(lm.asarray([1, 2, 3]), exclusive=True, reverse=True)
    Array([5, 3, 0])
    """
    options = _Options(include_initial, exclusive, reverse)
    return _scanned("cumulative_sum", "sum", x, axis, dtype, options)


@public
def cumulative_prod(
    x: ArrayLike,
    /,
    *,
    axis: SupportsIndex | None = None,
    dtype: Any = None,
    include_initial: bool = False,
    exclusive: bool = False,
    reverse: bool = False,
) -> Array:
    """y[k] = x[0] * ... * x[k] along `axis`, which may be left out for rank 1 only.

    Types, options (y begins with 1) and errors as in `cumulative_sum`.

    >>> lm.cumulative_prod(lm.asarray([1.0, 2.0, 3.0]))
    Array([1., 2., 6.])
    """
    options = _Options(include_initial, exclusive, reverse)
    return _scanned("cumulative_prod", "prod", x, axis, dtype, options)


def _flattened(name: str, kind: str, x: ArrayLike, axis: SupportsIndex | None, dtype: Any) -> Array:
    array = as_array(name, x)
    if axis is None:
        array, axis = view("reshape", array, shape=(array.size,)), 0
    return _scanned(name, kind, array, axis, dtype, _Options())


@public
def cumsum(x: ArrayLike, /, axis: SupportsIndex | None = None, *, dtype: Any = None) -> Array:
    """`cumulative_sum` as NumPy has it: without an axis, of the flattened array.

    >>> lm.cumsum(lm.asarray([[1, 2], [3, 4]]))
    Array([ 1,  3,  6, 10])
    """
    return _flattened("cumsum", "sum", x, axis, dtype)


@public
def cumprod(x: ArrayLike, /, axis: SupportsIndex | None = None, *, dtype: Any = None) -> Array:
    """`cumulative_prod` as NumPy has it: without an axis, of the flattened array.

    >>> lm.cumprod(lm.asarray([[1, 2], [3, 4]]), axis=0)
    Array([[1, 2],
           [3, 8]])
    """
    return _flattened("cumprod", "prod", x, axis, dtype)


def _part(array: Array, axis: int, start: int, stop: int) -> Array:
    return array[(*[slice(None)] * axis, slice(start, stop))]


def _edge(value: ArrayLike, like: Array, axis: int, dtype: DType) -> Array:
    """What is joined to `like`: a 0-d array stands for one element along the axis."""
    array = cast(as_array("diff", value, dtype), dtype)
    return array if array.ndim else broadcast(array, _with_size(like.shape, axis, 1))


@public
def diff(
    x: ArrayLike,
    /,
    *,
    axis: SupportsIndex = -1,
    n: SupportsIndex = 1,
    prepend: ArrayLike | None = None,
    append: ArrayLike | None = None,
) -> Array:
    """y[k] = x[k + 1] - x[k] along `axis`, `n` times; for bool, whether they differ.

    prepend, append: arrays joined to x before (a 0-d one is one element wide). `ArgumentError` for
    a negative n, `ShapeError` for rank 0 and for arrays that do not fit.

    >>> lm.diff(lm.asarray([1, 4, 9, 16]))
    Array([3, 5, 7])
    >>> lm.diff(lm.asarray([1, 4, 9, 16]), n=2, prepend=0)
    Array([2, 2, 2])
    """
    array = as_array("diff", x)
    if not array.ndim:
        fail(ShapeError, "diff: expected a rank of 1 or more, found a 0-d array")
    along = shapes.axis_index("diff", axis, array.ndim)
    times = shapes.integer("diff", n, "n")
    if times < 0:
        fail(ArgumentError, f"diff: expected an n of 0 or more, found {times}")
    edges = [edge for edge in (prepend, append) if edge is not None]
    if edges:
        dtype = result_dtype("diff", [array, *edges])
        before = [] if prepend is None else [_edge(prepend, array, along, dtype)]
        behind = [] if append is None else [_edge(append, array, along, dtype)]
        joined = [*before, cast(array, dtype), *behind]
        shapes.concatenated("diff", [part.shape for part in joined], along)
        array = concat(joined, axis=along)
    for _ in range(min(times, array.shape[along])):  # then nothing is left
        size = array.shape[along]
        upper, lower = _part(array, along, 1, size), _part(array, along, 0, max(size - 1, 0))
        array = (not_equal if array.dtype == dtypes.bool_ else subtract)(upper, lower)
    return array
