"""Words, white space or punctuation that an annotator includes at a bound and others do not."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from gamma_align.columns import BoolArray, Columns, FloatArray, IntArray, numbered
from gamma_align.insight.causes.cause import Candidate, Cause, Sentence, Tier, name_of, needs_texts, others_of, quoted
from gamma_align.insight.causes.evidence import MIN_NET, dispersions
from gamma_align.insight.causes.repair import Repair, Units
from gamma_align.insight.causes.view import View

# directions
INCLUDES = "includes"
LEAVES_OUT = "leaves out"
# sides
START = "start"
END = "end"
# in place of words
BLANKS = "white space"
PUNCTUATION = "punctuation"
_MIN_PAIRS = 3
_ONE_WAY_TEXTS = 0.2  # probability, beforehand, that a text is always included or always left out
_ONE_WAY_RATE = 0.95  # of such a text that it is so in a pair


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Bounds(Candidate):
    """Units of an annotator whose bound at one side is to move to a bound of another annotator's unit."""

    fixed_question: ClassVar[str] = "Do the guidelines say whether this belongs to the unit?"

    side: str
    units: IntArray
    bound: FloatArray

    def repair(self, view: View) -> Repair:
        """Move the bound to the others' bound, and bounds of units that nobody else has by the same texts."""
        lone, lone_bound = self._lone_units(view)
        units = np.concatenate([self.units, lone])
        bound = np.concatenate([self.bound, lone_bound])
        order = np.argsort(units)
        units = units[order]
        bound = bound[order]
        changed = view.units.take(units)
        start = changed.start
        end = changed.end
        if self.side == START:
            start = np.minimum(bound, end)
        else:
            end = np.maximum(bound, start)
        moved = Units(changed.document, changed.annotator, start, end, changed.category, changed.origin)
        return Repair(units, moved)

    def _lone_units(self, view: View) -> tuple[IntArray, FloatArray]:
        """Return the annotator's units that nobody else has and that the habit concerns, too, with their new bounds.

        Left as they are, they would seem to be shorter, or longer, than the units of the others.
        """
        corpus = view.corpus
        texts = view.corpus.texts or ()
        column = corpus.start if self.side == START else corpus.end
        moves = zip(
            view.unit_document[self.units].tolist(), column[self.units].tolist(), self.bound.tolist(), strict=True
        )
        pieces = {(texts[document] or "")[int(min(old, new)) : int(max(old, new))] for document, old, new in moves}
        pieces.discard("")
        is_lone = (view.alignments.group >= 0) & (view.alignments.size[view.alignments.group] == 1)
        lone = np.flatnonzero(is_lone & (corpus.annotator == self.annotator))
        grows = not self.direction.startswith(INCLUDES)
        sign = -1 if grows == (self.side == START) else 1  # in which the bound moves
        units = []
        bounds = []
        for unit, document in zip(lone.tolist(), view.unit_document[lone].tolist(), strict=True):
            text = texts[document] or ""
            position = int(column[unit])
            length = corpus.end[unit] - corpus.start[unit]
            text_beside = text[:position] if sign < 0 else text[position:]
            fits = [
                len(piece)
                for piece in pieces
                if (text_beside.endswith(piece) if sign < 0 else text_beside.startswith(piece))
                and (grows or len(piece) < length)
            ]
            if fits:
                units.append(unit)
                bounds.append(float(position + sign * max(fits)))
        return np.array(units, dtype=np.int64), np.array(bounds, dtype=np.float64)

    def sentence(self, view: View) -> Sentence:
        """Return what is included by one and not by the other."""
        name = name_of(view, self.annotator)
        others_name = others_of(view, self.annotator)
        texts = self.words[0] if self.words[0] in (BLANKS, PUNCTUATION) else quoted(self.words)
        n, n_reverse = self._counts_as_annotated(view.base)
        reverse = "never the reverse" if n_reverse == 0 else f"the reverse {n_reverse:,} times"
        title = f"{name} {self.direction.split(',')[0]} {texts} at the {self.side} of units; {others_name} do not"
        if view.is_pair:
            title = f"{others_name} includes {texts} at the {self.side} of units; {name} does not"
        return Sentence(title, f"{n:,} times; {reverse}.")

    def _counts_as_annotated(self, view: View) -> tuple[int, int]:
        """Return the pairs in this direction, and in the other one, before the repairs of other causes."""
        pairs = _differing_pairs(view, self.side)
        is_such = np.isin(np.array(pairs.names), self.words)[pairs.text]
        is_concerned = (view.corpus.annotator[pairs.unit] == self.annotator) & is_such
        n_included = int(np.count_nonzero(pairs.includes[is_concerned]))
        n_left_out = int(np.count_nonzero(is_concerned)) - n_included
        return (n_included, n_left_out) if self.direction.startswith(INCLUDES) else (n_left_out, n_included)

    def is_unclear(self, view: View) -> bool:
        """Return whether the data as annotated do not bear the claim out."""
        n, n_reverse = self._counts_as_annotated(view.base)
        return n <= n_reverse


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class _Pairs(Columns):
    """Aligned units that overlap and differ at a side, and whether the first one includes more.

    `text` is the index in `names` of the text between their bounds.
    """

    names: list[str]
    unit: IntArray
    partner: IntArray
    includes: BoolArray
    weight: FloatArray
    text: IntArray
    common_fields: ClassVar[tuple[str, ...]] = ("names",)


def _differing_pairs(view: View, side: str) -> _Pairs:
    """Return the aligned units that overlap and differ at a side."""
    unit, partner = view.pairs
    corpus = view.corpus
    column = corpus.start if side == START else corpus.end
    rows = np.flatnonzero(
        (column[unit] != column[partner])
        & (corpus.start[unit] < corpus.end[partner])
        & (corpus.start[partner] < corpus.end[unit])
    )
    unit = unit[rows]
    partner = partner[rows]
    low = np.minimum(column[unit], column[partner])
    high = np.maximum(column[unit], column[partner])
    includes = (column[unit] < column[partner]) == (side == START)
    names, text = np.unique(_texts_between(view, unit, low, high), return_inverse=True)
    return _Pairs(names.tolist(), unit, partner, includes, view.pair_weight[rows], text.reshape(-1))


def propose(view: View) -> Iterator[Candidate]:
    """Yield annotators who include, or leave out, certain texts at a side of units."""
    if not view.has_texts:
        return
    for side in (START, END):
        yield from _propose_at_side(view, side)


def _propose_at_side(view: View, side: str) -> Iterator[Candidate]:
    pairs = _differing_pairs(view, side)
    annotator = view.corpus.annotator[pairs.unit]
    for direction in (INCLUDES, LEAVES_OUT):
        if direction == INCLUDES and view.is_pair:
            continue  # of two annotators, the one who leaves out is named
        for code in np.unique(annotator[pairs.includes == (direction == INCLUDES)]).tolist():
            candidate = _join_texts(view, pairs, code, side, direction)
            if candidate is not None:
                yield candidate


def _join_texts(view: View, pairs: _Pairs, annotator: int, side: str, direction: str) -> Bounds | None:
    """Return all texts that an annotator treats alike at a side as one candidate.

    Each text is treated so with a probability known beforehand, or included and left out by turns: the likelihood ratio
    of such a mixture has mean 1 by chance, so that no price is to be paid for the number of texts.
    """
    own = pairs.take(view.corpus.annotator[pairs.unit] == annotator)
    is_hit = own.includes == (direction == INCLUDES)
    n_documents = len(view.corpus)
    keys, entry = numbered(own.text * n_documents + view.unit_document[own.unit])
    totals = np.bincount(entry, own.weight, len(keys))
    hits = np.bincount(entry, own.weight * is_hit, len(keys))
    groups, group = numbered(keys // n_documents)
    n_hits = np.bincount(group, hits, len(groups))
    n_reverse = np.bincount(group, totals - hits, len(groups))
    ratio = n_hits * math.log(2 * _ONE_WAY_RATE) + n_reverse * math.log(2 * (1 - _ONE_WAY_RATE))
    odds = math.log(_ONE_WAY_TEXTS / (1 - _ONE_WAY_TEXTS)) + ratio / dispersions(group, hits, totals, len(groups))
    total = float((math.log(1 - _ONE_WAY_TEXTS) + np.logaddexp(0.0, odds)).sum())
    accepted = np.flatnonzero(odds > 0)
    n_directions = 1 if view.is_pair else 2
    net = total - math.log(2 * n_directions * view.n_annotators)
    if not len(accepted) or net < MIN_NET:
        return None
    groups = groups[accepted[np.argsort(-n_hits[accepted], kind="stable")]]
    accepted_hits = own.take(np.isin(own.text, groups) & is_hit)
    if len(accepted_hits) < _MIN_PAIRS:
        return None
    units, first = np.unique(accepted_hits.unit, return_index=True)
    column = view.corpus.start if side == START else view.corpus.end
    return Bounds(
        annotator=annotator,
        net=net,
        direction=f"{direction}, {side}",
        words=tuple(pairs.names[group] for group in groups.tolist()),
        side=side,
        units=units,
        bound=column[accepted_hits.partner[first]],
    )


def _texts_between(view: View, unit: IntArray, low: FloatArray, high: FloatArray) -> np.ndarray:
    """Return the words between two bounds; white space and punctuation are one group each."""
    texts = view.words.texts_between(view.unit_document[unit], low, high)
    names = []
    for text in texts:
        if text is None:
            names.append("unknown")
        elif not text:
            names.append(BLANKS)
        else:
            names.append(text if any(map(str.isalnum, text)) else PUNCTUATION)
    return np.array(names)


BOUNDS_CAUSE = Cause(
    "bounds",
    Tier.MARKING,
    "words, white space or punctuation that units include or not",
    "moves the bounds to those of the others",
    propose,
    needs_texts,
)
