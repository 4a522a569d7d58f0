"""Causes in few documents, and beside each other: what hid them once is no reason to be silent."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from judging import findings, is_right, sized, view_of
from made_corpora import MAKERS, Noise
from plants import PLANTS, own_in

from gamma_align.insight.causes.evidence import dispersion, dispersions
from gamma_align.insight.causes.registry import CAUSES

BY_NAME = {plant.name: plant for plant in PLANTS}


@cache
def made(kind="text", shape=(2, 40), seed=1):
    return MAKERS[kind](np.random.default_rng([seed, 7]), *shape, Noise())


def planted_at(draft, name, share, who, seed=0):
    return sized(BY_NAME[name], draft, view_of(draft).disorder, who, share, seed).planted


def titles(groups):
    return [step.sentence.title for group in groups for step in group]


def named_first(planted):
    """Return the findings, of which the first has to be what was planted."""
    groups = findings(view_of(planted.draft))
    assert is_right(groups[0], planted), titles(groups)
    return groups


def test_single_places_do_not_vary_more_than_by_chance():
    hits, total = np.array([0, 1, 1, 1, 1, 1, 1, 1, 1, 1]), np.ones(10)
    assert dispersion(hits, total) == pytest.approx(10 / 9)
    assert dispersion(np.array([0, 9]), np.array([9, 9])) > 5


def test_usual_documents_beside_few_lower_their_dispersion():
    hits, total, group = np.array([0, 6, 6, 6]), np.full(4, 6), np.zeros(4, dtype=np.int64)
    alone = dispersions(group, hits, total, 1)[0]
    assert dispersions(group, hits, total, 1, 10.0)[0] == pytest.approx((3 * alone + 10) / 13)


def test_copies_in_one_document_stand_out_beside_a_copy_of_the_other_annotator():
    draft = made()
    document = int(np.bincount(draft.document[draft.of(1)]).argmax())
    copies = own_in(draft, 1, np.array([document]))
    other = np.flatnonzero(draft.of(0))[:2]
    corpus = draft.add(draft.take(copies)).add(draft.take(other))
    first = findings(view_of(corpus))[0][0]
    assert (first.cause.name, first.candidate.annotator, first.candidate.documents.tolist()) == (
        "duplicates",
        1,
        [document],
    )


@pytest.mark.parametrize("shape", [(3, 12), (6, 12)])
def test_a_swap_in_all_documents_is_no_confusion(shape):
    draft = made(shape=shape)
    planted = BY_NAME["PER and LOC swapped"].apply(draft, 1, 1.0, np.random.default_rng(0))
    groups = findings(view_of(planted.draft))
    assert len(groups) == 1, titles(groups)
    assert is_right(groups[0], planted), titles(groups)


def test_a_swap_shows_where_the_other_annotator_has_one_of_the_labels_only():
    draft = made()
    without = draft.take(~(draft.of(0) & (draft.label == "PER")))
    swapped = BY_NAME["PER and LOC swapped"].apply(without, 1, 0.25, np.random.default_rng(3))
    groups = findings(view_of(swapped.draft))
    names = [group[0].cause.name for group in groups]
    assert sorted(names) == ["label-use", "swap"], titles(groups)
    swap = groups[names.index("swap")]
    assert is_right(swap, swapped), titles(groups)
    assert "does not show" in swap[0].sentence.counts


def test_a_label_taken_for_another_everywhere_is_no_swap():
    draft = made(shape=(2, 10))
    planted = BY_NAME["ORG for LOC"].apply(draft, 1, 1.0, np.random.default_rng(0))
    groups = findings(view_of(planted.draft))
    assert groups[0][0].cause.name == "confusion", titles(groups)


def test_three_titles_left_out_are_one_habit():
    draft = made(seed=103)
    planted = planted_at(draft, "titles left out", 0.02, 1)
    groups = named_first(planted)
    assert set(groups[0][0].candidate.words) == {"mr", "mrs", "dr"}


def test_ends_inside_words_are_counted_and_not_read():
    draft = made(shape=(3, 12), seed=109)
    planted = planted_at(draft, "ends 1 short", 0.02, 1, seed=109)
    named_first(planted)


def test_another_label_in_the_last_three_documents_is_found():
    draft = made(seed=100)
    planted = planted_at(draft, "another label from a document on", 0.05, 0, seed=100)
    named_first(planted)


def test_a_document_without_units_has_no_bounds_inside_words():
    draft = made(shape=(2, 10))
    view = view_of(draft.take(draft.document != 3))
    assert not view.bounds_inside_words.any()
    assert len(view.bounds_inside_words) == view.corpus.n_units


def test_the_last_documents_of_few_are_silent():
    draft = made(shape=(2, 10), seed=100)
    planted = planted_at(draft, "silent from a document on", 0.4, 0, seed=100)
    named_first(planted)


def test_a_word_says_more_than_its_length():
    draft = made(shape=(3, 12), seed=101)
    planted = planted_at(draft, "two words left out", 0.4, 101 % 3, seed=101)
    named_first(planted)


def test_a_habit_at_bounds_concerns_units_that_nobody_else_has_too():
    draft = made()
    planted = BY_NAME["trailing blank"].apply(draft, 1, 1.0, np.random.default_rng(0))
    view = view_of(planted.draft)
    bounds = next(cause for cause in CAUSES if cause.name == "bounds")
    (candidate,) = bounds.propose(view)
    repair = candidate.repair(view)
    lone = view.alignments.size[view.alignments.group[repair.drop]] == 1
    assert lone.any()
    moved = {bound - old for old, bound in zip(view.corpus.end[repair.drop][lone], repair.add.end[lone], strict=True)}
    assert moved == {1.0}  # the annotator who leaves out the blank gets it


@pytest.mark.parametrize("shape", [(3, 12), (6, 12)])
def test_tiny_differences_of_bounds_do_not_get_the_share_of_missing_units(shape):
    draft = made(shape=shape)
    own = np.flatnonzero(draft.of(1))
    # Sometimes the start and sometimes the end is early, so that no habit explains it.
    start, end = draft.start.copy(), draft.end.copy()
    start[own[::2]] += 1
    end[own[1::2]] -= 1
    view = view_of(replace(draft, start=start, end=end))
    noise = [step for group in findings(view) for step in group if step.cause.name == "noise"]
    assert all(step.removed < 0.05 * view.disorder for step in noise), titles([noise])
