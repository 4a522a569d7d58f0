"""What a measurement did so far, in a folder: results of tasks as Parquet files, and a manifest of settings and data.

A file is written whole or not at all, and none is changed: whenever the process ends, what is there can be taken up.
"""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from gamma_align.data.corpus import Corpus
from gamma_align.data.parts import CorpusParts, Parts
from gamma_align.data.problem import few
from gamma_align.errors import InputError, MissingExtraError, SettingsError
from gamma_align.gammas.part_work import Columns, Store
from gamma_align.gammas.settings import GammaSettings
from gamma_align.io.files.atomic import atomic_text, atomic_write
from gamma_align.io.files.locks import locked
from gamma_align.version import __version__

MANIFEST = "manifest.json"
_LOCK = "lock"
_SCHEMA = 2
_RAGGED = "_k"
_LONGEST = 60  # of a setting in a message


@contextlib.contextmanager
def kept_work(
    folder: str | os.PathLike[str] | Store | None, data: Corpus | Parts, settings: GammaSettings
) -> Iterator[Store | None]:
    """Yield the store of a folder of work; for data in parts without one, that of a folder that is removed in the end.

    A store stays as it is.

    Raises
    ------
    SettingsError
        If the folder holds work on other data, with other settings or of another version, is used by another process,
        or holds something else.
    """
    if isinstance(folder, (str, os.PathLike)):
        parts = CorpusParts(data, 1) if isinstance(data, Corpus) else data
        with _locked(Path(folder)):
            yield WorkFolder.of(Path(folder), settings.to_dict(), parts.fingerprint)
    elif folder is not None or isinstance(data, Corpus):
        yield folder
    else:
        with tempfile.TemporaryDirectory(prefix="gamma-align-") as temporary:
            yield WorkFolder(Path(temporary))


class WorkFolder:
    """Pieces of work in a folder, a Parquet file each: see `gamma_align.gammas.part_work.Store`."""

    seconds = 20.0

    def __init__(self, folder: Path) -> None:
        self._folder, self._pq = folder, _parquet()

    @classmethod
    def of(cls, folder: Path, settings: Mapping[str, Any], data: Mapping[str, str]) -> WorkFolder:
        """Return the folder for work on these data with these settings, made where it is missing."""
        manifest = {
            "schema_version": _SCHEMA,
            "version": __version__,
            "settings": json.loads(json.dumps(settings)),
            "data": dict(data),
        }
        path = folder / MANIFEST
        if path.exists():
            _check_same(folder, _read(path), manifest)
        elif any(file.name != _LOCK for file in folder.iterdir()):
            raise SettingsError(f"{folder} holds no work to go on with ({MANIFEST} is missing); name a new folder")
        else:
            atomic_text(path, json.dumps(manifest, ensure_ascii=False, indent=2) + "\n")
        for left in folder.glob(".*.tmp"):  # of a process that was killed
            left.unlink()
        return cls(folder)

    def save(self, part: int, kind: str, columns: Columns) -> None:
        """Write a piece; columns named …_k have `counts_k` values in each row."""
        import pyarrow as pa

        begins = np.concatenate([[0], np.cumsum(columns.get("counts_k", ()))]).astype(np.int32)
        arrays = {
            name: pa.ListArray.from_arrays(begins, column) if name.endswith(_RAGGED) else pa.array(column)
            for name, column in columns.items()
            if name != "counts_k"
        }
        pieces = self._pieces(part, kind)
        # If a piece before the last one was removed, their number is a number that is in use.
        number = int(pieces[-1].stem.rpartition("-")[2]) + 1 if pieces else 0
        path = self._folder / f"{part:06}-{kind}-{number:06}.parquet"
        with atomic_write(path) as temporary:
            self._pq.write_table(pa.table(arrays), temporary)
            with temporary.open("rb") as file:
                os.fsync(file.fileno())

    def load(self, part: int, kind: str) -> Iterator[Columns]:
        """Yield the pieces of a kind, in the order in which they were written."""
        for path in self._pieces(part, kind):
            try:
                table = self._pq.read_table(path)
            except (OSError, ValueError) as error:  # pyarrow's own errors are ValueErrors
                cure = "remove the file, and what was in it is computed again"
                raise InputError(f"{path}: cannot be read: {error}; {cure}") from None
            yield dict(_columns(table))

    def _pieces(self, part: int, kind: str) -> list[Path]:
        return sorted(self._folder.glob(f"{part:06}-{kind}-*.parquet"))


def _columns(table: Any) -> Iterator[tuple[str, Any]]:  # noqa: ANN401  (pyarrow's)
    import pyarrow.compute as pc

    ragged = [name for name in table.column_names if name.endswith(_RAGGED)]
    if ragged:
        yield "counts_k", pc.list_value_length(table[ragged[0]]).to_numpy().astype(np.int64)
    for name in table.column_names:
        column = pc.list_flatten(table[name]) if name in ragged else table[name]
        yield name, column.to_numpy()


def _parquet() -> Any:  # noqa: ANN401  (a module of an optional package)
    try:
        import pyarrow.parquet as pq
    except ImportError:
        raise MissingExtraError("pyarrow", "parquet", "work kept in a folder") from None
    return pq


@contextlib.contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Make the folder where it is missing, and keep other processes out of it, until this one ends at the latest."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        file = (folder / _LOCK).open("wb")
    except OSError as error:
        raise SettingsError(f"cannot keep work in {folder}: {error.strerror or error}") from None
    with file:
        if locked(file) is False:  # where no system tells, nobody is kept out
            raise SettingsError(f"another process works in {folder}; wait for it, or name another folder")
        yield


def _read(path: Path) -> dict[str, Any]:
    try:
        manifest: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise SettingsError(f"{path} cannot be read ({error}); name a new folder") from None
    return manifest


def _check_same(folder: Path, before: Mapping[str, Any], now: Mapping[str, Any]) -> None:
    """Refuse a folder of work on something else, naming what differs."""
    different = [*_different(before, now, ("schema_version", "version"))]
    settings, data = before.get("settings", {}), before.get("data", {})
    different += _different(settings, now["settings"], {**settings, **now["settings"]})
    different += [f"other {name}" for name in {**data, **now["data"]} if data.get(name) != now["data"].get(name)]
    if different:
        raise SettingsError(
            f"{folder} holds other work: {few(different)}; name another folder, or remove this one to begin anew"
        )


def _different(before: Mapping[str, Any], now: Mapping[str, Any], names: Iterable[str]) -> Iterator[str]:
    for name in names:
        if before.get(name) != now.get(name):
            yield f"{name} {_short(before.get(name))} there, {_short(now.get(name))} now"


def _short(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
