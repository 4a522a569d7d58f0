"""The tables of an evaluation against a reference and of pairwise F1."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain
from operator import attrgetter
from types import SimpleNamespace
from typing import NamedTuple

from gamma_align.data import label_text, number
from gamma_align.inference import Value
from gamma_align.measures.reference import (
    PAIRED,
    SCORE_PARTS,
    VALUES,
    Evaluation,
    LabelScore,
    PairwiseF1,
    SegmentationResult,
    SegmentationScore,
    SystemScore,
    mean_over_pairs,
)
from gamma_align.present.symbols import prefix_of, symbol_of
from gamma_align.present.table import Column, Kind, Priority, Row, Table, further, pair_columns, with_summaries
from gamma_align.present.writers.cells import number_text

SEGMENTATION_SYMBOLS = dict(zip(VALUES, ("P_k", "WindowDiff", "weighted", "Lamprier", "B", "S"), strict=True))
_SEGMENTATION_COUNTS = {
    "windows": "windows",
    "matched": "boundaries matched",
    "moved": "moved",
    "substituted": "of another type",
    "left": "left",
}
_DIARIZATION_TIMES = ("false_alarm", "missed", "confusion", "total")

# Columns of systems.
_SYSTEM = Column("system", terminal_heading="")
_SIZE_COLUMNS = (Column("units", Kind.COUNT), Column("reference_units", Kind.COUNT, "reference"))
_SEGMENTATION_COLUMNS = (
    *(
        Column(name, Kind.VALUE, symbol, attrgetter(f"segmentation.{name}"))
        for name, symbol in SEGMENTATION_SYMBOLS.items()
    ),
    *(
        Column(name, Kind.COUNT, heading, attrgetter(f"segmentation.{name}"), Priority.TERMINAL, is_data=False)
        for name, heading in _SEGMENTATION_COUNTS.items()
    ),
)
_DIARIZATION_COLUMNS = (
    *(Column(name, Kind.VALUE, name.upper(), attrgetter(f"diarization.{name}")) for name in ("der", "jer")),
    *(
        Column(name, Kind.NUMBER, name.replace("_", " "), attrgetter(f"diarization.{name}"), is_data=False)
        for name in _DIARIZATION_TIMES
    ),
    Column("speakers", Kind.COUNT, None, attrgetter("diarization.speakers"), Priority.TERMINAL, is_data=False),
)


def evaluation_tables(result: Evaluation) -> list[Table]:
    """Return the tables of an evaluation for papers; tables of measures that were not requested have no rows."""
    return [
        strict_table(result),
        f1_table(result),
        together_table(result),
        labels_table(result),
        segmentation_table(result),
        diarization_table(result),
    ]


def counts_table(result: Evaluation) -> Table:
    """Return the numbers of units and of cases of each system."""
    columns = [Column("system"), Column("documents", Kind.COUNT), *_SIZE_COLUMNS, *_count_columns(result.systems[0])]
    return Table("counts", f"reference: {result.reference}", columns, result.systems)


def strict_table(result: Evaluation) -> Table:
    """Return precision, recall and F1 of units with the same bounds and label."""
    columns = [_SYSTEM, *_span_columns("strict", Kind.VALUE)]
    rows = [system for system in result.systems if system.spans]
    return Table("strict", f"Units with the same bounds and label, against {result.reference}", columns, rows)


def f1_table(result: Evaluation) -> Table:
    """Return F1 by each measure, and the agreement with the reference."""
    first = result.systems[0]
    values = [_span_column(match, "f1", Kind.ESTIMATE)._replace(heading=match) for match in first.spans]
    values += _agreement_columns(result)
    title = f"F1 by what counts as found, and agreement, against {result.reference}"
    return Table("f1", title, [_SYSTEM, *values], result.systems if values else ())


class _TogetherRow(NamedTuple):
    """F1 of each system, or of the elements that at least half of them mark, by measure."""

    name: str
    f1: Mapping[str, Value]


def together_table(result: Evaluation) -> Table:
    """Return F1 of the systems together beside the mean of their F1; no rows if there are fewer than three."""
    columns = [
        Column("name", heading="", is_data=False),
        *(Column(measure, Kind.VALUE, content=_entry("f1", measure)) for measure in result.together),
    ]
    means = {
        measure: mean_over_pairs([system.spans[measure].f1 for system in result.systems]) for measure in result.together
    }
    rows = [
        _TogetherRow(f"mean of the {len(result.systems)}", means),
        _TogetherRow("at least half of them", result.together),
    ]
    title = f"F1 of one system and of what at least half mark, against {result.reference}"
    return Table("together", title, columns, rows if result.together else ())


def labels_table(result: Evaluation) -> Table:
    """Return precision, recall and F1 of units by system and category."""
    columns = [
        Column("system", content=attrgetter("score.system")),
        _category_column().for_part(attrgetter("label")),
        *_part_columns([*_SIZE_COLUMNS, *_span_columns("strict", Kind.ESTIMATE)]),
    ]
    rows = [row for row in _level_rows(result) if row.label is not None]
    return Table("labels", f"Units by category, against {result.reference}", columns, rows)


def system_labels_table(system: SystemScore, max_labels: int) -> Table:
    """Return precision, recall and F1 of one system by category, of all its units, and as means over categories.

    A value that is not available is empty: the numbers of units show the reason.
    """
    values = [
        column._replace(format=lambda value: number_text(value.value) if value.is_available else "")
        for column in _span_columns("strict", Kind.ESTIMATE)
    ]
    table = Table("labels", system.system, [_category_column("strict"), *_SIZE_COLUMNS, *values], system.labels)
    if not system.labels:
        return table
    table = table.first(max_labels, further("more labels", "json"))
    sizes = {"units": system.units, "reference_units": system.reference_units}
    # The total and the mean are added after the cut, so that the limit never drops them.
    total = SimpleNamespace(category="all", **sizes, spans=system.spans)
    means = {"strict": SimpleNamespace(**system.macro["strict"])}
    mean = SimpleNamespace(category="mean of labels", **dict.fromkeys(sizes), spans=means)
    return table._replace(rows=[*table.rows, total, mean])


def segmentation_table(result: Evaluation) -> Table:
    """Return the measures of segmentation, and the numbers of windows and boundaries."""
    rows = [system for system in result.systems if system.segmentation is not None]
    return Table("segmentation", f"Segmentation, against {result.reference}", [_SYSTEM, *_SEGMENTATION_COLUMNS], rows)


class _SegmentationRow(NamedTuple):
    """The measures of segmentation of a pair of annotators, or their means."""

    level: str
    segmentation: SegmentationScore | SimpleNamespace
    reference: str | None = None
    system: str | None = None
    documents: int | None = None


def pairwise_segmentation_table(result: SegmentationResult, max_pairs: int | None = None) -> Table:
    """Return the measures of segmentation of pairs, the first ones if there is a maximum, and their means."""
    columns = [
        *pair_columns("reference", "system"),
        *_SEGMENTATION_COLUMNS,
    ]
    rows = [_SegmentationRow("pair", score, score.reference, score.system, score.documents) for score in result.scores]
    table = Table("segmentation", "Segmentation, each annotator in turn as the reference", columns, rows)
    means = SimpleNamespace(**dict.fromkeys(_SEGMENTATION_COUNTS), **result.mean)
    return with_summaries(table, max_pairs, [_SegmentationRow("mean", means)])


def segmentation_pairs_table(result: SegmentationResult) -> Table:
    """Return the measures of segmentation of pairs: the data frame."""
    return pairwise_segmentation_table(result).of_level("pair")


def diarization_table(result: Evaluation) -> Table:
    """Return the error rates of diarization, and their times."""
    rows = [system for system in result.systems if system.diarization is not None]
    return Table("diarization", f"Diarization, against {result.reference}", [_SYSTEM, *_DIARIZATION_COLUMNS], rows)


def cases_table(system: SystemScore) -> Table:
    """Return the cases of a system, with bounds and category of both units."""
    columns = [Column("kind", heading="case"), Column("document")]
    for side in ("reference", "system"):
        unit = attrgetter(side)
        columns += [
            Column(side, content=unit, format=lambda bounds: f"{number(bounds[0])}–{number(bounds[1])}"),
            Column(f"{side}_category", heading="", content=unit, format=lambda bounds: label_text(bounds[2])),
        ]
    return Table("cases", f"cases of {system.system}", columns, system.cases)


class _LevelRow(NamedTuple):
    """A system, or one of its labels."""

    score: SystemScore
    label: LabelScore | None = None


def evaluation_table(result: Evaluation) -> Table:
    """Return the systems, each followed by its labels: the table of CSV."""
    first = result.systems[0]
    macro = [
        Column(f"{match}_macro_f1", content=_entry("macro", match, lambda means: means["f1"].value))
        for match in first.macro
    ]
    spans = [*chain.from_iterable(_span_columns(match, Kind.VALUE) for match in first.spans)]
    measures = [*_SEGMENTATION_COLUMNS] if first.segmentation is not None else []
    measures += _DIARIZATION_COLUMNS if first.diarization is not None else ()
    columns = [
        Column("level", content=lambda row: "system" if row.label is None else "label"),
        Column("system", content=attrgetter("score.system")),
        Column("category").for_part(attrgetter("label")),
        *_system_columns([Column("documents", Kind.COUNT)]),
        *_part_columns(_SIZE_COLUMNS),
        *_system_columns([*_count_columns(first), *macro]),
        *_part_columns(spans),
        *_system_columns([*_agreement_columns(result), *measures]),
    ]
    return Table("evaluation", f"against {result.reference}", columns, _level_rows(result))


def systems_table(result: Evaluation) -> Table:
    """Return the systems with all their values: the data frame."""
    table = evaluation_table(result)
    first = result.systems[0]
    parts = (f"{match}_{part}" for match in first.spans for part in (*SCORE_PARTS, "macro_f1"))
    order = ("system", "documents", "reference_units", "units", *first.counts, *parts)
    columns = [column for column in table.columns if column.name not in ("level", "category")]
    return table._replace(columns=columns, rows=[*map(_LevelRow, result.systems)], data_order=order)


def _level_rows(result: Evaluation) -> Iterator[_LevelRow]:
    for system in result.systems:
        yield _LevelRow(system)
        yield from (_LevelRow(system, label) for label in system.labels)


def _part_columns(columns: Iterable[Column]) -> list[Column]:
    """Return the columns of level rows that systems and labels have."""
    return [column.for_part(lambda row: row.label or row.score) for column in columns]


def _system_columns(columns: Iterable[Column]) -> list[Column]:
    """Return the columns of level rows that only systems have."""
    return [column.for_part(lambda row: row.score if row.label is None else None) for column in columns]


def _entry(mapping: str, key: str, part: Callable[..., object] = lambda entry: entry) -> Callable[[Row], object]:
    """Return the function that reads an entry of a mapping, or a part of it."""
    return lambda row: part(getattr(row, mapping)[key])


def _category_column(heading: str = "category") -> Column:
    return Column("category", Kind.CATEGORY, heading, missing="(none)")


def _span_column(match: str, part: str, kind: Kind) -> Column:
    return Column(f"{match}_{part}", kind, part.replace("f1", "F1"), _entry("spans", match, attrgetter(part)))


def _span_columns(match: str, kind: Kind) -> list[Column]:
    return [_span_column(match, part, kind) for part in SCORE_PARTS]


def _count_columns(system: SystemScore) -> list[Column]:
    return [Column(kind, Kind.COUNT, content=_entry("counts", kind)) for kind in system.counts]


def _agreement_columns(result: Evaluation) -> list[Column]:
    names = result.systems[0].agreement
    prefix = prefix_of(result.settings)
    return [Column(name, Kind.ESTIMATE, symbol_of(name, prefix), _entry("agreement", name)) for name in names]


class _PairRow(NamedTuple):
    """F1 of a pair of annotators, their mean, or F1 of all pairs together."""

    level: str
    f1: Mapping[str, Value]
    first: str | None = None
    second: str | None = None
    documents: int | None = None
    first_units: int | None = None
    second_units: int | None = None


def pairwise_f1_table(result: PairwiseF1, max_pairs: int | None = None) -> Table:
    """Return F1 of the pairs of annotators, the first ones if there is a maximum, their mean, and F1 of all pairs."""
    columns = [
        *pair_columns(),
        Column("first_units", Kind.COUNT, "units", priority=Priority.TERMINAL),
        Column("second_units", Kind.COUNT, "units", priority=Priority.TERMINAL),
        *(Column(f"{match}_f1", Kind.ESTIMATE, match, _entry("f1", match)) for match in PAIRED),
    ]
    rows = [
        _PairRow("pair", pair.f1, pair.first, pair.second, pair.documents, pair.first_units, pair.second_units)
        for pair in result.pairs
    ]
    table = Table("pairs", "F1 of pairs of annotators", columns, rows)
    return with_summaries(table, max_pairs, [_PairRow("mean", result.mean), _PairRow("pooled", result.pooled)])


def f1_pairs_table(result: PairwiseF1) -> Table:
    """Return F1 of the pairs of annotators: the data frame."""
    return pairwise_f1_table(result).of_level("pair")
