"""Where tasks are done: one after the other, or several at a time by joblib."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from gamma_align.errors import MissingExtraError

T = TypeVar("T")
R = TypeVar("R")


class Workers:
    """As many workers as are asked for; None is what ``joblib.parallel_config`` says, one without it."""

    def __init__(self, n_jobs: int | None) -> None:
        self._n_jobs = n_jobs
        self.number = 1
        if n_jobs == 1 or (n_jobs is None and not _configured()):
            return
        try:
            from joblib import effective_n_jobs  # noqa: PLC0415  (an optional package)
        except ImportError:
            raise MissingExtraError("joblib", "parallel", "more than one worker") from None
        self.number = effective_n_jobs(n_jobs)

    def results(self, function: Callable[[T], R], tasks: Iterable[T]) -> Iterator[R]:
        """Return what the function makes of each task, in any order."""
        if self.number == 1:
            return map(function, tasks)
        from joblib import Parallel, delayed  # noqa: PLC0415  (an optional package)
        from joblib.parallel import get_active_backend  # noqa: PLC0415

        as_they_end = get_active_backend()[0].supports_return_generator
        return_as = "generator_unordered" if as_they_end else "list"
        parallel = Parallel(n_jobs=self._n_jobs, return_as=return_as, batch_size=1)
        results: Iterable[R] = parallel(delayed(function)(task) for task in tasks)
        return iter(results)


def _configured() -> bool:
    """Whether ``joblib.parallel_config`` asks for workers; where joblib is not in use, it does not."""
    if "joblib" not in sys.modules:
        return False
    from joblib.parallel import get_active_backend  # noqa: PLC0415

    backend, n_jobs = get_active_backend()
    return bool((backend.default_n_jobs if n_jobs is None else n_jobs) != 1)  # Dask's is all workers
