"""`custom_call`: C functions of this process in programs, eager and traced."""

# pyright: reportPrivateUsage=false
from __future__ import annotations

import ctypes
import operator
from typing import Any, cast

from lamina.errors import ArgumentError, LaminaError, ShapeError
from lamina.formats import is_symbol
from lamina.frontend import dtypes
from lamina.frontend.array import Array, ArrayLike, wrap
from lamina.frontend.bind import as_array, record, values
from lamina.frontend.dispatch import CURRENT
from lamina.frontend.dtypes import DType
from lamina.frontend.location import fail, shown, user_place
from lamina.frontend.shapes import Shape
from lamina.interpreters import foreign, nans


def register_custom_call(name: str, function: Any) -> None:
    """Let `custom_call(name, ...)` call a C function, as that function says.

    function: a function of a library that ctypes loaded (`ctypes.CDLL(path).f`), an instance of a
    `ctypes.CFUNCTYPE`, an object with an `address` (`numba.cfunc`), or an address as an int. It is
    kept alive. A name that is registered again means the new function at once, also in code that
    is compiled already: compiled code, and the disk cache, hold the name only.
    Raises ArgumentError for anything else, or a name that no C function can have.

    >>> import ctypes
    >>> import lamina as lm
    >>> kind = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.POINTER(ctypes.c_int64))
    >>> lm.register_custom_call("nothing", kind(lambda sizes: 0))
    >>> lm.custom_call("nothing", [])
    ()
    """
    found: Any = name
    if not isinstance(found, str) or not is_symbol(found):
        fail(ArgumentError, f"custom_call: expected the name of a C function, found {found!r}")
    foreign.register(name, _address(function), function)


def _address(function: Any) -> int:
    address: Any = getattr(function, "address", function)
    if hasattr(function, "argtypes"):
        address = ctypes.cast(function, ctypes.c_void_p).value
    if type(address) is not int or address <= 0:
        fail(
            ArgumentError,
            "custom_call: expected a ctypes function, an object with an address, or an address, "
            f"found {function!r}",
        )
    return address


def custom_call(name: str, results: Any, *args: ArrayLike, pure: bool = False) -> Any:
    """What the C function registered as `name` computes from arrays of any shapes and dtypes.

        int32_t f(const T *x, ..., R *y, ..., const int64_t *sizes)

    It gets a pointer to the elements of each argument, then of each result, row-major, and one to
    all their sizes in that order. bool is a byte of 0 or 1, float16 and bfloat16 are their 16
    bits, complex numbers pairs. It must not write to arguments, nor keep a pointer, and fills the
    results; it may be called on any thread, with the GIL or without. A status other than 0 is a
    LaminaError with the caller's line.

    results: a shape and a dtype, as a pair or an object with `shape` and `dtype`; for several
    results a list of them, which gives a tuple. pure: the function has no effect but its results,
    so that a call that nobody reads may go away, and two equal ones be one; else calls stay in
    program order. It has no derivative.

    Raises ArgumentError for a name that is not registered, or bad `results`.

    >>> import ctypes
    >>> import lamina as lm
    >>> pointer = ctypes.POINTER(ctypes.c_double)
    >>> @ctypes.CFUNCTYPE(ctypes.c_int32, pointer, pointer, ctypes.POINTER(ctypes.c_int64))
    ... def double(x, y, sizes):
    ...     for i in range(sizes[0]):
    ...         y[i] = 2 * x[i]
    ...     return 0
    >>> lm.register_custom_call("double_it", double)
    >>> lm.custom_call("double_it", ((2,), lm.float64), lm.asarray([1.0, 2.0]))
    Array([2., 4.])
    """
    if (why := foreign.why_not(name)) is not None:
        fail(ArgumentError, why)
    several = isinstance(results, list)
    kinds = [_kind(given) for given in cast("list[Any]", results if several else [results])]
    if pure and not kinds:
        fail(ArgumentError, f"custom_call: {name}: expected a result of a pure call, found none")
    arrays = [as_array("custom_call", arg) for arg in args]
    recorder = CURRENT.get()
    found = (
        _call(name, kinds, arrays)
        if recorder is None
        else recorder.effect(
            "custom_call", arrays, {"symbol": name} | ({"pure": True} if pure else {}), kinds
        )
    )
    return tuple(found) if several else found[0]


def _call(name: str, kinds: list[tuple[Shape, DType]], arrays: list[Array]) -> list[Array]:
    """The eager call."""
    try:
        given = [values(array) for array in arrays]
        found = foreign.call(name, given, kinds)
        nans.look("custom_call", given, found)
    except LaminaError as error:
        error.place = error.place or user_place()
        raise
    return [record("custom_call", arrays, wrap(data), {}) for data in found]


def _kind(given: Any) -> tuple[Shape, DType]:
    """The shape and dtype of a result."""
    pair: Any = (given.shape, given.dtype) if hasattr(given, "dtype") else given
    if not isinstance(pair, tuple) or len(cast("tuple[Any, ...]", pair)) != 2:
        fail(
            ArgumentError,
            "custom_call: expected a (shape, dtype) for a result, or a list of them, found "
            f"{shown(given)}",
        )
    shape, dtype = cast("tuple[Any, Any]", pair)
    sizes = _sizes(shape)
    return sizes, dtypes.normalize(dtype)


def _sizes(shape: Any) -> Shape:
    try:
        sizes = tuple(map(operator.index, shape)) if not isinstance(shape, int) else (shape,)
    except TypeError:
        fail(ShapeError, f"custom_call: expected a shape of ints, found {shown(shape)}")
    if any(size < 0 for size in sizes):
        fail(ShapeError, f"custom_call: expected sizes of 0 or more, found {sizes}")
    return sizes
