"""Whatever is given to a public function, only a `LaminaError` comes back, with the user's place;
eager and traced code say the same."""

# pyright: reportUnknownLambdaType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

import numpy as np
import pytest

import lamina as lm
from lamina.errors import DomainError, IndexRangeError, LaminaError, TraceError
from lamina.frontend import tree
from lamina.frontend.array import Array
from lamina.frontend.dispatch import FUNCTIONS
from lamina.frontend.trace import trace

X = lm.asarray(np.arange(6.0).reshape(2, 3))
JUNK: list[Any] = [
    X, lm.asarray(1.0), "a", None, 3.5, -1, object(), [1, [2]], (0, 0), {}, np.asarray(["a"]),
    np.ones((2, 2)), 10**30, (X, X), float("nan"), slice(1), lm.asarray([True]), 2**62,
]  # fmt: skip
METHODS = ("get_item", "set_item", "update_in_place", "from_ufunc", "from_numpy_function")
PUBLIC = sorted(n for n in FUNCTIONS if n not in METHODS and not n.startswith(("numpy.", "__")))


def attempt(function: Callable[..., Any], args: tuple[Any, ...], options: dict[str, Any]) -> None:
    try:
        function(*args, **options)
    except LaminaError:
        pass
    except TypeError as error:
        if "required" not in str(error):  # Python's own, for a call with too few arguments
            raise


@pytest.mark.parametrize("name", PUBLIC)
def test_only_our_errors(name: str) -> None:
    function = FUNCTIONS[name]
    parameters = inspect.signature(function).parameters.values()
    places = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    for args in product(JUNK, repeat=min(len(places), 2) or 1):
        attempt(function, args, {})
    needed = (X,) * max(1, sum(p.default is p.empty for p in places))
    for parameter in parameters:
        if parameter.kind is parameter.KEYWORD_ONLY:
            for value in JUNK:
                attempt(function, needed, {parameter.name: value})


@pytest.mark.parametrize("key", JUNK)
def test_keys(key: Any) -> None:
    attempt(X.__getitem__, (key,), {})
    attempt(X.copy().__setitem__, (key, 1), {})
    attempt(X.copy().__setitem__, (0, key), {})


VALID: dict[str, tuple[Any, ...]] = {
    "arange": (0, 6), "broadcast_to": (X, (4, 2, 3)), "full": ((2,), 7), "expand_dims": (X, 0),
    "empty": ((2,),), "zeros": ((2,),), "ones": ((2,),), "eye": (3,), "linspace": (0, 1, 5),
    "reshape": (X, (3, 2)), "permute_dims": (X, (1, 0)), "moveaxis": (X, 0, 1), "tile": (X, (2,)),
    "swapaxes": (X, 0, 1), "roll": (X, 1), "repeat": (X, 2), "pad": (X, 1), "split": (X, 2),
    "squeeze": (X, ()), "concat": ([X, X],), "stack": ([X, X],), "full_like": (X, 1),
    "astype": (X, lm.int8), "where": (X > 1, X, X), "take": (X[0], lm.asarray([0, 1])),
    "take_along_axis": (X, lm.asarray([[0], [1]])), "matmul": (X, lm.ones((3, 2))),
    "tensordot": (X, lm.ones((3, 2)), ), "linalg.matrix_power": (lm.eye(2), 2), "fft.fftfreq": (4,),
    "fft.rfftfreq": (4,), "einsum": ("ij->ji", X), "isdtype": (lm.int8, "integral"),
    "can_cast": (lm.int8, lm.int16), "finfo": (lm.float32,), "iinfo": (lm.int8,), "top_k": (X, 1),
    "linalg.solve": (lm.eye(2), X), "one_hot": (lm.asarray([0, 1]), 3), "searchsorted": (X[0], X),
    "conv": (lm.ones((1, 1, 4)), lm.ones((1, 1, 3))), "max_pool": (lm.ones((1, 1, 4)), 2),
    "avg_pool": (lm.ones((1, 1, 4)), 2), "clip": (X, 1, 2), "linalg.cross": (X, X),
}  # fmt: skip
"""Function -> arguments of a right call; other functions take X in each place."""
WRONG: list[Any] = [
    "a", None, object(), 1.5, -1, 99, (0, 0), (-1,), [1, [2]], np.asarray(["a"]), np.ones(4),
    2**62, float("nan"), lm.zeros((0, 3)), lm.asarray(1.0), "gpu",
]  # fmt: skip
PUT_IN_PLACE = {"put", "put_along_axis", "scatter_add"}
"""Functions that write: each call gets a copy."""


def called(function: Callable[..., Any], args: Any, options: dict[str, Any]) -> Any:
    return function(*args, **options)


def outcome(run: Callable[[], Any]) -> Any:
    """What a call gives: the types of its results, or the class and text of its error."""
    try:
        found = run()
    except LaminaError as error:
        return type(error), str(error)
    except TypeError as error:
        assert "argument" in str(error)  # Python's own: too few, or one of an unknown name
        return TypeError, str(error)
    return [(leaf.shape, leaf.dtype) for leaf in tree.flatten(found)[0] if isinstance(leaf, Array)]


def traced_outcome(function: Callable[..., Any], args: Any, options: dict[str, Any]) -> Any:
    """As `outcome`, with every array of the arguments traced."""
    results: list[Any] = []

    def run(given: Any) -> None:
        results.append(outcome(lambda: called(function, given[0], given[1])))

    leaves, structure = tree.flatten((args, options))
    places = [i for i, leaf in enumerate(leaves) if isinstance(leaf, Array)]

    def main(arrays: list[Any]) -> None:
        given = list(leaves)
        for place, array in zip(places, arrays, strict=True):
            given[place] = array
        run(tree.unflatten(structure, given))

    trace(main, ([leaves[i] for i in places],))
    return results[-1]


def wrong_calls(name: str) -> Iterator[tuple[tuple[Any, ...], dict[str, Any]]]:
    parameters = inspect.signature(FUNCTIONS[name]).parameters.values()
    places = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    args = VALID.get(name, (X,) * max(1, sum(p.default is p.empty for p in places)))
    yield args, {}
    for place in range(len(args)):
        for value in WRONG:
            yield (*args[:place], value, *args[place + 1 :]), {}
    for parameter in parameters:
        if parameter.kind is not parameter.VAR_POSITIONAL and parameter not in places[: len(args)]:
            for value in WRONG:
                yield args, {parameter.name: value}
    for other in (lm.zeros((0, 3)), lm.asarray(1.0), lm.asarray([True]), lm.asarray([[1j]])):
        yield tuple(other if leaf is X else leaf for leaf in args), {}


@pytest.mark.parametrize("name", PUBLIC)
def test_eager_and_traced_fail_alike(name: str) -> None:
    function = FUNCTIONS[name]
    wrong = 0
    for args, options in wrong_calls(name):
        fresh = lm.tree.map_leaves(lambda x: x.copy() if isinstance(x, Array) else x, args)
        eager = outcome(lambda a=args, o=options: called(function, a, o))
        traced = traced_outcome(function, fresh if name in PUT_IN_PLACE else args, options)
        if isinstance(eager, tuple) and eager[0] is not TypeError:
            wrong += 1
            assert __file__ in eager[1], f"{eager[1]}: expected a place"
        if isinstance(eager, tuple) and eager[0] in (IndexRangeError, DomainError):
            continue  # of values, which only a run has
        if isinstance(traced, tuple) and traced[0] is TraceError:
            assert __file__ in traced[1], f"{traced[1]}: expected a place"
            continue  # a value that only a run has, or a function for eager code
        assert traced == eager, (args, options)
    assert wrong >= 5 or name in ("constant", "broadcast_arrays", "result_type", "can_cast")
