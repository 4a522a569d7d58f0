"""Measured figures in prose: each is a link to the table that it is taken from.

``[.02](../tools/bench/results/alignments.md "2 × 50000; 0.3; median s")`` shows the number in the column "median s" of
the row with the cells "2 × 50000" and "0.3". The title lists, with semicolons between:

- cells that the row has, a limit of a column (``documents ≥ 8``), or the heading above the table (``## Two jobs``);
- the column; ``column #2`` is the second number of a cell;
- if several rows fit, ``lowest`` or ``highest``.

`make.py` fills in the numbers, rounded to the decimals that the page shows already.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

LINK = re.compile(
    r"""\[(?P<shown>[^\][]*)\]\((?P<path>[^)\s]*\btools/(?:bench|peers)/results/[^)\s]+)\s"(?P<title>[^"]+)"\)"""
)
NUMBER = re.compile(r"-?(?:\d[\d,]*)?\.?\d+")
LIMIT = re.compile(r"(?P<column>.+) (?P<sign>[≥≤=]) (?P<bound>[\d.]+)")
COMPARED: dict[str, Callable[[float, float], bool]] = {"≥": operator.ge, "≤": operator.le, "=": operator.eq}
CHOSEN: dict[str, Callable[[list[float]], float]] = {"lowest": min, "highest": max}

_AMOUNT = (
    r"(?:\d[\d,.]*|\.\d+|half an?|an?|a few|a couple of|one|two|three|four|five|six|seven|eight|nine|ten|twelve|fifteen"
    r"|twenty|thirty|some|several|dozens? of)"
)
_UNIT = (
    r"(?:CPU s\b|s\b|ms\b|ns\b|seconds?|minutes?|hours?|days?|[kKMGT]i?B\b|(?:kilo|mega|giga)bytes?"
    r"|(?:random )?samples\b|times\b|% (?:faster|slower|of the time))"
)
# An amount with a unit of time, memory, speed or samples; or a share without a leading zero, the form of coverage.
MEASURED = re.compile(rf"(?<![\w.-]){_AMOUNT} (?:or \w+ )?{_UNIT}|(?<![\w.)\]])\.\d+\b", re.IGNORECASE)
MEASURED_COLUMN = re.compile(r"(?:^| )(?:s|ms|MB|samples)$")  # of a table on a page: all its numbers are measured


class Row(NamedTuple):
    """A row of a table: its cells by column, and the heading above the table."""

    heading: str
    cells: dict[str, str]


def table_rows(page: str) -> Iterator[Row]:
    """Yield the rows of all tables of a page."""
    heading, columns = "", []
    for line in page.splitlines():
        if line.startswith("#"):
            heading, columns = line, []
        elif not line.startswith("|"):
            columns = []
        elif not columns:
            columns = _cells(line)
        elif not re.fullmatch(r"[|\s:-]+", line):
            yield Row(heading, dict(zip(columns, _cells(line), strict=False)))  # Markdown allows missing cells


def figure(page: str, title: str) -> float:
    """Return the number that a title names in a page of results.

    Raises
    ------
    ValueError
        If the page has no such number, or several.
    """
    parts = [part.strip() for part in title.split(";")]
    choose = CHOSEN[parts.pop()] if parts[-1] in CHOSEN else None
    column, _, position = parts.pop().partition(" #")
    rows = [row for row in table_rows(page) if column in row.cells and all(_fits(row, part) for part in parts)]
    numbers = [_numbers(row.cells[column]) for row in rows]
    if choose is not None and rows:
        return choose([number for cell in numbers for number in (cell[int(position) - 1 :][:1] if position else cell)])
    if len(rows) != 1 or (len(numbers[0]) != 1 and not position):
        raise ValueError(f"{title!r}: {len(rows)} rows fit, with the numbers {numbers[:5]}")
    return numbers[0][int(position or 1) - 1]


def rounded(number: float, like: str) -> str:
    """Return a number with as many decimals as another one, and without a leading zero if that has none.

    Raises
    ------
    ValueError
        If only zeros would be shown.
    """
    decimals = len(like.partition(".")[2])
    text = f"{number:,.{decimals}f}"
    if number and not float(text.replace(",", "")):
        raise ValueError(f"{number} is shown as {text}: write more decimals")
    return text.removeprefix("0") if like.startswith(".") else text


def filled(text: str, page: Path) -> str:
    """Return the text of a page with the figures that its tables have now."""

    def fill(match: re.Match[str]) -> str:
        source = (page.parent / match["path"].partition("#")[0]).read_text(encoding="utf-8")
        number = rounded(figure(source, match["title"]), match["shown"])
        return match.group().replace(f"[{match['shown']}]", f"[{number}]", 1)

    return LINK.sub(fill, text)


def prose(text: str) -> str:
    """Return a page without its code, links to tables of results, addresses of other links, and comments."""
    text = re.sub(r"^(`{3,}|:{3,}).*?^\1`*$", "", text, flags=re.DOTALL | re.MULTILINE)
    text = re.sub(r"<!--.*?-->", "", text, flags=re.DOTALL)
    text = LINK.sub("", text)
    text = re.sub(r"\]\([^)]*\)", "]", text)
    return re.sub(r"`[^`\n]*`|\$[^$\n]*\$", "``", text)


def unmarked(text: str, definitions: tuple[str, ...] = ()) -> list[str]:
    """Return the measured figures of a page that are neither links to a table nor part of a definition."""
    page = prose(text)
    cells = [
        f"{column}: {cell}"
        for row in table_rows(page)
        for column, cell in row.cells.items()
        if MEASURED_COLUMN.search(column) and NUMBER.search(cell)
    ]
    words = re.sub(r"\s+", " ", page)
    for definition in definitions:
        words = words.replace(definition, "")
    return cells + [words[max(match.start() - 40, 0) : match.end() + 30] for match in MEASURED.finditer(words)]


def _cells(line: str) -> list[str]:
    cells = re.split(r"(?<!\\)\|", line.strip().strip("|"))
    return [cell.strip().strip("*").replace("\\|", "|") for cell in cells]


def _fits(row: Row, part: str) -> bool:
    if part.startswith("#"):
        return row.heading == part
    limit = LIMIT.fullmatch(part)
    if limit and limit["column"] in row.cells:
        numbers = _numbers(row.cells[limit["column"]])
        return bool(numbers) and COMPARED[limit["sign"]](numbers[0], float(limit["bound"]))
    return part in row.cells.values()


def _numbers(cell: str) -> list[float]:
    return [float(number.replace(",", "")) for number in NUMBER.findall(cell)]
