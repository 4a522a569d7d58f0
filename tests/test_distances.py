"""Ordinal, interval and ratio distances, and what metrics make of every distance."""

from __future__ import annotations

import json
from fractions import Fraction

import numpy as np
import pytest
import unitizing_oracles as oracle
from hypothesis import given
from hypothesis import strategies as st

import gamma_align as ga
from gamma_align.dissimilarity.named import NAMES, named_distance
from gamma_align.errors import InputError, SettingsError

LABELS = ("1", "2", "4", "10")
CODES = np.arange(-1, 4)
MATRIX = ga.Matrix.of(LABELS, (np.abs(np.subtract.outer([0, 1, 2, 4], [0, 1, 2, 4])) / 4).tolist())
DISTANCES = [ga.Nominal(), ga.Interval(), ga.Ordinal(), ga.Ratio(), ga.Ordinal.of(["4", "1", "10", "2"]), MATRIX]


def table(function):
    """Return D of every two codes, no label (-1) first."""
    return function(np.repeat(CODES, 5), np.tile(CODES, 5)).reshape(5, 5)


@pytest.mark.parametrize("distance", DISTANCES, ids=lambda distance: distance.name)
def test_d_is_between_0_and_1_symmetric_and_0_for_the_same(distance):
    found = table(distance.bind(LABELS))
    assert ((found >= 0) & (found <= 1)).all()
    assert (found == found.T).all()
    assert (np.diag(found) == 0).all()
    assert found[1:, 1:].max() == 1
    assert (found[0, 1:] == 1).all()


@pytest.mark.parametrize(
    ("distance", "expected"),
    [
        (ga.Interval(), [[0, 1, 9, 81], [1, 0, 4, 64], [9, 4, 0, 36], [81, 64, 36, 0]]),
        (ga.Ordinal(), [[0, 1, 4, 9], [1, 0, 1, 4], [4, 1, 0, 1], [9, 4, 1, 0]]),
        (ga.Ordinal.of(["4", "1", "10", "2"]), [[0, 4, 1, 1], [4, 0, 9, 1], [1, 9, 0, 4], [1, 1, 4, 0]]),
    ],
    ids=["interval", "ordinal", "an order"],
)
def test_d_is_the_squared_difference_by_its_largest(distance, expected):
    largest = np.max(expected)
    assert table(distance.bind(LABELS))[1:, 1:] == pytest.approx(np.array(expected) / largest, abs=1e-15)


def test_ratio_is_by_proportion():
    found = table(ga.Ratio().bind(LABELS))[1:, 1:]
    raw = np.array([[float(oracle.ratio(a, b)) for b in LABELS] for a in LABELS])
    assert found == pytest.approx(raw / raw.max(), abs=1e-15)
    zeros = ga.Ratio().bind(("0", "0.0", "3"))
    assert zeros(np.array([0, 0]), np.array([1, 2])).tolist() == [0, 1]


@pytest.mark.parametrize("name", ["ordinal", "interval", "ratio"])
@pytest.mark.parametrize("labels", [(), ("7",), ("7", "7.0")])
def test_nothing_to_tell_apart_is_0(name, labels):
    found = named_distance(name).bind(labels)
    codes = np.arange(-1, len(labels))
    pairs = found(np.repeat(codes, len(codes)), np.tile(codes, len(codes))).reshape(len(codes), len(codes))
    assert (pairs[1:, 1:] == 0).all()
    assert (pairs[0, 1:] == 1).all()


@pytest.mark.parametrize(
    ("squared", "distance"),
    [
        (lambda _: oracle.nominal, ga.Nominal()),
        (lambda _: oracle.interval, ga.Interval()),
        (lambda _: oracle.ratio, ga.Ratio()),
        (oracle.ordinal, ga.Ordinal()),
        (lambda _: lambda a, b: Fraction(float(MATRIX.values[LABELS.index(a)][LABELS.index(b)])), MATRIX),
    ],
    ids=["nominal", "interval", "ratio", "ordinal", "matrix"],
)
@given(margins=st.lists(st.lists(st.integers(0, 6), min_size=4, max_size=4), min_size=1, max_size=3))
def test_a_metric_is_the_definition(squared, distance, margins):
    metric, columns = distance.metric(LABELS), np.array(margins, dtype=np.float64).T
    first, second = np.repeat(np.arange(4), 4), np.tile(np.arange(4), 4)
    pairs = np.broadcast_to(metric.pairs(first, second, columns), (16, len(margins)))
    spread = metric.spread(columns)
    for number, margin in enumerate(margins):
        of = squared({label: Fraction(n) for label, n in zip(LABELS, margin, strict=True)})
        expected = np.array([[float(of(a, b)) for b in LABELS] for a in LABELS])
        assert pairs[:, number].reshape(4, 4) == pytest.approx(expected, abs=1e-12)
        assert spread[:, number] == pytest.approx(expected @ np.array(margin), abs=1e-9)


def test_krippendorffs_ordinal_metric_as_printed():
    # Krippendorff 2004 p. 230: pairable margins 9 13 10 5 0 3; the unused value 5 still takes part
    margins = np.array([[9.0], [13], [10], [5], [0], [3]])
    first, second = np.repeat(np.arange(6), 6), np.tile(np.arange(6), 6)
    found = np.sqrt(ga.Ordinal().metric(list("123456")).pairs(first, second, margins)).reshape(6, 6)
    assert found[0].tolist() == [0, 11, 22.5, 30, 32.5, 34]
    assert found[4].tolist() == [32.5, 21.5, 10, 2.5, 0, 1.5]


@pytest.mark.parametrize("distance", [ga.Interval(), ga.Ordinal(), ga.Ratio(), ga.Nominal(), MATRIX])
@given(at=st.integers(0, 3), amount=st.floats(1e-3, 1e6))
def test_one_value_alone_is_exactly_no_spread(distance, at, amount):
    margins = np.zeros((4, 1))
    margins[at] = amount
    assert distance.metric(LABELS).spread(margins)[at] == 0


@pytest.mark.parametrize(
    ("distance", "labels", "message"),
    [
        (
            ga.Interval(),
            ("1", "PER"),
            r"the interval distance needs categories that are numbers; 'PER' is none \(use an",
        ),
        (ga.Ordinal(), ("low",), r"the ordinal distance needs categories that are numbers; 'low' is none \(give their"),
        (ga.Interval(), ("nan",), "'nan' is none"),
        (ga.Interval(), ("1e200",), "'1e200' is none"),
        (ga.Ratio(), ("2", "-1"), "the ratio distance needs numbers that are 0 or more; '-1' is a category"),
        (ga.Ordinal.of(["a", "b"]), ("a", "c"), "the order of categories does not know 'c'; it has 'a', 'b'"),
        (MATRIX, ("1", "3"), "the matrix of categories does not know '3'"),
    ],
)
def test_labels_that_have_no_place(distance, labels, message):
    with pytest.raises(InputError, match=message):
        distance.bind(labels)
    with pytest.raises(InputError, match=message):
        distance.metric(labels)


def test_an_order_names_a_label_once():
    with pytest.raises(SettingsError, match="the order of categories names 'a' twice"):
        ga.Ordinal.of(["a", "b", "a"])


def test_names():
    assert [named_distance(name).name for name in NAMES] == list(NAMES)
    with pytest.raises(SettingsError, match="distance must be one of nominal, ordinal, interval, ratio"):
        named_distance("cosine")
    told = [json.loads(json.dumps(distance.to_dict())) for distance in DISTANCES]
    assert told[4] == {"name": "ordinal", "order": ["4", "1", "10", "2"]}


def test_gamma_takes_them():
    units = [("a", 0, 4, "1"), ("b", 0, 4, "2"), ("a", 6, 9, "10"), ("b", 6, 9, "10"), ("a", 12, 14, "4")]
    continuum = ga.Continuum.from_records(units, extent=(0, 20))
    near, far = (
        ga.gamma(continuum, dissimilarity=ga.Dissimilarity(categorial=distance), samples=30)
        for distance in (ga.Interval(), ga.Nominal())
    )
    assert near.documents[0].gamma.observed == pytest.approx((1 / 81 + 0 + 1) / 2.5, abs=1e-12)
    assert far.documents[0].gamma.observed == pytest.approx((1 + 0 + 1) / 2.5, abs=1e-12)
    assert "|d:sporadic+interval|" in near.signature
    assert near.settings["categorial"] == {"name": "interval"}
