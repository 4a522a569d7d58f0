"""REFI-QDA, the exchange format of MAXQDA, ATLAS.ti, NVivo, QualCoder and others: a project of all coders.

Conventions
-----------
* A coding of a selection in a text is a unit: the user who made the coding is the annotator, the code its category, the
  source the document. A selection with two codes is two units. If two codes have one name, the codes above them are
  named too (``Coke::diet``).
* Codings of stretches of audio and video are units in seconds. If a project has codings of texts, too, those of media
  are left out, with a note; ``options={"media": "yes"}`` reads them instead.
* Codings of pictures and of areas on pages, codings of whole sources, and selections without a code are left out, with
  a note. Text selected in a PDF is read.
* The standard counts positions in code points; NVivo counts UTF-16 code units. If texts have characters beyond the
  basic plane, the two differ: the one by which selections begin and end at words is taken, with a note. If neither
  does, the file is refused until ``offsets`` tells.
* A project tells who coded something, and not who looked at a source without coding it: such a source is not seen.
* ``.qdpx`` is the archive of the project and its texts, ``.qde`` the project alone, perhaps without texts.

References
----------
REFI-QDA Standard 1.5, https://www.qdasoftware.org.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from xml.etree.ElementTree import Element

import numpy as np

from gamma_align.errors import Cure, InputError, Location, Set
from gamma_align.reading.files import archives, xml_files
from gamma_align.reading.files.sources import decoded
from gamma_align.reading.files.xml_files import children, line, local
from gamma_align.reading.formats import Choices, FileFormat, Head, Marks, Source
from gamma_align.reading.marks.records import flag
from gamma_align.reading.marks.texts import to_code_points

_PROJECT_ROOT = re.compile(r"<(?:\w+:)?Project[\s>][^>]*urn:QDA-XML:project")
_PROJECT_NAME = "project.qde"
_INTERNAL_PREFIX = re.compile(r"internal://", re.IGNORECASE)
_WHOLE_NUMBER = re.compile(r"-?\d{1,15}", re.ASCII)
_MS_PER_SECOND = 1000
_TEXT_ELEMENTS = ("TextSource", "Representation", "Transcript")  # elements with a plain text
_SOURCE_ELEMENTS = ("TextSource", "PDFSource", "AudioSource", "VideoSource", "PictureSource")
_MEDIA_SELECTION_ELEMENTS = ("AudioSelection", "VideoSelection")
_NOTE_BY_ELEMENT = {
    "PictureSelection": "codings of areas of pictures",
    "PDFSelection": "codings of areas of pages",
    "TranscriptSelection": "codings of transcripts by their times",
}
_MIN_SHARE_AT_WORDS = 0.9  # of selections; as far as people select whole words
_MAX_CODE_DEPTH = 20  # names of codes above one that are kept, to tell two codes of one name apart
_MEDIA_NOTE = "codings of stretches of audio and video"
_OPTION_HELP = {"media": "'yes': read codings of audio and video, in seconds, and leave out those of texts"}
_BEYOND_BASIC_PLANE = re.compile("[\U00010000-\U0010ffff]")


@dataclass(frozen=True, slots=True)
class _Selection:
    """A selection in a text (positions) or a medium (ms), with (user, code, line) of each coding."""

    document: str
    start: int
    end: int
    codings: list[tuple[str | None, str | None, int]]


@dataclass(frozen=True, slots=True)
class _Project:
    """A project as it is read: names of users and codes by their ids, texts and selections of documents."""

    marks: Marks
    users: dict[str, str] = field(default_factory=dict)
    codes: dict[str, tuple[str, ...]] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)
    selections: list[_Selection] = field(default_factory=list)
    media: list[_Selection] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)


def _matches(head: Head) -> bool:
    if any(name.lower().rpartition("/")[2] == _PROJECT_NAME for name in head.members):
        return True
    return head.suffix == ".qde" or (head.suffix == ".xml" and _PROJECT_ROOT.search(head.text) is not None)


def _read(source: Source, choices: Choices) -> Iterable[Marks]:
    members = {}
    project_file = source
    if source.head.data.startswith(b"PK"):
        members = {member.inside.rpartition("/")[2].lower(): member for member in archives.members(source)}
        if _PROJECT_NAME not in members:
            raise InputError("has no project.qde in it", "export the project again", Location(source.name))
        project_file = members[_PROJECT_NAME]
    root = xml_files.root(project_file)
    if local(root) != "Project":
        raise InputError(
            f"the element is {local(root)}, not Project", "export it again", Location(source.name, line(root))
        )
    project = _Project(Marks(project_file.name))
    project.marks.tells_seen = False  # only who coded something is in it
    for user in _grandchildren(root, "Users", "User"):
        guid = user.get("guid", "")
        project.users[guid] = user.get("name") or user.get("id") or guid
    for codes in _grandchildren(root, "CodeBook", "Codes"):
        for code in children(codes, "Code"):
            _add_codes(project, code)
    _check_source_names(root, project.marks)
    for element in _grandchildren(root, "Sources", *_SOURCE_ELEMENTS):
        _read_source(project, element, members)
    if flag(choices, "media") or (project.media and not project.selections):
        project.left_out["codings of texts"] = _n_codings(project.selections)
        _add_media(project)
    else:
        project.left_out[_MEDIA_NOTE] = _n_codings(project.media)
        _add_texts(project, choices)
    _note(project)
    return (project.marks,)


def _n_codings(selections: Sequence[_Selection]) -> int:
    """Return the number of codings of all selections."""
    return sum(len(selection.codings) for selection in selections)


def _grandchildren(root: Element, first: str, *last: str) -> Iterator[Element]:
    """Yield the elements with one of the names `last` within the elements named `first` in the root."""
    for element in children(root, first):
        yield from children(element, *last)


def _add_codes(project: _Project, top: Element) -> None:
    """Add a code and all codes below it, without recursion: a file may nest them at any depth."""
    waiting: list[tuple[Element, tuple[str, ...]]] = [(top, ())]
    while waiting:
        code, above = waiting.pop()
        path = (*above[-_MAX_CODE_DEPTH:], code.get("name", ""))
        project.codes[code.get("guid", "")] = path
        waiting += [(child, path) for child in children(code, "Code")]


def _category_names(codes: Mapping[str, tuple[str, ...]]) -> dict[str, str]:
    """Return the category of each code: its name, or its full path if another code has the same name."""
    counts = Counter(path[-1] for path in codes.values())
    return {guid: path[-1] if counts[path[-1]] == 1 else "::".join(path) for guid, path in codes.items()}


def _check_source_names(root: Element, marks: Marks) -> None:
    """Report a name that two sources have."""
    counts = Counter(element.get("name", "") for element in _grandchildren(root, "Sources", *_SOURCE_ELEMENTS))
    twice = [name for name, count in counts.items() if count > 1]
    if twice:
        marks.problem(None, f"two sources are called {twice[0]!r}", "rename one of them and export the project again")


def _read_source(project: _Project, element: Element, members: Mapping[str, Source]) -> None:
    """Read a source of any kind, with the texts that represent it; count codings that are not read."""
    name = element.get("name", "")
    for part in (element, *children(element, "Representation", "Transcript")):
        # A transcript is a text of its own; the representation of a PDF stands for it.
        document = part.get("name") or name if local(part) == "Transcript" else name
        if local(part) in _TEXT_ELEMENTS:
            _read_text(project, part, document, members)
        for selection in part:
            kind = local(selection)
            if kind == "PlainTextSelection":
                _add_selection(project, project.selections, selection, document, ("startPosition", "endPosition"))
            elif kind in _MEDIA_SELECTION_ELEMENTS:
                _add_selection(project, project.media, selection, name, ("begin", "end"))
            elif kind in _NOTE_BY_ELEMENT:
                project.left_out[_NOTE_BY_ELEMENT[kind]] += len(children(selection, "Coding"))
            elif kind == "Coding":
                project.left_out["codings of whole sources"] += 1


def _read_text(project: _Project, part: Element, document: str, members: Mapping[str, Source]) -> None:
    """Store the text of a source, which is in a file of the archive or in the element; if any."""
    content = "".join(element.text or "" for element in children(part, "PlainTextContent"))
    path = part.get("plainTextPath", "")
    member = members.get(_INTERNAL_PREFIX.sub("", path).rpartition("/")[2].lower())
    if member is not None:
        project.texts[document] = decoded(member.data(), member.name, None)
    elif content:
        project.texts[document] = content


def _codings(project: _Project, selection: Element) -> list[tuple[str | None, str | None, int]]:
    """Return user, code and line of each coding of a selection; a selection without a code is counted."""
    result = []
    for coding in children(selection, "Coding"):
        user = coding.get("creatingUser") or selection.get("creatingUser")
        owner = None if user is None else project.users.get(user, user)
        references = children(coding, "CodeRef")
        result += [(owner, reference.get("targetGUID"), line(reference)) for reference in references]
    if not result:
        project.left_out["selections without a code"] += 1
    return result


def _add_selection(
    project: _Project, selections: list[_Selection], element: Element, document: str, names: tuple[str, str]
) -> None:
    """Add a selection with the bounds in these attributes, unless it has no coding; report invalid bounds."""
    codings = _codings(project, element)
    start, end = (element.get(name, "") for name in names)
    if not (_WHOLE_NUMBER.fullmatch(start) and _WHOLE_NUMBER.fullmatch(end)):
        project.marks.problem(
            line(element), f"a selection is from {start[:20]!r} to {end[:20]!r}", "export the project again"
        )
    elif codings:
        selections.append(_Selection(document, int(start), int(end), codings))


def _add_media(project: _Project) -> None:
    project.marks.length_unit = "s"
    _add_units(project, project.media, _MS_PER_SECOND)


def _add_units(project: _Project, selections: Sequence[_Selection], per_unit: int = 1) -> None:
    """Add a unit for each coding, its bounds divided by `per_unit`; report codes that do not exist."""
    names = _category_names(project.codes)
    for selection in selections:
        start = selection.start / per_unit
        end = selection.end / per_unit
        for owner, code, number in selection.codings:
            if code not in names:
                project.marks.problem(
                    number, f"a coding refers to {code!r}, which is no code of the file", "export the project again"
                )
                continue
            project.marks.unit(start, end, names[code], location=number, document=selection.document, annotator=owner)


def _add_texts(project: _Project, choices: Choices) -> None:
    """Add the selections in texts, with their positions counted as the program that wrote them counts."""
    marks = project.marks
    marks.offsets = choices.offsets or _offsets(project)
    _add_units(project, project.selections)
    coded = {selection.document for selection in project.selections}
    for document in coded & project.texts.keys():
        marks.texts[document, None] = project.texts[document]
    untold = coded - project.texts.keys()
    if untold:
        marks.note(f"{len(untold)} documents have no text in the file: their extents are those of their units")


def _offsets(project: _Project) -> str:
    """Return the unit of positions: the one by which selections begin and end at words.

    Raises an `InputError` if neither or both do so; if no text has such characters, they are the same.
    """
    selections = [
        selection
        for selection in project.selections
        if _BEYOND_BASIC_PLANE.search(project.texts.get(selection.document, "")[: selection.end])
    ]
    if not selections:
        return "code-points"  # all units are the same
    shares = {unit: _share_at_words(project, selections, unit) for unit in ("code-points", "utf-16")}
    best = max(shares, key=lambda unit: shares[unit])
    if shares[best] < _MIN_SHARE_AT_WORDS or min(shares.values()) >= _MIN_SHARE_AT_WORDS:
        raise InputError(
            f"positions may count code points or UTF-16: {shares['code-points']:.0%} or {shares['utf-16']:.0%} of "
            "selections begin and end at words",
            Cure("say which with {} or {}", Set("offsets", "code-points"), Set("offsets", "utf-16")),
            Location(project.marks.file),
        )
    project.marks.note(
        f"positions count {'UTF-16 code units' if best == 'utf-16' else 'code points'}: {shares[best]:.0%} of the "
        "selections begin and end at words by it",
        Cure("otherwise say it with {}", Set("offsets")),
    )
    return best


def _share_at_words(project: _Project, selections: list[_Selection], unit: str) -> float:
    """Return the share of selections that begin and end at words, if positions count in this unit."""
    at_words = 0
    for document in dict.fromkeys(selection.document for selection in selections):
        text = project.texts[document]
        inside = [selection for selection in selections if selection.document == document]
        positions = [position for selection in inside for position in (selection.start, selection.end)]
        points = to_code_points(np.array(positions, dtype=np.float64), text, unit).tolist()
        pairs = zip(points[::2], points[1::2], strict=True)
        at_words += sum(_is_boundary(text, start) and _is_boundary(text, end) for start, end in pairs)
    return at_words / len(selections)


def _is_boundary(text: str, position: float) -> bool:
    """Return whether a position is not within a word; false outside the text and for NaN (within a character)."""
    if not 0 <= position <= len(text):
        return False
    at = int(position)
    return not (text[at - 1 : at].isalnum() and text[at : at + 1].isalnum())


def _note(project: _Project) -> None:
    """Note what is left out, and what the project does not tell; refuse a project without codings."""
    listing = ", ".join(f"{count} {kind}" for kind, count in project.left_out.items() if count)
    if listing:
        project.marks.note(f"left out are {listing}")
    if not len(project.marks) and not project.marks.problems:
        raise InputError(
            f"no codings in it that have a start and an end{f' (left out are {listing})' if listing else ''}",
            "export a project with coded texts, audio or video",
            Location(project.marks.file),
        )
    project.marks.note(
        "the project tells who coded something, and not who saw a source without coding it: such a source is taken as "
        "not seen"
    )


FORMAT = FileFormat(
    name="refi-qda",
    description="REFI-QDA projects of MAXQDA, ATLAS.ti, NVivo and others (.qdpx, .qde)",
    suffixes=(".qdpx", ".qde"),
    matches=_matches,
    read=_read,
    declares=("annotator", "document"),
    options=_OPTION_HELP,
)
