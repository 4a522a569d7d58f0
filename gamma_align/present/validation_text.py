"""The report of a validation as text and as JSON data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from gamma_align.columns import IntArray
from gamma_align.data import counted, number, printable
from gamma_align.errors import PYTHON, Location, Problem, Surface, render
from gamma_align.present.table import NEUTRAL, Column, FormNames, Kind, Table, further
from gamma_align.present.writers.lines import aligned_lines, blocks_text
from gamma_align.present.writers.text import table_lines
from gamma_align.reading import Finding, UnitColumns, ValidationReport

MAX_CATEGORIES = 40  # rows of a table of categories or layers in the text


class LabelCount(NamedTuple):
    """A category or layer in use, the number of its units, their share, and the number of annotators who use it."""

    name: str | None
    units: int
    share: float
    annotators: int

    def as_data(self, kind: str) -> dict[str, str | int | None]:
        """Return the counts as JSON data; `kind` is "category" or "layer"."""
        return {kind: self.name, "units": self.units, "annotators": self.annotators}


def validation_text(
    result: ValidationReport,
    repaired: Sequence[Finding] = (),
    surface: Surface = PYTHON,
    form_names: FormNames = NEUTRAL,
) -> str:
    """Return sizes, categories, findings, problems and the changes of repairs as text."""
    blocks = [[f"{printable(result.location)}: {counted(result.files, 'file')}, read as {result.description}"]]
    if result.columns is not None:
        blocks += [
            _size_lines(result.columns),
            *(table_lines(table, form_names=form_names) for table in _label_tables(result.columns)),
            aligned_lines([(finding.message, str(finding.count)) for finding in result.findings], right=(1,)),
            *_details(result.findings, surface),
        ]
    repairs: list[str] = []
    for change in repaired:
        repairs += _places(f"{change.name}: {counted(change.count, 'unit')}, {change.message}", change)
    return blocks_text([*blocks, _problem_lines(result.problems, surface), repairs])


def _details(findings: Sequence[Finding], surface: Surface) -> Iterator[list[str]]:
    """Yield the lines of each finding that has a cure."""
    for finding in findings:
        if finding.count and finding.cure is not None:
            yield _places(f"{finding.message}: {finding.cure.render(surface)}", finding)


def _places(title: str, finding: Finding) -> list[str]:
    """Return the first places of a finding under a title."""
    lines = [title, *(f"  {printable(place)}" for place in finding.places)]
    n_more = finding.count - len(finding.places)
    return [*lines, f"  … and {n_more} more"] if n_more else lines


def _problem_lines(problems: Sequence[Problem], surface: Surface) -> list[str]:
    if not problems:
        return ["no problems"]
    texts = (printable(problem.render(surface)) for problem in problems)
    return [counted(len(problems), "problem"), *(f"  {text}" for text in texts)]


def _size_lines(columns: UnitColumns) -> list[str]:
    lengths = f"lengths in {columns.length_unit}" if columns.length_unit else ""
    rows = [
        ("documents", str(len(columns.documents)), lengths),
        (
            "annotators",
            str(len(columns.annotators)),
            f"of a document: {_range_text(_annotators_per_document(columns))}",
        ),
        ("units", str(len(columns)), f"of an annotator in a document: {_range_text(_units_per_pair(columns))}"),
    ]
    return aligned_lines(rows, right=(1,))


def _range_text(values: IntArray) -> str:
    value_range = _range(values)
    if value_range is None:
        return "none"
    low, median, high = (number(value_range[name]) for name in ("min", "median", "max"))
    return low if low == high else f"{low} to {high}, median {median}"


def _range(values: IntArray) -> dict[str, float] | None:
    if not len(values):
        return None
    return {"min": float(values.min()), "median": float(np.median(values)), "max": float(values.max())}


def _annotators_per_document(columns: UnitColumns) -> IntArray:
    return np.bincount(columns.seen[:, 0], minlength=len(columns.documents))


def _units_per_pair(columns: UnitColumns) -> IntArray:
    """Return the number of units of each annotator in each document, 0 if the annotator marked nothing."""
    # `seen` also has the pairs without units, and `minlength` keeps the last ones among them.
    pairs = columns.pair_codes(*columns.seen.T)
    index = np.searchsorted(np.sort(pairs), columns.pair_codes(columns.document, columns.annotator))
    return np.bincount(index, minlength=len(pairs))


def _label_counts(codes: IntArray, annotator: IntArray, names: Sequence[str]) -> list[LabelCount]:
    """Return the count of each code in use, the most frequent first; the name of code -1 is None."""
    units = Counter(codes.tolist())
    # An annotator counts once for a code, whatever the number of units.
    pairs = np.unique(np.stack([codes, annotator], axis=1), axis=0)
    annotators = Counter(pairs[:, 0].tolist())
    counts = [
        LabelCount(None if code < 0 else names[code], units[code], units[code] / len(codes), annotators[code])
        for code in units
    ]
    # Equal counts are ordered by name, so that the order of the units does not matter.
    return sorted(counts, key=lambda count: (-count.units, count.name is None, count.name or ""))


def _category_counts(columns: UnitColumns) -> list[LabelCount]:
    return _label_counts(columns.label, columns.annotator, columns.labels)


def _layer_counts(columns: UnitColumns) -> list[LabelCount]:
    return _label_counts(columns.layer, columns.annotator, columns.layers)


def _label_tables(columns: UnitColumns) -> Iterator[Table]:
    """Yield the tables of layers, if units have layers, and of categories."""
    counts = {"layer": _layer_counts(columns), "category": _category_counts(columns)}
    # Units without layers are all in the layer "", which needs no table.
    if [layer.name for layer in counts["layer"]] == [""]:
        del counts["layer"]
    for kind, label_counts in counts.items():
        if label_counts:
            table = Table(kind, f"units by {kind}", _label_columns(kind), label_counts)
            yield table.first(MAX_CATEGORIES, further("more", "json"))


def _label_columns(kind: str) -> list[Column]:
    return [
        Column("name", Kind.CATEGORY, kind, missing="(none)"),
        Column("units", Kind.COUNT),
        Column("share", heading="", format=lambda share: f"{share:.1%}", align="right"),
        Column("annotators", Kind.COUNT),
    ]


def validation_data(
    result: ValidationReport, repaired: Sequence[Finding] = (), surface: Surface = PYTHON
) -> dict[str, object]:
    """Return the report and the changes of repairs as JSON data."""
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
                "cure": None if finding.cure is None else finding.cure.render(surface),
            }
            for finding in result.findings
        ],
        "problems": [_problem_data(problem, surface) for problem in result.problems],
        "repairs": [
            {"name": change.name, "what": change.message, "units": change.count, "places": list(change.places)}
            for change in repaired
        ],
        "notes": list(dict.fromkeys(render(note, surface) for note in result.notes)),
    }


def _problem_data(problem: Problem, surface: Surface) -> dict[str, object]:
    location = problem.location or Location("")
    line = location.where if isinstance(location.where, int) else None
    # File and line have fields of their own, so the text does not repeat them.
    text = problem._replace(location=None).render(surface)
    return {"file": location.file, "line": line, "where": None if line else location.where, "what": text}


def _columns_data(columns: UnitColumns) -> dict[str, object]:
    return {
        "length_unit": columns.length_unit,
        "documents": len(columns.documents),
        "annotators": len(columns.annotators),
        "annotators_of_a_document": _range(_annotators_per_document(columns)),
        "units": len(columns),
        "units_of_an_annotator_in_a_document": _range(_units_per_pair(columns)),
        "categories": [count.as_data("category") for count in _category_counts(columns)],
        "layers": [count.as_data("layer") for count in _layer_counts(columns) if count.name],
    }
