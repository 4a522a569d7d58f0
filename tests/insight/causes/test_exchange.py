"""The evidence that hits are an annotator's, against exchanged roles: bounds, one hit a document, and exact chance."""

import itertools
import math
from types import SimpleNamespace

import numpy as np
import pytest

import gamma_align as ga
from gamma_align.insight.causes.evidence import binomial_evidence
from gamma_align.insight.causes.exchange import exchange_evidence, may_be_exchanged


def first_of(counts):
    """Return the arguments for the first annotator of a table of hits, (documents, annotators)."""
    n_documents, width = counts.shape
    view = SimpleNamespace(
        corpus=range(n_documents),
        n_annotators=width,
        document_size=np.full(n_documents, width),
        has_seen=lambda _annotator: np.ones(n_documents, dtype=bool),
    )
    document, annotator = (np.repeat(index.ravel(), counts.ravel()) for index in np.indices(counts.shape))
    return view, 0, annotator, document


def evidence(counts):
    """Return the evidence for the first annotator."""
    return exchange_evidence(*first_of(counts))


@pytest.mark.parametrize("n_documents", [1, 2, 3])
def test_in_few_documents_a_pattern_of_one_in_all_of_them_is_a_fact(n_documents):
    counts = np.zeros((n_documents, 3), dtype=int)
    counts[:, 0] = 40
    counts[:, 1] = 3
    assert not may_be_exchanged(*first_of(counts), 4.0)
    counts[0] = counts[0, ::-1]  # in one document it is somebody else
    assert may_be_exchanged(*first_of(counts), 4.0)


def test_in_many_documents_two_with_the_pattern_are_not_enough():
    counts = np.zeros((20, 3), dtype=int)
    counts[:2, 0] = 40
    assert may_be_exchanged(*first_of(counts), 3.0)


@pytest.mark.parametrize(("n_documents", "width"), [(1, 3), (2, 4), (5, 2), (12, 6)])
def test_the_number_of_documents_limits_the_evidence(n_documents, width):
    counts = np.zeros((n_documents, width), dtype=int)
    counts[:, 0] = 1000
    assert evidence(counts) == pytest.approx((n_documents - 1) * math.log(width))


def test_of_one_hit_in_each_document_it_is_the_binomial_evidence():
    counts = np.zeros((20, 4), dtype=int)
    counts[np.arange(20), np.array([0] * 13 + [1] * 4 + [3] * 3)] = 1
    assert evidence(counts) == pytest.approx(float(binomial_evidence(13, 20, 1 / 4)) - math.log(4))


def test_nobody_has_more_if_all_have_as_many():
    assert evidence(np.full((8, 3), 5)) == pytest.approx(-math.log(3))


def test_exchanged_roles_reach_it_no_more_often_than_it_says():
    counts = np.array([[9, 1, 0], [4, 2, 0], [7, 0, 1], [3, 3, 1], [6, 5, 0]])
    reached = evidence(counts)
    exchanges = [
        evidence(np.array([np.roll(row, -first) for row, first in zip(counts, roles, strict=True)]))
        for roles in itertools.product(range(3), repeat=len(counts))
    ]
    share = np.mean(np.array(exchanges) >= reached - 1e-9)
    # One of three annotators reaches it: the price of choosing is in it.
    assert share * 3 <= math.exp(-reached)


def test_one_document_with_many_hits_does_not_outweigh_all_others():
    counts = np.vstack([np.tile([40, 10, 5], (11, 1)), [35, 51, 113]])
    assert evidence(counts) > 4


def test_labels_of_two_annotators_that_are_exchanged_are_nobodys():
    """In a crowd, two people who name the same parts A and B and B and A: either may have exchanged them."""
    rows = {"document": [], "annotator": [], "start": [], "end": [], "category": []}
    for document in range(24):
        people = [("ann", "ben"), ("ann", "cat"), ("ben", "cat")][document % 3]
        for person in people:
            is_swapped = document < 12 and person == people[1]
            for place in range(8):
                label = "AB"[place % 2 ^ is_swapped] if place < 7 else "C"
                values = (f"song_{document:02}", person, 10 * place, 10 * place + 8, label)
                for name, value in zip(rows, values, strict=True):
                    rows[name].append(value)
    first = ga.disagreements(ga.Corpus.from_columns(rows), samples=3).to_settle[0]
    assert (first.kind, first.annotator, set(first.labels), len(first.documents)) == ("swap", None, {"A", "B"}, 12)
    assert first.title == "Two annotators have A and B the other way round in 12 of 24 documents"
