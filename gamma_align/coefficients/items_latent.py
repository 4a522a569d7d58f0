"""Models of who is sure and who guesses: Aickin's share of easy items, and latent classes.

References
----------
Aickin 1990, Maximum Likelihood Estimation of Agreement in the Constant Predictive Probability Model.
Dawid & Skene 1979; Uebersax & Grove 1990 (latent classes of coders' judgments).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gamma_align.coefficients.items_counts import Patterns, confusion, patterns_of
from gamma_align.coefficients.items_reasons import (
    ANONYMOUS,
    EMPTY_CELL,
    NO_ITEMS,
    NO_PAIRS,
    NO_VARIATION,
    NOT_ENOUGH_CODERS,
    NOT_TWO,
)
from gamma_align.coefficients.values import Value, finite_or_none
from gamma_align.errors import SettingsError

if TYPE_CHECKING:
    from gamma_align._types import FloatArray, IntArray
    from gamma_align.items import ItemTable

_STREAM = 0x1A7E
_ROUNDS = 20_000
_PRECISION = 1e-14
_SMALLEST = 1e-300
_ROUNDING = 1e-12


def aickin(table: ItemTable, *, correction: bool = True) -> Value:
    """Return Aickin's a: the share of items that are easy, on which two coders agree for certain.

    P(k, l) = (1 - a) r_k s_l + a [k=l] r_k s_k / Σ r s, by maximum likelihood: with T = Σ r_k s_k,
    a = (A_o - T)/(1 - T), r_k = p_k·/(1 - a + a s_k/T) and s likewise, to a fixed point. On a 2 × 2 table that is
    A_o (1 - √(n₁₂n₂₁/(n₁₁n₂₂))).

    Parameters
    ----------
    table : ItemTable
        Of two coders; items that both judged take part.
    correction : bool
        Whether a mass of one item is spread evenly over the cells, as Aickin does; without it empty cells may leave
        no estimate but the bound a = A_o.

    Returns
    -------
    Value
        Without interval.
    """
    if len(table.coders) != 2 or table.anonymous:  # noqa: PLR2004
        return Value.unavailable(ANONYMOUS if table.anonymous else NOT_TWO)
    cells = confusion(patterns_of(table), 0, 1)
    if not cells.sum():
        return Value.unavailable(NO_PAIRS)
    used = (cells.sum(axis=0) + cells.sum(axis=1)) > 0
    if used.sum() < 2:  # noqa: PLR2004
        return Value.unavailable(NO_VARIATION)
    cells = cells + 1.0 / cells.size if correction else cells[np.ix_(used, used)]
    share = cells / cells.sum()
    easy = _easy_share(share)
    return Value.unavailable(EMPTY_CELL) if easy is None else Value(easy)


def _easy_share(share: FloatArray) -> float | None:
    """Return a at the fixed point; None where there is none inside: T creeps towards 0 then, and a towards A_o."""
    rows, columns, agreed = share.sum(axis=1), share.sum(axis=0), float(np.trace(share))
    first, second = rows.copy(), columns.copy()
    easy = math.inf
    for _ in range(_ROUNDS):
        by_chance = float(first @ second)
        easy, before = (agreed - by_chance) / (1 - by_chance), easy
        if abs(easy - before) < _PRECISION:
            return easy
        first = rows / (1 - easy + easy * second / by_chance)
        first /= first.sum()
        second = columns / (1 - easy + easy * first / float(first @ second))
        second /= second.sum()
    return None


@dataclass(frozen=True, slots=True, eq=False)
class LatentClasses:
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
    log_likelihood, bic : float
        Of the best of all starts.
    reason : str or None
        Why there is no model; everything else is then empty.
    """

    shares: FloatArray
    response: FloatArray
    posterior: FloatArray
    coders: tuple[str, ...]
    categories: tuple[str, ...]
    log_likelihood: float = math.nan
    bic: float = math.nan
    reason: str | None = None

    def accuracy(self, positive: str) -> dict[str, tuple[float, float]]:
        """Return sensitivity and specificity of each coder for a category, in a model of two classes.

        The class in which coders say `positive` more often is the one where it is true.

        Raises
        ------
        SettingsError
            For a model of another number of classes, or a category that does not exist.
        """
        if len(self.shares) != 2 or positive not in self.categories:  # noqa: PLR2004
            raise SettingsError(f"accuracy is of two classes and a category of the table, not {positive!r}")
        said = self.response[:, :, self.categories.index(positive)]
        true = int(said.mean(axis=1).argmax())
        return {
            name: (float(said[true, coder]), 1.0 - float(said[1 - true, coder]))
            for coder, name in enumerate(self.coders)
        }

    def to_dict(self) -> dict[str, Any]:
        """Return the model, ready for JSON; without the items."""
        return {
            "shares": self.shares.tolist(),
            "response": {
                name: self.response[:, coder].tolist() if len(self.shares) else []
                for coder, name in enumerate(self.coders)
            },
            "categories": list(self.categories),
            "log_likelihood": finite_or_none(self.log_likelihood),
            "bic": finite_or_none(self.bic),
            "reason": self.reason,
        }


class _Fit(NamedTuple):
    shares: FloatArray
    response: FloatArray  # (classes, coders * categories)
    posterior: FloatArray
    log_likelihood: float


def latent_classes(
    table: ItemTable, *, classes: int = 2, seed: int = 0, starts: int = 20, precision: float = 1e-10
) -> LatentClasses:
    """Return the latent class model of a table, by the EM algorithm from several random starts.

    A missing judgment is ignored (missing at random).

    Parameters
    ----------
    table : ItemTable
        With at least as many coders as the model needs: three for two classes of two categories.
    classes : int
        How many classes.
    seed, starts : int
        Of the random starts; the best likelihood is kept.
    precision : float
        The EM ends when the log-likelihood grows by less than this.
    """
    if classes < 1 or starts < 1:
        raise SettingsError(f"classes and starts must be 1 or more, not {classes} and {starts}")
    patterns = patterns_of(table)
    reason = _not_identified(table, patterns, classes)
    if reason is not None:
        empty = np.empty(0)
        return LatentClasses(empty, empty, empty, table.coders, table.categories, reason=reason)
    shown = _indicator(patterns)
    draw = np.random.Generator(np.random.PCG64(np.random.SeedSequence(entropy=seed, spawn_key=(_STREAM,))))
    fits = [_fitted(shown, patterns, draw.dirichlet(np.ones(classes), len(shown)), precision) for _ in range(starts)]
    best = max(fits, key=lambda fit: fit.log_likelihood)
    order = np.argsort(-best.shares, kind="stable")
    size = (classes - 1) + classes * patterns.coders * (patterns.size - 1)
    posterior = np.full((len(table), classes), np.nan)
    judged, where = _pattern_of_items(table, patterns)
    posterior[judged] = best.posterior[:, order][where]
    return LatentClasses(
        best.shares[order],
        best.response[order].reshape(classes, patterns.coders, patterns.size),
        posterior,
        table.coders,
        table.categories,
        best.log_likelihood,
        -2 * best.log_likelihood + size * math.log(float(patterns.times.sum())),
    )


def _not_identified(table: ItemTable, patterns: Patterns, classes: int) -> str | None:
    if table.anonymous:
        return ANONYMOUS
    if not len(patterns.times):
        return NO_ITEMS
    parameters = (classes - 1) + classes * patterns.coders * (patterns.size - 1)
    cells = patterns.coders * math.log(max(patterns.size, 1))
    return NOT_ENOUGH_CODERS if math.log1p(parameters) > cells + _ROUNDING else None


def _indicator(patterns: Patterns) -> FloatArray:
    """Return 1 where a coder gave a category, shape (n_patterns, n_coders * n_categories)."""
    table = np.concatenate([np.eye(patterns.size), np.zeros((1, patterns.size))])
    shown: FloatArray = table[patterns.rows].reshape(len(patterns.rows), -1)
    return shown


def _fitted(shown: FloatArray, patterns: Patterns, posterior: FloatArray, precision: float) -> _Fit:
    before = -math.inf
    for _ in range(_ROUNDS):
        weight = posterior * patterns.times[:, None]
        shares = weight.sum(axis=0) / patterns.times.sum()
        counts = (weight.T @ shown).reshape(len(shares), patterns.coders, patterns.size)
        response = counts / np.maximum(counts.sum(axis=2, keepdims=True), _SMALLEST)
        flat = response.reshape(len(shares), -1)
        logs = shown @ np.log(np.maximum(flat, _SMALLEST)).T + np.log(np.maximum(shares, _SMALLEST))
        top = logs.max(axis=1, keepdims=True)
        total = np.exp(logs - top).sum(axis=1, keepdims=True)
        posterior = np.exp(logs - top) / total
        likelihood = float(patterns.times @ (top + np.log(total))[:, 0])
        if likelihood - before < precision:
            break
        before = likelihood
    return _Fit(shares, flat, posterior, likelihood)


def _pattern_of_items(table: ItemTable, patterns: Patterns) -> tuple[IntArray, IntArray]:
    """Return the items that were judged, and the pattern of each."""
    place = {row: at for at, row in enumerate(map(tuple, patterns.rows.tolist()))}
    judged = np.flatnonzero(table.judgments > 0)
    where = np.array([place[tuple(row)] for row in table.codes[judged].tolist()], dtype=np.int64)
    return judged, where
