"""The page of a report: what its sections show, put into the templates."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np
from markupsafe import Markup

from gamma_align.data.wording import short_names
from gamma_align.inference.values import Value
from gamma_align.insight.disagreements.disagreements import Disagreement, Disagreements
from gamma_align.insight.disagreements.patterns import THRESHOLDS
from gamma_align.insight.disagreements.settle import ToSettle
from gamma_align.insight.disagreements.shares import DocumentRow, Share
from gamma_align.insight.disagreements.unitary_alignments import REASONS
from gamma_align.insight.disagreements.who_differs import PairRow
from gamma_align.measures.gamma.gamma_result import DocumentResult
from gamma_align.measures.reference.reference_options import KINDS
from gamma_align.present.citation import Citation, citation
from gamma_align.present.disagreements_text import spaces_only
from gamma_align.present.figures import charts
from gamma_align.present.figures.draw import draw
from gamma_align.present.figures.palette import Palette, label_order, palette_css
from gamma_align.present.figures.scene import Scene
from gamma_align.present.page import numbers, sentences
from gamma_align.present.page.cards import MOST_LANES, Card, Cards
from gamma_align.present.page.cases import all_cases, key_of
from gamma_align.present.page.contents import Contents
from gamma_align.present.page.environment import NAME_MOST, environment, safe, source
from gamma_align.version import __version__

SHOWN = 12
"""Rows of a table that are open; the others unfold."""
FOLDED = 2_000
"""Rows that a table has at most; more are in the tables of the command line."""
CARDS, LANES = 2_000, 8_000
"""Cards that a report holds at most, and their lanes: of more disagreements the worst, and examples of each kind."""
KINDS_SHOWN, KINDS_FOLDED = 5, 40
COLUMNS = 5
"""Annotators who have a column each in tables of words and labels."""
EXCERPTS, CHARACTERS, ALIGNMENTS = 2, 800.0, 40
"""Documents of which a part is drawn, and how much of each: so many characters, or about so many alignments."""
_BROAD, _NARROW = 1000.0, 340.0
LABELS = 12
"""Labels of the table of confusion; of more, those of most disorder."""
_DISORDER_WIDTH, _SHARE_WIDTH = 120.0, 140.0


def page(report: Contents) -> str:
    """Return the report as one HTML page, which needs nothing else."""
    view = _View(report)
    return (
        environment()
        .get_template("page.html")
        .render(
            view=view,
            report=report,
            result=report.disagreements,
            css=safe(palette_css() + source("base.css") + source("style.css")),
            script=safe(source("report.js")),
            version=__version__,
            key=key_of,
        )
    )


class _Folded(NamedTuple):
    """Rows of a table: those shown, those that unfold, and how many there are."""

    shown: Sequence[Any]
    folded: Sequence[Any]
    of: int

    @classmethod
    def of_rows(cls, rows: Iterable[Any], shown: int = SHOWN, most: int = FOLDED) -> _Folded:
        every = tuple(rows)
        return cls(every[:shown], every[shown:most], len(every))


class _Finding(NamedTuple):
    """A pattern to settle, with the examples or the strip of density that show it."""

    number: int
    pattern: ToSettle
    strip: tuple[Markup, Markup] | None
    reason: str


class Excerpt(NamedTuple):
    """A part of a document, drawn for wide and for narrow pages."""

    title: str
    wide: Markup
    narrow: Markup


class _DocumentRow(NamedTuple):
    """A document in the table: its name as it is printed, its values and its share of the disorder."""

    name: str
    result: DocumentResult
    row: DocumentRow
    dot: Markup
    bar: Markup


@dataclass
class _View:
    """What the templates ask for: charts, links to cases, rows of tables."""

    report: Contents
    linked: dict[str, list[int]] = field(default_factory=dict)
    footnotes: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.result: Disagreements = self.report.disagreements
        self.palette = Palette(label_order(self.result.corpus), in_page=True)
        self.numbers = numbers
        self.sentences = sentences

    @property
    def definitions(self) -> Markup:
        """The patterns that the charts refer to."""
        return safe(self.palette.definitions())

    @property
    def sections(self) -> list[tuple[str, str]]:
        """The sections with their headings in the navigation."""
        names = {"agreement": "Agreement", "reference": "Reference", "settle": "What to settle"}
        names |= {"words": "Words" if self.result.words else "Lengths", "cards": "Disagreements"}
        names |= {"documents": "Documents", "annotators": "Annotators", "labels": "Labels", "cite": "Cite"}
        absent = [] if self.report.evaluation else ["reference"]
        absent += [] if self.result.disagreements else ["settle", "words", "cards"]
        absent += [] if self.result.categories else ["labels"]
        return [(id_, name) for id_, name in names.items() if id_ not in absent]

    @property
    def is_imprecise(self) -> bool:
        """Whether the precision that was asked for was not reached."""
        return numbers.is_imprecise(self.report.headline, self.report.headline.gamma)

    @property
    def one_label(self) -> bool:
        """Whether there is nothing to confuse."""
        return len(self.result.categories) <= 1

    @property
    def few_people(self) -> bool:
        """Whether the table of words has a column for each annotator."""
        return len(self.result.corpus.annotators) <= COLUMNS

    @property
    def very_few_people(self) -> bool:
        """Whether the table of labels has a column for each annotator."""
        return len(self.result.corpus.annotators) <= COLUMNS // 2 + 1

    # links and cards

    @cached_property
    def _cases(self) -> dict[str, Any]:
        return all_cases(self.result, self.report.evaluation)

    @cached_property
    def stored(self) -> dict[int, Disagreement]:
        """The disagreements that the report has a card of, by number, the worst first."""
        rows = {row.number: row for row in self.result.disagreements}
        examples = [kind.example for part in self.kinds()[:2] for _, kind in part]
        lanes = min(int(self.result.corpus.n_annotators.max(initial=1)), MOST_LANES)
        most = min(CARDS, LANES // lanes) - len(examples)
        chosen = {*examples, *list(rows)[: max(most, 0)]}
        return {number: row for number, row in rows.items() if number in chosen}

    def cases(self, *names: str | None) -> str | None:
        """Return the key of a list of cases that a count links to; None where it has no card."""
        key = key_of(*(name or "" for name in names))
        if key not in self._cases:
            return None
        if key not in self.linked:
            self.linked[key] = [number for number in self._cases[key].numbers if number in self.stored]
        return key if self.linked[key] else None

    def n_cases(self, key: str) -> int:
        """Return how many cases a key has."""
        return len(self._cases[key].numbers)

    @property
    def lists(self) -> dict[str, Any]:
        """The lists of cases that are linked to: title, how many there are, and the cards of them."""
        return {
            key: {"title": self._cases[key].title, "of": self.n_cases(key), "cards": found}
            for key, found in sorted(self.linked.items())
        }

    @cached_property
    def _maker(self) -> Cards:
        return Cards(self.result, text=self.report.text != "none", reference=self.report.reference)

    def card(self, number: int) -> Card:
        """Return a card."""
        return self._maker.card(self.stored[number])

    def kinds(self) -> _Folded:
        """Return the kinds of disagreements, of most disorder first, the largest of each reason among those shown."""
        kinds = list(enumerate(self.result.kinds))
        largest = {kind.reason: index for index, kind in reversed(kinds)}.values()
        first = sorted([*largest, *(index for index, _ in kinds if index not in largest)][:KINDS_SHOWN])
        ordered = [*(kinds[index] for index in first), *(entry for entry in kinds if entry[0] not in first)]
        return _Folded.of_rows(ordered, KINDS_SHOWN, KINDS_SHOWN + KINDS_FOLDED)

    # charts

    def scale(self, width: float) -> Markup:
        """Return γ on its scale."""
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

    def parts(self, disorder: Share, width: float = _DISORDER_WIDTH, scale: float | None = None) -> Markup:
        """Return the bar of the parts of a disorder; 60 pixels are that of an empty unit in a card."""
        return safe(charts.parts_bar(disorder, width=width, palette=self.palette, scale=scale, hidden=True))

    def card_bar(self, disorder: Share) -> Markup:
        """Return the bar of a card, as long as its disorder: half of it is Δ."""
        delta = self.result.gamma.settings["delta_empty"] or 1.0
        return self.parts(disorder, _DISORDER_WIDTH, _DISORDER_WIDTH / 2 / delta)

    def share_bar(self, disorder: Share, most: float) -> Markup:
        """Return the bar of a row, as long as its share of the disorder, `most` being the longest."""
        whole = disorder.disorder / disorder.share if disorder.share else 1.0
        return self.parts(disorder, _SHARE_WIDTH, _SHARE_WIDTH / (most * whole) if most else 1.0)

    def whole_bar(self, width: float) -> Markup:
        """Return the bar of the whole disorder."""
        return safe(charts.parts_bar(self.result.disorder, width=width, height=18.0, palette=self.palette))

    def marked(self, marked: int, of: int, name: str) -> Markup:
        """Return the bar of who marked how many of the occurrences of words."""
        return safe(charts.marked_bar(marked, of, palette=self.palette, name=name))

    # sections

    def findings(self) -> list[_Finding]:
        """Return what to settle."""
        return [
            _Finding(number, pattern, self._strip(pattern), self._reason(pattern))
            for number, pattern in enumerate(self.result.to_settle, 1)
        ]

    def _reason(self, pattern: ToSettle) -> str:
        part = {"labels": "category", "bounds": "position"}.get(pattern.rule)
        if part is not None:
            return f"all of it {part}"
        parts = self.result.parts[pattern.alignments].sum(axis=0)
        name = REASONS[int(np.argmax(parts))]
        amount = {True: "nearly all of it ", False: "most of it "}[bool(parts.max() > 0.9 * parts.sum())]
        units = "units" if name == "missing" else ""
        return f"{amount}{name} {units}".rstrip()

    def _strip(self, pattern: ToSettle) -> tuple[Markup, Markup] | None:
        """Return where the annotators of the document of a silence place units, for wide and narrow pages."""
        if pattern.rule != "silence" or pattern.document is None or pattern.boundary is None:
            return None
        draw_strip = partial(
            charts.density_strip,
            self.result.corpus[pattern.document],
            cut=pattern.boundary,
            annotator=pattern.annotator,
            side="before" if pattern.direction == "before" else "after",
            length_unit=sentences.length_words(self.result.corpus.length_unit).removesuffix("s"),
            palette=self.palette,
        )
        return safe(draw_strip(width=640.0)), safe(draw_strip(width=_NARROW))

    @property
    def spaces_only(self) -> list[str]:
        """A line on boundaries that differ by white space and punctuation alone, where there are some."""
        return spaces_only(self.result)

    def places(self, number: int) -> str:
        """Return in how many places a pattern is, among those that the report shows."""
        return numbers.counted(self.n_cases(key_of("s", str(number))), "place")

    @property
    def removed(self) -> float:
        """The share of the disorder that settling all patterns removes."""
        return math.fsum(pattern.counted for pattern in self.result.to_settle)

    def words(self) -> _Folded:
        """Return the rows of words."""
        return _Folded.of_rows(self.result.words)

    def documents(self) -> _Folded:
        """Return the documents, the largest share of the disorder first; of equal ones the lowest γ first."""
        rows = {row.document: row for row in self.result.documents}
        values = [row.gamma for row in self.result.gamma.documents if row.gamma.is_available]
        low = min((value.value for value in values), default=0.0)
        self.axis_low = min(math.floor(low * 10) / 10, 0.9) if math.isfinite(low) else 0.0
        most = max((row.disorder.share for row in rows.values()), default=0.0)
        ordered = sorted(
            self.result.gamma.documents,
            key=lambda row: (
                -rows[row.document].disorder.share,
                not row.gamma.is_available,
                row.gamma.value if row.gamma.is_available else 0.0,
            ),
        )
        names = short_names((row.document for row in ordered[:FOLDED]), NAME_MOST)
        shown = (self._document(names[row.document], row, rows[row.document], most) for row in ordered[:FOLDED])
        return _Folded.of_rows(shown)._replace(of=len(ordered))

    def _document(self, name: str, result: DocumentResult, row: DocumentRow, most: float) -> _DocumentRow:
        gamma = result.gamma
        dot = charts.dot_row(
            *(gamma.value, gamma.low, gamma.high),
            axis_low=self.axis_low,
            palette=self.palette,
            reference=float(self.result.gamma.gamma),
            width=240.0,
        )
        return _DocumentRow(name, result, row, safe(dot), self.share_bar(row.disorder, most))

    def footnote(self, reason: str) -> int:
        """Return the number of a reason among the footnotes of the table of documents."""
        return self.footnotes.setdefault(reason, len(self.footnotes) + 1)

    def axis(self) -> Markup:
        """Return the axis of the documents' dots."""
        return safe(charts.dot_axis(self.axis_low, palette=self.palette, width=240.0))

    @cached_property
    def excerpts(self) -> list[Excerpt]:
        """The two documents with the largest share of the disorder, drawn around most of it."""
        return [self._excerpt(row.document) for row in self.result.documents[:EXCERPTS] if row.disputed]

    def _excerpt(self, document: str) -> Excerpt:
        scene = Scene.of_disagreements(self.result, document)
        low, high = scene.continuum.extent
        known = scene.text is not None
        length = CHARACTERS if known else (high - low) * min(ALIGNMENTS / max(len(scene), 1), 1.0)
        window = scene.densest(length)
        # two decimals at most: the window is cut between units, not at one of them
        title = f"{document}, {sentences.of_window(window, self.result.corpus.length_unit)}"
        pictures = (draw(scene, window=window, width=width, palette=self.palette) for width in (_BROAD, _NARROW))
        return Excerpt(title, *map(safe, pictures))

    def whole_documents(self) -> Iterator[tuple[str, Markup]]:
        """Yield the documents drawn whole, where all of the text is wanted."""
        texts = self.result.corpus.texts or ()
        for document, text in zip(self.result.corpus.documents, texts, strict=False):
            if text is not None and self.report.text == "full":
                scene = Scene.of_disagreements(self.result, document)
                yield document, safe(draw(scene, width=_BROAD, palette=self.palette))

    # annotators and labels

    def people(self) -> _Folded:
        """Return the annotators, those of most disorder first."""
        return _Folded.of_rows(self.result.annotators)

    @cached_property
    def units_by(self) -> dict[str, int]:
        """How many units each annotator has."""
        return {row.annotator: row.units for row in self.result.annotators}

    @cached_property
    def with_others(self) -> dict[str, Value]:
        """γ of each annotator with the others."""
        return {row.annotator: row.gamma for row in self.result.with_others}

    @cached_property
    def pairs(self) -> dict[tuple[str, str], PairRow]:
        """The pairs of annotators, in either order."""
        return {names: row for row in self.result.pairs for names in (row[:2], row[1::-1])}

    @cached_property
    def common_documents(self) -> int | None:
        """How many documents each two annotators saw together, None where that is not one number."""
        n, sizes = len(self.result.corpus.annotators), {row.documents for row in self.result.pairs}
        return sizes.pop() if len(sizes) == 1 and len(self.result.pairs) == n * (n - 1) // 2 else None

    def stacked(self, value: Value) -> Markup:
        """Return a value and its interval, one below the other."""
        if value.reason is not None:
            return Markup('<span class="soft">NA<small>{}</small></span>').format(value.reason)
        interval = " ".join(filter(None, (numbers.interval(value, 2), value.interval_note)))
        small = Markup("<small>{}</small>").format(interval) if interval else ""
        return Markup("{}{}").format(numbers.decimal(value.value, 3), small)

    def in_order(self, first: str, second: str) -> list[str]:
        """Return two names in the order of keys."""
        return sorted((first, second))

    def confusion(self) -> dict[str, Any]:
        """Return the labels of the table of confusion, its counts, and how far chance would confuse."""
        labels = [row.category for row in self.result.categories][:LABELS]
        order = sorted(labels, key=lambda label: (label is None, self.palette.labels.index(label) if label else 0))
        counts: dict[tuple[str | None, str | None], int] = {}
        for row in self.result.confusion:
            counts[row.first, row.second] = counts[row.second, row.first] = row.pairs
        pairs = sum(row.pairs for row in self.result.confusion)
        differ = sum(row.pairs for row in self.result.confusion if row.first != row.second)
        units = np.array([row.units for row in self.result.categories], dtype=np.float64)
        by_chance = 1.0 - float(np.square(units / units.sum()).sum()) if units.sum() else math.nan
        return {
            "labels": order,
            "counts": counts,
            "pairs": pairs,
            "differ": differ,
            "by_chance": by_chance,
            "left_out": len(self.result.categories) - len(order),
        }

    def units_of(self, label: str | None) -> dict[str, int]:
        """Return how many units of a label each annotator has, of up to twelve."""
        corpus = self.result.corpus
        code = -1 if label is None else corpus.categories.index(label)
        counts = np.bincount(corpus.annotator[corpus.category == code], minlength=len(corpus.annotators))
        return dict(zip(corpus.annotators, counts.tolist(), strict=True))

    @property
    def evaluation_kinds(self) -> tuple[str, ...]:
        """The counts of an evaluation that have cases."""
        return tuple(kind for kind in KINDS if kind != "correct")

    @cached_property
    def citation(self) -> Citation:
        """The sentence, method and BibTeX of the headline."""
        return citation(self.report.headline)

    threshold = THRESHOLDS.share
