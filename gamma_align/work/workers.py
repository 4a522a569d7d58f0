"""Run tasks one after the other in this process, in worker processes, or with another backend of joblib."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

from gamma_align.data import processors
from gamma_align.errors import Location, SettingsError, WorkerError
from gamma_align.work.dask_workers import dask_results
from gamma_align.work.processes import borrowed

Task = TypeVar("Task")
Result = TypeVar("Result")

_PROCESS_BACKENDS = ("LokyBackend", "MultiprocessingBackend", "SequentialBackend")
"""Backends of joblib in whose place our own worker processes are used, which end with this process and are replaced."""
_DASK_BACKEND = "DaskDistributedBackend"  # of joblib


class Workers:
    """The requested number of workers; None uses ``joblib.parallel_config``, or one worker without it.

    `describe` returns the words for what a task works on, for messages.
    """

    def __init__(self, n_jobs: int | None, describe: Callable[[Any], str] = repr) -> None:
        self._n_jobs = n_jobs
        self._describe = describe
        self._uses_joblib, configured = _joblib_configuration()
        self._are_started = False
        if n_jobs == 0:
            raise SettingsError("the number of workers is 0", "name 1 or more", Location.for_option("n_jobs"))
        n_jobs = configured if n_jobs is None else n_jobs
        if self._uses_joblib and n_jobs != 1:
            from joblib import effective_n_jobs

            try:
                self.n_workers = effective_n_jobs(self._n_jobs)
            except TimeoutError:
                raise WorkerError(
                    "the Dask cluster has no worker", "start workers, or wait until they are up"
                ) from None
        else:
            # -1 is as many as there are processors, -2 one less: the same as in joblib
            self.n_workers = n_jobs if n_jobs > 0 else max(processors() + 1 + n_jobs, 1)

    def results(
        self, function: Callable[[Task], Result], tasks: Iterable[Task], *, is_small: bool = False
    ) -> Iterator[Result]:
        """Return the function's result for each task, in any order.

        Small work is done in this process until workers are started, which takes half a second.

        Raises
        ------
        WorkerError
            If a worker process is killed, and again when its task is tried again.
        """
        if self.n_workers == 1 or (is_small and not self._are_started):
            return map(function, tasks)
        self._are_started = True
        return self._with_joblib(function, tasks) if self._uses_joblib else self._with_processes(function, tasks)

    def _with_processes(self, function: Callable[[Task], Result], tasks: Iterable[Task]) -> Iterator[Result]:
        """Yield the results of worker processes, with the pool of this size."""
        with borrowed(self.n_workers) as pool:
            yield from pool.results(function, tasks, self._describe)
            self.n_workers = pool.size

    def _with_joblib(self, function: Callable[[Task], Result], tasks: Iterable[Task]) -> Iterator[Result]:
        """Yield the results of the workers that joblib is configured for."""
        from joblib import Parallel, delayed
        from joblib.parallel import get_active_backend

        backend = get_active_backend()[0]
        if type(backend).__name__ == _DASK_BACKEND:
            yield from dask_results(backend.client, self.n_workers, function, tasks, self._describe)
            return
        return_as = "generator_unordered" if backend.supports_return_generator else "list"
        parallel = Parallel(n_jobs=self._n_jobs, return_as=return_as, batch_size=1)
        yield from _without_warnings(iter(parallel(delayed(function)(task) for task in tasks)))


def _without_warnings(results: Iterator[Result]) -> Iterator[Result]:
    """Yield the results; if the caller stops early, suppress joblib's warning that tasks are cancelled."""
    try:
        for result in results:  # noqa: UP028  (closing `yield from` would close joblib's generator before `finally`)
            yield result
    finally:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            del results


def _joblib_configuration() -> tuple[bool, int]:
    """Return whether ``joblib.parallel_config`` names workers other than processes, and the number of workers.

    The number is 1 without such a configuration: joblib is then not imported.
    """
    if "joblib" not in sys.modules:
        return False, 1
    from joblib.parallel import get_active_backend

    backend, n_jobs = get_active_backend()
    n_jobs = backend.default_n_jobs if n_jobs is None else n_jobs  # Dask's default is all workers
    return type(backend).__name__ not in _PROCESS_BACKENDS, int(n_jobs)
