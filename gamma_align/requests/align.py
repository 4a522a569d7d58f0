"""The request ``align``: the best alignment of each document."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from gamma_align.alignment import Alignment
from gamma_align.alignment.align import align
from gamma_align.data import Corpus, Json
from gamma_align.measures.gamma import AlignmentSettings
from gamma_align.requests.distances import measure_settings
from gamma_align.requests.settings import Values


class AlignedDocuments(NamedTuple):
    """The alignments of documents and their texts, labels in the order of their colours, the notes of the corpus."""

    documents: list[Alignment]
    texts: tuple[str | None, ...]
    labels: tuple[str, ...]
    notes: tuple[str, ...]

    def to_dict(self) -> dict[str, Json]:
        """Return the alignments ready for JSON."""
        documents = [alignment.to_dict() for alignment in self.documents]
        return {"schema_version": 1, "documents": documents, "notes": list(self.notes)}


def compute_align(corpus: Corpus, values: Values, progress: Callable[[int, int], None]) -> AlignedDocuments:
    """Return the alignment of each document, without an order of labels."""
    settings = AlignmentSettings.of(measure_settings(values))
    alignments: list[Alignment] = []
    for document in corpus:
        progress(len(alignments), len(corpus))
        alignments.append(align(corpus[document], **settings._asdict()))
    texts = corpus.texts or (None,) * len(corpus)
    return AlignedDocuments(alignments, texts, (), corpus.notes)
