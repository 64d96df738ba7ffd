"""The levels, and the passes of each named pipeline in order, with the reason for the order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lamina.options import CompileOptions

if TYPE_CHECKING:
    from lamina.target import Target

LEVELS: tuple[str, ...] = ("nd", "linalg", "buffer", "loop", "llvm")

STEPS: dict[str, tuple[str, ...]] = {
    "linalg": ("nd-optimize", "nd-to-linalg", "fuse-kernels"),
    "buffer": ("linalg-to-buffer",),
    "loop": ("buffer-to-loop",),
    "llvm": ("loop-to-llvm",),
}
"""The pipelines that lead to a level from the one above it."""


def pipelines(options: CompileOptions, target: Target) -> dict[str, tuple[str, ...]]:
    """The passes of each named pipeline, as text that `lamina-opt -p` takes."""
    fma = _flag(target.has_fma)
    found = {
        # 1. No gradients are taken from here on. The program as written is checked for NaN. Complex
        #    numbers are split: what follows knows real ones only.
        #    On whole-tensor ops patterns are few and see through everything. Dead ops and carries
        #    first, since they count as readers; sizes are checked for what is left; constants
        #    before patterns, which look for them; patterns before duplicates, since they make
        #    equal ops equal; products last, when transposes are one.
        "nd-optimize": (
            "inline-custom-vjp",
            *(("check-nans",) if options.nans else ()),
            "split-complex",
            "dce",
            "drop-carries",
            "check-sizes",
            "fold-constants",
            "canonicalize-nd",
            "cse",
            "absorb-transposes",
        ),
        # 2. From here on each op has an index space; in loops, one of a single point is none.
        "nd-to-linalg": ("nd-to-linalg", "scalarize-loops"),
        # 3. Moves and constants first, else they stand between ops that could be one; then ops of
        #    one space; then into reductions, whose readers decide whether a value is stored; then
        #    into readers that a reduction kept apart; then kernels, which need the final ops; then
        #    destinations, which are kernels' own; outlining last, since no pass looks into a call.
        "fuse-kernels": _FUSION[options.fusion],
        # 4. Buffers are planned when all of them are known.
        "linalg-to-buffer": ("bufferize", "plan-memory"),
        # 5. Loops, then polynomials: on vectors, whose width the loops have chosen.
        "buffer-to-loop": (f"kernels-to-loops{{{_tiles(target)}}}", f"expand-math{{fma={fma}}}"),
        # 6. Parallel bodies become functions while loops are still loops.
        "loop-to-llvm": (
            "outline-parallel",
            "insert-polls",
            f"expand-float-casts{{f16c={_flag(target.has_f16c)}}}",
            "convert-to-llvm",
        ),
    }
    found["native"] = tuple(name for steps in STEPS.values() for name in steps)
    return found


_FUSION: dict[int, tuple[str, ...]] = {
    0: ("reuse-donated", "outline-kernels"),
    1: (
        "simplify-generics",
        "fuse-elementwise",
        "inline-producers",
        "reuse-donated",
        "outline-kernels",
    ),
    2: (
        "simplify-generics",
        "fuse-elementwise",
        "fuse-reductions",
        "inline-producers",
        "form-kernels",
        "reuse-donated",
        "outline-kernels",
    ),
}


def _flag(value: bool) -> str:
    return "true" if value else "false"


def _tiles(target: Target) -> str:
    """The register tile of contractions: accumulators fill most of the vector registers, of which
    a vector of 64 bytes takes several. At most 8 rows: they are read in place, and rows that are a
    multiple of 4096 bytes apart share a set of the first cache, which holds 8 lines."""
    registers = target.vector_registers * target.vector_bits // 512  # of 64 bytes
    vectors = 4 if registers >= 32 else 1
    rows = max(1, (registers - vectors - 1) // vectors)
    return f"tile-rows={rows} tile-vectors={vectors} fma={_flag(target.has_fma)}"


def __getattr__(name: str) -> Any:
    """`PIPELINES`: those of the default options, for this machine."""
    if name != "PIPELINES":
        raise AttributeError(f"module 'lamina.pipeline' has no attribute {name!r}")
    from lamina.backend.host import target_for

    globals()[name] = pipelines(CompileOptions(), target_for("host"))
    return globals()[name]


PIPELINES: dict[str, tuple[str, ...]]
