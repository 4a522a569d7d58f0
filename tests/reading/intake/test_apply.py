"""Maps applied to rows: each form has the units, or the judgments, that one small truth has."""

from __future__ import annotations

import pytest

import gamma_align as ga
from gamma_align.errors import InputError, SettingsError
from gamma_align.reading.intake.apply import items_of, marks_of
from gamma_align.reading.intake.mapping import ColumnMap
from gamma_align.reading.intake.rows import Rows, joined
from gamma_align.reading.marks.choices import choices

# Two annotators of "Anna sang in Rome"; the tokens begin at 0, 5, 10 and 13.
TEXT = "Anna sang in Rome"
TRUTH = {("d", "ben", 0, 4, "PER"), ("d", "mia", 0, 4, "PER"), ("d", "mia", 13, 17, "LOC")}
TOKEN_TRUTH = {("d", "ben", 0, 1, "PER"), ("d", "mia", 0, 1, "PER"), ("d", "mia", 3, 4, "LOC")}


def rows(columns, **about):
    cells = {name: [*values] for name, values in columns.items()}
    length = len(next(iter(cells.values())))
    return Rows("own.csv", cells, range(2, length + 2), **about)


def units(marks):
    assert marks.problems == []
    keys = (marks.keys[key] for key in marks.key)
    labels = (marks.labels[label] for label in marks.label)
    bounds = zip(keys, marks.start, marks.end, labels, strict=True)
    return {(key.document, key.annotator, start, end, label) for key, start, end, label in bounds}


OWNERS = {"Datei": "ddd", "wer": ["mia", "mia", "ben"]}
LABELS = {"was": ["PER", "LOC", "PER"]}
ROLES = {"document": "Datei", "annotator": "wer", "category": "was"}
BOUNDED = {
    "start and end": ({"von": ["0", "13", "0"], "bis": ["4", "17", "4"]}, {"start": "von", "end": "bis"}, {}),
    "start and duration": ({"von": [0, 13, 0], "lang": [4, 4, 4]}, {"start": "von", "duration": "lang"}, {}),
    "inclusive ends": ({"a": [0, 13, 0], "z": [3, 16, 3]}, {"start": "a", "end": "z"}, {"end": "inclusive"}),
    "decimal commas": (
        {"a": ["0,0", "13", "0"], "z": ["4,0", "17,0", "4"]},
        {"start": "a", "end": "z"},
        {"numbers": "comma"},
    ),
    "times": ({"a": ["0:00", "0:13", "0:00"], "z": ["0:04", "0:17", "0:04"]}, {"start": "a", "end": "z"}, {}),
    "a range": (
        {"r": ["0 - 4", "13-17", "0–4"]},
        {"start": {"range": "r", "part": 0}, "end": {"range": "r", "part": 1}},
        {},
    ),
    "start and words": (
        {"a": [0, 13, 0], "q": ["Anna", "Rome", "Anna"]},
        {"start": "a", "end": {"start": "a", "length of": "q"}},
        {},
    ),
}


@pytest.mark.parametrize(("columns", "bounds", "modifiers"), BOUNDED.values(), ids=BOUNDED)
def test_rows_that_are_one_unit_each(columns, bounds, modifiers):
    mapping = ColumnMap.from_json({"form": "row", "roles": {**ROLES, **bounds}, **modifiers})
    assert units(marks_of(rows(OWNERS | LABELS | columns), mapping)) == TRUTH


def test_other_forms_have_the_same_units():
    wide = rows(
        {"d": "dd", "m0": [0, 13], "m1": [4, 17], "ml": ["PER", "LOC"], "b0": [0, ""], "b1": [4, ""], "bl": ["PER", ""]}
    )
    sets = {who: {"start": f"{who[0]}0", "end": f"{who[0]}1", "category": f"{who[0]}l"} for who in ("mia", "ben")}
    assert units(marks_of(wide, ColumnMap("wide", {"document": "d"}, sets))) == TRUTH
    cells = rows(
        {"d": "d", "mia": ['[[0, 4, "PER"], [13, 17, "LOC"]]'], "ben": ["[{'start': 0, 'end': 4, 'label': 'PER'}]"]}
    )
    sets = {who: {"spans": who} for who in ("mia", "ben")}
    assert units(marks_of(cells, ColumnMap("cells", {"document": "d"}, sets))) == TRUTH
    events = rows({
        "d": "d" * 6,
        "who": ["mia", "mia", "ben", "mia", "mia", "ben"],
        "t": [0, 4, 0, 13, 17, 4],
        "what": ["on", "off", "on", "on", "off", "off"],
        "code": ["PER", "PER", "PER", "LOC", "LOC", "PER"],
    })  # fmt: skip
    roles = {"document": "d", "annotator": "who", "time": "t", "event": "what", "category": "code"}
    assert units(marks_of(events, ColumnMap("events", roles, starts=("on",), stops=("off",)))) == TRUTH


@pytest.mark.parametrize(("scheme", "write"), [("B-X", "{1}-{0}"), ("X:B", "{0}:{1}"), ("BX", "{1}{0}"), ("X", "{0}")])
def test_tags(scheme, write):
    per, loc = write.format("PER", "B"), write.format("LOC", "B")
    table = rows({"d": "dddd", "mia": [per, "O", "", loc], "ben": [per, "O", "O", "O"]})
    mapping = ColumnMap("tags", {"document": "d"}, {who: {"tag": who} for who in ("mia", "ben")}, scheme=scheme)
    marks = marks_of(table, mapping)
    assert units(marks) == TOKEN_TRUTH
    assert marks.length_unit == "token"
    assert marks.extents == {"d": (0, 4)}


def test_quotes_are_placed_in_the_texts():
    table = rows(OWNERS | LABELS | {"q": ["Anna", "Rome", "Anna"]})
    mapping = ColumnMap("quotes", ROLES | {"quote": "q"})
    assert units(marks_of(table, mapping, choices(texts={"d": TEXT}))) == TRUTH
    assert (
        units(marks_of(rows({**table.columns, "t": [TEXT] * 3}), ColumnMap("quotes", {**mapping.roles, "text": "t"})))
        == TRUTH
    )
    with pytest.raises(InputError, match="the text of document 'd' is not known"):
        marks_of(table, mapping)


def test_the_order_of_quotes_tells_their_places():
    text = "no yes no yes no"
    mapping = ColumnMap("quotes", {"document": "d", "quote": "q", "text": "t"})
    marks = marks_of(rows({"d": "dddd", "q": ["no", "yes", "no", "yes"], "t": [text] * 4}), mapping)
    assert [*marks.start] == [0, 3, 7, 10]
    assert marks.notes == []
    marks = marks_of(rows({"d": "dd", "q": ["yes", "no"], "t": [text] * 2}), mapping)
    assert [*marks.start] == [3, 7]
    assert "2 quotes with several places" in marks.notes[0]
    marks = marks_of(rows({"d": "dd", "q": ["maybe", "no"], "t": [text] * 2}), mapping)
    assert "1 quote without a place" in marks.notes[0]


def test_equal_epochs_in_succession_are_one_unit():
    table = rows({"mia": ["W", "W", "N", "N"], "ben": ["W", "N", "", "N"]})
    mapping = ColumnMap("epochs", sets={who: {"category": who} for who in ("mia", "ben")}, epoch=30)
    found = {(who, start, end, label) for _, who, start, end, label in units(marks_of(table, mapping))}
    assert found == {
        ("mia", 0, 60, "W"),
        ("mia", 60, 120, "N"),
        ("ben", 0, 30, "W"),
        ("ben", 30, 60, "N"),
        ("ben", 90, 120, "N"),
    }
    assert items_of(table, mapping).rows() == [("W", "W"), ("W", "N"), ("N", None), ("N", "N")]


def test_what_was_seen_and_what_is_left_out():
    bounds = {"a": ["1", "", "2", "3"], "z": ["2", "", "3", "4"]}
    owners = {"d": ["d", "e", "d", "d"], "who": ["mia", "ben", "mia", "mia"]}
    table = rows(owners | bounds | {"c": ["A", "", "B", ""], "state": ["ok", "ok", "cancelled", "ok"]})
    roles = {"document": "d", "annotator": "who", "start": "a", "end": "z", "category": "c"}
    document = {"form": "row", "roles": roles, "where": [["state", "is not", "cancelled"]], "gaps": True}
    marks = marks_of(table, ColumnMap.from_json(document | {"names": {"annotator": {"mia": "Mia"}}}))
    assert units(marks) == {("d", "Mia", 1, 2, "A")}
    assert {key[:2] for key in marks.seen} == {("d", "Mia"), ("e", "ben")}


def test_problems_name_the_line():
    mapping = ColumnMap("row", {"start": "a", "end": "z"})
    marks = marks_of(rows({"a": ["1", "x"], "z": ["2", "3"]}), mapping)
    assert "own.csv, line 3: start is 'x'" in str(marks.problems[0])
    with pytest.raises(InputError, match="needs the column 'z'; there are 'a'"):
        marks_of(rows({"a": ["1"]}), mapping)
    with pytest.raises(InputError, match="reads judgments of items"):
        marks_of(rows({"a": ["1"]}), ColumnMap("counts", columns=("a",)))


JUDGMENTS = [("x", "x"), ("y", "x"), ("x", None)]
ITEM_TABLES = {
    "wide": (
        {"n": "123", "mia": "xyx", "ben": ["x", "x", "NA"]},
        {"form": "items-wide", "roles": {"item": "n"}, "sets": {who: {"category": who} for who in ("mia", "ben")}},
    ),
    "long": (
        {"n": "11223", "who": ["ben", "mia", "ben", "mia", "ben"], "c": "xxyxx"},
        {"form": "items-long", "roles": {"item": "n", "annotator": "who", "category": "c"}},
    ),
    "transposed": (
        {"who": ["mia", "ben"], "1": ["x", "x"], "2": ["y", "x"], "3": ["x", ""]},
        {"form": "items-transposed", "roles": {"annotator": "who"}, "columns": ["1", "2", "3"]},
    ),
}  # fmt: skip


@pytest.mark.parametrize(("columns", "document"), ITEM_TABLES.values(), ids=ITEM_TABLES)
def test_items(columns, document):
    assert items_of(rows(columns), ColumnMap.from_json(document)).rows() == JUDGMENTS


def test_counts_and_contingency():
    counts = items_of(
        rows({"n": "12", "x": [2, 1], "y": [0, 1]}), ColumnMap("counts", {"item": "n"}, columns=("x", "y"))
    )
    assert [sorted(row) for row in counts.rows()] == [["x", "x"], ["x", "y"]]
    table = rows({"": ["x", "y"], "x": ["1", "0"], "y": ["1", "1"]})
    square = items_of(table, ColumnMap("contingency", {"category": ""}, columns=("x", "y")))
    assert sorted(square.rows()) == [("x", "x"), ("x", "y"), ("y", "y")]


def test_files_are_joined_with_their_places():
    parts = [
        rows({"a": [1]}, places={"@stem": "mia"}, length_unit="s"),
        Rows("two.csv", {"a": [2], "b": [3]}, ["row 7"], {"@stem": "ben"}, "s"),
    ]
    table = joined(parts, "folder")
    assert {name: [*cells] for name, cells in table.columns.items()} == {
        "a": [1, 2],
        "@stem": ["mia", "ben"],
        "b": [None, 3],
    }
    assert [*table.where] == ["own.csv, line 2", "two.csv, row 7"]
    assert table.length_unit == "s"


def test_a_path_is_read_with_a_map(tmp_path):
    for who, cells in {"mia": "0;4;PER\n13;17;LOC\n", "ben": "0;4;PER\n"}.items():
        (tmp_path / "texts" / who).mkdir(parents=True)
        text = f"Project of 2026\n\nvon;bis;was\n{cells}"
        (tmp_path / "texts" / who / "d.csv").write_text(text, encoding="utf-8")
    roles = {"document": "@stem", "annotator": "@folder 1", "start": "von", "end": "bis", "category": "was"}
    corpus = ga.read(tmp_path / "texts", map={"form": "row", "roles": roles}, texts={"d": TEXT})
    found = {("d", unit.annotator, unit.start, unit.end, unit.category) for unit in corpus.continuum(0).units()}
    assert found == TRUTH
    assert corpus.texts == (TEXT,)
    with pytest.raises(InputError, match=r"mia/d\.csv|ben/d\.csv"):
        ga.read(tmp_path / "texts", map={"form": "row", "roles": roles | {"category": "Code"}})
    with pytest.raises(SettingsError, match="columns"):
        ga.read(tmp_path / "texts", map={"form": "row", "roles": roles}, columns={"start": "von"})


def test_items_are_read_with_a_map(tmp_path):
    for who in ("mia", "ben"):
        for night in ("n1", "n2"):
            (tmp_path / "stages").mkdir(exist_ok=True)
            (tmp_path / "stages" / f"{night}_{who}.txt").write_text("W\nW\nN\nN\n" if who == "mia" else "W\nN\n\nN\n")
    roles = {"document": "@name 1", "annotator": "@name 2", "category": "column 1"}
    table = ga.read_items(tmp_path / "stages", map={"form": "epochs", "roles": roles})
    assert table.coders == ("ben", "mia")
    assert table.rows() == [("W", "W"), ("N", "W"), (None, "N"), ("N", "N")] * 2
    with pytest.raises(SettingsError, match="layout"):
        ga.read_items(tmp_path / "stages", map={"form": "epochs", "roles": roles}, layout="wide")
