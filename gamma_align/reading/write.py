"""From a corpus to files: three tables in a folder, the units alone where nothing is lost by it, or a tool's files."""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath
from typing import Any

from gamma_align.columns import UNLABELLED
from gamma_align.data.corpus import Corpus
from gamma_align.data.tables import KNOWN
from gamma_align.errors import Cure, InputError, Location, SettingsError
from gamma_align.reading import formats
from gamma_align.reading.files.atomic import atomic_bytes, atomic_text, new_folder
from gamma_align.reading.formats import FileFormat
from gamma_align.reading.marks.writable import drop_cure, lost_in_categories, lost_in_units, reduced
from gamma_align.reading.tables import table_formats
from gamma_align.reading.tables.corpus_tables import Columns, cuts_of, tables_of
from gamma_align.reading.tables.table_formats import TEXTS


def write(
    corpus: Corpus,
    path: str | os.PathLike[str],
    *,
    format: str | None = None,  # noqa: A002  (the word users know)
    drop: str | Iterable[str] = (),
    decimals: int | None = None,
) -> None:
    """Write a corpus so that `read` gives it back: a folder of tables, or one file of units.

    Each file is written whole or not at all, rows in the order (document, annotator, start, end, category).

    Parameters
    ----------
    corpus : Corpus
        What to write; its notes are not, nor its texts in one file of units. A folder of tables has them in
        ``texts.jsonl``.
    path : path
        A name with the suffix of a format (.csv, .tsv, .parquet) is one file of units. A folder that exists,
        a name without suffix, or one that ends in a slash is a folder, made where it is missing.
    format : str, optional
        Of the tables in the folder ("parquet" by default, "csv", "tsv") or of the file; or a format of an annotation
        tool that is written ("brat", "textgrid", …), whose files go into a new folder.
    drop : {"annotators", "documents", "extents", "length-unit", "no-category", "all"} or several of them, optional
        What may be lost where the file does not hold it: annotators who marked nothing, documents without
        units, extents beyond the units, the unit of length, whether units have no category or '' (they get the
        category '(none)'). "zero-length" leaves out units without length, as ELAN has none.
    decimals : int, optional
        How many decimals bounds keep: ELAN holds 3 of seconds, texts none.

    Raises
    ------
    InputError
        For a corpus that the file or format would not hold: annotators without units, extents, units with and
        without category in CSV; the message says what would be lost and what holds it.
    SettingsError
        For a suffix or format that is unknown, or a folder with the same tables in another format.
    MissingExtraError
        For Parquet without pyarrow.

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
    corpus, _ = reduced(corpus, drop, decimals)
    if not corpus.documents:
        raise InputError("the corpus has no documents; there is nothing to write")
    target = Path(path)
    tool = _tool_format(target, format)
    try:
        if tool is not None:
            write_files(corpus, path, tool)
        elif is_folder_name(path):
            _write_folder(corpus, target, table_formats.by_name(format or "parquet"))
        else:
            _write_file(corpus, target, format)
    except OSError as error:
        raise InputError(f"{target}: cannot be written: {error.strerror or error}") from error


def _tool_format(target: Path, name: str | None) -> FileFormat | None:
    """Return the format of an annotation tool that is meant, ``None`` for tables."""
    if name is not None:
        return None if name in table_formats.TABLES else formats.by_name(name)
    if target.is_dir() or not target.suffix or table_formats.by_suffix(target) is not None:
        return None
    meant = [
        fmt for fmt in formats.formats().values() if fmt.write is not None and target.suffix.lower() == fmt.suffixes[0]
    ]
    return meant[0] if len(meant) == 1 else None


def _write_folder(corpus: Corpus, folder: Path, fmt: table_formats.TableFormat) -> None:
    _check_categories(corpus, fmt)
    kept = [
        f"{kind}{known.suffix}"
        for kind in KNOWN
        for known in table_formats.TABLES.values()
        if known is not fmt and (folder / f"{kind}{known.suffix}").exists()
    ]
    kept += [TEXTS] * (corpus.texts is None and (folder / TEXTS).exists())
    if kept:
        raise SettingsError(
            f"{folder}: {kept[0]} is there, and would contradict {fmt.description}; choose another folder"
        )
    folder.mkdir(parents=True, exist_ok=True)
    cuts = cuts_of(corpus)
    for kind, columns in tables_of(corpus, Columns.of(corpus)).items():
        _write_table(fmt, folder / f"{kind}{fmt.suffix}", columns, cuts[kind])
    if corpus.texts is not None:
        from gamma_align.reading.texts import text_lines

        atomic_text(folder / TEXTS, text_lines(corpus))


def _write_file(corpus: Corpus, file: Path, name: str | None) -> None:
    fmt = table_formats.by_suffix(file) if name is None else table_formats.by_name(name)
    if fmt is None:
        suffixes = ", ".join(known.suffix for known in table_formats.TABLES.values())
        tools = ", ".join(name for name, tool in formats.formats().items() if tool.write is not None)
        raise SettingsError(
            f"{file}: files named {file.suffix} are not written, but {suffixes}, or a folder (end its name in '/'); or "
            f"files of a tool, with format= (--to), one of {tools}"
        )
    lost = lost_in_units(corpus)
    if lost:
        refuse_loss(file, lost | _lost_categories(corpus, fmt))
    _check_categories(corpus, fmt)
    _write_table(fmt, file, tables_of(corpus, Columns.of(corpus))["units"], cuts_of(corpus)["units"])


def refuse_loss(file: Path, lost: dict[str, str]) -> None:
    """Refuse to write one file of units that would lose something."""
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


def _write_table(fmt: table_formats.TableFormat, path: Path, columns: dict[str, Any], cuts: list[int]) -> None:
    try:
        fmt.write_table(path, columns, cuts)
    except UnicodeEncodeError as error:
        raise InputError(f"{path.name}: {error.object[error.start]!r} is no character UTF-8 can hold") from None


def _check_categories(corpus: Corpus, fmt: table_formats.TableFormat) -> None:
    """Refuse what an empty cell cannot tell apart."""
    lost = _lost_categories(corpus, fmt)
    if lost:
        cure = Cure("write Parquet, or {}", drop_cure(lost))
        raise InputError(f"{fmt.name.upper()} would lose {lost['no-category']}", cure)


def _lost_categories(corpus: Corpus, fmt: table_formats.TableFormat) -> dict[str, str]:
    """Return what a table loses of categories: where some units have none, or all have ''."""
    unlabelled = (corpus.category == UNLABELLED).any() or corpus.categories == ("",)
    return lost_in_categories(corpus) if unlabelled and fmt.name != "parquet" else {}


def is_folder_name(path: str | os.PathLike[str]) -> bool:
    """Whether `write` takes the path for a folder."""
    return Path(path).is_dir() or os.fspath(path).endswith(("/", os.sep)) or not Path(path).suffix


def write_new(corpus: Corpus, path: str | os.PathLike[str], *, format: str | None = None) -> None:  # noqa: A002
    """Write a corpus as `write` does, a folder in one step: its tables are made beside it and moved together."""
    if not is_folder_name(path) or _tool_format(Path(path), format) is not None:
        write(corpus, path, format=format)
        return
    check_new(path)
    try:
        with new_folder(Path(path)) as folder:
            write(corpus, f"{folder}{os.sep}", format=format)
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror or error}") from error


def write_files(corpus: Corpus, path: str | os.PathLike[str], fmt: FileFormat) -> None:
    """Write a corpus in the format of a tool: one file where the path has its suffix, else a new or empty folder."""
    if fmt.write is None:
        raise SettingsError(f"{fmt.name} is read, not written")
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
    further = sum(1 for _ in files)
    if further:
        raise InputError(
            f"{target}: the corpus makes {further + 1} files of {fmt.name}; name a folder: '{target.with_suffix('')}/'"
        )
    atomic_bytes(target, data)


def check_new(path: str | os.PathLike[str]) -> None:
    """Refuse a folder that has something in it."""
    target = Path(path)
    if target.is_dir() and any(target.iterdir()):
        raise SettingsError(f"{target}: the folder is not empty; choose another, or empty it first")


def _check_target(target: Path) -> None:
    """Refuse a path where there is something."""
    check_new(target)
    if target.is_dir():
        if target.samefile("."):
            raise SettingsError(f"{target}: is the folder you are in; name a new one")
    elif os.path.lexists(target):
        raise SettingsError(f"{target}: is a file, and a folder is to be written; choose another name")


def _checked(files: Iterable[tuple[str, bytes]], fmt: FileFormat) -> Iterator[tuple[PurePosixPath, bytes]]:
    """Yield files, each of a name of its own below the folder, on systems that do not tell A from a, or é from é."""
    taken: dict[tuple[str, ...], str] = {}  # files, and folders with a slash behind
    for name, data in files:
        path = PurePosixPath(name)
        if path.is_absolute() or not path.parts or ".." in path.parts or "\\" in name:
            raise InputError(
                f"{fmt.name}: the file {name!r} would be outside the folder; rename document and annotator"
            )
        parts = tuple(unicodedata.normalize("NFC", part).casefold() for part in path.parts)
        folders = [(parts[:length], "/".join((*path.parts[:length], ""))) for length in range(1, len(parts))]
        clashing = (taken[key] for key, folder in folders if taken.get(key, folder) != folder)
        before = taken.get(parts) or next(clashing, None)
        if before is not None:
            raise InputError(
                f"{fmt.name}: {before!r} and {name!r} would be one file or folder on some systems; rename the "
                "documents or annotators, or write a format that keeps all in one file (csv, parquet, jsonl)"
            )
        taken[parts] = name
        taken.update(folders)
        yield path, data
