"""Writing a corpus: three tables in a folder, one file of units if it holds everything, or the files of a tool."""

from __future__ import annotations

import os
import unicodedata
import warnings
from collections.abc import Iterable, Iterator, Mapping
from itertools import product
from pathlib import Path, PurePosixPath

from gamma_align.columns import UNLABELLED
from gamma_align.data import KNOWN, WORDS, Coded, Corpus, disk_full, few, is_disk_full, spreadsheet_text
from gamma_align.errors import (
    Call,
    Cure,
    GammaAlignError,
    GammaAlignWarning,
    InputError,
    Location,
    Note,
    Set,
    SettingsError,
)
from gamma_align.reading import formats
from gamma_align.reading.files.atomic import atomic_bytes, atomic_text, new_folder
from gamma_align.reading.formats import FileFormat
from gamma_align.reading.marks.writable import drop_cure, lost_in_categories, lost_in_units, reduced
from gamma_align.reading.tables import table_formats
from gamma_align.reading.tables.columns import ColumnValues
from gamma_align.reading.tables.corpus_tables import ColumnTypes, group_starts, tables_of
from gamma_align.reading.tables.table_formats import TEXTS, TableFormat

_ON_WINDOWS = os.name == "nt"
# Windows opens a device for a file with one of these names, whatever its suffix.
_PORTS = (f"{port}{number}" for port, number in product(("COM", "LPT"), "123456789¹²³"))
_DEVICE_NAMES = frozenset(["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$", *_PORTS])

CSV_TABLES = ("csv", "tsv")
"""Formats of tables that spreadsheets open."""


def write(
    corpus: Corpus,
    path: str | os.PathLike[str],
    *,
    format: str | None = None,
    drop: str | Iterable[str] = (),
    decimals: int | None = None,
    csv_safe: bool = False,
) -> None:
    """Write a corpus so that `read` gives it back: a folder of tables, or one file of units.

    Each file is written whole or not at all, rows in the order (document, annotator, start, end, category).

    Parameters
    ----------
    corpus : Corpus
        The corpus to write, without its notes. A folder of tables contains its texts in ``texts.jsonl``, one file of
        units does not.
    path : path
        A name with the suffix of a format (.csv, .tsv, .parquet) is one file of units. An existing folder, a name
        without suffix and a name that ends in a slash are folders, which are made if they do not exist.
    format : str, optional
        The format of the tables in the folder ("parquet" by default, "csv", "tsv") or of the file; or the format of an
        annotation tool ("brat", "textgrid", …), whose files are written into a new folder.
    drop : {"annotators", "documents", "extents", "length-unit", "no-category", "all"} or several of them, optional
        Facts that may be lost if the file cannot hold them: annotators who marked nothing, documents without units,
        extents beyond the units, the unit of length, whether units have no category or '' (they get the category
        '(none)'). "zero-length" leaves out units without length, which ELAN cannot hold.
    decimals : int, optional
        Number of decimals that bounds keep: ELAN holds 3 of seconds, texts none.
    csv_safe : bool
        Whether names and categories in CSV and TSV that a spreadsheet would run as a formula, such as ``=A1``, get an
        apostrophe at the start. `read` returns them with it.

    Raises
    ------
    InputError
        If the file or format cannot hold the corpus, such as annotators without units, extents, or units with and
        without category in CSV. The message names the facts that would be lost and formats that hold them.
    SettingsError
        For an unknown suffix or format, a folder with the same tables in another format, or `csv_safe` without CSV.
    MissingExtraError
        For Parquet without pyarrow.

    Warns
    -----
    GammaAlignWarning
        If categories in CSV or TSV are words such as NA, which `read` takes for no category without ``na=[""]``.

    Examples
    --------
    >>> import gamma_align as ga
    >>> import tempfile, pathlib
    >>> corpus = ga.Corpus.from_records([("d", "Ann", 0, 5, "x"), ("d", "Ben", 0, 6, "x")])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     ga.write(corpus, pathlib.Path(folder) / "units.csv")
    ...     print((pathlib.Path(folder) / "units.csv").read_text().splitlines()[1])
    d,Ann,0,5,x
    """
    corpus, _ = reduced_for(corpus, path, format, drop, decimals)
    note = _missing_words_note(corpus, path, format)
    if note is not None:
        warnings.warn(GammaAlignWarning(note), stacklevel=2)
    _write_all(corpus, path, format, csv_safe=csv_safe)


def _write_all(corpus: Corpus, path: str | os.PathLike[str], format: str | None, *, csv_safe: bool) -> None:
    """Write a corpus that holds nothing that the file loses."""
    if not corpus.documents:
        raise InputError("the corpus has no documents; there is nothing to write")
    target = Path(path)
    tool = _tool_format(target, format)
    try:
        if tool is not None:
            _check_csv(tool.name, csv_safe=csv_safe)
            write_files(corpus, path, tool)
        elif is_folder_name(path):
            _write_folder(corpus, target, table_formats.by_name(format or "parquet"), csv_safe=csv_safe)
        else:
            _write_file(corpus, target, format, csv_safe=csv_safe)
    except OSError as error:
        raise not_writable(target, error) from error


def reduced_for(
    corpus: Corpus,
    path: str | os.PathLike[str],
    format: str | None = None,
    drop: str | Iterable[str] = (),
    decimals: int | None = None,
) -> tuple[Corpus, list[str]]:
    """Return what `write` writes of a corpus, with notes on what is lost or read otherwise; parameters as there."""
    tool = _tool_format(Path(path), format)
    new, notes = reduced(corpus, drop, decimals, text_is_extent=tool is not None and tool.text_is_extent)
    note = _missing_words_note(new, path, format)
    return new, [*notes, *([] if note is None else [note])]


def _missing_words_note(corpus: Corpus, path: str | os.PathLike[str], format: str | None = None) -> Note | None:
    """Return a note if categories are words that mean none in the file, and how to read them as categories."""
    table_format = table_formats.by_suffix(Path(path))
    name = format or ("parquet" if is_folder_name(path) or table_format is None else table_format.name)
    if name not in (*CSV_TABLES, table_formats.PYGAMMA_CSV.name):
        return None
    words = [label for label in corpus.categories if label.strip() in WORDS]
    if not words:
        return None
    subject = "the category" if len(words) == 1 else "the categories"
    return Note(
        f"{subject} {few(map(repr, words))} will be read back as none, because R and pandas mean that by it",
        Cure("to read a category back, set {}", Set("na", [""])),
    )


def not_writable(path: str | os.PathLike[str], error: OSError) -> GammaAlignError:
    """Return the error for a path that cannot be written: because of the path, or because the disk is full."""
    if is_disk_full(error):
        return disk_full(path, error)
    return InputError(f"cannot be written: {error.strerror or error}", location=Location(str(path)))


def _tool_format(target: Path, name: str | None) -> FileFormat | None:
    """Return the format of an annotation tool that the name or the suffix stands for, ``None`` for tables.

    Files of many tools are JSON: this suffix stands for none.
    """
    if name is not None:
        return None if name in table_formats.TABLES else formats.by_name(name)
    if target.is_dir() or target.suffix.lower() in ("", ".json") or table_formats.by_suffix(target) is not None:
        return None
    writable = [tool for tool in formats.formats().values() if tool.write is not None]
    candidates = [tool for tool in writable if target.suffix.lower() == tool.suffixes[0]]
    return candidates[0] if len(candidates) == 1 else None


def _write_folder(corpus: Corpus, folder: Path, table_format: TableFormat, *, csv_safe: bool) -> None:
    _check_csv(table_format.name, csv_safe=csv_safe)
    _check_categories(corpus, table_format)
    suffixes = [table.suffix for table in table_formats.TABLES.values() if table is not table_format]
    contradicting = [kind + suffix for kind, suffix in product(KNOWN, suffixes)]
    if corpus.texts is None:
        contradicting.append(TEXTS)
    existing = next((name for name in contradicting if (folder / name).exists()), None)
    if existing is not None:
        raise SettingsError(
            f"{existing} is there, and would contradict {table_format.description}",
            "choose another folder",
            Location(str(folder)),
        )
    folder.mkdir(parents=True, exist_ok=True)
    starts = group_starts(corpus)
    for kind, columns in tables_of(corpus, ColumnTypes.of(corpus)).items():
        _write_table(table_format, folder / f"{kind}{table_format.suffix}", columns, starts[kind], csv_safe=csv_safe)
    if corpus.texts is not None:
        from gamma_align.reading.texts import text_lines

        atomic_text(folder / TEXTS, text_lines(corpus))


def _write_file(corpus: Corpus, file: Path, name: str | None, *, csv_safe: bool) -> None:
    table_format = table_formats.by_suffix(file) if name is None else table_formats.by_name(name)
    if table_format is None:
        suffixes = ", ".join(table.suffix for table in table_formats.TABLES.values())
        tools = ", ".join(name for name, tool in formats.formats().items() if tool.write is not None)
        raise SettingsError(
            f"files named {file.suffix} are not written",
            Cure(
                "name a file {}, or a folder (end its name in '/'); or choose a tool with {}, one of {}",
                suffixes,
                Call("write(…, format=…)", "convert --to"),
                tools,
            ),
            Location(str(file)),
        )
    _check_csv(table_format.name, csv_safe=csv_safe)
    lost = lost_in_units(corpus)
    if lost:
        refuse_loss(file, lost | _lost_categories(corpus, table_format))
    _check_categories(corpus, table_format)
    columns = tables_of(corpus, ColumnTypes.of(corpus))["units"]
    _write_table(table_format, file, columns, group_starts(corpus)["units"], csv_safe=csv_safe)


def refuse_loss(file: Path, lost: dict[str, str]) -> None:
    """Refuse to write one file of units if it would lose something."""
    if lost:
        raise InputError(
            f"one file of units would lose {', '.join(lost.values())}",
            Cure(
                "write a folder, which holds them: '{}' (of CSV files with the format csv), or {}",
                f"{file.with_suffix('')}/",
                drop_cure(lost),
            ),
            Location(str(file)),
        )


def _check_csv(name: str, *, csv_safe: bool) -> None:
    if csv_safe and name not in CSV_TABLES:
        raise SettingsError(
            f"it changes CSV and TSV alone, not {name}",
            Cure("leave it out, or write csv"),
            Location.for_option("csv_safe"),
        )


def _write_table(
    table_format: TableFormat,
    path: Path,
    columns: Mapping[str, ColumnValues],
    starts: list[int],
    *,
    csv_safe: bool,
) -> None:
    if csv_safe:
        columns = {name: _for_spreadsheets(values) for name, values in columns.items()}
    try:
        table_format.write_table(path, columns, starts)
    except UnicodeEncodeError as error:
        cause = f"{error.object[error.start]!r} is no character UTF-8 can hold"
        raise InputError(cause, location=Location(path.name)) from None


def _for_spreadsheets(values: ColumnValues) -> ColumnValues:
    return Coded(values.codes, tuple(map(spreadsheet_text, values.labels))) if isinstance(values, Coded) else values


def _check_categories(corpus: Corpus, table_format: TableFormat) -> None:
    """Refuse categories that would not differ in a table, in which a missing category is an empty cell."""
    lost = _lost_categories(corpus, table_format)
    if lost:
        cure = Cure("write Parquet, or {}", drop_cure(lost))
        raise InputError(f"{table_format.name.upper()} would lose {lost['no-category']}", cure)


def _lost_categories(corpus: Corpus, table_format: TableFormat) -> dict[str, str]:
    """Return the facts on categories that a table loses if some units have no category, or all have ''."""
    has_empty_cells = (corpus.category == UNLABELLED).any() or corpus.categories == ("",)
    return lost_in_categories(corpus) if has_empty_cells and table_format.name != "parquet" else {}


def is_folder_name(path: str | os.PathLike[str]) -> bool:
    """Return whether `write` takes the path for a folder."""
    return Path(path).is_dir() or os.fspath(path).endswith(("/", os.sep)) or not Path(path).suffix


def write_new(
    corpus: Corpus, path: str | os.PathLike[str], *, format: str | None = None, csv_safe: bool = False
) -> None:
    """Write a corpus as `write` does, and a folder whole or not at all."""
    if not is_folder_name(path) or _tool_format(Path(path), format) is not None:
        _write_all(corpus, path, format, csv_safe=csv_safe)
        return
    check_new(path)
    try:
        with new_folder(Path(path)) as folder:
            _write_all(corpus, f"{folder}{os.sep}", format, csv_safe=csv_safe)
    except OSError as error:
        raise not_writable(path, error) from error


def write_files(corpus: Corpus, path: str | os.PathLike[str], fmt: FileFormat) -> None:
    """Write a corpus in the format of a tool: one file if the path has its suffix, otherwise a new or empty folder."""
    if fmt.write is None:
        raise SettingsError(f"{fmt.name} can be read but not written")
    target = Path(path)
    files = _checked(fmt.write(corpus), fmt)
    if target.suffix.lower() in fmt.suffixes and not is_folder_name(path):
        _write_one(target, files, fmt)
    else:
        _check_target(target)
        with new_folder(target) as folder:
            for name, data in files:
                file = folder / name
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(data)


def _write_one(target: Path, files: Iterator[tuple[PurePosixPath, bytes]], fmt: FileFormat) -> None:
    _, data = next(files)
    n_more = sum(1 for _ in files)
    if n_more:
        raise InputError(
            f"the corpus makes {n_more + 1} files of {fmt.name}",
            f"name a folder: '{target.with_suffix('')}/'",
            Location(str(target)),
        )
    atomic_bytes(target, data)


def check_new(path: str | os.PathLike[str]) -> None:
    """Refuse a folder that is not empty."""
    target = Path(path)
    if target.is_dir() and any(target.iterdir()):
        raise SettingsError("the folder is not empty", "choose another, or empty it first", Location(str(target)))


def _check_target(target: Path) -> None:
    """Refuse a path that exists, unless it is an empty folder."""
    check_new(target)
    if target.is_dir():
        if target.samefile("."):
            raise SettingsError("is the folder you are in", "name a new one", Location(str(target)))
    elif os.path.lexists(target):
        cause = "is a file, and a folder is to be written"
        raise SettingsError(cause, "choose another name", Location(str(target)))


def _checked(files: Iterable[tuple[str, bytes]], fmt: FileFormat) -> Iterator[tuple[PurePosixPath, bytes]]:
    """Yield the files; refuse names outside the folder, and two names that are the same on some systems.

    Some systems do not distinguish A from a, or the two encodings of é.
    """
    used: dict[tuple[str, ...], str] = {}  # names of files, and of folders with a slash at the end
    for name, data in files:
        path = PurePosixPath(name)
        if path.is_absolute() or not path.parts or ".." in path.parts or "\\" in name:
            cause = f"the file {name!r} would be outside the folder"
            raise InputError(cause, "rename document and annotator", Location(fmt.name))
        if _ON_WINDOWS and (reserved := next(filter(is_reserved_on_windows, path.parts), None)) is not None:
            raise InputError(
                f"Windows allows no file with the name {reserved!r}",
                "rename the document or annotator, or write a format that keeps all in one file (csv, parquet, jsonl)",
                Location(fmt.name),
            )
        key = tuple(unicodedata.normalize("NFC", part).casefold() for part in path.parts)
        folders = {key[:length]: "/".join((*path.parts[:length], "")) for length in range(1, len(key))}
        clashing = (
            used[folder_key] for folder_key, folder in folders.items() if used.get(folder_key, folder) != folder
        )
        clash = used.get(key) or next(clashing, None)
        if clash is not None:
            raise InputError(
                f"{clash!r} and {name!r} would be one file or folder on some systems",
                "rename the documents or annotators, or write a format that keeps all in one file (csv, parquet, "
                "jsonl)",
                Location(fmt.name),
            )
        used[key] = name
        used |= folders
        yield path, data


def is_reserved_on_windows(part: str) -> bool:
    """Return whether Windows allows no file or folder of this name.

    Some names would not even be refused: after a colon comes the name of a hidden stream of the file, names of devices
    open the device, and points and spaces at the end are dropped (Microsoft, "Naming Files, Paths, and Namespaces").
    """
    stem = part.partition(".")[0].rstrip(" ").upper()
    return stem in _DEVICE_NAMES or part != part.rstrip(". ") or any(char in '<>:"|?*' or char < " " for char in part)
