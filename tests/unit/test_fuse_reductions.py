"""The reasons of `fuse-reductions`, one for each chunk of its lit file that is refused."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest
from linalg_text import generics_of, lit_functions

import lamina as lm
from lamina.dialects import linalg
from lamina.dialects.generics import is_reduction, maps_of
from lamina.transforms import fuse_reductions
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


def test_a_full_reduction_takes_in_no_shared_value(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fuse_reductions, "FULL", 0)
    function = lit_functions("fuse_reductions")["computes_a_cheap_input_twice"]
    reduction = next(op for op in generics_of(function) if is_reduction(op))
    producer = reduction.inputs[0].owner
    assert isinstance(producer, linalg.GenericOp)
    reason = why_apart(producer, reduction, maps_of(reduction)[0])
    assert reason == "the producer has other readers, and the reduction computes much already"


def test_chains_of_shared_values_take_linear_time() -> None:
    """Each sum reads a value that the next one is made of."""

    def steps(n: int) -> float:
        def chain(x: Any) -> Any:
            for _ in range(n):
                x = x + lm.sum(x)
            return x

        lowered = lm.jit(chain, cache=False).lower(np.ones((4, 8), np.float32))
        start = time.perf_counter()
        lowered.lowering("linalg")
        return time.perf_counter() - start

    steps(2)
    assert steps(80) < 20 * steps(10)  # it was 100 and more
