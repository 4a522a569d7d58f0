"""All that is wrong with the files at a path, and the units that are right: reading that goes on where `read` stops."""

from __future__ import annotations

import os
import re
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gamma_align._types import UNLABELLED
from gamma_align.data.problem import Place, Problem, line_of
from gamma_align.errors import InputError
from gamma_align.io.marks.assemble import documents_table, join_parts, map_labels
from gamma_align.io.marks.choices import choices
from gamma_align.io.marks.gather import gathered, marks_in
from gamma_align.io.marks.textual import placed_on_texts
from gamma_align.io.reading import How, files_meant, read
from gamma_align.io.tables import registry
from gamma_align.io.tables.table_choices import check_choices, is_asked, marks_of_tables, more_columns
from gamma_align.io.tables.table_options import Options
from gamma_align.validation.columns import Columns
from gamma_align.validation.findings import SHOWN, Finding, findings
from gamma_align.validation.findings import outside as outside_extent
from gamma_align.validation.survey import Survey
from gamma_align.validation.survey_tables import problem_of, table_survey
from gamma_align.validation.text_checks import TextFaults, own_texts, text_faults

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from gamma_align._types import FloatArray, IntArray
    from gamma_align.data.tables import Table
    from gamma_align.io.marks.choices import Choices
    from gamma_align.io.marks.gather import Gathered
    from gamma_align.io.marks.marks import Marks
    from gamma_align.io.places.layout import Layout, Placed

_TABLES = frozenset({"format", "columns", "outside"})
"""What `read` takes beside the choices."""


def survey(path: str | os.PathLike[str], *, swapped: bool = False, **settings: Any) -> Survey:  # noqa: ANN401
    """Look at the files at a path.

    Parameters
    ----------
    path : path
        As in `read`.
    swapped : bool
        Take units that end before they start with their bounds swapped.
    **settings
        As in `read`.

    Raises
    ------
    InputError
        For a path where there is nothing, or files of which nothing says the format.
    SettingsError, MissingExtraError
        As `read`.
    """
    how = How(dict(settings.get("columns") or {}), "auto", None, None, settings.get("discontinuous") is not None)
    chosen = choices(**{name: value for name, value in settings.items() if name not in _TABLES})
    layout, chosen = files_meant(path, settings.get("format"), how, chosen)
    if layout is None:
        found = _of_tables(Path(path), settings, how, chosen, swapped=swapped)
    else:
        place, outside = Path(path).name or str(path), settings.get("outside", "refuse")
        found = _of_files(layout, chosen, place, swapped=swapped, outside=outside)
    if found.columns is not None:
        found.findings += findings(found.columns)
    found.problems = sorted((each._replace(where=line_of(each.where)) for each in found.problems), key=_by_place)
    return found


def _by_place(problem: Problem) -> tuple[str, int]:
    digits = re.search(r"\d{1,18}", str(problem.where or ""))
    return problem.file, int(digits.group()) if digits else 0


def _of_files(layout: Layout, chosen: Choices, place: str, *, swapped: bool, outside: str) -> Survey:
    found = Survey(place, layout.fmt.description, len(layout.files), notes=list(layout.notes))
    said: list[tuple[Placed, Marks]] = []
    for placed in layout.files:
        try:
            said += [(placed, marks) for marks in marks_in(layout, placed, chosen)]
        except InputError as error:
            found.problems.append(problem_of(error, placed.source.name))
    for _, marks in said:
        if swapped:
            found.swapped += map(str, marks.swap_bounds())
        found.problems += marks.problems
    units = _gathered(found, said, chosen)
    if units is not None:
        found.columns = _columns(found, units, chosen)
        found.problems += outside_problems(found.columns) if outside == "refuse" else []
        found.notes += units.notes
        if not found.problems:
            _make(found, found.columns, outside)
    return found


def _make(found: Survey, columns: Columns, outside: str) -> None:
    """See whether the units make a corpus; if they do, it has notes of its own."""
    with _telling(found):
        if not columns.documents:
            raise InputError(f"{found.place}: no annotations in it; there is nothing to measure")
        found.notes[:] = columns.corpus(outside=outside, place=found.place, notes=tuple(found.notes)).notes


@contextmanager
def _telling(found: Survey) -> Iterator[None]:
    """Make a problem of an error."""
    try:
        yield
    except InputError as error:
        problem = problem_of(error, found.place)
        if problem not in found.problems:
            found.problems.append(problem)


def _gathered(found: Survey, said: list[tuple[Placed, Marks]], chosen: Choices) -> Gathered | None:
    """Return the units of the layers asked for, those of all layers where that cannot be done."""
    for attempt in (chosen, replace(chosen, layers={"*": None})):
        with _telling(found):
            return gathered(said, attempt, found.place)
    return None


def _columns(found: Survey, units: Gathered, chosen: Choices) -> Columns:
    with _telling(found):
        map_labels(units, chosen)
    texts = _texts(found, units, chosen)
    with _telling(found):
        join_parts(units, chosen)
    documents = tuple(sorted({owner.document for owner in units.owners}))
    extents, length_unit = np.full((len(documents), 2), np.nan), None
    with _telling(found):
        table = documents_table(units, list(documents), texts, chosen, found.place).columns
        extents = np.array([table["start"], table["end"]], dtype=np.float64).T
        length_unit = next(iter(table["unit"]), None)
    return gathered_columns(units, documents, extents, length_unit, texts)


def _texts(found: Survey, units: Gathered, chosen: Choices) -> dict[str, str]:
    """Bring the units onto their texts, or tell what keeps them from it; return the text of each document."""
    start, end = units.start.copy(), units.end.copy()
    faults = text_faults(units, chosen)
    own = own_texts(units)
    if own or faults.differences:
        found.findings += _text_findings(faults)
    refused = [
        *faults.offsets,
        *(faults.mismatches if chosen.mismatch == "refuse" else []),
        *([] if chosen.align_text else faults.differences),
    ]
    found.problems += refused
    if not refused:
        units.start, units.end = start, end
        with _telling(found):
            return placed_on_texts(units, chosen)
    longest: dict[str, str] = {}
    for owner, text in own.items():  # no unit is past the end of its own text for being in a longer one
        document = units.owners[owner].document
        longest[document] = max(longest.get(document, ""), text, key=len)
    return longest


def _text_findings(faults: TextFaults) -> list[Finding]:
    told = (
        ("mismatch", "units that do not cover the text that the file says", faults.mismatches, "unit"),
        ("texts", "annotators whose text of a document differs from the first one's", faults.differences, "annotator"),
    )
    return [
        Finding(name, what, len(problems), tuple(map(str, problems[:SHOWN])), "", noun)
        for name, what, problems, noun in told
    ]


def gathered_columns(
    units: Gathered,
    documents: tuple[str, ...],
    extents: FloatArray,
    length_unit: str | None,
    texts: Mapping[str, str],
) -> Columns:
    """Return units of files as columns."""
    annotators = tuple(sorted({owner.annotator for owner in units.owners}))
    document_code, annotator_code = ({name: at for at, name in enumerate(names)} for names in (documents, annotators))
    seen = np.array(
        [(document_code[owner.document], annotator_code[owner.annotator]) for owner in units.owners], dtype=np.int64
    ).reshape(-1, 2)
    layers, layer = _layers(units)
    labels = tuple(dict.fromkeys(label for label in units.labels if label is not None))
    label_code: dict[str | None, int] = {None: UNLABELLED} | {label: at for at, label in enumerate(labels)}
    recoded = np.array([label_code[label] for label in units.labels], dtype=np.int64)  # two may be read as one
    files, index = units.file, units.index

    def placed(row: int) -> Place:
        marks = units.marks[int(files[row])]
        return Place(marks.file, line_of(marks.where[int(index[row])]))

    return Columns(
        documents=documents,
        annotators=annotators,
        layers=layers,
        labels=labels,
        document=seen[units.owner, 0],
        annotator=seen[units.owner, 1],
        layer=layer,
        label=recoded[units.label],
        start=units.start,
        end=units.end,
        row=np.arange(len(units.start)),
        placed=placed,
        seen=np.unique(seen, axis=0),
        extents=extents,
        length_unit=length_unit,
        texts=texts,
    )


def _layers(units: Gathered) -> tuple[tuple[str, ...], IntArray]:
    """Return the names of layers, and the code of each unit's."""
    code: dict[str, int] = {}
    found = np.zeros(len(units.start), dtype=np.int64)
    edges = np.searchsorted(units.file, np.arange(len(units.marks) + 1)).tolist()
    for marks, first, after in zip(units.marks, edges[:-1], edges[1:], strict=True):
        if first < after:
            of_key = np.array([code.setdefault(key.layer or "", len(code)) for key in marks.keys], dtype=np.int64)
            found[first:after] = of_key[np.asarray(marks.key, dtype=np.int64)[units.index[first:after]]]
    return tuple(code), found


def outside_problems(columns: Columns) -> list[Problem]:
    """Return a problem for each unit outside the extent of its document."""
    found = []
    for unit in np.flatnonzero(outside_extent(columns)).tolist():
        low, high = columns.extents[columns.document[unit]].tolist()
        file, where = columns.place(unit)
        what = (
            f"document {columns.documents[columns.document[unit]]!r}, annotator "
            f"{columns.annotators[columns.annotator[unit]]!r}: unit [{columns.start[unit]:.15g}, "
            f"{columns.end[unit]:.15g}] is outside the extent [{low:.15g}, {high:.15g}]"
        )
        cure = "correct it, take such units as they are (--outside extend), or cut them there (--fix past-end)"
        found.append(Problem(file, where, f"{what}; {cure}"))
    return found


def _of_tables(path: Path, settings: dict[str, Any], how: How, chosen: Choices, *, swapped: bool) -> Survey:
    files = _table_files(path, settings.get("format"))
    if "units" not in files or (registry.by_suffix(files["units"]) is None and settings.get("format") is None):
        read(path, **settings)  # says what is missing
    check_choices(chosen, files["units"].name)
    more = more_columns(chosen, how.columns, parts=how.parts)
    options = Options(how.columns, how.header, chosen.encoding, more)
    named = chosen.annotator is not None
    rows = table_survey(files, options, settings.get("format"), swapped=swapped, named=named)
    found = Survey(path.name or str(path), rows.told, rows.files, rows.problems, rows.notes, rows.columns)
    found.swapped = rows.swapped
    outside = settings.get("outside", "refuse")
    if not found.problems and is_asked(chosen, more):
        _choose(found, rows.tables, how, chosen, more, path=files["units"])
    if found.columns is not None and outside == "refuse":
        found.problems += outside_problems(found.columns)
    if not found.problems and not found.swapped:
        with _telling(found):
            found.notes[:] = read(path, **settings).notes
    return found


def _choose(
    found: Survey, tables: Mapping[str, Table], how: How, chosen: Choices, more: tuple[str, ...], *, path: Path
) -> None:
    """Put what is chosen of the tables in the place of all of them."""
    found.columns = None
    with _telling(found):
        placed, marks, notes = marks_of_tables(tables, how.columns, path=path, more=more, outside="extend")
        found.notes += notes
        units = _gathered(found, [(placed, marks)], chosen)
        if units is not None:
            found.columns = _columns(found, units, chosen)
            found.notes += units.notes


def _table_files(path: Path, name: str | None) -> dict[str, Path]:
    """Return the tables at a path: of units alone, or those of a folder."""
    if not path.is_dir():
        return {"units": path}
    formats = registry.FORMATS.values() if name is None else (registry.by_name(name),)
    names = {kind: [path / f"{kind}{fmt.suffix}" for fmt in formats] for kind in registry.KINDS}
    return {kind: file for kind, files in names.items() for file in files if os.path.isfile(file)}  # noqa: PTH113
