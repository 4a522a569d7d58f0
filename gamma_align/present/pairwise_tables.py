"""The table of γ of pairs of annotators, with their mean, and its text."""

from __future__ import annotations

from typing import NamedTuple

from gamma_align.data import counted, printable
from gamma_align.inference import Value
from gamma_align.insight import PairwiseResult, verdicts
from gamma_align.measures.gamma import GammaValue
from gamma_align.present.symbols import symbol_of
from gamma_align.present.table import NEUTRAL, Column, FormNames, Kind, Table, pair_columns, with_summaries
from gamma_align.present.writers.lines import blocks_text
from gamma_align.present.writers.text import section_lines

_MAX_PAIRS = 40  # in the terminal


class _PairRow(NamedTuple):
    """γ and γcat of a pair of annotators, or the mean of pairs."""

    level: str
    gamma: Value
    gamma_cat: Value | None = None
    first: str | None = None
    second: str | None = None
    documents: int | None = None


def pairwise_table(result: PairwiseResult, max_pairs: int | None = None) -> Table:
    """Return γ of the pairs of annotators, the first ones if there is a maximum, and their mean."""
    columns = [
        *pair_columns(),
        Column("gamma", Kind.VALUE, symbol_of("gamma", result.prefix)),
        Column("gamma_cat", Kind.ESTIMATE, symbol_of("gamma_cat", result.prefix)),
    ]
    rows = [
        _PairRow("pair", pair.gamma, pair.gamma_cat, first, second, len(pair.documents))
        for (first, second), pair in result.pairs.items()
    ]
    table = Table("pairs", f"{result.prefix}γ of pairs of annotators, 95 % intervals", columns, rows)
    return with_summaries(table, max_pairs, [_PairRow("mean", result.mean)])


def pairs_table(result: PairwiseResult) -> Table:
    """Return γ of the pairs of annotators with all fields of a `GammaValue`, which the mean lacks: the data frame."""
    table = pairwise_table(result).of_level("pair")
    return table._replace(columns=[column._replace(value_type=GammaValue) for column in table.columns])


def pairwise_text(result: PairwiseResult, form_names: FormNames = NEUTRAL) -> str:
    """Return γ of pairs of annotators as text: pairs, mean, signature."""
    title = f"{result.prefix}γ of {counted(len(result.pairs), 'pair')} of annotators"
    lines = section_lines(pairwise_table(result, _MAX_PAIRS), title=title, form_names=form_names)
    values = [float(pair.gamma) for pair in result.pairs.values()]
    sentence = verdicts.pairs_of_annotators(values, symbol_of("gamma", result.prefix))
    return blocks_text([lines, [f"{sentence}."], [printable(result.signature)]])
