"""γ of CSV files with pygamma-agreement: the other side of the comparison in `gamma.py`.

Runs in an environment of its own (`gamma.py --peers` makes it), and needs nothing of this repository. Prints one line
of JSON about itself, then one for each file as soon as it is done, so that a run that is stopped still tells how far
it came. Exact or fast mode, `ShuffleContinuumSampler`, a fixed number of samples.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import logging
import resource
import sys
import time
from importlib import metadata
from pathlib import Path
from typing import Any

PACKAGES = ("pygamma-agreement", "numpy", "numba", "cvxpy", "cylp")


class _Fallbacks(logging.Handler):
    """Count how often pygamma-agreement gave up on CBC and took GLPK."""

    count = 0

    def emit(self, record: logging.LogRecord) -> None:
        self.count += "GLPK" in record.getMessage()


def main() -> int:
    arguments = _parser().parse_args()
    if arguments.cpu_limit is not None:
        resource.setrlimit(resource.RLIMIT_CPU, (arguments.cpu_limit, arguments.cpu_limit + 5))
    if arguments.memory_limit is not None:
        size = arguments.memory_limit * 1_000_000
        resource.setrlimit(resource.RLIMIT_DATA, (size, size))
    fallbacks = _Fallbacks()
    logging.getLogger().addHandler(fallbacks)
    with contextlib.redirect_stdout(sys.stderr):  # pygamma-agreement prints rows it discards
        import pygamma_agreement as peer

        _tell({"import_cpu": time.process_time(), "versions": _versions()})
        for path in arguments.paths:
            fallbacks.count = 0
            _tell({**_measure(peer, path, arguments), "fallbacks": fallbacks.count})
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description="γ of CSV files with pygamma-agreement")
    parser.add_argument("paths", type=Path, nargs="*", help="annotator,category,start,end without a header")
    parser.add_argument("--samples", type=int, default=30)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cpu-limit", type=int, metavar="SECONDS", help="be stopped after so much CPU time")
    parser.add_argument("--memory-limit", type=int, metavar="MB", help="ask for no more memory than that")
    parser.add_argument("--mode", choices=("exact", "fast"), default="exact")
    return parser


def _measure(peer: Any, path: Path, arguments: argparse.Namespace) -> dict[str, Any]:  # noqa: ANN401
    import numpy as np

    np.random.seed(arguments.seed)  # noqa: NPY002  (the only state pygamma-agreement draws from)
    started = time.process_time()
    continuum = peer.Continuum.from_csv(path)
    result = continuum.compute_gamma(
        peer.CombinedCategoricalDissimilarity(alpha=1, beta=1, delta_empty=1),
        n_samples=arguments.samples,
        precision_level=None,
        sampler=peer.ShuffleContinuumSampler(),
        fast=arguments.mode == "fast",
    )
    return {
        "document": path.stem,
        "annotators": continuum.num_annotators,
        "units": continuum.num_units,
        "samples": len(result.chance_alignments),
        "observed": float(result.observed_disorder),
        "expected": float(result.expected_disorder),
        "gamma": float(result.gamma),
        "cpu": time.process_time() - started,
    }


def _versions() -> dict[str, str | None]:
    found: dict[str, str | None] = {}
    for name in PACKAGES:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            found[name] = None
    return found


def _tell(entry: dict[str, Any]) -> None:
    print(json.dumps(entry), file=sys.__stdout__, flush=True)


if __name__ == "__main__":
    raise SystemExit(main())
