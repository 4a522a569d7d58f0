"""Options of the search for an alignment: its limit of time, and its solver."""

from __future__ import annotations

from gamma_align.options import POSITIVE, Choice, Option

TIME_LIMIT = Option(
    "time_limit",
    POSITIVE,
    "stop looking for a proof then, in each document; the result has its gap, and the exit code is 5 if some is not "
    "proven",
    metavar="SECONDS",
    explanation="Seconds for each alignment after which it stops with a stated gap.",
)
# The values are those of `limits`, which imports this module.
SOLVER = Option(
    "solver",
    Choice(("kernels", "ortools")),
    "what finds alignments: this package's own kernels, or, to check them, OR-Tools alone, slowly, where documents are "
    "small enough",
    default="kernels",
    explanation="Solver of alignments: this package's kernels, or OR-Tools alone, to check them (see `Limits`).",
)
PROOF_OPTIONS = (TIME_LIMIT, SOLVER)
"""Options of the search for a proven alignment."""
