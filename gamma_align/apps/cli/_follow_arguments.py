"""The arguments and the help of ``follow``."""

from __future__ import annotations

from pathlib import Path

from gamma_align.apps.cli._arguments import JSON_OPTION, NOTES_QUIET, gate_group, output_group
from gamma_align.apps.cli._options import add_groups, add_parts
from gamma_align.apps.cli._parser import Parser
from gamma_align.options import POSITIVE, File, Flag, Group, Option
from gamma_align.requests import MEASURE

EVERY = Option("every", POSITIVE, "seconds between two looks", default=60.0, metavar="S")
WORK_OPTION = Option(
    "work",
    File(),
    "the folder that keeps what is done: results by document, and the looks",
    default=Path("gamma-align-follow"),
    metavar="DIR",
)
_FOLLOW_OPTIONS = Group(
    (
        EVERY,
        Option("once", Flag(), "look once and end, as for cron: what is done is kept for the next time", default=False),
        WORK_OPTION,
        Option(
            "causes",
            Flag(),
            "also say which causes of disagreement came and went since the look before",
            default=False,
        ),
    )
)
_GATE_VALUES = ("gamma", "gamma-cat")


def follow(parser: Parser) -> None:
    """Add the arguments of ``follow``."""
    parser.describe(
        "Follow a project: γ with its interval, the documents that are done, and what changed, whenever its "
        "annotations change. Only documents that changed are measured. Ctrl-C ends it; the same command goes on.",
        "gamma-align follow corpora/pygamma --once --samples 9",
        "gamma-align follow https://labels.example.org/projects/12",
    )
    parser.epilog = (
        "The token of Label Studio is in the variable LABEL_STUDIO_API_KEY of the environment. It is never stored or "
        "printed. Of a document in several exports of a folder, the one in the export that changed last counts."
    )
    parser.add_argument(
        "project",
        metavar="PROJECT",
        help="a folder in which exports arrive, a file or a folder each; or the address of a project of Label Studio",
    )
    add_groups(parser, _FOLLOW_OPTIONS)
    add_parts(parser, MEASURE)
    json = JSON_OPTION._replace(help="print each look as a line of JSON")
    output = Option(
        "output",
        File(),
        "also write the newest result to this file, as measure --json prints it",
        metavar="FILE",
        short="-o",
    )
    add_groups(
        parser, output_group(output, json, NOTES_QUIET), gate_group(("gamma", "gamma-cat"), listed="gamma, gamma-cat")
    )
