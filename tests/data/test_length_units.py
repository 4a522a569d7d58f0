"""Corpora whose bounds have an unknown unit of length are merged with others only if texts tell it."""

from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gamma_align as ga
from gamma_align.data import token_bounds

TEXT = "Anna met Bob in Rome and left early"
PEOPLE = [("d", "Ana", 0, 4, "PER"), ("d", "Bo", 9, 12, "PER"), ("d", "Bo", 16, 20, "LOC")]


def corpus(units, length_unit=None, text=None):
    texts = None if text is None else (text,)
    return dataclasses.replace(ga.Corpus.from_records(units), length_unit=length_unit, texts=texts)


def test_unknown_bounds_count_characters_if_units_begin_and_end_with_words():
    model = corpus([("d", "model", 0, 4, "PER")], "char", TEXT)
    for merged in (corpus(PEOPLE).merge(model), model.merge(corpus(PEOPLE))):
        assert merged.length_unit == "char"
        assert merged.n_units == 4
        assert any("3 of 3 units begin and end with words" in note for note in merged.notes)


@pytest.mark.parametrize(
    ("units", "length_unit", "text", "message"),
    [
        ([("d", "Ana", 1, 5, "PER"), ("d", "Bo", 2, 3, "PER")], "char", TEXT, "0 of 2 units"),
        ([("d", "Ana", 0.0, 4.5, "PER")], "char", TEXT, "0 of 1 unit"),
        (PEOPLE, "char", None, "does not say what its bounds count"),
        (PEOPLE, "s", None, "does not say what its bounds count"),
    ],
)
def test_unknown_bounds_are_not_merged_on_trust(units, length_unit, text, message):
    model = corpus([("d", "model", 0, 4, "PER")], length_unit, text)
    with pytest.raises(ga.InputError, match=message):
        corpus(units).merge(model)


def test_different_units_are_never_merged():
    with pytest.raises(ga.InputError, match="bounds count char in one corpus and token in the other"):
        corpus(PEOPLE, "char").merge(corpus([("d", "model", 0, 1, "PER")], "token"))


TOKENS = ("Anna", "met", "Bob", "in", "Rome", "and", "left", "early")


def tokens_of(units, tokens=TOKENS):
    extents = {"d": (0, len(tokens))}
    return dataclasses.replace(ga.Corpus.from_records(units, extents=extents), length_unit="token", tokens=(tokens,))


def spans(merged):
    text = merged.texts[0]
    return [text[int(start) : int(end)] for start, end in zip(merged.start, merged.end, strict=True)]


def test_tokens_are_placed_in_the_text_of_the_other_corpus():
    model = tokens_of([("d", "model", 0, 1, "PER"), ("d", "model", 2, 5, "X"), ("d", "model", 7, 8, "Y")])
    for merged in (corpus(PEOPLE, "char", TEXT).merge(model), model.merge(corpus(PEOPLE, "char", TEXT))):
        assert (merged.length_unit, merged.tokens) == ("char", None)
        assert spans(merged) == ["Anna", "Bob", "Rome", "Anna", "Bob in Rome", "early"]
        assert merged.extents.tolist() == [[0, len(TEXT)]]


def test_a_unit_without_length_stays_so_before_its_token_or_at_the_end_of_the_text():
    model = tokens_of([("d", "model", 2, 2, "X"), ("d", "model", 8, 8, "X")])
    merged = model.merge(corpus(PEOPLE, "char", TEXT))
    assert sorted(zip(merged.start, merged.end, strict=True))[-2:] == [(16.0, 20.0), (35.0, 35.0)]
    assert (9.0, 9.0) in [*zip(merged.start, merged.end, strict=True)]


@pytest.mark.parametrize(
    ("tokens", "text", "places"),
    [
        (("(", "a", ")"), " ( a)\n", [(1, 2), (3, 4), (4, 5)]),
        (("-LRB-", "a", "-RRB-"), "(a)", [(0, 1), (1, 2), (2, 3)]),
        (("-LRB-",), "-LRB-", [(0, 5)]),
        (("``", "a", "''"), 'He"a"'[2:], [(0, 1), (1, 2), (2, 3)]),
        (("a", " ", "a"), "a  a", [(0, 1), (1, 2), (3, 4)]),
        (("日", "本"), "日\u3000本", [(0, 1), (2, 3)]),
        (("New York", "is"), "New York is", [(0, 8), (9, 11)]),
        ((), " ", []),
    ],
)
def test_only_blanks_are_between_tokens(tokens, text, places):
    assert [*map(tuple, token_bounds("d", tokens, text).tolist())] == places


@given(st.lists(st.tuples(st.text("ab.", min_size=1, max_size=3), st.text(" \n", max_size=2)), max_size=8))
def test_every_tokenization_of_a_text_is_found(parts):
    text = "".join(token + blanks for token, blanks in parts)
    ends = [len("".join(token + blanks for token, blanks in parts[:count])) for count in range(len(parts))]
    expected = [(end, end + len(token)) for end, (token, _) in zip(ends, parts, strict=True)]
    assert [*map(tuple, token_bounds("d", [token for token, _ in parts], text).tolist())] == expected


@pytest.mark.parametrize(
    ("tokens", "message"),
    [
        (("Anna", "meets"), "document 'd': token 2, 'meets', is not in the text after 'Anna': there is 'met Bob"),
        (("Anna", "Bob"), "token 2, 'Bob', is not in the text after 'Anna'"),
        (TOKENS[:-1], "the text goes on after the last token with 'early'"),
        ((*TOKENS, "again"), "token 9, 'again', is not in the text after '.*early': there is its end"),
        (("anna",), "token 1, 'anna', is not in the text at its beginning"),
    ],
)
def test_tokens_of_another_text_are_refused_with_document_and_token(tokens, message):
    model = tokens_of([("d", "model", 0, 1, "PER")], tokens)
    with pytest.raises(ga.InputError, match=message):
        corpus(PEOPLE, "char", TEXT).merge(model)


def test_tokens_of_a_document_without_text_are_refused():
    model = dataclasses.replace(tokens_of([("d", "model", 0, 1, "PER")]).rename(documents={"d": "e"}))
    with pytest.raises(ga.InputError, match="the text of document 'e' is not known"):
        corpus(PEOPLE, "char", TEXT).merge(model)


def test_corpora_with_other_tokens_are_not_merged_or_compared():
    first = tokens_of([("d", "ann", 0, 1, "PER")])
    other = tokens_of([("d", "bob", 0, 1, "PER")], ("Anna", "met", "Bobby", *TOKENS[3:]))
    assert first.merge(first.rename(annotators={"ann": "cleo"})).tokens == (TOKENS,)
    with pytest.raises(ga.InputError, match="the tokens of document 'd' differ"):
        first.merge(other)
    with pytest.raises(ga.InputError, match="they differ from token 2 on"):
        ga.unit_changes(first, other)
    moved = ga.unit_changes(
        tokens_of([("d", "ann", 3, 5, "X")], ("Anna", "just", *TOKENS[1:])),
        tokens_of([("d", "ann", 2, 4, "X")]),
        align_text=True,
    )
    assert moved.is_same


def test_parts_and_selections_keep_their_tokens():
    first = tokens_of([("d", "ann", 0, 1, "PER")])
    both = first.merge(first.rename(documents={"d": "e"}))
    assert both.select(documents="e").tokens == both.documents_between(1, 2).tokens == (TOKENS,)
