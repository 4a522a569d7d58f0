"""Delimited tables at their limits: blocks of rows, encodings, oversized cells, settings of the user."""

import ast
import csv
import io
import random
import tracemalloc
from dataclasses import replace

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import assume, given, reject
from hypothesis import strategies as st
from places import FORMATS

from gamma_align import Corpus
from gamma_align.errors import GammaAlignError, InputError, SettingsError
from gamma_align.reading.files.sources import Source
from gamma_align.reading.marks.writable import reduced
from gamma_align.reading.read import read
from gamma_align.reading.tables import csv_tables
from gamma_align.reading.tables.csv_tables import quoted
from gamma_align.reading.write import write

HEADER = "document,annotator,start,end,category\n"
UNITS = HEADER + "d1,ann,0,5,x\nd1,bob,1,5,y\nd2,ann,2,3,x\n"
WRITTEN = [("d1", "ann", 0, 5, "x"), ("d1", "bob", 1, 5, "y"), ("d2", "ann", 2, 3, "x")]


def saved(folder, text, name="talk.csv", encoding="utf-8"):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode(encoding))
    return path


def records(corpus):
    return [(name, *unit) for name in corpus for unit in corpus[name].units()]


# --- blocks of rows ----------------------------------------------------------------------------------------

CELLS = st.text(st.sampled_from('ab,"\n\r\t \ufeffé😀'), max_size=4)


def rows_and_lines(path, delimiter=","):
    """What `blocks` gives as (line, cells), and the lines of its problems."""
    rows, problems = [], []
    for block in csv_tables.blocks(Source(path, path.name), delimiter, problems):
        for at, line in enumerate(block.lines):
            rows.append((line, block.cells[at * block.width : (at + 1) * block.width]))
    return rows, [problem.location.where for problem in problems]


def rows_and_lines_definition(text):
    """The rows with text, each with the line it begins in: one reader, row by row."""
    reader = csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline=""), strict=True)
    rows, line = [], 1
    for row in reader:
        if "".join(row).strip():
            rows.append((line, row))
        line = reader.line_num + 1
    return rows


@given(
    st.lists(st.lists(CELLS, min_size=2, max_size=2), max_size=9), st.integers(1, 4), st.sampled_from(["\n", "\r\n"])
)
def test_blocks_of_any_size_have_the_rows_of_one_reader(tmp_path_factory, table, size, end):
    text = "".join(",".join(quoted(cell, ",") for cell in row) + end for row in table)
    path = saved(tmp_path_factory.mktemp("rows"), text)
    before, csv_tables._BLOCK_ROWS = csv_tables._BLOCK_ROWS, size
    try:
        rows, odd = rows_and_lines(path)
    finally:
        csv_tables._BLOCK_ROWS = before
    assert odd == []
    assert rows == rows_and_lines_definition(text)


def test_rows_may_lack_unread_cells_or_have_empty_extra_cells(tmp_path):
    header = "document,annotator,start,end,category,text,note\n"
    rows = "d1,ann,0,5,x\nd1,bob,1,5,y,a\nd2,ann,2,3,x,b,,,\n"
    assert records(read(saved(tmp_path, header + rows))) == WRITTEN
    with pytest.raises(InputError, match=r"line 3: 4 fields, but the first row has 7; fill the row up"):
        read(saved(tmp_path, header + "d1,ann,0,5,x\nd1,bob,1,5\n"))
    with pytest.raises(InputError, match=r"line 2: 9 fields, but the first row has 7; quote cells"):
        read(saved(tmp_path, header + "d1,ann,0,5,x,,,,a\n"))


EXPORTED = "document;annotator;start;end;category\nd1;Jörg;0,5;4,25;x\nd1;Änne;1;4,5;y\n"


@pytest.mark.parametrize("before", ["", "sep=;\n", "\ufeffSEP=;\r\n"])
@pytest.mark.parametrize(("name", "mark"), [("talk.csv", ";"), ("talk.tsv", "\t"), ("talk.csv", "\t")])
def test_decimal_commas_of_excel_are_read_and_noted(tmp_path, before, name, mark):
    corpus = read(saved(tmp_path, (before + EXPORTED).replace(";", mark), name=name))
    assert records(corpus) == [("d1", "Jörg", 0.5, 4.25, "x"), ("d1", "Änne", 1, 4.5, "y")]
    assert f"{name}: the numbers have decimal commas" in corpus.notes


@pytest.mark.parametrize("bounds", ["1,500;2,250", "0.5;4\nd1;ann;0,5;4", "1.000,5;2.000,5"])
def test_ambiguous_commas_are_not_decimal_commas(tmp_path, bounds):
    path = saved(tmp_path, f"document;annotator;start;end\nd1;ann;{bounds}\n")
    with pytest.raises(InputError, match=r"line [23]: start is .*write decimals with a point"):
        read(path)


@pytest.mark.parametrize("size", [1, 2, 4096])
@pytest.mark.parametrize("starts", [("0,5", "12,345", "1"), ("12,345", "0,5", "1"), ("12,345", "1", "0,5")])
def test_decimal_commas_are_decided_for_the_full_column(tmp_path, monkeypatch, size, starts):
    monkeypatch.setattr(csv_tables, "_BLOCK_ROWS", size)
    lines = [f"d1;ann;{start};20\n" for start in starts]
    corpus = read(saved(tmp_path, "document;annotator;start;end\n" + "".join(lines)))
    assert sorted(corpus.start.tolist()) == [0.5, 1, 12.345]


def test_separator_line_is_not_a_row(tmp_path):
    assert records(read(saved(tmp_path, "sep=,\n" + UNITS))) == WRITTEN
    with pytest.raises(InputError, match="line 6: start is '0:01:02', not a number; write times as seconds"):
        read(saved(tmp_path, "sep=,\n" + UNITS + "d2,ann,0:01:02,9,x\n"))


def test_missing_column_is_refused_with_the_columns_of_the_file(tmp_path):
    with pytest.raises(InputError, match=r"no column 'end'; there are 'doc', 'start', 'x'; name yours"):
        read(saved(tmp_path, "doc,start,x\nd1,2,a\n"))


MAXQDA = (
    "\ufeffColor;Document group;Document name;Code;Beginning;End;Weight score;Segment;Created by\n"
    ";Set;talk;Trust;3;3;0;…;ann\n;Set;talk;Doubt;7;7;0;…;ann\n;Set;talk;Trust;3;3;0;…;ben\n;Set;talk;Hope;12;13;0;…;ben\n"
)
MAXQDA_COLUMNS = {"annotator": "Created by", "category": "Code"}


def test_paragraph_numbers_of_maxqda_are_refused_with_the_cure(tmp_path):
    message = (
        r"number paragraphs \(as MAXQDA .*, and 3 of 4 units end where they begin, .* add 1 to each value of 'End'"
    )
    with pytest.raises(InputError, match=message):
        read(saved(tmp_path, MAXQDA), columns=MAXQDA_COLUMNS)
    cured = MAXQDA.replace(";3;3;", ";3;4;").replace(";7;7;", ";7;8;").replace(";12;13;", ";12;14;")
    corpus = read(saved(tmp_path, cured), columns=MAXQDA_COLUMNS)
    assert sorted(zip(corpus.start.tolist(), corpus.end.tolist(), strict=True)) == [(3, 4), (3, 4), (7, 8), (12, 14)]


@pytest.mark.parametrize(
    ("names", "part"),
    [("Absatz,Absatz_Ende", "paragraphs"), ("line_from,line_to", "lines"), ("t0_token,t1_token", "tokens")],
)
def test_positions_named_after_parts_of_a_text_are_refused_if_ends_are_inclusive(tmp_path, names, part):
    start, end = names.split(",")
    columns = {"start": start, "end": end}
    rows = "ann,3,3,x\nann,5,9,y\nben,3,3,x\n"
    with pytest.raises(InputError, match=f"positions number {part} .column '{start}'., and 2 of 3 units end where"):
        read(saved(tmp_path, f"annotator,{names},category\n{rows}"), columns=columns)
    assert len(read(saved(tmp_path, f"annotator,{names},category\nann,3,4,x\nben,3,5,x\n"), columns=columns)) == 1


@pytest.mark.parametrize("rows", ["ann,3,3,x\nben,3,3,x\n", "ann,3.5,3.5,x\nben,4,4,x\n"])
def test_points_in_time_are_read(tmp_path, rows):
    corpus = read(saved(tmp_path, f"annotator,start,end,category\n{rows}"))
    assert corpus.n_units == 2


@pytest.mark.parametrize("size", [1, 2, 3, 1000])
def test_invalid_rows_are_problems_in_any_block(tmp_path, monkeypatch, size):
    monkeypatch.setattr(csv_tables, "_BLOCK_ROWS", size)
    path = saved(tmp_path, 'a,b\n\nc,"d\nd"\ne,f\ng\nh,i\n')
    assert rows_and_lines(path) == ([(1, ["a", "b"]), (3, ["c", "d\nd"]), (5, ["e", "f"]), (7, ["h", "i"])], [6])


@pytest.mark.parametrize("size", [1, 2, 1000])
@pytest.mark.parametrize(
    ("row", "message"),
    [
        ('d2,"bob,1,8,x\n', r"talk\.csv, line 6: unexpected end of data"),
        ("d2,bob,one,8,x\n", r"talk\.csv, line 6: start is 'one', not a number"),
        ("d2,bob,1_0,80,x\n", r"talk\.csv, line 6: start is '1_0', not a number"),
        ("d2,bob,1,1,5,x\n", r"talk\.csv, line 6: 6 fields"),
        ("d2,bob,1,9007199254740993,x\n", r"talk\.csv, line 6: end is 9007199254740993, beyond 2\*\*53"),
        ("d2,bob,1," + "9" * 309 + ",x\n", r"talk\.csv, line 6: end is 9{309}, beyond 2\*\*53"),
        ("d2,bob,1," + "9" * 100_000 + ",x\n", r"talk\.csv, line 6: end is inf; a bound is a finite number"),
        ("d2,bob,1," + "1e" * 5000 + ",x\n", r"talk\.csv, line 6: end is '(1e){30}…', not a number$"),
        (
            "d2,bob,1,2," + "x" * 10**6 + "\n",
            r"talk\.csv, line 6: a cell is longer than 131,072 characters; check that",
        ),
        ('d2,bob,1,2,"x\n' + "d,a,1,2,y\n" * 20_000, r"talk\.csv, line 6: a cell is longer than 131,072 characters"),
    ],
)
def test_problems_have_their_line_in_any_block(tmp_path, monkeypatch, size, row, message):
    monkeypatch.setattr(csv_tables, "_BLOCK_ROWS", size)
    path = saved(tmp_path, UNITS + "\n" + row)
    with pytest.raises(InputError, match=message):
        read(path)


def test_long_spellings_of_exact_numbers_are_read(tmp_path):
    path = saved(tmp_path, f"annotator,start,end\na,0.{'3' * 500},1e300\nb,{'0' * 500}7,8\n")
    assert records(read(path)) == [("talk", "a", 1 / 3, 1e300, None), ("talk", "b", 7, 8, None)]


def test_a_line_without_end_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(csv_tables, "MAX_LINE_LENGTH", 1000)
    path = saved(tmp_path, UNITS + ",".join("x" * 600))
    with pytest.raises(InputError, match=r"talk\.csv, line 5: longer than 1,000 characters; this is no table of units"):
        read(path)


def test_unread_columns_may_contain_anything(tmp_path):
    path = saved(tmp_path, "annotator,start,begin,end\na,00:00:07,7,9\n")
    assert records(read(path, columns={"start": "begin"})) == [("talk", "a", 7, 9, None)]


def test_one_column_may_have_two_roles(tmp_path):
    path = saved(tmp_path, "annotator,at,category\na,7,x\nb,8,y\n")
    corpus = read(path, columns={"start": "at", "end": "at", "document": "at"})
    assert records(corpus) == [("7", "a", 7, 7, "x"), ("8", "b", 8, 8, "y")]


def test_memory_stays_below_half_the_size_of_a_large_file(tmp_path):
    path = tmp_path / "talk.tsv"
    # No unit is there twice: of repeated units, columns that are not read are looked into.
    rows = "".join(f"d\tann\t{start}\t{start + 1}\tx\t{'text' * 100}\n" for start in range(40_000))
    path.write_text("document\tannotator\tstart\tend\tcategory\ttext\n" + rows)
    tracemalloc.start()
    try:
        assert read(path).n_units == 40_000
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < path.stat().st_size / 2


# --- encodings ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("encoding", ["latin-1", "utf-16", "utf-16-le", "cp1252", "utf-8"])
def test_requested_encoding_is_read(tmp_path, encoding):
    path = saved(tmp_path, UNITS.replace(",ann,", ",Zoë,"), encoding=encoding)
    assert read(path, encoding=encoding).annotators == ("Zoë", "bob")


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32"])
@pytest.mark.parametrize("message", [None, "latin-1"])
def test_byte_order_mark_determines_the_encoding(tmp_path, encoding, message):
    path = saved(tmp_path, UNITS.replace(",ann,", ",Zoë,"), encoding=encoding)
    assert read(path, encoding=message).annotators == ("Zoë", "bob")


def test_a_folder_of_tables_is_read_in_its_encoding(tmp_path):
    saved(tmp_path, UNITS.replace(",ann,", ",Zoë,"), "units.csv", "latin-1")
    saved(tmp_path, "document,annotator\nd1,Zoë\nd1,bob\nd2,Zoë\nd2,Éva\n", "annotations.csv", "latin-1")
    assert read(tmp_path, encoding="latin-1").annotators == ("Zoë", "bob", "Éva")


BAD_BYTES = {
    "within": (
        UNITS.encode() + b"d2,Zo\xeb,0,1,x\n",
        None,
        r"talk\.csv, line 5: byte 0xeb \(byte 83 of the file\) is not UTF-8; save the file as UTF-8, or say",
    ),
    "cut off": (
        UNITS.encode() + b"d2,Zo\xc3",
        None,
        r"talk\.csv, line 5: byte 0xc3 \(byte 83 of the file\) is not UTF-8",
    ),
    "far in": (
        UNITS.encode() + b"d2,ann,0,1,x\n" * 200_000 + b"d2,Zo\xeb,0,1,x\n",
        None,
        r"talk\.csv, line 200005: byte 0xeb \(byte 2600083 of the file\)",
    ),
    "half a character": (
        UNITS.encode("utf-16-le")[:-1],
        "utf-16-le",
        r"talk\.csv, line 4: byte 0x0a \(byte 153 of the file\) is not UTF-16-LE",
    ),
    "no mark": (UNITS.encode("utf-16-le"), "utf-16", r"talk\.csv: does not begin with the mark that utf-16 has; say"),
}


@pytest.mark.parametrize(("data", "encoding", "message"), BAD_BYTES.values(), ids=BAD_BYTES)
def test_undecodable_bytes_are_refused_with_their_location(tmp_path, data, encoding, message):
    path = tmp_path / "talk.csv"
    path.write_bytes(data)
    with pytest.raises(InputError, match=message):
        read(path, encoding=encoding)


@pytest.mark.parametrize("encoding", ["klingon", "hex"])
def test_unknown_encodings_are_refused(tmp_path, encoding):
    path = saved(tmp_path, UNITS)
    with pytest.raises(
        SettingsError,
        match=rf"encoding: there is no such encoding of files: '{encoding}'; name another, such as utf-8, latin-1",
    ):
        read(path, encoding=encoding)


# --- damaged Parquet ---------------------------------------------------------------------------------------

PARQUET = {
    "document": ["d1é", "d1", "d2"] * 9,
    "annotator": ["a", "b", "c😀"] * 9,
    "start": list(range(27)),
    "end": [at + 0.5 for at in range(27)],
    "category": ["x", None, "y"] * 9,
}


@pytest.mark.parametrize("seed", range(4))
def test_damaged_parquet_is_read_or_refused(tmp_path, seed):
    path = tmp_path / "talk.parquet"
    coded = {name: pa.array(PARQUET[name]).dictionary_encode() for name in ("document", "annotator", "category")}
    pq.write_table(pa.table(PARQUET | coded), path, compression="none")
    data = path.read_bytes()
    draw = random.Random(seed)  # noqa: S311
    refused = 0
    for _ in range(100):
        damaged = bytearray(data)
        for _ in range(draw.randint(1, 3)):
            damaged[draw.randrange(len(data))] = draw.randrange(256)
        path.write_bytes(damaged)
        try:
            read(path, labels={"*": "x"})
        except GammaAlignError:
            refused += 1
    assert refused > 0


@pytest.mark.parametrize("dictionary", [True, False])
def test_labels_of_bytes_are_refused_with_their_row(tmp_path, dictionary):
    column = pa.array([b"x", b"y", b"x"])
    units = {"annotator": ["a", "b", "a"], "start": [0, 1, 2], "end": [3, 4, 5]}
    pq.write_table(
        pa.table(units | {"category": column.dictionary_encode() if dictionary else column}), tmp_path / "t.parquet"
    )
    with pytest.raises(InputError, match=r"t\.parquet, row 1: the category is b'x', a bytes; a label is one string"):
        read(tmp_path / "t.parquet")


# --- what is chosen of a table -----------------------------------------------------------------------------

LAYERED = (
    "document,annotator,layer,unit,start,end,category\n"
    "d1,ann,word,w1,0,5,x\n"
    "d1,ann,word,w1,8,9,x\n"
    "d1,bob,word,,1,5,y\n"
    "d1,bob,clause,c1,0,9,S\n"
    "d2,ann,clause,w1,2,3,S\n"
)

CHOSEN = {
    "one layer": (
        {"layers": "word"},
        [("d1", "ann", 0, 5, "x"), ("d1", "ann", 8, 9, "x"), ("d1", "bob", 1, 5, "y")],
        {"d1": ("ann", "bob"), "d2": ("ann",)},
    ),
    "all layers, parts joined": (
        {"layers": "*", "discontinuous": "whole"},
        [("d1", "ann", 0, 9, "x"), ("d1", "bob", 0, 9, "S"), ("d1", "bob", 1, 5, "y"), ("d2", "ann", 2, 3, "S")],
        {"d1": ("ann", "bob"), "d2": ("ann",)},
    ),
    "parts joined by another column's name": (
        {"columns": {"unit": "unit"}, "labels": ["x", "y"]},
        [("d1", "ann", 0, 9, "x"), ("d1", "bob", 1, 5, "y")],
        {"d1": ("ann", "bob"), "d2": ("ann",)},
    ),
    "parts as they are": (
        {"discontinuous": "parts", "labels": {"x": "z", "S": None}},
        [("d1", "ann", 0, 5, "z"), ("d1", "ann", 8, 9, "z"), ("d1", "bob", 1, 5, "y")],
        {"d1": ("ann", "bob"), "d2": ("ann",)},
    ),
    "annotators by layer": (
        {"annotator": "{annotator} {layer}", "layers": "clause"},
        [("d1", "bob clause", 0, 9, "S"), ("d2", "ann clause", 2, 3, "S")],
        {"d1": ("bob clause",), "d2": ("ann clause",)},
    ),
    "documents renamed": (
        {"document": "{file}/{document}", "labels": {"*": "unit"}},
        [
            *[("talk/d1", "ann", 0, 5, "unit"), ("talk/d1", "ann", 8, 9, "unit")],
            *[("talk/d1", "bob", 0, 9, "unit"), ("talk/d1", "bob", 1, 5, "unit"), ("talk/d2", "ann", 2, 3, "unit")],
        ],
        {"talk/d1": ("ann", "bob"), "talk/d2": ("ann",)},
    ),
}


@pytest.mark.parametrize(("settings", "units", "annotators"), CHOSEN.values(), ids=CHOSEN)
def test_settings_select_units_of_a_table(tmp_path, settings, units, annotators):
    corpus = read(saved(tmp_path, LAYERED), **settings)
    assert records(corpus) == units
    assert {name: corpus[name].annotators for name in corpus} == annotators


def test_parquet_and_csv_select_the_same_units(tmp_path):
    rows = [line.split(",") for line in LAYERED.splitlines()]
    columns = dict(zip(rows[0], map(list, zip(*rows[1:], strict=True)), strict=True))
    columns |= {name: list(map(int, columns[name])) for name in ("start", "end")}
    pq.write_table(pa.table(columns), tmp_path / "talk.parquet")
    for settings, units, _ in CHOSEN.values():
        assert records(read(tmp_path / "talk.parquet", **settings)) == units


def test_each_row_of_a_table_is_a_unit_by_default(tmp_path):
    corpus = read(saved(tmp_path, LAYERED))
    assert corpus.n_units == 5
    assert corpus.notes[0] == "talk.csv: column 'unit' is not read: each row is a unit of its own"


def test_one_annotator_for_a_table_without_any(tmp_path):
    corpus = read(saved(tmp_path, "start,end\n0,5\n"), annotator="anna")
    assert records(corpus) == [("talk", "anna", 0, 5, None)]


def test_unselected_units_leave_annotators_and_extents(tmp_path):
    saved(tmp_path, LAYERED, "units.csv")
    saved(tmp_path, "document,annotator\nd1,ann\nd1,bob\nd1,zoe\nd2,ann\n", "annotations.csv")
    saved(tmp_path, "document,end,unit\nd1,10,token\nd2,,token\nd3,7,token\n", "documents.csv")
    corpus = read(tmp_path, layers="word")
    assert corpus["d1"].annotators == ("ann", "bob", "zoe")
    assert corpus["d1"].extent == (0, 10)
    assert corpus["d2"].annotators == ("ann",)
    assert (corpus.length_unit, corpus.documents) == ("token", ("d1", "d2"))
    assert corpus.notes == (
        "units.csv: column 'unit' is not read: each row is a unit of its own",
        "documents.csv: 1 documents that nobody annotated are left out",
    )


REFUSED = {
    "layers of no column": (UNITS, {"layers": "word"}, InputError, r"talk\.csv: no layer 'word'; there are none"),
    "no such layer": (LAYERED, {"layers": "wird"}, InputError, r"no layer 'wird'; there are clause \(2 units\), word"),
    "no such label": (
        UNITS,
        {"labels": "z"},
        InputError,
        r"no unit has the category 'z'; there are 'x', 'y'",
    ),
    "a pattern over nothing": (UNITS, {"annotator": "{layer}"}, InputError, r"nothing says the layer there"),
    "annotators into one": (
        UNITS,
        {"annotator": "all"},
        InputError,
        r"talk\.csv: annotators 'ann' and 'bob' would both be annotator 'all'",
    ),
    "parts refused": (LAYERED, {"discontinuous": "refuse"}, InputError, r"talk\.csv, line 2: the unit has 2 parts"),
    "parts of two categories": (
        LAYERED.replace("8,9,x", "8,9,y"),
        {"discontinuous": "whole"},
        InputError,
        r"talk\.csv, line 3: the part of the unit has category 'y', its first part 'x'",
    ),
    "a column of parts that is not there": (
        UNITS,
        {"columns": {"unit": "part"}},
        InputError,
        r"talk\.csv: no column 'part', which should be the column 'unit'; there are 'document'",
    ),
    "offsets": (
        UNITS,
        {"offsets": "utf-16"},
        SettingsError,
        r"offsets: 'utf-16' is for files with texts; talk\.csv is",
    ),
    "tokens": (UNITS, {"positions": "tokens"}, SettingsError, r"positions: 'tokens' is for files with texts"),
    "mismatch": (UNITS, {"mismatch": "keep"}, SettingsError, r"mismatch: 'keep' is for files with texts"),
    "aligned": (UNITS, {"align_text": True}, SettingsError, r"align_text: True is for files with texts"),
    "options": (UNITS, {"options": {"x": 1}}, SettingsError, r"a table has no options \(x\), and talk\.csv is a table"),
    "features": (
        LAYERED,
        {"layers": "word:pos"},
        SettingsError,
        r"requested name the feature 'pos'; .*=\{'category': 'pos'\}",
    ),
    "a bad row": (
        UNITS + "d2,bob,9,8,x\nd2,,1,2,x\n",
        {"labels": "x"},
        InputError,
        r"talk\.csv, line 5: the unit ends at 8, before its start 9; swap .* \(1 more; ga.validate",
    ),
    "a bad name": (UNITS + "d2, ,1,2,x\n", {"labels": "x"}, InputError, r"line 5: the annotator is empty; every row"),
    "no bound": (UNITS + "d2,a,1,nan,x\n", {"labels": "x"}, InputError, r"line 5: end is missing \(or NaN\); a bound"),
}


@pytest.mark.parametrize(("text", "settings", "error", "message"), REFUSED.values(), ids=REFUSED)
def test_invalid_settings_for_a_table_are_refused(tmp_path, text, settings, error, message):
    path = saved(tmp_path, text)
    with pytest.raises(error, match=message):
        read(path, **settings)


def test_undeclared_annotators_are_refused_for_all_settings(tmp_path):
    path = saved(tmp_path, LAYERED)
    annotator = saved(tmp_path, "document,annotator\nd1,ann\nd2,ann\n", "who.csv")
    with pytest.raises(InputError, match=r"talk\.csv, line 4: a unit of annotator 'bob', not declared"):
        read(path, layers="word", annotations=annotator)


# --- folders and templates of tables -----------------------------------------------------------------------

ANNA = "start,end,category\n0,5,x\n1,2,\n"


def test_template_names_document_and_annotator(tmp_path):
    for name, text in {"anna/d1": ANNA, "bob/d1": "start,end,category\n1,5,y\n", "bob/d2": "start,end\n"}.items():
        saved(tmp_path, text, f"{name}.csv")
    corpus = read(f"{tmp_path}/{{annotator}}/{{document}}.csv")
    assert records(corpus) == [("d1", "anna", 0, 5, "x"), ("d1", "anna", 1, 2, ""), ("d1", "bob", 1, 5, "y")]
    assert corpus["d2"].annotators == ("bob",)
    assert corpus.notes == ("{annotator}/{document}.csv: read as comma-separated tables of units",)


def test_a_template_with_other_names_of_columns(tmp_path):
    saved(tmp_path, "who\tfrom\tto\tunit\na\t0\t5\tu\na\t7\t9\tu\n", "d1.tsv")
    names = {"annotator": "who", "start": "from", "end": "to"}
    corpus = read(f"{tmp_path}/{{document}}.tsv", columns=names, discontinuous="whole")
    assert records(corpus) == [("d1", "a", 0, 9, None)]


@pytest.mark.parametrize("suffix", ["csv", "tsv", "parquet"])
def test_a_folder_of_tables_is_a_document_each(tmp_path, suffix):
    for name in ("d1", "d2"):
        corpus = Corpus.from_records([(name, "a", 0, 5, "x"), (name, "b", 1, 4, "y")])
        write(corpus, tmp_path / f"{name}.{suffix}")
    corpus = read(tmp_path)
    assert records(corpus) == [(name, *unit) for name in ("d1", "d2") for unit in [("a", 0, 5, "x"), ("b", 1, 4, "y")]]
    assert records(read(tmp_path, format=suffix)) == records(corpus)


def test_folder_of_other_tables_is_read_with_a_format(tmp_path):
    for name in ("d1", "d2"):
        saved(tmp_path, "who,start,end\na,0,5\n", f"{name}.csv")
    assert records(read(tmp_path, format="csv", columns={"annotator": "who"})) == [
        ("d1", "a", 0, 5, None),
        ("d2", "a", 0, 5, None),
    ]


def test_files_without_annotator_are_refused(tmp_path):
    saved(tmp_path, ANNA, "d1.csv")
    with pytest.raises(InputError, match=r"d1\.csv: nothing says the annotator; name one for all files with"):
        read(f"{tmp_path}/{{document}}.csv")


def test_tables_beside_a_template_are_refused(tmp_path):
    annotator = saved(tmp_path, "document,annotator\nd1,anna\n", "who.csv")
    saved(tmp_path, ANNA, "anna/d1.csv")
    with pytest.raises(SettingsError, match="annotations: it is for one table of units and the tables"):
        read(f"{tmp_path}/{{annotator}}/{{document}}.csv", annotations=annotator)


def test_column_names_for_tool_formats_are_refused():
    with pytest.raises(SettingsError, match=r"columns: it is for one table of units .* files of brat standoff"):
        read(f"{FORMATS}/brat/multi_annotator_project/{{annotator}}/{{document}}.ann", columns={"start": "begin"})


def test_invalid_files_of_a_folder_are_refused_with_their_path(tmp_path):
    saved(tmp_path, ANNA, "anna/d1.csv")
    saved(tmp_path, ANNA + "9,8,x\n", "bob/d1.csv")
    with pytest.raises(InputError, match=r"bob/d1\.csv, line 4: the unit ends at 8, before its start 9; swap"):
        read(f"{tmp_path}/{{annotator}}/{{document}}.csv")


# --- pygamma-agreement and the gamma software --------------------------------------------------------------


def test_a_folder_of_pygammas_files_is_a_document_each(tmp_path):
    for name, text in {"d1": "a,x,0,5\n\nb,,1,5\n", "d2": "a,,0,1\n"}.items():
        saved(tmp_path, text, f"{name}.csv")
    corpus = read(tmp_path)
    assert records(corpus) == [("d1", "a", 0, 5, "x"), ("d1", "b", 1, 5, ""), ("d2", "a", 0, 1, None)]
    assert records(read(tmp_path, format="pygamma")) == records(corpus)


def test_pygamma_sample_has_the_expected_units():
    corpus = read(FORMATS / "gamma_csv" / "AlexPaulSuzan.csv", format="pygamma")
    lines = (FORMATS / "gamma_csv" / "AlexPaulSuzan.csv").read_text().split()
    cells = [line.split(",") for line in lines]
    assert len(lines) == 16
    expected = sorted(("AlexPaulSuzan", annotator, int(start), int(end), what) for annotator, what, start, end in cells)
    assert records(corpus) == expected


def test_sample_of_the_gamma_software_has_the_expected_units():
    corpus = read(FORMATS / "gamma_csv" / "gammasoftware_6col_as_written_by_third_party.csv")
    name = "gammasoftware_6col_as_written_by_third_party"
    assert records(corpus) == [(name, "anno1", 4, 9, "positive"), (name, "anno2", 4, 10, "positive")]
    assert corpus.notes == (
        f"{name}.csv: read as CSV without header for the gamma software (id,annotator,category,features,start,end)",
    )


def test_skipped_features_of_the_gamma_software_are_counted(tmp_path):
    path = saved(tmp_path, "u1,a,x,lemma=go,0,1\nu2,b,,,0,2\nu3,b,,f=1,4,5\n")
    corpus = read(path, format="gamma-software")
    assert records(corpus) == [("talk", "a", 0, 1, "x"), ("talk", "b", 0, 2, ""), ("talk", "b", 4, 5, "")]
    assert corpus.notes == ("talk.csv: the features of 2 units are left out",)


HEADERLESS = {
    "too few": ("pygamma", "a,x,0,1\na,x,0\n", r"talk\.csv, line 2: 3 fields, but the first row has 4"),
    "too many": ("gamma-software", "u,a,x,f,g,0,1\n", r"line 1: 7 fields, but a file without header has id,annotator,"),
    "a header": ("pygamma", "annotator,category,start,end\na,x,0,1\n", r"line 1: start is 'start', not a number"),
    "backwards": ("pygamma", "a,x,0,1\na,x,5,4\n", r"talk\.csv, line 2: the unit ends at 4, before its start 5"),
    "empty": ("pygamma", "\n\n", r"talk\.csv: the file is empty"),
}


@pytest.mark.parametrize(("name", "text", "message"), HEADERLESS.values(), ids=HEADERLESS)
def test_malformed_files_without_header_are_refused_with_their_line(tmp_path, name, text, message):
    path = saved(tmp_path, text)
    with pytest.raises(InputError, match=message):
        read(path, format=name)


NAMES = st.text(min_size=1, max_size=5).filter(str.strip)
FILE_NAMES = st.text(st.sampled_from("abcé😀-_"), min_size=1, max_size=5)
BOUNDS = st.tuples(st.floats(-1e300, 1e300), st.floats(-1e300, 1e300)).map(sorted)
CATEGORIES = st.one_of(st.text(max_size=4), st.sampled_from(["", ",", '"', "\n", "\r", "\ufeff", " x "]))


@pytest.mark.release
@given(st.lists(st.tuples(FILE_NAMES, st.one_of(NAMES, st.just("\ufeff")), BOUNDS, CATEGORIES), min_size=1, max_size=8))
def test_files_for_pygamma_are_read_back(tmp_path_factory, units):
    try:
        corpus = Corpus.from_records(
            [(document, annotator, *bound, label) for document, annotator, bound, label in units]
        )
    except InputError:  # the unit is shorter than the spacing of float64 at its bounds
        reject()
    for name in corpus:
        labels = {unit.category for unit in corpus[name].units()}
        assume(labels != {""})
    folder = tmp_path_factory.mktemp("pygamma") / "out"
    write(corpus, folder, format="pygamma")
    back = read(folder, format="pygamma")
    assert records(back) == records(corpus)
    assert back.extents.tolist() == corpus.extents.tolist()


def test_one_document_is_one_file_for_pygamma(tmp_path):
    write(
        Corpus.from_records([("d", "a", 0, 5, "x"), ("d", "b,c", 0.5, 4, None)][:1]),
        tmp_path / "d.csv",
        format="pygamma",
    )
    assert (tmp_path / "d.csv").read_text() == "a,x,0,5\n"


LOST = {
    "annotators": ({"annotations": [("d", "a"), ("d", "b")]}, "1 annotators who marked nothing"),
    "extents": ({"extents": {"d": (0, 9)}}, "the extents of 1 documents"),
    "documents": ({"documents": ["d", "e"]}, "1 documents without units"),
}


@pytest.mark.parametrize(("settings", "message"), LOST.values(), ids=LOST)
def test_corpora_that_pygamma_cannot_hold_are_refused(tmp_path, settings, message):
    corpus = Corpus.from_records([("d", "a", 0, 1, "x")], **settings)
    with pytest.raises(
        InputError, match=f"pygamma's CSV would lose {message}; write csv, parquet or jsonl, or say that it may be"
    ):
        write(corpus, tmp_path / "out", format="pygamma")
    assert list(tmp_path.iterdir()) == []


LOSING = Corpus.from_columns(
    {"document": ["d", "d"], "annotator": ["a", "b"], "start": [0, 0.12345], "end": [1.5, 4], "category": ["x", "y"]},
    annotations={"document": ["d", "d", "d", "e"], "annotator": ["a", "b", "c", "c"]},
    documents={"document": ["d", "e"], "start": [0, 0], "end": [9, 5], "unit": ["s", "s"]},
)
"""A corpus with all that a table of units cannot hold."""


@pytest.mark.parametrize("name", ["labelstudio", "webanno-tsv"])
@pytest.mark.parametrize("extent", [8, 5], ids=["beyond the text", "of the units alone"])
def test_a_format_of_texts_drops_extents_beside_the_text_on_request(tmp_path, name, extent):
    units = {"document": ["d"], "annotator": ["a"], "start": [0], "end": [5], "category": ["x"]}
    documents = {"document": ["d"], "start": [0], "end": [extent], "unit": ["char"]}
    corpus = replace(Corpus.from_columns(units, documents=documents), texts=("Anna met",))
    corpus = corpus if extent == 5 else replace(corpus, texts=("Anna me",))
    target = tmp_path / ("d.json" if name == "labelstudio" else "d")
    with pytest.raises(InputError, match=r"the text, [78] characters.*drop=\['extents'\]$"):
        write(corpus, target, format=name)
    write(corpus, target, format=name, drop="extents")
    new, notes = reduced(corpus, "extents", text_is_extent=True)
    assert (new.extents.tolist(), new.texts) == ([[0, len(corpus.texts[0])]], corpus.texts)
    assert notes == ["not written: the extents of 1 documents"]
    outside = replace(corpus, texts=("Anna",))
    with pytest.raises(InputError, match="correct the units outside the text"):
        write(outside, tmp_path / "other", format=name)


@pytest.mark.parametrize("target", ["out", "d.csv"])
def test_cure_for_pygamma_files_works(tmp_path, target):
    with pytest.raises(InputError) as caught:
        write(LOSING, tmp_path / target, format="pygamma")
    names = ast.literal_eval(str(caught.value).split("drop=")[1].removesuffix(")"))
    assert names == ["annotators", "documents", "extents", "length-unit"]
    for drop in (names, "all"):
        write(LOSING, tmp_path / f"{drop[0]}-{target}", format="pygamma", drop=drop)
    (written,) = (path for path in tmp_path.rglob("*.csv") if "annotators" in str(path))
    assert written.read_text() == "a,x,0,1.5\nb,y,0.12345,4\n"


def test_only_requested_facts_are_dropped(tmp_path):
    new, notes = reduced(LOSING, ["length-unit", "documents"])
    assert (new.length_unit, new.documents, new["d"].annotators) == (None, ("d",), ("a", "b", "c"))
    assert new.extents.tolist() == [[0, 9]]
    assert notes == ["not written: 1 documents without units, the unit of length"]
    assert reduced(LOSING, "extents")[0].extents.tolist() == [[0, 4], [0, 5]]
    assert reduced(LOSING, "annotators")[0]["d"].annotators == ("a", "b")
    assert reduced(new, ["length-unit"]) == (new, [])
    write(LOSING, tmp_path / "all.csv", drop="all")
    assert (tmp_path / "all.csv").read_text().splitlines()[1:] == ["d,a,0.0,1.5,x", "d,b,0.12345,4.0,y"]


def test_bounds_are_rounded_on_request(tmp_path):
    new, notes = reduced(LOSING, decimals=2)
    assert (new.start.tolist(), new.length_unit) == ([0, 0.12], "s")
    assert notes == ["the bounds of 1 units are rounded to 2 decimals"]
    with pytest.raises(InputError, match=r"whole milliseconds; round them with decimals=3, or write csv"):
        write(LOSING.select(documents="d"), tmp_path / "d.eaf")
    write(LOSING.select(documents="d"), tmp_path / "d.eaf", decimals=3)
    assert read(tmp_path / "d.eaf").start.tolist() == [0, 0.123]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (
            {"drop": "texts"},
            "drop must be of 'annotators', .*, 'no-category', 'all', 'zero-length', not 'texts'",
        ),
        ({"decimals": -1}, "decimals must be a whole number from 0, not -1"),
    ],
)
def test_invalid_drop_and_decimals_are_refused(tmp_path, settings, message):
    with pytest.raises(SettingsError, match=message):
        write(LOSING, tmp_path / "out.csv", **settings)


@pytest.mark.parametrize("labels", [("", ""), ("x", None), ("", None)])
def test_ambiguous_categories_are_refused_for_pygamma(tmp_path, labels):
    corpus = Corpus.from_records([("d", "a", at, 9, label) for at, label in enumerate(labels)])
    with pytest.raises(InputError, match=r"pygamma's CSV would lose that \d units have no category, or '' ") as caught:
        write(corpus, tmp_path / "out", format="pygamma")
    cure = ast.literal_eval(str(caught.value).split("drop=")[1].removesuffix(")"))
    for name in ("pygamma", "csv"):
        write(corpus, tmp_path / f"{name}/", format=name, drop=cure)
        kept = [label or ("(none)" if any(labels) else None) for label in labels]
        assert [unit.category for unit in read(tmp_path / name)["d"].units()] == kept


def test_zero_length_units_are_dropped_only_by_name(tmp_path):
    corpus = Corpus.from_records([("d", "a", 1, 1, "x"), ("d", "a", 2, 3.0004, "x"), ("d", "b", 2, 2.0004, "x")])
    with pytest.raises(InputError, match=r"ELAN has no annotations of no length; .*drop=\['zero-length'\]"):
        write(corpus, tmp_path / "d.eaf", decimals=3, drop="all")
    write(corpus, tmp_path / "d.eaf", decimals=3, drop="zero-length")
    assert records(read(tmp_path / "d.eaf")) == [("d", "a", 2, 3, "x")]
    assert read(tmp_path / "d.eaf")["d"].annotators == ("a", "b")
    assert reduced(corpus, "zero-length")[1] == ["not written: 1 units of no length"]
