"""A Dask cluster of two workers, each a process of its own: prints its address and their numbers.

For each line that comes in, it prints how much its tasks have moved on; it ends with the lines.
"""

from __future__ import annotations

import sys

from distributed import LocalCluster


def main() -> None:
    settings = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "dashboard_address": None}
    with LocalCluster(host="127.0.0.1", **settings) as cluster:
        print(cluster.scheduler_address, *(worker.pid for worker in cluster.workers.values()), flush=True)  # noqa: T201
        for _ in sys.stdin:
            print(cluster.scheduler.transition_counter, flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
