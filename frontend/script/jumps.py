"""Break, continue and return become flags and branches, so that every block has one way out.

Where one branch of an `if` surely jumps, what follows goes into the other branch; else it stands
under `if not flag`. A loop that is left early gets a further condition (`names.extra_test`).
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from lamina.frontend.script.names import inside, placed

RESULT, DONE = "lm__result", "lm__done"
"""The names of a function's result, and of whether it has one."""


@dataclass(frozen=True)
class _Loop:
    """The flags of the loop around a statement."""

    broken: str
    continued: str


class Jumps:
    """Lowers the jumps of one function."""

    def __init__(self) -> None:
        self.count = 0

    def function(self, body: Sequence[ast.stmt], at: ast.AST) -> list[ast.stmt]:
        """The body of a function, which ends with the only `return`."""
        whole = list(body)
        if not surely_jumps(whole):
            last = whole[-1] if whole else at
            whole.append(placed(ast.Return(ast.Constant(None)), last))
        lowered = self.block(whole, None)
        lowered.insert(0, _assign(DONE, False, at))
        last = ast.Return(ast.Name(RESULT, ast.Load()))
        return [*lowered, placed(last, lowered[-1] if lowered else at)]

    def block(self, body: Sequence[ast.stmt], loop: _Loop | None) -> list[ast.stmt]:
        """A list of statements without jumps."""
        result: list[ast.stmt] = []
        for number, statement in enumerate(body):
            rest: list[ast.stmt] = list(body[number + 1 :])
            match statement:
                case ast.Return():
                    value = statement.value or ast.Constant(None)
                    target: ast.expr = ast.Name(RESULT, ast.Store())
                    made = placed(ast.Assign([target], value), statement)
                    return [*result, made, _assign(DONE, True, statement)]
                case ast.Break() | ast.Continue():
                    assert loop is not None
                    is_break = isinstance(statement, ast.Break)
                    flag = loop.broken if is_break else loop.continued
                    return [*result, _assign(flag, True, statement)]
                case ast.If():
                    if surely_jumps(statement.body):
                        statement.orelse, rest = [*statement.orelse, *rest], []
                    elif surely_jumps(statement.orelse):
                        statement.body, rest = [*statement.body, *rest], []
                    flags = self._flags(statement, loop)
                    statement.body = self.block(statement.body, loop)
                    statement.orelse = self.block(statement.orelse, loop)
                    result.append(statement)
                    if not rest or flags:
                        return [*result, *self._guarded(flags, rest, loop)]
                case ast.While() | ast.For():
                    rest = [] if surely_jumps([statement]) else rest
                    result += self._loop(statement)
                    return [*result, *self._after(statement, rest, loop)]
                case _:
                    result.append(statement)
        return result

    def _flags(self, statement: ast.If, loop: _Loop | None) -> list[str]:
        flags = [DONE] if _has([statement], (ast.Return,)) else []
        if loop is not None:
            flags += [loop.broken] if _has([statement], (ast.Break,), own=True) else []
            flags += [loop.continued] if _has([statement], (ast.Continue,), own=True) else []
        return flags

    def _guarded(
        self, flags: Sequence[str], rest: Sequence[ast.stmt], loop: _Loop | None
    ) -> list[ast.stmt]:
        """`rest`, unless one of the flags is set."""
        if not rest:
            return []
        guard = ast.If(_unset(flags, rest[0]), self.block(rest, loop), [])
        return [placed(guard, rest[0])]

    def _loop(self, loop: ast.While | ast.For) -> list[ast.stmt]:
        self.count += 1
        flags = _Loop(f"lm__break{self.count}", f"lm__continue{self.count}")
        left = [flags.broken] * _has(loop.body, (ast.Break,), own=True)
        before = [_assign(flags.broken, False, loop)] if left else []
        left += [DONE] * int(_has(loop.body, (ast.Return,)))
        continues = _has(loop.body, (ast.Continue,), own=True)
        loop.body = self.block(loop.body, flags)
        if continues:
            loop.body.insert(0, _assign(flags.continued, False, loop))
        loop.lm__left = left  # type: ignore[union-attr]
        if left:
            loop.lm__test = _unset(left, loop)  # type: ignore[union-attr]
        return [*before, loop]

    def _after(
        self, loop: ast.While | ast.For, rest: Sequence[ast.stmt], outer: _Loop | None
    ) -> list[ast.stmt]:
        """What follows a loop; its else clause runs unless the loop was left."""
        left = cast("list[str]", vars(loop)["lm__left"])
        orelse, loop.orelse = loop.orelse, []
        if orelse and left:
            clause = ast.If(_unset(left, orelse[0]), orelse, [])
            rest = [placed(clause, orelse[0]), *rest]
        elif orelse:
            rest = [*orelse, *rest]
        if DONE in left:
            return self._guarded([DONE], rest, outer)
        return self.block(rest, outer)


def surely_jumps(body: Sequence[ast.stmt]) -> bool:
    """Whether control never reaches the end of `body`."""
    for statement in body:
        if isinstance(statement, (ast.Return, ast.Break, ast.Continue, ast.Raise)):
            return True
        if isinstance(statement, ast.If) and (
            surely_jumps(statement.body) and surely_jumps(statement.orelse)
        ):
            return True
        if isinstance(statement, ast.While) and _is_endless(statement):
            return True
    return False


def _is_endless(loop: ast.While) -> bool:
    """`while True:` without a break."""
    always = isinstance(loop.test, ast.Constant) and bool(loop.test.value)
    return always and not _has(loop.body, (ast.Break,), own=True)


def _has(body: Sequence[ast.stmt], kinds: tuple[type[ast.stmt], ...], *, own: bool = False) -> bool:
    """Whether `body` has such a statement. own: outside of loops in it."""
    if own:
        return any(_has_own(statement, kinds) for statement in body)
    return any(isinstance(node, kinds) for node in inside(body))


def _has_own(statement: ast.stmt, kinds: tuple[type[ast.stmt], ...]) -> bool:
    if isinstance(statement, kinds):
        return True
    if isinstance(statement, ast.If):
        return any(_has_own(inner, kinds) for inner in (*statement.body, *statement.orelse))
    if isinstance(statement, (ast.While, ast.For)):  # their else clause is outside
        return any(_has_own(inner, kinds) for inner in statement.orelse)
    return False


def _assign(name: str, value: bool, at: ast.AST) -> ast.stmt:
    made = ast.Assign([ast.Name(name, ast.Store())], ast.Constant(value))
    return placed(made, at)


def _unset(flags: Sequence[str], at: ast.AST) -> ast.expr:
    """`not (a or b)`."""
    parts: list[ast.expr] = [ast.Name(flag, ast.Load()) for flag in flags]
    test = parts[0] if len(parts) == 1 else ast.BoolOp(ast.Or(), parts)
    return placed(ast.UnaryOp(ast.Not(), test), at)
