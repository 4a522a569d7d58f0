"""Praat's TextGrids: samples against praatio, everything Praat's manual says of the syntax, there and back."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from places import FORMATS
from praatio import textgrid as praat
from written import FILE_NAMES, REALS, content, corpora

import gamma_align as ga
from gamma_align.errors import InputError, SettingsError
from gamma_align.reading import formats
from gamma_align.reading.files.sources import Source

SAMPLES = FORMATS
GRIDS = sorted((SAMPLES / "textgrid").rglob("*.TextGrid"))
LINES = (
    'File type = "ooTextFile"',
    'Object class = "TextGrid"',
    "",
    "0",
    "2",
    "<exists>",
    "2",
    '"IntervalTier"',
    '"anna"',
    "0",
    "2",
    "3",
    "0",
    "0.5",
    '""',
    "0.5",
    "1.25",
    '"say ""hi"""',
    "1.25",
    "2",
    '"two',
    'lines"',
    '"TextTier"',
    '"bert"',
    "0",
    "2",
    "2",
    "0.75",
    '"peak"',
    "2",
    '""',
)
SHORT = "\n".join(LINES) + "\n"


def saved(folder, text, name="talk.TextGrid", encoding="utf-8"):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode(encoding))
    return path


def units(corpus, document=None):
    return list(corpus[document or corpus.documents[0]].units())


# --- samples -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", GRIDS, ids=lambda path: path.stem)
def test_samples_are_read_as_praatio_reads_them(path, tmp_path):
    latin = "latin1" in path.name
    if latin:  # which praatio does not read
        utf = tmp_path / path.name
        utf.write_text(path.read_text(encoding="latin-1"), encoding="utf-8")
    grid = praat.openTextgrid(
        str(utf if latin else path), includeEmptyIntervals=False, duplicateNamesMode="rename", reportingMode="error"
    )
    expected = []
    for name in grid.tierNames:
        tier = grid.getTier(name)
        points = isinstance(tier, praat.PointTier)
        expected += [(entry[0], entry[0] if points else entry[1], entry[-1]) for entry in tier.entries]
    corpus = ga.read(path, layers="*", encoding="latin-1" if latin else None)
    assert sorted(unit[1:] for unit in units(corpus)) == sorted(expected)
    assert corpus.extents.tolist() == [[grid.minTimestamp, grid.maxTimestamp]]
    assert corpus.length_unit == "s"


def test_there_are_all_kinds_of_samples():
    assert len(GRIDS) == 10
    heads = {path.read_bytes()[:2] for path in GRIDS}
    assert heads == {b"Fi", b"\xfe\xff", b"\xff\xfe", b"\xef\xbb"}


@pytest.mark.parametrize("path", GRIDS, ids=lambda path: path.stem)
def test_the_same_words_are_read_from_every_encoding_and_form(path):
    if not path.stem.startswith(("mary", "long_")):
        return
    corpus = ga.read(path, layers="phone", encoding="latin-1" if "latin1" in path.name else None)
    assert [unit.category for unit in units(corpus)][2:6] == ["r", "i", "r", "o"]
    assert corpus.n_units == 14


def test_tiers_are_annotators_on_request():
    corpus = ga.read(SAMPLES / "textgrid" / "MaureenMarvinRobin.TextGrid", annotator="{layer}")
    assert units(corpus) == [
        ("Marvin", 2.4006878098886597, 3.42238917973842, "S"),
        ("Maureen", 1.00589324318365, 1.8955770203000142, "S"),
        ("Maureen", 3.7380834232313234, 4.926241757831887, "S"),
        ("Robin", 5.293595059350902, 5.781486162930843, "S"),
    ]
    with pytest.raises(InputError, match=r"3 layers: Marvin \(1 units\), Maureen \(2 units\)"):
        ga.read(SAMPLES / "textgrid" / "MaureenMarvinRobin.TextGrid")


def test_other_samples_do_not_match_textgrid():
    files = [path for path in SAMPLES.rglob("*") if path.is_file()]
    taken = [path for path in files if formats.by_name("textgrid").matches(Source(path, path.name).head)]
    assert sorted(taken) == GRIDS


# --- what is read --------------------------------------------------------------------------------------------


def test_intervals_with_text_are_units_and_points_have_no_length(tmp_path):
    corpus = ga.read(saved(tmp_path, SHORT), annotator="{layer}")
    assert units(corpus) == [
        ("anna", 0.5, 1.25, 'say "hi"'),
        ("anna", 1.25, 2, "two\nlines"),
        ("bert", 0.75, 0.75, "peak"),
        ("bert", 2, 2, None),
    ]
    assert corpus["talk"].extent == (0, 2)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("ends", ["\n", "\r\n", "\r"])
def test_encodings_and_line_ends_do_not_matter(tmp_path, encoding, ends):
    path = saved(tmp_path, SHORT.replace("\n", ends).replace("peak", "ɸ 😊"), encoding=encoding)
    corpus = ga.read(path, annotator="{layer}")
    assert [unit.category for unit in units(corpus)] == ['say "hi"', "two\nlines", "ɸ 😊", None]


def test_old_encodings_are_refused_with_the_cure(tmp_path):
    path = saved(tmp_path, SHORT.replace("peak", "é"), encoding="mac-roman")
    with pytest.raises(InputError, match=r"talk.TextGrid, line 29: byte 0x8e .* encoding="):
        ga.read(path)
    assert ga.read(path, annotator="{layer}", encoding="mac-roman").categories[-1] == "é"


def test_comments_of_a_textgrid_are_skipped(tmp_path):
    text = """File type = "ooTextFile"
    Object class = "TextGrid"
    ! made in 2026 "by hand" 17
    xmin = 0 and xmax = 1 <exists> size: 1
    item []: item [1]: class "IntervalTier" ! 3
    the name is "anna" from 0 to 1 with 1 [interval]
    intervals [1] 0 1 "yes"
    """
    assert units(ga.read(saved(tmp_path, text))) == [("talk", 0, 1, "yes")]


@pytest.mark.parametrize(
    ("written", "header"),
    [
        ('"ooTextFile"\nObject class = ', '"ooTextFile short"\n'),
        ('File type = "ooTextFile"\nObject class = ', '"ooTextFile"\n'),
        ('File type = "ooTextFile"\n', '\n"ooTextFile"\n'),
    ],
)
def test_the_header_of_old_short_files(tmp_path, written, header):
    text = SHORT.replace(written, header)
    assert content(ga.read(saved(tmp_path, text), layers="*")) == content(
        ga.read(saved(tmp_path / "other", SHORT), layers="*")
    )


def test_time_may_begin_anywhere_and_minus_zero_is_zero(tmp_path):
    text = SHORT.replace("\n0\n2\n", "\n-0\n2\n").replace('\n0\n0.5\n""', '\n-0\n0.5\n"a"')
    corpus = ga.read(saved(tmp_path, text), layers="anna")
    assert str(corpus.start[0]) == str(corpus.extents[0, 0]) == "0.0"
    shifted = SHORT.replace("\n0\n2\n", "\n-1.5e1\n20\n")
    assert ga.read(saved(tmp_path, shifted), layers="anna").extents.tolist() == [[-15, 20]]


def test_tiers_of_one_name_are_one_layer_and_a_note_says_so():
    corpus = ga.read(SAMPLES / "textgrid" / "all_tiers_have_the_same_name.TextGrid")
    assert sorted(corpus.categories) == ["Bob", "Maary", "Mary"]
    assert corpus.n_units == 3
    assert any("tiers of one name are read as one: 3 'Mary'" in note for note in corpus.notes)


def test_tier_without_units_has_an_annotator(tmp_path):
    text = SHORT.replace('say ""hi""', "").replace("two\nlines", "")
    corpus = ga.read(saved(tmp_path, text), annotator="{layer}")
    assert corpus["talk"].annotators == ("anna", "bert")
    assert {unit.annotator for unit in units(corpus)} == {"bert"}


def test_file_without_tiers_has_an_annotator(tmp_path):
    corpus = ga.read(saved(tmp_path, SHORT.partition("<exists>")[0] + "<absent>\n"))
    assert (corpus.documents, corpus.annotators, corpus.n_units) == (("talk",), ("talk",), 0)


def test_names_of_tiers_may_have_layer_and_annotator(tmp_path):
    text = SHORT.replace('"anna"', '"ipa@anna"').replace('"bert"', '"ipa@bert@home"')
    path = saved(tmp_path, text)
    corpus = ga.read(path, options={"tiers": "{layer}@{annotator}"})
    assert corpus["talk"].annotators == ("anna", "bert@home")
    assert corpus.n_units == 4
    with pytest.raises(SettingsError, match=r"'tiers' is '\{annotator\}', not a pattern"):
        ga.read(path, options={"tiers": "{annotator}"})
    with pytest.raises(SettingsError, match="textgrid has no option 'tier'; its options are 'tiers'"):
        ga.read(path, options={"tier": "{layer}@{annotator}"})


def test_a_name_that_does_not_fit_the_pattern_is_the_layer(tmp_path):
    corpus = ga.read(saved(tmp_path, SHORT), layers="anna", options={"tiers": "{layer}@{annotator}"})
    assert corpus.n_units == 2
    assert any("do not fit '{layer}@{annotator}'" in note and "'anna', 'bert'" in note for note in corpus.notes)


def test_blank_intervals_are_gaps_with_a_note(tmp_path):
    text = SHORT.replace('say ""hi""', "  ").replace('"peak"', '" "')
    corpus = ga.read(saved(tmp_path, text), layers="anna")
    assert [unit[3] for unit in units(corpus)] == ["two\nlines"]
    assert "talk.TextGrid: 1 intervals labelled with blanks alone are no units" in corpus.notes
    assert [unit[3] for unit in units(ga.read(tmp_path / "talk.TextGrid", layers="bert"))] == [None, None]


def test_units_past_the_end_are_refused_or_extend_it(tmp_path):
    path = saved(tmp_path, SHORT.replace("\n1.25\n2\n", "\n1.25\n2.5\n"))
    with pytest.raises(InputError, match=r"line 19: document 'talk', .* unit \[1.25, 2.5\], extent \[0, 2\]"):
        ga.read(path, layers="anna")
    assert ga.read(path, layers="anna", outside="extend").extents.tolist() == [[0, 2.5]]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('\n3\n0\n0.5\n""', '\n4\n0\n0.5\n""', r"line 23: \"TextTier\" stands where a time should"),
        ('\n3\n0\n0.5\n""', '\n2\n0\n0.5\n""', r"line 19: 1.25 stands where the class of a tier should"),
        ("<exists>\n2", "<exists>\n3", r"the file ends where the class of a tier should follow"),
        ("<exists>\n2", "<exists>\n1", r"line 23: \"TextTier\" follows the last tier"),
        ("<exists>\n2", "<exists>\n1.5", r"line 7: the number of tiers is 1.5, not a count"),
        ("<exists>\n2", "<exists>\n-2", r"line 7: the number of tiers is -2, not a count"),
        ("\n0.75\n", "\n0,75\n", r"line 28: '0,75' is no number"),
        ("\n0.75\n", "\n1e999\n", r"line 28: a time is 1e999, more than a number holds"),
        ("peak", 'pe"ak', r"line 29: the quote that opens here is not closed"),
        ('"TextTier"', '"PitchTier"', r'line 23: "PitchTier" is no class of tiers; IntervalTier and TextTier are'),
        ("\n0\n2\n<", "\n3\n2\n<", r"line 5: xmax is 2, below xmin 3"),
        ("\n0.5\n1.25", "\n1.5\n1.25", r"line 16: the unit ends at 1.25, before its start 1.5"),
    ],
)
def test_invalid_lines_are_refused_with_their_number(tmp_path, old, new, message):
    assert SHORT.count(old) == 1
    with pytest.raises(InputError, match=rf"talk.TextGrid(, |: ){message}"):
        ga.read(saved(tmp_path, SHORT.replace(old, new)), layers="*")


def test_binary_and_other_files_are_refused(tmp_path):
    path = tmp_path / "talk.TextGrid"
    path.write_bytes(b"ooBinaryFile\x08TextGrid\0\0")
    with pytest.raises(InputError, match="a binary file of Praat; save it there with"):
        ga.read(path)
    path.write_text('File type = "ooTextFile"\nObject class = "Pitch 1"\n', encoding="utf-8")
    with pytest.raises(InputError, match=r"talk\.TextGrid, line 1: is no TextGrid"):
        ga.read(path, format="textgrid")


def test_large_declared_sizes_and_long_texts_are_read_quickly(tmp_path):
    path = saved(tmp_path, SHORT.replace("<exists>\n2", "<exists>\n99999999999"))
    with pytest.raises(InputError, match="the file ends where"):
        ga.read(path, layers="*")
    assert len(ga.read(saved(tmp_path, SHORT.replace("peak", "x" * 10**6)), layers="bert").categories[0]) == 10**6
    with pytest.raises(InputError, match="quote that opens here"):
        ga.read(saved(tmp_path, SHORT + '"' + '"" x ' * 10**5), layers="*")


# --- what is written -----------------------------------------------------------------------------------------


@pytest.fixture
def corpus():
    """A corpus with all that a TextGrid holds: overlap, units twice, points, gaps, somebody who marked nothing."""
    return ga.Corpus.from_records(
        [
            ("d/1", "anna", 0.1, 0.7, "a"),
            ("d/1", "anna", 0.1, 0.7, "a"),
            ("d/1", "anna", 0.3, 0.9, 'b "c"\nd'),
            ("d/1", "anna", 0.7, 0.8, "e"),
            ("d/1", "anna", 0.2, 0.2, None),
            ("d/1", "anna", 0.2, 0.2, "p"),
            ("d 2", "bert", -3, 1e-9, "é😊"),
        ],
        annotations=[("d/1", "anna"), ("d/1", "bert"), ("d 2", "bert")],
        extents={"d/1": (0, 1.1), "d 2": (-3.5, 4)},
    )


def test_written_files_are_read_back_unchanged(corpus, tmp_path):
    ga.write(corpus, tmp_path / "out", format="textgrid")
    files = sorted(path.relative_to(tmp_path / "out").as_posix() for path in (tmp_path / "out").rglob("*.TextGrid"))
    assert files == ["anna/d/1.TextGrid", "bert/d 2.TextGrid", "bert/d/1.TextGrid"]
    assert content(ga.read(tmp_path / "out")) == content(replace(corpus, length_unit="s"))


def test_praatio_reads_written_files(corpus, tmp_path):
    ga.write(corpus, tmp_path / "out", format="textgrid")
    grid = praat.openTextgrid(
        str(tmp_path / "out" / "anna" / "d" / "1.TextGrid"), includeEmptyIntervals=True, duplicateNamesMode="rename"
    )
    tiers = [grid.getTier(name) for name in grid.tierNames]
    assert (grid.minTimestamp, grid.maxTimestamp) == (0, 1.1)
    assert [type(tier).__name__ for tier in tiers] == ["IntervalTier"] * 3 + ["PointTier"] * 2
    for tier in tiers[:3]:  # Praat wants the whole time covered
        assert [entry.start for entry in tier.entries] == [0, *[entry.end for entry in tier.entries][:-1]]
        assert tier.entries[-1].end == 1.1
    assert [entry.label for entry in tiers[0].entries] == ["", "a", "e", ""]


@given(
    corpora(
        documents=FILE_NAMES,
        annotators=FILE_NAMES,
        bounds=REALS,
        categories=st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r"), max_size=8).filter(
            str.strip
        ),
        length_units=st.just("s"),
    )
)
def test_corpora_of_labelled_units_survive_a_round_trip(tmp_path_factory, corpus):
    folder = tmp_path_factory.mktemp("grids") / "out"
    if (corpus.extents[:, 0] == corpus.extents[:, 1]).any():
        with pytest.raises(InputError, match="has no length, and Praat opens no such TextGrid"):
            ga.write(corpus, folder, format="textgrid")
        return
    ga.write(corpus, folder, format="textgrid")
    assert content(ga.read(folder, annotator="{annotator}")) == content(corpus)  # lengths may not tell documents apart


@pytest.mark.parametrize(
    ("unit", "message"),
    [
        (("d", "a", 0, 1, None), r"unit \[0, 1\]: it has no category"),
        (("d", "a", 0, 1, ""), r"unit \[0, 1\]: the category is '', which is none for Praat"),
        (("d", "a", 0, 1, " "), r"unit \[0, 1\]: the category is ' ', which is none for Praat"),
        (("d", "a", 0, 1, "x\ry"), r"the category 'x\\ry' has a carriage return"),
        (("d", "a", 0, 1, "x\ud800"), r"document 'd', annotator 'a': .* half a character"),
        (("d", "a/b", 0, 1, "x"), r"annotator 'a/b'"),
        (("../d", "a", 0, 1, "x"), r"document '../d'"),
    ],
)
def test_corpora_that_a_textgrid_cannot_hold_are_refused(tmp_path, unit, message):
    with pytest.raises(InputError, match=message):
        ga.write(ga.Corpus.from_records([unit]), tmp_path / "out", format="textgrid")
    assert list(tmp_path.iterdir()) == []


def test_other_units_of_length_are_refused(tmp_path):
    corpus = replace(ga.Corpus.from_records([("d", "a", 0, 1, "x")]), length_unit="char")
    with pytest.raises(InputError, match="a TextGrid counts seconds, and the corpus counts in 'char'"):
        ga.write(corpus, tmp_path / "out", format="textgrid")
