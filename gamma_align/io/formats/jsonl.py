"""gamma_align's own line-JSON: one document a line, with all that a corpus holds in one file.

::

    {"document": "d1", "start": 0, "end": 24, "unit": "char", "text": "Ada met Bob in Rome.",
     "annotations": {"anna": [{"start": 0, "end": 3, "category": "PER"}], "bert": []}}

Conventions
-----------
* `document` and `annotations` are needed; an annotator with an empty list saw the document and marked nothing.
* `start` and `end` of the document are its extent, both or neither; `unit` is what bounds count, the same in all
  lines; `text` is for bounds that count its code points, and its length is the extent.
* `category` null, or left out, is a unit without a category; the empty string is a category.
* Bounds are written as integers where they are whole, otherwise so that reading gives the same float64.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator

from gamma_align.data.corpus import Corpus
from gamma_align.errors import InputError
from gamma_align.io.files import json_files
from gamma_align.io.files.json_files import FaultError
from gamma_align.io.formats import Choices, FileFormat, Head, Marks, Source

_BEGIN = re.compile(r'\s*\{\s*"document"\s*:\s*"')
_KEYS = frozenset(("document", "start", "end", "unit", "text", "annotations"))
_UNIT_KEYS = frozenset(("start", "end", "category"))
_NUMBER = (int, float)
_EXACT = 2**53


def _matches(head: Head) -> bool:
    return head.suffix in (".jsonl", ".ndjson") and _BEGIN.match(head.text) is not None


def _read(source: Source, _: Choices) -> Iterable[Marks]:
    marks = Marks(source.name, length_unit=None)
    lines: dict[str, int] = {}
    left: Counter[str] = Counter()
    for number, value in json_files.lines(source):
        with json_files.as_problem(marks, number):
            _document(marks, number, json_files.need(value, dict, "the line"), lines, left)
    if not lines and not marks.problems:
        raise InputError(f"{source.name}: has no lines; export it again")
    if left:
        listing = ", ".join(f"{key!r} ({count})" for key, count in left.most_common(5))
        marks.note(f"keys that are not read: {listing}")
    return (marks,)


def _document(marks: Marks, number: int, line: dict[str, object], lines: dict[str, int], left: Counter[str]) -> None:
    document = json_files.get(line, "document", str, "the line")
    _check_name(document, "document")
    if document in lines:
        raise FaultError(f"document {document!r} is in line {lines[document]} already; join the two lines")
    unit = json_files.maybe(line, "unit", str, f"document {document!r}")
    if lines and unit != marks.length_unit:
        raise FaultError(
            f"the document counts in {unit!r}, those before in {marks.length_unit!r}; keep one file a unit"
        )
    marks.length_unit = unit
    lines[document] = number
    extent = _extent(line, document)
    if extent is not None:
        marks.extents[document] = extent
    text = json_files.maybe(line, "text", str, f"document {document!r}")
    if text is not None:
        marks.texts[document, None] = text
    if text is not None and extent is not None and extent != (0, len(text)):
        raise FaultError(
            f"the extent of document {document!r} is [{extent[0]:.15g}, {extent[1]:.15g}], and its text has "
            f"{len(text)} characters; correct one of the two, or leave out the extent"
        )
    left.update(line.keys() - _KEYS)
    for annotator, units in json_files.get(line, "annotations", dict, f"document {document!r}").items():
        _check_name(annotator, "annotator")
        marks.annotated(document, annotator)
        place = f"line {number}, document {document!r}, annotator {annotator!r}"
        with json_files.as_problem(marks, place):
            for at, each in enumerate(json_files.need(units, list, "what the annotator marked"), 1):
                _unit(marks, each, number, (document, annotator), at, left)


def _check_name(name: str, what: str) -> None:
    if not name.strip():
        raise FaultError(f"the name of the {what} is {name!r}; give it one")


def _extent(line: dict[str, object], document: str) -> tuple[float, float] | None:
    if line.get("start") is None and line.get("end") is None:
        return None
    of = f"the extent of document {document!r}"
    start, end = (float(json_files.number(line, name, of)) for name in ("start", "end"))
    if not (math.isfinite(start) and math.isfinite(end) and start <= end):
        raise FaultError(f"{of} is [{start:.15g}, {end:.15g}]; correct it, or leave both out")
    return start, end


def _unit(marks: Marks, unit: object, number: int, owner: tuple[str, str], at: int, left: Counter[str]) -> None:
    document, annotator = owner
    if type(unit) is dict and _is_plain(unit):
        place: int | str = number
        start, end, category = unit["start"], unit["end"], unit.get("category")
    else:  # the slow way, which says where
        place = f"line {number}, document {document!r}, annotator {annotator!r}, unit {at}"
        start = end = category = None
        with json_files.as_problem(marks, place):
            unit = json_files.need(unit, dict, "the unit")
            start, end = json_files.number(unit, "start"), json_files.number(unit, "end")
            category = json_files.maybe(unit, "category", str, "the unit")
        if start is None or end is None:
            return
    marks.unit(start, end, category, where=place, document=document, annotator=annotator)
    left.update(unit.keys() - _UNIT_KEYS)


def _is_plain(unit: dict[str, object]) -> bool:
    start, end, category = unit.get("start"), unit.get("end"), unit.get("category")
    return (
        type(start) in _NUMBER
        and type(end) in _NUMBER
        and start <= end  # type: ignore[operator]
        and (category is None or type(category) is str)
    )


def _write(corpus: Corpus) -> Iterator[tuple[str, bytes]]:
    lines = [_line(corpus, at) for at in range(len(corpus))]
    try:
        yield "corpus.jsonl", "".join(lines).encode()
    except UnicodeEncodeError as error:
        raise InputError(
            f"{error.object[error.start]!r} is half a character (a lone surrogate), which no UTF-8 file holds; the "
            f"text around it is {error.object[max(error.start - 20, 0) : error.end + 20]!r}; correct it"
        ) from None


def _line(corpus: Corpus, at: int) -> str:
    continuum = corpus.continuum(at)
    document, (low, high) = continuum.document, continuum.extent
    text = None if corpus.texts is None else corpus.texts[at]
    if not continuum.annotators:
        raise InputError(
            f"document {document!r} has no annotators, and jsonl's documents are those somebody saw; write a folder of "
            "tables (csv, parquet), or leave the document out"
        )
    if text is not None and (low, high) != (0, len(text)):
        raise InputError(
            f"document {document!r}: its text has {len(text)} characters and its extent is [{low:.15g}, {high:.15g}]; "
            "correct what is outside the text, or write a folder of tables (csv, parquet)"
        )
    line: dict[str, object] = {"document": document, "start": _number(low), "end": _number(high)}
    if corpus.length_unit is not None:
        line["unit"] = corpus.length_unit
    if text is not None:
        line["text"] = text
    units: dict[str, list[dict[str, object]]] = {name: [] for name in continuum.annotators}
    for annotator, start, end, category in continuum.units():
        units[annotator].append({"start": _number(start), "end": _number(end), "category": category})
    line["annotations"] = units
    return json.dumps(line, ensure_ascii=False) + "\n"


def _number(value: float) -> int | float:
    return int(value) if value.is_integer() and abs(value) <= _EXACT else value


FORMAT = FileFormat(
    name="jsonl",
    description="gamma_align's line-JSON (.jsonl)",
    suffixes=(".jsonl", ".ndjson"),
    declares=frozenset(("annotator", "document")),
    matches=_matches,
    read=_read,
    write=_write,
)
