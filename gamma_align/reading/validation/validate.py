"""Validation: the contents of data, with every problem that keeps `read` from reading them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain

import numpy as np

from gamma_align.columns import UNLABELLED
from gamma_align.data import MAX_ROWS_SHOWN, Corpus, FrameColumns, Framed, Source, Versions, html_table, is_path, refuse
from gamma_align.errors import PYTHON, Cure, InputError, Location, NoteGroup, Problem
from gamma_align.reading.contents import Contents, in_two
from gamma_align.reading.memory import check_in_memory, contents_in_memory
from gamma_align.reading.read import contents_at, read
from gamma_align.reading.validation.columns import UnitColumns
from gamma_align.reading.validation.findings import MAX_PLACES, Finding, findings
from gamma_align.reading.validation.repairs import SWAPPED, repaired

# names of findings about texts
_MISMATCH_NAME = "mismatch"
_TEXTS_NAME = "texts"
_COLUMN_NAMES = ("kind", "name", "count", "message", "cure")


@dataclass(frozen=True, slots=True, repr=False)
class ValidationReport(Framed):
    """The contents of data, with every problem that keeps `read` from reading them.

    Attributes
    ----------
    location, description : str
        The name of the data in messages, and the format.
    files : int
        Number of files that were read.
    problems : list of Problem
        The problems that keep `read` from reading the data, by file and line. If there is none, `read` succeeds.
    notes : list of str
        Every assumption made while reading.
    columns : UnitColumns or None
        The units without problems; ``None`` if the data cannot be read as units.
    findings : list of Finding
        Counts of properties that may be intended or a mistake.
    swapped : list of str
        Units whose bounds were swapped, as the files have them.
    outside : str
        The setting of this name.
    versions : Versions or None
        A column that is not read and tells repeated units apart.

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
    outside: str = "refuse"
    versions: Versions | None = None
    read_again: Callable[..., ValidationReport] | None = field(default=None, compare=False)

    def __repr__(self) -> str:
        counts = f"problems: {len(self.problems)}, findings: {len(self.findings)}, notes: {len(self.notes)}"
        return f"<{type(self).__name__} {self.location}, {counts}>"

    def fix(self, *names: str) -> Corpus:
        """Return the corpus of the same data after repairs; the data themselves stay as they are.

        Parameters
        ----------
        *names : str
            Names of repairs: ``swapped-bounds``, ``blanks``, ``spelling``, ``adjacency``, ``past-end``,
            ``zero-length``, ``duplicates``. They apply in this order.

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
        # Units past the end are cut after they are read, so they have to be read with extents that contain them.
        outside = "extend" if "past-end" in names else self.outside
        report = self if self.read_again is None else self.read_again(swap=SWAPPED in names, outside=outside)
        refuse([*report.problems])
        if report.columns is None:
            raise InputError(f"{self.location}: there are no units to repair")
        columns, _ = repaired(report.columns, names)
        return columns.corpus(outside=outside)

    def _n_rows(self) -> int:
        return len(self.problems) + len(self.findings)

    def _columns(self, limit: int | None = None) -> FrameColumns:
        """Return a row for each problem and each finding."""
        rows: list[tuple[str | int, ...]] = [("problem", "", 1, str(problem), "") for problem in self.problems]
        for finding in self.findings:
            cure = "" if finding.cure is None else finding.cure.render(PYTHON)
            rows.append(("finding", finding.name, finding.count, finding.message, cure))
        return {name: [row[index] for row in rows[:limit]] for index, name in enumerate(_COLUMN_NAMES)}

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
    format: str | None = None,
    annotator: str | None = None,
    document: str | None = None,
    layers: str | Iterable[str] | Mapping[str, str | None] | None = None,
    labels: str | Iterable[str] | Mapping[str, str | None] | None = None,
    positions: str | None = None,
    offsets: str | None = None,
    discontinuous: str | None = None,
    mismatch: str = "refuse",
    align_text: bool = False,
    repeated: str = "refuse",
    seen: str = "told",
    locate: float | None = None,
    encoding: str | None = None,
    outside: str = "refuse",
    columns: Mapping[str, str | None] | None = None,
    map: str | os.PathLike[str] | Mapping[str, object] | None = None,
    na: Sequence[str] = (),
    header: bool | str = "auto",
    annotations: str | os.PathLike[str] | None = None,
    documents: str | os.PathLike[str] | None = None,
    texts: str | os.PathLike[str] | Mapping[str, str | None] | None = None,
    options: Mapping[str, object] | None = None,
) -> ValidationReport:
    """Return the contents of data, with every problem that keeps `read` from reading them.

    The source and all keyword arguments except `swap` are as in `read`.

    Parameters
    ----------
    swap : bool
        Swap the bounds of units that end before they start.

    Raises
    ------
    InputError, SettingsError, MissingExtraError
        As `read`, for a path without files and for files whose format is unknown.

    Examples
    --------
    >>> import gamma_align as ga
    >>> report = ga.validate("corpora/pygamma/AlexPaulSuzan.csv")
    >>> len(report.columns), report.problems
    (16, [])
    >>> {finding.name: finding.count for finding in report.findings if finding.count}
    {}
    """
    settings = dict(locals())  # all keyword arguments
    for name in ("source", "swap", "outside"):
        del settings[name]
    if is_path(source):
        contents = contents_at(source, swap=swap, outside=outside, **settings)
    else:
        check_in_memory(settings, read.__kwdefaults__ or {})
        contents = contents_in_memory(source, "validate", swap=swap, columns=columns, outside=outside, texts=texts)
    units = _unit_columns(contents)
    notes: list[str] = []
    for note in contents.notes:
        notes += note.notes if isinstance(note, NoteGroup) else [note]
    # Extents are derived from the units, so their notes hold only if all units are valid.
    if contents.checked is not None and not contents.problems:
        notes += contents.checked.extents.notes
    return ValidationReport(
        contents.location,
        contents.description,
        contents.files,
        contents.sorted_problems(),
        notes,
        units,
        [*_text_findings(contents), *([] if units is None else findings(units, contents.versions))],
        contents.swapped,
        outside,
        contents.versions,
        partial(validate, source, **settings),
    )


def joined(reports: Mapping[str, ValidationReport], location: str) -> ValidationReport:
    """Return the report on several paths as one corpus with the name `location`; the keys are the paths."""
    all_reports = [*reports.values()]
    columns_by_path = {path: report.columns for path, report in reports.items() if report.columns is not None}
    columns = UnitColumns.merge([*columns_by_path.values()]) if columns_by_path else None
    versions = next((report.versions for report in all_reports if report.versions is not None), None)
    unit_findings = [] if columns is None else findings(columns, versions)
    return ValidationReport(
        location,
        " and ".join(dict.fromkeys(report.description for report in all_reports)),
        sum(report.files for report in all_reports),
        [*_problems_between(columns_by_path), *chain.from_iterable(report.problems for report in all_reports)],
        [*chain.from_iterable(report.notes for report in all_reports)],
        columns,
        [*_joined_text_findings(all_reports), *unit_findings],
        [*chain.from_iterable(report.swapped for report in all_reports)],
        all_reports[0].outside,
        versions,
    )


def _joined_text_findings(reports: Iterable[ValidationReport]) -> list[Finding]:
    """Return the sums of the findings about texts."""
    totals: dict[str, Finding] = {}
    for finding in chain.from_iterable(report.findings for report in reports):
        if finding.name in (_MISMATCH_NAME, _TEXTS_NAME):
            total = totals.get(finding.name, replace(finding, count=0, places=()))
            places = (*total.places, *finding.places)[:MAX_PLACES]
            totals[finding.name] = replace(total, count=total.count + finding.count, places=places)
    return [*totals.values()]


def _problems_between(columns_by_path: Mapping[str, UnitColumns]) -> Iterator[Problem]:
    """Yield the problems that keep the units of several paths from being one corpus."""
    in_two_paths = in_two(_annotations(columns_by_path))
    if in_two_paths is not None:
        yield in_two_paths
    path_of_unit: dict[str | None, str] = {}
    first_texts: dict[str, tuple[str, str]] = {}
    for path, columns in columns_by_path.items():
        path_of_unit.setdefault(columns.length_unit, path)
        for name, text in columns.texts.items():
            first_path, first_text = first_texts.setdefault(name, (path, text))
            if first_text != text:
                location = Location(f"{first_path} and {path}")
                yield Problem(location, f"the text of document {name!r} differs", Cure("give it one"))
    if len(path_of_unit) > 1:
        (unit, path), (other_unit, other_path), *_ = path_of_unit.items()
        cause = f"bounds count {unit} in one corpus and {other_unit} in the other"
        yield Problem(Location(f"{path} and {other_path}"), cause, Cure("validate each by itself"))


def _annotations(columns_by_path: Mapping[str, UnitColumns]) -> Iterator[tuple[str, str, str]]:
    """Yield path, document and annotator of each annotation."""
    for path, columns in columns_by_path.items():
        for document, annotator in columns.seen.tolist():
            yield path, columns.documents[document], columns.annotators[annotator]


def _text_findings(contents: Contents) -> Iterator[Finding]:
    """Yield the findings about texts, if the data contain texts."""
    if contents.mismatches is not None:
        message = "units that do not cover the text that the file says"
        yield _finding_of_problems(_MISMATCH_NAME, message, contents.mismatches, "unit")
    if contents.differences is not None:
        message = "annotators whose text of a document differs from the first one's"
        yield _finding_of_problems(_TEXTS_NAME, message, contents.differences, "annotator")


def _finding_of_problems(name: str, message: str, problems: list[Problem], noun: str) -> Finding:
    """Return problems as a finding with the first few of them."""
    return Finding(name, message, len(problems), tuple(map(str, problems[:MAX_PLACES])), noun=noun)


def _unit_columns(contents: Contents) -> UnitColumns | None:
    """Return the units without problems as columns."""
    checked = contents.checked
    if checked is None:
        return None
    rows = checked.rows
    category = checked.category
    good_rows = np.flatnonzero(rows.is_valid)
    labels = tuple(dict.fromkeys(category.labels))  # two categories may be read as one
    code = {label: index for index, label in enumerate(labels)}
    new_code = np.array([*(code[label] for label in category.labels), UNLABELLED], dtype=np.int64)
    n_annotators = max(len(rows.annotators), 1)
    return UnitColumns(
        documents=rows.documents,
        annotators=rows.annotators,
        layers=contents.layers,
        labels=labels,
        document=rows.document[good_rows],
        annotator=rows.annotator[good_rows],
        layer=contents.layer[good_rows],
        label=new_code[category.codes[good_rows]],
        start=rows.start[good_rows],
        end=rows.end[good_rows],
        row=good_rows,
        locate=rows.table.location,
        seen=np.stack([checked.seen // n_annotators, checked.seen % n_annotators], axis=1),
        extents=checked.extents.declared,
        length_unit=checked.length_unit,
        texts=contents.texts,
    )
