"""What validating found, as text for people and as plain data for JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gamma_align.columns import IntArray
from gamma_align.data.wording import counted, label_text, number, printable
from gamma_align.errors import PYTHON, Location, Surface, render
from gamma_align.present.table import NEUTRAL, FormNames
from gamma_align.present.writers.text import aligned_lines, blocks_text, left_out
from gamma_align.reading.validation.columns import UnitColumns
from gamma_align.reading.validation.findings import Finding
from gamma_align.reading.validation.validate import ValidationReport

MOST_CATEGORIES = 40  # a longer list of categories or layers is cut in the text report


def validation_text(
    result: ValidationReport,
    repaired: Sequence[Finding] = (),
    surface: Surface = PYTHON,
    form_names: FormNames = NEUTRAL,
) -> str:
    """Return what was found for people: how much there is, what there is to see, problems, repairs."""
    blocks = [[f"{printable(result.location)}: {counted(result.files, 'file')}, read as {result.description}"]]
    if result.columns is not None:
        seen = aligned_lines([(finding.message, str(finding.count)) for finding in result.findings], right=(1,))
        details = [_cases(f"{each.message}: {each.cure}", each) for each in result.findings if each.count and each.cure]
        blocks += [_amounts(result.columns), *_labels(result.columns, form_names), seen, *details]
    problems = [
        counted(len(result.problems), "problem"),
        *(f"  {printable(each.render(surface))}" for each in result.problems),
    ]
    titled = [(f"{repair.name}: {counted(repair.count, 'unit')}, {repair.message}", repair) for repair in repaired]
    repairs = [line for title, repair in titled for line in _cases(title, repair)]
    return blocks_text([*blocks, problems if result.problems else ["no problems"], repairs])


def _amounts(columns: UnitColumns) -> list[str]:
    rows = [
        ("documents", len(columns.documents), f"lengths in {columns.length_unit}" if columns.length_unit else ""),
        ("annotators", len(columns.annotators), f"of a document: {_range_text(_per_document(columns))}"),
        ("units", len(columns), f"of an annotator in a document: {_range_text(_per_pair(columns))}"),
    ]
    return aligned_lines([(name, str(count), more) for name, count, more in rows], right=(1,))


def _range_text(values: IntArray) -> str:
    span = _range(values)
    if span is None:
        return "none"
    least, median, most = (number(span[name]) for name in ("min", "median", "max"))
    return least if least == most else f"{least} to {most}, median {median}"


def _range(values: IntArray) -> dict[str, float] | None:
    if not len(values):
        return None
    return {"min": float(values.min()), "median": float(np.median(values)), "max": float(values.max())}


def _per_document(columns: UnitColumns) -> IntArray:
    """Return the number of annotators of each document."""
    return np.bincount(columns.seen[:, 0], minlength=len(columns.documents))


def _per_pair(columns: UnitColumns) -> IntArray:
    """Return the number of units of each annotator in each document, 0 for who marked nothing."""
    annotators = max(len(columns.annotators), 1)
    pairs = columns.seen[:, 0] * annotators + columns.seen[:, 1]
    index = np.searchsorted(np.sort(pairs), columns.document * annotators + columns.annotator)
    return np.bincount(index, minlength=len(pairs))


def _counts(codes: IntArray, annotator: IntArray, names: Sequence[str]) -> list[tuple[str | None, int, int]]:
    """Return (name, units, annotators) of each code in use, the most frequent first; no name for -1."""
    pairs = np.unique(np.stack([codes, annotator], axis=1), axis=0)
    units, people = (np.bincount(values + 1, minlength=len(names) + 1) for values in (codes, pairs[:, 0]))
    used: list[int] = np.flatnonzero(units).tolist()
    counts = [(names[code - 1] if code else None, int(units[code]), int(people[code])) for code in used]
    return sorted(counts, key=lambda row: (-row[1], row[0] is None, row[0] or ""))


def _labels(columns: UnitColumns, form_names: FormNames) -> list[list[str]]:
    """Return the tables of layers, where there are any, and of categories."""
    layers = _counts(columns.layer, columns.annotator, columns.layers)
    shown = {} if [name for name, _, _ in layers] == [""] else {"layer": layers}
    shown["category"] = _counts(columns.label, columns.annotator, columns.labels)
    blocks = []
    for head, counts in shown.items():
        rows = [(head, "units", "", "annotators")]
        for name, units, annotators in counts[:MOST_CATEGORIES]:
            label = "(none)" if name is None else label_text(name)
            rows.append((label, str(units), f"{units / len(columns):.1%}", str(annotators)))
        more = left_out(len(counts) - MOST_CATEGORIES, "more", indent="", form_names=form_names)
        blocks += [aligned_lines(rows, right=(1, 2, 3)) + more] if counts else []
    return blocks


def _cases(title: str, finding: Finding) -> list[str]:
    """Return the first cases of a finding under a title."""
    rest = finding.count - len(finding.places)
    return [title, *(f"  {printable(case)}" for case in finding.places), *([f"  … and {rest} more"] if rest else [])]


def validation_data(
    result: ValidationReport, repaired: Sequence[Finding] = (), surface: Surface = PYTHON
) -> dict[str, Any]:
    """Return what was found as plain data."""
    problems = []
    for problem in result.problems:
        file, where, *_ = problem.location or Location("")
        line = where if isinstance(where, int) else None
        what = problem._replace(location=None).render(surface)
        problems.append({"file": file, "line": line, "where": None if line else where, "what": what})
    return {
        "schema_version": 1,
        "path": result.location,
        "format": result.description,
        "files": result.files,
        "found": None if result.columns is None else _columns_data(result.columns),
        "findings": [
            {
                "name": finding.name,
                "what": finding.message,
                "count": finding.count,
                "of": finding.noun,
                "first": list(finding.places),
                "cure": finding.cure or None,
            }
            for finding in result.findings
        ],
        "problems": problems,
        "repairs": [
            {"name": repair.name, "what": repair.message, "units": repair.count, "places": list(repair.places)}
            for repair in repaired
        ],
        "notes": list(dict.fromkeys(render(note, surface) for note in result.notes)),
    }


def _columns_data(columns: UnitColumns) -> dict[str, Any]:
    categories = _counts(columns.label, columns.annotator, columns.labels)
    layers = _counts(columns.layer, columns.annotator, columns.layers)
    return {
        "length_unit": columns.length_unit,
        "documents": len(columns.documents),
        "annotators": len(columns.annotators),
        "annotators_of_a_document": _range(_per_document(columns)),
        "units": len(columns),
        "units_of_an_annotator_in_a_document": _range(_per_pair(columns)),
        "categories": [dict(zip(("category", "units", "annotators"), row, strict=True)) for row in categories],
        "layers": [dict(zip(("layer", "units", "annotators"), row, strict=True)) for row in layers if row[0]],
    }
