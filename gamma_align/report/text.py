"""Results and alignments as text for people, and results as CSV."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields
from typing import Protocol, TypeVar

from gamma_align.alignment.align import Alignment
from gamma_align.data.continuum import Unit
from gamma_align.gammas.coefficients import COUNTS, DocumentResult, GammaResult, GammaValue
from gamma_align.report._tables import (
    Footnotes,
    counted,
    csv_cell,
    csv_head,
    csv_value,
    csv_yes,
    label_text,
    left_out,
    printable,
    report,
    span,
    table,
)
from gamma_align.results.values import Value

ALL_DOCUMENTS = 40
"""A longer list of documents is cut in the text report …"""
LOWEST_DOCUMENTS = 10
"""… to those of the lowest γ."""
MOST_CATEGORIES = 40
"""A longer list of γk is cut likewise."""
WIDEST_TABLE = 118
"""An alignment whose table would be wider is written as a list."""


class _OfDocument(Protocol):
    @property
    def document(self) -> str: ...


Document = TypeVar("Document", bound=_OfDocument)

_EMPTY = "–"
_NAMES = ("gamma", "gamma_cat", "gamma_k")
_CSV_HEAD = (
    *("level", "document", "category", "annotators", "units", "alignments", "samples", "pair_samples"),
    *(column for name in _NAMES for column in csv_head(name, GammaValue)),
    *("optimal", "gap", "precise"),
)


def gamma_text(result: GammaResult) -> str:
    """Return a result for people: documents, corpus, optimality, signature."""
    blocks = [_documents(result), _corpus(result), [optimality(result)], [printable(result.signature)]]
    return report(blocks)


def _documents(result: GammaResult) -> list[str]:
    shown = lowest_documents(result.documents, lambda document: document.gamma)
    if not shown:
        return []
    notes = Footnotes()
    gaps = not all(document.optimal for document in shown)
    head = [
        "document",
        "annotators",
        "units",
        "samples",
        *(["gap"] if gaps else []),
        "γ [95 % interval]",
        "γcat",
        *("its pairs", "its samples"),
    ]
    rows = [head, *(_document(document, notes, gaps=gaps) for document in shown)]
    numbers = (*range(1, 5 if gaps else 4), len(head) - 2, len(head) - 1)
    lines = table(rows, right=numbers) + notes.lines()
    return lines + documents_left_out(len(shown), len(result.documents), "of the lowest γ")


def lowest_documents(documents: Sequence[Document], value: Callable[[Document], Value]) -> Sequence[Document]:
    """Return the documents to show: all, or if they are many those of the lowest value; without a value comes last."""
    if len(documents) <= ALL_DOCUMENTS:
        return documents

    def key(document: Document) -> tuple[bool, float, str]:
        known = value(document).is_available
        return not known, value(document).value if known else 0.0, document.document

    return sorted(documents, key=key)[:LOWEST_DOCUMENTS]


def documents_left_out(shown: int, total: int, which: str, everywhere: str = "--csv and --json have all") -> list[str]:
    """Return the line that says how many documents are not shown, if any."""
    return [f"… the {shown} documents {which}; {total - shown} left out ({everywhere})"] if shown < total else []


def _document(document: DocumentResult, notes: Footnotes, *, gaps: bool) -> list[str]:
    counts = [str(document.annotators), str(document.units), str(document.samples)]
    gap = [f"{document.gap:.2%}" if not document.optimal else ""] if gaps else []
    return [
        printable(document.document),
        *counts,
        *gap,
        notes.cell(document.gamma),
        notes.cell(document.gamma_cat),
        *(str(document.gamma_cat.pairs), str(document.gamma_cat.samples)),
    ]


def _corpus(result: GammaResult) -> list[str]:
    kept = list(result.gamma_k.items())[:MOST_CATEGORIES]
    rows = [_corpus_row("γ", "", result.gamma), _corpus_row("γcat", "", result.gamma_cat)]
    rows += [_corpus_row("" if index else "γk", label_text(label), value) for index, (label, value) in enumerate(kept)]
    lines = [f"corpus of {counted(len(result.documents), 'document')}"]
    lines += table([list(map(printable, row)) for row in rows], right=range(3, 6), indent="  ")
    return lines + left_out(len(result.gamma_k) - len(kept), "more categories")


def _corpus_row(name: str, label: str, value: GammaValue) -> list[str]:
    """Return a value of the corpus and what it rests on."""
    if not value.is_available:
        return [name, label, str(value), "", "", ""]
    counts = ((value.documents, "document"), (value.pairs, "pair"), (value.samples, "sample"))
    return [name, label, str(value), *(counted(count, noun) for count, noun in counts)]


def optimality(result: GammaResult) -> str:
    """Return one sentence on what is proven."""
    unproven = [document for document in result.documents if not document.optimal]
    if not unproven:
        return "Every alignment, of the data and of the samples, is proven optimal."
    gap = max(document.gap for document in unproven)
    return (
        f"Not every alignment is proven optimal: {len(unproven)} of "
        f"{counted(len(result.documents), 'document')} have alignments up to {gap:.2%} above the bound."
    )


def gamma_rows(result: GammaResult) -> list[list[str | int]]:
    """Return the rows of the CSV, the header first: a row a document and category, then the corpus's."""
    rows: list[list[str | int]] = [list(_CSV_HEAD)]
    for document in result.documents:
        counts = [getattr(document, name) for name in COUNTS]
        proof = [csv_yes(said=document.optimal), csv_cell(document.gap), csv_yes(said=document.precise)]
        rows += _csv_rows(["document", counts[0]], counts[1:], document, proof)
    totals = [sum(getattr(document, name) for document in result.documents) for name in COUNTS[2:]]
    gap = max((document.gap for document in result.documents), default=0.0)
    precise = all(document.precise for document in result.documents)
    proof = [csv_yes(said=result.optimal), csv_cell(gap), csv_yes(said=precise)]
    return [*rows, *_csv_rows(["corpus", ""], ["", *totals], result, proof)]


def _csv_rows(
    keys: list[str | int], counts: list[str | int], values: DocumentResult | GammaResult, proof: list[str]
) -> Iterator[list[str | int]]:
    """Yield the row of a document or the corpus, then one for each category."""
    empty: list[str | int] = [""] * len(fields(GammaValue))
    yield [*keys, "", *counts, *csv_value(values.gamma), *csv_value(values.gamma_cat), *empty, *proof]
    for label, value in values.gamma_k.items():
        yield [*keys, label, *("" for _ in counts), *empty, *empty, *csv_value(value), *("" for _ in proof)]


def alignment_text(alignment: Alignment) -> str:
    """Return an alignment for people: its disorder and proof, and a table (or list) of unitary alignments."""
    continuum = alignment.continuum
    counts = (
        counted(len(continuum.annotators), "annotator"),
        counted(len(continuum), "unit"),
        counted(len(alignment), "unitary alignment"),
    )
    lines = [f"document {printable(continuum.document)}: {', '.join(counts)}", certificate(alignment)]
    if len(alignment):
        wide = _alignment_table(alignment)
        fits = max(map(len, wide)) <= WIDEST_TABLE
        lines += ["", *(wide if fits else _alignment_list(alignment))]
    return "\n".join(lines) + "\n"


def certificate(alignment: Alignment) -> str:
    """Return the disorder of an alignment and what is proven of it, in one line."""
    if not len(alignment):
        return "no units: nothing to align"
    if alignment.is_optimal:
        return f"disorder {alignment.disorder:.6f}, bound {alignment.bound:.6f}, gap 0: proven optimal"
    return (
        f"disorder {alignment.disorder:.6f}, bound {alignment.bound:.6f}, gap {alignment.gap:.2%}: not proven optimal"
    )


def _alignment_table(alignment: Alignment) -> list[str]:
    head = ["", "disorder", *map(printable, alignment.continuum.annotators)]
    rows = [head]
    unitary = zip(alignment.unitary_alignments(), alignment.unitary_disorders.tolist(), strict=True)
    for place, (units, disorder) in enumerate(unitary, 1):
        rows.append([str(place), f"{disorder:.4f}", *map(_unit, units)])
    return table(rows, right=(0, 1), indent="  ")


def _unit(unit: Unit | None) -> str:
    if unit is None:
        return _EMPTY
    return f"{span(unit.start, unit.end)} {label_text(unit.category)}".rstrip()


def _alignment_list(alignment: Alignment) -> list[str]:
    """Return the table turned on its side, for many annotators: a paragraph a unitary alignment."""
    names = list(map(printable, alignment.continuum.annotators))
    lines: list[str] = []
    unitary = zip(alignment.unitary_alignments(), alignment.unitary_disorders.tolist(), strict=True)
    for place, (units, disorder) in enumerate(unitary, 1):
        cells = [(name, _unit(unit)) for name, unit in zip(names, units, strict=True) if unit is not None]
        lines += [f"  {place}  disorder {disorder:.4f}", *table(cells, indent="     ")]
        empty = [name for name, unit in zip(names, units, strict=True) if unit is None]
        if empty:
            lines += _wrapped(", ".join(empty), f"     {_EMPTY} ")
    return lines


def _wrapped(text: str, first: str) -> list[str]:
    """Return the text as lines, the first after `first`, the others below it."""
    return textwrap.wrap(
        text,
        WIDEST_TABLE,
        initial_indent=first,
        subsequent_indent=" " * len(first),
        break_long_words=False,
        break_on_hyphens=False,
    )
