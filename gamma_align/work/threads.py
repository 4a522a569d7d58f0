"""Threads of this process that work on the parts of a corpus.

They pay if nearly all of the work is in compiled calls and in functions of NumPy on long arrays, during which other
threads run. In contrast to worker processes, nothing is started, sent or copied.
"""

from __future__ import annotations

import contextvars
import math
import queue
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from itertools import islice
from typing import TypeVar

from gamma_align.chance import ChanceSettings, suitable_documents
from gamma_align.columns import BoolArray
from gamma_align.data import Corpus, CorpusParts
from gamma_align.work.workers import Workers

Item = TypeVar("Item")
Task = TypeVar("Task")
Result = TypeVar("Result")

_MAX_COMPILED_ANNOTATORS = 3  # with more of them, most samples are aligned with pairs as a control, by the solver
_MAX_SOLVER_SHARE = 0.1  # of the units: the solver's many short calls keep other threads waiting
_MAX_SOLVER_UNITS = 200  # of a document: a thread cannot be ended while it is solved
# With fewer units, a second thread gains less than it costs to wait for each other: a tenth of a second of work.
_MIN_UNITS = 10_000
_PARTS_PER_THREAD = 2  # so that a thread that ends early takes over; more and shorter arrays are slower
_MAX_DOCUMENT_SHARE = 0.5  # of the work of a part: a part is longer by up to one document, which threads wait for
_WAIT_SECONDS = 1.0  # between two looks at signals: on Windows, Ctrl-C does not interrupt waiting for a queue


class ThreadWorkers(Workers):
    """The one worker of each thread: the thread itself, until `stop` is set."""

    def __init__(self) -> None:
        super().__init__(1)
        self.stop = threading.Event()

    def results(
        self,
        function: Callable[[Task], Result],
        tasks: Iterable[Task],
        *,
        is_small: bool = False,  # noqa: ARG002  (of other workers)
    ) -> Iterator[Result]:
        """Yield the function's result for each task; KeyboardInterrupt once `stop` is set, as in a main thread."""
        for task in tasks:
            if self.stop.is_set():
                raise KeyboardInterrupt
            yield function(task)


def suits_threads(corpus: Corpus, settings: ChanceSettings) -> bool:
    """Whether nearly all work on a corpus is in compiled calls, none of which takes long."""
    units = corpus.units_per_document
    is_compiled = suitable_documents(corpus, settings) & (corpus.n_annotators <= _MAX_COMPILED_ANNOTATORS)
    others: BoolArray = ~is_compiled
    return bool(
        units.sum() >= _MIN_UNITS
        and units[others].sum() <= _MAX_SOLVER_SHARE * units.sum()
        and units[others].max(initial=0) <= _MAX_SOLVER_UNITS
    )


def parts_for_threads(corpus: Corpus, n_threads: int) -> CorpusParts | None:
    """Return a corpus in parts of about the same work; None if one of its documents is too large a share of a part."""
    work = corpus.units_per_document + 1  # as `CorpusParts` counts it
    part_work = math.ceil(work.sum() / (_PARTS_PER_THREAD * n_threads))
    return CorpusParts(corpus, part_work) if work.max() <= _MAX_DOCUMENT_SHARE * part_work else None


def results_in_threads(
    function: Callable[[Item, Callable[[int], None]], Result],
    items: Iterable[Item],
    n_threads: int,
    stop: threading.Event,
    handle: Callable[[int], None],
) -> Iterator[Result]:
    """Yield the function's result for each item, in order, computed by threads; not more than `n_threads` ahead.

    The function's second argument takes numbers that are to be reported. The calling thread hands them to `handle`, so
    that a callback of the user runs where it expects to. If an item or the caller fails, `stop` is set, and the threads
    are waited for.
    """
    reports: queue.SimpleQueue[int | None] = queue.SimpleQueue()
    remaining = iter(items)
    futures: deque[Future[Result]] = deque()
    with ThreadPoolExecutor(n_threads, "gamma-align") as pool:
        try:
            while True:
                for item in islice(remaining, n_threads - len(futures)):
                    # In a copy of the context: it has, for one, how NumPy treats floating-point errors.
                    context = contextvars.copy_context()
                    futures.append(pool.submit(context.run, function, item, reports.put))
                    futures[-1].add_done_callback(lambda _: reports.put(None))
                if not futures:
                    return
                _wait_for(futures, reports, handle)
                yield futures.popleft().result()
        except BaseException:
            stop.set()
            raise


def _wait_for(
    futures: deque[Future[Result]], reports: queue.SimpleQueue[int | None], handle: Callable[[int], None]
) -> None:
    """Wait until the first future is done, and handle the reports until then; raise the error of any future at once."""
    while True:
        is_done = futures[0].done()  # before the reports are read: then all of this future are among them
        with suppress(queue.Empty):
            _handle(reports.get(timeout=0.0 if is_done else _WAIT_SECONDS), handle)
            while True:
                _handle(reports.get_nowait(), handle)
        for future in futures:
            if future.done() and future.exception() is not None:
                future.result()
        if is_done:
            return


def _handle(report: int | None, handle: Callable[[int], None]) -> None:
    if report is not None:
        handle(report)
