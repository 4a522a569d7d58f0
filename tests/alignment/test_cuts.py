"""Subset-row cuts: the triples of units that a fractional relaxation violates, by their definition."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from solver_cases import batch_of, corpus_of

from gamma_align.alignment import cuts
from gamma_align.alignment.candidates import Columns, candidate_pairs, useful_columns
from gamma_align.alignment.cuts import _Cutting, contenders
from gamma_align.alignment.limits import Deadline
from gamma_align.alignment.lp import Master, relax
from gamma_align.alignment.partition import partition

FRACTIONAL_SEEDS = [1005, 1007, 1012, 1043]


def case(seed):
    """Return the columns of an instance with a fractional relaxation, its prices, and the best saving."""
    batch, bound_to = batch_of(corpus_of(np.random.default_rng(seed), 1, 6, 4, span=8))
    columns, _ = useful_columns(batch, candidate_pairs(batch, bound_to), np.full(1, 10**9))
    best = partition(columns, np.arange(batch.n_units), Deadline())
    return columns, relax(columns, batch.n_units).price, float(columns.saving[best.selected].sum())


def sets_of(columns):
    return [set(columns.units[a:b].tolist()) for a, b in itertools.pairwise(columns.offsets.tolist())]


def violated_by_definition(members, x, n_units, threshold):
    """Return the triples whose columns with two or three of the units have a sum of x above 1."""
    result = {}
    for triple in itertools.combinations(range(n_units), 3):
        total = sum(value for units, value in zip(members, x.tolist(), strict=True) if len(units & set(triple)) > 1)
        if total > 1 + threshold:
            result[triple] = total - 1
    return result


@pytest.mark.parametrize("seed", FRACTIONAL_SEEDS)
def test_cuts_are_the_most_violated_triples(seed, monkeypatch):
    columns, price, known_saving = case(seed)
    members = sets_of(columns)
    work = _Cutting(columns, price, known_saving)
    work.solve()
    expected = violated_by_definition(
        [members[column] for column in work.inside], work.master.values(), len(price), cuts._MIN_VIOLATION
    )
    assert expected
    assert work.add_cuts()
    assert work.triples == expected.keys()
    assert len(work.cut_columns) == len(expected)
    contents = {frozenset(cut.tolist()) for cut in work.cut_columns}
    assert contents == {
        frozenset(column for column, units in enumerate(members) if len(units & set(triple)) > 1) for triple in expected
    }
    monkeypatch.setattr(cuts, "_MAX_CUTS_PER_ROUND", 1)
    most = _Cutting(columns, price, known_saving)
    most.solve()
    most.add_cuts()
    (triple,) = most.triples
    assert expected[triple] == pytest.approx(max(expected.values()))


@pytest.mark.parametrize("seed", FRACTIONAL_SEEDS)
def test_cuts_lower_the_bound_and_are_not_added_twice(seed):
    columns, price, known_saving = case(seed)
    work = _Cutting(columns, price, known_saving)
    totals = []
    for _ in range(5):
        work.solve()
        x = np.zeros(len(columns))
        x[work.inside] = work.master.values()
        assert all(x[cut].sum() < 1 + 1e-6 for cut in work.cut_columns)  # of columns that were added later, too
        totals.append(float(work.saving @ x))
        before = len(work.triples)
        is_added = work.add_cuts()
        assert is_added == (len(work.triples) > before)
        assert len(work.cut_columns) == len(work.triples)
        if not is_added:
            break
    assert totals[-1] < totals[0] - 1e-6
    assert totals == sorted(totals, reverse=True)
    assert totals[-1] >= known_saving - 1e-6
    n_open = [int(contenders(columns, price, known_saving, deadline).sum()) for deadline in (Deadline(), Deadline(0.0))]
    assert n_open[0] < n_open[1]  # after the deadline there are no cuts


def test_relaxation_without_fractions_has_no_cuts():
    batch, bound_to = batch_of(corpus_of(np.random.default_rng(3), 1, 3, 2, span=40))
    columns, _ = useful_columns(batch, candidate_pairs(batch, bound_to), np.full(1, 10**9))
    work = _Cutting(columns, relax(columns, batch.n_units).price, 0.0)
    work.solve()
    assert np.isin(np.round(work.master.values(), 6), (0.0, 1.0)).all()
    assert not work.add_cuts()


def test_columns_that_are_added_later_are_in_the_cuts_that_contain_them():
    for cuts_of_column, total in (([(0, np.array([0]))], 1.0), ([], 2.0)):
        master = Master(2)
        master.add(Columns(np.array([0, 1]), np.array([0]), np.zeros(1)), np.ones(1))
        master.cut(np.array([0]))
        master.add(Columns(np.array([0, 1]), np.array([1]), np.zeros(1)), np.ones(1), cuts_of_column)
        master.solve()
        assert master.values().sum() == pytest.approx(total)
