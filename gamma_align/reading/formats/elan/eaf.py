"""ELAN's ``.eaf``, one file a document: tiers with their annotators, times in milliseconds, read as seconds.

Conventions
-----------
* The annotator is the tier's ``ANNOTATOR``, or ``PARTICIPANT`` with ``options={"annotator": "participant"}``, or in the
  tier's name with ``options={"tiers": "{layer}@{annotator}"}`` or ``annotator="{layer}"``, or in the path. If no tier
  of any file names one and files are in folders, each folder is an annotator.
* The layer is the tier's name, without its ``ANNOTATOR`` at the end or beginning (``units@anna``, ``anna-units``).
  Tiers of the same annotator and layer (``units@anna``, ``units@anna (2)``) are one.
* The category is the value. An annotation with an empty value has no category; one of blanks only is no unit. If the
  value comes from a controlled vocabulary of the file (``CVE_REF``), the entry of the vocabulary is the category.
* A time slot without a time is placed between its neighbours, and an annotation of another annotation within its time;
  both are noted.
* ``TIME_ORIGIN`` of the media is noted, not added: times are as ELAN shows them.

Written are ``{document}.eaf`` with tiers ``units@<annotator>``, as many as do for none to overlap, and the extent as a
property of the header. Times are whole milliseconds, or refused (``decimals=3`` rounds them).

References
----------
ELAN Annotation Format, EAF 3.0 (https://www.mpi.nl/tools/elan/EAF_Annotation_Format_3.0_and_ELAN.pdf).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, count
from xml.etree.ElementTree import Element

from gamma_align.data import Continuum, Corpus, Unit, few
from gamma_align.errors import Cure, InputError, Location, Note, Set, SettingsError
from gamma_align.reading.files import xml_files
from gamma_align.reading.files.xml_files import children, line, local
from gamma_align.reading.formats import Choices, FileFormat, Head, Marks, Source
from gamma_align.reading.formats.elan.times import Annotation, Tier, Times
from gamma_align.reading.marks import layer_names, seconds, writable
from gamma_align.reading.marks.choices import FORMAT_OPTIONS
from gamma_align.reading.marks.writable import OTHER_FORMATS, ZERO_LENGTH, as_path, unit_location

_EXTENT_PROPERTY = "gamma_align:extent"
"""Name of the header's property with the extent, two bounds in seconds."""

_WRITTEN_LAYER = "units"  # begins the names of written tiers
_WRITTEN_TYPE = "units"  # their linguistic type
_MAX_TIME = 2**32 - 1  # ms; the schema's times are unsigned 32-bit integers
# The date is constant, so that the same corpus gives the same bytes.
_FIRST_LINES = """<?xml version="1.0" encoding="UTF-8"?>
<ANNOTATION_DOCUMENT AUTHOR="gamma_align" DATE="2000-01-01T00:00:00Z" FORMAT="3.0" VERSION="3.0"\
 xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"\
 xsi:noNamespaceSchemaLocation="http://www.mpi.nl/tools/elan/EAFv3.0.xsd">
"""
_LAST_LINES = f"""\
    <LINGUISTIC_TYPE LINGUISTIC_TYPE_ID="{_WRITTEN_TYPE}" TIME_ALIGNABLE="true" GRAPHIC_REFERENCES="false"/>
</ANNOTATION_DOCUMENT>
"""
_WHOLE_NUMBER = re.compile(r"\d{1,15}")
_MS_PER_SECOND = 1000.0
_OPTION_HELP = {
    "tiers": layer_names.TIER_OPTION,
    "annotator": "'annotator' or 'participant': which of a tier's attributes it is",
}
_NOTE_TEXTS = {
    "other": "annotations ({}) have another value than the entry of the vocabulary they refer to; the entry's is taken",
    "placed": "time slots without a time ({}) are placed evenly between their neighbours",
    "blank": seconds.BLANK_NOTE,
    "divided": "annotations that divide another symbolically ({}) have equal shares of its time",
}
_N_BOUNDS = 2  # start and end of the extent
_TIER_WITH_ANNOTATOR = re.compile(rb"<TIER\s[^>]*?\bANNOTATOR\s*=\s*[\"'][^\"'>]*[^\"'>\s]")
_NO_ANNOTATOR = Note(
    "tier {layer!r} has no ANNOTATOR attribute",
    Cure(
        "give it one in ELAN, or name the annotator with {}, with {} if each tier is an annotator's, or with {} if its "
        "PARTICIPANT annotated",
        Set("annotator"),
        Set("annotator", "{layer}"),
        Set("options", {"annotator": "participant"}),
    ),
)


def _matches(head: Head) -> bool:
    return re.search(r"<ANNOTATION_DOCUMENT[\s>]", head.text) is not None


def _is_anonymous(head: Head) -> bool:
    """Return whether no tier of the file has an annotator."""
    if head.opened is None:
        return _TIER_WITH_ANNOTATOR.search(head.data) is None
    # The tiers stand behind all time slots, which may be longer than the beginning of the file.
    with head.opened() as file:
        return _TIER_WITH_ANNOTATOR.search(file.read()) is None


def _read(source: Source, choices: Choices) -> Iterable[Marks]:
    options = _options(choices)
    root = xml_files.root(source)
    if local(root) != "ANNOTATION_DOCUMENT":
        raise InputError(
            f"the element is {local(root)}, not ANNOTATION_DOCUMENT",
            "save the file again with ELAN",
            Location(source.name, line(root)),
        )
    marks = Marks(source.name, length_unit="s")
    marks.unsaid = _NO_ANNOTATOR
    for header in children(root, "HEADER"):
        _header(marks, header)
    vocabularies = _Vocabularies(root)
    tiers = [_read_tier(marks, element, vocabularies) for element in children(root, "TIER")]
    kinds = children(root, "LINGUISTIC_TYPE")
    constraints = {kind.get("LINGUISTIC_TYPE_ID", ""): kind.get("CONSTRAINTS", "") for kind in kinds}
    times = Times(_time_slots(marks, children(root, "TIME_ORDER")), tiers, constraints)
    blank = _add_units(marks, tiers, options, choices)
    counts = {"other": vocabularies.other, "placed": times.interpolated, "divided": times.divided, "blank": blank}
    marks.note_counts(counts, _NOTE_TEXTS)
    return (marks,)


def _options(choices: Choices) -> Mapping[str, str]:
    """Return the options as strings; raise a `SettingsError` for a wrong value of "annotator"."""
    options = {name: str(value) for name, value in choices.options.items()}
    if options.get("annotator", "annotator") not in ("annotator", "participant"):
        raise SettingsError(
            f"the option 'annotator' is {_OPTION_HELP['annotator']}; it is {options['annotator']!r}",
            location=FORMAT_OPTIONS,
        )
    return options


def _header(marks: Marks, header: Element) -> None:
    """Read the extent from the header; note time origins that are not added."""
    units = header.get("TIME_UNITS", "milliseconds")
    if units != "milliseconds":
        raise InputError(
            f"the times are {units!r}, and only milliseconds are read",
            "save the file with a newer ELAN",
            Location(marks.file, line(header)),
        )
    for element in header:
        origin = element.get("TIME_ORIGIN", "0")
        if origin not in ("0", ""):
            marks.note(f"a medium begins at {origin} ms of the annotations' time (TIME_ORIGIN), which is not added")
        if local(element) == "PROPERTY" and element.get("NAME") == _EXTENT_PROPERTY:
            _extent(marks, element)


def _extent(marks: Marks, element: Element) -> None:
    """Read the extent from the property that gamma_align writes; report one that is not two ascending bounds."""
    bounds = [seconds.number(word) for word in (element.text or "").split()]
    numbers = [float(bound) for bound in bounds if bound is not None]
    if (
        len(numbers) != _N_BOUNDS
        or len(bounds) != _N_BOUNDS
        or not float("-inf") < numbers[0] <= numbers[1] < float("inf")
    ):
        marks.problem(
            line(element), f"the property {_EXTENT_PROPERTY!r} is {element.text!r:.60}, not two bounds", "correct it"
        )
        return
    marks.extents[None] = numbers[0], numbers[1]


def _time_slots(marks: Marks, orders: list[Element]) -> dict[str, int | None]:
    """Return the time of each time slot in ms, ``None`` if it has none; report repeated and invalid slots."""
    slots: dict[str, int | None] = {}
    for slot in chain.from_iterable(orders):
        name = slot.get("TIME_SLOT_ID", "")
        time = slot.get("TIME_VALUE")
        if name in slots:
            marks.problem(line(slot), f"the time slot {name!r} is there twice", "give one another name")
        elif time is not None and _WHOLE_NUMBER.fullmatch(time) is None:
            marks.problem(
                line(slot), f"the time of slot {name!r} is {time[:40]!r}, not whole milliseconds", "correct it"
            )
        slots[name] = int(time) if time is not None and _WHOLE_NUMBER.fullmatch(time) else None
    return slots


def _read_tier(marks: Marks, element: Element, vocabularies: _Vocabularies) -> Tier:
    """Return a tier with its annotations, which have no time yet; report elements that are no annotations."""
    names = (element.get("ANNOTATOR", ""), element.get("PARTICIPANT", ""))
    annotator, participant = (name if name.strip() else None for name in names)
    parent = element.get("PARENT_REF")
    kind = element.get("LINGUISTIC_TYPE_REF")
    tier = Tier(element.get("TIER_ID", ""), line(element), annotator, participant, parent, kind)
    if not tier.name:
        marks.problem(tier.line, "the tier has no TIER_ID", "give it one")
    # An ANNOTATION element wraps the element of each annotation.
    for child in chain.from_iterable(element):
        text = "".join(value.text or "" for value in children(child, "ANNOTATION_VALUE"))
        value = vocabularies.value(text, child, element)
        annotation = Annotation(child.get("ANNOTATION_ID", ""), line(child), value)
        if local(child) == "ALIGNABLE_ANNOTATION":
            annotation.begin = child.get("TIME_SLOT_REF1")
            annotation.end = child.get("TIME_SLOT_REF2")
        elif local(child) == "REF_ANNOTATION":
            annotation.parent = child.get("ANNOTATION_REF", "")
            annotation.previous = child.get("PREVIOUS_ANNOTATION")
        else:
            marks.problem(line(child), f"{local(child)!r} is no annotation", "correct or delete it")
            continue
        tier.annotations.append(annotation)
    return tier


class _Vocabularies:
    """Entries of the controlled vocabularies in the file; `other` counts values that differ from their entry."""

    def __init__(self, root: Element) -> None:
        self._entries: dict[tuple[str | None, str | None], dict[str | None, str]] = {}
        for vocabulary in children(root, "CONTROLLED_VOCABULARY"):
            for entry in vocabulary:
                values = {value.get("LANG_REF"): value.text or "" for value in children(entry, "CVE_VALUE")}
                if values:
                    self._entries[vocabulary.get("CV_ID"), entry.get("CVE_ID")] = values
        kinds = children(root, "LINGUISTIC_TYPE")
        self._of = {kind.get("LINGUISTIC_TYPE_ID"): kind.get("CONTROLLED_VOCABULARY_REF") for kind in kinds}
        self.other = 0

    def value(self, written: str, annotation: Element, tier: Element) -> str:
        """Return the value of an annotation: its entry in a vocabulary of the file if it has one."""
        reference = annotation.get("CVE_REF")
        values = self._entries.get((self._of.get(tier.get("LINGUISTIC_TYPE_REF")), reference))
        if reference is None or values is None:
            return written
        entry = values.get(tier.get("LANG_REF"), next(iter(values.values())))
        self.other += entry != written
        return entry


def _add_units(marks: Marks, tiers: list[Tier], options: Mapping[str, str], choices: Choices) -> int:
    """Add the units of all tiers; return the number of annotations that are skipped because they are blank."""
    blank = 0
    names = layer_names.TierNames(options.get("tiers"))
    ids: dict[str, int] = {}
    owners: list[tuple[str, str | None]] = []
    for tier in tiers:
        layer, annotator = _owner(tier, names, participant=options.get("annotator") == "participant")
        owners.append((layer, annotator))
        marks.annotated(annotator=annotator, layer=layer)
        for annotation in tier.annotations:
            if annotation.name in ids:
                first = ids[annotation.name]
                marks.problem(annotation.line, f"line {first} has the id {annotation.name!r} too", "change one")
            ids[annotation.name] = annotation.line
            if seconds.is_blank(annotation.value):
                blank += 1
            elif annotation.span is None:
                marks.problem(annotation.line, *_problem_without_time(annotation))
            else:
                begin, end = (time / _MS_PER_SECOND for time in annotation.span)
                value = annotation.value or None
                marks.unit(begin, end, value, location=annotation.line, annotator=annotator, layer=layer)
    if not tiers:
        marks.annotated()
    layer_names.note_same(marks, (f"{layer}@{name}" if name else layer for layer, name in owners))
    _note_dependents(marks, tiers, owners, choices)
    unnamed = [layer for layer, name in owners if name is None]
    if unnamed and len(unnamed) < len(owners):
        names_of_layers = few(map(repr, unnamed), 3)
        marks.note(f"tiers ({len(unnamed)}) do not say their annotator, who is taken from the path: {names_of_layers}")
    names.note(marks)
    return blank


def _note_dependents(marks: Marks, tiers: list[Tier], owners: list[tuple[str, str | None]], choices: Choices) -> None:
    """Note tiers that are read as the work of another annotator than the tier they depend on."""
    is_named_by_layer = "{layer}" in (choices.annotator or "")
    read = {
        tier.name: layer if is_named_by_layer else annotator
        for tier, (layer, annotator) in zip(tiers, owners, strict=True)
        if tier.annotations and choices.wants(layer) and (is_named_by_layer or annotator is not None)
    }
    rivals = [
        f"{tier.name!r} on {tier.depends!r}"
        for tier in tiers
        if tier.name in read and tier.depends in read and read[tier.name] != read[tier.depends]
    ]
    if rivals:
        marks.note(
            f"tiers ({len(rivals)}) depend on others (PARENT_REF), and are read as of other annotators: "
            f"{few(rivals, 3)}",
            Cure("if they are no rivals, choose tiers with {}", Set("layers")),
        )


def _owner(tier: Tier, names: layer_names.TierNames, *, participant: bool) -> tuple[str, str | None]:
    """Return layer and annotator of a tier; the annotator is ``None`` if neither its name nor its attribute has one.

    The annotator's name is removed from the layer.
    """
    named = names.tier(tier.name)
    if named.annotator is not None:
        return named
    annotator = tier.participant if participant else tier.annotator
    if annotator is None:
        return named.layer, None
    # Further tiers of an annotator are written with " (2)" behind the name, see `_name`.
    name = rf"{re.escape(annotator)}(?: \(\d+\))?"
    fits = re.fullmatch(rf"(.+?)[@_\-.: ]+{name}|{name}[@_\-.: ]+(.+)", named.layer, re.DOTALL | re.IGNORECASE)
    return named.layer if fits is None else fits[1] or fits[2], annotator


def _problem_without_time(annotation: Annotation) -> tuple[str, str]:
    """Return cause and cure for an annotation if its time cannot be determined."""
    if not annotation.aligned:
        return f"the annotation is of {annotation.parent!r}, which is not there or has no time", "correct or delete it"
    cause = (
        f"the annotation is between time slots {annotation.begin!r} and {annotation.end!r}, one of which is not there "
        "or has no time before and behind it"
    )
    return cause, "give it a time"


def _write(corpus: Corpus) -> Iterator[tuple[str, bytes]]:
    for continuum in writable.timed_documents(corpus, "ELAN"):
        text = _eaf_text(continuum)
        yield f"{as_path(continuum.document, 'document')}.eaf", writable.encoded(text, continuum.document)


def _eaf_text(continuum: Continuum) -> str:
    """Return the content of the ELAN file of a document."""
    rows: list[tuple[str, str, list[Unit]]] = []
    taken: set[str] = set()
    for annotator, units in writable.by_annotator(continuum).items():
        rows += ((_unused_name(annotator, taken), annotator, row) for row in writable.lanes(units) or [[]])
    times: list[int] = []
    for _, _, row in rows:
        for unit in row:
            times += _times(unit, continuum.document)
    slots = [""] * len(times)
    # Slots are numbered in the order of their times, as they stand in TIME_ORDER.
    for rank, index in enumerate(sorted(range(len(times)), key=times.__getitem__), 1):
        slots[index] = f"ts{rank}"
    low, high = map(seconds.written, continuum.extent)
    lines = [
        '    <HEADER MEDIA_FILE="" TIME_UNITS="milliseconds">',
        f'        <PROPERTY NAME="{_EXTENT_PROPERTY}">{low} {high}</PROPERTY>',
        "    </HEADER>",
        "    <TIME_ORDER>",
        *(f'        <TIME_SLOT TIME_SLOT_ID="ts{n}" TIME_VALUE="{time}"/>' for n, time in enumerate(sorted(times), 1)),
        "    </TIME_ORDER>",
    ]
    numbered_slots = enumerate(zip(slots[::2], slots[1::2], strict=True), 1)
    for name, annotator, row in rows:
        lines += _tier_lines(name, annotator, row, numbered_slots, continuum.document)
    return _FIRST_LINES + "".join(f"{line}\n" for line in lines) + _LAST_LINES


def _unused_name(annotator: str, taken: set[str]) -> str:
    """Return an unused name for the next tier of an annotator, and add it to `taken`."""
    name = f"{_WRITTEN_LAYER}@{annotator}"
    if name in taken:
        name = next(longer for number in count(2) if (longer := f"{name} ({number})") not in taken)
    taken.add(name)
    return name


def _times(unit: Unit, document: str) -> tuple[int, int]:
    """Return the bounds of a unit in milliseconds; raise an `InputError` if ELAN cannot hold the unit."""
    location = unit_location(unit, document)
    if not 0 <= unit.start <= unit.end <= _MAX_TIME / 1000:
        raise InputError(f"ELAN's times are from 0 to {_MAX_TIME} milliseconds", OTHER_FORMATS, location)
    # If the nearest millisecond is not the same float64, the time is finer than a millisecond.
    begin = round(unit.start * 1000)
    end = round(unit.end * 1000)
    if begin / 1000 != unit.start or end / 1000 != unit.end:
        raise InputError(
            "ELAN's times are whole milliseconds",
            Cure("round them with {}, or {}", Set("decimals", 3), OTHER_FORMATS),
            location,
        )
    if begin == end:
        raise InputError(
            "ELAN has no annotations of no length",
            Cure("leave such units out with {}, or {}", Set("drop", [ZERO_LENGTH]), OTHER_FORMATS),
            location,
        )
    if unit.category is not None and not unit.category.strip():
        raise InputError(
            f"the category is {unit.category!r}, which is none for ELAN",
            Cure("rename it with {}, or {}", Set("labels"), OTHER_FORMATS),
            location,
        )
    return begin, end


def _tier_lines(
    name: str, annotator: str, row: list[Unit], slots: Iterator[tuple[int, tuple[str, str]]], document: str
) -> list[str]:
    """Return the lines of a tier; the number and the time slots of its units are taken from `slots`."""
    location = Location(f"document {document!r}", f"annotator {annotator!r}")
    tier_id, owner = (xml_files.escaped(text, "the name", location) for text in (name, annotator))
    lines = [f'    <TIER LINGUISTIC_TYPE_REF="{_WRITTEN_TYPE}" TIER_ID="{tier_id}" ANNOTATOR="{owner}">']
    # `zip` asks the row first: the slots are shared by all tiers, and none may be consumed at the end of a row.
    for unit, (number, (begin, end)) in zip(row, slots, strict=False):
        value = xml_files.escaped(unit.category or "", "the category", unit_location(unit, document))
        slots_of = f'TIME_SLOT_REF1="{begin}" TIME_SLOT_REF2="{end}"'
        lines += [
            "        <ANNOTATION>",
            f'            <ALIGNABLE_ANNOTATION ANNOTATION_ID="a{number}" {slots_of}>',
            f"                <ANNOTATION_VALUE>{value}</ANNOTATION_VALUE>",
            "            </ALIGNABLE_ANNOTATION>",
            "        </ANNOTATION>",
        ]
    return [*lines, "    </TIER>"]


# A file is one document, so that the path names it.
FORMAT = FileFormat(
    "elan",
    "ELAN annotation (.eaf)",
    (".eaf",),
    _matches,
    _read,
    declares=("annotator",),
    write=_write,
    anonymous=_is_anonymous,
    beside=(".pfsx", ".etf"),
    options=_OPTION_HELP,
)
