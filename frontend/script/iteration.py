"""What a `for` goes over: ranges, rows of arrays, zip, enumerate and reversed, by number."""

# pyright: reportPrivateUsage=false
from __future__ import annotations

import builtins
from collections.abc import Iterator, Sequence
from typing import Any
from typing import cast as typed

from lamina.errors import ArgumentError, TraceError
from lamina.frontend import dtypes
from lamina.frontend.array import Array
from lamina.frontend.bind import cast, size_array
from lamina.frontend.dims import is_size, lower, upper
from lamina.frontend.dispatch import CURRENT, FUNCTIONS
from lamina.frontend.location import fail
from lamina.frontend.runtime_scalar import RuntimeScalar, bounds_of, plain, weak
from lamina.frontend.script.values import load, open_sources
from lamina.frontend.traced import TracedArray, WeakScalar


class Steps:
    """Something with `count` elements, a number that may be known in a run only."""

    count: Any = 0

    def item(self, number: Any) -> Any:
        """Element `number`."""
        raise NotImplementedError

    def __iter__(self) -> Iterator[Any]:
        if not isinstance(self.count, int):
            fail(
                TraceError,
                "iteration: expected a number of elements that is known when the code is "
                "compiled, found one that a run computes; use a for statement, or mark the "
                "argument as static",
            )
        return (self.item(number) for number in builtins.range(self.count))

    def __len__(self) -> int:
        if not isinstance(self.count, int):
            return self.count.number()
        return self.count


class Range(Steps):
    """`range(start, stop, step)`."""

    def __init__(self, start: Any, stop: Any, step: Any) -> None:
        self.start, self.stop, self.step = start, stop, step
        if all(isinstance(x, int) for x in (start, stop, step)):
            self.count = len(builtins.range(start, stop, step))
        elif _is(step, 1) and _is(start, 0):
            self.count = stop
        else:
            self.count = -((start - stop) // step)

    def item(self, number: Any) -> Any:
        if _is(self.start, 0) and _is(self.step, 1):
            return number
        return self.start + number * self.step

    def __contains__(self, value: Any) -> bool:
        return value in builtins.range(self.start, self.stop, self.step)


def _is(value: Any, number: int) -> bool:
    """Whether a value is this int, known now."""
    return isinstance(value, int) and value == number


class Rows(Steps):
    """The elements of an array along its first axis."""

    def __init__(self, array: Array) -> None:
        self.array = array
        size: Any = array.shape[0] if array.ndim else len(array)
        self.count = _bound(size) if is_size(size) else size

    def item(self, number: Any) -> Any:
        return self.array[number]


class Zip(Steps):
    """`zip`, of equally long parts where strict."""

    def __init__(self, parts: Sequence[Steps]) -> None:
        self.parts = parts
        self.count = parts[0].count
        for part in parts[1:]:
            self.count = least(self.count, part.count)

    def item(self, number: Any) -> Any:
        return tuple(part.item(number) for part in self.parts)


class Enumerate(Steps):
    """`enumerate`."""

    def __init__(self, part: Steps, start: Any) -> None:
        self.part, self.start, self.count = part, start, part.count

    def item(self, number: Any) -> Any:
        return self.start + number, self.part.item(number)


class Reversed(Steps):
    """`reversed`."""

    def __init__(self, part: Steps) -> None:
        self.part, self.count = part, part.count

    def item(self, number: Any) -> Any:
        return self.part.item(self.count - 1 - number)


class Part(Steps):
    """The steps of known numbers from `first` up to `last`."""

    def __init__(self, steps: Steps, first: int, last: int) -> None:
        self.steps, self.first = steps, first
        self.count = max(0, min(last, steps.count) - first)

    def item(self, number: Any) -> Any:
        return self.steps.item(number + self.first)


def least(x: Any, y: Any) -> Any:
    """The smaller of two numbers."""
    if isinstance(x, int) and isinstance(y, int):
        return min(x, y)
    return weak(FUNCTIONS["minimum"](plain(x), plain(y)))


def steps_of(value: Any) -> Steps | None:
    """The steps of what a `for` goes over; None for what only Python can iterate over."""
    if isinstance(value, Steps):
        return value
    if isinstance(value, builtins.range):
        return Range(value.start, value.stop, value.step)
    return Rows(value) if isinstance(value, Array) else None


def iterated(value: Any) -> Any:
    """What a comprehension goes over."""
    kind = typed(Any, type(value))
    return map(load, value) if kind in (list, tuple) else value


def range_(*bounds: Any) -> Any:
    """`range`; its bounds may be numbers of a run."""
    found = [_bound(value) for value in bounds]
    if len(found) not in (1, 2, 3) or all(isinstance(x, int) for x in found):
        return builtins.range(*found)
    start, stop, step = (0, *found, 1) if len(found) == 1 else (*found, 1)[:3]
    if isinstance(step, int) and step == 0:
        raise ValueError("range() arg 3 must not be zero")
    return Range(start, stop, step)


def _bound(value: Any) -> Any:
    """A bound as an int, or as a number of a run."""
    if is_size(value):
        return weak(size_array(value), lower(value), upper(value))
    if isinstance(value, RuntimeScalar):
        if value.kind is float:
            raise TypeError("'float' object cannot be interpreted as an integer")
        return weak(plain(value, number=True), *(bounds_of(value) or (None, None)))
    if isinstance(value, WeakScalar):
        if value.kind is int and CURRENT.get() is not None and open_sources(value):
            return weak(plain(value))
        return value.__index__()
    if isinstance(value, TracedArray):
        if value.ndim or value.dtype not in dtypes.INTEGERS:  # as `Array.__index__`
            fail(
                ArgumentError,
                f"index: expected a 0-d integer array, found {value.dtype} of shape {value.shape}",
            )
        return weak(cast(value, dtypes.int64))
    return value.__index__() if hasattr(value, "__index__") else value


def zip_(*parts: Any, strict: bool = False) -> Any:
    """`zip`."""
    found = [steps_of(part) for part in parts]
    listed = [part for part in found if part is not None]
    if len(listed) < len(found) or not listed:
        return builtins.zip(*parts, strict=strict)
    counts = [part.count for part in listed]
    if strict and not all(isinstance(count, int) and count == counts[0] for count in counts):
        fail(ArgumentError, f"zip: expected parts of one length, found {counts}")
    return Zip(listed)


def enumerate_(iterable: Any, start: Any = 0) -> Any:
    """`enumerate`."""
    part = steps_of(iterable)
    return builtins.enumerate(iterable, start) if part is None else Enumerate(part, start)


def reversed_(sequence: Any) -> Any:
    """`reversed`."""
    part = steps_of(sequence)
    return builtins.reversed(sequence) if part is None else Reversed(part)
