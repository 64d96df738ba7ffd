"""`jit`: compile a function at its first call with new types, then call native code."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, ClassVar, NoReturn, overload

from lamina.backend.entry import Entry, make_entry
from lamina.backend.entry_native import native
from lamina.backend.entry_py import PyEntry
from lamina.backend.entry_spec import ArrayClass
from lamina.errors import ArgumentError, LaminaError, OptionError
from lamina.executable import Lowered, execute_module
from lamina.frontend import tree
from lamina.frontend.array import Array
from lamina.frontend.dispatch import CURRENT
from lamina.frontend.trace import bind_arguments, scripted, trace
from lamina.jit_tape import taped_call
from lamina.options import CompileOptions
from lamina.program import raise_failure
from lamina.signatures import NotNative, signature_of
from lamina.tape import is_grad_enabled
from lamina.version import Version

ARRAYS = ArrayClass(Array, "_data", (("_tape", None),), ("_tape",))


class Jitted:
    """A function that compiles itself for each new kind of arguments.

    Calling goes to the native entry: each instance has a class of its own, whose `__call__` is
    that builtin once the first version is there.
    """

    _function: Callable[..., Any]
    __call__: ClassVar[Callable[..., Any]]

    def __init__(
        self,
        function: Callable[..., Any],
        options: CompileOptions,
        static: Sequence[str],
        script: bool = False,
    ) -> None:
        self._function = function
        self._script = script
        self._options = options
        self._static = tuple(static)
        self._versions: list[Version] = []
        self._notes: list[str] = []
        self._entry: Entry | PyEntry | None = None
        self.pullbacks: dict[Any, Any] = {}
        type(self).__call__ = type(self)._slow
        functools.update_wrapper(self, function)

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        """A method: the instance is the first argument."""
        return self if instance is None else functools.partial(self, instance)

    def lower(self, *args: Any, **kwargs: Any) -> Lowered:
        """Trace for these arguments; nothing is compiled."""
        traced = trace(self._function, args, kwargs, static=self._static, script=self._script)
        return Lowered(traced, self._options)

    def explain(self) -> str:
        """What was compiled, and why again."""
        return "\n".join(self._notes) or "nothing compiled yet"

    def _slow(self, *args: Any, **kwargs: Any) -> Any:
        """A call that the native entry did not take."""
        if CURRENT.get() is not None:
            return self.traced_call(*args, **kwargs)
        leaves, structure = tree.flatten(bind_arguments(self._function, args, kwargs))
        if is_grad_enabled() and any(isinstance(x, Array) and x.requires_grad for x in leaves):
            return taped_call(self, jit, leaves, structure)
        reasons: list[str] = []
        for version in self._versions:
            reason = version.why_not(leaves, structure)
            if reason is None:
                return version.run(leaves)
            reasons.append(reason)
        version = self._compile(args, kwargs, leaves, reasons)
        return version.run(leaves)

    def traced_call(self, *args: Any, **kwargs: Any) -> Any:
        """The call as a part of the trace that runs."""
        return (scripted(self._function) if self._script else self._function)(*args, **kwargs)

    def _compile(
        self,
        args: Sequence[Any],
        kwargs: dict[str, Any],
        leaves: Sequence[Any],
        reasons: Sequence[str],
    ) -> Version:
        with entry_in_background():
            lowered = self.lower(*args, **kwargs)
            version = Version(lowered.compile(), leaves)
        self._versions.append(version)
        number = len(self._versions)
        why = f"since it was called with {reasons[-1]}" if reasons else "at the first call"
        self._notes.append(f"version {number}: compiled {why}")
        self._notes += [f"version {number}: {note}" for note in lowered.trace.notes]
        try:
            version.signature = signature_of(version.exe)
        except NotNative as reason:
            version.signature = None
            self._notes.append(f"version {number}: checked in Python at each call: {reason}")
        if self._entry is None:
            self._entry = make_entry((), self._slow, ARRAYS, self._raise)
            type(self).__call__ = self._entry.call
        self._entry.replace([v.signature for v in self._versions if v.signature is not None])
        return version

    def _raise(self, index: int, status: int, number: int, first: int, second: int) -> NoReturn:
        """Raise the error of a failed call of the entry's signature `index`."""
        native = [version for version in self._versions if version.signature is not None]
        raise_failure(native[index].exe.linked.checks, status, number, first, second)


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


def _make(
    function: Callable[..., Any],
    options: CompileOptions,
    static: Sequence[str],
    script: bool,
) -> Any:
    """A Jitted whose class has the native entry as `__call__`."""
    kind: type[Jitted] = type("Jitted", (Jitted,), {})
    return kind(function, options, static, script)


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
    donate: str | Sequence[str] = (),
    options: CompileOptions | None = None,
    **fields: Any,
) -> Any:
    """Compile `f` when it is called: one version for each kind of arguments, then native calls.

    Arrays, and trees of arrays, may be NumPy's or ours; results are fresh `lm.Array`s.
    static_argnames: parameters whose values the code is made for. Further keywords are fields of
    `CompileOptions` (`cpu`, `fusion`, `threads`, `cache`, ...).
    Raises TraceError where `f` needs a value that only a run has, OptionError for a bad option.

    >>> import lamina as lm
    >>> @lm.jit
    ... def f(x, y):
    ...     return x * y + 1
    >>> f(lm.asarray([1.0, 2.0]), lm.asarray([3.0, 4.0]))
    Array([4., 9.])
    """
    if mode not in ("trace", "script"):
        raise OptionError(f'jit: expected mode "trace" or "script", found {mode!r}')
    if shapes is not None or donate:
        raise OptionError("jit: expected neither shapes= nor donate=: not there yet")
    if f is None:
        return functools.partial(
            jit, mode=mode, static_argnames=static_argnames, options=options, **fields
        )
    if not callable(f):
        raise ArgumentError(f"jit: expected a function, found a {type(f).__name__}")
    try:
        made = options or CompileOptions(**fields)
    except TypeError as error:
        raise OptionError(f"jit: {error}") from error
    names = (static_argnames,) if isinstance(static_argnames, str) else tuple(static_argnames)
    return _make(f, made, names, mode == "script")


__all__ = ["Jitted", "Version", "execute_module", "jit"]
