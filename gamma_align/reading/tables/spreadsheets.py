"""Spreadsheets: the sheets of a workbook as tables of units (.xlsx, .xls, .ods).

Conventions
-----------
* Each sheet is read as a CSV file with the same cells; rows above the names of columns are a title. Sheets without
  columns of start and end, such as a list of codes, are left out, with a note.
* If the columns name annotators and documents, all sheets are one table.
* If they name documents alone, and sheets have documents in common, each sheet is an annotator, with a note.
* Otherwise several sheets may be annotators or documents: ``annotator="{layer}"`` or ``document="{layer}"`` says which;
  the layer is the sheet.
* A sheet in a layout of a program that writes tables (`gamma_align.reading.formats.declared`) is read as such.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from gamma_align.data import few, has_bounds, usual
from gamma_align.errors import Call, Cure, GammaAlignError, Location, OpenRoleError, Set, UnknownMeaningError
from gamma_align.reading.files.sources import Source
from gamma_align.reading.files.workbooks import SUFFIXES, Sheet, is_workbook, sheets
from gamma_align.reading.formats import Choices, FileFormat, Head, Marks
from gamma_align.reading.formats.declared import marks_of_declaration
from gamma_align.reading.intake.declarations import declaration_of
from gamma_align.reading.tables.table_formats import FORMAT_OPTIONS, header_of, marks_in


@dataclass(frozen=True, slots=True)
class _Workbooks(FileFormat):
    """The format of workbooks: the columns of the sheets tell whether a file names annotators and documents."""

    def declared(self, head: Head) -> tuple[str, ...]:
        """Return the roles among "annotator" and "document" that the file names."""
        if head.opened is None:
            return ()
        try:
            with head.opened() as file:
                tables, _ = _tables(sheets(file.read(), head.name), ())
        except (GammaAlignError, OSError):
            return ()  # reading it reports the problem
        roles = [role for role in ("annotator", "document") if tables and _all_name(tables, role)]
        return ("annotator", "document") if _are_annotators(tables) else tuple(roles)


def _read(source: Source, choices: Choices) -> Iterable[Marks]:
    columns = choices.options.get("columns") or {}
    tables, others = _tables(sheets(source.data(), source.name), [name for name in columns.values() if name])
    if not tables:
        raise UnknownMeaningError(
            "no sheet has columns of start and end",
            Cure(
                "name them with {}, or measure judgments of items with {}",
                Set("columns"),
                Call("item_agreement", "items"),
            ),
            Location(source.name),
        )
    names_both = _all_name(tables, "annotator") and _all_name(tables, "document")
    are_annotators = _are_annotators(tables)
    if len(tables) > 1 and not (names_both or are_annotators or choices.layers is not None or choices.by_layer):
        raise OpenRoleError(
            f"{len(tables)} sheets have units, and may be annotators or documents: "
            f"{few(repr(sheet.title) for sheet in tables)}",
            Cure(
                "if they are annotators, use {}, and if they are documents, {}",
                Set("annotator", "{layer}"),
                Set("document", "{layer}"),
            ),
            Location(source.name),
        )
    all_marks = []
    for sheet in tables:
        declaration = declaration_of(sheet.head)
        marks_of_sheet = (
            marks_in(sheet, "csv", choices)
            if declaration is None
            else [marks_of_declaration(declaration, sheet, choices)]
        )
        for marks in marks_of_sheet:
            if are_annotators:
                marks.add_names(annotator=sheet.title)
            elif len(tables) > 1 and not names_both:
                marks.add_names(layer=sheet.title)
            else:
                marks.file = source.name
            all_marks.append(marks)
    if are_annotators:
        all_marks[0].note("each sheet is taken for an annotator")
    if others:
        all_marks[0].note(
            f"sheets without columns of start and end are left out: {few(repr(sheet.title) for sheet in others)}"
        )
    return all_marks


def _tables(all_sheets: Sequence[Sheet], names: Sequence[str]) -> tuple[list[Sheet], list[Sheet]]:
    """Return the sheets with units, which have columns of start and end or those with these names, and the others."""
    tables: list[Sheet] = []
    others: list[Sheet] = []
    for sheet in all_sheets:
        header = header_of(sheet.head, ",")
        is_table = set(names) <= set(header) if names else has_bounds(header) or declaration_of(sheet.head) is not None
        (tables if is_table else others).append(sheet)
    return tables, others


def _all_name(tables: Sequence[Sheet], role: str) -> bool:
    return all(usual(header_of(sheet.head, ","), role) for sheet in tables)


def _are_annotators(tables: Sequence[Sheet]) -> bool:
    """Return whether sheets can only be annotators: without columns of annotators, they have documents in common."""
    if len(tables) < 2 or any(usual(header_of(sheet.head, ","), "annotator") for sheet in tables):  # noqa: PLR2004
        return False
    documents = [_documents(sheet) for sheet in tables]
    return all(documents) and bool(set.intersection(*documents))


def _documents(sheet: Sheet) -> set[str]:
    """Return the names in the only column of documents, none if there is no such column."""
    import csv

    header = header_of(sheet.head, ",")
    columns = usual(header, "document")
    if len(columns) != 1:
        return set()
    at = header.index(columns[0])
    rows = csv.reader(line for line in sheet.text().splitlines() if line.strip())
    next(rows)
    return {row[at] for row in rows if len(row) > at and row[at]}


FORMAT = _Workbooks(
    "spreadsheet",
    f"spreadsheets ({', '.join(SUFFIXES[:3])})",
    SUFFIXES,
    is_workbook,
    _read,
    declares=("annotator",),
    extra="spreadsheets",
    options=FORMAT_OPTIONS,
)
