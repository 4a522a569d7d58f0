"""The unitary alignments with disorder, and the documents, as rows that are created when they are used.

A large corpus has more of them than anybody looks at: as objects, they would take more memory than all other tables.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Self, TypeVar

import numpy as np

from gamma_align.columns import FloatArray, Index, IntArray, is_among, ranges
from gamma_align.data import Corpus, FrameColumn, Unit
from gamma_align.inference import LazyRows
from gamma_align.insight.disagreements.kinds import document_annotators
from gamma_align.insight.disagreements.material import Material
from gamma_align.insight.disagreements.shares import DocumentRow, Share, share_columns
from gamma_align.insight.disagreements.unitary_alignments import REASONS, UnitaryAlignments

Value = TypeVar("Value")


class Disagreement(NamedTuple):
    """A unitary alignment with disorder: how much, why, and its units.

    `number` is the index of the unitary alignment, `kind` the index of its kind. `words` are the words that most of its
    units cover, None if the text is not known. `absent` are the annotators of the document without a unit in it.
    """

    number: int
    document: str
    start: float
    end: float
    disorder: Share
    reason: str
    kind: int
    words: str | None
    units: tuple[Unit, ...]
    absent: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class _Tables:
    """The columns from which the rows of disagreements are read; `kind` and `words` are of each unitary alignment."""

    corpus: Corpus
    alignments: UnitaryAlignments
    kind: IntArray
    words: IntArray
    vocabulary: tuple[str, ...]
    total: float
    offsets: IntArray


class DisagreementRows(LazyRows[Disagreement]):
    """The unitary alignments with disorder, the worst first."""

    kind = Disagreement

    def __init__(self, tables: _Tables, numbers: IntArray) -> None:
        self._tables = tables
        self._numbers = numbers

    @classmethod
    def of(cls, material: Material, kind: IntArray) -> DisagreementRows:
        """Return the rows; `kind` is the kind of each unitary alignment."""
        alignments = material.alignments
        words = material.words
        order = np.lexsort((np.arange(len(alignments)), -alignments.disorder))
        order = order[alignments.disputed[order]]
        total = float(alignments.disorder.sum())
        tables = _Tables(material.corpus, alignments, kind, words.code, words.vocabulary, total, alignments.offsets)
        return cls(tables, order)

    def __len__(self) -> int:
        return len(self._numbers)

    def take(self, index: Index) -> Self:
        """Return the rows of an index."""
        return type(self)(self._tables, self._numbers[index])

    def column(self, name: str) -> FrameColumn:
        """Return an attribute of all rows."""
        tables = self._tables
        numbers = self._numbers
        alignments = tables.alignments
        if name in ("start", "end"):
            values: list[object] = getattr(alignments, name)[numbers].tolist()
            return values
        columns: dict[str, Callable[[], FrameColumn]] = {
            "number": numbers.tolist,
            "document": lambda: _names_of_codes(tables.corpus.documents, alignments.document[numbers]),
            "disorder": self._shares,
            "reason": lambda: _names_of_codes(REASONS, np.argmax(alignments.parts[numbers], axis=1)),
            "kind": tables.kind[numbers].tolist,
            "words": lambda: _names_of_codes(
                (*tables.vocabulary, None), tables.words[numbers]
            ),  # code -1 is the last one
            "units": self._units,
            "absent": self._absent,
        }
        return columns[name]()

    def _shares(self) -> list[Share]:
        alignments = self._tables.alignments
        numbers = self._numbers
        disorder = alignments.disorder[numbers]
        columns = np.column_stack([disorder, alignments.parts[numbers], disorder / self._tables.total])
        return list(map(Share._make, columns.tolist()))

    def _members(self) -> tuple[IntArray, IntArray]:
        """Return the units of all rows, one row after the other, and the number of units of each row."""
        tables = self._tables
        size = tables.alignments.size[self._numbers]
        return tables.alignments.members[ranges(tables.offsets[self._numbers], size)], size

    def _units(self) -> list[tuple[Unit, ...]]:
        members, size = self._members()
        return _divide_by_counts(units_of_corpus(self._tables.corpus, members), size)

    def _absent(self) -> list[tuple[str, ...]]:
        """Return the annotators of the document without a unit in each row."""
        corpus = self._tables.corpus
        (members, size) = self._members()
        width = max(len(corpus.annotators), 1)
        n = len(self)
        present = np.sort(np.repeat(np.arange(n), size) * width + corpus.annotator[members])
        row, annotator = document_annotators(corpus, self._tables.alignments, self._numbers)
        is_absent = ~is_among(row * width + annotator, present)
        return _divide_by_counts(
            _names_of_codes(corpus.annotators, annotator[is_absent]), np.bincount(row[is_absent], minlength=n)
        )


class DocumentRows(LazyRows[DocumentRow]):
    """The documents, sorted by disorder: `order` are their indices in the names, counts and shares."""

    kind = DocumentRow

    def __init__(
        self, names: tuple[str, ...], order: IntArray, counts: dict[str, IntArray], shares: FloatArray
    ) -> None:
        self._names = names
        self._order = order
        self._counts = counts
        self._shares = shares

    @classmethod
    def of(cls, material: Material) -> DocumentRows:
        """Return the rows of all documents."""
        corpus = material.corpus
        alignments = material.alignments
        n = len(corpus)
        counts = {
            "units": corpus.units_per_document,
            "alignments": np.bincount(alignments.document, minlength=n),
            "disputed": np.bincount(alignments.document[alignments.disputed], minlength=n),
        }
        total = float(alignments.disorder.sum())
        shares = share_columns(alignments.document, n, alignments.parts, alignments.disorder, total)
        return cls(corpus.documents, np.argsort(-shares[:, 0], kind="stable"), counts, shares)

    def __len__(self) -> int:
        return len(self._order)

    def take(self, index: Index) -> Self:
        """Return the rows of an index."""
        return type(self)(self._names, self._order[index], self._counts, self._shares)

    def column(self, name: str) -> FrameColumn:
        """Return an attribute of all rows."""
        if name == "document":
            return _names_of_codes(self._names, self._order)
        if name == "disorder":
            return list(map(Share._make, self._shares[self._order].tolist()))
        values: list[object] = self._counts[name][self._order].tolist()
        return values


def units_of_corpus(corpus: Corpus, selected: IntArray) -> list[Unit]:
    """Return units of a corpus."""
    labels = (*corpus.categories, None)  # code -1 is the last one
    columns = (corpus.annotator, corpus.start, corpus.end, corpus.category)
    return [
        Unit(corpus.annotators[annotator], start, end, labels[category])
        for annotator, start, end, category in zip(*(column[selected].tolist() for column in columns), strict=True)
    ]


def _names_of_codes(names: Sequence[Value], codes: IntArray) -> list[Value]:
    """Return the name of each code."""
    return [names[code] for code in codes.tolist()]


def _divide_by_counts(values: list[Value], counts: IntArray) -> list[tuple[Value, ...]]:
    """Return consecutive values in groups of these sizes."""
    ends = np.cumsum(counts).tolist()
    return [tuple(values[begin:end]) for begin, end in itertools.pairwise([0, *ends])]
