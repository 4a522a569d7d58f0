"""The marks of all files as one set of columns: the owner and the layer of each unit."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gamma_align.columns import FloatArray, IntArray
from gamma_align.data.problem import few
from gamma_align.errors import Cure, InputError, Location, Problem
from gamma_align.io.marks.choices import Choices
from gamma_align.io.marks.marks import HALF, Key, Marks
from gamma_align.io.marks.names import Owner, Owners
from gamma_align.io.places.layout import Layout, Placed

_SHOWN = 20


@dataclass(slots=True)
class Gathered:
    """Units of all files, in the order they came, as columns of shape (n_units,).

    `owner` points into `owners` (each once, those who marked nothing among them), `file` into `marks`, `index` is the
    unit's index there, `label` points into `labels`; bounds are in the unit of length of the files. `sources` maps, for
    each of `marks`, (document, annotator) as the file has it to the owners that came of it. `notes` are what was
    guessed.
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

    def location(self, row: int) -> Location:
        """Return file and line of a unit."""
        marks = self.marks[int(self.file[row])]
        return Location(marks.file, marks.where[int(self.index[row])])

    def problem(self, row: int, cause: str, cure: Cure | None = None) -> Problem:
        """Return a problem of a unit."""
        return Problem(self.location(row), cause, cure)

    def keep(self, rows: IntArray) -> None:
        """Leave out all other units."""
        for name in ("owner", "file", "index", "label", "start", "end"):
            setattr(self, name, getattr(self, name)[rows])

    def slices(self) -> Iterator[tuple[Marks, slice]]:
        """Yield the marks of each file, and which units are from there."""
        edges = np.searchsorted(self.file, np.arange(len(self.marks) + 1)).tolist()
        return zip(self.marks, map(slice, edges, edges[1:]), strict=True)

    def with_value(self, attribute: str) -> Iterator[tuple[int, Marks, int, str]]:
        """Yield the row of each unit that has a `part` or `surface`; its marks, its index there, and the value."""
        for marks, rows in self.slices():
            values = getattr(marks, attribute)
            if values:
                for row, index in enumerate(self.index[rows].tolist(), rows.start):
                    if index in values:
                        yield row, marks, index, values[index]


def marks_in(layout: Layout, placed: Placed, choices: Choices) -> list[Marks]:
    """Return the marks of one file, with problems of its texts and extents."""
    every = layout.fmt.marks(placed.source, choices)
    for marks in every:
        _check_texts(marks)
        for document, (low, high) in marks.extents.items():
            if not -math.inf < low <= high < math.inf:
                of = "" if document is None else f" of document {document!r}"
                marks.problem(None, f"the extent{of} is from {low:.15g} to {high:.15g}; correct it")
    return every


def _check_texts(marks: Marks) -> None:
    for key, text in marks.texts.items():
        half = HALF.search(text)
        if half:
            of = "".join(f" of {name!r}" for name in key if name is not None)
            marks.problem(
                None,
                f"character {half.start()} of the text{of} is half a character (a lone surrogate), as a text cut by "
                "its UTF-16 length has; correct it",
            )


def gathered(marked: list[tuple[Placed, Marks]], choices: Choices, location: str) -> Gathered:
    """Return the units of the layers asked for, with their owners."""
    every = [marks for _, marks in marked]
    _check_layers(every, choices, location)
    owners = Owners(choices)
    labels: dict[str | None, int] = {}
    sources: list[dict[tuple[str | None, str | None], list[int]]] = []
    parts = [_part((), (), (), (), (), ())]
    for file, (placed, marks) in enumerate(marked):
        codes = {key: owners.code_of(key, placed, marks) for key in _kept(marks, placed, choices)}
        sources.append(_origin(codes))
        key = np.asarray(marks.key, dtype=np.int64)
        wanted = np.array([choices.wants(key.layer) and not marks.is_dropped(key) for key in marks.keys], np.bool_)
        index = np.flatnonzero(wanted[key]) if len(key) else key
        owner = np.array([codes.get(key, -1) for key in marks.keys], dtype=np.int64)
        label = np.array([labels.setdefault(label, len(labels)) for label in marks.labels], dtype=np.int64)
        bounds = np.asarray(marks.start)[index], np.asarray(marks.end)[index]
        label_of = label[np.asarray(marks.label, dtype=np.int64)[index]]
        parts.append(_part(owner[key[index]], np.full(len(index), file), index, label_of, *bounds))
    owner, file_of, index, label_of, start, end = map(np.concatenate, zip(*parts, strict=True))
    notes = dict.fromkeys(note for marks in every for note in marks.notes)  # what many files say is said once
    return Gathered(
        list(owners.code),
        owner,
        file_of,
        index,
        label_of,
        start,
        end,
        list(labels),
        every,
        sources,
        [*owners.notes(), *notes],
    )


def _part(*columns: Any) -> list[Any]:  # noqa: ANN401
    """Return the columns of a file: owner, file, index, label; start, end."""
    kinds = (np.int64,) * 4 + (np.float64,) * 2
    return [np.asarray(values, dtype=kind) for values, kind in zip(columns, kinds, strict=True)]


def _origin(codes: dict[Key, int]) -> dict[tuple[str | None, str | None], list[int]]:
    """Return the owners that came of each document and annotator of a file, whatever the layers."""
    origin: dict[tuple[str | None, str | None], dict[int, None]] = {}
    for key, code in codes.items():
        origin.setdefault((key.document, key.annotator), {})[code] = None
    return {pair: list(owners) for pair, owners in origin.items()}


def _kept(marks: Marks, placed: Placed, choices: Choices) -> Iterable[Key]:
    """Return the keys that make owners: who has no unit in a chosen layer still saw the document."""
    if marks.creators and not marks.seen and "annotator" in placed.fields and not choices.by_layer:
        return [Key(None, None, None)]  # the annotator of the path marked nothing, so that nobody created a unit
    named = "annotator" in placed.fields or choices.annotator is not None
    seen = [key for key in marks.seen if not marks.is_dropped(key)]
    keys = [key for key in seen if choices.wants(key.layer) or (not choices.by_layer and (key.annotator or named))]
    return keys or (() if choices.by_layer else seen)


def _check_layers(every: Sequence[Marks], choices: Choices, location: str) -> None:
    counts = _layer_counts(every)
    for name in choices.layers or ():
        meant = [layer for layer in counts if name in (layer, layer.rpartition(".")[2])]
        if not meant and name != "*":
            raise InputError(f"{location}: no layer {name!r}; there are {_counted(counts) or 'none'}")
        if name not in counts and len(meant) > 1:
            raise InputError(f"{location}: layer {name!r} is {' and '.join(sorted(meant))}; give its whole name")
    filled = {layer: count for layer, count in counts.items() if count}
    if choices.layers is None and not choices.by_layer and len(filled) > 1:
        raise InputError(
            f"{location}: units in {len(filled)} layers: {_counted(filled)}; choose with layers= (--layers NAME, '*' "
            "for all), or, where each is an annotator's, with annotator='{layer}' (--annotators-from '{layer}')"
        )


def _counted(counts: dict[str, int]) -> str:
    layers = sorted(counts.items())
    return few((f"{layer if layer.strip() else repr(layer)} ({count} units)" for layer, count in layers), _SHOWN)


def _layer_counts(every: Sequence[Marks]) -> dict[str, int]:
    """Return how many units each layer has."""
    counts: dict[str, int] = {}
    for marks in every:
        sizes = np.bincount(np.asarray(marks.key, dtype=np.int64), minlength=len(marks.keys)).tolist()
        for key, size in [*zip(marks.keys, sizes, strict=True), *((key, 0) for key in marks.seen)]:
            if key.layer is not None and not marks.is_dropped(key):
                counts[key.layer] = counts.get(key.layer, 0) + size
    return counts
