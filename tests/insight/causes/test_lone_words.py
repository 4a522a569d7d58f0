"""Words that one annotator alone marks: a habit stands out among the lone units of all, slips do not."""

from __future__ import annotations

import pytest

import gamma_align as ga

WORDS = ["kleine", "und", "geht", "sieht", "ein", "dort", "schnell", "die", "in", "der"]
TEXT = "Rom " + " ".join(f"{word} lange Reise" for word in WORDS) + " Paris"  # slips are far from each other
DOCUMENTS = 40


def span(word):
    start = TEXT.index(f" {word}") + 1
    return start, start + len(word), "place"


def words_found(lone):
    """Return who is named with which words, if three agree but for lone units: annotator to words by document."""
    marks = {f"d{index:02d}": {name: [(0, 3, "place"), span("Paris")] for name in lone} for index in range(DOCUMENTS)}
    for name, words in lone.items():
        for index, word in words.items():
            marks[f"d{index:02d}"][name].append(span(word))
    corpus = ga.read(marks, texts=dict.fromkeys(marks, TEXT))
    found = ga.disagreements(corpus, samples=2).to_settle
    return [(finding.annotator, set(finding.words)) for finding in found if finding.words]


def from_document(first, words):
    return dict(enumerate(words, first))


SLIPS = {"ben": from_document(0, [WORDS[0], *WORDS[2:]]), "eva": from_document(10, WORDS[2:])}


def test_slips_on_the_same_words_are_nobodys_habit():
    few_slips = {"ben": from_document(0, ["die"] * 2), "eva": from_document(2, ["sieht"])}
    anna = from_document(20, [*["kleine"] * 5, *["und"] * 2, *WORDS[2:9]])
    assert words_found({"anna": anna, **SLIPS}) == []
    assert words_found({"anna": from_document(20, ["kleine"] * 3 + WORDS), **few_slips}) == []


@pytest.mark.parametrize("others", [SLIPS, {"ben": {}, "eva": {}}], ids=["slips", "none"])
def test_a_word_that_one_alone_marks_is_named(others):
    assert words_found({"anna": from_document(20, ["kleine"] * 18), **others}) == [("anna", {"kleine"})]


def test_an_annotator_with_more_slips_has_no_words_of_their_own():
    assert words_found({"anna": from_document(20, WORDS * 2), **SLIPS}) == []


def test_what_one_alone_marks_is_not_what_each_of_the_others_leaves_out():
    everywhere = dict.fromkeys(range(DOCUMENTS), "kleine")
    assert words_found({"anna": everywhere, **SLIPS})[0] == ("anna", {"kleine"})
