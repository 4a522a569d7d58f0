"""Parquet data sets read in parts give the same corpus as in one piece, or are not read in parts."""

from __future__ import annotations

from dataclasses import replace
from itertools import chain, pairwise
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from places import CORPORA

import gamma_align as ga
from gamma_align.data.parts import CorpusParts, Parts
from gamma_align.errors import InputError
from gamma_align.reading import data_sets
from gamma_align.reading.data_sets import data_set_at
from gamma_align.reading.tables import corpus_tables

NAMES = ["btc_crowd", "novels_ner", "salami"]


@pytest.fixture(autouse=True)
def _small(monkeypatch):
    """Row groups and parts of some hundred units."""
    monkeypatch.setattr(corpus_tables, "ROW_GROUP_SIZE", 300)
    monkeypatch.setattr(data_sets, "_MIN_PART_ROWS", 500)


def joined(parts: Parts) -> ga.Corpus:
    """Put the parts together; equals the corpus that they are the parts of."""
    corpora = [parts[index].corpus for index in range(len(parts))]
    columns = {name: np.concatenate([getattr(corpus, name) for corpus in corpora]) for name in ("start", "end")}
    for name in ("annotator", "category", "seen", "extents"):
        columns[name] = np.concatenate([getattr(corpus, name) for corpus in corpora])
    for name in ("seen_offsets", "unit_offsets"):
        lengths = [np.diff(getattr(corpus, name)) for corpus in corpora]
        columns[name] = np.cumsum(np.concatenate([[0], *lengths]))
    documents = tuple(chain.from_iterable(corpus.documents for corpus in corpora))
    names = parts.annotators, parts.categories
    assert all((corpus.annotators, corpus.categories) == names for corpus in corpora)
    return ga.Corpus(documents, *names, **columns, length_unit=parts.length_unit, notes=parts.notes)


def rewrite(file: Path, change, rows: int) -> None:
    """Write a table of Parquet anew, changed, in groups of so many rows."""
    pq.write_table(change(pq.read_table(file)), file, row_group_size=rows)


def labels(table, column):
    return table.column(column).to_pylist()


def with_column(table, name, values):
    return table.set_column(table.column_names.index(name), name, [values])


def shuffled(table):
    return table.take(np.random.default_rng(1).permutation(len(table)))


@pytest.mark.parametrize("name", NAMES)
def test_parts_joined_are_the_corpus(tmp_path, name):
    ga.write(ga.read(CORPORA / name), tmp_path / "set")
    (tmp_path / "set" / "texts.jsonl").unlink(missing_ok=True)
    corpus = ga.read(tmp_path / "set")
    parts = data_set_at(tmp_path / "set", min_units=1)
    assert len(parts) > 3
    assert replace(joined(parts), notes=()) == corpus
    assert parts.n_documents == len(corpus)
    for codes, counts in ((corpus.annotator, parts.marked.units), (corpus.seen, parts.marked.documents)):
        assert np.bincount(codes, minlength=len(corpus.annotators)).tolist() == counts.tolist()
    pairs = zip(parts.marked.annotator.tolist(), parts.marked.category.tolist(), strict=True)
    assert sorted(pairs) == sorted({*zip(corpus.annotator.tolist(), corpus.category.tolist(), strict=True)})


def test_row_groups_contain_complete_documents(tmp_path):
    corpus = ga.read(CORPORA / "btc_crowd")
    ga.write(corpus, tmp_path / "set")
    for kind in ("units", "annotations", "documents"):
        with pq.ParquetFile(tmp_path / "set" / f"{kind}.parquet") as file:
            groups = [set(labels(file.read_row_group(number), "document")) for number in range(file.num_row_groups)]
        assert len(groups) > 3
        assert sum(map(len, groups)) == len(set.union(*groups))


def test_one_file_of_units_is_read_with_other_names_of_columns(tmp_path):
    corpus, _ = data_sets_corpus()
    ga.write(corpus, tmp_path / "units.parquet")
    rewrite(tmp_path / "units.parquet", lambda table: table.rename_columns([f"{n}_id" for n in table.column_names]), 50)
    columns = {name: f"{name}_id" for name in ("document", "annotator", "start", "end", "category")}
    parts = data_set_at(tmp_path / "units.parquet", columns=columns, min_units=1)
    assert len(parts) > 3
    assert joined(parts) == ga.read(tmp_path / "units.parquet", columns=columns)


def data_sets_corpus(documents=400):
    records = [
        (f"d{number:04}", name, start, start + 4 + number % 3, "xyz"[(number + start) % 3] if start else None)
        for number in range(documents)
        for name in ("Ann", "Bob" if number % 2 else "Cy")
        for start in (0, 10)
    ]
    return ga.Corpus.from_records(records), records


def test_an_unsorted_file_is_one_part(tmp_path):
    corpus, _ = data_sets_corpus()
    ga.write(corpus, tmp_path / "units.parquet")
    rewrite(tmp_path / "units.parquet", shuffled, 100)
    parts = data_set_at(tmp_path / "units.parquet", min_units=1)
    assert len(parts) == 1
    assert replace(joined(parts), notes=()) == corpus


def test_a_document_in_two_groups_keeps_them_together(tmp_path):
    corpus, _ = data_sets_corpus()
    ga.write(corpus, tmp_path / "units.parquet")
    rewrite(tmp_path / "units.parquet", lambda table: table, 501)  # of four rows a document
    parts = data_set_at(tmp_path / "units.parquet", min_units=1)
    assert len(parts) == 1
    assert replace(joined(parts), notes=()) == corpus


def in_files(file, folder, cuts):
    """Write a table into several files of a folder, each in small row groups."""
    folder.mkdir()
    table = pq.read_table(file)
    for number, (first, last) in enumerate(pairwise([0, *cuts, len(table)])):
        pq.write_table(table.slice(first, last - first), folder / f"part-{number}.parquet", row_group_size=80)


@pytest.mark.parametrize(
    ("cuts", "has_several_parts"), [([400, 1200], True), ([402], False)]
)  # of four rows a document
def test_a_folder_of_several_files_is_read_in_parts(tmp_path, cuts, has_several_parts):
    corpus, _ = data_sets_corpus()
    ga.write(corpus, tmp_path / "units.parquet")
    in_files(tmp_path / "units.parquet", tmp_path / "set", cuts)
    parts = data_set_at(tmp_path / "set", min_units=1)
    assert (len(parts) > 1) == has_several_parts
    assert joined(parts) == ga.read(tmp_path / "set")
    assert len(parts.fingerprint) == len(cuts) + 1


def test_a_problem_in_one_of_several_files_names_it(tmp_path):
    corpus, _ = data_sets_corpus()
    ga.write(corpus, tmp_path / "units.parquet")
    starts = [
        99 if row == 401 else start
        for row, start in enumerate(labels(pq.read_table(tmp_path / "units.parquet"), "start"))
    ]
    rewrite(tmp_path / "units.parquet", lambda table: with_column(table, "start", starts), 100)
    in_files(tmp_path / "units.parquet", tmp_path / "set", [398])
    parts = data_set_at(tmp_path / "set", min_units=1)
    problems = [problem for index in range(len(parts)) for problem in parts[index].problems]
    assert [(problem.location.file, problem.location.where) for problem in problems] == [("part-1.parquet", "row 4")]
    assert sum(len(parts[index].corpus) for index in range(len(parts))) == 399


@pytest.mark.parametrize("change", ["numbers", "nulls", "no statistics", "csv", "few", "texts", "other columns"])
def test_other_data_are_not_read_in_parts(tmp_path, change):
    corpus, _ = data_sets_corpus()
    file = tmp_path / "units.parquet"
    ga.write(corpus, file)
    table = pq.read_table(file)
    if change == "numbers":
        rewrite(file, lambda table: with_column(table, "document", [*range(len(table))]), 100)
    elif change == "nulls":
        rewrite(file, lambda table: with_column(table, "document", [None, *labels(table, "document")[1:]]), 100)
    elif change == "no statistics":
        pq.write_table(table, file, write_statistics=False)
    elif change == "texts":
        file = tmp_path / "set"
        ga.write(corpus, file)
        (file / "texts.jsonl").touch()
    elif change == "other columns":
        in_files(file, tmp_path / "set", [400])
        file = tmp_path / "set"
        rewrite(file / "part-1.parquet", lambda table: table.drop_columns("category"), 100)
    elif change == "csv":
        file = tmp_path / "units.csv"
        ga.write(ga.Corpus.from_records([("d", "Ann", 0, 1, "x"), ("d", "Bob", 0, 1, "x")]), file)
    assert data_set_at(file, min_units=corpus.n_units + (change == "few")) is None


def test_documents_with_problems_are_left_out_and_named(tmp_path):
    corpus, records = data_sets_corpus()
    ga.write(corpus, tmp_path / "set")
    units = tmp_path / "set" / "units.parquet"
    starts = [99 if row in (41, 800, 803) else start for row, start in enumerate(labels(pq.read_table(units), "start"))]
    rewrite(units, lambda table: with_column(table, "start", starts), 100)
    lists = tmp_path / "set" / "documents.parquet"
    rewrite(lists, lambda table: table.slice(0, 399), 100)
    parts = data_set_at(tmp_path / "set", min_units=1)
    problems = [problem for index in range(len(parts)) for problem in parts[index].problems]
    places = [(problem.location.file, problem.location.where) for problem in problems]
    assert places == [
        *(("units.parquet", f"row {row}") for row in (42, 801, 804, *range(1597, 1601))),
        *(("annotations.parquet", f"row {row}") for row in (799, 800)),
    ]
    whole = ga.Corpus.from_records([r for r in records if r[0] not in ("d0010", "d0200", "d0399")])
    assert joined(parts) == whole
    assert parts.n_documents == 400
    with pytest.raises(InputError, match=r"row 42: the unit ends at .*, before its start 99"):
        ga.read(tmp_path / "set")


def test_tags_of_tokens_are_refused_in_parts_too(tmp_path):
    records = [(f"d{n}", name, 0, 3, tag) for n in range(9) for name, tag in (("Ann", "B-PER"), ("Bob", "I-PER"))]
    ga.write(ga.Corpus.from_records(records), tmp_path / "units.parquet")
    parts = data_set_at(tmp_path / "units.parquet", min_units=1)
    for read in (lambda: parts.categories, lambda: ga.read(tmp_path / "units.parquet")):
        with pytest.raises(InputError, match="the categories are tags of tokens"):
            read()


def test_the_fingerprint_depends_on_the_content_alone(tmp_path):
    corpus, _ = data_sets_corpus()
    for folder in ("one", "same"):
        ga.write(corpus, tmp_path / folder)
    ga.write(corpus.drop(documents="d0007"), tmp_path / "other")
    one, same, other = (data_set_at(tmp_path / folder, min_units=1).fingerprint for folder in ("one", "same", "other"))
    assert one == same
    assert one.keys() == other.keys()
    assert all(one[name] != other[name] for name in one)


def test_a_corpus_in_memory_has_the_same_parts():
    corpus, _ = data_sets_corpus(50)
    parts = CorpusParts(corpus, 60)
    assert len(parts) > 3
    assert replace(joined(parts), notes=()) == corpus


NFC, NFD = "Jos\u00e9", "Jose\u0301"


def renamed(column, new_name):
    """Return a change: `new_name` returns the label of a row from the old one and the share of rows before."""

    def change(table):
        values = labels(table, column)
        return with_column(table, column, [new_name(value, row / len(values)) for row, value in enumerate(values)])

    return change


@pytest.mark.parametrize("name", ["annotator", "category"])
def test_names_in_two_forms_of_unicode_are_one_in_all_parts(name, tmp_path):
    corpus, _ = data_sets_corpus()
    path = tmp_path / "units.parquet"
    ga.write(corpus, path)
    old_name = {"annotator": "Ann", "category": "x"}[name]
    rewrite(path, renamed(name, lambda label, share: (NFD, NFC)[share > 0.5] if label == old_name else label), 80)
    parts = data_set_at(path, min_units=1)
    assert len(parts) > 2
    whole = ga.read(path)
    assert NFC in (*whole.annotators, *whole.categories)
    assert joined(parts) == whole
    assert sum(NFC in note for note in parts.notes) == 1
    assert len(parts.marked.units) == len(whole.annotators)


def test_a_document_in_two_forms_of_unicode_is_refused_if_it_is_in_two_parts(tmp_path):
    corpus, _ = data_sets_corpus()
    path = tmp_path / "units.parquet"
    ga.write(corpus, path)
    names = {"d0000": NFD, "d0399": NFC}  # "e" and an accent is sorted before all others, "é" after them
    rewrite(path, renamed("document", lambda name, _: names.get(name, f"Joso{name}")), 80)
    assert len(data_set_at(path, min_units=1)) > 2
    with pytest.raises(InputError, match="two forms of Unicode"):
        _ = data_set_at(path, min_units=1).annotators


@pytest.mark.parametrize(("share", "is_asked"), [(1, True), (0.02, False)])
def test_versions_are_asked_about_or_noted_in_parts_too(share, is_asked, tmp_path):
    corpus, _ = data_sets_corpus()
    path = tmp_path / "units.parquet"
    frame = corpus.to_frame().assign(guideline="v1")
    second = frame.iloc[: int(share * len(frame))].assign(guideline="v2")
    frame = pd.concat([frame, second]).sort_values("document", kind="stable")
    frame.to_parquet(path, index=False, row_group_size=80)
    parts = data_set_at(path, min_units=1)
    assert len(parts) > 2
    if is_asked:
        with pytest.raises(InputError, match="'guideline'"):
            _ = parts.annotators
    else:
        assert any("'guideline'" in note for note in parts.notes)
        assert any("'guideline'" in note for note in ga.read(path).notes)


def test_a_column_that_may_have_the_categories_is_asked_about_in_parts_too(tmp_path):
    corpus, _ = data_sets_corpus()
    path = tmp_path / "units.parquet"
    corpus.to_frame().rename(columns={"category": "manoeuvre"}).to_parquet(path, index=False, row_group_size=80)
    for read in (lambda: data_set_at(path, min_units=1).notes, lambda: ga.read(path)):
        with pytest.raises(InputError, match="'manoeuvre' may be it"):
            read()
    for columns in ({"category": None}, {"category": "manoeuvre"}):
        assert data_set_at(path, min_units=1, columns=columns).categories == ga.read(path, columns=columns).categories
