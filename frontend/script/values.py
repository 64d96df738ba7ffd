"""What operators need to know of a value: whether a run decides it, and its truth."""

# pyright: reportPrivateUsage=false
from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from lamina.errors import ShapeError, TraceError
from lamina.frontend import dtypes, tree
from lamina.frontend.array import Array, is_array
from lamina.frontend.bind import as_array, is_weak, view
from lamina.frontend.dispatch import CURRENT, FUNCTIONS
from lamina.frontend.location import fail
from lamina.frontend.maybe_shared import link_returned
from lamina.frontend.numpy_creation import replacement
from lamina.frontend.runtime_scalar import RuntimeScalar, plain
from lamina.frontend.traced import TracedArray, WeakScalar

if TYPE_CHECKING:
    from lamina.frontend.recorder import Recorder


class Undefined:
    """The value of a variable that has none; why, where Python might give it one."""

    def __init__(self, name: str, why: str = "") -> None:
        self.name = name
        self.why = why

    def refuse(self) -> NoReturn:
        """Raise, as Python does where such a variable is read."""
        if not self.why:
            raise UnboundLocalError(
                f"cannot access local variable '{self.name}' where it is not associated with a "
                "value"
            )
        fail(
            TraceError,
            f"expected a variable with a value, found {self.name!r}, which {self.why}; "
            "give it a value before",
        )


class Partial(Undefined):
    """A variable that has a value on some ways here only: `value`, or anything of its type."""

    def __init__(self, name: str, value: Any, why: str) -> None:
        super().__init__(name, why)
        self.value = value


def load(value: Any) -> Any:
    """What was read: NumPy arrays as ours. Raises for a variable without a value."""
    if isinstance(value, np.ndarray):
        return lifted(value)
    if isinstance(value, Undefined):
        value.refuse()
    if callable(value) or CURRENT.get() is None:
        return value
    return replacement(value)  # np.mgrid


def lifted(value: Any) -> Any:
    """The traced array of a NumPy array; always the same object."""
    recorder = CURRENT.get()
    if recorder is None or value.dtype.hasobject or value.dtype not in dtypes.KIND_OF:
        return value
    known = recorder.memo.setdefault("lifted", {})
    if id(value) not in known:
        known[id(value)] = value, recorder.lift(value)
    return known[id(value)][1]


def returned(value: Any) -> Any:
    """The result of a function: the way here has set it."""
    found = value.value if isinstance(value, Partial) else value
    for leaf in tree.flatten(found)[0]:
        if isinstance(leaf, TracedArray) and leaf._storage.before:
            link_returned(leaf._storage)
    return found


def is_traced(value: Any) -> bool:
    """Whether only a run knows the value."""
    if isinstance(value, WeakScalar):
        return isinstance(value, RuntimeScalar)
    return isinstance(value, TracedArray)


def open_sources(value: Any) -> bool:
    """Whether a value is a number of the caller's that the trace has not been bound to yet."""
    if not isinstance(value, WeakScalar) or isinstance(value, RuntimeScalar):
        return False
    recorder = CURRENT.get()
    return recorder is not None and not value._sources <= set(recorder.pinned)


def truth(value: Any) -> bool | TracedArray:
    """The truth of a value: a Python bool, or a traced 0-d bool."""
    recorder = CURRENT.get()
    if recorder is None or not is_traced(value):
        return bool(value)
    if value.size != 1:
        fail(
            ShapeError,
            f"bool: expected an array of one element, found shape {value.shape}; "
            "use lm.any or lm.all for a truth value",
        )
    array: Array = plain(value) if isinstance(value, WeakScalar) else value
    if array.ndim:
        array = view("reshape", array, shape=())
    if array.dtype != dtypes.bool_:
        array = FUNCTIONS["not_equal"](array, 0)
    return recorder.own(array)


def is_number_or_array(value: Any) -> bool:
    """Whether a loop can carry the value."""
    return is_weak(value) or is_array(value) or isinstance(value, np.generic)


def is_root(recorder: Recorder) -> bool:
    """Whether no branch or loop is being recorded."""
    return recorder.scope.parent is None


def owned(recorder: Recorder, arrays: Sequence[Any]) -> list[TracedArray]:
    """The arrays as ones of the trace."""
    return [recorder.own(as_array("script", array)) for array in arrays]
