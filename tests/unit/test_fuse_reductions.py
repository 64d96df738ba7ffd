"""The reasons of `fuse-reductions`, one for each chunk of its lit file that is refused."""

from __future__ import annotations

import pytest
from linalg_text import generics_of, lit_functions

from lamina.dialects import linalg
from lamina.dialects.generics import is_reduction, maps_of
from lamina.transforms.fuse_reductions import why_apart

FLAT = "the reduced axes would not be one flat axis"
REASONS = {
    "computes_its_input": None,
    "computes_a_cheap_input_twice": None,
    "keeps_an_expensive_shared_input": "the producer has other readers and is not cheap",
    "keeps_a_sum_of_sums": "the producer is not elementwise",
    "keeps_a_producer_of_two": "the producer has several results",
    "keeps_a_transposed_read": "the producer is read at another place",
    "keeps_the_order_of_a_flat_sum": FLAT,
    "keeps_the_order_of_parts": FLAT,
    "keeps_a_lookup": "the producer reads a computed place",
    "two_results_of_odd_sizes": None,
}


@pytest.mark.parametrize("name", REASONS)
def test_reason(name: str) -> None:
    found: set[str | None] = set()
    for op in generics_of(lit_functions("fuse_reductions")[name]):
        if not is_reduction(op):
            continue
        for value, affine_map in zip(op.inputs, maps_of(op), strict=False):
            if isinstance(value.owner, linalg.GenericOp):
                found.add(why_apart(value.owner, op, affine_map))
    assert found == {REASONS[name]}
