"""The tables of a consensus: votes, labels, annotators, and units with their votes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from gamma_align.data import span
from gamma_align.insight.consensus import Consensus, ConsensusUnit, DecisionRow
from gamma_align.present.table import Column, Kind, Priority, Table

_DATA_ORDER = ("document", "annotator", *ConsensusUnit._fields[1:])


class VotesRow(NamedTuple):
    """Numbers of units, and of unitary alignments voted out, with the same number of votes and of annotators."""

    votes: int
    annotators: int
    units: int
    voted_out: int


def votes_table(result: Consensus) -> Table:
    """Return the outcome by number of votes, the most frequent first."""
    kept, voted_out = (
        Counter((unit.votes, unit.annotators) for unit in units) for units in (result.units, result.voted_out)
    )
    rows = [VotesRow(*key, kept[key], voted_out[key]) for key in kept.keys() | voted_out.keys()]
    rows.sort(key=lambda row: (-row.units - row.voted_out, -row.annotators, -row.votes))
    columns = [
        Column("votes", content=_votes, is_data=False),
        Column("units", Kind.COUNT),
        Column("voted_out", Kind.COUNT, "voted out"),
    ]
    return Table("votes", "Votes", columns, rows)


def _votes(row: VotesRow | ConsensusUnit) -> str:
    return f"{row.votes} of {row.annotators}"


def labels_table(result: Consensus) -> Table:
    """Return the categories of the consensus with their shares."""
    columns = [
        Column("label", Kind.CATEGORY, "category"),
        Column("units", Kind.COUNT),
        Column("share", Kind.SHARE),
    ]
    rows = [row for row in result.labels if row.units]
    return Table("labels", "Categories, and their share of the unitary alignments", columns, rows)


def annotators_table(result: Consensus) -> Table:
    """Return the comparison of each annotator with the consensus."""
    columns = [
        Column("annotator"),
        *(Column(name, Kind.COUNT) for name in ("judgments", "units")),
        Column("quality", Kind.NUMBER),
        *(Column(name, Kind.SHARE) for name in ("missed", "relabelled", "spurious")),
    ]
    return Table("annotators", "Annotators beside the consensus", columns, result.annotators)


def voted_out_table(result: Consensus) -> Table:
    """Return the unitary alignments that were voted out, the most confident first."""
    units = sorted(result.voted_out, key=lambda unit: -unit.confidence)
    return units_table(result, units, "Voted out, the most confident first")


def units_table(result: Consensus, units: Iterable[ConsensusUnit], title: str = "Units") -> Table:
    """Return units of a consensus with their votes; as CSV it can be read as a corpus."""
    columns = [
        Column("confidence", Kind.NUMBER),
        Column("votes_of", heading="votes", content=_votes, align="right", is_data=False),
        Column("document"),
        Column("unit", content=lambda unit: span(unit.start, unit.end), is_data=False),
        Column("category", Kind.CATEGORY),
        Column("annotator", content=lambda _: result.settings["name"], priority=Priority.DATA),
    ]
    names = {column.name for column in columns}
    columns += [Column(name, priority=Priority.DATA) for name in ConsensusUnit._fields if name not in names]
    return Table("units", title, columns, units, data_order=_DATA_ORDER)


def decisions_table(result: Consensus) -> Table:
    """Return the decisions with their effects, in the order of their file."""
    columns = [
        Column("state"),
        Column("places", Kind.COUNT),
        Column("document"),
        Column("place", content=_place, is_data=False),
        Column("start", priority=Priority.DATA),
        Column("end", priority=Priority.DATA),
        Column("finding"),
        Column("reading"),
        Column("note"),
    ]
    return Table("decisions", "Decisions", columns, result.decisions)


def _place(row: DecisionRow) -> str:
    return "" if row.start is None or row.end is None else span(row.start, row.end)
