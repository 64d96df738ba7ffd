"""Regions of a trace: branches and bodies of loops, and what they do to arrays from outside.

A branch reads an array from outside as it is. A body of a loop reads it through an argument of
its block: where the body writes the array the argument is carried from trip to trip, and the new
value is the array's after the loop; where it does not, the argument goes away again.
"""

# pyright: reportPrivateUsage=false
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.ir import Block, SSAValue

from lamina.errors import TraceError
from lamina.frontend.location import fail
from lamina.frontend.traced import Storage, TracedArray


@dataclass
class Entry:
    """A storage from outside in one region: its value before, its first value inside (the
    block's argument, for a loop), and its last one there."""

    before: SSAValue
    version: int
    inside: SSAValue
    last: SSAValue
    written: bool = False


NOWHERE = object()
"""The scope of a storage that cannot be used."""


class Scope:
    """A region that is recorded, or the entry block of the trace (then `parent` is None)."""

    def __init__(self, parent: Scope | None, block: Block, loop: bool) -> None:
        self.parent = parent
        self.block = block
        self.loop = loop
        self.entered: dict[Storage, Entry] = {}
        self.made: list[object] = []  # containers that user code made here
        self.failed = False  # user code raised: what it wrote has no value any more

    def sees(self, block: Block | None) -> bool:
        """Whether values of `block` may be used here."""
        scope: Scope | None = self
        while scope is not None:
            if scope.block is block:
                return True
            scope = scope.parent
        return False

    def enter(self, array: TracedArray) -> None:
        """Let the region use the storage of `array`, made around it. Raises `TraceError` for one
        that was made in a region that has ended."""
        storage = array._storage
        way: list[Scope] = []
        scope: Scope | None = self
        while scope is not storage.scope:
            if scope is None:
                file, line, _ = array._position
                fail(
                    TraceError,
                    "expected an array that exists here, found one that was made in a branch or "
                    f"a body of a loop and outlived it, or was written there before an exception "
                    f"(made at {file}:{line}); return it from there",
                )
            way.append(scope)
            scope = scope.parent
        for inner in reversed(way):
            inner._take(storage)

    def _take(self, storage: Storage) -> None:
        before = storage.value
        if self.loop:
            storage.value = self.block.insert_arg(before.type, len(self.block.args))
        self.entered[storage] = Entry(before, storage.version, storage.value, before)
        storage.scope = self

    def close(self) -> None:
        """Give the storages back to the region around this one, as they were."""
        for storage, entry in self.entered.items():
            entry.last, entry.written = storage.value, storage.version != entry.version
            storage.value = entry.before
            if self.failed and entry.written:
                storage.scope = NOWHERE
            elif storage.scope is not NOWHERE:
                storage.version, storage.scope = entry.version, self.parent

    def reopen(self) -> None:
        """Take the storages again, as they were when the region was closed."""
        for storage, entry in self.entered.items():
            storage.value, storage.scope = entry.last, self
            storage.version = entry.version + entry.written

    def drop(self) -> None:
        """Erase all that was recorded."""
        for op in reversed(list(self.block.ops)):
            op.detach()
            op.erase(safe_erase=False)

    def settle(self, written: Sequence[Storage], values: Sequence[SSAValue]) -> list[SSAValue]:
        """Make arguments for `written` storages, in order, and none for others; what the body of
        the loop gives then: `values`, and the last values of the written ones."""
        swap: dict[SSAValue, SSAValue] = {}
        given = list(values)
        old = {entry.inside: entry.before for entry in self.entered.values()}
        for storage in written:
            arg = self.block.insert_arg(storage.value.type, len(self.block.args))
            entry = self.entered.get(storage)
            if entry is not None:
                swap[entry.inside] = arg
            given.append(arg if entry is None else entry.last)
        swap = old | swap
        for arg, value in swap.items():
            arg.replace_all_uses_with(value)
        for arg in [arg for arg in self.block.args if arg in swap]:
            self.block.erase_arg(arg)
        return [swap.get(value, value) for value in given]


def written_in(scopes: Sequence[Scope]) -> list[Storage]:
    """The storages from outside that one of the regions writes."""
    found = [
        storage for scope in scopes for storage, entry in scope.entered.items() if entry.written
    ]
    return list(dict.fromkeys(found))
