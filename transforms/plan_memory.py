"""Pass `plan-memory`: the buffers of `main` get places in one arena, shared when lifetimes allow.

    %a = memref.alloc() : memref<64xf32>           // used by ops 1 and 2
    %b = memref.alloc() : memref<64xf32>           // used by ops 3 and 4
    // ->
    %arena = memref.alloc() {alignment = 64} : memref<256xi8>
    %a = memref.view %arena[%c0][] : memref<256xi8> to memref<64xf32>
    %b = memref.view %arena[%c0][] : memref<256xi8> to memref<64xf32>

Largest buffers first, each at the lowest offset that is free while it lives (the greedy by size
of Pisarchyk and Lee, Efficient Memory Management for Deep Neural Net Inference, 2020). A buffer of
dynamic size has a place for the most that it may be, where that is known (`size_bounds`): a window
in a loop is no allocation at each trip. Others stay allocations, and are given back after their
last use. Post-condition: `main` has at most one static allocation, the arena; `lamina.memory` notes
its bytes with and without reuse.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    DictionaryAttr,
    IntegerAttr,
    MemRefType,
    ModuleOp,
    i8,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.passes import ModulePass

from lamina.dialects import arith, memref
from lamina.dialects.sizes import byte_size
from lamina.transforms.size_bounds import largest

ALIGNMENT = 64
MEMORY = "lamina.memory"
VIEWS = (memref.SubviewOp, memref.CastOp, memref.CollapseShapeOp, memref.ExpandShapeOp,
         memref.ViewOp, memref.ReinterpretCastOp)  # fmt: skip


@dataclass(eq=False)
class Lifetime:
    """A buffer: its bytes, and the first and last top-level op that touches it."""

    alloc: memref.AllocOp
    size: int
    first: int
    last: int
    offset: int = 0

    def overlaps(self, other: Lifetime) -> bool:
        """Whether both live at some op."""
        return self.first <= other.last and other.first <= self.last


def users_of(value: SSAValue) -> list[Operation]:
    """The ops that touch a buffer, by itself or through views of it."""
    found: list[Operation] = []
    for use in value.uses:
        found.append(use.operation)
        if isinstance(use.operation, VIEWS):
            found += users_of(use.operation.results[0])
    return found


def most_bytes(op: memref.AllocOp) -> int | None:
    """The bytes of an allocation, or of the largest that it may be; None where nobody knows."""
    type = op.memref.type
    sizes = iter(op.dynamic_sizes)
    total = byte_size(type.element_type)
    for size in type.get_shape():
        bound = largest(next(sizes)) if size == DYNAMIC_INDEX else size
        if bound is None:
            return None
        total *= max(bound, 0)
    return total


def lifetimes(block: Block) -> list[Lifetime]:
    """The lifetimes of the allocations of bounded size of a block and the regions in it.

    An op inside a loop counts as the loop: what lives there lives throughout.
    """
    order: dict[Operation, int] = {op: i for i, op in enumerate(block.ops)}

    def place(op: Operation) -> int:
        while op not in order:
            parent = op.parent_op()
            assert parent is not None
            op = parent
        return order[op]

    found: list[Lifetime] = []
    for op in list(block.walk()):
        if not isinstance(op, memref.AllocOp) or (size := most_bytes(op)) is None:
            continue
        places = [place(user) for user in users_of(op.memref)] or [place(op)]
        found.append(Lifetime(op, size, min(places), max(places)))
    return found


def assign(buffers: list[Lifetime]) -> int:
    """Give each buffer an offset; the bytes of the arena."""
    placed: list[Lifetime] = []
    total = 0
    for buffer in sorted(buffers, key=lambda b: (-b.size, b.first)):
        size = round_up(buffer.size)
        offset = 0
        for other in sorted(placed, key=lambda b: b.offset):
            if buffer.overlaps(other):
                if other.offset - offset >= size:
                    break
                offset = max(offset, other.offset + round_up(other.size))
        buffer.offset = offset
        placed.append(buffer)
        total = max(total, offset + size)
    return total


def round_up(size: int) -> int:
    """The next multiple of the alignment."""
    return -(-size // ALIGNMENT) * ALIGNMENT


def use_arena(block: Block, buffers: list[Lifetime], total: int) -> None:
    """Replace the allocations by views of one arena at the start of the block."""
    arena = memref.AllocOp.get(MemRefType(i8, [total]).element_type, ALIGNMENT, [total])
    first = block.first_op
    assert first is not None
    arena.location = buffers[0].alloc.location
    arena.memref.name_hint = "arena"
    block.insert_ops_before([arena], first)
    for buffer in buffers:
        shift = arith.ConstantOp(IntegerAttr.from_index_int_value(buffer.offset))
        sizes = list(buffer.alloc.dynamic_sizes)
        view = memref.ViewOp(arena.memref, shift.result, sizes, buffer.alloc.memref.type)
        shift.location = view.location = buffer.alloc.location
        view.result.name_hint = buffer.alloc.memref.name_hint
        parent = buffer.alloc.parent
        assert parent is not None
        parent.insert_ops_before([shift, view], buffer.alloc)
        buffer.alloc.memref.replace_all_uses_with(view.result)
        buffer.alloc.detach()
        buffer.alloc.erase()


def free_dynamic(block: Block) -> None:
    """Give back allocations of dynamic size at the end of the block that made them."""
    for op in list(block.walk()):
        if not isinstance(op, memref.AllocOp) or not op.dynamic_sizes:
            continue
        home = op.parent
        assert home is not None and home.last_op is not None
        users = set(users_of(op.memref))
        if any(isinstance(user, memref.DeallocOp) for user in users):
            continue
        dealloc = memref.DeallocOp.get(op.memref)
        dealloc.location = op.location
        home.insert_ops_before([dealloc], home.last_op)


class PlanMemoryPass(ModulePass):
    """Plan the memory of every public function."""

    name = "plan-memory"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in op.ops:
            if not isinstance(function, func.FuncOp) or function.is_declaration:
                continue
            if function.sym_visibility is not None:
                continue
            block = function.body.block
            buffers = [b for b in lifetimes(block) if not _is_arena(b.alloc)]
            total = assign(buffers)
            if buffers:
                use_arena(block, buffers, total)
            free_dynamic(block)
            if buffers:
                whole = sum(round_up(b.size) for b in buffers)
                function.attributes[MEMORY] = _note(total, whole)


def _is_arena(op: memref.AllocOp) -> bool:
    """Whether an earlier run made this allocation."""
    return any(isinstance(use.operation, memref.ViewOp) for use in op.memref.uses)


def _note(arena: int, without_reuse: int) -> Attribute:
    return DictionaryAttr(
        {
            "arena": IntegerAttr(arena, i64),
            "arena_without_reuse": IntegerAttr(without_reuse, i64),
        }
    )
