"""γ of sub-corpora that share the work on common documents, against γ of each of them alone."""

from itertools import combinations

import numpy as np
import pytest
from places import CORPORA

import gamma_align as ga
from gamma_align.columns import equal
from gamma_align.insight.disagreements.unitary_alignments import alignments_of_gamma, unitary_alignments
from gamma_align.insight.pairwise import pairwise_of
from gamma_align.measures.gamma.gamma import gamma_of
from gamma_align.measures.gamma.gamma_settings import GammaSettings
from gamma_align.work import part_tasks
from gamma_align.work.shared_work import SharedWork

ORDINAL = ga.Ordinal(order=["c1", "c2", "c3", "c4"])


def made_corpus(seed, n_documents=14, is_real=False):
    """Return a corpus of four annotators, of whom two to four saw each document."""
    draw = np.random.default_rng(seed)
    records = []
    for document in range(n_documents):
        for annotator in draw.choice(4, size=int(draw.integers(2, 5)), replace=False).tolist():
            start = 0.0
            for _ in range(int(draw.integers(1, 5))):
                start += float(draw.integers(1, 15))
                end = start + float(draw.integers(1, 9)) + (0.25 if is_real else 0.0)
                label = f"c{1 + (annotator + int(draw.integers(0, 2))) % 4}"
                records.append((f"d{document:02}", f"a{annotator}", start, end, label))
                start = end
    return ga.Corpus.from_records(records)


def sub_corpora(corpus):
    """Return the corpora without each annotator, and those of every two, in this order."""
    yield from (corpus.drop(annotators=name) for name in corpus.annotators)
    yield from (corpus.select(annotators=pair) for pair in combinations(corpus.annotators, 2))


@pytest.mark.parametrize("is_real", [False, True], ids=["integers", "real numbers"])
@pytest.mark.parametrize("distance", [None, ORDINAL, "edit"], ids=["nominal", "ordinal", "edit"])
def test_results_with_shared_work_are_equal_to_those_without(is_real, distance):
    corpus = made_corpus(1, is_real=is_real)
    settings = GammaSettings.of(distance=distance)
    shared = SharedWork(corpus, settings, keeps_samples=True)
    assert gamma_of(corpus, settings, shared=shared).to_dict() == gamma_of(corpus, settings).to_dict()
    for part in sub_corpora(corpus):
        alone = gamma_of(part, settings, shared=SharedWork(corpus, settings))
        assert gamma_of(part, settings, shared=shared).to_dict() == alone.to_dict()


def test_order_of_measurements_changes_nothing():
    # Fewer documents need more points: points that a small corpus needs are too many for a large one.
    corpus = ga.read(CORPORA / "salami")
    corpus = corpus.select(documents=corpus.documents[:150])
    settings = GammaSettings.of()
    parts = [corpus, *(part for part in sub_corpora(corpus) if (part.n_annotators > 1).any())]
    falling, rising = (SharedWork(corpus, settings, keeps_samples=True) for _ in range(2))
    first = [gamma_of(part, settings, shared=falling).to_dict() for part in parts]
    last = [gamma_of(part, settings, shared=rising).to_dict() for part in reversed(parts)]
    assert first == last[::-1]


def test_no_document_is_aligned_or_computed_twice(monkeypatch):
    corpus = made_corpus(2)
    aligned, computed = [], []
    align, compute = part_tasks.align_documents, part_tasks.compute_expected
    monkeypatch.setattr(
        part_tasks, "align_documents", lambda task, sampler: aligned.append(keys(task)) or align(task, sampler)
    )
    monkeypatch.setattr(
        part_tasks, "compute_expected", lambda task, **options: computed.append(keys(task)) or compute(task, **options)
    )
    settings = GammaSettings.of()
    shared = SharedWork(corpus, settings)
    for _ in range(2):
        pairwise_of(corpus, settings, shared)
    for part in (corpus.drop(annotators=name) for name in corpus.annotators):
        gamma_of(part, settings, shared=shared)
    for calls in (aligned, computed):
        documents = [key for call in calls for key in call]
        assert len(documents) == len(set(documents))


def test_samples_of_the_corpus_are_not_drawn_again(monkeypatch):
    corpus = made_corpus(5)
    drawn = []
    align = part_tasks.align_samples
    monkeypatch.setattr(
        part_tasks,
        "align_samples",
        lambda task, sampler: drawn.append((keys(task), task.number)) or align(task, sampler),
    )
    settings = GammaSettings.of(precision=0.3)  # samples without pairs as a control
    shared = SharedWork(corpus, settings, keeps_samples=True)
    gamma_of(corpus, settings, shared=shared)
    n_calls = len(drawn)
    for part in sub_corpora(corpus):
        gamma_of(part, settings, shared=shared)
    samples = [(*key, number) for names, numbers in drawn for key, number in zip(names, numbers.tolist(), strict=True)]
    n_first = sum(len(names) for names, _ in drawn[:n_calls])
    first, later = set(samples[:n_first]), set(samples[n_first:])
    # Documents of three annotators are sampled, and remain as they are without the fourth.
    assert {len(annotators) for _, annotators, _ in first} == {3, 4}
    assert later
    assert first.isdisjoint(later)


def test_finer_sums_do_not_replace_those_of_the_corpus(monkeypatch):
    corpus = ga.read(CORPORA / "salami")
    corpus = corpus.select(documents=corpus.documents[:60])
    computed = []
    compute = part_tasks.compute_expected
    monkeypatch.setattr(
        part_tasks,
        "compute_expected",
        lambda task, **options: computed.append(len(task.number)) or compute(task, **options),
    )
    settings = GammaSettings.of()
    shared = SharedWork(corpus, settings)
    gamma_of(corpus, settings, shared=shared)
    n_computed = sum(computed)
    pairs = [part for part in sub_corpora(corpus) if len(part.annotators) == 2 and (part.n_annotators > 1).any()]
    for part in pairs:
        gamma_of(part, settings, shared=shared)
    assert sum(computed) > n_computed  # of fewer documents, more precisely
    n_computed = sum(computed)
    gamma_of(corpus, settings, shared=shared)
    assert sum(computed) == n_computed


def keys(task):
    """Return the documents of a task with their annotators."""
    corpus = task.corpus
    names = [corpus.documents[row] for row in task.in_corpus.tolist()]
    return [(name, tuple(corpus[name].annotators)) for name in names]


def test_labels_with_other_distances_share_nothing():
    units = [("d1", "ann", 0, 4, "1"), ("d1", "bob", 1, 5, "2"), ("d1", "cy", 0, 4, "9")]
    corpus = ga.Corpus.from_records(units)
    part, documents = corpus.drop(annotators="cy"), np.zeros(1, dtype=np.int64)

    def is_shared(distance):
        return SharedWork(corpus, GammaSettings.of(distance=distance)).documents_of(part, documents) is not None

    assert is_shared("nominal")
    assert is_shared("circular:9")
    assert not is_shared("interval")  # relative to the largest difference of all labels


@pytest.mark.parametrize("alignment", ["partition", "cover"])
def test_alignments_of_gamma_are_the_unitary_alignments_and_give_the_same_gamma(alignment):
    corpus = made_corpus(3)
    settings = GammaSettings.of(alignment=alignment)
    shared = SharedWork(corpus, settings)
    alignments = alignments_of_gamma(corpus, settings, shared)
    plain = unitary_alignments(corpus, settings.dissimilarity, settings.limits, alignment=alignment)
    assert equal(alignments, plain)
    assert gamma_of(corpus, settings, shared=shared).to_dict() == gamma_of(corpus, settings).to_dict()


def test_sums_of_all_pairs_share_the_work_of_a_corpus():
    corpus = made_corpus(4)
    shared = SharedWork(corpus, GammaSettings.of())
    n = corpus.n_annotators
    assert shared.n_pairs == int((n * (n - 1) / 2).sum())
    assert shared.share_of_work(corpus.annotators, 9) == 1
    assert shared.share_of_work(corpus.annotators[1:], 9) == 9 / shared.n_pairs
