"""A jitted call on arrays with a gradient: one node of the tape, whose backward is compiled too."""

# pyright: reportPrivateUsage=false
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

from lamina.autograd import vjp
from lamina.autograd_traced import silent
from lamina.errors import MutationError
from lamina.frontend import bind as primitives
from lamina.frontend import dtypes, tree
from lamina.frontend.array import Array, is_ndarray
from lamina.frontend.location import fail
from lamina.frontend.tree import Tree
from lamina.residuals import WayBack, apart
from lamina.tape import attach, is_grad_enabled
from lamina.tape_nodes import memory_of

Compile: TypeAlias = Callable[..., Any]
"""`jit`, with options=."""


def taped_call(jitted: Any, compile: Compile, leaves: Sequence[Any], structure: Tree) -> Any:
    """The compiled result of a `Jitted`, each array of it with a node that leads to the arguments.

    The compiled call also gives the forward values that its way back reads, by the rule of
    `transforms/residuals.py`; the backward function is compiled at the first `backward`. Raises
    `MutationError` where the function writes to its arguments with a gradient.
    """
    wanted = [
        number
        for number, leaf in enumerate(leaves)
        if isinstance(leaf, Array) and leaf.requires_grad
    ]
    plain = [leaf.detach() if isinstance(leaf, Array) else leaf for leaf in leaves]
    arrays = [leaf for leaf in leaves if isinstance(leaf, Array)]
    memories = [memory_of(array) for array in arrays]
    before = [memory.version for memory in memories]
    kept: list[Array] = []
    way: WayBack | None = None
    if jitted.donated or jitted._declared or jitted._eager or jitted._static:
        found, shape = tree.flatten(jitted(**tree.unflatten(structure, plain)))
    else:
        forward, ways = _forward(jitted, compile, structure, tuple(wanted))
        found, kept, number = forward(plain)
        way, shape = ways.found[int(number)]
    versions = zip(arrays, memories, before, strict=True)
    written = [array for array, memory, old in versions if memory.version != old]
    if any(array.requires_grad for array in written):
        fail(
            MutationError,
            "jit: expected a function that does not write to arguments with a gradient",
        )
    outputs = [
        i
        for i, x in enumerate(found)
        if isinstance(x, Array) and x.dtype in dtypes.FLOATS_OR_COMPLEX
    ]
    operands = [leaves[number] for number in wanted]
    types = [(found[i].shape, found[i].dtype) for i in outputs]
    name: str = getattr(jitted, "__name__", "function")
    leaves = [x.copy() if is_ndarray(x) else x for x in leaves]
    given = [] if way is None else [leaves[k] for k in way.leaves]

    def pullback(gs: list[Array | None]) -> Sequence[Array | None]:
        if way is None or is_grad_enabled():  # what is kept has no gradient of its own
            if written:
                fail(
                    MutationError,
                    f"backward: expected {name} to leave its arguments as they are, since its "
                    "values are computed again, found one that it writes",
                )
            seeds = _filled(gs, types)
            return _pullback(jitted, compile, structure, wanted, outputs)(list(leaves), seeds)
        return _way_back(jitted, compile, way)([*_filled(gs, types), *kept, *given], operands)

    attach(f"jit:{name}", operands, [found[i] for i in outputs], pullback, arrays)
    return tree.unflatten(shape, found)


class Ways:
    """By number: a way back, None if it computes all again, and the structure of the result. A
    trace adds one: not a list, whose change would be a side effect of the user's."""

    __slots__ = ("found",)

    def __init__(self) -> None:
        self.found: tuple[tuple[WayBack | None, Tree], ...] = ()

    def add(self, way: WayBack | None, shape: Tree) -> int:
        """The number of a new one."""
        self.found += ((way, shape),)
        return len(self.found) - 1


def _forward(
    jitted: Any, compile: Compile, structure: Tree, wanted: tuple[int, ...]
) -> tuple[Any, Ways]:
    """The compiled function from leaves to the leaves of the result, what the way back reads, and
    the number of that way."""
    key = structure, wanted
    if key in jitted.ways:
        return jitted.ways[key]
    ways = Ways()

    def forward(leaves: list[Any]) -> Any:
        shapes: list[Tree] = []

        def call(variables: list[Any]) -> list[Any]:
            given = list(leaves)
            for number, variable in zip(wanted, variables, strict=True):
                given[number] = variable
            found, shape = tree.flatten(jitted.traced_call(**tree.unflatten(structure, given)))
            shapes.append(shape)
            return found

        found, kept, way = apart(call, leaves, wanted)
        number = ways.add(way, shapes[0])
        return found, kept, primitives.constant(np.asarray(number))

    made = jitted.pullbacks[key] = compile(forward, options=jitted._options)
    jitted.ways[key] = made, ways
    return made, ways


def _way_back(jitted: Any, compile: Compile, way: WayBack) -> Any:
    """The compiled way back."""
    if id(way) not in jitted.pullbacks:

        def backward(values: list[Any], like: list[Any]) -> Any:
            return way.run(values, like)

        jitted.pullbacks[id(way)] = compile(backward, options=jitted._options)
    return jitted.pullbacks[id(way)]


def _filled(gs: Sequence[Array | None], types: Sequence[tuple[Any, Any]]) -> list[Array]:
    """Cotangents, zeros where there is none."""
    return [
        primitives.full(0, *type) if g is None else g for g, type in zip(gs, types, strict=True)
    ]


def _pullback(
    jitted: Any, compile: Compile, structure: Tree, wanted: Sequence[int], outputs: Sequence[int]
) -> Callable[..., Any]:
    """The compiled function from leaves and cotangents to the cotangents of the `wanted` leaves."""
    key = structure, tuple(wanted), tuple(outputs)
    if key in jitted.pullbacks:
        return jitted.pullbacks[key]

    def pull(leaves: list[Any], seeds: list[Any]) -> Any:
        def call(*variables: Any) -> Any:
            given = list(leaves)
            for number, variable in zip(wanted, variables, strict=True):
                given[number] = variable
            found = tree.flatten(jitted.traced_call(**tree.unflatten(structure, given)))[0]
            return [found[i] for i in outputs]

        with silent():
            return vjp(call, *(leaves[number] for number in wanted))[1](seeds)

    made = jitted.pullbacks[key] = compile(pull, options=jitted._options)
    return made
