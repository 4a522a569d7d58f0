r"""brat standoff: ``.ann`` files with the text beside them, one folder an annotator.

Conventions
-----------
* ``T<id>\t<type> <start> <end>[;<start> <end>]*\t<text>`` is a unit, its type the category, bounds in code points.
* A unit of several fragments is discontinuous. Its text joins the texts of the fragments with blanks, and is compared
  with them. Line breaks and tabs of the text are blanks in the ``.ann``.
* Relations, events, attributes and comments are left out, unless ``options={"category": "N"}`` (or "A", or the name
  of one attribute) makes the normalisation (or attribute) of a unit its category, as in some projects. A unit with
  several of them becomes several units; an attribute without a value counts as its name; an attribute of an event
  belongs to the trigger of the event.
* Without its ``.txt`` a file is read, but not checked against its text.

References
----------
https://brat.nlplab.org/standoff.html
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import NamedTuple

import numpy as np

from gamma_align.data import Corpus, Unit
from gamma_align.errors import Cure, InputError, Location, Set, SettingsError
from gamma_align.reading.formats import Choices, FileFormat, Head, Marks, Source
from gamma_align.reading.marks.choices import FORMAT_OPTIONS
from gamma_align.reading.marks.marks import SURROGATE
from gamma_align.reading.marks.texts import to_code_points
from gamma_align.reading.marks.writable import as_part, as_path, by_annotator, text_of, unit_location, whole_bounds

_UNIT_LINE = re.compile(r"(T\S+)\t(\S+) (\d{1,15} \d{1,15}(?:;\d{1,15} \d{1,15})*)(?:\t(.*))?")
_OTHER_LINE = re.compile(r"[REAMN#*]\S*\t")
_MAX_SHOWN = 60  # characters of a line or text in a message
_RECOGNISED_CHARACTERS = 1 << 14  # of the beginning of a file, enough to tell the format
_ATTRIBUTE_WORDS = 3  # name, target, value; the value may lack
_OPTION_HELP = {"category": "'N' (normalisation), 'A' (attribute) or the name of an attribute that is the category"}


class _DiscontinuousUnit(NamedTuple):
    """A unit of several parts: its line, the bounds of the parts, and their text according to the file."""

    line: int
    bounds: list[tuple[int, int]]
    surface: str


def _matches(head: Head) -> bool:
    if head.suffix != ".ann":
        return False
    lines = [line for line in head.text[:_RECOGNISED_CHARACTERS].split("\n") if line.strip()]
    return not lines or any(_UNIT_LINE.fullmatch(line.rstrip("\r")) or _OTHER_LINE.match(line) for line in lines)


def _read(source: Source, choices: Choices) -> Iterable[Marks]:
    marks = Marks(source.name)
    marks.annotated()  # an empty .ann still means that the annotator saw the document
    text = source.beside(f"{source.stem}.txt")
    if text is not None:
        marks.texts[None, None] = text.text()
    # `str.splitlines` would also divide at separators that are part of a text, such as U+2028.
    lines = [line.rstrip("\r") for line in source.text().split("\n")]
    kind = choices.options.get("category")
    categories = None if kind is None else _categories(lines, kind, marks)
    discontinuous: list[_DiscontinuousUnit] = []
    for number, line in enumerate(lines, 1):
        if line.startswith("T"):
            _add_unit(marks, number, line, categories, discontinuous)
        elif line.strip() and not _OTHER_LINE.match(line):
            marks.problem(number, f"{line[:_MAX_SHOWN]!r} is no line of brat", "correct or delete it")
    _check_discontinuous(marks, discontinuous, choices)
    return (marks,)


def _add_unit(
    marks: Marks,
    number: int,
    line: str,
    categories: Mapping[str, list[str]] | None,
    discontinuous: list[_DiscontinuousUnit],
) -> None:
    """Add a unit for each of the categories of a line; report an invalid line.

    `categories` maps ids to categories, ``None`` for the types. Units of several parts are added to `discontinuous`.
    """
    match = _UNIT_LINE.fullmatch(line)
    if match is None:
        marks.problem(
            number,
            f"{line[:_MAX_SHOWN]!r} is no unit: a unit is T<id>, tab, type, start and end (parts between semicolons), "
            "tab, its text",
            "correct or delete it",
        )
        return
    name, category, spans, surface = match.groups()
    bounds = [_bounds(span) for span in spans.split(";")]
    if len(bounds) > 1 and surface is not None:
        discontinuous.append(_DiscontinuousUnit(number, bounds, surface))
    # Each part becomes a row of `Marks`, whose text is compared by itself: a text of all parts must not be set there.
    covered = surface if len(bounds) == 1 else None
    labels = [category] if categories is None else categories.get(name, [None])
    for index, label in enumerate(labels):
        marks.parts(bounds, label, part=f"{number}.{index}", location=number, surface=covered)


def _bounds(span: str) -> tuple[int, int]:
    """Return the start and end of a part ("3 7")."""
    start, end = span.split(" ")
    return int(start), int(end)


def _check_discontinuous(marks: Marks, discontinuous: list[_DiscontinuousUnit], choices: Choices) -> None:
    """Compare discontinuous units with the text: the file has one text for all parts of a unit."""
    text = marks.texts.get((None, None))
    if text is None or not discontinuous:
        return
    # All bounds are converted in one call, because each call goes through the whole text.
    bounds_of_all = np.array([*chain.from_iterable(unit.bounds for unit in discontinuous)], dtype=np.float64)
    points = np.nan_to_num(to_code_points(bounds_of_all, text, choices.offsets or "code-points"))
    spans = deque(points.astype(np.int64).tolist())
    n_mismatches = 0
    for number, bounds, surface in discontinuous:
        parts = [spans.popleft() for _ in bounds]
        covered = " ".join(text[start:end] for start, end in parts)
        if covered.split() == surface.split():
            continue
        n_mismatches += 1
        if choices.mismatch == "refuse":
            marks.problem(
                number,
                f"the parts of the unit cover {covered[:_MAX_SHOWN]!r}, but the file says {surface[:_MAX_SHOWN]!r}",
                Cure(
                    "say what offsets count with {}, or keep such units with {}",
                    Set("offsets"),
                    Set("mismatch", "keep"),
                ),
            )
    if n_mismatches and choices.mismatch == "keep":
        marks.note(f"{n_mismatches} discontinuous units do not cover their text, and are kept")


def _categories(lines: list[str], kind: object, marks: Marks) -> dict[str, list[str]]:
    """Return the categories of units by their ids, if these are normalisations or attributes instead of types.

    Raises an error if the option is invalid, or if units have several attributes and none is named.
    """
    if not isinstance(kind, str) or not kind.strip():
        raise SettingsError(
            f"the option category is 'N', 'A' or the name of an attribute, not {kind!r}", location=FORMAT_OPTIONS
        )
    by_attribute: dict[str, dict[str, list[str]]] = {}
    triggers: dict[str, str] = {}
    units: dict[str, int] = {}
    for number, line in enumerate(lines, 1):
        name, _, fields = line.partition("\t")
        words = fields.partition("\t")[0].split(" ")
        if name[:1] == "T" and units.setdefault(name, number) != number:
            marks.problem(
                number,
                f"{name} is in line {units[name]} already, so it is not known whose category it has",
                "give each unit a name of its own",
            )
        elif name[:1] == "E":
            # An event begins with its type and its trigger, "Type:T3".
            triggers[name] = words[0].rpartition(":")[2]
        # M is the letter of attributes in older files.
        elif name[:1] in ("A", "M", "N") and len(words) > 1 and kind in ("A" if name[:1] == "M" else name[0], words[0]):
            value = words[0] if len(words) < _ATTRIBUTE_WORDS else words[2]
            by_attribute.setdefault(words[0], {}).setdefault(words[1], []).append(value)
    if kind == "A" and len(by_attribute) > 1:
        raise InputError(
            f"units have several attributes: {', '.join(sorted(by_attribute))}",
            Cure("say which is the category with {}", Set("options", {"category": min(by_attribute)})),
            Location(marks.file),
        )
    categories: dict[str, list[str]] = {}
    for targets in by_attribute.values():
        for target, values in targets.items():
            categories.setdefault(triggers.get(target, target), []).extend(values)
    _note_categories(categories, units, kind, marks)
    return categories


def _note_categories(categories: Mapping[str, list[str]], units: Mapping[str, int], kind: str, marks: Marks) -> None:
    """Note units that have no such attribute, or several."""
    kind_name = {"N": "normalisation", "A": "attribute"}.get(kind, f"attribute {kind}")
    n_without = sum(name not in categories for name in units)
    n_several = sum(len(categories.get(name, ())) > 1 for name in units)
    if n_without:
        marks.note(f"{n_without} of {len(units)} units have no {kind_name}, and no category")
    if n_several:
        marks.note(f"{n_several} units with several of the {kind_name} are a unit each")


def _write(corpus: Corpus) -> Iterator[tuple[str, bytes]]:
    for index, document in enumerate(corpus.documents):
        text = text_of(corpus, index, "brat")
        for annotator, units in by_annotator(corpus.continuum(index)).items():
            path = f"{as_part(annotator)}/{as_path(document, 'document')}"
            yield (
                f"{path}.ann",
                "".join(_unit_line(unit, text, n, document) for n, unit in enumerate(units, 1)).encode(),
            )
            yield f"{path}.txt", text.encode()


def _unit_line(unit: Unit, text: str, number: int, document: str) -> str:
    """Return the line of a unit; raise an `InputError` if brat cannot hold its category or bounds."""
    category = unit.category
    if not category or re.search(r"\s", category) or SURROGATE.search(category):
        raise InputError(
            f"brat's types are words without blanks, and the category is {category!r}",
            "rename it",
            unit_location(unit, document),
        )
    start, end = whole_bounds(unit, document, "brat")
    # A tab or a line break would end the field.
    surface = re.sub(r"[\t\r\n]", " ", text[start:end])
    return f"T{number}\t{category} {start} {end}\t{surface}\n"


# The file names neither document nor annotator: its path does.
FORMAT = FileFormat(
    "brat",
    "brat standoff (.ann)",
    (".ann",),
    _matches,
    _read,
    write=_write,
    text_is_extent=True,
    beside=(".txt", ".conf"),
    options=_OPTION_HELP,
)
