"""Samples of other documents' units, and of units from normal distributions (DEFINITIONS §4)."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import strategies as sts
from places import CORPORA
from scipy.stats import chisquare, ks_2samp

import gamma_align as ga
from gamma_align.chance import draws, other_samplers
from gamma_align.chance.other_samplers import DocumentSampler, StatisticalSampler
from gamma_align.chance.sampler import Slots
from gamma_align.errors import SettingsError
from gamma_align.work import part_tasks, tasks

LEAST_P = 1e-4  # of tests on large draws with a fixed seed
ALEX = ga.read(CORPORA / "pygamma" / "AlexPaulSuzan.csv")
# pygamma-agreement 0.5.9, statistical sampler, α = β = Δ = 1, numpy.random.seed(4772)
GOLDEN_30, GOLDEN_807 = 1.373651, 0.6535417 / (1 - 0.521608)


def samples_of_pygamma(random, corpus, count):
    """Yield samples as pygamma-agreement draws them, call by call; rows of (annotator, start, end, category)."""
    document = corpus.continuum(0)
    people = [[unit for unit in document.units() if unit.annotator == name] for name in document.annotators]
    gaps = [0.0]
    for units in people:
        gaps += [after.start - before.end for before, after in itertools.pairwise(units)]
    gaps += [units[0].start for units in people if units and units[0].start > 0]
    numbers = [len(units) for units in people]
    lengths = [unit.end - unit.start for units in people for unit in units]
    labels = sorted({unit.category for units in people for unit in units})
    weights = np.bincount([labels.index(unit.category) for units in people for unit in units]) / len(lengths)
    for _ in range(count):
        rows = []
        for person in range(len(people)):
            last = 0.0
            number = abs(int(random.normal(np.mean(numbers), np.std(numbers))))
            for _ in range(max(number, 1) if not rows else number):
                start = last + random.normal(np.mean(gaps), np.std(gaps))
                length = 0.0
                while length < 1e-6:
                    length = abs(random.normal(np.mean(lengths), np.std(lengths)))
                last = start + length
                rows.append((f"a{person}", start, last, str(random.choice(labels, p=weights))))
        yield rows


def test_reimplementation_gives_the_expected_disorder_of_pygamma_agreement():
    random = np.random.RandomState(4772)
    disorders = [
        ga.align(ga.Continuum.from_records(rows, annotators=["a0", "a1", "a2"])).disorder
        for rows in samples_of_pygamma(random, ALEX, 30)
    ]
    assert np.mean(disorders) == pytest.approx(GOLDEN_30, abs=2e-6)


def drawn(sampler, count, document=0):
    return sampler.sample(np.full(count, document), np.arange(count))


@pytest.mark.release
def test_statistical_samples_have_the_distribution_of_pygamma_agreement():
    count = 4000
    batch = drawn(StatisticalSampler(ALEX, seed=5), count)
    pygamma_samples = [*samples_of_pygamma(np.random.RandomState(1), ALEX, count)]
    units = np.array([(start, end) for rows in pygamma_samples for _, start, end, _ in rows])
    assert ks_2samp(batch.start, units[:, 0]).pvalue > LEAST_P
    assert ks_2samp(batch.end - batch.start, units[:, 1] - units[:, 0]).pvalue > LEAST_P
    sizes = np.array([sum(row[0] == "a1" for row in rows) for rows in pygamma_samples])
    counts_of_annotator = np.bincount(batch.instance[batch.annotator == 1], minlength=count)
    assert ks_2samp(counts_of_annotator, sizes).pvalue > LEAST_P
    shares = np.bincount(ALEX.category) / ALEX.n_units
    assert chisquare(np.bincount(batch.category), shares * batch.n_units).pvalue > LEAST_P


def test_parameters_of_statistical_samples_equal_pygamma_agreement():
    sampler = StatisticalSampler(ALEX, seed=0)
    parameters = [
        (float(part.mean[0]), float(part.deviation[0])) for part in (sampler._counts, sampler._gaps, sampler._lengths)
    ]
    expected = [(5.333333, 0.942809), (2.294118, 2.189942), (6.8125, 3.045873)]
    assert parameters == [pytest.approx(pair, abs=1e-6) for pair in expected]


def test_expected_disorder_equals_pygamma_agreement():
    value = ga.gamma(ALEX, sampler="statistical", precision=0.005).gamma
    assert value.observed == pytest.approx(0.6535417, abs=1e-7)
    assert value.expected == pytest.approx(GOLDEN_807, rel=0.012)  # theirs is known to 1 %


def test_a_document_of_units_without_length_has_statistical_samples():
    corpus = ga.Corpus.from_records([("d", "a", 1, 1, "x"), ("d", "b", 1, 1, "x"), ("d", "b", 3, 3, "x")])
    batch = drawn(StatisticalSampler(corpus, seed=0), 50)
    assert (batch.start == batch.end).all()
    assert len(np.unique(batch.instance)) == 50  # none is empty


CORPUS = ga.Corpus.from_continua(
    [
        sts.continuum_of(
            ([(person, 10.0 * k, 10.0 * k + 5, f"{name}:{person}") for person in range(2) for k in range(3)], 2),
            document=name,
            extent=(0, length),
        )
        for name, length in (("a", 30), ("b", 60), ("c", 90), ("e", 120))
    ]
)


def test_rows_are_stretched_from_different_documents_with_equal_probability():
    count = 3000
    batch = drawn(DocumentSampler(CORPUS, seed=3), count, document=1)
    origins = np.array([CORPUS.categories[code].split(":")[0] for code in batch.category.tolist()])
    lengths = {"a": 30, "b": 60, "c": 90, "e": 120}
    assert batch.end - batch.start == pytest.approx([5 * 60 / lengths[name] for name in origins.tolist()])
    first = [origins[batch.annotator == row][::3] for row in (0, 1)]
    assert (first[0] != first[1]).all()
    counts = np.unique(np.concatenate(first), return_counts=True)[1]
    assert chisquare(counts).pvalue > LEAST_P
    people = np.unique([CORPUS.categories[code].split(":")[1] for code in batch.category.tolist()], return_counts=True)
    assert chisquare(people[1] / 3).pvalue > LEAST_P


@pytest.mark.parametrize("kind", [StatisticalSampler, DocumentSampler])
def test_sample_does_not_depend_on_other_samples(kind):
    together = kind(CORPUS, seed=8).sample(np.array([2, 0, 2]), np.array([4, 1, 5]))
    single = kind(CORPUS, seed=8).sample(np.array([2]), np.array([5]))
    part = together.take(np.array([2]))
    for name in ("annotator", "start", "end", "category"):
        assert (getattr(part, name) == getattr(single, name)).all()


def test_more_annotators_than_documents_are_refused():
    corpus = CORPUS.select(documents=["a"])
    with pytest.raises(SettingsError, match=r"'a' has 2 annotators, .* from 1 document only; use sampler='shift'"):
        DocumentSampler(corpus, seed=0)
    with pytest.raises(SettingsError, match="from a different document"):
        ga.gamma(corpus, sampler="documents")


def test_an_unknown_sampler_is_refused():
    with pytest.raises(SettingsError, match="sampler must be one of shift, documents, statistical, not 'dice'"):
        ga.gamma(CORPUS, sampler="dice")


def test_source_documents_are_sorted_once_for_all_tasks(monkeypatch):
    expected = ga.gamma(CORPUS, sampler="documents", samples=20)
    slots_calls, task_calls, align_samples = [], [], draws.align_samples
    monkeypatch.setattr(other_samplers, "Slots", lambda *arguments: slots_calls.append(arguments) or Slots(*arguments))
    monkeypatch.setattr(part_tasks, "align_samples", lambda *task: task_calls.append(task) or align_samples(*task))
    monkeypatch.setattr(tasks, "_TASK_UNITS", 20)
    assert ga.gamma(CORPUS, sampler="documents", samples=20) == expected
    assert len(task_calls) > 10
    assert len(slots_calls) == 1


@pytest.mark.surfaces
@pytest.mark.parametrize("sampler", ["documents", "statistical"])
def test_values_do_not_depend_on_workers_or_order(sampler):
    rows = [(name, *unit) for name in CORPUS.documents for unit in CORPUS[name].units()]
    reversed_rows = ga.Corpus.from_records(rows[::-1], extents={name: CORPUS[name].extent for name in CORPUS.documents})
    results = [
        ga.gamma(corpus, sampler=sampler, samples=12, n_jobs=n_jobs).to_dict()
        for corpus, n_jobs in ((CORPUS, 1), (CORPUS, 2), (reversed_rows, 1))
    ]
    assert results[0] == results[1] == results[2]
    assert results[0]["settings"]["sampler"] == sampler
    assert f"|s:{sampler}|" in results[0]["signature"]
