"""Experiments as text for people, and as CSV."""

from __future__ import annotations

import csv
import io
import math
from typing import TYPE_CHECKING

from gamma_align.report._plain import table

if TYPE_CHECKING:
    from gamma_align.reproduction.missing_values import MissingValues, Settings

_KINDS = {"alike": "items equally hard", "uneven": "items some of which are easier than others"}
_CONCEPTIONS = ("IL", "VL", "PL", "RM")


def missing_values_text(result: MissingValues) -> str:
    """Return the experiment on missing values for people."""
    settings = result.settings
    lines = [
        "Error of the observed disagreement after removing judgments at random (root mean square), by conception of",
        "missing values: items (IL), values (VL) or pairs (PL) weigh the same, or incomplete items are removed (RM).",
        "After Mathet 2017, table 2, whose data are not published: the comparison is run on tables made here,",
        _about(settings),
    ]
    for kind, told in _KINDS.items():
        lines += ["", f"{told} (D_o complete {result.disagreement[kind]:.4f})", *_block(result, kind)]
    return "\n".join(lines) + "\n"


def _about(settings: Settings) -> str:
    size = f"{settings.items} items × {settings.coders} coders × {settings.categories} categories"
    return f"{size}, magnitude {settings.magnitude:g}, {settings.repetitions} tables a row, seed {settings.seed}."


def _block(result: MissingValues, kind: str) -> list[str]:
    rows = [["removed", *_CONCEPTIONS, "least", "RM left in"]]
    for share in result.settings.shares:
        some = {one.conception: one for one in result.outcomes if one.kind == kind and one.share == share}
        errors = [_number(some[name].error) for name in _CONCEPTIONS]
        best = result.best(kind, share) if any(one.available for one in some.values()) else ""
        left = f"{some['RM'].available / result.settings.repetitions:.0%}"
        rows.append([f"{share:.0%}", *errors, best, left])
    return table(rows, right=(0, 1, 2, 3, 4, 6), indent="  ")


def _number(value: float) -> str:
    return "NA" if math.isnan(value) else f"{value:.4f}"


def missing_values_csv(result: MissingValues) -> str:
    """Return the experiment as CSV: a row for each kind of items, share and conception."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(("kind", "share", "conception", "bias", "error", "available"))
    for one in result.outcomes:
        numbers = ["" if math.isnan(value) else repr(value) for value in (one.bias, one.error)]
        writer.writerow((one.kind, one.share, one.conception, *numbers, one.available))
    return stream.getvalue()
