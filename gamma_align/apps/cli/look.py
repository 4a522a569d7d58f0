"""``gamma-align look``, or ``gamma-align PATH``: what annotations show at first sight."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from gamma_align.apps.cli import _pipeline
from gamma_align.apps.cli._corpus import read_corpus, settings_without_changes
from gamma_align.apps.cli._gate import check_gate, checks_of, gate, most_important
from gamma_align.apps.cli._measure import verdict
from gamma_align.apps.cli._messages import Progress, print_message, write_stdout
from gamma_align.data import Corpus, ItemTable
from gamma_align.errors import InputError
from gamma_align.insight.disagreements import Disagreements
from gamma_align.insight.look import Look
from gamma_align.present import further_text
from gamma_align.present.look_text import look_text
from gamma_align.reading import items_by_map, items_instead
from gamma_align.requests import PROGRAM, STANDARD_STREAM, compute_look, measure_settings, reading_settings

_MAIN_VALUES = ("gamma", "pairwise_gamma", "alpha")
"""The values of which the first that there is decides on the exit code."""
_OWN_FLAGS = ("look", "--json", "--quiet")
_OWN_OPTIONS = ("-o", "--output", "--fail-under", "--fail-by", "--junit")
"""Words, and options with a value, that the commands to go on with do not need."""


def run(arguments: argparse.Namespace) -> int:
    """Look, print, and return the exit code."""
    measure_settings(vars(arguments))  # wrong settings are refused before data are read
    check_gate(arguments, [*arguments.fail_under], "")
    shown = _Shown(arguments)
    return _pipeline.run(
        arguments,
        shown.compute,
        read=_read,
        text=shown.text,
        verdict=lambda result: _verdict(result, arguments),
    )


def _read(arguments: argparse.Namespace) -> Corpus | ItemTable:
    """Read the corpus, or the table of items if a map says so, or nothing tells of units and no setting how to read."""
    try:
        return items_by_map(arguments.path, reading_settings(vars(arguments)).get("map")) or read_corpus(arguments)
    except InputError:
        table = None if _has_settings(arguments) else items_instead(arguments.path)
        if table is None:
            raise
        return table


def _has_settings(arguments: argparse.Namespace) -> bool:
    """Return whether options change how the first path is read, or data come from standard input."""
    first_alone = argparse.Namespace(**vars(arguments) | {"path": arguments.path[:1]})
    is_streamed = STANDARD_STREAM in arguments.path
    return is_streamed or settings_without_changes(first_alone) != {"path": arguments.path[0]}


class _Shown:
    """The look as it is printed; of a crowd, pairs are printed first, because aligning all takes minutes."""

    def __init__(self, arguments: argparse.Namespace) -> None:
        self._arguments = arguments
        self._pairs: Look | None = None
        first, *further = arguments.path
        self._name = Path(first).name + (f" and {len(further)} more" if further else "")

    def compute(self, data: Corpus | ItemTable, progress: Progress) -> Look:
        """Return the look at data."""
        return compute_look(data, vars(self._arguments), progress, lambda pairs: self._show(pairs, progress))

    def _show(self, pairs: Look, progress: Progress) -> None:
        """Print the look at pairs; as data, both are one."""
        self._pairs = pairs
        if self._is_text:
            progress.clear()
            write_stdout(look_text(pairs, self._name))
            if not self._arguments.quiet:
                print_message(
                    "note", "now all annotators are aligned together, which may take minutes; Ctrl-C stops it"
                )

    @property
    def _is_text(self) -> bool:
        """Whether the look is printed as text."""
        return not self._arguments.json and self._arguments.output is None

    def text(self, result: Look) -> str:
        """Return the look as text; after its pairs were printed, only what is new."""
        commands = [*_next_commands(result, self._arguments)]
        if self._pairs is None or not self._is_text:
            return look_text(result, self._name, commands)
        first = self._pairs
        unprinted = replace(
            result,
            verdict=result.verdict[len(first.verdict) :],
            values=result.values[len(first.values) :],
            similar=(),
            models=(),
        )
        return further_text(unprinted, commands)


def _next_commands(result: Look, arguments: argparse.Namespace) -> Iterator[tuple[str, str]]:
    """Yield at most three commands that read these data, and what each does."""
    data = shlex.join([*arguments.path, *_options_typed(arguments)])
    if result.models:
        yield f"{PROGRAM} report {data}", "a page to share, with a card of each model"
        yield f"{PROGRAM} replace {data}", "whether the model could take the place of a person"
    elif isinstance(result.result, Disagreements):
        yield f"{PROGRAM} report {data}", "a page to share"
        yield f"{PROGRAM} measure {data}", "each document, the line to cite"
        if result.causes:
            yield f"{PROGRAM} disagreements {data}", "all causes, with examples"
    else:
        yield f"{PROGRAM} items {data}", "all coefficients, pairs of coders, and the line to cite"


def _options_typed(arguments: argparse.Namespace) -> Iterator[str]:
    """Yield the options of this run that say how data are read and measured, as they were typed."""
    words = iter(word for word in arguments.typed if word not in arguments.path)
    for word in words:
        name, _, value = word.partition("=")
        if name in _OWN_OPTIONS:
            if not value:
                next(words, None)
        elif name not in _OWN_FLAGS:
            yield word


def _verdict(result: Look, arguments: argparse.Namespace) -> int:
    """Return the exit code: of thresholds, and of the main value."""
    values = {row.name.replace("_", "-"): (row.symbol, row.value) for row in result.values if row.name != "document"}
    code = gate([*checks_of(values, arguments)], arguments, [result.signature])
    main = next(row for row in result.values if row.name in _MAIN_VALUES)
    if main.name.replace("_", "-") in arguments.fail_under:
        return code
    gamma = result.result.gamma if isinstance(result.result, Disagreements) else None
    return most_important([code, verdict(main.symbol, main.value, gamma, arguments)])
