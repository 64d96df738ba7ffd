"""Functions that NumPy does not have, in float64, or has with other special values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from lamina.interpreters.dtypes import Array

# Interpolation at Chebyshev nodes in 60 digits: erf(x)/x - 1 in x^2 on [0, 1], error 1.3e-19;
# erfc(x) exp(x^2) in t = (x - 2.5)/(x + 2.5) on 1 <= x <= 6, error 1.0e-17;
# erfc(x) exp(x^2) (x + 3) in q = (x - 3)/(x + 3) on 1/2 <= x <= 28, error 2.4e-18.
_NEAR = (
    0.1283791670955126, -0.3761263890318375, 0.11283791670954879, -0.026866170645076792,
    0.0052239776248180145, -0.000854832698083379, 0.0001205533111164271, -1.4925595266831182e-05,
    1.6461000484121368e-06, -1.6350312701054695e-07, 1.4659775274047436e-08,
    -1.1372848856791674e-09, 5.957176147748911e-11,
)  # fmt: skip
_FAR = (
    0.21080636406114356, -0.3717367339489732, 0.251713193217456, -0.12503305237885554,
    0.0399225390747838, -0.0039937011641469865, -0.002642365927759658, 0.0008759154019168855,
    0.00022837955896605415, -0.00012887649615317198, -3.4172229273553035e-05,
    1.8609712314617464e-05, 7.48480117852628e-06, -2.2842173094341345e-06,
    -1.5625258507743158e-06, 8.134380709229634e-08,
)  # fmt: skip
_TAIL = (
    np.longdouble("1.0740069070883397025"), np.longdouble("-0.88339445316988368225"),
    0.5902283571041016, -0.31046726190056156, 0.11952776128730892, -0.026827234624724486,
    -0.0012124166277572678, 0.0030340620057898154, -0.0005483096839751027,
    -0.00027677789316837094, 0.00010756142590183302, 3.0398451830690995e-05,
    -1.7470285416415952e-05, -4.7503596636076955e-06, 2.7645933545398984e-06,
    1.0018119899069284e-06, -4.06573738203974e-07, -2.3841884967151173e-07,
    4.465027302296961e-08, 5.575181450850265e-08, -3.4376218876655784e-10,
    -1.1430099934447282e-08, -8.699302272952263e-10, 1.558866122216002e-09,
)  # fmt: skip


_BLOCK = 8192
"""Elements worked on at a time: the temporaries stay in the cache."""


def erf(x: Array) -> Array:
    """The error function of float64 elements, within 1 ulp; odd, NaN stays NaN."""
    return _in_blocks(_erf_block, x)


def erfc(x: Array) -> Array:
    """1 - erf(x) of float64 elements, within 1 ulp (in 80 bits, which the tail needs)."""
    return _in_blocks(_erfc_block, x)


def _in_blocks(function: Callable[[Array], Array], x: Array) -> Array:
    flat = np.ravel(x)
    result = np.empty_like(flat)
    for start in range(0, flat.size, _BLOCK):
        block = slice(start, start + _BLOCK)
        result[block] = function(flat[block])
    return result.reshape(np.shape(x))


def _erf_block(x: Array) -> Array:
    size = np.abs(x)
    near = x + x * _polynomial(_NEAR, np.square(np.minimum(size, 1.0)))
    y = np.clip(size, 1.0, 6.0)  # from 5.93 on the result is 1
    far = 1.0 - np.exp(-y * y) * _polynomial(_FAR, (y - 2.5) / (y + 2.5))
    return np.where(size <= 1.0, near, np.copysign(far, x))


def _erfc_block(x: Array) -> Array:
    result = 1.0 - _erf_block(x)
    tail = x > 0.5
    y = np.minimum(x[tail], 28.0).astype(np.longdouble)  # from 27.23 on the result is 0
    result[tail] = np.exp(-y * y) * _polynomial(_TAIL, (y - 3) / (y + 3)) / (y + 3)
    return result


def _polynomial(coefficients: Sequence[Any], x: Array) -> Array:
    """`c[0] + c[1] x + ...` by Horner's rule."""
    result = np.full_like(x, coefficients[-1])
    for coefficient in coefficients[-2::-1]:
        result *= x
        result += coefficient
    return result


def expm1(x: Array) -> Array:
    """exp(x) - 1. Of complex infinities and NaN, what exp says; NumPy's are NaN throughout."""
    result = np.expm1(x)
    if x.dtype.kind != "c":
        return result
    return np.where(np.isfinite(np.real(x)), result, np.exp(x) - 1)
