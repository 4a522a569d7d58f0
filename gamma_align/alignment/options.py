"""Options of an alignment: its kind, and the limit of time and the solver of the search for it."""

from __future__ import annotations

from gamma_align.options import POSITIVE, Choice, Option

PARTITION = "partition"
COVER = "cover"
SOFT_PREFIX = "soft-"
"""Precedes the symbols γ, γcat and γk of covers."""


def soft_prefix(alignment: str) -> str:
    """Return the prefix of the symbols γ, γcat and γk: "soft-" for covers, otherwise an empty text."""
    return SOFT_PREFIX if alignment == COVER else ""


TIME_LIMIT = Option(
    "time_limit",
    POSITIVE,
    "stop searching for a proof after this time, in each document; the result then states the gap, and the exit code "
    "is 5",
    metavar="SECONDS",
    explanation="Seconds for each alignment after which it stops with a stated gap.",
)
# The values are those of `limits`, which imports this module.
SOLVER = Option(
    "solver",
    Choice(("kernels", "ortools")),
    "solver of alignments: this package's own kernels, or OR-Tools alone, to check them: slow, and only for small "
    "documents",
    default="kernels",
    explanation="Solver of alignments: this package's kernels, or OR-Tools alone, to check them (see `Limits`).",
)
ALIGNMENT = Option(
    "alignment",
    Choice((PARTITION, COVER)),
    "measure soft-γ: a unit may be in several unitary alignments, in the data and in the samples",
    default=PARTITION,
    argument="--soft",
    flag_value=COVER,
    explanation="Whether each unit is in exactly one unitary alignment (M15), or in at least one: soft-γ, in which a "
    "unit that another annotator has split is aligned with each of its parts.",
    shows_default=False,
)
PROOF_OPTIONS = (TIME_LIMIT, SOLVER)
"""Options of the search for a proven alignment."""
