"""The contents of the sections of a report, for the templates."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import chain
from typing import NamedTuple, TypedDict
from urllib.parse import quote

import numpy as np
from markupsafe import Markup

from gamma_align.columns import BoolArray
from gamma_align.data import short_names
from gamma_align.errors import PYTHON, Note, Surface, render
from gamma_align.inference import Value, column_of, rows_at
from gamma_align.insight.causes import Finding
from gamma_align.insight.disagreements import Disagreement, Disagreements, KindRow, PairRow, Share
from gamma_align.insight.disagreements import DocumentRow as DisputedDocument
from gamma_align.measures.gamma import DocumentResult, GammaValue
from gamma_align.measures.reference import KINDS
from gamma_align.present.citation import Citation, citation
from gamma_align.present.disagreements_text import SMALL_SILENCE, no_cause, spaces_only
from gamma_align.present.figures import charts
from gamma_align.present.figures.draw import draw
from gamma_align.present.figures.palette import Palette, label_order
from gamma_align.present.figures.scene import Scene
from gamma_align.present.page import deciding, numbers, sentences
from gamma_align.present.page.card_html import CardHtml, escaped
from gamma_align.present.page.cards import MAX_SEPARATE_LANES, Cards
from gamma_align.present.page.cases import Cases, all_cases, case_key, differing
from gamma_align.present.page.confusion import Confusion
from gamma_align.present.page.contents import Contents
from gamma_align.present.page.crowd import Crowd
from gamma_align.present.page.environment import MAX_NAME_LENGTH, environment, safe
from gamma_align.present.page.excerpt import NARROW_WIDTH, WIDE_WIDTH, Excerpt
from gamma_align.present.page.tables import MAX_ROWS, Folded, fold, stacked, value_html
from gamma_align.present.symbols import prefix_of

# Limits of the size of a page. The command line prints all rows.
_MAX_CARDS = 2_000  # of a report: examples of each kind and the worst disagreements
_MAX_LANES = 8_000  # of all cards; many annotators allow fewer cards
_MAX_SHOWN_KINDS = 5  # of disagreements; the others unfold
_MAX_KINDS = 45  # shown or folded
_MAX_EXCERPTS = 2  # documents of which a part is drawn
_EXCERPT_CHARACTERS = 800.0  # length of the part of a document with a text
_EXCERPT_ALIGNMENTS = 40  # approximate number of unitary alignments in the part of a document without a text
# Widths of drawings in pixels
_WIDE_STRIP_WIDTH = 640.0
_DOT_WIDTH = 240.0
_DISORDER_WIDTH = 120.0
_SHARE_WIDTH = 140.0
_WHOLE_BAR_HEIGHT = 18.0
_NEARLY_ALL_SHARE = 0.9  # of the disorder of a pattern: "nearly all of it"
_MAX_AXIS_LOW = 0.9  # the axis of γ shows at least a tenth


class _Finding(NamedTuple):
    """A cause to settle, with its number on the page and its strip of density if it has one."""

    number: int
    cause: Finding
    strip: tuple[Markup, Markup] | None


class DocumentRow(NamedTuple):
    """A document in the table: its printed name, its values, its disorder, their drawings, and all that is measured."""

    name: str
    gamma: GammaValue
    gamma_cat: GammaValue
    row: DisputedDocument
    dot: Markup
    bar: Markup
    measured: Callable[[], DocumentResult]


class _CaseList(TypedDict):
    """A list of cases as the script of the page reads it: `of` is their number, `cards` those that have a card."""

    title: str
    of: int
    cards: list[int]


@dataclass
class Sections:
    """The contents of the sections as the templates use them: charts, links to cases, rows of tables.

    `linked` has the numbers of the cards behind each link, `footnotes` the numbers of reasons. Both grow as the
    templates are rendered. If the report is served, links lead to the documents, and cards are requested by list.
    """

    report: Contents
    is_served: bool = False
    surface: Surface = PYTHON
    decided_formats: Sequence[tuple[str, str]] = ()
    """Names and descriptions of the formats in which the web interface offers the decided corpus."""
    linked: dict[str, list[int]] = field(default_factory=dict)
    footnotes: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.result: Disagreements = self.report.disagreements
        self.palette = Palette(label_order(self.result.corpus), in_page=True)
        self.numbers = numbers
        self.sentences = sentences
        self.small_silence = SMALL_SILENCE
        self.stacked = stacked
        self.value = value_html

    def render(self, template: str, **values: object) -> str:
        """Return a template with the contents of the report."""
        return environment().get_template(template).render(view=self, report=self.report, result=self.result, **values)

    def body(self) -> str:
        """Return the sections of the report without a page around them."""
        return self.render("body.html")

    @property
    def definitions(self) -> Markup:
        """The SVG patterns that the charts refer to."""
        return safe(self.palette.definitions())

    @property
    def sections(self) -> list[tuple[str, str]]:
        """The identifiers of the sections and their names in the navigation."""
        names = {"agreement": "Agreement", "reference": "Reference", "models": "Models", "ceiling": "Ceiling"}
        names |= {"settle": "What to settle", "annotators": "Annotators", "labels": "Labels", "documents": "Documents"}
        names |= {"words": "Words" if self.result.words else "Lengths", "cards": "Disagreements", "cite": "Cite"}
        absent = [] if self.report.evaluation else ["reference"]
        absent += [] if self.report.replacement else ["models"]
        absent += [] if self.report.ceilings else ["ceiling"]
        absent += [] if self.result.disagreements else ["settle", "words", "cards"]
        absent += [] if self.result.categories else ["labels"]
        return [(section, name) for section, name in names.items() if section not in absent]

    @property
    def prefix(self) -> str:
        """The prefix of γ: "soft-" if a unit may be in several unitary alignments, else an empty text."""
        return prefix_of(self.report.headline.settings)

    @property
    def is_imprecise(self) -> bool:
        """Whether the requested precision was missed."""
        return numbers.is_imprecise(self.report.headline, self.report.headline.gamma)

    @property
    def has_one_label(self) -> bool:
        """Whether the corpus has no two labels that can be confused."""
        return len(self.result.categories) <= 1

    # decisions

    @property
    def can_decide(self) -> bool:
        """Whether decisions can be made: not if annotators have other names than in the data."""
        return not self.report.anonymous

    def facts(self, cause: Finding) -> str:
        """Return a finding as a decision names it, in JSON."""
        return deciding.facts(cause)

    def readers(self, cause: Finding) -> str:
        """Return the annotators whose reading of a finding may hold, in JSON."""
        return deciding.readers_of_finding(cause, self.result.corpus.annotators)

    # links and cards

    @cached_property
    def _cases(self) -> dict[str, Cases]:
        return all_cases(self.result, self.report.evaluation)

    @cached_property
    def stored(self) -> dict[int, Disagreement]:
        """The disagreements with a card in the report, by number, the worst first."""
        rows = self.result.disagreements
        if self.is_served:
            return {row.number: row for row in rows}
        kinds = self.kinds()
        # An example stands for its kind, so it has a card even if it is not among the worst.
        examples = [kind.example for _, kind in (*kinds.shown, *kinds.folded)]
        n_lanes = min(int(self.result.corpus.n_annotators.max(initial=1)), MAX_SEPARATE_LANES)
        n_worst = max(min(_MAX_CARDS, _MAX_LANES // n_lanes) - len(examples), 0)
        numbers = np.array(column_of(rows, "number"), dtype=np.int64)
        is_selected = np.isin(numbers, examples)
        is_selected[:n_worst] = True
        return {row.number: row for row in rows_at(rows, np.flatnonzero(is_selected))}

    @cached_property
    def _is_stored(self) -> BoolArray:
        """Whether each unitary alignment has a card in the report."""
        is_stored = np.zeros(self.result.alignments, dtype=np.bool_)
        is_stored[[*self.stored]] = True
        return is_stored

    def cases(self, *names: str | None) -> str | None:
        """Return the key of the list of cases that a count links to, or None if none of them has a card."""
        key = case_key(*(name or "" for name in names))
        if self._cases_of(key) is None:
            return None
        # The page stores only the lists that a count links to.
        if key not in self.linked:
            numbers = self._cases[key].numbers
            self.linked[key] = numbers[self._is_stored[numbers]].tolist()
        return key if self.linked[key] else None

    def linked_count(self, text: str, names: Sequence[str | None]) -> str:
        """Return a count as a link to its cases, if they have cards; for `names` see `cases`."""
        key = self.cases(*names)
        return text if key is None else self.link(key, text)

    def link(self, key: str, text: str) -> Markup:
        """Return a link to a list of cases."""
        href = quote(key, safe="/")
        return safe(f'<a class="cases" href="#{href}" data-cases="{escaped(key)}">{escaped(text)}</a>')

    def with_places(self, text: str, names: Sequence[str | None]) -> str:
        """Return a count of units, and below it a link to their places."""
        key = self.cases(*names)
        if key is None:
            return text
        return safe(f"{escaped(text)}<small>{self.link(key, numbers.counted(self.n_cases(key), 'place'))}</small>")

    def document(self, name: str, text: str) -> str:
        """Return the name of a document as it is printed; served, it is a link to its annotations."""
        return safe(f'<a data-document="{escaped(name)}">{escaped(text)}</a>') if self.is_served else text

    def _cases_of(self, key: str) -> Cases | None:
        """Return a list of cases, or None; the lists of pairs of a crowd are made if one asks for them."""
        if key not in self._cases and key in self.crowd.pairs:
            first, second = self.crowd.pairs[key]
            rows = differing(self._disagreements_of_pairs[first], first, second)
            self._cases[key] = Cases(f"{first} and {second} differ", np.array([*rows], dtype=np.int64))
        return self._cases.get(key)

    @cached_property
    def _disagreements_of_pairs(self) -> dict[str, list[Disagreement]]:
        """The disagreements of documents that each annotator of the shown pairs saw."""
        rows: dict[str, list[Disagreement]] = {name: [] for name in chain.from_iterable(self.crowd.pairs.values())}
        for row in self.result.disagreements:
            for name in rows.keys() & {*row.absent, *(unit.annotator for unit in row.units)}:
                rows[name].append(row)
        return rows

    def n_cases(self, key: str) -> int:
        """Return the number of cases in a list."""
        return len(self._cases[key].numbers)

    def listed_cards(self, key: str, first: int, count: int) -> tuple[str, int, str]:
        """Return the title and the number of cases of a list, and some of their cards; of an unknown key, no cases."""
        cases = self._cases_of(key) or Cases("", np.zeros(0, dtype=np.int64))
        cards = map(self.card, cases.numbers[first : first + count].tolist())
        return cases.title, len(cases.numbers), "".join(cards)

    @property
    def lists(self) -> dict[str, _CaseList]:
        """The linked lists of cases by key, for the script of the page."""
        return {
            key: {"title": self._cases[key].title, "of": self.n_cases(key), "cards": cards}
            for key, cards in sorted(self.linked.items())
        }

    @cached_property
    def _cards(self) -> Cards:
        return Cards(self.result, text=self.report.text != "none", reference=self.report.reference)

    @cached_property
    def markup(self) -> CardHtml:
        """The HTML of chips and cards."""
        return CardHtml(self.palette, bar=self._card_bar, is_linked=self.is_served, can_decide=self.can_decide)

    def card(self, number: int, foot: str = "") -> Markup:
        """Return the card of a disagreement; `foot` is the HTML of its last line."""
        return safe(self.markup.card(self._cards.card(self.stored[number]), foot))

    def store(self) -> Iterator[Markup]:
        """Yield all cards of the report, each as a template for the script of the page."""
        # One by one: the texts of all cards would be copied three times, and a large report has 6 MB of them.
        for number, row in self.stored.items():
            yield safe(f'<template data-card="{number}">{self.markup.card(self._cards.card(row))}</template>')

    def chip(self, label: str | None) -> Markup:
        """Return a label on its colour."""
        return self.markup.chip(label)

    def kinds(self) -> Folded[tuple[int, KindRow]]:
        """Return the kinds of disagreements with their indices, by disorder; the largest of each reason is shown."""
        kinds = list(enumerate(self.result.kinds))
        # In reverse order, the first kind of each reason overwrites the later ones.
        largest = {kind.reason: index for index, kind in reversed(kinds)}.values()
        shown = sorted([*largest, *(index for index, _ in kinds if index not in largest)][:_MAX_SHOWN_KINDS])
        ordered = [*(kinds[index] for index in shown), *(entry for entry in kinds if entry[0] not in shown)]
        return fold(ordered, _MAX_SHOWN_KINDS, _MAX_KINDS)

    # pairs of many annotators

    @cached_property
    def crowd(self) -> Crowd:
        """The pairs of more annotators than γ is measured for; a report for one annotator compares nobody."""
        return Crowd(self.result, None if self.is_served else self.stored, is_wanted=self.report.annotator is None)

    # charts

    def scale(self, width: float) -> Markup:
        """Return the drawing of γ and its interval on a scale."""
        gamma = self.report.headline.gamma
        return safe(
            charts.value_scale(
                *(gamma.value, gamma.low, gamma.high),
                palette=self.palette,
                threshold=self.report.asked,
                is_band=len(self.report.headline.documents) > 1,
                is_precise=not self.is_imprecise,
                width=width,
            )
        )

    def _parts(self, disorder: Share, width: float, scale: float) -> str:
        """Return the bar of the parts of a disorder; `scale` is in pixels per disorder."""
        return charts.parts_bar(disorder, width=width, palette=self.palette, scale=scale, hidden=True)

    def _card_bar(self, disorder: Share) -> str:
        """Return the bar of a card, as long as its disorder: a Δ is half of the width."""
        # A Δ of 0 gives no scale.
        delta = self.result.gamma.settings["delta_empty"] or 1.0
        return self._parts(disorder, _DISORDER_WIDTH, _DISORDER_WIDTH / 2 / delta)

    def share_bar(self, disorder: Share, max_share: float) -> Markup:
        """Return the bar of a row, as long as its share of the disorder; `max_share` has the full width."""
        # A row does not contain the total disorder, which follows from its share.
        total = disorder.disorder / disorder.share if disorder.share else 1.0
        return safe(self._parts(disorder, _SHARE_WIDTH, _SHARE_WIDTH / (max_share * total) if max_share else 1.0))

    def whole_bar(self, width: float) -> Markup:
        """Return the bar of the disorder of all unitary alignments."""
        return safe(charts.parts_bar(self.result.disorder, width=width, height=_WHOLE_BAR_HEIGHT, palette=self.palette))

    def marked_bar(self, n_marked: int, n_occurrences: int, name: str) -> Markup:
        """Return the bar of the occurrences of words that an annotator marked."""
        return safe(charts.marked_bar(n_marked, n_occurrences, palette=self.palette, name=name))

    # sections

    def findings(self) -> list[_Finding]:
        """Return the causes to settle."""
        return [
            _Finding(number, finding, self._strip(finding)) for number, finding in enumerate(self.result.to_settle, 1)
        ]

    def _strip(self, finding: Finding) -> tuple[Markup, Markup] | None:
        """Return the density of units along a document of which a part is silent, for wide and narrow pages."""
        if finding.kind != "silence" or finding.stretch is None:
            return None
        (document,) = finding.documents
        is_before = finding.direction == "before"
        draw_strip = partial(
            charts.density_strip,
            self.result.corpus[document],
            cut=finding.stretch[1 if is_before else 0],
            annotator=finding.annotator,
            side="before" if is_before else "after",
            length_unit=sentences.plural_length_unit(self.result.corpus.length_unit).removesuffix("s"),
            palette=self.palette,
        )
        return safe(draw_strip(width=_WIDE_STRIP_WIDTH)), safe(draw_strip(width=NARROW_WIDTH))

    @property
    def no_cause(self) -> list[str]:
        """The sentences that no cause was found."""
        lines = [line.strip().removeprefix("What to settle: ") for line in no_cause(self.result)]
        return [f"{line[:1].upper()}{line[1:]}" for line in lines]

    @property
    def spaces_only(self) -> list[str]:
        """The notes on bounds that differ only by white space and punctuation."""
        return [self.note(note) for note in spaces_only(self.result)]

    def note(self, note: str) -> str:
        """Return a note in the language of the surface; its cure names an option, so a served page shows the cause."""
        return note.cause if self.is_served and isinstance(note, Note) else render(note, self.surface)

    def places(self, number: int) -> str:
        """Return the number of places of a cause in words."""
        return numbers.counted(self.n_cases(case_key("s", str(number))), "place")

    @property
    def removed(self) -> float:
        """The share of the disorder that settling all causes removes."""
        return math.fsum(finding.share for finding in self.result.to_settle)

    def documents(self) -> Folded[DocumentRow]:
        """Return the documents by share of the disorder, the largest first; of equal ones the lowest γ first."""
        rows = {row.document: row for row in self.result.documents}
        # Only the columns of the table are made into objects: γk of each document is not shown.
        results = self.result.gamma.documents
        documents, gamma, gamma_cat = (column_of(results, name) for name in ("document", "gamma", "gamma_cat"))
        values = np.array(column_of(gamma, "value"))
        low = min(values[np.isfinite(values)].tolist(), default=0.0)
        # The rows and the axis are drawn later, all with this lower end.
        self.axis_low = min(math.floor(low * 10) / 10, _MAX_AXIS_LOW)
        max_share = max((row.disorder.share for row in rows.values()), default=0.0)
        shares = np.array([rows[name].disorder.share for name in documents])
        # Values that are not available come last.
        order = np.lexsort((values, -shares))[:MAX_ROWS]
        names = short_names((documents[index] for index in order.tolist()), MAX_NAME_LENGTH)
        drawn = (
            self._document(names[name], rows[name], value, value_cat, max_share, partial(results.__getitem__, index))
            for name, value, value_cat, index in zip(
                names, rows_at(gamma, order), rows_at(gamma_cat, order), order.tolist(), strict=True
            )
        )
        # Rows beyond the limit are not drawn, but they count.
        return fold(drawn)._replace(total=len(results))

    def _document(
        self,
        name: str,
        row: DisputedDocument,
        gamma: GammaValue,
        gamma_cat: GammaValue,
        max_share: float,
        measured: Callable[[], DocumentResult],
    ) -> DocumentRow:
        """Return a row of the table of documents with its drawings."""
        dot = charts.dot_row(
            *(gamma.value, gamma.low, gamma.high),
            axis_low=self.axis_low,
            palette=self.palette,
            reference=float(self.result.gamma.gamma),
            width=_DOT_WIDTH,
        )
        return DocumentRow(name, gamma, gamma_cat, row, safe(dot), self.share_bar(row.disorder, max_share), measured)

    def short(self, value: Value) -> str:
        """Return a value of a document, or NA with the number of the footnote that has the reason."""
        if value.reason is None:
            return numbers.decimal(value.value, 3)
        footnote = self.footnotes.setdefault(value.reason, len(self.footnotes) + 1)
        return safe(f'<span class="soft">NA</span> <sup>{footnote}</sup>')

    def axis(self) -> Markup:
        """Return the axis of the documents' dots."""
        return safe(charts.dot_axis(self.axis_low, palette=self.palette, width=_DOT_WIDTH))

    @cached_property
    def excerpts(self) -> list[Excerpt]:
        """Parts of the two documents with the largest share of the disorder, where the disorder is densest."""
        return [self._excerpt(row.document) for row in self.result.documents[:_MAX_EXCERPTS] if row.disputed]

    def _excerpt(self, document: str) -> Excerpt:
        """Return the part of a document with the densest disorder."""
        scene = Scene.of_disagreements(self.result, document)
        window = scene.densest_part(_EXCERPT_CHARACTERS, _EXCERPT_ALIGNMENTS)
        return Excerpt.of(document, scene, window, self.result.corpus.length_unit, self.palette)

    def whole_documents(self) -> Iterator[tuple[str, Markup]]:
        """Yield the name and the full drawing of each document with a text, if the report shows full texts."""
        corpus = self.result.corpus
        if self.report.text != "full" or corpus.texts is None:
            return
        for document, text in zip(corpus.documents, corpus.texts, strict=True):
            if text is not None:
                scene = Scene.of_disagreements(self.result, document)
                yield document, safe(draw(scene, width=WIDE_WIDTH, palette=self.palette))

    # annotators and labels

    @cached_property
    def n_units(self) -> dict[str, int]:
        """The number of units of each annotator."""
        return {row.annotator: row.units for row in self.result.annotators}

    @cached_property
    def with_others(self) -> dict[str, Value]:
        """γ of each annotator with the others."""
        return {row.annotator: row.gamma for row in self.result.with_others}

    @cached_property
    def pairs(self) -> dict[tuple[str, str], PairRow]:
        """The pairs of annotators by their names, in both orders."""
        pairs = {(row.first, row.second): row for row in self.result.pairs}
        return pairs | {(second, first): row for (first, second), row in pairs.items()}

    @cached_property
    def common_documents(self) -> int | None:
        """The number of documents that each two annotators share, or None if it is not the same for all pairs."""
        n_annotators = len(self.result.corpus.annotators)
        sizes = {row.documents for row in self.result.pairs}
        # Annotators without a common document are not among the pairs.
        is_complete = len(self.result.pairs) == n_annotators * (n_annotators - 1) // 2
        return sizes.pop() if len(sizes) == 1 and is_complete else None

    def in_order(self, first: str, second: str) -> list[str]:
        """Return two names in the order in which keys of cases have them."""
        return sorted((first, second))

    def confusion(self) -> Confusion:
        """Return the table of confusion."""
        return Confusion.of(self.result, self.palette.labels)

    def n_label_units(self, label: str | None) -> dict[str, int]:
        """Return the number of units with a label of each annotator."""
        corpus = self.result.corpus
        code = -1 if label is None else corpus.categories.index(label)
        counts = np.bincount(corpus.annotator[corpus.category == code], minlength=len(corpus.annotators))
        return dict(zip(corpus.annotators, counts.tolist(), strict=True))

    @property
    def evaluation_kinds(self) -> tuple[str, ...]:
        """The counts of an evaluation that link to cases: all kinds of errors."""
        return tuple(kind for kind in KINDS if kind != "correct")

    @cached_property
    def citation(self) -> Citation:
        """The sentence, method and BibTeX of the headline."""
        return citation(self.report.headline)
