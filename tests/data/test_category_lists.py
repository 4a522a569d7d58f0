"""Cells that hold several categories: each is a unit of its own."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

import gamma_align as ga

COLUMNS = ["document", "annotator", "start", "end", "labels"]
LISTS = [("ann", 0, 4, ["GOOD", "BAD"]), ("ann", 10, 14, ["GOOD"]), ("bob", 0, 4, ["GOOD"]), ("bob", 10, 15, ["BAD"])]
PRINTED = {
    "Python": str,
    "JSON": json.dumps,
    "NumPy": lambda names: str(np.array(names)),
    "tuple": lambda names: str(tuple(names)),
    "set": lambda names: "{" + ", ".join(map(repr, names)) + "}",
    "without quotes": lambda names: f"[{', '.join(names)}]",
    "mixed": lambda names: str(names) if len(names) > 1 else names[0],
}
EXPECTED = ga.Corpus.from_records(
    [("d", annotator, start, end, name) for annotator, start, end, names in LISTS for name in names]
)


def same(first: ga.Corpus, second: ga.Corpus) -> bool:
    return first.to_frame().equals(second.to_frame())


@pytest.mark.parametrize("printed", PRINTED)
def test_each_name_in_a_list_is_a_unit(printed, tmp_path):
    rows = [("d", annotator, start, end, PRINTED[printed](names)) for annotator, start, end, names in LISTS]
    frame = pd.DataFrame(rows, columns=COLUMNS)
    path = tmp_path / "units.csv"
    frame.to_csv(path, index=False)
    for corpus in (ga.read(path), ga.read(frame), ga.read(path, document="{document}")):
        assert same(corpus, EXPECTED)
        assert any("lists" in note for note in corpus.notes)
    assert ga.validate(path).columns.corpus().n_units == EXPECTED.n_units


def test_names_in_brackets_are_no_lists():
    rows = [("d", "ann", 0, 4, "[laughter]"), ("d", "bob", 0, 4, "[noise]"), ("d", "bob", 6, 8, "(um, er)")]
    corpus = ga.Corpus.from_records([*rows, ("d", "bob", 9, 12, "word")])
    assert corpus.categories == ("(um, er)", "[laughter]", "[noise]", "word")


def test_an_empty_list_is_no_category():
    corpus = ga.Corpus.from_records([("d", "ann", 0, 4, "[]"), ("d", "bob", 0, 4, "['A']")])
    assert corpus.categories == ("A",)
    assert corpus.category.tolist() == [-1, 0]


def test_a_problem_in_a_row_with_a_list_is_named_with_its_line(tmp_path):
    path = tmp_path / "units.csv"
    path.write_text("annotator,start,end,category\nann,0,4,\"['A', 'B']\"\nann,9,6,\"['A', 'B']\"\nbob,0,4,\"['A']\"\n")
    with pytest.raises(ga.InputError, match="line 3"):
        ga.read(path)
    assert len(ga.validate(path).problems) == 2


def test_categories_that_consist_of_others_are_noted():
    corpus = ga.Corpus.from_records([("d", "ann", 0, 4, "A"), ("d", "bob", 0, 4, "B"), ("d", "bob", 6, 8, "A;B")])
    assert corpus.categories == ("A", "A;B", "B")
    assert any("'A;B'" in note for note in corpus.notes)


def test_categories_of_continua_are_no_cells_and_stay():
    table = ga.ItemTable.from_matrix([[{"a, b"}, {"a", "b"}], [{"c"}, {"{c}"}]])
    continuum = table.to_continuum()
    corpus = ga.Corpus.from_continua([continuum])
    assert continuum.categories == corpus.categories == ga.read(corpus).categories == tuple(sorted(table.categories))
    assert corpus.n_units == len(continuum)
