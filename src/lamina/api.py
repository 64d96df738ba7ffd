"""`jit`: compile a function at its first call with new types, then call native code."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import Any, ClassVar, NoReturn, overload

from lamina.backend.entry import Entry, make_entry
from lamina.backend.entry_native import native
from lamina.backend.entry_py import PyEntry
from lamina.backend.entry_spec import ArrayClass
from lamina.debug import LIVE
from lamina.declared import Declared
from lamina.donation import arranged, check, check_no_gradient, parameters
from lamina.eager_calls import EagerCalls, call_eagerly
from lamina.errors import ArgumentError, LaminaError, OptionError
from lamina.executable import Lowered, execute_module
from lamina.frontend import tree
from lamina.frontend.array import Array
from lamina.frontend.dispatch import CURRENT
from lamina.frontend.donated import DonatedArray
from lamina.frontend.trace import bind_arguments, scripted, trace
from lamina.interpreters import nans
from lamina.jit_tape import taped_call
from lamina.options import CompileOptions
from lamina.program import raise_failure
from lamina.signatures import NotNative, signature_of
from lamina.tape import is_grad_enabled
from lamina.varying import Call, Varying, bounds
from lamina.version import Changed, Version
from lamina.writing import note_written

ARRAYS = ArrayClass(Array, "_data", (("_tape", None),), ("_tape",), DonatedArray)


class Jitted:
    """A function that compiles itself for each new kind of arguments.

    Calling goes to the native entry: each instance has a class of its own, whose `__call__` is
    that builtin once the first version is there.
    """

    _function: Callable[..., Any]
    donated: tuple[str, ...] = ()
    __call__: ClassVar[Callable[..., Any]]

    def __init__(
        self,
        function: Callable[..., Any],
        options: CompileOptions,
        static: Sequence[str] = (),
        script: bool = False,
        declared: Declared | None = None,
        eager: EagerCalls | None = None,
    ) -> None:
        self._function = function
        self._script = script
        self._options = options
        self._static = tuple(static)
        self._declared = declared
        self._varying = Varying()
        self._eager = eager
        self._lock = threading.RLock()
        self._versions: list[Version] = []
        self._notes: list[str] = []
        self._entry: Entry | PyEntry | None = None
        self.pullbacks: dict[Any, Jitted] = {}
        self.ways: dict[Any, Any] = {}
        self._looking: Jitted | None = None
        LIVE.add(self)
        self.route()
        functools.update_wrapper(self, function)

    def route(self) -> None:
        """Let calls go to the native entry, where it is there and `debug.nans` changes nothing."""
        native = self._entry is not None and (self._options.nans or not nans.OPEN)
        type(self).__call__ = self._entry.call if native and self._entry else type(self)._slow

    def looking(self) -> Jitted:
        """The same function, compiled to look for NaN."""
        if self._looking is None:
            options = replace(self._options, nans=True)
            self._looking = make_jitted(
                self._function, options, self._static, self._script, self._declared
            )
            self._looking.donated = self.donated
        return self._looking

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        """A method: the instance is the first argument."""
        return self if instance is None else functools.partial(self, instance)

    def lower(self, *args: Any, **kwargs: Any) -> Lowered:
        """Trace for these arguments; nothing is compiled. Sizes are numbers but for those that
        `shapes=` declares."""
        call = self._call(args, kwargs)
        return self._lower(call, call.shapes(Varying()))

    def explain(self) -> str:
        """What was compiled, and why again; with mode="auto", how many calls ran eagerly."""
        notes = [] if self._eager is None else self._eager.notes()
        notes += self._notes
        notes += [note for taped in self.pullbacks.values() for note in taped._notes]
        return "\n".join(notes) or "nothing compiled yet"

    def _call(self, args: Sequence[Any], kwargs: dict[str, Any]) -> Call:
        """A call, checked against `shapes=`."""
        named = bind_arguments(self._function, args, kwargs)
        leaves, structure = tree.flatten(named)
        if self._declared is None:
            return Call(args, kwargs, leaves, structure)
        specs = self._declared.of_leaves(named)
        self._declared.check(leaves, tree.paths(structure), specs)
        return Call(args, kwargs, leaves, structure, specs)

    def _lower(self, call: Call, shapes: Mapping[int, Any]) -> Lowered:
        traced = trace(
            self._function,
            call.args,
            call.kwargs,
            static=self._static,
            shapes=shapes,
            script=self._script,
        )
        given = note_written(arranged(traced, self.donated), self._options)
        return Lowered(given, self._options)

    def _slow(self, *args: Any, **kwargs: Any) -> Any:
        """A call that the native entry did not take."""
        if CURRENT.get() is not None:
            return self.traced_call(*args, **kwargs)
        if nans.ENABLED.get() and not self._options.nans:
            return self.looking()(*args, **kwargs)
        call = self._call(args, kwargs)
        leaves, structure = call.leaves, call.structure
        check(self.donated, leaves, structure)
        if is_grad_enabled() and any(isinstance(x, Array) and x.requires_grad for x in leaves):
            check_no_gradient(self.donated)
            if self._eager is not None and not self._eager.repeated(leaves, structure):
                return call_eagerly(self._function, args, kwargs)
            return taped_call(self, jit, leaves, structure)
        reasons: list[str] = []
        for version in self._versions:
            reason = version.why_not(leaves, structure)
            if reason is None:
                return version.run(leaves)
            reasons.append(reason)
        if self._eager is not None and not self._eager.repeated(leaves, structure):
            return call_eagerly(self._function, args, kwargs)
        return self._version(call, reasons).run(leaves)

    def _version(self, call: Call, reasons: list[str]) -> Version:
        """A version for a call that those looked at before do not fit: one that another thread has
        made meanwhile, or a new one."""
        with self._lock:
            for version in self._versions[len(reasons) :]:
                reason = version.why_not(call.leaves, call.structure)
                if reason is None:
                    return version
                reasons.append(reason)
            return self._compile(call, reasons)

    def traced_call(self, *args: Any, **kwargs: Any) -> Any:
        """The call as a part of the trace that runs."""
        return (scripted(self._function) if self._script else self._function)(*args, **kwargs)

    def _compile(self, call: Call, reasons: Sequence[str]) -> Version:
        """A new version, for this call."""
        first = "at the first call" if self._eager is None else "as its types and shapes came again"
        why = f"since {_cause(reasons[-1])}" if reasons else first
        with entry_in_background():
            version, notes = self._made(call)
        self._versions.append(version)
        self._varying.note(call.leaves, call.structure)
        number = len(self._versions)
        stored = "; the disk cache had the code" if version.exe.lowered.stored else ""
        self._notes.append(f"version {number}: compiled {why}{stored}")
        self._notes += [f"version {number}: {note}" for note in notes]
        try:
            version.signature = signature_of(version.exe)
        except NotNative as reason:
            version.signature = None
            self._notes.append(f"version {number}: checked in Python at each call: {reason}")
        if self._entry is None:
            self._entry = make_entry((), self._slow, ARRAYS, self._raise)
            self.route()
        self._entry.replace([v.signature for v in self._versions if v.signature is not None])
        return version

    def _made(self, call: Call) -> tuple[Version, list[str]]:
        """The code for a call, and what `explain` says of it. Sizes that varied are run-time ones,
        unless the function cannot be compiled so."""
        shapes, declared = call.shapes(self._varying), call.shapes(Varying())
        notes: list[str] = []
        try:
            lowered = self._lower(call, shapes)
            version = Version(lowered.compile(), call.leaves)
        except Exception as error:
            automatic = call.automatic(shapes)
            if not automatic:
                raise
            lowered = self._lower(call, declared)
            version = Version(lowered.compile(), call.leaves)
            self._varying.fix(automatic)
            notes.append(f"compiled for these sizes alone, since run-time sizes failed: {error}")
        traced = lowered.trace
        notes += [f"{symbol} is known at run time, {bounds(symbol)}" for symbol in traced.axes]
        notes += [f"holds where {x.text} ({x.place})" for x in traced.requires]
        return version, [*notes, *traced.notes]

    def _raise(self, index: int, status: int, number: int, first: int, second: int) -> NoReturn:
        """Raise the error of a failed call of the entry's signature `index`."""
        native = [version for version in self._versions if version.signature is not None]
        raise_failure(native[index].exe.linked.checks, status, number, first, second)


def _cause(reason: str) -> str:
    return reason if isinstance(reason, Changed) else f"it was called with {reason}"


@contextmanager
def entry_in_background() -> Generator[None]:
    """Have the call entry's code made by another thread meanwhile: LLVM works without the GIL."""

    def make() -> None:
        with suppress(LaminaError):  # whoever needs the entry meets the error
            native()

    maker = threading.Thread(target=make, name="lamina-entry")
    maker.start()
    try:
        yield
    finally:
        maker.join()


def make_jitted(*parts: Any) -> Jitted:
    """A `Jitted` with a class of its own, whose `__call__` is the native entry."""
    kind: type[Jitted] = type("Jitted", (Jitted,), {})
    return kind(*parts)


@overload
def jit(f: Callable[..., Any], **fields: Any) -> Any: ...
@overload
def jit(f: None = None, **fields: Any) -> Callable[[Callable[..., Any]], Any]: ...
def jit(
    f: Callable[..., Any] | None = None,
    *,
    mode: str = "trace",
    static_argnames: str | Sequence[str] = (),
    shapes: Any = None,
    donate: str | int | Sequence[str | int] = (),
    options: CompileOptions | None = None,
    **fields: Any,
) -> Any:
    """Compile `f` when it is called: one version for each kind of arguments, then native calls.

    Arrays, and trees of arrays, may be NumPy's or ours; results are fresh `lm.Array`s.
    static_argnames: parameters whose values the code is made for. mode: "auto" runs eagerly until
    types and shapes come a second time. shapes: one entry for each positional argument, a tree like
    it: None, or a tuple of int, None, `Dim` or expressions of Dims (`n + 1`, `2 * n`, `n // 2`); a
    call that breaks it is a ShapeError that names the argument. Other sizes are numbers in the code
    until one has had two values from 2 on; from then on it is a run-time size. donate: names or
    numbers of parameters whose arrays are given away: each is the memory of a result of its type,
    and an error where it is used again. They are arrays of Lamina that nothing else shares memory
    with (`ArgumentError`, `MutationError`); what a call inside traced code gets is not given away.
    Further keywords are fields of `CompileOptions` (`cpu`, `fusion`, `threads`, `cache`, ...).
    Raises TraceError where `f` needs a value that only a run has, OptionError for a bad option.

    >>> import lamina as lm
    >>> @lm.jit
    ... def f(x, y):
    ...     return x * y + 1
    >>> f(lm.asarray([1.0, 2.0]), lm.asarray([3.0, 4.0]))
    Array([4., 9.])
    """
    if mode not in ("trace", "script", "auto"):
        raise OptionError(f'jit: expected mode "trace", "script" or "auto", found {mode!r}')
    if f is None:
        return functools.partial(
            jit,
            mode=mode,
            static_argnames=static_argnames,
            shapes=shapes,
            donate=donate,
            options=options,
            **fields,
        )
    if not callable(f):
        raise ArgumentError(f"jit: expected a function, found a {type(f).__name__}")
    try:
        made = options or CompileOptions(**fields)
    except TypeError as error:
        raise OptionError(f"jit: {error}") from error
    names = (static_argnames,) if isinstance(static_argnames, str) else tuple(static_argnames)
    declared = None if shapes is None else Declared(f, shapes)
    eager = EagerCalls() if mode == "auto" else None
    jitted = make_jitted(f, made, names, mode == "script", declared, eager)
    jitted.donated = parameters(f, donate)
    return jitted


__all__ = ["Jitted", "Version", "execute_module", "jit"]
