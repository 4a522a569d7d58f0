"""Projects of INCEpTION and WebAnno, as exported: a zip with ``annotation/<document>/<user>.<suffix>``.

Conventions
-----------
* The annotations are read from the project's secondary format (UIMA CAS XMI or JSON, WebAnno TSV, …) by the reader of
  that format, with its options. Serialised Java objects (``.ser``) are refused: nothing but Java reads them.
* ``INITIAL_CAS`` and ``CORRECTION_USER`` are no annotators.
* A document in the state ``NEW`` or ``IGNORE`` was not seen by the annotator; unfinished annotations (``IN_PROGRESS``)
  are read and noted. ``options={"states": "FINISHED"}`` reads finished ones only.
* ``options={"curation": True}`` reads the curated documents too, as the annotator ``CURATION_USER``.
* In an unpacked project, folders are documents and files are annotators. ``INITIAL_CAS``, ``CORRECTION_USER`` and the
  folders ``curation`` and ``source`` are left out; the template ``"<folder>/curation/{document}/{annotator}.tsv"``
  reads the curated documents.

References
----------
INCEpTION user guide, "Projects, Export": https://inception-project.github.io/documentation/
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import PurePosixPath
from types import MappingProxyType
from typing import Any, NamedTuple

from gamma_align.data import few
from gamma_align.errors import Cure, InputError, Location, SettingsError
from gamma_align.reading import formats
from gamma_align.reading.files import archives, json_files
from gamma_align.reading.files.archives import Member
from gamma_align.reading.files.json_files import FaultError, get, maybe, need
from gamma_align.reading.formats import Choices, FileFormat, Head, Marks, Source
from gamma_align.reading.formats.uima.cas_xmi import is_project, with_owner
from gamma_align.reading.marks.choices import FORMAT_OPTIONS

# Users that stand for no annotator.
_TECHNICAL_USERS = ("INITIAL_CAS", "CORRECTION_USER")
_ALL_STATES = ("NEW", "IN_PROGRESS", "FINISHED", "IGNORE")
_DEFAULT_STATES = ("IN_PROGRESS", "FINISHED")
_EXPORT_CURE = (
    "export the project again (Settings, Export, backup archive) with the secondary format 'UIMA CAS JSON' or 'WebAnno "
    "TSV v3.3'"
)


class _InceptionFile(NamedTuple):
    """The annotation of one document by one annotator."""

    member: Member
    document: str
    annotator: str


def _matches(head: Head) -> bool:
    return is_project(head.members)


def _read(source: Source, choices: Choices) -> Iterable[Marks]:
    curation, states_read, inner = _options(choices)
    members = archives.members(source)
    folders = ("annotation", "curation") if curation else ("annotation",)
    files = []
    for member in members:
        *_, folder, document, _ = ("", "", *PurePosixPath(member.inside).parts)
        if folder in folders and member.stem not in _TECHNICAL_USERS:
            files.append(_InceptionFile(member, document, member.stem))
    project_marks = Marks(source.name)
    states = _states(members, project_marks)
    kept = [file for file in files if states.get((file.document, file.annotator), "FINISHED") in states_read]
    if not files:
        _refuse_empty(source.name, members)
    _note(project_marks, files, states, states_read)
    contents = [_read_file(file, inner) for file in kept]
    # The project itself has no units, and must not count as a file with another unit of length.
    project_marks.length_unit = next((marks.length_unit for marks in contents), None)
    return [project_marks, *contents]


def _options(choices: Choices) -> tuple[bool, tuple[str, ...], Choices]:
    """Return whether curation is read, the states that are read, and the choices for the readers of the files."""
    options: dict[str, Any] = dict(choices.options)
    # The remaining options are for the formats of the files in the archive.
    curation = str(options.pop("curation", False)).lower()
    if curation not in ("true", "false"):
        raise SettingsError(f"the option 'curation' is true or false, not {curation!r}", location=FORMAT_OPTIONS)
    states = options.pop("states", _DEFAULT_STATES)
    states_read = tuple(name.strip() for name in (states.split(",") if isinstance(states, str) else states))
    unknown = [name for name in states_read if name not in _ALL_STATES]
    if unknown:
        raise SettingsError(
            f"the option 'states' is of {', '.join(_ALL_STATES)}, not {unknown[0]!r}", location=FORMAT_OPTIONS
        )
    return curation == "true", states_read, replace(choices, options=MappingProxyType(options))


def _states(members: Sequence[Member], project_marks: Marks) -> dict[tuple[str, str], str]:
    """Return the state of each annotation, by document and user."""
    states: dict[tuple[str, str], str] = {}
    for member in members:
        if member.suffix != ".json" or not member.stem.startswith("exportedproject"):
            continue
        try:
            project = need(json_files.document(member), dict, "the project")
            for item in maybe(project, "annotation_documents", list) or ():
                of = "an entry of 'annotation_documents'"
                entry = need(item, dict, of)
                names = get(entry, "name", str, of), get(entry, "user", str, of)
                states[names] = get(entry, "state", str, of)
        except FaultError as fault:
            project_marks.problem(
                member.inside,
                fault.problem.cause,
                Cure("{}, or export the project again", fault.problem.cure or "correct it"),
            )
    return states


def _refuse_empty(name: str, members: Sequence[Member]) -> None:
    """Raise an `InputError` for a project without readable annotations."""
    serialised = sum(member.suffix == ".ser" and member.stem not in _TECHNICAL_USERS for member in members)
    if serialised:
        raise InputError(
            f"has {serialised} annotations as Java objects alone (.ser), which only INCEpTION reads",
            _EXPORT_CURE,
            Location(name),
        )
    raise InputError("nobody has annotated a document of this project yet", _EXPORT_CURE, Location(name))


def _note(
    project_marks: Marks,
    files: Sequence[_InceptionFile],
    states: dict[tuple[str, str], str],
    states_read: Sequence[str],
) -> None:
    """Note annotations that are unfinished, left out or missing."""
    present = {(file.document, file.annotator) for file in files}
    n_skipped = Counter(state for names, state in states.items() if names in present and state not in states_read)
    for state, count in sorted(n_skipped.items()):
        project_marks.note(f"{count} annotations in the state {state} are left out")
    unfinished = sum(states.get(names) == "IN_PROGRESS" for names in present) if "IN_PROGRESS" in states_read else 0
    if unfinished:
        project_marks.note(f"{unfinished} annotations are not finished (state IN_PROGRESS), and read")
    lacking = [
        names
        for names, state in states.items()
        if state in states_read and state in _DEFAULT_STATES and names not in present
    ]
    missing = [f"{document}/{user}" for document, user in lacking]
    if missing:
        project_marks.note(f"annotated in the project, and not in the archive: {few(missing)}")


def _read_file(file: _InceptionFile, choices: Choices) -> Marks:
    """Return the marks of one file, named by its path; a problem if not exactly one format matches it."""
    claims = [fmt for fmt in formats.matching_formats(file.member.head) if fmt is not FORMAT]
    if len(claims) != 1:
        marks = Marks(file.member.name)
        marks.annotated()
        descriptions = "looks like " + " and ".join(fmt.description for fmt in claims)
        marks.problem(
            None,
            descriptions if claims else "is of a format that does not hold annotations, or is not read",
            _EXPORT_CURE,
        )
        return with_owner(marks, file.document, file.annotator)
    contents = claims[0].marks(file.member, choices)
    if len(contents) != 1:
        raise InputError(
            f"has {len(contents)} files in it, and a document is one", _EXPORT_CURE, Location(file.member.name)
        )
    return with_owner(contents[0], file.document, file.annotator)


# Paths within the archive name documents and annotators.
FORMAT = FileFormat(
    "inception",
    "a project of INCEpTION or WebAnno (zip)",
    (".zip",),
    _matches,
    _read,
    declares=("annotator", "document"),
    options=None,
)
