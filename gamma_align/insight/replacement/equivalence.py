"""Equivalence by substitution: the change of agreement if a model takes the place of a person.

A(H) is the agreement of the people, and A(H - j + f) that with the model f in the place of person j, on the documents
(items) that j saw. D is the mean over j of A(H - j + f) - A(H). All are functions of sums over documents, so one
bootstrap sample of documents serves all. The model is equivalent at the margin m if two one-sided tests reject D ≤ -m
and D ≥ m at .05, which is if the 90 % interval of D lies within ±m.

References
----------
He et al. 2025 (arXiv 2510.06658), substitution of annotators; Schuirmann 1987, two one-sided tests.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from gamma_align.columns import FloatArray, IntArray, grouped_sums
from gamma_align.data import Corpus, ItemTable
from gamma_align.distances import Distance
from gamma_align.inference import Result, draw_counts, equivalence_p, percentile_interval
from gamma_align.measures.gamma import GammaSettings, run
from gamma_align.measures.reference import IOU, Matching, Pairings, all_pairs, credits_by_measure
from gamma_align.measures.unitizing import CoincidenceRows, Family, UnitizingSettings, document_rows

EQUIVALENCE_LEVEL = 0.9  # of the interval: two one-sided tests at .05
FEW_DOCUMENTS = 20  # below, percentiles of a bootstrap are too narrow by a tenth or more
_MAX_CELLS = 2_000_000
_STREAM = 35  # of the random numbers of the bootstrap

Agreement = Callable[[FloatArray], FloatArray]
"""Return the agreement for weights of documents, shape (n_sets, n_documents); NaN if it is not available."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Equivalence(Result):
    """The change of agreement if a model takes the place of each person in turn.

    Attributes
    ----------
    measure : str
        The agreement: ``f1``, ``gamma``, ``unitizing-alpha`` or ``alpha``.
    agreement : float
        The agreement of the people, A(H).
    difference, low, high : float
        D, the mean change over people, and its 90 % interval; NaN if it is not available.
    margin : float
        The largest change that does not matter.
    p : float
        The larger p of the two one-sided tests.
    is_equivalent : bool or None
        Whether the interval lies within ±margin; None if it is not available.
    by_person : mapping of str to float
        The change with the model in the place of each person.
    documents : int
        Number of documents (items) with an answer of the model.
    reason : str or None
        Reason why the change is not available.

    Examples
    --------
    >>> items = ga.ItemTable.from_matrix([*map(list, zip("AABBCABA", "AABBCCBA", "ABBBACBA", "AABBCABB"))])
    >>> result = ga.replaceable(items, annotator="4", margin=0.5, min_instances=2)
    >>> change = result.models[0].equivalence
    >>> change.measure, change.documents, round(change.difference, 4)
    ('alpha', 8, -0.0504)
    """

    measure: str
    agreement: float
    difference: float
    low: float
    high: float
    margin: float
    p: float
    is_equivalent: bool | None
    by_person: Mapping[str, float]
    documents: int
    reason: str | None = None


def equivalence(
    measure: str,
    people: Sequence[str],
    agreements: Sequence[Agreement],
    n_documents: int,
    *,
    margin: float,
    replicates: int,
    seed: int,
) -> Equivalence:
    """Return the test of equivalence; the first of the agreements is A(H), the others have the model for each person.

    All are on the same `n_documents` documents.
    """

    def changes(weights: FloatArray) -> FloatArray:
        base, *substituted = (agreement(weights) for agreement in agreements)
        return np.stack(substituted) - base

    ones = np.ones((1, n_documents))
    agreement = float(agreements[0](ones)[0])
    by_person = changes(ones)[:, 0]
    difference = float(by_person.mean())
    named = dict(zip(people, by_person.tolist(), strict=True))
    if np.isnan(difference):
        return unavailable_equivalence(
            measure, margin, "the agreement is not available with the model in some person's place"
        )
    shares = np.full(n_documents, 1 / n_documents)
    counts = draw_counts(shares, n_documents, seed=seed, stream=_STREAM, replicates=replicates, cells=_MAX_CELLS)
    drawn = np.concatenate([changes(batch).mean(axis=0) for batch in counts])
    drawn = drawn[~np.isnan(drawn)]
    if len(drawn) < replicates / 2:
        return unavailable_equivalence(measure, margin, "most bootstrap samples of the documents have no agreement")
    low, high = percentile_interval(drawn, EQUIVALENCE_LEVEL)
    is_equivalent = -margin < low and high < margin
    p = equivalence_p(drawn, margin)
    return Equivalence(measure, agreement, difference, low, high, margin, p, is_equivalent, named, n_documents)


def unavailable_equivalence(measure: str, margin: float, reason: str) -> Equivalence:
    """Return an equivalence that is not available, with its reason."""
    nan = np.nan
    return Equivalence(measure, nan, nan, nan, nan, margin, nan, None, {}, 0, reason)


def substituted_corpora(corpus: Corpus, people: Sequence[str], model: str) -> Iterator[Corpus]:
    """Yield the people's corpus, then the corpora with the model in the place of each person; all documents each."""
    together = corpus.select(annotators=people)
    yield together
    for person in people:
        seen = [name for name in corpus.documents if person in corpus[name].annotators]
        other_people = together.drop(annotators=[person])
        yield other_people.merge(corpus.select(annotators=[model], documents=seen))


def gamma_agreements(
    corpora: Iterator[Corpus], documents: Sequence[str], settings: GammaSettings, n_jobs: int | None
) -> Iterator[Agreement]:
    """Yield γ of each corpus as a function of the weights of documents."""
    for corpus in corpora:
        rows = run(corpus, settings, n_jobs=n_jobs)
        chances = rows.gamma
        sums = np.zeros((len(documents), 2))
        terms = np.stack([chances.weight * chances.observed, chances.weight * chances.expected], axis=1)
        is_known = ~np.isnan(terms).any(axis=1)
        document_index = _index_documents(documents, corpus)
        sums[document_index[is_known]] = terms[is_known]
        yield _one_minus_ratio(sums)


def _one_minus_ratio(sums: FloatArray) -> Agreement:
    """Return 1 - Σ first / Σ second of two sums over documents, shape (n_documents, 2)."""

    def agreement(weights: FloatArray) -> FloatArray:
        observed, expected = (weights @ sums).T
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(expected > 0, 1.0 - observed / expected, np.nan)

    return agreement


def unitizing_agreements(
    corpora: Iterator[Corpus], documents: Sequence[str], settings: UnitizingSettings
) -> Iterator[Agreement]:
    """Yield uα of each corpus as a function of the weights of documents."""
    for corpus in corpora:
        rows = document_rows(corpus, layers=settings.layers)
        family = Family.of(corpus.categories, settings.distance, rows, layers=settings.layers)
        document_index = _index_documents(documents, corpus)[rows.documents]
        yield _family_agreement(family, rows, document_index)


def _family_agreement(family: Family, rows: CoincidenceRows, document_index: IntArray) -> Agreement:
    def agreement(weights: FloatArray) -> FloatArray:
        from scipy.sparse import csr_matrix

        values: FloatArray = family.weighted(rows, csr_matrix(weights[:, document_index]))[:, 0]
        return values

    return agreement


def f1_agreements(corpus: Corpus, people: Sequence[str], model: str) -> Iterator[Agreement]:
    """Yield strict F1 of all pairs of annotators together, as a function of the weights of documents.

    Each pair of annotators is matched once; a substitution removes the pairs of a person and adds the model's pairs.
    """
    slots = all_pairs(corpus)
    pairings = Pairings.of(corpus, slots)
    strict = credits_by_measure(pairings.batch, IOU.default, Matching.of(pairings.batch))["strict"]
    sums = strict.sums(strict.instance, len(pairings))
    terms = np.stack([sums.size.sum(axis=1) - sums.credit.sum(axis=1), sums.size.sum(axis=1)], axis=1)
    n_documents = len(corpus)
    n_annotators = len(corpus.annotators)
    code = corpus.annotators.index(model)
    first = pairings.reference
    second = pairings.system
    document = pairings.document
    with_model = (first == code) | (second == code)
    partner = np.where(first == code, second, first)

    def by_document(rows: IntArray) -> FloatArray:
        columns = [grouped_sums(document[rows], terms[rows, column], n_documents) for column in (0, 1)]
        return np.stack(columns, axis=1)

    def by_annotator(annotator: IntArray, rows: IntArray) -> FloatArray:
        key = document[rows] * n_annotators + annotator[rows]
        columns = [grouped_sums(key, terms[rows, column], n_documents * n_annotators) for column in (0, 1)]
        return np.stack(columns, axis=1).reshape(n_documents, n_annotators, 2)

    people_rows = np.flatnonzero(~with_model)
    model_rows = np.flatnonzero(with_model)
    total = by_document(people_rows)
    yield _one_minus_ratio(total)
    person_terms = by_annotator(first, people_rows) + by_annotator(second, people_rows)
    with_person = by_annotator(partner, model_rows)
    model_total = with_person.sum(axis=1)
    was_seen = np.zeros((n_documents, n_annotators), dtype=np.bool_)
    was_seen[corpus.seen_document, corpus.seen] = True
    for person in people:
        index = corpus.annotators.index(person)
        added = np.where(was_seen[:, index, None], model_total - with_person[:, index], 0.0)
        yield _one_minus_ratio(total - person_terms[:, index] + added)


def _index_documents(documents: Sequence[str], corpus: Corpus) -> IntArray:
    """Return the index of each document of a corpus among all documents."""
    index = {name: row for row, name in enumerate(documents)}
    return np.array([index[name] for name in corpus.documents], dtype=np.int64)


def alpha_agreements(table: ItemTable, people: Sequence[str], model: str, distance: Distance) -> Iterator[Agreement]:
    """Yield Krippendorff's α as a function of the weights of items; distances use the people's frequencies."""
    column = {name: index for index, name in enumerate(table.coders)}
    codes = table.codes[:, [column[name] for name in people]].astype(np.int64)
    answer = table.codes[:, column[model]].astype(np.int64)
    weights = np.bincount(codes[codes >= 0], minlength=table.n_categories).astype(np.float64)
    matrix = distance.matrix(table.labels, weights) if distance.adaptive else distance.matrix(table.labels)
    yield _alpha(codes, matrix)
    for index in range(len(people)):
        substituted = codes.copy()
        substituted[:, index] = np.where(codes[:, index] >= 0, answer, -1)
        yield _alpha(substituted, matrix)


def _alpha(codes: IntArray, matrix: FloatArray) -> Agreement:
    """Return α = 1 - D_o / D_e (Krippendorff 2011) of judgments, shape (n_items, n_coders)."""
    counts = np.zeros((len(codes), len(matrix)))
    item, coder = np.nonzero(codes >= 0)
    np.add.at(counts, (item, codes[item, coder]), 1.0)
    n_judgments = counts.sum(axis=1)
    counts[n_judgments < 2] = 0.0  # noqa: PLR2004  (a single judgment cannot be paired)
    observed = np.einsum("ic,ck,ik->i", counts, matrix, counts, optimize=True) / np.maximum(n_judgments - 1.0, 1.0)

    def agreement(weights: FloatArray) -> FloatArray:
        totals = weights @ counts
        n = totals.sum(axis=1)
        expected = np.einsum("rc,ck,rk->r", totals, matrix, totals, optimize=True)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(expected > 0, 1.0 - (n - 1.0) * (weights @ observed) / expected, np.nan)

    return agreement
