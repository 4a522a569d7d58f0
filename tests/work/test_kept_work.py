"""A corpus that grows: the results of the last version are those of a measurement alone, and little is done again."""

import json
from collections import Counter as Counts

import pytest

import gamma_align as ga
from gamma_align.measures.gamma import GammaSettings, gamma_of
from gamma_align.reading import WorkFolder
from gamma_align.work import KeptWork, part_tasks

N_EXPORTS = 12


def made(annotators, seed=0, n=14, categories=("A", "B", "C", "D")):
    """Return a corpus of documents, some of them long enough to be sampled."""
    units = [4 + 3 * (number % 5) for number in range(n)]
    references = [
        ga.synthetic_reference(units=size, seed=seed + number, document=f"d{number:02}", categories=categories)
        for number, size in enumerate(units)
    ]
    kinds = ["shift", "false-negative", "category"]
    return ga.shuffle(ga.Corpus.from_continua(references), magnitude=0.4, annotators=annotators, kinds=kinds, seed=seed)


def replayed(corpus, redone, n_exports):
    """Yield versions: documents come one after the other, and some are redone later."""
    for number in range(1, n_exports + 1):
        names = corpus.documents[: max(2, round(len(corpus) * number / n_exports))]
        again = [name for name in names[: number // 2] if name in redone.documents]
        version = corpus.select(documents=[name for name in names if name not in again])
        yield version.merge(redone.select(documents=again)) if again else version


def written(result):
    return json.dumps(result.to_dict(), sort_keys=True)


class Counter:
    """The documents that are aligned, and the samples that are drawn."""

    def __init__(self, monkeypatch):
        self.aligned = []
        self.samples = []
        for name, kept in (("align_documents", self.aligned), ("align_samples", self.samples)):
            monkeypatch.setattr(part_tasks, name, self._counting(getattr(part_tasks, name), kept))

    def _counting(self, function, kept):
        def count(task, *arguments, **settings):
            names = [task.corpus.documents[index] for index in task.in_corpus.tolist()]
            # A sample is drawn again if it turns out to need its control.
            kept.extend(zip(names, task.number.tolist(), task.align_pairs.tolist(), strict=True))
            return function(task, *arguments, **settings)

        return count


@pytest.mark.parametrize("annotators", [2, 3])
@pytest.mark.parametrize("settings", [{}, {"precision": 0.1}, {"samples": 5}, {"precision_of": "documents"}])
def test_versions_end_with_the_bytes_of_a_measurement_of_the_last(annotators, settings, tmp_path, monkeypatch):
    options = GammaSettings.of(**settings)
    versions = [*replayed(made(annotators), made(annotators, seed=50, n=6), N_EXPORTS)]
    folder = WorkFolder(tmp_path, {"work": "test"})
    counter = Counter(monkeypatch)
    for version in versions:
        # Every version is measured by a process of its own, which knows what the store has.
        kept = KeptWork(options, folder)
        result = gamma_of(version, options, shared=kept)
        kept.save()
    assert len(counter.aligned) == len(versions[-1]) + 6  # each document, and each that was redone, is aligned once
    redone = {*versions[-1].documents[:6]}
    drawn = Counts(counter.samples)
    assert all(count == 1 or name in redone for (name, *_), count in drawn.items())
    assert max(drawn.values(), default=0) <= 2
    assert written(result) == written(gamma_of(versions[-1], options))
    before = len(counter.samples)
    again = KeptWork(options, folder)
    assert written(gamma_of(versions[-1], options, shared=again)) == written(result)
    assert len(counter.samples) == before


def test_a_sample_is_drawn_again_only_for_a_document_that_changed(monkeypatch):
    options = GammaSettings.of(samples=5)
    kept = KeptWork(options)
    counter = Counter(monkeypatch)
    corpus = made(3, n=6)
    gamma_of(corpus, options, shared=kept)
    counter.samples.clear()
    counter.aligned.clear()
    redone = made(3, seed=9, n=1)
    changed = corpus.select(documents=corpus.documents[1:]).merge(redone)
    gamma_of(changed, options, shared=kept)
    assert {name for name, *_ in counter.aligned} == {"d00"}
    assert {name for name, *_ in counter.samples} <= {"d00"}


def test_labels_and_annotators_that_come_change_nothing_for_other_documents(monkeypatch):
    options = GammaSettings.of(samples=5)
    kept = KeptWork(options)
    corpus = made(3, n=6)
    gamma_of(corpus, options, shared=kept)
    further = made(4, seed=3, n=1, categories=["0", "E", "Z"]).rename(documents={"d00": "new"})
    grown = corpus.merge(further.rename(annotators={name: f"0 {name}" for name in further.annotators}))
    counter = Counter(monkeypatch)
    result = gamma_of(grown, options, shared=kept)
    assert {name for name, *_ in counter.aligned} == {"new"}
    assert written(result) == written(gamma_of(grown, options))


def test_distances_that_depend_on_all_labels_are_measured_again():
    options = GammaSettings.of(samples=5, distance="ordinal")
    kept = KeptWork(options)
    numbers = {"A": "1", "B": "2", "C": "3", "D": "4"}
    corpus = made(2, n=4).rename(categories=numbers)
    gamma_of(corpus, options, shared=kept)
    further = made(2, seed=3, n=1).rename(documents={"d00": "new"}, categories={**numbers, "D": "9"})
    grown = corpus.merge(further)
    assert written(gamma_of(grown, options, shared=kept)) == written(gamma_of(grown, options))


def test_what_is_done_before_an_interrupt_is_kept(tmp_path, monkeypatch):
    options = GammaSettings.of(samples=5)
    corpus = made(3, n=8)
    folder = WorkFolder(tmp_path, {"work": "test"})
    kept = KeptWork(options, folder)
    drawn = part_tasks.align_samples
    calls = []

    def interrupted(task, *arguments, **settings):
        calls.append(task)
        if len(calls) > 1:
            raise KeyboardInterrupt
        return drawn(task, *arguments, **settings)

    monkeypatch.setattr(part_tasks, "align_samples", interrupted)
    monkeypatch.setattr(part_tasks, "_TASK_COST_MAX", 1.0)
    with pytest.raises(KeyboardInterrupt):
        gamma_of(corpus, options, shared=kept)
    kept.save()
    monkeypatch.setattr(part_tasks, "align_samples", drawn)
    counter = Counter(monkeypatch)
    result = gamma_of(corpus, options, shared=KeptWork(options, folder))
    assert counter.aligned == []
    n_drawn = len(counter.samples)
    assert written(result) == written(gamma_of(corpus, options))
    assert n_drawn + len(calls[0].number) == len(counter.samples) - n_drawn
