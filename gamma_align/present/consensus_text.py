"""A consensus as text for people: votes, categories, annotators, what was voted out; and its units as CSV."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from gamma_align.data.wording import counted, label_text, printable, span
from gamma_align.insight.consensus.consensus import Consensus
from gamma_align.insight.consensus.summaries import ConsensusUnit
from gamma_align.present.table import NEUTRAL, FormNames, further_by_option
from gamma_align.present.writers.data import csv_text
from gamma_align.present.writers.text import aligned_lines, blocks_text, number_text, percent


def consensus_text(result: Consensus, rows: int = 10, form_names: FormNames = NEUTRAL) -> str:
    """Return what became of unitary alignments, by votes and category, and so many rows of each table."""
    blocks = [_head(result)]
    for title, header, table_rows, right in (_votes(result), _labels(result), _annotators(result), _voted_out(result)):
        if table_rows:
            shown = [[printable(cell) for cell in row] for row in table_rows[:rows]]
            left_out = len(table_rows) - rows
            more = ["  " + further_by_option(left_out)(form_names)] if left_out > 0 else []
            blocks.append([title, *aligned_lines([header, *shown], right=right, indent="  "), *more])
    return blocks_text([*blocks, [printable(result.signature)]])


_Table = tuple[str, Sequence[str], list[list[str]], Sequence[int]]


def _head(result: Consensus) -> list[str]:
    kept, out = len(result.units), len(result.voted_out)
    lines = [f"{counted(kept, 'unit')} of {counted(kept + out, 'unitary alignment')}, {out} voted out"]
    if result.rounds:
        lines.append(f"log-likelihood {result.log_likelihood:.4f} after {counted(result.rounds, 'round')}")
    return lines


def _votes(result: Consensus) -> _Table:
    kept, out = (Counter((row.annotators, row.votes) for row in rows) for rows in (result.units, result.voted_out))
    keys = sorted(kept.keys() | out.keys(), key=lambda key: (-kept[key] - out[key], -key[0], -key[1]))
    rows = [[f"{votes} of {n}", str(kept[n, votes]), str(out[n, votes])] for n, votes in keys]
    return "Votes", ("votes", "units", "voted out"), rows, (1, 2)


def _labels(result: Consensus) -> _Table:
    rows = [[label_text(row.label), str(row.units), percent(row.share)] for row in result.labels if row.units]
    return "Categories, and their share of the unitary alignments", ("category", "units", "share"), rows, (1, 2)


def _annotators(result: Consensus) -> _Table:
    header = ("annotator", "judgments", "units", "quality", "missed", "relabelled", "spurious")
    rows = [
        [row.annotator, str(row.judgments), str(row.units), number_text(row.quality), *map(percent, row[4:])]
        for row in result.annotators
    ]
    return "Annotators beside the consensus", header, rows, range(1, len(header))


def _voted_out(result: Consensus) -> _Table:
    rows = sorted(result.voted_out, key=lambda row: -row.confidence)
    header = ("confidence", "votes", "document", "unit", "category")
    return "Voted out, the most confident first", header, [_unit(row) for row in rows], (0, 1)


def _unit(row: ConsensusUnit) -> list[str]:
    votes = f"{row.votes} of {row.annotators}"
    return [f"{row.confidence:.4f}", votes, row.document, span(row.start, row.end), label_text(row.category)]


def consensus_csv(result: Consensus, *, voted_out: bool = False) -> str:
    """Return a row for each unit with its votes, a table that is read as a corpus; or for what was voted out."""
    columns = result.columns("voted_out" if voted_out else "unit")
    columns["annotator"] = [result.settings["name"]] * len(columns["document"])
    names = ["document", "annotator", *(name for name in columns if name not in ("document", "annotator"))]
    return csv_text([names, *zip(*(columns[name] for name in names), strict=True)])
