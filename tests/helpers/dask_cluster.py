"""A Dask cluster of two workers, each a process of its own: prints its address and their numbers, ends with stdin."""

from __future__ import annotations

import sys

from distributed import LocalCluster


def main() -> None:
    settings = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "dashboard_address": None}
    with LocalCluster(host="127.0.0.1", **settings) as cluster:
        print(cluster.scheduler_address, *(worker.pid for worker in cluster.workers.values()), flush=True)  # noqa: T201
        sys.stdin.read()


if __name__ == "__main__":
    main()
