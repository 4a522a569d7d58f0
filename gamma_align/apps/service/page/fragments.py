"""The parts of the page as HTML. A worker makes them from the data, the settings and the result of a job."""

from __future__ import annotations

import contextlib
import hashlib
import json
import math
import os
import pickle
from collections.abc import Callable, Iterator, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from pathlib import Path

import numpy as np
from markupsafe import Markup

from gamma_align.alignment import Limits as SolverLimits
from gamma_align.alignment import reporting_gaps
from gamma_align.apps.service.limits import Limits
from gamma_align.apps.service.page.decided import Decided, decided_corpus, formats_for
from gamma_align.apps.service.page.look import Look, Step
from gamma_align.apps.service.page.results import Outcome
from gamma_align.apps.service.refusal import HTTP, Refusal
from gamma_align.apps.service.settings import values_of
from gamma_align.apps.service.work import Data, corpus_of, csv_of, measured_result, naming_no_folders, settings_of
from gamma_align.apps.service.work import Report as Notify
from gamma_align.data import Corpus, Json, counted, natural_key, span
from gamma_align.errors import render
from gamma_align.measures.gamma import GammaSettings
from gamma_align.present.figures import Palette, Scene, Window, charts, figure, shortened
from gamma_align.present.figures.draw import draw
from gamma_align.present.figures.overview import overview
from gamma_align.present.page import Card, CardHtml, Lane, Report, numbers, report_of, safe, sentences
from gamma_align.present.page import page as report_page
from gamma_align.present.page.environment import environment
from gamma_align.requests import COMMAND_LINE, measure_settings

PACKAGE = "gamma_align.apps.service.page"  # with the folder of templates
_READING_SETTINGS = ("outside", "column", "map", "annotators_from", "one_document", "no_categories")
"""The settings on which the corpus depends."""
_ALIGNMENT_SETTINGS = (*_READING_SETTINGS, "conventions", "alpha", "beta", "delta_empty", "distance")
"""The settings on which the alignment depends."""
_MAX_LISTED_DOCUMENTS = 500  # of more documents, a search field takes the place of the list
_MAX_NAMED_DOCUMENTS = 5_000  # suggested by the search field
_NARROW_WIDTH = 480.0  # pixels; phones are narrower
_MAX_TABLE_ROWS = 200  # unitary alignments in the table for screen readers
_MAX_QUICK_ANNOTATORS = 5  # of a document; with more, columns are generated on demand, which may take minutes
_DRAFT_LIMITS = SolverLimits(max_work=10_000_000)  # tenths of a second
_REASONS_WIDTH = 188.0  # pixels: the column of facts beside the document
_MAX_SPOKEN_ANNOTATORS = 3  # named in the speech of a lane


@dataclass(frozen=True)
class ViewRequest:
    """The part of a document that a request asks for.

    `result` is the file of the result of a job, if it is done; `models` are the annotators that are models.
    """

    settings: str = "{}"
    document: str | None = None
    at: int | None = None
    window: Window | None = None
    hidden: tuple[str, ...] = ()
    hidden_labels: tuple[str, ...] = ()
    go: Step | None = None
    width: float = 900.0
    result: Path | None = None
    models: tuple[str, ...] = ()

    @property
    def is_narrow(self) -> bool:
        """Whether the picture is for a narrow screen."""
        return self.width < _NARROW_WIDTH


def show(
    notify: Notify, *, data: Data, limits: Limits, request: ViewRequest, parts: tuple[str, ...]
) -> dict[str, Json]:
    """Return the requested parts of `PARTS` by name, in a worker.

    Of a document of many annotators it reports drafts, without an alignment and with a bounded one, and the gap.
    """

    def draw(look: Look) -> None:
        draft = _View(data, limits, request, look)
        gap = None if math.isnan(look.gap) else look.gap
        notify("draft", {"document": draft.document(), "view": draft.view(), "gap": gap})

    with naming_no_folders(data.folder), reporting_gaps(lambda gap: notify("gap", gap)), _drawing_drafts(draw):
        view = _View(data, limits, request)
        return {part: getattr(view, part)() for part in parts}


def svg(_: Notify, *, data: Data, limits: Limits, request: ViewRequest, title: str) -> str:  # noqa: ARG001
    """Return the picture of the window as an SVG file, in a worker."""
    with naming_no_folders(data.folder):
        view = _View(data, limits, request)
        return view.look.svg(view.window)


def csv(_: Notify, *, data: Data, limits: Limits, request: ViewRequest, title: str) -> str:  # noqa: ARG001
    """Return the rows of the result as CSV, in a worker."""
    if request.result is None:
        raise Refusal("not_found", "there is no result yet", "wait until it is measured")
    return csv_of(request.result.parent, data, limits)


def report(_: Notify, *, data: Data, limits: Limits, request: ViewRequest, title: str) -> str:
    """Return the report of the corpus as a file, in a worker."""
    with naming_no_folders(data.folder):
        return report_page.page(_report(data, limits, request, title), COMMAND_LINE)


def sections(_: Notify, *, data: Data, limits: Limits, request: ViewRequest, title: str) -> dict[str, Json]:
    """Return the sections of the report of the corpus, in a worker."""
    with naming_no_folders(data.folder):
        contents = _report(data, limits, request, title)
        source = contents.disagreements.corpus
        view = report_page.View(contents, is_served=True, decided_formats=formats_for(source))
        template = environment(PACKAGE).get_template("overview.html")
        annotators = source.annotators
        body = safe(view.body())
        return {"html": template.render(view=view, body=body, models=request.models, annotators=annotators)}


def cards(
    _: Notify, *, data: Data, limits: Limits, request: ViewRequest, title: str, key: str, first: int, count: int
) -> dict[str, Json]:
    """Return some of the cards of a list of the report, in a worker."""
    with naming_no_folders(data.folder):
        noun, total, html = _report_view(data, limits, request, title).listed_cards(key, first, count)
        return {"title": noun, "of": total, "html": html}


def decided(
    _: Notify, *, data: Data, limits: Limits, request: ViewRequest, title: str, decisions: bytes, format_name: str
) -> Decided:
    """Return the consensus of the corpus with the decisions in a file of JSON, in a worker."""
    with naming_no_folders(data.folder):
        view = _View(data, limits, request)
        settings = _settings(data, _selected(view.settings, _ALIGNMENT_SETTINGS))
        return decided_corpus(view.source, decisions, format_name, title, settings)


def _report(data: Data, limits: Limits, request: ViewRequest, title: str) -> Report:
    """Return the report of a result, which is stored beside it."""
    view = _View(data, limits, request)
    settings = measure_settings(values_of("measure", view.settings, data.folder))
    title = Path(title).stem
    if request.result is None:
        return report_of(view.source, None, title=title, model=request.models, **settings)
    name = hashlib.sha256(json.dumps(sorted(request.models)).encode()).hexdigest()[:16]
    file = request.result.with_name(f"report-{name}.pickle")
    if file.exists():
        stored: Report = pickle.loads(file.read_bytes())  # noqa: S301  (a worker wrote this file)
        return stored
    measured = measured_result(request.result.parent, data, limits)
    contents = report_of(view.source, measured.gamma, title=title, model=request.models, **settings)
    temporary = file.with_suffix(f".{os.getpid()}")
    temporary.write_bytes(pickle.dumps(contents, pickle.HIGHEST_PROTOCOL))
    # Another worker may read the file at any moment, so it appears in full.
    temporary.replace(file)
    return contents


@lru_cache(maxsize=1)
def _report_view(data: Data, limits: Limits, request: ViewRequest, title: str) -> report_page.View:
    """Return the report as a page shows it, with parts that are loaded on demand."""
    return report_page.View(_report(data, limits, request, title), is_served=True)


PARTS = ("corpus", "document", "view", "results", "table")
"""The parts that `show` returns. Each is a method of the view."""


_draft_callback: ContextVar[Callable[[Look], None] | None] = ContextVar("draft_callback", default=None)


@contextlib.contextmanager
def _drawing_drafts(callback: Callable[[Look], None]) -> Iterator[None]:
    """Inside a ``with`` block, call `callback` with each draft of a document whose alignment may take long."""
    token = _draft_callback.set(callback)
    try:
        yield
    finally:
        _draft_callback.reset(token)


@lru_cache(maxsize=2)
def _corpus(data: Data, limits: Limits, settings: str) -> Corpus:
    """Return the corpus, which depends on `settings` alone."""
    return corpus_of(data, values_of("measure", json.loads(settings), data.folder), limits)


def _selected(settings: Mapping[str, object], names: tuple[str, ...]) -> str:
    """Return the settings with these names as a text, which is the same for the same settings."""
    return json.dumps({name: settings[name] for name in names if name in settings}, sort_keys=True)


@lru_cache(maxsize=8)
def _look(data: Data, limits: Limits, document: str, settings: str) -> Look:
    """Return an aligned document, which depends on `settings` alone."""
    corpus = _corpus(data, limits, _selected(json.loads(settings), _READING_SETTINGS))
    gamma_settings = _settings(data, settings)
    draw = _draft_callback.get()
    if draw is not None and len(corpus[document].annotators) > _MAX_QUICK_ANNOTATORS:
        draw(Look.unaligned(corpus, document))
        draw(Look.of(corpus, document, replace(gamma_settings, limits=_DRAFT_LIMITS)))
    return Look.of(corpus, document, gamma_settings)


@lru_cache(maxsize=2)
def _result(file: Path) -> Mapping[str, Json]:
    """Return the result in a file of JSON."""
    result: Mapping[str, Json] = json.loads(file.read_bytes())
    return result


def _settings(data: Data, settings: str) -> GammaSettings:
    """Return the settings of γ in a request."""
    values = values_of("measure", json.loads(settings), data.folder)
    return GammaSettings.of(**measure_settings(values))


class _View:
    """The values that the templates show."""

    numbers = numbers
    sentences = sentences

    def __init__(self, data: Data, limits: Limits, request: ViewRequest, look: Look | None = None) -> None:
        self._data = data
        self._limits = limits
        self._request = request
        if look is not None:
            self.look = look
        self.settings = settings_of(request.settings.encode())
        self.source = _corpus(data, limits, _selected(self.settings, _READING_SETTINGS))

    @cached_property
    def name(self) -> str:
        """The current document: by default the first document with units that two annotators saw."""
        corpus = self.source
        requested = self._request.document
        if requested is not None:
            if requested not in corpus:
                raise Refusal(
                    "not_found", f"there is no document {shortened(requested, 60)!r}", location={"field": "document"}
                )
            return requested
        if not len(corpus):
            raise Refusal("invalid_input", "there is no document in these data", "open other files")
        # `argmax` returns the first True, or 0 if there is none.
        return corpus.documents[int(np.argmax((corpus.n_annotators > 1) & (corpus.units_per_document > 0)))]

    @cached_property
    def look(self) -> Look:
        """The aligned document."""
        return _look(self._data, self._limits, self.name, _selected(self.settings, _ALIGNMENT_SETTINGS))

    @cached_property
    def palette(self) -> Palette:
        return Palette(self.look.labels, in_page=True)

    @cached_property
    def markup(self) -> CardHtml:
        """The HTML of the lanes of a card."""
        return CardHtml(self.palette)

    @cached_property
    def shown(self) -> Scene:
        """The document without hidden annotators and labels."""
        return self.look.shown(self._request.hidden, self._request.hidden_labels)

    @cached_property
    def at(self) -> int | None:
        """The number of the selected unitary alignment."""
        at = self._request.at if 1 <= (self._request.at or 0) <= self.look.alignments else None
        if self._request.go is None:
            return at
        previous_window = self.look.window(self._request.window, None, is_narrow=self._request.is_narrow)
        return self.look.step(self._request.go, at, previous_window, self.shown) or at

    @cached_property
    def window(self) -> Window:
        """The part of the document that is shown."""
        return self.look.window(self._request.window, self.at, is_narrow=self._request.is_narrow)

    @cached_property
    def outcome(self) -> Outcome:
        """The values of the result, if there is one."""
        result = self._request.result
        return Outcome(None if result is None else _result(result), self.name)

    # the parts

    def corpus(self) -> dict[str, Json]:
        """Return the list of documents, the corpus as it is shown before it is measured, and the notes of reading."""
        corpus = self.source
        rows = zip(corpus.documents, corpus.n_annotators.tolist(), corpus.units_per_document.tolist(), strict=True)
        is_listed = len(corpus) <= _MAX_LISTED_DOCUMENTS
        listed = sorted(rows, key=lambda row: natural_key(row[0])) if is_listed else []
        if not len(corpus):
            raise Refusal("invalid_input", "there is no document in these data", "open other files")
        return {
            "size": counted(len(corpus), "document"),
            "html": self._render(
                "documents.html",
                listed=listed,
                named=corpus.documents[:_MAX_NAMED_DOCUMENTS],
                current=self._request.document,
                total=len(corpus),
            ),
            "opening": self._render("opening.html", corpus=corpus, listed=listed),
            "notes": [render(note, HTTP) for note in corpus.notes],
        }

    def document(self) -> dict[str, Json]:
        """Return the filters and the map of the document."""
        low, high = self.look.scene.continuum.extent
        return {
            "name": self.name,
            "tools": self._render("tools.html", hidden=self._request.hidden, hidden_labels=self._request.hidden_labels),
            "map": figure(
                overview(self.shown, window=self.window, width=self._request.width, palette=self.palette),
                self.palette,
                hidden=True,
            ),
            "patterns": self.palette.definitions(),
            "low": low,
            "high": high,
            "of": self.look.alignments,
        }

    def view(self) -> dict[str, Json]:
        """Return the window of the document, and the card of the selected unitary alignment."""
        window = self.window
        at = self.at
        card = None if at is None else self.look.card(at)
        reading = draw(self.shown, window=window, width=self._request.width, palette=self.palette, selected=at)
        return {
            "from": window[0],
            "to": window[1],
            "at": at,
            "words": sentences.window_bounds(window, self.source.length_unit),
            "reading": reading,
            "card": "" if card is None else self._render("card.html", card=card),
            "speech": "" if card is None else self._speech(card),
        }

    def results(self) -> dict[str, Json]:
        """Return the values of the document and of the corpus."""
        outcome = self.outcome
        return {
            "html": self._render("results.html", outcome=outcome),
            "corpus": outcome.headline,
            "labels": outcome.labels() if outcome.n_documents <= _MAX_LISTED_DOCUMENTS else {},
            "ending": outcome.ending,
            "notes": [] if outcome.result is None else [*outcome.result["notes"]],
        }

    def table(self) -> str:
        """Return the window as a table."""
        scene = self.shown
        (start, end) = self.window
        first, last = scene.bounds
        visible = ((first <= end) & (last >= start)).nonzero()[0].tolist()
        rows = [
            (i + 1, span(first[i], last[i]), scene.disorder[i], self._members(i)) for i in visible[:_MAX_TABLE_ROWS]
        ]
        return self._render("table.html", rows=rows, more=len(visible) - len(rows))

    def _members(self, group: int) -> list[str]:
        """Return the units of a unitary alignment in words."""
        units, groups = self.shown.members
        return [self.shown.describe(unit) for unit in sorted(units[groups == group].tolist())]

    def _render(self, template: str, **values: object) -> Markup:
        """Return a template filled with this view and further values."""
        return safe(environment(PACKAGE).get_template(template).render(view=self, **values))

    def _speech(self, card: Card) -> str:
        """Return the card as a text for screen readers."""
        head = (
            f"Alignment {card.local_number} of {card.n_alignments}. "
            f"Disorder {numbers.decimal(card.disorder)}: {card.sum or 'none'}."
        )
        return " ".join([head, *(self._lane_speech(lane) for lane in card.lanes)])

    def _lane_speech(self, lane: Lane) -> str:
        """Return a lane of the card in words for screen readers."""
        unit = lane.unit
        other_unit = lane.other_unit
        names = ", ".join(lane.annotators[:_MAX_SPOKEN_ANNOTATORS])
        n_unnamed = len(lane.annotators) - _MAX_SPOKEN_ANNOTATORS
        if n_unnamed > 0:
            names += f" and {n_unnamed} more"
        if unit is None and other_unit is not None:
            bounds = span(other_unit.start, other_unit.end)
            return f"{names}: other unit, {bounds}, {other_unit.category or 'no label'}."
        if unit is None:
            return f"{names}: nothing."
        text = self.look.scene.text
        words = span(unit.start, unit.end) if text is None else " ".join(text[int(unit.start) : int(unit.end)].split())
        return f"{names}: {shortened(words, 80)}, {unit.category or 'no label'}."

    # values for templates

    @property
    def sizes(self) -> str:
        """The size of the document."""
        continuum = self.look.scene.continuum
        low, high = continuum.extent
        unit = self.source.length_unit
        amount = numbers.decimal(high - low, 0 if float(high - low).is_integer() else 2)
        words = sentences.plural_length_unit(unit)
        if words != (unit or ""):
            length = f"{amount} {words}"
        elif unit:
            length = f"length {amount} ({unit})"
        else:
            length = f"length {amount}"
        annotators = counted(len(continuum.annotators), "annotator")
        return f"{annotators}, {numbers.counted(len(continuum), 'unit')}, {length}"

    @property
    def marks(self) -> tuple[str | None, ...]:
        """The labels of the document."""
        codes = {*self.look.scene.codes.tolist()}
        return tuple(mark for code, mark in enumerate(self.look.scene.marks) if code in codes)

    def reasons_bar(self) -> Markup:
        """Return a bar with the shares of reasons in the disorder of the document."""
        return safe(charts.parts_bar(self.look.disorder, width=_REASONS_WIDTH, palette=self.palette, hidden=True))

    def facts(self) -> list[tuple[str, str]]:
        """Return the quantities behind the values, with their names."""
        look = self.look
        gap = self.look.gap
        if not look.alignments:
            return [("unitary alignments", "none: " + ("one annotator alone" if len(look.scene) else "no units"))]
        facts = [*self.outcome.facts()] or [("observed", numbers.decimal(look.observed, 3))]
        return [
            *facts,
            ("unitary alignments", numbers.count(look.alignments)),
            ("no disorder at all", numbers.count(look.undisputed)),
            ("alignment", "proven optimal" if gap == 0 else f"not proven, gap {numbers.percent(gap)}"),
        ]
