"""Judges of items: agreement with people, self-consistency, position bias, and the command."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
import scipy.stats
from command_line import run

import gamma_align as ga
from gamma_align.inference.jackknife import jackknife_interval


def make_table(seed=1, *, n_items=40):
    draw = np.random.default_rng(seed)
    truth = draw.integers(1, 6, n_items)
    columns = {}
    for name, share in (("ann", 0.8), ("bob", 0.7), ("gpt#1", 0.6), ("gpt#2", 0.6), ("llama", 0.3)):
        is_right = draw.random(n_items) < share
        judged = np.where(is_right, truth, draw.integers(1, 6, n_items)).astype(float)
        judged[draw.random(n_items) < 0.1] = math.nan
        columns[name] = judged
    return ga.ItemTable.from_matrix(np.stack([*columns.values()], axis=1), coders=[*columns])


def alpha(table, first, second, distance):
    columns = [table.coders.index(name) for name in (first, second)]
    pair = ga.ItemTable(table.codes[:, columns], (first, second), table.labels)
    return ga.krippendorff_alpha(pair, distance=distance, interval=None).value


@pytest.mark.parametrize("distance", ["nominal", "interval"])
def test_agreement_is_the_mean_alpha_with_people(distance):
    table = make_table()
    gpt, llama = ga.judges(table, judges=["gpt*", "llama"], distance=distance)
    expected = np.mean([alpha(table, run, person, distance) for run in ("gpt#1", "gpt#2") for person in ("ann", "bob")])
    assert gpt.agreement.value == pytest.approx(expected, abs=1e-12)
    assert gpt.people.value == pytest.approx(alpha(table, "ann", "bob", distance), abs=1e-12)
    assert gpt.consistency.value == pytest.approx(alpha(table, "gpt#1", "gpt#2", distance), abs=1e-12)
    assert (gpt.runs, llama.runs) == (("gpt#1", "gpt#2"), ("llama",))
    assert llama.consistency.reason == "one run only: repeat the judgments to measure it"


def test_interval_is_a_jackknife_over_items():
    table = make_table()
    value = ga.judges(table, judges="llama")[0].agreement
    people = ("ann", "bob", "gpt#1", "gpt#2")
    without, agreeing = [], np.zeros(len(table), dtype=bool)
    for item in range(len(table)):
        rest = ga.ItemTable(np.delete(table.codes, item, axis=0), table.coders, table.labels)
        without.append(1.0 - np.mean([alpha(rest, "llama", person, "nominal") for person in people]))
    for person in people:
        first, second = (table.codes[:, table.coders.index(name)] for name in ("llama", person))
        agreeing |= (first == second) & (first >= 0)
    ones = np.ones(len(table))
    expected = jackknife_interval(1.0 - value.value, 1.0, np.array(without), ones, agreeing)
    assert (value.low, value.high) == pytest.approx((expected.low, expected.high), rel=1e-9)


def test_scores_have_a_difference_and_labels_have_none():
    table = make_table()
    judge = ga.judges(table, judges="llama", distance="interval")[0]
    numbers = np.append(table.labels, math.nan)[table.codes]
    terms = numbers[:, 4] - np.nanmean(numbers[:, :4], axis=1)
    terms = terms[~np.isnan(terms)]
    assert judge.difference.value == pytest.approx(terms.mean())
    expected = scipy.stats.ttest_1samp(terms, 0).confidence_interval()
    assert (judge.difference.low, judge.difference.high) == pytest.approx((expected.low, expected.high))
    labels = ga.ItemTable.from_matrix([["x", "y"], ["y", "y"]], coders=["ann", "gpt"])
    assert ga.judges(labels, judges="gpt")[0].difference is None


def test_position_bias_counts_pairs_in_both_orders():
    ab, ba = "AAAAABBBTA", "ABBBAABBTT"
    people = "AABABABABA"
    table = ga.ItemTable.from_matrix([*map(list, zip(people, ab, ba, strict=True))], coders=["ann", "gpt#ab", "gpt#ba"])
    bias = ga.judges(table, judges="gpt*", swapped=("ab", "ba"))[0].position
    assert (bias.pairs, bias.consistent, bias.first, bias.second, bias.other) == (10, 5, 3, 1, 1)
    assert bias.bias.value == pytest.approx(0.2)
    assert bias.p == pytest.approx(scipy.stats.binomtest(3, 4).pvalue)
    interval = scipy.stats.binomtest(5, 10).proportion_ci(method="wilson")
    assert (bias.consistency.low, bias.consistency.high) == pytest.approx((interval.low, interval.high))


def test_wrong_settings():
    table = make_table()
    with pytest.raises(ga.InputError, match="all coders are judges"):
        ga.judges(table, judges="*")
    with pytest.raises(ga.SettingsError, match="swapped must be two names"):
        ga.judges(table, judges="gpt*", swapped=("ab",))
    with pytest.raises(ga.SettingsError, match="no judgment is 'A'"):
        ga.judges(table, judges="gpt*", swapped=("1", "2"))


def test_command_keeps_judges_out_of_the_coefficients(tmp_path):
    path = tmp_path / "ratings.csv"
    rows = zip("xyxyxyyx", "xyxxxyyx", "xyyyxyxx", "xyxyxyyy", strict=True)
    path.write_text("ann,bob,gpt#1,gpt#2\n" + "".join(f"{','.join(row)}\n" for row in rows), encoding="utf-8")
    done = run("items", path, "--judges", "gpt*")
    assert done.returncode == 0, done.stderr
    assert "8 items, 2 coders" in done.stdout
    assert "judges and people, 95 % intervals" in done.stdout
    printed = json.loads(run("items", path, "--judges", "gpt*", "--json").stdout)
    (expected,) = ga.judges(ga.read_items(path), judges="gpt*")
    assert printed["judges"] == json.loads(json.dumps([expected.to_dict()]))
