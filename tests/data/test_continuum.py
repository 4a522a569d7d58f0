"""Corpus and Continuum: what is refused and how, extents, read-only columns, the ways in."""

import pickle
from dataclasses import fields

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gamma_align import Continuum, Corpus, Unit
from gamma_align.errors import InputError, SettingsError

RECORDS = [
    ("d2", "bob", 4, 9, "x"),
    ("d1", "ann", 0, 3, "y"),
    ("d1", "bob", 2, 3, None),
    ("d1", "ann", 0, 2, "x"),
    ("d2", "ann", 5, 5, ""),
]
COLUMNS = {
    "document": ["d2", "d1", "d1", "d1", "d2"],
    "annotator": ["bob", "ann", "bob", "ann", "ann"],
    "start": [4, 0, 2, 0, 5],
    "end": [9, 3, 3, 2, 5],
    "category": ["x", "y", None, "x", ""],
}


def content(corpus):
    """All a corpus says, as plain values; notes aside."""
    return {
        field.name: value.tolist() if isinstance(value := getattr(corpus, field.name), np.ndarray) else value
        for field in fields(corpus)
        if field.name != "notes"
    }


def columns(**changes):
    """One valid unit a row, with some columns changed."""
    return {"annotator": ["a", "b", "a"], "start": [0, 1, 2], "end": [1, 2, 3]} | changes


def test_columns_are_sorted_and_coded():
    corpus = Corpus.from_records(RECORDS)
    assert corpus.documents == ("d1", "d2")
    assert corpus.annotators == ("ann", "bob")
    assert corpus.categories == ("", "x", "y")
    assert list(corpus["d1"].units()) == [
        Unit("ann", 0.0, 2.0, "x"),
        Unit("ann", 0.0, 3.0, "y"),
        Unit("bob", 2.0, 3.0, None),
    ]
    assert corpus.extents.tolist() == [[0, 3], [4, 9]]
    assert corpus.n_annotators.tolist() == [2, 2]
    assert corpus.n_units == 5


@given(st.permutations(RECORDS))
def test_row_order_does_not_matter(records):
    assert content(Corpus.from_records(records)) == content(Corpus.from_records(RECORDS))


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame(COLUMNS),
        pd.DataFrame(COLUMNS, index=[9, 3, 3, 1, 0]),
        pd.DataFrame(COLUMNS).astype({"document": "category", "category": "category"}),
        pd.DataFrame(COLUMNS).astype({"start": "Int64", "end": "float32", "category": "string"}),
        pd.DataFrame(COLUMNS).replace({"category": {None: float("nan")}}).astype({"category": object}),
        pl.DataFrame(COLUMNS),
        pl.LazyFrame(COLUMNS),
        pl.DataFrame(COLUMNS).with_columns(pl.col("document", "category").cast(pl.Categorical)),
        pa.table(COLUMNS),
        pa.table(COLUMNS | {"category": pa.array(COLUMNS["category"]).dictionary_encode()}),
    ],
    ids=[
        "pandas",
        "pandas-index",
        "pandas-category",
        "pandas-nullable",
        "pandas-nan",
        "polars",
        "polars-lazy",
        "polars-categorical",
        "pyarrow",
        "pyarrow-dictionary",
    ],
)
def test_frames_of_all_libraries_give_the_same_corpus(frame):
    assert content(Corpus.from_frame(frame)) == content(Corpus.from_records(RECORDS))


@pytest.mark.parametrize(
    "convert",
    [list, tuple, np.array, pd.Series, pl.Series, pa.array, lambda values: iter(list(values))],
    ids=["list", "tuple", "numpy", "pandas", "polars", "pyarrow", "iterator"],
)
def test_all_kinds_of_columns_give_the_same_corpus(convert):
    converted = {name: convert(values) for name, values in COLUMNS.items()}
    assert content(Corpus.from_columns(converted)) == content(Corpus.from_records(RECORDS))


def test_from_frame_takes_all_three_tables_and_renaming():
    corpus = Corpus.from_frame(
        pl.DataFrame(COLUMNS).rename({"document": "doc_id", "start": "begin"}),
        annotations=pd.DataFrame(
            {"doc_id": ["d1", "d1", "d2", "d2", "d2"], "annotator": [*"ab", "ann", "bob", "c"]}
        ).replace({"a": "ann", "b": "bob"}),
        documents=pa.table({"document": ["d2", "d1"], "length": [20, None], "unit": ["token", "token"]}),
        columns={"document": "doc_id", "start": "begin"},
    )
    assert corpus.extents.tolist() == [[0, 3], [0, 20]]
    assert corpus.length_unit == "token"
    assert corpus["d2"].annotators == ("ann", "bob", "c")


@pytest.mark.parametrize("frame", [42, [1], "text", {"start": [1]}, pd.Series([1])], ids=repr)
def test_object_that_is_no_frame_is_refused(frame):
    with pytest.raises(InputError, match=f"a data frame is needed, not {type(frame).__name__}"):
        Corpus.from_frame(frame)


def test_a_frame_with_a_column_twice_is_refused():
    frame = pd.DataFrame([["a", 0, 1, 1]], columns=["annotator", "start", "end", "end"])
    with pytest.raises(InputError, match="a column twice"):
        Corpus.from_frame(frame)


def test_a_frame_of_numbers_with_nulls_names_the_row():
    frame = pl.DataFrame(columns(end=[1, None, 3]))
    with pytest.raises(InputError, match="units, row 2: end is missing"):
        Corpus.from_frame(frame)


def test_labels_of_mixed_types_are_the_strings_they_print_as():
    corpus = Corpus.from_columns(columns(annotator=[1, "1", True], category=[1, "1", 1.0]))
    assert corpus.annotators == ("1", "True")
    assert corpus.categories == ("1", "1.0")


@pytest.mark.parametrize("missing", [None, float("nan"), pd.NA, pd.NaT], ids=repr)
def test_a_missing_category_is_no_label(missing):
    corpus = Corpus.from_columns(columns(category=["x", missing, ""]))
    assert corpus.categories == ("", "x")
    assert [unit.category for unit in corpus.continuum(0).units()] == ["x", "", None]


BAD_UNITS = {
    "end before start": ({"end": [1, 0, 3]}, r"units, row 2: the unit ends at 0, before its start 1; swap"),
    "three of them": ({"end": [-1, 0, 1]}, r"row 1: .*\(also row 2, row 3\)"),
    "nan": ({"start": [0.0, float("nan"), 2]}, r"units, row 2: start is missing \(or NaN\); .* finite"),
    "none": ({"start": [0, 1, None]}, r"units, row 3: start is missing"),
    "infinite": ({"end": [1, 2, float("inf")]}, r"units, row 3: end is inf; a bound is a finite number"),
    "minus infinity": ({"start": [0, "-inf", 2]}, r"units, row 2: start is -inf; a bound is a finite"),
    "text": ({"end": [1, "two", 3]}, r"units, row 2: end is 'two', not a number"),
    "decimal comma": ({"end": ["1", "2,5", "3"]}, r"row 2: end is '2,5', not a number; write decimals"),
    "underscore": ({"end": ["1", "2", "3_0"]}, r"row 3: end is '3_0', not a number"),
    "empty text": ({"end": ["1", " ", "3"]}, r"row 2: end is empty; a number is needed"),
    "boolean": ({"start": [False, 1, 2]}, r"row 1: start is False, not a number; are the columns in"),
    "booleans": ({"start": np.array([False, True, True])}, r"row 1: start is False, not a number"),
    "complex": ({"start": [0, 1j, 2]}, r"row 2: start is 1j, not a number"),
    "dates": ({"end": np.array(["2020"] * 3, "M8[s]")}, r"row 1: end is .*2020.*give times as numbers"),
    "date": ({"end": [1, pd.Timestamp("2020"), 3]}, r"row 2: end is Timestamp.*give times as numbers"),
    "huge int": ({"end": [1, 2**53 + 1, 3]}, r"row 2: end is 9007199254740993, beyond 2\*\*53"),
    "huge int64": ({"end": np.array([1, 2, 2**60])}, r"row 3: end is 1152921504606846976, beyond 2\*\*53"),
    "huge text": ({"end": ["1", "2", "9007199254740993"]}, r"row 3: .*beyond 2\*\*53"),
    "huge negative": ({"start": [0, -(2**63), 2]}, r"row 2: start is -9223372036854775808, beyond"),
    "endless int": ({"end": [1, 10**400, 3]}, r"row 2: end is 1000+, not a number"),
    "lengths": ({"end": [1, 2]}, r"units: columns differ in length \(annotator 3, start 3, end 2\)"),
    "shape": ({"end": np.zeros((3, 1))}, r"units: column 'end' has shape \(3, 1\)"),
    "scalar": ({"end": 7}, r"units: column 'end' is 7; one value a row"),
    "a string": ({"annotator": "abc"}, r"units: column 'annotator' is 'abc'; one value a row"),
    "no name": (
        {"annotator": ["a", None, "b"]},
        r"units, row 2: the annotator is missing; every row of units",
    ),
    "empty name": ({"annotator": ["a", "b", ""]}, r"units, row 3: the annotator is empty"),
    "blank name": ({"annotator": ["a", " ", "b"]}, r"units, row 2: the annotator is empty"),
    "no document": ({"document": ["d", None, None]}, r"row 2: the document is missing;.*\(also row 3\)"),
    "bytes": ({"category": ["x", b"y", "z"]}, r"row 2: the category is b'y', a bytes; a label is one string"),
    "list": ({"category": [["x", "y"], "y", "z"]}, r"row 1: the category is \['x', 'y'\], a list"),
}


@pytest.mark.parametrize(("changes", "message"), BAD_UNITS.values(), ids=BAD_UNITS)
def test_bad_units_are_refused_by_row(changes, message):
    with pytest.raises(InputError, match=message):
        Corpus.from_columns(columns(**changes))


def test_a_long_list_of_rows_is_counted_after_the_tenth():
    bad = {"annotator": ["a"] * 25, "start": [1] * 25, "end": [0] * 25}
    with pytest.raises(InputError, match=r"row 1: .*\(also row 2, .*row 10 and 15 more\)"):
        Corpus.from_columns(bad)


@pytest.mark.parametrize("value", [2**53, -(2**53), "9007199254740992", 1e300, "1e300", np.float64(2**60)])
def test_bounds_that_float64_represents_are_accepted(value):
    corpus = Corpus.from_columns({"annotator": ["a"], "start": [value], "end": [value]})
    assert corpus.start[0] == float(value)


@pytest.mark.parametrize("missing", ["annotator", "start", "end"])
def test_missing_column_is_refused_with_the_present_ones(missing):
    units = columns()
    del units[missing]
    with pytest.raises(InputError, match=rf"units: no column '{missing}'; there are '.*columns={{'{missing}'"):
        Corpus.from_columns(units)


def test_missing_renamed_column_is_refused():
    with pytest.raises(InputError, match="units: no column 'label'; there are 'annotator', 'start', 'end'"):
        Corpus.from_columns(columns(), columns={"category": "label"})


def test_renaming_an_unknown_column_is_refused():
    with pytest.raises(SettingsError, match="there is no 'doc_id'"):
        Corpus.from_columns(columns(), columns={"doc_id": "document"})


def test_no_columns_at_all_are_refused():
    with pytest.raises(InputError, match="units: no column 'annotator'; there are none"):
        Corpus.from_columns({})


def test_records_in_place_of_columns_are_refused():
    with pytest.raises(InputError, match=r"units: a mapping of column names .* not list; pass records to"):
        Corpus.from_columns([("d", "a", 0, 1)])


BAD_RECORDS = {
    "short": ([("d", "a", 0, 1), ("d", "a", 0)], r"unit 2 has 3 fields: .*; give 4 or 5: document, annotator"),
    "long": ([("d", "a", 0, 1, "x", "y")], "unit 1 has 6 fields: .*; give 4 or 5"),
    "number": ([7], "unit 1 is 7; a record of document, annotator, start, end, category is needed"),
    "string": (["da01"], "unit 1 is 'da01'; a record"),
}


@pytest.mark.parametrize(("records", "message"), BAD_RECORDS.values(), ids=BAD_RECORDS)
def test_bad_records_are_refused_by_number(records, message):
    with pytest.raises(InputError, match=message):
        Corpus.from_records(records)


BAD_DECLARATIONS = {
    "annotation": ({"annotations": [("d",)]}, "annotation 1 has 1 fields: .*; give 2: document, annotator"),
    "extent": ({"extents": {"d": 5}}, r"the extent of document 'd' is 5; \(L, R\) is needed"),
    "extent of one": ({"extents": {"d": (5,)}}, "extent 1 has 2 fields: .*; give 3: document, L, R"),
    "extent text": ({"extents": {"d": (0, "x")}}, "documents, row 1: end is 'x', not a number"),
    "extent upside down": ({"extents": {"d": (9, 0)}}, r"documents, row 1: the extent is \[9, 0\]"),
    "extent infinite": ({"extents": {"d": (0, float("inf"))}}, r"documents, row 1: the extent is \[0, inf\]"),
    "document": ({"documents": [["d"]]}, r"a document is named \['d'\], a list; a name is one string"),
    "document without name": ({"documents": [None]}, "documents, row 1: the document is missing"),
    "undeclared": ({"annotations": [("d", "b")]}, "units, row 1: a unit of annotator 'a', not declared for"),
}


@pytest.mark.parametrize(("settings", "message"), BAD_DECLARATIONS.values(), ids=BAD_DECLARATIONS)
def test_bad_declarations_are_refused(settings, message):
    with pytest.raises(InputError, match=message):
        Corpus.from_records([("d", "a", 0, 1)], **settings)


BAD_DOCUMENTS = {
    "twice": ({"document": ["d", "d"]}, "documents, row 2: document 'd' is listed twice, first in row 1"),
    "not listed": ({"document": ["e"]}, "units, row 1: document 'd' is not listed in documents; list it"),
    "no column": ({"length": [5]}, "documents: no column 'document'; there are 'length'"),
    "negative": (
        {"document": ["d"], "length": [-1]},
        r"documents, row 1: the extent is \[0, -1\] with length -1",
    ),
    "clash": (
        {"document": ["d"], "start": [0], "end": [9], "length": [8]},
        r"documents, row 1: the extent is \[0, 9\] with length 8.*agrees",
    ),
    "infinite": ({"document": ["d"], "length": [float("inf")]}, r"documents, row 1: .* with length inf"),
    "lengths": ({"document": ["d"], "length": [1, 2]}, "documents: columns differ in length"),
}


@pytest.mark.parametrize(("documents", "message"), BAD_DOCUMENTS.values(), ids=BAD_DOCUMENTS)
def test_bad_lists_of_documents_are_refused(documents, message):
    units = {"document": ["d"], "annotator": ["a"], "start": [0], "end": [1]}
    with pytest.raises(InputError, match=message):
        Corpus.from_columns(units, documents=documents)


def test_annotations_of_a_document_not_listed_are_refused():
    units = {"document": ["d"], "annotator": ["a"], "start": [0], "end": [1]}
    annotations = {"document": ["d", "e"], "annotator": ["a", "a"]}
    with pytest.raises(InputError, match="annotations, row 2: document 'e' is not listed in documents"):
        Corpus.from_columns(units, annotations=annotations, documents={"document": ["d"]})


def test_annotator_can_be_declared_twice():
    corpus = Corpus.from_records([("d", "a", 0, 1)], annotations=[("d", "a"), ("d", "b"), ("d", "a")])
    assert corpus["d"].annotators == ("a", "b")


def test_annotators_and_documents_without_units_are_kept():
    corpus = Corpus.from_records([("d", "a", 0, 1)], annotations=[("d", "a"), ("e", "b")], documents=["f"])
    assert [corpus[name].annotators for name in corpus] == [("a",), ("b",), ()]
    assert corpus["e"].mean_units == 0
    assert np.isnan(corpus["f"].mean_units)


DECLARED = {
    "length": ({"length": [20]}, (0, 20)),
    "start and end": ({"start": [-5], "end": [20]}, (-5, 20)),
    "start and length": ({"start": [2], "length": [20]}, (2, 22)),
    "end and length": ({"start": [None], "end": [20], "length": [19]}, (1, 20)),
    "end": ({"end": [20]}, (0, 20)),
    "null start": ({"start": [None], "end": [20]}, (3, 20)),
    "null end": ({"start": [0], "end": [None]}, (0, 9)),
    "null length": ({"length": [None]}, (3, 9)),
    "nothing": ({}, (3, 9)),
    "text": ({"length": ["20"]}, (0, 20)),
    "rounded": ({"start": [0.1], "end": [20.3], "length": [20.2]}, (0.1, 20.3)),
}


@pytest.mark.parametrize(("columns", "extent"), DECLARED.values(), ids=DECLARED)
def test_extents_are_declared_or_those_of_the_units(columns, extent):
    units = {"document": ["d", "d"], "annotator": ["a", "b"], "start": [3, 4], "end": [8, 9]}
    corpus = Corpus.from_columns(units, documents={"document": ["d"]} | columns)
    assert corpus["d"].extent == extent


@pytest.mark.parametrize(
    ("declared", "extent"),
    [
        ((None, None), (0, 0)),
        ((5, None), (5, 5)),
        ((None, 5), (0, 5)),
        ((None, -5), (-5, -5)),
        ((2, 4), (2, 4)),
    ],
)
def test_extents_of_documents_without_units(declared, extent):
    low, high = declared
    documents = {"document": ["d"], "start": [low], "end": [high]}
    empty = {"document": [], "annotator": [], "start": [], "end": []}
    assert Corpus.from_columns(empty, documents=documents)["d"].extent == extent


def outside_units():
    records = [("d", "ann", start, start + 2) for start in range(40)]
    return {"units": [*records, ("e", "bob", -1, 5)], "extents": {"d": (0, 10), "e": (0, 5)}}


def test_all_units_outside_the_extent_are_listed():
    with pytest.raises(InputError, match="units: 32 units outside the declared extent of 2 documents;") as told:
        Corpus.from_records(**outside_units())
    lines = str(told.value).splitlines()[1:]
    assert len(lines) == 32
    assert lines[0] == "  row 10: document 'd', annotator 'ann', unit [9, 11], extent [0, 10]"
    assert lines[-1] == "  row 41: document 'e', annotator 'bob', unit [-1, 5], extent [0, 5]"


def test_units_outside_extend_the_extent_on_request_with_a_note():
    corpus = Corpus.from_records(**outside_units(), outside="extend")
    assert corpus.extents.tolist() == [[0, 41], [-1, 5]]
    assert corpus.notes == ("units: 32 units outside the declared extent; 2 documents were each extended to hold them",)


def test_extending_nothing_notes_nothing():
    corpus = Corpus.from_records([("d", "a", 0, 1)], extents={"d": (0, 1)}, outside="extend")
    assert corpus.notes == ()


def test_an_unknown_word_for_outside_is_refused():
    with pytest.raises(SettingsError, match="outside must be 'refuse' or 'extend', not 'clip'"):
        Corpus.from_records([("d", "a", 0, 1)], outside="clip")


@pytest.mark.parametrize("extents", [None, {"d": (-1.7e308, 1.7e308)}], ids=["units", "declared"])
def test_document_longer_than_float64_represents_is_refused(extents):
    units = [("d", "a", -1.7e308, 0), ("d", "a", 0, 1.7e308)]
    with pytest.raises(InputError, match=r"-1\.7e\+308(, | to )1\.7e\+308.*(finite bounds|may overflow)"):
        Corpus.from_records(units, extents=extents)


@pytest.mark.parametrize("far", [1.1e300, -1.7e308])
def test_bounds_whose_sums_overflow_are_refused(far):
    with pytest.raises(InputError, match=r"sums of lengths beyond 1e.300 may overflow; .* coarser unit"):
        Corpus.from_records([("d", "a", min(far, 0), max(far, 0))])


def test_document_too_far_from_0_for_its_length_is_refused():
    with pytest.raises(InputError, match=r"keeps bounds so far from 0 only to 16, .* count from a nearer origin"):
        Corpus.from_records([("d", "a", 1e17, 1e17 + 100)])
    assert Corpus.from_records([("d", "a", 1e17, 1e17 + 1e6)]).n_units == 1


def test_names_of_units_of_length_are_joined():
    documents = {"document": ["d", "e", "f"], "unit": ["s", None, "ms"]}
    empty = {"document": [], "annotator": [], "start": [], "end": []}
    assert Corpus.from_columns(empty, documents=documents).length_unit == "ms/s"


def test_documents_are_looked_up_by_name():
    corpus = Corpus.from_records([(name, "a", 0, 1) for name in "hbdf"])
    assert list(corpus) == ["b", "d", "f", "h"]
    assert [corpus[name].document for name in corpus] == ["b", "d", "f", "h"]
    assert [name in corpus for name in ("a", "b", "c", "h", "i", 7, None)] == [False, True, False, True] + [False] * 3


@pytest.mark.parametrize("name", ["a", "c", "z", "", 7], ids=repr)
def test_unknown_document_is_refused_with_known_ones(name):
    corpus = Corpus.from_records([(name, "a", 0, 1) for name in "hbdf"])
    with pytest.raises(KeyError, match=rf"no document {name!r}; there are 'b', 'd', 'f' … \(4 in all\)"):
        corpus[name]


def arrays(instance):
    return {
        field.name: value
        for field in fields(instance)
        if isinstance(value := getattr(instance, field.name), np.ndarray)
    }


@pytest.mark.parametrize("copied", [False, True], ids=["built", "pickled"])
@pytest.mark.parametrize(
    "of",
    [lambda corpus: corpus, lambda corpus: corpus["d1"], lambda corpus: corpus.documents_between(1, 2)],
    ids=["corpus", "continuum", "part"],
)
def test_arrays_are_read_only(copied, of):
    instance = of(Corpus.from_records(RECORDS))
    if copied:
        instance = pickle.loads(pickle.dumps(instance))  # noqa: S301
    found = arrays(instance)
    assert len(found) == (8 if isinstance(instance, Corpus) else 4)
    writable = []
    for name, array in found.items():
        try:
            array[0] = 1
        except ValueError:
            continue
        writable.append(name)
    assert writable == []


def test_pickle_keeps_all():
    corpus = Corpus.from_records(RECORDS, extents={"d1": (0, 9)}, outside="extend")
    copy = pickle.loads(pickle.dumps(corpus))  # noqa: S301
    assert content(copy) == content(corpus)


def test_documents_between_are_those_documents():
    corpus = Corpus.from_records(RECORDS)
    part = corpus.documents_between(1, 2)
    assert list(part) == ["d2"]
    assert list(part["d2"].units()) == list(corpus["d2"].units())
    assert part["d2"].extent == corpus["d2"].extent


def test_columns_of_the_caller_are_neither_frozen_nor_shared():
    start = np.array([0.0, 1.0, 2.0])
    corpus = Corpus.from_columns(columns(start=start))
    start[0] = 0.5
    assert corpus.start.min() == 0


def test_continuum_from_records():
    continuum = Continuum.from_records(
        [("b", 1, 2, "x"), ("a", 0, 1)], document="talk", annotators=["c", "a", "b"], extent=(-1, 4)
    )
    assert continuum.document == "talk"
    assert continuum.annotators == ("a", "b", "c")
    assert continuum.extent == (-1, 4)
    assert list(continuum.units()) == [Unit("a", 0.0, 1.0, None), Unit("b", 1.0, 2.0, "x")]
    assert len(continuum) == 2
    assert continuum.mean_units == 2 / 3


def test_continuum_without_units():
    continuum = Continuum.from_records([], annotators=["a", "b"])
    assert (len(continuum), continuum.extent, continuum.mean_units) == (0, (0, 0), 0)


BAD_CONTINUA = {
    "fields": ({"units": [("a", 0)]}, "unit 1 has 2 fields: .*; give 3 or 4: annotator, start, end and"),
    "outside": (
        {"units": [("a", 0, 9)], "extent": (0, 5)},
        r"1 unit outside the declared extent of 1 document;",
    ),
    "undeclared": (
        {"units": [("a", 0, 9)], "annotators": ["b"]},
        "row 1: a unit of annotator 'a', not declared",
    ),
}


@pytest.mark.parametrize(("given", "message"), BAD_CONTINUA.values(), ids=BAD_CONTINUA)
def test_bad_continua_are_refused(given, message):
    with pytest.raises(InputError, match=message):
        Continuum.from_records(**given)


def test_corpus_is_rebuilt_from_its_continua():
    corpus = Corpus.from_records(RECORDS, annotations=[*((r[0], r[1]) for r in RECORDS), ("d1", "zoe")])
    assert content(Corpus.from_continua(corpus[name] for name in corpus)) == content(corpus)


def test_two_continua_of_one_name_are_refused():
    continuum = Continuum.from_records([("a", 0, 1)], document="talk")
    with pytest.raises(InputError, match="two continua are named 'talk'"):
        Corpus.from_continua([continuum, continuum])


def test_printed_form_of_a_corpus_is_one_line():
    corpus = Corpus.from_records([("talk", "a", 0, 5, "x"), ("talk", "b", 1, 5, "y")])
    assert repr(corpus) == "<Corpus: documents 1, annotators 2, categories 2, units 2>"
    assert repr(corpus["talk"]) == "<Continuum 'talk': annotators 2, units 2>"
