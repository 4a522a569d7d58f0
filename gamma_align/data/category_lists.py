"""Cells of a column of categories that hold lists: each name in the list is the category of a unit of its own.

Programs write several labels of one span into one cell, as Python, JSON or NumPy print a list: ``['A', 'B']``,
``["A", "B"]``, ``['A' 'B']``, ``{'A', 'B'}``, and without quotes ``[A, B]``.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain

import numpy as np

from gamma_align.columns import UNLABELLED, IntArray
from gamma_align.data.problem import few
from gamma_align.data.tables import Coded, Table, factorized, labels_in_use
from gamma_align.errors import Cure, Location, Problem

_QUOTED = r""""(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'"""
_NAME = re.compile(_QUOTED)
_LIST = re.compile(rf"\s*[\[({{]\s*(?:(?:{_QUOTED})(?:[\s,]+(?:{_QUOTED}))*)?\s*,?\s*[\])}}]\s*")
_PLAIN_LIST = re.compile(r"\s*[\[({](.*)[\])}]\s*", re.DOTALL)
_SEPARATORS = re.compile(r"\s*[;|,+&/]\s*")
_SEPARATORS_OF_NAMES = re.compile(r"\s*[;|,]\s*")


def one_category_a_row(units: Table) -> tuple[Table, IntArray | None, tuple[str, ...]]:
    """Return the units with a row for each name in a list of categories, the row that each comes from, and notes.

    Without lists the table is the same, and there are no rows. An empty list is no category.
    """
    if "category" not in units.columns:
        return units, None, ()
    column = factorized(units, "category", nullable=True)
    used = labels_in_use(column)
    lists = _lists(used)
    if not lists:
        return units, None, tuple(_joined_names(units, used))
    names_of = [lists.get(label, [label]) for label in column.labels]
    code = {name: index for index, name in enumerate(dict.fromkeys(name for names in names_of for name in names))}
    codes_of = [[code[name] for name in names] or [UNLABELLED] for names in names_of]
    codes_of.append([UNLABELLED])  # of code -1
    rows = np.repeat(np.arange(len(units)), np.array([len(codes) for codes in codes_of])[column.codes])
    codes = np.array([new for old in column.codes.tolist() for new in codes_of[old]], dtype=np.int64)
    columns = {name: values if name == "category" else _rows_of(values, rows) for name, values in units.columns.items()}
    columns["category"] = Coded(codes, tuple(code))
    shown = max(lists, key=lambda label: len(lists[label]))
    note = f"{units.origin}: cells of categories hold lists ({shown}): each name in them is read as a unit of its own"
    return Table(columns, units.kind, units.origin, lambda row: units.location(int(rows[row]))), rows, (note,)


def _rows_of(values: object, rows: IntArray) -> object:
    if isinstance(values, Coded):
        return values._replace(codes=values.codes[rows])
    if isinstance(values, np.ndarray):
        return values[rows]
    cells = list(values)  # type: ignore[call-overload]
    return [cells[row] for row in rows.tolist()]


def _lists(labels: list[str]) -> dict[str, list[str]]:
    """Return the names in each label that is a list."""
    if not any(label.lstrip()[:1] in {"[", "(", "{"} for label in labels):
        return {}
    quoted = [label for label in labels if _LIST.fullmatch(label)]
    lists = {label: [ast.literal_eval(name) for name in _NAME.findall(label)] for label in quoted}
    if not any(lists.values()):
        lists = _lists_without_quotes([label for label in labels if label.strip()])
    return {label: list(dict.fromkeys(names)) for label, names in lists.items()}


def _lists_without_quotes(labels: list[str]) -> dict[str, list[str]]:
    """Return the names in each label, if all are in brackets and some have several names: "[laughter]" is a name."""
    contents = [match[1] for match in map(_PLAIN_LIST.fullmatch, labels) if match is not None]
    if len(contents) < len(labels) or not any("," in content for content in contents):
        return {}
    names = ([part.strip() for part in content.split(",") if part.strip()] for content in contents)
    return dict(zip(labels, names, strict=True))


def _joined_names(units: Table, labels: list[str]) -> Iterator[str]:
    """Yield a note on categories that are several others with a separator between them."""
    known = set(labels)
    joined = [label for label in labels if len(parts := _SEPARATORS.split(label)) > 1 and known.issuperset(parts)]
    if joined:
        yield (
            f"{units.origin}: categories that consist of other categories are categories of their own: "
            f"{few(map(repr, joined), 3)}; write such a cell as a list, ['A', 'B'], if it stands for several units"
        )


def several_annotators(units: Table, annotators: Sequence[str]) -> Problem | None:
    """Return the problem that a cell names several annotators: "mira; jonas" beside "mira", None if none does."""
    parts = {name: [*filter(None, _SEPARATORS_OF_NAMES.split(name.strip()))] for name in annotators}
    count = Counter(chain.from_iterable(parts.values()))
    joined = [name for name, own in parts.items() if len(own) > 1 and all(count[part] > 1 for part in own)]
    if not joined:
        return None
    return Problem(
        Location(units.origin),
        f"a row may be of several annotators: {few(map(repr, sorted(joined)), 3)}",
        Cure("give each of them a row of its own"),
    )
