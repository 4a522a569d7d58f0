"""One expected disorder for documents that are too short to have one of their own each.

Documents of as many annotators share one: Σ w·δ_e / Σ w over those whose samples are as they were asked for, w being
what a document weighs when disorders are pooled; where none are, over all that have a δ_e. Documents that have units,
but no δ_e, then have a value, too. For γk the documents are those that have the category.

Where every document has a δ_e that counts, γ of the corpus is what it is without sharing; so is its interval, since a
document that is left out is left out of what is shared.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from gamma_align.columns import BoolArray, Columns, FloatArray, IntArray
from gamma_align.inference.means import joint_error
from gamma_align.measures.gamma.categorial import ESTIMATED, errors_in_corpus
from gamma_align.measures.gamma.gamma_rows import Chances, GammaRows


class Sums(NamedTuple):
    """What the pooled value of some documents is made of besides what is observed.

    `expected` is Σ w·δ_e; `error`, `freedom` and `bracket` are those of it, and so many `samples` have it. `without`,
    shape (n,), is the same with each document left out, where they share it.
    """

    expected: float
    error: float
    freedom: float
    bracket: float
    samples: int
    without: FloatArray


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Pool(Columns):
    """What documents (or categories of documents) share, by group; n entries are in k groups.

    `group`, shape (n,), is that of each entry. `weight` and `expected`, shape (n,), are what an entry adds to the sums
    Σ w and Σ w·δ_e of its group, 0 for one that adds nothing; `error`, `freedom`, `bracket` and `third`, shape (k,),
    are those of the latter, `third` its third central moment. `samples` and `controls`, shape (k,), are behind it.
    """

    group: IntArray
    weight: FloatArray
    expected: FloatArray
    error: FloatArray
    freedom: FloatArray
    bracket: FloatArray
    third: FloatArray
    samples: IntArray
    controls: IntArray

    common_fields = ("error", "freedom", "bracket", "third", "samples", "controls")

    @classmethod
    def of(cls, chances: Chances, group: IntArray, kept: BoolArray) -> Pool:
        """Return the pool of these entries; those that are not `kept` add something only where no other does."""
        number = int(group.max(initial=-1)) + 1
        known = np.isfinite(chances.expected) & (chances.weight > 0)
        inside = known & (kept | ~_any(group, known & kept, number)[group])
        weight = np.where(inside, chances.weight, 0.0)

        def terms(column: FloatArray) -> FloatArray:
            return np.where(inside, weight * column, 0.0)

        def sums(column: FloatArray | IntArray) -> FloatArray:
            return np.bincount(group, weights=column, minlength=number).astype(np.float64)

        error = terms(errors_in_corpus(weight, chances.error, chances.prior, chances.samples))
        with np.errstate(divide="ignore", invalid="ignore"):
            freedom = sums(error**2) ** 2 / sums(np.where(error > 0, error**4 / chances.freedom, 0.0))
        third = np.where(error > 0, chances.skewness * error**3, 0.0)
        counts = (sums(np.where(inside, column, 0)).astype(np.int64) for column in (chances.samples, chances.controls))
        errors = np.sqrt(sums(error**2))
        return cls(
            group, weight, terms(chances.expected), errors, freedom, sums(terms(chances.bracket)), sums(third), *counts
        )

    @property
    def _total(self) -> FloatArray:
        """Σ w of each group, NaN where nothing is in it."""
        total = np.bincount(self.group, weights=self.weight, minlength=len(self.error))
        return np.where(total > 0, total, np.nan)

    @property
    def _mean(self) -> FloatArray:
        """The δ_e that each group shares, NaN where there is none."""
        return np.bincount(self.group, weights=self.expected, minlength=len(self.error)) / self._total

    def shared(self, chances: Chances) -> Chances:
        """Return the numbers of the entries with what they share in place of their own expected disorder."""
        group, total = self.group, self._total
        with np.errstate(divide="ignore", invalid="ignore"):
            skewness = np.nan_to_num(self.third / self.error**3)
        return replace(
            chances,
            expected=self._mean[group],
            error=(self.error / total)[group],
            deviation=np.full(len(group), np.nan),  # not that of one document's samples
            skewness=skewness[group],
            freedom=self.freedom[group],
            bracket=(self.bracket / total)[group],
            samples=self.samples[group],
            controls=self.controls[group],
            prior=np.zeros(len(group)),  # what is shared has its φ already
            status=np.full(len(group), ESTIMATED),
        )

    def sums(self, chances: Chances) -> Sums:
        """Return the sums over the entries that have a part in the value, whose numbers are those shared."""
        number, weight = len(self.error), np.where(chances.known, chances.weight, 0.0)
        total, mean = self._total, self._mean
        weights = np.bincount(self.group, weights=weight, minlength=number)
        used = weights > 0
        by_group = np.where(used, weights * mean, 0.0)
        own = total[self.group] - self.weight
        with np.errstate(divide="ignore", invalid="ignore"):
            others = (mean * total)[self.group] - self.expected
            left = np.where(own > 0, others / own, mean[self.group])
        expected = float(by_group.sum())
        without = expected - by_group[self.group] + (weights[self.group] - weight) * left
        scale = np.where(used, weights / total, 0.0)
        error, freedom = joint_error((scale * self.error)[used], self.freedom[used])
        bracket = float((scale * self.bracket).sum())
        return Sums(expected, error, freedom, bracket, int(self.samples[used].sum()), without[chances.known])


def own_sums(chances: Chances) -> Sums:
    """Return the sums over documents that each have a δ_e of their own."""
    weight = chances.weight
    expected, bracket = weight * chances.expected, math.fsum((weight * chances.bracket).tolist())
    total = math.fsum(expected.tolist())
    errors = errors_in_corpus(weight, chances.error, chances.prior, chances.samples)
    error, freedom = joint_error(weight * errors, chances.freedom)
    return Sums(total, error, freedom, bracket, int(chances.samples.sum()), np.zeros(0))


class SharedChance(NamedTuple):
    """The rows of documents with what they share in place of their own expected disorders, and what that is."""

    rows: GammaRows
    gamma: Pool
    gamma_cat: Pool
    gamma_k: Pool

    @classmethod
    def of(cls, rows: GammaRows) -> SharedChance:
        """Return what the documents of these rows share."""
        people, kept = np.unique(rows.annotators, return_inverse=True)[1].reshape(-1), ~rows.distance_lowered
        of_k = rows.category_k * (int(people.max(initial=0)) + 1) + people[rows.document_k]
        gamma, gamma_cat = Pool.of(rows.gamma, people, kept), Pool.of(rows.gamma_cat, people, kept)
        gamma_k = Pool.of(rows.gamma_k, of_k, kept[rows.document_k])
        shared = replace(
            rows,
            gamma=gamma.shared(rows.gamma),
            gamma_cat=gamma_cat.shared(rows.gamma_cat),
            gamma_k=gamma_k.shared(rows.gamma_k),
        )
        return cls(shared, gamma, gamma_cat, gamma_k)


def _any(group: IntArray, condition: BoolArray, number: int) -> BoolArray:
    """Return whether the condition holds for any entry of each group."""
    result: BoolArray = np.bincount(group[condition], minlength=number) > 0
    return result
