"""The options of the commands that a request may name, in parts that the command line and the service share.

Nothing here imports NumPy: the command line prints its help from these declarations.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from gamma_align.alignment import PROOF_OPTIONS
from gamma_align.data import SELECTED_DOCUMENTS, SELECTION_OPTIONS, TRIMMING_OPTIONS, Json
from gamma_align.measures.gamma import (
    ALIGNMENT_OPTIONS,
    CHANCE_OPTIONS,
    DISTANCE_OPTIONS,
    SAMPLING_OPTIONS,
    WEIGHT_OPTIONS,
)
from gamma_align.options import Choice, File, Flag, Group, Listed, Option, Text
from gamma_align.reading import FILE_OPTIONS, UNIT_OPTIONS
from gamma_align.requests.settings import READING_PREFIX, SELECTION_PREFIX
from gamma_align.requests.texts import workers


class Part(NamedTuple):
    """A group of options whose names in a request begin with the prefix."""

    group: Group
    prefix: str = ""


class Named(NamedTuple):
    """An option with its name in a request, and the section of the help that it is in."""

    name: str
    option: Option
    section: str

    def default(self) -> Json:
        """Return the value of the option if none is given; a list is a new one each time."""
        kind = self.option.kind
        default = self.option.own_default
        if isinstance(kind, Listed) and (kind.is_repeated or kind.is_extended):
            return [*default] if isinstance(default, tuple) else None
        return default


JOBS_OPTION = Option(
    "jobs",
    Text(python="int", parse=workers),
    "number of workers, at most one per processor; -1 for all processors",
    metavar="N",
)
DISTANCE_FILES = Group(
    (
        Option(
            "order",
            Listed("quoted"),
            "the categories from lowest to highest, for distances of ranks (default: they are numbers); a category "
            'with a comma in quotes: low,"mid, or so",high',
            metavar="A,B,C",
        ),
        Option(
            "distance_matrix",
            File(is_table=True),
            "distances between categories: a square CSV table with the labels in its first row and first column; from"
            " 0 to 1 for γ",
            metavar="FILE.csv",
        ),
        Option(
            "taxonomy",
            File(is_table=True),
            "taxonomy of the categories as CSV, one edge per row: node, daughter",
            metavar="FILE.csv",
        ),
        Option(
            "set_separator",
            Text(),
            "text between the members of a label that is a set, for distances of sets",
            metavar="SEP",
            shown_default="|",
        ),
    ),
    "distance of categories",
    "more",
)
DETAIL_OPTIONS = Group(
    (
        Option("by_category", Flag(), "also measure each category against all others", default=False),
        Option("by_item", Flag(), "also report how much coders disagree on each item", default=False),
        Option(
            "by_pair",
            Flag(),
            "also print κ and the confusion matrix of every two coders (by default κ of up to 6 coders and "
            "categories, and the matrix of two coders); with --csv, print only these",
            default=False,
        ),
    ),
    "output",
)
READING = (Part(FILE_OPTIONS, READING_PREFIX), Part(UNIT_OPTIONS))
SELECTION = (Part(SELECTION_OPTIONS, SELECTION_PREFIX), Part(TRIMMING_OPTIONS))
ALIGNMENT = (*READING, *SELECTION, Part(WEIGHT_OPTIONS), Part(DISTANCE_OPTIONS), Part(DISTANCE_FILES))
MEASURE = (
    *ALIGNMENT,
    Part(SAMPLING_OPTIONS),
    Part(Group((JOBS_OPTION,))),
    Part(ALIGNMENT_OPTIONS),
    Part(CHANCE_OPTIONS),
)
PROOF = Part(Group(PROOF_OPTIONS, "proof", "more"))
ONE_DOCUMENT_SELECTION = (Part(Group((SELECTED_DOCUMENTS,), "selection"), SELECTION_PREFIX), Part(TRIMMING_OPTIONS))


def families_option(verb: str, only_choice: str | None = None) -> Option:
    """Return the option of the families of coefficients; `verb` names the action on them, `alone` a further choice."""
    from gamma_align.insight.comparison import FAMILIES

    further = "" if only_choice is None else f", or {only_choice} alone"
    return Option(
        "coefficients",
        Listed("names", items=Choice((*FAMILIES, *filter(None, [only_choice])))),
        f"families of coefficients to {verb}: {' and '.join(FAMILIES)}, separated by commas{further}",
        default=FAMILIES[:1],
        metavar="A,B",
    )


def options_of(command: str) -> list[Named]:
    """Return the options of a command that a request may name."""
    return [
        Named(f"{part.prefix}{option.name}", option, part.group.title)
        for part in _parts(command)
        for option in part.group.options
        if option.is_argument
    ]


def _parts(command: str) -> Iterable[Part]:
    """Return the parts of the options of a command; only their declarations are imported."""
    match command:
        case "measure":
            from gamma_align.measures.unitizing import ALPHA_2004, UNITIZING_OPTIONS

            return (Part(Group((families_option("measure", ALPHA_2004),))), *MEASURE, Part(UNITIZING_OPTIONS))
        case "align":
            return (*ALIGNMENT, Part(ALIGNMENT_OPTIONS), PROOF)
        case "items":
            return _parts_of_items()
        case "shuffle":
            from gamma_align.simulation import ERROR_OPTIONS, SHUFFLING_OPTIONS, SYNTHETIC_SECTION

            groups = (ERROR_OPTIONS, SYNTHETIC_SECTION)
            return (Part(SHUFFLING_OPTIONS), *READING, *ONE_DOCUMENT_SELECTION, *map(Part, groups))
        case "evaluate":
            return _parts_of_evaluation()
        case "ceiling" | "look":
            return _parts_of_insight(command)
    raise ValueError(f"no request is named {command!r}")


def _parts_of_insight(command: str) -> tuple[Part, ...]:
    from gamma_align.insight.ceiling import CEILING_OPTIONS
    from gamma_align.insight.look import LOOK_OPTIONS

    return (*MEASURE, Part(LOOK_OPTIONS)) if command == "look" else (*READING, *SELECTION, Part(CEILING_OPTIONS))


def _parts_of_items() -> tuple[Part, ...]:
    from gamma_align.insight.replacement import JUDGE_OPTIONS
    from gamma_align.measures.items import COEFFICIENTS, FURTHER_OPTIONS, INFERENCE_OPTIONS, INTERVAL, ITEM_READING

    asked = (Group((COEFFICIENTS,)), DISTANCE_OPTIONS, DISTANCE_FILES, Group((INTERVAL,)), DETAIL_OPTIONS)
    return tuple(map(Part, (*asked, ITEM_READING, FURTHER_OPTIONS, JUDGE_OPTIONS, INFERENCE_OPTIONS)))


def _parts_of_evaluation() -> tuple[Part, ...]:
    from gamma_align.measures.reference import (
        CASE_OPTIONS,
        CHANCE_OF_REFERENCE,
        COMPARISON_OPTIONS,
        DIARIZATION_OPTIONS,
        SEGMENTATION_OPTIONS,
        SPAN_OPTIONS,
    )

    further = (SPAN_OPTIONS, CHANCE_OF_REFERENCE, SEGMENTATION_OPTIONS, DIARIZATION_OPTIONS, CASE_OPTIONS)
    return (Part(COMPARISON_OPTIONS), *MEASURE, *map(Part, further))


def computation(command: str) -> Callable[..., Json]:
    """Return the function that computes the result of a request from data, values and, except of items, progress.

    Its module is imported. The command ``older_alpha`` is ``measure`` of the older αU.
    """
    from gamma_align.requests import align, ceiling, evaluate, items, look, measure, older_alpha, shuffle

    functions: dict[str, Callable[..., Json]] = {
        "measure": measure.compute_measure,
        "older_alpha": older_alpha.compute_older_alpha,
        "align": align.compute_align,
        "items": items.compute_items,
        "shuffle": shuffle.compute_shuffle,
        "evaluate": evaluate.compute_evaluate,
        "ceiling": ceiling.compute_ceiling,
        "look": look.compute_look,
    }
    return functions[command]
