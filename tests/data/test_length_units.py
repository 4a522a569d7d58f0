"""Corpora whose bounds have an unknown unit of length are merged with others only if texts tell it."""

from __future__ import annotations

import dataclasses

import pytest

import gamma_align as ga

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
        assert "3 of 3 units begin and end with words" in merged.notes[-1]


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
