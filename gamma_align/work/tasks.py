"""Tasks of bounded size for workers: align documents of a part, or samples of them.

A sample depends only on the seed, its document and its number. Neither the division into tasks nor the order in which
they end changes a result.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from gamma_align.alignment import Limits, documents_text
from gamma_align.chance import ChanceSettings, Controls, Draws, SourceDocuments, suitable_documents
from gamma_align.columns import FloatArray, IntArray, chunks
from gamma_align.data import Corpus

_TASK_UNITS = 50_000
_SHIFTED_TASK_UNITS = 400_000  # of samples that one kernel aligns, which take less memory
TASKS_PER_WORKER = 8
"""Minimum, so that all workers end at about the same time."""


def description(task: Draws) -> str:
    """Return the words for the documents of a task, for messages."""
    return documents_text(task.corpus.documents, task.in_corpus)


def tasks_by_cost(
    corpus: Corpus,
    measurable: IntArray,
    document: IntArray,
    number: IntArray,
    cost: FloatArray,
    settings: ChanceSettings,
    limits: Limits,
    max_cost: float,
    source: SourceDocuments | None = None,
    controls: Controls | None = None,
    *,
    in_pieces: bool = True,
) -> Iterator[Draws]:
    """Yield tasks of bounded size, the most costly first, each with the piece of the corpus that it needs.

    Without `in_pieces`, each has the whole corpus, whose sampler then serves all of them.

    `document` and `number` are sorted. `cost` is the cost of a sample of each measurable document, and `max_cost` the
    limit for a task of several samples. `limits` apply to the alignments, and `controls` to the samples of each
    measurable document.
    """
    if not len(document):
        return
    is_suitable = suitable_documents(corpus, settings)[measurable]
    max_units = np.where(is_suitable, _SHIFTED_TASK_UNITS, _TASK_UNITS)
    share_of_task = np.maximum(corpus.units_per_document[measurable] / max_units, cost / max_cost)
    shares = share_of_task[document]
    bounds = chunks(shares, 1)
    if len(bounds) > 1:
        task_sizes = np.add.reduceat(shares, [first for first, _ in bounds])
        bounds = [bounds[task] for task in (-task_sizes).argsort(kind="stable").tolist()]
    if controls is None:
        controls = Controls.none(len(measurable))
    for first, last in bounds:
        documents = document[first:last]
        numbers = number[first:last]
        in_corpus = measurable[documents]
        begin, end = (int(in_corpus[0]), int(in_corpus[-1]) + 1) if in_pieces else (0, len(corpus))
        piece = corpus.documents_between(begin, end)
        yield Draws(
            corpus=piece,
            settings=settings,
            limits=limits,
            in_corpus=in_corpus - begin,
            document=documents,
            number=numbers,
            is_suitable=is_suitable[documents],
            source=source,
            count_overlaps=controls.overlaps[documents],
            align_pairs=numbers < controls.pairs[documents],
        )
