"""Statements: branches and loops become calls of the operators with their parts as functions.

The parts are nested functions that share the variables of the function around them; `get` and
`set` read and write those that a part binds. The first of these, in order, are live after it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence

from lamina.frontend.script import jumps, names
from lamina.frontend.script.expressions import OPERATORS, Expressions, operation, parts_of, thunk
from lamina.frontend.script.names import placed


class Statements:
    """Converts one function.

    around: the names that functions around it bind.
    """

    def __init__(self, file: str, mangle: str | None) -> None:
        self.file = file
        self.mangle = mangle
        self.count = 0
        self.globals: set[str] = set()
        self.nonlocals: set[str] = set()
        self.shared: set[str] = set()

    def function(self, node: ast.FunctionDef) -> ast.FunctionDef:
        """The converted function, without decorators and annotations."""
        listed = names.parameters(node.args)
        self.exprs = Expressions(
            self.file, self._nested, listed[0] if listed else None, self.mangle
        )
        self.globals = names.declared(node.body, ast.Global)
        self.nonlocals = names.declared(node.body, ast.Nonlocal)
        body = jumps.Jumps().function(node.body, node)
        self.live = names.Liveness(body[:-1], {jumps.RESULT, *self.nonlocals})
        for argument in ast.walk(node.args):
            if isinstance(argument, ast.arg):
                argument.annotation = None
        converted = self.block(body[:-1])
        result = operation("returned", [ast.Name(jumps.RESULT, ast.Load())], body[-1])
        converted.append(placed(ast.Return(result), body[-1]))
        unset = [self._unset(name, node) for name in sorted(self.shared - {*listed})]
        outer = [placed(ast.Global(sorted(self.globals)), node)] if self.globals else []
        if self.nonlocals:
            outer.append(placed(ast.Nonlocal(sorted(self.nonlocals)), node))
        node.body, node.returns, node.decorator_list = [*outer, *unset, *converted], None, []
        return node

    def _nested(self, node: ast.FunctionDef) -> ast.FunctionDef:
        return Statements(self.file, self.mangle).function(node)

    def _unset(self, name: str, at: ast.AST) -> ast.stmt:
        value = operation("Undefined", [ast.Constant(name)], at)
        return placed(ast.Assign([ast.Name(name, ast.Store())], value), at)

    def block(self, body: Sequence[ast.stmt]) -> list[ast.stmt]:
        """The converted statements."""
        return [made for statement in body for made in self._statement(statement)]

    def _statement(self, node: ast.stmt) -> list[ast.stmt]:
        match node:
            case ast.If():
                return self._if(node)
            case ast.While():
                return self._while(node)
            case ast.For():
                return self._for(node)
            case ast.FunctionDef():
                return self._def(node)
            case ast.Assign() | ast.AnnAssign():
                return self._assignment(node)
            case ast.AugAssign():
                return [self._augmented(node)]
            case ast.Delete():
                return self._delete(node)
            case ast.Assert():
                return [_expr(self._assertion(node), node)]
            case ast.Raise():
                before = _expr(operation("raising", [], node), node)
                return [before, self.exprs.generic_visit(node)]  # type: ignore[list-item]
            case ast.Global() | ast.Nonlocal():
                return []
            case _:
                return [self.exprs.visit(node)]

    def _assertion(self, node: ast.Assert) -> ast.expr:
        """The call that asserts. Of a message that is a format its parts are handed over, whose
        values a run may know."""
        found = parts_of(node.msg)
        test = self.exprs.expression(node.test)
        if found is not None:
            format, values = found
            shown = placed(ast.Tuple([*map(self.exprs.expression, values)], ast.Load()), node)
            return operation("assert_format", [test, ast.Constant(format), thunk(shown)], node)
        message = [thunk(self.exprs.expression(node.msg))] if node.msg else []
        return operation("assert_", [test, *message], node)

    # branches and loops

    def _if(self, node: ast.If) -> list[ast.stmt]:
        modified, live = self._state([*node.body, *node.orelse], self.live.out[id(node)])
        test = self.exprs.expression(node.test)
        body = self._part("body", node.body, modified, node)
        orelse = self._part("else", node.orelse, modified, node)
        return self._region("if_", [test], [body, orelse], modified, live, node)

    def _while(self, node: ast.While) -> list[ast.stmt]:
        modified, live = self._state(node.body, self.live.head[id(node)])
        test = self._test(node, [node.test])
        body = self._part("body", node.body, modified, node)
        leaves = ast.Constant(names.extra_test(node) is not None)
        same = self._listed(names.only_augmented(node.body, modified))
        return self._region("while_", [test, leaves], [body], modified, live, node, same)

    def _for(self, node: ast.For) -> list[ast.stmt]:
        target = placed(
            ast.Assign([node.target], ast.Name(f"{OPERATORS}item", ast.Load())), node.target
        )
        inner: list[ast.stmt] = [target, *node.body]
        nests = any(isinstance(x, (ast.For, ast.While)) for x in names.inside(node.body))
        modified, live = self._state(inner, self.live.head[id(node)])
        iterated = self.exprs.expression(node.iter)
        test = self._test(node, [])
        body = self._part("body", inner, modified, node, f"{OPERATORS}item")
        same = self._listed(names.only_augmented(inner, modified))
        values = [iterated, test, ast.Constant(nests)]
        return self._region("for_", values, [body], modified, live, node, same)

    def _test(self, node: ast.While | ast.For, conditions: list[ast.expr]) -> ast.expr:
        """A function for all conditions of one more trip; None where there are none."""
        extra = names.extra_test(node)
        if extra is not None:
            conditions = [extra, *conditions]
        if not conditions:
            return ast.Constant(None)
        if len(conditions) == 1:
            return thunk(self.exprs.expression(conditions[0]))
        both = placed(ast.BoolOp(ast.And(), conditions), node)
        return thunk(self.exprs.expression(both))

    def _state(self, body: Sequence[ast.stmt], after: names.Names) -> tuple[list[str], int]:
        """The names that `body` binds, those that are live first; and how many are live."""
        modified = names.bound(body) - self.globals
        self.shared |= modified - self.nonlocals
        live = sorted(modified & after)
        return [*live, *sorted(modified - after)], len(live)

    def _region(
        self,
        name: str,
        values: Sequence[ast.expr],
        parts: Sequence[ast.FunctionDef],
        modified: Sequence[str],
        live: int,
        at: ast.stmt,
        *more: ast.expr,
    ) -> list[ast.stmt]:
        listed = self._listed(modified)
        at = _header(at)
        state = self._accessors(modified, at)
        functions = [ast.Name(part.name, ast.Load()) for part in (*parts, *state)]
        call = operation(name, [*values, *functions, listed, ast.Constant(live), *more], at)
        return [*parts, *state, _expr(call, at)]

    def _listed(self, found: Iterable[str]) -> ast.expr:
        """Names as a tuple of strings."""
        ordered = found if isinstance(found, list) else sorted(found)
        return ast.Tuple([ast.Constant(name) for name in ordered], ast.Load())

    def _accessors(self, modified: Sequence[str], at: ast.stmt) -> list[ast.FunctionDef]:
        read = ast.Tuple([ast.Name(name, ast.Load()) for name in modified], ast.Load())
        get = self._function("get", [ast.Return(read)], at)
        write: list[ast.stmt] = [ast.Pass()]
        if modified:
            target = ast.Tuple([ast.Name(name, ast.Store()) for name in modified], ast.Store())
            value = ast.Name(f"{OPERATORS}state", ast.Load())
            write = [ast.Nonlocal(list(modified)), ast.Assign([target], value)]
        return [get, self._function("set", write, at, f"{OPERATORS}state")]

    def _part(
        self,
        name: str,
        body: Sequence[ast.stmt],
        modified: Sequence[str],
        at: ast.stmt,
        *parameters: str,
    ) -> ast.FunctionDef:
        """A part of a branch or loop as a nested function."""
        outer: list[ast.stmt] = [ast.Nonlocal(list(modified))] if modified else []
        if self.globals:
            outer.append(ast.Global(sorted(self.globals)))
        return self._function(name, [*outer, *(self.block(body) or [ast.Pass()])], at, *parameters)

    def _function(
        self, name: str, body: list[ast.stmt], at: ast.stmt, *parameters: str
    ) -> ast.FunctionDef:
        self.count += 1
        listed = [ast.arg(parameter) for parameter in parameters]
        arguments = ast.arguments([], listed, None, [], [], None, [])
        made = ast.FunctionDef(f"{OPERATORS}{name}{self.count}", arguments, body, [])
        return placed(made, at)

    # assignments

    def _assignment(self, node: ast.Assign | ast.AnnAssign) -> list[ast.stmt]:
        if node.value is None:
            return []
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        value = self.exprs.expression(node.value)
        if len(targets) == 1:
            return self._assign(targets[0], value, node)
        temporary = self._temporary()
        first = placed(ast.Assign([ast.Name(temporary, ast.Store())], value), node)
        made: list[ast.stmt] = [first]
        for target in targets:
            made += self._assign(target, ast.Name(temporary, ast.Load()), node)
        return made

    def _assign(self, target: ast.expr, value: ast.expr, at: ast.AST) -> list[ast.stmt]:
        match target:
            case ast.Name():
                return [*self._outer_write(target.id, at), _assign(target, value, at)]
            case ast.Subscript():
                parts = [self.exprs.expression(target.value), self.exprs.expression(target.slice)]
                return [_expr(operation("set_item", [*parts, value], target), at)]
            case ast.Attribute():
                name = ast.Constant(self.exprs.private(target.attr))
                owner = self.exprs.expression(target.value)
                return [_expr(operation("set_attribute", [owner, name, value], target), at)]
            case ast.Starred():
                return self._assign(target.value, value, at)
            case ast.Tuple() | ast.List():
                return self._unpack(target, value, at)
            case _:
                raise AssertionError(type(target))

    def _unpack(self, target: ast.Tuple | ast.List, value: ast.expr, at: ast.AST) -> list[ast.stmt]:
        temporaries: list[ast.expr] = []
        after: list[ast.stmt] = []
        for part in target.elts:
            temporary = self._temporary()
            name: ast.expr = ast.Name(temporary, ast.Store())
            starred = isinstance(part, ast.Starred)
            temporaries.append(ast.Starred(name, ast.Store()) if starred else name)
            after += self._assign(part, ast.Name(temporary, ast.Load()), at)
        unpacked = operation("unpacked", [value], at)
        first = _assign(ast.Tuple(temporaries, ast.Store()), unpacked, at)
        return [first, *after]

    def _outer_write(self, name: str, at: ast.AST) -> list[ast.stmt]:
        """What checks a write to a variable of the module or of a function around."""
        if name not in self.globals and name not in self.nonlocals:
            return []
        kind = "global" if name in self.globals else "nonlocal"
        arguments = [ast.Constant(f"{kind} {name}")]
        return [_expr(operation("outer_write", arguments, at), at)]

    def _temporary(self) -> str:
        self.count += 1
        return f"{OPERATORS}value{self.count}"

    def _augmented(self, node: ast.AugAssign) -> ast.stmt:
        op: ast.expr = ast.Constant(type(node.op).__name__)
        value = self.exprs.expression(node.value)
        match node.target:
            case ast.Name(name):
                old = self.exprs.expression(placed(ast.Name(name, ast.Load()), node.target))
                made = operation("augmented", [op, old, value], node)
                checks = self._outer_write(name, node)
                assignment = _assign(ast.Name(name, ast.Store()), made, node)
                return assignment if not checks else _together(checks, assignment, node)
            case ast.Subscript() as target:
                parts = [self.exprs.expression(target.value), self.exprs.expression(target.slice)]
                return _expr(operation("augmented_item", [op, *parts, value], node), node)
            case ast.Attribute() as target:
                name = ast.Constant(self.exprs.private(target.attr))
                owner = self.exprs.expression(target.value)
                call = operation("augmented_attribute", [op, owner, name, value], node)
                return _expr(call, node)

    def _delete(self, node: ast.Delete) -> list[ast.stmt]:
        made: list[ast.stmt] = []
        for target in node.targets:
            if isinstance(target, ast.Name):
                self.shared.add(target.id)
                made.append(self._unset(target.id, node))
            elif isinstance(target, ast.Subscript):
                parts = [self.exprs.expression(target.value), self.exprs.expression(target.slice)]
                made.append(_expr(operation("delete_item", parts, node), node))
        return made

    def _def(self, node: ast.FunctionDef) -> list[ast.stmt]:
        decorators = [self.exprs.expression(value) for value in node.decorator_list]
        node.args = self.exprs.arguments(node.args)
        converted = self._nested(node)
        converted.decorator_list = decorators
        return [converted]


def _header(at: ast.stmt) -> ast.stmt:
    """Where a statement begins."""
    header = ast.copy_location(ast.Pass(), at)
    header.end_lineno, header.end_col_offset = at.lineno, at.col_offset + 1
    return header


def _assign(target: ast.expr, value: ast.expr, at: ast.AST) -> ast.stmt:
    return placed(ast.Assign([target], value), at)


def _expr(call: ast.expr, at: ast.AST) -> ast.stmt:
    return placed(ast.Expr(call), at)


def _together(checks: list[ast.stmt], last: ast.stmt, at: ast.AST) -> ast.stmt:
    """Several statements as one."""
    return placed(ast.If(ast.Constant(True), [*checks, last], []), at)
