"""What derivative rules are written in: operations on values of any kind.

A rule says once what the derivative of an `nd` op is. The pass `differentiate` applies it to SSA
values, the tape of eager arrays to arrays: each gives the rules an `Emitter` of its own.
"""

from __future__ import annotations

import abc
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeAlias, TypeVar

V = TypeVar("V")


@dataclass(frozen=True)
class Node(Generic[V]):
    """One op of the program that is differentiated: its name without "nd.", tensor operands,
    results, properties as `NdOp.params` gives them, and run-time starts, if it has any."""

    name: str
    operands: Sequence[V]
    results: Sequence[V]
    params: dict[str, Any]
    starts: Any = ()

    @property
    def x(self) -> V:
        """The first operand."""
        return self.operands[0]

    @property
    def y(self) -> V:
        """The second operand."""
        return self.operands[1]

    @property
    def out(self) -> V:
        """The first result."""
        return self.results[0]


class Emitter(abc.ABC, Generic[V]):
    """Makes values. Shapes hold a negative number for a size that is known at run time only."""

    @abc.abstractmethod
    def bind(self, name: str, *operands: V, **params: Any) -> V:
        """The `nd` op `name`, for ops whose result type follows from operands and params."""

    @abc.abstractmethod
    def shape(self, value: V) -> tuple[int, ...]:
        """The shape."""

    @abc.abstractmethod
    def is_float(self, value: V) -> bool:
        """Whether the elements are real floating-point numbers."""

    @abc.abstractmethod
    def is_complex(self, value: V) -> bool:
        """Whether the elements are complex numbers."""

    @abc.abstractmethod
    def bounds(self, value: V) -> tuple[int, int]:
        """The least and the largest number of the integer element type."""

    @abc.abstractmethod
    def full(self, number: float, like: V) -> V:
        """`number` everywhere, in the type of `like`."""

    @abc.abstractmethod
    def scalar(self, number: float, like: V) -> V:
        """A 0-d `number` in the element type of `like`."""

    @abc.abstractmethod
    def broadcast(self, value: V, dims: Sequence[int], like: V) -> V:
        """`nd.broadcast` to the shape of `like`: axis i of `value` becomes `dims[i]`."""

    @abc.abstractmethod
    def reshape(self, value: V, shape: Sequence[int]) -> V:
        """`nd.reshape` to static sizes."""

    @abc.abstractmethod
    def reshape_like(self, value: V, like: V) -> V:
        """`nd.reshape` to the shape of `like`."""

    @abc.abstractmethod
    def cast(self, value: V, like: V) -> V:
        """`value` in the element type of `like`."""

    @abc.abstractmethod
    def dynamic_slice(self, value: V, starts: Any, like: V) -> V:
        """The window of the shape of `like` at the run-time `starts`."""

    @abc.abstractmethod
    def dynamic_update_slice(self, value: V, update: V, starts: Any) -> V:
        """`value` with the window at the run-time `starts` replaced."""

    @abc.abstractmethod
    def start(self, before: Sequence[V], axis: int, number: int = 0) -> Any:
        """A start of a window along `axis`: `number` behind the sizes of `before`."""

    # What follows is made of the above.

    def operand(self, value: V | float, like: V) -> V:
        """A number as a value of the type of `like`."""
        return self.full(value, like) if isinstance(value, (int, float)) else value

    def add(self, x: V, y: V | float) -> V:
        """x + y."""
        return self.bind("add", x, self.operand(y, x))

    def sub(self, x: V | float, y: V) -> V:
        """x - y."""
        return self.bind("subtract", self.operand(x, y), y)

    def mul(self, x: V, y: V | float) -> V:
        """x * y."""
        return self.bind("multiply", x, self.operand(y, x))

    def div(self, x: V, y: V) -> V:
        """x / y."""
        return self.bind("divide", x, y)

    def neg(self, x: V) -> V:
        """-x."""
        return self.bind("negative", x)

    def equal(self, x: V, y: V | float) -> V:
        """x == y, of i1."""
        return self.bind("equal", x, self.operand(y, x))

    def select(self, condition: V, x: V | float, y: V | float, like: V) -> V:
        """Where `condition` x, else y."""
        return self.bind("select", condition, self.operand(x, like), self.operand(y, like))

    def total(self, value: V, axes: Sequence[int]) -> V:
        """The sum over `axes`."""
        return self.bind("reduce", value, kind="sum", axes=tuple(axes)) if axes else value

    def expand(self, value: V, axes: Sequence[int], like: V) -> V:
        """A reduction's result, spread over the reduced `axes` of `like`."""
        dims = [axis for axis in range(len(self.shape(like))) if axis not in axes]
        return self.broadcast(value, dims, like)

    def transpose(self, value: V, permutation: Sequence[int]) -> V:
        """Axis i of the result is axis `permutation[i]`."""
        order = tuple(permutation)
        if order == tuple(range(len(order))):
            return value
        return self.bind("transpose", value, permutation=order)

    def slice(
        self,
        value: V,
        starts: Sequence[int],
        limits: Sequence[int],
        strides: Sequence[int] | None = None,
    ) -> V:
        """`nd.slice`."""
        steps = tuple(strides or [1] * len(starts))
        return self.bind("slice", value, starts=tuple(starts), limits=tuple(limits), strides=steps)

    def pad(self, value: V, low: Sequence[int], high: Sequence[int], number: float = 0.0) -> V:
        """`number` around `value`; a negative edge cuts."""
        shape = self.shape(value)
        if any(edge < 0 for edge in (*low, *high)):
            starts = [max(0, -edge) for edge in low]
            limits = [size + min(0, edge) for size, edge in zip(shape, high, strict=True)]
            value = self.slice(value, starts, limits)
            low, high = ([max(0, edge) for edge in edges] for edges in (low, high))
        if not any((*low, *high)):
            return value
        fill = self.scalar(number, value)
        return self.bind("pad", value, fill, low=tuple(low), high=tuple(high))

    def spread(self, value: V, strides: Sequence[int]) -> V:
        """`strides[i] - 1` zeros after each place of axis i."""
        for axis, stride in enumerate(strides):
            if stride == 1:
                continue
            shape = list(self.shape(value))
            rows = self.reshape(value, [*shape[: axis + 1], 1, *shape[axis + 1 :]])
            high = [0] * (len(shape) + 1)
            high[axis + 1] = stride - 1
            shape[axis] *= stride
            value = self.reshape(self.pad(rows, [0] * len(high), high), shape)
        return value


Rule: TypeAlias = Callable[[Emitter[Any], Node[Any], Any, int], Any]
"""(emitter, node, cotangent of the result, operand) -> the cotangent of that operand, or None where
it is zero whatever the values are."""
