"""The tables of a report: columns declared for all forms, as the page shows them, and rows that unfold."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Generic, NamedTuple, TypeVar

from markupsafe import Markup, escape

from gamma_align.inference import Value
from gamma_align.present.page import numbers
from gamma_align.present.table import Column, Kind, Priority
from gamma_align.present.writers.html import cell_text
from gamma_align.present.writers.paper import is_left

Row = TypeVar("Row")
AnyRow = Any  # any object of a result, as in `present.table`

MAX_SHOWN_ROWS = 12  # of a table; the others unfold
_QUOTED = "quoted"  # the class of cells with words of the texts, which the head is not
_DIGITS = 3  # decimals if a column does not set them
MAX_ROWS = 2_000  # of a table, shown or folded


class Folded(NamedTuple, Generic[Row]):
    """Rows of a table: the shown rows, the folded ones, and the number of all rows, which may be larger."""

    shown: Sequence[Row]
    folded: Sequence[Row]
    total: int


def fold(rows: Iterable[Row], max_shown: int = MAX_SHOWN_ROWS, max_rows: int = MAX_ROWS) -> Folded[Row]:
    """Divide the rows of a table into shown and folded ones; rows beyond the limit are only counted."""
    all_rows = tuple(rows)
    return Folded(all_rows[:max_shown], all_rows[max_shown:max_rows], len(all_rows))


class Style(NamedTuple):
    """How the page shows a column, where this is not determined by the declaration of the column.

    Attributes
    ----------
    heading : str, optional
        Its head, by default the declared head.
    html : callable, optional
        Return the content of a row; by default the declared content, formatted by its kind. A column without a
        declaration needs it.
    css : str, optional
        The class of its cells; by default "n" for numbers.
    title : callable, optional
        Return the whole name of a row whose name is shortened, for the first column.
    data : callable, optional
        Return the number that the script sorts by, if the text is none.
    head_attributes : str
        Attributes of its head in HTML.
    """

    heading: str | Markup | None = None
    html: Callable[[AnyRow], object] | None = None
    css: str | None = None
    title: Callable[[AnyRow], str] | None = None
    data: Callable[[AnyRow], float] | None = None
    head_attributes: Markup = Markup("")


class _Shown(NamedTuple):
    """A column of the page."""

    heading: str | Markup
    html: Callable[[AnyRow], object]
    css: str
    style: Style

    @property
    def head(self) -> Markup:
        css = "" if self.css == _QUOTED else self.css
        return Markup('<th scope="col"{}{}>{}</th>').format(
            _attribute("class", css), self.style.head_attributes, self.heading
        )

    def cell(self, row: AnyRow) -> Markup:
        data = Markup("") if self.style.data is None else _attribute("data-value", str(self.style.data(row)))
        return Markup("<td{}{}>{}</td>").format(_attribute("class", self.css), data, self.html(row))

    def row_head(self, row: AnyRow) -> Markup:
        """Return the first cell of a row."""
        css = _attribute("class", "" if self.css == "n" else self.css)
        if self.style.title is not None:
            css += Markup(' dir="auto" title="{}"').format(self.style.title(row))
        elif css:
            css += Markup(' dir="auto"')
        return Markup('<th scope="row"{}>{}</th>').format(css, self.html(row))


def _attribute(name: str, value: str) -> Markup:
    return Markup(' {}="{}"').format(name, value) if value else Markup("")


class PageTable(Generic[Row]):
    """A table of the page.

    Parameters
    ----------
    label : str
        What the table shows, for those who cannot see it.
    columns : iterable of Column
        The declared columns. The page shows those of `styles` in that order, then the others of priority PAGE.
    styles : mapping of str to Style
        How the page shows columns, by name.
    rows : Folded
        Rows of the class that the functions of `styles` read.
    noun : str
        What the rows are, in the plural.
    css : str
        The class of the table.
    """

    def __init__(
        self,
        label: str,
        columns: Iterable[Column],
        styles: Mapping[str, Style],
        rows: Folded[Row],
        *,
        noun: str = "rows",
        css: str = "",
    ) -> None:
        declared = {column.name: column for column in columns}
        of_page = {name for name, column in declared.items() if column.priority == Priority.PAGE}
        further = {name: Style() for name in declared if name in of_page and name not in styles}
        self.label = label
        self.rows = rows
        self.noun = noun
        self.css = css
        self._columns = [_shown(declared.get(name), style) for name, style in {**styles, **further}.items()]

    @property
    def head(self) -> Markup:
        """The row of heads."""
        return Markup("<tr>{}</tr>").format(Markup("").join(column.head for column in self._columns))

    def body(self, rows: Iterable[Row]) -> Markup:
        """Return rows as HTML."""
        first, *others = self._columns
        texts = (
            Markup("<tr>{}{}</tr>\n").format(
                first.row_head(row), Markup("").join(column.cell(row) for column in others)
            )
            for row in rows
        )
        return Markup("").join(texts)


def _shown(column: Column | None, style: Style) -> _Shown:
    """Return a column as the page shows it; a style without a declared column has heading and content itself."""
    heading = style.heading
    html = style.html
    css = style.css
    if column is not None:
        # p is a symbol.
        capital = column.head[:1] if column.kind is Kind.PROBABILITY else column.head[:1].upper()
        heading = f"{capital}{column.head[1:]}" if heading is None else heading
        html = _html_of(column) if html is None else html
        css = ("" if is_left(column) else "n") if css is None else css
    if heading is None or html is None:
        raise TypeError(f"a column without a declaration needs a heading and a content: {style}")
    return _Shown(heading, html, css or "", style)


def _html_of(column: Column) -> Callable[[AnyRow], object]:
    """Return the function that returns the content of a cell."""
    read = column.read

    def html(row: AnyRow) -> object:
        content = read(row)
        if isinstance(content, Value):
            return stacked(content)
        if isinstance(content, int) and column.kind is Kind.COUNT:
            return numbers.count(content)
        if isinstance(content, float) and column.format is None and column.kind is not Kind.PROBABILITY:
            is_share = column.kind is Kind.SHARE
            digits = _DIGITS if column.digits is None else column.digits
            return numbers.percent(content) if is_share else numbers.decimal(content, digits)
        return cell_text(column, content)

    return html


def stacked(value: Value, digits: int = 2) -> Markup:
    """Return a value with this number of decimals, and below it its interval or the reason why it is missing."""
    if value.reason is not None:
        return Markup('<span class="soft">NA<small>{}</small></span>').format(value.reason)
    interval = " ".join(filter(None, (numbers.interval(value, digits), value.interval_note)))
    small = Markup("<small>{}</small>").format(interval) if interval else ""
    return Markup("{}{}").format(numbers.decimal(value.value, 3), small)


def value_html(value: Value, digits: int = 3) -> Markup:
    """Return a value with its interval, or its reason, beside it."""
    if value.reason is not None:
        return Markup('<span class="soft">NA</span> <span class="soft small">{}</span>').format(value.reason)
    number = numbers.decimal(value.value, digits)
    interval = numbers.interval(value)
    if interval:
        return Markup('{} <span class="soft interval">{}</span>').format(number, interval)
    if value.no_interval:
        return Markup('{} <span class="soft small">no interval: {}</span>').format(number, value.no_interval)
    return escape(number)
