"""Models of who is sure and who guesses: Aickin's share of easy items, and latent classes.

References
----------
Aickin 1990, Maximum Likelihood Estimation of Agreement in the Constant Predictive Probability Model.
Dawid & Skene 1979; Uebersax & Grove 1990 (latent classes of coders' judgments). Goodman 1974 (their test of fit).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gamma_align.columns import FloatArray
from gamma_align.data.item_sources import ItemSource, items_of
from gamma_align.data.item_table import ItemTable
from gamma_align.errors import SettingsError
from gamma_align.inference.values import Result, Value
from gamma_align.measures.items.counts import Patterns, confusion, patterns_of
from gamma_align.measures.items.spec import (
    ANONYMOUS,
    EMPTY_CELL,
    NO_ITEMS,
    NO_PAIRS,
    NO_VARIATION,
    NOT_ENOUGH_CODERS,
    NOT_TWO,
)

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    Judgments = FloatArray | csr_array

_STREAM = 0x1A7E
_ROUNDS = 20_000
_PRECISION = 1e-14
_SMALLEST = 1e-300
_FLOOR = 1e-10  # of a rate of error that no judgment has: coders of few judgments rule nothing out for certain
_ROUNDING = 1e-12
_VOTE = 0.1
_ENOUGH = 5
_MANY = 10**300  # degrees of freedom that a float still holds


def aickin(source: ItemSource, *, correction: bool = True) -> Value:
    """Return Aickin's a, without interval: the share of items that are easy, on which two coders agree for certain.

    P(k, l) = (1 - a) r_k s_l + a [k=l] r_k s_k / Σ r s, by maximum likelihood: with T = Σ r_k s_k,
    a = (A_o - T)/(1 - T), r_k = p_k·/(1 - a + a s_k/T) and s likewise, to a fixed point. On a 2 × 2 table that is
    A_o (1 - √(n₁₂n₂₁/(n₁₁n₂₂))).

    Parameters
    ----------
    source : ItemTable, matrix, data frame, columns, records or path
        Of two coders; items that both judged take part.
    correction : bool
        Whether a mass of one item is spread evenly over the cells, as Aickin does; without it empty cells may leave
        no estimate but the bound a = A_o.

    Examples
    --------
    >>> items = ga.ItemTable.from_matrix([["a", "a"], ["b", "b"], ["a", "b"], ["b", "b"]])
    >>> print(ga.aickin(items))
    0.4667
    """
    table = items_of(source, "aickin")
    if len(table.coders) != 2 or table.anonymous:  # noqa: PLR2004
        return Value.unavailable(ANONYMOUS if table.anonymous else NOT_TWO)
    cells = confusion(patterns_of(table), 0, 1)
    if not cells.sum():
        return Value.unavailable(NO_PAIRS)
    used = (cells.sum(axis=0) + cells.sum(axis=1)) > 0
    if used.sum() < 2:  # noqa: PLR2004
        return Value.unavailable(NO_VARIATION)
    cells = cells + 1.0 / cells.size if correction else cells[np.ix_(used, used)]
    easy = _easy_share(cells / cells.sum())
    return Value.unavailable(EMPTY_CELL) if easy is None else Value(easy)


def _easy_share(share: FloatArray) -> float | None:
    """Return a at the fixed point; None where there is none inside: T creeps towards 0 then, and a towards A_o."""
    rows, columns, agreed = share.sum(axis=1), share.sum(axis=0), float(np.trace(share))
    first, second = rows.copy(), columns.copy()
    easy = math.inf
    for _ in range(_ROUNDS):
        by_chance = float(first @ second)
        if by_chance <= 0:
            return None
        easy, before = (agreed - by_chance) / (1 - by_chance), easy
        if abs(easy - before) < _PRECISION:
            return easy
        first = rows / (1 - easy + easy * second / by_chance)
        first /= first.sum()
        second = columns / (1 - easy + easy * first / float(first @ second))
        second /= second.sum()
    return None


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Fit(Result):
    """How far the counts of response patterns are from those a model expects.

    A pattern is the judgments of all coders of an item; items that some did not judge are compared among those that
    the same coders judged. The p values hold for large samples: where more than a fifth of the patterns are expected
    fewer than five times (Cochran 1954), `sparse` is true, and neither should be trusted.
    """

    g2: float = math.nan  # likelihood-ratio statistic G² = 2 Σ n ln(n/e) over the patterns that occur
    x2: float = math.nan  # Pearson's X² = Σ (n - e)²/e over all patterns
    freedom: int = 0  # the number of patterns, less one and the free parameters
    sparse: bool = False

    @property
    def p_g2(self) -> float:
        """Probability of a G² as large if the model were true; NaN without degrees of freedom."""
        return self._p(self.g2)

    @property
    def p_x2(self) -> float:
        """Probability of an X² as large if the model were true; NaN without degrees of freedom."""
        return self._p(self.x2)

    def _p(self, statistic: float) -> float:
        from scipy.special import chdtrc

        if self.freedom <= 0 or math.isnan(statistic):
            return math.nan
        return float(chdtrc(float(min(self.freedom, _MANY)), statistic))

    def _contents(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in ("g2", "x2", "p_g2", "p_x2", "freedom", "sparse")}


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class LatentClasses(Result):
    """A latent class model of the judgments: each item is of one class, and coders judge independently given it.

    Attributes
    ----------
    shares : ndarray of float64, shape (n_classes,)
        Share of items of each class, the largest first.
    response : ndarray of float64, shape (n_classes, n_coders, n_categories)
        Probability of each category by coder and class: on the class's own category the coder's sensitivity.
    posterior : ndarray of float64, shape (n_items, n_classes)
        Probability of each class for each item; NaN for items nobody judged.
    coders, categories : tuple of str
        Of the table.
    log_likelihood : float
        Of the best of all starts.
    parameters : int
        How many are free: shares of classes, and of categories by class and coder.
    items : int
        How many items were judged.
    fit : Fit
        The test of fit.
    reason : str or None
        Why there is no model; everything else is then empty.
    """

    shares: FloatArray
    response: FloatArray
    posterior: FloatArray
    coders: tuple[str, ...]
    categories: tuple[str, ...]
    log_likelihood: float = math.nan
    parameters: int = 0
    items: int = 0
    fit: Fit = field(default_factory=Fit)
    reason: str | None = None

    @property
    def aic(self) -> float:
        """Akaike's criterion, 2·parameters - 2·log-likelihood: of several models the smallest is preferred."""
        return 2 * self.parameters - 2 * self.log_likelihood

    @property
    def bic(self) -> float:
        """Schwarz's criterion, ln(items)·parameters - 2·log-likelihood: of several models the smallest is preferred."""
        return self.parameters * math.log(max(self.items, 1)) - 2 * self.log_likelihood

    def accuracy(self, positive: str) -> dict[str, tuple[float, float]]:
        """Return sensitivity and specificity of each coder for a category, in a model of two classes.

        The class in which coders say `positive` more often is the one where it is true.

        Examples
        --------
        >>> rows = [["a", "a", "a"]] * 4 + [["b", "b", "b"]] * 3 + [["a", "b", "b"]]
        >>> model = ga.latent_classes(ga.ItemTable.from_matrix(rows), starts=3)
        >>> sensitivity, specificity = model.accuracy("a")["1"]
        >>> round(sensitivity, 2), round(specificity, 2)
        (1.0, 0.75)
        """
        if len(self.shares) != 2 or positive not in self.categories:  # noqa: PLR2004
            raise SettingsError(f"accuracy is of two classes and a category of the table, not {positive!r}")
        probability = self.response[:, :, self.categories.index(positive)]
        true = int(probability.mean(axis=1).argmax())
        return {
            name: (float(probability[true, coder]), 1.0 - float(probability[1 - true, coder]))
            for coder, name in enumerate(self.coders)
        }

    def _contents(self) -> dict[str, Any]:
        names = ("categories", "log_likelihood", "parameters", "items", "aic", "bic", "fit", "reason")
        by_coder: Any = self.response.swapaxes(0, 1) if len(self.shares) else [[] for _ in self.coders]
        response = dict(zip(self.coders, by_coder, strict=True))
        return {"shares": self.shares, "response": response, **{name: getattr(self, name) for name in names}}


class Model(NamedTuple):
    """Where an EM ended: shares (n_classes,), responses (n_classes, n_coders, n_categories), posteriors (n_rows, …).

    `likelihoods` are logarithms, of an item of each row.
    """

    shares: FloatArray
    response: FloatArray
    posterior: FloatArray
    likelihoods: FloatArray
    log_likelihood: float
    rounds: int


def latent_classes(
    source: ItemSource, *, classes: int = 2, seed: int = 0, starts: int = 20, precision: float = 1e-10
) -> LatentClasses:
    """Return the latent class model of a table, by the EM algorithm from several random starts.

    A missing judgment is ignored (missing at random).

    Parameters
    ----------
    source : ItemTable, matrix, data frame, columns, records or path
        With at least as many coders as the model needs: three for two classes of two categories.
    classes : int
        How many classes.
    seed, starts : int
        Of the random starts; the best likelihood is kept. With a class a category there is one more start, from how
        often each category was given to each item.
    precision : float
        The EM ends when the log-likelihood grows by less than this.

    Examples
    --------
    >>> rows = [["a", "a", "a"]] * 4 + [["b", "b", "b"]] * 3 + [["a", "b", "b"]]
    >>> model = ga.latent_classes(ga.ItemTable.from_matrix(rows), starts=3)
    >>> model.shares.round(2).tolist()
    [0.5, 0.5]
    """
    table = items_of(source, "latent_classes")
    if classes < 1 or starts < 1:
        raise SettingsError(f"classes and starts must be 1 or more, not {classes} and {starts}")
    patterns = patterns_of(table)
    reason = _not_identified(table, patterns, classes)
    if reason is not None:
        empty = np.empty(0)
        return LatentClasses(empty, empty, empty, table.coders, table.categories, reason=reason)
    shown = _indicator(patterns)
    draw = np.random.Generator(np.random.PCG64(np.random.SeedSequence(entropy=seed, spawn_key=(_STREAM,))))
    begin = [draw.dirichlet(np.ones(classes), len(shown)) for _ in range(starts)]
    if classes == patterns.size:  # a class a category: what coders say of an item is a start that chance may miss
        begin.append(_vote_shares(shown, patterns.size, _VOTE))
    models = (_fitted(shown, patterns.times, patterns.size, posterior, precision) for posterior in begin)
    best = max(models, key=lambda model: model.log_likelihood)
    order = np.argsort(-best.shares, kind="stable")
    posterior = np.full((len(table), classes), np.nan)
    judged = np.flatnonzero(table.judgments > 0)
    pattern = {row: number for number, row in enumerate(map(tuple, patterns.rows.tolist()))}
    pattern_of_item = [pattern[tuple(row)] for row in table.codes[judged].tolist()]
    posterior[judged] = best.posterior[:, order][pattern_of_item]
    size = _parameters(patterns, classes)
    return LatentClasses(
        best.shares[order],
        best.response[order],
        posterior,
        table.coders,
        table.categories,
        best.log_likelihood,
        size,
        int(patterns.times.sum()),
        _fit(patterns, best.likelihoods, size),
    )


def _parameters(patterns: Patterns, classes: int) -> int:
    return (classes - 1) + classes * patterns.coders * (patterns.size - 1)


def _fit(patterns: Patterns, logs: FloatArray, parameters: int) -> Fit:
    """Return the test of fit, from the log-likelihood of an item of each pattern."""
    times = patterns.times
    judged, group = np.unique(patterns.rows >= 0, axis=0, return_inverse=True)
    group = group.ravel()
    items = np.bincount(group, times)
    cells = [patterns.size**count for count in judged.sum(axis=1).tolist()]
    with np.errstate(divide="ignore", over="ignore"):
        expected = items[group] * np.exp(logs)
        x2 = float(((times - expected) ** 2 / expected).sum())
    # all expectations of a group add up to its items, and a pattern that nobody gave adds its own to X²
    x2 += float(np.maximum(items - np.bincount(group, expected), 0.0).sum())
    g2 = 2 * float(times @ (np.log(times) - np.log(items[group]) - logs))
    few = sum(cells) - int(np.count_nonzero(expected >= _ENOUGH))  # those that nobody gave are rare, too
    return Fit(max(g2, 0.0), x2, sum(cells) - len(cells) - parameters, few > sum(cells) / 5)


def _not_identified(table: ItemTable, patterns: Patterns, classes: int) -> str | None:
    if table.anonymous:
        return ANONYMOUS
    if not len(patterns.times):
        return NO_ITEMS
    parameters = _parameters(patterns, classes)
    cells = patterns.coders * math.log(max(patterns.size, 1))
    return NOT_ENOUGH_CODERS if math.log1p(parameters) > cells + _ROUNDING else None


def _indicator(patterns: Patterns) -> FloatArray:
    """Return 1 where a coder gave a category, shape (n_patterns, n_coders * n_categories)."""
    table = np.concatenate([np.eye(patterns.size), np.zeros((1, patterns.size))])
    return table[patterns.rows].reshape(len(patterns.rows), -1)


def dawid_skene(
    shown: Judgments, times: FloatArray, size: int, *, precision: float = 1e-8, rounds: int = _ROUNDS
) -> Model:
    """Return the model in which the classes are the categories themselves, by the EM algorithm from shares of votes.

    Parameters
    ----------
    shown : array or sparse array, shape (n_rows, n_coders * size)
        How often each coder gave each category; a row without any is a coder who did not judge the item.
    times : ndarray of float64, shape (n_rows,)
        How many items have these judgments.
    size : int
        Number of categories.
    precision, rounds : float, int
        The EM ends when the log-likelihood grows by less than `precision`, or after so many rounds. No rate is taken
        for less than 1e-10.

    References
    ----------
    Dawid & Skene 1979, Maximum likelihood estimation of observer error-rates using the EM algorithm.
    """
    return _fitted(shown, times, size, _vote_shares(shown, size), precision, rounds, _FLOOR)


def _vote_shares(shown: Judgments, size: int, more: float = 0.0) -> FloatArray:
    """Return the share of each category in the judgments of each row, shape (n_rows, size); each has `more` votes."""
    votes = np.asarray(shown @ np.tile(np.eye(size), (shown.shape[1] // size, 1))) + more
    shares: FloatArray = votes / votes.sum(axis=1, keepdims=True)
    return shares


def _fitted(
    shown: Judgments,
    times: FloatArray,
    size: int,
    posterior: FloatArray,
    precision: float,
    rounds: int = _ROUNDS,
    least: float = _SMALLEST,
) -> Model:
    """Return where the EM from these posteriors ends; no probability of a response is taken for less than `least`."""
    before, done = -math.inf, 0
    weight = np.ascontiguousarray(posterior.T)  # a class a row: reductions over few classes are slow the other way
    while done < rounds:
        weight *= times
        shares = weight.sum(axis=1) / times.sum()
        counts = np.asarray(shown.T @ weight.T).T.reshape(len(shares), -1, size)
        response = counts / np.maximum(counts.sum(axis=2, keepdims=True), _SMALLEST)
        flat = np.log(np.maximum(response, least)).reshape(len(shares), -1)
        logs = np.ascontiguousarray(np.asarray(shown @ np.ascontiguousarray(flat.T)).T)
        logs += np.log(np.maximum(shares, _SMALLEST))[:, None]
        top = logs.max(axis=0)
        weight = np.exp(logs - top)
        total = weight.sum(axis=0)
        weight /= total
        likelihoods = top + np.log(total)
        likelihood, done = float((times * likelihoods).sum()), done + 1  # a product of BLAS waits for its threads
        if likelihood - before < precision:
            break
        before = likelihood
    return Model(shares, response, weight.T, likelihoods, likelihood, done)
