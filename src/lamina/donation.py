"""`donate=`: results of a jitted call that live in the memory of its arguments."""

# pyright: reportPrivateUsage=false
from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from xdsl.dialects.builtin import DenseArrayBase, FunctionType, i64
from xdsl.dialects.func import FuncOp, ReturnOp

from lamina.dialects.donors import DONORS
from lamina.errors import ArgumentError, MutationError, OptionError
from lamina.frontend import tree
from lamina.frontend.array import Array, is_array
from lamina.frontend.donated import check_kept, give, is_alone
from lamina.frontend.location import fail
from lamina.frontend.trace import Trace
from lamina.frontend.tree import Tree

Names = tuple[str, ...]


def parameters(function: Callable[..., Any], donate: str | int | Sequence[str | int]) -> Names:
    """The names of the parameters that `donate` names, or numbers. Raises `OptionError` for others
    than those of `function`."""
    listed: tuple[Any, ...] = tuple(donate) if isinstance(donate, (tuple, list)) else (donate,)
    known = list(inspect.signature(function).parameters) if listed else []
    names: list[str] = []
    for given in listed:
        if isinstance(given, int) and not isinstance(given, bool) and 0 <= given < len(known):
            names.append(known[given])
        elif isinstance(given, str) and given in known:
            names.append(given)
        else:
            raise OptionError(
                f"jit: expected donate= to name or number parameters of {', '.join(known)}, "
                f"found {given!r}"
            )
    return tuple(dict.fromkeys(names))


def check(donated: Names, leaves: Sequence[Any], structure: Tree) -> None:
    """Raise unless the memory of each array in the `donated` arguments can be given away.

    `ArgumentError` for NumPy arrays and gradients, `MutationError` for memory that others use, and
    for an array that was donated before.
    """
    if not donated:
        return
    arrays: list[tuple[Any, str]] = [
        (x, path) for x, path in zip(leaves, tree.paths(structure), strict=True) if is_array(x)
    ]
    given = [(x, path) for x, path in arrays if path.split("/")[0] in donated]
    for array, path in given:
        _check_array(array, path)
    seen: dict[int, str] = {}
    for array, path in given:
        if id(array) in seen:
            _twice(path, seen[id(array)])
        seen[id(array)] = path
    for array, path in arrays:
        if seen.get(id(array), path) != path:
            _twice(seen[id(array)], path)


def _check_array(leaf: Any, name: str) -> None:
    if not isinstance(leaf, Array):
        fail(
            ArgumentError,
            f"jit: expected an array of Lamina as the donated argument {name}, found a NumPy "
            "array, whose memory is not to be given away; pass lm.asarray(...) of it",
        )
    check_kept(leaf)
    if leaf._tape is not None:
        fail(
            ArgumentError,
            f"jit: expected a donated argument {name} without a gradient, found one that is "
            "recorded; pass x.detach().copy()",
        )
    if not is_alone(leaf):
        fail(
            MutationError,
            f"jit: expected memory of its own for the donated argument {name}, found memory that "
            "a view, another array or a buffer uses too; pass lm.copy(x)",
        )


def _twice(path: str, other: str) -> None:
    fail(
        MutationError,
        f"jit: expected memory of its own for the donated argument {path}, found the array that "
        f"is argument {other} too; pass lm.copy(x)",
    )


def arranged(trace: Trace, donated: Names) -> Trace:
    """The program with its donors noted. Raises `ArgumentError` for an array that no result can
    take the memory of."""
    wanted = [
        number
        for number, given in enumerate(trace.inputs)
        if given.leaf >= 0 and given.weak is None and given.name.split("/")[0] in donated
    ]
    if not wanted:
        return trace
    (main,) = (op for op in trace.module.ops if isinstance(op, FuncOp))
    _drop_written(trace, main, wanted)
    trace = replace(trace, written=[n for n in trace.written if n not in wanted])
    donors = _matched(trace, main, wanted)
    noted = [donors.get(result, -1) for result in range(len(main.function_type.outputs))]
    main.attributes[DONORS] = DenseArrayBase.from_list(i64, noted)
    return replace(trace, donors=donors)


def _drop_written(trace: Trace, main: FuncOp, wanted: Sequence[int]) -> None:
    """What the program writes to a donated argument is no result: nobody can see it."""
    end = main.body.block.last_op
    assert isinstance(end, ReturnOp)
    first = len(end.operands) - len(trace.written)
    kept = list(end.operands[:first])
    kept += [
        value
        for number, value in zip(trace.written, end.operands[first:], strict=True)
        if number not in wanted
    ]
    end.operands = kept
    types = FunctionType.from_lists(list(main.function_type.inputs), [x.type for x in kept])
    main.properties["function_type"] = types


def _matched(trace: Trace, main: FuncOp, wanted: Sequence[int]) -> dict[int, int]:
    """Result -> the input whose memory it takes: of equal types, those first whose paths end
    alike, then in order."""
    types = list(main.function_type.outputs)
    paths = tree.paths(trace.result_tree)
    results = [
        (leaf.index, path, leaf.shape)
        for leaf, path in zip(trace.results, paths, strict=True)
        if leaf.index is not None and leaf.weak is None
    ]
    pairs = [
        (-_common(trace.inputs[number].name, path), place, number, index)
        for place, number in enumerate(wanted)
        for index, path, shape in results
        if types[index] == main.function_type.inputs.data[number]
        and shape == trace.inputs[number].shape  # run-time sizes are equal expressions
    ]
    donors: dict[int, int] = {}
    for _, _, number, index in sorted(pairs):
        if index not in donors and number not in donors.values():
            donors[index] = number
    for number in wanted:
        if number not in donors.values():
            given = trace.inputs[number]
            fail(
                ArgumentError,
                f"jit: expected a result of {given.dtype} and shape {given.shape} to take the "
                f"memory of the donated argument {given.name}, found none that is left; donate "
                "what comes back changed",
            )
    return donors


def _common(name: str, path: str) -> int:
    """How many parts of two paths are equal, from the end."""
    count = 0
    for a, b in zip(reversed(name.split("/")[1:]), reversed(path.split("/")), strict=False):
        if a != b:
            break
        count += 1
    return count


def take(trace: Trace, leaves: Sequence[Any], arrays: Sequence[np.ndarray[Any, Any]]) -> None:
    """Make the donated leaves of a call unusable; `arrays` are the memory of all inputs. Raises
    `MutationError` where another input shares the memory."""
    for number in trace.donors.values():
        for other, array in enumerate(arrays):
            if other != number and np.may_share_memory(array, arrays[number]):
                _twice(trace.inputs[number].name, trace.inputs[other].name)
    for number in trace.donors.values():
        give(leaves[trace.inputs[number].leaf])


def check_no_gradient(donated: Names) -> None:
    """Raise `ArgumentError` for a call that is recorded: its backward needs the arguments again."""
    if donated:
        fail(
            ArgumentError,
            f"jit: expected arguments without a gradient, since {', '.join(donated)} is donated, "
            "found one that is recorded; use lm.grad inside the function",
        )


def check_leaves(trace: Trace, leaves: Sequence[Any]) -> None:
    """`check`, for a call that fits `trace`."""
    for number in trace.donors.values():
        given = trace.inputs[number]
        _check_array(leaves[given.leaf], given.name)
