"""A Dask cluster that does the work of a measurement."""

from __future__ import annotations

import argparse
import contextlib
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

from gamma_align.errors import Cure, Location, MissingExtraError, SettingsError

_TIMEOUT_SECONDS = 10  # for the answer of a cluster
# For its first worker: on a cluster of machines, workers may start a little later than this program. joblib alone would
# give up after 10 seconds.
_WORKER_TIMEOUT_SECONDS = 300


@contextlib.contextmanager
def engine(arguments: argparse.Namespace) -> Iterator[None]:
    """Use the Dask cluster that the arguments name, if they name one, inside a ``with`` block."""
    address = arguments.dask
    if address is None:
        yield
        return
    try:
        from distributed import Client
        from joblib import parallel_config
    except ImportError:
        raise MissingExtraError("dask", "dask", "a Dask cluster") from None
    try:
        client = _started(partial(Client, address, timeout=_TIMEOUT_SECONDS))
    except (OSError, ValueError) as error:
        raise SettingsError(f"no Dask cluster at {address}: {error}", location=Location.for_option("dask")) from None
    with client:
        _wait_for_worker(client, address)
        with parallel_config("dask"):
            yield


def _wait_for_worker(client: Any, address: str) -> None:  # noqa: ANN401  (distributed.Client, which is optional)
    """Wait until a running cluster has a worker."""
    try:
        client.wait_for_workers(1, timeout=_WORKER_TIMEOUT_SECONDS)
    except TimeoutError:
        raise SettingsError(
            f"the Dask cluster at {address} has no worker after {_WORKER_TIMEOUT_SECONDS:g} seconds",
            Cure(f"start workers with  dask worker {address}"),
            Location.for_option("dask"),
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
