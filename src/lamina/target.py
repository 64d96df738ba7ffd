"""The machine that code is made for: a value that passes read, filled by `backend/host.py`."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Target:
    """A CPU as the lowerings see it. Sizes are in bytes, `vector_bits` in bits.

    The defaults describe the x86-64-v3 level (AVX2 and FMA), so that a pass run on its own
    behaves the same on every machine.
    """

    cpu: str = "x86-64-v3"
    triple: str = "x86_64-unknown-linux-gnu"
    features: tuple[str, ...] = ("+avx", "+avx2", "+f16c", "+fma")
    vector_bits: int = 256
    vector_registers: int = 16
    l1: int = 32 * 1024
    l2: int = 512 * 1024
    l3: int = 16 * 1024 * 1024

    @property
    def has_fma(self) -> bool:
        """Whether `llvm.fma` is one instruction (without it, it is a slow library call)."""
        return "+fma" in self.features

    @property
    def has_f16c(self) -> bool:
        """Whether f16 conversions are instructions (else they are expanded to integer code)."""
        return "+f16c" in self.features
