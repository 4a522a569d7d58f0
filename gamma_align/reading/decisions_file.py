"""Files of decisions on disagreements, as the report saves them: JSON, read strictly.

::

    {"schema_version": 1, "decisions": [
      {"document": "d1", "units": [{"annotator": "ann", "start": 3, "end": 9, "category": "PER"}],
       "reading": {"annotator": "ann"}, "note": "titles belong to names"},
      {"finding": {"kind": "words", "annotator": "bob", "words": ["his", "her"], "direction": "leaves out"},
       "reading": {"others": "bob"}}]}

A reading is ``{"annotator": name}``, ``{"others": name}`` (the votes of all but one), ``{"unit": {"start": …, "end": …,
"category": …}}``, ``{"unit": null}`` (no unit), or null: then the note is all that was decided.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from gamma_align.data import Unit
from gamma_align.errors import InputError, Location
from gamma_align.insight.consensus import (
    ALL_BUT_ONE,
    ANNOTATOR,
    NO_UNIT_HOLDS,
    UNIT,
    Decision,
    Decisions,
    FindingFacts,
    NewUnit,
    Place,
    Reading,
)
from gamma_align.reading.files.json_files import FaultError, document, get, maybe, need, number, shown
from gamma_align.reading.files.sources import Source

SCHEMA_VERSION = 1


def read_decisions(path: str | os.PathLike[str]) -> Decisions:
    """Read the decisions that were made in a report.

    Parameters
    ----------
    path : str or path
        The JSON file.

    Returns
    -------
    Decisions

    Raises
    ------
    InputError
        If the file cannot be read, or a decision is invalid: the message names it.

    Examples
    --------
    >>> import json, pathlib, tempfile
    >>> lone = {"annotator": "ann", "start": 0, "end": 4, "category": "x"}
    >>> decision = {"document": "d", "units": [lone], "reading": {"annotator": "ann"}, "note": "names count"}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "decisions.json")
    ...     _ = path.write_text(json.dumps({"schema_version": 1, "decisions": [decision]}))
    ...     decisions = ga.read_decisions(path)
    >>> result = ga.consensus([("d", "ann", 0, 4, "x"), ("d", "bob", 6, 9, "y")], decisions=decisions)
    >>> [(unit.start, unit.end, unit.is_decided) for unit in result.units]
    [(0.0, 4.0, True)]
    """
    file = Path(path)
    value = document(Source(file, file.name))
    with _located(Location(file.name)):
        entries = _entries(need(value, dict, "the file"))
    decisions = []
    for index, entry in enumerate(entries, 1):
        number_in_file = f"decision {index}"
        with _located(Location(file.name, number_in_file)):
            decisions.append(_decision(need(entry, dict, "the decision"), number_in_file))
    return Decisions(tuple(decisions), file.name)


@contextmanager
def _located(location: Location) -> Iterator[None]:
    """Give the faults in the block their location."""
    try:
        yield
    except FaultError as fault:
        raise InputError(fault.problem.cause, fault.problem.cure, location) from None


def _entries(content: dict[str, object]) -> list[object]:
    version = content.get("schema_version")
    if version != SCHEMA_VERSION:
        raise FaultError(
            f"'schema_version' of the file is {shown(version)}, not {SCHEMA_VERSION}",
            "save the decisions again in the report",
        )
    return get(content, "decisions", list, "the file")


def _decision(entry: dict[str, object], number_in_file: str) -> Decision:
    of = "the decision"
    if ("finding" in entry) == ("document" in entry):
        raise FaultError(f"{of} needs either 'document' with 'units', or 'finding'", "correct or delete it")
    subject = _facts(get(entry, "finding", dict, of)) if "finding" in entry else _place(entry)
    reading = maybe(entry, "reading", dict, of)
    note = maybe(entry, "note", str, of) or ""
    return Decision(subject, None if reading is None else _reading(reading), note, number_in_file)


def _place(entry: dict[str, object]) -> Place:
    units = get(entry, "units", list, "the decision")
    if not units:
        raise FaultError("'units' of the decision is empty", "correct or delete it")
    return Place(
        get(entry, "document", str, "the decision"), tuple(_unit(need(unit, dict, "a unit")) for unit in units)
    )


def _unit(unit: dict[str, object]) -> Unit:
    new = _new_unit(unit)
    return Unit(get(unit, "annotator", str, "a unit"), new.start, new.end, new.category)


def _new_unit(unit: dict[str, object]) -> NewUnit:
    start = float(number(unit, "start", "a unit"))
    end = float(number(unit, "end", "a unit"))
    if not (math.isfinite(start) and math.isfinite(end)) or end < start:
        raise FaultError(f"a unit goes from {start:g} to {end:g}", "correct or delete it")
    return NewUnit(start, end, maybe(unit, "category", str, "a unit"))


def _reading(reading: dict[str, object]) -> Reading:
    of = "the reading"
    if len(reading) != 1 or not reading.keys() & {"annotator", "others", "unit"}:
        raise FaultError(f"{of} has not exactly one of 'annotator', 'others' and 'unit'", "correct it")
    if "unit" in reading:
        unit = maybe(reading, "unit", dict, of)
        return Reading(NO_UNIT_HOLDS) if unit is None else Reading(UNIT, unit=_new_unit(unit))
    kind = ANNOTATOR if "annotator" in reading else ALL_BUT_ONE
    return Reading(kind, get(reading, kind, str, of))


def _facts(finding: dict[str, object]) -> FindingFacts:
    of = "the finding"
    stretch = maybe(finding, "stretch", list, of)
    if stretch is not None and not (len(stretch) == 2 and all(isinstance(bound, int | float) for bound in stretch)):  # noqa: PLR2004
        raise FaultError("'stretch' of the finding is not two numbers", "correct it")
    labels = maybe(finding, "labels", list, of) or []
    return FindingFacts(
        kind=get(finding, "kind", str, of),
        annotator=maybe(finding, "annotator", str, of),
        documents=_texts(finding, "documents"),
        stretch=None if stretch is None else (float(stretch[0]), float(stretch[1])),
        labels=tuple(None if label is None else need(label, str, "a label of the finding") for label in labels),
        words=_texts(finding, "words"),
        direction=maybe(finding, "direction", str, of) or "",
    )


def _texts(finding: dict[str, object], key: str) -> tuple[str, ...]:
    values = maybe(finding, key, list, "the finding") or []
    return tuple(need(value, str, f"an entry of {key!r} of the finding") for value in values)
