"""`x[key]` and `x[key] = value`, with NumPy's meaning.

Ints, slices, None and ... are views. Keys with arrays are copies: gathers and scatters, or a
window for 0-d arrays. Writes through a bool array select; a traced read through one is a
`Selection`, since its shape depends on values.
"""

# pyright: reportPrivateUsage=false
from __future__ import annotations

from typing import Any, NoReturn, cast

from lamina.errors import ArgumentError, DTypeError, IndexRangeError, ShapeError, TraceError
from lamina.frontend import selection, shapes
from lamina.frontend.advanced import Keys, Plan, is_advanced, plan_of
from lamina.frontend.array import AUTOGRAD, Array, ArrayLike, is_array
from lamina.frontend.bind import (
    as_array,
    bind,
    broadcast,
    duplicate,
    size_array,
    store,
    values,
    view,
)
from lamina.frontend.bind import cast as to_dtype
from lamina.frontend.dims import is_size, is_static, same
from lamina.frontend.dispatch import CURRENT, FUNCTIONS, public
from lamina.frontend.dtypes import INTEGERS, bool_, uint64
from lamina.frontend.index_arrays import (
    check_range,
    dynamic_slice,
    dynamic_update_slice,
    from_start,
    gather,
    scatter_to,
)
from lamina.frontend.location import fail
from lamina.frontend.run_time_views import is_run_time, run_time_view, static_keys
from lamina.frontend.shapes import Shape
from lamina.frontend.size_checks import refuse
from lamina.frontend.traced import TracedArray, WeakScalar


@public
def get_item(x: Array, key: Any, /) -> Array:
    """`x[key]`: a view for slices, None and ..., and ints beside them; a copy where a key is an
    array, and of one element: it is a number, as in NumPy."""
    keys = _listed(key)
    if not is_advanced(keys):
        found = _viewed(x, keys)
        whole = found.ndim or None in keys or Ellipsis in keys
        return found if whole else _element(found)
    plan = plan_of(x.shape, static_keys(keys))
    if plan.masks:
        return _selected(x, plan)
    if plan.is_single:
        return _picked(x, plan)
    source = _viewed(x, tuple(plan.basic))
    indices, shape = plan.spread()
    space = plan.space(source.ndim, len(shape))
    return gather("index", source, indices, space, axes=plan.axes)


@public
def set_item(x: Array, key: Any, value: ArrayLike, /) -> None:
    """`x[key] = value`: the value is cast to the dtype of x and broadcast.

    Where indices are repeated, the last value in their order stays.
    """
    keys = _listed(key)
    if x._tape is None and isinstance(value, Array) and value._tape is not None:
        AUTOGRAD["adopt"](x, value)
    if isinstance(value, selection.Selection):
        _write_back(x, keys, value)
        return
    if not is_advanced(keys):
        _write("set_item", _viewed(x, keys), value)
        return
    if len(keys) == 1 and is_array(keys[0]) and (keys[0].dtype, keys[0].ndim) == (bool_, 0):
        _write_all(x, keys[0], value)
        return
    keys = static_keys(keys)
    masked = plan_of(x.shape, keys, resolve=False)
    if len(masked.masks) == 1 and not masked.arrays and _write_masked(x, masked, value):
        return
    plan = plan_of(x.shape, keys)
    if plan.masks:
        _refuse_mask("a bool array with values of their number")
    if plan.is_single:
        _put(x, plan, value)
        return
    target = _target(x, plan)
    indices, shape = plan.spread()
    space = plan.space(target.ndim, len(shape))
    for index, axis, called in zip(indices, space.axes, plan.axes, strict=True):
        check_range("index", index, target.shape[axis], called)
    update = _fitted("set_item", _converted(x, value), space.shape(target.shape, shape))
    scatter_to("set_item", target, update, indices, space, "set")


@public
def update_in_place(name: str, x: Array, other: ArrayLike) -> Array:
    """`x += other` and its like: the result must have the shape and dtype of x."""
    result: Array = FUNCTIONS[name](x, other)
    if isinstance(x, WeakScalar):
        return result
    if result.dtype != x.dtype:
        fail(
            DTypeError,
            f"{name}: expected a result of dtype {x.dtype} to write in place, found {result.dtype}",
        )
    if not shapes.equal_shapes(name, result.shape, x.shape):
        fail(
            ShapeError,
            f"{name}: expected a result of shape {x.shape} to write in place, found {result.shape}",
        )
    store(name, x, result)
    return x


def _element(found: Array) -> Array:
    """The value of a 0-d view, in memory of its own."""
    recorder = CURRENT.get()
    if recorder is None:
        return duplicate(found)
    traced = recorder.own(found)
    return recorder.fresh(recorder.read(traced), (), traced.dtype, traced._position)


def _listed(key: Any) -> Keys:
    return cast(Keys, key) if isinstance(key, tuple) else (key,)


def _selected(x: Array, plan: Plan) -> Any:
    """The elements where the only bool array holds."""
    if len(plan.masks) > 1 or plan.arrays:
        _refuse_mask("bool arrays and others")
    ((first, mask),) = plan.masks
    return selection.select(_viewed(x, tuple(plan.basic)), mask, first)


def _write_back(x: Array, keys: Keys, value: selection.Selection) -> None:
    """Write elements to where the same bool array holds."""
    plan = plan_of(x.shape, keys, resolve=False) if is_advanced(keys) else Plan()
    if len(plan.masks) != 1 or plan.arrays:
        value.refuse("set_item")
    ((first, mask),) = plan.masks
    target = _target(x, plan)
    store("set_item", target, selection.stored(value, target, mask, first))


def _refuse_mask(found: str) -> NoReturn:
    fail(
        TraceError,
        f"index: expected a result whose shape does not depend on values in traced code, found "
        f"{found}; use lm.where, or x[mask] = value with a value that broadcasts",
    )


def _converted(x: Array, value: ArrayLike) -> Array:
    return to_dtype(as_array("set_item", value, x.dtype), x.dtype)


def _write(name: str, target: Array, value: ArrayLike) -> None:
    store(name, target, _fitted(name, _converted(target, value), target.shape))


def _write_all(x: Array, mask: ArrayLike, value: ArrayLike) -> None:
    """Write everywhere if the one bool holds."""
    update = _fitted("set_item", _converted(x, value), x.shape)
    flags = broadcast(as_array("set_item", mask), x.shape)
    store("set_item", x, bind("select", flags, update, x))


def _fitted(name: str, update: Array, shape: Shape) -> Array:
    """`update` broadcast to `shape`; leading axes of size 1 are left out, as NumPy allows."""
    extra = update.ndim - len(shape)
    if extra > 0 and update.shape[:extra] == (1,) * extra:
        update = view("reshape", update, shape=update.shape[extra:])
    shapes.check_broadcast(name, update.shape, shape)
    return broadcast(update, shape)


def _target(x: Array, plan: Plan) -> Array:
    """What is written to: x itself where the keys without arrays take all of it."""
    whole = all(isinstance(key, slice) and key == slice(None) for key in plan.basic)
    return x if whole else _viewed(x, tuple(plan.basic))


def _write_masked(x: Array, plan: Plan, value: ArrayLike) -> bool:
    """Write where the only bool array holds; False when `value` has an element for each of these
    places."""
    ((first, mask),) = plan.masks
    target, update = _target(x, plan), _converted(x, value)
    rank = target.ndim - mask.ndim + 1
    extra = update.ndim - rank
    if extra > 0 and update.shape[:extra] != (1,) * extra:
        return False
    sizes = [*([1] * -extra), *update.shape[max(extra, 0) :]]
    if sizes.pop(plan.place) != 1:
        return False
    sizes[first:first] = [1] * mask.ndim
    update = _fitted("set_item", view("reshape", update, shape=tuple(sizes)), target.shape)
    dims = tuple(range(first, first + mask.ndim))
    flags = view("broadcast", mask, dims=dims, shape=target.shape)
    store("set_item", target, bind("select", flags, update, target))
    return True


def _picked(x: Array, plan: Plan) -> Array:
    """The part of `x` at 0-d indices: a copy, as in NumPy."""
    if CURRENT.get() is None:
        source = _viewed(x, tuple(plan.basic))
        return duplicate(_viewed(source, _ints(source, plan)))
    source, starts, sizes, part = _window(x, plan)
    return view("reshape", dynamic_slice(source, starts, sizes), shape=part)


def _put(x: Array, plan: Plan, value: ArrayLike) -> None:
    """Write to the part of `x` at 0-d indices."""
    if CURRENT.get() is None:
        target = _target(x, plan)
        _write("set_item", _viewed(target, _ints(target, plan)), value)
        return
    target, starts, sizes, part = _window(x, plan)
    update = view("reshape", _fitted("set_item", _converted(x, value), part), shape=sizes)
    store("set_item", target, dynamic_update_slice(target, update, starts))


def _window(x: Array, plan: Plan) -> tuple[Array, list[Array], Shape, Shape]:
    """Of what array the part at 0-d indices is a window, its starts and sizes, and the part's
    shape: of x itself where the slices have steps of 1, so that a write in a loop moves no more
    than the part."""
    lows, limits, strides, backwards, shape = basic_index(x.shape, tuple(plan.basic))
    plain = not backwards and all(stride == 1 for stride in strides)
    source = x if plain else _viewed(x, tuple(plan.basic))
    if not plain:
        lows, limits = (0,) * source.ndim, source.shape
    found: dict[int, Array] = {}
    for axis, called, index in plan.arrays:
        size = x.shape[called]
        check_range("index", index, size, called)
        found[called if plain else axis] = from_start(index, size)
    starts = [found.get(axis, size_array(low)) for axis, low in enumerate(lows)]
    sizes = tuple(
        1 if axis in found else limit - low
        for axis, (low, limit) in enumerate(zip(lows, limits, strict=True))
    )
    return source, starts, sizes, shapes.reduced(shape, tuple(axis for axis, _, _ in plan.arrays))


def _ints(source: Array, plan: Plan) -> Keys:
    """The keys of an eager array, its 0-d indices as ints."""
    keys: list[Any] = [slice(None)] * source.ndim
    for axis, called, index in plan.arrays:
        check_range("index", index, source.shape[axis], called)
        keys[axis] = int(values(index))
    return tuple(keys)


def _viewed(x: Array, keys: tuple[Any, ...]) -> Array:
    if is_run_time(keys):
        return run_time_view(x, _expanded(x.shape, keys), basic_index)
    starts, limits, strides, reversed_axes, shape = basic_index(x.shape, keys)
    result = x
    if not same((starts, limits, strides), ((0,) * x.ndim, x.shape, (1,) * x.ndim)):
        result = view("slice", result, starts=starts, limits=limits, strides=strides)
    if reversed_axes:
        result = view("reverse", result, axes=reversed_axes)
    return (
        result
        if same(result.shape, shape) and result is not x
        else view("reshape", result, shape=shape)
    )


def basic_index(shape: Shape, keys: tuple[Any, ...]) -> tuple[Shape, Shape, Shape, Shape, Shape]:
    """Starts, limits, strides, the axes to reverse after that, and the shape at last.

    Raises `IndexRangeError` for an int outside its axis or too many keys, `ArgumentError` for a
    key of another kind.
    """
    keys = _expanded(shape, keys)
    starts: list[int] = []
    limits: list[int] = []
    strides: list[int] = []
    backwards: list[int] = []
    final: list[int] = []
    for key in keys:
        if key is None:
            final.append(1)
            continue
        axis = len(starts)
        size = shape[axis]
        if isinstance(key, slice):
            start, limit, step, count = _slice(cast(Any, key), size)
            final.append(count)
            if step < 0:
                step = -step
                backwards.append(axis)
        else:
            start = index_in("index", key, size, axis)
            limit, step = start + 1, 1
        starts.append(start)
        limits.append(limit)
        strides.append(step)
    return tuple(starts), tuple(limits), tuple(strides), tuple(backwards), tuple(final)


def _slice(key: slice, size: int) -> tuple[int, int, int, int]:
    """Start and limit, step and count of a slice of an axis. Where the step is negative the axis
    is reversed after it was sliced."""
    start, stop = _bound(key.start), _bound(key.stop)
    step = 1 if key.step is None else shapes.integer("index", key.step, "slice step")
    if step == 0:
        fail(ArgumentError, "index: expected a slice step other than 0, found 0")
    if not is_static((size, start, stop)):
        return _symbolic_slice(start, stop, step, size)
    start, stop, step = slice(start, stop, step).indices(size)
    count = len(range(start, stop, step))
    if not count:
        return 0, 0, 1, 0
    last = start + (count - 1) * step
    if count == 1:
        step = abs(step)
    return min(start, last), max(start, last) + 1, step, count


def _bound(bound: Any) -> Any:
    """A bound of a slice. In the body of a loop a traced integer is a size; elsewhere the code is
    made for the value of a Python int, and arrays have none."""
    if bound is None or is_size(bound):
        return bound
    recorder = CURRENT.get()
    if recorder is not None and isinstance(bound, TracedArray) and recorder.in_loop():
        array = recorder.own(bound)
        if not array.ndim and array.dtype in INTEGERS and array.dtype != uint64:
            return recorder.sizes.number(array)
    return shapes.integer("index", bound, "slice bound")


def _symbolic_slice(start: Any, stop: Any, step: int, size: int) -> tuple[int, int, int, int]:
    """A slice with bounds or of a size that only a run knows, with Python's meaning."""
    recorder = CURRENT.get()
    assert recorder is not None
    table: Any = recorder.sizes
    if step < 0:
        if step != -1 or (start, stop) != (None, None):
            refuse("index", f"a slice with step {step} of an axis of size {size}")
        return 0, size, -1, size
    low = 0 if start is None else table.bound(start, size)
    high = size if stop is None else table.bound(stop, size)
    span = table.clamped(high - low, size)
    return low, low + span, step, -(-span // step)


def index_in(name: str, key: Any, size: int, axis: int) -> int:
    """An int key from 0 to `size` - 1; negative ones count from the end."""
    found = shapes.size(name, key, "key (or a slice, None, ... or an array)")
    if not -size <= found < size:
        expected = f"from {-size} to {size - 1}" if size else "none (the size is 0)"
        fail(IndexRangeError, f"{name}: expected an index {expected} on axis {axis}, found {found}")
    return found + size if found < 0 else found


def _expanded(shape: Shape, keys: tuple[Any, ...]) -> tuple[Any, ...]:
    """The keys with `...` written out, one for each axis and None."""
    used = sum(1 for key in keys if key is not None and key is not Ellipsis)
    if used > len(shape):
        fail(IndexRangeError, f"index: expected at most {len(shape)} keys, found {used}")
    places = [place for place, key in enumerate(keys) if key is Ellipsis]
    if len(places) > 1:
        fail(IndexRangeError, f"index: expected at most one ..., found {len(places)}")
    at = places[0] if places else len(keys)
    return (*keys[:at], *[slice(None)] * (len(shape) - used), *keys[at + 1 :])
