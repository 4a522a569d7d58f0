"""Projects of INCEpTION and WebAnno, as exported: a zip with ``annotation/<document>/<user>.<suffix>``.

Conventions
-----------
* The annotations are read from the project's secondary format (UIMA CAS XMI or JSON, WebAnno TSV, …) by the reader of
  that format, with its options. Serialised Java objects (``.ser``) are refused: nothing but Java reads them.
* ``INITIAL_CAS`` and ``CORRECTION_USER`` are nobody.
* Who has yet to open a document (state ``NEW``) or shall not annotate it (``IGNORE``) did not see it; unfinished
  annotations (``IN_PROGRESS``) are read and noted. ``options={"states": "FINISHED"}`` reads those alone.
* ``options={"curation": True}`` reads the curated documents too, as the annotator ``CURATION_USER``.
* Of an unpacked project, folders are documents and files are annotators. ``INITIAL_CAS``, ``CORRECTION_USER`` and the
  folders ``curation`` and ``source`` are left out; the template ``"<folder>/curation/{document}/{annotator}.tsv"``
  reads what was curated.

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

from gamma_align.data.problem import few
from gamma_align.errors import InputError, SettingsError
from gamma_align.io import formats
from gamma_align.io.files import archives, json_files
from gamma_align.io.files.archives import Member
from gamma_align.io.files.json_files import FaultError, get, maybe, need
from gamma_align.io.formats import Choices, FileFormat, Head, Marks, Source
from gamma_align.io.formats.uima.cas_xmi import is_project, owned

_NOBODY = ("INITIAL_CAS", "CORRECTION_USER")
_STATES = ("NEW", "IN_PROGRESS", "FINISHED", "IGNORE")
_READ = ("IN_PROGRESS", "FINISHED")
_CURE = (
    "export the project again (Settings, Export, backup archive) with the secondary format 'UIMA CAS JSON' or 'WebAnno "
    "TSV v3.3'"
)


class _File(NamedTuple):
    """One annotator's annotation of one document."""

    member: Member
    document: str
    annotator: str


def _matches(head: Head) -> bool:
    return is_project(head.members)


def _read(source: Source, choices: Choices) -> Iterable[Marks]:
    curation, wanted, inner = _options(choices)
    members = archives.members(source)
    folders = ("annotation", "curation") if curation else ("annotation",)
    files = []
    for member in members:
        *_, folder, document, _ = ("", "", *PurePosixPath(member.inside).parts)
        if folder in folders and member.stem not in _NOBODY:
            files.append(_File(member, document, member.stem))
    about = Marks(source.name)
    states = _states(members, about)
    kept = [file for file in files if states.get((file.document, file.annotator), "FINISHED") in wanted]
    if not files:
        _refuse(source.name, members)
    _note(about, files, states, wanted)
    contents = [_one(file, inner) for file in kept]
    about.length_unit = next((marks.length_unit for marks in contents), None)
    return [about, *contents]


def _options(choices: Choices) -> tuple[bool, tuple[str, ...], Choices]:
    """Return whether curation is read, which states are, and the choices for the readers of the files."""
    rest: dict[str, Any] = dict(choices.options)
    curation = str(rest.pop("curation", False)).lower()
    if curation not in ("true", "false"):
        raise SettingsError(f"the option 'curation' is true or false, not {curation!r}")
    states = rest.pop("states", _READ)
    wanted = tuple(name.strip() for name in (states.split(",") if isinstance(states, str) else states))
    unknown = [name for name in wanted if name not in _STATES]
    if unknown:
        raise SettingsError(f"the option 'states' is of {', '.join(_STATES)}, not {unknown[0]!r}")
    return curation == "true", wanted, replace(choices, options=MappingProxyType(rest))


def _states(members: Sequence[Member], about: Marks) -> dict[tuple[str, str], str]:
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
            about.problem(member.inside, f"{fault}, or export the project again")
    return states


def _refuse(name: str, members: Sequence[Member]) -> None:
    serialised = sum(member.suffix == ".ser" and member.stem not in _NOBODY for member in members)
    if serialised:
        raise InputError(
            f"{name}: has {serialised} annotations as Java objects alone (.ser), which only INCEpTION reads; {_CURE}"
        )
    raise InputError(f"{name}: nobody has annotated a document of this project yet; {_CURE}")


def _note(about: Marks, files: Sequence[_File], states: dict[tuple[str, str], str], wanted: Sequence[str]) -> None:
    """Note what is unfinished, left out or missing."""
    there = {(file.document, file.annotator) for file in files}
    left = Counter(state for names, state in states.items() if names in there and state not in wanted)
    for state, count in sorted(left.items()):
        about.note(f"{count} annotations in the state {state} are left out")
    unfinished = sum(states.get(names) == "IN_PROGRESS" for names in there) if "IN_PROGRESS" in wanted else 0
    if unfinished:
        about.note(f"{unfinished} annotations are not finished (state IN_PROGRESS), and read")
    lacking = [names for names, state in states.items() if state in wanted and state in _READ and names not in there]
    missing = [f"{document}/{user}" for document, user in lacking]
    if missing:
        about.note(f"annotated in the project, and not in the archive: {few(missing)}")


def _one(file: _File, choices: Choices) -> Marks:
    """Return what one file says; a problem where no reader takes it."""
    claims = [fmt for fmt in formats.claiming(file.member.head) if fmt is not FORMAT]
    if len(claims) != 1:
        marks = Marks(file.member.name)
        marks.annotated()
        descriptions = "looks like " + " and ".join(fmt.description for fmt in claims)
        what = descriptions if claims else "is of a format that does not hold annotations, or is not read"
        marks.problem(None, f"{what}; {_CURE}")
        return owned(marks, file.document, file.annotator)
    contents = claims[0].marks(file.member, choices)
    if len(contents) != 1:
        raise InputError(f"{file.member.name}: has {len(contents)} files in it, and a document is one; {_CURE}")
    return owned(contents[0], file.document, file.annotator)


FORMAT = FileFormat(
    "inception",
    "a project of INCEpTION or WebAnno (zip)",
    (".zip",),
    _matches,
    _read,
    declares=("annotator", "document"),
    options=None,
)
