"""`compare`: what differs between two corpora.

The interval of a difference is a jackknife over the documents of both corpora (`inference.jackknife`); its p is an
exchange test (`inference.exchanges`). The sampling error of the expected disorder is not added: samples of different
documents are independent, so their error is part of the differences between documents. `sampling_error` reports how
large it is: more samples make this part smaller, more documents all of it.

References
----------
Efron & Tibshirani 1993, An Introduction to the Bootstrap, ch. 14-15. Vanbelle & Albert 2008; Vanbelle 2017 (items).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain
from typing import NamedTuple, Unpack

import numpy as np

from gamma_align.columns import FloatArray, IntArray
from gamma_align.data import Corpus, DataFacts, low_gamma_notes, number_range
from gamma_align.errors import Note, SettingsError, did_you_mean
from gamma_align.inference import BOTH, MAX_BLOCKS, ConfidenceInterval, difference_interval, each_document, exchange
from gamma_align.insight.comparison.changed_causes import annotator_changes, cause_changes, label_changes
from gamma_align.insight.comparison.comparison_options import CAUSES, EXTENTS, FAMILIES, REPLICATES
from gamma_align.insight.comparison.differences import ALL, NONE, SOME, Comparison, Difference, DocumentDifference
from gamma_align.insight.comparison.pools import GammaPool, UnitizingPool
from gamma_align.insight.comparison.sides import Sides, sides_of
from gamma_align.insight.disagreements.disagreements import Disagreements, disagreements_of
from gamma_align.measures.gamma import (
    Documents,
    GammaOptions,
    GammaResult,
    GammaRows,
    GammaSettings,
    counts_in_words,
    run,
)
from gamma_align.measures.unitizing import OVERLAP, UnitizingSettings
from gamma_align.version import __version__

NAMES = ("first", "second")
"""Default names of the two corpora."""

_AnyPool = GammaPool | UnitizingPool


class CorporaOptions(GammaOptions, total=False):
    """Options of `compare` for two corpora, which describes them."""

    causes: bool
    replicates: int
    extents: str
    overlap: str
    n_jobs: int | None
    progress: Callable[[int, int], None] | None


class CompareOptions(CorporaOptions, total=False):
    """Options of `compare` by keyword, which describes them."""

    missing: str | None
    clusters: Sequence[object] | None


def compare_corpora(
    first: Corpus,
    second: Corpus,
    *,
    measure: str | Iterable[str] | None = None,
    names: tuple[str, str] = NAMES,
    causes: bool = CAUSES.default,
    replicates: int = REPLICATES.default,
    extents: str = EXTENTS.default,
    overlap: str = OVERLAP.default,
    n_jobs: int | None = None,
    progress: Callable[[int, int], None] | None = None,
    **settings: Unpack[GammaOptions],
) -> Comparison:
    """Measure what differs between two corpora; see `compare`."""
    measures = _measures(measure)
    REPLICATES.check(replicates)
    CAUSES.check(causes)
    gamma_settings = GammaSettings.of(**settings)
    # The interval and the test assume independent documents, which do not share an expected disorder.
    gamma_settings.check_own_chance("compare()")
    unitizing_settings = UnitizingSettings(gamma_settings.dissimilarity.categorial, overlap)
    sides = sides_of(first, second, names, extents)
    measured = _Measured()
    if FAMILIES[0] in measures:
        measured = _measured(sides, gamma_settings, causes=causes, n_jobs=n_jobs, progress=progress)
    shared = _shared(sides.documents.side)
    tests = Tests(sides, names, gamma_settings.seed, replicates)
    # If both have some documents, these first, then all of them.
    parts = [
        [
            tests.compare(pool)
            for pool in _pools_of(
                measures, sides, measured, gamma_settings, unitizing_settings, all_documents=all_documents
            )
        ]
        for all_documents in ([shared == NONE] if shared != SOME else [False, True])
    ]
    found = measured.disagreements
    return Comparison(
        names=names,
        shared=shared,
        differences=tuple(chain.from_iterable(part.differences for part in parts[0])),
        overall=tuple(chain.from_iterable(part.differences for part in parts[1])) if shared == SOME else (),
        documents=tuple(chain.from_iterable(part.documents for part in parts[0])),
        fates=sides.fates,
        causes=cause_changes(*(side.to_settle for side in found)) if found else None,
        annotators=annotator_changes(*found) if found else (),
        labels=label_changes(*found) if found else (),
        settings={
            "measures": list(measures),
            "causes": bool(found),
            "replicates": replicates,
            "extents": extents,
            "seed": gamma_settings.seed,
            **({"gamma": gamma_settings.to_dict()} if "gamma" in measures else {}),
            **({"unitizing_alpha": unitizing_settings.to_dict()} if "unitizing-alpha" in measures else {}),
        },
        signature=_signature(sides, measures, gamma_settings, replicates, measured.rows),
        notes=tuple(dict.fromkeys(_notes(sides, names, measured))),
        gap=measured.gap,
    )


class _Measured(NamedTuple):
    """The rows of both corpora, and their disagreements, if these were looked for; nothing if γ is not measured."""

    rows: tuple[GammaRows, ...] = ()
    disagreements: tuple[Disagreements, ...] = ()

    @property
    def gap(self) -> float:
        """The largest gap of an alignment."""
        return max((float(side.gap.max(initial=0.0)) for side in self.rows), default=0.0)


def _measured(
    sides: Sides,
    settings: GammaSettings,
    *,
    causes: bool,
    n_jobs: int | None,
    progress: Callable[[int, int], None] | None,
) -> _Measured:
    corpora = (sides.first, sides.second)
    if not causes:
        return _Measured(tuple(run(corpus, settings, n_jobs=n_jobs, progress=progress) for corpus in corpora))
    found = tuple(disagreements_of(corpus, None, settings, n_jobs=n_jobs, progress=progress) for corpus in corpora)
    return _Measured(tuple(rows_of(side.gamma) for side in found), found)


def rows_of(result: GammaResult) -> GammaRows:
    """Return the rows that a result is computed from."""
    documents = result.documents
    assert isinstance(documents, Documents)  # noqa: S101  (for the type checker: `gamma_of` makes it of rows)
    return documents.rows


def _shared(side: IntArray) -> str:
    """Return which of these documents both corpora have, given where each of them is."""
    is_both = side == BOTH
    if is_both.all():
        return ALL
    return SOME if is_both.any() else NONE


def _pools_of(
    measures: Sequence[str],
    sides: Sides,
    measured: _Measured,
    settings: GammaSettings,
    unitizing: UnitizingSettings,
    *,
    all_documents: bool,
) -> Iterator[_AnyPool]:
    """Yield the pool of each family: of the documents that both corpora have, or of every document."""
    if "gamma" in measures:
        first, second = measured.rows
        yield GammaPool.of(first, second, settings.dissimilarity.delta_empty, all_documents=all_documents)
    if "unitizing-alpha" in measures:
        layers = unitizing.layers
        yield UnitizingPool.of(
            sides.first, sides.second, unitizing.distance, layers=layers, all_documents=all_documents
        )


def _notes(sides: Sides, names: tuple[str, str], measured: _Measured) -> Iterator[str]:
    """Yield the assumptions and warnings for readers of the numbers."""
    yield from sides.notes
    for name, corpus in zip(names, (sides.first, sides.second), strict=True):
        for note in DataFacts.of(corpus).notes():
            yield Note.prefixed(name, note)
    for name, rows in zip(names, measured.rows, strict=False):
        for note in low_gamma_notes(Documents(rows).gamma.values, rows.units):
            yield Note.prefixed(name, note)
    if measured.gap:
        yield f"γ uses alignments not proven optimal; largest gap {measured.gap:.2%}"
    if len(sides.documents.names) > MAX_BLOCKS:
        yield f"documents are exchanged in {MAX_BLOCKS} runs of consecutive ones"


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


class _Compared(NamedTuple):
    """The differences of one family of coefficients, and the differences of documents."""

    differences: list[Difference]
    documents: list[DocumentDifference]


class Tests(NamedTuple):
    """Data and settings with which intervals and tests of the differences in a pool are computed."""

    sides: Sides
    names: tuple[str, str]
    seed: int
    replicates: int

    def compare(self, pool: _AnyPool) -> _Compared:
        """Return the differences of a family of coefficients."""
        exchanges = exchange(pool, seed=self.seed, replicates=self.replicates)
        values = each_document(pool)
        totals = _totals(pool)
        lowest = pool.lowest
        shared = _shared(pool.side)
        documents = self._documents_of(pool)
        differences = []
        for column, (first, second) in enumerate(pool.parts()):
            first_lowest, second_lowest = lowest[:, column].tolist()
            # No value is above 1, so that the difference lies between these limits.
            limits = (second_lowest - 1.0, 1.0 - first_lowest)
            # Runs of documents have no names.
            parts_names = documents if pool.noun == "documents" else None
            interval = difference_interval(second, first, limits, pool.noun, parts_names, shared=shared)
            p = exchanges.p_value(column)
            differences.append(_difference(pool, column, totals, interval, p, self.names))
        rows: list[DocumentDifference] = []
        for column in range(len(pool.names)):
            rows += _documents(pool, column, values, self.sides, documents)
        return _Compared(differences, rows)

    def _documents_of(self, pool: _AnyPool) -> tuple[str, ...]:
        """Return the names of the documents of a pool."""
        documents = self.sides.documents
        if len(pool.side) == len(documents.names):
            return documents.names
        return tuple(name for name, side in zip(documents.names, documents.side.tolist(), strict=True) if side == BOTH)


def _totals(pool: _AnyPool) -> FloatArray:
    """Return the values of both annotations over all documents, shape (2, n_values)."""
    from scipy.sparse import csr_matrix

    ones = csr_matrix(np.ones((1, pool.n_documents)))
    zeros = csr_matrix((1, pool.n_documents))
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
    interval = interval._replace(low=interval.low - second_bracket, high=interval.high + first_bracket)
    return Difference(
        second - first,
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
    pool: _AnyPool, column: int, values: tuple[FloatArray, FloatArray], sides: Sides, names: Sequence[str]
) -> Iterator[DocumentDifference]:
    """Yield the documents of one coefficient, the largest difference first; none for coefficients of categories."""
    name = pool.names[column]
    if name.category is not None:
        return
    first, second = (side[:, column] for side in values)
    differences = second - first
    counted = np.flatnonzero(pool.counted[:, column] & ~np.isnan(differences))
    units = [
        dict(zip(corpus.documents, corpus.units_per_document.tolist(), strict=True))
        for corpus in (sides.first, sides.second)
    ]
    for document in counted[np.argsort(-np.abs(differences[counted]), kind="stable")].tolist():
        yield DocumentDifference(
            document=names[document],
            coefficient=name.coefficient,
            first=float(first[document]),
            second=float(second[document]),
            difference=float(differences[document]),
            first_units=units[0][names[document]],
            second_units=units[1][names[document]],
        )


def _signature(
    sides: Sides, measures: Sequence[str], settings: GammaSettings, replicates: int, rows: Sequence[GammaRows]
) -> str:
    annotators = [number_range(corpus.n_annotators.tolist()) for corpus in (sides.first, sides.second)]
    parts: dict[str, object] = {
        "docs": _counts(sides),
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
            **settings.dissimilarity.signature_parts,
            "conv": settings.conventions,
            "N": counts_in_words(samples, errors),
        }
    else:
        parts["δ"] = settings.dissimilarity.categorial.name
    parts |= {"seed": settings.seed, "v": __version__}
    return "|".join(["difference", *(f"{name}:{value}" for name, value in parts.items())])


def _counts(sides: Sides) -> str:
    """Return the number of documents: "12", or of each corpus and in both, "12/14 (10 in both)"."""
    counts = [len(sides.first), len(sides.second)]
    both = int(np.count_nonzero(sides.documents.side == BOTH))
    return f"{both}" if counts == [both, both] else f"{counts[0]}/{counts[1]} ({both} in both)"
