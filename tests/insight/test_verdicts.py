"""The sentences on results: each branch of each rule, and every sentence against the numbers it is made of."""

from __future__ import annotations

import math
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gamma_align.inference.values import Value
from gamma_align.insight import verdicts

PRAISE = re.compile(r"\b(good|poor|bad|excellent|fair|moderate|substantial|strong|weak|perfect|slight)\b")
NUMBER = re.compile(r"−?\d+(?:\.\d+)?")


def numbers(text):
    """Return the numbers in a text."""
    return [float(number.replace("−", "-")) for number in NUMBER.findall(text.replace(",", ""))]


def estimates(lowest=-1.0):
    """Return values between `lowest` and 1 with an interval around them, or without one."""

    def value(parts):
        low, middle, high, has_interval = parts
        low, middle, high = sorted([low, middle, high])
        return Value(middle, low, high) if has_interval else Value(middle, no_interval="computed, no sampling error")

    bounds = st.floats(lowest, 1.0)
    return st.tuples(bounds, bounds, bounds, st.booleans()).map(value)


@given(estimates(), st.integers(2, 40), st.none() | st.floats(0.0, 1.0))
def test_a_verdict_on_a_corpus_says_what_its_numbers_say(value, annotators, share):
    text = verdicts.agreement(annotators, value, "γ", share)
    assert PRAISE.search(text) is None
    shown, *_ = numbers(text.partition("γ ")[2])
    assert shown == pytest.approx(value.value, abs=0.00501)
    has_interval = not math.isnan(value.low)
    assert ("no disorder" in text) == (value.value == 1)
    assert ("the interval includes 0" in text) == (has_interval and value.low <= 0 <= value.high and value.value != 1)
    assert ("less agreement than by chance" in text) == (has_interval and value.high < 0)
    is_part_of_chance = "of the disorder expected by chance" in text
    assert is_part_of_chance <= (0 < value.value < 1 and not (has_interval and value.low <= 0))
    if is_part_of_chance:
        percent = float(re.search(r"([\d.]+) % of the disorder", text)[1])
        assert percent / 100 == pytest.approx(1 - value.value, abs=0.0101)
        assert percent / 100 == pytest.approx(1 - shown, abs=0.0006)
    assert ("one cause" in text) <= (is_part_of_chance and share is not None)


@given(st.floats(0.0, 1.0))
def test_a_fraction_is_near_its_share(share):
    text = verdicts.fraction(share)
    words = {"a quarter": 1 / 4, "a third": 1 / 3, "half": 1 / 2, "two thirds": 2 / 3, "three quarters": 3 / 4}
    value = words[text] if text in words else numbers(text)[0] / 100
    assert value == pytest.approx(share, abs=0.0201)


@given(st.integers(0, 10_000), st.integers(0, 10_000))
def test_labels_are_counted(pairs, different):
    different = min(pairs, different)
    text = verdicts.labels(pairs, different)
    found = numbers(text)
    if "1 label in" in text:
        assert 1 / found[1] == pytest.approx(different / pairs, rel=0.06)
    elif found:
        assert found == [different, pairs]
    else:
        assert different == 0
        assert ("no unit" in text) == (pairs == 0)


@given(st.floats(0, 1), st.lists(st.floats(0, 1), min_size=1, max_size=8))
def test_the_standing_of_a_model_is_a_count_of_people(nearness, others):
    people = [(f"p{chr(97 + index)}", value) for index, value in enumerate(others)]
    below = sum(value < nearness for value in others)
    text = verdicts.standing("gpt", nearness, below, len(others), people)
    assert PRAISE.search(text) is None
    counted = re.search(r"than (\d+) of (\d+)", text)
    if counted:
        assert [*map(int, counted.groups())] == [below, len(others)]
    elif "less near" in text:
        assert all(value > nearness for value in others)
    else:
        assert below == len(others)


@given(st.floats(0, 1), st.floats(0, 1), st.floats(0, 1), st.sampled_from(["below", "at", "above", None]))
def test_the_ceiling_shows_its_range_and_the_score(f1, one, other, verdict):
    low, high = sorted((one, other))
    text = verdicts.at_ceiling("gpt", f1, (low, high), verdict, "why not")
    assert PRAISE.search(text) is None
    shown = numbers(text.removeprefix("Ceiling of strict F1"))
    assert [shown[0], *shown[-2:]] == pytest.approx([low, high, f1] if len(shown) == 3 else [low, low, f1], abs=0.006)
    assert ("within" in text) == (verdict == "at" and low <= f1 <= high)
    assert ("why not" in text) == (verdict is None)


@given(estimates(0.0), st.integers(1, 20))
def test_the_people_that_the_data_allow_contain_the_interval(share, people):
    text = verdicts.allowed_standing(share, people, 30, "document")
    if math.isnan(share.low):
        assert "too few" in text
        return
    _, *count, total = numbers(text)
    assert total == people
    assert count[0] <= share.low * people + 1e-6
    assert count[-1] >= share.high * people - 1e-6
    assert count[-1] <= people


@given(estimates(-2.0), st.floats(0, 1))
def test_a_difference_is_claimed_only_if_it_is_shown(difference, p):
    text = verdicts.compared("v1", "v2", "γ", difference, p)
    assert PRAISE.search(text) is None
    if difference.value == 0:
        assert "equals" in text
        return
    assert ("higher than" in text) == (difference.value > 0)
    is_shown = (difference.low > 0 or difference.high < 0) and p < 0.05
    assert ("leave open" in text) == (not math.isnan(difference.low) and not is_shown)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (Value.unavailable("no units"), "Two annotators, no γ: no units."),
        (Value(1.0), "Two annotators, γ 1.00: no disorder at all."),
        (Value(0.9996), "Two annotators, γ 0.9996: 0.0 % of the disorder expected by chance."),
        (Value(0.88, 0.81, 0.93), "Two annotators, γ 0.88: 12 % of the disorder expected by chance."),
        (
            Value(0.03, -0.06, 0.11),
            "Two annotators, γ 0.03: the interval includes 0, so more agreement than by chance is not shown.",
        ),
        (
            Value(-0.3, -0.5, -0.1),
            "Two annotators, γ −0.30: less agreement than by chance; look at offsets, folders and documents first.",
        ),
        (Value(-0.1), "Two annotators, γ −0.10: no more agreement than by chance."),
    ],
)
def test_each_kind_of_agreement_has_its_words(value, words):
    assert verdicts.agreement(2, value) == words


def test_the_largest_cause_is_named_with_its_share():
    text = verdicts.agreement(12, Value(0.88, 0.81, 0.93), "soft-γ", 1 / 3)
    assert (
        text == "12 annotators, soft-γ 0.88: 12 % of the disorder expected by chance, and one cause is a third of it."
    )


@pytest.mark.parametrize(
    ("value", "documents", "words"),
    [
        (Value.unavailable("no units"), 3, "no units"),
        (Value(0.5, no_interval="computed"), 1, "computed; one document, so no interval"),
        (Value(0.5, no_interval="computed"), 3, "computed"),
        (Value(0.5), 3, ""),
        (Value(0.5, 0.4, 0.6), 1, "one document: the interval is of the sampling alone"),
        (Value(0.5, 0.4, 0.6, interval_note="rests on few documents"), 3, "rests on few documents"),
        (Value(0.5, 0.4, 0.6), 3, ""),
    ],
)
def test_an_interval_that_is_missing_or_narrow_has_its_reason(value, documents, words):
    assert verdicts.interval_remark(value, documents) == words


def test_sizes_name_few_labels():
    assert verdicts.sizes(1, 2, 8123, ["x", None]) == "1 document, 2 annotators, 8,123 units, 1 label (x)"
    assert verdicts.sizes(2, 1, 1, list("abcd")).endswith("1 unit, 4 labels")
    assert verdicts.sizes(2, 2, 1, [None]) == "2 documents, 2 annotators, 1 unit"


def test_pairs_of_annotators_have_a_middle_and_a_range():
    assert verdicts.pairs_of_annotators([]) == "Pairs of annotators: no γ"
    assert verdicts.pairs_of_annotators([0.2, math.nan]) == "Pairs of annotators: γ 0.20 (1 pair)"
    shown = verdicts.pairs_of_annotators([0.4, 0.1, 0.3, 0.2])
    assert shown == "Pairs of annotators: γ 0.25 in the middle, 0.10 to 0.40 (4 pairs)"


def test_a_model_has_a_place_at_the_ceiling():
    place = "Ceiling of strict F1 against one of the people: 0.87 to 0.92; gpt 0.79: below"
    assert verdicts.at_ceiling("gpt", 0.79, (0.87, 0.92), "below") == place
    assert verdicts.at_ceiling("gpt", 0.878, (0.882, 0.92), "below").endswith("0.882 to 0.920; gpt 0.878: below")
    assert "people: 0.69; gpt 0.69: within it" in verdicts.at_ceiling("gpt", 0.69, (0.69, 0.69), "at")
    assert "not clearly below it" in verdicts.at_ceiling("gpt", 0.68, (0.69, 0.71), "at")
    assert "not clearly above it" in verdicts.at_ceiling("gpt", 0.72, (0.69, 0.71), "at")
    assert "no verdict (few)" in verdicts.at_ceiling("gpt", 0.68, (0.69, 0.71), None, "few")
    assert verdicts.no_ceiling("why") == "Ceiling of strict F1: none, why"


def test_a_model_has_its_place():
    people = [("ann", 0.831), ("bob", 0.824), ("cy", 0.801)]
    place = "gpt is nearer to the people than all three are to each other (0.84; ann 0.83, bob 0.82, cy 0.80)"
    assert verdicts.standing("gpt", 0.836, 3, 3, people) == place
    assert "than 1 of 3 are" in verdicts.standing("gpt", 0.81, 1, 3, people)
    assert "less near to the people than all three" in verdicts.standing("gpt", 0.5, 0, 3, people)
    assert verdicts.standing("gpt", 0.9, 2, 2).endswith("than both are to each other (0.90)")
    assert "than that person is to the others" in verdicts.standing("gpt", 0.9, 1, 1, people[:1])
    assert "cannot be placed" in verdicts.standing("gpt", math.nan, 0, 3, people)
    assert "and 1 more" in verdicts.standing("gpt", 0.9, 4, 4, [*people, ("di", 0.7)])
    allowed = "30 documents allow it to be nearer than 0 to 3 of 3"
    assert verdicts.allowed_standing(Value(1.0, 0.2, 1.0), 3, 30, "document") == allowed
    assert verdicts.allowed_standing(Value(1.0, 1.0, 1.0), 3, 1, "item") == "1 item allows it to be nearer than 3 of 3"


def test_a_difference_is_that_of_the_second_to_the_first():
    text = verdicts.compared("v1", "v2", "γ", Value(0.056, 0.019, 0.104), 0.006)
    assert text == "γ of v2 is higher than that of v1 by 0.056 (v2 − v1: [0.019, 0.104], p 0.006)."
    assert verdicts.compared("a", "b", "γ", Value.unavailable("no units"), math.nan).endswith("compared: no units.")
    assert verdicts.compared("a", "b", "γ", Value(0.0, -1.0, 1.0), 1.0) == "γ of b equals that of a."
    assert verdicts.compared("a", "b", "γ", Value(-0.1, no_interval="one item"), math.nan).endswith(
        "by 0.100; one item."
    )


def test_items_have_their_words():
    assert verdicts.item_sizes(1, 2, 3, 0) == "1 item, 2 coders, 3 labels"
    assert verdicts.item_sizes(240, 4, 5, 12) == "240 items, 4 coders, 5 labels; 12 judgments missing"
    assert verdicts.item_agreement(2, Value(1.0), 1.0, 1.0, "α") == "Two coders, α 1.00: no disagreement at all."
    assert verdicts.item_agreement(2, Value.unavailable("one label"), 0, 0, "α") == "Two coders, no α: one label."
    shown = verdicts.item_agreement(4, Value(0.6), 0.5, 0.7, "α")
    assert shown == "Four coders, α 0.60: 40 % of the disagreement expected by chance."
    pairs = [("r1", "r2", 0.71), ("r1", "r4", 0.58), ("r2", "r4", math.nan)]
    spread = "mean 0.65, standard deviation 0.09"
    assert verdicts.pairs_of_coders("κ", pairs) == f"κ of pairs of coders: 0.58 (r1 and r4) to 0.71; {spread}"
    assert verdicts.pairs_of_coders("κ", pairs[:1]) == "κ of r1 and r2: 0.71"
    assert verdicts.pairs_of_coders("κ", pairs[2:]) == ""
    assert "numbers: with the distance ordinal it is 0.74" in verdicts.other_distance(False, "ordinal", 0.74)
    assert "words of a scale" in verdicts.other_distance(True, "ordinal", 0.74)
    assert verdicts.most_exchanged("a", "b", 31, 1088) == "Most often exchanged: a and b (31 of 1,088 differences)."
    assert verdicts.clustered(6, "night1") == "interval over 6 groups of items, such as night1"


def test_no_cause_is_said_with_the_kinds_looked_for():
    assert verdicts.no_cause(14) == "none of the 14 kinds of cause looked for explains more than it would by chance"
    assert "explains more of bob than" in verdicts.no_cause(14, "bob")


def test_cases_are_counted():
    counts = {"correct": 120, "boundary": 12, "label": 0, "both": 3, "missed": 15, "spurious": 8}
    text = verdicts.found("ann", "gold", counts)
    assert text.startswith(
        "Of 150 units of gold, ann has 120 as they are, 12 with other bounds, 3 with other bounds and"
    )
    assert text.endswith("it leaves out 15 and adds 8.")


def test_errors_that_lower_a_value_have_their_magnitude():
    placements = [("miss units", 0.26), ("add units", 0.87), ("move bounds", math.nan)]
    text = verdicts.errors_as_large("γ", 0.53, placements)
    lowered = "Annotators who only miss units at m = 0.26 or only add units at m = 0.87 have γ 0.53, too"
    assert text == f"{lowered}; those who only move bounds have a higher one."
    assert verdicts.errors_as_large("γ", 0.53, placements[:2]) == f"{lowered}."
    never = verdicts.errors_as_large("γ", 0.53, placements[2:])
    assert never == "No annotators who only move bounds have γ as low as 0.53."


def test_documents_needed_are_by_annotators():
    text = verdicts.documents_needed("γ", 0.1, [(2, 1040), (3, 31)])
    assert text == "Documents for an interval of γ no wider than 0.1, by annotators of each: 1,040 with 2, 31 with 3."


def test_similar_tasks_have_their_values():
    tasks = [("entities in tweets", 0.29, False), ("errors in texts", 0.283, True)]
    assert verdicts.similar(tasks) == "γ in similar tasks: entities in tweets 0.29; errors in texts 0.28 (pairs)"


def test_a_value_without_annotators_has_its_words():
    assert verdicts.measured(Value(0.9, 0.8, 0.95)) == "γ 0.90: 10 % of the disorder expected by chance."
    assert verdicts.measured(Value.unavailable("no units")) == "no γ: no units."
