"""Drawn programs: compiled in every way they give what the interpreter gives.

LAMINA_TEST_PROGRAMS=2000 draws more than the 500 of CI, and then runs each from all levels' texts
and for all targets (in CI from the text of one level in turn, every other one for another target).
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any, cast

import pytest
from program_ops import CLASSES
from program_runs import CPUS, check, difference, report
from programs import Program, draw, reduced
from xdsl.dialects.builtin import DYNAMIC_INDEX, TensorType
from xdsl.ir import Attribute, Operation, SSAValue

from lamina.dialects import arith
from lamina.interpreters.types import COMPLEX, DTYPES, dtype_of
from lamina.lowering import kernels_to_loops
from lamina.lowering.buffer_types import subview_type
from lamina.lowering.linalg_elementwise import ELEMENT_RULES
from lamina.lowering.loops.nest import LoopBuilder
from lamina.lowering.scalar_ops import Scalars
from lamina.pipeline import LEVELS
from lamina.transforms import plan_memory
from lamina.transforms.fuse_elementwise import FuseElementwisePass

IN_CI = 500
COUNT = int(os.environ.get("LAMINA_TEST_PROGRAMS", IN_CI))
CHUNK = 25

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def native_only(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Compiled code may not use the interpreter; equal kernels are compiled once."""
    monkeypatch.setenv("LAMINA_FORBID_INTERPRETER", "1")
    monkeypatch.setenv("LAMINA_CACHE_DIR", str(tmp_path_factory.getbasetemp() / "programs"))


def levels_of(seed: int) -> tuple[str, ...]:
    """From which levels' texts a program is run."""
    return LEVELS if COUNT > IN_CI else (LEVELS[seed % 5],)


def cpus_of(seed: int) -> tuple[str, ...]:
    """For which targets besides the host a program is compiled."""
    return CPUS if COUNT > IN_CI else ((), CPUS[:1], (), CPUS[1:])[seed % 4]


def checked(program: Program, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Compile and compare a program; of odd ones small loops are parallel too."""
    with monkeypatch.context() as patch:
        if program.seed % 2:
            patch.setattr(kernels_to_loops, "SERIAL_COST", 64)
            patch.setattr(kernels_to_loops, "TASK_COST", 32)
        return check(program, levels_of(program.seed), cpus=cpus_of(program.seed))


@pytest.mark.parametrize("start", range(0, COUNT, CHUNK))
def test_programs_agree(start: int, monkeypatch: pytest.MonkeyPatch) -> None:
    for seed in range(start, min(start + CHUNK, COUNT)):
        program = draw(seed)
        failures = checked(program, monkeypatch)
        if failures:
            smaller = reduced(program, lambda p: bool(checked(p, monkeypatch)))
            pytest.fail(report(smaller, checked(smaller, monkeypatch) or failures))


@cache
def drawn() -> list[Program]:
    """The programs of CI."""
    return [draw(seed) for seed in range(IN_CI)]


def tensors_of(program: Program) -> Iterator[TensorType[Attribute]]:
    """The types of all tensors of a program."""
    values: list[SSAValue] = [*program.main.body.block.args]
    for op in program.ops():
        values += op.results
    for value in values:
        kind: Attribute = value.type
        if isinstance(kind, TensorType):
            yield cast("TensorType[Attribute]", kind)


def test_programs_cover_the_table() -> None:
    """But for `custom_call`, which needs a function of the process (test_custom_call.py)."""
    ops = Counter(op.name for program in drawn() for op in program.ops())
    missing = {f"nd.{name}" for name in CLASSES if name != "custom_call"} | {"scf.for", "scf.if"}
    assert not missing - set(ops)
    types = {t for program in drawn() for t in tensors_of(program)}
    assert {dtype_of(t.element_type) for t in types} == {*DTYPES, *COMPLEX}
    assert {len(t.get_shape()) for t in types} >= {0, 1, 2, 3, 4}
    sizes = {size for t in types for size in t.get_shape()}
    assert sizes >= {0, 1, 17, 33, 130, DYNAMIC_INDEX}
    layouts = {name for program in drawn() for name in program.layouts}
    assert layouts >= {"fortran", "reversed", "strided", "broadcast", "unaligned", "read-only"}
    strides = {s for p in drawn() for x in p.inputs for s in x.strides}
    assert min(strides) < 0 and 0 in strides
    exact = sum(bound is None for p in drawn() for _, bound in p.outputs)
    assert exact > 500 and sum(len(p.outputs) for p in drawn()) - exact > 200


def test_programs_are_large_and_share_values() -> None:
    lengths = sorted(len(program.ops()) for program in drawn())
    assert lengths[len(lengths) // 2] >= 8
    assert sum(len(program.inputs) > 1 for program in drawn()) > IN_CI / 2
    assert sum(len(program.outputs) > 1 for program in drawn()) > IN_CI / 2
    shared = sum(
        any(len(list(r.uses)) > 1 for op in program.ops() for r in op.results)
        for program in drawn()
    )
    assert shared > IN_CI / 2


def test_a_seed_is_one_program() -> None:
    for seed in (0, 7, 31):
        one, two = draw(seed), draw(seed)
        assert str(one.module) == str(two.module)
        assert all(not difference(a, b, None) for a, b in zip(one.inputs, two.inputs, strict=True))


# Faults: each must be found.


def drop_half_rounding(patch: pytest.MonkeyPatch) -> None:
    """f32 -> f16 -> f32 is folded away between fused ops."""
    sound: Any = FuseElementwisePass.apply

    def apply(self: Any, ctx: Any, module: Operation) -> None:
        sound(self, ctx, module)
        for op in module.walk():
            source = op.operands[0].owner if isinstance(op, arith.ExtFOp) else None
            if isinstance(source, arith.TruncFOp) and source.operands[0].type == op.results[0].type:
                op.results[0].replace_all_uses_with(source.operands[0])

    patch.setattr(FuseElementwisePass, "apply", apply)


def wrong_stride(patch: pytest.MonkeyPatch) -> None:
    """A view with steps is read without them."""

    def view(source: Any, offsets: Any, sizes: Any, strides: Any) -> Any:
        return subview_type(source, offsets, sizes, [1] * len(strides))

    patch.setattr("lamina.lowering.bufferize_kernel.subview_type", view)


def reuse_live_buffer(patch: pytest.MonkeyPatch) -> None:
    """A buffer is given away at the op that still reads it."""

    def overlaps(self: plan_memory.Lifetime, other: plan_memory.Lifetime) -> bool:
        return self.first < other.last and other.first < self.last

    patch.setattr(plan_memory.Lifetime, "overlaps", overlaps)


def lose_nan(patch: pytest.MonkeyPatch) -> None:
    """max takes the number of a number and a NaN."""

    def maximum(emit: Scalars, operands: Sequence[SSAValue]) -> SSAValue:
        lhs, rhs = operands
        b = emit.builder
        if not emit.floating:
            return b.int_op("maxu" if emit.unsigned else "maxs", lhs, rhs)
        return b.select(b.cmpf("ogt", lhs, rhs), lhs, rhs)

    patch.setitem(ELEMENT_RULES, "nd.maximum", maximum)


def shorten_tail(patch: pytest.MonkeyPatch) -> None:
    """The last element after the whole vectors is left out."""
    sound: Any = LoopBuilder.for_

    def for_(self: LoopBuilder, lower: Any, upper: Any, step: int, *rest: Any) -> Any:
        if step == 1 and lower != 0:
            upper = self.calc("sub", upper, 1)
        return sound(self, lower, upper, step, *rest)

    patch.setattr(LoopBuilder, "for_", for_)


FAULTS: dict[Callable[[pytest.MonkeyPatch], None], tuple[str, ...]] = {
    drop_half_rounding: ("f16", "bf16"),
    wrong_stride: ("nd.slice",),
    reuse_live_buffer: (),
    lose_nan: ("nd.maximum",),
    shorten_tail: (),
}
"""A fault, and words one of which a program's text must hold to be worth compiling for it."""


@pytest.mark.parametrize("fault", FAULTS)
def test_fault_is_found(
    fault: Callable[[pytest.MonkeyPatch], None], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("LAMINA_CACHE_DIR", str(tmp_path))
    fault(monkeypatch)
    for seed in range(IN_CI):
        program = draw(seed)
        text = str(program.module)
        if FAULTS[fault] and not any(word in text for word in FAULTS[fault]):
            continue
        if any("elements" in failure for failure in check(program, (), (2,), ())):
            return
    pytest.fail(f"none of {IN_CI} programs found: {fault.__doc__}")
