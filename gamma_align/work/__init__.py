"""Running tasks: one after the other, in processes of this machine, or on a Dask cluster.

`workers.Workers` runs a function over tasks and yields the results in any order. `processes` has the worker processes
of this machine, `worker` is the program that runs in one of them, `dask_workers` sends tasks to a cluster. `memory`
controls how the C library and pyarrow treat freed memory. None of these knows what a task computes.

`part_tasks` has the tasks of a part of a corpus: `tasks` divides its documents (`part_documents`) and samples among
workers, `store` keeps results so that a measurement can be interrupted, and `shared_work` those that a corpus and its
sub-corpora have in common. What is computed is in `chance`; what to draw next
is decided in `measures.gamma`.
"""

from gamma_align.lazy import door

_NAMES = {
    "kept_work": ("KeptWork", "fingerprints"),
    "memory": ("keep_freed_memory", "release_freed_memory"),
    "part_documents": ("PartDocuments",),
    "part_tasks": ("PartTasks",),
    "processes": ("words_for_end",),
    "shared_work": ("SharedWork",),
    "store": ("PartStore", "Store", "StoredColumns"),
    "tasks": ("description",),
    "workers": ("Workers",),
}

__getattr__, __all__ = door(__name__, _NAMES)
