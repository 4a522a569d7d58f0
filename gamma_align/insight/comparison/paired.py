"""`paired`: the difference between two annotations of the same documents, or two sets of judgments of the same items.

The interval of a difference of documents is a jackknife over the documents of both annotations
(`inference.jackknife`); its p is an exchange test (`inference.exchanges`). The sampling error of the expected disorder
is not added: samples of different documents are independent, so their error is part of the differences between
documents. `sampling_error` reports how large it is: more samples make this part smaller, more documents all of it.

References
----------
Efron & Tibshirani 1993, An Introduction to the Bootstrap, ch. 14-15. Vanbelle & Albert 2008; Vanbelle 2017 (items).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain
from typing import NamedTuple, Unpack, cast

import numpy as np

from gamma_align.columns import FloatArray
from gamma_align.data.checks import check_settings, number_range
from gamma_align.data.corpus import Corpus
from gamma_align.data.item_table import ItemTable
from gamma_align.data.sanity import DataFacts, low_gamma_notes
from gamma_align.data.sources import Source, corpus_of
from gamma_align.errors import InputError, Note, SettingsError, did_you_mean
from gamma_align.inference.exchanges import MAX_BLOCKS, each_document, exchange
from gamma_align.inference.jackknife import ConfidenceInterval, difference_interval
from gamma_align.insight.comparison.comparison_options import EXTENTS, FAMILIES, REPLICATES
from gamma_align.insight.comparison.differences import Difference, DocumentDifference, Paired
from gamma_align.insight.comparison.paired_items import ItemsOptions, paired_items
from gamma_align.insight.comparison.pools import GammaPool, UnitizingPool
from gamma_align.insight.comparison.shared_documents import Shared, shared_documents
from gamma_align.measures.gamma.gamma_result import Documents
from gamma_align.measures.gamma.gamma_rows import GammaRows, counts_in_words
from gamma_align.measures.gamma.gamma_settings import GammaSettings
from gamma_align.measures.gamma.keywords import GammaOptions
from gamma_align.measures.gamma.measure import run
from gamma_align.measures.unitizing.unitizing_alpha import UnitizingSettings
from gamma_align.measures.unitizing.unitizing_options import OVERLAP
from gamma_align.version import __version__

NAMES = ("first", "second")
"""Default names of the two annotations."""

_AnyPool = GammaPool | UnitizingPool


class CorporaOptions(GammaOptions, total=False):
    """Options of `paired` for two corpora, which describes them."""

    replicates: int
    extents: str
    overlap: str
    n_jobs: int | None
    progress: Callable[[int, int], None] | None


class PairedOptions(CorporaOptions, total=False):
    """Options of `paired` by keyword, which describes them."""

    missing: str | None
    clusters: Sequence[object] | None


def paired(
    first: Source | ItemTable,
    second: Source | ItemTable,
    /,
    *,
    measure: str | Iterable[str] | None = None,
    names: tuple[str, str] = NAMES,
    **settings: Unpack[PairedOptions],
) -> Paired:
    """Measure the difference between two annotations of the same documents, or of the same items.

    The annotations are two guidelines, teams, systems or rounds; or two groups of annotators of one corpus, which
    ``corpus.select(annotators=…)`` returns. Documents count if both annotations have them, with two annotators each.

    Parameters
    ----------
    first, second : Corpus, data frame, records, dict of annotator to spans, or path; or two ItemTable
        The data. Documents (items) are paired by name.
    measure : str or iterable of str, optional
        For corpora ``"gamma"`` (default: γ, γcat, γk) and ``"unitizing-alpha"``; for tables coefficients that
        `item_coefficient` knows (default: ``"kappa"``).
    names : tuple of str
        Names of the two annotations in the result.
    replicates : int, default 9999
        For corpora: number of random exchanges of the test. If there are fewer exchanges in all, each is used once.
    extents : {"refuse", "join"}
        For corpora: if the extent of a document differs, as it can if extents are not declared, refuse the data, or
        take the smallest extent that contains both.
    overlap : {"refuse", "layers"}
        For corpora: as in `unitizing_alpha`.
    n_jobs, progress
        For corpora: as in `gamma`.
    distance, missing
        For tables: as in `item_coefficient`.
    clusters : sequence, optional
        For tables: a label for each item of the first table. Items with the same label are not independent of each
        other, so intervals are computed over clusters instead of items.
    **settings
        For corpora: as in `gamma`; the seed is used for the exchanges, too.

    Returns
    -------
    Paired

    Raises
    ------
    InputError
        If no document is in both; if the text, the extent or the unit of length of a document differs; or for data that
        `gamma` or `unitizing_alpha` refuse.
    SettingsError
        If a setting is out of its range.

    Examples
    --------
    >>> documents = [ga.synthetic_reference(units=6, seed=seed, document=f"d{seed}") for seed in range(8)]
    >>> reference = ga.Corpus.from_continua(documents)
    >>> careful, careless = (ga.shuffle(reference, magnitude=size, annotators=2) for size in (0.1, 0.5))
    >>> difference = ga.paired(careful, careless, samples=10)["gamma"]
    >>> difference.first > difference.second, difference.documents
    (True, 8)
    >>> gold = "xyzxyxzyxyyxzxyxyzyxxzyxyxzy"
    >>> careful, hasty = "xyzxyxzyxyyxzxyxxzyxxzyxyxzy", "xyzyyxxyxzyxyxyzyzxxxzxyyxzx"
    >>> tables = [ga.ItemTable.from_matrix([*map(list, zip(gold, labels))]) for labels in (careful, hasty)]
    >>> print(ga.paired(*tables, measure="kappa")["kappa"])
    0.4427 [0.1214, 0.7640]
    """
    if isinstance(first, ItemTable) and isinstance(second, ItemTable):
        check_settings("paired() of items", settings, ItemsOptions.__annotations__.keys())
        return paired_items(first, second, measure, names, **cast("ItemsOptions", settings))
    if isinstance(first, ItemTable) or isinstance(second, ItemTable):
        raise InputError("paired() takes two corpora, or two tables of items, and got one of each")
    check_settings("paired()", settings, CorporaOptions.__annotations__.keys())
    corpora = corpus_of(first, "paired"), corpus_of(second, "paired")
    return paired_corpora(*corpora, measure=measure, names=names, **cast("CorporaOptions", settings))


def paired_corpora(
    first: Corpus,
    second: Corpus,
    *,
    measure: str | Iterable[str] | None = None,
    names: tuple[str, str] = NAMES,
    replicates: int = REPLICATES.default,
    extents: str = EXTENTS.default,
    overlap: str = OVERLAP.default,
    n_jobs: int | None = None,
    progress: Callable[[int, int], None] | None = None,
    **settings: Unpack[GammaOptions],
) -> Paired:
    """Measure the difference between two corpora; see `paired`."""
    measures = _measures(measure)
    REPLICATES.check(replicates)
    gamma_settings = GammaSettings.of(**settings)
    # The interval and the test assume independent documents, which do not share an expected disorder.
    gamma_settings.check_own_chance("paired()")
    unitizing_settings = UnitizingSettings(gamma_settings.dissimilarity.categorial, overlap)
    shared = shared_documents(first, second, names, extents)
    notes = [*shared.notes]
    for name, corpus in zip(names, (shared.first, shared.second), strict=True):
        notes += [Note.prefixed(name, note) for note in DataFacts.of(corpus).notes()]
    pools: list[_AnyPool] = []
    rows: list[GammaRows] = []
    if "gamma" in measures:
        rows = [run(corpus, gamma_settings, n_jobs=n_jobs, progress=progress) for corpus in shared[:2]]
        pools.append(GammaPool.of(rows[0], rows[1], gamma_settings.dissimilarity.delta_empty))
        for name, side in zip(names, rows, strict=True):
            notes += [Note.prefixed(name, note) for note in low_gamma_notes(Documents(side).gamma.values, side.units)]
    if "unitizing-alpha" in measures:
        distance, layers = unitizing_settings.distance, unitizing_settings.layers
        pools.append(UnitizingPool.of(shared.first, shared.second, distance, layers=layers))
    parts = [_compare(pool, shared, names, gamma_settings.seed, replicates) for pool in pools]
    gap = max((float(side.gap.max()) for side in rows), default=0.0)
    if gap:
        notes.append(f"γ uses alignments not proven optimal; largest gap {gap:.2%}")
    if len(shared.first) > MAX_BLOCKS:
        notes.append(f"documents are exchanged in {MAX_BLOCKS} runs of consecutive ones")
    return Paired(
        names=names,
        differences=tuple(chain.from_iterable(part.differences for part in parts)),
        documents=tuple(chain.from_iterable(part.documents for part in parts)),
        settings={
            "measures": list(measures),
            "replicates": replicates,
            "extents": extents,
            "seed": gamma_settings.seed,
            **({"gamma": gamma_settings.to_dict()} if "gamma" in measures else {}),
            **({"unitizing_alpha": unitizing_settings.to_dict()} if "unitizing-alpha" in measures else {}),
        },
        signature=_signature(shared, measures, gamma_settings, replicates, rows),
        notes=tuple(dict.fromkeys(notes)),
        gap=gap,
    )


def _measures(measure: str | Iterable[str] | None) -> tuple[str, ...]:
    """Return the names of the families to compare."""
    if measure is None:
        return FAMILIES[:1]
    names = (measure,) if isinstance(measure, str) else tuple(dict.fromkeys(measure))
    unknown = [name for name in names if name not in FAMILIES]
    if unknown or not names:
        refused = f"{unknown[0]!r}{did_you_mean(unknown[0], FAMILIES)}" if unknown else "an empty list"
        raise SettingsError(f"measure must be {' or '.join(FAMILIES)}, not {refused}")
    return names


class _Comparison(NamedTuple):
    """The differences of one family of coefficients, and the differences of documents."""

    differences: list[Difference]
    documents: list[DocumentDifference]


def _compare(pool: _AnyPool, shared: Shared, names: tuple[str, str], seed: int, replicates: int) -> _Comparison:
    exchanges = exchange(pool, seed=seed, replicates=replicates)
    values = each_document(pool)
    totals, lowest = _totals(pool), pool.lowest
    differences = []
    for column, parts in enumerate(pool.parts()):
        first_lowest, second_lowest = lowest[:, column].tolist()
        # No value is above 1, so that the difference lies between these limits.
        limits = (first_lowest - 1.0, 1.0 - second_lowest)
        # Runs of documents have no names.
        parts_names = shared.first.documents if pool.noun == "documents" else None
        interval = difference_interval(*parts, limits, pool.noun, parts_names)
        differences.append(_difference(pool, column, totals, interval, exchanges.p_value(column), names))
    documents: list[DocumentDifference] = []
    for column in range(len(pool.names)):
        documents += _documents(pool, column, values, shared)
    return _Comparison(differences, documents)


def _totals(pool: _AnyPool) -> FloatArray:
    """Return the values of both annotations over all documents, shape (2, n_values)."""
    from scipy.sparse import csr_matrix

    ones, zeros = csr_matrix(np.ones((1, pool.n_documents))), csr_matrix((1, pool.n_documents))
    return np.concatenate([pool.values(ones, zeros), pool.values(zeros, ones)])


def _difference(
    pool: _AnyPool,
    column: int,
    totals: FloatArray,
    interval: ConfidenceInterval,
    p: float,
    names: tuple[str, str],
) -> Difference:
    """Return the difference of one coefficient."""
    first, second = totals[:, column].tolist()
    name = pool.names[column]
    n_documents = int(pool.counted[:, column].sum())
    reason = _reason_unavailable(n_documents, first, second, names)
    if reason is not None:
        unavailable = Difference.unavailable(reason)
        return replace(unavailable, **name._asdict(), first=first, second=second, documents=n_documents)
    first_bracket, second_bracket = pool.bracket[:, column].tolist()
    # Brackets widen the interval: the first value may be lower, and so may the second.
    interval = interval._replace(low=interval.low - first_bracket, high=interval.high + second_bracket)
    return Difference(
        first - second,
        **interval.fields,
        **name._asdict(),
        first=first,
        second=second,
        p=p,
        standard_error=interval.error,
        sampling_error=float(pool.sampling_error[column]),
        documents=n_documents,
    )


def _reason_unavailable(n_documents: int, first: float, second: float, names: tuple[str, str]) -> str | None:
    """Return why there is no difference, or None if there is one."""
    if not n_documents:
        return "no document has it in both"
    unavailable = [name for name, value in zip(names, (first, second), strict=True) if math.isnan(value)]
    return f"not available for {' and '.join(unavailable)}" if unavailable else None


def _documents(
    pool: _AnyPool, column: int, values: tuple[FloatArray, FloatArray], shared: Shared
) -> Iterator[DocumentDifference]:
    """Yield the documents of one coefficient, the largest difference first; none for coefficients of categories."""
    name = pool.names[column]
    if name.category is not None:
        return
    first, second = (side[:, column] for side in values)
    differences = first - second
    counted = np.flatnonzero(pool.counted[:, column] & ~np.isnan(differences))
    units = [corpus.units_per_document.tolist() for corpus in (shared.first, shared.second)]
    for document in counted[np.argsort(-np.abs(differences[counted]), kind="stable")].tolist():
        yield DocumentDifference(
            document=shared.first.documents[document],
            coefficient=name.coefficient,
            first=float(first[document]),
            second=float(second[document]),
            difference=float(differences[document]),
            first_units=units[0][document],
            second_units=units[1][document],
        )


def _signature(
    shared: Shared, measures: Sequence[str], settings: GammaSettings, replicates: int, rows: Sequence[GammaRows]
) -> str:
    annotators = [number_range(corpus.n_annotators.tolist()) for corpus in (shared.first, shared.second)]
    dissimilarity = settings.dissimilarity
    parts: dict[str, object] = {
        "docs": len(shared.first),
        "n": "/".join(annotators),
        "measures": "+".join(measures),
        "CI": "jackknife",
        "test": f"permutation({replicates})",
    }
    if "gamma" in measures:
        is_measured = np.concatenate([side.alignments for side in rows]) > 0
        samples, errors = (
            np.concatenate(columns)[is_measured].tolist()
            for columns in ([side.samples for side in rows], [side.gamma.numerical_error for side in rows])
        )
        parts |= {
            "α": f"{dissimilarity.alpha:g}",
            "β": f"{dissimilarity.beta:g}",
            "Δ": f"{dissimilarity.delta_empty:g}",
            "d": dissimilarity.name,
            "conv": settings.conventions,
            "N": counts_in_words(samples, errors),
        }
    else:
        parts["δ"] = dissimilarity.categorial.name
    parts |= {"seed": settings.seed, "v": __version__}
    return "|".join(["difference", *(f"{name}:{value}" for name, value in parts.items())])
