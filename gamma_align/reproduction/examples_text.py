"""Worked examples as text for people, and as CSV."""

from __future__ import annotations

import math
import textwrap
from typing import TYPE_CHECKING

from gamma_align.report._csv import csv_cell, csv_text
from gamma_align.report._plain import table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gamma_align.reproduction.examples import Example, Examples

_WIDTH = 110
_CSV_HEAD = ("id", "source", "what", "printed", "ours", "error", "verdict", "why")


def examples_text(result: Examples) -> str:
    """Return the examples for people: how many come out, each value, and why some do not."""
    counts = ", ".join(f"{count} {verdict}" for verdict, count in result.counts.items() if count)
    rows = [["verdict", "source", "what", "printed", "here"]]
    rows += [
        [one.verdict, one.source, one.what, " ".join(one.printed), " ".join(_ours(one))] for one in result.examples
    ]
    lines = [
        "Worked examples of the papers, computed again",
        f"{len(result.examples)} printed values: {counts}",
        "",
        *table(rows),
        *_reasons(result.examples),
        "",
        *(f"{name}: {whole}" for name, whole in result.sources.items()),
        f"± : standard error of {result.samples} random samples (seed {result.seed}); two of them are allowed for",
    ]
    return "\n".join(lines) + "\n"


def _reasons(examples: Sequence[Example]) -> Iterator[str]:
    """Yield each reason once, with the values that it is of."""
    of: dict[str, list[str]] = {}
    for one in examples:
        if one.why:
            of.setdefault(one.why, []).append(f"{one.source}, {one.what}")
    for why, names in of.items():
        yield ""
        yield from textwrap.wrap(f"{'; '.join(names)}: {why}", _WIDTH)


def _ours(example: Example) -> Iterator[str]:
    """Yield our values with one digit more than printed, four at least."""
    for value, printed in zip(example.ours, example.printed, strict=True):
        if math.isnan(value):
            yield "NA"
            continue
        scale = 100.0 if printed.endswith(" %") else 1.0
        digits = max(4, len(printed.removesuffix(" %").partition(".")[2]) + 1)
        text = f"{scale * value + 0.0:.{digits}f}".rstrip("0").rstrip(".")
        yield (text or "0") + (" %" if scale > 1 else "") + (f" ± {example.error:.4f}" if example.error else "")


def examples_csv(result: Examples) -> str:
    """Return the examples as CSV, a row each; several numbers of one example are separated by spaces."""
    rows: list[Sequence[str | int]] = [_CSV_HEAD]
    for one in result.examples:
        ours = " ".join(map(csv_cell, one.ours))
        error = csv_cell(one.error)
        rows.append((one.id, one.source, one.what, " ".join(one.printed), ours, error, one.verdict, one.why))
    return csv_text(rows)
