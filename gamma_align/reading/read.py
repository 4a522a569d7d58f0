"""From a path to a corpus: a table or a folder of tables, or the files of an annotation tool."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gamma_align.data.build import CheckedTables, check_tables
from gamma_align.data.column_names import ROLES
from gamma_align.data.corpus import Corpus
from gamma_align.data.problem import few
from gamma_align.data.sources import Source, corpus_of, is_path
from gamma_align.data.tables import KNOWN, Coded, Table, known_columns
from gamma_align.errors import Call, Cure, Entry, InputError, Location, Note, Set, SettingsError
from gamma_align.options import takes_options
from gamma_align.reading import formats
from gamma_align.reading.contents import Contents
from gamma_align.reading.files.sources import Source as FileSource
from gamma_align.reading.marks.choices import Choices, choices
from gamma_align.reading.marks.marks import Marks
from gamma_align.reading.options import OUTSIDE, READING_OPTIONS
from gamma_align.reading.places.walk import walked
from gamma_align.reading.tables import table_formats
from gamma_align.reading.tables.columns import LAYER, PART, TableOptions, extra_columns, refuse_tags
from gamma_align.reading.tables.table_formats import TEXTS, check_choices, declare, marks_of_table

if TYPE_CHECKING:  # a table needs none of it, and a small one is read in less time than these are imported
    from gamma_align.reading.places.layout import Layout, Placed


@takes_options((*READING_OPTIONS, OUTSIDE))
def read(
    source: Source,
    /,
    *,
    format: str | None = None,  # noqa: A002  (the word users know)
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
    encoding: str | None = None,
    outside: str = "refuse",
    columns: Mapping[str, str | None] | None = None,
    header: bool | str = "auto",
    annotations: str | os.PathLike[str] | None = None,
    documents: str | os.PathLike[str] | None = None,
    texts: str | os.PathLike[str] | None = None,
    options: Mapping[str, object] | None = None,
) -> Corpus:
    """Return the corpus in a file, a folder, the files that fit a template, or in memory.

    Parameters
    ----------
    source : path, data frame, records, dict of annotator to spans, Corpus or Continuum
        Data in memory, of which `columns` and `outside` can be set, or a path: a folder with ``units.parquet`` (or
        .csv, .tsv) and, where there are, ``annotations`` and ``documents`` beside it; one file of units (without a
        column ``document`` it is one document, named by its stem); a file or a folder of an annotation tool; or a
        template, ``"{annotator}/{document}.ann"``, in which ``{_}`` is any name, ``*`` anything within one and ``**``
        any folders.
    header : {"auto", True, False}
        Whether the first row of a CSV of units names the columns. ``"auto"``: it does, unless it has four
        cells, the third and fourth are numbers, and none is the name of a column; without one the file is
        read as pygamma-agreement's ``annotator,category,start,end``, and the corpus's notes say so.
    annotations, documents : path, optional
        Files of these two tables, for units in one file, or in place of those in the folder.

    Returns
    -------
    Corpus
        Its ``notes`` say what was taken otherwise than written, and what was guessed.

    Raises
    ------
    InputError
        For a path that does not exist, is empty or of a format that is not read, and for data that cannot be
        measured; the message names file and line (row, in Parquet) and the cure.
    SettingsError
        For a choice that there is not, or a renamed column that does not exist.
    MissingExtraError
        For a format whose package is not installed.

    Examples
    --------
    >>> import gamma_align as ga
    >>> corpus = ga.read("corpora/pygamma/AlexPaulSuzan.csv")
    >>> corpus.annotators, corpus.n_units
    (('Alex', 'Paul', 'Suzan'), 16)
    """
    settings = dict(locals())  # all settings above
    del settings["source"]
    if is_path(source):
        return contents_at(source, **settings).corpus()
    from gamma_align.reading.memory import check_in_memory

    check_in_memory(settings, read.__kwdefaults__ or {})
    return corpus_of(source, "read", columns=columns, outside=outside)


def contents_at(
    path: str | os.PathLike[str],
    *,
    format: str | None = None,  # noqa: A002  (the word users know)
    outside: str = "refuse",
    columns: Mapping[str, str | None] | None = None,
    header: bool | str = "auto",
    annotations: str | os.PathLike[str] | None = None,
    documents: str | os.PathLike[str] | None = None,
    texts: str | os.PathLike[str] | None = None,
    discontinuous: str | None = None,
    swap: bool = False,
    **chosen: Any,  # noqa: ANN401  (as in read)
) -> Contents:
    """Return what is at a path, and every problem that keeps it from being a corpus; all settings are those of `read`.

    With `swap`, the bounds of units that end before they start are swapped.
    """
    beside = {"annotations": annotations, "documents": documents}
    paths = {kind: Path(file) for kind, file in beside.items() if file is not None}
    settings = TableSettings(dict(columns or {}), header, paths, discontinuous is not None)
    choice = choices(discontinuous=discontinuous or "whole", **chosen)
    files = layout_of(path, format, choice, tables=settings.are_for_tables)
    if files is None:
        contents = _tables_contents(Path(path), format, settings, choice, outside=outside, swap=swap)
        _add_texts(contents, _texts_in(Path(path)) if texts is None else Path(texts), choice.encoding)
        return contents
    choice = replace(choice, options=MappingProxyType(_table_options(files, settings, choice)))
    contents = Contents(Path(path).name or str(path), files.fmt.description, len(files.files), notes=list(files.notes))
    from gamma_align.reading.marks.assemble import assemble
    from gamma_align.reading.marks.gather import marks_in

    marked: list[tuple[Placed, Marks]] = []
    for placed in files.files:
        with contents.keeping():
            if placed.is_doubtful:
                found = _doubtful_marks(contents, files, placed, choice)
            else:
                found = marks_in(files, placed, choice)
            marked += [(placed, marks) for marks in found]
    named = _named_by_material(contents, files, marked, choice, Path(path))
    if named is None:
        return contents
    assemble(contents, named, choice, outside=outside, swap=swap)
    _add_texts(contents, None if texts is None else Path(texts), choice.encoding)
    return contents


def _doubtful_marks(contents: Contents, files: Layout, placed: Placed, choice: Choices) -> list[Marks]:
    """Return the marks of a file that does not look like its format; a problem of it tells how to leave it out."""
    from gamma_align.reading.marks.gather import marks_in

    source = placed.source
    cure = (
        f"the file is read because other files named {source.suffix} are; if it is no annotation, move it out of the "
        "folder or give a path with {annotator} and {document} that it does not fit"
    )
    try:
        found = marks_in(files, placed, choice)
    except InputError as error:
        raise error.add_cure(Cure(cure)) from None
    is_empty = not source.head.data.strip()
    if found and not is_empty and not any(marks.problems or len(marks) for marks in found):
        first = next((line for line in source.head.lines if line.strip()), "")
        found[0].problem(
            1, f"{first[:_LINE_SHOWN]!r} does not begin {files.fmt.description}, and no unit is in the file"
        )
    for marks in found:
        marks.problems[:1] = [problem.add_cure(Cure(cure)) for problem in marks.problems[:1]]
    if is_empty and not any(marks.problems for marks in found):
        contents.notes.append(f"{source.name}: the file is empty: it is read as an annotation without units")
    return found


def _named_by_material(
    contents: Contents, files: Layout, marked: list[tuple[Placed, Marks]], choice: Choices, folder: Path
) -> list[tuple[Placed, Marks]] | None:
    """Return the marks with the names of their paths, ``None`` with a problem if it is not known what they name."""
    if not files.namings:
        return marked
    from gamma_align.reading.marks.folders import named_by_material

    if choice.annotator or choice.document:  # the user names what paths mean
        contents.notes.append(f"{folder.name or folder}: {files.namings[0].note}")
        return marked
    with contents.keeping():
        named, note = named_by_material(files, marked, folder)
        contents.notes.append(note)
        return named
    return None


def _texts_in(folder: Path) -> Path | None:
    """Return the file of texts in a folder of tables."""
    return folder / TEXTS if os.path.isfile(folder / TEXTS) else None  # noqa: PTH113  (false where Path raises)


def _add_texts(contents: Contents, path: Path | None, encoding: str | None) -> None:
    if path is None:
        return
    _check_there(path)
    from gamma_align.reading.texts import add_texts

    add_texts(contents, path, encoding)


_LINE_SHOWN = 60  # characters of a line that is not understood
_KEYS = 8
"""How many keys of a record a message shows."""


class TableSettings(NamedTuple):
    """What the user sets for tables alone.

    `paths` are the tables of annotations and documents that are named; `parts` is whether the user says what to do
    with units of several parts.
    """

    columns: dict[str, str | None]
    header: bool | str
    paths: dict[str, Path]
    parts: bool

    @property
    def are_for_tables(self) -> bool:
        """Whether something is set that makes sense for tables only."""
        return bool(self.columns or self.paths or self.header != "auto")


def layout_of(
    path: str | os.PathLike[str], name: str | None, choice: Choices, *, tables: bool = False
) -> Layout | None:
    """Return the files of an annotation tool that a path means, ``None`` where it means tables.

    `name` is the format, where the user says it; `tables` is whether something is set that makes sense for tables only.
    """
    from gamma_align.reading.places import layout

    source = Path(path)
    if layout.is_template(os.fspath(path)):
        fmt = table_formats.by_suffix(source) if tables and name is None else None
        return layout.from_template(os.fspath(path), name if fmt is None else fmt.name, choice.encoding)
    _check_there(source)
    if source.is_dir():
        if _is_of_tables(source, name):
            return None
        if tables and name is None:
            names = (_format_with_columns(source / file, folder=True) for file in walked(source).files)
            name = next(filter(None, names), None)
        return layout.from_folder(source, name, choice.encoding, by_tier=choice.by_tier)
    if name in table_formats.TABLES or (name is None and _is_table(source)):
        return None
    if tables and name is None:
        name = _format_with_columns(source)
        if name is None:
            return None
    return layout.from_file(source, name, choice.encoding)


def _format_with_columns(file: Path, *, folder: bool = False) -> str | None:
    """Return the format of a file for which columns (or keys) are named; ``None`` for a table that is no folder's."""
    table = table_formats.by_suffix(file)
    claims = [fmt for fmt in formats.claiming(FileSource(file, file.name).head) if fmt.name not in table_formats.TABLES]
    if table is not None and not claims:
        return table.name if folder else None
    suitable = [fmt for fmt in formats.formats().values() if fmt.general and file.suffix.lower() in fmt.suffixes]
    return next((fmt.name for fmt in (*claims, *suitable)), None)


def _check_there(path: Path) -> None:
    if not os.path.exists(path):  # noqa: PTH110  (false for a name no system takes, where Path raises)
        raise InputError(f"{path}: there is no such file or folder")


def _is_of_tables(folder: Path, name: str | None) -> bool:
    """Whether a folder is read as tables: where it has one of units, or where reading it so gives the better error."""
    if name is not None and name not in table_formats.TABLES:
        return False
    if _in_folder(folder, "units", name) is not None:
        return True
    return name is not None and not any(
        Path(file).suffix.lower() == table_formats.by_name(name).suffix for file in walked(folder).files
    )


def _is_table(file: Path) -> bool:
    """Whether a file is read as a table of units: where it is one, or is named like one and no format matches it."""
    if table_formats.by_suffix(file) is None:
        return False
    head = FileSource(file, file.name).head
    if any(fmt.matches(head) for fmt in (*table_formats.TABLES.values(), table_formats.PYGAMMA_CSV)):
        return True  # no format takes a file of another one: the rest need not be imported and asked
    return {fmt.name for fmt in formats.claiming(head)} <= {*table_formats.TABLES, "pygamma"}


def _table_options(files: Layout, settings: TableSettings, choice: Choices) -> dict[str, Any]:
    """Return the options of a format, with the settings of tables where its files are tables."""
    header = None if settings.header == "auto" else settings.header
    options: dict[str, Any] = {"columns": settings.columns or None, "header": header, **settings.paths}
    options = {name: value for name, value in options.items() if value is not None}
    is_table = files.fmt.name in table_formats.TABLES
    wrong = next((name for name in options if name in settings.paths or name not in (files.fmt.options or {})), None)
    if wrong is not None:
        raise SettingsError(
            f"{wrong}= is for one table of units and those beside it, and these are files of {files.fmt.description}"
        )
    return {**choice.options, **options, **({"parts": True} if settings.parts and is_table else {})}


def _tables_contents(
    source: Path, name: str | None, settings: TableSettings, choice: Choices, *, outside: str, swap: bool
) -> Contents:
    """Return what is in a table of units and those beside it."""
    paths = table_paths(source, name, settings.paths)
    check_choices(choice, paths["units"].name)
    if choice.repeated != "refuse":
        raise SettingsError(
            f"repeated={choice.repeated!r} is for records of texts; {paths['units'].name} is a table, and its rows are "
            "units"
        )
    extra = extra_columns(choice, settings.columns, use_parts=settings.parts)
    options = TableOptions(settings.columns, settings.header, extra)
    formats_of = {kind: table_format(file, kind, name) for kind, file in paths.items()}
    contents = Contents(source.name or str(source), formats_of["units"].description, len(paths))
    tables: dict[str, Table] = {}
    for kind, file in paths.items():
        with contents.keeping():
            read_file = formats_of[kind].read_table(FileSource(file, file.name, choice.encoding), kind, options)
            if kind == "units":
                refuse_tags(read_file, choice)
            tables[kind] = read_file.table
            options = read_file.options if kind == "units" else options
            contents.notes += (*read_file.notes, *options.notes(read_file.table))
            contents.problems += read_file.problems
    if len(tables) == len(paths):
        ReadTables(tables, paths["units"], options).check(contents, choice, outside=outside, swap=swap)
    return contents


class ReadTables(NamedTuple):
    """The tables of a corpus, with the path of the units and how they are read."""

    tables: dict[str, Table]
    path: Path
    options: TableOptions

    def check(self, contents: Contents, choice: Choices, *, outside: str, swap: bool) -> None:
        """Add the units to the contents, and all that is wrong with them.

        Tables are checked as they are; where something is chosen of them, they go on as the marks of a tool's file do,
        which takes three times as long.
        """
        chosen = bool(self.options.extra or choice.labels or choice.annotator or choice.document)
        checked = None
        if self.is_of_one_annotator and choice.annotator is None:
            contents.notes.append(
                f"{self.path.name}: no column of annotators: all units are taken as those of {self.path.stem!r} "
                "(--column annotator=<your name>)"
            )
        if not chosen or swap or contents.problems or len(self.tables) > 1:
            with contents.keeping():
                checked = self.checked(outside="extend" if chosen else outside, swap=swap)
                contents.problems += checked.problems
                for swapped in checked.swapped:
                    contents.swapped += map(str, swapped.single_problems())
        if chosen and not contents.problems:
            with contents.keeping():
                self._choose(contents, checked, choice, outside)
        elif checked is not None:
            contents.checked, contents.layer = checked, np.zeros(len(checked.rows.table), dtype=np.int64)
            if not checked.rows.documents and not contents.problems:
                contents.add("a header and no documents; there is nothing to measure")

    @property
    def is_of_one_annotator(self) -> bool:
        """Whether nothing in the tables names annotators: the file is one's."""
        return self.options.name("annotator") is None and "annotations" not in self.tables

    def checked(self, *, outside: str = "refuse", swap: bool = False) -> CheckedTables:
        """Return what the tables hold, and all that is wrong with them."""
        units = self.tables["units"]
        renamed = {ours: name for ours, name in self.options.columns.items() if ours not in (LAYER, PART)}
        if self.is_of_one_annotator:
            known_columns(units, renamed, required=("start", "end"))  # a message names the file's own columns alone
            renamed["annotator"] = "annotator"
            units = units.with_column("annotator", Coded(np.zeros(len(units), dtype=np.int64), (self.path.stem,)))
        return check_tables(
            units,
            annotations=self.tables.get("annotations"),
            documents=self.tables.get("documents"),
            columns=renamed or None,
            outside=outside,
            document=self.path.stem,
            swap=swap,
        )

    def _choose(self, contents: Contents, checked: CheckedTables | None, choice: Choices, outside: str) -> None:
        """Add what is chosen of the tables."""
        from gamma_align.reading.marks.assemble import assemble
        from gamma_align.reading.places.layout import Placed

        units = self.tables["units"]
        if checked is not None:  # its bounds may have been swapped
            for name, values in (("start", checked.rows.start), ("end", checked.rows.end)):
                units = units.with_column(self.options.name(name) or name, values)
        marks = marks_of_table(units, self.options)
        if checked is not None and len(self.tables) > 1:
            left_out = declare(marks, checked, annotators_named=self.options.name("annotator") in units.columns)
            contents.notes += (f"{self.tables['documents'].origin}: {note}" for note in left_out)
        placed = Placed(FileSource(self.path, units.origin), {"document": self.path.stem, "annotator": self.path.stem})
        assemble(contents, [(placed, marks)], choice, outside=outside)


def layout_or_tables(
    path: Path, name: str | None, choice: Choices, beside: dict[str, Path], *, has_columns: bool
) -> Layout | dict[str, tuple[Path, table_formats.TableFormat]] | None:
    """Return the tables at a path by kind, with their formats, or the files of a tool; ``None`` where there are texts.

    `has_columns` is whether columns of tables are named.
    """
    files = layout_of(path, name, choice, tables=has_columns or bool(beside))
    if (path / TEXTS).exists():
        return None
    if files is not None:
        return files
    return {kind: (file, table_format(file, kind, name)) for kind, file in table_paths(path, name, beside).items()}


def table_paths(source: Path, name: str | None, beside: dict[str, Path]) -> dict[str, Path]:
    """Return the table of each kind that is there: a file of units, or those in a folder, and those named beside it."""
    _check_there(source)
    if not source.is_dir():
        return {"units": source, **beside}
    tables = {kind: _in_folder(source, kind, name) for kind in KNOWN} | beside
    if tables["units"] is None:
        problem = _no_units(source, walked(source).files)
        raise InputError(problem.cause, problem.cure, Location(str(source)))
    return {kind: file for kind, file in tables.items() if file is not None}


def _in_folder(folder: Path, kind: str, name: str | None) -> Path | None:
    known = table_formats.TABLES.values() if name is None else (table_formats.by_name(name),)
    names = [folder / f"{kind}{fmt.suffix}" for fmt in known]
    there = [file for file in names if os.path.isfile(file)]  # noqa: PTH113  (false where Path raises: no permission)
    if len(there) > 1:
        raise InputError(
            f"{folder}: {' and '.join(file.name for file in there)} are both there; delete one, or say which "
            "with format="
        )
    return there[0] if there else None


def table_format(file: Path, kind: str, name: str | None) -> table_formats.TableFormat:
    """Return the format of a table; the name is that of the units, and of files whose suffix says none."""
    fmt = table_formats.by_suffix(file)
    if fmt is None or (name is not None and kind == "units"):
        if name is None:
            problem = _unknown(file, kind)
            raise InputError(problem.cause, problem.cure, Location(str(file)))
        fmt = table_formats.by_name(name)
    if not os.path.isfile(file):  # noqa: PTH113  (false for a name no system takes, where Path raises)
        raise InputError(f"{file}: there is no such file")
    return fmt


def _unknown(file: Path, kind: str) -> Note:
    """Return cause and cure for a file that no format matches."""
    looks = _looks(file) if kind == "units" else None
    if looks is not None:
        return Note(f"it {looks.cause}", looks.cure)
    possible = [name for name, fmt in formats.formats().items() if file.suffix.lower() in fmt.suffixes]
    if not possible or kind != "units":
        return Note(f"files named {file.suffix or 'without suffix'} are not read", _READABLE_CURE)
    keys = _first_keys(file)
    if keys:
        cure = Cure("{}; if a tool wrote the file, name its format with {}", _layout_cure(file), Set("format"))
        return Note(f"JSON of no known layout: its first record has the keys {keys}", cure)
    return Note(
        f"it is empty, damaged, or of no format with files named {file.suffix} ({', '.join(possible)})",
        Cure("say which it is with {}, which then tells what is wrong with it", Set("format")),
    )


def _no_units(folder: Path, names: list[str]) -> Note:
    """Return cause and cure for a folder in which no file is of a known format."""
    if not names:
        return Note("the folder is empty", _READABLE_CURE)
    for name in names:
        looks = _looks(folder / name)
        if looks is not None:
            return Note(f"no file is of a known format: {name} {looks.cause}", looks.cure)
    keys = [(name, _first_keys(folder / name)) for name in names if (folder / name).is_file()]
    described = [f"{name} (keys {keys_of_file})" for name, keys_of_file in keys if keys_of_file]
    if described:
        first = next(folder / name for name, keys_of_file in keys if keys_of_file)
        return Note(f"no file is of a known layout: {few(described, 2)}", _layout_cure(first))
    return Note(f"no file is of a known format: {few(names)}", _READABLE_CURE)


def _layout_cure(file: Path) -> Cure:
    """Return the cure for a file of JSON in no known layout."""
    from gamma_align.reading.files.json_files import may_be_spans

    if may_be_spans(FileSource(file, file.name).head):
        return Cure("if a record is a span, name its keys with {}", Entry("columns", ROLES[0], ROLES[1:]))
    return Cure(
        'write a span a line, {"document": "d1", "annotator": "ann", "start": 0, "end": 4, "category": "PER"}, or a '
        'text a line, {"document": "d1", "annotator": "ann", "text": "Anna sings", "spans": [[0, 4, "PER"]]}, into '
        "a .jsonl"
    )


_READABLE_CURE = Cure(
    "a table needs a header with annotator, start and end ({} describes all formats), and if the content does not "
    "tell, name the format with {}",
    Call("read", "convert --list"),
    Set("format"),
)


def _looks(file: Path) -> Note | None:
    """Return what a file that is not read looks like and the cure, ``None`` if it looks like nothing known."""
    from gamma_align.reading.formats.unread import looks

    return looks(FileSource(file, file.name).head) if file.is_file() else None


def _first_keys(file: Path) -> str:
    """Return the keys of the first record of a file of JSON, as a message shows them; "" for another file."""
    from gamma_align.reading.files.json_files import first_keys

    return few(first_keys(FileSource(file, file.name).head), _KEYS)
