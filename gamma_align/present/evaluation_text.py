"""Evaluations as text for people and as CSV."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from gamma_align.data.wording import counted, label_text, number, printable
from gamma_align.inference.values import Value
from gamma_align.measures.reference.evaluate import Evaluation, SystemScore
from gamma_align.measures.reference.pairwise_f1 import PAIRED, PairwiseF1
from gamma_align.measures.reference.reference_options import KINDS, MATCHES
from gamma_align.measures.reference.segmentation import VALUES
from gamma_align.measures.reference.spans import SpanScore
from gamma_align.present.table import NEUTRAL, FormNames
from gamma_align.present.writers.data import csv_head, csv_text, csv_value
from gamma_align.present.writers.text import Footnotes, aligned_lines, blocks_text, left_out

MOST_CASES = 40  # a longer list of cases is cut, that of each system
MOST_LABELS = 40
MOST_PAIRS = 40
_NO_CATEGORY = "(none)"
AGREEMENTS = {"gamma": "γ", "gamma_cat": "γcat", "u": "uα"}
SEGMENTATION = dict(zip(VALUES, ("P_k", "WindowDiff", "weighted", "Lamprier", "B", "S"), strict=True))
_OTHERS = {"segmentation": VALUES, "diarization": ("der", "jer")}
_PARTS = ("precision", "recall", "f1")


def evaluation_text(result: Evaluation, form_names: FormNames = NEUTRAL) -> str:
    """Return an evaluation for people: counts, F1 and agreement, labels, cases, signature."""
    notes = Footnotes()
    blocks = [_counts(result), _values(result, notes), *(_labels(system, form_names) for system in result.systems)]
    blocks += [_segments(result, notes), _speech(result, notes)]
    return blocks_text(
        [*blocks, notes.lines(), *(_cases(system, form_names) for system in result.systems), _signatures(result)]
    )


def _counts(result: Evaluation) -> list[str]:
    spans = bool(result.systems[0].spans)
    rows = [["system", "documents", "units", "reference", *(KINDS if spans else ())]]
    for system in result.systems:
        counts = [system.documents, system.units, system.reference_units, *system.counts.values()]
        rows.append([printable(system.system), *map(str, counts)])
    return [f"reference: {printable(result.reference)}", *aligned_lines(rows, right=range(1, len(rows[0])))]


def _values(result: Evaluation, notes: Footnotes) -> list[str]:
    first = result.systems[0]
    matches = MATCHES if first.spans else ()
    agreements = [name for name in AGREEMENTS if name in first.agreement]
    if not (matches or agreements):
        return []
    rows = [["", *matches, *(AGREEMENTS[name] for name in agreements)]]
    for system in result.systems:
        values = [system.spans[name].f1 for name in matches] + [system.agreement[name] for name in agreements]
        rows.append([printable(system.system), *(notes.cell(value, interval=False) for value in values)])
    head = ["F1 of units" + " and agreement with the reference" * bool(agreements)] if matches else ["agreement"]
    return [*head, *aligned_lines(rows, indent="  ")]


def _labels(system: SystemScore, form_names: FormNames) -> list[str]:
    if not system.labels:
        return []
    notes = Footnotes()
    rows = [["strict", "units", "reference", "precision", "recall", "F1"]]

    def add(name: str, sizes: Sequence[object], values: Sequence[Value]) -> None:
        cells = ["" if not value.is_available else notes.cell(value, interval=False) for value in values]
        rows.append([name, *map(str, sizes), *cells])

    for label in system.labels[:MOST_LABELS]:
        name = _NO_CATEGORY if label.category is None else label_text(label.category)
        score = label.spans["strict"]
        add(name, (label.units, label.reference_units), [getattr(score, part) for part in _PARTS])
    add("all", (system.units, system.reference_units), [getattr(system.spans["strict"], part) for part in _PARTS])
    add("mean of labels", ("", ""), [system.macro["strict"][part] for part in _PARTS])
    lines = [printable(system.system), *aligned_lines(rows, right=(1, 2), indent="  ")]
    return lines + left_out(len(system.labels) - MOST_LABELS, "more labels", form_names=form_names)


def _segments(result: Evaluation, notes: Footnotes) -> list[str]:
    scores = [system.segmentation for system in result.systems]
    if None in scores:
        return []
    rows = [["", *SEGMENTATION.values(), "windows", "boundaries matched", "moved", "of another type", "left"]]
    for score in scores:
        if score is not None:
            values = [notes.cell(getattr(score, name), interval=False) for name in VALUES]
            counts = [score.windows, score.matched, score.moved, score.substituted, score.left]
            rows.append([printable(score.system), *values, *map(str, counts)])
    return ["segmentation", *aligned_lines(rows, right=range(7, 12), indent="  ")]


def _speech(result: Evaluation, notes: Footnotes) -> list[str]:
    rows = [["", "DER", "JER", "false alarm", "missed", "confusion", "total", "speakers"]]
    for system in result.systems:
        score = system.diarization
        if score is not None:
            values = [notes.cell(value, interval=False) for value in (score.der, score.jer)]
            times = (score.false_alarm, score.missed, score.confusion, score.total)
            rows.append([printable(system.system), *values, *(number(round(t, 3)) for t in times), str(score.speakers)])
    return ["diarization", *aligned_lines(rows, right=range(3, 8), indent="  ")] if len(rows) > 1 else []


def _cases(system: SystemScore, form_names: FormNames) -> list[str]:
    if not system.cases:
        return []
    rows = [["case", "document", "reference", "", "system", ""]]
    for case in system.cases[:MOST_CASES]:
        cells = [cell for bounds in (case.reference, case.system) for cell in _bounds(bounds)]
        rows.append([case.kind, printable(case.document), *cells])
    lines = [f"cases of {printable(system.system)}", *aligned_lines(rows, indent="  ")]
    return lines + left_out(len(system.cases) - MOST_CASES, "more cases", form_names=form_names)


def _bounds(bounds: tuple[float, float, str | None] | None) -> list[str]:
    if bounds is None:
        return ["", ""]
    start, end, label = bounds
    return [f"{number(start)}–{number(end)}", label_text(label)]


def _signatures(result: Evaluation) -> list[str]:
    of_gamma = [system.gamma_signature for system in result.systems if system.gamma_signature is not None]
    return [printable(signature) for signature in dict.fromkeys([result.signature, *of_gamma])]


def evaluation_csv(result: Evaluation) -> str:
    """Return an evaluation as CSV: a row a system, then one for each of its labels."""
    first = result.systems[0]
    others = [(part, name) for part, names in _OTHERS.items() if getattr(first, part) is not None for name in names]
    scores = [(match, part) for match in first.spans for part in _PARTS]
    values = [*(f"{match}_{part}" for match, part in scores), *first.agreement, *(name for _, name in others)]
    head = ["level", "system", "category", "documents", "units", "reference_units", *first.counts]
    head += [
        *(f"{match}_macro_f1" for match in first.macro),
        *(key for name in values for key in csv_head(name, Value)),
    ]
    rows: list[list[object]] = [list(head)]
    for system in result.systems:
        cells: list[object] = ["system", system.system, None, system.documents, system.units, system.reference_units]
        cells += [*system.counts.values(), *(each["f1"].value for each in system.macro.values())]
        found = [*_scores(system.spans), *system.agreement.values()]
        found += [getattr(getattr(system, part), name) for part, name in others]
        rows.append([*cells, *(cell for value in found for cell in _csv_cells(value))])
        for label in system.labels:
            cells = ["label", system.system, label.category, None, label.units, label.reference_units]
            cells += [None] * (len(system.counts) + len(system.macro))
            cells += [cell for value in _scores(label.spans) for cell in _csv_cells(value)]
            rows.append(cells + [None] * (len(head) - len(cells)))
    return csv_text(rows)


def _scores(spans: Mapping[str, SpanScore]) -> Iterator[Value]:
    """Yield precision, recall and F1 of every measure."""
    for score in spans.values():
        yield from (getattr(score, part) for part in _PARTS)


def _csv_cells(value: Value) -> list[object]:
    return csv_value(value, Value)  # a `GammaValue` has more fields


def pairwise_f1_text(result: PairwiseF1, form_names: FormNames = NEUTRAL) -> str:
    """Return F1 of pairs of annotators for people: pairs, mean, pooled, signature."""
    notes = Footnotes()
    rows = [["first", "second", "documents", "units", "units", *PAIRED]]
    for pair in result.pairs[:MOST_PAIRS]:
        sizes = map(str, (pair.documents, pair.first_units, pair.second_units))
        values = (notes.cell(pair.f1[name], interval=False) for name in PAIRED)
        rows.append([printable(pair.first), printable(pair.second), *sizes, *values])
    for name, means in (("mean of pairs", result.mean), ("pooled", result.pooled)):
        rows.append([name, *[""] * 4, *(notes.cell(means[match], interval=False) for match in PAIRED)])
    lines = [
        f"F1 of {counted(len(result.pairs), 'pair')} of annotators",
        *aligned_lines(rows, right=(2, 3, 4), indent="  "),
    ]
    lines += left_out(len(result.pairs) - MOST_PAIRS, "more pairs", "csv", "json", form_names=form_names)
    return blocks_text([lines, notes.lines(), [printable(result.signature)]])


def pairwise_f1_csv(result: PairwiseF1) -> str:
    """Return F1 of pairs of annotators as CSV: a row a pair, then the mean and the pooled ones."""
    head = ["level", "first", "second", "documents", "first_units", "second_units"]
    columns = [key for name in PAIRED for key in csv_head(f"{name}_f1", Value)]
    rows: list[list[object]] = [[*head, *columns]]
    for pair in result.pairs:
        cells: list[object] = ["pair", pair.first, pair.second, pair.documents, pair.first_units, pair.second_units]
        rows.append([*cells, *(cell for name in PAIRED for cell in csv_value(pair.f1[name], Value))])
    for level, values in (("mean", result.mean), ("pooled", result.pooled)):
        cells = [level, *[None] * 5]
        rows.append([*cells, *(cell for name in PAIRED for cell in csv_value(values[name], Value))])
    return csv_text(rows)
