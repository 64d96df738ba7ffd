"""The exception tree. Every error that a user can meet is a `LaminaError`.

A message says what was expected, what was found, where, and what to do. Subclasses also inherit
the built-in class that a NumPy user would catch.
"""

from __future__ import annotations

import re
from collections.abc import Iterable


class LaminaError(Exception):
    """Root of the tree.

    `str(error)` is the message followed by the place (`file:line`, the user's, or the IR's) when
    it is known. `place` may be filled in later by the layer that knows it.
    """

    def __init__(self, message: str, *, place: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.place = place
        self.lines: tuple[str, ...] = ()

    def name_lines(self, others: Iterable[str]) -> None:
        """Add a note with lines of the kernel that found the error, which it may come from too.

        `lines` has all of them, as `file:line`, the failing one first.
        """
        first = () if self.place is None else (self.place,)
        self.lines = tuple(dict.fromkeys((*first, *others)))
        rest = self.lines[len(first) :]
        if rest:
            self.add_note(f"found by a kernel that also computes {', '.join(rest)}")

    def __str__(self) -> str:
        return f"{self.message} ({self.place})" if self.place else self.message


class LaminaWarning(UserWarning):
    """A program does what it probably does not mean, for example a `print` that is traced."""


_PLACE = re.compile(r"\{u?\}")


def places(message: str) -> int:
    """How many values `message` has a `{}` for, or a `{u}`: of 64 bits, unsigned."""
    return len(_PLACE.findall(message))


def filled(message: str, values: Iterable[int]) -> str:
    """`message` with the values in their places."""
    rest = iter(values)

    def shown(place: re.Match[str]) -> str:
        value = next(rest)
        return str(value % 2**64 if place[0] == "{u}" else value)

    return _PLACE.sub(shown, message)


class ShapeError(LaminaError, ValueError):
    """Shapes do not fit.

    Wrong: `lm.ones((2, 3)) + lm.ones((4,))`. Right: make trailing sizes equal or 1.
    """


class DTypeError(LaminaError, TypeError):
    """An element type is not accepted here, or two have no common type.

    Wrong: `lm.sin(lm.asarray([1]))`. Right: `lm.sin(lm.asarray([1.0]))` or `x.astype(lm.float32)`.
    """


class AxisError(ShapeError, IndexError):
    """An axis is outside the array's dimensions, or is given twice.

    Wrong: `lm.sum(x, axis=2)` for a 2-d `x`. Right: an axis from `-x.ndim` to `x.ndim - 1`.
    """


class IndexRangeError(LaminaError, IndexError):
    """An integer index is out of range. Slices clamp, as in Python; integers do not."""


class DomainError(LaminaError, ValueError):
    """An operation has no value for these numbers, for example an int to a negative power."""


class DivisionError(DomainError, ZeroDivisionError):
    """A Python number is divided by zero. Arrays of floats have an infinity or NaN there."""


class NanError(LaminaError, ArithmeticError):
    """An operation made a NaN of numbers that are none, where `lm.debug.nans` looks for them.

    Wrong: `lm.log(x)` for an `x` below 0. Right: `lm.log(lm.maximum(x, tiny))`.
    """


class CheckError(LaminaError, AssertionError):
    """A condition of `lm.debug.check`, or of an `assert`, does not hold."""


class ArgumentError(LaminaError, TypeError):
    """A call's arguments do not fit the function: missing, unknown, or of a kind that is not
    accepted (objects, strings)."""


class ExchangeError(LaminaError, BufferError):
    """Memory cannot be shared with another library: wrong device, dtype, or read-only.

    Wrong: `lm.from_dlpack(tensor_on_a_gpu)`. Right: move it to the CPU there first.
    """


class GradientError(LaminaError, ValueError):
    """`gradcheck` found a derivative that differs from the one by differences."""


class TraceError(LaminaError, TypeError):
    """A traced function does what a trace cannot record.

    Wrong: `if x > 0:` on a traced array. Right: `lm.where`, `lm.cond`.
    """


class MutationError(LaminaError, ValueError):
    """A write to an array that is read-only, or to a value that may not change."""


class IRError(LaminaError, ValueError):
    """IR text or a module is malformed: parse errors, verifier errors, unknown ops or passes."""


class LoweringError(LaminaError, NotImplementedError):
    """A pass cannot lower this op; the message names the op, the reason and the place."""


class CompileError(LaminaError, RuntimeError):
    """Code generation failed for a reason that is not the program's."""


class OptionError(LaminaError, ValueError):
    """An option or environment variable has a value that is not accepted."""


class CacheError(LaminaError, OSError):
    """The cache folder cannot be used. Compilation goes on without it; only tools raise this."""


class ResourceError(LaminaError, MemoryError):
    """Memory for a result or temporary could not be had."""
