"""Where the work is kept and what does it, on the command line; documents left out, and documents a second."""

from __future__ import annotations

import json

import pytest
from places import CORPORA

import gamma_align as ga
from gamma_align.apps.cli import main
from gamma_align.apps.cli._messages import progress_line
from gamma_align.apps.cli.measure import without_value

CORPUS = str(CORPORA / "hearst_kazantseva")
RESULT = ga.gamma(CORPUS, samples=4).to_dict()


def measured(capsys, *options, code=0):
    assert main(["measure", CORPUS, "--samples", "4", "--quiet", "--json", *map(str, options)]) == code
    return capsys.readouterr()


@pytest.mark.parametrize("options", [(), pytest.param(("--jobs", "2"), marks=pytest.mark.surfaces)], ids=str)
def test_work_is_kept_and_taken_up(tmp_path, capsys, options):
    for _ in range(2):
        found = json.loads(measured(capsys, "--work", tmp_path / "work", *options).out)
        assert {name: found[name] for name in ("corpus", "documents", "signature")} == {
            name: RESULT[name] for name in ("corpus", "documents", "signature")
        }
    refused = measured(capsys, "--work", tmp_path / "work", "--seed", "1", code=2)
    assert "holds other work: seed 0 there, 1 now; name another folder" in refused.err
    assert not refused.out


def test_a_cluster_that_does_not_answer_is_named(capsys, monkeypatch):
    pytest.importorskip("distributed")
    monkeypatch.setattr("gamma_align.apps.cli._engine._TIMEOUT_SECONDS", 0.1)
    refused = measured(capsys, "--dask", "tcp://127.0.0.1:9", code=2)
    assert "no Dask cluster at tcp://127.0.0.1:9" in refused.err


@pytest.mark.surfaces
def test_a_cluster_without_workers_is_named_with_the_command_that_starts_one(capsys, monkeypatch):
    distributed = pytest.importorskip("distributed")
    monkeypatch.setattr("gamma_align.apps.cli._engine._WORKER_TIMEOUT_SECONDS", 0.1)
    settings = {"n_workers": 0, "processes": False, "dashboard_address": None, "host": "127.0.0.1", "protocol": "tcp"}
    with distributed.LocalCluster(**settings) as cluster:
        address = cluster.scheduler_address
        refused = measured(capsys, "--dask", address, code=2)
    assert f"the Dask cluster at {address} has no worker after 0.1 seconds" in refused.err
    assert f"start workers with  dask worker {address}" in refused.err


def test_documents_left_out_are_named_and_the_exit_code_says_so(capsys, monkeypatch):
    problems = tuple(f"units.parquet, row {row}: it ends before it starts" for row in range(23))
    result = ga.gamma(CORPUS, samples=4)
    fields = {name: getattr(result, name) for name in result.__slots__}
    monkeypatch.setattr(
        "gamma_align.requests.measure.gamma", lambda *_, **__: ga.GammaResult(**fields | {"problems": problems})
    )
    streams = measured(capsys, code=6)
    assert streams.err.count("it ends before it starts") == 20
    assert "3 more problems, which --json has; documents with problems are left out of the result" in streams.err
    assert json.loads(streams.out)["problems"] == [*problems]


def test_many_documents_without_a_value_are_counted_by_reason():
    units = [("together", "ann", 0, 4, "x"), ("together", "bob", 1, 4, "x"), ("apart", "ann", 0, 2, "x")]
    units += [("apart", "bob", 50, 52, "x"), *((f"alone {number}", "ann", 0, 1, "x") for number in range(97))]
    corpus = ga.Corpus.from_records(
        units, annotations=[("empty", "ann"), ("empty", "bob"), *(unit[:2] for unit in units)]
    )
    result = ga.gamma(corpus, samples=4)
    of_gamma, of_gamma_cat = without_value(result)
    assert of_gamma == "γ: 98 of 100 documents have no value: one annotator only (97), no units (1)"
    assert of_gamma_cat == (
        "γcat: 100 of 100 documents have no value: one annotator only (97), no two units are aligned (1), "
        "no units (1), the categories that meet do not differ (1)"
    )
    assert [*without_value(ga.gamma(corpus.select(documents=corpus.documents[:99]), samples=4))] == []


def test_progress_of_many_documents_has_their_rate():
    assert progress_line(30, 120, 2.0, 800)[1] == " 25 % (30 of 120, 100 documents a second, 6 s left)"
    assert progress_line(30, 120, 2.0)[1] == " 25 % (30 of 120, 6 s left)"
