"""The `nd` dialect: tensor programs with NumPy's meaning. Each file opens with its vocabulary.

Value semantics on ranked tensors of i1, i8..i64, ui8..ui64, f16, bf16, f32, f64, complex<f32> and
complex<f64>. Operands of an op have equal element types and shapes: promotion and broadcasts are explicit ops.
"""

from xdsl.ir import Dialect

from lamina.dialects.nd import (
    complexes,
    contraction,
    effects,
    elementwise,
    gradients,
    indexing,
    random,
    reduction,
    scan,
    shape,
    sorting,
    transcendental,
    window,
)
from lamina.dialects.nd.base import NdOp

OPS: tuple[type[NdOp], ...] = (
    *elementwise.OPS,
    *transcendental.OPS,
    *complexes.OPS,
    *shape.OPS,
    *contraction.OPS,
    *reduction.OPS,
    *scan.OPS,
    *sorting.OPS,
    *effects.OPS,
    *window.OPS,
    *indexing.OPS,
    *random.OPS,
    *gradients.OPS,
)

Nd = Dialect("nd", [*OPS, *gradients.REGIONS])

__all__ = ["OPS", "Nd", "NdOp"]
