"""Spans as NER projects keep them: JSON Lines (or a JSON list, or Parquet) with a span, a text or a sentence a record.

Conventions
-----------
* A record is a span (``doc_id``, ``start``, ``end``, ``label``, ``annotator``), or a text with its spans under
  ``entities``, ``spans``, ``labels``, ``label``, ``annotations`` or ``ner``: objects with ``start``, ``end`` and
  ``label``, or lists ``[start, end, "PER"]``. Ends are exclusive; offsets count code points.
* Or it has ``tokens`` with their tags under ``ner_tags``, ``tags``, ``labels`` or ``ner``: IOB or BIOES, or the
  category alone, which is one unit as long as it is repeated. Numbers of tags need their names, a list or the path of
  a JSON file: ``options={"labels": …}``; Parquet of Hugging Face's datasets brings them. Bounds count tokens.
* Training data are read too, of spaCy 2 (``["Ada sings", {"entities": [[0, 3, "PER"]]}]``) and NER Annotator, of GLiNER
  (``tokenized_text``, ``ner``: bounds count tokens), and Dataturks' JSON. Ends are the last token or character in the
  latter two; they are made exclusive.
* The annotator stands in the record (``annotator``, ``coder``, ``worker`` …), in each span, or the spans are a
  dictionary by annotator; otherwise the file or its folder is the annotator.
* A document is named by ``document``, ``doc_id``, ``file`` … or ``id``; without any, by its number in the file. Spans a
  line without a document are of one document.
* Other names of keys are said with ``columns={"document": "article", "category": "kind"}`` (``--column``).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar

from gamma_align.data.column_names import plain, recognised, the_one, usual
from gamma_align.errors import Location, Where
from gamma_align.io.files.json_files import FaultError, as_problem, get, need, shape, shown
from gamma_align.io.formats import Choices, FileFormat, Head, Marks, Source
from gamma_align.io.marks import records as rows
from gamma_align.io.marks.marks import WordedMarks, Words
from gamma_align.io.marks.tags import BARE, Decoded, Decoder, are_bare
from gamma_align.io.tables.parquet_tables import is_nested, read_records

_OPTIONS = {
    "columns": "your keys for document, annotator, start, end, category",
    "labels": "names of the categories or tags, where records have numbers: a list, or the path of a JSON file",
}
_SPANS = ("entities", "ents", "spans", "labels", "label", "annotations", "ner", "named_entities", "units")
_TOKENS = ("tokens", "words")
_TAGS = ("ner_tags", "tags", "labels", "ner", "label", "iob", "bio")
_IDS = ("id", "_id", "uid", "guid", "uuid", "sent_id", "sentence_id", "example_id", "sample_id", "idx", "index")
_TEXTS = ("text", "sentence", "content", "data")
_PAIRS = ("[][].entities", "annotations[][].entities")  # a text and its entities: spaCy 2, NER Annotator


def _matches(head: Head) -> bool:
    if head.suffix == ".parquet":
        return is_nested(head)
    keys = {key.removeprefix("[].") for key in shape(head)}
    top = {key for key in keys if not set(key) & set(".[:")}
    if not keys.isdisjoint(_PAIRS) or {"content:str", "annotation[].points[].start:num"} <= keys:
        return True
    if {"tokenized_text[]:str", "ner"} <= keys:
        return True
    if any(f"{tokens}[]:str" in keys for tokens in _TOKENS):
        return bool(top.intersection(_TAGS))
    if any(f"{text}:str" in keys for text in _TEXTS):
        plain_values = [f"{key}{kind}" for key in _SPANS for kind in (":str", ":num", "[]:str", "[]:num")]
        return bool(top.intersection(_SPANS)) and keys.isdisjoint(plain_values)
    return all(usual(top, role) for role in ("start", "end"))


class _File(rows.RecordFile):
    """The records of one file: spans, texts with spans, sentences with tags."""

    NOTES: ClassVar = {
        "numbered": "{} records name no document and are named by their number in the file",
        "bare": f"{{}} sentences have {BARE}",
    }

    def __init__(self, source: Source, choices: Choices) -> None:
        super().__init__(source, choices)
        self.columns: Mapping[str, str | None] = dict(choices.options.get("columns") or {})
        self.labels = rows.names(choices, "labels", source)
        self.spans = Marks(source.name, length_unit=None)
        self.sentences = WordedMarks(source.name)
        self.names: dict[tuple[tuple[str, ...], ...], dict[str, str]] = {}
        self.first_texts: dict[str, tuple[object, Where]] = {}  # of each document, with the place of its record

    def records(self) -> Iterator[tuple[Where, object]]:
        if self.source.suffix != ".parquet":
            return ((place, usual) for where, value in super().records() for place, usual in _as_records(where, value))
        return self._parquet()

    def _parquet(self) -> Iterator[tuple[Where, object]]:
        records, metadata = read_records(self.source)
        declared = metadata.get(b"huggingface")
        if declared and not self.labels:
            self.labels = _class_names(json.loads(declared))
        for number, record in enumerate(records, 1):
            yield f"record {number}", record

    def take(self, where: Where, number: int, record: dict[str, object]) -> None:
        tokens, tags = _first(record, _TOKENS), _first(record, _TAGS)
        if "tokenized_text" in record:
            self._token_spans(where, number, record)
            return
        if "content" in record and "annotation" in record:
            record = _without_points(record)
        if tokens is not None and tags is not None and isinstance(record[tokens], list):
            self._sentence(where, number, record, tokens, tags)
            return
        key = self._container(record)
        if key is None:
            self._span(where, record)
            return
        document = self._document(number, record)
        key_of_text = _first(record, _TEXTS)
        text = None if key_of_text is None else record[key_of_text]
        if isinstance(text, str):
            self._check_text(where, document, text)
            self.marks.texts[document, None] = text
        for name, spans in self._by_annotator(record, key, self._person(record)):
            annotator = self.annotator(document, name) if isinstance(text, str) else name
            self.marks.annotated(document, annotator)
            for item in spans:
                with as_problem(self.marks, where):
                    self._add(where, document, annotator, item)

    def _container(self, record: dict[str, object]) -> str | None:
        """Return the key of the spans, ``None`` for a record that is a span."""
        for key in _SPANS:
            if isinstance(record.get(key), list | dict):
                return key
        if _first(record, _TEXTS) is not None and not all(usual(record, role) for role in ("start", "end")):
            keys = ", ".join(record)
            raise FaultError(
                f"the record has no spans: they stand under one of {', '.join(_SPANS)}; its keys are {keys}"
            )
        return None

    def _by_annotator(
        self, part: dict[str, object], key: str, annotator: str | None
    ) -> Iterator[tuple[str | None, Sequence[object]]]:
        """Yield the spans of each annotator: a dictionary, or a list of spans or of annotators with their spans."""
        content = part[key]
        if isinstance(content, dict):
            for name, spans in content.items():
                yield str(name), need(spans, list, f"the spans of {name!r}")
            return
        spans = need(content, list, repr(key))
        inner = [item for item in spans if isinstance(item, dict) and _first(item, _SPANS, list) is not None]
        for item in inner:
            yield from self._by_annotator(item, str(_first(item, _SPANS, list)), self._person(item) or annotator)
        if not inner:
            yield annotator, spans

    def _add(self, where: Where, document: str | None, annotator: str | None, item: object) -> None:
        """Add a span of a text."""
        if isinstance(item, dict):
            start, end, category = self._values(item, known=("document", "annotator"))
            surface = item.get("text")
            person = self._person(item) or annotator
            self.marks.unit(
                start,
                end,
                category,
                where=where,
                document=document,
                annotator=person,
                surface=surface if isinstance(surface, str) else None,
            )
            return
        values = [*need(item, list, "a span")]
        if values and isinstance(values[0], str):  # ["PER", 0, 4]
            values = [*values[1:], values[0]]
        if not 2 <= len(values) <= 3:  # noqa: PLR2004
            raise FaultError(f"{shown(item)} is no [start, end, category]")
        category = self._category(values[2]) if len(values) > 2 else None  # noqa: PLR2004
        self.marks.unit(values[0], values[1], category, where=where, document=document, annotator=annotator)

    def _span(self, where: Where, record: dict[str, object]) -> None:
        """Add a record that is a span."""
        start, end, category = self._values(record)
        names = self._names(record)
        document = record.get(names["document"]) if "document" in names else None
        self.spans.unit(
            start,
            end,
            category,
            where=where,
            document=None if document is None else rows.name(document, repr(names["document"])),
            annotator=self._person(record),
        )

    def _values(self, item: dict[str, object], known: tuple[str, ...] = ()) -> tuple[object, object, str | None]:
        """Return bounds and category of a span; `known` is what its text says."""
        names = self._names(item, known)
        missing = next((role for role in ("start", "end") if names.get(role) not in item), None)
        if missing is not None:
            cure = f"--column {missing}=<your key>"
            raise FaultError(f"a span has no {names.get(missing, missing)!r}; its keys are {', '.join(item)} ({cure})")
        category = item.get(names["category"]) if "category" in names else None
        return item[names["start"]], item[names["end"]], self._category(category)

    def _names(self, item: dict[str, object], known: tuple[str, ...] = ()) -> dict[str, str]:
        """Return which key of a span is what, but for what is known."""
        header = (tuple(item), known)
        if header not in self.names:
            result = recognised(item, self.columns, known=known, table=self.source.name)
            self.names[header] = result.names
            self.spans.notes += [note for note in result.notes if note not in self.spans.notes]
        return self.names[header]

    def _category(self, value: object) -> str | None:
        """Return the category that a value stands for."""
        if isinstance(value, list) and len(value) == 1:
            value = value[0]
        if value is None:
            return None
        if isinstance(value, int) and not isinstance(value, bool):
            return self.labels.get(str(value), str(value))
        if not isinstance(value, str):
            raise FaultError(f"the category of a span is {shown(value)}, not one name")
        return value

    def _person(self, record: dict[str, object]) -> str | None:
        key = self._key(record, "annotator")
        value = None if key is None else record.get(key)
        return None if value is None else rows.name(value, repr(key))

    def _check_text(self, where: Where, document: str, text: object) -> None:
        """Refuse another text of a document: its bounds would be mixed with those in the first text."""
        first_text, first_where = self.first_texts.setdefault(document, (text, where))
        if first_text != text:
            first = Location(self.source.name, first_where).within(self.source.name)
            raise FaultError(
                f"document {document!r} has another text than in {first}, and bounds in both texts would be taken for "
                "bounds in one. Give each text a document of its own: name a key that differs from text to text with "
                "--column document=KEY (columns={'document': KEY})"
            )

    def _document(self, number: int, record: dict[str, object]) -> str:
        key = self._key(record, "document") or next((key for key in record if plain(key) in _IDS), None)
        value = None if key is None else record.get(key)
        if value is None:
            self.counts["numbered"] += 1
            return str(number)
        return rows.name(value, repr(key))

    def _key(self, record: dict[str, object], role: str) -> str | None:
        """Return the key that says the document or annotator."""
        if role in self.columns:
            return self.columns[role]
        return the_one(usual(record, role), role, self.source.name)

    def _sentence(self, where: Where, number: int, record: dict[str, object], tokens: str, tags: str) -> None:
        """Add the units of a sentence with tags, of one annotator or, in a dictionary, of each."""
        document, words = self._words(where, number, record, tokens)
        marks = self.sentences
        content = record[tags]
        by_annotator = content.items() if isinstance(content, dict) else [(self._person(record), content)]
        for name, given in by_annotator:
            annotator = self.annotator(document, name)
            values = [self._tag(tag, tags) for tag in need(given, list, repr(tags))]
            if len(values) != len(words):
                raise FaultError(f"{len(values)} tags for {len(words)} tokens; each token has one")
            marks.annotated(document, annotator)
            for unit in self._units(values):
                marks.unit(unit.start, unit.end, unit.category, where=where, document=document, annotator=annotator)

    def _words(self, where: Where, number: int, record: dict[str, object], key: str) -> tuple[str, list[str]]:
        """Add the tokens of a sentence, and return its name and them."""
        words = [str(word) for word in need(record[key], list, repr(key))]
        document = self._document(number, record)
        self.sentences.extents[document] = (0.0, float(len(words)))
        self.sentences.words[document, None] = Words(words, [number] * len(words))
        self._check_text(where, document, words)
        return document, words

    def _token_spans(self, where: Where, number: int, record: dict[str, object]) -> None:
        """Add the spans of tokens of a sentence; the end of each is its last token."""
        document, _ = self._words(where, number, record, "tokenized_text")
        marks = self.sentences
        for name, spans in self._by_annotator({"ner": [], **record}, "ner", self._person(record)):
            annotator = self.annotator(document, name)
            marks.annotated(document, annotator)
            for span in spans:
                if not isinstance(span, list) or len(span) != 3:  # noqa: PLR2004
                    raise FaultError(f"{shown(span)} is no [first token, last token, category]")
                end = need(span[1], int, "the last token of a span") + 1
                category = self._category(span[2])
                marks.unit(span[0], end, category, where=where, document=document, annotator=annotator)

    def _tag(self, tag: object, key: str) -> str:
        if isinstance(tag, int) and not isinstance(tag, bool):
            if str(tag) not in self.labels:
                raise FaultError(
                    f"{key!r} has numbers of tags; name them with --option labels=FILE, a JSON list of their names "
                    "(options={'labels': ['O', 'B-PER', …]})"
                )
            return self.labels[str(tag)]
        return need(tag, str, "a tag")

    def _units(self, tags: list[str]) -> list[Decoded]:
        """Return the units of tags in a scheme, or of categories alone."""
        bare = are_bare(tags)
        self.counts["bare"] += bare
        decoder = Decoder(bare=bare)
        units: list[Decoded] = []
        for index, tag in enumerate(tags):
            units += decoder.tag(index, tag or "O", index)
        units += decoder.end(len(tags))
        for _, what in decoder.problems:
            raise FaultError(what)
        return units

    def finish(self) -> list[Marks]:
        super().finish()
        all_marks = (self.marks, self.spans, self.sentences)
        filled = [marks for marks in all_marks if marks.seen or marks.problems] or [self.marks]
        filled[0].notes[:] = [note for marks in all_marks for note in marks.notes]
        return filled


def _first(record: Mapping[str, object], keys: Iterable[str], kind: type | None = None) -> str | None:
    """Return the first of the keys that the record has, with a value of this kind."""
    return next((key for key in keys if key in record and (kind is None or isinstance(record[key], kind))), None)


def _as_records(where: Where, value: object) -> Iterator[tuple[Where, object]]:
    """Yield a record as it is, or made of a text and its entities (spaCy 2), or those in one object (NER Annotator)."""
    pairs = value.get("annotations") if isinstance(value, dict) and "classes" in value else None
    if isinstance(pairs, list):
        for number, pair in enumerate(pairs, 1):
            record = _record(pair)
            if record is not None:  # otherwise the text was passed over
                yield f"annotation {number}", {"id": number, **record} if isinstance(record, dict) else record
    else:
        yield where, _record(value)


def _record(value: object) -> object:
    if isinstance(value, list) and len(value) == 2 and isinstance(value[0], str) and isinstance(value[1], dict):  # noqa: PLR2004
        return {**value[1], "text": value[0]}
    return value


def _without_points(record: Mapping[str, object]) -> dict[str, object]:
    """Return a record of Dataturks with its spans as elsewhere: an end behind the last character, one category each."""
    spans = []
    for item in need(record["annotation"] or [], list, "'annotation'"):
        labels = get(need(item, dict, "an annotation"), "label", list, "an annotation")
        for point in get(item, "points", list, "an annotation"):
            end = get(need(point, dict, "a point"), "end", int, "a point") + 1
            spans += [{**point, "end": end, "label": label} for label in labels or [None]]
    return {**{key: value for key, value in record.items() if key not in ("annotation", "metadata")}, "entities": spans}


def _class_names(metadata: Any) -> dict[str, str]:  # noqa: ANN401  (JSON)
    """Return the names of tags that a dataset of Hugging Face declares: features → a list of tags → names."""
    features = metadata.get("info", {}).get("features", {})
    for key in _TAGS:
        names = (features.get(key, {}).get("feature") or {}).get("names")
        if isinstance(names, list):
            return {str(number): str(name) for number, name in enumerate(names)}
    return {}


FORMAT = FileFormat(
    "ner",
    "JSON Lines of spans (a span, a text or tagged tokens a line)",
    (".jsonl", ".json", ".ndjson", ".parquet"),
    _matches,
    _File,
    declares=("document",),
    options=_OPTIONS,
    general=True,
)
