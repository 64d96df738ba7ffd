"""IR text in and out: the one way to parse and print a module.

Every failure is an `IRError` whose place is `file:line:column`. Operations without a location of
their own get the position of their text, so that later errors point into the file.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from io import StringIO
from typing import Any, cast

from xdsl.context import Context
from xdsl.dialect_interfaces.op_asm import OpAsmDialectInterface
from xdsl.dialects.builtin import (
    UNKNOWN_LOC,
    AnyDenseElement,
    FileLineColLoc,
    IntAttr,
    ModuleOp,
    RankedStructure,
    StringAttr,
)
from xdsl.ir import Operation
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import ParseError
from xdsl.utils.mlir_lexer import MLIRLexer

# makes xDSL's dense float attributes exact
import lamina.dialects.builtin  # noqa: F401  # pyright: ignore[reportUnusedImport]
from lamina.dialects.locations import place_of
from lamina.errors import IRError
from lamina.verify import TOO_DEEP, one_line

MAX_DENSE_BYTES = 1 << 28

# xDSL's own expression for string literals needs time exponential in the length of one that is
# not closed; this one matches the same literals, without backtracking
cast(Any, MLIRLexer)._unescaped_characters_regex = re.compile(
    r'"(?:[^"\\\n\v\f]++|\\(?:["nt\\]|[0-9A-Fa-f]{2}))*+"'
)


class _LocatingParser(Parser):
    """A parser that gives every operation the position of its text as location."""

    def __init__(self, context: Context, text: str, name: str, first_line: int) -> None:
        self._text = text
        self._name = StringAttr(name)
        self._first_line = first_line
        self._line_starts = [0, *(i + 1 for i, char in enumerate(text) if char == "\n")]
        self._open_ops: list[int] = []
        super().__init__(context, text, name)

    def location(self, position: int) -> FileLineColLoc:
        line = bisect_right(self._line_starts, position)
        column = position - self._line_starts[line - 1] + 1
        return FileLineColLoc(self._name, IntAttr(line + self._first_line - 1), IntAttr(column))

    def parse_operation(self) -> Operation:
        start = self.pos
        self._open_ops.append(start)
        op = super().parse_operation()
        self._open_ops.pop()
        if op.location == UNKNOWN_LOC:
            op.location = self.location(start)
        for region in op.regions:
            for block in region.blocks:
                for inner in block.ops:  # a terminator, or a body, that is not in the text
                    if inner.location == UNKNOWN_LOC:
                        inner.location = op.location
        return op

    def error(self, message: str, position: int | None = None) -> IRError:
        """An error at `position`, or at the operation that was being parsed."""
        if position is None:
            position = self._open_ops[-1] if self._open_ops else 0
        return IRError(message, place=place_of(self.location(position)))

    def explain(self, error: ParseError) -> IRError:
        """xDSL's error, in our words where its own say little, at the place of the mistake."""
        message, position = one_line(error), error.span.start
        token = re.match(r"\S+", self._text[position:])
        found = f"found {token[0][:40]}" if token else "found the end of the text"
        if undefined := re.match(r"values used but not defined: \[(%[^,\]]*)", error.msg):
            message = f"value {undefined[1]} is used but not defined"
            position = self._use_of(undefined[1])
        elif error.msg.startswith("Could not parse entire"):
            message = f"expected an operation, {found}"
        elif error.msg.strip().startswith("in "):
            message = f"expected an operation or '}}' {message}, {found}"
        elif message.startswith("operation ") and message.endswith("is not registered"):
            position = self._open_ops[-1]
        elif not message.startswith("expected ") and position == self.pos and self._open_ops:
            # what is wrong has been read already: not the next line's first token
            position = max(self._open_ops[-1], len(self._text[:position].rstrip()) - 1)
        return self.error(message, position)

    def _use_of(self, name: str) -> int:
        """Where the undefined value `name` is used: the first time, or the last when the text
        defines it somewhere, in a region that has ended."""
        uses = [m.start() for m in re.finditer(re.escape(name) + r"(?![\w$.-])", self._text)]
        defined = re.search(re.escape(name) + r"(:\d+)?\s*[=,:]", self._text)
        return uses[-1 if defined else 0] if uses else self.pos

    def _parse_dialect_resource_handle(
        self, dialect_name: str, interface: OpAsmDialectInterface
    ) -> str:
        """The key as it is written. xDSL keeps keys for the whole process, and renames one that
        an earlier text has used."""
        return self.parse_identifier()

    def _parse_resource(self, dialect_name: str, interface: OpAsmDialectInterface) -> None:
        """Check a blob and drop it: resources travel beside the text (`lamina-run --resources`)."""
        key = self._parse_dialect_resource_handle(dialect_name, interface)
        self.parse_punctuation(":")
        start = self.pos
        value = self.parse_str_literal()
        if not re.fullmatch(r"0x(?:[0-9A-Fa-f]{2})*", value):
            raise self.error(f"resource {key}: expected 0x and hexadecimal bytes", start)

    def _parse_dense_literal_type(self) -> RankedStructure[AnyDenseElement]:
        """xDSL lays a splat out in full: refuse one that is larger than memory first."""
        start = self.pos
        type_ = super()._parse_dense_literal_type()
        size = math.prod(type_.get_shape()) * type_.element_type.compile_time_size
        if size > MAX_DENSE_BYTES:
            raise self.error(
                f"dense constant: expected at most {MAX_DENSE_BYTES} bytes, found {size}; "
                "a larger one is an argument or a resource",
                start,
            )
        return type_


def parse_module(
    context: Context, text: str, name: str = "<text>", *, first_line: int = 1
) -> ModuleOp:
    """Parse `text` into a module; it is not verified yet.

    name: shown in errors and locations. first_line: the line of the file on which `text` begins
    (a chunk of a split file begins further down).
    """
    try:
        parser = _LocatingParser(context, text, name, first_line)
    except ParseError as error:  # the first token is already malformed
        at = error.span.get_location()
        place = f"{at.file}:{at.line + first_line - 1}:{at.col}"
        raise IRError(one_line(error), place=place) from error
    try:
        module = parser.parse_module()
    except IRError:
        raise
    except ParseError as error:
        raise parser.explain(error) from error
    except RecursionError:
        raise parser.error(TOO_DEEP, parser.pos) from None
    except Exception as error:
        # xDSL's parser leaks other exceptions on some malformed text: constructors that check
        # their arguments, int() on literals of thousands of digits
        message = one_line(error)
        if "integer string conversion" in message:
            message = "integer literal: expected at most some 4000 digits"
        raise parser.error(message) from error
    if module.location == UNKNOWN_LOC:
        module.location = parser.location(0)
    return module


def print_module(module: ModuleOp, *, locations: bool = False, generic: bool = False) -> str:
    """The module's text, with a final newline. Resources are named, their bytes not printed."""
    stream = StringIO()
    printer = Printer(stream, print_debuginfo=locations, print_generic_format=generic)
    printer.print_op(module)
    stream.write("\n")
    return stream.getvalue()
