"""Precision, recall and F1 of units: published examples, values of other tools, exhaustive search, laws."""

from __future__ import annotations

import itertools
import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gamma_align as ga
from gamma_align.measures.reference.reference_options import KINDS, MATCHES

COUNTS = ("correct", "incorrect", "partial", "missed", "spurious")


def units(spans, annotator, document="d"):
    return [(document, annotator, start, end, label) for label, start, end in spans]


def scored(gold, system, **options):
    """Return the score of one document's units, (label, start, end) each."""
    records = units(gold, "gold") + units(system, "sys")
    seen = [("d", "gold"), ("d", "sys")]
    corpus = ga.Corpus.from_records(records, annotations=seen, extents={"d": (0, 100)})
    return ga.evaluate(corpus, reference="gold", measures="spans", **options).systems[0]


def inclusive(text):
    """Return half-open spans of "PER 0-4, LOC 10-14", whose ends are the last characters."""
    spans = []
    for part in text.split(", "):
        label, bounds = part.split()
        start, end = map(int, bounds.split("-"))
        spans.append((label, start, end + 1))
    return spans


# nervaluate 1.2.1, its COR INC PAR MIS SPU and F1 of strict, exact, partial, type (its spans end with their last
# character). For LOST_BY_NERVALUATE it has strict 0 1 0 0 1, F1 0, and exact 0: the overlap before the exact match is
# preferred.
ALIKE = [(1, 0, 0, 1, 0, 0.6667)] * 4
NERVALUATE = {
    (
        "PER 0-4, LOC 10-14, ORG 20-25, PER 30-34",
        "PER 0-4, ORG 10-14, ORG 21-25, LOC 40-44",
    ): [(1, 2, 0, 1, 1, 0.25), (2, 1, 0, 1, 1, 0.5), (2, 0, 1, 1, 1, 0.625), (2, 1, 0, 1, 1, 0.5)],
    ("PER 0-4, PER 6-9", "PER 0-9"): [
        *[(0, 1, 0, 1, 0, 0.0)] * 2,
        (0, 0, 1, 1, 0, 0.3333),
        (1, 0, 0, 1, 0, 0.6667),
    ],
    ("PER 0-9", "PER 0-4, PER 6-9"): [
        *[(0, 1, 0, 0, 1, 0.0)] * 2,
        (0, 0, 1, 0, 1, 0.3333),
        (1, 0, 0, 0, 1, 0.6667),
    ],
    ("PER 0-9, LOC 3-6", "LOC 3-6"): ALIKE,
    ("PER 0-4", "PER 4-8"): [*[(0, 1, 0, 0, 0, 0.0)] * 2, (0, 0, 1, 0, 0, 0.5), (1, 0, 0, 0, 0, 1.0)],
}
LOST_BY_NERVALUATE = ("A 0-9", "A 0-4, A 0-9")


@pytest.mark.parametrize(("pair", "expected"), NERVALUATE.items())
def test_counts_equal_those_of_nervaluate(pair, expected):
    spans = scored(*map(inclusive, pair)).spans
    for name, (*counts, f1) in zip(("strict", "exact", "partial", "type"), expected, strict=True):
        assert [spans[name].counts[count] for count in COUNTS] == counts
        assert spans[name].f1.value == pytest.approx(f1, abs=5e-5)


@pytest.mark.parametrize("name", ["strict", "exact", "partial", "type"])
def test_exact_match_is_preferred_to_an_overlap_before_it(name):
    # nervaluate 1.2.1: strict 0, exact 0, partial .3333, type .6667
    score = scored(*map(inclusive, LOST_BY_NERVALUATE)).spans[name]
    assert [score.counts[count] for count in COUNTS] == [1, 0, 0, 0, 1]
    assert score.f1.value == pytest.approx(2 / 3)


def test_same_label_is_preferred_to_an_overlap_before_it():
    # nervaluate 1.2.1: ent_type 0 1 0 0 1
    score = scored(*map(inclusive, ("B 3-6", "A 0-3, B 4-6"))).spans["type"]
    assert [score.counts[count] for count in COUNTS] == [1, 0, 0, 0, 1]


def test_same_bounds_are_preferred_to_the_same_label():
    # nervaluate 1.2.1: ent_type 1 0 0 1 0
    score = scored(*map(inclusive, ("B 4-5, A 5-5", "B 5-5"))).spans["type"]
    assert [score.counts[count] for count in COUNTS] == [0, 1, 0, 1, 0]


def test_half_open_spans_that_touch_do_not_overlap():
    assert scored([("A", 0, 4)], [("A", 4, 8)]).counts == dict(zip(KINDS, (0, 0, 0, 0, 1, 1), strict=True))


# seqeval 1.2.2: precision, recall, F1. The spans are as each tagging scheme reads them; reading is tested elsewhere.
SEQEVAL = {
    "README": ([("MISC", 3, 6), ("PER", 10, 12)], [("MISC", 2, 6), ("PER", 10, 12)], (0.5, 0.5, 0.5)),
    "I-LOC begins, default": ([("PER", 0, 2), ("LOC", 3, 5)], [("PER", 0, 2), ("LOC", 3, 5)], (1, 1, 1)),
    "I-LOC begins, IOB2": ([("PER", 0, 2)], [("PER", 0, 2), ("LOC", 3, 5)], (0.5, 1, 2 / 3)),
    "labels change, default": ([("PER", 0, 1), ("LOC", 1, 2)], [("PER", 0, 1), ("LOC", 1, 2)], (1, 1, 1)),
    "labels change, IOB2": ([("PER", 0, 1)], [("PER", 0, 1), ("LOC", 1, 2)], (0.5, 1, 2 / 3)),
    "micro": ([("A", 0, 1), ("B", 1, 2), ("B", 2, 3)], [("A", 0, 1), ("A", 1, 2), ("B", 2, 3)], (2 / 3,) * 3),
    "a spurious label": ([("A", 0, 1)], [("A", 0, 1), ("C", 1, 2)], (0.5, 1, 2 / 3)),
}
MACRO = {"micro": (0.75, 0.75, 2 / 3), "a spurious label": (0.5, 0.5, 0.5)}


def three(score):
    return [score.precision.value, score.recall.value, score.f1.value]


@pytest.mark.parametrize("name", SEQEVAL)
def test_strict_equals_seqeval(name):
    gold, system, expected = SEQEVAL[name]
    assert three(scored(gold, system).spans["strict"]) == pytest.approx(expected)


@pytest.mark.parametrize("name", MACRO)
def test_macro_averages_equal_seqeval(name):
    # seqeval's "weighted" is 1.0 of the spurious label, which weighs nothing there: there is no such mean here
    gold, system, _ = SEQEVAL[name]
    macro = scored(gold, system).macro["strict"]
    assert [macro[key].value for key in ("precision", "recall", "f1")] == pytest.approx(MACRO[name])


def test_values_are_not_available_if_neither_side_has_a_unit():
    # seqeval: 0, or its zero_division
    for score in scored([], []).spans.values():
        assert score.f1.reason == "neither side has a unit"
        assert (score.precision.reason, score.recall.reason) == (
            "the system has no unit",
            "the reference has no unit",
        )
    assert {value for score in scored([], [], zero_division=1).spans.values() for value in three(score)} == {1.0}
    assert {value for score in scored([], [], zero_division=0).spans.values() for value in three(score)} == {0.0}


@pytest.mark.parametrize(
    ("gold", "system", "missing"), [([("A", 0, 3)], [], "precision"), ([], [("A", 0, 3)], "recall")]
)
def test_f1_is_0_if_one_side_is_empty(gold, system, missing):
    for name, score in scored(gold, system).spans.items():
        assert score.f1.value == 0.0, name
        assert not getattr(score, missing).is_available
        assert getattr(score, "recall" if missing == "precision" else "precision").value == 0.0


def test_credit_and_characters_equal_values_computed_by_hand():
    gold = [("A", 0, 10), ("B", 20, 30), ("A", 40, 44)]
    system = [("A", 0, 5), ("A", 5, 10), ("B", 22, 32), ("B", 40, 44)]
    spans = scored(gold, system).spans
    # precision is the mean of 1, 1, .8 and 0, recall the mean of 1, .8 and 0
    assert three(spans["credit"]) == pytest.approx((0.7, 0.6, 0.646154), abs=1e-6)
    assert three(spans["characters"]) == pytest.approx((0.75, 0.75, 0.75))
    assert spans["characters"].counts == {"correct": 18, "missed": 6, "spurious": 6}


def test_credit_of_a_position_that_several_units_cover_counts_once():
    gold = [("A", 0, 10), ("B", 20, 24)]
    system = [("A", 0, 6), ("A", 0, 6), ("A", 4, 8), ("B", 20, 24), ("B", 20, 24)]
    # recall is the mean of .8 and 1; every unit of the system is covered
    assert three(scored(gold, system).spans["credit"]) == pytest.approx((1.0, 0.9, 1.8 / 1.9))
    points = [("A", 3, 3), ("A", 3, 3)]
    assert three(scored(points, points).spans["credit"]) == [1.0, 1.0, 1.0]


@pytest.mark.parametrize(("iou", "expected"), [(0.5, 1), (0.51, 0)])
def test_relaxed_counts_overlaps_of_at_least_the_threshold(iou, expected):
    assert scored([("A", 0, 10)], [("A", 0, 5)], iou=iou).spans["relaxed"].f1.value == expected
    assert scored([("A", 0, 10)], [("B", 0, 5)], iou=iou).spans["relaxed"].f1.value == 0


def test_relaxed_uses_another_matching():
    # the other measures match [0, 10) with itself; the remaining units share .7
    gold, system = [("A", 0, 10), ("A", 0, 9)], [("A", 0, 10), ("A", 2, 10)]
    assert scored(gold, system).counts["correct"] == 1
    assert scored(gold, system, iou=0.75).spans["relaxed"].counts["correct"] == 2
    assert scored(gold, system, iou=0.85).spans["relaxed"].counts["correct"] == 1


def test_units_without_length_or_label_are_matched():
    score = scored([(None, 3, 3), (None, 5, 9)], [(None, 3, 3), (None, 5, 8)])
    assert score.counts["correct"] == score.counts["boundary"] == 1
    assert [label.category for label in score.labels] == [None]


def test_labels_count_the_units_of_either_side():
    labels = scored([("A", 0, 4), ("B", 5, 9)], [("A", 0, 4), ("C", 5, 9)]).labels
    assert [(label.category, label.reference_units, label.units) for label in labels] == [
        ("A", 1, 1),
        ("B", 1, 0),
        ("C", 0, 1),
    ]
    counts = [label.spans["strict"].counts for label in labels]
    assert [tuple(count[kind] for kind in ("correct", "incorrect", "missed", "spurious")) for count in counts] == [
        (1, 0, 0, 0),
        (0, 1, 0, 0),
        (0, 0, 0, 0),
    ]


def test_intervals_are_a_jackknife_over_documents():
    records = []
    for number in range(6):
        document = f"d{number}"
        records += units([("A", 0, 4), ("A", 6, 9)], "gold", document)
        records += units([("A", 0, 4), ("A", 6, 9 + number % 3)], "sys", document)
    score = ga.evaluate(records, reference="gold", measures="spans").systems[0].spans["strict"]
    assert score.f1.value == pytest.approx(8 / 12)
    assert score.f1.low < 8 / 12 < score.f1.high <= 1


SMALL = st.lists(
    st.tuples(st.sampled_from("AB"), st.integers(0, 7), st.integers(0, 4)).map(lambda s: (s[0], s[1], s[1] + s[2])),
    max_size=5,
)


def share(gold, system):
    (_, start, end), (_, other_start, other_end) = gold, system
    if (start, end) == (other_start, other_end):
        return 1.0
    common = min(end, other_end) - max(start, other_start)
    return common / (max(end, other_end) - min(start, other_start)) if common > 0 else 0.0


def criteria(pairs):
    """Return the quality of a matching: numbers that are compared in this order."""
    same_bounds = [gold[1:] == system[1:] for gold, system in pairs]
    same_label = [gold[0] == system[0] for gold, system in pairs]
    strict = sum(map(min, same_bounds, same_label))
    return strict, sum(same_bounds), sum(same_label), round(sum(itertools.starmap(share, pairs)), 9), len(pairs)


def all_matchings(gold, system):
    """Yield every one-to-one matching of units that overlap or have the same bounds."""
    if not gold:
        yield []
        return
    first, *remaining = gold
    yield from all_matchings(remaining, system)
    for index, unit in enumerate(system):
        if share(first, unit) > 0:
            for pairs in all_matchings(remaining, system[:index] + system[index + 1 :]):
                yield [(first, unit), *pairs]


@given(SMALL, SMALL)
def test_no_other_matching_is_better(gold, system):
    cases = [case for case in scored(gold, system, cases=True).cases if case.reference and case.system]
    pairs = [((case.reference[2], *case.reference[:2]), (case.system[2], *case.system[:2])) for case in cases]
    assert criteria(pairs) == max(map(criteria, all_matchings(gold, system)))


@given(SMALL, SMALL)
def test_characters_are_sets_of_positions_with_labels(gold, system):
    reference, marked = (
        {(position, label) for label, start, end in side for position in range(start, end)} for side in (gold, system)
    )
    score = scored(gold, system).spans["characters"]
    assert score.counts == {
        "correct": len(reference & marked),
        "missed": len(reference - marked),
        "spurious": len(marked - reference),
    }


@given(SMALL, SMALL)
def test_precision_of_one_side_is_recall_of_the_other(gold, system):
    spans, swapped = scored(gold, system).spans, scored(system, gold).spans
    for name in MATCHES:
        assert spans[name].precision.value == pytest.approx(swapped[name].recall.value, nan_ok=True)
        assert spans[name].f1.value == pytest.approx(swapped[name].f1.value, nan_ok=True)


def random_corpus(seed, annotators=("ann", "bob", "cy", "gold"), n_documents=7):
    draw = random.Random(seed)  # noqa: S311
    records = []
    for document, annotator in itertools.product(range(n_documents), annotators):
        starts = [draw.randint(0, 60) for _ in range(draw.randint(1, 12))]
        units = [(start, start + draw.randint(1, 9), draw.choice("ABC")) for start in starts]
        records += [(f"d{document}", annotator, *unit) for unit in units]
    return records


@pytest.mark.parametrize("seed", range(3))
def test_the_order_of_rows_does_not_matter(seed):
    records = random_corpus(seed)
    shuffled = random.Random(seed).sample(records, len(records))  # noqa: S311
    assert ga.evaluate(records, reference="gold", measures="spans") == ga.evaluate(
        shuffled, reference="gold", measures="spans"
    )
    assert ga.pairwise_f1(records) == ga.pairwise_f1(shuffled)


def test_counts_of_a_corpus_are_sums_over_its_documents():
    records = random_corpus(4)
    documents = {record[0] for record in records}
    parts = [[record for record in records if record[0] == document] for document in documents]
    scores = [ga.evaluate(part, reference="gold", measures="spans").systems for part in parts]
    for system in ga.evaluate(records, reference="gold", measures="spans").systems:
        counts = [score.counts for score in itertools.chain(*scores) if score.system == system.system]
        assert system.counts == {kind: sum(count[kind] for count in counts) for kind in KINDS}


def test_pairwise_f1_is_averaged_and_pooled_over_pairs():
    records = random_corpus(5)
    result = ga.pairwise_f1(records)
    assert len(result.pairs) == 6
    for pair in result.pairs:
        records_of_pair = [record for record in records if record[1] in (pair.first, pair.second)]
        system = ga.evaluate(records_of_pair, reference=pair.first, measures="spans").systems[0]
        assert {name: value.value for name, value in pair.f1.items()} == {
            name: system.spans[name].f1.value for name in pair.f1
        }
    matched = sum(pair.f1["strict"].value * (pair.first_units + pair.second_units) / 2 for pair in result.pairs)
    total = sum(pair.first_units + pair.second_units for pair in result.pairs)
    assert result.pooled["strict"].value == pytest.approx(2 * matched / total)
    assert result.mean["strict"].value == pytest.approx(math.fsum(pair.f1["strict"].value for pair in result.pairs) / 6)


def test_pairwise_f1_does_not_depend_on_names():
    records = random_corpus(6)
    names = {"ann": "z", "bob": "y", "cy": "x", "gold": "w"}
    renamed = ga.pairwise_f1([(document, names[name], *unit) for document, name, *unit in records])
    result = ga.pairwise_f1(records)
    for measure in result.mean:
        assert result.mean[measure].value == pytest.approx(renamed.mean[measure].value)
        assert result.pooled[measure].value == pytest.approx(renamed.pooled[measure].value)


def test_mean_ignores_pairs_without_units():
    seen = [("d", name) for name in ("ann", "bob", "cy")]
    corpus = ga.Corpus.from_records([("d", "ann", 0, 4, "x")], annotations=seen)
    result = ga.pairwise_f1(corpus)
    assert [pair.f1["strict"].is_available for pair in result.pairs] == [True, True, False]
    assert result.mean["strict"].value == 0.0
    assert any("1 of 3 pairs" in note for note in result.notes)
