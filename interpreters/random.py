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
    """Words (*batch, blocks, 4) of uint32, for keys (*batch, 2) and counters (*batch, 4): block j
    is for the counter plus j."""
    words = counter.astype(np.uint64)[..., None, :]
    start = words[..., 0] | words[..., 1] << _HALF
    number = np.arange(blocks, dtype=np.uint64) + start
    a, b = number & _LOW, number >> _HALF
    c, d = (np.broadcast_to(words[..., k], a.shape) for k in (2, 3))
    first, second = (key.astype(np.uint64)[..., None, k] for k in (0, 1))
    for _ in range(ROUNDS):
        p, q = a * np.uint64(MULTIPLIERS[0]), c * np.uint64(MULTIPLIERS[1])
        a, c = (q >> _HALF) ^ b ^ first, (p >> _HALF) ^ d ^ second
        b, d = q & _LOW, p & _LOW
        first, second = (first + np.uint64(WEYL[0])) & _LOW, (second + np.uint64(WEYL[1])) & _LOW
    return np.stack([a, b, c, d], axis=-1).astype(np.uint32)


def random_bits(key: Array, counter: Array, *, shape: tuple[int, ...], dtype: DType) -> Array:
    """Random uint32 or uint64; the layout is that of `nd.random_bits`."""
    batch = key.shape[:-1]
    words = prod(shape[len(batch) :]) * dtype.itemsize // 4
    streams = philox(key, counter, -(-words // 4)).reshape(*batch, -(-words // 4) * 4)[..., :words]
    if dtype.itemsize == 4:
        return streams.reshape(shape)
    pairs = streams.reshape(*batch, words // 2, 2).astype(np.uint64)
    return (pairs[..., 0] | pairs[..., 1] << _HALF).reshape(shape)


MEANING: dict[str, Callable[..., Any]] = {"random_bits": random_bits}
