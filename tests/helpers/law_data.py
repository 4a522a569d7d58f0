"""Small random data for the laws of measures, changes of them, and results as flat leaves by name."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

import gamma_align as ga

ANNOTATORS = ("ann1", "ann2", "ann3")
DOCUMENTS = ("doc1", "doc2", "doc3", "doc4")
CATEGORIES = ("cat1", "cat2", "cat3")
ITEMS = tuple(f"doc{number}" for number in range(1, 13))
KINDS_OF_NAMES = ("ann", "doc", "cat")
LENGTH = 60  # of a document
_NAME = re.compile(r"\b(ann|doc|cat)(\d+)\b")

Position = Callable[[Any], Any]


@dataclass(frozen=True)
class Units:
    """Units of a corpus: (document, annotator, start, end, category), and the extent of each document.

    All annotators saw all documents; `reference` is one of them.
    """

    records: tuple[tuple[Any, ...], ...]
    extents: Mapping[str, tuple[Any, Any]]
    annotators: tuple[str, ...] = ANNOTATORS
    reference: str = ANNOTATORS[0]

    def data(self) -> ga.Corpus:
        """Return the corpus."""
        annotations = [(document, annotator) for document in self.extents for annotator in self.annotators]
        return ga.Corpus.from_records(self.records, annotations=annotations, extents=self.extents)

    def rename(self, kind: str) -> Units:
        """Return the units with other names for annotators (``ann``), documents or categories, in reverse order."""
        return Units(
            tuple(tuple(renamed(cell, kind) for cell in record) for record in self.records),
            {renamed(name, kind): extent for name, extent in self.extents.items()},
            tuple(renamed(name, kind) for name in self.annotators),
            renamed(self.reference, kind),
        )

    def reorder(self, draw: random.Random) -> Units:
        """Return the units and documents in another order."""
        names = draw.sample([*self.extents], len(self.extents))
        extents = {name: self.extents[name] for name in names}
        return replace(self, records=tuple(draw.sample(self.records, len(self.records))), extents=extents)

    def move(self, position: Position) -> Units:
        """Return the units with other positions."""
        records = tuple((d, a, position(start), position(end), c) for d, a, start, end, c in self.records)
        extents = {name: (position(low), position(high)) for name, (low, high) in self.extents.items()}
        return replace(self, records=records, extents=extents)

    def duplicate(self) -> Units:
        """Return each document twice; the copies have further names."""
        records = tuple((_copy_name(document), *unit) for document, *unit in self.records)
        extents = {_copy_name(document): extent for document, extent in self.extents.items()}
        return replace(self, records=self.records + records, extents={**self.extents, **extents})

    def identical(self) -> Units:
        """Return units on which all annotators agree with the first one."""
        first = [record for record in self.records if record[1] == self.annotators[0]]
        return replace(self, records=tuple((d, a, *unit) for d, _, *unit in first for a in self.annotators))

    def empty(self) -> dict[str, Units]:
        """Return data that lack something, by what they lack."""
        one = self.annotators[:1]
        return {
            "units": replace(self, records=()),
            "documents": replace(self, records=(), extents={}),
            "a second annotator": replace(
                self, records=tuple(record for record in self.records if record[1] in one), annotators=one
            ),
            "units of all but one annotator": replace(
                self, records=tuple(record for record in self.records if record[1] in one)
            ),
        }


@dataclass(frozen=True)
class Judgments:
    """Judgments of items: (item, coder, category), a category of None for a missing one, and all categories."""

    records: tuple[tuple[Any, ...], ...]
    categories: tuple[Any, ...]
    reference: str = ANNOTATORS[0]

    def data(self) -> ga.ItemTable:
        """Return the table."""
        return ga.ItemTable.from_records(self.records, categories=self.categories)

    def rename(self, kind: str) -> Judgments:
        """Return the judgments with other names for coders (``ann``), items (``doc``) or categories."""
        records = tuple(tuple(renamed(cell, kind) for cell in record) for record in self.records)
        categories = tuple(renamed(category, kind) for category in self.categories)
        return Judgments(records, categories, renamed(self.reference, kind))

    def reorder(self, draw: random.Random) -> Judgments:
        """Return the judgments in another order."""
        return replace(self, records=tuple(draw.sample(self.records, len(self.records))))

    def move(self, position: Position) -> Judgments:
        """Return judgments whose categories, which are numbers, are other numbers."""
        records = tuple((i, c, None if label is None else position(label)) for i, c, label in self.records)
        return replace(self, records=records, categories=tuple(map(position, self.categories)))

    def duplicate(self) -> Judgments:
        """Return each item twice; the copies have further names."""
        copies = tuple((_copy_name(item), coder, label) for item, coder, label in self.records)
        return replace(self, records=self.records + copies)

    def identical(self) -> Judgments:
        """Return judgments on which all coders agree, of more than one category."""
        label = {item: self.categories[index % len(self.categories)] for index, item in enumerate(ITEMS)}
        return replace(self, records=tuple((item, coder, label[item]) for item, coder, _ in self.records))

    def empty(self) -> dict[str, Judgments]:
        """Return judgments that lack something, by what they lack."""
        return {
            "judgments": replace(self, records=()),
            "judgments that are not missing": replace(self, records=tuple((i, c, None) for i, c, _ in self.records)),
            "a second coder": replace(self, records=tuple(r for r in self.records if r[1] == ANNOTATORS[0])),
            "an item with two judgments": replace(
                self, records=tuple(r for index, r in enumerate(self.records) if index % (len(ANNOTATORS) + 1) == 0)
            ),
        }


@dataclass(frozen=True)
class Pair:
    """Two annotations of the same documents or items, which are changed alike."""

    first: Any
    second: Any

    def data(self) -> tuple[Any, Any]:
        """Return both."""
        return self.first.data(), self.second.data()

    def rename(self, kind: str) -> Pair:
        """Return both with other names."""
        return Pair(self.first.rename(kind), self.second.rename(kind))

    def reorder(self, draw: random.Random) -> Pair:
        """Return both in another order."""
        return Pair(self.first.reorder(draw), self.second.reorder(draw))

    def move(self, position: Position) -> Pair:
        """Return both with other positions."""
        return Pair(self.first.move(position), self.second.move(position))

    def duplicate(self) -> Pair:
        """Return both with each document twice."""
        return Pair(self.first.duplicate(), self.second.duplicate())

    def identical(self) -> Pair:
        """Return the first annotation twice."""
        return Pair(self.first, self.first)

    def empty(self) -> dict[str, Pair]:
        """Return pairs that lack something."""
        second = self.second.empty()
        return {name: Pair(part, second[name]) for name, part in self.first.empty().items()}


def renamed(cell: Any, kind: str) -> Any:
    """Return a text with other names of a kind, whose order is the reverse one; all else as it is."""
    if not isinstance(cell, str):
        return cell
    return _NAME.sub(lambda match: f"{kind}{10**6 - int(match[2])}" if match[1] == kind else match[0], cell)


def _copy_name(document: str) -> str:
    return f"{document}00"


def draw_units(
    seed: int, *, overlap: bool = False, gaps: bool = True, labels: Sequence[str] = CATEGORIES, step: float = 1
) -> Units:
    """Draw units of three annotators in four documents, which are like each other.

    With `overlap` units of an annotator may overlap; without `gaps` they divide the whole document. Positions are
    multiples of `step`.
    """
    draw = random.Random(seed)  # noqa: S311  (no secrets)
    records: list[tuple[Any, ...]] = []
    for document in DOCUMENTS:
        bounds = sorted(draw.sample(range(4, LENGTH - 4), 6))
        for annotator in ANNOTATORS:
            own = sorted({0, *(bound + draw.choice([-1, 0, 0, 1]) for bound in bounds), LENGTH})
            units = [*pairwise(own)]
            units = [unit for unit in units if not gaps or draw.random() < 0.7] or units[:1]
            if overlap:
                units += [(start, min(end + 5, LENGTH)) for start, end in units[::2]]
            for index, (start, end) in enumerate(units):
                label = labels[(index + draw.choice([0, 0, 0, 1])) % len(labels)]
                records.append((document, annotator, start * step, end * step, label))
    return Units(tuple(dict.fromkeys(records)), dict.fromkeys(DOCUMENTS, (0, LENGTH * step)))


def draw_judgments(seed: int, labels: Sequence[Any] = CATEGORIES, *, coders: int = 3, missing: float = 0) -> Judgments:
    """Draw judgments of twelve items, which agree more often than by chance."""
    draw = random.Random(seed)  # noqa: S311
    records = []
    for item in ITEMS:
        true = draw.choice(labels)
        for coder in ANNOTATORS[:coders]:
            label = true if draw.random() < 0.6 else draw.choice(labels)
            records.append((item, coder, None if draw.random() < missing else label))
    return Judgments(tuple(records), tuple(labels))


# ---------------------------------------------------------------------------------------------- results as flat leaves

Flat = dict[str, list[Any]]
"""The leaves of a result by their paths, as `corpus/gamma/value`. Rows of a list without a name share their paths."""

_PAIR_FIELDS = ("first", "second", "annotators", "coders")  # whose order is that of the names
_INDICES = re.compile(r"/(alignments?|kind|kinds|number|example|reference_unit|system_unit)$")  # rows in some order


def flatten(result: Any, kind: str | None = None) -> Flat:
    """Return the leaves of a result, with other names of a kind.

    Rows of a list that have different names of annotators, documents or categories are named by them.
    """
    flat: Flat = {}
    _flatten(_plain(result), "", flat, lambda text: renamed(text, kind) if kind else text)
    return {path: sorted(leaves, key=_order) for path, leaves in flat.items() if not _INDICES.search(path)}


def _order(leaf: Any) -> tuple[str, Any]:
    return ("number", float(leaf)) if isinstance(leaf, int | float) else (type(leaf).__name__, str(leaf))


def _plain(result: Any) -> Any:
    if hasattr(result, "to_dict"):
        return result.to_dict()
    if isinstance(result, tuple | list):
        return [_plain(part) for part in result]
    if isinstance(result, Mapping):
        return {key: _plain(part) for key, part in result.items()}
    if is_dataclass(result):
        return {field.name: _plain(getattr(result, field.name)) for field in fields(result)}
    return result.tolist() if isinstance(result, np.ndarray) else result


def _flatten(part: Any, path: str, flat: Flat, rename: Callable[[str], str]) -> None:
    if isinstance(part, Mapping):
        for key, value in part.items():
            if key not in _PAIR_FIELDS or not _name_of([value]):
                _flatten(value, f"{path}/{rename(str(key))}", flat, rename)
    elif isinstance(part, list | tuple):
        names = [_name_of(row, rename) for row in part]
        are_unique = len({*names}) == len(names) and all(names)
        for row, name in zip(part, names, strict=True):
            _flatten(row, f"{path}/{name if are_unique else '*'}", flat, rename)
    else:
        flat.setdefault(path, []).append(rename(part) if isinstance(part, str) else part)


def _name_of(row: Any, rename: Callable[[str], str] = str) -> str:
    """Return the names of annotators, documents and categories in a row of a list, with their fields."""
    names = set()
    for field, value in row.items() if isinstance(row, Mapping) else [("", row)]:
        values = value if isinstance(value, list | tuple) and field in (*_PAIR_FIELDS, "") else [value]
        label = "" if field in _PAIR_FIELDS or not field else f"{field} "
        names |= {f"{label}{rename(text)}" for text in values if isinstance(text, str) and _NAME.fullmatch(text)}
    return " ".join(sorted(names))
