"""Evaluations as text for a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from gamma_align.data import counted, number, printable
from gamma_align.insight import verdicts
from gamma_align.measures.reference import Evaluation, PairwiseF1, SegmentationResult
from gamma_align.present.evaluation_tables import (
    cases_table,
    counts_table,
    diarization_table,
    f1_table,
    pairwise_f1_table,
    pairwise_segmentation_table,
    segmentation_table,
    system_labels_table,
    together_table,
)
from gamma_align.present.table import NEUTRAL, Column, FormNames, Kind, Table, further
from gamma_align.present.writers.lines import blocks_text
from gamma_align.present.writers.text import Footnotes, section_lines, table_lines

# Maximum numbers of rows in the terminal; JSON has all.
_MAX_CASES = 40  # of each system
_MAX_LABELS = 40  # of each system
_MAX_PAIRS = 40
_MAX_SENTENCES = 3  # on systems; the table of counts has all
_TIME_DECIMALS = 3


def evaluation_text(result: Evaluation, form_names: FormNames = NEUTRAL) -> str:
    """Return an evaluation as text: counts, F1 and agreement, labels, segments, speech, cases, signatures."""
    first = result.systems[0]
    notes = Footnotes()
    title = "agreement"
    if first.spans:
        title = f"F1 of units{' and agreement with the reference' if first.agreement else ''}"
    counts = counts_table(result)
    labels = [system_labels_table(system, _MAX_LABELS) for system in result.systems]
    cases = [cases_table(system).first(_MAX_CASES, further("more cases", "json")) for system in result.systems]
    # The tables of F1, segmentation and diarization share footnotes, which follow the last of them.
    lines = partial(section_lines, form_names=form_names)
    blocks = [
        [printable(counts.title), *table_lines(counts)],
        [*_found(result)],
        lines(_without_intervals(f1_table(result)), title=title, notes=notes),
        lines(_without_intervals(together_table(result)), notes=Footnotes()),
        *(lines(table, notes=Footnotes()) for table in labels),
        lines(_without_intervals(segmentation_table(result)), title="segmentation", notes=notes),
        lines(_without_intervals(diarization_table(result)), title="diarization", notes=notes),
        notes.lines(),
        *(lines(table, notes=Footnotes()) for table in cases),
        [printable(signature) for signature in signatures(result)],
    ]
    return blocks_text(blocks)


def _found(result: Evaluation) -> Iterator[str]:
    """Yield a sentence on each of the first systems: how many units of the reference it has."""
    for system in result.systems[:_MAX_SENTENCES]:
        if system.counts:
            yield verdicts.found(system.system, result.reference, system.counts)


def signatures(result: Evaluation) -> list[str]:
    """Return the signature of an evaluation and the different signatures of γ."""
    gamma_signatures = [system.gamma_signature for system in result.systems if system.gamma_signature is not None]
    return [*dict.fromkeys([result.signature, *gamma_signatures])]


def _without_intervals(table: Table) -> Table:
    """Return a table with estimates only, and times without trailing zeros."""

    def short(column: Column) -> Column:
        if column.kind is Kind.NUMBER:
            return column._replace(format=lambda time: number(round(time, _TIME_DECIMALS)))
        return column._replace(kind=Kind.ESTIMATE) if column.kind is Kind.VALUE else column

    return table._replace(columns=[*map(short, table.columns)])


def pairwise_f1_text(result: PairwiseF1, form_names: FormNames = NEUTRAL) -> str:
    """Return F1 of pairs of annotators as text: pairs, mean, pooled, signature."""
    notes = Footnotes()
    title = f"F1 of {counted(len(result.pairs), 'pair')} of annotators"
    table = pairwise_f1_table(result, _MAX_PAIRS)
    lines = section_lines(table, title=title, notes=notes, form_names=form_names)
    return blocks_text([lines, notes.lines(), [printable(result.signature)]])


def segmentation_text(result: SegmentationResult, form_names: FormNames = NEUTRAL) -> str:
    """Return the measures of segmentation of pairs of annotators as text: pairs, mean."""
    notes = Footnotes()
    table = pairwise_segmentation_table(result, _MAX_PAIRS)
    lines = section_lines(_without_intervals(table), notes=notes, form_names=form_names)
    return blocks_text([lines, notes.lines()])
