"""Expressions become calls of the operators where Python would need a traced value now."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any, cast

from lamina.frontend.script.names import placed
from lamina.frontend.script.unsupported import refuse

OPERATORS = "lm__"
"""The name of the operators in converted code; names that are made begin with it."""

_COMPARISONS: dict[type[ast.cmpop], str] = {
    ast.Eq: "eq",
    ast.NotEq: "ne",
    ast.Lt: "lt",
    ast.LtE: "le",
    ast.Gt: "gt",
    ast.GtE: "ge",
    ast.Is: "is_",
    ast.IsNot: "is_not",
    ast.In: "in",
    ast.NotIn: "not in",
}


def operation(name: str, arguments: Sequence[ast.expr], at: ast.AST) -> ast.expr:
    """A call of an operator."""
    start = ast.copy_location(ast.Name(OPERATORS, ast.Load()), at)
    start.end_lineno, start.end_col_offset = start.lineno, start.col_offset
    function = ast.copy_location(ast.Attribute(start, name, ast.Load()), start)
    return placed(ast.Call(function, list(arguments), []), at)


def thunk(body: ast.expr) -> ast.expr:
    """`lambda: body`."""
    none = ast.arguments([], [], None, [], [], None, [])
    return placed(ast.Lambda(none, body), body)


def parts_of(message: ast.expr | None) -> tuple[str, list[ast.expr]] | None:
    """An f-string as a format of `str.format` and the values in it; None for anything else, and for
    other conversions (`!r`) and formats that are made of values."""
    if not isinstance(message, ast.JoinedStr):
        return None
    format, values = "", list[ast.expr]()
    for part in message.values:
        match part:
            case ast.Constant(value=str(text)):
                format += text.replace("{", "{{").replace("}", "}}")
            case ast.FormattedValue(value, conversion, None) if conversion in (-1, ord("s")):
                format += "{}"
                values.append(value)
            case ast.FormattedValue(value, -1, ast.JoinedStr([ast.Constant(value=str(spec))])):
                format += f"{{:{spec}}}"
                values.append(value)
            case _:
                return None
    return format, values


class Expressions(ast.NodeTransformer):
    """Converts the expressions of one function.

    first: the name of its first parameter, for `super()`. mangle: the name of the class that a
    private name belongs to, or None.
    """

    def __init__(
        self,
        file: str,
        function: Callable[[ast.FunctionDef], ast.FunctionDef],
        first: str | None,
        mangle: str | None,
    ) -> None:
        self.file = file
        self.function = function
        self.first = first
        self.mangle = mangle
        self.thunks = 0

    def expression(self, node: ast.expr) -> ast.expr:
        """The converted expression."""
        return cast(ast.expr, self.visit(node))

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if not isinstance(node.ctx, ast.Load) or node.id.startswith(OPERATORS):
            return node
        return operation("load", [node], node)

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        node.attr = self.private(node.attr)
        node.value = self.expression(node.value)
        return operation("load", [node], node) if isinstance(node.ctx, ast.Load) else node

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        self.generic_visit(node)
        return operation("load", [node], node) if isinstance(node.ctx, ast.Load) else node

    def visit_Call(self, node: ast.Call) -> ast.expr:
        if isinstance(node.func, ast.Name) and node.func.id == "super" and not node.args:
            if self.first is not None:
                node.args = [ast.Name("__class__", ast.Load()), ast.Name(self.first, ast.Load())]
            return placed(node, node)
        if isinstance(node.func, ast.Attribute):  # a call of a method is where its name is
            name = node.func
            assert name.end_lineno is not None and name.end_col_offset is not None
            if name.lineno != name.end_lineno:
                node.lineno = name.end_lineno
                node.col_offset = name.end_col_offset - len(name.attr)
        called: Any = self.generic_visit(node)
        called.func = operation("function", [called.func], node.func)
        return operation("load", [called], node)

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.expr:
        name = "and_" if isinstance(node.op, ast.And) else "or_"
        first, *others = node.values
        converted = [self.expression(first), *(self._late(value) for value in others)]
        return operation(name, converted, node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        node.operand = self.expression(node.operand)
        return operation("not_", [node.operand], node) if isinstance(node.op, ast.Not) else node

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        names = [_COMPARISONS[type(op)] for op in node.ops]
        if len(names) == 1 and "in" not in names[0]:
            return cast(ast.expr, self.generic_visit(node))
        parts: list[ast.expr] = [self.expression(node.left)]
        for name, value in zip(names, node.comparators, strict=True):
            parts += [ast.Constant(name), self._late(value)]
        return operation("compare", parts, node)

    def visit_IfExp(self, node: ast.IfExp) -> ast.expr:
        test = self.expression(node.test)
        return operation("choice", [test, self._late(node.body), self._late(node.orelse)], node)

    def visit_NamedExpr(self, node: ast.NamedExpr) -> ast.expr:
        if self.thunks:
            refuse(self.file, node, ":= in a part that may not be evaluated", "assign before it")
        node.value = self.expression(node.value)
        return node

    def visit_Lambda(self, node: ast.Lambda) -> ast.expr:
        around, self.thunks = self.thunks, 0
        node.args = self.arguments(node.args)
        node.body = self.expression(node.body)
        self.thunks = around
        return node

    def arguments(self, node: ast.arguments) -> ast.arguments:
        """The parameters of a nested function, with their default values."""
        node.defaults = [self.expression(value) for value in node.defaults]
        node.kw_defaults = [value and self.expression(value) for value in node.kw_defaults]
        return node

    def visit_List(self, node: ast.List) -> ast.expr:
        self.generic_visit(node)
        return operation("made", [node], node) if isinstance(node.ctx, ast.Load) else node

    def _made(self, node: Any) -> ast.expr:
        self.generic_visit(node)
        return operation("made", [node], node)

    visit_Dict = visit_Set = visit_ListComp = visit_DictComp = visit_SetComp = _made

    def visit_comprehension(self, node: ast.comprehension) -> ast.comprehension:
        self.generic_visit(node)
        node.iter = operation("iterated", [node.iter], node.iter)
        return node

    def _late(self, node: ast.expr) -> ast.expr:
        self.thunks += 1
        made = thunk(self.expression(node))
        self.thunks -= 1
        return made

    def private(self, name: str) -> str:
        """A name as it is in a class body: `__x` is `_Class__x`."""
        if self.mangle is None or not name.startswith("__") or name.endswith("__"):
            return name
        return f"_{self.mangle}{name}"
