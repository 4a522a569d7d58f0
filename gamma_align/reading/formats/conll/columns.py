"""The roles of columns: tokens and tags, and in some files sentences, documents and annotators."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple, TypeVar

from gamma_align.data import SURE, few, fits, the_one, usual
from gamma_align.errors import Cure, Entry, InputError, Location, Note, Set, SettingsError
from gamma_align.reading.files.line_files import numbered
from gamma_align.reading.files.sources import Source
from gamma_align.reading.formats.conll.rows import Row, mark_of, rows
from gamma_align.reading.marks.choices import FORMAT_OPTIONS, Choices
from gamma_align.reading.marks.notations import TAG, Notation, notation_of
from gamma_align.reading.marks.tags import BRACKETS, MENTION, BracketDecoder, Decoder, MentionDecoder, are_bare

_Cell = TypeVar("_Cell")  # a cell, a row, or a pair of cells

UNSEEN = "?"
"""The tag of a token that was not shown to the annotator."""

VOID = ("_", "-")
"""Cells without a tag in columns of tags."""

ROLES = ("document", "annotator", "sentence", "token", "category")
"""Roles of columns; a column of tags is called the category."""

BEGIN = re.compile(r"#begin document \((?P<new>.*)\);?(?: part (?P<part>\d+))?\s*")
"""The line that begins a document of CoNLL-2011 and CoNLL-2012."""

ENTITIES = "entities"  # the layers of CoNLL-2012
COREFERENCE = "coreference"

LOOKED_AT = 10_000
"""Number of tokens from which the roles of columns are determined."""

SEVERAL_OR_NONE = re.compile(r"\d{1,9}[-.]\d{1,9}")
"""Ids of rows of several tokens (1-2) and of none (1.1)."""

_COLUMN_NUMBER = re.compile(r"\d{1,9}")
_COLUMN_NAMES_COMMENT = re.compile(r"#\s*global\.columns\s*=(.*)")
_BARE_TAG = re.compile(r"O|\w[\w./&:+-]+")
_MIN_TOKEN_AND_TAG = 2  # columns; more are needed for a column of numbers
# Columns (from 0) of CoNLL-2011 and CoNLL-2012, between which stand a varying number of columns of arguments.
_TOKEN_COLUMN_2012 = 3
_ENTITY_COLUMN_2012 = 10
_MIN_WIDTH_2012 = 12
_MAX_CELLS_PER_OUTSIDE = 10  # for each O in a column of categories alone; other columns of words have fewer O


class Tags(NamedTuple):
    """A column of tags (from 0; -1 is the last), or a feature in it, with the kind, annotator and layer of its tags.

    With `blanks` an empty cell is no tag; otherwise it is an error. A `notation` is another one than B-PER.
    """

    column: int
    kind: str
    annotator: str | None = None
    layer: str | None = None
    feature: str | None = None
    blanks: bool = False
    notation: Notation | None = None

    def tag(self, cells: Sequence[str]) -> str:
        """Return the tag among the cells of a token."""
        return self.tag_in(cells[self.column])

    def tag_in(self, cell: str) -> str:
        """Return the tag in the cell of a token in this column, in the usual notation."""
        if self.feature is not None:
            cell = _features(cell).get(self.feature, "O")
        elif self.blanks and not cell:
            cell = VOID[0]
        return cell if self.notation is None else self.notation.standardised(cell)

    def fits(self, cells: Sequence[str]) -> bool:
        """Whether the cell of this column in a row is a tag, or a cell without a tag."""
        tag = self.tag(cells)
        pattern = {"mentions": MENTION, "brackets": BRACKETS}.get(self.kind, TAG)
        return tag in (UNSEEN, *VOID) or pattern.fullmatch(tag) is not None

    @property
    def description(self) -> str:
        """The number of the column from 1, and the feature."""
        number = "the last" if self.column < 0 else str(self.column + 1)
        return f"{number} ({self.feature})" if self.feature else number

    def decoder(self, scheme: str | None, *, chains: bool) -> Decoder | MentionDecoder | BracketDecoder:
        """Return a decoder from tags to units."""
        if self.kind == "mentions":
            return MentionDecoder(chains=chains)
        return BracketDecoder() if self.kind == "brackets" else Decoder(scheme, bare=self.kind == "bare")


@dataclass(frozen=True, slots=True)
class Shape:
    """The layout of a file.

    `mark` separates cells; a row has `width` of them, or more if it is `ragged`. `token` is the column of tokens,
    `roles` are the columns of documents, annotators and sentences; `ids` is true if the first column numbers the
    tokens. `header` is the line of the names of columns, `breaks` the number of lines that begin a document without a
    name. `note` is a note on layers that are not read.
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
    note: Note | None = None

    def is_token(self, row: Row) -> bool:
        """Whether a row that is neither blank nor a break is a token; a hashtag is one."""
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
        """Return whether a row has the required cells; empty ones may follow."""
        return len(cells) >= self.width and (self.ragged or not any(cells[self.width :]))

    def cell(self, row: Row, role: str) -> str:
        """Return the cell of a row in the column of a role, "" if no column has it."""
        return row.cells[self.roles[role]] if role in self.roles else ""


class _Beginning(NamedTuple):
    """The cells of the first tokens, the names of columns in a comment, and facts about the whole file.

    `breaks` is the number of lines that begin a document without a name; `begun` is true if a line begins a document
    of CoNLL-2012.
    """

    table: list[list[str]]
    line: int
    names: list[str]
    breaks: int
    begun: bool


def recognise_shape(source: Source, choices: Choices) -> Shape:
    """Return the layout of a file, from its first tokens and the choices of the user.

    Raises an `InputError` if the file has no tokens, or if no column contains tags.
    """
    mark = mark_of((line for _, line in numbered(source)), source.suffix)
    table, line, names, breaks, begun = _read_beginning(source, mark)
    if begun and is_of_2012(table) and not {"annotators", "columns"} & {*choices.options}:
        tags, note = _layers_of_2012(source, mark, choices)
        return Shape(mark, _MIN_WIDTH_2012, _TOKEN_COLUMN_2012, tags, breaks, {}, ragged=True, note=note)
    requested = dict(choices.options.get("columns") or {})
    header = line if is_header(table) or not {*table[0]}.isdisjoint(requested.values()) else None
    if header is not None:
        names = table.pop(0)
    width = len(table[0])
    names = names if len(names) == width else []
    roles = _roles(source.name, width, names, requested)
    ids = width > _MIN_TOKEN_AND_TAG and 0 not in roles.values() and _most_match([row[0] for row in table], _is_id)
    if ids and _most_match([*pairwise(row[0] for row in table)], lambda pair: pair[0] == pair[1]):
        # a number shared by adjacent rows belongs to the sentence
        roles["sentence"] = 0
        ids = False
    if "token" not in roles:
        usual_one = _TOKEN_COLUMN_2012 if begun and width > _TOKEN_COLUMN_2012 else int(ids)
        free = [column for column in range(width) if column not in roles.values()]
        roles["token"] = next((column for column in free if column >= usual_one), 0)
    table = [row for row in table if not (ids and SEVERAL_OR_NONE.fullmatch(row[0]))] or table
    columns = [[row[column] for row in table if len(row) > column] for column in range(width)]
    tags = _Columns(source.name, columns, names, names_of_tags(names), roles, choices.options).tags()
    return Shape(mark, width, roles["token"], tags, breaks, roles, ids and roles["token"] > 0, header)


def _read_beginning(source: Source, mark: str | None) -> _Beginning:
    """Return the first tokens and facts about the whole file; raise an `InputError` if it has no tokens."""
    names: list[str] = []
    first: list[Row] = []
    breaks = 0
    begun = False
    for row in rows(source, mark):
        named = _COLUMN_NAMES_COMMENT.fullmatch(row.comment)
        names = named.group(1).split() if named else names
        breaks += row.is_break
        begun |= BEGIN.fullmatch(row.comment) is not None
        if row.is_token and len(first) < LOOKED_AT:
            first.append(row)
    if not first:
        raise InputError("the file has no tokens", location=Location(source.name))
    return _Beginning([row.cells for row in first], first[0].number, names, breaks, begun)


def is_of_2012(table: Sequence[Sequence[str]]) -> bool:
    """Whether rows come from CoNLL-2011 or CoNLL-2012, in which the number of columns of arguments varies."""
    return _most_match(
        table, lambda row: len(row) >= _MIN_WIDTH_2012 and bool(BRACKETS.fullmatch(row[_ENTITY_COLUMN_2012]))
    )


def _layers_of_2012(source: Source, mark: str | None, choices: Choices) -> tuple[list[Tags], Note | None]:
    """Return the columns of entities and of mentions, and a note; by default only the first of the two that has any."""
    entities = Tags(_ENTITY_COLUMN_2012, "brackets", layer=ENTITIES)
    mentions = Tags(-1, "mentions", layer=COREFERENCE)
    if choices.layers is not None or choices.by_layer:
        return [entities, mentions], None
    tokens = (row.cells for row in rows(source, mark) if row.is_token and len(row.cells) >= _MIN_WIDTH_2012)
    if any("(" in entities.tag(cells) for cells in tokens):
        return [entities], Note(
            "entities are read", Cure("read the mentions in the last column with {}", Set("layers", COREFERENCE))
        )
    return [mentions], None


def _roles(file: str, width: int, names: Sequence[str], requested: Mapping[str, object]) -> dict[str, int]:
    """Return the column of each role: named by the user, or with a usual name. Only the user names columns of tags."""
    unknown = next((role for role in requested if role not in ROLES), None)
    if unknown is not None:
        raise SettingsError(
            f"there is no {unknown!r} among {', '.join(ROLES)}",
            "write ours=yours: token=Word",
            Location.for_option("columns"),
        )
    roles = {role: _column(value, role, file, width, names) for role, value in requested.items() if value is not None}
    for role in (role for role in ROLES[:-1] if role not in requested):
        free = [name for column, name in enumerate(names) if column not in roles.values()]
        fitting = named_as(free, role)
        name = fitting[0] if role == "token" and fitting else the_one(fitting, role, file)
        if name is not None:
            roles[role] = names.index(name)
    return roles


def named_as(names: Iterable[str], role: str) -> list[str]:
    """Return the usual names of a role among names; documents and annotators are named in any language."""
    names = [*names]
    usual_names = usual(names, role)
    if usual_names or role not in ("document", "annotator"):
        return usual_names
    return [name for name in names if fits(name, role) >= SURE]


def _most_match(cells: Sequence[_Cell], matches: Callable[[_Cell], bool]) -> bool:
    """Return whether more than half of the cells match."""
    return 2 * sum(map(matches, cells)) > len(cells)


def _column(value: object, role: str, file: str, width: int, names: Sequence[str]) -> int:
    """Return the column (from 0) for a number from 1 or a name; raise an error for any other value."""
    if isinstance(value, str) and value in names:
        return names.index(value)
    if isinstance(value, bool) or not isinstance(value, int | str) or not _COLUMN_NUMBER.fullmatch(str(value)):
        named = f", or one of {', '.join(map(repr, names))}" if names else ""
        raise SettingsError(
            f"the column of {role} is a number from 1{named}, not {value!r}", location=Location.for_option("columns")
        )
    if not 1 <= int(value) <= width:
        raise InputError(f"there is no column {value} for {role}; there are {width}", location=Location(file))
    return int(value) - 1


@dataclass(frozen=True, slots=True)
class _Columns:
    """The cells and, if the file has them, names of all columns; `tag_names` are usual names of columns of tags."""

    file: str
    cells: list[list[str]]
    names: Sequence[str]
    tag_names: Collection[str]
    roles: Mapping[str, int]
    options: Mapping[str, Any]

    def tags(self) -> list[Tags]:
        """Return the columns of tags: those that the user names, or all columns and features that contain tags."""
        return [tags._replace(notation=self._notation(tags)) for tags in self._columns_of_tags()]

    def _notation(self, tags: Tags) -> Notation | None:
        """Return the notation of a column, ``None`` if it is the usual one."""
        if tags.kind != "tags":
            return None
        return notation_of([*map(tags.tag_in, self.cells[tags.column])], self.options.get("scheme"))

    def _columns_of_tags(self) -> list[Tags]:
        """Return the columns of tags before their notation is known; raise an `InputError` if there is none."""
        if "annotators" in self.options:
            return self._columns_by_annotator(self.options["annotators"])
        if "category" in self.roles:
            return [self._chosen_column(self.roles["category"])]
        tag_columns: list[Tags] = []
        for column, cells in enumerate(self.cells):
            if column in self.roles.values():
                continue
            kind = self._kind(column)
            if kind is not None:
                tag_columns.append(Tags(column, kind, layer=self._name(column), blanks=self._has_blanks(column)))
            else:
                tag_columns += (Tags(column, "tags", layer=key, feature=key) for key in tagged_features(cells))
        if not any(cell != UNSEEN for tags in tag_columns for cell in self.cells[tags.column]):
            raise self._no_tags_error()
        return tag_columns if self.names or len(tag_columns) > 1 else [tag_columns[0]._replace(layer=None)]

    def _columns_by_annotator(self, requested: object) -> list[Tags]:
        """Return the columns that the user maps annotators to."""
        if not isinstance(requested, dict) or not requested:
            raise SettingsError(
                f"the option annotators is annotator to column, {{'anna': 3, 'ben': 4}}, not {requested!r}",
                location=FORMAT_OPTIONS,
            )
        description = (self.file, len(self.cells), self.names)
        columns = {str(name): _column(column, repr(name), *description) for name, column in requested.items()}
        return [self._chosen_column(column)._replace(annotator=name) for name, column in columns.items()]

    def _chosen_column(self, column: int) -> Tags:
        """Return a column that the user names as tags, even if its cells do not look like tags.

        A column of numbers is refused with an `InputError`.
        """
        cells = self.cells[column]
        filled = [cell for cell in cells if cell not in ("", UNSEEN, *VOID)]
        if filled and all(map(_COLUMN_NUMBER.fullmatch, filled)):
            raise InputError(
                f"column {self._name(column)!r} has numbers",
                "write the names of the tags (O, B-PER, …) in their place",
                Location(self.file),
            )
        # The user names the column, so cells that are not tags are problems of their lines.
        kind = self._kind(column) or ("bare" if are_bare(filled) else "tags")
        # Without any O, the tokens outside of units have empty cells.
        return Tags(column, kind, blanks=self._has_blanks(column) or "O" not in cells)

    def _kind(self, column: int) -> str | None:
        """Return the kind of tags in a column, ``None`` if it has none."""
        cells = self.cells[column]
        if self._has_blanks(column):
            cells = [cell or "O" for cell in cells]
        return kind_of(cells, self.options.get("scheme"))

    def _has_blanks(self, column: int) -> bool:
        """Whether empty cells of a column count as O, because its name is a usual one of tags."""
        return bool(self.names) and self.names[column] in self.tag_names

    def _name(self, column: int) -> str:
        """Return the name of a column, or its number from 1."""
        return self.names[column] if self.names else str(column + 1)

    def _no_tags_error(self) -> InputError:
        """Return the error for a file without a recognised column of tags."""
        likely = usual(self.names, "category")
        column = Set("columns", {"category": likely[0]}) if likely else Entry("columns", "category")
        named = f", {few(self.names, 20)}," if self.names else ""
        return InputError(
            f"none of the {len(self.cells)} columns{named} seems to hold tags (O, B-<category>, I-<category>, …)",
            Cure("name the column with {}, or the format of the file with {}", column, Set("format")),
            Location(self.file),
        )


def kind_of(column: Sequence[str], scheme: str | None = None) -> str | None:
    """Return the kind of a column: "tags", "bare" (categories alone), "mentions", or ``None`` for anything else."""
    counts = Counter(column)
    if set(counts) == {UNSEEN}:
        return "tags"
    filled = Counter({cell: count for cell, count in counts.items() if cell not in ("", UNSEEN, *VOID)})
    if not filled:
        return None
    if all(map(MENTION.fullmatch, filled)):
        return "mentions"
    if notation_of(column, scheme) is not None:
        return "tags"
    is_often_outside = _MAX_CELLS_PER_OUTSIDE * filled["O"] >= filled.total()
    if scheme is None and are_bare(filled) and is_often_outside and all(map(_BARE_TAG.fullmatch, filled)):
        return "bare"
    # Most cells are enough: the other ones are reported with their lines while the file is read.
    n_tags = sum(count for cell, count in filled.items() if is_tag(cell))
    return "tags" if 2 * n_tags > filled.total() else None


def is_tag(cell: str) -> bool:
    """Whether a cell can be a tag, or stand for no tag."""
    return cell in (UNSEEN, *VOID) or TAG.fullmatch(cell) is not None


def tagged_features(column: Sequence[str]) -> list[str]:
    """Return the features in a column whose values are tags, in a scheme and with a category."""
    values: dict[str, list[str]] = {}
    for cell in column:
        if "=" not in cell:
            continue
        for feature, value in _features(cell).items():
            values.setdefault(feature, []).append(value)
    return [
        feature
        for feature, cells in values.items()
        if kind_of(cells) == "tags" and any(fits and fits[2] for fits in map(TAG.fullmatch, _standardise(cells)))
    ]


def _standardise(cells: list[str]) -> Iterable[str]:
    """Return the tags in the usual notation."""
    notation = notation_of(cells)
    return cells if notation is None else map(notation.standardised, cells)


def names_of_tags(names: Sequence[str]) -> set[str]:
    """Return the usual names of tags among the names, if one of the names is usual for tokens."""
    return set(usual(names, "category")) if usual(names, "token") else set()


def is_header(table: Sequence[Sequence[str]]) -> bool:
    """Whether the first row names the columns.

    It does if one name is usual for tokens and another for tags. Otherwise no name may be among the cells of its
    column, and one usual name, a column of tags, or two columns of few values under names of one case are required.
    """
    first = table[0]
    names = [*filter(None, first)]  # a data frame's index has no name, nor has the cell behind a final comma
    if len(table) == 1 or any(map(is_tag, names)) or "" in first[1:-1] or len({*names}) < len(names):
        return False
    if names_of_tags(names):
        return True
    has_known_name = bool(usual(names, "token")) or bool(usual(names, "category"))
    columns = list(zip(*table[1:], strict=False))
    if any(_is_tag_above(cell, column) for cell, column in zip(first, columns, strict=False)):
        return False
    repeated = any(cell in column for cell, column in zip(first, columns, strict=False))
    if repeated:
        return False
    return has_known_name or "tags" in map(kind_of, columns) or (_is_of_one_case(first) and _has_few_values(columns))


def _is_of_one_case(cells: Sequence[str]) -> bool:
    """Whether all cells are names, in lower, upper or title case alike."""
    return any(
        all(cell.isidentifier() and is_case(cell) for cell in cells)
        for is_case in (str.islower, str.isupper, str.istitle)
    )


def _has_few_values(columns: Sequence[Sequence[str]]) -> bool:
    """Whether two columns or more have each value four times on average, so that a token has hardly a new one."""
    return sum(4 * len({*column}) <= len(column) for column in columns) > 1


def _is_tag_above(cell: str, column: Sequence[str]) -> bool:
    """Whether the first cell of a column is a tag in another notation than the usual one."""
    notation = notation_of((cell, *column))
    return notation is not None and notation.split(cell) is not None


def _is_id(cell: str) -> bool:
    """Return whether a cell is the number of a token, of several tokens (1-2) or of an omitted one (1.1)."""
    return _COLUMN_NUMBER.fullmatch(cell) is not None or SEVERAL_OR_NONE.fullmatch(cell) is not None


def _features(cell: str) -> dict[str, str]:
    """Return the features in a cell (``A=x|B=y``); parts without an equals sign are dropped."""
    pairs = (pair.partition("=") for pair in cell.split("|"))
    return {key.strip(): value.strip() for key, equals, value in pairs if equals}
