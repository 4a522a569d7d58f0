"""The page of what changed between two versions of a corpus: values, causes, and the units of both in their text."""

from __future__ import annotations

import itertools
import os
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from markupsafe import Markup

from gamma_align.data import Continuum, Corpus, Json
from gamma_align.errors import PYTHON, Surface, render
from gamma_align.inference import Result
from gamma_align.insight.comparison import FATES, Comparison, Difference, DocumentFate, Span, UnitChanges, UnitFate
from gamma_align.present.comparison_lines import differences_in_words, fates_lines
from gamma_align.present.comparison_tables import (
    SIDES,
    causes_table,
    costs_tables,
    documents_tables,
    fates_table,
    overall_table,
    symbol,
    values_table,
)
from gamma_align.present.figures.palette import Palette, label_order
from gamma_align.present.figures.scene import Scene, Window
from gamma_align.present.page import numbers
from gamma_align.present.page.card_html import CardHtml
from gamma_align.present.page.environment import environment, safe
from gamma_align.present.page.excerpt import Excerpt
from gamma_align.present.page.page import frame
from gamma_align.present.page.tables import MAX_ROWS, MAX_SHOWN_ROWS, PageTable, Style, fold, stacked
from gamma_align.present.symbols import prefix_of
from gamma_align.present.table import Kind, Table
from gamma_align.present.unit_changes_tables import changed_table, counts_table, labels_table
from gamma_align.reading import atomic_text

_SAME, _, _, _NEW, _GONE = FATES
_CONTEXT = 60.0  # characters of text on each side of a unit that changed
_MAX_SHOWN = 3  # annotators of documents whose units are shown at once; the others unfold
_MAX_SIZE = 8_000_000  # characters of all drawings, as in a large report; CSV and JSON have all units
_DIGITS = 3  # of intervals of differences
_CHANGED = 0.5  # of the darkest ground, behind units that are not the same


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class ChangesReport(Result):
    """What changed between two versions of a corpus, and its HTML page, `html`.

    Attributes
    ----------
    names : tuple of str
        Names of the two versions.
    comparison : Comparison or None
        The agreement in both, and the causes of disagreement that came and went; None if only units are compared.
    units : UnitChanges or None
        What became of the units of the annotators of both; None if no annotator is in both.
    versions : tuple of Corpus
        Both versions, on the texts of the second.

    Examples
    --------
    >>> old = [("d", "gold", 0, 4, "x"), ("d", "gold", 6, 9, "x")]
    >>> report = ga.html_changes(old, old[:1], units=True)
    >>> report.units.changed[0].fate, report.html[:15]
    ('removed', '<!doctype html>')
    """

    names: tuple[str, str]
    comparison: Comparison | None
    units: UnitChanges | None
    versions: tuple[Corpus, Corpus]

    @property
    def html(self) -> str:
        """The page, which loads no other file; equal reports have equal bytes."""
        return changes_page(self)

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on assumptions and limits of the numbers."""
        parts = (part.notes for part in (self.comparison, self.units) if part is not None)
        return tuple(dict.fromkeys(itertools.chain.from_iterable(parts)))

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the page to a file; if that fails, the file stays as it was."""
        atomic_text(Path(path), self.html)

    def _summary(self) -> str:
        return " to ".join(self.names)

    def _contents(self) -> dict[str, Json]:
        return {"schema_version": 1, **self._named("names", "comparison", "units")}


def changes_page(report: ChangesReport, surface: Surface = PYTHON) -> str:
    """Return the page of what changed; notes are in the language of the surface."""
    title = f"{report.names[0]} → {report.names[1]}"
    template = environment().get_template("changes.html")
    return template.render(view=_View(report, surface), report=report, **frame(f"{title}: what changed"))


class _Changed(NamedTuple):
    """An annotator of a document whose units are not the same: drawings, and a table of these units."""

    title: str
    drawings: Sequence[Excerpt]
    table: PageTable[UnitFate]


class _View:
    """The contents of the page, for its template."""

    def __init__(self, report: ChangesReport, surface: Surface) -> None:
        self._report = report
        self._surface = surface
        order = (label_order(corpus) for corpus in reversed(report.versions))
        self.palette = Palette(tuple(dict.fromkeys(itertools.chain.from_iterable(order))), in_page=True)
        self.chip = CardHtml(self.palette).chip
        self.numbers = numbers
        self.sides = list(zip(SIDES, report.names, strict=True))

    @property
    def definitions(self) -> Markup:
        """The SVG patterns that the drawings refer to."""
        return safe(self.palette.definitions())

    @property
    def sections(self) -> list[tuple[str, str]]:
        """The identifiers of the sections and their names in the navigation."""
        comparison = self._report.comparison
        sections = [("agreement", "What changed")]
        sections += [("causes", "Causes")] if comparison is not None and comparison.causes is not None else []
        sections += [("units", "Units")] if self.changes is not None else []
        sections += [("documents", "Documents")] if self.fates else []
        return [*sections, ("cite", "Method")]

    @property
    def fates(self) -> tuple[DocumentFate, ...]:
        """What became of each document."""
        part = self._report.comparison or self._report.units
        return () if part is None else part.fates

    @property
    def changes(self) -> UnitChanges | None:
        """What became of the units, if there are annotators of both."""
        return self._report.units

    @property
    def n_changed(self) -> tuple[int, int]:
        """How many units of both versions together are not the same, and how many there are."""
        counts = [] if self.changes is None else self.changes.counts
        n_all = sum(row.first + row.second for row in counts)
        return n_all - sum(row.first + row.second for row in counts if row.fate == _SAME), n_all

    def symbol(self, difference: Difference) -> str:
        """Return the symbol of a difference."""
        settings = {} if self._report.comparison is None else self._report.comparison.settings
        return symbol(difference, prefix_of(settings))

    def documents_line(self) -> str:
        """Return how many documents are new, gone, redone and the same."""
        return next(iter(fates_lines(self.fates, 1)), "")

    def sentences(self) -> list[str]:
        """Return how the second version differs from the first, in sentences."""
        return [] if self._report.comparison is None else [*differences_in_words(self._report.comparison)]

    def note(self, note: str) -> str:
        """Return a note in the language of the surface."""
        return render(note, self._surface)

    # tables

    def values(self) -> list[PageTable[Any]]:
        """Return the values with their differences: of documents that both have, then of all."""
        comparison = self._report.comparison
        if comparison is None:
            return []
        titles = ("Values of the documents that both have", "Values of all documents")
        tables = (values_table(comparison), overall_table(comparison))
        return [_page_table(table, title) for table, title in zip(tables, titles, strict=True) if table is not None]

    def causes(self) -> PageTable[Any] | None:
        """Return the causes that came, went and stayed; None if there are none."""
        comparison = self._report.comparison
        return _page_table(causes_table(comparison)) if comparison is not None and comparison.causes else None

    def costs(self) -> list[PageTable[Any]]:
        """Return what annotators and labels cost."""
        comparison = self._report.comparison
        return [] if comparison is None else [_page_table(table) for table in costs_tables(comparison)]

    def documents(self) -> PageTable[DocumentFate]:
        """Return what became of each document, those that are not the same first."""
        table = fates_table(self.fates)
        rows = sorted(table.rows, key=lambda row: row.fate == _SAME)
        return _page_table(table._replace(rows=rows), noun="documents")

    def differences(self) -> list[PageTable[Any]]:
        """Return the values of the documents of both, the largest difference first."""
        comparison = self._report.comparison
        if comparison is None:
            return []
        return [_page_table(table, noun="documents") for table, _ in documents_tables(comparison, MAX_ROWS)]

    def counts(self, changes: UnitChanges) -> PageTable[Any]:
        """Return how many units have each fate."""
        return _page_table(counts_table(changes))

    def labels(self, changes: UnitChanges) -> PageTable[Any] | None:
        """Return the labels of both versions, None if there are none."""
        table = labels_table(changes)
        return _page_table(table) if table.rows else None

    # drawings

    def changed(self) -> Iterator[_Changed]:
        """Yield annotators of documents whose units are not the same, those with the most such units first."""
        changes = self.changes
        if changes is None:
            return
        former = {row.document: row.former or row.document for row in changes.fates if row.fate not in (_NEW, _GONE)}
        rows: dict[tuple[str, str], list[UnitFate]] = defaultdict(list)
        for row in changes.changed:
            if row.document in former:
                rows[row.document, row.annotator].append(row)
        self.n_left_out = 0
        size = 0
        has_one_annotator = len({annotator for _, annotator in rows}) == 1
        most_first = sorted(rows.items(), key=lambda entry: -len(entry[1]))
        for number, ((document, annotator), own) in enumerate(most_first):
            if size >= _MAX_SIZE:
                self.n_left_out += len(own)
                continue
            title = document if has_one_annotator else f"{document}, {annotator}"
            drawings = [*self._drawings((former[document], document), annotator, own)]
            size += sum(len(drawing.wide) + len(drawing.narrow) for drawing in drawings)
            table = changed_table(changes)._replace(rows=own)
            hidden = {"document", "annotator"} | ({"text"} if all(row.text is None for row in own) else set())
            columns = [column for column in table.columns if column.name not in hidden]
            table = table._replace(columns=columns)
            label = f"{title}: units that are not the same"
            # A table within what unfolds does not unfold itself.
            n_shown = MAX_SHOWN_ROWS if number < _MAX_SHOWN else MAX_ROWS
            yield _Changed(title, drawings, _page_table(table, label, "units", n_shown))

    def shown_and_folded(self) -> tuple[list[_Changed], list[_Changed]]:
        """Return the annotators of documents that are drawn at once, and those that unfold."""
        changed = [*self.changed()]
        return changed[:_MAX_SHOWN], changed[_MAX_SHOWN:]

    def _drawings(self, names: tuple[str, str], annotator: str, rows: Sequence[UnitFate]) -> Iterator[Excerpt]:
        """Yield drawings of the parts of a document with units that are not the same."""
        continua = [corpus[name] for corpus, name in zip(self._report.versions, names, strict=True)]
        corpus = self._report.versions[1]
        text = None if corpus.texts is None else corpus.texts[corpus.documents.index(names[1])]
        scene = _scene(continua, annotator, rows, text, self.palette.labels)
        for window in _windows(scene):
            yield Excerpt.of(f"{names[1]}, {annotator}", scene, window, corpus.length_unit, self.palette)


def _with_interval(difference: Difference) -> Markup:
    """Return a difference with its interval, which must not seem to contain 0."""
    return stacked(difference, _DIGITS)


def _in_words(fate: str) -> str:
    return "moved and relabelled" if fate == "both" else fate


def _page_table(
    table: Table, label: str | None = None, noun: str = "rows", max_shown: int = MAX_SHOWN_ROWS
) -> PageTable[Any]:
    """Return a table as the page shows it."""
    # On a terminal, the first column needs no heading; on a page, readers who cannot see it do.
    heading = {"coefficient": "Value", "0": SIDES[0]}
    styles = {
        column.name: Style(None if column.head else heading.get(column.name, column.name.capitalize()))
        for column in table.columns
    }
    for column in table.columns:
        if column.head and column.name.isdigit():
            styles[column.name] = Style(column.head)  # of a given table: a label, as it is
        elif column.kind is Kind.VALUE:
            styles[column.name] = Style(html=_with_interval)
        elif column.name == "fate":
            styles[column.name] = Style("Fate", lambda row: _in_words(row.fate))
    return PageTable(label or table.title, table.columns, styles, fold(table.rows, max_shown), noun=noun)


def _scene(
    continua: Sequence[Continuum],
    annotator: str,
    rows: Sequence[UnitFate],
    text: str | None,
    labels: tuple[str, ...],
) -> Scene:
    """Return both versions of an annotator as a scene: a lane each, and a unitary alignment for each fate."""
    units = [
        [Span(unit.start, unit.end, unit.category) for unit in continuum.units() if unit.annotator == annotator]
        for continuum in continua
    ]
    bounds = np.array([continuum.extent for continuum in continua])
    both = Continuum.from_records(
        [(side, *unit) for side, spans in zip(SIDES, units, strict=True) for unit in spans],
        document=continua[1].document,
        annotators=SIDES,
        extent=(float(bounds[:, 0].min()), float(bounds[:, 1].max())),
    )
    # Of equal units of one version, any may be the one that is in both.
    waiting: dict[tuple[str, Span], list[int]] = defaultdict(list)
    fates = [_in_words(row.fate) for row in rows]
    for number, row in enumerate(rows):
        for side, spans in zip(SIDES, (row.first, row.second), strict=True):
            for span in spans:
                waiting[side, span].append(number)
    group = np.full(len(both), -1, dtype=np.int64)
    for index, unit in enumerate(both.units()):
        span = Span(unit.start, unit.end, unit.category)
        if not waiting[unit.annotator, span]:
            # The same unit is in the other version.
            for side in SIDES:
                waiting[side, span].append(len(fates))
            fates.append(_SAME)
        group[index] = waiting[unit.annotator, span].pop(0)
    disorder = np.array([0.0 if fate == _SAME else _CHANGED for fate in fates])
    return Scene(both, group, disorder, 1.0, labels, text, fates=tuple(fates))


def _windows(scene: Scene) -> Iterator[Window]:
    """Yield the parts of a document around the units that are not the same: with a text, whole words."""
    low, high = scene.continuum.extent
    start, end = scene.bounds
    is_changed = (scene.disorder > 0) & np.isfinite(start)
    if scene.text is None or not is_changed.any():
        if is_changed.any():
            yield low, high
        return
    windows: list[Window] = []
    for first, last in sorted(zip(start[is_changed].tolist(), end[is_changed].tolist(), strict=True)):
        before, after = scene.between_words(max(first - _CONTEXT, low), min(last + _CONTEXT, high))
        if windows and before <= windows[-1][1]:
            windows[-1] = windows[-1][0], max(after, windows[-1][1])
        else:
            windows.append((before, after))
    yield from windows
