"""Moments of the categorial disorders of samples that are known before one is drawn: see `categorial`."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from gamma_align.columns import BoolArray, FloatArray, IntArray
from gamma_align.data.corpus import Corpus
from gamma_align.measures.gamma.categorial import CONSTANT, Priors, prior_by_labels
from gamma_align.measures.gamma.gamma_settings import GammaSettings
from gamma_align.measures.gamma.other_samplers import SourceDocuments, shift_sampler
from gamma_align.measures.gamma.overlaps import ExpectedOverlaps, can_compute_overlaps, expected_overlaps
from gamma_align.measures.gamma.sampler import drawn_annotators

_MEETING_MIN = 1e-6  # chance of two units to overlap, if units have no length


def priors_of(
    corpus: Corpus,
    measurable: IntArray,
    counted: BoolArray,
    settings: GammaSettings,
    source: SourceDocuments | None,
) -> Priors:
    """Return the priors of the measurable documents, numbered from 0, and of the categories of their units.

    Overlaps are computed for documents that are `counted` and have several labels. `source` is of the whole corpus if
    samples are made of that.
    """
    document_k, category_k = _categories_present(corpus, measurable)
    labels = _Labels.of(corpus, measurable, document_k, category_k, settings, source)
    options = {"empty_is_one": settings.empty_samples == "one", "control": settings.rule.control != "none"}
    documents = prior_by_labels(labels.same, labels.pairs, **options)
    share = labels.share
    with_category = labels.pairs[document_k] * share * (2.0 - share)
    categories = prior_by_labels(share / (2.0 - share), with_category, **options)
    priors = Priors(documents, document_k, category_k, categories)
    if not can_compute_overlaps(settings):
        return priors
    # A document of one label has an expected disorder of 0: overlaps would only tell whether its units can meet.
    needed = np.flatnonzero(counted & (documents.status != CONSTANT))
    return _with_overlaps(priors, corpus, measurable, needed, settings)


def overlap_counts(corpus: Corpus, documents: IntArray, settings: GammaSettings) -> FloatArray:
    """Return K of these documents, NaN if it is not computed."""
    if not can_compute_overlaps(settings):
        return np.full(len(documents), np.nan)
    return _overlaps(corpus, documents, settings).documents.count


def _with_overlaps(
    priors: Priors, corpus: Corpus, measurable: IntArray, needed: IntArray, settings: GammaSettings
) -> Priors:
    """Return the priors with K, m and v of these documents, where they can be computed."""
    overlaps = _overlaps(corpus, measurable[needed], settings)
    computed = np.flatnonzero(overlaps.computed)
    documents = priors.documents.updated(needed[computed], overlaps.documents, computed)
    width = int(corpus.category.max(initial=0)) + 1
    keys = priors.document_k * width + priors.category_k
    entry = np.searchsorted(keys, needed[overlaps.document_k] * width + overlaps.category_k)
    known = np.flatnonzero(overlaps.computed[overlaps.document_k])
    categories = priors.categories.updated(entry[known], overlaps.categories, known)
    return replace(priors, documents=documents, categories=categories)


def _overlaps(corpus: Corpus, documents: IntArray, settings: GammaSettings) -> ExpectedOverlaps:
    """Return the expected overlaps in samples of these documents."""
    dissimilarity = settings.dissimilarity.bind(corpus.categories)
    sampler = shift_sampler(corpus, settings)
    return expected_overlaps(corpus, sampler, documents, dissimilarity, settings.confidence)


def _categories_present(corpus: Corpus, measurable: IntArray) -> tuple[IntArray, IntArray]:
    """Return (document, category) of the categories of each document's units, without "none", sorted."""
    width = int(corpus.category.max(initial=0)) + 1
    number = np.full(len(corpus), -1)
    number[measurable] = np.arange(len(measurable))
    document = number[corpus.unit_document]
    counted = (corpus.category >= 0) & (document >= 0)
    keys = np.unique(document[counted] * width + corpus.category[counted])
    return keys // width, keys % width


class _Labels(NamedTuple):
    """Frequencies of labels among the units that samples are made of.

    `same` is Σ f² over the labels of each document, `share` is f of each of its categories, and `pairs` about the
    number of pairs of units that overlap in a sample of a document: as if units of mean length were spread evenly.
    """

    same: FloatArray
    share: FloatArray
    pairs: FloatArray

    @classmethod
    def of(
        cls,
        corpus: Corpus,
        measurable: IntArray,
        document_k: IntArray,
        category_k: IntArray,
        settings: GammaSettings,
        source: SourceDocuments | None,
    ) -> _Labels:
        """Return those of measurable documents; of the whole corpus, where samples are made of that."""
        annotators = drawn_annotators(corpus, settings.chance_from)
        drawn = annotators[corpus.unit_seen]
        document, label = corpus.unit_document[drawn], corpus.category[drawn] + 1  # "none" is a label, too
        units = np.maximum(np.bincount(document, minlength=len(corpus)), 1).astype(np.float64)
        width = int(corpus.category.max(initial=0)) + 2
        keys, counts = np.unique(document * width + label, return_counts=True)
        squares = (counts / units[keys // width]) ** 2
        same = np.bincount(keys // width, weights=squares, minlength=len(corpus)).astype(np.float64)
        sought = measurable[document_k] * width + category_k + 1
        entry = np.searchsorted(keys, sought)
        found = np.append(keys, -1)[entry] == sought
        share = np.where(found, np.append(counts, 0)[entry], 0) / units[measurable[document_k]]
        if source is not None:
            share_of_all = np.bincount(source.slots.category + 1, minlength=width) / len(source.slots.category)
            same = np.full(len(corpus), float(np.square(share_of_all).sum()))
            share = share_of_all[category_k + 1]
        choices = np.maximum(np.bincount(corpus.seen_document[annotators], minlength=len(corpus)), 1)
        pairs_of_rows = corpus.n_annotators * (corpus.n_annotators - 1.0) / 2.0
        pairs = pairs_of_rows * (units / choices) ** 2 * _meeting(corpus, drawn, units)
        return cls(same[measurable], share, pairs[measurable])


def _meeting(corpus: Corpus, drawn: BoolArray, units: FloatArray) -> FloatArray:
    """Return about the chance of two units of mean length to overlap in each document."""
    length = np.bincount(corpus.unit_document[drawn], (corpus.end - corpus.start)[drawn], len(corpus)) / units
    span = corpus.extents[:, 1] - corpus.extents[:, 0]
    chance = np.divide(2.0 * length, span, out=np.ones(len(corpus)), where=2.0 * length < span)
    # Units of length 0 meet if they coincide, which is hardly ever the case, but possible.
    return np.maximum(chance, _MEETING_MIN)
