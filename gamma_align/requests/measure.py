"""The request ``measure``: γ, γcat and γk of a corpus, and the unitizing family on request."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from gamma_align.api.gamma import gamma
from gamma_align.data import Corpus, Json
from gamma_align.errors import Cure, Note, Set
from gamma_align.inference import json_lazily
from gamma_align.insight.comparison import FAMILIES
from gamma_align.measures.gamma import GammaResult
from gamma_align.measures.unitizing import UnitizingResult
from gamma_align.present import gamma_tables, unitizing_tables
from gamma_align.present.writers import csv_rows, joined_rows
from gamma_align.reading import DataSet, Marked
from gamma_align.requests.distances import measure_settings
from gamma_align.requests.settings import Values

GAMMA, UNITIZING = FAMILIES  # choices of the option `coefficients`
_MAX_UNITS_TWICE = 2000  # units of a corpus that is measured a second time in the other reading: about a second's work


class MeasureResult(NamedTuple):
    """The results of the requested families, the number of units of each annotator, and all notes."""

    gamma: GammaResult | None
    unitizing: UnitizingResult | None
    annotators: dict[str, int]
    notes: list[str]

    @property
    def measured(self) -> list[GammaResult | UnitizingResult]:
        """The results of the requested families."""
        return [result for result in (self.gamma, self.unitizing) if result is not None]

    def to_dict(self) -> dict[str, Json]:
        """Return the results ready for JSON, of one family as they are, of both by family."""
        families = zip(FAMILIES, (self.gamma, self.unitizing), strict=True)
        documents = {name: json_lazily(result) for name, result in families if result is not None}
        shown = next(iter(documents.values())) if len(documents) == 1 else {"coefficients": documents}
        return {"schema_version": 1, **shown, "annotators": self.annotators, "notes": self.notes}


def compute_measure(corpus: Corpus | DataSet, values: Values, progress: Callable[[int, int], None]) -> MeasureResult:
    """Return the results that a request asks for; ``work`` among its values is a folder, or a store of work."""
    settings = measure_settings(values)
    gamma_result = None
    unitizing_result = None
    # The faster family first: if it refuses the data, nobody has waited for the other.
    if UNITIZING in values["coefficients"]:
        # A run without this family does not wait for its modules.
        from gamma_align.measures.unitizing.unitizing_alpha import unitizing_alpha

        unitizing_result = unitizing_alpha(corpus, distance=settings["distance"], overlap=values["overlap"])
    if GAMMA in values["coefficients"]:
        gamma_result = gamma(corpus, n_jobs=values["jobs"], progress=progress, work=values.get("work"), **settings)
    sources = [source for source in (corpus, gamma_result, unitizing_result) if source is not None]
    notes = dict.fromkeys(chain.from_iterable(source.notes for source in sources))
    if gamma_result is not None and isinstance(corpus, Corpus):
        notes |= dict.fromkeys(_if_seen(corpus, gamma_result, values["jobs"], settings))
    return MeasureResult(gamma_result, unitizing_result, units_of_annotators(corpus), list(notes))


def _if_seen(corpus: Corpus, result: GammaResult, n_jobs: int | None, settings: Mapping[str, Any]) -> Iterator[Note]:
    """Yield a note with γ if annotators saw the documents without a unit of theirs, if the data do not tell."""
    if corpus.n_units > _MAX_UNITS_TWICE or corpus.unseen is None:
        return
    seen = gamma(corpus.seen_by_all(), n_jobs=n_jobs, **settings)
    yield Note(
        f"γ would be {seen.gamma.value:.4f} in place of {result.gamma.value:.4f}",
        Cure("if annotators saw the documents in which they have no unit ({})", Set("seen", "all")),
        separator=" ",
    )


def units_of_annotators(corpus: Corpus | DataSet) -> dict[str, int]:
    """Return the number of units of each annotator."""
    return dict(zip(corpus.annotators, units_by_annotator(corpus).units.tolist(), strict=True))


def units_by_annotator(corpus: Corpus | DataSet) -> Marked:
    """Return the counts and the categories of the units of annotators."""
    if not isinstance(corpus, Corpus):
        return corpus.marked
    seen, units = (np.bincount(codes, minlength=len(corpus.annotators)) for codes in (corpus.seen, corpus.annotator))
    return Marked(seen, units, corpus.annotator, corpus.category)


def result_rows(results: MeasureResult) -> Iterable[Sequence[object]]:
    """Return the rows of documents and of the corpus, the header first."""
    tables = [csv_rows(gamma_tables.measure_table(results.gamma))] if results.gamma else []
    tables += [csv_rows(unitizing_tables.measure_table(results.unitizing))] if results.unitizing else []
    return joined_rows(tables, keys=5)
