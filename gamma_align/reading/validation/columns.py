"""Units as they stand in the files, before anything is refused: what checks look at and repairs change."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from gamma_align.columns import Columns, FloatArray, IntArray
from gamma_align.data.build import corpus_columns
from gamma_align.data.corpus import Corpus
from gamma_align.data.tables import Coded, Table
from gamma_align.errors import Location


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class UnitColumns(Columns):
    """Units as columns, with their lines; bounds may be outside the extent.

    `document`, `annotator`, `layer` and `label` are codes into the tuples of names, shape (n_units,); label -1 is no
    category, layer "" that of units without one. `row` is the index by which `located` knows each unit. `seen` are
    pairs of document and annotator who saw it, shape (n_pairs, 2), each once; a unit's are among them. `extents` are
    [L, R] as declared, shape (n_documents, 2), NaN where they are not. `texts` are those of documents whose bounds
    count their code points.
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
    located: Callable[[int], Location]
    seen: IntArray
    extents: FloatArray
    length_unit: str | None = None
    texts: Mapping[str, str] = field(default_factory=dict)

    common_fields = (
        *("documents", "annotators", "layers", "labels"),
        *("located", "seen", "extents", "length_unit", "texts"),
    )

    def location(self, unit: int) -> Location:
        """Return file and line of a unit."""
        return self.located(int(self.row[unit]))

    def described(self, unit: int) -> str:
        """Return a unit as words: location, document, annotator, bounds, category."""
        code = int(self.label[unit])
        label = "" if code < 0 else f" {self.labels[code]!r}"
        return (
            f"{self.location(unit)}: document {self.documents[self.document[unit]]!r}, annotator "
            f"{self.annotators[self.annotator[unit]]!r}, unit [{self.start[unit]:.15g}, {self.end[unit]:.15g}]{label}"
        )

    def owner(self) -> IntArray:
        """Return one code for each document, annotator and layer, shape (n_units,)."""
        pair: IntArray = self.document * max(len(self.annotators), 1) + self.annotator
        return pair * max(len(self.layers), 1) + self.layer

    @classmethod
    def merge(cls, several: Sequence[UnitColumns]) -> UnitColumns:
        """Return the units of several corpora as those of one; a document in more has the extent that holds its own."""
        documents, annotators, layers, labels = (
            tuple(dict.fromkeys(name for each in several for name in getattr(each, kind)))
            for kind in ("documents", "annotators", "layers", "labels")
        )
        documents, annotators = tuple(sorted(documents)), tuple(sorted(annotators))
        first = np.cumsum([0, *(each.row.max(initial=-1) + 1 for each in several)]).tolist()
        parts = [each.among(documents, annotators, layers, labels) for each in several]

        def located(row: int) -> Location:
            index = bisect_right(first, row) - 1
            return several[index].located(row - first[index])

        low, high = (np.stack([part.extents[:, side] for part in parts]) for side in (0, 1))
        return replace(
            cls.join(parts),
            row=np.concatenate([part.row + before for part, before in zip(parts, first, strict=False)]),
            located=located,
            seen=np.unique(np.concatenate([part.seen for part in parts]), axis=0),
            extents=np.stack([np.fmin.reduce(low), np.fmax.reduce(high)], axis=1),
            texts={name: text for part in reversed(parts) for name, text in part.texts.items()},
        )

    def among(
        self,
        documents: tuple[str, ...],
        annotators: tuple[str, ...],
        layers: tuple[str, ...],
        labels: tuple[str, ...],
    ) -> UnitColumns:
        """Return the units with codes into longer tuples of names, which have all of theirs."""
        document, annotator = _codes(self.documents, documents), _codes(self.annotators, annotators)
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
            layer=_codes(self.layers, layers)[self.layer],
            label=_codes(self.labels, labels)[self.label],
            seen=np.stack([document[self.seen[:, 0]], annotator[self.seen[:, 1]]], axis=1),
            extents=extents,
        )

    def corpus(self, *, outside: str = "refuse", origin: str = "units", notes: tuple[str, ...] = ()) -> Corpus:
        """Return the corpus of the units; `outside` as in `read`, `origin` is what messages call the whole."""
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


def _codes(names: Sequence[str], every: Sequence[str]) -> IntArray:
    """Return where each name is among all of them, -1 for the code -1."""
    code = {name: index for index, name in enumerate(every)}
    return np.array([*(code[name] for name in names), -1], dtype=np.int64)
