"""Transcriptions and annotations of recordings in XML: EXMARaLDA, Transcriber, Anvil; a file is by one annotator.

Conventions
-----------
* Times are seconds. Each tier or track is a layer; a file with several asks which one to read.
* ``exmaralda`` (.exb): events of tiers between points of the common timeline; the layer is the tier's display name, or
  its category, and the text is the category. A point without a time is placed evenly between its neighbours.
* ``transcriber`` (.trs): turns, a unit for each speaker of a turn, the speaker's name its category. Turns without a
  speaker are gaps. The extent is the one of the sections.
* ``anvil`` (.anvil): elements of tracks. The category is the value of the element's only attribute, or of the one that
  ``layers="track:attribute"`` names. Elements of "span" tracks last from their first to their last reference, those of
  "primary point" tracks have no length.

References
----------
Schmidt & Wörner 2014, EXMARaLDA, The Oxford Handbook of Corpus Phonology; Barras et al. 2001, Transcriber, Speech
Communication 33; Kipp 2001, Anvil, Eurospeech.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from xml.etree.ElementTree import Element

import numpy as np

from gamma_align.errors import Cure, InputError, Location, Set
from gamma_align.reading.files import xml_files
from gamma_align.reading.files.xml_files import children, line, local
from gamma_align.reading.formats import Choices, FileFormat, Head, Marks, Source
from gamma_align.reading.marks import seconds

_SPAN_TRACK = "span"  # a kind of tracks of Anvil whose elements refer to those of another track
_POINT_TRACK_ENDING = "point"


def _read_root(source: Source, name: str) -> tuple[Element, Marks]:
    """Return the root element and new marks in seconds; raise an `InputError` if the root has another name."""
    root = xml_files.root(source)
    if local(root) != name:
        raise InputError(
            f"the element is {local(root)}, not {name}", "export it again", Location(source.name, line(root))
        )
    return root, Marks(source.name, length_unit="s")


def _time(marks: Marks, element: Element, name: str) -> float | None:
    """Return the time in an attribute; if it is no number, report it and return ``None``."""
    text = element.get(name, "")
    number = seconds.number(text)
    if number is None:
        marks.problem(line(element), f"{name} is {text[:40]!r}, not a number of seconds", "correct it")
        return None
    return float(number)


def _read_exmaralda(source: Source, _: Choices) -> Iterable[Marks]:
    root, marks = _read_root(source, "basic-transcription")
    times = _timeline(marks, [point for point in root.iter() if local(point) == "tli"])
    for tier in (element for element in root.iter() if local(element) == "tier"):
        layer = tier.get("display-name") or tier.get("category") or tier.get("id", "")
        marks.annotated(layer=layer)
        for event in children(tier, "event"):
            start = times.get(event.get("start", ""))
            end = times.get(event.get("end", ""))
            text = "".join(event.itertext())
            if start is None or end is None:
                marks.problem(line(event), "the event is between points that are not in the timeline", "correct it")
            elif not seconds.is_blank(text):
                marks.unit(start, end, text.strip() or None, location=line(event), layer=layer)
    return (marks,)


def _timeline(marks: Marks, points: list[Element]) -> dict[str, float]:
    """Return the time in seconds of each point; points without one are placed between their neighbours.

    Points before the first and after the last time are left out.
    """
    times = {at: _time(marks, point, "time") for at, point in enumerate(points) if point.get("time")}
    valid_times = {at: time for at, time in times.items() if time is not None}
    if not valid_times:
        return {}
    placed = np.interp(range(len(points)), list(valid_times), list(valid_times.values())).tolist()
    if len(valid_times) < len(points):
        marks.note(
            f"points of the timeline without a time ({len(points) - len(valid_times)}) are placed between neighbours"
        )
    inside = range(min(valid_times), max(valid_times) + 1)
    return {points[at].get("id", ""): placed[at] for at in inside}


def _read_transcriber(source: Source, _: Choices) -> Iterable[Marks]:
    root, marks = _read_root(source, "Trans")
    names = {
        speaker.get("id", ""): speaker.get("name", "") or speaker.get("id", "")
        for speakers in children(root, "Speakers")
        for speaker in children(speakers, "Speaker")
    }
    marks.annotated()
    sections = [section for episode in children(root, "Episode") for section in children(episode, "Section")]
    bounds = [_time(marks, section, name) for section in sections for name in ("startTime", "endTime")]
    valid_bounds = [bound for bound in bounds if bound is not None]
    if valid_bounds:
        marks.extents[None] = min(valid_bounds), max(valid_bounds)
    n_gaps = 0
    for turn in (turn for section in sections for turn in children(section, "Turn")):
        start = _time(marks, turn, "startTime")
        end = _time(marks, turn, "endTime")
        speakers = turn.get("speaker", "").split()
        n_gaps += not speakers
        for speaker in speakers:
            marks.unit(start, end, names.get(speaker, speaker), location=line(turn))
    if n_gaps:
        marks.note(f"{n_gaps} turns without a speaker are gaps")
    return (marks,)


def _read_anvil(source: Source, choices: Choices) -> Iterable[Marks]:
    root, marks = _read_root(source, "annotation")
    bounds_by_track: dict[str, dict[str, tuple[float, float]]] = {}
    for track in (track for body in children(root, "body") for track in children(body, "track")):
        name = track.get("name", "")
        kind = track.get("type", "")
        marks.annotated(layer=name)
        bounds_by_index: dict[str, tuple[float, float]] = {}
        for element in children(track, "el"):
            bounds = _element_bounds(marks, element, kind, bounds_by_track.get(track.get("ref", ""), {}))
            if bounds is not None:
                bounds_by_index[element.get("index", "")] = bounds
                category = _category(marks, element, name, choices)
                marks.unit(*bounds, category, location=line(element), layer=name)
        bounds_by_track[name] = bounds_by_index
    return (marks,)


def _element_bounds(
    marks: Marks, element: Element, kind: str, referred: dict[str, tuple[float, float]]
) -> tuple[float, float] | None:
    """Return the bounds of an element, or report them and return ``None``.

    Elements of a track of spans refer to elements of another track, the bounds of which are `referred`.
    """
    if kind == _SPAN_TRACK:
        first = referred.get(element.get("start", ""))
        last = referred.get(element.get("end", ""))
        if first is None or last is None:
            marks.problem(line(element), "the element refers to one that is not there", "correct or delete it")
            return None
        return first[0], last[1]
    names = ("time", "time") if kind.endswith(_POINT_TRACK_ENDING) else ("start", "end")
    start, end = (_time(marks, element, name) for name in names)
    return None if start is None or end is None else (start, end)


def _category(marks: Marks, element: Element, layer: str, choices: Choices) -> str | None:
    """Return the category of an element; report an element with several attributes if none is named."""
    values = {attribute.get("name", ""): (attribute.text or "").strip() for attribute in children(element, "attribute")}
    feature = choices.feature(layer)
    if feature is None and len(values) > 1 and choices.wants(layer):
        marks.problem(
            line(element),
            f"the element has the attributes {', '.join(map(repr, values))}, one of which is the category",
            Cure("say it with {}", Set("layers", [f"{layer}:{next(iter(values))}"])),
        )
    return values.get(feature or next(iter(values), "")) or None


def _matcher(pattern: str, suffix: str) -> Callable[[Head], bool]:
    """Return the function that recognises an XML file by its suffix and its root element."""
    root = re.compile(rf"\A\ufeff?\s*(?:<[?!][^>]*>\s*)*?<{pattern}[\s>]")

    def matches(head: Head) -> bool:
        return head.suffix in (suffix, ".xml") and root.search(head.text) is not None

    return matches


FORMATS = (
    FileFormat(
        "exmaralda",
        "transcriptions of EXMARaLDA (.exb)",
        (".exb", ".xml"),
        _matcher("basic-transcription", ".exb"),
        _read_exmaralda,
    ),
    FileFormat(
        "transcriber",
        "transcriptions of Transcriber (.trs)",
        (".trs", ".xml"),
        _matcher("Trans", ".trs"),
        _read_transcriber,
    ),
    FileFormat(
        "anvil",
        "annotations of Anvil (.anvil)",
        (".anvil",),
        _matcher("annotation", ".anvil"),
        _read_anvil,
    ),
)
