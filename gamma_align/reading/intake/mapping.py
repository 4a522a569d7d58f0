"""What the columns of a table mean: a small document that is written, saved, read and applied.

::

    {"form": "row",
     "roles": {"document": "Datei", "annotator": "Kodierer/in", "start": "Beginn", "end": "Ende", "category": "Code"}}

Forms
-----
========================  ==============================================================================================
row                       a row is a unit: roles start and end (or duration)
wide                      a row has a unit of each annotator: `sets` names the columns of each
cells                     a cell holds a list of spans, or of characters: role spans, or `sets`
tags                      a row is a token, a cell its tag: role tag, or `sets`; `scheme` says how tags are written
events                    a row is the start or the stop of a unit: roles time and event; `starts`, `stops`, `points`
quotes                    a row is a unit that is told by its words: role quote
epochs                    a row is the next stretch of equal length, as in hypnograms: role category, or `sets`
items-wide                a row is an item, `sets` names the column of each annotator
items-long                a row is a judgment: roles annotator, category, and item; without item, the first judgments of
                          all annotators are the first item, and so on
items-transposed          a row is an annotator (role annotator), `columns` are the items
counts                    a row is an item, `columns` are categories, each cell a number of annotators
contingency               the rows (role category) and the `columns` are the categories of two annotators
========================  ==============================================================================================

Values of roles
---------------
The name of a column or of a place (``@folder 1``, ``@stem``, ``@sheet``), or an object: ``{"value": "x"}``, the same
for all rows; ``{"columns": ["doc", "sentence"]}``, a name of several parts; ``{"range": "Reference", "part": 0}``, the
first number in "0 - 10"; ``{"start": "begin", "length of": "quote"}``, the end of a unit with these words.

Modifiers
---------
``end`` ("inclusive": the last character, token or frame belongs to the unit), ``numbers`` ("comma": decimal commas),
``where`` (``[["status", "is not", "cancelled"]]``: the rows that are read), ``names``
(``{"annotator": {"7": "Anna", "": "nobody"}}``: numbers to names, and one for empty cells), ``missing`` (words that
mean no category), ``gaps`` (rows without category are no units), ``epoch`` (length of an epoch).

``rows`` says how rows are found in a file of text: ``{"delimiter": ";", "header": 3}``, the line of the names of
columns, null if none names them; or in a file of JSON: ``{"each": "[].spans[]"}``, the path of the list
(`reading.intake.trees`).
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, dataclass, field, fields
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from gamma_align.errors import Call, Cure, Location, Set, SettingsError

ITEM_FORMS = frozenset({"items-wide", "items-long", "items-transposed", "counts", "contingency"})
"""Forms whose rows are judgments of predefined items."""
READ_ITEMS = Call("read_items", "items")
"""What reads them, for messages of what reads units."""

# The roles of each form: those that it needs, and those that it may have.
_FORMS: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = MappingProxyType({
    "row": (("start",), ("document", "annotator", "layer", "end", "duration", "category", "quote", "text")),
    "wide": ((), ("document", "text")),
    "cells": ((), ("document", "annotator", "spans", "text")),
    "tags": ((), ("document", "annotator", "tag", "token")),
    "events": (("time", "event"), ("document", "annotator", "layer", "category")),
    "quotes": (("quote",), ("document", "annotator", "category", "text")),
    "epochs": ((), ("document", "annotator", "category")),
    "items-wide": ((), ("document", "item")),
    "items-long": (("annotator", "category"), ("item", "document")),
    "items-transposed": (("annotator",), ()),
    "counts": ((), ("item",)),
    "contingency": (("category",), ()),
})  # fmt: skip
# The roles of each annotator's columns in `sets`, and the role that stands for them without sets.
_SET_ROLES: Mapping[str, tuple[tuple[str, ...], str]] = MappingProxyType({
    "wide": (("start", "end", "duration", "category"), ""),
    "cells": (("spans",), "spans"),
    "tags": (("tag",), "tag"),
    "epochs": (("category",), "category"),
    "items-wide": (("category",), ""),
})  # fmt: skip
_CHOICES: Mapping[str, tuple[str, ...]] = MappingProxyType({
    "end": ("exclusive", "inclusive"),
    "numbers": ("plain", "comma"),
})  # fmt: skip
_SCHEME = re.compile(r"B[-_:./|+#@ ]?X|X[-_:./|+#@ ]?B|X")
_CONDITIONS = ("is", "is not")
_ROWS_KEYS = ("delimiter", "header", "each")


class Value(NamedTuple):
    """The same value in all rows."""

    value: str

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that are needed: none."""
        return ()

    def to_json(self) -> dict[str, object]:
        """Return the object of the document."""
        return {"value": self.value}


class Joined(NamedTuple):
    """A name of several parts, a column each."""

    columns: tuple[str, ...]

    def to_json(self) -> dict[str, object]:
        """Return the object of the document."""
        return {"columns": list(self.columns)}


class Part(NamedTuple):
    """The first (0) or second (1) number in a cell such as "0 - 10"."""

    column: str
    part: int

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that are needed."""
        return (self.column,)

    def to_json(self) -> dict[str, object]:
        """Return the object of the document."""
        return {"range": self.column, "part": self.part}


class EndOf(NamedTuple):
    """The end of a unit that begins at a start and has the length of the words in a column."""

    start: str
    words: str

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that are needed."""
        return (self.start, self.words)

    def to_json(self) -> dict[str, object]:
        """Return the object of the document."""
        return {"start": self.start, "length of": self.words}


Reference = str | Value | Joined | Part | EndOf
"""What has a role: the name of a column or place, or how its cells are made."""


class Condition(NamedTuple):
    """A condition for rows that are read: a column, whether its cells must be equal to the value, and the value."""

    column: str
    is_equal: bool
    value: object

    def to_json(self) -> list[object]:
        """Return the list of the document."""
        return [self.column, _CONDITIONS[0] if self.is_equal else _CONDITIONS[1], self.value]


@dataclass(frozen=True, slots=True)
class ColumnMap:
    """What the columns of a table mean; the attributes are the keys of the document, which the module describes.

    Raises
    ------
    SettingsError
        If the form does not exist, lacks a role, or has a role or modifier that means nothing in it.
    """

    form: str
    roles: Mapping[str, Reference] = field(default_factory=dict)
    sets: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    columns: tuple[str, ...] = ()
    scheme: str = ""
    starts: tuple[str, ...] = ()
    stops: tuple[str, ...] = ()
    points: tuple[str, ...] = ()
    end: str = "exclusive"
    numbers: str = "plain"
    where: tuple[Condition, ...] = ()
    names: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    missing: tuple[str, ...] = ()
    gaps: bool = False
    epoch: float = 1.0
    rows: Mapping[str, object] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.form not in _FORMS:
            raise _wrong(f"the form is one of {', '.join(_FORMS)}, not {self.form!r}")
        self._check_roles()
        self._check_lists()
        if self.scheme and _SCHEME.fullmatch(self.scheme) is None:
            raise _wrong(f"the scheme is {self.scheme!r}, and shows a tag: B-X, X-B, B:X, BX, or X if there is no B")
        for name, allowed in _CHOICES.items():
            if getattr(self, name) not in allowed:
                raise _wrong(f"{name!r} is one of {', '.join(allowed)}, not {getattr(self, name)!r}")

    def _check_roles(self) -> None:
        needed, possible = _FORMS[self.form]
        unknown = [role for role in self.roles if role not in (*needed, *possible)]
        if unknown:
            raise _wrong(f"the form {self.form!r} has the roles {', '.join((*needed, *possible))}, not {unknown[0]!r}")
        missing = [role for role in needed if role not in self.roles]
        if self.form == "row" and not {"end", "duration"} & set(self.roles):
            missing.append("end")
        if {"end", "duration"} <= set(self.roles):
            raise _wrong("both 'end' and 'duration' have a column, and one tells the other")
        if missing:
            raise _wrong(f"the form {self.form!r} needs {missing[0]!r}")
        self._check_sets()

    def _check_sets(self) -> None:
        of_set, alone = _SET_ROLES.get(self.form, ((), ""))
        if alone and bool(self.sets) == (alone in self.roles):
            raise _wrong(f"the form {self.form!r} needs either the role {alone!r} or 'sets'")
        if of_set and not alone and not self.sets:
            raise _wrong(f"the form {self.form!r} needs 'sets'")
        if self.sets and not of_set:
            raise _wrong(f"the form {self.form!r} has no 'sets'")
        if self.sets and "annotator" in self.roles:
            raise _wrong("'sets' name the annotators, and so does the role 'annotator'")
        for annotator, columns in self.sets.items():
            wrong = [role for role in columns if role not in of_set]
            if wrong or not columns:
                raise _wrong(
                    f"the set {annotator!r} has the roles {', '.join(of_set)}, not {', '.join(wrong) or 'none'}"
                )
            if self.form == "wide" and not ("start" in columns and len({"end", "duration"} & set(columns)) == 1):
                raise _wrong(f"the set {annotator!r} needs 'start', and 'end' or 'duration'")

    def _check_lists(self) -> None:
        needs = {
            "columns": self.form in ("items-transposed", "counts", "contingency"),
            "scheme": self.form == "tags",
            "starts": self.form == "events",
            "stops": self.form == "events",
        }
        for name, is_needed in needs.items():
            if is_needed and not getattr(self, name):
                raise _wrong(f"the form {self.form!r} needs {name!r}")
        own = {"columns": needs["columns"], "scheme": needs["scheme"]}
        own |= dict.fromkeys(("starts", "stops", "points"), self.form == "events")
        own |= {"gaps": self.form == "row", "end": self.form in ("row", "wide", "cells")}
        for each in fields(self):
            if not own.get(each.name, True) and getattr(self, each.name) != _default(each):
                raise _wrong(f"the form {self.form!r} has no {each.name!r}")

    @property
    def is_of_items(self) -> bool:
        """Whether rows are judgments of predefined items."""
        return self.form in ITEM_FORMS

    @property
    def used_columns(self) -> tuple[str, ...]:
        """The columns and places that are read, each once."""
        references = (
            (reference,) if isinstance(reference, str) else reference.columns for reference in self.roles.values()
        )
        names = [name for group in references for name in group]
        names += [name for columns in self.sets.values() for name in columns.values()]
        names += [*self.columns, *(condition.column for condition in self.where)]
        return tuple(dict.fromkeys(names))

    def to_json(self) -> dict[str, object]:
        """Return the document as an object of JSON; what is as usual is left out."""
        document: dict[str, object] = {"form": self.form}
        for each in fields(self)[1:]:
            value = getattr(self, each.name)
            if value != _default(each):
                document[each.name] = _plain(value)
        return document

    @classmethod
    def from_json(cls, document: object) -> ColumnMap:
        """Return the map in an object of JSON; SettingsError if it is none."""
        if not isinstance(document, Mapping):
            raise _wrong(f"it is {document!r}, not an object")
        known = [each.name for each in fields(cls)]
        unknown = next((key for key in document if key not in known), None)
        if unknown is not None:
            raise _wrong(f"there is no {unknown!r} in a map; there are {', '.join(known)}")
        if not isinstance(document.get("form"), str):
            raise _wrong("the map has no 'form'")
        return cls(**{key: _PARSERS.get(key, _as_it_is)(key, value) for key, value in document.items()})


def _default(each: Field[Any]) -> object:
    """Return the value of a key that is absent."""
    return each.default if each.default_factory is MISSING else each.default_factory()


def _wrong(cause: str) -> SettingsError:
    return SettingsError(cause, Cure("correct {}", Set("map")), Location.for_option("map"))


def _plain(value: object) -> object:
    """Return a value as JSON has it."""
    if isinstance(value, (Value, Joined, Part, EndOf, Condition)):
        return value.to_json()
    if isinstance(value, Mapping):
        return {key: _plain(part) for key, part in value.items()}
    return [_plain(part) for part in value] if isinstance(value, tuple) else value


def _texts(key: str, value: object) -> tuple[str, ...]:
    if not isinstance(value, (list, tuple)) or not all(isinstance(text, str) for text in value):
        raise _wrong(f"{key!r} is {value!r}, not a list of texts")
    return tuple(value)


def _table(key: str, value: object, parse: Callable[[str, object], Any]) -> dict[str, Any]:
    """Return an object whose values are parsed by a function."""
    if not isinstance(value, Mapping):
        raise _wrong(f"{key!r} is {value!r}, not an object")
    return {str(name): parse(f"{key}: {name}", part) for name, part in value.items()}


def _text(key: str, value: object) -> str:
    if not isinstance(value, str):
        raise _wrong(f"{key!r} is {value!r}, not a text")
    return value


def _reference(key: str, value: object) -> Reference:
    if isinstance(value, str):
        return value
    match dict(value) if isinstance(value, Mapping) else value:
        case {"value": text, **rest} if not rest:
            return Value(_text(key, text))
        case {"columns": names, **rest} if not rest:
            return Joined(_texts(key, names))
        case {"range": str(column), "part": 0 | 1 as part, **rest} if not rest:
            return Part(column, part)
        case {"start": str(start), "length of": str(words), **rest} if not rest:
            return EndOf(start, words)
    raise _wrong(
        f'{key!r} is {value!r}, not a column, {{"value": …}}, {{"columns": […]}}, {{"range": …, "part": 0}} or '
        '{"start": …, "length of": …}'
    )


def _conditions(key: str, value: object) -> tuple[Condition, ...]:
    conditions = []
    for entry in value if isinstance(value, (list, tuple)) else (value,):
        match entry:
            case [str(column), "is" | "is not" as relation, str() | int() | float() | None as wanted]:
                conditions.append(Condition(column, relation == "is", wanted))
            case _:
                raise _wrong(f'{key!r} has {entry!r}, not [column, "is" or "is not", value]')
    return tuple(conditions)


def _rows(key: str, value: object) -> dict[str, object]:
    rows = _table(key, value, _as_it_is)
    match rows:
        case {"delimiter": bad} if not (isinstance(bad, str) and len(bad) == 1):
            raise _wrong(f"the delimiter is {bad!r}, not one character")
        case {"each": bad} if not isinstance(bad, str):
            raise _wrong(f"the list of records is {bad!r}, not a path such as '[].spans[]'")
        case {"header": bad} if not (bad is None or (isinstance(bad, int) and not isinstance(bad, bool) and bad > 0)):
            raise _wrong(f"the header is {bad!r}, not the number of a line or null")
    unknown = next((name for name in rows if name not in _ROWS_KEYS), None)
    if unknown is not None:
        raise _wrong(f"{key!r} has {unknown!r}, and may have {', '.join(_ROWS_KEYS)}")
    return rows


def _number(key: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value < float("inf"):
        raise _wrong(f"{key!r} is {value!r}, not a number above 0")
    return float(value)


def _flag(key: str, value: object) -> bool:
    if not isinstance(value, bool):
        raise _wrong(f"{key!r} is {value!r}, not true or false")
    return value


def _as_it_is(_key: str, value: object) -> object:
    return value


_PARSERS: Mapping[str, Callable[[str, object], Any]] = MappingProxyType({
    **dict.fromkeys(("form", "scheme", "end", "numbers"), _text),
    **dict.fromkeys(("columns", "starts", "stops", "points", "missing"), _texts),
    "roles": lambda key, value: _table(key, value, _reference),
    "sets": lambda key, value: _table(key, value, lambda name, part: _table(name, part, _text)),
    "names": lambda key, value: _table(key, value, lambda name, part: _table(name, part, _text)),
    "where": _conditions,
    "rows": _rows,
    "gaps": _flag,
    "epoch": _number,
})  # fmt: skip


def loaded(source: Mapping[str, object] | str | os.PathLike[str]) -> ColumnMap:
    """Return the map that is an object, a text of JSON, or in the file at a path.

    Raises
    ------
    SettingsError
        If there is no such file, or if it is no map.
    """
    if isinstance(source, Mapping):
        return ColumnMap.from_json(source)
    text = os.fspath(source)
    name = "the map"
    import json  # most runs have no map

    try:
        if not text.lstrip().startswith("{"):
            name = text
            text = Path(text).read_text(encoding="utf-8")
        document = json.loads(text)
    except OSError as error:
        raise _wrong(f"{name} cannot be read: {error.strerror or error}") from None
    except ValueError as error:
        raise _wrong(f"{name} is no JSON: {error}") from None
    return ColumnMap.from_json(document)


def refuse_beside_map(settings: Mapping[str, object]) -> None:
    """Raise SettingsError for the first of these settings that is set: a map says what it says."""
    given = next((name for name, value in settings.items() if value), None)
    if given is not None:
        raise SettingsError(
            "a map says what the columns of a table mean, and so does this",
            Cure("leave out one of the two ({})", Set("map")),
            Location.for_option(given),
        )


def saved(mapping: ColumnMap, indent: int | None = 1) -> str:
    """Return the map as JSON, the text of a file; in one line without indentation."""
    import json

    return json.dumps(mapping.to_json(), ensure_ascii=False, indent=indent) + "\n"
