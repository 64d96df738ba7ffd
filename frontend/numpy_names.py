"""Names: which function of ours is which of NumPy's."""

from __future__ import annotations

from lamina.frontend import histograms, numpy_functions, numpy_statistics
from lamina.frontend.dispatch import FUNCTIONS

OWN = {**numpy_functions.NAMES, **numpy_statistics.NAMES, **histograms.NAMES}
"""NumPy's name -> a function with NumPy's parameters, "numpy.NAME" in `FUNCTIONS`."""

FUNCTIONS.update({f"numpy.{name}": function for name, function in OWN.items()})

SAME = (
    "abs acos acosh add asin asinh atan atan2 atanh bitwise_and bitwise_or bitwise_xor ceil conj "
    "copysign cos cosh divide equal exp exp2 expm1 floor floor_divide greater greater_equal hypot "
    "isfinite isinf isnan less less_equal log log10 log1p log2 logaddexp logical_and logical_not "
    "logical_or logical_xor matmul maximum minimum multiply negative nextafter not_equal positive "
    "pow reciprocal remainder sign signbit sin sinh sqrt square subtract tan tanh trunc vecdot"
)
UFUNCS = {
    **{name: name for name in SAME.split()},
    "absolute": "abs",
    "arccos": "acos",
    "arccosh": "acosh",
    "arcsin": "asin",
    "arcsinh": "asinh",
    "arctan": "atan",
    "arctan2": "atan2",
    "arctanh": "atanh",
    "conjugate": "conj",
    "invert": "bitwise_invert",
    "left_shift": "bitwise_left_shift",
    "power": "pow",
    "right_shift": "bitwise_right_shift",
    "rint": "round",
    "true_divide": "divide",
}
"""Name of a NumPy ufunc -> our function."""

SAME_NAMES = (
    "all any argmax argmin astype broadcast_arrays broadcast_to clip concat copy "
    "count_nonzero cumprod cumsum cumulative_prod cumulative_sum diff einsum empty_like "
    "expand_dims flip full_like imag isin matrix_transpose max mean meshgrid min moveaxis nonzero "
    "ones_like outer permute_dims prod put put_along_axis real "
    "repeat reshape result_type roll round searchsorted "
    "split stack std sum swapaxes take take_along_axis tensordot tile tril triu unique_all "
    "unique_counts unique_inverse unique_values unstack var where zeros_like"
)
LINALG = (
    "cholesky cross det diagonal eigh eigvalsh inv matrix_norm matrix_power matrix_rank pinv qr "
    "slogdet solve svd svdvals trace vector_norm"
)
FFT = "fft fftfreq fftn fftshift hfft ifft ifftn ifftshift ihfft irfft irfftn rfft rfftfreq rfftn"
NAMES = {
    **{name: name for name in SAME_NAMES.split()},
    **{f"linalg.{name}": f"linalg.{name}" for name in LINALG.split()},
    **{f"fft.{name}": f"fft.{name}" for name in FFT.split()},
    **{f"linalg.{name}": name for name in ("matrix_transpose", "outer", "tensordot")},
    "around": "round",
    "concatenate": "concat",
    **{name: f"numpy.{name}" for name in OWN},
}
"""Name of another NumPy function, less "numpy." -> our function."""

KEYWORDS = {"ddof": "correction", "a_min": "min", "a_max": "max"}
"""NumPy's keyword -> ours."""
