"""The atlas: what γ is in corpora of other tasks, in place of words such as "good".

The file is written by tools/atlas/make.py from the corpora of the repository.
"""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from gamma_align.data import Corpus, counts_time

FILE = Path(__file__).with_name("atlas.json")
_COVERED = 0.9  # of a document, from which on units of an annotator divide it into segments


class SimilarTask(NamedTuple):
    """A task of the same kind: its corpus, and γ of the annotators there; of pairs of them if `by_pairs`."""

    task: str
    corpus: str
    gamma: float
    low: float
    high: float
    by_pairs: bool


@cache
def _rows() -> list[dict[str, Any]]:
    # not by FILE: the package may be in a zip archive
    text = files(__package__).joinpath(FILE.name).read_text(encoding="utf-8")
    rows: list[dict[str, Any]] = json.loads(text)
    return rows


def similar_tasks(corpus: Corpus) -> tuple[SimilarTask, ...]:
    """Return the tasks of the kind of a corpus, the corpus itself left out."""
    kind = kind_of(corpus)
    sizes = (len(corpus), len(corpus.annotators), corpus.n_units)
    return tuple(
        SimilarTask(*(row[name] for name in SimilarTask._fields))
        for row in _rows()
        if row["kind"] == kind and (row["documents"], row["annotators"], row["units"]) != sizes
    )


def kind_of(corpus: Corpus) -> str:
    """Return what units are: ``spans`` and ``segments`` of a text, or ``times``; segments divide their document."""
    if counts_time(corpus):
        return "times"
    lane = corpus.unit_document * max(len(corpus.annotators), 1) + corpus.annotator
    lengths = np.bincount(lane, corpus.end - corpus.start)
    document = np.flatnonzero(np.bincount(lane)) // max(len(corpus.annotators), 1)
    extents = np.diff(corpus.extents, axis=1)[document, 0]
    shares = lengths[np.flatnonzero(np.bincount(lane))] / np.where(extents > 0, extents, 1.0)
    return "segments" if len(shares) and float(np.median(shares)) >= _COVERED else "spans"
