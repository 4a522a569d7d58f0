"""Where tasks are done: one after the other, or several at a time by joblib."""

from __future__ import annotations

import contextlib
import signal
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from gamma_align.errors import MissingExtraError
from gamma_align.measures.gamma.memory import keep

T = TypeVar("T")
R = TypeVar("R")


class Workers:
    """As many workers as are asked for; None is what ``joblib.parallel_config`` says, one without it."""

    def __init__(self, n_jobs: int | None) -> None:
        self._n_jobs = n_jobs
        self.number, self._ready = 1, False
        if n_jobs == 1 or (n_jobs is None and not _configured()):
            return
        try:
            from joblib import effective_n_jobs
        except ImportError:
            raise MissingExtraError("joblib", "parallel", "more than one worker") from None
        self.number = effective_n_jobs(n_jobs)

    def results(self, function: Callable[[T], R], tasks: Iterable[T], *, little: bool = False) -> Iterator[R]:
        """Return what the function makes of each task, in any order.

        What is `little` work is done here: processes that have had no task yet take half a second to begin.
        """
        if self.number == 1 or (little and not self._ready):
            return map(function, tasks)
        self._ready = True
        from joblib import Parallel, delayed
        from joblib.parallel import get_active_backend

        as_they_end = get_active_backend()[0].supports_return_generator
        return_as = "generator_unordered" if as_they_end else "list"
        parallel = Parallel(n_jobs=self._n_jobs, return_as=return_as, batch_size=1)
        with _interrupts_held() if as_they_end else contextlib.nullcontext():  # a list comes when all is done
            results: Iterable[R] = parallel(delayed(_done)(function, task) for task in tasks)
        return _quietly(iter(results))


def _quietly(results: Iterator[R]) -> Iterator[R]:
    """Yield the results; joblib does not warn that tasks are cancelled where nobody wants the others any more."""
    try:
        for result in results:  # noqa: UP028  (an end from outside would reach joblib before what follows)
            yield result
    finally:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            del results


@contextlib.contextmanager
def _interrupts_held() -> Iterator[None]:
    """Let processes that start meanwhile never hear of Ctrl-C, which goes to all: this process hears it, and ends them.

    Else they would print where they were interrupted.
    """
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    from multiprocessing.resource_tracker import ensure_running

    ensure_running()  # to start this process of Python's own later would let interrupts through
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _done(function: Callable[[T], R], task: T) -> R:
    """Return what the function makes of the task, in a worker."""
    from multiprocessing import parent_process

    if parent_process() is not None:  # else a thread of a process that is not ours
        keep()
    return function(task)


def _configured() -> bool:
    """Whether ``joblib.parallel_config`` asks for workers; where joblib is not in use, it does not."""
    if "joblib" not in sys.modules:
        return False
    from joblib.parallel import get_active_backend

    backend, n_jobs = get_active_backend()
    return bool((backend.default_n_jobs if n_jobs is None else n_jobs) != 1)  # Dask's is all workers
