"""Moments of the categorial disorders of samples that are known before one is drawn: see `categorial`."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from gamma_align.chance.categorial import Prior, Priors, prior_by_labels
from gamma_align.chance.chance_settings import ChanceSettings
from gamma_align.chance.estimate import CONSTANT
from gamma_align.chance.other_samplers import SourceDocuments, shift_sampler
from gamma_align.chance.overlaps import ExpectedOverlaps, can_compute_overlaps, expected_overlaps
from gamma_align.chance.sampler import ShiftSampler, can_be_drawn
from gamma_align.columns import UNLABELLED, BoolArray, FloatArray, IntArray, distinct, grouped_sums
from gamma_align.data import Corpus

_BLOCK_DOCUMENTS = 10_000  # whose overlaps are computed at a time, which bounds the memory of their sampler
_MIN_OVERLAP_CHANCE = 1e-6  # of two units without length


def compute_priors(
    corpus: Corpus,
    measurable: IntArray,
    is_sampled: BoolArray,
    has_weight: BoolArray,
    settings: ChanceSettings,
    source: SourceDocuments | None,
    sampler: ShiftSampler | None = None,
) -> Priors:
    """Return the priors of the measurable documents, numbered from 0, and of the categories of their units.

    The priors of documents without samples are not needed, and may be 0. Overlaps are computed for documents that have
    samples, a weight and several labels. If samples are made of units of other documents, `source` contains the
    documents of the whole corpus. `sampler` is the shift sampler of the corpus, if there is one already.
    """
    document_k, category_k = _categories_present(corpus, measurable)
    options = {"empty_is_one": settings.empty_samples == "one", "control": settings.rule.control != "none"}
    if not is_sampled.any():
        blank, blank_k = (Prior.blank(n, **options) for n in (len(measurable), len(document_k)))
        return Priors(blank, document_k, category_k, blank_k)
    can_compute = can_compute_overlaps(settings)
    overlaps = None
    has_labels = np.bincount(document_k, minlength=len(measurable)) > 1
    # With `chance_from`, a document may have categories whose units are not drawn.
    if can_compute and not settings.chance_from and (is_sampled & has_weight & has_labels).all():
        overlaps = _overlaps(corpus, measurable, settings, sampler)
        if overlaps.computed.all():
            moments = overlaps.documents, overlaps.categories
            prior, prior_k = (Prior(*columns, options["empty_is_one"], options["control"]) for columns in moments)
            return Priors(prior, document_k, category_k, prior_k)
    n_unlabelled = np.count_nonzero(corpus.category == UNLABELLED)
    has_one_label = not has_labels.any() and n_unlabelled in (0, len(corpus.category))
    if has_one_label and source is None and settings.empty_samples != "one":
        one_label, one_label_k = (Prior.with_one_label(n, **options) for n in (len(measurable), len(document_k)))
        return Priors(one_label, document_k, category_k, one_label_k)
    labels = _LabelFrequencies.estimate(corpus, measurable, document_k, category_k, settings, source)
    documents = prior_by_labels(labels.same, labels.pairs, **options)
    share = labels.share
    with_category = labels.pairs[document_k] * share * (2.0 - share)
    categories = prior_by_labels(share / (2.0 - share), with_category, **options)
    priors = Priors(documents, document_k, category_k, categories)
    if not can_compute:
        return priors
    # A document of one label has an expected disorder of 0: overlaps would only show whether its units can overlap.
    needed = (is_sampled & has_weight & (documents.status != CONSTANT)).nonzero()[0]
    if not len(needed):
        return priors
    if overlaps is None or len(needed) < len(measurable):
        overlaps = _overlaps(corpus, measurable[needed], settings, sampler)
    return _with_overlaps(priors, overlaps, needed)


def overlap_counts(corpus: Corpus, documents: IntArray, settings: ChanceSettings) -> FloatArray:
    """Return K of these documents, which are in order, NaN if it is not computed."""
    if not can_compute_overlaps(settings):
        return np.full(len(documents), np.nan)
    counts = []
    for first in range(0, len(corpus), _BLOCK_DOCUMENTS):
        last = min(first + _BLOCK_DOCUMENTS, len(corpus))
        inside = documents[slice(*documents.searchsorted([first, last]))] - first
        if len(inside):
            counts.append(_overlaps(corpus.documents_between(first, last), inside, settings).documents.count)
    return np.concatenate(counts)


def _with_overlaps(priors: Priors, overlaps: ExpectedOverlaps, needed: IntArray) -> Priors:
    """Return the priors with K, m and v of the documents that were needed, if they are computed."""
    rows = overlaps.computed.nonzero()[0]
    documents = priors.documents.update(needed[rows], overlaps.documents, rows)
    width = int(priors.category_k.max(initial=0)) + 1
    keys = priors.document_k * width + priors.category_k
    entry = keys.searchsorted(needed[overlaps.document_k] * width + overlaps.category_k)
    rows_k = overlaps.computed[overlaps.document_k].nonzero()[0]
    categories = priors.categories.update(entry[rows_k], overlaps.categories, rows_k)
    return replace(priors, documents=documents, categories=categories)


def _overlaps(
    corpus: Corpus, documents: IntArray, settings: ChanceSettings, sampler: ShiftSampler | None = None
) -> ExpectedOverlaps:
    """Return the expected overlaps in samples of these documents."""
    sampler = shift_sampler(corpus, settings) if sampler is None else sampler
    return expected_overlaps(corpus, sampler, documents, settings.dissimilarity, settings.confidence)


def _categories_present(corpus: Corpus, measurable: IntArray) -> tuple[IntArray, IntArray]:
    """Return (document, category) of the categories of each document's units, without "none", sorted."""
    width = int(corpus.category.max(initial=0)) + 1
    index = np.full(len(corpus), -1)
    index[measurable] = np.arange(len(measurable))
    document = index[corpus.unit_document]
    is_counted = (corpus.category >= 0) & (document >= 0)
    keys = distinct(document[is_counted] * width + corpus.category[is_counted])
    return keys // width, keys % width


class _LabelFrequencies(NamedTuple):
    """Frequencies of labels among the units that samples are made of.

    `same` is Σ f² over the labels of each document, `share` is f of each of its categories, and `pairs` the approximate
    number of pairs of units that overlap in a sample of a document, for units of mean length at uniform positions.
    """

    same: FloatArray
    share: FloatArray
    pairs: FloatArray

    @classmethod
    def estimate(
        cls,
        corpus: Corpus,
        measurable: IntArray,
        document_k: IntArray,
        category_k: IntArray,
        settings: ChanceSettings,
        source: SourceDocuments | None,
    ) -> _LabelFrequencies:
        """Return the frequencies in the measurable documents, or in `source` if samples are made of its units."""
        is_drawn = can_be_drawn(corpus, settings.chance_from)
        is_drawn_unit = is_drawn[corpus.unit_seen]
        # "none" is a label, too
        document = corpus.unit_document[is_drawn_unit]
        label = corpus.category[is_drawn_unit] + 1
        units = np.maximum(np.bincount(document, minlength=len(corpus)), 1).astype(np.float64)
        width = int(corpus.category.max(initial=0)) + 2
        keys, counts = np.unique(document * width + label, return_counts=True)
        squares = (counts / units[keys // width]) ** 2
        same = grouped_sums(keys // width, squares, len(corpus))
        key_k = measurable[document_k] * width + category_k + 1
        entry = keys.searchsorted(key_k)
        is_present = np.append(keys, -1)[entry] == key_k
        share = np.where(is_present, np.append(counts, 0)[entry], 0) / units[measurable[document_k]]
        if source is not None:
            source_share = np.bincount(source.slots.category + 1, minlength=width) / max(len(source.slots.category), 1)
            same = np.full(len(corpus), float(np.square(source_share).sum()))
            share = source_share[category_k + 1]
        choices = np.maximum(np.bincount(corpus.seen_document[is_drawn], minlength=len(corpus)), 1)
        row_pairs = corpus.n_annotators * (corpus.n_annotators - 1.0) / 2.0
        lengths = (corpus.end - corpus.start)[is_drawn_unit]
        pairs = row_pairs * (units / choices) ** 2 * _overlap_chance(corpus, document, lengths, units)
        return cls(same[measurable], share, pairs[measurable])


def _overlap_chance(corpus: Corpus, document: IntArray, lengths: FloatArray, units: FloatArray) -> FloatArray:
    """Return the approximate chance of two units of mean length to overlap in each document.

    Samples are made of units with this `document` and these `lengths`; `units` is their number in each document.
    """
    mean_length = np.bincount(document, lengths, len(corpus)) / units
    span = corpus.extents[:, 1] - corpus.extents[:, 0]
    chance = np.divide(2.0 * mean_length, span, out=np.ones(len(corpus)), where=2.0 * mean_length < span)
    # Units of length 0 overlap if they coincide, which is hardly ever the case, but possible.
    return np.maximum(chance, _MIN_OVERLAP_CHANCE)
