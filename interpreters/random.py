"""Random bits: Philox4x32-10 (Salmon et al., SC 2011)."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np

from lamina.dialects.philox import MULTIPLIERS, ROUNDS, WEYL
from lamina.interpreters.dtypes import Array, DType

_HALF, _LOW = np.uint64(32), np.uint64(0xFFFFFFFF)


def philox(key: Array, counter: Array, blocks: int) -> Array:
    """Words (blocks, 4) of uint32: block j for the counter plus j."""
    start = int(counter[0]) | int(counter[1]) << 32
    number = np.arange(blocks, dtype=np.uint64) + np.uint64(start)
    a, b = number & _LOW, number >> _HALF
    c, d = (np.full(blocks, word, np.uint64) for word in counter[2:])
    first, second = (int(word) for word in key)
    for _ in range(ROUNDS):
        p, q = a * np.uint64(MULTIPLIERS[0]), c * np.uint64(MULTIPLIERS[1])
        a, c = (q >> _HALF) ^ b ^ np.uint64(first), (p >> _HALF) ^ d ^ np.uint64(second)
        b, d = q & _LOW, p & _LOW
        first, second = (first + WEYL[0]) & 0xFFFFFFFF, (second + WEYL[1]) & 0xFFFFFFFF
    return np.stack([a, b, c, d], axis=-1).astype(np.uint32)


def random_bits(key: Array, counter: Array, *, shape: tuple[int, ...], dtype: DType) -> Array:
    """Random uint32 or uint64; the layout is that of `nd.random_bits`."""
    words = prod(shape) * dtype.itemsize // 4
    stream = philox(key, counter, -(-words // 4)).ravel()[:words]
    if dtype.itemsize == 4:
        return stream.reshape(shape)
    pairs = stream.reshape(-1, 2).astype(np.uint64)
    return (pairs[:, 0] | pairs[:, 1] << _HALF).reshape(shape)


MEANING: dict[str, Callable[..., Any]] = {"random_bits": random_bits}
