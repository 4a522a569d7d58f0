"""Tables sorted on disk: the data set is complete and in order, or nothing is written."""

from __future__ import annotations

import random
from dataclasses import replace

import pandas as pd
import pyarrow.parquet as pq
import pytest
from places import CORPORA

import gamma_align as ga
from gamma_align.apps.cli import convert, main
from gamma_align.errors import InputError
from gamma_align.reading import sorting
from gamma_align.reading.sorting import convert_large
from gamma_align.reading.tables import corpus_tables

HEADER = "document,annotator,start,end,category"


@pytest.fixture(autouse=True)
def _small(monkeypatch):
    """Everything is large, and is sorted in runs of few rows."""
    monkeypatch.setattr(sorting, "LARGE", dict.fromkeys(sorting.LARGE, 0))
    monkeypatch.setattr(corpus_tables, "ROW_GROUP_SIZE", 300)
    for name, rows in (("_RUN_ROWS", 1000), ("_GROUP_ROWS", 64), ("_BATCH_ROWS", 1000)):
        monkeypatch.setattr(sorting, name, rows)


def in_any_order(folder):
    """Put the lines of tables below the header in any order."""
    for file in folder.iterdir():
        head, *lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
        random.Random(1).shuffle(lines)  # noqa: S311
        file.write_text("".join([head, *lines]), encoding="utf-8")


def rows(documents):
    return [
        f"d{number},{name},{start},{start + 4 + number % 3},{'xyz'[(number + start) % 3]}"
        for number in range(documents)
        for name in ("Ann", "Bob")
        for start in (0, 10)
    ]


def csv_file(folder, lines, header=HEADER):
    file = folder / "units.csv"
    file.write_text("\n".join([header, *lines]) + "\n", encoding="utf-8")
    return file


@pytest.mark.parametrize(("name", "fmt"), [("btc_crowd", "csv"), ("salami", "tsv"), ("novels_ner", "parquet")])
def test_the_sorted_data_set_equals_the_corpus_that_is_read(tmp_path, name, fmt):
    corpus = replace(ga.read(CORPORA / name), texts=None)
    ga.write(corpus, f"{tmp_path / 'raw'}/", format=fmt)
    if fmt != "parquet":
        in_any_order(tmp_path / "raw")
    written = convert_large(tmp_path / "raw", tmp_path / "set")
    assert ga.read(tmp_path / "set") == corpus
    assert (written.documents, written.annotators, written.units) == (
        len(corpus),
        len(corpus.annotators),
        corpus.n_units,
    )
    ga.write(corpus, tmp_path / "in memory")
    for kind in ("units", "annotations", "documents"):
        sorted_file, written_file = (pq.read_table(tmp_path / of / f"{kind}.parquet") for of in ("set", "in memory"))
        assert sorted_file.schema.equals(written_file.schema)
        assert sorted_file.to_pylist() == written_file.to_pylist()
        with pq.ParquetFile(tmp_path / "set" / f"{kind}.parquet") as file:
            assert file.num_row_groups > 10
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in memory", "raw", "set"]


def test_a_document_longer_than_a_row_group_stays_complete(tmp_path):
    lines = [f"{'b' if row % 7 else 'ac'[row % 2]},{'AB'[row % 2]},{row},{row + 1.5},x" for row in range(9000)]
    file = csv_file(tmp_path, lines)
    convert_large(file, tmp_path / "set")
    assert ga.read(tmp_path / "set") == replace(ga.read(file), notes=())


@pytest.mark.parametrize("categories", ["later", "never"])
def test_empty_categories_are_labels_if_others_exist(tmp_path, categories):
    lines = [f"d{row // 4},{'AB'[row % 2]},{row},{row + 2}," for row in range(5000)]
    lines[-1] += "x" * (categories == "later")
    file = csv_file(tmp_path, lines)
    convert_large(file, tmp_path / "set")
    assert ga.read(tmp_path / "set").categories == (("", "x") if categories == "later" else ())
    assert ga.read(tmp_path / "set") == ga.read(file)


def test_renamed_columns_and_semicolons_are_sorted_too(tmp_path):
    lines = [line.replace(",", ";").replace(";10;", ";10,5;") for line in rows(2000)]
    file = csv_file(tmp_path, lines, "text;coder;begin;end;label")
    columns = {"document": "text"}
    file = file.rename(file.with_name("raw.csv"))
    written = convert_large(file, tmp_path / "set", columns=columns)
    corpus = ga.read(file, columns=columns)
    assert ga.read(tmp_path / "set") == replace(corpus, notes=())
    assert set(written.notes) == set(corpus.notes)


def test_one_file_of_units_is_written_if_it_can_hold_the_corpus(tmp_path):
    convert_large(csv_file(tmp_path, rows(400)), tmp_path / "set.parquet")
    assert ga.read(tmp_path / "set.parquet") == ga.read(tmp_path / "units.csv")
    (tmp_path / "documents.csv").write_text(
        "document,length\n" + "".join(f"d{number},50\n" for number in range(400)), encoding="utf-8"
    )
    with pytest.raises(InputError, match=r"one file of units would lose the extents of .*write a folder"):
        convert_large(tmp_path, tmp_path / "new" / "other.parquet")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["documents.csv", "set.parquet", "units.csv"]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ("d7,Ann,9,3,x", "units.csv, line 5002: the unit ends at 3, before its start 9"),
        ("d7,Ann,9,x", "units.csv, line 5002: 4 fields, but the first row has 5"),
        ("d7,,1,3,x", "units.csv, line 5002: the annotator is empty"),
        (
            "d7,Ann,1,99,x",
            "units.csv: 1 unit outside the declared extent of 1 document; .*\n  line 5002: ",
        ),
        ("e,Ann,1,9,x", "units.csv, line 5002: document 'e' is not listed in documents.csv"),
    ],
)
def test_problems_are_refused_with_their_line_and_leave_no_files(tmp_path, wrong, message):
    lines = rows(1300)
    lines.insert(5000, wrong)
    csv_file(tmp_path, lines)
    listed = "".join(f"d{number},50\n" for number in range(1300))
    (tmp_path / "documents.csv").write_text(f"document,length\n{listed}", encoding="utf-8")
    for read in (lambda: convert_large(tmp_path, tmp_path / "set"), lambda: ga.read(tmp_path)):
        with pytest.raises(InputError, match=message):
            read()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["documents.csv", "units.csv"]


def test_units_outside_their_document_extend_it_on_request(tmp_path):
    csv_file(tmp_path, rows(300))
    listed = "".join(f"d{number},12\n" for number in range(300))
    (tmp_path / "documents.csv").write_text(f"document,length\n{listed}", encoding="utf-8")
    convert_large(tmp_path, tmp_path / "set", outside="extend")
    assert ga.read(tmp_path / "set") == replace(ga.read(tmp_path, outside="extend"), notes=())


@pytest.mark.parametrize("moment", ["write_table", "check_tables"])
def test_an_interruption_leaves_no_files(tmp_path, monkeypatch, moment):
    file, calls = csv_file(tmp_path, rows(2000)), []
    original = getattr(sorting, moment)

    def interrupted(*arguments, **settings):
        calls.append(1)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return original(*arguments, **settings)

    monkeypatch.setattr(sorting, moment, interrupted)
    with pytest.raises(KeyboardInterrupt):
        convert_large(file, tmp_path / "set")
    assert [path.name for path in tmp_path.iterdir()] == ["units.csv"]


@pytest.mark.parametrize("difference", ["small", "no documents", "no annotators", "texts", "tool"])
def test_other_data_are_not_sorted_on_disk(tmp_path, monkeypatch, difference):
    if difference == "small":
        monkeypatch.setattr(sorting, "LARGE", {"csv": 1 << 28})
    if difference == "tool":
        assert convert_large(CORPORA / "formats" / "rttm", tmp_path / "set", format="rttm") is None
        return
    cut = {"no documents": 0, "no annotators": 1}.get(difference)
    lines = [[cell for index, cell in enumerate(line.split(",")) if index != cut] for line in (HEADER, *rows(20))]
    header, *lines = map(",".join, lines)
    csv_file(tmp_path, lines, header)
    if difference == "texts":
        (tmp_path / "texts.jsonl").touch()
    assert convert_large(tmp_path, tmp_path / "set") is None
    assert not (tmp_path / "set").exists()


def test_convert_sorts_large_tables_on_disk(tmp_path, monkeypatch, capsys):
    file = csv_file(tmp_path, [line.replace("Ann", "Ann ") for line in rows(50)])
    monkeypatch.setattr(convert, "read_corpus", None)  # nothing is read whole
    assert main(["convert", str(file), str(tmp_path / "set")]) == 0
    assert capsys.readouterr().err == (
        "gamma-align: note: units.csv: column annotator: blanks at the edge are kept as part of the name: 'Ann '\n"
        f"gamma-align: note: {tmp_path / 'set'}: 50 documents, 2 annotators, 200 units\n"
    )
    assert main(["convert", str(file), f"{tmp_path / 'set.parquet'}", "--quiet"]) == 0
    assert ga.read(tmp_path / "set").to_tables().units["end"].tolist() == (
        ga.read(tmp_path / "set.parquet").to_tables().units["end"].tolist()
    )
    assert capsys.readouterr().err == ""


def test_selected_or_changed_data_are_read_into_memory(tmp_path):
    file = csv_file(tmp_path, rows(50))
    assert main(["convert", str(file), str(tmp_path / "one"), "--document", "d1", "--quiet"]) == 0
    assert main(["convert", str(file), str(tmp_path / "text"), "--to", "csv", "--quiet"]) == 0
    assert ga.read(tmp_path / "one").documents == ("d1",)
    assert ga.read(tmp_path / "text") == ga.read(file)


@pytest.mark.parametrize("role", ["document", "annotator", "category"])
@pytest.mark.parametrize("fmt", ["csv", "parquet"])
def test_names_in_two_forms_of_unicode_are_one_in_all_runs(role, fmt, tmp_path):
    units = pd.DataFrame([row.split(",") for row in rows(700)], columns=HEADER.split(","))
    old_name = {"document": "d5", "annotator": "Ann", "category": "x"}[role]
    names = ["Jos\u00e9" if row % 2 else "Jose\u0301" for row in range(len(units))]
    units[role] = units[role].where(units[role] != old_name, names)
    units = units.astype({"start": int, "end": int}).sample(frac=1, random_state=1)
    path = tmp_path / f"units.{fmt}"
    _ = units.to_csv(path, index=False) if fmt == "csv" else units.to_parquet(path, index=False)
    written = convert_large(path, tmp_path / "set")
    corpus = replace(ga.read(path), notes=())
    assert "Jos\u00e9" in (*corpus.documents, *corpus.annotators, *corpus.categories)
    assert ga.read(tmp_path / "set") == corpus
    assert sum("Jos\u00e9" in note for note in written.notes) == 1


@pytest.mark.parametrize("fmt", ["csv", "parquet"])
@pytest.mark.parametrize(("share", "is_asked"), [(1, True), (0.02, False)])
def test_versions_are_asked_about_or_noted_with_the_column(fmt, share, is_asked, tmp_path):
    units = pd.DataFrame([row.split(",") for row in rows(700)], columns=HEADER.split(","))
    units = units.astype({"start": int, "end": int}).assign(text=lambda frame: frame.index.map(str), guideline="v1")
    second = units.sample(frac=share, random_state=1).assign(guideline="v2")
    path = tmp_path / f"units.{fmt}"
    units = pd.concat([units, second])
    _ = units.to_csv(path, index=False) if fmt == "csv" else units.to_parquet(path, index=False)
    if is_asked:
        with pytest.raises(InputError, match="'guideline'"):
            convert_large(path, tmp_path / "set")
        assert [*tmp_path.iterdir()] == [path]
    else:
        notes = convert_large(path, tmp_path / "set").notes
        assert [note for note in notes if "'guideline'" in note] == [
            note.replace(str(path), path.name) for note in ga.read(path).notes if "'guideline'" in note
        ]


def test_several_categories_of_a_few_spans_are_no_versions(tmp_path):
    units = pd.DataFrame([row.split(",") for row in rows(700)], columns=HEADER.split(",")).assign(attribute="a")
    second = units.sample(frac=0.2, random_state=1).assign(category="other", attribute="b")
    path = tmp_path / "units.csv"
    pd.concat([units, second]).to_csv(path, index=False)
    assert not any("'attribute'" in note for note in convert_large(path, tmp_path / "set").notes)


@pytest.mark.parametrize("fmt", ["csv", "parquet"])
def test_a_column_that_may_have_the_categories_is_asked_about(fmt, tmp_path):
    units = pd.DataFrame([row.split(",") for row in rows(700)], columns=HEADER.split(","))
    units = units.astype({"start": int, "end": int}).rename(columns={"category": "manoeuvre"})
    path = tmp_path / f"units.{fmt}"
    _ = units.to_csv(path, index=False) if fmt == "csv" else units.to_parquet(path, index=False)
    with pytest.raises(InputError, match="'manoeuvre' may be it"):
        convert_large(path, tmp_path / "set")
    assert convert_large(path, tmp_path / "set", columns={"category": None}).units == len(units)
    assert ga.read(tmp_path / "set").categories == ()
