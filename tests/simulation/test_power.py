"""The number of documents that find a difference: the power is that of the test that `compare` makes."""

import numpy as np
import pytest

import gamma_align as ga
from gamma_align.inference import BOTH, exchange
from gamma_align.simulation.power import MAX_DOCUMENTS, _Pilot, _Simulation


def made_pilot(n, difference, seed=0):
    """Return documents with a difference in observed disorder, which vary in length."""
    random = np.random.default_rng(seed)
    length = random.gamma(4.0, size=n)
    common = random.normal(0.3, 0.1, size=n)
    observed = np.abs(common + random.normal(0.0, 0.1, size=(2, n)) + [[0.0], [difference]])
    return _Pilot(length * observed, length * np.ones((2, n)))


class Pool:
    """The drawn documents as the exchange test of `compare` takes them."""

    def __init__(self, pilot, drawn):
        self.observed, self.expected = pilot.observed[:, drawn], pilot.expected[:, drawn]
        self.side = np.full(len(drawn), BOTH)

    def values(self, first, second):
        observed, expected = (first @ part[0] + second @ part[1] for part in (self.observed, self.expected))
        return (1.0 - observed / expected)[:, None]


@pytest.mark.parametrize("documents", [10, 25])
def test_power_is_the_share_of_corpora_in_which_the_exchange_test_finds_the_difference(documents):
    population = made_pilot(2000, 0.07)
    random = np.random.default_rng(1)
    found = []
    for _ in range(400):
        pool = Pool(population, random.choice(2000, documents, replace=False))
        found.append(exchange(pool, seed=0, replicates=999).p_value(0) <= 0.05)
    assert _Simulation(population, 0).power(documents) == pytest.approx(np.mean(found), abs=0.06)


def test_power_from_small_pilots_is_right_on_average():
    powers = [_Simulation(made_pilot(12, 0.07, seed).with_difference(-0.07), 0).power(25) for seed in range(40)]
    assert np.mean(powers) == pytest.approx(_Simulation(made_pilot(2000, 0.07), 0).power(25), abs=0.06)


def test_without_a_difference_the_test_finds_one_as_often_as_its_level():
    same = made_pilot(60, 0.0).with_difference(0.0)
    assert same.difference == pytest.approx(0.0, abs=1e-12)
    assert _Simulation(same, 0).power(40) == pytest.approx(0.05, abs=0.03)


def test_the_number_of_documents_is_the_smallest_with_the_power():
    simulation = _Simulation(made_pilot(30, 0.08), 0)
    needed = simulation.documents_needed(0.8)
    assert simulation.power(needed) >= 0.8 > simulation.power(needed - 1)


def test_a_tiny_difference_takes_more_documents_than_are_simulated():
    pilot = made_pilot(30, 0.05)
    assert _Simulation(pilot.with_difference(-0.0001), 0).documents_needed(0.9) is None
    assert pilot.with_difference(-0.0001).difference == pytest.approx(-0.0001)
    assert MAX_DOCUMENTS == 4096


@pytest.fixture(scope="module")
def corpora():
    pilot = ga.Corpus.from_continua([ga.synthetic_reference(units=5, seed=n, document=f"d{n}") for n in range(6)])
    return [ga.shuffle(pilot, magnitude=size, annotators=2, seed=seed) for seed, size in enumerate((0.2, 0.5))]


def test_the_pilot_is_what_paired_compares(corpora):
    paired = ga.compare(*corpora, samples=6)["gamma"]
    plan = ga.plan_difference(*corpora, power=0.8, samples=6)
    assert (plan.first, plan.second) == pytest.approx((paired.first, paired.second))
    assert plan.difference == pytest.approx(paired.value)
    assert plan.powers[plan.documents_needed] >= 0.8
    smaller = ga.plan_difference(*corpora, power=0.8, difference=plan.difference / 2, samples=6)
    assert smaller.documents_needed is None or smaller.documents_needed > plan.documents_needed


def test_what_cannot_be_planned_is_refused(corpora):
    first, second = corpora
    with pytest.raises(ga.SettingsError, match="power"):
        ga.plan_difference(first, second, power=1.0)
    with pytest.raises(ga.InputError, match="same"):
        ga.plan_difference(first, first, power=0.8, samples=6)
    two = [corpus.select(documents=["d0", "d1"]) for corpus in corpora]
    with pytest.raises(ga.InputError, match="needs 3 documents"):
        ga.plan_difference(*two, power=0.8, samples=6)
    with pytest.raises(ga.SettingsError, match="higher"):
        ga.plan_difference(first, second, power=0.8, difference=1.0, samples=6)
