"""`for` and `while`: Python's where the trips are static and few, else recorded as loops."""

# pyright: reportPrivateUsage=false
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from lamina.frontend import regions
from lamina.frontend.array import Array
from lamina.frontend.bind import as_array
from lamina.frontend.dispatch import CURRENT
from lamina.frontend.dtypes import bool_
from lamina.frontend.runtime_scalar import RuntimeScalar, bounds_of, plain, weak
from lamina.frontend.script.branches import and_, if_
from lamina.frontend.script.carries import Carries
from lamina.frontend.script.iteration import Range, Steps, steps_of
from lamina.frontend.script.values import load, open_sources, owned, truth
from lamina.frontend.traced import TracedArray

UNROLLED = 8
"""Loops of at most so many static steps are written out."""

Part = Callable[[], Any]


class Loop:
    """The parts of one loop of the program."""

    def __init__(
        self,
        what: str,
        test: Part | None,
        body: Callable[..., None],
        get: Part,
        set: Callable[[Any], None],
        names: Sequence[str],
        live: int,
    ) -> None:
        self.what = what
        self.test = test
        self.body = body
        self.get = get
        self.set = set
        self.names = names
        self.live = live
        self.start: tuple[Any, ...] = ()

    def begin(self) -> Carries:
        """Look at the variables before the loop."""
        recorder = CURRENT.get()
        assert recorder is not None
        memo = recorder.memo.setdefault(id(getattr(self.body, "__code__", self.body)), {})
        return Carries(self.what, self.names[: self.live], self.start, memo)

    def enter(self, carries: Carries, arrays: Sequence[TracedArray]) -> None:
        """Give the variables the values that they have in a trip."""
        self.set((*carries.values(arrays), *self.start[self.live :]))

    def end(self, carries: Carries, results: Sequence[TracedArray], certain: bool) -> None:
        """Give the variables the values that they have after the loop."""
        values = carries.results(results, certain)
        self.set((*values, *self.start[self.live :]))

    def trip(
        self, carries: Carries, arrays: Sequence[TracedArray], *item: Any
    ) -> list[TracedArray] | None:
        """Record the body."""
        self.enter(carries, arrays)
        self.body(*item)
        return carries.taken(CURRENT.get(), self.get(), arrays)


def for_(
    iterable: Any,
    test: Part | None,
    body: Callable[[Any], None],
    get: Part,
    set: Callable[[Any], None],
    names: Sequence[str],
    live: int,
) -> None:
    """`for item in iterable: body(item)`, as long as `test()` holds before a trip."""
    steps = steps_of(iterable) if CURRENT.get() is not None else None
    loop = Loop("for", test, body, get, set, names, live)
    if steps is None or (isinstance(steps.count, int) and steps.count <= UNROLLED):
        _unrolled(loop, iterable if steps is None else steps)
        return
    loop.start = get()
    if test is None:
        _counted(loop, steps)
    else:
        _tested(loop, steps)


def while_(
    test: Part,
    body: Part,
    get: Part,
    set: Callable[[Any], None],
    names: Sequence[str],
    live: int,
) -> None:
    """`while test(): body()`."""
    loop = Loop("while", test, body, get, set, names, live)
    while True:
        value = test()
        if open_sources(value):
            break
        flag = truth(value)
        if not isinstance(flag, bool):
            break
        if not flag:
            return
        body()
    loop.start = get()
    recorder = CURRENT.get()
    assert recorder is not None
    while True:
        carries = loop.begin()
        starts = owned(recorder, carries.starts())

        def holds(arrays: list[TracedArray], carries: Carries = carries) -> TracedArray:
            loop.enter(carries, arrays)
            return _flag(test())

        def trip(arrays: list[TracedArray], carries: Carries = carries) -> list[TracedArray] | None:
            return loop.trip(carries, arrays)

        results = regions.repeated(recorder, starts, holds, trip)
        if results is not None:
            break
    carries.check_starts(starts)
    loop.end(carries, results, False)


def _flag(value: Any) -> TracedArray:
    """A condition as a traced 0-d bool."""
    recorder = CURRENT.get()
    assert recorder is not None
    if open_sources(value):
        return recorder.own(as_array("while", value, bool_))
    flag = truth(value)
    return recorder.own(as_array("while", flag) if isinstance(flag, bool) else flag)


def _unrolled(loop: Loop, iterable: Any) -> None:
    """Trips that are written out; from where a run decides, each under an `if`."""
    for item in iterable:
        given = load(item)
        if loop.test is not None:
            flag = truth(loop.test())
            if flag is False:
                return
            if not isinstance(flag, bool):

                def once(given: Any = given) -> None:
                    loop.body(given)

                if_(flag, once, lambda: None, loop.get, loop.set, loop.names, loop.live)
                continue
        loop.body(given)


def _counted(loop: Loop, steps: Steps) -> None:
    """A `for` that nothing leaves early: `scf.for`."""
    recorder = CURRENT.get()
    assert recorder is not None
    low, high = _bounds(steps)
    certain = isinstance(steps.count, int)
    while True:
        carries = loop.begin()
        starts = owned(recorder, carries.starts())

        def trip(
            i: TracedArray, arrays: list[TracedArray], carries: Carries = carries
        ) -> list[TracedArray] | None:
            return loop.trip(carries, arrays, _item(steps, i, low, high))

        bounds = _end(low), _end(high)
        results = regions.counted(recorder, bounds, starts, trip)
        if results is not None:
            break
    carries.check_starts(starts)
    loop.end(carries, results, certain)


def _bounds(steps: Steps) -> tuple[Any, Any]:
    """From where to where a counted loop goes: a range by 1 itself, else numbers of elements."""
    if isinstance(steps, Range) and isinstance(steps.step, int) and steps.step == 1:
        return steps.start, steps.stop
    return 0, steps.count


def _item(steps: Steps, i: Array, low: Any, high: Any) -> Any:
    """The item of a trip, from the loop's variable."""
    least, most = bounds_of(low), bounds_of(high)
    known = least is not None and most is not None
    number = weak(i, least[0], most[1] - 1) if known else weak(i)
    is_range = isinstance(steps, Range) and isinstance(steps.step, int) and steps.step == 1
    return number if is_range else load(steps.item(number))


def _end(bound: Any) -> int | TracedArray:
    recorder = CURRENT.get()
    assert recorder is not None
    return bound if isinstance(bound, int) else recorder.own(plain(bound))


def _tested(loop: Loop, steps: Steps) -> None:
    """A `for` that may be left early: `scf.while` that counts."""
    recorder = CURRENT.get()
    assert recorder is not None
    test, most = loop.test, bounds_of(steps.count)
    assert test is not None
    high = None if most is None else most[1]

    def number_of(array: TracedArray) -> RuntimeScalar:
        return weak(array, 0, high) if high is not None else weak(array)

    while True:
        carries = loop.begin()
        starts = owned(recorder, [plain(0), *carries.starts()])

        def holds(arrays: list[TracedArray], carries: Carries = carries) -> TracedArray:
            loop.enter(carries, arrays[1:])
            return _flag(and_(number_of(arrays[0]) < steps.count, test))

        def trip(arrays: list[TracedArray], carries: Carries = carries) -> list[TracedArray] | None:
            number = weak(arrays[0], 0, None if high is None else high - 1)
            given = loop.trip(carries, arrays[1:], load(steps.item(number)))
            if given is None:
                return None
            return [*owned(recorder, [plain(number + 1)]), *given]

        results = regions.repeated(recorder, starts, holds, trip)
        if results is not None:
            break
    carries.check_starts(starts[1:])
    loop.end(carries, results[1:], isinstance(steps.count, int))
