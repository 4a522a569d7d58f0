"""Frequencies of labels and numbers of overlapping pairs that are known before a sample is drawn, by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import gamma_align as ga
from gamma_align.chance.categorial import prior_by_labels
from gamma_align.chance.other_samplers import SourceDocuments
from gamma_align.chance.priors import _LabelFrequencies, compute_priors, overlap_counts
from gamma_align.measures.gamma.gamma_settings import GammaSettings

RECORDS = [
    ("long", "ann", 0, 4, "x"),
    ("long", "ann", 10, 12, "y"),
    ("long", "bob", 0, 6, "x"),
    ("long", "bob", 20, 24, None),
    ("points", "ann", 1, 1, "x"),
    ("points", "bob", 3, 3, "y"),
    ("points", "cleo", 5, 5, "z"),
    ("short", "ann", 0, 9, "z"),
    ("short", "bob", 1, 9, "z"),
]
EXTENTS = {"long": (0, 32), "points": (0, 10), "short": (0, 10)}
CORPUS = ga.Corpus.from_records(RECORDS, extents=EXTENTS)
ALL = np.arange(3)
ALL_SAMPLED = np.ones(3, dtype=np.bool_)
# Documents and categories: long has x and y, points x, y and z, short z.
DOCUMENT_K, CATEGORY_K = np.array([0, 0, 1, 1, 1, 2]), np.array([0, 1, 0, 1, 2, 2])


def frequencies(**options):
    settings = replace(GammaSettings.of(), **options)
    return _LabelFrequencies.estimate(CORPUS, ALL, DOCUMENT_K, CATEGORY_K, settings, None)


def test_labels_are_as_frequent_as_among_the_units_of_the_document():
    labels = frequencies()
    assert labels.share == pytest.approx([2 / 4, 1 / 4, 1 / 3, 1 / 3, 1 / 3, 1])
    assert labels.same == pytest.approx([4 / 16 + 1 / 16 + 1 / 16, 3 / 9, 1])  # no label is a label, too


def test_pairs_are_those_of_units_of_mean_length_at_uniform_positions():
    # A pair of annotators has 2 · 2 pairs of units, of mean length 4: they overlap in 8 of 32 positions. Three pairs of
    # annotators with one point each hardly ever coincide. Two long units always overlap.
    assert frequencies().pairs == pytest.approx([4 * 8 / 32, 3 * 1e-6, 1.0])


def test_only_annotators_that_are_drawn_from_count():
    labels = frequencies(chance_from=("ann",))
    assert labels.share == pytest.approx([1 / 2, 1 / 2, 1, 0, 0, 1])
    assert labels.same == pytest.approx([1 / 2, 1, 1])
    assert labels.pairs == pytest.approx([4 * 6 / 32, 3e-6, 1.0])


def test_labels_of_units_from_other_documents_are_as_frequent_as_there():
    source = SourceDocuments(CORPUS, ())
    labels = _LabelFrequencies.estimate(CORPUS, ALL, DOCUMENT_K, CATEGORY_K, GammaSettings.of(), source)
    assert labels.share == pytest.approx(np.array([3, 2, 3, 2, 3, 3]) / 9)  # x 3, y 2, z 3 and one without a label
    assert labels.same == pytest.approx((9 + 4 + 9 + 1) / 81)


def test_priors_of_documents_and_categories_have_these_frequencies():
    settings = GammaSettings.of()
    priors = compute_priors(CORPUS, ALL, ALL_SAMPLED, np.zeros(3, dtype=np.bool_), settings, None)
    assert priors.document_k.tolist() == DOCUMENT_K.tolist()
    assert priors.category_k.tolist() == CATEGORY_K.tolist()
    assert priors.documents.mean == pytest.approx([1 - 6 / 16, 2 / 3, 0])
    share = frequencies().share
    assert priors.categories.mean == pytest.approx(1 - share / (2 - share))
    assert np.isnan(priors.documents.count).all()


@pytest.mark.parametrize("labels", ["xxx", "xyz", None])
@pytest.mark.parametrize("chance_from", [(), ("ann",)])
def test_priors_of_documents_of_one_label_are_those_of_its_frequency(labels, chance_from):
    label_of = dict(zip(EXTENTS, labels or [None] * 3, strict=True))
    corpus = ga.Corpus.from_records([(*row[:4], label_of[row[0]]) for row in RECORDS], extents=EXTENTS)
    settings = replace(GammaSettings.of(), chance_from=chance_from)
    priors = compute_priors(corpus, ALL, ALL_SAMPLED, ALL_SAMPLED, settings, None)
    document_k = ALL if labels else np.zeros(0, dtype=np.int64)
    found = _LabelFrequencies.estimate(corpus, ALL, document_k, priors.category_k, settings, None)
    expected = prior_by_labels(found.same, found.pairs, empty_is_one=False, control=True)
    for name in ("count", "mean", "variance", "status"):
        assert getattr(priors.documents, name) == pytest.approx(getattr(expected, name), nan_ok=True)
        assert getattr(priors.categories, name) == pytest.approx(getattr(expected, name)[document_k], nan_ok=True)


def test_documents_of_one_label_have_overlaps_if_samples_without_them_count():
    corpus = ga.Corpus.from_records([(*row[:4], "x") for row in RECORDS], extents=EXTENTS)
    settings = GammaSettings.of(empty_samples="one")
    assert np.isfinite(compute_priors(corpus, ALL, ALL_SAMPLED, ALL_SAMPLED, settings, None).documents.count).all()


def test_overlaps_are_computed_for_documents_with_a_weight_and_several_labels():
    settings = GammaSettings.of()
    priors = compute_priors(CORPUS, ALL, ALL_SAMPLED, np.array([True, False, True]), settings, None)
    counts = overlap_counts(CORPUS, ALL, settings)
    assert np.isfinite(counts).all()
    assert priors.documents.count == pytest.approx([counts[0], np.nan, np.nan], nan_ok=True)
    some = compute_priors(CORPUS, np.array([1, 2]), ALL_SAMPLED[1:], np.array([True, True]), settings, None)
    assert some.document_k.tolist() == [0, 0, 0, 1]
    assert some.documents.count == pytest.approx([counts[1], np.nan], nan_ok=True)
