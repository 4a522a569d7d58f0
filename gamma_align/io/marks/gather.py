"""All that the files say, as one set of columns: whose each unit is, and in which layer."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from gamma_align._types import FloatArray, IntArray
from gamma_align.data.problem import Place, Problem, line_of
from gamma_align.errors import InputError
from gamma_align.io.marks.choices import Choices
from gamma_align.io.marks.marks import Key, Marks
from gamma_align.io.marks.names import Owner, Owners
from gamma_align.io.places.layout import Layout, Placed

_SHOWN = 5


@dataclass(slots=True)
class Gathered:
    """Units of all files, in the order they came.

    Attributes
    ----------
    owners : list of Owner
        Each once; `owner` points into it. Those who marked nothing are among them.
    owner, file, index, label : ndarray of int64, shape (n_units,)
        Whose; which of `marks`; the unit's index there; which of `labels`.
    start, end : ndarray of float64, shape (n_units,)
        Bounds, in the unit of length of the files.
    labels : list of str or None
        Categories.
    marks : list of Marks
        What the files say.
    sources : list of dict
        For each of `marks`, (document, annotator) as the file has it to the owners that came of it, each once.
    notes : list of str
        What was guessed.
    """

    owners: list[Owner]
    owner: IntArray
    file: IntArray
    index: IntArray
    label: IntArray
    start: FloatArray
    end: FloatArray
    labels: list[str | None]
    marks: list[Marks]
    sources: list[dict[tuple[str | None, str | None], list[int]]]
    notes: list[str]

    def location(self, row: int) -> Place:
        """Return file and line of a unit."""
        marks = self.marks[int(self.file[row])]
        return Place(marks.file, line_of(marks.where[int(self.index[row])]))

    def where(self, row: int) -> str:
        """Return file and line of a unit as words."""
        return str(self.location(row))

    def problem(self, row: int, what: str) -> Problem:
        """Return a problem of a unit."""
        return Problem(*self.location(row), what)

    def rows(self, file: int, index: Sequence[int]) -> IntArray:
        """Return the rows of units of one of `marks`, -1 for those that are left out."""
        first, after = np.searchsorted(self.file, (file, file + 1)).tolist()
        there = self.index[first:after]
        wanted = np.asarray(index, dtype=np.int64)
        if not len(there):
            return np.full(len(wanted), -1)
        at = np.minimum(np.searchsorted(there, wanted), len(there) - 1)
        return np.where(there[at] == wanted, first + at, -1)


def marks_in(layout: Layout, placed: Placed, choices: Choices) -> list[Marks]:
    """Return what one file says, its problems among it."""
    found = layout.fmt.marks(placed.source, choices)
    for marks in found:
        _check_texts(marks)
        for document, (low, high) in marks.extents.items():
            if not -math.inf < low <= high < math.inf:
                whose = "" if document is None else f" of document {document!r}"
                marks.problem(None, f"the extent{whose} is from {low:.15g} to {high:.15g}; correct it")
    return found


def _check_texts(marks: Marks) -> None:
    for (document, annotator), text in marks.texts.items():
        try:
            text.encode()
        except UnicodeEncodeError as error:
            whose = "".join(f" of {name!r}" for name in (document, annotator) if name is not None)
            marks.problem(
                None,
                f"character {error.start} of the text{whose} is half a character (a lone surrogate), as a text cut by "
                "its UTF-16 length has; correct it",
            )


def gathered(found: list[tuple[Placed, Marks]], choices: Choices, place: str) -> Gathered:
    """Return the units of the layers asked for, with their owners."""
    by_layer = _uses_layer(choices)
    _check_layers([marks for _, marks in found], choices, place, by_layer=by_layer)
    people = Owners(choices)
    labels: dict[str | None, int] = {}
    nothing = np.empty(0, dtype=np.int64)
    columns: list[tuple[IntArray, ...]] = [(nothing,) * 4]
    bounds: list[tuple[FloatArray, FloatArray]] = [(nothing.astype(np.float64),) * 2]
    sources: list[dict[tuple[str | None, str | None], list[int]]] = []
    for number, (placed, marks) in enumerate(found):
        codes = {key: people.code_of(key, placed, marks) for key in _kept(marks, choices, by_layer=by_layer)}
        sources.append(_origin(codes))
        keys = np.asarray(marks.key, dtype=np.int64)
        wanted = np.array([choices.wants(key.layer) for key in marks.keys], dtype=np.bool_)
        index = np.flatnonzero(wanted[keys]) if len(keys) else keys
        owner_of = np.array([codes.get(key, -1) for key in marks.keys], dtype=np.int64)
        label_of = np.array([labels.setdefault(label, len(labels)) for label in marks.labels], dtype=np.int64)
        its_label = np.asarray(marks.label, dtype=np.int64)[index]
        columns.append((owner_of[keys[index]], np.full(len(index), number), index, label_of[its_label]))
        bounds.append((np.asarray(marks.start)[index], np.asarray(marks.end)[index]))
    owner, file, index, label = (np.concatenate([part[at] for part in columns]).astype(np.int64) for at in range(4))
    start, end = (np.concatenate([part[at] for part in bounds]) for at in range(2))
    told = dict.fromkeys(note for _, marks in found for note in marks.notes)  # what many files say is told once
    notes = [*people.notes(), *told]
    return Gathered(
        list(people.code), owner, file, index, label, start, end, list(labels), [m for _, m in found], sources, notes
    )


def _origin(codes: dict[Key, int]) -> dict[tuple[str | None, str | None], list[int]]:
    """Return the owners that came of each document and annotator of a file, whatever the layers."""
    origin: dict[tuple[str | None, str | None], dict[int, None]] = {}
    for key, code in codes.items():
        origin.setdefault((key.document, key.annotator), {})[code] = None
    return {pair: list(owners) for pair, owners in origin.items()}


def _uses_layer(choices: Choices) -> bool:
    return any("{layer}" in (pattern or "") for pattern in (choices.annotator, choices.document))


def _kept(marks: Marks, choices: Choices, *, by_layer: bool) -> Iterable[Key]:
    """Return the keys that make owners: who has no unit in a chosen layer still saw the document."""
    return [key for key in marks.seen if not by_layer or choices.wants(key.layer)]


def _check_layers(every: list[Marks], choices: Choices, place: str, *, by_layer: bool) -> None:
    counts = _layer_counts(every)
    for name in choices.layers or ():
        meant = [layer for layer in counts if name in (layer, layer.rpartition(".")[2])]
        if not meant and name != "*":
            raise InputError(f"{place}: no layer {name!r}; there are {_told(counts) or 'none'}")
        if name not in counts and len(meant) > 1:
            raise InputError(f"{place}: layer {name!r} is {' and '.join(sorted(meant))}; give its whole name")
    filled = {layer: count for layer, count in counts.items() if count}
    if choices.layers is None and not by_layer and len(filled) > 1:
        raise InputError(
            f"{place}: units in {len(filled)} layers: {_told(filled)}; choose with layers= (--layers NAME, '*' for "
            "all), or, where each is an annotator's, with annotator='{layer}' (--annotators-from '{layer}')"
        )


def _told(counts: dict[str, int]) -> str:
    shown = sorted(counts.items())[: 4 * _SHOWN]
    told = ", ".join(f"{layer if layer.strip() else repr(layer)} ({count} units)" for layer, count in shown)
    return told + (f" … ({len(counts)} in all)" if len(counts) > len(shown) else "")


def _layer_counts(every: list[Marks]) -> dict[str, int]:
    """Return how many units each layer has."""
    counts: dict[str, int] = {}
    for marks in every:
        sizes = np.bincount(np.asarray(marks.key, dtype=np.int64), minlength=len(marks.keys)).tolist()
        for key, size in [*zip(marks.keys, sizes, strict=True), *((key, 0) for key in marks.seen)]:
            if key.layer is not None:
                counts[key.layer] = counts.get(key.layer, 0) + size
    return counts
