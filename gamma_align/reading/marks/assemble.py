"""From the marks of files to one corpus: categories, parts of units, extents."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from gamma_align.columns import IntArray
from gamma_align.data import Coded, Corpus, Table, check_tables, few
from gamma_align.errors import Cure, InputError, Location, Set
from gamma_align.reading.contents import NO_ANNOTATIONS, Contents
from gamma_align.reading.marks.choices import Choices
from gamma_align.reading.marks.gather import Gathered, gather_units
from gamma_align.reading.marks.judged import cut_to_judged
from gamma_align.reading.marks.marks import Marks
from gamma_align.reading.marks.names import Owner
from gamma_align.reading.marks.tagged_rows import join_tags
from gamma_align.reading.marks.textual import place_on_texts
from gamma_align.reading.places.layout import Placed


def assemble_corpus(
    marked: list[tuple[Placed, Marks]], choices: Choices, *, location: str, outside: str = "refuse"
) -> Corpus:
    """Return the corpus of the files; `location` names them in messages."""
    contents = Contents(location)
    add_marks(contents, marked, choices, outside=outside)
    return contents.corpus()


def add_marks(
    contents: Contents,
    marked: list[tuple[Placed, Marks]],
    choices: Choices,
    *,
    outside: str = "refuse",
    swap: bool = False,
) -> None:
    """Add the marks of files to the contents, with all problems that prevent a corpus.

    `outside` decides on units outside the extent of their document ("refuse" or "extend"); `swap` swaps the bounds of
    units that end before they start.
    """
    for _, marks in marked:
        if swap:
            contents.swapped += map(str, marks.swap_bounds())
        contents.problems += marks.problems
        _note_versions(contents, marks, is_alone=len(marked) == 1 and choices.annotator is None)
    units = _gather_layers(contents, marked, choices)
    if units is None:
        return
    with contents.keeping():
        map_labels(units, choices)
    with contents.keeping():
        contents.texts = place_on_texts(contents, units, choices)
    with contents.keeping():
        join_tags(units, contents.texts, choices, contents.location)
    with contents.keeping():
        join_parts(units, choices)  # behind the others, because the text of each part is compared before
    if choices.seen == "told":
        cut_to_judged(units)
    contents.notes += units.notes
    contents.seen_is_told = all(marks.tells_seen for _, marks in marked)
    documents = sorted({owner.document for owner in units.owners})
    if documents:
        _check(contents, units, documents, choices, outside)
    elif not contents.problems:
        contents.add(NO_ANNOTATIONS)


def _note_versions(contents: Contents, marks: Marks, *, is_alone: bool) -> None:
    """Add notes that ask for the column that tells repeated units apart, if the marks have one.

    `is_alone` is whether only the file itself can name annotators.
    """
    if marks.versions is None:
        return
    contents.versions = contents.versions or marks.versions
    may_name_annotators = is_alone and all(key.annotator is None for key in marks.seen)
    contents.notes += marks.versions.said(contents.problems, marks.file, may_name_annotators=may_name_annotators)


def _gather_layers(contents: Contents, marked: list[tuple[Placed, Marks]], choices: Choices) -> Gathered | None:
    """Return the units of the requested layers, or, if a layer is a problem, of all: validation then reports more.

    ``None`` if that fails too. Problems are added to the contents.
    """
    for attempt in (choices, replace(choices, layers={"*": None})):
        with contents.keeping():
            return gather_units(marked, attempt, contents.location)
    return None


def _check(contents: Contents, units: Gathered, documents: list[str], choices: Choices, outside: str) -> None:
    """Check units and extents as tables are checked; add the result, its problems and the layers to the contents."""
    extents = None
    with contents.keeping():
        extents = documents_table(units, documents, contents.texts, choices, contents.location)
    owners = {name: [getattr(owner, name) for owner in units.owners] for name in Owner._fields}
    with contents.keeping():
        contents.checked = check_tables(
            _units_table(units, documents, contents.location),
            annotations=Table.of(owners, "annotations", contents.location),
            documents=extents,
            outside=outside,
        )
        contents.problems += contents.checked.problems
        contents.layers, layer = _layer_codes(units)
        rows = contents.checked.listed_rows
        contents.layer = layer if rows is None else layer[rows]


def _layer_codes(units: Gathered) -> tuple[tuple[str, ...], IntArray]:
    """Return the names of layers, and the index into them of each unit's layer, shape (n_units,)."""
    code: dict[str, int] = {}
    layer = np.zeros(len(units.start), dtype=np.int64)
    for marks, rows in units.slices():
        if rows.start < rows.stop:
            layer_of_key = np.array([code.setdefault(key.layer or "", len(code)) for key in marks.keys], dtype=np.int64)
            layer[rows] = layer_of_key[np.asarray(marks.key, dtype=np.int64)[units.index[rows]]]
    return tuple(code), layer


def join_parts(units: Gathered, choices: Choices) -> None:
    """Join the parts of each discontinuous unit, or refuse it."""
    groups: dict[tuple[int, int, str], list[int]] = {}
    for row, marks, index, part in units.with_value("part"):
        groups.setdefault((int(units.file[row]), marks.key[index], part), []).append(row)
    discontinuous = [rows for rows in groups.values() if len(rows) > 1]
    if not discontinuous or choices.discontinuous == "parts":
        return
    if choices.discontinuous == "refuse":
        first = discontinuous[0]
        raise InputError(
            f"the unit has {len(first)} parts ({len(discontinuous)} such units)",
            Cure(
                "read them as one with {} or as units of their own with {}",
                Set("discontinuous", "whole"),
                Set("discontinuous", "parts"),
            ),
            units.location(first[0]),
        )
    kept = np.ones(len(units.start), dtype=np.bool_)
    for rows in discontinuous:
        _check_category(units, rows)
        units.start[rows[0]] = units.start[rows].min()
        units.end[rows[0]] = units.end[rows].max()
        kept[rows[1:]] = False
    units.notes.append(f"{len(discontinuous)} discontinuous units are read as one each, from first start to last end")
    units.keep(np.flatnonzero(kept))


def _check_category(units: Gathered, rows: list[int]) -> None:
    """Refuse a unit if its parts have different categories."""
    first, *other_labels = (units.labels[code] for code in units.label[rows].tolist())
    for row, label in zip(rows[1:], other_labels, strict=True):
        if label != first:
            raise InputError(
                f"the part of the unit has category {label!r}, its first part {first!r}",
                Cure("correct one, or read parts as units of their own with {}", Set("discontinuous", "parts")),
                units.location(row),
            )


def map_labels(units: Gathered, choices: Choices) -> None:
    """Map the categories of units as requested, and drop the units of categories that are left out."""
    if not choices.labels:
        return
    present = {units.labels[code] for code in np.unique(units.label).tolist()}
    missing = [label for label in choices.labels if label != "*" and label not in present]
    if missing:
        labels = few(map(repr, sorted(map(str, present))), 20)
        raise InputError(
            f"no unit has the category {missing[0]!r}; there are {labels or 'none'}",
            location=Location.for_option("labels"),
        )
    mapped = [_map_label(label, choices) for label in units.labels]
    kept = np.array([keep for keep, _ in mapped], dtype=np.bool_)[units.label]
    if not kept.all():
        units.notes.append(f"{np.count_nonzero(~kept)} units of categories that were not requested are left out")
    units.labels = [label for _, label in mapped]
    units.keep(np.flatnonzero(kept))


def _map_label(label: str | None, choices: Choices) -> tuple[bool, str | None]:
    """Return whether units of the category are kept, and their new category."""
    if label is not None and label in choices.labels:
        target = choices.labels[label]
        return target is not None, target
    if "*" in choices.labels:
        return choices.labels["*"] is not None, choices.labels["*"]
    return True, label


def _units_table(units: Gathered, documents: list[str], location: str) -> Table:
    """Return the units as a table."""
    annotators = sorted({owner.annotator for owner in units.owners})
    document = {name: code for code, name in enumerate(documents)}
    annotator_code = {name: code for code, name in enumerate(annotators)}
    document_of = np.array([document[owner.document] for owner in units.owners], dtype=np.int64)
    annotator_of = np.array([annotator_code[owner.annotator] for owner in units.owners], dtype=np.int64)
    category_of = np.array([-1 if label is None else code for code, label in enumerate(units.labels)], dtype=np.int64)
    columns = {
        "document": Coded(document_of[units.owner], documents),
        "annotator": Coded(annotator_of[units.owner], annotators),
        "start": units.start,
        "end": units.end,
        "category": Coded(category_of[units.label], [label or "" for label in units.labels]),
    }
    return Table(columns, "units", location, units.location)


def documents_table(
    units: Gathered, documents: list[str], texts: dict[str, str], choices: Choices, location: str
) -> Table:
    """Return a table of the extents of documents, from texts or else from files, and of the unit of length.

    Raises an `InputError` if annotators have different numbers of tokens, or if files differ in the unit of length.
    """
    in_tokens = choices.positions == "tokens"
    extent: dict[str, tuple[float, float]] = {}
    for document, bounds in _file_extents(units, in_tokens=in_tokens):
        previous = extent.get(document, bounds)
        if in_tokens and previous != bounds:
            raise InputError(
                f"annotators have {previous[1]:.0f} and {bounds[1]:.0f} tokens",
                Cure("leave out {}, or give them one text", Set("positions")),
                Location(f"document {document!r}"),
            )
        extent[document] = (min(previous[0], bounds[0]), max(previous[1], bounds[1]))
    extent.update(units.judged)
    # A text determines the extent, whatever the files declare.
    extent.update({name: (0.0, float(len(text))) for name, text in texts.items()})
    unit = "token" if in_tokens else _length_unit(units, location)
    columns = {
        "document": documents,
        "start": [extent.get(name, (None, None))[0] for name in documents],
        "end": [extent.get(name, (None, None))[1] for name in documents],
        "unit": [unit] * len(documents),
    }
    return Table.of(columns, "documents", location)


def _length_unit(units: Gathered, location: str) -> str | None:
    """Return the unit of length of all files, ``None`` if it is unknown; raise an `InputError` if files differ."""
    first: dict[str | None, str] = {}
    for marks in units.marks:
        first.setdefault(marks.length_unit, marks.file)
    if len(first) > 1:
        counted = " and ".join(f"{unit or 'an unknown unit'} ({file})" for unit, file in first.items())
        raise InputError(f"files count in {counted}", "read each kind by itself", Location(location))
    return next(iter(first), None)


def _file_extents(units: Gathered, *, in_tokens: bool) -> Iterator[tuple[str, tuple[float, float]]]:
    """Yield (document, extent) for each file that declares one; with `in_tokens`, count the file's tokens."""
    for marks, origin in zip(units.marks, units.sources, strict=True):
        for (document, annotator), owners in origin.items():
            bounds = marks.extents.get(document)
            if in_tokens:
                tokens = marks.tokens.get((document, annotator), marks.tokens.get((document, None)))
                bounds = None if tokens is None else (0.0, float(len(tokens)))
            if bounds is not None:
                yield from ((units.owners[owner].document, bounds) for owner in owners)
