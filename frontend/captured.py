"""After a trace: which lifted arrays a guard can read again, and which are constants."""

# pyright: reportPrivateUsage=false
from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from lamina.errors import TraceError
from lamina.frontend.array import Array, NDArray, is_ndarray
from lamina.frontend.guards import COMPARED, Found, Guard
from lamina.frontend.recorder import Recorder
from lamina.frontend.traced import Storage, TracedArray
from lamina.frontend.views import view_steps


@dataclass(frozen=True)
class Captured:
    """A hidden input: the array that was found, and the guard that reads it at each call."""

    storage: Storage
    array: Any
    guard: Guard | None
    path: str


def settle(recorder: Recorder, found: Found, notes: list[str]) -> list[Captured]:
    """Keep the lifted arrays that a guard reads as inputs, make constants of the others.

    Adds to `found.guards` what the captured arrays need, and to `notes` what is not guarded.
    Raises `TraceError` where an array that no guard reads was written.
    """
    baked = recorder.numpy_scalars
    viewed: set[int] = set()
    with recorder.prologue():
        for array, storage, position in tuple(recorder.lifted.values()):
            if isinstance(array, TracedArray) or id(array) in found.arrays:
                continue
            if id(array) in recorder.roots:
                continue
            place = f"{position[0]}:{position[1]}"
            if storage.version:
                raise TraceError(
                    "set_item: expected an argument or an array in a global, closure or "
                    f"attribute, found one of shape {storage.shape} that cannot be read again",
                    place=place,
                )
            recorder.position = position
            base = _base(recorder, found, array, storage)
            if base is not None:
                viewed.add(id(base))
            else:
                baked = True
                _bake(recorder, array, storage)
                notes.append(
                    f"{place}: an array of shape {storage.shape} is part of the compiled "
                    "program, not guarded"
                )
    captured: list[Captured] = []
    for array, storage, _ in recorder.lifted.values():
        if isinstance(array, TracedArray):  # of a trace that runs around this one
            captured.append(Captured(storage, array, None, "outer"))
        elif id(array) in recorder.roots:
            continue
        elif guards := found.arrays.get(id(array)):
            captured.append(Captured(storage, array, guards[0], guards[0].path))
            found.guards += [
                Guard("same", g.place, g.holder, g.key, guards[0], g.path, g.line)
                for g in guards[1:]
            ]
    found.apart -= viewed
    _guard_values(recorder, found, baked, notes)
    return captured


def _bake(recorder: Recorder, array: Any, storage: Storage) -> None:
    """Replace the input by a constant."""
    data: NDArray = array._data if isinstance(array, Array) else array
    recorder.replace_input(storage, recorder.constant(data.astype(storage.dtype)))


def _base(recorder: Recorder, found: Found, array: Any, storage: Storage) -> Any:
    """The captured array that `array` is a view of, which is then sliced from it; or None."""
    if not is_ndarray(array):
        return None
    for guards in found.arrays.values():
        base = guards[0].read()
        if not is_ndarray(base) or not np.may_share_memory(base, array):
            continue
        steps = view_steps(base, array)
        if steps is not None:
            value = recorder.lift(base)
            for name, params in steps:
                value = recorder.emit(name, [value], params)
            recorder.replace_input(storage, value)
            return base
    return None


def _guard_values(recorder: Recorder, found: Found, baked: bool, notes: list[str]) -> None:
    """Guard by value the arrays whose numbers were used in a way that the trace did not see."""
    for identity, guards in found.arrays.items():
        guard = guards[0]
        array = guard.read()
        found.guards += guards
        if identity in recorder.frozen:
            found.guards.append(
                Guard("is", guard.place, guard.holder, guard.key, array, guard.path, guard.line)
            )
            continue
        hidden = is_ndarray(array) and identity in found.used
        lifted = identity in recorder.lifted or identity in recorder.shared
        seen = lifted and identity not in found.apart
        unseen = hidden and (baked or not seen)
        if not unseen and identity not in recorder.seen:
            continue
        data: Any = array._data if isinstance(array, Array) else array
        if data.nbytes > COMPARED:
            notes.append(f"{guard.path}: values were used while tracing, not guarded")
            continue
        expected: Any = type(array), data.shape, data.dtype, data.tobytes()
        found.guards.append(
            Guard("values", guard.place, guard.holder, guard.key, expected, guard.path, guard.line)
        )
    for identity, (_, place) in recorder.seen.items():
        if identity not in found.arrays:
            notes.append(f"{place}: values of an array were used while tracing, not guarded")
