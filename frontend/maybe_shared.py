"""Arrays that may be one memory, depending on what a run does: a branch gives one of two arrays.

A program computes with values, so that each such array is a value of its own. That shows when one
of them is written: the others are stale from then on, and reading them is an error.
"""

# pyright: reportPrivateUsage=false
from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NoReturn

from lamina.errors import MutationError
from lamina.frontend.location import fail
from lamina.frontend.traced import Storage, TracedArray

if TYPE_CHECKING:
    from lamina.frontend.recorder import Recorder


def link(x: Storage, y: Storage) -> None:
    """Note that two storages may be one memory."""
    if x is not y and y not in x.linked:
        x.linked = (*x.linked, y)
        y.linked = (*y.linked, x)


def link_results(results: Sequence[TracedArray], given: Iterable[Sequence[TracedArray]]) -> None:
    """Link the results of a branch or loop for which one way gave the same memory. given: the
    arrays that each way gave."""
    for arrays in given:
        first: dict[Storage, Storage] = {}
        for result, array in zip(results, arrays, strict=True):
            storage = array._storage
            link(result._storage, first.setdefault(storage, result._storage))


def came_from(result: Storage, given: Iterable[Storage]) -> None:
    """Note what a function's result may be the memory of; nothing is written on its way to the
    end of the function, and `link_returned` links it there."""
    result.before = (*result.before, *given)


def link_returned(result: Storage) -> None:
    """Link a function's result to what it may be the memory of."""
    reached, open_ends = {result}, [result]
    while open_ends:
        for other in open_ends.pop().before:
            if other not in reached:
                reached.add(other)
                open_ends.append(other)
                link(result, other)


def written(recorder: Recorder, storage: Storage) -> None:
    """A storage was written: what may be the same memory is stale.

    Raises `MutationError` where that is an argument, which the caller would see written.
    """
    reached, open_ends = {storage}, [storage]
    while open_ends:
        for other in open_ends.pop().linked:
            if other in reached:
                continue
            reached.add(other)
            open_ends.append(other)
            if other.input >= 0:
                fail(
                    MutationError,
                    "expected an array of its own to be written, found one that is an argument of "
                    "the function, or a captured array, on one way of a branch or loop; copy it "
                    "before",
                )
            if not other.stale:
                other.stale = True
                recorder.stale.append(other)


def restore(recorder: Recorder, count: int) -> None:
    """Take back what became stale since there were `count` stale storages."""
    for storage in recorder.stale[count:]:
        storage.stale = False
    del recorder.stale[count:]


def refuse_stale(array: TracedArray) -> NoReturn:
    """Raise: the array may have been written under another name."""
    file, line, _ = array._position
    fail(
        MutationError,
        f"expected an array that no other name writes, found one (made at {file}:{line}) that may "
        "be the memory that was written since, on one way of a branch or loop; copy it before",
    )
