"""Rows of the unitizing family: what each document adds to its sums, made in one place and pooled in another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from gamma_align.columns import BoolArray, FloatArray, IntArray
from gamma_align.data.corpus import Corpus
from gamma_align.data.frames import Backend, Frame
from gamma_align.measures.document_rows import COMMON, RowsOfDocuments, columns_of_rows, common_of, one_each, same
from gamma_align.measures.unitizing.coincidences import (
    CoincidenceRows,
    Coincidences,
    Entries,
    absent_layers,
    joined,
    rows_of_units,
)
from gamma_align.measures.unitizing.segments import measurable, slot_units

_COUNTS = ("annotators", "units", "points", "unlabelled", "overlapping")
_TABLES = ("lengths", "own", "own_met")
_NAMES = (
    "document",
    "number",
    *_COUNTS,
    "length",
    "first",
    "first_gap",
    "second",
    "second_gap",
    "value",
    "layers",
    *COMMON,
)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class UnitizingRows(RowsOfDocuments):
    """What each document adds to the sums of the unitizing family.

    Attributes
    ----------
    documents : tuple of str
        Their names.
    categories : tuple of str
        The labels of the codes in `coincidences`.
    annotators, units, points, unlabelled, overlapping : ndarray of int64, shape (n_documents,)
        How many there are, `points` being units without length, and `overlapping` those joined to another of their
        layer.
    length : ndarray of float64, shape (n_documents,)
        Of the extents.
    measured : ndarray of int64, shape (n_rows,)
        The documents that two annotators saw and that have a length.
    coincidences : Coincidences
        A row for each of these.
    layers : bool
        Whether each category is on a layer of its own.
    length_unit : str or None
        Name of the unit of length, where the data say it.
    notes : tuple of str
        How the data were changed while reading.
    made_with : str
        A hash of the settings.

    Examples
    --------
    >>> units = [("d1", "ann", 0, 4, "x"), ("d1", "bob", 1, 5, "x"), ("d2", "ann", 2, 5, "y"), ("d2", "bob", 2, 6, "x")]
    >>> rows = ga.document_statistics(units, ga.UnitizingSettings())
    >>> rows, ga.UnitizingRows.from_frame(rows.to_frame("pyarrow")) == rows
    (<UnitizingRows: documents 2>, True)
    """

    documents: tuple[str, ...]
    categories: tuple[str, ...]
    annotators: IntArray
    units: IntArray
    points: IntArray
    unlabelled: IntArray
    overlapping: IntArray
    length: FloatArray
    measured: IntArray
    coincidences: Coincidences
    layers: bool
    length_unit: str | None = None
    notes: tuple[str, ...] = ()
    made_with: str = ""

    common_fields = ("categories", "layers", *COMMON)
    entry_fields = ("measured", "coincidences")

    @classmethod
    def of(cls, corpus: Corpus, *, layers: bool, made_with: str = "") -> Self:
        """Return the rows of a corpus."""
        units = slot_units(corpus, layers=layers)

        def count(some: Any) -> IntArray:  # noqa: ANN401  (which units, as an array)
            return np.bincount(corpus.unit_document[some], minlength=len(corpus))

        return cls(
            documents=corpus.documents,
            categories=corpus.categories,
            annotators=corpus.n_annotators,
            units=corpus.units_per_document,
            points=count(corpus.start == corpus.end),
            unlabelled=count(corpus.category < 0),
            overlapping=units.joined,
            length=np.ptp(corpus.extents, axis=1),
            measured=measurable(corpus),
            coincidences=rows_of_units(corpus, units, layers=layers).coincidences,
            layers=layers,
            length_unit=corpus.length_unit,
            notes=corpus.notes,
            made_with=made_with,
        )

    @classmethod
    def uncounted(cls, corpus: Corpus) -> Self:
        """Return the rows of a corpus of which nothing can be measured."""
        counts = dict.fromkeys(_COUNTS, np.zeros(len(corpus), dtype=np.int64))
        counts |= {"annotators": corpus.n_annotators, "units": corpus.units_per_document}
        return cls._of(corpus.documents, corpus.categories, counts, np.ptp(corpus.extents, axis=1), layers=False)

    @classmethod
    def _of(
        cls,
        documents: tuple[str, ...],
        categories: tuple[str, ...],
        counts: Mapping[str, Any],
        length: FloatArray,
        *,
        layers: bool,
    ) -> Self:
        """Return rows without numbers."""
        nothing = Entries(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64), np.zeros(0))
        measured = np.flatnonzero((counts["annotators"] >= 2) & (length > 0))  # noqa: PLR2004
        n_values = 2 * len(categories) + 3 if layers else len(categories) + 2
        coincidences = Coincidences(len(measured), n_values, nothing, nothing, nothing)
        return cls(
            documents, categories, **counts, length=length, measured=measured, coincidences=coincidences, layers=layers
        )

    @property
    def rows(self) -> CoincidenceRows:
        """The coincidences with the documents they are of."""
        return CoincidenceRows(self.measured, self.coincidences)

    def to_frame(self, backend: Backend = "pandas") -> Frame:
        """Return the rows as a flat data frame, for engines that pass tables on: `from_frame` makes them again.

        A document has a row of its counts, and one for each number that it adds; its counts stand in each.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow", "modin", "cudf"}
            Library of the frame; it must be installed.
        """
        names, labels, gaps = np.array([*self.documents, None], dtype=object), *self._values()
        tables = self.coincidences.tables
        none, n_values = np.full(len(self), -1), self.coincidences.n_values
        first = np.concatenate([none, tables[0].column // n_values, tables[1].column, tables[2].column])
        second = np.concatenate([none, tables[0].column % n_values, tables[1].column, tables[2].column])
        document = np.concatenate([np.arange(len(self)), *(self.measured[table.row] for table in tables)])
        counts = [len(self), *(len(table.row) for table in tables)]
        columns = {
            "document": names[document],
            "number": np.repeat(np.array(["document", *_TABLES], dtype=object), counts),
            **{name: getattr(self, name)[document] for name in (*_COUNTS, "length")},
            "first": labels[first],
            "first_gap": gaps[first],
            "second": labels[second],
            "second_gap": gaps[second],
            "value": np.concatenate([np.zeros(len(self)), *(table.value for table in tables)]),
        }
        return self._framed(columns, document, backend, layers=self.layers)

    def _values(self) -> tuple[Any, BoolArray]:
        """Return the label of each value of the coincidences, None for none, and whether it is a gap; then nothing."""
        labels = [*self.categories, None]
        if self.layers:
            values = [(label, gap) for label in labels for gap in (False, True)]
        else:
            values = [(label, False) for label in labels]
        named = np.array([*(label for label, _ in values), None, None], dtype=object)
        return named, np.array([*(gap for _, gap in values), True, False])

    @classmethod
    def from_frame(cls, frame: Any) -> Self:  # noqa: ANN401  (any library's)
        """Return the rows in a data frame, or in a mapping of columns, that `to_frame` made; their order is any.

        Raises
        ------
        InputError
            For columns that are missing, a document without its row of counts or with two, rows that were made with
            different settings.
        """
        table = columns_of_rows(frame, _NAMES)
        code = {name: index for index, name in enumerate(sorted(set(table["document"])))}
        document = np.array([code[name] for name in table["document"]], dtype=np.int64)
        number = np.array(table["number"], dtype=object)
        of_document = one_each(number == "document", document, [*code], "counts")
        counts = {name: np.array(table[name], dtype=np.int64)[of_document] for name in _COUNTS}
        length = np.array(table["length"], dtype=np.float64)[of_document]
        layers = same(("layers" if layers else "refuse" for layers in table["layers"]), "overlaps") == "layers"
        labels = [label if isinstance(label, str) else None for label in [*table["first"], *table["second"]]]
        categories = tuple(sorted({label for label in labels if label is not None}))
        empty = cls._of(tuple(code), categories, counts, length, layers=layers)
        named, gaps = empty._values()  # noqa: SLF001  (of its own class)
        values = [*enumerate(zip(named.tolist(), gaps.tolist(), strict=True))]
        value = {pair: index for index, pair in reversed(values)}  # gaps of units without a label before all gaps
        of_gaps = [*map(bool, table["first_gap"]), *map(bool, table["second_gap"])]
        first, second = np.array([value[pair] for pair in zip(labels, of_gaps, strict=True)]).reshape(2, -1)
        n_values = empty.coincidences.n_values
        place = np.searchsorted(empty.measured, document)
        tables = []
        for name in _TABLES:
            here = number == name
            column = first[here] * n_values + second[here] if name == _TABLES[0] else first[here]
            entries = Entries(place[here], column, np.array(table["value"], dtype=np.float64)[here])
            tables.append(joined([entries], len(empty.measured), n_values**2))
        return replace(
            empty,
            coincidences=Coincidences(len(empty.measured), n_values, *tables),
            **common_of(table),
        )

    @staticmethod
    def pooled(parts: Sequence[UnitizingRows]) -> UnitizingRows:
        """Return the rows of all parts, sorted by document."""
        categories = tuple(sorted({label for part in parts for label in part.categories}))
        joined_rows = UnitizingRows.join([_recoded(part, categories) for part in parts])
        order = sorted(range(len(joined_rows)), key=joined_rows.documents.__getitem__)
        rows = joined_rows.take(np.array(order, dtype=np.int64))
        counts = rows.coincidences
        if rows.layers:  # a document has only gaps on a layer that occurs in other parts alone
            length = (rows.length * rows.annotators)[rows.measured]
            layer = counts.lengths.column // counts.n_values // 2
            gaps = absent_layers(counts.lengths.row, layer, length, counts.n_values)
            counts = replace(counts, lengths=joined([counts.lengths, gaps], len(counts), counts.n_values**2))
        notes = dict.fromkeys(note for part in parts for note in part.notes)
        return replace(rows, coincidences=counts, notes=tuple(notes))


def _recoded(part: UnitizingRows, categories: tuple[str, ...]) -> UnitizingRows:
    """Return rows with the codes of all categories."""
    code = {label: index for index, label in enumerate(categories)}
    labels = [code[label] for label in part.categories]
    width = 2 if part.layers else 1
    # what is beyond the categories, units without one and gaps, is beyond them again
    values = np.array([width * label + side for label in labels for side in range(width)], dtype=np.int64)
    beyond = np.arange(3 if part.layers else 2) + width * len(categories)
    values = np.concatenate([values, beyond])
    old, new = part.coincidences.n_values, width * len(categories) + len(beyond)
    lengths, own, own_met = part.coincidences.tables
    coincidences = Coincidences(
        len(part.coincidences),
        new,
        lengths._replace(column=values[lengths.column // old] * new + values[lengths.column % old]),
        own._replace(column=values[own.column]),
        own_met._replace(column=values[own_met.column]),
    )
    return replace(part, categories=categories, coincidences=coincidences)
