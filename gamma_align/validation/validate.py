"""What is at a path: how much there is, what there is to see in it, and all that is wrong with it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from gamma_align.columns import UNLABELLED
from gamma_align.errors import Cure, Location, Problem
from gamma_align.io.contents import Contents, in_two
from gamma_align.io.reading import contents_at
from gamma_align.validation.columns import UnitColumns
from gamma_align.validation.findings import SHOWN, Finding, findings

_OF_TEXTS = {
    "mismatch": ("units that do not cover the text that the file says", "unit"),
    "texts": ("annotators whose text of a document differs from the first one's", "annotator"),
}
"""Findings of texts: name, message and noun."""


@dataclass(frozen=True, slots=True)
class ValidationReport:
    """What is at a path.

    Attributes
    ----------
    location, description : str
        What messages call the whole, and the format.
    files : int
        How many files were read.
    problems : list of Problem
        What keeps `read` from reading them, by file and line; none if it does.
    notes : list of str
        What was guessed or left out.
    columns : UnitColumns or None
        The units that can be told apart; ``None`` where nobody's are.
    findings : list of Finding
        What there is to see in them.
    swapped : list of str
        Units whose bounds were swapped, as the files have them.

    Examples
    --------
    >>> import gamma_align as ga
    >>> report = ga.validate("corpora/pygamma/AlexPaulSuzan.csv")
    >>> report.files, report.problems
    (1, [])
    """

    location: str
    description: str
    files: int
    problems: list[Problem]
    notes: list[str]
    columns: UnitColumns | None = None
    findings: list[Finding] = field(default_factory=list)
    swapped: list[str] = field(default_factory=list)


def validate(path: str | os.PathLike[str], *, swap: bool = False, **settings: Any) -> ValidationReport:  # noqa: ANN401
    """Return what is at a path, with every problem that keeps `read` from reading it.

    Parameters
    ----------
    path, **settings
        As in `read`.
    swap : bool
        Take units that end before they start with their bounds swapped.

    Raises
    ------
    InputError, SettingsError, MissingExtraError
        As `read`, of files for a path where there is nothing, or of which nothing says the format.

    Examples
    --------
    >>> import gamma_align as ga
    >>> report = ga.validate("corpora/pygamma/AlexPaulSuzan.csv")
    >>> len(report.columns), report.problems
    (16, [])
    >>> {finding.name: finding.count for finding in report.findings if finding.count}
    {}
    """
    contents = contents_at(path, swap=swap, **settings)
    columns = _columns(contents)
    notes = [*contents.notes, *(contents.checked.extents.notes if contents.checked and not contents.problems else ())]
    return ValidationReport(
        contents.location,
        contents.description,
        contents.files,
        contents.sorted_problems(),
        notes,
        columns,
        [*_text_findings(contents), *([] if columns is None else findings(columns))],
        contents.swapped,
    )


def joined(reports: Mapping[str, ValidationReport], location: str) -> ValidationReport:
    """Return the report on several paths as one corpus, whose name is `location`; reports are by their paths."""
    every = [*reports.values()]
    filled = {path: report.columns for path, report in reports.items() if report.columns is not None}
    columns = UnitColumns.merge([*filled.values()]) if filled else None
    of_texts: dict[str, Finding] = {}
    for finding in (each for report in every for each in report.findings if each.name in _OF_TEXTS):
        before = of_texts.get(finding.name, replace(finding, count=0, places=()))
        places = (*before.places, *finding.places)[:SHOWN]
        of_texts[finding.name] = replace(before, count=before.count + finding.count, places=places)
    return ValidationReport(
        location,
        " and ".join(dict.fromkeys(report.description for report in every)),
        sum(report.files for report in every),
        [*_between(filled), *(problem for report in every for problem in report.problems)],
        [note for report in every for note in report.notes],
        columns,
        [*of_texts.values(), *([] if columns is None else findings(columns))],
        [unit for report in every for unit in report.swapped],
    )


def _between(several: Mapping[str, UnitColumns]) -> Iterator[Problem]:
    """Yield what keeps the units of several paths from being one corpus."""
    twice = in_two(
        (path, columns.documents[document], columns.annotators[annotator])
        for path, columns in several.items()
        for document, annotator in columns.seen.tolist()
    )
    if twice is not None:
        yield twice
    units: dict[str | None, str] = {}
    texts: dict[str, tuple[str, str]] = {}
    for path, columns in several.items():
        units.setdefault(columns.length_unit, path)
        for name, text in columns.texts.items():
            other, before = texts.setdefault(name, (path, text))
            if before != text:
                location = Location(f"{other} and {path}")
                yield Problem(location, f"the text of document {name!r} differs", Cure("give it one"))
    if len(units) > 1:
        (one, first), (two, second), *_ = units.items()
        cause = f"bounds count {one} in one corpus and {two} in the other"
        yield Problem(Location(f"{first} and {second}"), cause, Cure("validate each by itself"))


def _text_findings(contents: Contents) -> list[Finding]:
    """Return what there is to see in the texts, where there are any."""
    of_texts = zip(_OF_TEXTS.items(), (contents.mismatches, contents.differences), strict=True)
    return [
        Finding(name, what, len(problems), tuple(map(str, problems[:SHOWN])), "", noun)
        for (name, (what, noun)), problems in of_texts
        if problems is not None
    ]


def _columns(contents: Contents) -> UnitColumns | None:
    """Return the units that are right as columns."""
    checked = contents.checked
    if checked is None:
        return None
    rows, category = checked.rows, checked.category
    keep = np.flatnonzero(rows.good)
    labels = tuple(dict.fromkeys(category.labels))  # two may be read as one
    code = {label: index for index, label in enumerate(labels)}
    table = np.array([*(code[label] for label in category.labels), UNLABELLED], dtype=np.int64)
    people = max(len(rows.annotators), 1)
    return UnitColumns(
        documents=rows.documents,
        annotators=rows.annotators,
        layers=contents.layers,
        labels=labels,
        document=rows.document[keep],
        annotator=rows.annotator[keep],
        layer=contents.layer[keep],
        label=table[category.codes[keep]],
        start=rows.start[keep],
        end=rows.end[keep],
        row=keep,
        located=rows.table.location,
        seen=np.stack([checked.seen // people, checked.seen % people], axis=1),
        extents=checked.extents.declared,
        length_unit=checked.length_unit,
        texts=contents.texts,
    )
