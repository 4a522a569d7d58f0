"""Workbooks with names of columns of anybody's own: read as the data tell, or asked about; never wrongly."""

from __future__ import annotations

import random

import openpyxl
import pytest

import gamma_align as ga

NAMES = ("Datei", "Prüfer", "Beginn", "Ende", "Art")
PEOPLE = ("Lou", "Kai", "Ana Lind")


@pytest.fixture(params=range(3))
def truth(request):
    """Return units of three annotators in two documents: document, annotator, start, end, category."""
    choose = random.Random(f"sheets {request.param}")  # noqa: S311
    found = []
    for document in ("interview1", "interview2"):
        for number in range(14):
            start = 20 * number + choose.randint(0, 6)
            end = start + choose.randint(3, 9)
            category = choose.choice("ABC")
            found += [(document, who, start, end, category) for who in PEOPLE if choose.random() < 0.9]
    return found


def book(path, sheets):
    workbook = openpyxl.Workbook()
    workbook.remove(workbook.active)
    for title, rows in sheets.items():
        sheet = workbook.create_sheet(title)
        for row in rows:
            sheet.append(row)
    path.parent.mkdir(exist_ok=True)
    workbook.save(path)
    return path


def without(row, *places):
    return [cell for place, cell in enumerate(row) if place not in places]


def units(corpus):
    return sorted(corpus.to_frame()[["document", "annotator", "start", "end", "category"]].itertuples(index=False))


def test_a_sheet_below_a_title_is_read(truth, tmp_path):
    path = book(tmp_path / "x.xlsx", {"Tabelle1": [["Projekt 2026"], [], NAMES, *truth]})
    assert units(ga.read(path)) == sorted(truth)


def test_sheets_are_annotators_if_they_mark_the_same_places(truth, tmp_path):
    sheets = {who: [without(NAMES, 1), *(without(unit, 1) for unit in truth if unit[1] == who)] for who in PEOPLE}
    sheets["Codes"] = [["Code", "Bedeutung"], ["A", "erste"], ["B", "zweite"]]
    path = book(tmp_path / "x.xlsx", sheets)
    corpus = ga.read(path)
    assert units(corpus) == sorted(truth)
    mapping = {
        "form": "row",
        "roles": {"document": "Datei", "annotator": "@sheet", "start": "Beginn", "end": "Ende", "category": "Art"},
    }
    again = ga.read(path, map=mapping)
    assert units(again) == sorted(truth)
    assert any("'Codes'" in note for note in again.notes)


def test_sheets_are_documents_if_columns_name_the_annotators(truth, tmp_path):
    documents = sorted({unit[0] for unit in truth})
    sheets = {name: [NAMES[1:], *(unit[1:] for unit in truth if unit[0] == name)] for name in documents}
    path = book(tmp_path / "x.xlsx", sheets)
    assert units(ga.read(path)) == sorted(truth)


def test_a_workbook_of_each_annotator_is_read(truth, tmp_path):
    for who in PEOPLE:
        rows = [without(unit, 1) for unit in truth if unit[1] == who]
        book(tmp_path / "data" / f"{who}.xlsx", {"Tabelle1": [without(NAMES, 1), *rows]})
    assert units(ga.read(tmp_path / "data")) == sorted(truth)


def test_names_that_say_nothing_are_asked_about(truth, tmp_path):
    path = book(tmp_path / "x.xlsx", {"Sheet1": [["V1", "V2", "V3", "V4", "V5"], *truth]})
    with pytest.raises(ga.InputError, match="not read yet") as caught:
        ga.read(path)
    assert units(ga.read(path, map=caught.value.proposals[0])) == sorted(truth)


def test_sheets_of_two_kinds_of_units_are_not_read(truth, tmp_path):
    other = [("Datei", "Kodierer", "von", "bis", "Merkmal"), *truth[:9]]
    with pytest.raises(ga.InputError):
        ga.read(book(tmp_path / "x.xlsx", {"one": [NAMES, *truth], "two": other}))
