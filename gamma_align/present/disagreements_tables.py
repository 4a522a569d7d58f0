"""The tables of disagreements: by unitary alignment, kind, words, document, annotator and category."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from operator import attrgetter

from gamma_align.alignment import soft_prefix
from gamma_align.data import counted, label_text, number, span
from gamma_align.insight.disagreements import REASONS, Disagreement, Disagreements, KindRow, cell_text
from gamma_align.present.symbols import symbol_of
from gamma_align.present.table import Column, Kind, Priority, Row, Table

MAX_WORDS = 40  # characters of words in a cell
_MAX_NAMED = 6  # units or annotators in a cell
_NO_LABEL = "(none)"
_DATA_ORDER = ("number", "document", "start", "end", "disorder", *REASONS, "share", "reason", "kind", "words")


def disagreements_tables(result: Disagreements) -> Iterator[Table]:
    """Yield all tables; some may have no rows."""
    yield alignments_table(result)
    yield _kinds_table(result)
    yield words_table(result)
    yield documents_table(result)
    yield annotators_table(result)
    yield from _gamma_tables(result)
    yield categories_table(result)
    yield lengths_table(result)
    yield confusion_table(result)
    yield directed_table(result)


def shortened_tables(result: Disagreements, rows: int) -> Iterator[Table]:
    """Yield at most `rows` rows of each table, the worst first, for papers."""
    for table in disagreements_tables(result):
        yield table.first(rows, lambda left_out: lambda _: f"… and {left_out} more")


def alignments_table(result: Disagreements) -> Table:
    """Return the unitary alignments with disorder, the worst first."""
    columns = [
        Column("disorder", Kind.NUMBER, content=attrgetter("disorder.disorder"), digits=2),
        *(Column(part, Kind.NUMBER, content=attrgetter(f"disorder.{part}"), format=_amount) for part in REASONS),
        Column("document"),
        Column("where", content=lambda row: span(row.start, row.end), is_data=False),
        Column("labels", heading="units", content=_labels_of_units, is_data=False),
        Column("share", Kind.SHARE, content=attrgetter("disorder.share"), priority=Priority.DATA),
        *(Column(name, priority=Priority.DATA) for name in ("number", "start", "end", "reason", "kind", "words")),
        *(Column(name, content=_joined(name), priority=Priority.DATA) for name in ("units", "absent")),
    ]
    return Table("alignments", "Disagreements", columns, result.disagreements, data_order=_DATA_ORDER)


def _joined(name: str) -> Callable[[Row], object]:
    return lambda row: cell_text(getattr(row, name))


def _amount(disorder: float) -> str:
    return f"{disorder:.2f}" if disorder else ""


def _labels_of_units(row: Disagreement) -> str:
    """Return annotators and categories of units, at most six, and the words that they cover."""
    units = ", ".join(f"{unit.annotator} {_label(unit.category)}" for unit in row.units[:_MAX_NAMED])
    further = f" … ({len(row.units)} units)" if len(row.units) > _MAX_NAMED else ""
    words = f" “{short_words(row.words)}”" if row.words else ""
    return f"{units}{further}{words}"


def short_words(words: str) -> str:
    """Return words on one line, at most about 40 characters, without their middle if they are longer."""
    words = " ".join(words.split())
    return words if len(words) <= MAX_WORDS else f"{words[: MAX_WORDS // 2]}…{words[-MAX_WORDS // 2 + 1 :]}"


def _label(label: str | None) -> str:
    return _NO_LABEL if label is None else label_text(label)


def _table(title: str, columns: Iterable[Column], rows: Iterable[Row], *further: Column) -> Table:
    """Return a table of rows with disorder: its share and the parts of the share follow the columns."""
    return Table(title.lower(), title, [*columns, *_share_columns(), *further], rows)


def _share_columns() -> list[Column]:
    return [Column("share", Kind.SHARE, content=attrgetter("disorder.share")), *map(_part_column, REASONS)]


def _part_column(part: str) -> Column:
    """Return the column of a part of the disorder, as a share of all disorder."""

    def share(row: Row) -> float:
        total = row.disorder.disorder / row.disorder.share if row.disorder.share else 1.0
        return float(getattr(row.disorder, part) / total)

    return Column(part, Kind.SHARE, content=share)


def _counts(*names: str) -> list[Column]:
    return [Column(name, Kind.COUNT) for name in names]


def _category(name: str) -> Column:
    """Return the column of a category; `category` without more is a part of the disorder."""
    return Column(f"{name}_label", Kind.CATEGORY, "category", attrgetter(name), missing=_NO_LABEL)


def _kinds_table(result: Disagreements) -> Table:
    further = [
        Column("reason"),
        Column("shape"),
        Column("categories", format=lambda labels: ", ".join(map(_label, labels))),
        Column("absent", heading="without a unit", content=_absent),
    ]
    return _table("Kinds", [Column("alignments", Kind.COUNT, "number")], result.kinds, *further)


def _absent(row: KindRow) -> str:
    """Return the annotators without a unit, or the ones with a unit if these are fewer."""
    if row.absent is not None:
        return ", ".join(row.absent)
    return f"all but {', '.join(row.present)}" if row.present else "several"


def categories_table(result: Disagreements) -> Table:
    """Return the disorder of the categories."""
    return _table("Categories", [_category("category"), *_counts("units", "disputed")], result.categories)


def words_table(result: Disagreements) -> Table:
    """Return the disorder of words, and how often each annotator marked them."""
    columns = [
        Column("words", format=short_words),
        Column("disputed", Kind.COUNT),
        Column("occurrences", Kind.COUNT, "of"),
    ]
    return _table("Words", columns, result.words, Column("marked", heading="marked by", format=_marked))


def _marked(marked: dict[str, int]) -> str:
    """Return the number of units of each annotator; nothing if they are too many."""
    return ", ".join(f"{name} {count}" for name, count in marked.items()) if len(marked) <= _MAX_NAMED else ""


def documents_table(result: Disagreements) -> Table:
    """Return the disorder of the documents."""
    return _table("Documents", [Column("document"), *_counts("units", "alignments", "disputed")], result.documents)


def annotators_table(result: Disagreements) -> Table:
    """Return the disorder of the annotators, and how often each is alone."""
    columns = [
        Column("annotator"),
        *_counts("documents", "units"),
        Column("expected_units", Kind.NUMBER, "expected", digits=1, missing="NA"),
        Column("marks_alone", Kind.COUNT, "alone with a unit"),
        Column("leaves_out_alone", Kind.COUNT, "alone without"),
    ]
    return _table("Annotators", columns, result.annotators)


def _gamma_tables(result: Disagreements) -> Iterator[Table]:
    """Yield γ without each annotator, of pairs of annotators, and of each with the others."""
    yield left_out_table(result)
    gamma, gamma_cat = _symbols(result)
    columns = [
        *(Column(name, heading="annotator") for name in ("first", "second")),
        Column("documents", Kind.COUNT),
        Column("differ", Kind.COUNT, "differ in"),
        _gamma("gamma", gamma),
        _gamma("gamma_cat", gamma_cat),
    ]
    yield Table("pairs", f"Pairs of annotators, from the lowest {gamma}", columns, result.pairs)
    columns = [Column("annotator"), _gamma("gamma", f"{gamma} with the others")]
    yield Table("with_others", "Each annotator with the others", columns, result.with_others)


def _symbols(result: Disagreements) -> list[str]:
    """Return the symbols of γ and γcat."""
    prefix = soft_prefix(result.settings.alignment)
    return [symbol_of(name, prefix) for name in ("gamma", "gamma_cat")]


def left_out_table(result: Disagreements) -> Table:
    """Return γ and γcat without each annotator."""
    gamma, gamma_cat = _symbols(result)
    columns = [
        Column("annotator"),
        _gamma("gamma", f"{gamma} of the others"),
        Column("change", Kind.NUMBER, format=_signed, align="left"),
        _gamma("gamma_cat", f"{gamma_cat} of the others"),
    ]
    return Table("left_out", "Without one of the annotators", columns, result.left_out)


def _gamma(name: str, heading: str) -> Column:
    return Column(name, Kind.VALUE, heading, format=str, align="left")


def _signed(change: float) -> str:
    return "NA" if math.isnan(change) else f"{change:+.3f}"


def lengths_table(result: Disagreements) -> Table:
    """Return the disorder of categories by length of their units; no rows if words are known."""
    columns = [
        _category("category"),
        Column("length"),
        Column("shortest", Kind.NUMBER, "from", format=number),
        Column("longest", Kind.NUMBER, "to", format=number),
        *_counts("units", "disputed"),
    ]
    # If words are known, they say more than lengths.
    return _table("Categories and lengths of units", columns, () if result.words else result.lengths)


def confusion_table(result: Disagreements) -> Table:
    """Return the pairs of different categories of aligned units, the most frequent first."""
    rows = sorted((row for row in result.confusion if row.first != row.second), key=lambda row: -row.pairs)
    # Pairs of equal categories have no row, but they count among all pairs.
    n_pairs = counted(sum(row.pairs for row in result.confusion), "pair")
    columns = [
        Column("pairs", Kind.COUNT),
        Column("expected", Kind.NUMBER, digits=1),
        Column("ratio", heading="95 % of the ratio", content=_ratio_interval, is_data=False),
        *(Column(name, Kind.NUMBER, priority=Priority.DATA) for name in ("low", "high")),
        _category("first"),
        _category("second"),
    ]
    return Table("confusion", f"Categories that differ in aligned pairs of units ({n_pairs} in all)", columns, rows)


def _ratio_interval(row: Row) -> str:
    return f"{row.low:.2f}–{row.high:.2f}"


def directed_table(result: Disagreements) -> Table:
    """Return how often an annotator has another label than the others, the most frequent first."""
    rows = sorted((row for row in result.directed if row.label != row.label_of_others), key=lambda row: -row.pairs)
    columns = [
        Column("annotator"),
        Column("others", missing="all"),
        Column("label_of_others", Kind.CATEGORY, "the others say", missing=_NO_LABEL),
        Column("label", Kind.CATEGORY, "says", missing=_NO_LABEL),
        Column("pairs", Kind.COUNT),
        Column("total", Kind.COUNT, "of"),
        Column("share", Kind.SHARE),
        Column("interval", heading="95 %", content=_share_interval, is_data=False),
        *(Column(name, Kind.SHARE, priority=Priority.DATA) for name in ("low", "high")),
    ]
    return Table("directed", "Labels where the others have another one", columns, rows)


def _share_interval(row: Row) -> str:
    return f"{100 * row.low:.1f}–{100 * row.high:.1f} %"
