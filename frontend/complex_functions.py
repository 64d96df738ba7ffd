"""Complex powers, exponentials, logarithms and trigonometry, as formulas on the parts.

Eager and compiled code so give equal results. Parts are computed in float64 and, of complex64,
rounded once. Special values are those of C99 Annex G, as the Array API has them.
Formulas: W. Kahan, Branch cuts for complex elementary functions, or: Much ado about nothing's sign
bit (1987); each is scaled where its squares would overflow.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any, TypeAlias

from lamina.frontend import complexes, dtypes
from lamina.frontend.array import Array
from lamina.frontend.bind import bind, broadcast, cast, constant, duplicate, full
from lamina.frontend.shapes import broadcast_shapes

Parts: TypeAlias = "tuple[Array, Array]"
Function: TypeAlias = "Callable[[Array, Array], Parts]"

_exp, _log, _log1p = partial(bind, "exp"), partial(bind, "log"), partial(bind, "log1p")
_expm1, _asinh = partial(bind, "expm1"), partial(bind, "asinh")
_sin, _cos, _tan = partial(bind, "sin"), partial(bind, "cos"), partial(bind, "tan")
_sinh, _cosh = partial(bind, "sinh"), partial(bind, "cosh")
_sqrt, _abs, _hypot = partial(bind, "sqrt"), partial(bind, "abs"), partial(bind, "hypot")
_angle, _copysign = partial(bind, "atan2"), partial(bind, "copysign")

LARGE = 2.0**400
"""Beyond, squares may overflow."""


def _filled(value: Any, like: Array) -> Array:
    return value if isinstance(value, Array) else full(value, like.shape, like.dtype)


def _choose(condition: Array, x: Array | float, y: Array | float) -> Array:
    like = x if isinstance(x, Array) else y if isinstance(y, Array) else None
    assert like is not None
    return bind("select", condition, _filled(x, like), _filled(y, like))


def _signed(size: float, sign: Array) -> Array:
    """`size` with the sign of each element."""
    return _copysign(_filled(size, sign), sign)


def _is_nan(x: Array) -> Array:
    return bind("not_equal", x, x)


def _is_infinite(x: Array) -> Array:
    return bind("equal", _abs(x), _filled(math.inf, x))


def _is_zero(x: Array) -> Array:
    return bind("equal", x, _filled(0.0, x))


def _is_large(x: Array, y: Array, bound: float = LARGE) -> Array:
    return (_abs(x) > bound) | (_abs(y) > bound)


def apply(function: Function, z: Array) -> Array:
    """`function` of the parts of z, computed in float64."""
    wide = [cast(part, dtypes.float64) for part in complexes.parts(z)]
    dtype = complexes.parts(z)[0].dtype
    re, im = function(*wide)
    return complexes.joined(cast(re, dtype), cast(im, dtype))


def sqrt(x: Array, y: Array) -> Parts:
    """t = sqrt((|x| + |z|) / 2): (t, y / 2t), or for x < 0 (|y| / 2t, t with the sign of y)."""
    large, tiny = _is_large(x, y, 2.0**1000), ~_is_large(x, y, 2.0**-1000)
    scale = _choose(large, 2.0**-4, _choose(tiny, 2.0**108, x * 0.0 + 1.0))
    scale = _choose(_is_nan(scale), 1.0, scale)
    back = _choose(large, 4.0, _choose(tiny, 2.0**-54, _filled(1.0, x)))
    a, b = x * scale, y * scale
    t = _sqrt((_abs(a) + _hypot(a, b)) * 0.5)
    right = x >= 0.0
    other = b / (t * 2.0)
    re, im = _choose(right, t, _abs(other)) * back, _choose(right, other, _copysign(t, y)) * back
    zero = _is_zero(x) & _is_zero(y)
    endless = _is_infinite(y)
    re = _choose(endless, math.inf, _choose(zero, 0.0, re))
    return re, _choose(endless | zero, y, im)


def _log_size(x: Array, y: Array) -> Array:
    """log(hypot(x, y)): near 1 from (a - 1)(a + 1) + b**2, a the larger part."""
    a, b = bind("maximum", _abs(x), _abs(y)), bind("minimum", _abs(x), _abs(y))
    large = a > 2.0**1000
    scale = _choose(large, 0.25, _filled(1.0, a))
    size = _log(_hypot(x * scale, y * scale)) + _choose(large, math.log(4.0), a * 0.0)
    size = _choose(_is_nan(a * 0.0), _log(_hypot(x, y)), size)
    near = (a > 0.5) & (a < 1.5) & (b < 1.5)
    return _choose(near, _log1p((a - 1.0) * (a + 1.0) + b * b) * 0.5, size)


def log(x: Array, y: Array) -> Parts:
    """(log |z|, angle of z)."""
    return _log_size(x, y), _angle(y, x)


def _log_to(base: float, x: Array, y: Array) -> Parts:
    re, im = log(x, y)
    return re / math.log(base), im / math.log(base)


log2, log10 = partial(_log_to, 2.0), partial(_log_to, 10.0)


def log1p(x: Array, y: Array) -> Parts:
    """log(1 + z), near 0 from log1p(x (2 + x) + y**2) / 2."""
    near = (_abs(x) < 0.5) & (_abs(y) < 0.5)
    size = _choose(near, _log1p(x * (x + 2.0) + y * y) * 0.5, _log_size(x + 1.0, y))
    return size, _angle(y, x + 1.0)


def expm1(x: Array, y: Array) -> Parts:
    """exp(z) - 1 = expm1(x) cos y - 2 sin(y / 2)**2 + exp(x) sin(y) i."""
    re, im = complexes.parts(complexes.exponential(complexes.joined(x, y)))
    half = _sin(y * 0.5)
    near = _expm1(x) * _cos(y) - half * half * 2.0
    finite = (_abs(x) < 1.0) & (_abs(y) < math.inf)
    return _choose(finite, near, re - 1.0) + 0.0, im


def _scaled(x: Array, function: Callable[..., Array], factor: Array) -> Array:
    """function(x) * factor for sinh or cosh; exp(|x|) / 2 in two steps where it overflows."""
    size = _abs(x)
    large = (size > 700.0) & (size < math.inf)
    step = _copysign(_exp(size - 32.0), function(x)) * factor * (math.exp(32.0) / 2.0)
    return _choose(large, step, function(x) * factor)


def sinh(x: Array, y: Array) -> Parts:
    """(sinh x cos y, cosh x sin y)."""
    finite = _abs(y) < math.inf
    kept = ~finite & (_is_zero(x) | _is_infinite(x))
    re = _choose(kept, x, _scaled(x, _sinh, _cos(y)))
    return re, _choose(_is_zero(y), y, _scaled(x, _cosh, _sin(y)))


def cosh(x: Array, y: Array) -> Parts:
    """(cosh x cos y, sinh x sin y)."""
    endless = _is_infinite(x) & ~(_abs(y) < math.inf)
    re = _choose(endless, math.inf, _scaled(x, _cosh, _cos(y)))
    sign = _choose(_is_nan(x), _abs(y), _signed(1.0, x) * y)
    nothing = _is_zero(x) | _is_zero(y)
    return re, _choose(nothing, _signed(0.0, sign), _scaled(x, _sinh, _sin(y)))


def tanh(x: Array, y: Array) -> Parts:
    """With t = tan y, b = 1 + t**2, s = sinh x, d = 1 + b s**2: (b s sqrt(1 + s**2) / d, t / d)."""
    far = _abs(x) > 20.0
    t, s = _tan(y), _sinh(_choose(far, 0.0, x))
    b = t * t + 1.0
    d = b * s * s + 1.0
    decay = _exp(_abs(x) * -2.0)
    small = _sin(y) * _cos(y) * 4.0 * decay
    re = _choose(far, _signed(1.0, x), b * s * _sqrt(s * s + 1.0) / d)
    im = _choose(far, _choose(_is_infinite(x), _signed(0.0, y), small), t / d)
    open_angle = ~(_abs(y) < math.inf)
    re = _choose(open_angle & ~_is_infinite(x), _choose(_is_zero(x), x, math.nan), re)
    return re, _choose(_is_zero(y), y, im)


def _turned(function: Function) -> Function:
    """f of sin from sinh, and the like: -i f(i z)."""

    def turned(x: Array, y: Array) -> Parts:
        re, im = function(-y, x)
        return im, -re

    return turned


sin, tan = _turned(sinh), _turned(tanh)


def cos(x: Array, y: Array) -> Parts:
    """cosh(i z)."""
    return cosh(-y, x)


def _roots(x: Array, y: Array) -> tuple[Parts, Parts]:
    """sqrt(1 - z) and sqrt(1 + z)."""
    return sqrt(1.0 - x, -y), sqrt(x + 1.0, y)


def asin(x: Array, y: Array) -> Parts:
    """With a, b = sqrt(1 - z), sqrt(1 + z): (atan2(x, re(a b)), asinh(im(conj(a) b)))."""
    (a, b), (c, d) = _roots(x, y)
    large = _is_large(x, y)
    re = _choose(large, _angle(x, _abs(y)), _angle(x, a * c - b * d))
    size = _copysign(_log_size(x, y) + math.log(2.0), y)
    im = _choose(large, size, _asinh(a * d - b * c))
    return _choose(_is_zero(x) & _is_nan(y), x, re), im


def acos(x: Array, y: Array) -> Parts:
    """With a, b = sqrt(1 - z), sqrt(1 + z): (2 atan2(re a, re b), asinh(im(conj(b) a)))."""
    (a, b), (c, d) = _roots(x, y)
    large = _is_large(x, y)
    re = _choose(large, _angle(_abs(y), x), _angle(a, c) * 2.0)
    size = -_copysign(_log_size(x, y) + math.log(2.0), y)
    im = _choose(large, size, _asinh(c * b - d * a))
    return _choose(_is_zero(x) & _is_nan(y), math.pi / 2, re), im


def acosh(x: Array, y: Array) -> Parts:
    """i acos(z), or its negative, so that the real part is not negative."""
    re, im = acos(x, y)
    return _abs(im), _copysign(re, y)


def atanh(x: Array, y: Array) -> Parts:
    """(log1p(4 x / ((1 - x)**2 + y**2)) / 4, atan2(2 y, (1 - x)(1 + x) - y**2) / 2)."""
    size = _abs(x)
    gap = 1.0 - size
    d = gap * gap + y * y
    re = _log1p(size * 4.0 / d) * 0.25
    pole = (d < 1e-290) & ~(_is_zero(gap) & _is_zero(y))
    re = _choose(pole, (math.log(2.0) - _log(_hypot(gap, y))) * 0.5, re)
    im = _angle(y * 2.0, gap * (size + 1.0) - y * y) * 0.5
    large, top = _is_large(x, y), bind("maximum", size, _abs(y))
    a, b = size / top, y / top
    far = a / (a * a + b * b) / top
    far = _choose(_is_infinite(x) | _is_infinite(y), 0.0, far)
    quarter = _choose(_is_nan(far) | _is_nan(y), math.nan, _signed(math.pi / 2, y))
    re = _copysign(_choose(large, far, re), x)
    return _choose(_is_zero(x) & _is_nan(y), x, re), _choose(large, quarter, im)


asinh, atan = _turned(asin), _turned(atanh)


def power(z: Array, w: Array) -> Array:
    """exp(w log z); of zero 1 for w = 0, 0 for a positive real part, else NaN."""
    shape = broadcast_shapes("pow", z.shape, w.shape)
    (x, y), (c, d) = (
        [cast(part, dtypes.float64) for part in complexes.parts(broadcast(a, shape))]
        for a in (z, w)
    )
    size, angle = log(x, y)
    exponent = complexes.joined(c * size - d * angle, c * angle + d * size)
    re, im = complexes.parts(complexes.exponential(exponent))
    zero, none = _is_zero(x) & _is_zero(y), _is_zero(c) & _is_zero(d)
    of_zero = _choose(none, 1.0, _choose(c > 0.0, 0.0, _filled(math.nan, c)))
    re = _choose(zero, of_zero, _choose(none, 1.0, re))
    im = _choose(zero, _choose(none, 0.0, of_zero), _choose(none, 0.0, im))
    dtype = complexes.parts(z)[0].dtype
    return complexes.joined(cast(re, dtype), cast(im, dtype))


def integer_power(z: Array, exponent: int) -> Array:
    """z to the power of a number that is known, by products of squares."""
    if exponent == 0:
        return full(constant(dtypes.scalar_array(1, z.dtype)), z.shape, z.dtype)
    result, square = None, z
    while exponent:
        if exponent % 2:
            result = square if result is None else complexes.product(result, square)
        exponent //= 2
        square = complexes.product(square, square) if exponent else square
    return duplicate(z) if result is None or result is z else result


FUNCTIONS: dict[str, Function] = {
    "acos": acos,
    "acosh": acosh,
    "asin": asin,
    "asinh": asinh,
    "atan": atan,
    "atanh": atanh,
    "cos": cos,
    "cosh": cosh,
    "expm1": expm1,
    "log": log,
    "log10": log10,
    "log1p": log1p,
    "log2": log2,
    "sin": sin,
    "sinh": sinh,
    "sqrt": sqrt,
    "tan": tan,
    "tanh": tanh,
}
"""Name -> the formula on float64 parts."""
