"""Math functions expanded by our pass, compiled natively, and the error of what they give."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from loop_native import Program

from lamina.ir_text import parse_module, print_module
from lamina.lowering.expand_math import ExpandMathPass
from lamina.registry import make_context

Array = npt.NDArray[Any]
FLOATS = {32: np.dtype(np.float32), 64: np.dtype(np.float64)}
BINARY = ("atan2", "powf")


def kernel_text(name: str, bits: int, lanes: int | None) -> str:
    """A kernel `@k_name` that applies `math.name` to arrays whose size `lanes` divides."""
    element = f"f{bits}"
    vector = element if lanes is None else f"vector<{lanes}x{element}>"
    inputs = ("a", "b") if name in BINARY else ("a",)
    memref = f"memref<?x{element}>"
    if lanes is None:
        loads = [f"    %v{i} = memref.load %{i}[%i] : {memref}" for i in inputs]
        store = f"    memref.store %r, %out[%i] : {memref}"
    else:
        loads = [f"    %v{i} = vector.load %{i}[%i] : {memref}, {vector}" for i in inputs]
        store = f"    vector.store %r, %out[%i] : {memref}, {vector}"
    return "\n".join(
        [
            f"func.func private @k_{name}("
            + ", ".join(f"%{i}: {memref}" for i in (*inputs, "out"))
            + ") {",
            "  %zero = arith.constant 0 : index",
            f"  %n = memref.dim %a, %zero : {memref}",
            f"  %step = arith.constant {lanes or 1} : index",
            "  scf.for %i = %zero to %n step %step {",
            *loads,
            f"    %r = math.{name} " + ", ".join(f"%v{i}" for i in inputs) + f" : {vector}",
            store,
            "  }",
            "  func.return",
            "}",
        ]
    )


class Function:
    """The expansion of `math.name` on arrays, `lanes` elements at a time (None: scalars)."""

    def __init__(self, name: str, bits: int, lanes: int | None, *, fma: bool) -> None:
        context = make_context()
        module = parse_module(context, kernel_text(name, bits, lanes))
        ExpandMathPass(fma=fma).apply(context, module)
        self.symbol, self.dtype, self.lanes = f"k_{name}", FLOATS[bits], lanes or 1
        self.program = Program(print_module(module))

    def __call__(self, *arrays: Array) -> Array:
        size = arrays[0].size
        padded = -(-size // self.lanes) * self.lanes
        inputs = [np.resize(np.asarray(x, self.dtype), padded) for x in arrays]
        out = np.empty(padded, self.dtype)
        status = self.program(self.symbol, *inputs, out, sizes=[padded] * (len(inputs) + 1))
        assert status == 0
        return out[:size]


def ulp_errors(found: Array, exact: Array) -> Array:
    """|found - exact| in units of the last place of `exact`, which has more digits than `found`.

    Infinite where a NaN, an infinity or the sign of a zero is wrong; a result that overflows counts
    as an infinity.
    """
    info = np.finfo(found.dtype)
    with np.errstate(all="ignore"):
        rounded = exact.astype(found.dtype)
        _, exponent = np.frexp(np.abs(exact))
        place = np.maximum(exponent - 1, info.minexp) - info.nmant
        errors = np.abs(found.astype(exact.dtype) - exact) / np.ldexp(np.ones_like(exact), place)
    ordinary = np.isfinite(exact) & np.isfinite(rounded) & np.isfinite(found)
    equal = (np.isnan(found) & np.isnan(exact)) | (found == rounded)
    errors = np.where(ordinary, errors, np.where(equal, 0.0, np.inf))
    signs = (found == 0) & (rounded == 0) & (np.signbit(found) != np.signbit(exact))
    return np.where(signs, np.inf, errors)
