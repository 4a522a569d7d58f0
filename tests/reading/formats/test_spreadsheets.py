"""Workbooks: units, a sheet for each annotator, judgments of items; other workbooks are refused."""

import datetime as dt
import io
import zipfile

import openpyxl
import pytest
from places import FORMATS

import gamma_align as ga
from gamma_align.errors import InputError

FOLDER = FORMATS / "spreadsheet"
HEADER = ("document", "annotator", "start", "end", "category")


def saved(folder, name="book.xlsx", **sheets):
    book = openpyxl.Workbook()
    book.remove(book.active)
    for title, rows in sheets.items():
        sheet = book.create_sheet(title)
        for row in rows:
            sheet.append(row)
    book.save(folder / name)
    return folder / name


def units(corpus):
    return [(name, *unit) for name in corpus.documents for unit in corpus[name].units()]


def test_the_sample_has_the_rows_that_another_reader_finds():
    sheet = openpyxl.load_workbook(FOLDER / "units.xlsx")["units"]
    rows = [row for row in sheet.iter_rows(values_only=True) if isinstance(row[2], int | float)]
    expected = sorted((name, who, float(start), float(end), code or "") for name, who, start, end, code in rows)
    assert sorted(units(ga.read(FOLDER / "units.xlsx"))) == expected


def test_sheets_with_documents_in_common_are_annotators(tmp_path):
    path = saved(
        tmp_path,
        mira=[("document", "start", "end", "category"), ("d", 0, 4, "A")],
        jonas=[("document", "start", "end", "category"), ("d", 1, 4, "A"), ("e", 0, 1, "B")],
    )
    corpus = ga.read(path)
    assert units(corpus) == [("d", "jonas", 1, 4, "A"), ("d", "mira", 0, 4, "A"), ("e", "jonas", 0, 1, "B")]
    assert any("each sheet is taken for an annotator" in note for note in corpus.notes)


def test_sheets_that_may_be_annotators_or_documents_are_asked_about(tmp_path):
    path = saved(tmp_path, **{name: [("start", "end", "category"), (at, 4, "A")] for at, name in enumerate(("x", "y"))})
    with pytest.raises(InputError, match="annotators or documents") as refused:
        ga.read(path)
    assert "annotator='{layer}'" in str(refused.value)
    assert "document='{layer}'" in str(refused.value)
    assert units(ga.read(path, annotator="{layer}")) == [("book", "x", 0, 4, "A"), ("book", "y", 1, 4, "A")]
    assert units(ga.read(path, document="{layer}", annotator="ann")) == [
        ("x", "ann", 0, 4, "A"),
        ("y", "ann", 1, 4, "A"),
    ]


def test_sheets_that_name_both_are_one_table(tmp_path):
    path = saved(tmp_path, week1=[HEADER, ("d", "mira", 0, 4, "A")], week2=[HEADER, ("d", "jonas", 0, 3, "A")])
    assert units(ga.read(path)) == [("d", "jonas", 0, 3, "A"), ("d", "mira", 0, 4, "A")]


def test_titles_and_other_sheets_are_left_out(tmp_path):
    path = saved(tmp_path, data=[("Round 2",), (), HEADER, ("d", "mira", 0, 4, "A")], codes=[("A", "liking")])
    corpus = ga.read(path)
    assert units(corpus) == [("d", "mira", 0, 4, "A")]
    assert any("'codes'" in note for note in corpus.notes)


def test_a_wrong_cell_is_refused_with_sheet_and_row(tmp_path):
    path = saved(tmp_path, data=[("Title",), HEADER, ("d", "mira", 0, 4, "A"), ("d", "mira", "x", 4, "A")])
    with pytest.raises(InputError, match=r"book\.xlsx, sheet 'data', line 4: start is 'x'"):
        ga.read(path)


def test_times_of_a_clock_are_seconds(tmp_path):
    clock = dt.time(0, 1, 2, 500_000)
    path = saved(tmp_path, data=[HEADER, ("d", "mira", clock, dt.timedelta(seconds=70), "A")])
    assert units(ga.read(path)) == [("d", "mira", 62.5, 70, "A")]


def test_files_of_annotators_are_read_from_a_folder(tmp_path):
    for who, end in (("mira", 4), ("jonas", 5)):
        (tmp_path / who).mkdir()
        saved(tmp_path / who, "d.xlsx", s=[("start", "end", "category"), (0, end, "A")])
    assert units(ga.read(tmp_path)) == [("d", "jonas", 0, 5, "A"), ("d", "mira", 0, 4, "A")]


def test_judgments_of_items_are_read(tmp_path):
    rows = [("item", "mira", "jonas"), *((f"i{n}", "xyz"[n % 3], "xy"[n % 2]) for n in range(9))]
    table = ga.read_items(saved(tmp_path, s=rows))
    assert (table.coders, len(table)) == (("mira", "jonas"), 9)
    with pytest.raises(InputError, match="2 sheets with cells"):
        ga.read_items(saved(tmp_path, s=rows, t=rows))


def test_a_workbook_without_units_is_refused(tmp_path):
    with pytest.raises(InputError, match="no sheet has columns of start and end"):
        ga.read(saved(tmp_path, codes=[("A", "liking"), ("B", "complaint")]))


@pytest.mark.parametrize("data", [b"PK\x03\x04" + bytes(100), b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600)])
def test_damaged_workbooks_are_refused(data, tmp_path):
    for suffix in (".xlsx", ".ods", ".xls"):
        (tmp_path / f"d{suffix}").write_bytes(data)
        with pytest.raises(InputError):
            ga.read(tmp_path / f"d{suffix}")


def test_a_sheet_that_would_fill_the_memory_is_refused(tmp_path):
    path = saved(tmp_path, s=[HEADER, ("d", "mira", 0, 4, "A")])
    changed = io.BytesIO()
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(changed, "w") as new:
        for name in old.namelist():
            new.writestr(name, old.read(name).replace(b'r="E2"', b'r="XFD1048576"'))
    path.write_bytes(changed.getvalue())
    with pytest.raises(InputError, match="as far as no table does"):
        ga.read(path)
