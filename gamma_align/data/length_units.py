"""Units of length: in words, and the common one of two corpora. Unknown bounds count characters if texts say so."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from gamma_align.columns import FloatArray, IntArray
from gamma_align.data.wording import counted
from gamma_align.errors import Cure, InputError, Set


class _UnitsOnTexts(Protocol):
    """What is needed of a corpus."""

    @property
    def length_unit(self) -> str | None: ...
    @property
    def documents(self) -> Sequence[str]: ...
    @property
    def texts(self) -> Sequence[str | None] | None: ...
    @property
    def unit_document(self) -> IntArray: ...
    @property
    def start(self) -> FloatArray: ...
    @property
    def end(self) -> FloatArray: ...


_IN_WORDS = {"char": "characters", "token": "tokens", "s": "seconds", "sec": "seconds", "ms": "milliseconds"}
_TIMES = ("s", "ms", "sec", "seconds", "epoch")  # units of length
_MIN_AT_WORDS = 0.95  # share of units: a few begin or end within a word


def unit_in_words(length_unit: str) -> str:
    """Return the plural of a unit of length: "characters" of "char"; others as the data name them."""
    return _IN_WORDS.get(length_unit, length_unit)


def counts_time(corpus: _UnitsOnTexts) -> bool:
    """Return whether bounds are times: their unit of length says so, or they are not all whole numbers."""
    bounds = np.concatenate([corpus.start, corpus.end])
    return corpus.length_unit in _TIMES or bool((bounds != np.floor(bounds)).any())


def is_at_words(text: str, start: int, end: int) -> bool:
    """Return whether a stretch of a text begins and ends at the edges of words."""
    if not 0 <= start < end <= len(text) or text[start].isspace() or text[end - 1].isspace():
        return False
    edges = [text[max(index - 1, 0) : index + 1] for index in (start, end)]
    return not any(len(edge) > 1 and edge.isalnum() for edge in edges)


def common_unit(first: _UnitsOnTexts, second: _UnitsOnTexts) -> tuple[str | None, str]:
    """Return the unit of length of two corpora, and a note on how it is known; "" if both say it.

    Raises
    ------
    InputError
        If bounds have different units, or if the unit of one is unknown and texts do not tell that it is that of the
        other.
    """
    units = {first.length_unit, second.length_unit}
    if len(units) == 1:
        return first.length_unit, ""
    unknown, known = (first, second) if first.length_unit is None else (second, first)
    if unknown.length_unit is not None:
        raise InputError(
            f"bounds count {first.length_unit} in one corpus and {second.length_unit} in the other",
            "give both in one unit",
        )
    n_units, n_at_words = _at_words(unknown, known) if known.length_unit == "char" else (0, 0)
    if not n_units:
        raise InputError(
            f"bounds count {known.length_unit} in one corpus, and the other does not say what its bounds count",
            Cure("say it in a column 'unit' of a table of documents ({})", Set("documents")),
        )
    share = f"{n_at_words} of {counted(n_units, 'unit')} begin and end with words of the texts of the other corpus"
    if n_at_words < _MIN_AT_WORDS * n_units:
        raise InputError(
            f"bounds count characters in one corpus, and the other does not say what its bounds count: {share}",
            "give bounds that count characters from 0, with the end after the last one",
        )
    return "char", f"bounds count characters: {share}"


def _at_words(corpus: _UnitsOnTexts, texts_of: _UnitsOnTexts) -> tuple[int, int]:
    """Return the number of units on the texts of another corpus, and how many of them begin and end with words."""
    texts = dict(zip(texts_of.documents, texts_of.texts or (), strict=False))
    found = [
        is_at_words(text, int(start), int(end)) and start == int(start) and end == int(end)
        for document, start, end in zip(corpus.unit_document.tolist(), corpus.start, corpus.end, strict=True)
        if (text := texts.get(corpus.documents[document])) is not None
    ]
    return len(found), sum(found)
