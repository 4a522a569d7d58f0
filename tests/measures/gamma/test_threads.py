"""Threads that work on the parts of a corpus: the same bits as without them, and an end whenever something fails."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from both_kernels import needs_compiled

import gamma_align as ga
from gamma_align.apps.cli import main
from gamma_align.data.parts import CorpusParts
from gamma_align.measures.gamma import measure, part_samples
from gamma_align.measures.gamma.gamma_settings import GammaSettings
from gamma_align.measures.gamma.measure import Measurement
from gamma_align.work import processes, threads
from gamma_align.work.threads import parts_for_threads, results_in_threads, suits_threads
from gamma_align.work.workers import processes_only

pytestmark = needs_compiled
N_DOCUMENTS = 40


def short_documents(n_annotators=(2, 3), n_units=3, n_documents=N_DOCUMENTS):
    rng = np.random.default_rng(1)
    records = []
    for document in range(n_documents):
        for annotator in range(n_annotators[document % len(n_annotators)]):
            for start in rng.integers(0, 80, n_units).tolist():
                label = "xyz"[rng.integers(3)]
                records.append((f"d{document:02}", f"a{annotator}", start, start + int(rng.integers(1, 15)), label))
    return ga.Corpus.from_records(records)


CORPUS = short_documents()


@pytest.fixture(autouse=True)
def _small_corpora_in_threads(monkeypatch):
    monkeypatch.setattr(threads, "_MIN_UNITS", 0)


@pytest.fixture
def measured_in(monkeypatch):
    """The names of the threads that have worked on parts."""
    names = set()
    draw = part_samples.PartSamples.draw

    def noting_thread(*arguments):
        names.add(threading.current_thread().name)
        return draw(*arguments)

    monkeypatch.setattr(part_samples.PartSamples, "draw", noting_thread)
    return names


@pytest.mark.parametrize(
    "options", [{}, {"samples": 12}, {"precision_of": "documents", "precision": 0.2}, {"chance": "pooled"}], ids=str
)
def test_any_number_of_threads_gives_the_same_bits(measured_in, options):
    expected, pools = ga.gamma(CORPUS, n_jobs=1, **options), set(processes._pools)
    assert measured_in == {"MainThread"}
    for n_jobs in (2, 3):
        measured_in.clear()
        result = ga.gamma(CORPUS, n_jobs=n_jobs, **options)
        assert result == expected
        assert result.to_dict() == expected.to_dict()
        assert all(name.startswith("gamma-align") for name in measured_in)
    assert processes._pools == pools  # no process was started


def test_threads_work_on_the_parts_of_a_folder_of_work(measured_in, tmp_path, monkeypatch):
    monkeypatch.setattr(measure, "PART_UNITS", 40)
    expected = ga.gamma(CORPUS).to_dict()
    measured_in.clear()
    for n_jobs in (2, 1, 3):
        assert ga.gamma(CORPUS, n_jobs=n_jobs, work=tmp_path / "work").to_dict() == expected
    assert len(measured_in) > 1


def test_threads_keep_few_parts_of_a_folder_of_work_in_memory(tmp_path, monkeypatch):
    monkeypatch.setattr(measure, "PART_UNITS", 20)
    n_loaded, unload = [], Measurement._unload_parts

    def noting_parts(measurement, kept=range(0)):
        unload(measurement, kept)
        n_loaded.append(len(measurement._loaded_parts))

    monkeypatch.setattr(Measurement, "_unload_parts", noting_parts)
    ga.gamma(CORPUS, n_jobs=2, work=tmp_path / "work")
    assert len(n_loaded) > 10
    assert max(n_loaded) <= 2


def test_data_that_are_read_in_parts_are_measured_by_threads(measured_in):
    class ReadInParts(CorpusParts):
        def __init__(self, corpus, n_units):
            super().__init__(corpus, n_units)
            self.reads = []

        def __getitem__(self, index):
            self.reads.append(index)
            return super().__getitem__(index)

    data = ReadInParts(CORPUS, 70)
    assert len(data) > 3
    expected = ga.gamma(CORPUS).to_dict()["corpus"]
    measured_in.clear()
    assert ga.gamma(data, n_jobs=2).to_dict()["corpus"] == expected
    assert all(name.startswith("gamma-align") for name in measured_in)
    assert data.reads[0] == 0
    assert data.reads.count(0) <= data.reads.count(1)  # to decide on threads took no further reading


def test_progress_is_reported_in_the_thread_of_the_caller():
    reports = []
    ga.gamma(CORPUS, n_jobs=2, progress=lambda *counts: reports.append((threading.current_thread(), *counts)))
    assert {thread for thread, *_ in reports} == {threading.main_thread()}
    assert reports[-1][1] == reports[-1][2] > 0


@pytest.mark.parametrize("error", [KeyboardInterrupt, ZeroDivisionError])
def test_an_interrupt_ends_the_threads_and_keeps_what_is_done(tmp_path, monkeypatch, error):
    monkeypatch.setattr(measure, "PART_UNITS", 40)

    def progress(*_):
        raise error

    expected = ga.gamma(CORPUS).to_dict()
    with pytest.raises(error):
        ga.gamma(CORPUS, n_jobs=2, work=tmp_path / "work", progress=progress)
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("gamma-align_")]
    kinds = {path.name.split("-")[1] for path in (tmp_path / "work").glob("*.npz")}
    assert {"observed", "aligned"} <= kinds
    assert ga.gamma(CORPUS, n_jobs=2, work=tmp_path / "work").to_dict() == expected


def test_an_error_of_one_part_is_raised_and_stops_the_others():
    stop, others, done = threading.Event(), threading.Event(), []

    def work(item, _):
        if item == 1:
            others.wait()
            raise ZeroDivisionError
        others.set()
        stop.wait()
        done.append(item)

    with pytest.raises(ZeroDivisionError):
        [*results_in_threads(work, range(5), 2, stop, print)]
    assert done == [0]


def test_results_have_the_order_of_the_items_and_all_reports_arrive_before_the_end():
    reports = []

    def work(item, report):
        report(item)
        return item

    assert [*results_in_threads(work, range(50), 3, threading.Event(), reports.append)] == list(range(50))
    assert sorted(reports) == list(range(50))


def test_threads_work_with_the_floating_point_settings_of_the_caller():
    def divide(_, __):
        return np.ones(1) / np.zeros(1)

    with np.errstate(divide="raise"), pytest.raises(FloatingPointError):
        [*results_in_threads(divide, range(1), 2, threading.Event(), print)]


def test_processes_do_what_is_not_compiled():
    settings = GammaSettings()
    assert suits_threads(CORPUS, settings)
    assert not suits_threads(CORPUS, GammaSettings.of(alignment="cover"))
    assert not suits_threads(short_documents((4, 5)), settings)
    assert not suits_threads(short_documents((3,), n_units=30), settings)
    assert suits_threads(short_documents((2,), n_units=30), settings)


def test_a_corpus_with_one_large_document_is_not_divided():
    assert len(parts_for_threads(CORPUS, 2)) == 4
    records = [("large", name, start, start + 1, "x") for name in ("a", "b") for start in range(200)]
    large = ga.Corpus.from_records([*records, *(("d", name, 1, 2, "x") for name in ("a", "b"))])
    assert parts_for_threads(large, 2) is None


@pytest.mark.surfaces
def test_processes_are_used_where_they_are_asked_for(measured_in, tmp_path):
    expected = ga.gamma(CORPUS, samples=8).to_dict()
    with processes_only():
        measured_in.clear()
        assert ga.gamma(CORPUS, samples=8, n_jobs=2).to_dict() == expected
        assert measured_in == {"MainThread"}
    measured_in.clear()
    path = tmp_path / "units.csv"
    ga.write(CORPUS, path)
    options = ("--samples", "8", "--quiet", "--jobs", "2")
    assert main(["measure", str(path), *options, "--backend", "processes"]) == 0
    assert measured_in == {"MainThread"}
    assert main(["measure", str(path), *options]) == 0
    assert len(measured_in) > 1
