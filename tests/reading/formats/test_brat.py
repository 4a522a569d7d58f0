"""brat standoff: a real project, errors of such files, and round trips."""

import re
from dataclasses import replace

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from places import FORMATS
from written import FILE_NAMES, TEXTS, content, corpora_with_texts

import gamma_align as ga
from gamma_align.errors import InputError, SettingsError

PROJECT = FORMATS / "brat" / "multi_annotator_project"
TEXT = "Ada met Bob\nin Rome, in spring."


def project(folder, files, text=TEXT):
    """Write .ann files, each with its text beside it."""
    for name, lines in files.items():
        path = folder / f"{name}.ann"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        if text is not None:
            path.with_suffix(".txt").write_bytes(text.encode())
    return folder


def units(corpus, document="d"):
    return list(corpus[document].units())


# --- the sample --------------------------------------------------------------------------------------------


def test_the_sample_is_read_as_counted_by_hand():
    corpus = ga.read(PROJECT)  # wc -l, cut | sort | uniq -c, wc -m
    assert corpus.annotators == ("Lisa", "Maria", "Max", "Peter")
    assert corpus.documents == tuple(f"esp.train-doc-{n}" for n in ("100", "1400", "29", "423", "46", "503", "896"))
    assert corpus.extents[:, 1].tolist() == [4232, 4555, 3644, 2958, 6652, 3967, 4708]
    assert [len(text) for text in corpus.texts] == corpus.extents[:, 1].tolist()
    counts = dict.fromkeys(corpus.annotators, 0)
    labels = {(name, label): 0 for name in corpus.annotators for label in corpus.categories}
    for document in corpus:
        for annotator, _, _, category in corpus[document].units():
            counts[annotator] += 1
            labels[annotator, category] += 1
    assert counts == {"Lisa": 404, "Maria": 404, "Max": 358, "Peter": 401}
    assert [labels["Max", label] for label in ("LOC", "MISC", "ORG", "PER")] == [67, 51, 122, 118]
    assert ("Maria", 121, 128, "LOC") in set(corpus["esp.train-doc-1400"].units())
    assert corpus["esp.train-doc-1400"].annotators == corpus.annotators
    assert not any(".conf" in note or ".stats" in note for note in corpus.notes)  # settings are no annotation


def test_the_sample_goes_there_and_back(tmp_path):
    corpus = ga.read(PROJECT)
    ga.write(corpus, tmp_path / "new", format="brat")
    assert content(ga.read(tmp_path / "new")) == content(corpus)
    first = "Max/esp.train-doc-423.txt"
    assert (tmp_path / "new" / first).read_bytes() == (PROJECT / first).read_bytes()


# --- what is read ------------------------------------------------------------------------------------------


def test_annotators_without_units_are_kept(tmp_path):
    corpus = ga.read(project(tmp_path, {"anna/d": ["T1\tPER 0 3\tAda"], "bert/d": []}))
    assert corpus["d"].annotators == ("anna", "bert")
    assert units(corpus) == [("anna", 0, 3, "PER")]


def test_nested_rounds_are_read_by_a_template(tmp_path):
    folder = project(
        tmp_path / "r",
        {"1/data/ECO_annotation_A/anna/d1": ["T1\tECO 0 3\tAda"], "2/data/ECO_annotation_B/bert/d2": []},
    )
    (folder / "annotation.conf").write_text("[entities]\n", encoding="utf-8")
    corpus = ga.read(f"{folder}/{{_}}/data/{{_}}/{{annotator}}/{{document}}.ann")
    assert {name: corpus[name].annotators for name in corpus} == {"d1": ("anna",), "d2": ("bert",)}


def test_other_lines_than_units_are_left_out(tmp_path):
    lines = [
        "T1\tPER 0 3\tAda",
        "T2\tMeet 4 7\tmet",
        "E1\tMeet:T2 Who:T1",
        "R1\tLikes Arg1:T1 Arg2:T2",
        "A1\tNegation E1",
        "M1\tSpeculation E1",
        "N1\tReference T1 Wikipedia:1\tAda Lovelace",
        "#1\tAnnotatorNotes T1\twho?",
        "*\tEquiv T1 T2",
        "",
    ]
    corpus = ga.read(project(tmp_path, {"anna/d": lines}))
    assert units(corpus) == [("anna", 0, 3, "PER"), ("anna", 4, 7, "Meet")]


def test_line_breaks_in_the_text_are_blanks_in_the_units(tmp_path):
    corpus = ga.read(project(tmp_path, {"anna/d": ["T1\tX 8 14\tBob in"]}))
    assert units(corpus) == [("anna", 8, 14, "X")]


def test_unicode_line_separators_do_not_end_lines(tmp_path):
    text = "one\u2028two\x85three\x0cfour"
    lines = ["T1\tX 0 7\tone\u2028two", "T2\tX 8 13\tthree", "T3\tX 4 18\ttwo\x85three\x0cfour"]
    assert len(units(ga.read(project(tmp_path, {"anna/d": lines}, text)))) == 3


def test_windows_line_ends_are_two_characters_of_the_text(tmp_path):
    folder = project(tmp_path, {"anna/d": ["T1\tX 8 15\tBob  in\r"]}, TEXT.replace("\n", "\r\n"))
    assert units(ga.read(folder)) == [("anna", 8, 15, "X")]


def test_units_without_length_are_read(tmp_path):
    assert units(ga.read(project(tmp_path, {"anna/d": ["T1\tX 3 3\t"]}))) == [("anna", 3, 3, "X")]


def test_a_file_without_text_has_the_extent_of_its_units(tmp_path):
    corpus = ga.read(project(tmp_path, {"anna/d": ["T1\tX 5 9\tanything"]}, None))
    assert corpus.texts is None
    assert corpus.extents.tolist() == [[5, 9]]


def test_line_ends_that_count_one_are_asked_about_and_the_cure_reads_them(tmp_path):
    text = TEXT.replace("\n", "\r\n")
    files = {"anna/d": ["T1\tPER 0 3\tAda"], "ben/d": ["T1\tLOC 15 19\tRome", "T2\tX 8 19\tBob in Rome"]}
    folder = project(tmp_path, files, text)
    with pytest.raises(InputError, match=r"ben.d\.ann, line 1.*all units fit with offsets='line-ends'"):
        ga.read(folder)
    corpus = ga.read(folder, offsets="line-ends")
    assert corpus.texts == (text,)
    assert units(corpus) == [("anna", 0, 3, "PER"), ("ben", 8, 20, "X"), ("ben", 16, 20, "LOC")]


def test_offsets_can_be_overridden(tmp_path):
    text = "\N{GRINNING FACE} Ada met Bob"
    folder = project(tmp_path, {"anna/d": ["T1\tX 3 6\tAda", "T2\tX 3 6;11 14\tAda Bob"]}, text)
    with pytest.raises(InputError, match=r"d\.ann, line 2: the parts of the unit cover 'da  ob', but the file says"):
        ga.read(folder)
    assert units(ga.read(folder, offsets="utf-16")) == [("anna", 2, 5, "X"), ("anna", 2, 13, "X")]


# --- discontinuous units -----------------------------------------------------------------------------------

PARTS = ["T1\tPLACE 12 14;24 30\tin spring", "T2\tPER 0 3\tAda"]


def test_a_discontinuous_unit_is_one_or_several_or_refused(tmp_path):
    folder = project(tmp_path, {"anna/d": PARTS})
    corpus = ga.read(folder)
    assert units(corpus) == [("anna", 0, 3, "PER"), ("anna", 12, 30, "PLACE")]
    assert any("1 discontinuous unit" in note for note in corpus.notes)
    assert units(ga.read(folder, discontinuous="parts")) == [
        ("anna", 0, 3, "PER"),
        ("anna", 12, 14, "PLACE"),
        ("anna", 24, 30, "PLACE"),
    ]
    with pytest.raises(InputError, match=r"anna/d\.ann, line 1: the unit has 2 parts"):
        ga.read(folder, discontinuous="refuse")


def test_the_same_id_twice_is_two_units(tmp_path):
    corpus = ga.read(project(tmp_path, {"anna/d": [PARTS[0], "T1\tPLACE 0 3;8 11\tAda Bob"]}))
    assert units(corpus) == [("anna", 0, 11, "PLACE"), ("anna", 12, 30, "PLACE")]


@pytest.mark.parametrize("discontinuous", ["whole", "parts"])
def test_the_text_of_discontinuous_units_is_checked(tmp_path, discontinuous):
    folder = project(tmp_path, {"anna/d": ["T1\tPLACE 12 14;24 30\tin summer"]})
    with pytest.raises(InputError, match=r"d\.ann, line 1: the parts of the unit cover 'in spring', but .*'in summer'"):
        ga.read(folder, discontinuous=discontinuous)
    kept = ga.read(folder, discontinuous=discontinuous, mismatch="keep")
    assert any("1 discontinuous units do not cover their text" in note for note in kept.notes)


# --- categories from elsewhere -----------------------------------------------------------------------------

NORMALISED = [
    "T1\tECO 0 3\tAda",
    "T2\tECO 8 11\tBob",
    "T3\tECO 15 19\tRome",
    "E1\tMeet:T3",
    "N1\tReference T1 ECO:0000269\ta",
    "N2\tReference T1 ECO:0000006\tb",
    "N3\tReference T2 ECO:0000006\tb",
    "A1\tConfidence T1 High",
    "A2\tNegation E1",
]


def test_the_category_may_be_the_normalisation(tmp_path):
    folder = project(tmp_path, {"anna/d": NORMALISED})
    corpus = ga.read(folder, options={"category": "N"})
    assert units(corpus) == [
        ("anna", 0, 3, "ECO:0000006"),
        ("anna", 0, 3, "ECO:0000269"),
        ("anna", 8, 11, "ECO:0000006"),
        ("anna", 15, 19, None),
    ]
    assert any("1 of 3 units have no normalisation" in note for note in corpus.notes)
    assert any("1 units with several of the normalisation" in note for note in corpus.notes)


def test_the_category_may_be_an_attribute(tmp_path):
    folder = project(tmp_path, {"anna/d": NORMALISED})
    actual = units(ga.read(folder, options={"category": "Confidence"}))
    assert actual == [("anna", 0, 3, "High"), ("anna", 8, 11, None), ("anna", 15, 19, None)]
    actual = units(ga.read(folder, options={"category": "Negation"}))  # of an event: its trigger's
    assert actual == [("anna", 0, 3, None), ("anna", 8, 11, None), ("anna", 15, 19, "Negation")]
    with pytest.raises(InputError, match=r"d\.ann: units have several attributes: Confidence, Negation; .*category"):
        ga.read(folder, options={"category": "A"})


def test_duplicate_ids_are_refused_if_attributes_are_categories(tmp_path):
    folder = project(tmp_path, {"anna/d": ["T1\tX 0 3\tAda", "T1\tX 8 11\tBob", "A1\tConfidence T1 High"]})
    with pytest.raises(InputError, match=r"d\.ann, line 2: T1 is in line 1 already"):
        ga.read(folder, options={"category": "A"})


@pytest.mark.parametrize("kind", ["", 3])
def test_invalid_category_option_is_refused(tmp_path, kind):
    with pytest.raises(SettingsError, match="'N', 'A' or the name of an attribute"):
        ga.read(project(tmp_path, {"anna/d": []}), options={"category": kind})


# --- what is wrong -----------------------------------------------------------------------------------------

WRONG = {
    "blanks for tabs": ("T1 PER 0 3 Ada", "'T1 PER 0 3 Ada' is no unit: a unit is T<id>, tab, type"),
    "no end": ("T1\tPER 0\tAda", "is no unit"),
    "a bound that is no number": ("T1\tPER 0 x\tAda", "is no unit"),
    "a negative bound": ("T1\tPER -1 3\tAda", "is no unit"),
    "a bound of 10000 digits": (f"T1\tPER 0 {'9' * 10_000}\tAda", "is no unit"),
    "ends before it starts": ("T1\tPER 3 0\t", "ends at 0, before its start 3"),
    "no line of brat": ("hello", "'hello' is no line of brat"),
    "another text": ("T1\tPER 0 3\tBob", "covers 'Ada', but the file says 'Bob'"),
    "past the end": ("T1\tPER 24 99", "outside the declared extent"),
}


@pytest.mark.parametrize(("line", "match"), WRONG.values(), ids=WRONG)
def test_invalid_lines_are_refused_with_their_number(tmp_path, line, match):
    folder = project(tmp_path, {"anna/d": ["T9\tPER 0 3\tAda", line]})
    with pytest.raises(InputError, match=rf"(?s)anna/d\.ann, line 2.*{re.escape(match)}|{re.escape(match)}.*line 2"):
        ga.read(folder)


def test_long_lines_are_parsed_quickly(tmp_path):
    folder = project(tmp_path, {"anna/d": ["T1\tX " + "0 3;" * 300_000 + "x"]})
    with pytest.raises(InputError, match=r"line 1: .* is no unit"):
        ga.read(folder)


# --- what is written ---------------------------------------------------------------------------------------

WORDS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=5).filter(
    lambda word: not re.search(r"\s", word)
)


@given(corpus=corpora_with_texts(documents=FILE_NAMES, annotators=FILE_NAMES, categories=WORDS))
def test_round_trips_are_exact(corpus, tmp_path_factory):
    assume(not any(text.startswith("\ufeff") for text in corpus.texts))
    folder = tmp_path_factory.mktemp("written") / "new"
    ga.write(corpus, folder, format="brat")
    # documents may have one text, so that texts do not tell which folders are annotators
    assert content(ga.read(folder, format="brat", annotator="{annotator}")) == content(corpus)


@given(corpus=corpora_with_texts(documents=FILE_NAMES, annotators=FILE_NAMES, texts=TEXTS.map("\ufeff".__add__)))
def test_a_text_that_begins_with_a_byte_order_mark_is_refused(corpus, tmp_path_factory):
    with pytest.raises(InputError, match="begins with a byte-order mark"):
        ga.write(corpus, tmp_path_factory.mktemp("written") / "new", format="brat")


def small(category="X", bounds=(0, 3), text="Ada", **others):
    corpus = ga.Corpus.from_records(
        [("d", "a", *bounds, category)], annotations=[("d", "a")], extents={"d": (0, 3)}, **others
    )
    return replace(corpus, length_unit="char", texts=None if text is None else (text,) * len(corpus))


REFUSED = {
    "no category": (small(None), "the category is None"),
    "an empty category": (small(""), "the category is ''"),
    "a category with a blank": (small("PER son"), "annotator 'a', unit .*'PER son'; rename it"),
    "half a character in a category": (small("\ud800"), "the category is"),
    "half a character in the text": (small(text="\ud800da"), "half a character"),
    "a part of a character": (small(bounds=(0.5, 3)), "counts whole characters"),
    "no text": (small(text=None), "the text of document 'd' is not known"),
    "another extent": (small(text="Ada met"), r"7 characters, and the document's is \[0, 3\]"),
    "seconds": (replace(small(), length_unit="s"), "brat counts characters"),
}


@pytest.mark.parametrize(("corpus", "match"), REFUSED.values(), ids=REFUSED)
def test_unsupported_corpora_are_refused_before_writing(tmp_path, corpus, match):
    with pytest.raises(InputError, match=match):
        ga.write(corpus, tmp_path / "new", format="brat")
    assert not list(tmp_path.iterdir())


def test_documents_without_annotators_are_refused(tmp_path):
    corpus = ga.Corpus.from_records(
        [("d", "a", 0, 3, "X")], annotations=[("d", "a")], extents={"d": (0, 3), "e": (0, 0)}
    )
    with pytest.raises(InputError, match="document 'e' has no annotators"):
        ga.write(replace(corpus, texts=("Ada", "")), tmp_path / "new", format="brat")
