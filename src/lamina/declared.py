"""What `jit(shapes=...)` declares of the arguments, checked at each call.

Which axes take sizes as they come, and how these depend on each other. The native entry checks the
same; what it does not take comes here, for an error that names the argument.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any, NoReturn, TypeAlias, TypeGuard, cast

from lamina.errors import OptionError, ShapeError
from lamina.frontend import dims, tree
from lamina.frontend.array import is_array
from lamina.frontend.dims import Size, Symbol
from lamina.frontend.location import fail, shown
from lamina.frontend.size_table import solved

Spec: TypeAlias = "tuple[int | Size | None, ...]"
"""The declared sizes of one array; None for a size that the compiled code is made for."""


class Declared:
    """The checked entries of `shapes=`, one for each positional argument of `function`.

    Raises `OptionError` for an entry that is no tree of shapes, and for Dims that no size tells.
    """

    def __init__(self, function: Callable[..., Any], shapes: Any) -> None:
        if type(shapes) not in (tuple, list):
            raise OptionError(
                f"jit: expected shapes= to be a tuple, an entry an argument, found {shown(shapes)}"
            )
        self.name: str = getattr(function, "__name__", "function")
        names, self.rest = _positional(function)
        self.entries: dict[str, Any] = dict(zip(names, shapes, strict=False))
        left = tuple(shapes[len(names) :])
        if self.rest is not None:
            self.entries[self.rest] = left
        elif left:
            raise OptionError(
                f"jit: expected at most {len(self.entries)} entries in shapes=, the positional "
                f"parameters of {self.name}, found {len(shapes)}"
            )
        sizes = [size for shape in self._shapes(list(shapes)) for size in shape]
        told = {parts[0] for size in sizes if isinstance(size, Size) and (parts := solved(size))}
        found: dict[str, Symbol] = {}
        for size in sizes:
            for symbol in dims.symbols_of(size) if isinstance(size, Size) else ():
                if symbol not in told:
                    raise OptionError(
                        f"jit: expected {symbol} as the size of an axis, alone or as 2*{symbol} "
                        f"or {symbol} + 1, found it in {size} only"
                    )
                if not symbol.declared or found.setdefault(symbol.name, symbol) is not symbol:
                    raise OptionError(f"jit: expected one Dim of the name {symbol}, found two")

    def _shapes(self, entry: Any) -> list[Spec]:
        """The shapes in an entry. Raises `OptionError` for one that is no tree of shapes."""
        if entry is None:
            return []
        if _is_shape(entry):
            return [entry]
        children = tree.children(entry)
        if not children:
            raise OptionError(
                "jit: expected shapes= of tuples of int, None, Dim or expressions of Dims, found "
                f"{shown(entry)}"
            )
        return [shape for child in children.values() for shape in self._shapes(child)]

    def of_leaves(self, named: dict[str, Any]) -> dict[int, Spec]:
        """Leaf number -> declared shape, for the arguments of a call by parameter name."""
        specs: list[Spec | None] = []
        for name, value in named.items():
            entry = self.entries.get(name)
            if name == self.rest and entry is not None:  # *args: further ones are free
                entry = (*entry, *[None] * (len(value) - len(entry)))
            self._walk(name, value, entry, specs)
        return {number: spec for number, spec in enumerate(specs) if spec is not None}

    def _walk(self, path: str, value: Any, entry: Any, specs: list[Spec | None]) -> None:
        leaves = len(tree.flatten(value)[0])
        if entry is None or not leaves:
            specs += [None] * leaves
            return
        children = {} if is_array(value) else tree.children(value)
        if not children:
            if not _is_shape(entry):
                fail(ShapeError, f"{self.name}: expected a tree for {path}, found an array")
            specs.append(entry)
            return
        inner = tree.children(entry)
        if inner.keys() != children.keys():
            fail(
                ShapeError,
                f"{self.name}: expected {path} of the structure that shapes= has, found a "
                f"{type(value).__name__} of {', '.join(map(str, children))}",
            )
        for key, child in children.items():
            self._walk(f"{path}/{key}", child, inner[key], specs)

    def check(self, leaves: Sequence[Any], names: Sequence[str], specs: dict[int, Spec]) -> None:
        """Raise `ShapeError`, naming the argument, where a call breaks what is declared."""
        found: dict[Symbol, tuple[int, str]] = {}
        axes = self._axes(leaves, names, specs)
        for plain in (True, False):
            for size, actual, where in axes:
                parts = solved(size) if isinstance(size, Size) else None
                if parts is None or (plain and parts[1:] != (1, 0)) or parts[0] in found:
                    continue
                symbol, scale, offset = parts
                found[symbol] = (actual - offset) // scale, where
        values = {symbol: value for symbol, (value, _) in found.items()}
        for symbol, (value, where) in found.items():
            low, high = cast("int", symbol.low), cast("int | None", symbol.high)
            if value < low or (high is not None and value > high):
                span = f"of {low} or more" if high is None else f"from {low} to {high}"
                self._fail(f"{symbol} {span}", f"{value} on {where}")
        for size, actual, where in axes:
            wanted = dims.evaluate(size, values)
            if wanted != actual:
                told = ", ".join(
                    f"{symbol} = {found[symbol][0]} on {found[symbol][1]}"
                    for symbol in dims.symbols_of(size)
                    if found[symbol][1] != where
                )
                text = f"{size} = {wanted}" if isinstance(size, Size) else str(wanted)
                self._fail(f"size {text}{f' ({told})' if told else ''} on {where}", f"{actual}")

    def _axes(
        self, leaves: Sequence[Any], names: Sequence[str], specs: dict[int, Spec]
    ) -> list[tuple[int | Size, int, str]]:
        """Declared size, found size, and where, of each axis that is declared."""
        axes: list[tuple[int | Size, int, str]] = []
        for number, spec in specs.items():
            leaf, name = leaves[number], names[number]
            shape: tuple[int, ...] | None = getattr(leaf, "shape", None)
            if shape is None:
                self._fail(f"an array of shape {spec} for {name}", f"a {type(leaf).__name__}")
            if len(shape) != len(spec):
                self._fail(f"{len(spec)} axes, {spec}, for {name}", f"shape {shape}")
            axes += [
                (size, actual, f"axis {axis} of {name}")
                for axis, (size, actual) in enumerate(zip(spec, shape, strict=True))
                if size is not None
            ]
        return axes

    def _fail(self, expected: str, found: str) -> NoReturn:
        fail(ShapeError, f"{self.name}: expected {expected}, found {found}")


def _is_shape(entry: Any) -> TypeGuard[Spec]:
    """Whether an entry is the shape of one array."""
    return type(entry) is tuple and all(
        part is None or type(part) is int or isinstance(part, Size)
        for part in cast("tuple[Any, ...]", entry)
    )


def _positional(function: Callable[..., Any]) -> tuple[list[str], str | None]:
    """The names of the positional parameters, and that of `*args` or None."""
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    try:
        parameters = inspect.signature(function).parameters.values()
    except ValueError:
        return [], None
    rest = [p.name for p in parameters if p.kind is inspect.Parameter.VAR_POSITIONAL]
    return [p.name for p in parameters if p.kind in kinds], rest[0] if rest else None
