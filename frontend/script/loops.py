"""`for` and `while`: Python's where the trips are static and few, else recorded as loops."""

# pyright: reportPrivateUsage=false
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from lamina.errors import LaminaError, TraceError
from lamina.frontend import regions
from lamina.frontend.array import Array
from lamina.frontend.bind import as_array
from lamina.frontend.dispatch import CURRENT
from lamina.frontend.dtypes import bool_
from lamina.frontend.location import fail
from lamina.frontend.maybe_shared import restore
from lamina.frontend.runtime_scalar import NeedsValueError, RuntimeScalar, bounds_of, plain, weak
from lamina.frontend.script.branches import and_, if_
from lamina.frontend.script.carries import Carries
from lamina.frontend.script.iteration import Part, Range, Steps, steps_of
from lamina.frontend.script.values import is_traced, load, open_sources, owned, truth
from lamina.frontend.traced import TracedArray

if TYPE_CHECKING:
    from lamina.frontend.recorder import Recorder

UNROLLED = 8
"""Loops of at most so many static steps are written out."""
TRIED = 64
"""Loops of at most so many static steps are written out where the body needs their numbers."""
MOST = 10_000
"""Static trips of a `while` beyond which it is taken for one that never ends."""
MANY = 400
"""Loops of a few steps are written out only if that makes at most so many ops."""
LONG = object()
"""In the memo of a loop: whether writing it out made too many ops."""
LEFT = object()
"""In the memo of a loop: whether a run decides when it is left."""

Thunk = Callable[[], Any]


class Loop:
    """The parts of one loop of the program."""

    def __init__(
        self,
        what: str,
        test: Thunk | None,
        body: Callable[..., None],
        get: Thunk,
        set: Callable[[Any], None],
        names: Sequence[str],
        live: int,
        same: Sequence[str],
    ) -> None:
        self.what = what
        self.test = test
        self.body = body
        self.get = get
        self.set = set
        self.names = names
        self.live = live
        self.same = same
        self.start: tuple[Any, ...] = ()

    def begin(self) -> Carries:
        """Look at the variables before the loop."""
        recorder = CURRENT.get()
        assert recorder is not None
        names = self.names[: self.live]
        return Carries(self.what, names, self.start, self.memo(recorder), self.same)

    def memo(self, recorder: Recorder) -> dict[Any, Any]:
        """What earlier recordings of the same loop found, by variable."""
        return recorder.memo.setdefault(id(getattr(self.body, "__code__", self.body)), {})

    def enter(self, carries: Carries, arrays: Sequence[TracedArray]) -> None:
        """Give the variables the values that they have in a trip."""
        self.set((*carries.values(arrays), *self.start[self.live :]))

    def end(
        self,
        carries: Carries,
        results: Sequence[TracedArray],
        certain: bool,
    ) -> None:
        """Give the variables the values that they have after the loop."""
        carries.link(results, certain)
        values = carries.results(results, certain)
        self.set((*values, *self.start[self.live :]))

    def trip(
        self,
        carries: Carries,
        arrays: Sequence[TracedArray],
        *item: Any,
    ) -> list[TracedArray] | None:
        """Record the body."""
        recorder = CURRENT.get()
        assert recorder is not None
        stale = len(recorder.stale)
        carries.link_starts(arrays)
        self.enter(carries, arrays)
        self.body(*item)
        taken = carries.taken(recorder, self.get(), arrays)
        if taken is None:
            restore(recorder, stale)
        return taken


def for_(
    iterable: Any,
    test: Thunk | None,
    nests: bool,
    body: Callable[[Any], None],
    get: Thunk,
    set: Callable[[Any], None],
    names: Sequence[str],
    live: int,
    same: Sequence[str] = (),
) -> None:
    """`for item in iterable: body(item)`, as long as `test()` holds before a trip. same: the
    variables that only `+=` and its like bind, which leaves an array the array that it was. nests:
    there is a loop in the body."""
    recorder = CURRENT.get()
    steps = None if recorder is None else steps_of(iterable)
    loop = Loop("for", test, body, get, set, names, live, same)
    if recorder is None or steps is None:
        _unrolled(loop, iterable)
    elif _is_static(steps, UNROLLED) and not _is_long(loop, steps, nests, recorder):
        _unrolled_briefly(loop, steps, recorder)
    elif not _recorded(loop, steps, recorder):
        _unrolled(loop, steps)


def _recorded(loop: Loop, steps: Steps, recorder: Recorder) -> bool:
    """Record a `for` as a loop; False where it must be written out: Python needs its numbers."""
    loop.start = loop.get()
    record = _counted if loop.test is None else _tested
    if not _is_static(steps, TRIED):
        record(loop, steps)
        return True
    try:
        with recorder.trial():
            record(loop, steps)
    except LaminaError as error:
        if not (isinstance(error, NeedsValueError) or _is_static(steps, UNROLLED)):
            raise
        loop.set(loop.start)
        return False
    return True


def _unrolled_briefly(loop: Loop, steps: Steps, recorder: Recorder) -> None:
    """Trips of a short loop that are written out, unless the first one shows that they are long:
    then the others are a loop, and all of them where this loop is recorded again."""
    before = recorder.count
    _unrolled(loop, Part(steps, 0, 1))
    rest = Part(steps, 1, steps.count)
    if (recorder.count - before) * rest.count > MANY and LONG not in loop.memo(recorder):
        loop.memo(recorder)[LONG] = True
        if rest.count > 1:
            if _recorded(loop, rest, recorder):
                return
            loop.memo(recorder)[LONG] = False
    _unrolled(loop, rest)


def _is_long(loop: Loop, steps: Steps, nests: bool, recorder: Recorder) -> bool:
    """Whether writing out a short loop would make too many ops, as far as it is known. One with
    loops in it is tried: its first trip is recorded and taken back."""
    memo, before = loop.memo(recorder), recorder.count
    if LONG not in memo and nests and steps.count > 1:
        start = loop.get()
        try:
            with recorder.trial(), recorder.scratch():
                _unrolled(loop, Part(steps, 0, 1))
        except LaminaError:  # it is met again
            pass
        loop.set(start)
        memo[LONG] = (recorder.count - before) * (steps.count - 1) > MANY
        recorder.count = before
    return steps.count > 1 and memo.get(LONG, False)


def _is_static(steps: Steps, most: int) -> bool:
    """Whether there are at most so many steps, a number that is known now."""
    return isinstance(steps.count, int) and steps.count <= most


def while_(
    test: Thunk,
    leaves: bool,
    body: Thunk,
    get: Thunk,
    set: Callable[[Any], None],
    names: Sequence[str],
    live: int,
    same: Sequence[str] = (),
) -> None:
    """`while test(): body()`. leaves: the body may break or return, which `test` sees. same: as in
    `for_`."""
    loop = Loop("while", test, body, get, set, names, live, same)
    recorder = CURRENT.get()
    trips = 0
    while True:
        value = test()
        if open_sources(value):
            break
        flag = truth(value)
        if not isinstance(flag, bool):
            break
        if not flag:
            return
        if recorder is not None:
            if leaves and not trips and _leaves_at_run_time(loop, recorder):
                break
            if trips == UNROLLED and _tried(loop, recorder):
                return
            if trips == MOST:
                fail(
                    TraceError,
                    f"while: expected at most {MOST} trips of a condition that is known when the "
                    "code is compiled, found more; let the condition depend on an argument",
                )
        last = None if recorder is None else recorder.block.last_op
        body()
        if recorder is not None and recorder.block.last_op is not last:
            trips += 1
    loop.start = get()
    _repeated(loop)


def _leaves_at_run_time(loop: Loop, recorder: Recorder) -> bool:
    """Whether a run decides, after the first trip, if there is a second: then all of the loop is
    recorded. What was found for a loop is taken for its other uses."""
    memo, start = loop.memo(recorder), loop.get()
    if LEFT not in memo:
        try:
            with recorder.trial(), recorder.scratch():
                loop.body()
                assert loop.test is not None
                value = loop.test()
                memo[LEFT] = is_traced(value) or open_sources(value)
        except LaminaError:
            memo[LEFT] = False
        loop.set(start)
    return memo[LEFT]


def _tried(loop: Loop, recorder: Recorder) -> bool:
    """Record the rest of a loop of many static trips, if its condition is one of a run then."""
    loop.start = loop.get()
    try:
        with recorder.trial():
            _repeated(loop)
    except LaminaError:
        loop.set(loop.start)
        return False
    return True


def _repeated(loop: Loop) -> None:
    """A `while`: `scf.while`."""
    recorder, test = CURRENT.get(), loop.test
    assert recorder is not None and test is not None
    while True:
        carries = loop.begin()
        starts = carries.starts(recorder)

        def holds(arrays: list[TracedArray], carries: Carries = carries) -> TracedArray:
            loop.enter(carries, arrays)
            return _flag(test())

        def trip(arrays: list[TracedArray], carries: Carries = carries) -> list[TracedArray] | None:
            return loop.trip(carries, arrays)

        results = regions.repeated(recorder, starts, holds, trip)
        if results is not None:
            break
    loop.end(carries, results, False)


def _flag(value: Any) -> TracedArray:
    """A condition as a traced 0-d bool."""
    recorder = CURRENT.get()
    assert recorder is not None
    if open_sources(value):
        return recorder.own(as_array("while", value, bool_))
    flag = truth(value)
    if isinstance(flag, bool):
        fail(
            NeedsValueError,
            "while: expected a condition that what the loop computes decides, found one that never "
            "changes",
        )
    return flag


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
        starts = carries.starts(recorder)

        def trip(
            i: TracedArray, arrays: list[TracedArray], carries: Carries = carries
        ) -> list[TracedArray] | None:
            return loop.trip(carries, arrays, _item(steps, i, low, high))

        bounds = _end(low), _end(high)
        results = regions.counted(recorder, bounds, starts, trip)
        if results is not None:
            break
    loop.end(carries, results, certain)


def _bounds(steps: Steps) -> tuple[Any, Any]:
    """From where to where a counted loop goes: a range by 1 itself, else numbers of elements."""
    if isinstance(steps, Range) and isinstance(steps.step, int) and steps.step == 1:
        return steps.start, steps.stop
    return 0, steps.count


def _item(steps: Steps, i: Array, low: Any, high: Any) -> Any:
    """The item of a trip, from the loop's variable."""
    least, most = bounds_of(low), bounds_of(high)
    number = weak(i)
    if least is not None and most is not None:
        number = weak(i, least[0], most[1] - 1)
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
        starts = [*owned(recorder, [plain(0)]), *carries.starts(recorder)]

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
    loop.end(carries, results[1:], isinstance(steps.count, int))
