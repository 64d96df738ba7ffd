"""The tape: what eager arrays with a gradient record, and `backward` through it.

Every operation on such an array leaves a `GradNode` at its result. `gradients` walks the nodes
back, newest first, and applies the derivative rules that the pass `differentiate` applies to IR.
"""

# pyright: reportPrivateUsage=false
from __future__ import annotations

import itertools
import sys
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from heapq import heappop, heappush
from importlib import import_module
from typing import Any, TypeAlias

import numpy as np

from lamina.errors import ArgumentError, DTypeError, MutationError, ShapeError
from lamina.frontend import bind as primitives
from lamina.frontend import dtypes
from lamina.frontend.array import AUTOGRAD, Array, ArrayLike, NDArray, wrap
from lamina.frontend.dispatch import CURRENT
from lamina.frontend.location import fail, user_place
from lamina.frontend.memory import MEMORIES, Memory, memory_root
from lamina.frontend.views import EAGER
from lamina.transforms.derivatives import (
    RULES,
    Emitter,
    Node,
    first_read,
    reads_operands,
    reads_result,
)

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


@contextmanager
def no_grad() -> Generator[None]:
    """Operations inside have a gradient of zero, eager and traced; eager ones are not recorded.

    >>> x = lm.asarray([1.0], requires_grad=True)
    >>> with lm.no_grad():
    ...     y = x * 2
    >>> y.requires_grad
    False
    """
    if CURRENT.get() is not None:
        with traced().stopping():
            yield
        return
    with grad_enabled(False):
        yield


def is_grad_enabled() -> bool:
    """Whether operations are recorded now.

    >>> lm.is_grad_enabled()
    True
    """
    return _ENABLED.get()


class Tape:
    """What autograd knows of one array: the node that made it (None for a leaf) and as which
    result, its gradient, its hooks, and the version of its memory when it was made."""

    __slots__ = ("grad", "hooks", "memory", "node", "output", "version")

    def __init__(self, array: Array, node: GradNode | None, output: int = 0) -> None:
        self.node = node
        self.output = output
        self.grad: Array | None = None
        self.hooks: list[Hook] = []
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
    snapshot._tape = array._tape
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


_EMITTER = ArrayEmitter()


def record(name: str, operands: Sequence[Array], result: Array, params: dict[str, Any]) -> None:
    """Leave a node at `result`, unless no gradient goes through the operation."""
    if not _ENABLED.get() or result.dtype not in dtypes.FLOATS:
        return
    if name not in RULES:
        fail(
            DTypeError,
            f"{name}: expected an operation that has a derivative, on an array with a gradient; "
            "use detach() for its values alone",
        )
    _refuse_stale(name, operands)
    node = GradNode(name, operands, [result], params)
    read = list(operands)[first_read(name) :] if reads_operands(name, params) else []
    node.watch([*read, result] if reads_result(name, params) else read)
    result._tape = Tape(result, node)


def attach(
    name: str,
    operands: Sequence[Array],
    results: Sequence[Array],
    pullback: Pullback,
    reads: Sequence[Array] = (),
) -> None:
    """Leave a node with a derivative of its own at `results`. reads: what the derivative reads."""
    _refuse_stale(name, operands)
    node = GradNode(name, operands, results, {}, pullback)
    node.watch(reads)
    for number, result in enumerate(results):
        result._tape = Tape(result, node, number)


def _refuse_stale(name: str, operands: Sequence[Array]) -> None:
    """A view whose memory was written through another array has values that its node never made."""
    for operand in operands:
        tape: Tape | None = operand._tape
        if tape is not None and tape.node is not None and tape.memory.version != tape.version:
            fail(
                MutationError,
                f"{name}: expected an array with a gradient as {tape.node!r} made it, found its "
                "memory written since through another array; write to a copy",
            )


def check_write(target: Array) -> None:
    """Refuse a write, before it is done, of which no gradient could be kept."""
    if not _ENABLED.get():
        return
    tape: Tape | None = target._tape
    if tape is not None and tape.node is None:
        fail(
            MutationError,
            "write: expected an array that is not a leaf of a gradient, found one with "
            "requires_grad; write under lm.no_grad(), or to a copy",
        )
    if not _is_own(target):
        fail(
            MutationError,
            "write: expected a whole array, found a view, of which no gradient can be kept; "
            "use lm.where or lm.concat, or lm.jit, where writes through views have gradients",
        )


def stored(target: Array, value: Array) -> None:
    """`value` was written over all of `target`: from now on it is what that array was made of."""
    if _ENABLED.get():
        target._tape = Tape(target, value._tape.node) if value._tape is not None else None


def _is_own(array: Array) -> bool:
    """Whether `array` covers all of its memory."""
    root = memory_root(array._data)
    return root.nbytes == array._data.nbytes


Place: TypeAlias = "GradNode | Tape"


def place_of(array: Array) -> Place | None:
    """What a cotangent is kept for: the node that made an array, or the leaf itself."""
    tape: Tape | None = array._tape
    return None if tape is None else tape.node or tape


class _Totals:
    """The cotangents that are known of leaves and of results of nodes, while a walk goes back."""

    def __init__(self) -> None:
        self.sums: dict[tuple[int, int], Array] = {}
        self.tapes: dict[tuple[int, int], dict[int, Tape]] = {}

    def add(self, tape: Tape, g: Array) -> None:
        """One more part of the cotangent of an array."""
        key = (id(tape.node or tape), tape.output)
        known = self.sums.get(key)
        self.sums[key] = g if known is None else primitives.bind("add", known, g)
        self.tapes.setdefault(key, {})[id(tape)] = tape

    def take(self, place: Place, output: int = 0) -> Array | None:
        """The whole cotangent, as the hooks of the array leave it."""
        key = (id(place), output)
        g = self.sums.pop(key, None)
        for tape in self.tapes.pop(key, {}).values():
            for hook in list(tape.hooks):
                assert g is not None
                changed = hook(g)
                g = g if changed is None else changed
        return g


def gradients(
    outputs: Sequence[Array],
    cotangents: Sequence[Array],
    inputs: Sequence[Array] | None,
    *,
    create_graph: bool,
    retain_graph: bool,
) -> list[Array | None]:
    """The cotangents of `inputs`; for inputs None those of all leaves are added to their `grad`."""
    wanted = None if inputs is None else {id(place_of(x)) for x in inputs}
    totals = _Totals()
    leaves: dict[int, Tape] = {}
    heap: list[tuple[int, GradNode]] = []
    seen: set[int] = set()

    def add(tape: Tape | None, g: Array | None) -> None:
        if tape is None or g is None:
            return
        totals.add(tape, g)
        place = tape.node or tape
        if isinstance(place, Tape):
            leaves[id(place)] = place
        elif id(place) not in seen:
            seen.add(id(place))
            heappush(heap, (-place.number, place))

    with grad_enabled(create_graph):
        for output, g in zip(outputs, cotangents, strict=True):
            add(output._tape, g)
        while heap:
            _, node = heappop(heap)
            if wanted is not None and id(node) in wanted:
                continue  # an input: what it was made of is not asked for
            parts = node.cotangents([totals.take(node, k) for k in range(node.outputs)])
            for operand, part in zip(node.operands, parts, strict=True):
                tape: Tape | None = operand._tape
                if part is None and tape is not None and tape.node is None:  # a leaf gets zeros
                    add(tape, primitives.full(0, operand.shape, operand.dtype))
                else:
                    add(tape, part)
            if not retain_graph:
                node.free()
        if inputs is not None:
            return [_taken(totals, x) for x in inputs]
        for leaf in leaves.values():
            total = totals.take(leaf)
            assert total is not None
            leaf.grad = total if leaf.grad is None else primitives.bind("add", leaf.grad, total)
        return []


def _taken(totals: _Totals, array: Array) -> Array | None:
    place = place_of(array)
    return None if place is None else totals.take(place, array._tape.output)


def boundary_of(outputs: Sequence[Array], variables: Sequence[Array], start: int) -> list[Array]:
    """What nodes from number `start` on read that is not theirs: arrays with a gradient besides
    the variables, on the way from the outputs."""
    own = {id(place_of(x)) for x in variables}
    found: dict[tuple[int, int], Array] = {}
    pending, seen = list(outputs), set[int]()
    while pending:
        array = pending.pop()
        place = place_of(array)
        if place is None or id(place) in own:
            continue
        if isinstance(place, Tape) or place.number < start:
            found[id(place), array._tape.output] = array
        elif id(place) not in seen:
            seen.add(id(place))
            pending += place.operands
    return list(found.values())


def next_number() -> int:
    """A number above those of all nodes there are."""
    return next(_COUNTER)


def backward(
    array: Array,
    grad: ArrayLike | None = None,
    *,
    retain_graph: bool | None = None,
    create_graph: bool = False,
) -> None:
    """`Array.backward`."""
    if array._tape is None:
        fail(ArgumentError, "backward: expected an array with a gradient, found one without")
    if grad is None:
        if array.size != 1:
            fail(
                ShapeError,
                f"backward: expected a gradient for an array of shape {array.shape}; "
                "only one element has the gradient 1",
            )
        seed = primitives.full(1, array.shape, array.dtype)
    else:
        seed = primitives.cast(primitives.as_array("backward", grad), array.dtype)
        if seed.shape != array.shape:
            fail(
                ShapeError,
                f"backward: expected a gradient of shape {array.shape}, found {seed.shape}",
            )
    retain = create_graph if retain_graph is None else retain_graph
    gradients([array], [seed], None, create_graph=create_graph, retain_graph=retain)


def require(array: Array, value: bool = True) -> None:
    """`Array.requires_grad = value`."""
    if not value:
        if array._tape is not None and array._tape.node is not None:
            fail(ArgumentError, "requires_grad: expected a leaf, found a result; use detach()")
        array._tape = None
        return
    if array.dtype not in dtypes.FLOATS:
        fail(DTypeError, f"requires_grad: expected a floating-point dtype, found {array.dtype}")
    if array._tape is None:
        array._tape = Tape(array, None)


def _set_grad(array: Array, value: Array | None) -> None:
    if array._tape is None:
        fail(ArgumentError, "grad: expected an array with requires_grad")
    if value is not None and (value.shape, value.dtype) != (array.shape, array.dtype):
        fail(
            ShapeError,
            f"grad: expected {array.dtype} of shape {array.shape}, found {value.dtype} of "
            f"{value.shape}",
        )
    array._tape.grad = value


def _register_hook(array: Array, hook: Hook) -> Callable[[], None]:
    if array._tape is None:
        fail(ArgumentError, "register_hook: expected an array with a gradient")
    hooks: list[Hook] = array._tape.hooks
    hooks.append(hook)
    return lambda: hooks.remove(hook)


def _requires_grad(array: Array) -> bool:
    return array._tape is not None


def _grad(array: Array) -> Array | None:
    return array._tape.grad


def _grad_fn(array: Array) -> GradNode | None:
    return array._tape.node


def _detach(array: Array) -> Array:
    return traced().stop(array)


AUTOGRAD.update(
    requires_grad=_requires_grad,
    set_requires_grad=require,
    grad=_grad,
    set_grad=_set_grad,
    grad_fn=_grad_fn,
    backward=backward,
    record=record,
    stored=stored,
    check_write=check_write,
    register_hook=_register_hook,
    detach=_detach,
    enabled=is_grad_enabled,
    set_enabled=grad_enabled,
)

__all__ = [
    "GradNode",
    "Tape",
    "attach",
    "boundary_of",
    "grad_enabled",
    "gradients",
    "is_grad_enabled",
    "next_number",
    "no_grad",
    "place_of",
]
