"""Arrays in text: what `nd.print` writes and `nd.fail` says."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Any

import numpy as np

from lamina.errors import DomainError
from lamina.formats import pieces
from lamina.interpreters.dtypes import Array


def filled(text: str, values: Iterable[Array]) -> str:
    """The format `text` (`formats.pieces`) with the values in its places."""
    rest = iter(values)
    parts: list[str] = []
    for literal, spec in pieces(text):
        parts.append(literal)
        if spec is not None:
            parts.append(shown(next(rest), spec))
    return "".join(parts)


def shown(value: Array, spec: str = "") -> str:
    """An array as NumPy prints it; with a format spec, each element by Python's `format`.

    Raises DomainError for a spec that an element does not take.
    """
    if not spec:
        return str(value)
    try:
        if value.ndim == 0:
            return format(value.item(), spec)
        return np.array2string(value, formatter={"all": partial(_element, spec)})
    except (ValueError, TypeError, OverflowError) as error:
        raise DomainError(
            f"print: expected elements that {spec!r} can format, found another of {value.dtype}: "
            f"{error}"
        ) from error


def _element(spec: str, element: Any) -> str:
    return format(element.item(), spec)


def write(text: str) -> None:
    """Print a line, in one piece."""
    print(text + "\n", end="")
