"""Prodigy: JSON Lines as ``db-out`` writes them, a record for each answer.

Conventions
-----------
* A span with a ``label`` is a unit; a span without one was highlighted by a pattern or model, and is left out. Spans
  of audio (``audio_spans``) are in seconds.
* Records answered ``reject`` or ``ignore`` are left out: their spans were not confirmed.
* The annotator is ``_annotator_id`` or ``_session_id`` (or ``options={"annotator": key}``). Without named sessions
  Prodigy writes the start time of the session there, and an annotator has several: then the annotator is the file.
* A document is named by its ``_input_hash``, which is equal for equal texts, or by ``options={"document": key}``.
* Several records of one text and annotator are refused unless ``repeated=`` keeps the last, the first (by
  ``_timestamp``) or all. ``options={"records": "merge"}`` joins them to one annotation (questions on one span each).
  Without named sessions the file does not show whether one annotator made them or several did.

References
----------
https://prodi.gy/docs/api-interfaces , https://prodi.gy/docs/api-loaders
"""

from __future__ import annotations

import re
from typing import ClassVar, NamedTuple

from gamma_align.errors import Cure, Entry, Set, Where
from gamma_align.reading.files.json_files import FaultError, as_problem, get, maybe, need, number, shape, shown
from gamma_align.reading.formats import Choices, FileFormat, Head, Marks, Source
from gamma_align.reading.marks import records
from gamma_align.reading.marks.names import Copies

_OPTION_HELP = {
    "annotator": "the key that names the annotator",
    "document": "the key that names the document, in place of '_input_hash'",
    "records": "'merge': several records of one text and annotator are one annotation ('apart', 'last': as repeated=)",
}
# Prodigy's name for a session without a name.
_SESSION_TIME = re.compile(r"\d{4}-\d\d-\d\d_\d\d-\d\d-\d\d")


class _Answer(NamedTuple):
    """One accepted record."""

    location: Where
    document: str
    annotator: str | None
    record: dict[str, object]


def _matches(head: Head) -> bool:
    keys = {key.removeprefix("[].") for key in shape(head)}
    hashed = "_input_hash" in keys or "_task_hash" in keys
    return hashed and bool({"text:str", "audio", "spans[]", "audio_spans[]"} & keys)


class _ProdigyFile(records.RecordFile):
    """The answers in one file, about texts and recordings."""

    NOTES: ClassVar = {
        "reject": "{} records with answer 'reject' are left out",
        "ignore": "{} records with answer 'ignore' are left out",
        "unlabelled": "{} spans without a label (highlights of patterns or models) are left out",
        "timed": "{} records name a time as their annotator, as Prodigy does without named sessions; the annotator "
        "is the file",
        "unhashed": "{} records have no _input_hash; their text is the name of their document",
    }

    CURE = Cure("questions about one span each are one annotation with {}", Set("options", {"records": "merge"}))
    CURE_UNNAMED = Cure(
        "Prodigy names annotators in named sessions alone (?session=NAME): if another key has the names, read it with "
        "{}",
        Entry("options", "annotator"),
    )

    def __init__(self, source: Source, choices: Choices) -> None:
        super().__init__(source, choices)
        self.audio = Marks(source.name, length_unit="s")
        self.merges = records.one_of(choices, "records", ("apart", "merge", "last")) == "merge"
        if "records" in choices.options and not self.merges:
            self.copies = Copies(source, str(choices.options["records"]))
        self.answers: list[_Answer] = []

    def take(self, location: Where, record: dict[str, object]) -> None:
        """Keep a record that was accepted."""
        answer = maybe(record, "answer", str) or "accept"
        if answer in ("reject", "ignore"):
            self.counts[answer] += 1
            return
        if answer != "accept":
            raise FaultError(f"the answer is {shown(answer)}, not 'accept', 'reject' or 'ignore'", "correct it")
        document = self.document(record, "_input_hash")
        if document is None:
            document = get(record, "text", str)
            self.counts["unhashed"] += 1
        self.answers.append(_Answer(location, document, self._annotator_name(record), record))

    def finish(self) -> list[Marks]:
        """Add the answers."""
        for answer in self.answers:
            with as_problem(self.marks, answer.location):
                self._add(answer)
        super().finish()
        return [marks for marks in (self.marks, self.audio) if marks.seen] or [self.marks]

    def _annotator_name(self, record: dict[str, object]) -> str | None:
        key = self.choices.options.get("annotator")
        if key is not None:
            return records.name(records.value_at(record, str(key)), f"{key!r} (the option annotator)")
        usual = next((key for key in ("_annotator_id", "_session_id") if record.get(key) not in (None, "")), None)
        name = None if usual is None else records.name(record[usual], f"{usual!r} of the record")
        if name is None or not _SESSION_TIME.fullmatch(name):
            return name
        self.counts["timed"] += 1
        return None

    def _add(self, answer: _Answer) -> None:
        location, document, annotator, record = answer
        if not self.merges:
            time = record.get("_timestamp")
            seconds = float(time) if isinstance(time, int | float) else None
            annotator = self.annotator(document, annotator, location=location, time=seconds)
        audio = "audio_spans" in record or "audio" in record
        marks = self.audio if audio else self.marks
        marks.annotated(document, annotator)
        text = maybe(record, "text", str)
        if text is not None:
            marks.texts[document, annotator] = text
            # Further records of the text repeat its tokens.
            if (document, annotator) not in marks.tokens and maybe(record, "tokens", list) is not None:
                marks.tokens[document, annotator] = _tokens(record)
        for item in maybe(record, "audio_spans" if audio else "spans", list) or []:
            with as_problem(marks, location):
                span = need(item, dict, "a span")
                start = number(span, "start")
                end = number(span, "end")
                label = maybe(span, "label", str, "the span")
                if not label:
                    self.counts["unlabelled"] += 1
                    continue
                text = maybe(span, "text", str, "the span")
                marks.unit(start, end, label, location=location, document=document, annotator=annotator, surface=text)


def _tokens(record: dict[str, object]) -> list[tuple[int, int]]:
    tokens = [need(item, dict, "a token") for item in get(record, "tokens", list)]
    return [(get(token, "start", int, "a token"), get(token, "end", int, "a token")) for token in tokens]


# `declares` lacks the annotator: without named sessions the file names none.
FORMAT = FileFormat(
    "prodigy",
    "Prodigy's JSON Lines",
    (".jsonl", ".json"),
    _matches,
    _ProdigyFile,
    declares=("document",),
    options=_OPTION_HELP,
)
