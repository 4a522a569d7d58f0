"""Options of published experiments and worked examples."""

from __future__ import annotations

from gamma_align.options import NON_NEGATIVE, Flag, Group, Option, Whole


def _number(name: str, at_least: int, text: str, default: int | None = None, shown: str = "") -> Option:
    return Option(name, Whole(at_least), text, default=default, shown_default=shown, metavar="N")


MISSING_VALUES = Group(
    (
        _number("items", 1, "items of a table", 100),
        _number("coders", 2, "coders", 5),
        _number("categories", 2, "categories", 4),
        Option("magnitude", NON_NEGATIVE, "of the errors, 0 to 1", default=0.5, metavar="M"),
        _number("repetitions", 1, "tables a row", 500),
        _number("seed", 0, "seed", 0),
    )
)
MATHET_2017 = Group(
    (
        Option("quick", Flag(), "a smaller version, of seconds", default=False),
        _number("repetitions", 1, "at each magnitude", shown="30; quick: 3"),
        _number("units", 10, "of the reference", shown="100"),
        _number("annotators", 2, "default: 3"),
        _number("samples", 1, "of each document's expected disorder", shown="8; quick: 4"),
        _number("seed", 0, "of everything random", shown="0"),
    )
)
EXAMPLE_OPTIONS = Group(
    (_number("samples", 2, "random samples of γ, γcat and γk", 5000), _number("seed", 0, "their seed", 0))
)
