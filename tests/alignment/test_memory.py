"""Candidate pairs are counted before they are listed: a document that is too large is named, with what would help."""

from __future__ import annotations

import json
import sys

import numpy as np
import pytest
from command_line import in_a_process
from places import CORPORA

import gamma_align as ga
from gamma_align.alignment import candidates, memory
from gamma_align.apps.cli import main
from gamma_align.data import resources
from gamma_align.data.batch import Batch
from gamma_align.errors import OutOfMemoryError

LIMIT = 1 << 30  # bytes of memory of the process


def overlapping(n_units, document="long"):
    """Return units of two annotators that all overlap."""
    return [
        (document, annotator, float(at), at + 2.0 * n_units, "xy"[at % 2])
        for annotator in "ab"
        for at in range(n_units)
    ]


def test_most_pairs_are_those_of_different_annotators():
    batch, _ = Batch.from_corpus(
        ga.Corpus.from_records([*overlapping(3), ("e", "a", 0, 1, "x"), ("e", "c", 0, 1, "x")])
    )
    dissimilarity = ga.Dissimilarity().bind(["x", "y"])
    assert candidates.most_pairs(batch).tolist() == [1, 9]
    assert candidates.count_pairs(batch, dissimilarity).tolist() == [1, 9]
    assert len(candidates.candidate_pairs(batch, dissimilarity)) <= 10


@pytest.mark.parametrize("together", [1, 40, 10_000])
def test_division_by_pairs_does_not_change_a_result(monkeypatch, together):
    corpus = ga.read(CORPORA / "hearst_kazantseva")
    expected = ga.gamma(corpus, samples=4).to_dict()
    monkeypatch.setattr(memory, "_MAX_PAIRS_TOGETHER", together)
    assert json.dumps(ga.gamma(corpus, samples=4).to_dict()) == json.dumps(expected)


@pytest.fixture
def little_memory(monkeypatch):
    monkeypatch.setattr(memory, "_MAX_PAIRS_TOGETHER", 100)
    monkeypatch.setattr(memory, "available_memory", lambda: 10_000)


CORPUS = ga.Corpus.from_records(
    [*overlapping(5, "short"), *overlapping(40), ("e", "a", 0, 1, "x"), ("e", "c", 0, 1, "x")]
)
MANY = ga.Corpus.from_records(
    [*overlapping(5, "short"), *(("long", "abcd"[at % 4], float(at), at + 999.0, "x") for at in range(80))]
)


@pytest.mark.usefixtures("little_memory")
@pytest.mark.parametrize(
    "function",
    [
        lambda: ga.align(CORPUS),
        lambda: ga.gamma(CORPUS, samples=4),
        lambda: ga.disagreements(CORPUS, samples=4),
        lambda: ga.families(CORPUS, samples=4),
        lambda: ga.gamma(MANY, samples=4),
    ],
)
def test_document_with_too_many_pairs_is_named(function):
    with pytest.raises(OutOfMemoryError) as caught:
        function()
    assert str(caught.value).startswith("document 'long': 1,600 pairs of its 80 units") or "2,400 pairs" in str(
        caught.value
    )
    assert "cut the document into shorter ones" in str(caught.value)


def limit_memory():
    import resource  # not on Windows

    resource.setrlimit(resource.RLIMIT_AS, (LIMIT, LIMIT))


@pytest.mark.surfaces
@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not report or limit memory like this")
@pytest.mark.parametrize("jobs", [1, 2])
def test_16_000_units_that_all_overlap_are_refused_before_they_take_memory(tmp_path, jobs):
    path = tmp_path / "units.csv"
    rows = [f"{','.join(map(str, row))}\n" for row in overlapping(16_000)]
    path.write_text("".join(["document,annotator,start,end,category\n", *rows]))
    done = in_a_process("measure", path, "--samples", 4, "--jobs", jobs, preexec_fn=limit_memory)
    assert (done.returncode, done.stdout) == (7, "")
    assert f"{path}: document 'long': 256,000,000 pairs of its 32,000 units are near" in done.stderr
    assert "if there are several workers, fewer of them (--jobs 1)" in done.stderr
    assert done.stderr.count("error") == 1


def test_memory_that_runs_out_is_no_bug(monkeypatch, capsys):
    def run_out(*_, **__):
        return np.empty(1 << 50, dtype=np.float64)

    monkeypatch.setattr("gamma_align.chance.draws.solve_alignment", run_out)
    assert main(["measure", str(CORPORA / "hearst_kazantseva"), "--samples", "4"]) == 7
    err = capsys.readouterr().err
    assert "the work on documents 'artificial_article/" in err or "the work on documents '" in err
    assert "takes more memory than there is; use fewer workers (--jobs 1)" in err
    monkeypatch.setattr("gamma_align.requests.measure.gamma", run_out)
    assert main(["measure", str(CORPORA / "hearst_kazantseva"), "--samples", "4"]) == 7
    assert "the work takes more memory than there is" in capsys.readouterr().err


@pytest.mark.skipif(sys.platform != "linux", reason="reads control groups of Linux")
def test_least_of_all_limits_is_the_memory_that_is_free(monkeypatch, tmp_path):
    assert 0 < resources.available_memory() < 1 << 50
    own = tmp_path / "of" / "job"
    own.mkdir(parents=True)
    for folder, limit, used, cache in ((own, "max", 10, 0), (own.parent, "5000", "4000", "500")):
        (folder / "memory.max").write_text(f"{limit}\n")
        (folder / "memory.current").write_text(f"{used}\n")
        (folder / "memory.stat").write_text(f"anon 1\ninactive_file {cache}\n")
    monkeypatch.setattr(resources, "_CGROUP_FOLDER", tmp_path)
    monkeypatch.setattr(resources, "_own_group", lambda: own)
    assert [*resources._free_of_control_groups()] == [1500]
    assert resources.available_memory() == 1500
