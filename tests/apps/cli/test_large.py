"""Data sets measured part by part from the command line: the same bytes as all at once."""

from __future__ import annotations

import json

import pyarrow.parquet as pq
import pytest
from command_line import run
from places import CORPORA

import gamma_align as ga
from gamma_align.apps.cli import measure
from gamma_align.reading import data_sets, sorting
from gamma_align.reading.data_sets import DataSet
from gamma_align.reading.tables import corpus_tables


@pytest.fixture
def measured(monkeypatch, tmp_path):
    """Return what the command line says of a data set at once and in parts, and how many parts those were."""
    monkeypatch.setattr(corpus_tables, "ROW_GROUP_SIZE", 300)
    monkeypatch.setattr(data_sets, "_MIN_PART_ROWS", 500)
    seen = []
    compute = measure.compute_measure
    monkeypatch.setattr(
        measure, "compute_measure", lambda data, *others: (seen.append(data), compute(data, *others))[1]
    )

    def both(*arguments):
        results = []
        for least in (1 << 40, 1):
            monkeypatch.setattr(data_sets, "LARGE", least)
            results.append(run("measure", *arguments, cwd=tmp_path))
        in_parts = [data for data in seen if isinstance(data, DataSet)]
        assert in_parts in ([], seen[-1:])
        return *results, len(in_parts[0]) if in_parts else 0

    return both


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("btc_crowd", ()),
        ("salami", ("--samples", "4")),
        ("novels_ner", ("--samples", "3")),
        ("novels_ner", ("--samples", "2", "--coefficients", "gamma,unitizing-alpha")),
        ("btc_crowd", ("--coefficients", "unitizing-alpha", "--overlap", "layers")),
    ],
)
def test_a_data_set_in_parts_gives_the_same_bytes(tmp_path, measured, name, settings):
    assert run("convert", CORPORA / name, tmp_path / "set").returncode == 0
    (tmp_path / "set" / "texts.jsonl").unlink(missing_ok=True)
    at_once, in_parts, parts = measured("set", "--json", *settings)
    assert parts > 3
    assert at_once.returncode == in_parts.returncode == 0, in_parts.stderr
    assert at_once.stdout == in_parts.stdout
    assert at_once.stderr == in_parts.stderr


@pytest.mark.surfaces
def test_several_workers_and_kept_work_too(tmp_path, measured):
    ga.write(ga.read(CORPORA / "btc_crowd"), tmp_path / "set")
    at_once, in_parts, parts = measured("set", "--json", "--samples", "4", "--jobs", "2")
    assert parts > 3
    assert at_once.stdout == in_parts.stdout
    kept = run("measure", "set", "--json", "--samples", "4", "--work", "work", cwd=tmp_path)
    assert kept.stdout == at_once.stdout
    again = run("measure", "set", "--json", "--samples", "4", "--work", "work", cwd=tmp_path)
    assert again.stdout == at_once.stdout


@pytest.mark.parametrize(
    "choice",
    [
        ("--annotator", "w0001,w0002"),
        ("--labels", "PER"),
        ("--sampler", "documents"),
    ],
)
def test_what_is_chosen_of_a_data_set_is_read_at_once(tmp_path, measured, choice):
    ga.write(ga.read(CORPORA / "btc_crowd"), tmp_path / "set")
    at_once, in_parts, parts = measured("set", "--json", "--samples", "2", *choice)
    assert parts == 0
    assert at_once.stdout == in_parts.stdout


@pytest.mark.parametrize("options", [("--samples", "2"), ("--coefficients", "unitizing-alpha", "--overlap", "layers")])
def test_documents_with_problems_are_left_out_and_the_exit_code_says_so(tmp_path, measured, options):
    ga.write(ga.read(CORPORA / "btc_crowd"), tmp_path / "set")
    units = tmp_path / "set" / "units.parquet"
    with pq.ParquetFile(units) as file:
        first, *others = [file.read_row_group(number) for number in range(file.num_row_groups)]
    ends = [-1 if row == 5 else end for row, end in enumerate(first.column("end").to_pylist())]
    document = first.column("document")[5].as_py()
    with pq.ParquetWriter(units, first.schema) as file:
        for group in (first.set_column(first.column_names.index("end"), "end", [ends]), *others):
            file.write_table(group)
    at_once, in_parts, parts = measured("set", "--json", *options)
    assert parts > 3
    assert (at_once.returncode, in_parts.returncode) == (3, 6)
    assert "units.parquet, row 6: the unit ends at -1, before its start" in in_parts.stderr
    said = json.loads(in_parts.stdout)
    assert document not in [each["document"] for each in said["documents"]]
    assert len(said["documents"]) == 1199
    assert "row 6: the unit ends at -1" in said["problems"][0]


def test_large_tables_that_are_read_at_once_are_said_to_be(tmp_path, monkeypatch):
    monkeypatch.setattr(sorting, "LARGE", dict.fromkeys(sorting.LARGE, 0))
    ga.write(ga.Corpus.from_records([("d", "Ann", 0, 4, "x"), ("d", "Bob", 0, 5, "x")]), tmp_path / "units.csv")
    said = run("measure", "units.csv", "--samples", "2", cwd=tmp_path)
    note = "gamma-align: note: units.csv: it is read into memory as a whole; gamma-align convert"
    assert said.stderr.startswith(note)
    assert "gamma-align convert" not in run("measure", "units.csv", "--samples", "2", "--quiet", cwd=tmp_path).stderr


def test_gamma_of_a_path_takes_it_in_parts(tmp_path, monkeypatch):
    corpus = ga.read(CORPORA / "btc_crowd")
    monkeypatch.setattr(corpus_tables, "ROW_GROUP_SIZE", 300)
    monkeypatch.setattr(data_sets, "_MIN_PART_ROWS", 500)
    ga.write(corpus, tmp_path / "set")
    at_once = ga.gamma(tmp_path / "set", samples=3)
    monkeypatch.setattr(data_sets, "LARGE", 1)
    monkeypatch.setattr("gamma_align.reading.read.read", None)  # nothing is read at once
    assert json.dumps(ga.gamma(tmp_path / "set", samples=3).to_dict()) == json.dumps(at_once.to_dict())


def test_the_unitizing_family_alone_keeps_no_work(tmp_path):
    data = CORPORA / "pygamma" / "AlexPaulSuzan.csv"
    done = run("measure", data, "--coefficients", "unitizing-alpha", "--work", "work", cwd=tmp_path)
    assert (done.returncode, "--work" in done.stderr, (tmp_path / "work").exists()) == (2, True, False)
