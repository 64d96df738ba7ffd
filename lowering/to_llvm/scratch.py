"""Where each static `memref.alloc` lies.

Allocations of `main` lie in the arena, those of all other functions in the calling thread's
scratch. A function's allocations form a stack: what a region allocates lies above what its
parents hold, and is given back at its end. A callee's frame lies above that of each caller, so
that a parallel body never meets its parent's buffers on thread 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from xdsl.dialects.builtin import DYNAMIC_INDEX, MemRefType, SymbolRefAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation

from lamina.dialects.type_tests import is_memref
from lamina.lowering.to_llvm.state import fail
from lamina.lowering.to_llvm.types import byte_size

ALIGNMENT = 64
MAIN = "main"


@dataclass
class Frame:
    """What one function allocates: its size in bytes, offsets in it, and whom it calls."""

    size: int = 0
    offsets: dict[Operation, int] = field(default_factory=dict[Operation, int])
    calls: list[str] = field(default_factory=list[str])


@dataclass(frozen=True)
class Plan:
    """Offsets of all static allocations, and the bytes of arena and of scratch per thread."""

    offsets: Mapping[Operation, int]
    arena_bytes: int
    scratch_bytes: int


def round_up(size: int) -> int:
    """The next multiple of the alignment."""
    return -(-size // ALIGNMENT) * ALIGNMENT


def static_bytes(type: MemRefType) -> int | None:
    """The bytes of a memref of static shape, None for another."""
    count = 1
    for dim in type.shape.data:
        if dim.data == DYNAMIC_INDEX:
            return None
        count *= dim.data
    return count * byte_size(type.element_type)


def _walk(block: Block, start: int, frame: Frame) -> None:
    for op in block.ops:
        if op.name == "memref.alloc":
            type = op.results[0].type
            assert is_memref(type)
            if (size := static_bytes(type)) is not None:
                frame.offsets[op] = start
                start += round_up(size)
                frame.size = max(frame.size, start)
        elif op.name == "func.call":
            callee = op.properties["callee"]
            assert isinstance(callee, SymbolRefAttr)
            frame.calls.append(callee.root_reference.data)
        for region in op.regions:
            for inner in region.blocks:
                _walk(inner, start, frame)


def frame_of(func: FuncOp) -> Frame:
    """The frame of one function."""
    frame = Frame()
    for block in func.body.blocks:
        _walk(block, 0, frame)
    return frame


def plan_scratch(functions: Iterable[FuncOp]) -> Plan:
    """Place the static allocations of a module.

    Raises a LoweringError when functions call each other in a circle.
    """
    funcs = {func.sym_name.data: func for func in functions}
    frames = {name: frame_of(func) for name, func in funcs.items()}
    bases = dict.fromkeys(frames, 0)
    offsets: dict[Operation, int] = {}
    scratch = 0
    order = _callers_first(funcs, frames)
    for name in order:
        frame = frames[name]
        base = 0 if name == MAIN else bases[name]
        for op, offset in frame.offsets.items():
            offsets[op] = base + offset
        top = 0 if name == MAIN else base + frame.size
        scratch = max(scratch, top)
        for callee in frame.calls:
            if callee in bases:
                bases[callee] = max(bases[callee], top)
    users: set[str] = set()
    for name in reversed(order):
        frame = frames[name]
        if name != MAIN and (frame.offsets or not users.isdisjoint(frame.calls)):
            users.add(name)
    for name in order:
        if "parallel_body" in funcs[name].attributes and not users.isdisjoint(frames[name].calls):
            fail(funcs[name], "expected a body whose callees use no scratch")
    arena = frames[MAIN].size if MAIN in frames else 0
    return Plan(offsets, arena, scratch)


def _callers_first(funcs: Mapping[str, FuncOp], frames: Mapping[str, Frame]) -> list[str]:
    """The functions in an order in which each comes before its callees."""
    order: list[str] = []
    state: dict[str, bool] = {}  # False while its callees are visited, then True
    for root in frames:
        stack = [(root, iter([root]))] if root not in state else []
        while stack:
            name, callees = stack[-1]
            callee = next(callees, None)
            if callee is None:
                stack.pop()
                if state.get(name) is False and (not stack or stack[-1][0] != name):
                    state[name] = True
                    order.append(name)
            elif callee in frames and state.get(callee) is False:
                fail(funcs[callee], f"expected functions without recursion, found @{callee}")
            elif callee in frames and callee not in state:
                state[callee] = False
                stack.append((callee, iter(frames[callee].calls)))
    order.reverse()
    return order
