"""Source locations: how messages show them, and how several become one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from xdsl.dialects.builtin import (
    UNKNOWN_LOC,
    ArrayAttr,
    CallSiteLoc,
    FileLineColLoc,
    FusedLoc,
    LocationAttr,
    NameLoc,
    NoneAttr,
)
from xdsl.ir import Attribute


def place_of(location: Attribute) -> str | None:
    """`file:line:column` of a location: the first one known of a fused one, the callee's of a
    call site; else a name, such as that of a model's layer; None when nothing is known."""
    return _file_place(location) or _name(location)


def _file_place(location: Attribute) -> str | None:
    if isinstance(location, FileLineColLoc):
        return f"{location.filename.data}:{location.line.data}:{location.column.data}"
    return next((place for part in _inside(location) if (place := _file_place(part))), None)


def _name(location: Attribute) -> str | None:
    if isinstance(location, NameLoc):
        return location.desc.data
    return next((name for part in _inside(location) if (name := _name(part))), None)


def _inside(location: Attribute) -> Sequence[Attribute]:
    """The locations that a location is made of."""
    match location:
        case NameLoc():
            return (location.location,)
        case CallSiteLoc():
            return (location.callee, location.caller)
        case FusedLoc():
            return _parts(location)
        case _:
            return ()


def fuse_locations(locations: Sequence[LocationAttr]) -> LocationAttr:
    """One location for several source ops: theirs when all are one, else a fused one."""
    distinct: dict[LocationAttr, None] = {}
    for location in locations:
        parts = _parts(location) if isinstance(location, FusedLoc) else (location,)
        distinct.update((part, None) for part in parts if part != UNKNOWN_LOC)
    if not distinct:
        return UNKNOWN_LOC
    if len(distinct) == 1:
        return next(iter(distinct))
    return FusedLoc(ArrayAttr[Attribute](distinct), NoneAttr())


def _parts(location: FusedLoc) -> Sequence[LocationAttr]:
    return cast("ArrayAttr[LocationAttr]", location.locations).data


def places_of(location: Attribute, columns: bool = False) -> list[str]:
    """`file:line` of every place that a location names, each once, in order; with `:column`."""
    found: dict[str, None] = {}

    def visit(part: Attribute) -> None:
        if isinstance(part, FileLineColLoc):
            column = f":{part.column.data}" if columns else ""
            found[f"{part.filename.data}:{part.line.data}{column}"] = None
        for inner in _inside(part):
            visit(inner)

    visit(location)
    return list(found)
