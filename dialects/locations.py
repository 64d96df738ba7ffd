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
    call site; None when nothing is known."""
    match location:
        case FileLineColLoc():
            return f"{location.filename.data}:{location.line.data}:{location.column.data}"
        case NameLoc():
            return place_of(location.location)
        case CallSiteLoc():
            return place_of(location.callee) or place_of(location.caller)
        case FusedLoc():
            return next((place for part in _parts(location) if (place := place_of(part))), None)
        case _:
            return None


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


def places_of(location: Attribute) -> list[str]:
    """`file:line` of every place that a location names, each once, in order."""
    found: dict[str, None] = {}

    def visit(part: Attribute) -> None:
        match part:
            case FileLineColLoc():
                found[f"{part.filename.data}:{part.line.data}"] = None
            case NameLoc():
                visit(part.location)
            case CallSiteLoc():
                visit(part.callee)
                visit(part.caller)
            case FusedLoc():
                for inner in _parts(part):
                    visit(inner)
            case _:
                pass

    visit(location)
    return list(found)
