"""Shift samples and documents that one kernel aligns and sums (`kernels.align_shifted`).

Most samples of small documents consist of a few components of near units whose alignments can all be listed, and those
of two annotators are matchings. The kernel takes a microsecond for them instead of a chain of NumPy calls. It computes
the same bits. A sample whose best alignment is not clear to it is left to the solver.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gamma_align import kernels
from gamma_align.alignment import KERNELS, PARTITION
from gamma_align.chance.aligned_sums import Statistics, position_factor
from gamma_align.chance.chance_settings import ChanceSettings
from gamma_align.chance.sampler import ShiftSampler
from gamma_align.columns import BoolArray, FloatArray, IntArray
from gamma_align.data import Corpus
from gamma_align.distances import Dissimilarity

DOCUMENT = -1  # number of the sample that is the document itself
_N_ROWS_OF_MATCHING = 2
# With more annotators, components of more than a few units are frequent, and left to the solver.
_MAX_UNITS_PER_ANNOTATOR = 3
_MAX_UNITS = 40
_MAX_LABELS = 100  # of a document: its table of distances has as many rows and columns


class ShiftedSamples(NamedTuple):
    """Sums of samples of which the kernel knows the best alignment.

    `sample`, shape (n,), are their indices among all samples that were asked for. Other columns of this shape are δ,
    Σ weight and Σ weight·d_cat/Δ over aligned pairs, the number of overlapping pairs and Σ d_cat/Δ over them, and the
    numbers of unitary alignments, of aligned pairs, and of aligned pairs with a weight (`pairs`). Columns named …_k
    have `counts_k` rows for each sample, one for each category, which are sorted.
    """

    sample: IntArray
    disorder: FloatArray
    weight: FloatArray
    distance: FloatArray
    overlaps: FloatArray
    overlap_distance: FloatArray
    alignments: IntArray
    aligned: IntArray
    pairs: IntArray
    counts_k: IntArray
    category_k: IntArray
    weight_k: FloatArray
    distance_k: FloatArray
    pairs_k: IntArray
    overlaps_k: FloatArray
    overlap_distance_k: FloatArray


def suitable_documents(corpus: Corpus, settings: ChanceSettings) -> BoolArray:
    """Return the documents whose samples the kernel is likely to know."""
    is_possible = (
        kernels.kind() == kernels.COMPILED
        and settings.sampler == "shift"
        and settings.limits.solver == KERNELS
        and settings.alignment == PARTITION
        and type(settings.dissimilarity) is Dissimilarity
    )
    if not is_possible:
        return np.zeros(len(corpus), dtype=np.bool_)
    is_small = corpus.units_per_document <= max_kernel_units(corpus.n_annotators)
    is_suitable: BoolArray = (corpus.n_annotators == _N_ROWS_OF_MATCHING) | is_small
    return is_suitable


def max_kernel_units(n_annotators: IntArray) -> IntArray:
    """Return the number of units up to which the kernel is likely to know the samples of more than two annotators."""
    return np.minimum(_MAX_UNITS_PER_ANNOTATOR * n_annotators, _MAX_UNITS)


def align_shifted(
    sampler: ShiftSampler,
    categories: tuple[str, ...],
    settings: ChanceSettings,
    document: IntArray,
    number: IntArray,
    count_overlaps: BoolArray,
) -> ShiftedSamples:
    """Draw samples, given the document and number of each, and return the sums of samples with a clear alignment.

    The sampler is of a corpus with these `categories`. Overlapping pairs are counted if `count_overlaps`.
    """
    dissimilarity = settings.dissimilarity.bind(categories)
    labels = sampler.slots.labels(settings.dissimilarity, categories)
    sample = (labels.n_labels[document] <= _MAX_LABELS).nonzero()[0]
    is_clear, sums, counts, counts_k, label_k, sums_k = kernels.align_shifted(
        document[sample],
        number[sample],
        count_overlaps[sample].astype(np.int64),
        sampler.keys(document[sample[number[sample] != DOCUMENT]]),
        *sampler.moved_units(labels),
        dissimilarity.alpha,
        dissimilarity.beta,
        dissimilarity.delta_empty,
        position_factor(dissimilarity, settings.confidence),
    )
    clear = is_clear.nonzero()[0]
    owner = document[sample].repeat(counts_k)  # samples that are not clear have no rows
    disorder, weight, distance, overlaps, overlap_distance = np.ascontiguousarray(sums[clear].T)
    alignments, aligned, pairs = np.ascontiguousarray(counts[clear].T)
    weight_k, distance_k, pairs_k, overlaps_k, overlap_distance_k = np.ascontiguousarray(sums_k.T)
    return ShiftedSamples(
        sample=sample[clear],
        disorder=disorder,
        weight=weight,
        distance=distance,
        overlaps=overlaps,
        overlap_distance=overlap_distance,
        alignments=alignments,
        aligned=aligned,
        pairs=pairs,
        counts_k=counts_k[clear],
        category_k=labels.category[labels.first_label[owner] + label_k],
        weight_k=weight_k,
        distance_k=distance_k,
        pairs_k=pairs_k.astype(np.int64),
        overlaps_k=overlaps_k,
        overlap_distance_k=overlap_distance_k,
    )


def align_unmoved(
    sampler: ShiftSampler, categories: tuple[str, ...], settings: ChanceSettings, document: IntArray
) -> tuple[IntArray, Statistics]:
    """Return the indices of the documents whose best alignment is clear to the kernel, and their statistics.

    The sampler draws from all annotators of a corpus with these `categories`.
    """
    number = np.full_like(document, DOCUMENT)
    no_overlaps = np.zeros(len(document), dtype=np.bool_)
    sums = align_shifted(sampler, categories, settings, document, number, no_overlaps)
    return sums.sample, Statistics(
        disorder=sums.disorder,
        gap=np.zeros(len(sums.disorder)),
        weight=sums.weight,
        distance=sums.distance,
        instance_k=np.arange(len(sums.disorder)).repeat(sums.counts_k),
        category_k=sums.category_k,
        weight_k=sums.weight_k,
        distance_k=sums.distance_k,
        alignments=sums.alignments,
        aligned=sums.aligned,
        pairs=sums.pairs,
        pairs_k=sums.pairs_k,
    )
