"""Running a measurement over a corpus: groups of whole documents, on one process or several."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import numpy as np

from gamma_align.errors import MissingExtraError
from gamma_align.gammas.measure import measure

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from gamma_align.data.corpus import Corpus
    from gamma_align.gammas.rows import Row
    from gamma_align.gammas.settings import GammaSettings

_UNITS = 4_000  # of the data; their samples make thirty times as many and more


def run(
    corpus: Corpus,
    settings: GammaSettings,
    *,
    n_jobs: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> list[Row]:
    """Return the row of every document, sorted by document; the same for any number of workers.

    Raises
    ------
    MissingExtraError
        If more than one worker is asked for and joblib is missing.
    """
    groups = document_groups(corpus)
    tell = _Total(progress, settings.rule.first, [b - a for a, b in groups])
    parts: Iterable[list[Row]]
    if n_jobs == 1 or (n_jobs is None and not _configured()):
        parts = (measure(corpus.documents_between(a, b), settings, tell.within) for a, b in groups)
    else:
        parts = _parallel(corpus, settings, groups, n_jobs)
    rows: list[Row] = []
    for part in parts:
        rows += part
        tell.finished(sum(row.samples for row in part))
    return rows


class _Total:
    """Progress over all groups, told as one."""

    def __init__(self, progress: Callable[[int, int], None] | None, first: int, documents: list[int]) -> None:
        self._progress = progress
        self._ahead = [first * number for number in documents]
        self._done = 0

    def within(self, done: int, known: int) -> None:
        """Tell of the group at work."""
        if self._progress is not None:
            self._progress(self._done + done, self._done + known + sum(self._ahead[1:]))

    def finished(self, samples: int) -> None:
        """Count a group that is done."""
        self._done += samples
        del self._ahead[0]
        if self._progress is not None:
            self._progress(self._done, self._done + sum(self._ahead))


def document_groups(corpus: Corpus) -> list[tuple[int, int]]:
    """Return (first, last + 1) of runs of documents of about _UNITS units."""
    units = corpus.units_per_document + 1
    cuts = np.flatnonzero(np.diff((np.cumsum(units) - units) // _UNITS, prepend=-1)).tolist()
    return list(zip(cuts, [*cuts, len(corpus)][1:], strict=True))


def _configured() -> bool:
    """Whether ``joblib.parallel_config`` asks for workers; where joblib is not in use, it does not."""
    if "joblib" not in sys.modules:
        return False
    from joblib.parallel import get_active_backend  # noqa: PLC0415  (an optional package)

    return (get_active_backend()[1] or 1) != 1


def _parallel(
    corpus: Corpus, settings: GammaSettings, groups: list[tuple[int, int]], n_jobs: int | None
) -> Iterator[list[Row]]:
    try:
        from joblib import Parallel, delayed  # noqa: PLC0415
    except ImportError:
        raise MissingExtraError("joblib", "parallel", "more than one worker") from None
    tasks = (delayed(measure)(corpus.documents_between(a, b), settings) for a, b in groups)
    results: Iterator[list[Row]] = Parallel(n_jobs=n_jobs, return_as="generator")(tasks)
    return results
