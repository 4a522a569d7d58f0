"""The workers of a measurement: processes, threads, or a Dask cluster, through joblib."""

from __future__ import annotations

import argparse
import contextlib
import logging
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

from gamma_align.errors import Cure, Location, MissingExtraError, Set, SettingsError, WorkerError
from gamma_align.reading import TemporaryFolder

_DASK_BACKEND = "dask"
_PROCESS_BACKEND = "processes"
_TIMEOUT_SECONDS = 10  # for the answer of a cluster
# For its first worker: on a cluster of machines, workers may start a little later than this program. joblib alone would
# give up after 10 seconds.
_WORKER_TIMEOUT_SECONDS = 300


@contextlib.contextmanager
def engine(arguments: argparse.Namespace) -> Iterator[None]:
    """Use the workers that the arguments request inside a ``with`` block."""
    if arguments.scheduler is not None and arguments.backend != _DASK_BACKEND:
        raise SettingsError(
            "this is the address of a Dask cluster",
            Cure("add {}", Set("backend", "dask")),
            Location.for_option("scheduler"),
        )
    if arguments.backend not in (_DASK_BACKEND, None) and arguments.jobs is None:
        raise SettingsError(
            "the number of workers is not known",
            Cure("set it with {}", Set("n_jobs", 2)),
            Location.for_option("backend"),
        )
    # These do not need joblib, which is an optional package.
    if arguments.backend is None:
        yield
        return
    if arguments.backend == _PROCESS_BACKEND:
        from gamma_align.work import processes_only

        with processes_only():
            yield
        return
    try:
        from joblib import parallel_config
    except ImportError:
        extra = "dask" if arguments.backend == _DASK_BACKEND else "parallel"
        raise MissingExtraError("joblib", extra, f"the backend {arguments.backend}") from None
    with contextlib.ExitStack() as stack:
        if arguments.backend == _DASK_BACKEND:
            stack.enter_context(_cluster(arguments.scheduler, arguments.jobs))
        stack.enter_context(parallel_config(arguments.backend))
        yield


@contextlib.contextmanager
def _cluster(address: str | None, workers: int | None) -> Iterator[None]:
    """Connect to a Dask cluster, or start one on this machine for the time of the work."""
    try:
        import dask
        from distributed import Client
    except ImportError:
        raise MissingExtraError("dask", "dask", "a Dask cluster") from None
    with TemporaryFolder() as folder, dask.config.set({"temporary-directory": str(folder.path)}):
        # These settings are for a cluster that is started here; a running cluster has its own.
        own_settings = {
            "n_workers": workers,
            "threads_per_worker": 1,
            "dashboard_address": ":0",  # any free port
            "silence_logs": logging.ERROR,  # not that tasks are cancelled when the work ends early
        }
        if address is None:
            # Dask reports if the folder, which we delete as a whole, is gone before it has closed.
            logging.getLogger("distributed.diskutils").setLevel(logging.CRITICAL)
        start = partial(Client, address, timeout=_TIMEOUT_SECONDS, **(own_settings if address is None else {}))
        try:
            client = _started(start)
        except (OSError, ValueError) as error:
            raise SettingsError(
                f"no Dask cluster at {address}: {error}", location=Location.for_option("scheduler")
            ) from None
        except RuntimeError as error:
            cure = Cure("run the command again, with fewer workers ({}) if memory is short", Set("n_jobs", 1))
            raise WorkerError(f"the workers of a Dask cluster on this machine did not start: {error}", cure) from None
        with client:
            if address is not None:
                _wait_for_worker(client, address)
            yield


def _wait_for_worker(client: Any, address: str) -> None:  # noqa: ANN401  (distributed.Client, which is optional)
    """Wait until a running cluster has a worker."""
    try:
        client.wait_for_workers(1, timeout=_WORKER_TIMEOUT_SECONDS)
    except TimeoutError:
        raise SettingsError(
            f"the Dask cluster at {address} has no worker after {_WORKER_TIMEOUT_SECONDS:g} seconds",
            Cure(f"start workers with  dask worker {address}"),
            Location.for_option("scheduler"),
        ) from None


def _started(start: Callable[[], Any]) -> Any:  # noqa: ANN401  (a client of the package distributed, which is optional)
    """Return what a function starts; if an interrupt comes meanwhile, it is closed: no half of it is left."""
    with ThreadPoolExecutor(1) as thread:
        started = thread.submit(start)
        try:
            return started.result()
        except KeyboardInterrupt:
            started.result().close()
            raise
