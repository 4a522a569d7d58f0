"""Tasks on the workers of a Dask cluster: one future for each, so that an error says which task it belongs to."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import CancelledError
from itertools import islice
from typing import Any, TypeVar

from gamma_align.errors import Cure, Set, WorkerError

Task = TypeVar("Task")
Result = TypeVar("Result")

_TASKS_AHEAD = 2  # of each worker: the one it works on, and the one that follows without a pause
_LARGE_TASK_BYTES = 1 << 40  # Dask advises against sending 10 MB, which a task of a large document can have


def dask_results(
    client: Any,  # noqa: ANN401  (a client of the package distributed, which is optional)
    n_workers: int,
    function: Callable[[Task], Result],
    tasks: Iterable[Task],
    describe: Callable[[Task], str],
) -> Iterator[Result]:
    """Yield the function's result for each task, in any order.

    Raises
    ------
    WorkerError
        If the cluster is lost, or if one worker after the other ends while it works on the same task.
    """
    import dask
    from distributed import as_completed

    waiting = iter(tasks)
    descriptions: dict[str, str] = {}
    submitted: Any = as_completed()  # type: ignore[no-untyped-call]

    def submit(count: int) -> None:
        with dask.config.set({"distributed.admin.large-graph-warning-threshold": _LARGE_TASK_BYTES}):
            for task in islice(waiting, count):
                future = client.submit(function, task, pure=False)
                descriptions[future.key] = describe(task)
                submitted.add(future)

    description = "the first tasks"
    try:
        submit(_TASKS_AHEAD * n_workers)
        for future in submitted:
            description = descriptions.pop(future.key)
            submit(1)
            yield _wait_for_result(future, description)
    except (OSError, CancelledError):
        # The scheduler may end at any moment, between two calls, too; an error of a task leaves the client running.
        if client.status == "running":
            raise
        raise _lost_cluster_error(description) from None
    finally:
        if descriptions and client.status == "running":
            client.cancel([*submitted.futures])


def _lost_cluster_error(description: str) -> WorkerError:
    """Return the error that the cluster was lost."""
    return WorkerError(
        f"the Dask cluster was lost while it worked on {description}",
        Cure("start it again; with {}, finished work is kept", Set("work")),
    )


def _wait_for_result(future: Any, description: str) -> Any:  # noqa: ANN401  (the function's result)
    """Return the result of a future; raise a WorkerError if its workers or the cluster are lost."""
    from distributed import KilledWorker

    if future.status in ("cancelled", "lost"):
        raise _lost_cluster_error(description)
    try:
        return future.result()
    except KilledWorker as error:
        raise WorkerError(
            f"workers of the Dask cluster ended one after the other while they worked on {description} (the system "
            f"kills a process if memory runs out; the last one was {error.last_worker.address})",
            "give the workers more memory, start fewer on a machine, or leave out these documents",
        ) from None
