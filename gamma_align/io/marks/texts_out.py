"""What formats that keep the text beside the units ask of a corpus before they are written."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from gamma_align.errors import InputError

if TYPE_CHECKING:
    from gamma_align.data.corpus import Corpus, Unit

HALF = re.compile("[\ud800-\udfff]")
"""Half a character (a lone surrogate), which no UTF-8 file holds."""


def text_of(corpus: Corpus, index: int, fmt: str) -> str:
    """Return the text of a document, where a file of characters beside a plain text holds all of the document.

    Parameters
    ----------
    corpus : Corpus
        What is written.
    index : int
        Of the document.
    fmt : str
        What messages call the format.

    Raises
    ------
    InputError
        For bounds that are no characters, a text that is not known or that a file does not give back, another extent
        than the text's, and a document that nobody saw.
    """
    document = corpus.documents[index]
    if corpus.length_unit not in (None, "char"):
        raise InputError(
            f"{fmt} counts characters, and the corpus counts in {corpus.length_unit!r}; write csv, parquet or jsonl"
        )
    if corpus.seen_offsets[index] == corpus.seen_offsets[index + 1]:
        raise InputError(f"document {document!r} has no annotators, and {fmt} no place for it; write csv or parquet")
    text = None if corpus.texts is None else corpus.texts[index]
    if text is None:
        raise InputError(
            f"{fmt} keeps the text beside the units, and that of document {document!r} is not known; read it from a "
            "format that has it, or write csv, parquet or jsonl"
        )
    low, high = corpus.extents[index].tolist()
    if (low, high) != (0, len(text)):
        raise InputError(
            f"document {document!r}: {fmt}'s extent is the text, {len(text)} characters, and the document's is "
            f"[{low:.15g}, {high:.15g}]; write jsonl, or correct what is outside the text"
        )
    if HALF.search(text) or text.startswith("\ufeff"):
        raise InputError(
            f"document {document!r}: its text begins with a byte-order mark or has half a character (a lone surrogate) "
            "in it, which a UTF-8 file does not hold; correct the text"
        )
    return text


def place_of(unit: Unit, document: str) -> str:
    """Return words for a unit."""
    return f"document {document!r}, annotator {unit.annotator!r}, unit [{unit.start:.15g}, {unit.end:.15g}]"


def whole_bounds(unit: Unit, document: str, fmt: str) -> tuple[int, int]:
    """Return the bounds of a unit as the integers they are.

    Raises
    ------
    InputError
        If they are not.
    """
    if not (unit.start.is_integer() and unit.end.is_integer()):
        raise InputError(
            f"{place_of(unit, document)}: {fmt} counts whole characters; round the bounds, or write csv, parquet or "
            "jsonl"
        )
    return int(unit.start), int(unit.end)
