"""What statements bind and read, and which names are read later (liveness), on Python's AST.

The liveness is that of a structured program: `jumps` has removed break, continue and return.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, TypeAlias

Scope: TypeAlias = "ast.FunctionDef | ast.Lambda"
Names: TypeAlias = "frozenset[str]"

SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def placed(node: Any, at: ast.AST) -> Any:
    """`node` at the place of `at`, and its parts that have no place too."""
    return ast.fix_missing_locations(ast.copy_location(node, at))


def parameters(arguments: ast.arguments) -> list[str]:
    """The names of a function's parameters."""
    listed = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    listed += [arg for arg in (arguments.vararg, arguments.kwarg) if arg is not None]
    return [arg.arg for arg in listed]


def inside(nodes: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """The nodes of one scope: a nested function, lambda or class is given, but not entered."""
    for node in nodes:
        yield node
        if not isinstance(node, SCOPES):
            yield from inside(ast.iter_child_nodes(node))


def bound(nodes: Iterable[ast.AST]) -> set[str]:
    """The names that statements bind; targets of comprehensions are theirs alone."""
    found: set[str] = set()
    for node in nodes:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            found.add(node.name)
        elif isinstance(node, ast.Lambda):
            continue
        elif isinstance(node, ast.Name):
            if not isinstance(node.ctx, ast.Load):
                found.add(node.id)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            found |= {(alias.asname or alias.name).split(".")[0] for alias in node.names}
        elif isinstance(node, _COMPREHENSIONS):
            found |= _walrus(node)
        else:
            found |= bound(ast.iter_child_nodes(node))
    return found


def _walrus(node: ast.AST) -> set[str]:
    return {n.target.id for n in ast.walk(node) if isinstance(n, ast.NamedExpr)}


def only_augmented(nodes: Sequence[ast.AST], modified: Iterable[str]) -> set[str]:
    """Those of the modified names that are bound by `+=` and its like alone."""
    plain: set[str] = set()
    found: set[str] = set()
    for node in inside(nodes):
        if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            found.add(node.target.id)
            plain |= bound([node.value])
        elif not isinstance(node, ast.Name) and not _has_statements(node):
            plain |= bound([node])
        elif isinstance(node, ast.For):
            plain |= bound([node.target])
        if isinstance(node, SCOPES):
            plain |= declared(node.body, ast.Nonlocal) if isinstance(node.body, list) else set()
    return (found - plain) & {*modified}


def _has_statements(node: ast.AST) -> bool:
    return isinstance(node, (ast.For, ast.While, ast.If))


def declared(nodes: Iterable[ast.AST], kind: type[ast.Global] | type[ast.Nonlocal]) -> set[str]:
    """The names in `global` or `nonlocal` statements of one scope."""
    return {name for node in inside(nodes) if isinstance(node, kind) for name in node.names}


def reads(node: ast.AST | None) -> set[str]:
    """The names that an expression or statement reads, nested functions and all."""
    if node is None:
        return set()
    found = {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and _is_read(n)}
    for inner in ast.walk(node):
        if isinstance(inner, ast.AugAssign) and isinstance(inner.target, ast.Name):
            found.add(inner.target.id)
    return found


def _is_read(name: ast.Name) -> bool:
    return not isinstance(name.ctx, ast.Store)


def captured(nodes: Sequence[ast.AST]) -> set[str]:
    """The names that functions and lambdas nested in `nodes` read or rebind: at any later time."""
    found: set[str] = set()
    for node in inside(nodes):
        if isinstance(node, SCOPES):
            found |= reads(node)
            found |= {
                name for n in ast.walk(node) if isinstance(n, ast.Nonlocal) for name in n.names
            }
    return found


class Liveness:
    """The names that may be read after each `if` (`out`), and at the head of each loop (`head`)
    and after it (`out`), by the id of the statement."""

    def __init__(self, body: Sequence[ast.stmt], always: Iterable[str]) -> None:
        self.out: dict[int, Names] = {}
        self.head: dict[int, Names] = {}
        self._always = frozenset(always) | captured(body)
        self.block(body, self._always)

    def block(self, body: Sequence[ast.stmt], after: Names) -> Names:
        """The names that are live before `body`, when these are live after it."""
        for statement in reversed(body):
            after = self._before(statement, after)
        return after

    def _before(self, statement: ast.stmt, after: Names) -> Names:
        match statement:
            case ast.If():
                self.out[id(statement)] = after
                inside = self.block(statement.body, after) | self.block(statement.orelse, after)
                return inside | reads(statement.test)
            case ast.While() | ast.For():
                return self._loop(statement, after)
            case ast.Delete():
                return after | reads(statement)
            case ast.FunctionDef():
                return after | reads(statement)
            case _:
                killed = frozenset(_killed(statement)) - self._always
                return (after - killed) | reads(statement)

    def _loop(self, loop: ast.While | ast.For, after: Names) -> Names:
        test = reads(loop.test) if isinstance(loop, ast.While) else set[str]()
        test |= reads(extra_test(loop))
        targets = set[str]() if isinstance(loop, ast.While) else bound([loop.target])
        head = after | test
        while True:
            before = self.block(loop.body, head) - (targets - self._always)
            if before <= head:
                break
            head |= before
        self.out[id(loop)], self.head[id(loop)] = after, head
        return head if isinstance(loop, ast.While) else head | reads(loop.iter)


def _killed(statement: ast.stmt) -> set[str]:
    """The names that a simple statement surely binds."""
    if isinstance(statement, ast.AnnAssign) and statement.value is None:
        return set()
    return bound([statement])


def extra_test(loop: ast.While | ast.For) -> ast.expr | None:
    """What must hold, beside the loop's own condition, for one more trip (`jumps` puts it)."""
    return getattr(loop, "lm__test", None)
