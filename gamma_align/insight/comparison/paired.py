"""`paired`: two annotations of the same documents, or two sets of judgments of the same items.

The interval of a difference of values of documents is that of `inference.jackknife`, over the documents of both
annotations; its p is an exchange test (see `exchanges`). The sampling error of expected disorder needs no place of its
own: samples of different documents are independent, so their error is part of the difference between documents. How
large it is stands beside (`sampling_error`): more samples make that part smaller, more documents all of it.

References
----------
Efron & Tibshirani 1993, An Introduction to the Bootstrap, ch. 14-15. Vanbelle & Albert 2008; Vanbelle 2017 (items).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, Unpack, cast

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
from gamma_align.insight.comparison.differences import Difference, DocumentDifference, Paired
from gamma_align.insight.comparison.paired_items import paired_items
from gamma_align.insight.comparison.pools import GammaPool, UnitizingPool
from gamma_align.insight.comparison.shared_documents import EXTENTS, Shared, shared_documents
from gamma_align.measures.gamma.gamma_result import Documents
from gamma_align.measures.gamma.gamma_settings import GammaSettings
from gamma_align.measures.gamma.keywords import GammaOptions
from gamma_align.measures.gamma.measure import run
from gamma_align.measures.unitizing.unitizing_alpha import UnitizingSettings
from gamma_align.version import __version__

FAMILIES = ("gamma", "unitizing-alpha")
NAMES = ("first", "second")
REPLICATES = 9999

_AnyPool = GammaPool | UnitizingPool


class PairedOptions(GammaOptions, total=False):
    """Options of `paired` by keyword, which describes them."""

    replicates: int
    extents: str
    overlap: str
    n_jobs: int | None
    progress: Callable[[int, int], None] | None
    missing: str | None
    clusters: Sequence[object] | None


_OPTIONS_OF_ITEMS = frozenset({"distance", "missing", "clusters"})


def paired(
    first: Source | ItemTable,
    second: Source | ItemTable,
    /,
    *,
    measure: str | Iterable[str] | None = None,
    names: tuple[str, str] = NAMES,
    **settings: Unpack[PairedOptions],
) -> Paired:
    """Return how far two values differ: of two annotations of the same documents, or of the same items.

    The annotations are two guidelines, teams, systems or rounds; or two groups of annotators of one corpus, which
    ``corpus.select(annotators=…)`` gives. What counts are the documents that both have, with two annotators each.

    Parameters
    ----------
    first, second : Corpus, data frame, records, dict of annotator to spans, or path; or two ItemTable
        The data. Documents (items) are paired by name.
    measure : str or iterable of str, optional
        Of corpora ``"gamma"`` (default: γ, γcat, γk) and ``"unitizing-alpha"``; of tables coefficients that
        `item_coefficient` knows (default: ``"kappa"``).
    names : tuple of str
        What to call the two.
    replicates : int, default 9999
        Of corpora: how many exchanges the test looks at, unless there are fewer in all.
    extents : {"refuse", "join"}
        Of corpora: what to do where a document has another extent in the other corpus, as it does where extents are not
        declared: refuse the data, or take the smallest extent that holds both.
    overlap : {"refuse", "layers"}
        Of corpora: as in `unitizing_alpha`.
    n_jobs, progress
        Of corpora: as in `gamma`.
    distance, missing
        Of tables: as in `item_coefficient`.
    clusters : sequence, optional
        Of tables: a label for each item of the first table; items with the same label are not independent of each
        other. Intervals then rest on clusters in place of items.
    **settings
        Of corpora: those of `gamma`; the seed is that of the exchanges, too.

    Returns
    -------
    Paired

    Raises
    ------
    InputError
        If nothing is in both; if the text, the extent or the unit of length of a document differs; for what `gamma`
        and `unitizing_alpha` refuse.
    SettingsError
        For a setting out of its range.

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
    checked = cast("Any", settings)
    if isinstance(first, ItemTable) and isinstance(second, ItemTable):
        check_settings("paired() of items", settings, _OPTIONS_OF_ITEMS)
        return paired_items(first, second, measure, names, **checked)
    if isinstance(first, ItemTable) or isinstance(second, ItemTable):
        raise InputError("paired() takes two corpora, or two tables of items, and got one of each")
    options_of_corpora = PairedOptions.__annotations__.keys() - {"missing", "clusters"}
    check_settings("paired()", settings, options_of_corpora)
    corpora = corpus_of(first, "paired"), corpus_of(second, "paired")
    return paired_corpora(*corpora, measure=measure, names=names, **checked)


def paired_corpora(
    first: Corpus,
    second: Corpus,
    *,
    measure: str | Iterable[str] | None = None,
    names: tuple[str, str] = NAMES,
    replicates: int = REPLICATES,
    extents: str = EXTENTS[0],
    overlap: str = "refuse",
    n_jobs: int | None = None,
    progress: Callable[[int, int], None] | None = None,
    **settings: Unpack[GammaOptions],
) -> Paired:
    """Return what `paired` does of two corpora."""
    measures = _measures(measure)
    if replicates < 1:
        raise SettingsError(f"replicates must be 1 or more, not {replicates}")
    of_gamma = GammaSettings.of(**settings)
    of_gamma.check_own_chance("paired()")
    of_lengths = UnitizingSettings(of_gamma.dissimilarity.categorial, overlap)
    both = shared_documents(first, second, names, extents)
    pools: list[_AnyPool] = []
    notes, gap, samples = [*both.notes], 0.0, []
    for name, corpus in zip(names, (both.first, both.second), strict=True):
        notes += [Note.prefixed(name, note) for note in DataFacts.of(corpus).notes()]
    if "gamma" in measures:
        rows = [run(corpus, of_gamma, n_jobs=n_jobs, progress=progress) for corpus in (both.first, both.second)]
        pools.append(GammaPool.of(rows[0], rows[1], of_gamma.dissimilarity.delta_empty))
        gap = float(max(side.gap.max() for side in rows))
        for name, side in zip(names, rows, strict=True):
            notes += [Note.prefixed(name, note) for note in low_gamma_notes(Documents(side).gamma.values, side.units)]
        samples = [number for side in rows for number in side.samples.tolist() if number]
    if "unitizing-alpha" in measures:
        pools.append(UnitizingPool.of(both.first, both.second, of_lengths.distance, layers=of_lengths.layers))
    parts = [_compared(pool, both, names, of_gamma.seed, replicates) for pool in pools]
    if gap:
        notes.append(f"γ uses alignments not proven optimal; largest gap {gap:.2%}")
    if len(both.first) > MAX_BLOCKS:
        notes.append(f"documents are exchanged in {MAX_BLOCKS} runs of consecutive ones")
    return Paired(
        names=names,
        differences=tuple(row for part in parts for row in part.differences),
        documents=tuple(row for part in parts for row in part.documents),
        settings={
            "measures": list(measures),
            "replicates": replicates,
            "extents": extents,
            "seed": of_gamma.seed,
            **({"gamma": of_gamma.to_dict()} if "gamma" in measures else {}),
            **({"unitizing_alpha": of_lengths.to_dict()} if "unitizing-alpha" in measures else {}),
        },
        signature=_signature(both, measures, of_gamma, replicates, samples),
        notes=tuple(dict.fromkeys(notes)),
        gap=gap,
    )


def _measures(measure: str | Iterable[str] | None) -> tuple[str, ...]:
    chosen = FAMILIES[:1] if measure is None else (measure,) if isinstance(measure, str) else tuple(measure)
    unknown = [name for name in chosen if name not in FAMILIES]
    if unknown or not chosen:
        cause = f"no measure {unknown[0]!r}" if unknown else "no measure"
        hint = did_you_mean(unknown[0], FAMILIES) if unknown else ""
        raise SettingsError(f"{cause}; there are {' and '.join(FAMILIES)}{hint}")
    return tuple(dict.fromkeys(chosen))


class _Compared(NamedTuple):
    """The differences of one family, and those of the documents."""

    differences: list[Difference]
    documents: list[DocumentDifference]


def _compared(pool: _AnyPool, both: Shared, names: tuple[str, str], seed: int, replicates: int) -> _Compared:
    exchanges = exchange(pool, seed=seed, replicates=replicates)
    values = each_document(pool)
    totals, lowest = _totals(pool), pool.lowest
    differences = []
    for column, parts in enumerate(pool.parts()):
        one, other = lowest[:, column].tolist()
        interval = difference_interval(*parts, (one - 1.0, 1.0 - other), pool.noun)
        differences.append(_difference(pool, column, totals, interval, exchanges.p_value(column), names))
    documents = [row for column in range(len(pool.names)) for row in _documents(pool, column, values, both)]
    return _Compared(differences, documents)


def _totals(pool: _AnyPool) -> FloatArray:
    """Return the values of both annotations over all documents, shape (2, n_values)."""
    from scipy.sparse import csr_matrix

    every, nothing = csr_matrix(np.ones((1, pool.n_documents))), csr_matrix((1, pool.n_documents))
    return np.concatenate([pool.values(every, nothing), pool.values(nothing, every)])


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
    counted = int(pool.counted[:, column].sum())
    reason = _missing(counted, first, second, names)
    if reason is not None:
        return replace(Difference.unavailable(reason), **name._asdict(), first=first, second=second, documents=counted)
    first_too_high, second_too_high = pool.bracket[:, column].tolist()
    interval = interval._replace(low=interval.low - first_too_high, high=interval.high + second_too_high)
    return Difference(
        first - second,
        **interval.fields,
        **name._asdict(),
        first=first,
        second=second,
        p=p,
        standard_error=interval.error,
        sampling_error=float(pool.sampling_error[column]),
        documents=counted,
    )


def _missing(counted: int, first: float, second: float, names: tuple[str, str]) -> str | None:
    """Return why there is no difference, or None."""
    if not counted:
        return "no document has it in both"
    without = [name for name, value in zip(names, (first, second), strict=True) if math.isnan(value)]
    return f"not available for {' and '.join(without)}" if without else None


def _documents(
    pool: _AnyPool, column: int, values: tuple[FloatArray, FloatArray], both: Shared
) -> Iterator[DocumentDifference]:
    """Yield the documents of one coefficient, the largest difference first."""
    name = pool.names[column]
    if name.category is not None:
        return
    first, second = (side[:, column] for side in values)
    apart = first - second
    known = np.flatnonzero(pool.counted[:, column] & ~np.isnan(apart))
    units = [corpus.units_per_document.tolist() for corpus in (both.first, both.second)]
    for document in known[np.argsort(-np.abs(apart[known]), kind="stable")].tolist():
        numbers = (float(first[document]), float(second[document]), float(apart[document]))
        counts = (units[0][document], units[1][document])
        yield DocumentDifference(both.first.documents[document], name.coefficient, *numbers, *counts)


def _signature(
    both: Shared, measures: Sequence[str], settings: GammaSettings, replicates: int, samples: Sequence[int]
) -> str:
    annotators = [number_range(corpus.n_annotators.tolist()) for corpus in (both.first, both.second)]
    dissimilarity = settings.dissimilarity
    parts: Mapping[str, Any] = {
        "docs": len(both.first),
        "n": "/".join(annotators),
        "measures": "+".join(measures),
        "CI": "jackknife",
        "test": f"permutation({replicates})",
        **(
            {
                "α": f"{dissimilarity.alpha:g}",
                "β": f"{dissimilarity.beta:g}",
                "Δ": f"{dissimilarity.delta_empty:g}",
                "d": dissimilarity.name,
                "conv": settings.conventions,
                "N": number_range(samples),
            }
            if "gamma" in measures
            else {"δ": dissimilarity.categorial.name}
        ),
        "seed": settings.seed,
        "v": __version__,
    }
    return "|".join(["difference", *(f"{name}:{value}" for name, value in parts.items())])
