"""Labels of aligned units against independence, and in both directions."""

from __future__ import annotations

import pytest

import gamma_align as ga


def make_corpus(cells, annotators=("ann", "bob")):
    """Return a document in which the annotators give aligned units the labels of each cell, (labels, number)."""
    units, start = [], 0
    for labels, number in cells:
        for _ in range(number):
            units += [("d", name, start, start + 4, label) for name, label in zip(annotators, labels, strict=True)]
            start += 10
    return ga.Corpus.from_records(units)


@pytest.fixture(scope="module")
def two():
    return ga.disagreements(make_corpus([("AA", 60), ("AB", 20), ("BB", 20)]), samples=3)


def test_pairs_are_compared_with_independence(two):
    rows = {(row.first, row.second): row for row in two.confusion}
    # Of 200 units in 100 pairs, 140 are A: 100 · .7² pairs of A, 2 · 100 · .7 · .3 of both.
    assert rows["A", "A"].expected == pytest.approx(49)
    assert rows["A", "B"].expected == pytest.approx(42)
    assert rows["B", "B"].expected == pytest.approx(9)
    low, high = rows["A", "B"].low, rows["A", "B"].high
    assert low < 20 / 42 < high
    assert low * high == pytest.approx((20 / 42) ** 2)


def test_two_annotators_have_a_table_in_each_direction(two):
    rows = {(row.annotator, row.label_of_others, row.label): (row.pairs, row.total) for row in two.directed}
    assert rows["bob", "A", "B"] == (20, 80)
    assert rows["ann", "B", "A"] == (20, 40)
    assert ("ann", "A", "B") not in rows
    assert {row.others for row in two.directed} == {"ann", "bob"}


def test_the_interval_of_a_share_is_that_of_wilson(two):
    (row,) = (row for row in two.directed if (row.annotator, row.label_of_others, row.label) == ("bob", "A", "B"))
    assert (row.low, row.high) == pytest.approx((0.168, 0.355), abs=0.001)


def test_of_three_annotators_each_is_compared_with_most_of_the_others():
    result = ga.disagreements(make_corpus([("AAB", 30), ("ABB", 10), ("AAA", 5)], ("ann", "bob", "cy")), samples=3)
    rows = {(row.annotator, row.label_of_others, row.label): row.pairs for row in result.directed}
    assert rows["cy", "A", "B"] == 30
    assert rows["ann", "B", "A"] == 10
    assert ("bob", "A", "B") not in rows  # where bob says B, the others differ
    assert all(row.others is None for row in result.directed)


def test_the_command_prints_the_directed_table(two):
    text = two.to_frame(level="directed")
    assert list(text.columns)[:5] == ["annotator", "others", "label_of_others", "label", "pairs"]


def test_of_two_labels_alone_the_rates_are_given_in_both_directions_and_no_cause(two):
    first, second = two.two_labels.rates
    assert (first.label, first.other_label, first.places, first.total) == ("A", "B", 20, 80)
    assert (second.label, second.other_label, second.places, second.total) == ("B", "A", 20, 40)
    assert (first.low, first.high) == pytest.approx((0.168, 0.355), abs=0.001)  # Wilson
    assert "Of 80 places where one says A, another says B in 20, 25.0 % (95 % interval 16.8–35.5 %)" in (
        two.two_labels.sentence
    )
    assert two.two_labels.sentence.endswith("cannot be told apart from chance.")
    assert not any(finding.kind == "confusion" for finding in two.to_settle)


def test_the_interval_of_two_labels_is_wider_if_they_meet_in_few_documents():
    pairs = [("A", "B")] * 5 + [("A", "A")] * 5

    def rate(documents):
        """Return the rate if the ten pairs of labels are in these documents."""
        units = [
            (f"d{document}", name, 10 * k, 10 * k + 4, label)
            for k, (document, labels) in enumerate(zip(documents, pairs, strict=True))
            for name, label in zip(("ann", "bob"), labels, strict=True)
        ]
        return ga.disagreements(ga.Corpus.from_records(units), samples=3).two_labels.rates[0]

    together, mixed = rate([0] * 5 + [1] * 5), rate([0, 1, 2, 3, 4] * 2)
    assert together.share == mixed.share == 0.5
    assert together.low < mixed.low
    assert together.high > mixed.high


@pytest.mark.parametrize(
    "cells",
    [
        pytest.param([("AA", 60), ("AB", 4), ("BB", 60)], id="hardly ever meet"),
        pytest.param([("AA", 60), ("AB", 9), ("BB", 60), ("AC", 1)], id="a third label"),
        pytest.param([("AA", 60)], id="one label"),
    ],
)
def test_nothing_is_said_of_two_labels(cells):
    assert ga.disagreements(make_corpus(cells), samples=3).two_labels is None


def test_nothing_is_said_of_two_spellings_of_a_label():
    result = ga.disagreements(make_corpus([(("per", "PER"), 60), (("PER", "PER"), 3)]), samples=3)
    assert [finding.kind for finding in result.to_settle] == ["spelling"]
    assert result.two_labels is None
