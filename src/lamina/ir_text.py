"""IR text in and out: the one way to parse, verify and print a module.

Every failure is an `IRError` whose place is `file:line:column`. Operations without a location of
their own get the position of their text, so that later errors point into the file.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from io import StringIO

from xdsl.context import Context
from xdsl.dialects.builtin import (
    UNKNOWN_LOC,
    ArrayAttr,
    CallSiteLoc,
    FileLineColLoc,
    FusedLoc,
    IntAttr,
    ModuleOp,
    NameLoc,
    StringAttr,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import NoTerminator
from xdsl.utils.exceptions import ParseError, VerifyException

from lamina.errors import IRError

TOO_DEEP = "nesting is too deep: expected at most some 150 levels"


class _LocatingParser(Parser):
    """A parser that gives every operation the position of its text as location."""

    def __init__(self, context: Context, text: str, name: str, first_line: int) -> None:
        super().__init__(context, text, name)
        self._name = StringAttr(name)
        self._first_line = first_line
        self._line_starts = [0, *(i + 1 for i, char in enumerate(text) if char == "\n")]

    def location(self, position: int) -> FileLineColLoc:
        line = bisect_right(self._line_starts, position)
        column = position - self._line_starts[line - 1] + 1
        return FileLineColLoc(self._name, IntAttr(line + self._first_line - 1), IntAttr(column))

    def parse_operation(self) -> Operation:
        start = self.pos
        op = super().parse_operation()
        if op.location == UNKNOWN_LOC:
            op.location = self.location(start)
        return op


def parse_module(
    context: Context, text: str, name: str = "<text>", *, first_line: int = 1
) -> ModuleOp:
    """Parse `text` into a module.

    name: shown in errors and locations. first_line: the line of the file on which `text` begins
    (a chunk of a split file begins further down).
    """
    try:
        parser = _LocatingParser(context, text, name, first_line)
    except ParseError as error:  # the first token is already malformed
        raise _located(error, first_line) from error
    try:
        module = parser.parse_module()
    except ParseError as error:
        if undefined := re.match(r"values used but not defined: \[(%[^,\]]*)", error.msg):
            use = re.search(re.escape(undefined[1]) + r"(?![\w$.-])", text)
            raise IRError(
                f"value {undefined[1]} is used but not defined",
                place=place_of(parser.location(use.start() if use else parser.pos)),
            ) from error
        raise _located(error, first_line) from error
    except RecursionError:
        raise IRError(TOO_DEEP, place=place_of(parser.location(parser.pos))) from None
    except Exception as error:
        # xDSL's parser leaks other exceptions on some malformed text: constructors that check
        # their arguments, int() on literals of thousands of digits
        raise IRError(_one_line(error), place=place_of(parser.location(parser.pos))) from error
    if module.location == UNKNOWN_LOC:
        module.location = parser.location(0)
    return module


def _located(error: ParseError, first_line: int) -> IRError:
    at = error.span.get_location()
    return IRError(_one_line(error), place=f"{at.file}:{at.line + first_line - 1}:{at.col}")


def _one_line(error: Exception) -> str:
    """The error's message on one line, first letter in lower case."""
    message = error.msg if isinstance(error, ParseError) else str(error)
    message = " ".join(message.split()) or type(error).__name__
    return message[0].lower() + message[1:]


def verify_module(module: ModuleOp) -> None:
    """Check every operation's constraints, and that each value is defined before it is used."""
    try:
        module.verify()
        check_dominance(module)
    except VerifyException as error:
        raise _verify_error(module, error) from error
    except RecursionError:
        raise IRError(TOO_DEEP, place=place_of(module.location)) from None
    except IRError:
        raise
    except Exception as error:
        raise IRError(f"does not verify: {_one_line(error)}") from error


def _verify_error(module: ModuleOp, error: VerifyException) -> IRError:
    """The error of the first operation that does not verify, with its place.

    xDSL's exception does not name the operation, hence the second search.
    """
    for op in module.walk():
        try:
            op.verify(verify_nested_ops=False)
            for region in op.regions:
                for block in region.blocks:
                    if not block.ops and not op.has_trait(NoTerminator):
                        block.verify()
        except VerifyException as found:
            message = _one_line(found)
            if op.name not in message:
                message = f"{op.name}: {message}"
            return IRError(message, place=place_of(op.location))
    return IRError(_one_line(error), place=place_of(module.location))


def check_dominance(module: ModuleOp) -> None:
    """Raise `IRError` where a value is used before its definition (xDSL does not look)."""
    order = {op: index for index, op in enumerate(module.walk())}
    dominators: dict[Region, _Dominators] = {}
    for op in order:
        for operand in op.operands:
            if not _is_visible(operand, op, order, dominators):
                name = f"%{operand.name_hint}" if operand.name_hint else f"of type {operand.type}"
                raise IRError(
                    f"{op.name}: operand {name} is used before its definition",
                    place=place_of(op.location),
                )


def _is_visible(
    value: SSAValue,
    user: Operation,
    order: dict[Operation, int],
    dominators: dict[Region, _Dominators],
) -> bool:
    """Whether the definition of `value` comes before `user` on every way to it."""
    block = value.owner if isinstance(value.owner, Block) else value.owner.parent
    if block is None or block.parent is None:
        return False
    op: Operation | None = user
    while op is not None and op.parent is not None:
        if op.parent is block:
            return isinstance(value.owner, Block) or order[value.owner] < order[op]
        if op.parent.parent is block.parent:
            if block.parent not in dominators:
                dominators[block.parent] = _Dominators(block.parent)
            return dominators[block.parent].dominates(block, op.parent)
        op = op.parent_op()
    return False


class _Dominators:
    """Immediate dominators of a region's blocks, in reverse postorder until nothing changes.

    xDSL's `DominanceInfo` keeps a set of blocks a block: too much for a large function.
    """

    def __init__(self, region: Region) -> None:
        entry = region.blocks[0]
        reverse_postorder = self._reverse_postorder(entry)
        self.number = {block: index for index, block in enumerate(reverse_postorder)}
        predecessors: dict[Block, list[Block]] = {block: [] for block in reverse_postorder}
        for block in reverse_postorder:
            for successor in self._successors(block):
                predecessors[successor].append(block)
        self.parent: dict[Block, Block] = {entry: entry}
        changed = True
        while changed:
            changed = False
            for block in reverse_postorder[1:]:
                known = [p for p in predecessors[block] if p in self.parent]
                parent = known[0]
                for other in known[1:]:
                    parent = self._common(parent, other)
                if self.parent.get(block) is not parent:
                    self.parent[block] = parent
                    changed = True

    @staticmethod
    def _successors(block: Block) -> tuple[Block, ...]:
        return tuple(block.last_op.successors) if block.last_op is not None else ()

    def _reverse_postorder(self, entry: Block) -> list[Block]:
        postorder: list[Block] = []
        seen = {entry}
        stack = [(entry, iter(self._successors(entry)))]
        while stack:
            block, successors = stack[-1]
            successor = next((s for s in successors if s not in seen), None)
            if successor is None:
                postorder.append(block)
                stack.pop()
            else:
                seen.add(successor)
                stack.append((successor, iter(self._successors(successor))))
        return postorder[::-1]

    def _common(self, a: Block, b: Block) -> Block:
        while a is not b:
            while self.number[a] > self.number[b]:
                a = self.parent[a]
            while self.number[b] > self.number[a]:
                b = self.parent[b]
        return a

    def dominates(self, a: Block, b: Block) -> bool:
        """Whether every way to `b` passes `a`; true of a `b` that no way leads to."""
        if b not in self.number:
            return True
        if a not in self.number:
            return False
        return self._common(a, b) is a


def print_module(module: ModuleOp, *, locations: bool = False, generic: bool = False) -> str:
    """The module's text, with a final newline. Resources are named, their bytes not printed."""
    stream = StringIO()
    printer = Printer(stream, print_debuginfo=locations, print_generic_format=generic)
    printer.print_op(module)
    stream.write("\n")
    return stream.getvalue()


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
        case FusedLoc(locations=ArrayAttr() as parts):
            return next((p for part in parts.data if (p := place_of(part))), None)
        case _:
            return None
