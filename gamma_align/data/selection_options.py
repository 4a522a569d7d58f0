"""Options of the selection from a corpus, and of changes of the bounds of its units."""

from __future__ import annotations

from gamma_align.options import Flag, Group, Listed, Option, Real

_NAME_LIST = Listed("escaped", is_extended=True)


def _kept(names: str, argument: str) -> Option:
    return Option(
        names,
        _NAME_LIST,
        rf"keep only these {names} (\, is a comma in a name)",
        metavar="A,B",
        argument=argument,
        explanation=f"Keep only these {names}.",
    )


SELECTED_DOCUMENTS = _kept("documents", "--document")
SELECTION_OPTIONS = Group(
    (SELECTED_DOCUMENTS, _kept("annotators", "--annotator"), _kept("categories", "--categories")), "selection"
)
WIDTH = Option(
    "width",
    Real(above=0),
    "give units without length (events) this width, half of it before and half after their time",
    metavar="LENGTH",
    explanation="Width of the interval around each unit without length, in the unit of length of the data.",
)
TRIMMING_OPTIONS = Group(
    (
        Option(
            "trim",
            Flag(),
            "remove white space and punctuation from both edges of units; their texts must be known",
            default=False,
        ),
        WIDTH,
    ),
    "reading",
    "reading",
)
