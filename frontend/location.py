"""Where the user's code is: the innermost frame outside Lamina and NumPy.

Real paths decide, since the rooms are links into the package.
"""

from __future__ import annotations

import inspect
import os
import sysconfig
from collections.abc import Iterable
from importlib.util import find_spec
from types import CodeType, FrameType
from typing import Any, NoReturn, cast

from lamina.errors import LaminaError


def _roots() -> tuple[str, ...]:
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    rooms = [entry.path for entry in os.scandir(package) if entry.is_dir()]
    origins = [find_spec(name) for name in ("numpy", "ml_dtypes", "xdsl", "llvmlite")]
    used = [os.path.dirname(spec.origin) for spec in origins if spec and spec.origin]
    return tuple({os.path.realpath(path) + os.sep for path in (package, *used, *rooms)})


_ROOTS = _roots()
_STANDARD = os.path.realpath(sysconfig.get_paths()["stdlib"]) + os.sep
_INSTALLED = os.path.join(_STANDARD, "site-packages") + os.sep


_KNOWN: dict[int, tuple[CodeType, bool]] = {}
"""id of a code object -> it, and whether it is the user's (hashing code objects is slow)."""


def is_user_code(code: CodeType) -> bool:
    """Whether `code` is not of Lamina, what it is built on, or the standard library."""
    known = _KNOWN.get(id(code))
    if known is None:
        known = _KNOWN[id(code)] = code, _is_user_file(code)
    return known[1]


def _is_user_file(code: CodeType) -> bool:
    name = code.co_filename
    if name.startswith("<"):  # a notebook cell, a doctest, -c; but also dataclass methods
        return not (name.startswith("<frozen") or code.co_qualname.startswith("__create_fn__"))
    path = os.path.realpath(name)
    if path.startswith(_STANDARD) and not path.startswith(_INSTALLED):
        return False
    return not path.startswith(_ROOTS)


CONVERTED: dict[int, tuple[CodeType, CodeType | None]] = {}
"""id of a code object that script mode made -> it, and the user's code that it was made from; None
for a part of a function."""


def source_code(code: CodeType) -> CodeType | None:
    """The user's code that `code` runs; None for a part of a converted function."""
    found = CONVERTED.get(id(code))
    return code if found is None else found[1]


def is_installed(code: CodeType) -> bool:
    """Whether `code` is of an installed package."""
    folders = os.path.realpath(code.co_filename).split(os.sep)
    return "site-packages" in folders or "dist-packages" in folders


def user_frame() -> FrameType | None:
    """The innermost frame of user code, or None when there is none."""
    frame = inspect.currentframe()
    while frame is not None:
        known = _KNOWN.get(id(frame.f_code))
        if known[1] if known is not None else is_user_code(frame.f_code):
            return frame
        frame = frame.f_back
    return None


_COLUMNS: dict[int, list[int]] = {}
"""id of a code object in `_KNOWN` -> the column (from 1) of each of its instructions."""


def _column(code: CodeType, instruction: int) -> int:
    """The column of the instruction at byte `instruction` of user code."""
    columns = _COLUMNS.get(id(code))
    if columns is None:
        columns = [(position[2] or 0) + 1 for position in code.co_positions()]
        _COLUMNS[id(code)] = columns
    return columns[instruction // 2]


def user_position() -> tuple[str, int, int]:
    """File, line and column of the user's frame; `("<unknown>", 0, 0)` without one."""
    frame = user_frame()
    if frame is None:
        return "<unknown>", 0, 0
    return frame.f_code.co_filename, frame.f_lineno, _column(frame.f_code, frame.f_lasti)


def user_place() -> str | None:
    """`file:line` of the user's frame, or None without one."""
    frame = user_frame()
    return None if frame is None else f"{frame.f_code.co_filename}:{frame.f_lineno}"


def fail(error: type[LaminaError], message: str) -> NoReturn:
    """Raise `error` with the user's place."""
    raise error(message, place=user_place())


def shown(value: Any) -> str:
    """A user's value in a message: of an array, eager or traced, what both know."""
    if hasattr(value, "number"):  # a Python number that is traced
        return repr(value.number())
    kind = cast(Any, type(value))
    if kind in (list, tuple):
        parts: list[Any] = list(cast(Iterable[Any], value))
        text = ", ".join(shown(part) for part in parts) + "," * (kind is tuple and len(parts) == 1)
        return f"[{text}]" if kind is list else f"({text})"
    if hasattr(value, "shape") and hasattr(value, "dtype"):
        return f"an array of {value.dtype} and shape {value.shape}"
    return repr(value)
