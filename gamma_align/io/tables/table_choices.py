"""Tables read as the files of annotation tools are: patterns for names, layers, categories, parts of one unit."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gamma_align.data.build import corpus_columns
from gamma_align.data.corpus import Corpus
from gamma_align.data.extents import declared_extents
from gamma_align.data.tables import Table, factorized, known_columns
from gamma_align.errors import SettingsError
from gamma_align.io.tables.table_marks import LAYER, PART, marks_of_table

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from gamma_align.io.marks.choices import Choices
    from gamma_align.io.marks.marks import Marks
    from gamma_align.io.places.layout import Placed


def more_columns(choices: Choices, columns: Mapping[str, str], *, parts: bool) -> tuple[str, ...]:
    """Return the columns of units to read besides those always read: only what somebody asks for.

    Parameters
    ----------
    choices : Choices
        Whose `layers` and patterns may ask for layers.
    columns : mapping of str to str
        Our names to the user's; "layer" and "unit" in it ask for them.
    parts : bool
        Whether the user says what to do with discontinuous units.
    """
    by_layer = any("{layer}" in (pattern or "") for pattern in (choices.annotator, choices.document))
    layer = choices.layers is not None or by_layer or LAYER in columns
    return (LAYER,) * layer + (PART,) * (parts or PART in columns)


def is_asked(choices: Choices, more: tuple[str, ...]) -> bool:
    """Whether anything is chosen that takes more than reading the table as it is."""
    return bool(more or choices.labels or choices.annotator or choices.document)


def check_choices(choices: Choices, place: str) -> None:
    """Refuse what has no meaning for tables.

    Raises
    ------
    SettingsError
        For choices about texts, and options.
    """
    for name, value in (
        ("positions", choices.positions),
        ("offsets", choices.offsets),
        ("mismatch", choices.mismatch if choices.mismatch != "refuse" else None),
        ("align_text", choices.align_text or None),
    ):
        if value is not None:
            raise SettingsError(
                f"{name}={value!r} is for files with texts; {place} is a table, whose bounds are taken as they are"
            )
    if choices.options:
        raise SettingsError(
            f"a table has no options ({', '.join(choices.options)}), and {place} is one; columns= names its columns"
        )
    feature = next((feature for feature in (choices.layers or {}).values() if feature), None)
    if feature is not None:
        raise SettingsError(
            f"the layers of a table have no features, and {feature!r} of layers= names one; say which column is the "
            f"category with columns={{'category': {feature!r}}} (--column category={feature})"
        )


def chosen_corpus(
    tables: Mapping[str, Table],
    columns: Mapping[str, str],
    choices: Choices,
    *,
    path: Path,
    more: tuple[str, ...],
    outside: str,
    notes: tuple[str, ...],
) -> Corpus:
    """Return the corpus that is chosen of the tables.

    Parameters
    ----------
    tables : mapping of str to Table
        "units", and "annotations" and "documents" where there are.
    columns : mapping of str to str
        Our names to the user's.
    choices : Choices
        How to read.
    path : Path
        Of the units.
    more : tuple of str
        See `more_columns`.
    outside : {"refuse", "extend"}
        Units outside the extent of their document.
    notes : tuple of str
        What the reader has to tell.

    Raises
    ------
    InputError
        As `corpus_columns` and `assemble.assembled`.
    """
    from gamma_align.io.marks.assemble import assembled  # noqa: PLC0415  (tables as they are need no files)

    placed, marks, left_out = marks_of_tables(tables, columns, path=path, more=more, outside=outside)
    return assembled(
        [(placed, marks)], choices, place=tables["units"].place, outside=outside, notes=(*notes, *left_out)
    )


def marks_of_tables(
    tables: Mapping[str, Table], columns: Mapping[str, str], *, path: Path, more: tuple[str, ...], outside: str
) -> tuple[Placed, Marks, tuple[str, ...]]:
    """Return tables as one file that says what they do, and notes; see `chosen_corpus`."""
    from gamma_align.io.files.sources import Source  # noqa: PLC0415
    from gamma_align.io.marks.gather import refuse  # noqa: PLC0415
    from gamma_align.io.places.layout import Placed  # noqa: PLC0415

    units = tables["units"]
    marks = marks_of_table(units, columns, more=more)
    refuse(marks.problems)
    notes = _declare(marks, tables, columns, outside) if len(tables) > 1 else ()
    return Placed(Source(path, units.place), {"document": path.stem}), marks, notes


def _declare(marks: Marks, tables: Mapping[str, Table], columns: Mapping[str, str], outside: str) -> tuple[str, ...]:
    """Tell the marks who saw what and how long documents are; return what is left out."""
    named = {name: theirs for name, theirs in columns.items() if name != LAYER}
    if columns.get(PART, PART) in tables["units"].columns:  # then it is not the unit of length
        named.pop(PART, None)
    whole = Corpus(
        **corpus_columns(
            tables["units"],
            annotations=tables.get("annotations"),
            documents=tables.get("documents"),
            columns=named,
            outside=outside,
        )
    )
    for at, document in enumerate(whole.documents):
        for annotator in whole.continuum(at).annotators:
            marks.annotated(document, annotator)
    if "documents" not in tables:
        return ()
    table = known_columns(tables["documents"], named, required=("document",))
    declared, marks.length_unit = declared_extents(table)
    names = factorized(table, "document")
    place = {document: at for at, document in enumerate(whole.documents)}
    for label, bounds in zip((names.labels[code] for code in names.codes.tolist()), declared, strict=True):
        if not np.isnan(bounds).all():
            low, high = np.where(np.isnan(bounds), whole.extents[place[label]], bounds).tolist()
            marks.extents[label] = (low, high)
    unseen = int(np.count_nonzero(np.diff(whole.seen_offsets) == 0))
    return (f"{table.place}: {unseen} documents that nobody annotated are left out",) if unseen else ()
