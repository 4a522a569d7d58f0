"""The tables of results for papers, which `writers.paper` writes as Markdown and LaTeX."""

from __future__ import annotations

from collections.abc import Iterator

from gamma_align.insight.comparison import Comparison, Families
from gamma_align.present import comparison_tables as comparison
from gamma_align.present import families_tables as families
from gamma_align.present import gamma_tables, unitizing_tables
from gamma_align.present.table import Table


def families_tables(result: Families) -> Iterator[Table]:
    """Yield both families by document and for the corpus, and the contributions of pairs of categories."""
    yield families.documents_table(result)
    yield gamma_tables.corpus_table(result.gamma)
    yield unitizing_tables.corpus_table(result.unitizing)
    yield families.contributions_table(result)


def compared_tables(result: Comparison, documents: int) -> Iterator[Table]:
    """Yield the differences of two corpora, causes, and of each coefficient the documents that differ most."""
    yield comparison.values_table(result, p_align="left")
    overall = comparison.overall_table(result, p_align="left")
    if overall is not None:
        yield overall
    if result.causes:
        yield comparison.causes_table(result)
    yield from comparison.costs_tables(result)
    if result.fates:
        yield comparison.fates_table(result.fates)
    for table, _ in comparison.documents_tables(result, documents):
        yield table
