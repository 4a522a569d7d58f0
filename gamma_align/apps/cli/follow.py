"""``gamma-align follow``: γ of a project whenever its annotations change."""

from __future__ import annotations

import argparse
import json
import time
from itertools import count
from pathlib import Path

from gamma_align.apps.cli._corpus import read_at
from gamma_align.apps.cli._gate import check_gate, checks_of, gate, most_important
from gamma_align.apps.cli._measure import gamma_verdict
from gamma_align.apps.cli._messages import ExitCode, Progress, print_message, print_notes, write_stdout
from gamma_align.apps.cli._output import check_writable, write_file
from gamma_align.apps.follow.follower import Follower, Seen, Source, working_in
from gamma_align.apps.follow.looks import Look
from gamma_align.data import Corpus
from gamma_align.errors import Cure, Location, Set, SettingsError
from gamma_align.measures.gamma import GammaResult, GammaSettings
from gamma_align.present.writers import json_pieces
from gamma_align.requests import (
    COMMAND_LINE,
    GAMMA,
    MeasureResult,
    measure_settings,
    naming,
    reading_settings,
    selection,
    units_of_annotators,
)

_GATE_VALUES = (GAMMA, "gamma-cat")


def run(arguments: argparse.Namespace) -> int:
    """Follow a project until it is interrupted, or its γ is below a threshold; return the exit code."""
    settings = GammaSettings.of(**measure_settings(vars(arguments)))
    if arguments.sampler == "documents":
        raise SettingsError(
            "its samples are made of the units of all documents, so that each change would change all of them",
            Cure("use {}", Set("sampler", "shift")),
            Location.for_option("sampler"),
        )
    check_gate(arguments, _GATE_VALUES, f"follow measures {' and '.join(_GATE_VALUES)}")
    check_writable(arguments.output, "-o/--output", [arguments.project])
    source = _source(arguments)
    project = source.open(arguments.work, lambda text: print_message("warning", text))
    with working_in(arguments.work):
        follower = Follower(source, project, settings, arguments.work, causes=arguments.causes, n_jobs=arguments.jobs)
        return _Printing(arguments).follow(follower)


def _source(arguments: argparse.Namespace) -> Source:
    """Return the project, read with these arguments."""

    def read(path: Path) -> Corpus:
        return read_at(str(path), arguments)

    values = vars(arguments)
    changes = {name: values[name] for name in ("outside", "trim", "width")}
    reading = repr(sorted({**reading_settings(values), **selection(values), **changes}.items()))
    outputs = tuple(path for path in (arguments.output, arguments.junit) if path is not None)
    return Source(arguments.project, read, reading, outputs)


class _Printing:
    """Prints what a follower sees."""

    def __init__(self, arguments: argparse.Namespace) -> None:
        self._arguments = arguments
        self._said: tuple[str, ...] = ()

    def follow(self, follower: Follower) -> int:
        """Look at the project once or at intervals, print each look, and return the exit code.

        Without --once it ends only if a threshold is missed.
        """
        for look in follower.looks:
            self._print(look)
        for number in count():
            if number:
                time.sleep(self._arguments.every)
            with naming(self._arguments.project), Progress(quiet=self._arguments.quiet) as progress:
                seen = follower.look(progress)
            code = self._report(seen)
            if self._arguments.once or code == ExitCode.BELOW_THRESHOLD:
                return code
        raise AssertionError  # the loop has no end

    def _report(self, seen: Seen) -> int:
        """Print and write the result of a look, and return the exit code.

        A sentence on what is waited for is printed once.
        """
        # What is waited for is said once.
        new = [f"waiting: {text}" for text in seen.waiting if text not in self._said]
        print_notes(new, quiet=self._arguments.quiet)
        self._said = seen.waiting
        if seen.corpus is None or seen.result is None:
            return ExitCode.NOT_AVAILABLE  # of the first look alone: a later one without a result goes on
        notes = [*dict.fromkeys([*seen.corpus.notes, *seen.result.notes])]
        if seen.look is not None:
            self._print(seen.look)
            print_notes(notes, quiet=self._arguments.quiet)
        if self._arguments.output is not None:
            # What `measure` would return
            document = MeasureResult(seen.result, None, units_of_annotators(seen.corpus), notes)
            write_file(json_pieces(document.to_dict(), COMMAND_LINE), self._arguments.output)
        return self._verdict(seen.result)

    def _print(self, look: Look) -> None:
        """Print a look as a line, of JSON if that is asked for, and the causes below it."""
        if self._arguments.json:
            write_stdout(json.dumps(look.to_dict(), ensure_ascii=False) + "\n")
            return
        lines = [look.line()]
        for change, titles in (("came", look.came), ("went", look.went)):
            lines += [f"  {change}: {title}" for title in titles or ()]
        write_stdout("".join(f"{line}\n" for line in lines))

    def _verdict(self, result: GammaResult) -> int:
        """Return the exit code of γ and γcat, after printing missed thresholds."""
        values = {GAMMA: ("γ", result.gamma), "gamma-cat": ("γcat", result.gamma_cat)}
        codes = [gate([*checks_of(values, self._arguments)], self._arguments, [result.signature])]
        if GAMMA not in self._arguments.fail_under:
            codes.append(gamma_verdict(result, self._arguments))
        return most_important(codes)
