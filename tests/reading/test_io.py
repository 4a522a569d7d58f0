"""Tables are read and written: each format, each malformed input with its location, and round trips."""

import os
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from gamma_align import Corpus, gamma
from gamma_align.data.tables import Coded
from gamma_align.errors import InputError, MissingExtraError, SettingsError
from gamma_align.reading.files import atomic
from gamma_align.reading.read import read
from gamma_align.reading.tables import arrow
from gamma_align.reading.write import write

HEADER = "document,annotator,start,end,category\n"
UNITS = HEADER + "d1,ann,0,5,x\nd1,bob,1,5,y\nd2,ann,2,3,x\n"
ANNOTATIONS = "document,annotator\nd1,ann\nd1,bob\nd2,ann\nd2,bob\nd3,bob\n"
DOCUMENTS = "document,length,unit\nd1,10,token\nd2,,token\nd3,7,\n"


def content(corpus):
    """All a corpus says, as plain values; notes aside, and whether its source tells who saw a document."""
    return {
        field.name: value.tolist() if isinstance(value := getattr(corpus, field.name), np.ndarray) else value
        for field in fields(corpus)
        if field.name not in ("notes", "seen_is_told")
    }


def other_notes(corpus):
    """The notes without that on documents that an annotator may not have seen."""
    return tuple(note for note in corpus.notes if "taken as not seen" not in note)


def saved(folder, text, name="talk.csv", encoding="utf-8"):
    path = folder / name
    path.write_bytes(text.encode(encoding))
    return path


def records(corpus):
    return [(name, *unit) for name in corpus for unit in corpus[name].units()]


WRITTEN = [("d1", "ann", 0, 5, "x"), ("d1", "bob", 1, 5, "y"), ("d2", "ann", 2, 3, "x")]

# --- one file of units -------------------------------------------------------------------------------------

SAME = {
    "plain": (UNITS, "talk.csv", "utf-8"),
    "tabs": (UNITS.replace(",", "\t"), "talk.tsv", "utf-8"),
    "capitals in the suffix": (UNITS, "talk.CSV", "utf-8"),
    "byte order mark": (UNITS, "talk.csv", "utf-8-sig"),
    "windows line ends": (UNITS.replace("\n", "\r\n"), "talk.csv", "utf-8"),
    "old mac line ends": (UNITS.replace("\n", "\r"), "talk.csv", "utf-8"),
    "no last line end": (UNITS.rstrip("\n"), "talk.csv", "utf-8"),
    "blank lines": ("\n" + UNITS.replace("\n", "\n\n  \n,,,,\n") + "\n\n", "talk.csv", "utf-8"),
    "rows shuffled": (
        HEADER + "".join(sorted(UNITS.splitlines(keepends=True)[1:], reverse=True)),
        "t.csv",
        "utf-8",
    ),
    "bounds with blanks": (UNITS.replace(",5,", ", 5 ,"), "talk.csv", "utf-8"),
    "bounds as decimals": (UNITS.replace(",5,", ",5.0,").replace(",1,", ",1e0,"), "talk.csv", "utf-8"),
    "header with blanks": (UNITS.replace("start,", " start ,"), "talk.csv", "utf-8"),
    "all quoted": (
        "\n".join(",".join(f'"{cell}"' for cell in line.split(",")) for line in UNITS.splitlines()),
        "talk.csv",
        "utf-8",
    ),
    "columns in another order, one more": (
        "text,end,category,document,start,annotator\n,5,x,d1,0,ann\n,5,y,d1,1,bob\n,3,x,d2,2,ann\n",
        "talk.csv",
        "utf-8",
    ),
}


@pytest.mark.parametrize(("text", "name", "encoding"), SAME.values(), ids=SAME)
def test_all_ways_to_write_a_table_give_the_same_units(tmp_path, text, name, encoding):
    corpus = read(saved(tmp_path, text, name, encoding))
    assert records(corpus) == WRITTEN
    assert other_notes(corpus) == ()


def test_the_format_of_the_user_takes_precedence_over_the_suffix(tmp_path):
    assert records(read(saved(tmp_path, UNITS.replace(",", "\t"), "talk.txt"), format="tsv")) == WRITTEN


def test_columns_can_be_renamed(tmp_path):
    path = saved(tmp_path, UNITS.replace("document", "doc_id").replace("start", "begin"))
    assert records(read(path, columns={"document": "doc_id", "start": "begin"})) == WRITTEN


def test_a_file_without_documents_is_one_document_named_by_its_stem(tmp_path):
    corpus = read(saved(tmp_path, "annotator,start,end\nann,0,5\n", "talk.1.csv"))
    assert records(corpus) == [("talk.1", "ann", 0, 5, None)]
    assert corpus.notes == ()


def test_names_are_strings_and_never_missing(tmp_path):
    text = HEADER + "007,1.0,0,1,NA\nnan,null,0,1,\nNone,-,0,1, \n"
    corpus = read(saved(tmp_path, text))
    assert corpus.documents == ("007", "None", "nan")
    assert corpus.annotators == ("-", "1.0", "null")
    assert corpus.categories == ("", " ")  # a category may be missing
    assert read(saved(tmp_path, text), na=[""]).categories == ("", " ", "NA")


def test_an_empty_column_of_categories_means_no_categories(tmp_path):
    corpus = read(saved(tmp_path, HEADER + "d,a,0,1,\nd,b,0,1,\n"))
    assert corpus.categories == ()
    assert corpus.category.tolist() == [-1, -1]


def test_blanks_around_names_are_kept_and_noted(tmp_path):
    corpus = read(saved(tmp_path, HEADER + "d, a,0,1,x\nd,a,0,1,x \nd,b,0,1,x\n"))
    assert corpus.annotators == (" a", "a", "b")
    assert corpus.categories == ("x", "x ")
    assert corpus.notes == (
        "talk.csv: column annotator: blanks at the edge are kept as part of the name: ' a'",
        "talk.csv: column category: blanks at the edge are kept as part of the name: 'x '",
    )


NO_DOCUMENT = "talk.csv: no column 'document': all units are taken as of one document"


@pytest.mark.parametrize(
    ("header", "notes"),
    [
        (
            "doc,annotator,start,end,label",
            ("talk.csv: read 'doc' as document, 'label' as category",),
        ),
        (
            "unit,annotator,start,end,category",
            (
                f"{NO_DOCUMENT} (columns not read: 'unit')",
                "talk.csv: column 'unit' is not read: each row is a unit of its own",
            ),
        ),
    ],
)
def test_possibly_misspelt_columns_are_noted(tmp_path, header, notes):
    corpus = read(saved(tmp_path, f"{header}\nd,a,0,1,x\n"))
    assert corpus.notes == notes


def test_a_file_without_header_is_read_in_pygammas_order_with_a_note(tmp_path):
    corpus = read(saved(tmp_path, "ann,x,0,5\n\nbob,7,1.5,5\n"))
    assert records(corpus) == [("talk", "ann", 0, 5, "x"), ("talk", "bob", 1.5, 5, "7")]
    (note,) = corpus.notes
    assert note.startswith("talk.csv: no header: read as annotator,category,start,end (pygamma-agreement's order; ")


def test_header_false_reads_the_first_row_as_a_unit(tmp_path):
    path = saved(tmp_path, "start,end,0,5\n")
    assert records(read(path, header=False)) == [("talk", "start", 0, 5, "end")]


def test_header_false_requires_four_columns(tmp_path):
    path = saved(tmp_path, "d,ann,x,0,5\n")
    with pytest.raises(InputError, match=r"talk\.csv, line 1: 5 fields, but a file without header has annotator,cat"):
        read(path, header=False)


def test_header_true_reads_the_first_row_as_names(tmp_path):
    path = saved(tmp_path, "annotator,category,1,2\nann,x,0,5\n")
    assert records(read(path, header=True, columns={"start": "1", "end": "2"})) == [("talk", "ann", 0, 5, "x")]


BAD_FILES = {
    "end before start": (
        UNITS + "d2,bob,9,8,x\n",
        r"talk\.csv, line 5: the unit ends at 8, before its start 9; swap",
    ),
    "lines that are skipped count": (UNITS + "\n\n \nd2,bob,9,8,x\n", r"talk\.csv, line 8: the unit ends"),
    "lines within cells count": (
        HEADER + 'd,a,0,1,"x\ny\n\nz"\nd,a,9,8,x\n',
        r"talk\.csv, line 6: the unit ends",
    ),
    "not a number": (UNITS + "d2,bob,one,8,x\n", r"talk\.csv, line 5: start is 'one', not a number"),
    "no number": (UNITS + "d2,bob,,8,x\n", r"talk\.csv, line 5: start is empty; a number is needed"),
    "nan": (UNITS + "d2,bob,nan,8,x\n", r"talk\.csv, line 5: start is missing \(or NaN\)"),
    "infinite": (UNITS + "d2,bob,1,inf,x\n", r"talk\.csv, line 5: end is inf; a bound is a finite"),
    "too large": (
        UNITS + "d2,bob,1,9007199254740993,x\n",
        r"talk\.csv, line 5: end is 9007199254740993, beyond",
    ),
    "no annotator": (UNITS + "d2,,1,2,x\n", r"talk\.csv, line 5: the annotator is empty"),
    "no document": (UNITS + ",ann,1,2,x\n", r"talk\.csv, line 5: the document is empty"),
    "too few fields": (UNITS + "d2,bob,1,8\n", r"talk\.csv, line 5: 4 fields, but the first row has 5; fill"),
    "too many fields": (UNITS + "d2,bob,1,8,x,y\n", r"talk\.csv, line 5: 6 fields, but the first row has 5; quote"),
    "open quote": (UNITS + 'd2,bob,1,8,"x\nd2,bob,1,8,y\n', r"talk\.csv, line 5: unexpected end of data"),
    "stray quote": (UNITS + 'd2,bob,1,8,"x"y\n', r"talk\.csv, line 5: .* a quote within it is doubled"),
    "column twice": (
        "annotator,start,start,end\na,0,1,2\n",
        r"talk\.csv, line 1: column 'start' is there twice",
    ),
    "column twice, header below": ("\n\nannotator,end,end\n", r"talk\.csv, line 3: column 'end' is there twice"),
    "missing column": (
        "annotator,start\na,0\n",
        r"talk\.csv: no column 'end'; there are 'annotator', 'start'",
    ),
    "another delimiter": (
        "document;annotator;a;end\nd;a;0;1\n",
        r"talk\.csv, line 1: none of document.*its cells seem to be between ';'; save it with commas",
    ),
    "no header, five fields": (
        "d,a,0,1,x\n",
        r"talk\.csv, line 1: none of document, annotator, start, end, category",
    ),
    "no header, uneven": (
        "a,x,0,1\na,x,0\n",
        r"line 2: 3 fields, but the first row has 4",
    ),
    "no header, bad unit": ("a,x,0,1\na,x,5,4\n", r"talk\.csv, line 2: the unit ends at 4"),
    "empty": ("", r"talk\.csv: the file is empty"),
    "blank": ("\n \n,,\n", r"talk\.csv: the file is empty"),
    "header alone": (HEADER, r"talk\.csv: a header and no documents"),
}


@pytest.mark.parametrize(("text", "message"), BAD_FILES.values(), ids=BAD_FILES)
def test_malformed_csv_is_refused_by_line(tmp_path, text, message):
    path = saved(tmp_path, text)
    with pytest.raises(InputError, match=message):
        read(path)


ENCODINGS = {
    "latin-1": (
        UNITS + "d2,Zoë,0,1,x\n",
        r"talk\.csv, line 5: byte 0xeb \(byte 83 of the file\) is not UTF-8",
    ),
    "utf-16-le": (UNITS.replace("x", "é"), r"talk\.csv, line 2: byte 0xe9 .* is not UTF-8; .* encoding='latin-1'"),
}


@pytest.mark.parametrize(("encoding", "text", "message"), [(name, *rest) for name, rest in ENCODINGS.items()])
def test_another_encoding_is_refused_by_byte(tmp_path, encoding, text, message):
    path = saved(tmp_path, text, encoding=encoding)
    with pytest.raises(InputError, match=message):
        read(path)


BAD_SETTINGS = {
    "format": ({"format": "xlsx"}, r"format must be one of 'parquet', 'csv', 'tsv', .*'brat', .*not 'xlsx'"),
    "header": ({"header": "no"}, "header must be 'auto', True or False, not 'no'"),
    "names without header": (
        {"header": False, "columns": {"start": "b"}},
        "names of columns are names in the header, .*leave out columns=, or let the first row",
    ),
    "column": ({"columns": {"begin": "start"}}, "there is no 'begin'"),
    "outside": ({"outside": "clip"}, "outside must be 'refuse' or 'extend', not 'clip'"),
}


@pytest.mark.parametrize(("settings", "message"), BAD_SETTINGS.values(), ids=BAD_SETTINGS)
def test_unknown_settings_are_refused(tmp_path, settings, message):
    path = saved(tmp_path, UNITS)
    with pytest.raises(SettingsError, match=message):
        read(path, **settings)


# --- paths and folders -------------------------------------------------------------------------------------


def test_missing_paths_are_refused(tmp_path):
    with pytest.raises(InputError, match=r"nowhere\.csv: there is no such file or folder"):
        read(tmp_path / "nowhere.csv")


@pytest.mark.parametrize("name", ["talk.odt", "talk"])
def test_an_unknown_suffix_is_refused_with_the_known_formats(tmp_path, name):
    path = saved(tmp_path, UNITS, name)
    with pytest.raises(
        InputError, match=rf"{name}: files named .* are not read; a table needs a header with annotator, start and end"
    ):
        read(path)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("talk.json", b"", "talk.json: it is empty, damaged, or of no format with files named .json .*labelstudio"),
        ("talk.jsonl", b'{"a": 1}', "its first record has the keys a; .*name its format with format="),
        ("TALK.ZIP", b"PK\x03\x04cut", "no format with files named .ZIP .*inception"),
    ],
)
def test_an_unrecognised_file_with_a_known_suffix_is_refused_with_its_formats(tmp_path, name, content, message):
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(InputError, match=message):
        read(path)


@pytest.mark.parametrize(
    ("name", "mark", "shown"), [("talk.csv", "\t", r"\t"), ("talk.tsv", ",", ","), ("talk.csv", ";", ";")]
)
def test_another_delimiter_is_recognised_and_noted(tmp_path, name, mark, shown):
    corpus = read(saved(tmp_path, UNITS.replace(",", mark), name))
    assert records(corpus) == records(read(saved(tmp_path, UNITS, "usual.csv")))
    assert other_notes(corpus) == (f"{name}: cells are between '{shown}'",)


def test_misspelt_names_of_columns_are_refused(tmp_path):
    path = saved(tmp_path, "who,from,to\nann,0,5\n")
    with pytest.raises(SettingsError, match="there is no 'anotator'"):
        read(path, columns={"anotator": "who", "start": "from", "end": "to"})
    with pytest.raises((InputError, SettingsError), match=r"no column 'whom'; there are 'who', 'from', 'to'"):
        read(path, columns={"annotator": "whom"})
    corpus = read(path)
    assert corpus.annotators == ("talk",)
    assert any("units are taken as those of 'talk' (columns={'annotator': " in note for note in corpus.notes)


def test_an_empty_folder_is_refused(tmp_path):
    with pytest.raises(InputError, match=r"the folder is empty; a table needs a header"):
        read(tmp_path)


def test_a_folder_without_units_is_refused_with_its_files(tmp_path):
    for name in "abcdef":
        saved(tmp_path, "text\nann\n", f"{name}.csv")
    with pytest.raises(
        InputError, match=r"no file is of a known format: a\.csv, b\.csv, .*e\.csv … \(6 in all\); a table"
    ):
        read(tmp_path)


def test_a_folder_with_two_tables_of_units_is_refused(tmp_path):
    saved(tmp_path, UNITS, "units.csv")
    write(read(tmp_path), tmp_path.parent / f"{tmp_path.name}-copy")
    (tmp_path.parent / f"{tmp_path.name}-copy" / "units.parquet").replace(tmp_path / "units.parquet")
    with pytest.raises(InputError, match=r"units\.parquet and units\.csv are both there; .* format="):
        read(tmp_path)
    assert records(read(tmp_path, format="csv")) == WRITTEN


def folder_of(tmp_path, **texts):
    for name, text in texts.items():
        saved(tmp_path, text, f"{name}.csv")
    return tmp_path


def test_a_folder_of_csv_has_three_tables(tmp_path):
    corpus = read(folder_of(tmp_path, units=UNITS, annotations=ANNOTATIONS, documents=DOCUMENTS))
    assert records(corpus) == WRITTEN
    assert [corpus[name].annotators for name in corpus] == [("ann", "bob"), ("ann", "bob"), ("bob",)]
    assert corpus.extents.tolist() == [[0, 10], [2, 3], [0, 7]]
    assert corpus.length_unit == "token"
    assert corpus.notes == ()


def test_tables_beside_a_file_of_units_are_read(tmp_path):
    folder = folder_of(tmp_path, talks=UNITS, who=ANNOTATIONS, long=DOCUMENTS)
    corpus = read(folder / "talks.csv", annotations=folder / "who.csv", documents=folder / "long.csv")
    assert corpus["d3"].annotators == ("bob",)
    assert corpus["d1"].extent == (0, 10)


def test_a_missing_table_beside_the_units_is_refused(tmp_path):
    path = saved(tmp_path, UNITS)
    with pytest.raises(InputError, match=r"who\.csv: there is no such file"):
        read(path, annotations=tmp_path / "who.csv")


def test_names_of_columns_apply_to_all_tables(tmp_path):
    renamed = {"units": UNITS, "annotations": ANNOTATIONS}
    renamed = {kind: text.replace("document", "doc_id") for kind, text in renamed.items()}
    corpus = read(folder_of(tmp_path, **renamed, documents=DOCUMENTS), columns={"document": "doc_id"})
    assert corpus["d3"].extent == (0, 7)


BAD_FOLDERS = {
    "undeclared annotator": (
        {"annotations": ANNOTATIONS.replace("d1,bob\n", "")},
        r"units\.csv, line 3: a unit of annotator 'bob', not declared for document 'd1' in annotations\.csv",
    ),
    "document twice": (
        {"documents": DOCUMENTS + "d1,12,token\n"},
        r"documents\.csv, line 5: document 'd1' is listed twice, first in line 2; keep one",
    ),
    "document not listed": (
        {"documents": "document,length\nd1,10\nd3,7\n"},
        r"units\.csv, line 4: document 'd2' is not listed in documents\.csv; list it",
    ),
    "document of annotations not listed": (
        {"documents": "document,length\nd1,10\nd2,7\n"},
        r"annotations\.csv, line 6: document 'd3' is not listed in documents\.csv",
    ),
    "length": (
        {"documents": "document,length\nd1,long\nd2,1\nd3,1\n"},
        r"documents\.csv, line 2: length is 'long', not a number",
    ),
    "outside": (
        {"documents": "document,length\nd1,4\nd2,9\nd3,9\n"},
        (
            r"units\.csv: 2 units outside .* of 1 document; .*\n"
            r"  line 2: document 'd1', annotator 'ann', unit \[0, 5\], extent \[0, 4\]\n"
            r"  line 3: document 'd1', annotator 'bob'"
        ),
    ),
    "annotations without annotator": (
        {"annotations": "document,start\nd1,2\n"},
        r"annotations\.csv: no column 'annotator'; there are 'document', 'start'",
    ),
    "empty annotations": ({"annotations": ""}, r"annotations\.csv: the file is empty"),
}


@pytest.mark.parametrize(("texts", "message"), BAD_FOLDERS.values(), ids=BAD_FOLDERS)
def test_malformed_folders_are_refused_by_file_and_line(tmp_path, texts, message):
    tables = {"units": UNITS, "annotations": ANNOTATIONS, "documents": DOCUMENTS}
    folder = folder_of(tmp_path, **(tables | texts))
    with pytest.raises(InputError, match=message):
        read(folder)


def test_units_outside_their_document_extend_it_on_request(tmp_path):
    folder = folder_of(tmp_path, units=UNITS, documents="document,length\nd1,4\nd2,9\n")
    corpus = read(folder, outside="extend")
    assert corpus["d1"].extent == (0, 5)
    assert other_notes(corpus) == (
        "units.csv: 2 units outside the declared extent; 1 document was extended to hold them",
    )


# --- Parquet -----------------------------------------------------------------------------------------------

COLUMNS = {
    "document": ["d1", "d1", "d2"],
    "annotator": ["ann", "bob", "ann"],
    "start": [0, 1, 2],
    "end": [5, 5, 3],
    "category": ["x", "y", "x"],
}


def parquet(folder, name="units.parquet", **changes):
    path = folder / name
    pq.write_table(pa.table(COLUMNS | changes), path)
    return path


KINDS = {
    "strings": {},
    "large strings": {"document": pa.array(COLUMNS["document"], pa.large_string())},
    "dictionaries": {name: pa.array(COLUMNS[name]).dictionary_encode() for name in ("document", "category")},
    "floats": {"start": [0.0, 1.0, 2.0], "end": pa.array([5, 5, 3], pa.float32())},
    "small integers": {"start": pa.array([0, 1, 2], pa.uint8())},
    "numbers as strings": {"start": ["0", "1.0", "2"]},
    "more columns": {"text": ["", "", ""], "nested": [{"a": 1}] * 3},
    "chunks": {
        "category": pa.chunked_array([pa.array(["x", "y"]).dictionary_encode(), pa.array(["x"]).dictionary_encode()])
    },
}


@pytest.mark.parametrize("changes", KINDS.values(), ids=KINDS)
def test_all_types_of_parquet_give_the_same_units(tmp_path, changes):
    assert records(read(parquet(tmp_path, **changes))) == WRITTEN


def test_parquet_categories_may_be_missing_or_of_other_types(tmp_path):
    path = parquet(tmp_path, category=["x", None, ""], document=[7, 7, 8])
    assert records(read(path)) == [("7", "ann", 0, 5, "x"), ("7", "bob", 1, 5, None), ("8", "ann", 2, 3, "")]
    assert read(parquet(tmp_path, category=pa.nulls(3))).categories == ()
    assert read(parquet(tmp_path, category=[1, None, 2])).categories == ("1", "2")


@pytest.mark.parametrize("width", ["int8", "uint8", "int32", "uint32", "int64"])
@pytest.mark.parametrize(("first", "length"), [(0, 21), (3, 17), (9, 0), (20, 1)])
def test_codes_of_any_width_are_read_with_nulls_from_any_row(width, first, length):
    numbers = [None if row % 5 == 2 else row % 3 for row in range(21)]
    codes = arrow._codes(pa.array(numbers, type=getattr(pa, width)()).slice(first, length))
    assert codes.tolist() == [-1 if number is None else number for number in numbers[first : first + length]]
    assert codes.dtype == np.int64


def test_a_null_within_a_dictionary_is_no_label():
    column = pa.DictionaryArray.from_arrays(pa.array([1, 0, None]), pa.array([None, "x"]))
    coded = arrow._coded(pa.chunked_array([column]))
    assert [coded.labels[code] if code >= 0 else None for code in coded.codes.tolist()] == ["x", None, None]


BAD_PARQUET = {
    "end before start": (
        {"end": [5, 0, 3]},
        r"units\.parquet, row 2: the unit ends at 0, before its start 1",
    ),
    "null bound": ({"end": [5, None, 3]}, r"units\.parquet, row 2: end is missing"),
    "null annotator": ({"annotator": ["a", "b", None]}, r"units\.parquet, row 3: the annotator is missing"),
    "booleans": ({"start": [False, False, True]}, r"units\.parquet, row 1: start is .*False.*, not a number"),
    "times": ({"start": pa.array([0, 1, 2], pa.timestamp("s"))}, r"row 1: start is .*give times as numbers"),
    "durations": (
        {"start": pa.array([0, 1, 2], pa.duration("s"))},
        r"row 1: start is .*give times as numbers",
    ),
    "too large": ({"end": [5, 2**53 + 1, 3]}, r"units\.parquet, row 2: end is 9007199254740993, beyond"),
    "lists": (
        {"category": [["x"], ["y"], []]},
        r"units\.parquet, row 1: the category is .*; a label is one string",
    ),
}


@pytest.mark.parametrize(("changes", "message"), BAD_PARQUET.values(), ids=BAD_PARQUET)
def test_malformed_parquet_is_refused_by_row(tmp_path, changes, message):
    path = parquet(tmp_path, **changes)
    with pytest.raises(InputError, match=message):
        read(path)


def test_parquet_with_two_columns_of_one_name_is_refused(tmp_path):
    columns = [pa.array(COLUMNS[name]) for name in ("annotator", "start", "end", "end")]
    pq.write_table(pa.Table.from_arrays(columns, names=["annotator", "start", "end", "end"]), tmp_path / "a.parquet")
    with pytest.raises(InputError, match=r"a\.parquet: column 'end' is there twice"):
        read(tmp_path / "a.parquet")


def test_parquet_without_a_required_column_is_refused_with_the_columns(tmp_path):
    pq.write_table(pa.table({"annotator": ["a"], "start": [0], "until": [1]}), tmp_path / "a.parquet")
    with pytest.raises(InputError, match=r"a\.parquet: no column 'end'; there are 'annotator', 'start', 'until'"):
        read(tmp_path / "a.parquet")


def test_a_folder_name_like_a_partition_adds_no_column(tmp_path):
    folder = tmp_path / "annotator=zoe"
    folder.mkdir()
    assert records(read(parquet(folder))) == WRITTEN


@pytest.mark.parametrize("keep", [0, 3, 100, -20], ids=["empty", "start", "half", "end cut off"])
def test_a_truncated_parquet_file_is_refused(tmp_path, keep):
    path = parquet(tmp_path)
    path.write_bytes(path.read_bytes()[:keep])
    with pytest.raises(InputError, match=r"units\.parquet: not a Parquet file that can be read"):
        read(path)


def test_a_parquet_file_with_changed_bytes_is_refused(tmp_path):
    path = parquet(tmp_path)
    data = bytearray(path.read_bytes())
    data[4:60] = b"\xff" * 56
    path.write_bytes(data)
    with pytest.raises(InputError, match=r"units\.parquet: not a Parquet file that can be read"):
        read(path)


def hidden(monkeypatch, package):
    for name in [package, *(name for name in sys.modules if name.startswith(f"{package}."))]:
        monkeypatch.setitem(sys.modules, name, None)


def test_reading_parquet_without_pyarrow_names_the_extra(tmp_path, monkeypatch):
    path = parquet(tmp_path)
    hidden(monkeypatch, "pyarrow")
    with pytest.raises(MissingExtraError, match=r"reading Parquet needs pyarrow: .*gamma-align\[parquet\]"):
        read(path)


def test_writing_parquet_without_pyarrow_names_the_extra(tmp_path, monkeypatch):
    hidden(monkeypatch, "pyarrow")
    corpus = Corpus.from_records(WRITTEN)
    with pytest.raises(MissingExtraError, match=r"writing Parquet needs pyarrow: .*gamma-align\[parquet\]"):
        write(corpus, tmp_path / "out")


@pytest.mark.surfaces
def test_importing_the_reader_imports_no_optional_package():
    code = (
        "import sys, gamma_align.data.tables, gamma_align.reading\n"
        "print({'pyarrow', 'pandas', 'narwhals', 'polars', 'scipy', 'ortools'} & set(sys.modules))"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "set()"


@pytest.mark.surfaces
def test_reading_and_writing_parquet_do_not_import_what_takes_long(tmp_path):
    path, copy = str(parquet(tmp_path, category=["x", None, "y"])), str(tmp_path / "copy")
    code = (
        f"import sys, gamma_align as ga; ga.write(ga.read({path!r}), {copy!r})\n"
        "print({'pandas', 'pyarrow.compute'} & set(sys.modules))"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "set()"


@pytest.mark.parametrize(
    "values",
    [
        Coded(np.array([0, 2, -1, 1, 0, -1, 0, 1, 2]), ("Ä", "", "the 日本")),
        Coded(np.array([1, 0]), ("a", "b")),
        Coded(np.array([], dtype=np.int64), ()),
        np.array([0.5, np.nan, -0.0]),
        np.arange(6)[::2],
        ["x", None],
    ],
)
def test_columns_become_the_arrays_that_pyarrow_makes(values):
    array = arrow.array_of(pa, values)
    array.validate(full=True)
    expected = pa.array(values if not isinstance(values, Coded) else values.codes.astype(np.int32))
    if isinstance(values, Coded):
        codes = pa.array([None if code < 0 else code for code in values.codes.tolist()], type=pa.int32())
        expected = pa.DictionaryArray.from_arrays(codes, pa.array(values.labels, type=pa.string()))
    assert array.type == expected.type
    assert str(array.to_pylist()) == str(expected.to_pylist())  # NaN differs from itself, and -0.0 equals 0.0


# --- writing -----------------------------------------------------------------------------------------------

NAMES = st.text(min_size=1, max_size=5).filter(str.strip)
NASTY = st.one_of(
    st.text(max_size=6),
    st.sampled_from(
        ["", " ", ",", '"', "\n", "\r", "\r\n", "\t", "NA", "nan", "\ufeff", "\x00", "a\rb", ' "', "é", "😀"]
    ),
)
WHOLE = st.integers(-(2**53), 2**53)
REAL = st.floats(-(2.0**53), 2.0**53) | st.sampled_from([1e300, -1e300, 1e100])
FORMATS = ["parquet", "csv", "tsv"]


@st.composite
def corpora(draw, categories):
    """Small corpora with nasty names, annotators and documents without units, and wider extents."""
    bounds = draw(st.sampled_from([WHOLE, REAL]))
    documents = draw(st.lists(NAMES, min_size=1, max_size=3, unique=True))
    annotators = draw(st.lists(st.one_of(NAMES, NASTY.filter(str.strip)), min_size=1, max_size=3, unique=True))
    pair = st.tuples(bounds, bounds).map(sorted)
    units = draw(
        st.lists(st.tuples(st.sampled_from(documents), st.sampled_from(annotators), pair, categories), max_size=8)
    )
    rows = [(document, annotator, *bound, label) for document, annotator, bound, label in units]
    seen = {(document, annotator) for document, annotator, *_ in rows}
    silent = draw(st.sets(st.tuples(st.sampled_from(documents), st.sampled_from(annotators))))
    extents = draw(st.dictionaries(st.sampled_from(documents), pair))
    return Corpus.from_records(
        rows, annotations=sorted(seen | silent), extents=extents, documents=documents, outside="extend"
    )


@given(corpora(st.one_of(st.none(), NASTY)))
def test_a_parquet_folder_round_trips(tmp_path_factory, corpus):
    folder = tmp_path_factory.mktemp("corpus") / "folder"
    write(corpus, folder)
    assert content(read(folder)) == content(corpus)


@pytest.mark.filterwarnings("ignore:.*read back as none:gamma_align.GammaAlignWarning")  # and na= reads it
@pytest.mark.parametrize("fmt", ["csv", "tsv"])
@pytest.mark.parametrize("categories", [NASTY, st.none()], ids=["labels", "none"])
def test_a_folder_of_text_tables_round_trips(tmp_path_factory, fmt, categories):
    @given(corpora(categories))
    def check(corpus):
        assume(corpus.categories != ("",))
        folder = tmp_path_factory.mktemp("corpus") / "folder"
        write(corpus, folder, format=fmt)
        assert content(read(folder, na=[""])) == content(corpus)

    check()


@pytest.mark.filterwarnings("ignore:.*read back as none:gamma_align.GammaAlignWarning")  # and na= reads it
@pytest.mark.parametrize("fmt", FORMATS)
def test_one_file_of_units_round_trips(tmp_path_factory, fmt):
    unit = st.tuples(NAMES, NAMES, st.tuples(REAL, REAL).map(sorted), NASTY)

    @given(st.lists(unit, min_size=1, max_size=8))
    def check(units):
        corpus = Corpus.from_records(
            [(document, annotator, *bound, label) for document, annotator, bound, label in units]
        )
        assume(corpus.categories != ("",))
        path = tmp_path_factory.mktemp("corpus") / f"talk.{fmt}"
        write(corpus, path)
        assert content(read(path, na=[""])) == content(corpus)

    check()


def test_the_unit_of_length_is_written(tmp_path):
    corpus = read(folder_of(tmp_path, units=UNITS, documents="document,unit\nd1,s\nd2,s\n"))
    write(corpus, tmp_path / "out")
    assert read(tmp_path / "out").length_unit == "s"


def test_csv_is_written_in_order_with_whole_numbers(tmp_path):
    write(Corpus.from_records(WRITTEN[::-1]), tmp_path / "talk.csv")
    assert (tmp_path / "talk.csv").read_bytes() == UNITS.encode()


def test_fractions_are_written_with_all_digits(tmp_path):
    write(Corpus.from_records([("d", "a", 0, 0.1 + 0.2)]), tmp_path / "talk.csv")
    assert (tmp_path / "talk.csv").read_text() == "document,annotator,start,end\nd,a,0.0,0.30000000000000004\n"


def test_parquet_keeps_whole_numbers_and_dictionaries_and_order(tmp_path):
    write(Corpus.from_records(WRITTEN[::-1]), tmp_path / "talk.parquet")
    table = pq.read_table(tmp_path / "talk.parquet")
    assert table.to_pydict() == COLUMNS
    assert [str(kind) for kind in table.schema.types] == [
        *["dictionary<values=string, indices=int32, ordered=0>"] * 2,
        *["int64"] * 2,
        "dictionary<values=string, indices=int32, ordered=0>",
    ]
    assert table.schema.metadata is None


@pytest.mark.parametrize(
    ("name", "fmt", "files"),
    [
        ("out", None, ["annotations.parquet", "documents.parquet", "units.parquet"]),
        ("out.d/", None, ["annotations.parquet", "documents.parquet", "units.parquet"]),
        ("deep/out", "csv", ["annotations.csv", "documents.csv", "units.csv"]),
        (".", "tsv", ["annotations.tsv", "documents.tsv", "units.tsv"]),
    ],
)
def test_writing_makes_folders_with_three_tables(tmp_path, name, fmt, files):
    write(Corpus.from_records(WRITTEN), f"{tmp_path}/{name}", format=fmt)
    assert sorted(path.name for path in (tmp_path / name).iterdir()) == files


LOSSES = {
    "annotator": (
        {"annotations": [("d", "a"), ("d", "b")]},
        "1 annotators who marked nothing; write a folder",
    ),
    "extent": ({"extents": {"d": (0, 9)}}, "would lose the extents of 1 documents; write a folder"),
    "document": ({"documents": ["d", "e", "f"]}, "would lose 2 documents without units; write a folder"),
}


@pytest.mark.parametrize(("settings", "message"), LOSSES.values(), ids=LOSSES)
@pytest.mark.parametrize("fmt", FORMATS)
def test_one_file_that_cannot_hold_the_corpus_is_refused(tmp_path, fmt, settings, message):
    corpus = Corpus.from_records([("d", "a", 0, 1)], **settings)
    path = tmp_path / f"talk.{fmt}"
    with pytest.raises(InputError, match=rf"talk\.{fmt}: one file of units would lose .*{message.split('lose ')[-1]}"):
        write(corpus, path)
    assert list(tmp_path.iterdir()) == []


def test_one_file_that_cannot_hold_the_unit_of_length_is_refused(tmp_path):
    corpus = read(folder_of(tmp_path, units=UNITS, documents="document,unit\nd1,s\nd2,s\n"))
    with pytest.raises(InputError, match="would lose the unit of length; write a folder"):
        write(corpus, tmp_path / "talk.csv")


@pytest.mark.parametrize("path", ["talk.csv", "folder/"])
def test_text_that_cannot_distinguish_no_category_from_an_empty_one_is_refused(tmp_path, path):
    corpus = Corpus.from_records([("d", "a", 0, 1, "x"), ("d", "a", 1, 2, None)])
    with pytest.raises(InputError, match="CSV would lose that 1 units have no category, or ''"):
        write(corpus, f"{tmp_path}/{path}", format="csv")


def test_text_that_would_lose_the_empty_category_is_refused(tmp_path):
    corpus = Corpus.from_records([("d", "a", 0, 1, ""), ("d", "a", 1, 2, "")])
    with pytest.raises(InputError, match="CSV would lose that 2 units have no category, or ''"):
        write(corpus, tmp_path / "talk.csv")


def test_a_folder_with_tables_of_another_format_is_refused(tmp_path):
    folder = folder_of(tmp_path, units=UNITS)
    corpus = Corpus.from_records(WRITTEN)
    with pytest.raises(SettingsError, match=r"units\.csv is there, and would contradict"):
        write(corpus, folder)
    assert [path.name for path in folder.iterdir()] == ["units.csv"]


def test_writing_an_unknown_suffix_is_refused(tmp_path):
    corpus = Corpus.from_records(WRITTEN)
    with pytest.raises(
        SettingsError,
        match=r"named \.json are not written; name a file \.parquet, \.csv, \.tsv, or a folder.*, one of brat, .*rttm",
    ):
        write(corpus, tmp_path / "talk.json")


def test_writing_an_unknown_format_is_refused(tmp_path):
    corpus = Corpus.from_records(WRITTEN)
    with pytest.raises(SettingsError, match=r"format must be one of 'parquet', 'csv', 'tsv', .*'brat', .*not 'json'"):
        write(corpus, tmp_path / "talk", format="json")


def test_writing_an_empty_corpus_is_refused(tmp_path):
    corpus = Corpus.from_records([])
    with pytest.raises(InputError, match="the corpus has no documents"):
        write(corpus, tmp_path / "talk")


def test_writing_into_a_missing_folder_is_refused(tmp_path):
    corpus = Corpus.from_records(WRITTEN)
    with pytest.raises(InputError, match=r"talk\.csv: cannot be written: No such file"):
        write(corpus, tmp_path / "nowhere" / "talk.csv")


@pytest.mark.parametrize("fmt", FORMATS)
def test_names_that_utf_8_cannot_hold_are_refused(tmp_path, fmt):
    corpus = Corpus.from_records([("d", "a\ud800", 0, 1)])
    with pytest.raises(InputError, match=r"\\ud800' is no character UTF-8 can hold"):
        write(corpus, tmp_path / f"talk.{fmt}")
    assert list(tmp_path.iterdir()) == []


# --- whole or not at all -----------------------------------------------------------------------------------


def test_text_is_written_unchanged(tmp_path):
    path = tmp_path / "note.txt"
    atomic.atomic_text(path, "γ\r\n\n")
    assert path.read_bytes() == "γ\r\n\n".encode()


def failing(path):
    with atomic.atomic_write(path) as temporary:
        temporary.write_text("half of")
        raise KeyboardInterrupt


def test_a_failed_write_leaves_the_file_unchanged(tmp_path):
    path = tmp_path / "note.txt"
    path.write_text("before")
    with pytest.raises(KeyboardInterrupt, match=r"^$"):
        failing(path)
    assert path.read_text() == "before"
    assert list(tmp_path.iterdir()) == [path]


def test_a_write_keeps_permissions_and_follows_links(tmp_path):
    target, link = tmp_path / "real.txt", tmp_path / "link.txt"
    target.write_text("before")
    target.chmod(0o640)
    link.symlink_to(target)
    atomic.atomic_text(link, "after")
    assert link.is_symlink()
    assert target.read_text() == "after"
    assert target.stat().st_mode & 0o777 == 0o640


def test_a_new_file_has_the_usual_permissions(tmp_path):
    (tmp_path / "usual").touch()
    atomic.atomic_text(tmp_path / "new", "text")
    assert (tmp_path / "new").stat().st_mode == (tmp_path / "usual").stat().st_mode


def test_a_device_is_written_directly():
    atomic.atomic_text(Path(os.devnull), "text")
    assert Path(os.devnull).is_char_device()


def test_a_data_frame_with_names_of_another_language_is_read_as_its_data_tell():
    rows = {
        "Datei": ["d1"] * 4 + ["d2"] * 4,
        "Kodierer": ["Anna", "Anna", "Ben", "Ben"] * 2,
        "Beginn": [0, 16] * 4,
        "Ende": [4, 20] * 4,
        "Art": ["PER", "LOC"] * 4,
    }
    ours = dict(zip(("document", "annotator", "start", "end", "category"), rows.values(), strict=True))
    expected = read(ours)
    for corpus in (read(pd.DataFrame(rows)), read(rows)):
        assert corpus.to_frame().equals(expected.to_frame())
        assert "'Beginn' as start" in corpus.notes[0]
    assert gamma(rows).gamma == gamma(ours).gamma
    with pytest.raises(InputError):
        read({**rows, "Datei": None, "Kodierer": None})


@pytest.mark.parametrize("given", [{"annotator": "round"}, {"category": "round", "annotator": "round"}])
def test_a_column_with_our_name_that_is_not_read_and_tells_units_apart_is_asked_about(given, tmp_path):
    lines = ["document,round,annotator,start,end,category"]
    lines += [
        f"d1,{version},{annotator},{9 * number},{9 * number + 4 + (annotator == 'Ben')},A"
        for number in range(20)
        for annotator in ("Anna", "Ben")
        for version in ("v1", "v2")
    ]
    path = tmp_path / "x.csv"
    path.write_text("\n".join(lines))
    with pytest.raises(InputError, match="'annotator', which is not read, tells them apart"):
        read(path, columns=given)
