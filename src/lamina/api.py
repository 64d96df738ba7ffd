"""`jit`: compile a function at its first call with new types, then call native code."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any, overload

import numpy as np

from lamina.backend.entry import make_entry
from lamina.backend.entry_spec import ArrayClass, Signature
from lamina.errors import ArgumentError, OptionError
from lamina.executable import Executable, Lowered, execute_module, raise_failure
from lamina.frontend import dtypes, tree
from lamina.frontend.array import Array, wrap
from lamina.frontend.dispatch import CURRENT
from lamina.frontend.trace import Input, bind_arguments, trace
from lamina.frontend.tree import Tree
from lamina.options import CompileOptions
from lamina.signatures import NotNative, signature_of

ARRAYS = ArrayClass(Array, "_data", (("_tape", None),), ("_tape",))


class Version:
    """One compiled version of a function, checked and called in Python: the readable reference
    of the native entry, and the path of all that the native entry cannot check."""

    signature: Signature | None = None

    def __init__(self, exe: Executable, leaves: Sequence[Any]) -> None:
        self.exe = exe
        self.trace = exe.trace
        self.pinned = {i.leaf: leaves[i.leaf] for i in exe.trace.inputs if i.pinned is not None}

    def why_not(self, leaves: Sequence[Any], structure: Tree) -> str | None:
        """Why this version does not fit a call, or None."""
        if structure != self.trace.arguments:
            return "arguments of another structure"
        for given in self.trace.inputs:
            reason = (
                self.why_not_captured(given)
                if given.leaf < 0
                else why_not_input(given, leaves[given.leaf], self.pinned)
            )
            if reason is not None:
                return reason
        for position, value in self.trace.static:
            if not _same(leaves[position], value):
                return f"the value {leaves[position]!r}, not {value!r}"
        for guard in self.trace.guards:
            if not guard.holds():
                return guard.explain()
        return None

    @staticmethod
    def why_not_captured(given: Input) -> str | None:
        """Why a captured array does not fit, or None."""
        if given.guard is None:
            return f"an array of an outer trace ({given.name})"
        return None if given.guard.holds() else given.guard.explain()

    def run(self, leaves: Sequence[Any]) -> Any:
        """Call `main`, write back what it wrote, and build the result."""
        trace_, arrays = self.trace, []
        for given in trace_.inputs:
            value = given.guard.read() if given.guard is not None else leaves[given.leaf]
            data = value._data if isinstance(value, Array) else value
            arrays.append(np.asarray(data, given.dtype) if given.weak else np.asarray(data))
        results = self.exe.call(arrays)
        first = len(results) - len(trace_.written)
        for source, value in zip(trace_.written, results[first:], strict=True):
            np.copyto(arrays[source], value)
        found: list[Any] = []
        for leaf in trace_.results:
            if leaf.index is None:
                found.append(leaf.value)
            elif leaf.weak is not None:
                found.append(results[leaf.index].item())
            else:
                found.append(wrap(results[leaf.index]))
        return tree.unflatten(trace_.result_tree, found)


def why_not_input(given: Input, leaf: Any, pinned: Mapping[int, Any]) -> str | None:
    """Why a leaf of a call does not fit an input, or None."""
    if given.weak is not None:
        if type(leaf).__name__ != given.weak:
            return f"{given.name} of type {type(leaf).__name__}, not {given.weak}"
        if given.leaf in pinned and leaf != pinned[given.leaf]:
            return f"{given.name} = {leaf!r}, not {pinned[given.leaf]!r} ({given.pinned})"
        if given.low is not None and leaf < given.low:
            return f"{given.name} = {leaf!r}, below {given.low}"
        if given.high is not None and leaf > given.high:
            return f"{given.name} = {leaf!r}, above {given.high}"
        return None
    if not isinstance(leaf, Array | np.ndarray | np.generic):
        return f"{given.name} of type {type(leaf).__name__}, not an array"
    if leaf.shape != given.shape or dtypes.normalize(leaf.dtype) != given.dtype:
        return f"{given.name}: {leaf.dtype} of shape {leaf.shape}"
    if given.written and isinstance(leaf, np.ndarray) and not leaf.flags.writeable:
        return f"{given.name}, which is written, is read-only"
    return None


def _same(found: Any, expected: Any) -> bool:
    if found is expected:
        return True
    return type(found) is type(expected) and bool(found == expected)


class Jitted:
    """A function that compiles itself for each new kind of arguments.

    Calling goes to the native entry of the instance's own class (`__call__` is a builtin there).
    """

    _function: Callable[..., Any]

    def __init__(
        self,
        function: Callable[..., Any],
        options: CompileOptions,
        static: Sequence[str],
        donate: Sequence[str],
    ) -> None:
        self._function = function
        self._options = options
        self._static = tuple(static)
        self._versions: list[Version] = []
        self._notes: list[str] = []
        functools.update_wrapper(self, function)

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        """A method: the instance is the first argument."""
        return self if instance is None else functools.partial(self, instance)

    def lower(self, *args: Any, **kwargs: Any) -> Lowered:
        """Trace for these arguments; nothing is compiled."""
        return Lowered(trace(self._function, args, kwargs, static=self._static), self._options)

    def explain(self) -> str:
        """What was compiled, and why again."""
        return "\n".join(self._notes) or "nothing compiled yet"

    def _slow(self, *args: Any, **kwargs: Any) -> Any:
        """A call that the native entry did not take."""
        if CURRENT.get() is not None:
            return self._function(*args, **kwargs)
        leaves, structure = tree.flatten(bind_arguments(self._function, args, kwargs))
        reasons: list[str] = []
        for version in self._versions:
            reason = version.why_not(leaves, structure)
            if reason is None:
                return version.run(leaves)
            reasons.append(reason)
        version = self._compile(args, kwargs, leaves, reasons)
        return version.run(leaves)

    def _compile(
        self,
        args: Sequence[Any],
        kwargs: dict[str, Any],
        leaves: Sequence[Any],
        reasons: Sequence[str],
    ) -> Version:
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
        self._entry.replace([v.signature for v in self._versions if v.signature is not None])
        return version


def _raise(_: int, status: int, error_id: int, index: int, bits: int) -> None:
    raise_failure(status, error_id, index, bits)


def _make(
    function: Callable[..., Any],
    options: CompileOptions,
    static: Sequence[str],
    donate: Sequence[str],
) -> Any:
    """A Jitted whose class has the native entry as `__call__`."""
    kind = type("Jitted", (Jitted,), {})
    jitted = kind(function, options, static, donate)
    jitted._entry = make_entry((), jitted._slow, ARRAYS, _raise)
    kind.__call__ = jitted._entry.call
    return jitted


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
    if mode != "trace":
        raise OptionError(f'jit: expected mode="trace", found {mode!r}: not there yet')
    if shapes is not None or donate:
        raise OptionError("jit: expected neither shapes= nor donate=: not there yet")
    if f is None:
        return functools.partial(jit, static_argnames=static_argnames, options=options, **fields)
    if not callable(f):
        raise ArgumentError(f"jit: expected a function, found a {type(f).__name__}")
    try:
        made = options or CompileOptions(**fields)
    except TypeError as error:
        raise OptionError(f"jit: {error}") from error
    names = (static_argnames,) if isinstance(static_argnames, str) else tuple(static_argnames)
    return _make(f, made, names, ())


__all__ = ["Jitted", "Version", "execute_module", "jit"]
