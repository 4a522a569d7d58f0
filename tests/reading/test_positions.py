"""Offsets, tokens and texts: converted, compared with the covered text, and mapped onto one text."""

import itertools
import random
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gamma_align.errors import InputError
from gamma_align.reading.files.sources import Source
from gamma_align.reading.marks import texts
from gamma_align.reading.marks.assemble import assemble_corpus
from gamma_align.reading.marks.choices import choices
from gamma_align.reading.marks.marks import Marks
from gamma_align.reading.marks.texts import Stretch, code_points_at, equal_stretches, to_code_points, to_tokens
from gamma_align.reading.places.layout import Placed

TEXTS = st.text(st.sampled_from("ab é\n😀𝄞\u200dß中"), max_size=30)

# --- offsets -----------------------------------------------------------------------------------------------


def code_units(text, offsets):
    """How many are before the end of a text: by encoding it."""
    return len(text.encode("utf-16-le")) // 2 if offsets == "utf-16" else len(text.encode())


@pytest.mark.parametrize("offsets", ["utf-16", "bytes"])
@given(text=TEXTS)
def test_offsets_map_to_code_points(offsets, text):
    table = code_points_at(text, offsets)
    expected = np.full(code_units(text, offsets) + 1, -1)
    for at in range(len(text) + 1):
        expected[code_units(text[:at], offsets)] = at
    assert table.tolist() == expected.tolist()


@pytest.mark.parametrize("offsets", ["utf-16", "bytes", "code-points"])
@given(text=TEXTS, extra=st.integers(1, 9))
def test_offsets_past_the_end_keep_their_distance(offsets, text, extra):
    places = range(len(text) + 1)
    size = {"code-points": len}.get(offsets, lambda part: code_units(part, offsets))
    bounds = np.array([size(text[:at]) for at in places] + [size(text) + extra], dtype=np.float64)
    assert to_code_points(bounds, text, offsets).tolist() == [*places, len(text) + extra]


def test_an_offset_within_a_character_is_none():
    moved = to_code_points(np.arange(5, dtype=np.float64), "a😀b", "utf-16")
    np.testing.assert_array_equal(moved, [0, 1, np.nan, 2, 3])


# --- tokens ------------------------------------------------------------------------------------------------

EDGES = [(0, 3), (4, 6), (6, 7), (9, 12)]
IN_TOKENS = {
    "one token": ((4, 6), (1, 2)),
    "several": ((0, 7), (0, 3)),
    "a part of one": ((1, 2), (0, 1)),
    "across a border": ((5, 7), (1, 3)),
    "with blanks around": ((3, 9), (1, 3)),
    "between tokens": ((7, 9), (3, 3)),
    "no length within": ((1, 1), (0, 0)),
    "no length at a border": ((6, 6), (2, 2)),
    "past the last": ((12, 14), (4, 4)),
}


@pytest.mark.parametrize(("bounds", "tokens"), IN_TOKENS.values(), ids=IN_TOKENS)
def test_units_in_tokens(bounds, tokens):
    start, end = to_tokens(np.array([bounds[0]], float), np.array([bounds[1]], float), EDGES)
    assert (start.tolist(), end.tolist()) == ([tokens[0]], [tokens[1]])


def tokens_definition(start, end, edges):
    """From the first token that shares a character with the unit to the last; otherwise the next token's place."""
    touched = [at for at, (low, high) in enumerate(edges) if max(low, start) < min(high, end)]
    if touched:
        return touched[0], touched[-1] + 1
    return (sum(high <= start for _, high in edges),) * 2


@given(st.lists(st.integers(1, 3), max_size=8), st.lists(st.integers(0, 2), min_size=8, max_size=8), st.data())
def test_units_cover_all_tokens_they_touch(sizes, gaps, data):
    edges, at = [], 0
    for size, gap in zip(sizes, gaps, strict=False):
        edges.append((at + gap, at + gap + size))
        at += gap + size
    start, end = sorted(data.draw(st.tuples(st.integers(0, at + 2), st.integers(0, at + 2))))
    low, high = to_tokens(np.array([start], float), np.array([end], float), edges)
    assert (low[0], high[0]) == tokens_definition(start, end, edges)


# --- what two sequences have in common -----------------------------------------------------------------------

WORDS = st.lists(st.sampled_from("abcdef"), max_size=25)


@given(WORDS, WORDS)
def test_stretches_are_a_common_subsequence(one, other):
    actual = equal_stretches(one, other)
    assert all(one[s.first : s.first + s.size] == other[s.second : s.second + s.size] and s.size for s in actual)
    for stretch, after in itertools.pairwise(actual):
        assert stretch.first + stretch.size <= after.first
        assert stretch.second + stretch.size <= after.second
        assert (stretch.first + stretch.size, stretch.second + stretch.size) != after[:2]


@given(WORDS, st.lists(st.tuples(st.integers(0, 25), st.sampled_from("xyz")), max_size=6))
def test_insertions_leave_the_other_items_in_common(one, extra):
    other = list(one)
    for at, item in extra:
        other.insert(min(at, len(other)), item)
    assert len(set(one)) < len(one) or sum(stretch.size for stretch in equal_stretches(one, other)) == len(one)


def test_a_sequence_is_one_stretch_of_itself():
    assert equal_stretches("abcabc", "abcabc") == [Stretch(0, 0, 6)]


def long_texts():
    """Two texts of 60,000 words each: half of the words are common ones, every 50th is changed."""
    draw = random.Random(7)  # noqa: S311
    common = ["the", "of", "and", "to", "a", "in", "is", "it", "you", "that", "he", "was"]
    words = [draw.choice(common) if draw.random() < 0.5 else f"w{draw.randrange(9000)}" for _ in range(60_000)]
    changed = [f"{word}ly" if at % 50 == 0 else word for at, word in enumerate(words)]
    return " ".join(words), "\n".join(changed)


def test_long_texts_are_mapped_word_by_word():
    one, other = long_texts()  # to compare all characters with all would take hours
    table = texts.text_mapping(one, other)
    assert table.equal.all()


def test_long_sequences_without_a_word_in_common_have_nothing_in_common():
    assert equal_stretches(["a", "b"] * 5000, ["c", "d"] * 5000) == []


# --- one text onto another ---------------------------------------------------------------------------------


def moved(one, onto, start, end):
    """The bounds of one unit on another text."""
    low, high = texts.text_mapping(one, onto).moved(np.array([start], float), np.array([end], float))
    return low[0], high[0]


MOVED = {
    "equal": ("a bc d", "a bc d", (2, 4), "bc"),
    "blanks more": ("a bc d", "a\n\n  bc d", (2, 4), "bc"),
    "blanks within": ("a bc d", "a b c d", (2, 4), "b c"),
    "blanks fewer": ("a  bc  d", "abcd", (3, 5), "bc"),
    "from a blank on": ("a bc d", "a bc d", (1, 4), " bc"),
    "to a blank": ("a bc d", "a bc\nd", (2, 5), "bc\n"),
    "a word put in before": ("the cat sat", "the black cat sat", (4, 7), "cat"),
    "a word put in within": ("the cat sat", "the cat quietly sat", (4, 11), "cat quietly sat"),
    "a word left out within": ("the black cat sat", "the cat sat", (0, 13), "the cat"),
    "a word left out at the start": ("the black cat sat", "the cat sat", (4, 13), "cat"),
    "a word left out at the end": ("the cat sat down", "the cat sat", (8, 16), "sat"),
    "a word left out alone": ("the black cat sat", "the cat sat", (4, 9), ""),
    "letters changed": ("TOKYO/B-/B-MISCLOC is", "TOKYO is", (0, 18), "TOKYO"),
    "another spelling": ("my favourite colour", "my favorite color", (3, 19), "favorite color"),
    "no length": ("the cat sat", "the black cat sat", (4, 4), ""),
    "astral": ("a 😀 b", "a  😀 b", (2, 3), "😀"),
}


@pytest.mark.parametrize(("one", "onto", "bounds", "covered"), MOVED.values(), ids=MOVED)
def test_units_are_moved_through_equal_characters(one, onto, bounds, covered):
    low, high = map(int, moved(one, onto, *bounds))
    assert onto[low:high] == covered


def test_missing_unit_is_a_point_between_its_neighbours():
    assert moved("the black cat sat", "the cat sat", 4, 9) == (4, 4)
    assert moved("black cat", "cat", 0, 5) == (0, 0)
    assert moved("the cat", "", 4, 7) == (0, 0)
    assert moved("", "the cat", 0, 0) == (0, 0)


def test_points_stay_before_their_character():
    assert moved("the cat sat", "the black cat sat", 4, 4) == (10, 10)
    assert moved("the cat sat", "the cat sat on", 11, 11) == (11, 11)


def test_bounds_past_the_end_keep_their_distance():
    assert moved("the cat", "the black cat", 4, 9) == (10, 15)
    assert moved("the cat", "a cat", 8, 9) == (6, 7)


@given(TEXTS)
def test_a_text_is_mapped_onto_itself_as_it_is(text):
    table = texts.text_mapping(text, text)
    places = np.arange(len(text) + 1)
    assert (table.start == places).all()
    assert (table.end == places).all()
    assert table.equal.all()


@given(TEXTS, TEXTS)
def test_equal_characters_are_equal_and_in_order(one, onto):
    table = texts.text_mapping(one, onto)
    equal = np.flatnonzero(table.equal)
    pairs = [(one[at], onto[to]) for at, to in zip(equal.tolist(), table.start[equal].tolist(), strict=True)]
    assert all(a == b or (a.isspace() and b.isspace()) for a, b in pairs)
    assert (np.diff(table.start[equal]) > 0).all()
    assert (table.end[equal + 1] == table.start[equal] + 1).all()
    for name in ("start", "end"):
        places = getattr(table, name)
        assert (np.diff(places) >= 0).all()
        assert (places >= 0).all()
        assert (places <= len(onto)).all()


@given(st.lists(st.text(st.sampled_from("abc😀é"), min_size=1, max_size=4), max_size=8), st.data())
def test_texts_that_differ_in_blanks_alone_have_every_character_in_common(words, data):
    gaps = st.lists(st.sampled_from([" ", "\n", "  ", "\r\n", ""]), min_size=len(words) + 1, max_size=len(words) + 1)
    one, onto = ("".join(map("".join, zip(data.draw(gaps), [*words, ""], strict=True))) for _ in range(2))
    table = texts.text_mapping(one, onto)
    dense = np.array([not mark.isspace() for mark in one], dtype=bool)
    assert table.equal[dense].all()
    assert "".join(onto[to] for to in table.start[:-1][dense].tolist()) == "".join(words)


@given(TEXTS, TEXTS)
def test_first_difference_follows_the_common_beginning(one, other):
    at = texts.first_difference(one, other)
    assert one[:at] == other[:at]
    assert one == other or one[at : at + 1] != other[at : at + 1]
    assert one != other or at == len(one)


# --- in a corpus -------------------------------------------------------------------------------------------


def said(annotator, text, *units, tokens=None, offsets="code-points"):
    """What a file of an annotator says: a text, and units (start, end[, what they cover])."""
    marks = Marks(f"{annotator}.x", offsets=offsets)
    marks.annotated("d", annotator)
    if text is not None:
        marks.texts["d", annotator] = text
    if tokens is not None:
        marks.tokens["d", annotator] = tokens
    for line, (start, end, *surface) in enumerate(units, 1):
        covered = surface[0] if surface else None
        marks.unit(start, end, "x", location=line, document="d", annotator=annotator, surface=covered)
    return marks


def corpus_of(*marks, **settings):
    marked = [(Placed(Source(Path(its.file), its.file), {}), its) for its in marks]
    return assemble_corpus(marked, choices(**settings), location="here")


def covered(corpus):
    """Each annotator with the texts of the units."""
    continuum = corpus.continuum(0)
    return [(unit.annotator, corpus.texts[0][int(unit.start) : int(unit.end)]) for unit in continuum.units()]


EMOJI = "so 😀 good 😀 day"


@pytest.mark.parametrize("offsets", ["code-points", "utf-16", "bytes"])
def test_bounds_are_converted_from_the_requested_offsets(offsets):
    size = {"code-points": len}.get(offsets, lambda part: code_units(part, offsets))
    bounds = [
        (size(EMOJI[:at]), size(EMOJI[: at + len(word)]), word) for word in ("good", "day") if (at := EMOJI.index(word))
    ]
    by_file = corpus_of(said("a", EMOJI, *bounds, offsets=offsets))
    by_user = corpus_of(said("a", EMOJI, *bounds), offsets=offsets)
    assert covered(by_file) == covered(by_user) == [("a", "good"), ("a", "day")]
    assert by_file.extents.tolist() == [[0, len(EMOJI)]]


@pytest.mark.parametrize(("offsets", "start"), [("utf-16", 6), ("bytes", 8)])
def test_mismatch_names_the_offsets_that_fit(offsets, start):
    message = (
        rf"a\.x, line 1: the unit covers '.*', but the file says 'good'; "
        rf"all units fit with offsets='{offsets}': read them so, or keep such units"
    )
    with pytest.raises(InputError, match=message):
        corpus_of(said("a", EMOJI, (start, start + 4, "good")))


def test_offsets_in_code_points_are_proposed_if_they_fit():
    marks = said("a", EMOJI, (5, 9, "good"), (12, 15, "day"), offsets="utf-16")
    with pytest.raises(InputError, match=r"all units fit with offsets='code-points'"):
        corpus_of(marks)
    assert covered(corpus_of(marks, offsets="code-points")) == [("a", "good"), ("a", "day")]


@pytest.mark.parametrize(("by", "message"), [(1, "1 earlier"), (-1, "1 later"), (3, "3 earlier")])
def test_shifted_offsets_are_reported(by, message):
    units = [(at + by, at + by + len(word), word) for word in ("good", "day") if (at := EMOJI.index(word))]
    with pytest.raises(InputError, match=rf"all units would fit {message} than their offsets say: correct the offsets"):
        corpus_of(said("a", EMOJI, *units))


def test_unexplained_mismatches_are_reported_and_kept_on_request():
    marks = said("a", EMOJI, (5, 9, "good"), (5, 9, "goof"))
    with pytest.raises(InputError, match=r"line 2: .*no other value of offsets= makes all units fit: correct"):
        corpus_of(marks)
    kept = corpus_of(marks, mismatch="keep")
    assert covered(kept) == [("a", "good")] * 2
    assert kept.notes == ("a.x, line 2: the unit covers 'good', but the file says 'goof' (1 such units, kept)",)


def test_a_line_break_in_a_unit_may_be_written_as_a_blank():
    assert covered(corpus_of(said("a", "one\r\ntwo", (0, 8, "one two")))) == [("a", "one\r\ntwo")]


def test_an_offset_within_a_character_is_refused():
    with pytest.raises(InputError, match=r"a\.x, line 1: offset 4 is within a character, counted in utf-16; say what"):
        corpus_of(said("a", EMOJI, (4, 6)), offsets="utf-16")


def test_offsets_without_a_text_are_unchanged_with_a_note():
    corpus = corpus_of(said("a", None, (4, 6)), offsets="utf-16")
    assert corpus.notes == (
        "1 annotations (of 'd' by 'a', …) have no text: their bounds are taken as they are, not counted in utf-16",
    )


ONE, OTHER = "the black cat sat", "the cat\nsat there"


def test_different_texts_are_refused_with_the_first_difference():
    message = (
        r"document 'd': the annotators' texts differ: from character 4 on, 'the black cat sat' of 'a' is 'the "
        r"cat\\nsat there' of 'b'; give them one text, or map them onto the first with align_text=True"
    )
    with pytest.raises(InputError, match=message):
        corpus_of(said("a", ONE), said("b", OTHER))


@pytest.mark.parametrize("order", [1, -1])
def test_different_texts_are_mapped_onto_the_first_annotator(order):
    marks = [said("a", ONE, (4, 13)), said("b", OTHER, (4, 7), (8, 11), (12, 17))][::order]
    corpus = corpus_of(*marks, align_text=True)
    assert corpus.texts == (ONE,)
    assert covered(corpus) == [("a", "black cat"), ("b", "cat"), ("b", "sat"), ("b", "")]
    gone, mapped = corpus.notes
    assert gone == (
        "b.x, line 3: the text of this unit does not occur in the text of the other annotators, so its length "
        "becomes 0 (1 such units)"
    )
    assert mapped == (
        "document 'd': 'b' mapped onto the text of 'a': from character 4 on, 'the black cat sat' of 'a' is "
        "'the cat\\nsat there' of 'b'; 5 of 17 characters have no equal there"
    )


def test_a_unit_past_the_end_of_its_text_stays_past_the_end_of_the_other():
    marks = said("a", ONE), said("b", OTHER, (8, 19))
    with pytest.raises(InputError, match=r"unit \[14, 19\], extent \[0, 17\]"):
        corpus_of(*marks, align_text=True)


def test_units_in_tokens_of_the_text_in_their_offsets():
    tokens = [(0, 2), (3, 5), (6, 10), (11, 13), (14, 17)]  # of EMOJI in UTF-16
    corpus = corpus_of(said("a", EMOJI, (6, 10), (3, 17), tokens=tokens, offsets="utf-16"), positions="tokens")
    assert [unit[1:3] for unit in corpus.continuum(0).units()] == [(1, 5), (2, 3)]
    assert (corpus.length_unit, corpus.extents.tolist(), corpus.texts) == ("token", [[0, 5]], None)


def test_units_mapped_onto_another_text_count_its_tokens():
    a = said("a", ONE, (4, 13), tokens=[(0, 3), (4, 9), (10, 13), (14, 17)])
    b = said("b", OTHER, (4, 11), tokens=[(0, 3), (4, 7), (8, 11), (12, 17)])
    corpus = corpus_of(a, b, align_text=True, positions="tokens")
    assert [unit[:3] for unit in corpus.continuum(0).units()] == [("a", 1, 3), ("b", 2, 4)]
    assert corpus.extents.tolist() == [[0, 4]]


BAD_TOKENS = {
    "missing": (None, r"a\.x: has no tokens to count in; leave out positions="),
    "overlapping": ([(0, 3), (2, 4)], r"a\.x: token 2 is not a stretch of text after the one before; leave out"),
    "backwards": ([(0, 3), (7, 4)], r"a\.x: token 2 is not a stretch of text"),
}


@pytest.mark.parametrize(("tokens", "message"), BAD_TOKENS.values(), ids=BAD_TOKENS)
def test_invalid_tokens_are_refused(tokens, message):
    marks = said("a", ONE, (4, 9), tokens=tokens)
    with pytest.raises(InputError, match=message):
        corpus_of(marks, positions="tokens")


def test_different_tokens_are_refused():
    marks = said("a", ONE, tokens=[(0, 3), (4, 9)]), said("b", ONE, tokens=[(0, 3), (4, 13)])
    with pytest.raises(InputError, match=r"tokens differ: token 2 is \[4, 9\] of 'a' and \[4, 13\] of 'b'; leave out"):
        corpus_of(*marks, positions="tokens")


def test_units_past_the_end_are_refused_in_tokens_too():
    marks = said("a", ONE, (14, 19), tokens=[(0, 3), (4, 9), (10, 13), (14, 17)])
    with pytest.raises(InputError, match=r"unit \[3, 6\], extent \[0, 4\]"):
        corpus_of(marks, positions="tokens")


def test_seconds_are_not_counted_in_characters():
    marks = Marks("a.x", length_unit="s")
    marks.unit(0.5, 1.5, "x", location=1, document="d", annotator="a")
    with pytest.raises(InputError, match=r"a\.x: counts in 's' and not in characters; leave out positions="):
        corpus_of(marks, positions="characters")
