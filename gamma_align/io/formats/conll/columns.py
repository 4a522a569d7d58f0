"""Which column is what: tokens and tags, and sentences, documents and annotators where there are columns of them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

from gamma_align.data.column_names import option, the_one, usual
from gamma_align.errors import InputError, SettingsError
from gamma_align.io.files.line_files import numbered
from gamma_align.io.files.sources import Source
from gamma_align.io.formats.conll.rows import Row, mark_of, rows
from gamma_align.io.marks.choices import Choices
from gamma_align.io.marks.tags import BRACKETS, MENTION, TAG, BracketDecoder, Decoder, MentionDecoder, are_bare

UNSEEN = "?"
"""What stands where an annotator was not shown the token."""

VOID = ("_", "-")
"""Cells in columns of tags that are none."""

ROLES = ("document", "annotator", "sentence", "token", "category")
"""What a column can be, by our names; that of tags is the category."""

BEGIN = re.compile(r"#begin document \((?P<new>.*)\);?(?: part (?P<part>\d+))?\s*")
"""The line that begins a document of CoNLL-2011 and CoNLL-2012."""

ENTITIES, COREFERENCE = "entities", "coreference"
"""The layers of CoNLL-2012."""

LOOKED_AT = 10_000
"""How many tokens are looked at to tell the columns."""

SEVERAL_OR_NONE = re.compile(r"\d{1,9}[-.]\d{1,9}")
"""Ids of rows of several tokens (1-2) and of none (1.1)."""

_NUMBER = re.compile(r"\d{1,9}")
_COLUMNS = re.compile(r"#\s*global\.columns\s*=(.*)")
_NAME = re.compile(r"O|\w[\w./&:+-]+")
_LEAST = 2
_BEGIN_TOKEN = 3
_BEGIN_ENTITIES = 10
_BEGIN_LEAST = 12


class Tags(NamedTuple):
    """A column of tags (from 0; -1 is the last), or a feature in it, what its tags are, and whose or which layer's.

    With `blanks` an empty cell is none; otherwise it is an error.
    """

    column: int
    kind: str
    annotator: str | None = None
    layer: str | None = None
    feature: str | None = None
    blanks: bool = False

    def tag(self, cells: Sequence[str]) -> str:
        """Return the tag among the cells of a token."""
        cell = cells[self.column]
        if self.feature is not None:
            return _features(cell).get(self.feature, "O")
        return VOID[0] if self.blanks and not cell else cell

    def fits(self, cells: Sequence[str]) -> bool:
        """Whether there is a tag among the cells of a row."""
        tag = self.tag(cells)
        pattern = {"mentions": MENTION, "brackets": BRACKETS}.get(self.kind, TAG)
        return tag in (UNSEEN, *VOID) or pattern.fullmatch(tag) is not None

    @property
    def place(self) -> str:
        """Its number from 1, and the feature."""
        number = "the last" if self.column < 0 else str(self.column + 1)
        return f"{number} ({self.feature})" if self.feature else number

    def decoder(self, scheme: str | None, *, chains: bool) -> Decoder | MentionDecoder | BracketDecoder:
        """Return what makes units of the tags."""
        if self.kind == "mentions":
            return MentionDecoder(chains=chains)
        return BracketDecoder() if self.kind == "brackets" else Decoder(scheme, bare=self.kind == "bare")


@dataclass(frozen=True, slots=True)
class Shape:
    """How a file is written.

    `mark` is what stands between cells; a row has `width` of them, or more where it is `ragged`. `token` is the column
    of tokens, those of `roles` are documents, annotators and sentences; `ids` is whether the first column numbers the
    tokens. `header` is the line of the names of columns, `breaks` how many lines begin a document without a name.
    `note` is what the user should know of layers that are not read.
    """

    mark: str | None
    width: int
    token: int
    tags: list[Tags]
    breaks: int
    roles: Mapping[str, int]
    ids: bool = False
    header: int | None = None
    ragged: bool = False
    note: str = ""

    def is_token(self, row: Row) -> bool:
        """Whether a row that is neither blank nor a break is of a token; hashtags are."""
        if row.number == self.header or (self.ids and SEVERAL_OR_NONE.fullmatch(row.cells[0])):
            return False
        if not row.comment:
            return True
        if self.ids or not self.is_whole(row.cells):  # a numbered token begins with its number
            return False
        # A hashtag between tabs is a token even if its tag is wrong; '#' alone may begin a comment with tabs.
        is_hashtag = self.mark == "\t" and row.cells[0] != "#"
        return is_hashtag or all(tags.fits(row.cells) for tags in self.tags)

    def is_whole(self, cells: Sequence[str]) -> bool:
        """Whether a row has the cells that it should; empty ones may follow."""
        return len(cells) >= self.width and (self.ragged or not any(cells[self.width :]))

    def cell(self, row: Row, role: str) -> str:
        """Return what a row has in the column of a role, "" without one."""
        return row.cells[self.roles[role]] if role in self.roles else ""


class _Beginning(NamedTuple):
    """The cells of the first tokens, names of columns in a comment, and what stands in the whole file.

    `breaks` is how many lines begin a document without a name, `begun` whether one begins a document of CoNLL-2012.
    """

    table: list[list[str]]
    line: int
    names: list[str]
    breaks: int
    begun: bool


def shape_of(source: Source, choices: Choices) -> Shape:
    """Return how a file is written, by its first tokens and what the user says."""
    mark = mark_of((line for _, line in numbered(source)), source.suffix)
    table, line, names, breaks, begun = _beginning(source, mark)
    if begun and is_of_2012(table) and not {"annotators", "columns"} & {*choices.options}:
        tags, note = _layers_of_2012(source, mark, choices)
        return Shape(mark, _BEGIN_LEAST, _BEGIN_TOKEN, tags, breaks, {}, ragged=True, note=note)
    header = line if is_header(table) else None
    if header is not None:
        names = table.pop(0)
    width = len(table[0])
    names = names if len(names) == width else []
    roles = _roles(source.name, width, names, dict(choices.options.get("columns") or {}))
    ids = width > _LEAST and 0 not in roles.values() and _is_most([row[0] for row in table], _is_id)
    if ids and _is_most([*pairwise(row[0] for row in table)], lambda pair: pair[0] == pair[1]):
        roles["sentence"], ids = 0, False  # a number that many rows have is no token's
    if "token" not in roles:
        usual_one = _BEGIN_TOKEN if begun and width > _BEGIN_TOKEN else int(ids)
        free = [column for column in range(width) if column not in roles.values()]
        roles["token"] = next((column for column in free if column >= usual_one), 0)
    table = [row for row in table if not (ids and SEVERAL_OR_NONE.fullmatch(row[0]))] or table
    columns = [[row[column] for row in table if len(row) > column] for column in range(width)]
    tags = _Columns(source.name, columns, names, names_of_tags(names), roles, choices.options).tags()
    return Shape(mark, width, roles["token"], tags, breaks, roles, ids and roles["token"] > 0, header)


def _beginning(source: Source, mark: str | None) -> _Beginning:
    names: list[str] = []
    first: list[Row] = []
    breaks, begun = 0, False
    for row in rows(source, mark):
        named = _COLUMNS.fullmatch(row.comment)
        names = named.group(1).split() if named else names
        breaks += row.is_break
        begun |= BEGIN.fullmatch(row.comment) is not None
        if row.is_token and len(first) < LOOKED_AT:
            first.append(row)
    if not first:
        raise InputError(f"{source.name}: there is no token in it")
    return _Beginning([row.cells for row in first], first[0].number, names, breaks, begun)


def is_of_2012(table: Sequence[Sequence[str]]) -> bool:
    """Whether rows of cells are of CoNLL-2011 or CoNLL-2012, whose columns of arguments change in number."""
    return _is_most(table, lambda row: len(row) >= _BEGIN_LEAST and bool(BRACKETS.fullmatch(row[_BEGIN_ENTITIES])))


def _layers_of_2012(source: Source, mark: str | None, choices: Choices) -> tuple[list[Tags], str]:
    """Return the columns of entities and of mentions, without a choice the first that has any, and a note on that."""
    entities = Tags(_BEGIN_ENTITIES, "brackets", layer=ENTITIES)
    mentions = Tags(-1, "mentions", layer=COREFERENCE)
    if choices.layers is not None or choices.by_layer:
        return [entities, mentions], ""
    tokens = (row.cells for row in rows(source, mark) if row.is_token and len(row.cells) >= _BEGIN_LEAST)
    if any("(" in entities.tag(cells) for cells in tokens):
        other = f"--layers {COREFERENCE} (layers={COREFERENCE!r})"
        return [entities], f"entities are read; mentions, in the last column, are with {other}"
    return [mentions], ""


def _roles(file: str, width: int, names: Sequence[str], given: Mapping[str, Any]) -> dict[str, int]:
    """Return the column of each role, as the user says or by its usual name; that of tags only as the user says."""
    unknown = next((role for role in given if role not in ROLES), None)
    if unknown is not None:
        raise SettingsError(f"there is no {unknown!r} among {', '.join(ROLES)}; write ours=yours: token=Word")
    roles = {role: _column(value, role, file, width, names) for role, value in given.items() if value is not None}
    for role in (role for role in ROLES[:-1] if role not in given):
        free = [name for column, name in enumerate(names) if column not in roles.values()]
        fitting = usual(free, role)
        name = fitting[0] if role == "token" and fitting else the_one(fitting, role, file)
        if name is not None:
            roles[role] = names.index(name)
    return roles


def _is_most(cells: Sequence[Any], matches: Callable[[Any], bool]) -> bool:
    return 2 * sum(map(matches, cells)) > len(cells)


def _column(value: object, what: str, file: str, width: int, names: Sequence[str]) -> int:
    """Return the column (from 0) that a number from 1 or a name means."""
    if isinstance(value, str) and value in names:
        return names.index(value)
    if isinstance(value, bool) or not isinstance(value, int | str) or not _NUMBER.fullmatch(str(value)):
        named = f", or one of {', '.join(map(repr, names))}" if names else ""
        raise SettingsError(f"the column of {what} is a number from 1{named}, not {value!r}")
    if not 1 <= int(value) <= width:
        raise InputError(f"{file}: there is no column {value} for {what}; there are {width}")
    return int(value) - 1


@dataclass(frozen=True, slots=True)
class _Columns:
    """The cells of each column, and its name where there are names; `of_tags` are usual names of tags."""

    file: str
    cells: list[list[str]]
    names: Sequence[str]
    of_tags: Collection[str]
    roles: Mapping[str, int]
    options: Mapping[str, Any]

    def tags(self) -> list[Tags]:
        """Return the columns of tags: those that the user names, or all whose cells, or features in them, are tags."""
        if "annotators" in self.options:
            return self._of_annotators(self.options["annotators"])
        if "category" in self.roles:
            return [self._chosen(self.roles["category"])]
        found: list[Tags] = []
        for column, cells in enumerate(self.cells):
            if column in self.roles.values():
                continue
            kind = self._kind(column)
            if kind is not None:
                found.append(Tags(column, kind, layer=self._name(column), blanks=self._has_blanks(column)))
            else:
                found += (Tags(column, "tags", layer=key, feature=key) for key in tagged_features(cells))
        if not any(cell != UNSEEN for tags in found for cell in self.cells[tags.column]):
            raise InputError(self._none())
        return found if self.names or len(found) > 1 else [found[0]._replace(layer=None)]

    def _of_annotators(self, chosen: object) -> list[Tags]:
        if not isinstance(chosen, dict) or not chosen:
            raise SettingsError(f"annotators is annotator to column, {{'anna': 3, 'ben': 4}}, not {chosen!r}")
        place = (self.file, len(self.cells), self.names)
        columns = {str(name): _column(column, repr(name), *place) for name, column in chosen.items()}
        return [self._chosen(column)._replace(annotator=name) for name, column in columns.items()]

    def _chosen(self, column: int) -> Tags:
        """Return a column that the user says is of tags, whatever they look like."""
        cells = self.cells[column]
        filled = [cell for cell in cells if cell not in ("", UNSEEN, *VOID)]
        if filled and all(map(_NUMBER.fullmatch, filled)):
            raise InputError(
                f"{self.file}: column {self._name(column)!r} has numbers; write the names of the tags (O, B-PER, …) in "
                "their place"
            )
        kind = self._kind(column) or ("bare" if are_bare(filled) else "tags")
        return Tags(column, kind, blanks=self._has_blanks(column) or "O" not in cells)

    def _kind(self, column: int) -> str | None:
        cells = self.cells[column]
        if self._has_blanks(column):
            cells = [cell or "O" for cell in cells]
        return kind_of(cells, self.options.get("scheme"))

    def _has_blanks(self, column: int) -> bool:
        """Whether empty cells of a column are tags, as its name is one of tags."""
        return bool(self.names) and self.names[column] in self.of_tags

    def _name(self, column: int) -> str:
        return self.names[column] if self.names else str(column + 1)

    def _none(self) -> str:
        """Return words for a file in which no column is seen to be of tags."""
        likely = usual(self.names, "category")
        cure = option("category", likely[0]) if likely else "--column category=<number or name> (columns=)"
        return (
            f"{self.file}: none of the {len(self.cells)} columns is seen to be of tags (O, B-<category>, I-<category>, "
            f"…); say which is with {cure}, or what the file is with --format (format=)"
        )


def kind_of(column: Sequence[str], scheme: str | None = None) -> str | None:
    """Return what the cells of a column are: "tags", "bare" or "mentions"; ``None`` for something else."""
    counts = Counter(column)
    if set(counts) == {UNSEEN}:
        return "tags"
    filled = Counter({cell: count for cell, count in counts.items() if cell not in ("", UNSEEN, *VOID)})
    if not filled:
        return None
    if all(map(MENTION.fullmatch, filled)):
        return "mentions"
    if scheme is None and are_bare(filled) and 10 * filled["O"] >= filled.total() and all(map(_NAME.fullmatch, filled)):
        return "bare"
    return "tags" if 2 * sum(count for cell, count in filled.items() if is_tag(cell)) > filled.total() else None


def is_tag(cell: str) -> bool:
    """Whether a cell may be a tag, or stand for none."""
    return cell in (UNSEEN, *VOID) or TAG.fullmatch(cell) is not None


def tagged_features(column: Sequence[str]) -> list[str]:
    """Return the features in a column whose values are tags, in a scheme and with a category."""
    values: dict[str, list[str]] = {}
    for cell in column:
        for feature, value in _features(cell).items() if "=" in cell else ():
            values.setdefault(feature, []).append(value)
    return [
        feature
        for feature, cells in values.items()
        if kind_of(cells) == "tags" and any(fits and fits[2] for fits in map(TAG.fullmatch, cells))
    ]


def names_of_tags(names: Sequence[str]) -> set[str]:
    """Return the names that are usual ones of tags, if another is one of tokens."""
    return set(usual(names, "category")) if usual(names, "token") else set()


def is_header(table: Sequence[Sequence[str]]) -> bool:
    """Whether the first row names the columns.

    It does where one name is of tokens and another of tags, and where one is, or a column is of tags, and no name
    is among the cells of its column.
    """
    first = table[0]
    names = [*filter(None, first)]  # an index has none, nor what is behind the last comma
    if len(table) == 1 or any(map(is_tag, names)) or "" in first[1:-1] or len({*names}) < len(names):
        return False
    if names_of_tags(names):
        return True
    known = bool(usual(names, "token")) or bool(usual(names, "category"))
    columns = list(zip(*table[1:], strict=False))
    repeated = any(cell in column for cell, column in zip(first, columns, strict=False))
    return (known or "tags" in map(kind_of, columns)) and not repeated


def _is_id(cell: str) -> bool:
    return _NUMBER.fullmatch(cell) is not None or SEVERAL_OR_NONE.fullmatch(cell) is not None


def _features(cell: str) -> dict[str, str]:
    pairs = (pair.partition("=") for pair in cell.split("|"))
    return {key.strip(): value.strip() for key, equals, value in pairs if equals}
