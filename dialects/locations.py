"""Source locations, as messages show them."""

from __future__ import annotations

from typing import cast

from xdsl.dialects.builtin import (
    ArrayAttr,
    CallSiteLoc,
    FileLineColLoc,
    FusedLoc,
    NameLoc,
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
            parts = cast(ArrayAttr[Attribute], location.locations)
            return next((place for part in parts if (place := place_of(part))), None)
        case _:
            return None
