"""Subtitles: SubRip and WebVTT."""

import re

import pytest
from places import FORMATS

import gamma_align as ga
from gamma_align.errors import InputError

FOLDER = FORMATS / "subtitles"


def units(corpus):
    return [tuple(unit) for unit in corpus.continuum(0).units()]


def test_folders_are_annotators_of_one_medium(tmp_path):
    for who in ("ana", "ben"):
        (tmp_path / who).mkdir()
        (tmp_path / who / "talk.srt").write_bytes((FOLDER / who / "talk.srt").read_bytes())
    corpus = ga.read(tmp_path)
    assert units(corpus)[:2] == [("ana", 0.5, 2.0, "intro"), ("ana", 2.0, 65.25, "story")]
    assert corpus.n_units == sum(len(re.findall("-->", path.read_text())) for path in FOLDER.rglob("*.srt"))


def test_voices_are_categories():
    assert units(ga.read(FOLDER / "voices.vtt")) == [
        ("voices", 1.0, 4.5, "Ann"),
        ("voices", 4.5, 6.0, "Ann"),
        ("voices", 4.5, 6.0, "Ben"),
        ("voices", 3600.0, 3601.0, "music & noise"),
    ]


@pytest.mark.parametrize("ends", ["\r\n", "\r", "\n"])
def test_any_line_ends_are_read(ends, tmp_path):
    text = "\ufeff1\n00:00:01,000 --> 00:00:02,000\nfirst\n\n\n2\n00:00:02,000 --> 00:00:03,000\n\n"
    (tmp_path / "d.srt").write_bytes(text.replace("\n", ends).encode())
    assert units(ga.read(tmp_path / "d.srt")) == [("d", 1, 2, "first"), ("d", 2, 3, None)]


def test_a_block_without_times_is_refused_with_its_line(tmp_path):
    (tmp_path / "d.srt").write_text("1\n00:00:01,000 --> 00:00:02,000\nx\n\n2\n0:0:1 --> 3\ny\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"d\.srt, line 6: '0:0:1 --> 3' is no cue"):
        ga.read(tmp_path / "d.srt")
