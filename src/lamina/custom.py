"""Derivatives that a user decides: `custom_vjp`, a function's own pullback, and `checkpoint`, whose
forward values are computed again instead of stored. Eager, traced and compiled."""

# pyright: reportPrivateUsage=false
from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from lamina.autograd import variable_of
from lamina.errors import ArgumentError, DTypeError, MutationError, ShapeError
from lamina.frontend import bind as primitives
from lamina.frontend import dtypes, tree
from lamina.frontend.array import Array, is_array, is_ndarray
from lamina.frontend.bind import is_weak
from lamina.frontend.dispatch import CURRENT
from lamina.frontend.location import fail
from lamina.frontend.tree import Tree
from lamina.tape import (
    attach,
    boundary_of,
    grad_enabled,
    gradients,
    is_grad_enabled,
    next_number,
    traced,
)

Function: TypeAlias = Callable[..., Any]


class custom_vjp:
    """f with a pullback of its own: decorate it, then give `defvjp(fwd, bwd)`.

    fwd(*args) gives a pair: what f gives, and residuals, any tree. bwd(residuals, cotangent) gives
    a tuple with a cotangent for each argument, a tree like it, or None for zero; the cotangent it
    gets is a tree like f's result (zeros for what is not floating-point). The arguments whose
    numbers are in `nondiff_argnums` have none; they come first in bwd(*nondiff, residuals,
    cotangent). Higher orders differentiate fwd's residuals and bwd. Where no gradient is taken, f
    itself runs.

    Raises `ArgumentError` for a call without `defvjp`, a fwd that gives no pair and cotangents of
    another structure; `ShapeError` and `DTypeError` for cotangents unlike their argument.

    >>> @lm.custom_vjp
    ... def clipped(x):  # the gradient is clipped, not the value
    ...     return x * 1
    >>> clipped.defvjp(lambda x: (x * 1, None), lambda _, g: (lm.clip(g, -1.0, 1.0),))
    >>> lm.grad(lambda x: lm.sum(clipped(x) ** 2))(lm.asarray([0.25, 3.0]))
    Array([0.5, 1. ])
    """

    def __init__(self, f: Function, *, nondiff_argnums: Sequence[int] = ()) -> None:
        if not callable(f):
            fail(ArgumentError, f"custom_vjp: expected a function, found {type(f).__name__}")
        functools.update_wrapper(self, f)
        self.function = f
        self.name: str = getattr(f, "__name__", type(f).__name__)
        self.nondiff = frozenset(nondiff_argnums)
        self.forward: Function | None = None
        self.backward: Function | None = None

    def defvjp(self, fwd: Function, bwd: Function) -> None:
        """Set the forward and the backward function."""
        for what, function in (("fwd", fwd), ("bwd", bwd)):
            if not callable(function):
                found = type(function).__name__
                fail(ArgumentError, f"custom_vjp: expected {what} to be a function, found {found}")
        self.forward, self.backward = fwd, bwd

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self if instance is None else functools.partial(self, instance)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self.forward is None:
            fail(ArgumentError, f"custom_vjp: expected {self.name}.defvjp(fwd, bwd) before a call")
        args = self._positional(args, kwargs)
        leaves, structure = tree.flatten([x for k, x in enumerate(args) if k not in self.nondiff])
        if CURRENT.get() is not None:
            wanted = [k for k, leaf in enumerate(leaves) if _is_float(leaf)]
            if not wanted or not traced().pulling():
                return self.function(*args)
        else:
            wanted = [
                k for k, leaf in enumerate(leaves) if isinstance(leaf, Array) and leaf.requires_grad
            ]
            if not wanted or not is_grad_enabled():
                return self.function(*args)
        return self._recorded(args, leaves, structure, wanted)

    def _positional(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
        if not kwargs:
            return args
        try:
            bound = inspect.signature(self.function).bind(*args, **kwargs)
        except TypeError as error:
            fail(ArgumentError, f"{self.name}: {error}")
        bound.apply_defaults()
        if bound.kwargs:
            names = ", ".join(bound.kwargs)
            fail(ArgumentError, f"custom_vjp: expected no keyword-only arguments, found {names}")
        return bound.args

    def _recorded(
        self, args: tuple[Any, ...], leaves: list[Any], structure: Tree, wanted: list[int]
    ) -> Any:
        """What fwd gives, with bwd as its derivative."""
        assert self.forward is not None
        pair: Any = self.forward(*args)
        if not isinstance(pair, tuple) or len(pair) != 2:  # pyright: ignore[reportUnknownArgumentType]
            what = type(pair).__name__  # pyright: ignore[reportUnknownArgumentType]
            fail(
                ArgumentError,
                f"custom_vjp: expected fwd of {self.name} to give (result, residuals), found "
                f"{what}",
            )
        result, residuals = pair  # pyright: ignore[reportUnknownVariableType]
        found, shape = tree.flatten(result)
        found = [primitives.as_array(self.name, x) if is_weak(x) else x for x in found]
        floats = [k for k, x in enumerate(found) if _is_float(x)]
        arrays = [primitives.as_array(self.name, found[k]) for k in floats]
        types = [(x.shape, x.dtype) if is_array(x) else None for x in found]
        likes = [primitives.as_array(self.name, leaf) if k in wanted else leaf
                 for k, leaf in enumerate(leaves)]  # fmt: skip
        inputs = [likes[k] for k in wanted]
        nondiff = [x for k, x in enumerate(args) if k in self.nondiff]
        backward, name, kinds = self.backward, self.name, _types_of(likes)
        assert backward is not None

        def back(gs: Sequence[Array | None]) -> list[Array | None]:
            given = dict(zip(floats, gs, strict=True))
            filled = [
                g if (g := given.get(k)) is not None else type and primitives.full(0, *type)
                for k, type in enumerate(types)
            ]
            cotangents = backward(*nondiff, residuals, tree.unflatten(shape, filled))
            checked = _checked(name, cotangents, kinds, structure)
            return [checked[k] for k in wanted]

        if CURRENT.get() is not None:
            made: Sequence[Array] = traced().with_vjp(name, arrays, inputs, back)
        else:
            made = [x.detach() for x in arrays]
            reads = [x for x in tree.flatten(residuals)[0] if isinstance(x, Array)]
            attach(f"custom_vjp:{name}", inputs, made, back, reads)
        for k, x in zip(floats, made, strict=True):
            found[k] = x
        return tree.unflatten(shape, found)


def _is_float(value: Any) -> bool:
    return (is_array(value) or is_ndarray(value)) and value.dtype in dtypes.FLOATS_OR_COMPLEX


Type: TypeAlias = "tuple[tuple[int, ...], Any] | None"


def _types_of(leaves: Sequence[Any]) -> list[Type]:
    """Shape and dtype of the leaves that have a cotangent."""
    return [(tuple(x.shape), x.dtype) if _is_float(x) else None for x in leaves]


def _checked(name: str, found: Any, types: Sequence[Type], structure: Tree) -> list[Array | None]:
    """What bwd gave, a leaf for each leaf of the arguments."""
    count = len(structure.children)
    if not isinstance(found, (tuple, list)) or len(found) != count:  # pyright: ignore[reportUnknownArgumentType]
        size = f" of {len(found)}" if isinstance(found, (tuple, list)) else ""  # pyright: ignore[reportUnknownArgumentType]
        fail(
            ArgumentError,
            f"custom_vjp: expected bwd of {name} to give a tuple of {count} cotangents, one for "
            f"each argument that has one, found {type(found).__name__}{size}",  # pyright: ignore[reportUnknownArgumentType]
        )
    parts: list[Array | None] = []
    for number, (part, child) in enumerate(zip(found, structure.children, strict=True)):  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
        if part is None:
            parts += [None] * child.leaves
            continue
        leaves, other = tree.flatten(part)
        if other != child:
            fail(
                ArgumentError,
                f"custom_vjp: expected bwd of {name} to give cotangent {number} of the structure "
                "of its argument, found another",
            )
        for leaf in leaves:
            parts.append(_fitting(name, number, leaf, types[len(parts)]))
    return parts


def _fitting(name: str, number: int, leaf: Any, type: Type) -> Array | None:
    """A cotangent as an array of its argument's shape and dtype."""
    if type is None:
        return None
    shape, dtype = type
    what = f"custom_vjp: expected bwd of {name} to give cotangent {number} of"
    array = primitives.as_array("custom_vjp", leaf, dtype if is_weak(leaf) else None)
    if array.shape != shape:
        fail(ShapeError, f"{what} shape {shape}, found {array.shape}")
    if array.dtype != dtype:
        fail(DTypeError, f"{what} dtype {dtype}, found {array.dtype}")
    return array


def checkpoint(f: Function, *, every: int | None = None) -> Function:
    """f, whose values are computed again when the gradient needs them, instead of stored.

    every: f is not computed again as a whole; instead the loops in it (`lm.scan`, `fori_loop`,
    `while_loop`) store what they carry at every so many trips, and compute the trips between again
    (traced; eager loops record each trip). Near the root of the number of trips, memory grows with
    that root only.

    Time against memory: of f only what it reads stays in memory until then. f must give the same
    values for the same arguments, and write to none of them (`MutationError`); arrays that it
    captures have their gradient too.

    >>> layer = lm.checkpoint(lambda x: lm.tanh(x) * 2)
    >>> lm.grad(lambda x: lm.sum(layer(x)))(lm.asarray([0.0]))
    Array([2.])
    """
    if not callable(f):
        fail(ArgumentError, f"checkpoint: expected a function, found {type(f).__name__}")
    if every is not None and (type(every) is not int or every < 1):
        fail(ArgumentError, f"checkpoint: expected every to be an int of 1 or more, found {every}")

    @functools.wraps(f)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        if CURRENT.get() is not None:
            call = functools.partial(f, *args, **kwargs)
            return traced().checkpointed(call, every) if traced().pulling() else call()
        if every is not None or not is_grad_enabled():
            return f(*args, **kwargs)
        return _Checkpoint(f, args, kwargs).result()

    return wrapped


class _Checkpoint:
    """One eager call whose nodes are forgotten, and made again by `backward`."""

    def __init__(self, f: Function, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self.function = f
        self.leaves, self.structure = tree.flatten((args, kwargs))
        self.wanted = [
            k for k, x in enumerate(self.leaves) if isinstance(x, Array) and x.requires_grad
        ]

    def run(self) -> tuple[Any, list[Array]]:
        """What the function gives, and the variables that stand for its arguments."""
        given = list(self.leaves)
        for k in self.wanted:
            given[k] = variable_of(given[k])
        args, kwargs = tree.unflatten(self.structure, given)
        with grad_enabled(True):
            result = self.function(*args, **kwargs)
        return result, [given[k] for k in self.wanted]

    def result(self) -> Any:
        """What the function gives, as results of one node."""
        arrays = [x for x in self.leaves if isinstance(x, Array)]
        before = [x._tape.memory.version for x in arrays if x._tape is not None]
        start = next_number()
        found, shape = tree.flatten((run := self.run())[0])
        if before != [x._tape.memory.version for x in arrays if x._tape is not None]:
            fail(
                MutationError,
                "checkpoint: expected a function that does not write to its arguments with a "
                "gradient",
            )
        places = [k for k, x in enumerate(found) if isinstance(x, Array) and x._tape is not None]
        captured = boundary_of([found[k] for k in places], run[1], start)
        del run
        operands = [*(self.leaves[k] for k in self.wanted), *captured]
        if not places or not operands:
            return tree.unflatten(shape, found)
        made = [found[k].detach() for k in places]

        def pullback(gs: Sequence[Array | None]) -> Sequence[Array | None]:
            create = is_grad_enabled()
            result, variables = self.run()
            again = tree.flatten(result)[0]
            given = [(again[k], g) for k, g in zip(places, gs, strict=True) if g is not None]
            return gradients(
                [x for x, _ in given], [g for _, g in given], [*variables, *captured],
                create_graph=create, retain_graph=create,
            )  # fmt: skip

        name: str = getattr(self.function, "__name__", "function")
        attach(f"checkpoint:{name}", operands, made, pullback, [*arrays, *captured])
        for k, x in zip(places, made, strict=True):
            found[k] = x
        return tree.unflatten(shape, found)


__all__ = ["checkpoint", "custom_vjp"]
