"""Whatever is given to a public function, only a `LaminaError` comes back."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest

import lamina as lm
from lamina.errors import LaminaError
from lamina.frontend.dispatch import FUNCTIONS

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
