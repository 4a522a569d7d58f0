"""Units as the files have them, before anything is refused: checks read them and repairs change them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain

import numpy as np

from gamma_align.columns import UNLABELLED, Columns, FloatArray, IntArray
from gamma_align.data import Coded, Corpus, Table, corpus_columns
from gamma_align.errors import Location


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class UnitColumns(Columns):
    """Units as columns, with their lines in the files; bounds may be outside the extent.

    Attributes
    ----------
    documents, annotators, layers, labels : tuple of str
        Names. The layer of units without one is "".
    document, annotator, layer, label : ndarray of int64, shape (n_units,)
        Codes: indices of the names; label -1 is no category.
    start, end : ndarray of float64, shape (n_units,)
    row : ndarray of int64, shape (n_units,)
        The row of each unit, from which `locate` returns its location.
    locate : callable
    seen : ndarray of int64, shape (n_pairs, 2)
        Each pair of a document and an annotator who saw it, once. It includes the pairs of all units.
    extents : ndarray of float64, shape (n_documents, 2)
        Declared extents [L, R], NaN if a document has none.
    length_unit : str or None
    texts : mapping of str to str
        Texts of the documents whose bounds count code points.
    """

    documents: tuple[str, ...]
    annotators: tuple[str, ...]
    layers: tuple[str, ...]
    labels: tuple[str, ...]
    document: IntArray
    annotator: IntArray
    layer: IntArray
    label: IntArray
    start: FloatArray
    end: FloatArray
    row: IntArray
    locate: Callable[[int], Location]
    seen: IntArray
    extents: FloatArray
    length_unit: str | None = None
    texts: Mapping[str, str] = field(default_factory=dict)

    common_fields = (
        *("documents", "annotators", "layers", "labels"),
        *("locate", "seen", "extents", "length_unit", "texts"),
    )

    def location(self, unit: int) -> Location:
        """Return file and line of a unit."""
        return self.locate(int(self.row[unit]))

    def describe(self, unit: int) -> str:
        """Return a unit as words: location, document, annotator, bounds, category."""
        code = int(self.label[unit])
        label = "" if code == UNLABELLED else f" {self.labels[code]!r}"
        return (
            f"{self.location(unit)}: document {self.documents[self.document[unit]]!r}, annotator "
            f"{self.annotators[self.annotator[unit]]!r}, unit [{self.start[unit]:.15g}, {self.end[unit]:.15g}]{label}"
        )

    def pair_codes(self, document: IntArray, annotator: IntArray) -> IntArray:
        """Return one code for each pair of a document and an annotator."""
        codes: IntArray = document * max(len(self.annotators), 1) + annotator
        return codes

    def owner(self) -> IntArray:
        """Return one code for each document, annotator and layer, shape (n_units,)."""
        return self.pair_codes(self.document, self.annotator) * max(len(self.layers), 1) + self.layer

    @classmethod
    def merge(cls, corpora: Sequence[UnitColumns]) -> UnitColumns:
        """Return the units of several corpora as one corpus; the extent of a common document contains all of its."""
        # Names of documents and annotators are sorted, as in a corpus.
        names = {
            "documents": tuple(sorted(_distinct(corpus.documents for corpus in corpora))),
            "annotators": tuple(sorted(_distinct(corpus.annotators for corpus in corpora))),
            "layers": tuple(_distinct(corpus.layers for corpus in corpora)),
            "labels": tuple(_distinct(corpus.labels for corpus in corpora)),
        }
        parts = [corpus.with_names(**names) for corpus in corpora]
        first_rows = np.cumsum([0, *(part.row.max(initial=-1) + 1 for part in parts)]).tolist()

        def locate(row: int) -> Location:
            index = bisect_right(first_rows, row) - 1
            return parts[index].locate(row - first_rows[index])

        lows = np.stack([part.extents[:, 0] for part in parts])
        highs = np.stack([part.extents[:, 1] for part in parts])
        texts: dict[str, str] = {}
        for part in reversed(parts):  # the first text of a document is kept
            texts |= part.texts
        return replace(
            cls.join(parts),
            row=np.concatenate([part.row + first for part, first in zip(parts, first_rows, strict=False)]),
            locate=locate,
            seen=np.unique(np.concatenate([part.seen for part in parts]), axis=0),
            extents=np.stack([np.fmin.reduce(lows), np.fmax.reduce(highs)], axis=1),
            texts=texts,
        )

    def with_names(
        self,
        documents: tuple[str, ...],
        annotators: tuple[str, ...],
        layers: tuple[str, ...],
        labels: tuple[str, ...],
    ) -> UnitColumns:
        """Return the units with codes of longer tuples of names, which include all names of these units."""
        document = _recoding(self.documents, documents)
        annotator = _recoding(self.annotators, annotators)
        extents = np.full((len(documents), 2), np.nan)
        extents[document[:-1]] = self.extents
        return replace(
            self,
            documents=documents,
            annotators=annotators,
            layers=layers,
            labels=labels,
            document=document[self.document],
            annotator=annotator[self.annotator],
            layer=_recoding(self.layers, layers)[self.layer],
            label=_recoding(self.labels, labels)[self.label],
            seen=np.stack([document[self.seen[:, 0]], annotator[self.seen[:, 1]]], axis=1),
            extents=extents,
        )

    def corpus(self, *, outside: str = "refuse", origin: str = "units", notes: tuple[str, ...] = ()) -> Corpus:
        """Return the corpus of the units; `outside` as in `read`, `origin` is the name of the data in messages."""
        units = {
            "document": Coded(self.document, self.documents),
            "annotator": Coded(self.annotator, self.annotators),
            "start": self.start,
            "end": self.end,
            "category": Coded(self.label, self.labels),
        }
        seen = {
            "document": Coded(self.seen[:, 0], self.documents),
            "annotator": Coded(self.seen[:, 1], self.annotators),
        }
        documents = {
            "document": Coded(np.arange(len(self.documents)), self.documents),
            "start": self.extents[:, 0],
            "end": self.extents[:, 1],
            "unit": [self.length_unit] * len(self.documents),
        }
        return Corpus(
            **corpus_columns(
                Table(units, "units", origin, self.location),
                annotations=Table.of(seen, "annotations"),
                documents=Table.of(documents, "documents"),
                outside=outside,
                notes=notes,
                texts=self.texts,
            )
        )


def _distinct(names: Iterable[tuple[str, ...]]) -> list[str]:
    """Return all names once, in the order of their first occurrence."""
    return [*dict.fromkeys(chain.from_iterable(names))]


def _recoding(names: Sequence[str], new_names: Sequence[str]) -> IntArray:
    """Return the new code of each old one; the last entry belongs to code -1, which stays."""
    code = {name: index for index, name in enumerate(new_names)}
    return np.array([*(code[name] for name in names), UNLABELLED], dtype=np.int64)
