"""The expected disorders of annotators on integer positions: all offsets of their rows, each aligned as a sample.

Nothing here is shared with the package's own sum and samplers but the alignment of a sample.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import accumulate, product

import numpy as np

import gamma_align as ga
from gamma_align.alignment.solve import solve
from gamma_align.chance.aligned_sums import statistics
from gamma_align.chance.other_samplers import shift_sampler
from gamma_align.data.batch import Batch
from gamma_align.data.sources import corpus_of
from gamma_align.measures.gamma.gamma_settings import GammaSettings


def all_offsets(n_rows, span, distance):
    """Return all offsets of n rows around a circle, which keep a distance and are equally likely."""
    if distance == 0:
        return [*product(range(span), repeat=n_rows)]
    gaps = [gaps for gaps in product(range(distance, span), repeat=n_rows - 1) if span - sum(gaps) >= distance]
    return [(turn, *(turn + offset for offset in accumulate(some))) for turn in range(span) for some in gaps]


def all_samples(corpus, settings):
    """Return every sample of a document as a batch: all of them are equally likely."""
    sampler = shift_sampler(corpus, settings)
    law, slots = sampler.offset_law(np.array([0])), sampler.slots
    low, span, distance = (int(column[0]) for column in (law.low, law.span, law.distance))
    n_rows = int(law.n_rows[0])
    columns = []
    sample = 0
    for drawn in product(slots.choices, repeat=n_rows):
        rows = [slots.units(np.array([slot]))[0] for slot in drawn]
        if not sum(map(len, rows)):
            continue  # drawn again
        for offsets in all_offsets(n_rows, span, distance):
            for row, (units, shift) in enumerate(zip(rows, offsets, strict=True)):
                start = low + np.mod(slots.start[units] - low + shift, span)
                length = slots.end[units] - slots.start[units]
                columns.append((sample, row, start, start + length, slots.category[units]))
            sample += 1
    counts = [len(start) for _, _, start, _, _ in columns]
    instance, annotator = (np.repeat([column[i] for column in columns], counts) for i in (0, 1))
    start, end, category = (np.concatenate([column[i] for column in columns]) for i in (2, 3, 4))
    return Batch.build(np.full(sample, n_rows), instance, annotator, start, end, category)[0]


def expected_by_all_shifts(corpus, settings):
    """Return δ_e, δ_e,cat and δ_e,k by category, NaN if no sample has it."""
    batch = all_samples(corpus, settings)
    dissimilarity = settings.dissimilarity.bind(corpus.categories)
    result = statistics(batch, solve(batch, dissimilarity), dissimilarity, confidence=settings.confidence)
    with np.errstate(divide="ignore", invalid="ignore"):
        categorial = result.distance / result.weight
    by_category = {}
    for code in range(len(corpus.categories)):
        values = np.full(len(batch), np.nan)
        is_here = result.category_k == code
        values[result.instance_k[is_here]] = result.distance_k[is_here] / result.weight_k[is_here]
        by_category[code] = _mean(values, settings)
    return float(result.disorder.mean()), _mean(categorial, settings), by_category


def _mean(values, settings):
    if settings.empty_samples == "one":
        values = np.where(np.isnan(values), 1.0, values)
    values = values[~np.isnan(values)]
    return float(values.mean()) if len(values) else np.nan


def random_document(rng):
    """Return a small document of two annotators, as a corpus, on integer positions where many alignments are tied."""
    extent = int(rng.integers(6, 26))
    labels = ["a", "b", "c"][: rng.integers(1, 4)]
    units = []
    for annotator in ("ann", "bob"):
        for _ in range(rng.integers(0 if units else 1, 5)):
            start, length = int(rng.integers(0, extent)), int(rng.integers(0, max(2, extent // 3)))
            label = str(rng.choice(labels)) if rng.random() < 0.9 else ""
            units.append((annotator, start, min(start + length, extent), label))
    continuum = ga.Continuum.from_records(units, extent=(0, extent), annotators=["ann", "bob"])
    return corpus_of(continuum, "gamma")


def random_settings(rng):
    """Return settings with some options that change the expected disorder."""
    choices = {
        "alpha": [0.0, 0.5, 2.0, 3.0],
        "beta": [0.0, 0.5, 2.0],
        "delta_empty": [0.7],
        "confidence": ["weighted", "none"],
        "empty_samples": ["one"],
        "min_distance": ["half"],
    }
    options = {name: values[rng.integers(len(values))] for name, values in choices.items() if rng.random() < 0.25}
    settings = GammaSettings.of(**options)
    return replace(settings, chance_from=("ann",)) if rng.random() < 0.15 else settings
