"""gamma_align's own line-JSON: one document in each line, and a complete corpus in one file.

::

    {"document": "d1", "start": 0, "end": 24, "unit": "char", "text": "Ada met Bob in Rome.",
     "annotations": {"anna": [{"start": 0, "end": 3, "category": "PER"}], "bert": []}}

Conventions
-----------
* `document` and `annotations` are needed; an annotator with an empty list saw the document and marked nothing.
* `start` and `end` of the document are its extent, both or neither; `unit` is the unit of bounds, the same in all
  lines; `text` requires bounds that count its code points, and an extent of its length.
* `category` null, or left out, is a unit without a category; the empty string is a category.
* Whole bounds are written as integers, others so that reading returns the same float64.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator

from gamma_align.data import Corpus
from gamma_align.errors import InputError, Location
from gamma_align.reading.files import json_files
from gamma_align.reading.files.json_files import FaultError, as_problem, get, maybe, need, number
from gamma_align.reading.formats import Choices, FileFormat, Head, Marks, Source
from gamma_align.reading.marks.writable import encoded

_FIRST_KEY = re.compile(r'\s*\{\s*"document"\s*:\s*"')
_FOREIGN_ANNOTATIONS = re.compile(r"annotations(\[\]|\..*\[\]\[\])")
_UNIT_KEY = re.compile(r"annotations\..*\[\]\.([^.\[:]+)")
_DOCUMENT_KEYS = frozenset(("document", "start", "end", "unit", "text", "annotations"))
_UNIT_KEYS = frozenset(("start", "end", "category"))
_NUMBER_TYPES = (int, float)
_MAX_EXACT_INTEGER = 2**53  # up to this, every integer is a float64


def _matches(head: Head) -> bool:
    if head.suffix not in (".jsonl", ".ndjson") or _FIRST_KEY.match(head.text) is None:
        return False
    paths = json_files.shape(head)
    keys = {path for path in paths if not set(path) & set(".[:")}
    if any(map(_FOREIGN_ANNOTATIONS.match, paths)):  # a list of spans without annotators, or spans as lists
        return False
    unit_keys = {match[1] for match in map(_UNIT_KEY.fullmatch, paths) if match is not None}
    is_labelled_otherwise = bool(unit_keys - _UNIT_KEYS) and "category" not in unit_keys
    return not is_labelled_otherwise and ("annotations" in keys or keys <= _DOCUMENT_KEYS)


def _read(source: Source, _: Choices) -> Iterable[Marks]:
    marks = Marks(source.name, length_unit=None)
    lines: dict[str, int] = {}
    skipped_keys: Counter[str] = Counter()
    for line, value in json_files.lines(source):
        with as_problem(marks, line):
            _add_document(marks, line, need(value, dict, "the line"), lines, skipped_keys)
    if not lines and not marks.problems:
        raise InputError("has no lines", "export it again", Location(source.name))
    if skipped_keys:
        listing = ", ".join(f"{key!r} ({count})" for key, count in skipped_keys.most_common(5))
        marks.note(f"keys that are not read: {listing}")
    return (marks,)


def _add_document(
    marks: Marks, line: int, record: dict[str, object], lines: dict[str, int], skipped_keys: Counter[str]
) -> None:
    """Add the document of a line; raise a `FaultError` if it is repeated or inconsistent.

    `lines` collects the line of each document, `skipped_keys` the keys that are not read.
    """
    document = get(record, "document", str, "the line")
    of = f"document {document!r}"
    _check_name(document, "document")
    if document in lines:
        raise FaultError(f"{of} is in line {lines[document]} already", "join the two lines")
    unit = maybe(record, "unit", str, of)
    if lines and unit != marks.length_unit:
        raise FaultError(
            f"the document counts in {unit!r}, the documents before in {marks.length_unit!r}",
            "keep one file for each unit of length",
        )
    marks.length_unit = unit
    lines[document] = line
    extent = _extent(record, f"the extent of {of}")
    if extent is not None:
        marks.extents[document] = extent
    text = maybe(record, "text", str, of)
    if text is not None:
        marks.texts[document, None] = text
        if extent is not None and extent != (0, len(text)):
            raise FaultError(
                f"the extent of {of} is [{extent[0]:.15g}, {extent[1]:.15g}], and its text has {len(text)} characters",
                "correct one of the two, or leave out the extent",
            )
    skipped_keys.update(record.keys() - _DOCUMENT_KEYS)
    for annotator, units in get(record, "annotations", dict, of).items():
        _check_name(annotator, "annotator")
        marks.annotated(document, annotator)
        location = f"line {line}, {of}, annotator {annotator!r}"
        with as_problem(marks, location):
            for index, unit in enumerate(need(units, list, "the annotator's list of units"), 1):
                if type(unit) is dict and _is_plain(unit):
                    bounds = (unit["start"], unit["end"])
                    category = unit.get("category")
                    marks.unit(*bounds, category, location=line, document=document, annotator=annotator)
                else:  # slower, but reports the index of an invalid unit
                    _add_unit(marks, unit, f"{location}, unit {index}", document, annotator)
                skipped_keys.update(unit.keys() - _UNIT_KEYS if isinstance(unit, dict) else ())


def _check_name(name: str, kind: str) -> None:
    """Raise a `FaultError` for a blank name."""
    if not name.strip():
        raise FaultError(f"the name of the {kind} is {name!r}", "give it one")


def _extent(record: dict[str, object], of: str) -> tuple[float, float] | None:
    """Return the declared extent, ``None`` if there is none; raise a `FaultError` if it is invalid."""
    if record.get("start") is None and record.get("end") is None:
        return None
    start = float(number(record, "start", of))
    end = float(number(record, "end", of))
    if not (math.isfinite(start) and math.isfinite(end) and start <= end):
        raise FaultError(f"{of} is [{start:.15g}, {end:.15g}]", "correct it, or leave both out")
    return start, end


def _add_unit(marks: Marks, value: object, location: str, document: str, annotator: str) -> None:
    """Add a unit, or a problem that says what is wrong with it."""
    with as_problem(marks, location):
        unit = need(value, dict, "the unit")
        start = number(unit, "start")
        end = number(unit, "end")
        category = maybe(unit, "category", str, "the unit")
        marks.unit(start, end, category, location=location, document=document, annotator=annotator)


def _is_plain(unit: dict[str, object]) -> bool:
    """Return whether a unit is valid, so that it can be added without further checks."""
    start = unit.get("start")
    end = unit.get("end")
    category = unit.get("category")
    # `isinstance` would accept true and false, which are integers for Python.
    numbers = type(start) in _NUMBER_TYPES and type(end) in _NUMBER_TYPES
    return numbers and start <= end and (category is None or type(category) is str)  # type: ignore[operator]


def _write(corpus: Corpus) -> Iterator[tuple[str, bytes]]:
    yield "corpus.jsonl", encoded("".join(_document_line(corpus, index) for index in range(len(corpus))), "the corpus")


def _document_line(corpus: Corpus, index: int) -> str:
    """Return the line of a document; raise an `InputError` if the format cannot hold it."""
    continuum = corpus.continuum(index)
    document = continuum.document
    (low, high) = continuum.extent
    text = None if corpus.texts is None else corpus.texts[index]
    if not continuum.annotators:
        raise InputError(
            f"document {document!r} has no annotators, and each document in jsonl has one",
            "write a folder of tables (csv, parquet), or leave the document out",
        )
    if text is not None and (low, high) != (0, len(text)):
        raise InputError(
            f"its text has {len(text)} characters and its extent is [{low:.15g}, {high:.15g}]",
            "correct the extent and the units outside the text, or write a folder of tables (csv, parquet)",
            Location(f"document {document!r}"),
        )
    line: dict[str, object] = {"document": document, "start": _shortest_number(low), "end": _shortest_number(high)}
    if corpus.length_unit is not None:
        line["unit"] = corpus.length_unit
    if text is not None:
        line["text"] = text
    units: dict[str, list[dict[str, object]]] = {name: [] for name in continuum.annotators}
    for annotator, start, end, category in continuum.units():
        units[annotator].append({"start": _shortest_number(start), "end": _shortest_number(end), "category": category})
    return json.dumps(line | {"annotations": units}, ensure_ascii=False) + "\n"


def _shortest_number(value: float) -> int | float:
    """Return an integer if it is the same number, for shorter files."""
    return int(value) if value.is_integer() and abs(value) <= _MAX_EXACT_INTEGER else value


# Documents and annotators are named in each line, so that the path names nothing.
FORMAT = FileFormat(
    "jsonl",
    "gamma_align's line-JSON (.jsonl)",
    (".jsonl", ".ndjson"),
    _matches,
    _read,
    declares=("annotator", "document"),
    write=_write,
)
