"""Python that script mode does not know: one located error each, which says what to do."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import NoReturn

from lamina.errors import TraceError

_OUT = "move it out of the function, or use lm.cond, lm.while_loop, lm.scan there"
_CONSTRUCTS: dict[type[ast.AST], tuple[str, str]] = {
    ast.Try: ("try", _OUT),
    ast.TryStar: ("try", _OUT),
    ast.With: ("with", _OUT),
    ast.AsyncWith: ("async with", _OUT),
    ast.AsyncFor: ("async for", _OUT),
    ast.AsyncFunctionDef: ("async def", _OUT),
    ast.Await: ("await", _OUT),
    ast.Yield: ("yield (a generator)", "collect the values in a list, or use lm.scan"),
    ast.YieldFrom: ("yield from (a generator)", "collect the values in a list, or use lm.scan"),
    ast.Match: ("match", "write if and elif"),
    ast.ClassDef: ("class", "define the class outside of the function"),
}


def refuse(file: str, node: ast.AST, construct: str, way_out: str) -> NoReturn:
    """Raise: script mode does not support a construct."""
    raise TraceError(
        f'jit(mode="script"): expected Python that it supports, found {construct}; {way_out}',
        place=f"{file}:{getattr(node, 'lineno', 0)}",
    )


def check(file: str, nodes: Sequence[ast.AST]) -> None:
    """Raise `TraceError` for the first construct that is not supported."""
    for root in nodes:
        for node in ast.walk(root):
            if type(node) in _CONSTRUCTS:
                refuse(file, node, *_CONSTRUCTS[type(node)])
            if isinstance(node, ast.Delete):
                for target in node.targets:
                    if not isinstance(target, (ast.Name, ast.Subscript)):
                        refuse(file, node, "del of an attribute or a tuple", "set it to None")
