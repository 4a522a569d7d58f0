"""The arguments and the help of ``look``."""

from __future__ import annotations

from gamma_align.apps.cli._arguments import add_corpus, add_output, gate_group
from gamma_align.apps.cli._options import add_groups
from gamma_align.apps.cli._parser import Parser
from gamma_align.insight.look import LOOK_OPTIONS
from gamma_align.requests import MEASURE

THRESHOLD_NAMES = ("gamma", "gamma-cat", "pairwise-gamma", "alpha", "kappa", "observed")
"""The values that a look may have, by their names in ``--fail-under``."""


def look(parser: Parser) -> None:
    """Add the arguments of ``look``."""
    parser.describe(
        "Look at units or a table of items: a verdict, values, the largest causes of disagreement, what to type next. "
        "The word look may be left out: gamma-align PATH.",
        "gamma-align corpora/novels_ner",
        "gamma-align corpora/llm_span_d2t_iaa --model 'zeroshot-*'",
    )
    add_corpus(parser, MEASURE)
    add_groups(parser, LOOK_OPTIONS)
    add_output(parser)
    add_groups(parser, gate_group(THRESHOLD_NAMES, listed=", ".join(THRESHOLD_NAMES)))
