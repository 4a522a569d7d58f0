"""A comparison of γ's family with the unitizing family, as text for people and as CSV."""

from __future__ import annotations

import math

from gamma_align.comparison.compare import Comparison, Contribution
from gamma_align.report._tables import (
    Footnotes,
    counted,
    csv_cell,
    csv_text,
    label_text,
    left_out,
    percent,
    printable,
    report,
    table,
)
from gamma_align.report.text import (
    ALL_DOCUMENTS,
    LOWEST_DOCUMENTS,
    MOST_CATEGORIES,
    documents_left_out,
    optimality,
)

MOST_PAIRS = 20
"""A longer list of pairs of categories is cut to those that contribute most."""

_NONE = "(none)"
_CSV_HEAD = ("level", "document", "first", "second", "length", "cu_share", "weight", "gamma_cat_share")


def comparison_text(result: Comparison) -> str:
    """Return a comparison for people: documents, corpus, contributions, proofs, signatures."""
    signatures = [printable(result.gamma.signature), printable(result.unitizing.signature)]
    blocks = [_documents(result), _corpus(result), _contributions(result), [optimality(result.gamma)], signatures]
    return report(blocks)


def _documents(result: Comparison) -> list[str]:
    pairs = list(zip(result.gamma.documents, result.unitizing.documents, strict=True))
    if len(pairs) == 1:
        return []
    shown = pairs
    if len(pairs) > ALL_DOCUMENTS:
        known = [pair for pair in pairs if pair[0].gamma.is_available and pair[1].values.u.is_available]
        known.sort(key=lambda pair: (-abs(pair[0].gamma.value - pair[1].values.u.value), pair[0].document))
        shown = known[:LOWEST_DOCUMENTS]
    notes = Footnotes()
    rows = [["document", "annotators", "units", "γ", "uα", "γcat", "cuα", "coverage"]]
    for ours, theirs in shown:
        values = (ours.gamma, theirs.values.u, ours.gamma_cat, theirs.values.cu)
        cells = [notes.cell(value, interval=False) for value in values]
        counts = [str(ours.annotators), str(ours.units)]
        rows.append([printable(ours.document), *counts, *cells, percent(theirs.values.coverage)])
    lines = table(rows, right=(1, 2, 7)) + notes.lines()
    return lines + documents_left_out(len(shown), len(pairs), "where γ and uα differ most", "--json has all")


def _corpus(result: Comparison) -> list[str]:
    ours, theirs = result.gamma, result.unitizing
    unit = f", lengths in {printable(theirs.length_unit)}" if theirs.length_unit else ""
    rows = [
        ["γ", str(ours.gamma), "uα", str(theirs.u), ""],
        ["", "", "|uα", str(theirs.bar_u), ""],
        ["γcat", str(ours.gamma_cat), "cuα", str(theirs.cu), f"covers {percent(theirs.coverage)}"],
    ]
    labels = sorted({*ours.gamma_k, *theirs.ku})
    for label in labels[:MOST_CATEGORIES]:
        k, value, other = label_text(label), ours.gamma_k.get(label), theirs.ku.get(label)
        covered = f"covers {percent(theirs.coverage_k[label])}" if other is not None else ""
        rows.append([f"γk {k}", str(value or ""), f"({k})uα", str(other or ""), covered])
    lines = [f"corpus of {counted(len(ours.documents), 'document')}{unit}"]
    lines += table([list(map(printable, row)) for row in rows], indent="  ")
    lines += left_out(len(labels) - MOST_CATEGORIES, "more categories")
    return [*lines, f"  intervals of the unitizing family: {theirs.interval}"]


def _contributions(result: Comparison) -> list[str]:
    entries = sorted(result.contributions, key=_least_last)
    if not entries:
        return []
    rows = [["categories", "γcat", "cuα", "weight", "length"]]
    for entry in entries[:MOST_PAIRS]:
        shares = (percent(entry.gamma_cat), percent(entry.cu))
        rows.append([_pair(entry), *shares, f"{entry.weight:.2f}", f"{entry.length:.2f}"])
    lines = ["contributions of pairs of categories", *table(rows, right=range(1, 5), indent="  ")]
    more = len(entries) - MOST_PAIRS
    return lines + left_out(more, "more pair" + "s" * (more > 1), everywhere="--csv and --json have them all")


def _least_last(entry: Contribution) -> float:
    return -sum(share for share in (entry.gamma_cat, entry.cu) if not math.isnan(share))


def _pair(entry: Contribution) -> str:
    return " – ".join(_NONE if label is None else label_text(label) for label in (entry.first, entry.second))


def comparison_csv(result: Comparison) -> str:
    """Return the contributions as CSV: a row a document and pair of categories, then the corpus's."""
    rows: list[list[str]] = [list(_CSV_HEAD)]
    for name, entries in result.documents.items():
        rows += [["document", name, *_cells(entry)] for entry in entries]
    rows += [["corpus", "", *_cells(entry)] for entry in result.contributions]
    return csv_text(rows)


def _cells(entry: Contribution) -> list[str]:
    numbers = (entry.length, entry.cu, entry.weight, entry.gamma_cat)
    return [entry.first or "", entry.second or "", *map(csv_cell, numbers)]
