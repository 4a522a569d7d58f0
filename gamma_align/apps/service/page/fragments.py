"""The page's parts as HTML: made in a worker from the data, the settings and the result of a job."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from markupsafe import Markup

from gamma_align.alignment.watching import reporting_gaps
from gamma_align.apps.cli._measure import measure_settings
from gamma_align.apps.service.limits import Limits
from gamma_align.apps.service.page.look import Look, Step
from gamma_align.apps.service.page.results import Outcome
from gamma_align.apps.service.refusal import HTTP, Refusal
from gamma_align.apps.service.settings import arguments_of
from gamma_align.apps.service.work import MEASURED, Data, Report, corpus_of, csv_of, naming_no_folders, settings_of
from gamma_align.data.corpus import Corpus
from gamma_align.data.wording import counted, span
from gamma_align.errors import render
from gamma_align.measures.gamma.gamma_settings import GammaSettings
from gamma_align.present.figures import charts
from gamma_align.present.figures.draw import draw
from gamma_align.present.figures.elements import shortened
from gamma_align.present.figures.overview import overview
from gamma_align.present.figures.palette import Palette
from gamma_align.present.figures.picture import figure
from gamma_align.present.figures.scene import Scene, Window
from gamma_align.present.page import numbers, sentences
from gamma_align.present.page.cards import Card, Lane
from gamma_align.present.page.environment import environment, safe
from gamma_align.present.page.report import html_report

PACKAGE = "gamma_align.apps.service.page"
_READING = ("outside",)
"""The settings on which the corpus depends."""
_ALIGNING = (*_READING, "conventions", "alpha", "beta", "delta_empty", "distance")
"""The settings on which the alignment depends."""
_LISTED = 500
"""Of more documents, a field takes the place of the list."""
_NAMED = 5_000
_NARROW = 480.0
_TABLE_ROWS = 200
_REASONS_WIDTH = 188.0


@dataclass(frozen=True)
class Wanted:
    """What a request asks to see; `result` is the file of a job's result, once there is one."""

    settings: str = "{}"
    document: str | None = None
    at: int | None = None
    window: Window | None = None
    hidden: tuple[str, ...] = ()
    hidden_labels: tuple[str, ...] = ()
    go: Step | None = None
    width: float = 900.0
    result: Path | None = None

    @property
    def is_narrow(self) -> bool:
        """Whether the picture is for a narrow screen."""
        return self.width < _NARROW


def show(report: Report, *, data: Data, limits: Limits, wanted: Wanted, parts: tuple[str, ...]) -> dict[str, Any]:
    """Return the parts that are asked for, of `PARTS`, by name; a worker calls this.

    It reports the gap of an alignment that takes long.
    """
    with naming_no_folders(data.folder), reporting_gaps(lambda gap: report("gap", gap)):
        view = _View(data, limits, wanted)
        return {part: getattr(view, part)() for part in parts}


def svg(report: Report, *, data: Data, limits: Limits, wanted: Wanted) -> str:  # noqa: ARG001
    """Return the picture of what is read as an SVG file; a worker calls this."""
    with naming_no_folders(data.folder):
        view = _View(data, limits, wanted)
        return view.look.svg(view.window)


def csv(report: Report, *, data: Data, limits: Limits, wanted: Wanted) -> str:  # noqa: ARG001
    """Return the rows of the result as CSV; a worker calls this."""
    if wanted.result is None:
        raise Refusal("not_found", "there is no result yet", "wait until it is measured")
    return csv_of(wanted.result.with_name(MEASURED))


def report(report: Report, *, data: Data, limits: Limits, wanted: Wanted) -> str:  # noqa: ARG001
    """Return the report of the corpus as a page; a worker calls this."""
    with naming_no_folders(data.folder):
        view = _View(data, limits, wanted)
        arguments = arguments_of("measure", view.settings, [data.name], data.folder)
        return html_report(view.source, title=Path(data.name).stem, **measure_settings(arguments)).html


PARTS = ("corpus", "document", "view", "results", "table")
"""What `show` returns; each is a method of the view."""


@lru_cache(maxsize=2)
def _corpus(data: Data, limits: Limits, settings: str) -> Corpus:
    """Return the corpus; `settings` are those on which it depends."""
    return corpus_of(data, arguments_of("measure", json.loads(settings), [data.name], data.folder), limits)


def _some(settings: Mapping[str, Any], names: tuple[str, ...]) -> str:
    """Return some of the settings as a text, the same for the same settings."""
    return json.dumps({name: settings[name] for name in names if name in settings}, sort_keys=True)


@lru_cache(maxsize=8)
def _look(data: Data, limits: Limits, document: str, settings: str) -> Look:
    """Return a document, aligned; `settings` are those on which the alignment depends."""
    return Look.of(_corpus(data, limits, _some(json.loads(settings), _READING)), document, _settings(data, settings))


@lru_cache(maxsize=2)
def _result(file: Path) -> Mapping[str, Any]:
    result: Mapping[str, Any] = json.loads(file.read_bytes())
    return result


def _settings(data: Data, settings: str) -> GammaSettings:
    arguments = arguments_of("measure", json.loads(settings), [data.name], data.folder)
    return GammaSettings.of(**measure_settings(arguments))


class _View:
    """What the templates ask for."""

    numbers, sentences = numbers, sentences

    def __init__(self, data: Data, limits: Limits, wanted: Wanted) -> None:
        self._data, self._limits, self._wanted = data, limits, wanted
        self.settings = settings_of(wanted.settings.encode())
        self.source = _corpus(data, limits, _some(self.settings, _READING))

    @cached_property
    def name(self) -> str:
        """The document that is looked at: by default the first with units that two annotators saw."""
        corpus, asked = self.source, self._wanted.document
        if asked is not None:
            if asked not in corpus:
                raise Refusal(
                    "not_found", f"there is no document {shortened(asked, 60)!r}", where={"field": "document"}
                )
            return asked
        if not len(corpus):
            raise Refusal("invalid_input", "there is no document in these data", "open other files")
        return corpus.documents[int(np.argmax((corpus.n_annotators > 1) & (corpus.units_per_document > 0)))]

    @cached_property
    def look(self) -> Look:
        """The document, aligned."""
        return _look(self._data, self._limits, self.name, _some(self.settings, _ALIGNING))

    @cached_property
    def palette(self) -> Palette:
        return Palette(self.look.labels, in_page=True)

    @cached_property
    def shown(self) -> Scene:
        """The document without what is hidden."""
        return self.look.shown(self._wanted.hidden, self._wanted.hidden_labels)

    @cached_property
    def at(self) -> int | None:
        """The unitary alignment that is chosen."""
        at = self._wanted.at if 1 <= (self._wanted.at or 0) <= self.look.alignments else None
        if self._wanted.go is None:
            return at
        before = self.look.window(self._wanted.window, None, is_narrow=self._wanted.is_narrow)
        return self.look.step(self._wanted.go, at, before, self.shown) or at

    @cached_property
    def window(self) -> Window:
        """What is read."""
        return self.look.window(self._wanted.window, self.at, is_narrow=self._wanted.is_narrow)

    @cached_property
    def outcome(self) -> Outcome:
        """The values, as far as they are known."""
        result = self._wanted.result
        return Outcome(None if result is None else _result(result), self.name)

    # the parts

    def corpus(self) -> dict[str, Any]:
        """Return what the bar shows: name, documents."""
        corpus = self.source
        people = corpus.n_annotators.tolist()
        listed = [*zip(corpus.documents, people, strict=True)] if len(corpus) <= _LISTED else []
        return {
            "document": self.name,
            "size": counted(len(corpus), "document"),
            "html": self._render("documents.html", listed=listed, named=corpus.documents[:_NAMED]),
            "notes": [render(note, HTTP) for note in corpus.notes],
        }

    def document(self) -> dict[str, Any]:
        """Return what is shown of a document besides the part that is read: filters, and the map."""
        low, high = self.look.scene.continuum.extent
        return {
            "name": self.name,
            "tools": self._render("tools.html", hidden=self._wanted.hidden, hidden_labels=self._wanted.hidden_labels),
            "map": figure(
                overview(self.shown, window=self.window, width=self._wanted.width, palette=self.palette),
                self.palette,
                hidden=True,
            ),
            "patterns": self.palette.definitions(),
            "low": low,
            "high": high,
            "of": self.look.alignments,
        }

    def view(self) -> dict[str, Any]:
        """Return the part of the document that is read, and the card of the chosen unitary alignment."""
        window, at = self.window, self.at
        card = None if at is None else self.look.card(at)
        reading = draw(self.shown, window=window, width=self._wanted.width, palette=self.palette, selected=at)
        return {
            "from": window[0],
            "to": window[1],
            "at": at,
            "words": sentences.of_window(window, self.source.length_unit),
            "reading": reading,
            "card": "" if card is None else self._render("card.html", card=card),
            "speech": "" if card is None else self._speech(card),
        }

    def results(self) -> dict[str, Any]:
        """Return the values of the document and of the corpus."""
        outcome = self.outcome
        return {
            "html": self._render("results.html", outcome=outcome),
            "corpus": self._render("corpus.html", outcome=outcome) if outcome.result else "",
            "labels": outcome.labels() if outcome.n_documents <= _LISTED else {},
            "ending": outcome.ending,
            "notes": [] if outcome.result is None else [*outcome.result["notes"]],
        }

    def table(self) -> str:
        """Return what is read as a table."""
        scene, (start, end) = self.shown, self.window
        first, last = scene.bounds
        chosen = [int(i) for i in ((first <= end) & (last >= start)).nonzero()[0]]
        rows = [(i + 1, span(first[i], last[i]), scene.disorder[i], self._members(i)) for i in chosen[:_TABLE_ROWS]]
        return self._render("table.html", rows=rows, more=len(chosen) - len(rows))

    def _members(self, group: int) -> list[str]:
        return [self.shown.describe(unit) for unit in (self.shown.group == group).nonzero()[0].tolist()]

    def _render(self, template: str, **values: Any) -> Markup:  # noqa: ANN401
        return safe(environment(PACKAGE).get_template(template).render(view=self, **values))

    def _speech(self, card: Card) -> str:
        """Return the card as it is read out."""
        head = f"Alignment {card.local} of {card.of}. Disorder {numbers.decimal(card.disorder)}: {card.sum or 'none'}."
        return " ".join([head, *(self._lane_speech(lane) for lane in card.lanes)])

    def _lane_speech(self, lane: Lane) -> str:
        people, unit, other = lane.annotators, lane.unit, lane.other
        who = ", ".join(people[:3]) + (f" and {len(people) - 3} more" if len(people) > 3 else "")  # noqa: PLR2004
        if unit is None and other is not None:
            return f"{who}: other unit, {span(other.start, other.end)}, {other.category or 'no label'}."
        if unit is None:
            return f"{who}: nothing."
        text = self.look.scene.text
        words = span(unit.start, unit.end) if text is None else " ".join(text[int(unit.start) : int(unit.end)].split())
        return f"{who}: {shortened(words, 80)}, {unit.category or 'no label'}."

    # what templates ask for

    @property
    def sizes(self) -> str:
        """How large the document is."""
        continuum = self.look.scene.continuum
        low, high = continuum.extent
        unit, amount = self.source.length_unit, numbers.decimal(high - low, 0 if float(high - low).is_integer() else 2)
        words = sentences.length_words(unit)
        length = f"{amount} {words}" if words != (unit or "") else f"length {amount}" + (f" ({unit})" if unit else "")
        people = counted(len(continuum.annotators), "annotator")
        return f"{people}, {numbers.counted(len(continuum), 'unit')}, {length}"

    @property
    def marks(self) -> tuple[str | None, ...]:
        """The labels that the document has."""
        codes = {*self.look.scene.codes.tolist()}
        return tuple(mark for code, mark in enumerate(self.look.scene.marks) if code in codes)

    def reasons_bar(self) -> Markup:
        """Return the bar of the reasons of the document's disorder."""
        return safe(charts.parts_bar(self.look.disorder, width=_REASONS_WIDTH, palette=self.palette, hidden=True))

    def facts(self) -> list[tuple[str, str]]:
        """Return what the values are made of."""
        look, gap = self.look, self.look.gap
        if not look.alignments:
            return [("unitary alignments", "none: " + ("one annotator alone" if len(look.scene) else "no units"))]
        known = [*self.outcome.facts()] or [("observed", numbers.decimal(look.observed, 3))]
        return [
            *known,
            ("unitary alignments", numbers.count(look.alignments)),
            ("no disorder at all", numbers.count(look.undisputed)),
            ("alignment", "proven optimal" if gap == 0 else f"not proven, gap {numbers.percent(gap)}"),
        ]
