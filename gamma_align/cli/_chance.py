"""Arguments on samples, seed, processes and time, which the subcommands that compute γ share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gamma_align.cli._common import positive, whole, workers

if TYPE_CHECKING:
    import argparse


def add_chance(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    group = parser.add_argument_group("chance")
    group.add_argument(
        "--precision",
        type=positive,
        default=0.02,
        metavar="E",
        help="relative precision of the expected disorder, at 95 %% (default: 0.02)",
    )
    group.add_argument(
        "--samples", type=whole(1), metavar="N", help="draw N samples a document, whatever the precision"
    )
    group.add_argument(
        "--max-samples",
        type=whole(1),
        metavar="N",
        help="never draw more than N samples a document, and say so (default: 10000)",
    )
    group.add_argument("--seed", type=whole(0), default=0, metavar="N", help="seed of the samples (default: 0)")
    group.add_argument("--jobs", type=workers, metavar="N", help="processes to use; -1 for all processors")
    group.add_argument(
        "--time-limit",
        type=positive,
        metavar="SECONDS",
        help="stop looking for proofs then; the result has its gap, and the exit code is 5 if some is not proven",
    )


def chance_settings(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return the keyword arguments of `gamma` that they set."""
    most = {} if arguments.max_samples is None else {"max_samples": arguments.max_samples}
    return {
        "precision": arguments.precision,
        "samples": arguments.samples,
        "seed": arguments.seed,
        "n_jobs": arguments.jobs,
        "time_limit": arguments.time_limit,
        **most,
    }
