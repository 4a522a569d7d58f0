"""Audacity's label tracks: samples against their own lines, points, frequencies, decimal commas."""

import pytest
from places import FORMATS

import gamma_align as ga
from gamma_align.errors import InputError, SettingsError
from gamma_align.reading import formats
from gamma_align.reading.files.sources import Source

SAMPLES = FORMATS
FILES = sorted((SAMPLES / "audacity").glob("*.txt"))


def saved(folder, text, name="Label Track.txt"):
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def units(corpus):
    (document,) = corpus.documents
    return [tuple(unit[1:]) for unit in corpus[document].units()]


@pytest.mark.parametrize(("path", "labels", "ranges"), [(FILES[0], 46, 0), (FILES[1], 18, 18)])
def test_samples_have_the_labels_of_their_lines(path, labels, ranges):
    lines = path.read_text(encoding="utf-8").splitlines()
    rows = [line.split("\t") for line in lines if not line.startswith("\\")]
    corpus = ga.read(path)
    assert units(corpus) == sorted((float(row[0]), float(row[1]), row[2]) for row in rows)
    assert (len(rows), len(lines) - len(rows)) == (labels, ranges)
    assert any(f"{ranges} ranges of frequencies are left out" in note for note in corpus.notes) == (ranges > 0)
    assert (corpus.annotators, corpus.length_unit) == ((path.stem,), "s")


@pytest.mark.parametrize("blank", [" ", "\t", "    "])
def test_labels_of_music_in_seconds(tmp_path, blank):
    text = f"0{blank}2.5{blank}N\n2.5{blank}4.25{blank}E:min\n"
    for who in ("anna", "ben"):
        (tmp_path / who).mkdir()
        saved(tmp_path / who, text, "song.lab")
    corpus = ga.read(tmp_path)
    assert corpus.annotators == ("anna", "ben")
    assert units(corpus) == 2 * [(0.0, 2.5, "N"), (2.5, 4.25, "E:min")]


def test_only_audacity_samples_match_audacity():
    files = [path for path in SAMPLES.rglob("*") if path.is_file()]
    assert sorted(path for path in files if formats.by_name("audacity").matches(Source(path, path.name).head)) == FILES


def test_path_names_annotators(tmp_path):
    for who in ("anna", "bert"):
        (tmp_path / who).mkdir()
        saved(tmp_path / who, f"0.0\t1.0\t{who}\n", name="song.txt")
    corpus = ga.read(tmp_path)
    assert [tuple(unit) for unit in corpus["song"].units()] == [("anna", 0, 1, "anna"), ("bert", 0, 1, "bert")]


def test_points_and_labels_without_text(tmp_path):
    text = "0.5\t0.5\tpoint\n\n0.500000\t2.250000\t\n1\t2\ta\tb c \r\n3\t4\n"
    expected = [(0.5, 0.5, "point"), (0.5, 2.25, None), (1, 2, "a\tb c "), (3, 4, None)]
    assert units(ga.read(saved(tmp_path, text))) == expected


def test_blank_labels_are_skipped(tmp_path):
    corpus = ga.read(saved(tmp_path, "0.5\t0.75\ta\n1.5\t2.5\t \n"))
    assert units(corpus) == [(0.5, 0.75, "a")]
    assert any("1 intervals labelled with blanks alone are no units" in note for note in corpus.notes)


def test_decimal_commas_are_read_and_noted(tmp_path):
    corpus = ga.read(saved(tmp_path, "0,500000\t1,250000\ta, b\n\\\t100,5\t200,5\n"))
    assert units(corpus) == [(0.5, 1.25, "a, b")]
    assert any("the numbers have decimal commas" in note for note in corpus.notes)


def test_mixed_decimal_marks_are_refused(tmp_path):
    with pytest.raises(InputError, match="1 lines have decimal commas and 1 points"):
        ga.read(saved(tmp_path, "0,5\t1,2\ta\n2.0\t3.0\tb\n"))


def test_labels_out_of_order_are_noted_as_several_tracks(tmp_path):
    corpus = ga.read(saved(tmp_path, "0.0\t1.0\ta\n5.0\t6.0\ta\n0.0\t6.0\tb\n"))
    assert any("1 labels begin before the one above: if the file is several label tracks" in n for n in corpus.notes)


def test_labels_that_nearly_touch_are_counted(tmp_path):
    corpus = ga.read(saved(tmp_path, "0.0\t1.0000001\ta\n1.0\t2.0\ta\n"))
    assert any("of 2 units, 1 end after the start of another" in note for note in corpus.notes)


def test_empty_file_has_an_annotator_without_units(tmp_path):
    corpus = ga.read(saved(tmp_path, ""), format="audacity")
    assert (corpus.documents, corpus.n_units) == (("Label Track",), 0)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("1.0 2.0 x", "'1.0 2.0 x' is no label: a label is start, tab, end, tab, text"),
        ("a\tb\tc", "is no label"),
        ("nan\t2.0\tx", "is no label"),
        ("3.0\t2.0\tx", "the unit ends at 2, before its start 3"),
        ("1e999\t1e999\tx", "the start of the unit is inf"),
        ("9" * 5000 + "\t1\tx", "the start of the unit is inf"),
    ],
)
def test_invalid_lines_are_refused_with_their_number(tmp_path, line, message):
    with pytest.raises(InputError, match=rf"Label Track.txt, line 2: .*{message}"):
        ga.read(saved(tmp_path, f"0.0\t1.0\ta\n{line}\n"), format="audacity")


def test_all_options_are_refused(tmp_path):
    with pytest.raises(SettingsError, match="audacity has no option 'x'; its options are none"):
        ga.read(saved(tmp_path, "0.0\t1.0\ta\n"), options={"x": "y"})
