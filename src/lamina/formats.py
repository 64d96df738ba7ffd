"""Strings that programs hold: formats (text with a place `{}` or `{:spec}` a value), and symbols.

Standard library only: dialects verify formats, interpreters fill them, compiled code is given them.
"""

from __future__ import annotations

from string import Formatter


def pieces(text: str) -> list[tuple[str, str | None]]:
    """(literal, spec of the place after it) of a format; the last one may have no place (None).

    As `str.format` reads it, `{{` is a brace. Raises ValueError, with the reason, for places that
    name or convert their value, or whose spec has places of its own.
    """
    found: list[tuple[str, str | None]] = []
    for literal, name, spec, conversion in Formatter().parse(text):
        if name or conversion or "{" in (spec or ""):
            raise ValueError(f"expected places such as {{}} or {{:.3f}}, found one in {text!r}")
        found.append((literal, None if name is None else spec or ""))
    return found


def count_places(text: str) -> int:
    """How many values a format takes. Raises ValueError for a malformed one."""
    return sum(spec is not None for _, spec in pieces(text))


def escaped(text: str) -> str:
    """The format that gives `text`."""
    return text.replace("{", "{{").replace("}", "}}")


def is_symbol(name: str) -> bool:
    """Whether `name` can be that of a C function."""
    return name.isidentifier() and name.isascii()
