"""Reading a corpus from a path: a table, a folder of tables, or the files of an annotation tool."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np

from gamma_align.data import (
    KNOWN,
    READ_ROLES,
    ROLES,
    AnyPath,
    CheckedTables,
    Coded,
    Corpus,
    Options,
    Source,
    Table,
    are_paths,
    check_tables,
    corpus_of,
    few,
    is_path,
    known_columns,
    usual,
)
from gamma_align.errors import (
    Call,
    Cure,
    Entry,
    GammaAlignError,
    InputError,
    Location,
    Note,
    OpenRoleError,
    Reference,
    Set,
    SettingsError,
    UnknownMeaningError,
)
from gamma_align.options import takes_options
from gamma_align.reading import formats
from gamma_align.reading.contents import Contents
from gamma_align.reading.files.sources import Source as FileSource
from gamma_align.reading.formats.unread import likely_format
from gamma_align.reading.intake.declarations import DECLARATIONS
from gamma_align.reading.intake.mapping import READ_ITEMS, ColumnMap, loaded, refuse_beside_map, saved
from gamma_align.reading.marks.choices import Choices, Texts, choices
from gamma_align.reading.marks.marks import Marks
from gamma_align.reading.options import OUTSIDE, READING_OPTIONS
from gamma_align.reading.places.walk import check_exists, is_file, walk_folder
from gamma_align.reading.several import one_corpus
from gamma_align.reading.tables import table_formats
from gamma_align.reading.tables.columns import (
    LAYER,
    PART,
    TableOptions,
    extra_columns,
    refuse_other_categories,
    refuse_other_positions,
    refuse_tags,
)
from gamma_align.reading.tables.table_formats import TEXTS, TableFormat, check_choices, declare, marks_of_table

if TYPE_CHECKING:  # tables do not need it, and a small table is read in less time than its import takes
    from gamma_align.reading.places.layout import Layout, Placed


@takes_options((*READING_OPTIONS, OUTSIDE))
def read(
    source: Source,
    /,
    *,
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
) -> Corpus:
    """Return the corpus in a file, in a folder, in the files that match a template, in several of these, or in memory.

    Parameters
    ----------
    source : path, list of paths, data frame, records, dict of annotator to spans, Corpus or Continuum
        Data in memory, with the settings `columns`, `outside` and `texts` alone, or a path. Several paths, of any
        formats, are one corpus if names and texts of documents agree; tokens are placed in texts. A path is a folder of
        ``units.parquet`` (or .csv, .tsv), perhaps with ``annotations`` and ``documents`` beside it; one file of units
        (without a column ``document`` it is one document, named by its stem); a file or a folder of an annotation
        tool; or a template, ``"{annotator}/{document}.ann"``, in which ``{_}`` is any name, ``*`` anything within a
        name and ``**`` any folders.
    header : {"auto", True, False}
        Whether the first row of a CSV of units names the columns. ``"auto"``: it does, unless it has four cells, the
        third and fourth are numbers, and no cell is the name of a column. A file without header is read as
        pygamma-agreement's ``annotator,category,start,end``, with a note.
    annotations, documents : path, optional
        Files of these two tables, for units in one file, or instead of the tables in the folder.

    Returns
    -------
    Corpus
        Its ``notes`` list every assumption made while reading.

    Raises
    ------
    InputError
        If the path does not exist, is empty or has no known format, or if the data cannot be measured. The message
        names file and line (in Parquet the row) and the cure.
    SettingsError
        For an unknown value of a setting, or a renamed column that does not exist.
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
    if is_path(source) or are_paths(source):
        paths: Sequence[AnyPath] = source if are_paths(source) else [cast("AnyPath", source)]
        read_corpus = one_corpus(paths, [_read_at(path, settings) for path in paths])
        note = read_corpus.unseen
        if note is None:
            return read_corpus
        return read_corpus.seen_by_all() if seen == "all" else replace(read_corpus, notes=(*read_corpus.notes, note))
    from gamma_align.reading.memory import check_in_memory, contents_in_memory, corpus_told

    check_in_memory(settings, read.__kwdefaults__ or {})
    if texts is not None:
        return contents_in_memory(source, "read", columns=columns, outside=outside, texts=texts).corpus()
    try:
        return corpus_of(source, "read", columns=columns, outside=outside)
    except UnknownMeaningError:
        corpus = corpus_told(source, "read", columns, outside)
        if corpus is None:
            raise
        return corpus


def _read_at(path: AnyPath, settings: Mapping[str, Any]) -> Corpus:
    """Return the corpus at a path; files of several formats that match a template are one corpus."""
    try:
        contents = contents_at(path, **settings)
    except InputError as error:
        layouts: tuple[Layout, ...] = getattr(error, "layouts", ())
        if not layouts:
            raise
        corpora = [contents_at(path, **settings, files=files).corpus() for files in layouts]
        return one_corpus([f"{path} ({files.fmt.name})" for files in layouts], corpora)
    if contents.unknown is not None:
        _refuse_items(path, settings["encoding"], contents.unknown)
    return contents.corpus()


def _refuse_items(path: AnyPath, encoding: str | None, error: UnknownMeaningError) -> None:
    """Raise the error, with the cure to read items beside its own, if the file is a table of items."""
    cure = error.problem.cure
    if cure is None or not is_file(os.fspath(path)):
        return
    from gamma_align.reading.intake.judgments import cells_of
    from gamma_align.reading.intake.read import sources_at
    from gamma_align.reading.tables.item_tables import as_periods, items_in

    try:
        sources = sources_at(Path(path), encoding)
        if len(sources) != 1:
            return
        rows = cells_of(sources[0])
        if usual(rows.names, "start") or usual(rows.names, "end"):
            return
        table = items_in(rows, Options(from_file=True))
    except GammaAlignError:
        return
    steps = f"{{}} reads {len(table):,} items that {few(map(repr, table.coders))} judge; "
    references: list[Reference | Cure] = [READ_ITEMS]
    periods = as_periods(rows)
    if periods is not None:
        steps += "their runs of equal judgments are units with {}; "
        references.append(Set("map", saved(periods, indent=None).strip()))
    either = Cure(steps + "if it has units, {}", *references, cure)
    raise InputError(error.problem.cause, either, error.problem.location)


def contents_at(
    path: str | os.PathLike[str],
    *,
    format: str | None = None,
    outside: str = "refuse",
    columns: Mapping[str, str | None] | None = None,
    map: str | os.PathLike[str] | Mapping[str, object] | None = None,
    header: bool | str = "auto",
    annotations: str | os.PathLike[str] | None = None,
    documents: str | os.PathLike[str] | None = None,
    texts: str | os.PathLike[str] | Mapping[str, str | None] | None = None,
    discontinuous: str | None = None,
    swap: bool = False,
    files: Layout | None = None,
    **choice_settings: Any,  # noqa: ANN401  (the settings of `choices`, which checks them)
) -> Contents:
    """Return the units at a path, with every problem that keeps them from being a corpus.

    The settings are as in `read`. With `swap`, the bounds of units that end before they start are swapped. `files` are
    the files there, if they have been found before.
    """
    named_paths = {"annotations": annotations, "documents": documents}
    paths = {kind: Path(file) for kind, file in named_paths.items() if file is not None}
    settings = TableSettings(dict(columns or {}), header, paths, discontinuous is not None)
    choice = choices(discontinuous=discontinuous or "whole", texts=texts, **choice_settings)
    if map is not None:
        _check_map_alone(format, settings)
        return _mapped_contents(Path(path), loaded(map), choice, outside=outside, swap=swap)
    contents: Contents | None = None
    try:
        files = files or layout_of(path, format, choice, tables=settings.are_for_tables)
        contents = _contents(path, format, files, settings, choice, outside=outside, swap=swap)
        if files is not None and files.fmt.name in DECLARATIONS:
            contents.unknown = None  # the layout says what the columns mean: no other reading is looked for
        unknown = contents.unknown
        if unknown is None:
            return contents
    except UnknownMeaningError as error:
        unknown = error
    if format is None and not (settings.paths or settings.header != "auto" or settings.use_parts):
        # JSON of a known format has a fault in a record, or a question of its own about one role.
        is_open = isinstance(unknown, OpenRoleError)
        is_known = contents is not None and (contents.checked is not None or is_open)
        found = _decided_contents(
            Path(path), settings, choice, outside=outside, swap=swap, are_tables=is_known, asks=not is_open
        )
        contents = found or contents
    if contents is None:
        raise unknown
    return contents


def _decided_contents(
    path: Path, settings: TableSettings, choice: Choices, *, outside: str, swap: bool, are_tables: bool, asks: bool
) -> Contents | None:
    """Return the units of files whose names of columns leave a doubt, as the data decide; None if they tell nothing.

    A table with a column for each role is read like one with our names, which finds faults of single rows. With
    `are_tables` files of JSON are left. If two readings give other numbers, InputError says so if it `asks`: a doubt
    about one role has a shorter question; if none is right it always does.
    """
    from gamma_align.reading.intake.decide import decided
    from gamma_align.reading.intake.read import add_mapped

    found = decided(path, choice, settings.columns, are_tables=are_tables)
    if found is None or (found.columns is None and not {*settings.columns} <= {*READ_ROLES}):
        return None
    sources, tables, decision = found
    if decision.question is not None and decision.question.proposals and not asks:
        return None
    if decision.question is not None:
        raise decision.question
    if found.columns is not None:
        settings = settings._replace(columns={**settings.columns, **found.columns})
        files = layout_of(path, None, choice, tables=settings.are_for_tables)
        contents = _contents(path, None, files, settings, choice, outside=outside, swap=swap)
        contents.notes.insert(0, decision.note)
        return contents
    name = path.name or str(path)
    mapping = decision.reading.mapping
    contents = Contents(name, "a table with other names of columns", len(sources), notes=[decision.note], map=mapping)
    add_mapped(contents, sources, tables, mapping, choice, outside=outside, swap=swap)
    _add_texts(contents, choice.texts, choice.encoding)
    return contents


def _contents(
    path: str | os.PathLike[str],
    format: str | None,
    files: Layout | None,
    settings: TableSettings,
    choice: Choices,
    *,
    outside: str,
    swap: bool,
) -> Contents:
    """Return the units at a path that has a known format or known names of columns; `files` are those of a tool."""
    if files is None:
        contents = _tables_contents(Path(path), format, settings, choice, outside=outside, swap=swap)
        _add_texts(contents, _texts_in(Path(path)) if choice.texts is None else choice.texts, choice.encoding)
        return contents
    choice = replace(choice, options=MappingProxyType(_table_options(files, settings, choice)))
    contents = Contents(Path(path).name or str(path), files.fmt.description, len(files.files), notes=list(files.notes))
    from gamma_align.reading.marks.assemble import add_marks
    from gamma_align.reading.marks.gather import read_marks

    marked: list[tuple[Placed, Marks]] = []
    for placed in files.files:
        with contents.keeping():
            if placed.is_doubtful:
                marks_of_file = _doubtful_marks(contents, files, placed, choice)
            else:
                marks_of_file = read_marks(files, placed, choice)
            marked += [(placed, marks) for marks in marks_of_file]
    named = _named_by_material(contents, files, marked, choice, Path(path))
    if named is None:
        return contents
    add_marks(contents, named, choice, outside=outside, swap=swap)
    _add_texts(contents, choice.texts, choice.encoding)
    return contents


def _check_map_alone(format: str | None, settings: TableSettings) -> None:
    """Refuse settings that say what a map says."""
    header = settings.header if settings.header != "auto" else None
    others = {"format": format, "columns": settings.columns, "header": header, **settings.paths}
    refuse_beside_map(others)


def _mapped_contents(path: Path, mapping: ColumnMap, choice: Choices, *, outside: str, swap: bool) -> Contents:
    """Return the units at a path, as a map reads them, with every problem."""
    from gamma_align.reading.intake.read import add_mapped, sources_at, tables_at

    sources = sources_at(path, choice.encoding)
    contents = Contents(path.name or str(path), "a table with a map of its columns", len(sources), map=mapping)
    tables = []
    with contents.keeping():
        tables = tables_at(sources, mapping)
    if tables:
        add_mapped(contents, sources, tables, mapping, choice, outside=outside, swap=swap)
        _add_texts(contents, choice.texts, choice.encoding)
    return contents


def _doubtful_marks(contents: Contents, files: Layout, placed: Placed, choice: Choices) -> list[Marks]:
    """Return the marks of a file that does not look like its format; the cure of a problem is to leave the file out."""
    from gamma_align.reading.marks.gather import read_marks

    source = placed.source
    cure = Cure(
        f"the file is read because other files named {source.suffix} are; if it is no annotation, move it out of the "
        "folder or give a path with {annotator} and {document} that it does not fit"
    )
    try:
        all_marks = read_marks(files, placed, choice)
    except InputError as error:
        raise error.add_cure(cure) from None
    is_empty = not source.head.data.strip()
    if all_marks and not is_empty and not any(marks.problems or len(marks) for marks in all_marks):
        first = next((line for line in source.head.lines if line.strip()), "")
        shown = first[:_MAX_LINE_SHOWN]
        all_marks[0].problem(1, f"{shown!r} does not begin {files.fmt.description}, and no unit is in the file")
    for marks in all_marks:
        if marks.problems:
            marks.problems[0] = marks.problems[0].add_cure(cure)
    if is_empty and not any(marks.problems for marks in all_marks):
        contents.notes.append(f"{source.name}: the file is empty: it is read as an annotation without units")
    return all_marks


def _named_by_material(
    contents: Contents, files: Layout, marked: list[tuple[Placed, Marks]], choice: Choices, folder: Path
) -> list[tuple[Placed, Marks]] | None:
    """Return the marks with the names in their paths; ``None``, with a problem, if the meaning of names is unknown."""
    if not files.namings:
        return marked
    from gamma_align.reading.marks.folders import name_by_material

    if choice.annotator or choice.document:  # the user says which names are annotators
        contents.notes.append(f"{folder.name or folder}: {files.namings[0].note}")
        return marked
    with contents.keeping():
        try:
            named, note = name_by_material(files, marked, folder)
        except InputError as error:
            if files.fmt.name not in table_formats.TABLES:
                raise
            raise OpenRoleError(error.problem) from None  # who marks the same places may tell
        contents.notes.append(note)
        return named
    return None


def _texts_in(folder: Path) -> Path | None:
    """Return the file of texts in a folder of tables, ``None`` if there is none."""
    return folder / TEXTS if is_file(folder / TEXTS) else None


def _add_texts(contents: Contents, texts: Texts | None, encoding: str | None) -> None:
    if texts is not None:
        from gamma_align.reading.texts import add_texts

        add_texts(contents, texts, encoding)


_MAX_LINE_SHOWN = 60  # characters of a line in a message
_KEYS = 8  # maximum number of keys of a record in a message


class TableSettings(NamedTuple):
    """The settings of tables.

    `paths` are the tables of annotations and documents that the user names; `use_parts` is whether the user decides on
    units of several parts.
    """

    columns: dict[str, str | None]
    header: bool | str
    paths: dict[str, Path]
    use_parts: bool

    @property
    def are_for_tables(self) -> bool:
        """Whether the user has set something that applies to tables only."""
        return bool(self.columns or self.paths or self.header != "auto")


def layout_of(
    path: str | os.PathLike[str], name: str | None, choice: Choices, *, tables: bool = False
) -> Layout | None:
    """Return the files of an annotation tool at a path, ``None`` if the path leads to tables.

    `name` is the format, if the user names it; `tables` is whether the user has set something for tables only.
    """
    from gamma_align.reading.places import layout

    source = Path(path)
    if layout.is_template(os.fspath(path)):
        table_format = table_formats.by_suffix(source) if tables and name is None else None
        if table_format is not None:
            name = table_format.name
        return layout.from_template(os.fspath(path), name, choice.encoding)
    check_exists(source)
    if source.is_dir():
        if _is_of_tables(source, name):
            return None
        if tables and name is None:
            names = (_format_with_columns(source / file, in_folder=True) for file in walk_folder(source).files)
            name = next(filter(None, names), None)
        return layout.from_folder(source, name, choice.encoding, by_tier=choice.by_tier)
    if name in table_formats.TABLES or (name is None and _is_table(source)):
        return None
    if tables and name is None:
        name = _format_with_columns(source)
        if name is None:
            return None
    return layout.from_file(source, name, choice.encoding)


def _format_with_columns(file: Path, *, in_folder: bool = False) -> str | None:
    """Return the format of a file whose columns (or keys) are named; ``None`` for a table that is not in a folder."""
    table_format = table_formats.by_suffix(file)
    head = FileSource(file, file.name).head
    claims = [claim for claim in formats.matching_formats(head) if claim.name not in table_formats.TABLES]
    if table_format is not None and not any("columns" in (claim.options or {}) for claim in claims):
        return table_format.name if in_folder else None  # also a layout of a program whose columns the user names
    if not claims and in_folder and likely_format(head) is not None:
        return None  # what is beside the files of annotations, such as the sidecars of BIDS
    suffix = file.suffix.lower()
    general = [fmt for fmt in formats.formats().values() if fmt.general and suffix in fmt.suffixes]
    return next((candidate.name for candidate in (*claims, *general)), None)


def _is_of_tables(folder: Path, name: str | None) -> bool:
    """Return whether a folder is read as tables.

    It is if it contains a table of units. If the user names a format of tables and no file has its suffix, it is, too:
    the error is then about the missing table.
    """
    if name is not None and name not in table_formats.TABLES:
        return False
    if _in_folder(folder, "units", name) is not None:
        return True
    if name is None:
        return False
    suffix = table_formats.by_name(name).suffix
    return not any(Path(file).suffix.lower() == suffix for file in walk_folder(folder).files)


def _is_table(file: Path) -> bool:
    """Return whether a file is read as a table of units: it is one, or has its suffix and no format recognises it."""
    if table_formats.by_suffix(file) is None:
        return False
    head = FileSource(file, file.name).head
    if any(fmt.matches(head) for fmt in (*table_formats.TABLES.values(), table_formats.PYGAMMA_CSV)):
        return True  # no two formats recognise the same file: the others need not be imported
    return {fmt.name for fmt in formats.matching_formats(head)} <= {*table_formats.TABLES, "pygamma"}


def _table_options(files: Layout, settings: TableSettings, choice: Choices) -> dict[str, object]:
    """Return the options of a format, with the settings of tables if its files are tables."""
    options: dict[str, object] = {**settings.paths}
    if settings.columns:
        options["columns"] = settings.columns
    if settings.header != "auto":
        options["header"] = settings.header
    format_options = files.fmt.options or {}
    wrong = next((name for name in options if name in settings.paths or name not in format_options), None)
    if wrong is not None:
        raise SettingsError(
            f"it is for one table of units and the tables beside it, and these are files of {files.fmt.description}",
            "leave it out",
            Location.for_option(wrong),
        )
    if settings.use_parts and files.fmt.name in table_formats.TABLES:
        options["parts"] = True
    return {**choice.options, **options}


def _tables_contents(
    source: Path, name: str | None, settings: TableSettings, choice: Choices, *, outside: str, swap: bool
) -> Contents:
    """Return the units in a table of units and the tables beside it, with every problem."""
    paths = table_paths(source, name, settings.paths)
    check_choices(choice, paths["units"].name)
    if choice.locate is not None:
        raise SettingsError(
            f"it is for answers of language models; {paths['units'].name} is a table of units with bounds",
            Cure("leave out {}", Set("locate")),
            Location.for_option("locate"),
        )
    if choice.repeated != "refuse":
        raise SettingsError(
            f"{choice.repeated!r} is for records of texts; {paths['units'].name} is a table, and its rows are units",
            "leave it out",
            Location.for_option("repeated"),
        )
    extra = extra_columns(choice, settings.columns, use_parts=settings.use_parts)
    options = TableOptions(settings.columns, settings.header, extra, choice.na)
    table_formats_by_kind = {kind: table_format_of(file, kind, name) for kind, file in paths.items()}
    contents = Contents(source.name or str(source), table_formats_by_kind["units"].description, len(paths))
    tables: dict[str, Table] = {}
    for kind, file in paths.items():
        with contents.keeping():
            file_source = FileSource(file, file.name, choice.encoding)
            table_file = table_formats_by_kind[kind].table(file_source, kind, options)
            if kind == "units":
                refuse_tags(table_file, choice)
                refuse_other_positions(table_file)
                refuse_other_categories(table_file, settings.columns)
                options = table_file.options  # names of columns apply to the other tables, too
                contents.map = _map_of(options, table_file.table) if len(paths) == 1 else None
            tables[kind] = table_file.table
            contents.notes += (*table_file.notes, *options.notes(table_file.table))
            contents.problems += table_file.problems
    if len(tables) == len(paths):
        ReadTables(tables, paths["units"], options).check(contents, choice, outside=outside, swap=swap)
    return contents


def _map_of(options: TableOptions, table: Table) -> ColumnMap | None:
    """Return what the columns of a table of units mean, None if its bounds have no column."""
    names = {role: options.name(role) for role in KNOWN["units"]}
    roles = {role: name for role, name in names.items() if name is not None and name in table.columns}
    if "end" in roles:
        roles.pop("duration", None)
    return (
        ColumnMap("row", roles) if {"start"} < {*roles} and not roles.keys().isdisjoint(("end", "duration")) else None
    )


def map_at(path: str | os.PathLike[str], **settings: Any) -> ColumnMap:  # noqa: ANN401  (those of `contents_at`)
    """Return what the columns of the tables at a path mean, as they are read with these settings.

    Raises
    ------
    InputError
        As `read`, and if the files are of a format that needs no map.
    """
    contents = contents_at(path, **settings)
    contents.corpus()
    if contents.map is None:
        raise InputError(
            f"no map is needed to read this: {contents.description}",
            Cure("leave out {}", Set("save_map")),
            Location(contents.location),
        )
    return contents.map


class ReadTables(NamedTuple):
    """The tables of a corpus, the path of the units, and the options of reading them."""

    tables: dict[str, Table]
    path: Path
    options: TableOptions

    def check(self, contents: Contents, choice: Choices, *, outside: str, swap: bool) -> None:
        """Add the units and every problem to the contents.

        Tables are checked as columns. If the user selects or renames units, they continue as the marks of a tool's
        file, which takes three times as long.
        """
        use_marks = bool(self.options.extra or choice.labels or choice.annotator or choice.document)
        checked = None
        if self.is_of_one_annotator and choice.annotator is None:
            cause = f"{self.path.name}: no column of annotators: all units are taken as those of {self.path.stem!r}"
            cure = Cure("({})", Entry("columns", "annotator"))
            contents.notes.append(Note(cause, cure, separator=" "))
        if not use_marks or swap or contents.problems or len(self.tables) > 1:
            with contents.keeping():
                checked = self.checked(outside="extend" if use_marks else outside, swap=swap)
                if not use_marks:
                    contents.notes += checked.say_versions(may_name_annotators=self.is_of_one_annotator)
                contents.problems += checked.problems
                contents.versions = checked.versions
                for swapped in checked.swapped:
                    contents.swapped += map(str, swapped.single_problems())
        if use_marks and not contents.problems:
            with contents.keeping():
                self._assemble_marks(contents, checked, choice, outside)
        elif checked is not None:
            contents.checked = checked
            contents.seen_is_told = self.tells_seen
            contents.layer = np.zeros(len(checked.rows.table), dtype=np.int64)
            if not checked.rows.documents and not contents.problems:
                contents.add("a header and no documents; there is nothing to measure")

    @property
    def is_of_one_annotator(self) -> bool:
        """Whether no column names annotators: all units are of one annotator."""
        return self.options.name("annotator") is None and "annotations" not in self.tables

    @property
    def tells_seen(self) -> bool:
        """Whether the tables tell who saw a document without marking a unit; a file of one document is there or not."""
        return "annotations" in self.tables or self.options.name("document") is None

    def checked(self, *, outside: str = "refuse", swap: bool = False) -> CheckedTables:
        """Return the checked tables, with every problem."""
        units = self.tables["units"]
        renamed = {role: name for role, name in self.options.columns.items() if role not in (LAYER, PART)}
        if self.is_of_one_annotator:
            known_columns(units, renamed, required=("start", "end"))  # before: messages list the columns of the file
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
            ask_versions=LAYER not in self.options.extra,
        )

    def _assemble_marks(self, contents: Contents, checked: CheckedTables | None, choice: Choices, outside: str) -> None:
        """Add the units of the tables, selected and renamed as marks."""
        from gamma_align.reading.marks.assemble import add_marks
        from gamma_align.reading.places.layout import Placed

        units = self.tables["units"]
        if checked is not None and checked.swapped:
            for name, values in (("start", checked.rows.start), ("end", checked.rows.end)):
                units = units.with_column(self.options.name(name) or name, values)
        marks = marks_of_table(units, self.options)
        marks.tells_seen = self.tells_seen
        if checked is not None and len(self.tables) > 1:
            left_out = declare(marks, checked, annotators_named=self.options.name("annotator") in units.columns)
            contents.notes += (f"{self.tables['documents'].origin}: {note}" for note in left_out)
        placed = Placed(FileSource(self.path, units.origin), {"document": self.path.stem, "annotator": self.path.stem})
        add_marks(contents, [(placed, marks)], choice, outside=outside)


def layout_or_tables(
    path: Path, name: str | None, choice: Choices, named_tables: dict[str, Path], *, has_columns: bool
) -> Layout | dict[str, tuple[Path, TableFormat]] | None:
    """Return the tables at a path by kind, with their formats, or the files of a tool; ``None`` if there are texts.

    `has_columns` is whether the user names columns of tables.
    """
    files = layout_of(path, name, choice, tables=has_columns or bool(named_tables))
    if (path / TEXTS).exists():
        return None
    if files is not None:
        return files
    return {
        kind: (file, table_format_of(file, kind, name)) for kind, file in table_paths(path, name, named_tables).items()
    }


def table_paths(source: Path, name: str | None, named_tables: dict[str, Path]) -> dict[str, Path]:
    """Return the table of each kind: a file of units or the tables in a folder, and the tables named beside it."""
    check_exists(source)
    if not source.is_dir():
        return {"units": source, **named_tables}
    tables = {kind: _in_folder(source, kind, name) for kind in KNOWN} | named_tables
    if tables["units"] is None:
        problem = _no_units(source, walk_folder(source).files)
        raise UnknownMeaningError(problem.cause, problem.cure, Location(str(source)))
    return {kind: file for kind, file in tables.items() if file is not None}


def _in_folder(folder: Path, kind: str, name: str | None) -> Path | None:
    """Return the table of a kind in a folder, ``None`` if there is none."""
    candidates = table_formats.TABLES.values() if name is None else (table_formats.by_name(name),)
    files = [file for file in (folder / f"{kind}{fmt.suffix}" for fmt in candidates) if is_file(file)]
    if len(files) > 1:
        raise InputError(
            f"{' and '.join(file.name for file in files)} are both there",
            Cure("delete one, or choose one with {}", Set("format")),
            Location(str(folder)),
        )
    return files[0] if files else None


def table_format_of(file: Path, kind: str, name: str | None) -> TableFormat:
    """Return the format of a table; `name` is the format of units, and of files without a known suffix."""
    table_format = table_formats.by_suffix(file)
    if table_format is None or (name is not None and kind == "units"):
        if name is None:
            problem = _unknown(file, kind)
            raise UnknownMeaningError(problem.cause, problem.cure, Location(str(file)))
        table_format = table_formats.by_name(name)
    if not is_file(file):
        raise InputError("there is no such file", location=Location(str(file)))
    return table_format


def _unknown(file: Path, kind: str) -> Note:
    """Return cause and cure for a file that no format matches."""
    format_note = _likely_format_of(file) if kind == "units" else None
    if format_note is not None:
        return Note(f"it {format_note.cause}", format_note.cure)
    possible = [name for name, fmt in formats.formats().items() if file.suffix.lower() in fmt.suffixes]
    if not possible or kind != "units":
        return Note(f"files named {file.suffix or 'without suffix'} are not read", _READABLE_CURE)
    keys = _first_keys(file)
    if keys:
        cure = Cure(
            "{}; if records are items with a judgment of each coder, use {}; if a tool wrote the file, name its format "
            "with {}",
            _layout_cure(file),
            READ_ITEMS,
            Set("format"),
        )
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
        format_note = _likely_format_of(folder / name)
        if format_note is not None:
            return Note(f"no file is of a known format: {name} {format_note.cause}", format_note.cure)
    for name in (name for name in names if name.lower().endswith((".csv", ".tsv", ".txt"))):
        try:
            FileSource(folder / name, name).text()
        except InputError as error:  # it is no text in UTF-8
            return Note(f"{error.problem.location}: {error.problem.cause}", error.problem.cure)
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


def _likely_format_of(file: Path) -> Note | None:
    """Return a note on the likely format of a file that is not read, ``None`` without a guess."""
    return likely_format(FileSource(file, file.name).head) if file.is_file() else None


def _first_keys(file: Path) -> str:
    """Return the keys of the first record of a file of JSON, as a message shows them; "" for another file."""
    from gamma_align.reading.files.json_files import first_keys

    return few(first_keys(FileSource(file, file.name).head), _KEYS)
