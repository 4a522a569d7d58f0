"""The files to read at a path, and the documents and annotators that their paths name.

A path is a file, a folder, or a template, which is a path with fields: ``"{annotator}/{document}.ann"``.
``{annotator}`` and ``{document}`` stand for the name of a folder or file or a part of it, and for the same text
wherever they occur; ``{_}`` stands for any text, ``*`` for any text or none, ``**`` for any folders. Existing folders
with braces or stars in their names are taken literally; elsewhere a literal brace is doubled.
"""

from __future__ import annotations

import os
import re
import stat
from collections import Counter
from dataclasses import dataclass
from itertools import compress
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from gamma_align.data import few
from gamma_align.errors import Cure, InputError, Location, Set, SettingsError
from gamma_align.reading import formats
from gamma_align.reading.files.sources import Source
from gamma_align.reading.formats import FileFormat
from gamma_align.reading.places.kinds import is_of_the_kind
from gamma_align.reading.places.namings import Naming, possible_namings
from gamma_align.reading.places.walk import is_folder, walk_folder

_FIELD_NAMES = ("annotator", "document", "_")
_NO_ANNOTATORS = ("INITIAL_CAS", "CORRECTION_USER", "CURATION_USER")
"""Files of INCEpTION without annotations by annotators: the document before annotation, and curated documents."""
_NAME_THE_FORMAT = Cure("name the format with {}", Set("format"))
_DOUBLE_BRACES = Cure("double each literal brace")
_TOKEN = re.compile(r"\{\{|\}\}|\{([^{}]*)\}|\*\*/?|\*|[{}]")  # of a template


class SeveralFormatsError(InputError):
    """Files of several formats in one folder, which may be read one by one.

    `paths` are those with annotations, and `layouts` the files of each format if they match a template.
    """

    paths: tuple[Path, ...] = ()
    layouts: tuple[Layout, ...] = ()


class Placed(NamedTuple):
    """A file to read, and the document and annotator that its path names.

    `firm` is whether the names come from a template of the user; they then take precedence over names in the file.
    `guessed` is whether the file name serves as the annotator because nothing else does. `is_doubtful` is whether the
    file is read because of its name alone: its content does not look like the format of the files beside it.
    """

    source: Source
    fields: dict[str, str]
    firm: bool = False
    guessed: bool = False
    is_doubtful: bool = False


class Layout(NamedTuple):
    """The files to read, their format, and notes on assumptions.

    `namings` are the ways to read the names in folders, if the material of the files has to decide between them; files
    are named in the first way.
    """

    fmt: FileFormat
    files: tuple[Placed, ...]
    notes: tuple[str, ...] = ()
    namings: tuple[Naming, ...] = ()


def from_template(path: str, name: str | None, encoding: str | None) -> Layout:
    """Return the files that match a template."""
    parsed = parse_template(path)
    base = parsed.base
    location = Location(path)
    if not is_folder(base):
        raise InputError(f"there is no folder {base}", location=location)
    walk = walk_folder(base, parsed.depth)
    matching: list[Placed] = []
    for relative in walk.files:
        fields = parsed.fields(relative)
        if fields is not None:
            matching.append(Placed(Source(base / relative, relative, encoding), fields, firm=True))
    if not matching:
        cause = f"no file matches; the folder {base} has {few(walk.files) or 'no files'}"
        raise InputError(cause, location=location)
    selected = _select_format(matching, name, path, parsed.pattern)
    if selected is None:
        names = ", ".join(formats.formats())
        raise InputError(
            f"none of the {len(matching)} files that match has a known format ({names}): {_few_names(matching)}",
            _NAME_THE_FORMAT,
            location,
        )
    fmt, files, notes = selected
    return Layout(fmt, tuple(files), (*walk.notes, *notes))


def from_folder(folder: Path, name: str | None, encoding: str | None, *, by_tier: bool = False) -> Layout | None:
    """Return the annotation files of a folder with the names in their paths, ``None`` if no format recognises a file.

    If files do not name their annotators, each folder inside is an annotator (as in brat), or each file is, if the
    files name their documents. If they name neither, the layout has the possible ways to read their paths. `by_tier` is
    whether tiers name the annotators.
    """
    walk = walk_folder(folder)
    all_files = [Placed(Source(folder / relative, relative, encoding), {}) for relative in walk.files]
    shown = folder.name or str(folder)
    selected = _select_format(all_files, name, str(folder), shown)
    if selected is None:
        return None
    fmt, files, notes = selected
    named = _name_files(files, fmt, shown, by_tier=by_tier)
    return Layout(fmt, named.files, (*walk.notes, *notes, *named.notes), named.namings)


def from_file(path: Path, name: str | None, encoding: str | None) -> Layout | None:
    """Return a single file, ``None`` if no format recognises it."""
    source = Source(path, path.name, encoding)
    # Recognising the format would consume the content of a pipe.
    if name is None and not _is_regular(path):
        raise InputError("is no file but a pipe or device", _NAME_THE_FORMAT, Location(str(path)))
    fmt = formats.by_name(name) if name is not None else _format_of(source)
    if fmt is None:
        return None
    fields = {"document": source.stem}
    if "annotator" not in fmt.declared(source.head):
        fields["annotator"] = source.stem
    notes = () if name is not None else (f"{path.name}: read as {fmt.description}",)
    return Layout(fmt, (Placed(source, fields, guessed=True),), notes)


def _is_regular(path: Path) -> bool:
    """Return whether a path is a regular file, which can be read twice."""
    try:
        return stat.S_ISREG(os.stat(path).st_mode)  # noqa: PTH116  (Path.stat raises for a name no system takes)
    except (OSError, ValueError):
        return True  # reading it reports the problem


def _format_of(source: Source) -> FileFormat | None:
    """Return the format that recognises the file, ``None`` if none does; refuse a file that several recognise."""
    claims = formats.matching_formats(source.head)
    if len(claims) > 1:  # a document named "O" makes a file of a few words look like CoNLL, too: the suffix decides
        claims = [fmt for fmt in claims if source.suffix in fmt.suffixes] or claims
    if len(claims) > 1:
        names = " and ".join(f"{fmt.name} ({fmt.description})" for fmt in claims)
        raise InputError(f"looks like {names}", _NAME_THE_FORMAT, Location(source.name))
    return claims[0] if claims else None


def _select_format(
    present: list[Placed], name: str | None, path: str, shown: str
) -> tuple[FileFormat, list[Placed], tuple[str, ...]] | None:
    """Return the format of the files, the files in it, and notes with the format and the other files.

    ``None`` if no format recognises a file. Files of several formats are refused with a `SeveralFormatsError`.
    """
    if name is None:
        fmt, files = _recognise_format(present, path)
    else:
        fmt, files = _files_of_named_format(present, formats.by_name(name), path)
    if fmt is None:
        return None
    read = {id(file.source) for file in files}
    unread = [file.source for file in present if id(file.source) not in read and file.source.suffix not in fmt.beside]
    notes = [] if name is not None else [f"{shown}: read as {fmt.description}"]
    if unread:
        count = f"{len(unread)} other files are" if len(unread) > 1 else "1 other file is"
        # Others of the same suffix could be meant as well: then the note says what is read.
        is_alike = any(source.suffix == file.source.suffix for source in unread for file in files)
        files_read = f"read from {few(file.source.name for file in files)}; " if is_alike else ""
        notes.append(f"{shown}: {files_read}{count} not read: {few(source.name for source in unread)}")
    return fmt, files, tuple(notes)


def _files_of_named_format(present: list[Placed], fmt: FileFormat, path: str) -> tuple[FileFormat, list[Placed]]:
    """Return the format and the files with one of its suffixes; raise an `InputError` if there are none.

    If no file has the suffix, the files of a template are all returned, except those that only accompany the format.
    """
    files = [file for file in present if file.source.suffix in fmt.suffixes]
    if not files and present and present[0].firm:
        files = [file for file in present if file.source.suffix not in fmt.beside]
    if not files:
        cause = f"no file named {', '.join(fmt.suffixes)}; there are {_few_names(present)}"
        raise InputError(cause, location=Location(path))
    return fmt, files


def _recognise_format(present: list[Placed], path: str) -> tuple[FileFormat | None, list[Placed]]:
    """Return the only format that recognises files, and its files; (``None``, []) if no format does.

    Files that are not recognised are included if they seem to be damaged files of the format, and marked as doubtful if
    only their name says so. Several formats are refused with a `SeveralFormatsError`.
    """
    pairs = [(file, _format_of(file.source)) for file in present]
    counts = Counter(fmt.name for _, fmt in pairs if fmt is not None)
    if len(counts) > 1:
        counted = ", ".join(f"{count} of {name}" for name, count in counts.most_common())
        error = SeveralFormatsError(
            f"files of several formats ({counted})",
            Cure(
                "choose one with {}; or read all as one corpus: name files or folders one by one, or give a path such "
                "as '{}'",
                Set("format"),
                f"{path}/{{annotator}}/{{document}}.*",
            ),
            Location(path),
        )
        error.layouts = tuple(_layouts_by_format(pairs)) if present[0].firm else ()
        accompanying_suffixes = {suffix for _, fmt in pairs if fmt is not None for suffix in fmt.beside}
        with_annotations = (
            file.source for file, fmt in pairs if fmt is not None or file.source.suffix not in accompanying_suffixes
        )
        error.paths = tuple(source.path for source in with_annotations)
        raise error
    common_format = next((fmt for _, fmt in pairs if fmt is not None), None)
    if common_format is None:
        return None, []
    recognised = [file.source for file, fmt in pairs if fmt is not None]
    files = []
    for file, fmt in pairs:
        # A file that no format recognises, but whose suffix is that of the format, is damaged; reading it says how.
        has_suffix = fmt is None and file.source.suffix in common_format.suffixes
        is_damaged = has_suffix and (file.firm or _has_own_suffix(file, common_format))
        if fmt is not None or is_damaged:
            files.append(file)
        elif is_of_the_kind(file.source, common_format, recognised):
            files.append(file._replace(is_doubtful=True))
    return common_format, files


def _layouts_by_format(pairs: list[tuple[Placed, FileFormat | None]]) -> list[Layout]:
    """Return a layout for each format among the files of a template, with a note on files that are not read."""
    kinds = {fmt.name: fmt for _, fmt in pairs if fmt is not None}.values()
    unread = [
        file for file, fmt in pairs if fmt is None and not any(file.source.suffix in kind.beside for kind in kinds)
    ]
    layouts = []
    for kind in kinds:
        damaged = [file for file in unread if _has_own_suffix(file, kind)]
        unread = [file for file in unread if file not in damaged]
        files = [file for file, fmt in pairs if fmt is kind or file in damaged]
        layouts.append(Layout(kind, tuple(files), (f"read as {kind.description}: {_few_names(files)}",)))
    if unread:
        notes = (*layouts[0].notes, f"of no known format, and not read: {_few_names(unread)}")
        layouts[0] = layouts[0]._replace(notes=notes)
    return layouts


def _has_own_suffix(file: Placed, fmt: FileFormat) -> bool:
    """Return whether no other format has files with the suffix of a file."""
    suffix = file.source.suffix
    return [fmt] == [candidate for candidate in formats.formats().values() if suffix in candidate.suffixes]


class _Named(NamedTuple):
    """Files with the names in their paths; the notes and namings are as in `Layout`."""

    files: tuple[Placed, ...]
    notes: tuple[str, ...] = ()
    namings: tuple[Naming, ...] = ()


def _name_files(files: list[Placed], fmt: FileFormat, shown: str, *, by_tier: bool) -> _Named:
    """Return the files with the names in their paths.

    If paths do not distinguish the annotators, none is named; a pattern of the user may still name them.
    """
    paths = [PurePosixPath(file.source.name) for file in files]
    inside = [str(path.with_suffix("")) for path in paths]
    declared = fmt.declared(files[0].source.head)
    in_folders = all(len(path.parts) > 1 for path in paths)
    if in_folders and any(path.stem in _NO_ANNOTATORS for path in paths):
        return _name_as_inception(files, shown)
    anonymous = in_folders and fmt.anonymous is not None and all(fmt.anonymous(file.source.head) for file in files)
    if by_tier or ("annotator" in declared and not anonymous):
        is_single = len(files) == 1
        documents = (_with_guessed_fields(file, document=name) for file, name in zip(files, inside, strict=True))
        return _Named(tuple(file._replace(guessed=is_single) for file in documents))
    if in_folders:
        namings = possible_namings(paths)
        named = tuple(_with_guessed_fields(file, **names) for file, names in zip(files, namings[0].fields, strict=True))
        if "document" in declared:
            return _Named(named, (f"{shown}: {namings[0].note}",))
        return _Named(named, (), tuple(namings))
    if "document" in declared or len(files) == 1:
        names = ({"annotator": path.stem, "document": path.stem} for path in paths)
        return _Named(
            tuple(file._replace(fields=fields, guessed=True) for file, fields in zip(files, names, strict=True))
        )
    return _Named(tuple(_with_guessed_fields(file, document=name) for file, name in zip(files, inside, strict=True)))


def _name_as_inception(files: list[Placed], shown: str) -> _Named:
    """Return the files by annotators of an unpacked project of INCEpTION, <document>/<annotator>."""
    paths = [PurePosixPath(file.source.name) for file in files]
    is_kept = [path.stem not in _NO_ANNOTATORS and _kind(path) in ("annotation", "") for path in paths]
    if not any(is_kept):  # curated documents alone
        is_kept = [path.stem != _NO_ANNOTATORS[0] for path in paths]
    named = tuple(
        _with_guessed_fields(file, annotator=path.stem, document=path.parent.name)
        for file, path in compress(zip(files, paths, strict=True), is_kept)
    )
    note = f"{shown}: as in projects of INCEpTION, folders are documents and files annotators"
    dropped = [path.stem for path, kept in zip(paths, is_kept, strict=True) if not kept]
    if dropped:
        note += f"; {len(dropped)} files that no annotator made are left out: {few(dict.fromkeys(dropped))}"
    return _Named(named, (note,))


def _kind(path: PurePosixPath) -> str:
    """Return the folder of an exported project that a file is in: "annotation", "curation" or "source"."""
    return next((part for part in path.parts[:-1] if part in ("annotation", "curation", "source")), "")


def _few_names(files: list[Placed]) -> str:
    return few(file.source.name for file in files) or "no files"


def _with_guessed_fields(file: Placed, **fields: str) -> Placed:
    """Return the file with these fields added; names that it already has are kept."""
    return file._replace(fields={**fields, **file.fields}, firm=False, guessed=False)


@dataclass(frozen=True, slots=True)
class Template:
    """A path with fields.

    `base` is the folder before the first field, `pattern` the part of the path from there on, and `depth` the number of
    folders between base and files, ``None`` for any number.
    """

    base: Path
    pattern: str
    depth: int | None
    _greedy: re.Pattern[str]
    _lazy: re.Pattern[str]

    def fields(self, path: str) -> dict[str, str] | None:
        """Return the fields of a path below the base, ``None`` if it does not match."""
        greedy = self._greedy.fullmatch(path)
        lazy = self._lazy.fullmatch(path)
        if greedy is None or lazy is None:
            return None
        if greedy.groupdict() != lazy.groupdict():  # the longest and the shortest texts match: the path is ambiguous
            raise InputError(
                f"matches {self.pattern!r} in two ways: {_fields_for_message(greedy)} or {_fields_for_message(lazy)}",
                "give a path that distinguishes them",
                Location(path),
            )
        return greedy.groupdict()


def _fields_for_message(match: re.Match[str]) -> str:
    """Return the fields of a match for a message."""
    return ", ".join(f"{name} {value!r}" for name, value in match.groupdict().items())


def is_template(path: str) -> bool:
    """Return whether a path is a template: it has braces or stars, and no file has this name."""
    return not os.path.lexists(path) and _TOKEN.search(path) is not None


def parse_template(path: str) -> Template:
    """Return the template that a path describes."""
    base, pattern = _split(path.replace(os.sep, "/"))
    return Template(
        Path(base or "."),
        pattern,
        None if "**" in pattern else pattern.count("/"),
        _compile_template(pattern, ""),
        _compile_template(pattern, "?"),
    )


def _split(path: str) -> tuple[str, str]:
    """Return the folder that is taken literally, and the remaining path."""
    begin = 0
    while True:
        slash = path.find("/", begin)
        # An existing folder with braces or stars in its name is no template.
        if slash < 0 or (_TOKEN.search(path, begin, slash) and not is_folder(path[:slash])):
            return path[:begin], path[begin:]
        begin = slash + 1


def _compile_template(pattern: str, lazy: str) -> re.Pattern[str]:
    """Return the regular expression of a template; `lazy` is "?" to match the shortest texts, "" for the longest."""
    parts: list[str] = []
    seen: set[str] = set()
    begin = 0
    for match in _TOKEN.finditer(pattern):
        parts += (re.escape(pattern[begin : match.start()]), _token_pattern(match, seen, lazy))
        begin = match.end()
    # Names of files may contain line breaks.
    return re.compile("".join((*parts, re.escape(pattern[begin:]))), re.DOTALL)


def _token_pattern(match: re.Match[str], seen: set[str], lazy: str) -> str:
    """Return the regular expression of a token of a template; `seen` are the fields that occurred before."""
    name = match.group(1)
    token = match.group()
    if token in ("{{", "}}"):
        return re.escape(token[0])
    if token in ("{", "}"):
        raise SettingsError(f"the path has a single {token!r}", _DOUBLE_BRACES)
    if name is None:
        return {"*": f"[^/]*{lazy}", "**": f".*{lazy}", "**/": f"(?:.*{lazy}/)?{lazy}"}[token]
    if name not in _FIELD_NAMES:
        cause = f"a path may have {{annotator}}, {{document}}, {{_}} and * in it, not {token}"
        raise SettingsError(cause, _DOUBLE_BRACES)
    if name == "_":
        return f"[^/]+{lazy}"
    if name in seen:
        # A field that occurs again stands for the same text.
        return f"(?P={name})"
    seen.add(name)
    return f"(?P<{name}>[^/]+{lazy})"
