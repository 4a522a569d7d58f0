"""Rows of statistics: their conversion to and from data frames, and the checks before they are pooled."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, pairwise
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from gamma_align.columns import BoolArray, Columns, IntArray
from gamma_align.data import AnyFrame, Backend, Frame, columns_of_frame, few, frame_of
from gamma_align.errors import InputError, SettingsError
from gamma_align.version import __version__

_MAX_NAMES_SHOWN = 3


Cells = list[Any]
"""A column of a data frame, with values of any type."""
RowsSource = AnyFrame | Mapping[str, Sequence[object]]
"""Rows as a data frame, or as a mapping of columns."""


def columns_of_rows(frame: RowsSource, names: Iterable[str]) -> dict[str, Cells]:
    """Return columns of a data frame, or of a mapping of columns, as lists; InputError for a missing one."""
    columns = frame if isinstance(frame, Mapping) else columns_of_frame(frame)
    if missing := [repr(name) for name in names if name not in columns]:
        raise InputError(
            f"the data frame has no column {', '.join(missing)}, so it does not contain rows",
            "use a data frame made by to_frame",
        )
    return {name: [*columns[name]] for name in names}


def fingerprint(settings: Mapping[str, object]) -> str:
    """Return a hash of the version and of settings that are ready for JSON."""
    import json
    from hashlib import blake2b

    text = json.dumps([__version__, settings], sort_keys=True, ensure_ascii=False)
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def select_one_per_document(is_selected: BoolArray, document: IntArray, names: Sequence[str], kind: str) -> IntArray:
    """Return the selected row of each document, as an index into the rows; InputError for none or several.

    `document` is the document of each row, an index into `names`; messages call the rows `kind`.
    """
    rows = np.flatnonzero(is_selected)
    counts = np.bincount(document[rows], minlength=len(names))
    if (counts != 1).any():
        first = int(np.flatnonzero(counts != 1)[0])
        raise InputError(
            f"document {names[first]!r} has {counts[first]} rows of {kind}, and must have one",
            "pool all rows of a document, each once",
        )
    order: IntArray = rows[np.argsort(document[rows], kind="stable")]
    return order


def common_text(column: Iterable[object], described: str) -> str | None:
    """Return the text that all rows of a column have, or None if it is empty; InputError if they differ."""
    values = dict.fromkeys(value if isinstance(value, str) else None for value in column)
    if len(values) > 1:
        raise InputError(f"the rows have different {described}: {few(map(repr, values))}", "pool one kind at a time")
    return next(iter(values), None)


class RowsOfDocuments(Columns):
    """Base of rows of statistics: a frozen dataclass of columns, with fields that are common to all rows."""

    __slots__ = ()
    documents: tuple[str, ...]
    length_unit: str | None
    notes: tuple[str, ...]
    made_with: str

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: documents {len(self)}>"

    def _framed(
        self, columns: Mapping[str, npt.NDArray[np.generic]], document: IntArray, backend: Backend, **common: object
    ) -> Frame:
        """Return a data frame of columns, sorted by the document of each row, and of the common values."""
        import json

        order = np.argsort(document, kind="stable")
        table: dict[str, Sequence[Any]] = {name: column[order].tolist() for name, column in columns.items()}
        common |= {"length_unit": self.length_unit, "notes": json.dumps(self.notes, ensure_ascii=False)}
        common["made_with"] = self.made_with
        frame: Frame = frame_of(table | {name: [value] * len(order) for name, value in common.items()}, backend)
        return frame


COMMON = ("length_unit", "notes", "made_with")
"""Columns with the same value in all rows."""


def common_of(table: Mapping[str, Cells]) -> dict[str, Any]:
    """Return the values that are common to all rows of a table, by the names of `COMMON`."""
    import json

    notes = chain.from_iterable(map(json.loads, dict.fromkeys(table["notes"])))
    return {
        "length_unit": common_text(table["length_unit"], "units of length"),
        "notes": tuple(dict.fromkeys(notes)),
        "made_with": common_text(table["made_with"], "settings") or "",
    }


class _Rows(Protocol):
    @property
    def documents(self) -> tuple[str, ...]: ...
    @property
    def made_with(self) -> str: ...
    @property
    def length_unit(self) -> str | None: ...


def check_poolable(parts: Sequence[_Rows], made_with: str) -> None:
    """Refuse an empty list of rows, rows made with other settings or units of length, and repeated documents."""
    if not any(part.documents for part in parts):
        raise InputError("there are no rows to pool")
    check_made_with([(part.made_with, part.documents) for part in parts if part.documents], made_with)
    units = {part.length_unit for part in parts if part.documents}
    if len(units) > 1:
        raise InputError(
            f"bounds have different units of length: {few(sorted(map(str, units)))}", "pool rows with the same unit"
        )
    check_once(chain.from_iterable(part.documents for part in parts), "documents")


def check_made_with(parts: Iterable[tuple[str, Sequence[str]]], made_with: str) -> None:
    """Refuse rows made with other settings, from the hash of the settings and the names of each part."""
    for hashed, names in parts:
        if hashed != made_with:
            rows = f" ({few(map(repr, names), _MAX_NAMES_SHOWN)})" if names else ""
            raise SettingsError(
                f"rows were made with other settings, or by another version{rows}", "pool them with these settings"
            )


def check_once(names: Iterable[str], described: str) -> None:
    """Refuse repeated names."""
    ordered = sorted(names)
    if repeated := [name for name, following in pairwise(ordered) if name == following]:
        shown = few(map(repr, dict.fromkeys(repeated)))
        raise InputError(f"{described} are in several rows: {shown}", "keep one row of each")
