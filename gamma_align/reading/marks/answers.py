"""Raw answers of language models: lists of spans in JSON, also in code fences or damaged, and text with inline tags.

JSON is read as far as it is whole: a code fence and words around it are skipped, trailing commas removed, and an answer
that is cut off ends with its last complete span. Whatever is repaired is reported.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from gamma_align.reading.marks.locate import Mention

# Keys of the parts of a span, as models name them.
_TEXT_KEYS = ("text", "span", "mention", "quote", "surface", "phrase", "value", "string")
_CATEGORY_KEYS = ("label", "category", "type", "tag", "class", "entity_type", "entity")
_OCCURRENCE_KEYS = ("occurrence", "nth", "instance")
_BEFORE_KEYS = ("before", "left", "prefix", "context_before")
_AFTER_KEYS = ("after", "right", "suffix", "context_after")

# A model may forget the closing fence, so that the end of the answer closes it, too.
_FENCE = re.compile(r"```[\w+-]*[ \t]*\n?(.*?)(?:```|\Z)", re.DOTALL)
_STRING_OR_MARK = re.compile(r'"(?:[^"\\]|\\.)*+"|[{}\[\],]', re.DOTALL)
_INLINE_TAG = re.compile(r"<(/?)([^\W\d][\w.:-]*)(?:\s[^<>]*)?>")
_MARKDOWN_LINK = re.compile(r"\[([^\[\]\n]+)\]\(([^()\n]+)\)")
_CLOSING_BRACKETS = {"{": "}", "[": "]"}


class Tagged(NamedTuple):
    """A unit of a text with inline tags: bounds in the text without tags, and category."""

    start: int
    end: int
    category: str


class Answer(NamedTuple):
    """The content of an answer: mentions, or a text without its tags and the units in it.

    `repairs` describe what was repaired, and `problem` why nothing can be read.
    """

    mentions: tuple[Mention, ...] = ()
    plain: str | None = None
    tagged: tuple[Tagged, ...] = ()
    repairs: tuple[str, ...] = ()
    problem: str | None = None


def parse_answer(answer: object) -> Answer:
    """Return the content of an answer: a text, or JSON that is parsed already."""
    if not isinstance(answer, str):
        return _answer_from_json(answer, [])
    if not answer.strip():
        return Answer()
    repairs: list[str] = []
    fences = [match[1] for match in _FENCE.finditer(answer)]
    for content in [*fences, answer]:
        value = _parse_json_in(content, repairs)
        if value is not None:
            if content is not answer:
                repairs.append("a code fence around JSON")
            return _answer_from_json(value, repairs)
    content = fences[0] if fences else answer
    return _answer_from_tags(content)


def _parse_json_in(content: str, repairs: list[str]) -> object | None:
    """Return the first JSON list or object in a text, repaired if necessary; ``None`` if the text contains none.

    Repairs, and words before or after the value, are described in `repairs`.
    """
    starts = [match.start() for match in re.finditer(r"[\[{]", content)]
    for start in starts:
        body = content[start:]
        if not re.match(r'[\[{]\s*(?:[\[{"\]}]|\Z)', body):
            continue
        try:
            value, end = json.JSONDecoder().raw_decode(body)
        except (json.JSONDecodeError, RecursionError):
            repaired = _repair_json(body, repairs)
            if repaired is None:
                continue
            return repaired
        if body[end:].strip() or content[:start].strip():
            repairs.append("words around JSON")
        decoded: object = value
        return decoded
    return None


class _Damaged:
    """A damaged JSON value, split into pieces; trailing commas are dropped, and spans that are cut off are lost."""

    def __init__(self, body: str) -> None:
        self.pieces: list[str] = []
        self.open_marks: list[str] = []
        self.has_trailing_comma = False
        self.is_broken = False
        # pieces up to the last complete span, and what closes them
        self.n_complete = -1
        self.closing = ""
        self._comma = -1  # the piece of a comma that nothing but blanks follows yet
        position = 0
        for match in _STRING_OR_MARK.finditer(body):
            self._add(body[position : match.start()], match[0])
            position = match.end()
            if self.is_broken or not self.open_marks:
                break

    @property
    def is_cut_off(self) -> bool:
        """Whether the text ends before the value does."""
        return bool(self.open_marks)

    def value(self) -> object | None:
        """Return the value as far as it is complete; None if it cannot be read."""
        if self.is_broken:
            return None
        if self.is_cut_off and self.n_complete < 0:
            return []
        pieces = [*self.pieces[: self.n_complete], self.closing] if self.is_cut_off else self.pieces
        try:
            value: object = json.loads("".join(pieces))
        except (json.JSONDecodeError, RecursionError):
            return None
        return value

    def _add(self, between: str, mark: str) -> None:
        """Add a mark or string, and the text before it."""
        if between.strip():
            self._comma = -1
        self.pieces.append(between)
        if mark in _CLOSING_BRACKETS.values():
            self._close(mark)
        elif mark in _CLOSING_BRACKETS:
            self.open_marks.append(mark)
        self.pieces.append(mark)
        self._comma = len(self.pieces) - 1 if mark == "," else -1
        is_listed_text = mark.startswith('"') and self.open_marks[-1:] == ["["]
        if mark == "}" or is_listed_text:
            self.n_complete = len(self.pieces)
            self.closing = "".join(_CLOSING_BRACKETS[opened] for opened in reversed(self.open_marks))

    def _close(self, mark: str) -> None:
        """Close the innermost bracket, and drop a comma before it; another bracket makes the value broken."""
        if not self.open_marks or _CLOSING_BRACKETS[self.open_marks[-1]] != mark:
            self.is_broken = True
            return
        if self._comma >= 0:
            self.pieces[self._comma] = ""
            self.has_trailing_comma = True
        self.open_marks.pop()


def _repair_json(body: str, repairs: list[str]) -> object | None:
    """Return a JSON value without trailing commas and without the spans that are cut off; ``None`` if it stays invalid.

    Repairs are described in `repairs`.
    """
    damaged = _Damaged(body)
    value = damaged.value()
    if value is not None and damaged.has_trailing_comma:
        repairs.append("trailing commas")
    if value is not None and damaged.is_cut_off:
        repairs.append("the answer is cut off: spans after its last complete one are lost")
    return value


def _answer_from_json(value: object, repairs: list[str]) -> Answer:
    """Return the answer of a JSON value: its mentions, with entries that are no spans dropped and listed as a repair.

    If entries exist but none is a span, the answer has a `problem` instead.
    """
    mentions: list[Mention] = []
    ignored: list[str] = []
    for item in _find_spans(value):
        mention = _parse_mention(item)
        if mention is None:
            ignored.append(json.dumps(item, ensure_ascii=False)[:60])
        else:
            mentions.append(mention)
    if ignored:
        repairs.append(f"{len(ignored)} entries that are no spans are left out, as {ignored[0]}")
    if ignored and not mentions:
        return Answer(problem=f"no entry is a span with a text, as {ignored[0]}")
    return Answer(tuple(mentions), repairs=tuple(dict.fromkeys(repairs)))


def _find_spans(value: object) -> Iterator[object]:
    """Yield the entries of a JSON value that should be spans.

    The value is a list of spans, one span, an object with a single list of spans, or an object from labels to texts.
    """
    if isinstance(value, list):
        yield from value
    elif isinstance(value, dict):
        lists = [(key, entry) for key, entry in value.items() if isinstance(entry, list)]
        if _parse_mention(value) is not None:
            yield value
        elif len(lists) == 1 and all(isinstance(entry, dict) for entry in lists[0][1]):
            yield from lists[0][1]
        else:
            for label, entries in value.items():
                texts = entries if isinstance(entries, list) else [entries]
                for entry in texts:
                    yield {"text": entry, "label": label} if isinstance(entry, str) else entry


def _parse_mention(item: object) -> Mention | None:
    """Return the mention of a JSON entry: a text, [text, category], or an object with a text; else ``None``."""
    if isinstance(item, str):
        return Mention(item)
    if isinstance(item, list) and len(item) == 2 and all(isinstance(part, str) for part in item):  # noqa: PLR2004
        return Mention(item[0], item[1])
    if not isinstance(item, dict):
        return None
    text = _first_value(item, _TEXT_KEYS)
    if not isinstance(text, str):
        return None
    category = _first_value(item, _CATEGORY_KEYS)
    occurrence = _first_value(item, _OCCURRENCE_KEYS)
    before = _first_value(item, _BEFORE_KEYS)
    after = _first_value(item, _AFTER_KEYS)
    is_number = isinstance(occurrence, int) and not isinstance(occurrence, bool)
    return Mention(
        text,
        None if category is None else str(category),
        occurrence if is_number else None,  # type: ignore[arg-type]
        before if isinstance(before, str) else None,
        after if isinstance(after, str) else None,
    )


def _first_value(item: Mapping[str, object], keys: tuple[str, ...]) -> object:
    """Return the value of the first of these keys that the object has and is not null, ``None`` without any.

    Case is ignored.
    """
    lowered = {key.lower(): value for key, value in item.items()}
    return next((lowered[key] for key in keys if lowered.get(key) is not None), None)


def _answer_from_tags(answer: str) -> Answer:
    """Return a text without its tags, ``<PER>…</PER>`` or Markdown links ``[…](PER)``, and the units they mark.

    A tag that is not closed, or not opened, is dropped and listed as a repair; without any unit the answer has a
    `problem`.
    """
    repairs: list[str] = []
    plain: list[str] = []
    units: list[Tagged] = []
    open_tags: list[tuple[str, int]] = []
    length = 0
    position = 0
    for match in re.finditer(f"{_INLINE_TAG.pattern}|{_MARKDOWN_LINK.pattern}", answer):
        between = answer[position : match.start()]
        plain.append(between)
        length += len(between)
        position = match.end()
        closing, tag, linked, label = match.groups()
        if linked is not None:
            plain.append(linked)
            units.append(Tagged(length, length + len(linked), label))
            length += len(linked)
        elif not closing:
            open_tags.append((tag, length))
        else:
            index = next((n for n in range(len(open_tags) - 1, -1, -1) if open_tags[n][0] == tag), None)
            if index is None:
                repairs.append(f"a closing tag </{tag}> without an opening one")
            else:
                units.append(Tagged(open_tags.pop(index)[1], length, tag))
    plain.append(answer[position:])
    repairs += [f"the tag <{tag}> is not closed: its unit is lost" for tag, _ in open_tags]
    if not units:
        return Answer(problem="it has neither spans in JSON nor inline tags")
    return Answer(plain="".join(plain), tagged=tuple(sorted(units)), repairs=tuple(dict.fromkeys(repairs)))
