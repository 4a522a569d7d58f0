"""Records of annotation services: one JSON object a text (or a text and annotator), a line each or in one list.

Their formats derive a reader from `RecordFile`; beside it is what they have in common: names, and values of options.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar

from gamma_align.errors import InputError, SettingsError, Where
from gamma_align.io.files import json_files
from gamma_align.io.files.json_files import FaultError, as_problem, need, shown
from gamma_align.io.files.sources import Source
from gamma_align.io.marks.choices import Choices
from gamma_align.io.marks.marks import Marks
from gamma_align.io.marks.names import Copies

_YES = {True: True, False: False, "true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


def records(source: Source) -> Iterator[tuple[Where, object]]:
    """Yield (location, record) of a file of JSON Lines, a JSON list, or one object."""
    values = json_files.lines(source)
    first = next(values, None)
    if first is None:
        raise InputError(f"{source.name}: the file is empty; export it again")
    second = next(values, None)
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

    The options "document" and "users" mean the same in all formats that have them; `users` has the names that the
    latter gives to ids. `offsets` is what bounds in the file's texts count. `counts` is what was left out or guessed,
    and `NOTES` has a note for each.
    """

    WHAT: ClassVar[str] = "the record"
    NOTES: ClassVar[Mapping[str, str]] = {}
    CURE: ClassVar[str] = ""  # of repeated records, beside those of all formats
    CURE_UNNAMED: ClassVar[str] = ""  # of repeated records that name no annotator

    def __init__(self, source: Source, choices: Choices, *, offsets: str = "code-points") -> None:
        self.source = source
        self.choices = choices
        self.marks = Marks(source.name, offsets=offsets)
        self.users = names(choices, "users", source)
        self.copies = Copies(source, choices.repeated, cure=self.CURE, cure_unnamed=self.CURE_UNNAMED)
        self.where: Where | None = None  # of the record that is read
        self.counts: Counter[str] = Counter()

    def __iter__(self) -> Iterator[Marks]:
        """Take each record in turn; a fault in one is a problem of the file, and the next is read."""
        for number, (where, value) in enumerate(self.records(), 1):
            self.where = where
            with as_problem(self.marks, where):
                self.take(where, number, need(value, dict, self.WHAT))
        every = self.finish()
        dropped = self.copies.finish(every[0])
        for marks in every:
            marks.dropped = dropped
            yield marks

    def records(self) -> Iterator[tuple[Where, object]]:
        """Yield location and record."""
        return records(self.source)

    def take(self, where: Where, number: int, record: dict[str, object]) -> None:
        """Add what a record says to the marks; it is the `number`-th, from 1."""
        raise NotImplementedError

    def finish(self) -> list[Marks]:
        """Add the notes, and return all that the file says."""
        self.marks.note_counts(self.counts, self.NOTES)
        return [self.marks]

    def document(self, record: dict[str, object], usual: str) -> str | None:
        """Return the name of the text: what the record has at the option "document", or at the usual key."""
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
        where: Where | None = None,
        time: float | None = None,
    ) -> str | None:
        """Return the name of a user, with a number behind it if the user annotated the text before.

        `where` is the record's place, that of the record read now without it; `time` is when it was made, if known.
        """
        name = None if user is None else self.users.get(user, user)
        return self.copies.annotator(document, name, layer, where=self.where if where is None else where, time=time)


def value_at(record: dict[str, object], key: str) -> object:
    """Return what a record has at a key, or at a path of keys with points between them; ``None`` for nothing."""
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
    raise FaultError(f"{of} is {shown(value)}, not a name or a number; give it one")


def flag(choices: Choices, option: str) -> bool:
    """Return whether an option is set."""
    value = choices.options.get(option, False)
    value = value.lower() if isinstance(value, str) else value
    if not isinstance(value, bool | str) or value not in _YES:
        raise SettingsError(f"the option {option} is yes or no, not {value!r}")
    return _YES[value]


def one_of(choices: Choices, option: str, known: tuple[str, ...]) -> str:
    """Return the value of an option, the first of those known where it is not given."""
    value = choices.options.get(option, known[0])
    if value not in known:
        raise SettingsError(f"the option {option} is one of {', '.join(map(repr, known))}, not {value!r}")
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
        names_of = _names(json_files.document(file))
        if names_of is None:
            raise InputError(
                f"{file.name}: has no names for the option {option}; it is an object of ids and names, a list of "
                "names, or a list of objects with 'id' and 'text'"
            )
        return names_of
    names_of = _names(dict(value) if isinstance(value, Mapping) else list(value) if isinstance(value, tuple) else value)
    if names_of is None:
        raise SettingsError(f"the option {option} maps ids to names, lists them, or is the path of a JSON file")
    return names_of


def beside(source: Source, path: str, option: str) -> Source:
    """Return the file an option names, as it is or beside the one that is read."""
    file = Path(path)
    try:
        there = file.is_file()
    except (OSError, ValueError):
        there = False
    named = Source(file, file.name) if there else source.beside(path) if path == file.name and path else None
    if named is None:
        raise InputError(f"{path}: there is no such file; it is named by the option {option}")
    return named


def _names(value: object) -> dict[str, str] | None:
    if isinstance(value, dict):
        pairs = list(value.items())
    elif isinstance(value, list) and all(isinstance(item, dict) for item in value):
        pairs = [
            (item.get("id"), next((item[key] for key in ("text", "name", "username") if key in item), None))
            for item in value
        ]
    elif isinstance(value, list):
        pairs = list(enumerate(value))
    else:
        return None
    if all(isinstance(key, int | str) and isinstance(text, str) for key, text in pairs):
        return {str(key): text for key, text in pairs}
    return None
