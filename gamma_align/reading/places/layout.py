"""From a path to the files to read, and the documents and annotators that their paths name.

A path is a file, a folder, or a template, which is a path with fields in it: ``"{annotator}/{document}.ann"``.
``{annotator}`` and ``{document}`` are the name of a folder, or a part of it or of a file's, and the same wherever they
stand; ``{_}`` is anything there, ``*`` anything or nothing, ``**`` any folders. Folders that exist under a name with
braces or stars are meant as they are; elsewhere a brace that is meant is doubled.
"""

from __future__ import annotations

import os
import re
import stat
from collections import Counter
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from gamma_align.data.problem import few
from gamma_align.errors import InputError, SettingsError
from gamma_align.reading import formats
from gamma_align.reading.files.sources import Source
from gamma_align.reading.formats import FileFormat
from gamma_align.reading.places.kinds import is_of_the_kind
from gamma_align.reading.places.namings import Naming, possible_namings
from gamma_align.reading.places.walk import walked

_FIELDS = ("annotator", "document", "_")
_NO_ANNOTATORS = ("INITIAL_CAS", "CORRECTION_USER", "CURATION_USER")
"""Files of INCEpTION that no annotator made: the document before annotation, and what a curator made of annotations."""
_TOKEN = re.compile(r"\{\{|\}\}|\{([^{}]*)\}|\*\*/?|\*|[{}]")


class Placed(NamedTuple):
    """A file to read, and the document and annotator that its path names.

    `firm` is whether the user says so (a template); then it holds even where the file says otherwise. `guessed` is
    whether the annotator is named by the file for want of anything better. `is_doubtful` is whether the file is read
    because of its name alone: its content does not look like the format of the files beside it.
    """

    source: Source
    fields: dict[str, str]
    firm: bool = False
    guessed: bool = False
    is_doubtful: bool = False


class Layout(NamedTuple):
    """The files to read, their format, and what was guessed.

    `namings` are the ways to read the names in folders, if the material of the files is to decide between them; files
    are named by the first.
    """

    fmt: FileFormat
    files: tuple[Placed, ...]
    notes: tuple[str, ...] = ()
    namings: tuple[Naming, ...] = ()


def from_template(path: str, name: str | None, encoding: str | None) -> Layout:
    """Return the files that fit a template."""
    pattern = template(path)
    base = pattern.base
    if not os.path.isdir(base):  # noqa: PTH112  (false for a name no system takes, where Path raises)
        raise InputError(f"{path}: there is no folder {base}")
    there = walked(base, pattern.depth)
    fields_of = {relative: pattern.fields(relative) for relative in there.files}
    fitting = [
        Placed(Source(base / relative, relative, encoding), fields, firm=True)
        for relative, fields in fields_of.items()
        if fields is not None
    ]
    if not fitting:
        raise InputError(f"{path}: no file fits; the folder {base} has {few(there.files) or 'no files'}")
    chosen = _of_one_format(fitting, name, path, pattern.rest)
    if chosen is None:
        known = ", ".join(formats.formats())
        raise InputError(
            f"{path}: none of the {len(fitting)} files that fit is of a format that is read ({known}): "
            f"{_names(fitting)}; say which it is with format= (--format)"
        )
    fmt, files, notes = chosen
    return Layout(fmt, tuple(files), (*there.notes, *notes))


def from_folder(folder: Path, name: str | None, encoding: str | None, *, by_tier: bool = False) -> Layout | None:
    """Return the annotation files of a folder and what their paths say, ``None`` where no format takes any.

    Where files do not say who annotated, each folder inside is an annotator (as in brat), or each file, where the
    files say their documents; if they say neither, the layout has the ways to read their paths. `by_tier` is whether
    the user says that tiers name the annotators.
    """
    there = walked(folder)
    files_there = [Placed(Source(folder / relative, relative, encoding), {}) for relative in there.files]
    shown = folder.name or str(folder)
    chosen = _of_one_format(files_there, name, str(folder), shown)
    if chosen is None:
        return None
    fmt, files, notes = chosen
    named = _named(files, fmt, shown, by_tier=by_tier)
    return Layout(fmt, named.files, (*there.notes, *notes, *named.notes), named.namings)


def from_file(path: Path, name: str | None, encoding: str | None) -> Layout | None:
    """Return the one file, or ``None`` where no format takes it for its own."""
    source = Source(path, path.name, encoding)
    if name is None and not _is_regular(path):
        raise InputError(f"{path}: is no file but a pipe or device; say what is in it with format= (--format)")
    fmt = formats.by_name(name) if name is not None else _format_of(source)
    if fmt is None:
        return None
    fields = {"document": source.stem}
    if "annotator" not in fmt.declared(source.head):
        fields["annotator"] = source.stem
    notes = () if name is not None else (f"{path.name}: read as {fmt.description}",)
    return Layout(fmt, (Placed(source, fields, guessed=True),), notes)


def _is_regular(path: Path) -> bool:
    """Whether it can be looked at and read again."""
    try:
        return stat.S_ISREG(os.stat(path).st_mode)  # noqa: PTH116  (Path.stat raises for a name no system takes)
    except (OSError, ValueError):
        return True  # reading it says what is wrong


def _format_of(source: Source) -> FileFormat | None:
    claims = formats.claiming(source.head)
    if len(claims) > 1:
        names = " and ".join(f"{fmt.name} ({fmt.description})" for fmt in claims)
        raise InputError(f"{source.name}: looks like {names}; say which it is with format= (--format)")
    return claims[0] if claims else None


def _of_one_format(
    present: list[Placed], name: str | None, path: str, shown: str
) -> tuple[FileFormat, list[Placed], tuple[str, ...]] | None:
    """Return the format of the files, those that are of it, and a note on the others."""
    fmt, files = _sniffed(present, path) if name is None else _asked(present, formats.by_name(name), path)
    if fmt is None:
        return None
    taken = {id(file.source) for file in files}
    others = [file.source for file in present if id(file.source) not in taken and file.source.suffix not in fmt.beside]
    notes = [] if name is not None else [f"{shown}: read as {fmt.description}"]
    if others:
        which = f"{len(others)} other files are" if len(others) > 1 else "1 other file is"
        notes.append(f"{shown}: {which} not read: {few(source.name for source in others)}")
    return fmt, files, tuple(notes)


def _asked(present: list[Placed], fmt: FileFormat, path: str) -> tuple[FileFormat, list[Placed]]:
    """Return the files of the format asked for: those of its suffixes, or what a template names otherwise."""
    files = [file for file in present if file.source.suffix in fmt.suffixes]
    if not files and present and present[0].firm:
        files = [file for file in present if file.source.suffix not in fmt.beside]
    if not files:
        raise InputError(f"{path}: no file named {', '.join(fmt.suffixes)}; there are {_names(present)}")
    return fmt, files


def _sniffed(present: list[Placed], path: str) -> tuple[FileFormat | None, list[Placed]]:
    """Return the one format that files are of, and those files."""
    taken = [(file, _format_of(file.source)) for file in present]
    counts = Counter(fmt.name for _, fmt in taken if fmt is not None)
    if len(counts) > 1:
        formats_of = ", ".join(f"{count} of {name}" for name, count in counts.most_common())
        raise InputError(f"{path}: files of several formats ({formats_of}); say which to read with format= (--format)")
    chosen = next((fmt for _, fmt in taken if fmt is not None), None)
    recognised = [file.source for file, fmt in taken if fmt is not None]
    files = []
    for file, fmt in taken:
        if fmt is not None or _is_meant(file, chosen):
            files.append(file)
        elif chosen is not None and is_of_the_kind(file.source, chosen, recognised):
            files.append(file._replace(is_doubtful=True))
    return chosen, files


def _is_meant(file: Placed, fmt: FileFormat | None) -> bool:
    """Whether a file that looks like nothing is one of the format all the same, and damaged: reading it says so."""
    suffix = file.source.suffix
    if fmt is None or suffix not in fmt.suffixes:
        return False
    return file.firm or [fmt] == [known for known in formats.formats().values() if suffix in known.suffixes]


class _Named(NamedTuple):
    """Files with the names in their paths; the notes and namings are those of a `Layout`."""

    files: tuple[Placed, ...]
    notes: tuple[str, ...] = ()
    namings: tuple[Naming, ...] = ()


def _named(files: list[Placed], fmt: FileFormat, shown: str, *, by_tier: bool) -> _Named:
    """Return the files with the names in their paths.

    Where paths do not tell the annotators apart, none is named: a pattern of the user may yet.
    """
    paths = [PurePosixPath(file.source.name) for file in files]
    inside = [str(path.with_suffix("")) for path in paths]
    declared = fmt.declared(files[0].source.head)
    in_folders = all(len(path.parts) > 1 for path in paths)
    if in_folders and any(path.stem in _NO_ANNOTATORS for path in paths):
        return _of_inception(files, shown)
    anonymous = in_folders and fmt.anonymous is not None and all(fmt.anonymous(file.source.head) for file in files)
    if by_tier or ("annotator" in declared and not anonymous):
        alone = len(files) == 1
        return _Named(
            tuple(_with(file, document=name)._replace(guessed=alone) for file, name in zip(files, inside, strict=True))
        )
    if in_folders:
        namings = possible_namings(paths)
        named = tuple(_with(file, **names) for file, names in zip(files, namings[0].fields, strict=True))
        if "document" in declared:
            return _Named(named, (f"{shown}: {namings[0].note}",))
        return _Named(named, (), tuple(namings))
    if "document" in declared or len(files) == 1:
        return _Named(
            tuple(
                file._replace(fields={"annotator": path.stem, "document": path.stem}, guessed=True)
                for file, path in zip(files, paths, strict=True)
            )
        )
    return _Named(tuple(_with(file, document=name) for file, name in zip(files, inside, strict=True)))


def _of_inception(files: list[Placed], shown: str) -> _Named:
    """Return the files of an unpacked project of INCEpTION, <document>/<annotator>, that annotators made."""
    paths = [PurePosixPath(file.source.name) for file in files]
    of_annotators = [path.stem not in _NO_ANNOTATORS and _kind(path) in ("annotation", "") for path in paths]
    if not any(of_annotators):  # curated documents alone
        of_annotators = [path.stem != _NO_ANNOTATORS[0] for path in paths]
    named = tuple(
        _with(file, annotator=path.stem, document=path.parent.name)
        for file, path, is_kept in zip(files, paths, of_annotators, strict=True)
        if is_kept
    )
    note = f"{shown}: as in projects of INCEpTION, folders are documents and files annotators"
    dropped = [path.stem for path, is_kept in zip(paths, of_annotators, strict=True) if not is_kept]
    if dropped:
        note += f"; {len(dropped)} files that no annotator made are left out: {few(dict.fromkeys(dropped))}"
    return _Named(named, (note,))


def _kind(path: PurePosixPath) -> str:
    """Return the folder of an exported project that a file is in: "annotation", "curation" or "source"."""
    return next((part for part in path.parts[:-1] if part in ("annotation", "curation", "source")), "")


def _names(files: list[Placed]) -> str:
    return few(file.source.name for file in files) or "no files"


def _with(file: Placed, **fields: str) -> Placed:
    return file._replace(fields={**fields, **file.fields}, firm=False, guessed=False)


@dataclass(frozen=True, slots=True)
class Template:
    """A path with fields.

    `base` is the folder before the first field, `rest` what follows it, `depth` how many folders below it the files are
    (``None``: any).
    """

    base: Path
    rest: str
    depth: int | None
    _greedy: re.Pattern[str]
    _lazy: re.Pattern[str]

    def fields(self, path: str) -> dict[str, str] | None:
        """Return the fields of a path below the base, ``None`` where it does not fit."""
        fits, lazy = self._greedy.fullmatch(path), self._lazy.fullmatch(path)
        if fits is None or lazy is None:
            return None
        if fits.groupdict() != lazy.groupdict():
            ways = " or ".join(
                ", ".join(f"{name} {value!r}" for name, value in match.groupdict().items()) for match in (fits, lazy)
            )
            raise InputError(f"{path}: fits {self.rest!r} in two ways: {ways}; give a path that tells them apart")
        return fits.groupdict()


def is_template(path: str) -> bool:
    """Whether the path is a template: no file of that very name, and braces or stars in it."""
    return not os.path.lexists(path) and _TOKEN.search(path) is not None


def template(path: str) -> Template:
    """Return a path with fields, taken apart."""
    base, rest = _split(path.replace(os.sep, "/"))
    return Template(
        Path(base or "."),
        rest,
        None if "**" in rest else rest.count("/"),
        _compiled(rest, ""),
        _compiled(rest, "?"),
    )


def _split(path: str) -> tuple[str, str]:
    """Return the folder that is meant as it is written, and the rest."""
    cut = 0
    while True:
        slash = path.find("/", cut)
        if slash < 0:
            return path[:cut], path[cut:]
        if _TOKEN.search(path, cut, slash) and not os.path.isdir(path[:slash]):  # noqa: PTH112  (never raises)
            return path[:cut], path[cut:]
        cut = slash + 1


def _compiled(rest: str, lazy: str) -> re.Pattern[str]:
    parts: list[str] = []
    seen: set[str] = set()
    begin = 0
    for match in _TOKEN.finditer(rest):
        parts += (re.escape(rest[begin : match.start()]), _group(match, seen, lazy))
        begin = match.end()
    return re.compile("".join((*parts, re.escape(rest[begin:]))), re.DOTALL)


def _group(match: re.Match[str], seen: set[str], lazy: str) -> str:
    name, written = match.group(1), match.group()
    if written in ("{{", "}}"):
        return re.escape(written[0])
    if written in ("{", "}"):
        raise SettingsError(f"a path with a single {written!r} in it; a brace that is meant is doubled")
    if name is None:
        return {"*": f"[^/]*{lazy}", "**": f".*{lazy}", "**/": f"(?:.*{lazy}/)?{lazy}"}[written]
    if name not in _FIELDS:
        raise SettingsError(
            f"a path may have {{annotator}}, {{document}}, {{_}} and * in it, not {written}; a brace that is meant is "
            "doubled"
        )
    if name == "_":
        return f"[^/]+{lazy}"
    if name in seen:
        return f"(?P={name})"
    seen.add(name)
    return f"(?P<{name}>[^/]+{lazy})"
