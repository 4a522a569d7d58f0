"""From a path to a corpus: which files are there, in which format, and what they say together."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from gamma_align import _build
from gamma_align._tables import KNOWN, Table
from gamma_align.errors import InputError
from gamma_align.io import registry
from gamma_align.io.registry import Options

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping

    from gamma_align.continuum import Corpus


class _Files(NamedTuple):
    units: Path
    annotations: Path | None
    documents: Path | None


def read(
    path: str | os.PathLike[str],
    *,
    format: str | None = None,  # noqa: A002  (the word users know)
    columns: Mapping[str, str] | None = None,
    outside: str = "refuse",
    header: bool | str = "auto",
    annotations: str | os.PathLike[str] | None = None,
    documents: str | os.PathLike[str] | None = None,
) -> Corpus:
    """Return the corpus in a file or folder.

    Parameters
    ----------
    path : path
        A folder with ``units.parquet`` (or .csv, .tsv) and, where there are, ``annotations`` and
        ``documents`` beside it; or one file of units. Without a column ``document`` a file is one document,
        named by its stem.
    format : {"parquet", "csv", "tsv"}, optional
        Of the file, or of the tables in the folder, where the suffix does not tell.
    columns : mapping of str to str, optional
        Your names for the columns: ``{"document": "doc_id"}``.
    outside : {"refuse", "extend"}
        What to do with units outside the declared extent of their document.
    header : {"auto", True, False}
        Whether the first row of a CSV of units names the columns. ``"auto"``: it does, unless it has four
        cells, the third and fourth are numbers, and none is the name of a column; without one the file is
        read as pygamma-agreement's ``annotator,category,start,end``, and the corpus's notes say so.
    annotations, documents : path, optional
        Files of these two tables, for units in one file, or in place of those in the folder.

    Returns
    -------
    Corpus
        Its ``notes`` say what was taken otherwise than written.

    Raises
    ------
    InputError
        For a path that does not exist, is empty or of a format that is not read, and for data that cannot be
        measured; the message names file and line (row, in Parquet) and the cure.
    SettingsError
        For an unknown `format`, `header` or `outside`, or a renamed column that does not exist.
    MissingExtraError
        For Parquet without pyarrow.
    """
    options = Options(dict(columns or {}), header)
    source = Path(path)
    files = _found(source, format, _given(annotations), _given(documents))
    tables: dict[str, Table] = {}
    notes: tuple[str, ...] = ()
    for kind, file in zip(registry.KINDS, files, strict=True):
        if file is not None:
            tables[kind], told = _table(file, kind, options, format)
            notes += (*told, *_not_read(tables[kind], options))
    corpus = _build.corpus(
        tables["units"],
        annotations=tables.get("annotations"),
        documents=tables.get("documents"),
        columns=columns,
        outside=outside,
        document=files.units.stem,
        notes=notes,
    )
    if not corpus.documents:
        raise InputError(f"{source}: a header and no documents; there is nothing to measure")
    return corpus


def _given(path: str | os.PathLike[str] | None) -> Path | None:
    return None if path is None else Path(path)


def _found(source: Path, name: str | None, annotations: Path | None, documents: Path | None) -> _Files:
    if not source.exists():
        raise InputError(f"{source}: there is no such file or folder")
    if not source.is_dir():
        return _Files(source, annotations, documents)
    found = {kind: _in_folder(source, kind, name) for kind in registry.KINDS}
    if found["units"] is None:
        there = sorted(entry.name for entry in source.iterdir())
        told = ", ".join(there[:5]) + (f" … ({len(there)} in all)" if len(there) > 5 else "")  # noqa: PLR2004
        what = f"no table of units; there are {told}" if there else "the folder is empty"
        raise InputError(f"{source}: {what}; {registry.told()}")
    return _Files(found["units"], annotations or found["annotations"], documents or found["documents"])


def _in_folder(folder: Path, kind: str, name: str | None) -> Path | None:
    formats = registry.FORMATS.values() if name is None else (registry.by_name(name),)
    there = [file for fmt in formats if (file := folder / f"{kind}{fmt.suffix}").is_file()]
    if len(there) > 1:
        raise InputError(
            f"{folder}: {' and '.join(file.name for file in there)} are both there; delete one, or say which "
            "with format="
        )
    return there[0] if there else None


def _table(file: Path, kind: str, options: Options, name: str | None) -> tuple[Table, tuple[str, ...]]:
    fmt = registry.by_suffix(file)
    if name is not None and (kind == "units" or fmt is None):
        fmt = registry.by_name(name)
    if fmt is None:
        raise InputError(f"{file}: files named {file.suffix or 'without suffix'} are not read; {registry.told()}")
    try:
        if not file.is_file():
            raise InputError(f"{file}: there is no such file")
        return fmt.read(file, kind, options)
    except OSError as error:
        raise InputError(f"{file}: cannot be read: {error.strerror or error}") from error


def _not_read(table: Table, options: Options) -> tuple[str, ...]:
    """Return notes on columns whose absence could be a misspelling, and on one that changes what a row is."""
    if table.kind != "units":
        return ()
    known = {options.columns.get(name, name) for name in KNOWN["units"]}
    others = [name for name in table.columns if name not in known]
    told = f"(columns not read: {', '.join(map(repr, others))})"
    notes: list[Any] = []
    for name, what in (
        ("document", "all units are taken as of one document"),
        ("category", "units have none"),
    ):
        if others and options.columns.get(name, name) not in table.columns:
            notes.append(f"{table.place}: no column '{name}': {what} {told}")
    if "unit" in others:
        notes.append(f"{table.place}: column 'unit' is not read: each row is a unit of its own")
    return tuple(notes)
