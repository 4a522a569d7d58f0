"""Running a measurement over a corpus: groups of whole documents, on one process or several."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gamma_align.corpus.measure import measure
from gamma_align.errors import MissingExtraError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from gamma_align.coefficients.rows import Row
    from gamma_align.continuum import Corpus
    from gamma_align.corpus.settings import GammaSettings

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
    groups = _groups(corpus)
    first = settings.rule.first
    ahead = [first * (b - a) for a, b in groups]
    rows: list[Row] = []
    if n_jobs in (None, 1) and not _configured(n_jobs):
        done = 0
        for at, (a, b) in enumerate(groups):
            later = sum(ahead[at + 1 :])

            def inner(finished: int, known: int, done: int = done, later: int = later) -> None:
                if progress is not None:
                    progress(done + finished, done + known + later)

            rows += measure(corpus.documents_between(a, b), settings, inner)
            done += sum(row.samples for row in rows[a:b])
        return rows
    for at, part in enumerate(_parallel(corpus, settings, groups, n_jobs)):
        rows += part
        if progress is not None:
            done = sum(row.samples for row in rows)
            progress(done, done + sum(ahead[at + 1 :]))
    return rows


def _groups(corpus: Corpus) -> list[tuple[int, int]]:
    """Cut the documents into runs of about _UNITS units."""
    units = np.diff(corpus.unit_offsets) + 1
    cuts = np.flatnonzero(np.diff((np.cumsum(units) - units) // _UNITS, prepend=-1)).tolist()
    return list(zip(cuts, [*cuts, len(corpus)][1:], strict=True))


def _configured(n_jobs: int | None) -> bool:
    """Whether joblib's own configuration asks for workers (only looked at where joblib is already in use)."""
    import sys  # noqa: PLC0415

    if n_jobs is not None or "joblib" not in sys.modules:
        return False
    from joblib import parallel_config  # noqa: F401, PLC0415
    from joblib.parallel import get_active_backend  # noqa: PLC0415

    return bool((get_active_backend()[1] or 1) != 1)


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
