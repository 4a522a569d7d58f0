"""Options of the agreement of judges with people."""

from __future__ import annotations

from gamma_align.options import Group, Listed, Option, Text

# No default: only the user knows which coders are models.
JUDGES = Option(
    "judges",
    Listed("escaped", python="str | Iterable[str]"),
    "coders that are models, with wildcards * and ?: report their agreement with the people, their consistency and "
    "position bias; the coefficients are then those of the people alone",
    metavar="A,B",
    explanation="The coders that are models; a name may have the wildcards ``*`` and ``?``. All others are people.",
)
# "gpt#1" and "gpt#2" are runs of "gpt".
RUNS = Option(
    "runs",
    Text(),
    "text between the name of a judge and the name of its run, as in gpt#1 and gpt#2",
    default="#",
    metavar="SEP",
    explanation="Text between the name of a judge and the name of its run: ``gpt#1`` and ``gpt#2`` are two runs of "
    "``gpt``. Runs are never counted as annotators.",
)
# Position bias needs both orders of the same pair, which names alone connect.
SWAPPED = Option(
    "swapped",
    Listed("names", python="tuple[str, str]"),
    "names of the runs with both orders of a pair, as ab,ba for gpt#ab and gpt#ba; labels name the answer, A or B, "
    "not its position",
    metavar="AB,BA",
    explanation="Names of the two runs that saw the answers of a pair in both orders. Labels name the answer, not its "
    "position; `preferences` are the two labels.",
)
# The usual names of two answers.
PREFERENCES = Option(
    "preferences",
    Listed("names", python="tuple[str, str]"),
    "labels of the answers that stand first and second in the first of the --swapped runs",
    default=("A", "B"),
    metavar="A,B",
    explanation="Labels of the answers that stand first and second in the first of the `swapped` runs; other labels, "
    "such as a tie, are no preference.",
)
JUDGE_OPTIONS = Group((JUDGES, RUNS, SWAPPED, PREFERENCES), "judges", "more")
