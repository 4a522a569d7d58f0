"""The alternative annotator test, and the standing of models and people.

For person j and instance i, S(x; i, j) is the mean similarity of the answer of x to the answers of the others. The
candidate f *wins* if S(f; i, j) > S(j; i, j), and d = [S(j) ≥ S(f)] - [S(f) ≥ S(j)] is -1 if it wins, 0 if both are as
near, and 1 if it loses. A person could be replaced if the hypothesis that the mean of d is ε or more is rejected by a
t-test, at a false discovery rate over all people. ω is the share of people who could be replaced, and the candidate
passes if ω ≥ 1/2. ρ is the mean over people of the share of instances that the candidate does not lose.

Calderon et al. use Wilcoxon's test below 30 instances. It is not offered: d has three values, and after ε is subtracted
a loss outranks a win, so that its size at a nominal .05 is .08 to .80 (tools/bench/results/replacement.md).

References
----------
Calderon, Reichart & Dror 2025, The Alternative Annotator Test for LLM-as-a-Judge, §3.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from gamma_align.columns import BoolArray, FloatArray, IntArray, grouped_sums
from gamma_align.inference import LEVEL, Parts, benjamini_yekutieli, draw_counts, mean_below_p, percentile_interval
from gamma_align.insight.replacement.instances import Instances, Pairs

PASSES_FROM = 0.5  # ω (Calderon et al. 2025, §3.3)
_TIE_TOLERANCE = 1e-9  # sums of the same similarities in another order differ by rounding
_MAX_CELLS = 2_000_000  # numbers of a batch of replicates: 16 MB
_STREAM = 34  # of the random numbers of the bootstrap


class Outcomes(NamedTuple):
    """Comparisons of a candidate with each person in each instance, shape (n_comparisons,).

    `slot` is the slot of the person, and `d` -1 if the candidate wins, 0 if both are as near, 1 if it loses.
    """

    slot: IntArray
    d: IntArray


class PersonTests(NamedTuple):
    """The tests of all people against one candidate, shape (n_people,) each.

    Numbers of instances with a win, a tie and a loss of the candidate; p, NaN if the person has too few instances; and
    whether the hypothesis is rejected.
    """

    won: IntArray
    tied: IntArray
    lost: IntArray
    p: FloatArray
    rejected: BoolArray

    @property
    def instances(self) -> IntArray:
        """Number of instances of each person."""
        return self.won + self.tied + self.lost

    @property
    def is_tested(self) -> BoolArray:
        """The people who have enough instances."""
        return ~np.isnan(self.p)

    @property
    def omega(self) -> float:
        """ω, NaN if nobody is tested."""
        n_tested = int(self.is_tested.sum())
        return int(self.rejected.sum()) / n_tested if n_tested else np.nan


class AdvantageTerms(NamedTuple):
    """Terms of 1 - ρ = Σ lost / Σ weight, and whether the candidate does not lose to somebody, shape (n_instances,).

    The weights sum to 1, or to 0 if nobody is tested.
    """

    lost: FloatArray
    weight: FloatArray
    agreeing: BoolArray

    @property
    def parts(self) -> Parts:
        """The sums with and without each instance."""
        return Parts.of_sums(self.lost[None, :], self.weight[None, :], self.agreeing[None, :])


def compare(pairs: Pairs, candidate: FloatArray, n_slots: int) -> Outcomes:
    """Return the comparisons of a candidate, whose similarity to each slot is NaN where it did not answer."""
    pairs = pairs.take(~np.isnan(candidate[pairs.first]))
    count = np.bincount(pairs.first, minlength=n_slots)
    slot = np.flatnonzero(count)
    # Both sums add the people in the same order, so that equal answers have equal sums.
    sums = [np.bincount(pairs.first, values, n_slots) for values in (candidate[pairs.second], pairs.similarity)]
    difference = (sums[0] - sums[1])[slot] / count[slot]
    return Outcomes(slot, np.where(np.abs(difference) <= _TIE_TOLERANCE, 0, -np.sign(difference)).astype(np.int64))


def tests_of_people(
    outcomes: Outcomes, person: IntArray, n_people: int, *, epsilon: float, rate: float, min_instances: int
) -> PersonTests:
    """Test each person; `person` is the person of each slot."""
    compared_person = person[outcomes.slot]
    won, tied, lost = (np.bincount(compared_person[outcomes.d == value], minlength=n_people) for value in (-1, 0, 1))
    p = np.full(n_people, np.nan)
    for index in np.flatnonzero(won + tied + lost >= min_instances).tolist():
        terms = np.repeat([-1.0, 0.0, 1.0], [won[index], tied[index], lost[index]])
        p[index] = mean_below_p(terms, epsilon)
    rejected = np.zeros(n_people, dtype=np.bool_)
    tested = np.flatnonzero(~np.isnan(p))
    rejected[tested] = benjamini_yekutieli(p[tested], rate)
    return PersonTests(won, tied, lost, p, rejected)


def advantage_terms(outcomes: Outcomes, tests: PersonTests, instances: Instances) -> AdvantageTerms:
    """Return the terms of ρ; the weight of a comparison is 1 / (people tested · instances of the person)."""
    person = instances.person[outcomes.slot]
    is_used = tests.is_tested[person]
    slot = outcomes.slot[is_used]
    person = person[is_used]
    d = outcomes.d[is_used]
    weight = 1.0 / (float(tests.is_tested.sum()) * tests.instances[person].astype(np.float64))
    instance = instances.instance[slot]
    n = len(instances)
    lost = grouped_sums(instance, np.where(d > 0, weight, 0.0), n)
    return AdvantageTerms(lost, grouped_sums(instance, weight, n), np.bincount(instance[d <= 0], minlength=n) > 0)


def measure_nearness(instances: Instances) -> tuple[FloatArray, FloatArray]:
    """Return the mean similarity of each answer to those of the other people: of people, (n_slots,), and of models.

    That of models has shape (n_models, n_instances). NaN in instances with fewer than two people, and for models that
    did not answer.
    """
    pairs = instances.pairs
    n_slots = instances.n_slots
    n_others = np.bincount(pairs.first, minlength=n_slots)
    with np.errstate(invalid="ignore"):
        people = np.bincount(pairs.first, pairs.similarity, n_slots) / n_others
        has_two = n_others > 0
        n_people = np.bincount(instances.instance[has_two], minlength=len(instances))
        models = np.array(
            [np.bincount(instances.instance[has_two], row[has_two], len(instances)) for row in instances.to_model]
        ).reshape(len(instances.models), len(instances))
        return people, models / n_people


class Standing(NamedTuple):
    """Nearness of people, shape (n_people,), and of models, (n_models,), and replicates of the models' standing.

    `replicates`, shape (n_replicates, n_models), are the shares of people who are less near to the people than the
    model, in bootstrap samples of the instances.
    """

    people: FloatArray
    models: FloatArray
    replicates: FloatArray

    def nearer_than(self, model: int) -> int:
        """Return the number of people who are less near than a model."""
        return int((self.people < self.models[model] - _TIE_TOLERANCE).sum())

    @property
    def n_people(self) -> int:
        """Number of people with a nearness."""
        return int((~np.isnan(self.people)).sum())

    def interval(self, model: int) -> tuple[float, float]:
        """Return the percentile interval of a model's standing."""
        values = self.replicates[:, model]
        return percentile_interval(values[~np.isnan(values)], LEVEL)


def measure_standing(instances: Instances, *, replicates: int, seed: int) -> Standing:
    """Return the nearness of everybody, and the bootstrap over instances of the standing of models."""
    from scipy.sparse import csr_matrix

    people_nearness, model_nearness = measure_nearness(instances)
    shape = (len(instances), len(instances.people))
    slots = np.flatnonzero(~np.isnan(people_nearness))
    cells_index = (instances.instance[slots], instances.person[slots])
    people = csr_matrix((people_nearness[slots], cells_index), shape=shape)
    presence = csr_matrix((np.ones(len(slots)), cells_index), shape=shape)
    answered = ~np.isnan(model_nearness.T)
    model_sums = np.where(answered, model_nearness.T, 0.0)

    def means(counts: FloatArray) -> tuple[FloatArray, FloatArray]:
        with np.errstate(invalid="ignore", divide="ignore"):
            return counts @ people / (counts @ presence), counts @ model_sums / (counts @ answered)

    n = len(instances)
    near_people, near_models = means(np.ones((1, n)))
    shares = [
        _shares_less_near(*means(counts))
        for counts in draw_counts(
            np.full(n, 1 / n), n, seed=seed, stream=_STREAM, replicates=replicates, cells=_MAX_CELLS
        )
    ]
    return Standing(near_people[0], near_models[0], np.concatenate(shares))


def _shares_less_near(people: FloatArray, models: FloatArray) -> FloatArray:
    """Return the share of people with a nearness below each model's, shape (n_replicates, n_models)."""
    n_people = (~np.isnan(people)).sum(axis=1)
    shares = np.stack([(people < column[:, None] - _TIE_TOLERANCE).sum(axis=1) for column in models.T], axis=1)
    with np.errstate(invalid="ignore"):
        return np.where(np.isnan(models), np.nan, shares / n_people[:, None])


def calibrate(instances: Instances, *, epsilon: float, rate: float, min_instances: int) -> Iterator[PersonTests]:
    """Yield the tests of the other people with each person in the model's place."""
    n_people = len(instances.people)
    for candidate in range(n_people):
        pairs, to_candidate = instances.pairs_without(candidate)
        outcomes = compare(pairs, to_candidate, instances.n_slots)
        yield tests_of_people(
            outcomes, instances.person, n_people, epsilon=epsilon, rate=rate, min_instances=min_instances
        )
