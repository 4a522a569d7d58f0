"""Rows of statistics on their way through data frames, and what rows that are pooled have to have in common."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any, Protocol

import numpy as np

from gamma_align.columns import BoolArray, Columns, IntArray
from gamma_align.data.frames import Backend, Frame, frame_of
from gamma_align.data.problem import few
from gamma_align.data.tables import AnyFrame, columns_of_frame
from gamma_align.errors import InputError, SettingsError
from gamma_align.version import __version__


def columns_of_rows(frame: AnyFrame | Mapping[str, Sequence[object]], names: Iterable[str]) -> dict[str, list[Any]]:
    """Return columns of a data frame, or of a mapping of columns, as lists; InputError for one that is missing."""
    columns = frame if isinstance(frame, Mapping) else columns_of_frame(frame)
    if missing := [repr(name) for name in names if name not in columns]:
        raise InputError(f"these are not rows that to_frame made: no column {', '.join(missing)}")
    return {name: [*columns[name]] for name in names}


def fingerprint(settings: Mapping[str, Any]) -> str:
    """Return a hash of settings, ready for JSON, and of the version."""
    import json
    from hashlib import blake2b

    text = json.dumps([__version__, settings], sort_keys=True, ensure_ascii=False)
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def one_each(here: BoolArray, document: IntArray, names: Sequence[str], kind: str) -> IntArray:
    """Return the row of each document; InputError where one has none, or two."""
    rows = np.flatnonzero(here)
    counts = np.bincount(document[rows], minlength=len(names))
    if (counts != 1).any():
        first = int(np.flatnonzero(counts != 1)[0])
        raise InputError(f"document {names[first]!r} has {counts[first]} rows of {kind}, and should have one")
    order: IntArray = rows[np.argsort(document[rows], kind="stable")]
    return order


def same(column: Iterable[Any], what: str) -> str | None:
    """Return what stands in each row of a column, None for nothing."""
    values = dict.fromkeys(value if isinstance(value, str) else None for value in column)
    if len(values) > 1:
        raise InputError(f"the rows are of different {what}: {few(map(repr, values))}; pool one kind at a time")
    return next(iter(values), None)


class RowsOfDocuments(Columns):
    """Base of rows of statistics: a frozen dataclass of columns, with what all of its rows have in common."""

    __slots__ = ()
    documents: tuple[str, ...]
    length_unit: str | None
    notes: tuple[str, ...]
    made_with: str

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: documents {len(self)}>"

    def _framed(self, columns: Mapping[str, Any], document: IntArray, backend: Backend, **common: object) -> Frame:
        """Return columns, sorted by the document of each row, and what is common to all, as a data frame."""
        import json

        order = np.argsort(document, kind="stable")
        table: dict[str, Any] = {name: column[order].tolist() for name, column in columns.items()}
        common |= {"length_unit": self.length_unit, "notes": json.dumps(self.notes, ensure_ascii=False)}
        common["made_with"] = self.made_with
        return frame_of(table | {name: [value] * len(order) for name, value in common.items()}, backend)


COMMON = ("length_unit", "notes", "made_with")
"""The columns that are the same in all rows."""


def common_of(table: Mapping[str, Sequence[Any]]) -> dict[str, Any]:
    """Return what is common to all rows of a table, by the names of `COMMON`."""
    import json

    notes = [note for text in dict.fromkeys(table["notes"]) for note in json.loads(text)]
    return {
        "length_unit": same(table["length_unit"], "units of length"),
        "notes": tuple(dict.fromkeys(notes)),
        "made_with": same(table["made_with"], "settings") or "",
    }


class _Rows(Protocol):
    @property
    def documents(self) -> tuple[str, ...]: ...
    @property
    def made_with(self) -> str: ...
    @property
    def length_unit(self) -> str | None: ...


def check_poolable(parts: Sequence[_Rows], made_with: str) -> None:
    """Refuse rows of no or of other settings, units of length that differ, and documents that are there twice."""
    if not any(part.documents for part in parts):
        raise InputError("no rows to pool")
    check_made_with([(part.made_with, part.documents) for part in parts if part.documents], made_with)
    units = {part.length_unit for part in parts if part.documents}
    if len(units) > 1:
        raise InputError(f"bounds count different things: {few(sorted(map(str, units)))}; such rows are not pooled")
    check_once((name for part in parts for name in part.documents), "documents")


def check_made_with(parts: Iterable[tuple[str, Sequence[str]]], made_with: str) -> None:
    """Refuse rows of other settings, from the hash and the names of those of each part."""
    for hashed, names in parts:
        if hashed != made_with:
            which = f": {few(map(repr, names), 3)}" if names else ""
            raise SettingsError(
                f"rows were made with other settings, or by another version{which}; pool them with the settings they "
                "were made with"
            )


def check_once(names: Iterable[str], what: str) -> None:
    """Refuse names that are there twice."""
    ordered = sorted(names)
    if twice := [name for name, following in pairwise(ordered) if name == following]:
        raise InputError(f"{what} are there twice: {few(map(repr, dict.fromkeys(twice)))}; leave one row of each")
