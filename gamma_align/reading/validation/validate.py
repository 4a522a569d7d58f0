"""What is at a path: how much there is, what there is to see in it, and all that is wrong with it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from gamma_align.columns import UNLABELLED
from gamma_align.data.checks import check_settings
from gamma_align.data.corpus import Corpus
from gamma_align.data.frames import MAX_ROWS_SHOWN, FrameColumns, Framed, html_table
from gamma_align.data.problem import refuse
from gamma_align.data.sources import Source, is_path
from gamma_align.errors import Cure, InputError, Location, Problem
from gamma_align.reading.contents import Contents, in_two
from gamma_align.reading.memory import check_in_memory, contents_in_memory
from gamma_align.reading.read import contents_at, read
from gamma_align.reading.validation.columns import UnitColumns
from gamma_align.reading.validation.findings import SHOWN, Finding, findings
from gamma_align.reading.validation.repairs import SWAPPED, repaired

_OF_TEXTS = {
    "mismatch": ("units that do not cover the text that the file says", "unit"),
    "texts": ("annotators whose text of a document differs from the first one's", "annotator"),
}
"""Findings of texts: name, message and noun."""


@dataclass(frozen=True, slots=True)
class ValidationReport(Framed):
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
    validate_again: Callable[..., ValidationReport] | None = field(default=None, repr=False, compare=False)

    def fix(self, *names: str) -> Corpus:
        """Return the corpus of the same data after repairs; what it was made from stays as it is.

        Parameters
        ----------
        *names : str
            Repairs by name, as of ``gamma-align validate --fix``. They apply in a fixed order.

        Raises
        ------
        SettingsError
            For an unknown repair.
        InputError
            If problems remain. The first of them is raised.

        Examples
        --------
        >>> import gamma_align as ga
        >>> units = [("ann", 0, 4, "x"), ("bob", 6, 2, "x")]
        >>> report = ga.validate(units)
        >>> print(report.problems[0].cause)
        the unit ends at 2, before its start 6
        >>> report.fix("swapped-bounds").end.tolist()
        [4.0, 6.0]
        """
        cuts_units = "past-end" in names  # after they are read, with extents that contain them
        again = self.validate_again
        changed = {"outside": "extend"} if cuts_units else {}
        report = self if again is None else again(swap=SWAPPED in names, **changed)
        refuse([*report.problems])
        if report.columns is None:
            raise InputError(f"{self.location}: there are no units to repair")
        columns, _ = repaired(report.columns, names)
        return columns.corpus(outside="extend" if cuts_units else "refuse")

    def _n_rows(self) -> int:
        return len(self.problems) + len(self.findings)

    def _columns(self, limit: int | None = None) -> FrameColumns:
        """Return a row for each problem and each finding."""
        problems = [("problem", "", 1, str(problem), "") for problem in self.problems]
        found = [("finding", each.name, each.count, each.message, each.cure) for each in self.findings]
        rows = (problems + found)[:limit]
        names = ("kind", "name", "count", "message", "cure")
        return {name: [row[index] for row in rows] for index, name in enumerate(names)}

    def _repr_html_(self) -> str:
        """Return sizes, problems and findings, for a notebook."""
        sizes = {"files": self.files, "problems": len(self.problems), "notes": len(self.notes)}
        sizes["units"] = 0 if self.columns is None else len(self.columns)
        caption = ", ".join(f"{name} {count}" for name, count in sizes.items())
        return html_table(self._columns(MAX_ROWS_SHOWN), f"ValidationReport: {caption}", self._n_rows())


def validate(
    source: Source,
    /,
    *,
    swap: bool = False,
    columns: Mapping[str, str | None] | None = None,
    outside: str = "refuse",
    **settings: Any,  # noqa: ANN401  (those of `read`, for files)
) -> ValidationReport:
    """Return what data contain, with every problem that keeps `read` from reading them.

    Parameters
    ----------
    source, columns, outside, **settings
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
    check_settings("validate()", settings, read.__kwdefaults__ or {})
    if is_path(source):
        contents = contents_at(source, swap=swap, columns=columns, outside=outside, **settings)
    else:
        check_in_memory(settings, read.__kwdefaults__ or {})
        contents = contents_in_memory(source, swap=swap, columns=columns, outside=outside)
    read_settings = {"columns": columns, "outside": outside, **settings}
    units = _columns(contents)
    notes = [*contents.notes, *(contents.checked.extents.notes if contents.checked and not contents.problems else ())]
    return ValidationReport(
        contents.location,
        contents.description,
        contents.files,
        contents.sorted_problems(),
        notes,
        units,
        [*_text_findings(contents), *([] if units is None else findings(units))],
        contents.swapped,
        partial(validate, source, **read_settings),
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
    keep = np.flatnonzero(rows.is_valid)
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
