"""Run tasks one after the other in this process, or in parallel with joblib."""

from __future__ import annotations

import contextlib
import signal
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from gamma_align.errors import MissingExtraError
from gamma_align.measures.gamma.memory import keep_freed_memory

Task = TypeVar("Task")
Result = TypeVar("Result")


class Workers:
    """The requested number of workers; None uses ``joblib.parallel_config``, or one worker without it."""

    def __init__(self, n_jobs: int | None) -> None:
        self._n_jobs = n_jobs
        self.n_workers = 1
        self._are_started = False
        if n_jobs == 1 or (n_jobs is None and not _configured()):
            return
        try:
            from joblib import effective_n_jobs
        except ImportError:
            raise MissingExtraError("joblib", "parallel", "more than one worker") from None
        self.n_workers = effective_n_jobs(n_jobs)

    def results(
        self, function: Callable[[Task], Result], tasks: Iterable[Task], *, is_small: bool = False
    ) -> Iterator[Result]:
        """Return the function's result for each task, in any order.

        Small work is done in this process until workers are started, which takes half a second.
        """
        if self.n_workers == 1 or (is_small and not self._are_started):
            return map(function, tasks)
        self._are_started = True
        from joblib import Parallel, delayed
        from joblib.parallel import get_active_backend

        is_generator = get_active_backend()[0].supports_return_generator
        return_as = "generator_unordered" if is_generator else "list"
        parallel = Parallel(n_jobs=self._n_jobs, return_as=return_as, batch_size=1)
        # If the results are a list, the call lasts until all tasks are done, and must remain possible to interrupt.
        with _interrupts_blocked() if is_generator else contextlib.nullcontext():
            results: Iterable[Result] = parallel(delayed(_run_in_worker)(function, task) for task in tasks)
        return _without_warnings(iter(results))


def _without_warnings(results: Iterator[Result]) -> Iterator[Result]:
    """Yield the results; if the caller stops early, suppress joblib's warning that tasks are cancelled."""
    try:
        for result in results:  # noqa: UP028  (closing `yield from` would close joblib's generator before `finally`)
            yield result
    finally:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            del results


@contextlib.contextmanager
def _interrupts_blocked() -> Iterator[None]:
    """Block Ctrl-C in the worker processes that are started meanwhile.

    All processes receive it. This process ends the workers; otherwise each would print a traceback.
    """
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    from multiprocessing.resource_tracker import ensure_running

    ensure_running()  # Python's resource tracker would unblock the signal if it were started later
    previous_mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, previous_mask)


def _run_in_worker(function: Callable[[Task], Result], task: Task) -> Result:
    """Return the function's result for a task, in a worker."""
    from multiprocessing import parent_process

    if parent_process() is not None:  # otherwise the worker is a thread of the caller's process
        keep_freed_memory()
    return function(task)


def _configured() -> bool:
    """Whether ``joblib.parallel_config`` requests workers; it does not if joblib is not imported."""
    if "joblib" not in sys.modules:
        return False
    from joblib.parallel import get_active_backend

    backend, n_jobs = get_active_backend()
    return bool((backend.default_n_jobs if n_jobs is None else n_jobs) != 1)  # Dask's default is all workers
