"""One coefficient of one table with one tool: the measured part of `items.py`, in a process of its own.

Prints a line of JSON: value, CPU seconds and peak memory of the computation alone (the data are loaded before, and
imports made). ``ours`` needs gamma_align, the others the package they are named after.
"""

from __future__ import annotations

import argparse
import json
import resource
import time
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

WEIGHTS = {"nominal": "identity", "interval": "quadratic", "linear": "linear"}
PACKAGES = {"ours": "gamma-align", "krippendorff": "krippendorff", "irrcac": "irrCAC", "nltk": "nltk"}


def main() -> int:
    arguments = _parser().parse_args()
    if arguments.cpu_limit is not None:
        resource.setrlimit(resource.RLIMIT_CPU, (arguments.cpu_limit, arguments.cpu_limit + 5))
    data = np.load(arguments.data)
    compute = TOOLS[arguments.tool](data, arguments.coefficient, arguments.distance)
    before = _peak(reset=True)
    started = time.process_time()
    value = compute()
    found = {
        "value": value,
        "cpu": time.process_time() - started,
        "peak": _peak() - before,
        "version": metadata.version(PACKAGES[arguments.tool]),
    }
    print(json.dumps(found))
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description="one coefficient with one tool")
    parser.add_argument("tool", choices=list(PACKAGES))
    parser.add_argument("data", type=Path, help="items × coders as .npy, NaN is missing")
    parser.add_argument("coefficient", help="alpha, pi, kappa-conger, s, ac1; +interval for a jackknife with it")
    parser.add_argument("distance")
    parser.add_argument("--cpu-limit", type=int, metavar="SECONDS")
    return parser


def _peak(*, reset: bool = False) -> float:
    """Return the peak of resident memory, MB; after a reset (Linux) what is resident now."""
    if reset:
        try:
            Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
        except OSError:
            return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000
    try:
        lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) * 1024 / 1e6
    except (OSError, StopIteration):
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000


def _ours(data: Any, coefficient: str, distance: str) -> Callable[[], float]:  # noqa: ANN401
    import gamma_align as ga

    name, _, more = coefficient.partition("+")
    ga.item_coefficient(
        ga.ItemTable.from_matrix(data[:10]), name, distance=distance
    )  # what is imported where it is used

    def compute() -> float:
        table = ga.ItemTable.from_matrix(data)
        found = ga.item_coefficient(table, name, distance=distance, interval="jackknife" if more else None)
        return found.value

    return compute


def _krippendorff(data: Any, _: str, distance: str) -> Callable[[], float]:  # noqa: ANN401
    import krippendorff

    return lambda: float(krippendorff.alpha(reliability_data=data.T, level_of_measurement=distance))


def _irrcac(data: Any, coefficient: str, distance: str) -> Callable[[], float]:  # noqa: ANN401
    import pandas as pd
    from irrCAC.raw import CAC

    method = {"alpha": "krippendorff", "pi": "fleiss", "kappa-conger": "conger", "s": "bp", "ac1": "gwet"}[coefficient]
    frame = pd.DataFrame(data)

    def compute() -> float:
        found = getattr(CAC(frame, weights=WEIGHTS[distance], digits=12), method)()
        return float(found["est"]["coefficient_value"])

    return compute


def _nltk(data: Any, _: str, __: str) -> Callable[[], float]:  # noqa: ANN401
    from nltk.metrics.agreement import AnnotationTask

    item, coder = np.nonzero(~np.isnan(data))
    labels = data[item, coder].astype(int).tolist()
    triples = list(zip(coder.tolist(), item.tolist(), labels, strict=True))
    return lambda: float(AnnotationTask(data=triples).alpha())


TOOLS = {"ours": _ours, "krippendorff": _krippendorff, "irrcac": _irrcac, "nltk": _nltk}


if __name__ == "__main__":
    raise SystemExit(main())
