"""From a Python function to its converted one: its source is found, rewritten and compiled.

The new code has the names, lines and columns of the source, the globals, cells and defaults of
the function, and one cell more, which holds the operators.
"""

from __future__ import annotations
import __future__

import ast
import copy
import functools
import inspect
import linecache
import types
from collections.abc import Callable
from typing import Any

from lamina.errors import TraceError
from lamina.frontend.location import CONVERTED, is_installed, is_user_code, user_place
from lamina.frontend.script import unsupported
from lamina.frontend.script.expressions import OPERATORS
from lamina.frontend.script.statements import Statements

_FILES: dict[str, tuple[list[str], ast.Module]] = {}
_CODES: dict[int, tuple[types.CodeType, types.CodeType]] = {}
_GENERATORS = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR
_LAMBDA = "<lambda>"
_FUTURE = __future__.annotations.compiler_flag

CELL = types.CellType()
"""What converted code finds the operators in; `operators` fills it."""


def converted(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function whose control flow on traced values is captured.

    Raises `TraceError` for one without Python source and for what script mode does not support.
    """
    if isinstance(function, types.MethodType):
        return types.MethodType(converted(function.__func__), function.__self__)
    if isinstance(function, functools.partial):
        return functools.partial(converted(function.func), *function.args, **function.keywords)
    if not isinstance(function, types.FunctionType):
        method = inspect.getattr_static(type(function), "__call__", None)
        if isinstance(method, types.FunctionType) and is_user_code(method.__code__):
            return types.MethodType(converted(method), function)
        shown = getattr(function, "__name__", type(function).__name__)
        raise TraceError(
            f'jit(mode="script"): expected a Python function, found {shown}, which has no Python '
            "source; call it from one",
            place=user_place(),
        )
    code = function.__code__
    if id(code) in CONVERTED:
        return function
    if not is_user_code(code):
        return _around(function)
    if id(code) not in _CODES:
        _CODES[id(code)] = code, _convert(code, function.__globals__)
    return _with_code(function, _CODES[id(code)][1])


def _around(function: types.FunctionType) -> types.FunctionType:
    """A function of ours around functions of the user (`lm.grad(f)`), around converted ones."""
    cells: list[types.CellType] = []
    for cell in function.__closure__ or ():
        value: Any = cell.cell_contents
        is_users = isinstance(value, (types.FunctionType, types.MethodType))
        cells.append(types.CellType(converted(value)) if is_users else cell)
    if not cells:
        return function
    made = types.FunctionType(
        function.__code__, function.__globals__, function.__name__, function.__defaults__,
        tuple(cells),
    )  # fmt: skip
    made.__kwdefaults__ = function.__kwdefaults__
    return made


def is_convertible(function: types.FunctionType) -> bool:
    """Whether a function that is called is the user's own and has source."""
    code = function.__code__
    if id(code) in CONVERTED or not is_user_code(code) or is_installed(code):
        return False
    return id(code) in _CODES or _find(code, function.__globals__) is not None


def _with_code(function: types.FunctionType, code: types.CodeType) -> types.FunctionType:
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    cells[OPERATORS] = CELL
    closure = tuple(cells[name] for name in code.co_freevars)
    made = types.FunctionType(
        code, function.__globals__, function.__name__, function.__defaults__, closure
    )
    made.__kwdefaults__ = function.__kwdefaults__
    made.__qualname__ = function.__qualname__
    return made


def _convert(code: types.CodeType, namespace: dict[str, Any]) -> types.CodeType:
    file = code.co_filename
    place = f"{file}:{code.co_firstlineno}"
    if code.co_flags & _GENERATORS:
        kind = "a coroutine" if code.co_flags & inspect.CO_COROUTINE else "yield (a generator)"
        raise TraceError(
            f'jit(mode="script"): expected Python that it supports, found {kind}; return values '
            "instead, or use lm.scan",
            place=place,
        )
    node = _find(code, namespace)
    if node is None:
        raise TraceError(
            f'jit(mode="script"): expected a function with source, found {code.co_qualname}, whose '
            "source is not there, or is not what runs; write it to a file",
            place=place,
        )
    unsupported.check(file, [node.args, *node.body])
    node.args.defaults = [ast.copy_location(ast.Constant(None), x) for x in node.args.defaults]
    node.args.kw_defaults = [
        x and ast.copy_location(ast.Constant(None), x) for x in node.args.kw_defaults
    ]
    made = Statements(file, _class_of(code)).function(node)
    return _known(_compiled(made, code), code)


def _compiled(node: ast.FunctionDef, code: types.CodeType) -> types.CodeType:
    """The code of a function that has the free variables of `code`, and the operators."""
    parameters = [ast.arg(name) for name in (OPERATORS, *code.co_freevars)]
    arguments = ast.arguments([], parameters, None, [], [], None, [])
    node.name = f"{OPERATORS}function"  # its own name is a global or free variable
    factory = ast.FunctionDef(f"{OPERATORS}factory", arguments, [node], [])
    module = ast.fix_missing_locations(ast.Module([ast.copy_location(factory, node)], []))
    flags = code.co_flags & _FUTURE
    outer = _functions(compile(module, code.co_filename, "exec", flags, dont_inherit=True))[0]
    made = next(found for found in _functions(outer) if found.co_name == node.name)
    return made.replace(co_name=code.co_name, co_qualname=code.co_qualname)


def _functions(code: types.CodeType) -> list[types.CodeType]:
    return [value for value in code.co_consts if isinstance(value, types.CodeType)]


def _known(new: types.CodeType, code: types.CodeType) -> types.CodeType:
    """The converted code, noted with what it was made of; so is each function nested in it, and
    the parts of branches and loops have the name of their function."""
    nested = {(inner.co_name, inner.co_firstlineno): inner for inner in _functions(code)}

    def walk(outer: types.CodeType) -> types.CodeType:
        constants: list[Any] = []
        for inner in outer.co_consts:
            if not isinstance(inner, types.CodeType):
                constants.append(inner)
            elif (inner.co_name, inner.co_firstlineno) in nested:
                constants.append(_known(inner, nested[inner.co_name, inner.co_firstlineno]))
            else:
                part = walk(inner)
                if part.co_name.startswith(OPERATORS):
                    part = part.replace(co_name=code.co_name, co_qualname=code.co_qualname)
                CONVERTED[id(part)] = part, None
                constants.append(part)
        return outer.replace(co_consts=tuple(constants))

    made = walk(new)
    CONVERTED[id(made)] = made, code
    return made


def _find(code: types.CodeType, namespace: dict[str, Any]) -> ast.FunctionDef | None:
    """A fresh tree of the source of `code`; None where there is none that fits."""
    lines = linecache.getlines(code.co_filename, namespace)
    known = _FILES.get(code.co_filename)
    if known is None or known[0] != lines:
        try:
            known = lines, ast.parse("".join(lines))
        except SyntaxError:
            return None
        _FILES[code.co_filename] = known
    nodes = list(ast.walk(known[1]))
    for node in reversed(nodes):  # a lambda in a lambda comes first
        if isinstance(node, ast.Lambda):
            if code.co_name == _LAMBDA and _is_lambda(node, code):
                body: list[ast.stmt] = [
                    ast.copy_location(ast.Return(copy.deepcopy(node.body)), node.body)
                ]
                made = ast.FunctionDef(f"{OPERATORS}lambda", copy.deepcopy(node.args), body, [])
                return ast.copy_location(made, node)
        elif isinstance(node, ast.FunctionDef) and _is_function(node, code):
            return copy.deepcopy(node)
    return None


def _is_lambda(node: ast.Lambda, code: types.CodeType) -> bool:
    """Whether all instructions of `code` are of the body of a lambda."""
    if node.lineno != code.co_firstlineno:
        return False
    first = node.body.lineno, node.body.col_offset
    last = node.body.end_lineno, node.body.end_col_offset
    for line, end_line, column, end_column in code.co_positions():
        if line is None or column is None or (line, column) == (end_line, end_column):
            continue
        if (line, column) < first or (end_line, end_column) > last:  # type: ignore[operator]
            return False
    return True


def _is_function(node: ast.FunctionDef, code: types.CodeType) -> bool:
    """Whether `node` has the name and line of `code`, and is its source."""
    lines = [node.lineno, *(value.lineno for value in node.decorator_list)]
    if node.name != code.co_name or min(lines) != code.co_firstlineno:
        return False
    if any(isinstance(inner, ast.Assert) for inner in ast.walk(node)):  # pytest rewrites them
        return True
    plain = copy.deepcopy(node)
    plain.decorator_list = []
    return _outline(_compiled(plain, code)) == _outline(code)


def _outline(code: types.CodeType) -> tuple[Any, ...]:
    """What tells a function from another version of it (instructions depend on the module)."""
    private = len(code.co_names)  # the names themselves may be mangled
    constants = [repr(value) for value in code.co_consts if not isinstance(value, types.CodeType)]
    return code.co_varnames, code.co_cellvars, private, constants


def _class_of(code: types.CodeType) -> str | None:
    """The name of the class in whose body a function stands, without leading underscores."""
    owners = code.co_qualname.split(".")[:-1]
    return owners[-1].lstrip("_") or None if owners and owners[-1] != "<locals>" else None
