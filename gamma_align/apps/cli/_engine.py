"""The workers of a measurement: processes, threads, or a Dask cluster, through joblib."""

from __future__ import annotations

import argparse
import contextlib
from collections.abc import Iterator

from gamma_align.errors import Cure, Location, MissingExtraError, Set, SettingsError

_DASK_BACKEND = "dask"
_TIMEOUT_SECONDS = 10  # for the answer of a cluster


@contextlib.contextmanager
def engine(arguments: argparse.Namespace) -> Iterator[None]:
    """Use the workers that the arguments request inside a ``with`` block."""
    if arguments.scheduler is not None and arguments.backend != _DASK_BACKEND:
        raise SettingsError(
            "this is the address of a Dask cluster",
            Cure("add {}", Set("backend", "dask")),
            Location.for_option("scheduler"),
        )
    # Without a backend, joblib is not needed, which is an optional package.
    if arguments.backend is None:
        yield
        return
    if arguments.backend != _DASK_BACKEND and arguments.jobs is None:
        raise SettingsError(
            "the number of workers is not known",
            Cure("set it with {}", Set("n_jobs", 2)),
            Location.for_option("backend"),
        )
    try:
        from joblib import parallel_config
    except ImportError:
        raise MissingExtraError("joblib", "parallel", "more than one worker") from None
    with contextlib.ExitStack() as stack:
        if arguments.backend == _DASK_BACKEND:
            stack.enter_context(_cluster(arguments.scheduler, arguments.jobs))
        stack.enter_context(parallel_config(arguments.backend))
        yield


@contextlib.contextmanager
def _cluster(address: str | None, workers: int | None) -> Iterator[None]:
    """Connect to a Dask cluster, or start one on this machine for the time of the work."""
    try:
        from distributed import Client
    except ImportError:
        raise MissingExtraError("dask", "dask", "a Dask cluster") from None
    # These settings are for a cluster that is started here; a running cluster has its own.
    settings = {} if address is not None else {"n_workers": workers, "threads_per_worker": 1, "dashboard_address": None}
    try:
        client = Client(address, timeout=_TIMEOUT_SECONDS, **settings)  # type: ignore[no-untyped-call]
    except (OSError, ValueError) as error:
        raise SettingsError(
            f"no Dask cluster at {address}: {error}", location=Location.for_option("scheduler")
        ) from None
    with client:
        yield
