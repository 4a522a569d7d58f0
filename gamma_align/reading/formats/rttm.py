"""RTTM: speakers and their times, ten fields in each line; a file is by one annotator (a person or a system).

Conventions
-----------
* ``SPEAKER <recording> <channel> <onset> <duration> <NA> <NA> <speaker> <NA> <NA>`` is a unit, the speaker its
  category (``<NA>`` for none). The last field may be missing. Lines of other types and comments (``;;``) are left out.
* A unit ends at onset + duration, added as decimal numbers. Lines are in any order.
* Extents come from UEM files: ``<this file>.uem`` beside it (all its recordings were annotated), or
  ``<recording>.uem``, or the one that ``options={"uem": "all.uem"}`` names; with ``"seen": "uem"`` too, all its
  recordings were annotated. Gaps between regions are noted, but stay in the extent.
* ``options={"strip": ".Mix-Headset"}`` removes a suffix from the names of recordings, which differs between systems.

References
----------
NIST, The 2009 (RT-09) Rich Transcription Meeting Recognition Evaluation Plan, appendix A.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from gamma_align.data import Corpus, Unit, end_of, few
from gamma_align.errors import InputError, Location, SettingsError
from gamma_align.reading.files import line_files
from gamma_align.reading.formats import Choices, FileFormat, Head, Marks, Source
from gamma_align.reading.marks import seconds, writable
from gamma_align.reading.marks.choices import FORMAT_OPTIONS
from gamma_align.reading.marks.texts import joined
from gamma_align.reading.marks.writable import OTHER_FORMATS, as_part, unit_location

_OTHER_TYPES = frozenset(
    ("SEGMENT", "NOSCORE", "NO_RT_METADATA", "LEXEME", "NON-LEX", "NON-SPEECH", "FILLER", "EDIT", "IP", "SU", "CB")
) | {"A/P", "SPKR-INFO"}
"""Types of lines that the plans of the evaluations name, besides SPEAKER."""

_FIELD_COUNTS = (9, 10)  # the last field may be missing
_UEM_FIELDS = 4
_NO_VALUE = "<NA>"
_LINE_CURE = (
    "write SPEAKER, recording, channel, onset, duration, <NA>, <NA>, speaker, <NA>, <NA>, with names without blanks"
)
_OPTION_HELP = {
    "uem": "a UEM file with the extents",
    "seen": "'uem' where all recordings of that file were looked at",
    "strip": "an ending to take off recordings' names",
}


def _matches(head: Head) -> bool:
    if head.suffix == ".rttm":
        return True
    lines = [fields for fields in map(str.split, head.lines[:20]) if fields and not fields[0].startswith(";;")]
    return bool(lines) and all(len(f) in _FIELD_COUNTS and (f[0] == "SPEAKER" or f[0] in _OTHER_TYPES) for f in lines)


def _read(source: Source, choices: Choices) -> Iterable[Marks]:
    options = _options(choices)
    marks = Marks(source.name, length_unit="s")
    skipped: Counter[str] = Counter()
    recordings: dict[str, set[str]] = {}  # to their channels
    for number, line in line_files.numbered(source):
        fields = line.split()
        if not fields or fields[0].startswith(";;"):
            continue
        if fields[0] == "SPEAKER":
            _add_unit(marks, number, fields, recordings, options.get("strip", ""))
        elif fields[0] in _OTHER_TYPES:
            skipped[fields[0]] += 1
        else:
            marks.problem(number, f"{fields[0][:40]!r} is no type of line in RTTM", "correct or delete the line")
    if skipped:
        listing = ", ".join(f"{count} of {kind}" for kind, count in skipped.most_common())
        marks.note(f"lines of other types than SPEAKER are left out: {listing}")
    strip = options.get("strip", "")
    _note_names(marks, recordings, strip)
    _read_extents(marks, source, {name.removesuffix(strip): None for name in recordings}, options)
    seconds.note_near(marks)
    return (marks,)


def _options(choices: Choices) -> Mapping[str, str]:
    """Return the options as strings; raise a `SettingsError` for a wrong value of "seen"."""
    options = {name: str(value) for name, value in choices.options.items()}
    if options.get("seen", "uem") != "uem" or ("seen" in options and "uem" not in options):
        raise SettingsError(
            f"the option 'seen' is {_OPTION_HELP['seen']}, not {options['seen']!r}",
            "name the file with the option 'uem'",
            FORMAT_OPTIONS,
        )
    return options


def _add_unit(marks: Marks, number: int, fields: list[str], recordings: dict[str, set[str]], strip: str) -> None:
    """Add the unit of a line and store its recording and channel; report an invalid line."""
    if len(fields) not in _FIELD_COUNTS:
        marks.problem(number, f"the line has {len(fields)} fields, not the ten of RTTM", _LINE_CURE)
        return
    onset = seconds.number(fields[3])
    duration = seconds.number(fields[4])
    if onset is None or duration is None:
        wrong = f"onset is {fields[3][:40]!r}" if onset is None else f"duration is {fields[4][:40]!r}"
        marks.problem(number, f"the {wrong}, not a number of seconds", "correct it")
        return
    recordings.setdefault(fields[1], set()).add(fields[2])
    start = float(onset)
    end = end_of(onset, duration)
    category = None if fields[7] == _NO_VALUE else fields[7]
    marks.unit(start, end, category, location=number, document=fields[1].removesuffix(strip))


def _note_names(marks: Marks, recordings: dict[str, set[str]], strip: str) -> None:
    """Note shortened names of recordings, and recordings with several channels."""
    shortened = [name for name in recordings if strip and name.endswith(strip)]
    if shortened:
        marks.note(f"{strip!r} is taken off names of recordings ({len(shortened)}): {few(map(repr, shortened), 3)}")
    # Units of two recordings would be mixed in one document.
    same = [name for name in shortened if name.removesuffix(strip) in recordings]
    if same:
        marks.problem(None, f"without {strip!r}, {same[0]!r} is the name of another recording", "rename one of the two")
    with_several_channels = [name for name, channels in recordings.items() if len(channels) > 1]
    if with_several_channels:
        marks.note(f"channels of a recording are read as one: {few(map(repr, with_several_channels), 3)}")


def _read_extents(marks: Marks, source: Source, recordings: dict[str, None], options: Mapping[str, str]) -> None:
    """Read extents from UEM files; holes within them are noted, not taken out.

    Recordings of the file's own UEM file count as seen by the annotator, even without units.
    """
    strip = options.get("strip", "")
    path = Path(options["uem"]) if "uem" in options else None
    uem_file = source.beside(f"{source.stem}.uem") if path is None else Source(path, path.name, source.encoding)
    regions = {} if uem_file is None else _regions(uem_file, strip)
    missing = [recording for recording in recordings if recording not in regions]
    if path is not None and missing:
        names = few(map(repr, missing), 3)
        marks.note(f"{len(missing)} recordings are not in {path.name}, and reach as far as their units: {names}")
    if path is None:
        _add_regions_of_recordings(regions, source, missing, strip)
    seen = uem_file is not None and (path is None or "seen" in options)
    holes: dict[str, int] = {}
    for recording, spans in regions.items():
        if seen or recording in recordings:
            marks.extents[recording] = spans[0][0], spans[-1][1]
            marks.annotated(recording)
            holes[recording] = len(spans) - 1
    holed = [recording for recording, count in holes.items() if count]
    if holed:
        marks.note(
            f"the UEM file leaves {sum(holes.values())} holes in {len(holed)} recordings, which are not taken out: "
            f"the extent goes from the first region to the last: {few(map(repr, holed), 3)}"
        )


def _add_regions_of_recordings(
    regions: dict[str, list[tuple[float, float]]], source: Source, recordings: list[str], strip: str
) -> None:
    """Add the regions in ``<recording>.uem`` beside the file, if there is one."""
    for recording in recordings:
        # The file of another recording may already have had its regions.
        uem_of_recording = None if recording in regions else source.beside(f"{recording}.uem")
        if uem_of_recording is not None:
            regions.update(_regions(uem_of_recording, strip))


def _write(corpus: Corpus) -> Iterator[tuple[str, bytes]]:
    lines: dict[str, list[str]] = {name: [] for name in corpus.annotators}
    regions: dict[str, list[str]] = {name: [] for name in corpus.annotators}
    for continuum in writable.timed_documents(corpus, "RTTM"):
        document = _check_word(continuum.document, f"the name of document {continuum.document!r}", None)
        low, high = map(seconds.written, continuum.extent)
        for annotator, units in writable.by_annotator(continuum).items():
            regions[annotator].append(f"{document} 1 {low} {high}\n")
            lines[annotator] += (_unit_line(document, unit) for unit in units)
    for annotator in corpus.annotators:
        name = as_part(annotator)
        location = f"annotator {annotator!r}"
        yield f"{name}.rttm", writable.encoded("".join(lines[annotator]), location)
        yield f"{name}.uem", writable.encoded("".join(regions[annotator]), location)


def _unit_line(document: str, unit: Unit) -> str:
    """Return the line of a unit; raise an `InputError` if RTTM cannot hold its category."""
    if unit.category == _NO_VALUE:
        raise InputError("the category '<NA>' means none in RTTM", "rename it", unit_location(unit, document))
    category = _NO_VALUE
    if unit.category is not None:
        category = _check_word(unit.category, "the category", unit_location(unit, document))
    # The duration is chosen so that onset + duration, rounded once, is exactly the end.
    onset = seconds.written(unit.start)
    duration = seconds.duration_of(unit.start, unit.end)
    return f"SPEAKER {document} 1 {onset} {duration} <NA> <NA> {category} <NA> <NA>\n"


def _check_word(name: str, subject: str, location: Location | None) -> str:
    """Return the name, if RTTM can hold it as a field; otherwise raise an `InputError`."""
    if name.split() != [name] or name.startswith((";;", "\ufeff")):
        raise InputError(
            f"{subject} is {name!r}, and RTTM's are words without blanks, not comments",
            f"rename it, or {OTHER_FORMATS}",
            location,
        )
    return name


def _regions(source: Source, strip: str) -> dict[str, list[tuple[float, float]]]:
    """Return the regions of each recording in order, all channels together; regions that touch are joined."""
    regions: dict[str, list[tuple[float, float]]] = {}
    for number, line in line_files.numbered(source):
        fields = line.split()
        if not fields or fields[0].startswith(";;"):
            continue
        bounds = [seconds.number(field) for field in fields[2:]]
        if len(fields) != _UEM_FIELDS or None in bounds:
            raise InputError(
                f"{line[:60]!r} is no region",
                "write a line of recording, channel, start and end in seconds",
                Location(source.name, number),
            )
        start, end = (float(bound) for bound in bounds if bound is not None)
        if not (start <= end < float("inf") and start > float("-inf")):
            raise InputError(
                f"the region ends at {end:.15g}, before its start {start:.15g}",
                "correct it",
                Location(source.name, number),
            )
        regions.setdefault(fields[0], []).append((start, end))
    return {recording.removesuffix(strip): joined(spans) for recording, spans in regions.items()}


# A file is by one annotator, so that the path names it.
FORMAT = FileFormat(
    "rttm",
    "RTTM, who speaks when (.rttm)",
    (".rttm",),
    _matches,
    _read,
    declares=("document",),
    write=_write,
    beside=(".uem",),
    options=_OPTION_HELP,
)
