"""`vmap`: a function of one example as a function of many.

The function is traced once, on arrays of one example, and the ops that it leaves get a batch (the
pass `batch`). Within a trace they take their place in the program; eager, they run at once on
arrays that may have a gradient.
"""

# pyright: reportPrivateUsage=false
from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from lamina.api import Jitted, jit
from lamina.errors import ArgumentError, ShapeError
from lamina.frontend import shapes, tree
from lamina.frontend.array import is_array
from lamina.frontend.bind import is_weak
from lamina.frontend.dims import is_size
from lamina.frontend.dispatch import CURRENT
from lamina.frontend.location import fail, shown
from lamina.frontend.size_checks import refuse
from lamina.tape import traced


@dataclass(frozen=True)
class Call:
    """A call of a function that `vmap` gave: what it calls for an example, and with what.

    leaves: of the arguments, `structure`. axes: for each leaf the axis that is mapped, or None.
    size: how many examples. out_axes: a tree of axes.
    """

    function: Callable[..., Any]
    leaves: list[Any]
    structure: tree.Tree
    axes: list[int | None]
    size: int
    out_axes: Any


def vmap(f: Callable[..., Any], in_axes: Any = 0, out_axes: Any = 0) -> Callable[..., Any]:
    """The function that applies f to each example: arrays that it gets are cut along an axis, and
    what f gives for all of them is stacked.

    f takes and gives trees of arrays; it may be jitted, and may close over arrays. It is called
    once, with traced arrays of one example's shape, so that Python cannot branch on their values
    (`lm.cond` and `lm.where` can). in_axes: the axis that is cut, an int (negative ones count from
    the end) or None for what every example gets whole; one for all positional arguments, or a list
    or tuple with one for each: an axis, or a tree of axes like (the upper part of) the argument.
    Arguments by keyword are cut along axis 0. out_axes: where the stacked axis stands in the
    results, an int or a tree of them; None for a result that is equal in all examples.
    What f writes to an argument is written. A loop ends with the last example; of a branch that
    examples take differently both sides are computed.

    Raises ArgumentError for axes that do not fit the arguments and results, and for results that
    are no arrays, AxisError for an axis that an array does not have, ShapeError for sizes that
    disagree.

    >>> rows = lm.asarray([[1.0, 2.0], [3.0, 4.0]])
    >>> lm.vmap(lm.vecdot, in_axes=(0, None))(rows, lm.asarray([1.0, 10.0]))
    Array([21., 43.])
    """
    if not callable(f):
        fail(ArgumentError, f"vmap: expected a function, found {shown(f)}")
    if isinstance(f, Jitted):
        inner = f.traced_call if f._script else f._function
        return jit(vmap(inner, in_axes, out_axes), options=f._options)

    def wrapped(*args: Any, **kwargs: Any) -> Any:
        call = _call(f, args, kwargs, in_axes, out_axes)
        made = traced("vectorize_traced")
        return made.within_trace(call) if CURRENT.get() is not None else made.at_once(call)

    return wrapped


def _call(
    f: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    in_axes: Any,
    out_axes: Any,
) -> Call:
    given = _axes_of_arguments(args, in_axes)
    given += axes_of("in_axes", 0, kwargs)
    leaves, structure = tree.flatten((args, kwargs))
    names = [path.split("/", 1)[1] for path in tree.paths(structure)]
    axes: list[int | None] = []
    sizes: dict[str, int] = {}
    for leaf, axis, name in zip(leaves, given, names, strict=True):
        axes.append(None if axis is None else _axis(leaf, axis, name))
        if axes[-1] is not None:
            sizes[name] = leaf.shape[axes[-1]]
    if not sizes:
        fail(ArgumentError, "vmap: expected in_axes that cut an array, found none")
    for size in sizes.values():
        if is_size(size):
            refuse("vmap", f"an axis of size {size}")
    if len(set(sizes.values())) > 1:
        listed = ", ".join(f"{size} of argument {name}" for name, size in sizes.items())
        fail(ShapeError, f"vmap: expected equal sizes of the axes that are cut, found {listed}")
    return Call(f, leaves, structure, axes, next(iter(sizes.values())), out_axes)


def _axes_of_arguments(args: tuple[Any, ...], in_axes: Any) -> list[int | None]:
    """An axis for each leaf of the positional arguments."""
    if not shapes.is_sequence(in_axes):
        return axes_of("in_axes", in_axes, args)
    if len(in_axes) != len(args):
        fail(
            ArgumentError,
            f"vmap: expected in_axes for {len(args)} positional arguments, found {len(in_axes)}",
        )
    return axes_of("in_axes", tuple(in_axes), args)


def axes_of(what: str, axes: Any, value: Any) -> list[int | None]:
    """The axis for each leaf of `value`, from a tree of axes like its upper part. Raises
    `ArgumentError` for another structure."""
    if axes is None or is_axis(axes):
        return [axes] * len(tree.flatten(value)[0])
    expected, node = tree.node_of(axes), tree.node_of(value)
    if expected is None:
        fail(
            ArgumentError, f"vmap: expected ints, None and trees of them as {what}, found {axes!r}"
        )
    same = node is not None and type(axes) is type(value) and expected[0] == node[0]
    if not same:
        fail(
            ArgumentError,
            f"vmap: expected {what} of the structure of what they are for, found "
            f"a {type(axes).__name__} for {_described(value)}",
        )
    assert node is not None
    parts = zip(expected[1], node[1], strict=True)
    return [axis for inner, part in parts for axis in axes_of(what, inner, part)]


def is_axis(value: Any) -> bool:
    """Whether `value` can be the number of an axis."""
    return hasattr(value, "__index__") and not isinstance(value, bool) and not is_array(value)


def _described(value: Any) -> str:
    node = tree.node_of(value)
    named = "" if node is None or type(value) in (list, tuple) else f" with {list(node[0])}"
    count = f" of {len(node[0])}" if node is not None and not named else ""
    return f"a {type(value).__name__}{count}{named}"


def _axis(leaf: Any, axis: int, name: str) -> int:
    """The axis of an argument that is cut, from 0."""
    if not is_array(leaf) or is_weak(leaf):
        fail(
            ArgumentError,
            f"vmap: expected an array as argument {name}, to cut along axis {axis}, found "
            f"{shown(leaf)}; in_axes of None gives it to every example",
        )
    return shapes.axis_index(f"vmap: argument {name}", axis, leaf.ndim)
