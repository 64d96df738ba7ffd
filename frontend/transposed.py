"""Transposed convolution: the gradient of a convolution by its input, as a convolution itself."""

from __future__ import annotations

from math import prod
from typing import Any

from lamina.errors import ShapeError
from lamina.frontend import shapes
from lamina.frontend.array import Array, ArrayLike
from lamina.frontend.bind import bind, view
from lamina.frontend.contraction import conv_padding, convolved, operands, spatial
from lamina.frontend.creation import zeros
from lamina.frontend.dispatch import public
from lamina.frontend.location import fail
from lamina.frontend.manipulation import flip
from lamina.frontend.shapes import Shape


@public
def conv_transpose(
    x: ArrayLike,
    w: ArrayLike,
    /,
    *,
    strides: Any = 1,
    padding: Any = 0,
    output_padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
) -> Array:
    """Transposed convolution of x (N, C, *S) with w (C, O/groups, *K), as ONNX ConvTranspose.

    Result (N, O, *R): the convolution, with strides of 1, of x with `strides - 1` zeros between
    its elements, and of w with its spatial axes reversed (the zeros are not multiplied where the
    windows are multiples of the strides). R = strides * (S - 1) + dilation *
    (K - 1) + 1 + output_padding - low - high along each axis. strides, dilation, output_padding
    (below the stride or the dilation; more of the result at the high end): an int, or one for each
    spatial axis. padding: as in `conv`, of the result; "same" makes R = strides * S. Numeric.
    `ShapeError` where sizes do not fit.

    >>> lm.conv_transpose(lm.asarray([[[1.0, 2.0]]]), lm.ones((1, 1, 3)), strides=2)
    Array([[[1., 1., 3., 2., 2.]]])
    """
    name = "conv_transpose"
    a, b = operands(name, x, w)
    rank = a.ndim - 2
    if rank < 1 or b.ndim != a.ndim:
        fail(
            ShapeError,
            f"{name}: expected x (N, C, *S) and w (C, O/groups, *K) of equal rank, 3 or more, "
            f"found {a.shape} and {b.shape}",
        )
    parts = shapes.integer(name, groups, "number of groups")
    if parts < 1 or b.shape[0] % parts or a.shape[1] != b.shape[0]:
        fail(
            ShapeError,
            f"{name}: expected as many input channels in x as in w, in {parts} groups of equal "
            f"size, found {a.shape[1]} and {b.shape[0]}",
        )
    steps, spread = (
        spatial(name, "strides", strides, rank),
        spatial(name, "dilation", dilation, rank),
    )
    more = spatial(name, "output_padding", output_padding, rank, 0)
    if any(m >= max(s, d) for m, s, d in zip(more, steps, spread, strict=True)):
        fail(
            ShapeError,
            f"{name}: expected output_padding below the stride or the dilation, found {more}",
        )
    reach = tuple(d * (k - 1) for d, k in zip(spread, b.shape[2:], strict=True))
    edges = _edges(name, padding, a.shape[2:], b.shape[2:], steps, reach, more)
    if spread == (1,) * rank and all(k % s == 0 for k, s in zip(b.shape[2:], steps, strict=True)):
        return _by_phases(name, a, b, steps, edges, more, parts)
    high = [far - after + m for far, after, m in zip(reach, edges[1::2], more, strict=True)]
    low = [far - before for far, before in zip(reach, edges[::2], strict=True)]
    padded, kept = _framed(name, _spread(a, steps), low, high)
    return convolved(name, padded, _turned(b, parts), (1,) * rank, kept, spread, parts)


def _edges(
    name: str, padding: Any, sizes: Shape, windows: Shape, steps: Shape, reach: Shape, more: Shape
) -> Shape:
    """(low, high) of each axis, flat: how much of the result is cut off."""
    if padding != "same":
        ones = (1,) * len(sizes)
        return conv_padding(name, padding, sizes, windows, ones, ones)
    edges: Shape = ()
    for far, step, m in zip(reach, steps, more, strict=True):
        total = far + 1 + m - step
        if total < 0:
            fail(
                ShapeError,
                f'{name}: expected a window of at least the stride {step} for padding "same", '
                f"found {far + 1}",
            )
        edges += (total // 2, total - total // 2)
    return edges


def _spread(array: Array, steps: Shape) -> Array:
    """Zeros between neighbours of the spatial axes, so that they are `steps` apart."""
    if all(step == 1 for step in steps):
        return array
    lead, sizes = array.shape[:2], array.shape[2:]
    pairs = tuple(size for n in sizes for size in (n, 1))
    apart = view("reshape", array, shape=(*lead, *pairs))
    after = (0, 0, *(edge for step in steps for edge in (0, step - 1)))
    none = (0,) * apart.ndim
    apart = bind("pad", apart, zeros((), dtype=array.dtype), low=none, high=after)
    wide = tuple(n * step for n, step in zip(sizes, steps, strict=True))
    apart = view("reshape", apart, shape=(*lead, *wide))
    ends = (slice(0, max(0, n - step + 1)) for n, step in zip(wide, steps, strict=True))
    return apart[(..., *ends)]


def _framed(name: str, array: Array, low: list[int], high: list[int]) -> tuple[Array, Shape]:
    """`array` cut where `low` or `high` is negative, and the padding that is left."""
    cuts: list[slice] = []
    for size, before, after in zip(array.shape[2:], low, high, strict=True):
        if size + min(before, 0) + min(after, 0) < 0:
            fail(ShapeError, f"{name}: expected padding that leaves some of the result, found more")
        cuts.append(slice(max(0, -before), size + min(after, 0)))
    if any(edge < 0 for edge in (*low, *high)):
        array = array[(..., *cuts)]
    pairs = zip(low, high, strict=True)
    return array, tuple(max(0, edge) for pair in pairs for edge in pair)


def _turned(kernel: Array, groups: int) -> Array:
    """(C, O/groups, *K) as (O, C/groups, *K), its spatial axes reversed."""
    channels, outputs, *window = kernel.shape
    array = view("reshape", kernel, shape=(groups, channels // groups, outputs, *window))
    order = (0, 2, 1, *range(3, array.ndim))
    array = view("transpose", array, permutation=order)
    array = bind("reshape", array, shape=(groups * outputs, channels // groups, *window))
    return flip(array, axis=tuple(range(2, array.ndim)))


def _by_phases(
    name: str, x: Array, w: Array, steps: Shape, edges: Shape, more: Shape, groups: int
) -> Array:
    """The same without the zeros between elements, for windows that are multiples of the stride s.

    Element s * q + r of the result is the sum of x[q - t] * w[s * t + r]: a convolution of x with
    every s-th of w for each r, all of them by one, as further output channels (Shi et al.,
    Real-Time Single Image and Video Super-Resolution, 2016).
    """
    sizes, windows, rank = x.shape[2:], w.shape[2:], len(steps)
    taps = tuple(k // s for k, s in zip(windows, steps, strict=True))
    padding: Shape = ()
    crops: list[slice] = []
    for n, t, s, low, high, m in zip(
        sizes, taps, steps, edges[::2], edges[1::2], more, strict=True
    ):
        size = s * (n + t - 1) + m - low - high
        if size < 1:
            fail(ShapeError, f"{name}: expected padding that leaves some of the result, found more")
        skipped = min(low // s, t - 1)  # whole steps that are cut off are not computed
        start = low - skipped * s
        before = t - 1 - skipped
        padding += (before, max(0, -(-(start + size) // s) + t - 1 - n - before))
        crops.append(slice(start, start + size))
    channels, outputs = w.shape[0] // groups, w.shape[1]
    pairs = tuple(size for pair in zip(taps, steps, strict=True) for size in pair)
    split = view("reshape", w, shape=(groups, channels, outputs, *pairs))
    tap_axes, phase_axes = tuple(range(3, 3 + 2 * rank, 2)), tuple(range(4, 4 + 2 * rank, 2))
    order = (0, 2, *phase_axes, 1, *tap_axes)
    kernel = view("transpose", split, permutation=order)
    kernel = bind("reshape", kernel, shape=(groups * outputs * prod(steps), channels, *taps))
    kernel = flip(kernel, axis=tuple(range(2, 2 + rank)))
    ones = (1,) * rank
    found = convolved(name, x, kernel, ones, padding, ones, groups)
    places = found.shape[2:]
    found = view("reshape", found, shape=(x.shape[0], groups * outputs, *steps, *places))
    pairs_of_axes = tuple(axis for d in range(rank) for axis in (2 + rank + d, 2 + d))
    found = view("transpose", found, permutation=(0, 1, *pairs_of_axes))
    wide = tuple(q * s for q, s in zip(places, steps, strict=True))
    found = bind("reshape", found, shape=(x.shape[0], groups * outputs, *wide))
    return found[(..., *crops)]
