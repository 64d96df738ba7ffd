"""Random `nd` programs over the op table: what `tests/unit/test_programs.py` compiles and compares.

    program = draw(seed)
    program.module      a verified module with one function, @main
    program.inputs      arrays that fit it, in several memory layouts
    program.outputs     what the interpreter gives, with a bound where an inexact op lies upstream

A seed decides everything. A program never raises, and ops that would turn everything into NaN or
leave no bound are drawn again. Program number n features the n-th row of the table. `reduced` makes
a failing program small.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass

import numpy as np
from op_row import Row
from op_rows_indexing import SCATTERS
from op_table import COMPLEX_ROWS, REDUCTIONS, ROWS, rng_for
from program_bounds import Bound
from program_checks import draw_check, draw_fail, draw_print, has_effects
from program_ops import SIZES, Drawing, Rejected, Value
from program_regions import draw_for, draw_if
from xdsl.dialects import func
from xdsl.dialects.builtin import FunctionType, ModuleOp
from xdsl.ir import Block, Operation, Region, SSAValue

from lamina.interpreters.types import Array, DType, is_float

FEATURED: tuple[Row, ...] = (
    *(row for name, row in ROWS.items() if name != "reduce"),
    *REDUCTIONS.values(),
    *COMPLEX_ROWS.values(),
    *SCATTERS.values(),
)

OFTEN = tuple(ROWS[name] for name in ("dot_general", "conv", "reduce", "add", "multiply", "slice"))
"""Ops that the compiler treats in ways of their own."""


@dataclass(eq=False)
class Program:
    """A drawn program. `layouts` names the layout of each input."""

    seed: int
    module: ModuleOp
    inputs: list[Array]
    layouts: list[str]
    outputs: list[tuple[Array, Bound | None]]
    values: dict[SSAValue, Value]

    @property
    def main(self) -> func.FuncOp:
        """The function."""
        function = self.module.body.block.first_op
        assert isinstance(function, func.FuncOp)
        return function

    def ops(self) -> list[Operation]:
        """All ops but functions and terminators."""
        skipped = ("builtin.module", "func.func", "func.return", "scf.yield")
        return [op for op in self.module.walk() if op.name not in skipped]


def draw(seed: int) -> Program:
    """Program number `seed`."""
    rng = rng_for("program", seed)
    row = FEATURED[seed % len(FEATURED)]
    dtype = drawn_dtype(rng, row)
    sizes = [int(s) for s in rng.choice(SIZES, 3)]
    if rng.random() < 0.08:
        sizes.append(0)
    if rng.random() < 0.1:
        sizes.append(int(rng.integers(1000, 3000)))
    d = Drawing(rng, tuple(sizes), dynamic=bool(rng.random() < 0.2))
    start(d, row, dtype)
    wanted = int(rng.integers(6, 20))
    palette = [dtype, *(drawn_dtype(rng, ROWS["cast"]) for _ in range(2))]
    for _ in range(20 * wanted):
        if sum(1 for _ in d.block.walk()) >= wanted:
            break
        with suppress(Rejected):
            step(d, palette)
    return finished(seed, d)


def drawn_dtype(rng: np.random.Generator, row: Row) -> DType:
    """A dtype that the row takes: more often a float than not."""
    floats = [dtype for dtype in row.dtypes if is_float(dtype)]
    chosen = floats if floats and rng.random() < 0.5 else row.dtypes
    return chosen[int(rng.integers(len(chosen)))]


def start(d: Drawing, row: Row, dtype: DType) -> None:
    """The first inputs, and the featured op on them."""
    for _ in range(60):
        shape = d.shape(int(d.rng.integers(3, 5)) if row.name == "conv" else None)
        if row.shapes(d.rng, shape) is None and row.name not in ("from_index", "to_index"):
            continue
        with suppress(Rejected):
            d.input(dtype, shape, row.low, row.high)
            d.draw(row, None if row.name == "cast" else dtype)
            return


def step(d: Drawing, palette: Sequence[DType]) -> None:
    """One more op, or a loop or branch, or a check, a print, or an input."""
    kind = d.rng.random()
    if kind < 0.04:
        draw_for(d)
    elif kind < 0.07:
        draw_if(d)
    elif kind < 0.09:
        draw_check(d)
    elif kind < 0.11:
        draw_print(d)
    elif kind < 0.12:
        draw_fail(d)
    elif kind < 0.17 and len(d.inputs) < 5:
        d.input(d.choose(palette), d.shape())
    elif kind < 0.27:
        d.draw(ROWS["cast"], d.choose(palette))
    else:
        d.draw(d.choose(OFTEN if kind < 0.37 else FEATURED))


def finished(seed: int, d: Drawing) -> Program:
    """The program that returns what nobody reads, and sometimes a value that is read too."""
    values = {v.ssa: v for v in d.pool}
    results = [
        v.ssa
        for v in d.pool
        if v.ssa in values and not v.ssa.uses and isinstance(v.ssa.owner, Operation)
    ][-6:]
    shared = [v.ssa for v in d.pool if v.ssa in values and v.ssa not in results]
    if shared and (not results or d.chance(0.3)):
        results.append(d.choose(shared))
    if d.chance(0.05):
        results.append(results[0])
    names = [name for name, _ in d.inputs]
    arrays = [v.array for _, v in d.inputs]
    block = d.block
    block.add_op(func.ReturnOp(*results))
    return assembled(seed, block, arrays, names, values)


def assembled(
    seed: int, block: Block, arrays: list[Array], names: list[str], values: dict[SSAValue, Value]
) -> Program:
    """A program around a block that ends in `func.return`."""
    last = block.last_op
    assert last is not None
    kind = FunctionType.from_lists(
        [arg.type for arg in block.args], [value.type for value in last.operands]
    )
    module = ModuleOp([func.FuncOp("main", kind, Region(block))])
    drop_dead(block)
    module.verify()
    outputs = [(values[v].array, values[v].bound) for v in last.operands]
    return Program(seed, module, arrays, names, outputs, values)


def drop_dead(block: Block) -> None:
    """Erase ops that nobody reads, in regions too."""
    for op in reversed(list(block.ops)):
        stays = op is block.last_op or has_effects(op)
        if not stays and not any(result.uses for result in op.results):
            op.detach()
            op.erase()
            continue
        for region in op.regions:
            for inner in region.blocks:
                drop_dead(inner)


def reduced(program: Program, fails: Callable[[Program], bool]) -> Program:
    """A smaller program for which `fails` still holds: outputs dropped, then ops made inputs."""
    last = program.main.body.block.last_op
    assert last is not None
    for number in range(len(last.operands)):
        smaller = cut(program, [number], None)
        if fails(smaller):
            program = smaller
            break
    place = len(program.main.body.block.ops)
    while place > 0:
        place -= 1
        op = list(program.main.body.block.ops)[place]
        if not op.results or any(r not in program.values for r in op.results):
            continue
        smaller = cut(program, None, place)
        if len(smaller.ops()) < len(program.ops()) and fails(smaller):
            program = smaller
            place = min(place, len(program.main.body.block.ops))
    return program


def cut(program: Program, outputs: list[int] | None, place: int | None) -> Program:
    """A copy with some of the outputs only, or with the op at `place` replaced by inputs."""
    mapped: dict[SSAValue, SSAValue] = {}
    old = program.main.body.block
    block = Block(arg_types=[arg.type for arg in old.args])
    mapped.update(zip(old.args, block.args, strict=True))
    arrays, names = list(program.inputs), list(program.layouts)
    for number, op in enumerate(old.ops):
        if op is old.last_op:
            kept = range(len(op.operands)) if outputs is None else outputs
            block.add_op(func.ReturnOp(*(mapped[op.operands[i]] for i in kept)))
        elif number == place:
            for result in op.results:
                mapped[result] = block.insert_arg(result.type, len(block.args))
                arrays.append(program.values[result].array)
                names.append("contiguous")
        else:
            block.add_op(op.clone(mapped))
    values = {mapped[v]: value for v, value in program.values.items() if v in mapped}
    found = assembled(program.seed, block, arrays, names, values)
    return without_unused(found)


def without_unused(program: Program) -> Program:
    """Drop arguments that nobody reads."""
    block = program.main.body.block
    for number in reversed(range(len(block.args))):
        if not block.args[number].uses:
            block.erase_arg(block.args[number])
            del program.inputs[number], program.layouts[number]
    program.main.update_function_type()
    return program
