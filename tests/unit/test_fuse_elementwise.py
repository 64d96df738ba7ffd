"""The reasons of `fuse-elementwise`, from the chunks of its lit file."""

from __future__ import annotations

import pytest
from linalg_text import generics_of, lit_functions

from lamina.dialects.generics import maps_of, space_of
from lamina.transforms.fuse_elementwise import Cluster, why_apart

REASONS = {
    "fuses_a_chain": None,
    "keeps_a_transposed_reader": "it reads its producer at another place than its own",
    "keeps_another_run_time_size": "its space has another size",
    "fuses_run_time_sizes": None,
}


@pytest.mark.parametrize("name", REASONS)
def test_reason(name: str) -> None:
    producer, reader, *_ = generics_of(lit_functions("fuse_elementwise")[name])
    place = list(reader.inputs).index(producer.results[0])
    cluster = Cluster(space_of(producer), 1, [producer])
    assert why_apart(cluster, space_of(reader), maps_of(reader)[place]) == REASONS[name]


def test_merged_clusters_have_one_root() -> None:
    first, second, third = (Cluster((), 1) for _ in range(3))
    second.merged_into, first.merged_into = third, second
    assert first.root() is third
