"""Units as they stand in the files, before anything is refused: what checks look at and repairs change."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from gamma_align._types import BoolArray, FloatArray, IntArray
from gamma_align.data.build import corpus_columns
from gamma_align.data.corpus import Corpus
from gamma_align.data.problem import Location
from gamma_align.data.tables import Coded, Table


@dataclass(frozen=True, slots=True)
class Columns:
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

    def __len__(self) -> int:
        return len(self.start)

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

    def kept(self, keep: BoolArray) -> Columns:
        """Return the units of a mask; who saw what stays."""
        names = ("document", "annotator", "layer", "label", "start", "end", "row")
        return replace(self, **{name: getattr(self, name)[keep] for name in names})

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
