"""Patterns to settle: patterns in the data are found, and random errors give none."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
from places import CORPORA

import gamma_align as ga
from gamma_align.alignment.limits import Limits
from gamma_align.insight.disagreements.patterns import THRESHOLDS, log_likelihood_ratio
from gamma_align.insight.disagreements.rules import Material
from gamma_align.insight.disagreements.settle import sought, to_settle
from gamma_align.insight.disagreements.unitary_alignments import unitary_alignments
from gamma_align.insight.disagreements.words import Words

NOVELS = CORPORA / "novels_ner"
KINDS = ("shift", "false-negative", "false-positive", "category", "split")


def find_patterns(corpus, gamma=0.5, thresholds=THRESHOLDS, annotator=None):
    """Return the patterns to settle, without measuring the expected disorder."""
    dissimilarity = ga.Dissimilarity()
    alignments = unitary_alignments(corpus, dissimilarity, Limits())
    words = Words(corpus, alignments)
    return to_settle(Material(corpus, alignments, words, dissimilarity.categorial, thresholds), gamma, annotator)


def test_golden_values_of_the_novels():
    result = ga.disagreements(NOVELS, samples=30, seed=7)
    first, second, third, *_ = result.to_settle
    assert (first.rule, first.annotator) == ("words", "user2")
    assert first.words == ("his", "her", "my", "your", "their", "our", "its")
    assert first.title.startswith("user2 leaves out “his”, “her”")
    assert first.counts.startswith("387 of 460 occurrences that anyone marked are disputed: user3 marks 451 (1 more")
    assert (len(first.alignments), round(first.share, 3)) == (387, 0.394)
    assert (second.rule, second.document, second.annotator) == ("silence", "VanityFair", "user1")
    assert second.title == "VanityFair: user1 places few units after 2,164"
    assert round(second.share, 2) == 0.16
    assert (third.title, round(third.share, 3)) == ("user2 marks “who”, “whom”", 0.034)
    assert round(result.gamma.gamma, 2) == 0.88
    assert [round(pattern.settled, 2) for pattern in (first, second, third)] == [0.93, 0.9, 0.88]
    assert round(third.settled_together, 2) == 0.94


def test_settled_is_gamma_of_the_remaining_disorder():
    result = ga.disagreements(NOVELS, samples=3)
    for pattern in result.to_settle:
        gamma = result.gamma.gamma
        weight = result.disorder.disorder / gamma.observed
        assert pattern.settled == pytest.approx(
            1 - (result.disorder.disorder - pattern.disorder) / (weight * gamma.expected)
        )
    last = result.to_settle[-1]
    counted = sum(pattern.counted for pattern in result.to_settle)
    assert last.settled_together == pytest.approx(1 - (1 - float(result.gamma.gamma)) * (1 - counted))


WORDS = ("sun", "moon", "sea", "tree")
TEXT = " ".join(f"{word} {number:03}." for number in range(30) for word in WORDS)


def corpus_of(leave_out, text=TEXT, annotators=("ann", "bob", "cy"), label=lambda *_: "x"):
    """Return a document in which all mark each of the words, but those they leave out."""
    units, start, number = [], 0, 0
    for token in text.split(" "):
        if token.isalpha():
            end = start + len(token)
            units += [
                ("d", name, start, end, label(name, token, number))
                for name in annotators
                if not leave_out(name, token, number)
            ]
            number += 1
        start += len(token) + 1
    corpus = ga.Corpus.from_records(
        units, annotations=[("d", name) for name in annotators], extents={"d": (0, len(text))}
    )
    return replace(corpus, texts=(text,))


def test_a_word_that_one_annotator_leaves_out_is_a_pattern():
    (pattern,) = find_patterns(corpus_of(lambda name, word, _: (name, word) == ("bob", "sea")))
    assert (pattern.rule, pattern.annotator, pattern.words) == ("words", "bob", ("sea",))
    assert pattern.counts == (
        "30 of 30 occurrences that anyone marked are disputed: ann marks 30, cy marks 30, bob marks 0; most are x."
    )
    assert (pattern.share, pattern.settled, pattern.settled_together) == pytest.approx((1.0, 1.0, 1.0))
    assert pattern.settled <= 1.0
    assert pattern.examples[0].text == "sea"
    assert pattern.examples[1].before.endswith(". ")
    assert len(pattern.examples[1].before) <= 36


def test_words_that_only_one_annotator_marks_are_one_pattern():
    (pattern,) = find_patterns(corpus_of(lambda name, word, _: word in ("sun", "sea") and name != "cy"))
    assert (pattern.title, len(pattern.alignments)) == ("cy marks “sea”, “sun”", 60)


def test_with_two_annotators_the_pattern_names_the_one_without_units():
    (pattern,) = find_patterns(
        corpus_of(lambda name, word, _: (name, word) == ("bob", "sea"), annotators=("ann", "bob"))
    )
    assert pattern.title == "bob leaves out “sea”"


def with_long_units(n_long):
    """Return a document in which bob marks no "sea", but has `n_long` units that each hold five of the 30 lines."""
    corpus = corpus_of(lambda name, word, _: (name, word) == ("bob", "sea"))
    rows = [("d", unit.annotator, unit.start, unit.end, "x") for unit in corpus["d"].units()]
    starts = [*(match.start() for match in re.finditer("sun", TEXT)), len(TEXT)]
    rows += [("d", "bob", starts[5 * index], starts[5 * index + 5], "x") for index in range(n_long)]
    return replace(ga.Corpus.from_records(rows, extents={"d": (0, len(TEXT))}), texts=(TEXT,))


@pytest.mark.parametrize(
    ("n_long", "title", "direction"),
    [
        (0, "bob leaves out “sea”", "leaves out"),
        (2, "bob leaves out “sea”", "leaves out"),
        (6, "bob covers “sea” with other units", "covers otherwise"),
    ],
)
def test_words_covered_by_another_unit_are_not_left_out(n_long, title, direction):
    (pattern,) = (pattern for pattern in find_patterns(with_long_units(n_long)) if pattern.words == ("sea",))
    assert (pattern.title, pattern.direction, pattern.annotator) == (title, direction, "bob")
    marks, covers = map(
        int, re.search(r"bob marks (\d+)(?: \((\d+) more with other units\))?;", pattern.counts).groups("0")
    )
    assert marks + covers == 5 * n_long


def sought_in(corpus, annotator=None):
    """Return why each rule could not look for patterns, None if it could."""
    alignments = unitary_alignments(corpus, ga.Dissimilarity(), Limits())
    material = Material(corpus, alignments, Words(corpus, alignments), ga.Dissimilarity().categorial)
    return {entry.rule: entry.reason for entry in sought(material, annotator)}


def test_the_rules_that_apply_depend_on_the_data():
    assert sought_in(ga.read(NOVELS)) == dict.fromkeys(("words", "silence", "labels", "bounds"))
    assert sought_in(ga.read(CORPORA / "hearst_kazantseva")) == {
        "words": "no text is known",
        "silence": "no document has 40 units of two annotators, and gaps between them",
        "labels": "there is only one label",
        "bounds": "no text is known",
    }
    assert sought_in(ga.read(NOVELS), "user1")["labels"] == "this is not about one annotator alone"


def test_patterns_of_an_annotator_do_not_depend_on_patterns_of_others():
    corpus = ga.read(NOVELS)
    all_patterns = {
        pattern.title: pattern for pattern in find_patterns(corpus, thresholds=THRESHOLDS._replace(max_patterns=99))
    }
    selected = find_patterns(corpus, thresholds=THRESHOLDS._replace(max_patterns=1), annotator="user1")
    assert [pattern.annotator for pattern in selected] == ["user1"]
    assert selected[0].share == all_patterns[selected[0].title].share == selected[0].counted


def test_silences_before_and_after_a_cut_are_patterns():
    after = find_patterns(corpus_of(lambda name, _, number: name == "ann" and number >= 60))
    assert [(pattern.rule, pattern.annotator, pattern.question) for pattern in after] == [
        ("silence", "ann", "Did ann finish this document?")
    ]
    assert len(after[0].alignments) == 60
    before = find_patterns(corpus_of(lambda name, _, number: name == "bob" and number < 60))
    assert before[0].question == "Did bob begin with this document?"
    assert len(before[0].alignments) == 60


def test_silence_needs_enough_units_and_gaps():
    short = " ".join(TEXT.split(" ")[:50])
    assert find_patterns(corpus_of(lambda name, _, number: name == "ann" and number >= 15, text=short)) == ()
    corpus = corpus_of(lambda name, _, number: name == "ann" and number >= 60)
    long = replace(corpus, extents=np.array([[0.0, 300.0]]), end=corpus.start + 9.0, texts=None)
    assert [pattern.rule for pattern in find_patterns(long)] == []


def test_two_confused_labels_are_a_pattern():
    corpus = corpus_of(
        lambda *_: False,
        label=lambda name, word, number: "y" if word == "sea" and (name == "ann") == (number % 3 > 0) else "x",
    )
    (pattern,) = (pattern for pattern in find_patterns(corpus) if pattern.rule == "labels")
    assert (pattern.categories, pattern.words) == (("x", "y"), ("sea",))
    assert pattern.title == "x and y are confused, on “sea”"
    assert pattern.share == pytest.approx(1.0)


def with_articles(includes, text):
    """Return the corpus of three who all mark the nouns, some with the word before it, by annotator and number."""
    corpus = corpus_of(lambda _, word, __: word not in WORDS, text=text)
    words = text.split(" ")
    units = []
    for name, document in ((name, corpus["d"]) for name in corpus.annotators):
        nouns = [unit for unit in document.units() if unit.annotator == name]
        for number, unit in enumerate(nouns):
            before = len(words[3 * number]) + 1
            units.append(("d", name, unit.start - before * includes(name, number), unit.end, "x"))
    return replace(ga.Corpus.from_records(units, extents={"d": (0, len(text))}), texts=(text,))


ARTICLES = " ".join(f"{('the', 'our')[number % 2]} sun {number:03}." for number in range(30))


@pytest.mark.parametrize(
    ("includes", "title", "annotator"),
    [
        (
            lambda name, number: name == "ann" and number % 3 > 0,
            "Units of ann begin with “our”, “the”; the units aligned with them do not",
            "ann",
        ),
        (
            lambda name, _: name != "bob",
            "Units of bob do not begin with “our”, “the”; the units aligned with them do",
            "bob",
        ),
        (
            lambda name, number: name == ("ann", "bob", "cy")[number // 2 % 3],
            "Some units begin with “the”; the units aligned with them do not",
            None,
        ),
    ],
    ids=["one includes", "one leaves out", "anybody"],
)
def test_words_at_a_boundary_are_a_pattern(includes, title, annotator):
    pattern, *further = find_patterns(with_articles(includes, ARTICLES))
    assert (pattern.rule, pattern.title, pattern.annotator) == ("bounds", title, annotator)
    assert pattern.share + sum(pattern_of_others.share for pattern_of_others in further) == pytest.approx(1.0)
    assert len(further) == (annotator is None)


def test_with_two_annotators_a_silence_names_the_second_one():
    corpus = corpus_of(lambda name, _, number: name == "bob" and number > 50, annotators=("ann", "bob"))
    (pattern,) = (pattern for pattern in find_patterns(corpus) if pattern.rule == "silence")
    assert "others" not in pattern.counts
    assert re.search(r"There bob places 0 units, ann \d+; elsewhere in the document \d+, ann \d+\.", pattern.counts)


def test_thresholds_limit_share_and_number_of_patterns():
    corpus = ga.read(NOVELS)
    assert [pattern.rule for pattern in find_patterns(corpus, thresholds=THRESHOLDS._replace(share=0.2))] == ["words"]
    assert len(find_patterns(corpus, thresholds=THRESHOLDS._replace(share=0.0))) == 5


def test_the_likelihood_ratio_equals_known_values():
    ratio = log_likelihood_ratio(
        np.array([0, 5, 10]), np.array([10, 10, 10]), np.array([10, 5, 10]), np.array([10] * 3)
    )
    assert ratio == pytest.approx([40 * np.log(2), 0.0, 0.0], abs=1e-12)


@pytest.mark.scheduled
@pytest.mark.parametrize("annotators", [2, 3])
@pytest.mark.parametrize("magnitude", [0.1, 0.3, 0.6])
@pytest.mark.parametrize("kinds", [("false-negative",), KINDS], ids=["false-negative", "all"])
def test_random_errors_give_no_pattern(kinds, magnitude, annotators):
    corpus = ga.read(NOVELS)
    options = {"magnitude": magnitude, "kinds": kinds, "annotators": annotators, "annotator": "user3"}
    rules = [
        {pattern.rule for pattern in find_patterns(ga.shuffle(corpus, seed=seed, **options))} & {"words", "silence"}
        for seed in range(20)
    ]
    assert sum(map(bool, rules)) <= 1
