"""ELAN's ``.eaf``, one file a document: tiers with their annotators, times in milliseconds, read as seconds.

Conventions
-----------
* The annotator is the tier's ``ANNOTATOR``, or ``PARTICIPANT`` with ``options={"annotator": "participant"}``, or in the
  tier's name with ``options={"tiers": "{layer}@{annotator}"}`` or ``annotator="{layer}"``; or the path says.
* The layer is the tier's name, without ``@<annotator>`` at its end where that is its ``ANNOTATOR``. Tiers of the same
  annotator and layer (``units@anna``, ``units@anna (2)``) are one.
* The category is the value; an annotation without one has none. Where it comes from a controlled vocabulary of the
  file (``CVE_REF``), it is the vocabulary's entry.
* Time slots without a time, annotations of annotations: see `eaf_times`; what was interpolated is noted.
* ``TIME_ORIGIN`` of the media is noted, not added: times are those of the annotations in ELAN.

Written are ``{document}.eaf`` with tiers ``units@<annotator>``, as many as do for none to overlap, and the extent as a
property of the header. Times are whole milliseconds, or refused.

References
----------
ELAN Annotation Format, EAF 3.0 (https://www.mpi.nl/tools/elan/EAF_Annotation_Format_3.0_and_ELAN.pdf).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from xml.etree.ElementTree import Element

from gamma_align.errors import InputError, SettingsError
from gamma_align.io.files import xml_files
from gamma_align.io.files.xml_files import line, local
from gamma_align.io.formats import Choices, FileFormat, Head, Marks, Source
from gamma_align.io.formats.elan.times import Annotation, Tier, Times
from gamma_align.io.formats.elan.writing import EXTENT, write
from gamma_align.io.marks import layer_names, seconds

_MILLISECONDS = re.compile(r"\d{1,15}")
_SECOND = 1000.0
_OPTIONS = {
    "tiers": layer_names.TIER_OPTION,
    "annotator": "'annotator' or 'participant': which of a tier's attributes it is",
}
_LENGTH = 2


def _matches(head: Head) -> bool:
    return re.search(r"<ANNOTATION_DOCUMENT[\s>]", head.text) is not None


def _read(source: Source, choices: Choices) -> Iterable[Marks]:
    options = _options(choices)
    root = xml_files.root(source)
    if local(root) != "ANNOTATION_DOCUMENT":
        raise InputError(f"{source.name}, line {line(root)}: the element is {local(root)}, not ANNOTATION_DOCUMENT")
    marks = Marks(source.name, length_unit="s")
    parts: dict[str, list[Element]] = {}
    for element in root:
        parts.setdefault(local(element), []).append(element)
    _header(marks, parts.get("HEADER", []))
    words = _Vocabularies(parts)
    tiers_of_file = [_tier(marks, element, words) for element in parts.get("TIER", [])]
    times = Times(_slots(marks, parts.get("TIME_ORDER", [])), tiers_of_file, _constraints(parts))
    _units(marks, tiers_of_file, times, options)
    words.note(marks)
    for count, what in (
        (times.interpolated, "time slots without a time ({}) are placed evenly between their neighbours"),
        (times.divided, "annotations that divide another symbolically ({}) have equal shares of its time"),
    ):
        if count:
            marks.note(f"{what.format(count)}")
    return (marks,)


def _options(choices: Choices) -> Mapping[str, str]:
    options = {name: str(value) for name, value in choices.options.items()}
    if options.get("annotator", "annotator") not in ("annotator", "participant"):
        raise SettingsError(f"the option 'annotator' is {_OPTIONS['annotator']}; it is {options['annotator']!r}")
    return options


def _header(marks: Marks, headers: list[Element]) -> None:
    """Read the extent from the header, and note what it says of times."""
    for header in headers:
        units = header.get("TIME_UNITS", "milliseconds")
        if units != "milliseconds":
            raise InputError(
                f"{marks.file}, line {line(header)}: the times are {units!r}, and only milliseconds are read; save the "
                "file with a newer ELAN"
            )
        for element in header:
            if element.get("TIME_ORIGIN", "0") not in ("0", ""):
                marks.note(
                    f"a medium begins at {element.get('TIME_ORIGIN')} ms of the annotations' time "
                    "(TIME_ORIGIN), which is not added"
                )
            if local(element) == "PROPERTY" and element.get("NAME") == EXTENT:
                _extent(marks, element)


def _extent(marks: Marks, element: Element) -> None:
    bounds = [seconds.number(word) for word in (element.text or "").split()]
    numbers = [float(bound) for bound in bounds if bound is not None]
    if len(numbers) != _LENGTH or len(bounds) != _LENGTH or not float("-inf") < numbers[0] <= numbers[1] < float("inf"):
        marks.problem(line(element), f"the property {EXTENT!r} is {element.text!r:.60}, not two bounds; correct it")
        return
    marks.extents[None] = numbers[0], numbers[1]


def _slots(marks: Marks, orders: list[Element]) -> dict[str, int | None]:
    slots: dict[str, int | None] = {}
    for slot in (element for order in orders for element in order):
        name, time = slot.get("TIME_SLOT_ID", ""), slot.get("TIME_VALUE")
        if name in slots:
            marks.problem(line(slot), f"the time slot {name!r} is there twice; give one another name")
        elif time is not None and _MILLISECONDS.fullmatch(time) is None:
            marks.problem(line(slot), f"the time of slot {name!r} is {time[:40]!r}, not whole milliseconds")
        slots[name] = int(time) if time is not None and _MILLISECONDS.fullmatch(time) else None
    return slots


def _tier(marks: Marks, element: Element, words: _Vocabularies) -> Tier:
    tier = Tier(
        element.get("TIER_ID", ""),
        line(element),
        (element.get("ANNOTATOR") or "").strip() and element.get("ANNOTATOR"),
        (element.get("PARTICIPANT") or "").strip() and element.get("PARTICIPANT"),
        element.get("PARENT_REF"),
        element.get("LINGUISTIC_TYPE_REF"),
    )
    if not tier.name:
        marks.problem(tier.line, "the tier has no TIER_ID; give it one")
    for each in (inner for outer in element for inner in outer):
        said = "".join(value.text or "" for value in each if local(value) == "ANNOTATION_VALUE")
        annotation = Annotation(each.get("ANNOTATION_ID", ""), line(each), words.value(said, each, element))
        if local(each) == "ALIGNABLE_ANNOTATION":
            annotation.begin, annotation.end = each.get("TIME_SLOT_REF1"), each.get("TIME_SLOT_REF2")
        elif local(each) == "REF_ANNOTATION":
            annotation.parent, annotation.previous = each.get("ANNOTATION_REF", ""), each.get("PREVIOUS_ANNOTATION")
        else:
            marks.problem(line(each), f"{local(each)!r} is no annotation; correct or delete it")
            continue
        tier.annotations.append(annotation)
    return tier


class _Vocabularies:
    """Entries of the controlled vocabularies in the file, and how often a value is not its entry's."""

    def __init__(self, parts: Mapping[str, list[Element]]) -> None:
        self._entries: dict[tuple[str | None, str | None], dict[str | None, str]] = {}
        for vocabulary in parts.get("CONTROLLED_VOCABULARY", []):
            for entry in vocabulary:
                values = {value.get("LANG_REF"): value.text or "" for value in entry if local(value) == "CVE_VALUE"}
                if values:
                    self._entries[vocabulary.get("CV_ID"), entry.get("CVE_ID")] = values
        kinds = parts.get("LINGUISTIC_TYPE", [])
        self._of = {kind.get("LINGUISTIC_TYPE_ID"): kind.get("CONTROLLED_VOCABULARY_REF") for kind in kinds}
        self._other = 0

    def value(self, written: str, annotation: Element, tier: Element) -> str:
        """Return the value of an annotation: of its entry in the vocabulary, where it has one in the file."""
        if annotation.get("CVE_REF") is None:
            return written
        values = self._entries.get((self._of.get(tier.get("LINGUISTIC_TYPE_REF")), annotation.get("CVE_REF")))
        if values is None:
            return written
        entry = values.get(tier.get("LANG_REF"), next(iter(values.values())))
        self._other += entry != written
        return entry

    def note(self, marks: Marks) -> None:
        """Note values that are not those of their entries."""
        if self._other:
            marks.note(
                f"annotations ({self._other}) have another value than the entry of the vocabulary they "
                "refer to; the entry's is taken"
            )


def _constraints(parts: Mapping[str, list[Element]]) -> dict[str, str]:
    kinds = parts.get("LINGUISTIC_TYPE", [])
    return {kind.get("LINGUISTIC_TYPE_ID", ""): kind.get("CONSTRAINTS", "") for kind in kinds}


def _units(marks: Marks, tiers_of_file: list[Tier], times: Times, options: Mapping[str, str]) -> None:
    names = layer_names.TierNames(options.get("tiers"))
    ids: dict[str, int] = {}
    owners: list[tuple[str, str | None]] = []
    for tier in tiers_of_file:
        layer, annotator = _owner(tier, names, participant=options.get("annotator") == "participant")
        owners.append((layer, annotator))
        marks.annotated(annotator=annotator, layer=layer)
        for annotation in tier.annotations:
            if annotation.name in ids:
                first = ids[annotation.name]
                marks.problem(annotation.line, f"the id {annotation.name!r} is that of line {first} too; change one")
            ids[annotation.name] = annotation.line
            span = times.span(annotation)
            if span is None:
                marks.problem(annotation.line, _timeless(annotation))
                continue
            begin, end = span[0] / _SECOND, span[1] / _SECOND
            marks.unit(begin, end, annotation.value or None, where=annotation.line, annotator=annotator, layer=layer)
    if not tiers_of_file:
        marks.annotated()
    layer_names.note_same(marks, (f"{layer}@{whose}" if whose else layer for layer, whose in owners))
    unnamed = [layer for layer, whose in owners if whose is None]
    if unnamed and len(unnamed) < len(owners):
        marks.note(
            f"tiers ({len(unnamed)}) do not say their annotator, who is taken from the path: {layer_names.few(unnamed)}"
        )
    names.note(marks)


def _owner(tier: Tier, names: layer_names.TierNames, *, participant: bool) -> tuple[str, str | None]:
    """Return layer and annotator of a tier."""
    named = names.tier(tier.name)
    if named.annotator is not None:
        return named
    annotator = (tier.participant if participant else tier.annotator) or None
    if annotator is not None:
        fits = re.fullmatch(rf"(.+)@{re.escape(annotator)}(?: \(\d+\))?", named.layer, re.DOTALL)
        if fits is not None:
            return fits.group(1), annotator
    return named.layer, annotator


def _timeless(annotation: Annotation) -> str:
    """Return words for an annotation whose time nothing tells."""
    if annotation.aligned:
        return (
            f"the annotation is between time slots {annotation.begin!r} and {annotation.end!r}, one of which is not "
            "there or has no time before and behind it; give it a time"
        )
    return f"the annotation is of {annotation.parent!r}, which is not there or has no time; correct or delete it"


FORMAT = FileFormat(
    "elan",
    "ELAN annotation (.eaf)",
    (".eaf",),
    _matches,
    _read,
    declares=("annotator",),
    write=write,
    beside=(".pfsx", ".etf"),
    options=_OPTIONS,
)
