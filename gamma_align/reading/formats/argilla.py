"""Argilla: records as ``to_json``, ``to_list`` or a data set exported as JSON write them, nested or flattened.

Conventions
-----------
* A question with answers that are lists of ``{start, end, label}`` is a layer; other questions and suggestions are left
  out.
* The annotator is the response's ``user_id``; ``options={"users": …}`` maps ids to names.
* Drafts and discarded responses are left out, unless ``options={"status": "submitted,draft"}`` selects them. A nested
  record does not contain the status of its responses.
* A document is named by its ``id``, or by ``options={"document": key}``; its text is the only field, the one named
  ``text``, or ``options={"field": name}``.
* Offsets are UTF-16 code units, as counted by Argilla's web interface; responses of scripts are in code points
  (``offsets="code-points"``).

References
----------
https://docs.argilla.io/latest/how_to_guides/import_export/
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from gamma_align.errors import Cure, Entry, Note, Set, SettingsError, Where
from gamma_align.reading.files.json_files import FaultError, as_problem, get, maybe, need, number, shape, shown
from gamma_align.reading.formats import Choices, FileFormat, Head, Marks, Source
from gamma_align.reading.marks import records
from gamma_align.reading.marks.choices import FORMAT_OPTIONS

_OPTION_HELP = {
    "document": "the field that names the document, in place of 'id'",
    "field": "the field that is the text",
    "status": "which responses are read, such as 'submitted,draft'",
    "users": "names of the users: a mapping of their ids, or the path of a JSON file",
}
# Any other status is refused.
_ALL_STATUSES = ("submitted", "draft", "discarded")
_FLAT_SUFFIX = ".responses"  # follows the name of a question in the keys of a flattened record
_LAST_OF_16_BITS = "\uffff"

_Responses = Iterator[tuple[str, dict[str, object]]]
"""A question and a response to it, with its `user_id`, `status` and `value`."""


def _matches(head: Head) -> bool:
    # The records are in a list, or one in each line.
    paths = {key.removeprefix("[].") for key in shape(head)}
    nested = "fields" in paths and any(f"{key}.".startswith("responses.") for key in paths)
    return nested or any(key.endswith(".responses.users") for key in paths)


class _ArgillaFile(records.RecordFile):
    """The records of one export."""

    NOTES: ClassVar = {
        "draft": "{} responses that are drafts are left out",
        "discarded": "{} discarded responses are left out",
        "submitted": "{} submitted responses are left out, as the option status says",
        "unknown": "{} responses do not tell whether they were submitted; they are read",
        "other": "{} responses to questions that are not about spans are left out",
        "astral": Note(
            "{} texts have characters beyond U+FFFF, after which offsets in UTF-16 (taken here) and in code points "
            "differ",
            Cure("if offsets count code points, add {}", Set("offsets", "code-points")),
        ),
    }

    def __init__(self, source: Source, choices: Choices) -> None:
        super().__init__(source, choices, offsets="utf-16")
        self.statuses = _statuses(choices)
        self.responses: list[tuple[Where, str, str, dict[str, object]]] = []  # location, document, question, response

    def take(self, location: Where, record: dict[str, object]) -> None:
        """Keep the responses to a record."""
        # Only the responses of all records together show whether a question is about spans: an answer may be empty.
        document = self.document(record, "id") or str(self.number)
        nested = "fields" in record
        text = self._text(need(record["fields"], dict, "'fields' of the record") if nested else record, nested=nested)
        self.marks.texts[document, None] = text
        self.counts["astral"] += any(character > _LAST_OF_16_BITS for character in text)
        for question, response in _nested(record) if nested else _flat(record):
            self.responses.append((location, document, question, response))

    def finish(self) -> list[Marks]:
        values = [(question, response.get("value")) for *_, question, response in self.responses]
        spans = {question for question, value in values if _is_spans(value)}
        others = {question for question, value in values if value not in ([], None)} - spans
        self.counts["other"] = sum(question in others for question, _ in values)
        for location, document, question, response in self.responses:
            if question not in others:
                with as_problem(self.marks, location):
                    self._response(location, document, question, response)
        return super().finish()

    def _text(self, fields: dict[str, object], *, nested: bool) -> str:
        key = self.choices.options.get("field")
        if key is not None:
            return get(fields, str(key), str, "the record's fields")
        strings = {key: value for key, value in fields.items() if isinstance(value, str)}
        if "text" in strings:
            return strings["text"]
        if nested and len(strings) == 1:
            return next(iter(strings.values()))
        raise FaultError(
            f"several of the fields {', '.join(map(repr, list(fields)[:10]))} may be the text",
            Cure("name it with {}", Entry("options", "field")),
        )

    def _response(self, location: Where, document: str, question: str, response: dict[str, object]) -> None:
        status = response.get("status")
        if status is not None and status not in _ALL_STATUSES:
            raise FaultError(
                f"the status of a response is {shown(status)}, not one of {', '.join(_ALL_STATUSES)}", "correct it"
            )
        self.counts["unknown"] += status is None
        if status is not None and status not in self.statuses:
            self.counts[str(status)] += 1
            return
        user = records.name(response.get("user_id"), "'user_id' of the response")
        annotator = self.annotator(document, user, question, location=location)
        self.marks.annotated(document, annotator, question)
        for item in maybe(response, "value", list, "the response") or []:
            span = need(item, dict, "a span")
            start = number(span, "start")
            end = number(span, "end")
            label = get(span, "label", str, "the span")
            self.marks.unit(
                start, end, label, location=location, document=document, annotator=annotator, layer=question
            )


def _statuses(choices: Choices) -> set[str]:
    statuses = {part.strip() for part in str(choices.options.get("status", "submitted")).split(",")}
    unknown = sorted(statuses.difference(_ALL_STATUSES))
    if unknown:
        raise SettingsError(
            f"the option status lists {', '.join(map(repr, _ALL_STATUSES))}, not {unknown[0]!r}",
            location=FORMAT_OPTIONS,
        )
    return statuses


def _nested(record: dict[str, object]) -> _Responses:
    """Yield the responses of a nested record."""
    responses = record.get("responses")
    if isinstance(responses, list):  # Argilla 1: a response holds the values of all questions
        for item in responses:
            response = need(item, dict, "a response")
            for question, answer in get(response, "values", dict, "the response").items():
                value = need(answer, dict, f"the response to {question!r}").get("value")
                yield question, {**response, "value": value}
        return
    for question, items in (maybe(record, "responses", dict) or {}).items():
        for item in need(items, list, f"the responses to {question!r}"):
            yield question, need(item, dict, "a response")


def _flat(record: dict[str, object]) -> _Responses:
    """Yield the responses of a flattened record."""
    for key in record:
        if not key.endswith(_FLAT_SUFFIX):
            continue
        values = maybe(record, key, list) or []
        users = maybe(record, f"{key}.users", list) or []
        statuses = maybe(record, f"{key}.status", list) or [None] * len(values)
        if not len(values) == len(users) == len(statuses):
            raise FaultError(
                f"{len(values)} responses in {key!r}, of {len(users)} users and with {len(statuses)} statuses",
                "export the records again",
            )
        for value, user, status in zip(values, users, statuses, strict=True):
            yield key.removesuffix(_FLAT_SUFFIX), {"user_id": user, "status": status, "value": _by_rows(value)}


def _by_rows(value: object) -> object:
    """Return a list of spans; a data set keeps a list of starts, a list of ends and a list of labels."""
    if not isinstance(value, dict) or not all(isinstance(column, list) for column in value.values()):
        return value
    if len({len(column) for column in value.values()}) > 1:
        raise FaultError("a response has lists of starts, ends and labels that differ in length", "export it again")
    return [dict(zip(value, row, strict=True)) for row in zip(*value.values(), strict=True)]


def _is_spans(value: object) -> bool:
    return isinstance(value, list) and any(isinstance(item, dict) and "start" in item for item in value)


# Responses name their user and records their id, so that the path names nothing.
FORMAT = FileFormat(
    "argilla",
    "Argilla's records",
    (".json", ".jsonl"),
    _matches,
    _ArgillaFile,
    declares=("annotator", "document"),
    options=_OPTION_HELP,
)
