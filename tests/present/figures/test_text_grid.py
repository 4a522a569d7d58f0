"""Text in cells: every character once and in order, lines no longer than asked, each character where it is read."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gamma_align.present.figures.text_grid import Line, break_lines, cell_widths

HEBREW, ARABIC = "\u05d0\u05d1\u05d2", "\u062f\u0646\u06cc"
TEXT = st.text(
    st.sampled_from(f"ab  \n\t日、e\u0301\u200d👩👍🏽{HEBREW}{ARABIC}12,.-()\u0915\u093f") | st.characters(),
    max_size=60,
)


def shown(line):
    """Return the characters of a line as they stand from left to right."""
    order = sorted(range(len(line.text)), key=lambda index: (line.cells[index], line.widths[index] == 0, index))
    return "".join(line.text[index] for index in order)


@pytest.mark.parametrize(
    ("text", "widths"),
    [
        ("ab", [1, 1]),
        ("日本", [2, 2]),
        ("e\u0301", [1, 0]),
        ("👍🏽", [2, 0]),  # a thumb with a skin tone
        ("👩\u200d👧", [2, 0, 0]),  # a family joined to one emoji
        ("\u0915\u093f", [1, 1]),  # a Devanagari vowel sign with a width
        ("", []),
    ],
)
def test_characters_take_cells(text, widths):
    assert cell_widths(text).tolist() == widths


@given(TEXT, st.integers(2, 30))
def test_lines_hold_every_character_once_and_are_not_too_long(text, columns):
    lines = break_lines(text, 0, len(text), columns)
    assert "".join(line.text for line in lines) == text.replace("\n", " ")
    assert [line.start for line in lines] == [0, *np.cumsum([len(line.text) for line in lines])[:-1]][: len(lines)]
    for line in lines:
        assert cell_widths(line.text.rstrip()).sum() <= columns
        assert "\n" not in text[line.start : line.end - 1]
        assert line.widths[0] or line.start == 0 or not line.widths.any() or text[line.start - 1] == "\n"


def test_lines_break_at_words_and_at_line_breaks_and_long_words_anywhere():
    assert [line.text for line in break_lines("one two\n\nthree", 0, 14, 20)] == ["one two ", " ", "three"]
    assert [line.text for line in break_lines("one two three", 0, 13, 9)] == ["one two ", "three"]
    assert [line.text for line in break_lines("abcdefgh", 0, 8, 3)] == ["abc", "def", "gh"]
    assert [line.text for line in break_lines("日本語 x", 0, 5, 4)] == ["日本", "語 x"]
    assert [line.text for line in break_lines("one two three", 4, 9, 80)] == ["two t"]


def test_blanks_hang_over_the_margin():
    assert [line.text for line in break_lines("one  two", 0, 8, 3)] == ["one  ", "two"]


@given(TEXT)
def test_every_character_has_a_cell_of_its_own(text):
    line = Line(0, text)
    cells = [
        cell for index in range(len(text)) for cell in range(line.cells[index], line.cells[index] + line.widths[index])
    ]
    assert sorted(cells) == list(range(line.n_cells))


@given(TEXT)
def test_runs_cover_the_line_without_its_blanks(text):
    line = Line(0, text.replace("\n", " "))
    covered = np.zeros(line.n_cells, dtype=int)
    for run in line.runs():
        covered[run.cell : run.cell + run.cells] += 1
        assert run.cells == cell_widths(run.text).sum()
    assert (covered <= 1).all()
    letters = [index for index, char in enumerate(line.text) if not char.isspace() and line.widths[index]]
    assert all(covered[line.cells[index]] for index in letters)


@given(TEXT, st.data())
def test_a_stretch_is_the_cells_of_its_characters(text, data):
    line = Line(7, text)
    start = data.draw(st.integers(7, 7 + len(text)))
    end = data.draw(st.integers(start, 7 + len(text)))
    cells = [cell for first, last in line.stretches(start, end) for cell in range(first, last)]
    inside = range(start - 7, end - 7)
    assert sorted(cells) == sorted(
        cell for index in inside for cell in range(line.cells[index], line.cells[index] + line.widths[index])
    )


# as python-bidi 0.4.2 shows them, which agreed on 17,728 random texts of these characters
@pytest.mark.parametrize(
    ("text", "from_the_left"),
    [
        ("car אבג.", "car גבא."),
        ("אבג car.", ".car גבא"),
        ("אב 1,2-3 ג", "ג 1,2-3 בא"),
        ("دن 1-2", "2-1 ند"),
        ("x אב 12 y", "x 12 בא y"),
    ],
)
def test_directions_are_turned(text, from_the_left):
    assert shown(Line(0, text)) == from_the_left


def test_text_from_right_to_left_stands_right():
    assert Line(0, "12 אבג car").is_right_to_left
    assert not Line(0, "car אבג").is_right_to_left
    assert not Line(0, "12 ()").is_right_to_left


def test_an_edge_is_where_the_character_begins():
    line = Line(10, "ab אבג")
    assert [line.edge(position) for position in (10, 12, 16)] == [0, 2, 3]  # the end of the Hebrew word is at its left
    assert line.edge(13) == 6  # and its beginning at the right


def test_words_of_joined_scripts_are_fitted_as_a_whole():
    runs = list(Line(0, "ab cd  日本 e\u0301f אבג").runs())
    assert [(run.text, run.cell, run.cells, run.is_simple, run.is_reversed) for run in runs] == [
        ("ab cd", 0, 5, True, False),
        ("日本", 7, 4, True, False),
        ("e\u0301f", 12, 2, False, False),
        ("אבג", 15, 3, False, True),
    ]
