"""The levels, and the passes of each named pipeline."""

from __future__ import annotations

LEVELS: tuple[str, ...] = ("nd", "linalg", "buffer", "loop", "llvm")

PIPELINES: dict[str, tuple[str, ...]] = {}
