"""A follower: looks at a project, and measures what changed since the look before."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from gamma_align.apps.follow.exports import Exports, Remembered, load_memory, save_memory
from gamma_align.apps.follow.looks import History, Look, look_of
from gamma_align.apps.follow.version import Project
from gamma_align.data import MIN_ANNOTATORS, Corpus
from gamma_align.errors import SettingsError
from gamma_align.insight.causes import Finding
from gamma_align.insight.comparison import CHANGES, cause_changes
from gamma_align.insight.disagreements import KeptAlignments, disagreements_of
from gamma_align.measures.gamma import GammaResult, GammaSettings, gamma_of
from gamma_align.reading import WorkFolder, locked_folder
from gamma_align.work import KeptWork, fingerprints

_MEMORY_FILE = "exports.json"  # file of the folder of work: the exports that were read
_SETTLE_SECONDS = 1.0  # between two looks at the files of an export that must see the same
_WORK_CONTENT = {"data": "documents of a project, one by one"}
_CAME = CHANGES[0]
_WENT = CHANGES[1]


class Source(NamedTuple):
    """A project to follow: its address or folder, the function that reads its exports, and files that are no exports.

    `reading` is a text that changes whenever exports are read, or documents selected, in another way. `own` are the
    files that this program writes.
    """

    project: str
    read: Callable[[Path], Corpus]
    reading: str = ""
    own: tuple[Path, ...] = ()

    def open(self, work: Path, warn: Callable[[str], None]) -> Project:
        """Return the project at an address, or in a folder, with what the folder of work remembers of it.

        `warn` is called with what a user should know of the address.

        Raises
        ------
        SettingsError
            If it is neither, or there is no token.
        """
        if self.project.startswith(("http://", "https://")):
            from gamma_align.apps.follow.label_studio import Address, LabelStudio  # few runs need it

            address = Address.of(self.project)
            if address.is_readable_by_others:
                warn(f"{address.base}: what is sent, with the token, can be read on the way; use https")
            return LabelStudio(address, self.read)
        folder = Path(self.project)
        if not folder.is_dir():
            raise SettingsError(
                f"{folder} is no folder",
                "name the folder in which exports arrive, or the address of a project of Label Studio",
            )
        remembered = load_memory(work / _MEMORY_FILE, self.reading)
        return Exports(folder, self.read, lambda: time.sleep(_SETTLE_SECONDS), [work, *self.own], remembered)


class Seen(NamedTuple):
    """The result of a look: the newest documents with γ, if measured, and the look itself, if anything changed.

    `waiting` are sentences on what is not in the documents yet, and why.
    """

    waiting: tuple[str, ...]
    corpus: Corpus | None = None
    result: GammaResult | None = None
    look: Look | None = None


@contextmanager
def working_in(folder: Path) -> Iterator[None]:
    """Keep other processes out of a folder of work.

    Raises
    ------
    SettingsError
        If another process works there.
    """
    with locked_folder(folder) as is_ours:
        if is_ours is False:
            raise SettingsError(f"another process works in {folder}", "wait for it, or name another folder")
        yield


class Follower:
    """Looks at a project, and measures what changed.

    Parameters
    ----------
    source : Source
    project : Project
        The project of the source.
    settings : GammaSettings
    work : Path
        The folder of work, which this process has for itself (`working_in`).
    causes : bool
        Whether to look for causes of disagreement.
    n_jobs : int, optional
        As in `gamma`.
    """

    def __init__(
        self,
        source: Source,
        project: Project,
        settings: GammaSettings,
        work: Path,
        *,
        causes: bool,
        n_jobs: int | None = None,
    ) -> None:
        self._source = source
        self._project = project
        self._settings = settings
        self._work = work
        self._has_causes = causes
        self._n_jobs = n_jobs
        self._kept = KeptWork(settings, WorkFolder.of(work, settings.to_dict(), _WORK_CONTENT))
        self._alignments = KeptAlignments(settings, self._kept)
        self._history = History(work)
        self._memory: dict[str, Remembered] = {}
        self._has_looked = False

    @property
    def looks(self) -> list[Look]:
        """The looks so far, also of earlier processes."""
        return self._history.looks

    def look(self, progress: Callable[[int, int], None] | None = None) -> Seen:
        """Look at the project once; measure it if documents changed, or if this is the first look of this process.

        Without documents of two annotators, or without a change, the result has no γ.
        """
        version = self._project.newest()
        if isinstance(self._project, Exports) and self._project.memory != self._memory:
            self._memory = self._project.memory
            save_memory(self._work / _MEMORY_FILE, self._source.reading, self._memory)
        corpus = version.corpus
        if corpus is None or not (corpus.n_annotators >= MIN_ANNOTATORS).any():
            return Seen((*version.waiting, "no document has two annotators yet"))
        marks = [digest.hex() for digest in fingerprints(corpus, self._settings)]
        documents = dict(zip(corpus.documents, marks, strict=True))
        has_changed = self._history.has_changed(documents)
        if not has_changed and self._has_looked:
            return Seen(version.waiting)
        result = self._measure(corpus, progress)
        look = None
        if has_changed:
            causes = self._causes_of(corpus, result)
            look = look_of(version.moment, corpus, result.gamma, self._history.changes(documents))
            look = self._with_causes(look, causes)
            self._history.add(look, documents, causes)
        elif self._has_causes and self._history.causes is None:
            self._history.keep(self._causes_of(corpus, result))
        self._has_looked = True
        return Seen(version.waiting, corpus, result, look)

    def _measure(self, corpus: Corpus, progress: Callable[[int, int], None] | None) -> GammaResult:
        """Return γ of the corpus; finished work is saved from time to time, and if the work is interrupted."""
        saved = time.monotonic()

        def report(done: int, required: int) -> None:
            nonlocal saved
            if progress is not None:
                progress(done, required)
            if time.monotonic() - saved > WorkFolder.seconds:
                self._kept.save()
                saved = time.monotonic()

        try:
            if self._has_causes:
                self._alignments.of(corpus)  # γ uses these alignments, so that no document is aligned twice
            return gamma_of(corpus, self._settings, n_jobs=self._n_jobs, progress=report, shared=self._kept)
        finally:
            self._kept.save()

    def _causes_of(self, corpus: Corpus, result: GammaResult) -> tuple[Finding, ...] | None:
        """Return the causes of disagreement, None if the follower does not look for them."""
        if not self._has_causes:
            return None
        alignments = self._alignments.of(corpus)
        disagreements = disagreements_of(corpus, result, self._settings, alignments=alignments, n_jobs=self._n_jobs)
        return disagreements.to_settle

    def _with_causes(self, look: Look, causes: tuple[Finding, ...] | None) -> Look:
        """Return the look with the causes that came and went since they were last known, by this process or another."""
        before = self._history.causes
        if causes is None or before is None:
            return look
        changes = cause_changes(before, causes)
        titles = {change: tuple(row.title for row in changes if row.change == change) for change in (_CAME, _WENT)}
        return look._replace(came=titles[_CAME], went=titles[_WENT])
