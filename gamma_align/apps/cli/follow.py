"""``gamma-align follow``: γ of a project whenever its annotations change."""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

from gamma_align.apps.cli._corpus import read_at
from gamma_align.apps.cli._gate import check_gate, checks_of, gate, most_important
from gamma_align.apps.cli._measure import gamma_verdict
from gamma_align.apps.cli._messages import ExitCode, Progress, print_message, print_notes, write_stdout
from gamma_align.apps.cli._output import check_writable, write_file
from gamma_align.apps.follow.exports import Exports, Remembered, load_memory, save_memory
from gamma_align.apps.follow.looks import History, Look, look_of
from gamma_align.apps.follow.version import Project, Version
from gamma_align.data import MIN_ANNOTATORS, Corpus
from gamma_align.errors import Cure, Location, Set, SettingsError
from gamma_align.insight.causes import Finding
from gamma_align.insight.comparison import CHANGES, cause_changes
from gamma_align.insight.disagreements import KeptAlignments, disagreements_of
from gamma_align.measures.gamma import GammaResult, GammaSettings, gamma_of
from gamma_align.present.writers import json_pieces
from gamma_align.reading import WorkFolder, locked_folder
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
from gamma_align.work import KeptWork, fingerprints

_MEMORY = "exports.json"  # file of the folder of work: the exports that were read
_SETTLE_SECONDS = 1.0  # between two looks at the files of an export that must see the same
_WORK = {"data": "documents of a project, one by one"}
_CAME, _WENT = CHANGES[:2]
_VALUES = (GAMMA, "gamma-cat")


def run(arguments: argparse.Namespace) -> int:
    """Follow a project until it is interrupted, or its γ is below a threshold; return the exit code."""
    settings = GammaSettings.of(**measure_settings(vars(arguments)))
    if arguments.sampler == "documents":
        raise SettingsError(
            "its samples are made of the units of all documents, so that each change would change all of them",
            Cure("use {}", Set("sampler", "shift")),
            Location.for_option("sampler"),
        )
    check_gate(arguments, _VALUES, f"follow measures {' and '.join(_VALUES)}")
    check_writable(arguments.output, "-o/--output", [arguments.project])
    project = _project(arguments)
    with locked_folder(arguments.work) as is_ours:
        if is_ours is False:
            raise SettingsError(f"another process works in {arguments.work}", "wait for it, or name another folder")
        store = WorkFolder.of(arguments.work, settings.to_dict(), _WORK)
        follower = _Follower(arguments, settings, KeptWork(settings, store), History(arguments.work))
        return follower.follow(project)


def _project(arguments: argparse.Namespace) -> Project:
    """Return the project at an address, or in a folder."""

    def read(path: Path) -> Corpus:
        return read_at(str(path), arguments)

    if arguments.project.startswith(("http://", "https://")):
        from gamma_align.apps.follow.label_studio import Address, LabelStudio  # few runs need it

        address = Address.of(arguments.project)
        if address.is_readable_by_others:
            print_message("warning", f"{address.base}: what is sent, with the token, can be read on the way; use https")
        return LabelStudio(address, read)
    folder = Path(arguments.project)
    if not folder.is_dir():
        raise SettingsError(
            f"{folder} is no folder",
            "name the folder in which exports arrive, or the address of a project of Label Studio",
        )
    remembered = load_memory(arguments.work / _MEMORY, _reading(arguments))
    own = [path for path in (arguments.work, arguments.output, arguments.junit) if path is not None]
    return Exports(folder, read, lambda: time.sleep(_SETTLE_SECONDS), own, remembered)


def _reading(arguments: argparse.Namespace) -> str:
    """Return a text that is another one if exports are read, or documents selected, in another way."""
    values = vars(arguments)
    others = {name: values[name] for name in ("outside", "trim", "width")}
    return repr(sorted({**reading_settings(values), **selection(values), **others}.items()))


class _Follower:
    """Looks at a project, measures what changed, and prints what it found."""

    def __init__(
        self, arguments: argparse.Namespace, settings: GammaSettings, kept: KeptWork, history: History
    ) -> None:
        self._arguments = arguments
        self._settings = settings
        self._kept = kept
        self._history = history
        self._alignments = KeptAlignments(settings, kept)
        self._said: tuple[str, ...] = ()
        self._memory: dict[str, Remembered] = {}

    def follow(self, project: Project) -> int:
        """Look again and again, or once; return the exit code."""
        for look in self._history.looks:
            self._print(look)
        for number in count():
            if number:
                time.sleep(self._arguments.every)
            with naming(self._arguments.project):
                code = self._look(self._newest(project), is_first=not number)
            if self._arguments.once or code == ExitCode.BELOW_THRESHOLD:
                return code
        raise AssertionError  # the loop has no end

    def _newest(self, project: Project) -> Version:
        """Return the newest version, and remember the exports that were read."""
        version = project.newest()
        if isinstance(project, Exports) and project.memory != self._memory:
            self._memory = project.memory
            save_memory(self._arguments.work / _MEMORY, _reading(self._arguments), self._memory)
        return version

    def _say(self, waiting: tuple[str, ...]) -> None:
        """Print what is waited for, once."""
        print_notes([f"waiting: {text}" for text in waiting if text not in self._said], quiet=self._arguments.quiet)
        self._said = waiting

    def _look(self, version: Version, *, is_first: bool) -> int:
        """Measure a version if it has changed, or is the first; print it, and return the exit code."""
        corpus = version.corpus
        if corpus is None or not (corpus.n_annotators >= MIN_ANNOTATORS).any():
            self._say((*version.waiting, "no document has two annotators yet"))
            return ExitCode.NOT_AVAILABLE
        self._say(version.waiting)
        marks = [digest.hex() for digest in fingerprints(corpus, self._settings)]
        documents = dict(zip(corpus.documents, marks, strict=True))
        has_changed = self._history.has_changed(documents)
        if not has_changed and not is_first:
            return ExitCode.FINE
        result = self._measured(corpus)
        if has_changed:
            look = look_of(version.moment, corpus, result.gamma, self._history.changes(documents))
            causes = self._causes_of(corpus, result)
            look = self._with_causes(look, causes)
            self._history.add(look, documents, causes)
            self._print(look)
            print_notes(self._notes(corpus, result), quiet=self._arguments.quiet)
        elif self._arguments.causes and self._history.causes is None:
            self._history.keep(self._causes_of(corpus, result))
        if self._arguments.output is not None:
            write_file(json_pieces(self._document(corpus, result).to_dict(), COMMAND_LINE), self._arguments.output)
        return self._verdict(result)

    def _measured(self, corpus: Corpus) -> GammaResult:
        """Return γ; whatever ends the work, what is done is kept."""
        saved = time.monotonic()

        with self._saving(), Progress(quiet=self._arguments.quiet) as progress:

            def report(done: int, required: int) -> None:
                nonlocal saved
                progress(done, required)
                if time.monotonic() - saved > WorkFolder.seconds:
                    self._kept.save()
                    saved = time.monotonic()

            if self._arguments.causes:
                self._alignments.of(corpus)  # γ uses these alignments, so that no document is aligned twice
            jobs = self._arguments.jobs
            return gamma_of(corpus, self._settings, n_jobs=jobs, progress=report, shared=self._kept)

    @contextmanager
    def _saving(self) -> Iterator[None]:
        try:
            yield
        finally:
            self._kept.save()

    def _causes_of(self, corpus: Corpus, result: GammaResult) -> tuple[Finding, ...] | None:
        """Return the causes of disagreement, None if they are not looked for."""
        if not self._arguments.causes:
            return None
        alignments = self._alignments.of(corpus)
        jobs = self._arguments.jobs
        return disagreements_of(corpus, result, self._settings, alignments=alignments, n_jobs=jobs).to_settle

    def _with_causes(self, look: Look, causes: tuple[Finding, ...] | None) -> Look:
        """Return the look with the causes that came and went since they were last known, by this process or another."""
        before = self._history.causes
        if causes is None or before is None:
            return look
        changes = cause_changes(before, causes)
        titles = {change: tuple(row.title for row in changes if row.change == change) for change in (_CAME, _WENT)}
        return look._replace(came=titles[_CAME], went=titles[_WENT])

    def _print(self, look: Look) -> None:
        """Print a look as a line, of JSON if that is asked for, and the causes below it."""
        if self._arguments.json:
            write_stdout(json.dumps(look.to_dict(), ensure_ascii=False) + "\n")
            return
        lines = [look.line()]
        for what, titles in ((_CAME, look.came), (_WENT, look.went)):
            lines += [f"  {what}: {title}" for title in titles or ()]
        write_stdout("".join(f"{line}\n" for line in lines))

    def _notes(self, corpus: Corpus, result: GammaResult) -> list[str]:
        return [*dict.fromkeys([*corpus.notes, *result.notes])]

    def _document(self, corpus: Corpus, result: GammaResult) -> MeasureResult:
        """Return what `measure` would return."""
        return MeasureResult(result, None, units_of_annotators(corpus), self._notes(corpus, result))

    def _verdict(self, result: GammaResult) -> int:
        values = {GAMMA: ("γ", result.gamma), "gamma-cat": ("γcat", result.gamma_cat)}
        codes = [gate([*checks_of(values, self._arguments)], self._arguments, [result.signature])]
        if GAMMA not in self._arguments.fail_under:
            codes.append(gamma_verdict(result, self._arguments))
        return most_important(codes)
