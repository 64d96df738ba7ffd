"""What the tape is made of: the nodes that operations leave, and what an array knows of them."""

# pyright: reportPrivateUsage=false
from __future__ import annotations

import itertools
import sys
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from importlib import import_module
from typing import Any, TypeAlias

import numpy as np

from lamina.errors import ArgumentError, MutationError
from lamina.frontend import bind as primitives
from lamina.frontend import dtypes
from lamina.frontend.array import Array, NDArray, wrap
from lamina.frontend.location import fail, user_place
from lamina.frontend.memory import MEMORIES, Memory, memory_root
from lamina.frontend.views import EAGER
from lamina.transforms.derivatives import RULES, Emitter, Node

Hook: TypeAlias = Callable[[Array], "Array | None"]
Pullback: TypeAlias = "Callable[[list[Array | None]], Sequence[Array | None]]"
"""The cotangents of the results -> those of the operands; None for zero."""

_ENABLED: ContextVar[bool] = ContextVar("lamina_grad_enabled", default=True)
_COUNTER = itertools.count()


def traced(name: str = "autograd_traced") -> Any:
    """A module of `lamina`, loaded unseen by the trace that runs: its guards are about what the
    user's code does."""
    hook = sys.getprofile()
    sys.setprofile(None)
    try:
        return import_module(f"lamina.{name}")
    finally:
        sys.setprofile(hook)


@contextmanager
def grad_enabled(value: bool) -> Generator[None]:
    """Whether operations inside are recorded."""
    token = _ENABLED.set(value)
    try:
        yield
    finally:
        _ENABLED.reset(token)


def is_grad_enabled() -> bool:
    """Whether operations are recorded now.

    >>> lm.is_grad_enabled()
    True
    """
    return _ENABLED.get()


class History:
    """What the arrays on one memory share: the node of all its elements, made by a write, and the
    version of the memory then. Nodes do not refer to it, so that they go with the last array."""

    __slots__ = ("node", "version")

    def __init__(self) -> None:
        self.node: GradNode | None = None
        self.version = -1


class Tape:
    """What autograd knows of one array: the node that made it (None for a leaf) and as which
    result, its gradient, its hooks, the version of its memory when it was made, and the history of
    that memory where it has views."""

    __slots__ = ("grad", "history", "hooks", "memory", "node", "output", "version")

    def __init__(self, array: Array, node: GradNode | None, output: int = 0) -> None:
        self.node = node
        self.output = output
        self.grad: Array | None = None
        self.hooks: list[Hook] = []
        self.history: History | None = None
        self.memory = memory_of(array)
        self.version = self.memory.version


def memory_of(array: Array) -> Memory:
    """The memory of `array`, whose writes are counted from now on."""
    root = memory_root(array._data)
    found = MEMORIES.get(id(root))
    if found is None:
        found = MEMORIES[id(root)] = Memory(root)
    return found


class GradNode:
    """One recorded operation. `name` is that of its `nd` op; `next_functions` the nodes of its
    operands, None for a leaf or an operand without a gradient."""

    def __init__(
        self,
        name: str,
        operands: Sequence[Array],
        results: Sequence[Array],
        params: dict[str, Any],
        pullback: Pullback | None = None,
    ) -> None:
        self.name = name
        self.number = next(_COUNTER)
        self.place = user_place()
        self.operands = [_snapshot(x) for x in operands]
        self.params = params
        self.results: list[NDArray] | None = [result._data for result in results]
        self.outputs = len(results)
        self.pullback = pullback
        self.memories: list[tuple[Memory, int]] = []

    @property
    def next_functions(self) -> tuple[GradNode | None, ...]:
        """The nodes that made the operands."""
        return tuple(x._tape.node if x._tape else None for x in self.operands)

    def watch(self, arrays: Sequence[Array]) -> None:
        """Remember which values the derivative reads."""
        memories = [memory_of(array) for array in arrays]
        self.memories = [(memory, memory.version) for memory in memories]

    def cotangents(self, gs: list[Array | None]) -> Sequence[Array | None]:
        """The cotangents of the operands, given those of the results; None for zero."""
        if self.results is None:
            fail(
                ArgumentError,
                f"backward: expected the values that {self.name} saved ({self.place}), found them "
                "freed by an earlier backward; pass retain_graph=True to that one",
            )
        if any(memory.version != version for memory, version in self.memories):
            fail(
                MutationError,
                f"backward: expected the values that {self.name} used ({self.place}), found them "
                "overwritten since; write to a copy",
            )
        if self.pullback is not None:
            return self.pullback(gs)
        (data,), (g,) = self.results, gs
        out = wrap(data)
        out._tape = Tape(out, self)
        node = Node(self.name, self.operands, (out,), self.params, self.params.get("starts", ()))
        return [
            None if operand._tape is None else RULES[self.name](_EMITTER, node, g, number)
            for number, operand in enumerate(self.operands)
        ]

    def free(self) -> None:
        """Forget what was saved."""
        self.pullback, self.results, self.memories = None, None, []

    def __repr__(self) -> str:
        return f"<{self.name} at {self.place}>"


def _snapshot(array: Array) -> Array:
    """An array with the memory and the tape that `array` has now: a write gives it another."""
    snapshot = wrap(array._data)
    tape: Tape | None = array._tape
    if tape is not None and tape.history is not None:
        alone = Tape(snapshot, tape.node, tape.output)
        alone.hooks, alone.version = tape.hooks, tape.version
        tape = alone
    snapshot._tape = tape
    return snapshot


class ArrayEmitter(Emitter[Array]):
    """Derivative rules on eager arrays."""

    def bind(self, name: str, *operands: Array, **params: Any) -> Array:
        if name in EAGER:
            return primitives.view(name, *operands, **params)
        return primitives.bind(name, *operands, **params)

    def shape(self, value: Array) -> tuple[int, ...]:
        return value.shape

    def is_float(self, value: Array) -> bool:
        return value.dtype in dtypes.FLOATS

    def is_complex(self, value: Array) -> bool:
        return value.dtype in dtypes.COMPLEX

    def bounds(self, value: Array) -> tuple[int, int]:
        return dtypes.RANGES[value.dtype]

    def scalar(self, number: float, like: Array) -> Array:
        return primitives.constant(np.asarray(number, like.dtype))

    def full(self, number: float, like: Array) -> Array:
        return primitives.full(number, like.shape, like.dtype)

    def broadcast(self, value: Array, dims: Sequence[int], like: Array) -> Array:
        return primitives.view("broadcast", value, dims=tuple(dims), shape=like.shape)

    def reshape(self, value: Array, shape: Sequence[int]) -> Array:
        return primitives.bind("reshape", value, shape=tuple(shape))

    def reshape_like(self, value: Array, like: Array) -> Array:
        return value if value.shape == like.shape else self.reshape(value, like.shape)

    def cast(self, value: Array, like: Array) -> Array:
        return primitives.cast(value, like.dtype)

    def dynamic_slice(self, value: Array, starts: Any, like: Array) -> Array:
        return primitives.bind("dynamic_slice", value, starts=starts, sizes=like.shape)

    def dynamic_update_slice(self, value: Array, update: Array, starts: Any) -> Array:
        return primitives.bind("dynamic_update_slice", value, update, starts=starts)

    def start(self, before: Sequence[Array], axis: int, number: int = 0) -> int:
        return number + sum(value.shape[axis] for value in before)


_EMITTER = ArrayEmitter()


def next_number() -> int:
    """A number above those of all nodes there are."""
    return next(_COUNTER)


Place: TypeAlias = "GradNode | Tape"


def place_of(array: Array) -> Place | None:
    """What a cotangent is kept for: the node that made an array, or the leaf itself."""
    tape: Tape | None = array._tape
    return None if tape is None else tape.node or tape
