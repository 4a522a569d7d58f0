"""The marks of all files as one set of columns: the owner and the layer of each unit."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from gamma_align.columns import FloatArray, IntArray
from gamma_align.data import few
from gamma_align.errors import Cure, InputError, Location, NoteGroup, Problem, Set, UnknownMeaningError
from gamma_align.reading.marks.choices import Choices
from gamma_align.reading.marks.marks import SURROGATE, Key, Marks
from gamma_align.reading.marks.names import Owner, Owners
from gamma_align.reading.places.layout import Layout, Placed

_MAX_SHOWN_LAYERS = 20  # layers in a message
_ANY_NUMBER = re.compile(r"\d[\d.,]*")


@dataclass(slots=True)
class Gathered:
    """Units of all files, in the order of reading, as columns of shape (n_units,).

    `owner` is an index into `owners` (each once, including those without units), `file` into `marks`, `index` into the
    units of the file, `label` into `labels`; bounds are in the unit of length of the files. For each of `marks`,
    `sources` maps (document, annotator) in the file to the resulting owners. `notes` are the assumptions. `judged` is
    the part of a document that all its annotators have judged, where it is not all of it.
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
    judged: dict[str, tuple[float, float]] = field(default_factory=dict)

    def location(self, row: int) -> Location:
        """Return file and line of a unit."""
        marks = self.marks[int(self.file[row])]
        return Location(marks.file, marks.locations[int(self.index[row])])

    def problem(self, row: int, cause: str, cure: Cure | None = None) -> Problem:
        """Return a problem of a unit."""
        return Problem(self.location(row), cause, cure)

    def keep(self, rows: IntArray) -> None:
        """Keep the units in these rows, in this order, and drop all others; a row may be given several times."""
        for name in ("owner", "file", "index", "label", "start", "end"):
            setattr(self, name, getattr(self, name)[rows])

    def slices(self) -> Iterator[tuple[Marks, slice]]:
        """Yield the marks of each file with the slice of its units."""
        edges = np.searchsorted(self.file, np.arange(len(self.marks) + 1)).tolist()
        return zip(self.marks, map(slice, edges, edges[1:]), strict=True)

    def with_value(self, attribute: str) -> Iterator[tuple[int, Marks, int, str]]:
        """Yield (row, marks of its file, index into those marks, value) for each unit with this attribute.

        The attribute is ``part`` or ``surface``.
        """
        for marks, rows in self.slices():
            values = getattr(marks, attribute)
            if values:
                for row, index in enumerate(self.index[rows].tolist(), rows.start):
                    if index in values:
                        yield row, marks, index, values[index]


def read_marks(layout: Layout, placed: Placed, choices: Choices) -> list[Marks]:
    """Read one file and return its marks; invalid texts and extents are added to their problems."""
    all_marks = layout.fmt.marks(placed.source, choices)
    for marks in all_marks:
        _check_texts(marks)
        for document, (low, high) in marks.extents.items():
            if not -math.inf < low <= high < math.inf:
                of = "" if document is None else f" of document {document!r}"
                marks.problem(None, f"the extent{of} is from {low:.15g} to {high:.15g}", "correct it")
    return all_marks


def _check_texts(marks: Marks) -> None:
    """Add a problem for each text that contains half a character."""
    for key, text in marks.texts.items():
        surrogate = SURROGATE.search(text)
        if surrogate:
            of = "".join(f" of {name!r}" for name in key if name is not None)
            marks.problem(
                None,
                f"character {surrogate.start()} of the text{of} is half a character (a lone surrogate), as a text cut "
                "by its UTF-16 length has",
                "correct it",
            )


@dataclass(frozen=True, slots=True, eq=False)
class _Columns:
    """The columns of the units of one file, as in `Gathered`."""

    owner: IntArray
    file: IntArray
    index: IntArray
    label: IntArray
    start: FloatArray
    end: FloatArray


def gather_units(marked: list[tuple[Placed, Marks]], choices: Choices, location: str) -> Gathered:
    """Return the units of the requested layers, with their owners.

    Raises an `InputError` if a requested layer does not exist or names are missing or ambiguous.
    """
    all_marks = [marks for _, marks in marked]
    _check_layers(all_marks, choices, location)
    owners = Owners(choices)
    labels: dict[str | None, int] = {}
    sources: list[dict[tuple[str | None, str | None], list[int]]] = []
    parts = []
    for file, (placed, marks) in enumerate(marked):
        codes = {key: owners.code_of(key, placed, marks) for key in _keys_of_owners(marks, placed, choices)}
        sources.append(_owners_by_name(codes))
        parts.append(_columns(marks, file, codes, labels, choices))
    return Gathered(
        owners=list(owners.code),
        owner=_concatenate_int64(part.owner for part in parts),
        file=_concatenate_int64(part.file for part in parts),
        index=_concatenate_int64(part.index for part in parts),
        label=_concatenate_int64(part.label for part in parts),
        start=np.concatenate([np.empty(0), *(part.start for part in parts)]),
        end=np.concatenate([np.empty(0), *(part.end for part in parts)]),
        labels=list(labels),
        marks=all_marks,
        sources=sources,
        notes=[*owners.notes(), *_notes(all_marks)],
    )


def _notes(all_marks: Sequence[Marks]) -> Iterator[str]:
    """Yield the notes of all files; notes of many files that differ only in numbers are combined into one."""
    kinds: dict[str, dict[str, None]] = {}
    for marks in all_marks:
        for note in marks.notes:
            kinds.setdefault(_ANY_NUMBER.sub("", note.removeprefix(marks.file)), {})[note] = None
    for notes in kinds.values():
        yield from NoteGroup.few(list(notes))


def _columns(
    marks: Marks, file: int, codes: Mapping[Key, int], labels: dict[str | None, int], choices: Choices
) -> _Columns:
    """Return the columns of the selected units of a file; its new categories are added to `labels`.

    `file` is the index of the file and `codes` maps its keys to indices of owners.
    """
    is_selected = np.array([choices.wants(key.layer) and not marks.is_dropped(key) for key in marks.keys], np.bool_)
    owner = np.array([codes.get(key, -1) for key in marks.keys], dtype=np.int64)
    label = np.array([labels.setdefault(label, len(labels)) for label in marks.labels], dtype=np.int64)
    key = np.asarray(marks.key, dtype=np.int64)
    index = np.flatnonzero(is_selected[key]) if len(key) else key  # a file without units has no key to select by
    return _Columns(
        owner=owner[key[index]],
        file=np.full(len(index), file, dtype=np.int64),
        index=index,
        label=label[np.asarray(marks.label, dtype=np.int64)[index]],
        start=np.asarray(marks.start, dtype=np.float64)[index],
        end=np.asarray(marks.end, dtype=np.float64)[index],
    )


def _concatenate_int64(columns: Iterable[IntArray]) -> IntArray:
    return np.concatenate([np.empty(0, dtype=np.int64), *columns])


def _owners_by_name(codes: dict[Key, int]) -> dict[tuple[str | None, str | None], list[int]]:
    """Return the indices of the owners for each (document, annotator) in a file, over all layers."""
    origin: dict[tuple[str | None, str | None], dict[int, None]] = {}
    for key, code in codes.items():
        origin.setdefault((key.document, key.annotator), {})[code] = None
    return {pair: list(owners) for pair, owners in origin.items()}


def _keys_of_owners(marks: Marks, placed: Placed, choices: Choices) -> Iterable[Key]:
    """Return the keys of a file that become owners.

    An annotator without units in a selected layer still saw the document, unless layers name the annotators.
    """
    if marks.creators and not marks.seen and "annotator" in placed.fields and not choices.by_layer:
        return [Key(None, None, None)]  # the annotator named by the path marked nothing
    named = "annotator" in placed.fields or choices.annotator not in (None, "{annotator}")
    seen = [key for key in marks.seen if not marks.is_dropped(key)]
    keys = [key for key in seen if choices.wants(key.layer) or (not choices.by_layer and (key.annotator or named))]
    return keys or (() if choices.by_layer else seen)


def _check_layers(all_marks: Sequence[Marks], choices: Choices, location: str) -> None:
    """Raise an `InputError` if a requested layer is unknown or ambiguous, or none of several is chosen."""
    counts = _layer_counts(all_marks)
    for name in choices.layers or ():
        meant = [layer for layer in counts if name in (layer, layer.rpartition(".")[2])]
        if not meant and name != "*":
            raise InputError(
                f"no layer {name!r}; there are {_layers_for_message(counts) or 'none'}", location=Location(location)
            )
        if name not in counts and len(meant) > 1:
            raise InputError(
                f"layer {name!r} is {' and '.join(sorted(meant))}", "give its full name", Location(location)
            )
    filled = {layer: count for layer, count in counts.items() if count}
    if choices.layers is None and not choices.by_layer and len(filled) > 1:
        raise UnknownMeaningError(
            f"units in {len(filled)} layers: {_layers_for_message(filled)}",
            Cure(
                "choose with {} ('*' for all), or, if each is an annotator's, with {}",
                Set("layers"),
                Set("annotator", "{layer}"),
            ),
            Location(location),
        )


def _layers_for_message(counts: dict[str, int]) -> str:
    """Return the layers with their numbers of units in words."""
    layers = sorted(counts.items())
    return few(
        (f"{layer if layer.strip() else repr(layer)} ({count} units)" for layer, count in layers), _MAX_SHOWN_LAYERS
    )


def _layer_counts(all_marks: Sequence[Marks]) -> dict[str, int]:
    """Return the number of units of each layer; layers without units count 0."""
    counts: dict[str, int] = {}
    for marks in all_marks:
        sizes = np.bincount(np.asarray(marks.key, dtype=np.int64), minlength=len(marks.keys)).tolist()
        for key, size in [*zip(marks.keys, sizes, strict=True), *((key, 0) for key in marks.seen)]:
            if key.layer is not None and not marks.is_dropped(key):
                counts[key.layer] = counts.get(key.layer, 0) + size
    return counts
