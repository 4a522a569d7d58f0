"""Events without length: the width that makes them comparable, and the one that is proposed."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gamma_align as ga
from gamma_align.data.points import distances_to_others, proposed_width
from gamma_align.errors import SettingsError

CALLS = [
    ("d", who, 10.0 * at + shift, 10.0 * at + shift, "call") for at in range(4) for who, shift in (("a", 0), ("b", 0.5))
]


def corpus_of(times, length=0.0):
    return ga.Corpus.from_records([(doc, who, time, time + length, "x") for doc, who, time in times])


def test_only_units_without_length_get_the_width():
    corpus = ga.Corpus.from_records([("d", "a", 1, 1, "x"), ("d", "a", 4, 6, "y")]).widen(3)
    assert [unit[1:3] for unit in corpus["d"].units()] == [(-0.5, 2.5), (4, 6)]
    assert corpus["d"].extent == (-0.5, 6)


def test_a_result_of_events_proposes_a_width_with_which_gamma_is_higher():
    corpus = ga.Corpus.from_records(CALLS)
    result = ga.gamma(corpus, samples=4)
    assert any("width=1.0" in note for note in result.notes)
    widened = ga.gamma(corpus.widen(1.0), samples=4)
    assert widened.gamma.value > result.gamma.value
    assert not any("width=" in note for note in widened.notes)


@pytest.mark.parametrize("width", [0, -1, float("nan"), float("inf")])
def test_a_width_that_is_none_is_refused(width):
    with pytest.raises(SettingsError, match="width"):
        corpus_of([("d", "a", 1.0)]).widen(width)


def test_places_in_a_text_have_no_width():
    corpus = ga.Corpus.from_columns(
        {"document": ["d"], "annotator": ["a"], "start": [1], "end": [1]},
        documents={"document": ["d"], "start": [0], "end": [9], "unit": ["char"]},
    )
    with pytest.raises(SettingsError, match="places between chars"):
        corpus.widen(1)


TIMES = st.lists(
    st.tuples(st.sampled_from("de"), st.sampled_from("abc"), st.integers(0, 50).map(float)), min_size=1, max_size=30
)


@given(TIMES)
def test_distances_are_those_of_a_search_through_all_pairs(times):
    found = sorted(distances_to_others(corpus_of(times)).tolist())
    all_pairs = [
        min((abs(time - other) for of, by, other in times if of == doc and by != who), default=None)
        for doc, who, time in times
    ]
    assert found == sorted(distance for distance in all_pairs if distance is not None)


def test_units_with_a_length_have_no_distances_and_no_width_is_proposed():
    assert not len(distances_to_others(corpus_of([("d", "a", 1.0), ("d", "b", 2.0)], length=1)))
    assert proposed_width(np.empty(0)) is None
    assert proposed_width(np.zeros(3)) is None
