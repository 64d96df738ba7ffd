"""Rows of the ops with index tensors.

The second operand, drawn in the row's dtype, becomes indices of an integer type that its contents
choose: in range, negative, and out of range.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.random import Generator
from op_row import INTEGERS, NUMERIC, Params, Row, Shape

from lamina.interpreters.types import DTYPES, INT64, Array, DType


def _gather_shapes(rng: Generator, shape: Shape) -> tuple[Shape, ...] | None:
    """The operand's, and of one or two index arrays; axes of size 0 are not indexed."""
    axes = _axes_of(shape)
    if not axes:
        return None
    index = tuple(int(size) for size in rng.integers(0, 4, rng.integers(0, 3)))
    if len(shape) > 1 and rng.random() < 0.3:  # batch axes: all but the one that is indexed
        axis = axes[int(rng.integers(len(axes)))]
        index = (*shape[:axis], int(rng.integers(1, 4)), *shape[axis + 1 :])
    count = int(rng.integers(1, min(len(axes), 2) + 1)) if index != shape else 1
    return shape, *((index,) * count)


def _axes_of(shape: Shape) -> list[int]:
    return [axis for axis, size in enumerate(shape) if size]


def _gather_params(rng: Generator, shapes: tuple[Shape, ...], _: DType) -> Params:
    """Distinct axes; a dim of the indices is a batch dim where its size allows, at random."""
    shape, index, *others = shapes
    axes = tuple(int(a) for a in rng.permutation(_axes_of(shape))[: 1 + len(others)])
    walked = [axis for axis in range(len(shape)) if axis not in axes]
    shared: dict[int, int] = {}  # axis of the indices -> axis of the operand
    for place, size in enumerate(index):
        fitting = [a for a in walked if shape[a] == size and a not in shared.values()]
        if fitting and rng.random() < 0.6:
            shared[place] = fitting[0]
    rank = len(walked) + len(index) - len(shared)
    order = [int(d) for d in rng.permutation(rank)] if rng.random() < 0.5 else list(range(rank))
    dims = order[: len(walked)]
    free = iter(order[len(walked) :])
    index_dims = [
        dims[walked.index(shared[p])] if p in shared else next(free) for p in range(len(index))
    ]
    return {"axes": axes, "dims": tuple(dims), "index_dims": tuple(index_dims)}


def as_indices(array: Array, seed: int) -> Array:
    """Indices of some integer type, from -5 to 6 and sometimes far out; from the contents."""
    rng = np.random.default_rng([array.size, seed, *array.tobytes()[:16]])
    dtype: DType = INTEGERS[rng.integers(len(INTEGERS))]
    info = np.iinfo(dtype)
    near = rng.integers(max(info.min, -5), 7, array.shape, INT64)
    far = rng.choice(np.array([info.min, info.max], dtype), array.shape)
    return np.where(rng.random(array.shape) < 0.1, far, near.astype(dtype)).astype(dtype)


def _with_indices(operands: tuple[Any, ...]) -> tuple[Any, ...]:
    x, *indices = operands
    return x, *(as_indices(np.asarray(index), seed) for seed, index in enumerate(indices))


def _scatter_shapes(rng: Generator, shape: Shape) -> tuple[Shape, ...] | None:
    """The operand's, the updates' and the index arrays'."""
    found = _gather_shapes(rng, shape)
    if found is None:
        return None
    x, *indices = found
    params = _space_of(x, indices)
    walked = [size for axis, size in enumerate(x) if axis not in params["axes"]]
    sizes = dict(zip(params["dims"], walked, strict=True))
    sizes.update(zip(params["index_dims"], indices[0], strict=True))
    return x, tuple(sizes[d] for d in range(len(sizes))), *indices


def _space_of(x: Shape, indices: Sequence[Shape]) -> Params:
    """A space that depends on the shapes only, so that the updates' shape fits it."""
    rng = np.random.default_rng([*x, *indices[0], len(indices)])
    return _gather_params(rng, (x, *indices), INT64)


def _scatter_params(kind: str) -> Callable[[Generator, tuple[Shape, ...], DType], Params]:
    def params(_: Generator, shapes: tuple[Shape, ...], __: DType) -> Params:
        x, _updates, *indices = shapes
        return {"kind": kind, **_space_of(x, indices)}

    return params


def _with_updates(operands: tuple[Any, ...]) -> tuple[Any, ...]:
    x, updates, *indices = operands
    return x, updates, *_with_indices((x, *indices))[1:]


def rows() -> Iterator[Row]:
    """The rows of this family."""
    yield Row("gather", DTYPES, _gather_shapes, _gather_params, adapt=_with_indices)
    yield scatter_row("set")


def scatter_row(kind: str) -> Row:
    """The row of one kind of scatter."""
    dtypes = DTYPES if kind == "set" else NUMERIC
    return Row("scatter", dtypes, _scatter_shapes, _scatter_params(kind), adapt=_with_updates)


SCATTERS = {f"scatter_{kind}": scatter_row(kind) for kind in ("add", "mul", "max", "min")}
"""Rows of the other kinds of scatter."""
