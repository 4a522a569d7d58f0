"""Units of length: in words, and one for several corpora.

Bounds of an unknown unit count characters if texts say so. Bounds that count tokens are moved to the characters of a
text in which the tokens follow one another, with nothing but blanks between them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Protocol, TypeVar

import numpy as np

from gamma_align.columns import FloatArray, IntArray
from gamma_align.data.problem import few
from gamma_align.data.spelling import in_forms_of
from gamma_align.data.wording import counted
from gamma_align.errors import Cure, InputError, Location, Set

_IN_WORDS = {"char": "characters", "token": "tokens", "s": "seconds", "sec": "seconds", "ms": "milliseconds"}
_TIMES = ("s", "ms", "sec", "seconds", "epoch")  # units of length
_MIN_AT_WORDS = 0.95  # share of units: a few begin or end within a word
_MAX_SHOWN = 20  # characters of a text in a message
# As tokenizers of the Penn Treebank write brackets and quotation marks.
_WRITTEN_FOR = {
    "-LRB-": ("(",),
    "-RRB-": (")",),
    "-LSB-": ("[",),
    "-RSB-": ("]",),
    "-LCB-": ("{",),
    "-RCB-": ("}",),
    "``": ('"', "“"),
    "''": ('"', "”"),
}
_NAMES = ("one corpus", "the other")
_SAY_UNIT = Cure("say it in a column 'unit' of a table of documents")
_ONE_UNIT = Cure("give both in one unit, or texts with {} that the tokens of a file are placed in", Set("texts"))


class _UnitsOnTexts(Protocol):
    """What is needed of a corpus."""

    __dataclass_fields__: ClassVar[dict[str, Any]]

    @property
    def length_unit(self) -> str | None: ...
    @property
    def documents(self) -> tuple[str, ...]: ...
    @property
    def texts(self) -> tuple[str | None, ...] | None: ...
    @property
    def tokens(self) -> tuple[tuple[str, ...] | None, ...] | None: ...
    @property
    def unit_document(self) -> IntArray: ...
    @property
    def start(self) -> FloatArray: ...
    @property
    def end(self) -> FloatArray: ...
    @property
    def notes(self) -> tuple[str, ...]: ...
    def __len__(self) -> int: ...


_Corpus = TypeVar("_Corpus", bound=_UnitsOnTexts)


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


def in_one_unit(corpora: Sequence[_Corpus], names: Sequence[str] = _NAMES) -> list[_Corpus]:
    """Return corpora whose bounds have one unit of length, with a note for each whose bounds are moved or understood.

    `names` are the corpora in messages. If one counts characters, the others do if its texts tell it: tokens are placed
    in them, and bounds of an unknown unit have to begin and end with words.

    Raises
    ------
    InputError
        If bounds have different units, if texts do not tell that an unknown unit is that of another corpus, or if
        tokens are not those of the text.
    """
    units = [corpus.length_unit for corpus in corpora]
    if len({*units}) == 1:
        return [*corpora]
    texts: dict[str, str] = {}
    for corpus in corpora:
        if corpus.length_unit == "char":
            texts |= _texts_of(corpus)
    common = "char" if "char" in units else next(unit for unit in units if unit is not None)
    known = names[units.index(common)]
    result = []
    for corpus, name in zip(corpora, names, strict=True):
        if corpus.length_unit == common:
            result.append(corpus)
        elif corpus.length_unit is None:
            result.append(_understood(corpus, common, texts, (known, name)))
        elif corpus.length_unit == "token" and corpus.tokens is not None and common == "char":
            result.append(on_texts(corpus, texts))
        else:
            raise InputError(f"bounds count {common} in {known} and {corpus.length_unit} in {name}", _ONE_UNIT)
    return result


def _texts_of(corpus: _UnitsOnTexts) -> dict[str, str]:
    """Return the text of each document that has one."""
    pairs = zip(corpus.documents, corpus.texts or (), strict=False)
    return {name: text for name, text in pairs if text is not None}


def _understood(corpus: _Corpus, unit: str, texts: Mapping[str, str], names: tuple[str, str]) -> _Corpus:
    """Return a corpus of unknown bounds as one that counts characters, as the other does."""
    n_units, n_at_words = _at_words(corpus, texts) if unit == "char" else (0, 0)
    if not n_units:
        raise InputError(
            f"bounds count {unit} in {names[0]}, and {names[1]} does not say what its bounds count",
            Cure("if they count characters, give the texts with {}; else {}", Set("texts"), _SAY_UNIT)
            if unit in ("char", "token")
            else _SAY_UNIT,
        )
    share = f"{n_at_words} of {counted(n_units, 'unit')} begin and end with words of the texts of {names[0]}"
    if n_at_words < _MIN_AT_WORDS * n_units:
        raise InputError(
            f"bounds count characters in {names[0]}, and {names[1]} does not say what its bounds count: {share}",
            "give bounds that count characters from 0, with the end after the last one",
        )
    return replace(corpus, length_unit="char", notes=(*corpus.notes, f"bounds count characters: {share}"))


def _at_words(corpus: _UnitsOnTexts, texts: Mapping[str, str]) -> tuple[int, int]:
    """Return the number of units on these texts, and how many of them begin and end with words."""
    found = [
        is_at_words(text, int(start), int(end)) and start == int(start) and end == int(end)
        for document, start, end in zip(corpus.unit_document.tolist(), corpus.start, corpus.end, strict=True)
        if (text := texts.get(corpus.documents[document])) is not None
    ]
    return len(found), sum(found)


def on_texts(corpus: _Corpus, texts: Mapping[str, str]) -> _Corpus:
    """Return a corpus that counts tokens as one that counts characters of these texts.

    Raises
    ------
    InputError
        If a document has no tokens or no text, or if its tokens are not those of the text.
    """
    forms = in_forms_of(corpus.documents, texts)
    text_of = {forms.get(name, name): text for name, text in texts.items()}
    lacking = [name for name in corpus.documents if name not in text_of]
    if lacking:
        raise InputError(
            f"bounds count tokens, and others characters; the text of document {few(map(repr, lacking))} is not known, "
            "so that its tokens cannot be placed",
            Cure("give the text with {}, correct the name of the document, or leave the document out", Set("texts")),
        )
    new_texts = [text_of[name] for name in corpus.documents]
    edges = [
        token_bounds(name, tokens, text)
        for name, tokens, text in zip(corpus.documents, corpus.tokens or (), new_texts, strict=True)
    ]
    # A last one, of a document without a token behind it, makes each index valid.
    offsets = np.cumsum([0, *map(len, edges)])
    bounds = np.concatenate([*edges, np.zeros((1, 2), dtype=np.int64)])
    lengths = np.array([*map(len, new_texts)], dtype=np.float64)
    document = corpus.unit_document
    first = offsets[document] + corpus.start.astype(np.int64)
    last = offsets[document] + corpus.end.astype(np.int64) - 1
    start: FloatArray = np.where(first < offsets[document + 1], bounds[first, 0], lengths[document])
    end: FloatArray = np.where(corpus.end > corpus.start, bounds[last, 1], start)
    note = f"tokens are placed in the texts, and bounds count characters: {counted(len(corpus), 'document')}"
    return replace(
        corpus,
        start=start,
        end=end,
        extents=np.stack([np.zeros(len(lengths)), lengths], axis=1),
        length_unit="char",
        notes=(*corpus.notes, note),
        texts=tuple(new_texts),
        tokens=None,
    )


def token_bounds(document: str, tokens: Sequence[str] | None, text: str) -> IntArray:
    """Return start and end of each token in a text, shape (n_tokens, 2); only blanks may be between two tokens.

    Raises
    ------
    InputError
        For a token that does not follow there, with the document.
    """
    if tokens is None:
        raise InputError("the tokens are not known", location=Location(f"document {document!r}"))
    bounds: list[tuple[int, int]] = []
    end = 0
    for number, token in enumerate(tokens, 1):
        start = end
        while start < len(text) and text[start].isspace() and not text.startswith(token, start):
            start += 1
        spelled = next((form for form in (token, *_WRITTEN_FOR.get(token, ())) if text.startswith(form, start)), None)
        if spelled is None:
            before = f"after {text[max(end - _MAX_SHOWN, 0) : end]!r}" if end else "at its beginning"
            rest = text[start : start + _MAX_SHOWN]
            raise InputError(
                f"token {number}, {token!r}, is not in the text {before}: there is {repr(rest) if rest else 'its end'}",
                "the tokens have to be those of the text, in order, with only blanks between: correct either",
                Location(f"document {document!r}"),
            )
        end = start + len(spelled)
        bounds.append((start, end))
    if text[end:].strip():
        raise InputError(
            f"the text goes on after the last token with {text[end:].strip()[:_MAX_SHOWN]!r}",
            "the tokens have to be those of the text; correct one of the two",
            Location(f"document {document!r}"),
        )
    return np.array(bounds, dtype=np.int64).reshape(-1, 2)
