r"""Raw answers of language models: JSON Lines (or a JSON list), a document and model in each record.

::

    {"document": "d1", "model": "gpt-4o", "text": "The old man sings.",
     "answer": "```json\n[{\"text\": \"the old man\", \"label\": \"PER\"}]\n```"}

Conventions
-----------
* `answer` (`response`, `completion`) is what the model wrote, as a text or as JSON: a list of spans
  ``{"text", "label"}``, perhaps with an ``occurrence`` (from 1) or the words ``before`` and ``after``; an object of
  labels with lists of texts; or the text of the document with inline tags, ``<PER>…</PER>`` or ``[…](PER)``. Offsets in
  an answer are not used.
* Code fences and words around JSON, trailing commas and answers that are cut off are read as far as they are whole,
  with a note. An answer with neither spans nor tags is a problem; an empty one is an annotation without units.
* Spans are found in the text exactly, then with white space, case, quotes and dashes made equal, then with at most
  ``locate=`` edits as a share of their length (default: .2). Every span that is not found, not unique or found with
  edits is in a note, which of many of a kind shows the first three; `validate` lists all. One that is not found has no
  unit.
* A text with inline tags that differs from the document is aligned with it through equal characters.
* The text is `text` of the record, or that of ``texts=``. `model` (`annotator`) names the annotator.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from gamma_align.data import counted, usual
from gamma_align.errors import Cure, InputError, Location, Set, Where
from gamma_align.reading.files.json_files import FaultError, lines, maybe, shape
from gamma_align.reading.files.sources import Source as FileSource
from gamma_align.reading.formats import Choices, FileFormat, Head, Source
from gamma_align.reading.marks import records
from gamma_align.reading.marks.answers import Answer, parse_answer
from gamma_align.reading.marks.locate import MAX_EDITS, Finder, LocatedMention, Mention
from gamma_align.reading.marks.marks import Marks
from gamma_align.reading.marks.texts import text_mapping

_ANSWER_KEYS = ("answer", "response", "completion")
_MODEL_KEYS = ("model", "annotator")
_OPTION_HELP = {"document": "key of the name of the text (default: document)"}
_MAX_SHOWN = 60  # characters of a span in a note
# A tagged text of which less than half is in the document is of another document, or made up.
_MIN_EQUAL = 0.5
_TEXT_CURE = Cure("add it to the record as 'text', or name the texts with {}", Set("texts"))


def _matches(head: Head) -> bool:
    paths = (path.removeprefix("[].") for path in shape(head))
    keys = {path.split("[")[0].split(".")[0].split(":")[0] for path in paths}
    is_named = len(usual(keys, "document")) == 1 and not keys.isdisjoint((*_MODEL_KEYS, "text"))
    return is_named and len(keys & {*_ANSWER_KEYS}) == 1


class _AnswersFile(records.RecordFile):
    """The answers in one file."""

    NOTES: ClassVar = {
        "exact": "spans found as they are: {}",
        "folded": "spans found with white space, case, quotes and dashes made equal: {}",
        "edited": "spans found with edits: {}",
        "doubtful": "spans not unique: {}",
        "lost": "spans not found, which have no unit: {}",
        "tagged": "units tagged in the text: {}",
    }

    def __init__(self, source: Source, choices: Choices) -> None:
        super().__init__(source, choices)
        self.texts = _texts(choices)
        self.finders: dict[str, Finder] = {}
        self.noted: dict[str, list[str]] = {}  # causes of notes, by kind
        self.max_edits = MAX_EDITS if choices.locate is None else choices.locate

    def take(self, location: Where, record: dict[str, object]) -> None:
        """Add the units of one answer."""
        name = next(iter(usual(record, "document")), "document")
        document = self.document(record, name)
        if document is None:
            raise FaultError(f"the record has no {name!r}", "add the name of the text")
        key = next((key for key in _MODEL_KEYS if record.get(key) is not None), None)
        model = None if key is None else records.name(record[key], f"{key!r} of the record")
        annotator = self.annotator(document, model)
        text = maybe(record, "text", str)
        text = self.texts.get(document) if text is None else text
        if text is None:
            raise FaultError(f"the text of document {document!r} is not known", _TEXT_CURE)
        answer_key = next((key for key in _ANSWER_KEYS if key in record), None)
        if answer_key is None:
            raise FaultError("the record has no 'answer'", "add what the model wrote")
        answer = parse_answer(record[answer_key])
        if answer.problem is not None:
            raise FaultError(
                f"the answer of {model!r} on {document!r} cannot be read: {answer.problem}",
                "correct it, or give an empty list if the model marked nothing",
            )
        self.marks.annotated(document, annotator)
        self.marks.texts.setdefault((document, None), text)
        owner = {"document": document, "annotator": annotator}
        named = f"{document!r}, {model!r}" if model is not None else repr(document)
        for repair in answer.repairs:
            self._note(repair, f"{_words(location)} ({named}): {repair}")
        if answer.plain is None:
            self._add_mentions(answer, text, location, named, owner)
        else:
            self._add_tagged(answer, text, location, named, owner)

    def finish(self) -> list[Marks]:
        """Add the notes, and return all marks of the file."""
        for causes in self.noted.values():
            self.marks.note_each(causes)
        return super().finish()

    def _note(self, kind: str, cause: str) -> None:
        self.noted.setdefault(kind, []).append(cause)

    def _add_mentions(
        self, answer: Answer, text: str, location: Where, named: str, owner: dict[str, str | None]
    ) -> None:
        finder = self.finders.setdefault(text, Finder(text, self.max_edits))
        for mention, located in zip(answer.mentions, finder.find(answer.mentions), strict=True):
            described = f"{_words(location)} ({named}): {_described(mention)}"
            self._count(located)
            if located.reason is not None:
                self._note("lost", f"{described} is not found: {located.reason}")
                continue
            covered = repr(text[located.start : located.end][:_MAX_SHOWN])
            if located.edits > 0:
                self._note(
                    "edited",
                    f"{described} is found with {counted(located.edits, 'edit')} as {covered} at {located.start}",
                )
            if located.doubt is not None:
                self._note("doubtful", f"{described} is placed at {located.start}, not unique: {located.doubt}")
            self.marks.unit(located.start, located.end, mention.category, location=location, **owner)

    def _count(self, located: LocatedMention) -> None:
        if located.reason is not None:
            self.counts["lost"] += 1
            return
        if located.edits < 0:
            self.counts["folded"] += 1
        elif located.edits:
            self.counts["edited"] += 1
        else:
            self.counts["exact"] += 1
        self.counts["doubtful"] += located.doubt is not None

    def _add_tagged(self, answer: Answer, text: str, location: Where, named: str, owner: dict[str, str | None]) -> None:
        plain = answer.plain or ""
        self.counts["tagged"] += len(answer.tagged)
        mapping = text_mapping(plain, text)
        equal = int(mapping.equal.sum())
        if equal < _MIN_EQUAL * max(len(plain), 1):
            raise FaultError(
                f"the tagged text of {named} is not that of the document: {equal} of {len(plain)} characters are in it",
                "give the answer on this document",
            )
        changed = len(plain) - equal
        missing = len(text) - equal
        if plain.strip() != text.strip():
            self._note(
                "tagged",
                f"{_words(location)} ({named}): the tagged text differs from the document: {changed} characters of it "
                f"are not in the document, and {missing} of the document are not in it",
            )
        for unit in answer.tagged:
            inside = mapping.equal[unit.start : unit.end]
            described = f"{_words(location)} ({named}): {plain[unit.start : unit.end][:_MAX_SHOWN]!r} ({unit.category})"
            if not inside.any():
                self.counts["lost"] += 1
                self._note("lost", f"{described} is not found: none of it is in the text")
                continue
            start = int(mapping.start[unit.start])
            end = int(mapping.end[unit.end])
            if not inside.all() or text[start:end] != plain[unit.start : unit.end]:
                self._note("moved", f"{described} is placed on {text[start:end][:_MAX_SHOWN]!r} at {start}")
            self.marks.unit(start, end, unit.category, location=location, **owner)


def _words(location: Where) -> str:
    return f"line {location}" if isinstance(location, int) else str(location)


def _described(mention: Mention) -> str:
    text = mention.text if len(mention.text) <= _MAX_SHOWN else f"{mention.text[: _MAX_SHOWN - 1]}…"
    return repr(text) if mention.category is None else f"{text!r} ({mention.category})"


def _texts(choices: Choices) -> dict[str, str]:
    """Return the texts of the setting ``texts`` by document: a mapping, a folder of text files, or JSON Lines."""
    path = choices.texts
    if path is None:
        return {}
    if isinstance(path, Mapping):
        return {document: text for document, text in path.items() if text is not None}
    if path.is_dir():
        files = sorted(path.rglob("*.txt"))
        return {
            file.relative_to(path).with_suffix("").as_posix(): FileSource(file, file.name, choices.encoding).text()
            for file in files
        }
    texts = {}
    for line, value in lines(FileSource(path, path.name, choices.encoding)):
        if not isinstance(value, dict):
            raise InputError("the line is no object", "give {'document', 'text'}", Location(path.name, line))
        document = value.get("document")
        text = value.get("text")
        if isinstance(document, str) and isinstance(text, str):
            texts[document] = text
    return texts


def _read(source: Source, choices: Choices) -> records.RecordFile:
    return _AnswersFile(source, choices)


FORMAT = FileFormat(
    "answers",
    "raw answers of language models",
    (".jsonl", ".json", ".ndjson"),
    _matches,
    _read,
    declares=("annotator", "document"),
    options=_OPTION_HELP,
)
