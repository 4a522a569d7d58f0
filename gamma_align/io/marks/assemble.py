"""From what the files say to one corpus: categories, parts of units, extents."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from gamma_align._types import IntArray
from gamma_align.data.build import check_tables
from gamma_align.data.corpus import Corpus
from gamma_align.data.problem import Problem
from gamma_align.data.tables import Coded, Table, numbered
from gamma_align.errors import InputError
from gamma_align.io.contents import Contents
from gamma_align.io.marks.choices import Choices
from gamma_align.io.marks.gather import Gathered, gathered
from gamma_align.io.marks.marks import Marks
from gamma_align.io.marks.textual import place_on_texts
from gamma_align.io.places.layout import Placed


def assembled(
    marked: list[tuple[Placed, Marks]],
    choices: Choices,
    *,
    place: str,
    outside: str = "refuse",
    notes: tuple[str, ...] = (),
) -> Corpus:
    """Return the corpus that the files make.

    Parameters
    ----------
    marked : list of (Placed, Marks)
        What each file says.
    choices : Choices
        How to read.
    place : str
        What messages call the whole.
    outside : {"refuse", "extend"}
        Units outside the extent of their document.
    notes : tuple of str
        What the layout has to tell.
    """
    contents = Contents(place, notes=list(notes))
    assemble(contents, marked, choices, outside=outside)
    return contents.corpus()


def assemble(
    contents: Contents,
    marked: list[tuple[Placed, Marks]],
    choices: Choices,
    *,
    outside: str = "refuse",
    swap: bool = False,
) -> None:
    """Add what the files say to the contents, and all that keeps it from being a corpus.

    Parameters
    ----------
    contents : Contents
        Is added to.
    marked : list of (Placed, Marks)
        What each file says.
    choices : Choices
        How to read.
    outside : {"refuse", "extend"}
        Units outside the extent of their document.
    swap : bool
        Swap the bounds of units that end before they start.
    """
    for _, marks in marked:
        if swap:
            contents.swapped += map(str, marks.swap_bounds())
        contents.problems += marks.problems
    units = _gathered(contents, marked, choices)
    if units is None:
        return
    with contents.keeping():
        map_labels(units, choices)
    with contents.keeping():
        contents.texts = place_on_texts(contents, units, choices)
    with contents.keeping():
        join_parts(units, choices)  # last: what a part covers has been checked against the text
    contents.notes += units.notes
    documents = sorted({owner.document for owner in units.owners})
    if documents:
        _check(contents, units, documents, choices, outside)
    elif not contents.problems:
        what = "no annotations in it; there is nothing to measure"
        contents.problems.append(Problem(contents.location, None, what))


def _gathered(contents: Contents, marked: list[tuple[Placed, Marks]], choices: Choices) -> Gathered | None:
    """Return the units of the layers asked for, those of all layers where that cannot be done."""
    for attempt in (choices, replace(choices, layers={"*": None})):
        with contents.keeping():
            return gathered(marked, attempt, contents.location)
    return None


def _check(contents: Contents, units: Gathered, documents: list[str], choices: Choices, outside: str) -> None:
    """Check the units as tables are checked."""
    extents = None
    with contents.keeping():
        extents = documents_table(units, documents, contents.texts, choices, contents.location)
    with contents.keeping():
        contents.checked = check_tables(
            _units(units, documents, contents.location),
            annotations=_annotations(units, contents.location),
            documents=extents,
            outside=outside,
        )
        contents.problems += contents.checked.problems
        contents.layers, contents.layer = _layers(units)


def _layers(units: Gathered) -> tuple[tuple[str, ...], IntArray]:
    """Return the names of layers, and the code of each unit's."""
    code: dict[str, int] = {}
    layer = np.zeros(len(units.start), dtype=np.int64)
    edges = np.searchsorted(units.file, np.arange(len(units.marks) + 1)).tolist()
    for marks, first, after in zip(units.marks, edges[:-1], edges[1:], strict=True):
        if first < after:
            of_key = np.array([code.setdefault(key.layer or "", len(code)) for key in marks.keys], dtype=np.int64)
            layer[first:after] = of_key[np.asarray(marks.key, dtype=np.int64)[units.index[first:after]]]
    return tuple(code), layer


def _keep(units: Gathered, rows: IntArray) -> None:
    for name in ("owner", "file", "index", "label", "start", "end"):
        setattr(units, name, getattr(units, name)[rows])


def join_parts(units: Gathered, choices: Choices) -> None:
    """Make one unit of the parts of a discontinuous one, or refuse it."""
    several = [rows for rows in _parts(units) if len(rows) > 1]
    if not several or choices.discontinuous == "parts":
        return
    if choices.discontinuous == "refuse":
        raise InputError(
            f"{units.where(several[0][0])}: the unit has {len(several[0])} parts ({len(several)} such units); read "
            "them as one with discontinuous='whole' (--discontinuous whole) or as units of their own with 'parts'"
        )
    kept = np.ones(len(units.start), dtype=np.bool_)
    for rows in several:
        _check_category(units, rows)
        units.start[rows[0]], units.end[rows[0]] = units.start[rows].min(), units.end[rows].max()
        kept[rows[1:]] = False
    units.notes.append(f"{len(several)} discontinuous units are read as one each, from first start to last end")
    _keep(units, np.flatnonzero(kept))


def _parts(units: Gathered) -> list[list[int]]:
    """Return the rows of each unit that has a name for its parts."""
    groups: dict[tuple[int, int, str], list[int]] = {}
    for file, marks in enumerate(units.marks):
        if not marks.part:
            continue
        index = sorted(marks.part)
        for at, row in zip(index, units.rows(file, index).tolist(), strict=True):
            if row >= 0:
                groups.setdefault((file, marks.key[at], marks.part[at]), []).append(row)
    return list(groups.values())


def _check_category(units: Gathered, rows: list[int]) -> None:
    """Refuse parts of one unit that are not of one category."""
    for row in rows[1:]:
        one, other = (units.labels[int(units.label[at])] for at in (rows[0], row))
        if one != other:
            raise InputError(
                f"{units.where(row)}: the part of the unit has category {other!r}, its first part {one!r}; correct "
                "one, or read parts as units of their own with discontinuous='parts' (--discontinuous parts)"
            )


def map_labels(units: Gathered, choices: Choices) -> None:
    """Give units the categories asked for, and leave out those that shall be."""
    if not choices.labels:
        return
    there = {units.labels[code] for code in np.unique(units.label).tolist()}
    missing = [label for label in choices.labels if label != "*" and label not in there]
    if missing:
        told = ", ".join(repr(label) for label in sorted(map(str, there))[:20])
        raise InputError(f"no unit has the category {missing[0]!r} of labels=; there are {told or 'none'}")
    mapped = [_label(label, choices) for label in units.labels]
    kept = np.array([keep for keep, _ in mapped], dtype=np.bool_)[units.label]
    if not kept.all():
        units.notes.append(f"{np.count_nonzero(~kept)} units of categories that were not asked for are left out")
    units.labels = [label for _, label in mapped]
    _keep(units, np.flatnonzero(kept))


def _label(label: str | None, choices: Choices) -> tuple[bool, str | None]:
    """Return whether units of the category are kept, and as what."""
    if label is not None and label in choices.labels:
        target = choices.labels[label]
        return target is not None, target
    if "*" in choices.labels:
        return choices.labels["*"] is not None, choices.labels["*"]
    return True, label


def _units(units: Gathered, documents: list[str], place: str) -> Table:
    code = {name: at for at, name in enumerate(documents)}
    people = list(dict.fromkeys(owner.annotator for owner in units.owners))
    person = {name: at for at, name in enumerate(people)}
    document_of = np.array([code[owner.document] for owner in units.owners], dtype=np.int64)
    person_of = np.array([person[owner.annotator] for owner in units.owners], dtype=np.int64)
    none = np.array([label is None for label in units.labels], dtype=np.bool_)
    columns = {
        "document": Coded(document_of[units.owner], documents),
        "annotator": Coded(person_of[units.owner], people),
        "start": units.start,
        "end": units.end,
        "category": Coded(
            np.where(none[units.label], -1, units.label) if len(none) else units.label,
            [label or "" for label in units.labels],
        ),
    }
    return Table(columns, "units", place, units.where, units.location)


def _annotations(units: Gathered, place: str) -> Table:
    columns = {name: [getattr(owner, name) for owner in units.owners] for name in ("document", "annotator")}
    return Table(columns, "annotations", place, numbered)


def documents_table(
    units: Gathered, documents: list[str], texts: dict[str, str], choices: Choices, place: str
) -> Table:
    """Return the extents that texts and files give, and the unit of length."""
    in_tokens = choices.positions == "tokens"
    extent: dict[str, tuple[float, float]] = {}
    for document, bounds in _file_extents(units, in_tokens=in_tokens):
        before = extent.get(document, bounds)
        if in_tokens and before != bounds:
            raise InputError(
                f"document {document!r}: annotators have {before[1]:.0f} and {bounds[1]:.0f} tokens; leave out "
                "positions= (--positions), or give them one text"
            )
        extent[document] = (min(before[0], bounds[0]), max(before[1], bounds[1]))
    extent.update({name: (0.0, float(len(text))) for name, text in texts.items()})
    unit = "token" if in_tokens else _length_unit(units, place)
    columns = {
        "document": documents,
        "start": [extent.get(name, (None, None))[0] for name in documents],
        "end": [extent.get(name, (None, None))[1] for name in documents],
        "unit": [unit] * len(documents),
    }
    return Table(columns, "documents", place, numbered)


def _length_unit(units: Gathered, place: str) -> str | None:
    first: dict[str | None, str] = {}
    for marks in units.marks:
        first.setdefault(marks.length_unit, marks.file)
    if len(first) > 1:
        told = " and ".join(f"{unit or 'an unknown unit'} ({file})" for unit, file in first.items())
        raise InputError(f"{place}: files count in {told}; read each kind by itself")
    return next(iter(first), None)


def _file_extents(units: Gathered, *, in_tokens: bool) -> Iterator[tuple[str, tuple[float, float]]]:
    """Yield document and extent as each file has it."""
    for marks, origin in zip(units.marks, units.sources, strict=True):
        for (document, annotator), owners in origin.items():
            bounds = marks.extents.get(document)
            if in_tokens:
                tokens = marks.tokens.get((document, annotator), marks.tokens.get((document, None)))
                bounds = None if tokens is None else (0.0, float(len(tokens)))
            if bounds is not None:
                yield from ((units.owners[owner].document, bounds) for owner in owners)
