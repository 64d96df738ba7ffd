"""Replace math functions by the arithmetic that computes them.

    %y = math.exp %x : vector<16xf32>
becomes
    %n = math.fma %x, %log2e, %magic : vector<16xf32>
    ... about 20 ops of arith, math.fma, math.absf, math.sqrt, math.copysign

Before: f32 or f64, scalars or 1-d vectors of fixed length (half types are widened around the op).
After: no op of `EXPANSIONS` is left but f64 sin, cos and tan with the attribute `lamina.libm`, in
branches taken beyond 2^30; equal bits for scalars and vectors. The results are at most 2 ulp from
the exact value, denormals included, special values as in C99 Annex F.

Without this pass LLVM would call libm once per lane.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, VectorType, f32, f64
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import PassFailedException
from xdsl.utils.type import get_element_type_or_self

from lamina.lowering import (
    math_arc,
    math_erf,
    math_exp,
    math_hyperbolic,
    math_log,
    math_pow,
    math_trig,
)
from lamina.lowering.math_builder import LIBM, Constants, Emitter

EXPANSIONS: dict[str, Callable[..., SSAValue]] = {
    "math.acos": math_arc.acos,
    "math.acosh": math_arc.acosh,
    "math.asin": math_arc.asin,
    "math.asinh": math_arc.asinh,
    "math.atan": math_arc.atan,
    "math.atan2": math_arc.atan2,
    "math.atanh": math_arc.atanh,
    "math.cos": math_trig.cos,
    "math.cosh": math_hyperbolic.cosh,
    "math.erf": math_erf.erf,
    "math.erfc": math_erf.erfc,
    "math.exp": math_exp.exp,
    "math.exp2": math_exp.exp2,
    "math.expm1": math_exp.expm1,
    "math.log": math_log.log,
    "math.log10": math_log.log10,
    "math.log1p": math_log.log1p,
    "math.log2": math_log.log2,
    "math.powf": math_pow.powf,
    "math.rsqrt": math_pow.rsqrt,
    "math.sin": math_trig.sin,
    "math.sinh": math_hyperbolic.sinh,
    "math.tan": math_trig.tan,
    "math.tanh": math_hyperbolic.tanh,
}
"""Op name -> (emitter, operands) -> result."""


def why_not(op: Operation) -> str | None:
    """Why `op`, one of `EXPANSIONS`, cannot be expanded; None if it can."""
    type = op.results[0].type
    element = get_element_type_or_self(type)
    if isinstance(type, VectorType) and (type.get_num_dims() != 1 or type.get_num_scalable_dims()):
        return f"{op.name}: expected a scalar or a 1-d vector of fixed length, found {type}"
    if element not in (f32, f64):
        return f"{op.name}: expected elements of type f32 or f64, found {type}"
    return None


def expand(
    op: Operation, *, fma: bool, constants: Constants | None = None
) -> tuple[list[Operation], SSAValue] | None:
    """The arithmetic for `op`: ops in order and the result; None if `op` is not to be expanded.

    Nothing is inserted and `op` is not changed. `fma` says whether the target has fused
    multiply-add. `constants` may be shared by expansions that go into one block in order; ones of a
    nested block may start from a copy. Raises PassFailedException where `why_not` has a reason.
    """
    function = EXPANSIONS.get(op.name)
    if function is None or LIBM in op.attributes:
        return None
    reason = why_not(op)
    if reason is not None:
        raise PassFailedException(reason)
    type = op.results[0].type
    bits = 32 if get_element_type_or_self(type) == f32 else 64
    lanes = type.get_shape()[0] if isinstance(type, VectorType) else None
    emitter = Emitter(op.location, bits, lanes, fma=fma, constants=constants)
    result = function(emitter, *op.operands)
    result.name_hint = op.results[0].name_hint
    return emitter.ops, result


def _expand_block(block: Block, fma: bool) -> None:
    constants: Constants = {}
    for op in list(block.ops):
        for region in op.regions:
            for inner in region.blocks:
                _expand_block(inner, fma)
        expansion = expand(op, fma=fma, constants=constants)
        if expansion is not None:
            ops, result = expansion
            block.insert_ops_before(ops, op)
            op.results[0].replace_all_uses_with(result)
            op.detach()
            op.erase()


@dataclass(frozen=True)
class ExpandMathPass(ModulePass):
    """Expand the functions of `EXPANSIONS`; `fma=false` for targets without fused multiply-add."""

    name = "expand-math"

    fma: bool = True

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for block in op.body.blocks:
            _expand_block(block, self.fma)
