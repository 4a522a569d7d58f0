"""Documents in which an annotator has no unit, where the data do not tell whether the annotator saw them."""

from __future__ import annotations

import json

import pytest

import gamma_align as ga
from tests.helpers.command_line import run

ROWS = ["d1,a,0,5,x", "d1,b,0,5,x", "d2,a,3,5,y", "d2,b,3,6,y", "d3,a,3,5,y", "d3,a,9,15,x"]
HEADER = "document,annotator,start,end,category"
NOTE = "1 of 6 pairs of document and annotator have no units, and the data do not tell"


def table(folder, name="units.csv", rows=ROWS):
    path = folder / name
    path.write_text("\n".join([HEADER, *rows]) + "\n")
    return path


def notes_of(corpus):
    return [note for note in corpus.notes if "pairs of document" in note]


@pytest.mark.parametrize("settings", [{}, {"document": "{document}"}, {"labels": {"x": "z", "*": "y"}}])
def test_a_table_of_units_alone_does_not_tell_who_saw_a_document(tmp_path, settings):
    path = table(tmp_path)
    corpus = ga.read(path, **settings)
    assert [NOTE in note for note in notes_of(corpus)] == [True]
    assert corpus.n_annotators.tolist() == [2, 2, 1]
    seen = ga.read(path, seen="all", **settings)
    assert notes_of(seen) == []
    assert seen.n_annotators.tolist() == [2, 2, 2]
    assert seen.start.tolist() == corpus.start.tolist()


def test_files_of_an_annotator_each_are_counted_together(tmp_path):
    paths = [table(tmp_path, f"{name}.csv", [row for row in ROWS if f",{name}," in row]) for name in "ab"]
    assert len(notes_of(ga.read(paths))) == 1
    assert ga.read(paths, seen="all").n_annotators.tolist() == [2, 2, 2]
    assert notes_of(ga.read(paths[0])) == []


def test_what_the_data_tell_is_not_said(tmp_path):
    folder = tmp_path / "tables"
    folder.mkdir()
    table(folder)
    annotations = ["d1,a", "d1,b", "d2,a", "d2,b", "d3,a"]
    (folder / "annotations.csv").write_text("\n".join(["document,annotator", *annotations]) + "\n")
    spans = {"a": [[0, 5, "x"]], "b": []}
    records = [{"document": "d1", "annotator": name, "text": "hello", "spans": own} for name, own in spans.items()]
    records.append({"document": "d2", "annotator": "a", "text": "hello", "spans": []})
    lines = tmp_path / "texts.jsonl"
    lines.write_text("".join(json.dumps(record) + "\n" for record in records))
    files = tmp_path / "files"
    for name in ("a/d1", "a/d2", "b/d1"):
        (files / name).parent.mkdir(parents=True, exist_ok=True)
        (files / f"{name}.csv").write_text("start,end,category\n0,5,x\n")
    for path in (folder, lines, files / "{annotator}/{document}.csv"):
        corpus = ga.read(path)
        assert corpus.seen_is_told
        assert notes_of(corpus) == []


def test_both_values_are_given(tmp_path):
    path = table(tmp_path)
    first, second = (ga.gamma(ga.read(path, seen=seen), samples=30).gamma.value for seen in ("told", "all"))
    done = run("measure", path, "--samples", "30")
    assert f"γ would be {second:.4f} in place of {first:.4f}" in done.stderr
    assert "--seen all" in done.stderr
    assert abs(first - second) > 0.1
    assert "γ would be" not in run("measure", path, "--samples", "30", "--seen", "all").stderr


def test_parts_and_merged_corpora_know_whether_it_is_told(tmp_path):
    corpus = ga.read(table(tmp_path))
    assert not corpus.select(documents=["d1", "d3"]).seen_is_told
    assert not corpus.merge(ga.Corpus.from_records([("d4", "a", 0, 1)])).seen_is_told
    assert corpus.seen_by_all().seen_is_told
