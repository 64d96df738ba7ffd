"""The arena: buffers that live at once share no byte, for many random lifetimes."""

from __future__ import annotations

import random

import pytest
from linalg_text import functions
from lit_runs import LIT
from xdsl.dialects.builtin import i8

from lamina.dialects import memref
from lamina.transforms.plan_memory import ALIGNMENT, Lifetime, assign, lifetimes, round_up


def buffer(size: int, first: int, last: int) -> Lifetime:
    """A buffer that lives from op `first` to op `last`."""
    return Lifetime(memref.AllocOp.get(i8, None, [size]), size, first, last)


def conflicts(buffers: list[Lifetime]) -> list[tuple[int, int]]:
    """The pairs that share an (op, byte): found by writing down each of them."""
    owner: dict[tuple[int, int], int] = {}
    found: list[tuple[int, int]] = []
    for number, b in enumerate(buffers):
        for op in range(b.first, b.last + 1):
            for line in range(b.offset // ALIGNMENT, (b.offset + b.size - 1) // ALIGNMENT + 1):
                other = owner.setdefault((op, line), number)
                if other != number:
                    found.append((other, number))
    return found


def most_at_once(buffers: list[Lifetime]) -> int:
    """The bytes that live at the busiest op: no arena can be smaller."""
    ops = range(max(b.last for b in buffers) + 1)
    return max(sum(round_up(b.size) for b in buffers if b.first <= op <= b.last) for op in ops)


@pytest.mark.parametrize("seed", range(200))
def test_random_lifetimes(seed: int) -> None:
    draw = random.Random(seed)
    buffers: list[Lifetime] = []
    for _ in range(draw.randint(1, 12)):
        first = draw.randint(0, 15)
        size = draw.choice([1, 64, 65, 128, 400, draw.randint(1, 1000)])
        buffers.append(buffer(size, first, first + draw.choice([0, 1, 1, 2, 7])))
    total = assign(buffers)
    assert conflicts(buffers) == []
    assert all(b.offset % ALIGNMENT == 0 for b in buffers)
    assert total == max(b.offset + round_up(b.size) for b in buffers)
    assert most_at_once(buffers) <= total <= sum(round_up(b.size) for b in buffers)


def test_chain_of_equal_buffers_needs_two() -> None:
    buffers = [buffer(1000, i, i + 1) for i in range(10)]
    assert assign(buffers) == 2 * round_up(1000)


def test_conflicts_are_found() -> None:
    pair = [buffer(64, 0, 1), buffer(64, 1, 2)]
    assert conflicts(pair) == [(0, 1)]
    pair[1].offset = 64
    assert conflicts(pair) == []


def test_lifetimes_of_a_loop() -> None:
    """What a loop touches lives from before it, or from its first op, to its end."""
    function = functions(LIT / "transforms" / "plan_memory.mlir")["loop"]
    order = [op.name for op in function.body.block.ops]
    call, loop, last = order.index("func.call"), order.index("scf.for"), order.index("func.return")
    found = [(b.size, b.first, b.last) for b in lifetimes(function.body.block)]
    assert found == [(64, call, loop), (64, loop, loop), (64, loop, loop), (64, last - 1, last - 1)]
