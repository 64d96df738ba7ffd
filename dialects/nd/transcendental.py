"""Elementwise ops on floats that are not exact: within 2 ulp of the exact value.

    op                                  meaning                          example
    exp exp2 expm1                      exponentials                     nd.exp %x : tensor<4xf32>
    log log1p log2 log10                logarithms
    sin cos tan asin acos atan          of radians, to radians
    sinh cosh tanh asinh acosh atanh
    erf erfc                            erfc is 1 - erf
    atan2 hypot                         of a point                       nd.atan2 %y, %x : tensor<4xf32>

Special values are those of C99 Annex F.
"""

from __future__ import annotations

import abc

from xdsl.irdl import irdl_op_definition

from lamina.dialects.nd.base import NdOp
from lamina.dialects.nd.elementwise import FloatBinaryOp, FloatUnaryOp


class TranscendentalOp(FloatUnaryOp, abc.ABC):
    """Within 2 ulp of the exact value; special values as in C99 Annex F."""


@irdl_op_definition
class ExpOp(TranscendentalOp):
    """e to the power."""

    name = "nd.exp"


@irdl_op_definition
class Exp2Op(TranscendentalOp):
    """2 to the power."""

    name = "nd.exp2"


@irdl_op_definition
class Expm1Op(TranscendentalOp):
    """exp(x) - 1, exact near 0."""

    name = "nd.expm1"


@irdl_op_definition
class LogOp(TranscendentalOp):
    """Natural logarithm."""

    name = "nd.log"


@irdl_op_definition
class Log1pOp(TranscendentalOp):
    """log(1 + x), exact near 0."""

    name = "nd.log1p"


@irdl_op_definition
class Log2Op(TranscendentalOp):
    """Logarithm to base 2."""

    name = "nd.log2"


@irdl_op_definition
class Log10Op(TranscendentalOp):
    """Logarithm to base 10."""

    name = "nd.log10"


@irdl_op_definition
class SinOp(TranscendentalOp):
    """Sine of radians."""

    name = "nd.sin"


@irdl_op_definition
class CosOp(TranscendentalOp):
    """Cosine of radians."""

    name = "nd.cos"


@irdl_op_definition
class TanOp(TranscendentalOp):
    """Tangent of radians."""

    name = "nd.tan"


@irdl_op_definition
class AsinOp(TranscendentalOp):
    """Angle in radians whose sine is the operand; NaN outside [-1, 1]."""

    name = "nd.asin"


@irdl_op_definition
class AcosOp(TranscendentalOp):
    """Angle in radians whose cosine is the operand; NaN outside [-1, 1]."""

    name = "nd.acos"


@irdl_op_definition
class AtanOp(TranscendentalOp):
    """Angle in radians whose tangent is the operand."""

    name = "nd.atan"


@irdl_op_definition
class SinhOp(TranscendentalOp):
    """Hyperbolic sine."""

    name = "nd.sinh"


@irdl_op_definition
class CoshOp(TranscendentalOp):
    """Hyperbolic cosine."""

    name = "nd.cosh"


@irdl_op_definition
class TanhOp(TranscendentalOp):
    """Hyperbolic tangent."""

    name = "nd.tanh"


@irdl_op_definition
class AsinhOp(TranscendentalOp):
    """Number whose hyperbolic sine is the operand."""

    name = "nd.asinh"


@irdl_op_definition
class AcoshOp(TranscendentalOp):
    """Number of 0 or more whose hyperbolic cosine is the operand; NaN below 1."""

    name = "nd.acosh"


@irdl_op_definition
class AtanhOp(TranscendentalOp):
    """Number whose hyperbolic tangent is the operand; NaN outside [-1, 1]."""

    name = "nd.atanh"


@irdl_op_definition
class ErfOp(TranscendentalOp):
    """Error function."""

    name = "nd.erf"


@irdl_op_definition
class ErfcOp(TranscendentalOp):
    """1 - erf(x), accurate where erf(x) is near 1."""

    name = "nd.erfc"


class TranscendentalBinaryOp(FloatBinaryOp, abc.ABC):
    """Of two operands: within 2 ulp of the exact value; special values as in C99 Annex F."""


@irdl_op_definition
class Atan2Op(TranscendentalBinaryOp):
    """Angle of the point (rhs, lhs), from -pi to pi."""

    name = "nd.atan2"


@irdl_op_definition
class HypotOp(TranscendentalBinaryOp):
    """sqrt(lhs^2 + rhs^2), without overflow or underflow of the squares; inf wins over NaN."""

    name = "nd.hypot"


OPS: tuple[type[NdOp], ...] = (
    ExpOp, Exp2Op, Expm1Op, LogOp, Log1pOp, Log2Op, Log10Op, SinOp, CosOp, TanOp, AsinOp, AcosOp,
    AtanOp, SinhOp, CoshOp, TanhOp, AsinhOp, AcoshOp, AtanhOp, ErfOp, ErfcOp, Atan2Op, HypotOp,
)  # fmt: skip
