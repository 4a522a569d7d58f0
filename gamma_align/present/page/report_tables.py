"""The tables of the sections of a report: which columns they have, and how the page shows these."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from markupsafe import Markup

from gamma_align.insight.disagreements import (
    AnnotatorRow,
    CategoryRow,
    ConfusionRow,
    DirectedRow,
    LeftOut,
    LengthRow,
    WordsRow,
)
from gamma_align.insight.replacement import ModelResult, Replacement
from gamma_align.measures.reference import Evaluation, SystemScore
from gamma_align.present import disagreements_tables as declared
from gamma_align.present.gamma_tables import document_columns
from gamma_align.present.page import numbers
from gamma_align.present.page.environment import short_name
from gamma_align.present.page.sections import DocumentRow, Sections
from gamma_align.present.page.tables import AnyRow, PageTable, Style, fold, stacked, value_html

MAX_LABELS = 24  # rows of the tables of labels and of lengths, which do not unfold
_MAX_WORDS_COLUMNS = 5  # annotators with a column in the table of words
_MAX_LABELS_COLUMNS = 3  # annotators with a column in the table of labels
_MATCHES = ("strict", "partial", "type")  # whose F1 the report shows
_SORTED_BY_NUMBER = Markup(' data-sort="number"')


class ReportTables:
    """The tables of a report."""

    max_labels = MAX_LABELS

    def __init__(self, view: Sections) -> None:
        self._view = view
        self._result = view.result
        self._annotators = view.result.corpus.annotators

    def documents(self) -> PageTable[DocumentRow]:
        """Return the documents with their γ, the largest share of the disorder first."""
        view = self._view
        rows = view.documents()
        styles = {
            "document": Style(
                html=lambda row: view.document(row.row.document, row.name),
                title=lambda row: row.row.document,
                head_attributes=Markup(' data-sort="text"'),
            ),
            "units": Style(html=lambda row: numbers.count(row.row.units), head_attributes=_SORTED_BY_NUMBER),
            "dot": Style(
                Markup('<span class="unseen">{}γ on a scale</span>{}').format(view.prefix, view.axis()),
                lambda row: row.dot,
                "dot-plot",
            ),
            "gamma": Style(
                f"{view.prefix}γ",
                lambda row: view.short(row.gamma),
                data=lambda row: row.gamma.value,
                head_attributes=_SORTED_BY_NUMBER + Markup(' data-first="ascending"'),
            ),
            "gamma_cat": Style(
                Markup("{}γ<sub>cat</sub>").format(view.prefix),
                lambda row: view.short(row.gamma_cat),
                head_attributes=_SORTED_BY_NUMBER,
            ),
            "disputed": Style(
                html=lambda row: self._linked(row.row.disputed, "d", row.row.document),
                head_attributes=_SORTED_BY_NUMBER,
            ),
            "share": Style(
                "Share of the disorder",
                data=lambda row: row.row.disorder.share,
                head_attributes=_SORTED_BY_NUMBER + Markup(' aria-sort="descending"'),
            ),
            "reason": Style("Reason", lambda row: row.bar),
        }
        disputed = declared.documents_table(self._result).columns
        columns = [
            *(column.for_part(lambda row: row.row) for column in disputed),
            *(column.for_part(lambda row: row.measured()) for column in document_columns(prefix=view.prefix)),
        ]
        return PageTable("Documents", columns, styles, rows, noun="documents", css="sortable")

    def annotators(self) -> PageTable[AnnotatorRow]:
        """Return the annotators, by disorder."""
        styles = {
            "annotator": self._name_style("Annotator", "annotator"),
            "documents": Style(),
            "units": Style(),
            "expected_units": Style("Expected from the others"),
            "marks_alone": Style(html=lambda row: self._linked(row.marks_alone, "alone", row.annotator)),
            "leaves_out_alone": Style(
                "Alone without one", lambda row: self._linked(row.leaves_out_alone, "without", row.annotator)
            ),
            "share": Style("Share of the disorder"),
        }
        crowd = self._view.crowd
        if crowd.is_shown:
            heading = "Mean disorder with one of the others"
            styles["with_others"] = Style(heading, lambda row: numbers.decimal(crowd.with_others[row.annotator]), "n")
        columns = declared.annotators_table(self._result).columns
        rows = fold(self._result.annotators)
        return PageTable("Annotators", columns, styles, rows, noun="annotators", css="people")

    def left_out(self) -> PageTable[LeftOut]:
        """Return γ without each annotator, and γ of each with the others."""
        prefix = self._view.prefix
        with_others = self._view.with_others

        def rest(row: LeftOut) -> object:
            is_missing = row.gamma.reason is not None
            return value_html(row.gamma) if is_missing else numbers.decimal(row.gamma.value, 3)

        styles = {
            "annotator": self._name_style("Left out", "annotator"),
            "gamma": Style(f"{prefix}γ of the rest", rest, "n"),
            "change": Style(html=lambda row: numbers.signed(row.change), css="n"),
            "with_others": Style(
                f"{prefix}γ with the others",
                lambda row: numbers.decimal(with_others[row.annotator].value, 3),
                "n",
            ),
        }
        columns = declared.left_out_table(self._result).columns
        return PageTable("Without each annotator", columns, styles, fold(self._result.left_out))

    def words(self) -> PageTable[WordsRow]:
        """Return the words that disagreements cover, by disorder."""
        rows = fold(self._result.words)
        styles = {
            "words": Style(html=lambda row: declared.short_words(row.words), css="quoted"),
            "disputed": Style(html=lambda row: self._linked(row.disputed, "w", row.words)),
            "occurrences": Style("of"),
        }
        if len(self._annotators) <= _MAX_WORDS_COLUMNS:
            styles |= {
                f"marked_{name}": self._column_of(name, partial(self._marked, name)) for name in self._annotators
            }
        styles |= self._share_styles(self._result.words[0].disorder.share)
        return PageTable("Words", declared.words_table(self._result).columns, styles, rows, noun="texts")

    def _marked(self, name: str, row: WordsRow) -> Markup:
        return self._view.marked_bar(row.marked.get(name, 0), row.occurrences, name)

    def lengths(self) -> PageTable[LengthRow]:
        """Return labels by length of the units."""
        rows = self._result.lengths
        styles = {
            "category_label": self._label_style("Label", "category"),
            "length": Style(),
            "shortest": Style(html=lambda row: f"{row.shortest:.6g}"),
            "longest": Style(html=lambda row: f"{row.longest:.6g}"),
            "disputed": Style(html=lambda row: self._places(row.disputed, "n", row.category, row.length)),
            "units": Style("of"),
            **self._share_styles(rows[0].disorder.share if rows else 0.0),
        }
        columns = declared.lengths_table(self._result).columns
        return PageTable("Labels and lengths", columns, styles, fold(rows[:MAX_LABELS], MAX_LABELS))

    def labels(self) -> PageTable[CategoryRow]:
        """Return the labels with γk."""
        gamma_k = self._result.gamma.gamma_k

        def gamma_k_of(row: CategoryRow) -> object:
            if self._view.has_one_label:
                return Markup('<span class="soft small">only one label: nothing to confuse</span>')
            value = None if row.category is None else gamma_k.get(row.category)
            return "" if value is None else value_html(value)

        def pairs(row: CategoryRow) -> str:
            value = None if row.category is None else gamma_k.get(row.category)
            return "" if value is None else numbers.count(value.pairs)

        styles = {
            "category_label": self._label_style("Label", "category"),
            "units": Style(),
            "disputed": Style(html=lambda row: self._places(row.disputed, "l", row.category)),
        }
        if len(self._annotators) <= _MAX_LABELS_COLUMNS:
            styles |= {
                f"units_{name}": self._column_of(name, partial(self._label_units, name), "n")
                for name in self._annotators
            }
        styles["gamma_k"] = Style(Markup("{}γ<sub>k</sub>").format(self._view.prefix), gamma_k_of, "value")
        styles["pairs"] = Style("Pairs", pairs, "n")
        rows = fold(self._result.categories[:MAX_LABELS], MAX_LABELS)
        return PageTable("Labels", declared.categories_table(self._result).columns, styles, rows)

    def _label_units(self, name: str, row: CategoryRow) -> str:
        return numbers.count(self._view.n_label_units(row.category)[name])

    def directed(self) -> PageTable[DirectedRow]:
        """Return the rows in which an annotator has another label than the others, the most frequent first."""
        table = declared.directed_table(self._result)
        name = self._view.report.annotator
        rows = (row for row in table.rows if name is None or row.annotator == name)

        def share(row: DirectedRow) -> Markup:
            texts = map(numbers.percent, (row.share, row.low, row.high))
            return Markup("{}<small>{} to {}</small>").format(*texts)

        styles = {
            "annotator": self._name_style("Annotator", "annotator"),
            "label_of_others": self._label_style("Most of the others say", "label_of_others"),
            "label": self._label_style("The annotator says", "label"),
            "pairs": Style(
                "Units", lambda row: self._linked(row.pairs, "x", row.annotator, row.label_of_others, row.label)
            ),
            "total": Style("of"),
            "share": Style("Share, 95 % interval", share),
        }
        return PageTable("Each annotator against the others", table.columns, styles, fold(rows))

    def label_pairs(self) -> PageTable[ConfusionRow]:
        """Return each two labels that aligned units have, the most frequent first."""
        view = self._view
        table = declared.confusion_table(self._result)

        def ratio(row: ConfusionRow) -> Markup:
            texts = map(numbers.decimal, (row.pairs / row.expected, row.low, row.high))
            return Markup("{}<small>{} to {}</small>").format(*texts)

        def places(row: ConfusionRow) -> object:
            key = view.cases("c", *view.in_order(row.first or "", row.second or ""))
            return "" if key is None else view.link(key, numbers.counted(view.n_cases(key), "place"))

        styles = {
            "labels": Style("Labels", lambda row: Markup("{} {}").format(view.chip(row.first), view.chip(row.second))),
            "pairs": Style("Aligned pairs"),
            "expected": Style("If independent"),
            "ratio": Style("Ratio, 95 % interval", ratio, "n"),
            "places": Style("Places", places, "n"),
        }
        label = "Pairs of labels against independence"
        return PageTable(label, table.columns, styles, fold(table.rows), noun="pairs")

    def models(self, replacement: Replacement) -> PageTable[ModelResult]:
        """Return the models in the place of people."""
        from gamma_align.present.replacement_tables import models_table

        styles = {
            "model": self._name_style("Model", "model"),
            "instances": Style("Documents"),
            "standing": Style("Standing: nearer to the people than", _standing, ""),
            "rho": Style("ρ, documents not lost", css="n"),
            "omega": Style("ω, people it could replace", _omega, "n"),
            "change": Style("In the place of a person, F1 changes by", _change),
        }
        return PageTable("Models", models_table(replacement).columns, styles, fold(replacement.models))

    def evaluation(self, evaluation: Evaluation) -> PageTable[SystemScore]:
        """Return the annotators and systems against the reference."""
        from gamma_align.present.evaluation_tables import counts_table, f1_table

        prefix = self._view.prefix
        symbols = {"gamma": f"{prefix}γ", "gamma_cat": Markup("{}γ<sub>cat</sub>").format(prefix), "u": "uα"}

        def agreement(name: str, row: SystemScore) -> object:
            return stacked(row.agreement[name]) if name in row.agreement else ""

        def errors(kind: str, row: SystemScore) -> object:
            return self._linked(row.counts[kind], "e", row.system, kind)

        styles = {
            "system": self._name_style("Annotator or system", "system"),
            "units": Style(),
            **{f"{match}_f1": Style(f"{match.capitalize()} F1", css="n") for match in _MATCHES},
            **{name: Style(symbol, partial(agreement, name), "n") for name, symbol in symbols.items()},
            **{kind: Style(html=partial(errors, kind)) for kind in self._view.evaluation_kinds},
        }
        columns = [*counts_table(evaluation).columns, *f1_table(evaluation).columns]
        return PageTable("Evaluation", columns, styles, fold(evaluation.systems))

    # columns

    def _name_style(self, heading: str, attribute: str) -> Style:
        """Return the style of a column of annotators."""

        def name(row: AnyRow) -> str:
            return str(getattr(row, attribute))

        return Style(heading, lambda row: short_name(name(row), self._annotators), title=name)

    def _label_style(self, heading: str, attribute: str) -> Style:
        return Style(heading, lambda row: self._view.chip(getattr(row, attribute)), "")

    def _column_of(self, annotator: str, html: Callable[[AnyRow], object], css: str = "") -> Style:
        """Return the style of a column that belongs to an annotator."""
        attributes = Markup(' dir="auto" title="{}"').format(annotator)
        return Style(short_name(annotator, self._annotators), html, css, head_attributes=attributes)

    def _share_styles(self, max_share: float) -> Mapping[str, Style]:
        """Return the styles of the share of the disorder, as a number and as a bar by reason."""
        return {
            "share": Style("Disorder"),
            "reason": Style("Reason", lambda row: self._view.share_bar(row.disorder, max_share)),
        }

    # links

    def _linked(self, count: int, *names: str | None) -> str:
        return self._view.linked_count(numbers.count(count), names)

    def _places(self, count: int, *names: str | None) -> str:
        return self._view.with_places(numbers.count(count), names)


def _standing(model: ModelResult) -> Markup:
    if model.standing.reason is not None:
        return _soft(model.standing.reason)
    text = f"{numbers.count(model.nearer_than)} of {numbers.count(model.n_people)} people"
    if not numbers.interval(model.standing):
        return Markup("{}").format(text)
    bounds = " to ".join(numbers.bounds(model.standing.low, model.standing.high))
    return Markup("{} <small>{} of them</small>").format(text, bounds)


def _omega(model: ModelResult) -> Markup:
    if model.omega.reason is not None:
        return _soft("NA")
    verdict = "passes" if model.passes else "fails"
    return Markup("{}<small>{}</small>").format(numbers.decimal(model.omega.value), verdict)


def _change(model: ModelResult) -> Markup:
    change = model.equivalence
    if change is None:
        return Markup("")
    if change.reason is not None:
        return _soft(change.reason)
    bounds = " to ".join(numbers.bounds(change.low, change.high))
    return Markup("{} <small>{}</small>").format(numbers.signed(change.difference), bounds)


def _soft(text: str) -> Markup:
    return Markup('<span class="soft">{}</span>').format(text)
