"""Widespread formats that are not read: how to recognise their files, and how to bring their units into a table."""

from __future__ import annotations

import re
from typing import NamedTuple

from gamma_align.data import has_bounds, usual
from gamma_align.errors import Cure, Entry, Note, Set
from gamma_align.reading.files.sources import Head

_TABLE_CURE = "write its units into a table with the columns document, annotator, start, end, category"
_INCLUSIVE_CURE = f"{_TABLE_CURE}, end one more than there, where it is the last {{}} of the unit"


class Unread(NamedTuple):
    """A format that is not read: its name, a pattern found near the beginning of its files, and the cure."""

    name: str
    pattern: re.Pattern[str]
    cure: str = _TABLE_CURE

    def note(self) -> Note:
        """Return cause and cure."""
        return Note(f"looks like {self.name}, which is not read", Cure(self.cure))


def _key_pattern(*keys: str) -> re.Pattern[str]:
    """Return a pattern of JSON that has all of these keys."""
    return re.compile(r"\A\s*[\[{]" + "".join(rf'(?=.*"{key}"\s*:)' for key in keys), re.DOTALL)


def _root_pattern(tag: str) -> re.Pattern[str]:
    """Return a pattern of XML with this root element."""
    return re.compile(rf"\A\s*(?:<[?!][^>]*>\s*)*?<{tag}")


_UNREAD_FORMATS = (
    Unread(
        "a sidecar of BIDS, which describes the columns of a table",
        re.compile(r'\A\s*\{\s*"[^"]+"\s*:\s*\{[^{}]*"(?:Description|LongName|HED|Levels|Units)"\s*:'),
        "read the table of the same name (.tsv)",
    ),
    Unread("DyGIE++'s JSON", _key_pattern("sentences", "ner"), _INCLUSIVE_CURE.format("token")),
    Unread("PubAnnotation's JSON", _key_pattern("text", "denotations", "span")),
    Unread("a document of GATE in JSON", _key_pattern("annotation_sets")),
    Unread("annotations of hypothes.is", _key_pattern("target", "selector", "uri")),
    Unread("a dialogue with slots (SGD)", _key_pattern("dialogue_id", "turns", "exclusive_end")),
    Unread("FoLiA", _root_pattern("FoLiA")),
    Unread("NAF", _root_pattern("NAF")),
    Unread("TCF (WebLicht)", _root_pattern("D-Spin")),
    Unread("ACE's APF", _root_pattern("source_file")),
    Unread("annotations of Anafora", re.compile(r"<annotations>.*<parentsType>", re.DOTALL)),
    Unread("annotations of MAE (or i2b2)", re.compile(r"<TEXT><!\[CDATA\[")),
    Unread("a layer of Sonic Visualiser", _root_pattern("sv>"), "export the layer from it as a table with a header"),
    Unread("a transcript in CHAT", re.compile(r"\A\ufeff?@(?:UTF8|Begin)"), "convert it with CLAN's chat2elan"),
    Unread("NIF in Turtle", re.compile(r"@prefix .*nif-core", re.DOTALL)),
)  # fmt: skip

_ROOT_ELEMENT = re.compile(
    r"\A\ufeff?\s*(?:(?:<\?.*?\?>|<!--.*?-->|<!DOCTYPE[^\[>]*(?:\[.*?\]\s*)?>)\s*)*<(?P<name>[\w:.-]+)(?=[\s/>])",
    re.DOTALL,
)
_NUMBER_COLUMNS = re.compile(r"\A(?:-?\d+\t-?\d+\t[^\n]*\n){2}")
_TABLE_HEADER = re.compile(r"\A(?=[^\n]*(?i:start|begin|onset))[^\t\n]+(?:\t[^\t\n]+){2,}\n")


_TABLE_NOTE = Note("looks like a table with tabs between its columns", Cure("read it with {}", Set("format", "tsv")))
_TOKENS_NOTE = Note(
    "looks like a table of tokens",
    Cure(
        "read it with {}, and name its column of categories with {}",
        Set("format", "conll"),
        Entry("columns", "category"),
    ),
)
_NUMBERS_NOTE = Note(
    "begins with columns of whole numbers without names",
    Cure(
        "put a header above them with start (the first), end (one more than the last), annotator, category, and name "
        "the file .tsv, or, if they are seconds, read it with {}",
        Set("format", "audacity"),
    ),
)


def is_unread_format(head: Head) -> bool:
    """Return whether a file is of a widespread format that this package does not read."""
    return any(unread.pattern.search(head.text) for unread in _UNREAD_FORMATS)


def likely_format(head: Head) -> Note | None:
    """Return a note on the likely format of a file that no format matches, ``None`` if there is no guess."""
    names = head.text.partition("\n")[0].split("\t")
    if len(names) > 1 and usual(names, "token") and not has_bounds(names):
        return _TOKENS_NOTE
    if _TABLE_HEADER.match(head.text):
        return _TABLE_NOTE
    if _NUMBER_COLUMNS.match(head.text):
        return _NUMBERS_NOTE
    unread_note = next((unread.note() for unread in _UNREAD_FORMATS if unread.pattern.search(head.text)), None)
    root = _ROOT_ELEMENT.match(head.text) if unread_note is None else None
    if root is None:
        return unread_note
    return Note(
        f"is XML with the root element <{root['name']}>, and no format recognises it",
        Cure(f"{_TABLE_CURE}, or name its format with {{}}", Set("format")),
    )
