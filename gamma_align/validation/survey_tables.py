"""Tables row by row: each row that is wrong is a problem, and the others are looked at."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from gamma_align.data.extents import declared_extents
from gamma_align.data.problem import Place, Problem, line_of
from gamma_align.data.tables import KNOWN, Coded, Table, factorized, known_columns, merged, numbers
from gamma_align.errors import InputError
from gamma_align.io.files.sources import decoded
from gamma_align.io.tables import registry
from gamma_align.io.tables.csv_tables import PYGAMMA, is_headerless
from gamma_align.io.tables.table_marks import LAYER, PART
from gamma_align.validation.columns import Columns

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from gamma_align._types import BoolArray, FloatArray, IntArray
    from gamma_align.io.tables.table_options import Options

_DELIMITERS = {"csv": ",", "tsv": "\t"}
_REQUIRED = {
    "units": ("annotator", "start", "end"),
    "annotations": ("document", "annotator"),
    "documents": ("document",),
}


def problem_of(error: InputError, name: str) -> Problem:
    """Return an error as the problem of a file, the line apart where the message has it."""
    message = str(error)
    fits = re.match(re.escape(name) + r"(?:, (?:line (\d+)|(row \d+)))?: ", message)
    if fits is None:
        return Problem(name, None, message)
    line, row = fits.groups()
    return Problem(name, int(line) if line else row, message[fits.end() :])


@dataclass(slots=True)
class TableSurvey:
    """What tables have: format, number of files, what is wrong, the rows of units that are right, those swapped."""

    told: str
    files: int
    problems: list[Problem] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    columns: Columns | None = None
    swapped: list[str] = field(default_factory=list)
    tables: dict[str, Table] = field(default_factory=dict)


def table_survey(
    files: Mapping[str, Path], options: Options, name: str | None, *, swapped: bool, named: bool = False
) -> TableSurvey:
    """Look at the rows of tables.

    Parameters
    ----------
    files : mapping of str to Path
        "units", and "annotations" and "documents" where there are.
    options : Options
        How to read them.
    name : str or None
        Of the format, where it is not that of the suffix.
    swapped : bool
        Take units that end before they start with their bounds swapped.
    named : bool
        Whether the annotator is named otherwise, and the units need no column for it.
    """
    fmt = _format(files["units"], "units", name)
    told = fmt.description.partition(",")[0]  # the notes tell whether there is a header
    found = TableSurvey(told, len(files))
    known: dict[str, Table] = {}
    for kind, file in files.items():
        table = _table(file, kind, options, _format(file, kind, name), found)
        if table is None:
            continue
        found.tables[kind] = table
        theirs = options.columns.get("annotator", "annotator")
        if named and kind == "units" and theirs not in table.columns:
            table = table.with_column(theirs, _one(theirs, _rows_of(table)))
        try:
            known[kind] = known_columns(table, _renamed(options), required=_REQUIRED[kind])
        except InputError as error:
            found.problems.append(problem_of(error, file.name))
    if len(known) == len(files):
        rows = _Rows(known, found.problems, files["units"].stem, found.swapped if swapped else None)
        found.columns = rows.columns()
        if found.swapped:
            found.tables["units"] = _with_bounds(found.tables["units"], options, rows.start, rows.end)
    return found


def _format(file: Path, kind: str, name: str | None) -> registry.Format:
    """Return the format of a table; the name is that of the units, and of files that say none."""
    fmt = registry.by_suffix(file)
    return registry.by_name(name or "") if fmt is None or (name is not None and kind == "units") else fmt


def _renamed(options: Options) -> dict[str, str] | None:
    return {ours: theirs for ours, theirs in options.columns.items() if ours not in (LAYER, PART)} or None


def _with_bounds(table: Table, options: Options, start: FloatArray, end: FloatArray) -> Table:
    for name, values in (("start", start), ("end", end)):
        table = table.with_column(options.columns.get(name, name), values)
    return table


def _table(file: Path, kind: str, options: Options, fmt: registry.Format, found: TableSurvey) -> Table | None:
    """Return a table, or what rows it has where it cannot be read as a whole."""
    try:
        table, notes = fmt.read(file, kind, options)
    except InputError as error:
        loose, problems = _loose(file, kind, options, _DELIMITERS.get(fmt.name))
        found.problems += problems if loose is not None else [problem_of(error, file.name)]
        return loose
    found.notes += notes
    return table


def _loose(file: Path, kind: str, options: Options, delimiter: str | None) -> tuple[Table | None, list[Problem]]:
    """Return the rows of a delimited file that have as many cells as the first, and a problem for each other one."""
    if delimiter is None:
        return None, []
    try:
        text = decoded(file.read_bytes(), file.name, options.encoding)
    except InputError:
        return None, []
    rows: list[list[str]] = []
    lines: list[int] = []
    problems: list[Problem] = []
    reader, line = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True), 1
    try:
        for row in reader:
            if rows and len(row) != len(rows[0]) and "".join(row).strip():
                what = f"{len(row)} fields, but the first row has {len(rows[0])}; quote cells with delimiters in them"
                problems.append(Problem(file.name, line, what))
            elif "".join(row).strip():
                rows.append(row)
                lines.append(line)
            line = reader.line_num + 1
    except csv.Error as error:
        cure = "a quoted cell ends with a quote, and a quote within it is doubled; what follows was not looked at"
        problems.append(Problem(file.name, line, f"{error}; {cure}"))
    if not rows:
        return None, []
    headed = kind != "units" or not is_headerless(rows[0], frozenset(options.columns.values()))
    names = [name.strip() for name in rows[0]] if headed else list(PYGAMMA)
    first = int(headed)
    ours = {options.columns.get(name, name) for name in KNOWN[kind]}
    if len(names) != len(rows[0]) or any(names.count(name) > 1 for name in ours):
        return None, []
    columns = {name: [row[at] for row in rows[first:]] for at, name in enumerate(names)}
    return Table(columns, kind, file.name, lambda row: f"line {lines[row + first]}"), problems


class _Rows:
    """The rows of units that are right, and a problem for each that is not."""

    def __init__(
        self, tables: Mapping[str, Table], problems: list[Problem], stem: str, swapped: list[str] | None
    ) -> None:
        self._units = tables["units"]
        self._annotations = tables.get("annotations")
        self._documents = tables.get("documents")
        self._problems = problems
        self._stem = stem
        self.swapped = swapped
        self.start = self.end = np.empty(0)

    def columns(self) -> Columns | None:
        """Return them, ``None`` where a whole column is wrong."""
        start, good_start = self._bounds("start")
        end, good_end = self._bounds("end")
        good = good_start & good_end
        start, end, ordered = self._ordered(start, end, good)
        self.start, self.end = start, end
        good &= ordered
        try:
            return self._coded(start, end, good)
        except InputError as error:
            self._problems.append(problem_of(error, self._units.place))
            return None

    def _coded(self, start: FloatArray, end: FloatArray, good: BoolArray) -> Columns:
        units, seen, listed = self._units, self._annotations, self._documents
        document = self._names(units, "document") if "document" in units.columns else _one(self._stem, len(units))
        annotator = self._names(units, "annotator")
        nothing = Coded(np.empty(0, dtype=np.int64), ())
        others = [nothing if table is None else self._names(table, "document") for table in (seen, listed)]
        documents, (unit_document, seen_document, list_document) = merged(document, *others)
        people, (unit_annotator, seen_annotator) = merged(
            annotator, nothing if seen is None else self._names(seen, "annotator")
        )
        pair = unit_document * len(people) + unit_annotator
        good &= (unit_document >= 0) & (unit_annotator >= 0)
        pairs = pair[good]
        if seen is not None:
            declared = seen_document * len(people) + seen_annotator
            pairs = np.unique(declared[(seen_document >= 0) & (seen_annotator >= 0)])
            strange = good & ~np.isin(pair, pairs)
            self._tell(units, strange, "the annotator is not declared for the document in " + seen.place)
            good &= ~strange
        extents, length_unit = np.full((len(documents), 2), np.nan), None
        if listed is not None:
            extents, length_unit = self._listed(listed, list_document, len(documents))
            told = "the document is not listed in " + listed.place
            self._tell(units, good & ~np.isin(unit_document, list_document), told)
            good &= np.isin(unit_document, list_document)
            if seen is not None:
                self._tell(seen, (seen_document >= 0) & ~np.isin(seen_document, list_document), told)
        label = factorized(units, "category", nullable=True) if "category" in units.columns else None
        keep = np.flatnonzero(good)
        pairs = np.unique(pairs)
        return Columns(
            documents=documents,
            annotators=people,
            layers=("",),
            labels=() if label is None else tuple(label.labels),
            document=unit_document[keep],
            annotator=unit_annotator[keep],
            layer=np.zeros(len(keep), dtype=np.int64),
            label=np.full(len(keep), -1) if label is None else np.asarray(label.codes, dtype=np.int64)[keep],
            start=start[keep],
            end=end[keep],
            row=keep,
            placed=_placer(units),
            seen=np.stack([pairs // max(len(people), 1), pairs % max(len(people), 1)], axis=1),
            extents=extents,
            length_unit=length_unit,
        )

    def _bounds(self, name: str) -> tuple[FloatArray, BoolArray]:
        """Return a column of bounds and where it is right."""
        table = self._units
        try:
            values = numbers(table, name)
        except InputError:
            values = np.array([self._bound(name, row) for row in range(len(table))])
            return np.nan_to_num(values), np.isfinite(values)
        good = np.isfinite(values)
        for row in np.flatnonzero(~good).tolist():
            what = "missing (or NaN)" if np.isnan(values[row]) else str(values[row])
            self._add(table, row, f"{name} is {what}; a bound is a finite number")
        return np.where(good, values, 0.0), good

    def _bound(self, name: str, row: int) -> float:
        table, value = self._units, self._units.columns[name][row]
        one = Table({name: [value]}, table.kind, table.place, lambda _: table.row_name(row))
        try:
            found = float(numbers(one, name)[0])
        except InputError as error:
            self._problems.append(problem_of(error, table.place))
            return float("nan")
        if not np.isfinite(found):
            self._add(table, row, f"{name} is {found}; a bound is a finite number")
        return found if np.isfinite(found) else float("nan")

    def _ordered(self, start: FloatArray, end: FloatArray, good: BoolArray) -> tuple[FloatArray, FloatArray, BoolArray]:
        """Return the bounds, swapped where that is asked for, and which are in order."""
        for row in np.flatnonzero(good & (end < start)).tolist():
            what = f"the unit ends at {end[row]:.15g}, before its start {start[row]:.15g}"
            if self.swapped is None:
                self._add(self._units, row, f"{what}; correct it, or swap the bounds (--fix swapped-bounds)")
            else:
                self.swapped.append(f"{_placer(self._units)(row)}: {what}")
        if self.swapped is None:
            return start, end, end >= start
        return np.minimum(start, end), np.maximum(start, end), np.ones(len(start), dtype=np.bool_)

    def _names(self, table: Table, name: str) -> Coded:
        """Return names coded, -1 where there is none."""
        coded = factorized(table, name, nullable=True)
        void = np.array([*(not label.strip() for label in coded.labels), True])
        codes = np.asarray(coded.codes, dtype=np.int64)
        for row in np.flatnonzero(void[codes]).tolist():
            what = "missing" if codes[row] < 0 else "empty"
            self._add(table, row, f"the {name} is {what}; every row of {table.kind} needs one")
        return Coded(np.where(void[codes], -1, codes), coded.labels)

    def _listed(self, table: Table, document: IntArray, n_documents: int) -> tuple[FloatArray, str | None]:
        extents = np.full((n_documents, 2), np.nan)
        again = np.ones(len(document), dtype=np.bool_)
        again[np.unique(document, return_index=True)[1]] = False
        for row in np.flatnonzero(again & (document >= 0)).tolist():
            self._add(table, row, "the document is listed twice; keep one row for each document")
        try:
            declared, unit = declared_extents(table)
        except InputError as error:
            self._problems.append(problem_of(error, table.place))
            return extents, None
        once = np.flatnonzero(~again & (document >= 0))
        extents[document[once]] = declared[once]
        return extents, unit

    def _tell(self, table: Table, rows: BoolArray, what: str) -> None:
        for row in np.flatnonzero(rows).tolist():
            self._add(table, row, f"{what}; declare it there or correct the name")

    def _add(self, table: Table, row: int, what: str) -> None:
        file, where = _placer(table)(row)
        self._problems.append(Problem(file, where, what))


def _placer(table: Table) -> Callable[[int], Place]:
    def placed(row: int) -> Place:
        return Place(table.place, line_of(table.row_name(row)))

    return placed


def _rows_of(table: Table) -> int:
    """Return the number of rows; columns that nobody reads have none."""
    return max(
        (len(values.codes if isinstance(values, Coded) else values) for values in table.columns.values()), default=0
    )


def _one(name: str, count: int) -> Coded:
    return Coded(np.zeros(count, dtype=np.int64), (name,))
