r"""EDF+ and BDF+: annotations in the file of a recording, such as the sleep stages of one scorer; times in seconds.

Conventions
-----------
* An annotation is a unit from its onset to its onset + duration, added as decimal numbers, and its text is the
  category. Without a duration it is an event without length.
* Sleep stages (``Sleep stage W``, ``Movement time``, as EDF+ names them) are the layer "stages" and all others the
  layer "events". Successive epochs with the same stage are one unit.
* Stages tile what a scorer has judged: ``Sleep stage ?`` and gaps between stages are not scored.
* The extent is number × duration of the records in the header, if the file has records of signals.
* Signals are skipped. A file with signals and no annotation is a recording, and is refused.

References
----------
Kemp & Olivan 2003, European data format 'plus' (EDF+); https://www.edfplus.info/specs/edfplus.html, and
https://www.edfplus.info/specs/edftexts.html for the texts of annotations.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import BinaryIO, NamedTuple

from gamma_align.data import end_of
from gamma_align.errors import InputError, Location
from gamma_align.reading.formats import Choices, FileFormat, Head, Marks, Source
from gamma_align.reading.marks import seconds
from gamma_align.reading.marks.stages import Scored, Stages

_FIXED_HEADER_BYTES = 256
_SIGNAL_HEADER_BYTES = 256  # of the header for each signal
_LABEL_BYTES = 16
_BYTES_BEFORE_SAMPLES = 216  # of other fields of each signal, before its number of samples
_NUMBER_BYTES = 8  # of a number in the header
_EDF_VERSION = b"0       "
_BDF_VERSION = b"\xffBIOSEMI"
_SAMPLE_SIZES = {_EDF_VERSION: 2, _BDF_VERSION: 3}  # bytes of a sample
_ANNOTATION_LABELS = ("EDF Annotations", "BDF Annotations")
_STAGE_TEXT = re.compile(r"sleep stage .*|movement time", re.IGNORECASE)
_UNSCORED_TEXT = "sleep stage ?"
_AFTER_ONSET = b"\x15"
_AFTER_TEXT = b"\x14"
_LIST_END = b"\x00"
_TIME_PATTERN = re.compile(rb"[+-]?\d{1,15}(?:\.\d{0,20})?")
_EXPORT_CURE = "export the annotations again"


class _Annotation(NamedTuple):
    """An annotation, and the record that has it."""

    record: int
    onset: Decimal
    duration: Decimal
    text: str


@dataclass(frozen=True, slots=True)
class _Header:
    """The structure of the records; `parts` are the bytes of each signal in a record, `annotated` the signals' kind."""

    n_records: int
    record_duration: Decimal
    parts: tuple[int, ...]
    annotated: tuple[bool, ...]

    @property
    def has_signals(self) -> bool:
        """Whether the file has other signals than annotations."""
        return not all(self.annotated)


def _matches(head: Head) -> bool:
    if head.data[:_NUMBER_BYTES] not in _SAMPLE_SIZES or len(head.data) < _FIXED_HEADER_BYTES:
        return False
    count = head.data[252:_FIXED_HEADER_BYTES].strip()
    labels = (
        head.data[_FIXED_HEADER_BYTES : _FIXED_HEADER_BYTES + _LABEL_BYTES * int(count)] if count.isdigit() else b""
    )
    return any(label.encode() in labels for label in _ANNOTATION_LABELS)


def _read(source: Source, _: Choices) -> Iterable[Marks]:
    marks = Marks(source.name, length_unit="s")
    with source.open() as file:
        header = _read_header(file, source.name)
        annotations = list(_annotations(file, header, source.name, marks))
    if not annotations and header.has_signals:
        raise InputError(
            "has signals and no annotations",
            "read the file of the annotations, and move recordings out of the folder",
            Location(source.name),
        )
    if header.has_signals and header.n_records > 0 and header.record_duration > 0:
        marks.extents[None] = 0.0, float(header.n_records * header.record_duration)
    stages = Stages(marks)
    for annotation in sorted(annotations, key=lambda annotation: annotation.onset):
        start = float(annotation.onset)
        end = end_of(annotation.onset, annotation.duration)
        location = f"record {annotation.record}"
        if _STAGE_TEXT.fullmatch(annotation.text):
            is_scored = annotation.text.lower() != _UNSCORED_TEXT
            stages.add(Scored(start, end, annotation.text if is_scored else None, location))
        elif not annotation.text.isspace():
            marks.unit(start, end, annotation.text, location=location, layer="events")
    stages.finish()
    if not annotations:
        marks.annotated()
    return (marks,)


def _read_header(file: BinaryIO, name: str) -> _Header:
    """Return the structure of the records; raise an `InputError` if the header is invalid or cut off."""
    fixed = file.read(_FIXED_HEADER_BYTES)
    n_signals = _header_number(fixed[252:], "the number of signals", name)
    size = _SAMPLE_SIZES.get(fixed[:_NUMBER_BYTES])
    signals = file.read(_SIGNAL_HEADER_BYTES * n_signals)
    if size is None or not n_signals or len(signals) < _SIGNAL_HEADER_BYTES * n_signals:
        raise InputError("is no EDF or BDF, or its header is cut off", _EXPORT_CURE, Location(name))
    labels = [
        signals[at : at + _LABEL_BYTES].decode("latin-1").strip()
        for at in range(0, _LABEL_BYTES * n_signals, _LABEL_BYTES)
    ]
    counts = signals[_BYTES_BEFORE_SAMPLES * n_signals : (_BYTES_BEFORE_SAMPLES + _NUMBER_BYTES) * n_signals]
    samples = [
        _header_number(counts[at : at + _NUMBER_BYTES], "the number of samples", name)
        for at in range(0, len(counts), _NUMBER_BYTES)
    ]
    duration = seconds.number(fixed[244:252].decode("latin-1").strip())
    if duration is None or duration < 0:
        raise InputError("the duration of its records is no number of seconds", _EXPORT_CURE, Location(name))
    return _Header(
        _header_number(fixed[236:244], "the number of records", name, minimum=-1),
        duration,
        tuple(size * count for count in samples),
        tuple(label in _ANNOTATION_LABELS for label in labels),
    )


def _header_number(field: bytes, quantity: str, name: str, minimum: int = 0) -> int:
    """Return the integer in a field of the header; raise an `InputError` if it is none or below the minimum."""
    text = field.decode("latin-1").strip()
    if not re.fullmatch(r"-?\d{1,8}", text, re.ASCII) or int(text) < minimum:
        raise InputError(f"{quantity} is {text!r} in its header", _EXPORT_CURE, Location(name))
    return int(text)


def _annotations(file: BinaryIO, header: _Header, name: str, marks: Marks) -> Iterator[_Annotation]:
    """Yield the annotations of all records; raise an `InputError` if a record is cut off."""
    number = 0
    while header.n_records < 0 or number < header.n_records:
        number += 1
        for index, (size, is_annotated) in enumerate(zip(header.parts, header.annotated, strict=True)):
            if not is_annotated:
                file.seek(size, 1)
                continue
            chunk = file.read(size)
            if len(chunk) < size or not size:
                # The number of records is -1 while a recording goes on: then the file ends after any record.
                if header.n_records >= 0 or index or chunk:
                    raise InputError(
                        f"the file ends in record {number} of {max(header.n_records, number)}",
                        "copy or export it again",
                        Location(name),
                    )
                return
            yield from _annotations_in(chunk, number, marks)


def _annotations_in(chunk: bytes, number: int, marks: Marks) -> Iterator[_Annotation]:
    """Yield the annotations in one signal of a record; report invalid times and texts."""
    for stamped in chunk.split(_LIST_END):
        time, *texts = stamped.split(_AFTER_TEXT)
        if not any(texts):
            continue  # the time of the record itself, or filling
        onset_text, _, duration_text = time.partition(_AFTER_ONSET)
        if not _TIME_PATTERN.fullmatch(onset_text) or (duration_text and not _TIME_PATTERN.fullmatch(duration_text)):
            marks.problem(
                f"record {number}",
                f"{time[:40].decode('latin-1')!r} is no onset and duration in seconds",
                "export the file again",
            )
            continue
        onset = Decimal(onset_text.decode())
        duration = Decimal(duration_text.decode() or 0)
        for text in filter(None, texts):
            try:
                yield _Annotation(number, onset, duration, text.decode("utf-8"))
            except UnicodeDecodeError:
                marks.problem(
                    f"record {number}",
                    f"the text {text[:40].decode('latin-1')!r} is not UTF-8",
                    "export the file again",
                )


FORMAT = FileFormat(
    name="edf",
    description="EDF+ and BDF+ annotations (.edf, .bdf)",
    suffixes=(".edf", ".bdf"),
    matches=_matches,
    read=_read,
)
