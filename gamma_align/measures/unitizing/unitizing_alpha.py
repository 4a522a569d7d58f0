"""`unitizing_alpha`: uα, |uα, cuα and (k)uα of a corpus."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Self

from gamma_align.columns import Index
from gamma_align.data import (
    Corpus,
    CorpusParts,
    DataFacts,
    Parts,
    check_two_annotators,
    documents_without,
    number_range,
)
from gamma_align.distances import AnyDistance, Distance, Nominal, as_distance
from gamma_align.errors import Call, Cure, InputError, Problem
from gamma_align.inference import NO_UNITS, LazyRows, Value, too_few
from gamma_align.measures.document_rows import check_poolable, fingerprint
from gamma_align.measures.unitizing.coincidences import CoincidenceRows, document_rows, unit_rows
from gamma_align.measures.unitizing.family import NO_LENGTH, Family, pooled_u, unavailable
from gamma_align.measures.unitizing.segments import MIN_ANNOTATORS
from gamma_align.measures.unitizing.unitizing_options import OVERLAP, UNITIZING_OPTIONS
from gamma_align.measures.unitizing.unitizing_result import (
    UnitizingDocument,
    UnitizingResult,
    UnitizingValues,
    values_of,
)
from gamma_align.measures.unitizing.unitizing_rows import UnitizingRows
from gamma_align.options import takes_options
from gamma_align.version import __version__


@dataclass(frozen=True, slots=True)
class UnitizingSettings:
    """Settings of the unitizing family: the options of `unitizing_alpha`.

    Examples
    --------
    >>> ga.UnitizingSettings.of("ordinal", overlap="layers").layers
    True
    """

    distance: Distance = field(default_factory=Nominal)
    overlap: str = OVERLAP.default

    def __post_init__(self) -> None:
        OVERLAP.check(self.overlap)

    @classmethod
    def of(cls, distance: AnyDistance = "nominal", overlap: str = "refuse") -> Self:
        """Return the settings for options of `unitizing_alpha`."""
        return cls(as_distance(distance), overlap)

    @property
    def fingerprint(self) -> str:
        """A hash of the settings and of the version: rows with the same hash can be pooled."""
        return fingerprint(self.to_dict())

    @property
    def layers(self) -> bool:
        """Whether each category is a layer of its own."""
        return self.overlap == "layers"

    def to_dict(self) -> dict[str, object]:
        """Return the settings, ready for JSON."""
        return {"distance": self.distance.to_dict(), "overlap": self.overlap, "self_pairing": "pairwise"}


@takes_options(UNITIZING_OPTIONS.options)
def unitizing_alpha(
    corpus: Corpus | Parts, /, *, distance: AnyDistance = "nominal", overlap: str = OVERLAP.default
) -> UnitizingResult:
    """Return uα, |uα, cuα and (k)uα with their coverage, pooled over the corpus and document by document (K16, K19).

    Documents are pooled as if joined end to end. Intervals are a jackknife over documents, or over units if only one
    document can be measured; see `interval` of the result. Units without a category count as a category of their own.

    Parameters
    ----------
    corpus : Corpus, or parts of one
        The data; values of documents with fewer than two annotators are not available.
    distance : str, Distance, table or function
        δ² between categories, for cuα and (k)uα; see `gamma_align.distances.as_distance`. uα and |uα are nominal by
        definition.

    Returns
    -------
    UnitizingResult

    Raises
    ------
    InputError
        For units of one annotator that overlap (the message names the first pair), if no document has two annotators,
        or for a label for which the distance is not defined.
    SettingsError
        For a setting out of its range.

    References
    ----------
    K16: Krippendorff, Mathet, Bouvry & Widlöcher 2016, On the reliability of unitizing textual continua, Quality &
    Quantity 50. K19: Krippendorff 2019, Content Analysis, §12.6.

    Examples
    --------
    >>> units = [("d1", "ann", 0, 4, "x"), ("d1", "bob", 1, 5, "x"), ("d2", "ann", 2, 5, "y"), ("d2", "bob", 2, 6, "x")]
    >>> result = ga.unitizing_alpha(units)
    >>> round(result.u.value, 2), round(result.bar_u.value, 2), round(result.coverage, 2)
    (-0.09, 0.02, 0.67)
    """
    settings = UnitizingSettings.of(distance, overlap)
    if isinstance(corpus, Corpus):
        check_two_annotators(corpus)
        corpus = CorpusParts(corpus, corpus.n_units + len(corpus) + 1)  # one part: a document counts as one more unit
    parts = []
    problems = list[Problem]()
    facts = list[DataFacts]()
    for index in range(len(corpus)):
        documents, part_problems = corpus[index]
        parts.append(UnitizingRows.of(documents, layers=settings.layers))
        problems += part_problems
        facts.append(DataFacts.of(documents))
    rows = parts[0] if len(parts) == 1 else UnitizingRows.pooled(parts)
    units = None
    if len(rows.measured) == 1:
        index = next(index for index, part in enumerate(parts) if len(part.measured))
        units = unit_rows(corpus[index].corpus, int(parts[index].measured[0]), layers=settings.layers)
    result = result_of(rows, settings, units, problems)
    return replace(result, notes=result.notes + DataFacts.joined(facts).notes())


def unitizing_rows(corpus: Corpus, settings: UnitizingSettings) -> UnitizingRows:
    """Return the rows of a corpus, or of a part of one."""
    return UnitizingRows.of(corpus, layers=settings.layers, made_with=settings.fingerprint)


def pooled_unitizing(parts: Sequence[UnitizingRows], settings: UnitizingSettings) -> UnitizingResult:
    """Return the result of all rows together; it does not depend on the division into parts."""
    check_poolable(parts, settings.fingerprint)
    rows = UnitizingRows.pooled(parts)
    if len(rows.measured) == 1:
        raise InputError(
            f"only one document can be measured, {rows.documents[int(rows.measured[0])]!r}, and its interval is over "
            "units, which rows do not contain",
            Cure("measure the corpus with {}", Call("unitizing_alpha()", "measure")),
        )
    return result_of(rows, settings, None)


def result_of(
    rows: UnitizingRows, settings: UnitizingSettings, units: CoincidenceRows | None, problems: Sequence[Problem] = ()
) -> UnitizingResult:
    """Build the result from rows. Documents with `problems` are excluded.

    `units` are the rows of the units of the document if only one can be measured.
    """
    if not (rows.annotators >= MIN_ANNOTATORS).any():
        raise InputError("no document has two annotators: there is nothing to measure")
    family = Family.of(rows.categories, settings.distance, rows.rows, layers=settings.layers)
    values, interval = _pooled(rows, family, units)
    return UnitizingResult(
        **values_of(values),
        documents=Documents(rows, family, values if len(rows.measured) == 1 else None),
        length_unit=rows.length_unit,
        interval=interval,
        settings=settings.to_dict(),
        signature=_signature(rows, settings, interval),
        notes=(*rows.notes, *_notes(rows, settings)),
        problems=tuple(problem.as_note() for problem in problems),
    )


def not_available(corpus: Corpus, settings: UnitizingSettings, reason: str, note: str) -> UnitizingResult:
    """Return the result for data that the family cannot measure: no values, and the reason."""
    return UnitizingResult(
        **values_of(unavailable(reason)),
        documents=Documents(UnitizingRows.uncounted(corpus), reason=reason),
        length_unit=corpus.length_unit,
        interval="none",
        settings=settings.to_dict(),
        signature=f"uα|not available: {reason}",
        notes=(*corpus.notes, note),
    )


def u_alone(corpus: Corpus) -> Value:
    """Return uα of a corpus of two annotators with its interval: as `unitizing_alpha`, without all other values.

    Raises
    ------
    InputError
        If units of one annotator overlap.
    """
    rows = document_rows(corpus, layers=False)
    if not len(rows.documents):
        return Value.unavailable(NO_LENGTH if corpus.n_units else NO_UNITS)
    is_one = len(rows.documents) == 1
    parts = unit_rows(corpus, int(rows.documents[0]), layers=False) if is_one else rows
    return pooled_u(rows, parts, corpus.documents)


def _pooled(rows: UnitizingRows, family: Family, units: CoincidenceRows | None) -> tuple[UnitizingValues, str]:
    """Return the pooled values, and the method of their intervals."""
    if not len(rows.measured):
        return unavailable(NO_LENGTH if rows.units.any() else NO_UNITS), "none"
    if units is None:
        return family.pooled(rows.rows, rows.rows, rows.documents), "95 %, jackknife over documents"
    noun = "units" if units.run == 1 else f"runs of {units.run} consecutive units"
    return family.pooled(rows.rows, units, rows.documents), f"95 %, jackknife over {noun} of one document"


class Documents(LazyRows[UnitizingDocument]):
    """The results of documents, computed from their rows when they are accessed.

    `only` are the values of the document, with intervals, if only one can be measured. Without these and without a
    family the values of all documents are not available, for the `reason`.
    """

    kind = UnitizingDocument

    def __init__(
        self,
        rows: UnitizingRows,
        family: Family | None = None,
        only: UnitizingValues | None = None,
        reason: str = NO_LENGTH,
    ) -> None:
        self._rows = rows
        self._family = family
        self._only = only
        self._reason = reason

    def __len__(self) -> int:
        return len(self._rows)

    def create(self) -> Iterator[UnitizingDocument]:
        """Create the results of the documents, which iteration asks for block by block."""
        columns = (self.column(name) for name in ("document", "annotators", "units", "length"))
        for name, annotators, units, length, values in zip(*columns, self.values, strict=True):
            yield UnitizingDocument(
                document=name, annotators=annotators, units=units, length=length, **values_of(values)
            )

    def take(self, index: Index) -> Documents:
        """Return the results of the documents of an index."""
        return Documents(self._rows.take(index), self._family, self._only, self._reason)

    def column(self, name: str) -> Sequence[Any]:
        """Return an attribute of all documents."""
        if name == "document":
            return self._rows.documents
        if name in ("annotators", "units", "length"):
            column: list[Any] = getattr(self._rows, name).tolist()
            return column
        values = itertools.chain.from_iterable(block.values for block in self.blocks())
        return [getattr(row, name) for row in values]

    @cached_property
    def values(self) -> list[UnitizingValues]:
        """The values of all documents."""
        rows = self._rows
        values = [unavailable(too_few(number) or self._reason) for number in rows.annotators.tolist()]
        measured: Iterable[UnitizingValues] = ()
        if self._only is not None:
            measured = [self._only]
        elif self._family is not None:
            measured = self._family.values_of_rows(rows.rows)
        for row, row_values in zip(rows.measured.tolist(), measured, strict=False):
            values[row] = row_values
        return values


def _signature(rows: UnitizingRows, settings: UnitizingSettings, interval: str) -> str:
    """Return one line that describes the computation, to paste into a paper."""
    jackknife = next((noun for noun in ("none", "units") if noun in interval), "documents")
    parts = {
        "docs": len(rows),
        "n": number_range(rows.annotators[rows.measured].tolist()),
        "L": rows.length_unit or "?",
        "δ": settings.distance.name,
        "own": "pairwise",
        "overlap": settings.overlap,
        "j": jackknife,
        "v": __version__,
    }
    return "|".join(["uα", *(f"{name}:{value}" for name, value in parts.items())])


def _notes(rows: UnitizingRows, settings: UnitizingSettings) -> Iterator[str]:
    """Yield assumptions and warnings that concern the values."""
    yield from documents_without(rows.annotators, rows.units)
    counts = (rows.points, rows.unlabelled, rows.overlapping, rows.units)
    points, unlabelled, overlapping, units = (int(column.sum()) for column in counts)
    if points:
        yield f"uα: {points} of {units} units have no length and do not count"
    if unlabelled:
        treatment = "on a layer of their own" if settings.layers else "of one value of their own"
        yield f"uα: {unlabelled} of {units} units have no category; they are {treatment}"
    if rows.length_unit is None:
        yield "uα and |uα depend on the unit of length, which the data do not name"
    if settings.layers:
        yield "uα is of one layer for each category: values never meet, so there is no |uα, cuα or (k)uα"
    if overlapping:
        yield f"uα: units joined to another one of their annotator and category that they overlap: {overlapping}"
