"""A consensus as text: votes, categories, annotators, and the unitary alignments that were voted out."""

from __future__ import annotations

from gamma_align.data import counted, printable
from gamma_align.insight.consensus import Consensus
from gamma_align.present.consensus_tables import (
    annotators_table,
    decisions_table,
    labels_table,
    voted_out_table,
    votes_table,
)
from gamma_align.present.table import NEUTRAL, FormNames
from gamma_align.present.writers.lines import blocks_text
from gamma_align.present.writers.text import titled_lines


def consensus_text(result: Consensus, rows: int = 10, form_names: FormNames = NEUTRAL) -> str:
    """Return the size of the consensus, and at most `rows` rows of each table."""
    tables = [votes_table(result), labels_table(result), annotators_table(result), voted_out_table(result)]
    if result.decisions:
        tables.append(decisions_table(result))
    blocks = [titled_lines(table, rows, form_names) for table in tables]
    return blocks_text([_head(result), *blocks, [printable(result.signature)]])


def _head(result: Consensus) -> list[str]:
    n_units = len(result.units)
    n_voted_out = len(result.voted_out)
    alignments = counted(n_units + n_voted_out, "unitary alignment")
    lines = [f"{counted(n_units, 'unit')} of {alignments}, {n_voted_out} voted out"]
    if result.rounds:
        lines.append(f"log-likelihood {result.log_likelihood:.4f} after {counted(result.rounds, 'round')}")
    return lines
