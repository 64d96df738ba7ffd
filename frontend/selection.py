"""`x[mask]` in traced code: the elements where a bool array holds, of a number only the run knows.

Such a `Selection` is kept as whole arrays: what is computed of it is computed everywhere (of ones
where the mask does not hold, so that no error and no NaN comes from there), reductions skip what is
not selected, and `x[mask] = selection` writes it back where it was. It has no shape.
"""

# pyright: reportPrivateUsage=false
from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NoReturn
from typing import cast as typed

import numpy as np

from lamina.errors import ArgumentError, ShapeError, TraceError
from lamina.frontend import dtypes, shapes
from lamina.frontend.array import Array, is_array
from lamina.frontend.bind import as_array, bind, broadcast, cast, full, is_weak, view
from lamina.frontend.checks import check
from lamina.frontend.dispatch import CURRENT, FUNCTIONS
from lamina.frontend.dtypes import DType
from lamina.frontend.location import fail
from lamina.frontend.numpy_names import UFUNCS
from lamina.frontend.shapes import Shape
from lamina.frontend.traced import TracedArray

if TYPE_CHECKING:
    from xdsl.ir import SSAValue

REDUCTIONS = ("sum", "prod", "max", "min", "any", "all", "mean", "var", "std", "count_nonzero")
ELEMENTWISE = ("where", "clip", "real", "imag", "round", "astype", "copy")
"""Functions, beside ufuncs, that are applied to each element on its own."""
UFUNC_REDUCTIONS = {
    "add": "sum",
    "multiply": "prod",
    "maximum": "max",
    "minimum": "min",
    "logical_and": "all",
    "logical_or": "any",
}


def _operator(name: str, reflected: bool = False) -> Callable[..., Any]:
    def method(self: Selection, *others: Any) -> Any:
        operands = (*others, self) if reflected else (self, *others)
        return applied(name, FUNCTIONS[name], operands)

    return method


def _reduction(name: str) -> Callable[..., Any]:
    def method(self: Selection, axis: Any = None, **options: Any) -> Any:
        return reduced(name, self, axis, options)

    return method


class Selection:
    """The elements of `values` where `mask` holds, as NumPy puts them: the axes of the mask are
    one axis, number `first`. `values` are ones elsewhere."""

    __slots__ = ("first", "mask", "values")
    __hash__ = None  # type: ignore[assignment]  # == is elementwise

    def __init__(self, values: Array, mask: Array, first: int) -> None:
        self.values = values
        self.mask = mask
        self.first = first

    def refuse(self, called: str) -> NoReturn:
        """Raise: nothing that depends on the number of elements can be compiled."""
        file, line, _ = typed(TracedArray, self.values)._position
        fail(
            TraceError,
            f"{called}: expected an array whose shape does not depend on values in traced code, "
            f"found x[mask] (made at {file}:{line}); compute on its elements with "
            "NumPy's functions, reduce it, write it back with x[mask] = ..., or use lm.where",
        )

    @property
    def dtype(self) -> DType:
        """The element type."""
        return self.values.dtype

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return self.values.ndim - self.mask.ndim + 1

    @property
    def size(self) -> Array:
        """The number of elements: a 0-d array of int64, which the run knows."""
        return FUNCTIONS["sum"](broadcast_mask(self), dtype=dtypes.int64)

    @property
    def real(self) -> Any:
        """The real parts."""
        return applied("real", FUNCTIONS["real"], (self,))

    @property
    def imag(self) -> Any:
        """The imaginary parts."""
        return applied("imag", FUNCTIONS["imag"], (self,))

    @property
    def shape(self) -> NoReturn:
        """Not known: raises `TraceError`."""
        self.refuse("shape")

    @property
    def T(self) -> Selection:
        """Itself, of one axis. Raises `TraceError` for more."""
        return self if self.ndim == 1 else self.refuse("T")

    def __len__(self) -> NoReturn:  # noqa: PLE0303 (it raises)
        self.refuse("len")

    def __iter__(self) -> Iterator[Any]:
        self.refuse("iteration")

    def __bool__(self) -> NoReturn:  # noqa: PLE0304 (it raises)
        self.refuse("bool")

    def __getitem__(self, key: Any) -> NoReturn:
        self.refuse("index")

    def __array__(self, dtype: Any = None, copy: Any = None) -> NoReturn:
        self.refuse("np.asarray")

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("__"):
            raise AttributeError(name)
        self.refuse(name)

    def astype(self, dtype: Any, *, copy: bool = True) -> Any:
        """The elements, of another type."""
        wanted = dtypes.normalize(dtype)
        return applied("astype", partial(cast, dtype=wanted), (self,))

    def copy(self) -> Selection:
        """Itself: nothing writes to it."""
        return self

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        called = f"np.{ufunc.__name__}" + ("" if method == "__call__" else f".{method}")
        name = UFUNCS.get(ufunc.__name__, "")
        if method == "__call__" and name and ufunc.signature is None and not options:
            return applied(called, FUNCTIONS[name], inputs)
        if method == "reduce" and ufunc.__name__ in UFUNC_REDUCTIONS:
            axis = options.pop("axis", 0)
            return reduced(UFUNC_REDUCTIONS[ufunc.__name__], self, axis, options)
        self.refuse(called)

    def __array_function__(
        self, function: Any, types: Any, arguments: tuple[Any, ...], options: dict[str, Any]
    ) -> Any:
        name = {"amax": "max", "amin": "min"}.get(function.__name__, function.__name__)
        if name in REDUCTIONS and arguments and arguments[0] is self:
            axis = options.pop("axis", None) if len(arguments) == 1 else arguments[1]
            if len(arguments) < 3:
                return reduced(name, self, axis, options)
        if name in ELEMENTWISE:
            return applied(f"np.{name}", lambda *x: FUNCTIONS[name](*x, **options), arguments)
        self.refuse(f"np.{name}")

    sum = _reduction("sum")
    prod = _reduction("prod")
    max = _reduction("max")
    min = _reduction("min")
    any = _reduction("any")
    all = _reduction("all")
    mean = _reduction("mean")
    var = _reduction("var")
    std = _reduction("std")

    __add__, __radd__ = _operator("add"), _operator("add", True)
    __sub__, __rsub__ = _operator("subtract"), _operator("subtract", True)
    __mul__, __rmul__ = _operator("multiply"), _operator("multiply", True)
    __truediv__, __rtruediv__ = _operator("divide"), _operator("divide", True)
    __floordiv__, __rfloordiv__ = _operator("floor_divide"), _operator("floor_divide", True)
    __mod__, __rmod__ = _operator("remainder"), _operator("remainder", True)
    __pow__, __rpow__ = _operator("pow"), _operator("pow", True)
    __and__, __rand__ = _operator("bitwise_and"), _operator("bitwise_and", True)
    __or__, __ror__ = _operator("bitwise_or"), _operator("bitwise_or", True)
    __xor__, __rxor__ = _operator("bitwise_xor"), _operator("bitwise_xor", True)
    __lshift__, __rlshift__ = _operator("bitwise_left_shift"), _operator("bitwise_left_shift", True)
    __rshift__ = _operator("bitwise_right_shift")
    __rrshift__ = _operator("bitwise_right_shift", True)
    __eq__, __ne__ = _operator("equal"), _operator("not_equal")  # type: ignore[assignment]
    __lt__, __le__ = _operator("less"), _operator("less_equal")
    __gt__, __ge__ = _operator("greater"), _operator("greater_equal")
    __neg__, __pos__ = _operator("negative"), _operator("positive")
    __abs__, __invert__ = _operator("abs"), _operator("bitwise_invert")


def select(source: Array, mask: Array, first: int) -> Selection:
    """The elements of `source` where `mask` holds on the axes from `first` on."""
    recorder = CURRENT.get()
    assert recorder is not None
    own = recorder.own(mask)
    kept = recorder.fresh(recorder.read(own), own.shape, own.dtype, own._position)
    made = Selection(source, kept, first)
    ones = full(1, source.shape, source.dtype)
    made.values = bind("select", broadcast_mask(made), source, ones)
    return made


def broadcast_mask(x: Selection) -> Array:
    """The mask at each place of the values."""
    dims = tuple(range(x.first, x.first + x.mask.ndim))
    return view("broadcast", x.mask, dims=dims, shape=x.values.shape)


def stored(x: Selection, target: Array, mask: Array, first: int) -> Array:
    """What `target` becomes by `target[mask] = x`. Raises `TraceError` for another mask."""
    _check_same(x, Selection(target, mask, first))
    if x.values.shape != target.shape:
        fail(
            ShapeError,
            f"set_item: expected elements of an array of shape {target.shape}, found those of "
            f"{x.values.shape}",
        )
    return bind("select", broadcast_mask(x), cast(x.values, target.dtype), target)


def applied(called: str, ours: Callable[..., Any], operands: Sequence[Any]) -> Any:
    """An elementwise function of selections through one mask, arrays that broadcast to them, and
    numbers."""
    model = next(x for x in operands if isinstance(x, Selection))
    given: list[Any] = []
    for x in operands:
        if isinstance(x, Selection):
            _check_same(x, model)
            given.append(x.values)
        else:
            given.append(_spread(called, x, model) if is_array(x) and not is_weak(x) else x)
    result: Array = ours(*given)
    return Selection(result, model.mask, model.first)


def _spread(called: str, x: Any, model: Selection) -> Array:
    """An array with an axis for each of the mask's, all of size 1."""
    array = as_array(called, x)
    shape = (1,) * (model.ndim - array.ndim) + array.shape
    if len(shape) != model.ndim or shape[model.first] != 1:
        fail(
            ShapeError,
            f"{called}: expected a number beside x[mask], or an array that has size 1 on axis "
            f"{model.first} of {model.ndim}, found shape {array.shape}",
        )
    axes = (1,) * model.mask.ndim
    wanted = (*shape[: model.first], *axes, *shape[model.first + 1 :])
    return view("reshape", array, shape=wanted)


def reduced(name: str, x: Selection, axis: Any, options: dict[str, Any]) -> Any:
    """A reduction along axes as NumPy counts them: the elements are along one."""
    given = {{"ddof": "correction"}.get(key, key): value for key, value in options.items()}
    keepdims = shapes.flag(name, given.pop("keepdims", False), "keepdims")
    if unknown := set(given) - {"dtype", "correction"}:
        fail(ArgumentError, f"{name}: expected no {min(unknown)} for x[mask]")
    axes = shapes.axis_indices(name, axis, x.ndim)
    count = x.mask.ndim
    places = [a if a < x.first else a + count - 1 for a in axes if a != x.first]
    if x.first not in axes:
        result = FUNCTIONS[name](x.values, axis=tuple(places), keepdims=keepdims, **given)
        below = 0 if keepdims else sum(place < x.first for place in places)
        return Selection(result, x.mask, x.first - below)
    places = tuple(sorted([*places, *range(x.first, x.first + count)]))
    result = _over(name, x, places, given)
    if not keepdims:
        return result
    shape = tuple(1 if k in places else size for k, size in enumerate(x.values.shape))
    return view("reshape", result, shape=(*shape[: x.first], *shape[x.first + count - 1 :]))


def _over(name: str, x: Selection, axes: Shape, options: dict[str, Any]) -> Array:
    """The selected elements along axes of the values, those of the mask among them."""
    if name in ("mean", "var", "std"):
        return _statistic(name, x, axes, options)
    if name in ("max", "min"):
        found = FUNCTIONS["any"](broadcast_mask(x), axis=axes)
        check(found, ShapeError, f"{name}: expected 1 element or more of x[mask], found 0")
    filler = full(_neutral(name, x.dtype), x.values.shape, x.dtype)
    values = bind("select", broadcast_mask(x), x.values, filler)
    return FUNCTIONS[name](values, axis=axes, **options)


def _neutral(name: str, dtype: DType) -> Any:
    """A value that changes no reduction `name`."""
    if name in ("max", "min"):
        if dtype == dtypes.bool_:
            return name == "min"
        low, high = dtypes.RANGES.get(dtype, (-np.inf, np.inf))
        return low if name == "max" else high
    return 1 if name in ("prod", "all") else 0


def _statistic(name: str, x: Selection, axes: Shape, options: dict[str, Any]) -> Array:
    """mean, var (in two passes) or std of the selected elements; of none, NaN."""
    dtype = options.pop("dtype", None)
    dtype = x.dtype if dtype is None else dtypes.normalize(dtype)
    dtype = dtypes.float64 if dtype in dtypes.BITS else dtype
    values, mask = cast(x.values, dtypes.wide(dtype)), broadcast_mask(x)
    zero = full(0, values.shape, values.dtype)
    count = FUNCTIONS["sum"](cast(mask, dtypes.wide(_part(dtype))), axis=axes, keepdims=True)
    total = FUNCTIONS["sum"](bind("select", mask, values, zero), axis=axes, keepdims=True)
    result = FUNCTIONS["divide"](total, count)
    if name != "mean":
        off = FUNCTIONS["abs"](FUNCTIONS["subtract"](values, broadcast(result, values.shape)))
        squares = FUNCTIONS["square"](off)
        squares = bind("select", mask, squares, full(0, squares.shape, squares.dtype))
        freedom = FUNCTIONS["maximum"](count - options.pop("correction", 0), 0)
        result = FUNCTIONS["sum"](squares, axis=axes, keepdims=True) / freedom
        result = FUNCTIONS["sqrt"](result) if name == "std" else result
        dtype = _part(dtype)
    shape = shapes.reduced(x.values.shape, axes)
    return cast(view("reshape", result, shape=shape), dtype)


def _part(dtype: DType) -> DType:
    return dtypes.PART_OF.get(dtype, dtype)


def _check_same(x: Selection, y: Selection) -> None:
    recorder = CURRENT.get()
    assert recorder is not None
    a, b = (recorder.read(recorder.own(z.mask)) for z in (x, y))
    if x.first != y.first or not _same(a, b, [256]):
        fail(
            TraceError,
            "index: expected the elements of one mask, found those of two, whose numbers may "
            "differ; write x[mask] = f(x[mask]) with one mask, or use lm.where",
        )


def _same(a: SSAValue, b: SSAValue, budget: list[int]) -> bool:
    """Whether two values are the same, or the same op of the same values; a few ops deep."""
    if a is b:
        return True
    from xdsl.ir import OpResult

    budget[0] -= 1
    if budget[0] < 0 or not isinstance(a, OpResult) or not isinstance(b, OpResult):
        return False
    x, y = a.owner, b.owner
    return (
        x.name == y.name
        and a.index == b.index
        and x.properties == y.properties
        and x.attributes == y.attributes
        and not x.regions
        and not y.regions
        and len(x.operands) == len(y.operands)
        and all(_same(p, q, budget) for p, q in zip(x.operands, y.operands, strict=True))
        and a.type == b.type
    )
