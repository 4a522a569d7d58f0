"""Samples without one annotator that serve several annotators: their law, by enumeration, and γ from them."""

from collections import Counter
from itertools import product

import numpy as np
import pytest

import gamma_align as ga
from gamma_align.insight.disagreements.who_differs import without_each
from gamma_align.measures.gamma import part_work
from gamma_align.measures.gamma.dropped import CompleteDocuments
from gamma_align.measures.gamma.gamma import gamma_of
from gamma_align.measures.gamma.gamma_settings import GammaSettings
from gamma_align.measures.gamma.other_samplers import shift_sampler
from gamma_align.measures.gamma.sampler import ShiftSampler
from gamma_align.measures.gamma.shared_work import SharedWork

SPAN = 14


def small_document(span=SPAN):
    """Return a document of four annotators, of whom the last has longer units."""
    units = [
        ("d", name, start, start + length, "xy"[start % 2])
        for name, length, step in (("a", 1, 2), ("b", 1, 2), ("c", 1, 2), ("d", 3, 3))
        for start in range("abcd".index(name), span - length, step)
    ]
    return ga.Corpus.from_records(units, extents={"d": (0, span)})


def sampler_without(corpus, name, settings):
    part = corpus.drop(annotators=name)
    dropped = CompleteDocuments(corpus, settings).dropped(part, np.arange(len(part)))
    return part, dropped, shift_sampler(part, settings, dropped)


def all_random_numbers(n_rows, n_choices, span, free):
    """Return random numbers of candidates that are all equally likely, shape (m, n_rows, 4).

    They choose an annotator for each row, the turn, and two places of `free` + 1 and `free` + 2 (see `sampler`).
    """
    choices = [(choice + 0.5) / n_choices for choice in range(n_choices)]
    turns = [(turn + 0.5) / span for turn in range(span)]
    places = [[(place + 0.5) / n for place in range(n)] for n in (free + 1, free + 2)]
    combinations = np.array([*product(*[choices] * n_rows, turns, *places)])
    numbers = np.zeros((len(combinations), n_rows, 4))
    numbers[:, :, 0], numbers[:, 0, 2] = combinations[:, :n_rows], combinations[:, n_rows]
    numbers[:, 1:, 1] = combinations[:, n_rows + 1 :]
    return numbers


@pytest.mark.parametrize("name", "abcd")
def test_candidates_that_serve_an_annotator_are_the_samples_without_them(monkeypatch, name):
    corpus = small_document()
    part, dropped, sampler = sampler_without(corpus, name, GammaSettings.of())
    own = int(ShiftSampler(part, seed=0).offset_law(np.array([0])).distance[0])
    assert (dropped.distance[0], own) == (1, 1 if name == "d" else 2)
    numbers = all_random_numbers(3, 4, SPAN, SPAN - 3)
    monkeypatch.setattr(sampler, "_random_numbers", lambda _, row, candidate: numbers[candidate, row])
    document, candidate = np.zeros(len(numbers), dtype=np.int64), np.arange(len(numbers))
    serving = candidate[sampler._is_serving(document, candidate)]
    rows = np.tile(np.arange(3), len(serving))
    slot, offset = sampler._drawn(np.zeros_like(rows), rows, np.repeat(serving, 3))
    drawn = Counter(zip(*(map(tuple, column.reshape(-1, 3).tolist()) for column in (slot, offset)), strict=True))
    expected = {
        (slots, (turn, turn + first, turn + first + second))
        for slots in product(range(3), repeat=3)
        for turn in range(SPAN)
        for first, second in product(range(own, SPAN), repeat=2)
        if SPAN - first - second >= own
    }
    assert set(drawn) == expected
    assert len(set(drawn.values())) == 1  # all of them are equally likely


def made_corpus(lengths=(3, 4, 5, 4, 3), n_documents=3):
    """Return a corpus of five annotators, of whom the last has not seen the first document."""
    draw = np.random.default_rng(1)
    records = []
    for document in range(n_documents):
        for annotator, length in enumerate(lengths[: 5 if document else 4]):
            for number in range(8):
                start = 12 * number + int(draw.integers(0, 5))
                label = "xyz"[int(draw.integers(0, 3))]
                records.append((f"d{document}", f"a{annotator}", start, start + length, label))
    return ga.Corpus.from_records(records, extents={f"d{document}": (0, 120) for document in range(n_documents)})


@pytest.mark.parametrize("settings", [{}, {"samples": 20, "integer_offsets": False}], ids=["precise", "fixed"])
def test_gamma_without_each_depends_on_no_other_annotator(settings):
    corpus, options = made_corpus(), GammaSettings.of(**settings)
    shared = SharedWork(corpus, options, keeps_samples=True)
    rows = {row.annotator: row for row in without_each(corpus, gamma_of(corpus, options), options, shared)}
    for name in corpus.annotators:
        alone = SharedWork(corpus, options, keeps_samples=True)
        expected = gamma_of(corpus.drop(annotators=name), options, shared=alone)
        assert (repr(rows[name].gamma), repr(rows[name].gamma_cat)) == (repr(expected.gamma), repr(expected.gamma_cat))
    workers = gamma_of(corpus.drop(annotators="a1"), options, shared=alone, n_jobs=2)
    assert repr(workers.gamma) == repr(rows["a1"].gamma)


def test_a_candidate_is_aligned_once_and_serves_several_annotators(monkeypatch):
    corpus, options = made_corpus(), GammaSettings.of(samples=40)
    aligned = []
    align = part_work.align_samples

    def counted(task, sampler):
        names = [task.corpus.documents[row] for row in task.in_corpus.tolist()]
        sampler = sampler or shift_sampler(task.corpus, task.settings, task.dropped)
        aligned.extend(zip(names, sampler.candidates(task.in_corpus, task.number).tolist(), strict=True))
        return align(task, sampler)

    shared = SharedWork(corpus, options, keeps_samples=True)
    gamma = gamma_of(corpus, options, shared=shared)
    monkeypatch.setattr(part_work, "align_samples", counted)
    without_each(corpus, gamma, options, shared)
    assert len(aligned) == len(set(aligned))
    samples = 40 * (4 + 2 * 5)  # of four annotators in the first document, and of five in two others
    assert len(aligned) < 0.65 * samples


def test_expected_disorder_without_an_annotator_is_that_of_other_samples():
    corpus, options = made_corpus(), GammaSettings.of(samples=600, control="none")
    shared = SharedWork(corpus, options, keeps_samples=True)
    for name in ("a0", "a2"):
        part = corpus.drop(annotators=name)
        documents = zip(
            gamma_of(part, options, shared=shared).documents, gamma_of(part, options).documents, strict=True
        )
        for candidates, own in ((row.gamma, other.gamma) for row, other in documents):
            assert candidates.observed == own.observed
            error = np.hypot(*(value.expected * value.expected_precision for value in (candidates, own)))
            assert abs(candidates.expected - own.expected) < 2 * error


def test_documents_in_which_distances_differ_much_have_own_samples():
    settings = GammaSettings.of()
    for span, is_shared in ((14, True), (12, False)):  # offsets keep the distance with a probability of .53 and .44
        _, dropped, _ = sampler_without(small_document(span), "a", settings)
        assert (dropped.rank[0] >= 0) == is_shared
    assert SharedWork(small_document(), settings).dropped(small_document().drop(annotators="a")) is None
