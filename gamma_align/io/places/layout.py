"""From a path to the files to read, and what their places say: document and annotator.

A path is a file, a folder, or a template (see `templates`).
"""

from __future__ import annotations

import os
import stat
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from gamma_align.errors import InputError
from gamma_align.io import formats
from gamma_align.io.files.sources import Source
from gamma_align.io.files.walk import walked
from gamma_align.io.formats import FileFormat
from gamma_align.io.places.templates import is_template, template

__all__ = ["Layout", "Placed", "from_file", "from_folder", "from_template", "is_template"]

_SHOWN = 5


@dataclass(frozen=True, slots=True)
class Placed:
    """A file to read, and the document and annotator that its path names.

    `firm` is whether the user says so (a template); then it holds even where the file says otherwise. `guessed` is
    whether the annotator is named by the file for want of anything better.
    """

    source: Source
    fields: dict[str, str]
    firm: bool = False
    guessed: bool = False


@dataclass(frozen=True, slots=True)
class Layout:
    """The files to read, their format, and what was guessed."""

    fmt: FileFormat
    files: tuple[Placed, ...]
    notes: tuple[str, ...] = field(default=())


def from_template(path: str, name: str | None, encoding: str | None) -> Layout:
    """Return the files that fit a template."""
    its = template(path)
    if not os.path.isdir(its.base):  # noqa: PTH112  (false for a name no system takes, where Path raises)
        raise InputError(f"{path}: there is no folder {its.base}")
    there = walked(its.base, its.depth)
    found = []
    for relative in there.files:
        fields = its.fields(relative)
        if fields is not None:
            found.append(Placed(Source(its.base / relative, relative, encoding), fields, firm=True))
    if not found:
        raise InputError(f"{path}: no file fits; the folder {its.base} has {_few(there.files)}")
    chosen = _of_one_format(found, name, path, its.rest)
    if chosen is None:
        known = ", ".join(formats.formats())
        raise InputError(
            f"{path}: none of the {len(found)} files that fit is of a format that is read ({known}): "
            f"{_few(file.source.name for file in found)}; say which it is with format= (--format)"
        )
    fmt, files, notes = chosen
    return Layout(fmt, tuple(files), (*there.notes, *notes))


def from_folder(folder: Path, name: str | None, encoding: str | None) -> Layout | None:
    """Return the annotation files of a folder and what their places say, ``None`` where no format takes any.

    Where files do not say who annotated, each folder inside is an annotator (as in brat), or each file, where the
    files say their documents.
    """
    there = walked(folder)
    found = [Placed(Source(folder / relative, relative, encoding), {}) for relative in there.files]
    shown = folder.name or str(folder)
    chosen = _of_one_format(found, name, str(folder), shown)
    if chosen is None:
        return None
    fmt, files, notes = chosen
    placed, guess = _named(files, fmt, shown)
    return Layout(fmt, tuple(placed), (*there.notes, *notes, *guess))


def from_file(path: Path, name: str | None, encoding: str | None) -> Layout | None:
    """Return the one file, or ``None`` where no format takes it for its own."""
    source = Source(path, path.name, encoding)
    if name is None and not _is_regular(path):
        raise InputError(f"{path}: is no file but a pipe or device; say what is in it with format= (--format)")
    fmt = formats.by_name(name) if name is not None else _format_of(source)
    if fmt is None:
        return None
    fields = {} if "document" in fmt.declares else {"document": source.stem}
    if "annotator" not in fmt.declares:
        fields["annotator"] = source.stem
    told = () if name is not None else (f"{path.name}: read as {fmt.description}",)
    return Layout(fmt, (Placed(source, fields, guessed=True),), told)


def _is_regular(path: Path) -> bool:
    """Whether it can be looked at and read again."""
    try:
        return stat.S_ISREG(os.stat(path).st_mode)  # noqa: PTH116  (Path.stat raises for a name no system takes)
    except (OSError, ValueError):
        return True  # reading it tells what is wrong


def _format_of(source: Source) -> FileFormat | None:
    claims = formats.claiming(source.head)
    if len(claims) > 1:
        told = " and ".join(f"{fmt.name} ({fmt.description})" for fmt in claims)
        raise InputError(f"{source.name}: looks like {told}; say which it is with format= (--format)")
    return claims[0] if claims else None


def _of_one_format(
    found: list[Placed], name: str | None, place: str, shown: str
) -> tuple[FileFormat, list[Placed], tuple[str, ...]] | None:
    """Return the format of the files, those that are of it, and a note on the others."""
    fmt, files = _sniffed(found, place) if name is None else _asked(found, formats.by_name(name), place)
    if fmt is None:
        return None
    taken = {id(file) for file in files}
    others = [file.source for file in found if id(file) not in taken and file.source.suffix not in fmt.beside]
    notes = [] if name is not None else [f"{shown}: read as {fmt.description}"]
    if others:
        notes.append(f"{shown}: {len(others)} other files are not read: {_few(source.name for source in others)}")
    return fmt, files, tuple(notes)


def _asked(found: list[Placed], fmt: FileFormat, place: str) -> tuple[FileFormat, list[Placed]]:
    """Return the files of the format asked for: those of its suffixes, or what a template names otherwise."""
    files = [file for file in found if file.source.suffix in fmt.suffixes]
    if not files and found and found[0].firm:
        files = [file for file in found if file.source.suffix not in fmt.beside]
    if not files:
        told = ", ".join(fmt.suffixes)
        raise InputError(f"{place}: no file named {told}; there are {_few(file.source.name for file in found)}")
    return fmt, files


def _sniffed(found: list[Placed], place: str) -> tuple[FileFormat | None, list[Placed]]:
    """Return the one format that files are of, and those files."""
    taken = [(file, _format_of(file.source)) for file in found]
    counts = Counter(fmt.name for _, fmt in taken if fmt is not None)
    if len(counts) > 1:
        told = ", ".join(f"{count} of {name}" for name, count in counts.most_common())
        raise InputError(f"{place}: files of several formats ({told}); say which to read with format= (--format)")
    chosen = next((fmt for _, fmt in taken if fmt is not None), None)
    return chosen, [file for file, its in taken if its is not None or _is_meant(file, chosen)]


def _is_meant(file: Placed, fmt: FileFormat | None) -> bool:
    """Whether a file that looks like nothing is one of the format all the same, and damaged: reading it tells."""
    suffix = file.source.suffix
    if fmt is None or suffix not in fmt.suffixes:
        return False
    return file.firm or all(suffix not in other.suffixes for other in formats.formats().values() if other is not fmt)


def _named(files: list[Placed], fmt: FileFormat, shown: str) -> tuple[list[Placed], tuple[str, ...]]:
    """Return the files with the names their places give, and a note on what was guessed.

    Where places do not tell the annotators apart, none is given: a pattern of the user may yet.
    """
    paths = [PurePosixPath(file.source.name) for file in files]
    inside = [str(path.with_suffix("")) for path in paths]
    if "annotator" in fmt.declares:
        return [_with(file, document=name) for file, name in zip(files, inside, strict=True)], ()
    if all(len(path.parts) > 1 for path in paths):
        named = [
            _with(file, annotator=path.parts[0], document=name.partition("/")[2])
            for file, path, name in zip(files, paths, inside, strict=True)
        ]
        people = dict.fromkeys(path.parts[0] for path in paths)
        return named, (f"{shown}: each folder is taken for an annotator: {_few(people)}",)
    if "document" in fmt.declares or len(files) == 1:
        return [
            Placed(file.source, {"annotator": path.stem, "document": path.stem}, guessed=True)
            for file, path in zip(files, paths, strict=True)
        ], ()
    return [_with(file, document=name) for file, name in zip(files, inside, strict=True)], ()


def _with(file: Placed, **fields: str) -> Placed:
    return Placed(file.source, {**fields, **file.fields})


def _few(names: Iterable[str]) -> str:
    names = list(names)
    more = f" … ({len(names)} in all)" if len(names) > _SHOWN else ""
    return (", ".join(names[:_SHOWN]) or "no files") + more
