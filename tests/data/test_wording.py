"""Names as they are printed: cut in the middle, and different if the names are."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gamma_align.data.wording import short_labels, short_names

LONG = st.text("ab…", max_size=30)


@given(prefix=LONG, suffix=LONG, middles=st.lists(LONG, unique=True, max_size=8), max_width=st.integers(4, 20))
def test_printed_names_differ_if_the_names_differ(prefix, suffix, middles, max_width):
    names = {f"{prefix}{middle}{suffix}" for middle in middles}
    printed = short_names(sorted(names), max_width)
    assert len({*printed.values()}) == len(names)
    assert all(printed[name] == name for name in names if len(name) <= max_width)


@pytest.mark.parametrize("template", ["crowd_of_the_second_campaign_{}", "{}_crowd_of_the_second_campaign"])
def test_names_that_differ_at_one_end_are_cut_to_the_length(template):
    names = [template.format(f"{number:02}") for number in range(12)]
    printed = [*short_names(names, 14).values()]
    assert len({*printed}) == 12
    assert {len(text) for text in printed} == {14}


def test_names_that_differ_in_the_middle_are_cut_before_the_difference():
    names = [f"https://crowd.example.org/worker/{number:02}/campaign/second/annotations" for number in range(12)]
    printed = [*short_names(names, 14).values()]
    assert len({*printed}) == 12
    assert printed[3] == "htt…03/campai…"


def test_a_short_name_is_printed_whole_even_if_another_is_cut_to_it():
    assert short_names(["ab…gh", "abcdefgh"], 5) == {"ab…gh": "ab…gh", "abcdefgh": "abc…gh"}


def test_labels_that_are_none_or_empty_have_a_text():
    assert short_labels([None, "", "person"], 10) == {None: "no label", "": '""', "person": "person"}
