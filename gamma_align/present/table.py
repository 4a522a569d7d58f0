"""A table of a result: columns that are declared once, and rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import Enum, IntEnum
from operator import attrgetter, itemgetter
from typing import Any, Literal, NamedTuple

from gamma_align.inference import Value

Row = Any  # any object of a result; only the columns of a table use its class


class Kind(Enum):
    """The kind of content of a column, which determines its format and alignment."""

    TEXT = "text"
    CATEGORY = "category"
    COUNT = "count"
    VALUE = "value"  # a `Value` with its interval
    ESTIMATE = "estimate"  # a `Value` without its interval
    NUMBER = "number"
    SHARE = "share"  # of 1, written in percent
    PROBABILITY = "probability"


class Priority(IntEnum):
    """The narrowest form that shows a column: every wider form shows it, too.

    A column of priority `DATA` is only in CSV, which shows all columns.
    """

    PAGE = 1
    PAPER = 2
    TERMINAL = 3
    DATA = 4


_TEXT_KINDS = (Kind.TEXT, Kind.CATEGORY)
_VALUE_KINDS = (Kind.VALUE, Kind.ESTIMATE)


class Column(NamedTuple):
    """A column of a table.

    Attributes
    ----------
    name : str
        Its name in CSV.
    kind : Kind
    heading : str, optional
        Its head in all other forms; by default the name.
    content : callable, optional
        Return the content of a row, or None if there is none; by default the attribute `name` of the row.
    priority : Priority
    terminal_heading : str, optional
        Its head in the terminal, if it differs from the head in papers.
    terminal_content : callable, optional
        Return the content of a row in the terminal, if it differs from the content in other forms.
    align : {"left", "right"}, optional
        Alignment of the column; by default determined by the kind.
    digits : int, optional
        Number of decimals; by default determined by the form.
    format : callable, optional
        Return the content as text for readers; by default determined by the kind.
    missing : str
        Text for None.
    value_type : type of Value
        The class of values; its fields are columns of CSV and data frames.
    is_data : bool
        False for a column that repeats what CSV has in other columns.
    is_inline : bool
        Whether text has the reason of a missing value or interval in the cell instead of a footnote.
    is_grouped : bool
        Whether text leaves a cell empty if it equals the cell above.
    """

    name: str
    kind: Kind = Kind.TEXT
    heading: str | None = None
    content: Callable[[Row], object] | None = None
    priority: Priority = Priority.PAPER
    terminal_heading: str | None = None
    terminal_content: Callable[[Row], object] | None = None
    align: Literal["left", "right"] | None = None
    digits: int | None = None
    format: Callable[[Any], str] | None = None
    missing: str = ""
    value_type: type[Value] = Value
    is_data: bool = True
    is_inline: bool = False
    is_grouped: bool = False

    @property
    def head(self) -> str:
        """The head of the column in forms for readers."""
        return self.name if self.heading is None else self.heading

    @property
    def terminal_head(self) -> str:
        """The head of the column in a terminal."""
        return self.head if self.terminal_heading is None else self.terminal_heading

    @property
    def has_values(self) -> bool:
        """Whether the content is a `Value`, which has several fields."""
        return self.kind in _VALUE_KINDS

    @property
    def has_text(self) -> bool:
        """Whether the content is a text."""
        return self.kind in _TEXT_KINDS

    @property
    def read(self) -> Callable[[Row], object]:
        """The function that returns the content of a row."""
        return attrgetter(self.name) if self.content is None else self.content

    def for_terminal(self) -> Column:
        """Return the column with its content and heading in the terminal."""
        content = self.content if self.terminal_content is None else self.terminal_content
        return self._replace(content=content, heading=self.terminal_head)

    def for_part(self, part: Callable[[Row], Row | None]) -> Column:
        """Return the column of rows that have a part with its content; it is empty for rows without that part."""
        read = self.read

        def content(row: Row) -> object:
            row_part = part(row)
            return None if row_part is None else read(row_part)

        return self._replace(content=content)


class Noted(NamedTuple):
    """A content of the terminal, with a note that becomes a footnote."""

    text: str
    note: str


class FormNames(NamedTuple):
    """How readers ask for further rows: the names of the forms that have all rows, and of the option for more rows."""

    csv: str = "CSV"
    json: str = "JSON"
    rows: str = "rows=N"

    def complete(self, *forms: str) -> str:
        """Return which forms have all rows: "CSV and JSON have"."""
        names = [getattr(self, form) for form in forms]
        return f"{' and '.join(names)} {'has' if len(names) == 1 else 'have'}"


NEUTRAL = FormNames()  # the words of Python

Remainder = Callable[[FormNames], str]
"""Return the line on rows that are left out, with the names of forms and options."""


class Table(NamedTuple):
    """A table of a result.

    Attributes
    ----------
    name : str
        Its name, such as "documents".
    title : str
        Its caption.
    columns : sequence of Column
        In the order of forms for readers.
    rows : iterable of objects
        Objects of any class that the columns read.
    remainder : callable, optional
        Return the line on rows that are left out; None if no row is left out.
    data_order : sequence of str
        The first columns of CSV, if their order differs; other columns follow.
    has_head : bool
        Whether text shows the heads of the columns.
    """

    name: str
    title: str
    columns: Sequence[Column]
    rows: Iterable[Row]
    remainder: Remainder | None = None
    data_order: Sequence[str] = ()
    has_head: bool = True

    def columns_for(self, priority: Priority) -> list[Column]:
        """Return the columns that a form of a priority shows."""
        return [column for column in self.columns if column.priority <= priority]

    def data_columns(self) -> list[Column]:
        """Return the columns of CSV."""
        ranks = {name: rank for rank, name in enumerate(self.data_order)}
        columns = [column for column in self.columns if column.is_data]
        # The sort is stable, so columns without a rank keep their order.
        return sorted(columns, key=lambda column: ranks.get(column.name, len(ranks)))

    def cells(self, columns: Sequence[Column]) -> Iterator[list[object]]:
        """Yield the contents of each row."""
        readers = [column.read for column in columns]
        for row in self.rows:
            yield [read(row) for read in readers]

    def first(self, n_rows: int, remainder: Callable[[int], Remainder]) -> Table:
        """Return the table with its first rows, and a line on the number of rows left out."""
        # Rows may be an iterator, which has no length; many rows are created when they are used.
        rows = self.rows if isinstance(self.rows, Sequence) else [*self.rows]
        left_out = len(rows) - n_rows
        return self._replace(rows=[*rows[:n_rows]], remainder=remainder(left_out) if left_out > 0 else None)

    def of_level(self, level: str) -> Table:
        """Return the rows of a level, such as "pair", without the column of the level."""
        columns = [column for column in self.columns if column.name != "level"]
        return self._replace(columns=columns, rows=[row for row in self.rows if row.level == level])


def further(words: str, *forms: str) -> Callable[[int], Remainder]:
    """Return the remainder "… and 3 more categories: JSON has them all", by number of rows."""

    def remainder(left_out: int) -> Remainder:
        return lambda form_names: f"… and {left_out} {words}: {form_names.complete(*forms)} them all"

    return remainder


def further_by_option(left_out: int) -> Remainder:
    """Return the remainder of tables whose number of rows is an option: "… and 3 more: rows=N shows more, JSON all"."""
    return lambda form_names: f"… and {left_out} more: {form_names.rows} shows more, {form_names.json} all"


def selected(n_rows: int, total: int, description: str, *forms: str) -> Remainder | None:
    """Return the remainder of selected documents, if any is left out: "… the 10 documents of the lowest γ; …"."""
    if n_rows == total:
        return None
    documents = "document" if n_rows == 1 else f"{n_rows} documents"
    text = f"… the {documents} {description}; {total - n_rows} left out"
    return lambda form_names: f"{text} ({form_names.complete(*forms)} all)"


class LevelRow(NamedTuple):
    """A row of a table of documents and corpus: one of them, or one of its categories with the value."""

    level: str
    row: Row
    category: str = ""
    category_value: Value | None = None


def with_levels(columns: Iterable[Column], category_column: Column) -> list[Column]:
    """Return the columns of level rows: level and category, columns of documents, and the value of a category."""
    return [
        Column("level", priority=Priority.DATA),
        Column("category", Kind.CATEGORY, priority=Priority.DATA),
        *map(_level_column, columns),
        category_column._replace(content=attrgetter("category_value")),
    ]


def _level_column(column: Column) -> Column:
    """Return a column of level rows, which is empty for categories unless it names the document."""
    if column.name == "document":
        return column.for_part(attrgetter("row"))
    return column.for_part(lambda entry: entry.row if entry.category_value is None else None)


_SUMMARY_NAMES = {"mean": "mean of pairs", "pooled": "pooled"}
"""Names of rows that summarize pairs, by their level."""


def pair_columns(first: str = "first", second: str = "second") -> list[Column]:
    """Return the columns of the names of a pair of annotators, for rows with a level, and of its documents."""

    def name(row: Row) -> object:
        return _SUMMARY_NAMES.get(row.level) or getattr(row, first)

    return [
        Column("level", priority=Priority.DATA),
        Column(first, priority=Priority.DATA),
        Column("name", heading=first, content=name, is_data=False),
        Column(second),
        Column("documents", Kind.COUNT),
    ]


def with_summaries(table: Table, max_pairs: int | None, summaries: Sequence[Row]) -> Table:
    """Return a table of pairs, of the first ones if there is a maximum, and its summaries, which no limit drops."""
    if max_pairs is not None:
        table = table.first(max_pairs, further("more pairs", "csv", "json"))
    return table._replace(rows=[*table.rows, *summaries])


Cell = str | int | float | Value | None


def table_of_cells(title: str, head: Sequence[str], rows: Sequence[Sequence[Cell]]) -> Table:
    """Return a table of given cells for readers; columns that contain a text are texts."""
    columns = []
    for index, heading in enumerate(head):
        has_text = any(isinstance(row[index], str) for row in rows)
        columns.append(Column(f"{index}", Kind.TEXT if has_text else Kind.VALUE, heading, itemgetter(index)))
    return Table("cells", title, columns, rows)
