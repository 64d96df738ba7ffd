"""Gradients of functions, eager and traced: `grad`, `value_and_grad`, `vjp`, `jvp`, ...

Eager functions run on arrays that record (`tape.py`); while a trace runs, the ops that a function
leaves in the program are pulled back in place, by the same rules. All of them nest.
"""

# pyright: reportPrivateUsage=false
from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from lamina.errors import ArgumentError, DTypeError, GradientError, ShapeError
from lamina.frontend import bind as primitives
from lamina.frontend import dtypes, tree
from lamina.frontend.array import Array, is_array, wrap
from lamina.frontend.creation import eye
from lamina.frontend.dispatch import CURRENT
from lamina.frontend.location import fail
from lamina.frontend.manipulation import reshape, stack
from lamina.frontend.reductions import sum as reduced_sum
from lamina.tape import Tape, grad_enabled, gradients, place_of, traced

Back: TypeAlias = Callable[[Sequence[Array]], "list[Array | None]"]
"""Cotangents of a result's arrays -> those of the variables, None for zero."""


@dataclass(frozen=True)
class Pulled:
    """What a function gave for fresh variables: its result as the caller gets it, the arrays of
    the result, the way back, and whether a gradient outside may go through all of it."""

    result: Any
    outputs: list[Array]
    back: Back
    nested: bool


def _leaf(name: str, value: Any) -> Array:
    """A primal as an array of floats."""
    array = primitives.as_array(name, value)
    if array.dtype not in dtypes.FLOATS:
        fail(
            DTypeError,
            f"{name}: expected floating-point primals, found {array.dtype}; "
            "choose the arguments that have a gradient by wrt",
        )
    return array


def _pull(name: str, call: Callable[[list[Any]], Any], leaves: Sequence[Any]) -> Pulled:
    """Call `call` on variables of their own with the values of `leaves`."""
    arrays = [_leaf(name, leaf) for leaf in leaves]
    if CURRENT.get() is not None:
        return Pulled(*traced().pull(call, arrays), nested=True)
    variables = [variable_of(array) for array in arrays]
    with grad_enabled(True):
        result = call(list(variables))
    outputs = [x for x in tree.flatten(result)[0] if isinstance(x, Array)]
    nested = any(x._tape is not None for x in arrays) or _reaches_others(outputs, variables)

    def back(cotangents: Sequence[Array]) -> list[Array | None]:
        create = nested or any(g._tape is not None for g in cotangents)
        return gradients(outputs, cotangents, variables, create_graph=create, retain_graph=True)

    return Pulled(result if nested else _detached(result), outputs, back, nested)


def _detached(result: Any) -> Any:
    """A result whose tape leads to nothing but the variables, as plain arrays."""
    return tree.map_leaves(_without_tape, result)


def _without_tape(leaf: Any) -> Any:
    return leaf.detach() if isinstance(leaf, Array) else leaf


def variable_of(array: Array) -> Array:
    """A new variable with the values of `array`: a view, connected to what made it."""
    if array._tape is not None:
        with grad_enabled(True):
            return primitives.view("reshape", array, shape=array.shape)
    variable = wrap(array._data)
    variable.requires_grad = True
    return variable


def _reaches_others(outputs: Sequence[Array], variables: Sequence[Array]) -> bool:
    """Whether results depend on arrays with a gradient besides the variables."""
    own = {id(place_of(x)) for x in variables}
    places, seen = [place_of(x) for x in outputs], set[int]()
    while places:
        place = places.pop()
        if place is None or id(place) in own or id(place) in seen:
            continue
        seen.add(id(place))
        if isinstance(place, Tape):
            return True
        places += [place_of(x) for x in place.operands]
    return False


def vjp(f: Callable[..., Any], *primals: Any) -> tuple[Any, Callable[[Any], tuple[Any, ...]]]:
    """f(*primals), and the function from a cotangent (a tree like the result) to the cotangents of
    the primals, a tuple of trees like them.

    All leaves of the primals must be floating-point (`DTypeError`).

    >>> y, pullback = lm.vjp(lambda x: x * x, lm.asarray([1.0, 2.0]))
    >>> pullback(lm.asarray([1.0, 10.0]))
    (Array([ 2., 40.]),)
    """
    leaves, structure = tree.flatten(primals)
    pulled = _pull("vjp", lambda xs: f(*tree.unflatten(structure, xs)), leaves)
    shape = tree.flatten(pulled.result)[1]

    def pullback(cotangent: Any) -> tuple[Any, ...]:
        given, other = tree.flatten(cotangent)
        if other != shape or len(given) != len(pulled.outputs):
            fail(ArgumentError, "vjp: expected a cotangent of the structure of the result")
        seeds = [_seed("vjp", x, g) for x, g in zip(pulled.outputs, given, strict=True)]
        return tree.unflatten(structure, _filled(pulled.back(seeds), leaves))

    return pulled.result, pullback


def _seed(name: str, x: Array, g: Any) -> Array:
    array = primitives.cast(primitives.as_array(name, g, x.dtype), x.dtype)
    if array.shape != x.shape:
        fail(ShapeError, f"{name}: expected a cotangent of shape {x.shape}, found {array.shape}")
    return array


def _filled(found: Sequence[Array | None], leaves: Sequence[Any]) -> list[Array]:
    """Zeros for leaves that a result does not depend on."""
    return [
        primitives.full(0, leaf.shape, leaf.dtype) if g is None else g
        for g, leaf in zip(found, (primitives.as_array("vjp", x) for x in leaves), strict=True)
    ]


def value_and_grad(
    f: Callable[..., Any], wrt: int | Sequence[int] = 0, *, has_aux: bool = False
) -> Callable[..., tuple[Any, Any]]:
    """The function that gives f's value and the gradient with regard to the arguments `wrt`.

    f gives a 0-d float array (`ShapeError` otherwise), or with has_aux a pair of that and anything
    else. The gradient of an argument is a tree like it; for several `wrt`, a tuple of them.

    >>> lm.value_and_grad(lambda x: lm.sum(x * x))(lm.asarray([1.0, 2.0]))
    (Array(5.), Array([2., 4.]))
    """
    numbers = (wrt,) if isinstance(wrt, int) else tuple(wrt)

    def wrapped(*args: Any, **kwargs: Any) -> tuple[Any, Any]:
        for number in numbers:
            if not -len(args) <= number < len(args):
                fail(
                    ArgumentError,
                    f"grad: expected wrt to name one of {len(args)} positional arguments, "
                    f"found {number}",
                )
        leaves, structure = tree.flatten(tuple(args[number] for number in numbers))

        def call(variables: list[Any]) -> Any:
            given = list(args)
            for number, part in zip(numbers, tree.unflatten(structure, variables), strict=True):
                given[number] = part
            return f(*given, **kwargs)

        pulled = _pull("grad", call, leaves)
        result = pulled.result
        seeds = [_unit(result[0] if has_aux else result)]
        seeds += [primitives.full(0, x.shape, x.dtype) for x in pulled.outputs[1:]]
        found = tree.unflatten(structure, _filled(pulled.back(seeds), leaves))
        return result, found[0] if isinstance(wrt, int) else found

    return wrapped


def _unit(value: Any) -> Array:
    """The cotangent 1 of a loss."""
    if not isinstance(value, Array) or value.shape != () or value.dtype not in dtypes.FLOATS:
        what = f"{value.dtype} of shape {value.shape}" if is_array(value) else type(value).__name__
        fail(ShapeError, f"grad: expected f to give a 0-d float array, found {what}")
    return primitives.full(1, (), value.dtype)


def grad(
    f: Callable[..., Any], wrt: int | Sequence[int] = 0, *, has_aux: bool = False
) -> Callable[..., Any]:
    """The gradient of f with regard to the arguments `wrt`: `value_and_grad` without the value.

    >>> lm.grad(lm.grad(lambda x: x**3))(lm.asarray(2.0))
    Array(12.)
    """
    both = value_and_grad(f, wrt, has_aux=has_aux)

    def wrapped(*args: Any, **kwargs: Any) -> Any:
        value, gradient = both(*args, **kwargs)
        return (gradient, value[1]) if has_aux else gradient

    return wrapped


def jvp(f: Callable[..., Any], primals: Sequence[Any], tangents: Sequence[Any]) -> tuple[Any, Any]:
    """f(*primals), and its derivative in the direction `tangents` (a tree like the primals).

    The pullback is linear in its cotangent; the derivative is the pullback of the pullback
    (Christianson, 1992), so that one rule an op serves both.

    >>> lm.jvp(lambda x: x * x, [lm.asarray([1.0, 2.0])], [lm.asarray([1.0, 10.0])])
    (Array([1., 4.]), Array([ 2., 40.]))
    """
    leaves, structure = tree.flatten(tuple(primals))
    given, other = tree.flatten(tuple(tangents))
    if other != structure:
        fail(ArgumentError, "jvp: expected tangents of the structure of the primals")
    seeds = [_seed("jvp", _leaf("jvp", x), g) for x, g in zip(leaves, given, strict=True)]
    pulled = _pull("jvp", lambda xs: f(*tree.unflatten(structure, xs)), leaves)
    zeros = [primitives.full(0, x.shape, x.dtype) for x in pulled.outputs]
    again = _pull("jvp", lambda gs: _filled(pulled.back(gs), leaves), zeros)
    found = _filled(again.back(seeds), zeros)
    if not pulled.nested and not any(x._tape is not None for x in seeds):
        found = [x.detach() for x in found]
    shape = tree.flatten(pulled.result)[1]
    return pulled.result, tree.unflatten(shape, found)


def jacobian(f: Callable[..., Any], wrt: int = 0) -> Callable[..., Any]:
    """The function that gives all derivatives of the array f(...) with regard to one array: shape
    (*result.shape, *argument.shape). One pullback for each element of the result; traced, one for
    all of them (`vmap`), so that the program does not grow with it.

    >>> lm.jacobian(lambda x: x * x)(lm.asarray([1.0, 2.0]))
    Array([[2., 0.],
           [0., 4.]])
    """

    def wrapped(*args: Any, **kwargs: Any) -> Any:
        x = _leaf("jacobian", args[wrt])

        def call(variables: list[Any]) -> Any:
            given = list(args)
            given[wrt] = variables[0]
            return f(*given, **kwargs)

        pulled = _pull("jacobian", call, [x])
        if not isinstance(pulled.result, Array):
            found = type(pulled.result).__name__
            fail(ArgumentError, f"jacobian: expected f to give an array, found {found}")
        y = pulled.outputs[0]
        if y.dtype in dtypes.COMPLEX:
            text = "expected f to give real numbers, found"
            fail(DTypeError, f"jacobian: {text} {y.dtype}; take real and imaginary parts")

        def row(unit: Any) -> Any:
            return _filled(pulled.back([unit]), [x])[0]

        if not y.size:
            return primitives.full(0, (*y.shape, *x.shape), x.dtype)
        if CURRENT.get() is not None:
            units = reshape(eye(y.size, dtype=y.dtype), (y.size, *y.shape))
            return reshape(traced("vectorize").vmap(row)(units), (*y.shape, *x.shape))
        units = np.eye(y.size, dtype=y.dtype).reshape(y.size, *y.shape)
        rows = [row(primitives.constant(unit)) for unit in units]
        return reshape(stack(rows), (*y.shape, *x.shape))

    return wrapped


def hessian(f: Callable[..., Any], wrt: int = 0) -> Callable[..., Any]:
    """The second derivatives of a scalar function of one array: `jacobian(grad(f))`.

    >>> lm.hessian(lambda x: lm.sum(x**3))(lm.asarray([1.0, 2.0]))
    Array([[ 6.,  0.],
           [ 0., 12.]])
    """
    return jacobian(grad(f, wrt), wrt)


def stop_gradient(x: Any) -> Any:
    """The arrays of a tree, with a gradient of zero.

    >>> lm.grad(lambda x: x * lm.stop_gradient(x))(lm.asarray(3.0))
    Array(3.)
    """
    return tree.map_leaves(_without_tape, x)


def gradcheck(
    f: Callable[..., Any],
    args: Sequence[Any],
    *,
    order: int = 2,
    step: float = 1e-6,
    tolerance: float = 1e-5,
) -> bool:
    """Compare the derivatives of f with central differences, in float64, of first and (order=2)
    second order; True, or `GradientError` naming the argument, the element and both numbers.

    args: float64 arrays (`DTypeError`). tolerance: for the difference, relative to 1 + abs.

    >>> lm.gradcheck(lambda x: x * lm.sin(x), [lm.asarray([1.0, 2.0])])
    True
    """
    arrays = [np.asarray(primitives.as_array("gradcheck", x)) for x in args]
    for array in arrays:
        if array.dtype != np.float64:
            fail(DTypeError, f"gradcheck: expected float64 arguments, found {array.dtype}")
    rng = np.random.default_rng(0)
    outputs = [np.asarray(x) for x in tree.flatten(f(*map(wrap, arrays)))[0]]
    seeds = [rng.normal(size=x.shape) for x in outputs]

    def projected(*xs: Any) -> Any:
        found = tree.flatten(f(*xs))[0]
        return _dot(found, seeds)

    _compare("first", projected, arrays, step, tolerance)
    if order > 1:
        others = [rng.normal(size=x.shape) for x in arrays]
        numbers = tuple(range(len(arrays)))
        slope = grad(projected, numbers)
        _compare("second", lambda *xs: _dot(slope(*xs), others), arrays, step, tolerance)
    return True


def _dot(values: Sequence[Any], seeds: Sequence[Any]) -> Any:
    """The sum of all values, each times a number of its own."""
    total: Any = 0.0
    for value, seed in zip(values, seeds, strict=True):
        total = total + reduced_sum(value * wrap(seed))
    return total


def _compare(
    order: str, f: Callable[..., Any], arrays: Sequence[Any], step: float, tolerance: float
) -> None:
    found = grad(f, tuple(range(len(arrays))))(*map(wrap, arrays))
    for number, (x, gradient) in enumerate(zip(arrays, found, strict=True)):
        for place in np.ndindex(x.shape):
            ends: list[float] = []
            for sign in (1, -1):
                moved = [a.copy() for a in arrays]
                moved[number][place] += sign * step
                ends.append(float(f(*map(wrap, moved))))
            expected = (ends[0] - ends[1]) / (2 * step)
            got = float(np.asarray(gradient)[place])
            if not abs(got - expected) <= tolerance * (1 + abs(expected)):
                fail(
                    GradientError,
                    f"gradcheck: expected {expected} at element {place} of argument {number} "
                    f"({order} order, by differences), found {got}",
                )
