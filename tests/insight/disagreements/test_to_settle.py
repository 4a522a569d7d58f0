"""What to settle: patterns that are there are found, and errors without a pattern give none."""

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


def found(corpus, gamma=0.5, thresholds=THRESHOLDS, annotator=None):
    """Return what to settle, without measuring what chance gives."""
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


def test_settled_is_gamma_of_what_is_left():
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


def corpus_of(leave_out, text=TEXT, people=("ann", "bob", "cy"), label=lambda *_: "x"):
    """Return a document in which all mark each of the words, but those they leave out."""
    units, start, number = [], 0, 0
    for token in text.split(" "):
        if token.isalpha():
            end = start + len(token)
            units += [
                ("d", name, start, end, label(name, token, number))
                for name in people
                if not leave_out(name, token, number)
            ]
            number += 1
        start += len(token) + 1
    corpus = ga.Corpus.from_records(units, annotations=[("d", name) for name in people], extents={"d": (0, len(text))})
    return replace(corpus, texts=(text,))


def test_a_word_that_one_leaves_out():
    (pattern,) = found(corpus_of(lambda name, word, _: (name, word) == ("bob", "sea")))
    assert (pattern.rule, pattern.annotator, pattern.words) == ("words", "bob", ("sea",))
    assert pattern.counts == (
        "30 of 30 occurrences that anyone marked are disputed: ann marks 30, cy marks 30, bob marks 0; most are x."
    )
    assert (pattern.share, pattern.settled, pattern.settled_together) == pytest.approx((1.0, 1.0, 1.0))
    assert pattern.settled <= 1.0
    assert pattern.examples[0].text == "sea"
    assert pattern.examples[1].before.endswith(". ")
    assert len(pattern.examples[1].before) <= 36


def test_words_that_one_alone_marks_are_one_pattern():
    (pattern,) = found(corpus_of(lambda name, word, _: word in ("sun", "sea") and name != "cy"))
    assert (pattern.title, len(pattern.alignments)) == ("cy marks “sea”, “sun”", 60)


def test_of_two_annotators_it_is_who_leaves_out():
    (pattern,) = found(corpus_of(lambda name, word, _: (name, word) == ("bob", "sea"), people=("ann", "bob")))
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
def test_words_that_another_unit_covers_are_not_left_out(n_long, title, direction):
    (pattern,) = (pattern for pattern in found(with_long_units(n_long)) if pattern.words == ("sea",))
    assert (pattern.title, pattern.direction, pattern.annotator) == (title, direction, "bob")
    marks, more = map(
        int, re.search(r"bob marks (\d+)(?: \((\d+) more with other units\))?;", pattern.counts).groups("0")
    )
    assert marks + more == 5 * n_long


def sought_in(corpus, annotator=None):
    """Return why each rule could not look for patterns, None if it could."""
    alignments = unitary_alignments(corpus, ga.Dissimilarity(), Limits())
    material = Material(corpus, alignments, Words(corpus, alignments), ga.Dissimilarity().categorial)
    return {entry.rule: entry.reason for entry in sought(material, annotator)}


def test_what_was_looked_for_depends_on_the_data():
    assert sought_in(ga.read(NOVELS)) == dict.fromkeys(("words", "silence", "labels", "bounds"))
    assert sought_in(ga.read(CORPORA / "hearst_kazantseva")) == {
        "words": "no text is known",
        "silence": "no document has 40 units of two annotators, and gaps between them",
        "labels": "there is only one label",
        "bounds": "no text is known",
    }
    assert sought_in(ga.read(NOVELS), "user1")["labels"] == "this is not about one annotator alone"


def test_patterns_of_an_annotator_are_found_whatever_the_others_do():
    corpus = ga.read(NOVELS)
    everything = {pattern.title: pattern for pattern in found(corpus, thresholds=THRESHOLDS._replace(max_patterns=99))}
    own = found(corpus, thresholds=THRESHOLDS._replace(max_patterns=1), annotator="user1")
    assert [pattern.annotator for pattern in own] == ["user1"]
    assert own[0].share == everything[own[0].title].share == own[0].counted


def test_silence_after_a_cut_and_before_one():
    after = found(corpus_of(lambda name, _, number: name == "ann" and number >= 60))
    assert [(pattern.rule, pattern.annotator, pattern.question) for pattern in after] == [
        ("silence", "ann", "Did ann finish this document?")
    ]
    assert len(after[0].alignments) == 60
    before = found(corpus_of(lambda name, _, number: name == "bob" and number < 60))
    assert before[0].question == "Did bob begin with this document?"
    assert len(before[0].alignments) == 60


def test_silence_needs_enough_units_and_gaps():
    short = " ".join(TEXT.split(" ")[:50])
    assert found(corpus_of(lambda name, _, number: name == "ann" and number >= 15, text=short)) == ()
    corpus = corpus_of(lambda name, _, number: name == "ann" and number >= 60)
    long = replace(corpus, extents=np.array([[0.0, 300.0]]), end=corpus.start + 9.0, texts=None)
    assert [pattern.rule for pattern in found(long)] == []


def test_a_pair_of_labels():
    corpus = corpus_of(
        lambda *_: False,
        label=lambda name, word, number: "y" if word == "sea" and (name == "ann") == (number % 3 > 0) else "x",
    )
    (pattern,) = (pattern for pattern in found(corpus) if pattern.rule == "labels")
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
def test_words_at_a_boundary(includes, title, annotator):
    pattern, *others = found(with_articles(includes, ARTICLES))
    assert (pattern.rule, pattern.title, pattern.annotator) == ("bounds", title, annotator)
    assert pattern.share + sum(other.share for other in others) == pytest.approx(1.0)
    assert len(others) == (annotator is None)


def test_of_two_annotators_the_other_is_named_where_one_falls_silent():
    corpus = corpus_of(lambda name, _, number: name == "bob" and number > 50, people=("ann", "bob"))
    (pattern,) = (pattern for pattern in found(corpus) if pattern.rule == "silence")
    assert "others" not in pattern.counts
    assert re.search(r"There bob places 0 units, ann \d+; elsewhere in the document \d+, ann \d+\.", pattern.counts)


def test_nothing_below_one_percent_and_at_most_five():
    corpus = ga.read(NOVELS)
    assert [pattern.rule for pattern in found(corpus, thresholds=THRESHOLDS._replace(share=0.2))] == ["words"]
    assert len(found(corpus, thresholds=THRESHOLDS._replace(share=0.0))) == 5


def test_the_ratio_of_likelihoods():
    ratio = log_likelihood_ratio(
        np.array([0, 5, 10]), np.array([10, 10, 10]), np.array([10, 5, 10]), np.array([10] * 3)
    )
    assert ratio == pytest.approx([40 * np.log(2), 0.0, 0.0], abs=1e-12)


@pytest.mark.scheduled
@pytest.mark.parametrize("annotators", [2, 3])
@pytest.mark.parametrize("magnitude", [0.1, 0.3, 0.6])
@pytest.mark.parametrize("kinds", [("false-negative",), KINDS], ids=["false-negative", "all"])
def test_errors_without_a_pattern_give_no_pattern(kinds, magnitude, annotators):
    corpus = ga.read(NOVELS)
    options = {"magnitude": magnitude, "kinds": kinds, "annotators": annotators, "annotator": "user3"}
    rules = [
        {pattern.rule for pattern in found(ga.shuffle(corpus, seed=seed, **options))} & {"words", "silence"}
        for seed in range(20)
    ]
    assert sum(map(bool, rules)) <= 1
