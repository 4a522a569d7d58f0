"""Judges: language models that score, label or compare items, against people.

Agreement is Krippendorff's α of a judge and a person, averaged over people and over runs of the judge; beside it stands
the mean α of two people. Self-consistency is the mean α of two runs of a judge. Runs are repetitions, not annotators:
they are never pooled with people or with each other. Intervals of α are jackknife over items.

Position bias of pairwise preferences: of pairs that a judge saw in both orders, the share in which it takes the answer
that stands first both times minus the share in which it takes the second both times. p is the sign test of the two.

References
----------
Zheng et al. 2023, Judging LLM-as-a-Judge with MT-Bench and Chatbot Arena, §3.3 (position bias).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain, combinations, product
from typing import NamedTuple

import numpy as np

from gamma_align.columns import BoolArray, FloatArray, IntArray
from gamma_align.data import ItemTable
from gamma_align.distances import AnyDistance, as_distance
from gamma_align.errors import InputError, SettingsError
from gamma_align.inference import LEVEL, Result, Value, jackknife_interval, t_quantile
from gamma_align.insight.replacement.instances import drop_coders
from gamma_align.insight.replacement.judges_options import JUDGE_OPTIONS, PREFERENCES, RUNS
from gamma_align.insight.replacement.replaceable import annotators_named
from gamma_align.options import takes_options

_ONE_RUN = "one run only: repeat the judgments to measure it"
_NO_PAIR = "no item has judgments of both"
_ONE_PERSON = "one person only"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PositionBias(Result):
    """Preferences of a judge for positions, from pairs of answers in both orders.

    Attributes
    ----------
    pairs : int
        Pairs of answers that the judge saw in both orders.
    consistent, first, second, other : int
        Pairs in which it gives the same label both times; takes the answer in the first position both times; in the
        second position both times; and all others, such as a tie in one order alone.
    consistency : Value
        Share of consistent pairs, with its Wilson interval.
    bias : Value
        (first - second) / pairs, with Student's t over pairs.
    p : float
        p of the sign test of first against second; NaN if there are none.

    Examples
    --------
    >>> table = ga.ItemTable.from_matrix([*map(list, zip("AABA", "ABAA", "BBBA"))], coders=["ann", "gpt#ab", "gpt#ba"])
    >>> bias = ga.judges(table, judges="gpt*", swapped=("ab", "ba"))[0].position
    >>> bias.consistent, bias.first, bias.second, bias.other
    (2, 2, 0, 0)
    """

    pairs: int
    consistent: int
    first: int
    second: int
    other: int
    consistency: Value
    bias: Value
    p: float


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class JudgeResult(Result):
    """The agreement of a judge with people.

    Attributes
    ----------
    judge : str
        The judge.
    runs : tuple of str
        The coders that are its runs.
    items : int
        Items with a judgment of the judge and of a person.
    agreement : Value
        Mean α of the judge and a person, over people and runs.
    people : Value
        Mean α of two people.
    consistency : Value
        Mean α of two runs.
    difference : Value or None
        Mean judgment of the judge minus the people's, over items; None if categories are no numbers.
    position : PositionBias or None
        Position bias; None without runs in both orders.

    Examples
    --------
    >>> table = ga.ItemTable.from_matrix([[1, 1, 2], [3, 3, 3], [2, 3, 3], [5, 4, 5]], coders=["ann", "bob", "gpt"])
    >>> judge = ga.judges(table, judges="gpt", distance="interval")[0]
    >>> round(judge.agreement, 3), round(judge.people, 3), round(judge.difference, 3)
    (0.85, 0.87, 0.5)
    """

    judge: str
    runs: tuple[str, ...]
    items: int
    agreement: Value
    people: Value
    consistency: Value
    difference: Value | None
    position: PositionBias | None


@takes_options(JUDGE_OPTIONS.options)
def judges(
    table: ItemTable,
    /,
    *,
    judges: str | Iterable[str],
    runs: str = RUNS.default,
    swapped: tuple[str, str] | None = None,
    preferences: tuple[str, str] = PREFERENCES.default,
    distance: AnyDistance = "nominal",
) -> tuple[JudgeResult, ...]:
    """Return the agreement of language models that judge items with people, their consistency and position bias.

    Parameters
    ----------
    table : ItemTable
        Judgments of people and judges: labels, scores or preferences.
    distance : str or Distance
        Distance of categories for α: ``nominal`` for labels and preferences, ``interval`` or ``ordinal`` for scores.

    Raises
    ------
    InputError
        If all coders are judges.
    SettingsError
        If no coder has a name, or `swapped` or `preferences` are not two names.

    Examples
    --------
    >>> table = ga.ItemTable.from_matrix([*map(list, zip("xyxy", "xyxx", "xyyy"))], coders=["ann", "gpt#1", "gpt#2"])
    >>> [result.judge for result in ga.judges(table, judges="gpt*")]
    ['gpt']
    """
    for name, pair in (("swapped", swapped), ("preferences", preferences)):
        if pair is not None and len(tuple(pair)) != 2:  # noqa: PLR2004
            raise SettingsError(f"{name} must be two names, not {len(tuple(pair))}")
    runs_of = _runs_of_judges(table, judges, runs)
    models = {*chain.from_iterable(runs_of.values())}
    people = [name for name in table.coders if name not in models]
    if not people:
        raise InputError("all coders are judges: there are no people to compare them with")
    alphas = _Alphas.of(table, people, distance)
    among_people = alphas.mean([*combinations(people, 2)], _ONE_PERSON)
    return tuple(
        _judge(table, alphas, among_people, judge, people, names, runs, swapped, preferences)
        for judge, names in runs_of.items()
    )


def people_of(table: ItemTable, judges: str | Iterable[str]) -> ItemTable:
    """Return the table without its judges."""
    return drop_coders(table, annotators_named(judges, table.coders, "judges"))


def _runs_of_judges(table: ItemTable, judges: str | Iterable[str], separator: str) -> dict[str, tuple[str, ...]]:
    runs: dict[str, tuple[str, ...]] = {}
    for name in annotators_named(judges, table.coders, "judges"):
        judge = name.rpartition(separator)[0] if separator and separator in name else name
        runs[judge] = (*runs.get(judge, ()), name)
    return runs


def _judge(
    table: ItemTable,
    alphas: _Alphas,
    among_people: Value,
    judge: str,
    people: Sequence[str],
    names: tuple[str, ...],
    separator: str,
    swapped: tuple[str, str] | None,
    preferences: tuple[str, str],
) -> JudgeResult:
    columns = {name: index for index, name in enumerate(table.coders)}
    judge_codes = table.codes[:, [columns[name] for name in names]]
    people_codes = table.codes[:, [columns[name] for name in people]]
    position = None
    if swapped is not None:
        ordered = [f"{judge}{separator}{order}" for order in swapped]
        if all(name in names for name in ordered):
            position = _position_bias(table, [table.codes[:, columns[name]] for name in ordered], preferences)
    return JudgeResult(
        judge=judge,
        runs=names,
        items=int(((judge_codes >= 0).any(axis=1) & (people_codes >= 0).any(axis=1)).sum()),
        agreement=alphas.mean([*product(names, people)], _NO_PAIR),
        people=among_people,
        consistency=alphas.mean([*combinations(names, 2)], _ONE_RUN),
        difference=_difference(table, judge_codes, people_codes),
        position=position,
    )


class _Alphas(NamedTuple):
    """Judgments of all coders and the distances of their categories."""

    codes: IntArray
    columns: dict[str, int]
    matrix: FloatArray

    @classmethod
    def of(cls, table: ItemTable, people: Sequence[str], distance: AnyDistance) -> _Alphas:
        """Return the judgments; a distance that depends on frequencies takes the people's frequencies."""
        columns = {name: index for index, name in enumerate(table.coders)}
        item_distance = as_distance(distance).among(table.labels, declared=table.declared)
        codes = table.codes.astype(np.int64)
        people_codes = codes[:, [columns[name] for name in people]]
        weights = np.bincount(people_codes[people_codes >= 0], minlength=table.n_categories).astype(np.float64)
        matrix = item_distance.matrix(table.labels, weights) if item_distance.adaptive else None
        return cls(codes, columns, item_distance.matrix(table.labels) if matrix is None else matrix)

    def mean(self, pairs: Sequence[tuple[str, str]], reason: str) -> Value:
        """Return the mean α of pairs of coders, with the jackknife interval over items."""
        values = []
        without = []
        agreeing = np.zeros(len(self.codes), dtype=np.bool_)
        for first, second in pairs:
            value, remaining, same = self._pair(first, second)
            if not math.isnan(value):
                values.append(value)
                without.append(np.where(np.isnan(remaining), value, remaining))
                agreeing |= same
        if not values:
            return Value.unavailable(reason if not pairs else _NO_PAIR)
        mean = math.fsum(values) / len(values)
        remaining = 1.0 - np.mean(without, axis=0)
        interval = jackknife_interval(1.0 - mean, 1.0, remaining, np.ones(len(remaining)), agreeing, noun="items")
        return interval.around(mean)

    def _pair(self, first: str, second: str) -> tuple[float, FloatArray, BoolArray]:
        """Return α of two coders, α without each item, and the items on which they agree."""
        first_codes = self.codes[:, self.columns[first]]
        second_codes = self.codes[:, self.columns[second]]
        common = np.flatnonzero((first_codes >= 0) & (second_codes >= 0))
        n_items = len(self.codes)
        n_categories = len(self.matrix)
        agreeing = (first_codes == second_codes) & (first_codes >= 0)
        if len(common) < 2:  # noqa: PLR2004  (α needs two items)
            return math.nan, np.full(n_items, math.nan), agreeing
        first_codes = first_codes[common]
        second_codes = second_codes[common]
        counts = np.bincount(np.concatenate([first_codes, second_codes]), minlength=n_categories).astype(np.float64)
        observed = 2.0 * self.matrix[first_codes, second_codes]
        # Without an item, Σ n_c n_k d_ck loses the products with its two judgments.
        product_sums = self.matrix @ counts
        total = float(counts @ product_sums)
        lost = (
            2.0 * (product_sums[first_codes] + product_sums[second_codes])
            - 2.0 * self.matrix[first_codes, second_codes]
        )
        n = counts.sum()
        with np.errstate(divide="ignore", invalid="ignore"):
            value = 1.0 - (n - 1.0) * observed.sum() / total if total > 0 else math.nan
            remaining = 1.0 - (n - 3.0) * (observed.sum() - observed) / (total - lost)
        without = np.full(n_items, value)
        without[common] = np.where(total - lost > 0, remaining, math.nan)
        return float(value), without, agreeing


def _difference(table: ItemTable, judge_codes: IntArray, people_codes: IntArray) -> Value | None:
    """Return the mean judgment of the judge minus the people's; None if categories are no numbers."""
    if not isinstance(table.labels, np.ndarray):
        return None
    numbers = np.append(table.labels, math.nan)
    judge = numbers[judge_codes]
    people = numbers[people_codes]
    used = ~(np.isnan(judge).all(axis=1) | np.isnan(people).all(axis=1))
    if not used.any():
        return Value.unavailable(_NO_PAIR)
    return _mean(np.nanmean(judge[used], axis=1) - np.nanmean(people[used], axis=1))


def _mean(terms: FloatArray) -> Value:
    """Return the mean with Student's t interval."""
    if len(terms) < 2 or np.ptp(terms) == 0:  # noqa: PLR2004
        return Value(float(terms.mean()), no_interval="no spread to estimate it from")
    half = t_quantile(len(terms) - 1) * float(np.std(terms, ddof=1)) / math.sqrt(len(terms))
    mean = float(terms.mean())
    return Value(mean, mean - half, mean + half)


def _position_bias(table: ItemTable, orders: Sequence[IntArray], preferences: tuple[str, str]) -> PositionBias | None:
    names = list(table.categories)
    if any(name not in names for name in preferences):
        missing = next(name for name in preferences if name not in names)
        raise SettingsError(f"preferences: no judgment is {missing!r}", f"there are {', '.join(map(repr, names[:10]))}")
    shown_first, shown_second = (names.index(name) for name in preferences)
    is_in_both = (orders[0] >= 0) & (orders[1] >= 0)
    straight = orders[0][is_in_both]
    reverse = orders[1][is_in_both]
    n = len(straight)
    if not n:
        return None
    consistent = int((straight == reverse).sum())
    first = (straight == shown_first) & (reverse == shown_second)
    second = (straight == shown_second) & (reverse == shown_first)
    n_first = int(first.sum())
    n_second = int(second.sum())
    return PositionBias(
        pairs=n,
        consistent=consistent,
        first=n_first,
        second=n_second,
        other=n - consistent - n_first - n_second,
        consistency=_wilson(consistent, n),
        bias=_mean(first.astype(np.float64) - second),
        p=_sign_test(n_first, n_second),
    )


def _wilson(count: int, total: int) -> Value:
    """Return a share with Wilson's interval."""
    share = count / total
    quantile = t_quantile(math.inf, LEVEL)
    centre = (share + quantile**2 / (2 * total)) / (1 + quantile**2 / total)
    half = quantile * math.sqrt(share * (1 - share) / total + (quantile / (2 * total)) ** 2) / (1 + quantile**2 / total)
    return Value(share, max(centre - half, 0.0), min(centre + half, 1.0))


def _sign_test(first: int, second: int) -> float:
    """Return the two-sided p of equal probabilities of two counts; NaN if both are 0."""
    total = first + second
    if not total:
        return math.nan
    tail = sum(math.comb(total, count) for count in range(min(first, second) + 1))
    return min(1.0, float(2 * tail / 2**total))
