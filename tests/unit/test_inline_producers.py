"""The reasons of `inline-producers`, one for each chunk of its lit file that is refused."""

from __future__ import annotations

import pytest
from linalg_text import generics_of, lit_functions

from lamina.dialects import linalg
from lamina.transforms import inline_producers
from lamina.transforms.inline_producers import why_apart

REASONS = {
    "computes_what_stood_apart": {None, "one of the two is not elementwise"},
    "computes_twice": {None},
    "keeps_an_expensive_shared_value": {"the producer has other readers and is not cheap"},
    "keeps_a_returned_value": {None, "one of the two is not elementwise"},
    "computes_a_transposed_read": {None},
    "keeps_a_broadcast_value": {"the producer is read at one place several times"},
    "keeps_a_producer_of_two": {"the producer has several results"},
    "keeps_numbered_places": {"the producer's places are numbered otherwise"},
    "computes_odd_sizes": {None},
    "computes_rank_zero": {None},
    "keeps_a_value_from_outside": {"one of the two is in a loop or branch of its own"},
}


@pytest.mark.parametrize("name", REASONS)
def test_reason(name: str) -> None:
    found: set[str | None] = set()
    for op in generics_of(lit_functions("inline_producers")[name]):
        for value in op.inputs:
            if isinstance(value.owner, linalg.GenericOp):
                found.add(why_apart(value.owner, op))
        for result in op.results:
            for use in result.uses:
                if not isinstance(use.operation, linalg.GenericOp):
                    found.add(why_apart(op, use.operation))
    assert found - {"one of the two is not elementwise"} == REASONS[name] - {
        "one of the two is not elementwise"
    }
    assert REASONS[name] <= found


@pytest.mark.parametrize(
    ("bound", "reason"),
    [
        ("MOST_OPS", "the producer is too long"),
        ("MOST_INPUTS", "together they would read too many tensors"),
    ],
)
def test_bounds(bound: str, reason: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inline_producers, bound, 1)
    producer, reader = generics_of(lit_functions("inline_producers")["computes_odd_sizes"])
    assert why_apart(producer, reader) == reason
