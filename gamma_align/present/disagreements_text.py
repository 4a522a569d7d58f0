"""Disagreements as text: the causes to settle, and tables that begin with the worst row."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable
from itertools import chain

from gamma_align.alignment import soft_prefix
from gamma_align.data import counted, printable, span
from gamma_align.errors import PYTHON, Cure, Note, Set, Surface, render
from gamma_align.insight import verdicts
from gamma_align.insight.causes import MIN_SHARE, Example, Finding
from gamma_align.insight.disagreements import POSITION, REASONS, SPACES, Disagreements
from gamma_align.present.disagreements_tables import disagreements_tables, short_words
from gamma_align.present.symbols import symbol_of
from gamma_align.present.table import NEUTRAL, FormNames
from gamma_align.present.writers.cells import percent
from gamma_align.present.writers.lines import blocks_text
from gamma_align.present.writers.text import titled_lines

SMALL_SILENCE = f"Filling these places removes less than {percent(MIN_SHARE)} of the disorder."
"""Why annotators who mark nothing are not among the causes."""

_wrapper = textwrap.TextWrapper(118, subsequent_indent="     ", break_long_words=False, break_on_hyphens=False)


def disagreements_text(
    result: Disagreements, rows: int = 10, form_names: FormNames = NEUTRAL, surface: Surface = PYTHON
) -> str:
    """Return the causes to settle, and at most `rows` rows of each table, the worst first."""
    spaces = [render(note, surface) for note in spaces_only(result)]
    tables = [titled_lines(table, rows, form_names) for table in disagreements_tables(result)]
    return blocks_text([_head(result), *_to_settle(result), *_observations(result), spaces, *tables])


def _head(result: Disagreements) -> list[str]:
    """Return γ, the number of unitary alignments with disorder, and the parts of the disorder."""
    total = result.disorder
    n_disputed = len(result.disagreements)
    gamma = symbol_of("gamma", soft_prefix(result.settings.alignment))
    alignments = counted(result.alignments, "unitary alignment")
    if result.annotator is None:
        agreed = f"{result.alignments - n_disputed} of {alignments} without any disorder"
        lines = [f"{gamma} {result.gamma.gamma}", agreed]
    else:
        name = printable(result.annotator)
        lines = [
            f"{gamma} of all annotators {result.gamma.gamma}",
            f"{name} differs from more than half of the others in {n_disputed} of {alignments}; below are these alone",
        ]
    if n_disputed:
        shares = ", ".join(f"{name} {percent(getattr(total, name) / total.disorder)}" for name in REASONS)
        lines.append(f"disorder {total.disorder:.2f}: {shares}")
    return lines


def _to_settle(result: Disagreements) -> Iterable[list[str]]:
    """Yield a block for each cause, or a line that there is none."""
    if not result.disagreements:
        return
    if not result.to_settle:
        yield no_cause(result)
        return
    yield ["What to settle, each after the ones above it (γ with the disorder expected by chance held fixed)"]
    for index, finding in enumerate(result.to_settle, 1):
        yield _finding(index, finding)


def no_cause(result: Disagreements) -> list[str]:
    """Return that no cause was found, and the kinds that could not be looked for."""
    n_kinds = sum(entry.reason is None for entry in result.sought)
    lines = [f"What to settle: {verdicts.no_cause(n_kinds, result.annotator or '')}"]
    obstacles = [entry for entry in result.sought if entry.reason is not None]
    return lines + [f"  not looked for: {entry.pattern}, because {entry.reason}" for entry in obstacles]


def _observations(result: Disagreements) -> Iterable[list[str]]:
    """Yield a paragraph for each observation that is no cause."""
    if result.silent is not None:
        yield _wrapper.wrap(printable(f"{result.silent.sentence} {SMALL_SILENCE} {result.silent.question}"))
    if result.same_bounds is not None:
        yield _wrapper.wrap(printable(f"{result.same_bounds.sentence} {result.same_bounds.question}"))
    if result.two_labels is not None:
        yield _wrapper.wrap(printable(result.two_labels.sentence))


def spaces_only(result: Disagreements) -> list[str]:
    """Return a note on boundaries that differ by white space and punctuation alone, if there are any."""
    kinds = [row for row in result.kinds if row.shape == SPACES]
    if not kinds:
        return []
    n_spaces = sum(row.alignments for row in kinds)
    n_positions = int((result.parts[:, POSITION] > 0).sum())
    share = sum(row.disorder.position for row in kinds) / result.disorder.disorder
    verb = "is" if n_spaces == 1 else "are"
    differences = f"{n_spaces} of {counted(n_positions, 'difference')} in position {verb}"
    cause = f"{differences} of white space and punctuation alone, {100 * share:.2f} % of the disorder"
    return [Note(cause, Cure("{} cuts them", Set("trim", value=True)), separator=": ")]


def _finding(index: int, finding: Finding) -> list[str]:
    gain = (
        f"{percent(finding.share)} of all disorder; settled: γ {finding.gamma_before:.2f} → {finding.gamma_after:.2f}"
    )
    lines = [f"{index}  {finding.title}", f"   {finding.counts}"]
    lines += [f"     {context_of(example)}" for example in finding.examples]
    lines += [f"   {finding.question}", f"   {gain}"]
    return [*chain.from_iterable(_wrapper.wrap(printable(line)) for line in lines)]


def context_of(example: Example) -> str:
    """Return an example in its context, the stretch in brackets."""
    address = f"{example.document}, {span(example.start, example.end)}"
    if example.text is None:
        return address
    text = example.text
    # White space at the edges of the stretch stands outside the brackets.
    stretch = f"{' ' * text[:1].isspace()}[{short_words(text)}]{' ' * text[-1:].isspace()}"
    words = " ".join(f"{example.before}{stretch}{example.after}".split())
    return f"{address}: … {words} …"
