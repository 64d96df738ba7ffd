"""Drawing gathers and scatters of an `nd` program."""

from __future__ import annotations

from typing import TYPE_CHECKING

from op_row import INTEGERS, Row, values
from op_rows_indexing import as_indices

from lamina.interpreters.types import F32, DType

if TYPE_CHECKING:
    from program_ops import Drawing, Value


def draw_indexed(d: Drawing, row: Row, dtype: DType | None) -> None:
    """Append a gather or scatter. Indices are integers of the pool, which mostly point outside, or
    new ones."""
    exact = row.name == "scatter"  # a sum in an order of its own

    def fits(value: Value) -> bool:
        wanted = value.dtype in row.dtypes if dtype is None else value.dtype == dtype
        free = not exact or (value.bound is None and not any(value.declared))
        return wanted and free and d.usable(row, value)

    x = d.pick(fits)
    shapes = row.shapes(d.rng, x.array.shape)
    assert shapes is not None
    params = row.params(d.rng, shapes, x.dtype)
    operands = [x]
    if row.name == "scatter":
        operands.append(d.find(x.dtype, shapes[1], (None,) * len(shapes[1]), True))
    for seed, shape in enumerate(shapes[len(operands) :]):
        known = [v for v in d.pool if v.dtype in INTEGERS and v.array.shape == shape]
        static = [v for v in known if not any(v.declared)]
        drawn = as_indices(values(d.rng, F32, shape), seed)
        index = d.choose(static) if static and d.chance(0.3) else d.constant(drawn)
        operands.append(index)
    d.emit(row, operands, params)
