"""What `verify_module` refuses, and that its dominance is that of a brute-force search."""

from __future__ import annotations

import time
from random import Random

import pytest

from lamina.errors import IRError
from lamina.ir_text import parse_module
from lamina.registry import make_context
from lamina.verify import verify_module


def verify(text: str) -> str:
    """The error of `text` and its place, or ""."""
    module = parse_module(make_context(), text, "t")
    try:
        verify_module(module)
    except IRError as error:
        return f"{error.place}: {error.message}"
    return ""


@pytest.mark.parametrize(
    "text",
    [
        "func.func private @declared(i32)",
        "builtin.module {\n}",
        # a value of an enclosing region, also through several levels
        "func.func @f(%x: i32, %c: i1) {\nscf.if %c {\nscf.if %c {\n%y = arith.addi %x, %x : i32\n"
        "}\n}\nfunc.return\n}",
        # an operation's own block argument, and a branch back
        "func.func @f(%n: i32) {\ncf.br ^a(%n : i32)\n^a(%i: i32):\n%j = arith.addi %i, %n : i32\n"
        "cf.br ^a(%j : i32)\n}",
        # a block that is never reached may use anything
        "func.func @f(%c: i1) -> i32 {\n%x = arith.constant 1 : i32\nfunc.return %x : i32\n"
        "^dead:\n%y = arith.addi %z, %z : i32\ncf.br ^dead2\n^dead2:\n"
        "%z = arith.constant 1 : i32\ncf.br ^dead\n}",
    ],
)
def test_well_formed_text_is_accepted(text: str) -> None:
    assert verify(text) == ""


def program(edges: dict[int, list[int]], definition: int, use: int) -> str:
    """Blocks with the given edges; block `use` uses a value of block `definition`."""
    lines = ["func.func @f(%c: i1) {", "cf.br ^b0"]
    for block, targets in edges.items():
        lines.append(f"^b{block}:")
        if block == use:
            lines.append("%u = arith.addi %v, %v : i32")
        if block == definition:
            lines.append("%v = arith.constant 1 : i32")
        match targets:
            case []:
                lines.append("func.return")
            case [only]:
                lines.append(f"cf.br ^b{only}")
            case _:
                lines.append(f"cf.cond_br %c, ^b{targets[0]}, ^b{targets[1]}")
    return "\n".join([*lines, "}"])


def reachable(edges: dict[int, list[int]], without: int) -> set[int]:
    """The blocks to which a way leads from block 0 that avoids block `without`."""
    seen: set[int] = set()
    todo = [0]
    while todo:
        block = todo.pop()
        if block not in seen and block != without:
            seen.add(block)
            todo += edges[block]
    return seen


@pytest.mark.parametrize("seed", range(60))
def test_dominance_agrees_with_a_search(seed: int) -> None:
    random = Random(seed)
    count = random.randint(2, 9)
    edges = {b: random.sample(range(count), random.randint(0, 2)) for b in range(count)}
    definition, use = random.sample(range(count), 2)
    all_blocks = reachable(edges, without=-1)
    legal = use not in all_blocks or (
        definition in all_blocks and use not in reachable(edges, without=definition)
    )
    found = verify(program(edges, definition, use))
    assert (found == "") == legal, found


def test_time_is_linear_in_the_number_of_blocks() -> None:
    """xDSL's own `verify` needs 19 s for 3,000 blocks."""

    def seconds(blocks: int) -> float:
        edges = {b: [b + 1] if b + 1 < blocks else [] for b in range(blocks)}
        module = parse_module(make_context(), program(edges, 0, blocks - 1), "t")
        start = time.process_time()
        verify_module(module)
        return time.process_time() - start

    # quadratic time would make this 25
    assert min(seconds(2000) for _ in range(3)) < 14 * min(seconds(400) for _ in range(3))


def test_first_wrong_operation_is_named_with_its_place() -> None:
    text = "func.func @f(%x: i32) -> i32 {\n  func.return\n}"
    assert verify(text).startswith("t:2:3: func.return: expected arguments to have the same types")


@pytest.mark.parametrize("step", [0, -1])
def test_a_loop_must_go_forward(step: int) -> None:
    lines = [
        "func.func @f(%n: index) {",
        f"%c = arith.constant {step} : index",
        "scf.for %i = %n to %n step %c {",
        "}",
        "func.return",
        "}",
    ]
    assert verify("\n".join(lines)) == f"t:3:1: scf.for: expected a positive step, found {step}"
