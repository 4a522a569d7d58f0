"""Rows of the unitizing family: the additive numbers of each document, which are pooled into results of corpora."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Self

import numpy as np
import numpy.typing as npt

from gamma_align.columns import BoolArray, FloatArray, IntArray
from gamma_align.data import AnyFrame, Backend, Corpus, Frame
from gamma_align.measures.document_rows import (
    COMMON,
    RowsOfDocuments,
    columns_of_rows,
    common_of,
    common_text,
    select_one_per_document,
)
from gamma_align.measures.unitizing.coincidences import (
    NO_ENTRIES,
    CoincidenceRows,
    Coincidences,
    Entries,
    absent_layers,
    join_entries,
    rows_of_units,
)
from gamma_align.measures.unitizing.segments import MIN_ANNOTATORS, measurable_documents, slot_units

_COUNT_FIELDS = ("annotators", "units", "points", "unlabelled", "overlapping")
_TABLES = ("lengths", "own", "own_met")  # of `Coincidences`, in the column "number"
_FRAME_COLUMNS = (
    "document",
    "number",
    *_COUNT_FIELDS,
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
    """Additive numbers of documents for the unitizing family.

    Attributes
    ----------
    documents : tuple of str
        Names of the documents.
    categories : tuple of str
        The labels of the codes in `coincidences`.
    annotators, units, points, unlabelled, overlapping : ndarray of int64, shape (n_documents,)
        Number of annotators, of units, of units without length, of units without a category, and of units joined to
        another one of their layer.
    length : ndarray of float64, shape (n_documents,)
        Length of the extents.
    measured : ndarray of int64, shape (n_rows,)
        The documents that two annotators saw and that have a length.
    coincidences : Coincidences
        A row for each measured document.
    layers : bool
        Whether each category is on a layer of its own.
    length_unit : str or None
        Name of the unit of length, if the data name it.
    notes : tuple of str
        Changes that were made while reading.
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

        def count(is_counted: BoolArray) -> IntArray:
            return np.bincount(corpus.unit_document[is_counted], minlength=len(corpus))

        return cls(
            documents=corpus.documents,
            categories=corpus.categories,
            annotators=corpus.n_annotators,
            units=corpus.units_per_document,
            points=count(corpus.start == corpus.end),
            unlabelled=count(corpus.category < 0),
            overlapping=units.joined,
            length=np.ptp(corpus.extents, axis=1),
            measured=measurable_documents(corpus),
            coincidences=rows_of_units(corpus, units, layers=layers).coincidences,
            layers=layers,
            length_unit=corpus.length_unit,
            notes=corpus.notes,
            made_with=made_with,
        )

    @classmethod
    def uncounted(cls, corpus: Corpus) -> Self:
        """Return the rows of a corpus that cannot be measured."""
        counts = {"annotators": corpus.n_annotators, "units": corpus.units_per_document}
        return cls._empty(corpus.documents, corpus.categories, np.ptp(corpus.extents, axis=1), layers=False, **counts)

    @classmethod
    def _empty(
        cls,
        documents: tuple[str, ...],
        categories: tuple[str, ...],
        length: FloatArray,
        *,
        layers: bool,
        **counts: IntArray,
    ) -> Self:
        """Return rows without coincidences; counts that are not given are 0."""
        measured = np.flatnonzero((counts["annotators"] >= MIN_ANNOTATORS) & (length > 0))
        n_values = 2 * len(categories) + 3 if layers else len(categories) + 2
        return cls.blank(
            len(documents),
            documents=documents,
            categories=categories,
            length=length,
            measured=measured,
            coincidences=Coincidences(len(measured), n_values, NO_ENTRIES, NO_ENTRIES, NO_ENTRIES),
            layers=layers,
            **counts,
        )

    @property
    def rows(self) -> CoincidenceRows:
        """The coincidences with the indices of their documents."""
        return CoincidenceRows(self.measured, self.coincidences)

    def to_frame(self, backend: Backend = "pandas") -> Frame:
        """Return the rows as a flat data frame, from which `from_frame` restores them.

        A document has a row of its counts and one row for each of its numbers; all of them repeat its counts.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow", "modin", "cudf"}
            Library of the frame; it must be installed.
        """
        names = np.array([*self.documents, None], dtype=object)
        labels, gaps = self._values()
        tables = self.coincidences.tables
        no_value = np.full(len(self), -1)
        n_values = self.coincidences.n_values
        first = np.concatenate([no_value, tables[0].column // n_values, tables[1].column, tables[2].column])
        second = np.concatenate([no_value, tables[0].column % n_values, tables[1].column, tables[2].column])
        document = np.concatenate([np.arange(len(self)), *(self.measured[table.row] for table in tables)])
        counts = [len(self), *(len(table.row) for table in tables)]
        columns = {
            "document": names[document],
            "number": np.repeat(np.array(["document", *_TABLES], dtype=object), counts),
            **{name: getattr(self, name)[document] for name in (*_COUNT_FIELDS, "length")},
            "first": labels[first],
            "first_gap": gaps[first],
            "second": labels[second],
            "second_gap": gaps[second],
            "value": np.concatenate([np.zeros(len(self)), *(table.value for table in tables)]),
        }
        return self._framed(columns, document, backend, layers=self.layers)

    def _values(self) -> tuple[npt.NDArray[np.object_], BoolArray]:
        """Return the label of each value of the coincidences, None for none, and whether it is a gap.

        The last entry, -1, is for rows without a value.
        """
        labels = [*self.categories, None]
        is_gap = [False] * len(labels)
        if self.layers:
            is_gap = [False, True] * len(labels)
            labels = [label for label in labels for _ in range(2)]
        return np.array([*labels, None, None], dtype=object), np.array([*is_gap, True, False])

    @classmethod
    def from_frame(cls, frame: AnyFrame | Mapping[str, Sequence[object]]) -> Self:
        """Return the rows from a data frame, or a mapping of columns, that `to_frame` returned; its rows in any order.

        Raises
        ------
        InputError
            For columns that are missing, a document without its row of counts or with two, rows that were made with
            different settings.
        """
        table = columns_of_rows(frame, _FRAME_COLUMNS)
        code = {name: index for index, name in enumerate(sorted(set(table["document"])))}
        document = np.array([code[name] for name in table["document"]], dtype=np.int64)
        number = np.array(table["number"], dtype=object)
        count_rows = select_one_per_document(number == "document", document, [*code], "counts")
        counts = {name: np.array(table[name], dtype=np.int64)[count_rows] for name in _COUNT_FIELDS}
        length = np.array(table["length"], dtype=np.float64)[count_rows]
        layers = common_text(("layers" if layers else "refuse" for layers in table["layers"]), "overlaps") == "layers"
        labels = [label if isinstance(label, str) else None for label in [*table["first"], *table["second"]]]
        categories = tuple(sorted({label for label in labels if label is not None}))
        rows = cls._empty(tuple(code), categories, length, layers=layers, **counts)
        return replace(rows, coincidences=rows._coincidences(table, labels, document), **common_of(table))  # noqa: SLF001  (of its own class)

    def _coincidences(
        self, table: Mapping[str, Sequence[object]], labels: Sequence[str | None], document: IntArray
    ) -> Coincidences:
        """Return the coincidences in a data frame, given its labels, first and second, and the index of documents."""
        value_labels, is_gap = self._values()
        values = [*enumerate(zip(value_labels.tolist(), is_gap.tolist(), strict=True))]
        # Reversed, so that (None, True) is the gaps of units without a label rather than the gaps of all.
        value_of = {pair: value for value, pair in reversed(values)}
        gaps = map(bool, [*table["first_gap"], *table["second_gap"]])
        first, second = np.array([value_of[pair] for pair in zip(labels, gaps, strict=True)]).reshape(2, -1)
        n_rows = len(self.measured)
        n_values = self.coincidences.n_values
        row = np.searchsorted(self.measured, document)
        number = np.array(table["number"], dtype=object)
        value = np.array(table["value"], dtype=np.float64)
        tables = []
        for name in _TABLES:
            column = first * n_values + second if name == "lengths" else first
            entries = Entries(*(part[number == name] for part in (row, column, value)))
            tables.append(join_entries([entries], n_rows, n_values**2))
        return Coincidences(n_rows, n_values, *tables)

    @staticmethod
    def pooled(parts: Sequence[UnitizingRows]) -> UnitizingRows:
        """Return the rows of all parts, sorted by document."""
        labels = set[str]().union(*(part.categories for part in parts))
        categories = tuple(sorted(labels))
        joined = UnitizingRows.join([_with_categories(part, categories) for part in parts])
        order = sorted(range(len(joined)), key=joined.documents.__getitem__)
        rows = joined.take(np.array(order, dtype=np.int64))
        coincidences = rows.coincidences
        if rows.layers:  # the layer of a category that occurs in other parts alone has gaps only
            length = (rows.length * rows.annotators)[rows.measured]
            layer = coincidences.lengths.column // coincidences.n_values // 2
            gaps = absent_layers(coincidences.lengths.row, layer, length, coincidences.n_values)
            coincidences = coincidences.add_lengths(gaps)
        notes = dict.fromkeys(chain.from_iterable(part.notes for part in parts))
        return replace(rows, coincidences=coincidences, notes=tuple(notes))


def _with_categories(part: UnitizingRows, categories: tuple[str, ...]) -> UnitizingRows:
    """Return rows with the codes of all categories."""
    width = 2 if part.layers else 1  # values of a category
    code = {label: index for index, label in enumerate(categories)}
    codes = np.array([code[label] for label in part.categories], dtype=np.int64)
    # Values after the last category (units without one, and gaps) remain the last ones.
    n_further = 3 if part.layers else 2
    new_values = (width * codes[:, None] + np.arange(width)).ravel()
    new_values = np.append(new_values, width * len(categories) + np.arange(n_further))
    n_values = part.coincidences.n_values
    n_new_values = width * len(categories) + n_further
    lengths, *self_pairings = part.coincidences.tables
    first, second = np.divmod(lengths.column, n_values)
    coincidences = Coincidences(
        len(part.coincidences),
        n_new_values,
        lengths._replace(column=new_values[first] * n_new_values + new_values[second]),
        *(table._replace(column=new_values[table.column]) for table in self_pairings),
    )
    return replace(part, categories=categories, coincidences=coincidences)
