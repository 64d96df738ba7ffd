"""A jitted call on arrays with a gradient: one node of the tape, whose backward is compiled too."""

# pyright: reportPrivateUsage=false
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from lamina.autograd import vjp
from lamina.autograd_traced import silent
from lamina.errors import MutationError
from lamina.frontend import bind as primitives
from lamina.frontend import dtypes, tree
from lamina.frontend.array import Array
from lamina.frontend.location import fail
from lamina.frontend.tree import Tree
from lamina.tape import attach

Compile: TypeAlias = Callable[..., Any]
"""`jit`, with options=."""


def taped_call(jitted: Any, compile: Compile, leaves: Sequence[Any], structure: Tree) -> Any:
    """The compiled result of a `Jitted`, each array of it with a node that leads to the arguments.

    The backward function is compiled at the first `backward`, and computes again what it needs of
    the forward values. Raises `MutationError` where the function writes to its arguments.
    """
    wanted = [
        number
        for number, leaf in enumerate(leaves)
        if isinstance(leaf, Array) and leaf.requires_grad
    ]
    plain = [leaf.detach() if isinstance(leaf, Array) else leaf for leaf in leaves]
    before = [memory_version(leaves[number]) for number in wanted]
    result = jitted(**tree.unflatten(structure, plain))
    if before != [memory_version(leaves[number]) for number in wanted]:
        fail(
            MutationError,
            "jit: expected a function that does not write to arguments with a gradient",
        )
    found, shape = tree.flatten(result)
    outputs = [
        i
        for i, x in enumerate(found)
        if isinstance(x, Array) and x.dtype in dtypes.FLOATS_OR_COMPLEX
    ]
    back = _pullback(jitted, compile, structure, wanted, outputs)
    operands = [leaves[number] for number in wanted]
    name: str = getattr(jitted, "__name__", "function")

    def pullback(gs: list[Array | None]) -> Sequence[Array | None]:
        return back(leaves, [_filled(g, found[i]) for g, i in zip(gs, outputs, strict=True)])

    arrays = [leaf for leaf in leaves if isinstance(leaf, Array)]
    attach(f"jit:{name}", operands, [found[i] for i in outputs], pullback, arrays)
    return tree.unflatten(shape, found)


def _filled(g: Array | None, like: Array) -> Array:
    """A cotangent, zeros where there is none."""
    return primitives.full(0, like.shape, like.dtype) if g is None else g


def memory_version(array: Array) -> int:
    """How often the memory of an array with a gradient was written."""
    return array._tape.memory.version


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
