"""Whether a module is well formed: every operation's own rules, and what xDSL does not look at.

xDSL 0.75 accepts values that are used before their definition, branches that pass fewer values
than the block takes, public functions without a body, and dimensions beyond 64 bits. Its own
`verify` also needs time quadratic in the number of blocks, and does not say which operation failed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    FunctionType,
    IntAttr,
    IntegerAttr,
    IntegerType,
    MemRefType,
    ModuleOp,
    ShapedType,
    StridedLayoutAttr,
    StringAttr,
    VectorType,
)
from xdsl.dialects.scf import ForOp, ParallelOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.traits import IsTerminator, NoTerminator
from xdsl.utils.exceptions import ParseError, VerifyException

from lamina.dialects.locations import place_of
from lamina.errors import IRError

MAX_INTEGER_BITS = (1 << 24) - 1
MAX_DIMENSION = (1 << 63) - 1
TOO_DEEP = "nesting is too deep: expected at most some 100 levels"


def verify_module(module: ModuleOp) -> None:
    """Raise an `IRError` with its place when `module` is not well formed.

    Costs about as much as building the module: once a level, not once a pass.
    """
    op: Operation = module
    seen_types: set[Attribute] = set()
    try:
        for op in module.walk():
            _check_position(op)
            _check_regions(op)
            op.verify_()
            _check_branch(op)
            _check_body(op)
            _check_steps(op)
            _check_types(op, seen_types)
    except VerifyException as error:
        message = one_line(error)
        if op.name not in message:
            message = f"{op.name}: {message}"
        raise IRError(message, place=place_of(op.location)) from error
    except RecursionError:
        raise IRError(TOO_DEEP, place=place_of(op.location)) from None
    except MemoryError:
        raise
    except Exception as error:
        # a verifier that does not expect what it was given, for example a missing attribute
        reason = f"{op.name}: does not verify: {one_line(error)}"
        raise IRError(reason, place=place_of(op.location)) from error
    check_dominance(module)


def one_line(error: Exception) -> str:
    """An exception's message on one line, first letter in lower case."""
    text = error.msg if isinstance(error, ParseError) else str(error)
    message = " ".join(text.split()) or type(error).__name__
    message = "".join(c if c.isprintable() else repr(c)[1:-1] for c in message)
    return message[0].lower() + message[1:] if message[1:2].islower() else message


def _check_position(op: Operation) -> None:
    """Terminators end blocks, and blocks end with terminators; branches stay in their region."""
    block = op.parent
    if block is None or block.parent is None:
        return
    region = block.parent
    if any(successor.parent is not region for successor in op.successors):
        raise VerifyException("expected successors in the same region")
    if op.next_op is not None or op.has_trait(IsTerminator):
        return
    owner = region.parent
    alone = region.first_block is region.last_block
    if not (alone and owner is not None and owner.has_trait(NoTerminator)):
        raise VerifyException("expected a terminator at the end of the block, found this operation")


def _check_regions(op: Operation) -> None:
    """Only regions that need no terminator may hold an empty block."""
    for region in op.regions:
        alone = region.first_block is region.last_block
        for block in region.blocks:
            if block.first_op is None and not (alone and op.has_trait(NoTerminator)):
                raise VerifyException("expected a terminator in the block, found an empty block")


_BRANCH_OPERANDS = {
    "cf.br": ("arguments",),
    "cf.cond_br": ("then_arguments", "else_arguments"),
    "llvm.br": ("arguments",),
    "llvm.cond_br": ("then_arguments", "else_arguments"),
}


def _check_branch(op: Operation) -> None:
    """A branch passes what the block takes (the switches check that themselves)."""
    for names, block in zip(_BRANCH_OPERANDS.get(op.name, ()), op.successors, strict=False):
        passed: Sequence[SSAValue] = getattr(op, names)
        found = [str(value.type) for value in passed]
        expected = [str(argument.type) for argument in block.args]
        if found != expected:
            raise VerifyException(f"expected block arguments of types {expected}, found {found}")


def _check_body(op: Operation) -> None:
    """A function without a body is a declaration, and those are private."""
    if op.name != "func.func" or op.regions[0].first_block is not None:
        return
    if op.properties.get("sym_visibility") != StringAttr("private"):
        raise VerifyException("expected a body, or private visibility for a declaration")


def _check_steps(op: Operation) -> None:
    """A loop whose step is not positive never ends."""
    if not isinstance(op, ForOp | ParallelOp):
        return
    for step in (op.step,) if isinstance(op, ForOp) else op.step:
        value = step.owner.properties.get("value") if isinstance(step.owner, ConstantOp) else None
        if isinstance(value, IntegerAttr) and value.value.data <= 0:
            raise VerifyException(f"expected a positive step, found {value.value.data}")


def _check_types(op: Operation, seen: set[Attribute]) -> None:
    """Check the types that an operation makes, each type once."""
    for type_ in _types_made(op):
        if type_ not in seen:
            seen.add(type_)
            check_type(type_)


def _types_made(op: Operation) -> Iterator[Attribute]:
    for result in op.results:
        yield result.type
    for region in op.regions:
        for block in region.blocks:
            for argument in block.args:
                yield argument.type
    function_type = op.properties.get("function_type")
    if isinstance(function_type, FunctionType):
        yield from function_type.inputs.data
        yield from function_type.outputs.data


def check_type(type_: Attribute) -> None:
    """Raise `VerifyException` for sizes that no machine has."""
    if isinstance(type_, IntegerType) and not 0 < type_.bitwidth <= MAX_INTEGER_BITS:
        raise VerifyException(
            f"integer type: expected 1 to {MAX_INTEGER_BITS} bits, found {type_.bitwidth}"
        )
    if not isinstance(type_, ShapedType):
        return
    if element_type := getattr(type_, "element_type", None):
        check_type(element_type)
    elements = 1
    for size in type_.get_shape():
        if size < 0 and size != DYNAMIC_INDEX:
            raise VerifyException(f"expected sizes from 0, found {size} in a {type_.name}")
        if isinstance(type_, VectorType) and size < 1:
            raise VerifyException(f"vector type: expected positive sizes, found {type_}")
        elements *= max(size, 1) if size != DYNAMIC_INDEX else 1
    if elements > MAX_DIMENSION:
        raise VerifyException(f"expected fewer than 2^63 elements, found {type_}")
    if isinstance(type_, MemRefType) and isinstance(type_.layout, StridedLayoutAttr):
        numbers = [*type_.layout.strides, type_.layout.offset]
        if any(isinstance(n, IntAttr) and abs(n.data) > MAX_DIMENSION for n in numbers):
            raise VerifyException(f"expected strides and offset of 64 bits, found {type_}")


def check_dominance(module: ModuleOp) -> None:
    """Raise `IRError` where a value is used before its definition."""
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
