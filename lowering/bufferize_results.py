"""`bufferize`, the part for results of `main`: each is the caller's buffer, or a donor's.

A result that is computed into a buffer of its own is computed into the caller's, or into its
donor's where that is not read any more; one that is elsewhere is copied. Copies into donors come
last, when nothing else is read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, cast

from xdsl.ir import Operation, SSAValue

from lamina.dialects import memref
from lamina.dialects.type_tests import is_memref
from lamina.lowering.builder import Builder

if TYPE_CHECKING:
    from lamina.lowering.bufferize_main import MainBufferizer, Place


def give_results(
    main: MainBufferizer,
    values: Sequence[SSAValue],
    outs: Sequence[SSAValue],
    donors: Mapping[int, int],
    b: Builder,
) -> None:
    """Put `values` where the caller wants them: `outs`, or the arguments `donors`."""
    targets = {
        number: main.values[main.entry.args[donors[number]]] if number in donors else out
        for number, out in enumerate(outs)
    }
    taken: set[Place] = set()
    left: list[int] = []
    for number in sorted(targets, key=lambda n: (n not in donors, n)):
        buffer, target = main.lowered(values[number], b), targets[number]
        place = main.places[values[number]]
        whole = place.alloc is buffer and place.block is main.function.body.block
        if buffer is target:
            continue
        if whole and place not in taken and _is_free(main, number, values, donors, buffer, b):
            taken.add(place)
            _replace(main, buffer, target, b)
        else:
            left.append(number)
    _copy(main, left, values, targets, donors, b)


def _replace(main: MainBufferizer, buffer: SSAValue, target: SSAValue, b: Builder) -> None:
    """Let `target` be what the allocation `buffer` was."""
    owner = cast(Operation, buffer.owner)
    buffer.replace_all_uses_with(target)
    b.ops.remove(owner)
    owner.erase()
    main.values = {k: target if v is buffer else v for k, v in main.values.items()}


def _is_free(
    main: MainBufferizer,
    number: int,
    values: Sequence[SSAValue],
    donors: Mapping[int, int],
    buffer: SSAValue,
    b: Builder,
) -> bool:
    """Whether the donor of a result is not read from where `buffer` is first touched on."""
    if number not in donors:
        return True
    argument = main.entry.args[donors[number]]
    others = (value for other, value in enumerate(values) if other != number)
    if any(main.places.get(value) is main.places[argument] for value in others):
        return False
    order = {inner: place for place, op in enumerate(b.ops) for inner in op.walk()}
    read = max((order[op] for op in _touching(main.values[argument])), default=-1)
    return read < min((order[op] for op in _touching(buffer)), default=len(order))


def _touching(buffer: SSAValue) -> Iterator[Operation]:
    """The ops that use a buffer or a view of it."""
    for use in buffer.uses:
        yield use.operation
        for result in use.operation.results:
            if is_memref(result.type):
                yield from _touching(result)


def _copy(
    main: MainBufferizer,
    left: Sequence[int],
    values: Sequence[SSAValue],
    targets: Mapping[int, SSAValue],
    donors: Mapping[int, int],
    b: Builder,
) -> None:
    """Copy the results that are elsewhere; those that another copy would overwrite, twice."""
    written = {id(main.places[main.entry.args[donors[n]]]) for n in left if n in donors}
    sources: dict[int, SSAValue] = {}
    for number in left:
        value = values[number]
        sources[number] = main.lowered(value, b)
        if number in donors and id(main.places[value]) in written:
            sources[number] = main.copied(value, b)
    for number in sorted(left, key=lambda n: (n in donors, n)):
        b.add(memref.CopyOp, (sources[number], targets[number]))
