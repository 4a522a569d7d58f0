"""The human ceiling: golden values, the theorem, the votes, models, and what is said."""

from __future__ import annotations

import json
import math
import runpy
from collections import Counter
from dataclasses import replace
from itertools import combinations, pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gamma_align as ga
from gamma_align.insight.ceiling.ceiling import range_by_annotators
from gamma_align.insight.ceiling.mixture import SHARP_GRID, fitted_moments, fitted_weights, sharp_range
from gamma_align.insight.ceiling.same_source import find_same_source, pair_excesses
from gamma_align.measures.reference.votes import Cells, Votes

GOLDEN = json.loads((Path(__file__).parents[2] / "golden" / "ceiling.json").read_text(encoding="utf-8"))
EXACT = GOLDEN["tolerance"]["exact"]
FITTED = GOLDEN["tolerance"]["fitted"]
RANGE = GOLDEN["tolerance"]["low_high"]
INTERVAL = GOLDEN["tolerance"]["interval_of_low_high"]
MODEL = "model"


def corpus_of_case(case, *, with_model):
    units = [tuple(unit) for unit in case["units"]]
    annotations = [tuple(annotation) for annotation in case["annotations"]]
    if with_model and "model" in case:
        units += [(document, MODEL, *rest) for document, *rest in case["model"]]
        annotations += [(document, MODEL) for document in {document for document, _ in annotations}]
    return ga.Corpus.from_records(units, annotations=annotations)


@pytest.mark.parametrize("case", GOLDEN["cases"], ids=[case["name"] for case in GOLDEN["cases"]])
def test_values_of_an_independent_implementation(case):
    expected = case["expected"]
    model = MODEL if "model" in case else None
    result = ga.ceiling(corpus_of_case(case, with_model=True), against=case["gold"], model=model)
    score = result.score
    assert score.annotators == expected["depth"]
    assert score.units == pytest.approx(expected["S"][0], abs=EXACT)
    assert score.another.value == pytest.approx(expected["another"], abs=EXACT)
    assert score.others_together == pytest.approx(expected["others_together"], abs=EXACT)
    assert score.low == pytest.approx(expected["low"], abs=RANGE)
    assert score.high == pytest.approx(expected["high"], abs=RANGE)
    if "point" in expected:
        # the point of three annotators may lie on an end of the range
        assert score.ceiling == pytest.approx(expected["point"], abs=FITTED if score.annotators != 3 else RANGE)
    else:
        assert math.isnan(score.ceiling)
    assert (score.no_interval is None) == ("interval" in expected)
    if "interval" in expected:
        documents = score.documents_low, score.documents_high
        assert documents == pytest.approx(tuple(expected["interval"]), abs=INTERVAL)
        assert (score.another.low, score.another.high) == pytest.approx(tuple(expected["another_interval"]), abs=EXACT)
        assert score.another.rests_on == pytest.approx(expected["rests_on"], abs=EXACT)
    if "interval_others" in expected:
        assert score.covers == "annotators"
        shown = score.interval_low, score.interval_high
        assert shown == pytest.approx(tuple(expected["interval_others"]), abs=INTERVAL)
    if score.annotators >= 4:
        best = score.precision, score.recall
        assert best == pytest.approx((expected["fitted"]["precision"], expected["fitted"]["recall"]), abs=FITTED)
    if model:
        assert result.model.f1 == pytest.approx(expected["model"], abs=EXACT)
        assert result.model.verdict == expected["verdict"]
        to_low = result.model.over_low_from, result.model.over_low_to
        to_high = result.model.over_high_from, result.model.over_high_to
        assert to_low == pytest.approx(tuple(expected["to_low"]), abs=INTERVAL)
        assert to_high == pytest.approx(tuple(expected["to_high"]), abs=INTERVAL)


@pytest.mark.parametrize("case", GOLDEN["cases"], ids=[case["name"] for case in GOLDEN["cases"]])
def test_cells_and_moments_of_an_independent_implementation(case):
    cells = Cells.of(Votes.of(corpus_of_case(case, with_model=False), "strict"))
    total = cells.sizes.sum(axis=0)
    found = [[k, v, size] for k, v, size in zip(cells.annotators, cells.votes, total, strict=True) if size]
    assert found == case["expected"]["cells"]
    if "fitted" in case["expected"] and total.any():
        weights = fitted_weights(cells, total[None])
        moments = fitted_moments(weights[0], case["expected"]["depth"])
        expected = np.array(case["expected"]["fitted"]["moments"])
        assert moments == pytest.approx(expected / expected[0], abs=FITTED)


def test_excess_of_pairs_of_an_independent_implementation():
    golden = GOLDEN["same_source"]
    corpus = ga.Corpus.from_records([tuple(unit) for unit in golden["units"]])
    votes = Votes.of(corpus, "strict")
    seen = np.ones((len(corpus), len(corpus.annotators)), dtype=bool)
    for key, annotators in (("expected", [0, 1, 2, 3, 4]), ("expected_without_e", [0, 1, 2, 3])):
        for pair, expected in zip(pair_excesses(votes, seen, annotators), golden[key], strict=True):
            assert [corpus.annotators[pair.first], corpus.annotators[pair.second]] == expected["pair"]
            assert (pair.ratio, pair.statistic, pair.p) == pytest.approx(
                (expected["ratio"], expected["z"], expected["p"]), abs=1e-9
            )
    (found,) = find_same_source(votes, seen)
    assert (corpus.annotators[found.first], corpus.annotators[found.second]) == ("d", "e")


# the theorem

shares = st.lists(st.floats(0.01, 1.0), min_size=1, max_size=9)


def best_of_all_answers(p):
    """F* by trying every answer."""
    units = sum(p)
    answers = (answer for size in range(1, len(p) + 1) for answer in combinations(p, size))
    return max(2 * sum(answer) / (len(answer) + units) for answer in answers)


@given(shares)
def test_the_ceiling_lies_between_the_agreement_of_two_annotators_and_its_root(p):
    another = sum(share**2 for share in p) / sum(p)
    assert another - 1e-12 <= best_of_all_answers(p) <= math.sqrt(another) + 1e-12


@given(shares, st.integers(2, 6))
def test_the_range_of_exact_moments_contains_the_ceiling(p, depth):
    on_grid = np.round(np.array(p) * 200) / 200  # the programmes know no other shares
    on_grid = on_grid[on_grid > 0]
    moments = np.array([(on_grid**m).sum() for m in range(1, depth + 1)]) / on_grid.sum()
    found = sharp_range(moments, SHARP_GRID)
    assert found.low - 1e-3 <= best_of_all_answers(on_grid.tolist()) <= found.high + 1e-3


def test_more_annotators_never_widen_the_range_of_one_population():
    p = np.array([0.9] * 6 + [0.5] * 5 + [0.1] * 9)
    ranges = [sharp_range(np.array([(p**m).sum() for m in range(1, k + 1)]) / p.sum(), SHARP_GRID) for k in range(2, 7)]
    for wider, narrower in pairwise(ranges):
        assert wider.low - 1e-3 <= narrower.low <= narrower.high <= wider.high + 1e-3


def draw_corpus(seed, *, n_documents=40, n_annotators=5, shares=(0.9, 0.9, 0.8, 0.6, 0.3, 0.1)):
    """Annotators who mark the element number e of each document with probability shares[e]."""
    draw = np.random.default_rng(seed)
    marks = draw.random((n_documents, n_annotators, len(shares))) < np.array(shares)
    names = "abcdefgh"
    annotations = [(f"d{d}", names[a]) for d in range(n_documents) for a in range(n_annotators)]
    units = [(f"d{d}", names[a], 10 * e, 10 * e + 4, "xy"[e % 2]) for d, a, e in np.argwhere(marks).tolist()]
    return ga.Corpus.from_records(units, annotations=annotations)


@pytest.mark.parametrize("seed", range(4))
def test_the_interval_holds_the_ceiling_of_a_known_population(seed):
    truth = best_of_all_answers([0.9, 0.9, 0.8, 0.6, 0.3, 0.1])
    score = ga.ceiling(draw_corpus(seed)).score
    assert score.interval_low <= truth <= score.interval_high
    assert score.low <= score.ceiling <= score.high
    assert score.high - score.low < 0.1


# votes

unit = st.tuples(
    st.sampled_from("de"),
    st.sampled_from("abc"),
    st.integers(0, 8),
    st.integers(0, 4),
    st.sampled_from(["x", "y", None]),
)
units = st.lists(unit, min_size=1, max_size=14)


def votes_by_counting(records, measure):
    """Return (document, label, votes, size) of every element, counted one by one."""
    marks = {}
    for document, annotator, start, length, label in records:
        if measure == "characters":
            elements = [(document, position, label) for position in range(start, start + length)]
        else:
            elements = [(document, start, start + length, label if measure == "strict" else None)]
        for element in elements:
            marks.setdefault(element, set()).add(annotator)
    counts = Counter()
    for element, annotators in marks.items():
        counts[element[0], element[-1], len(annotators)] += 1
    return counts


@settings(deadline=None)
@given(units, st.sampled_from(["strict", "exact", "characters"]))
def test_votes_are_those_counted_one_by_one(records, measure):
    annotations = [(document, annotator) for document in "de" for annotator in "abc"]
    corpus = ga.Corpus.from_records([(d, a, s, s + n, c) for d, a, s, n, c in records], annotations=annotations)
    votes = Votes.of(corpus, measure)
    found = Counter()
    labels = (*corpus.categories, None)
    for document, category, count, size in zip(votes.document, votes.category, votes.votes, votes.size, strict=True):
        label = None if measure == "exact" else labels[category]
        found[corpus.documents[document], label, int(count)] += float(size)
    assert found == votes_by_counting(records, measure)


@settings(deadline=None)
@given(units, st.sampled_from(["strict", "exact"]))
def test_another_annotator_scores_as_pairwise_f1_if_all_saw_all(records, measure):
    annotations = [(document, annotator) for document in "de" for annotator in "abc"]
    distinct = {(d, a, s, s + n, c if measure == "strict" else "x") for d, a, s, n, c in records}
    corpus = ga.Corpus.from_records(sorted(distinct, key=str), annotations=annotations)
    pooled = ga.pairwise_f1(corpus).pooled[measure].value
    assert ga.ceiling(corpus, measure=measure).score.another.value == pytest.approx(pooled, abs=1e-12)


def test_rows_in_another_order_give_the_same_bits():
    corpus = draw_corpus(3)
    rows = [(document, *unit) for document in corpus for unit in corpus[document].units()]
    again = ga.Corpus.from_records(rows[::-1])
    assert ga.ceiling(again).score == ga.ceiling(corpus).score


# labels, models, sources


def test_the_ceiling_of_a_label_is_that_of_its_units_alone():
    corpus = draw_corpus(5)
    result = ga.ceiling(corpus, by_label=True)
    for label in result.labels:
        alone = ga.ceiling(corpus.select(categories=[label.category])).score
        assert (alone.ceiling, alone.low, alone.high) == pytest.approx(
            (label.ceiling, label.low, label.high), abs=1e-12
        )
    assert result.mean_of_labels == pytest.approx(np.mean([label.ceiling for label in result.labels]))


def with_model(corpus, elements):
    """Add a model that marks these elements in every document."""
    answers = [(document, "bert", 10 * e, 10 * e + 4, "xy"[e % 2]) for document in corpus.documents for e in elements]
    return corpus.merge(ga.Corpus.from_records(answers))


def test_the_best_answer_is_at_the_ceiling_and_a_poor_one_below():
    corpus = draw_corpus(7)
    best = ga.ceiling(with_model(corpus, (0, 1, 2, 3)), model="bert").model
    assert best.verdict == "at"
    poor = ga.ceiling(with_model(corpus, (4, 5)), model="bert").model
    assert poor.verdict == "below"
    assert poor.f1 < best.f1


def test_a_model_that_has_seen_the_answers_is_above():
    draw = np.random.default_rng(2)
    everything = {
        (f"d{d}", name, 10 * e, 10 * e + 4, "x")
        for d in range(60)
        for e in range(10)
        for name in "abc"
        if (draw.random() < 0.5)
    }
    majority = Counter(unit[0:1] + unit[2:] for unit in everything)
    copied = [(document, "bert", *rest) for (document, *rest), count in majority.items() if count >= 2]
    corpus = ga.Corpus.from_records([*sorted(everything), *copied])
    result = ga.ceiling(corpus, model="bert")
    model = result.model
    assert model.verdict == "above"
    assert model.f1 > result.score.interval_high
    assert "not superhuman" in model.sentence


def test_a_copy_of_one_of_two_annotators_is_not_above():
    draw = np.random.default_rng(4)
    units = [(f"d{d}", 10 * e, 10 * e + 4, "x") for d in range(60) for e in range(10)]
    good = [(unit[0], "a", *unit[1:]) for unit in units]
    bad = [(unit[0], "b", *unit[1:]) for unit in units if draw.random() < 0.3]
    copy = [(unit[0], "bert", *unit[1:]) for unit in units]
    result = ga.ceiling(ga.Corpus.from_records([*good, *bad, *copy]), model="bert")
    assert result.model.f1 > result.score.high - 0.05
    assert result.model.verdict == "at"


@pytest.mark.release
def test_the_best_answer_is_called_above_in_at_most_one_of_two_hundred_corpora():
    bench = runpy.run_path(str(Path(__file__).parents[3] / "tools" / "bench" / "ceiling.py"))
    for line in bench["table"](populations=20, corpora=20, seed=7):
        cells = line.split("|")
        if cells[2].strip() == "all":
            assert int(cells[9]) <= int(cells[3]) / 200


def test_the_model_does_not_vote():
    corpus = draw_corpus(7)
    assert ga.ceiling(with_model(corpus, (0, 4)), model="bert").score == ga.ceiling(corpus).score


def test_a_model_is_scored_against_each_annotator_in_equal_parts():
    corpus = ga.Corpus.from_records(
        [
            ("d", "a", 0, 4, "x"),
            ("d", "b", 0, 4, "x"),
            ("d", "b", 6, 9, "x"),
            ("d", "bert", 0, 4, "x"),
            ("d", "bert", 20, 24, "x"),
        ]
    )
    # against a 1 of 2 + 1 units, against b 1 of 2 + 2: 2 (1 + 1) / (3 + 4)
    assert ga.ceiling(corpus, model="bert").model.f1 == pytest.approx(4 / 7)
    # the majority of two is what both mark
    assert ga.ceiling(corpus, model="bert", against="majority").model.f1 == pytest.approx(2 / 3)


def test_two_annotators_who_copy_are_named():
    corpus = draw_corpus(11, n_annotators=4)
    copies = [
        (document, "copy", *unit[1:]) for document in corpus for unit in corpus[document].units() if unit[0] == "a"
    ]
    (pair,) = ga.ceiling(corpus.merge(ga.Corpus.from_records(copies))).same_source
    assert {pair.first, pair.second} == {"a", "copy"}


def test_independent_annotators_are_seldom_said_to_have_one_source():
    named = [ga.ceiling(draw_corpus(seed, n_documents=20)).same_source for seed in range(20)]
    assert sum(map(bool, named)) <= 3


# refusals and sentences


def test_who_is_no_annotator_is_refused():
    with pytest.raises(ga.SettingsError, match="bort"):
        ga.ceiling(with_model(draw_corpus(7), (0,)), model="bort")


def test_a_model_beside_one_person_is_refused():
    corpus = ga.Corpus.from_records([("d", "a", 0, 4, "x"), ("d", "bert", 0, 4, "x")])
    with pytest.raises(ga.InputError, match="two other annotators"):
        ga.ceiling(corpus, model="bert")


def test_exact_bounds_have_no_labels():
    with pytest.raises(ga.SettingsError, match="no labels"):
        ga.ceiling(draw_corpus(7), measure="exact", by_label=True)


@pytest.mark.parametrize("annotators", [2, 3, 4, 5])
def test_every_result_says_that_it_is_about_no_truth(annotators):
    notes = ga.ceiling(draw_corpus(1, n_annotators=annotators)).notes
    assert any("knows the truth" in note for note in notes)
    assert any("cannot be checked" in note for note in notes) == (annotators < 4)


def test_two_annotators_have_a_range_and_three_no_majority():
    two = ga.ceiling(draw_corpus(1, n_annotators=2))
    assert two.score.low == pytest.approx(two.score.another.value)
    assert two.score.high == pytest.approx(math.sqrt(two.score.another.value))
    assert math.isnan(ga.ceiling(draw_corpus(1, n_annotators=2), against="majority").score.low)
    three = ga.ceiling(draw_corpus(1, n_annotators=3), against="majority").score
    assert math.isnan(three.ceiling)
    assert three.low < three.high


def test_no_units_give_no_ceiling():
    corpus = ga.Corpus.from_records([], annotations=[("d", "a"), ("d", "b")])
    score = ga.ceiling(corpus).score
    assert math.isnan(score.ceiling)
    assert score.another.reason


# annotators to plan with


@pytest.mark.parametrize("n_annotators", [2, 3, 5])
def test_the_planned_range_is_that_of_the_corpus_at_its_own_number_and_narrows_with_more(n_annotators):
    corpus = draw_corpus(3, n_annotators=n_annotators)
    ranges = range_by_annotators(corpus, [2, 3, 4, 5, 6, 9])
    score = ga.ceiling(corpus).score
    assert ranges[n_annotators] == pytest.approx((score.low, score.high), abs=1e-12)
    assert ranges[6] == ranges[9]  # no more moments are used
    for wider, narrower in pairwise(ranges[n] for n in (2, 3, 4, 5, 6)):
        assert wider.low - 1e-3 <= narrower.low <= narrower.high <= wider.high + 1e-3


def test_without_units_no_range_is_planned():
    corpus = ga.Corpus.from_records([], annotations=[("d", "a"), ("d", "b")])
    assert math.isnan(range_by_annotators(corpus, [3])[3].low)


# measures without a theorem


def shuffled(n_annotators):
    """Return two documents with errors of all kinds."""
    reference = ga.synthetic_reference(units=15, categories=["x", "y"], seed=2)
    documents = [ga.shuffle(reference, magnitude=0.4, annotators=n_annotators, seed=seed) for seed in (1, 2)]
    return ga.Corpus.from_continua([replace(document, document=f"d{n}") for n, document in enumerate(documents)])


def by_consensus(corpus, measure, *, everyone):
    """Return F1 of a consensus against each annotator, who has a part in it or not, one annotator at a time."""
    credit = size = 0.0
    for name in corpus.annotators:
        voters = corpus if everyone else corpus.drop(annotators=name)
        if len(voters.annotators) == 1:
            answer = voters.rename(annotators={voters.annotators[0]: "answer"})
        else:
            answer = ga.consensus(voters, votes=0.5, name="answer").corpus
        both = corpus.select(annotators=name).merge(answer)
        system = ga.evaluate(both, reference=name, measures="spans").systems[0]
        n_units = system.units + system.reference_units
        credit += system.spans[measure].f1.value * n_units
        size += n_units
    return credit / size


@pytest.mark.parametrize("measure", ["relaxed", "partial", "type"])
@pytest.mark.parametrize("n_annotators", [2, 3, 4])
def test_the_approximate_range_is_from_the_others_together_to_the_consensus_of_all(measure, n_annotators):
    corpus = shuffled(n_annotators)
    score = ga.ceiling(corpus, measure=measure).score
    another = ga.pairwise_f1(corpus).pooled[measure].value
    others = by_consensus(corpus, measure, everyone=False)
    assert score.another.value == pytest.approx(another)
    assert score.others_together == pytest.approx(others)
    assert score.low == pytest.approx(max(others, another))
    assert score.high == pytest.approx(by_consensus(corpus, measure, everyone=True))
    assert (math.isnan(score.ceiling), score.no_interval) == (True, "the range is approximate")


def test_gamma_of_the_others_together_and_of_the_consensus_of_all():
    corpus = shuffled(2)
    score = ga.ceiling(corpus, measure="gamma").score
    # of two annotators the other one is the others together
    gamma = ga.gamma(corpus).gamma.value
    assert score.another.value == pytest.approx(gamma, abs=0.02)
    assert score.others_together == pytest.approx(gamma, abs=0.02)
    assert score.low <= score.high <= 1


def test_a_model_beside_an_approximate_range_has_a_score_and_no_verdict():
    corpus = with_model(draw_corpus(7), (0, 1, 2, 3))
    result = ga.ceiling(corpus, measure="type", model="bert")
    assert result.score == ga.ceiling(draw_corpus(7), measure="type").score
    # no two units overlap, so that strict, exact and type are the same
    assert result.model.f1 == pytest.approx(ga.ceiling(corpus, model="bert").model.f1)
    assert (result.model.verdict, "no verdict" in result.model.sentence) == (None, True)


@pytest.mark.parametrize("settings", [{"by_label": True}, {"against": "majority"}])
def test_an_approximate_range_is_of_all_units_against_one_annotator(settings):
    with pytest.raises(ga.SettingsError, match="measure='strict'"):
        ga.ceiling(draw_corpus(7), measure="relaxed", **settings)


def test_no_units_have_no_approximate_range():
    corpus = ga.Corpus.from_records([], annotations=[("d", "a"), ("d", "b")])
    assert ga.ceiling(corpus, measure="relaxed").score.another.reason
