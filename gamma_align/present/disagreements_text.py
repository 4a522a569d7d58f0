"""Disagreements as text for people: what to settle, and tables that begin with the worst row; and as CSV."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from gamma_align.data.wording import counted, label_text, number, printable, span
from gamma_align.errors import Cure, Note, Set, render
from gamma_align.insight.disagreements.disagreement_tables import AnnotatorRow, KindRow, Share
from gamma_align.insight.disagreements.disagreements import Disagreement, Disagreements
from gamma_align.insight.disagreements.kinds import SPACES
from gamma_align.insight.disagreements.rules import THRESHOLDS
from gamma_align.insight.disagreements.settle import Example, ToSettle
from gamma_align.insight.disagreements.unitary_alignments import REASONS
from gamma_align.present.table import NEUTRAL, FormNames, further_by_option
from gamma_align.present.writers.data import csv_text
from gamma_align.present.writers.text import aligned_lines, blocks_text, percent

_LETTERS = 40
"""Longer words are cut."""
_wrapper = textwrap.TextWrapper(118, subsequent_indent="     ", break_long_words=False, break_on_hyphens=False)
_PARTS = ("missing", "position", "category")
_NOBODY_NAMED = "several"


def disagreements_text(result: Disagreements, rows: int = 10, form_names: FormNames = NEUTRAL) -> str:
    """Return what to settle, and so many rows of each table, the worst first."""
    notes = [render(note, form_names.surface) for note in spaces_only(result)]
    blocks = [_head(result), *_to_settle(result), notes]
    for title, header, table_rows, right in disagreement_tables(result):
        if not table_rows:
            continue
        shown = [[printable(cell) for cell in row] for row in table_rows[:rows]]
        left_out = len(table_rows) - rows
        more = ["  " + further_by_option(left_out)(form_names)] if left_out > 0 else []
        blocks.append([title, *aligned_lines([header, *shown], right=right, indent="  "), *more])
    return blocks_text(blocks)


def disagreements_csv(result: Disagreements) -> str:
    """Return a row for each unitary alignment with any disorder, the worst first."""
    columns = result.columns()
    return csv_text([list(columns), *zip(*columns.values(), strict=True)])


def _head(result: Disagreements) -> list[str]:
    whole, disputed = result.disorder, len(result.disagreements)
    every = counted(result.alignments, "unitary alignment")
    agreed = f"{result.alignments - disputed} of {every} without any disorder"
    lines = [f"γ {result.gamma.gamma}", agreed]
    if result.annotator is not None:
        name = printable(result.annotator)
        lines = [
            f"γ of all annotators {result.gamma.gamma}",
            f"{name} differs from more than half of the others in {disputed} of {every}; below are these alone",
        ]
    if disputed:
        shares = ", ".join(f"{name} {percent(getattr(whole, name) / whole.disorder)}" for name in _PARTS)
        lines.append(f"disorder {whole.disorder:.2f}: {shares}")
    return lines


def _to_settle(result: Disagreements) -> Iterable[list[str]]:
    """Yield a block for each pattern, or a line that there is none."""
    if not result.disagreements:
        return
    if not result.to_settle:
        yield no_pattern(result)
        return
    yield ["What to settle (γ with the disorder expected by chance held fixed)"]
    for index, pattern in enumerate(result.to_settle, 1):
        yield _pattern(index, pattern, float(result.gamma.gamma))


def no_pattern(result: Disagreements) -> list[str]:
    """Return what was looked for if nothing is to be settled, and what could not be looked for."""
    whose = "" if result.annotator is None else f" of {printable(result.annotator)}"
    lines = [f"What to settle: no pattern{whose} was found with {100 * THRESHOLDS.share:g} % of the disorder or more"]
    for entry in result.sought:
        begin = "looked for" if entry.reason is None else "not looked for"
        end = "" if entry.reason is None else f", because {entry.reason}"
        lines.append(f"  {begin}: {entry.pattern}{end}")
    return lines


def spaces_only(result: Disagreements) -> list[str]:
    """Return a note on boundaries that differ by white space and punctuation alone, with the cure."""
    kinds = [row for row in result.kinds if row.shape == SPACES]
    if not kinds:
        return []
    count, placed = sum(row.alignments for row in kinds), int((result.parts[:, REASONS.index("position")] > 0).sum())
    share = sum(row.disorder.position for row in kinds) / result.disorder.disorder
    verb = "is" if count == 1 else "are"
    differences = f"{count} of {counted(placed, 'difference')} in position {verb} of white space and punctuation alone"
    cause = f"{differences}, {100 * share:.2f} % of the disorder"
    return [Note(cause, Cure("{} cuts them", Set("trim", value=True)), separator=": ")]


def _pattern(index: int, pattern: ToSettle, gamma: float) -> list[str]:
    together = f"; with those above: {pattern.settled_together:.2f}" if index > 1 else ""
    worth = f"{percent(pattern.share)} of all disorder; settled: γ {gamma:.2f} → {pattern.settled:.2f}{together}"
    lines = [f"{index}  {pattern.title}", f"   {pattern.counts}"]
    lines += [f"     {_context(example)}" for example in pattern.examples]
    lines += [f"   {pattern.question}", f"   {worth}"]
    return [part for line in lines for part in _wrapper.wrap(printable(line))]


def _context(example: Example) -> str:
    place = f"{example.document}, {span(example.start, example.end)}"
    if example.text is None:
        return place
    text = example.text
    inside = f"{' ' * text[:1].isspace()}[{_cut(text)}]{' ' * text[-1:].isspace()}"
    words = " ".join(f"{example.before}{inside}{example.after}".split())
    return f"{place}: … {words} …"


def _cut(words: str) -> str:
    words = " ".join(words.split())
    return words if len(words) <= _LETTERS else f"{words[: _LETTERS // 2]}…{words[-_LETTERS // 2 + 1 :]}"


_Table = tuple[str, list[str], Sequence[list[str]], Sequence[int]]
"""Title, header and rows, and the columns that stand at the right."""


def disagreement_tables(result: Disagreements) -> Iterator[_Table]:
    """Yield the tables, some of them without rows."""
    yield from _tables_of_alignments(result)
    yield from _tables_of_annotators(result)
    yield from _tables_of_categories(result)


def _tables_of_alignments(result: Disagreements) -> Iterator[_Table]:
    yield (
        "Disagreements",
        ["disorder", *_PARTS, "document", "where", "units"],
        [_disagreement(row) for row in result.disagreements],
        (0, 1, 2, 3),
    )
    yield (
        "Kinds",
        ["number", *_SHARES, "reason", "shape", "categories", "without a unit"],
        [[str(row.alignments), *_shares(row.disorder), *_kind(row)] for row in result.kinds],
        range(5),
    )
    yield (
        "Words",
        ["words", "disputed", "of", *_SHARES, "marked by"],
        [
            [_cut(row.words), str(row.disputed), str(row.occurrences), *_shares(row.disorder), _marked(row.marked)]
            for row in result.words
        ],
        range(1, 7),
    )
    yield (
        "Documents",
        ["document", "units", "alignments", "disputed", *_SHARES],
        [_cells(row) for row in result.documents],
        range(1, 8),
    )


def _tables_of_annotators(result: Disagreements) -> Iterator[_Table]:
    yield (
        "Annotators",
        ["annotator", "documents", "units", "expected", "alone with a unit", "alone without", *_SHARES],
        [_annotator(row) for row in result.annotators],
        range(1, 10),
    )
    yield (
        "Without one of the annotators",
        ["annotator", "γ of the others", "change", "γcat of the others"],
        [[row.annotator, str(row.gamma), _signed(row.change), str(row.gamma_cat)] for row in result.left_out],
        (),
    )
    yield (
        "Pairs of annotators, from the lowest γ",
        ["annotator", "annotator", "documents", "differ in", "γ", "γcat"],
        [
            [row.first, row.second, str(row.documents), str(row.differ), str(row.gamma), str(row.gamma_cat)]
            for row in result.pairs
        ],
        (2, 3),
    )
    yield (
        "Each annotator with the others",
        ["annotator", "γ with the others"],
        [[row.annotator, str(row.gamma)] for row in result.with_others],
        (),
    )


def _tables_of_categories(result: Disagreements) -> Iterator[_Table]:
    yield (
        "Categories",
        ["category", "units", "disputed", *_SHARES],
        [[_label(row.category), *_cells(row)[1:]] for row in result.categories],
        range(1, 7),
    )
    yield (
        "Categories and lengths of units",
        ["category", "length", "from", "to", "units", "disputed", *_SHARES],
        [
            [_label(row.category), row.length, number(row.shortest), number(row.longest), *_cells(row)[4:]]
            for row in (() if result.words else result.lengths)
        ],
        range(2, 10),
    )
    apart = sorted((row for row in result.confusion if row.first != row.second), key=lambda row: -row.pairs)
    pairs = sum(row.pairs for row in result.confusion)
    yield (
        f"Categories that differ in aligned pairs of units ({counted(pairs, 'pair')} in all)",
        ["pairs", "category", "category"],
        [[str(row.pairs), _label(row.first), _label(row.second)] for row in apart],
        (0,),
    )


_SHARES = ("share", *_PARTS)


def _shares(disorder: Share) -> list[str]:
    """Return a share of all disorder, and its parts as shares of all too."""
    whole = disorder.disorder / disorder.share if disorder.share else 1.0
    return [percent(disorder.share), *(percent(getattr(disorder, name) / whole) for name in _PARTS)]


def _cells(row: Any) -> list[str]:  # noqa: ANN401  (a row of any of the tables)
    return [*map(str, row[:-1]), *_shares(row.disorder)]


def _annotator(row: AnnotatorRow) -> list[str]:
    expected = "NA" if row.expected_units is None else f"{row.expected_units:.1f}"
    counts = (row.documents, row.units, expected, row.marks_alone, row.leaves_out_alone)
    return [row.annotator, *map(str, counts), *_shares(row.disorder)]


def _signed(change: float) -> str:
    return "NA" if math.isnan(change) else f"{change:+.3f}"


def _label(label: str | None) -> str:
    return "(none)" if label is None else label_text(label)


def _marked(marked: dict[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in marked.items()) if len(marked) <= _NAMED else ""


_NAMED = 6
"""Of more annotators a table does not say who marked how many."""


def _disagreement(row: Disagreement) -> list[str]:
    parts = [f"{value:.2f}" if value else "" for value in row.disorder[1:4]]
    units = ", ".join(f"{unit.annotator} {_label(unit.category)}" for unit in row.units[:_NAMED])
    more = f" … ({len(row.units)} units)" if len(row.units) > _NAMED else ""
    words = f" “{_cut(row.words)}”" if row.words else ""
    return [f"{row.disorder.disorder:.2f}", *parts, row.document, span(row.start, row.end), f"{units}{more}{words}"]


def _kind(row: KindRow) -> list[str]:
    categories = ", ".join(map(_label, row.categories))
    if row.absent is not None:
        return [row.reason, row.shape, categories, ", ".join(row.absent)]
    return [row.reason, row.shape, categories, f"all but {', '.join(row.present)}" if row.present else _NOBODY_NAMED]
