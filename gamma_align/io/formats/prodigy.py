"""Prodigy: JSON Lines as ``db-out`` writes them, a record each answer.

Conventions
-----------
* A span with a ``label`` is a unit; one without is what a pattern or model highlighted, and left out. Spans of audio
  (``audio_spans``) are in seconds.
* Records answered ``reject`` or ``ignore`` are left out: nobody said what is in them.
* The annotator is ``_annotator_id`` or ``_session_id`` (or ``options={"annotator": key}``). Without named sessions
  Prodigy writes the time the session began there, several a person: then the annotator is the file.
* A document is named by its ``_input_hash``, which is equal for equal texts, or by ``options={"document": key}``.
* Several records of one text and annotator are kept apart, as if several people had made them.
  ``options={"records": "merge"}`` makes one annotation of them (questions on one span each), ``"last"`` keeps the last.

References
----------
https://prodi.gy/docs/api-interfaces , https://prodi.gy/docs/api-loaders
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import ClassVar, NamedTuple

from gamma_align.data.problem import Where
from gamma_align.io.files.json_files import FaultError, as_problem, get, maybe, need, number, shape, shown
from gamma_align.io.formats import Choices, FileFormat, Head, Marks, Source
from gamma_align.io.marks import records as rows

_OPTIONS = {
    "annotator": "the key that names the annotator",
    "document": "the key that names the document, in place of '_input_hash'",
    "records": "'apart', 'merge' or 'last': what becomes of several records of one text and annotator",
}
_TIME = re.compile(r"\d{4}-\d\d-\d\d_\d\d-\d\d-\d\d")


class _Answer(NamedTuple):
    """One accepted record."""

    where: Where
    document: str
    annotator: str | None
    record: dict[str, object]


def _matches(head: Head) -> bool:
    seen = {place.removeprefix("[].") for place in shape(head)}
    hashed = "_input_hash" in seen or "_task_hash" in seen
    return hashed and bool({"text:str", "audio", "spans[]", "audio_spans[]"} & seen)


def _read(source: Source, choices: Choices) -> Iterable[Marks]:
    return _File(source, choices).read()


class _File(rows.RecordFile):
    """One file of answers, and what it says: of texts and of recordings."""

    NOTES: ClassVar = {
        "reject": "{} records with answer 'reject' are left out",
        "ignore": "{} records with answer 'ignore' are left out",
        "unlabelled": "{} spans without a label (highlights of patterns or models) are left out",
        "timed": "{} records name a time as their annotator, as Prodigy does without named sessions; the annotator "
        "is the file",
        "unhashed": "{} records have no _input_hash; their text is the name of their document",
        "earlier": "{} records are left out for a later one of the same text and annotator",
    }

    def __init__(self, source: Source, choices: Choices) -> None:
        super().__init__(source, choices)
        self.audio = Marks(source.name, length_unit="s")
        self.manner = rows.one_of(choices, "records", ("apart", "merge", "last"))
        self.answers: list[_Answer] = []

    def take(self, where: Where, number: int, record: dict[str, object]) -> None:  # noqa: ARG002  (as in the base class)
        """Keep a record that was accepted."""
        answer = maybe(record, "answer", str) or "accept"
        if answer == "accept":
            self.answers.append(self._answer(where, record))
        elif answer in ("reject", "ignore"):
            self.counts[answer] += 1
        else:
            raise FaultError(f"the answer is {shown(answer)}, not 'accept', 'reject' or 'ignore'; correct it")

    def finish(self) -> list[Marks]:
        """Add the answers: all, or the last of each annotator and text."""
        for answer in self._last() if self.manner == "last" else self.answers:
            with as_problem(self.marks, answer.where):
                self._units(answer)
        super().finish()
        return [marks for marks in (self.marks, self.audio) if marks.seen] or [self.marks]

    def _answer(self, where: Where, record: dict[str, object]) -> _Answer:
        document = self.document(record, "_input_hash")
        if document is None:
            document = get(record, "text", str)
            self.counts["unhashed"] += 1
        return _Answer(where, document, self._person(record), record)

    def _person(self, record: dict[str, object]) -> str | None:
        key = self.choices.options.get("annotator")
        if key is not None:
            return rows.name(rows.at(record, str(key)), f"{key!r} (the option annotator)")
        for usual in ("_annotator_id", "_session_id"):
            value = record.get(usual)
            if value is not None and value != "":
                who = rows.name(value, f"{usual!r} of the record")
                if not _TIME.fullmatch(who):
                    return who
                self.counts["timed"] += 1
                return None
        return None

    def _last(self) -> list[_Answer]:
        kept = {(answer.document, answer.annotator): answer for answer in self.answers}
        self.counts["earlier"] = len(self.answers) - len(kept)
        return list(kept.values())

    def _units(self, answer: _Answer) -> None:
        where, document, who, record = answer
        if self.manner == "apart":
            who = self.annotator(document, who)
        audio = "audio_spans" in record or "audio" in record
        marks = self.audio if audio else self.marks
        marks.annotated(document, who)
        text = maybe(record, "text", str)
        if text is not None:
            marks.texts[document, who] = text
            self._tokens(marks, document, who, record)
        for item in maybe(record, "audio_spans" if audio else "spans", list) or []:
            with as_problem(marks, where):
                span = need(item, dict, "a span")
                start, end, label = number(span, "start"), number(span, "end"), maybe(span, "label", str, "the span")
                if not label:
                    self.counts["unlabelled"] += 1
                    continue
                marks.unit(
                    start,
                    end,
                    label,
                    where=where,
                    document=document,
                    annotator=who,
                    surface=maybe(span, "text", str, "the span"),
                )

    def _tokens(self, marks: Marks, document: str, who: str | None, record: dict[str, object]) -> None:
        tokens = maybe(record, "tokens", list)
        if tokens is None or (document, who) in marks.tokens:
            return
        bounds = [need(item, dict, "a token") for item in tokens]
        marks.tokens[document, who] = [
            (get(token, "start", int, "a token"), get(token, "end", int, "a token")) for token in bounds
        ]


FORMAT = FileFormat(
    name="prodigy",
    description="Prodigy's JSON Lines",
    suffixes=(".jsonl", ".json"),
    declares=frozenset({"document"}),
    matches=_matches,
    read=_read,
    options=_OPTIONS,
)
