"""The tape: what eager arrays with a gradient record, and `backward` through it.

Every operation on such an array leaves a `GradNode` at its result. `gradients` walks the nodes
back, newest first, and applies the derivative rules that the pass `differentiate` applies to IR.
"""

# pyright: reportPrivateUsage=false
from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from heapq import heappop, heappush
from typing import Any

from lamina.errors import ArgumentError, DTypeError, MutationError, ShapeError
from lamina.frontend import bind as primitives
from lamina.frontend import dtypes
from lamina.frontend.array import AUTOGRAD, Array, ArrayLike
from lamina.frontend.dispatch import CURRENT
from lamina.frontend.location import fail
from lamina.frontend.views import EAGER
from lamina.tape_nodes import (
    GradNode,
    Hook,
    Place,
    Pullback,
    Tape,
    grad_enabled,
    is_grad_enabled,
    next_number,
    place_of,
    traced,
)
from lamina.tape_writes import adopt, after_write, before_write, is_stale, refresh, share_history
from lamina.transforms.derivatives import RULES, first_read, reads_operands, reads_result


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


def record(name: str, operands: Sequence[Array], result: Array, params: dict[str, Any]) -> None:
    """Leave a node at `result`, unless no gradient goes through the operation."""
    if not is_grad_enabled() or result.dtype not in dtypes.FLOATS_OR_COMPLEX:
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
    if name in EAGER:
        share_history(operands[0], result)


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
        if operand._tape is not None and is_stale(operand._tape) and not refresh(operand):
            fail(
                MutationError,
                f"{name}: expected an array with a gradient as {operand._tape.node!r} made it, "
                "found its memory written since in a way that no gradient follows; write to a copy",
            )


class _Totals:
    """The cotangents that are known of leaves and of results of nodes, while a walk goes back."""

    def __init__(self) -> None:
        self.sums: dict[tuple[int, int], Array] = {}
        self.hooks: dict[tuple[int, int], dict[int, list[Hook]]] = {}

    def add(self, tape: Tape, g: Array) -> None:
        """One more part of the cotangent of an array."""
        key = (id(tape.node or tape), tape.output)
        known = self.sums.get(key)
        self.sums[key] = g if known is None else primitives.bind("add", known, g)
        self.hooks.setdefault(key, {})[id(tape.hooks)] = tape.hooks

    def take(self, place: Place, output: int = 0) -> Array | None:
        """The whole cotangent, as the hooks of the array leave it."""
        key = (id(place), output)
        g = self.sums.pop(key, None)
        for hooks in self.hooks.pop(key, {}).values():
            for hook in list(hooks):
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
    refresh(array)
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
    _refuse_stale("register_hook", [array])
    hooks: list[Hook] = array._tape.hooks
    hooks.append(hook)
    return lambda: hooks.remove(hook)


def _requires_grad(array: Array) -> bool:
    return array._tape is not None


def _grad(array: Array) -> Array | None:
    return array._tape.grad


def _grad_fn(array: Array) -> GradNode | None:
    refresh(array)
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
    before_write=before_write,
    after_write=after_write,
    adopt=adopt,
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
