"""Values of keys of units that are not read: one of the keys may tell versions of an annotation apart."""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from gamma_align.columns import UNLABELLED, IntArray
from gamma_align.data import Coded, Table, Versions
from gamma_align.data.versions import versions
from gamma_align.reading.marks.marks import Marks


class UnreadValues:
    """The values of keys that are not read: a column for each key, a row for each unit of the marks."""

    def __init__(self, marks: Marks) -> None:
        self._marks = marks
        self._codes: dict[str, array[int]] = {}
        self._labels: dict[str, dict[str, int]] = {}

    def add(self, values: Mapping[str, object]) -> None:
        """Add the values of the last unit; lists and objects tell no units apart."""
        row = len(self._marks) - 1
        for key, value in values.items():
            name = name_of(value)
            if name is not None:
                codes = self._codes.setdefault(key, array("q"))
                labels = self._labels.setdefault(key, {})
                codes.extend([UNLABELLED] * (row - len(codes)))
                codes.append(labels.setdefault(name, len(labels)))

    def versions(self) -> Versions | None:
        """Return the key that tells repeated units apart."""
        marks = self._marks
        if not len(marks) or not self._codes:
            return None
        columns = {key: Coded(self._column(key), tuple(labels)) for key, labels in self._labels.items()}
        table = replace(Table.of(columns, "units", marks.file), unread=lambda _: columns)
        label_codes = np.array([UNLABELLED if label is None else code for code, label in enumerate(marks.labels)])
        category = Coded(label_codes[np.asarray(marks.label)], [label or "" for label in marks.labels])
        columns_read: dict[str, object] = {"category": category}
        if any(key.document is not None for key in marks.keys):
            columns_read["document"] = marks.keys  # versions are looked for within documents
        units = Table.of(columns_read, "units", marks.file)
        return versions(table, (), units, np.asarray(marks.key), (np.asarray(marks.start), np.asarray(marks.end)))

    def _column(self, key: str) -> IntArray:
        codes = np.full(len(self._marks), UNLABELLED, dtype=np.int64)
        known = np.asarray(self._codes[key], dtype=np.int64)
        codes[: len(known)] = known
        return codes


def name_of(value: object) -> str | None:
    """Return a text, number, true or false as a name, ``None`` for other values."""
    return str(value) if isinstance(value, str | int | float) else None
