"""The fate of each unit between two versions of a corpus: moved, relabelled, split, merged, removed, added.

Units of one annotator of one document are matched in three steps. Units with the same bounds and label are the same, as
many as either version has. Then an older unit is *split* if two newer units or more, apart from each other, lie within
it by more than half of their length and cover more than half of it; *merged* is the reverse. All others are matched one
to one, as `measures.reference.matching` does it, if they overlap or have the same bounds.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from gamma_align.columns import FloatArray, IntArray
from gamma_align.data import Batch, Corpus, few, in_one_unit
from gamma_align.inference import Result
from gamma_align.insight.comparison.fates import SAME as SAME_DOCUMENT
from gamma_align.insight.comparison.fates import DocumentFate, document_fates, renamed_documents
from gamma_align.insight.comparison.shared_names import SharedNames
from gamma_align.insight.comparison.sides import check_texts
from gamma_align.measures.reference import (
    BOUNDARY,
    BOUNDARY_AND_LABEL,
    CORRECT,
    LABEL,
    REFERENCE,
    SYSTEM,
    Matching,
    Overlaps,
)
from gamma_align.version import __version__

SAME, MOVED, RELABELLED, BOTH, SPLIT, MERGED, REMOVED, LOST, ADDED = UNIT_FATES = (
    *("same", "moved", "relabelled", "both", "split", "merged", "removed", "lost", "added"),
)
"""Fates of a unit, in the order of tables; "both" is moved and relabelled, "lost" without its text."""

WHERE = ("both", "first", "second")
"""In which version a unit of a matrix of labels is."""

_FATE_OF_KIND = {CORRECT: SAME, BOUNDARY: MOVED, LABEL: RELABELLED, BOUNDARY_AND_LABEL: BOTH}


class Span(NamedTuple):
    """Bounds and label of a unit; the label is None without a category."""

    start: float
    end: float
    category: str | None


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class UnitFate(Result):
    """A unit that is not the same in both versions.

    Attributes
    ----------
    document, annotator : str
        Where it is; the document has its name in the second version.
    fate : str
        ``moved``, ``relabelled``, ``both`` of these, ``split``, ``merged``, ``removed``, ``added``; or ``lost``: texts
        differ and are aligned, and no character of the unit is in the second one.
    first, second : tuple of Span
        The units in each version, (start, end, category): one and several if it is split, several and one if units are
        merged, none where it is not.
    text : str or None
        The text that the first of them covers, if it is known.

    Examples
    --------
    >>> old = [("d", "gold", 0, 9, "x")]
    >>> new = [("d", "gold", 0, 3, "x"), ("d", "gold", 4, 9, "x")]
    >>> row = ga.unit_changes(old, new).changed[0]
    >>> row.fate, row.second
    ('split', (Span(start=0.0, end=3.0, category='x'), Span(start=4.0, end=9.0, category='x')))
    """

    document: str
    annotator: str
    fate: str
    first: tuple[Span, ...]
    second: tuple[Span, ...]
    text: str | None = None


class FateCount(NamedTuple):
    """How many units of each version have a fate."""

    fate: str
    first: int
    second: int


class LabelChange(NamedTuple):
    """How many units have a label in the first version and one in the second.

    `where` is "both", or the version that alone has the units; the label of the other one is None then. Of split and
    merged units, the longest part is the one that is in both.
    """

    where: str
    first: str | None
    second: str | None
    units: int


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class UnitChanges(Result):
    """What became of each unit between two versions.

    Attributes
    ----------
    names : tuple of str
        Names of the two versions.
    counts : tuple of FateCount
        Units by fate, (fate, first, second). Each unit of either version is counted once.
    labels : tuple of LabelChange
        Units by their labels in both versions, (where, first, second, units): a matrix whose sums are the labels of
        either version.
    changed : tuple of UnitFate
        The units that are not the same, by document, annotator and position.
    fates : tuple of DocumentFate
        What became of each document.
    signature : str
        What was compared.
    notes : tuple of str
        Assumptions and warnings.

    Examples
    --------
    >>> old = [("d", "gold", 0, 4, "x"), ("d", "gold", 6, 9, "x"), ("d", "gold", 20, 24, "y")]
    >>> new = [("d", "gold", 0, 5, "x"), ("d", "gold", 6, 9, "y"), ("d", "gold", 30, 34, "y")]
    >>> result = ga.unit_changes(old, new)
    >>> [(row.fate, row.first, row.second) for row in result.counts if row.first or row.second]
    [('moved', 1, 1), ('relabelled', 1, 1), ('removed', 1, 0), ('added', 0, 1)]
    >>> result.is_same
    False
    """

    names: tuple[str, str]
    counts: tuple[FateCount, ...]
    labels: tuple[LabelChange, ...]
    changed: tuple[UnitFate, ...]
    fates: tuple[DocumentFate, ...]
    signature: str
    notes: tuple[str, ...] = ()

    @property
    def is_same(self) -> bool:
        """Whether documents with their names, annotators and units are the same in both versions."""
        return not self.changed and all(row.fate == SAME_DOCUMENT and row.former is None for row in self.fates)

    def _summary(self) -> str:
        return f"changed units {len(self.changed)}, documents {len(self.fates)}"

    def _contents(self) -> dict[str, object]:
        names = ("names", "signature", "is_same", "counts", "labels", "changed", "fates", "notes")
        return {"schema_version": 1, **self._named(*names)}


def unit_changes_of(
    first: Corpus, second: Corpus, names: tuple[str, str], lost: Sequence[UnitFate] = ()
) -> UnitChanges:
    """Return the fate of each unit; see `unit_changes`. Units that are `lost` are not in the first corpus."""
    first, second = in_one_unit((first, second), names)
    renamed = renamed_documents(first, second)
    if renamed:
        first = first.rename(documents=renamed)
    check_texts(first, second, [name for name in first.documents if name in second], names)
    versions = _Versions.of(first, second)
    matched = _Matched.of(versions.batch)
    size = f"{first.n_units + len(lost)}/{second.n_units}"
    return UnitChanges(
        names=names,
        counts=tuple(_counts(matched, len(lost))),
        labels=tuple(_label_changes(versions, matched, lost)),
        changed=(*_changed(versions, matched), *lost),
        fates=document_fates(first, second, renamed),
        signature=f"units|docs:{len(first)}/{len(second)}|units:{size}|v:{__version__}",
        notes=tuple(dict.fromkeys([*first.notes, *second.notes, *_names_note(first, second, names)])),
    )


def _names_note(first: Corpus, second: Corpus, names: tuple[str, str]) -> Iterator[str]:
    """Yield that no annotator is in both versions, as where files of a gold standard have other names."""
    if not {*first.annotators} & {*second.annotators} and first.n_units and second.n_units:
        sides = [
            f"{name} ({few(map(repr, corpus.annotators))})" for name, corpus in zip(names, (first, second), strict=True)
        ]
        yield f"no annotator is in both {' and '.join(sides)}, so that all units are removed or added"


@dataclass(frozen=True, slots=True, eq=False)
class _Versions:
    """Two versions as a batch: an instance for each annotator of each document, whose annotators are the versions.

    `row` is the row of each unit of the batch in the corpus of its version, and `document` its document there.
    Categories have codes of `labels`, with -1 for none.
    """

    corpora: tuple[Corpus, Corpus]
    labels: tuple[str, ...]
    batch: Batch
    row: IntArray
    document: IntArray

    @classmethod
    def of(cls, first: Corpus, second: Corpus) -> _Versions:
        """Put the units of both versions into one batch."""
        _, *documents = SharedNames.of(first.documents, second.documents)
        annotator_names, *annotators = SharedNames.of(first.annotators, second.annotators)
        label_names, *labels = SharedNames.of(first.categories, second.categories)
        key = np.concatenate(
            [
                own_documents[side.unit_document] * len(annotator_names) + own_annotators[side.annotator]
                for side, own_documents, own_annotators in zip((first, second), documents, annotators, strict=True)
            ]
        )
        _, instance = np.unique(key, return_inverse=True)
        instance = instance.reshape(-1).astype(np.int64)
        counts = [side.n_units for side in (first, second)]
        version = np.repeat([REFERENCE, SYSTEM], counts)
        category = np.concatenate(
            [np.append(codes, -1)[side.category] for codes, side in zip(labels, (first, second), strict=True)]
        )
        n_versions = np.full(int(instance.max(initial=-1)) + 1, 2)
        bounds = [np.concatenate([getattr(side, name) for side in (first, second)]) for name in ("start", "end")]
        batch, order = Batch.build(n_versions, instance, version, bounds[0], bounds[1], category.astype(np.int64))
        row = np.concatenate([np.arange(count) for count in counts])[order]
        document = np.concatenate([side.unit_document for side in (first, second)])[order]
        return cls((first, second), label_names, batch, row, document)

    def label(self, unit: int) -> str | None:
        """Return the label of a unit of the batch."""
        code = int(self.batch.category[unit])
        return None if code < 0 else self.labels[code]

    def span(self, unit: int) -> Span:
        """Return the bounds and the label of a unit of the batch."""
        return Span(float(self.batch.start[unit]), float(self.batch.end[unit]), self.label(unit))

    def place(self, unit: int) -> tuple[str, str, str | None]:
        """Return document, annotator and covered text of a unit of the batch."""
        corpus = self.corpora[int(self.batch.annotator[unit])]
        row = int(self.row[unit])
        document = int(self.document[unit])
        text = None if corpus.texts is None else corpus.texts[document]
        covered = None if text is None else text[int(corpus.start[row]) : int(corpus.end[row])]
        return corpus.documents[document], corpus.annotators[int(corpus.annotator[row])], covered


class _Group(NamedTuple):
    """Units of a batch that became each other."""

    fate: str
    first: tuple[int, ...]
    second: tuple[int, ...]


@dataclass(frozen=True, slots=True, eq=False)
class _Matched:
    """The units that are the same, as pairs of units of a batch, shape (n_same, 2), and the groups of all others."""

    same: IntArray
    groups: list[_Group]

    @classmethod
    def of(cls, batch: Batch) -> _Matched:
        """Match the units of two versions."""
        overlaps = Overlaps.of(batch)
        is_free = np.ones(batch.n_units, dtype=np.bool_)
        for side in (overlaps.reference, overlaps.system):
            is_free[side[overlaps.same_bounds]] = False
        groups: list[_Group] = []
        is_inner = is_free[overlaps.reference] & is_free[overlaps.system] & ~overlaps.same_bounds
        inner = overlaps.take(is_inner)
        for fate, whole, parts in ((SPLIT, inner.reference, inner.system), (MERGED, inner.system, inner.reference)):
            for one, several in _in_parts(batch, whole, parts, inner.length):
                if is_free[[one, *several]].all():
                    is_free[[one, *several]] = False
                    groups.append(_Group(fate, *(((one,), several) if fate == SPLIT else (several, (one,)))))
        in_groups = np.array([unit for group in groups for unit in (*group.first, *group.second)], dtype=np.int64)
        remaining = np.setdiff1d(np.arange(batch.n_units), in_groups)
        matching = Matching.of(batch.repeat(remaining))
        pairs = np.stack([remaining[matching.pairs.reference], remaining[matching.pairs.system]], axis=1)
        kinds = matching.kind[matching.pairs.reference]
        is_same = kinds == CORRECT
        for (one, other), kind in zip(pairs[~is_same].tolist(), kinds[~is_same].tolist(), strict=True):
            groups.append(_Group(_FATE_OF_KIND[kind], (one,), (other,)))
        for unit in np.setdiff1d(remaining, pairs).tolist():
            is_first = batch.annotator[unit] == REFERENCE
            groups.append(_Group(REMOVED, (unit,), ()) if is_first else _Group(ADDED, (), (unit,)))
        return cls(pairs[is_same], groups)


def _in_parts(
    batch: Batch, whole: IntArray, part: IntArray, length: FloatArray
) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Yield the units that others, apart from each other, are parts of, with these parts by position."""
    is_part = length > (batch.end[part] - batch.start[part]) / 2
    parts_of: dict[int, list[tuple[int, float]]] = {}
    for one, other, amount in zip(
        whole[is_part].tolist(), part[is_part].tolist(), length[is_part].tolist(), strict=True
    ):
        parts_of.setdefault(one, []).append((other, amount))
    for one, parts in sorted(parts_of.items()):
        units = sorted((unit for unit, _ in parts), key=lambda unit: (batch.start[unit], batch.end[unit]))
        are_apart = all(batch.end[before] <= batch.start[after] for before, after in pairwise(units))
        covered = sum(amount for _, amount in parts)
        if len(units) > 1 and are_apart and covered > (batch.end[one] - batch.start[one]) / 2:
            yield one, tuple(units)


def _counts(matched: _Matched, n_lost: int) -> Iterator[FateCount]:
    """Yield how many units have each fate."""
    first = Counter({SAME: len(matched.same), LOST: n_lost})
    second = Counter({SAME: len(matched.same)})
    for group in matched.groups:
        first[group.fate] += len(group.first)
        second[group.fate] += len(group.second)
    for fate in UNIT_FATES:
        yield FateCount(fate, first[fate], second[fate])


def _label_changes(versions: _Versions, matched: _Matched, lost: Sequence[UnitFate]) -> Iterator[LabelChange]:
    """Yield the cells of the matrix of labels, those of units in both versions first."""
    batch = versions.batch
    length = batch.end - batch.start
    counts: Counter[tuple[int, int, int]] = Counter()
    codes, n_units = np.unique(batch.category[matched.same[:, 0]], return_counts=True)
    for code, count in zip(codes.tolist(), n_units.tolist(), strict=True):
        counts[0, code, code] += count
    for group in matched.groups:
        sides = [sorted(side, key=lambda unit: -length[unit]) for side in (group.first, group.second)]
        category = [[int(batch.category[unit]) for unit in side] for side in sides]
        n_both = min(map(len, sides))
        for one, other in zip(*category, strict=False):
            counts[0, one, other] += 1
        for where, side in enumerate(category, 1):
            for code in side[n_both:]:
                counts[where, *((code, -1) if where == 1 else (-1, code))] += 1
    names = (*versions.labels, None)
    cells = Counter({(where, names[one], names[other]): count for (where, one, other), count in counts.items()})
    for row in lost:
        cells[1, row.first[0].category, None] += 1
    for where, one, other in sorted(cells, key=lambda cell: (cell[0], cell[1] or "", cell[2] or "")):
        yield LabelChange(WHERE[where], one, other, cells[where, one, other])


def _changed(versions: _Versions, matched: _Matched) -> Iterator[UnitFate]:
    """Yield the units that are not the same, by document, annotator and position."""
    batch = versions.batch

    def position(group: _Group) -> tuple[str, str, float, float]:
        unit = (group.first or group.second)[0]
        document, annotator, _ = versions.place(unit)
        return document, annotator, float(batch.start[unit]), float(batch.end[unit])

    for group in sorted(matched.groups, key=position):
        document, annotator, text = versions.place((group.first or group.second)[0])
        spans = [tuple(map(versions.span, side)) for side in (group.first, group.second)]
        yield UnitFate(document, annotator, group.fate, spans[0], spans[1], text)
