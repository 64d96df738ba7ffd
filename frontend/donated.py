"""What an array becomes whose memory was given to a call: an error wherever it is used."""

# pyright: reportPrivateUsage=false
from __future__ import annotations

import sys
from typing import Any, NoReturn

import numpy as np

from lamina.errors import MutationError
from lamina.frontend.array import Array
from lamina.frontend.location import fail, user_position

_slot: Any = Array.__dict__["_data"]
"""The slot that held the memory; of a donated array it holds the place of the call: (file or code
object, line), or None."""


def _refuse(array: Any) -> NoReturn:
    fail(
        MutationError,
        f"expected an array, found one that was donated{_place(array)}: its memory holds a result "
        "of that call; use that result, or donate a copy",
    )


def _place(array: Any) -> str:
    """ " at file:line"."""
    found: Any = _slot.__get__(array)
    if found is None:
        return ""
    file, line = found
    return f" at {getattr(file, 'co_filename', file)}:{line}"


def _shown(array: Any) -> str:
    return f"Array(donated{_place(array)})"


DonatedArray: Any = type(
    "Array",
    (Array,),
    {
        "__slots__": (),
        "__module__": Array.__module__,
        "__doc__": "An array that was donated.",
        "_data": property(_refuse),
        "__repr__": _shown,
        "__str__": _shown,
    },
)


def give(array: Array) -> None:
    """Make `array` an array that was donated by the call of the user's that runs."""
    file, line, _ = user_position()
    _slot.__set__(array, (file, line))
    array.__class__ = DonatedArray


def check_kept(array: Array) -> None:
    """Raise `MutationError` for an array that was donated."""
    if type(array) is DonatedArray:
        _refuse(array)


def is_alone(array: Array) -> bool:
    """Whether nothing but `array` refers to its memory: no view, no other array, no buffer."""
    if sys.getrefcount(array._data) != 2:  # the slot, and the argument of getrefcount
        return False
    base = array._data.base
    if base is None:
        return array._data.flags.owndata
    plain = type(base) is np.ndarray and base.flags.owndata
    return plain and sys.getrefcount(base) == 3  # the view, `base`, and the argument
