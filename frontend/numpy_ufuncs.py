"""NumPy's ufuncs on our arrays, each with all its methods: call, reduce, accumulate, outer, at.

A sum or maximum along an axis is a function of ours; what has none (`np.bitwise_xor.reduce`) is a
loop over the rows in their order. `out=` is written with NumPy's rule "same_kind".
"""

# pyright: reportPrivateUsage=false
from __future__ import annotations

import inspect
from collections.abc import Callable
from math import prod
from typing import Any, NoReturn
from typing import cast as typed

import numpy as np

from lamina.errors import ArgumentError, DTypeError, ShapeError
from lamina.frontend import dtypes, shapes
from lamina.frontend.advanced import is_mask
from lamina.frontend.array import Array, is_array
from lamina.frontend.bind import as_array, bind, broadcast, cast, full, is_weak, store, unify, view
from lamina.frontend.control import fori_loop, scan
from lamina.frontend.dispatch import FUNCTIONS, public
from lamina.frontend.index_arrays import Space, check_range, index_array, scatter_to
from lamina.frontend.location import fail, shown
from lamina.frontend.numpy_names import UFUNCS
from lamina.frontend.selection import Selection
from lamina.frontend.shapes import Shape

Function = Callable[..., Any]

REDUCTIONS = {
    "add": "sum",
    "multiply": "prod",
    "maximum": "max",
    "minimum": "min",
    "logical_and": "all",
    "logical_or": "any",
}
"""Name of a ufunc -> our function that reduces with it."""
ACCUMULATIONS = {"add": "cumulative_sum", "multiply": "cumulative_prod"}
"""Name of a ufunc -> our function that accumulates with it."""
SCATTERS = {"add": "add", "subtract": "add", "maximum": "max", "minimum": "min"}
"""Name of a ufunc -> kind of the scatter that is its `at`."""

NOT_GIVEN: Any = np._NoValue  # type: ignore[attr-defined]
_ORDER = {"bool": 0, "unsigned": 1, "signed": 2, "float": 3, "complex": 4}


@public
def from_ufunc(
    ufunc: np.ufunc, method: str, inputs: tuple[Any, ...], options: dict[str, Any]
) -> Any:
    """`Array.__array_ufunc__`: our function of the ufunc's name, its result written to `out`."""
    for x in inputs:
        if isinstance(x, Selection):
            return x.__array_ufunc__(ufunc, method, *inputs, **options)
    called = f"np.{ufunc.__name__}" if method == "__call__" else f"np.{ufunc.__name__}.{method}"
    ours = FUNCTIONS.get(UFUNCS.get(ufunc.__name__, ""))
    run = _METHODS.get(method)
    if ours is None or run is None or (method != "__call__" and not _is_binary(ufunc, method)):
        unknown(called)
    for key, default in (("casting", "same_kind"), ("order", "K"), ("subok", True)):
        if (value := options.pop(key, default)) != default:
            fail(ArgumentError, f"{called}: expected no {key}, found {shown(value)}")
    out: Any = options.pop("out", None)
    if type(out) is tuple and len(typed("tuple[Any, ...]", out)) == 1:
        out = typed(Any, out)[0]
    if ufunc.__name__.startswith("logical_") and method != "at":
        options["dtype"] = dtypes.bool_
    try:
        inspect.signature(run).bind(called, ufunc, ours, out, *inputs, **options)
    except TypeError as error:
        fail(ArgumentError, f"{called}: {error}")
    return run(called, ufunc, ours, out, *inputs, **options)


def unknown(name: str) -> NoReturn:
    """Raise: there is no function of this name."""
    fail(ArgumentError, f"{name}: expected a function that lamina has, found none of this name")


def _is_binary(ufunc: np.ufunc, method: str) -> bool:
    return ufunc.signature is None and (method == "at" or (ufunc.nin, ufunc.nout) == (2, 1))


def written(called: str, out: Any, result: Any, where: Any = True) -> Any:
    """`result` written to `out`, where `where` holds; without an `out`, the result itself.

    Raises `DTypeError` for a dtype that NumPy's rule "same_kind" does not cast, `ShapeError` where
    the result does not broadcast to out.
    """
    if type(out) is tuple:
        pairs = zip(typed("tuple[Any, ...]", out), result, strict=True)
        return tuple(written(called, *pair, where) for pair in pairs)
    if out is None:
        if where is not True:
            fail(ArgumentError, f"{called}: expected out with where, found none")
        return result
    if not is_array(out):
        fail(ArgumentError, f"{called}: expected an array as out, found {shown(out)}")
    target = as_array(called, out)
    ours, theirs = dtypes.KIND_OF[result.dtype], dtypes.KIND_OF[target.dtype]
    if _ORDER[ours] > _ORDER[theirs]:
        fail(DTypeError, f"{called}: expected an out for {result.dtype}, found {target.dtype}")
    shapes.check_broadcast(called, result.shape, target.shape)
    value = broadcast(cast(result, target.dtype), target.shape)
    if where is not True:
        mask = _mask(called, where, target.shape)
        value = bind("select", mask, value, target)
    store(called, target, value)
    return out


def _mask(called: str, where: Any, shape: Shape) -> Array:
    mask = as_array(called, where)
    if mask.dtype != dtypes.bool_:
        fail(DTypeError, f"{called}: expected where to be of bool, found {mask.dtype}")
    shapes.check_broadcast(called, mask.shape, shape)
    return broadcast(mask, shape)


def _as(called: str, dtype: Any, *operands: Any) -> list[Any]:
    """The operands, of `dtype` unless it is None."""
    if dtype is None:
        return [*operands]
    wanted = dtypes.normalize(dtype)
    return [cast(as_array(called, operand, wanted), wanted) for operand in operands]


def _call(
    called: str,
    ufunc: np.ufunc,
    ours: Function,
    out: Any,
    /,
    *inputs: Any,
    where: Any = True,
    dtype: Any = None,
    **options: Any,
) -> Any:
    compares = {kind[-1] for kind in ufunc.types} <= {"?", "O"} and dtype != dtypes.bool_
    if dtype is not None and compares:
        fail(ArgumentError, f"{called}: expected no dtype, found {shown(dtype)}")
    known = inspect.signature(ours).parameters
    for key, value in options.items():
        if key not in known:
            fail(ArgumentError, f"{called}: expected no {key}, found {shown(value)}")
    result = ours(*_as(called, dtype, *inputs), **options)
    return written(called, out, result, where)


def _outer(
    called: str, ufunc: np.ufunc, ours: Function, out: Any, /, x: Any, y: Any, dtype: Any = None
) -> Any:
    """f(x[i], y[j]) for all indices i and j."""
    x, y = _as(called, dtype, x, y)
    rank = 0 if is_weak(y) else as_array(called, y).ndim
    if rank and not is_weak(x):
        x = as_array(called, x)
        x = view("reshape", x, shape=x.shape + (1,) * rank)
    return written(called, out, ours(x, y))


def _reduce(
    called: str,
    ufunc: np.ufunc,
    ours: Function,
    out: Any,
    /,
    x: Any,
    *,
    axis: Any = 0,
    dtype: Any = None,
    keepdims: Any = False,
    initial: Any = NOT_GIVEN,
    where: Any = True,
) -> Any:
    """f of all elements along axes, from `initial` on, of those where `where` holds."""
    array = as_array(called, x)
    initial = None if initial is NOT_GIVEN else initial
    axes = shapes.axis_indices(called, axis, array.ndim)
    name = ufunc.__name__
    (array,) = _as(called, dtype, array)
    if where is not True:
        identity = ufunc.identity if initial is None else initial
        if identity is None:
            fail(ArgumentError, f"{called}: expected initial with where, found none")
        filler = full(identity, array.shape, array.dtype)
        array = bind("select", _mask(called, where, array.shape), array, filler)
    if initial is not None and ufunc.identity is None and any(not array.shape[k] for k in axes):
        shape = tuple(1 if k in axes else size for k, size in enumerate(array.shape))
        result = full(initial, shape, array.dtype)
        result = result if keepdims else view("reshape", result, shape=shapes.reduced(shape, axes))
        return written(called, out, result)
    if name in REDUCTIONS:
        given = {"dtype": dtype} if dtype is not None and name in ("add", "multiply") else {}
        result = FUNCTIONS[REDUCTIONS[name]](array, axis=axes, keepdims=keepdims, **given)
    else:
        result = _folded(called, ufunc, ours, array, axes, keepdims)
    if initial is not None:
        result = cast(ours(result, initial), result.dtype)
    return written(called, out, result)


def _folded(
    called: str, ufunc: np.ufunc, ours: Function, array: Array, axes: Shape, keepdims: Any
) -> Array:
    """f of the rows along axes, one after the other."""
    if len(axes) > 1 and ufunc.identity is None:
        fail(ArgumentError, f"{called}: expected one axis, found {len(axes)}")
    kept = shapes.kept(array.shape, axes)
    rows = _rows(array, axes)
    if not rows.shape[0]:
        if ufunc.identity is None:
            fail(ShapeError, f"{called}: expected 1 row or more, found shape {array.shape}")
        result = full(ufunc.identity, rows.shape[1:], array.dtype)
    else:
        result, _ = scan(
            lambda carry, row: (_step(called, ours, carry, row), ()), rows[0], rows[1:]
        )
    shape = kept if shapes.flag(called, keepdims, "keepdims") else shapes.reduced(array.shape, axes)
    return view("reshape", result, shape=shape)


def _rows(array: Array, axes: Shape) -> Array:
    """The axes as one, in front."""
    others = tuple(axis for axis in range(array.ndim) if axis not in axes)
    moved = view("transpose", array, permutation=(*axes, *others))
    shape = (prod(array.shape[axis] for axis in axes), *(array.shape[axis] for axis in others))
    return FUNCTIONS["reshape"](moved, shape)


def _step(called: str, ours: Function, carry: Array, row: Array) -> Array:
    result = ours(carry, row)
    if result.dtype != carry.dtype:
        fail(
            DTypeError,
            f"{called}: expected a result of the operands' dtype {carry.dtype}, "
            f"found {result.dtype}",
        )
    return result


def _accumulate(
    called: str,
    ufunc: np.ufunc,
    ours: Function,
    out: Any,
    /,
    x: Any,
    *,
    axis: Any = 0,
    dtype: Any = None,
) -> Any:
    """f of the elements up to each one along an axis."""
    array = as_array(called, x)
    if not array.ndim:
        fail(ShapeError, f"{called}: expected a rank of 1 or more, found a 0-d array")
    if axis is None and array.ndim > 1:
        fail(ArgumentError, f"{called}: expected an axis, found None")
    along = shapes.axis_index(called, 0 if axis is None else axis, array.ndim)
    if (name := ufunc.__name__) in ACCUMULATIONS:
        result = FUNCTIONS[ACCUMULATIONS[name]](array, axis=along, dtype=dtype)
        return written(called, out, result)
    (array,) = _as(called, dtype, array)
    rows = FUNCTIONS["moveaxis"](array, along, 0)
    if not rows.shape[0]:
        return written(called, out, FUNCTIONS["copy"](array))

    def step(carry: Any, row: Any) -> Any:
        carry = _step(called, ours, carry, row)
        return carry, carry

    _, rest = scan(step, rows[0], rows[1:])
    result = FUNCTIONS["concat"]([rows[:1], rest], axis=0)
    return written(called, out, FUNCTIONS["moveaxis"](result, 0, along))


def _at(
    called: str, ufunc: np.ufunc, ours: Function, out: Any, /, x: Any, indices: Any, *others: Any
) -> None:
    """x[indices] = f(x[indices], other) in place, where repeated indices count each time."""
    if len(others) != ufunc.nin - 1:
        fail(ArgumentError, f"{called}: expected {ufunc.nin - 1} operands, found {len(others)}")
    target = as_array(called, x)
    keys: list[Any] = [*indices] if isinstance(indices, tuple) else [indices]
    if any(is_mask(key) or isinstance(key, slice) or key in (None, ...) for key in _plain(keys)):
        fail(ArgumentError, f"{called}: expected integers as indices, found {shown(indices)}")
    if len(keys) > target.ndim:
        fail(ShapeError, f"{called}: expected at most {target.ndim} indices, found {len(keys)}")
    places = unify(called, [index_array(called, key) for key in keys], dtypes.int64)
    shape = shapes.broadcast_shapes(called, *(place.shape for place in places))
    count = prod(shape)
    places = [FUNCTIONS["reshape"](broadcast(place, shape), count) for place in places]
    part = target.shape[len(keys) :]
    values = [_spread(called, other, (*shape, *part), (count, *part)) for other in others]
    for axis, place in enumerate(places):
        check_range(called, place, target.shape[axis], axis)
    if (name := ufunc.__name__) in SCATTERS:
        (value,) = values
        _scatter(called, name, target, value, places)
        return
    _each(called, ours, target, values, places, count)


def _plain(keys: list[Any]) -> list[Any]:
    """Keys that are not arrays of integers or lists, which have no place here."""
    return [key for key in keys if is_mask(key) or not (is_array(key) or isinstance(key, list))]


def _spread(called: str, other: Any, shape: Shape, flat: Shape) -> Array:
    value = as_array(called, other)
    shapes.check_broadcast(called, value.shape, shape)
    return FUNCTIONS["reshape"](broadcast(value, shape), flat)


def _scatter(called: str, name: str, x: Array, value: Array, places: list[Array]) -> None:
    _check_same(called, dtypes.common([x.dtype, value.dtype], []), x.dtype)
    value = cast(value, x.dtype)
    value = bind("negative", value) if name == "subtract" else value
    axes = tuple(range(len(places)))
    space = Space(axes, tuple(range(1, value.ndim)), (0,))
    scatter_to(called, x, value, places, space, SCATTERS[name])


def _check_same(called: str, found: dtypes.DType, wanted: dtypes.DType) -> None:
    if _ORDER[dtypes.KIND_OF[found]] > _ORDER[dtypes.KIND_OF[wanted]]:
        fail(DTypeError, f"{called}: expected a result for {wanted}, found {found}")


def _each(
    called: str, ours: Function, x: Array, values: list[Array], places: list[Array], count: int
) -> None:
    """One index after the other."""

    def step(k: Any, none: Any) -> Any:
        key = tuple(place[k] for place in places)
        result = ours(x[key], *(value[k] for value in values))
        _check_same(called, result.dtype, x.dtype)
        x[key] = result
        return none

    fori_loop(0, count, step, ())


_METHODS: dict[str, Function] = {
    "__call__": _call,
    "outer": _outer,
    "reduce": _reduce,
    "accumulate": _accumulate,
    "at": _at,
}
"""Name of a ufunc's method -> it, for any ufunc."""
