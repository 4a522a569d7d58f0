"""What validating found, as text for people and as plain data for JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gamma_align._types import IntArray
from gamma_align.data.problem import Problem
from gamma_align.report._tables import counted, label_text, number, printable, table
from gamma_align.validation.columns import Columns
from gamma_align.validation.findings import Finding
from gamma_align.validation.validate import ValidationReport

MOST_CATEGORIES = 40
"""A longer list of categories or layers is cut in the text report."""


def validation_text(found: ValidationReport, repaired: Sequence[Finding] = ()) -> str:
    """Return what was found for people: how much there is, what there is to see, problems, repairs."""
    blocks = [[f"{printable(found.location)}: {counted(found.files, 'file')}, read as {found.description}"]]
    if found.columns is not None:
        blocks += [_amounts(found.columns), *_labels(found.columns), _seen(found), *_details(found.findings)]
    blocks += [_problems(found.problems), _repaired(repaired)]
    return "\n\n".join("\n".join(block) for block in blocks if block) + "\n"


def _amounts(columns: Columns) -> list[str]:
    lengths = "" if columns.length_unit is None else f"lengths in {columns.length_unit}"
    least = [_spread(values) for values in (_per_document(columns), _per_pair(columns))]
    rows = [
        ("documents", str(len(columns.documents)), lengths),
        ("annotators", str(len(columns.annotators)), f"of a document: {least[0]}"),
        ("units", str(len(columns)), f"of an annotator in a document: {least[1]}"),
    ]
    return table(rows, right=(1,))


def _spread(values: IntArray) -> str:
    if not len(values):
        return "none"
    least, median, most = _three(values)
    if least == most:
        return number(least)
    return f"{number(least)} to {number(most)}, median {number(median)}"


def _three(values: IntArray) -> tuple[float, float, float]:
    return float(values.min()), float(np.median(values)), float(values.max())


def _per_document(columns: Columns) -> IntArray:
    return np.bincount(columns.seen[:, 0], minlength=len(columns.documents))


def _per_pair(columns: Columns) -> IntArray:
    """Return the number of units of each annotator in each document, 0 for who marked nothing."""
    people = max(len(columns.annotators), 1)
    pairs = columns.seen[:, 0] * people + columns.seen[:, 1]
    order = np.argsort(pairs)
    places = np.searchsorted(pairs[order], columns.document * people + columns.annotator)
    return np.bincount(places, minlength=len(pairs))


def _counts(codes: IntArray, annotator: IntArray, names: Sequence[str]) -> list[tuple[str | None, int, int]]:
    """Return (name, units, annotators) of each code in use, the most frequent first; no name for -1."""
    pairs = np.unique(np.stack([codes, annotator], axis=1), axis=0)
    units, people = (np.bincount(values + 1, minlength=len(names) + 1) for values in (codes, pairs[:, 0]))
    used: list[int] = np.flatnonzero(units).tolist()
    found = [(names[code - 1] if code else None, int(units[code]), int(people[code])) for code in used]
    return sorted(found, key=lambda row: (-row[1], row[0] is None, row[0] or ""))


def _labels(columns: Columns) -> list[list[str]]:
    blocks = []
    for head, codes, names in (
        ("layer", columns.layer, columns.layers),
        ("category", columns.label, columns.labels),
    ):
        found = _counts(codes, columns.annotator, names)
        if head == "layer" and [name for name, _, _ in found] in ([], [""]):
            continue
        if found:
            blocks.append(_count_lines(head, found, len(columns)))
    return blocks


def _count_lines(head: str, found: list[tuple[str | None, int, int]], total: int) -> list[str]:
    rows = [(head, "units", "", "annotators")]
    for name, units, people in found[:MOST_CATEGORIES]:
        shown = "(none)" if name is None else label_text(name)
        rows.append((shown, str(units), f"{units / total:.1%}", str(people)))
    left_out = len(found) - MOST_CATEGORIES
    more = [f"… and {left_out} more: --json has them all"] if left_out > 0 else []
    return table(rows, right=(1, 2, 3)) + more


def _seen(found: ValidationReport) -> list[str]:
    rows = [(finding.message, str(finding.count)) for finding in found.findings]
    return table(rows, right=(1,))


def _details(findings: Sequence[Finding]) -> list[list[str]]:
    blocks = []
    for finding in findings:
        if finding.count and finding.cure:
            lines = [f"{finding.message}: {finding.cure}", *(f"  {printable(place)}" for place in finding.places)]
            left_out = finding.count - len(finding.places)
            blocks.append([*lines, *([f"  … and {left_out} more"] if left_out else [])])
    return blocks


def _problems(problems: Sequence[Problem]) -> list[str]:
    if not problems:
        return ["no problems"]
    return [counted(len(problems), "problem"), *(f"  {printable(str(problem))}" for problem in problems)]


def _repaired(repaired: Sequence[Finding]) -> list[str]:
    lines = []
    for repair in repaired:
        lines.append(f"{repair.name}: {counted(repair.count, 'unit')}, {repair.message}")
        lines += [f"  {printable(place)}" for place in repair.places]
        left_out = repair.count - len(repair.places)
        lines += [f"  … and {left_out} more"] if left_out else []
    return lines


def validation_data(found: ValidationReport, repaired: Sequence[Finding] = ()) -> dict[str, Any]:
    """Return what was found as plain data."""
    return {
        "schema_version": 1,
        "path": found.location,
        "format": found.description,
        "files": found.files,
        "found": None if found.columns is None else _found_data(found.columns),
        "findings": [_finding_data(finding) for finding in found.findings],
        "problems": [_problem_data(problem) for problem in found.problems],
        "repairs": [
            {"name": repair.name, "what": repair.message, "units": repair.count, "places": list(repair.places)}
            for repair in repaired
        ],
        "notes": list(dict.fromkeys(found.notes)),
    }


def _found_data(columns: Columns) -> dict[str, Any]:
    return {
        "length_unit": columns.length_unit,
        "documents": len(columns.documents),
        "annotators": len(columns.annotators),
        "annotators_of_a_document": _spread_data(_per_document(columns)),
        "units": len(columns),
        "units_of_an_annotator_in_a_document": _spread_data(_per_pair(columns)),
        "categories": [
            {"category": name, "units": units, "annotators": people}
            for name, units, people in _counts(columns.label, columns.annotator, columns.labels)
        ],
        "layers": [
            {"layer": name, "units": units, "annotators": people}
            for name, units, people in _counts(columns.layer, columns.annotator, columns.layers)
            if name
        ],
    }


def _spread_data(values: IntArray) -> dict[str, float] | None:
    if not len(values):
        return None
    return dict(zip(("min", "median", "max"), _three(values), strict=True))


def _finding_data(finding: Finding) -> dict[str, Any]:
    return {
        "name": finding.name,
        "what": finding.message,
        "count": finding.count,
        "of": finding.noun,
        "first": list(finding.places),
        "cure": finding.cure or None,
    }


def _problem_data(problem: Problem) -> dict[str, Any]:
    line = problem.where if isinstance(problem.where, int) else None
    return {"file": problem.file, "line": line, "where": None if line else problem.where, "what": problem.what}
