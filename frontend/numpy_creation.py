"""NumPy's calls that no protocol reaches, by functions of ours: `np.zeros(n)`, `np.mgrid[0:n]`.

They have no array argument that could dispatch, or convert what they get. Script mode asks
`replacement` about every object of NumPy that is called or indexed, so that what plain NumPy code
creates is ours, and nothing derived from it is baked in.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from typing import cast as typed

import numpy as np

from lamina.errors import ArgumentError, ShapeError
from lamina.frontend import dtypes, shapes
from lamina.frontend.array import Array, is_ndarray
from lamina.frontend.bind import as_array, cast, duplicate
from lamina.frontend.creation import arange, asarray, eye, full, linspace, tril
from lamina.frontend.dispatch import FUNCTIONS
from lamina.frontend.location import fail, shown
from lamina.frontend.manipulation import broadcast_to, reshape, stack


def _dtype(dtype: Any, default: Any = np.float64) -> Any:
    return default if dtype is None else dtype


def zeros(shape: Any, dtype: Any = None, order: Any = "C") -> Array:
    """Zeros; the order of memory is an array's own."""
    return full(shape, 0, dtype=_dtype(dtype))


def ones(shape: Any, dtype: Any = None, order: Any = "C") -> Array:
    """Ones."""
    return full(shape, 1, dtype=_dtype(dtype))


def full_(shape: Any, fill_value: Any, dtype: Any = None, order: Any = "C") -> Array:
    """`fill_value`, broadcast."""
    if shapes.is_sequence(fill_value) or getattr(fill_value, "ndim", 0):
        return duplicate(broadcast_to(array(fill_value, dtype), shapes.shape_tuple("full", shape)))
    return full(shape, fill_value, dtype=dtype)


def ndarray(shape: Any, dtype: Any = float, buffer: Any = None) -> Array:
    """The class as a function: an array to be filled (with zeros). No buffer."""
    if buffer is not None:
        fail(ArgumentError, f"np.ndarray: expected no buffer, found {shown(buffer)}")
    return zeros(shape, dtype)


def eye_(N: Any, M: Any = None, k: Any = 0, dtype: Any = None, order: Any = "C") -> Array:
    """Ones on a diagonal."""
    return eye(N, M, k=k, dtype=_dtype(dtype))


def identity(n: Any, dtype: Any = None) -> Array:
    """Ones on the diagonal of a square."""
    return eye(n, dtype=_dtype(dtype))


def tri(N: Any, M: Any = None, k: Any = 0, dtype: Any = None) -> Array:
    """Ones on and below a diagonal."""
    return tril(ones((N, N if M is None else M), _dtype(dtype)), k=k)


def arange_(start: Any, stop: Any = None, step: Any = 1, dtype: Any = None) -> Array:
    """`lm.arange`."""
    return arange(start, stop, 1 if step is None else step, dtype=dtype)


def linspace_(
    start: Any,
    stop: Any,
    num: Any = 50,
    endpoint: Any = True,
    retstep: Any = False,
    dtype: Any = None,
) -> Any:
    """`lm.linspace` of two numbers; with retstep also the step."""
    found = linspace(start, stop, num, endpoint=endpoint, dtype=dtype)
    if not shapes.flag("np.linspace", retstep, "retstep"):
        return found
    parts = int(num) - 1 if endpoint else int(num)
    return found, (stop - start) / parts if parts > 0 else float("nan")


def array(
    object: Any, dtype: Any = None, copy: Any = True, order: Any = "K", ndmin: int = 0
) -> Array:
    """A new array of these values."""
    found = asarray(object, dtype=dtype)
    found = duplicate(found) if found is object or is_ndarray(object) else found
    return (
        found if found.ndim >= ndmin else reshape(found, (1,) * (ndmin - found.ndim) + found.shape)
    )


def same_array(a: Any, dtype: Any = None, order: Any = None) -> Array:
    """np.asarray and its like: on the memory of an array that has the type."""
    found = as_array("np.asarray", a) if isinstance(a, Array) or is_ndarray(a) else asarray(a)
    return found if dtype is None else cast(found, dtypes.normalize(dtype))


def _keys(key: Any) -> list[Any]:
    return [*key] if isinstance(key, tuple) else [key]


def _line(part: Any) -> Array:
    """The numbers of one slice; an imaginary step counts them, both ends included."""
    if not isinstance(part, slice) or typed(Any, part).stop is None:
        fail(ArgumentError, f"np.mgrid: expected slices with a stop, found {shown(part)}")
    given = typed(Any, part)
    start, stop, step = 0 if given.start is None else given.start, given.stop, given.step
    if isinstance(step, complex):
        return linspace(start, stop, int(abs(step)))
    return arange(start, stop, 1 if step is None else step)


def _open(key: Any) -> list[Array]:
    """A line for each slice, each along an axis of its own."""
    lines = [_line(part) for part in _keys(key)]
    dtype = dtypes.common([line.dtype for line in lines], [])
    rank = len(lines)
    return [
        reshape(cast(line, dtype), tuple(-1 if axis == k else 1 for axis in range(rank)))
        for k, line in enumerate(lines)
    ]


class Grid:
    """`np.mgrid` (dense: one array of all coordinates) or `np.ogrid` (open: one for each axis)."""

    def __init__(self, dense: bool) -> None:
        self.dense = dense

    def __getitem__(self, key: Any) -> Any:
        lines = _open(key)
        if not isinstance(key, tuple):
            return reshape(lines[0], -1)
        if not self.dense:
            return tuple(lines)
        shape = tuple(line.size for line in lines)
        return stack([broadcast_to(line, shape) for line in lines])


def indices(dimensions: Any, dtype: Any = int, sparse: Any = False) -> Any:
    """The index along each axis, at each place of a shape."""
    shape = shapes.shape_tuple("np.indices", dimensions)
    if not shape:
        fail(ShapeError, "np.indices: expected one axis or more, found ()")
    key = tuple(slice(0, size) for size in shape)
    if shapes.flag("np.indices", sparse, "sparse"):
        return tuple(cast(line, dtypes.normalize(dtype)) for line in _open(key))
    return cast(Grid(dense=True)[key], dtypes.normalize(dtype))


def _converter(kind: Any) -> Callable[..., Any]:
    """`np.float32(x)`: of an array, a cast; of anything else, NumPy's own scalar."""

    def convert(value: Any = 0) -> Any:
        if not isinstance(value, Array):
            return kind(value)
        dtype = dtypes.normalize(kind)
        return cast(as_array(f"np.{kind.__name__}", value, dtype), dtype)

    return convert


def _like(function: Callable[..., Any]) -> Callable[..., Any]:
    """`np.zeros_like(x)` of a plain NumPy array, too."""

    def made(*arguments: Any, **options: Any) -> Array:
        return FUNCTIONS["from_numpy_function"](function, arguments, options)

    return made


SCALAR_TYPES = (
    np.bool_, np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64,
    np.float16, np.float32, np.float64, np.complex64, np.complex128,
)  # fmt: skip

REPLACEMENTS: dict[int, Any] = {
    id(theirs): ours
    for theirs, ours in (
        (np.zeros, zeros),
        (np.ones, ones),
        (np.empty, zeros),
        (np.full, full_),
        (np.ndarray, ndarray),
        (np.eye, eye_),
        (np.identity, identity),
        (np.tri, tri),
        (np.arange, arange_),
        (np.linspace, linspace_),
        (np.array, array),
        (np.asarray, same_array),
        (np.asanyarray, same_array),
        (np.ascontiguousarray, same_array),
        (np.mgrid, Grid(dense=True)),
        (np.ogrid, Grid(dense=False)),
        (np.indices, indices),
        *((f, _like(f)) for f in (np.zeros_like, np.ones_like, np.empty_like, np.full_like)),
        *((kind, _converter(kind)) for kind in SCALAR_TYPES),
    )
}
"""id of an object of NumPy (they live as long as the process) -> what stands for it."""


def replacement(theirs: Any) -> Any:
    """What stands for an object of NumPy while plain code is captured; itself for any other."""
    return REPLACEMENTS.get(id(theirs), theirs)
