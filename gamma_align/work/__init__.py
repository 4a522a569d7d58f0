"""Running tasks: one after the other, in processes of this machine, or on a Dask cluster.

`workers.Workers` runs a function over tasks and yields the results in their order. `processes` has the worker processes
of this machine, `worker` is the program that runs in one of them, `dask_workers` sends tasks to a cluster. `memory`
controls what the C library and pyarrow do with freed memory. This package does not know what a task computes.
"""
