"""Results on units (γ, the unitizing family, both side by side) as text for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gamma_align.data.wording import counted, label_text, printable
from gamma_align.measures.gamma.gamma_result import GammaResult
from gamma_align.measures.unitizing.unitizing_result import UnitizingResult
from gamma_align.present import gamma_tables, unitizing_tables
from gamma_align.present.listing import BY_NAME, Listing
from gamma_align.present.table import NEUTRAL, FormNames, Table, further
from gamma_align.present.writers.text import aligned_lines, blocks_text, left_out, percent, table_lines

if TYPE_CHECKING:  # `measure` needs none of it
    from gamma_align.insight.comparison.families import Families

MAX_CATEGORIES = 40  # a longer list of categories is cut
MAX_PAIRS = 20  # a longer list of pairs of categories is cut to those that contribute most


def gamma_text(result: GammaResult, listing: Listing = BY_NAME, form_names: FormNames = NEUTRAL) -> str:
    """Return a result for people: documents, corpus, optimality, signature."""
    documents = gamma_tables.documents_table(result, listing) if result.documents else None
    corpus = _corpus(gamma_tables.corpus_table(result), len(result.gamma_k))
    title = f"corpus of {counted(len(result.documents), 'document')}"
    blocks = [
        table_lines(documents, form_names=form_names) if documents else [],
        [title, *table_lines(corpus, indent="  ", form_names=form_names)],
        [optimality(result)],
        [printable(result.signature)],
    ]
    return blocks_text(blocks)


def _corpus(table: Table, n_categories: int) -> Table:
    """Return the table of the corpus with at most so many categories."""
    n_values = len([*table.rows]) - n_categories
    return table.first(n_values + MAX_CATEGORIES, further("more categories", "json"))


def optimality(result: GammaResult) -> str:
    """Return one sentence on what is proven."""
    unproven = result.gaps
    if not unproven:
        return "Every alignment, of the data and of the samples, is proven optimal."
    return (
        f"Not every alignment is proven optimal: {len(unproven)} of "
        f"{counted(len(result.documents), 'document')} have alignments up to {max(unproven):.2%} above the bound."
    )


def unitizing_text(result: UnitizingResult, listing: Listing = BY_NAME, form_names: FormNames = NEUTRAL) -> str:
    """Return a result for people: documents, corpus, intervals, signature."""
    documents = table_lines(unitizing_tables.documents_table(result, listing), form_names=form_names)
    unit = f", lengths in {printable(result.length_unit)}" if result.length_unit else ""
    table = _corpus(unitizing_tables.corpus_table(result), len(result.ku or result.layers))
    corpus = [
        f"corpus of {counted(len(result.documents), 'document')}{unit}",
        *table_lines(table, indent="  ", form_names=form_names),
        f"  intervals: {result.interval}",
    ]
    return blocks_text([documents, corpus, [printable(result.signature)]])


def families_text(result: Families, form_names: FormNames = NEUTRAL) -> str:
    """Return both families for people: documents, corpus, contributions, proofs, signatures."""
    from gamma_align.present.families_tables import selected_documents_table

    signatures = [printable(result.gamma.signature), printable(result.unitizing.signature)]
    has_many = len(result.gamma.documents) > 1
    documents = table_lines(selected_documents_table(result), form_names=form_names) if has_many else []
    corpus, contributions = _families_corpus(result, form_names), _contributions(result, form_names)
    return blocks_text([documents, corpus, contributions, [optimality(result.gamma)], signatures])


def _families_corpus(result: Families, form_names: FormNames) -> list[str]:
    ours, theirs = result.gamma, result.unitizing
    unit = f", lengths in {printable(theirs.length_unit)}" if theirs.length_unit else ""
    rows = [
        ["γ", str(ours.gamma), "uα", str(theirs.u), ""],
        ["", "", "|uα", str(theirs.bar_u), ""],
        ["γcat", str(ours.gamma_cat), "cuα", str(theirs.cu), f"covers {percent(theirs.coverage)}"],
    ]
    labels = sorted({*ours.gamma_k, *theirs.ku})
    for label in labels[:MAX_CATEGORIES]:
        k, gamma_k, ku = label_text(label), ours.gamma_k.get(label), theirs.ku.get(label)
        covered = f"covers {percent(theirs.coverage_k[label])}" if ku is not None else ""
        rows.append([f"γk {k}", str(gamma_k or ""), f"({k})uα", str(ku or ""), covered])
    lines = [f"corpus of {counted(len(ours.documents), 'document')}{unit}"]
    lines += aligned_lines([list(map(printable, row)) for row in rows], indent="  ")
    lines += left_out(len(labels) - MAX_CATEGORIES, "more categories", form_names=form_names)
    return [*lines, f"  intervals of the unitizing family: {theirs.interval}"]


def _contributions(result: Families, form_names: FormNames) -> list[str]:
    from gamma_align.present.families_tables import contributions_table

    if not result.contributions:
        return []
    more = len(result.contributions) - MAX_PAIRS
    words = "more pair" + "s" * (more > 1)
    table = contributions_table(result).first(MAX_PAIRS, further(words, "csv", "json"))
    return ["contributions of pairs of categories", *table_lines(table, indent="  ", form_names=form_names)]
