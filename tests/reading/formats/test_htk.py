"""HTK's label files."""

import pytest

import gamma_align as ga
from gamma_align.errors import InputError

ICE = "0000000 3600000 ice\n3600000 8200000 cream\n"


def saved(folder, **files):
    for name, text in files.items():
        (folder / name / "talk.lab").parent.mkdir()
        (folder / name / "talk.lab").write_text(text, encoding="utf-8")
    return folder


def units(corpus):
    return [(unit.annotator, unit.start, unit.end, unit.category) for unit in corpus["talk"].units()]


def test_folders_are_annotators_and_times_are_seconds(tmp_path):
    corpus = ga.read(saved(tmp_path, anna=ICE, ben="0 8200000 scream -12.5\n///\n0 1 x\n"))
    assert units(corpus) == [
        ("anna", 0, 0.36, "ice"),
        ("anna", 0.36, 0.82, "cream"),
        ("ben", 0, 0.82, "scream"),
    ]
    assert corpus.length_unit == "s"
    assert any("of several alternatives the first is read" in note for note in corpus.notes)
    assert any("what follows the label is left out (1 lines)" in note for note in corpus.notes)


def test_invalid_labels_are_refused_with_their_line(tmp_path):
    path = saved(tmp_path, anna=ICE + "0.82 0.9 x\n", ben=ICE)
    with pytest.raises(InputError, match=r"anna/talk\.lab, line 3: '0\.82 0\.9 x' is no label"):
        ga.read(path, format="htk")


def test_other_lab_files_do_not_match_htk(tmp_path):
    corpus = ga.read(saved(tmp_path, anna="0.0 2.6 intro\n", ben="0.0 2.5 intro\n"))
    assert not any("HTK" in note for note in corpus.notes)
