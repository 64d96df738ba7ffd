"""`differentiate`, the part for checkpoints: what is not stored is computed again.

Ops with the attribute `lamina.checkpoint` are groups, by its first number. Where the way back
comes to a group, its ops are repeated, with their operands behind `nd.optimization_barrier`, and
the copies are walked back: only what the group reads has to be in memory until then (Chen et al.,
Training Deep Nets with Sublinear Memory Cost, 2016).
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import DenseArrayBase, i64
from xdsl.ir import Operation, SSAValue

from lamina.dialects.nd.base import element_of, is_complex
from lamina.dialects.type_tests import is_tensor
from lamina.transforms.differentiate_control import Parts, PullBack
from lamina.transforms.ir_emitter import IrEmitter
from lamina.transforms.repeated import drop_effects

CHECKPOINT = "lamina.checkpoint"
"""Attribute of ops that the way back computes again: numbers of groups, outer ones first."""


def numbers_of(op: Operation) -> tuple[int, ...]:
    """The groups of an op."""
    found = op.attributes.get(CHECKPOINT)
    return tuple(found.get_values()) if isinstance(found, DenseArrayBase) else ()


def set_numbers(op: Operation, numbers: Sequence[int]) -> None:
    """Let an op be of these groups."""
    if numbers:
        op.attributes[CHECKPOINT] = DenseArrayBase.from_list(i64, list(numbers))
    else:
        op.attributes.pop(CHECKPOINT, None)


def group_before(ops: Sequence[Operation], last: int) -> int:
    """Where the group that ends with op number `last` begins."""
    number = numbers_of(ops[last])[0]
    first = last
    while first and numbers_of(ops[first - 1])[:1] == (number,):
        first -= 1
    return first


def pull_again(
    group: Sequence[Operation],
    cotangents: dict[SSAValue, SSAValue],
    active: set[SSAValue],
    e: IrEmitter,
    pull: PullBack,
) -> Parts:
    """The cotangents of what a group reads, given those of its results."""
    results = [x for op in group for x in op.results if x in active and x in cotangents]
    if not results:
        return []
    e.location = group[0].location
    mapping = _barriers(group, e)
    variables = [value for value in mapping if value in active]
    barriers = [mapping[value] for value in variables]
    copies: list[Operation] = []
    for op in group:
        copies.append(op.clone(mapping))
        for inner in copies[-1].walk():
            set_numbers(inner, numbers_of(inner)[1:])
        e.insert(copies[-1])
    copies = drop_effects(copies)
    known = {mapping[x]: cotangents[x] for x in results}
    found = pull(copies, known, barriers, e)
    return [(x, g) for x, g in zip(variables, found, strict=True) if g is not None]


def _barriers(group: Sequence[Operation], e: IrEmitter) -> dict[SSAValue, SSAValue]:
    """What a group reads from outside -> the same behind a barrier."""
    inside = {op for member in group for op in member.walk()}
    mapping: dict[SSAValue, SSAValue] = {}
    for member in group:
        for op in member.walk():
            for value in op.operands:
                owner = (
                    value.owner if isinstance(value.owner, Operation) else value.owner.parent_op()
                )
                if value in mapping or owner in inside or not is_tensor(value.type):
                    continue
                if not is_complex(element_of(value)):
                    mapping[value] = e.make("optimization_barrier", (value,), value.type)
    return mapping
