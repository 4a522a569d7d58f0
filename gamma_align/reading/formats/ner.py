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
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from functools import partial
from itertools import chain, product
from typing import Any, ClassVar, NamedTuple

from gamma_align.data import (
    end_of,
    few,
    fits,
    has_bounds,
    may_be_category,
    option,
    plain,
    recognised,
    the_one,
    usual,
)
from gamma_align.errors import Cure, Entry, Location, Set, UnknownMeaningError, Where
from gamma_align.reading.files.json_files import FaultError, as_problem, get, need, shape, shown
from gamma_align.reading.formats import Choices, FileFormat, Head, Marks, Source
from gamma_align.reading.marks import records as rows
from gamma_align.reading.marks.marks import WordedMarks, Words
from gamma_align.reading.marks.notations import notation_of
from gamma_align.reading.marks.tags import BARE_NOTE, SCHEME_HELP, Decoded, Decoder, are_bare, chosen_scheme
from gamma_align.reading.marks.unread_values import UnreadValues, name_of
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
        return bool(top & {*_SPAN_KEYS}) and keys.isdisjoint(plain_values) and not _are_quoted(keys)
    return has_bounds(top) and not any(key.endswith(_DESCRIPTION_ENDINGS) for key in keys)


def _are_quoted(keys: Iterable[str]) -> bool:
    """Return whether spans have no numbers, and are told by their words."""
    fields = [key for key in keys if key.startswith(tuple(f"{name}[]." for name in _SPAN_KEYS))]
    words = [
        key
        for key in fields
        if key.endswith(":str") and any(map(partial(fits, key.removesuffix(":str")), ("quote", "text")))
    ]
    return bool(words) and not any(key.endswith(":num") for key in fields)


class _UnnamedSpan(NamedTuple):
    """A span without a usual key of a category: the texts that may be it by key, and the covered text if known."""

    add: Callable[[str | None], None]
    location: Where
    texts: dict[str, object]
    covered: str | None


class _Tagged(NamedTuple):
    """The tags of a sentence by one annotator."""

    location: Where
    document: str
    annotator: str | None
    tags: list[str]


class _NerFile(rows.RecordFile):
    """The records of one file: spans, texts with spans, sentences with tags."""

    NOTES: ClassVar = {
        "numbered": "{} records name no document and are named by their number in the file",
        "bare": f"{{}} sentences have {BARE_NOTE}",
    }

    def __init__(self, source: Source, choices: Choices) -> None:
        super().__init__(source, choices)
        self.columns: Mapping[str, str | None] = dict(choices.options.get("columns") or {})
        self.labels = rows.names(choices, "labels", source)
        self.spans = Marks(source.name, length_unit=None)
        self.sentences = WordedMarks(source.name)
        self.marks.may_be_tokens = self.spans.may_be_tokens = True
        self.unread_values = {marks: UnreadValues(marks) for marks in (self.marks, self.spans)}
        reads_layers = extra_columns(choices, dict(self.columns), use_parts=False)
        self.layer_key = self.columns.get(LAYER, LAYER) if reads_layers else None
        self.record: dict[str, object] = {}  # that is read; a span may be in one of its lists
        self.tagged: list[_Tagged] = []
        self.names: dict[tuple[tuple[str, ...], ...], dict[str, str]] = {}
        self.unnamed: list[_UnnamedSpan] = []
        self.unread: dict[str, None] = {}  # keys of spans without a category, an ordered set
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
        self.record = record
        tokens = _first(record, _TOKEN_KEYS)
        tags = _first(record, _TAG_KEYS)
        # GLiNER
        if "tokenized_text" in record:
            self._token_spans(location, record)
            return
        # Dataturks
        if "content" in record and "annotation" in record:
            record = _without_points(record)
        if tokens is not None and tags is not None and isinstance(record[tokens], list):
            self._sentence(location, record, tokens, tags)
            return
        key = self._container(record)
        if key is None:
            self._span(location, record)
            return
        document = self._document(record)
        key_of_text = _first(record, _TEXT_KEYS)
        text = None if key_of_text is None else record[key_of_text]
        if isinstance(text, str):
            self._check_text(location, document, text)
            self.marks.texts[document, None] = text
        layer = self._layer(record)
        for name, spans in self._by_annotator(record, key, self._annotator_name(record)):
            annotator = self.annotator(document, name, layer) if isinstance(text, str) else name
            if layer is not None or self.layer_key is None or not spans:  # otherwise each span tells its layer
                self.marks.annotated(document, annotator, layer)
            for item in spans:
                with as_problem(self.marks, location):
                    self._add(location, document, annotator, item)

    def _container(self, record: dict[str, object]) -> str | None:
        """Return the key of the spans, ``None`` if the record is a span."""
        for key in _SPAN_KEYS:
            if isinstance(record.get(key), list | dict):
                return key
        if _first(record, _TEXT_KEYS) is not None and not has_bounds(record):
            raise FaultError(
                f"the record has no spans; its keys are {', '.join(record)}",
                f"put them under one of {', '.join(_SPAN_KEYS)}",
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
        inner = [item for item in spans if isinstance(item, dict) and _first(item, _SPAN_KEYS, list) is not None]
        for item in inner:
            yield from self._by_annotator(
                item, str(_first(item, _SPAN_KEYS, list)), self._annotator_name(item) or annotator
            )
        if not inner:
            yield annotator, spans

    def _add(self, location: Where, document: str | None, annotator: str | None, item: object) -> None:
        """Add a span of a text."""
        if isinstance(item, dict):
            surface = item.get("text")
            self._unit(
                self.marks,
                item,
                ("document", "annotator"),
                location=location,
                document=document,
                annotator=self._annotator_name(item) or annotator,
                surface=surface if isinstance(surface, str) else None,
            )
            return
        values = [*need(item, list, "a span")]
        if values and isinstance(values[0], str):  # ["PER", 0, 4]
            values = [*values[1:], values[0]]
        if len(values) not in _SPAN_LENGTHS:
            raise FaultError(f"{shown(item)} is no [start, end, category]", "correct it")
        start, end, *categories = values
        category = self._category(categories[0]) if categories else None
        owner = {"document": document, "annotator": annotator}
        self._add_unit(self.marks, start, end, category, self.record, {}, location=location, **owner)

    def _span(self, location: Where, record: dict[str, object]) -> None:
        """Add a record that is a span."""
        names = self._names(record)
        document = record.get(names["document"]) if "document" in names else None
        self._unit(
            self.spans,
            record,
            location=location,
            document=None if document is None else rows.name(document, repr(names["document"])),
            annotator=self._annotator_name(record),
        )

    def _unit(
        self,
        marks: Marks,
        item: dict[str, object],
        given_roles: tuple[str, ...] = (),
        *,
        location: Where,
        document: str | None,
        **owner: Any,  # noqa: ANN401  (the settings of `Marks.unit`)
    ) -> None:
        """Add the unit of a span, or keep it until all spans tell which key is the category."""
        start, end, category = self._values(item, given_roles)
        names = self._names(item, given_roles)

        values = {**self.record, **item}

        def add(category: str | None) -> None:
            self._add_unit(marks, start, end, category, values, names, location=location, document=document, **owner)

        if "category" in names or "category" in self.columns:
            add(category)
            return
        keys = [key for key in item if key not in names.values() and may_be_category(key)]
        self.unread |= dict.fromkeys(keys)
        texts = {key: item[key] for key in keys if _is_text(item[key])}
        text = None if document is None else marks.texts.get((document, None))
        covered = None
        if text is not None and isinstance(start, int) and isinstance(end, int):
            covered = text[start:end]
        self.unnamed.append(_UnnamedSpan(add, location, texts, covered))

    def _add_unit(
        self,
        marks: Marks,
        start: object,
        end: object,
        category: str | None,
        values: dict[str, object],
        names: Mapping[str, str],
        **owner: Any,  # noqa: ANN401  (the settings of `Marks.unit`)
    ) -> None:
        """Add a unit with its layer, or with the values that are not read: those of keys that are not in `names`."""
        if self.layer_key is not None:
            marks.unit(start, end, category, layer=self._layer(values), **owner)
            return
        n_units = len(marks)
        marks.unit(start, end, category, **owner)
        if len(marks) > n_units:  # the unit is valid
            unread = {key: value for key, value in values.items() if key not in names.values()}
            self.unread_values[marks].add(unread)

    def _layer(self, values: Mapping[str, object]) -> str | None:
        return None if self.layer_key is None else name_of(values.get(self.layer_key))

    def _find_versions(self, category_keys: Sequence[str]) -> str | None:
        """Find the key that tells repeated units apart, and return it if it is among `category_keys`."""
        for marks, values in self.unread_values.items():
            found = values.versions()
            if found is not None and found.column in category_keys:
                return found.column
            marks.versions = found
        return None

    def _add_unnamed(self) -> None:
        """Add the spans without a usual key of a category: their category is the only key that may be it."""
        is_labelled = any(label is not None for label in (*self.marks.labels, *self.spans.labels))
        keys = [] if is_labelled else self._category_keys()
        for span in self.unnamed:
            with as_problem(self.marks, span.location):
                span.add(self._category(span.texts.get(keys[0]) if keys else None))
        version_key = self._find_versions(keys)
        if len(keys) == 1 and self._repeats(keys[0]) and version_key is None:
            self.marks.note(f"read {keys[0]!r} as category")
        elif keys:
            location = next(span.location for span in self.unnamed if keys[0] in span.texts)
            are = f"the keys {few(map(repr, keys))} may each be it" if len(keys) > 1 else f"{keys[0]!r} may be it"
            cure = Cure(
                "if it is, set {}; if units have no category, set {}",
                option("category", keys[0]),
                Set("columns", {"category": None}),
            )
            self.marks.problem(location, f"no key 'category', but {are}", cure)
        elif self.unread and not is_labelled:
            self.marks.note(f"no key 'category': units have none (keys not read: {few(map(repr, self.unread))})")

    def _category_keys(self) -> list[str]:
        """Return the keys of spans whose texts are not the covered texts."""
        n_covered: Counter[str] = Counter()
        n_equal: Counter[str] = Counter()
        for span in self.unnamed:
            n_covered.update([*span.texts] if span.covered is not None else ())
            n_equal.update(key for key, text in span.texts.items() if text == span.covered)
        keys = dict.fromkeys(chain.from_iterable(span.texts for span in self.unnamed))
        return [key for key in keys if not n_covered[key] or n_equal[key] < _MIN_SURFACE_SHARE * n_covered[key]]

    def _repeats(self, key: str) -> bool:
        """Return whether the texts of a key repeat, as categories do."""
        texts = [str(span.texts[key]) for span in self.unnamed if key in span.texts]
        return len(texts) < _MIN_TEXTS or len(set(texts)) <= _MAX_DISTINCT_SHARE * len(texts)

    def _values(self, item: dict[str, object], given_roles: tuple[str, ...] = ()) -> tuple[object, object, str | None]:
        """Return bounds and category of a span; `given_roles` are the roles that its text determines."""
        names = self._names(item, given_roles)
        end_role = "duration" if "duration" in names else "end"
        missing = next((role for role in ("start", end_role) if names.get(role) not in item), None)
        self.n_unbounded += missing is not None
        if missing is not None:
            raise FaultError(
                f"a span has no {names.get(missing, missing)!r}; its keys are {', '.join(item)}",
                Cure("name the key with {}", Entry("columns", missing)),
            )
        category = item.get(names["category"]) if "category" in names else None
        start = item[names["start"]]
        end = item[names[end_role]]
        if end_role == "duration" and isinstance(start, int | float) and isinstance(end, int | float):
            end = end_of(Decimal(repr(start)), Decimal(repr(end)))
        return start, end, self._category(category)

    def _names(self, item: dict[str, object], given_roles: tuple[str, ...] = ()) -> dict[str, str]:
        """Return the key of each role in a span, except for `given_roles`."""
        header = (tuple(item), given_roles)
        if header not in self.names:
            # The texts of all spans tell which key is the category.
            doubted = ("document", "annotator")
            result = recognised(item, self.columns, known=given_roles, doubted=doubted, table=self.source.name)
            self.names[header] = result.names
            self.spans.notes += [note for note in result.notes if note not in self.spans.notes]
        return self.names[header]

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

    def _key(self, record: dict[str, object], role: str) -> str | None:
        """Return the key of the document or annotator."""
        if role in self.columns:
            return self.columns[role]
        return the_one(usual(record, role), role, self.source.name)

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

    def _token_spans(self, location: Where, record: dict[str, object]) -> None:
        """Add the spans of tokens of a sentence; the end of each is its last token."""
        document, _ = self._words(location, record, "tokenized_text")
        marks = self.sentences
        for name, spans in self._by_annotator({"ner": [], **record}, "ner", self._annotator_name(record)):
            annotator = self.annotator(document, name)
            marks.annotated(document, annotator)
            for span in spans:
                if not isinstance(span, list) or len(span) != max(_SPAN_LENGTHS):
                    raise FaultError(f"{shown(span)} is no [first token, last token, category]", "correct it")
                first, last, label = span
                end = need(last, int, "the last token of a span") + 1
                category = self._category(label)
                marks.unit(first, end, category, location=location, document=document, annotator=annotator)

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
            with as_problem(self.sentences, location):
                for unit in self._units(tags if notation is None else [*map(notation.usual, tags)], scheme):
                    self.sentences.unit(
                        unit.start, unit.end, unit.category, location=location, document=document, annotator=annotator
                    )

    def _units(self, tags: list[str], scheme: str | None) -> list[Decoded]:
        """Return the units of tags in a scheme, or of categories alone."""
        bare = scheme is None and are_bare(tags)
        self.counts["bare"] += bare
        decoder = Decoder(scheme, bare=bare)
        units: list[Decoded] = []
        for index, tag in enumerate(tags):
            # An empty tag is outside of all units.
            units += decoder.tag(index, tag or "O", index)
        units += decoder.end(len(tags))
        if decoder.problems:
            _, cause, cure = decoder.problems[0]
            raise FaultError(cause, cure)
        return units

    def finish(self) -> list[Marks]:
        self._add_unnamed()
        problems = (*self.marks.problems, *self.spans.problems)
        if self.n_unbounded and not (len(self.marks) or len(self.spans) or self.columns):
            raise UnknownMeaningError(problems[0].cause, problems[0].cure, problems[0].location)
        self._add_tagged()
        super().finish()
        layer_key = self.columns.get(LAYER)
        if layer_key is not None and all(key.layer is None for key in (*self.marks.keys, *self.spans.keys)):
            self.marks.problem(
                None, f"no span has the key {layer_key!r}, which should be the layer", "correct its name"
            )
        all_marks = (self.marks, self.spans, self.sentences)
        filled = [marks for marks in all_marks if marks.seen or marks.problems] or [self.marks]
        filled[0].notes[:] = [*chain.from_iterable(marks.notes for marks in all_marks)]
        return filled


def _is_text(value: object) -> bool:
    """Return whether a value is a text, or a list of texts."""
    texts = value if isinstance(value, list) else [value]
    return bool(texts) and all(isinstance(text, str) and text.strip() for text in texts)


def _first(record: Mapping[str, object], keys: Iterable[str], kind: type | None = None) -> str | None:
    """Return the first of the keys with a value of this kind in the record."""
    return next((key for key in keys if key in record and (kind is None or isinstance(record[key], kind))), None)


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
