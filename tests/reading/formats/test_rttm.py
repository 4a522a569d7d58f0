"""RTTM and UEM: samples against their own lines, decimal ends, extents, names of systems, round trips."""

from dataclasses import replace
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from places import FORMATS
from written import FILE_NAMES, REALS, content, corpora

import gamma_align as ga
from gamma_align.data.decimals import end_of
from gamma_align.errors import InputError, SettingsError
from gamma_align.reading import formats
from gamma_align.reading.files.sources import Source
from gamma_align.reading.marks import seconds

SAMPLES = FORMATS
SUFFIX = ".Mix-Headset"


def saved(folder, *lines, name="sys.rttm"):
    path = folder / name
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def turn(recording, onset, duration, annotator, *, channel=1):
    return f"SPEAKER {recording} {channel} {onset} {duration} <NA> <NA> {annotator} <NA> <NA>"


def units(corpus, document):
    return list(corpus[document].units())


# --- samples -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["ref", "sys"])
def test_samples_have_the_turns_of_their_lines(name):
    rows = [line.split() for line in (SAMPLES / "rttm" / f"{name}.rttm").read_text(encoding="utf-8").splitlines()]
    expected = sorted((float(row[3]), float(Decimal(row[3]) + Decimal(row[4])), row[7]) for row in rows)
    corpus = ga.read(SAMPLES / "rttm" / f"{name}.rttm")
    assert [unit[1:] for unit in units(corpus, f"EN2002a{SUFFIX}")] == expected
    assert len(expected) == 300
    assert (corpus.annotators, corpus.length_unit) == ((name,), "s")


def test_folder_of_systems_has_the_extent_of_the_uem_file():
    corpus = ga.read(SAMPLES / "rttm", options={"strip": SUFFIX})
    assert (corpus.documents, corpus.annotators, corpus.n_units) == (("EN2002a",), ("ref", "sys"), 600)
    assert corpus["EN2002a"].extent == (0, 2142.709375)
    assert corpus.categories == ("1", "2", "3", "4", "5", "FEO070", "FEO072", "MEE071", "MEE073")
    assert sum("'.Mix-Headset' is taken off names of recordings (1)" in note for note in corpus.notes) == 2


def test_names_and_extents_are_unchanged_without_options():
    corpus = ga.read(SAMPLES / "rttm")
    assert corpus.documents == (f"EN2002a{SUFFIX}",)
    assert corpus[corpus.documents[0]].extent == (0, 1148.486)


def test_other_samples_do_not_match_rttm():
    files = [path for path in SAMPLES.rglob("*") if path.is_file()]
    taken = {path.name for path in files if formats.by_name("rttm").matches(Source(path, path.name).head)}
    assert taken == {"ref.rttm", "sys.rttm"}


# --- what is read --------------------------------------------------------------------------------------------


def test_lines_may_be_unordered_and_lack_the_last_field(tmp_path):
    path = saved(
        tmp_path,
        ";; made by hand",
        turn("b", "1.5", "0.25", "x"),
        "",
        turn("a", "10", "1e1", "y")[:-5],
        "SPEAKER\ta\t1  -0.5 \t0 <NA> <NA> <NA> <NA> <NA>",
    )
    corpus = ga.read(path)
    assert corpus.documents == ("a", "b")
    assert units(corpus, "a") == [("sys", -0.5, -0.5, None), ("sys", 10, 20, "y")]
    assert units(corpus, "b") == [("sys", 1.5, 1.75, "x")]


def test_ends_are_sums_of_decimal_numbers(tmp_path):
    corpus = ga.read(saved(tmp_path, turn("a", "0.1", "0.2", "x"), turn("a", "0.3", "1", "y")))
    assert corpus.end[0] == corpus.start[1] == 0.3 != 0.1 + 0.2
    assert not any("rounded times" in note for note in corpus.notes)


@pytest.mark.parametrize("suffix", [".wav", ".Mix-Headset", "_mono"])
def test_names_that_differ_in_a_suffix_are_named_and_the_cure_joins_them(tmp_path, suffix):
    saved(tmp_path, turn("m7", 0, 2, "x"), turn("m8", 0, 2, "x"), name="ann.rttm")
    saved(tmp_path, turn(f"m7{suffix}", 0, 2, "x"), turn(f"m8{suffix}", 0, 2, "x"), name="ben.rttm")
    with pytest.raises(InputError, match=rf"'m7' and 'm7{suffix}' differ in a suffix.*'strip': '{suffix}'"):
        ga.gamma(tmp_path, samples=5)
    assert ga.gamma(ga.read(tmp_path, options={"strip": suffix}), samples=5).gamma == 1


def test_numbers_are_no_suffixes(tmp_path):
    saved(tmp_path, turn("m1", 0, 2, "x"), name="ann.rttm")
    saved(tmp_path, turn("m10", 0, 2, "x"), name="ben.rttm")
    with pytest.raises(InputError, match="no document has two annotators") as refused:
        ga.gamma(tmp_path, samples=5)
    assert "suffix" not in str(refused.value).replace("with the suffix of the files", "")


def test_turns_that_nearly_touch_are_read_as_written_and_counted(tmp_path):
    path = saved(
        tmp_path,
        turn("a", "0", "1.0000004", "x"),
        turn("a", "1", "0.999999", "y"),
        turn("a", "2", "1", "z"),
        turn("a", "3", "1", "z"),
        turn("b", "1.9999999", "1", "z"),
    )
    corpus = ga.read(path)
    assert corpus.end[:2].tolist() == [1.0000004, 1.999999]
    (note,) = [note for note in corpus.notes if "rounded times" in note]
    assert note.startswith("sys.rttm: of 5 units, 1 end after and 1 end before the start of another by less than 1e-05")


def test_lines_of_other_types_are_left_out_and_counted(tmp_path):
    path = saved(
        tmp_path,
        "SPKR-INFO a 1 <NA> <NA> <NA> unknown x <NA> <NA>",
        turn("a", 0, 1, "x"),
        "LEXEME a 1 0.1 0.2 hello lex x 0.9 <NA>",
        "LEXEME a 1 0.3 0.2 there lex x 0.9 <NA>",
    )
    corpus = ga.read(path)
    assert corpus.n_units == 1
    assert any("other types than SPEAKER are left out: 2 of LEXEME, 1 of SPKR-INFO" in note for note in corpus.notes)


def test_channels_of_a_recording_are_noted(tmp_path):
    corpus = ga.read(saved(tmp_path, turn("a", 0, 1, "x"), turn("a", 0, 1, "y", channel=2), turn("b", 0, 1, "x")))
    assert corpus.n_units == 3
    assert any("channels of a recording are read as one: 'a'" in note for note in corpus.notes)


def test_stripped_names_must_stay_distinct(tmp_path):
    path = saved(tmp_path, turn("a.x", 0, 1, "x"), turn("a", 0, 1, "y"))
    with pytest.raises(InputError, match=r"sys.rttm: without '.x', 'a.x' is the name of another recording"):
        ga.read(path, options={"strip": ".x"})


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("SPEAKER a 1 0 1 <NA> <NA> x", "the line has 8 fields, not the ten of RTTM"),
        (turn("a b", 0, 1, "x"), "the line has 11 fields, not the ten of RTTM"),
        (turn("a", "x", 1, "x"), "the onset is 'x', not a number of seconds"),
        (turn("a", 0, "<NA>", "x"), "the duration is '<NA>', not a number"),
        (turn("a", "nan", 1, "x"), "the onset is 'nan', not a number"),
        (turn("a", "1_0", 1, "x"), "the onset is '1_0', not a number"),
        (turn("a", "1e999", 1, "x"), "the start of the unit is inf, not a finite number"),
        (turn("a", "1e308", "1e400", "x"), "the end of the unit is inf, not a finite number"),
        (turn("a", "1e99999999999999999999", 1, "x"), "the onset is '1e99999999999999999999', not a number"),
        (turn("a", 2, -1, "x"), "the unit ends at 1, before its start 2"),
        ("speaker a 1 0 1 <NA> <NA> x <NA> <NA>", "'speaker' is no type of line in RTTM"),
    ],
)
def test_invalid_lines_are_refused_with_their_number(tmp_path, line, message):
    path = saved(tmp_path, turn("a", 0, 1, "x"), line, line)
    with pytest.raises(InputError, match=rf"sys.rttm, line 2: {message}.*\([13] more"):
        ga.read(path)


def test_undecodable_bytes_are_refused_with_their_line(tmp_path):
    path = tmp_path / "sys.rttm"
    path.write_bytes(turn("a", 0, 1, "x").encode() + b"\n" + turn("a", 0, 1, "é").encode("latin-1") + b"\n")
    with pytest.raises(InputError, match=r"sys.rttm, line 2: byte 0xe9"):
        ga.read(path)
    assert ga.read(path, encoding="latin-1").categories == ("x", "é")


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_byte_order_marks_and_line_ends(tmp_path, encoding):
    path = tmp_path / "sys.rttm"
    path.write_bytes(f"{turn('a', 0, 1, 'x')}\r\n{turn('a', 1, 1, 'y')}\r".encode(encoding))
    assert ga.read(path).categories == ("x", "y")


# --- UEM -----------------------------------------------------------------------------------------------------


def test_uem_file_of_the_same_name_lists_annotated_recordings(tmp_path):
    saved(tmp_path, turn("a", 1, 1, "x"), turn("b", 0, 1, "x"), name="ref.rttm")
    saved(tmp_path, turn("b", 0, 1, "1"))
    saved(tmp_path, ";; regions", "a 1 0 20", "b NA 0 10", name="sys.uem")
    corpus = ga.read(tmp_path)
    assert corpus["a"].annotators == corpus["b"].annotators == ("ref", "sys")
    assert corpus.extents.tolist() == [[0, 20], [0, 10]]


def test_requested_uem_file_can_list_all_annotated_recordings(tmp_path):
    path = saved(tmp_path, turn("a", 1, 1, "x"), turn("c", 1, 1, "x"))
    uem = saved(tmp_path, "a 1 0.5 20", "b 1 0 10", name="all.uem")
    corpus = ga.read(path, options={"uem": str(uem)})
    assert corpus.documents == ("a", "c")
    assert corpus.extents.tolist() == [[0.5, 20], [1, 2]]
    assert any("1 recordings are not in all.uem" in note and "'c'" in note for note in corpus.notes)
    seen = ga.read(path, options={"uem": uem, "seen": "uem"})
    assert seen.documents == ("a", "b", "c")
    assert seen["b"].annotators == ("sys",)


def test_gaps_between_regions_are_noted(tmp_path):
    path = saved(tmp_path, turn("a", 1, 1, "x"), turn("b", 1, 1, "x"))
    saved(tmp_path, "a 1 10 20", "a 1 0 5", "a 1 4 6", "a 2 30 31", "b 1 0 5", "b 1 5 9", name="sys.uem")
    corpus = ga.read(path)
    assert corpus.extents.tolist() == [[0, 31], [0, 9]]
    assert any("leaves 2 holes in 1 recordings, which are not taken out" in note for note in corpus.notes)


def test_turns_outside_the_regions_are_refused_or_extend_them(tmp_path):
    path = saved(tmp_path, turn("a", 1, 10, "x"))
    saved(tmp_path, "a 1 0 5", name="a.uem")
    with pytest.raises(InputError, match=r"line 1: document 'a', annotator 'sys', unit \[1, 11\], extent \[0, 5\]"):
        ga.read(path)
    assert ga.read(path, outside="extend").extents.tolist() == [[0, 11]]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("a 1 0", "'a 1 0' is no region; write a line of recording, channel"),
        ("a 1 0 x", "'a 1 0 x' is no region"),
        ("a 1 0 5 6", "'a 1 0 5 6' is no region"),
        ("a 1 5 0", "the region ends at 0, before its start 5"),
        ("a 1 0 1e999", "the region ends at inf"),
    ],
)
def test_invalid_uem_files_are_refused_with_the_line(tmp_path, line, message):
    path = saved(tmp_path, turn("a", 1, 1, "x"))
    saved(tmp_path, "a 1 0 1", line, name="sys.uem")
    with pytest.raises(InputError, match=rf"sys.uem, line 2: {message}"):
        ga.read(path)


def test_options_are_checked(tmp_path):
    path = saved(tmp_path, turn("a", 1, 1, "x"))
    with pytest.raises(InputError, match=r"no\.uem: cannot be read"):
        ga.read(path, options={"uem": str(tmp_path / "no.uem")})
    with pytest.raises(
        SettingsError,
        match=r"the option 'seen' is 'uem' where all recordings .* not 'uem'; name the file with the option 'uem'",
    ):
        ga.read(path, options={"seen": "uem"})
    with pytest.raises(SettingsError, match="rttm has no option 'umm'; its options are 'uem': a UEM file"):
        ga.read(path, options={"umm": "x"})


# --- what is written -----------------------------------------------------------------------------------------


@pytest.fixture
def corpus():
    return ga.Corpus.from_records(
        [
            ("rec/1", "anna", 0.1, 0.3, "x"),
            ("rec/1", "anna", 0.1, 0.3, "x"),
            ("rec/1", "anna", 0.2, 0.2, None),
            ("rec2", "anna", -1e-7, 1e22, "é😊"),
        ],
        annotations=[("rec/1", "anna"), ("rec2", "anna"), ("rec/1", "b c")],
        extents={"rec/1": (0, 7), "rec2": (-2, 1e23)},
    )


def test_written_files_are_read_back_unchanged(corpus, tmp_path):
    ga.write(corpus, tmp_path / "out", format="rttm")
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        "anna.rttm",
        "anna.uem",
        "b c.rttm",
        "b c.uem",
    ]
    lines = (tmp_path / "out" / "anna.rttm").read_text(encoding="utf-8").splitlines()
    assert lines[0] == "SPEAKER rec/1 1 0.1 0.2 <NA> <NA> x <NA> <NA>"
    assert (tmp_path / "out" / "b c.uem").read_text(encoding="utf-8") == "rec/1 1 0.0 7.0\n"
    assert content(ga.read(tmp_path / "out")) == content(replace(corpus, length_unit="s"))


def test_suffix_decides_if_the_content_fits_another_format(tmp_path):
    path = tmp_path / "anna.rttm"
    lines = [f"SPEAKER {document} 1 0.0 0.0 <NA> <NA> <NA> <NA> <NA>\n" for document in "00OOO"]
    path.write_text("".join(lines), encoding="utf-8")
    assert ga.read(path).documents == ("0", "O")


WORDS = st.text(st.characters(exclude_categories=["Cs", "Z", "Cc"]), min_size=1, max_size=6).filter(
    lambda word: word.split() == [word] and not word.startswith((";;", "\ufeff"))
)


@given(
    corpora(
        documents=WORDS,
        annotators=FILE_NAMES,
        categories=st.none() | WORDS,
        bounds=REALS | st.floats(-(2.0**53), 2.0**53),
        length_units=st.just("s"),
    )
)
def test_corpora_of_words_survive_a_round_trip(tmp_path_factory, corpus):
    folder = tmp_path_factory.mktemp("rttm") / "out"
    ga.write(corpus, folder, format="rttm")
    assert content(ga.read(folder)) == content(corpus)


@pytest.mark.parametrize(
    ("unit", "message"),
    [
        (("d", "a", 0, 1, "x y"), r"unit \[0, 1\]: the category is 'x y', and RTTM's are words without blanks"),
        (("d", "a", 0, 1, ""), "the category is ''"),
        (("d", "a", 0, 1, "<NA>"), "the category '<NA>' means none in RTTM"),
        (("d 1", "a", 0, 1, "x"), "the name of document 'd 1' is 'd 1'"),
        ((";;d", "a", 0, 1, "x"), "not comments"),
        (("d", "a/b", 0, 1, "x"), "annotator 'a/b'"),
        (("d\ud800", "a", 0, 1, "x"), "half a character"),
    ],
)
def test_corpora_that_rttm_cannot_hold_are_refused(tmp_path, unit, message):
    with pytest.raises(InputError, match=message):
        ga.write(ga.Corpus.from_records([unit]), tmp_path / "out", format="rttm")
    assert list(tmp_path.iterdir()) == []


def test_other_units_of_length_are_refused(tmp_path):
    corpus = replace(ga.Corpus.from_records([("d", "a", 0, 1, "x")]), length_unit="char")
    with pytest.raises(InputError, match="RTTM counts seconds, and the corpus counts in 'char'"):
        ga.write(corpus, tmp_path / "out", format="rttm")


# --- decimal numbers, near misses ----------------------------------------------------------------------------

FLOATS = st.floats(allow_nan=False, allow_infinity=False, width=64)


@given(FLOATS, FLOATS)
def test_durations_give_exactly_the_end_back(one, other):
    start, end = sorted((one, other))
    onset, duration = seconds.written(start), seconds.duration_of(start, end)
    assert float(onset) == start
    assert end_of(Decimal(onset), Decimal(duration)) == end


PLACES = st.integers(0, 5).flatmap(
    lambda whole: st.sampled_from([0, 1e-9, 1e-6, -1e-6, 9e-6, 2e-5, -2e-5]).map(lambda bit: whole + bit)
)


@given(st.lists(st.tuples(PLACES, PLACES, st.integers(0, 2)), min_size=1, max_size=12))
def test_near_misses_agree_with_the_definition(rows):
    rows = [(*sorted(row[:2]), row[2]) for row in rows]
    over = short = 0
    for start, end, owner in rows:
        starts = [other[0] for other in rows if other[2] == owner]
        if end - start > seconds.TOLERANCE and end not in starts:
            over += any(0 < end - at < seconds.TOLERANCE for at in starts)
            short += any(0 < at - end < seconds.TOLERANCE for at in starts)
    columns = (np.array(column) for column in zip(*rows, strict=True))
    assert seconds.near(*columns) == (over, short)
