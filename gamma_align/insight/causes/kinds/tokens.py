"""Bounds that count words (tokens), whereas the others count characters."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import ClassVar, NamedTuple

import numpy as np

from gamma_align.columns import FloatArray, IntArray
from gamma_align.insight.causes.cause import (
    Candidate,
    Cause,
    Sentence,
    Tier,
    documents_text,
    name_of,
    needs_texts,
    others_of,
)
from gamma_align.insight.causes.kinds.recount import NATS_OF_A_UNIT, NewBounds, have_equals
from gamma_align.insight.causes.view import View

# Between white space, or words and marks of punctuation one by one
_TOKENS = {"words": re.compile(r"\S+"), "words and punctuation marks": re.compile(r"\w+|[^\w\s]")}
_MIN_SHARE = 0.3  # of the units of an annotator in a document that coincide with one of the others when converted


class _Way(NamedTuple):
    """A way to count tokens: by which pattern, from 0 or 1 on, and whether the end is the last token itself."""

    tokens: str
    first: int
    includes_end: bool


_WAYS = tuple(_Way(*values) for values in product(_TOKENS, (0, 1), (False, True)))  # all of them are tried


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Tokens(NewBounds):
    """Units whose bounds are numbers of tokens, to be converted to characters."""

    fixed_question: ClassVar[str] = "Does this file count words, not characters?"

    tokens: str

    def sentence(self, view: View) -> Sentence:
        """Return what is counted, and how many units fit when converted."""
        name = name_of(view, self.annotator)
        others_name = others_of(view, self.annotator)
        scope = documents_text(view, self.documents, self.n_documents)
        before, after = self.fits
        return Sentence(
            f"Positions of {name} count {self.tokens}, positions of {others_name} characters, in {scope}",
            f"Converted, {after:,} of {len(self.units):,} units of {name} coincide with one of {others_name}; "
            f"{before:,} do now.",
        )


def propose(view: View) -> Iterator[Candidate]:
    """Yield annotators whose bounds are numbers of tokens."""
    corpus = view.corpus
    lanes, offsets = view.lanes
    texts = corpus.texts or ()
    if not view.has_texts or not corpus.n_units:
        return
    tables = _token_bounds(texts)
    suspects = [
        lane
        for lane in range(len(lanes))
        if _may_count_tokens(view, lane, tables[int(lanes[lane]) // view.n_annotators])
    ]
    if not suspects:
        return
    annotator = lanes % view.n_annotators
    for suspect in np.unique(annotator[suspects]).tolist():
        own_lanes = [lane for lane in suspects if annotator[lane] == suspect]
        candidates = [
            candidate
            for way in _WAYS
            if (candidate := _convert_tokens(view, suspect, own_lanes, offsets, tables, way, len(lanes))) is not None
        ]
        if candidates:
            yield max(candidates, key=lambda candidate: candidate.net)


@lru_cache(maxsize=4)
def _token_bounds(texts: tuple[str | None, ...]) -> list[dict[str, FloatArray]]:
    """Return the starts and ends of the tokens of each text, shape (n_tokens, 2), by the way they are divided."""
    tables = []
    for text in texts:
        spans = {name: [match.span() for match in pattern.finditer(text or "")] for name, pattern in _TOKENS.items()}
        tables.append({name: np.array(bounds, dtype=np.float64).reshape(-1, 2) for name, bounds in spans.items()})
    return tables


def _may_count_tokens(view: View, lane: int, table: dict[str, FloatArray]) -> bool:
    """Return whether bounds of a lane are whole numbers up to the number of tokens, and some of its document larger."""
    lanes, offsets = view.lanes
    corpus = view.corpus
    document = int(lanes[lane]) // view.n_annotators
    units = slice(offsets[lane], offsets[lane + 1])
    n_tokens = max(len(bounds) for bounds in table.values())
    end = corpus.end[units]
    if end.max() > n_tokens or np.any(end != np.floor(end)):
        return False
    in_document = slice(corpus.unit_offsets[document], corpus.unit_offsets[document + 1])
    return float(corpus.end[in_document].max()) > n_tokens


def _convert_tokens(
    view: View,
    annotator: int,
    own_lanes: Sequence[int],
    offsets: IntArray,
    tables: list[dict[str, FloatArray]],
    way: _Way,
    n_lanes: int,
) -> Tokens | None:
    """Return the candidate of one way to count tokens, if units fit then."""
    corpus = view.corpus
    lanes = view.lanes[0]
    parts = []
    for lane in own_lanes:
        bounds = tables[int(lanes[lane]) // view.n_annotators][way.tokens]
        unit = np.arange(offsets[lane], offsets[lane + 1])
        first = corpus.start[unit].astype(np.int64) - way.first
        last = corpus.end[unit].astype(np.int64) - way.first - (0 if way.includes_end else 1)
        if not len(bounds) or first.min() < 0 or last.max() >= len(bounds) or np.any(last < first):
            continue
        parts.append((unit, bounds[first, 0], bounds[last, 1]))
    if not parts:
        return None
    unit, start, end = (np.concatenate(column) for column in zip(*parts, strict=True))
    before = have_equals(view, unit, corpus.start[unit], corpus.end[unit])
    after = have_equals(view, unit, start, end)
    document = view.unit_document[unit]
    n = np.bincount(document)
    gained = np.bincount(document, after.astype(np.int64) - before)
    fits = (gained >= _MIN_SHARE * n) & (gained > 0)
    kept = fits[document]
    if not kept.any():
        return None
    unit = unit[kept]
    start = start[kept]
    end = end[kept]
    documents = np.flatnonzero(fits)
    return Tokens(
        annotator=annotator,
        net=NATS_OF_A_UNIT * float(gained[documents].sum()) - math.log(len(_WAYS) * n_lanes),
        documents=documents,
        tokens=way.tokens,
        units=unit,
        start=start,
        end=end,
        fits=(int(before[kept].sum()), int(after[kept].sum())),
        n_documents=int(np.count_nonzero(lanes % view.n_annotators == annotator)),
    )


TOKENS_CAUSE = Cause(
    "scale",
    Tier.FILE,
    "bounds that count words where others count characters",
    "converts them to characters",
    propose,
    needs_texts,
    is_clerical=True,
    names_one_of_two=True,
)
