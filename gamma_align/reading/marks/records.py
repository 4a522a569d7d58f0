"""Records of annotation services: one JSON object for each text (or text and annotator), in lines or in one list.

Their formats derive a reader from `RecordFile`. The functions beside it read names and values of options.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar

from gamma_align.errors import Cure, InputError, Location, Note, SettingsError, Where
from gamma_align.reading.files import json_files
from gamma_align.reading.files.json_files import FaultError, as_problem, need, shown
from gamma_align.reading.files.sources import Source
from gamma_align.reading.marks.choices import FORMAT_OPTIONS, Choices
from gamma_align.reading.marks.marks import Marks
from gamma_align.reading.marks.names import Copies

# Values of options that are yes or no, from Python, JSON and the command line.
_FLAG_VALUES = {True: True, False: False, "true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


def records(source: Source) -> Iterator[tuple[Where, object]]:
    """Yield (location, record) of a file of JSON Lines, a JSON list, or one object."""
    values = json_files.lines(source)
    first = next(values, None)
    if first is None:
        raise InputError("the file is empty", "export it again", Location(source.name))
    second = next(values, None)
    # The only value is a list: its items are the records.
    if second is None and isinstance(first[1], list):
        for number, item in enumerate(first[1], 1):
            yield f"record {number}", item
        return
    yield first
    if second is not None:
        yield second
        yield from values


class RecordFile:
    """The reader of one file of records, which yields its `Marks`; a format derives its own, with at least `take`.

    The options "document" and "users" have the same meaning in all formats; `users` maps ids to the names in the
    latter. `offsets` is the unit of bounds in the file's texts. `counts` counts omissions and assumptions, and `NOTES`
    has a note for each.
    """

    RECORD_NAME: ClassVar[str] = "the record"
    NOTES: ClassVar[Mapping[str, str | Note]] = {}
    CURE: ClassVar[Cure | None] = None  # of repeated records, beside the cures of all formats
    CURE_UNNAMED: ClassVar[Cure | None] = None  # of repeated records that name no annotator

    def __init__(self, source: Source, choices: Choices, *, offsets: str = "code-points") -> None:
        self.source = source
        self.choices = choices
        self.marks = Marks(source.name, offsets=offsets)
        self.users = names(choices, "users", source)
        self.copies = Copies(source, choices.repeated, cure=self.CURE, cure_unnamed=self.CURE_UNNAMED)
        self.location: Where | None = None  # of the record that is read
        self.number = 0  # of the record that is read, from 1
        self.counts: Counter[str] = Counter()

    def __iter__(self) -> Iterator[Marks]:
        """Take each record in turn; a fault in one is a problem of the file, and the next is read."""
        for location, value in self.records():
            self.location = location
            self.number += 1
            with as_problem(self.marks, location):
                self.take(location, need(value, dict, self.RECORD_NAME))
        all_marks = self.finish()
        dropped = self.copies.finish(all_marks[0])
        for marks in all_marks:
            marks.dropped = dropped
            yield marks

    def records(self) -> Iterator[tuple[Where, object]]:
        """Yield location and record."""
        return records(self.source)

    def take(self, location: Where, record: dict[str, object]) -> None:
        """Add the content of a record to the marks; `number` counts the records."""
        raise NotImplementedError

    def finish(self) -> list[Marks]:
        """Add the notes, and return all marks of the file."""
        self.marks.note_counts(self.counts, self.NOTES)
        return [self.marks]

    def document(self, record: dict[str, object], usual: str) -> str | None:
        """Return the name of the text: the value at the key of the option "document", or at the usual key."""
        key = self.choices.options.get("document")
        if key is not None:
            return name(value_at(record, str(key)), f"{key!r} (the option document)")
        value = record.get(usual)
        return None if value is None else name(value, f"{usual!r} of the record")

    def annotator(
        self,
        document: str,
        user: str | None,
        layer: str | None = None,
        *,
        location: Where | None = None,
        time: float | None = None,
    ) -> str | None:
        """Return the name of a user, with a number behind it if the user annotated the text before.

        `location` is where the record is, by default the one being read; `time` is its time, if known.
        """
        name = None if user is None else self.users.get(user, user)
        return self.copies.annotator(
            document, name, layer, location=self.location if location is None else location, time=time
        )


def value_at(record: dict[str, object], key: str) -> object:
    """Return the value at a key, or at a path of keys joined by points; ``None`` if it is missing."""
    value: object = record
    if key in record:
        return record[key]
    for part in key.split("."):
        if not isinstance(value, dict):
            return None
        value = value.get(part)
    return value


def name(value: object, of: str) -> str:
    """Return a string or an integer as a name."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if isinstance(value, str) and value.strip():
        return value
    raise FaultError(f"{of} is {shown(value)}, not a name or a number", "give it one")


def flag(choices: Choices, option: str) -> bool:
    """Return whether an option is set."""
    value = choices.options.get(option, False)
    value = value.lower() if isinstance(value, str) else value
    if not isinstance(value, bool | str) or value not in _FLAG_VALUES:
        raise SettingsError(f"the option {option} is yes or no, not {value!r}", location=FORMAT_OPTIONS)
    return _FLAG_VALUES[value]


def one_of(choices: Choices, option: str, allowed: tuple[str, ...]) -> str:
    """Return the value of an option, by default the first allowed one."""
    value = choices.options.get(option, allowed[0])
    if value not in allowed:
        raise SettingsError(
            f"the option {option} is one of {', '.join(map(repr, allowed))}, not {value!r}", location=FORMAT_OPTIONS
        )
    return str(value)


def names(choices: Choices, option: str, source: Source) -> dict[str, str]:
    """Return the names that an option gives to numbers or ids.

    The option is a mapping, a list of names by their numbers, or a path (also one beside the file that is read) to a
    JSON file with one of these, or with a list of objects that have ``id`` and ``text`` (``name``, ``username``).
    """
    value: Any = choices.options.get(option)
    if value is None:
        return {}
    if isinstance(value, str | Path):
        file = beside(source, str(value), option)
        names_of = _parse_names(json_files.document(file))
        if names_of is None:
            raise InputError(
                f"has no names for the option {option}",
                "give an object of ids and names, a list of names, or a list of objects with 'id' and 'text'",
                Location(file.name),
            )
        return names_of
    if isinstance(value, Mapping):
        value = dict(value)
    elif isinstance(value, tuple):
        value = list(value)
    names_of = _parse_names(value)
    if names_of is None:
        raise SettingsError(
            f"the option {option} maps ids to names, lists them, or is the path of a JSON file", location=FORMAT_OPTIONS
        )
    return names_of


def beside(source: Source, path: str, option: str) -> Source:
    """Return the file that an option names, by its path or beside the file that is read."""
    file = Path(path)
    try:
        present = file.is_file()
    except (OSError, ValueError):
        present = False
    named = None
    if present:
        named = Source(file, file.name)
    elif path and path == file.name:
        named = source.beside(path)
    if named is None:
        raise InputError(f"there is no such file, which the option {option} names", location=Location(path))
    return named


def _first_name(item: dict[str, object]) -> object:
    """Return the name of an object, None if it has none."""
    return next((item[key] for key in ("text", "name", "username") if key in item), None)


def _parse_names(value: object) -> dict[str, str] | None:
    """Return names by id from a mapping, a list of names, or a list of objects; None for anything else."""
    if isinstance(value, dict):
        pairs = list(value.items())
    elif isinstance(value, list) and all(isinstance(item, dict) for item in value):
        pairs = [(item.get("id"), _first_name(item)) for item in value]
    elif isinstance(value, list):
        pairs = list(enumerate(value))
    else:
        return None
    if all(isinstance(key, int | str) and isinstance(text, str) for key, text in pairs):
        return {str(key): text for key, text in pairs}
    return None
