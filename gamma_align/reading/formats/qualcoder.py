"""QualCoder projects: the database ``data.qda`` in the folder of a project, with the codings of all coders.

Conventions
-----------
* A coding of a text is a unit: its owner is the annotator, its code the category, its source the document. Positions
  count characters of the text that is stored in the project.
* Codings of audio and video are units in seconds. If a project has codings of texts, too, those of media are left out,
  with a note; ``options={"media": "yes"}`` reads them instead. Codings of areas of images are left out, with a note.
* A project tells who coded something, and not who looked at a source without coding it: such a source is not seen.

References
----------
https://github.com/ccbogel/QualCoder, the tables of version 3.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing

from gamma_align.errors import InputError, Location
from gamma_align.reading.formats import Choices, FileFormat, Head, Marks, Source
from gamma_align.reading.marks.records import flag

_SQLITE_SIGNATURE = b"SQLite format 3\0"
_MAX_VALUE_BYTES = 1 << 28  # no text of a source is as long
_MS_PER_SECOND = 1000
_OPTION_HELP = {"media": "'yes': read codings of audio and video, in seconds, and leave out those of texts"}
_TABLES = {
    "source": ("id", "name", "fulltext"),
    "code_name": ("cid", "name"),
    "code_text": ("cid", "fid", "seltext", "pos0", "pos1", "owner"),
    "code_av": ("cid", "id", "memo", "pos0", "pos1", "owner"),
    "code_image": ("cid", "id"),
}
"""The tables that are read, with their columns."""


def _matches(head: Head) -> bool:
    return head.data.startswith(_SQLITE_SIGNATURE) and head.suffix == ".qda"


def _read(source: Source, choices: Choices) -> Iterable[Marks]:
    tables = _tables(source)
    marks = Marks(source.name)
    marks.tells_seen = False  # only who coded something is in it
    codes = {code: name for code, name in tables["code_name"] if isinstance(name, str)}
    documents = {number: name for number, name, _ in tables["source"] if isinstance(name, str)}
    in_text = tables["code_text"]
    in_media = tables["code_av"]
    reads_media = flag(choices, "media") or (bool(in_media) and not in_text)
    left_out = {"texts": len(in_text) if reads_media else 0, "audio and video": 0 if reads_media else len(in_media)}
    left_out["areas of images"] = len(tables["code_image"])
    marks.length_unit = "s" if reads_media else "char"
    for number, (code, file, covered, start, end, owner) in enumerate(in_media if reads_media else in_text, 1):
        location = f"coding {number}"
        if code not in codes or file not in documents:
            marks.problem(location, "the coding has no code or no source", "delete it in QualCoder")
            continue
        marks.unit(
            _seconds(start) if reads_media else start,
            _seconds(end) if reads_media else end,
            codes[code],
            location=location,
            document=documents[file],
            annotator=owner if isinstance(owner, str) and owner.strip() else None,
            surface=covered if isinstance(covered, str) and not reads_media else None,
        )
    coded = {key.document for key in marks.keys}
    if not reads_media:
        for _, name, text in tables["source"]:
            if name in coded and isinstance(text, str):
                marks.texts[name, None] = text
    _note(marks, {f"{count} codings of {material}": count for material, count in left_out.items()})
    return (marks,)


def _seconds(milliseconds: object) -> object:
    """Return milliseconds as seconds; other values are returned as they are, for `Marks` to report."""
    return milliseconds / _MS_PER_SECOND if isinstance(milliseconds, int | float) else milliseconds


def _note(marks: Marks, left_out: dict[str, int]) -> None:
    """Note what is left out; raise an `InputError` if nothing was read."""
    listing = ", ".join(codings for codings, count in left_out.items() if count)
    if not len(marks) and not marks.problems:
        raise InputError(
            f"the project has no codings with a start and an end{f' (left out are {listing})' if listing else ''}",
            "code texts, audio or video in it first",
            Location(marks.file),
        )
    if listing:
        marks.note(f"left out are {listing}")
    marks.note(
        "the project tells who coded something, and not who saw a source without coding it: such a source is taken as "
        "not seen"
    )


def _tables(source: Source) -> dict[str, list[tuple[object, ...]]]:
    """Return the rows of the tables, in the order of their rows in the file."""
    with closing(sqlite3.connect(":memory:")) as database:
        database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _MAX_VALUE_BYTES)
        try:
            database.deserialize(source.data())
            return {name: list(_rows(database, name)) for name in _TABLES}
        except (sqlite3.Error, UnicodeDecodeError, OverflowError, MemoryError) as error:
            raise InputError(
                f"the database cannot be read: {error}",
                "close the project in QualCoder, and copy it again",
                Location(source.name),
            ) from None


def _rows(database: sqlite3.Connection, name: str) -> Iterator[tuple[object, ...]]:
    """Yield the rows of a table in their order; nothing if it is an optional table that is missing.

    Raises a `DatabaseError` if the table is missing, or is a view or virtual.
    """
    # A view would be computed, in any time that its author wants.
    schema = database.execute("SELECT type, sql FROM sqlite_schema WHERE name = ?", (name,)).fetchone()
    if schema is None and name in ("code_av", "code_image"):
        return
    if schema is None or schema[0] != "table" or "VIRTUAL" in str(schema[1])[:20].upper():
        raise sqlite3.DatabaseError(f"it has no table {name}, which QualCoder's have")
    yield from database.execute(f"SELECT {', '.join(_TABLES[name])} FROM {name} ORDER BY rowid")  # noqa: S608  (constants)


FORMAT = FileFormat(
    name="qualcoder",
    description="QualCoder projects (data.qda)",
    suffixes=(".qda",),
    matches=_matches,
    read=_read,
    declares=("annotator", "document"),
    options=_OPTION_HELP,
)
