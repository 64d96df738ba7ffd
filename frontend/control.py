"""Control flow on arrays: `cond`, `switch`, `while_loop`, `fori_loop`, `scan`, `map`.

Eager, they are Python's branches and loops. While a trace runs they keep both branches, and loops
stay loops: `scf.if`, `scf.while` and `scf.for` on tensors. Functions may close over arrays, and may
write them. A carry, and what a loop's function gets, is memory of the loop's own, and results are
fresh arrays.
"""

# pyright: reportPrivateUsage=false
from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, SupportsIndex

import numpy as np

from lamina.errors import ArgumentError, DTypeError, ShapeError
from lamina.frontend import dtypes, shapes, tree
from lamina.frontend.array import Array, ArrayLike, is_array, is_ndarray, is_numpy_scalar
from lamina.frontend.bind import as_array, cast, constant, duplicate, full, store, values, view
from lamina.frontend.carry import Carry, Results, foreseen
from lamina.frontend.dims import is_size
from lamina.frontend.dispatch import CURRENT
from lamina.frontend.index_arrays import dynamic_slice, dynamic_update_slice
from lamina.frontend.location import fail
from lamina.frontend.logic import less
from lamina.frontend.manipulation import stack
from lamina.frontend.size_checks import equal
from lamina.frontend.traced import TracedArray, WeakScalar

if TYPE_CHECKING:
    from lamina.frontend.recorder import Recorder

NARROW = dtypes.INTEGERS - {dtypes.uint64}
_INT64 = range(-(2**63), 2**63)


def cond(
    pred: ArrayLike,
    true_fn: Callable[..., Any],
    false_fn: Callable[..., Any],
    /,
    *operands: Any,
) -> Any:
    """`true_fn(*operands)` if `pred` holds, else `false_fn(*operands)`.

    pred: a bool, or a 0-d array of bool. Where it is a Python bool, or eager, only the function
    that is chosen is called; where it is traced both are, and the compiled program runs one.
    operands: trees; NumPy arrays in them reach the functions as arrays of ours. The functions give
    trees of arrays and numbers: in traced code of one structure, with equal shapes and dtypes.
    Results are fresh arrays. Raises `ShapeError` or `DTypeError` for a `pred` that is no 0-d bool
    and for results that differ, `ArgumentError` for other structures.

    >>> import lamina as lm
    >>> @lm.jit
    ... def halved(x):
    ...     return lm.cond(lm.max(x) > 1, lambda x: x / 2, lambda x: x, x)
    >>> halved(lm.asarray([1.0, 3.0])), halved(lm.asarray([0.5, 1.0]))
    (Array([0.5, 1.5]), Array([0.5, 1. ]))
    """
    given = _operands(operands)
    for what, function in (("true_fn", true_fn), ("false_fn", false_fn)):
        _check_callable("cond", what, function, len(given))
    flag = _truth("cond", pred)
    recorder = CURRENT.get()
    if recorder is None or not isinstance(flag, Array):
        chosen = true_fn if (values(flag) if isinstance(flag, Array) else flag) else false_fn
        return _alone("cond", chosen, given)
    from lamina.frontend import regions

    made = _Branches("cond", given)
    runs = [partial(made.run, function) for function in (true_fn, false_fn)]
    return made.value(regions.branches(recorder, recorder.own(flag), runs))


def switch(index: SupportsIndex, fns: Sequence[Callable[..., Any]], /, *operands: Any) -> Any:
    """`fns[index](*operands)`, with `index` clamped to the list: below 0 the first function, from
    `len(fns)` on the last.

    index: an int, or a 0-d array of integers. A Python int, or an eager array, chooses at once;
    a traced one keeps all functions (a search of nested `scf.if`). Operands, results and errors
    are those of `cond`; `ArgumentError` for an empty list.

    >>> import lamina as lm
    >>> step = lm.jit(lambda i, x: lm.switch(i, [lm.negative, lm.square, lm.exp], x))
    >>> step(lm.asarray(1), lm.asarray([2.0, 3.0]))
    Array([4., 9.])
    """
    given = _operands(operands)
    if not isinstance(fns, (list, tuple)) or not fns:
        fail(ArgumentError, f"switch: expected a list of functions, found {_shown(fns)}")
    for number, function in enumerate(fns):
        _check_callable("switch", f"fns[{number}]", function, len(given))
    found = _integer("switch", index, "index", dtypes.INTEGERS)
    if isinstance(found, int):
        return _alone("switch", fns[min(max(found, 0), len(fns) - 1)], given)
    made = _Branches("switch", given)
    if found.dtype != dtypes.uint64:
        found = cast(found, dtypes.int64)
    return made.value(_search(found, [partial(made.run, function) for function in fns], 0))


def while_loop(cond_fn: Callable[[Any], Any], body_fn: Callable[[Any], Any], init: Any, /) -> Any:
    """`carry = init; while cond_fn(carry): carry = body_fn(carry)`, and the last carry.

    init: a tree of arrays and numbers. The carry keeps its structure, shapes and dtypes; a Python
    number in `init` is 0-d and takes the dtype that the body gives it (eager, the first trip
    computes with the number itself). cond_fn gives a bool or a 0-d array of bool. Raises
    `ShapeError`, `DTypeError` or `ArgumentError` for a carry that changes.

    >>> import lamina as lm
    >>> @lm.jit
    ... def log2_floor(n):
    ...     return lm.while_loop(lambda c: c[0] > 1, lambda c: (c[0] // 2, c[1] + 1), (n, 0))[1]
    >>> log2_floor(lm.asarray(1000))
    Array(9)
    """
    _check_callable("while_loop", "cond_fn", cond_fn, 1)
    _check_callable("while_loop", "body_fn", body_fn, 1)
    carry = Carry("while_loop", init)
    recorder = CURRENT.get()
    if recorder is None:
        leaves: list[Any] = carry.start
        while values(as_array("while_loop", _truth("while_loop", cond_fn(carry.value(leaves))))):
            leaves = carry.taken(body_fn(carry.value(leaves)), leaves)
        return _finished(carry, leaves, body_fn)
    from lamina.frontend import regions

    def test(leaves: list[TracedArray]) -> TracedArray:
        holds = _truth("while_loop", cond_fn(carry.value(leaves)))
        return recorder.own(as_array("while_loop", holds))

    def body(leaves: list[TracedArray]) -> list[TracedArray]:
        return _owned(recorder, carry.taken(body_fn(carry.value(leaves)), leaves))

    carry.foresee(body_fn)
    return carry.value(regions.repeated(recorder, _owned(recorder, carry.begun()), test, body))


def fori_loop(
    lo: SupportsIndex, hi: SupportsIndex, body_fn: Callable[[Any, Any], Any], init: Any, /
) -> Any:
    """`carry = init; for i in range(lo, hi): carry = body_fn(i, carry)`, and the last carry.

    lo, hi: ints, or 0-d arrays of integers (not uint64), traced or not. `i` is a 0-d array of
    int64. The carry is that of `while_loop`, with its errors.

    >>> import lamina as lm
    >>> power = lm.jit(lambda x, n: lm.fori_loop(0, n, lambda i, c: c * x, 1))
    >>> power(lm.asarray(2.0), 10)
    Array(1024.)
    """
    _check_callable("fori_loop", "body_fn", body_fn, 2)
    low = _integer("fori_loop", lo, "lower bound", NARROW)
    high = _integer("fori_loop", hi, "upper bound", NARROW)
    carry = Carry("fori_loop", init)
    recorder = CURRENT.get()
    if recorder is None:
        leaves: list[Any] = carry.start
        assert isinstance(low, int) and isinstance(high, int)
        for i in range(low, high):
            leaves = carry.taken(body_fn(_number(i), carry.value(leaves)), leaves)
        return _finished(carry, leaves, lambda c: body_fn(_number(0), c))
    from lamina.frontend import regions

    def body(i: TracedArray, leaves: list[TracedArray]) -> list[TracedArray]:
        return _owned(recorder, carry.taken(body_fn(i, carry.value(leaves)), leaves))

    bounds = _bound(low), _bound(high)
    carry.foresee(lambda c: body_fn(regions.imagined_index(recorder, bounds), c))
    return carry.value(regions.counted(recorder, bounds, _owned(recorder, carry.begun()), body))


def scan(
    f: Callable[[Any, Any], Any],
    init: Any,
    xs: Any = None,
    /,
    *,
    length: SupportsIndex | None = None,
    reverse: bool = False,
) -> tuple[Any, Any]:
    """`carry, y = f(carry, x)` for each `x` of `xs`: the last carry, and every `y`, stacked.

    xs: a tree of arrays that are cut along their first axis, all of one size (`length`, if given);
    without it `f` gets None, `length` times. reverse: from the last `x` to the first; `y` number k
    is still that of `x` number k. The carry is that of `while_loop`, with its errors; each `y` is a
    tree with equal structure, shapes and dtypes.

    >>> import lamina as lm
    >>> lm.scan(lambda c, x: (c + x, c * 10), 0, lm.asarray([1, 2, 3]))
    (Array(6), Array([ 0, 10, 30]))
    """
    return _scan("scan", f, init, xs, length, reverse)


def map(f: Callable[[Any], Any], xs: Any, /) -> Any:
    """`f` of each element of `xs` along its first axis, the results stacked; a loop, as `scan`.

    xs and the results are trees of arrays.

    >>> import lamina as lm
    >>> lm.map(lm.sum, lm.asarray([[1.0, 2.0], [3.0, 4.0]]))
    Array([3., 7.])
    """
    _check_callable("map", "f", f, 1)
    return _scan("map", lambda carry, x: (carry, f(x)), None, xs, None, False)[1]


def _scan(
    name: str, f: Callable[[Any, Any], Any], init: Any, xs: Any, length: Any, reverse: Any
) -> tuple[Any, Any]:
    _check_callable(name, "f", f, 2)
    backwards = shapes.flag(name, reverse, "reverse")
    rows, structure = tree.flatten(xs)
    rows = [as_array(name, row) for row in rows]
    count = _length(name, rows, length)
    carry, outputs = Carry(name, init), _Outputs(name, count)
    recorder = CURRENT.get()

    def once(given: Any, parts: list[Array]) -> tuple[Any, Any]:
        return _pair(name, f(given, tree.unflatten(structure, parts)))

    def imagined(given: Any) -> Any:
        zeros = [full(0, row.shape[1:], row.dtype) for row in rows]
        given, y = once(given, zeros)
        outputs.arrays(y)
        return given

    if not count:
        with foreseen():
            carry.taken(imagined(carry.value(carry.start)), carry.start)
        return carry.result([duplicate(x) for x in carry.begun()]), outputs.empty()
    if recorder is None:
        leaves: list[Any] = carry.start
        for k in range(count - 1, -1, -1) if backwards else range(count):
            given, y = once(carry.value(leaves), [duplicate(row[k]) for row in rows])
            outputs.collected.append([duplicate(x) for x in outputs.arrays(y)])
            leaves = carry.taken(given, leaves)
        return carry.result(leaves), outputs.stacked(backwards)
    from lamina.frontend import regions

    def body(i: TracedArray, leaves: list[TracedArray]) -> list[TracedArray]:
        k = (count - 1) - i if backwards else i
        given, y = once(carry.value(leaves), [_row(row, k) for row in rows])
        outputs.write(recorder, k, y)
        return _owned(recorder, carry.taken(given, leaves))

    carry.foresee(imagined)
    start = _owned(recorder, carry.begun())
    last = regions.counted(recorder, (0, count), start, body)
    return carry.value(last), outputs.value(outputs.buffers)


class _Outputs(Results):
    """What each trip of a scan gives beside the carry.

    Eager it is collected, traced it is written to buffers around the loop.
    """

    def __init__(self, name: str, count: int) -> None:
        super().__init__(name, "results", "give the same type in each trip")
        self.count = count
        self.collected: list[list[Array]] = []
        self.buffers: list[Array] = []

    def _made(self) -> list[Array]:
        assert self.types is not None
        return [full(0, (self.count, *shape), dtype) for shape, dtype in self.types]

    def empty(self) -> Any:
        """The result of no trips."""
        return self.value(self._made())

    def stacked(self, backwards: bool) -> Any:
        """The collected results."""
        rows = self.collected[::-1] if backwards else self.collected
        return self.value([stack(column) for column in zip(*rows, strict=True)])

    def write(self, recorder: Recorder, k: Array, y: Any) -> None:
        """Record that the row `k` of the buffers is `y`."""
        arrays = self.arrays(y)
        if not self.buffers:
            with recorder.outside():
                self.buffers = self._made()
        for buffer, array in zip(self.buffers, arrays, strict=True):
            row = view("reshape", array, shape=(1, *array.shape))
            store(self.name, buffer, dynamic_update_slice(buffer, row, _starts(buffer, k)))


class _Branches(Results):
    """Functions of which a run-time value chooses one."""

    def __init__(self, name: str, operands: Sequence[Any]) -> None:
        super().__init__(name, "results of the branches", "convert one of them")
        self.operands = operands

    def run(self, function: Callable[..., Any]) -> list[TracedArray]:
        """Record one branch; its leaves."""
        recorder = CURRENT.get()
        assert recorder is not None
        return _owned(recorder, self.arrays(function(*self.operands)))


def _search(
    index: Array, runs: Sequence[Callable[[], list[TracedArray]]], first: int
) -> list[TracedArray]:
    """The run of number `index` - `first`, clamped, by halving."""
    from lamina.frontend import regions

    if len(runs) == 1:
        return runs[0]()
    recorder = CURRENT.get()
    assert recorder is not None
    middle = len(runs) // 2
    below = recorder.own(less(index, first + middle))
    halves = [
        partial(_search, index, runs[:middle], first),
        partial(_search, index, runs[middle:], first + middle),
    ]
    return regions.branches(recorder, below, halves)


def _operands(operands: tuple[Any, ...]) -> list[Any]:
    """The operands, with NumPy arrays as arrays on their memory."""

    def shared(leaf: Any) -> Any:
        return as_array("cond", leaf) if is_ndarray(leaf) else leaf

    return [tree.map_leaves(shared, operand) for operand in operands]


def _alone(name: str, function: Callable[..., Any], operands: Sequence[Any]) -> Any:
    """The result of the one branch that is known to be taken."""

    def fresh(leaf: Any) -> Array:
        return duplicate(as_array(name, leaf))

    return tree.map_leaves(fresh, function(*operands))


def _check_callable(name: str, what: str, function: Any, count: int) -> None:
    if not callable(function):
        fail(ArgumentError, f"{name}: expected a function as {what}, found {_shown(function)}")
    try:
        inspect.signature(function).bind(*(None,) * count)
    except TypeError as error:
        fail(ArgumentError, f"{name}: expected {what} to take {count} arguments, found: {error}")
    except ValueError:
        pass  # a builtin without a signature


def _shown(value: Any) -> str:
    empty = type(value) in (list, tuple) and not value
    return "an empty list" if empty else f"a {type(value).__name__}"


def _truth(name: str, pred: Any) -> bool | Array:
    """A condition: a Python bool, or a 0-d array of bool."""
    if isinstance(pred, bool):
        return pred
    array = as_array(name, pred)
    if array.ndim:
        fail(
            ShapeError,
            f"{name}: expected a 0-d condition, found shape {array.shape}; use lm.any or lm.all",
        )
    if array.dtype != dtypes.bool_:
        fail(
            DTypeError,
            f"{name}: expected a condition of bool, found {array.dtype}; compare, as in x != 0",
        )
    return bool(pred) if is_numpy_scalar(pred) else array


def _integer(name: str, value: Any, what: str, family: frozenset[Any]) -> int | Array:
    """An int, or a traced 0-d array of `family`."""
    if is_size(value) or (isinstance(value, WeakScalar) and value.kind is int):
        number: Any = value
        return as_array(name, number)
    if is_array(value) and not isinstance(value, WeakScalar):
        array = as_array(name, value)
        if array.ndim:
            fail(ShapeError, f"{name}: expected a 0-d {what}, found shape {array.shape}")
        if array.dtype not in family:
            listed = "an integer dtype" if dtypes.uint64 in family else "int64 or narrower"
            fail(DTypeError, f"{name}: expected {listed} for the {what}, found {array.dtype}")
        return int(values(array)) if CURRENT.get() is None else array
    if is_numpy_scalar(value):
        as_array(name, value)  # the trace takes note
    number = shapes.integer(name, value, what)
    if family is NARROW and number not in _INT64:
        fail(ArgumentError, f"{name}: expected a {what} of int64, found {number}")
    return number


def _bound(found: int | Array) -> int | TracedArray:
    """A bound for the recorder."""
    recorder = CURRENT.get()
    assert recorder is not None
    return found if isinstance(found, int) else recorder.own(cast(found, dtypes.int64))


def _number(value: int) -> Array:
    return constant(np.asarray(value, np.int64))


def _owned(recorder: Recorder, arrays: Sequence[Array]) -> list[TracedArray]:
    return [recorder.own(array) for array in arrays]


def _finished(carry: Carry, leaves: Sequence[Any], body: Callable[[Any], Any]) -> Any:
    """The carry after an eager loop, perhaps of no trips."""
    if leaves is carry.start:
        carry.foresee(body)
        leaves = carry.begun()
    return carry.result(leaves)


def _pair(name: str, found: Any) -> tuple[Any, Any]:
    """The carry and the result that a function gave."""
    pair: tuple[Any, ...] = tuple(found) if type(found) in (tuple, list) else ()
    if len(pair) != 2:
        fail(ArgumentError, f"{name}: expected f to give a pair (carry, y), found {_shown(found)}")
    return pair[0], pair[1]


def _length(name: str, rows: Sequence[Array], length: Any) -> int:
    """The number of trips of a scan."""
    for row in rows:
        if not row.ndim:
            fail(ShapeError, f"{name}: expected xs of at least one axis, found a 0-d array")
    sizes = [row.shape[0] for row in rows]
    if length is not None:
        sizes.insert(0, shapes.size(name, length, "length"))
        if sizes[0] < 0:
            fail(ArgumentError, f"{name}: expected a length of 0 or more, found {sizes[0]}")
    if not sizes:
        fail(ArgumentError, f"{name}: expected xs with arrays, or length=")
    if not all(equal(name, size, sizes[0]) for size in sizes):
        fail(ShapeError, f"{name}: expected one length of the first axes, found {sizes}")
    return sizes[0]


def _starts(x: Array, k: Array) -> list[Array]:
    """Where row `k` begins."""
    return [k, *(_number(0) for _ in x.shape[1:])]


def _row(x: Array, k: Array) -> Array:
    """Row `k` of a traced array."""
    found = dynamic_slice(x, _starts(x, k), (1, *x.shape[1:]))
    return view("reshape", found, shape=x.shape[1:])
