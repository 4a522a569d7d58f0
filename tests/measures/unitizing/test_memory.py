"""The memory of the uα family: two annotators have no more pairs of units that intersect than they have units."""

from __future__ import annotations

import re
import tracemalloc

import numpy as np
import pytest

import gamma_align as ga
from gamma_align.errors import OutOfMemoryError
from gamma_align.measures.unitizing import coincidences


def overlapping(n_annotators, n_units, n_categories=3, document="long"):
    """Return units each of which overlaps units of all other annotators."""
    label = np.random.default_rng(0).integers(n_categories, size=(n_annotators, n_units)).tolist()
    return [
        (document, f"a{row}", 4.0 * at + row % 4, 4.0 * at + row % 4 + 3.0, f"c{label[row][at]}")
        for row in range(n_annotators)
        for at in range(n_units)
    ]


def peak(function, *arguments):
    """Return the peak of the memory that a function allocates, in bytes."""
    tracemalloc.start()
    function(*arguments)
    size = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return size


@pytest.mark.parametrize("function", [ga.unitizing_alpha, ga.unitizing_alpha_2004])
def test_memory_grows_with_the_units_not_with_their_pairs(function):
    few, many = (ga.Corpus.from_records(overlapping(2, n_units)) for n_units in (2_000, 16_000))
    function(few)  # imports what it needs
    assert peak(function, many) < 10 * peak(function, few)  # of 8 times the units and 64 times the pairs


def test_memory_does_not_hold_the_terms_of_all_pairs_of_annotators(monkeypatch):
    corpus = ga.Corpus.from_records(overlapping(60, 60))
    ga.unitizing_alpha(corpus)
    at_once = peak(ga.unitizing_alpha, corpus)
    result = ga.unitizing_alpha(corpus)
    monkeypatch.setattr(coincidences, "_MAX_PENDING_TERMS", 10_000)
    assert peak(ga.unitizing_alpha, corpus) < 0.7 * at_once
    assert ga.unitizing_alpha(corpus) == result


@pytest.mark.parametrize("overlap", ["refuse", "layers"])
def test_values_do_not_depend_on_when_terms_are_added_up(monkeypatch, overlap):
    records = [*overlapping(7, 30, 5, "one"), *overlapping(3, 40, 9, "two")]
    result = ga.unitizing_alpha(records, overlap=overlap)
    monkeypatch.setattr(coincidences, "_MAX_PENDING_TERMS", 1)
    assert ga.unitizing_alpha(records, overlap=overlap) == result


def test_values_of_many_pairs_of_categories_are_computed_a_few_parts_at_a_time(monkeypatch):
    records = overlapping(4, 100, 400)
    ga.unitizing_alpha(records)
    monkeypatch.setattr(coincidences, "_CHUNK_CELLS", 10_000)
    in_chunks, result = peak(ga.unitizing_alpha, records), ga.unitizing_alpha(records)
    monkeypatch.setattr(coincidences, "_CHUNK_CELLS", 10**9)
    assert in_chunks < 0.3 * peak(ga.unitizing_alpha, records)
    assert ga.unitizing_alpha(records) == result


def test_a_document_whose_sums_take_more_memory_than_there_is_is_named(monkeypatch):
    monkeypatch.setattr(coincidences, "available_memory", lambda: 50_000)
    monkeypatch.setattr(coincidences, "_MAX_PENDING_TERMS", 100)
    records = [*overlapping(2, 4, document="short"), *overlapping(4, 100, 400)]
    with pytest.raises(OutOfMemoryError, match=r"document 'long': .* sums take .* GiB of memory") as caught:
        ga.unitizing_alpha(records)
    assert "leave out annotators or use fewer categories" in str(caught.value)


def test_memory_that_is_needed_and_free_is_named_in_gibibytes(monkeypatch):
    monkeypatch.setattr(coincidences, "available_memory", lambda: 3 << 29)
    monkeypatch.setattr(coincidences, "_TERM_BYTES", 1 << 29)
    monkeypatch.setattr(coincidences, "_MAX_PENDING_TERMS", 3)
    with pytest.raises(OutOfMemoryError) as caught:
        ga.unitizing_alpha(overlapping(2, 4))
    n_terms = int(re.search(r"intersect: (\d+) sums", str(caught.value)).group(1))
    assert n_terms > 3
    assert f"{n_terms / 2:.1f} GiB of memory, and 1.5 GiB are free" in str(caught.value)
