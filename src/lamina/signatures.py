"""From a compiled trace to the native entry's signature: what a call must look like, as data."""

from __future__ import annotations

import types
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, cast

from lamina.backend import entry_spec as spec
from lamina.call_sizes import requirements, run_time_sizes
from lamina.frontend.dims import is_size
from lamina.frontend.memory import MEMORIES
from lamina.frontend.tree import Tree
from lamina.program import SizeExpr

if TYPE_CHECKING:
    from lamina.executable import Executable
    from lamina.frontend.guards import Guard
    from lamina.frontend.trace import Input, Leaf

BIG = 1 << 16
"""Bytes of arguments and results from which on a call lets other Python threads run, as it does
where it calls C functions."""


class NotNative(Exception):
    """The native entry cannot check this; the message says what. The slow path can."""


def signature_of(exe: Executable) -> spec.Signature:
    """The signature of a version. Raises NotNative."""
    trace = exe.trace
    donors = exe.interface.donors
    if any(given.is_root for given in trace.inputs):
        raise NotNative("arguments are views of one memory, of which one is written")
    if any(trace.inputs[n].leaf < 0 for n in trace.written if n not in donors.values()):
        raise NotNative("a captured array is written, by a program that may fail")
    leaves: dict[int, spec.Tree] = {i: spec.StaticLeaf(value) for i, value in trace.static}
    donated, changed = set(trace.donors.values()), {*donors.values(), *trace.written}
    for number, given in enumerate(trace.inputs):
        if given.leaf >= 0:
            leaves[given.leaf] = _input_leaf(given, number in changed, number in donated)
    order = iter(sorted(leaves.items()))
    arguments = tuple(_tree(child, order) for child in trace.arguments.children)
    hidden = [
        _source(given.guard, spec.ArrayLeaf(given.dtype, given.shape, number in changed))
        for number, given in enumerate(trace.inputs)
        if given.leaf < 0
    ]
    hidden += [_source(guard, _test(guard)) for guard in trace.guards]
    if trace.written:  # while a gradient depends on some memory, writes are counted: not natively
        held: Any = MEMORIES  # its type does not name the dict inside
        hidden.append((spec.Fixed(held.data), spec.DictNode(())))
    results = _results(exe)
    return spec.Signature(
        exe.linked.main,
        arguments,
        results,
        _result_tree(trace.result_tree, iter(trace.results)),
        hidden=tuple(hidden),
        requires=requirements(trace),
        arena_bytes=exe.linked.arena_bytes,
        scratch_bytes=exe.linked.scratch_bytes,
        release_gil=_bytes(exe) >= BIG or bool(exe.code.functions),
        threads=exe.lowered.options.threads,
        owner=exe,
    )


def _bytes(exe: Executable) -> int:
    total = 0
    for port in (*exe.interface.arguments, *exe.interface.results):
        count = port.dtype.itemsize
        for size in port.shape:
            count *= size if size >= 0 else 1024
        total += count
    return total


def _input_leaf(given: Input, written: bool, donated: bool) -> spec.Tree:
    if given.pinned is not None or given.low is not None or given.high is not None:
        raise NotNative(f"{given.name} is guarded by value")
    if given.weak is not None:
        return spec.ScalarLeaf(given.weak)
    return spec.ArrayLeaf(given.dtype, _entry_shape(given), written=written, donated=donated)


def _entry_shape(given: Input) -> tuple[int, ...]:
    return tuple(-1 if is_size(size) else size for size in given.shape)


def _tree(tree: Tree, leaves: Iterator[tuple[int, spec.Tree]]) -> spec.Tree:
    kind: Any = tree.kind
    if kind is None:
        return next(leaves)[1]
    if kind is type(None):
        return spec.StaticLeaf(None)
    children = [_tree(child, leaves) for child in tree.children]
    if kind is dict:
        return spec.DictNode(tuple(zip(tree.keys, children, strict=True)))
    if kind is list or _is_tuple(kind):
        return spec.SequenceNode(kind, tuple(children))
    if tree.extra is not None:
        raise NotNative(f"{kind.__name__} is a registered class with extra data")
    return spec.ObjectNode(kind, tuple(zip(map(str, tree.keys), children, strict=True)))


def _is_tuple(kind: Any) -> bool:
    return issubclass(kind, tuple)


def _is_namespace(holder: Any, key: Any) -> bool:
    return type(holder) is dict and type(key) is str


def _source(guard: Guard | None, tree: spec.Tree) -> tuple[spec.Source, spec.Tree]:
    """Where a captured value is read at a call."""
    if guard is None:
        raise NotNative("an array of an outer trace is captured")
    if guard.place == "cell":
        return spec.Cell(guard.holder), tree
    kind = cast("type[Any]", type(guard.holder))
    if guard.place == "item" and _is_namespace(guard.holder, guard.key):
        return spec.GlobalName(guard.holder, guard.key), tree
    if guard.place == "attribute":
        return spec.Fixed(guard.holder), spec.ObjectNode(kind, ((guard.key, tree),))
    raise NotNative(f"{guard.path} is read from a {kind.__name__}")


def _test(guard: Guard) -> spec.Tree:
    if guard.test in ("is", "equal"):
        return spec.StaticLeaf(guard.expected)
    if guard.test == "code":
        code: tuple[str, spec.Tree] = ("__code__", spec.StaticLeaf(guard.expected))
        return spec.ObjectNode(types.FunctionType, (code,))
    raise NotNative(f"{guard.path} is guarded by its contents")


def _results(exe: Executable) -> tuple[spec.Result, ...]:
    """The results; a run-time size is computed from sizes of arguments."""
    places = run_time_sizes(exe.trace.inputs)
    left = iter(exe.interface.sizes)

    def expression(size: SizeExpr) -> spec.DimExpr:
        match size:
            case int():
                return size
            case (name, lhs, rhs):
                kind = cast("spec.DimName", name)
                return spec.DimOp(kind, expression(lhs), expression(rhs))
            case (argument, axis):
                return spec.DimArg(places[argument, axis])

    def size(known: int) -> spec.DimExpr:
        if known != -1:
            return known
        found = expression(next(left))
        return spec.DimOp("max", 0, found) if isinstance(found, spec.DimOp) else found

    donors, written = exe.interface.donors, exe.trace.written
    first = len(exe.interface.results) - len(written)
    writes = {n: source for n, source in enumerate(written, first) if n not in donors}
    return tuple(
        spec.Result(
            port.dtype, tuple(map(size, port.shape)), donors.get(number), writes.get(number)
        )
        for number, port in enumerate(exe.interface.results)
    )


def _result_tree(tree: Tree, leaves: Iterator[Leaf]) -> spec.ResultTree:
    kind: Any = tree.kind
    if kind is None:
        return _result_leaf(next(leaves))
    if kind is type(None):
        return spec.ResultConstant(None)
    children = tuple(_result_tree(child, leaves) for child in tree.children)
    if kind is dict:
        return spec.ResultDict(tuple(zip(tree.keys, children, strict=True)))
    if kind is list or kind is tuple:
        return spec.ResultSequence(kind, children)
    if _is_tuple(kind):
        return spec.ResultCall(kind, children)
    raise NotNative(f"the result is a {kind.__name__}")


def _result_leaf(leaf: Leaf) -> spec.ResultTree:
    if leaf.index is None:
        return spec.ResultConstant(leaf.value)
    if leaf.weak is None:
        return spec.ResultLeaf(leaf.index)
    return spec.ResultCall(_number, (spec.ResultLeaf(leaf.index),))


def _number(array: Any) -> Any:
    """A Python number from a 0-d array."""
    return array._data.item()
