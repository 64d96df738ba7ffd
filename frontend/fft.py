"""The extension `fft`: discrete Fourier transforms by NumPy's FFT, on eager arrays only.

norm: "backward" divides the inverse by n, "forward" the direct transform, "ortho" both by sqrt(n).
n (or s, one for each of `axes`): the size to which x is cut or filled with zeros; 1 or more. Of
float32 and complex64 in single precision; float16 and bfloat16 count as float32. Raises
`AxisError`, `ShapeError` for a size below 1, `DTypeError`, and `TraceError` in traced code.
`fftshift`, `ifftshift`, `fftfreq` and `rfftfreq` are `nd` ops, traced too.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from lamina.errors import ArgumentError, DTypeError, ShapeError
from lamina.frontend import dtypes, shapes
from lamina.frontend.array import Array, ArrayLike
from lamina.frontend.bind import as_array, constant, number
from lamina.frontend.creation import check_device
from lamina.frontend.dispatch import extension
from lamina.frontend.dtypes import DType
from lamina.frontend.location import fail, shown
from lamina.frontend.manipulation import astype
from lamina.frontend.outside import computed, operand
from lamina.frontend.repetition import roll

NORMS = ("backward", "ortho", "forward")


def _norm(name: str, norm: Any) -> str:
    if not isinstance(norm, str) or norm not in NORMS:
        fail(
            ArgumentError,
            f'{name}: expected norm "backward", "ortho" or "forward", found {shown(norm)}',
        )
    return norm


def _size(name: str, size: Any) -> int:
    found = shapes.integer(name, size, "size")
    if found < 1:
        fail(ShapeError, f"{name}: expected a size of 1 or more, found {found}")
    shapes.check_size(name, (found,))
    return found


def _one(
    name: str, function: Callable[..., Any], x: ArrayLike, n: Any, axis: Any, norm: Any,
    family: frozenset[DType] = dtypes.FLOATS_OR_COMPLEX, half: bool = False,
) -> Array:  # fmt: skip
    """A transform along one axis. half: x holds n // 2 + 1 of n elements."""
    array = operand(name, x, family)
    along = shapes.axis_index(name, axis, array.ndim)
    default = 2 * (array.shape[along] - 1) if half else array.shape[along]
    size = _size(name, default if n is None else n)
    checked = _norm(name, norm)
    return computed(name, "numbers", function, array, n=size, axis=along, norm=checked)


def _many(
    name: str, function: Callable[..., Any], x: ArrayLike, s: Any, axes: Any, norm: Any,
    family: frozenset[DType] = dtypes.FLOATS_OR_COMPLEX, half: bool = False,
) -> Array:  # fmt: skip
    """A transform along several axes. half: of the last one, x holds n // 2 + 1 of n elements."""
    array = operand(name, x, family)
    if s is not None and not shapes.is_sequence(s):
        fail(ArgumentError, f"{name}: expected a sequence of sizes, found {shown(s)}")
    if axes is None and s is not None:
        axes = tuple(range(-len(s), 0))
    along = shapes.axis_indices(name, axes, array.ndim)
    if not along:
        fail(ShapeError, f"{name}: expected one axis or more, found none")
    sizes = [array.shape[axis] for axis in along]
    if half:
        sizes[-1] = 2 * (sizes[-1] - 1)
    listed = sizes if s is None else list(s)
    if len(listed) != len(along):
        fail(ShapeError, f"{name}: expected {len(along)} sizes, found {len(listed)}")
    wanted = [_size(name, size) for size in listed]
    checked = _norm(name, norm)
    return computed(name, "numbers", function, array, s=wanted, axes=along, norm=checked)


@extension("fft")
def fft(x: ArrayLike, /, *, n: int | None = None, axis: int = -1, norm: str = "backward") -> Array:
    """X[k] = sum over j of x[j] exp(-2 pi i j k / n), complex. Floating-point or complex.

    >>> lm.fft.fft(lm.asarray([1.0, 1.0]))
    Array([2.+0.j, 0.+0.j])
    """
    return _one("fft.fft", np.fft.fft, x, n, axis, norm)


@extension("fft")
def ifft(x: ArrayLike, /, *, n: int | None = None, axis: int = -1, norm: str = "backward") -> Array:
    """x[j] = sum over k of X[k] exp(2 pi i j k / n) / n, complex. Floating-point or complex.

    >>> lm.fft.ifft(lm.asarray([2.0, 0.0]))
    Array([1.+0.j, 1.+0.j])
    """
    return _one("fft.ifft", np.fft.ifft, x, n, axis, norm)


@extension("fft")
def fftn(x: ArrayLike, /, *, s: Any = None, axes: Any = None, norm: str = "backward") -> Array:
    """`fft` along each of `axes` (None: the last len(s), or all). Floating-point or complex.

    >>> lm.fft.fftn(lm.ones((2, 2)))
    Array([[4.+0.j, 0.+0.j],
           [0.+0.j, 0.+0.j]])
    """
    return _many("fft.fftn", np.fft.fftn, x, s, axes, norm)


@extension("fft")
def ifftn(x: ArrayLike, /, *, s: Any = None, axes: Any = None, norm: str = "backward") -> Array:
    """`ifft` along each of `axes` (None: the last len(s), or all). Floating-point or complex.

    >>> lm.fft.ifftn(lm.asarray([[4.0, 0.0], [0.0, 0.0]]))
    Array([[1.+0.j, 1.+0.j],
           [1.+0.j, 1.+0.j]])
    """
    return _many("fft.ifftn", np.fft.ifftn, x, s, axes, norm)


@extension("fft")
def rfft(x: ArrayLike, /, *, n: int | None = None, axis: int = -1, norm: str = "backward") -> Array:
    """The first n // 2 + 1 elements of `fft`, of real x; the others are their conjugates.

    >>> lm.fft.rfft(lm.asarray([1.0, 0.0]))
    Array([1.+0.j, 1.+0.j])
    """
    return _one("fft.rfft", np.fft.rfft, x, n, axis, norm, dtypes.FLOATS)


@extension("fft")
def irfft(
    x: ArrayLike, /, *, n: int | None = None, axis: int = -1, norm: str = "backward"
) -> Array:
    """The inverse of `rfft`, real, of size n (None: 2 (m - 1) of the m elements of x).

    >>> lm.fft.irfft(lm.asarray([1.0, 1.0]))
    Array([1., 0.])
    """
    return _one("fft.irfft", np.fft.irfft, x, n, axis, norm, half=True)


@extension("fft")
def rfftn(x: ArrayLike, /, *, s: Any = None, axes: Any = None, norm: str = "backward") -> Array:
    """`rfft` along the last of `axes`, `fft` along the others, of real x.

    >>> lm.fft.rfftn(lm.ones((2, 2)))
    Array([[4.+0.j, 0.+0.j],
           [0.+0.j, 0.+0.j]])
    """
    return _many("fft.rfftn", np.fft.rfftn, x, s, axes, norm, dtypes.FLOATS)


@extension("fft")
def irfftn(x: ArrayLike, /, *, s: Any = None, axes: Any = None, norm: str = "backward") -> Array:
    """The inverse of `rfftn`, real.

    >>> lm.fft.irfftn(lm.asarray([[4.0, 0.0], [0.0, 0.0]]))
    Array([[1., 1.],
           [1., 1.]])
    """
    return _many("fft.irfftn", np.fft.irfftn, x, s, axes, norm, half=True)


@extension("fft")
def hfft(x: ArrayLike, /, *, n: int | None = None, axis: int = -1, norm: str = "backward") -> Array:
    """`fft` of a signal whose second half is the conjugate of the first, x: real, of size n
    (None: 2 (m - 1) of the m elements of x).

    >>> lm.fft.hfft(lm.asarray([1.0, 1.0]))
    Array([2., 0.])
    """
    return _one("fft.hfft", np.fft.hfft, x, n, axis, norm, half=True)


@extension("fft")
def ihfft(
    x: ArrayLike, /, *, n: int | None = None, axis: int = -1, norm: str = "backward"
) -> Array:
    """The inverse of `hfft`: n // 2 + 1 complex elements of real x.

    >>> lm.fft.ihfft(lm.asarray([2.0, 0.0]))
    Array([1.-0.j, 1.-0.j])
    """
    return _one("fft.ihfft", np.fft.ihfft, x, n, axis, norm, dtypes.FLOATS)


def _frequencies(name: str, n: Any, d: Any, dtype: Any, device: Any, half: bool) -> Array:
    check_device(name, device)
    size = _size(name, n)
    spacing = number(name, d, "spacing")
    if spacing == 0 or not math.isfinite(spacing):
        fail(ArgumentError, f"{name}: expected a finite spacing other than 0, found {spacing}")
    wanted = dtypes.float64 if dtype is None else dtypes.normalize(dtype)
    if wanted not in dtypes.FLOATS:
        fail(DTypeError, f"{name}: expected a floating-point dtype, found {wanted}")
    found = (np.fft.rfftfreq if half else np.fft.fftfreq)(size, spacing)
    return astype(constant(np.asarray(found)), wanted, copy=False)


@extension("fft")
def fftfreq(n: int, /, *, d: float = 1.0, dtype: Any = None, device: Any = None) -> Array:
    """The frequencies of `fft`, in cycles per unit of the sample spacing d: 0, 1, ... -2, -1, over
    n d.

    >>> lm.fft.fftfreq(4)
    Array([ 0.  ,  0.25, -0.5 , -0.25])
    """
    return _frequencies("fft.fftfreq", n, d, dtype, device, False)


@extension("fft")
def rfftfreq(n: int, /, *, d: float = 1.0, dtype: Any = None, device: Any = None) -> Array:
    """The frequencies of `rfft`, in cycles per unit of the sample spacing d: 0, 1, ... over n d.

    >>> lm.fft.rfftfreq(4)
    Array([0.  , 0.25, 0.5 ])
    """
    return _frequencies("fft.rfftfreq", n, d, dtype, device, True)


def _shift(name: str, x: ArrayLike, axes: Any, sign: int) -> Array:
    array = as_array(name, x)
    along = shapes.axis_indices(name, axes, array.ndim)
    shifts = tuple(sign * (array.shape[axis] // 2) for axis in along)
    return roll(array, shifts, axis=along)


@extension("fft")
def fftshift(x: ArrayLike, /, *, axes: Any = None) -> Array:
    """Frequency 0 moved to the middle of each of `axes` (None: all).

    >>> lm.fft.fftshift(lm.asarray([0, 1, -2, -1]))
    Array([-2, -1,  0,  1])
    """
    return _shift("fft.fftshift", x, axes, 1)


@extension("fft")
def ifftshift(x: ArrayLike, /, *, axes: Any = None) -> Array:
    """The inverse of `fftshift`.

    >>> lm.fft.ifftshift(lm.asarray([-2, -1, 0, 1]))
    Array([ 0,  1, -2, -1])
    """
    return _shift("fft.ifftshift", x, axes, -1)
