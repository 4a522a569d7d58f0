"""A folder in which exports of a project arrive: the newest version of each document.

An entry of the folder, a file or a folder of files, is an export. Of a document in several exports the one in the entry
that changed last counts, as a whole; of two that changed at one time, the one whose name comes last. An entry counts
once two looks in a row see the same sizes and times of its files, and once it can be read: until then its last complete
state does, if there was one, and the reason is said.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import reduce
from pathlib import Path
from typing import Any, NamedTuple

from gamma_align.apps.follow.version import Version
from gamma_align.data import Corpus
from gamma_align.errors import GammaAlignError, InputError, SettingsError
from gamma_align.reading import atomic_text
from gamma_align.requests import COMMAND_LINE

_UNFINISHED_SUFFIXES = (".tmp", ".part", ".partial", ".crdownload", ".download", ".swp")
"""Suffixes of files that a program has not finished."""
_NS_PER_SECOND = 10**9

State = tuple[tuple[str, int, int], ...]
"""Name, size and time of change, in nanoseconds, of each file of an entry."""


Remembered = tuple[Sequence[Sequence[Any]], Sequence[str]]
"""State and documents of an entry, as JSON has them."""


class _Read(NamedTuple):
    """An entry as it was read: its files, all of its documents, and the corpus of those no newer entry has.

    `corpus` is None if there are none of these, or if an earlier process read the entry.
    """

    state: State
    documents: frozenset[str]
    corpus: Corpus | None

    @property
    def changed(self) -> int:
        """Time of the last change of a file, in nanoseconds."""
        return max(time for _, _, time in self.state)


class Exports:
    """The exports in a folder.

    Parameters
    ----------
    folder : Path
    read : callable
        Reads an entry as a corpus.
    settle : callable
        Waits between the two looks that have to see the same.
    own : collection of Path
        What this program writes, which is no export.
    remembered : mapping, optional
        The `memory` of an earlier process: exports of which no document counts are not read again.
    """

    def __init__(
        self,
        folder: Path,
        read: Callable[[Path], Corpus],
        settle: Callable[[], None],
        own: Collection[Path] = (),
        remembered: Mapping[str, Remembered] | None = None,
    ) -> None:
        self._folder = folder
        self._read_entry = read
        self._settle = settle
        self._own = {path.resolve() for path in own}
        self._known: dict[Path, _Read] = {
            folder / name: _Read(tuple((file, size, time) for file, size, time in state), frozenset(documents), None)
            for name, (state, documents) in (remembered or {}).items()
        }
        self._refused: dict[Path, tuple[State, str]] = {}

    def newest(self) -> Version:
        """Read new and changed exports, and return the newest version of each document.

        An export that is still being written, or cannot be read, is listed in `waiting` instead.
        """
        before = self._states()
        if any(not self._is_known(path, state) for path, state in before.items()):
            self._settle()
        states = self._states()
        waiting = []
        for path, state in states.items():
            if self._is_known(path, state):
                continue
            if before.get(path) != state:
                waiting.append(f"{path.name} is still being written: it is read when it no longer changes")
                continue
            self._read(path, state)
        self._known = {path: read for path, read in self._known.items() if path in states}
        self._refused = {path: refused for path, refused in self._refused.items() if path in states}
        waiting += [f"{reason}; it is read again when it changes" for _, reason in self._refused.values()]
        return self._version(tuple(waiting), states)

    @property
    def memory(self) -> dict[str, Remembered]:
        """The state of each entry that was read, and its documents, ready for JSON."""
        return {
            path.name: ([[*file] for file in read.state], sorted(read.documents)) for path, read in self._known.items()
        }

    def _is_known(self, path: Path, state: State) -> bool:
        """Return whether an entry was already read, or refused, in this state."""
        read = self._known.get(path)
        refused = self._refused.get(path)
        return (read is not None and read.state == state) or (refused is not None and refused[0] == state)

    def _read(self, path: Path, state: State) -> None:
        """Read an entry; keep its last complete state, and the reason, if that is not possible."""
        try:
            corpus = self._read_entry(path)
        except GammaAlignError as error:
            self._refused[path] = state, error.render(COMMAND_LINE)
            return
        if self._states().get(path) != state:
            return  # it changed while it was read: the next look sees that
        self._refused.pop(path, None)
        self._known[path] = _Read(state, frozenset(corpus.documents), corpus)

    def _version(self, waiting: tuple[str, ...], states: Mapping[Path, State]) -> Version:
        """Return the newest version of each document.

        Older exports keep only documents that no newer one has; an export that cannot be read again is dropped.
        """
        taken: set[str] = set()
        kept = []
        for path, entry in self._newest_first():
            names = entry.documents - taken
            read = self._with_documents(path, entry, names, states)
            if read is None:
                del self._known[path]
                continue
            self._known[path] = read
            taken |= names
            if read.corpus is not None:
                kept.append(read.corpus)
        newest = max((read.changed for read in self._known.values()), default=0)
        moment = datetime.fromtimestamp(newest // _NS_PER_SECOND, UTC).strftime("%Y-%m-%d %H:%M:%S")
        return Version(_merge(kept) if kept else None, moment, waiting)

    def _with_documents(
        self, path: Path, entry: _Read, names: frozenset[str], states: Mapping[Path, State]
    ) -> _Read | None:
        """Return an entry reduced to these of its documents; None if they cannot be read any more."""
        corpus = entry.corpus
        if names and (corpus is None or not names <= {*corpus.documents}):
            # A newer export that had these documents is gone, or an earlier process read this one.
            if states[path] != entry.state:
                return None
            try:
                corpus = self._read_entry(path)
            except GammaAlignError as error:
                self._refused[path] = entry.state, error.render(COMMAND_LINE)
                return None
        if corpus is not None and len(names) < len(corpus):
            corpus = corpus.select(documents=sorted(names)) if names else None
        return entry._replace(corpus=corpus)

    def _newest_first(self) -> list[tuple[Path, _Read]]:
        """Return the entries that were read, by the time of their last change, the newest first."""
        return sorted(self._known.items(), key=lambda entry: (entry[1].changed, entry[0].name), reverse=True)

    def _states(self) -> dict[Path, State]:
        """Return the state of each entry that may be an export; empty ones and files of this program are skipped.

        Raises a SettingsError if the folder cannot be listed.
        """
        try:
            entries = sorted(self._folder.iterdir())
        except OSError as error:
            raise SettingsError(f"cannot look into {self._folder}: {error.strerror or error}") from None
        states = {}
        for path in entries:
            if _may_be_export(path) and path.resolve() not in self._own:
                state = tuple(_files(path))
                if state:
                    states[path] = state
        return states


def load_memory(file: Path, reading: str) -> dict[str, Remembered]:
    """Return the memory in a file; empty if it is missing, damaged or made with other options of reading."""
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
        if content["reading"] != reading:
            return {}
        return {
            name: ([(str(file), int(size), int(time)) for file, size, time in state], [*map(str, documents)])
            for name, (state, documents) in content["exports"].items()
        }
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return {}  # then all exports are read


def save_memory(file: Path, reading: str, memory: Mapping[str, Remembered]) -> None:
    """Write a memory to a file."""
    atomic_text(file, json.dumps({"reading": reading, "exports": memory}) + "\n")


def _merge(corpora: list[Corpus]) -> Corpus:
    """Return the documents of all exports in one corpus; InputError if they do not fit together."""
    try:
        return reduce(Corpus.merge, corpora)
    except InputError as error:
        raise error.prefixed("exports that do not fit together") from None


def _may_be_export(path: Path) -> bool:
    """Return whether a file or folder is neither hidden nor a file that a program has not finished."""
    return not path.name.startswith((".", "~")) and path.suffix.lower() not in _UNFINISHED_SUFFIXES


def _files(path: Path) -> Iterator[tuple[str, int, int]]:
    """Yield name, size and time of change of the files of an entry; none of a file that is gone meanwhile."""
    files = sorted(path.rglob("*")) if path.is_dir() else [path]
    for file in files:
        try:
            status = file.stat()
        except OSError:
            continue
        if file.is_file():
            yield str(file.relative_to(path)), status.st_size, status.st_mtime_ns
