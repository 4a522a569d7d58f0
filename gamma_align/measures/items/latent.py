"""Models of certain and uncertain judgments: Aickin's share of easy items, and latent classes.

References
----------
Aickin 1990, Maximum Likelihood Estimation of Agreement in the Constant Predictive Probability Model.
Dawid & Skene 1979; Uebersax & Grove 1990 (latent classes of coders' judgments). Goodman 1974 (their test of fit).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gamma_align.columns import FloatArray
from gamma_align.data import ItemTable
from gamma_align.errors import SettingsError
from gamma_align.inference import Result, Value
from gamma_align.measures.items.counts import Patterns, confusion, patterns_of
from gamma_align.measures.items.spec import (
    CODERS_PER_PAIR,
    EMPTY_CELL,
    NO_ITEMS,
    NO_PAIRS,
    NO_VARIATION,
    NOT_ENOUGH_CODERS,
    NOT_TWO,
    UNNAMED_CODERS,
)

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    Judgments = FloatArray | csr_array

_STREAM = 0x1A7E  # the stream of the random starts among the streams of a seed
_MAX_ITERATIONS = 20_000  # of a fixed point or of EM
_FIXED_POINT_TOLERANCE = 1e-14  # absolute, of a share
_MIN_POSITIVE = 1e-300  # so that no logarithm or quotient of 0 is taken
_MIN_ERROR_RATE = 1e-10  # of an error without any judgment: a few judgments do not make it impossible
_LOG_TOLERANCE = 1e-12  # of logarithms of numbers of parameters, which are rounded
_PRIOR_VOTES = 0.1  # added to each category, so that a start of EM has no probability of 0
_MIN_EXPECTED_COUNT = 5  # Cochran 1954
_MIN_CELLS_PER_RARE_CELL = 5  # Cochran 1954
_MAX_FREEDOM = 10**300  # degrees of freedom that a float holds
_N_CLASSES_OF_ACCURACY = 2


def aickin(table: ItemTable, *, correction: bool = True) -> Value:
    """Return Aickin's a without interval: the share of easy items, on which two coders agree with certainty.

    P(k, l) = (1 - a) r_k s_l + a [k=l] r_k s_k / Σ r s, by maximum likelihood: with T = Σ r_k s_k,
    a = (A_o - T)/(1 - T), r_k = p_k·/(1 - a + a s_k/T) and s likewise, to a fixed point. On a 2 × 2 table that is
    A_o (1 - √(n₁₂n₂₁/(n₁₁n₂₂))).

    Parameters
    ----------
    table : ItemTable
        The judgments of two coders; only items that both judged are used.
    correction : bool
        Whether the weight of one item is divided evenly among the cells, as by Aickin. Otherwise, with empty cells, the
        estimate may be at its bound a = A_o, and is then not available.

    Examples
    --------
    >>> items = ga.ItemTable.from_matrix([["a", "a"], ["b", "b"], ["a", "b"], ["b", "b"]])
    >>> print(ga.aickin(items))
    0.4667
    """
    if len(table.coders) != CODERS_PER_PAIR or table.anonymous:
        return Value.unavailable(UNNAMED_CODERS if table.anonymous else NOT_TWO)
    cells = confusion(patterns_of(table), 0, 1)
    if not cells.sum():
        return Value.unavailable(NO_PAIRS)
    is_used = (cells.sum(axis=0) + cells.sum(axis=1)) > 0
    if is_used.sum() <= 1:
        return Value.unavailable(NO_VARIATION)
    cells = cells + 1.0 / cells.size if correction else cells[np.ix_(is_used, is_used)]
    easy = _easy_share(cells / cells.sum())
    return Value.unavailable(EMPTY_CELL) if easy is None else Value(easy)


def _easy_share(share: FloatArray) -> float | None:
    """Return a at the fixed point, or None if it is at the bound: then T converges to 0, and a to A_o."""
    rows = share.sum(axis=1)
    columns = share.sum(axis=0)
    agreed = float(np.trace(share))
    first = rows.copy()
    second = columns.copy()
    easy = math.inf
    for _ in range(_MAX_ITERATIONS):
        chance_agreement = float(first @ second)
        if chance_agreement <= 0:
            return None
        previous = easy
        easy = (agreed - chance_agreement) / (1 - chance_agreement)
        if abs(easy - previous) < _FIXED_POINT_TOLERANCE:
            return easy
        first = rows / (1 - easy + easy * second / chance_agreement)
        # Until convergence, the formula does not keep their sum at 1.
        first /= first.sum()
        second = columns / (1 - easy + easy * first / float(first @ second))
        second /= second.sum()
    return None


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Fit(Result):
    """Test of fit: observed counts of response patterns compared with the counts expected by a model.

    A pattern is the judgments of all coders on an item; an item with missing judgments is compared only with items
    judged by the same coders. The p values hold for large samples: if more than a fifth of the patterns have an
    expected count below five (Cochran 1954), `sparse` is true, and neither is reliable.
    """

    g2: float = math.nan  # likelihood-ratio statistic G² = 2 Σ n ln(n/e) over the observed patterns
    x2: float = math.nan  # Pearson's X² = Σ (n - e)²/e over all patterns
    freedom: int = 0  # number of patterns - 1 - number of free parameters
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
        """Return the probability of a statistic at least as large; NaN without degrees of freedom."""
        from scipy.special import chdtrc

        if self.freedom <= 0 or math.isnan(statistic):
            return math.nan
        return float(chdtrc(float(min(self.freedom, _MAX_FREEDOM)), statistic))

    def _contents(self) -> dict[str, object]:
        return {name: getattr(self, name) for name in ("g2", "x2", "p_g2", "p_x2", "freedom", "sparse")}


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class LatentClasses(Result):
    """A latent class model of the judgments: each item has a class, and given the class coders judge independently.

    Attributes
    ----------
    shares : ndarray of float64, shape (n_classes,)
        Share of items in each class, in descending order.
    response : ndarray of float64, shape (n_classes, n_coders, n_categories)
        Probability of each category by class and coder.
    posterior : ndarray of float64, shape (n_items, n_classes)
        Probability of each class for each item; NaN for items without judgments.
    coders, categories : tuple of str
        The coders and categories of the table.
    log_likelihood : float
        The maximum over all starts.
    parameters : int
        Number of free parameters: shares of classes, and of categories by class and coder.
    items : int
        Number of judged items.
    fit : Fit
        The test of fit.
    reason : str or None
        The reason if there is no model; all other fields are then empty.
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
        """Akaike's criterion, 2·parameters - 2·log-likelihood: the model with the lowest value is preferred."""
        return 2 * self.parameters - 2 * self.log_likelihood

    @property
    def bic(self) -> float:
        """Schwarz's criterion, ln(items)·parameters - 2·log-likelihood: the lowest value is best."""
        return self.parameters * math.log(max(self.items, 1)) - 2 * self.log_likelihood

    def accuracy(self, positive: str) -> dict[str, tuple[float, float]]:
        """Return sensitivity and specificity of each coder for a category, in a model of two classes.

        The class in which coders choose `positive` more often is regarded as the true one.

        Examples
        --------
        >>> rows = [["a", "a", "a"]] * 4 + [["b", "b", "b"]] * 3 + [["a", "b", "b"]]
        >>> model = ga.latent_classes(ga.ItemTable.from_matrix(rows), starts=3)
        >>> sensitivity, specificity = model.accuracy("a")["1"]
        >>> round(sensitivity, 2), round(specificity, 2)
        (1.0, 0.75)
        """
        if len(self.shares) != _N_CLASSES_OF_ACCURACY:
            raise SettingsError(f"accuracy is defined for two classes, and this model has {len(self.shares)}")
        if positive not in self.categories:
            raise SettingsError(f"there is no category {positive!r}; there are {', '.join(map(repr, self.categories))}")
        probability = self.response[:, :, self.categories.index(positive)]
        true = int(probability.mean(axis=1).argmax())
        return {
            name: (float(probability[true, coder]), 1.0 - float(probability[1 - true, coder]))
            for coder, name in enumerate(self.coders)
        }

    def _contents(self) -> dict[str, object]:
        names = ("categories", "log_likelihood", "parameters", "items", "aic", "bic", "fit", "reason")
        # Without a model, the response of each coder is empty.
        by_coder = self.response.swapaxes(0, 1) if len(self.shares) else np.empty((len(self.coders), 0))
        response = dict(zip(self.coders, by_coder, strict=True))
        return {"shares": self.shares, "response": response, **{name: getattr(self, name) for name in names}}


class Model(NamedTuple):
    """The result of EM.

    `shares` have shape (n_classes,), `response` (n_classes, n_coders, n_categories), `posterior` (n_rows, n_classes),
    and `likelihoods`, the logarithms of the likelihood of an item of each row, (n_rows,).
    """

    shares: FloatArray
    response: FloatArray
    posterior: FloatArray
    likelihoods: FloatArray
    log_likelihood: float
    rounds: int  # iterations of EM


def latent_classes(
    table: ItemTable, *, classes: int = 2, seed: int = 0, starts: int = 20, precision: float = 1e-10
) -> LatentClasses:
    """Return the latent class model of a table, estimated with the EM algorithm from several random starts.

    A missing judgment is ignored (missing at random).

    Parameters
    ----------
    table : ItemTable
        The judgments. A model with two classes and two categories requires three coders.
    classes : int
        Number of classes.
    seed, starts : int
        Seed and number of the random starts; the result with the highest likelihood is returned. If there are as many
        classes as categories, the votes for each category are one more start.
    precision : float
        EM stops when the log-likelihood increases by less than this.

    Examples
    --------
    >>> rows = [["a", "a", "a"]] * 4 + [["b", "b", "b"]] * 3 + [["a", "b", "b"]]
    >>> model = ga.latent_classes(ga.ItemTable.from_matrix(rows), starts=3)
    >>> model.shares.round(2).tolist()
    [0.5, 0.5]
    """
    if classes < 1 or starts < 1:
        raise SettingsError(f"classes and starts must be 1 or more, not {classes} and {starts}")
    patterns = patterns_of(table)
    reason = _reason_not_identified(table, patterns, classes)
    if reason is not None:
        empty = np.empty(0)
        return LatentClasses(empty, empty, empty, table.coders, table.categories, reason=reason)
    indicators = _indicators(patterns)
    draw = np.random.Generator(np.random.PCG64(np.random.SeedSequence(entropy=seed, spawn_key=(_STREAM,))))
    posteriors = [draw.dirichlet(np.ones(classes), len(indicators)) for _ in range(starts)]
    if classes == patterns.size:
        # Classes are probably the categories; random starts may not find this maximum.
        posteriors.append(_vote_shares(indicators, patterns.size, _PRIOR_VOTES))
    models = (_maximise(indicators, patterns.times, patterns.size, posterior, precision) for posterior in posteriors)
    best = max(models, key=lambda model: model.log_likelihood)
    # EM numbers the classes arbitrarily; the largest one becomes the first.
    order = np.argsort(-best.shares, kind="stable")
    posterior = np.full((len(table), classes), np.nan)
    judged_items = np.flatnonzero(table.judgments > 0)
    index = {row: pattern for pattern, row in enumerate(map(tuple, patterns.rows.tolist()))}
    pattern_of_item = [index[tuple(row)] for row in table.codes[judged_items].tolist()]
    posterior[judged_items] = best.posterior[:, order][pattern_of_item]
    n_parameters = _count_parameters(patterns, classes)
    return LatentClasses(
        best.shares[order],
        best.response[order],
        posterior,
        table.coders,
        table.categories,
        best.log_likelihood,
        n_parameters,
        int(patterns.times.sum()),
        _test_fit(patterns, best.likelihoods, n_parameters),
    )


def _count_parameters(patterns: Patterns, classes: int) -> int:
    """Return the number of free parameters of a model with these classes."""
    return (classes - 1) + classes * patterns.coders * (patterns.size - 1)


def _test_fit(patterns: Patterns, logs: FloatArray, n_parameters: int) -> Fit:
    """Return the test of fit from the log-likelihood of an item of each pattern."""
    times = patterns.times
    # Expected counts are computed among items that the same coders judged.
    judged, group = np.unique(patterns.rows >= 0, axis=0, return_inverse=True)
    group = group.ravel()
    items = np.bincount(group, times)
    cells = [patterns.size**count for count in judged.sum(axis=1).tolist()]
    with np.errstate(divide="ignore", over="ignore"):
        expected = items[group] * np.exp(logs)
        x2 = float(((times - expected) ** 2 / expected).sum())
    # The expected counts of a group sum to its items, and a pattern that is not observed adds its expected count to X².
    x2 += float(np.maximum(items - np.bincount(group, expected), 0.0).sum())
    g2 = 2 * float(times @ (np.log(times) - np.log(items[group]) - logs))
    n_cells = sum(cells)
    n_rare = n_cells - int(np.count_nonzero(expected >= _MIN_EXPECTED_COUNT))  # unobserved patterns are rare too
    return Fit(max(g2, 0.0), x2, n_cells - len(cells) - n_parameters, n_rare > n_cells / _MIN_CELLS_PER_RARE_CELL)


def _reason_not_identified(table: ItemTable, patterns: Patterns, classes: int) -> str | None:
    """Return the reason why the model cannot be estimated, or None."""
    if table.anonymous:
        return UNNAMED_CODERS
    if not len(patterns.times):
        return NO_ITEMS
    # There must be more patterns than parameters. The number of patterns may overflow, so logarithms are compared.
    log_patterns = patterns.coders * math.log(max(patterns.size, 1))
    is_excessive = math.log1p(_count_parameters(patterns, classes)) > log_patterns + _LOG_TOLERANCE
    return NOT_ENOUGH_CODERS if is_excessive else None


def _indicators(patterns: Patterns) -> FloatArray:
    """Return 1 for the category chosen by a coder, else 0, shape (n_patterns, n_coders * n_categories)."""
    table = np.concatenate([np.eye(patterns.size), np.zeros((1, patterns.size))])
    return table[patterns.rows].reshape(len(patterns.rows), -1)


def dawid_skene(
    shown: Judgments, times: FloatArray, size: int, *, precision: float = 1e-8, rounds: int = _MAX_ITERATIONS
) -> Model:
    """Return the model in which the classes are the categories, estimated with EM from the shares of votes.

    Parameters
    ----------
    shown : array or sparse array, shape (n_rows, n_coders * size)
        Number of times that each coder chose each category; all 0 for a coder that did not judge the item.
    times : ndarray of float64, shape (n_rows,)
        Number of items with these judgments.
    size : int
        Number of categories.
    precision, rounds : float, int
        EM stops when the log-likelihood increases by less than `precision`, or after `rounds` iterations. Rates below
        1e-10 are treated as 1e-10.

    References
    ----------
    Dawid & Skene 1979, Maximum likelihood estimation of observer error-rates using the EM algorithm.
    """
    return _maximise(shown, times, size, _vote_shares(shown, size), precision, rounds, _MIN_ERROR_RATE)


def _vote_shares(shown: Judgments, size: int, prior_votes: float = 0.0) -> FloatArray:
    """Return the share of each category in the judgments of each row, shape (n_rows, size)."""
    votes = np.asarray(shown @ np.tile(np.eye(size), (shown.shape[1] // size, 1))) + prior_votes
    shares: FloatArray = votes / votes.sum(axis=1, keepdims=True)
    return shares


def _maximise(
    shown: Judgments,
    times: FloatArray,
    size: int,
    posterior: FloatArray,
    precision: float,
    max_iterations: int = _MAX_ITERATIONS,
    min_probability: float = _MIN_POSITIVE,
) -> Model:
    """Maximise the likelihood with EM from these posteriors; lower probabilities become `min_probability`."""
    previous = -math.inf
    iterations = 0
    weight = np.ascontiguousarray(posterior.T)  # a row per class: reductions over a short last axis are slow
    while iterations < max_iterations:
        # M step: shares and responses are weighted frequencies.
        weight *= times
        shares = weight.sum(axis=1) / times.sum()
        counts = np.asarray(shown.T @ weight.T).T.reshape(len(shares), -1, size)
        response = counts / np.maximum(counts.sum(axis=2, keepdims=True), _MIN_POSITIVE)
        flat = np.log(np.maximum(response, min_probability)).reshape(len(shares), -1)
        logs = np.ascontiguousarray(np.asarray(shown @ np.ascontiguousarray(flat.T)).T)
        logs += np.log(np.maximum(shares, _MIN_POSITIVE))[:, None]
        # E step. The maximum is subtracted because exp of all logarithms could underflow.
        top = logs.max(axis=0)
        weight = np.exp(logs - top)
        total = weight.sum(axis=0)
        weight /= total
        likelihoods = top + np.log(total)
        likelihood = float((times * likelihoods).sum())  # not `@`: BLAS would wait for its threads
        iterations += 1
        if likelihood - previous < precision:
            break
        previous = likelihood
    return Model(shares, response, weight.T, likelihoods, likelihood, iterations)
