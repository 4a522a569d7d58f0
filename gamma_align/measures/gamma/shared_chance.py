"""One expected disorder, shared by documents that are too short to have their own.

Documents with the same number of annotators share Σ w·δ_e / Σ w, w being the weight of a document when disorders are
pooled. The sums are over the documents whose samples keep the requested minimum distance; if there are none, over all
documents that have a δ_e. Documents that have units but no δ_e have a value, too. γk shares by number of annotators and
category.

If every document has a δ_e that counts, γ of the corpus does not change, nor does its interval: the jackknife leaves a
document out of the shared disorder, too.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from gamma_align.chance import COMPUTED, ESTIMATED, errors_in_corpus
from gamma_align.columns import BoolArray, Columns, FloatArray, IntArray, cube
from gamma_align.inference import joint_error
from gamma_align.measures.gamma.gamma_rows import Chances, GammaRows

# Numerical errors of documents are nearly independent of each other, so that they add up as their squares do. In 177
# recordings of music and 100 made ones they had 2 to 5 % of their sizes in common, which many documents do not reduce.
_COMMON_SHARE = 0.1


class Sums(NamedTuple):
    """Sums of expected disorders over documents, from which a pooled value is computed.

    `expected` is Σ w·δ_e, with its standard `error`, degrees of `freedom`, `numerical` error and `bracket`; `samples`
    is the number of samples that have the disorder. `leave_one_out`, shape (n,), is Σ w·δ_e without each document; it
    is empty if documents do not share.
    """

    expected: float
    error: float
    freedom: float
    numerical: float
    bracket: float
    samples: int
    leave_one_out: FloatArray


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Pool(Columns):
    """Shared expected disorders of documents, or of categories of documents: n entries in k groups.

    `group`, shape (n,), is the group of each entry. `weight` and `expected`, shape (n,), are the terms of an entry in
    the sums Σ w and Σ w·δ_e of its group, 0 if it does not contribute. `error`, `freedom`, `numerical`, `bracket` and
    `third`, shape (k,), belong to the latter sum; `third` is its third central moment. `samples` and `controls`, shape
    (k,), are the numbers of samples that contribute.
    """

    group: IntArray
    weight: FloatArray
    expected: FloatArray
    error: FloatArray
    freedom: FloatArray
    numerical: FloatArray
    bracket: FloatArray
    third: FloatArray
    samples: IntArray
    controls: IntArray

    common_fields = ("error", "freedom", "numerical", "bracket", "third", "samples", "controls")

    @classmethod
    def of(cls, chances: Chances, group: IntArray, is_preferred: BoolArray) -> Pool:
        """Return the pool of these entries; an entry that is not preferred contributes only if no other can."""
        n_groups = int(group.max(initial=-1)) + 1
        can_contribute = np.isfinite(chances.expected) & (chances.weight > 0)
        has_preferred = np.bincount(group[can_contribute & is_preferred], minlength=n_groups) > 0
        contributes = can_contribute & (is_preferred | ~has_preferred[group])
        weight = np.where(contributes, chances.weight, 0.0)

        def terms(column: FloatArray) -> FloatArray:
            return np.where(contributes, weight * column, 0.0)

        def sums(column: FloatArray | IntArray) -> FloatArray:
            return np.bincount(group, weights=column, minlength=n_groups).astype(np.float64)

        error = terms(errors_in_corpus(weight, chances.error, chances.prior, chances.samples))
        with np.errstate(divide="ignore", invalid="ignore"):
            freedom = sums(error**2) ** 2 / sums(np.where(error > 0, (error**2) ** 2 / chances.freedom, 0.0))
        third = np.where(error > 0, chances.skewness * cube(error), 0.0)
        samples, controls = (
            sums(np.where(contributes, column, 0)).astype(np.int64) for column in (chances.samples, chances.controls)
        )
        errors = np.sqrt(sums(error**2))
        numerical = terms(chances.numerical_error)
        return cls(
            group=group,
            weight=weight,
            expected=terms(chances.expected),
            error=errors,
            freedom=freedom,
            numerical=np.maximum(np.sqrt(sums(numerical**2)), _COMMON_SHARE * sums(numerical)),
            bracket=sums(terms(chances.bracket)),
            third=sums(third),
            samples=samples,
            controls=controls,
        )

    @property
    def _total(self) -> FloatArray:
        """Σ w of each group; NaN if no entry contributes."""
        total = np.bincount(self.group, weights=self.weight, minlength=len(self.error))
        return np.where(total > 0, total, np.nan)

    @property
    def _mean(self) -> FloatArray:
        """The δ_e that each group shares; NaN if no entry contributes."""
        return np.bincount(self.group, weights=self.expected, minlength=len(self.error)) / self._total

    def shared(self, chances: Chances) -> Chances:
        """Return the entries with the shared expected disorder in place of their own."""
        group = self.group
        total = self._total
        with np.errstate(divide="ignore", invalid="ignore"):
            skewness = np.nan_to_num(self.third / cube(self.error))
        return replace(
            chances,
            expected=self._mean[group],
            error=(self.error / total)[group],
            deviation=np.full(len(group), np.nan),  # samples of several documents have none
            skewness=skewness[group],
            freedom=self.freedom[group],
            bracket=(self.bracket / total)[group],
            samples=self.samples[group],
            controls=self.controls[group],
            prior=np.zeros(len(group)),  # the shared error already includes φ
            status=np.where(self.samples > 0, ESTIMATED, COMPUTED)[group],
            numerical_error=(self.numerical / total)[group],
        )

    def sums(self, chances: Chances) -> Sums:
        """Return the sums over the entries that have a value; `chances` contains the shared disorders."""
        group = self.group
        is_known = chances.is_known
        weight = np.where(is_known, chances.weight, 0.0)
        total = self._total
        mean = self._mean
        group_weight = np.bincount(group, weights=weight, minlength=len(self.error))
        is_used = group_weight > 0
        group_sum = np.where(is_used, group_weight * mean, 0.0)
        remaining_weight = total[group] - self.weight
        with np.errstate(divide="ignore", invalid="ignore"):
            remaining_mean = ((mean * total)[group] - self.expected) / remaining_weight
            remaining_mean = np.where(remaining_weight > 0, remaining_mean, mean[group])
        expected = float(group_sum.sum())
        leave_one_out = expected - group_sum[group] + (group_weight[group] - weight) * remaining_mean
        scale = np.where(is_used, group_weight / total, 0.0)
        error, freedom = joint_error((scale * self.error)[is_used], self.freedom[is_used])
        return Sums(
            expected=expected,
            error=error,
            freedom=freedom,
            numerical=float((scale * self.numerical).sum()),
            bracket=float((scale * self.bracket).sum()),
            samples=int(self.samples[is_used].sum()),
            leave_one_out=leave_one_out[is_known],
        )


def own_sums(chances: Chances) -> Sums:
    """Return the sums over documents that each have their own δ_e."""
    weight = chances.weight
    expected = weight * chances.expected
    bracket = math.fsum((weight * chances.bracket).tolist())
    total = math.fsum(expected.tolist())
    errors = errors_in_corpus(weight, chances.error, chances.prior, chances.samples)
    error, freedom = joint_error(weight * errors, chances.freedom)
    terms = weight * chances.numerical_error
    squares = math.fsum((terms**2).tolist())
    sizes = math.fsum(terms.tolist())
    numerical = max(math.sqrt(squares), _COMMON_SHARE * sizes)
    return Sums(total, error, freedom, numerical, bracket, int(chances.samples.sum()), np.zeros(0))


class SharedChance(NamedTuple):
    """The rows of documents with shared expected disorders in place of their own, and the pools of these disorders."""

    rows: GammaRows
    gamma: Pool
    gamma_cat: Pool
    gamma_k: Pool

    @classmethod
    def of(cls, rows: GammaRows) -> SharedChance:
        """Return the shared disorders of the documents of these rows."""
        group = np.unique(rows.annotators, return_inverse=True)[1].reshape(-1)
        group_k = rows.category_k * (int(group.max(initial=0)) + 1) + group[rows.document_k]
        keeps_distance = ~rows.distance_lowered
        gamma = Pool.of(rows.gamma, group, keeps_distance)
        gamma_cat = Pool.of(rows.gamma_cat, group, keeps_distance)
        gamma_k = Pool.of(rows.gamma_k, group_k, keeps_distance[rows.document_k])
        shared = replace(
            rows,
            gamma=gamma.shared(rows.gamma),
            gamma_cat=gamma_cat.shared(rows.gamma_cat),
            gamma_k=gamma_k.shared(rows.gamma_k),
        )
        return cls(shared, gamma, gamma_cat, gamma_k)
