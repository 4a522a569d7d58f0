"""Pooled γ, γcat and γk of a corpus, with their intervals, from the disorders of its documents."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from itertools import compress

import numpy as np

from gamma_align.chance import COMPUTED, CONSTANT, ESTIMATED, IMPOSSIBLE
from gamma_align.columns import FloatArray, IntArray
from gamma_align.inference import (
    NO_DISAGREEMENT,
    LazyMapping,
    jackknife_interval,
    no_interval,
    ratio_interval,
    relative_half_width,
)
from gamma_align.measures.gamma.gamma_reasons import (
    NO_DISORDER,
    NO_OVERLAP,
    NOT_ABOVE_ZERO,
    NOT_BY_CHANCE,
    ONE_PAIR,
    REASON_CODES,
    precision_note,
)
from gamma_align.measures.gamma.gamma_result import Documents, GammaValue
from gamma_align.measures.gamma.gamma_rows import Chances
from gamma_align.measures.gamma.shared_chance import Pool, SharedChance, own_sums


def corpus_values(
    documents: Documents, shared: SharedChance | None = None, *, delta_empty: float = math.inf
) -> tuple[GammaValue, GammaValue, Mapping[str, GammaValue]]:
    """Return pooled γ, γcat and γk: 1 - Σ w·δ / Σ w·δ_e over the documents that have both.

    w is x̄ for γ, and the document's Σ of pair weights for γcat and γk. The interval is computed by
    `inference.jackknife`; with one document it is the document's own interval. No interval goes below the value of
    complete disagreement: the δ of γ is at most n·Δ (n annotators, `delta_empty` is Δ), if no units are aligned (M15
    §4.3), and the δ of γcat and γk is at most 1. If documents share an expected disorder, the rows are `shared.rows`.
    """
    rows = documents.rows
    if len(rows) == 1:
        only = documents[0]
        return only.gamma, only.gamma_cat, only.gamma_k
    return (
        pooled_gamma(
            rows.gamma,
            documents.gamma.reasons,
            rows.annotators,
            delta_empty,
            shared and shared.gamma,
            names=rows.documents,
        ),
        _pool_documents(rows.gamma_cat, documents.gamma_cat.reasons, shared and shared.gamma_cat, names=rows.documents),
        LazyMapping(partial(_pooled_gamma_k, documents, shared)),  # a report measures many pairs without γk
    )


def _pooled_gamma_k(documents: Documents, shared: SharedChance | None) -> dict[str, GammaValue]:
    """Return pooled γk of each category."""
    rows = documents.rows
    reasons = documents.gamma_k.reasons
    order = rows.category_k.argsort(kind="stable")
    codes, counts = np.unique(rows.category_k, return_counts=True)
    indices = np.split(order, counts.cumsum()[:-1]) if len(codes) else []
    gamma_k = {}
    for code, index in zip(codes.tolist(), indices, strict=True):
        names = [rows.documents[document] for document in rows.document_k[index].tolist()]
        pool = shared and shared.gamma_k.take(index)
        gamma_k[rows.categories[code]] = _pool_documents(rows.gamma_k.take(index), reasons[index], pool, names=names)
    return gamma_k


def pooled_gamma(
    chances: Chances,
    reasons: IntArray,
    annotators: IntArray,
    delta_empty: float,
    pool: Pool | None = None,
    *,
    names: Sequence[str],
) -> GammaValue:
    """Return γ of a corpus from the disorders of its documents; `reasons` explain missing values of documents."""
    max_disorder = np.maximum(annotators, 1).astype(np.float64) * delta_empty  # 0 · ∞ is no number
    return _pool_documents(chances, reasons, pool, max_disorder=max_disorder, names=names)


def _pool_documents(
    chances: Chances,
    reasons: IntArray,
    pool: Pool | None,
    *,
    max_disorder: FloatArray | None = None,
    names: Sequence[str],
) -> GammaValue:
    """Return the value of a corpus from the disorders of its documents; `reasons` explain missing values of documents.

    A document has agreement if units are aligned and its disorder is below the largest possible one, 1 by default.
    `names` are the names of the documents.
    """
    if (reasons > 0).all():
        return GammaValue.unavailable(_most_common(reasons))
    is_known = chances.is_known
    available = chances if is_known.all() else chances.take(is_known)  # large corpora are not copied
    if not len(available):  # no document disagrees, and none has an expected disorder
        is_impossible = (chances.status == IMPOSSIBLE)[~np.isnan(chances.observed)].all()
        note = NO_OVERLAP if is_impossible else NOT_BY_CHANCE
        return GammaValue(1.0, no_interval=NO_DISAGREEMENT, precision_note=note)
    max_disorder = np.ones(len(available)) if max_disorder is None else max_disorder[is_known]
    observed = available.weight * available.observed
    total, weights = (math.fsum(column.tolist()) for column in (observed, available.weight))
    sums = own_sums(available) if pool is None else pool.sums(chances)
    if total > 0 and not sums.expected > 0:  # with a control variate, an estimate can be below 0
        return GammaValue.unavailable(NO_DISORDER if sums.expected == 0 else NOT_ABOVE_ZERO)
    if total == 0 and sums.expected == 0:  # other documents have no expected disorder
        return GammaValue.unavailable(_most_common(reasons[is_known]))
    agreeing = available.agreeing(max_disorder)
    names = [*compress(names, is_known.tolist())]
    if pool is None:
        interval = ratio_interval(observed, available.weight * available.expected, agreeing, names=names)
    else:
        sums_without = total - observed, sums.leave_one_out
        interval = jackknife_interval(total, sums.expected, *sums_without, agreeing, names=names)
    if interval.missing is None:
        # If δ_e is too large by the bracket, the value is too high.
        excess = total / (sums.expected - sums.bracket) - total / sums.expected
        min_value = 1.0 - math.fsum((available.weight * max_disorder).tolist()) / sums.expected
        interval = interval._replace(low=max(interval.low - excess, min_value))
    pairs = int(available.pairs.sum())
    if pairs == 1:
        interval = no_interval(ONE_PAIR)
    precision = relative_half_width(sums.expected, sums.error, sums.freedom)
    if sums.numerical > 0:
        precision += sums.numerical / sums.expected
    statuses = {*available.status.tolist()}
    status = ESTIMATED
    if statuses <= {CONSTANT, COMPUTED}:  # no document is sampled
        status = CONSTANT if statuses == {CONSTANT} else COMPUTED
    return GammaValue(
        1.0 - (total / sums.expected if total else 0.0),
        **interval.fields,
        standard_error=interval.error,
        observed=total / weights,
        expected=sums.expected / weights,
        expected_error=sums.error / weights,
        expected_precision=precision,
        precision_note=precision_note(sums.expected, precision, status),
        documents=len(available),
        pairs=pairs,
        samples=sums.samples,
    )


def _most_common(reasons: IntArray) -> str:
    """Return the most common reason of the documents; of equally common reasons, the first."""
    (code, _), *_ = Counter(reasons.tolist()).most_common(1)
    return str(REASON_CODES[code])
