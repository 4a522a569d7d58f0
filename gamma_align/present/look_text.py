"""The first look as text of 80 columns: verdict, values, causes with one example, models, and the next commands."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from gamma_align.data import display_width, printable
from gamma_align.insight import verdicts
from gamma_align.insight.look import Look, LookCause, LookValue
from gamma_align.present.disagreements_text import context_of
from gamma_align.present.writers.lines import blocks_text

_WIDTH = 80  # columns of a terminal that nobody has widened
_TITLE_WIDTH = 56  # of causes; their share and γ stand behind
_MAX_SYMBOL_WIDTH = 24  # names of documents; longer ones stand in a line of their own


def look_text(look: Look, name: str = "", next_commands: Sequence[tuple[str, str]] = ()) -> str:
    """Return a look as text.

    Parameters
    ----------
    look : Look
        The look.
    name : str
        Name of the data, before their size.
    next_commands : sequence of (str, str)
        Commands to go on with, and what each does.
    """
    head = _wrapped(f"{printable(name)}: {look.size}" if name else look.size)
    verdict = [line for sentence in look.verdict for line in _wrapped(sentence)]
    return blocks_text([[*head, *verdict], *_body(look), _next(next_commands)])


def further_text(look: Look, next_commands: Sequence[tuple[str, str]] = ()) -> str:
    """Return a look as text without its size, which has been printed."""
    verdict = [line for sentence in look.verdict for line in _wrapped(sentence)]
    return "\n" + blocks_text([verdict, *_body(look), _next(next_commands)])


def _body(look: Look) -> Iterator[list[str]]:
    yield [*_values(look.values), *_similar(look)]
    yield _causes(look)
    yield [line for model in look.models for sentence in model.sentences for line in _wrapped(sentence)]
    yield [line for remark in look.remarks for line in _wrapped(printable(remark))]


def _similar(look: Look) -> list[str]:
    tasks = [(row.task, row.gamma, row.by_pairs) for row in look.similar]
    return _wrapped(f"{verdicts.similar(tasks)}.") if tasks else []


def _wrapped(text: str, indent: str = "", first: str = "") -> list[str]:
    return textwrap.wrap(
        text,
        _WIDTH,
        initial_indent=first or indent,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _values(values: Sequence[LookValue]) -> list[str]:
    """Return a line for each value: symbol, value, interval, remark."""
    symbols = [printable(row.symbol) for row in values]
    width = max((min(display_width(symbol), _MAX_SYMBOL_WIDTH) for symbol in symbols), default=0)
    lines = []
    for row, symbol in zip(values, symbols, strict=True):
        number = verdicts.coefficient(row.value.value)
        numbers = f"{number:<6}{verdicts.interval(row.value.low, row.value.high)}".rstrip()
        start = f"{symbol}{' ' * (width - display_width(symbol))}  {numbers}"
        indent = " " * (width + 24)
        first = start + " " * max(len(indent) - len(start), 2)
        lines += _wrapped(printable(row.remark), indent, first) if row.remark else [start]
    return lines


def _causes(look: Look) -> list[str]:
    if not look.causes:
        return []
    lines = [f"{'Why they differ':<{_TITLE_WIDTH + 4}} share  γ if settled"]
    for index, cause in enumerate(look.causes, 1):
        lines += _cause(index, cause)
    if look.further_causes:
        lines.append(f"   and {look.further_causes} more")
    return lines


def _cause(index: int, cause: LookCause) -> list[str]:
    first, *others = textwrap.wrap(
        printable(cause.title), _TITLE_WIDTH, break_long_words=False, break_on_hyphens=False
    ) or [""]
    blank = " " * max(_TITLE_WIDTH - display_width(first), 0)
    numbers = f"{verdicts.percent(cause.share):>6}  {verdicts.coefficient(cause.gamma)}"
    lines = [f"{index}  {first}{blank} {numbers}", *(f"   {line}" for line in others)]
    if cause.example is not None:
        lines += _wrapped(printable(context_of(cause.example)), " " * 5)
    if cause.question:
        lines += _wrapped(printable(cause.question), " " * 5)
    return lines


def _next(commands: Sequence[tuple[str, str]]) -> list[str]:
    """Return the commands, each with its description beside it, or below it if a command is long."""
    if not commands:
        return []
    width = max(display_width(command) for command, _ in commands)
    beside = [f"  {command}{' ' * (width - display_width(command))}  {purpose}" for command, purpose in commands]
    if all(display_width(line) <= _WIDTH for line in beside):
        return ["Next", *beside]
    return ["Next", *(line for command, purpose in commands for line in (f"  {command}", f"      {purpose}"))]
