"""Random numbers as pure functions of a key."""

from lamina.frontend.random import (
    bernoulli,
    bits,
    categorical,
    fold_in,
    integers,
    key,
    normal,
    permutation,
    split,
    uniform,
)

__all__ = [
    "bernoulli",
    "bits",
    "categorical",
    "fold_in",
    "integers",
    "key",
    "normal",
    "permutation",
    "split",
    "uniform",
]
