"""Trees: flatten, unflatten, paths, registration."""

# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportPrivateUsage=false

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import pytest

import lamina as lm


class Pair(NamedTuple):
    first: Any
    second: Any


@dataclass(frozen=True)
class Frozen:
    w: Any
    b: Any = None


class Plain:
    def __init__(self, w: Any) -> None:
        self.w = w


@lm.tree.register
class Registered:
    def __init__(self, w: Any) -> None:
        self.w = w


class Custom:
    def __init__(self, data: Any, name: str) -> None:
        self.data = data
        self.name = name


lm.tree.register(
    Custom,
    flatten=lambda x: ({"data": x.data}, x.name),
    unflatten=lambda name, children: Custom(children["data"], name),
)


@pytest.mark.parametrize(
    ("value", "leaves", "paths"),
    [
        (3, [3], [""]),
        (None, [], []),
        ([1, (2, 3)], [1, 2, 3], ["0", "1/0", "1/1"]),
        ({"b": 1, "a": {"c": 2}}, [1, 2], ["b", "a/c"]),
        (Pair(1, [2]), [1, 2], ["first", "second/0"]),
        (Frozen(1, {"x": 2}), [1, 2], ["w", "b/x"]),
        (Frozen(1), [1], ["w"]),
        ({}, [], []),
        ({1: "a"}, ["a"], ["1"]),
    ],
)
def test_round_trip(value: Any, leaves: list[Any], paths: list[str]) -> None:
    found, structure = lm.tree.flatten(value)
    assert found == leaves
    assert lm.tree.paths(structure) == paths
    assert structure.leaves == len(leaves)
    back = lm.tree.unflatten(structure, found)
    assert back == value
    assert type(back) is type(value)


def test_registered_classes() -> None:
    leaves, structure = lm.tree.flatten(Registered([1, 2]))
    assert leaves == [1, 2]
    back = lm.tree.unflatten(structure, [5, 6])
    assert isinstance(back, Registered)
    assert back.w == [5, 6]
    leaves, structure = lm.tree.flatten(Custom(1, "n"))
    assert leaves == [1]
    assert lm.tree.unflatten(structure, [2]).name == "n"
    assert structure != lm.tree.flatten(Custom(1, "other"))[1]


def test_other_classes_are_leaves() -> None:
    value = Plain(1)
    assert lm.tree.flatten([value])[0] == [value]
    assert lm.tree.flatten({1, 2})[0] == [{1, 2}]


def test_structures_compare() -> None:
    first = lm.tree.flatten({"a": 1, "b": (2,)})[1]
    assert first == lm.tree.flatten({"a": 9, "b": (8,)})[1]
    assert hash(first) == hash(lm.tree.flatten({"a": 9, "b": (8,)})[1])
    assert first != lm.tree.flatten({"a": 1, "b": [2]})[1]
    assert first != lm.tree.flatten({"a": 1, "c": (2,)})[1]


def test_wrong_numbers_of_leaves() -> None:
    structure = lm.tree.flatten([1, 2])[1]
    with pytest.raises(lm.ArgumentError, match="too few"):
        lm.tree.unflatten(structure, [1])
    with pytest.raises(lm.ArgumentError, match="expected 2 leaves, found more"):
        lm.tree.unflatten(structure, [1, 2, 3])
    with pytest.raises(lm.ArgumentError, match="equal structure"):
        lm.tree.map_leaves(lambda x, y: x, [1], (1,))
    with pytest.raises(lm.ArgumentError, match="together"):
        lm.tree.register(Plain, flatten=lambda x: ({}, None))
