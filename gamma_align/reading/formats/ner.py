"""Spans of NER projects: JSON Lines (or a JSON list, or Parquet) with a span, a text or a sentence in each record.

Conventions
-----------
* A record is a span (``doc_id``, ``start``, ``end``, ``label``, ``annotator``), or a text with its spans under
  ``entities``, ``spans``, ``labels``, ``label``, ``annotations`` or ``ner``: objects with ``start``, ``end`` and
  ``label``, or lists ``[start, end, "PER"]``. Ends are exclusive; offsets count code points.
* Or a record has ``tokens`` with their tags under ``ner_tags``, ``tags``, ``labels`` or ``ner``: IOB or BIOES, or the
  category alone, which is one unit as long as it is repeated. Numbers of tags need their names, a list or the path of
  a JSON file: ``options={"labels": …}``; Parquet files of Hugging Face's datasets contain them. Bounds count tokens.
* If the categories of spans are tags (``B-PER``, ``I-PER``), as pipelines write them for single tokens, the tokens of
  a unit are joined, unless ``labels=`` chooses the categories. Tags may be written otherwise, as in CoNLL.
* Training data are read too: of spaCy 2 (``["Ada sings", {"entities": [[0, 3, "PER"]]}]``) and NER Annotator, of GLiNER
  (``tokenized_text``, ``ner``: bounds count tokens), and Dataturks' JSON. In the latter two an end is the last token or
  character; it is made exclusive.
* The annotator stands in the record (``annotator``, ``coder``, ``worker`` …), in each span, or the spans are a
  dictionary by annotator; otherwise the file or its folder is the annotator.
* A document is named by ``document``, ``doc_id``, ``file`` … or ``id``, otherwise by its number in the file. If each
  record is a span and none names a document, all belong to one document.
* ``columns={"document": "article", "category": "kind"}`` maps other names of keys. If no key of a span has a usual name
  of the category, the only key with texts that are not the covered text is the category, which a note says. A key that
  is not read and tells repeated units of an annotator apart is asked about: ``columns={"layer": "round"}`` reads it as
  the layer.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from functools import partial
from itertools import chain, product
from typing import ClassVar, NamedTuple

import numpy as np

from gamma_align.data import (
    Table,
    Versions,
    discarded_in,
    end_of,
    few,
    fits,
    has_bounds,
    may_be_category,
    name_of,
    option,
    plain,
    recognised,
    the_one,
    usual,
)
from gamma_align.data.versions import versions
from gamma_align.errors import Cure, Entry, Location, Set, UnknownMeaningError, Where
from gamma_align.reading.files.json_files import FaultError, as_problem, get, need, shape, shown
from gamma_align.reading.formats import Choices, FileFormat, Head, Marks, Source
from gamma_align.reading.intake.bounds import need_last_characters, shares_at_words
from gamma_align.reading.marks import records as rows
from gamma_align.reading.marks.marks import WordedMarks, Words
from gamma_align.reading.marks.notations import notation_of
from gamma_align.reading.marks.tags import BARE_NOTE, SCHEME_HELP, Decoder, are_bare, chosen_scheme
from gamma_align.reading.tables.columns import LAYER, extra_columns
from gamma_align.reading.tables.parquet_tables import is_nested, read_records

_OPTION_HELP = {
    "columns": "your keys for document, annotator, start, end, category, layer",
    "labels": "names of the categories or tags, where records have numbers: a list, or the path of a JSON file",
    "scheme": f"the scheme of the tags of tokens: {SCHEME_HELP}",
}
# Keys of records, in the order in which they are looked up.
_SPAN_KEYS = ("entities", "ents", "spans", "labels", "label", "annotations", "ner", "named_entities", "units")
_TOKEN_KEYS = ("tokens", "words")
_TAG_KEYS = ("ner_tags", "tags", "labels", "ner", "label", "iob", "bio")
_ID_KEYS = ("id", "_id", "uid", "guid", "uuid", "sent_id", "sentence_id", "example_id", "sample_id", "idx", "index")
_TEXT_KEYS = ("text", "sentence", "content", "data")
_SPAN_LENGTHS = (2, 3)  # [start, end] or [start, end, category]
_PAIR_LENGTH = 2  # a text and its entities
_MIN_SURFACE_SHARE = 0.9  # of the spans whose text is known: a key has the covered texts; some may be written otherwise
_MAX_COMPARED = 5_000  # units of a file
_MIN_TEXTS = 10  # of a key; fewer differ by chance
_MAX_DISTINCT_SHARE = 0.5  # of the texts of a key: categories repeat, remarks do not
_PAIR_PATHS = ("[][].entities", "annotations[][].entities")  # a text and its entities: spaCy 2, NER Annotator


# Keys of a sidecar of BIDS, which describes the columns of a table under their names.
_DESCRIPTION_ENDINGS = (".Description:str", ".LongName:str")


def _matches(head: Head) -> bool:
    if head.suffix == ".parquet":
        return is_nested(head)
    keys = {key.removeprefix("[].") for key in shape(head)}
    top = {key for key in keys if not set(key) & set(".[:")}
    if not keys.isdisjoint(_PAIR_PATHS) or {"content:str", "annotation[].points[].start:num"} <= keys:
        return True
    if {"tokenized_text[]:str", "ner"} <= keys:
        return True
    if any(f"{tokens}[]:str" in keys for tokens in _TOKEN_KEYS):
        return bool(top.intersection(_TAG_KEYS))
    if any(f"{text}:str" in keys for text in _TEXT_KEYS):
        # A key that holds texts or numbers, or a list of them, holds categories of whole texts.
        plain_values = map("".join, product(_SPAN_KEYS, (":str", ":num", "[]:str", "[]:num")))
        filled = [key for key in _SPAN_KEYS if key in top and not _has_texts(keys, key)]
        return bool(filled) and keys.isdisjoint(plain_values) and not _have_no_bounds(keys)
    return has_bounds(top) and not any(key.endswith(_DESCRIPTION_ENDINGS) for key in keys)


def _has_texts(keys: Iterable[str], key: str) -> bool:
    """Return whether a key has a dictionary of texts or numbers, such as the judgment of each annotator."""
    inside = [path for path in keys if path.startswith(f"{key}.")]
    return bool(inside) and not any("[" in path for path in inside)


def _have_no_bounds(keys: Iterable[str]) -> bool:
    """Return whether there are no bounds: spans are told by their words, or there are judgments of annotators."""
    fields = [key for key in keys if key.startswith(tuple(f"{name}[]." for name in _SPAN_KEYS))]
    names = [key.rpartition(".")[2] for key in fields]
    if usual(names, "annotator") and not usual(names, "start") and not any("[" in name for name in names):
        return True
    words = [
        key
        for key in fields
        if key.endswith(":str") and any(map(partial(fits, key.removesuffix(":str")), ("quote", "text")))
    ]
    return bool(words) and not any(key.endswith(":num") for key in fields)


def _has_category(span: object) -> bool:
    """Return whether a span has a category of its own."""
    if isinstance(span, dict):
        return bool(usual(span, "category")) or any(map(may_be_category, span))
    return isinstance(span, list) and len(span) > _PAIR_LENGTH


def _ends_are_inclusive(marks: Marks) -> bool:
    """Return whether units begin and end with words of their texts only if their last characters belong to them."""
    stretches = []
    for unit in range(min(len(marks), _MAX_COMPARED)):
        text = marks.texts.get((marks.keys[marks.key[unit]].document, None))
        if text is not None and unit not in marks.surface:
            stretches.append((text, int(marks.start[unit]), int(marks.end[unit])))
    return len(stretches) >= _MIN_TEXTS and need_last_characters(shares_at_words(stretches))


class _Span(NamedTuple):
    """A span with the keys of its own and those of the record around it; or a record that is a span."""

    location: Where
    document: str | None
    annotator: str | None
    item: Mapping[str, object]
    around: Mapping[str, object]

    def value(self, key: str) -> object:
        """Return the value of a key of the span, or of the record around it."""
        return self.item.get(key, self.around.get(key))


class _Tagged(NamedTuple):
    """The tags of a sentence by one annotator."""

    location: Where
    document: str
    annotator: str | None
    tags: list[str]


class _NerFile(rows.RecordFile):
    """The records of one file: spans, texts with spans, sentences with tags.

    Spans are added when all are known: together they tell what their keys mean.
    """

    NOTES: ClassVar = {
        "numbered": "{} records name no document and are named by their number in the file",
        "bare": f"{{}} sentences have {BARE_NOTE}",
    }

    def __init__(self, source: Source, choices: Choices) -> None:
        super().__init__(source, choices)
        self.columns: Mapping[str, str | None] = dict(choices.options.get("columns") or {})
        self.labels = rows.names(choices, "labels", source)
        self.bare = Marks(source.name, length_unit=None)  # of records that are spans
        self.sentences = WordedMarks(source.name)
        self.marks.may_be_tokens = self.bare.may_be_tokens = True
        reads_layers = extra_columns(choices, dict(self.columns), use_parts=False)
        self.layer_key = self.columns.get(LAYER, LAYER) if reads_layers else None
        self.spans: dict[Marks, list[_Span]] = {self.marks: [], self.bare: [], self.sentences: []}
        self.tagged: list[_Tagged] = []
        self.n_unbounded = 0  # spans without a key of a bound
        self.first_texts: dict[str, tuple[object, Where]] = {}  # of each document, with the location of its record

    def records(self) -> Iterator[tuple[Where, object]]:
        if self.source.suffix == ".parquet":
            return self._parquet()
        return chain.from_iterable(_as_records(location, value) for location, value in super().records())

    def _parquet(self) -> Iterator[tuple[Where, object]]:
        records, metadata = read_records(self.source)
        declared = metadata.get(b"huggingface")
        if declared and not self.labels:
            self.labels = _class_names(json.loads(declared))
        for number, record in enumerate(records, 1):
            yield f"record {number}", record

    def take(self, location: Where, record: dict[str, object]) -> None:
        tokens = _first(record, _TOKEN_KEYS)
        tags = _first(record, _TAG_KEYS)
        if "tokenized_text" in record:  # GLiNER
            document, _ = self._words(location, record, "tokenized_text")
            self._take_spans(location, document, {"ner": [], **record}, "ner", self.sentences)
            return
        if "content" in record and "annotation" in record:  # Dataturks
            record = _without_points(record)
        if tokens is not None and tags is not None and isinstance(record[tokens], list):
            self._sentence(location, record, tokens, tags)
            return
        key = _first(record, _SPAN_KEYS, list, dict)
        key_of_text = _first(record, _TEXT_KEYS)
        if key is None and key_of_text is not None and not has_bounds(record):
            raise FaultError(
                f"the record has no spans; its keys are {', '.join(record)}",
                f"put them under one of {', '.join(_SPAN_KEYS)}",
            )
        if key is None:
            self.spans[self.bare].append(_Span(location, None, None, record, record))
            return
        document = self._document(record)
        text = None if key_of_text is None else record[key_of_text]
        if isinstance(text, str):
            self._check_text(location, document, text)
            self.marks.texts[document, None] = text
        self._take_spans(location, document, record, key, self.marks, has_text=isinstance(text, str))

    def _take_spans(
        self,
        location: Where,
        document: str,
        record: dict[str, object],
        key: str,
        marks: Marks,
        *,
        has_text: bool = True,
    ) -> None:
        """Keep the spans of a text under a key, until all are known."""
        layer = self._layer(record)
        for name, spans in self._by_annotator(record, key, self._annotator_name(record)):
            annotator = self.annotator(document, name, layer) if has_text else name
            if layer is not None or self.layer_key is None or not spans:  # otherwise each span tells its layer
                marks.annotated(document, annotator, layer)
            for item in spans:
                with as_problem(self.marks, location):
                    named = _with_names(item) if marks is self.marks else _of_tokens(item)
                    self.spans[marks].append(_Span(location, document, annotator, named, record))

    def _by_annotator(
        self, part: dict[str, object], key: str, annotator: str | None
    ) -> Iterator[tuple[str | None, Sequence[object]]]:
        """Yield the spans of each annotator: a dictionary, or a list of spans or of annotators with their spans."""
        content = part[key]
        if isinstance(content, dict):
            lists = {str(name): need(spans, list, f"the spans of {name!r}") for name, spans in content.items()}
            self._check_names_annotators(key, lists, annotator)
            yield from lists.items()
            return
        spans = need(content, list, repr(key))
        inner = [item for item in spans if isinstance(item, dict) and _first(item, _SPAN_KEYS, list) is not None]
        for item in inner:
            yield from self._by_annotator(
                item, str(_first(item, _SPAN_KEYS, list)), self._annotator_name(item) or annotator
            )
        if not inner:
            yield annotator, spans

    def _check_names_annotators(self, key: str, lists: Mapping[str, Sequence[object]], annotator: str | None) -> None:
        """Ask what names of lists of spans are, unless the spans have categories and the record has no annotator."""
        spans = [*chain.from_iterable(lists.values())]
        are_labelled = "category" in self.columns or any(map(_has_category, spans))
        if spans and (annotator is not None or not are_labelled):
            raise UnknownMeaningError(
                f"{few(map(repr, lists))} under {key!r} may name annotators or categories",
                Cure("say what they are with {}", Set("map")),
                Location(self.source.name),
            )

    def _check_discarded(self) -> None:
        """Ask whether spans that are marked as deleted, cancelled or rejected count."""
        spans = [*chain.from_iterable(self.spans.values())]
        for key in dict.fromkeys(chain.from_iterable(span.item for span in spans)):
            discarded = discarded_in(key, (name_of(span.item.get(key)) for span in spans))
            if discarded is not None:
                cure = Cure("say whether they count, with {}", Set("map"))
                raise UnknownMeaningError(discarded.fact, cure, Location(self.source.name))

    def _add_spans(self, marks: Marks, known: tuple[str, ...]) -> None:
        """Add the spans of one kind; `known` are the roles that their texts determine."""
        spans = self.spans[marks]
        header = dict.fromkeys(chain.from_iterable(span.item for span in spans))
        # The texts of all spans tell which key is the category.
        doubted = ("document", "annotator")
        result = recognised(header, self.columns, known=known, doubted=doubted, table=self.source.name)
        roles = dict(result.names)
        if known:
            roles.pop("document", None)
            key = self._key(header, "annotator")
            roles |= {} if key is None else {"annotator": key}
        marks.notes += result.notes
        unread = [key for key in header if key not in roles.values()]
        categories = []
        if spans and "category" not in roles and "category" not in self.columns:
            keys = [key for key in unread if may_be_category(key)]
            bounds = (roles.get("start", ""), roles.get("end", ""))
            categories = [key for key in keys if _may_be_category(marks, spans, key, bounds)]
            roles |= {"category": categories[0]} if categories else {}
        for span in spans:
            with as_problem(marks, span.location):
                self._add_span(marks, span, roles)
        if self.layer_key is None and not marks.problems:
            around = chain.from_iterable(span.around for span in spans)
            marks.versions = _versions(
                marks, spans, [*unread, *(key for key in dict.fromkeys(around) if key not in header)]
            )
        if categories:
            self._check_category(marks, spans, categories)
        elif spans and "category" not in roles and any(map(may_be_category, unread)):
            listing = few(map(repr, filter(may_be_category, unread)))
            self.marks.note(f"no key 'category': units have none (keys not read: {listing})")

    def _add_span(self, marks: Marks, span: _Span, roles: Mapping[str, str]) -> None:
        item = span.item
        end_role = "duration" if "duration" in roles else "end"
        missing = next((role for role in ("start", end_role) if roles.get(role) not in item), None)
        self.n_unbounded += missing is not None
        if missing is not None:
            raise FaultError(
                f"a span has no {roles.get(missing, missing)!r}; its keys are {', '.join(item)}",
                Cure("name the key with {}", Entry("columns", missing)),
            )
        start = item[roles["start"]]
        end = item[roles[end_role]]
        if end_role == "duration" and isinstance(start, int | float) and isinstance(end, int | float):
            end = end_of(Decimal(repr(start)), Decimal(repr(end)))
        owner = {"document": span.document, "annotator": span.annotator}
        named = {role: item[roles[role]] for role in owner if item.get(roles.get(role, "")) is not None}
        owner |= {role: rows.name(value, repr(roles[role])) for role, value in named.items()}
        surface = item.get("text") if marks is self.marks else None
        marks.unit(
            start,
            end,
            self._category(item.get(roles.get("category", ""))),
            location=span.location,
            layer=None if self.layer_key is None else _name(span.value(self.layer_key)),
            surface=surface if isinstance(surface, str) else None,
            **owner,
        )

    def _layer(self, values: Mapping[str, object]) -> str | None:
        return None if self.layer_key is None else _name(values.get(self.layer_key))

    def _check_category(self, marks: Marks, spans: Sequence[_Span], keys: Sequence[str]) -> None:
        """Note which key is the category if it is sure, otherwise ask."""
        texts = [str(span.item[keys[0]]) for span in spans if _is_text(span.item.get(keys[0]))]
        repeats = len(texts) < _MIN_TEXTS or len(set(texts)) <= _MAX_DISTINCT_SHARE * len(texts)
        tells_versions = marks.versions is not None and marks.versions.column in keys
        if len(keys) == 1 and repeats and not tells_versions:
            self.marks.note(f"read {keys[0]!r} as category")
            return
        if tells_versions:
            marks.versions = None
        location = next(span.location for span in spans if keys[0] in span.item)
        are = f"the keys {few(map(repr, keys))} may each be it" if len(keys) > 1 else f"{keys[0]!r} may be it"
        cure = Cure(
            "if it is, set {}; if units have no category, set {}",
            option("category", keys[0]),
            Set("columns", {"category": None}),
        )
        self.marks.problem(location, f"no key 'category', but {are}", cure)

    def _category(self, value: object) -> str | None:
        """Return the category that a value names, directly, as a number, or as a list of one name."""
        if isinstance(value, list) and len(value) == 1:
            value = value[0]
        if value is None:
            return None
        if isinstance(value, int) and not isinstance(value, bool):
            return self.labels.get(str(value), str(value))
        if not isinstance(value, str):
            raise FaultError(f"the category of a span is {shown(value)}, not one name", "correct it")
        return value

    def _annotator_name(self, record: dict[str, object]) -> str | None:
        key = self._key(record, "annotator")
        value = None if key is None else record.get(key)
        return None if value is None else rows.name(value, repr(key))

    def _check_text(self, location: Where, document: str, text: object) -> None:
        """Refuse a second text of a document: its bounds would be mixed with those in the first text."""
        first_text, first_where = self.first_texts.setdefault(document, (text, location))
        if first_text != text:
            first = Location(self.source.name, first_where).within(self.source.name)
            raise FaultError(
                f"document {document!r} has another text than in {first}, and bounds in both texts would be taken for "
                "bounds in one",
                Cure(
                    "give each text a document of its own: name a key that differs from text to text with {}",
                    Entry("columns", "document"),
                ),
            )

    def _document(self, record: dict[str, object]) -> str:
        key = self._key(record, "document") or next((key for key in record if plain(key) in _ID_KEYS), None)
        value = None if key is None else record.get(key)
        if value is None:
            self.counts["numbered"] += 1
            return str(self.number)
        return rows.name(value, repr(key))

    def _key(self, keys: Iterable[str], role: str) -> str | None:
        """Return the key of the document or annotator."""
        if role in self.columns:
            return self.columns[role]
        return the_one(usual(keys, role), role, self.source.name)

    def _sentence(self, location: Where, record: dict[str, object], tokens: str, tags: str) -> None:
        """Add the units of a sentence with tags by one annotator, or by several in a dictionary."""
        document, words = self._words(location, record, tokens)
        marks = self.sentences
        content = record[tags]
        by_annotator = content.items() if isinstance(content, dict) else [(self._annotator_name(record), content)]
        for name, tags_of_annotator in by_annotator:
            annotator = self.annotator(document, name)
            values = [self._tag(tag, tags) for tag in need(tags_of_annotator, list, repr(tags))]
            if len(values) != len(words):
                raise FaultError(f"{len(values)} tags for {len(words)} tokens", "give each token one tag")
            marks.annotated(document, annotator)
            self.tagged.append(_Tagged(location, document, annotator, values))

    def _words(self, location: Where, record: dict[str, object], key: str) -> tuple[str, list[str]]:
        """Add the tokens of a sentence; return its name and the tokens."""
        words = [str(word) for word in need(record[key], list, repr(key))]
        document = self._document(record)
        self.sentences.extents[document] = (0.0, float(len(words)))
        self.sentences.words[document, None] = Words(words, [self.number] * len(words))
        self._check_text(location, document, words)
        return document, words

    def _tag(self, tag: object, key: str) -> str:
        if isinstance(tag, int) and not isinstance(tag, bool):
            if str(tag) not in self.labels:
                raise FaultError(
                    f"{key!r} has numbers of tags",
                    Cure(
                        "give a list of their names, or the path of a JSON file with it, with {}",
                        Entry("options", "labels"),
                    ),
                )
            return self.labels[str(tag)]
        return need(tag, str, "a tag")

    def _add_tagged(self) -> None:
        """Add the units of all sentences, in the notation that the tags of the file have."""
        scheme = chosen_scheme(self.choices.options)
        notation = notation_of([*chain.from_iterable(("", *tagged.tags) for tagged in self.tagged)], scheme)
        if notation is not None:
            self.sentences.add_notation(notation, scheme)
        for location, document, annotator, tags in self.tagged:
            usual_tags = tags if notation is None else [*map(notation.standardised, tags)]
            bare = scheme is None and are_bare(usual_tags)
            self.counts["bare"] += bare
            decoder = Decoder(scheme, bare=bare)
            # An empty tag is outside of all units.
            found = chain.from_iterable(decoder.tag(index, tag or "O", index) for index, tag in enumerate(usual_tags))
            units = [*found, *decoder.end(len(tags))]
            if decoder.problems:
                self.sentences.problem(location, *decoder.problems[0][1:])
                continue
            for start, end, category, _ in units:
                self.sentences.unit(start, end, category, location=location, document=document, annotator=annotator)

    def finish(self) -> list[Marks]:
        for marks in (self.marks, self.sentences):
            self._add_spans(marks, ("document", "annotator"))
        self._add_spans(self.bare, ())
        self.bare.tells_seen = all(key.document is None for key in self.bare.keys)  # as of a table of units
        problems = (*self.marks.problems, *self.bare.problems)
        is_other = self.n_unbounded or not any((*self.spans.values(), self.marks.seen, self.sentences.seen))
        if problems and is_other and not (len(self.marks) or len(self.bare) or self.columns):
            # No record is one of these: the keys may mean something else.
            raise UnknownMeaningError(problems[0].cause, problems[0].cure, problems[0].location)
        self._check_discarded()
        if _ends_are_inclusive(self.marks):
            raise UnknownMeaningError(
                "units end with words of the texts only if their last characters belong to them",
                Cure("say so, or that they do not, with {}", Set("map")),
                Location(self.source.name),
            )
        self._add_tagged()
        super().finish()
        layer_key = self.columns.get(LAYER)
        if layer_key is not None and all(key.layer is None for key in (*self.marks.keys, *self.bare.keys)):
            self.marks.problem(
                None, f"no span has the key {layer_key!r}, which should be the layer", "correct its name"
            )
        all_marks = (self.marks, self.bare, self.sentences)
        filled = [marks for marks in all_marks if marks.seen or marks.problems] or [self.marks]
        filled[0].notes[:] = [*chain.from_iterable(marks.notes for marks in all_marks)]
        return filled


def _may_be_category(marks: Marks, spans: Sequence[_Span], key: str, bounds: tuple[str, str]) -> bool:
    """Return whether a key of spans has texts that are not the covered texts; `bounds` are the keys of these."""
    filled = [span for span in spans if _is_text(span.item.get(key))]
    are_covered = []
    for span in filled:
        text = marks.texts.get((span.document, None))
        start, end = map(span.item.get, bounds)
        if text is not None and isinstance(start, int) and isinstance(end, int):
            are_covered.append(text[start:end] == span.item[key])
    return bool(filled) and not (are_covered and sum(are_covered) >= _MIN_SURFACE_SHARE * len(are_covered))


def _versions(marks: Marks, spans: Sequence[_Span], keys: Iterable[str]) -> Versions | None:
    """Return the key that tells repeated units apart; lists and objects tell no units apart."""
    columns = {key: [_name(span.value(key)) for span in spans] for key in keys}
    columns = {key: cells for key, cells in columns.items() if any(cell is not None for cell in cells)}
    table = Table(columns, "units", marks.file, lambda _: Location(marks.file), unread=lambda _: columns)
    read: dict[str, object] = {"category": [marks.labels[code] for code in marks.label]}
    if any(key.document is not None for key in marks.keys):
        read["document"] = marks.keys  # versions are looked for within documents
    units = Table.of(read, "units", marks.file)
    return versions(table, (), units, np.asarray(marks.key), (np.asarray(marks.start), np.asarray(marks.end)))


def _name(value: object) -> str | None:
    """Return a text, number, true or false as a name, None for other values."""
    return str(value) if isinstance(value, str | int | float) else None


def _with_names(item: object) -> Mapping[str, object]:
    """Return a span as an object; a list is one of start, end and perhaps a category, which may stand first."""
    if isinstance(item, dict):
        return item
    values = [*need(item, list, "a span")]
    if values and isinstance(values[0], str):  # ["PER", 0, 4]
        values = [*values[1:], values[0]]
    if len(values) not in _SPAN_LENGTHS:
        raise FaultError(f"{shown(item)} is no [start, end, category]", "correct it")
    return dict(zip(("start", "end", "category"), values, strict=False))


def _of_tokens(item: object) -> Mapping[str, object]:
    """Return a span of tokens as an object; the list has its last token in place of its end."""
    match item:
        case [first, last, category]:
            end = need(last, int, "the last token of a span") + 1
            return {"start": first, "end": end, "category": category}
    raise FaultError(f"{shown(item)} is no [first token, last token, category]", "correct it")


def _is_text(value: object) -> bool:
    """Return whether a value is a text, or a list of texts."""
    texts = value if isinstance(value, list) else [value]
    return bool(texts) and all(isinstance(text, str) and text.strip() for text in texts)


def _first(record: Mapping[str, object], keys: Iterable[str], *kinds: type) -> str | None:
    """Return the first of the keys with a value of these kinds in the record."""
    return next((key for key in keys if key in record and (not kinds or isinstance(record[key], kinds))), None)


def _as_records(location: Where, value: object) -> Iterator[tuple[Where, object]]:
    """Yield a record, built from a text and its entities (spaCy 2) or an object of these (NER Annotator) if needed."""
    pairs = value.get("annotations") if isinstance(value, dict) and "classes" in value else None
    if isinstance(pairs, list):
        for number, pair in enumerate(pairs, 1):
            record = _record(pair)
            if record is not None:  # null is a text that the annotator skipped
                yield f"annotation {number}", {"id": number, **record} if isinstance(record, dict) else record
    else:
        yield location, _record(value)


def _record(value: object) -> object:
    if not isinstance(value, list) or len(value) != _PAIR_LENGTH:
        return value
    text, entities = value
    if isinstance(text, str) and isinstance(entities, dict):
        return {**entities, "text": text}
    return value


def _without_points(record: Mapping[str, object]) -> dict[str, object]:
    """Return a record of Dataturks with spans as in other formats: an exclusive end and one category for each."""
    spans = []
    for item in need(record["annotation"] or [], list, "'annotation'"):
        labels = get(need(item, dict, "an annotation"), "label", list, "an annotation")
        for point in get(item, "points", list, "an annotation"):
            end = get(need(point, dict, "a point"), "end", int, "a point") + 1
            spans += [{**point, "end": end, "label": label} for label in labels or [None]]
    return {**{key: value for key, value in record.items() if key not in ("annotation", "metadata")}, "entities": spans}


def _class_names(metadata: object) -> dict[str, str]:
    """Return the names of tags that a dataset of Hugging Face declares: features → a list of tags → names."""
    for key in _TAG_KEYS:
        names = rows.value_at({"metadata": metadata}, f"metadata.info.features.{key}.feature.names")
        if isinstance(names, list):
            return {str(number): str(name) for number, name in enumerate(names)}
    return {}


# `declares` lacks the annotator: records may have none.
FORMAT = FileFormat(
    "ner",
    "JSON Lines of spans (a span, a text or tagged tokens a line)",
    (".jsonl", ".json", ".ndjson", ".parquet"),
    _matches,
    _NerFile,
    declares=("document",),
    options=_OPTION_HELP,
    general=True,
)
