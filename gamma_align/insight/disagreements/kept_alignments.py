"""The unitary alignments of documents that stay from one version of a corpus to the next: each is aligned once."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gamma_align.alignment import PARTITION
from gamma_align.columns import FloatArray, IntArray
from gamma_align.data import Corpus
from gamma_align.insight.disagreements.unitary_alignments import REASONS, UnitaryAlignments, alignments_of_gamma
from gamma_align.measures.gamma import GammaSettings
from gamma_align.work import KeptWork, fingerprints


class _Document(NamedTuple):
    """The unitary alignments of a document, numbered from 0; the group of a unit is -1 if there are none."""

    group: IntArray
    disorder: FloatArray
    parts: FloatArray
    gap: float


class KeptAlignments:
    """Unitary alignments by document; their statistics become part of the work that γ uses."""

    def __init__(self, settings: GammaSettings, work: KeptWork) -> None:
        self._settings = settings
        self._work = work
        self._documents: dict[bytes, _Document] = {}

    def of(self, corpus: Corpus) -> UnitaryAlignments:
        """Return the unitary alignments of a version of the corpus; align the documents that are not known."""
        if not self._settings.dissimilarity.is_nominal or self._settings.alignment != PARTITION:
            # Other distances may depend on the labels of all documents; in a cover, units are in several alignments.
            return alignments_of_gamma(corpus, self._settings, self._work)
        marks = fingerprints(corpus, self._settings)
        missing = np.array([index for index, mark in enumerate(marks) if mark not in self._documents], dtype=np.int64)
        if len(missing):
            part = corpus.restricted(missing, np.arange(len(corpus.annotators)))
            found = _by_document(part, alignments_of_gamma(part, self._settings, self._work))
            self._documents |= {marks[index]: one for index, one in zip(missing.tolist(), found, strict=True)}
        # Versions that are gone are forgotten.
        self._documents = {mark: self._documents[mark] for mark in marks}
        return _joined(corpus, [self._documents[mark] for mark in marks])


def _by_document(corpus: Corpus, alignments: UnitaryAlignments) -> list[_Document]:
    """Return the unitary alignments of each document."""
    edges = np.searchsorted(alignments.document, np.arange(len(corpus) + 1)).tolist()
    units = corpus.unit_offsets.tolist()
    documents = []
    for index in range(len(corpus)):
        rows = slice(edges[index], edges[index + 1])
        group = alignments.group[units[index] : units[index + 1]]
        documents.append(
            _Document(
                np.where(group < 0, group, group - rows.start),
                alignments.disorder[rows],
                alignments.parts[rows],
                float(alignments.gaps[index]),
            )
        )
    return documents


def _joined(corpus: Corpus, documents: list[_Document]) -> UnitaryAlignments:
    """Return the unitary alignments of all documents of a corpus, in its order."""
    counts = np.array([len(one.disorder) for one in documents], dtype=np.int64)
    offsets = np.cumsum(counts) - counts
    groups = [np.where(one.group < 0, -1, one.group + at) for one, at in zip(documents, offsets.tolist(), strict=True)]
    group = np.concatenate([np.zeros(0, dtype=np.int64), *groups])
    is_aligned = group >= 0
    n_alignments = int(counts.sum())
    start = np.full(n_alignments, np.inf)
    end = np.full(n_alignments, -np.inf)
    np.minimum.at(start, group[is_aligned], corpus.start[is_aligned])
    np.maximum.at(end, group[is_aligned], corpus.end[is_aligned])
    return UnitaryAlignments(
        group=group,
        document=np.repeat(np.arange(len(documents)), counts),
        size=np.bincount(group[is_aligned], minlength=n_alignments),
        start=start,
        end=end,
        disorder=np.concatenate([np.zeros(0), *(one.disorder for one in documents)]),
        parts=np.concatenate([np.zeros((0, len(REASONS))), *(one.parts for one in documents)]),
        gaps=np.array([one.gap for one in documents]),
    )
