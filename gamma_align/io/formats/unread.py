"""Formats that are met often and not read: what a file of one looks like, and how its units come into a table."""

from __future__ import annotations

import re
from typing import NamedTuple

from gamma_align.io.files.sources import Head

_SPANS = "write its units into a table with the columns document, annotator, start, end, category"
_INCLUSIVE = f"{_SPANS}, end one more than there, where it is the last {{}} of the unit"


class Unread(NamedTuple):
    """A format that is not read: its name, what files of it have near their beginning, and what to do."""

    name: str
    mark: re.Pattern[str]
    cure: str = _SPANS

    def __str__(self) -> str:
        return f"looks like {self.name}, which is not read; {self.cure}"


def _keys(*keys: str) -> re.Pattern[str]:
    """Return what JSON with all of these keys looks like."""
    return re.compile(r"\A\s*[\[{]" + "".join(rf'(?=.*"{key}"\s*:)' for key in keys), re.DOTALL)


def _root(tag: str) -> re.Pattern[str]:
    """Return what XML with this root looks like."""
    return re.compile(rf"\A\s*(?:<[?!][^>]*>\s*)*?<{tag}")


_UNREAD = (
    Unread("BioC in JSON", _keys("documents", "infons")),
    Unread("DyGIE++'s JSON", _keys("sentences", "ner"), _INCLUSIVE.format("token")),
    Unread("PubAnnotation's JSON", _keys("text", "denotations", "span")),
    Unread("a document of GATE in JSON", _keys("annotation_sets")),
    Unread("annotations of hypothes.is", _keys("target", "selector", "uri")),
    Unread("a dialogue with slots (SGD)", _keys("dialogue_id", "turns", "exclusive_end")),
    Unread("a document of GATE in XML", _root("GateDocument")),
    Unread("BioC in XML", _root("(?:!DOCTYPE collection[^>]*BioC|collection>)")),
    Unread("FoLiA", _root("FoLiA")),
    Unread("NAF", _root("NAF")),
    Unread("TCF (WebLicht)", _root("D-Spin")),
    Unread("ACE's APF", _root("source_file")),
    Unread("annotations of Knowtator or eHOST", re.compile(r"<annotations textSource=|<knowtator-project")),
    Unread("annotations of Anafora", re.compile(r"<annotations>.*<parentsType>", re.DOTALL)),
    Unread("annotations of MAE (or i2b2)", re.compile(r"<TEXT><!\[CDATA\[")),
    Unread("a transcription of EXMARaLDA", _root("basic-transcription"), "export it as ELAN or TextGrid"),
    Unread("a transcription of Transcriber", _root("Trans "), "save it as a TextGrid or as ELAN's .eaf"),
    Unread("a layer of Sonic Visualiser", _root("sv>"), "export the layer from it as a table with a header"),
    Unread("a transcript in CHAT", re.compile(r"\A\ufeff?@(?:UTF8|Begin)"), "convert it with CLAN's chat2elan"),
    Unread("PubTator", re.compile(r"\A\s*\w+\|[ta]\|")),
    Unread("NIF in Turtle", re.compile(r"@prefix .*nif-core", re.DOTALL)),
)  # fmt: skip

_WHOLE = re.compile(r"\A(?:-?\d+\t-?\d+\t[^\n]*\n){2}")
_TABLE = re.compile(r"\A(?=[^\n]*(?i:start|begin|onset))[^\t\n]+(?:\t[^\t\n]+){2,}\n")


def looks(head: Head) -> str:
    """Return what a file that no format takes looks like and what to do, as the end of a sentence; "" for nothing."""
    if head.suffix in (".xls", ".xlsx", ".ods") and not _TABLE.match(head.text):
        return "is a workbook, which is not read; save its sheet as CSV in UTF-8"
    if _TABLE.match(head.text):
        return "looks like a table with tabs between its columns; read it with --format tsv (format='tsv')"
    if _WHOLE.match(head.text):
        return (
            "begins with columns of whole numbers that nothing names; put a header above them with start (the first), "
            "end (one more than the last), annotator, category, and name the file .tsv, or, if they are seconds, read "
            "it with --format audacity (format='audacity')"
        )
    return next((str(kind) for kind in _UNREAD if kind.mark.search(head.text)), "")
