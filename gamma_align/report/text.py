"""Results on units (γ, the unitizing family, both side by side) as text for people and as CSV."""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from gamma_align.gammas.coefficients import COUNTS, EXACT, DocumentResult, GammaResult, GammaValue
from gamma_align.report._tables import Footnotes, csv_head, csv_text, csv_value, left_out, percent, report, table
from gamma_align.results.values import Value, column_of
from gamma_align.results.wording import counted, label_text, number, printable
from gamma_align.unitizing.results import UnitizingDocument, UnitizingResult, UnitizingValues

if TYPE_CHECKING:  # `measure` needs none of it
    from gamma_align.comparison.families import Contribution, Families

ALL_DOCUMENTS = 40  # a longer list of documents is cut in the text report
LOWEST_DOCUMENTS = 10  # to those of the lowest γ
MOST_CATEGORIES = 40  # a longer list of γk is cut likewise
MOST_PAIRS = 20  # a longer list of pairs of categories is cut to those that contribute most

Document = TypeVar("Document", DocumentResult, UnitizingDocument)

_NO_CATEGORY = "(none)"
_GAMMA_HEAD = (
    *("level", "document", "category", "annotators", "units", "alignments", "samples", "pair_samples"),
    *(column for name in ("gamma", "gamma_cat", "gamma_k") for column in csv_head(name, GammaValue)),
    *("optimal", "gap"),
)
_UNITIZING = ("u", "bar_u", "cu")
_UNITIZING_HEAD = (
    *("level", "document", "category", "annotators", "units", "length", "coverage"),
    *(column for name in (*_UNITIZING, "ku") for column in csv_head(name, Value)),
)
_CONTRIBUTIONS_HEAD = ("level", "document", "first", "second", "length", "cu_share", "weight", "gamma_cat_share")


class Listing(NamedTuple):
    """Which documents a report lists: all by name, or if they are many those of the lowest value.

    `by_value` puts the lowest first; `worst` is how many of the lowest to list, whatever their number.
    """

    by_value: bool = False
    worst: int | None = None

    def of(self, documents: Sequence[Document], value: str) -> Sequence[Document]:
        """Return the documents to show by the value of this name, those without one last where the lowest are first."""
        many = len(documents) > ALL_DOCUMENTS
        if not (many or self.by_value or self.worst):
            return documents

        values, names = column_of(documents, value), column_of(documents, "document")
        numbers, reasons = column_of(values, "value"), column_of(values, "reason")

        def rank(row: int) -> tuple[bool, float, str]:
            return (True, 0.0, names[row]) if reasons[row] is not None else (False, numbers[row], names[row])

        kept = self.worst or (LOWEST_DOCUMENTS if many else len(documents))
        return [documents[row] for row in heapq.nsmallest(kept, range(len(documents)), key=rank)]


BY_NAME = Listing()


def gamma_text(result: GammaResult, listing: Listing = BY_NAME) -> str:
    """Return a result for people: documents, corpus, optimality, signature."""
    blocks = [
        _gamma_documents(result, listing),
        _gamma_corpus(result),
        [optimality(result)],
        [printable(result.signature)],
    ]
    return report(blocks)


def _gamma_documents(result: GammaResult, listing: Listing) -> list[str]:
    shown = listing.of(result.documents, "gamma")
    if not shown:
        return []
    notes = Footnotes()
    gaps = not all(document.optimal for document in shown)
    counts = ["document", "annotators", "units", "samples", *(["gap"] if gaps else [])]
    head = [*counts, "γ [95 % interval]", "γcat", "its pairs", "its samples"]
    rows = [head, *(_document(document, notes, gaps=gaps) for document in shown)]
    lines = table(rows, right=(*range(1, len(counts)), len(head) - 2, len(head) - 1)) + notes.lines()
    return lines + documents_left_out(len(shown), len(result.documents), "of the lowest γ")


def documents_left_out(
    shown: int, total: int, description: str, everywhere: str = "--csv and --json have all"
) -> list[str]:
    """Return the line that says how many documents are not shown, if any."""
    documents = "document" if shown == 1 else f"{shown} documents"
    return [f"… the {documents} {description}; {total - shown} left out ({everywhere})"] if shown < total else []


def _document(document: DocumentResult, notes: Footnotes, *, gaps: bool) -> list[str]:
    counts = [str(document.annotators), str(document.units), str(document.samples)]
    gap = [f"{document.gap:.2%}" if not document.optimal else ""] if gaps else []
    gamma_cat = document.gamma_cat
    values = [notes.cell(document.gamma), notes.cell(gamma_cat), str(gamma_cat.pairs), str(gamma_cat.samples)]
    return [printable(document.document), *counts, *gap, *values]


def _gamma_corpus(result: GammaResult) -> list[str]:
    kept = list(result.gamma_k.items())[:MOST_CATEGORIES]
    rows = [_corpus_row("γ", "", result.gamma), _corpus_row("γcat", "", result.gamma_cat)]
    rows += [_corpus_row("" if index else "γk", label_text(label), value) for index, (label, value) in enumerate(kept)]
    lines = [f"corpus of {counted(len(result.documents), 'document')}"]
    lines += table([list(map(printable, row)) for row in rows], right=range(3, 7), indent="  ")
    return lines + left_out(len(result.gamma_k) - len(kept), "more categories")


def _corpus_row(name: str, label: str, value: GammaValue) -> list[str]:
    """Return a value of the corpus and what it rests on."""
    if not value.is_available:
        return [name, label, str(value), "", "", "", ""]
    counts = ((value.documents, "document"), (value.pairs, "pair"), (value.samples, "sample"))
    return [name, label, str(value), *(counted(count, noun) for count, noun in counts), _chance(value)]


def _chance(value: GammaValue) -> str:
    """Return the stated precision of the expected disorder, or why there is none."""
    if value.precision_note == EXACT:
        return "chance exact"  # the whole reason, which is in JSON, would make every row as wide
    if value.precision_note is not None:
        return f"chance: {value.precision_note}"
    return f"chance ±{value.expected_precision:.1%}"


def optimality(result: GammaResult) -> str:
    """Return one sentence on what is proven."""
    unproven = result.gaps
    if not unproven:
        return "Every alignment, of the data and of the samples, is proven optimal."
    return (
        f"Not every alignment is proven optimal: {len(unproven)} of "
        f"{counted(len(result.documents), 'document')} have alignments up to {max(unproven):.2%} above the bound."
    )


def gamma_rows(result: GammaResult) -> Iterator[list[object]]:
    """Yield the rows of the CSV, the header first: a row a document and category, then the corpus's."""
    yield [*_GAMMA_HEAD]
    for document in result.documents:
        name, *counts = (getattr(document, name) for name in COUNTS)
        yield from _gamma_cells(["document", name], counts, document, [document.optimal, document.gap])
    totals = [sum(column_of(result.documents, name)) for name in COUNTS[2:]]
    yield from _gamma_cells(["corpus", ""], ["", *totals], result, [result.optimal, result.gap])


def _gamma_cells(
    keys: list[str], counts: list[object], values: DocumentResult | GammaResult, proof: list[object]
) -> Iterator[list[object]]:
    """Yield the row of a document or the corpus, then one for each category."""
    empty = [None] * len(fields(GammaValue))
    yield [*keys, "", *counts, *csv_value(values.gamma), *csv_value(values.gamma_cat), *empty, *proof]
    for label, value in values.gamma_k.items():
        yield [*keys, label, *("" for _ in counts), *empty, *empty, *csv_value(value), *("" for _ in proof)]


def unitizing_text(result: UnitizingResult, listing: Listing = BY_NAME) -> str:
    """Return a result for people: documents, corpus, intervals, signature."""
    return report([_unitizing_documents(result, listing), _unitizing_corpus(result), [printable(result.signature)]])


def _unitizing_documents(result: UnitizingResult, listing: Listing) -> list[str]:
    shown = listing.of(result.documents, "u")
    notes = Footnotes()
    layers = bool(result.settings["overlap"] == "layers")
    names = _UNITIZING[:1] if layers else _UNITIZING
    symbols = ["uα"] if layers else ["coverage", "uα", "|uα", "cuα"]
    rows = [["document", "annotators", "units", "length", *symbols]]
    for document in shown:
        counts = [str(document.annotators), str(document.units), number(round(document.length, 6))]
        covered = [] if layers else [percent(document.coverage)]
        values = [notes.cell(getattr(document, name)) for name in names]
        rows.append([printable(document.document), *counts, *covered, *values])
    lines = table(rows, right=range(1, 4 + (not layers))) + notes.lines()
    return lines + documents_left_out(len(shown), len(result.documents), "of the lowest uα")


def _unitizing_corpus(result: UnitizingResult) -> list[str]:
    unit = f", lengths in {printable(result.length_unit)}" if result.length_unit else ""
    lines = [f"corpus of {counted(len(result.documents), 'document')}{unit}"]
    lines += table(_unitizing_values(result), indent="  ")
    lines += left_out(len(result.ku or result.layers) - MOST_CATEGORIES, "more categories")
    return [*lines, f"  intervals: {result.interval}"]


def _unitizing_values(values: UnitizingValues) -> list[list[str]]:
    if values.layers:
        return [["uα", "", printable(str(values.u))], *_categories("", values.layers, {})]
    return [
        ["uα", "", printable(str(values.u)), ""],
        ["|uα", "", printable(str(values.bar_u)), ""],
        ["cuα", "", printable(str(values.cu)), f"covers {percent(values.coverage)}"],
        *_categories("(k)uα", values.ku, values.coverage_k),
    ]


def _categories(name: str, values: Mapping[str, Value], coverage: Mapping[str, float]) -> list[list[str]]:
    rows: list[list[str]] = []
    for label, value in list(values.items())[:MOST_CATEGORIES]:
        covered = [f"covers {percent(coverage[label])}"] if coverage else []
        rows.append([name if not rows else "", label_text(label), printable(str(value)), *covered])
    return rows


def unitizing_rows(result: UnitizingResult) -> Iterator[list[object]]:
    """Yield the rows of the CSV, the header first: a row a document, then one for the corpus."""
    yield [*_UNITIZING_HEAD]
    for document in result.documents:
        counts = (document.annotators, document.units, document.length)
        yield from _unitizing_cells(["document", document.document], counts, document)
    units, total = sum(column_of(result.documents, "units")), math.fsum(column_of(result.documents, "length"))
    yield from _unitizing_cells(["corpus", ""], ("", units, total), result)


def _unitizing_cells(keys: list[str], counts: tuple[object, ...], values: UnitizingValues) -> Iterator[list[object]]:
    """Yield the row of a document or the corpus, then one for each category (on layers: for each layer)."""
    empty = [None] * len(fields(Value))
    plain = [cell for name in _UNITIZING for cell in csv_value(getattr(values, name))]
    yield [*keys, "", *counts, values.coverage, *plain, *empty]
    for label, value in (values.ku or values.layers).items():
        coverage = values.coverage_k.get(label)
        yield [*keys, label, "", "", "", coverage, *(empty * len(_UNITIZING)), *csv_value(value)]


def families_text(result: Families) -> str:
    """Return both families for people: documents, corpus, contributions, proofs, signatures."""
    signatures = [printable(result.gamma.signature), printable(result.unitizing.signature)]
    documents, corpus = _families_documents(result), _families_corpus(result)
    return report([documents, corpus, _contributions(result), [optimality(result.gamma)], signatures])


def _families_documents(result: Families) -> list[str]:
    pairs = list(zip(result.gamma.documents, result.unitizing.documents, strict=True))
    if len(pairs) == 1:
        return []
    shown = pairs
    if len(pairs) > ALL_DOCUMENTS:
        known = [pair for pair in pairs if pair[0].gamma.is_available and pair[1].u.is_available]
        known.sort(key=lambda pair: (-abs(pair[0].gamma.value - pair[1].u.value), pair[0].document))
        shown = known[:LOWEST_DOCUMENTS]
    notes = Footnotes()
    rows = [["document", "annotators", "units", "γ", "uα", "γcat", "cuα", "coverage"]]
    for ours, theirs in shown:
        values = (ours.gamma, theirs.u, ours.gamma_cat, theirs.cu)
        cells = [notes.cell(value, interval=False) for value in values]
        counts = [str(ours.annotators), str(ours.units)]
        rows.append([printable(ours.document), *counts, *cells, percent(theirs.coverage)])
    lines = table(rows, right=(1, 2, 7)) + notes.lines()
    return lines + documents_left_out(len(shown), len(pairs), "where γ and uα differ most", "--json has all")


def _families_corpus(result: Families) -> list[str]:
    ours, theirs = result.gamma, result.unitizing
    unit = f", lengths in {printable(theirs.length_unit)}" if theirs.length_unit else ""
    rows = [
        ["γ", str(ours.gamma), "uα", str(theirs.u), ""],
        ["", "", "|uα", str(theirs.bar_u), ""],
        ["γcat", str(ours.gamma_cat), "cuα", str(theirs.cu), f"covers {percent(theirs.coverage)}"],
    ]
    labels = sorted({*ours.gamma_k, *theirs.ku})
    for label in labels[:MOST_CATEGORIES]:
        k, gamma_k, ku = label_text(label), ours.gamma_k.get(label), theirs.ku.get(label)
        covered = f"covers {percent(theirs.coverage_k[label])}" if ku is not None else ""
        rows.append([f"γk {k}", str(gamma_k or ""), f"({k})uα", str(ku or ""), covered])
    lines = [f"corpus of {counted(len(ours.documents), 'document')}{unit}"]
    lines += table([list(map(printable, row)) for row in rows], indent="  ")
    lines += left_out(len(labels) - MOST_CATEGORIES, "more categories")
    return [*lines, f"  intervals of the unitizing family: {theirs.interval}"]


def _contributions(result: Families) -> list[str]:
    entries = sorted(result.contributions, key=least_last)
    if not entries:
        return []
    rows = [["categories", "γcat", "cuα", "weight", "length"]]
    for entry in entries[:MOST_PAIRS]:
        shares = (percent(entry.gamma_cat), percent(entry.cu))
        rows.append([_pair(entry), *shares, f"{entry.weight:.2f}", f"{entry.length:.2f}"])
    lines = ["contributions of pairs of categories", *table(rows, right=range(1, 5), indent="  ")]
    more = len(entries) - MOST_PAIRS
    return lines + left_out(more, "more pair" + "s" * (more > 1), everywhere="--csv and --json have them all")


def least_last(entry: Contribution) -> float:
    """Return the key that sorts contributions, the largest first."""
    return -sum(share for share in (entry.gamma_cat, entry.cu) if not math.isnan(share))


def _pair(entry: Contribution) -> str:
    return " – ".join(_NO_CATEGORY if label is None else label_text(label) for label in (entry.first, entry.second))


def families_csv(result: Families) -> str:
    """Return the contributions as CSV: a row a document and pair of categories, then the corpus's."""
    entries = [("document", name, entry) for name, entries in result.documents.items() for entry in entries]
    entries += [("corpus", "", entry) for entry in result.contributions]
    rows = ((level, name, *(getattr(entry, field.name) for field in fields(entry))) for level, name, entry in entries)
    return csv_text([_CONTRIBUTIONS_HEAD, *rows])
