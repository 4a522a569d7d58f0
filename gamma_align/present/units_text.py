"""Results on units as text: γ, the unitizing family, and both side by side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from gamma_align.data import counted, label_text, printable
from gamma_align.measures.gamma import GammaResult
from gamma_align.measures.unitizing import UnitizingResult
from gamma_align.present import gamma_tables, unitizing_tables
from gamma_align.present.listing import BY_NAME, Listing
from gamma_align.present.symbols import prefix_of, symbol_of
from gamma_align.present.table import NEUTRAL, FormNames, Table, further
from gamma_align.present.writers.cells import percent
from gamma_align.present.writers.lines import aligned_lines, blocks_text
from gamma_align.present.writers.text import Footnotes, left_out, section_lines, table_lines

if TYPE_CHECKING:  # few runs of `measure` need these
    from gamma_align.insight.comparison import Families
    from gamma_align.measures.unitizing import AlphaU2004

# Maximum numbers of rows in the terminal; JSON has all.
MAX_CATEGORIES = 40
MAX_PAIRS = 20  # of categories, the largest contributions first


def gamma_text(result: GammaResult, listing: Listing = BY_NAME, form_names: FormNames = NEUTRAL) -> str:
    """Return γ as text: corpus, documents, optimality, signature."""
    documents = gamma_tables.documents_table(result, listing) if result.documents else None
    corpus = _corpus(gamma_tables.corpus_table(result), len(result.gamma_k))
    title = f"corpus of {counted(len(result.documents), 'document')}"
    blocks = [
        section_lines(corpus, title=title, form_names=form_names),
        table_lines(documents, form_names=form_names) if documents else [],
        [optimality(result)],
        [printable(result.signature)],
    ]
    return blocks_text(blocks)


def _corpus(table: Table, n_categories: int) -> Table:
    """Return the table of the corpus with a limited number of categories, which are its last rows."""
    n_values = len([*table.rows]) - n_categories
    return table.first(n_values + MAX_CATEGORIES, further("more categories", "json"))


def optimality(result: GammaResult) -> str:
    """Return one sentence on the alignments that are proven optimal."""
    unproven = result.gaps
    if not unproven:
        return "Every alignment, of the data and of the samples, is proven optimal."
    return (
        f"Not every alignment is proven optimal: {len(unproven)} of "
        f"{counted(len(result.documents), 'document')} have alignments up to {max(unproven):.2%} above the bound."
    )


def unitizing_text(result: UnitizingResult, listing: Listing = BY_NAME, form_names: FormNames = NEUTRAL) -> str:
    """Return the unitizing family as text: corpus, intervals, documents, signature."""
    documents = table_lines(unitizing_tables.documents_table(result, listing), form_names=form_names)
    unit = f", lengths in {printable(result.length_unit)}" if result.length_unit else ""
    title = f"corpus of {counted(len(result.documents), 'document')}{unit}"
    table = _corpus(unitizing_tables.corpus_table(result), len(result.ku or result.layers))
    corpus = section_lines(table, title=title, form_names=form_names)
    return blocks_text([[*corpus, f"  intervals: {result.interval}"], documents, [printable(result.signature)]])


def older_text(documents: Sequence[AlphaU2004], form_names: FormNames = NEUTRAL) -> str:
    """Return αU (1995, 2004) of documents as text."""
    notes = Footnotes()
    lines = section_lines(unitizing_tables.older_table(documents), notes=notes, form_names=form_names)
    return blocks_text([lines, notes.lines()])


def families_text(result: Families, form_names: FormNames = NEUTRAL) -> str:
    """Return both families as text: corpus, documents, contributions, optimality, signatures."""
    from gamma_align.present.families_tables import selected_documents_table

    signatures = [printable(result.gamma.signature), printable(result.unitizing.signature)]
    has_many = len(result.gamma.documents) > 1
    documents = table_lines(selected_documents_table(result), form_names=form_names) if has_many else []
    corpus = _families_corpus(result, form_names)
    contributions = _contributions(result, form_names)
    return blocks_text([corpus, documents, contributions, [optimality(result.gamma)], signatures])


def _families_corpus(result: Families, form_names: FormNames) -> list[str]:
    gamma = result.gamma
    unitizing = result.unitizing
    unit = f", lengths in {printable(unitizing.length_unit)}" if unitizing.length_unit else ""
    symbols = [symbol_of(name, prefix_of(gamma.settings)) for name in ("gamma", "gamma_cat", "gamma_k")]
    rows = [
        [symbols[0], str(gamma.gamma), "uα", str(unitizing.u), ""],
        ["", "", "|uα", str(unitizing.bar_u), ""],
        [symbols[1], str(gamma.gamma_cat), "cuα", str(unitizing.cu), f"covers {percent(unitizing.coverage)}"],
    ]
    labels = sorted({*gamma.gamma_k, *unitizing.ku})
    for label in labels[:MAX_CATEGORIES]:
        k = label_text(label)
        gamma_k = gamma.gamma_k.get(label)
        ku = unitizing.ku.get(label)
        coverage = f"covers {percent(unitizing.coverage_k[label])}" if ku is not None else ""
        rows.append([f"{symbols[2]} {k}", str(gamma_k or ""), f"({k})uα", str(ku or ""), coverage])
    lines = [f"corpus of {counted(len(gamma.documents), 'document')}{unit}"]
    lines += aligned_lines([list(map(printable, row)) for row in rows], indent="  ")
    lines += left_out(len(labels) - MAX_CATEGORIES, "more categories", form_names)
    return [*lines, f"  intervals of the unitizing family: {unitizing.interval}"]


def _contributions(result: Families, form_names: FormNames) -> list[str]:
    from gamma_align.present.families_tables import contributions_table

    words = "more pair" if len(result.contributions) == MAX_PAIRS + 1 else "more pairs"
    table = contributions_table(result).first(MAX_PAIRS, further(words, "csv", "json"))
    return section_lines(table, title="contributions of pairs of categories", form_names=form_names)
