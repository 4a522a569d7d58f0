"""Samples and documents that one kernel aligns and sums have the bits of those that the solver aligns."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from both_kernels import needs_compiled

import gamma_align as ga
from gamma_align import kernels
from gamma_align.chance import draws, shifted_samples
from gamma_align.chance.draws import (
    Draws,
    _shifted_samples,
    _solve_documents,
    _solve_samples,
    align_documents,
    align_samples,
)
from gamma_align.chance.other_samplers import shift_sampler
from gamma_align.chance.samples import FullSamples
from gamma_align.chance.shifted_samples import align_shifted, align_unmoved, suitable_documents
from gamma_align.measures.gamma.gamma_settings import GammaSettings

N_SAMPLES = 40
OPTIONS = [
    {},
    {"alpha": 3, "confidence": "weighted"},
    {"alpha": 0.0, "confidence": "none"},
    {"beta": 2.5, "delta_empty": 0.7},
    {"min_distance": "half", "integer_offsets": False},
    {"distance": "ordinal", "empty_samples": "one"},
]


def random_corpus(rng, n_documents=12, longest=8):
    """Return small documents of two to five annotators, on few integer positions, so that ties are frequent."""
    records = []
    for document in range(n_documents):
        n_annotators, extent = int(rng.integers(2, 6)), int(rng.integers(6, 40))
        for annotator in range(n_annotators):
            for _ in range(max(int(rng.integers(0, 4 if n_annotators > 2 else 12)), annotator == 0)):
                start = int(rng.integers(0, extent - 3))
                label = [None, "1", "2", "3"][rng.integers(0, 4)]
                shift = 0.25 if document % 3 == 0 else 0
                records.append(
                    (
                        f"d{document}",
                        f"a{annotator}",
                        start + shift,
                        start + int(rng.integers(0, longest + 1)) + shift,
                        label,
                    )
                )
    return ga.Corpus.from_records([row for row in records if row[3] >= row[2]])


def task_of(corpus, settings):
    documents = np.flatnonzero(corpus.n_annotators >= 2)
    document, number = np.repeat(documents, N_SAMPLES), np.tile(np.arange(N_SAMPLES), len(documents))
    count_overlaps = np.full(len(document), settings.confidence == "positional")
    return Draws(
        corpus,
        settings,
        settings.limits,
        document,
        document,
        number,
        suitable_documents(corpus, settings)[document],
        None,
        count_overlaps,
        np.zeros(len(document), dtype=bool),
    )


def shifted_of(task):
    sampler = shift_sampler(task.corpus, task.settings)
    arguments = task.in_corpus, task.number, task.count_overlaps
    return align_shifted(sampler, task.corpus.categories, task.settings, *arguments)


def by_sample(samples):
    """Return the values of each sample, by document and number."""
    columns = {name: np.asarray(column).tolist() for name, column in samples._asdict().items()}
    ends = np.cumsum(samples.counts_k)
    values = {}
    for row, key in enumerate(zip(columns["document"], columns["number"], strict=True)):
        entries = slice(int(ends[row] - samples.counts_k[row]), int(ends[row]))
        is_entry = {name: name.endswith("_k") and name != "counts_k" for name in columns}
        values[key] = repr([columns[name][entries] if is_entry[name] else columns[name][row] for name in columns])
    return values


def assert_bits_of_the_solver(task, min_share):
    """Check that more than a share of the samples are clear, and that these have the values that the solver gives."""
    sums = shifted_of(task)
    assert len(sums.sample) > min_share * len(task.number)
    expected = by_sample(_solve_samples(task, shift_sampler(task.corpus, task.settings)))
    for key, values in by_sample(_shifted_samples(task.take(sums.sample), sums)).items():
        assert values == expected[key]


@needs_compiled
@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_samples_have_the_bits_of_the_solver(options):
    corpus, settings = random_corpus(np.random.default_rng(1)), GammaSettings.of(**options)
    assert_bits_of_the_solver(task_of(corpus, settings), min_share=0.6)


@needs_compiled
def test_samples_of_units_without_length_have_the_bits_of_the_solver():
    assert_bits_of_the_solver(task_of(random_corpus(np.random.default_rng(4), 40, 0), GammaSettings()), min_share=0.6)


@needs_compiled
@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_documents_have_the_bits_of_the_solver(options):
    corpus, settings = random_corpus(np.random.default_rng(6), 40), GammaSettings.of(**options)
    task = task_of(corpus, settings)
    task = task.take(np.flatnonzero(task.number == 0))
    clear, aligned = align_unmoved(shift_sampler(corpus, settings), corpus.categories, settings, task.in_corpus)
    assert len(clear) > 0.6 * len(task.number)
    assert aligned == _solve_documents(task.take(clear)).statistics
    in_order = np.argsort(align_documents(task).document, kind="stable")  # those of the kernel come first
    assert align_documents(task).statistics.take(in_order) == _solve_documents(task).statistics


@needs_compiled
def test_if_not_all_annotators_are_drawn_from_documents_are_left_to_the_solver(monkeypatch):
    corpus = random_corpus(np.random.default_rng(6))
    task = task_of(corpus, replace(GammaSettings(), chance_from=("a0", "a1")))
    task = task.take(np.flatnonzero(task.number == 0))
    expected = _solve_documents(task)
    monkeypatch.setattr(draws, "align_unmoved", None)
    assert align_documents(task) == expected


@needs_compiled
@pytest.mark.parametrize("labels", ["x", "xy", "uvwxyz"])  # more labels have more edges that are surely aligned
def test_two_annotators_of_many_units_are_matched(labels):
    rng = np.random.default_rng(4)
    bounds = {annotator: np.sort(rng.integers(0, 600, 150)).tolist() for annotator in ("ann", "bob")}
    units = [(name, a, b, str(rng.choice(list(labels)))) for name, ends in bounds.items() for a, b in pairwise(ends)]
    corpus, settings = ga.Corpus.from_records([("d", *unit) for unit in units]), GammaSettings()
    task = task_of(corpus, settings)
    assert suitable_documents(corpus, settings).all()
    sums = shifted_of(task)
    assert len(sums.sample) == len(task.number)
    solved = _solve_samples(task, shift_sampler(corpus, settings))
    assert by_sample(_shifted_samples(task, sums)) == by_sample(solved)


@needs_compiled
@pytest.mark.parametrize("decimals", [0, 3])
@pytest.mark.parametrize("labels", ["x", "uvwxyz"])
@pytest.mark.parametrize("length", [4, 15, 60])  # the longer units are, the more of them are open at once
def test_units_of_two_annotators_that_overlap_are_matched(length, labels, decimals):
    rng, records = np.random.default_rng(7), []
    for start in np.sort(rng.uniform(0, 500, 100)):
        end = start + length * rng.choice([0.5, 1, 1.2, 8], p=[0.3, 0.3, 0.3, 0.1])
        for annotator in ("ann", "bob"):
            bounds = np.sort(np.round(rng.normal([start, end], length / 5), decimals))
            records.append(("d", annotator, *bounds.tolist(), str(rng.choice(list(labels)))))
    corpus = ga.Corpus.from_records(list(dict.fromkeys(records)))
    assert_bits_of_the_solver(task_of(corpus, GammaSettings()), min_share=0.9)


@needs_compiled
def test_a_task_has_all_its_samples_with_the_bits_of_the_solver(monkeypatch):
    corpus, settings = random_corpus(np.random.default_rng(5)), GammaSettings()
    task = task_of(corpus, settings)
    task = task._replace(align_pairs=task.number < 3)  # for these the solver's batch is needed
    mixed = align_samples(task)
    assert isinstance(mixed, FullSamples)
    monkeypatch.setattr(shifted_samples.kernels, "kind", lambda: kernels.PLAIN)
    is_suitable = suitable_documents(corpus, settings)[task.document]
    assert not is_suitable.any()
    assert by_sample(mixed) == by_sample(align_samples(task._replace(is_suitable=is_suitable)))


def test_documents_of_many_units_and_other_settings_are_left_to_the_solver(monkeypatch):
    records = [("d", f"a{n}", 10 * unit, 10 * unit + 5, "x") for n in range(3) for unit in range(9)]
    corpus = ga.Corpus.from_records([*records, ("e", "a0", 0, 5, "x"), ("e", "a1", 1, 5, "x"), ("e", "a2", 1, 5, "x")])
    monkeypatch.setattr(shifted_samples.kernels, "kind", lambda: kernels.COMPILED)
    assert suitable_documents(corpus, GammaSettings()).tolist() == [False, True]
    assert not suitable_documents(corpus, GammaSettings.of(sampler="statistical")).any()
    assert not suitable_documents(corpus, GammaSettings.of(solver="ortools")).any()
    assert not suitable_documents(corpus, GammaSettings.of(alignment="cover")).any()
