"""BORIS projects: all observations of one observer, with state events and point events, in seconds.

Conventions
-----------
* An observation is a document, a behaviour the category, the observer is named by the path. A state event is a unit
  from its start to its stop, which are the events of one subject, behaviour and modifiers in turn; a point event is a
  unit without length.
* The subject that is observed is the layer. ``layers="*"`` reads all as one, and
  ``document="{document}/{layer}"`` makes a document of each.
* ``options={"modifiers": "yes"}`` adds modifiers to the category (``play|alone``); otherwise they only tell which
  events are one state.
* A state that is not stopped is refused; ``options={"unpaired": "drop"}`` leaves it out.
* The extent is the length of the media of the first player, or the time interval of the observation, if there is one.
* An observation without events was seen.
* A time offset of an observation is not added: times are as the events have them.

References
----------
Friard & Gamba 2016, BORIS: a free, versatile open-source event-logging software for video/audio coding and live
observations, Methods in Ecology and Evolution 7; https://www.boris.unito.it.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from gamma_align.errors import Cure, InputError, Location, Set
from gamma_align.reading.files import json_files
from gamma_align.reading.files.json_files import FaultError, as_problem, get, maybe, need
from gamma_align.reading.formats import Choices, FileFormat, Head, Marks, Source
from gamma_align.reading.marks.records import flag, one_of

_PROJECT_KEYS = re.compile(r'"(?:observations|behaviors_conf|subjects_conf|time_format|project_format_version)"\s*:')
_MIN_KEYS = 2  # in the beginning of the file; the observations may be far behind
_MIN_EVENT_CELLS = 3  # of an event: time, subject, behaviour
_MODIFIERS_INDEX = 3  # index in an event
_NO_SUBJECT = "No focal subject"  # as BORIS calls it in its exports
_OPTION_HELP = {
    "modifiers": "'yes': the category is the behaviour with its modifiers",
    "unpaired": "'drop': leave out states that are not stopped",
}
_NOTE_TEXTS = {
    "modifiers": "the modifiers of {} events are not part of the categories",
    "unpaired": "{} states that are not stopped are left out",
    "empty": "{} observations have no events: they are taken as seen by the observer, who marked nothing",
    "offset": "the time offsets of {} observations are not added",
}


class _Event(NamedTuple):
    """An event of an observation; `number` counts them from 1."""

    number: int
    time: float
    subject: str
    behaviour: str
    modifiers: str


@dataclass(frozen=True, slots=True)
class _Project:
    """A project as it is read; `states` says of each behaviour whether it is a state."""

    marks: Marks
    states: Mapping[str, bool]
    adds_modifiers: bool
    drops_unpaired: bool
    counts: Counter[str] = field(default_factory=Counter)


def _matches(head: Head) -> bool:
    if not head.text.lstrip().startswith("{"):
        return False
    keys = set(_PROJECT_KEYS.findall(head.text))
    return head.suffix == ".boris" or (head.suffix == ".json" and len(keys) >= _MIN_KEYS)


def _read(source: Source, choices: Choices) -> Iterable[Marks]:
    marks = Marks(source.name, length_unit="s")
    with as_problem(marks, None):
        file = need(json_files.document(source, constants=True), dict, "the file")
        observations = get(file, "observations", dict, "the project")
        if not observations:
            raise InputError(
                "the project has no observations", "leave the file out: nobody observed anything", Location(source.name)
            )
        project = _Project(
            marks,
            _states(get(file, "behaviors_conf", dict, "the project")),
            flag(choices, "modifiers"),
            one_of(choices, "unpaired", ("refuse", "drop")) == "drop",
        )
        for name, observation in observations.items():
            with as_problem(marks, f"observation {name!r}"):
                _add_observation(project, name, need(observation, dict, "the observation"))
        marks.note_counts(project.counts, _NOTE_TEXTS)
    return (marks,)


def _states(behaviours: dict[str, object]) -> dict[str, bool]:
    """Return whether each behaviour is a state, which lasts, or a point, by its code."""
    states = {}
    for value in behaviours.values():
        behaviour = need(value, dict, "a behaviour")
        states[get(behaviour, "code", str, "a behaviour")] = get(behaviour, "type", str, "a behaviour").startswith(
            "State"
        )
    return states


def _add_observation(project: _Project, name: str, observation: dict[str, object]) -> None:
    """Add the events of an observation; a state begins and stops with an event each.

    States that are not stopped are counted or reported. Raises a `FaultError` for an unknown behaviour.
    """
    marks = project.marks
    events = [_parse_event(number, value) for number, value in enumerate(get(observation, "events", list), 1)]
    offset = observation.get("time offset")
    project.counts["offset"] += bool(offset)
    project.counts["empty"] += not events
    if not events:
        marks.annotated(name)
    extent = _extent(observation)
    if extent is not None:
        marks.extents[name] = extent
    begun: dict[tuple[str, str, str], _Event] = {}
    for event in sorted(events, key=lambda event: event.time):
        if event.behaviour not in project.states:
            raise FaultError(
                f"event {event.number} is the behaviour {event.behaviour!r}, which is not in the ethogram",
                "add it to the ethogram of the project",
            )
        state = (event.subject, event.behaviour, event.modifiers)
        if not project.states[event.behaviour]:
            _add_unit(project, name, event, event.time)
        elif state in begun:
            _add_unit(project, name, begun.pop(state), event.time)
        else:
            begun[state] = event
    if project.drops_unpaired:
        project.counts["unpaired"] += len(begun)
        return
    for event in begun.values():
        marks.problem(
            f"observation {name!r}, event {event.number}",
            f"the state {event.behaviour!r} begins at {event.time:.15g} s and is not stopped",
            Cure(
                "stop it in BORIS (Observations, Fix unpaired events), or leave such states out with {}",
                Set("options", {"unpaired": "drop"}),
            ),
        )


def _parse_event(number: int, value: object) -> _Event:
    """Return an event; raise a `FaultError` if it has no time, subject or behaviour."""
    cells = need(value, list, f"event {number}")
    texts = [cell if isinstance(cell, str) else "" for cell in cells[1 : _MODIFIERS_INDEX + 1]]
    time = cells[0] if cells else None
    if (
        len(cells) < _MIN_EVENT_CELLS
        or not isinstance(time, int | float)
        or isinstance(time, bool)
        or not math.isfinite(time)
    ):
        raise FaultError(
            f"event {number} is {json_files.shown(value)} and has no time, subject and behaviour",
            "correct or delete it",
        )
    return _Event(number, float(time), texts[0], texts[1], texts[2] if len(texts) > _MODIFIERS_INDEX - 1 else "")


def _add_unit(project: _Project, document: str, event: _Event, end: float) -> None:
    """Add an event as a unit that lasts until `end`; its subject is the layer."""
    category = event.behaviour
    if event.modifiers and project.adds_modifiers:
        category = f"{category}|{event.modifiers}"
    project.counts["modifiers"] += bool(event.modifiers) and not project.adds_modifiers
    project.marks.unit(
        event.time,
        end,
        category,
        location=f"observation {document!r}, event {event.number}",
        document=document,
        layer=event.subject or _NO_SUBJECT,
    )


def _extent(observation: dict[str, object]) -> tuple[float, float] | None:
    """Return the extent that an observation declares, ``None`` if it is not known.

    It is the time interval of the observation, or else the total length of its media.
    """
    interval = observation.get("observation time interval")
    if isinstance(interval, list) and all(isinstance(bound, int | float) for bound in interval) and any(interval):
        low, high = (float(bound) for bound in (*interval, 0, 0)[:2])
        return (low, high) if low < high < math.inf else None
    files = maybe(observation, "file", dict) if isinstance(observation.get("file"), dict) else None
    media = maybe(observation, "media_info", dict) or {}
    lengths = media.get("length")
    first = (files or {}).get("1")
    if not isinstance(lengths, dict) or not isinstance(first, list) or not first:
        return None
    media_lengths = [lengths.get(file) if isinstance(file, str) else None for file in first]
    numbers = [float(length) for length in media_lengths if isinstance(length, int | float) and length > 0]
    total = sum(numbers)
    return (0.0, total) if len(numbers) == len(first) and total < math.inf else None


# A project is of one observer, so that the path names the annotator.
FORMAT = FileFormat(
    name="boris",
    description="BORIS projects (.boris)",
    suffixes=(".boris",),
    matches=_matches,
    read=_read,
    declares=("document",),
    options=_OPTION_HELP,
)
